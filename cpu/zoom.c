/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drawing enlarged views on the CPU. */
#include "render.h"
#include "dct/base/min.h"

/* Draw samples x0 to x1 of a row, all in one half. */
BDCT_FORCE_INLINE void
draw_run (const BdctZoom * z, const BdctZoomGroup * group, int n, int bytes,
    int x0, int x1, int y)
{
  const BdctWindow *window = &z->window;
  const uint32_t ratio = window->ratio, step = 256u << group->sub_x;
  int at = x0, row = y;
  const bool second = bdct_render_locate (&z->render, group->sub_x,
      group->sub_y, &at, &row);
  uint32_t column, rest;

  at = (at << group->sub_x) + window->left;
  row = bdct_zoom_find (window, (row << group->sub_y) + window->top);
  column = (uint32_t) at * 256 / ratio;
  rest = (uint32_t) at * 256 % ratio;
  /* The same as bdct_zoom_find(), without a division for each sample. */
  for (int x = x0; x < x1; x++) {
    bdct_zoom_put (z, group, n, bytes, x, y, second, (int) column, row);
    for (rest += step; rest >= ratio; rest -= ratio)
      column++;
  }
}

BDCT_FORCE_INLINE void
draw_row (const BdctZoom * z, const BdctZoomGroup * group, int n, int bytes,
    int y)
{
  const BdctRender *r = &z->render;
  const bool across = r->mode == BDCT_VIEW_WIPE
      || r->mode == BDCT_VIEW_SIDE_BY_SIDE;
  const int cut =
      across ? bdct_min (r->split >> group->sub_x, group->width) : 0;

  draw_run (z, group, n, bytes, 0, cut, y);
  draw_run (z, group, n, bytes, cut, group->width, y);
}

void
bdct_zoom_strip (const BdctZoom * z, int strip)
{
  const int top = strip * BDCT_RENDER_STRIP;

  for (int g = 0; g < z->n_groups; g++) {
    const BdctZoomGroup *group = &z->group[g];
    const int end = bdct_min ((top + BDCT_RENDER_STRIP) >> group->sub_y,
        group->height);

    for (int y = top >> group->sub_y; y < end; y++)
      if (z->render.depth > 8)
        draw_row (z, group, 1, 2, y);
      else if (group->n == 1)
        draw_row (z, group, 1, 1, y);
      else if (group->n == 3)
        draw_row (z, group, 3, 1, y);
      else
        draw_row (z, group, 4, 1, y);
  }
}
