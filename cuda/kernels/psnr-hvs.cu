/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M on the GPU, as in cpu/metrics/psnr-hvs.c: first a block of one
 * picture for each thread, then a block of both. */
#include "dct/base/min.h"
#include "dct/metrics/psnr-hvs.h"
#include "metric.cuh"

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

#include "dct/metrics/psnr-hvs-block.h"

namespace {

BDCT_FORCE_INLINE BdctMetricMap
count_map (const BdctMetricPlane &p)
{
  return bdct_metric_map (BDCT_METRIC_PSNR_HVS, p.width, p.height);
}

BDCT_INLINE void
read (const BdctMetricPlane &p, const BdctSamples &image, int x, int y,
    BlockLanes to)
{
  with_constants (p, [&] (auto bytes, auto step) {
    constexpr int kBytes = decltype (bytes)::value;
    constexpr int kApart = decltype (step)::value;
    const int peak = (1 << p.depth) - 1;
    const uint8_t *row = image.data + y * image.stride
        + (int64_t) x * (kBytes * kApart);

    BDCT_UNROLL for (int i = 0; i < 8; i++, row += image.stride) {
      BDCT_UNROLL for (int j = 0; j < 8; j++)
        to[8 * i + j] = bdct_sample_get (row, j * kApart, kBytes, p.shift,
            peak);
    }
  });
}

/* Blocks of one row: the metric's, or the map's, which are adjacent and end at
 * the border. */
template <bool kMap> struct Compare {
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = kThreads / 2;
  static constexpr int kStep = kMap ? 8 : BDCT_PSNR_HVS_STEP;
  struct Shared {
    Weights weights;
    int32_t frequency[2][64][kBlocks];
    float mask[2][kBlocks];
    unsigned long long sum[1][kThreads];
  };

  static BDCT_INLINE void
  analyse_all (const BdctMetricPlane &p, int first, int n, int row,
      Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      if (t < 64)
        set_weight (&shared.weights, p.component, t);
    });
    threads<kThreads> ([&] (int t) {
      const int picture = t / kBlocks, block = t % kBlocks;
      BlockLanes of;

      if (block >= n)
        return;
      read (p, picture == 0 ? p.src : p.rec,
          bdct_min (kStep * (first + block), p.width - 8),
          bdct_min (kStep * row, p.height - 8), of);
      shared.mask[picture][block] = analyse (of, &shared.weights);
      BDCT_UNROLL for (int i = 0; i < 64; i++)
        shared.frequency[picture][i][block] = of[i];
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int row, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int columns = kMap ? count_map (p).columns
        : bdct_psnr_hvs_columns (&p);
    const int first = bx * kBlocks, n = bdct_min (columns - first, kBlocks);

    if (n <= 0 || (!kMap && row >= bdct_psnr_hvs_rows (&p)))
      return;
    analyse_all (p, first, n, row, shared);
    threads<kThreads> ([&] (int t) {
      uint64_t error = 0;

      if (t < n)
        error = bdct_psnr_hvs_error (add_errors (&shared.frequency[0][0][t],
                &shared.frequency[1][0][t], kBlocks, shared.mask[0][t],
                shared.mask[1][t], &shared.weights), p.depth);
      if (kMap && t < n)
        ((uint32_t *) p.memory)[(int64_t) row * columns + first + t]
            = bdct_psnr_hvs_map (error, p.depth);
      shared.sum[0][t] = error;
    });
    if (kMap)
      return;
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      if (t == 0)
        atomicAdd ((unsigned long long *) p.memory + row, shared.sum[0][0]);
    });
  }
};

size_t
results (const BdctMetricPlane *p)
{
  return bdct_psnr_hvs_rows (p) * sizeof (uint64_t);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  const cudaError_t err = zero_results (planes, results, stream);

  return err != cudaSuccess ? err : launch<Compare<false>> (planes,
      most (planes, Compare<false>::kBlocks, [] (const BdctMetricPlane &p) {
        return bdct_psnr_hvs_columns (&p);
      }), most (planes, 1, [] (const BdctMetricPlane &p) {
        return bdct_psnr_hvs_rows (&p);
      }), stream);
}

} // namespace

} // namespace hvs

const BdctCudaMetric bdct_cuda_psnr_hvs = { hvs::results, no_scratch,
  hvs::launch_all };

cudaError_t
bdct_cuda_psnr_hvs_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream)
{
  const BdctMetricMap map = hvs::count_map (planes->plane[0].plane);

  return launch<hvs::Compare<true>> (planes,
      (map.columns + hvs::Compare<true>::kBlocks - 1)
      / hvs::Compare<true>::kBlocks, map.rows, stream);
}
