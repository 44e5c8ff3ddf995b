/* blockdct: what both engines have in common of XPSNR (cpu/metrics/xpsnr.c):
 * where its blocks are, and what they weigh. Plain C, which is also CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_XPSNR_H
#define BDCT_METRIC_XPSNR_H

#include <math.h>
#include "kernel.h"

/** Movement counts twice. */
#define BDCT_XPSNR_GAMMA 2

/** What is added up of a block: squared errors, and of luma's original what
 * passes the high pass, and what changes. */
enum
{
  BDCT_XPSNR_ERROR,
  BDCT_XPSNR_CONTRAST,
  BDCT_XPSNR_MOVEMENT,
  BDCT_XPSNR_KINDS
};

typedef struct {
  uint64_t sum[BDCT_XPSNR_KINDS];
  double weight;                /**< luma's */
} BdctXpsnrBlock;

/** The blocks of a component: the samples of one, those at the borders may have
 * less; how many there are; and whether luma's are weighted. */
typedef struct {
  int width, height;
  int columns, rows;
  int weighted;
} BdctXpsnrGrid;

/** A block's place. */
typedef struct {
  int x, y, width, height;
} BdctXpsnrPlace;

/** The picture's size to that of UHD. */
BDCT_FORCE_INLINE double
bdct_xpsnr_ratio (const BdctMetricPlane *plane)
{
  return (double) plane->luma_width * plane->luma_height / (3840.0 * 2160.0);
}

/** A component's blocks are where luma's are. These may be smaller than any:
 * nothing is weighted then. */
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

/** How far the high pass reaches: those samples at the picture's borders have
 * no contrast. */
BDCT_FORCE_INLINE int
bdct_xpsnr_reach (const BdctMetricPlane *plane)
{
  return 1 + bdct_xpsnr_is_large (plane->luma_width, plane->luma_height);
}

/** Frames that a change is of: one if there was none before; two, or, of
 * `second` differences, three, or 4 for two where there was no third, which
 * then counts as 0. */
BDCT_FORCE_INLINE int
bdct_xpsnr_frames (const BdctMetricPlane *plane)
{
  const int second = plane->frame_rate >= 32;

  return plane->luma[1] == NULL ? 1 : !second ? 2
      : plane->luma[2] != NULL ? 3 : 4;
}

/** What is inside the picture of a block: the filter reaches that far. */
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

/** What a block of luma weighs. */
BDCT_FORCE_INLINE double
bdct_xpsnr_weight (const BdctMetricPlane *plane, const BdctXpsnrPlace *at,
    const uint64_t sum[BDCT_XPSNR_KINDS])
{
  const BdctXpsnrPlace inner = bdct_xpsnr_inner (plane, at);
  const double least = 1 << (plane->depth - 6);
  double activity;

  if (inner.width <= 0 || inner.height <= 0)
    return 1;
  /* That of a large picture's narrow block is lost there. */
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
