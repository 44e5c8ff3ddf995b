/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend: everything that uses libgstcuda. */
#include "gstblockdctbackend.h"

#include <gmodule.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

/* Looked up at run time; NULL where they are absent. From 1.24 on, memory may
 * have a stream in which work on it is pending, and this plugin is built on
 * 1.22 or later; and libgstcuda's loader has no functions for pinning. */
static gpointer (*cuda_memory_get_stream) (GstCudaMemory * mem);
static gpointer (*cuda_stream_get_handle) (gpointer stream);
static CUresult (*host_register) (gpointer data, gsize size, guint flags);
static CUresult (*host_unregister) (gpointer data);

static void
look_up (const gchar * library, const gchar * name, gpointer * function)
{
  GModule *module = g_module_open (library, G_MODULE_BIND_LAZY);

  if (module == NULL)
    return;
  if (!g_module_symbol (module, name, function))
    *function = NULL;
  g_module_make_resident (module);
  g_module_close (module);
}

static gpointer
load_cuda (gpointer unused)
{
  if (!gst_cuda_load_library ())
    return NULL;
  gst_cuda_memory_init_once ();
  look_up ("libgstcuda-1.0.so.0", "gst_cuda_memory_get_stream",
      (gpointer *) & cuda_memory_get_stream);
  look_up ("libgstcuda-1.0.so.0", "gst_cuda_stream_get_handle",
      (gpointer *) & cuda_stream_get_handle);
  look_up ("libcuda.so.1", "cuMemHostRegister_v2",
      (gpointer *) & host_register);
  look_up ("libcuda.so.1", "cuMemHostUnregister",
      (gpointer *) & host_unregister);
  return GINT_TO_POINTER (TRUE);
}

/* Load libcuda and register the CUDA allocator, before any other call. */
static gboolean
ensure_loaded (BdctError * error)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, load_cuda, NULL);
  if (once.retval == NULL)
    return gst_blockdct_fail (error,
        "the NVIDIA driver (libcuda) cannot be loaded");
  return TRUE;
}

static bool
enter_context (void *data)
{
  return gst_cuda_context_push (data);
}

static void
leave_context (void *data)
{
  gst_cuda_context_pop (NULL);
}

static BdctContext
cuda_engine_context (GstObject * context)
{
  return (BdctContext) {
  enter_context, leave_context, context};
}

/* A bin keeps the context that its elements share, and offers it to new
 * elements even when the context is lost: replace it. */
static gboolean
renew_context (GstBlockDctBackend * backend, BdctError * error)
{
  GstCudaContext *fresh;
  guint id;

  g_object_get (backend->context, "cuda-device-id", &id, NULL);
  fresh = gst_cuda_context_new (id);
  if (fresh == NULL)
    return gst_blockdct_fail (error,
        "the CUDA context is lost, and device %u does not give a new one; "
        "restart the program", id);
  GST_WARNING_OBJECT (backend->element, "%" GST_PTR_FORMAT " is lost; %"
      GST_PTR_FORMAT " takes its place", backend->context, fresh);
  gst_blockdct_backend_set_context (backend, GST_OBJECT (fresh));
  gst_element_post_message (backend->element, gst_message_new_have_context
      (GST_OBJECT (backend->element), gst_context_new_cuda_context (fresh)));
  gst_object_unref (fresh);
  return TRUE;
}

static gboolean
cuda_open (GstBlockDctBackend * backend, gint device_id, BdctError * error)
{
  /* First, because libgstcuda must not look for a device that does not
   * exist. */
  gint n_devices = bdct_backend_count_devices (BDCT_BACKEND_CUDA, error);
  BdctContext shared;

  if (n_devices == 0 || !ensure_loaded (error))
    return FALSE;
  if (device_id >= n_devices)
    return gst_blockdct_fail (error, "cuda-device-id %d is outside 0 to %d",
        device_id, n_devices - 1);
  if (!gst_cuda_ensure_element_context (backend->element, device_id,
          (GstCudaContext **) & backend->context))
    return gst_blockdct_fail (error, "no CUDA context on device %d; its "
        "memory may be full", MAX (device_id, 0));
  shared = cuda_engine_context (backend->context);
  return !bdct_backend_is_lost (BDCT_BACKEND_CUDA, &shared)
      || renew_context (backend, error);
}

static void
cuda_set_context (GstElement * element, GstContext * gst_context,
    gint device_id, GstObject ** context)
{
  if (ensure_loaded (NULL))
    gst_cuda_handle_set_context (element, gst_context, device_id,
        (GstCudaContext **) context);
}

static gboolean
cuda_query_context (GstElement * element, GstQuery * query,
    GstObject * context)
{
  return GST_IS_CUDA_CONTEXT (context)
      && gst_cuda_handle_context_query (element, query,
      GST_CUDA_CONTEXT (context));
}

/* The buffer's CUDA memory; NULL if it has another kind of memory. */
static GstCudaMemory *
peek_cuda_memory (GstBuffer * buffer)
{
  GstMemory *mem;

  if (gst_buffer_n_memory (buffer) != 1)
    return NULL;
  mem = gst_buffer_peek_memory (buffer, 0);
  return gst_is_cuda_memory (mem) ? GST_CUDA_MEMORY_CAST (mem) : NULL;
}

static GstObject *
cuda_other_context (GstBuffer * buffer, GstObject * context, gint device_id)
{
  GstCudaMemory *mem = peek_cuda_memory (buffer);
  guint id;

  if (mem == NULL || GST_OBJECT (mem->context) == context)
    return NULL;
  g_object_get (mem->context, "cuda-device-id", &id, NULL);
  return device_id < 0 || (guint) device_id == id
      ? GST_OBJECT (mem->context) : NULL;
}

static GstBufferPool *
cuda_pool (GstObject * context)
{
  return gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (context));
}

static gboolean
cuda_fits (GstBufferPool * pool, GstObject * context)
{
  return GST_IS_CUDA_BUFFER_POOL (pool)
      && GST_OBJECT (GST_CUDA_BUFFER_POOL (pool)->context) == context;
}

static GstMapFlags
cuda_map_flag (GstBuffer * buffer, GstObject * context)
{
  GstCudaMemory *mem = peek_cuda_memory (buffer);

  return mem != NULL && GST_OBJECT (mem->context) == context
      ? (GstMapFlags) GST_MAP_CUDA : 0;
}

static gpointer
cuda_stream (GstBuffer * buffer, GstObject * context)
{
  gpointer stream;

  if (cuda_memory_get_stream == NULL || cuda_map_flag (buffer, context) == 0)
    return NULL;
  stream = cuda_memory_get_stream (peek_cuda_memory (buffer));
  return stream != NULL ? cuda_stream_get_handle (stream) : NULL;
}

static gboolean
cuda_pin (GstObject * context, gpointer data, gsize size)
{
  CUresult result;

  if (host_register == NULL || host_unregister == NULL
      || !gst_cuda_context_push (GST_CUDA_CONTEXT (context)))
    return FALSE;
  result = size > 0 ? host_register (data, size, CU_MEMHOSTREGISTER_PORTABLE)
      : host_unregister (data);
  gst_cuda_context_pop (NULL);
  return result == CUDA_SUCCESS;
}

const GstBlockDctBackendClass gst_blockdct_backend_cuda = {
  .engine = BDCT_BACKEND_CUDA,
  .open = cuda_open,
  .engine_context = cuda_engine_context,
  .set_context = cuda_set_context,
  .query_context = cuda_query_context,
  .feature = "memory:CUDAMemory",
  .other_context = cuda_other_context,
  .pool = cuda_pool,
  .fits = cuda_fits,
  .map_flag = cuda_map_flag,
  .stream = cuda_stream,
  .pin = cuda_pin,
};
