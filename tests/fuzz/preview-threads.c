/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage with a thread that feeds it, one that sets properties and
 * freezes, and one that presses keys, asks and, if it disturbs, flushes. What
 * nobody flushes comes out in order and counts once; nothing hangs. */
#include "preview.h"

#include <gst/video/navigation.h>

#define FRAMES 60               /* of a round */

typedef struct
{
  World *w;
  guint32 state;
  gboolean disturbs;
  gint *stop;                   /* atomic */
} Party;

static gpointer
set_properties (gpointer data)
{
  static const gchar *const views[] = { "single", "wipe", "side-by-side",
    "difference", "error-map"
  };
  Party *p = data;
  World *w = p->w;

  while (!g_atomic_int_get (p->stop)) {
    GObject *child = G_OBJECT (w->child[noise (&p->state, 2)]);

    switch (noise (&p->state, 6)) {
      case 0:
        g_object_set (w->element, "freeze", noise (&p->state, 2), NULL);
        break;
      case 1:
        g_object_set (child, "quality", 1 + noise (&p->state, 100), NULL);
        break;
      case 2:
        g_object_set (child, "transform", noise (&p->state,
                BDCT_N_TRANSFORMS), NULL);
        break;
      case 3:
        gst_util_set_object_arg (G_OBJECT (w->child[CHILD_COMPARE]), "view",
            views[noise (&p->state, G_N_ELEMENTS (views))]);
        break;
      default:
        g_object_set (w->child[CHILD_COMPARE], "left",
            (gint) noise (&p->state, 3) - 1, "right",
            (gint) noise (&p->state, 3) - 1, NULL);
        break;
    }
    g_usleep (noise (&p->state, 500));
  }
  return NULL;
}

/* No frame comes between a flush and its segment. */
static void
flush (World * w, guint32 * state)
{
  gst_pad_push_event (w->src, gst_event_new_flush_start ());
  g_usleep (noise (state, 200));
  g_mutex_lock (&w->stream);
  gst_pad_push_event (w->src, gst_event_new_flush_stop (TRUE));
  gst_pad_push_event (w->src, ends_segment ());
  g_mutex_unlock (&w->stream);
}

static gpointer
disturb (gpointer data)
{
  static const gchar *const keys[] = { "Up", "Left", "g", "b", "x", "f", "v",
    "c", "space", "plus", "0"
  };
  Party *p = data;
  World *w = p->w;

  while (!g_atomic_int_get (p->stop)) {
    GstStructure *stats;
    GstQuery *query;

    switch (noise (&p->state, p->disturbs ? 6 : 5)) {
      case 0:
        query = gst_query_new_latency ();
        gst_pad_peer_query (w->sink, query);
        gst_query_unref (query);
        break;
      case 1:
        g_object_get (w->child[noise (&p->state, N_CHILDREN)], "stats",
            &stats, NULL);
        gst_structure_free (stats);
        break;
      case 2:
        gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
        break;
      case 5:
        flush (w, &p->state);
        break;
      default:
        gst_pad_push_event (w->sink, gst_navigation_event_new_key_press
            (keys[noise (&p->state, G_N_ELEMENTS (keys))], 0));
        break;
    }
    g_usleep (noise (&p->state, 2000));
  }
  return NULL;
}

static void
wait_for_fed (World * w, guint n)
{
  g_mutex_lock (&w->lock);
  while (w->n_fed < n)
    g_cond_wait (&w->cond, &w->lock);
  g_mutex_unlock (&w->lock);
}

/* The events of a stream's start, which come before a flush can. */
#define N_STARTS 3

static void
feed_start (World * w)
{
  GstCaps *caps = gst_video_info_to_caps (&w->info);

  world_give (w, ITEM_EVENT, gst_event_new_stream_start ("fuzz"));
  world_give (w, ITEM_EVENT, gst_event_new_caps (caps));
  world_give (w, ITEM_EVENT, ends_segment ());
  gst_caps_unref (caps);
  wait_for_fed (w, N_STARTS);
}

/* All of it is given to the feeder, which takes as long as it takes. */
static void
feed_all (World * w)
{
  for (guint n = 0; n < FRAMES; n++) {
    Frame *frame;
    GstBuffer *buffer = world_draw (w, &frame, n, n, n % N_LAYOUTS);

    GST_BUFFER_PTS (buffer) = n * FRAME;
    GST_BUFFER_DURATION (buffer) = FRAME;
    world_give (w, ITEM_FRAME, buffer);
  }
  world_give (w, ITEM_EOS, gst_event_new_eos ());
}

/* Nobody freezes any more: what is held leaves. */
static void
wait_for_end (World * w)
{
  doing ("the end of what was held");
  g_object_set (w->element, "freeze", FALSE, NULL);
  wait_for_fed (w, N_STARTS + FRAMES + 1);
  g_mutex_lock (&w->lock);
  while (!w->interrupted && w->n_eos == 0)
    g_cond_wait (&w->cond, &w->lock);
  g_mutex_unlock (&w->lock);
}

static void
look_at_all (World * w, gboolean disturbed)
{
  Output *output;
  guint n = 0;

  while ((output = g_queue_pop_head (&w->outputs)) != NULL) {
    if (output_is_repeated (output)) {
      check (!GST_BUFFER_PTS_IS_VALID (output->buffer),
          "a repeated frame has a time");
    } else {
      check (disturbed || GST_BUFFER_PTS (output->buffer) == n * FRAME,
          "a frame came out of order");
      n++;
    }
    output_free (output);
  }
  check (disturbed || n == FRAMES, "%u of %u frames came out", n, FRAMES);
  count_frames (n);
  count_step ();
}

static void
check_counts (World * w)
{
  GstStructure *stats;

  g_object_get (w->child[CHILD_A], "stats", &stats, NULL);
  expect_uint64 (stats, "frames", FRAMES);
  gst_structure_free (stats);
}

static void
run_party (World * w, guint32 seed, gboolean disturbed)
{
  gint stop = 0;
  Party party[2] = {
    {w, seed | 1, disturbed, &stop}, {w, (seed ^ 0x9e3779b9) | 1, disturbed,
          &stop}
  };
  GThread *threads[2];

  world_start (w);
  g_object_set (w->child[CHILD_COMPARE], "interactive", TRUE, NULL);
  feed_start (w);
  w->interrupted = disturbed;
  threads[0] = g_thread_new ("set", set_properties, &party[0]);
  threads[1] = g_thread_new ("disturb", disturb, &party[1]);
  feed_all (w);
  /* Some of it passes while they are at it. */
  g_usleep (20000 + noise (&seed, 50000));
  g_atomic_int_set (&stop, TRUE);
  doing ("the end of the other threads");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  wait_for_end (w);
  if (!disturbed)
    check_counts (w);
  look_at_all (w, disturbed);
  world_stop (w, GST_STATE_READY);
}

void
threads_run (guint64 seed, guint n)
{
  for (guint i = 0; i < n; i += FRAMES) {
    World *w = world_new (TRUE);

    run_party (w, seed + i + 1, FALSE);
    run_party (w, seed + i + 2, TRUE);
    world_free (w);
  }
}
