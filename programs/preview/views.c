/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parts.h"

#include <string.h>

/* blockdctcompare's numbers of pictures. */
enum
{
  ORIGINAL = -1, OF_A, OF_B
};

#define SINGLE "single"
#define PLAIN "reconstruction"

/* A view is one of blockdctcompare's, or `single` with a picture as `right`,
 * which may be one of A's own views. */
static const struct
{
  const gchar *name, *of_a;
  gint right;
  const gchar *about;           /* NULL: A's own view */
} alone[] = {
  {"original", PLAIN, ORIGINAL, "the input"},
  {"a", PLAIN, OF_A, "A, as a decoder would show it"},
  {"b", PLAIN, OF_B, "B, as a decoder would show it"},
  {"coefficients", "coefficients", OF_A, NULL},
  {"nonzero-map", "nonzero-map", OF_A, NULL},
  {"quality-map", "quality-map", OF_A, NULL},
  {"size-map", "size-map", OF_A, NULL},
};

static GEnumClass *
get_class (PreviewSession * self, PreviewPart part)
{
  return G_PARAM_SPEC_ENUM (g_object_class_find_property (G_OBJECT_GET_CLASS
          (self->part[part]), "view"))->enum_class;
}

static gint
find_view (PreviewSession * self, PreviewPart part, const gchar * name)
{
  return g_enum_get_value_by_nick (get_class (self, part), name)->value;
}

/* The values: blockdctcompare's numbers, and from N_OF_COMPARE on the views
 * above. */
#define N_OF_COMPARE 100

static GType
register_views (PreviewSession * self)
{
  const GEnumClass *of_compare = get_class (self, PREVIEW_COMPARE);
  GArray *values = g_array_new (TRUE, FALSE, sizeof (GEnumValue));

  for (guint i = 0; i < G_N_ELEMENTS (alone); i++) {
    GEnumValue value = { N_OF_COMPARE + i, alone[i].about, alone[i].name };

    /* Single pictures first, then views of two pictures, then A's own views. */
    for (guint k = 0; alone[i].about == NULL && alone[i - 1].about != NULL
        && k < of_compare->n_values; k++)
      if (strcmp (of_compare->values[k].value_nick, SINGLE) != 0)
        g_array_append_val (values, of_compare->values[k]);
    if (value.value_name == NULL)
      value.value_name = g_enum_get_value_by_nick (get_class (self,
              PREVIEW_A), alone[i].of_a)->value_name;
    g_array_append_val (values, value);
  }
  return g_enum_register_static ("PreviewView",
      (GEnumValue *) g_array_free (values, FALSE));
}

GParamSpec *
preview_views_find_pspec (PreviewSession * self, const gchar * name)
{
  static const GEnumValue sides[] = {
    {ORIGINAL, "the input", "original"}, {OF_A, "A's picture", "a"},
    {OF_B, "B's picture", "b"}, {0, NULL, NULL}
  };
  static GParamSpec *pspecs[3];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    const GType side = g_enum_register_static ("PreviewSide", sides);

    pspecs[0] = g_param_spec_enum ("view", NULL, "What is shown; the figures "
        "do not depend on it", register_views (self), find_view (self,
            PREVIEW_COMPARE, "wipe"), G_PARAM_READWRITE);
    pspecs[1] = g_param_spec_enum ("left", NULL, "The first picture of the "
        "views that show two", side, ORIGINAL, G_PARAM_READWRITE);
    pspecs[2] = g_param_spec_enum ("right", NULL, "The second picture of the "
        "views that show two", side, OF_A, G_PARAM_READWRITE);
    for (guint i = 0; i < G_N_ELEMENTS (pspecs); i++)
      g_param_spec_ref_sink (pspecs[i]);
    g_once_init_leave (&once, 1);
  }
  for (guint i = 0; i < G_N_ELEMENTS (pspecs); i++)
    if (strcmp (name, pspecs[i]->name) == 0)
      return pspecs[i];
  return NULL;
}

static void
get_all (PreviewSession * self, gint * view, gint * left, gint * right,
    gint * of_a)
{
  g_object_get (self->part[PREVIEW_COMPARE], "view", view, "left", left,
      "right", right, NULL);
  g_object_get (self->part[PREVIEW_A], "view", of_a, NULL);
}

gint
preview_views_get (PreviewSession * self)
{
  gint view, left, right, of_a;

  get_all (self, &view, &left, &right, &of_a);
  if (view != find_view (self, PREVIEW_COMPARE, SINGLE))
    return view;
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    if (alone[i].right == right && (right != OF_A
            || find_view (self, PREVIEW_A, alone[i].of_a) == of_a))
      return N_OF_COMPARE + i;
  return N_OF_COMPARE + 1;
}

const GEnumValue *
preview_views_get_value (PreviewSession * self)
{
  return g_enum_get_value (G_PARAM_SPEC_ENUM (preview_views_find_pspec (self,
              "view"))->enum_class, preview_views_get (self));
}

void
preview_views_set (PreviewSession * self, gint view)
{
  const guint i = view - N_OF_COMPARE;

  if (view < N_OF_COMPARE) {
    g_object_set (self->part[PREVIEW_COMPARE], "view", view, NULL);
    return;
  }
  self->turns = TRUE;
  g_object_set (self->part[PREVIEW_COMPARE], "view", find_view (self,
          PREVIEW_COMPARE, SINGLE), "right", alone[i].right, NULL);
  self->turns = FALSE;
  g_object_set (self->part[PREVIEW_A], "view", find_view (self, PREVIEW_A,
          alone[i].of_a), NULL);
}

void
preview_views_follow (PreviewSession * self, gboolean turned)
{
  gint view, left, right, of_a;
  gboolean single;

  get_all (self, &view, &left, &right, &of_a);
  single = view == find_view (self, PREVIEW_COMPARE, SINGLE);
  if ((!single || right != OF_A)
      && of_a != find_view (self, PREVIEW_A, PLAIN))
    gst_util_set_object_arg (self->part[PREVIEW_A], "view", PLAIN);
  if (self->turns)
    return;
  if (!turned)
    self->right = right;
  else if (!single && left != self->right)
    g_object_set (self->part[PREVIEW_COMPARE], "right", self->right, NULL);
  else if (!single)
    g_object_set (self->part[PREVIEW_COMPARE], "left", ORIGINAL, "right", OF_A,
        NULL);
}
