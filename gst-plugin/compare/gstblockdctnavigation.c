/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events arrive in any thread, with coordinates in samples of this frame, as
 * sinks and scaling elements convert them. Every change goes through
 * g_object_set(), as an application's would. */
#include "gstblockdctnavigation.h"
#include <gst/video/navigation.h>
#include <math.h>
#include <string.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctparam.h"
#include "gstblockdctzoom.h"

#define get_int gst_blockdct_param_get_int

/* gtksink sends a key's character, other sinks its name. */
static gboolean
is_space (const gchar * key)
{
  return strcmp (key, "space") == 0 || strcmp (key, " ") == 0;
}

static void
get_size (GstBlockDctNavigation * navigation, gint * width, gint * height)
{
  g_mutex_lock (&navigation->lock);
  *width = navigation->width;
  *height = navigation->height;
  g_mutex_unlock (&navigation->lock);
}

/* Zoom at the centre of the view. */
static void
zoom (GstBlockDctNavigation * navigation, GstElement * element, gint steps)
{
  gint width, height;

  get_size (navigation, &width, &height);
  if (width > 0)
    gst_blockdct_zoom_turn (element, width, height, steps, width / 2.0,
        height / 2.0);
}

/* Move the magnifier to the pointer; a picture without a size has none. */
static void
place_magnifier (GstBlockDctNavigation * navigation, GstElement * element,
    gboolean on)
{
  gdouble x, y;
  gint width, height;

  g_mutex_lock (&navigation->lock);
  width = MAX (navigation->width, 1);
  height = MAX (navigation->height, 1);
  x = (floor (navigation->x) + 0.5) / width;
  y = (floor (navigation->y) + 0.5) / height;
  g_mutex_unlock (&navigation->lock);
  g_object_set (element, "magnifier", on, "magnifier-x", CLAMP (x, 0, 1),
      "magnifier-y", CLAMP (y, 0, 1), NULL);
}

static gboolean
handle_key (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event, gboolean press)
{
  GstNavigationModifierType state = 0;
  const gchar *key;
  gint steps;

  if (!gst_navigation_event_parse_key_event (event, &key) || key == NULL)
    return FALSE;
  /* Keys with these modifiers are left to others. */
  if (gst_navigation_event_parse_modifier_state (event, &state)
      && (state & (GST_NAVIGATION_MODIFIER_CONTROL_MASK
              | GST_NAVIGATION_MODIFIER_MOD1_MASK
              | GST_NAVIGATION_MODIFIER_META_MASK
              | GST_NAVIGATION_MODIFIER_SUPER_MASK)))
    return FALSE;
  if (is_space (key)) {
    if (press)
      navigation->actions->space (navigation, element);
    return TRUE;
  }
  if (strcmp (key, "m") == 0) {
    if (press)
      place_magnifier (navigation, element, !get_int (element, "magnifier"));
    return TRUE;
  }
  if (gst_blockdct_zoom_find_key (key, &steps)) {
    if (press)
      zoom (navigation, element, steps);
    return TRUE;
  }
  for (guint i = 0; navigation->actions->keys[i].key != NULL; i++)
    if (strcmp (key, navigation->actions->keys[i].key) == 0) {
      if (press)
        navigation->actions->keys[i].func (element,
            navigation->actions->keys[i].by);
      return TRUE;
    }
  return FALSE;
}

/* The pointer */

/* Whether (x, y) is in the picture; `*width` and `*height` receive its size. */
static gboolean
is_inside (GstBlockDctNavigation * navigation, gdouble x, gdouble y,
    gint * width, gint * height)
{
  get_size (navigation, width, height);
  return x >= 0 && y >= 0 && x < *width && y < *height;
}

/* X11 sinks send a wheel as buttons 4 (up) and 5. */
static gboolean
handle_press (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event)
{
  GstBlockDctPointer pointer = {.pressed = TRUE };
  gint button, width, height;
  gdouble x, y;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || !is_inside (navigation, x, y, &width, &height))
    return FALSE;
  if (button == 4 || button == 5) {
    gst_blockdct_zoom_turn (element, width, height, button == 4 ? 1 : -1, x, y);
    return TRUE;
  }
  if (button != 1)
    return FALSE;
  pointer.x = x;
  pointer.y = y;
  pointer.pans = gst_blockdct_zoom_grabs (element, width, x);
  g_object_get (element, "zoom-x", &pointer.zoom_x, "zoom-y", &pointer.zoom_y,
      NULL);
  g_mutex_lock (&navigation->lock);
  navigation->pointer = pointer;
  g_mutex_unlock (&navigation->lock);
  return TRUE;
}

/* A button that was pressed here is released here, wherever the pointer is. */
static gboolean
handle_release (GstBlockDctNavigation * navigation, GstEvent * event)
{
  GstBlockDctPointer pointer;
  gint button, width, height;
  gdouble x, y;

  if (!gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || (button != 1 && button != 4 && button != 5))
    return FALSE;
  if (button != 1)
    return is_inside (navigation, x, y, &width, &height);
  g_mutex_lock (&navigation->lock);
  pointer = navigation->pointer;
  navigation->pointer.pressed = navigation->pointer.dragging = FALSE;
  g_mutex_unlock (&navigation->lock);
  return pointer.pressed;
}

static gboolean
handle_move (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event)
{
  GstBlockDctPointer *pointer = &navigation->pointer, now;
  gint width, height, magnifier;
  gdouble x, y;

  if (!gst_navigation_event_parse_mouse_move_event (event, &x, &y)
      || !is_inside (navigation, x, y, &width, &height))
    return FALSE;
  g_mutex_lock (&navigation->lock);
  if (pointer->pressed && !gst_blockdct_zoom_is_click (width, pointer->x,
          pointer->y, x, y))
    pointer->dragging = TRUE;
  now = *pointer;
  navigation->x = x;
  navigation->y = y;
  g_mutex_unlock (&navigation->lock);
  magnifier = get_int (element, "magnifier");
  if (magnifier)
    place_magnifier (navigation, element, TRUE);
  if (now.dragging && now.pans)
    gst_blockdct_zoom_drag (element, width, height, now.zoom_x, now.zoom_y,
        x - now.x, y - now.y);
  else if (now.dragging)
    g_object_set (element, "wipe-position",
        get_int (element, "view") == BDCT_VIEW_STACKED
        ? MIN (y / MAX (height - 1, 1), 1) : MIN (x / MAX (width - 1, 1), 1),
        NULL);
  return now.pressed || magnifier;
}

static gboolean
handle_scroll (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event)
{
  gdouble x, y, dx, dy;
  gint width, height;

  if (!gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, &dx, &dy)
      || dy == 0 || !is_inside (navigation, x, y, &width, &height))
    return FALSE;
  gst_blockdct_zoom_turn (element, width, height, dy > 0 ? 1 : -1, x, y);
  return TRUE;
}

void
gst_blockdct_navigation_init (GstBlockDctNavigation * navigation,
    const GstBlockDctActions * actions)
{
  navigation->actions = actions;
  g_mutex_init (&navigation->lock);
}

void
gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation)
{
  g_mutex_clear (&navigation->lock);
}

void
gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height)
{
  g_mutex_lock (&navigation->lock);
  navigation->width = width;
  navigation->height = height;
  if (width == 0)
    navigation->pointer.pressed = navigation->pointer.dragging = FALSE;
  g_mutex_unlock (&navigation->lock);
}

gboolean
gst_blockdct_navigation_event (GstBlockDctNavigation * navigation,
    GstElement * element, GstEvent * event)
{
  if (!get_int (element, "interactive"))
    return FALSE;
  switch (gst_navigation_event_get_type (event)) {
    case GST_NAVIGATION_EVENT_KEY_PRESS:
      return handle_key (navigation, element, event, TRUE);
    case GST_NAVIGATION_EVENT_KEY_RELEASE:
      return handle_key (navigation, element, event, FALSE);
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS:
      return handle_press (navigation, element, event);
    case GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
      return handle_release (navigation, event);
    case GST_NAVIGATION_EVENT_MOUSE_MOVE:
      return handle_move (navigation, element, event);
    case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
      return handle_scroll (navigation, element, event);
    default:
      return FALSE;
  }
}
