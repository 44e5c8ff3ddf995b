/* blockdct: finds the setting that meets the targets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_TARGET_H
#define GST_BLOCKDCT_TARGET_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Set the quality or QP in `recipe` that meets the targets for this frame, and
 * `target_met`. `src` is the mapped buffer `in`; `wait` is as in BdctFrame.
 * FALSE, with an element error, if the engine fails. */
gboolean gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctRecipe * recipe);

G_END_DECLS
#endif
