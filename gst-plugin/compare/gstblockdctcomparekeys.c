/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The actions of keys in the sink's window; gstblockdctnavigation.c handles
 * pointer, zoom and magnifier. */
#include "gstblockdctcomparekeys.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gstblockdctcompareprivate.h"

#define get_int gst_blockdct_param_get_int

static void
next_view (GstElement * element, gint by)
{
  GParamSpecEnum *spec = G_PARAM_SPEC_ENUM (g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), "view"));
  const GEnumClass *views = spec->enum_class;
  const gint view = get_int (element, "view");
  guint i = 0;

  while (views->values[i].value != view)
    i++;
  g_object_set (element, "view",
      views->values[(i + by) % views->n_values].value, NULL);
}

static gboolean
has_input (GstElement * element, gint number)
{
  GstPad *pad = gst_element_get_static_pad (element,
      gst_blockdct_compare_pad_names[number]);

  if (pad == NULL)
    return FALSE;
  gst_object_unref (pad);
  return TRUE;
}

/* The next input that exists: the reference, then the distorted ones. */
static gint
next_input (GstElement * element, gint input)
{
  while (++input < BDCT_MAX_DISTORTED)
    if (has_input (element, input))
      return input;
  return GST_BLOCKDCT_COMPARE_REFERENCE;
}

/* Show the next pair of inputs. */
static void
next_pair (GstElement * element, gint unused)
{
  gint left = get_int (element, "left"), right = get_int (element, "right");

  (void) unused;
  do {
    right = next_input (element, right);
    if (right == GST_BLOCKDCT_COMPARE_REFERENCE)
      left = next_input (element, left);
  } while (left >= right);
  g_object_set (element, "left", left, "right", right, NULL);
}

static void
swap_sides (GstElement * element, gint unused)
{
  (void) unused;
  g_object_set (element, "left", get_int (element, "right"), "right",
      get_int (element, "left"), NULL);
}

/* Show the left picture alone, or return to the view. */
static void
toggle_left (GstBlockDctNavigation * navigation, GstElement * element)
{
  gint view = get_int (element, "view"), right = get_int (element, "right");
  const gint left = get_int (element, "left");

  g_mutex_lock (&navigation->lock);
  if (view == GST_BLOCKDCT_COMPARE_SINGLE && right == left) {
    view = navigation->left[0];
    right = navigation->left[1];
  } else {
    navigation->left[0] = view;
    navigation->left[1] = right;
    view = GST_BLOCKDCT_COMPARE_SINGLE;
    right = left;
  }
  g_mutex_unlock (&navigation->lock);
  g_object_set (element, "view", view, "right", right, NULL);
}

const GstBlockDctActions gst_blockdct_compare_actions = {
  .keys = {
        {"v", next_view, 1},
        {"c", next_pair, 0},
        {"x", swap_sides, 0},
      },
  .space = toggle_left,
};
