/* blockdct: the buffers that the element offers upstream and writes to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_ALLOCATION_H
#define GST_BLOCKDCT_ALLOCATION_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

/** Set what offers buffers upstream and gets them from downstream. */
void gst_blockdct_install_allocation (GstBaseTransformClass * klass);

/** Let go who waits for an output buffer; with `flushing` FALSE, let them wait
 * again. From any thread. */
void gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing);

G_END_DECLS
#endif
