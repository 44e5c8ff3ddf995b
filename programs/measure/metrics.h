/* blockdct-measure: perceptual figures, in sums that do not depend on an order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_METRICS_H
#define MEASURE_METRICS_H

#include <glib.h>
#include "dct/metrics/metrics.h"

G_BEGIN_DECLS

/** A sum that is infinite, as of identical pictures' PSNR-HVS. */
#define MEASURE_INFINITE G_MAXINT64

/** What BdctStats adds up over frames. */
typedef struct
{
  guint there;                  /* bits 1 << BdctMetric; of a sum: of all */
  /* In whole billionths; trillionths of psnr-b, whose errors may be small. */
  gint64 sum[BDCT_N_METRICS][BDCT_METRIC_ALL + 1];
} MeasureMetrics;

/** Bits 1 << BdctMetric of a list of names or "all", none for NULL. FALSE with
 * the names that there are. */
gboolean measure_metrics_parse (const gchar * names, guint * metrics,
    GError ** error);

/** The metric that is drawn: its number, -1 for "psnr" and NULL. */
gboolean measure_metrics_find (const gchar * name, gint * metric,
    GError ** error);

/** "ssim", or "PSNR" for -1: what people read. */
const gchar *measure_metrics_label (gint metric);

/** Those of the metrics that are supported for pictures; `without` receives a
 * line for each of the others, which says why not. `format` is their name. */
guint measure_metrics_choose (guint metrics, const BdctLayout * layout,
    const gchar * format, GString * without);

/** One of the sums, as BdctStats has it. */
gdouble measure_metrics_get (const MeasureMetrics * metrics, guint metric,
    guint component);

/** Add a frame; add a sum. FALSE if one does not fit 63 bits. */
gboolean measure_metrics_add_frame (MeasureMetrics * sum,
    const BdctStats * stats);
gboolean measure_metrics_add (MeasureMetrics * sum,
    const MeasureMetrics * other);

G_END_DECLS
#endif
