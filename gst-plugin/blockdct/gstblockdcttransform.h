/* blockdct: a frame's way through the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_TRANSFORM_H
#define GST_BLOCKDCT_TRANSFORM_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Install the functions that take frames in and give them out. */
void gst_blockdct_install_transform (GstBaseTransformClass * klass);

/* Push all frames in flight; those that downstream refuses are dropped. The
 * base class neither counts these frames in QoS messages nor notes their
 * position. */
void gst_blockdct_drain (GstBlockDct * self);

/* Post an error if downstream takes no pictures of these caps of the sink pad:
 * the base class says nothing of it. */
void gst_blockdct_explain_refusal (GstBlockDct * self, GstCaps * caps);

/* Drop all frames in flight. */
void gst_blockdct_discard (GstBlockDct * self);

G_END_DECLS
#endif
