/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: flushes, allocation queries, keys, and pads that come and
 * go, with sources that are pads alone. */
#include <gst/video/navigation.h>
#include <string.h>
#include "duel.h"

typedef struct
{
  GstElement *pipeline, *element;
  GstPad *pads[2];              /* of the reference, and of dist_sink */
  GstVideoInfo info;
  GPtrArray *out;               /* what has left; with its own lock */
  GMutex lock;
  gint done;                    /* atomic: the other thread is */
} Bare;

static void
on_handoff (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer data)
{
  Bare *bare = data;

  (void) sink, (void) pad;
  g_mutex_lock (&bare->lock);
  g_ptr_array_add (bare->out, gst_buffer_ref (buffer));
  g_mutex_unlock (&bare->lock);
}

static void
bare_init (Bare * bare, gint size, const gchar * properties)
{
  gchar *line = g_strdup_printf ("blockdctcompare name=compare backend=%s "
      "view=single %s ! fakesink name=out async=false signal-handoffs=true",
      test_backend (), properties);
  g_autoptr (GstElement) sink;

  bare->out = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_buffer_unref);
  g_mutex_init (&bare->lock);
  video_info (&bare->info, "I420", size, size);
  bare->pipeline = gst_parse_launch (line, NULL);
  bare->element = gst_bin_get_by_name (GST_BIN (bare->pipeline), "compare");
  sink = gst_bin_get_by_name (GST_BIN (bare->pipeline), "out");
  g_signal_connect (sink, "handoff", G_CALLBACK (on_handoff), bare);
  g_free (line);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstPad) peer = gst_element_get_static_pad (bare->element, i == 0
        ? "ref_sink" : "dist_sink");

    bare->pads[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
    g_assert_true (gst_pad_set_active (bare->pads[i], TRUE));
    g_assert_cmpint (gst_pad_link (bare->pads[i], peer), ==, GST_PAD_LINK_OK);
  }
  gst_element_set_state (bare->pipeline, GST_STATE_PLAYING);
}

static void
bare_clear (Bare * bare)
{
  gst_element_set_state (bare->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++) {
    gst_pad_set_active (bare->pads[i], FALSE);
    gst_object_unref (bare->pads[i]);
  }
  gst_object_unref (bare->element);
  gst_object_unref (bare->pipeline);
  g_ptr_array_unref (bare->out);
  g_mutex_clear (&bare->lock);
}

/* An event for both inputs, which is taken. */
static void
push_both (Bare * bare, GstEvent * event)
{
  for (guint i = 0; i < 2; i++)
    gst_pad_push_event (bare->pads[i], gst_event_ref (event));
  gst_event_unref (event);
}

static void
begin_stream (Bare * bare)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&bare->info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_both (bare, gst_event_new_stream_start ("stream"));
  push_both (bare, gst_event_new_caps (caps));
  push_both (bare, gst_event_new_segment (&segment));
}

static void
flush (Bare * bare)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  push_both (bare, start);
  push_both (bare, stop);
}

/* Frames `first` and on of a picture that moves, each beside a worse one. */
static void
push_frames (Bare * bare, guint first, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < 2; k++) {
      GstBuffer *buffer = k == 0 ? frame_new (&bare->info, first + i)
          : duel_distorted_new (&bare->info, first + i);

      GST_BUFFER_PTS (buffer) = i * FRAME;
      gst_pad_push (bare->pads[k], buffer);
    }
}

/* How many frames have left, once there are `n` or five minutes are over. */
static guint
wait_for_frames (Bare * bare, guint n)
{
  const gint64 end = g_get_monotonic_time () + 5 * G_TIME_SPAN_MINUTE;
  guint len;

  do {
    g_mutex_lock (&bare->lock);
    len = bare->out->len;
    g_mutex_unlock (&bare->lock);
    if (len < n)
      g_usleep (1000);
  } while (len < n && g_get_monotonic_time () < end);
  return len;
}

static void
forget_frames (Bare * bare)
{
  g_mutex_lock (&bare->lock);
  g_ptr_array_set_size (bare->out, 0);
  g_mutex_unlock (&bare->lock);
}

/* A change of state cuts off a flush. GstAggregator of 1.22 does not stop its
 * thread for those that follow, and forgets what that thread works on. */
static void
test_cut_off_flush (void)
{
  Bare bare;

  bare_init (&bare, 640, "metrics=psnr+ssim+ms-ssim+psnr-hvs");
  push_both (&bare, gst_event_new_flush_start ());
  gst_element_set_state (bare.pipeline, GST_STATE_READY);
  push_both (&bare, gst_event_new_flush_stop (TRUE));
  gst_element_set_state (bare.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < test_rounds (8); i++) {
    begin_stream (&bare);
    push_frames (&bare, 0, 5);
    g_usleep (1000 * (i % 8));
    flush (&bare);
  }
  forget_frames (&bare);
  begin_stream (&bare);
  push_frames (&bare, 0, 3);
  g_assert_cmpuint (wait_for_frames (&bare, 3), >=, 3);
  bare_clear (&bare);
}

/* Frame `index` of those that have left. */
static gdouble
get_xpsnr (Bare * bare, guint index)
{
  gdouble figure;

  g_assert_cmpuint (wait_for_frames (bare, index + 1), >=, index + 1);
  g_mutex_lock (&bare->lock);
  figure = get_double (duel_figures (g_ptr_array_index (bare->out, index),
          "dist_sink"), "xpsnr-y");
  g_mutex_unlock (&bare->lock);
  return figure;
}

/* XPSNR compares a frame with those before it, but not with those before a
 * flush. */
static void
test_xpsnr_after_flush (void)
{
  enum { FRAMES = 4 };
  gdouble alone[FRAMES];

  for (guint before = 0; before < 6; before++) {
    Bare bare;

    bare_init (&bare, 320, "metrics=psnr+xpsnr");
    begin_stream (&bare);
    if (before > 0) {
      push_frames (&bare, 100, before);
      get_xpsnr (&bare, before - 1);
      flush (&bare);
      forget_frames (&bare);
      begin_stream (&bare);
    }
    push_frames (&bare, 0, FRAMES);
    for (guint i = 0; i < FRAMES; i++)
      if (before == 0)
        alone[i] = get_xpsnr (&bare, i);
      else
        g_assert_cmpfloat (get_xpsnr (&bare, i), ==, alone[i]);
    bare_clear (&bare);
  }
}

static gpointer
flush_reference (gpointer data)
{
  Bare *bare = data;

  for (gint i = 0; i < test_rounds (2000); i++) {
    gst_pad_push_event (bare->pads[0], gst_event_new_flush_start ());
    g_usleep (1 + i * 37 % 150);
    gst_pad_push_event (bare->pads[0], gst_event_new_flush_stop (TRUE));
    g_usleep (1 + i * 53 % 150);
  }
  g_atomic_int_set (&bare->done, TRUE);
  return NULL;
}

/* Upstream frees an allocation query as soon as it flushes, whoever is about to
 * answer it. */
static void
test_allocation_and_flush (void)
{
  g_autoptr (GstCaps) caps;
  GThread *thread;
  Bare bare;

  bare_init (&bare, 64, "");
  caps = gst_video_info_to_caps (&bare.info);
  begin_stream (&bare);
  g_atomic_int_set (&bare.done, FALSE);
  thread = g_thread_new ("flush", flush_reference, &bare);
  while (!g_atomic_int_get (&bare.done)) {
    GstQuery *query = gst_query_new_allocation (caps, TRUE);

    gst_pad_peer_query (bare.pads[0], query);
    gst_query_unref (query);
  }
  g_thread_join (thread);
  bare_clear (&bare);
}

static void
press (GstPad * src, const gchar * key)
{
  gst_pad_send_event (src, gst_event_new_navigation (gst_structure_new
          ("application/x-gst-navigation", "event", G_TYPE_STRING, "key-press",
              "key", G_TYPE_STRING, key, NULL)));
}

/* Key c goes through the pairs of inputs that there are. */
static void
test_pairs (void)
{
  static const gint pairs[][2] = { {-1, 2}, {0, 2}, {-1, 0} };
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_element_factory_make
      ("blockdctcompare", NULL));
  GstPad *pad = gst_element_request_pad_simple (element, "dist_sink_2");
  GstPad *src = gst_element_get_static_pad (element, "src");

  g_object_set (element, "interactive", TRUE, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (pairs); i++) {
    gint left, right;

    press (src, "c");
    g_object_get (element, "left", &left, "right", &right, NULL);
    g_assert_cmpint (left, ==, pairs[i % 3][0]);
    g_assert_cmpint (right, ==, pairs[i % 3][1]);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_release_request_pad (element, pad);
  gst_object_unref (pad);
  gst_object_unref (src);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/compare-events/cut-off-flush", test_cut_off_flush);
  test_add ("/compare-events/xpsnr-after-flush", test_xpsnr_after_flush);
  test_add ("/compare-events/allocation-and-flush", test_allocation_and_flush);
  test_add ("/compare-events/pairs", test_pairs);
  return test_run ();
}
