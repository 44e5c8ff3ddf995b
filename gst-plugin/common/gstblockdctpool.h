/* blockdct: the buffers that an element offers upstream and writes to
 * downstream. System memory is pinned where the CUDA engine runs, as the GPU
 * copies pinned memory by itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_POOL_H
#define GST_BLOCKDCT_POOL_H

#include "gstblockdctbackend.h"

G_BEGIN_DECLS

/* Post an error: `what` failed on the backend. Returns FALSE. */
gboolean gst_blockdct_pool_fail (const GstBlockDctBackend * backend,
    GstElement * element, const gchar * what, const BdctError * error);

/* Configure the engine for frames of `info`, of which `depth` are in it. FALSE
 * with an element error. */
gboolean gst_blockdct_pool_configure (const GstBlockDctBackend * backend,
    GstElement * element, const GstVideoInfo * info, const BdctLayout * layout,
    guint depth);

/* Map a buffer, as gst_blockdct_backend_map(); `*wait` is the stream in which
 * work on its memory may be pending. FALSE with an element error. */
gboolean gst_blockdct_pool_map (const GstBlockDctBackend * backend,
    GstElement * element, GstObject * context, GstVideoFrame * frame,
    const GstVideoInfo * info, const BdctLayout * layout, GstBuffer * buffer,
    GstMapFlags flags, BdctImage * image, void **wait);

/* Answer an ALLOCATION query from upstream; `depth` of its frames may be in
 * the engine. */
gboolean gst_blockdct_pool_propose (const GstBlockDctBackend * backend,
    GstObject * context, GstQuery * query, guint depth);

/* Choose the pool for frames of `info` that go downstream, from the query that
 * downstream has answered. `*own_limit` (unless NULL) is the pool's maximum if
 * it is set here, else 0. FALSE, with an element error: there is no pool. */
gboolean gst_blockdct_pool_decide (const GstBlockDctBackend * backend,
    GstElement * element, GstObject * context, GstQuery * query,
    const GstVideoInfo * info, guint depth, guint * own_limit);

/* The maximum number of buffers of a buffer's pool: upstream waits while all
 * of them are held. 0: any number. For a buffer inside another buffer it is
 * 1. */
guint gst_blockdct_pool_get_limit (GstBuffer * buffer);

G_END_DECLS
#endif
