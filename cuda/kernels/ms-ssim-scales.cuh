/* blockdct: the scales of MS-SSIM on the GPU: where their samples are, how
 * products are added, and how a picture is halved.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dct/base/min.h"
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

/* A picture of a scale: the frame's in the first, which is scaled to 8 bits;
 * else in the scratch memory, in single precision. */
BDCT_INLINE BdctSamples
get_samples (const BdctCudaMetricPlane &to, int scale, int which)
{
  const BdctMetricPlane &p = to.plane;
  BdctSamples samples = which == 0 ? p.src : p.rec;

  if (scale > 0) {
    samples.data = (uint8_t *) ((float *) to.scratch
        + get_picture (p, scale, which));
    samples.stride = get_width (p, scale) * (ptrdiff_t) sizeof (float);
  }
  return samples;
}

/* The sample at an address. */
template <int kBytes> BDCT_INLINE float
get_sample (const BdctMetricPlane &p, const uint8_t *at)
{
  if (kBytes == sizeof (float))
    return *(const float *) at;
  if (kBytes == 1)
    return bdct_sample_get (at, 0, 1, 0, 255);
  return bdct_sample_get (at, 0, kBytes, p.shift, (1 << p.depth) - 1)
      * (1.0f / (1 << (p.depth - 8)));
}

/* Call f (bytes) with the bytes of a sample as a constant: of the frame, or of
 * a picture that was computed. */
template <typename F> BDCT_INLINE void
with_bytes (const BdctMetricPlane &p, bool computed, F f)
{
  if (computed)
    f (Constant<sizeof (float)> ());
  else if (p.depth > 8)
    f (Constant<2> ());
  else
    f (Constant<1> ());
}

/* The distance of a row's samples of a scale, in bytes. */
template <int kBytes> BDCT_INLINE int
get_distance (const BdctMetricPlane &p)
{
  return kBytes * (kBytes == sizeof (float) ? 1 : p.step);
}

/* A number times 2^-896 in double precision: its bits, moved to where a double
 * has them. This is faster than a conversion, and sums of such numbers round
 * like sums of the numbers. */
template <bool kSigned> BDCT_INLINE double
widen (float v)
{
  uint32_t bits, high;
  uint64_t wide;
  double d;

  memcpy (&bits, &v, sizeof bits);
  high = kSigned ? (uint32_t) ((int32_t) bits >> 3) & 0x8fffffff : bits >> 3;
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

/* What both ways of halving a picture have. */
struct Halves {
  static BDCT_INLINE int
  mirror (int at, int side)
  {
    const int inside = bdct_ms_ssim_mirror (at, side);

    /* Any position does for samples that are not needed. */
    return inside < 0 ? 0 : inside;
  }

  /* The place of a weight in the table. */
  static constexpr BDCT_INLINE int
  fold (int u)
  {
    return u <= kSide ? u : kFilter - 1 - u;
  }

  /* Whether a weight is below 0, from places in the table. */
  static constexpr BDCT_INLINE bool
  is_negative (int v, int u)
  {
    return (v == 1 || v == 2) != (u == 1 || u == 2);
  }
};

/* Compute the second scale, in the order that takes the least, as no sum
 * rounds: samples of the first are multiples of 2^-4 below 2^8, weights above
 * 2^-12, so that products, of 24 bits each, are multiples of 2^-39 and their
 * sums below 2^9. First the sums of a column's products for each different
 * weight in a row, then those of rows. Alternate rows of tiles are of the two
 * pictures. */
struct HalveFirst : Halves {
  static constexpr int kRuns = 2, kRun = 8;     /* down a tile */
  static constexpr int kPairs = 64;     /* of columns of samples */
  static constexpr int kThreads = kRuns * kPairs;
  static constexpr int kWide = kPairs - kSide, kHigh = kRuns * kRun;
  /* Sums for the output of a pair, and for those before it. */
  struct Shared {
    double sum[kHigh][kSide + 1][kPairs];
  };

  /* Add up the products of a run of pairs: get (row) is one, and
   * put (y, k, sum) takes sum k of output y. */
  template <typename Get, typename Put> static BDCT_INLINE void
  add_run (Get get, Put put)
  {
    double sum[kSide + 1][kSide + 1];   /* by weight in a row, and output */

    BDCT_UNROLL for (int row = 0; row < 2 * kRun + kFilter - 2; row++) {
      const float2 pair = get (row);

      BDCT_UNROLL for (int u = 0; u <= kSide; u++) {
        const float sample = u % 2 == 0 ? pair.x : pair.y;
        double product[kSide + 1];

        BDCT_UNROLL for (int v = row % 2; v <= kSide; v += 2) {
          const float weight = bdct_ms_ssim_filter[v][u];

          product[v] = widen<false> (sample
              * (is_negative (v, u) ? -weight : weight));
        }
        BDCT_UNROLL for (int v = row % 2; v < kFilter; v += 2) {
          const int y = (row - v) / 2;

          if (row >= v && y < kRun) {
            double &of = sum[u][y % (kSide + 1)];
            const double here = product[fold (v)];

            if (v == 0)
              of = is_negative (0, u) ? -here : here;
            else
              of = is_negative (fold (v), u) ? of - here : of + here;
          }
        }
      }
      if (row >= kFilter - 1 && row % 2 == 0) {
        const int y = (row - kFilter + 1) / 2, k = y % (kSide + 1);

        put (y, 0, sum[0][k] + sum[1][k]);
        put (y, 1, sum[2][k] + sum[3][k]);
        put (y, 2, sum[4][k] + sum[3][k]);
        put (y, 3, sum[2][k] + sum[1][k]);
        put (y, 4, sum[0][k]);
      }
    }
  }

  template <int kBytes> static BDCT_INLINE void
  add_columns (const BdctMetricPlane &p, const BdctSamples &samples, int left,
      int top, Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int i = t % kPairs, run = t / kPairs * kRun;
      const int x = 2 * (left + i) - kSide;
      const ptrdiff_t distance = get_distance<kBytes> (p);
      const uint8_t *even = samples.data + mirror (x, p.width) * distance;
      const uint8_t *odd = samples.data + mirror (x + 1, p.width) * distance;

      add_run ([&] (int row) {
        const ptrdiff_t at = mirror (2 * (top + run) - kSide + row, p.height)
            * samples.stride;

        return float2 { get_sample<kBytes> (p, even + at),
            get_sample<kBytes> (p, odd + at) };
      }, [&] (int y, int k, double sum) {
        shared.sum[run + y][k][i] = sum;
      });
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int width = get_width (p, 1), height = get_height (p, 1);
    const int left = bx * kWide, top = by / 2 * kHigh, which = by % 2;
    const BdctSamples samples = get_samples (to, 0, which);
    float *into = (float *) to.scratch + get_picture (p, 1, which);

    with_bytes (p, false, [&] (auto bytes) {
      add_columns<decltype (bytes)::value> (p, samples, left, top, shared);
    });
    threads<kThreads> ([&] (int t) {
      const int x = t % kPairs;

      if (x >= kWide || left + x >= width)
        return;
      for (int y = t / kPairs; y < kHigh && top + y < height; y += kRuns) {
        double sum = 0;

        BDCT_UNROLL for (int k = 0; k <= kSide; k++)
          sum += shared.sum[y][k][x + k];
        into[(int64_t) (top + y) * width + left + x] = narrow (sum);
      }
    });
  }
};

/* Compute the scale after one that was computed, in the CPU's order. Alternate
 * rows of tiles are of the two pictures. */
struct Halve : Halves {
  static constexpr int kThreads = 256;
  static constexpr int kWide = 32, kHigh = 16;
  static constexpr int kRun = kHigh / (kThreads / kWide);
  static constexpr int kPairs = kWide + kSide;  /* of a row's samples */
  static constexpr int kHighIn = 2 * kHigh + kFilter - 2;
  static constexpr int kApart = kThreads / kPairs;      /* rows read at once */
  struct Shared {
    float2 in[kHighIn][kPairs];
  };

  /* Filter a run of column x, from output `top` of the tile on. */
  template <typename Put> static BDCT_INLINE void
  filter_run (const Shared &shared, int x, int top, Put put)
  {
    const float2 *in = &shared.in[2 * top][x];
    double sum[kSide + 1];

    BDCT_UNROLL for (int row = 0; row < 2 * kRun + kFilter - 2; row++) {
      BDCT_UNROLL for (int u = 0; u < kFilter; u++) {
        const float2 pair = in[row * kPairs + u / 2];
        const float sample = u % 2 == 0 ? pair.x : pair.y;
        double product[kSide + 1];

        BDCT_UNROLL for (int v = row % 2; v <= kSide; v += 2) {
          const float weight = bdct_ms_ssim_filter[v][fold (u)];

          product[v] = widen<true> (sample
              * (is_negative (v, fold (u)) ? -weight : weight));
        }
        BDCT_UNROLL for (int v = row % 2; v < kFilter; v += 2) {
          const int y = (row - v) / 2;

          if (row >= v && y < kRun) {
            double &to = sum[y % (kSide + 1)];
            const double here = product[fold (v)];

            if (u == 0 && v == 0)
              to = 0;
            to = is_negative (fold (v), fold (u)) ? to - here : to + here;
          }
        }
      }
      if (row >= kFilter - 1 && row % 2 == 0) {
        const int y = (row - kFilter + 1) / 2;

        put (y, narrow (sum[y % (kSide + 1)]));
      }
    }
  }

  /* Each thread reads pairs of a column. */
  template <int kBytes> static BDCT_INLINE void
  read (const BdctCudaMetricPlane &to, int which, int left, int top,
      Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int scale = to.scale;
    const int width = get_width (p, scale), height = get_height (p, scale);
    const BdctSamples samples = get_samples (to, scale, which);

    threads<kThreads> ([&] (int t) {
      const int i = t % kPairs, x = 2 * (left + i) - kSide;
      const ptrdiff_t distance = get_distance<kBytes> (p);
      const uint8_t *even = samples.data + mirror (x, width) * distance;
      const uint8_t *odd = samples.data + mirror (x + 1, width) * distance;

      if (t >= kPairs * kApart)
        return;
      BDCT_UNROLL for (int k = 0; k < kHighIn; k += kApart) {
        const int j = k + t / kPairs;
        const ptrdiff_t row = mirror (2 * top - kSide + j, height)
            * samples.stride;

        if (j < kHighIn)
          shared.in[j][i] = float2 { get_sample<kBytes> (p, even + row),
              get_sample<kBytes> (p, odd + row) };
      }
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int scale = to.scale;
    const int new_width = get_width (p, scale + 1);
    const int new_height = get_height (p, scale + 1);
    const int left = bx * kWide, top = by / 2 * kHigh, which = by % 2;
    float *into = (float *) to.scratch + get_picture (p, scale + 1, which);

    with_bytes (p, true, [&] (auto bytes) {
      read<decltype (bytes)::value> (to, which, left, top, shared);
    });
    threads<kThreads> ([&] (int t) {
      const int x = t % kWide, run = t / kWide * kRun;
      float *column = into + (int64_t) top * new_width + left + x;

      if (left + x < new_width)
        filter_run (shared, x, run, [&] (int y, float v) {
          if (top + run + y < new_height)
            column[(int64_t) (run + y) * new_width] = v;
        });
    });
  }
};

} // namespace

} // namespace ms_ssim
