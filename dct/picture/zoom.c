/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which part of an enlarged view is visible. */
#include "zoom.h"

#include <math.h>

static double
clamp (double v)
{
  return v >= 0 ? fmin (v, 1) : 0;
}

/* How far the enlarged picture's side exceeds the view's. */
static int
hidden (int side, int ratio)
{
  return (int) ((int64_t) side * ratio / 256) - side;
}

void
bdct_zoom_window (BdctWindow * window, const BdctView * view,
    const BdctLayout * layout)
{
  const int ratio = bdct_view_ratio (view);

  *window = (BdctWindow) {
    .ratio = ratio,
    .left = (int32_t) lround (clamp (view->zoom_x)
        * hidden (layout->plane[0].width, ratio)),
    .top = (int32_t) lround (clamp (view->zoom_y)
        * hidden (layout->plane[0].height, ratio)),
  };
}

bool
bdct_view_source (const BdctView * view, const BdctLayout * layout, int *x,
    int *y, bool * second)
{
  BdctRender r = { 0 };
  BdctWindow window;
  bool is_second;

  if (view == NULL || layout == NULL || x == NULL || y == NULL)
    return false;
  if (*x < 0 || *y < 0 || *x >= layout->plane[0].width
      || *y >= layout->plane[0].height)
    return false;
  r.mode = view->mode;
  bdct_render_place (&r, view, layout);
  is_second = bdct_render_locate (&r, 0, 0, x, y);
  if (second != NULL)
    *second = is_second && !bdct_render_is_first (view);
  bdct_zoom_window (&window, view, layout);
  *x = bdct_zoom_find (&window, *x + window.left);
  *y = bdct_zoom_find (&window, *y + window.top);
  return true;
}

void
bdct_view_place (const BdctView * view, const BdctLayout * layout,
    BdctViewPlace * place)
{
  int width, height;
  BdctRender r = { 0 };
  BdctWindow window;
  bool stacked;

  if (view == NULL || layout == NULL || place == NULL)
    return;
  width = layout->plane[0].width;
  height = layout->plane[0].height;
  stacked = view->mode == BDCT_VIEW_STACKED;
  r.mode = view->mode;
  bdct_render_place (&r, view, layout);
  bdct_zoom_window (&window, view, layout);
  place->ratio = window.ratio;
  for (int i = 0; i < 2; i++) {
    const int start = i == 0 ? 0 : r.split;
    int x = stacked ? 0 : start, y = stacked ? start : 0;

    place->half[i].x0 = stacked || i == 0 ? 0 : start + r.divider;
    place->half[i].y0 = y;
    place->half[i].x1 = stacked || i == 1 || r.split > width ? width : r.split;
    place->half[i].y1 = stacked && i == 0 ? r.split : height;
    bdct_render_locate (&r, 0, 0, &x, &y);
    place->half[i].left = x - (stacked ? 0 : start) + window.left;
    place->half[i].top = y - (stacked ? start : 0) + window.top;
  }
}

/* The share of the hidden part that lies left of or above position `at` of the
 * enlarged picture; `was` if nothing is hidden. */
static double
share (double at, int side, int ratio, double was)
{
  const int rest = hidden (side, ratio);

  return rest > 0 ? clamp (at / rest) : was;
}

void
bdct_view_zoom_at (BdctView * view, const BdctLayout * layout, double zoom,
    double x, double y)
{
  int column = (int) x, row = (int) y, old, ratio;
  const BdctPlaneLayout *luma;
  BdctRender r = { 0 };
  BdctWindow window;

  if (view == NULL || layout == NULL)
    return;
  luma = &layout->plane[0];
  old = bdct_view_ratio (view);
  r.mode = view->mode;
  /* In a half, from the position in the picture that it shows at 1:1. */
  bdct_render_place (&r, view, layout);
  bdct_render_locate (&r, 0, 0, &column, &row);
  x += column - (int) x;
  y += row - (int) y;
  bdct_zoom_window (&window, view, layout);
  view->zoom = zoom;
  ratio = bdct_view_ratio (view);
  view->zoom_x = share ((x + window.left) * ratio / old - x, luma->width,
      ratio, view->zoom_x);
  view->zoom_y = share ((y + window.top) * ratio / old - y, luma->height,
      ratio, view->zoom_y);
}

void
bdct_view_pan (BdctView * view, const BdctLayout * layout, double dx,
    double dy)
{
  const BdctPlaneLayout *luma;
  BdctWindow window;
  int ratio;

  if (view == NULL || layout == NULL)
    return;
  luma = &layout->plane[0];
  ratio = bdct_view_ratio (view);
  bdct_zoom_window (&window, view, layout);
  view->zoom_x = share (window.left + dx, luma->width, ratio, view->zoom_x);
  view->zoom_y = share (window.top + dy, luma->height, ratio, view->zoom_y);
}

BdctView
bdct_zoom_base (const BdctView * view)
{
  BdctView base = *view;

  base.bare = true;
  base.zoom = 1;
  return base;
}

static void
add_planes (BdctZoom * z, const BdctLayout * layout, const BdctImage * first,
    const BdctImage * second, const BdctImage * dst)
{
  z->n_groups = bdct_layout_components (layout);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];

      z->group[c] = (BdctZoomGroup) {
        .first = c,
        .n = 1,
        .width = layout->plane[p].width,
        .height = layout->plane[p].height,
        .sub_x = bdct_layout_sub_x (layout, c),
        .sub_y = bdct_layout_sub_y (layout, c),
      };
      z->channel[c] = (BdctZoomChannel) {
        .first = bdct_image_samples (first, layout, p, i),
        .second = bdct_image_samples (second, layout, p, i),
        .dst = bdct_image_samples (dst, layout, p, i),
        .step = layout->plane[p].interleave,
        .shift = layout->plane[p].shift,
      };
    }
}

/* Other bytes of a pixel are enlarged with R, G and B. */
static void
add_pixels (BdctZoom * z, const BdctLayout * layout, const BdctImage * first,
    const BdctImage * second, const BdctImage * dst)
{
  const BdctRgb *rgb = &layout->rgb;
  const int n = rgb->bytes == 4 ? 4 : 3;

  z->n_groups = 1;
  z->group[0] = (BdctZoomGroup) {
    .n = n,
    .width = layout->plane[0].width,
    .height = layout->plane[0].height,
  };
  for (int k = 0; k < n; k++) {
    const int plane = rgb->plane[k % 3], byte = k < 3 ? rgb->offset[k]
        : 6 - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];

    z->channel[k] = (BdctZoomChannel) {
      .first = bdct_image_samples (first, layout, plane, byte),
      .second = bdct_image_samples (second, layout, plane, byte),
      .dst = bdct_image_samples (dst, layout, plane, byte),
      .step = rgb->bytes,
    };
  }
  /* The legend is drawn on pixels. */
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    z->render.plane[c].sub_x = z->render.plane[c].sub_y = 0;
}

void
bdct_zoom_init (BdctZoom * z, const BdctView * view,
    const BdctLayout * layout, const BdctImage * left,
    const BdctRenderPicture * right, const BdctImage * dst)
{
  static const BdctImage none = { 0 };
  const BdctImage *shown = bdct_render_is_first (view) ? left : &right->image;

  bdct_render_init (&z->render, view, layout, &none, right, &none, NULL, NULL,
      NULL);
  bdct_zoom_window (&z->window, view, layout);
  if (layout->rgb.n_planes > 0)
    add_pixels (z, layout, left, shown, dst);
  else
    add_planes (z, layout, left, shown, dst);
}
