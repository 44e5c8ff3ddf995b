/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes as what a viewer of blockdctpreview does: three a time, from a byte
 * below 32 on, are an event as a sink makes it; what is left is one written as
 * text. The bin takes some events, blockdctcompare in it others. */
#include "target.h"

#include <string.h>

static gdouble
place (uint8_t byte)
{
  return byte == 255 ? 1e300 : byte == 254 ? -1 : byte / 3.0;
}

static GstEvent *
make_event (const uint8_t * data)
{
  static const gchar *const keys[] = { "Up", "Down", "Left", "Right", "v", "g",
    "space", "x", "b", "c", "f", "m", "plus", "minus", "0", "q"
  };
  gdouble x = place (data[1]), y = place (data[2]);

  switch (data[0] % 5) {
    case 0:
      return gst_navigation_event_new_key_press (keys[data[1] % 16], data[2]);
    case 1:
      return gst_navigation_event_new_mouse_button_press (data[0] / 5, x, y, 0);
    case 2:
      return gst_navigation_event_new_mouse_button_release (data[0] / 5, x, y,
          0);
    case 3:
      return gst_navigation_event_new_mouse_move (x, y, 0);
    default:
      return gst_navigation_event_new_mouse_scroll (x, y, 0, data[0] - 16, 0);
  }
}

static void
send (Target * target, GstEvent * event)
{
  gst_harness_push_upstream_event (target->harness, event);
}

/* A frame comes out: that which waits for a new B with the next. */
static void
push (Target * target, const GstVideoInfo * info, guint8 content)
{
  const guint before = gst_harness_buffers_received (target->harness);

  /* The driver's limit of time is there for what hangs. */
  while (gst_harness_buffers_received (target->harness) == before) {
    if (target_push (target, info, content) != GST_FLOW_OK)
      g_error ("a frame was refused");
    for (guint i = 0; i < 10
        && gst_harness_buffers_received (target->harness) == before; i++)
      g_usleep (100);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Target *target = target_get ("blockdctpreview");
  GstStructure *s;
  GstVideoInfo info;
  GstCaps *caps;
  gchar *text;

  gst_child_proxy_set (GST_CHILD_PROXY (target->element),
      "compare::interactive", TRUE, NULL);
  caps = gst_caps_from_string ("video/x-raw,format=I420,width=50,height=40,"
      "framerate=25/1");
  gst_video_info_from_caps (&info, caps);
  if (!target_set_caps (target, caps))
    g_error ("caps were refused");
  gst_caps_unref (caps);
  push (target, &info, 33);
  for (; size >= 3 && data[0] < 32; data += 3, size -= 3)
    send (target, make_event (data));
  text = g_strndup ((const gchar *) data, size);
  /* GStreamer warns of text it cannot read, and of events without their
   * fields. */
  target->quiet = TRUE;
  s = target_can_read (GST_TYPE_STRUCTURE, text)
      ? gst_structure_from_string (text, NULL) : NULL;
  g_free (text);
  if (s != NULL) {
    gst_structure_set_name (s, "application/x-gst-navigation");
    send (target, gst_event_new_navigation (s));
  }
  target->quiet = FALSE;
  push (target, &info, 66);
  return 0;
}
