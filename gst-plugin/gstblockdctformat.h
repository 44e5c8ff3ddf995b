/* blockdct: video formats, caps and the engine's view of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_FORMAT_H
#define GST_BLOCKDCT_FORMAT_H

#include <gst/video/video.h>
#include "dct/layout.h"

G_BEGIN_DECLS

#define GST_BLOCKDCT_CUDA_MEMORY "memory:CUDAMemory"

/** All caps the element handles: CUDA memory (in a build with CUDA) first, then
 * system memory. */
GstCaps *gst_blockdct_format_caps (void);

/** The caps on the other pad: the same pictures in the same memory or, with
 * `cuda`, in either, the same first. Without `cuda` CUDA memory is left out. */
GstCaps *gst_blockdct_format_transform_caps (GstCaps * caps, gboolean cuda);

/** Whether caps are in CUDA memory. */
gboolean gst_blockdct_format_is_cuda (GstCaps * caps);

/** The layout of a format the caps allow. */
void gst_blockdct_format_layout (const GstVideoInfo * info,
    BdctLayout * layout);

G_END_DECLS
#endif
