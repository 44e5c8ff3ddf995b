/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory.h"

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smaller blocks come from GStreamer's own allocator. */
#define LARGE (1 << 20)

/* Larger blocks are first compared with the available memory, as malloc() does
 * not check that. A block may have 1/SHARE of it, to leave room for its planes
 * and levels. */
#define HUGE_SIZE (64 << 20)
#define SHARE 3

typedef GstAllocator MeasureAllocator;
typedef GstAllocatorClass MeasureAllocatorClass;

GType measure_allocator_get_type (void);
G_DEFINE_TYPE (MeasureAllocator, measure_allocator, GST_TYPE_ALLOCATOR);

static GstAllocator *small;
static gpointer refused;        /* atomic: bytes */

static gboolean
is_available (gsize size)
{
  FILE *file = fopen ("/proc/meminfo", "r");
  guint64 kb = G_MAXUINT64 / 1024;
  gchar line[128];

  while (file != NULL && fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "MemAvailable: %" G_GUINT64_FORMAT, &kb) == 1)
      break;
  if (file != NULL)
    fclose (file);
  return size <= kb * 1024 / SHARE;
}

static GstMemory *
allocate (GstAllocator * allocator, gsize size, GstAllocationParams * params)
{
  const gsize whole = params->prefix + size + params->padding;
  guint8 *data = NULL;

  (void) allocator;
  if (whole < LARGE)
    return gst_allocator_alloc (small, size, params);
  if ((whole >= HUGE_SIZE && !is_available (whole))
      || posix_memalign ((void **) &data, MAX (params->align + 1, 64),
          whole) != 0) {
    g_atomic_pointer_set (&refused, GSIZE_TO_POINTER (whole));
    return NULL;
  }
  /* Flags may ask for a zeroed prefix and padding. */
  memset (data, 0, params->prefix);
  memset (data + params->prefix + size, 0, params->padding);
  return gst_memory_new_wrapped (params->flags, data, whole, params->prefix,
      size, data, free);
}

static void
measure_allocator_class_init (MeasureAllocatorClass * klass)
{
  klass->alloc = allocate;
}

static void
measure_allocator_init (MeasureAllocator * allocator)
{
  (void) allocator;
}

void
measure_memory_init (void)
{
  small = gst_allocator_find (GST_ALLOCATOR_SYSMEM);
  gst_allocator_set_default (g_object_ref_sink (g_object_new
          (measure_allocator_get_type (), NULL)));
}

gboolean
measure_memory_explain (GError ** error)
{
  gsize bytes = GPOINTER_TO_SIZE (g_atomic_pointer_get (&refused));

  if (bytes == 0)
    return FALSE;
  g_atomic_pointer_set (&refused, NULL);
  g_clear_error (error);
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "a picture of it takes %" G_GSIZE_FORMAT " bytes, which do not fit into "
      "memory", bytes);
  return TRUE;
}
