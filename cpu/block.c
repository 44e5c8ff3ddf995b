/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block.h"

#include <string.h>
#include "cpu/simd/tile32.h"

/* The first of a tile's blocks; the others are 0. */
void
bdct_block_run (BdctBlock * block, const BdctJob * job,
    BdctComponent component)
{
  int middle = 1 << (job->depth - 1), peak = 2 * middle - 1, side;
  BdctTileStages stages;
  BdctTilePlane plane;
  BdctTileQuantizer quantizer;

  bdct_tile_plane_init (&plane, job, component);
  bdct_tile_quantizer_init (&quantizer, job, component);
  plane.quantizer[0] = &quantizer;
  side = bdct_tile_side (&quantizer.job);
  block->width = 1 << quantizer.job.log2_width;
  block->height = 1 << quantizer.job.log2_height;
  memset (&stages.residual, 0, sizeof stages.residual);
  for (int i = 0; i < block->width * block->height; i++)
    stages.residual.value[i / block->width * side + i % block->width] =
        block->sample[i] - middle;
  bdct_tile_baseline.stages (&plane, &stages, true);
  for (int i = 0; i < block->width * block->height; i++) {
    int at = i / block->width * side + i % block->width;
    int v = stages.residual.value[at] + middle;
    float coefficient;

    memcpy (&coefficient, &stages.coefficient.value[at], sizeof coefficient);
    block->coefficient[i] = job->family == BDCT_FAMILY_DCT8X8 ? coefficient / 8
        : stages.coefficient.value[at];
    block->level[i] = stages.level.value[at];
    block->reconstruction[i] = v < 0 ? 0 : v > peak ? peak : v;
  }
}
