/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties that are set together. */
#include "fuzz.h"

#include <string.h>

GValue *
group_add (Group * group, const gchar * name, GType type)
{
  group->name[group->n] = name;
  return g_value_init (&group->value[group->n++], type);
}

void
group_add_int (Group * group, const gchar * name, gint v)
{
  g_value_set_int (group_add (group, name, G_TYPE_INT), v);
}

void
group_add_double (Group * group, const gchar * name, gdouble v)
{
  g_value_set_double (group_add (group, name, G_TYPE_DOUBLE), v);
}

void
group_add_boolean (Group * group, const gchar * name, gboolean v)
{
  g_value_set_boolean (group_add (group, name, G_TYPE_BOOLEAN), v);
}

/* What has the bits of frames counted: this property, of these values. */
static const gchar *const bits[] = { "metrics", "0", "bits" };

static GParamSpec *
find_property (World * w, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (w->element), name);
}

/* Enumerations of the element's are ints in the model; of views, whose numbers
 * are the element's own, they are told by their names. */
static const gchar *
to_element (World * w, const gchar * name, const GValue * value, GValue * out)
{
  const gboolean is_bits = strcmp (name, "bits") == 0;
  const gchar *property = is_bits ? bits[0] : name;

  g_value_init (out, G_PARAM_SPEC_VALUE_TYPE (find_property (w, property)));
  if (is_bits)
    gst_value_deserialize (out, bits[1 + g_value_get_boolean (value)]);
  else if (strcmp (name, "view") == 0)
    gst_value_deserialize (out, view_names[g_value_get_int (value)]);
  else if (G_VALUE_HOLDS_ENUM (out))
    g_value_set_enum (out, g_value_get_int (value));
  else
    g_value_copy (value, out);
  return property;
}

/* Whether a property has the value that this text stands for. */
static gboolean
has_value (World * w, const gchar * property, const gchar * text)
{
  GValue now = G_VALUE_INIT, other = G_VALUE_INIT;
  gboolean same;

  g_value_init (&other, G_PARAM_SPEC_VALUE_TYPE (find_property (w, property)));
  gst_value_deserialize (&other, text);
  g_object_get_property (G_OBJECT (w->element), property, &now);
  same = gst_value_compare (&now, &other) == GST_VALUE_EQUAL;
  g_value_unset (&now);
  g_value_unset (&other);
  return same;
}

gboolean
world_get_bits (World * w)
{
  return has_value (w, bits[0], bits[2]);
}

gint
world_get_view (World * w)
{
  for (gint i = 0; i < N_VIEWS; i++)
    if (has_value (w, "view", view_names[i]))
      return i;
  fail ("a view that is none of the element's");
}

static void
set_all (World * w, guint n, const gchar ** names, const GValue * values)
{
  GValue out[MAX_SET] = { G_VALUE_INIT };
  const gchar *properties[MAX_SET];

  for (guint i = 0; i < n; i++)
    properties[i] = to_element (w, names[i], &values[i], &out[i]);
  g_object_setv (G_OBJECT (w->element), n, properties, out);
  for (guint i = 0; i < n; i++)
    g_value_unset (&out[i]);
}

static gpointer
set_in_thread (gpointer data)
{
  Group *group = data;

  set_all (group->w, group->n, group->name, group->value);
  return NULL;
}

void
world_set (World * w, guint how, guint n, const gchar ** names,
    const GValue * values)
{
  Group group = {.w = w,.n = n };

  if (n == 0)
    return;
  for (guint i = 0; i < n; i++)
    world_expect_warnings (w, model_set (&w->model, names[i], &values[i]));
  switch (how) {
    case 0:
      set_all (w, n, names, values);
      break;
    case 1:
      g_object_freeze_notify (G_OBJECT (w->element));
      for (guint i = 0; i < n; i++)
        set_all (w, 1, &names[i], &values[i]);
      g_object_thaw_notify (G_OBJECT (w->element));
      break;
    case 2:
      memcpy (group.name, names, n * sizeof names[0]);
      memcpy (group.value, values, n * sizeof values[0]);
      g_thread_join (g_thread_new ("setter", set_in_thread, &group));
      break;
    default:
      for (guint i = 0; i < n; i++)
        set_all (w, 1, &names[i], &values[i]);
      break;
  }
}

void
group_set (World * w, guint how, Group * group)
{
  world_set (w, how, group->n, group->name, group->value);
  for (guint i = 0; i < group->n; i++)
    g_value_unset (&group->value[i]);
}
