/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#ifdef HAVE_CUDA
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#endif
#include <stdio.h>
#include <string.h>

/* The size of the pattern, which is drawn once, and copied into every frame
 * repeatedly. */
#define PATTERN_SIZE ((1 << 20) + 517)

G_DEFINE_FINAL_TYPE (BenchSrc, bench_src, GST_TYPE_PUSH_SRC);

static GstCaps *
bench_src_get_caps (GstBaseSrc * base, GstCaps * filter)
{
  BenchSrc *self = BENCH_SRC (base);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, self->picture.format,
      "width", G_TYPE_INT, self->picture.width,
      "height", G_TYPE_INT, self->picture.height,
      "framerate", GST_TYPE_FRACTION, MAX (self->fps, 1), 1, NULL);

  (void) filter;
  if (self->kind == SOURCE_CUDA)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new_single ("memory:CUDAMemory"));
  return caps;
}

static gpointer
make_pattern (gpointer unused)
{
  guint8 *pattern = g_malloc (PATTERN_SIZE);
  guint32 state = 1;

  (void) unused;
  for (gsize i = 0; i < PATTERN_SIZE; i++) {
    state = state * 1664525u + 1013904223u;
    pattern[i] = (i / 7 + (i >> 11) * 3 + ((i >> 8) & 64) + (state >> 29))
        & 255;
  }
  return pattern;
}

/* Draw edges, ramps and noise into a buffer, if it is new. */
static void
draw_once (BenchSrc * self, GstBuffer * buffer)
{
  static GOnce once = G_ONCE_INIT;
  const guint8 *pattern = g_once (&once, make_pattern, NULL);
  const GQuark drawn = g_quark_from_static_string ("bench-drawn");
  const gboolean low = strcmp (self->picture.format, "I420_10LE") == 0;
  gsize skip = self->n * 4099 % PATTERN_SIZE;
  GstMapInfo map;

  if (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (buffer), drawn)
      || !gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    return;
  for (gsize i = 0; i < map.size; skip = 0) {
    const gsize n = MIN (PATTERN_SIZE - skip, map.size - i);

    memcpy (map.data + i, pattern + skip, n);
    i += n;
  }
  /* Ten bits are the low ones here. */
  for (gsize i = 1; low && i < map.size; i += 2)
    map.data[i] &= 3;
  gst_buffer_unmap (buffer, &map);
  self->drawn = self->n;
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (buffer), drawn,
      GINT_TO_POINTER (1), NULL);
}

static gboolean
bench_src_decide_allocation (GstBaseSrc * base, GstQuery * query)
{
  BenchSrc *self = BENCH_SRC (base);
  guint size = 0, min = BENCH_OWN, max = 0;
  GstStructure *config;
  GstCaps *caps;
  GstVideoInfo info;

  gst_query_parse_allocation (query, &caps, NULL);
  gst_video_info_from_caps (&info, caps);
  if (self->kind == SOURCE_POOL && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &self->pool, &size, &min,
        &max);
#ifdef HAVE_CUDA
  if (self->kind == SOURCE_CUDA)
    self->pool = gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (self->context));
#endif
  if (self->pool == NULL) {
    for (guint i = 0; i < BENCH_OWN; i++)
      self->own[i] = gst_buffer_new_allocate (NULL, info.size, NULL);
    return TRUE;
  }
  config = gst_buffer_pool_get_config (self->pool);
  gst_buffer_pool_config_set_params (config, caps, MAX (size, info.size), min,
      max);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  return gst_buffer_pool_set_config (self->pool, config)
      && gst_buffer_pool_set_active (self->pool, TRUE);
}

static GstFlowReturn
bench_src_create (GstPushSrc * push, GstBuffer ** buffer)
{
  BenchSrc *self = BENCH_SRC (push);
  GstFlowReturn ret;

  if (g_atomic_int_get (&self->stop))
    return GST_FLOW_EOS;
  if (self->pool == NULL) {
    draw_once (self, self->own[self->n % BENCH_OWN]);
    *buffer = gst_buffer_copy (self->own[self->n % BENCH_OWN]);
  } else {
    ret = gst_buffer_pool_acquire_buffer (self->pool, buffer, NULL);
    if (ret != GST_FLOW_OK)
      return ret;
    draw_once (self, *buffer);
  }
  if (self->fps > 0) {
    const gint64 now = g_get_monotonic_time ();
    gint64 due;

    if (self->n == 0)
      self->first = now;
    due = self->first + (gint64) (self->n * G_USEC_PER_SEC / self->fps);
    if (due > now)
      g_usleep (due - now);
  }
  GST_BUFFER_PTS (*buffer) = self->n * BENCH_TICK;
  GST_BUFFER_DURATION (*buffer) = BENCH_TICK;
  self->pushed_at[self->n % BENCH_TIMES] = g_get_monotonic_time ();
  self->n++;
  return GST_FLOW_OK;
}

static gboolean
bench_src_stop (GstBaseSrc * base)
{
  BenchSrc *self = BENCH_SRC (base);

  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  for (guint i = 0; i < BENCH_OWN; i++)
    gst_clear_buffer (&self->own[i]);
  self->n = self->drawn = 0;
  return TRUE;
}

static void
bench_src_finalize (GObject * object)
{
  gst_clear_object (&BENCH_SRC (object)->context);
  G_OBJECT_CLASS (bench_src_parent_class)->finalize (object);
}

static void
bench_src_class_init (BenchSrcClass * klass)
{
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = bench_src_finalize;
  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_CAPS_ANY));
  base_class->get_caps = bench_src_get_caps;
  base_class->decide_allocation = bench_src_decide_allocation;
  base_class->stop = bench_src_stop;
  GST_PUSH_SRC_CLASS (klass)->create = bench_src_create;
}

static void
bench_src_init (BenchSrc * self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

BenchSrc *
bench_src_new (SourceKind kind, const Picture * picture, GstObject * context,
    gint fps)
{
  BenchSrc *self = g_object_new (BENCH_TYPE_SRC, NULL);

  self->kind = kind;
  self->picture = *picture;
  self->context = context != NULL ? gst_object_ref (context) : NULL;
  self->fps = fps;
  gst_base_src_set_live (GST_BASE_SRC (self), fps > 0);
  return self;
}

GstElement *
bench_pipeline (BenchSrc * src, const gchar * middle,
    GstPadProbeCallback probe, gpointer data)
{
  gchar *text = g_strdup_printf ("%s ! fakesink name=sink sync=false "
      "enable-last-sample=false", middle);
  GstElement *pipeline, *sink, *rest;
  GError *error = NULL;
  GstPad *pad;

  rest = gst_parse_bin_from_description (text, TRUE, &error);
  g_free (text);
  if (error != NULL) {
    printf ("%s: %s\n", middle, error->message);
    g_clear_error (&error);
    g_clear_pointer (&rest, gst_object_unref);
    gst_object_unref (src);
    return NULL;
  }
  sink = gst_bin_get_by_name (GST_BIN (rest), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, data, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  pipeline = gst_pipeline_new (NULL);
  gst_bin_add_many (GST_BIN (pipeline), GST_ELEMENT (src), rest, NULL);
  gst_element_link (GST_ELEMENT (src), rest);
  return pipeline;
}
