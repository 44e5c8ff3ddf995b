/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A strip goes through the kernel that its job allows. The caller's levels may
 * be beyond the kernels' numbers, for which inverse.h says why: their blocks
 * are then reconstructed in plain C. And the picture of levels is drawn. */
#include "state.h"

#include "dct/base/min.h"
#include "dct/picture/render.h"

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

/* The first sample of transform `k` of a plane's block. */
static void
find_transform (const BdctTilePlane * p, const BdctComponentJob * job,
    size_t number, int k, int *left, int *top)
{
  const int row = k >> job->dc.log2_columns;
  const int column = k - (row << job->dc.log2_columns);

  *left = (number % p->grid.columns << job->log2_width)
      + (column << bdct_job_log2_across (job));
  *top = (number / p->grid.columns << job->log2_height)
      + (row << bdct_job_log2_down (job));
}

BDCT_SCRATCH_HOLDS (BdctInverseValue[BDCT_MAX_SIZE * BDCT_MAX_SIZE]);

/* Reconstruct a block of a plane; `x` has room for the largest. */
static void
reconstruct (const BdctTilePlane * p, size_t number,
    const BdctLevel * levels, BdctCounters * counters, BdctInverseValue * x)
{
  const size_t of_frame = p->grid.first + number;
  const BdctTileQuantizer *set = p->quantizer[p->quantizer_map != NULL
      ? p->quantizer_map[of_frame] : 0];
  const BdctComponentJob *job = &set->job;
  const bool has_dc = bdct_job_has_dc (job);
  const int n = 1 << bdct_job_log2_parts (job);
  const int size = bdct_rate_block_levels (job) / n;
  int64_t dcs[BDCT_MAX_PARTS];
  uint64_t sse = 0;
  int nonzero = 0, left, top;

  for (int k = 0; k < n; k++)
    dcs[k] = levels[k * size];
  if (has_dc)
    bdct_inverse_dcs (&job->dc, dcs);
  for (int k = 0; k < n; k++) {
    find_transform (p, job, number, k, &left, &top);
    nonzero += invert (p, set, levels + k * size, has_dc ? &dcs[k] : NULL, x);
    sse += store (p, x, left, top, 1 << bdct_job_log2_across (job),
        1 << bdct_job_log2_down (job));
  }
  counters->nonzero += nonzero;
  counters->sse += sse;
  if (p->blocks != NULL)
    p->blocks[of_frame] = (BdctBlockRecord) {
      .sse = sse < UINT32_MAX ? sse : UINT32_MAX,
      .nonzero = nonzero,
    };
}

/* The blocks of the strip from row `row` on: the first one, and their
 * number. */
static int
find_blocks (const BdctTilePlane * p, int row, size_t * first)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const int top = row >> job->log2_height;

  *first = (size_t) top * p->grid.columns;
  return (bdct_min ((row + bdct_tile_side (job)) >> job->log2_height,
          p->grid.rows) - top) * p->grid.columns;
}

static void
reconstruct_strip (const BdctTilePlane * plane, int row, BdctTileStrip * strip,
    void *scratch)
{
  const int size = bdct_rate_block_levels (&plane->quantizer[0]->job);
  size_t first;
  const int n = find_blocks (plane, row, &first);

  strip->counters = (BdctCounters) { 0 };
  for (int i = 0; i < n; i++)
    reconstruct (plane, first + i, strip->levels + (size_t) i * size,
        &strip->counters, scratch);
}

void
bdct_cpu_transform (const BdctTileKernel * kernel,
    const BdctTilePlane * const *planes, int row, BdctTileStrip * strips,
    void *scratch)
{
  const int n = planes[0]->layout.interleave;
  bool tile16 = kernel->tile16 != NULL;
  BdctTileFunc strip = kernel->plain->strip;

  for (int i = 0; i < n; i++)
    tile16 = tile16 && bdct_tile_is_tile16 (planes[i]);
  if (kernel->dct8x8 != NULL && planes[0]->family == BDCT_FAMILY_DCT8X8
      && !strips[0].given)
    strip = *kernel->dct8x8;
  if (tile16)
    (*kernel->tile16) (planes, row, strips, scratch);
  for (int i = 0; i < n && !tile16; i++)
    strip (planes[i], row, &strips[i], scratch);
  for (int i = 0; i < n; i++)
    if (strips[i].beyond)
      reconstruct_strip (planes[i], row, &strips[i], scratch);
}

void
bdct_cpu_draw_levels (const BdctTilePlane * p, const BdctSamples * to,
    const BdctComponentJob * job, const BdctLevel * levels, int left, int top)
{
  const int width = 1 << bdct_job_log2_across (job);
  const int height = 1 << bdct_job_log2_down (job);
  const int columns = bdct_min (job->keep, width);

  for (int v = 0; v < bdct_min (height, p->layout.height - top); v++) {
    uint8_t *row = bdct_tile_at (p, to, top + v, left);

    for (int u = 0; u < bdct_min (width, p->layout.width - left); u++)
      bdct_sample_put (row, (int64_t) u * p->layout.interleave,
          p->depth > 8 ? 2 : 1, p->layout.shift, bdct_render_level (u < columns
              && v < job->keep ? levels[v * columns + u] : 0,
              p->component != BDCT_Y, p->depth));
  }
}

void
bdct_cpu_draw_strip (const BdctTilePlane * p, const BdctSamples * to, int row,
    const BdctLevel * levels)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const int log2_parts = bdct_job_log2_parts (job);
  const int size = bdct_rate_block_levels (job) >> log2_parts;
  int left, top;
  size_t first;

  for (int i = find_blocks (p, row, &first) << log2_parts; i-- > 0;) {
    find_transform (p, job, first + (i >> log2_parts),
        i & ((1 << log2_parts) - 1), &left, &top);
    bdct_cpu_draw_levels (p, to, job, levels + (size_t) i * size, left, top);
  }
}
