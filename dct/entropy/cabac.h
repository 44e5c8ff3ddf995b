/* blockdct: the bins that CABAC codes for a block of levels, and their cost.
 *
 * For C and CUDA, in whole numbers alone, so that every engine counts and adds
 * the same. bdct_cabac_walk() walks over a block and emits its bins:
 * residual_coding() of H.265, clause 7.3.8.11, after a coded block flag, with
 * diagonal scans, without sign hiding, transform skip and the range extensions.
 *
 * A frame's cost is estimated in two stages. The first counts the bins of every
 * context, block by block in any order (bdct_cabac_count). The counts determine
 * a probability state for each context (bdct_cabac_start). The second stage
 * prices segments, runs of blocks of a component, independently of each other
 * (bdct_cabac_segment): from these states it walks over the previous segment,
 * so that the states adapt to that part of the picture as CABAC's do, and then
 * over its own. A frame's bits are the segments' costs and the bypass bins.
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

#ifdef __CUDACC__
#define BDCT_CABAC_TABLE static __device__ const
#else
#define BDCT_CABAC_TABLE static const
#endif

#ifdef __CUDA_ARCH__
#define BDCT_CABAC_ADD(counter) atomicAdd (counter, 1u)
#else
#define BDCT_CABAC_ADD(counter) (++*(counter))
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
  BDCT_CABAC_CONTEXTS = BDCT_CABAC_CHROMA_GREATER2 + 2 /* 117 */
};

/* Samples of a segment. */
#define BDCT_CABAC_SEGMENT 4096

/* Fractional bits of a cost. */
#define BDCT_CABAC_COST_BITS 15

/* A state is 2 pStateIdx + valMps (clause 9.3.4.3.2). Entry state ^ bin, which
 * is 2 pStateIdx + (bin is not the most probable one), holds the bin's cost in
 * 2^-15 bit, shifted left by 8, and the next state for valMps 0. A state stands
 * for the probability p = 0.5 (0.01875 / 0.5)^(pStateIdx / 63) of the least
 * probable bin; the cost is -log2 (p) or -log2 (1 - p). The next states are
 * Table 9-47's; the last bit is set where valMps changes. */
BDCT_CABAC_TABLE uint32_t bdct_cabac_step[126] = {
  0x0800002, 0x0800001, 0x076da04, 0x089a000, 0x06e9206, 0x0934002,
  0x0670908, 0x09cdf04, 0x060290a, 0x0a67f04, 0x059dd0c, 0x0b01f08,
  0x054130e, 0x0b9bf08, 0x04ebf10, 0x0c35f0a, 0x049d312, 0x0ccff0c,
  0x0454614, 0x0d69e0e, 0x0410d16, 0x0e03e10, 0x03d2218, 0x0e9de12,
  0x0397d1a, 0x0f37e12, 0x036191c, 0x0fd1e16, 0x032ee1e, 0x106be16,
  0x02ffa20, 0x1105d18, 0x02d3722, 0x119fd1a, 0x02aa224, 0x1239d1a,
  0x0283626, 0x12d3d1e, 0x025f228, 0x136dd1e, 0x023d12a, 0x1407c20,
  0x021d22c, 0x14a1c20, 0x01ff22e, 0x153bc24, 0x01e2f30, 0x15d5c24,
  0x01c8732, 0x166fc26, 0x01af734, 0x1709c26, 0x0197f36, 0x17a3b2a,
  0x0181d38, 0x183db2a, 0x016d03a, 0x18d7b2c, 0x015953c, 0x1971b2c,
  0x0146c3e, 0x1a0bb2e, 0x0135440, 0x1aa5b30, 0x0124c42, 0x1b3fa30,
  0x0115344, 0x1bd9a32, 0x0106746, 0x1c73a34, 0x00f8948, 0x1d0da34,
  0x00eb74a, 0x1da7a36, 0x00df04c, 0x1e41936, 0x00d344e, 0x1edb938,
  0x00c8250, 0x1f7593a, 0x00bda52, 0x200f93a, 0x00b3c54, 0x20a993c,
  0x00aa556, 0x214393c, 0x00a1758, 0x21dd83c, 0x009905a, 0x227783e,
  0x009115c, 0x2311840, 0x008985e, 0x23ab840, 0x0082660, 0x2445842,
  0x007ba62, 0x24df842, 0x0075364, 0x2579742, 0x006f266, 0x2613744,
  0x0069668, 0x26ad744, 0x0063f6a, 0x2747746, 0x005ed6c, 0x27e1746,
  0x0059f6e, 0x287b646, 0x0055470, 0x2915648, 0x0050e72, 0x29af648,
  0x004cc74, 0x2a49648, 0x0048c76, 0x2ae364a, 0x0045178, 0x2b7d64a,
  0x004187a, 0x2c1754a, 0x003e27c, 0x2cb154c, 0x003af7c, 0x2d4b54c,
};

/* The diagonal scan (clause 6.5.3) of 4x4: hexadecimal digit i is 4 y + x of
 * place i. */
#define BDCT_CABAC_SCAN UINT64_C (0xfbe7ad369c258140)

/* The cost of each bin of each context, in 2^-15 bit. */
typedef struct {
  uint32_t bin[BDCT_CABAC_CONTEXTS][2];
} BdctCabacCosts;

/* The costs of bins in the states at the start of a slice (clause 9.3.2.2,
 * initType 0), with slice_qp from 0 to 51. */
void bdct_cabac_costs (BdctCabacCosts *costs, int slice_qp);

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

/* Blocks of a segment: as many as have BDCT_CABAC_SEGMENT samples. The last
 * segment of a component has the rest. */
BDCT_FORCE_INLINE int
bdct_cabac_segment_blocks (int log2_size)
{
  return BDCT_CABAC_SEGMENT >> 2 * log2_size;
}

/* The destination of a walk's bins: counters, or a price from fixed costs or
 * from states that adapt. */
typedef struct {
  uint32_t *counter;    /* [2 context + bin]; NULL: price */
  const uint32_t *costs; /* likewise, in 2^-15 bit; NULL: use states */
  uint8_t *state;       /* of a context: state[pitch context] */
  int pitch;
  const uint32_t *step; /* bdct_cabac_step, or a copy */
  uint32_t cost;        /* in 2^-15 bit */
  uint32_t bypass;      /* number of bypass bins */
} BdctCabacSink;

BDCT_FORCE_INLINE void
bdct_cabac_bin (BdctCabacSink *sink, int context, int bin)
{
  uint8_t *state;
  uint32_t step;

  if (sink->counter != NULL) {
    BDCT_CABAC_ADD (&sink->counter[2 * context + bin]);
    return;
  }
  if (sink->costs != NULL) {
    sink->cost += sink->costs[2 * context + bin];
    return;
  }
  state = &sink->state[context * sink->pitch];
  step = sink->step[*state ^ bin];
  sink->cost += step >> 8;
  *state = (uint8_t) ((step & 255) ^ (*state & 1));
}

/* floor (log2 (v)) of v > 0. */
BDCT_FORCE_INLINE int
bdct_cabac_log2 (uint32_t v)
{
#ifdef __CUDA_ARCH__
  return 31 - __clz ((int) v);
#else
  return 31 - __builtin_clz (v);
#endif
}

/* last_sig_coeff_x_prefix or y_prefix: truncated unary (clause 9.3.3.2), with
 * ctxInc of 9.3.4.2.3 without luma's offset; then the suffix (7.4.9.11). */
BDCT_FORCE_INLINE void
bdct_cabac_last (BdctCabacSink *sink, int base, int log2_size, bool chroma,
    int position)
{
  const int offset = chroma ? 0 : 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
  const int shift = chroma ? log2_size - 2 : (log2_size + 1) >> 2;
  const int log2 = position < 4 ? 0 : bdct_cabac_log2 (position);
  const int prefix = position < 4 ? position
      : 2 * log2 + (position >> (log2 - 1) & 1);
  int i;

  for (i = 0; i < prefix; i++)
    bdct_cabac_bin (sink, base + offset + (i >> shift), 1);
  if (prefix < 2 * log2_size - 1)
    bdct_cabac_bin (sink, base + offset + (i >> shift), 0);
  if (log2 > 0)
    sink->bypass += log2 - 1;
}

/* The number of bins of coeff_abs_level_remaining (clause 9.3.3.11), all
 * bypassed. */
BDCT_FORCE_INLINE int
bdct_cabac_remaining (int value, int rice)
{
  int log2;

  if (value < 4 << rice)
    return (value >> rice) + 1 + rice;
  log2 = bdct_cabac_log2 (value - (4 << rice) + (2 << rice));
  return 4 + 2 * log2 - rice;
}

/* The 4x4 sub-blocks that have a level other than 0, as bits 8 y + x. */
BDCT_FORCE_INLINE uint64_t
bdct_cabac_sub_blocks (const int16_t *levels, int log2_size)
{
  const int side = 1 << (log2_size - 2);
  uint64_t coded = 0;

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const int16_t *row = levels + (((y << log2_size) + x) << 2);
      uint64_t any = 0;

      for (int i = 0; i < 4; i++, row += (ptrdiff_t) 1 << log2_size) {
        uint64_t four;

#ifdef __CUDA_ARCH__
        four = *(const uint64_t *) row;
#else
        __builtin_memcpy (&four, row, 8);
#endif
        any |= four;
      }
      coded |= (uint64_t) (any != 0) << (8 * y + x);
    }
  return coded;
}

/* The contexts of a sub-block's flags: those of sig_coeff_flag by place of the
 * scan, and the first of the flags for levels above 1 and above 2. */
typedef struct {
  uint64_t pattern;
  int sig, sig_here;
  bool dc;                      /* the sub-block (0, 0) */
  int greater1, greater2;
} BdctCabacSubBlock;

/* `right`, `below`: that neighbour has levels. `greater`: a level of the
 * previous sub-block is above 1. */
BDCT_FORCE_INLINE BdctCabacSubBlock
bdct_cabac_sub_contexts (int log2_size, bool chroma, bool dc, bool right,
    bool below, bool greater)
{
  const int set = (chroma || dc ? 0 : 2) + greater;
  BdctCabacSubBlock s;

  /* sigCtx of clause 9.3.4.2.5 before its last addend; hexadecimal digit i is
   * for place i of the scan. It depends on the position in 4x4, else on the
   * neighbours' flags. */
  s.pattern = log2_size == 2 ? UINT64_C (0x8885875467436120)
      : right && below ? UINT64_C (0x2222222222222222)
      : right ? UINT64_C (0x0001002100210212)
      : below ? UINT64_C (0x0000010012012122)
      : UINT64_C (0x0000000000111112);
  s.sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  s.sig_here = s.sig + (log2_size == 2 ? 0
      : chroma ? (log2_size == 3 ? 9 : 12)
      : (log2_size == 3 ? 9 : 21) + (dc ? 0 : 3));
  s.dc = dc;
  s.greater1 = (chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1) + 4 * set;
  s.greater2 = (chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2) + set;
  return s;
}

BDCT_FORCE_INLINE int
bdct_cabac_sig (const BdctCabacSubBlock *s, int i)
{
  return s->dc && i == 0 ? s->sig : s->sig_here + (int) (s->pattern >> 4 * i
      & 15);
}

/* The levels of a coded sub-block, or of sub-block (0, 0). */
BDCT_FORCE_INLINE void
bdct_cabac_sub_block (BdctCabacSink *sink, const int16_t *levels,
    int log2_size, bool chroma, int x, int y, bool right, bool below,
    bool *last, bool *greater)
{
  const int16_t *sub = levels + (((y << log2_size) + x) << 2);
  const bool dc = x + y == 0;
  const BdctCabacSubBlock contexts = bdct_cabac_sub_contexts (log2_size, chroma,
      dc, right, below, *greater);
  bool inferred = !*last && !dc; /* a coded sub-block without a level at
                                    places 1 to 15 has one at place 0 */
  int greater1_ctx = 1;
  int n = 0;
  int rice = 0;

  *greater = false;
  for (int i = 15; i >= 0; i--) {
    const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
    const int level = sub[((place >> 2) << log2_size) + (place & 3)];
    const int magnitude = level < 0 ? -level : level;
    int base = 1;               /* the least magnitude that flags alone do
                                   not code */

    if (*last) {
      if (level == 0)
        continue;
      bdct_cabac_last (sink, chroma ? BDCT_CABAC_CHROMA_LAST_X
          : BDCT_CABAC_LUMA_LAST_X, log2_size, chroma, 4 * x + (place & 3));
      bdct_cabac_last (sink, chroma ? BDCT_CABAC_CHROMA_LAST_Y
          : BDCT_CABAC_LUMA_LAST_Y, log2_size, chroma, 4 * y + (place >> 2));
      *last = false;
    } else if (i > 0 || !inferred) {
      bdct_cabac_bin (sink, bdct_cabac_sig (&contexts, i), level != 0);
    }
    if (level == 0)
      continue;
    inferred = false;
    if (n++ < 8) {
      bdct_cabac_bin (sink, contexts.greater1 + greater1_ctx, magnitude > 1);
      base = 2;
      if (magnitude > 1) {
        if (!*greater) {
          bdct_cabac_bin (sink, contexts.greater2, magnitude > 2);
          base = 3;
        }
        *greater = true;
        greater1_ctx = 0;
      } else if (greater1_ctx == 1 || greater1_ctx == 2) {
        greater1_ctx++;
      }
    }
    sink->bypass++;             /* sign */
    if (magnitude >= base) {
      sink->bypass += bdct_cabac_remaining (magnitude - base, rice);
      if (rice < 4 && magnitude > 3 << rice)
        rice++;
    }
  }
}

/* The position of the sub-block before (x, y), which is not (0, 0), in the
 * diagonal scan of side x side sub-blocks. */
BDCT_FORCE_INLINE void
bdct_cabac_before (int *x, int *y, int side)
{
  if (*x > 0 && *y + 1 < side) {
    --*x;
    ++*y;
  } else {
    const int diagonal = *x + *y - 1;

    *y = diagonal < side ? 0 : diagonal - side + 1;
    *x = diagonal - *y;
  }
}

/* Send a block's bins to a sink. Each context adapts by itself, so the order
 * among bins of different contexts does not matter; it is not the
 * standard's. */
BDCT_FORCE_INLINE void
bdct_cabac_walk (BdctCabacSink *sink, const int16_t *levels, int log2_size,
    bool chroma)
{
  const int side = 1 << (log2_size - 2);
  const uint64_t coded = bdct_cabac_sub_blocks (levels, log2_size);
  int x = side - 1, y = side - 1;
  bool last = true;             /* the last level is still ahead */
  bool greater = false;         /* a level above 1 was among the up to 8
                                   levels with a flag in the previous
                                   sub-block */

  bdct_cabac_bin (sink, chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF,
      coded != 0);
  if (coded == 0)
    return;
  while (!(coded >> (8 * y + x) & 1))
    bdct_cabac_before (&x, &y, side);
  for (;; bdct_cabac_before (&x, &y, side)) {
    const bool dc = x + y == 0;
    const bool has = coded >> (8 * y + x) & 1;
    const bool right = x + 1 < side && (coded >> (8 * y + x + 1) & 1);
    const bool below = y + 1 < side && (coded >> (8 * y + x + 8) & 1);

    if (!last && !dc)
      bdct_cabac_bin (sink, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (right || below), has);
    if (has || dc)
      bdct_cabac_sub_block (sink, levels, log2_size, chroma, x, y, right,
          below, &last, &greater);
    if (dc)
      break;
  }
}

/* Add a block's bins to `counter`, 2 BDCT_CABAC_CONTEXTS numbers at [2 context
 * + bin]; CUDA adds atomically. Returns the number of bypass bins. */
BDCT_FORCE_INLINE uint32_t
bdct_cabac_count (uint32_t *counter, const int16_t *levels, int log2_size,
    bool chroma)
{
  BdctCabacSink sink = { counter, NULL, NULL, 0, NULL, 0, 0 };

  bdct_cabac_walk (&sink, levels, log2_size, chroma);
  return sink.bypass;
}

/* The state in which these bins cost least if it does not adapt, which is that
 * of the nearest probability. Without bins it is that of probability 1/2. The
 * counts must be below 2^40. */
BDCT_DEVICE_INLINE uint8_t
bdct_cabac_state (uint64_t zeros, uint64_t ones)
{
  const int mps = ones > zeros;
  const uint64_t more = mps ? ones : zeros, less = mps ? zeros : ones;
  uint64_t least = UINT64_MAX;
  int best = 0;

  for (int i = 0; i < 63; i++) {
    const uint64_t cost = more * (bdct_cabac_step[2 * i] >> 8)
        + less * (bdct_cabac_step[2 * i + 1] >> 8);

    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  return (uint8_t) (2 * best + mps);
}

/* The state in which a context starts: from Y's bins for luma's contexts, from
 * the sum of U's and V's for chroma's. */
BDCT_DEVICE_INLINE uint8_t
bdct_cabac_start (const BdctRateCounts *counts, int context)
{
  const uint64_t *y = &counts->counter[BDCT_Y][2 * context];
  const uint64_t *u = &counts->counter[BDCT_U][2 * context];
  const uint64_t *v = &counts->counter[BDCT_V][2 * context];

  return context < BDCT_CABAC_CHROMA ? bdct_cabac_state (y[0], y[1])
      : bdct_cabac_state (u[0] + v[0], u[1] + v[1]);
}

/* Price a block by a segment's states, and update them. The state of a context
 * is at state[pitch context]; `step` is bdct_cabac_step or a copy of it in
 * faster memory. Returns the cost in 2^-15 bit without the bypass bins, whose
 * number is added to `bypass`. The sum of a segment's costs is below 2^31. */
BDCT_FORCE_INLINE uint32_t
bdct_cabac_price (uint8_t *state, int pitch, const uint32_t *step,
    const int16_t *levels, int log2_size, bool chroma, uint32_t *bypass)
{
  BdctCabacSink sink = { NULL, NULL, state, pitch, step, 0, 0 };

  bdct_cabac_walk (&sink, levels, log2_size, chroma);
  *bypass += sink.bypass;
  return sink.cost;
}

/* Price the segment of `n_blocks`, at most bdct_cabac_segment_blocks(), at
 * `levels`. The previous segment of `n_before` blocks lies right before it in
 * memory; n_before is 0 for a component's first segment. `start` has the states
 * of all contexts. Returns the cost of the n_blocks in 2^-15 bit, without the
 * bypass bins. An engine that works block by block does the same with
 * bdct_cabac_price(). */
BDCT_DEVICE_INLINE uint32_t
bdct_cabac_segment (const uint8_t start[BDCT_CABAC_CONTEXTS],
    const int16_t *levels, int n_before, int n_blocks, int log2_size,
    bool chroma)
{
  uint8_t state[BDCT_CABAC_CONTEXTS];
  uint32_t cost = 0, bypass = 0;

  for (int i = 0; i < BDCT_CABAC_CONTEXTS; i++)
    state[i] = start[i];
  for (int i = -n_before; i < n_blocks; i++) {
    const uint32_t price = bdct_cabac_price (state, 1, bdct_cabac_step,
        levels + i * ((ptrdiff_t) 1 << 2 * log2_size), log2_size, chroma,
        &bypass);

    if (i >= 0)
      cost += price;
  }
  return cost;
}

#ifdef __cplusplus
}
#endif
#endif
