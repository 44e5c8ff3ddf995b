/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compare handles the other keys. Every change goes through g_object_set(), as
 * an application's would. */
#include "gstblockdctpreviewkeys.h"

#include <gst/video/navigation.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/blockdct/gstblockdct.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/compare/gstblockdctnavigation.h"

#define get_int gst_blockdct_param_get_int

gboolean
gst_blockdct_preview_keys_is_own (GstElement * version)
{
  return version != NULL && GST_IS_BLOCKDCT (version);
}

/* Change a property by `by`, within its range. */
static void
turn (GstElement * element, const gchar * property, gint by)
{
  GParamSpecInt *range = G_PARAM_SPEC_INT (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), property));

  g_object_set (element, property, CLAMP (get_int (element, property) + by,
          range->minimum, range->maximum), NULL);
}

/* Make A finer by `by`. */
static void
turn_quality (GstElement * a, gint by)
{
  const gboolean has_qp =
      bdct_transform_info (get_int (a, "transform"))->has_qp;

  turn (a, has_qp ? "qp" : "quality", has_qp ? -by : by);
}

/* Choose A's next transform, cyclically. */
static void
turn_transform (GstElement * a, gint by)
{
  g_object_set (a, "transform", (get_int (a, "transform") + by
          + BDCT_N_TRANSFORMS) % BDCT_N_TRANSFORMS, NULL);
}

/* Show A and B. */
static void
show_both (GstElement * compare)
{
  g_signal_handlers_disconnect_by_func (compare, show_both, NULL);
  g_object_set (compare, "left", 0, "right", 1, NULL);
}

/* Make B what A is, and show both, as soon as compare has B's pad. */
static void
store_b (GstElement * preview, GstElement * a, GstElement * compare)
{
  g_autofree gchar *line =
      g_strdup_printf ("blockdct transform=%d quality=%d qp=%d",
      get_int (a, "transform"), get_int (a, "quality"), get_int (a, "qp"));
  g_autoptr (GstPad) pad = NULL;

  g_signal_connect (compare, "pad-added", G_CALLBACK (show_both), NULL);
  g_object_set (preview, "b", line, NULL);
  pad = gst_element_get_static_pad (compare, "dist_sink_1");
  if (pad != NULL)
    show_both (compare);
}

static void
swap (GstElement * a, GstElement * b)
{
  static const gchar *const settings[] = { "transform", "quality", "qp" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    const gint of_a = get_int (a, settings[i]);

    g_object_set (a, settings[i], get_int (b, settings[i]), NULL);
    g_object_set (b, settings[i], of_a, NULL);
  }
}

static gboolean
handle_key (const gchar * key, GstElement * preview, GstElement * a,
    GstElement * b, GstElement * compare)
{
  const gboolean both = gst_blockdct_preview_keys_is_own (b);

  if (g_str_equal (key, "Up") || g_str_equal (key, "Down")) {
    turn_quality (a, g_str_equal (key, "Up") ? 1 : -1);
  } else if (g_str_equal (key, "Right") || g_str_equal (key, "Left")) {
    turn_transform (a, g_str_equal (key, "Right") ? 1 : -1);
  } else if (g_str_equal (key, "b")) {
    store_b (preview, a, compare);
  } else if (g_str_equal (key, "x") && both) {
    swap (a, b);
  } else if (g_str_equal (key, "g")) {
    const gboolean grid = !get_int (a, "grid");

    g_object_set (a, "grid", grid, NULL);
    if (both)
      g_object_set (b, "grid", grid, NULL);
  } else {
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_blockdct_preview_keys_handle (GstEvent * event, GstElement * preview,
    GstElement * a, GstElement * b, GstElement * compare)
{
  const gint steps = gst_blockdct_navigation_get_steps (event);
  const gchar *key;

  /* Keys with modifiers are left to others, and the wheel to compare. */
  if (!gst_blockdct_preview_keys_is_own (a)
      || gst_blockdct_navigation_has_modifier (event))
    return FALSE;
  if (gst_navigation_event_get_type (event) == GST_NAVIGATION_EVENT_KEY_PRESS)
    return gst_navigation_event_parse_key_event (event, &key) && key != NULL
        && handle_key (key, preview, a, b, compare);
  if (steps != 0)
    turn_quality (a, steps);
  return steps != 0;
}
