/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles the keys and the wheel of A, B and freeze; compare handles the
 * others. Every change goes through g_object_set(), as an application's
 * would. */
#include "keys.h"

#include <gst/video/navigation.h>
#include <string.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/compare/gstblockdctnavigation.h"
#include "encoder.h"

#define get_int gst_blockdct_param_get_int

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
turn_quality (GstBlockDctPage * self, gint by)
{
  const BdctTransform transform = get_int (self->a, "transform");
  const gboolean has_qp = bdct_transform_info (transform)->has_qp;

  turn (self->a, has_qp ? "qp" : "quality", has_qp ? -by : by);
}

/* Choose the next transform, cyclically. */
static void
turn_transform (GstBlockDctPage * self, gint by)
{
  g_object_set (self->a, "transform", (get_int (self->a, "transform") + by
          + BDCT_N_TRANSFORMS) % BDCT_N_TRANSFORMS, NULL);
}

static void
toggle_grid (GstBlockDctPage * self, gint unused)
{
  const gboolean grid = !get_int (self->a, "grid");

  (void) unused;
  g_object_set (self->a, "grid", grid, NULL);
  g_object_set (self->b, "grid", grid, NULL);
}

static void
toggle_freeze (GstBlockDctPage * self, gint unused)
{
  (void) unused;
  g_object_set (self, "freeze", !get_int (GST_ELEMENT (self), "freeze"), NULL);
}

/* The properties that A and B exchange. */
static const gchar *const settings[] = { "transform", "quality", "qp" };

/* Copy A's settings to B, and show both. */
static void
store_b (GstBlockDctPage * self, gint unused)
{
  (void) unused;
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    g_object_set (self->b, settings[i], get_int (self->a, settings[i]), NULL);
  g_object_set (self, "b-encoder", NULL, NULL);
  g_object_set (self->compare, "left", GST_BLOCKDCT_PAGE_A, "right",
      GST_BLOCKDCT_PAGE_B, NULL);
}

/* Not with an encoder, which has no settings for A. */
static void
swap (GstBlockDctPage * self, gint unused)
{
  gchar *line = gst_blockdct_page_encoder_get (self);
  const gboolean encodes = line != NULL;

  (void) unused;
  g_free (line);
  if (encodes)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    const gint of_a = get_int (self->a, settings[i]);

    g_object_set (self->a, settings[i], get_int (self->b, settings[i]), NULL);
    g_object_set (self->b, settings[i], of_a, NULL);
  }
}

static const struct
{
  const gchar *key;
  void (*func) (GstBlockDctPage * self, gint by);
  gint by;
} keys[] = {
  {"Up", turn_quality, 1},
  {"Down", turn_quality, -1},
  {"Right", turn_transform, 1},
  {"Left", turn_transform, -1},
  {"g", toggle_grid, 0},
  {"b", store_b, 0},
  {"x", swap, 0},
  {"f", toggle_freeze, 0},
};

static gboolean
handle_key (GstBlockDctPage * self, GstEvent * event, gboolean press)
{
  const gchar *key;

  if (!gst_navigation_event_parse_key_event (event, &key) || key == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (key, keys[i].key) == 0) {
      if (press)
        keys[i].func (self, keys[i].by);
      return TRUE;
    }
  return FALSE;
}

/* X11 sinks send a wheel as buttons 4 (up) and 5. */
static gboolean
handle_button (GstBlockDctPage * self, GstEvent * event, gboolean press)
{
  gdouble x, y;
  gint button;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || (button != 4 && button != 5))
    return FALSE;
  if (press)
    turn_quality (self, button == 4 ? 1 : -1);
  return TRUE;
}

static gboolean
handle_scroll (GstBlockDctPage * self, GstEvent * event)
{
  gdouble x, y, dx, dy;

  if (!gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, &dx, &dy)
      || dy == 0)
    return FALSE;
  turn_quality (self, dy > 0 ? 1 : -1);
  return TRUE;
}

gboolean
gst_blockdct_page_keys_handle (GstBlockDctPage * self, GstEvent * event)
{
  /* Keys with modifiers are left to others, and the wheel to compare. */
  if (gst_blockdct_navigation_has_modifier (event))
    return FALSE;
  switch (gst_navigation_event_get_type (event)) {
    case GST_NAVIGATION_EVENT_KEY_PRESS:
    case GST_NAVIGATION_EVENT_KEY_RELEASE:
      return handle_key (self, event, gst_navigation_event_get_type (event)
          == GST_NAVIGATION_EVENT_KEY_PRESS);
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
      return handle_button (self, event, gst_navigation_event_get_type (event)
          == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS);
    case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
      return handle_scroll (self, event);
    default:
      return FALSE;
  }
}
