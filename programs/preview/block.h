/* blockdct-preview: describes one block, for a click on it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_BLOCK_H
#define PREVIEW_BLOCK_H

#include "gst-plugin/blockdct/gstblockdct.h"

G_BEGIN_DECLS

/* Make the structure `blockdct-block` about the blocks at (x, y), in samples
 * of luma, of a frame on display whose original is `in`. The caller owns it.
 * NULL if the frame cannot be read or there is no memory. Any thread may call
 * this. */
GstStructure *preview_block_describe (const GstBlockDctShown * shown,
    GstBuffer * in, gint x, gint y);

G_END_DECLS
#endif
