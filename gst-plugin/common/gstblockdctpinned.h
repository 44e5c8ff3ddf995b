/* blockdct: buffers in the host memory that an engine likes best, which may
 * have a copy on the engine's device. Whoever maps such memory finds what was
 * written last, wherever that was; only then is it copied.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PINNED_H
#define GST_BLOCKDCT_PINNED_H

#include <gst/gst.h>
#include "dct/engine/engine.h"

G_BEGIN_DECLS

/** When an engine finds memory on its device. */
typedef enum
{
  GST_BLOCKDCT_PINNED_ALONE,    /**< never */
  GST_BLOCKDCT_PINNED_WRITTEN,  /**< when an engine has written it: for memory
                                     that other engines read next */
  GST_BLOCKDCT_PINNED_SHARED,   /**< always: for memory that several engines
                                     read, the first of which uploads it */
} GstBlockDctPinnedKind;

/** An allocator of a class's host memory in a context, which stays as long as
 * `owner`. Where that is refused it gives ordinary memory. */
GstAllocator *gst_blockdct_pinned_allocator_new (const BdctEngineClass * klass,
    BdctContext context, GstObject * owner);

/** An allocator of another kind, else like this one, which is of memory that
 * stays on the host; NULL if it is not such an allocator. */
GstAllocator *gst_blockdct_pinned_allocator_of_kind (GstAllocator * allocator,
    GstBlockDctPinnedKind kind);

/** The flag to map a buffer on `owner`'s device with, beside GST_MAP_READ or
 * GST_MAP_WRITE, once its content is there; 0: it is mapped on the host, as all
 * other memory is. */
GstMapFlags gst_blockdct_pinned_map_flag (GstBuffer * buffer, GstObject * owner,
    GstMapFlags access);

/** Whether memory was refused. */
gboolean gst_blockdct_pinned_allocator_refused (GstAllocator * allocator);

G_END_DECLS
#endif
