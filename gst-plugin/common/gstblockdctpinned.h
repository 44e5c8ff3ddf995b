/* blockdct: pinned host memory, which may have a copy on an engine's device. A
 * map gets what was written last on either side, and copies only if that is the
 * other side.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <blockdct/blockdct.h>

/* When an engine maps the device's copy. */
typedef enum
{
  GST_BLOCKDCT_PINNED_ALONE,    /* never */
  GST_BLOCKDCT_PINNED_WRITTEN,  /* to write, and to read what an engine has
                                     written: for an engine's output */
  GST_BLOCKDCT_PINNED_SHARED,   /* always: for memory that several engines
                                     read; the first one uploads it */
} GstBlockDctPinnedKind;

/* An allocator of a class's host memory in a context. It holds a reference to
 * `owner`, which keeps the context alive. Where pinned memory is refused, it
 * gives ordinary memory. */
GstAllocator *gst_blockdct_pinned_allocator_new (BdctBackend backend,
    BdctContext context, GstObject * owner);

/* An allocator like this one, but of `kind`; NULL if this one is not from
 * gst_blockdct_pinned_allocator_new(). */
GstAllocator *gst_blockdct_pinned_allocator_of_kind (GstAllocator * allocator,
    GstBlockDctPinnedKind kind);

/* Prepare a buffer to be mapped on `owner`'s device, if its kind allows it.
 * Returns the flag that maps it there, together with GST_MAP_READ or
 * GST_MAP_WRITE; 0: map it on the host. */
GstMapFlags gst_blockdct_pinned_map_flag (GstBuffer * buffer, GstObject * owner,
    GstMapFlags access);

/* Whether pinned memory has been refused. */
gboolean gst_blockdct_pinned_allocator_refused (GstAllocator * allocator);
