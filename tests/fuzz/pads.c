/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What passes the pads before and behind the element, and its messages. */
#include "fuzz.h"

#include <string.h>

#define LOCK(w) g_rec_mutex_lock (&(w)->lock)
#define UNLOCK(w) g_rec_mutex_unlock (&(w)->lock)

/* Downstream */

static GstFlowReturn
on_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  World *w = ends_owner (pad);
  Frame *frame;

  (void) parent;
  LOCK (w);
  count_frames (1);
  frame = g_queue_pop_head (&w->frames);
  check (frame != NULL, "a buffer came out that nobody put in");
  check_frame (w, frame, buffer);
  frame_free (frame);
  UNLOCK (w);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
expected (GQueue * queue, guint32 seqnum)
{
  return g_queue_remove (queue, GUINT_TO_POINTER (seqnum));
}

static gboolean
on_downstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  World *w = ends_owner (pad);

  LOCK (w);
  if (expected (&w->down, GST_EVENT_SEQNUM (event))
      && GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    check (g_queue_is_empty (&w->frames),
        "%s came out before the frames ahead of it",
        GST_EVENT_TYPE_NAME (event));
  UNLOCK (w);
  return gst_pad_event_default (pad, parent, event);
}

static void
answer_allocation (World * w, GstQuery * query)
{
  GstCaps *caps;
  GstVideoInfo info;
  gboolean need_pool;

  gst_query_parse_allocation (query, &caps, &need_pool);
  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return;
  if (w->allocation & 1)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (w->allocation & 2)
    gst_query_add_allocation_meta (query,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  if (w->allocation & 4) {
    GstBufferPool *pool = gst_video_buffer_pool_new ();
    guint max = w->allocation & 8 ? 1 : w->allocation & 16 ? 80 : 0;

    gst_query_add_allocation_pool (query, pool, info.size, 1, max);
    gst_clear_object (&w->down_pool);
    w->down_pool = pool;
  } else if (w->allocation & 8) {
    gst_query_add_allocation_pool (query, NULL, info.size + 100, 2, 0);
  }
}

static gboolean
on_downstream_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  World *w = ends_owner (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return ends_take_all (pad, parent, query);
  if (w->allocation == 0)
    return FALSE;
  LOCK (w);
  answer_allocation (w, query);
  UNLOCK (w);
  return TRUE;
}

/* Upstream */

static gboolean
on_upstream_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  World *w = ends_owner (pad);

  (void) parent;
  LOCK (w);
  expected (&w->up, GST_EVENT_SEQNUM (event));
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE)
    w->up_stale |= w->up_passing;
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
  LOCK (w);
  gst_query_set_latency (query, w->live, w->up_min, w->up_max);
  UNLOCK (w);
  return TRUE;
}

/* Messages */

/* What an app may do in a synchronous handler. */
static void
handle (World * w, guint action)
{
  GstStructure *stats;
  Group group = { 0 };

  if (action == 1) {
    g_object_get (w->element, "stats", &stats, NULL);
    gst_structure_free (stats);
    return;
  }
  group_add_int (&group, "quality", 1 + w->serial % 100);
  group_add_int (&group, "qp", w->serial % 52);
  group_set (w, 0, &group);
}

/* The GPU's context, for all elements of a process: to make one takes a
 * fraction of a second, in which other processes wait. */
static GstContext *gpu_context;

static void
share_context (World * w, GstMessage * message)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_HAVE_CONTEXT
      && gpu_context == NULL)
    gst_message_parse_have_context (message, &gpu_context);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT
      && gpu_context != NULL)
    gst_element_set_context (w->element, gpu_context);
}

GstBusSyncReply
world_on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  World *w = data;
  guint action = 0;

  (void) bus;
  share_context (w, message);
  LOCK (w);
  g_queue_push_tail (&w->messages, message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    action = w->handler;
    w->handler = 0;
  }
  UNLOCK (w);
  if (action != 0)
    handle (w, action);
  return GST_BUS_DROP;
}

static void
look_at (World * w, GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);
  GError *error = NULL;
  gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      check (GST_MESSAGE_SRC (message) == GST_OBJECT (w->element),
          "a message of somebody else");
      if (gst_structure_has_name (s, "blockdct-curve"))
        check_curve (w, s);
      else
        check_message (w, s);
      break;
    case GST_MESSAGE_ERROR:
      message_parse (message, &error, &debug);
      check (w->may_error, "an error: %s (%s)", error->message, debug);
      break;
    case GST_MESSAGE_WARNING:
      message_parse (message, &error, &debug);
      if (strstr (error->message, " meets target-") != NULL) {
        check (!w->warned_missed, "a missed target is told twice");
        w->warned_missed = TRUE;
        break;
      }
      if (strstr (error->message, "min-psnr-warning") != NULL) {
        w->below_due--;
        break;
      }
      check (w->n_warnings > 0 || w->may_warn,
          "a warning: %s (%s)", error->message, debug);
      /* Of those that may come or not, none counts for one that has to. */
      if (w->n_warnings > 0)
        w->n_warnings--;
      break;
    case GST_MESSAGE_QOS:
      check (w->qos, "a QoS message without a QoS event");
      break;
    default:
      break;
  }
  g_clear_error (&error);
  g_free (debug);
}

void
world_settle (World * w)
{
  GstMessage *message;

  LOCK (w);
  while ((message = g_queue_pop_head (&w->messages)) != NULL) {
    look_at (w, message);
    gst_message_unref (message);
  }
  check (w->n_warnings <= 0 || w->threaded, "%d warnings missing",
      w->n_warnings);
  w->n_warnings = 0;
  check (!w->missed || w->warned_missed,
      "a target was missed without a word");
  check (w->below_due == 0 || w->threaded,
      "%d warnings about PSNR missing", w->below_due);
  check (!w->playing || w->frames.length <= MAX (w->depth, 1) - 1,
      "%u frames are kept back with async-depth=%u", w->frames.length,
      w->depth);
  for (guint i = 0; i < w->records->len; i++) {
    Record *record = g_ptr_array_index (w->records, w->records->len - 1 - i);

    check (!record->post || record->in_interval || record->posted
        || record->excused,
        "no message was posted for frame %u", w->records->len - 1 - i);
    check (record->n_curve == 0 || record->curve_posted
        || record->excused, "no curve was posted for frame %u",
        w->records->len - 1 - i);
    if (record->posted)
      break;
  }
  w->may_error = w->may_warn = FALSE;
  UNLOCK (w);
}

void
world_expect_warnings (World * w, gint n)
{
  w->n_warnings += n;
}

GstPad *
world_pad (World * w, const gchar * name)
{
  GstPad *other = gst_element_get_static_pad (w->element, name);

  if (GST_PAD_IS_SINK (other))
    return ends_link (other, w, NULL, on_upstream_event, on_upstream_query);
  return ends_link (other, w, on_buffer, on_downstream_event,
      on_downstream_query);
}
