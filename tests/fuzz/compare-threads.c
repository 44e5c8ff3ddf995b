/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare with a thread for each input, one that sets properties, and
 * one that flushes, seeks and asks: whatever comes out, its figures are those
 * of the frames of its time. */
#include "compare.h"

#include <string.h>
#include "dct/engine/compare.h"

#define FRAMES 40               /* of a round */
#define WIDTH 24
#define HEIGHT 18

typedef struct
{
  World *w;
  guint input, base;
  guint32 state;
  gint *stop;                   /* atomic */
} Party;

/* A layout of its own for each frame. */
static const gchar *
format_of (guint input, guint n)
{
  static const gchar *const formats[] = { "I420", "NV12", "YV12", "NV21" };

  return formats[(n / 9 + input) % G_N_ELEMENTS (formats)];
}

static GstBuffer *
draw (guint input, guint n, Item * item)
{
  GstBuffer *buffer;

  video_info (&item->info, format_of (input, n), WIDTH, HEIGHT);
  shape_init (&item->shape, format_of (input, n), WIDTH, HEIGHT);
  buffer = picture_draw (&item->shape, &item->info, n, 100 * n + input,
      LAYOUT_PLAIN, 1, FALSE, &item->samples);
  GST_BUFFER_PTS (buffer) = n * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* Whoever flushes takes the segment with it, and what comes meanwhile. */
static void
start_stream (GstPad * pad, GstCaps * caps, gboolean new_caps)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);

  if (event == NULL)
    gst_pad_push_event (pad, gst_event_new_stream_start ("fuzz"));
  gst_clear_event (&event);
  if (new_caps || !gst_pad_has_current_caps (pad))
    gst_pad_push_event (pad, gst_event_new_caps (caps));
  event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  if (event == NULL)
    gst_pad_push_event (pad, ends_segment ());
  gst_clear_event (&event);
}

static gpointer
feed (gpointer data)
{
  Party *p = data;
  GstPad *pad = p->w->input[p->input].pad;

  for (guint n = p->base; n < p->base + FRAMES; n++) {
    Item item = { 0 };
    GstBuffer *buffer = draw (p->input, n, &item);
    GstCaps *caps = gst_video_info_to_caps (&item.info);

    g_mutex_lock (&p->w->input[p->input].stream);
    start_stream (pad, caps, n == p->base || noise (&p->state, 4) == 0
        || strcmp (format_of (p->input, n), format_of (p->input, n - 1)) != 0);
    gst_pad_push (pad, buffer);
    g_mutex_unlock (&p->w->input[p->input].stream);
    gst_caps_unref (caps);
    samples_clear (&item.samples);
    if (noise (&p->state, 3) == 0)
      g_usleep (noise (&p->state, 200));
  }
  gst_pad_push_event (pad, gst_event_new_eos ());
  return NULL;
}

static gpointer
set_properties (gpointer data)
{
  static const gint views[] = {
    BDCT_VIEW_WIPE, BDCT_VIEW_SIDE_BY_SIDE, BDCT_VIEW_FLICKER,
    BDCT_VIEW_DIFFERENCE, BDCT_VIEW_RECONSTRUCTION, BDCT_VIEW_ERROR_MAP
  };
  Party *p = data;
  GObject *object = G_OBJECT (p->w->element);

  while (!g_atomic_int_get (p->stop)) {
    switch (noise (&p->state, 7)) {
      case 0:
        g_object_set (object, "view", views[noise (&p->state,
                    G_N_ELEMENTS (views))], NULL);
        break;
      case 1:
        g_object_set (object, "left", (gint) noise (&p->state, 4) - 1,
            "right", (gint) noise (&p->state, 4) - 1, NULL);
        break;
      case 2:
        g_object_set (object, "metrics", (1 << BDCT_N_METRICS)
            | noise (&p->state, 1 << BDCT_N_METRICS), NULL);
        break;
      case 3:
        g_object_set (object, "interval", noise (&p->state, 2) * 5 * FRAME,
            "post-messages", noise (&p->state, 4) > 0, NULL);
        break;
      case 4:
        g_object_set (object, "zoom", 1 + noise (&p->state, 30) / 2.0,
            "overlay", noise (&p->state, 4) == 0, NULL);
        break;
      case 5:
        g_object_set (object, "interactive", noise (&p->state, 2), NULL);
        break;
      default:
        gst_pad_push_event (p->w->sink,
            gst_navigation_event_new_mouse_move (noise (&p->state, WIDTH),
                noise (&p->state, HEIGHT), 0));
        break;
    }
    g_usleep (noise (&p->state, 300));
  }
  return NULL;
}

/* One pad, or all. */
static gpointer
disturb (gpointer data)
{
  Party *p = data;
  World *w = p->w;

  while (!g_atomic_int_get (p->stop)) {
    const guint what = noise (&p->state, 12);
    GstStructure *stats;
    GstQuery *query;

    if (what < N_INPUTS && w->input[what].pad != NULL) {
      world_flush_stream (&w->input[what], gst_util_seqnum_next ());
    } else if (what == 4) {
      gst_pad_push_event (w->sink, gst_event_new_seek (1, GST_FORMAT_TIME,
              GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
              GST_CLOCK_TIME_NONE));
    } else if (what == 5) {
      query = gst_query_new_latency ();
      gst_pad_peer_query (w->sink, query);
      gst_query_unref (query);
    } else if (what == 6) {
      gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
    } else {
      g_object_get (w->element, "stats", &stats, NULL);
      gst_structure_free (stats);
    }
    g_usleep (noise (&p->state, 2000));
  }
  return NULL;
}

static void
check_came_out (const Output * output, guint base)
{
  const guint n = GST_BUFFER_PTS (output->buffer) / FRAME;
  Item items[N_INPUTS] = { {.type = ITEM_FRAME} };

  check (n >= base && n < base + FRAMES
      && n * FRAME == GST_BUFFER_PTS (output->buffer), "a frame of no time");
  for (guint i = 0; i < N_INPUTS; i++)
    gst_buffer_unref (draw (i, n, &items[i]));
  for (guint i = 1; i < N_INPUTS; i++) {
    const GstStructure *s = check_find (output->buffer, i);
    Record record = { 0 };

    check_measure (&items[0], &items[i], &record);
    if (s != NULL)
      check_figures (&record, s);
  }
  for (guint i = 0; i < N_INPUTS; i++)
    samples_clear (&items[i].samples);
}

/* All inputs to their end. Undisturbed, every frame comes out, in order. */
static void
run_party (World * w, guint32 seed, gboolean disturbed)
{
  GThread *feeding[N_INPUTS] = { NULL }, *others[2] = { NULL };
  Party party[N_INPUTS + 2];
  guint n = 0, base = seed % 50;
  Output *output;
  gint stop = 0;

  world_start (w);
  for (guint i = 0; i < N_INPUTS + 2; i++)
    party[i] = (Party) {
    w, i, base, (seed ^ i * 2654435761u) | 1, &stop};
  for (guint i = 0; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL)
      feeding[i] = g_thread_new ("feed", feed, &party[i]);
  others[0] = g_thread_new ("set", set_properties, &party[N_INPUTS]);
  if (disturbed)
    others[1] = g_thread_new ("disturb", disturb, &party[N_INPUTS + 1]);
  doing ("inputs that are fed by threads");
  for (guint i = 0; i < N_INPUTS; i++)
    if (feeding[i] != NULL)
      g_thread_join (feeding[i]);
  g_mutex_lock (&w->lock);
  while (!disturbed && w->n_eos == 0)
    g_cond_wait (&w->cond, &w->lock);
  g_mutex_unlock (&w->lock);
  g_atomic_int_set (&stop, TRUE);
  g_thread_join (others[0]);
  if (disturbed)
    g_thread_join (others[1]);
  world_stop (w, GST_STATE_READY);
  while ((output = g_queue_pop_head (&w->outputs)) != NULL) {
    check_came_out (output, base);
    check (disturbed || GST_BUFFER_PTS (output->buffer) == (base + n) * FRAME,
        "a frame came out of order");
    output_free (output);
    n++;
  }
  check (disturbed || n == FRAMES, "%u of %u frames came out", n, FRAMES);
  count_frames (n);
  count_step ();
}

void
threads_run (guint64 seed, guint n)
{
  for (guint i = 0; i < n; i += FRAMES) {
    World *w = world_new (TRUE);

    if (seed >> i / FRAMES & 1)
      world_add_pad (w, 2);
    run_party (w, seed + i, FALSE);
    run_party (w, seed + i + 1, TRUE);
    world_free (w);
  }
}
