/* blockdct: the memory frames lie in. All that knows libgstcuda is here; in a
 * build without CUDA there is system memory only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_MEMORY_H
#define GST_BLOCKDCT_MEMORY_H

#include <gst/video/video.h>
#include "dct/engine.h"

G_BEGIN_DECLS

/** Load libcuda and register the CUDA allocator; the first thing to call. FALSE
 * if there is no driver, or no CUDA in this build, with the reason. */
gboolean gst_blockdct_memory_init (BdctError * error);

/** Get a GstCudaContext for an element: the pipeline's, else a new one that is
 * shared with it. `context` receives a reference. FALSE with the reason. */
gboolean gst_blockdct_memory_ensure_context (GstElement * element,
    gint device_id, GstObject ** context, BdctError * error);

/** The element's part of context sharing. */
void gst_blockdct_memory_set_context (GstElement * element,
    GstContext * gst_context, gint device_id, GstObject ** context);
gboolean gst_blockdct_memory_query_context (GstElement * element,
    GstQuery * query, GstObject * context);

/** How an engine makes a GstCudaContext current. It keeps no reference. */
BdctContext gst_blockdct_memory_engine_context (GstObject * context);

/** The context of a buffer's CUDA memory if it differs from `context` but may
 * take its place under this cuda-device-id; else NULL. No reference. */
GstObject *gst_blockdct_memory_other_context (GstBuffer * buffer,
    GstObject * context, gint device_id);

/** A pool for caps in CUDA (`cuda`) or system memory, not yet configured. */
GstBufferPool *gst_blockdct_memory_pool (gboolean cuda, GstObject * context);

/** Whether a pool may serve: for CUDA memory, only one of this context. */
gboolean gst_blockdct_memory_pool_fits (GstBufferPool * pool, gboolean cuda,
    GstObject * context);

/** Map a buffer and describe it to the engine. CUDA memory of `context` is
 * mapped on the device, all other memory on the host (libgstcuda copies).
 * FALSE, with the reason and nothing mapped, if it cannot be mapped or is too
 * small for its format. Unmap with gst_video_frame_unmap(). */
gboolean gst_blockdct_memory_map (GstVideoFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags,
    const BdctLayout * layout, GstObject * context, BdctImage * image,
    BdctError * error);

/** The CUstream that work on a buffer's CUDA memory of `context` may be pending
 * in, asked for while it is mapped; NULL if it is complete. */
gpointer gst_blockdct_memory_stream (GstBuffer * buffer, GstObject * context);

G_END_DECLS
#endif
