/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a view has to show by docs/reference/views.md, computed in another way
 * than dct/picture does. */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include "cpu/metrics/kernel.h"
#include "dct/metrics/psnr-hvs.h"
#include "tests/unit/reference-colour.h"

#define UNSURE INT32_MIN        /* a map's colour that is one of two or more */

#define sub_x(s, k) (1 << ref_sub_x ((s)->layout->chroma, k))
#define sub_y(s, k) (1 << ref_sub_y ((s)->layout->chroma, k))

static int
sample_at (const RefPicture * p, int k, int x, int y)
{
  return p->sample[k][y * p->width[k] + x];
}

static bool
is_tree (const Shown * s)
{
  return s->o != NULL && s->o->f->value[TRANSFORM] == BDCT_HEVC_QUADTREE;
}

/* log2 of the tree's block, or else of the transform's, at luma's (x, y). */
static int
block_at (const Shown * s, int x, int y)
{
  const BdctJobInfo *info = &s->o->f->info;

  return !is_tree (s) ? info->log2_width[0]
      : s->o->out->bytes[SIZE_BYTES][(y >> info->log2_height[0])
      * info->grid[0].columns + (x >> info->log2_width[0])];
}

/* Maps */

/* How much of `size` samples from `at` on are also another's. */
static double
overlap (int at, int size, int other, int other_size)
{
  return fmax (fmin (at + size, other + other_size) - fmax (at, other), 0);
}

/* The mean squared error of luma's block at (x, y), and of the blocks of chroma
 * that lie over it, each to the part that does. */
static double
mean_error (const Shown * s, int x, int y)
{
  const int luma = s->width[0];
  double sum = 0, count = 0;

  for (int k = 0; k < BDCT_MAX_COMPONENTS && s->left->width[k] > 0; k++) {
    const int width = s->width[k], height = s->height[k];
    const int across = width * sub_x (s, k), down = height * sub_y (s, k);
    const int x0 = clamp (x / sub_x (s, k) - width, 0, INT32_MAX);
    const int y0 = clamp (y / sub_y (s, k) - height, 0, INT32_MAX);

    for (int j = y0; j < y0 + luma + 2 * height && j < s->left->height[k]; j++)
      for (int i = x0; i < x0 + luma + 2 * width && i < s->left->width[k];
          i++) {
        const double part = overlap (i / width * across, across, x, luma)
            * overlap (j / height * down, down, y, luma) / (across * down);
        const double e = sample_at (s->left, k, i, j)
            - sample_at (s->right, k, i, j);

        sum += part * e * e;
        count += part;
      }
  }
  return sum / count;
}

static int
cell_size (const Shown * s)
{
  return s->view->mode == BDCT_VIEW_SSIM_MAP ? 4
      : s->view->mode == BDCT_VIEW_HVS_MAP ? 8 : s->width[0];
}

/* Luma of two pictures. */
typedef struct {
  const int *a, *b;
  int width, height, peak;
} RefPair;

/* SSIM of 8 x 8 samples from its definition, in double precision. */
static double
ssim_of_window (const RefPair * p, int x, int y)
{
  /* Windows' sums have the means of 64 samples, but C1 that of one of 64. */
  const double c1 = floor (.0001 * p->peak * p->peak * 64 + .5) / 4096;
  const double c2 = floor (.0009 * p->peak * p->peak * 64 * 63 + .5) / 4032;
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    a += p->a[at] / 64.0;
    b += p->b[at] / 64.0;
  }
  for (int i = 0; i < 64; i++) {
    const int at = (y + i / 8) * p->width + x + i % 8;

    aa += (p->a[at] - a) * (p->a[at] - a) / 63;
    bb += (p->b[at] - b) * (p->b[at] - b) / 63;
    ab += (p->a[at] - a) * (p->b[at] - b) / 63;
  }
  return (2 * a * b + c1) * (2 * ab + c2) / ((a * a + b * b + c1)
      * (aa + bb + c2));
}

/* The squared error by sample that PSNR-HVS has of 8 x 8 samples, which are a
 * picture of their own; the metric's definition is in test_metrics.py. */
static double
hvs_of_block (const RefPair * p, int depth, int x, int y)
{
  static uint8_t scratch[BDCT_SCRATCH_SIZE] __attribute__ ((aligned (64)));
  uint16_t samples[2][64];
  uint64_t error;
  BdctMetricPlane plane = {.depth = depth,.width = 8,.height = 8,.step = 1,
    .luma_width = 8,.luma_height = 8,.memory = &error,
    .src = {.data = (uint8_t *) samples[0],.stride = depth > 8 ? 16 : 8},
    .rec = {.data = (uint8_t *) samples[1],.stride = depth > 8 ? 16 : 8}
  };

  for (int i = 0; i < 128; i++) {
    const int v = (i < 64 ? p->a : p->b)[(y + i % 64 / 8) * p->width + x
        + i % 8];

    if (depth > 8)
      samples[i / 64][i % 64] = v;
    else
      ((uint8_t *) samples[i / 64])[i % 64] = v;
  }
  bdct_metrics_baseline[BDCT_METRIC_PSNR_HVS]->work (&plane, 0, 0, scratch);
  return ldexp (error, -BDCT_PSNR_HVS_BITS (depth)) / 64;
}

/* What the map shows at the cell of luma at (x, y), the least and the most: the
 * engines have metrics in single precision or whole numbers, rounded to
 * 2^-12. */
static void
measure (const Shown * s, int x, int y, double *least, double *most)
{
  const int width = s->left->width[0], height = s->left->height[0];
  const RefPair pair = { s->left->sample[0], s->right->sample[0], width,
    height, (1 << s->layout->depth) - 1
  };
  const int size = s->width[0];
  double v = 0;

  *least = *most = 0;
  switch (s->view->mode) {
    case BDCT_VIEW_SSIM_MAP:
      if (width < 8 || height < 8)
        return;
      v = 1 - ssim_of_window (&pair, clamp (x, 0, width / 4 * 4 - 8),
          clamp (y, 0, height / 4 * 4 - 8));
      *least = v - 3e-5 - 2.0 / 4096;
      *most = v + 3e-5;
      return;
    case BDCT_VIEW_HVS_MAP:
      if (width < 8 || height < 8)
        return;
      *most = hvs_of_block (&pair, s->layout->depth, clamp (x, 0, width - 8),
          clamp (y, 0, height - 8));
      *least = *most - 2.0 / 4096;
      return;
    case BDCT_VIEW_QUALITY_MAP:
      v = s->view->delta_qp[oracle_set (s->o, 0, x, y)];
      break;
    case BDCT_VIEW_SIZE_MAP:
      v = block_at (s, x, y);
      break;
    case BDCT_VIEW_NONZERO_MAP:
      for (int i = 0; i < size * size; i++)
        v += oracle_level (s->o, 0, x + i % size, y + i / size) != 0;
      v /= size * size;
      break;
    default:
      v = mean_error (s, x, y);
  }
  *least = *most = v;
}

/* Where on the scale a value is, from 0 to 63. */
static double
find_colour (const Shown * s, double value)
{
  const double peak = (1 << s->layout->depth) - 1;
  double share = 0;

  if (s->view->mode == BDCT_VIEW_QUALITY_MAP)
    share = 0.5 - value / 48 + 0.5 / 63;
  else if (s->view->mode == BDCT_VIEW_SIZE_MAP)
    share = (value - 2) / 4 + 0.5 / 63;
  else if (s->view->mode == BDCT_VIEW_NONZERO_MAP
      || s->view->mode == BDCT_VIEW_SSIM_MAP)
    share = sqrt (fmax (value, 0));
  else if (value > 0)
    share = (60 - 10 * log10 (peak * peak / value)) / 40;
  return fmin (fmax (share, 0), 1) * 63;
}

/* Other views */

static int
level_sample (const Shown * s, int k, int level)
{
  const int peak = (1 << s->layout->depth) - 1, middle = (peak + 1) / 2;
  const int m = abs (level);
  int bright = 0;

  if (m > 0) {
    const double power = pow (2, floor (log2 (m)));
    /* In sixteenths, a straight line between the powers of 2. */
    const int log16 = 16 * log2 (power) + floor (16 * m / power) - 16;

    bright = fmin (112 + log16 * 143 / 160, 255);
  }
  return k == 0 ? bright * peak / 255
      : middle + (level < 0 ? -1 : 1) * (bright * (middle - 1) / 255);
}

/* Where luma's (x, y) comes from, and whether that is in the second part. */
static bool
origin (const Shown * s, int *x, int *y)
{
  const BdctViewMode mode = s->view->mode;
  int *z = mode == BDCT_VIEW_STACKED ? y : x;
  const int size = mode == BDCT_VIEW_STACKED ? s->layout->plane[0].height
      : s->layout->plane[0].width;
  const int half = size / 4 * 2;
  const int pan = (int) round (s->view->position * half) / 2 * 2;
  const bool second = *z >= half;

  if (mode == BDCT_VIEW_WIPE)
    return *x >= round (s->view->position * size);
  if (mode == BDCT_VIEW_FLICKER)
    return s->view->second;
  if ((mode != BDCT_VIEW_SIDE_BY_SIDE && mode != BDCT_VIEW_STACKED)
      || size < 4)
    return mode != BDCT_VIEW_ORIGINAL;
  *z += second ? pan - half : pan;
  return second;
}

/* The sample of the picture that a place of the enlarged view shows; zooms are
 * whole multiples of 1/256, which doubles have exactly. */
static int
magnify (const Shown * s, double share, int side, int at)
{
  const double zoom = s->view->zoom;

  return floor ((at + round (share * (floor (side * zoom) - side))) / zoom);
}

/* Whether a column of luma, or one of those of a sample, is the wipe's line. */
static bool
on_line (const Shown * s, int k, int x)
{
  const int width = s->layout->plane[0].width;
  const int line = round (s->view->position * width);
  const int end = clamp (line + 1 + width / 1280, 0, width);

  return s->view->mode == BDCT_VIEW_WIPE && !s->view->bare
      && line > 0 && line < width
      && x >= line / sub_x (s, k) && x <= (end - 1) / sub_x (s, k);
}

/* The library says of each place of the view what it shows, and which half of
 * the view has it. */
static bool
check_places (const Shown * s, char *text)
{
  const BdctPlaneLayout *luma = &s->layout->plane[0];
  const BdctViewMode mode = s->view->mode;
  BdctViewPlace place;

  bdct_view_place (s->view, s->layout, &place);
  for (int i = 0; i < luma->width * luma->height; i++) {
    const int x = i % luma->width, y = i / luma->width;
    int u = x, v = y, at_x = x, at_y = y, n = 0;
    const bool second = origin (s, &u, &v);
    bool at_second, ok;

    u = magnify (s, s->view->zoom_x, luma->width, u);
    v = magnify (s, s->view->zoom_y, luma->height, v);
    ok = bdct_view_source (s->view, s->layout, &at_x, &at_y, &at_second)
        && at_x == u && at_y == v && at_second == second;
    for (int k = 0; k < 2; k++) {
      const BdctViewHalf *half = &place.half[k];

      if (x < half->x0 || x >= half->x1 || y < half->y0 || y >= half->y1)
        continue;
      n++;
      ok = ok && k == (second || mode == BDCT_VIEW_FLICKER)
          && (x + half->left) * 256 / place.ratio == u
          && (y + half->top) * 256 / place.ratio == v;
    }
    if (!ok || n != !on_line (s, 0, x))
      return oracle_fail (text, "%s: (%d, %d) is said to show (%d, %d) of "
          "picture %d, or not in its half", bdct_view_info (mode)->name, x, y,
          at_x, at_y, at_second);
  }
  return true;
}

static bool
in_legend (const Shown * s, const BdctLegend * legend, int k, int x, int y)
{
  const int u = x * sub_x (s, k), v = y * sub_y (s, k);

  return legend->width > 0 && u >= legend->x - 2 && v >= legend->y - 2
      && u < legend->x + legend->width + 2
      && v < legend->y + legend->height + 2;
}

/* Luma on the grid. */
static int
mark (const Shown * s, int value)
{
  const int half = 1 << (s->layout->depth - 1);

  return value >= half ? value - half / 2 : value + half / 2;
}

/* What a component's sample has to be, and of maps the other end of what it may
 * be; `marked`: on the grid. */
static int
expect (const Shown * s, int k, int x, int y, int *other, bool *marked)
{
  const int peak = (1 << s->layout->depth) - 1, middle = (peak + 1) / 2;
  const BdctViewMode mode = s->view->mode;
  int u = x * sub_x (s, k), v = y * sub_y (s, k), value;
  const RefPicture *picture = origin (s, &u, &v) ? s->right : s->left;
  double least, most;

  *marked = s->o != NULL && s->view->grid && k == 0
      && ((x & ((1 << block_at (s, x, y)) - 1)) == 0
      || (y & ((1 << block_at (s, x, y)) - 1)) == 0);
  u = magnify (s, s->view->zoom_x, s->layout->plane[0].width, u);
  v = magnify (s, s->view->zoom_y, s->layout->plane[0].height, v);
  *other = -1;
  if (on_line (s, k, x))
    return k == 0 ? peak : middle;
  if (mode == BDCT_VIEW_DIFFERENCE)
    value = fmin (fmax (middle + floor ((sample_at (s->right, k,
                    u / sub_x (s, k), v / sub_y (s, k)) - sample_at (s->left,
                    k, u / sub_x (s, k), v / sub_y (s, k)))
                * round (s->view->gain * 256) / 256 + 0.5), 0), peak);
  else if (mode == BDCT_VIEW_COEFFICIENTS)
    value = level_sample (s, k, oracle_level (s->o, k, x, y));
  else if (mode >= BDCT_VIEW_ERROR_MAP) {
    const int cell = cell_size (s);

    uint8_t *colours = s->colours + 2 * (v / cell * ((s->left->width[0] - 1)
            / cell + 1) + u / cell);

    /* Counted from 1, once. */
    if (colours[0] == 0) {
      measure (s, u / cell * cell, v / cell * cell, &least, &most);
      colours[0] = 1 + clamp (floor (find_colour (s, least) - 0.03), 0, 63);
      colours[1] = clamp (floor (find_colour (s, most) + 0.03), 0, 63);
    }
    *other = colours[1];
    return colours[0] - 1;
  } else {
    value = sample_at (picture, k, u / sub_x (s, k), v / sub_y (s, k));
  }
  return *marked ? mark (s, value) : value;
}

static bool
is_expected (const Shown * s, int k, int expected, int other, bool marked,
    int got)
{
  const int quarter = 1 << (s->layout->depth - 2);

  if (other < 0)
    return got == expected;
  /* The mark changes which half the sample is in, or not. */
  for (int i = expected; i <= other; i++)
    if (marked ? abs (got - s->view->colour[i][k]) == quarter
        : got == s->view->colour[i][k])
      return true;
  return false;
}

/* The bar has the colours, from the bottom up, and marks in black. */
static bool
check_legend (const Shown * s, const BdctLegend * legend,
    const RefPicture * got, char *text)
{
  for (int row = 0; row < legend->height; row++)
    if (sample_at (got, 0, legend->x + legend->width - 1, legend->y + row)
        != s->view->colour[63 - row * 64 / legend->height][0])
      return oracle_fail (text, "%s: row %d of the bar",
          bdct_view_info (s->view->mode)->name, row);
  for (int i = 0; i < legend->n_marks; i++)
    if (sample_at (got, 0, legend->x, legend->mark[i].y) != 0)
      return oracle_fail (text, "%s: mark %d",
          bdct_view_info (s->view->mode)->name, i);
  return true;
}

/* A tree's levels have places of their own, and its blocks' errors are divided
 * among the places of the smallest. */
static bool
is_defined (const Shown * s)
{
  return !is_tree (s) || s->view->mode < BDCT_VIEW_COEFFICIENTS
      || s->view->mode == BDCT_VIEW_QUALITY_MAP
      || s->view->mode == BDCT_VIEW_SIZE_MAP;
}

bool
oracle_view (const Shown * s, const RefPicture * got, char *text)
{
  BdctLegend legend;

  if (!is_defined (s))
    return true;
  if (s->o == NULL && !check_places (s, text))
    return false;
  bdct_view_legend (s->view, s->layout, &legend);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
    for (int i = 0; i < got->width[k] * got->height[k]; i++) {
      const int x = i % got->width[k], y = i / got->width[k];
      bool marked;
      int other, expected;

      if (in_legend (s, &legend, k, x, y))
        continue;
      expected = expect (s, k, x, y, &other, &marked);
      if (!is_expected (s, k, expected, other, marked, got->sample[k][i]))
        return oracle_fail (text, "%s, component %d (%d, %d): %d, not %d "
            "(%d)", bdct_view_info (s->view->mode)->name, k, x, y,
            got->sample[k][i], expected, other);
    }
  return check_legend (s, &legend, got, text);
}

/* R, G and B */

/* The planes of a view that is computed, at 1:1. */
static void
draw (const Shown * s, RefPicture * planes)
{
  BdctView view = *s->view;
  Shown own = *s;

  view.zoom = 1;
  own.view = &view;
  ref_picture_sides (s->layout, planes);
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
    planes->sample[k] = allocate (planes->width[k] * planes->height[k]
        * sizeof (int));
    for (int i = 0; i < planes->width[k] * planes->height[k]; i++) {
      bool marked;
      int other;
      const int v = expect (&own, k, i % planes->width[k],
          i / planes->width[k], &other, &marked);

      planes->sample[k][i] = other < 0 ? v : other != v ? UNSURE : marked
          ? mark (s, view.colour[v][k]) : view.colour[v][k];
    }
  }
}

static bool
is_sure (const Shown * s, const RefPicture * planes, int x, int y)
{
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
    for (int i = 0; i < 9; i++) {
      const int u = clamp (x / sub_x (s, k) + i % 3 - 1, 0,
          planes->width[k] - 1);
      const int v = clamp (y / sub_y (s, k) + i / 3 - 1, 0,
          planes->height[k] - 1);

      if (sample_at (planes, k, u, v) == UNSURE)
        return false;
    }
  return true;
}

/* Whether a pixel is in the legend or, at 1:1, has chroma of it. */
static bool
near_legend (const Shown * s, const BdctLegend * legend, int x, int y)
{
  const int reach = s->view->zoom == 1 ? 2 : 0;
  bool near = false;

  for (int i = 0; i < 9; i++)
    near = near || in_legend (s, legend, 0, x + (i % 3 - 1) * reach,
        y + (i / 3 - 1) * reach);
  return near;
}

/* A view that copies has the pictures' bytes, and white where the wipe's line
 * is; on the grid, R, G and B of the original are as much brighter as its luma.
 * One that is computed is that of planes at 1:1, of which pixels are enlarged;
 * a fourth byte is the right picture's. */
bool
oracle_view_rgb (const Shown * s, const BdctImage images[2],
    const BdctImage * image, char *text)
{
  const bool copies = s->o == NULL ? s->view->mode < BDCT_VIEW_DIFFERENCE
      : s->view->mode == BDCT_VIEW_ORIGINAL;
  const int n = s->layout->rgb.bytes == 4 ? 4 : 3;
  RefPicture planes = { {0}, {0}, {NULL} };
  BdctLegend legend;
  bool ok = true;

  if (!is_defined (s))
    return true;
  bdct_view_legend (s->view, s->layout, &legend);
  if (!copies)
    draw (s, &planes);
  for (int y = 0; y < s->layout->plane[0].height && ok; y++)
    for (int x = 0; x < s->layout->plane[0].width && ok; x++) {
      int u = x, v = y, other, wanted[4] = { 255, 255, 255, 255 };
      bool marked;
      const int brighter = s->o == NULL || !copies ? 0
          : expect (s, 0, x, y, &other, &marked) - sample_at (s->left, 0, x,
          y);
      const bool second = origin (s, &u, &v);

      u = magnify (s, s->view->zoom_x, s->layout->plane[0].width, u);
      v = magnify (s, s->view->zoom_y, s->layout->plane[0].height, v);
      if (!copies && (!is_sure (s, &planes, u, v)
              || near_legend (s, &legend, x, y)))
        continue;
      if (!copies)
        ref_colour_join (s->layout, &planes, u, v, wanted);
      for (int k = copies && !on_line (s, 0, x) ? 0 : copies ? 4 : 3; k < n;
          k++)
        wanted[k] = clamp (*ref_colour_byte (s->layout,
                &images[!copies || second], u, v, k)
            + (k < 3 ? brighter : 0), 0, 255);
      for (int k = 0; k < n && ok; k++)
        if (*ref_colour_byte (s->layout, image, x, y, k) != wanted[k])
          ok = oracle_fail (text, "%s, byte %d of (%d, %d): %d, not %d",
              bdct_view_info (s->view->mode)->name, k, x, y,
              *ref_colour_byte (s->layout, image, x, y, k), wanted[k]);
    }
  for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
    free (planes.sample[k]);
  return ok;
}
