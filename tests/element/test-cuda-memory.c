/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CUDA memory on the pads, from GstCudaBufferPool: no cudaupload is needed. All
 * of it needs a device and says so where there is none. */
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include "bench.h"

#define CUDA_FEATURE "memory:CUDAMemory"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* The device the tests run on; a context for upstream. */
static GstCudaContext *upstream;

static GstCaps *
make_caps (const gchar * format, gint width, gint height, gboolean cuda)
{
  GstCaps *caps = video_caps (format, width, height);

  if (cuda)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new_single (CUDA_FEATURE));
  return caps;
}

/* Frames in memory of a context. At most `max` at a time if that is not 0. */
static GstBufferPool *
make_pool (GstCudaContext * context, const GstVideoInfo * info, guint max)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  g_autoptr (GstCaps) caps = make_caps (GST_VIDEO_INFO_NAME (info), info->width,
      info->height, TRUE);

  gst_buffer_pool_config_set_params (config, caps, info->size, 0, max);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_META);
  g_assert_true (gst_buffer_pool_set_config (pool, config));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

static void
free_pool (GstBufferPool * pool)
{
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

static GstCudaContext *
context_of (GstBuffer * buffer)
{
  GstMemory *mem = gst_buffer_peek_memory (buffer, 0);

  return gst_is_cuda_memory (mem) ? GST_CUDA_MEMORY_CAST (mem)->context : NULL;
}

/* Copy a frame between memories, plane by plane. libgstcuda's own way, mapping
 * CUDA memory for the CPU, copies whole rows of it and misses I420's last plane
 * where the height is odd: that plane begins in the middle of a row. */
static void
copy_frame (const GstVideoInfo * info, GstBuffer * from, GstBuffer * to)
{
  GstMapFlags from_cuda = context_of (from) ? (GstMapFlags) GST_MAP_CUDA : 0;
  GstMapFlags to_cuda = context_of (to) ? (GstMapFlags) GST_MAP_CUDA : 0;
  GstVideoFrame a, b;

  g_assert_true (gst_video_frame_map (&a, info, from,
          GST_MAP_READ | from_cuda));
  g_assert_true (gst_video_frame_map (&b, info, to, GST_MAP_WRITE | to_cuda));
  g_assert_true (gst_cuda_context_push (context_of (from_cuda ? from : to)));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    CUDA_MEMCPY2D copy = {
      .srcMemoryType = from_cuda ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
      .srcHost = GST_VIDEO_FRAME_PLANE_DATA (&a, p),
      .srcDevice = (CUdeviceptr) (guintptr) GST_VIDEO_FRAME_PLANE_DATA (&a, p),
      .srcPitch = GST_VIDEO_FRAME_PLANE_STRIDE (&a, p),
      .dstMemoryType = to_cuda ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
      .dstHost = GST_VIDEO_FRAME_PLANE_DATA (&b, p),
      .dstDevice = (CUdeviceptr) (guintptr) GST_VIDEO_FRAME_PLANE_DATA (&b, p),
      .dstPitch = GST_VIDEO_FRAME_PLANE_STRIDE (&b, p),
    };

    gst_video_format_info_component (info->finfo, p, components);
    copy.WidthInBytes = GST_VIDEO_INFO_COMP_WIDTH (info, components[0])
        * GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0]);
    copy.Height = GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    g_assert_cmpint (CuMemcpy2D (&copy), ==, CUDA_SUCCESS);
  }
  gst_cuda_context_pop (NULL);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
}

/* The frame in system memory. */
static GstBuffer *
to_system (const GstVideoInfo * info, GstBuffer * buffer)
{
  GstBuffer *copy;

  if (context_of (buffer) == NULL)
    return gst_buffer_ref (buffer);
  copy = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  copy_frame (info, buffer, copy);
  return copy;
}

static GstBuffer *
acquire (GstBufferPool * pool, const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = NULL, *frame;

  g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==,
      GST_FLOW_OK);
  frame = frame_new (info, n);
  copy_frame (info, frame, buffer);
  gst_buffer_copy_into (buffer, frame, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_unref (frame);
  return buffer;
}

/* Push `in`, which is taken; what comes out is right. */
static GstBuffer *
push (Bench * bench, GstBuffer * in)
{
  GstBuffer *seen = to_system (&bench->info, in), *expected, *out;
  const GstStructure *s;
  BdctStats stats;

  expected = frame_expect (&bench->info, seen, &defaults, &stats);
  gst_buffer_unref (seen);
  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_OK);
  out = bench_take (bench);
  seen = to_system (&bench->info, out);
  g_assert_true (frames_equal (&bench->info, expected, seen));
  gst_buffer_unref (seen);
  s = buffer_report (out);
  g_assert_nonnull (s);
  check_figures (s, &stats, GST_VIDEO_INFO_COMP_DEPTH (&bench->info, 0));
  g_assert_true (g_str_has_prefix (gst_structure_get_string (s, "backend"),
          "cuda:"));
  gst_buffer_unref (expected);
  return out;
}

/* An element that makes its own context. */
static void
start_alone (Bench * bench, guint depth)
{
  bench_init (bench, NULL, 0, 0, "async-depth", depth, NULL);
  /* Whatever BLOCKDCT_TEST_BACKEND says. */
  gst_element_set_state (bench->element, GST_STATE_NULL);
  element_set (bench->element, "backend", "cuda");
}

static void
start (Bench * bench, guint depth)
{
  start_alone (bench, depth);
  test_share_context (bench->element);
}

static void
play (Bench * bench, const gchar * format, gint width, gint height,
    gboolean cuda_in)
{
  GstCaps *caps = make_caps (format, width, height, cuda_in);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  video_info (&bench->info, format, width, height);
  g_assert_cmpint (gst_element_set_state (bench->element, GST_STATE_PLAYING),
      !=, GST_STATE_CHANGE_FAILURE);
  gst_harness_push_event (bench->h, gst_event_new_stream_start ("test"));
  g_assert_true (gst_harness_push_event (bench->h, gst_event_new_caps (caps)));
  gst_harness_push_event (bench->h, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* The formats that libgstcuda has everywhere, odd sizes, and the four ways
 * between the memories. */
TEST ("/element/cuda-memory/combinations", test_combinations)
{
  static const gchar *formats[] = { "NV12", "I420", "YV12", "NV21", "Y42B",
    "Y444", "P010_10LE", "I420_10LE", "I422_12LE", "RGB", "BGR", "RGBx",
    "BGRx", "RGBA", "BGRA", "ARGB", "ABGR", "GBR"
  };
  static const gint sizes[][2] = {
    {64, 48}, {1, 1}, {17, 9}, {333, 77}, {2, 65},
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint way = 0; way < 4; way++) {
        gint width = sizes[i][0], height = sizes[i][1];
        gboolean cuda_in = way & 1, cuda_out = way >> 1;
        GstBufferPool *pool = NULL;
        g_autoptr (GstCaps) caps;
        Bench bench;

        g_test_message ("%s %dx%d, %s to %s memory", formats[f], width,
            height, cuda_in ? "CUDA" : "system", cuda_out ? "CUDA" : "system");
        start (&bench, 1);
        gst_harness_set_sink_caps (bench.h, make_caps (formats[f], width,
                height, cuda_out));
        play (&bench, formats[f], width, height, cuda_in);
        if (cuda_in)
          pool = make_pool (upstream, &bench.info, 0);
        for (guint n = 0; n < 3; n++) {
          GstBuffer *in = cuda_in ? acquire (pool, &bench.info, n)
              : frame_new (&bench.info, n);
          GstBuffer *out = push (&bench, in);

          g_assert_cmpint (context_of (out) != NULL, ==, cuda_out);
          gst_buffer_unref (out);
        }
        caps = gst_pad_get_current_caps (bench.h->sinkpad);
        g_assert_cmpint (gst_caps_features_contains (gst_caps_get_features
                (caps, 0), CUDA_FEATURE), ==, cuda_out);
        bench_clear (&bench);
        if (pool != NULL)
          free_pool (pool);
      }
}

/* Where both are possible frames stay in the memory they are in. */
TEST ("/element/cuda-memory/stay", test_stay)
{
  for (guint cuda = 0; cuda < 2; cuda++) {
    GstBufferPool *pool = NULL;
    g_autoptr (GstBuffer) out;
    Bench bench;

    start (&bench, 1);
    play (&bench, "NV12", 40, 30, cuda);
    if (cuda)
      pool = make_pool (upstream, &bench.info, 0);
    out = push (&bench, cuda ? acquire (pool, &bench.info, 0)
        : frame_new (&bench.info, 0));
    g_assert_cmpint (context_of (out) != NULL, ==, cuda);
    if (cuda)
      g_assert_true (context_of (out) == upstream);
    bench_clear (&bench);
    if (pool != NULL)
      free_pool (pool);
  }
}

/* A context the application shares is used and told of, and let go. */
TEST ("/element/cuda-memory/context", test_context)
{
  GstCudaContext *mine;
  guint refs;

  mine = gst_cuda_context_new (0);
  g_assert_nonnull (mine);
  refs = GST_OBJECT_REFCOUNT_VALUE (mine);
  for (guint round = 0; round < 3; round++) {
    GstContext *context = gst_context_new_cuda_context (mine);
    g_autoptr (GstQuery) query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
    GstContext *told;
    GstCudaContext *object = NULL;
    g_autoptr (GstBuffer) out;
    g_auto (Bench) bench;

    start_alone (&bench, 1);
    gst_element_set_context (bench.element, context);
    gst_context_unref (context);
    gst_harness_set_sink_caps (bench.h, make_caps ("NV12", 40, 30, TRUE));
    play (&bench, "NV12", 40, 30, FALSE);
    out = push (&bench, frame_new (&bench.info, 0));
    g_assert_true (context_of (out) == mine);

    g_assert_true (gst_pad_peer_query (bench.h->sinkpad, query));
    gst_query_parse_context (query, &told);
    gst_structure_get (gst_context_get_structure (told), GST_CUDA_CONTEXT_TYPE,
        GST_TYPE_CUDA_CONTEXT, &object, NULL);
    g_assert_true (object == mine);
    gst_object_unref (object);
  }
  g_assert_cmpuint (GST_OBJECT_REFCOUNT_VALUE (mine), ==, refs);
  gst_object_unref (mine);
}

/* Downstream changes its mind with frames in flight: what is in flight leaves
 * in the old memory. */
TEST ("/element/cuda-memory/switch", test_switch)
{
  const guint depth = 3;
  Bench bench;

  start (&bench, depth);
  gst_harness_set_sink_caps (bench.h, make_caps ("NV12", 40, 30, TRUE));
  play (&bench, "NV12", 40, 30, FALSE);
  for (guint n = 0; n < 8; n++) {
    if (n == 4)
      gst_harness_set_sink_caps (bench.h, make_caps ("NV12", 40, 30, FALSE));
    g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, n)),
        ==, GST_FLOW_OK);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 8; n++) {
    g_autoptr (GstBuffer) out = bench_pull (&bench);

    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    g_assert_cmpint (context_of (out) != NULL, ==, n < 4);
  }
  g_assert_null (bench_pull (&bench));
  bench_clear (&bench);
}

/* Frames of two contexts in turn, with frames in flight: the element goes with
 * them and loses none. */
TEST ("/element/cuda-memory/two-contexts", test_two_contexts)
{
  static const guint depths[] = { 1, 3 };
  GstCudaContext *contexts[2];

  contexts[0] = upstream;
  contexts[1] = gst_cuda_context_new (0);
  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstBufferPool *pools[2];
    Bench bench;

    start (&bench, depths[d]);
    play (&bench, "I420", 50, 34, TRUE);
    for (guint i = 0; i < 2; i++)
      pools[i] = make_pool (contexts[i], &bench.info, 0);
    for (guint n = 0; n < 12; n++)
      g_assert_cmpint (gst_harness_push (bench.h, acquire (pools[n / 3 % 2],
                  &bench.info, n)), ==, GST_FLOW_OK);
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < 12; n++) {
      GstBuffer *in = frame_new (&bench.info, n), *expected, *out;
      BdctStats stats;

      expected = frame_expect (&bench.info, in, &defaults, &stats);
      out = bench_take (&bench);
      g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
      g_assert_true (frames_equal (&bench.info, expected, out));
      g_assert_nonnull (buffer_report (out));
      check_figures (buffer_report (out), &stats, 8);
      gst_buffer_unref (in);
      gst_buffer_unref (expected);
      gst_buffer_unref (out);
    }
    g_assert_null (bench_pull (&bench));
    bench_clear (&bench);
    free_pool (pools[0]);
    free_pool (pools[1]);
  }
  gst_object_unref (contexts[1]);
}

/* A decoder's pool is small: a frame is let go when it leaves. */
TEST ("/element/cuda-memory/small-pool", test_small_pool)
{
  const guint depth = 2;
  GstBufferPool *pool;
  Bench bench;

  start (&bench, depth);
  play (&bench, "NV12", 48, 32, TRUE);
  pool = make_pool (upstream, &bench.info, depth);
  for (guint n = 0; n < 10; n++)
    g_assert_cmpint (gst_harness_push (bench.h, acquire (pool, &bench.info,
                n)), ==, GST_FLOW_OK);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_cmpuint (gst_harness_buffers_in_queue (bench.h), ==, 10);
  bench_clear (&bench);
  free_pool (pool);
}

/* Upstream is offered CUDA memory it can use. */
TEST ("/element/cuda-memory/propose", test_propose)
{
  GstBufferPool *pool = NULL;
  GstQuery *query;
  GstBuffer *out;
  GstCaps *caps;
  guint size;
  Bench bench;

  start (&bench, 1);
  play (&bench, "NV12", 50, 30, TRUE);
  caps = make_caps ("NV12", 50, 30, TRUE);
  query = gst_query_new_allocation (caps, TRUE);
  g_assert_true (gst_pad_peer_query (bench.h->srcpad, query));
  g_assert_cmpuint (gst_query_get_n_allocation_pools (query), >, 0);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, NULL, NULL);
  g_assert_true (GST_IS_CUDA_BUFFER_POOL (pool));
  g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
  out = push (&bench, acquire (pool, &bench.info, 0));
  gst_buffer_unref (out);
  free_pool (pool);
  gst_query_unref (query);
  gst_caps_unref (caps);
  bench_clear (&bench);
}

static gboolean
is_pinned (GstBuffer * buffer)
{
  return gst_memory_is_type (gst_buffer_peek_memory (buffer, 0),
      "BlockDctPinnedMemory");
}

/* In system memory, upstream is offered pinned memory and downstream gets it;
 * buffers outlive the element. */
TEST ("/element/cuda-memory/pinned", test_pinned)
{
  static const guint depths[] = { 1, 2, 8 };

  for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
    GstBuffer *out[12], *expected[12];
    GstAllocator *allocator = NULL;
    GstBufferPool *pool = NULL;
    GstVideoInfo info;
    g_autoptr (GstQuery) query;
    g_autoptr (GstCaps) caps;
    Bench bench;

    start (&bench, depths[d]);
    play (&bench, "NV12", 128, 62, FALSE);
    info = bench.info;
    caps = make_caps ("NV12", 128, 62, FALSE);
    query = gst_query_new_allocation (caps, TRUE);
    g_assert_true (gst_pad_peer_query (bench.h->srcpad, query));
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
    g_assert_cmpstr (allocator->mem_type, ==, "BlockDctPinnedMemory");
    gst_object_unref (allocator);
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
    g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
    for (guint n = 0; n < G_N_ELEMENTS (out); n++) {
      GstBuffer *in = NULL, *frame = frame_new (&info, n);
      BdctStats stats;
      GstMapInfo map;

      g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &in, NULL), ==,
          GST_FLOW_OK);
      g_assert_true (is_pinned (in));
      gst_buffer_map (frame, &map, GST_MAP_READ);
      gst_buffer_fill (in, 0, map.data, map.size);
      gst_buffer_unmap (frame, &map);
      gst_buffer_copy_into (in, frame, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
      expected[n] = frame_expect (&info, frame, &defaults, &stats);
      gst_buffer_unref (frame);
      g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    for (guint n = 0; n < G_N_ELEMENTS (out); n++)
      out[n] = bench_pull (&bench);
    free_pool (pool);
    bench_clear (&bench);
    for (guint n = 0; n < G_N_ELEMENTS (out); n++) {
      g_assert_nonnull (out[n]);
      g_assert_true (is_pinned (out[n]));
      g_assert_true (frames_equal (&info, expected[n], out[n]));
      gst_buffer_unref (out[n]);
      gst_buffer_unref (expected[n]);
    }
  }
}

int
main (int argc, char **argv)
{
  int ret = 0;

  test_init (&argc, &argv);
  if (gst_cuda_load_library ()) {
    gst_cuda_memory_init_once ();
    upstream = gst_cuda_context_new (0);
  }
  if (upstream != NULL)
    ret = g_test_run ();
  else
    g_print ("1..0 # SKIP no CUDA device: libcuda cannot be loaded or finds "
        "none\n");
  gst_clear_object (&upstream);
  test_end ();
  return ret;
}
