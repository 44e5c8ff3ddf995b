/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reconstructs blocks from the caller's levels, block by block and in plain
 * C: inverse.h says why tiles cannot do it. */
#include "state.h"

#include "dct/base/min.h"
#include "dct/transform/matrices.h"

#define BDCT_INLINE BDCT_FORCE_INLINE
#undef BDCT_UNROLL
#define BDCT_UNROLL
#define BDCT_ISLOW(k, i) bdct_islow_8[k][i]
#include "dct/quantizer/inverse.h"

/* The position of sample (x, y) of a component in memory. */
static uint8_t *
find_sample (const BdctTilePlane * p, const BdctSamples * s, int x, int y)
{
  return s->data + y * s->stride
      + (int64_t) x * p->layout.interleave * (p->depth > 8 ? 2 : 1);
}

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

/* The same for jpeg-8x8 in 32 bits; false if these do not suffice. */
static bool
invert_short (const BdctComponentJob * job, const BdctLevel * levels,
    int32_t * x, int *nonzero)
{
  int32_t wide = 0;
  int n = 0;

  for (int k = 0; k < 64; k++) {
    x[k] = levels[k] * job->quant[k];
    wide |= x[k] ^ x[k] >> 31;
    n += levels[k] != 0;
  }
  if (!bdct_inverse_is_short (wide))
    return false;
  for (int u = 0; u < 8; u++)
    bdct_inverse_short_line (x + u, 8, job->inv_shift[0]);
  for (int k = 0; k < 64; k++)
    wide |= x[k] ^ x[k] >> 31;
  if (!bdct_inverse_is_short (wide))
    return false;
  for (int v = 0; v < 8; v++)
    bdct_inverse_short_line (x + 8 * v, 1, job->inv_shift[1]);
  *nonzero += n;
  return true;
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
        const int64_t e = sample - bdct_sample_get (find_sample (p, &p->src,
                left + u, top + v), 0, bytes, shift, peak);

        sse += e * e;
      }
      if (p->dst.data != NULL)
        bdct_sample_put (find_sample (p, &p->dst, left + u, top + v), 0,
            bytes, shift, sample);
    }
  return sse;
}

/* The same for jpeg-8x8. */
static uint64_t
store_short (const BdctTilePlane * p, const int32_t * x, int left, int top)
{
  BdctInverseValue value[64];

  if (p->src.data == NULL && p->dst.data != NULL && p->depth == 8
      && p->layout.interleave == 1 && left + 8 <= p->layout.width
      && top + 8 <= p->layout.height) {
    for (int v = 0; v < 8; v++) {
      uint8_t *to = p->dst.data + (top + v) * p->dst.stride + left;

      for (int u = 0; u < 8; u++) {
        const int sample = x[8 * v + u] + 128;

        to[u] = sample < 0 ? 0 : sample > 255 ? 255 : sample;
      }
    }
    return 0;
  }
  for (int k = 0; k < 64; k++)
    value[k].whole = x[k];
  return store (p, value, left, top, 8, 8);
}

/* The picture of a transform's levels; those from `keep` on are 0. */
static void
draw (const BdctTilePlane * p, const BdctComponentJob * job,
    const BdctLevel * levels, int left, int top)
{
  const int width = 1 << bdct_job_log2_across (job);
  const int height = 1 << bdct_job_log2_down (job);
  const int wide = bdct_min (job->keep, width);

  for (int v = 0; v < bdct_min (height, p->layout.height - top); v++)
    for (int u = 0; u < bdct_min (width, p->layout.width - left); u++)
      bdct_sample_put (find_sample (p, &p->levels, left + u, top + v), 0,
          p->depth > 8 ? 2 : 1, p->layout.shift,
          bdct_render_level (v < job->keep && u < wide
              ? levels[v * wide + u] : 0, p->component != BDCT_Y, p->depth));
}

void
bdct_cpu_reconstruct (const BdctTilePlane * p, size_t number,
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
  int32_t brief[64];
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

    if (p->family == BDCT_FAMILY_JPEG && invert_short (job, levels, brief,
            &nonzero)) {
      sse += store_short (p, brief, left, top);
    } else {
      nonzero += invert (p, set, levels + k * size, has_dc ? &dcs[k] : NULL, x);
      sse += store (p, x, left, top, width, height);
    }
    if (p->levels.data != NULL)
      draw (p, job, levels + k * size, left, top);
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
bdct_cpu_reconstruct_strip (const CpuTask * task, int number, Piece * piece)
{
  for (int i = 0; i < piece->n_components; i++) {
    const int c = piece->component[i];
    const BdctTilePlane *plane = &task->plane[c];
    const int size = bdct_rate_block_levels (&task->job.component[c]);
    const size_t of_strip = bdct_cpu_strip_blocks (task, c);
    const size_t all = (size_t) plane->grid.columns * plane->grid.rows;
    const size_t first = number * of_strip;

    for (size_t k = first; k < first + of_strip && k < all; k++)
      bdct_cpu_reconstruct (plane, k, piece->strip[i].levels
          + (k - first) * size, &piece->strip[i].counters);
  }
}
