/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of what is turned while blockdctpage plays: properties, keys and the
 * pointer. */
#include "preview.h"

#include <gst/video/navigation.h>
#include <string.h>

static void
set_freeze (World * w, gboolean frozen)
{
  g_object_set (w->element, "freeze", frozen, NULL);
  model_freeze (w, frozen);
}

static void
run_freeze (World * w, const gint64 * arg)
{
  gboolean frozen;

  set_freeze (w, arg[0] > 0);
  g_object_get (w->element, "freeze", &frozen, NULL);
  check (frozen == w->frozen, "freeze is %d, not %d", frozen, w->frozen);
}

/* child what value: of A or B. */
static void
run_set (World * w, const gint64 * arg)
{
  static const gchar *const views[] = { "reconstruction", "reconstruction",
    "original", "coefficients", "nonzero-map", "quality-map", "size-map",
    "error-map"
  };
  GObject *child = G_OBJECT (w->child[arg[0]]);
  const gint v = arg[2];

  switch (arg[1]) {
    case 0:
      g_object_set (child, "quality", 1 + v % 100, NULL);
      break;
    case 1:
      g_object_set (child, "qp", v % 52, NULL);
      break;
    case 2:
      g_object_set (child, "transform", v % BDCT_N_TRANSFORMS, NULL);
      break;
    case 3:
      g_object_set (child, "grid", v % 2, NULL);
      break;
    case 4:
      gst_util_set_object_arg (child, "view", views[v
              % G_N_ELEMENTS (views)]);
      break;
    case 5:
      g_object_set (child, "chroma-qp-offset", v % 25 - 12, NULL);
      break;
    default:
      g_object_set (child, "target-psnr", v % 3 ? 0.0 : 20.0 + v % 30, NULL);
      break;
  }
}

static void
run_compare (World * w, const gint64 * arg)
{
  /* Of which it is known what they show more often. */
  static const gchar *const views[] = { "single", "single", "single", "wipe",
    "wipe", "side-by-side", "stacked", "flicker", "difference", "error-map",
    "ssim-map", "hvs-map"
  };
  static const gchar *const doubles[] = { "zoom-x", "zoom-y" };
  GObject *compare = G_OBJECT (w->child[CHILD_COMPARE]);
  const gint v = arg[1];

  switch (arg[0]) {
    case 0:
    case 1:
      gst_util_set_object_arg (compare, "view", views[v
              % G_N_ELEMENTS (views)]);
      break;
    case 2:
      g_object_set (compare, "left", v % 4 - 1, NULL);
      break;
    case 3:
    case 4:
      g_object_set (compare, "right", v % 4 - 1, NULL);
      break;
    case 5:
      g_object_set (compare, "wipe-position", v % 21 / 20.0, NULL);
      break;
    case 6:
      g_object_set (compare, "zoom", v % 2 ? 1.0 : 1 + v % 31 / 2.0,
          "difference-gain", v % 64 * 1.0, NULL);
      break;
    case 7:
      g_object_set (compare, doubles[v % G_N_ELEMENTS (doubles)],
          v / 4 % 21 / 20.0, NULL);
      break;
    case 8:
      g_object_set (compare, "overlay", v / 2 % 4 == 0, NULL);
      break;
    case 9:
      gst_util_set_object_arg (compare, "metrics", v % 2 ? "psnr"
          : "psnr+ssim");
      break;
    default:
      g_object_set (compare, "interactive", v % 2, NULL);
      break;
  }
}

/* So many changes at once: the last one counts. */
static void
run_many (World * w, const gint64 * arg)
{
  const guint n = arg[1] == 0 ? 10000 : 1 + 37 * arg[1] % 300;

  for (guint i = 0; i < n; i++)
    g_object_set (w->child[arg[0]], "quality", 1 + (gint) (i + arg[2]) % 100,
        NULL);
}

/* Keys and the pointer */

/* What keys of the bin turn. */
typedef struct
{
  gint transform[2], quality[2], qp[2], grid[2], left, right, frozen;
} Turned;

static void
read_turned (World * w, Turned * t)
{
  for (guint i = 0; i < 2; i++)
    g_object_get (w->child[i], "transform", &t->transform[i], "quality",
        &t->quality[i], "qp", &t->qp[i], "grid", &t->grid[i], NULL);
  g_object_get (w->child[CHILD_COMPARE], "left", &t->left, "right", &t->right,
      NULL);
  g_object_get (w->element, "freeze", &t->frozen, NULL);
}

static void
turn_quality (Turned * t, gint by)
{
  if (t->transform[0] >= BDCT_HEVC_DST_4X4)
    t->qp[0] = CLAMP (t->qp[0] - by, 0, 51);
  else
    t->quality[0] = CLAMP (t->quality[0] + by, 1, 100);
}

static void
swap (gint pair[2])
{
  const gint of_a = pair[0];

  pair[0] = pair[1];
  pair[1] = of_a;
}

/* What the page says of a key. FALSE: it is none of the bin's. */
static gboolean
turn (Turned * t, const gchar * key)
{
  const gint n = BDCT_N_TRANSFORMS;

  if (strcmp (key, "Up") == 0) {
    turn_quality (t, 1);
  } else if (strcmp (key, "Down") == 0) {
    turn_quality (t, -1);
  } else if (strcmp (key, "Right") == 0) {
    t->transform[0] = (t->transform[0] + 1) % n;
  } else if (strcmp (key, "Left") == 0) {
    t->transform[0] = (t->transform[0] + n - 1) % n;
  } else if (strcmp (key, "g") == 0) {
    t->grid[0] = t->grid[1] = !t->grid[0];
  } else if (strcmp (key, "b") == 0) {
    t->transform[1] = t->transform[0];
    t->quality[1] = t->quality[0];
    t->qp[1] = t->qp[0];
    t->left = 0;
    t->right = 1;
  } else if (strcmp (key, "x") == 0) {
    swap (t->transform);
    swap (t->quality);
    swap (t->qp);
  } else if (strcmp (key, "f") == 0) {
    t->frozen = !t->frozen;
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Send an event upstream; what is turned has to be `expected`, but for the two
 * sides, where others may turn them. `taken`: 1: it may not come out upstream,
 * 0: it has to, -1: either. */
static void
send (World * w, GstEvent * event, const Turned * expected, gboolean sides,
    gint taken)
{
  Turned got;

  doing ("a navigation event");
  w->navigations = 0;
  gst_pad_push_event (w->sink, event);
  check (w->navigations <= 1 && (taken < 0
          || w->navigations == !taken), "a navigation event came out %u times, "
      "which is %s", w->navigations, taken ? "the bin's" : "not the bin's");
  read_turned (w, &got);
  if (!sides) {
    got.left = expected->left;
    got.right = expected->right;
  }
  check (memcmp (&got, expected, sizeof got) == 0, "after a navigation event "
      "A is %d %d %d %d, B %d %d %d %d, %d and %d are shown, frozen %d; not "
      "%d %d %d %d, %d %d %d %d, %d and %d, %d", got.transform[0],
      got.quality[0], got.qp[0], got.grid[0], got.transform[1],
      got.quality[1], got.qp[1], got.grid[1], got.left, got.right, got.frozen,
      expected->transform[0], expected->quality[0], expected->qp[0],
      expected->grid[0], expected->transform[1], expected->quality[1],
      expected->qp[1], expected->grid[1], expected->left, expected->right,
      expected->frozen);
  if (got.frozen != w->frozen)
    model_freeze (w, got.frozen);
}

/* Events come up while it plays. */
static gboolean
set_interactive (World * w, gboolean on)
{
  gboolean interactive;

  world_start (w);
  if (on)
    g_object_set (w->child[CHILD_COMPARE], "interactive", TRUE, NULL);
  g_object_get (w->child[CHILD_COMPARE], "interactive", &interactive, NULL);
  return interactive;
}

/* on key modifier up */
static void
run_key (World * w, const gint64 * arg)
{
  static const gchar *const keys[] = { "Up", "Down", "Left", "Right", "g", "b",
    "x", "f", "v", "c", "space", "plus", "minus", "0", "q", "F", "m"
  };
  static const guint modifiers[] = { 0, 0, 0, 0,
    GST_NAVIGATION_MODIFIER_SHIFT_MASK, GST_NAVIGATION_MODIFIER_CONTROL_MASK,
    GST_NAVIGATION_MODIFIER_MOD1_MASK
  };
  const gchar *key = keys[arg[1]];
  const gboolean commands = set_interactive (w, arg[0]) && arg[2] < 5;
  Turned before, after;
  gboolean own;

  read_turned (w, &before);
  after = before;
  own = turn (&after, key);
  if (!own || !commands || arg[3])
    after = before;
  /* Those behind the bin's are compare's; the last ones are nobody's. */
  send (w, arg[3] ? gst_navigation_event_new_key_release (key,
          modifiers[arg[2]]) : gst_navigation_event_new_key_press (key,
          modifiers[arg[2]]), &after, own || !commands,
      commands && arg[1] < 14);
}

/* on by control x y */
static void
run_wheel (World * w, const gint64 * arg)
{
  const gdouble by = arg[1] - 2;
  const gboolean interactive = set_interactive (w, arg[0]);
  Turned after;

  read_turned (w, &after);
  if (interactive && by != 0 && !arg[2])
    turn_quality (&after, by > 0 ? 1 : -1);
  send (w, gst_navigation_event_new_mouse_scroll (arg[3], arg[4], 0, by,
          arg[2] ? GST_NAVIGATION_MODIFIER_CONTROL_MASK : 0), &after, TRUE,
      !interactive || by == 0 ? 0 : arg[2] ? -1 : 1);
}

/* on button x y dx dy: down, along, and up. */
static void
run_pointer (World * w, const gint64 * arg)
{
  const gboolean interactive = set_interactive (w, arg[0]);
  const gint taken = interactive ? -1 : 0;
  Turned after;

  read_turned (w, &after);
  if (interactive && (arg[1] == 4 || arg[1] == 5))
    turn_quality (&after, arg[1] == 4 ? 1 : -1);
  send (w, gst_navigation_event_new_mouse_button_press (arg[1], arg[2], arg[3],
          0), &after, TRUE, taken);
  send (w, gst_navigation_event_new_mouse_move (arg[2] + arg[4],
          arg[3] + arg[5], 0), &after, TRUE, taken);
  send (w, gst_navigation_event_new_mouse_button_release (arg[1],
          arg[2] + arg[4], arg[3] + arg[5], 0), &after, TRUE, taken);
}

const Kind preview_setting_kinds[] = {
  {"freeze", 120, run_freeze, {{"on", 0, 1}}},
  {"set", 120, run_set, {{"child", 0, 1}, {"what", 0, 6}, {"value", 0, 9999}}},
  {"compare", 120, run_compare, {{"what", 0, 10}, {"value", 0, 9999}}},
  {"many", 4, run_many, {{"child", 0, 1}, {"n", 0, 9}, {"from", 0, 99}}},
  {"key", 80, run_key, {{"on", 0, 3}, {"key", 0, 16}, {"modifier", 0, 6},
          {"up", 0, 1}}},
  {"wheel", 10, run_wheel, {{"on", 0, 1}, {"by", 0, 4}, {"control", 0, 1},
          {"x", 0, 40}, {"y", 0, 40}}},
  {"pointer", 15, run_pointer, {{"on", 0, 1}, {"button", 1, 5}, {"x", 0, 40},
          {"y", 0, 40}, {"dx", 0, 20}, {"dy", 0, 20}}},
  {.name = NULL}
};
