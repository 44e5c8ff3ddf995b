/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controls.h"

#include <gst/video/navigation.h>
#include <string.h>

const gchar *const preview_controls[PREVIEW_N_CONTROLS] = {
  "transform", "quality", "qp", "chroma-qp-offset", "scaling-list",
  "b-transform", "b-quality", "b-qp", "view", "left", "right",
  "wipe-position", "difference-gain", "zoom", "zoom-x", "zoom-y", "magnifier",
  "grid", "overlay", "rate", "metrics"
};

GParamSpec *
preview_control_get_pspec (GstElement * dct, guint i)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (dct),
      preview_controls[i]);
}

static const GEnumValue *
get_enum (GstElement * dct, const gchar * property)
{
  GValue value = G_VALUE_INIT;
  const GEnumValue *known;

  g_object_get_property (G_OBJECT (dct), property, &value);
  known = g_enum_get_value (g_type_class_peek (G_VALUE_TYPE (&value)),
      g_value_get_enum (&value));
  g_value_unset (&value);
  return known;
}

/* What only some views look at: those, with commas around each. */
static const struct
{
  const gchar *control, *views;
} of_views[] = {
  {"left", ",wipe,side-by-side,stacked,flicker,difference,"},
  {"right", ",wipe,side-by-side,stacked,flicker,difference,"},
  {"wipe-position", ",wipe,side-by-side,stacked,"},
  {"difference-gain", ",difference,"},
};

static gboolean
is_of_another_view (GstElement * dct, const gchar * name)
{
  gchar *view = g_strdup_printf (",%s,", get_enum (dct, "view")->value_nick);
  gboolean other = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (of_views); i++)
    if (strcmp (name, of_views[i].control) == 0)
      other = strstr (of_views[i].views, view) == NULL;
  g_free (view);
  return other;
}

/* What a family of transforms does without. */
static gboolean
is_of_another_family (const gchar * name, const GstStructure * frame)
{
  static const gchar *const of_qp[] = { "qp", "chroma-qp-offset",
    "scaling-list", NULL
  };
  gboolean has_qp = gst_structure_has_field (frame, "qp");

  if (strcmp (name, "scaling-list") == 0
      && g_str_has_prefix (gst_structure_get_string (frame, "transform"),
          "h264"))
    return TRUE;
  return g_strv_contains (of_qp, name) ? !has_qp
      : strcmp (name, "quality") == 0 && has_qp;
}

static gboolean
is_zoomed (GstElement * dct)
{
  gdouble zoom;

  g_object_get (dct, "zoom", &zoom, NULL);
  return zoom > 1;
}

gboolean
preview_control_is_idle (GstElement * dct, const gchar * name,
    const GstStructure * frame)
{
  /* A frame names what B was made with, if there is one. */
  if (strcmp (name, "b-quality") == 0 || strcmp (name, "b-qp") == 0)
    return !gst_structure_has_field (frame, name);
  if (strcmp (name, "zoom-x") == 0 || strcmp (name, "zoom-y") == 0)
    return !is_zoomed (dct);
  return is_of_another_view (dct, name) || is_of_another_family (name, frame);
}

/* Not by gst_pad_send_event(): a pad takes none while it is flushed, which it
 * is for a moment whenever a paused frame is shown again. */
void
preview_navigate (GstElement * dct, GstEvent * event)
{
  GstPad *pad = gst_element_get_static_pad (dct, "src");

  GST_PAD_EVENTFUNC (pad) (pad, GST_OBJECT (dct), event);
  gst_object_unref (pad);
}

void
preview_press_key (GstElement * dct, const gchar * key)
{
  preview_navigate (dct, gst_navigation_event_new_key_press (key,
          GST_NAVIGATION_MODIFIER_NONE));
}

/* One of the two pictures of a view. */
static const gchar *
describe_side (GstElement * dct, const gchar * property)
{
  static const gchar *const names[] = { "original", "A", "B" };
  gint side, second;

  g_object_get (dct, property, &side, "b-transform", &second, NULL);
  return side > 0 && second == 0 ? "reconstruction" : names[side];
}

gchar *
preview_describe_view (GstElement * dct)
{
  static const gchar *const halves[][3] = {
    {"wipe", "left", "right"}, {"side-by-side", "left", "right"},
    {"stacked", "above", "below"},
  };
  const GEnumValue *view = get_enum (dct, "view");
  gchar *text = g_strdup (view->value_name);

  for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
    if (strcmp (view->value_nick, halves[i][0]) == 0) {
      g_free (text);
      text = g_strdup_printf ("%s: %s | %s: %s", halves[i][1],
          describe_side (dct, "left"), halves[i][2],
          describe_side (dct, "right"));
    }
  return text;
}

/* What a property can be; the caller's. */
static gchar *
describe_range (GParamSpec * pspec)
{
  if (G_IS_PARAM_SPEC_INT (pspec))
    return g_strdup_printf ("a whole number from %d to %d",
        G_PARAM_SPEC_INT (pspec)->minimum, G_PARAM_SPEC_INT (pspec)->maximum);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return g_strdup_printf ("a whole number from %u to %u",
        G_PARAM_SPEC_UINT (pspec)->minimum, G_PARAM_SPEC_UINT (pspec)->maximum);
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return g_strdup_printf ("a number from %g to %g",
        G_PARAM_SPEC_DOUBLE (pspec)->minimum,
        G_PARAM_SPEC_DOUBLE (pspec)->maximum);
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

static void
explain (const gchar * pair, GParamSpec * pspec, GError ** error)
{
  gchar *range;

  if (pspec == NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "'%s' is no PROPERTY=VALUE of blockdct; gst-inspect-1.0 blockdct "
        "lists them.", pair);
    return;
  }
  range = describe_range (pspec);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "'%s' cannot be: %s is %s.", pair, pspec->name, range);
  g_free (range);
}

gboolean
preview_set_property (GstElement * dct, const gchar * text, GError ** error)
{
  gchar **pair = g_strsplit (text, "=", 2);
  GParamSpec *pspec = pair[0] == NULL || pair[1] == NULL ? NULL
      : g_object_class_find_property (G_OBJECT_GET_CLASS (dct), pair[0]);
  GValue value = G_VALUE_INIT;
  gboolean ok = FALSE;

  if (pspec != NULL && (pspec->flags & G_PARAM_WRITABLE)) {
    g_value_init (&value, pspec->value_type);
    ok = gst_value_deserialize_with_pspec (&value, pair[1], pspec)
        && !g_param_value_validate (pspec, &value);
    if (ok)
      g_object_set_property (G_OBJECT (dct), pair[0], &value);
    g_value_unset (&value);
  }
  g_strfreev (pair);
  if (!ok)
    explain (text, pspec, error);
  return ok;
}

void
preview_foreach_setting (GstElement * dct,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data)
{
  /* Of the program, or of GStreamer's own. */
  static const gchar *const others[] = { "name", "parent", "qos", "stats-file",
    "interactive", "keep-frame", NULL
  };
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties
      (G_OBJECT_GET_CLASS (dct), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (g_strv_contains (others, pspecs[i]->name)
        || (pspecs[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE)
      continue;
    g_object_get_property (G_OBJECT (dct), pspecs[i]->name, &value);
    if (!g_param_value_defaults (pspecs[i], &value))
      take (pspecs[i], &value, data);
    g_value_unset (&value);
  }
  g_free (pspecs);
}
