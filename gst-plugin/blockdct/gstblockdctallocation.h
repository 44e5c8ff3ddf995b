/* blockdct: the buffers that the element offers upstream and writes to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_ALLOCATION_H
#define GST_BLOCKDCT_ALLOCATION_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/* Install the allocation functions: they offer buffers upstream and get them
 * from downstream. */
void gst_blockdct_install_allocation (GstBaseTransformClass * klass);

/* Wake a thread that waits for an output buffer; with `flushing` FALSE,
 * threads may wait again. Any thread may call this. */
void gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing);

G_END_DECLS
#endif
