/* blockdct: the buffers that an element offers upstream and writes to
 * downstream. System memory is pinned where the CUDA engine runs, as the GPU
 * copies pinned memory by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstblockdctbackend.h"

/* Answer an ALLOCATION query from upstream; `depth` of its frames may be in
 * the engine. */
gboolean gst_blockdct_pool_propose (const GstBlockDctBackend * backend,
    GstQuery * query, guint depth);

/* Choose the pool for frames of `info` that go downstream, from the query that
 * downstream has answered. `*own_limit` (unless NULL) is the pool's maximum if
 * it is set here, else 0. FALSE, with an element error: there is no pool. */
gboolean gst_blockdct_pool_decide (const GstBlockDctBackend * backend,
    GstQuery * query, const GstVideoInfo * info, guint depth,
    guint * own_limit);

/* The maximum number of buffers of a buffer's pool: upstream waits while all
 * of them are held. 0: any number. For a buffer inside another buffer it is
 * 1. */
guint gst_blockdct_pool_get_limit (GstBuffer * buffer);
