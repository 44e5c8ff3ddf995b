/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `deadzone` where more than one setting is at work: in a curve, behind a
 * target, and in regions, against an element that is given one setting after
 * another. */
#include "curve.h"

#define MAX_QP 51
#define W 96
#define H 64

static const struct
{
  BdctTransform transform;
  gdouble deadzone;
} cases[] = {
  {BDCT_HEVC_8X8, 0.2},
  {BDCT_HEVC_QUADTREE, 0.25},
  {BDCT_H264_8X8, 0.2},
};

static void
init (Bench * bench, guint i, gint qp)
{
  bench_init (bench, "NV12", W, H, "transform", cases[i].transform, "deadzone",
      cases[i].deadzone, "qp", qp, "metrics",
      BENCH_BITS, NULL);
}

/* A frame at one QP; `report` receives its figures, unless it is NULL. */
static GstBuffer *
run_single (guint i, gint qp, GstStructure ** report)
{
  GstStructure *s;
  GstBuffer *out;
  Bench bench;

  init (&bench, i, qp);
  bench_push (&bench, 0);
  out = bench_pull (&bench);
  s = bench_pop_report (&bench, "frame");
  if (report != NULL)
    *report = gst_structure_copy (s);
  gst_structure_free (s);
  bench_clear (&bench);
  return out;
}

static GstStructure *
get_report (guint i, gint qp)
{
  GstStructure *report;

  gst_buffer_unref (run_single (i, qp, &report));
  return report;
}

static gdouble
get_item (const GstStructure * s, const gchar * name, guint i)
{
  return g_value_get_double (gst_value_array_get_value
      (gst_structure_get_value (s, name), i));
}

static void
test_curve (void)
{
  static const gint settings[] = { 14, 30, 45 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstStructure *s;
    Bench bench;

    init (&bench, i, 26);
    set_curve (&bench, settings, G_N_ELEMENTS (settings));
    gst_structure_free (bench_report (&bench, 0));
    s = pop_curve (&bench, 0);
    for (guint k = 0; k < G_N_ELEMENTS (settings); k++) {
      GstStructure *report = get_report (i, settings[k]);

      g_assert_cmpfloat (get_item (s, "psnr", k), ==,
          get_double (report, "psnr"));
      g_assert_cmpfloat (get_item (s, "bits-estimated", k), ==,
          get_double (report, "bits-estimated"));
      gst_structure_free (report);
    }
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* The coarsest QP that keeps a PSNR, and the finest that keeps to a size. */
static void
test_targets (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstStructure *reports[MAX_QP + 1], *s;
    gint expected[2] = { 0, MAX_QP };
    gdouble psnr, bpp;
    Bench bench;

    for (gint qp = 0; qp <= MAX_QP; qp++)
      reports[qp] = get_report (i, qp);
    psnr = get_double (reports[31], "psnr") - 0.01;
    bpp = get_double (reports[24], "bpp") + 1e-4;
    for (gint qp = 0; qp <= MAX_QP; qp++) {
      if (get_double (reports[qp], "psnr") >= psnr)
        expected[0] = qp;
      if (get_double (reports[MAX_QP - qp], "bpp") <= bpp)
        expected[1] = MAX_QP - qp;
    }
    for (guint k = 0; k < 2; k++) {
      init (&bench, i, 26);
      g_object_set (bench.element, k ? "target-bpp" : "target-psnr",
          k ? bpp : psnr, NULL);
      s = bench_report (&bench, 0);
      g_assert_cmpint (get_int (s, "qp"), ==, expected[k]);
      g_assert_cmpfloat (get_double (s, "psnr"), ==,
          get_double (reports[expected[k]], "psnr"));
      g_assert_cmpfloat (get_double (s, "bpp"), ==,
          get_double (reports[expected[k]], "bpp"));
      g_assert_cmpfloat (get_double (s, "deadzone"), ==, cases[i].deadzone);
      gst_structure_free (s);
      bench_clear (&bench);
    }
    free_all (reports, MAX_QP + 1);
  }
}

/* The left third has a QP of its own: each block is as in a frame of its QP
 * alone, but where a tree's first states are those of the frame's QP. */
static void
test_regions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *in, *out, *inside, *outside;
    gint *samples[3], w, h;
    Bench bench;

    if (cases[i].transform == BDCT_HEVC_QUADTREE)
      continue;
    init (&bench, i, 34);
    in = frame_new (&bench.info, 0);
    gst_video_region_of_interest_meta_add_param
        (gst_buffer_add_video_region_of_interest_meta (in, "thing", 0, 0, W / 3,
            H), gst_structure_new ("roi/blockdct", "delta-qp", G_TYPE_INT, -9,
            NULL));
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    out = bench_pull (&bench);
    gst_structure_free (bench_pop_report (&bench, "frame"));
    inside = run_single (i, 34 - 9, NULL);
    outside = run_single (i, 34, NULL);
    for (gint c = 0; c < 3; c++) {
      samples[0] = frame_samples (&bench.info, out, c, &w, &h);
      samples[1] = frame_samples (&bench.info, inside, c, &w, &h);
      samples[2] = frame_samples (&bench.info, outside, c, &w, &h);
      for (gint k = 0; k < w * h; k++)
        g_assert_cmpint (samples[0][k], ==,
            samples[k % w < w / 3 ? 1 : 2][k]);
      for (guint k = 0; k < 3; k++)
        g_free (samples[k]);
    }
    gst_buffer_unref (out);
    gst_buffer_unref (inside);
    gst_buffer_unref (outside);
    bench_clear (&bench);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/quantizer/curve", test_curve);
  test_add ("/quantizer/targets", test_targets);
  test_add ("/quantizer/regions", test_regions);
  return test_run ();
}
