/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A property that is set is in force from the next frame on, or refused aloud:
 * none is read back as set, and ignored; none acts on earlier frames. */
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include "bench.h"

#define DEPTH 4

static void
check_report (Bench * bench, const gchar * type, guint first, guint n)
{
  GstStructure *s = bench_pop_report (bench, type);

  g_assert_cmpuint (get_uint64 (s, "index"), ==, first);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, n);
  gst_structure_free (s);
}

/* Those that entered before intervals were asked for are in none. */
static void
test_interval (void)
{
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 16, 16, "async-depth", DEPTH, NULL);
  bench.drain = FALSE;
  for (guint n = 0; n < 8; n++) {
    if (n == 3 || n == 6)
      g_object_set (bench.element, "interval", n == 3 ? 2 * FRAME : 0, NULL);
    bench_push (&bench, n);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 3; n++)
    check_report (&bench, "frame", n, 1);
  check_report (&bench, "interval", 3, 2);
  check_report (&bench, "interval", 5, 1);
  check_report (&bench, "frame", 6, 1);
  check_report (&bench, "frame", 7, 1);
  check_report (&bench, "pooled", 0, 8);
}

/* What each property does to the frames that enter after it is set. */
static const struct
{
  const gchar *format, *before, *name, *value;
} shown[] = {
  {"I420", "", "transform", "hevc-8x8"}, {"NV12", "", "quality", "20"},
  {"I420", "transform=hevc-4x4", "qp", "50"},
  {"I420", "transform=hevc-8x8 qp=40", "chroma-qp-offset", "-12"},
  {"I420", "transform=hevc-8x8 qp=35", "deadzone", "0.17"},
  {"I420", "transform=hevc-8x8", "scaling-list", "default"},
  {"I420", "transform=hevc-quadtree", "min-block", "16"},
  {"I420", "transform=hevc-quadtree", "max-block", "8"},
  {"I420", "transform=hevc-quadtree qp=40", "lambda-scale", "40"},
  {"I420", "quality=5", "baseline", "false"},
  {"I420", "quality=40", "quantization-tables", "flat"},
  {"BGRx", "quality=30", "chroma-subsampling", "4:4:4"},
  {"I420", "", "target-psnr", "25"}, {"I420", "", "target-ssim", "0.5"},
  {"I420", "", "target-bpp", "1.5"}, {"I420", "", "target-size", "2500"},
  {"I420", "", "view", "original"}, {"RGB", "quality=9", "view", "error-map"},
  {"P010_10LE", "", "view", "nonzero-map"}, {"Y444", "", "grid", "true"},
};

static void
set_all (GstElement * element, const gchar * settings)
{
  gchar **parts = g_strsplit (settings, " ", 0);

  for (guint i = 0; parts[i] != NULL && *parts[i] != '\0'; i++) {
    gchar **part = g_strsplit (parts[i], "=", 2);

    element_set (element, part[0], part[1]);
    g_strfreev (part);
  }
  g_strfreev (parts);
}

/* Frames with one property set before a frame enters. */
static void
make_frames (guint i, guint first, GstBuffer * out[2 * DEPTH],
    GstVideoInfo * info)
{
  g_auto (Bench) bench;

  bench_init (&bench, shown[i].format, 96, 64, "async-depth", DEPTH, NULL);
  bench.drain = FALSE;
  set_all (bench.element, shown[i].before);
  for (guint n = 0; n < 2 * DEPTH; n++) {
    if (n == first)
      gst_util_set_object_arg (G_OBJECT (bench.element), shown[i].name,
          shown[i].value);
    bench_push (&bench, n);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint n = 0; n < 2 * DEPTH; n++) {
    out[n] = gst_harness_try_pull (bench.h);
    g_assert_nonnull (out[n]);
  }
  *info = bench.info;
}

/* Frames in flight are as they would be without it, the others as with it from
 * the start; and these are not the same. */
static void
test_shown (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    GstBuffer *without[2 * DEPTH], *with[2 * DEPTH], *out[2 * DEPTH];
    GstVideoInfo info;

    g_test_message ("%s=%s", shown[i].name, shown[i].value);
    make_frames (i, 2 * DEPTH, without, &info);
    make_frames (i, 0, with, &info);
    make_frames (i, 3, out, &info);
    for (guint n = 0; n < 2 * DEPTH; n++) {
      g_assert_true (frames_equal (&info, n < 3 ? without[n] : with[n],
              out[n]));
      g_assert_false (frames_equal (&info, without[n], with[n]));
      gst_buffer_unref (without[n]);
      gst_buffer_unref (with[n]);
      gst_buffer_unref (out[n]);
    }
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
    g_auto (Bench) bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    element_set (bench.element, "view", "nonzero-map");
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
  }
  /* 0x440154, as it was computed by hand: BT.601, BT.709, full BT.709. */
  g_assert_cmpint (ABS (seen[0][0] - 42), <=, 1);
  g_assert_cmpint (ABS (seen[0][1] - 155), <=, 1);
  g_assert_cmpint (ABS (seen[0][2] - 151), <=, 1);
  g_assert_cmpint (ABS (seen[1][0] - 34), <=, 1);
  g_assert_cmpint (ABS (seen[2][0] - 21), <=, 1);
}

#ifdef HAVE_CONTROLLER
/* Time is the stream's, whatever the buffers' timestamps are. */
static void
test_controller_segment (void)
{
  g_autoptr (GstControlSource) source;
  GstSegment segment;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 32, 32, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 2 * FRAME;
  segment.time = 100 * FRAME;
  gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
  source = gst_interpolation_control_source_new ();
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (bench.element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (bench.element),
          "quality", source));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 11);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      101 * FRAME, 77);
  for (guint n = 2; n < 4; n++) {
    g_autoptr (GstStructure) s;

    bench_pass (&bench, n);
    s = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (s, "quality"), ==, n == 2 ? 11 : 77);
  }
}
#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/in-force/interval", test_interval);
  test_add ("/in-force/shown", test_shown);
  test_add ("/in-force/colorimetry", test_colorimetry);
#ifdef HAVE_CONTROLLER
  test_add ("/in-force/controller", test_controller_segment);
#endif
  return test_run ();
}
