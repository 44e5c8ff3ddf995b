/* blockdct: evaluates a frame at other settings: for targets and for `curve`.
 *
 * Another engine does, which makes no pictures, as the one with the frames in
 * flight gives results in their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_EVALUATE_H
#define GST_BLOCKDCT_EVALUATE_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Call the first when the layout changes, the second before the backend
 * closes, the third when another frame is to be evaluated. */
void gst_blockdct_evaluate_reset (GstBlockDctSearch * search);
void gst_blockdct_evaluate_close (GstBlockDctSearch * search);
void gst_blockdct_evaluate_next (GstBlockDctSearch * search);

/* Have the engine, which is created and configured when it is first needed. */
gboolean gst_blockdct_evaluate_prepare (GstBlockDct * self, BdctError * error);

/* Evaluate `frame`, which has no picture, at each of `n` jobs. */
gboolean gst_blockdct_evaluate (GstBlockDctSearch * search,
    const BdctFrame * frame, const BdctJob * jobs, gint n, BdctStats * stats,
    BdctError * error);

G_END_DECLS
#endif
