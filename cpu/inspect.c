/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The blocks at a place of a frame, one by one. */
#include "block.h"

#include <stdlib.h>
#include "dct/base/min.h"
#include "dct/base/sample.h"
#include "dct/rd/quadtree.h"
#include "state.h"

/* The plane of a component; `*second`: the component is the second of two
 * that are interleaved. */
static int
find_plane (const BdctLayout * layout, int c, int *second)
{
  int p = 0;

  for (*second = 0; layout->plane[p].component[*second] != (BdctComponent) c;) {
    *second = *second + 1 < layout->plane[p].interleave;
    p += *second == 0;
  }
  return p;
}

/* Read the block of this size whose corner is (block->x, block->y), with the
 * picture's edge repeated. */
static void
read_block (BdctBlock * block, const BdctLayout * layout,
    const BdctImage * image, int c, int width, int height)
{
  int second, p = find_plane (layout, c, &second);
  const BdctPlaneLayout *plane = &layout->plane[p];
  const int columns = layout->rgb.n_planes > 0
      ? bdct_colour_columns (layout, p) : plane->width;

  for (int i = 0; i < width * height; i++) {
    const int x = bdct_min (block->x + i % width, columns - 1);
    const int y = bdct_min (block->y + i / width, plane->height - 1);

    block->sample[i] = bdct_sample_get ((const uint8_t *) image->data[p]
        + y * image->stride[p], (int64_t) x * plane->interleave + second,
        bdct_layout_sample_size (layout), plane->shift,
        bdct_layout_peak (layout));
  }
}

/* log2 of the side of luma's block at (x, y) that a tree chooses; 0 with an
 * error. */
static int
find_size (const BdctLayout * layout, const BdctFrame * given, int x, int y,
    BdctError * error)
{
  const BdctJob *job = given->quantizers;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctFrame frame = {
    .quantizers = job,
    .n_quantizers = given->n_quantizers,
    .quantizer_map = given->quantizer_map,
    .src = given->src,
    .n_blocks = bdct_blocks_init (grid, layout, job),
  };
  int log2_size = 0;

  frame.sizes = malloc (frame.n_blocks);
  if (frame.sizes == NULL)
    bdct_error (error, "no memory for the sizes of blocks");
  else if (bdct_cpu_run (layout, &frame, error))
    log2_size = frame.sizes[(size_t) (y >> job->tree.min_log2)
        * grid[BDCT_Y].columns + (x >> job->tree.min_log2)];
  free (frame.sizes);
  return log2_size;
}

/* The block of a component that covers the luma sample (x, y); `log2_size`
 * above 0 is the size that a tree chose for luma. */
static void
inspect (BdctBlock * block, const BdctLayout * layout, const BdctFrame * frame,
    const BdctImage * planes, int log2_size, int c, int x, int y)
{
  const BdctComponentJob *component = &frame->quantizers->component[c];
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  const BdctJob *job;
  BdctJob own;

  x >>= bdct_layout_sub_x (layout, c);
  y >>= bdct_layout_sub_y (layout, c);
  block->quantizer = 0;
  if (frame->quantizer_map != NULL) {
    bdct_blocks_init (grid, layout, frame->quantizers);
    block->quantizer = frame->quantizer_map[grid[c].first
        + (size_t) (y >> component->log2_height) * grid[c].columns
        + (x >> component->log2_width)];
  }
  job = &frame->quantizers[block->quantizer];
  if (log2_size > 0) {
    bdct_job_of_size (&own, job, log2_size);
    component = &own.component[c];
    job = &own;
  }
  block->x = x & -(1 << component->log2_width);
  block->y = y & -(1 << component->log2_height);
  read_block (block, layout, planes, c, 1 << component->log2_width,
      1 << component->log2_height);
  bdct_block_run (block, job, c);
}

static bool
check (const BdctLayout * layout, const BdctFrame * frame, int x, int y,
    BdctError * error)
{
  const BdctPlaneLayout *luma = &layout->plane[0];

  if (!bdct_frame_check (frame, layout, error))
    return false;
  if (frame->src.memory != BDCT_MEMORY_HOST)
    return bdct_error (error, "the frame is not in host memory");
  return (x >= 0 && y >= 0 && x < luma->width && y < luma->height)
      || bdct_error (error, "(%d, %d) is outside the frame of %d x %d", x,
      y, luma->width, luma->height);
}

int
bdct_cpu_inspect (const BdctLayout * layout, const BdctFrame * frame, int x,
    int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError * error)
{
  BdctImage planes;
  uint8_t *memory = NULL;
  int log2_size = 0;

  if (!check (layout, frame, x, y, error))
    return 0;
  if (bdct_job_is_tree (frame->quantizers)) {
    log2_size = find_size (layout, frame, x, y, error);
    if (log2_size == 0)
      return 0;
    x &= -(1 << log2_size);
    y &= -(1 << log2_size);
  }
  planes = frame->src;
  if (layout->rgb.n_planes > 0) {
    memory = bdct_colour_planes (layout, &frame->src, &planes);
    if (memory == NULL) {
      bdct_error (error, "no memory for the planes of a frame");
      return 0;
    }
  }
  for (int c = 0; c < bdct_layout_components (layout); c++)
    inspect (&block[c], layout, frame, &planes, log2_size, c, x, y);
  free (memory);
  return bdct_layout_components (layout);
}
