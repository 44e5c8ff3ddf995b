/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a view has to show. */
#include "view-scene.h"

#include <math.h>
#include <stdlib.h>
#include "cpu/metrics/kernel.h"
#include "dct/metrics/run.h"
#include "reference-metrics.h"

static int
sub_x (const Scene * s, int k)
{
  return k != BDCT_Y && s->layout.chroma != BDCT_CHROMA_444 ? 2 : 1;
}

static int
sub_y (const Scene * s, int k)
{
  return k != BDCT_Y && s->layout.chroma == BDCT_CHROMA_420 ? 2 : 1;
}

int
picture_at (const Picture * p, int k, int x, int y)
{
  g_assert_true (x >= 0 && y >= 0 && x < p->width[k] && y < p->height[k]);
  return p->sample[k][y * p->width[k] + x];
}

int
view_level_at (const Scene * s, int k, int x, int y)
{
  int size = s->size[k];
  int across = (s->source.width[k] + size - 1) / size * size;

  return s->levels[k][y * across + x];
}

/* A side of a block: of two pictures nobody knows them. */
static int
block_size (const Scene * s, int k)
{
  return s->two ? 8 : s->size[k];
}

static int
block_height (const Scene * s, int k)
{
  return s->two ? 8 : s->height[k];
}

/* How much of a block's `size` luma samples from `at` on are also another's. */
static double
overlap (int at, int size, int other, int other_size)
{
  return MAX (MIN (at + size, other + other_size) - MAX (at, other), 0);
}

/* Squared errors and samples of the blocks of component k that lie over the
 * luma block picture_at (x, y), each to the part of it that does. */
static void
add_errors (const Scene * s, int k, int x, int y, double *sum, double *count)
{
  int size = block_size (s, k), luma = block_size (s, 0);
  int height = block_height (s, k);
  int across = size * sub_x (s, k), down = height * sub_y (s, k);
  int x0 = MAX (x / sub_x (s, k) - size, 0);
  int y0 = MAX (y / sub_y (s, k) - height, 0);
  int x1 = MIN (x0 + luma + 2 * size, s->source.width[k]);
  int y1 = MIN (y0 + luma + 2 * height, s->source.height[k]);

  /* Wide enough for all that overlap. */
  for (int j = y0; j < y1; j++)
    for (int i = x0; i < x1; i++) {
      double part = overlap (i / size * across, across, x, luma)
          * overlap (j / height * down, down, y, luma) / (across * down);
      double e = picture_at (&s->source, k, i, j)
          - picture_at (&s->rec, k, i, j);

      *sum += part * e * e;
      *count += part;
    }
}

/* What has one colour: a square of so many samples of luma. */
static int
cell_size (const Scene * s)
{
  return s->view.mode == BDCT_VIEW_SSIM_MAP ? 4
      : s->view.mode == BDCT_VIEW_HVS_MAP ? 8 : block_size (s, 0);
}

/* The squared errors that PSNR-HVS has of 8 x 8 samples, which are a picture of
 * their own, by sample; the metric itself has references (test-metrics.c). */
static double
hvs_of_block (const RefPair * p, int depth, int x, int y)
{
  const BdctMetricKernel *kernel = bdct_metrics_baseline[BDCT_METRIC_PSNR_HVS];
  double figure[BDCT_MAX_COMPONENTS + 1] = { 0 };
  BdctMetricPlane planes[BDCT_MAX_COMPONENTS];
  guint16 wide[2][64];
  guint8 narrow[2][64];
  gpointer memory, scratch = aligned_alloc (64, BDCT_SCRATCH_SIZE);

  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    narrow[0][i] = wide[0][i] = p->a[at];
    narrow[1][i] = wide[1][i] = p->b[at];
  }
  planes[0] = (BdctMetricPlane) {.depth = depth,.width = 8,.height = 8,
    .step = 1,.luma_width = 8,.luma_height = 8
  };
  if (depth > 8) {
    planes[0].src = (BdctSamples) {.data = (guint8 *) wide[0],.stride = 16};
    planes[0].rec = (BdctSamples) {.data = (guint8 *) wide[1],.stride = 16};
  } else {
    planes[0].src = (BdctSamples) {.data = narrow[0],.stride = 8};
    planes[0].rec = (BdctSamples) {.data = narrow[1],.stride = 8};
  }
  memory = aligned_alloc (64, (kernel->memory (&planes[0]) + 63) / 64 * 64);
  planes[0].memory = memory;
  planes[1] = planes[2] = planes[0];
  kernel->work (&planes[0], 0, 0, scratch);
  bdct_metric_finish (BDCT_METRIC_PSNR_HVS, planes, 3, figure);
  free (memory);
  free (scratch);
  return isinf (figure[0]) ? 0 : (double) p->peak * p->peak
      / pow (10, figure[0] / 10);
}

/* A metric's number at (x, y) of luma, the least and the most that it may be:
 * the engines have it in single precision, and rounded to 2^-12. */
static void
metric_value (const Scene * s, int x, int y, double *least, double *most)
{
  const RefPair pair = { s->source.sample[0], s->rec.sample[0], s->c->width,
    s->c->height, (1 << s->c->depth) - 1
  };

  *least = *most = 0;
  if (MIN (s->c->width, s->c->height) < 8)
    return;
  if (s->view.mode == BDCT_VIEW_SSIM_MAP) {
    *most = 1 - ref_ssim_window (&pair, MIN (x, s->c->width / 4 * 4 - 8),
        MIN (y, s->c->height / 4 * 4 - 8)) + 3e-5;
    *least = *most - 6e-5 - 2.0 / 4096;
  } else {
    x = MIN (x, s->c->width - 8);
    y = MIN (y, s->c->height - 8);
    *most = hvs_of_block (&pair, s->c->depth, x, y);
    *least = *most - 2.0 / 4096;
  }
}

/* The block of luma at (x, y) of luma: its mean squared error over all planes,
 * its levels that are not 0, or what its set says. */
static double
block_value (const Scene * s, int x, int y)
{
  int size = block_size (s, 0);
  double sum = 0, count = 0;

  if (s->view.mode == BDCT_VIEW_QUALITY_MAP)
    return s->set == NULL ? 0 : view_deltas[s->set[y / size
            * ((s->c->width + size - 1) / size) + x / size]];
  if (s->view.mode == BDCT_VIEW_SIZE_MAP)
    return log2 (size);
  if (s->view.mode == BDCT_VIEW_NONZERO_MAP) {
    for (int i = 0; i < size * size; i++)
      sum += view_level_at (s, 0, x + i % size, y + i / size) != 0;
    return sum / (size * size);
  }
  for (int k = 0; k < BDCT_MAX_COMPONENTS && s->size[k] > 0; k++)
    add_errors (s, k, x, y, &sum, &count);
  return sum / count;
}

void
view_measure (Scene * s)
{
  int size = cell_size (s), columns = (s->c->width + size - 1) / size;
  int rows = (s->c->height + size - 1) / size;

  g_free (s->value);
  g_free (s->most);
  s->value = g_new (double, columns * rows);
  s->most = g_new (double, columns * rows);
  for (int i = 0; i < columns * rows; i++) {
    int x = i % columns * size, y = i / columns * size;

    if (bdct_view_metric (s->view.mode) >= 0)
      metric_value (s, x, y, &s->value[i], &s->most[i]);
    else
      s->value[i] = s->most[i] = block_value (s, x, y);
  }
}

/* Where on the scale a value is, from 0 to 63. */
static double
find_colour (const Scene * s, double value)
{
  double peak = (1 << s->c->depth) - 1, share;

  if (s->view.mode == BDCT_VIEW_QUALITY_MAP)
    share = 0.5 - value / 48 + 0.5 / 63;
  else if (s->view.mode == BDCT_VIEW_SIZE_MAP)
    share = (value - 2) / 4 + 0.5 / 63;
  else if (s->view.mode == BDCT_VIEW_NONZERO_MAP
      || s->view.mode == BDCT_VIEW_SSIM_MAP)
    share = sqrt (MAX (value, 0));
  else if (value <= 0)
    share = 0;
  else
    share = (60 - 10 * log10 (peak * peak / value)) / 40;
  return CLAMP (share, 0, 1) * 63;
}

gboolean
view_is_colour (const Scene * s, int k, double value, double most, int v)
{
  const double hair = 0.03;
  int from = floor (find_colour (s, value) - hair);
  int to = floor (find_colour (s, most) + hair);
  gboolean ok = FALSE;

  for (int i = MAX (from, 0); i <= MIN (to, 63); i++)
    ok = ok || v == s->view.colour[i][k];
  return ok;
}

static int
level_sample (const Scene * s, int k, int level)
{
  int peak = (1 << s->c->depth) - 1, middle = (peak + 1) / 2, bright = 0;
  int m = ABS (level);

  if (m > 0) {
    double power = pow (2, floor (log2 (m)));
    /* In sixteenths, a straight line between the powers of 2. */
    int log16 = 16 * log2 (power) + floor (16 * m / power) - 16;

    bright = MIN (112 + log16 * 143 / 160, 255);
  }
  if (k == BDCT_Y)
    return bright * peak / 255;
  return middle + (level < 0 ? -1 : 1) * (bright * (middle - 1) / 255);
}

/* What is shown in the first part of a view, or in its second. */
static const Picture *
find_picture (const Scene * s, gboolean second)
{
  const BdctView *v = &s->view;

  return !second || v->mode == BDCT_VIEW_ORIGINAL
      || (v->mode == BDCT_VIEW_FLICKER && !v->second) ? &s->source : &s->rec;
}

/* Where luma's (x, y) comes from, and whether that is in the second part. */
static gboolean
origin (const Scene * s, int *x, int *y)
{
  BdctViewMode mode = s->view.mode;
  int *z = mode == BDCT_VIEW_STACKED ? y : x;
  int size = mode == BDCT_VIEW_STACKED ? s->c->height : s->c->width;
  int half = size / 4 * 2, pan = (int) round (s->view.position * half) / 2 * 2;

  if (mode == BDCT_VIEW_WIPE)
    return *x >= round (s->view.position * size);
  if (mode != BDCT_VIEW_SIDE_BY_SIDE && mode != BDCT_VIEW_STACKED)
    return TRUE;
  if (size < 4)
    return TRUE;
  if (*z < half) {
    *z += pan;
    return FALSE;
  }
  *z += pan - half;
  return TRUE;
}

/* The column or row of the enlarged picture that place `at` of the view shows;
 * zooms here are whole multiples of 1/256, which doubles have exactly. */
static double
enlarged (const Scene * s, double share, int side, int at)
{
  return at + round (share * (floor (side * s->view.zoom) - side));
}

/* Where luma's (x, y) of the view, in a half where that is at 1:1, is in the
 * picture. */
static void
magnify (const Scene * s, int *x, int *y)
{
  const double zoom = s->view.zoom;

  *x = floor (enlarged (s, s->view.zoom_x, s->c->width, *x) / zoom);
  *y = floor (enlarged (s, s->view.zoom_y, s->c->height, *y) / zoom);
}

/* What a component's sample has to be; -1: a map's colour, of *value to *most,
 * of which *border says whether it is on the grid. */
static int
expect (const Scene * s, int k, int x, int y, double *value, double *most,
    gboolean * border)
{
  int peak = (1 << s->c->depth) - 1, middle = (peak + 1) / 2;
  int lx = x * sub_x (s, k), ly = y * sub_y (s, k), v;
  BdctViewMode mode = s->view.mode;
  int line = round (s->view.position * s->c->width);
  int end = MIN (line + 1 + s->c->width / 1280, s->c->width);
  const Picture *picture = find_picture (s, origin (s, &lx, &ly));
  int px, py;

  *border = s->view.grid && k == BDCT_Y
      && (x % s->size[0] == 0 || y % s->size[0] == 0);
  magnify (s, &lx, &ly);
  px = lx / sub_x (s, k);
  py = ly / sub_y (s, k);
  if (mode == BDCT_VIEW_WIPE && line > 0 && line < s->c->width
      && x >= line / sub_x (s, k) && x <= (end - 1) / sub_x (s, k))
    return k == BDCT_Y ? peak : middle;
  if (mode == BDCT_VIEW_DIFFERENCE)
    v = CLAMP (middle + floor ((picture_at (picture, k, px, py)
                - picture_at (find_picture (s, FALSE), k, px, py))
            * round (s->view.gain * 256) / 256
            + 0.5), 0, peak);
  else if (mode == BDCT_VIEW_COEFFICIENTS)
    v = level_sample (s, k, view_level_at (s, k, px, py));
  else if (mode >= BDCT_VIEW_ERROR_MAP) {
    int cell = cell_size (s), columns = (s->c->width + cell - 1) / cell;

    *value = s->value[ly / cell * columns + lx / cell];
    *most = s->most[ly / cell * columns + lx / cell];
    return -1;
  } else
    v = picture_at (picture, k, px, py);
  if (*border)
    v += v >= middle ? -middle / 2 : middle / 2;
  return v;
}

static gboolean
in_legend (const Scene * s, const BdctLegend * legend, int k, int x, int y)
{
  int lx = x * sub_x (s, k), ly = y * sub_y (s, k);

  return legend->width > 0 && lx >= legend->x - 2 && ly >= legend->y - 2
      && lx < legend->x + legend->width + 2
      && ly < legend->y + legend->height + 2;
}

static gboolean
check_sample (const Scene * s, const BdctEngine * engine, int k, int x, int y,
    int v)
{
  double value = 0, most = 0;
  gboolean border;
  int expected = expect (s, k, x, y, &value, &most, &border);
  gboolean ok = expected < 0 ? view_is_colour (s, k, value, most, v)
      : v == expected;

  if (expected < 0 && border) {
    int quarter = 1 << (s->c->depth - 2);

    /* The mark changes which half the sample is in, or not. */
    ok = view_is_colour (s, k, value, most, v - quarter)
        || view_is_colour (s, k, value, most, v + quarter);
  }
  if (!ok)
    g_test_fail_printf ("%s: %s, %s depth %d, %s, %dx%d, grid %d, second %d, "
        "position %g, zoom %g at %g, %g, component %d (%d, %d): %d, not %d "
        "(%g to %g)", engine->description,
        bdct_transform_info (s->c->params.transform)->name,
        format_names[s->c->format], s->c->depth,
        bdct_view_info (s->view.mode)->name, s->c->width, s->c->height,
        s->view.grid, s->view.second, s->view.position, s->view.zoom,
        s->view.zoom_x, s->view.zoom_y, k, x, y, v, expected, value, most);
  return ok;
}

gboolean
view_check (const Scene * s, const BdctEngine * engine, const Frame * dst)
{
  gboolean ok = TRUE;
  BdctLegend legend;
  Picture got;
  Frame frame;

  bdct_view_legend (&s->view, &s->layout, &legend);
  picture_init (&got, &s->layout);
  frame_get (dst, &s->layout, &got);
  for (int k = 0; k < BDCT_MAX_COMPONENTS && ok; k++)
    for (int i = 0; i < got.width[k] * got.height[k] && ok; i++) {
      int x = i % got.width[k], y = i / got.width[k];

      if (!in_legend (s, &legend, k, x, y))
        ok = check_sample (s, engine, k, x, y, got.sample[k][i]);
      tally_add (1, !ok);
    }
  frame_init (&frame, &s->layout, s->c->stride);
  frame_put (&frame, &s->layout, &got, FALSE);
  if (ok && !frame_equal (dst, &frame, &s->layout)) {
    g_test_fail_printf ("bytes beside the samples were written");
    ok = FALSE;
  }
  frame_clear (&frame);
  picture_clear (&got);
  return ok;
}
