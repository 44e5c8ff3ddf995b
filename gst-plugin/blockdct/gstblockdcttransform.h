/* blockdct: a frame's way through the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_TRANSFORM_H
#define GST_BLOCKDCT_TRANSFORM_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** Set what takes frames in and gives them out. */
void gst_blockdct_install_transform (GstBaseTransformClass * klass);
void gst_blockdct_init_transform (GstBlockDct * self);

/** Push all that is in flight; what downstream refuses is gone. */
void gst_blockdct_drain (GstBlockDct * self);

/** Forget all that is in flight. */
void gst_blockdct_discard (GstBlockDct * self);

G_END_DECLS
#endif
