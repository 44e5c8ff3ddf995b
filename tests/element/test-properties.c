/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties, above all those changed while playing. */
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif
#include "bench.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* Push frame `n` and check that it was made with these parameters. */
static void
check_next (Bench * bench, guint n, const BdctParams * params)
{
  const BdctTransformInfo *info = bdct_transform_info (params->transform);
  GstBuffer *in = frame_new (&bench->info, n), *expected, *out;
  gboolean exact = !test_on_cuda () || params->transform != BDCT_DCT_8X8;
  GstStructure *s;
  BdctStats stats;

  expected = frame_expect (&bench->info, in, params, &stats);
  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_OK);
  out = bench_take (bench);
  s = bench_pop_report (bench, "frame");
  g_assert_cmpstr (gst_structure_get_string (s, "transform"), ==, info->name);
  if (info->has_qp) {
    g_assert_cmpint (get_int (s, "qp"), ==, params->qp);
    g_assert_cmpfloat (get_double (s, "deadzone"), ==, params->deadzone);
    g_assert_false (gst_structure_has_field (s, "quality"));
  } else {
    g_assert_cmpint (get_int (s, "quality"), ==, params->quality);
    g_assert_false (gst_structure_has_field (s, "qp"));
    g_assert_false (gst_structure_has_field (s, "deadzone"));
  }
  if (exact) {
    g_assert_true (frames_equal (&bench->info, expected, out));
    check_figures (s, &stats, GST_VIDEO_INFO_COMP_DEPTH (&bench->info, 0));
  }
  gst_structure_free (s);
  gst_buffer_unref (expected);
  gst_buffer_unref (out);
}

/* A handler of one property's notification sees the whole set at work. */
static void
push_on_notify (GObject * object, GParamSpec * pspec, gpointer data)
{
  BdctParams params = defaults;

  (void) object, (void) pspec;
  params.transform = BDCT_HEVC_4X4;
  params.qp = 12;
  check_next (data, 0, &params);
}

static void
test_notify (void)
{
  Bench bench;
  gulong id;

  bench_init (&bench, "I420", 32, 32, NULL);
  id = g_signal_connect (bench.element, "notify::transform",
      G_CALLBACK (push_on_notify), &bench);
  g_object_set (bench.element, "transform", BDCT_HEVC_4X4, "qp", 12, NULL);
  g_signal_handler_disconnect (bench.element, id);
  bench_clear (&bench);
}

#ifdef HAVE_CONTROLLER
static void
test_controller (void)
{
  GstControlSource *source;
  BdctParams params = defaults;
  Bench bench;

  bench_init (&bench, "I420", 32, 32, "transform", BDCT_HEVC_8X8, NULL);
  source = gst_interpolation_control_source_new ();
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  g_assert_true (gst_object_add_control_binding (GST_OBJECT (bench.element),
          gst_direct_control_binding_new_absolute (GST_OBJECT (bench.element),
              "qp", source)));
  for (guint n = 0; n < 4; n++)
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (source), n * FRAME, 10 * n);
  params.transform = BDCT_HEVC_8X8;
  for (guint n = 0; n < 4; n++) {
    params.qp = 10 * n;
    check_next (&bench, n, &params);
  }
  gst_object_unref (source);
  bench_clear (&bench);
}

/* Time is the stream's, whatever the buffers' timestamps are. */
static void
test_controller_segment (void)
{
  GstControlSource *source;
  GstSegment segment;
  Bench bench;

  bench_init (&bench, "I420", 32, 32, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 2 * FRAME;
  segment.time = 100 * FRAME;
  gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
  source = gst_interpolation_control_source_new ();
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (bench.element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (bench.element),
          "quality", source));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 11);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      101 * FRAME, 77);
  for (guint n = 2; n < 4; n++) {
    GstStructure *s;

    bench_pass (&bench, n);
    s = bench_pop_report (&bench, "frame");
    g_assert_cmpint (get_int (s, "quality"), ==, n == 2 ? 11 : 77);
    gst_structure_free (s);
  }
  gst_object_unref (source);
  bench_clear (&bench);
}
#endif

/* quantization-matrix */

static void
check_matrix (GstElement * element, const gint * steps, guint n)
{
  GValue value = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (element), "quantization-matrix", &value);
  g_assert_cmpuint (gst_value_array_get_size (&value), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (g_value_get_int (gst_value_array_get_value (&value, i)),
        ==, steps[i]);
  g_value_unset (&value);
}

static void
test_matrix (void)
{
  BdctParams params = defaults;
  Bench bench;

  for (gint i = 0; i < 128; i++)
    params.steps[i] = 128 - i;
  bench_init (&bench, "NV12", 24, 16, NULL);
  check_matrix (bench.element, NULL, 0);
  for (guint n = 0; n < 3; n++) {
    params.n_steps = 128 - 64 * n;
    set_matrix (bench.element, params.steps, params.n_steps);
    check_matrix (bench.element, params.steps, params.n_steps);
    check_next (&bench, n, &params);
  }
  bench_clear (&bench);
}

/* A matrix that no stream can have is refused with a warning that names what is
 * wrong, and the old one stays, in the property and at work. */
static void
test_bad_matrix (void)
{
  static const struct
  {
    guint n;
    gint index, value;
    const gchar *named;
    BdctTransform transform;
  } cases[] = {
    {63, 0, 1, "63", BDCT_JPEG_8X8}, {65, 0, 1, "65", BDCT_JPEG_8X8},
    {1, 0, 1, "1", BDCT_DCT_8X8}, {127, 0, 1, "127", BDCT_DCT_8X8},
    {129, 0, 1, "129", BDCT_DCT_8X8}, {1000, 0, 1, "1000", BDCT_DCT_8X8},
    {64, 0, 0, " 0 ", BDCT_DCT_8X8}, {64, 63, -1, "-1", BDCT_DCT_8X8},
    {128, 127, 32768, "32768", BDCT_DCT_8X8},
    {64, 5, G_MININT, "-2147483648", BDCT_DCT_8X8},
    {64, 7, 32768, "32768", BDCT_JPEG_8X8}, {64, 7, 0, " 0 ", BDCT_HEVC_8X8},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    BdctParams params = defaults;
    gint steps[1000];
    Bench bench;

    for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
      steps[s] = 1 + s % 99;
    bench_init (&bench, "I420", 16, 16, "transform", cases[i].transform, NULL);
    params.transform = cases[i].transform;
    params.n_steps = 64;
    memcpy (params.steps, steps, 64 * sizeof steps[0]);
    set_matrix (bench.element, steps, 64);
    check_next (&bench, 0, &params);

    steps[cases[i].index] = cases[i].value;
    set_matrix (bench.element, steps, cases[i].n);
    text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING),
        "quantization-matrix", cases[i].named, NULL);
    check_matrix (bench.element, params.steps, 64);
    check_next (&bench, 1, &params);
    bench_clear (&bench);
  }
}

/* Entries an 8-bit jpeg-8x8 cannot have, where other uses can. */
static void
test_large_matrix (void)
{
  BdctParams params = defaults;
  Bench bench;

  for (guint i = 0; i < 64; i++)
    params.steps[i] = 300;
  params.n_steps = 64;

  /* Above 8 bits. */
  bench_init (&bench, "I420_10LE", 16, 16, NULL);
  set_matrix (bench.element, params.steps, 64);
  check_next (&bench, 0, &params);
  /* The stream becomes one of 8 bits: set aside, and said so once. The property
   * keeps its value. */
  bench_set_caps (&bench, "I420", 16, 16);
  params.n_steps = 0;
  bench_pass (&bench, 1);
  /* What was measured at 10 bits is pooled on its own. */
  gst_structure_free (bench_pop_report (&bench, "pooled"));
  gst_structure_free (bench_pop_report (&bench, "frame"));
  text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING),
      "quantization-tables=matrix", "300", NULL);
  check_matrix (bench.element, params.steps, 64);
  check_next (&bench, 2, &params);
  bench_clear (&bench);

  /* dct-8x8, and then jpeg-8x8. */
  params.transform = BDCT_DCT_8X8;
  params.n_steps = 64;
  bench_init (&bench, "I420", 16, 16, "transform", BDCT_DCT_8X8, NULL);
  set_matrix (bench.element, params.steps, 64);
  check_next (&bench, 0, &params);
  g_object_set (bench.element, "transform", BDCT_JPEG_8X8, NULL);
  params.transform = BDCT_JPEG_8X8;
  params.n_steps = 0;
  check_next (&bench, 1, &params);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING), "300", NULL);
  check_matrix (bench.element, params.steps, 64);
  check_next (&bench, 2, &params);

  /* It is at work again where it is allowed; the next time that it is not is
   * said again. */
  params.transform = BDCT_DCT_8X8;
  params.n_steps = 64;
  g_object_set (bench.element, "transform", BDCT_DCT_8X8, NULL);
  check_next (&bench, 3, &params);
  g_object_set (bench.element, "transform", BDCT_JPEG_8X8, NULL);
  params.transform = BDCT_JPEG_8X8;
  params.n_steps = 0;
  check_next (&bench, 4, &params);
  g_free (bench_pop_text (&bench, GST_MESSAGE_WARNING));
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/properties/notify", test_notify);
#ifdef HAVE_CONTROLLER
  test_add ("/element/properties/controller", test_controller);
  test_add ("/element/properties/controller-segment",
      test_controller_segment);
#endif
  test_add ("/element/properties/matrix", test_matrix);
  test_add ("/element/properties/bad-matrix", test_bad_matrix);
  test_add ("/element/properties/large-matrix", test_large_matrix);
  return test_run ();
}
