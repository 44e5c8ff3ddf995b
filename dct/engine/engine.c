/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine.h"

#include "dct/base/min.h"
#include "dct/entropy/rate.h"

/* What the quantizers have in common. */
static bool
check_quantizers (const BdctJob * quantizers, int n_quantizers, int depth,
    BdctError * error)
{
  const BdctJobTree *tree = &quantizers[0].tree;

  for (int i = 0; i < n_quantizers; i++) {
    if (quantizers[i].depth != depth)
      return bdct_error (error, "quantizer %d is for a depth of %d, but the "
          "frames have %d", i, quantizers[i].depth, depth);
    if (quantizers[i].transform != quantizers[0].transform)
      return bdct_error (error, "quantizer %d is for %s, but the first one is "
          "for %s", i, bdct_transform_info (quantizers[i].transform)->name,
          bdct_transform_info (quantizers[0].transform)->name);
    if (quantizers[i].tree.min_log2 != tree->min_log2
        || quantizers[i].tree.max_log2 != tree->max_log2
        || quantizers[i].tree.distortion_shift != tree->distortion_shift)
      return bdct_error (error,
          "quantizer %d and the first one differ in block sizes or "
          "lambda-scale", i);
  }
  return true;
}

static bool
check_view (const BdctFrame * frame, BdctError * error)
{
  const BdctView *view = frame->view;

  if (!bdct_view_is_of_frame (view->mode))
    return bdct_error (error, "view '%s' (%d) does not show a single frame; "
        "reconstruction, original, coefficients, error-map, nonzero-map, "
        "quality-map and size-map do", bdct_view_info (view->mode) != NULL
        ? bdct_view_info (view->mode)->name : "?", (int) view->mode);
  if (bdct_view_is_zoomed (view))
    return bdct_error (error, "a zoom of %g is only for views of two pictures",
        view->zoom);
  if (!bdct_view_is_plain (view) && frame->dst.data[0] == NULL)
    return bdct_error (error, "a view needs an image to draw on");
  return true;
}

/* Refuse what would need a source. */
static bool
check_sourceless (const BdctFrame * frame, BdctError * error)
{
  if (frame->metrics != 0)
    return bdct_error (error, "metrics need a source; levels are not enough");
  if (frame->view != NULL && (frame->view->mode == BDCT_VIEW_ORIGINAL
          || frame->view->mode == BDCT_VIEW_ERROR_MAP))
    return bdct_error (error, "view '%s' needs a source; levels are not enough",
        bdct_view_info (frame->view->mode)->name);
  return true;
}

/* The sizes of blocks from the caller, by places of the smallest blocks. */
typedef struct {
  const uint8_t *sizes;
  int columns, rows, min_log2;
} Sizes;

/* Whether the node of side 2^n whose first place is (x, y) is a block or, if
 * allowed, divided into such nodes. */
static bool
check_node (const Sizes * s, int n, int x, int y, BdctError * error)
{
  const int places = 1 << (n - s->min_log2);
  int size;

  if (x >= s->columns || y >= s->rows)
    return true;
  size = s->sizes[(size_t) y * s->columns + x];
  for (int v = y; size == n && v < bdct_min (y + places, s->rows); v++)
    for (int u = x; u < bdct_min (x + places, s->columns); u++)
      if (s->sizes[(size_t) v * s->columns + u] != n)
        return bdct_error (error, "sizes has %d at column %d of row %d, in a "
            "block of size %d", s->sizes[(size_t) v * s->columns + u], u, v, n);
  if (size < s->min_log2 || size > n)
    return bdct_error (error, "sizes has %d at column %d of row %d, outside %d "
        "to %d", size, x, y, s->min_log2, n);
  for (int i = 0; size < n && i < 4; i++)
    if (!check_node (s, n - 1, x + i % 2 * places / 2, y + i / 2 * places / 2,
            error))
      return false;
  return true;
}

static bool
check_sizes (const BdctFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  const BdctJobTree *tree = &frame->quantizers->tree;
  const int places = 1 << (tree->max_log2 - tree->min_log2);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  Sizes s = {.sizes = frame->sizes,.min_log2 = tree->min_log2 };

  if (frame->sizes == NULL)
    return bdct_error (error, "a frame of hevc-quadtree from levels also needs "
        "the sizes of its blocks");
  bdct_blocks_init (grid, layout, frame->quantizers);
  s.columns = grid[BDCT_Y].columns;
  s.rows = grid[BDCT_Y].rows;
  for (int y = 0; y < s.rows; y += places)
    for (int x = 0; x < s.columns; x += places)
      if (!check_node (&s, tree->max_log2, x, y, error))
        return false;
  return true;
}

static bool
check_levels (const BdctFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  size_t n;

  if (frame->src.data[0] == NULL && !frame->from_levels)
    return bdct_error (error, "a frame needs a source, or levels as its input");
  if (frame->levels == NULL)
    return !frame->from_levels
        || bdct_error (error, "a frame from levels needs levels, but they are "
            "NULL");
  if (frame->from_levels && bdct_job_is_tree (frame->quantizers)
      && !check_sizes (frame, layout, error))
    return false;
  n = bdct_count_levels (layout, frame->quantizers, NULL);
  if (frame->n_levels < n)
    return bdct_error (error, "there is room for %zu levels, but the frame has "
        "%zu", frame->n_levels, n);
  if ((uintptr_t) frame->levels % BDCT_LEVELS_ALIGN != 0)
    return bdct_error (error, "levels at %p are not aligned to %d bytes",
        (void *) frame->levels, BDCT_LEVELS_ALIGN);
  return frame->src.data[0] != NULL || check_sourceless (frame, error);
}

/* Check what a stack may have, and what it needs. */
static bool
check_stack (const BdctFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  const BdctLayout one = bdct_layout_picture (layout);

  if (frame->quantizer_map != NULL || frame->same_source
      || frame->blocks != NULL || frame->sizes != NULL
      || frame->levels != NULL || frame->from_levels || frame->metrics != 0
      || frame->view != NULL || bdct_job_is_tree (frame->quantizers)
      || frame->src.data[0] == NULL || frame->dst.data[0] == NULL)
    return bdct_error (error, "a stack of pictures needs src and dst, and "
        "takes no map of blocks, same_source, records, sizes, "
        "levels, metrics, view or trees");
  if (frame->bits && (frame->stack_bits == NULL
          || bdct_job_coder (frame->quantizers) != BDCT_CODER_HUFFMAN))
    return bdct_error (error, frame->stack_bits == NULL
        ? "a stack of pictures writes its bits to stack_bits, not bits"
        : "bits of a stack of pictures are only for jpeg-8x8 and dct-8x8");
  for (int p = 0; p < one.n_planes; p++) {
    const int log2 = frame->quantizers->component[p].log2_height;

    if (one.plane[p].height & ((1 << log2) - 1))
      return bdct_error (error, "pictures of a stack have %d rows of component "
          "%d, not a whole number of blocks of %d", one.plane[p].height, p,
          1 << log2);
  }
  for (int i = 0; frame->stack_map != NULL && i < layout->stack; i++)
    if (frame->stack_map[i] >= frame->n_quantizers)
      return bdct_error (error, "picture %d uses quantizer %d, outside 0 to %d",
          i, frame->stack_map[i], frame->n_quantizers - 1);
  return true;
}

bool
bdct_frame_check (const BdctFrame * frame, const BdctLayout * layout,
    BdctError * error)
{
  const bool stack = bdct_layout_pictures (layout) > 1;
  const int most = stack ? BDCT_MAX_STACK_QUANTIZERS : BDCT_MAX_QUANTIZERS;
  bool by_block = frame->quantizer_map != NULL || frame->blocks != NULL;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t n_blocks;

  if (frame->n_quantizers < 1 || frame->n_quantizers > most)
    return bdct_error (error, "%d quantizers are outside 1 to %d",
        frame->n_quantizers, most);
  if (!check_quantizers (frame->quantizers, frame->n_quantizers,
          layout->depth, error))
    return false;
  if (stack)
    return check_stack (frame, layout, error);
  if ((frame->view != NULL && !check_view (frame, error))
      || !check_levels (frame, layout, error)
      || (frame->metrics != 0
          && !bdct_metrics_check (frame->metrics, layout, error)))
    return false;
  if (!by_block)
    return true;
  n_blocks = bdct_blocks_init (grid, layout, &frame->quantizers[0]);
  if (frame->n_blocks != n_blocks)
    return bdct_error (error, "the map or the records have %zu blocks, but the "
        "frame has %zu", frame->n_blocks, n_blocks);
  for (size_t i = 0; frame->quantizer_map != NULL && i < n_blocks; i++)
    if (frame->quantizer_map[i] >= frame->n_quantizers)
      return bdct_error (error, "block %zu uses quantizer %d, outside 0 to %d",
          i, frame->quantizer_map[i], frame->n_quantizers - 1);
  return true;
}

/* Check a value of a layout or, if `plane` is not negative, of one of its
 * planes. */
static bool
check_value (const char *what, int plane, int value, int min, int max,
    BdctError * error)
{
  if (value >= min && value <= max)
    return true;
  if (plane >= 0)
    return bdct_error (error, "plane %d has %s %d, outside %d to %d", plane,
        what, value, min, max);
  return bdct_error (error, "a layout has %s %d, outside %d to %d", what,
      value, min, max);
}

/* Luma is a plane of its own, the first one, where the picture's size is
 * read. `*found` has bits 1 << component of this plane and those before it. */
static bool
check_components (const BdctLayout * layout, int p, unsigned *found,
    BdctError * error)
{
  const BdctPlaneLayout *plane = &layout->plane[p];
  const int last = bdct_layout_components (layout) - 1;
  const int interleave = p > 0 && layout->n_planes == 2 ? 2 : 1;

  if (!check_value ("an interleave of", p, plane->interleave, interleave,
          interleave, error))
    return false;
  for (int i = 0; i < interleave; i++) {
    const int c = plane->component[i];

    if (!check_value ("component", p, c, p > 0 ? 1 : 0, p > 0 ? last : 0,
            error))
      return false;
    if (*found >> c & 1)
      return bdct_error (error, "plane %d repeats component %d", p, c);
    *found |= 1u << c;
  }
  return true;
}

static bool
check_plane (const BdctLayout * layout, int p, BdctError * error)
{
  const BdctPlaneLayout *plane = &layout->plane[p], *luma = &layout->plane[0];
  const int sub_x = bdct_layout_sub_x (layout, plane->component[0]);
  const int sub_y = bdct_layout_sub_y (layout, plane->component[0]);
  const int width = (luma->width + sub_x) >> sub_x;
  const int height = (luma->height + sub_y) >> sub_y;

  if (plane->width < 1 || plane->width > BDCT_MAX_SIDE || plane->height < 1
      || plane->height > BDCT_MAX_SIDE)
    return bdct_error (error, "plane %d has %d x %d samples; a side may have "
        "1 to %d", p, plane->width, plane->height, BDCT_MAX_SIDE);
  if (plane->width != width || plane->height != height)
    return bdct_error (error, "plane %d has %d x %d samples; with its chroma "
        "format a picture of %d x %d has %d x %d", p, plane->width,
        plane->height, luma->width, luma->height, width, height);
  return check_value ("a shift of", p, plane->shift, 0,
      layout->depth > 8 ? 16 - layout->depth : 0, error);
}

/* Planes that are computed from R, G and B are three of bytes: Y, U and V,
 * in this order. */
static bool
check_rgb (const BdctLayout * layout, BdctError * error)
{
  const BdctRgb *rgb = &layout->rgb;

  if (rgb->n_planes != 1 && rgb->n_planes != 3)
    return bdct_error (error, "R, G and B have %d planes, not 1 or 3",
        rgb->n_planes);
  if (rgb->bytes != 1 && rgb->bytes != 3 && rgb->bytes != 4)
    return bdct_error (error, "pixels of R, G and B are %d bytes apart, not 1, "
        "3 or 4", rgb->bytes);
  for (int k = 0; k < 3; k++)
    if (!check_value ("one of R, G and B in plane", -1, rgb->plane[k], 0,
            rgb->n_planes - 1, error)
        || !check_value ("one of R, G and B at byte", -1, rgb->offset[k], 0,
            rgb->bytes - 1, error))
      return false;
  if (!check_value ("R, G and B and a depth of", -1, layout->depth, 8, 8,
          error)
      || !check_value ("R, G and B and a chroma format of", -1,
          (int) layout->chroma, BDCT_CHROMA_420, BDCT_CHROMA_440, error)
      || !check_value ("R, G and B and planes:", -1, layout->n_planes, 3, 3,
          error))
    return false;
  for (int p = 1; p < 3; p++)
    if (!check_value ("of R, G and B component", p,
            layout->plane[p].component[0], p, p, error))
      return false;
  for (int p = 0; p < 3 && layout->stack > 1; p++)
    if (layout->plane[p].height % layout->stack != 0)
      return bdct_error (error, "%d rows of plane %d are not a stack of %d "
          "pictures of equal height", layout->plane[p].height, p,
          layout->stack);
  return true;
}

bool
bdct_layout_check (const BdctLayout * layout, BdctError * error)
{
  unsigned found = 0;
  bool grey;

  if (!check_value ("a depth of", -1, layout->depth, 8, 12, error)
      || !check_value ("a chroma format of", -1, (int) layout->chroma,
          BDCT_CHROMA_400, BDCT_CHROMA_440, error))
    return false;
  grey = layout->chroma == BDCT_CHROMA_400;
  if (!check_value (grey ? "only luma and planes:" : "chroma and planes:", -1,
          layout->n_planes, grey ? 1 : 2, grey ? 1 : 3, error))
    return false;
  for (int p = 0; p < layout->n_planes; p++)
    if (!check_components (layout, p, &found, error)
        || !check_plane (layout, p, error))
      return false;
  if (layout->rgb.n_planes == 0)
    return check_value ("planes and a stack of", -1, layout->stack, 0, 1,
        error);
  return check_value ("a stack of", -1, layout->stack, 0, BDCT_MAX_SIDE, error)
      && check_rgb (layout, error);
}
