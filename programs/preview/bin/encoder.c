/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The streaming thread of the blockdct `b` makes sessions, feeds them and ends
 * them. A session is a bin of an encoder and a decoder between two pads; its
 * pictures leave by `b`'s source pad in the thread that makes them. A session
 * ends by EOS, so that all of its pictures leave before the next item: a frame
 * of another encoder or of `b`, a repeated frame, or an event.
 *
 * A session's bin is not a child of the preview, to avoid a deadlock: the
 * preview would wait for it before it stops its other children, while its
 * pictures may wait for compare. */
#include "encoder.h"

#include <gst/base/gstbasetransform.h>
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gst-plugin/common/gstblockdctpool.h"
#include "gst-plugin/compare/gstblockdctcompare.h"
#include "gst-plugin/compare/gstblockdctcomparepad.h"
#include "line.h"

/* The encoder has failed, not an element downstream. */
#define FLOW_FAILED GST_FLOW_CUSTOM_ERROR

/* The number of frames that an encoder may take before its first picture: as
 * many originals as compare queues. With more the pipeline would stall. */
#define MAX_HELD GST_BLOCKDCT_COMPARE_MAX_FRAMES

/* A frame's duration where it is unknown. */
#define DEFAULT_DURATION (40 * GST_MSECOND)

/* A frame in the encoder. */
typedef struct
{
  GstClockTime time;            /* its time in the encoder */
  GstClockTime pts, duration;   /* its own */
} Frame;

struct _GstBlockDctPageSession
{
  GstBlockDctPage *preview;
  gchar *line;
  guint generation;
  gboolean alone;               /* its picture is kept, but does not leave */
  GstElement *bin;              /* or NULL */
  GstPad *in, *out;             /* the peers of the bin's pads */
  GstClockTime next;            /* the least time of the next frame */

  /* Protected by the encoder's lock. */
  GQueue frames;                /* Frame, sorted by time */
  guint held;                   /* frames that have entered since a picture
                                   left */
  gboolean ended;               /* the last picture has left */
  GstFlowReturn ret;            /* downstream's result */
  gchar *cause;                 /* why the encoder has failed; or NULL */
};

#define SRC_OF_B(self) GST_BASE_TRANSFORM_SRC_PAD ((self)->b)
#define SINK_OF_B(self) GST_BASE_TRANSFORM_SINK_PAD ((self)->b)

/* Pictures, in the decoder's thread */

static GstClockTime
get_distance (const Frame * frame, GstClockTime time)
{
  return frame->time > time ? frame->time - time : time - frame->time;
}

/* The frame of a picture at `time`, to be freed. The encoder has dropped
 * earlier frames. A picture without a time belongs to the next frame. NULL:
 * there is none. Called with the lock. */
static Frame *
find_frame (GstBlockDctPageSession * session, GstClockTime time)
{
  Frame *frame = g_queue_pop_head (&session->frames);
  Frame *next;

  while (GST_CLOCK_TIME_IS_VALID (time) && frame != NULL
      && (next = g_queue_peek_head (&session->frames)) != NULL
      && get_distance (next, time) < get_distance (frame, time)) {
    g_free (frame);
    frame = g_queue_pop_head (&session->frames);
  }
  return frame;
}

/* An encoder may shift times and its segment alike. FFmpeg's AV_NOPTS_VALUE,
 * which avenc_mpeg4 of 1.22 passes on, is above the greatest of signed
 * numbers. */
static GstClockTime
get_running_time (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime time = GST_CLOCK_TIME_NONE;
  const GstSegment *segment;

  if (event == NULL)
    return time;
  gst_event_parse_segment (event, &segment);
  if (segment->format == GST_FORMAT_TIME
      && GST_BUFFER_PTS (buffer) <= G_MAXINT64)
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  gst_event_unref (event);
  return time;
}

/* No picture of the session follows. */
static void
set_ended (GstBlockDctPageSession * session, GstFlowReturn ret)
{
  GstBlockDctPageEncoder *encoder = &session->preview->encoder;

  g_mutex_lock (&encoder->lock);
  session->ended = TRUE;
  if (session->ret == GST_FLOW_OK)
    session->ret = ret;
  g_cond_broadcast (&encoder->changed);
  g_mutex_unlock (&encoder->lock);
}

/* Add the encoder's name, for text on the picture. */
static void
name_picture (GstBlockDctPageSession * session, GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "blockdct-coded");

  if (meta != NULL)
    gst_structure_set (gst_custom_meta_get_structure (meta),
        "encoder", G_TYPE_STRING, session->line, NULL);
}

/* Give a picture its frame's times, and keep a reference. Returns GST_FLOW_OK
 * to push it, GST_FLOW_CUSTOM_SUCCESS to drop it, or another value to stop. */
static GstFlowReturn
receive (GstBlockDctPageSession * session, GstClockTime time,
    GstBuffer * buffer)
{
  GstBlockDctPageEncoder *encoder = &session->preview->encoder;
  GstFlowReturn ret;
  Frame *frame;

  g_mutex_lock (&encoder->lock);
  frame = find_frame (session, time);
  if (frame != NULL) {
    GST_BUFFER_PTS (buffer) = frame->pts;
    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (buffer) = frame->duration;
    gst_buffer_replace (&encoder->kept, buffer);
    session->held = 0;
  }
  ret = encoder->flushing ? GST_FLOW_FLUSHING
      : frame == NULL || session->alone ? GST_FLOW_CUSTOM_SUCCESS : GST_FLOW_OK;
  g_mutex_unlock (&encoder->lock);
  g_free (frame);
  return ret;
}

static GstFlowReturn
on_picture (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstBlockDctPageSession *session = gst_pad_get_element_private (pad);
  GstFlowReturn ret;

  (void) parent;
  buffer = gst_buffer_make_writable (buffer);
  name_picture (session, buffer);
  ret = receive (session, get_running_time (pad, buffer), buffer);
  if (ret != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return ret == GST_FLOW_CUSTOM_SUCCESS ? GST_FLOW_OK : ret;
  }
  ret = gst_pad_push (SRC_OF_B (session->preview), buffer);
  if (ret != GST_FLOW_OK)
    set_ended (session, ret);
  return ret;
}

static gboolean
on_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  (void) parent;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    set_ended (gst_pad_get_element_private (pad), GST_FLOW_OK);
  gst_event_unref (event);
  return TRUE;
}

/* Sessions */

/* Answer LATENCY queries with a live latency of 0, so that the result is the
 * encoder's own: bins only pass on latencies of live streams. */
static gboolean
on_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

static GstPad *
make_pad (GstBlockDctPageSession * session, const gchar * name,
    GstPadDirection direction)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new (name, direction));

  gst_pad_set_element_private (pad, session);
  if (direction == GST_PAD_SRC) {
    gst_pad_set_query_function (pad, GST_DEBUG_FUNCPTR (on_query));
  } else {
    gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (on_picture));
    gst_pad_set_event_function (pad, GST_DEBUG_FUNCPTR (on_event));
  }
  gst_pad_set_active (pad, TRUE);
  return pad;
}

/* Link the bin. FALSE: it cannot process pictures of these caps. */
static gboolean
link_pads (GstBlockDctPageSession * session, const GstCaps * caps)
{
  GstPad *sink = gst_element_get_static_pad (session->bin, "sink");
  GstPad *src = gst_element_get_static_pad (session->bin, "src");
  GstCaps *taken = gst_pad_query_caps (sink, NULL);
  const gboolean ok = gst_caps_can_intersect (taken, caps)
      && gst_pad_link (session->in, sink) == GST_PAD_LINK_OK
      && gst_pad_link (src, session->out) == GST_PAD_LINK_OK;

  gst_caps_unref (taken);
  gst_object_unref (sink);
  gst_object_unref (src);
  return ok;
}

/* An error ends the session, not the pipeline. The preview posts all other
 * messages. */
static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  GstBlockDctPageSession *session = data;
  GstBlockDctPageEncoder *encoder = &session->preview->encoder;
  GError *error;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR) {
    gst_element_post_message (GST_ELEMENT (session->preview), message);
    return GST_BUS_DROP;
  }
  gst_message_parse_error (message, &error, NULL);
  g_mutex_lock (&encoder->lock);
  if (session->cause == NULL)
    session->cause = g_strdup_printf ("%s: %s", GST_MESSAGE_SRC_NAME (message),
        error->message);
  g_cond_broadcast (&encoder->changed);
  g_mutex_unlock (&encoder->lock);
  g_error_free (error);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
catch_messages (GstBlockDctPageSession * session)
{
  GstBus *bus = gst_bus_new ();

  gst_bus_set_sync_handler (bus, on_message, session, NULL);
  gst_element_set_bus (session->bin, bus);
  gst_object_unref (bus);
}

/* Push the events that start a stream. The frames' times are running times. */
static void
begin_stream (GstBlockDctPageSession * session, GstCaps * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (session->in, gst_event_new_stream_start ("b"));
  gst_pad_push_event (session->in, gst_event_new_caps (caps));
  gst_pad_push_event (session->in, gst_event_new_segment (&segment));
}

static void
publish (GstBlockDctPageEncoder * encoder, GstBlockDctPageSession * session)
{
  g_mutex_lock (&encoder->lock);
  encoder->session = session;
  g_mutex_unlock (&encoder->lock);
}

static void
stop_session (GstBlockDctPage * self)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstBlockDctPageSession *session = encoder->session;

  if (session == NULL)
    return;
  if (session->bin != NULL) {
    gst_element_set_state (session->bin, GST_STATE_NULL);
    /* A LATENCY query in another thread may keep the bin for a moment. */
    gst_element_set_bus (session->bin, NULL);
  }
  publish (encoder, NULL);
  gst_clear_object (&session->bin);
  gst_pad_set_active (session->in, FALSE);
  gst_pad_set_active (session->out, FALSE);
  gst_object_unref (session->in);
  gst_object_unref (session->out);
  g_queue_clear_full (&session->frames, g_free);
  g_free (session->cause);
  g_free (session->line);
  g_free (session);
}

/* The encoder of this line has failed: use `b` from now on, unless another line
 * has been set meanwhile. */
static void
give_up (GstBlockDctPage * self, const gchar * line, guint generation,
    const gchar * cause)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  gboolean cleared;

  g_mutex_lock (&encoder->lock);
  cleared = encoder->generation == generation;
  if (cleared) {
    encoder->generation++;
    g_clear_pointer (&encoder->line, g_free);
  }
  g_mutex_unlock (&encoder->lock);
  GST_ELEMENT_WARNING (self, STREAM, ENCODE,
      ("b-encoder='%s' has failed: %s", line, cause),
      ("%s", cleared ? "B comes from blockdct b "
          "again." : "The encoder that was " "set meanwhile takes over."));
  if (cleared)
    g_object_notify (G_OBJECT (self), "b-encoder");
}

/* End a session that has failed; `reason` is used if the session has none. */
static GstFlowReturn
fail (GstBlockDctPage * self, const gchar * reason)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstBlockDctPageSession *session = encoder->session;
  gchar *line = g_strdup (session->line), *cause;
  const guint generation = session->generation;

  g_mutex_lock (&encoder->lock);
  cause = session->cause != NULL ? g_strdup (session->cause)
      : g_strdup (reason);
  g_mutex_unlock (&encoder->lock);
  stop_session (self);
  give_up (self, line, generation, cause);
  g_free (cause);
  g_free (line);
  return FLOW_FAILED;
}

/* Handle the result of a push into a running session. */
static GstFlowReturn
judge (GstBlockDctPage * self, GstFlowReturn ret)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstBlockDctPageSession *session = encoder->session;
  gboolean failed;

  g_mutex_lock (&encoder->lock);
  if (encoder->flushing)
    ret = GST_FLOW_FLUSHING;
  else if (session->ret != GST_FLOW_OK)
    ret = session->ret;
  else if (session->cause != NULL && ret == GST_FLOW_OK)
    ret = GST_FLOW_ERROR;
  failed = !encoder->flushing && session->ret == GST_FLOW_OK
      && ret != GST_FLOW_OK;
  g_mutex_unlock (&encoder->lock);
  return failed ? fail (self, gst_flow_get_name (ret)) : ret;
}

/* End the session, if there is one, after all of its pictures have left. */
static GstFlowReturn
end_session (GstBlockDctPage * self)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstBlockDctPageSession *session = encoder->session;
  GstFlowReturn ret;
  gboolean pushed;

  if (session == NULL)
    return GST_FLOW_OK;
  pushed = gst_pad_push_event (session->in, gst_event_new_eos ());
  g_mutex_lock (&encoder->lock);
  while (pushed && !session->ended && session->cause == NULL
      && !encoder->flushing)
    g_cond_wait (&encoder->changed, &encoder->lock);
  g_mutex_unlock (&encoder->lock);
  ret = judge (self, pushed ? GST_FLOW_OK : GST_FLOW_ERROR);
  stop_session (self);
  return ret;
}

/* Set caps with system memory on `b`'s source pad, for the encoder's pictures;
 * `b` itself may use another memory. */
static GstCaps *
follow_caps (GstBlockDctPage * self)
{
  GstCaps *caps = gst_pad_get_current_caps (SINK_OF_B (self));
  GstCaps *given, *own;

  if (caps == NULL)
    return NULL;
  given = gst_pad_get_current_caps (SRC_OF_B (self));
  own = gst_caps_copy (caps);
  gst_caps_set_features_simple (own, NULL);
  if (given == NULL || !gst_caps_is_equal (own, given)) {
    self->encoder.own_caps = TRUE;
    gst_pad_push_event (SRC_OF_B (self), gst_event_new_caps (own));
  }
  gst_caps_unref (own);
  gst_clear_caps (&given);
  return caps;
}

/* Make a session, still without a bin. */
static GstBlockDctPageSession *
make_session (GstBlockDctPage * self, const gchar * line,
    guint generation, gboolean alone)
{
  GstBlockDctPageSession *session = g_new0 (GstBlockDctPageSession, 1);

  session->preview = self;
  session->line = g_strdup (line);
  session->generation = generation;
  session->alone = alone;
  session->in = make_pad (session, "in", GST_PAD_SRC);
  session->out = make_pad (session, "out", GST_PAD_SINK);
  return session;
}

/* Start a session's bin for pictures of these caps. FALSE with an error. */
static gboolean
start_bin (GstBlockDctPageSession * session, GstCaps * caps, GError ** error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  session->bin = gst_blockdct_page_line_make (session->line, caps, error);
  if (session->bin == NULL)
    return FALSE;
  gst_object_ref_sink (session->bin);
  catch_messages (session);
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (!link_pads (session, caps))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "it does not accept %s %dx%d", gst_structure_get_string (s, "format"),
        width, height);
  else if (gst_element_set_state (session->bin, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE)
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
        "it does not start");
  else
    begin_stream (session, caps);
  return *error == NULL;
}

/* Start a session with a line and its generation. */
static GstFlowReturn
start_session (GstBlockDctPage * self, const gchar * line,
    guint generation, gboolean alone)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstCaps *caps = follow_caps (self);
  GstFlowReturn ret = GST_FLOW_OK;
  GError *error = NULL;

  if (caps == NULL)
    return GST_PAD_IS_FLUSHING (SINK_OF_B (self)) ? GST_FLOW_FLUSHING
        : GST_FLOW_NOT_NEGOTIATED;
  gst_clear_buffer (&encoder->kept);
  encoder->kept_generation = generation;
  publish (encoder, make_session (self, line, generation, alone));
  if (!start_bin (encoder->session, caps, &error))
    ret = fail (self, error->message);
  gst_caps_unref (caps);
  g_clear_error (&error);
  return ret;
}

/* Frames */

/* Drop custom metas, such as blockdct's, which describe the frame before it is
 * coded: encoders would pass them on. */
static gboolean
drop_custom (GstBuffer * buffer, GstMeta ** meta, gpointer unused)
{
  (void) buffer, (void) unused;
  if (gst_meta_info_is_custom ((*meta)->info))
    *meta = NULL;
  return TRUE;
}

/* Copy buffers of a limited pool, as the encoder may hold more frames than the
 * pool has. */
static GstBuffer *
copy_for_encoder (GstBuffer * buffer)
{
  GstBuffer *copy = gst_blockdct_pool_get_limit (buffer) > 0
      ? gst_buffer_copy_deep (buffer) : gst_buffer_copy (buffer);

  gst_buffer_foreach_meta (copy, drop_custom, NULL);
  return copy;
}

/* A frame's duration, or that of its caps. */
static GstClockTime
get_duration (GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint n = 0, d = 1;

  if (caps != NULL)
    gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
        &n, &d);
  gst_clear_caps (&caps);
  return GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer)
      : n > 0 ? gst_util_uint64_scale_int (GST_SECOND, d, n)
      : DEFAULT_DURATION;
}

/* The time of a frame in the encoder. These times always increase, as encoders
 * need. */
static GstClockTime
choose_time (GstBlockDctPageSession * session, GstBuffer * buffer)
{
  GstPad *pad = SINK_OF_B (session->preview);
  GstClockTime time = get_running_time (pad, buffer);

  if (!GST_CLOCK_TIME_IS_VALID (time) || time < session->next)
    time = session->next;
  session->next = time + MAX (get_duration (pad, buffer) / 2, 1);
  return time;
}

/* Push a frame, which the caller keeps, into the session. */
static GstFlowReturn
encode (GstBlockDctPage * self, GstBuffer * buffer)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstBlockDctPageSession *session = encoder->session;
  GstBuffer *copy = copy_for_encoder (buffer);
  Frame *frame = g_new (Frame, 1);

  *frame = (Frame) {
  choose_time (session, buffer), GST_BUFFER_PTS (buffer),
        GST_BUFFER_DURATION (buffer)};
  GST_BUFFER_PTS (copy) = frame->time;
  GST_BUFFER_DTS (copy) = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&encoder->lock);
  g_queue_push_tail (&session->frames, frame);
  session->held++;
  g_mutex_unlock (&encoder->lock);
  return judge (self, gst_pad_push (session->in, copy));
}

/* Show the kept picture again. If it is of another line, or there is none, code
 * the repeated frame alone. */
static GstFlowReturn
repeat (GstBlockDctPage * self, const gchar * line, guint generation,
    GstBuffer * buffer)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstFlowReturn ret = GST_FLOW_OK;
  GstBuffer *copy;

  if (encoder->kept == NULL || encoder->kept_generation != generation) {
    ret = start_session (self, line, generation, TRUE);
    if (ret == GST_FLOW_OK)
      ret = encode (self, buffer);
    if (ret == GST_FLOW_OK)
      ret = end_session (self);
    if (ret == GST_FLOW_OK && encoder->kept == NULL) {
      give_up (self, line, generation, "it returns no picture for a single "
          "frame");
      ret = FLOW_FAILED;
    }
  }
  if (ret != GST_FLOW_OK)
    return ret;
  copy = gst_blockdct_mark_copy (encoder->kept, GST_BLOCKDCT_MARK_REPEATED);
  GST_BUFFER_PTS (copy) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_DURATION (copy) = GST_BUFFER_DURATION (buffer);
  return gst_pad_push (SRC_OF_B (self), copy);
}

/* Push a frame into the session, or into a new one. While the input is frozen
 * no frame follows that would push its picture out. */
static GstFlowReturn
go_on (GstBlockDctPage * self, const gchar * line, guint generation,
    GstBuffer * buffer)
{
  GstFlowReturn ret = self->encoder.session != NULL ? GST_FLOW_OK
      : start_session (self, line, generation, FALSE);

  if (ret == GST_FLOW_OK)
    ret = encode (self, buffer);
  if (ret == GST_FLOW_OK && gst_blockdct_page_freeze_get (self->freeze))
    ret = end_session (self);
  return ret;
}

/* Switching between the encoder and `b` */

/* While A or b holds frames, compare has to queue as many originals. It queues
 * no more than that, so that a change is seen soon; but with an encoder, which
 * may hold many, it uses its default limit. */
static void
set_runs (GstBlockDctPage * self, gboolean runs)
{
  guint of_a, of_b;

  g_atomic_int_set (&self->encoder.runs, runs);
  g_object_get (self->a, "async-depth", &of_a, NULL);
  g_object_get (self->b, "async-depth", &of_b, NULL);
  gst_blockdct_compare_set_lockstep (self->compare,
      runs ? 0 : 1 + MAX (of_a, of_b));
}

/* Have the frames in b leave, before another frame bypasses it: a serialized
 * event, which compare drops, is enough. */
static void
leave_b (GstBlockDctPage * self)
{
  if (!self->encoder.in_b)
    return;
  self->encoder.in_b = FALSE;
  gst_pad_send_event (SINK_OF_B (self),
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("blockdct-leave")));
}

static void
enter_b (GstBlockDctPage * self)
{
  if (g_atomic_int_get (&self->encoder.runs))
    set_runs (self, FALSE);
  if (self->encoder.own_caps)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (self->b));
  self->encoder.own_caps = FALSE;
  self->encoder.in_b = TRUE;
}

/* The line in force, owned by the caller, and its generation. */
static gchar *
get_line (GstBlockDctPageEncoder * encoder, guint * generation)
{
  gchar *line;

  g_mutex_lock (&encoder->lock);
  line = g_strdup (encoder->line);
  *generation = encoder->generation;
  g_mutex_unlock (&encoder->lock);
  return line;
}

/* Whether the session holds the maximum number of frames. */
static gboolean
is_stuck (GstBlockDctPage * self)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  gboolean stuck;

  g_mutex_lock (&encoder->lock);
  stuck = encoder->session->held >= MAX_HELD;
  g_mutex_unlock (&encoder->lock);
  if (stuck)
    GST_ELEMENT_WARNING (self, STREAM, ENCODE,
        ("b-encoder='%s' holds back %u frames, and is restarted.",
            encoder->session->line, MAX_HELD),
        ("Lower its lookahead (x264enc: rc-lookahead)."));
  return stuck;
}

gboolean
gst_blockdct_page_encoder_handle (GstBlockDctPage * self,
    GstBuffer * buffer, GstFlowReturn * ret)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  const gboolean repeated = gst_blockdct_mark_is (buffer,
      GST_BLOCKDCT_MARK_REPEATED);
  guint generation;
  gchar *line = get_line (encoder, &generation);

  *ret = GST_FLOW_OK;
  if (encoder->session != NULL && (repeated
          || encoder->session->generation != generation || is_stuck (self)))
    *ret = end_session (self);
  if (*ret == GST_FLOW_OK && line != NULL) {
    leave_b (self);
    if (!g_atomic_int_get (&encoder->runs))
      set_runs (self, TRUE);
    *ret = repeated ? repeat (self, line, generation, buffer)
        : go_on (self, line, generation, buffer);
  }
  if (line == NULL || *ret == FLOW_FAILED) {
    g_free (line);
    enter_b (self);
    return FALSE;
  }
  g_free (line);
  return TRUE;
}

void
gst_blockdct_page_encoder_pass (GstBlockDctPage * self, GstBuffer * buffer)
{
  end_session (self);
  leave_b (self);
  if (g_atomic_int_get (&self->encoder.runs))
    set_runs (self, FALSE);
  if (!gst_blockdct_mark_is (buffer, GST_BLOCKDCT_MARK_REPEATED))
    gst_clear_buffer (&self->encoder.kept);
}

/* Events, states, latency */

static void
set_flushing (GstBlockDctPageEncoder * encoder, gboolean flushing)
{
  g_mutex_lock (&encoder->lock);
  encoder->flushing = flushing;
  g_cond_broadcast (&encoder->changed);
  g_mutex_unlock (&encoder->lock);
}

void
gst_blockdct_page_encoder_interrupt (GstBlockDctPage * self)
{
  set_flushing (&self->encoder, TRUE);
}

static void
forget (GstBlockDctPage * self)
{
  stop_session (self);
  gst_clear_buffer (&self->encoder.kept);
  self->encoder.in_b = FALSE;
}

void
gst_blockdct_page_encoder_stop (GstBlockDctPage * self)
{
  forget (self);
  self->encoder.own_caps = FALSE;
}

void
gst_blockdct_page_encoder_drain (GstBlockDctPage * self)
{
  end_session (self);
}

void
gst_blockdct_page_encoder_see (GstBlockDctPage * self, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      gst_blockdct_page_encoder_interrupt (self);
      break;
    case GST_EVENT_FLUSH_STOP:
      forget (self);
      set_flushing (&self->encoder, FALSE);
      break;
    case GST_EVENT_TAG:        /* not about a particular frame */
    case GST_EVENT_GAP:
      break;
    default:
      if (GST_EVENT_IS_SERIALIZED (event))
        end_session (self);
      break;
  }
}

static GstClockTime
add_times (GstClockTime a, GstClockTime b)
{
  return GST_CLOCK_TIME_IS_VALID (a) && GST_CLOCK_TIME_IS_VALID (b) ? a + b
      : GST_CLOCK_TIME_NONE;
}

void
gst_blockdct_page_encoder_add_latency (GstBlockDctPage * self, GstQuery * query)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GstQuery *of_session = gst_query_new_latency ();
  GstClockTime min, max, own_min, own_max;
  GstPad *out = NULL;
  gboolean live;

  g_mutex_lock (&encoder->lock);
  if (encoder->session != NULL)
    out = gst_object_ref (encoder->session->out);
  g_mutex_unlock (&encoder->lock);
  if (out != NULL && gst_pad_peer_query (out, of_session)) {
    gst_query_parse_latency (of_session, NULL, &own_min, &own_max);
    gst_query_parse_latency (query, &live, &min, &max);
    gst_query_set_latency (query, live, min + own_min,
        add_times (max, own_max));
  }
  gst_query_unref (of_session);
  gst_clear_object (&out);
}

/* The property */

static void
keep_refusal (GstBlockDctPageEncoder * encoder, GstMessage * message)
{
  g_mutex_lock (&encoder->lock);
  gst_clear_message (&encoder->refusal);
  encoder->refusal = message;
  g_mutex_unlock (&encoder->lock);
}

/* Refuse a line with a warning, which waits until there is a bus. */
static void
refuse (GstBlockDctPage * self, const gchar * line, const gchar * reason)
{
  GError *error = g_error_new (GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "b-encoder='%s' is refused: %s", line, reason);
  GstMessage *message = gst_message_new_warning (GST_OBJECT (self), error,
      "B is unchanged.");

  GST_WARNING_OBJECT (self, "%s", error->message);
  g_error_free (error);
  if (gst_element_post_message (GST_ELEMENT (self), gst_message_ref (message)))
    gst_message_unref (message);
  else
    keep_refusal (&self->encoder, message);
}

static void
repeat_refusal (GstBlockDctPage * self)
{
  GstMessage *message;

  g_mutex_lock (&self->encoder.lock);
  message = g_steal_pointer (&self->encoder.refusal);
  g_mutex_unlock (&self->encoder.lock);
  if (message != NULL)
    gst_element_post_message (GST_ELEMENT (self), message);
}

void
gst_blockdct_page_encoder_set (GstBlockDctPage * self, const gchar * line)
{
  GstBlockDctPageEncoder *encoder = &self->encoder;
  GError *error = NULL;

  if (line != NULL && *line == '\0')
    line = NULL;
  if (line != NULL && !gst_blockdct_page_line_check (line, &error)) {
    refuse (self, line, error->message);
    g_error_free (error);
    return;
  }
  g_mutex_lock (&encoder->lock);
  if (g_strcmp0 (line, encoder->line) != 0) {
    g_free (encoder->line);
    encoder->line = g_strdup (line);
    encoder->generation++;
  }
  g_mutex_unlock (&encoder->lock);
  gst_blockdct_page_freeze_change (self->freeze);
}

gchar *
gst_blockdct_page_encoder_get (GstBlockDctPage * self)
{
  guint generation;

  return get_line (&self->encoder, &generation);
}

void
gst_blockdct_page_encoder_start (GstBlockDctPage * self)
{
  set_flushing (&self->encoder, FALSE);
  set_runs (self, FALSE);
  repeat_refusal (self);
}

void
gst_blockdct_page_encoder_init (GstBlockDctPage * self)
{
  g_mutex_init (&self->encoder.lock);
  g_cond_init (&self->encoder.changed);
  self->encoder.flushing = TRUE;
}

void
gst_blockdct_page_encoder_clear (GstBlockDctPage * self)
{
  g_free (self->encoder.line);
  gst_clear_message (&self->encoder.refusal);
  g_mutex_clear (&self->encoder.lock);
  g_cond_clear (&self->encoder.changed);
}
