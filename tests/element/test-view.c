/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blockdct shows of a transform: each view on each format, the grid, live
 * changes, and that none of it changes a figure. (tests/unit/test-view.c has
 * every sample of every view, test-compare-views.c those of two pictures.) */
#include <string.h>
#include "bench.h"

#define WIDTH 131
#define HEIGHT 101

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* The first two are pictures. */
static const gchar *const views[] = {
  "reconstruction", "original", "coefficients", "nonzero-map", "quality-map",
  "size-map", "error-map"
};

#define N_PICTURES 2

static void
set_view (Bench * bench, const gchar * view)
{
  element_set (bench->element, "view", view);
}

/* A view of the frame `in`, of which `rec` is left: a picture, or something
 * else that says what it is. */
static void
check_view (const Bench * bench, guint view, GstBuffer * in, GstBuffer * rec,
    GstBuffer * out)
{
  g_assert_cmpint (frames_equal (&bench->info, rec, out), ==, view == 0);
  g_assert_cmpint (frames_equal (&bench->info, in, out), ==, view == 1);
  g_assert_cmpstr (gst_structure_get_string (buffer_report (out), "view"), ==,
      views[view]);
}

/* Every format in every view, changed while it plays. */
static void
test_every_format (void)
{
  for (guint f = 0; f < N_TEST_FORMATS; f++) {
    const TestFormat *format = &test_formats[f];
    BdctStats stats;
    GstBuffer *rec;
    Bench bench;

    bench_init (&bench, format->name, WIDTH, HEIGHT, "quality", 40, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
      GstBuffer *in = frame_new (&bench.info, i), *out;
      BdctParams params = defaults;
      GstStructure *s;

      params.quality = 40;
      rec = frame_expect (&bench.info, in, &params, &stats);
      set_view (&bench, views[i]);
      g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in)), ==,
          GST_FLOW_OK);
      out = bench_pull (&bench);
      check_view (&bench, i, in, rec, out);
      s = bench_pop_report (&bench, "frame");
      check_figures (s, &stats, format->depth);
      gst_structure_free (s);
      gst_buffer_unref (in);
      gst_buffer_unref (rec);
      gst_buffer_unref (out);
    }
    bench_clear (&bench);
  }
}

/* No view is another one. */
static void
test_distinct (void)
{
  GstBuffer *out[G_N_ELEMENTS (views)];
  Bench bench;

  bench_init (&bench, "Y444", WIDTH, HEIGHT, "quality", 40, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    set_view (&bench, views[i]);
    bench_push (&bench, 0);
    out[i] = bench_pull (&bench);
    for (guint k = 0; k < i; k++)
      g_assert_false (frames_equal (&bench.info, out[i], out[k]));
  }
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    gst_buffer_unref (out[i]);
  bench_clear (&bench);
}

/* Several frames in flight, each with a view of its own. */
static void
test_in_flight (void)
{
  GstBuffer *in[9], *out, *rec;
  BdctStats stats;
  Bench bench;

  bench_init (&bench, "NV12", WIDTH, HEIGHT, "async-depth", 4, NULL);
  for (guint i = 0; i < 9; i++) {
    in[i] = frame_new (&bench.info, i);
    set_view (&bench, views[i % G_N_ELEMENTS (views)]);
    g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in[i])), ==,
        GST_FLOW_OK);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint i = 0; i < 9; i++) {
    out = bench_pull (&bench);
    rec = frame_expect (&bench.info, in[i], &defaults, &stats);
    check_view (&bench, i % G_N_ELEMENTS (views), in[i], rec, out);
    gst_buffer_unref (out);
    gst_buffer_unref (rec);
    gst_buffer_unref (in[i]);
  }
  bench_clear (&bench);
}

/* Every view and the grid at sizes where there is nothing to divide. */
static void
test_tiny (void)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {17, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
      Bench bench;

      bench_init (&bench, v % 2 ? "I420" : "P010_10LE", sizes[i][0],
          sizes[i][1], "grid", TRUE, NULL);
      set_view (&bench, views[v]);
      bench_pass (&bench, 0);
      bench_clear (&bench);
    }
}

/* A map goes on at whatever size, depth and subsampling comes next. */
static void
test_resize (void)
{
  Bench bench;

  bench_init (&bench, "I420", 64, 48, "grid", TRUE, NULL);
  set_view (&bench, "error-map");
  for (guint i = 0; i < 12; i++) {
    bench_set_caps (&bench, i % 3 ? "Y444_12LE" : "NV12", 300 - 25 * i,
        17 + 19 * i);
    bench_pass (&bench, i);
  }
  bench_clear (&bench);
}

/* Lines of blocks are where blocks begin, and nowhere else. */
static void
test_grid (void)
{
  static const struct
  {
    const gchar *transform;
    gint side;
  } cases[] = {
    {"jpeg-8x8", 8}, {"hevc-4x4", 4}, {"hevc-32x32", 32}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases) * N_PICTURES; i++) {
    const gint side = cases[i / N_PICTURES].side;
    gint *bare, *lines, w, h, on_lines = 0;
    GstBuffer *out[2];
    Bench bench;

    bench_init (&bench, "I420", WIDTH, HEIGHT, NULL);
    element_set (bench.element, "transform", cases[i / N_PICTURES].transform);
    set_view (&bench, views[i % N_PICTURES]);
    for (guint k = 0; k < 2; k++) {
      GstStructure *s;

      g_object_set (bench.element, "grid", k == 1, NULL);
      out[k] = bench_frame (&bench, 0, &s);
      gst_structure_free (s);
    }
    bare = frame_samples (&bench.info, out[0], BDCT_Y, &w, &h);
    lines = frame_samples (&bench.info, out[1], BDCT_Y, &w, &h);
    for (gint k = 0; k < w * h; k++)
      if (bare[k] != lines[k]) {
        g_assert_true (k % w % side == 0 || k / w % side == 0);
        on_lines++;
      }
    /* As good as all of them: a sample may have the line's value. */
    g_assert_cmpint (on_lines, >, w * h / side);
    g_free (bare);
    g_free (lines);
    gst_buffer_unref (out[0]);
    gst_buffer_unref (out[1]);
    bench_clear (&bench);
  }
}

/* The maps' colours follow the caps: white of a full range is no other's. */
static void
test_colorimetry (void)
{
  static const gchar *colorimetries[] = { "bt601", "bt709", "1:3:5:1" };
  gint seen[3][3];

  for (guint i = 0; i < 3; i++) {
    GstCaps *caps;
    GstBuffer *in, *out;
    Bench bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    set_view (&bench, "nonzero-map");
    video_info (&bench.info, "Y444", 32, 32);
    caps = video_caps ("Y444", 32, 32);
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[i],
        NULL);
    gst_harness_set_src_caps (bench.h, caps);
    /* Grey: nothing but zeros. */
    in = frame_new (&bench.info, 0);
    gst_buffer_memset (in, 0, 128, bench.info.size);
    gst_harness_push (bench.h, in);
    out = bench_pull (&bench);
    for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
      gint w, h, *samples = frame_samples (&bench.info, out, c, &w, &h);

      seen[i][c] = samples[0];
      g_free (samples);
    }
    gst_buffer_unref (out);
    bench_clear (&bench);
  }
  /* 0x440154, as it was computed by hand: BT.601, BT.709, full BT.709. */
  g_assert_cmpint (ABS (seen[0][0] - 42), <=, 1);
  g_assert_cmpint (ABS (seen[0][1] - 155), <=, 1);
  g_assert_cmpint (ABS (seen[0][2] - 151), <=, 1);
  g_assert_cmpint (ABS (seen[1][0] - 34), <=, 1);
  g_assert_cmpint (ABS (seen[2][0] - 21), <=, 1);
}

/* Controlled by time as well. */
static void
test_flags (void)
{
  static const gchar *const live[] = { "view", "grid" };
  Bench bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (live); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (bench.element), live[i]);

    g_assert_cmphex (pspec->flags & (GST_PARAM_CONTROLLABLE
            | GST_PARAM_MUTABLE_PLAYING), ==,
        GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
  }
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/view/formats", test_every_format);
  test_add ("/view/distinct", test_distinct);
  test_add ("/view/in-flight", test_in_flight);
  test_add ("/view/tiny", test_tiny);
  test_add ("/view/resize", test_resize);
  test_add ("/view/grid", test_grid);
  test_add ("/view/colorimetry", test_colorimetry);
  test_add ("/view/flags", test_flags);
  return test_run ();
}
