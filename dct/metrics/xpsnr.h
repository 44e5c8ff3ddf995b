/* blockdct: what both engines share of XPSNR (cpu/metrics/xpsnr.c): the
 * positions and the weights of its blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_XPSNR_H
#define BDCT_METRIC_XPSNR_H

#include <math.h>
#include "kernel.h"

/* The weight of temporal activity. */
#define BDCT_XPSNR_GAMMA 2

/* A block's sums: squared errors and, for luma's original, the high pass's
 * magnitudes and those of the temporal change. */
enum
{
  BDCT_XPSNR_ERROR,
  BDCT_XPSNR_CONTRAST,
  BDCT_XPSNR_MOVEMENT,
  BDCT_XPSNR_KINDS
};

typedef struct {
  uint64_t sum[BDCT_XPSNR_KINDS];
  double weight;                /* luma's */
} BdctXpsnrBlock;

/* The blocks of a component: their size in samples, which is less at the
 * borders; their number; and whether luma's are weighted. */
typedef struct {
  int width, height;
  int columns, rows;
  int weighted;
} BdctXpsnrGrid;

/* A block's position and size. */
typedef struct {
  int x, y, width, height;
} BdctXpsnrPlace;

/* The picture's size relative to UHD. */
BDCT_FORCE_INLINE double
bdct_xpsnr_ratio (const BdctMetricPlane *plane)
{
  return (double) plane->luma_width * plane->luma_height / (3840.0 * 2160.0);
}

/* A component's blocks cover the same area as luma's. Nothing is weighted in
 * pictures so small that the blocks' side would be below 4. */
BDCT_FORCE_INLINE BdctXpsnrGrid
bdct_xpsnr_grid (const BdctMetricPlane *plane)
{
  const int64_t side
      = 4 * (int) (32.0 * sqrt (bdct_xpsnr_ratio (plane)) + 0.5);
  BdctXpsnrGrid grid = { 64, 64, 0, 0, side >= 4 };

  if (grid.weighted) {
    grid.width = (int) (side * plane->width / plane->luma_width);
    grid.height = (int) (side * plane->height / plane->luma_height);
  }
  grid.columns = (plane->width + grid.width - 1) / grid.width;
  grid.rows = (plane->height + grid.height - 1) / grid.height;
  return grid;
}

/* The number of blocks. A plane's results are a BdctXpsnrBlock for each,
 * row-major. */
BDCT_FORCE_INLINE int
bdct_xpsnr_blocks (const BdctMetricPlane *plane)
{
  const BdctXpsnrGrid grid = bdct_xpsnr_grid (plane);

  return grid.columns * grid.rows;
}

BDCT_FORCE_INLINE BdctXpsnrPlace
bdct_xpsnr_place (const BdctMetricPlane *plane, const BdctXpsnrGrid *grid,
    int column, int row)
{
  BdctXpsnrPlace at
      = { column * grid->width, row * grid->height, grid->width, grid->height };

  if (at.width > plane->width - at.x)
    at.width = plane->width - at.x;
  if (at.height > plane->height - at.y)
    at.height = plane->height - at.y;
  return at;
}

/* The reach of the high pass. Samples that close to the picture's borders have
 * no contrast. */
BDCT_FORCE_INLINE int
bdct_xpsnr_reach (const BdctMetricPlane *plane)
{
  return 1 + bdct_xpsnr_is_large (plane->luma_width, plane->luma_height);
}

/* The kind of temporal change: 1: there is no earlier frame; 2: first
 * difference; 3: second difference; 4: second difference without the third
 * frame, which then counts as 0. */
BDCT_FORCE_INLINE int
bdct_xpsnr_frames (const BdctMetricPlane *plane)
{
  const int second = plane->frame_rate >= 32;

  return plane->luma[1] == NULL ? 1 : !second ? 2
      : plane->luma[2] != NULL ? 3 : 4;
}

/* The part of a block where the high pass stays inside the picture. */
BDCT_FORCE_INLINE BdctXpsnrPlace
bdct_xpsnr_inner (const BdctMetricPlane *plane, const BdctXpsnrPlace *at)
{
  const int reach = bdct_xpsnr_reach (plane);
  BdctXpsnrPlace inner = *at;

  if (at->x == 0)
    inner.x += reach, inner.width -= reach;
  if (at->y == 0)
    inner.y += reach, inner.height -= reach;
  if (at->x + at->width >= plane->width)
    inner.width -= reach;
  if (at->y + at->height >= plane->height)
    inner.height -= reach;
  return inner;
}

/* The weight of a block of luma. */
BDCT_FORCE_INLINE double
bdct_xpsnr_weight (const BdctMetricPlane *plane, const BdctXpsnrPlace *at,
    const uint64_t sum[BDCT_XPSNR_KINDS])
{
  const BdctXpsnrPlace inner = bdct_xpsnr_inner (plane, at);
  const double least = 1 << (plane->depth - 6);
  double activity;

  if (inner.width <= 0 || inner.height <= 0)
    return 1;
  /* ffmpeg loses the contrast of a narrow block of a large picture. */
  activity = bdct_xpsnr_reach (plane) > 1
      && inner.x + inner.width - at->x <= 12 ? 0
      : (double) sum[BDCT_XPSNR_CONTRAST]
      / ((double) inner.width * inner.height);
  activity += (double) (BDCT_XPSNR_GAMMA * sum[BDCT_XPSNR_MOVEMENT])
      / ((double) at->width * at->height);
  if (activity < least)
    activity = least;
  return 1.0 / sqrt (activity * activity);
}

#endif
