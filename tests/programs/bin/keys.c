/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: the keys and the wheel that turn A, B and freeze; all else
 * is compare's, or goes on upstream. */
#include <string.h>
#include "preview.h"
#include "programs/preview/bin/register.h"
#include "tests/element/viewer.h"

/* A preview that shows frame 0, with quality 50 and qp 30 at A. */
static GstElement *
start (Duel * duel, gboolean interactive)
{
  GstVideoInfo info;
  GstElement *preview = preview_start (duel, &info, "wipe", 0, FALSE);

  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::interactive",
      interactive, "a::quality", 50, "a::qp", 30, NULL);
  duel_pass (duel, frame_new (&info, 0));
  return preview;
}

/* A child, or the preview itself, whose reference the bin has. */
static GstElement *
find (GstElement * preview, const gchar * child)
{
  GObject *object = *child == '\0' ? g_object_ref (G_OBJECT (preview))
      : preview_get_child (preview, child);

  g_object_unref (object);
  return GST_ELEMENT (object);
}

static const struct
{
  const gchar *transform;       /* that the key meets */
  const gchar *key, *child, *property, *value;
} key_tests[] = {
  {"jpeg-8x8", "Up", "a", "quality", "51"},
  {"jpeg-8x8", "Down", "a", "quality", "49"},
  {"dct-8x8", "Up", "a", "quality", "51"},
  {"hevc-4x4", "Up", "a", "qp", "29"},
  {"hevc-32x32", "Down", "a", "qp", "31"},
  {"h264-4x4", "Up", "a", "qp", "29"},
  {"jpeg-8x8", "Right", "a", "transform", "dct-8x8"},
  {"jpeg-8x8", "Left", "a", "transform", "hevc-quadtree"},
  {"hevc-quadtree", "Right", "a", "transform", "jpeg-8x8"},
  {"hevc-32x32", "Left", "a", "transform", "hevc-16x16"},
  {"jpeg-8x8", "g", "a", "grid", "true"},
  {"jpeg-8x8", "g", "b", "grid", "true"},
  {"jpeg-8x8", "b", "b", "quality", "50"},
  {"jpeg-8x8", "b", "compare", "left", "0"},
  {"jpeg-8x8", "b", "compare", "right", "1"},
  {"hevc-8x8", "x", "b", "transform", "hevc-8x8"},
  {"jpeg-8x8", "x", "b", "quality", "50"},
  {"jpeg-8x8", "x", "a", "quality", "85"},
  {"jpeg-8x8", "f", "", "freeze", "true"},
};

/* Each key turns its property, once when it goes down, and goes no further. */
static void
test_keys (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++) {
    const gchar *name = key_tests[i].property;
    GstElement *preview, *element;
    guint n = 0;
    Duel duel;

    g_test_message ("%s: %s", key_tests[i].transform, key_tests[i].key);
    preview = start (&duel, TRUE);
    preview_set_child (preview, "a", "transform", key_tests[i].transform);
    element = find (preview, key_tests[i].child);
    viewer_count (element, name, &n);
    g_assert_false (viewer_send (preview, viewer_key (key_tests[i].key)));
    viewer_assert (element, name, key_tests[i].value);
    g_assert_cmpuint (n, ==, 1);
    g_assert_false (viewer_send (preview,
            gst_navigation_event_new_key_release (key_tests[i].key, 0)));
    viewer_assert (element, name, key_tests[i].value);
    g_assert_cmpuint (n, ==, 1);
    g_object_set (preview, "freeze", FALSE, NULL);
    preview_stop (&duel, preview);
  }
}

/* A, B and what is shown of them, after each of many keys; the last ones are
 * compare's. */
static void
test_sequence (void)
{
  static const struct
  {
    const gchar *key, *a, *b, *compare;
  } steps[] = {
    {"Up", "jpeg-8x8 51 30 false", "jpeg-8x8 85 26 false", "-1 0 wipe"},
    {"b", "jpeg-8x8 51 30 false", "jpeg-8x8 51 30 false", "0 1 wipe"},
    {"Right", "dct-8x8 51 30 false", "jpeg-8x8 51 30 false", "0 1 wipe"},
    {"Down", "dct-8x8 50 30 false", "jpeg-8x8 51 30 false", "0 1 wipe"},
    {"x", "jpeg-8x8 51 30 false", "dct-8x8 50 30 false", "0 1 wipe"},
    {"g", "jpeg-8x8 51 30 true", "dct-8x8 50 30 true", "0 1 wipe"},
    {"Left", "hevc-quadtree 51 30 true", "dct-8x8 50 30 true", "0 1 wipe"},
    {"Up", "hevc-quadtree 51 29 true", "dct-8x8 50 30 true", "0 1 wipe"},
    {"x", "dct-8x8 50 30 true", "hevc-quadtree 51 29 true", "0 1 wipe"},
    {"g", "dct-8x8 50 30 false", "hevc-quadtree 51 29 false", "0 1 wipe"},
    {"space", "dct-8x8 50 30 false", "hevc-quadtree 51 29 false",
        "0 0 single"},
    {"space", "dct-8x8 50 30 false", "hevc-quadtree 51 29 false", "0 1 wipe"},
    {"c", "dct-8x8 50 30 false", "hevc-quadtree 51 29 false", "-1 0 wipe"},
    {"v", "dct-8x8 50 30 false", "hevc-quadtree 51 29 false",
        "-1 0 side-by-side"},
  };
  static const gchar *const settings[] = { "transform", "quality", "qp",
    "grid"
  };
  static const gchar *const shown[] = { "left", "right", "view" };
  GstElement *preview;
  Duel duel;

  preview = start (&duel, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_test_message ("%s", steps[i].key);
    g_assert_false (viewer_send (preview, viewer_key (steps[i].key)));
    viewer_assert_all (find (preview, "a"), settings, 4, steps[i].a);
    viewer_assert_all (find (preview, "b"), settings, 4, steps[i].b);
    viewer_assert_all (find (preview, "compare"), shown, 3, steps[i].compare);
  }
  preview_stop (&duel, preview);
}

/* The ends of the ranges. */
static void
test_ends (void)
{
  static const struct
  {
    const gchar *transform, *property, *start, *key, *end;
  } ends[] = {
    {"jpeg-8x8", "quality", "99", "Up", "100"},
    {"jpeg-8x8", "quality", "2", "Down", "1"},
    {"hevc-8x8", "qp", "1", "Up", "0"}, {"hevc-8x8", "qp", "50", "Down", "51"},
  };
  GstElement *preview;
  Duel duel;

  preview = start (&duel, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    preview_set_child (preview, "a", "transform", ends[i].transform);
    preview_set_child (preview, "a", ends[i].property, ends[i].start);
    for (guint k = 0; k < 3; k++)
      viewer_send (preview, viewer_key (ends[i].key));
    viewer_assert (find (preview, "a"), ends[i].property, ends[i].end);
  }
  preview_stop (&duel, preview);
}

/* Wheels scroll by what they like; its sign counts. With Ctrl they are
 * compare's, sideways nobody's. */
static void
test_wheel (void)
{
  const GstNavigationModifierType ctrl = GST_NAVIGATION_MODIFIER_CONTROL_MASK;
  GstElement *preview, *a, *compare;
  Duel duel;

  preview = start (&duel, TRUE);
  a = find (preview, "a");
  compare = find (preview, "compare");
  g_assert_false (viewer_send (preview, viewer_wheel (5, 5, 1)));
  viewer_assert (a, "quality", "51");
  g_assert_false (viewer_send (preview, viewer_wheel (5, 5, -120)));
  viewer_assert (a, "quality", "50");
  /* X11's. */
  for (gint n = 4; n <= 5; n++) {
    g_assert_false (viewer_send (preview,
            gst_navigation_event_new_mouse_button_press (n, 5, 5, 0)));
    g_assert_false (viewer_send (preview,
            gst_navigation_event_new_mouse_button_release (n, 5, 5, 0)));
    viewer_assert (a, "quality", n == 4 ? "51" : "50");
  }
  g_assert_true (viewer_send (preview,
          gst_navigation_event_new_mouse_scroll (5, 5, 1, 0, 0)));
  viewer_assert (compare, "zoom", "1");
  g_assert_false (viewer_send (preview,
          gst_navigation_event_new_mouse_scroll (5, 5, 0, 1, ctrl)));
  viewer_assert (compare, "zoom", "2");
  g_assert_false (viewer_send (preview,
          gst_navigation_event_new_mouse_button_press (4, 5, 5, ctrl)));
  viewer_assert (compare, "zoom", "3");
  viewer_assert (a, "quality", "50");
  preview_stop (&duel, preview);
}

/* What is nobody's command goes on untouched. */
static void
test_unknown (void)
{
  static const gchar *const keys[] = { "G", "B", "F", "Return", "y", "",
    "Page_Up"
  };
  GstElement *preview;
  guint n = 0;
  Duel duel;

  preview = start (&duel, TRUE);
  viewer_count (find (preview, "a"), NULL, &n);
  viewer_count (find (preview, "b"), NULL, &n);
  viewer_count (find (preview, "compare"), NULL, &n);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (viewer_send (preview, viewer_key (keys[i])));
  g_assert_true (viewer_send (preview, gst_navigation_event_new_key_press ("b",
              GST_NAVIGATION_MODIFIER_CONTROL_MASK)));
  g_assert_true (viewer_send (preview, gst_navigation_event_new_key_press
          ("Left", GST_NAVIGATION_MODIFIER_MOD1_MASK)));
  g_assert_true (viewer_send (preview, gst_navigation_event_new_command
          (GST_NAVIGATION_COMMAND_UP)));
  g_assert_true (viewer_send (preview,
          gst_navigation_event_new_mouse_button_press (3, 5, 5, 0)));
  g_assert_true (viewer_send (preview, viewer_move (5, 5)));
  /* Hardly an event at all. */
  g_assert_true (viewer_send (preview, gst_event_new_navigation
          (gst_structure_new_empty ("application/x-gst-navigation"))));
  g_assert_true (viewer_send (preview, gst_event_new_navigation
          (gst_structure_new ("application/x-gst-navigation", "event",
                  G_TYPE_STRING, "key-press", NULL))));
  g_assert_cmpuint (n, ==, 0);
  preview_stop (&duel, preview);
}

static void
test_not_interactive (void)
{
  GstElement *preview;
  gboolean frozen;
  guint n = 0;
  Duel duel;

  preview = start (&duel, FALSE);
  viewer_count (find (preview, "a"), NULL, &n);
  viewer_count (find (preview, "b"), NULL, &n);
  viewer_count (find (preview, "compare"), NULL, &n);
  for (guint i = 0; i < G_N_ELEMENTS (key_tests); i++)
    g_assert_true (viewer_send (preview, viewer_key (key_tests[i].key)));
  g_assert_true (viewer_send (preview, viewer_key ("v")));
  g_assert_true (viewer_send (preview, viewer_wheel (5, 5, 1)));
  g_object_get (preview, "freeze", &frozen, NULL);
  g_assert_false (frozen);
  g_assert_cmpuint (n, ==, 0);
  preview_stop (&duel, preview);
}

/* What a key turns is seen in the frame that is held. */
static void
test_frozen (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  preview_set_child (preview, "compare", "interactive", "true");
  duel_pass (&duel, frame_new (&info, 0));
  viewer_send (preview, viewer_key ("f"));
  for (gint quality = 21; quality < 26; quality++) {
    viewer_send (preview, viewer_key ("Up"));
    preview_wait_for_repeat (&duel, &info, 0, quality);
  }
  viewer_send (preview, viewer_key ("f"));
  duel_push (&duel, 0, frame_new (&info, 1));
  gst_buffer_unref (preview_pull_new (&duel));
  preview_stop (&duel, preview);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  preview_bin_register ();
  test_add ("/preview-keys/keys", test_keys);
  test_add ("/preview-keys/sequence", test_sequence);
  test_add ("/preview-keys/ends", test_ends);
  test_add ("/preview-keys/wheel", test_wheel);
  test_add ("/preview-keys/unknown", test_unknown);
  test_add ("/preview-keys/not-interactive", test_not_interactive);
  test_add ("/preview-keys/frozen", test_frozen);
  return test_run ();
}
