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

#include <stdbool.h>
#include <stdint.h>
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Views `of a frame` show a frame and its reconstruction; views `of two` show
 * the left and right pictures of a comparison. The error map is for both. */
typedef enum {
  BDCT_VIEW_RECONSTRUCTION, /**< of a frame: what a decoder would show */
  BDCT_VIEW_ORIGINAL,       /**< of a frame */
  BDCT_VIEW_WIPE,         /**< of two: the left picture left of a white
                               dividing line, the right one right of it */
  BDCT_VIEW_SIDE_BY_SIDE, /**< of two: half the width of the left picture,
                               unscaled, and the same part of the right one */
  BDCT_VIEW_STACKED,      /**< of two: likewise with half the height */
  BDCT_VIEW_FLICKER,      /**< one of two, by `second` */
  BDCT_VIEW_DIFFERENCE,   /**< of two: mid-grey + gain (right - left) */
  BDCT_VIEW_COEFFICIENTS, /**< of a frame: the levels of each block at its
                               place */
  BDCT_VIEW_ERROR_MAP,    /**< PSNR of each luma block and its share of the
                               chroma blocks that cover it */
  BDCT_VIEW_NONZERO_MAP,  /**< of a frame: share of nonzero levels in a luma
                               block */
  BDCT_VIEW_QUALITY_MAP,  /**< of a frame: how much finer or coarser a luma
                               block's quantizer is than the first one */
  BDCT_VIEW_SIZE_MAP,     /**< of a frame: the side of each luma block, 4 to 64
                               */
  BDCT_VIEW_SSIM_MAP,     /**< of two: SSIM of the window of 8 x 8 luma
                               samples that begins at each 4 x 4 square */
  BDCT_VIEW_HVS_MAP,      /**< of two: PSNR-HVS of each square of 8 x 8 luma
                               samples */
  BDCT_N_VIEWS
} BdctViewMode;

typedef struct {
  const char *name;        /**< nick: "side-by-side" */
  const char *description; /**< a line for people */
} BdctViewInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctViewInfo *bdct_view_info (BdctViewMode mode);

/** Whether a mode is a view of a frame, and whether it is one of two
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

#define BDCT_VIEW_MAX_GAIN 64
#define BDCT_VIEW_MAX_ZOOM 16

/** The number of colours of the maps, from the least to the most. */
#define BDCT_VIEW_COLOURS 64

/** The ends of the maps' scales: 60 dB and more is colour 0, 20 dB and less the
 * last; a share s of nonzero levels, and an SSIM of 1 - s, is colour 63 sqrt
 * (s).
 */
#define BDCT_VIEW_BEST_PSNR 60
#define BDCT_VIEW_WORST_PSNR 20

/** The ends of the quality map's scale: quantizers this many QP coarser than
 * the first are colour 0, this many QP finer the last. 6 QP double the
 * steps. */
#define BDCT_VIEW_MOST_QP 24

/** The ends of the size map's scale: log2 of a block's side. */
#define BDCT_VIEW_LEAST_LOG2 2
#define BDCT_VIEW_MOST_LOG2 6

typedef struct {
  BdctViewMode mode;
  /** The maps' colours as samples of the frame; see bdct_view_colours(). */
  uint16_t colour[BDCT_VIEW_COLOURS][BDCT_MAX_COMPONENTS];
  bool bare;       /**< draw no legend */
  /* For views of a frame: */
  bool grid;       /**< show the borders of luma's blocks; for a quadtree
                        those of its chosen blocks */
  /** The quality map: QP difference of each quantizer; below 0 is finer than
   * the first. */
  double delta_qp[BDCT_MAX_QUANTIZERS];
  /* For views of two pictures: */
  bool second;     /**< flicker: show the right one */
  double position; /**< 0 to 1; wipe: place of the dividing line;
                        side-by-side and stacked: which part of the picture
                        is shown */
  double gain;     /**< gain of the difference, 0 to BDCT_VIEW_MAX_GAIN */
  double zoom;     /**< 1 to BDCT_VIEW_MAX_ZOOM: view samples per picture
                        sample, across and down, in steps of 1/256 */
  double zoom_x, zoom_y; /**< 0 to 1: which part of a zoomed picture is
                              shown, from the left or top end on */
} BdctView;

#define BDCT_VIEW_DEFAULT                                                     \
  {                                                                           \
    .mode = BDCT_VIEW_RECONSTRUCTION, .position = 0.5, .gain = 4.0,           \
    .zoom = 1.0, .zoom_x = 0.5, .zoom_y = 0.5                                 \
  }

/** 256 times a view's zoom. */
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

/** Whether a frame's view is the plain reconstruction. */
static inline bool
bdct_view_is_plain (const BdctView *view)
{
  return view->mode == BDCT_VIEW_RECONSTRUCTION && !view->grid;
}

/** Whether a view has the maps' colours, and whether these are the blocks',
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

/** The metric (BdctMetric) whose map a view shows (metrics.h); -1 if none. */
int bdct_view_metric (BdctViewMode mode);

/** Set the colours for a depth and a colour matrix (BT.601: kr 0.299, kb
 * 0.114), in full or limited (16 to 235) range. */
void bdct_view_colours (BdctView *view, int depth, double kr, double kb,
    bool full_range);

/** Convert (x, y), a luma sample of the view, to its position in the picture
 * and set `second`, which may be NULL, if it is in the second picture. Returns
 * false and changes nothing if (x, y) is outside the frame. */
bool bdct_view_source (const BdctView *view, const BdctLayout *layout, int *x,
    int *y, bool *second);

/** Zoom so that the content at (x, y) of the view, in luma samples, stays there
 * as far as the picture's edges allow. */
void bdct_view_zoom_at (BdctView *view, const BdctLayout *layout, double zoom,
    double x, double y);

/** Move the visible part of a zoomed picture by this many samples of the
 * view. */
void bdct_view_pan (BdctView *view, const BdctLayout *layout, double dx,
    double dy);

/** The legend, a bar that explains a map's colours, in luma samples, and the
 * positions of its marks. */
typedef struct {
  int x, y, width, height; /**< width 0: the view has no legend, or the frame
                                is too small */
  int n_marks;
  struct {
    int y;            /**< row of luma */
    const char *text; /**< "40 dB" */
  } mark[8];
} BdctLegend;

void bdct_view_legend (const BdctView *view, const BdctLayout *layout,
    BdctLegend *legend);

#ifdef __cplusplus
}
#endif
#endif
