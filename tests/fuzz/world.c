/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element between two pads, and what passes there. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define LOCK(w) g_rec_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_rec_mutex_unlock (&(w)->lock)

void
frame_free (Frame * frame)
{
  if (frame == NULL)
    return;
  samples_clear (&frame->in);
  samples_clear (&frame->out);
  samples_clear (&frame->slack);
  gst_clear_buffer (&frame->held);
  g_free (frame);
}

/* The element */

World *
world_new (gboolean threaded)
{
  World *w = g_new0 (World, 1);

  g_rec_mutex_init (&w->lock);
  w->threaded = threaded;
  w->element = ends_make ("blockdct");
  ends_set_backend (w->element, backend_name ());
  w->bus = gst_bus_new ();
  gst_bus_set_sync_handler (w->bus, world_on_message, w, NULL);
  gst_element_set_bus (w->element, w->bus);
  w->sink = world_pad (w, "src");
  w->src = world_pad (w, "sink");
  model_init (&w->model);
  w->records = g_ptr_array_new_with_free_func (record_free);
  w->ready_depth = 1;
  w->up_max = GST_CLOCK_TIME_NONE;
  w->last_sync = GST_CLOCK_TIME_NONE;
  gst_segment_init (&w->segment, GST_FORMAT_TIME);
  return w;
}

void
world_free (World * w)
{
  world_stop (w, GST_STATE_NULL);
  w->may_warn = TRUE;
  world_settle (w);
  gst_pad_set_active (w->src, FALSE);
  gst_pad_set_active (w->sink, FALSE);
  world_release (w->element, w->bus);
  gst_object_unref (w->src);
  gst_object_unref (w->sink);
  g_ptr_array_unref (w->records);
  g_queue_clear (&w->down);
  g_queue_clear (&w->up);
  world_new_file (&w->stats_file, NULL);
  g_rec_mutex_clear (&w->lock);
  g_free (w);
}

/* Its states */

void
world_start (World * w)
{
  if (w->playing)
    return;
  doing ("the start");
  LOCK (w);
  g_ptr_array_set_size (w->records, 0);
  w->new_pool = w->drops_unsure = FALSE;
  w->n_dropped = w->dropped_reported = 0;
  w->missed = w->warned_missed = w->below = FALSE;
  w->below_due = 0;
  w->model.warned = 0;
  w->first_depth = 0;
  w->depth = 0;
  w->model.depth = 0;
  w->have_caps = w->have_segment = w->eos = FALSE;
  UNLOCK (w);
  check (gst_element_set_state (w->element, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE, "the element does not start");
  w->playing = TRUE;
  /* So that it forgets events of the last stream. */
  gst_pad_set_active (w->src, FALSE);
  gst_pad_set_active (w->src, TRUE);
  gst_pad_push_event (w->src, gst_event_new_stream_start ("fuzz"));
}

void
world_lose_frames (World * w)
{
  Frame *frame;

  LOCK (w);
  while ((frame = g_queue_pop_head (&w->frames)) != NULL)
    frame_free (frame);
  UNLOCK (w);
}

void
world_stop (World * w, GstState state)
{
  doing ("the stop");
  check (gst_element_set_state (w->element, state) != GST_STATE_CHANGE_FAILURE,
      "the element does not stop");
  w->playing = FALSE;
  world_lose_frames (w);
  if (w->up_pool != NULL) {
    gst_buffer_pool_set_active (w->up_pool, FALSE);
    check (GST_OBJECT_REFCOUNT (w->up_pool) == 1,
        "the proposed pool has %d references once stopped",
        GST_OBJECT_REFCOUNT (w->up_pool));
    gst_clear_object (&w->up_pool);
  }
  w->model.depth = 0;
  check (g_atomic_int_get (&w->alive) == 0,
      "%d input buffers are kept once stopped", w->alive);
  if (w->down_pool != NULL) {
    check (GST_OBJECT_REFCOUNT (w->down_pool) == 1,
        "downstream's pool has %d references once stopped",
        GST_OBJECT_REFCOUNT (w->down_pool));
    gst_clear_object (&w->down_pool);
  }
}

gboolean
world_event (World * w, GstEvent * event)
{
  guint32 seqnum = GST_EVENT_SEQNUM (event);
  GstEventType type = GST_EVENT_TYPE (event);
  gboolean ok;

  doing (gst_event_type_get_name (type));
  LOCK (w);
  g_queue_push_tail (&w->down, GUINT_TO_POINTER (seqnum));
  UNLOCK (w);
  ok = gst_pad_push_event (w->src, event);
  LOCK (w);
  /* It must have arrived, unless it was refused, or is caps, which are made
   * anew. */
  check (!g_queue_remove (&w->down, GUINT_TO_POINTER (seqnum))
      || type == GST_EVENT_CAPS || !ok,
      "a %s event did not come out", gst_event_type_get_name (type));
  UNLOCK (w);
  return ok;
}

gboolean
world_set_caps (World * w, GstCaps * caps)
{
  GstVideoInfo info;

  if (!world_event (w, gst_event_new_caps (caps))
      || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  LOCK (w);
  w->info = info;
  shape_init (&w->shape, GST_VIDEO_INFO_NAME (&info), info.width, info.height);
  w->have_caps = TRUE;
  w->depth = w->ready_depth;
  w->model.depth = w->shape.depth;
  w->model.rgb = w->shape.rgb != NULL;
  UNLOCK (w);
  return TRUE;
}

void
world_new_segment (World * w, const GstSegment * segment)
{
  LOCK (w);
  gst_segment_copy_into (segment, &w->segment);
  UNLOCK (w);
  w->have_segment = TRUE;
  check (world_event (w, gst_event_new_segment (segment)),
      "a segment was refused");
}

void
world_stream (World * w)
{
  GstSegment segment;

  world_start (w);
  if (w->eos) {
    gst_pad_push_event (w->src, gst_event_new_flush_start ());
    gst_pad_push_event (w->src, gst_event_new_flush_stop (TRUE));
    w->eos = w->have_segment = FALSE;
  }
  if (!w->have_caps) {
    GstCaps *caps = video_caps ("I420", 16, 16);

    check (world_set_caps (w, caps), "plain caps were refused");
    gst_caps_unref (caps);
  }
  if (!w->have_segment) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    world_new_segment (w, &segment);
  }
}

/* Frames */

static void
on_unref (gpointer data, GstMiniObject * object)
{
  World *w = data;

  (void) object;
  g_atomic_int_dec_and_test (&w->alive);
}

/* What the element does first: the bindings' values of that time. */
static void
sync_bindings (World * w, GstClockTime time)
{
  gboolean any = FALSE;
  GValue v = G_VALUE_INIT;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return;
  for (guint i = 0; i < N_BINDINGS; i++) {
    Binding *binding = &w->binding[i];
    gdouble value = binding_at (binding, time);

    if (!binding->on)
      continue;
    any = TRUE;
    if (time >= w->last_sync && value == binding->last)
      continue;
    g_value_init (&v, i >= BIND_DEADZONE ? G_TYPE_DOUBLE : G_TYPE_INT);
    if (i >= BIND_DEADZONE)
      g_value_set_double (&v, value);
    else
      g_value_set_int (&v, value);
    model_set (&w->model, binding_names[i], &v);
    g_value_unset (&v);
    binding->last = value;
  }
  if (any)
    w->last_sync = time;
}

void
world_push (World * w, Frame * frame, GstBuffer * buffer)
{
  const gboolean excused = frame->excused || w->passthrough;
  guint64 dropped = 0;
  GstStructure *stats;
  GstFlowReturn flow;
  gint n_warnings;
  Model model;

  doing ("gst_pad_push()");
  frame->pts = GST_BUFFER_PTS (buffer);
  frame->dts = GST_BUFFER_DTS (buffer);
  frame->duration = GST_BUFFER_DURATION (buffer);
  frame->serial = GST_BUFFER_OFFSET (buffer) = ++w->serial;
  frame->offset_end = GST_BUFFER_OFFSET_END (buffer) = 3 * w->serial;
  frame->flags = GST_BUFFER_FLAGS (buffer);
  frame->info = w->info;
  frame->shape = w->shape;
  frame->stream_time = frame->running_time = GST_CLOCK_TIME_NONE;
  if (w->segment.format == GST_FORMAT_TIME) {
    frame->stream_time = gst_segment_to_stream_time (&w->segment,
        GST_FORMAT_TIME, frame->pts);
    frame->running_time = gst_segment_to_running_time (&w->segment,
        GST_FORMAT_TIME, frame->pts);
  }
  if (!w->threaded)
    sync_bindings (w, frame->stream_time);
  model = w->model;
  n_warnings = w->n_warnings;
  if (!w->threaded && !w->passthrough)
    world_expect_warnings (w, model_enter (&w->model));
  frame->choice = w->model.force;
  if (frame->shape.rgb != NULL && frame->in.pixels != NULL) {
    shape_subsample (&frame->shape, frame->choice.subsampling);
    picture_split (&frame->shape, &frame->in);
  }
  frame->any_settings = w->threaded;
  frame->passed = w->passthrough;
  frame->excused = excused;
  if (buffer->pool == NULL) {
    g_atomic_int_inc (&w->alive);
    gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), on_unref, w);
  }
  LOCK (w);
  g_queue_push_tail (&w->frames, frame);
  UNLOCK (w);
  flow = gst_pad_push (w->src, buffer);
  if (flow != GST_FLOW_OK && excused) {
    /* It may have been refused, or not, and before its curve was looked at. */
    w->may_error = TRUE;
    w->model.warned = (w->model.warned & ~(1u << MODEL_WARNED_CURVE))
        | (model.warned & 1u << MODEL_WARNED_CURVE);
    LOCK (w);
    if (g_queue_remove (&w->frames, frame))
      frame_free (frame);
    UNLOCK (w);
    return;
  }
  check (flow == GST_FLOW_OK, "a buffer was refused: %s",
      gst_flow_get_name (flow));
  g_object_get (w->element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "dropped", &dropped);
  gst_structure_free (stats);
  if (dropped != w->n_dropped) {
    check (w->qos && dropped == w->n_dropped + 1,
        "%" G_GUINT64_FORMAT " frames were dropped, not %" G_GUINT64_FORMAT,
        dropped, w->n_dropped);
    w->n_dropped = dropped;
    /* It did not enter. */
    w->model = model;
    w->n_warnings = n_warnings;
    LOCK (w);
    check (g_queue_peek_tail (&w->frames) == frame,
        "a frame came out and counts as dropped");
    frame_free (g_queue_pop_tail (&w->frames));
    UNLOCK (w);
  }
  /* What is held: the frames in flight, and the one of the last push. */
  if (!w->threaded)
    check (g_atomic_int_get (&w->alive) <= (gint) w->frames.length + 1,
        "%d input buffers are alive with %u in flight", w->alive,
        w->frames.length);
}

const Kind *const kind_tables[] = {
  stream_kinds, query_kinds, setting_kinds, setter_kinds, NULL
};
