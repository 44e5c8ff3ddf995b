/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdcthost.h"

#include <string.h>

/* An engine's memory begins a page. */
#define MAX_ALIGN 4095

typedef struct
{
  GstMemory parent;
  guint8 *data;
} HostMemory;

#define GST_TYPE_BLOCKDCT_HOST_ALLOCATOR \
  (gst_blockdct_host_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctHostAllocator, gst_blockdct_host_allocator,
    GST, BLOCKDCT_HOST_ALLOCATOR, GstAllocator);

struct _GstBlockDctHostAllocator
{
  GstAllocator parent;

  const BdctEngineClass *klass;
  BdctContext context;
  GstObject *owner;
  gint refused;                 /* atomic */
};

G_DEFINE_FINAL_TYPE (GstBlockDctHostAllocator, gst_blockdct_host_allocator,
    GST_TYPE_ALLOCATOR);

static GstMemory *
host_alloc (GstAllocator * allocator, gsize size, GstAllocationParams * params)
{
  GstBlockDctHostAllocator *self = GST_BLOCKDCT_HOST_ALLOCATOR (allocator);
  gsize max_size = params->prefix + size + params->padding;
  HostMemory *mem;
  guint8 *data;

  if (params->align > MAX_ALIGN)
    return gst_allocator_alloc (NULL, size, params);
  data = self->klass->alloc_host (&self->context, max_size);
  if (data == NULL) {
    g_atomic_int_set (&self->refused, TRUE);
    return gst_allocator_alloc (NULL, size, params);
  }
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (data + params->prefix + size, 0, params->padding);
  mem = g_new0 (HostMemory, 1);
  gst_memory_init (GST_MEMORY_CAST (mem), params->flags, allocator, NULL,
      max_size, params->align, params->prefix, size);
  mem->data = data;
  return GST_MEMORY_CAST (mem);
}

static void
host_free (GstAllocator * allocator, GstMemory * memory)
{
  GstBlockDctHostAllocator *self = GST_BLOCKDCT_HOST_ALLOCATOR (allocator);

  /* What is shared is the parent's. */
  if (memory->parent == NULL)
    self->klass->free_host (&self->context, ((HostMemory *) memory)->data);
  g_free (memory);
}

static gpointer
host_map (GstMemory * memory, gsize max_size, GstMapFlags flags)
{
  (void) max_size, (void) flags;
  return ((HostMemory *) memory)->data;
}

static void
host_unmap (GstMemory * memory)
{
  (void) memory;
}

static GstMemory *
host_share (GstMemory * memory, gssize offset, gssize size)
{
  GstMemory *parent = memory->parent != NULL ? memory->parent : memory;
  HostMemory *mem = g_new0 (HostMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (mem),
      GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, parent, memory->maxsize, memory->align,
      memory->offset + offset, size >= 0 ? (gsize) size
      : memory->size - offset);
  mem->data = ((HostMemory *) memory)->data;
  return GST_MEMORY_CAST (mem);
}

/* To ordinary memory: pinning takes longer than any copy gains by it. */
static GstMemory *
host_copy (GstMemory * memory, gssize offset, gssize size)
{
  gsize n = size >= 0 ? (gsize) size : memory->size - offset;
  GstMemory *copy = gst_allocator_alloc (NULL, n, NULL);
  GstMapInfo map;

  if (copy == NULL || !gst_memory_map (copy, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&copy, gst_memory_unref);
    return NULL;
  }
  memcpy (map.data, ((HostMemory *) memory)->data + memory->offset + offset,
      n);
  gst_memory_unmap (copy, &map);
  return copy;
}

static void
gst_blockdct_host_allocator_finalize (GObject * object)
{
  gst_clear_object (&GST_BLOCKDCT_HOST_ALLOCATOR (object)->owner);
  G_OBJECT_CLASS (gst_blockdct_host_allocator_parent_class)->finalize (object);
}

static void
gst_blockdct_host_allocator_class_init (GstBlockDctHostAllocatorClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize =
      GST_DEBUG_FUNCPTR (gst_blockdct_host_allocator_finalize);
  GST_ALLOCATOR_CLASS (klass)->alloc = GST_DEBUG_FUNCPTR (host_alloc);
  GST_ALLOCATOR_CLASS (klass)->free = GST_DEBUG_FUNCPTR (host_free);
}

static void
gst_blockdct_host_allocator_init (GstBlockDctHostAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = "BlockDctHostMemory";
  allocator->mem_map = GST_DEBUG_FUNCPTR (host_map);
  allocator->mem_unmap = GST_DEBUG_FUNCPTR (host_unmap);
  allocator->mem_share = GST_DEBUG_FUNCPTR (host_share);
  allocator->mem_copy = GST_DEBUG_FUNCPTR (host_copy);
}

GstAllocator *
gst_blockdct_host_allocator_new (const BdctEngineClass * klass,
    BdctContext context, GstObject * owner)
{
  GstBlockDctHostAllocator *self =
      g_object_new (GST_TYPE_BLOCKDCT_HOST_ALLOCATOR, NULL);

  gst_object_ref_sink (self);
  self->klass = klass;
  self->context = context;
  self->owner = gst_object_ref (owner);
  return GST_ALLOCATOR_CAST (self);
}

gboolean
gst_blockdct_host_allocator_refused (GstAllocator * allocator)
{
  return g_atomic_int_get (&GST_BLOCKDCT_HOST_ALLOCATOR (allocator)->refused);
}
