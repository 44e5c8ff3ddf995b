/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage: a frame that is held and changed by one thread while others
 * flush, seek, change caps and states. (test-preview-freeze.c: what is
 * shown.) */
#include "preview.h"
#include "programs/preview/bin/register.h"

#define PATIENCE (30 * GST_SECOND)

/* A thread that changes A all the time. */
typedef struct
{
  GstElement *preview;
  gint n;                       /* changes; below 0: until it is to end */
  gint done;                    /* atomic: it is to end */
  GThread *thread;
} Hand;

static gpointer
turn (gpointer data)
{
  Hand *hand = data;

  for (gint i = 0; i != hand->n && !g_atomic_int_get (&hand->done); i++) {
    gst_child_proxy_set (GST_CHILD_PROXY (hand->preview), "a::quality",
        1 + i % 90, NULL);
    if (hand->n < 0)
      g_usleep (i % 7 * 50);
  }
  return NULL;
}

static void
hand_start (Hand * hand, GstElement * preview, gint n)
{
  *hand = (Hand) {
  .preview = preview,.n = n};
  hand->thread = g_thread_new ("turn", turn, hand);
}

static void
hand_stop (Hand * hand)
{
  g_atomic_int_set (&hand->done, TRUE);
  g_thread_join (hand->thread);
}

/* Ten thousand changes by each of two threads, with B and without: what is set
 * after them stays. */
static void
test_many (void)
{
  for (gint right = 0; right < 2; right++) {
    GstElement *preview;
    GstVideoInfo info;
    Hand hands[2];
    Duel duel;

    preview = preview_start (&duel, &info, "single", 0, FALSE);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::left", right,
        NULL);
    duel_pass (&duel, frame_new (&info, 0));
    g_object_set (preview, "freeze", TRUE, NULL);
    for (guint i = 0; i < 2; i++)
      hand_start (&hands[i], preview, test_rounds (10000));
    for (guint i = 0; i < 2; i++)
      g_thread_join (hands[i].thread);
    gst_child_proxy_set (GST_CHILD_PROXY (preview), "a::quality", 99, NULL);
    preview_wait_for_repeat (&duel, &info, 0, 99);
    preview_stop (&duel, preview);
  }
}

static void
launch (Duel * duel, GstElement ** preview)
{
  duel_launch (duel, "videotestsrc num-buffers=3000 ! "
      "video/x-raw,format=I420,width=48,height=32,framerate=25/1 ! "
      "blockdctpage name=preview ! appsink name=out sync=false "
      "max-buffers=0");
  *preview = gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
  preview_set_child (*preview, "a", "backend", test_backend ());
  preview_set_child (*preview, "b", "backend", test_backend ());
  preview_set_child (*preview, "compare", "backend", test_backend ());
  g_object_set (*preview, "freeze", TRUE, NULL);
}

static void
wait_for_state (Duel * duel)
{
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL, PATIENCE),
      ==, GST_STATE_CHANGE_SUCCESS);
}

/* A flush while the frame is shown again brings what comes after it. */
static void
test_flush (void)
{
  GstElement *preview;
  Duel duel;
  Hand hand;

  launch (&duel, &preview);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  gst_buffer_unref (preview_pull_new (&duel));
  wait_for_state (&duel);
  hand_start (&hand, preview, -1);
  for (gint i = 0; i < test_rounds (100); i++) {
    const GstClockTime to = i % 50 * GST_SECOND;
    GstBuffer *out;

    g_usleep (i % 5 * 300);
    g_assert_true (gst_element_seek_simple (duel.pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, to));
    out = preview_pull_new (&duel);
    g_assert_nonnull (out);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, to);
    gst_buffer_unref (out);
    wait_for_state (&duel);
  }
  hand_stop (&hand);
  preview_stop (&duel, preview);
}

/* Stopped and started, paused and resumed, held or not. */
static void
test_states (void)
{
  GstElement *preview;
  Duel duel;
  Hand hand;

  launch (&duel, &preview);
  hand_start (&hand, preview, -1);
  for (gint i = 0; i < test_rounds (50); i++) {
    GstBuffer *out;

    g_object_set (preview, "freeze", i % 4 != 3, NULL);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
    wait_for_state (&duel);
    g_usleep (i % 5 * 300);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
    wait_for_state (&duel);
    out = preview_pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 0);
    gst_buffer_unref (out);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
    g_usleep (i % 3 * 300);
    gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  }
  hand_stop (&hand);
  preview_stop (&duel, preview);
}

/* Caps change, and the end comes, each behind a frame that is held. */
static void
test_caps_and_end (void)
{
  GstElement *preview;
  GstVideoInfo info;
  Duel duel;
  Hand hand;

  preview = preview_start (&duel, &info, "wipe", 1, FALSE);
  hand_start (&hand, preview, -1);
  for (gint i = 0; i < test_rounds (50); i++) {
    GstBuffer *out;

    video_info (&info, i % 2 ? "NV12" : "I420", PREVIEW_WIDTH, 16 + i % 3 * 2);
    duel_set_caps (&duel, 0, &info);
    duel_push (&duel, 0, frame_new (&info, i));
    out = preview_pull_new (&duel);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, i * FRAME);
    g_assert_cmpuint (gst_buffer_get_size (out), ==, info.size);
    gst_buffer_unref (out);
    g_object_set (preview, "freeze", TRUE, NULL);
    g_usleep (i % 5 * 300);
    if (i == test_rounds (50) - 1)
      duel_end (&duel, 0);
    g_object_set (preview, "freeze", FALSE, NULL);
  }
  g_assert_null (preview_pull_new (&duel));
  hand_stop (&hand);
  preview_stop (&duel, preview);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  preview_bin_register ();
  test_add ("/preview-races/many", test_many);
  test_add ("/preview-races/flush", test_flush);
  test_add ("/preview-races/states", test_states);
  test_add ("/preview-races/caps-and-end", test_caps_and_end);
  return test_run ();
}
