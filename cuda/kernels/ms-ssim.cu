/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MS-SSIM on the GPU, as in cpu/metrics/ms-ssim.c. A thread block has a tile of
 * a scale and the samples around it; it filters rows first, then columns.
 * Products are in single precision, their sums in double. */
#include "dct/metrics/ms-ssim.h"
#include "metric.cuh"

namespace ms_ssim {

namespace {

constexpr int kScales = BDCT_MS_SSIM_SCALES;
constexpr int kWindow = BDCT_MS_SSIM_WINDOW;
constexpr int kFilter = BDCT_MS_SSIM_FILTER;
constexpr int kSide = BDCT_MS_SSIM_SIDE;
constexpr int kKinds = BDCT_MS_SSIM_KINDS;

BDCT_FORCE_INLINE int
get_width (const BdctMetricPlane &p, int scale)
{
  return bdct_ms_ssim_side (p.width, scale);
}

BDCT_FORCE_INLINE int
get_height (const BdctMetricPlane &p, int scale)
{
  return bdct_ms_ssim_side (p.height, scale);
}

BDCT_FORCE_INLINE int
count_strips (const BdctMetricPlane &p, int scale)
{
  return (get_height (p, scale) - kWindow + BDCT_MS_SSIM_STRIP)
      / BDCT_MS_SSIM_STRIP;
}

/* The number of a scale's first strip. */
BDCT_FORCE_INLINE int
get_first_strip (const BdctMetricPlane &p, int scale)
{
  int strip = 0;

  for (int s = 0; s < scale; s++)
    strip += count_strips (p, s);
  return strip;
}

/* The offset of a picture of a scale in the scratch memory, which has all
 * scales but the first, each with both pictures. */
BDCT_FORCE_INLINE int64_t
get_picture (const BdctMetricPlane &p, int scale, int which)
{
  int64_t at = which * (int64_t) get_width (p, scale) * get_height (p, scale);

  for (int s = 1; s < scale; s++)
    at += 2 * (int64_t) get_width (p, s) * get_height (p, s);
  return at;
}

/* A sample of a scale. The first scale reads the frame, scaled to 8 bits. */
template <bool kFirst> BDCT_INLINE float
get_sample (const BdctCudaMetricPlane &to, const float *picture, int width,
    int which, int x, int y)
{
  const BdctMetricPlane &p = to.plane;
  const BdctSamples &image = which == 0 ? p.src : p.rec;

  if (!kFirst)
    return picture[(int64_t) y * width + x];
  return sample_at (p, image.data + y * image.stride, x)
      * (1.0f / (1 << (p.depth - 8)));
}

/* A number times 2^-896 in double precision: its bits, moved to where a double
 * has them. This is faster than a conversion, and sums of such numbers round
 * like sums of the numbers. Only the filter makes samples below 0. */
template <bool kFirst> BDCT_INLINE double
widen (float v)
{
  uint32_t bits, high;
  uint64_t wide;
  double d;

  memcpy (&bits, &v, sizeof bits);
  high = kFirst ? bits >> 3 : (uint32_t) ((int32_t) bits >> 3) & 0x8fffffff;
  wide = (uint64_t) high << 32 | bits << 29;
  memcpy (&d, &wide, sizeof d);
  return d;
}

/* Such a sum, in single precision. */
BDCT_INLINE float
narrow (double sum)
{
  return (float) (sum * 5.2829453113566525e+269);       /* 2^896 */
}

template <bool kFirst> struct Compare {
  static constexpr int kThreads = 256;
  static constexpr int kWide = 32, kHigh = 32;  /* of a tile, which is in one
                                                   strip */
  static constexpr int kWideIn = kWide + kWindow - 1;
  static constexpr int kHighIn = kHigh + kWindow - 1;
  struct Shared {
    union {
      float in[2][kHighIn][kWideIn];
      unsigned long long sum[3][kThreads];
    };
    float means[kKinds][kHighIn][kWide];
  };

  static BDCT_INLINE void
  read (const BdctCudaMetricPlane &to, int scale, int left, int top,
      Shared &shared)
  {
    const int width = get_width (to.plane, scale);
    const int height = get_height (to.plane, scale);
    const float *src = (float *) to.scratch
        + get_picture (to.plane, scale, 0);
    const float *rec = (float *) to.scratch
        + get_picture (to.plane, scale, 1);

    threads<kThreads> ([&] (int t) {
      for (int i = t; i < kHighIn * kWideIn; i += kThreads) {
        const int x = left + i % kWideIn, y = top + i / kWideIn;
        const bool inside = x < width && y < height;

        shared.in[0][i / kWideIn][i % kWideIn] = inside
            ? get_sample<kFirst> (to, src, width, 0, x, y) : 0;
        shared.in[1][i / kWideIn][i % kWideIn] = inside
            ? get_sample<kFirst> (to, rec, width, 1, x, y) : 0;
      }
    });
  }

  static BDCT_INLINE void
  weight_rows (Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int x = t % kWide;

      for (int y = t / kWide; y < kHighIn; y += kThreads / kWide) {
        double sum[kKinds] = { 0, 0, 0, 0, 0 };

        BDCT_UNROLL
        for (int u = 0; u < kWindow; u++) {
          const float a = shared.in[0][y][x + u], b = shared.in[1][y][x + u];
          const float weight = bdct_ms_ssim_window[u];

          sum[BDCT_MS_SSIM_SRC] += widen<kFirst> (a * weight);
          sum[BDCT_MS_SSIM_REC] += widen<kFirst> (b * weight);
          sum[BDCT_MS_SSIM_SRC_SRC] += widen<kFirst> (a * a * weight);
          sum[BDCT_MS_SSIM_REC_REC] += widen<kFirst> (b * b * weight);
          sum[BDCT_MS_SSIM_SRC_REC] += widen<kFirst> (a * b * weight);
        }
        BDCT_UNROLL
        for (int k = 0; k < kKinds; k++)
          shared.means[k][y][x] = narrow (sum[k]);
      }
    });
  }

  static BDCT_INLINE void
  weight_columns (int width, int height, Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int x = t % kWide;
      int64_t l = 0, c = 0, s = 0;

      for (int y = t / kWide; y < height; y += kThreads / kWide) {
        float means[kKinds];

        if (x >= width)
          break;
        BDCT_UNROLL
        for (int k = 0; k < kKinds; k++) {
          double sum = 0;

          BDCT_UNROLL
          for (int v = 0; v < kWindow; v++)
            sum += widen<kFirst> (shared.means[k][y + v][x]
                * bdct_ms_ssim_window[v]);
          means[k] = narrow (sum);
        }
        bdct_ms_ssim_compare (means[BDCT_MS_SSIM_SRC], means[BDCT_MS_SSIM_REC],
            means[BDCT_MS_SSIM_SRC_SRC], means[BDCT_MS_SSIM_REC_REC],
            means[BDCT_MS_SSIM_SRC_REC], &l, &c, &s);
      }
      shared.sum[0][t] = (unsigned long long) l;
      shared.sum[1][t] = (unsigned long long) c;
      shared.sum[2][t] = (unsigned long long) s;
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared,
      int scale)
  {
    const BdctMetricPlane &p = to.plane;
    const int width = get_width (p, scale) - kWindow + 1 - bx * kWide;
    const int height = get_height (p, scale) - kWindow + 1 - by * kHigh;
    BdctMsSsimSums *sums = (BdctMsSsimSums *) p.memory
        + get_first_strip (p, scale) + by * kHigh / BDCT_MS_SSIM_STRIP;

    if (width <= 0 || height <= 0)
      return;
    read (to, scale, bx * kWide, by * kHigh, shared);
    weight_rows (shared);
    weight_columns (width, height < kHigh ? height : kHigh, shared);
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      if (t < 3)
        atomicAdd ((unsigned long long *) &sums->sum[t], shared.sum[t][0]);
    });
  }
};

/* Compute the next scale. Alternate rows of tiles are of the two pictures. */
template <bool kFirst> struct Halve {
  static constexpr int kThreads = 256;
  static constexpr int kWide = 32, kHigh = 16;
  static constexpr int kWideIn = 2 * kWide + kFilter - 2;
  static constexpr int kHighIn = 2 * kHigh + kFilter - 2;
  struct Shared {
    float in[kHighIn][kWideIn];
  };

  static BDCT_INLINE int
  mirror (int at, int side)
  {
    const int inside = bdct_ms_ssim_mirror (at, side);

    /* Any position does for samples that are not needed. */
    return inside < 0 ? 0 : inside;
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared,
      int scale)
  {
    const BdctMetricPlane &p = to.plane;
    const int width = get_width (p, scale), height = get_height (p, scale);
    const int new_width = get_width (p, scale + 1);
    const int new_height = get_height (p, scale + 1);
    const int left = bx * kWide, top = by / 2 * kHigh, which = by % 2;
    float *scratch = (float *) to.scratch;
    const float *from = scratch + get_picture (p, scale, which);
    float *into = scratch + get_picture (p, scale + 1, which);

    if (left >= new_width || top >= new_height)
      return;
    threads<kThreads> ([&] (int t) {
      for (int i = t; i < kHighIn * kWideIn; i += kThreads) {
        const int x = mirror (2 * left - kSide + i % kWideIn, width);
        const int y = mirror (2 * top - kSide + i / kWideIn, height);

        shared.in[i / kWideIn][i % kWideIn] = get_sample<kFirst> (to, from,
            width, which, x, y);
      }
    });
    threads<kThreads> ([&] (int t) {
      const int x = t % kWide;

      for (int y = t / kWide; y < kHigh; y += kThreads / kWide) {
        double sum = 0;

        if (left + x >= new_width || top + y >= new_height)
          break;
        BDCT_UNROLL
        for (int v = 0; v < kFilter; v++) {
          BDCT_UNROLL
          for (int u = 0; u < kFilter; u++)
            sum += (double) (shared.in[2 * y + v][2 * x + u]
                * bdct_ms_ssim_filter[v <= kSide ? v : kFilter - 1 - v]
                [u <= kSide ? u : kFilter - 1 - u]);
        }
        into[(int64_t) (top + y) * new_width + left + x] = (float) sum;
      }
    });
  }
};

/* A kernel at a scale. */
template <template <bool> class K, int kScale> struct At {
  static constexpr int kThreads = K<kScale == 0>::kThreads;
  using Shared = typename K<kScale == 0>::Shared;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    K<kScale == 0>::block (to, bx, by, shared, kScale);
  }
};

size_t
results (const BdctMetricPlane *p)
{
  return get_first_strip (*p, kScales) * sizeof (BdctMsSsimSums);
}

size_t
scratch (const BdctMetricPlane *p)
{
  return get_picture (*p, kScales, 0) * sizeof (float);
}

int
tiles (int size, int tile)
{
  return (size + tile - 1) / tile;
}

/* Launch a scale's kernels, then the next scale's. */
template <int kScale> cudaError_t
launch_from (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  using Compares = Compare<kScale == 0>;
  using Halves = Halve<kScale == 0>;
  const BdctMetricPlane &p = planes->plane[0].plane;
  cudaError_t err = launch<At<Compare, kScale>> (planes,
      tiles (get_width (p, kScale) - kWindow + 1, Compares::kWide),
      tiles (get_height (p, kScale) - kWindow + 1, Compares::kHigh), stream);

  if constexpr (kScale + 1 < kScales) {
    if (err == cudaSuccess)
      err = launch<At<Halve, kScale>> (planes,
          tiles (get_width (p, kScale + 1), Halves::kWide),
          2 * tiles (get_height (p, kScale + 1), Halves::kHigh), stream);
    if (err == cudaSuccess)
      err = launch_from<kScale + 1> (planes, stream);
  }
  return err;
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  const cudaError_t err = zero_results (planes, results, stream);

  return err != cudaSuccess ? err : launch_from<0> (planes, stream);
}

} // namespace

} // namespace ms_ssim

const BdctCudaMetric bdct_cuda_ms_ssim = { ms_ssim::results, ms_ssim::scratch,
  ms_ssim::launch_all };
