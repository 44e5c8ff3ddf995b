/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin of a decoder that takes its time. What a file begins with says how:
 * "STALLS" hangs for ever, and cannot be stopped; "SLOW" sleeps for a second at
 * each buffer; "COMPUTES" makes nothing for twelve seconds at the end, and has
 * a processor for a fifth of them. The last two then make a picture. */
#include <gst/gst.h>
#include <string.h>
#include <time.h>

typedef struct
{
  GstElement element;
  GstPad *src;
  gboolean computes;
} Slow;

typedef GstElementClass SlowClass;

GType slow_get_type (void);
G_DEFINE_TYPE (Slow, slow, GST_TYPE_ELEMENT);

static GstFlowReturn
take_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  gchar head[9] = "";

  (void) pad;
  if (GST_BUFFER_OFFSET (buffer) == 0) {
    gst_buffer_extract (buffer, 0, head, sizeof head - 1);
    ((Slow *) parent)->computes = g_str_has_prefix (head, "COMPUTES");
  }
  gst_buffer_unref (buffer);
  while (g_str_has_prefix (head, "STALLS"))
    g_usleep (G_USEC_PER_SEC);
  if (!((Slow *) parent)->computes)
    g_usleep (G_USEC_PER_SEC);
  return GST_FLOW_OK;
}

static void
compute_now_and_then (void)
{
  const gint64 end = g_get_monotonic_time () + 12 * G_USEC_PER_SEC;

  while (g_get_monotonic_time () < end) {
    const clock_t start = clock ();

    while (clock () - start < CLOCKS_PER_SEC / 50)
      continue;
    g_usleep (G_USEC_PER_SEC * 4 / 50);
  }
}

static gboolean
take_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  Slow *slow = (Slow *) parent;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_unref (event);
    return gst_pad_push_event (slow->src,
        gst_event_new_caps (gst_caps_from_string ("video/x-raw, "
                "format=GRAY8, width=8, height=8, framerate=0/1, "
                "interlace-mode=progressive")));
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    if (slow->computes)
      compute_now_and_then ();
    gst_pad_push (slow->src, gst_buffer_new_wrapped (g_malloc0 (64), 64));
  }
  return gst_pad_event_default (pad, parent, event);
}

static GstStaticPadTemplate sinks = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-slow"));
static GstStaticPadTemplate srcs = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

static void
slow_init (Slow * slow)
{
  GstPad *sink = gst_pad_new_from_static_template (&sinks, "sink");

  slow->src = gst_pad_new_from_static_template (&srcs, "src");
  gst_pad_set_chain_function (sink, take_buffer);
  gst_pad_set_event_function (sink, take_event);
  gst_element_add_pad (GST_ELEMENT (slow), sink);
  gst_element_add_pad (GST_ELEMENT (slow), slow->src);
}

static void
slow_class_init (SlowClass * klass)
{
  gst_element_class_add_static_pad_template (klass, &sinks);
  gst_element_class_add_static_pad_template (klass, &srcs);
  gst_element_class_set_static_metadata (klass, "slow", "Codec/Decoder/Video",
      "takes its time", "gst-blockdct");
}

static void
find_type (GstTypeFind * find, gpointer data)
{
  const guint8 *head = gst_type_find_peek (find, 0, 8);

  (void) data;
  if (head != NULL && (memcmp (head, "STALLS", 6) == 0
          || memcmp (head, "SLOW", 4) == 0
          || memcmp (head, "COMPUTES", 8) == 0))
    gst_type_find_suggest_empty_simple (find, GST_TYPE_FIND_MAXIMUM,
        "video/x-slow");
}

static gboolean
init_plugin (GstPlugin * plugin)
{
  return gst_element_register (plugin, "slowdec", GST_RANK_PRIMARY,
      slow_get_type ())
      && gst_type_find_register (plugin, "video/x-slow", GST_RANK_PRIMARY,
      find_type, NULL, NULL, NULL, NULL);
}

#define PACKAGE "gst-blockdct"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, stalls,
    "a decoder that takes its time", init_plugin, "0", "LGPL", PACKAGE,
    "https://example.org")
