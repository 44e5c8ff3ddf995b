/* blockdct: the bins that CABAC codes for blocks of levels: how many zeros and
 * ones of each context, and what these cost.
 *
 * A block's bins are those of residual_coding() of H.265, clause 7.3.8.11,
 * after a coded block flag, with diagonal scans, without sign hiding, transform
 * skip and the range extensions.
 *
 * A run is 16 sub-blocks of 4 x 4 in coding order, 256 samples: blocks one
 * after another, a block's last sub-block first; a block of 32 x 32 is four
 * runs. Of 4 x 4 blocks every eighth row ends a run, so that strips of 32 rows
 * share none. In a component with trees the runs are in the order of its levels
 * in memory (bdct_quadtree_level()), whatever the trees. A coded block flag is
 * in the run of the block's first sub-block, a last position in that of its
 * own. A run becomes a record of counts, and records have a price
 * (cabac-price.h).
 *
 * Blocks are int16_t levels, n x n row-major without a gap, rows are vertical
 * frequency, aligned to 8 bytes; n is 4, 8, 16 or 32. H.265 has no other
 * blocks: bdct_cabac_log2_size() is 0 for them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_H
#define BDCT_CABAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dct/base/compiler.h"
#include "dct/quantizer/job.h"
#include "rate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The contexts: luma's, then chroma's, which U and V share. The contexts of a
 * syntax element are in the order of ctxInc in clause 9.3.4.2. In the standard
 * cbf's ctxInc depends on the depth of the tree, which is constant in a frame
 * of one block size; here it is always constant. */
enum {
  BDCT_CABAC_LUMA = 0,
  BDCT_CABAC_LUMA_CBF = BDCT_CABAC_LUMA,
  BDCT_CABAC_LUMA_LAST_X = BDCT_CABAC_LUMA_CBF + 1,
  BDCT_CABAC_LUMA_LAST_Y = BDCT_CABAC_LUMA_LAST_X + 15,
  BDCT_CABAC_LUMA_SUB_BLOCK = BDCT_CABAC_LUMA_LAST_Y + 15,
  BDCT_CABAC_LUMA_SIG = BDCT_CABAC_LUMA_SUB_BLOCK + 2,
  BDCT_CABAC_LUMA_GREATER1 = BDCT_CABAC_LUMA_SIG + 27,
  BDCT_CABAC_LUMA_GREATER2 = BDCT_CABAC_LUMA_GREATER1 + 16,
  BDCT_CABAC_LUMA_SPLIT = BDCT_CABAC_LUMA_GREATER2 + 4, /* see quadtree.h */
  BDCT_CABAC_CHROMA = BDCT_CABAC_LUMA_SPLIT + 3,
  BDCT_CABAC_CHROMA_CBF = BDCT_CABAC_CHROMA,
  BDCT_CABAC_CHROMA_LAST_X = BDCT_CABAC_CHROMA_CBF + 1,
  BDCT_CABAC_CHROMA_LAST_Y = BDCT_CABAC_CHROMA_LAST_X + 3,
  BDCT_CABAC_CHROMA_SUB_BLOCK = BDCT_CABAC_CHROMA_LAST_Y + 3,
  BDCT_CABAC_CHROMA_SIG = BDCT_CABAC_CHROMA_SUB_BLOCK + 2,
  BDCT_CABAC_CHROMA_GREATER1 = BDCT_CABAC_CHROMA_SIG + 15,
  BDCT_CABAC_CHROMA_GREATER2 = BDCT_CABAC_CHROMA_GREATER1 + 8,
  BDCT_CABAC_CONTEXTS = BDCT_CABAC_CHROMA_GREATER2 + 2, /* 117 */
  BDCT_CABAC_BYPASS = BDCT_CABAC_CONTEXTS /* stands for all bypass bins */
};

/* Fractional bits of a block's cost. */
#define BDCT_CABAC_COST_BITS 15

/* The diagonal scan (clause 6.5.3) of 4x4: hexadecimal digit i is 4 y + x of
 * place i. */
#define BDCT_CABAC_SCAN UINT64_C (0xfbe7ad369c258140)

/* sigCtx (clause 9.3.4.2.5) before its last addend; hexadecimal digit i is for
 * place i of the scan. It depends on the position in 4x4, else on which
 * neighbours, right and below, have levels. */
#define BDCT_CABAC_SIG_NONE UINT64_C (0x0000000000111112)
#define BDCT_CABAC_SIG_RIGHT UINT64_C (0x0001002100210212)
#define BDCT_CABAC_SIG_BELOW UINT64_C (0x0000010012012122)
#define BDCT_CABAC_SIG_BOTH UINT64_C (0x2222222222222222)
#define BDCT_CABAC_SIG_4X4 UINT64_C (0x8885875467436120)

/* The cost of each bin of each context, in 2^-15 bit. */
typedef struct {
  uint32_t bin[BDCT_CABAC_CONTEXTS][2];
} BdctCabacCosts;

/* The probability of a 1 in a context's state at the start of a slice (clause
 * 9.3.2.2, initType 0), with slice_qp from 0 to 51; and what bins cost then. */
double bdct_cabac_first (int context, int slice_qp);
void bdct_cabac_costs (BdctCabacCosts *costs, int slice_qp);

/* The cost of a sub-block's significance flags: of zeros at the first n places,
 * and what each nibble of a mask of ones adds. */
typedef struct {
  uint32_t zeros[17], some[4][16];
} BdctCabacFlags;

/* What parts of a block cost, by log2 of its side less 2 and by chroma: flags
 * of the first sub-block in [1], by which neighbours have levels; the last
 * position along x, then y; flags of magnitudes by the set of contexts, the
 * number of 1s before the first level above 1, and its kind (cabac.c). */
typedef struct {
  BdctCabacCosts costs;
  BdctCabacFlags flags[4][2][2][4];
  uint32_t last[4][2][2][32];
  uint32_t magnitudes[2][4][9][3];
} BdctCabacPrices;

/* Set the prices. Call bdct_cabac_init() before. */
void bdct_cabac_prices_init (BdctCabacPrices *prices, int slice_qp);

/* The part of bdct_cabac_init() (cabac-price.h) that counting needs. */
void bdct_cabac_count_init (void);

/* The bins of a run: of each context zeros, and ones << 16; the number of
 * bypass bins; and 0. */
typedef uint32_t BdctCabacCounts[BDCT_CABAC_BYPASS + 2];

/* Add a block's bins to those of the runs that it is in, one or four. */
void bdct_cabac_count (BdctCabacCounts *runs, const BdctLevel *levels,
    int log2_size, bool chroma);

/* What a block costs, bypass bins included, in 2^-15 bit. */
uint32_t bdct_cabac_block_cost (const BdctCabacPrices *prices,
    const BdctLevel *levels, int log2_size, bool chroma);

/* log2 of the side of the job's blocks of levels, 2 to 5; 0 if H.265 has no
 * such blocks because they are not square or are larger. The transforms of a
 * block with a second stage are so many blocks of levels. */
BDCT_FORCE_INLINE int
bdct_cabac_log2_size (const BdctComponentJob *job)
{
  int n = 2;

  while (n <= 5 && 1 << n != job->keep)
    n++;
  return bdct_job_log2_across (job) == bdct_job_log2_down (job) && n <= 5
      ? n : 0;
}

/* The runs of so many rows of blocks. */
BDCT_FORCE_INLINE size_t
bdct_cabac_runs (size_t columns, size_t rows, int log2_size)
{
  return log2_size > 2 ? ((columns * rows << 2 * (log2_size - 2)) + 15) / 16
      : rows / 8 * ((columns + 1) / 2) + (rows % 8 * columns + 15) / 16;
}

#ifdef __cplusplus
}
#endif
#endif
