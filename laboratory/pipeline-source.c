/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <string.h>

/* The number of its own frames. */
#define N_OWN 8

/* The size of the pattern, which is drawn once, and copied into every frame
 * repeatedly. */
#define PATTERN_SIZE ((1 << 20) + 517)

struct _BenchSrc
{
  GstPushSrc parent;

  SourceKind kind;
  Picture picture;
  GstObject *context;
  gint fps;
  GstBufferPool *pool;
  GstMemory *own[N_OWN];
  guint64 n;                    /* of the next frame */
  guint64 drawn;                /* the latest frame in new memory */
  gint64 first;                 /* time of frame 0 */
  gint64 pushed_at[BENCH_TIMES];
  gint stop;                    /* atomic */
};

G_DEFINE_FINAL_TYPE (BenchSrc, bench_src, GST_TYPE_PUSH_SRC);

GstCaps *
picture_caps (const Picture * picture, gboolean cuda, gint fps)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, picture->format,
      "width", G_TYPE_INT, picture->width,
      "height", G_TYPE_INT, picture->height,
      "framerate", GST_TYPE_FRACTION, MAX (fps, 1), 1, NULL);

  if (cuda)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new_single ("memory:CUDAMemory"));
  return caps;
}

static GstCaps *
bench_src_get_caps (GstBaseSrc * base, GstCaps * filter)
{
  BenchSrc *self = BENCH_SRC (base);

  (void) filter;
  return picture_caps (&self->picture, self->kind == SOURCE_CUDA, self->fps);
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

/* Draw edges, ramps and noise. */
static void
draw (GstMapInfo * map, guint seed)
{
  static GOnce once = G_ONCE_INIT;
  const guint8 *pattern = g_once (&once, make_pattern, NULL);
  gsize skip = seed * 4099 % PATTERN_SIZE;

  for (gsize i = 0; i < map->size; skip = 0) {
    gsize n = MIN (PATTERN_SIZE - skip, map->size - i);

    memcpy (map->data + i, pattern + skip, n);
    i += n;
  }
}

/* Draw a buffer, if it is new. */
static void
draw_once (BenchSrc * self, GstBuffer * buffer)
{
  static GQuark drawn;
  GstMapInfo map;

  if (drawn == 0)
    drawn = g_quark_from_static_string ("bench-drawn");
  if (gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (buffer), drawn))
    return;
  if (gst_buffer_map (buffer, &map, GST_MAP_WRITE)) {
    draw (&map, self->n);
    gst_buffer_unmap (buffer, &map);
  }
  self->drawn = self->n;
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (buffer), drawn,
      GINT_TO_POINTER (1), NULL);
}

static gboolean
bench_src_decide_allocation (GstBaseSrc * base, GstQuery * query)
{
  BenchSrc *self = BENCH_SRC (base);
  GstBufferPool *pool = NULL;
  GstStructure *config;
  GstCaps *caps;
  guint size = 0, min = 0, max = 0;
  GstVideoInfo info;

  gst_query_parse_allocation (query, &caps, NULL);
  gst_video_info_from_caps (&info, caps);
  if (self->kind == SOURCE_POOL
      && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (self->kind == SOURCE_CUDA) {
    min = N_OWN;
    pool = gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (self->context));
  }
  if (self->kind == SOURCE_OWN || pool == NULL) {
    for (guint i = 0; i < N_OWN; i++) {
      GstMapInfo map;

      self->own[i] = gst_allocator_alloc (NULL, info.size, NULL);
      gst_memory_map (self->own[i], &map, GST_MAP_WRITE);
      draw (&map, i);
      gst_memory_unmap (self->own[i], &map);
    }
    return TRUE;
  }
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, MAX (size, info.size), min,
      max);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  self->pool = pool;
  return gst_buffer_pool_set_config (pool, config)
      && gst_buffer_pool_set_active (pool, TRUE);
}

static void
wait_until_due (BenchSrc * self)
{
  gint64 now = g_get_monotonic_time (), due;

  if (self->fps == 0)
    return;
  if (self->n == 0)
    self->first = now;
  due = self->first + (gint64) (self->n * G_USEC_PER_SEC / self->fps);
  if (due > now)
    g_usleep (due - now);
}

static GstFlowReturn
bench_src_create (GstPushSrc * push, GstBuffer ** buffer)
{
  BenchSrc *self = BENCH_SRC (push);
  GstFlowReturn ret;

  if (g_atomic_int_get (&self->stop))
    return GST_FLOW_EOS;
  if (self->pool != NULL) {
    ret = gst_buffer_pool_acquire_buffer (self->pool, buffer, NULL);
    if (ret != GST_FLOW_OK)
      return ret;
    draw_once (self, *buffer);
  } else {
    *buffer = gst_buffer_new ();
    gst_buffer_append_memory (*buffer,
        gst_memory_ref (self->own[self->n % N_OWN]));
  }
  wait_until_due (self);
  GST_BUFFER_PTS (*buffer) = self->n * BENCH_TICK;
  GST_BUFFER_DURATION (*buffer) = BENCH_TICK;
  self->pushed_at[self->n % BENCH_TIMES] = g_get_monotonic_time ();
  self->n++;
  return GST_FLOW_OK;
}

static gboolean
bench_src_stop_streaming (GstBaseSrc * base)
{
  BenchSrc *self = BENCH_SRC (base);

  if (self->pool != NULL)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  for (guint i = 0; i < N_OWN; i++)
    g_clear_pointer (&self->own[i], gst_memory_unref);
  return TRUE;
}

static gboolean
bench_src_query (GstBaseSrc * base, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, BENCH_SRC (base)->fps > 0, 0,
        GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return GST_BASE_SRC_CLASS (bench_src_parent_class)->query (base, query);
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
  GstCaps *caps = gst_caps_from_string ("video/x-raw(ANY)");

  G_OBJECT_CLASS (klass)->finalize = bench_src_finalize;
  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Benchmark source", "Source/Video", "Hands a few frames out again",
      "The gst-blockdct developers");
  base_class->get_caps = bench_src_get_caps;
  base_class->decide_allocation = bench_src_decide_allocation;
  base_class->stop = bench_src_stop_streaming;
  base_class->query = bench_src_query;
  GST_PUSH_SRC_CLASS (klass)->create = bench_src_create;
}

static void
bench_src_init (BenchSrc * self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}

GstElement *
bench_src_new (SourceKind kind, const Picture * picture, GstObject * context,
    gint fps)
{
  BenchSrc *self = g_object_new (BENCH_TYPE_SRC, NULL);

  self->kind = kind;
  self->picture = *picture;
  self->context = context != NULL ? gst_object_ref (context) : NULL;
  self->fps = fps;
  return GST_ELEMENT (self);
}

void
bench_src_stop (BenchSrc * self)
{
  g_atomic_int_set (&self->stop, TRUE);
}

gint64
bench_src_pushed_at (BenchSrc * self, guint64 n)
{
  return self->pushed_at[n % BENCH_TIMES];
}

guint64
bench_src_n_pushed (BenchSrc * self)
{
  return self->n;
}

guint64
bench_src_n_since_new (BenchSrc * self)
{
  return self->n - self->drawn;
}
