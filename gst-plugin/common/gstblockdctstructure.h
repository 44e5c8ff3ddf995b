/* blockdct: the fields of messages, metas and `stats`. Strings are interned and
 * names are quarks, as a structure is filled for every frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STRUCTURE_H
#define GST_BLOCKDCT_STRUCTURE_H

#include "gstblockdctcurve.h"
#include "gstblockdctstatstypes.h"

G_BEGIN_DECLS

/* Create the names; call it once, before all other functions. */
void gst_blockdct_structure_init (void);

/* Fill in the fields of a frame's meta. */
void gst_blockdct_structure_frame (GstStructure * s,
    const GstBlockDctSpan * span);

/* Mark the structure as a repeated frame's. */
void gst_blockdct_structure_repeated (GstStructure * s);

/* Make the message of an interval; of all frames, with the number of dropped
 * ones; of a frame's curve; and the structure of `stats`, of a `pad` of
 * blockdctcompare or, with NULL, of blockdct. The caller owns them. */
GstStructure *gst_blockdct_structure_interval (const GstBlockDctSpan * span);
GstStructure *gst_blockdct_structure_pooled (const GstBlockDctSpan * span,
    guint64 dropped);
GstStructure *gst_blockdct_structure_curve (const GstBlockDctCurve * curve,
    const BdctStats * stats, gboolean exact, const GstBlockDctRecipe * recipe,
    const GstBlockDctTimes * times, guint64 index);
GstStructure *gst_blockdct_structure_stats (const GstBlockDctTotals * totals,
    const gchar * pad);

G_END_DECLS
#endif
