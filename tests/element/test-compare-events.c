/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: flushes and allocation queries, with sources that are pads
 * alone. */
#include "duel.h"

typedef struct
{
  Duel duel;
  GstPad *pads[2];              /* of the reference, and of dist_sink */
  GstVideoInfo info;
  gint done;                    /* atomic: the other thread is */
} Bare;

static void
bare_init (Bare * bare, gint size, const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("blockdctcompare name=compare "
      "backend=%s view=single %s ! appsink name=out sync=false",
      test_backend (), properties);

  video_info (&bare->info, "I420", size, size);
  duel_launch (&bare->duel, line);
  for (guint i = 0; i < 2; i++)
    bare->pads[i] = feeder_new (&bare->duel, i, NULL);
  gst_element_set_state (bare->duel.pipeline, GST_STATE_PLAYING);
}

static void
bare_clear (Bare * bare)
{
  gst_element_set_state (bare->duel.pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++)
    feeder_free (bare->pads[i]);
  duel_clear (&bare->duel);
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
  for (guint i = 0; i < 2; i++)
    feeder_begin (bare->pads[i], &bare->info);
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

/* The figure of the next frame that leaves. */
static gdouble
pull_figure (Bare * bare, const gchar * name)
{
  g_autoptr (GstBuffer) out = duel_pull (&bare->duel);

  g_assert_nonnull (out);
  return get_double (duel_figures (out, "dist_sink"), name);
}

/* A change of state cuts off a flush. GstAggregator of 1.22 does not stop its
 * thread for those that follow, and forgets what that thread works on. */
static void
test_cut_off_flush (void)
{
  Bare bare;

  bare_init (&bare, 640, "metrics=psnr+ssim+ms-ssim+psnr-hvs");
  push_both (&bare, gst_event_new_flush_start ());
  gst_element_set_state (bare.duel.pipeline, GST_STATE_READY);
  push_both (&bare, gst_event_new_flush_stop (TRUE));
  gst_element_set_state (bare.duel.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < test_rounds (8); i++) {
    begin_stream (&bare);
    push_frames (&bare, 0, 5);
    g_usleep (1000 * (i % 8));
    flush (&bare);
  }
  begin_stream (&bare);
  push_frames (&bare, 0, 3);
  for (guint i = 0; i < 3; i++)
    pull_figure (&bare, "psnr");
  bare_clear (&bare);
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
      for (guint i = 0; i < before; i++)
        pull_figure (&bare, "xpsnr-y");
      flush (&bare);
      begin_stream (&bare);
    }
    push_frames (&bare, 0, FRAMES);
    for (guint i = 0; i < FRAMES; i++)
      if (before == 0)
        alone[i] = pull_figure (&bare, "xpsnr-y");
      else
        g_assert_cmpfloat (pull_figure (&bare, "xpsnr-y"), ==, alone[i]);
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

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/compare-events/cut-off-flush", test_cut_off_flush);
  test_add ("/compare-events/xpsnr-after-flush", test_xpsnr_after_flush);
  test_add ("/compare-events/allocation-and-flush", test_allocation_and_flush);
  return test_run ();
}
