/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics (dct/metrics/metrics.h) on every engine of frame.h: against their
 * definitions, in double precision and as plainly as they can be written; and
 * that neither instruction set, threads, strides nor anything else in a frame
 * makes them others. The programs that they are named after are in
 * tests/fidelity/metrics.py. */
#include <math.h>
#include <string.h>
#include "cpu/metrics/kernel.h"
#include "dct/base/stats.h"
#include "dct/metrics/run.h"
#include "program.h"
#include "reference-metrics.h"

/* How far single precision may be from what is written here, and in dB double
 * precision and psnr-hvs's whole-number transform. */
#define SSIM_TOLERANCE 2e-5
#define DB_TOLERANCE 0.01
#define HVS_TOLERANCE 0.5

typedef struct {
  Format format;
  int depth, shift, width, height, frame_rate;
  Content content;
  int quality;
} Case;

static const Case cases[] = {
  {FORMAT_I420, 8, 0, 352, 288, 25, CONTENT_SMOOTH, 10},
  {FORMAT_NV12, 8, 0, 353, 181, 50, CONTENT_SMOOTH, 5},
  {FORMAT_GRAY, 8, 0, 201, 300, 25, CONTENT_SMOOTH, 10},
  {FORMAT_NV16, 10, 6, 176, 176, 60, CONTENT_SMOOTH, 20},
  {FORMAT_Y444, 12, 0, 180, 177, 30, CONTENT_SMOOTH, 20},
  {FORMAT_Y42B, 8, 0, 61, 49, 30, CONTENT_RANDOM, 5},
  {FORMAT_I420, 8, 0, 720, 486, 50, CONTENT_SMOOTH, 20},
  {FORMAT_I420, 8, 0, 2304, 1156, 50, CONTENT_SMOOTH, 20},
  {FORMAT_GRAY, 8, 0, 37, 41, 30, CONTENT_EXTREME, 3},
};

#define N_FRAMES 3

/* A stream: pictures and what one engine made of them. */
typedef struct {
  const Case *c;
  BdctLayout layout;
  BdctJob job;
  Picture src[N_FRAMES], rec[N_FRAMES];
  BdctStats stats[N_FRAMES];
} Scene;

static unsigned
all_of (const BdctLayout * layout)
{
  return bdct_metrics_supported ((1 << BDCT_N_METRICS) - 1, layout);
}

/* Have an engine do the stream, `depth` frames at a time. */
static void
run (Scene * s, BdctEngine * engine, unsigned depth, Stride stride)
{
  Frame src[N_FRAMES], dst[N_FRAMES];
  BdctError error = { "" };
  guint n_out = 0;

  g_assert_true (engine->klass->configure (engine, &s->layout, depth, &error));
  for (guint n = 0; n < N_FRAMES; n++) {
    BdctFrame frame = {
      .quantizers = &s->job,.n_quantizers = 1,.frame_rate =
          s->c->frame_rate,.number = n,
      .metrics = all_of (&s->layout)
    };

    frame_init (&src[n], &s->layout, stride);
    frame_init (&dst[n], &s->layout, stride);
    frame_put (&src[n], &s->layout, &s->src[n], TRUE);
    frame.src = src[n].image;
    frame.dst = dst[n].image;
    if (n >= depth)
      g_assert_true (engine->klass->collect (engine, &s->stats[n_out++],
              &error));
    if (!engine->klass->submit (engine, &frame, &error))
      g_error ("%s: %s", engine->description, error.message);
  }
  while (n_out < N_FRAMES)
    g_assert_true (engine->klass->collect (engine, &s->stats[n_out++], &error));
  for (guint n = 0; n < N_FRAMES; n++) {
    frame_get (&dst[n], &s->layout, &s->rec[n]);
    frame_clear (&src[n]);
    frame_clear (&dst[n]);
  }
}

static void
scene_init (Scene * s, const Case * c)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;

  memset (s, 0, sizeof *s);
  s->c = c;
  params.quality = c->quality;
  format_layout (c->format, c->depth, c->shift, c->width, c->height,
      &s->layout);
  g_assert_true (bdct_job_init (&s->job, &params, &s->layout, NULL));
  for (guint n = 0; n < N_FRAMES; n++) {
    picture_init (&s->src[n], &s->layout);
    picture_init (&s->rec[n], &s->layout);
    picture_fill (&s->src[n], c->content, &s->layout, params.transform, n + 1);
  }
}

static void
scene_clear (Scene * s)
{
  for (guint n = 0; n < N_FRAMES; n++) {
    picture_clear (&s->src[n]);
    picture_clear (&s->rec[n]);
  }
}

/* XPSNR's weight of a block of luma. */
static double
define_weight (const Scene * s, int n, int x0, int y0, int side, gboolean large)
{
  const int w = s->c->width, h = s->c->height, step = 1 + large;
  const int x1 = MIN (x0 + side, w), y1 = MIN (y0 + side, h);
  double space = 0, time = 0, area = 0;

#define AT(n, x, y) ((n) < 0 ? 0 : s->src[n].sample[0][(y) * w + (x)])
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) {
      double v = 0;

      if (x < step || y < step || x >= w - step || y >= h - step)
        continue;
      area++;
      if (large && ((x | y) & 1))
        continue;
      /* Rings around a sample or a square of 2 x 2. */
      for (int j = -step; j <= 2 * step - 1; j++)
        for (int i = -step; i <= 2 * step - 1; i++) {
          static const int small[2][2] = { {12, -2}, {-2, -1} };
          static const int big[3][3] = { {12, -3, -1}, {-3, -2, -1},
            {-1, -1, 0}
          };
          const int dx = i < 0 ? -i : MAX (i - step + 1, 0);
          const int dy = j < 0 ? -j : MAX (j - step + 1, 0);

          v += (large ? big[dy][dx] : small[dy][dx]) * AT (n, x + i, y + j);
        }
      space += fabs (v);
    }
  for (int y = y0; y < y1; y += step)
    for (int x = x0; x < x1; x += step) {
      int v = 0;

      for (int j = 0; j < step; j++)
        for (int i = 0; i < step; i++)
          v += s->c->frame_rate < 32 ? AT (n, x + i, y + j)
              - AT (n - 1, x + i, y + j) : AT (n, x + i, y + j)
              - 2 * AT (n - 1, x + i, y + j) + AT (n - 2, x + i, y + j);
      time += 2 * abs (v);
    }
#undef AT
  return 1 / MAX (space / area + time / ((x1 - x0) * (y1 - y0)),
      1 << (s->c->depth - 6));
}

/* Of pictures above 640 x 480: others' weights are smoothed. */
static double
define_xpsnr (const Scene * s, int n, int c)
{
  const int w = s->c->width, h = s->c->height, peak = bdct_layout_peak
      (&s->layout);
  const double r = w * h / (3840.0 * 2160.0);
  const int side = 4 * (int) (32 * sqrt (r) + .5);
  const Picture *a = &s->src[n], *b = &s->rec[n];
  const int sx = w / a->width[c], sy = h / a->height[c];
  double sum = 0, area = (double) a->width[c] * a->height[c];

  for (int y = 0; y < h; y += side)
    for (int x = 0; x < w; x += side) {
      const double weight = define_weight (s, n, x, y, side,
          w * h > 2048 * 1152);

      for (int j = y / sy; j < MIN ((y + side) / sy, a->height[c]); j++)
        for (int i = x / sx; i < MIN ((x + side) / sx, a->width[c]); i++)
          sum += weight * pow (a->sample[c][j * a->width[c] + i]
              - b->sample[c][j * a->width[c] + i], 2);
    }
  sum *= sqrt (16.0 * (1 << (2 * s->c->depth - 9)) / sqrt (r));
  return 10 * log10 (area * peak * peak / sum);
}

static double
define (const Scene * s, int n, BdctMetric metric, int c)
{
  const RefPair pair = { s->src[n].sample[c], s->rec[n].sample[c],
    s->src[n].width[c], s->src[n].height[c], bdct_layout_peak (&s->layout)
  };

  switch (metric) {
    case BDCT_METRIC_SSIM:
      return ref_ssim (&pair);
    case BDCT_METRIC_MS_SSIM:
      return ref_ms_ssim (&pair);
    case BDCT_METRIC_PSNR_HVS:
      return c == 0 && s->c->width < 400 ? ref_psnr_hvs (&pair) : NAN;
    case BDCT_METRIC_XPSNR:
      return s->c->width * s->c->height > 640 * 480 ? define_xpsnr (s, n, c)
          : NAN;
    default:
      return NAN;
  }
}

/* A few frames of each are enough where a definition takes long. */
static gboolean
is_checked (const Scene * s, int n, BdctMetric metric)
{
  return metric != BDCT_METRIC_MS_SSIM || (n == 0 && s->c->width < 400);
}

/* The figure of all components weighs their errors. */
static void
check_psnr_hvs (const Scene * s)
{
  static const double weights[] = { .8, .1, .1 };
  double got, sum = 0;

  if (!bdct_metric_figure (&s->stats[0], 1, s->layout.depth,
          BDCT_METRIC_PSNR_HVS, BDCT_METRIC_ALL, &got))
    return;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    double one;

    g_assert_true (bdct_metric_figure (&s->stats[0], 1, s->layout.depth,
            BDCT_METRIC_PSNR_HVS, c, &one));
    sum += weights[c] * pow (10, -one / 10);
  }
  g_assert_cmpfloat_with_epsilon (got, -10 * log10 (sum), 1e-6);
}

static void
test_definitions (void)
{
  guint64 n_compared = 0, n_differ = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Scene s;

    scene_init (&s, &cases[i]);
    run (&s, engines[0], 1, STRIDE_TIGHT);
    for (int n = 0; n < N_FRAMES; n++)
      for (int m = 0; m < BDCT_N_METRICS; m++)
        for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
          double got, wanted, tolerance = m == BDCT_METRIC_PSNR_HVS
              ? HVS_TOLERANCE : bdct_metric_info (m)->in_db ? DB_TOLERANCE
              : SSIM_TOLERANCE;

          if (!bdct_metric_figure (&s.stats[n], 1, s.layout.depth, m, c, &got)
              || !is_checked (&s, n, m) || !case_due (i + n + m + c))
            continue;
          wanted = define (&s, n, m, c);
          if (isnan (wanted))
            continue;
          n_compared++;
          if (fabs (got - wanted) <= tolerance)
            continue;
          n_differ++;
          g_test_fail_printf ("%s of %s %dx%d, frame %d, component %d: %.9g, "
              "by its definition %.9g", bdct_metric_info (m)->name,
              format_names[s.c->format], s.c->width, s.c->height, n, c, got,
              wanted);
        }
    check_psnr_hvs (&s);
    scene_clear (&s);
  }
  g_assert_cmpuint (n_compared, >, case_due (1) ? 100 : 5);
  tally_add (n_compared, n_differ);
}

/* What is not supported is refused with the reason. */
static void
test_limits (void)
{
  static const struct
  {
    Format format;
    int width, height;
    BdctMetric metric;
    const char *reason;         /* NULL: it can */
  } limits[] = {
    {FORMAT_I420, 16, 16, BDCT_METRIC_SSIM, NULL},
    {FORMAT_I420, 14, 16, BDCT_METRIC_SSIM, "7 x 8"},
    {FORMAT_GRAY, 8, 7, BDCT_METRIC_SSIM, "8 x 7"},
    {FORMAT_I420, 176, 176, BDCT_METRIC_MS_SSIM, NULL},
    {FORMAT_I420, 175, 400, BDCT_METRIC_MS_SSIM, "175 x 400"},
    {FORMAT_GRAY, 64, 64, BDCT_METRIC_PSNR_HVS, "it needs Y, U and V"},
    {FORMAT_I420, 15, 16, BDCT_METRIC_PSNR_HVS, "7 x 8"},
    {FORMAT_I420, 17, 17, BDCT_METRIC_PSNR_HVS, NULL},
    {FORMAT_I420, 1, 1, BDCT_METRIC_XPSNR, NULL},
    {FORMAT_I420, 2303, 1156, BDCT_METRIC_XPSNR, "must be even"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    BdctError error = { "" };
    BdctLayout layout;
    gboolean ok;

    format_layout (limits[i].format, 8, 0, limits[i].width, limits[i].height,
        &layout);
    ok = bdct_metric_supports (limits[i].metric, &layout, &error);
    g_assert_cmpint (ok, ==, limits[i].reason == NULL);
    if (!ok && strstr (error.message, limits[i].reason) == NULL)
      g_test_fail_printf ("%u: %s", i, error.message);
  }
}

static void
expect_billionths (const BdctStats * stats, BdctMetric metric, gint64 expected)
{
  for (int c = 0; c <= BDCT_METRIC_ALL; c++)
    g_assert_cmpint (stats->billionths[metric][c], ==, expected);
}

/* Sums in billionths: of each frame the nearest whole number; of frames in any
 * order and in any parts the same; and what is beyond them stays so. */
static void
test_sums (void)
{
  BdctStats parts, odd = {.metrics = (1 << BDCT_N_METRICS) - 1 };
  BdctStats *s;
  Scene scene;

  scene_init (&scene, &cases[0]);
  s = scene.stats;
  run (&scene, engines[0], 2, STRIDE_TIGHT);
  for (guint n = 0; n < N_FRAMES; n++)
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c <= BDCT_METRIC_ALL; c++)
        g_assert_cmpfloat (s[n].billionths[m][c], ==,
            rint (s[n].metric[m][c] * 1e9));
  for (guint first = 0; first < N_FRAMES; first++) {
    const guint second = (first + 1) % N_FRAMES, third = (first + 2) % N_FRAMES;

    parts = s[second];
    bdct_stats_add (&parts, &s[third]);
    bdct_stats_add (&parts, &s[first]);
    for (int m = 0; m < BDCT_N_METRICS; m++)
      for (int c = 0; c <= BDCT_METRIC_ALL; c++)
        g_assert_cmpint (parts.billionths[m][c], ==,
            s[0].billionths[m][c] + s[1].billionths[m][c]
            + s[2].billionths[m][c]);
  }
  scene_clear (&scene);

  for (int c = 0; c <= BDCT_METRIC_ALL; c++) {
    odd.billionths[BDCT_METRIC_SSIM][c] = -5;
    odd.billionths[BDCT_METRIC_XPSNR][c] = G_MAXINT64 / 2;
    odd.billionths[BDCT_METRIC_PSNR_HVS][c] = G_MAXINT64;
  }
  parts = odd;
  for (guint i = 0; i < 2; i++)
    bdct_stats_add (&parts, &odd);
  expect_billionths (&parts, BDCT_METRIC_SSIM, -15);
  expect_billionths (&parts, BDCT_METRIC_XPSNR, G_MAXINT64);
  expect_billionths (&parts, BDCT_METRIC_PSNR_HVS, G_MAXINT64);
}

/* PSNR-HVS of a row of blocks which are all the same, and wrong by nearly the
 * whole range: nothing masks a flat original. */
static void
measure_row (int width, double figure[BDCT_MAX_COMPONENTS + 1])
{
  Picture picture[2];
  BdctLayout layout;
  BdctMetricsInput task = {.layout = &layout,.metrics =
        1 << BDCT_METRIC_PSNR_HVS
  };
  BdctMetricsRun row;
  BdctStats stats;
  Frame frame[2];
  gpointer memory, scratch = aligned_alloc (64, BDCT_SCRATCH_SIZE);

  format_layout (FORMAT_Y444, 12, 0, width, 8, &layout);
  for (int k = 0; k < 2; k++) {
    picture_init (&picture[k], &layout);
    frame_init (&frame[k], &layout, STRIDE_TIGHT);
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; i < 8 * width; i++)
        picture[k].sample[c][i] = k == 0 ? 0
            : 4095 - i % width % 7 * (i / width + c);
    frame_put (&frame[k], &layout, &picture[k], TRUE);
  }
  task.src = frame[0].image;
  task.rec = frame[1].image;
  memory = aligned_alloc (64, bdct_metrics_init (&row, bdct_metrics_baseline,
          &task));
  bdct_metrics_place (&row, memory);
  for (int stage = 0; bdct_metrics_count (&row, stage) > 0; stage++)
    for (int i = 0; i < bdct_metrics_count (&row, stage); i++)
      bdct_metrics_work (&row, stage, i, scratch);
  bdct_metrics_finish (&row, &stats);
  memcpy (figure, stats.metric[BDCT_METRIC_PSNR_HVS],
      sizeof stats.metric[BDCT_METRIC_PSNR_HVS]);
  for (int k = 0; k < 2; k++) {
    picture_clear (&picture[k]);
    frame_clear (&frame[k]);
  }
  free (memory);
  free (scratch);
}

/* Sums of squared errors are exact: the longest row has one block's figure. */
static void
test_long_row (void)
{
  double one[BDCT_MAX_COMPONENTS + 1], all[BDCT_MAX_COMPONENTS + 1];

  measure_row (8, one);
  measure_row (65535, all);
  for (int c = 0; c <= BDCT_MAX_COMPONENTS; c++)
    g_assert_cmpfloat_with_epsilon (one[c], all[c], 1e-12);
}

int
main (int argc, char *argv[])
{
  tests_init (&argc, &argv);
  g_test_add_func ("/metrics/limits", test_limits);
  g_test_add_func ("/metrics/definitions", test_definitions);
  g_test_add_func ("/metrics/sums", test_sums);
  g_test_add_func ("/metrics/long-row", test_long_row);
  return tests_run ("the metrics' definitions");
}
