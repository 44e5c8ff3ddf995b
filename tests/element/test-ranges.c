/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every property over its whole range, whatever the class has: what is set is
 * read back, or a warning names it and nothing has changed; a frame comes out.
 * Values outside are refused with the property's name, and change nothing. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "bench.h"

#define N_STEPS 9               /* of a range that is too long for each value */
#define MAX_VALUES 300

typedef struct
{
  guint n;
  GValue value[MAX_VALUES];
} Values;

static GValue *
values_add (Values * values, GType type)
{
  g_assert_cmpuint (values->n, <, MAX_VALUES);
  return g_value_init (&values->value[values->n++], type);
}

static void
values_clear (Values * values)
{
  for (guint i = 0; i < values->n; i++)
    g_value_unset (&values->value[i]);
}

/* A number of any type. */
static void
add_number (Values * values, GType type, gdouble v)
{
  GValue from = G_VALUE_INIT;

  g_value_init (&from, G_TYPE_DOUBLE);
  g_value_set_double (&from, v);
  g_assert_true (g_value_transform (&from, values_add (values, type)));
}

/* All numbers, or the ends, what is beside them and some between. */
static void
add_range (Values * values, GType type, gdouble low, gdouble high)
{
  gboolean whole = type != G_TYPE_DOUBLE;

  if (whole && high - low < MAX_VALUES - 1) {
    for (gdouble v = low; v <= high; v++)
      add_number (values, type, v);
    return;
  }
  for (gint i = 0; i <= N_STEPS; i++) {
    gdouble v = low + (high - low) * i / N_STEPS;

    add_number (values, type, whole ? floor (v) : v);
  }
  if (!whole)
    add_number (values, type, nextafter (low, high));
}

static void
add_choices (Values * values, GParamSpec * pspec)
{
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      g_value_set_enum (values_add (values, pspec->value_type),
          klass->values[i].value);
  } else {
    const GFlagsClass *klass = G_PARAM_SPEC_FLAGS (pspec)->flags_class;

    g_value_set_flags (values_add (values, pspec->value_type), 0);
    g_value_set_flags (values_add (values, pspec->value_type), klass->mask);
    for (guint i = 0; i < klass->n_values; i++)
      g_value_set_flags (values_add (values, pspec->value_type),
          klass->values[i].value);
  }
}

/* The ends of a property of numbers, its default among them. FALSE: it is
 * none. */
static gboolean
get_range (GParamSpec * pspec, gdouble * low, gdouble * high)
{
  if (G_IS_PARAM_SPEC_INT (pspec)) {
    *low = G_PARAM_SPEC_INT (pspec)->minimum;
    *high = G_PARAM_SPEC_INT (pspec)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    *low = G_PARAM_SPEC_UINT (pspec)->minimum;
    *high = G_PARAM_SPEC_UINT (pspec)->maximum;
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    *low = G_PARAM_SPEC_DOUBLE (pspec)->minimum;
    *high = G_PARAM_SPEC_DOUBLE (pspec)->maximum;
  } else {
    return FALSE;
  }
  return TRUE;
}

/* What a property may be. Of texts, arrays and times there are tests of their
 * own. */
static void
values_inside (Values * values, GParamSpec * pspec)
{
  gdouble low, high;

  if (get_range (pspec, &low, &high))
    add_range (values, pspec->value_type, low, high);
  else if (G_IS_PARAM_SPEC_ENUM (pspec) || G_IS_PARAM_SPEC_FLAGS (pspec))
    add_choices (values, pspec);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    for (gint i = 0; i < 3; i++)
      g_value_set_boolean (values_add (values, G_TYPE_BOOLEAN), i % 2);
  else
    g_assert_true (G_IS_PARAM_SPEC_STRING (pspec)
        || G_IS_PARAM_SPEC_UINT64 (pspec)
        || GST_IS_PARAM_SPEC_ARRAY_LIST (pspec));
}

static void
values_outside (Values * values, GParamSpec * pspec)
{
  gdouble low, high, beside;

  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    g_value_set_enum (values_add (values, pspec->value_type), -1);
    g_value_set_enum (values_add (values, pspec->value_type), 99);
  }
  if (!get_range (pspec, &low, &high))
    return;
  beside = pspec->value_type == G_TYPE_DOUBLE ? 1e-3 : 1;
  if (low - beside >= (pspec->value_type == G_TYPE_UINT ? 0 : G_MININT))
    add_number (values, pspec->value_type, low - beside);
  if (high + beside <= (pspec->value_type == G_TYPE_UINT ? G_MAXUINT
          : G_MAXINT))
    add_number (values, pspec->value_type, high + beside);
  if (pspec->value_type == G_TYPE_DOUBLE) {
    g_value_set_double (values_add (values, G_TYPE_DOUBLE), NAN);
    g_value_set_double (values_add (values, G_TYPE_DOUBLE), -INFINITY);
    if (high < DBL_MAX)
      g_value_set_double (values_add (values, G_TYPE_DOUBLE), INFINITY);
  }
}

static gboolean
is_set (Bench * bench, GParamSpec * pspec, const GValue * value)
{
  GValue now = G_VALUE_INIT;
  gboolean same;

  g_value_init (&now, pspec->value_type);
  g_object_get_property (G_OBJECT (bench->element), pspec->name, &now);
  same = g_param_values_cmp (pspec, &now, value) == 0;
  g_value_unset (&now);
  return same;
}

/* What is to be said of it; TRUE if there is a warning that names it. */
static gboolean
is_named (Bench * bench, const gchar * name)
{
  gboolean named = FALSE;
  GstMessage *message;

  while ((message = bench_pop (bench, GST_MESSAGE_WARNING)) != NULL) {
    GError *error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    named |= strstr (error->message, name) != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  return named;
}

/* A frame goes in, and comes out; but below min-psnr-error, which says so. */
static void
pass_frame (Bench * bench, const gchar * name)
{
  GstFlowReturn ret = gst_harness_push (bench->h,
      frame_new (&bench->info, 0));
  GstBuffer *out = bench_pull (bench);
  GstMessage *message;

  if (ret == GST_FLOW_OK && out != NULL) {
    gst_buffer_unref (out);
  } else {
    g_assert_cmpstr (name, ==, "min-psnr-error");
    text_expect (bench_pop_text (bench, GST_MESSAGE_ERROR), name, NULL);
    g_clear_pointer (&out, gst_buffer_unref);
  }
  while ((message = bench_pop (bench, GST_MESSAGE_ELEMENT)) != NULL)
    gst_message_unref (message);
}

/* Each property of the element's own that can be set, with an element that has
 * frames of planes, or of R, G and B. */
static void
for_each (void (*check) (Bench * bench, GParamSpec * pspec,
        const Values * values), void (*fill) (Values * values,
        GParamSpec * pspec), guint least)
{
  GObjectClass *klass;
  GParamSpec **pspecs;
  guint n, n_tested = 0;
  Bench bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  klass = g_type_class_ref (G_OBJECT_TYPE (bench.element));
  bench_clear (&bench);
  pspecs = g_object_class_list_properties (klass, &n);
  for (guint i = 0; i < n; i++) {
    Values values = { 0 };

    if (pspecs[i]->owner_type != G_TYPE_FROM_CLASS (klass)
        || !(pspecs[i]->flags & G_PARAM_WRITABLE))
      continue;
    fill (&values, pspecs[i]);
    if (values.n > 0) {
      g_test_message ("%s: %u values", pspecs[i]->name, values.n);
      bench_init (&bench, n_tested % 2 ? "BGRx" : "I420", 40, 24, NULL);
      check (&bench, pspecs[i], &values);
      bench_clear (&bench);
      n_tested++;
    }
    values_clear (&values);
  }
  g_assert_cmpuint (n_tested, >=, least);
  g_free (pspecs);
  g_type_class_unref (klass);
}

static void
check_inside (Bench * bench, GParamSpec * pspec, const Values * values)
{
  gboolean live = pspec->flags & GST_PARAM_MUTABLE_PLAYING;
  GValue before = G_VALUE_INIT;

  if (!live)
    gst_element_set_state (bench->element, GST_STATE_NULL);
  g_value_init (&before, pspec->value_type);
  for (guint i = 0; i < values->n; i++) {
    const GValue *value = &values->value[i];
    gboolean said;

    g_object_get_property (G_OBJECT (bench->element), pspec->name, &before);
    g_object_set_property (G_OBJECT (bench->element), pspec->name, value);
    said = is_named (bench, pspec->name);
    if (!is_set (bench, pspec, value)) {
      g_assert_true (said);
      g_assert_true (is_set (bench, pspec, &before));
    }
    if (live && (values->n < 20 || i % 7 == 0 || i + 1 == values->n))
      pass_frame (bench, pspec->name);
    /* What has no effect on the frame is said. */
    is_named (bench, pspec->name);
  }
  g_value_unset (&before);
}

static void
test_inside (void)
{
  for_each (check_inside, values_inside, 26);
}

/* What GObject says of a value that it does not hand on. */
static gboolean
is_fatal (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  GString *said = data;

  (void) domain, (void) level;
  g_string_append (said, message);
  return FALSE;
}

/* And that it need not be printed. */
static void
ignore (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  (void) domain, (void) level, (void) message, (void) data;
}

static void
check_outside (Bench * bench, GParamSpec * pspec, const Values * values)
{
  GString *said = g_string_new (NULL);
  gchar *quoted = g_strdup_printf ("'%s'", pspec->name);
  guint handler = g_log_set_handler ("GLib-GObject", G_LOG_LEVEL_MASK
      | G_LOG_FLAG_FATAL, ignore, NULL);
  GValue before = G_VALUE_INIT;

  g_value_init (&before, pspec->value_type);
  g_object_get_property (G_OBJECT (bench->element), pspec->name, &before);
  g_test_log_set_fatal_handler (is_fatal, said);
  for (guint i = 0; i < values->n; i++) {
    g_string_truncate (said, 0);
    g_object_set_property (G_OBJECT (bench->element), pspec->name,
        &values->value[i]);
    g_assert_nonnull (strstr (said->str, "out of range"));
    g_assert_nonnull (strstr (said->str, quoted));
    g_assert_true (is_set (bench, pspec, &before));
  }
  g_test_log_set_fatal_handler (NULL, NULL);
  g_log_remove_handler ("GLib-GObject", handler);
  pass_frame (bench, pspec->name);
  g_value_unset (&before);
  g_string_free (said, TRUE);
  g_free (quoted);
}

static void
test_outside (void)
{
  for_each (check_outside, values_outside, 18);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/ranges/inside", test_inside);
  test_add ("/ranges/outside", test_outside);
  return test_run ();
}
