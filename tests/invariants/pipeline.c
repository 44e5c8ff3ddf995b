/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pipeline: its sources, its sinks, its messages. */
#include "world.h"

#include <string.h>

/* Of the elements' own messages, those that count frames. */
static void
take_message (World * w, Part part, const GstStructure * s)
{
  Message *message = g_new0 (Message, 1);
  const gchar *pad = gst_structure_get_string (s, "pad");

  message->text = describe_structure (s);
  message->type = g_strdup (gst_structure_get_string (s, "type"));
  gst_structure_get_uint64 (s, "index", &message->index);
  gst_structure_get_uint64 (s, "frames", &message->frames);
  for (guint i = 0; i < MAX_PADS; i++)
    if (g_strcmp0 (pad, pad_names[i]) == 0)
      message->pad = i;
  g_mutex_lock (&w->lock);
  if (w->stopped)
    fail ("a message after the stop: %s", message->text);
  g_queue_push_tail (message->type == NULL || strcmp (message->type,
          "frame") == 0 ? &w->messages[part] : &w->spans[part], message);
  g_cond_broadcast (&w->cond);
  g_mutex_unlock (&w->lock);
}

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  World *w = data;
  const GstStructure *s = gst_message_get_structure (message);

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gchar *text = gst_structure_to_string (s);

    fail ("an error: %s", text);
  }
  for (guint p = 0; p < N_PARTS; p++)
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && GST_MESSAGE_SRC (message) == (GstObject *) w->part[p])
      take_message (w, p, s);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* The sinks */

static void
arrive (World * w, GstPad * pad, gchar * text)
{
  g_mutex_lock (&w->lock);
  for (guint p = 0; p < N_PARTS && strcmp (text, "eos") == 0; p++)
    w->told[p] = w->spans[p].length;
  g_queue_push_tail (&w->arrived[pad == w->sink[1]], text);
  g_cond_broadcast (&w->cond);
  g_mutex_unlock (&w->lock);
}

static void
see_frame (World * w, GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstSegment *segment;

  if (event == NULL || caps == NULL)
    fail ("a frame without segment or caps");
  gst_event_parse_segment (event, &segment);
  if (w->shape.slow > 0)
    g_usleep (w->shape.slow);
  arrive (w, pad, describe_buffer (buffer, caps, segment));
  gst_event_unref (event);
  gst_caps_unref (caps);
}

static gchar *
describe_event (GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      return g_strdup ("eos");
    case GST_EVENT_GAP:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return gst_structure_to_string (gst_event_get_structure (event));
    default:
      return NULL;
  }
}

/* Offer a pool that has few buffers: for the frames in flight, the next, and
 * those that queues hold. */
static gboolean
offer_pool (World * w, GstQuery * query)
{
  const guint n = (w->subject == TRANSFORM ? w->shape.depth : 8) + 5;
  GstStructure *config;
  GstBufferPool *pool;
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!w->shape.offers || caps == NULL
      || !gst_video_info_from_caps (&info, caps))
    return FALSE;
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, n);
  gst_buffer_pool_set_config (pool, config);
  gst_query_add_allocation_pool (query, pool, info.size, 0, n);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_object_unref (pool);
  return TRUE;
}

static GstPadProbeReturn
on_sink (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const GstPadProbeType type = GST_PAD_PROBE_INFO_TYPE (info);

  if (type & GST_PAD_PROBE_TYPE_BUFFER) {
    see_frame (data, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  } else if (type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    gchar *text = describe_event (GST_PAD_PROBE_INFO_EVENT (info));

    if (text != NULL)
      arrive (data, pad, text);
  } else if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info))
      == GST_QUERY_ALLOCATION) {
    return offer_pool (data, GST_PAD_PROBE_INFO_QUERY (info))
        ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
  }
  return GST_PAD_PROBE_OK;
}

static GstElement *
add_element (World * w, const gchar * factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    fail ("there is no element %s", factory);
  if (strcmp (factory, "queue") == 0)
    g_object_set (element, "max-size-buffers", 0, "max-size-bytes", 0,
        "max-size-time", G_GUINT64_CONSTANT (0), NULL);
  gst_bin_add (GST_BIN (w->pipeline), element);
  return element;
}

static void
add_sink (World * w, guint i, GstElement * from)
{
  GstElement *sink = add_element (w, "fakesink");

  g_object_set (sink, "sync", FALSE, "async", FALSE, "enable-last-sample",
      FALSE, NULL);
  w->sink[i] = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (w->sink[i], GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH
      | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, on_sink, w, NULL);
  if (!gst_element_link (from, sink))
    fail ("a sink cannot be linked");
}

static void
add_sinks (World * w)
{
  GstElement *tee, *queue[MAX_SINKS];

  if (w->shape.after < 2) {
    GstElement *last = w->element;

    if (w->shape.after == 1) {
      last = add_element (w, "queue");
      gst_element_link (w->element, last);
    }
    add_sink (w, 0, last);
    return;
  }
  tee = add_element (w, "tee");
  gst_element_link (w->element, tee);
  for (guint i = 0; i < MAX_SINKS; i++) {
    queue[i] = add_element (w, "queue");
    gst_element_link (tee, queue[i]);
    add_sink (w, i, queue[i]);
  }
}

/* The sources */

void
source_flush (GstPad * pad, gboolean stop, guint32 number)
{
  GstEvent *event = stop ? gst_event_new_flush_stop (TRUE)
      : gst_event_new_flush_start ();

  gst_event_set_seqnum (event, number);
  gst_pad_push_event (pad, event);
}

/* A seek comes from the sinks, up each pad: each flushes itself. */
static gboolean
on_source_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  (void) parent;
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    source_flush (pad, FALSE, gst_event_get_seqnum (event));
    source_flush (pad, TRUE, gst_event_get_seqnum (event));
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
on_source_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
  else if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING)
    gst_query_set_seeking (query, GST_FORMAT_TIME, TRUE, 0, -1);
  else
    return gst_pad_query_default (pad, parent, query);
  return TRUE;
}

void
source_event (World * w, guint i, GstEvent * event)
{
  if (!gst_pad_push_event (w->source[i].pad, event))
    fail ("an event to %s is refused", pad_names[i]);
}

void
source_begin (World * w, guint i)
{
  source_event (w, i, gst_event_new_stream_start (pad_names[i]));
  source_event (w, i, gst_event_new_caps (w->source[i].caps));
  source_event (w, i, gst_event_new_segment (&w->segment));
}

/* The pool lets as many buffers be kept as queues and frames in flight do.
 * There is none under ThreadSanitizer, which does not see GStreamer's reference
 * counts: to it, who fills a buffer again races with who read it before. */
static void
make_pool (World * w, Source * source)
{
  GstStructure *config;
  GstVideoInfo info;

#ifdef __SANITIZE_THREAD__
  return;
#endif
  if (source->pool != NULL)
    gst_buffer_pool_set_active (source->pool, FALSE);
  gst_clear_object (&source->pool);
  gst_video_info_from_caps (&info, source->caps);
  source->pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (source->pool);
  gst_buffer_pool_config_set_params (config, source->caps, info.size, 0,
      w->shape.depth + 8);
  gst_buffer_pool_set_config (source->pool, config);
  gst_buffer_pool_set_active (source->pool, TRUE);
}

void
source_caps (World * w, guint i, GstCaps * caps)
{
  gst_caps_replace (&w->source[i].caps, caps);
  gst_caps_unref (caps);
  make_pool (w, &w->source[i]);
}

void
source_add (World * w, guint i)
{
  Source *source = &w->source[i];
  const gchar *name = w->subject == COMPARE ? pad_names[i] : "sink";
  GstPad *to = gst_element_get_static_pad (w->element, name);

  if (to == NULL)
    source->sink = to = gst_element_request_pad_simple (w->element, name);
  if (w->shape.before > 0) {
    GstPad *out;

    source->queue = add_element (w, "queue");
    out = gst_element_get_static_pad (source->queue, "src");
    gst_pad_link (out, to);
    gst_object_unref (out);
    if (source->sink == NULL)
      gst_object_unref (to);
    to = gst_element_get_static_pad (source->queue, "sink");
    if (w->shape.before == 2) {
      GstElement *tee = add_element (w, "tee");
      GstElement *other = add_element (w, "fakesink");

      g_object_set (other, "async", FALSE, "sync", FALSE, NULL);
      gst_element_link (tee, source->queue);
      gst_element_link (tee, other);
      gst_object_unref (to);
      to = gst_element_get_static_pad (tee, "sink");
    }
    gst_element_sync_state_with_parent (source->queue);
  }
  source->pad = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_event_function (source->pad, on_source_event);
  gst_pad_set_query_function (source->pad, on_source_query);
  if (gst_pad_link (source->pad, to) != GST_PAD_LINK_OK)
    fail ("%s cannot be linked", name);
  gst_pad_set_active (source->pad, TRUE);
  if (to != source->sink)
    gst_object_unref (to);
}

void
source_remove (World * w, guint i)
{
  Source *source = &w->source[i];

  gst_pad_set_active (source->pad, FALSE);
  if (source->queue != NULL) {
    gst_element_set_state (source->queue, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (w->pipeline), source->queue);
    source->queue = NULL;
  }
  if (source->sink != NULL) {
    gst_element_release_request_pad (w->element, source->sink);
    gst_clear_object (&source->sink);
  }
  gst_clear_object (&source->pad);
}

/* The world */

static void
on_element_gone (gpointer data, GObject * gone)
{
  (void) gone;
  g_atomic_int_add ((gint *) data, -1);
}

static void
make_element (World * w)
{
  static const gchar *const children[] = { "a", "b", "compare" };
  const guint depth = w->subject == TRANSFORM ? w->shape.depth : 0;

  w->element = add_element (w, subject_names[w->subject]);
  if (w->subject == PREVIEW)
    g_object_set (w->element, "b", "blockdct", NULL);
  g_object_weak_ref (G_OBJECT (w->element), on_element_gone, &w->alive);
  g_atomic_int_inc (&w->alive);
  for (guint p = 0; p < N_PARTS; p++) {
    if (w->subject == PREVIEW)
      w->part[p] = gst_bin_get_by_name (GST_BIN (w->element), children[p]);
    else if (p == (w->subject == TRANSFORM ? PART_A : PART_COMPARE))
      w->part[p] = gst_object_ref (w->element);
    if (w->part[p] != NULL)
      settings_start (w->part[p], w->shape.threads, depth);
  }
  if (w->subject == COMPARE)
    g_object_set (w->element, "offset", w->shape.late, NULL);
}

/* Nothing of what another thread does here changes a frame. Only a thread that
 * sets waits for one that does: who freezes notifications may come between. */
static gpointer
run_beside (gpointer data)
{
  World *w = data;

  while (!g_atomic_int_get (&w->over)) {
    GstQuery *query = gst_query_new_latency ();

    for (guint p = 0; p < N_PARTS; p++) {
      GstStructure *stats = NULL;

      if (w->part[p] == NULL)
        continue;
      g_mutex_lock (&w->setting);
      settings_apply (&g_array_index (w->versions, Settings,
              w->versions->len - 1), NULL, p, w->part[p]);
      g_mutex_unlock (&w->setting);
      g_object_get (w->part[p], "stats", &stats, NULL);
      gst_structure_free (stats);
      for (guint i = 0; i < 50; i++) {
        g_object_freeze_notify (G_OBJECT (w->part[p]));
        g_object_thaw_notify (G_OBJECT (w->part[p]));
      }
    }
    gst_pad_peer_query (w->sink[0], query);
    gst_query_unref (query);
    gst_caps_unref (gst_pad_peer_query_caps (w->sink[0], NULL));
    gst_pad_push_event (w->sink[0], gst_event_new_reconfigure ());
    g_usleep (200);
  }
  return NULL;
}

World *
world_new (Subject subject, const Shape * shape)
{
  const Settings defaults = { 0 };
  World *w = g_new0 (World, 1);
  GstBus *bus;

  w->subject = subject;
  w->shape = *shape;
  w->now = 2 * MARGIN;
  g_mutex_init (&w->lock);
  g_cond_init (&w->cond);
  g_mutex_init (&w->setting);
  w->versions = g_array_new (FALSE, FALSE, sizeof (Settings));
  g_array_append_val (w->versions, defaults);
  w->pipeline = gst_pipeline_new (NULL);
  bus = gst_pipeline_get_bus (GST_PIPELINE (w->pipeline));
  gst_bus_set_sync_handler (bus, on_message, w, NULL);
  gst_object_unref (bus);
  make_element (w);
  add_sinks (w);
  for (guint i = 0; i < (subject == COMPARE ? shape->n_pads : 1); i++)
    source_add (w, i);
  gst_segment_init (&w->segment, GST_FORMAT_TIME);
  for (guint i = 0; i < MAX_PADS; i++)
    source_caps (w, i, caps_draw (1, 16, 16, 25, NULL));
  world_start (w);
  if (shape->beside)
    w->beside = g_thread_new ("beside", run_beside, w);
  return w;
}

void
world_start (World * w)
{
  check_restart (w);
  g_mutex_lock (&w->lock);
  w->stopped = FALSE;
  g_mutex_unlock (&w->lock);
  if (w->subject == TRANSFORM)
    g_object_set (w->element, "async-depth", w->shape.depth, NULL);
  if (gst_element_set_state (w->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    fail ("the pipeline does not start");
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL) {
      gst_pad_set_active (w->source[i].pad, TRUE);
      source_begin (w, i);
    }
}

void
world_stop (World * w, GstState state)
{
  if (gst_element_set_state (w->pipeline, state) == GST_STATE_CHANGE_FAILURE)
    fail ("the pipeline does not stop");
  check_lost (w);
  g_mutex_lock (&w->lock);
  w->stopped = TRUE;
  g_mutex_unlock (&w->lock);
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      gst_pad_set_active (w->source[i].pad, FALSE);
}

void
world_free (World * w)
{
  gint alive;

  g_atomic_int_set (&w->over, TRUE);
  if (w->beside != NULL)
    g_thread_join (w->beside);
  world_stop (w, GST_STATE_NULL);
  check_restart (w);
  for (guint i = 0; i < MAX_PADS; i++) {
    Source *source = &w->source[i];

    if (source->pad != NULL)
      source_remove (w, i);
    if (source->pool != NULL)
      gst_buffer_pool_set_active (source->pool, FALSE);
    gst_clear_object (&source->pool);
    gst_clear_caps (&source->caps);
  }
  for (guint i = 0; i < MAX_SINKS; i++)
    gst_clear_object (&w->sink[i]);
  for (guint p = 0; p < N_PARTS; p++)
    gst_clear_object (&w->part[p]);
  gst_object_unref (w->pipeline);
  alive = g_atomic_int_get (&w->alive);
  if (alive != 0)
    fail ("%d buffers or elements leak", alive);
  g_array_unref (w->versions);
  g_mutex_clear (&w->lock);
  g_cond_clear (&w->cond);
  g_mutex_clear (&w->setting);
  g_free (w);
}
