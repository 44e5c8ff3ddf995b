/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctpinned.h"

#include <string.h>

/* Engine memory is page-aligned. */
#define MAX_ALIGN 4095

#define MEMORY_TYPE "BlockDctPinnedMemory"

/* Unused by libgstcuda. */
#define MAP_ON_DEVICE ((GstMapFlags) (GST_MAP_FLAG_LAST << 8))

typedef struct
{
  GstMemory parent;

  /* Unused if there is a parent. */
  guint8 *data;
  GMutex lock;
  guint8 *device;               /* NULL: none yet */
  gboolean on_host, on_device;  /* these copies are up to date */
} PinnedMemory;

#define GST_TYPE_BLOCKDCT_PINNED_ALLOCATOR \
  (gst_blockdct_pinned_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPinnedAllocator, gst_blockdct_pinned,
    GST, BLOCKDCT_PINNED_ALLOCATOR, GstAllocator);

struct _GstBlockDctPinnedAllocator
{
  GstAllocator parent;

  BdctBackend backend;
  BdctContext context;
  GstObject *owner;
  GstBlockDctPinnedKind kind;
  gint refused;                 /* atomic */
};

G_DEFINE_FINAL_TYPE (GstBlockDctPinnedAllocator, gst_blockdct_pinned,
    GST_TYPE_ALLOCATOR);

static GstMemory *
pinned_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  GstBlockDctPinnedAllocator *self = GST_BLOCKDCT_PINNED_ALLOCATOR (allocator);
  gsize max_size = params->prefix + size + params->padding;
  PinnedMemory *mem;
  guint8 *data;

  if (params->align > MAX_ALIGN)
    return gst_allocator_alloc (NULL, size, params);
  data = bdct_memory_alloc (self->backend, &self->context, BDCT_MEMORY_HOST,
      max_size);
  if (data == NULL) {
    g_atomic_int_set (&self->refused, TRUE);
    return gst_allocator_alloc (NULL, size, params);
  }
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (data + params->prefix + size, 0, params->padding);
  mem = g_new0 (PinnedMemory, 1);
  gst_memory_init (GST_MEMORY_CAST (mem), params->flags, allocator, NULL,
      max_size, params->align, params->prefix, size);
  mem->data = data;
  mem->on_host = TRUE;
  g_mutex_init (&mem->lock);
  return GST_MEMORY_CAST (mem);
}

static PinnedMemory *
find_root (GstMemory * memory)
{
  return (PinnedMemory *) (memory->parent != NULL ? memory->parent : memory);
}

static void
pinned_free (GstAllocator * allocator, GstMemory * memory)
{
  GstBlockDctPinnedAllocator *self = GST_BLOCKDCT_PINNED_ALLOCATOR (allocator);
  PinnedMemory *mem = (PinnedMemory *) memory;

  /* A shared part of a memory owns nothing. */
  if (memory->parent == NULL) {
    bdct_memory_free (self->backend, &self->context, BDCT_MEMORY_DEVICE,
        mem->device);
    bdct_memory_free (self->backend, &self->context, BDCT_MEMORY_HOST,
        mem->data);
    g_mutex_clear (&mem->lock);
  }
  g_free (mem);
}

/* Copy the content to the host, or to `device`, unless it is there already.
 * Called with the lock. */
static gboolean
bring (PinnedMemory * root, gboolean to_device)
{
  GstBlockDctPinnedAllocator *self =
      (GstBlockDctPinnedAllocator *) root->parent.allocator;
  gboolean *there = to_device ? &root->on_device : &root->on_host;

  if (!*there)
    *there = bdct_memory_copy (self->backend, &self->context, root->device,
        root->data, root->parent.maxsize, to_device);
  return *there;
}

static gpointer
pinned_map (GstMemory * memory, gsize max_size, GstMapFlags flags)
{
  PinnedMemory *root = find_root (memory);
  const gboolean on_device = (flags & MAP_ON_DEVICE) != 0;
  guint8 *data;

  g_mutex_lock (&root->lock);
  data = on_device ? root->device : root->data;
  /* An engine writes the whole picture; others may write a part of it. */
  if (on_device && flags & GST_MAP_WRITE)
    root->on_device = TRUE;
  else if (!bring (root, on_device))
    data = NULL;
  if (data != NULL && flags & GST_MAP_WRITE)
    *(on_device ? &root->on_host : &root->on_device) = FALSE;
  g_mutex_unlock (&root->lock);
  return data;
}

static void
pinned_unmap (GstMemory * memory)
{
}

static GstMemory *
pinned_share (GstMemory * memory, gssize offset, gssize size)
{
  GstMemory *parent = &find_root (memory)->parent;
  PinnedMemory *mem = g_new0 (PinnedMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (mem),
      GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, parent, memory->maxsize, memory->align,
      memory->offset + offset, size >= 0 ? (gsize) size
      : memory->size - offset);
  return GST_MEMORY_CAST (mem);
}

/* The copy is in ordinary memory, as pinning takes longer than it saves. */
static GstMemory *
pinned_copy (GstMemory * memory, gssize offset, gssize size)
{
  gsize n = size >= 0 ? (gsize) size : memory->size - offset;
  const guint8 *data = pinned_map (memory, n, GST_MAP_READ);
  GstMemory *copy = data != NULL ? gst_allocator_alloc (NULL, n, NULL) : NULL;
  GstMapInfo map;

  if (copy == NULL || !gst_memory_map (copy, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&copy, gst_memory_unref);
    return NULL;
  }
  memcpy (map.data, data + memory->offset + offset, n);
  gst_memory_unmap (copy, &map);
  return copy;
}

static void
gst_blockdct_pinned_finalize (GObject * object)
{
  gst_clear_object (&GST_BLOCKDCT_PINNED_ALLOCATOR (object)->owner);
  G_OBJECT_CLASS (gst_blockdct_pinned_parent_class)->finalize (object);
}

static void
gst_blockdct_pinned_class_init (GstBlockDctPinnedAllocatorClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize =
      GST_DEBUG_FUNCPTR (gst_blockdct_pinned_finalize);
  GST_ALLOCATOR_CLASS (klass)->alloc = GST_DEBUG_FUNCPTR (pinned_alloc);
  GST_ALLOCATOR_CLASS (klass)->free = GST_DEBUG_FUNCPTR (pinned_free);
}

static void
gst_blockdct_pinned_init (GstBlockDctPinnedAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = GST_DEBUG_FUNCPTR (pinned_map);
  allocator->mem_unmap = GST_DEBUG_FUNCPTR (pinned_unmap);
  allocator->mem_share = GST_DEBUG_FUNCPTR (pinned_share);
  allocator->mem_copy = GST_DEBUG_FUNCPTR (pinned_copy);
}

GstAllocator *
gst_blockdct_pinned_allocator_new (BdctBackend backend,
    BdctContext context, GstObject * owner)
{
  GstBlockDctPinnedAllocator *self =
      g_object_new (GST_TYPE_BLOCKDCT_PINNED_ALLOCATOR, NULL);

  gst_object_ref_sink (self);
  self->backend = backend;
  self->context = context;
  self->owner = gst_object_ref (owner);
  return GST_ALLOCATOR_CAST (self);
}

GstAllocator *
gst_blockdct_pinned_allocator_of_kind (GstAllocator * allocator,
    GstBlockDctPinnedKind kind)
{
  GstBlockDctPinnedAllocator *like = (GstBlockDctPinnedAllocator *) allocator;
  GstAllocator *made;

  if (!GST_IS_BLOCKDCT_PINNED_ALLOCATOR (allocator))
    return NULL;
  made = gst_blockdct_pinned_allocator_new (like->backend, like->context,
      like->owner);
  GST_BLOCKDCT_PINNED_ALLOCATOR (made)->kind = kind;
  return made;
}

/* The buffer's memory may be of another copy of this file, as that of the
 * plugin in a program. */
GstMapFlags
gst_blockdct_pinned_map_flag (GstBuffer * buffer, GstObject * owner,
    GstMapFlags access)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) == 1
      ? gst_buffer_peek_memory (buffer, 0) : NULL;
  GstBlockDctPinnedAllocator *self;
  PinnedMemory *root;
  gboolean ready;

  if (memory == NULL || !gst_memory_is_type (memory, MEMORY_TYPE))
    return 0;
  self = (GstBlockDctPinnedAllocator *) memory->allocator;
  if (self->kind == GST_BLOCKDCT_PINNED_ALONE || self->owner != owner)
    return 0;
  root = find_root (memory);
  g_mutex_lock (&root->lock);
  ready = root->on_device || access & GST_MAP_WRITE
      || self->kind == GST_BLOCKDCT_PINNED_SHARED;
  if (ready && root->device == NULL)
    root->device = bdct_memory_alloc (self->backend, &self->context,
        BDCT_MEMORY_DEVICE, root->parent.maxsize);
  ready = ready && root->device != NULL
      && (access & GST_MAP_WRITE || bring (root, TRUE));
  g_mutex_unlock (&root->lock);
  return ready ? MAP_ON_DEVICE : 0;
}

gboolean
gst_blockdct_pinned_allocator_refused (GstAllocator * allocator)
{
  return g_atomic_int_get (&GST_BLOCKDCT_PINNED_ALLOCATOR (allocator)->refused);
}
