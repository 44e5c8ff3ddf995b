/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Targets, which choose a frame's setting, against an element that is given one
 * setting after another. */
#include "bench.h"

#define MAX_SETTINGS 100
#define WIDTH 45
#define HEIGHT 27

/* Whether a transform has a QP, and the name of the property that it has. */
static gboolean
has_qp (BdctTransform transform)
{
  return bdct_transform_info (transform)->has_qp;
}

static const gchar *
setting_name (BdctTransform transform)
{
  return has_qp (transform) ? "qp" : "quality";
}

/* Another one than the default, where the transform has any: all that chooses
 * settings has to keep the rest. */
static void
set_deadzone (Bench * bench, BdctTransform transform)
{
  if (has_qp (transform))
    g_object_set (bench->element, "deadzone", 0.2, NULL);
}

/* What a frame costs and loses at each setting, by single runs; `[0]` is the
 * lowest setting. Returns how many there are. */
static gint
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

static void
free_all (GstStructure ** reports, gint n)
{
  for (gint i = 0; i < n; i++)
    gst_structure_free (reports[i]);
}

/* 0: not set. */
typedef struct
{
  gdouble psnr, ssim, bpp;
  guint size;
} Target;

static gdouble
get_size (const GstStructure * report)
{
  return gst_structure_has_field (report, "file-size")
      ? get_uint64 (report, "file-size")
      : get_double (report, "bits-estimated") / 8;
}

/* Whether it keeps every floor, or every ceiling. */
static gboolean
keeps (const GstStructure * report, const Target * target, gboolean floors)
{
  if (floors)
    return get_double (report, "psnr") >= target->psnr
        && get_double (report, "ssim") >= target->ssim;
  return (target->bpp == 0 || get_double (report, "bpp") <= target->bpp)
      && (target->size == 0 || get_size (report) <= target->size);
}

/* What is chosen, `i`, keeps every floor, or without floors every ceiling, and
 * the next coarser or finer setting does not; or it does not, and neither does
 * the setting at the other end. Returns whether the target is met. */
static gboolean
check_choice (GstStructure ** reports, gint n, gboolean qp,
    const Target * target, gint i)
{
  const gboolean floors = target->psnr > 0 || target->ssim > 0;
  const gint next = i + (qp == floors ? 1 : -1), end = qp == floors ? 0 : n - 1;

  g_assert_true (keeps (reports[i], target, floors) ? next < 0 || next == n
      || !keeps (reports[next], target, floors)
      : !keeps (reports[end], target, floors));
  return keeps (reports[i], target, TRUE) && keeps (reports[i], target, FALSE);
}

/* With a target of bytes the size of a JPEG file is that of a coded frame. */
static void
count_files (const gchar * format, guint n, GstStructure ** reports,
    gint n_reports)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  GstVideoInfo info;
  GstBuffer *in;

  if (!gst_structure_has_field (reports[0], "file-size"))
    return;
  video_info (&info, format, WIDTH, HEIGHT);
  in = frame_new (&info, n);
  for (gint i = 0; i < n_reports; i++) {
    params.quality = get_int (reports[i], "quality");
    gst_structure_set (reports[i], "file-size", G_TYPE_UINT64,
        frame_file_size (&info, in, &params), NULL);
  }
  gst_buffer_unref (in);
}

/* Every frame gets a setting that all single runs justify, at any depth and
 * after any frames the same one, and nothing else of it changes. */
TEST ("/target/all", test_targets)
{
  static const struct
  {
    const gchar *format;
    BdctTransform transform;
  } streams[] = {
    {"I420", BDCT_JPEG_8X8}, {"GRAY8", BDCT_HEVC_8X8},
    {"I420_10LE", BDCT_JPEG_8X8}, {"Y444", BDCT_H264_4X4},
    {"RGB", BDCT_JPEG_8X8},
  };
  static const Target targets[] = {
    {32, 0, 0, 0}, {45.5, 0, 0, 0}, {190, 0, 0, 0}, {1, 0, 0, 0},
    {0, 0, 1.5, 0}, {0, 0, 4, 0}, {0, 0, 0.0001, 0}, {0, 0, 900, 0},
    {0, 0, 0, 700}, {0, 0, 0, 1200}, {0, 0, 0, 1}, {0, 0, 0, 1000000},
    {30, 0.9, 0, 0}, {38, 0.5, 0, 0}, {20, 0.99, 0, 0}, {0, 0, 1.5, 10000},
    {0, 0, 9, 900}, {32, 0, 900, 0}, {40, 0, 0.01, 0},
    {32, 0.8, 900, 1000000}, {190, 0.2, 0, 0}, {25, 0, 0, 1},
  };

  for (guint k = 0; k < G_N_ELEMENTS (streams); k++) {
    BdctTransform transform = streams[k].transform;
    GstStructure *reports[2][MAX_SETTINGS], *s;
    gint n = 0, first = has_qp (transform) ? 0 : 1;
    gint chosen[G_N_ELEMENTS (targets)][2];

    for (guint f = 0; f < 2; f++) {
      n = run_all (streams[k].format, f, transform, reports[f]);
      count_files (streams[k].format, f, reports[f], n);
    }
    for (guint depth = 1; depth <= 8; depth = depth == 1 ? 2 : 4 * depth) {
      gboolean missed = FALSE;
      g_autoptr (GstMessage) message;
      g_auto (Bench) bench;

      bench_init (&bench, streams[k].format, WIDTH, HEIGHT, "async-depth",
          depth, "transform", transform, "metrics", BENCH_BITS, NULL);
      set_deadzone (&bench, transform);
      for (guint t = 0; t < G_N_ELEMENTS (targets); t++) {
        g_object_set (bench.element, "target-psnr", targets[t].psnr,
            "target-ssim", targets[t].ssim, "target-bpp", targets[t].bpp,
            "target-size", targets[t].size, NULL);
        bench_push (&bench, depth > 1);
        bench_push (&bench, depth == 1);
      }
      gst_harness_push_event (bench.h, gst_event_new_eos ());
      for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
        for (guint m = 0; m < 2; m++) {
          const guint f = (depth > 1) != (m > 0);
          gboolean met;
          gint i;

          s = bench_pop_report (&bench, "frame");
          g_assert_cmpuint (get_uint64 (s, "index"), ==, 2 * t + m);
          i = get_int (s, setting_name (transform)) - first;
          met = check_choice (reports[f], n, has_qp (transform), &targets[t],
              i);
          if (depth == 1)
            chosen[t][f] = i;
          g_assert_cmpint (i, ==, chosen[t][f]);
          g_assert_cmpint (get_boolean (s, "target-met"), ==, met);
          g_assert_cmpfloat (get_double (s, "psnr"), ==,
              get_double (reports[f][i], "psnr"));
          g_assert_cmpfloat (get_double (s, "bpp"), ==,
              get_double (reports[f][i], "bpp"));
          if (targets[t].size > 0)
            g_assert_cmpfloat (get_size (s), ==, get_size (reports[f][i]));
          missed |= !met;
          gst_structure_free (s);
        }
      s = bench_pop_report (&bench, "pooled");
      g_assert_cmpint (get_boolean (s, "target-met"), ==, !missed);
      gst_structure_free (s);
      /* However often one is missed. */
      g_assert_true (missed);
      message = bench_pop (&bench, GST_MESSAGE_WARNING);
      g_assert_nonnull (message);
      g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
    }
    for (guint f = 0; f < 2; f++)
      free_all (reports[f], n);
  }
}

/* Where no file is small enough, the smallest is chosen, with its stuffed
 * bytes: of noise, quality 2 may have fewer bits than 1, and more bytes. */
TEST ("/target/smallest", test_smallest)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  guint32 noise = 1;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 32, 32, NULL);
  for (guint n = 0; n < 30; n++) {
    GstBuffer *in = frame_new (&bench.info, n), *out;
    guint64 coarsest;
    g_autoptr (GstStructure) s;
    GstMapInfo map;

    gst_buffer_map (in, &map, GST_MAP_WRITE);
    for (gsize i = 0; i < map.size; i++) {
      noise = noise * 1103515245 + 12345;
      map.data[i] = noise & 0x10000 ? 255 : 0;
    }
    gst_buffer_unmap (in, &map);
    params.quality = 1;
    coarsest = frame_file_size (&bench.info, in, &params);
    g_object_set (bench.element, "target-size", (guint) coarsest - 13, NULL);
    g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in)), ==,
        GST_FLOW_OK);
    out = bench_take (&bench);
    s = bench_pop_report (&bench, "frame");
    params.quality = get_int (s, "quality");
    g_assert_cmpuint (frame_file_size (&bench.info, in, &params), <=, coarsest);
    gst_buffer_unref (out);
    gst_buffer_unref (in);
  }
  gst_message_unref (bench_pop (&bench, GST_MESSAGE_WARNING));
}
