/* blockdct: the views, ways to look at what became of a frame (engine.h), or at
 * two pictures that are compared (compare.h).
 *
 * A view is drawn from the original, the reconstruction and the blocks' records
 * (render.h); the statistics do not know of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_VIEW_H
#define BDCT_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a frame has is of its reconstruction; what a comparison has is of two
 * pictures, `left` and `right` there. The error map is of both. */
typedef enum {
  BDCT_VIEW_RECONSTRUCTION, /**< of a frame: what a decoder would show */
  BDCT_VIEW_ORIGINAL,       /**< of a frame */
  BDCT_VIEW_WIPE,         /**< of two: the left one left of a dividing line of
                               white */
  BDCT_VIEW_SIDE_BY_SIDE, /**< of two: a half of the left one's width, unscaled,
                               and the same part of the right one */
  BDCT_VIEW_STACKED,      /**< of two: the same with a half of its height */
  BDCT_VIEW_FLICKER,      /**< one of two: `second` says which */
  BDCT_VIEW_DIFFERENCE,   /**< of two: mid-grey + gain (right - left) */
  BDCT_VIEW_COEFFICIENTS, /**< of a frame: the levels of each block where it
                               stands */
  BDCT_VIEW_ERROR_MAP,    /**< PSNR of each luma block and its share of the
                               chroma blocks over it */
  BDCT_VIEW_NONZERO_MAP,  /**< of a frame: share of a luma block's levels that
                               are not 0 */
  BDCT_VIEW_QUALITY_MAP,  /**< of a frame: how much finer or coarser a luma
                               block's set is than the first one */
  BDCT_VIEW_SIZE_MAP,     /**< of a frame: the side of each luma block, 4 to 64
                               */
  BDCT_VIEW_SSIM_MAP,     /**< of two: SSIM of the window of 8 x 8 samples of
                               luma that begins with each 4 x 4 */
  BDCT_VIEW_HVS_MAP,      /**< of two: PSNR-HVS of each 8 x 8 samples of luma */
  BDCT_N_VIEWS
} BdctViewMode;

typedef struct {
  const char *name;        /**< nick: "side-by-side" */
  const char *description; /**< a line for people */
} BdctViewInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctViewInfo *bdct_view_info (BdctViewMode mode);

/** Whether a frame has such a view; whether two pictures have. */
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

#define BDCT_VIEW_MAX_GAIN 64
#define BDCT_VIEW_MAX_ZOOM 16

/** Colours of the maps, from the least to the most. */
#define BDCT_VIEW_COLOURS 64

/** What the maps show at their ends: 60 dB and more is colour 0, 20 dB and less
 * the last; a share s of levels, and an SSIM of 1 - s, is colour 63 sqrt (s).
 */
#define BDCT_VIEW_BEST_PSNR 60
#define BDCT_VIEW_WORST_PSNR 20

/** What the quality map shows at its ends: quantizers so many QP coarser than
 * the first are colour 0, so many QP finer the last. 6 QP double the steps. */
#define BDCT_VIEW_MOST_QP 24

/** What the size map shows at its ends: log2 of a block's side. */
#define BDCT_VIEW_LEAST_LOG2 2
#define BDCT_VIEW_MOST_LOG2 6

typedef struct {
  BdctViewMode mode;
  /** The maps' colours as samples of the frame, bdct_view_colours(). */
  uint16_t colour[BDCT_VIEW_COLOURS][BDCT_MAX_COMPONENTS];
  bool bare;       /**< no legend, whatever is shown */
  /* Of a frame: */
  bool grid;       /**< show the borders of luma's blocks, of a quadtree those
                        it took */
  /** The quality map: of each quantizer; below 0 is finer than the first one. */
  double delta_qp[BDCT_MAX_QUANTIZERS];
  /* Of two pictures: */
  bool second;     /**< the flicker: whether the right one is shown */
  double position; /**< 0 to 1: wipe: of the dividing line; side-by-side and
                        stacked: which part of the picture is shown */
  double gain;     /**< 0 to BDCT_VIEW_MAX_GAIN, of the difference */
  double zoom;     /**< 1 to BDCT_VIEW_MAX_ZOOM: samples of the view to one of
                        the picture, across and down; 1/256 is the least step */
  double zoom_x, zoom_y; /**< 0 to 1: which part of the picture is seen then,
                              from the one at the left, or at the top, on */
} BdctView;

#define BDCT_VIEW_DEFAULT                                                     \
  {                                                                           \
    .mode = BDCT_VIEW_RECONSTRUCTION, .position = 0.5, .gain = 4.0,           \
    .zoom = 1.0, .zoom_x = 0.5, .zoom_y = 0.5                                 \
  }

/** 256 times its zoom. */
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

/** Whether a frame's view is the reconstruction and nothing else. */
static inline bool
bdct_view_is_plain (const BdctView *view)
{
  return view->mode == BDCT_VIEW_RECONSTRUCTION && !view->grid;
}

/** Whether a view has the maps' colours; whether they are those of the blocks,
 * by their records, their quantizers or sizes. */
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

/** The metric whose map a view is (metrics.h), a BdctMetric; -1: of none. */
int bdct_view_metric (BdctViewMode mode);

/** Fill the colours for a depth and a colour matrix (BT.601: 0.299, 0.114), in
 * the full or the limited (16 to 235) range. */
void bdct_view_colours (BdctView *view, int depth, double kr, double kb,
    bool full_range);

/** Where a sample of luma in the view was in the picture, and, unless `second`
 * is NULL, whether that is the view's second one. False, with nothing changed,
 * if (x, y) is outside the frame. */
bool bdct_view_source (const BdctView *view, const BdctLayout *layout, int *x,
    int *y, bool *second);

/** Zoom so that what is at (x, y) of the view, in samples of luma, stays there
 * as far as the picture's edges allow. */
void bdct_view_zoom_at (BdctView *view, const BdctLayout *layout, double zoom,
    double x, double y);

/** Move what is seen of a zoomed picture by so many samples of the view. */
void bdct_view_pan (BdctView *view, const BdctLayout *layout, double dx,
    double dy);

/** The bar that explains a map's colours, in samples of luma, and where on it
 * its marks are. */
typedef struct {
  int x, y, width, height; /**< width 0: this view has none, or the frame is
                                too small */
  int n_marks;
  struct {
    int y;            /**< the row of luma */
    const char *text; /**< "40 dB" */
  } mark[8];
} BdctLegend;

void bdct_view_legend (const BdctView *view, const BdctLayout *layout,
    BdctLegend *legend);

#ifdef __cplusplus
}
#endif
#endif
