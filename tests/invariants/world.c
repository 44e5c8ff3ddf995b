/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "world.h"

#include <string.h>

#define MARGIN (10 * GST_SECOND)        /* from a segment's start to its first
                                           frame */

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

/* The events of one flush have one number. */
static void
push_flush (GstPad * pad, gboolean stop, guint32 number)
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
    push_flush (pad, FALSE, gst_event_get_seqnum (event));
    push_flush (pad, TRUE, gst_event_get_seqnum (event));
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

static void
push_event (World * w, guint i, GstEvent * event)
{
  if (!gst_pad_push_event (w->source[i].pad, event))
    fail ("%s is refused", pad_names[i]);
}

/* What comes before frames. */
static void
push_start (World * w, guint i)
{
  push_event (w, i, gst_event_new_stream_start (pad_names[i]));
  push_event (w, i, gst_event_new_caps (w->source[i].caps));
  push_event (w, i, gst_event_new_segment (&w->segment));
}

/* The pool lets as many buffers be kept as queues and frames in flight do. */
static void
make_pool (World * w, Source * source)
{
  GstStructure *config;
  GstVideoInfo info;

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

static void
set_source_caps (World * w, guint i, GstCaps * caps)
{
  gst_caps_replace (&w->source[i].caps, caps);
  gst_caps_unref (caps);
  make_pool (w, &w->source[i]);
}

static void
add_source (World * w, guint i)
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

static void
remove_source (World * w, guint i)
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
on_buffer_gone (gpointer data, GstMiniObject * gone)
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
  w->versions = g_array_new (FALSE, FALSE, sizeof (Settings));
  g_array_append_val (w->versions, defaults);
  w->pipeline = gst_pipeline_new (NULL);
  bus = gst_pipeline_get_bus (GST_PIPELINE (w->pipeline));
  gst_bus_set_sync_handler (bus, on_message, w, NULL);
  gst_object_unref (bus);
  make_element (w);
  add_sinks (w);
  for (guint i = 0; i < (subject == COMPARE ? shape->n_pads : 1); i++)
    add_source (w, i);
  gst_segment_init (&w->segment, GST_FORMAT_TIME);
  for (guint i = 0; i < MAX_PADS; i++)
    set_source_caps (w, i, caps_draw (1, 16, 16, 25, NULL));
  world_start (w);
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
      push_start (w, i);
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

  world_stop (w, GST_STATE_NULL);
  check_restart (w);
  for (guint i = 0; i < MAX_PADS; i++) {
    Source *source = &w->source[i];

    if (source->pad != NULL)
      remove_source (w, i);
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
  g_free (w);
}

/* What is sent */

/* Whether a frame's settings are read while it is pushed. */
static gboolean
is_direct (World * w)
{
  return w->subject == TRANSFORM && w->shape.before == 0;
}

static Item *
expect (World * w, gchar * event)
{
  Item *item = g_new0 (Item, 1);

  item->event = event;
  item->lo = w->versions->len - 1;
  item->hi = is_direct (w) ? item->lo : OPEN;
  item->input.segment = w->segment;
  g_queue_push_tail (&w->items, item);
  return item;
}

static GstClockTime
get_duration (World * w)
{
  GstVideoInfo info;

  gst_video_info_from_caps (&info, w->source[0].caps);
  return GST_VIDEO_INFO_FPS_N (&info) > 0
      ? GST_SECOND / GST_VIDEO_INFO_FPS_N (&info) : 40 * GST_MSECOND;
}

/* The frame of one pad, which comes up to a third of its duration early or
 * late. */
static GstBuffer *
make_frame (World * w, guint i, guint64 seed, guint look, guint times,
    guint64 pads)
{
  const GstClockTime duration = get_duration (w);
  const gint64 jitter = pads >> (12 + 5 * i) & 31;
  GstClockTime pts = w->now - w->segment.base + w->segment.start;
  GstBuffer *buffer = frame_new (w->source[i].caps,
      seed + ((pads >> 32 & 1) ? 0 : i), look, w->source[i].pool);

  if (i > 0)
    pts += (jitter & 1 ? -1 : 1) * (jitter / 2) * (gint64) duration / 45
        + w->shape.late * (gint64) duration;
  GST_BUFFER_PTS (buffer) = w->shape.untimed || times == 2
      ? GST_CLOCK_TIME_NONE : times == 6 ? pts - 3 * duration : pts;
  GST_BUFFER_DTS (buffer) = times == 5 ? pts - duration : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = times == 4 ? GST_CLOCK_TIME_NONE : duration;
  GST_BUFFER_OFFSET (buffer) = seed;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), on_buffer_gone,
      &w->alive);
  g_atomic_int_inc (&w->alive);
  return buffer;
}

/* Which pads get a frame: with `pads` 0, all. */
static guint
choose_pads (World * w, guint64 pads)
{
  guint mask = 0;

  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL && (w->subject != COMPARE
            || w->shape.untimed || (pads >> 3 * i & 7) != 7))
      mask |= 1u << i;
  return mask;
}

/* Frames of one time, of which some may be missing: without a partner they are
 * counted, and do not arrive. */
void
world_frame (World * w, guint64 seed, guint look, guint times, guint64 pads)
{
  const guint mask = choose_pads (w, pads);
  const gboolean matched = w->subject != COMPARE || (mask & 1 && mask > 1);
  const gboolean reversed = pads >> 33 & 1;
  GstBuffer *buffer[MAX_PADS] = { NULL };
  Item *item = NULL;

  if (w->subject == COMPARE && (times == 2 || times == 3 || times == 6))
    times = 0;
  if (times == 1)
    w->now += 5 * get_duration (w);
  for (guint i = 0; i < MAX_PADS; i++)
    if (mask >> i & 1)
      buffer[i] = make_frame (w, i, seed, look, times, pads);
  w->settled = FALSE;
  if (matched)
    item = expect (w, NULL);
  for (guint i = 0; i < MAX_PADS; i++) {
    if (item != NULL && w->source[i].pad != NULL)
      item->input.caps[i] = gst_caps_ref (w->source[i].caps);
    if (item != NULL && buffer[i] != NULL)
      item->input.in[i] = gst_buffer_copy_deep (buffer[i]);
    if (w->source[i].pad != NULL && i > 0)
      w->sum[PART_COMPARE][i].unmatched += (mask & 1) != (mask >> i & 1);
  }
  for (guint k = 0; k < MAX_PADS; k++) {
    const guint i = reversed ? MAX_PADS - 1 - k : k;
    GstFlowReturn ret = buffer[i] != NULL
        ? gst_pad_push (w->source[i].pad, buffer[i]) : GST_FLOW_OK;

    if (ret != GST_FLOW_OK)
      fail ("a frame is refused: %s", gst_flow_get_name (ret));
    if (buffer[i] != NULL)
      count_frame ();
  }
  if (times != 3)
    w->now += get_duration (w);
}

/* An event on the first pad keeps its place. Others go no further. */
void
world_event (World * w, GstEvent * event, gchar * text)
{
  for (guint i = 1; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      push_event (w, i, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new_empty (pad_names[i])));
  expect (w, text);
  push_event (w, 0, event);
}

void
world_query (World * w, gboolean allocation)
{
  /* A query waits for frames before it, and these for their partners. */
  if (w->subject == COMPARE)
    world_settle (w);
  for (guint i = 0; i < MAX_PADS; i++) {
    GstQuery *query;

    if (w->source[i].pad == NULL)
      continue;
    query = allocation ? gst_query_new_allocation (w->source[i].caps, TRUE)
        : gst_query_new_drain ();
    gst_pad_peer_query (w->source[i].pad, query);
    gst_query_unref (query);
  }
  /* What came before a query has left before it. */
  if (w->subject == TRANSFORM && w->shape.after == 0)
    check_arrived (w, TRUE);
}

void
world_set_caps (World * w, guint64 format, guint64 size, guint64 rate)
{
  static const gint rates[] = { 25, 10, 30, 50, 0 };
  const gint fps = rates[rate % (w->subject == COMPARE ? 4 : 5)];
  const gint width = 1 + size % 80, height = 1 + size / 80 % 50;

  for (guint i = 0; i < MAX_PADS; i++) {
    set_source_caps (w, i, caps_draw (i == 0 ? format : format >> 8 * i, width,
            height, fps, i == 0 ? NULL : w->source[0].caps));
    if (w->source[i].pad != NULL)
      push_event (w, i, gst_event_new_caps (w->source[i].caps));
  }
  /* No frame is near one of another rate. */
  w->now += GST_SECOND;
}

void
world_set_segment (World * w, GstClockTime start)
{
  gst_segment_init (&w->segment, GST_FORMAT_TIME);
  w->segment.start = w->segment.position = start;
  w->segment.time = start / 2;
  w->segment.base = w->now - MARGIN;
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      push_event (w, i, gst_event_new_segment (&w->segment));
}

/* Wait until the last event that was sent has arrived. */
static void
wait_for_last (World * w)
{
  const Item *last = g_queue_peek_tail (&w->items);

  g_mutex_lock (&w->lock);
  for (guint i = 0; i < MAX_SINKS && w->sink[i] != NULL; i++)
    while (g_queue_find_custom (&w->arrived[i], last->event,
            (GCompareFunc) strcmp) == NULL)
      g_cond_wait (&w->cond, &w->lock);
  g_mutex_unlock (&w->lock);
}

void
world_settle (World * w)
{
  gchar *text = g_strdup_printf ("mark, n=(uint)%u;", ++w->next_event);

  if (w->subject == COMPARE)
    world_frame (w, w->next_event, 0, 0, 0);
  world_event (w, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("mark", "n", G_TYPE_UINT, w->next_event, NULL)),
      text);
  wait_for_last (w);
  check_arrived (w, TRUE);
  check_sums (w);
  w->settled = TRUE;
}

void
world_set (World * w, guint64 property, guint64 value, gboolean settled)
{
  const Item *oldest = g_queue_peek_head (&w->items);
  Settings settings = g_array_index (w->versions, Settings,
      w->versions->len - 1), before = settings;

  if (!is_direct (w) && oldest != NULL && (settled
          || oldest->lo + (w->subject == PREVIEW ? 1 : 3) < w->versions->len))
    world_settle (w);
  settings_change (&settings, w->subject, property, value);
  g_array_append_val (w->versions, settings);
  for (guint p = 0; p < N_PARTS; p++) {
    if (w->part[p] != NULL)
      settings_apply (&settings, &before, p, w->part[p]);
    w->spans_known = w->spans_known && settings_report (&settings, p) != SILENT;
  }
}

void
world_flush (World * w, gboolean seek)
{
  if (seek) {
    GstElement *sink = gst_pad_get_parent_element (w->sink[0]);

    gst_element_send_event (sink, gst_event_new_seek (1, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
    gst_object_unref (sink);
  } else {
    const guint32 number = gst_util_seqnum_next ();

    for (guint k = 0; k < 2 * MAX_PADS; k++)
      if (w->source[k % MAX_PADS].pad != NULL)
        push_flush (w->source[k % MAX_PADS].pad, k >= MAX_PADS, number);
  }
  check_lost (w);
  world_set_segment (w, w->segment.start);
}

/* When the reference ends, compare refuses what comes to other pads, and does
 * not count frames that wait in queues before it. */
void
world_end (World * w)
{
  if (w->subject == COMPARE && w->shape.before > 0)
    world_settle (w);
  expect (w, g_strdup ("eos"));
  for (guint i = 0; i < MAX_PADS; i++)
    if (w->source[i].pad != NULL)
      gst_pad_push_event (w->source[i].pad, gst_event_new_eos ());
  wait_for_last (w);
  check_arrived (w, TRUE);
  check_end (w);
}

void
world_pad (World * w, guint pad)
{
  if (w->subject != COMPARE || w->shape.untimed)
    return;
  world_settle (w);
  if (w->source[pad].pad != NULL) {
    remove_source (w, pad);
  } else {
    add_source (w, pad);
    push_start (w, pad);
  }
}

void
world_reconfigure (World * w)
{
  gst_pad_push_event (w->sink[0], gst_event_new_reconfigure ());
}
