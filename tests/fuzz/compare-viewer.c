/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of somebody in front of blockdctcompare's picture: keys and the
 * pointer, and what they make of the properties. */
#include "compare.h"

#include <gst/video/navigation.h>
#include <math.h>
#include <string.h>

#define SINGLE BDCT_VIEW_RECONSTRUCTION

/* Properties */

Settings
settings_read (World * w)
{
  Settings s = w->settings;

  g_object_get (w->element, "metrics", &s.metrics, "view", &s.view, "left",
      &s.left, "right", &s.right, "offset", &s.offset, "min-psnr-error",
      &s.min_error, "min-psnr-warning", &s.min_warning, "wipe-position",
      &s.position, "difference-gain", &s.gain, "zoom", &s.zoom, "zoom-x",
      &s.zoom_x, "zoom-y", &s.zoom_y, "post-messages", &s.post, "overlay",
      &s.overlay, "interactive", &s.interactive, "interval", &s.interval, NULL);
  return s;
}

static gboolean
is_near (gdouble a, gdouble b)
{
  return fabs (a - b) < 1e-9;
}

/* Where zoomed to may be rounded otherwise, and is what is looked at. */
void
settings_check (World * w)
{
  const Settings now = settings_read (w), *s = &w->settings;

  check (now.metrics == s->metrics && now.view == s->view
      && now.left == s->left && now.right == s->right
      && now.offset == s->offset && now.post == s->post
      && now.interval == s->interval && now.min_error == s->min_error
      && now.min_warning == s->min_warning, "view %d of %d and %d, metrics "
      "%d, post-messages %d, not %d of %d and %d, %d, %d", now.view, now.left,
      now.right, now.metrics, now.post, s->view, s->left, s->right, s->metrics,
      s->post);
  check (now.overlay == s->overlay && now.interactive == s->interactive,
      "overlay %d, interactive %d, not %d, %d", now.overlay, now.interactive,
      s->overlay, s->interactive);
  check (now.zoom == s->zoom && is_near (now.zoom_x, s->zoom_x)
      && is_near (now.zoom_y, s->zoom_y) && is_near (now.position, s->position)
      && now.gain == s->gain, "zoom %g at %.12g, %.12g, position %g, not %g at "
      "%.12g, %.12g, %g", now.zoom, now.zoom_x, now.zoom_y, now.position,
      s->zoom, s->zoom_x, s->zoom_y, s->position);
  w->settings = now;
}

/* Events. `taken`: 1: it may not pass, 0: it has to, -1: either. */
static void
send (World * w, GstEvent * event, gint taken)
{
  doing ("a navigation event");
  w->nav_passed = FALSE;
  gst_pad_push_event (w->sink, event);
  check (taken < 0 || w->nav_passed == !taken, "a navigation event was %s",
      taken ? "passed on" : "not passed on");
}

/* Keys */

static void
next_view (World * w)
{
  const GEnumClass *views = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (w->element), "view"))->enum_class;
  guint i = 0;

  while (views->values[i].value != w->settings.view)
    i++;
  w->settings.view = views->values[(i + 1) % views->n_values].value;
}

/* The reference, then the inputs that there are. */
static gint
next_input (const World * w, gint number)
{
  while (++number < N_DISTORTED)
    if (w->input[1 + number].pad != NULL)
      return number;
  return -1;
}

/* Each two that are in their order. */
static void
next_pair (World * w)
{
  Settings *s = &w->settings;

  do {
    s->right = next_input (w, s->right);
    if (s->right < 0)
      s->left = next_input (w, s->left);
  } while (s->left >= s->right);
}

/* The left one alone, and back. */
static void
turn_space (World * w)
{
  Settings *s = &w->settings;

  if (s->view == SINGLE && s->right == s->left) {
    s->view = w->space_view;
    s->right = w->space_right;
    return;
  }
  w->space_view = s->view;
  w->space_right = s->right;
  s->view = SINGLE;
  s->right = s->left;
}

/* Zooming */

/* A share of what is hidden, left of or above place `at` of the enlarged
 * picture. */
static void
set_share (gdouble * share, gint hidden, gdouble at)
{
  if (hidden > 0)
    *share = CLAMP (at / hidden, 0, 1);
}

/* In or out by a step; 0: all of it is seen. What is at (x, y) stays there. */
static void
turn_zoom (World * w, gint by, gdouble x, gdouble y)
{
  static const gint zooms[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
  Settings *s = &w->settings;
  const Settings old = *s;
  gint at_x = x, at_y = y;

  s->zoom = by > 0 ? 16 : 1;
  if (by == 0) {
    s->zoom_x = s->zoom_y = 0.5;
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    if (by > 0 ? zooms[i] > old.zoom && zooms[i] < s->zoom
        : zooms[i] < old.zoom)
      s->zoom = zooms[i];
  /* In a half, as it would be at 1:1. */
  view_locate (&old, w->width, w->height, &at_x, &at_y);
  x += at_x - (gint) x;
  y += at_y - (gint) y;
  set_share (&s->zoom_x, view_hidden (s, w->width), (x + round (old.zoom_x
              * view_hidden (&old, w->width))) / view_zoom (&old)
      * view_zoom (s) - x);
  set_share (&s->zoom_y, view_hidden (s, w->height), (y + round (old.zoom_y
              * view_hidden (&old, w->height))) / view_zoom (&old)
      * view_zoom (s) - y);
}

/* Before there is a picture nothing is zoomed. */
static void
zoom_by_key (World * w, gint by)
{
  if (w->width > 0)
    turn_zoom (w, by, w->width / 2.0, w->height / 2.0);
}

static void
run_key (World * w, const gint64 * arg)
{
  static const gchar *const keys[] = { "v", "c", "x", "space", "plus",
    "KP_Add", "minus", "-", "0", "Left", "b", "q", "", "V", "m"
  };
  static const gint zooms[] = { 1, 1, -1, -1, 0 };
  static const guint modifiers[] = { 0, 0, 0,
    GST_NAVIGATION_MODIFIER_SHIFT_MASK, GST_NAVIGATION_MODIFIER_CONTROL_MASK,
    GST_NAVIGATION_MODIFIER_MOD1_MASK
  };
  Settings *s = &w->settings;
  const gboolean mine = s->interactive && arg[0] < 9 && arg[1] < 4;
  gint old;

  if (!w->playing || w->width < 0)
    return;
  send (w, arg[2] ? gst_navigation_event_new_key_release (keys[arg[0]],
          modifiers[arg[1]])
      : gst_navigation_event_new_key_press (keys[arg[0]], modifiers[arg[1]]),
      mine);
  switch (mine && !arg[2] ? arg[0] : -1) {
    case -1:
      break;
    case 0:
      next_view (w);
      break;
    case 1:
      next_pair (w);
      break;
    case 2:
      old = s->left;
      s->left = s->right;
      s->right = old;
      break;
    case 3:
      turn_space (w);
      break;
    default:
      zoom_by_key (w, zooms[arg[0] - 4]);
      break;
  }
  settings_check (w);
}

/* The pointer */

/* Where it may be, in and around the picture. */
static gdouble
place (gint size, gint64 n)
{
  switch (n) {
    case 0:
      return -1;
    case 1:
      return size;
    case 2:
      return size - 0.25;
    case 3:
      return NAN;
    case 4:
      return 1e300;
    default:
      return n % 2 ? size * (n - 5) / 95.0 : floor (size * (n - 5) / 96.0);
  }
}

static gboolean
inside (const World * w, gdouble x, gdouble y)
{
  return x >= 0 && y >= 0 && x < w->width && y < w->height;
}

/* As a wheel, or as its buttons. */
static void
run_scroll (World * w, const gint64 * arg)
{
  gdouble x = place (w->width, arg[0]), y = place (w->height, arg[1]);
  gdouble by = arg[2] - 2;
  gboolean mine;

  if (!w->playing || w->width < 0)
    return;
  mine = w->settings.interactive && inside (w, x, y) && by != 0;
  if (arg[3] < 2)
    send (w, gst_navigation_event_new_mouse_scroll (x, y, 0, by,
            arg[3] ? GST_NAVIGATION_MODIFIER_CONTROL_MASK : 0), mine);
  else if (by != 0)
    send (w, gst_navigation_event_new_mouse_button_press (by > 0 ? 4 : 5, x, y,
            0), mine);
  if (mine)
    turn_zoom (w, by > 0 ? 1 : -1, x, y);
  settings_check (w);
}

static void
drag_picture (World * w, const Settings * old, gdouble dx, gdouble dy)
{
  Settings *s = &w->settings;
  const gint hidden_x = view_hidden (s, w->width);
  const gint hidden_y = view_hidden (s, w->height);

  s->zoom_x = old->zoom_x;
  s->zoom_y = old->zoom_y;
  set_share (&s->zoom_x, hidden_x, round (old->zoom_x * hidden_x) - dx);
  set_share (&s->zoom_y, hidden_y, round (old->zoom_y * hidden_y) - dy);
}

static void
drag_line (World * w, gdouble x, gdouble y)
{
  w->settings.position = w->settings.view == BDCT_VIEW_STACKED
      ? MIN (y / MAX (w->height - 1, 1), 1)
      : MIN (x / MAX (w->width - 1, 1), 1);
}

/* Down, along, and up. */
static void
run_drag (World * w, const gint64 * arg)
{
  Settings *s = &w->settings;
  const Settings old = *s;
  gboolean pressed, dragging = FALSE, pans;
  gdouble far, x[3], y[3];

  if (!w->playing || w->width < 0)
    return;
  far = MAX (3, w->width / 200);
  for (guint i = 0; i < 3; i++) {
    x[i] = place (w->width, arg[2 * i]);
    y[i] = place (w->height, arg[2 * i + 1]);
  }
  pressed = s->interactive && inside (w, x[0], y[0]);
  /* But the wipe's line is there at any zoom. */
  pans = view_zoom (s) > 1 && (s->view != BDCT_VIEW_WIPE
      || fabs (s->position * w->width - x[0]) >= far);
  send (w, gst_navigation_event_new_mouse_button_press (1, x[0], y[0], 0),
      pressed);
  for (guint i = 1; i < 3; i++) {
    const gboolean seen = s->interactive && inside (w, x[i], y[i]);

    send (w, gst_navigation_event_new_mouse_move (x[i], y[i], 0),
        seen && pressed);
    if (!seen)
      continue;
    dragging = pressed && (dragging || fabs (x[i] - x[0]) >= far
        || fabs (y[i] - y[0]) >= far);
    if (dragging && pans)
      drag_picture (w, &old, x[i] - x[0], y[i] - y[0]);
    else if (dragging)
      drag_line (w, x[i], y[i]);
    settings_check (w);
  }
  send (w, gst_navigation_event_new_mouse_button_release (1, x[2], y[2], 0),
      pressed);
  settings_check (w);
}

/* Events that are hardly any. */
static void
run_odd (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "key-press", "key-release",
    "mouse-button-press", "mouse-button-release", "mouse-move",
    "mouse-scroll", "touch-down", "command", "", "nothing"
  };
  GstStructure *s;

  if (!w->playing)
    return;
  s = gst_structure_new ("application/x-gst-navigation", "event",
      G_TYPE_STRING, names[arg[0]], NULL);
  if (arg[1] & 1)
    gst_structure_set (s, "button", G_TYPE_INT, (gint) arg[2] - 50, NULL);
  if (arg[1] & 2)
    gst_structure_set (s, "pointer_x", G_TYPE_DOUBLE, -INFINITY, NULL);
  if (arg[1] & 4)
    gst_structure_set (s, "key", G_TYPE_STRING, NULL, NULL);
  if (arg[1] & 8)
    gst_structure_set (s, "pointer_y", G_TYPE_INT, 1, NULL);
  if (arg[1] & 16)
    gst_structure_remove_field (s, "event");
  send (w, gst_event_new_navigation (s), 0);
  settings_check (w);
}

const Kind compare_viewer_kinds[] = {
  {"key", 50, run_key, {{"key", 0, 14}, {"modifier", 0, 5}, {"up", 0, 1}}},
  {"scroll", 15, run_scroll, {{"x", 0, 100}, {"y", 0, 100}, {"by", 0, 4},
          {"how", 0, 2}}},
  {"drag", 15, run_drag, {{"x0", 0, 100}, {"y0", 0, 100}, {"x1", 0, 100},
          {"y1", 0, 100}, {"x2", 0, 100}, {"y2", 0, 100}}},
  {"odd", 5, run_odd, {{"event", 0, 9}, {"fields", 0, 31},
          {"button", 0, 99}}},
  {.name = NULL}
};
