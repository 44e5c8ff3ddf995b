/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ends.h"

GstElement *
ends_make (const gchar * factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    g_error ("No element '%s': set GST_PLUGIN_PATH_1_0 to its folder", factory);
  return gst_object_ref_sink (element);
}

void
ends_set_backend (gpointer element, const gchar * backend)
{
  gst_util_set_object_arg (element, "backend", backend);
  g_object_set (element, "threads", 1, NULL);
}

GstPad *
ends_link (GstPad * other, gpointer owner, GstPadChainFunction chain,
    GstPadEventFunction event, GstPadQueryFunction query)
{
  const gboolean src = GST_PAD_IS_SINK (other);
  GstPad *pad = gst_pad_new (NULL, src ? GST_PAD_SRC : GST_PAD_SINK);

  gst_object_ref_sink (pad);
  g_object_set_data (G_OBJECT (pad), "owner", owner);
  if (!src)
    gst_pad_set_chain_function (pad, chain);
  if (event != NULL)
    gst_pad_set_event_function (pad, event);
  gst_pad_set_query_function (pad, query);
  if (gst_pad_link (src ? pad : other, src ? other : pad) != GST_PAD_LINK_OK)
    g_error ("pads cannot be linked");
  gst_pad_set_active (pad, TRUE);
  gst_object_unref (other);
  return pad;
}

gpointer
ends_owner (GstPad * pad)
{
  return g_object_get_data (G_OBJECT (pad), "owner");
}

gboolean
ends_take_all (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCaps *caps, *filter;

  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_set_accept_caps_result (query, TRUE);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_caps (query, &filter);
  caps = filter != NULL ? gst_caps_ref (filter) : gst_caps_new_any ();
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

gboolean
ends_answer (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      gst_query_set_latency (query, FALSE, 0, GST_CLOCK_TIME_NONE);
      return TRUE;
    case GST_QUERY_POSITION:
      gst_query_set_position (query, GST_FORMAT_TIME, 123456789);
      return TRUE;
    case GST_QUERY_CAPS:
      gst_query_set_caps_result (query, GST_CAPS_ANY);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

GstEvent *
ends_segment (void)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  return gst_event_new_segment (&segment);
}

Output *
output_new (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  Output *output = g_new0 (Output, 1);
  const GstSegment *segment;

  output->buffer = buffer;
  output->caps = gst_pad_get_current_caps (pad);
  output->time = GST_CLOCK_TIME_NONE;
  if (event != NULL) {
    gst_event_parse_segment (event, &segment);
    output->time = gst_segment_to_running_time (segment, segment->format,
        GST_BUFFER_PTS (buffer));
    gst_event_unref (event);
  }
  return output;
}

void
output_free (Output * output)
{
  gst_buffer_unref (output->buffer);
  gst_clear_caps (&output->caps);
  g_free (output);
}
