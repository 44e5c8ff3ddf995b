/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viewer.h"

GstEvent *
viewer_key (const gchar * name)
{
  return gst_navigation_event_new_key_press (name, 0);
}

GstEvent *
viewer_button (gboolean press, gdouble x, gdouble y)
{
  return press ? gst_navigation_event_new_mouse_button_press (1, x, y, 0)
      : gst_navigation_event_new_mouse_button_release (1, x, y, 0);
}

GstEvent *
viewer_move (gdouble x, gdouble y)
{
  return gst_navigation_event_new_mouse_move (x, y, 0);
}

GstEvent *
viewer_wheel (gdouble x, gdouble y, gdouble by)
{
  return gst_navigation_event_new_mouse_scroll (x, y, 0, by, 0);
}

/* An event on its way. */
typedef struct
{
  gchar *text;                  /* with which a place that is no number equals
                                   itself */
  guint passed;
} Sent;

static GstPadProbeReturn
on_upstream (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Sent *sent = data;
  gchar *text;

  (void) pad;
  if (GST_EVENT_TYPE (event) != GST_EVENT_NAVIGATION)
    return GST_PAD_PROBE_OK;
  text = gst_structure_to_string (gst_event_get_structure (event));
  g_assert_cmpstr (text, ==, sent->text);
  g_free (text);
  sent->passed++;
  gst_event_unref (event);
  return GST_PAD_PROBE_HANDLED;
}

gboolean
viewer_send (GstElement * element, GstEvent * event)
{
  GstPad *src = gst_element_get_static_pad (element, "src");
  GstPad *sink = gst_element_get_static_pad (element, "ref_sink");
  Sent sent = { gst_structure_to_string (gst_event_get_structure (event)), 0 };
  gulong probe;

  if (sink == NULL)
    sink = gst_element_get_static_pad (element, "sink");
  probe = gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      on_upstream, &sent, NULL);
  gst_pad_send_event (src, event);
  gst_pad_remove_probe (sink, probe);
  g_assert_cmpuint (sent.passed, <=, 1);
  g_free (sent.text);
  gst_object_unref (src);
  gst_object_unref (sink);
  return sent.passed == 1;
}

void
viewer_drag (GstElement * element, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1)
{
  viewer_send (element, viewer_button (TRUE, x0, y0));
  viewer_send (element, viewer_move ((x0 + x1) / 2, (y0 + y1) / 2));
  viewer_send (element, viewer_move (x1, y1));
  viewer_send (element, viewer_button (FALSE, x1, y1));
}

void
viewer_assert (GstElement * element, const gchar * name, const gchar * value)
{
  viewer_assert_all (element, &name, 1, value);
}

void
viewer_assert_all (GstElement * element, const gchar * const *names, guint n,
    const gchar * values)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;
    g_autofree gchar *v;

    g_object_get_property (G_OBJECT (element), names[i], &value);
    v = gst_value_serialize (&value);
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", v);
    g_value_unset (&value);
  }
  g_assert_cmpstr (text->str, ==, values);
  g_string_free (text, TRUE);
}

static void
on_notify (GObject * object, GParamSpec * pspec, guint * n)
{
  (void) object, (void) pspec;
  ++*n;
}

void
viewer_count (GstElement * element, const gchar * property, guint * n)
{
  g_autofree gchar *signal = property == NULL ? g_strdup ("notify")
      : g_strconcat ("notify::", property, NULL);

  g_signal_connect (element, signal, G_CALLBACK (on_notify), n);
}

/* Text */

static GstPadProbeReturn
on_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  (void) pad, (void) data;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

void
viewer_attach (Duel * duel)
{
  GstPad *pad = gst_element_get_static_pad (duel->sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, on_query, NULL, NULL);
  gst_object_unref (pad);
}

GstVideoOverlayComposition *
viewer_get_attached (GstBuffer * buffer)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);

  return meta == NULL ? NULL : meta->overlay;
}
