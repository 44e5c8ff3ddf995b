/* blockdct: the second stage of H.264's chroma, over the DCs of a macroblock.
 *
 * A thread has 8 x 8 samples, whose four 4 x 4 transforms are those of a
 * macroblock (4:2:0) or of half of one (4:2:2), with the other half 16 lanes
 * away. A transform's DC is the sum of its samples, so the second stage comes
 * first, and the transforms then take its result for their DCs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scalar.cuh"

namespace {

constexpr int kOtherHalf = 16;  /* lanes */

BDCT_INLINE int32_t
other_half (int32_t v)
{
  return __shfl_xor_sync (0xffffffff, v, kOtherHalf);
}

/* The Hadamard transform of dct/transform/hadamard.h, 2 x 2 or 2 x 4. */
BDCT_INLINE void
hadamard (int32_t (&x)[4], bool tall, bool lower)
{
  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    const int32_t sum = x[i] + x[2 + i], difference = x[i] - x[2 + i];

    x[i] = sum;
    x[2 + i] = difference;
    if (tall) {
      /* Rows 0 and 1 of the result come of the halves' sums, rows 2 and 3 of
       * their differences. */
      const int32_t got = other_half (lower ? sum : difference);

      x[i] = lower ? got - difference : sum + got;
      x[2 + i] = lower ? got + difference : sum - got;
    }
  }
  BDCT_UNROLL for (int i = 0; i < 4; i += 2) {
    const int32_t a = x[i], b = x[i + 1];

    x[i] = a + b;
    x[i + 1] = a - b;
  }
}

/* Add the samples of N words. */
template <typename Sample, int N> BDCT_INLINE int32_t
add_samples (const uint32_t (&word)[N])
{
  uint32_t sum = 0;

  BDCT_UNROLL for (int i = 0; i < N; i++)
    if (sizeof (Sample) == 1)
      sum = __dp4a (word[i], 0x01010101u, sum);
    else
      sum += word[i];         /* 8 samples of 12 bits do not reach the next */
  return (int32_t) (sizeof (Sample) == 1 ? sum : (sum & 0xffff) + (sum >> 16));
}

/* A macroblock, as far as a thread has it. */
struct Macroblock
{
  bool tall, lower;             /* it is 16 high; this is its lower half */
  bool inside;                  /* the macroblock begins in the picture */
  int number;
  const BdctJobDc *job;
  uint32_t nonzero;             /* levels of the thread's DCs */

  BDCT_INLINE
  Macroblock (const ComponentBlocks &blocks, const Window &w, int x, int y)
    : tall (blocks.tall), lower (tall && (y & 8))
  {
    inside = w.width > 0 && w.height + (lower ? 8 : 0) > 0;
    number = (y >> (3 + tall)) * blocks.columns + x / 8;
    job = &blocks.set (number, inside)->job.dc;
  }

  /* Find the four DCs of 8 rows of 8 samples, row by row, or with ALONE their
   * levels. */
  template <typename Sample, bool ALONE, typename Words> BDCT_INLINE void
  find_dcs (Words &dcs, Words &source, int32_t middle)
  {
    constexpr int words = 4 / kPerWord<Sample>; /* of a transform's row */
    const uint32_t quant = (uint32_t) __ldg (&job->quant);
    const uint32_t quant_add = (uint32_t) __ldg (&job->quant_add);
    const int32_t quant_bits = __ldg (&job->quant_bits);
    const int32_t dequant = __ldg (&job->dequant);
    const int32_t dequant_add = __ldg (&job->dequant_add);
    const int32_t dequant_bits = __ldg (&job->dequant_bits);
    int32_t dc[4];

    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      uint32_t word[4 * words];

      BDCT_UNROLL for (int i = 0; i < 4 * words; i++)
        word[i] = source[(k / 2 * 4 + i / words) * 2 * words + k % 2 * words
            + i % words];
      dc[k] = add_samples<Sample> (word) - 16 * middle;
    }
    hadamard (dc, tall, lower);
    nonzero = 0;
    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      const int32_t magnitude = (int32_t)
          (((uint32_t) abs (dc[k]) * quant + quant_add) >> quant_bits);

      nonzero += is_nonzero (magnitude);
      dc[k] = dc[k] < 0 ? -magnitude : magnitude;
    }
    if (!ALONE)
      hadamard (dc, tall, lower);
    BDCT_UNROLL for (int k = 0; k < 4; k++)
      dcs[k] = (uint32_t) (ALONE ? dc[k]
          : (dc[k] * dequant + dequant_add) >> dequant_bits);
  }

  /* The number of the thread's k-th transform among the component's. */
  BDCT_INLINE size_t
  part (int k) const
  {
    return ((size_t) number << (2 + tall)) + (lower ? 4 : 0) + k;
  }

  /* Write the record from a thread's nonzero << 48 | sse. */
  BDCT_INLINE void
  put (const ComponentBlocks &blocks, unsigned long long sum) const
  {
    if (blocks.records == nullptr)
      return;
    if (tall)
      sum += __shfl_xor_sync (0xffffffff, sum, kOtherHalf);
    if (inside && !lower)
      blocks.put (number, sum & ((1ull << 48) - 1), (uint32_t) (sum >> 48));
  }
};

/* Make a window below the picture one of the last row. */
BDCT_INLINE Window
with_rows (Window w)
{
  w.height = max (w.height, 1);
  return w;
}

} // namespace
