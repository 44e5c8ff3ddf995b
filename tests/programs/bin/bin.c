/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: A, B and the original through one bin, and random steps. */
#include <string.h>
#include "preview.h"
#include "programs/preview/bin/register.h"
#include "tests/element/text.h"
#include "tests/element/viewer.h"

#define PATIENCE (30 * GST_SECOND)

/* What comes out is A, and what is said of it is what A says. */
static void
test_a (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 0, FALSE);
  for (guint n = 0; n < 3; n++) {
    GstCustomMeta *meta;
    GstBuffer *out;

    duel_push (&duel, 0, frame_new (&info, n));
    out = duel_pull (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    g_assert_true (preview_is_coded (&info, out, n, 20));
    meta = gst_buffer_get_custom_meta (out, "blockdct");
    g_assert_cmpfloat (get_double (gst_custom_meta_get_structure (meta),
            "psnr"), ==, get_double (duel_figures (out, "dist_sink"), "psnr"));
    g_assert_null (duel_figures (out, "dist_sink_1"));
    gst_buffer_unref (out);
  }
  preview_stop (&duel, preview);
}

/* Pull pictures until one comes with figures of B, or without. */
static void
wait_for_b (Duel * duel, gboolean there)
{
  const gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  gboolean found = FALSE;

  while (!found && g_get_monotonic_time () < end) {
    GstBuffer *out = duel_pull (duel);

    g_assert_nonnull (out);
    g_assert_nonnull (duel_figures (out, "dist_sink"));
    found = (duel_figures (out, "dist_sink_1") != NULL) == there;
    gst_buffer_unref (out);
  }
  g_assert_true (found);
}

/* B runs while it is looked at. */
static void
test_b (void)
{
  GstElement *preview;
  Duel duel = { 0 };

  duel_launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=48,"
      "height=32,framerate=25/1 ! blockdctpage name=preview ! "
      "appsink name=out sync=false max-buffers=2");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  preview_set_child (preview, "b", "transform", "hevc-8x8");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  wait_for_b (&duel, FALSE);
  for (gint i = 0; i < test_rounds (20); i++) {
    gst_child_proxy_set (GST_CHILD_PROXY (preview), i % 2 ? "compare::left"
        : "compare::right", 1, NULL);
    wait_for_b (&duel, TRUE);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::left", -1,
        "compare::right", 0, NULL);
    wait_for_b (&duel, FALSE);
  }
  preview_stop (&duel, preview);
}

/* B that is asked for before the start is there from the first frame on. */
static void
test_b_first (void)
{
  GstElement *preview;
  GstVideoInfo info;
  GstBuffer *out;
  Duel duel;

  preview = preview_start (&duel, &info, "single", 1, FALSE);
  preview_set_child (preview, "b", "quality", "30");
  duel_push (&duel, 0, frame_new (&info, 0));
  out = duel_pull (&duel);
  g_assert_true (preview_is_coded (&info, out, 0, 30));
  g_assert_nonnull (duel_figures (out, "dist_sink_1"));
  gst_buffer_unref (out);
  preview_stop (&duel, preview);
}

/* Stopped and started again, frozen or not, with B and without. */
static void
test_restart (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;

  preview = preview_start (&duel, &info, "wipe", 0, FALSE);
  for (gint i = 0; i < test_rounds (20); i++) {
    g_object_set (preview, "freeze", i % 3 == 1, NULL);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::right",
        i % 4 < 2 ? 1 : 0, NULL);
    duel_set_caps (&duel, 0, &info);
    for (guint n = 0; n < 4; n++)
      duel_push (&duel, 0, frame_new (&info, n));
    if (i % 2)
      gst_buffer_unref (duel_pull (&duel));
    gst_element_set_state (duel.pipeline, i % 5 ? GST_STATE_READY
        : GST_STATE_NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  }
  preview_stop (&duel, preview);
}

/* The next frame that is not shown again, which has to come soon. */
static GstBuffer *
pull_new (Duel * duel)
{
  GstBuffer *out = preview_pull_new (duel);

  g_assert_nonnull (out);
  return out;
}

/* The time of the first one with the settings of now. It has figures unless
 * there are lines on it. */
static GstClockTime
get_new_time (Duel * duel, GstElement * preview)
{
  GstBuffer *out = pull_new (duel);
  GstClockTime time = GST_BUFFER_PTS (out);
  gboolean grid;

  gst_child_proxy_get (GST_CHILD_PROXY (preview), "a::grid", &grid, NULL);
  g_assert_true ((duel_figures (out, "dist_sink") == NULL) == grid);
  gst_buffer_unref (out);
  return time;
}

static void
set_int (GstElement * preview, const gchar * name, gint value)
{
  gst_child_proxy_set (GST_CHILD_PROXY (preview), name, value, NULL);
}

/* GStreamer wants no seek, and no other state, before a state is reached. */
static void
wait_for_state (Duel * duel)
{
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL, PATIENCE),
      ==, GST_STATE_CHANGE_SUCCESS);
}

static void
do_anything (Duel * duel, GstElement * preview, GRand * rand)
{
  static const gchar *const keys[] = { "Up", "Down", "Left", "Right", "b", "x",
    "c", "v", "f", "g", "space", "m"
  };
  static const gchar *const views[] = { "single", "wipe", "flicker",
    "error-map"
  };
  const gint value = g_rand_int_range (rand, 0, 100);
  const gchar *key = keys[value % G_N_ELEMENTS (keys)];
  GstClockTime to = value * GST_SECOND;

  switch (g_rand_int_range (rand, 0, 11)) {
    case 0:
    case 1:
      g_object_set (preview, "freeze", value % 2, NULL);
      break;
    case 2:
      set_int (preview, "a::quality", 1 + value);
      break;
    case 3:
      set_int (preview, "b::transform", value % 3);
      break;
    case 4:
      set_int (preview, "compare::right", value % 3 - 1);
      break;
    case 5:
      preview_set_child (preview, "compare", "view", views[value % 4]);
      break;
    case 6:
      g_assert_true (gst_element_seek_simple (duel->pipeline, GST_FORMAT_TIME,
              GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, to));
      g_assert_cmpuint (get_new_time (duel, preview), ==, to);
      wait_for_state (duel);
      break;
    case 7:
      gst_element_set_state (duel->pipeline, GST_STATE_PAUSED);
      wait_for_state (duel);
      gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
      wait_for_state (duel);
      break;
    case 8:
      /* appsink of 1.22 keeps what it has in READY. */
      gst_element_set_state (duel->pipeline, value % 2 ? GST_STATE_READY
          : GST_STATE_NULL);
      gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
      if (value % 2 == 0)
        g_assert_cmpuint (get_new_time (duel, preview), ==, 0);
      wait_for_state (duel);
      break;
    case 9:
      viewer_send (preview, viewer_key (key));
      break;
    default:                   /* if frozen, one that is repeated */
      set_int (preview, "a::qp", value % 52);
      gst_buffer_unref (duel_pull (duel));
      break;
  }
}

/* Whatever is done, in whatever order, frames go on afterwards. */
static void
test_anything (void)
{
  GRand *rand = g_rand_new_with_seed (g_test_rand_int ());
  GstElement *preview;
  Duel duel = { 0 };

  /* appsink of 1.22, where it is full, may hang on its way to PAUSED. */
  duel_launch (&duel, "videotestsrc ! video/x-raw,"
      "format=I420,width=16,height=16,framerate=25/1 ! "
      "identity sleep-time=500 ! blockdctpage name=preview ! "
      "appsink name=out sync=false max-buffers=0");
  preview = gst_bin_get_by_name (GST_BIN (duel.pipeline), "preview");
  preview_set_child (preview, "a", "backend", test_backend ());
  preview_set_child (preview, "b", "backend", test_backend ());
  preview_set_child (preview, "compare", "backend", test_backend ());
  preview_set_child (preview, "compare", "interactive", "true");
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  g_assert_cmpuint (get_new_time (&duel, preview), ==, 0);
  for (gint i = 0; i < test_rounds (400); i++) {
    do_anything (&duel, preview, rand);
    if (i % 20 == 19) {
      g_object_set (preview, "freeze", FALSE, NULL);
      gst_buffer_unref (pull_new (&duel));
    }
  }
  g_rand_free (rand);
  preview_stop (&duel, preview);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  preview_bin_register ();
  test_add ("/preview/a", test_a);
  test_add ("/preview/b", test_b);
  test_add ("/preview/b-first", test_b_first);
  test_add ("/preview/restart", test_restart);
  test_add ("/preview/anything", test_anything);
  return test_run ();
}
