/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The allocator of an engine's host memory, with functions in the library's
 * place that only count, and refuse on demand. */
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpinned.h"

static gint n_allocated, contexts;
static gint n_uploads, n_downloads;
static gboolean refuse, refuse_device;

/* In place of the library's. */
void *
bdct_memory_alloc (BdctBackend backend, const BdctContext * context,
    BdctMemory kind, size_t size)
{
  void *memory = NULL;

  g_assert_cmpint (backend, ==, BDCT_BACKEND_CUDA);
  g_assert_true (context->data == &contexts);
  if (refuse || (kind == BDCT_MEMORY_DEVICE && refuse_device)
      || posix_memalign (&memory, 4096, size) != 0)
    return NULL;
  n_allocated++;
  return memory;
}

void
bdct_memory_free (BdctBackend backend, const BdctContext * context,
    BdctMemory kind, void *memory)
{
  (void) kind;
  g_assert_cmpint (backend, ==, BDCT_BACKEND_CUDA);
  g_assert_true (context->data == &contexts);
  n_allocated -= memory != NULL;
  free (memory);
}

bool
bdct_memory_copy (BdctBackend backend, const BdctContext * context,
    void *device, void *host, size_t size, bool to_device)
{
  g_assert_cmpint (backend, ==, BDCT_BACKEND_CUDA);
  g_assert_true (context->data == &contexts);
  memcpy (to_device ? device : host, to_device ? host : device, size);
  *(to_device ? &n_uploads : &n_downloads) += 1;
  return true;
}

/* The allocator keeps the owner, as memory keeps the allocator. */
static GstAllocator *
make_allocator (GstObject ** owner)
{
  GstAllocator *allocator;

  refuse = FALSE;
  *owner = gst_object_ref_sink (g_object_new (GST_TYPE_BUFFER_POOL, NULL));
  allocator = gst_blockdct_pinned_allocator_new (BDCT_BACKEND_CUDA,
      (BdctContext) { NULL, NULL, &contexts}, *owner);
  g_object_add_weak_pointer (G_OBJECT (*owner), (gpointer *) owner);
  gst_object_unref (*owner);
  g_assert_nonnull (*owner);
  return allocator;
}

/* A memory has this size, and this byte at `i`. */
static void
check_byte (GstMemory * memory, gsize size, guint i, guint8 value)
{
  GstMapInfo map;

  g_assert_true (gst_memory_map (memory, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, ==, size);
  g_assert_cmpuint (map.data[i], ==, value);
  gst_memory_unmap (memory, &map);
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
  check_byte (part, 50, 3, 103);
  check_byte (copy, 10, 3, 203);
  gst_memory_unref (copy);
  gst_memory_unref (part);
  g_assert_cmpint (n_allocated, ==, 0);
  g_assert_null (owner);
}

/* What the engine refuses is the host's own memory, and so is what is aligned
 * to more than a page, which is no refusal. */
static void
test_refused (void)
{
  GstAllocationParams params = {.align = 8191 };

  for (guint refused = 0; refused < 2; refused++) {
    GstObject *owner;
    GstAllocator *allocator = make_allocator (&owner);
    GstMemory *mem;
    GstMapInfo map;

    refuse = refused;
    g_assert_false (gst_blockdct_pinned_allocator_refused (allocator));
    mem = gst_allocator_alloc (allocator, 1000, refused ? NULL : &params);
    g_assert_nonnull (mem);
    g_assert_cmpint (gst_blockdct_pinned_allocator_refused (allocator), ==,
        refused);
    g_assert_cmpint (n_allocated, ==, 0);
    g_assert_true (gst_memory_map (mem, &map, GST_MAP_WRITE));
    g_assert_cmpuint (map.size, ==, 1000);
    if (!refused)
      g_assert_cmpuint (((guintptr) map.data) & 8191, ==, 0);
    gst_memory_unmap (mem, &map);
    gst_memory_unref (mem);
    gst_object_unref (allocator);
    g_assert_null (owner);
  }
}

#define SIZE 1000

static const GstBlockDctPinnedKind kinds[] = {
  GST_BLOCKDCT_PINNED_ALONE, GST_BLOCKDCT_PINNED_WRITTEN,
  GST_BLOCKDCT_PINNED_SHARED
};

/* A buffer of a kind of memory, whose owner is `*owner`. */
static GstBuffer *
make_buffer (GstBlockDctPinnedKind kind, GstObject ** owner)
{
  GstAllocator *allocator = make_allocator (owner);
  GstAllocator *other = gst_blockdct_pinned_allocator_of_kind (allocator, kind);
  GstBuffer *buffer = gst_buffer_new_allocate (other, SIZE, NULL);

  g_assert_nonnull (buffer);
  gst_object_unref (allocator);
  gst_object_unref (other);
  n_uploads = n_downloads = 0;
  return buffer;
}

static void
assert_copies (gint uploads, gint downloads)
{
  g_assert_cmpint (n_uploads, ==, uploads);
  g_assert_cmpint (n_downloads, ==, downloads);
}

/* Have every byte be `value`, written on the host, or by an engine where it
 * finds the memory. Returns where that was. */
static gboolean
write_all (GstBuffer * buffer, GstObject * engine, guint8 value)
{
  const GstMapFlags flag = engine == NULL ? 0
      : gst_blockdct_pinned_map_flag (buffer, engine, GST_MAP_WRITE);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE | flag));
  memset (map.data, value, map.size);
  gst_buffer_unmap (buffer, &map);
  return flag != 0;
}

static gboolean
read_all (GstBuffer * buffer, GstObject * engine, guint8 value)
{
  const GstMapFlags flag = engine == NULL ? 0
      : gst_blockdct_pinned_map_flag (buffer, engine, GST_MAP_READ);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ | flag));
  g_assert_cmpuint (map.size, ==, SIZE);
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpuint (map.data[i], ==, value);
  gst_buffer_unmap (buffer, &map);
  return flag != 0;
}

/* Who reads finds what was written last, and it is copied at most once. */
static void
test_device (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const gboolean written = kinds[i] != GST_BLOCKDCT_PINNED_ALONE;
    const gboolean shared = kinds[i] == GST_BLOCKDCT_PINNED_SHARED;
    GstObject *owner;
    GstBuffer *buffer = make_buffer (kinds[i], &owner);

    g_assert_false (write_all (buffer, NULL, 1));
    g_assert_cmpint (read_all (buffer, owner, 1), ==, shared);
    g_assert_cmpint (read_all (buffer, owner, 1), ==, shared);
    assert_copies (shared, 0);
    g_assert_cmpint (write_all (buffer, owner, 2), ==, written);
    g_assert_cmpint (read_all (buffer, owner, 2), ==, written);
    assert_copies (shared, 0);
    g_assert_false (read_all (buffer, NULL, 2));
    g_assert_false (read_all (buffer, NULL, 2));
    assert_copies (shared, written);
    g_assert_false (write_all (buffer, NULL, 3));
    g_assert_cmpint (read_all (buffer, owner, 3), ==, shared);
    assert_copies (2 * shared, written);
    gst_buffer_unref (buffer);
    g_assert_cmpint (n_allocated, ==, 0);
    g_assert_null (owner);
  }
}

/* A part that is written on the host, a part that is read, and a copy. */
static void
test_device_parts (void)
{
  GstObject *owner;
  GstBuffer *buffer = make_buffer (GST_BLOCKDCT_PINNED_WRITTEN, &owner);
  GstMemory *memory, *part, *copied;
  GstMapInfo map;
  guint8 bytes[SIZE];

  g_assert_true (write_all (buffer, owner, 1));
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  map.data[0] = 2;
  gst_buffer_unmap (buffer, &map);
  assert_copies (0, 1);
  memset (bytes, 1, SIZE);
  bytes[0] = 2;
  g_assert_cmpint (gst_buffer_memcmp (buffer, 0, bytes, SIZE), ==, 0);

  g_assert_true (write_all (buffer, owner, 4));
  memory = gst_buffer_get_memory (buffer, 0);
  part = gst_memory_share (memory, 100, 50);
  copied = gst_memory_copy (memory, 200, 10);
  assert_copies (0, 2);
  check_byte (part, 50, 49, 4);
  check_byte (copied, 10, 9, 4);
  assert_copies (0, 2);
  gst_memory_unref (copied);
  gst_memory_unref (memory);
  gst_buffer_unref (buffer);
  gst_memory_unref (part);
  g_assert_cmpint (n_allocated, ==, 0);
}

/* Without memory on the device, and for an engine of another one, it is memory
 * on the host. */
static void
test_device_refused (void)
{
  GstObject *owner, *other = gst_object_ref_sink (g_object_new
      (GST_TYPE_BUFFER_POOL, NULL));
  GstBuffer *buffer = make_buffer (GST_BLOCKDCT_PINNED_SHARED, &owner);

  g_assert_false (write_all (buffer, other, 1));
  g_assert_false (read_all (buffer, other, 1));
  refuse_device = TRUE;
  g_assert_false (write_all (buffer, owner, 2));
  g_assert_false (read_all (buffer, owner, 2));
  refuse_device = FALSE;
  g_assert_true (read_all (buffer, owner, 2));
  assert_copies (1, 0);
  gst_object_unref (other);
  gst_buffer_unref (buffer);
  g_assert_cmpint (n_allocated, ==, 0);
}

/* Several engines read at a time. */
typedef struct
{
  GstBuffer *buffer;
  GstObject *owner;
} Shared;

static gpointer
read_in_thread (gpointer data)
{
  const Shared *shared = data;

  for (guint i = 0; i < 1000; i++) {
    g_assert_true (read_all (shared->buffer, shared->owner, 5));
    g_assert_false (read_all (shared->buffer, NULL, 5));
  }
  return NULL;
}

static void
test_device_threads (void)
{
  Shared shared;
  GThread *threads[4];

  shared.buffer = make_buffer (GST_BLOCKDCT_PINNED_SHARED, &shared.owner);
  g_assert_false (write_all (shared.buffer, NULL, 5));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_in_thread, &shared);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  assert_copies (1, 0);
  gst_buffer_unref (shared.buffer);
  g_assert_cmpint (n_allocated, ==, 0);
}

/* Memory of others is pinned when it comes again with another frame, until it
 * is freed. */
static gint n_tried, n_pinned;

static gboolean
pin (GstObject * context, gpointer data, gsize size)
{
  g_assert_nonnull (context);
  g_assert_nonnull (data);
  n_tried += size > 0;
  if (size > 0 && refuse)
    return FALSE;
  n_pinned += size > 0 ? 1 : -1;
  return TRUE;
}

/* What is pinned after a memory has come with these times. */
static void
check_foreign (guint width, const GstClockTime * pts, guint n, gint tried,
    gint pinned)
{
  const GstBlockDctBackendClass klass = {.pin = pin };
  GstObject *context = gst_object_ref_sink (gst_element_factory_make ("queue",
          NULL));
  const GstBlockDctBackend backend = {.klass = &klass,.context = context };
  GstMemory *memory;
  GstVideoInfo info;
  BdctLayout layout;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, width, 512);
  gst_blockdct_format_layout (&info, BDCT_CHROMA_444, &layout);
  memory = gst_allocator_alloc (NULL, info.size, NULL);
  n_tried = 0;
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_new ();
    GstVideoFrame frame;
    BdctImage image;
    void *wait;

    gst_buffer_append_memory (buffer, gst_memory_ref (memory));
    GST_BUFFER_PTS (buffer) = pts[i];
    g_assert_true (gst_blockdct_backend_map (&backend, &frame, &info, &layout,
            buffer, GST_MAP_READ, &image, &wait));
    gst_video_frame_unmap (&frame);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpint (n_tried, ==, tried);
  g_assert_cmpint (n_pinned, ==, pinned);
  gst_memory_unref (memory);
  g_assert_cmpint (n_pinned, ==, 0);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (context), ==, 1);
  gst_object_unref (context);
}

static void
test_foreign (void)
{
  static const GstClockTime times[] = { 1, 1, 1, 2, 3, 4 };
  static const GstClockTime none[] = { GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE
  };

  refuse = FALSE;
  check_foreign (1024, times, 3, 0, 0);
  check_foreign (1024, times, 6, 1, 1);
  check_foreign (1024, none, 2, 0, 0);
  check_foreign (64, times, 6, 0, 0);
  refuse = TRUE;
  check_foreign (1024, times, 6, 1, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/element/pinned-memory/memory", test_memory);
  g_test_add_func ("/element/pinned-memory/refused", test_refused);
  g_test_add_func ("/element/pinned-memory/device", test_device);
  g_test_add_func ("/element/pinned-memory/device-parts", test_device_parts);
  g_test_add_func ("/element/pinned-memory/device-refused",
      test_device_refused);
  g_test_add_func ("/element/pinned-memory/device-threads",
      test_device_threads);
  g_test_add_func ("/element/pinned-memory/foreign", test_foreign);
  return g_test_run ();
}
