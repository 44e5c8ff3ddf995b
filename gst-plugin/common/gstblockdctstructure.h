/* blockdct: fills messages, metas and `stats` by the table of fields
 * (gstblockdctfields.def), and gives files their columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STRUCTURE_H
#define GST_BLOCKDCT_STRUCTURE_H

#include "gstblockdctcurve.h"
#include "gstblockdctstatstypes.h"

G_BEGIN_DECLS

/* Make the table; call it once, before all other functions. */
void gst_blockdct_structure_init (void);

/* What a structure describes (bits). */
typedef enum
{
  GST_BLOCKDCT_PLACE_FRAME = 1, /* the meta, and its message */
  GST_BLOCKDCT_PLACE_INTERVAL = 2,
  GST_BLOCKDCT_PLACE_POOLED = 4,        /* all frames, */
  GST_BLOCKDCT_PLACE_STATS = 8  /* also in the property `stats` */
} GstBlockDctPlace;

/* Fill in the fields of a span, with the number of dropped frames, or of a
 * frame that is shown again (`repeated`). */
void gst_blockdct_structure_fill (GstStructure * s, GstBlockDctPlace place,
    const GstBlockDctSpan * span, guint64 dropped, gboolean repeated);

/* Make the message of a frame's curve; and the structure of `stats`, of a `pad`
 * of blockdctcompare or, with NULL, of blockdct. The caller owns them. */
GstStructure *gst_blockdct_structure_curve (const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times, guint64 index);
GstStructure *gst_blockdct_structure_stats (const GstBlockDctTotals * totals,
    const gchar * pad);

/* Columns of files: of blockdct and of blockdctcompare in .csv; in .log behind
 * ffmpeg's own; and of the metrics' figures, which both have. */
typedef enum
{
  GST_BLOCKDCT_COLUMNS_CSV, GST_BLOCKDCT_COLUMNS_PADS,
  GST_BLOCKDCT_COLUMNS_LOG, GST_BLOCKDCT_COLUMNS_FIGURES,
  GST_BLOCKDCT_N_COLUMNS
} GstBlockDctColumns;

/* Their names in order, ended by 0. */
const GQuark *gst_blockdct_structure_columns (GstBlockDctColumns which);

G_END_DECLS
#endif
