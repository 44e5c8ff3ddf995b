/* blockdct: the setting that keeps the targets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_TARGET_H
#define GST_BLOCKDCT_TARGET_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** Choose the quality or QP in `recipe` that keeps the targets for this frame,
 * and store whether the targets are met. `src` is the mapped buffer `in`;
 * `wait` is as in BdctFrame. FALSE, with an element error, if the engine
 * fails. */
gboolean gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctRecipe * recipe);

/** The layout is another one; the backend is about to close. */
void gst_blockdct_target_reset (GstBlockDctSearch * search);
void gst_blockdct_target_close (GstBlockDctSearch * search);

G_END_DECLS
#endif
