/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A handler that is called at once, in the thread that posts, and stops the
 * element, flushes it or sends it caps: for every message that the element may
 * post. */
#include <string.h>
#include "bench.h"

typedef enum
{
  STOP_HERE, STOP_ELSEWHERE, FLUSH, SEND_CAPS, N_ACTIONS
} Action;

/* What is to be met. */
typedef struct
{
  Bench *bench;
  Action action;
  GstMessageType type;
  const gchar *text;            /* in it; NULL: any */
  gboolean notify;              /* not a message, a notification */
  gboolean acted, stopped;
  GThread *thread;
  gsize size;                   /* of the buffers of the caps downstream */
} Handler;

static gpointer
stop (gpointer element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  return NULL;
}

static void
flush (Bench * bench)
{
  GstPad *pad = bench->h->srcpad;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
  if (gst_pad_has_current_caps (pad))
    gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
act (Handler * handler)
{
  Bench *bench = handler->bench;

  if (handler->acted)
    return;
  handler->acted = TRUE;
  if (handler->action == STOP_HERE) {
    stop (bench->element);
  } else if (handler->action == STOP_ELSEWHERE) {
    handler->thread = g_thread_new ("stop", stop, bench->element);
    g_usleep (2000);
  } else if (handler->action == FLUSH) {
    flush (bench);
  } else {
    GstCaps *caps = video_caps ("NV12", 40, 24);

    video_info (&bench->info, "NV12", 40, 24);
    gst_pad_push_event (bench->h->srcpad, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  handler->stopped = handler->action < FLUSH;
}

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Handler *handler = data;
  gboolean match = GST_MESSAGE_TYPE (message) == handler->type
      && !handler->notify
      && GST_MESSAGE_SRC (message) == GST_OBJECT (handler->bench->element);

  (void) bus;
  if (match && handler->text != NULL) {
    gchar *text = gst_structure_to_string (gst_message_get_structure (message));

    match = strstr (text, handler->text) != NULL;
    g_free (text);
  }
  if (match)
    act (handler);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
on_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  Handler *handler = data;

  (void) object, (void) pspec;
  if (handler->notify)
    act (handler);
}

/* Each buffer is one of the caps before it. */
static GstPadProbeReturn
on_output (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Handler *handler = data;

  (void) pad;
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    g_assert_cmpuint (gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)),
        ==, handler->size);
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_CAPS) {
    GstVideoInfo video;
    GstCaps *caps;

    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    g_assert_true (gst_video_info_from_caps (&video, caps));
    handler->size = video.size;
  }
  return GST_PAD_PROBE_OK;
}

static void
push (Handler * handler, guint n)
{
  if (!handler->stopped)
    gst_harness_push (handler->bench->h, frame_new (&handler->bench->info, n));
}

/* Something of all that is said: the matrix does not fit 8 bits, frames, an
 * interval, a frame dropped for QoS, a buffer too small, the end. */
static void
play (Handler * handler, guint depth)
{
  Bench *bench = handler->bench;
  GstBuffer *small = gst_buffer_new_allocate (NULL, 7, NULL);
  gint steps[64];

  for (guint i = 0; i < 64; i++)
    steps[i] = 300;
  set_matrix (bench->element, steps, 64);
  bench_set_caps (bench, "I420", 24, 16);
  for (guint n = 0; n < depth + 2; n++)
    push (handler, n);
  g_object_set (bench->element, "interval", 2 * FRAME, NULL);
  for (guint n = 0; n < depth + 4; n++)
    push (handler, depth + 2 + n);
  if (!handler->stopped) {
    gst_harness_push_upstream_event (bench->h,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.0, 0, 40 * FRAME));
    push (handler, 40);
  }
  gst_harness_push (bench->h, small);
  push (handler, 60);
  if (!handler->stopped)
    gst_harness_push_event (bench->h, gst_event_new_eos ());
}

static void
check (const Handler * template, guint depth)
{
  const BdctParams defaults = BDCT_PARAMS_DEFAULT;
  Handler handler = *template;
  GstBuffer *in, *out, *expected;
  BdctStats stats;
  Bench bench;
  GstPad *pad;

  bench_init (&bench, NULL, 0, 0, "async-depth", depth, "qos", TRUE,
      "interactive", TRUE, NULL);
  handler.bench = &bench;
  pad = gst_element_get_static_pad (bench.element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, on_output,
      &handler, NULL);
  gst_bus_set_sync_handler (bench.bus, on_message, &handler, NULL);
  g_signal_connect (bench.element, handler.notify
      ? "notify::quantization-matrix" : "notify", G_CALLBACK (on_notify),
      &handler);
  play (&handler, depth);
  g_assert_true (handler.acted);
  if (handler.thread != NULL)
    g_thread_join (handler.thread);
  gst_bus_set_sync_handler (bench.bus, NULL, NULL, NULL);
  g_signal_handlers_disconnect_by_data (bench.element, &handler);

  /* All is as if nothing had been. */
  gst_element_set_state (bench.element, GST_STATE_NULL);
  set_matrix (bench.element, NULL, 0);
  while ((out = gst_harness_try_pull (bench.h)) != NULL)
    gst_buffer_unref (out);
  gst_element_set_state (bench.element, GST_STATE_PLAYING);
  gst_harness_push_event (bench.h, gst_event_new_flush_start ());
  gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
  bench_set_caps (&bench, "I420", 24, 16);
  in = frame_new (&bench.info, 99);
  expected = frame_expect (&bench.info, in, &defaults, &stats);
  bench.drain = TRUE;
  g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
  out = bench_pull (&bench);
  g_assert_nonnull (out);
  g_assert_true (frames_equal (&bench.info, expected, out));
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
  gst_object_unref (pad);
  bench_clear (&bench);
}

static void
check_all (Handler handler)
{
  for (guint depth = 1; depth <= 3; depth += 2)
    for (guint i = 0; i < N_ACTIONS; i++) {
      handler.action = i;
      check (&handler, depth);
    }
}

static void
test_frame (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_ELEMENT,.text = "frame"});
}

static void
test_interval (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_ELEMENT,.text = "interval"});
}

static void
test_pooled (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_ELEMENT,.text = "pooled"});
}

static void
test_matrix (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_WARNING,.text = "Annex"});
}

static void
test_error (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_ERROR});
}

static void
test_qos (void)
{
  check_all ((Handler) {.type = GST_MESSAGE_QOS});
}

static void
test_notify (void)
{
  check_all ((Handler) {.notify = TRUE});
}

/* The message that the latency is another one comes with the caps: what is sent
 * from within is the older. */
static void
test_latency (void)
{
  Handler handler = {.type = GST_MESSAGE_LATENCY };

  for (guint i = 0; i < SEND_CAPS; i++) {
    handler.action = i;
    check (&handler, 3);
  }
}

/* What a flush from within keeps from leaving was measured, and said: it counts
 * as in the messages. */
typedef struct
{
  Bench *bench;
  const gchar *type;            /* flush at the first of this type */
  guint64 counted;              /* by messages */
} Flusher;

static GstBusSyncReply
on_report (GstBus * bus, GstMessage * message, gpointer data)
{
  Flusher *flusher = data;
  const GstStructure *s = gst_message_get_structure (message);

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    const gchar *type = gst_structure_get_string (s, "type");

    if (strcmp (type, "frame") == 0) {
      g_assert_cmpuint (get_uint64 (s, "index"), ==, flusher->counted);
      flusher->counted++;
    }
    if (g_strcmp0 (type, flusher->type) == 0) {
      flusher->type = NULL;
      flush (flusher->bench);
    }
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
check_counted (Bench * bench, guint64 index, guint64 frames)
{
  GstStructure *s;

  g_object_get (bench->element, "stats", &s, NULL);
  g_assert_cmpuint (get_uint64 (s, "index"), ==, index);
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, frames);
  gst_structure_free (s);
}

static void
test_counted (void)
{
  Flusher flusher = {.type = "frame" };
  Bench bench;

  bench_init (&bench, "I420", 24, 16, "async-depth", 3, NULL);
  flusher.bench = &bench;
  gst_bus_set_sync_handler (bench.bus, on_report, &flusher, NULL);
  /* The third pushes the first out: it counts, and the others are gone. */
  for (guint n = 0; n < 3; n++)
    bench_push (&bench, n);
  g_assert_null (gst_harness_try_pull (bench.h));
  check_counted (&bench, 0, 1);
  for (guint n = 3; n < 6; n++)
    bench_push (&bench, n);
  check_counted (&bench, 0, 2);
  /* The same where errors begin to be at another depth. */
  bench_set_caps (&bench, "I420_10LE", 24, 16);
  g_assert_cmpuint (flusher.counted, ==, 4);
  flusher.type = "pooled";
  bench_push (&bench, 6);
  bench_push (&bench, 7);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_cmpuint (flusher.counted, ==, 5);
  check_counted (&bench, 4, 1);
  g_assert_cmpuint (gst_harness_buffers_in_queue (bench.h), ==, 3);
  gst_bus_set_sync_handler (bench.bus, NULL, NULL, NULL);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/handlers/frame", test_frame);
  test_add ("/handlers/interval", test_interval);
  test_add ("/handlers/pooled", test_pooled);
  test_add ("/handlers/matrix", test_matrix);
  test_add ("/handlers/error", test_error);
  test_add ("/handlers/qos", test_qos);
  test_add ("/handlers/notify", test_notify);
  test_add ("/handlers/latency", test_latency);
  test_add ("/handlers/counted", test_counted);
  return test_run ();
}
