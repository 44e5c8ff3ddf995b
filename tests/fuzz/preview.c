/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpage between two pads of ours, and what passes there. */
#include "preview.h"
#include "programs/preview/bin/register.h"

#define LOCK(w) g_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_mutex_unlock (&(w)->lock)

const Kind *const kind_tables[] = {
  preview_kinds, preview_setting_kinds, NULL
};

static const gchar *const child_names[N_CHILDREN] = { "a", "b", "compare" };

/* Downstream */

gboolean
output_is_repeated (const Output * output)
{
  return gst_buffer_get_custom_meta (output->buffer, "blockdct-repeated")
      != NULL;
}

static GstFlowReturn
on_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  World *w = ends_owner (pad);
  Output *output = output_new (pad, buffer);

  (void) parent;
  LOCK (w);
  g_queue_push_tail (&w->outputs, output);
  w->n_new += !output_is_repeated (output);
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  return GST_FLOW_OK;
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

/* Upstream */

static gboolean
on_upstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  World *w = ends_owner (pad);

  (void) parent;
  LOCK (w);
  w->seeks += GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  w->navigations += GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION;
  UNLOCK (w);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
on_upstream_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  World *w = ends_owner (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return ends_answer (pad, parent, query);
  gst_query_set_latency (query, w->live, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  World *w = data;

  (void) bus;
  LOCK (w);
  g_queue_push_tail (&w->messages, message);
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  return GST_BUS_DROP;
}

static void
on_notify (GObject * object, GParamSpec * spec, gpointer data)
{
  (void) object;
  if (spec->flags & G_PARAM_WRITABLE)
    g_atomic_int_inc (&((World *) data)->notified);
}

/* What feeds it */

static gboolean
feed_one (World * w, gpointer object)
{
  gboolean ok;

  g_mutex_lock (&w->stream);
  ok = GST_IS_EVENT (object) ? gst_pad_push_event (w->src, object)
      : gst_pad_push (w->src, object) == GST_FLOW_OK;
  g_mutex_unlock (&w->stream);
  return ok;
}

static gpointer
feed (gpointer data)
{
  World *w = data;

  LOCK (w);
  while (!w->quit) {
    Item *item = g_queue_pop_head (&w->to_feed);
    gboolean ok;

    if (item == NULL) {
      g_cond_wait (&w->cond, &w->lock);
      continue;
    }
    w->feeding = TRUE;
    UNLOCK (w);
    ok = feed_one (w, item->object);
    LOCK (w);
    check (ok || w->interrupted || item->type != ITEM_FRAME,
        "a buffer was refused");
    g_free (item);
    w->feeding = FALSE;
    w->n_fed++;
    g_cond_broadcast (&w->cond);
  }
  UNLOCK (w);
  return NULL;
}

void
world_give (World * w, ItemType type, gpointer object)
{
  Item *item = g_new0 (Item, 1);

  item->type = type;
  item->object = object;
  LOCK (w);
  g_queue_push_tail (&w->to_feed, item);
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
}

void
world_feed (World * w, ItemType type, Frame * frame, gpointer object)
{
  Item *held = g_new0 (Item, 1);

  held->type = type;
  held->frame = frame;
  world_give (w, type, object);
  g_queue_push_tail (&w->held, held);
  model_run (w);
}

static void
item_free (gpointer data)
{
  Item *item = data;

  gst_mini_object_unref (item->object);
  g_free (item);
}

/* From here on what is fed may be refused. */
static void
interrupt (World * w)
{
  LOCK (w);
  w->interrupted = TRUE;
  g_queue_clear_full (&w->to_feed, item_free);
  UNLOCK (w);
}

/* Nothing is on its way in any more. */
static void
wait_for_feeder (World * w)
{
  doing ("the end of a push that is interrupted");
  LOCK (w);
  while (w->feeding)
    g_cond_wait (&w->cond, &w->lock);
  w->interrupted = FALSE;
  w->n_fed = w->n_due = 0;
  UNLOCK (w);
}

static void
forget_outputs (World * w)
{
  LOCK (w);
  g_queue_clear_full (&w->outputs, (GDestroyNotify) output_free);
  w->n_new = w->n_eos = w->eos_due = 0;
  UNLOCK (w);
}

/* Its states */

void
world_start (World * w)
{
  if (w->playing)
    return;
  doing ("the start");
  model_reset (w, TRUE);
  if (w->clock != NULL)
    gst_element_set_base_time (w->element, gst_clock_get_time (GST_CLOCK
            (w->clock)));
  check (gst_element_set_state (w->element, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE, "the bin does not start");
  w->playing = TRUE;
}

void
world_stop (World * w, GstState state)
{
  interrupt (w);
  doing ("the stop");
  check (gst_element_set_state (w->element, state) != GST_STATE_CHANGE_FAILURE,
      "the bin does not stop");
  w->playing = FALSE;
  gst_pad_set_active (w->src, FALSE);
  wait_for_feeder (w);
  gst_pad_set_active (w->sink, FALSE);
  forget_outputs (w);
  world_read_messages (w);
  model_reset (w, TRUE);
  gst_pad_set_active (w->sink, TRUE);
  gst_pad_set_active (w->src, TRUE);
  for (guint i = 0; i < w->frames->len; i++) {
    const Frame *frame = g_ptr_array_index (w->frames, i);

    check (g_atomic_int_get (&frame->alive) == 0,
        "frame %u is kept once the bin is stopped", i);
  }
}

void
world_flush (World * w, gboolean reset)
{
  interrupt (w);
  doing ("flush-start");
  gst_pad_push_event (w->src, gst_event_new_flush_start ());
  wait_for_feeder (w);
  doing ("flush-stop");
  gst_pad_push_event (w->src, gst_event_new_flush_stop (reset));
  forget_outputs (w);
  model_reset (w, FALSE);
  if (reset)
    w->since = w->offset = 0;
}

void
world_set_caps (World * w, const GstVideoInfo * info)
{
  GstCaps *caps = gst_video_info_to_caps ((GstVideoInfo *) info);

  gst_video_info_from_caps (&w->info, caps);
  w->have_caps = TRUE;
  world_feed (w, ITEM_ANOTHER, NULL, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

void
world_set_segment (World * w, const GstSegment * segment)
{
  w->segment = *segment;
  w->have_segment = TRUE;
  w->next_time = segment->start;
  world_feed (w, ITEM_ANOTHER, NULL, gst_event_new_segment (segment));
}

gboolean
world_stream (World * w)
{
  GstSegment segment;

  world_start (w);
  if (w->sent_eos && !w->eos)
    return FALSE;
  if (w->sent_eos)
    world_flush (w, w->clock == NULL);
  if (!w->have_stream)
    world_feed (w, ITEM_ANOTHER, NULL, gst_event_new_stream_start ("fuzz"));
  w->have_stream = TRUE;
  if (!w->have_caps)
    world_set_caps (w, &w->info);
  if (!w->have_segment) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    world_set_segment (w, &segment);
  }
  return TRUE;
}

static void
on_unref (gpointer data, GstMiniObject * object)
{
  (void) object;
  g_atomic_int_set ((gint *) data, 0);
}

GstBuffer *
world_draw (World * w, Frame ** frame, guint content, guint seed, guint layout)
{
  Frame *f = *frame = g_new0 (Frame, 1);
  GstBuffer *buffer;
  Samples samples;

  f->info = w->info;
  shape_init (&f->shape, GST_VIDEO_INFO_NAME (&f->info), f->info.width,
      f->info.height);
  buffer = picture_draw (&f->shape, &f->info, content, seed, layout, 1, FALSE,
      &samples);
  samples_clear (&samples);
  f->copy = gst_buffer_copy_deep (buffer);
  f->alive = 1;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), on_unref, &f->alive);
  g_ptr_array_add (w->frames, f);
  return buffer;
}

static void
frame_free (gpointer data)
{
  Frame *frame = data;

  check (g_atomic_int_get (&frame->alive) == 0, "a frame is never let go of");
  gst_buffer_unref (frame->copy);
  g_free (frame);
}

/* The world */

static void
on_gone (gpointer data, GObject * object)
{
  (void) object;
  g_atomic_int_add ((gint *) data, -1);
}

static void
add_child (World * w, guint i)
{
  GstElement *child = gst_bin_get_by_name (GST_BIN (w->element),
      child_names[i]);

  check (child != NULL, "the bin has no %s", child_names[i]);
  /* The bin's reference is enough. */
  gst_object_unref (child);
  w->child[i] = child;
  ends_set_backend (child, backend_name ());
  g_signal_connect (child, "notify", G_CALLBACK (on_notify), w);
  g_atomic_int_inc (&w->n_children);
  g_object_weak_ref (G_OBJECT (child), on_gone, &w->n_children);
}

World *
world_new (gboolean threaded)
{
  World *w = g_new0 (World, 1);
  /* The bin has some of its elements, which the path of plugins leaves out. */
  GstPlugin *core = gst_plugin_load_file (CORE_ELEMENTS, NULL);

  gst_clear_object (&core);
  preview_bin_register ();
  g_mutex_init (&w->lock);
  g_mutex_init (&w->stream);
  g_cond_init (&w->cond);
  w->threaded = threaded;
  w->depth = 1;
  w->frames = g_ptr_array_new_with_free_func (frame_free);
  w->element = ends_make ("blockdctpage");
  for (guint i = 0; i < N_CHILDREN; i++)
    add_child (w, i);
  w->bus = gst_bus_new ();
  gst_bus_set_sync_handler (w->bus, on_message, w, NULL);
  gst_element_set_bus (w->element, w->bus);
  w->sink = ends_link (gst_element_get_static_pad (w->element, "src"), w,
      on_buffer, on_downstream_event, ends_take_all);
  w->src = ends_link (gst_element_get_static_pad (w->element, "sink"), w, NULL,
      on_upstream_event, on_upstream_query);
  gst_video_info_init (&w->plain_info);
  plain_init (w);
  model_reset (w, TRUE);
  w->feeder = g_thread_new ("feed", feed, w);
  return w;
}

void
world_free (World * w)
{
  world_stop (w, GST_STATE_NULL);
  world_settle (w);
  LOCK (w);
  w->quit = TRUE;
  g_cond_broadcast (&w->cond);
  UNLOCK (w);
  g_thread_join (w->feeder);
  plain_clear (w);
  gst_pad_set_active (w->src, FALSE);
  gst_pad_set_active (w->sink, FALSE);
  world_release (w->element, w->bus);
  check (g_atomic_int_get (&w->n_children) == 0,
      "%d children outlive the bin", w->n_children);
  gst_object_unref (w->src);
  gst_object_unref (w->sink);
  gst_clear_object (&w->clock);
  g_ptr_array_unref (w->frames);
  g_mutex_clear (&w->lock);
  g_mutex_clear (&w->stream);
  g_cond_clear (&w->cond);
  g_free (w);
}
