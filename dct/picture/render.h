/* blockdct: drawing a view, the part that both engines share.
 *
 * This header computes each sample of a view, for C and CUDA; the engines
 * differ in how they traverse the frame (cpu/render.c, cuda/kernels/view.cu).
 * All arithmetic is in whole numbers, so that every engine draws the same
 * picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_RENDER_H
#define BDCT_RENDER_H

#include "dct/base/compiler.h"
#include "dct/base/layout.h"
#include "dct/base/sample.h"
#include "dct/metrics/metrics.h"
#include "dct/quantizer/block-grid.h"
#include "dct/quantizer/job.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A reconstruction (for the view of coefficients, the picture of the
 * levels), with its blocks. */
typedef struct {
  const BdctJob *job;
  BdctImage image;          /* no data: the view shows no sample of it */
  const uint8_t *sizes;     /* sides of a tree's luma blocks (engine.h);
                                 NULL: all are the job's */
} BdctRenderPicture;

/* One component of the two pictures of a view, and of the view itself. Views
 * of one picture show the second one. */
typedef struct {
  BdctSamples first, second, dst;
  BdctPlaneLayout layout;   /* layout of the component's plane */
  int32_t sub_x, sub_y;     /* log2 of luma samples to one of its samples */
  int32_t log2_width, log2_height; /* of its blocks */
  BdctBlockGrid grid;       /* the blocks' records */
} BdctRenderPlane;

/* A view. Positions are in luma samples. */
typedef struct {
  int32_t mode, grid, depth, n_components;
  int32_t gain;                 /* times 256 */
  int32_t split;                /* where the second picture begins; even
                                     except for the wipe */
  int32_t divider;              /* columns of the line at `split` */
  int32_t pan;                  /* first column or row of both halves; even */
  int32_t legend_x, legend_y, legend_width, legend_height; /* even */
  int32_t n_marks, mark[8];     /* rows of the legend */
  uint32_t threshold[BDCT_VIEW_COLOURS - 1];
  uint16_t colour[BDCT_VIEW_COLOURS][BDCT_MAX_COMPONENTS];
  BdctRenderPlane plane[BDCT_MAX_COMPONENTS];
  const BdctBlockRecord *blocks; /* for the maps */
  const uint8_t *quantizer_map;  /* for the quality map; NULL: all are the
                                      first */
  const uint32_t *map;          /* a metric's map ... */
  BdctMetricMap of;             /* ... and its dimensions */
  int32_t log2_block[2];         /* log2 of the width and height of an area
                                      of one colour */
  const uint8_t *sizes;         /* sides of luma's blocks, for the size map
                                     and the grid; NULL: all are the plane's */
  uint8_t set_colour[BDCT_MAX_QUANTIZERS];
  uint8_t size_colour[BDCT_VIEW_MOST_LOG2 + 1]; /* by log2 of the side */
} BdctRender;

/* Whether a view shows the first picture and nothing of the second. */
static inline bool
bdct_render_is_first (const BdctView *view)
{
  return view->mode == BDCT_VIEW_ORIGINAL
      || (view->mode == BDCT_VIEW_FLICKER && !view->second);
}

/* Describe a view: `dst` is drawn from `src`, a frame's original or the
 * left one of two pictures, and from `rec`, its reconstruction or the right
 * one. Maps also read `blocks`, `quantizer_map`, which may be NULL, and
 * `map` of the view's metric. None of them may overlap `dst`. */
void bdct_render_init (BdctRender *render, const BdctView *view,
    const BdctLayout *layout, const BdctImage *src,
    const BdctRenderPicture *rec, const BdctImage *dst,
    const BdctBlockRecord *blocks, const uint8_t *quantizer_map,
    const uint32_t *map);

/* Set only the members that describe positions. */
void bdct_render_place (BdctRender *render, const BdctView *view,
    const BdctLayout *layout);

/* Whether a mode shows samples of the two pictures, unchanged except for
 * their position. */
BDCT_FORCE_INLINE bool
bdct_render_is_copy (int mode)
{
  return mode <= BDCT_VIEW_FLICKER || mode == BDCT_VIEW_COEFFICIENTS;
}

BDCT_FORCE_INLINE int
bdct_render_clip (int v, int peak)
{
  return v < 0 ? 0 : v > peak ? peak : v;
}

/* Whether sample (x, y) of a component in a copying view is from the second
 * picture. Sets (x, y) to its position in that picture. */
BDCT_FORCE_INLINE bool
bdct_render_locate (const BdctRender *r, int sub_x, int sub_y, int *x, int *y)
{
  const bool stacked = r->mode == BDCT_VIEW_STACKED;
  const int sub = stacked ? sub_y : sub_x, split = r->split >> sub;
  const bool second = (stacked ? *y : *x) >= split;
  const int by = (r->pan >> sub) - (second ? split : 0);

  /* Without a pointer to either: it would need local memory on a GPU. */
  *x += r->mode == BDCT_VIEW_SIDE_BY_SIDE ? by : 0;
  *y += stacked ? by : 0;
  return second;
}

BDCT_FORCE_INLINE int
bdct_render_difference (int first, int second, int gain, int depth)
{
  int v = (1 << (depth - 1)) + (((second - first) * gain + 128) >> 8);

  return bdct_render_clip (v, (1 << depth) - 1);
}

/* A level as a sample. Luma is black for 0, near mid-grey for 1, rises with
 * the logarithm and is white from 2^10 on; chroma goes half as far to either
 * side of neutral. The logarithm is linear between powers of 2. */
BDCT_FORCE_INLINE int
bdct_render_level (int level, bool chroma, int depth)
{
  int magnitude = level < 0 ? -level : level, bright = 0, e = 0;
  int peak = (1 << depth) - 1, middle = 1 << (depth - 1);

  if (magnitude > 0) {
    while (magnitude >> e > 1)
      e++;
    bright = 112 + ((e << 4) + ((magnitude << 4) >> e) - 16) * 143 / 160;
    bright = bright > 255 ? 255 : bright;
  }
  if (!chroma)
    return bright * peak / 255;
  bright = bright * (middle - 1) / 255;
  return level < 0 ? middle - bright : middle + bright;
}

/* The colour of a block from `value` in 2^-12 (its squared errors, number of
 * nonzero levels, or a metric's number) over `count` samples. */
BDCT_FORCE_INLINE int
bdct_render_colour (const BdctRender *r, uint64_t value, uint32_t count)
{
  int n = 0;

  for (int step = BDCT_VIEW_COLOURS / 2; step > 0; step /= 2)
    if (value >= (uint64_t) r->threshold[n + step - 1] * count)
      n += step;
  return n;
}

/* The colour of a square of a metric's map. A square without a number has the
 * nearest one's colour. */
BDCT_FORCE_INLINE int
bdct_render_map_colour (const BdctRender *r, int x, int y)
{
  if (r->of.columns == 0)
    return 0;
  x = x < r->of.columns ? x : r->of.columns - 1;
  y = y < r->of.rows ? y : r->of.rows - 1;
  return bdct_render_colour (r, r->map[(size_t) y * r->of.columns + x], 1);
}

/* The number of columns, or rows, of areas of one colour in luma. */
BDCT_FORCE_INLINE int
bdct_render_count_blocks (const BdctRender *r, bool rows)
{
  const BdctPlaneLayout *luma = &r->plane[BDCT_Y].layout;

  return (((rows ? luma->height : luma->width) - 1) >> r->log2_block[rows]) + 1;
}

/* The colour in column `x`, row `y` of luma's blocks in the block maps. For
 * the errors, a chroma block over 2^k luma blocks gives each of them 1/2^k of
 * its squared errors and samples. They are counted in sixteenths, as k is at
 * most 4. */
BDCT_FORCE_INLINE int
bdct_render_block_colour (const BdctRender *r, int x, int y)
{
  const BdctRenderPlane *luma = &r->plane[BDCT_Y];
  const size_t number = luma->grid.first + (size_t) y * luma->grid.columns + x;
  uint64_t value = 0;
  uint32_t count = 0;

  if (r->of.log2_side > 0)
    return bdct_render_map_colour (r, x, y);
  if (r->mode == BDCT_VIEW_SIZE_MAP)
    return r->size_colour[r->sizes != NULL ? r->sizes[number]
        : luma->log2_width];
  if (r->mode == BDCT_VIEW_QUALITY_MAP)
    return r->set_colour[r->quantizer_map != NULL
        ? r->quantizer_map[number] : 0];
  if (r->mode == BDCT_VIEW_NONZERO_MAP)
    return bdct_render_colour (r, (uint64_t) r->blocks[number].nonzero << 12,
        1u << (luma->log2_width + luma->log2_height));
  for (int c = 0; c < r->n_components; c++) {
    const BdctRenderPlane *p = &r->plane[c];
    /* log2 of the ratio of a block's sides to those of luma's. */
    int right = p->log2_width + p->sub_x - luma->log2_width;
    int down = p->log2_height + p->sub_y - luma->log2_height;
    int parts = 16 >> ((right > 0 ? right : 0) + (down > 0 ? down : 0));
    int x0 = right > 0 ? x >> right : x << -right;
    int y0 = down > 0 ? y >> down : y << -down;
    int x1 = x0 + (right < 0 ? 1 << -right : 1);
    int y1 = y0 + (down < 0 ? 1 << -down : 1);

    for (int by = y0; by < y1 && by < p->grid.rows; by++)
      for (int bx = x0; bx < x1 && bx < p->grid.columns; bx++) {
        int width = p->layout.width - (bx << p->log2_width);
        int height = p->layout.height - (by << p->log2_height);

        if (width > 1 << p->log2_width)
          width = 1 << p->log2_width;
        if (height > 1 << p->log2_height)
          height = 1 << p->log2_height;
        value += (uint64_t) parts * r->blocks[p->grid.first
            + (size_t) by * p->grid.columns + bx].sse;
        count += parts * width * height;
      }
  }
  return bdct_render_colour (r, value << 12, count);
}

/* Whether a sample of luma is on a border of its block. */
BDCT_FORCE_INLINE bool
bdct_render_on_grid (const BdctRender *r, int x, int y)
{
  const BdctRenderPlane *luma = &r->plane[BDCT_Y];
  int log2_width = luma->log2_width, log2_height = luma->log2_height;

  if (r->sizes != NULL)
    log2_width = log2_height = r->sizes[(y >> log2_height)
        * (size_t) luma->grid.columns + (x >> log2_width)];
  return (x & ((1 << log2_width) - 1)) == 0
      || (y & ((1 << log2_height) - 1)) == 0;
}

/* Luma on a border, made a quarter darker or lighter. */
BDCT_FORCE_INLINE int
bdct_render_mark (int v, int depth)
{
  return v >> (depth - 1) ? v - (1 << (depth - 2)) : v + (1 << (depth - 2));
}

/* The legend's sample of a component at (x, y); false outside of the legend
 * and its border. */
BDCT_FORCE_INLINE bool
bdct_render_legend (const BdctRender *r, int component, int x, int y, int *v)
{
  const BdctRenderPlane *plane = &r->plane[component];
  int left = (x << plane->sub_x) - r->legend_x;
  int top = (y << plane->sub_y) - r->legend_y;
  bool black = false;

  if (r->legend_width == 0 || left < -2 || top < -2
      || left >= r->legend_width + 2 || top >= r->legend_height + 2)
    return false;
  if (left < 0 || top < 0 || left >= r->legend_width
      || top >= r->legend_height) {
    *v = component == BDCT_Y ? 0 : 1 << (r->depth - 1);
    return true;
  }
  for (int i = 0; i < r->n_marks; i++)
    black = black || r->mark[i] - r->legend_y == top;
  *v = component == BDCT_Y && black && left < r->legend_width / 2 ? 0
      : r->colour[BDCT_VIEW_COLOURS - 1
          - top * BDCT_VIEW_COLOURS / r->legend_height][component];
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
