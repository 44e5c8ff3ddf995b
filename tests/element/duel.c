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
  for (guint i = 0; i < DUEL_MAX_INPUTS; i++) {
    g_autofree gchar *name = g_strdup_printf ("in%u", i);

    duel->input[i] = gst_bin_get_by_name (GST_BIN (duel->pipeline), name);
    duel->n_inputs += duel->input[i] != NULL;
  }
}

void
duel_init (Duel * duel, guint n_inputs, const gchar * properties)
{
  GString *line = g_string_new (NULL);

  g_string_printf (line, "blockdctcompare name=compare backend=%s %s ! "
      "appsink name=out sync=false max-buffers=0", test_backend (), properties);
  for (guint i = 0; i < n_inputs; i++)
    g_string_append_printf (line, " appsrc name=in%u format=time max-bytes=0 ! "
        "compare.%s", i, pads[i]);
  duel_launch (duel, line->str);
  g_string_free (line, TRUE);
  test_share_context (duel->element);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
}

void
duel_open (Duel * duel, GstVideoInfo * info, const gchar * format, gint width,
    gint height, guint n_inputs, const gchar * properties)
{
  video_info (info, format, width, height);
  duel_init (duel, n_inputs, properties);
  for (guint i = 0; i < n_inputs; i++)
    duel_set_caps (duel, i, info);
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
    gchar *text =
        gst_structure_to_string (gst_message_get_structure (message));

    g_test_message ("%s", text);
    /* GstBaseTransform warns where it is to negotiate while it is flushed: a
     * capsfilter that is asked to just before a seek. */
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
        || !g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "capsfilter"))
      g_test_fail ();
    g_free (text);
    gst_message_unref (message);
  }
  for (guint i = 0; i < duel->n_inputs; i++)
    gst_object_unref (duel->input[i]);
  gst_object_unref (duel->element);
  gst_object_unref (duel->sink);
  gst_object_unref (duel->bus);
  gst_object_unref (duel->pipeline);
}

void
duel_abort (Duel * duel)
{
  gst_element_set_state (duel->pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (duel->bus, TRUE);
  duel_clear (duel);
}

GstBuffer *
duel_distorted_new (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = frame_new (info, 1000 + n);

  GST_BUFFER_PTS (buffer) = n * FRAME;
  return buffer;
}

void
duel_set_caps (Duel * duel, guint input, const GstVideoInfo * info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps ((GstVideoInfo *) info);

  g_object_set (duel->input[input], "caps", caps, NULL);
}

void
duel_push (Duel * duel, guint input, GstBuffer * buffer)
{
  GstFlowReturn ret;

  g_signal_emit_by_name (duel->input[input], "push-buffer", buffer, &ret);
  gst_buffer_unref (buffer);
}

void
duel_end (Duel * duel, guint input)
{
  GstFlowReturn ret;

  g_signal_emit_by_name (duel->input[input], "end-of-stream", &ret);
}

void
duel_end_all (Duel * duel)
{
  for (guint i = 0; i < duel->n_inputs; i++)
    duel_end (duel, i);
}

void
duel_push_pair (Duel * duel, GstBuffer * reference, GstBuffer * distorted)
{
  duel_push (duel, DUEL_REFERENCE, reference);
  duel_push (duel, DUEL_DISTORTED, distorted);
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

  duel_push_pair (duel, reference, distorted);
  out = duel_pull (duel);
  g_assert_nonnull (out);
  return out;
}

GstBuffer *
duel_show_pair (Duel * duel, const GstVideoInfo * info, guint n)
{
  return duel_show (duel, frame_new (info, n), duel_distorted_new (info, n));
}

void
duel_drain (Duel * duel)
{
  GstBuffer *out;

  while ((out = duel_pull (duel)) != NULL)
    gst_buffer_unref (out);
}

GstStructure *
duel_figures (GstBuffer * buffer, const gchar * pad)
{
  return buffer_find (buffer, "blockdct-compare", pad);
}

GstMessage *
duel_wait (Duel * duel, GstMessageType types)
{
  GstMessage *message = gst_bus_timed_pop_filtered (duel->bus, PATIENCE, types);

  g_assert_nonnull (message);
  return message;
}

gchar *
duel_wait_text (Duel * duel, GstMessageType type)
{
  return message_text (duel_wait (duel, type));
}

GstStructure *
duel_wait_report (Duel * duel, const gchar * type)
{
  for (;;) {
    GstMessage *message = duel_wait (duel, GST_MESSAGE_ELEMENT);
    const GstStructure *s = gst_message_get_structure (message);
    GstStructure *found = gst_structure_has_name (s, "blockdct-compare")
        && g_strcmp0 (gst_structure_get_string (s, "type"), type) == 0
        ? gst_structure_copy (s) : NULL;

    gst_message_unref (message);
    if (found != NULL)
      return found;
  }
}

void
duel_push_both (Duel * duel, GstEvent * event)
{
  for (guint i = 0; i < 2; i++)
    gst_pad_push_event (duel->feeder[i], gst_event_ref (event));
  gst_event_unref (event);
}

void
duel_begin (Duel * duel, const GstVideoInfo * info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps ((GstVideoInfo *) info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  duel_push_both (duel, gst_event_new_stream_start ("stream"));
  duel_push_both (duel, gst_event_new_caps (caps));
  duel_push_both (duel, gst_event_new_segment (&segment));
}

void
duel_feed (Duel * duel, GstVideoInfo * info, gint size,
    const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("blockdctcompare name=compare "
      "backend=%s %s ! appsink name=out sync=false", test_backend (),
      properties);

  duel_launch (duel, line);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstPad) peer = gst_element_get_static_pad (duel->element,
        pads[i]);
    GstPad *pad = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));

    g_assert_true (gst_pad_set_active (pad, TRUE));
    g_assert_cmpint (gst_pad_link (pad, peer), ==, GST_PAD_LINK_OK);
    duel->feeder[i] = pad;
  }
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  video_info (info, "I420", size, size);
  duel_begin (duel, info);
}

void
duel_flush (Duel * duel)
{
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  duel_push_both (duel, start);
  duel_push_both (duel, stop);
}
