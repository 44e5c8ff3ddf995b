/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: how far inputs run ahead, and flushes. */
#include <gst/base/gstaggregator.h>
#include "duel.h"

/* An input that runs ahead, as `bounds` has it. */
typedef struct
{
  Duel duel;
  GstVideoInfo info;
  GstClockTime gap;             /* between two frames; NONE: without times */
  gint pushed;                  /* atomic */
  GThread *thread;
} Flood;

static gpointer
flood (gpointer data)
{
  Flood *self = data;
  GstBuffer *frame = frame_new (&self->info, 0);

  for (guint n = 0; n < 100000; n++) {
    GstBuffer *buffer = gst_buffer_copy (frame);

    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_IS_VALID (self->gap)
        ? n * self->gap : GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
    if (gst_pad_push (self->duel.feeder[0], buffer) != GST_FLOW_OK)
      break;
    g_atomic_int_inc (&self->pushed);
  }
  gst_buffer_unref (frame);
  return NULL;
}

static gboolean (*compare_sink_event) (GstAggregator * agg,
    GstAggregatorPad * pad, GstEvent * event);

/* GstAggregator's subclass gets no FLUSH_STOP event, as most of them in
 * GStreamer's main branch. */
static gboolean
hide_flush_stop (GstAggregator * agg, GstAggregatorPad * pad, GstEvent * event)
{
  GstAggregatorClass *parent =
      g_type_class_peek_parent (G_OBJECT_GET_CLASS (agg));

  return (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP ? parent->sink_event
      : compare_sink_event) (agg, pad, event);
}

/* How many frames a pad takes while the other one has none, also after a flush:
 * a quarter more than 64 and than 4 s, and no more. The warning comes while it
 * waits: all of them at once. */
TEST ("/compare-queues/bound", test_bound)
{
  static const struct
  {
    GstClockTime gap;
    gint frames;
    gboolean flushes;
  } bounds[] = {
    {GST_SECOND, 64 + 16, FALSE}, {GST_SECOND / 60, 241 + 16, FALSE},
    {GST_SECOND / 200, 800 + 16, FALSE}, {GST_CLOCK_TIME_NONE, 64 + 16, FALSE},
    {GST_SECOND, 64 + 16, TRUE}
  };
  GstAggregatorClass *klass = g_type_class_ref (g_type_from_name
      ("GstBlockDctCompare"));
  Flood floods[G_N_ELEMENTS (bounds)];

  compare_sink_event = klass->sink_event;
  klass->sink_event = hide_flush_stop;
  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    Flood *self = &floods[i];

    self->gap = bounds[i].gap;
    self->pushed = 0;
    duel_open (&self->duel, &self->info, 16, 16, 2, "");
    if (bounds[i].flushes) {
      duel_flush (&self->duel);
      duel_begin (&self->duel, &self->info);
    }
    self->thread = g_thread_new ("flood", flood, self);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    Flood *self = &floods[i];

    text_expect (duel_wait_text (&self->duel, GST_MESSAGE_WARNING),
        "ref_sink has", "dist_sink has none", NULL);
    /* GstAggregator may have taken one out of its queue already. */
    g_assert_cmpint (g_atomic_int_get (&self->pushed), >=, bounds[i].frames);
    g_assert_cmpint (g_atomic_int_get (&self->pushed), <=,
        bounds[i].frames + 1);
    gst_element_set_state (self->duel.pipeline, GST_STATE_NULL);
    g_thread_join (self->thread);
    duel_clear (&self->duel);
  }
  klass->sink_event = compare_sink_event;
  g_type_class_unref (klass);
}

/* Frames of a pool of few buffers, on both pads: whoever has one pool for all,
 * as a decoder before a tee, goes on, with either pad 30 frames ahead in
 * turn. */
TEST ("/compare-queues/fixed-pool", test_fixed_pool)
{
  static const guint sizes[] = { 4, 8, 24 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GstBufferPool) pool = gst_video_buffer_pool_new ();
    GstStructure *config = gst_buffer_pool_get_config (pool);
    g_autoptr (GstCaps) caps;
    GstVideoInfo info;
    Duel duel;

    duel_open (&duel, &info, 16, 16, 2, "");
    caps = gst_video_info_to_caps (&info);
    gst_buffer_pool_config_set_params (config, caps, info.size, 0, sizes[i]);
    g_assert_true (gst_buffer_pool_set_config (pool, config));
    g_assert_true (gst_buffer_pool_set_active (pool, TRUE));
    for (guint n = 0; n < 2 * 240; n++) {
      const guint ahead = n / 60 % 2;
      GstBuffer *buffer;

      /* Frames that wait to be drawn come back in time. */
      g_assert_cmpint (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), ==,
          GST_FLOW_OK);
      GST_BUFFER_PTS (buffer) = (n / 60 * 30 + n % 30) * FRAME;
      g_assert_cmpint (gst_pad_push (duel.feeder[n % 60 < 30 ? ahead
                  : !ahead], buffer), ==, GST_FLOW_OK);
    }
    duel_push_all (&duel, gst_event_new_eos ());
    gst_structure_free (duel_wait_report (&duel, "pooled"));
    duel_clear (&duel);
    gst_buffer_pool_set_active (pool, FALSE);
  }
}

/* What waits behind an event when the reference ends has no partner, as has
 * what is before it. */
TEST ("/compare-queues/end-behind-event", test_end_behind_event)
{
  GstVideoInfo info;
  g_autoptr (GstStructure) s;
  g_auto (Duel) duel;

  duel_open (&duel, &info, 16, 16, 2, "");
  for (guint n = 0; n < 5; n++) {
    gst_pad_push (duel.feeder[1], frame_new (&info, n));
    if (n > 0)
      gst_pad_push_event (duel.feeder[1], gst_event_new_custom
          (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  }
  gst_pad_push (duel.feeder[0], frame_new (&info, 0));
  gst_pad_push_event (duel.feeder[0], gst_event_new_eos ());
  s = duel_wait_report (&duel, "pooled");
  g_assert_cmpuint (get_uint64 (s, "unmatched"), ==, 4);
}

/* Frames `first` and on of a picture that moves, each beside a worse one. */
static void
push_frames (Duel * duel, const GstVideoInfo * info, guint first, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < 2; k++) {
      GstBuffer *buffer = k == 0 ? frame_new (info, first + i)
          : duel_distorted_new (info, first + i);

      GST_BUFFER_PTS (buffer) = i * FRAME;
      gst_pad_push (duel->feeder[k], buffer);
    }
}

/* The figure of the next frame that leaves. */
static gdouble
pull_figure (Duel * duel, const gchar * name)
{
  g_autoptr (GstBuffer) out = duel_pull (duel);

  g_assert_nonnull (out);
  return get_double (duel_figures (out, "dist_sink"), name);
}

/* A change of state cuts off a flush. GstAggregator of 1.22 does not stop its
 * thread for those that follow, and forgets what that thread works on. */
TEST ("/compare-queues/cut-off-flush", test_cut_off_flush)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, 640, 640, 2, "view=single "
      "metrics=psnr+ssim+ms-ssim+psnr-hvs");
  duel_push_all (&duel, gst_event_new_flush_start ());
  gst_element_set_state (duel.pipeline, GST_STATE_READY);
  duel_push_all (&duel, gst_event_new_flush_stop (TRUE));
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < test_rounds (8); i++) {
    duel_begin (&duel, &info);
    push_frames (&duel, &info, 0, 5);
    g_usleep (1000 * (i % 8));
    duel_flush (&duel);
  }
  duel_begin (&duel, &info);
  push_frames (&duel, &info, 0, 3);
  for (guint i = 0; i < 3; i++)
    pull_figure (&duel, "psnr");
}

/* XPSNR compares a frame with those before it, but not with those before a
 * flush. */
TEST ("/compare-queues/xpsnr-after-flush", test_xpsnr_after_flush)
{
  enum { FRAMES = 4 };
  gdouble alone[FRAMES];

  for (guint before = 0; before < 6; before++) {
    GstVideoInfo info;
    g_auto (Duel) duel;

    duel_open (&duel, &info, 320, 320, 2, "view=single metrics=psnr+xpsnr");
    if (before > 0) {
      push_frames (&duel, &info, 100, before);
      for (guint i = 0; i < before; i++)
        pull_figure (&duel, "xpsnr-y");
      duel_flush (&duel);
      duel_begin (&duel, &info);
    }
    push_frames (&duel, &info, 0, FRAMES);
    for (guint i = 0; i < FRAMES; i++)
      if (before == 0)
        alone[i] = pull_figure (&duel, "xpsnr-y");
      else
        g_assert_cmpfloat (pull_figure (&duel, "xpsnr-y"), ==, alone[i]);
  }
}

typedef struct
{
  GstPad *pad;
  gint done;                    /* atomic */
} Flusher;

static gpointer
flush_reference (gpointer data)
{
  Flusher *self = data;

  for (gint i = 0; i < test_rounds (2000); i++) {
    gst_pad_push_event (self->pad, gst_event_new_flush_start ());
    g_usleep (1 + i * 37 % 150);
    gst_pad_push_event (self->pad, gst_event_new_flush_stop (TRUE));
    g_usleep (1 + i * 53 % 150);
  }
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* Upstream frees an allocation query as soon as it flushes, whoever is about to
 * answer it. */
TEST ("/compare-queues/allocation-and-flush", test_allocation_and_flush)
{
  g_autoptr (GstCaps) caps;
  Flusher self = { 0 };
  GstVideoInfo info;
  GThread *thread;
  g_auto (Duel) duel;

  duel_open (&duel, &info, 64, 64, 2, "view=single");
  caps = gst_video_info_to_caps (&info);
  self.pad = duel.feeder[0];
  thread = g_thread_new ("flush", flush_reference, &self);
  while (!g_atomic_int_get (&self.done)) {
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

    gst_pad_peer_query (self.pad, query);
  }
  g_thread_join (thread);
}
/* It stops while all buffers of the pool that it draws into are elsewhere. */
TEST ("/compare-queues/kept", test_kept)
{
  Offer offer = { gst_video_buffer_pool_new (), 0, 100 };
  g_autoptr (GstPad) pad;
  GstBuffer *kept[100];
  g_auto (Duel) duel;

  duel_launch (&duel, "videotestsrc ! video/x-raw,format=I420,width=32,"
      "height=32 ! tee name=t ! queue ! compare.ref_sink t. ! queue ! "
      "compare.dist_sink blockdctcompare name=compare backend=cpu view=wipe "
      "post-messages=false ! appsink name=out sync=false");
  pad = gst_element_get_static_pad (duel.sink, "sink");
  offer_pool (pad, &offer);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    kept[i] = duel_pull (&duel);
    g_assert_true (kept[i]->pool == offer.pool);
  }
  /* The next one waits, soon if not yet. */
  g_usleep (100000);
  gst_element_set_state (duel.pipeline, GST_STATE_NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    gst_buffer_unref (kept[i]);
  gst_object_unref (offer.pool);
}
