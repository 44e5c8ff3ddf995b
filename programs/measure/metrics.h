/* blockdct-measure: perceptual figures, in sums that do not depend on the
 * order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include <glib.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* A sum that is infinite, as of identical pictures' PSNR-HVS. */
#define MEASURE_INFINITE G_MAXINT64

/* The sums of BdctStats over frames. */
typedef struct
{
  guint there;                  /* bits 1 << BdctMetric; in a sum: of all
                                   frames */
  /* In whole billionths. */
  gint64 sum[BDCT_N_METRICS][BDCT_METRIC_ALL + 1];
} MeasureMetrics;

/* Parse a list of names, or "all", into bits 1 << BdctMetric; none for NULL.
 * FALSE with an error that lists the names. */
gboolean measure_metrics_parse (const gchar * names, guint * metrics,
    GError ** error);

/* Find the metric to draw: its number, -1 for "psnr" and NULL. */
gboolean measure_metrics_find (const gchar * name, gint * metric,
    GError ** error);

/* A metric's name for people, such as "ssim"; "PSNR" for -1. */
const gchar *measure_metrics_label (gint metric);

/* Those of the metrics that pictures of this layout support; `without`
 * receives a line with the reason for each other one. `format` is the pictures'
 * name. */
guint measure_metrics_choose (guint metrics, const BdctLayout * layout,
    const gchar * format, GString * without);

/* One of the sums, in the unit of BdctStats. */
gdouble measure_metrics_get (const MeasureMetrics * metrics, guint metric,
    guint component);

/* Add a frame; add a sum. FALSE if one does not fit 63 bits. */
gboolean measure_metrics_add_frame (MeasureMetrics * sum,
    const BdctStats * stats);
gboolean measure_metrics_add (MeasureMetrics * sum,
    const MeasureMetrics * other);

G_END_DECLS
#endif
