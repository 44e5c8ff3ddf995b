/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drawing a view on the CPU: a strip of rows at a time, all components of it,
 * as the maps colour chroma by what luma's blocks are. The inner loops are
 * compiled once for each size and distance of samples. */
#include "render-cpu.h"

#include <string.h>

#define T BDCT_RENDER_TILE
#define INLINE static inline __attribute__ ((always_inline))

/* Call FUNCTION (..., bytes, step) for a component with constants. */
#define CALL(depth, plane, function, ...)                                     \
  do {                                                                        \
    if ((depth) == 8)                                                         \
      (plane)->step == 1 ? function (__VA_ARGS__, 1, 1)                       \
          : function (__VA_ARGS__, 1, 2);                                     \
    else                                                                      \
      (plane)->step == 1 ? function (__VA_ARGS__, 2, 1)                       \
          : function (__VA_ARGS__, 2, 2);                                     \
  } while (0)

static uint8_t *
dst_row (const BdctRenderPlane * plane, int y)
{
  return plane->dst + (ptrdiff_t) y * plane->dst_stride;
}

static int
min (int a, int b)
{
  return a < b ? a : b;
}

/* Samples x0 to x1 of a row, from a picture's row `from` samples further. */
INLINE void
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
  int cut = across ? min (r->split >> plane->sub_x, plane->width) : 0;
  uint8_t *to = dst_row (plane, y);

  for (int x0 = 0, x1 = cut; x0 < plane->width; x0 = x1, x1 = plane->width) {
    int from = x0, row = y;
    bool rec;

    if (x0 == x1)
      continue;
    rec = bdct_render_locate (r, plane->sub_x, plane->sub_y, &from, &row);
    CALL (r->depth, plane, copy_run, to, rec
        ? plane->rec + (ptrdiff_t) row * plane->rec_stride
        : plane->src + (ptrdiff_t) row * plane->src_stride,
        x0, x1, from - x0, plane->shift, r->depth);
  }
}

INLINE void
difference_run (const BdctRenderPlane * p, int y, int gain, int depth,
    int bytes, int step)
{
  const uint8_t *src = p->src + (ptrdiff_t) y * p->src_stride;
  const uint8_t *rec = p->rec + (ptrdiff_t) y * p->rec_stride;
  uint8_t *to = dst_row (p, y);
  int peak = (1 << depth) - 1;

  for (ptrdiff_t i = 0; i < (ptrdiff_t) p->width * step; i += step)
    bdct_sample_put (to, i, bytes, p->shift, bdct_render_difference
        (bdct_sample_get (src, i, bytes, p->shift, peak),
            bdct_sample_get (rec, i, bytes, p->shift, peak), gain, depth));
}

INLINE void
level_run (uint8_t * to, const int32_t * level, int n, bool chroma, int shift,
    int depth, int bytes, int step)
{
  for (int x = 0; x < n; x++)
    bdct_sample_put (to, x * step, bytes, shift,
        bdct_render_level (level[x], chroma, depth));
}

static void
draw_levels (const BdctRender * r, const BdctTileKernel * kernel,
    const BdctTilePlane * tile, int c, int y0, int y1)
{
  const BdctRenderPlane *plane = &r->plane[c];
  int bytes = r->depth > 8 ? 2 : 1;

  for (int top = y0; top < y1; top += T)
    for (int left = 0; left < plane->width; left += T) {
      int32_t level[T][T] __attribute__ ((aligned (64)));

      kernel->levels (tile, top, left, level[0]);
      for (int y = top; y < min (y1, top + T); y++)
        CALL (r->depth, plane, level_run, dst_row (plane, y)
            + (ptrdiff_t) left * plane->step * bytes, level[y - top],
            min (plane->width - left, T), c != BDCT_Y, plane->shift,
            r->depth);
    }
}

/* Squared errors of the blocks that a row of a tile belongs to. */
INLINE void
error_run (const BdctRenderPlane * p, int y, int left, int n, int log2_size,
    int depth, uint64_t * sum, int bytes, int step)
{
  ptrdiff_t offset = (ptrdiff_t) left * step * bytes;
  const uint8_t *src = p->src + (ptrdiff_t) y * p->src_stride + offset;
  const uint8_t *rec = p->rec + (ptrdiff_t) y * p->rec_stride + offset;
  int peak = (1 << depth) - 1;

  for (int x = 0; x < n; x++) {
    int e = bdct_sample_get (src, x * step, bytes, p->shift, peak)
        - bdct_sample_get (rec, x * step, bytes, p->shift, peak);

    sum[x >> log2_size] += (uint32_t) (e * e);
  }
}

/* The part of a component that lies in the tile of luma at (left, top). */
typedef struct {
  int left, top, width, height;
  int log2_width, log2_height;  /* of the block's part */
} Part;

static Part
find_part (const BdctRender * r, int c, int left, int top)
{
  const BdctRenderPlane *plane = &r->plane[c];
  int log2_size = r->plane[BDCT_Y].log2_size;
  Part part = {
    .left = left >> plane->sub_x,
    .top = top >> plane->sub_y,
    .log2_width = log2_size - plane->sub_x,
    .log2_height = log2_size - plane->sub_y,
  };

  part.width = min (plane->width - part.left, T >> plane->sub_x);
  part.height = min (plane->height - part.top, T >> plane->sub_y);
  return part;
}

static int
part_of_block (int index, int log2_size, int size)
{
  return min (1 << log2_size, size - (index << log2_size));
}

static void
measure_errors (const BdctRender * r, int left, int top, uint8_t colour[8][8])
{
  int log2_size = r->plane[BDCT_Y].log2_size;
  uint64_t sum[8][8] = { { 0 } };
  uint32_t count[8][8] = { { 0 } };
  Part luma = find_part (r, BDCT_Y, left, top);

  for (int c = 0; c < r->n_components; c++) {
    const BdctRenderPlane *plane = &r->plane[c];
    Part part = find_part (r, c, left, top);

    for (int y = 0; y < part.height; y++)
      CALL (r->depth, plane, error_run, plane, part.top + y, part.left,
          part.width, part.log2_width, r->depth, sum[y >> part.log2_height]);
    for (int by = 0; by << part.log2_height < part.height; by++)
      for (int bx = 0; bx << part.log2_width < part.width; bx++)
        count[by][bx] += part_of_block (bx, part.log2_width, part.width)
            * part_of_block (by, part.log2_height, part.height);
  }
  for (int by = 0; by << log2_size < luma.height; by++)
    for (int bx = 0; bx << log2_size < luma.width; bx++)
      colour[by][bx] = bdct_render_colour (r, sum[by][bx], count[by][bx]);
}

static void
measure_nonzero (const BdctRender * r, const BdctTileKernel * kernel,
    const BdctTilePlane * tile, int left, int top, uint8_t colour[8][8])
{
  int log2_size = r->plane[BDCT_Y].log2_size;
  int32_t level[T][T] __attribute__ ((aligned (64)));
  uint32_t sum[8][8] = { { 0 } };

  kernel->levels (tile, top, left, level[0]);
  for (int y = 0; y < T; y++)
    for (int x = 0; x < T; x++)
      sum[y >> log2_size][x >> log2_size] += level[y][x] != 0;
  for (int by = 0; by < T >> log2_size; by++)
    for (int bx = 0; bx < T >> log2_size; bx++)
      colour[by][bx] = bdct_render_colour (r, sum[by][bx], 1 << 2 * log2_size);
}

INLINE void
colour_run (const BdctRender * r, int c, const Part * part, int y,
    const uint8_t * colour, int bytes, int step)
{
  const BdctRenderPlane *plane = &r->plane[c];
  uint8_t *to = dst_row (plane, part->top + y)
      + (ptrdiff_t) part->left * step * bytes;

  for (int x = 0; x < part->width; x++)
    bdct_sample_put (to, x * step, bytes, plane->shift,
        r->colour[colour[x >> part->log2_width]][c]);
}

static void
draw_map (const BdctRender * r, const BdctTileKernel * kernel,
    const BdctTilePlane * tile, int left, int top)
{
  uint8_t colour[8][8];

  if (r->mode == BDCT_VIEW_ERROR_MAP)
    measure_errors (r, left, top, colour);
  else
    measure_nonzero (r, kernel, tile, left, top, colour);
  for (int c = 0; c < r->n_components; c++) {
    Part part = find_part (r, c, left, top);

    for (int y = 0; y < part.height; y++)
      CALL (r->depth, &r->plane[c], colour_run, r, c, &part, y,
          colour[y >> part.log2_height]);
  }
}

INLINE void
grid_run (const BdctRender * r, int y, int bytes, int step)
{
  const BdctRenderPlane *plane = &r->plane[BDCT_Y];
  int size = 1 << plane->log2_size, x = 0, from = 0, row = y;
  uint8_t *to = dst_row (plane, y);

  while (x < plane->width) {
    int end = plane->width, by;

    /* A stretch whose places in the picture follow each other. */
    if (r->mode == BDCT_VIEW_SIDE_BY_SIDE && x < r->split)
      end = r->split;
    from = x;
    row = y;
    if (bdct_render_is_copy (r->mode))
      bdct_render_locate (r, 0, 0, &from, &row);
    by = (row & (size - 1)) == 0 ? 1 : size;
    for (x += -from & (by - 1); x < end; x += by)
      bdct_sample_put (to, x * step, bytes, plane->shift, bdct_render_mark
          (bdct_sample_get (to, x * step, bytes, plane->shift,
                  (1 << r->depth) - 1), r->depth));
    x = end;
  }
}

/* What lies on top: the wipe's line and the legend. */
static void
draw_marks (const BdctRender * r, int c, int y)
{
  const BdctRenderPlane *plane = &r->plane[c];
  int bytes = r->depth > 8 ? 2 : 1, v;
  uint8_t *to = dst_row (plane, y);

  if (r->divider)
    bdct_sample_put (to, (r->split >> plane->sub_x) * plane->step, bytes,
        plane->shift, c == BDCT_Y ? (1 << r->depth) - 1
        : 1 << (r->depth - 1));
  if (r->legend_width > 0)
    for (int x = (r->legend_x - 2) >> plane->sub_x; x < plane->width; x++)
      if (bdct_render_legend (r, c, x, y, &v))
        bdct_sample_put (to, x * plane->step, bytes, plane->shift, v);
}

void
bdct_render_strip (const BdctRender * r, const BdctTileKernel * kernel,
    const BdctTilePlane * tiles, int strip)
{
  const BdctRenderPlane *luma = &r->plane[BDCT_Y];
  int top = strip * BDCT_RENDER_STRIP;

  if (r->mode == BDCT_VIEW_ERROR_MAP || r->mode == BDCT_VIEW_NONZERO_MAP)
    for (int y = top; y < min (top + BDCT_RENDER_STRIP, luma->height); y += T)
      for (int x = 0; x < luma->width; x += T)
        draw_map (r, kernel, &tiles[BDCT_Y], x, y);
  for (int c = 0; c < r->n_components; c++) {
    const BdctRenderPlane *plane = &r->plane[c];
    int y0 = top >> plane->sub_y;
    int y1 = min ((top + BDCT_RENDER_STRIP) >> plane->sub_y, plane->height);

    if (r->mode == BDCT_VIEW_COEFFICIENTS)
      draw_levels (r, kernel, &tiles[c], c, y0, y1);
    for (int y = y0; y < y1; y++) {
      if (bdct_render_is_copy (r->mode))
        draw_copies (r, c, y);
      else if (r->mode == BDCT_VIEW_DIFFERENCE)
        CALL (r->depth, plane, difference_run, plane, y, r->gain, r->depth);
      if (r->grid && c == BDCT_Y)
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
