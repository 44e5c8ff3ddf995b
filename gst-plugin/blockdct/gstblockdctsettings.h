/* blockdct: the values of the element's properties.
 *
 * Each frame takes a copy of all values when it enters, so a change is in force
 * from the next frame on. Each value is valid by itself, whatever the others
 * are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_SETTINGS_H
#define GST_BLOCKDCT_SETTINGS_H

#include <gst/gst.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctcurve.h"

G_BEGIN_DECLS

/* Values of `quantization-tables`: a BdctPreset, or one of these. */
enum
{
  GST_BLOCKDCT_TABLES_MATRIX = BDCT_N_PRESETS,
  GST_BLOCKDCT_TABLES_FILE
};

/* The flag `bits` of `metrics`; the others are 1 << BdctMetric. */
#define GST_BLOCKDCT_BITS (1u << 16)

G_STATIC_ASSERT (BDCT_N_METRICS <= 16);

/* Settings that are read when the element starts. */
typedef struct
{
  gint backend, device_id;
  guint threads;
  guint async_depth;
  gchar *stats_file;            /* NULL: none. Absent from copies */
} GstBlockDctStartSettings;

/* The steps of `quantization-matrix`, as BdctParams has them. */
typedef struct
{
  gint n;                       /* 0: not set */
  gint step[G_N_ELEMENTS (((BdctParams *) NULL)->steps)];
} GstBlockDctMatrix;

typedef struct
{
  BdctParams params;            /* all but the choice of tables */
  gint tables;                  /* `quantization-tables` */
  GstBlockDctMatrix matrix;
  BdctTables file;              /* of `quantization-file` */
  BdctChromaFormat subsampling;
  guint metrics;
  GstBlockDctCurve curve;
  GstBlockDctTargets targets;
  gboolean post_messages;
  GstClockTime interval;
  gdouble min_psnr_error, min_psnr_warning;
  BdctViewMode view;
  gboolean grid;
  GstBlockDctStartSettings start;
} GstBlockDctSettings;

/* The parameters that follow from the settings: with the tables that
 * `quantization-tables` chooses, if there are any (see
 * gst_blockdct_settings_lack_tables()), and with a `min-block` no larger than
 * `max-block`. */
BdctParams gst_blockdct_settings_params (const GstBlockDctSettings * settings);

/* The property that `quantization-tables` refers to, if it is not set; or
 * NULL. Annex K's tables are then in force. */
const gchar *gst_blockdct_settings_lack_tables
    (const GstBlockDctSettings * settings);

G_END_DECLS
#endif
