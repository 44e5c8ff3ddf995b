/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree in the element: its properties, what is refused of them, its
 * figures, and the views that know of it. The trees themselves are a matter of
 * tests/differential. */
#include <string.h>
#include "bench.h"

#define W 140
#define H 90

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static void
check_blocks (Bench * bench, gint min_block, gint max_block)
{
  gint a, b;

  g_object_get (bench->element, "min-block", &a, "max-block", &b, NULL);
  g_assert_cmpint (a, ==, min_block);
  g_assert_cmpint (b, ==, max_block);
}

/* What is no side is refused by name, and the old one stays. */
static void
test_sides (void)
{
  static const struct
  {
    const gchar *name;
    gint side;
  } bad[] = { {"min-block", 5}, {"max-block", 31}, {"max-block", 24} };
  Bench bench;

  bench_init (&bench, "I420", W, H, NULL);
  check_blocks (&bench, 4, 32);
  g_object_set (bench.element, "min-block", 8, "max-block", 16, NULL);
  check_blocks (&bench, 8, 16);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *expected = g_strdup_printf ("%s was not changed: %d is not "
        "4, 8, 16 or 32.", bad[i].name, bad[i].side);

    g_object_set (bench.element, bad[i].name, bad[i].side, NULL);
    text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING), expected, NULL);
    g_free (expected);
    check_blocks (&bench, 8, 16);
  }
  bench_clear (&bench);
}

/* A smallest block above the largest one counts as that. */
static void
test_crossed (void)
{
  GstStructure *s;
  Bench bench;

  bench_init (&bench, "I420", W, H, "transform", BDCT_HEVC_QUADTREE,
      "min-block", 32, "max-block", 8, NULL);
  bench_pass (&bench, 0);
  check_blocks (&bench, 32, 8);
  s = bench_pop_report (&bench, "frame");
  g_assert_cmpfloat (get_double (s, "area-8"), ==, 1);
  gst_structure_free (s);
  bench_clear (&bench);
}

static void
check_areas (const GstStructure * s, const BdctStats * stats)
{
  static const gchar *const names[] = { "area-4", "area-8", "area-16",
    "area-32"
  };

  for (guint i = 0; i < 4; i++)
    if (stats == NULL)
      g_assert_false (gst_structure_has_field (s, names[i]));
    else
      g_assert_cmpfloat (get_double (s, names[i]), ==,
          (gdouble) stats->area[i] / (W * H));
}

static void
check_quantizer (const GstStructure * s, const BdctParams * params)
{
  g_assert_cmpfloat (get_double (s, "deadzone"), ==, params->deadzone);
}

/* Changes while it runs are the next frame's; message, meta, stats and what
 * comes out are the engine's. */
static void
test_figures (void)
{
  static const struct
  {
    BdctTransform transform;
    gint min_block, max_block;
    gdouble lambda_scale;
    gdouble deadzone;
  } steps[] = {
    {BDCT_HEVC_QUADTREE, 4, 32, 1, 1.0 / 3},
    {BDCT_HEVC_QUADTREE, 8, 16, 1, 1.0 / 6},
    {BDCT_HEVC_QUADTREE, 4, 32, 0, 0.25},
    {BDCT_HEVC_QUADTREE, 4, 32, 20, 1.0 / 3},
    {BDCT_HEVC_8X8, 4, 32, 1, 0.2},
  };
  GstStructure *s, *all;
  Bench bench;

  bench_init (&bench, "NV12", W, H, "transform", BDCT_HEVC_QUADTREE, "metrics",
      BENCH_BITS, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    GstBuffer *in = frame_new (&bench.info, i), *out, *expected;
    BdctParams params = defaults;
    BdctStats stats, rated;

    params.transform = steps[i].transform;
    params.min_block = steps[i].min_block;
    params.max_block = steps[i].max_block;
    params.lambda_scale = steps[i].lambda_scale;
    params.deadzone = steps[i].deadzone;
    g_object_set (bench.element, "deadzone", params.deadzone,
        "transform", params.transform, "min-block",
        params.min_block, "max-block", params.max_block, "lambda-scale",
        params.lambda_scale, NULL);
    expected = frame_expect (&bench.info, in, &params, &stats);
    frame_rate (&bench.info, in, &params, &rated);
    out = bench_frame (&bench, i, &s);
    g_assert_true (frames_equal (&bench.info, out, expected));
    check_figures (s, &stats, 8);
    g_assert_cmpfloat (get_double (s, "bits-estimated"), ==,
        (gdouble) bdct_stats_total (&rated).bits);
    check_areas (s, steps[i].transform == BDCT_HEVC_QUADTREE ? &stats : NULL);
    check_quantizer (s, &params);
    gst_structure_free (s);
    check_quantizer (buffer_report (out), &params);
    check_areas (buffer_report (out),
        steps[i].transform == BDCT_HEVC_QUADTREE ? &stats : NULL);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
    gst_buffer_unref (expected);
  }
  g_object_get (bench.element, "stats", &all, NULL);
  g_assert_cmpfloat_with_epsilon (get_double (all, "area-4")
      + get_double (all, "area-8") + get_double (all, "area-16")
      + get_double (all, "area-32"), 1, 1e-9);
  gst_structure_free (all);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/quadtree/sides", test_sides);
  test_add ("/quadtree/crossed", test_crossed);
  test_add ("/quadtree/figures", test_figures);
  return test_run ();
}
