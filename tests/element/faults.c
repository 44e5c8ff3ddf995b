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

/* The C library's; those first that are called all the time, and before
 * anything else. */

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

void *
malloc (size_t size)
{
  static __typeof__ (&malloc) real_malloc;

  if (real_malloc == NULL)
    real_malloc = REAL (malloc);
  if (!OURS ())
    return real_malloc (size);
  return fails ("malloc") ? NULL : keep (real_malloc (size));
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

void *
calloc (size_t n, size_t size)
{
  static __typeof__ (&calloc) real_calloc;

  if (real_calloc == NULL)
    real_calloc = REAL (calloc);
  if (!OURS ())
    return real_calloc (n, size);
  return fails ("calloc") ? NULL : keep (real_calloc (n, size));
}

void *
realloc (void *memory, size_t size)
{
  static __typeof__ (&realloc) real_realloc;

  if (real_realloc == NULL)
    real_realloc = REAL (realloc);
  if (!OURS ())
    return real_realloc (memory, size);
  if (fails ("realloc"))
    return NULL;
  forget (memory);
  return keep (real_realloc (memory, size));
}
#endif

void *
aligned_alloc (size_t alignment, size_t size)
{
  if (!OURS ())
    return REAL (aligned_alloc) (alignment, size);
  return fails ("aligned_alloc") ? NULL
      : keep (REAL (aligned_alloc) (alignment, size));
}

int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*func) (void *), void *data)
{
  return OURS () && fails ("pthread_create") ? EAGAIN
      : REAL (pthread_create) (thread, attributes, func, data);
}

/* GLib's that may fail */

gpointer
g_try_malloc (gsize size)
{
  if (!OURS ())
    return REAL (g_try_malloc) (size);
  return fails ("g_try_malloc") ? NULL : keep (REAL (g_try_malloc) (size));
}

gpointer
g_try_malloc0 (gsize size)
{
  if (!OURS ())
    return REAL (g_try_malloc0) (size);
  return fails ("g_try_malloc0") ? NULL : keep (REAL (g_try_malloc0) (size));
}

gpointer
g_try_malloc0_n (gsize n, gsize size)
{
  if (!OURS ())
    return REAL (g_try_malloc0_n) (n, size);
  return fails ("g_try_malloc0_n") ? NULL
      : keep (REAL (g_try_malloc0_n) (n, size));
}

GThread *
g_thread_try_new (const gchar * name, GThreadFunc func, gpointer data,
    GError ** error)
{
  if (!OURS () || !fails ("g_thread_try_new"))
    return REAL (g_thread_try_new) (name, func, data, error);
  g_set_error_literal (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN,
      g_strerror (EAGAIN));
  return NULL;
}

/* GLib's that end the program instead */

static gpointer
keep_large (gpointer memory, gsize size)
{
  pthread_mutex_lock (&lock);
  faults.largest = MAX (faults.largest, size);
  pthread_mutex_unlock (&lock);
  return keep (memory);
}

gpointer
g_malloc (gsize size)
{
  gpointer memory = REAL (g_malloc) (size);

  return OURS () ? keep_large (memory, size) : memory;
}

gpointer
g_malloc0 (gsize size)
{
  gpointer memory = REAL (g_malloc0) (size);

  return OURS () ? keep_large (memory, size) : memory;
}

gpointer
g_malloc0_n (gsize n, gsize size)
{
  gpointer memory = REAL (g_malloc0_n) (n, size);

  return OURS () ? keep_large (memory, n * size) : memory;
}

/* GStreamer's */

GstBuffer *
gst_buffer_new_allocate (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  return OURS () && fails ("gst_buffer_new_allocate") ? NULL
      : REAL (gst_buffer_new_allocate) (allocator, size, params);
}

gboolean
gst_buffer_map (GstBuffer * buffer, GstMapInfo * map, GstMapFlags flags)
{
  return OURS () && fails ("gst_buffer_map") ? FALSE
      : REAL (gst_buffer_map) (buffer, map, flags);
}

gboolean
gst_buffer_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  if (!OURS () || !fails ("gst_buffer_pool_set_config"))
    return REAL (gst_buffer_pool_set_config) (pool, config);
  gst_structure_free (config);
  return FALSE;
}

gboolean
gst_video_frame_map (GstVideoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags)
{
  return OURS () && fails ("gst_video_frame_map") ? FALSE
      : REAL (gst_video_frame_map) (frame, info, buffer, flags);
}
