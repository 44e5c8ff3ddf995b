/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "duel.h"

#include <string.h>

#define PATIENCE (120 * GST_SECOND)

static const gchar *const pads[DUEL_MAX_INPUTS] = {
  "ref_sink", "dist_sink", "dist_sink_1", "dist_sink_2"
};

void
duel_launch (Duel * duel, const gchar * line)
{
  GError *error = NULL;

  memset (duel, 0, sizeof *duel);
  duel->pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  /* What is left on the bus is looked at when the pipeline has stopped. */
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (duel->pipeline), FALSE);
  duel->bus = gst_element_get_bus (duel->pipeline);
  duel->element = gst_bin_get_by_name (GST_BIN (duel->pipeline), "compare");
  duel->sink = gst_bin_get_by_name (GST_BIN (duel->pipeline), "out");
}

void
duel_open (Duel * duel, GstVideoInfo * info, gint width, gint height,
    guint n_inputs, const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("blockdctcompare name=compare "
      "backend=%s %s ! appsink name=out sync=false", test_backend (),
      properties);

  duel_launch (duel, line);
  test_share_context (duel->element);
  for (guint i = 0; i < n_inputs; i++) {
    GstPad *peer = gst_element_get_static_pad (duel->element, pads[i]);
    GstPad *pad = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));

    if (peer == NULL)
      peer = gst_element_request_pad_simple (duel->element, pads[i]);
    g_assert_true (gst_pad_set_active (pad, TRUE));
    g_assert_cmpint (gst_pad_link (pad, peer), ==, GST_PAD_LINK_OK);
    gst_object_unref (peer);
    duel->feeder[i] = pad;
  }
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  video_info (info, "I420", width, height);
  duel_begin (duel, info);
}

void
duel_clear (Duel * duel)
{
  GstMessage *message;

  gst_element_set_state (duel->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < DUEL_MAX_INPUTS && duel->feeder[i] != NULL; i++) {
    gst_pad_set_active (duel->feeder[i], FALSE);
    gst_object_unref (duel->feeder[i]);
  }
  while ((message = gst_bus_pop_filtered (duel->bus, GST_MESSAGE_ERROR
              | GST_MESSAGE_WARNING)) != NULL) {
    g_autofree gchar *text = message_text (message);

    g_test_message ("%s", text);
    g_test_fail ();
  }
  gst_clear_object (&duel->element);
  gst_object_unref (duel->sink);
  gst_object_unref (duel->bus);
  gst_object_unref (duel->pipeline);
}

GstBuffer *
duel_distorted_new (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = frame_new (info, 1000 + n);

  GST_BUFFER_PTS (buffer) = n * FRAME;
  return buffer;
}

GstBuffer *
duel_pull (Duel * duel)
{
  GstSample *sample;
  GstBuffer *buffer;
  gboolean eos;

  g_signal_emit_by_name (duel->sink, "try-pull-sample", PATIENCE, &sample);
  if (sample == NULL) {
    g_object_get (duel->sink, "eos", &eos, NULL);
    g_assert_true (eos);
    return NULL;
  }
  buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  return buffer;
}

GstBuffer *
duel_show (Duel * duel, GstBuffer * reference, GstBuffer * distorted)
{
  GstBuffer *out;

  gst_pad_push (duel->feeder[0], reference);
  gst_pad_push (duel->feeder[1], distorted);
  out = duel_pull (duel);
  g_assert_nonnull (out);
  return out;
}

GstBuffer *
duel_show_pair (Duel * duel, const GstVideoInfo * info, guint n)
{
  return duel_show (duel, frame_new (info, n), duel_distorted_new (info, n));
}

GstStructure *
duel_figures (GstBuffer * buffer, const gchar * pad)
{
  return buffer_find (buffer, "blockdct-compare", pad);
}

gchar *
duel_wait_text (Duel * duel, GstMessageType type)
{
  return message_text (gst_bus_timed_pop_filtered (duel->bus, PATIENCE, type));
}

GstStructure *
duel_wait_report (Duel * duel, const gchar * type)
{
  for (;;) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (duel->bus,
        PATIENCE, GST_MESSAGE_ELEMENT);
    const GstStructure *s;

    g_assert_nonnull (message);
    s = gst_message_get_structure (message);
    if (gst_structure_has_name (s, "blockdct-compare")
        && g_strcmp0 (gst_structure_get_string (s, "type"), type) == 0)
      return gst_structure_copy (s);
  }
}

void
duel_push_all (Duel * duel, GstEvent * event)
{
  for (guint i = 0; i < DUEL_MAX_INPUTS && duel->feeder[i] != NULL; i++)
    gst_pad_push_event (duel->feeder[i], gst_event_ref (event));
  gst_event_unref (event);
}

void
duel_begin (Duel * duel, const GstVideoInfo * info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps ((GstVideoInfo *) info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  duel_push_all (duel, gst_event_new_stream_start ("stream"));
  duel_push_all (duel, gst_event_new_caps (caps));
  duel_push_all (duel, gst_event_new_segment (&segment));
}

void
duel_flush (Duel * duel)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  duel_push_all (duel, start);
  duel_push_all (duel, stop);
}
