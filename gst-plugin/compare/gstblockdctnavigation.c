/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events arrive on any thread, with
 * places in samples of this frame: sinks and scaling elements see to that.
 * Every change goes through g_object_set(), as an app's own would. */
#include "gstblockdctnavigation.h"
#include "gst-plugin/gstblockdctparam.h"

#include <math.h>
#include <string.h>
#include "gstblockdctzoom.h"

/* Properties */

#define get_int gst_blockdct_param_get_int

/* Within its range, whatever that is. */
static void
turn (GstElement * element, const gchar * property, gint by)
{
  GParamSpecInt *range = G_PARAM_SPEC_INT (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), property));

  g_object_set (element, property, CLAMP (get_int (element, property) + by,
          range->minimum, range->maximum), NULL);
}

/* Keys */

void
gst_blockdct_turn_quality (GstElement * element, gint by)
{
  BdctTransform transform = get_int (element, "transform");
  gboolean has_qp = bdct_family_has_qp (bdct_transform_info
      (transform)->family);

  turn (element, has_qp ? "qp" : "quality", has_qp ? -by : by);
}

void
gst_blockdct_turn_transform (GstElement * element, gint by)
{
  g_object_set (element, "transform", (get_int (element, "transform") + by
          + BDCT_N_TRANSFORMS) % BDCT_N_TRANSFORMS, NULL);
}

static gboolean
has_second (GstElement * element)
{
  return get_int (element, "b-transform") > 0;
}

static void
next_view (GstElement * element, gint unused)
{
  gint next = (get_int (element, "view") + 1) % BDCT_N_VIEWS;

  (void) unused;
  g_object_set (element, "view", next + (next == BDCT_VIEW_RECONSTRUCTION_B
          && !has_second (element)), NULL);
}

static void
next_pair (GstElement * element, gint unused)
{
  static const gint pairs[][2] = {
    {BDCT_SIDE_ORIGINAL, BDCT_SIDE_A}, {BDCT_SIDE_A, BDCT_SIDE_B},
    {BDCT_SIDE_ORIGINAL, BDCT_SIDE_B}
  };
  const guint n = has_second (element) ? G_N_ELEMENTS (pairs) : 1;
  guint i = 0;

  (void) unused;
  while (i < n && (get_int (element, "left") != pairs[i][0]
          || get_int (element, "right") != pairs[i][1]))
    i++;
  i = i < n ? (i + 1) % n : 0;
  g_object_set (element, "left", pairs[i][0], "right", pairs[i][1], NULL);
}

/* B becomes what A is. */
static void
store_second (GstElement * element, gint unused)
{
  (void) unused;
  g_object_set (element, "b-transform", get_int (element, "transform") + 1,
      "b-quality", get_int (element, "quality"), "b-qp",
      get_int (element, "qp"), NULL);
}

static void
swap_second (GstElement * element, gint unused)
{
  gint transform = get_int (element, "b-transform");

  (void) unused;
  if (transform > 0)
    g_object_set (element, "b-transform", get_int (element, "transform") + 1,
        "b-quality", get_int (element, "quality"), "b-qp",
        get_int (element, "qp"), "transform", transform - 1, "quality",
        get_int (element, "b-quality"), "qp", get_int (element, "b-qp"), NULL);
}

static void
toggle_grid (GstElement * element, gint unused)
{
  (void) unused;
  g_object_set (element, "grid", !get_int (element, "grid"), NULL);
}

/* The view that shows a side alone. */
static gint
view_of (gint side)
{
  return side == BDCT_SIDE_ORIGINAL ? BDCT_VIEW_ORIGINAL
      : side == BDCT_SIDE_A ? BDCT_VIEW_RECONSTRUCTION
      : BDCT_VIEW_RECONSTRUCTION_B;
}

/* To the left picture, and back to the view that was left for it, or to the
 * right one. */
static void
toggle_left (GstBlockDctNavigation * navigation, GstElement * element)
{
  gint view = get_int (element, "view");
  gint next = view_of (get_int (element, "left"));

  g_mutex_lock (&navigation->lock);
  if (view != next)
    navigation->left[0] = view;
  else if (navigation->left[0] != next)
    next = navigation->left[0];
  else
    next = view_of (get_int (element, "right"));
  g_mutex_unlock (&navigation->lock);
  g_object_set (element, "view", next, NULL);
}

/* gtksink sends what a key writes, other sinks its name. */
static gboolean
is_space (const gchar * key)
{
  return strcmp (key, "space") == 0 || strcmp (key, " ") == 0;
}

const GstBlockDctActions gst_blockdct_actions = {
  .keys = {
        {"Up", gst_blockdct_turn_quality, 1},
        {"Down", gst_blockdct_turn_quality, -1},
        {"Left", gst_blockdct_turn_transform, -1},
        {"Right", gst_blockdct_turn_transform, 1},
        {"v", next_view, 0},
        {"c", next_pair, 0},
        {"b", store_second, 0},
        {"x", swap_second, 0},
        {"g", toggle_grid, 0},
      },
  .space = toggle_left,
  .wheel = gst_blockdct_turn_quality,
};

static void
get_size (GstBlockDctNavigation * navigation, gint * width, gint * height)
{
  g_mutex_lock (&navigation->lock);
  *width = navigation->width;
  *height = navigation->height;
  g_mutex_unlock (&navigation->lock);
}

/* In the middle of what is seen. */
static void
zoom (GstBlockDctNavigation * navigation, GstElement * element, gint steps)
{
  gint width, height;

  get_size (navigation, &width, &height);
  if (width > 0)
    gst_blockdct_zoom_turn (element, width, height, steps, width / 2.0,
        height / 2.0);
}

/* To where the pointer is; a picture of no size has none. */
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
  /* With these it is somebody else's command. */
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

/* Whether there is something new to say of the block that was clicked on, which
 * the picture may not have any more. Called with the lock. */
static gboolean
is_due (GstBlockDctNavigation * navigation, BdctParams * params)
{
  const GstBlockDctShown *shown = &navigation->shown;
  GstBlockDctFollowed *followed = &navigation->followed;

  if (!followed->any || shown->in == NULL
      || followed->place.x >= shown->layout.plane[0].width
      || followed->place.y >= shown->layout.plane[0].height)
    return FALSE;
  *params = gst_blockdct_block_params (shown, &followed->place);
  return !followed->told
      || memcmp (params, &followed->params, sizeof *params) != 0;
}

/* A handler that is called at once may click, too. */
static void
tell (GstBlockDctNavigation * navigation, GstElement * element)
{
  GstBlockDctFollowed *followed = &navigation->followed;
  BdctParams params;

  g_rec_mutex_lock (&followed->telling);
  g_mutex_lock (&navigation->lock);
  while (is_due (navigation, &params)) {
    GstBlockDctShown shown = navigation->shown;
    GstBlockDctPlace place = followed->place;
    gboolean repeated = followed->told;
    GstMessage *message;

    followed->told = followed->reading = TRUE;
    followed->params = params;
    gst_buffer_ref (shown.in);
    g_mutex_unlock (&navigation->lock);
    message = gst_blockdct_block_describe (element, &shown, &place, repeated);
    gst_buffer_unref (shown.in);
    g_mutex_lock (&navigation->lock);
    followed->reading = FALSE;
    g_cond_broadcast (&followed->read);
    g_mutex_unlock (&navigation->lock);
    if (message != NULL)
      gst_element_post_message (element, message);
    g_mutex_lock (&navigation->lock);
  }
  g_mutex_unlock (&navigation->lock);
  g_rec_mutex_unlock (&followed->telling);
}

static void
follow (GstElement * element, gpointer data)
{
  GstBlockDctNavigation *navigation = data;

  g_mutex_lock (&navigation->lock);
  navigation->followed.scheduled = FALSE;
  g_mutex_unlock (&navigation->lock);
  tell (navigation, element);
}

/* The sizes of a tree's blocks take as long to find as a frame does, for which
 * no stream is to wait. */
void
gst_blockdct_navigation_follow (GstBlockDctNavigation * navigation,
    GstElement * element)
{
  GstBlockDctFollowed *followed = &navigation->followed;
  BdctParams params;

  g_mutex_lock (&navigation->lock);
  if (!followed->scheduled && is_due (navigation, &params)) {
    followed->scheduled = TRUE;
    gst_element_call_async (element, follow, navigation, NULL);
  }
  g_mutex_unlock (&navigation->lock);
}

/* What became of the blocks at (x, y) of the frame on display. */
static void
click (GstBlockDctNavigation * navigation, GstElement * element, gint x,
    gint y)
{
  GstBlockDctFollowed *followed = &navigation->followed;
  GstBlockDctPlace place;

  g_mutex_lock (&navigation->lock);
  if (navigation->shown.in != NULL
      && gst_blockdct_block_locate (&navigation->shown, x, y, &place)) {
    followed->any = TRUE;
    followed->place = place;
    followed->told = FALSE;
  }
  g_mutex_unlock (&navigation->lock);
  tell (navigation, element);
}

/* Whether (x, y) is in the picture, whose size it tells. */
static gboolean
is_inside (GstBlockDctNavigation * navigation, gdouble x, gdouble y,
    gint * width, gint * height)
{
  get_size (navigation, width, height);
  return x >= 0 && y >= 0 && x < *width && y < *height;
}

/* A hand that clicks is not quite still. */
static gdouble
get_reach (gint width)
{
  return MAX (3, width / 200);
}

/* The wheel: zoom with Ctrl, else the quantizer. */
static void
turn_wheel (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event, gint width, gint height, gint by, gdouble x, gdouble y)
{
  GstNavigationModifierType state = 0;

  if (navigation->actions->wheel == NULL
      || (gst_navigation_event_parse_modifier_state (event, &state)
          && (state & GST_NAVIGATION_MODIFIER_CONTROL_MASK)))
    gst_blockdct_zoom_turn (element, width, height, by, x, y);
  else
    navigation->actions->wheel (element, by);
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
    turn_wheel (navigation, element, event, width, height,
        button == 4 ? 1 : -1, x, y);
    return TRUE;
  }
  if (button != 1)
    return FALSE;
  pointer.x = x;
  pointer.y = y;
  pointer.pans = gst_blockdct_zoom_grabs (element, width, x,
      get_reach (width));
  g_object_get (element, "zoom-x", &pointer.zoom_x, "zoom-y", &pointer.zoom_y,
      NULL);
  g_mutex_lock (&navigation->lock);
  navigation->pointer = pointer;
  g_mutex_unlock (&navigation->lock);
  return TRUE;
}

/* A button that goes down here is let go here, wherever the pointer is. */
static gboolean
handle_release (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event)
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
  if (pointer.pressed && !pointer.dragging
      && is_inside (navigation, x, y, &width, &height))
    click (navigation, element, x, y);
  return pointer.pressed;
}

static gboolean
handle_move (GstBlockDctNavigation * navigation, GstElement * element,
    GstEvent * event)
{
  GstBlockDctPointer *pointer = &navigation->pointer, now;
  gint width, height, magnifier;
  gdouble x, y, far;

  if (!gst_navigation_event_parse_mouse_move_event (event, &x, &y)
      || !is_inside (navigation, x, y, &width, &height))
    return FALSE;
  far = get_reach (width);
  g_mutex_lock (&navigation->lock);
  if (pointer->pressed && (fabs (x - pointer->x) >= far
          || fabs (y - pointer->y) >= far))
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
  turn_wheel (navigation, element, event, width, height, dy > 0 ? 1 : -1, x, y);
  return TRUE;
}

void
gst_blockdct_navigation_init (GstBlockDctNavigation * navigation,
    const GstBlockDctActions * actions)
{
  navigation->actions = actions;
  g_mutex_init (&navigation->lock);
  g_cond_init (&navigation->followed.read);
  g_rec_mutex_init (&navigation->followed.telling);
}

void
gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation)
{
  gst_clear_buffer (&navigation->shown.in);
  g_mutex_clear (&navigation->lock);
  g_cond_clear (&navigation->followed.read);
  g_rec_mutex_clear (&navigation->followed.telling);
}

void
gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height)
{
  g_mutex_lock (&navigation->lock);
  navigation->width = width;
  navigation->height = height;
  g_mutex_unlock (&navigation->lock);
}

void
gst_blockdct_navigation_show (GstBlockDctNavigation * navigation,
    const GstBlockDctShown * shown)
{
  GstBuffer *old;

  g_mutex_lock (&navigation->lock);
  old = navigation->shown.in;
  if (shown == NULL) {
    navigation->shown.in = NULL;
    navigation->pointer.pressed = navigation->pointer.dragging = FALSE;
    navigation->followed.any = FALSE;
    while (navigation->followed.reading)
      g_cond_wait (&navigation->followed.read, &navigation->lock);
  } else {
    navigation->shown = *shown;
    gst_buffer_ref (shown->in);
  }
  g_mutex_unlock (&navigation->lock);
  gst_clear_buffer (&old);
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
      return handle_release (navigation, element, event);
    case GST_NAVIGATION_EVENT_MOUSE_MOVE:
      return handle_move (navigation, element, event);
    case GST_NAVIGATION_EVENT_MOUSE_SCROLL:
      return handle_scroll (navigation, element, event);
    default:
      return FALSE;
  }
}
