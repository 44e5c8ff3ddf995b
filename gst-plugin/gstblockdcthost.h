/* blockdct: buffers in the host memory that an engine likes best.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_HOST_H
#define GST_BLOCKDCT_HOST_H

#include <gst/gst.h>
#include "dct/engine.h"

G_BEGIN_DECLS

/** An allocator of a class's host memory in a context, which stays as long as
 * `owner`. Where that is refused it gives ordinary memory. */
GstAllocator *gst_blockdct_host_allocator_new (const BdctEngineClass * klass,
    BdctContext context, GstObject * owner);

/** Whether memory was refused. */
gboolean gst_blockdct_host_allocator_refused (GstAllocator * allocator);

G_END_DECLS
#endif
