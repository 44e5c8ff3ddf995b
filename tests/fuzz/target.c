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

Target *
target_get (const gchar * factory)
{
  static Target target;
  GstPlugin *core;

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
  target.harness = gst_harness_new_with_element (target.element, "sink", "src");
  gst_harness_play (target.harness);
  return &target;
}

gboolean
target_set_caps (Target * target, GstCaps * caps)
{
  GstPad *src = target->harness->srcpad, *pad = gst_pad_get_peer (src);
  GstSegment segment;
  gboolean ok;

  gst_pad_push_event (src, gst_event_new_stream_start ("fuzz"));
  /* Sent, not pushed: a pad keeps caps and says they were taken. */
  ok = gst_pad_send_event (pad, gst_event_new_caps (caps));
  gst_object_unref (pad);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_segment (&segment));
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
  GstFlowReturn ret;

  gst_buffer_memset (buffer, 0, content, info->size);
  GST_BUFFER_PTS (buffer) = 0;
  ret = gst_harness_push (target->harness, buffer);
  while ((buffer = gst_harness_try_pull (target->harness)) != NULL)
    gst_buffer_unref (buffer);
  return ret;
}
