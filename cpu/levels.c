/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reconstructs blocks from the caller's levels, block by block and in plain C,
 * where the kernels' numbers do not suffice: inverse.h says why. */
#include "state.h"

#include "dct/base/min.h"

#define BDCT_INLINE BDCT_FORCE_INLINE
#undef BDCT_UNROLL
#define BDCT_UNROLL
#include "dct/quantizer/inverse.h"

/* Compute the residuals of a transform, without a factor, row by row; `dc`
 * is its DC if a second stage makes it, else NULL. Returns the number of
 * levels that are not 0. */
static int
invert (const BdctTilePlane * p, const BdctTileQuantizer * set,
    const BdctLevel * levels, const int64_t * dc, BdctInverseValue * x)
{
  const BdctComponentJob *job = &set->job;
  const BdctChainInfo *chain = bdct_chain_info (job->chain);
  const bool transposed = job->transposed != 0;
  const BdctInversePass columns = bdct_inverse_pass (p->family, job,
      chain->column, p->column, transposed);
  const BdctInversePass rows = bdct_inverse_pass (p->family, job, chain->row,
      p->row, !transposed);
  BdctInverseValue line[BDCT_MAX_SIZE];
  int nonzero = 0;

  for (int v = 0; v < columns.keep; v++)
    for (int u = 0; u < rows.keep; u++) {
      const int level = levels[v * rows.keep + u];

      x[v * rows.n + u] = bdct_inverse_dequantize (p->family, job, v, u,
          level);
      nonzero += level != 0;
    }
  if (dc != NULL)
    x[0].whole = *dc;
  for (int v = 0; transposed && v < columns.keep; v++)
    bdct_inverse_line (&rows, x + v * rows.n);
  for (int u = 0; u < (transposed ? rows.n : rows.keep); u++) {
    for (int v = 0; v < columns.keep; v++)
      line[v] = x[v * rows.n + u];
    bdct_inverse_line (&columns, line);
    for (int v = 0; v < columns.n; v++)
      x[v * rows.n + u] = line[v];
  }
  for (int v = 0; !transposed && v < columns.n; v++)
    bdct_inverse_line (&rows, x + v * rows.n);
  return nonzero;
}

/* Store a transform's residuals. Returns its squared errors. */
static uint64_t
store (const BdctTilePlane * p, const BdctInverseValue * x, int left, int top,
    int width, int height)
{
  const int bytes = p->depth > 8 ? 2 : 1, shift = p->layout.shift;
  const int peak = (1 << p->depth) - 1;
  uint64_t sse = 0;

  for (int v = 0; v < bdct_min (height, p->layout.height - top); v++)
    for (int u = 0; u < bdct_min (width, p->layout.width - left); u++) {
      const int64_t whole = x[v * width + u].whole + (peak + 1) / 2;
      const int sample = whole < 0 ? 0 : whole > peak ? peak : (int) whole;

      if (p->src.data != NULL) {
        const int64_t e = sample - bdct_sample_get (bdct_tile_at (p, &p->src,
                top + v, left + u), 0, bytes, shift, peak);

        sse += e * e;
      }
      if (p->dst.data != NULL)
        bdct_sample_put (bdct_tile_at (p, &p->dst, top + v, left + u), 0,
            bytes, shift, sample);
    }
  return sse;
}

/* Reconstruct a block of a plane. */
static void
reconstruct (const BdctTilePlane * p, size_t number,
    const BdctLevel * levels, BdctCounters * counters)
{
  const size_t of_frame = p->grid.first + number;
  const BdctTileQuantizer *set = p->quantizer[p->quantizer_map != NULL
      ? p->quantizer_map[of_frame] : 0];
  const BdctComponentJob *job = &set->job;
  const bool has_dc = bdct_job_has_dc (job);
  const int n = 1 << bdct_job_log2_parts (job);
  const int size = bdct_rate_block_levels (job) / n;
  const int width = 1 << bdct_job_log2_across (job);
  const int height = 1 << bdct_job_log2_down (job);
  BdctInverseValue x[BDCT_MAX_SIZE * BDCT_MAX_SIZE];
  int64_t dcs[BDCT_MAX_PARTS];
  uint64_t sse = 0;
  int nonzero = 0;

  for (int k = 0; k < n; k++)
    dcs[k] = levels[k * size];
  if (has_dc)
    bdct_inverse_dcs (&job->dc, dcs);
  for (int k = 0; k < n; k++) {
    const int row = k >> job->dc.log2_columns;
    const int column = k - (row << job->dc.log2_columns);
    const int left = (number % p->grid.columns << job->log2_width)
        + column * width;
    const int top = (number / p->grid.columns << job->log2_height)
        + row * height;

    nonzero += invert (p, set, levels + k * size, has_dc ? &dcs[k] : NULL, x);
    sse += store (p, x, left, top, width, height);
  }
  counters->nonzero += nonzero;
  counters->sse += sse;
  if (p->blocks != NULL)
    p->blocks[of_frame] = (BdctBlockRecord) {
      .sse = sse < UINT32_MAX ? sse : UINT32_MAX,
      .nonzero = nonzero,
    };
}

void
bdct_cpu_reconstruct_strip (const BdctTilePlane * plane, int row,
    BdctTileStrip * strip)
{
  const BdctComponentJob *job = &plane->quantizer[0]->job;
  const int size = bdct_rate_block_levels (job);
  const int first = row >> job->log2_height;
  const int end = bdct_min ((row + bdct_tile_side (job)) >> job->log2_height,
      plane->grid.rows);

  strip->counters = (BdctCounters) { 0 };
  for (int i = 0; i < (end - first) * plane->grid.columns; i++)
    reconstruct (plane, (size_t) first * plane->grid.columns + i,
        strip->levels + (size_t) i * size, &strip->counters);
}
