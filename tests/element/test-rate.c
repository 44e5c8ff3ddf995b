/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * metrics=bits: what is said of bits, and of which frames; and the limits on
 * PSNR. */
#include <string.h>
#include "bench.h"
#include "dct/base/stats.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* Push frame `n` and add what it should cost to `sum`. */
static void
push (Bench * bench, guint n, const BdctParams * params, BdctStats * sum)
{
  GstBuffer *in = frame_new (&bench->info, n);
  BdctStats stats;

  frame_rate (&bench->info, in, params, &stats);
  bdct_stats_add (sum, &stats);
  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_OK);
}

/* Sums, of spans that had it all the time; a sum with an estimate in it is
 * one. */
static void
test_pooled (void)
{
  BdctStats all = { 0 }, pair = { 0 };
  BdctParams params = defaults;
  GstStructure *s;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 64, 48, "metrics", BENCH_BITS, "interval",
      2 * FRAME, "async-depth", 1, NULL);
  push (&bench, 0, &params, &pair);
  push (&bench, 1, &params, &pair);
  s = bench_pop_report (&bench, "interval");
  check_bits (s, &pair, TRUE);
  gst_structure_free (s);
  g_object_get (bench.element, "stats", &s, NULL);
  check_bits (s, &pair, TRUE);
  gst_structure_free (s);
  all = pair;
  pair = (BdctStats) { 0 };
  push (&bench, 2, &params, &pair);
  params.transform = BDCT_HEVC_16X16;
  g_object_set (bench.element, "transform", params.transform, NULL);
  push (&bench, 3, &params, &pair);
  s = bench_pop_report (&bench, "interval");
  check_bits (s, &pair, FALSE);
  gst_structure_free (s);
  bdct_stats_add (&all, &pair);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  s = bench_pop_report (&bench, "pooled");
  check_bits (s, &all, FALSE);
  gst_structure_free (s);
  g_object_get (bench.element, "stats", &s, NULL);
  check_bits (s, &all, FALSE);
  gst_structure_free (s);
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
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/rate/pooled", test_pooled);
  test_add ("/rate/behind-an-error", test_error_behind);
  return test_run ();
}
