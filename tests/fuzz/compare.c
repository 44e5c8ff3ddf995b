/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare between pads of ours, and what passes there. */
#include "compare.h"

#include <string.h>

#define LOCK(w) g_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_mutex_unlock (&(w)->lock)

const gchar *const input_names[N_INPUTS] = {
  "ref_sink", "dist_sink", "dist_sink_1", "dist_sink_2"
};

const Kind *const kind_tables[] = {
  compare_kinds, compare_viewer_kinds, NULL
};

/* Downstream */

static GstFlowReturn
on_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  World *w = ends_owner (pad);
  Output *output = output_new (pad, buffer);
  GstFlowReturn flow;

  (void) parent;
  if (w->slow > 0)
    g_usleep (w->slow);
  LOCK (w);
  g_queue_push_tail (&w->outputs, output);
  flow = w->flow;
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  return flow;
}

static gboolean
on_downstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  World *w = ends_owner (pad);

  LOCK (w);
  w->n_eos += GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
on_downstream_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  World *w = ends_owner (pad);
  GstCaps *caps;
  gboolean refuse;

  LOCK (w);
  refuse = w->refuse && GST_QUERY_TYPE (query) == GST_QUERY_CAPS;
  UNLOCK (w);
  if (!refuse)
    return ends_take_all (pad, parent, query);
  caps = video_caps ("GRAY8", 9999, 9999);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* Upstream */

static guint
find_input (World * w, GstPad * pad)
{
  guint i = 0;

  while (w->input[i].pad != pad)
    i++;
  return i;
}

void
world_flush_stream (Input * input, guint32 seqnum)
{
  GstEvent *event = gst_event_new_flush_start ();

  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (input->pad, event);
  g_mutex_lock (&input->stream);
  event = gst_event_new_flush_stop (TRUE);
  gst_event_set_seqnum (event, seqnum);
  gst_pad_push_event (input->pad, event);
  if (gst_pad_has_current_caps (input->pad))
    gst_pad_push_event (input->pad, ends_segment ());
  g_mutex_unlock (&input->stream);
}

/* A source of its own for each input seeks at once. */
static void
seek (World * w, guint input, GstEvent * event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstEvent *to;

  g_atomic_int_inc (&w->input[input].seeks);
  if (w->threaded) {
    world_flush_stream (&w->input[input], seqnum);
    return;
  }
  to = gst_event_new_flush_start ();
  gst_event_set_seqnum (to, seqnum);
  gst_pad_push_event (w->input[input].pad, to);
  to = gst_event_new_flush_stop (TRUE);
  gst_event_set_seqnum (to, seqnum);
  gst_pad_push_event (w->input[input].pad, to);
}

static gboolean
on_upstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  World *w = ends_owner (pad);

  (void) parent;
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    seek (w, find_input (w, pad), event);
  LOCK (w);
  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION) {
    check ((!w->nav_passed || w->threaded) && pad == w->input[0].pad,
        "a navigation event went elsewhere than up ref_sink, or twice");
    w->nav_passed = TRUE;
  }
  UNLOCK (w);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
on_upstream_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  World *w = ends_owner (pad);
  GstFormat format;

  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return ends_answer (pad, parent, query);
  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  gst_query_set_seeking (query, format, pad == w->input[0].pad, 0, 77);
  return TRUE;
}

/* Messages */

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  World *w = data;

  (void) bus;
  LOCK (w);
  g_queue_push_tail (&w->messages, message);
  w->n_errors += GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  return GST_BUS_DROP;
}

void
world_expect_warning (World * w, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (w->warnings_due, g_strdup_vprintf (format, args));
  va_end (args);
}

/* Pads */

void
world_add_pad (World * w, guint i)
{
  Input *input = &w->input[i];
  GstPad *pad = i < 2 ? gst_element_get_static_pad (w->element, input_names[i])
      : gst_element_request_pad_simple (w->element, input_names[i]);

  check (pad != NULL && strcmp (GST_PAD_NAME (pad), input_names[i]) == 0,
      "there is no pad %s", input_names[i]);
  memset (input, 0, sizeof *input);
  input->last_time = GST_CLOCK_TIME_NONE;
  gst_video_info_init (&input->info);
  input->pad = ends_link (pad, w, NULL, on_upstream_event, on_upstream_query);
}

void
world_remove_pad (World * w, guint i)
{
  Input *input = &w->input[i];
  GstPad *peer = gst_pad_get_peer (input->pad);

  doing ("the release of a pad");
  gst_pad_set_active (input->pad, FALSE);
  gst_pad_unlink (input->pad, peer);
  if (i >= 2)
    gst_element_release_request_pad (w->element, peer);
  gst_object_unref (peer);
  gst_clear_object (&input->pad);
  item_forget (w, i);
}

void
world_send (World * w, guint i, GstEvent * event)
{
  doing (GST_EVENT_TYPE_NAME (event));
  gst_pad_push_event (w->input[i].pad, event);
}

void
world_set_caps (World * w, guint i, const GstVideoInfo * info)
{
  GstCaps *caps = gst_video_info_to_caps ((GstVideoInfo *) info);

  gst_video_info_from_caps (&w->input[i].info, caps);
  item_new (w, i, ITEM_EVENT);
  world_send (w, i, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

void
world_set_segment (World * w, guint i, const GstSegment * segment,
    guint32 seqnum)
{
  GstEvent *event = gst_event_new_segment (segment);

  if (seqnum != 0)
    gst_event_set_seqnum (event, seqnum);
  w->input[i].segment = *segment;
  w->input[i].have_segment = TRUE;
  item_new (w, i, ITEM_EVENT);
  world_send (w, i, event);
}

void
world_flush (World * w, guint mask, guint32 seqnum)
{
  const gboolean all = mask == (1 << N_INPUTS) - 1;

  for (guint step = 0; step < 2; step++)
    for (guint i = 0; i < N_INPUTS; i++)
      if (w->input[i].pad != NULL && mask >> i & 1) {
        GstEvent *event = step == 0 ? gst_event_new_flush_start ()
            : gst_event_new_flush_stop (TRUE);

        gst_event_set_seqnum (event, seqnum);
        world_send (w, i, event);
      }
  if (all) {
    model_reset (w, FALSE);
    return;
  }
  for (guint i = 0; i < N_INPUTS; i++)
    if (mask >> i & 1) {
      Input *input = &w->input[i];

      item_forget (w, i);
      input->arrived = 0;
      input->last_time = GST_CLOCK_TIME_NONE;
      input->eos = input->sent_eos = input->have_segment = FALSE;
      w->decided = FALSE;
    }
}

/* Its states */

World *
world_new (gboolean threaded)
{
  World *w = g_new0 (World, 1);

  g_mutex_init (&w->lock);
  g_cond_init (&w->cond);
  w->threaded = threaded;
  w->element = ends_make ("blockdctcompare");
  ends_set_backend (w->element, backend_name ());
  w->settings = settings_read (w);
  w->bus = gst_bus_new ();
  gst_bus_set_sync_handler (w->bus, on_message, w, NULL);
  gst_element_set_bus (w->element, w->bus);
  w->sink = ends_link (gst_element_get_static_pad (w->element, "src"), w,
      on_buffer, on_downstream_event, on_downstream_query);
  w->items = g_ptr_array_new ();
  w->warnings_due = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < N_DISTORTED; i++)
    w->records[i] = g_ptr_array_new_with_free_func (record_free);
  world_add_pad (w, 0);
  world_add_pad (w, 1);
  model_reset (w, TRUE);
  return w;
}

void
world_free (World * w)
{
  world_stop (w, GST_STATE_NULL);
  world_settle (w);
  for (guint i = 0; i < N_INPUTS; i++)
    if (w->input[i].pad != NULL)
      world_remove_pad (w, i);
  g_queue_clear (&w->skipped);
  gst_pad_set_active (w->sink, FALSE);
  world_release (w->element, w->bus);
  gst_object_unref (w->sink);
  for (guint i = 0; i < w->items->len; i++) {
    Item *item = g_ptr_array_index (w->items, i);

    check (g_atomic_int_get (&item->alive) == 0, "a frame is never let go of");
    samples_clear (&item->samples);
    g_free (item);
  }
  g_ptr_array_unref (w->items);
  g_ptr_array_unref (w->warnings_due);
  for (guint i = 0; i < N_DISTORTED; i++) {
    g_ptr_array_unref (w->records[i]);
    g_queue_clear_full (&w->pools[i], g_free);
  }
  world_new_file (&w->stats_file, NULL);
  g_mutex_clear (&w->lock);
  g_cond_clear (&w->cond);
  g_free (w);
}

void
world_start (World * w)
{
  if (w->playing)
    return;
  doing ("the start");
  model_reset (w, TRUE);
  check (gst_element_set_state (w->element, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE, "the element does not start");
  w->playing = TRUE;
  w->refuse = FALSE;
}

void
world_stop (World * w, GstState state)
{
  doing ("the stop");
  check (gst_element_set_state (w->element, state) != GST_STATE_CHANGE_FAILURE,
      "the element does not stop");
  w->playing = w->over = FALSE;
  gst_pad_set_active (w->sink, FALSE);
  gst_pad_set_active (w->sink, TRUE);
  for (guint i = 0; i < N_INPUTS; i++) {
    item_forget (w, i);
    if (w->input[i].pad == NULL)
      continue;
    /* Our pads forget the end of the stream, and its events. */
    gst_pad_push_event (w->input[i].pad, gst_event_new_flush_start ());
    gst_pad_push_event (w->input[i].pad, gst_event_new_flush_stop (TRUE));
    gst_pad_set_active (w->input[i].pad, FALSE);
    gst_pad_set_active (w->input[i].pad, TRUE);
  }
  for (guint i = 0; i < w->items->len && !w->threaded; i++) {
    const Item *item = g_ptr_array_index (w->items, i);

    check (g_atomic_int_get (&item->alive) == 0,
        "a frame is kept once the element is stopped");
  }
}

void
world_stream (World * w, guint i)
{
  Input *input = &w->input[i];
  GstVideoInfo info;
  GstSegment segment;

  world_start (w);
  if (!input->have_stream)
    world_send (w, i, gst_event_new_stream_start (input_names[i]));
  if (!input->have_stream)
    item_new (w, i, ITEM_EVENT);
  input->have_stream = TRUE;
  if (GST_VIDEO_INFO_FORMAT (&input->info) == GST_VIDEO_FORMAT_UNKNOWN) {
    video_info (&info, "I420", 16, 16);
    world_set_caps (w, i, &info);
  }
  if (!input->have_segment) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    input->next_time = 0;
    world_set_segment (w, i, &segment, 0);
  }
}

/* Frames */

static void
on_unref (gpointer data, GstMiniObject * object)
{
  (void) object;
  g_atomic_int_set ((gint *) data, 0);
}

void
world_push (World * w, guint i, Item * item, GstBuffer * buffer)
{
  Input *input = &w->input[i];
  GstFlowReturn flow;

  item->pts = GST_BUFFER_PTS (buffer);
  item->duration = GST_BUFFER_DURATION (buffer);
  if (GST_CLOCK_TIME_IS_VALID (item->pts)) {
    GstClockTime end = GST_CLOCK_TIME_IS_VALID (item->duration)
        ? item->pts + item->duration : GST_CLOCK_TIME_NONE;

    item->time = gst_segment_to_running_time (&input->segment, GST_FORMAT_TIME,
        item->pts);
    item->stream_time = gst_segment_to_stream_time (&input->segment,
        GST_FORMAT_TIME, item->pts);
    if (item->pts < input->segment.start
        || !gst_segment_clip (&input->segment, GST_FORMAT_TIME, item->pts, end,
            NULL, NULL)) {
      /* It is left out as it comes. */
      g_queue_remove (&input->queue, item);
      g_queue_push_tail (&w->skipped, item);
    }
  }
  g_atomic_int_set (&item->alive, 1);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), on_unref, &item->alive);
  doing ("gst_pad_push()");
  flow = gst_pad_push (input->pad, buffer);
  if (flow == GST_FLOW_OK) {
    /* How far the element looks ahead depends on what it finds there. */
    world_settle (w);
    return;
  }
  /* What came before it may have ended all. */
  g_queue_remove (&input->queue, item);
  model_run (w);
  if (!w->over)
    world_settle (w);
  check (w->over, "a buffer was refused: %s", gst_flow_get_name (flow));
}
