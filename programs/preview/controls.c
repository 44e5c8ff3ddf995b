/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps the names of a session's settings to properties of its
 * elements. */
#include "parts.h"

#include <gst/video/navigation.h>
#include <string.h>

#define A (1 << PREVIEW_A)
#define B (1 << PREVIEW_B)
#define COMPARE (1 << PREVIEW_COMPARE)

const gchar *const preview_part_names[PREVIEW_N_PARTS] = {
  "a", "b", "compare"
};

const gchar *const preview_controls[PREVIEW_N_CONTROLS] = {
  "encoder", "encoder-quality", "encoder-qp", "encoder-crf", "encoder-bitrate",
  "transform", "quality", "qp", "chroma-qp-offset", "scaling-list",
  "b::encoder", "b::encoder-quality", "b::encoder-qp", "b::encoder-crf",
  "b::encoder-bitrate",
  "b::transform", "b::quality", "b::qp", "b::chroma-qp-offset",
  "b::scaling-list", "left", "right", "view",
  "wipe-position", "difference-gain", "grid", "overlay", "metrics"
};

/* The settings of more than one part. */
static const struct
{
  const gchar *name;
  guint parts;
} shared[] = {
  {"grid", A | B}, {"metrics", A | B}, {"async-depth", A | B},
  {"backend", A | B | COMPARE}, {"cuda-device-id", A | B | COMPARE},
  {"threads", A | B | COMPARE},
};

guint
preview_find_control (const gchar * name)
{
  guint i = 0;

  while (i < PREVIEW_N_CONTROLS && strcmp (name, preview_controls[i]) != 0)
    i++;
  return i;
}

static gboolean
has_property (PreviewSession * self, PreviewPart part, const gchar * name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (self->part[part]),
      name) != NULL;
}

/* The parts (bits) and the property of a setting; 0: there is no such
 * setting. */
static guint
find_parts (PreviewSession * self, const gchar * name, const gchar ** property)
{
  const gchar *colons = strstr (name, "::");
  guint parts = 0;

  *property = colons == NULL ? name : colons + 2;
  for (guint i = 0; colons != NULL && i < PREVIEW_N_PARTS; i++)
    if (strlen (preview_part_names[i]) == (gsize) (colons - name)
        && g_str_has_prefix (name, preview_part_names[i]))
      parts = 1 << i;
  for (guint i = 0; colons == NULL && i < G_N_ELEMENTS (shared); i++)
    if (strcmp (name, shared[i].name) == 0)
      parts = shared[i].parts;
  if (colons == NULL && parts == 0)
    parts = has_property (self, PREVIEW_A, name) ? A : COMPARE;
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    if (parts & 1 << i && !has_property (self, i, *property))
      parts = 0;
  return parts;
}

static PreviewPart
first_of (guint parts)
{
  return parts & A ? PREVIEW_A : parts & B ? PREVIEW_B : PREVIEW_COMPARE;
}

/* Values */

static GParamSpec *
find_property (PreviewSession * self, const gchar * name)
{
  const gchar *property;
  const guint parts = find_parts (self, name, &property);

  return parts == 0 ? NULL : g_object_class_find_property (G_OBJECT_GET_CLASS
      (self->part[first_of (parts)]), property);
}

GParamSpec *
preview_session_get_pspec (PreviewSession * self, guint control)
{
  const gchar *name = preview_controls[control];
  GParamSpec *pspec = preview_views_find_pspec (self, name);

  if (pspec == NULL)
    pspec = preview_coding_find_pspec (name);
  return pspec != NULL ? pspec : find_property (self, name);
}

static gboolean
is_view (guint control)
{
  return strcmp (preview_controls[control], "view") == 0;
}

void
preview_session_get_value (PreviewSession * self, guint control, GValue * value)
{
  GParamSpec *pspec = preview_session_get_pspec (self, control);
  const gchar *name = preview_controls[control];
  GValue is = G_VALUE_INIT;
  const gchar *property;
  guint parts;

  g_value_init (value, pspec->value_type);
  if (preview_coding_find_pspec (name) != NULL) {
    g_value_init (&is, G_TYPE_INT);
    g_value_set_int (&is, preview_coding_get (self, name));
    g_value_transform (&is, value);
    return;
  }
  if (is_view (control)) {
    g_value_set_enum (value, preview_views_get (self));
    return;
  }
  /* One picture alone leaves the pair. */
  if (strcmp (name, "right") == 0) {
    g_value_set_enum (value, self->right);
    return;
  }
  parts = find_parts (self, preview_controls[control], &property);
  g_object_get_property (self->part[first_of (parts)], property, &is);
  g_value_transform (&is, value);
  g_value_unset (&is);
}

static void
set_value (PreviewSession * self, const gchar * name, const GValue * value)
{
  const gchar *property;
  guint parts = find_parts (self, name, &property);

  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    if (parts & 1 << i)
      g_object_set_property (self->part[i], property, value);
}

static void
set_control (PreviewSession * self, guint control, const GValue * value)
{
  const gchar *name = preview_controls[control];
  g_auto (GValue) number = G_VALUE_INIT;

  if (is_view (control)) {
    preview_views_set (self, g_value_get_enum (value));
  } else if (preview_coding_find_pspec (name) != NULL) {
    g_value_init (&number, G_TYPE_INT);
    g_value_transform (value, &number);
    preview_coding_set (self, name, g_value_get_int (&number));
  } else {
    set_value (self, name, value);
  }
}

/* "NAME=VALUE" */

gchar *
preview_describe_range (GParamSpec * pspec)
{
  gdouble min, max;

  if (encoder_get_range (pspec, &min, &max))
    return g_strdup_printf ("a %s from %.10g to %.10g", G_IS_PARAM_SPEC_DOUBLE
        (pspec) ? "number" : "whole number", min, max);
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return g_strdup ("true or false");
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;
    GString *text = g_string_new ("one of");

    for (guint i = 0; i < klass->n_values; i++)
      g_string_append_printf (text, " %s", klass->values[i].value_nick);
    return g_string_free (text, FALSE);
  }
  return g_strdup (g_param_spec_get_blurb (pspec));
}

/* What is before the "="; the caller owns it. */
static gchar *
get_name (const gchar * pair)
{
  return g_strndup (pair, strcspn (pair, "="));
}

/* Parse the value of a pair into a zeroed one. FALSE with an error; `pspec` may
 * be NULL. */
static gboolean
parse (GParamSpec * pspec, const gchar * pair, GValue * value, GError ** error)
{
  const gchar *text = strchr (pair, '=');
  g_autofree gchar *range = NULL;

  if (text == NULL || pspec == NULL)
    return preview_refuse (error, "'%s' is not a PROPERTY=VALUE of blockdct or "
        "blockdctcompare; gst-inspect-1.0 lists them.", pair);
  g_value_init (value, pspec->value_type);
  if ((pspec->flags & G_PARAM_WRITABLE)
      && gst_value_deserialize_with_pspec (value, text + 1, pspec)
      && !g_param_value_validate (pspec, value))
    return TRUE;
  range = preview_describe_range (pspec);
  return preview_refuse (error, "'%s' is not possible: %s is %s.", pair,
      pspec->name, range);
}

gboolean
preview_set_property (GObject * element, const gchar * pair, GError ** error)
{
  g_autofree gchar *name = get_name (pair);
  g_auto (GValue) value = G_VALUE_INIT;

  if (!parse (g_object_class_find_property (G_OBJECT_GET_CLASS (element), name),
          pair, &value, error))
    return FALSE;
  g_object_set_property (element, name, &value);
  return TRUE;
}

gboolean
preview_session_set_text (PreviewSession * self, const gchar * pair,
    GError ** error)
{
  g_autofree gchar *name = get_name (pair);
  const guint control = preview_find_control (name);
  const gboolean known = control < PREVIEW_N_CONTROLS;
  g_auto (GValue) value = G_VALUE_INIT;

  if (g_str_has_prefix (pair, "encoder::")
      || g_str_has_prefix (pair, "b::encoder::"))
    return preview_coding_set_property (self, pair, error);
  if (!parse (known ? preview_session_get_pspec (self, control)
          : find_property (self, name), pair, &value, error))
    return FALSE;
  if (known)
    set_control (self, control, &value);
  else
    set_value (self, name, &value);
  return TRUE;
}

/* Views */

gboolean
preview_session_shows_b (PreviewSession * self)
{
  gint left, right;

  g_object_get (self->part[PREVIEW_COMPARE], "left", &left, "right", &right,
      NULL);
  return left == 1 || right == 1 || self->right == 1;
}

gboolean
preview_session_shows_map (PreviewSession * self)
{
  static const gchar *const pictures[] = { "original", "a", "b", "wipe",
    "side-by-side", "stacked", "flicker", NULL
  };

  return !g_strv_contains (pictures, preview_views_get_value
      (self)->value_nick);
}

/* Notifications, and properties to copy */

static void
changed (GObject * part, GParamSpec * pspec, PreviewSession * self)
{
  const gboolean of_compare = part == self->part[PREVIEW_COMPARE];

  if (!(pspec->flags & G_PARAM_WRITABLE) || strcmp (pspec->name, "parent") == 0)
    return;
  if (of_compare && (strcmp (pspec->name, "view") == 0
          || strcmp (pspec->name, "right") == 0))
    preview_views_follow (self, pspec->name[0] == 'v');
  if (of_compare && (strcmp (pspec->name, "left") == 0
          || strcmp (pspec->name, "right") == 0))
    preview_transport_follow_b (self);
  preview_flow_change (self);
  g_signal_emit_by_name (self, "changed");
}

void
preview_controls_follow (PreviewSession * self)
{
  for (guint i = 0; i < PREVIEW_N_PARTS; i++)
    g_signal_connect (self->part[i], "notify", G_CALLBACK (changed), self);
  preview_coding_follow (self);
}

static void
navigate (PreviewSession * self, GstEvent * event)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (self->compare, "src");

  gst_pad_send_event (pad, event);
}

void
preview_session_press_key (PreviewSession * self, const gchar * key)
{
  navigate (self, gst_navigation_event_new_key_press (key,
          GST_NAVIGATION_MODIFIER_NONE));
}

void
preview_session_point (PreviewSession * self, const gchar * what, gdouble x,
    gdouble y)
{
  if (strcmp (what, "press") == 0)
    navigate (self, gst_navigation_event_new_mouse_button_press (1, x, y,
            GST_NAVIGATION_MODIFIER_NONE));
  else if (strcmp (what, "release") == 0)
    navigate (self, gst_navigation_event_new_mouse_button_release (1, x, y,
            GST_NAVIGATION_MODIFIER_NONE));
  else
    navigate (self, gst_navigation_event_new_mouse_move (x, y,
            GST_NAVIGATION_MODIFIER_BUTTON1_MASK));
  preview_blocks_point (self, what, x, y);
}

gchar **
preview_session_get_presets (PreviewSession * self)
{
  return gst_preset_get_preset_names (GST_PRESET (self->part[PREVIEW_A]));
}

gboolean
preview_session_load_preset (PreviewSession * self, const gchar * name)
{
  return gst_preset_load_preset (GST_PRESET (self->part[PREVIEW_A]), name);
}

void
preview_session_foreach (PreviewSession * self, PreviewPart part,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data)
{
  /* Properties of the program, or GStreamer's own. */
  static const gchar *const others[] = { "name", "parent", "qos", "stats-file",
    "post-messages", NULL
  };
  guint n;
  g_autofree GParamSpec **pspecs = g_object_class_list_properties
      (G_OBJECT_GET_CLASS (self->part[part]), &n);

  for (guint i = 0; i < n; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    if (g_strv_contains (others, pspecs[i]->name)
        || (pspecs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE)
      continue;
    g_object_get_property (self->part[part], pspecs[i]->name, &value);
    if (!g_param_value_defaults (pspecs[i], &value))
      take (pspecs[i], &value, data);
  }
}
