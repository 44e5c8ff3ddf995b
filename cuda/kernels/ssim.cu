/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SSIM on the GPU, as in cpu/metrics/ssim.c: first each window's SSIM, then the
 * sums of rows. One thread adds a row, as at more than 8 bits it is added in
 * single precision from left to right. */
#include "dct/metrics/ssim.h"
#include "metric.cuh"

namespace ssim {

namespace {

/* Rows of windows that a thread processes one after another. */
constexpr int kStrip = 4;

/* Windows that are loaded before they are added. */
constexpr int kAhead = 16;

struct Sums {
  int32_t src, rec, squares, products;
};

BDCT_FORCE_INLINE int
count_rows (const BdctMetricPlane &p)
{
  return (p.height >> 2) - 1;
}

BDCT_FORCE_INLINE int
count_columns (const BdctMetricPlane &p)
{
  return (p.width >> 2) - 1;
}

/* Half a window: 8 x 4 samples. */
BDCT_INLINE Sums
add_half (const BdctMetricPlane &p, int column, int row)
{
  Sums sums = { 0, 0, 0, 0 };

  for (int y = 4 * row; y < 4 * row + 4; y++) {
    const uint8_t *src = p.src.data + y * p.src.stride;
    const uint8_t *rec = p.rec.data + y * p.rec.stride;

    BDCT_UNROLL for (int i = 0; i < 8; i++) {
      const int s = sample_at (p, src, 4 * column + i);
      const int r = sample_at (p, rec, 4 * column + i);

      sums.src += s;
      sums.rec += r;
      sums.squares += s * s + r * r;
      sums.products += s * r;
    }
  }
  return sums;
}

/* Store windows in the scratch memory: at 8 bits in units of 2^-30, else as
 * floats. */
struct ToScratch {
  template <typename Window> static BDCT_INLINE void
  put (const BdctCudaMetricPlane &to, int x, int y, Window v)
  {
    ((Window *) to.scratch)[(int64_t) x * count_rows (to.plane) + y] = v;
  }
};

struct ToMap {
  static BDCT_INLINE void
  put (const BdctCudaMetricPlane &to, int x, int y, int32_t v)
  {
    ((uint32_t *) to.plane.memory)[(int64_t) y * count_columns (to.plane) + x]
        = bdct_ssim_map (v);
  }

  static BDCT_INLINE void
  put (const BdctCudaMetricPlane &to, int x, int y, float v)
  {
    put (to, x, y, (int32_t) (v * 1073741824.0f));
  }
};

template <typename To> struct Windows {
  static constexpr int kThreads = 128;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &)
  {
    const BdctMetricPlane &p = to.plane;
    const int rows = count_rows (p), peak = (1 << p.depth) - 1;

    threads<kThreads> ([&] (int t) {
      const int x = bx * kThreads + t, end = (by + 1) * kStrip;

      if (x >= count_columns (p) || by * kStrip >= rows)
        return;
      Sums above = add_half (p, x, by * kStrip);
      for (int y = by * kStrip; y < end && y < rows; y++) {
        const Sums below = add_half (p, x, y + 1);
        const int32_t a = above.src + below.src, b = above.rec + below.rec;
        const int32_t squares = above.squares + below.squares;
        const int32_t products = above.products + below.products;

        if (p.depth == 8)
          To::put (to, x, y, bdct_ssim_window_8 (a, b, squares, products));
        else
          To::put (to, x, y, bdct_ssim_window_16 (a, b, squares, products,
                  peak));
        above = below;
      }
    });
  }
};

/* The sum of a row of windows, in the order of its columns. */
template <typename Sum, typename Window> BDCT_INLINE Sum
add_row (const Window *window, int columns, int rows)
{
  Sum sum = 0;

  for (int x = 0; x < columns; x += kAhead) {
    Window ahead[kAhead];

    BDCT_UNROLL for (int i = 0; i < kAhead; i++)
      ahead[i] = x + i < columns ? window[(int64_t) (x + i) * rows] : 0;
    BDCT_UNROLL for (int i = 0; i < kAhead; i++)
      if (x + i < columns)
        sum += ahead[i];
  }
  return sum;
}

struct Rows {
  static constexpr int kThreads = 32;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int, Shared &)
  {
    const BdctMetricPlane &p = to.plane;
    const int rows = count_rows (p), columns = count_columns (p);

    threads<kThreads> ([&] (int t) {
      const int y = bx * kThreads + t;

      if (y < rows)
        ((double *) p.memory)[y] = p.depth == 8
            ? add_row<int64_t> ((const int32_t *) to.scratch + y, columns, rows)
            * 9.31322574615478515625e-10
            : add_row<float> ((const float *) to.scratch + y, columns, rows);
    });
  }
};

size_t
results (const BdctMetricPlane *p)
{
  return count_rows (*p) * sizeof (double);
}

size_t
scratch (const BdctMetricPlane *p)
{
  return (size_t) count_rows (*p) * count_columns (*p) * sizeof (int32_t);
}

template <typename To> cudaError_t
launch_windows (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  return launch<Windows<To>> (planes, most (planes, Windows<To>::kThreads,
          count_columns), most (planes, kStrip, count_rows), stream);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  const cudaError_t err = launch_windows<ToScratch> (planes, stream);

  return err != cudaSuccess ? err : launch<Rows> (planes, most (planes,
          Rows::kThreads, count_rows), 1, stream);
}

} // namespace

} // namespace ssim

const BdctCudaMetric bdct_cuda_ssim = { ssim::results, ssim::scratch,
  ssim::launch_all };

cudaError_t
bdct_cuda_ssim_map (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  return ssim::launch_windows<ssim::ToMap> (planes, stream);
}
