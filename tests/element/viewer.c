/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viewer.h"

#include <stdio.h>
#include <string.h>

static GstEvent *
make_event (const gchar * what)
{
  const gchar *rest = strchr (what, ' ') + 1;
  const gint button = g_ascii_digit_value (rest[-2]);
  const GstNavigationModifierType modifier = g_str_has_prefix (what, "ctrl")
      ? GST_NAVIGATION_MODIFIER_CONTROL_MASK : g_str_has_prefix (what, "alt")
      ? GST_NAVIGATION_MODIFIER_MOD1_MASK : 0;
  gdouble x = 0, y = 0, by = 0;

  sscanf (rest, "%lf %lf %lf", &x, &y, &by);
  if (g_str_has_prefix (what, "press"))
    return gst_navigation_event_new_mouse_button_press (button, x, y, 0);
  if (g_str_has_prefix (what, "release"))
    return gst_navigation_event_new_mouse_button_release (button, x, y, 0);
  if (g_str_has_prefix (what, "move"))
    return gst_navigation_event_new_mouse_move (x, y, 0);
  if (g_str_has_prefix (what, "side"))
    return gst_navigation_event_new_mouse_scroll (x, y, by, 0, 0);
  if (strstr (what, "wheel ") != NULL)
    return gst_navigation_event_new_mouse_scroll (x, y, 0, by, modifier);
  return g_str_has_prefix (what, "up")
      ? gst_navigation_event_new_key_release (rest, 0)
      : gst_navigation_event_new_key_press (rest, modifier);
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
viewer_do (GstElement * element, const gchar * what)
{
  GstEvent *event = make_event (what);
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
viewer_expect (GstElement * element, const gchar * values)
{
  g_auto (GStrv) pairs = g_strsplit (values, " ", -1);

  for (guint i = 0; pairs[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (pairs[i], "=", 2);
    g_auto (GStrv) part = g_strsplit (pair[1], "/", 2);
    GValue value = G_VALUE_INIT;
    g_autofree gchar *text = NULL;

    if (GST_IS_CHILD_PROXY (element))
      gst_child_proxy_get_property (GST_CHILD_PROXY (element), pair[0], &value);
    else
      g_object_get_property (G_OBJECT (element), pair[0], &value);
    text = gst_value_serialize (&value);
    g_test_message ("%s: %s", pairs[i], text);
    if (G_VALUE_HOLDS_DOUBLE (&value))
      g_assert_cmpfloat_with_epsilon (g_value_get_double (&value),
          atof (part[0]) / (part[1] != NULL ? atof (part[1]) : 1), 1e-9);
    else
      g_assert_cmpstr (text, ==, pair[1]);
    g_value_unset (&value);
  }
}
