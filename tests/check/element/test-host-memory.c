/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The allocator of an engine's host memory, with an engine that only counts,
 * and refuses on demand. */
#include <gst/gst.h>
#include <stdlib.h>
#include "gst-plugin/gstblockdcthost.h"

static gint n_allocated, contexts;
static gboolean refuse;

static void *
alloc_host (const BdctContext * context, size_t size)
{
  void *memory = NULL;

  g_assert_true (context->data == &contexts);
  if (refuse || posix_memalign (&memory, 4096, size) != 0)
    return NULL;
  n_allocated++;
  return memory;
}

static void
free_host (const BdctContext * context, void *memory)
{
  g_assert_true (context->data == &contexts);
  n_allocated--;
  free (memory);
}

static const BdctEngineClass klass = {
  .alloc_host = alloc_host,
  .free_host = free_host,
};

/* The allocator keeps the owner, as memory keeps the allocator. */
static GstAllocator *
make_allocator (GstObject ** owner)
{
  GstAllocator *allocator;

  refuse = FALSE;
  *owner = gst_object_ref_sink (g_object_new (GST_TYPE_BUFFER_POOL, NULL));
  allocator = gst_blockdct_host_allocator_new (&klass, (BdctContext) {
      NULL, NULL, &contexts}, *owner);
  g_object_add_weak_pointer (G_OBJECT (*owner), (gpointer *) owner);
  gst_object_unref (*owner);
  g_assert_nonnull (*owner);
  return allocator;
}

static void
test_memory (void)
{
  GstObject *owner;
  GstAllocator *allocator = make_allocator (&owner);
  GstAllocationParams params = {
    .flags = GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED,
    .align = 63,.prefix = 64,.padding = 32
  };
  GstMemory *mem = gst_allocator_alloc (allocator, 1000, &params);
  GstMemory *part, *copy;
  GstMapInfo map;

  g_assert_nonnull (mem);
  g_assert_cmpint (n_allocated, ==, 1);
  gst_object_unref (allocator);
  g_assert_nonnull (owner);
  g_assert_true (gst_memory_map (mem, &map, GST_MAP_WRITE));
  g_assert_cmpuint (map.size, ==, 1000);
  g_assert_cmpuint (((guintptr) map.data) & 63, ==, 0);
  for (guint i = 0; i < 1000; i++)
    map.data[i] = i;
  for (guint i = 1; i <= 64; i++)
    g_assert_cmpuint (map.data[-(gint) i], ==, 0);
  for (guint i = 0; i < 32; i++)
    g_assert_cmpuint (map.data[1000 + i], ==, 0);
  gst_memory_unmap (mem, &map);

  part = gst_memory_share (mem, 100, 50);
  copy = gst_memory_copy (mem, 200, 10);
  gst_memory_unref (mem);
  g_assert_cmpint (n_allocated, ==, 1);
  g_assert_true (gst_memory_map (part, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, ==, 50);
  g_assert_cmpuint (map.data[3], ==, 103);
  gst_memory_unmap (part, &map);
  g_assert_true (gst_memory_map (copy, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, ==, 10);
  g_assert_cmpuint (map.data[3], ==, 203);
  gst_memory_unmap (copy, &map);
  gst_memory_unref (copy);
  gst_memory_unref (part);
  g_assert_cmpint (n_allocated, ==, 0);
  g_assert_null (owner);
}

static void
test_refused (void)
{
  GstObject *owner;
  GstAllocator *allocator = make_allocator (&owner);
  GstMemory *mem;
  GstMapInfo map;

  g_assert_false (gst_blockdct_host_allocator_refused (allocator));
  refuse = TRUE;
  mem = gst_allocator_alloc (allocator, 1000, NULL);
  g_assert_nonnull (mem);
  g_assert_true (gst_blockdct_host_allocator_refused (allocator));
  g_assert_cmpint (n_allocated, ==, 0);
  g_assert_true (gst_memory_map (mem, &map, GST_MAP_WRITE));
  g_assert_cmpuint (map.size, ==, 1000);
  gst_memory_unmap (mem, &map);
  gst_memory_unref (mem);
  gst_object_unref (allocator);
  g_assert_null (owner);
}

/* More than a page is not the engine's to give; that is no refusal. */
static void
test_align (void)
{
  GstObject *owner;
  GstAllocator *allocator = make_allocator (&owner);
  GstAllocationParams params = {.align = 8191 };
  GstMemory *mem = gst_allocator_alloc (allocator, 1000, &params);
  GstMapInfo map;

  g_assert_nonnull (mem);
  g_assert_cmpint (n_allocated, ==, 0);
  g_assert_false (gst_blockdct_host_allocator_refused (allocator));
  g_assert_true (gst_memory_map (mem, &map, GST_MAP_WRITE));
  g_assert_cmpuint (((guintptr) map.data) & 8191, ==, 0);
  gst_memory_unmap (mem, &map);
  gst_memory_unref (mem);
  gst_object_unref (allocator);
  g_assert_null (owner);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/element/host-memory/memory", test_memory);
  g_test_add_func ("/element/host-memory/refused", test_refused);
  g_test_add_func ("/element/host-memory/align", test_align);
  return g_test_run ();
}
