/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of R, G and B. (tests/fidelity/test-libjpeg-rgb.c has every sample of
 * what an engine makes of them.) */
#include <math.h>
#include <string.h>
#include "bench.h"
#include "rgb-formats.h"

#define WIDTH 131
#define HEIGHT 101

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

/* A frame's bytes with its sizes, and how to find a sample of R, G or B. */
typedef struct
{
  GstVideoInfo info;
  const BdctRgb *rgb;
  GstMapInfo map;
  GstBuffer *buffer;
} Bytes;

static void
bytes_map (Bytes * bytes, guint f, const GstVideoInfo * info,
    GstBuffer * buffer)
{
  bytes->info = *info;
  bytes->rgb = &rgb_formats[f].rgb;
  bytes->buffer = buffer;
  g_assert_true (gst_buffer_map (buffer, &bytes->map, GST_MAP_READ));
  g_assert_cmpuint (bytes->map.size, ==, info->size);
}

static void
bytes_unmap (Bytes * bytes)
{
  gst_buffer_unmap (bytes->buffer, &bytes->map);
}

static gint
get (const Bytes * bytes, gint k, gint x, gint y)
{
  const BdctRgb *rgb = bytes->rgb;

  return bytes->map.data[bytes->info.offset[rgb->plane[k]]
      + (gsize) y * bytes->info.stride[rgb->plane[k]] + x * rgb->bytes
      + rgb->offset[k]];
}

/* Slopes and noise, in what is no sample too. */
static GstBuffer *
new_frame (const GstVideoInfo * info, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GRand *rand = g_rand_new_with_seed (n + 1);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = i / 7 + i / info->stride[0] * 3 + 60 * (i % 4)
        + g_rand_int_range (rand, 0, 24);
  gst_buffer_unmap (buffer, &map);
  g_rand_free (rand);
  GST_BUFFER_PTS (buffer) = n * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* What the CPU engine makes of a frame when called directly. */
static GstBuffer *
expect (guint f, BdctChromaFormat chroma, const GstVideoInfo * info,
    GstBuffer * in, const BdctParams * params, BdctStats * stats)
{
  GstBuffer *out = gst_buffer_copy_deep (in);
  BdctEngineOptions options = {.threads = 1 };
  BdctEngine *engine = bdct_cpu_engine.create (&options, NULL);
  BdctLayout layout;
  GstMapInfo from, to;
  BdctJob job;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.bits = true };

  bdct_layout_init_rgb (&layout, &rgb_formats[f].rgb, info->width, info->height,
      chroma);
  g_assert_true (bdct_job_init (&job, params, &layout, NULL));
  g_assert_true (gst_buffer_map (in, &from, GST_MAP_READ));
  g_assert_true (gst_buffer_map (out, &to, GST_MAP_READWRITE));
  for (gint p = 0; p < rgb_formats[f].rgb.n_planes; p++) {
    frame.src.data[p] = from.data + info->offset[p];
    frame.dst.data[p] = to.data + info->offset[p];
    frame.src.stride[p] = frame.dst.stride[p] = info->stride[p];
  }
  g_assert_true (engine->klass->configure (engine, &layout, 1, NULL));
  g_assert_true (engine->klass->submit (engine, &frame, NULL));
  g_assert_true (engine->klass->collect (engine, stats, NULL));
  engine->klass->destroy (engine);
  gst_buffer_unmap (in, &from);
  gst_buffer_unmap (out, &to);
  return out;
}

/* Whether they have the same rows; what lies behind these may differ. */
static gboolean
is_same (guint f, const GstVideoInfo * info, GstBuffer * a, GstBuffer * b)
{
  gboolean same = TRUE;
  Bytes x, y;

  bytes_map (&x, f, info, a);
  bytes_map (&y, f, info, b);
  for (gint p = 0; p < x.rgb->n_planes; p++)
    for (gint row = 0; row < info->height; row++) {
      gsize at = info->offset[p] + (gsize) row * info->stride[p];

      same = same && memcmp (x.map.data + at, y.map.data + at,
          info->width * x.rgb->bytes) == 0;
    }
  bytes_unmap (&x);
  bytes_unmap (&y);
  return same;
}

static GstBuffer *
push (Bench * bench, GstBuffer * in)
{
  g_assert_cmpint (gst_harness_push (bench->h, gst_buffer_ref (in)), ==,
      GST_FLOW_OK);
  return bench_pull (bench);
}

/* Counted from the samples: errors of R, G and B in a report. */
static void
check_errors (const GstStructure * s, guint f, const GstVideoInfo * info,
    GstBuffer * in, GstBuffer * out)
{
  static const gchar *mse[] = { "mse-r", "mse-g", "mse-b" };
  static const gchar *psnr[] = { "psnr-r", "psnr-g", "psnr-b" };
  gdouble all = 0;
  Bytes a, b;

  bytes_map (&a, f, info, in);
  bytes_map (&b, f, info, out);
  for (gint k = 0; k < 3; k++) {
    guint64 sse = 0;
    gdouble expected;

    for (gint y = 0; y < info->height; y++)
      for (gint x = 0; x < info->width; x++) {
        gint e = get (&a, k, x, y) - get (&b, k, x, y);

        sse += e * e;
      }
    expected = (gdouble) sse / (info->width * info->height);
    all += expected / 3;
    g_assert_cmpfloat (get_double (s, mse[k]), ==, expected);
    g_assert_cmpfloat_with_epsilon (get_double (s, psnr[k]),
        10 * log10 (255 * 255 / expected), 1e-9);
  }
  g_assert_cmpfloat_with_epsilon (get_double (s, "mse-rgb"), all, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_double (s, "psnr-rgb"),
      10 * log10 (255 * 255 / all), 1e-9);
  bytes_unmap (&a);
  bytes_unmap (&b);
}

/* Each format, with each subsampling while it plays. */
static void
test_every_format (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++) {
    g_auto (Bench) bench;

    bench_init (&bench, rgb_formats[f].name, WIDTH, HEIGHT, "metrics",
        BENCH_BITS, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (rgb_samplings); i++) {
      GstBuffer *in = new_frame (&bench.info, i), *out, *rec;
      g_autoptr (GstStructure) s;
      BdctStats stats;

      element_set (bench.element, "chroma-subsampling", rgb_samplings[i].name);
      rec = expect (f, rgb_samplings[i].chroma, &bench.info, in, &defaults,
          &stats);
      out = push (&bench, in);
      g_assert_true (is_same (f, &bench.info, out, rec));
      s = bench_pop_report (&bench, "frame");
      check_figures (s, &stats, 8);
      check_errors (s, f, &bench.info, in, out);
      g_assert_cmpuint (get_uint64 (s, "bits"), ==,
          bdct_stats_total (&stats).bits);
      g_assert_cmpuint (get_uint64 (s, "file-size"), ==, stats.file_size);
      g_assert_cmpuint (get_uint64 (s, "index"), ==, i);
      gst_buffer_unref (in);
      gst_buffer_unref (out);
      gst_buffer_unref (rec);
    }
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/rgb/every-format", test_every_format);
  return test_run ();
}
