/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "target.h"

#include <stdlib.h>
#include <string.h>

/* Of LeakSanitizer, if the program has it. */
void __lsan_disable (void) __attribute__((weak));
void __lsan_enable (void) __attribute__((weak));

static void
on_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer target)
{
  if (!(level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING
              | G_LOG_LEVEL_ERROR))
      || ((Target *) target)->quiet)
    return;
  g_printerr ("%s: %s\n", domain ? domain : "", message);
  abort ();
}

static GstFlowReturn
on_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Target *target = gst_pad_get_element_private (pad);

  (void) parent;
  g_atomic_int_inc (&target->frames);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Any caps are taken. */
static gboolean
on_query (GstPad * pad, GstObject * parent, GstQuery * query)
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

static gboolean
on_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  (void) pad, (void) parent;
  gst_event_unref (event);
  return TRUE;
}

static GstBusSyncReply
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  (void) bus, (void) data;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* One thread does all. A bin is set by its children. */
static void
set_up (GstElement * element)
{
  static const gchar *const names[] = { "a", "b", "compare" };

  if (!GST_IS_BIN (element)) {
    gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
    g_object_set (element, "threads", 1, NULL);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *child = gst_bin_get_by_name (GST_BIN (element), names[i]);

    if (child != NULL)
      set_up (child);
    gst_clear_object (&child);
  }
}

/* A pad of ours at a pad of the element. */
static GstPad *
add_pad (Target * target, const gchar * name)
{
  GstPad *other = gst_element_get_static_pad (target->element, name);
  const gboolean src = GST_PAD_IS_SINK (other);
  GstPad *pad = gst_pad_new (NULL, src ? GST_PAD_SRC : GST_PAD_SINK);

  gst_pad_set_element_private (pad, target);
  if (src)
    gst_pad_set_event_function (pad, on_event);
  else
    gst_pad_set_chain_function (pad, on_buffer);
  gst_pad_set_query_function (pad, on_query);
  if (gst_pad_link (src ? pad : other, src ? other : pad) != GST_PAD_LINK_OK)
    g_error ("pads cannot be linked");
  gst_pad_set_active (pad, TRUE);
  gst_object_unref (other);
  return pad;
}

Target *
target_get (const gchar * factory)
{
  static Target target;
  GstPlugin *core;
  GstBus *bus;

  if (target.element != NULL)
    return &target;
  gst_init (NULL, NULL);
  g_log_set_default_handler (on_log, &target);
  /* The bin has some of its elements, which the path of plugins leaves out. */
  core = gst_plugin_load_file (CORE_ELEMENTS, NULL);
  gst_clear_object (&core);
  target.element = gst_element_factory_make (factory, NULL);
  if (target.element == NULL)
    g_error ("No element '%s': set GST_PLUGIN_PATH_1_0 to its folder", factory);
  set_up (target.element);
  bus = gst_bus_new ();
  gst_bus_set_sync_handler (bus, on_message, NULL, NULL);
  gst_element_set_bus (target.element, bus);
  gst_object_unref (bus);
  target.src = add_pad (&target, "sink");
  target.sink = add_pad (&target, "src");
  gst_element_set_state (target.element, GST_STATE_PLAYING);
  return &target;
}

gboolean
target_set_caps (Target * target, GstCaps * caps)
{
  GstPad *pad = gst_pad_get_peer (target->src);
  GstSegment segment;
  gboolean ok;

  gst_pad_push_event (target->src, gst_event_new_stream_start ("fuzz"));
  /* Sent, not pushed: a pad keeps caps and says they were taken. */
  ok = gst_pad_send_event (pad, gst_event_new_caps (caps));
  gst_object_unref (pad);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (target->src, gst_event_new_segment (&segment));
  return ok;
}

gboolean
target_can_read (GType type, const gchar * text)
{
  GValue value = G_VALUE_INIT;
  gboolean ok;

  g_value_init (&value, type);
  if (__lsan_disable != NULL)
    __lsan_disable ();
  ok = gst_value_deserialize (&value, text);
  g_value_unset (&value);
  if (__lsan_enable != NULL)
    __lsan_enable ();
  return ok;
}

GstFlowReturn
target_push (Target * target, const GstVideoInfo * info, guint8 content)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);

  gst_buffer_memset (buffer, 0, content, info->size);
  GST_BUFFER_PTS (buffer) = 0;
  return gst_pad_push (target->src, buffer);
}
