/* blockdct: the views of a frame's results (engine.h), or of two compared
 * pictures (compare.h).
 *
 * A view is drawn from the original, the reconstruction and the blocks' records
 * (render.h). Statistics do not depend on it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_VIEW_H
#define BDCT_VIEW_H

#include <blockdct/view.h>
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a mode is a view of a frame, and whether it is one of two
 * pictures. */
static inline bool
bdct_view_is_of_frame (BdctViewMode mode)
{
  return mode == BDCT_VIEW_RECONSTRUCTION || mode == BDCT_VIEW_ORIGINAL
      || (mode >= BDCT_VIEW_COEFFICIENTS && mode <= BDCT_VIEW_SIZE_MAP);
}

static inline bool
bdct_view_is_of_two (BdctViewMode mode)
{
  return (mode >= BDCT_VIEW_WIPE && mode <= BDCT_VIEW_DIFFERENCE)
      || mode == BDCT_VIEW_ERROR_MAP || mode == BDCT_VIEW_SSIM_MAP
      || mode == BDCT_VIEW_HVS_MAP;
}

/* The ends of the maps' scales: 60 dB and more is colour 0, 20 dB and less the
 * last; a share s of nonzero levels, and an SSIM of 1 - s, is colour 63 sqrt
 * (s).
 */
#define BDCT_VIEW_BEST_PSNR 60
#define BDCT_VIEW_WORST_PSNR 20

/* The ends of the quality map's scale: quantizers this many QP coarser than
 * the first are colour 0, this many QP finer the last. 6 QP double the
 * steps. */
#define BDCT_VIEW_MOST_QP 24

/* The ends of the size map's scale: log2 of a block's side. */
#define BDCT_VIEW_LEAST_LOG2 2
#define BDCT_VIEW_MOST_LOG2 6

/* 256 times a view's zoom. */
static inline int
bdct_view_ratio (const BdctView *view)
{
  return !(view->zoom >= 1) ? 256 : view->zoom >= BDCT_VIEW_MAX_ZOOM
      ? 256 * BDCT_VIEW_MAX_ZOOM : (int) (view->zoom * 256 + 0.5);
}

static inline bool
bdct_view_is_zoomed (const BdctView *view)
{
  return bdct_view_ratio (view) > 256;
}

/* Whether a frame's view is the plain reconstruction. */
static inline bool
bdct_view_is_plain (const BdctView *view)
{
  return view->mode == BDCT_VIEW_RECONSTRUCTION && !view->grid;
}

/* Whether a view has the maps' colours, and whether these are the blocks',
 * from their records, quantizers or sizes. */
static inline bool
bdct_view_is_map (const BdctView *view)
{
  return view->mode >= BDCT_VIEW_ERROR_MAP;
}

static inline bool
bdct_view_is_of_blocks (const BdctView *view)
{
  return bdct_view_is_map (view) && view->mode <= BDCT_VIEW_SIZE_MAP;
}

/* The metric (BdctMetric) whose map a view shows (metrics.h); -1 if none. */
int bdct_view_metric (BdctViewMode mode);

#ifdef __cplusplus
}
#endif
#endif
