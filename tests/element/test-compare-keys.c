/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: keys, the wheel and the pointer, as sinks send them
 * upstream; and that each view is shown, with what of it follows from times and
 * caps. (tests/differential has every sample of every view.) */
#include <string.h>
#include "viewer.h"

/* What is done, and what comes of it: a row is a test, a list of steps:
 *
 *   EVENT           (viewer.h) is taken; >EVENT: goes on upstream
 *   ?VALUES         (viewer.h) are those of the properties
 *   !NAMES          are the properties that have been told of since the last !
 *   NAME=VALUE      sets a property
 *   show            shows the next pair; caps FORMAT WxH: of other caps
 *   stop            the pipeline is NULL
 *
 * The stream has I420 of 320 x 200, two distorted inputs. */
typedef struct
{
  const gchar *path, *properties;
  const gchar *steps[50];
} Row;

#define SIDES(left, right, view) "?left=" left " right=" right " view=" view
#define ZOOM(zoom, x, y) "?zoom=" zoom " zoom-x=" x " zoom-y=" y
#define DRAG(x0, y0, x1, y1) "press1 " x0 " " y0, "move " x1 " " y1, \
  "release1 " x1 " " y1

static const Row rows[] = {
  /* A key acts once, when it goes down; after space, whatever is left is come
   * back to. */
  {"keys/sides", "", {"key x", SIDES ("0", "-1", "wipe"), "up x",
          "key x", SIDES ("-1", "0", "wipe"), "key c",
          SIDES ("-1", "1", "wipe"), "key c", SIDES ("0", "1", "wipe"),
          "key c", SIDES ("-1", "0", "wipe"), "up c", "key space",
          SIDES ("-1", "-1", "single"), "up space", "key space",
          SIDES ("-1", "0", "wipe"), "key space",
          SIDES ("-1", "-1", "single"), "key v",
          SIDES ("-1", "-1", "error-map"), "key space",
          SIDES ("-1", "-1", "single"), "key space",
          SIDES ("-1", "-1", "error-map"), "key x",
          SIDES ("-1", "-1", "error-map"), "key c",
          SIDES ("-1", "0", "error-map"), "key x",
          SIDES ("0", "-1", "error-map"), "key  ", SIDES ("0", "0", "single"),
          "up  ", "key  ", SIDES ("0", "-1", "error-map")}},
  {"keys/views", "", {"key v", "?view=side-by-side", "!view", "up v", "!",
          "key v", "?view=stacked", "key v", "?view=flicker", "key v",
          "?view=difference", "key v", "?view=single", "key v",
          "?view=error-map", "key v", "?view=ssim-map", "key v",
          "?view=hvs-map", "key v", "?view=wipe"}},
  /* What is nobody's command here goes on untouched: to the bin, or to a
   * program. */
  {"keys/unknown", "", {"show", ">key V", ">key Return", ">key y", ">key ",
          ">key Page_Up", ">key Up", ">key Down", ">key Left", ">key Right",
          ">key g", ">key b", ">key f", ">key m", ">ctrl v", ">alt x",
          ">press3 5 5", ">release1 5 5", ">move 5 5", "!"}},
  {"keys/not-interactive", "", {"show", "interactive=false", "!interactive",
          ">key v", ">key c", ">key x", ">key space", ">key plus",
          ">press1 5 5", ">move 90 5", ">release1 90 5", ">wheel 5 5 1", "!"}},
  /* A hand that trembles does not drag. Outside is ignored, but letting go
   * counts there too. Stacked halves are dragged up and down. */
  {"drag", "", {"show", "press1 160 100", "move 161 101", "!", "move 80 150",
          "?wipe-position=80/319", "!wipe-position", "move 0 10",
          "?wipe-position=0", "move 319 10", "?wipe-position=1",
          "move 319.9 10", "?wipe-position=1", "move 40 10",
          "?wipe-position=40/319", ">move -1 10", ">move 20 200",
          ">move nan 20", "?wipe-position=40/319", "release1 -50 1000",
          ">move 100 100", ">press1 320 1", ">move 100 100",
          "?wipe-position=40/319", "view=stacked", "press1 10 10",
          "move 200 199", "?wipe-position=1"}},
  /* The stream changes and stops under the pointer. */
  {"drag/change", "", {">press1 0 0", "key v", "show", "press1 10 10",
          "move 300 100", "caps GRAY8 101x12", "show", "move 100 11",
          ">move 101 1", "caps P012_LE 20x101", "show", "move 1 100",
          ">move 20 1", "release1 0 0", ">move 1 1", "stop", "press1 0 0",
          "release1 0 0"}},
  {"zoom/keys", "view=flicker", {"show", "key plus", ZOOM ("2", "0.5", "0.5"),
          "key +", ZOOM ("3", "0.5", "0.5"), "key equal", "?zoom=4", "key =",
          "?zoom=6", "key KP_Add", "?zoom=8", "key plus", "?zoom=12",
          "key plus", "?zoom=16", "key plus", "?zoom=16", "key minus",
          "?zoom=12", "key -", "?zoom=8", "key KP_Subtract",
          ZOOM ("6", "0.5", "0.5"), "zoom=5", "key -", "?zoom=4", "zoom=5",
          "zoom-x=0", "key 0", ZOOM ("1", "0.5", "0.5"), "zoom=1.5", "zoom-y=0",
          "key KP_0", ZOOM ("1", "0.5", "0.5")}},
  /* What is under the pointer stays there, with Ctrl, which the bin leaves to
   * this element, and without: (160 + 160) / 3 of the picture is at 160.
   * Sideways and outside it is not the wheel's. X11 has buttons. */
  {"zoom/wheel", "view=flicker", {"show", "wheel 80 50 1",
          ZOOM ("2", "0.25", "0.25"), "ctrl-wheel 80 50 120",
          ZOOM ("3", "0.25", "0.25"), "wheel 160 50 1",
          ZOOM ("4", "5/18", "0.25"), "press5 160 50", "release5 160 50",
          "?zoom=3", "press4 160 50", "release4 160 50", "?zoom=4",
          ">press4 5 200", ">side 5 5 1", ">wheel 320 5 1", "?zoom=4"}},
  /* Zoomed, the picture follows the pointer, up to its edges; but the line of a
   * wipe is still to be had. */
  {"zoom/drag", "view=flicker zoom=4 zoom-x=0.6", {"show",
          DRAG ("100", "100", "148", "70"), ZOOM ("4", "0.55", "0.55"),
          "zoom-x=0.2", "zoom-y=0.2",
          DRAG ("10", "10", "310", "190"), ZOOM ("4", "0", "0"), "view=wipe",
          DRAG ("161", "10", "80", "10"), ZOOM ("4", "0", "0"),
          "?wipe-position=80/319", DRAG ("161", "10", "65", "10"),
          ZOOM ("4", "0.1", "0")}},
};

static void
on_notify (GObject * object, GParamSpec * pspec, GString * told)
{
  (void) object;
  g_string_append_printf (told, "%s%s", told->len > 0 ? " " : "", pspec->name);
}

static void
set_caps (Duel * duel, GstVideoInfo * info, const gchar * text)
{
  g_auto (GStrv) part = g_strsplit_set (text, " x", 3);

  video_info (info, part[0], atoi (part[1]), atoi (part[2]));
  for (guint i = 0; i < 2; i++)
    duel_set_caps (duel, i, info);
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autofree gchar *properties = g_strconcat ("interactive=true ",
      row->properties, NULL);
  g_autoptr (GString) told = g_string_new (NULL);
  GstVideoInfo info;
  guint n = 0;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", 320, 200, 3, properties);
  duel_end (&duel, DUEL_DISTORTED_1);
  g_signal_connect (duel.element, "notify", G_CALLBACK (on_notify), told);
  for (guint i = 0; row->steps[i] != NULL; i++) {
    const gchar *step = row->steps[i], *equals = strchr (step, '=');
    const gboolean passes = *step == '>';

    g_test_message ("%s", step);
    if (strcmp (step, "show") == 0) {
      gst_buffer_unref (duel_show_pair (&duel, &info, n));
      n++;
    } else if (strcmp (step, "stop") == 0) {
      gst_element_set_state (duel.pipeline, GST_STATE_NULL);
    } else if (g_str_has_prefix (step, "caps ")) {
      set_caps (&duel, &info, step + 5);
    } else if (*step == '?') {
      viewer_expect (duel.element, step + 1);
    } else if (*step == '!') {
      g_assert_cmpstr (told->str, ==, step + 1);
      g_string_truncate (told, 0);
    } else if (equals != NULL && strchr (step, ' ') == NULL) {
      g_autofree gchar *name = g_strndup (step, equals - step);

      element_set (duel.element, name, equals + 1);
    } else {
      g_assert_cmpint (viewer_do (duel.element, step + passes), ==, passes);
    }
  }
}

TEST_ROWS ("/compare-keys/", test_row, rows)

/* Key c goes through the pairs of inputs that there are. */
TEST ("/compare-keys/pairs", test_pairs)
{
  static const gchar *const pairs[] = { "left=-1 right=2", "left=0 right=2",
    "left=-1 right=0"
  };
  g_autoptr (GstElement) element = element_new ("blockdctcompare");
  g_autoptr (GstPad) pad = gst_element_request_pad_simple (element,
      "dist_sink_2");

  g_object_set (element, "interactive", TRUE, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (pairs); i++) {
    viewer_do (element, "key c");
    viewer_expect (element, pairs[i % 3]);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_release_request_pad (element, pad);
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
TEST ("/compare-views/shown", test_shown)
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
TEST ("/compare-views/flicker", test_flicker)
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
TEST ("/compare-views/colorimetry", test_colorimetry)
{
  g_autoptr (GstBuffer) out;
  GstVideoInfo info;
  GstBuffer *frame;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "Y444", 64, 32, 2, "view=error-map");
  g_assert_true (gst_video_colorimetry_from_string (&info.colorimetry,
          "1:3:5:1"));
  duel_set_caps (&duel, DUEL_REFERENCE, &info);
  duel_set_caps (&duel, DUEL_DISTORTED, &info);
  frame = frame_new (&info, 0);
  out = duel_show (&duel, gst_buffer_ref (frame), frame);
  g_assert_cmpint (ABS (frame_first (&info, out, 0) - 21), <=, 1);
}
