/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What holds of any property: at first it has its default, and either end of
 * its range is taken, while frames go on. (What each is: docs/reference, by
 * docs/make-reference --check; what it does: test-settings.c.) */
#include <string.h>
#include "bench.h"

/* Set a number to an end of its range, and read it back. FALSE: it is none. */
static gboolean
set_end (GstElement * element, GParamSpec * pspec, gboolean high)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) now = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  if (G_VALUE_HOLDS_INT (&value))
    g_value_set_int (&value, high ? G_MAXINT : G_MININT);
  else if (G_VALUE_HOLDS_UINT (&value))
    g_value_set_uint (&value, high ? G_MAXUINT : 0);
  else if (G_VALUE_HOLDS_UINT64 (&value))
    g_value_set_uint64 (&value, high ? G_MAXUINT64 : 0);
  else if (G_VALUE_HOLDS_DOUBLE (&value))
    g_value_set_double (&value, high ? G_MAXDOUBLE : -G_MAXDOUBLE);
  else
    return FALSE;
  g_param_value_validate (pspec, &value);
  g_object_set_property (G_OBJECT (element), pspec->name, &value);
  g_object_get_property (G_OBJECT (element), pspec->name, &now);
  g_assert_cmpint (g_param_values_cmp (pspec, &value, &now), ==, 0);
  return TRUE;
}

/* A frame goes in, and comes out; but below min-psnr-error, which says so. */
static void
pass_frame (Bench * bench, const gchar * name, guint n)
{
  const GstFlowReturn ret = gst_harness_push (bench->h,
      frame_new (&bench->info, n));
  GstBuffer *out = bench_pull (bench);
  GstMessage *message;

  if (strcmp (name, "min-psnr-error") == 0 && n == 1) {
    text_expect (bench_pop_text (bench, GST_MESSAGE_ERROR), name, NULL);
  } else {
    g_assert_cmpint (ret, ==, GST_FLOW_OK);
    g_assert_nonnull (out);
  }
  gst_clear_buffer (&out);
  /* What has no effect on the frame is said. */
  while ((message = bench_pop (bench, GST_MESSAGE_ELEMENT
              | GST_MESSAGE_WARNING)) != NULL)
    gst_message_unref (message);
}

static void
test_property (gconstpointer data)
{
  GParamSpec *pspec = (GParamSpec *) data;
  const GType type = pspec->value_type;
  g_autoptr (GstElement) element = gst_object_ref_sink (g_object_new
      (pspec->owner_type, NULL));
  GValue value = G_VALUE_INIT;
  gboolean ranges;
  Bench bench;

  if (G_TYPE_IS_ENUM (type) || G_TYPE_IS_FLAGS (type))
    g_assert_true (gst_type_is_plugin_api (type, NULL));
  g_object_get_property (G_OBJECT (element), pspec->name, &value);
  if (GST_VALUE_HOLDS_ARRAY (&value))
    g_assert_cmpuint (gst_value_array_get_size (&value), ==, 0);
  else if (!GST_VALUE_HOLDS_STRUCTURE (&value))
    g_assert_true (g_param_value_defaults (pspec, &value));
  g_value_unset (&value);
  ranges = set_end (element, pspec, FALSE) && set_end (element, pspec, TRUE);
  if (!ranges || !(pspec->flags & GST_PARAM_MUTABLE_PLAYING)
      || strcmp (g_type_name (pspec->owner_type), "GstBlockDct") != 0)
    return;
  bench_init (&bench, "I420", 40, 24, NULL);
  for (guint i = 0; i < 2; i++) {
    set_end (bench.element, pspec, i);
    pass_frame (&bench, pspec->name, i);
  }
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  static const gchar *const names[] = { "blockdct", "blockdctcompare",
    "blockdctpreview"
  };

  test_init (&argc, &argv);
  for (guint e = 0; e < G_N_ELEMENTS (names); e++) {
    g_autoptr (GstElement) element = element_new (names[e]);
    g_autofree GParamSpec **pspecs;
    guint n;

    pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
    for (guint i = 0; i < n; i++)
      if (pspecs[i]->owner_type == G_OBJECT_TYPE (element)) {
        g_autofree gchar *path = g_strdup_printf ("/contract/%s/%s", names[e],
            pspecs[i]->name);

        test_add_row (path, test_property, pspecs[i]);
      }
  }
  return test_run ();
}
