/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * metrics=bits: what is said of bits, and of which frames; and the limits on
 * PSNR. */
#include <string.h>
#include "bench.h"
#include "dct/base/stats.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static const gchar *const exact_names[] = { "bits", "bits-y", "bits-u",
  "bits-v", "bits-optimized", "file-size", "file-size-optimized"
};

static const gchar *const estimated_names[] = { "bits-estimated",
  "bits-estimated-y", "bits-estimated-u", "bits-estimated-v"
};

static void
assert_none (const GstStructure * s, const gchar * const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_false (gst_structure_has_field (s, names[i]));
}

static void
assert_exact (const GstStructure * s, const BdctStats * stats)
{
  guint64 bits = 0;

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];

    g_assert_cmpint (gst_structure_has_field (s, exact_names[1 + c]), ==,
        counters->samples > 0);
    if (counters->samples > 0)
      g_assert_cmpuint (get_uint64 (s, exact_names[1 + c]), ==,
          counters->bits);
    bits += counters->bits;
  }
  g_assert_cmpuint (bits, >, 0);
  g_assert_cmpuint (get_uint64 (s, "bits"), ==, bits);
  g_assert_cmpuint (get_uint64 (s, "bits-optimized"), ==,
      stats->bits_optimized);
  g_assert_cmpuint (get_uint64 (s, "file-size"), ==, stats->file_size);
  g_assert_cmpuint (get_uint64 (s, "file-size-optimized"), ==,
      stats->file_size_optimized);
  g_assert_cmpfloat (get_double (s, "bpp"), ==,
      (gdouble) bits / stats->component[0].samples);
  assert_none (s, estimated_names, G_N_ELEMENTS (estimated_names));
}

static void
assert_estimated (const GstStructure * s, const BdctStats * stats)
{
  guint64 bits = 0;

  for (guint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctCounters *counters = &stats->component[c];

    g_assert_cmpint (gst_structure_has_field (s, estimated_names[1 + c]), ==,
        counters->samples > 0);
    if (counters->samples > 0)
      g_assert_cmpfloat (get_double (s, estimated_names[1 + c]), ==,
          counters->bits);
    bits += counters->bits;
  }
  g_assert_cmpuint (bits, >, 0);
  g_assert_cmpfloat (get_double (s, "bits-estimated"), ==, bits);
  g_assert_cmpfloat (get_double (s, "bpp"), ==,
      (gdouble) bits / stats->component[0].samples);
  assert_none (s, exact_names, G_N_ELEMENTS (exact_names));
}

/* In the message and on the buffer, what the engine says when called directly:
 * by format and transform. */
static void
test_by_format (void)
{
  static const gchar *formats[] = { "GRAY8", "I420", "NV21", "Y42B", "Y444",
    "I420_10LE", "P012_LE"
  };
  static const BdctTransform transforms[] = { BDCT_JPEG_8X8, BDCT_HEVC_8X8,
    BDCT_H264_4X4, BDCT_VVC_64X64, BDCT_DCT_8X8
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint t = 0; t < G_N_ELEMENTS (transforms) - test_on_cuda (); t++) {
      BdctParams params = defaults;
      GstBuffer *in, *out;
      GstStructure *s;
      BdctStats stats;
      Bench bench;

      params.transform = transforms[t];
      bench_init (&bench, formats[f], 61, 35, "metrics", BENCH_BITS,
          "transform", transforms[t], NULL);
      in = frame_new (&bench.info, t);
      frame_rate (&bench.info, in, &params, &stats);
      gst_harness_push (bench.h, in);
      out = bench_pull (&bench);
      s = bench_pop_report (&bench, "frame");
      g_assert_true (gst_structure_is_equal (s, buffer_report (out)));
      if (params.transform == BDCT_JPEG_8X8
          && GST_VIDEO_INFO_COMP_DEPTH (&bench.info, 0) == 8)
        assert_exact (s, &stats);
      else
        assert_estimated (s, &stats);
      check_figures (s, &stats, GST_VIDEO_INFO_COMP_DEPTH (&bench.info, 0));
      gst_structure_free (s);
      gst_buffer_unref (out);
      bench_clear (&bench);
    }
}

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
  Bench bench;

  bench_init (&bench, "I420", 64, 48, "metrics", BENCH_BITS, "interval",
      2 * FRAME, "async-depth", 1, NULL);
  push (&bench, 0, &params, &pair);
  push (&bench, 1, &params, &pair);
  s = bench_pop_report (&bench, "interval");
  assert_exact (s, &pair);
  gst_structure_free (s);
  g_object_get (bench.element, "stats", &s, NULL);
  assert_exact (s, &pair);
  gst_structure_free (s);
  all = pair;
  pair = (BdctStats) { 0 };
  push (&bench, 2, &params, &pair);
  params.transform = BDCT_HEVC_16X16;
  g_object_set (bench.element, "transform", params.transform, NULL);
  push (&bench, 3, &params, &pair);
  s = bench_pop_report (&bench, "interval");
  assert_estimated (s, &pair);
  gst_structure_free (s);
  bdct_stats_add (&all, &pair);
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  s = bench_pop_report (&bench, "pooled");
  assert_estimated (s, &all);
  gst_structure_free (s);
  g_object_get (bench.element, "stats", &s, NULL);
  assert_estimated (s, &all);
  gst_structure_free (s);
  bench_clear (&bench);
}

/* A frame below the limit is said, with its figures, and ends the stream. */
static void
test_error (void)
{
  GstStructure *s;
  Bench bench;

  bench_init (&bench, "I420", 64, 48, "min-psnr-error", 30.0, "async-depth", 1,
      NULL);
  gst_structure_free (bench_report (&bench, 0));
  g_object_set (bench.element, "quality", 3, NULL);
  g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, 1)), ==,
      GST_FLOW_ERROR);
  s = bench_pop_report (&bench, "frame");
  g_assert_cmpfloat (get_double (s, "psnr"), <, 30);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_ERROR),
      "Frame 1 at 0:00:00.04", "min-psnr-error=30", "jpeg-8x8", NULL);
  gst_structure_free (s);
  /* What enters from now on may be as bad as it likes. */
  g_object_set (bench.element, "min-psnr-error", 0.0, NULL);
  bench_push (&bench, 2);
  bench_clear (&bench);
}

/* What to do about it depends on where the steps come from. */
static void
test_advice (void)
{
  static const struct
  {
    const gchar *property, *value, *transform, *made, *advice;
  } cases[] = {
    {"quality", "3", "jpeg-8x8", "quality=3", "a finer setting"},
    {"qp", "50", "hevc-8x8", "qp=50", "a finer setting"},
    {"target-size", "1", "jpeg-8x8", "chosen for target-size=1",
        "another target"},
    {"quantization-matrix", NULL, "jpeg-8x8", "quantization-matrix",
        "smaller steps"},
    {"quantization-matrix", NULL, "hevc-8x8", "qp=", "a finer setting"},
  };
  gint steps[64];

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    steps[i] = 255;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstMessage *message;
    GError *error;
    gchar *debug;
    Bench bench;

    bench_init (&bench, "I420", 64, 48, "min-psnr-error", 60.0, "async-depth",
        1, NULL);
    element_set (bench.element, "transform", cases[i].transform);
    if (cases[i].value != NULL)
      gst_util_set_object_arg (G_OBJECT (bench.element), cases[i].property,
          cases[i].value);
    else
      set_matrix (bench.element, steps, G_N_ELEMENTS (steps));
    g_assert_cmpint (gst_harness_push (bench.h, frame_new (&bench.info, 0)),
        ==, GST_FLOW_ERROR);
    message = bench_pop (&bench, GST_MESSAGE_ERROR);
    gst_message_parse_error (message, &error, &debug);
    g_test_message ("%s", debug);
    g_assert_nonnull (strstr (debug, cases[i].made));
    g_assert_nonnull (strstr (debug, cases[i].advice));
    g_error_free (error);
    g_free (debug);
    gst_message_unref (message);
    while ((message = bench_pop (&bench, GST_MESSAGE_WARNING)) != NULL)
      gst_message_unref (message);
    bench_clear (&bench);
  }
}

/* Frames that are in flight behind it go with it. */
static void
test_error_behind (void)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstStructure *s;
  Bench bench;

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
  bench_clear (&bench);
}

/* Once, until a frame is above it again. */
static void
test_warning (void)
{
  static const gint quality[] = { 90, 3, 3, 90, 3, 3 };
  Bench bench;

  bench_init (&bench, "I420", 64, 48, "min-psnr-warning", 30.0, NULL);
  for (guint n = 0; n < G_N_ELEMENTS (quality); n++) {
    gboolean due = n == 1 || n == 4;

    g_object_set (bench.element, "quality", quality[n], NULL);
    gst_structure_free (bench_report (&bench, n));
    if (due) {
      gchar *frame = g_strdup_printf ("Frame %u at ", n);

      text_expect (bench_pop_text (&bench, GST_MESSAGE_WARNING), frame,
          "min-psnr-warning=30", NULL);
      g_free (frame);
    }
    g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  }
  bench_clear (&bench);
}

/* Flat frames are identical: the capped mean stays finite. */
static void
test_capped (void)
{
  static const struct
  {
    const gchar *format;
    gdouble cap;
  } depths[] = {
    {"I420", 60}, {"I420_10LE", 72}, {"I420_12LE", 84}
  };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    GstStructure *s;
    gdouble first;
    Bench bench;

    bench_init (&bench, depths[i].format, 64, 48, NULL);
    s = bench_report (&bench, 0);
    first = get_double (s, "psnr");
    gst_structure_free (s);
    for (guint n = 1; n < 3; n++) {
      GstBuffer *in = frame_new (&bench.info, n);

      gst_buffer_memset (in, 0, 0, bench.info.size);
      gst_harness_push (bench.h, in);
      gst_structure_free (bench_pop_report (&bench, "frame"));
    }
    gst_harness_push_event (bench.h, gst_event_new_eos ());
    s = bench_pop_report (&bench, "pooled");
    g_assert_true (get_double (s, "psnr-mean") > 1e300);
    g_assert_cmpfloat_with_epsilon (get_double (s, "psnr-mean-capped"),
        (first + 2 * depths[i].cap) / 3, 1e-9);
    gst_structure_free (s);
    bench_clear (&bench);
  }
}

/* After a seek back, too, the pooled duration is from the earliest frame to
 * the end of the latest. */
static void
test_duration (void)
{
  static const guint frames[] = { 10, 11, 12, 4, 5 };
  GstStructure *s;
  Bench bench;

  bench_init (&bench, "I420", 16, 16, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    gst_structure_free (bench_report (&bench, frames[i]));
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  s = bench_pop_report (&bench, "pooled");
  g_assert_cmpuint (get_uint64 (s, "timestamp"), ==, 10 * FRAME);
  g_assert_cmpuint (get_uint64 (s, "duration"), ==, 9 * FRAME);
  gst_structure_free (s);
  bench_clear (&bench);
}

static void
assert_told (Bench * bench, const gchar * name, const gchar * transform)
{
  GstMessage *message = bench_pop (bench, GST_MESSAGE_INFO);
  gchar *expected;
  GError *error;

  if (name == NULL) {
    g_assert_null (message);
    return;
  }
  expected = g_strdup_printf ("%s has no effect with transform=%s.", name,
      transform);
  g_assert_nonnull (message);
  gst_message_parse_info (message, &error, NULL);
  g_assert_cmpstr (error->message, ==, expected);
  g_error_free (error);
  g_free (expected);
  gst_message_unref (message);
}

/* What was set and has no effect is said, once for each transform. */
static void
test_idle (void)
{
  gint steps[64];
  Bench bench;

  bench_init (&bench, "I420", 64, 48, NULL);
  bench_push (&bench, 0);
  assert_told (&bench, NULL, NULL);
  g_object_set (bench.element, "qp", 26, "quality", 85, NULL);
  bench_push (&bench, 1);
  assert_told (&bench, "qp", "jpeg-8x8");
  g_object_set (bench.element, "qp", 20, "scaling-list", 1, NULL);
  bench_push (&bench, 2);
  assert_told (&bench, "scaling-list", "jpeg-8x8");
  assert_told (&bench, NULL, NULL);
  g_object_set (bench.element, "transform", BDCT_H264_8X8, NULL);
  for (guint i = 0; i < 64; i++)
    steps[i] = 10;
  set_matrix (bench.element, steps, 64);
  bench_push (&bench, 3);
  assert_told (&bench, "quality", "h264-8x8");
  assert_told (&bench, "scaling-list", "h264-8x8");
  assert_told (&bench, "quantization-tables", "h264-8x8");
  assert_told (&bench, "quantization-matrix", "h264-8x8");
  bench_push (&bench, 4);
  assert_told (&bench, NULL, NULL);
  bench_clear (&bench);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/rate/formats", test_by_format);
  test_add ("/rate/pooled", test_pooled);
  test_add ("/rate/min-psnr-error", test_error);
  test_add ("/rate/min-psnr-error-advice", test_advice);
  test_add ("/rate/behind-an-error", test_error_behind);
  test_add ("/rate/min-psnr-warning", test_warning);
  test_add ("/rate/psnr-mean-capped", test_capped);
  test_add ("/rate/duration", test_duration);
  test_add ("/rate/idle", test_idle);
  return test_run ();
}
