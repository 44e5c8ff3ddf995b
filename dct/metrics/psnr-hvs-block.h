/* blockdct: PSNR-HVS-M of one block (cpu/metrics/psnr-hvs.c), or of several
 * blocks side by side. The includer defines Ints and Floats, vectors with one
 * number for each block, and for them choose(), to_floats() and get_roots().
 *
 * Every operation is in single precision and in the order written here, so that
 * a block has the same sum on every processor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_METRIC_PSNR_HVS_BLOCK_H
#define BDCT_METRIC_PSNR_HVS_BLOCK_H

#include "dct/base/compiler.h"

/* Samples or frequencies of blocks, row-major. */
typedef Ints BlockLanes[64];

/* The visibility of each frequency in Y, U and V, from xiph's daala. The tables
 * are symmetric: these are their rows from the diagonal on. */
BDCT_DEVICE_TABLE double visible[BDCT_MAX_COMPONENTS][36] = {
  {1.6193873005, 2.2901594831, 2.08509755623, 1.48366094411, 1.00227514334,
      0.678296995242, 0.466224900598, 0.3265091542, 1.94321815382,
      2.04793073064, 1.68731108984, 1.2305666963, 0.868920337363,
      0.61280991668, 0.436405793551, 1.34329019223, 1.09205635862,
      0.875748795257, 0.670882927016, 0.501731932449, 0.372504254596,
      0.772819797575, 0.605636379554, 0.48309405692, 0.380429446972,
      0.295774038565, 0.448996256676, 0.352889268808, 0.283006984131,
      0.226951348204, 0.27032073436, 0.215017739696, 0.17408067321,
      0.168869545842, 0.136153931001, 0.109083846276},
  {1.91113096927, 2.46074210438, 1.18284184739, 1.14982565193, 1.05017074788,
      0.898018824055, 0.74725392039, 0.615105596242, 1.58529308355,
      1.21363250036, 1.38190029285, 1.33100189972, 1.17428548929,
      0.996404342439, 0.830890433625, 0.978712413627, 1.02624506078,
      1.03145147362, 0.960060382087, 0.849823426169, 0.731221236837,
      0.861317501629, 0.801821139099, 0.751437590932, 0.685398513368,
      0.608694761374, 0.676555426187, 0.605503172737, 0.55002013668,
      0.495804539034, 0.514674450957, 0.454353482512, 0.407050308965,
      0.389234902883, 0.342353999733, 0.295530605237},
  {2.03871978502, 2.62502345193, 1.26180942886, 1.11019789803, 1.01397751469,
      0.867069376285, 0.721500455585, 0.593906509971, 1.69112867013,
      1.17180569821, 1.3342742857, 1.28513006198, 1.13381474809,
      0.962064122248, 0.802254508198, 0.944981930573, 0.990876405848,
      0.995903384143, 0.926972725286, 0.820534991409, 0.706020324706,
      0.831632933426, 0.77418706195, 0.725539939514, 0.661776842059,
      0.587716619023, 0.653238524286, 0.584635025748, 0.531064164893,
      0.478717061273, 0.496936637883, 0.438694579826, 0.393021669543,
      0.375820256136, 0.330555063063, 0.285345396658},
};

/* By frequency, row-major: weights, the factors for masking, and their
 * inverses; that of the mean is 0, as nothing masks it. */
typedef struct {
  float weight[64], mask[64], inverse[64];
} Weights;

BDCT_DEVICE_INLINE void
set_weight (Weights *weights, int component, int i)
{
  const int row = i >> 3 < (i & 7) ? i >> 3 : i & 7;
  const int column = (i >> 3) + (i & 7) - row;
  const float weight = (float) visible[component]
      [row * (15 - row) / 2 + column];
  const double of_mask = weight * 0.3885746225901003;

  weights->weight[i] = weight;
  weights->mask[i] = (float) (of_mask * of_mask);
  weights->inverse[i] = i == 0 ? 0 : 1 / weights->mask[i];
}

/* x / 2, towards 0. */
#define HALF(x) (((x) - ((x) >> 31)) >> 1)

/* x k / 2^bits, rounded. */
#define SCALE(x, k, bits) (((x) * (k) + (1 << (bits) >> 1)) >> (bits))

/* daala's transform of 8 samples, which are `step` apart, in lifting steps; the
 * frequencies are `to_step` apart. */
BDCT_FORCE_INLINE void
transform (const Ints * x, int step, Ints * to, int to_step)
{
  /* Halved sums of samples that mirror each other, and their differences. */
  Ints d07 = x[0] - x[7 * step], d25 = x[2 * step] - x[5 * step];
  Ints s16 = x[step] + x[6 * step], s34 = x[3 * step] + x[4 * step];
  const Ints h07 = HALF (d07), h16 = HALF (s16), h34 = HALF (s34);
  Ints d16 = x[6 * step] - h16, d34 = h34 - x[4 * step];
  Ints f0 = x[0] - h07 + h34, f6 = f0 - s34;
  Ints f2 = h16 - (x[2 * step] - HALF (d25)), f4 = f2 - s16;

  /* Even frequencies. */
  f0 -= SCALE (f4, 13573, 15);
  f4 += SCALE (f0, 11585, 14);
  f0 -= SCALE (f4, 13573, 15);
  f6 -= SCALE (f2, 21895, 15);
  f2 += SCALE (f6, 15137, 14);
  f6 -= SCALE (f2, 21895, 15);
  /* Odd frequencies. */
  d25 += SCALE (d16, 19195, 15);
  d16 += SCALE (d25, 11585, 14);
  d25 -= SCALE (d16, 7489, 13);
  d34 = HALF (d16) - d34;
  d16 -= d34;
  d25 = h07 - d25;
  d07 -= d25;
  d34 += SCALE (d07, 3227, 15);
  d07 -= SCALE (d34, 6393, 15);
  d34 += SCALE (d07, 3227, 15);
  d16 += SCALE (d25, 2485, 13);
  d25 -= SCALE (d16, 18205, 15);
  d16 += SCALE (d25, 2485, 13);
  to[0] = f0;
  to[to_step] = d07;
  to[2 * to_step] = f2;
  to[3 * to_step] = d25;
  to[4 * to_step] = f4;
  to[5 * to_step] = d16;
  to[6 * to_step] = f6;
  to[7 * to_step] = d34;
}

/* Columns first. As in daala, frequencies are transposed twice. */
BDCT_DEVICE_INLINE void
transform_blocks (BlockLanes blocks)
{
  BlockLanes between;

  BDCT_DEVICE_UNROLL
  for (int i = 0; i < 8; i++)
    transform (blocks + i, 8, between + 8 * i, 1);
  BDCT_DEVICE_UNROLL
  for (int i = 0; i < 8; i++)
    transform (between + i, 8, blocks + 8 * i, 1);
}

/* The sum of a quarter's samples. */
BDCT_DEVICE_INLINE Ints
add_quarter (const BlockLanes blocks, int first)
{
  Ints sum = { 0 };

  BDCT_DEVICE_UNROLL
  for (int i = 0; i < 4; i++)
    BDCT_DEVICE_UNROLL
    for (int j = 0; j < 4; j++)
      sum += blocks[first + 8 * i + j];
  return sum;
}

/* The sum of squared differences from the mean, of 16 or 64 samples. */
BDCT_DEVICE_INLINE Floats
add_squares (const BlockLanes blocks, int first, int side, Floats mean)
{
  Floats sum = { 0 };

  BDCT_DEVICE_UNROLL
  for (int i = 0; i < side; i++)
    BDCT_DEVICE_UNROLL
    for (int j = 0; j < side; j++) {
      const Floats d = to_floats (blocks[first + 8 * i + j]) - mean;

      sum += d * d;
    }
  return sum;
}

/* The ratio of the variances of a block's quarters to the block's. */
BDCT_DEVICE_INLINE Floats
get_ratio (const BlockLanes blocks)
{
  const Floats none = { 0 };
  Floats whole, parts = none;
  Ints sum = { 0 };

  /* In the reference's order of addition: top left, bottom left, ... */
  BDCT_DEVICE_UNROLL
  for (int i = 0; i < 4; i++) {
    const int first = (i & 1) * 32 + (i >> 1) * 4;
    const Ints quarter = add_quarter (blocks, first);

    parts += add_squares (blocks, first, 4, to_floats (quarter) / 16.f)
        * (1 / 15.f * 16);
    sum += quarter;
  }
  whole = add_squares (blocks, 0, 8, to_floats (sum) / 64.f)
      * (1 / 63.f * 64);
  return parts / choose (whole > 0, whole, none + 1);
}

/* The difference that the contrast of a block's frequencies masks. */
BDCT_DEVICE_INLINE Floats
get_mask (const BlockLanes blocks, Floats ratio, const Weights * weights)
{
  Floats sum = { 0 };

  BDCT_DEVICE_UNROLL
  for (int i = 1; i < 64; i++)
    sum += to_floats (blocks[i] * blocks[i]) * weights->mask[i];
  return get_roots (sum * ratio) / 32.f;
}

/* Replace a block's samples by its frequencies. Returns its mask. */
BDCT_DEVICE_INLINE Floats
analyse (BlockLanes blocks, const Weights * weights)
{
  const Floats ratio = get_ratio (blocks);

  transform_blocks (blocks);
  return get_mask (blocks, ratio, weights);
}

/* The sum of a block's squared errors, as far as the larger of both masks lets
 * them be seen. The frequencies are `step` apart. */
BDCT_DEVICE_INLINE Floats
add_errors (const Ints *src, const Ints *rec, int step, Floats mask_src,
    Floats mask_rec, const Weights *weights)
{
  const Floats none = { 0 };
  const Floats mask = choose (mask_rec > mask_src, mask_rec, mask_src);
  Floats sum = none;

  BDCT_DEVICE_UNROLL
  for (int i = 0; i < 64; i++) {
    const Ints d = src[i * step] - rec[i * step];
    const Floats error = to_floats ((d ^ d >> 31) - (d >> 31))
        - mask * weights->inverse[i];
    const Floats seen = choose (error > 0, error, none) * weights->weight[i];

    sum += seen * seen;
  }
  return sum;
}

#endif
