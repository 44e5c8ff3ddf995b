/* blockdct: the fields of messages, metas and `stats`. Strings are interned and
 * names are quarks, as every frame fills a structure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STRUCTURE_H
#define GST_BLOCKDCT_STRUCTURE_H

#include "gstblockdctcurve.h"
#include "gstblockdctstatstypes.h"

G_BEGIN_DECLS

/** Make the names; before all others, once. */
void gst_blockdct_structure_init (void);

/** Fill in what a frame's meta says. */
void gst_blockdct_structure_frame (GstStructure * s,
    const GstBlockDctSpan * span);

/** And that the frame was there before. */
void gst_blockdct_structure_repeated (GstStructure * s);

/** The message of an interval; of all frames, and how many were dropped beside
 * them; of a frame's curve; and what `stats` says, of a `pad` of
 * blockdctcompare, or NULL. The caller's. */
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
