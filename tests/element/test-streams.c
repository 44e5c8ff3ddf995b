/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What GStreamer asks of every filter: segments, gaps, flushes, seeks, and the
 * latency of what is live. */
#include "bench.h"

#define RAW "video/x-raw,format=I420,width=16,height=16,framerate=25/1," \
    "interlace-mode=progressive"

static const struct
{
  const gchar *line, *caps;
  gboolean takes_gaps;          /* GstAggregator keeps them for itself */
} filters[] = {
  {"blockdct", RAW, FALSE},
  {"blockdct async-depth=3", RAW, FALSE},
  {"blockdctcoded", "video/x-vp8", FALSE},
  {"tee name=t ! queue ! c.ref_sink t. ! queue ! c.dist_sink "
        "blockdctcompare name=c", RAW, TRUE},
  {"blockdctpreview", RAW, TRUE},
};

static GstHarness *
open_filter (guint i)
{
  GstHarness *h = gst_harness_new_parse (filters[i].line);

  gst_harness_set_src_caps_str (h, filters[i].caps);
  gst_harness_play (h);
  return h;
}

/* Push a frame, and an event behind which a filter holds none: the frame comes
 * out, at a running time. */
static void
pass (GstHarness * h, GstClockTime pts, GstClockTime running_time)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, 384, NULL), *out;
  g_autoptr (GstEvent) event;
  const GstSegment *segment;

  /* A frame of VP8 that is shown, and grey. */
  gst_buffer_memset (in, 0, 0x90, 384);
  GST_BUFFER_PTS (in) = pts;
  GST_BUFFER_DURATION (in) = 40 * GST_MSECOND;
  g_assert_cmpint (gst_harness_push (h, in), ==, GST_FLOW_OK);
  g_assert_true (gst_harness_push_event (h,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new_empty ("drain"))));
  out = gst_harness_pull (h);
  g_assert_nonnull (out);
  /* First: the pad's lock orders the threads for ThreadSanitizer, which does
   * not know the harness's queue. */
  event = gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_SEGMENT, 0);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, pts);
  gst_event_parse_segment (event, &segment);
  g_assert_cmpuint (gst_segment_to_running_time (segment, GST_FORMAT_TIME,
          pts), ==, running_time);
  gst_buffer_unref (out);
}

static void
test_latency (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++) {
    GstHarness *h = open_filter (i);

    gst_harness_set_upstream_latency (h, 30 * GST_MSECOND);
    pass (h, 0, 0);
    g_assert_cmpuint (gst_harness_query_latency (h), ==, (i == 1 ? 30 + 2 * 40
            : 30) * GST_MSECOND);
    gst_harness_teardown (h);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/streams/latency", test_latency);
  return test_run ();
}
