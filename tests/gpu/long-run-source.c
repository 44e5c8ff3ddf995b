/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "long-run.h"

struct _LongSrc
{
  GstPushSrc parent;

  Memory memory;
  Form forms[2];
  guint64 n_frames;
  GstVideoInfo info;
  GstBufferPool *pool;
  GstBuffer *own[N_PICTURES];
  guint form;                   /* of the frames that are made */
  guint drawn;                  /* buffers of the pool */
  guint64 n;                    /* of the next frame */
  gint stop, change;            /* atomic */
};

G_DEFINE_FINAL_TYPE (LongSrc, long_src, GST_TYPE_PUSH_SRC);

static GstCaps *
long_src_get_caps (GstBaseSrc * base, GstCaps * filter)
{
  LongSrc *self = LONG_SRC (base);
  const Form *form = &self->forms[self->form];
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, form->format,
      "width", G_TYPE_INT, form->width, "height", G_TYPE_INT, form->height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

  (void) filter;
  if (self->memory == MEMORY_CUDA)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new_single ("memory:CUDAMemory"));
  return caps;
}

/* Ramps, edges and noise: the same samples in every memory. */
static gboolean
draw (LongSrc * self, GstBuffer * buffer, guint picture)
{
  GstVideoFrame frame;
  guint32 noise = picture + 1;

  if (!gst_video_frame_map (&frame, &self->info, buffer, GST_MAP_WRITE))
    return FALSE;
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&frame); p++) {
    gint rows = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p);
    gint bytes = GST_VIDEO_FRAME_COMP_WIDTH (&frame, p)
        * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, p);

    for (gint y = 0; y < rows; y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p)
          + (gssize) y *GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      for (gint x = 0; x < bytes; x++) {
        noise = noise * 1664525u + 1013904223u;
        row[x] = x / (3 + picture) + y / 2 + ((x ^ y) & 64) + (noise >> 28);
      }
    }
  }
  gst_video_frame_unmap (&frame);
  return TRUE;
}

static void
drop_buffers (LongSrc * self)
{
  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  for (guint i = 0; i < N_PICTURES; i++)
    gst_clear_buffer (&self->own[i]);
  self->drawn = 0;
}

static gboolean
long_src_decide_allocation (GstBaseSrc * base, GstQuery * query)
{
  LongSrc *self = LONG_SRC (base);
  guint size = 0, min = 0, max = 0;
  GstStructure *config;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!gst_video_info_from_caps (&self->info, caps))
    return FALSE;
  drop_buffers (self);
  if (self->memory != MEMORY_OWN
      && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &self->pool, &size, &min,
        &max);
  if (self->pool == NULL) {
    for (guint i = 0; i < N_PICTURES; i++) {
      self->own[i] = gst_buffer_new_allocate (NULL, self->info.size, NULL);
      draw (self, self->own[i], i);
    }
    return self->memory != MEMORY_CUDA;
  }
  config = gst_buffer_pool_get_config (self->pool);
  gst_buffer_pool_config_set_params (config, caps, size, MAX (min, N_PICTURES),
      max);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  return gst_buffer_pool_set_config (self->pool, config)
      && gst_buffer_pool_set_active (self->pool, TRUE);
}

/* A buffer keeps the picture that was drawn on it, whenever it comes. */
static GstFlowReturn
take_buffer (LongSrc * self, GstBuffer ** buffer, guint * picture)
{
  GQuark quark = g_quark_from_static_string ("long-run-picture");
  GstFlowReturn ret;
  gpointer drawn;

  if (self->pool == NULL) {
    *picture = self->n % N_PICTURES;
    *buffer = gst_buffer_copy (self->own[*picture]);
    return GST_FLOW_OK;
  }
  ret = gst_buffer_pool_acquire_buffer (self->pool, buffer, NULL);
  if (ret != GST_FLOW_OK)
    return ret;
  drawn = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (*buffer), quark);
  if (drawn == NULL) {
    drawn = GUINT_TO_POINTER (self->drawn++ % N_PICTURES + 1);
    if (!draw (self, *buffer, GPOINTER_TO_UINT (drawn) - 1)) {
      gst_clear_buffer (buffer);
      GST_ELEMENT_ERROR (self, RESOURCE, WRITE, (NULL),
          ("a buffer of the pool cannot be drawn on"));
      return GST_FLOW_ERROR;
    }
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (*buffer), quark, drawn,
        NULL);
  }
  *picture = GPOINTER_TO_UINT (drawn) - 1;
  return GST_FLOW_OK;
}

static GstFlowReturn
long_src_create (GstPushSrc * push, GstBuffer ** buffer)
{
  LongSrc *self = LONG_SRC (push);
  GstFlowReturn ret;
  guint picture;

  if (g_atomic_int_get (&self->stop)
      || (self->n_frames > 0 && self->n == self->n_frames))
    return GST_FLOW_EOS;
  if (self->form == 0 && g_atomic_int_get (&self->change)) {
    self->form = 1;
    if (!gst_base_src_negotiate (GST_BASE_SRC (self)))
      return GST_FLOW_NOT_NEGOTIATED;
  }
  ret = take_buffer (self, buffer, &picture);
  if (ret != GST_FLOW_OK)
    return ret;
  GST_BUFFER_PTS (*buffer) = (self->n * 2 + self->form) * N_PICTURES + picture;
  GST_BUFFER_DURATION (*buffer) = 2 * N_PICTURES;
  self->n++;
  return GST_FLOW_OK;
}

static gboolean
long_src_start (GstBaseSrc * base)
{
  LongSrc *self = LONG_SRC (base);

  self->n = 0;
  self->form = 0;
  return TRUE;
}

static gboolean
long_src_stop_streaming (GstBaseSrc * base)
{
  LongSrc *self = LONG_SRC (base);

  drop_buffers (self);
  g_atomic_int_set (&self->stop, FALSE);
  g_atomic_int_set (&self->change, FALSE);
  return TRUE;
}

/* Let go who waits for a buffer of the pool. */
static gboolean
long_src_unlock (GstBaseSrc * base)
{
  LongSrc *self = LONG_SRC (base);

  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, TRUE);
  return TRUE;
}

static gboolean
long_src_unlock_stop (GstBaseSrc * base)
{
  LongSrc *self = LONG_SRC (base);

  if (self->pool != NULL)
    gst_buffer_pool_set_flushing (self->pool, FALSE);
  return TRUE;
}

static void
long_src_class_init (LongSrcClass * klass)
{
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);
  GstCaps *caps = gst_caps_from_string ("video/x-raw(ANY)");

  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Long run's source", "Source/Video", "Hands a few frames out again",
      "The gst-blockdct developers");
  base_class->get_caps = long_src_get_caps;
  base_class->decide_allocation = long_src_decide_allocation;
  base_class->start = long_src_start;
  base_class->stop = long_src_stop_streaming;
  base_class->unlock = long_src_unlock;
  base_class->unlock_stop = long_src_unlock_stop;
  GST_PUSH_SRC_CLASS (klass)->create = long_src_create;
}

static void
long_src_init (LongSrc * self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

LongSrc *
long_src_new (Memory memory, const Form forms[2], guint64 n_frames)
{
  LongSrc *self = g_object_new (TYPE_LONG_SRC, NULL);

  self->memory = memory;
  self->forms[0] = forms[0];
  self->forms[1] = forms[1];
  self->n_frames = n_frames;
  return self;
}

void
long_src_stop (LongSrc * self)
{
  g_atomic_int_set (&self->stop, TRUE);
}

void
long_src_change (LongSrc * self)
{
  g_atomic_int_set (&self->change, TRUE);
}

guint64
long_src_frames (LongSrc * self)
{
  return self->n;
}
