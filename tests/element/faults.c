/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE             /* dl_iterate_phdr, RTLD_NEXT */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <gst/video/video.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEPT 4096

/* As they are declared, so that the compiler knows them. */
#define REAL(func) ((__typeof__ (&func)) real (#func))
#define OURS() is_ours (__builtin_return_address (0))

Faults faults;

/* The code of the plugin and of its library. */
static struct
{
  const gchar *name;
  guintptr begin, end;
} ours[] = { {"libgstblockdct.so", 0, 0}, {"libblockdct.so", 0, 0} };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept[MAX_KEPT];
static guint n_kept;

static gpointer
real (const gchar * name)
{
  gpointer func = dlsym (RTLD_NEXT, name);

  if (func == NULL)
    abort ();
  return func;
}

static int
find_code (struct dl_phdr_info *info, size_t size, void *data)
{
  (void) size, (void) data;
  for (guint k = 0; k < G_N_ELEMENTS (ours); k++)
    for (guint i = 0; i < info->dlpi_phnum
        && strstr (info->dlpi_name, ours[k].name) != NULL; i++)
      if (info->dlpi_phdr[i].p_type == PT_LOAD
          && info->dlpi_phdr[i].p_flags & PF_X) {
        ours[k].begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        ours[k].end = ours[k].begin + info->dlpi_phdr[i].p_memsz;
      }
  return 0;
}

void
faults_init (guint first, gboolean all)
{
  dl_iterate_phdr (find_code, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (ours); k++)
    g_assert_cmpuint (ours[k].begin, <, ours[k].end);
  pthread_mutex_lock (&lock);
  faults = (Faults) {.first = first,.all = all};
  pthread_mutex_unlock (&lock);
}

guint
faults_outstanding (void)
{
  guint n;

  pthread_mutex_lock (&lock);
  n = n_kept;
  pthread_mutex_unlock (&lock);
  return n;
}

static gboolean
is_ours (gpointer address)
{
  for (guint k = 0; k < G_N_ELEMENTS (ours); k++)
    if ((guintptr) address >= ours[k].begin
        && (guintptr) address < ours[k].end)
      return TRUE;
  return FALSE;
}

/* Count a call of the plugin's; whether it fails. */
static gboolean
fails (const gchar * call)
{
  gboolean ret;

  pthread_mutex_lock (&lock);
  faults.calls++;
  ret = faults.first != 0 && (faults.calls == faults.first
      || (faults.all && faults.calls > faults.first));
  if (ret) {
    faults.failed++;
    faults.call = call;
  }
  pthread_mutex_unlock (&lock);
  return ret;
}

static gpointer
keep (gpointer memory)
{
  if (memory == NULL || !FAULTS_MALLOC)
    return memory;
  pthread_mutex_lock (&lock);
  if (n_kept == MAX_KEPT)
    abort ();
  kept[n_kept++] = memory;
  pthread_mutex_unlock (&lock);
  return memory;
}

#if FAULTS_MALLOC
static void
forget (gpointer memory)
{
  pthread_mutex_lock (&lock);
  for (guint i = 0; i < n_kept; i++)
    if (kept[i] == memory) {
      kept[i] = kept[--n_kept];
      break;
    }
  pthread_mutex_unlock (&lock);
}

void
free (void *memory)
{
  static __typeof__ (&free) real_free;

  if (real_free == NULL)
    real_free = REAL (free);
  if (memory != NULL && n_kept > 0)
    forget (memory);
  real_free (memory);
}
#endif

/* The plugin's call fails, or `done` is done with what it returns. */
#define FAIL(type, func, parameters, arguments, failure, done) \
  type \
  func parameters \
  { \
    static __typeof__ (&func) func##_real; \
 \
    if (func##_real == NULL) \
      func##_real = REAL (func); \
    if (!OURS ()) \
      return func##_real arguments; \
    return fails (#func) ? failure : done (func##_real arguments); \
  }

/* What must not fail ends the program instead. */
#define MEASURE(func, parameters, arguments, size) \
  gpointer \
  func parameters \
  { \
    gpointer memory = REAL (func) arguments; \
 \
    return OURS () ? keep_large (memory, size) : memory; \
  }

static gpointer
keep_large (gpointer memory, gsize size)
{
  pthread_mutex_lock (&lock);
  faults.largest = MAX (faults.largest, size);
  pthread_mutex_unlock (&lock);
  return keep (memory);
}

/* The C library's: those that the plugin has, as have the next. */

#if FAULTS_MALLOC
FAIL (void *, malloc, (size_t size), (size), NULL, keep)
FAIL (void *, calloc, (size_t n, size_t size), (n, size), NULL, keep)
#endif
FAIL (void *, aligned_alloc, (size_t alignment, size_t size),
    (alignment, size), NULL, keep)
FAIL (int, pthread_create, (pthread_t * thread,
        const pthread_attr_t * attributes, void *(*func) (void *), void *data),
    (thread, attributes, func, data), EAGAIN,)

/* GLib's */

FAIL (gpointer, g_try_malloc0_n, (gsize n, gsize size), (n, size), NULL, keep)
MEASURE (g_malloc, (gsize size), (size), size)
MEASURE (g_malloc0, (gsize size), (size), size)
MEASURE (g_malloc_n, (gsize n, gsize size), (n, size), n * size)

/* GStreamer's */

FAIL (GstBuffer *, gst_buffer_new_allocate, (GstAllocator * allocator,
        gsize size, GstAllocationParams * params), (allocator, size, params),
    NULL,)
FAIL (gboolean, gst_buffer_map, (GstBuffer * buffer, GstMapInfo * map,
        GstMapFlags flags), (buffer, map, flags), FALSE,)
FAIL (gboolean, gst_video_frame_map, (GstVideoFrame * frame,
        const GstVideoInfo * info, GstBuffer * buffer, GstMapFlags flags),
    (frame, info, buffer, flags), FALSE,)

gboolean
gst_buffer_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  if (!OURS () || !fails ("gst_buffer_pool_set_config"))
    return REAL (gst_buffer_pool_set_config) (pool, config);
  gst_structure_free (config);
  return FALSE;
}
