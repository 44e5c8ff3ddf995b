/** @file
 * libblockdct: views, which draw a frame's results or two compared pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_VIEW_H
#define BLOCKDCT_VIEW_H

#include <blockdct/transform.h>

BDCT_BEGIN_DECLS

/** Views: F shows a frame or its reconstruction, C the left and right pictures
 * of a comparison. */
typedef enum {
  BDCT_VIEW_RECONSTRUCTION, /**< F: what a decoder would show */
  BDCT_VIEW_ORIGINAL,     /**< F: the input */
  BDCT_VIEW_WIPE,         /**< C: left and right of a white dividing line */
  BDCT_VIEW_SIDE_BY_SIDE, /**< C: half the width of each, unscaled */
  BDCT_VIEW_STACKED,      /**< C: half the height of each */
  BDCT_VIEW_FLICKER,      /**< C: one of the two, chosen by `second` */
  BDCT_VIEW_DIFFERENCE,   /**< C: mid-grey + gain (right - left) */
  BDCT_VIEW_COEFFICIENTS, /**< F: the levels of each block, at its position */
  BDCT_VIEW_ERROR_MAP,    /**< F, C: PSNR of each luma block, including its
                               share of the chroma blocks over it */
  BDCT_VIEW_NONZERO_MAP,  /**< F: share of nonzero levels in a luma block */
  BDCT_VIEW_QUALITY_MAP,  /**< F: BdctView.delta_qp of a luma block */
  BDCT_VIEW_SIZE_MAP,     /**< F: the side of each luma block */
  BDCT_VIEW_SSIM_MAP,     /**< C: SSIM of the window of 8 x 8 luma samples that
                               begins at each 4 x 4 square */
  BDCT_VIEW_HVS_MAP,      /**< C: PSNR-HVS of each 8 x 8 luma block */
  BDCT_N_VIEWS
} BdctViewMode;

/** A view. */
typedef struct {
  const char *name;        /**< "side-by-side" */
  const char *description; /**< one line of text */
} BdctViewInfo;

/** The description of a view; NULL for a value outside the enumeration. */
const BdctViewInfo *bdct_view_info (BdctViewMode mode);

#define BDCT_VIEW_MAX_GAIN 64
#define BDCT_VIEW_MAX_ZOOM 16

#define BDCT_VIEW_COLOURS 64 /**< colours of a map, from lowest to highest */

/** What to draw. */
typedef struct {
  size_t size; /**< sizeof (BdctView) */
  BdctViewMode mode;
  /** The maps' colours as samples of the frame; see bdct_view_colours(). */
  uint16_t colour[BDCT_VIEW_COLOURS][BDCT_MAX_COMPONENTS];
  bool bare;       /**< draw no legend, and no line in a wipe */
  /* For views of a frame: */
  bool grid;       /**< draw the borders of luma blocks */
  double delta_qp[BDCT_MAX_QUANTIZERS]; /**< for the quality map: QP difference
                        of each quantizer; below 0 is finer than the first */
  /* For views of two pictures: */
  bool second;     /**< flicker: show the right one */
  double position; /**< 0 (left or top) to 1; wipe: position of the dividing
                        line; side-by-side and stacked: of the half that is
                        shown */
  double gain;     /**< gain of the difference, 0 to BDCT_VIEW_MAX_GAIN */
  double zoom;     /**< 1 to BDCT_VIEW_MAX_ZOOM: view samples per picture
                        sample, across and down, in steps of 1/256 */
  double zoom_x, zoom_y; /**< position of the visible part of a zoomed
                              picture, 0 (left or top) to 1 */
} BdctView;

#define BDCT_VIEW_DEFAULT                                                     \
  {                                                                           \
    .size = sizeof (BdctView), .mode = BDCT_VIEW_RECONSTRUCTION,              \
    .position = 0.5, .gain = 4.0, .zoom = 1.0, .zoom_x = 0.5, .zoom_y = 0.5   \
  }

/** Set the maps' colours for a depth and a colour matrix (BT.601: kr 0.299, kb
 * 0.114), in full or limited (16 to 235) range. */
void bdct_view_colours (BdctView *view, int depth, double kr, double kb,
    bool full_range);

/** Convert (x, y) from a luma sample of the view to one of the picture, and set
 * `second`, which may be NULL, to whether it is in the second picture. Returns
 * false and changes nothing if (x, y) is outside the view. */
bool bdct_view_source (const BdctView *view, const BdctLayout *layout, int *x,
    int *y, bool *second);

/** Set the zoom so that what the view shows at (x, y), in luma samples, stays
 * there as far as the picture's edges allow. */
void bdct_view_zoom_at (BdctView *view, const BdctLayout *layout, double zoom,
    double x, double y);

/** Move the visible part of a zoomed picture by this many samples of the
 * view. */
void bdct_view_pan (BdctView *view, const BdctLayout *layout, double dx,
    double dy);

/** A half of a view of two pictures, in luma samples: columns x0 to x1 - 1 and
 * rows y0 to y1 - 1 of the view. There, (x, y) shows (x + left, y + top) of the
 * enlarged picture. */
typedef struct {
  int x0, y0, x1, y1;
  int left, top;
} BdctViewHalf;

/** Where a view of two pictures shows them, enlarged to `ratio` / 256 times
 * their size. If the mode does not divide the view, the first half is empty. */
typedef struct {
  int ratio;
  BdctViewHalf half[2];
} BdctViewPlace;

/** Compute where a view shows its pictures. */
void bdct_view_place (const BdctView *view, const BdctLayout *layout,
    BdctViewPlace *place);

/** The legend of a map, a bar of its colours, and the marks beside it, in luma
 * samples. */
typedef struct {
  int x, y, width, height; /**< width 0: the view has no legend, or the frame
                                is too small */
  int n_marks;
  struct {
    int y;            /**< luma row */
    const char *text; /**< "40 dB" */
  } mark[8];
} BdctLegend;

/** Compute where a view's legend is. */
void bdct_view_legend (const BdctView *view, const BdctLayout *layout,
    BdctLegend *legend);

BDCT_END_DECLS
#endif
