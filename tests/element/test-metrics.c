/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `metrics`: what is said, of which frames; and of those behind one that is
 * below a limit on PSNR. */
#include <math.h>
#include <string.h>
#include "bench.h"
#include "dct/base/stats.h"

#define WIDTH 192
#define HEIGHT 176

static const gchar *const names[] = {
  "ssim-y", "ssim-u", "ssim-v", "ssim", "ms-ssim-y", "psnr-hvs-y",
  "psnr-hvs-u", "psnr-hvs-v", "psnr-hvs", "xpsnr-y", "xpsnr-u", "xpsnr-v"
};

static guint
count_fields (const GstStructure * s)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    n += gst_structure_has_field_typed (s, names[i], G_TYPE_DOUBLE);
  return n;
}

static GstStructure *
push (Bench * bench, guint n)
{
  g_autoptr (GstBuffer) out;
  GstStructure *s;

  bench_push (bench, n);
  out = bench_pull (bench);
  s = bench_pop_report (bench, "frame");
  g_assert_true (gst_structure_is_equal (s, buffer_report (out)));
  return s;
}

/* All of them at once; none of those that are not asked for; and where they are
 * pooled their mean, or nothing if a frame had none. */
static void
test_fields (void)
{
  gdouble sum = 0, hvs = 0;
  GstStructure *s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", WIDTH, HEIGHT, NULL);
  element_set (bench.element, "metrics", "ssim+ms-ssim+psnr-hvs+xpsnr");
  for (guint n = 0; n < 4; n++) {
    s = push (&bench, n);
    g_assert_cmpuint (count_fields (s), ==, G_N_ELEMENTS (names));
    sum += get_double (s, "ssim");
    hvs += get_double (s, "psnr-hvs-u");
    g_assert_cmpfloat (get_double (s, "ssim"), <, 1);
    gst_structure_free (s);
  }
  g_object_get (bench.element, "stats", &s, NULL);
  g_assert_cmpuint (count_fields (s), ==, G_N_ELEMENTS (names));
  g_assert_cmpfloat_with_epsilon (get_double (s, "ssim"), sum / 4, 1e-12);
  g_assert_cmpfloat_with_epsilon (get_double (s, "psnr-hvs-u"), hvs / 4, 1e-9);
  gst_structure_free (s);

  element_set (bench.element, "metrics", "ssim");
  s = push (&bench, 4);
  g_assert_cmpuint (count_fields (s), ==, 4);
  gst_structure_free (s);
  g_object_get (bench.element, "stats", &s, NULL);
  g_assert_cmpuint (count_fields (s), ==, 4);
  gst_structure_free (s);
  g_object_set (bench.element, "metrics", 0, NULL);
  s = push (&bench, 5);
  g_assert_cmpuint (count_fields (s), ==, 0);
  gst_structure_free (s);
  g_assert_true (gst_harness_push_event (bench.h, gst_event_new_eos ()));
  s = bench_pop_report (&bench, "pooled");
  g_assert_cmpuint (count_fields (s), ==, 0);
  gst_structure_free (s);
}

/* Not compared with frames from before a flush, whether they have left or were
 * dropped by it. */
static void
test_flush (void)
{
  gdouble alone[4];
  GstSegment segment;
  GstStructure *s;
  Bench bench;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint depth = 1; depth <= 4; depth++) {
    for (guint before = 0; before < 6; before++) {
      bench_init (&bench, "I420", WIDTH, HEIGHT, "async-depth", depth, NULL);
      element_set (bench.element, "metrics", "xpsnr");
      for (guint n = 0; n < before; n++)
        bench_push (&bench, 100 + n);
      for (guint n = depth; n <= before; n++)
        gst_structure_free (bench_pop_report (&bench, "frame"));
      if (before > 0) {
        gst_harness_push_event (bench.h, gst_event_new_flush_start ());
        gst_harness_push_event (bench.h, gst_event_new_flush_stop (TRUE));
        gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
      }
      for (guint n = 0; n < G_N_ELEMENTS (alone); n++)
        bench_push (&bench, n);
      g_assert_true (gst_harness_push_event (bench.h, gst_event_new_eos ()));
      for (guint n = 0; n < G_N_ELEMENTS (alone); n++) {
        s = bench_pop_report (&bench, "frame");
        if (depth == 1 && before == 0)
          alone[n] = get_double (s, "xpsnr-y");
        g_assert_cmpfloat (get_double (s, "xpsnr-y"), ==, alone[n]);
        gst_structure_free (s);
      }
      gst_structure_free (bench_pop_report (&bench, "pooled"));
      bench_clear (&bench);
    }
  }
}

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* Push frame `n` and add what it should cost to `sum`. */
static void
push_rated (Bench * bench, guint n, const BdctParams * params, BdctStats * sum)
{
  GstBuffer *in = frame_new (&bench->info, n);
  BdctStats stats;

  frame_rate (&bench->info, in, params, &stats);
  bdct_stats_add (sum, &stats);
  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_OK);
}

/* The next report has the sum of a span, and `stats` that of all frames. */
static void
check_sums (Bench * bench, const gchar * type, const BdctStats * span,
    const BdctStats * all, gboolean exact)
{
  GstStructure *s = bench_pop_report (bench, type);

  check_bits (s, span, exact);
  gst_structure_free (s);
  g_object_get (bench->element, "stats", &s, NULL);
  check_bits (s, all, exact);
  gst_structure_free (s);
}

/* A sum with an estimate in it is one. */
static void
test_pooled (void)
{
  BdctStats all = { 0 }, pair = { 0 };
  BdctParams params = defaults;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "metrics", BENCH_BITS, "interval",
      2 * FRAME, "async-depth", 1, NULL);
  push_rated (&bench, 0, &params, &pair);
  push_rated (&bench, 1, &params, &pair);
  check_sums (&bench, "interval", &pair, &pair, TRUE);
  all = pair;
  pair = (BdctStats) { 0 };
  push_rated (&bench, 2, &params, &pair);
  params.transform = BDCT_HEVC_16X16;
  g_object_set (bench.element, "transform", params.transform, NULL);
  push_rated (&bench, 3, &params, &pair);
  bdct_stats_add (&all, &pair);
  check_sums (&bench, "interval", &pair, &all, FALSE);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  check_sums (&bench, "pooled", &all, &all, FALSE);
}

/* Frames that are in flight behind it go with it. */
static void
test_error_behind (void)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstStructure *s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "min-psnr-error", 30.0, "async-depth", 4,
      "quality", 3, NULL);
  for (guint n = 0; n < 8 && ret == GST_FLOW_OK; n++)
    ret = gst_harness_push (bench.h, frame_new (&bench.info, n));
  g_assert_cmpint (ret, ==, GST_FLOW_ERROR);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  g_assert_cmpuint (gst_harness_buffers_received (bench.h), ==, 0);
  s = bench_pop_report (&bench, "frame");
  g_assert_cmpuint (get_uint64 (s, "index"), ==, 0);
  gst_structure_free (s);
  g_free (bench_pop_text (&bench, GST_MESSAGE_ERROR));
  g_assert_null (bench_pop (&bench, GST_MESSAGE_ERROR));
  s = bench_pop_report (&bench, "pooled");
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
  gst_structure_free (s);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/metrics/fields", test_fields);
  test_add ("/metrics/flush", test_flush);
  test_add ("/metrics/bits", test_pooled);
  test_add ("/metrics/behind-an-error", test_error_behind);
  return test_run ();
}
