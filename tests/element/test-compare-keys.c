/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: keys, the wheel and the pointer, as sinks send them
 * upstream; and that each view is shown, with what of it follows from times and
 * caps. (tests/differential has every sample of every view.) */
#include <math.h>
#include <string.h>
#include "viewer.h"

#define W 320
#define H 200

static const gchar *const sides[] = { "left", "right", "view" };

static void
start (Duel * duel, guint n_inputs, const gchar * properties)
{
  GstVideoInfo info;

  duel_open (duel, &info, "I420", W, H, n_inputs, properties);
}

/* Show pair `n` of these caps. */
static void
show (Duel * duel, const GstVideoInfo * info, guint n)
{
  gst_buffer_unref (duel_show (duel, frame_new (info, n),
          duel_distorted_new (info, n)));
}

static gdouble
wipe (Duel * duel)
{
  gdouble position;

  g_object_get (duel->element, "wipe-position", &position, NULL);
  return position;
}

static const struct
{
  const gchar *key, *property, *value;
} key_tests[] = {
  {"v", "view", "side-by-side"}, {"c", "right", "1"}, {"x", "left", "0"},
  {"x", "right", "-1"}, {"space", "view", "single"}, {" ", "view", "single"},
  {"space", "right", "-1"},
};

/* Each key turns its property, once when it goes down, and is told of. */
static void
test_keys (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++) {
    guint n = 0;
    g_auto (Duel) duel;

    start (&duel, 3, "interactive=true");
    viewer_count (duel.element, key_tests[i].property, &n);
    g_assert_false (viewer_send (duel.element, viewer_key (key_tests[i].key)));
    viewer_assert (duel.element, key_tests[i].property, key_tests[i].value);
    g_assert_cmpint (n, ==, 1);
    g_assert_false (viewer_send (duel.element,
            gst_navigation_event_new_key_release (key_tests[i].key, 0)));
    viewer_assert (duel.element, key_tests[i].property, key_tests[i].value);
    g_assert_cmpint (n, ==, 1);
  }
}

/* All views in turn, each of which is shown. */
static void
test_views (void)
{
  static const gchar *const views[] = {
    "side-by-side", "stacked", "flicker", "difference", "single", "error-map",
    "ssim-map", "hvs-map", "wipe"
  };
  GstVideoInfo info;
  g_auto (Duel) duel;

  video_info (&info, "I420", W, H);
  start (&duel, 2, "interactive=true");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    viewer_send (duel.element, viewer_key ("v"));
    viewer_assert (duel.element, "view", views[i]);
    show (&duel, &info, i);
  }
}

/* Which pictures are shown. After space, whatever is left is come back to. */
static void
test_sides (void)
{
  static const struct
  {
    const gchar *key, *after;
  } steps[] = {
    {"x", "0 -1 wipe"}, {"x", "-1 0 wipe"}, {"c", "-1 1 wipe"},
    {"c", "0 1 wipe"}, {"c", "-1 0 wipe"}, {"space", "-1 -1 single"},
    {"space", "-1 0 wipe"}, {"space", "-1 -1 single"}, {"v", "-1 -1 error-map"},
    {"space", "-1 -1 single"}, {"space", "-1 -1 error-map"},
    {"x", "-1 -1 error-map"}, {"c", "-1 0 error-map"}, {"x", "0 -1 error-map"},
    {" ", "0 0 single"}, {" ", "0 -1 error-map"},
  };
  g_auto (Duel) duel;

  start (&duel, 3, "interactive=true");
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_test_message ("%s", steps[i].key);
    viewer_send (duel.element, viewer_key (steps[i].key));
    viewer_assert_all (duel.element, sides, G_N_ELEMENTS (sides),
        steps[i].after);
  }
}

/* What is nobody's command here goes on untouched: to the bin, or to a
 * program. */
static void
test_unknown (void)
{
  static const gchar *const keys[] = { "V", "Return", "y", "", "Page_Up", "Up",
    "Down", "Left", "Right", "g", "b", "f", "m"
  };
  GstElement *element;
  GstVideoInfo info;
  g_auto (Duel) duel;

  video_info (&info, "I420", W, H);
  start (&duel, 2, "interactive=true");
  element = duel.element;
  show (&duel, &info, 0);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (viewer_send (element, viewer_key (keys[i])));
  g_assert_true (viewer_send (element, gst_navigation_event_new_key_press ("v",
              GST_NAVIGATION_MODIFIER_CONTROL_MASK)));
  g_assert_true (viewer_send (element, gst_navigation_event_new_key_press ("x",
              GST_NAVIGATION_MODIFIER_MOD1_MASK)));
  g_assert_true (viewer_send (element, gst_navigation_event_new_command
          (GST_NAVIGATION_COMMAND_UP)));
  g_assert_true (viewer_send (element,
          gst_navigation_event_new_mouse_button_press (3, 5, 5, 0)));
  g_assert_true (viewer_send (element, viewer_button (FALSE, 5, 5)));
  g_assert_true (viewer_send (element, viewer_move (5, 5)));
  /* Hardly an event at all. */
  g_assert_true (viewer_send (element, gst_event_new_navigation
          (gst_structure_new_empty ("application/x-gst-navigation"))));
  g_assert_true (viewer_send (element, gst_event_new_navigation
          (gst_structure_new ("application/x-gst-navigation", "event",
                  G_TYPE_STRING, "key-press", NULL))));
  viewer_assert (element, "view", "wipe");
}

static void
test_not_interactive (void)
{
  GstElement *element;
  GstVideoInfo info;
  guint n = 0;
  g_auto (Duel) duel;

  video_info (&info, "I420", W, H);
  start (&duel, 3, "");
  element = duel.element;
  duel_push (&duel, DUEL_DISTORTED_1, duel_distorted_new (&info, 0));
  show (&duel, &info, 0);
  viewer_count (element, NULL, &n);
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++)
    g_assert_true (viewer_send (element, viewer_key (key_tests[i].key)));
  g_assert_true (viewer_send (element, viewer_key ("plus")));
  g_assert_true (viewer_send (element, viewer_button (TRUE, 5, 5)));
  g_assert_true (viewer_send (element, viewer_move (90, 5)));
  g_assert_true (viewer_send (element, viewer_button (FALSE, 90, 5)));
  g_assert_true (viewer_send (element, viewer_wheel (5, 5, 1)));
  g_assert_cmpint (n, ==, 0);
}

static void
test_drag (void)
{
  GstElement *element;
  GstVideoInfo info;
  guint n = 0;
  g_auto (Duel) duel;

  video_info (&info, "I420", W, H);
  start (&duel, 2, "interactive=true");
  element = duel.element;
  show (&duel, &info, 0);
  viewer_count (element, "wipe-position", &n);
  g_assert_false (viewer_send (element, viewer_button (TRUE, 160, 100)));
  /* A hand that trembles does not drag. */
  g_assert_false (viewer_send (element, viewer_move (161, 101)));
  g_assert_cmpint (n, ==, 0);
  g_assert_false (viewer_send (element, viewer_move (80, 150)));
  g_assert_cmpfloat_with_epsilon (wipe (&duel), 80.0 / (W - 1), 1e-9);
  g_assert_cmpint (n, ==, 1);
  g_assert_false (viewer_send (element, viewer_move (0, 10)));
  g_assert_cmpfloat (wipe (&duel), ==, 0);
  g_assert_false (viewer_send (element, viewer_move (W - 1, 10)));
  g_assert_cmpfloat (wipe (&duel), ==, 1);
  g_assert_false (viewer_send (element, viewer_move (W - 0.1, 10)));
  g_assert_cmpfloat (wipe (&duel), ==, 1);
  /* Outside is ignored, but letting go counts there too. */
  viewer_send (element, viewer_move (40, 10));
  n = 0;
  g_assert_true (viewer_send (element, viewer_move (-1, 10)));
  g_assert_true (viewer_send (element, viewer_move (20, H)));
  g_assert_true (viewer_send (element, viewer_move (NAN, 20)));
  g_assert_cmpint (n, ==, 0);
  g_assert_false (viewer_send (element, viewer_button (FALSE, -50, 1000)));
  g_assert_true (viewer_send (element, viewer_move (100, 100)));
  g_assert_cmpint (n, ==, 0);
  g_assert_true (viewer_send (element, viewer_button (TRUE, W, 1)));
  g_assert_true (viewer_send (element, viewer_move (100, 100)));
  g_assert_cmpint (n, ==, 0);
  /* Stacked halves are dragged up and down. */
  element_set (element, "view", "stacked");
  viewer_send (element, viewer_button (TRUE, 10, 10));
  viewer_send (element, viewer_move (200, H - 1));
  g_assert_cmpfloat (wipe (&duel), ==, 1);
}

static void
push_event (Duel * duel, GstEvent * event)
{
  for (guint i = 0; i < duel->n_inputs; i++) {
    GstPad *pad = gst_element_get_static_pad (duel->input[i], "src");

    gst_pad_push_event (pad, gst_event_ref (event));
    gst_object_unref (pad);
  }
  gst_event_unref (event);
}

/* The stream changes, flushes and stops under the pointer. */
static void
test_change_while_dragging (void)
{
  GstElement *element;
  GstVideoInfo info;
  g_auto (Duel) duel;

  video_info (&info, "I420", W, H);
  start (&duel, 2, "interactive=true");
  element = duel.element;
  /* There is no picture yet. */
  g_assert_true (viewer_send (element, viewer_button (TRUE, 0, 0)));
  g_assert_false (viewer_send (element, viewer_key ("v")));
  show (&duel, &info, 0);
  viewer_send (element, viewer_button (TRUE, 10, 10));
  viewer_send (element, viewer_move (300, 100));
  for (guint i = 1; i < 10; i++) {
    const gint width = 1 + 37 * (9 - i), height = 1 + 11 * i;

    video_info (&info, i % 2 ? "GRAY8" : "P012_LE", width, height);
    for (guint k = 0; k < 2; k++)
      duel_set_caps (&duel, k, &info);
    viewer_send (element, viewer_move (i, 1));
    show (&duel, &info, i);
    /* Whether there is such a place now. */
    g_assert_cmpint (viewer_send (element, viewer_move (30 * i, 1)), ==,
        30 * (gint) i >= width);
  }
  viewer_send (element, viewer_move (0, 0));
  viewer_send (element, viewer_button (FALSE, 0, 0));
  push_event (&duel, gst_event_new_flush_start ());
  viewer_send (element, viewer_button (TRUE, 0, 0));
  viewer_send (element, viewer_button (FALSE, 0, 0));
  push_event (&duel, gst_event_new_flush_stop (TRUE));
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  viewer_send (element, viewer_button (TRUE, 0, 0));
  viewer_send (element, viewer_button (FALSE, 0, 0));
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
  show (duel, &info, 0);
  g_free (all);
}

static void
test_zoom_keys (void)
{
  static const gdouble zooms[] = { 2, 3, 4, 6, 8, 12, 16, 16 };
  static const gchar *const in[] = { "plus", "+", "equal", "=", "KP_Add" };
  static const gchar *const out[] = { "minus", "-", "KP_Subtract" };
  static const gchar *const whole[] = { "0", "KP_0" };
  g_auto (Duel) duel;

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
}

/* What is under the pointer stays there, with Ctrl, which the bin leaves to
 * this element, and without. Sideways and outside it is not the wheel's. */
static void
test_wheel (void)
{
  GstElement *element;
  g_auto (Duel) duel;

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
}

/* Zoomed, the picture follows the pointer, up to its edges; but the line of a
 * wipe is still to be had. */
static void
test_zoom_drag (void)
{
  GstElement *element;
  gdouble wipe;
  g_auto (Duel) duel;

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
}

/* What each property does to the picture of the frames that come after it is
 * set. */
static const struct
{
  const gchar *before, *name, *value;
} shown[] = {
  {"", "view", "side-by-side"}, {"", "view", "stacked"},
  {"", "view", "flicker"}, {"", "view", "difference"}, {"", "view", "single"},
  {"", "view", "error-map"}, {"", "view", "ssim-map"}, {"", "view", "hvs-map"},
  {"", "left", "1"}, {"", "right", "1"}, {"view=single", "right", "-1"},
  {"", "wipe-position", "0.25"}, {"view=stacked", "wipe-position", "1"},
  {"view=difference", "difference-gain", "1"}, {"", "zoom", "3"},
  {"zoom=4", "zoom-x", "0.2"}, {"zoom=4", "zoom-y", "0.9"},
};

/* A frame of three inputs that are the same each time. */
static GstBuffer *
show_same (Duel * duel, const GstVideoInfo * info, guint n)
{
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = frame_new (info, 5 * i);

    GST_BUFFER_PTS (buffer) = n * FRAME;
    duel_push (duel, i, buffer);
  }
  return duel_pull (duel);
}

/* (That a frame is as if it was always set: invariants.) */
static void
test_shown (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    g_autoptr (GstBuffer) without, with;
    GstVideoInfo info;
    g_auto (Duel) duel;

    g_test_message ("%s %s", shown[i].name, shown[i].value);
    duel_open (&duel, &info, "NV12", 64, 48, 3, shown[i].before);
    without = show_same (&duel, &info, 0);
    element_set (duel.element, shown[i].name, shown[i].value);
    with = show_same (&duel, &info, 1);
    g_assert_false (frames_equal (&info, without, with));
  }
}

/* Half a second of each picture, by the stream's time. */
static void
test_flicker (void)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", 131, 101, 2, "view=flicker");
  for (guint n = 0; n < 30; n++) {
    GstBuffer *a = frame_new (&info, n), *b = duel_distorted_new (&info, n);
    GstBuffer *wanted = n * FRAME / (GST_SECOND / 2) % 2 ? b : a;
    GstBuffer *out = duel_show (&duel, gst_buffer_ref (a), gst_buffer_ref (b));

    g_assert_true (frames_equal (&info, wanted, out));
    gst_buffer_unref (a);
    gst_buffer_unref (b);
    gst_buffer_unref (out);
  }
}

/* Where pictures are the same a map has the best colour, 0x440154, by the caps'
 * colorimetry. (Of others: test-caps.c.) */
static void
test_colorimetry (void)
{
  g_autofree gint *samples;
  g_autoptr (GstBuffer) out;
  GstVideoInfo info;
  GstBuffer *frame;
  gint w, h;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "Y444", 64, 32, 2, "view=error-map");
  g_assert_true (gst_video_colorimetry_from_string (&info.colorimetry,
          "1:3:5:1"));
  duel_set_caps (&duel, DUEL_REFERENCE, &info);
  duel_set_caps (&duel, DUEL_DISTORTED, &info);
  frame = frame_new (&info, 0);
  out = duel_show (&duel, gst_buffer_ref (frame), frame);
  samples = frame_samples (&info, out, BDCT_Y, &w, &h);
  g_assert_cmpint (ABS (samples[0] - 21), <=, 1);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/compare-keys/keys", test_keys);
  test_add ("/compare-keys/views", test_views);
  test_add ("/compare-keys/sides", test_sides);
  test_add ("/compare-keys/unknown", test_unknown);
  test_add ("/compare-keys/not-interactive", test_not_interactive);
  test_add ("/compare-keys/drag", test_drag);
  test_add ("/compare-keys/change-while-dragging", test_change_while_dragging);
  test_add ("/compare-zoom/keys", test_zoom_keys);
  test_add ("/compare-zoom/wheel", test_wheel);
  test_add ("/compare-zoom/drag", test_zoom_drag);
  test_add ("/compare-views/shown", test_shown);
  test_add ("/compare-views/flicker", test_flicker);
  test_add ("/compare-views/colorimetry", test_colorimetry);
  return test_run ();
}
