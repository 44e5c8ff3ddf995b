/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: zoom, every format against what it shows at 1:1, keys,
 * wheel, and drags. (tests/unit/test-view.c has every sample of every zoomed
 * view.) */
#include <math.h>
#include <string.h>
#include "rgb-formats.h"
#include "viewer.h"

#define WIDTH 131
#define HEIGHT 101

static GstBuffer *
show (Duel * duel, const GstVideoInfo * info, guint n)
{
  return duel_show (duel, frame_new (info, n), duel_distorted_new (info, n));
}

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
  /* A wipe at an edge has no line. */
  static const struct
  {
    const gchar *view;
    gdouble position;
  } views[] = {
    {"wipe", 0}, {"wipe", 1}, {"difference", 0.5}, {"flicker", 0.5},
    {"error-map", 0.5}, {"ssim-map", 0.5}, {"hvs-map", 0.5}
  };
  static const gdouble zooms[] = { 2, 3.5, 1.00390625, 8, 15.99609375, 5, 3 };
  static const gdouble shares[] = { 0.3, 1, 0, 0.5, 0.71 };
  GstVideoInfo info;
  Duel duel;

  duel_open (&duel, &info, format, WIDTH, HEIGHT, 2, "");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    const gdouble zoom = zooms[i], zoom_x = shares[i % 5];
    const gdouble zoom_y = shares[(i + 2) % 5];
    GstBuffer *small, *large;

    g_object_set (duel.element, "zoom", 1.0, "wipe-position",
        views[i].position, NULL);
    element_set (duel.element, "view", views[i].view);
    small = show (&duel, &info, 0);
    g_object_set (duel.element, "zoom", zoom, "zoom-x", zoom_x, "zoom-y",
        zoom_y, NULL);
    large = show (&duel, &info, 0);
    /* The legend, which a map has from 96 samples on, is not enlarged. */
    if (!g_str_has_suffix (views[i].view, "-map"))
      check_enlarged (&info, small, large, zoom, zoom_x, zoom_y);
    g_assert_cmpfloat (get_double (duel_figures (small, "dist_sink"), "mse"),
        ==, get_double (duel_figures (large, "dist_sink"), "mse"));
    gst_buffer_unref (small);
    gst_buffer_unref (large);
  }
  duel_clear (&duel);
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
  GstVideoInfo info;
  GstVideoFrame a;
  GstBuffer *out;
  Duel duel;

  duel_open (&duel, &info, "RGBx", WIDTH, HEIGHT, 2,
      "zoom=4 wipe-position=0.25");
  out = show (&duel, &info, 0);
  g_assert_true (gst_video_frame_map (&a, &info, out, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint k = 0; k < 3; k++) {
      const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&a, 0)
          + y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, 0);

      g_assert_cmpint (row[4 * 33 + k], ==, 255);
    }
  gst_video_frame_unmap (&a);
  gst_buffer_unref (out);
  duel_clear (&duel);
}

static void
assert_zoom (Duel * duel, gdouble zoom, gdouble zoom_x, gdouble zoom_y)
{
  gdouble is[3];

  g_object_get (duel->element, "zoom", &is[0], "zoom-x", &is[1], "zoom-y",
      &is[2], NULL);
  g_assert_cmpfloat_with_epsilon (is[0], zoom, 1e-9);
  g_assert_cmpfloat_with_epsilon (is[1], zoom_x, 1e-9);
  g_assert_cmpfloat_with_epsilon (is[2], zoom_y, 1e-9);
}

/* A pair that is shown has a size, which the pointer needs. */
static void
start_interactive (Duel * duel, const gchar * properties)
{
  gchar *all = g_strconcat ("interactive=true ", properties, NULL);
  GstVideoInfo info;

  duel_open (duel, &info, "I420", 320, 200, 2, all);
  gst_buffer_unref (show (duel, &info, 0));
  g_free (all);
}

static void
test_keys (void)
{
  static const gdouble zooms[] = { 2, 3, 4, 6, 8, 12, 16, 16 };
  static const gchar *const in[] = { "plus", "+", "equal", "=", "KP_Add" };
  static const gchar *const out[] = { "minus", "-", "KP_Subtract" };
  static const gchar *const whole[] = { "0", "KP_0" };
  Duel duel;

  start_interactive (&duel, "view=flicker");
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++) {
    viewer_send (duel.element, viewer_key (in[i % G_N_ELEMENTS (in)]));
    assert_zoom (&duel, zooms[i], 0.5, 0.5);
  }
  for (gint i = 5; i >= 0; i--) {
    viewer_send (duel.element, viewer_key (out[i % G_N_ELEMENTS (out)]));
    assert_zoom (&duel, zooms[i], 0.5, 0.5);
  }
  for (guint i = 0; i < G_N_ELEMENTS (whole); i++) {
    g_object_set (duel.element, "zoom", 5.0, "zoom-x", 0.0, NULL);
    viewer_send (duel.element, viewer_key (whole[i]));
    assert_zoom (&duel, 1, 0.5, 0.5);
  }
  g_object_set (duel.element, "zoom", 5.0, NULL);
  viewer_send (duel.element, viewer_key ("-"));
  assert_zoom (&duel, 4, 0.5, 0.5);
  duel_clear (&duel);
}

/* What is under the pointer stays there, with Ctrl, which the bin leaves to
 * this element, and without. Sideways and outside it is not the wheel's. */
static void
test_wheel (void)
{
  GstElement *element;
  Duel duel;

  start_interactive (&duel, "view=flicker");
  element = duel.element;
  g_assert_false (viewer_send (element, viewer_wheel (80, 50, 1)));
  assert_zoom (&duel, 2, 0.25, 0.25);
  g_assert_false (viewer_send (element, gst_navigation_event_new_mouse_scroll
          (80, 50, 0, 120, GST_NAVIGATION_MODIFIER_CONTROL_MASK)));
  assert_zoom (&duel, 3, 0.25, 0.25);
  /* Elsewhere: 160 shows column (160 + 160) / 3 of the picture. */
  viewer_send (element, viewer_wheel (160, 50, 1));
  assert_zoom (&duel, 4, (320 * 4 / 3.0 - 160) / 960, 0.25);
  /* X11's. */
  for (gint button = 5; button >= 4; button--) {
    g_assert_false (viewer_send (element,
            gst_navigation_event_new_mouse_button_press (button, 160, 50, 0)));
    g_assert_false (viewer_send (element,
            gst_navigation_event_new_mouse_button_release (button, 160, 50,
                0)));
    viewer_assert (element, "zoom", button == 5 ? "3" : "4");
  }
  g_assert_true (viewer_send (element,
          gst_navigation_event_new_mouse_button_press (4, 5, 200, 0)));
  g_assert_true (viewer_send (element,
          gst_navigation_event_new_mouse_scroll (5, 5, 1, 0, 0)));
  g_assert_true (viewer_send (element, viewer_wheel (320, 5, 1)));
  viewer_assert (element, "zoom", "4");
  duel_clear (&duel);
}

/* Zoomed, the picture follows the pointer, up to its edges; but the line of a
 * wipe is still to be had. */
static void
test_drag (void)
{
  GstElement *element;
  gdouble wipe;
  Duel duel;

  start_interactive (&duel, "view=flicker zoom=4");
  element = duel.element;
  viewer_drag (element, 100, 100, 148, 70);
  assert_zoom (&duel, 4, 0.5 - 48 / 960.0, 0.5 + 30 / 600.0);
  for (guint i = 0; i < 12; i++)
    viewer_drag (element, 10, 10, 310, 190);
  assert_zoom (&duel, 4, 0, 0);
  element_set (element, "view", "wipe");
  viewer_drag (element, 161, 10, 80, 10);
  assert_zoom (&duel, 4, 0, 0);
  g_object_get (element, "wipe-position", &wipe, NULL);
  g_assert_cmpfloat_with_epsilon (wipe, 80 / 319.0, 1e-9);
  viewer_drag (element, 161, 10, 65, 10);
  assert_zoom (&duel, 4, 0.1, 0);
  duel_clear (&duel);
}

/* Of any size, with anything on top. */
static void
test_tiny (void)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {17, 1} };
  static const gchar *const formats[] = { "I420", "P010_10LE", "BGRx", "NV16" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (formats); i++) {
    const gint *size = sizes[i / G_N_ELEMENTS (formats)];
    gchar *properties = g_strdup_printf ("zoom=16 zoom-x=%g", i % 3 / 2.0);
    GstVideoInfo info;
    Duel duel;

    duel_open (&duel, &info, formats[i % G_N_ELEMENTS (formats)], size[0],
        size[1], 2, properties);
    gst_buffer_unref (show (&duel, &info, 0));
    g_free (properties);
    duel_clear (&duel);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/compare-zoom/planes", test_formats_of_planes);
  test_add ("/compare-zoom/pixels", test_formats_of_pixels);
  test_add ("/compare-zoom/wipe", test_wipe);
  test_add ("/compare-zoom/keys", test_keys);
  test_add ("/compare-zoom/wheel", test_wheel);
  test_add ("/compare-zoom/drag", test_drag);
  test_add ("/compare-zoom/tiny", test_tiny);
  return test_run ();
}
