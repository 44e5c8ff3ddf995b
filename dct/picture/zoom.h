/* blockdct: an enlarged view, the part that both engines share.
 *
 * A zoomed view of two pictures is made from pictures at 1:1: from the two
 * where the mode copies samples, else from one that is drawn from them
 * (bdct_zoom_base()). Each sample is repeated as often as it is visible. The
 * wipe's line and the legend are drawn on top at their normal size. R, G and B
 * are enlarged directly, not by way of planes.
 *
 * For C and CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ZOOM_H
#define BDCT_ZOOM_H

#include "colour.h"
#include "render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The visible part of the enlarged picture, in luma samples. */
typedef struct {
  int32_t ratio;     /* 256 times the zoom */
  int32_t left, top; /* first visible column and row */
} BdctWindow;

/* A component of the two pictures and of the view; or R, G, B, or the other
 * byte of a pixel. */
typedef struct {
  BdctSamples first, second, dst;
  int32_t step;  /* samples from one sample of the channel to the next */
  int32_t shift; /* as in BdctPlaneLayout */
} BdctZoomChannel;

/* Channels with samples at the same positions. */
typedef struct {
  int32_t first, n;
  int32_t width, height;
  int32_t sub_x, sub_y; /* log2 of luma samples to one of its samples */
} BdctZoomGroup;

#define BDCT_ZOOM_CHANNELS 4

/* A zoomed view. */
typedef struct {
  BdctRender render; /* line, legend and layout of the view */
  BdctWindow window;
  int32_t n_groups;  /* 1 for R, G and B, else one for each component */
  BdctZoomGroup group[BDCT_MAX_COMPONENTS];
  BdctZoomChannel channel[BDCT_ZOOM_CHANNELS];
} BdctZoom;

/* Describe the view at 1:1 from which a zoomed view is made, if it copies
 * no samples of the pictures. */
BdctView bdct_zoom_base (const BdctView *view);

void bdct_zoom_window (BdctWindow *window, const BdctView *view,
    const BdctLayout *layout);

/* Describe a zoomed view: `dst` is made from `left` and `right`, or from the
 * base view in `right` if there is one. All have the layout of the caps, and
 * `dst` overlaps none of the others. */
void bdct_zoom_init (BdctZoom *zoom, const BdctView *view,
    const BdctLayout *layout, const BdctImage *left,
    const BdctRenderPicture *right, const BdctImage *dst);

/* The picture's column, or row, shown at column or row `at` of the enlarged
 * picture: floor (at / zoom). `at` is below 2^20, so that 32 bits suffice. */
BDCT_FORCE_INLINE int
bdct_zoom_find (const BdctWindow *window, int at)
{
  return (int) ((uint32_t) at * 256 / (uint32_t) window->ratio);
}

/* Draw what lies on top of a group's sample (x, y) of the view. */
BDCT_FORCE_INLINE void
bdct_zoom_on_top (const BdctZoom *z, const BdctZoomGroup *group, int n, int x,
    int y, int *v)
{
  const BdctRender *r = &z->render;
  int yuv[3];

  if (r->divider && x >= r->split >> group->sub_x
      && x <= (r->split + r->divider - 1) >> group->sub_x)
    for (int k = 0; k < n; k++)
      v[k] = n > 1 || group->first == BDCT_Y ? (1 << r->depth) - 1
          : 1 << (r->depth - 1);
  if (n == 1) {
    bdct_render_legend (r, group->first, x, y, v);
  } else if (bdct_render_legend (r, BDCT_Y, x, y, &yuv[0])
      && bdct_render_legend (r, BDCT_U, x, y, &yuv[1])
      && bdct_render_legend (r, BDCT_V, x, y, &yuv[2])) {
    v[0] = bdct_colour_r (yuv[0], yuv[2]);
    v[1] = bdct_colour_g (yuv[0], yuv[1], yuv[2]);
    v[2] = bdct_colour_b (yuv[0], yuv[1]);
  }
}

/* Write a group's sample (x, y) of the view, from the second picture or the
 * first, at luma's (from_x, from_y). `n`, the group's channels, and `bytes`, of
 * a sample, are compile-time constants. */
BDCT_FORCE_INLINE void
bdct_zoom_put (const BdctZoom *z, const BdctZoomGroup *group, int n, int bytes,
    int x, int y, bool second, int from_x, int from_y)
{
  const BdctRender *r = &z->render;
  const BdctZoomChannel *channel = &z->channel[group->first];
  const int peak = (1 << r->depth) - 1;
  int v[BDCT_ZOOM_CHANNELS];

  for (int k = 0; k < n; k++) {
    const BdctSamples *of = second ? &channel[k].second
        : &channel[k].first;

    v[k] = bdct_sample_get (of->data + (from_y >> group->sub_y) * of->stride,
        (int64_t) (from_x >> group->sub_x) * channel[k].step, bytes,
        channel[k].shift, peak);
  }
  bdct_zoom_on_top (z, group, n, x, y, v);
  for (int k = 0; k < n; k++)
    bdct_sample_put (channel[k].dst.data + y * channel[k].dst.stride,
        (int64_t) x * channel[k].step, bytes, channel[k].shift, v[k]);
}

#ifdef __cplusplus
}
#endif
#endif
