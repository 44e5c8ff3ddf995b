/* blockdct: the buffers that an element offers upstream and writes to
 * downstream. System memory is pinned where the CUDA engine runs: the GPU
 * copies it by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_POOL_H
#define GST_BLOCKDCT_POOL_H

#include "gstblockdctbackend.h"

G_BEGIN_DECLS

/** Answer an ALLOCATION query from upstream, of whose frames `depth` may be in
 * the engine. */
gboolean gst_blockdct_pool_propose (const GstBlockDctBackend * backend,
    GstObject * context, GstQuery * query, guint depth);

/** Choose the pool of frames of `info` that go downstream, by the query that
 * downstream answered. `*own_limit` is how many buffers it may have where that
 * limit is set here; else 0. FALSE: there is no pool. */
gboolean gst_blockdct_pool_decide (const GstBlockDctBackend * backend,
    GstObject * context, GstQuery * query, const GstVideoInfo * info,
    guint depth, guint * own_limit);

/** How many buffers a buffer's pool may have: upstream waits when all of them
 * are held. 0: any number. What is inside another buffer counts as one of 1. */
guint gst_blockdct_pool_get_limit (GstBuffer * buffer);

G_END_DECLS
#endif
