/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "curve.h"

#include <string.h>

gboolean
has_qp (BdctTransform transform)
{
  return transform != BDCT_JPEG_8X8 && transform != BDCT_DCT_8X8;
}

const gchar *
setting_name (BdctTransform transform)
{
  return has_qp (transform) ? "qp" : "quality";
}

void
set_deadzone (Bench * bench, BdctTransform transform)
{
  if (has_qp (transform))
    g_object_set (bench->element, "deadzone", 0.2, NULL);
}

gint
run_all (const gchar * format, guint n, BdctTransform transform,
    GstStructure * reports[MAX_SETTINGS])
{
  gint first = has_qp (transform) ? 0 : 1, last = has_qp (transform) ? 51 : 100;
  Bench bench;

  bench_init (&bench, format, WIDTH, HEIGHT, "transform", transform, "metrics",
      BENCH_BITS | 1 << BDCT_METRIC_SSIM, "threads", 1, NULL);
  set_deadzone (&bench, transform);
  for (gint i = first; i <= last; i++) {
    g_object_set (bench.element, setting_name (transform), i, NULL);
    bench_push (&bench, n);
    reports[i - first] = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (reports[i - first], setting_name (transform)), ==,
        i);
  }
  bench_clear (&bench);
  return last - first + 1;
}

void
free_all (GstStructure ** reports, gint n)
{
  for (gint i = 0; i < n; i++)
    gst_structure_free (reports[i]);
}

void
set_curve (Bench * bench, const gint * settings, guint n)
{
  set_array (bench->element, "curve", settings, n);
}

GstStructure *
pop_curve (Bench * bench, gint64 index)
{
  GstMessage *message = bench_pop (bench, GST_MESSAGE_ELEMENT);
  GstStructure *s;

  if (index < 0) {
    g_assert_null (message);
    return NULL;
  }
  g_assert_nonnull (message);
  s = gst_structure_copy (gst_message_get_structure (message));
  gst_message_unref (message);
  g_assert_true (gst_structure_has_name (s, "blockdct-curve"));
  g_assert_cmpuint (get_uint64 (s, "index"), ==, index);
  return s;
}

void
assert_warning (Bench * bench, const gchar * part, const gchar * other)
{
  text_expect (bench_pop_text (bench, GST_MESSAGE_WARNING), part, other, NULL);
  g_assert_null (bench_pop (bench, GST_MESSAGE_WARNING));
}
