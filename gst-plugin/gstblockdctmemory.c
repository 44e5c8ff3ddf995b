/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctmemory.h"
#include "gstblockdctformat.h"

#ifdef HAVE_CUDA
#include <gmodule.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

/* From 1.24 on, memory may have a stream, in which work on it is pending. This
 * plugin, built on 1.22 or later, finds the functions that tell of it at run
 * time. */
typedef gpointer (*GetStreamFunc) (GstCudaMemory * mem);
typedef gpointer (*GetHandleFunc) (gpointer stream);
static GetStreamFunc cuda_memory_get_stream;
static GetHandleFunc cuda_stream_get_handle;

static gpointer
load_cuda (gpointer unused)
{
  GModule *module;

  (void) unused;
  if (!gst_cuda_load_library ())
    return NULL;
  gst_cuda_memory_init_once ();
  module = g_module_open ("libgstcuda-1.0.so.0", G_MODULE_BIND_LAZY);
  if (module != NULL) {
    gpointer get_stream, get_handle;

    if (g_module_symbol (module, "gst_cuda_memory_get_stream", &get_stream)
        && g_module_symbol (module, "gst_cuda_stream_get_handle",
            &get_handle)) {
      cuda_memory_get_stream = (GetStreamFunc) get_stream;
      cuda_stream_get_handle = (GetHandleFunc) get_handle;
    }
    g_module_make_resident (module);
    g_module_close (module);
  }
  return GINT_TO_POINTER (TRUE);
}

gboolean
gst_blockdct_memory_init (BdctError * error)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, load_cuda, NULL);
  if (once.retval == NULL)
    return bdct_error (error, "the NVIDIA driver (libcuda) cannot be loaded");
  return TRUE;
}

gboolean
gst_blockdct_memory_ensure_context (GstElement * element, gint device_id,
    GstObject ** context, BdctError * error)
{
  if (!gst_cuda_ensure_element_context (element, device_id,
          (GstCudaContext **) context))
    return bdct_error (error, "no CUDA context on device %d",
        MAX (device_id, 0));
  return TRUE;
}

void
gst_blockdct_memory_set_context (GstElement * element,
    GstContext * gst_context, gint device_id, GstObject ** context)
{
  if (gst_blockdct_memory_init (NULL))
    gst_cuda_handle_set_context (element, gst_context, device_id,
        (GstCudaContext **) context);
}

gboolean
gst_blockdct_memory_query_context (GstElement * element, GstQuery * query,
    GstObject * context)
{
  return context != NULL && gst_cuda_handle_context_query (element, query,
      GST_CUDA_CONTEXT (context));
}

static bool
enter_context (void *data)
{
  return gst_cuda_context_push (data);
}

static void
leave_context (void *data)
{
  (void) data;
  gst_cuda_context_pop (NULL);
}

BdctContext
gst_blockdct_memory_engine_context (GstObject * context)
{
  return (BdctContext) {
  enter_context, leave_context, context};
}

/* The buffer's CUDA memory; NULL if it is of another kind. */
static GstCudaMemory *
peek_cuda_memory (GstBuffer * buffer)
{
  GstMemory *mem;

  if (gst_buffer_n_memory (buffer) != 1)
    return NULL;
  mem = gst_buffer_peek_memory (buffer, 0);
  return gst_is_cuda_memory (mem) ? GST_CUDA_MEMORY_CAST (mem) : NULL;
}

GstObject *
gst_blockdct_memory_other_context (GstBuffer * buffer, GstObject * context,
    gint device_id)
{
  GstCudaMemory *mem = context != NULL ? peek_cuda_memory (buffer) : NULL;
  guint id;

  if (mem == NULL || GST_OBJECT (mem->context) == context)
    return NULL;
  g_object_get (mem->context, "cuda-device-id", &id, NULL);
  return device_id < 0 || (guint) device_id == id
      ? GST_OBJECT (mem->context) : NULL;
}

GstBufferPool *
gst_blockdct_memory_pool (gboolean cuda, GstObject * context)
{
  return cuda ? gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (context))
      : gst_video_buffer_pool_new ();
}

gboolean
gst_blockdct_memory_pool_fits (GstBufferPool * pool, gboolean cuda,
    GstObject * context)
{
  return !cuda || (GST_IS_CUDA_BUFFER_POOL (pool)
      && GST_OBJECT (GST_CUDA_BUFFER_POOL (pool)->context) == context);
}

static GstMapFlags
device_map_flag (GstBuffer * buffer, GstObject * context)
{
  GstCudaMemory *mem = context != NULL ? peek_cuda_memory (buffer) : NULL;

  return mem != NULL && GST_OBJECT (mem->context) == context
      ? (GstMapFlags) GST_MAP_CUDA : 0;
}

gpointer
gst_blockdct_memory_stream (GstBuffer * buffer, GstObject * context)
{
  gpointer stream;

  if (cuda_memory_get_stream == NULL || device_map_flag (buffer, context) == 0)
    return NULL;
  stream = cuda_memory_get_stream (peek_cuda_memory (buffer));
  return stream != NULL ? cuda_stream_get_handle (stream) : NULL;
}

#else /* !HAVE_CUDA */

gboolean
gst_blockdct_memory_init (BdctError * error)
{
  return bdct_error (error, "this plugin was built without CUDA");
}

gboolean
gst_blockdct_memory_ensure_context (GstElement * element, gint device_id,
    GstObject ** context, BdctError * error)
{
  (void) element, (void) device_id, (void) context;
  return gst_blockdct_memory_init (error);
}

void
gst_blockdct_memory_set_context (GstElement * element,
    GstContext * gst_context, gint device_id, GstObject ** context)
{
  (void) element, (void) gst_context, (void) device_id, (void) context;
}

gboolean
gst_blockdct_memory_query_context (GstElement * element, GstQuery * query,
    GstObject * context)
{
  (void) element, (void) query, (void) context;
  return FALSE;
}

BdctContext
gst_blockdct_memory_engine_context (GstObject * context)
{
  (void) context;
  return (BdctContext) {
  NULL, NULL, NULL};
}

GstObject *
gst_blockdct_memory_other_context (GstBuffer * buffer, GstObject * context,
    gint device_id)
{
  (void) buffer, (void) context, (void) device_id;
  return NULL;
}

GstBufferPool *
gst_blockdct_memory_pool (gboolean cuda, GstObject * context)
{
  (void) cuda, (void) context;
  return gst_video_buffer_pool_new ();
}

gboolean
gst_blockdct_memory_pool_fits (GstBufferPool * pool, gboolean cuda,
    GstObject * context)
{
  (void) pool, (void) cuda, (void) context;
  return TRUE;
}

static GstMapFlags
device_map_flag (GstBuffer * buffer, GstObject * context)
{
  (void) buffer, (void) context;
  return 0;
}

gpointer
gst_blockdct_memory_stream (GstBuffer * buffer, GstObject * context)
{
  (void) buffer, (void) context;
  return NULL;
}

#endif

/* The map that holds a plane: with a GstVideoMeta each plane has its own. */
static const GstMapInfo *
find_map (const GstVideoFrame * frame, const guint8 * data)
{
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (frame); i++) {
    const GstMapInfo *map = &frame->map[i];

    if (map->data != NULL && data >= map->data && data < map->data + map->size)
      return map;
  }
  return NULL;
}

/* What the meta says must hold the caps' picture: mapping takes its word. */
static gboolean
check_meta (GstBuffer * buffer, const GstVideoInfo * info, BdctError * error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (meta == NULL || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info)
          && meta->height >= (guint) GST_VIDEO_INFO_HEIGHT (info)
          && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)))
    return TRUE;
  return bdct_error (error, "the buffer's video meta says %s %ux%u, its caps "
      "%s %dx%d", gst_video_format_to_string (meta->format), meta->width,
      meta->height, GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info));
}

static gboolean
check_planes (const GstVideoFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  for (gint p = 0; p < layout->n_planes; p++) {
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (frame, p);
    gint64 stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
    gint64 row = bdct_layout_row_size (layout, p);
    gint64 last = stride * (layout->plane[p].height - 1);
    const GstMapInfo *map = find_map (frame, data);
    gint64 before = map != NULL ? data - map->data : 0;
    gint64 after = map != NULL ? (gint64) map->size - before : 0;

    if (MIN (last, 0) + before < 0 || MAX (last, 0) + row > after)
      return bdct_error (error, "plane %d of the buffer is too small: %d rows "
          "of %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT " apart, do not "
          "fit its %" G_GINT64_FORMAT " bytes", p, layout->plane[p].height,
          row, stride, after);
  }
  return TRUE;
}

gboolean
gst_blockdct_memory_map (GstVideoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags, const BdctLayout * layout,
    GstObject * context, BdctImage * image, BdctError * error)
{
  GstMapFlags device = device_map_flag (buffer, context);

  if (!check_meta (buffer, info, error))
    return FALSE;
  if (!gst_video_frame_map (frame, info, buffer, flags | device))
    return bdct_error (error, "a buffer of %" G_GSIZE_FORMAT " bytes cannot be "
        "mapped as %s %dx%d (%" G_GSIZE_FORMAT " bytes)",
        gst_buffer_get_size (buffer), GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
        GST_VIDEO_INFO_SIZE (info));
  if (!check_planes (frame, layout, error)) {
    gst_video_frame_unmap (frame);
    return FALSE;
  }
  image->memory = device ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;
  for (gint p = 0; p < layout->n_planes; p++) {
    image->data[p] = GST_VIDEO_FRAME_PLANE_DATA (frame, p);
    image->stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
  }
  return TRUE;
}
