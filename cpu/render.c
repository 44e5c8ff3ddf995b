/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drawing a view on the CPU: a strip of rows at a time, all components of it,
 * as the maps colour chroma by what luma's blocks are. The inner loops are
 * compiled once for each size and distance of samples. */
#include "render.h"
#include "dct/base/min.h"

/* Call FUNCTION (..., bytes, step) for a component with constants. */
#define CALL(depth, plane, function, ...)                                     \
  ((depth) == 8                                                               \
      ? (plane)->layout.interleave == 1 ? function (__VA_ARGS__, 1, 1)        \
      : function (__VA_ARGS__, 1, 2)                                          \
      : (plane)->layout.interleave == 1 ? function (__VA_ARGS__, 2, 1)        \
      : function (__VA_ARGS__, 2, 2))

static uint8_t *
row_of (const BdctSamples * s, int y)
{
  return s->data + y * s->stride;
}

/* Draw samples x0 to x1 of a row from a picture's row, `from` samples
 * further right. */
BDCT_FORCE_INLINE void
copy_run (uint8_t * to, const uint8_t * row, int x0, int x1, int from,
    int shift, int depth, int bytes, int step)
{
  for (int x = x0; x < x1; x++)
    bdct_sample_put (to, (ptrdiff_t) x * step, bytes, shift,
        bdct_sample_get (row, ((ptrdiff_t) x + from) * step, bytes, shift,
            (1 << depth) - 1));
}

/* The two halves of a row, if there are two; split and pan are in samples of
 * this component. */
static void
draw_copies (const BdctRender * r, int c, int y)
{
  const BdctRenderPlane *plane = &r->plane[c];
  bool across = r->mode == BDCT_VIEW_WIPE || r->mode == BDCT_VIEW_SIDE_BY_SIDE;
  int width = plane->layout.width;
  int cut = across ? bdct_min (r->split >> plane->sub_x, width) : 0;
  uint8_t *to = row_of (&plane->dst, y);

  for (int x0 = 0, x1 = cut; x0 < width; x0 = x1, x1 = width) {
    int from = x0, row = y;
    bool second;

    if (x0 == x1)
      continue;
    second = bdct_render_locate (r, plane->sub_x, plane->sub_y, &from, &row);
    CALL (r->depth, plane, copy_run, to,
        row_of (second ? &plane->second : &plane->first, row), x0, x1,
        from - x0, plane->layout.shift, r->depth);
  }
}

BDCT_FORCE_INLINE void
difference_run (const BdctRenderPlane * p, int y, int gain, int depth,
    int bytes, int step)
{
  const uint8_t *first = row_of (&p->first, y);
  const uint8_t *second = row_of (&p->second, y);
  uint8_t *to = row_of (&p->dst, y);
  int peak = (1 << depth) - 1, shift = p->layout.shift;

  for (ptrdiff_t i = 0; i < (ptrdiff_t) p->layout.width * step; i += step)
    bdct_sample_put (to, i, bytes, shift, bdct_render_difference
        (bdct_sample_get (first, i, bytes, shift, peak),
            bdct_sample_get (second, i, bytes, shift, peak), gain, depth));
}

/* A row of samples in the colours of the blocks they are in. */
BDCT_FORCE_INLINE void
colour_run (uint8_t * to, const uint16_t * colour, int width, int log2_width,
    int shift, int bytes, int step)
{
  for (int x = 0; x < width; x++)
    bdct_sample_put (to, x * step, bytes, shift, colour[x >> log2_width]);
}

/* A colour for each square that is as wide as a strip is high. */
static void
draw_square (const BdctRender * r, int left, int top)
{
  enum { SIDE = BDCT_RENDER_STRIP, MOST = SIDE / 4 };
  const int log2_width = r->log2_block[0], log2_height = r->log2_block[1];
  int x0 = left >> log2_width, y0 = top >> log2_height;

  for (int by = y0; by < bdct_min (y0 + (SIDE >> log2_height),
          bdct_render_count_blocks (r, true)); by++) {
    int n =
        bdct_min (SIDE >> log2_width, bdct_render_count_blocks (r, false) - x0);
    uint16_t colour[BDCT_MAX_COMPONENTS][MOST];

    for (int i = 0; i < n; i++) {
      int k = bdct_render_block_colour (r, x0 + i, by);

      for (int c = 0; c < r->n_components; c++)
        colour[c][i] = r->colour[k][c];
    }
    for (int c = 0; c < r->n_components; c++) {
      const BdctRenderPlane *plane = &r->plane[c];
      int log2_rows = log2_height - plane->sub_y;
      int end = bdct_min ((by + 1) << log2_rows, plane->layout.height);
      int x = left >> plane->sub_x;

      for (int y = by << log2_rows; y < end; y++)
        CALL (r->depth, plane, colour_run, row_of (&plane->dst, y)
            + (ptrdiff_t) x * plane->layout.interleave
            * (r->depth > 8 ? 2 : 1), colour[c],
            bdct_min (plane->layout.width - x, SIDE >> plane->sub_x),
            log2_width - plane->sub_x, plane->layout.shift);
    }
  }
}

BDCT_FORCE_INLINE void
mark_sample (const BdctRender * r, uint8_t * to, int x, int bytes, int step)
{
  const int shift = r->plane[BDCT_Y].layout.shift;

  bdct_sample_put (to, x * step, bytes, shift, bdct_render_mark
      (bdct_sample_get (to, x * step, bytes, shift, (1 << r->depth) - 1),
          r->depth));
}

/* The borders of a tree's blocks. */
BDCT_FORCE_INLINE void
tree_run (const BdctRender * r, int y, int bytes, int step)
{
  const BdctRenderPlane *plane = &r->plane[BDCT_Y];
  uint8_t *to = row_of (&plane->dst, y);

  for (int x = 0; x < plane->layout.width; x++)
    if (bdct_render_on_grid (r, x, y))
      mark_sample (r, to, x, bytes, step);
}

BDCT_FORCE_INLINE void
grid_run (const BdctRender * r, int y, int bytes, int step)
{
  const BdctRenderPlane *plane = &r->plane[BDCT_Y];
  uint8_t *to = row_of (&plane->dst, y);
  const int by = (y & ((1 << plane->log2_height) - 1)) == 0 ? 1
      : 1 << plane->log2_width;

  for (int x = 0; x < plane->layout.width; x += by)
    mark_sample (r, to, x, bytes, step);
}

/* What is drawn on top: the wipe's line and the legend. */
static void
draw_marks (const BdctRender * r, int c, int y)
{
  const BdctRenderPlane *plane = &r->plane[c];
  int bytes = r->depth > 8 ? 2 : 1, step = plane->layout.interleave, v;
  int shift = plane->layout.shift;
  uint8_t *to = row_of (&plane->dst, y);

  for (int x = 0; x < r->divider; x++)
    bdct_sample_put (to, ((r->split + x) >> plane->sub_x) * step, bytes, shift,
        c == BDCT_Y ? (1 << r->depth) - 1 : 1 << (r->depth - 1));
  if (r->legend_width > 0)
    for (int x = (r->legend_x - 2) >> plane->sub_x; x < plane->layout.width;
        x++)
      if (bdct_render_legend (r, c, x, y, &v))
        bdct_sample_put (to, x * step, bytes, shift, v);
}

void
bdct_render_strip (const BdctRender * r, int strip)
{
  const BdctRenderPlane *luma = &r->plane[BDCT_Y];
  int top = strip * BDCT_RENDER_STRIP;

  if (!bdct_render_is_copy (r->mode) && r->mode != BDCT_VIEW_DIFFERENCE)
    for (int x = 0; x < luma->layout.width; x += BDCT_RENDER_STRIP)
      draw_square (r, x, top);
  for (int c = 0; c < r->n_components; c++) {
    const BdctRenderPlane *plane = &r->plane[c];
    int y0 = top >> plane->sub_y;
    int y1 = bdct_min ((top + BDCT_RENDER_STRIP) >> plane->sub_y,
        plane->layout.height);

    for (int y = y0; y < y1; y++) {
      if (bdct_render_is_copy (r->mode))
        draw_copies (r, c, y);
      else if (r->mode == BDCT_VIEW_DIFFERENCE)
        CALL (r->depth, plane, difference_run, plane, y, r->gain, r->depth);
      if (r->grid && c == BDCT_Y && r->sizes != NULL)
        CALL (r->depth, plane, tree_run, r, y);
      else if (r->grid && c == BDCT_Y)
        CALL (r->depth, plane, grid_run, r, y);
      draw_marks (r, c, y);
    }
  }
}

int
bdct_render_count_strips (const BdctLayout * layout)
{
  return (layout->plane[0].height + BDCT_RENDER_STRIP - 1) / BDCT_RENDER_STRIP;
}
