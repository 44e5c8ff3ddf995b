/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M on the GPU, as in cpu/metrics/psnr-hvs.c: first a block of one
 * picture for each thread, and half of its frequencies; then the sum of all
 * squares (psnr-hvs-sum.cuh). Squares of 0 add nothing, and are left out. */
#include "dct/base/min.h"
#include "psnr-hvs-sum.cuh"

namespace hvs {

typedef int32_t Ints;
typedef float Floats;

BDCT_DEVICE_INLINE Floats
choose (bool where, Floats a, Floats b)
{
  return where ? a : b;
}

BDCT_DEVICE_INLINE Floats
to_floats (Ints v)
{
  return (Floats) v;
}

BDCT_DEVICE_INLINE Floats
get_roots (Floats v)
{
  return sqrtf (v);
}

/* For every divisor of this metric this is what division rounds to: it has been
 * tried with all values of a, of which only the fraction matters. */
BDCT_DEVICE_INLINE Floats
divide (Floats a, float b, float inverse)
{
  const float quotient = a * inverse;

  return fmaf (fmaf (-b, quotient, a), inverse, quotient);
}

#include "dct/metrics/psnr-hvs-block.h"

namespace {

BDCT_FORCE_INLINE BdctMetricMap
count_map (const BdctMetricPlane &p)
{
  return bdct_metric_map (BDCT_METRIC_PSNR_HVS, p.width, p.height);
}

BDCT_INLINE void
read (const BdctMetricPlane &p, const BdctSamples &image, int x, int y,
    Blocks to)
{
  with_constants (p, [&] (auto bytes, auto step) {
    constexpr int kBytes = decltype (bytes)::value;
    constexpr int kApart = decltype (step)::value;
    const int peak = (1 << p.depth) - 1;
    const uint8_t *row = image.data + y * image.stride
        + (int64_t) x * (kBytes * kApart);

    BDCT_UNROLL
    for (int i = 0; i < 8; i++, row += image.stride) {
      BDCT_UNROLL
      for (int j = 0; j < 8; j++)
        to[8 * i + j] = bdct_sample_get (row, j * kApart, kBytes, p.shift,
            peak);
    }
  });
}

/* Blocks of both pictures, one for each thread. */
struct Pairs {
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = kThreads / 2;
  struct Shared {
    Weights weights;
    int32_t frequency[64][kThreads];
    float mask[2][kBlocks];
  };

  /* Where a picture's block has a frequency: threads that read both halves of
   * blocks find them in different banks. */
  static BDCT_INLINE int
  place (int i, int picture, int block)
  {
    return picture * kBlocks + (block ^ (i / kHalf * 16));
  }

  /* Analyse n blocks; get_place (block, &x, &y) says where they are. */
  template <typename F> static BDCT_INLINE void
  analyse_all (const BdctMetricPlane &p, int n, Shared &shared, F get_place)
  {
    threads<kThreads> ([&] (int t) {
      if (t < 64)
        set_weight (&shared.weights, p.component, t);
    });
    threads<kThreads> ([&] (int t) {
      const int picture = t / kBlocks, block = t % kBlocks;
      Blocks of;
      int x, y;

      if (block >= n)
        return;
      get_place (block, &x, &y);
      read (p, picture == 0 ? p.src : p.rec, x, y, of);
      shared.mask[picture][block] = analyse (of, &shared.weights);
      BDCT_UNROLL
      for (int i = 0; i < 64; i++)
        shared.frequency[i][place (i, picture, block)] = of[i];
    });
  }

  static BDCT_INLINE float
  get_mask (const Shared &shared, int block)
  {
    return join_masks (shared.mask[0][block], shared.mask[1][block]);
  }

  static BDCT_INLINE float
  get_square_at (const Shared &shared, int block, float mask, int i)
  {
    return get_square (shared.frequency[i][place (i, 0, block)],
        shared.frequency[i][place (i, 1, block)], mask, &shared.weights, i);
  }
};

/* The squares of all blocks. */
struct Halves {
  static constexpr int kThreads = Pairs::kThreads;
  static constexpr int kBlocks = Pairs::kBlocks;
  struct Shared {
    Pairs::Shared pairs;
    float sum[kThreads];
  };

  /* Thread t has half t of the thread block. */
  static BDCT_INLINE void
  compare_halves (const BdctCudaMetricPlane &to, int first, Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int block = t / 2, from = t % 2 * kHalf, half = 2 * first + t;
      float *squares = get_half (to, half), sum = 0;
      int n = 0;

      shared.sum[t] = 0;
      if (half >= count_halves (to.plane))
        return;
      const float mask = Pairs::get_mask (shared.pairs, block);

      BDCT_UNROLL
      for (int i = 0; i < kHalf; i++) {
        const float square = Pairs::get_square_at (shared.pairs, block, mask,
            from + i);

        if (square > 0)
          squares[n++ * kRun] = square;
        sum += square;
      }
      get_counts (to)[half] = (uint8_t) n;
      shared.sum[t] = sum;
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;

    if (bx * kBlocks >= count_blocks (p))
      return;
    const int first = bx * kBlocks, columns = count_columns (p);

    Pairs::analyse_all (p, count_blocks (p) - first, shared.pairs,
        [&] (int block, int *x, int *y) {
      *x = (first + block) % columns * kStep;
      *y = (first + block) / columns * kStep;
    });
    compare_halves (to, first, shared);
    for (int step = 1; step < kRun; step *= 2)
      threads<kThreads> ([&] (int t) {
        if (t % (2 * step) == 0)
          shared.sum[t] += shared.sum[t + step];
      });
    threads<kThreads> ([&] (int t) {
      const int run = bx * (kThreads / kRun) + t / kRun;

      if (t % kRun == 0 && run < count_runs (p))
        get_before (to)[run + 1] = shared.sum[t];
    });
  }
};

/* The map's blocks, which are adjacent. */
struct Map {
  static constexpr int kThreads = Pairs::kThreads;
  static constexpr int kBlocks = Pairs::kBlocks;
  using Shared = Pairs::Shared;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int columns = count_map (p).columns, first = bx * kBlocks;

    Pairs::analyse_all (p, columns - first, shared,
        [&] (int block, int *x, int *y) {
      *x = bdct_min (8 * (first + block), p.width - 8);
      *y = bdct_min (8 * by, p.height - 8);
    });
    threads<kThreads> ([&] (int t) {
      float sum = 0;

      if (t >= kBlocks || first + t >= columns)
        return;
      const float mask = Pairs::get_mask (shared, t);
      BDCT_UNROLL
      for (int i = 0; i < 64; i++)
        sum += Pairs::get_square_at (shared, t, mask, i);
      ((uint32_t *) p.memory)[(int64_t) by * columns + first + t]
          = bdct_psnr_hvs_map (sum);
    });
  }
};

size_t
results (const BdctMetricPlane *)
{
  return sizeof (float);
}

size_t
scratch (const BdctMetricPlane *p)
{
  return count_runs (*p) * (sizeof (double) + sizeof (Guess)
      + kRun * (sizeof (uint8_t) + kHalf * sizeof (float))) + sizeof (double);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  cudaError_t err = launch<Halves> (planes, most (planes, Halves::kThreads,
          count_halves), 1, stream);

  if (err == cudaSuccess)
    err = launch<Before> (planes, 1, 1, stream);
  if (err == cudaSuccess)
    err = launch<Guesses> (planes, most (planes, Guesses::kThreads / kRun,
            count_runs), 1, stream);
  return err != cudaSuccess ? err : launch<Walk> (planes, 1, 1, stream);
}

} // namespace

} // namespace hvs

const BdctCudaMetric bdct_cuda_psnr_hvs = { hvs::results, hvs::scratch,
  hvs::launch_all };

cudaError_t
bdct_cuda_psnr_hvs_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream)
{
  const BdctMetricMap map = hvs::count_map (planes->plane[0].plane);

  return launch<hvs::Map> (planes, (map.columns + hvs::Map::kBlocks - 1)
      / hvs::Map::kBlocks, map.rows, stream);
}
