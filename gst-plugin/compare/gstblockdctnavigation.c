/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events arrive in any thread, with coordinates in samples of this frame, as
 * sinks and scaling elements convert them. */
#include "gstblockdctnavigation.h"

#include <gst/video/navigation.h>
#include <string.h>
#include "gst-plugin/common/gstblockdctparam.h"
#include "gstblockdctcompareprivate.h"

#define get_int gst_blockdct_param_get_int
#define is_click gst_blockdct_navigation_is_click

/* The view that the properties describe. */
static BdctView
get_view (GstElement * element)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  gint mode;

  g_object_get (element, "view", &mode, "wipe-position", &view.position,
      "zoom", &view.zoom, "zoom-x", &view.zoom_x, "zoom-y", &view.zoom_y, NULL);
  view.mode = mode;
  return view;
}

static void
set_zoom (GstElement * element, const BdctView * view)
{
  g_object_set (element, "zoom", view->zoom, "zoom-x", view->zoom_x, "zoom-y",
      view->zoom_y, NULL);
}

static BdctLayout
get_layout (const GstBlockDctNavigation * now)
{
  return (BdctLayout) {
    .size = sizeof (BdctLayout),.n_planes = 1,.plane[0] = {.width =
          now->width,.height = now->height }
  };
}

/* The next higher or lower zoom from any value. Whole numbers, so that all
 * samples have the same size. */
static gdouble
next_zoom (gdouble zoom, gint by)
{
  static const gint zooms[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
  gint i = by > 0 ? 0 : G_N_ELEMENTS (zooms) - 1;

  while (by > 0 ? i + 1 < (gint) G_N_ELEMENTS (zooms) && zooms[i] <= zoom
      : i > 0 && zooms[i] >= zoom)
    i += by;
  return zooms[i];
}

/* Zoom in or out; the sample at (x, y) of the view stays there as far as the
 * edges allow. */
static void
zoom_at (GstElement * element, const GstBlockDctNavigation * now, gint by,
    gdouble x, gdouble y)
{
  const BdctLayout layout = get_layout (now);
  BdctView view = get_view (element);

  bdct_view_zoom_at (&view, &layout, next_zoom (view.zoom, by), x, y);
  set_zoom (element, &view);
}

/* Keys */

/* Zoom at the centre; 0: show the whole picture. */
static void
zoom (GstBlockDctNavigation * self, GstElement * element, gint by)
{
  const BdctView whole = BDCT_VIEW_DEFAULT;
  GstBlockDctNavigation now;

  g_mutex_lock (&self->lock);
  now = *self;
  g_mutex_unlock (&self->lock);
  if (now.width > 0 && by == 0)
    set_zoom (element, &whole);
  else if (now.width > 0)
    zoom_at (element, &now, by, now.width / 2.0, now.height / 2.0);
}

static void
next_view (GstBlockDctNavigation * self, GstElement * element, gint unused)
{
  const GEnumClass *views = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), "view"))->enum_class;
  const gint view = get_int (element, "view");
  guint i = 0;

  while (views->values[i].value != view)
    i++;
  g_object_set (element, "view",
      views->values[(i + 1) % views->n_values].value, NULL);
}

/* The next input that exists: the reference, then the distorted ones. */
static gint
next_input (GstElement * element, gint input)
{
  while (++input < BDCT_MAX_DISTORTED) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (element,
        gst_blockdct_compare_pad_names[input]);

    if (pad != NULL)
      return input;
  }
  return GST_BLOCKDCT_COMPARE_REFERENCE;
}

static void
next_pair (GstBlockDctNavigation * self, GstElement * element, gint unused)
{
  gint left = get_int (element, "left"), right = get_int (element, "right");

  do {
    right = next_input (element, right);
    if (right == GST_BLOCKDCT_COMPARE_REFERENCE)
      left = next_input (element, left);
  } while (left >= right);
  g_object_set (element, "left", left, "right", right, NULL);
}

static void
swap_sides (GstBlockDctNavigation * self, GstElement * element, gint unused)
{
  g_object_set (element, "left", get_int (element, "right"), "right",
      get_int (element, "left"), NULL);
}

/* Show the left picture alone, or return to the view. */
static void
toggle_left (GstBlockDctNavigation * self, GstElement * element, gint unused)
{
  gint view = get_int (element, "view"), right = get_int (element, "right");
  const gint left = get_int (element, "left");

  g_mutex_lock (&self->lock);
  if (view == GST_BLOCKDCT_COMPARE_SINGLE && right == left) {
    view = self->before[0];
    right = self->before[1];
  } else {
    self->before[0] = view;
    self->before[1] = right;
    view = GST_BLOCKDCT_COMPARE_SINGLE;
    right = left;
  }
  g_mutex_unlock (&self->lock);
  g_object_set (element, "view", view, "right", right, NULL);
}

/* By their names; gtksink sends a key's character. */
static const struct
{
  const gchar *name;
  void (*func) (GstBlockDctNavigation * self, GstElement * element, gint by);
  gint by;
} keys[] = {
  {"v", next_view, 0}, {"c", next_pair, 0}, {"x", swap_sides, 0},
  {"space", toggle_left, 0}, {" ", toggle_left, 0},
  {"plus", zoom, 1}, {"+", zoom, 1}, {"equal", zoom, 1}, {"=", zoom, 1},
  {"KP_Add", zoom, 1}, {"minus", zoom, -1}, {"-", zoom, -1},
  {"KP_Subtract", zoom, -1}, {"0", zoom, 0}, {"KP_0", zoom, 0},
};

static gboolean
handle_key (GstBlockDctNavigation * self, GstElement * element,
    GstEvent * event, gboolean press)
{
  const gchar *key;

  if (!gst_navigation_event_parse_key_event (event, &key) || key == NULL
      || gst_blockdct_navigation_has_modifier (event))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (key, keys[i].name) == 0) {
      if (press)
        keys[i].func (self, element, keys[i].by);
      return TRUE;
    }
  return FALSE;
}

/* The pointer */

/* A drag begins: the wipe's line can be dragged at any zoom. Called with the
 * lock. */
static void
start_drag (GstBlockDctNavigation * self, const BdctView * view, gdouble x,
    gdouble y)
{
  self->pressed = TRUE;
  self->dragging = FALSE;
  self->x = x;
  self->y = y;
  /* The zoom has steps of 1/256: less than half a step is none. */
  self->pans = view->zoom >= 1 + 1 / 512.0 && (view->mode != BDCT_VIEW_WIPE
      || !is_click (self->width, view->position * self->width, 0, x, 0));
  self->zoom_x = view->zoom_x;
  self->zoom_y = view->zoom_y;
}

static void
drag (const GstBlockDctNavigation * now, GstElement * element, BdctView * view,
    gdouble x, gdouble y)
{
  const BdctLayout layout = get_layout (now);

  if (!now->pans) {
    g_object_set (element, "wipe-position", view->mode == BDCT_VIEW_STACKED
        ? MIN (y / MAX (now->height - 1, 1), 1)
        : MIN (x / MAX (now->width - 1, 1), 1), NULL);
    return;
  }
  view->zoom_x = now->zoom_x;
  view->zoom_y = now->zoom_y;
  bdct_view_pan (view, &layout, now->x - x, now->y - y);
  set_zoom (element, view);
}

/* A button that was pressed here is released here, wherever the pointer is. */
static gboolean
release (GstBlockDctNavigation * self)
{
  gboolean pressed;

  g_mutex_lock (&self->lock);
  pressed = self->pressed;
  self->pressed = self->dragging = FALSE;
  g_mutex_unlock (&self->lock);
  return pressed;
}

static gboolean
handle_pointer (GstBlockDctNavigation * self, GstElement * element,
    GstNavigationEventType type, gint button, gdouble x, gdouble y, gint steps)
{
  BdctView view = get_view (element);
  GstBlockDctNavigation now;
  gboolean inside;

  g_mutex_lock (&self->lock);
  inside = x >= 0 && y >= 0 && x < self->width && y < self->height;
  if (inside && type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS
      && button == 1) {
    start_drag (self, &view, x, y);
  } else if (inside && type == GST_NAVIGATION_EVENT_MOUSE_MOVE) {
    self->dragging |= self->pressed
        && !is_click (self->width, self->x, self->y, x, y);
  }
  now = *self;
  g_mutex_unlock (&self->lock);
  if (!inside)
    return FALSE;
  if (steps != 0)
    zoom_at (element, &now, steps, x, y);
  if (type != GST_NAVIGATION_EVENT_MOUSE_MOVE)
    return button == 1 || button == 4 || button == 5 || steps != 0;
  if (now.dragging)
    drag (&now, element, &view, x, y);
  return now.pressed;
}

void
gst_blockdct_navigation_set_size (GstBlockDctNavigation * self, gint width,
    gint height)
{
  g_mutex_lock (&self->lock);
  self->width = width;
  self->height = height;
  if (width == 0)
    self->pressed = self->dragging = FALSE;
  g_mutex_unlock (&self->lock);
}

gboolean
gst_blockdct_navigation_has_modifier (GstEvent * event)
{
  GstNavigationModifierType state = 0;

  return gst_navigation_event_parse_modifier_state (event, &state)
      && (state & (GST_NAVIGATION_MODIFIER_CONTROL_MASK
          | GST_NAVIGATION_MODIFIER_MOD1_MASK
          | GST_NAVIGATION_MODIFIER_META_MASK
          | GST_NAVIGATION_MODIFIER_SUPER_MASK)) != 0;
}

gint
gst_blockdct_navigation_get_steps (GstEvent * event)
{
  const GstNavigationEventType type = gst_navigation_event_get_type (event);
  gdouble dy = 0;
  gint button = 0;

  if (type == GST_NAVIGATION_EVENT_MOUSE_SCROLL)
    gst_navigation_event_parse_mouse_scroll_event (event, NULL, NULL, NULL,
        &dy);
  /* X11 sinks send a wheel as buttons 4 (up) and 5. */
  if (type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS)
    gst_navigation_event_parse_mouse_button_event (event, &button, NULL, NULL);
  return (dy > 0 || button == 4) - (dy < 0 || button == 5);
}

gboolean
gst_blockdct_navigation_event (GstBlockDctNavigation * self,
    GstElement * element, GstEvent * event)
{
  const GstNavigationEventType type = gst_navigation_event_get_type (event);
  const gint steps = gst_blockdct_navigation_get_steps (event);
  gdouble x, y;
  gint button = 0;

  if (!get_int (element, "interactive"))
    return FALSE;
  if (type == GST_NAVIGATION_EVENT_KEY_PRESS
      || type == GST_NAVIGATION_EVENT_KEY_RELEASE)
    return handle_key (self, element, event,
        type == GST_NAVIGATION_EVENT_KEY_PRESS);
  if (type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS
      || type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE)
    gst_navigation_event_parse_mouse_button_event (event, &button, NULL, NULL);
  if (type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE && button == 1)
    return release (self);
  return (button > 0 || steps != 0 || type == GST_NAVIGATION_EVENT_MOUSE_MOVE)
      /* GStreamer 1.22 finds no coordinates of a wheel. */
      && (type == GST_NAVIGATION_EVENT_MOUSE_SCROLL
      ? gst_navigation_event_parse_mouse_scroll_event (event, &x, &y, NULL,
          NULL) : gst_navigation_event_get_coordinates (event, &x, &y))
      && handle_pointer (self, element, type, button, x, y, steps);
}
