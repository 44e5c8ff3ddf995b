/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-B on the GPU, as in cpu/metrics/psnr-b.c: a thread goes down a column of
 * a strip. */
#include "dct/metrics/psnr-b.h"
#include "metric.cuh"

namespace psnr_b {

namespace {

BDCT_FORCE_INLINE int
count_strips (const BdctMetricPlane &p)
{
  return (p.height + BDCT_PSNR_B_STRIP - 1) / BDCT_PSNR_B_STRIP;
}

BDCT_FORCE_INLINE int
count_columns (const BdctMetricPlane &p)
{
  return p.width;
}

struct Strips {
  static constexpr int kThreads = 128;
  struct Shared {
    unsigned long long sum[3][kThreads];
  };

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int side_x = 1 << p.log2_block[0], side_y = 1 << p.log2_block[1];
    const int first = by * BDCT_PSNR_B_STRIP;
    const int end = first + BDCT_PSNR_B_STRIP;

    if (bx * kThreads >= p.width || first >= p.height)
      return;
    threads<kThreads> ([&] (int t) {
      const int x = bx * kThreads + t;
      const bool border = (x + 1) % side_x == 0, last = x + 1 == p.width;
      unsigned long long error = 0, on = 0, off = 0;
      const uint8_t *rec = p.rec.data + first * p.rec.stride;

      if (x < p.width) {
        int here = sample_at (p, rec, x);

        for (int y = first; y < end && y < p.height; y++) {
          const uint8_t *src = p.src.data + y * p.src.stride;
          const int e = sample_at (p, src, x) - here;
          const int across = last ? 0 : sample_at (p, rec, x + 1) - here;
          int down = 0;

          rec += p.rec.stride;
          if (y + 1 < p.height) {
            const int below = sample_at (p, rec, x);

            down = below - here;
            here = below;
          }
          error += e * e;
          (border ? on : off) += across * across;
          ((y + 1) % side_y == 0 ? on : off) += down * down;
        }
      }
      shared.sum[0][t] = error;
      shared.sum[1][t] = on;
      shared.sum[2][t] = off;
    });
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      BdctPsnrBSums *sums = (BdctPsnrBSums *) p.memory + by;

      if (t == 0) {
        atomicAdd ((unsigned long long *) &sums->error, shared.sum[0][0]);
        atomicAdd ((unsigned long long *) &sums->border, shared.sum[1][0]);
        atomicAdd ((unsigned long long *) &sums->inside, shared.sum[2][0]);
      }
    });
  }
};

size_t
results (const BdctMetricPlane *p)
{
  return count_strips (*p) * sizeof (BdctPsnrBSums);
}

size_t
scratch (const BdctMetricPlane *)
{
  return 0;
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  const cudaError_t err = zero_results (planes, results, stream);

  return err != cudaSuccess ? err : launch<Strips> (planes, most (planes,
          Strips::kThreads, count_columns), most (planes, 1, count_strips),
      stream);
}

} // namespace

} // namespace psnr_b

const BdctCudaMetric bdct_cuda_psnr_b = { psnr_b::results, psnr_b::scratch,
  psnr_b::launch_all };
