/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block.h"

#include <math.h>
#include "matrices.h"
#include "quantize.h"

#define BDCT_INLINE static inline
#define BDCT_UNROLL
#define BDCT_PASS(name) name##_whole
#define BDCT_VALUE int64_t
#define BDCT_SCALAR int32_t
#include "pass.h"
#undef BDCT_PASS
#undef BDCT_VALUE
#undef BDCT_SCALAR
#define BDCT_PASS(name) name##_real
#define BDCT_VALUE float
#define BDCT_SCALAR float
#include "pass.h"

#define N BDCT_MAX_SIZE

static int64_t
scale (int64_t v, int shift, bool clip)
{
  v = (v + ((int64_t) 1 << (shift - 1))) >> shift;
  return clip && v < -32768 ? -32768 : clip && v > 32767 ? 32767 : v;
}

/* A pass over the rows (step 1 from sample to sample) or the columns. */
static void
pass_whole (int64_t * cells, const BdctComponentJob * job, const int32_t * m,
    bool inverse, bool columns, int shift)
{
  int n = 1 << job->log2_size, step = columns ? n : 1, line = columns ? 1 : n;

  for (int i = 0; i < n; i++) {
    int64_t x[N], y[N];

    for (int k = 0; k < n; k++)
      x[k] = cells[i * line + k * step];
    if (job->matrix == BDCT_MATRIX_DST_4)
      (inverse ? inverse_dense4_whole : forward_dense4_whole) (y, x, m);
    else
      (inverse ? inverse_whole : forward_whole) (y, x, m, n);
    for (int k = 0; k < n; k++)
      cells[i * line + k * step] = scale (y[k], shift,
          inverse && job->clip16);
  }
}

static void
pass_real (float *cells, const float *m, bool inverse, bool columns)
{
  int step = columns ? 8 : 1, line = columns ? 1 : 8;

  for (int i = 0; i < 8; i++) {
    float x[N], y[N];

    for (int k = 0; k < 8; k++)
      x[k] = cells[i * line + k * step];
    (inverse ? inverse_real : forward_real) (y, x, m, 8);
    for (int k = 0; k < 8; k++)
      cells[i * line + k * step] = y[k];
  }
}

static void
run_whole (BdctBlock * block, const BdctJob * job,
    const BdctComponentJob * cj, int middle)
{
  int n = block->size;
  int64_t cells[N * N];
  int32_t m[N * N];

  bdct_matrix_int (cj->matrix, m);
  for (int i = 0; i < n * n; i++)
    cells[i] = block->sample[i] - middle;
  pass_whole (cells, cj, m, false, false, cj->fwd_shift[0]);
  pass_whole (cells, cj, m, false, true, cj->fwd_shift[1]);
  for (int i = 0; i < n * n; i++) {
    int index = bdct_quantize_index (cj, i / n, i % n);
    int32_t level = bdct_quantize_whole (cj, job->family, (int32_t) cells[i],
        index);

    block->coefficient[i] = (double) cells[i];
    block->level[i] = level;
    cells[i] = job->family == BDCT_FAMILY_JPEG
        ? (int64_t) level * cj->quant[index]
        : scale ((int64_t) level * cj->dequant[index], cj->dequant_bits, true);
  }
  pass_whole (cells, cj, m, true, true, cj->inv_shift[0]);
  pass_whole (cells, cj, m, true, false, cj->inv_shift[1]);
  for (int i = 0; i < n * n; i++)
    block->reconstruction[i] = (int) cells[i] + middle;
}

static void
run_real (BdctBlock * block, const BdctComponentJob * cj, int middle)
{
  float cells[64], m[64];

  bdct_matrix_real (m);
  for (int i = 0; i < 64; i++)
    cells[i] = (float) (block->sample[i] - middle);
  pass_real (cells, m, false, false);
  pass_real (cells, m, false, true);
  for (int i = 0; i < 64; i++) {
    block->coefficient[i] = cells[i] / 8;
    block->level[i] = bdct_quantize_real (cj, cells[i], i);
    cells[i] = (float) block->level[i] * (float) cj->quant[i];
  }
  pass_real (cells, m, true, true);
  pass_real (cells, m, true, false);
  for (int i = 0; i < 64; i++)
    block->reconstruction[i] =
        (int) floorf (cells[i] * 0.125f + 0.5f) + middle;
}

void
bdct_block_run (BdctBlock * block, const BdctJob * job,
    BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  int middle = 1 << (job->depth - 1), peak = 2 * middle - 1;

  block->size = 1 << cj->log2_size;
  if (job->family == BDCT_FAMILY_REAL)
    run_real (block, cj, middle);
  else
    run_whole (block, job, cj, middle);
  for (int i = 0; i < block->size * block->size; i++) {
    int *v = &block->reconstruction[i];

    *v = *v < 0 ? 0 : *v > peak ? peak : *v;
  }
}
