/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: zoom by keys, wheel, and drags. (tests/differential has
 * every sample of every zoomed view.) */
#include <math.h>
#include <string.h>
#include "rgb-formats.h"
#include "viewer.h"


static GstBuffer *
show (Duel * duel, const GstVideoInfo * info, guint n)
{
  return duel_show (duel, frame_new (info, n), duel_distorted_new (info, n));
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
test_drag (void)
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

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/compare-zoom/keys", test_keys);
  test_add ("/compare-zoom/wheel", test_wheel);
  test_add ("/compare-zoom/drag", test_drag);
  return test_run ();
}
