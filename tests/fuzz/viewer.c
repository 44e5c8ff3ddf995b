/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of somebody in front of the picture: keys and the pointer. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

static void
send (World * w, GstEvent * event)
{
  doing ("a navigation event");
  w->nav_passed = FALSE;
  gst_pad_push_event (w->sink, event);
}

/* What somebody may do at a place, in and around the picture. */
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
  return w->have_caps && w->playing && x >= 0 && y >= 0
      && x < w->info.width && y < w->info.height;
}

static void
turn (World * w, gint by)
{
  BdctParams *p = &w->model.wanted.params;

  if (p->transform >= BDCT_HEVC_DST_4X4)
    p->qp = CLAMP (p->qp - by, 0, 51);
  else
    p->quality = CLAMP (p->quality + by, 1, 100);
}

static void
turn_transform (World * w, gint by)
{
  BdctParams *p = &w->model.wanted.params;

  p->transform = (p->transform + BDCT_N_TRANSFORMS + by) % BDCT_N_TRANSFORMS;
}

static gint
next_view (const Choice * c)
{
  gint next = (c->view + 1) % BDCT_N_VIEWS;

  return next == BDCT_VIEW_RECONSTRUCTION_B && c->b == 0 ? next + 1 : next;
}

/* To the left picture, from there to the view before, or to the right one. */
static void
turn_space (World * w)
{
  static const gint views[] = { BDCT_VIEW_ORIGINAL, BDCT_VIEW_RECONSTRUCTION,
    BDCT_VIEW_RECONSTRUCTION_B
  };
  Choice *c = &w->model.wanted;

  if (c->view != views[c->left]) {
    w->left = c->view;
    c->view = views[c->left];
  } else {
    c->view = (gint) w->left != c->view ? (gint) w->left
        : views[c->right];
  }
}

/* B becomes A, they change places, and the next pair. */
static void
turn_second (Choice * c, gint key)
{
  const Choice old = *c;

  if (key == 9) {
    const gboolean first = c->left == BDCT_SIDE_ORIGINAL
        && c->right == BDCT_SIDE_A && c->b > 0;
    const gboolean between = c->left == BDCT_SIDE_A
        && c->right == BDCT_SIDE_B && c->b > 0;

    c->left = first ? BDCT_SIDE_A : BDCT_SIDE_ORIGINAL;
    c->right = first || between ? BDCT_SIDE_B : BDCT_SIDE_A;
    return;
  }
  if (key == 8 && c->b == 0)
    return;
  c->b = 1 + old.params.transform;
  c->b_quality = old.params.quality;
  c->b_qp = old.params.qp;
  if (key == 7)
    return;
  c->params.transform = old.b - 1;
  c->params.quality = old.b_quality;
  c->params.qp = old.b_qp;
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

/* What the element has made of it has to be near; it may round otherwise, and
 * is what is looked at. */
static void
take_zoom (World * w)
{
  Choice *c = &w->model.wanted;
  gdouble zoom, x, y;

  g_object_get (w->element, "zoom", &zoom, "zoom-x", &x, "zoom-y", &y, NULL);
  check (zoom == c->zoom && fabs (x - c->zoom_x) < 1e-9
      && fabs (y - c->zoom_y) < 1e-9, "zoom %g at %.12g, %.12g, not %g at "
      "%.12g, %.12g", zoom, x, y, c->zoom, c->zoom_x, c->zoom_y);
  c->zoom_x = x;
  c->zoom_y = y;
  world_expect_warnings (w, model_announce (&w->model));
}

/* In or out by a step; 0: all of it is seen. What is at (x, y) stays there. */
static void
turn_zoom (World * w, gint by, gdouble x, gdouble y)
{
  static const gint zooms[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
  const gint width = w->info.width, height = w->info.height;
  Choice *c = &w->model.wanted;
  const Choice old = *c;
  gint at_x = x, at_y = y;

  c->zoom = by > 0 ? 16 : 1;
  if (by == 0) {
    c->zoom_x = c->zoom_y = 0.5;
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    if (by > 0 ? zooms[i] > old.zoom && zooms[i] < c->zoom
        : zooms[i] < old.zoom)
      c->zoom = zooms[i];
  /* In a half, as it would be at 1:1. */
  view_locate (&w->shape, &old, &at_x, &at_y);
  x += at_x - (gint) x;
  y += at_y - (gint) y;
  set_share (&c->zoom_x, view_hidden (c, width), (x + round (old.zoom_x
              * view_hidden (&old, width))) / view_zoom (&old)
      * view_zoom (c) - x);
  set_share (&c->zoom_y, view_hidden (c, height), (y + round (old.zoom_y
              * view_hidden (&old, height))) / view_zoom (&old)
      * view_zoom (c) - y);
}

/* From where it was at `zoom_x` and `zoom_y` along with the pointer. */
static void
drag_picture (World * w, gdouble zoom_x, gdouble zoom_y, gdouble dx, gdouble dy)
{
  Choice *c = &w->model.wanted;
  const gint hidden_x = view_hidden (c, w->info.width);
  const gint hidden_y = view_hidden (c, w->info.height);

  c->zoom_x = zoom_x;
  c->zoom_y = zoom_y;
  set_share (&c->zoom_x, hidden_x, round (zoom_x * hidden_x) - dx);
  set_share (&c->zoom_y, hidden_y, round (zoom_y * hidden_y) - dy);
  take_zoom (w);
}

static void
run_key (World * w, const gint64 * arg)
{
  static const gchar *const keys[] = { "Up", "Down", "Left", "Right", "v", "g",
    "space", "b", "x", "c", "plus", "KP_Add", "minus", "-", "0", "y", "", "V"
  };
  static const gint zooms[] = { 1, 1, -1, -1, 0 };
  static const guint modifiers[] = { 0, 0, 0,
    GST_NAVIGATION_MODIFIER_SHIFT_MASK, GST_NAVIGATION_MODIFIER_CONTROL_MASK,
    GST_NAVIGATION_MODIFIER_MOD1_MASK
  };
  Choice *c = &w->model.wanted;
  gboolean mine = c->interactive && arg[0] < 15 && arg[1] < 4;

  world_stream (w);
  send (w, arg[2] ? gst_navigation_event_new_key_release (keys[arg[0]],
          modifiers[arg[1]])
      : gst_navigation_event_new_key_press (keys[arg[0]], modifiers[arg[1]]));
  check (w->nav_passed == !mine, "a key was %s",
      mine ? "passed on" : "not passed on");
  if (!mine || arg[2])
    return;
  switch (arg[0]) {
    case 0:
    case 1:
      turn (w, arg[0] == 0 ? 1 : -1);
      break;
    case 2:
    case 3:
      turn_transform (w, arg[0] == 2 ? -1 : 1);
      break;
    case 4:
      c->view = next_view (c);
      break;
    case 5:
      c->grid = !c->grid;
      break;
    case 6:
      turn_space (w);
      break;
    case 7:
    case 8:
    case 9:
      turn_second (c, arg[0]);
      break;
    default:
      turn_zoom (w, zooms[arg[0] - 10], w->info.width / 2.0,
          w->info.height / 2.0);
      take_zoom (w);
      return;
  }
  world_expect_warnings (w, model_announce (&w->model));
}

static void
run_scroll (World * w, const gint64 * arg)
{
  gdouble x, y, by = arg[2] - 2;
  gboolean mine;

  world_stream (w);
  x = place (w->info.width, arg[0]);
  y = place (w->info.height, arg[1]);
  mine = w->model.wanted.interactive && inside (w, x, y) && by != 0;
  send (w, gst_navigation_event_new_mouse_scroll (x, y, 0, by,
          arg[3] ? GST_NAVIGATION_MODIFIER_CONTROL_MASK : 0));
  check (w->nav_passed == !mine, "a wheel was %s",
      mine ? "passed on" : "not passed on");
  if (mine && arg[3]) {
    turn_zoom (w, by > 0 ? 1 : -1, x, y);
    take_zoom (w);
  } else if (mine) {
    turn (w, by > 0 ? 1 : -1);
    world_expect_warnings (w, model_announce (&w->model));
  }
}

/* A press and a release at one place: a message about the block there. */
static void
run_click (World * w, const gint64 * arg)
{
  gboolean shown, was = w->model.wanted.interactive;
  gdouble x, y;

  world_stream (w);
  x = place (w->info.width, arg[0]);
  y = place (w->info.height, arg[1]);
  world_settle (w);
  w->blocks = 0;
  send (w, gst_navigation_event_new_mouse_button_press (arg[2], x, y, 0));
  send (w, gst_navigation_event_new_mouse_button_release (arg[2], x, y, 0));
  world_settle (w);
  if (arg[2] > 3 && was && inside (w, x, y)) {
    turn (w, arg[2] == 4 ? 1 : -1);
    world_expect_warnings (w, model_announce (&w->model));
  }
  check (w->chaos || w->blocks <= (arg[2] == 1 && was && inside (w, x, y)),
      "%u messages for a click", w->blocks);
  shown = w->last != NULL && !w->last->excused && w->last->shown && was
      && w->model.force.interactive && inside (w, x, y)
      && x < w->last->shape.width && y < w->last->shape.height;
  if (shown && arg[2] == 1 && !w->passthrough && !w->chaos)
    check (w->blocks == 1, "no message for a click");
  if (w->blocks == 1 && shown)
    check_block (w, w->last, x, y);
}

/* The pointer has it along. */
static void
move_magnifier (World * w, gdouble x, gdouble y)
{
  Choice *c = &w->model.wanted;

  if (!c->interactive || !c->magnifier || !inside (w, x, y))
    return;
  c->magnifier_x = CLAMP ((floor (x) + 0.5) / w->info.width, 0, 1);
  c->magnifier_y = CLAMP ((floor (y) + 0.5) / w->info.height, 0, 1);
  world_expect_warnings (w, model_announce (&w->model));
}

/* Down, along, and up. */
static void
run_drag (World * w, const gint64 * arg)
{
  Choice *c = &w->model.wanted;
  const Choice old = *c;
  gboolean was = c->interactive, pressed, dragging = FALSE, pans;
  gdouble far, x[3], y[3];
  gint width, height;

  world_stream (w);
  width = w->info.width;
  height = w->info.height;
  far = MAX (3, width / 200);
  for (guint i = 0; i < 3; i++) {
    x[i] = place (width, arg[2 * i]);
    y[i] = place (height, arg[2 * i + 1]);
  }
  pressed = inside (w, x[0], y[0]);
  /* But the wipe's line is there at any zoom. */
  pans = view_zoom (c) > 1 && (c->view != BDCT_VIEW_WIPE
      || fabs (c->position * width - x[0]) > far);
  send (w, gst_navigation_event_new_mouse_button_press (1, x[0], y[0], 0));
  for (guint i = 1; i < 3; i++) {
    send (w, gst_navigation_event_new_mouse_move (x[i], y[i], 0));
    move_magnifier (w, x[i], y[i]);
    if (!was || !pressed || !inside (w, x[i], y[i]))
      continue;
    dragging = dragging || fabs (x[i] - x[0]) >= far
        || fabs (y[i] - y[0]) >= far;
    if (dragging && pans) {
      drag_picture (w, old.zoom_x, old.zoom_y, x[i] - x[0], y[i] - y[0]);
    } else if (dragging) {
      c->position = c->view == BDCT_VIEW_STACKED
          ? MIN (y[i] / MAX (height - 1, 1), 1)
          : MIN (x[i] / MAX (width - 1, 1), 1);
      world_expect_warnings (w, model_announce (&w->model));
    }
  }
  send (w, gst_navigation_event_new_mouse_button_release (1, x[2], y[2], 0));
}

/* Events that are hardly any. */
static void
run_odd (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "key-press", "key-release",
    "mouse-button-press", "mouse-button-release", "mouse-move",
    "mouse-scroll", "touch-down", "command", "", "nothing"
  };
  GstStructure *s = gst_structure_new ("application/x-gst-navigation",
      "event", G_TYPE_STRING, names[arg[0]], NULL);

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
  world_stream (w);
  send (w, gst_event_new_navigation (s));
  check (w->nav_passed, "an odd event was not passed on");
}

const Kind viewer_kinds[] = {
  {"key", 40, run_key, {{"key", 0, 17}, {"modifier", 0, 5}, {"up", 0, 1}}},
  {"scroll", 10, run_scroll, {{"x", 0, 100}, {"y", 0, 100}, {"by", 0, 4},
          {"control", 0, 1}}},
  {"click", 20, run_click, {{"x", 0, 100}, {"y", 0, 100}, {"button", 1, 5}}},
  {"drag", 8, run_drag, {{"x0", 0, 100}, {"y0", 0, 100}, {"x1", 0, 100},
          {"y1", 0, 100}, {"x2", 0, 100}, {"y2", 0, 100}}},
  {"odd", 4, run_odd, {{"event", 0, 9}, {"fields", 0, 31},
          {"button", 0, 99}}},
  {.name = NULL}
};
