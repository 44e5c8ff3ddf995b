/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Zoom: every format against what it shows at 1:1, keys, wheel, drags and
 * clicks. (tests/check/test-view.c has every sample of every zoomed view.) */
#include <math.h>
#include <string.h>
#include "bench.h"
#include "rgb-formats.h"

#define WIDTH 131
#define HEIGHT 101

/* Place `at` of the view in the picture. */
static gint
find (gint at, gint side, gdouble zoom, gdouble share)
{
  return floor ((at + round (share * (floor (side * zoom) - side))) / zoom);
}

/* All that a format calls a component, alpha too. */
static void
check_enlarged (const GstVideoInfo * info, GstBuffer * small,
    GstBuffer * large, gdouble zoom, gdouble zoom_x, gdouble zoom_y)
{
  GstVideoFrame a, b;

  g_assert_true (gst_video_frame_map (&a, info, small, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&b, info, large, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    const gint bytes = GST_VIDEO_INFO_COMP_DEPTH (info, c) > 8 ? 2 : 1;
    const gint sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, c);
    const gint sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c);
    const guint8 *from = GST_VIDEO_FRAME_COMP_DATA (&a, c);
    const guint8 *to = GST_VIDEO_FRAME_COMP_DATA (&b, c);

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&b, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (&b, c); x++) {
        gint px = find (x << sub_x, WIDTH, zoom, zoom_x) >> sub_x;
        gint py = find (y << sub_y, HEIGHT, zoom, zoom_y) >> sub_y;

        if (memcmp (from + py * GST_VIDEO_FRAME_COMP_STRIDE (&a, c)
                + px * GST_VIDEO_FRAME_COMP_PSTRIDE (&a, c),
                to + y * GST_VIDEO_FRAME_COMP_STRIDE (&b, c)
                + x * GST_VIDEO_FRAME_COMP_PSTRIDE (&b, c), bytes) != 0)
          g_error ("%s, zoom %g at %g, %g: component %u (%d, %d) is not that "
              "at (%d, %d)", GST_VIDEO_INFO_NAME (info), zoom, zoom_x, zoom_y,
              c, x, y, px, py);
      }
  }
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
}

static void
check_format (const gchar * format)
{
  static const gchar *views[] = { "reconstruction", "original", "difference",
    "nonzero-map", "error-map", "coefficients", "reconstruction-b"
  };
  static const gdouble zooms[] = { 2, 3.5, 1.00390625, 8, 15.99609375, 5, 3 };
  static const gdouble shares[] = { 0.3, 1, 0, 0.5, 0.71 };
  Bench bench;

  bench_init (&bench, format, WIDTH, HEIGHT, "quality", 20, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "b-transform",
      "hevc-16x16");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    const gdouble zoom = zooms[i], zoom_x = shares[i % 5];
    const gdouble zoom_y = shares[(i + 2) % 5];
    GstStructure *before, *after;
    GstBuffer *small, *large;

    g_object_set (bench.element, "zoom", 1.0, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", views[i]);
    small = bench_frame (&bench, i, &before);
    g_object_set (bench.element, "zoom", zoom, "zoom-x", zoom_x, "zoom-y",
        zoom_y, NULL);
    large = bench_frame (&bench, i, &after);
    /* The legend, which a map has from 96 samples on, is not enlarged. */
    if (!g_str_has_suffix (views[i], "-map"))
      check_enlarged (&bench.info, small, large, zoom, zoom_x, zoom_y);
    g_assert_cmpfloat (get_double (before, "mse"), ==,
        get_double (after, "mse"));
    g_assert_cmpfloat (get_double (before, "nonzero"), ==,
        get_double (after, "nonzero"));
    gst_structure_free (before);
    gst_structure_free (after);
    gst_buffer_unref (small);
    gst_buffer_unref (large);
  }
  bench_clear (&bench);
}

static void
test_formats_of_planes (void)
{
  for (guint f = 0; f < N_TEST_FORMATS; f++)
    check_format (test_formats[f].name);
}

static void
test_formats_of_pixels (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++)
    check_format (rgb_formats[f].name);
}

/* In pixels, too, the line of a wipe is where it is, white and one wide. */
static void
test_wipe (void)
{
  GstStructure *report;
  GstVideoFrame a;
  GstBuffer *out;
  Bench bench;

  bench_init (&bench, "RGBx", WIDTH, HEIGHT, "zoom", 4.0, "wipe-position", 0.25,
      NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "wipe");
  out = bench_frame (&bench, 0, &report);
  g_assert_true (gst_video_frame_map (&a, &bench.info, out, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint k = 0; k < 3; k++) {
      const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&a, 0)
          + y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, 0);

      g_assert_cmpint (row[4 * 33 + k], ==, 255);
    }
  gst_video_frame_unmap (&a);
  gst_structure_free (report);
  gst_buffer_unref (out);
  bench_clear (&bench);
}

static void
send (Bench * bench, GstEvent * event)
{
  gst_harness_push_upstream_event (bench->h, event);
}

static void
assert_zoom (Bench * bench, gdouble zoom, gdouble zoom_x, gdouble zoom_y)
{
  gdouble is[3];

  g_object_get (bench->element, "zoom", &is[0], "zoom-x", &is[1], "zoom-y",
      &is[2], NULL);
  g_assert_cmpfloat_with_epsilon (is[0], zoom, 1e-9);
  g_assert_cmpfloat_with_epsilon (is[1], zoom_x, 1e-9);
  g_assert_cmpfloat_with_epsilon (is[2], zoom_y, 1e-9);
}

static GstEvent *
key (const gchar * name)
{
  return gst_navigation_event_new_key_press (name, 0);
}

static GstEvent *
wheel (gdouble x, gdouble y, gdouble by)
{
  return gst_navigation_event_new_mouse_scroll (x, y, 0, by,
      GST_NAVIGATION_MODIFIER_CONTROL_MASK);
}

static void
drag (Bench * bench, gdouble x0, gdouble y0, gdouble x1, gdouble y1)
{
  send (bench, gst_navigation_event_new_mouse_button_press (1, x0, y0, 0));
  send (bench, gst_navigation_event_new_mouse_move ((x0 + x1) / 2,
          (y0 + y1) / 2, 0));
  send (bench, gst_navigation_event_new_mouse_move (x1, y1, 0));
  send (bench, gst_navigation_event_new_mouse_button_release (1, x1, y1, 0));
}

static void
test_keys (void)
{
  static const gdouble zooms[] = { 2, 3, 4, 6, 8, 12, 16, 16 };
  static const gchar *in[] = { "plus", "+", "equal", "=", "KP_Add" };
  static const gchar *out[] = { "minus", "-", "KP_Subtract" };
  Bench bench;

  bench_init (&bench, "I420", 320, 200, "interactive", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++) {
    send (&bench, key (in[i % G_N_ELEMENTS (in)]));
    assert_zoom (&bench, zooms[i], 0.5, 0.5);
  }
  for (gint i = 5; i >= 0; i--) {
    send (&bench, key (out[i % G_N_ELEMENTS (out)]));
    assert_zoom (&bench, zooms[i], 0.5, 0.5);
  }
  g_object_set (bench.element, "zoom", 5.0, "zoom-x", 0.0, NULL);
  send (&bench, key ("0"));
  assert_zoom (&bench, 1, 0.5, 0.5);
  g_object_set (bench.element, "zoom", 5.0, NULL);
  send (&bench, key ("-"));
  assert_zoom (&bench, 4, 0.5, 0.5);
  bench_clear (&bench);
}

/* What is under the pointer stays there; without Ctrl nothing is zoomed. */
static void
test_wheel (void)
{
  gint quality;
  Bench bench;

  bench_init (&bench, "I420", 320, 200, "interactive", TRUE, "quality", 50,
      NULL);
  send (&bench, wheel (80, 50, 1));
  assert_zoom (&bench, 2, 0.25, 0.25);
  send (&bench, wheel (80, 50, 120));
  assert_zoom (&bench, 3, 0.25, 0.25);
  /* Elsewhere: 160 shows column (160 + 160) / 3 of the picture. */
  send (&bench, wheel (160, 50, 1));
  assert_zoom (&bench, 4, (320 * 4 / 3.0 - 160) / 960, 0.25);
  /* X11's. */
  send (&bench, gst_navigation_event_new_mouse_button_press (5, 0, 0,
          GST_NAVIGATION_MODIFIER_CONTROL_MASK));
  send (&bench, wheel (0, 0, -1));
  send (&bench, wheel (0, 0, -1));
  g_object_get (bench.element, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 50);
  send (&bench, gst_navigation_event_new_mouse_scroll (5, 5, 0, 1, 0));
  g_object_get (bench.element, "quality", &quality, NULL);
  g_assert_cmpint (quality, ==, 51);
  bench_clear (&bench);
}

/* Zoomed, the picture follows the pointer, up to its edges; but the line of a
 * wipe is still to be had. */
static void
test_drag (void)
{
  gdouble wipe;
  Bench bench;

  bench_init (&bench, "I420", 320, 200, "interactive", TRUE, "zoom", 4.0, NULL);
  drag (&bench, 100, 100, 148, 70);
  assert_zoom (&bench, 4, 0.5 - 48 / 960.0, 0.5 + 30 / 600.0);
  for (guint i = 0; i < 12; i++)
    drag (&bench, 10, 10, 310, 190);
  assert_zoom (&bench, 4, 0, 0);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "wipe");
  drag (&bench, 161, 10, 80, 10);
  assert_zoom (&bench, 4, 0, 0);
  g_object_get (bench.element, "wipe-position", &wipe, NULL);
  g_assert_cmpfloat_with_epsilon (wipe, 80 / 319.0, 1e-9);
  drag (&bench, 161, 10, 65, 10);
  assert_zoom (&bench, 4, 0.1, 0);
  bench_clear (&bench);
}

/* The block that a click is on is that which is seen there. */
static void
test_click (void)
{
  static const struct
  {
    const gchar *view;
    gdouble zoom, zoom_x, x;
    gint block;
  } clicks[] = {
    {"reconstruction", 4, 0, 100, 24}, {"reconstruction", 4, 1, 100, 264},
    {"wipe", 2.5, 0.5, 319, 216}, {"side-by-side", 8, 0, 100, 8},
    {"side-by-side", 8, 0, 260, 8}, {"difference", 16, 0.5, 0, 144},
  };

  for (guint i = 0; i < G_N_ELEMENTS (clicks); i++) {
    GstStructure *report, *s;
    GstBuffer *out;
    Bench bench;

    bench_init (&bench, "I420", 320, 200, "interactive", TRUE, "zoom",
        clicks[i].zoom, "zoom-x", clicks[i].zoom_x, "zoom-y", 0.0,
        "wipe-position", 0.0, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", clicks[i].view);
    out = bench_frame (&bench, 0, &report);
    gst_structure_free (report);
    gst_buffer_unref (out);
    s = bench_click (&bench, clicks[i].x, 33);
    g_assert_cmpint (get_int (s, "x"), ==, clicks[i].block);
    g_assert_cmpint (get_int (s, "y"), ==, (gint) (33 / clicks[i].zoom) & ~7);
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* Of any size, with anything on top. */
static void
test_tiny (void)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {17, 1} };
  static const gchar *formats[] = { "I420", "P010_10LE", "BGRx", "NV16" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (formats); i++) {
    const gint *size = sizes[i / G_N_ELEMENTS (formats)];
    GstStructure *report;
    GstBuffer *out;
    Bench bench;

    bench_init (&bench, formats[i % G_N_ELEMENTS (formats)], size[0], size[1],
        "grid", TRUE, "zoom", 16.0, "zoom-x", i % 3 / 2.0, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", "wipe");
    out = bench_frame (&bench, 0, &report);
    gst_structure_free (report);
    gst_buffer_unref (out);
    bench_clear (&bench);
  }
}

static void
test_flags (void)
{
  static const gchar *live[] = { "zoom", "zoom-x", "zoom-y", "magnifier",
    "magnifier-x", "magnifier-y"
  };
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
  test_add ("/zoom/planes", test_formats_of_planes);
  test_add ("/zoom/pixels", test_formats_of_pixels);
  test_add ("/zoom/wipe", test_wipe);
  test_add ("/zoom/keys", test_keys);
  test_add ("/zoom/wheel", test_wheel);
  test_add ("/zoom/drag", test_drag);
  test_add ("/zoom/click", test_click);
  test_add ("/zoom/tiny", test_tiny);
  test_add ("/zoom/flags", test_flags);
  return test_run ();
}
