/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element does where it gets no memory, no thread, no buffer: each of
 * the plugin's calls that ask for some fails, one after the other (faults.h),
 * once and with all that follow. The element says so, or `harmless` says why it
 * need not; what comes out is right; nothing is left behind, and the same
 * element plays again. On the CPU engine, whatever BLOCKDCT_TEST_BACKEND says.
 */
#include <glib/gstdio.h>
#include <string.h>
#include "bench.h"
#include "faults.h"

/* The most that the plugin may ask for by a call that ends the program where
 * memory is short: what does not grow with the picture, nor with a property. */
#define MAX_FIXED 8192

#define DEPTH 64
#define N_FRAMES 3

static const struct
{
  const gchar *call, *reason;
} harmless[] = {
  {"gst_buffer_pool_set_config", "upstream gets no pool; ours for another's"},
};

static guint n_reported, n_harmless[G_N_ELEMENTS (harmless)];

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstHarness *h;
  GstVideoInfo info;
  BdctParams params;
  guint n_out, n_reports, n_warnings;
  gboolean pooled;
} Play;

/* Take what was posted. Returns whether there was an error. */
static gboolean
take_messages (Play * play)
{
  gboolean failed = FALSE;
  GstMessage *message;

  while ((message = gst_bus_pop (play->bus)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);
    const GstMessageType type = GST_MESSAGE_TYPE (message);

    if (type == GST_MESSAGE_ERROR || type == GST_MESSAGE_WARNING) {
      text_expect (message_text (gst_message_ref (message)), "", NULL);
      failed |= type == GST_MESSAGE_ERROR;
      play->n_warnings += type == GST_MESSAGE_WARNING;
    } else if (s != NULL && gst_structure_has_name (s, "blockdct")) {
      play->n_reports++;
      play->pooled |= strcmp (gst_structure_get_string (s, "type"),
          "pooled") == 0;
    }
    gst_message_unref (message);
  }
  return failed;
}

static void
query (Play * play, GstQuery * query)
{
  gst_pad_peer_query (play->h->srcpad, query);
  gst_query_unref (query);
}

static gboolean
set_caps (Play * play, const gchar * format, gint width, gint height)
{
  GstCaps *caps = video_caps (format, width, height);
  gboolean ok;

  ok = gst_harness_push_event (play->h, gst_event_new_caps (caps));
  video_info (&play->info, format, width, height);
  query (play, gst_query_new_allocation (caps, TRUE));
  gst_caps_unref (caps);
  return ok;
}

/* The frames that come out are right. */
static gboolean
push_frames (Play * play)
{
  for (guint n = 0; n < N_FRAMES; n++)
    if (gst_harness_push (play->h, frame_new (&play->info, n)) != GST_FLOW_OK)
      return FALSE;
  query (play, gst_query_new_drain ());
  for (guint n = 0; n < N_FRAMES; n++) {
    g_autoptr (GstBuffer) in = frame_new (&play->info, n);
    g_autoptr (GstBuffer) out = gst_harness_try_pull (play->h);
    BdctStats stats;

    if (out == NULL)
      return FALSE;
    gst_buffer_unref (frame_expect (&play->info, in, &play->params, &stats));
    check_figures (buffer_report (out), &stats,
        GST_VIDEO_INFO_COMP_DEPTH (&play->info, 0));
    play->n_out++;
  }
  return TRUE;
}

static void
set_transform (Play * play, BdctTransform transform, gint level)
{
  play->params.transform = transform;
  play->params.qp = play->params.quality = level;
  g_object_set (play->element, "transform", transform, "qp", level, "quality",
      level, NULL);
}

/* From the first caps to the end of the stream. FALSE where it ended early. */
static gboolean
stream (Play * play)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (play->h, gst_event_new_stream_start ("faults"));
  if (!set_caps (play, "I420", 77, 35)
      || !gst_harness_push_event (play->h, gst_event_new_segment (&segment)))
    return FALSE;
  set_transform (play, BDCT_JPEG_8X8, 40);
  g_object_set (play->element, "view", BDCT_VIEW_RECONSTRUCTION, "interval",
      (guint64) 0, NULL);
  if (!push_frames (play))
    return FALSE;
  set_transform (play, BDCT_HEVC_32X32, 30);
  g_object_set (play->element, "view", BDCT_VIEW_ERROR_MAP, "interval",
      2 * FRAME, NULL);
  if (!push_frames (play))
    return FALSE;
  gst_harness_push_event (play->h, gst_event_new_flush_start ());
  gst_harness_push_event (play->h, gst_event_new_flush_stop (TRUE));
  if (!gst_harness_push_event (play->h, gst_event_new_segment (&segment))
      || !set_caps (play, "P010_10LE", 230, 130) || !push_frames (play))
    return FALSE;
  query (play, gst_query_new_latency ());
  return gst_harness_push_event (play->h, gst_event_new_eos ());
}

/* Start, stream, stop. Returns whether all of it went. */
static gboolean
run (GstElement * element)
{
  Play play = {.element = element,.bus = gst_bus_new (),
    .params = BDCT_PARAMS_DEFAULT
  };
  gboolean ok;

  gst_element_set_bus (element, play.bus);
  ok = gst_element_set_state (element, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_SUCCESS;
  if (ok) {
    play.h = gst_harness_new_with_element (element, "sink", "src");
    ok = stream (&play);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_harness_teardown (play.h);
  }
  if (take_messages (&play) || play.n_warnings > 0) {
    g_assert_cmpuint (faults.failed, >, 0);
    n_reported++;
  } else if (faults.failed > 0) {
    guint i = 0;

    /* One way or the other, frames go on. */
    g_assert_true (ok);
    while (i < G_N_ELEMENTS (harmless)
        && strcmp (harmless[i].call, faults.call) != 0)
      i++;
    if (i == G_N_ELEMENTS (harmless))
      g_error ("%s: call %u failed and nobody was told", faults.call,
          faults.first);
    n_harmless[i]++;
  }
  if (faults.failed == 0) {
    g_assert_true (ok);
    g_assert_cmpuint (play.n_out, ==, 3 * N_FRAMES);
    g_assert_cmpuint (play.n_reports, >, N_FRAMES);
    g_assert_true (play.pooled);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (play.bus);
  return ok;
}

/* Each call fails; then the same element plays without. Without a number of
 * threads these start when larger frames come. */
static void
run_all (gboolean all, guint threads)
{
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (),
      "blockdct-faults-XXXXXX.log", NULL);
  gboolean hit = TRUE;
  guint n = 0;

  g_close (g_mkstemp (path), NULL);
  while (hit) {
    g_autoptr (GstElement) element = element_new ("blockdct");
    const guint before = faults_outstanding ();

    g_object_set (element, "async-depth", DEPTH, "threads", threads,
        "stats-file", path, NULL);
    element_set (element, "backend", "cpu");
    faults_init (++n, all);
    run (element);
    hit = faults.failed > 0;
    faults_init (0, FALSE);
    g_assert_true (run (element));
    g_assert_cmpuint (faults.largest, <=, MAX_FIXED);
    g_assert_cmpuint (faults_outstanding (), <=, before);
  }
  g_test_message ("%u calls failed%s", n - 1, all ? ", with all after" : "");
  g_assert_cmpuint (n, >, 20);
  g_unlink (path);
}

TEST ("/faults/once", test_once)
{
  run_all (FALSE, 3);
  run_all (FALSE, 0);
  g_test_message ("%u were reported", n_reported);
  for (guint i = 0; i < G_N_ELEMENTS (harmless); i++)
    g_test_message ("%u of %s were not: %s", n_harmless[i], harmless[i].call,
        harmless[i].reason);
}

TEST ("/faults/all", test_all)
{
  run_all (TRUE, 3);
}

/* Where what chooses a setting for a target cannot be had, it can be done
 * without. For a size the frame is coded, too. */
static void
check_target (const gchar * target, const gchar * value)
{
  gboolean hit = TRUE;
  guint n_advised = 0, n_not_coded = 0;

  for (guint n = 1; hit; n++) {
    g_autoptr (GstElement) element = element_new ("blockdct");
    Play play = {.bus = gst_bus_new () };
    GstMessage *message;
    GstFlowReturn ret;

    g_object_set (element, "threads", 1, NULL);
    element_set (element, target, value);
    element_set (element, "backend", "cpu");
    gst_element_set_bus (element, play.bus);
    play.h = gst_harness_new_with_element (element, "sink", "src");
    gst_harness_set_src_caps (play.h, video_caps ("GRAY8", 16, 16));
    video_info (&play.info, "GRAY8", 16, 16);
    faults_init (n, FALSE);
    ret = gst_harness_push (play.h, frame_new (&play.info, 0));
    hit = faults.failed > 0;
    faults_init (0, FALSE);
    message = gst_bus_pop_filtered (play.bus, GST_MESSAGE_ERROR);
    if (ret != GST_FLOW_OK)
      g_assert_nonnull (message);
    if (message != NULL) {
      g_autofree gchar *text = message_text (message);

      if (strstr (text, "search for a setting") != NULL) {
        text_expect (g_strdup (text), "unset the target",
            "gst-resource-error-quark 14", NULL);
        n_advised++;
      }
      n_not_coded += strstr (text, "could not be evaluated") != NULL
          && strstr (text, "out of memory") != NULL;
    }
    gst_element_set_bus (element, NULL);
    gst_harness_teardown (play.h);
    gst_object_unref (play.bus);
  }
  /* Its engine, its thread, its memory. */
  g_assert_cmpuint (n_advised, >=, FAULTS_MALLOC ? 3 : 1);
  /* The component, and its blocks. */
  if (strcmp (target, "target-size") == 0)
    g_assert_cmpuint (n_not_coded, >=, FAULTS_MALLOC ? 2 : 0);
}

TEST ("/faults/target-psnr", test_target_psnr)
{
  check_target ("target-psnr", "40");
}

TEST ("/faults/target-size", test_target_size)
{
  check_target ("target-size", "400");
}
