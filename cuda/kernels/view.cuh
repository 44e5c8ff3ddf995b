/* blockdct: a sample of views that copy or subtract samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "threads.cuh"
#include "view.h"

template <typename Sample> BDCT_INLINE int
get (const BdctRenderPlane &p, const BdctSamples &of, int x, int y, int depth)
{
  return bdct_sample_get (of.data + y * of.stride,
      (int64_t) x * p.layout.interleave, sizeof (Sample), p.layout.shift,
      (1 << depth) - 1);
}

/* Write sample (x, y) of a component, or what lies on top of it. */
template <typename Sample> BDCT_INLINE void
put (const BdctRender &r, int c, int x, int y, int v)
{
  const BdctRenderPlane &p = r.plane[c];

  if (r.grid && c == BDCT_Y && bdct_render_on_grid (&r, x, y))
    v = bdct_render_mark (v, r.depth);
  if (r.divider && x >= r.split >> p.sub_x
      && x <= (r.split + r.divider - 1) >> p.sub_x)
    v = c == BDCT_Y ? (1 << r.depth) - 1 : 1 << (r.depth - 1);
  bdct_render_legend (&r, c, x, y, &v);
  bdct_sample_put (p.dst.data + y * p.dst.stride,
      (int64_t) x * p.layout.interleave, sizeof (Sample), p.layout.shift, v);
}

/* Draw sample (x, y) of a component of such a view. */
template <typename Sample> BDCT_INLINE void
draw_sample (const BdctRender &r, int c, int x, int y)
{
  const BdctRenderPlane &p = r.plane[c];
  int from_x = x, from_y = y, v;

  if (r.mode == BDCT_VIEW_DIFFERENCE) {
    v = bdct_render_difference (get<Sample> (p, p.first, x, y, r.depth),
        get<Sample> (p, p.second, x, y, r.depth), r.gain, r.depth);
  } else {
    const bool second = bdct_render_locate (&r, p.sub_x, p.sub_y, &from_x,
        &from_y);

    v = get<Sample> (p, second ? p.second : p.first, from_x, from_y, r.depth);
  }
  put<Sample> (r, c, x, y, v);
}
