/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MS-SSIM on the GPU, as in cpu/metrics/ms-ssim.c: first the pictures of each
 * scale, then the windows of all scales in one launch. Products are in single
 * precision, their sums in double.
 *
 * The filters are symmetric: a sample has one product with all weights that are
 * the same. So a thread goes along a run of samples, computes each product
 * once, and adds it to the sums of all outputs that it belongs to, which are in
 * registers. Each sum has its products in the CPU's order. */
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

/* Weight the windows of a run: get (i) is number i of n + 10, put (i, mean)
 * takes the mean of those from number i on. */
template <int n, bool kSigned, typename Get, typename Put> BDCT_INLINE void
weight_run (Get get, Put put)
{
  constexpr int kBefore = kWindow - 1;
  /* Windows go round in the array of sums: the code of all turns but those at
   * the ends is the same. */
  constexpr int kTurns = n > kBefore ? (n - kBefore) / kWindow : 0;
  double sum[kWindow];
  float next = get (0);

  /* Add number i; `like` has the same place in a turn, and is constant. The
   * next number is read early, before this step's mean is written. */
  const auto add = [&] (int i, int like) {
    const float v = next;
    double product[kWindow / 2 + 1];

    if (like < n + kBefore - 1)
      next = get (i + 1);
    BDCT_UNROLL
    for (int u = 0; u <= kWindow / 2; u++)
      product[u] = widen<kSigned> (v * bdct_ms_ssim_window[u]);
    BDCT_UNROLL
    for (int u = 0; u < kWindow; u++) {
      const int window = like - u;

      if (window >= 0 && window < n) {
        double &to = sum[window % kWindow];
        const double here = product[u <= kWindow / 2 ? u : kBefore - u];

        to = u == 0 ? here : to + here;
      }
    }
    if (like >= kBefore)
      put (i - kBefore, narrow (sum[(like - kBefore) % kWindow]));
  };

  BDCT_UNROLL
  for (int i = 0; i < kBefore; i++)
    add (i, i);
  BDCT_NO_UNROLL
  for (int turn = 0; turn < kTurns; turn++) {
    BDCT_UNROLL
    for (int i = 0; i < kWindow; i++)
      add (kBefore + turn * kWindow + i, kBefore + i);
  }
  BDCT_UNROLL
  for (int i = kBefore + kTurns * kWindow; i < n + kBefore; i++)
    add (i, i);
}

/* The windows of all scales, tile by tile. */
struct Compare {
  static constexpr int kThreads = 256;
  static constexpr int kWide = 32, kHigh = 32;  /* of a tile, which is in one
                                                   strip */
  static constexpr int kWideIn = kWide + kWindow - 1;
  static constexpr int kHighIn = kHigh + kWindow - 1;
  static constexpr int kApart = kThreads / 2 / kWideIn; /* rows read at once */
  /* Odd distances of rows, so that threads find each row's in banks of their
   * own. */
  struct Shared {
    union {
      float in[2][kHighIn][kWideIn + 1];
      unsigned long long sum[3][kThreads];
    };
    float means[kKinds][kHighIn][kWide + 1];
  };

  static_assert (kHighIn * kKinds <= kThreads && kWide * kKinds <= kThreads
      && BDCT_MS_SSIM_STRIP % kHigh == 0, "all of a step at once");

  BDCT_FORCE_INLINE int
  count_across (const BdctMetricPlane &p, int scale)
  {
    return (get_width (p, scale) - kWindow + kWide) / kWide;
  }

  BDCT_FORCE_INLINE int
  count_tiles (const BdctMetricPlane &p, int scale)
  {
    return count_across (p, scale)
        * ((get_height (p, scale) - kWindow + kHigh) / kHigh);
  }

  /* Samples beyond the picture, which no window has, are those at its edge. */
  static BDCT_INLINE void
  read (const BdctCudaMetricPlane &to, int scale, int left, int top,
      Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int last = get_width (p, scale) - 1;
    const int last_row = get_height (p, scale) - 1;

    with_bytes (p, scale > 0, [&] (auto bytes) {
      constexpr int kBytes = decltype (bytes)::value;

      threads<kThreads> ([&] (int t) {
        const int which = t / kWideIn % 2, x = t % kWideIn;
        const BdctSamples samples = get_samples (to, scale, which);
        const uint8_t *column = samples.data
            + bdct_min (left + x, last) * (ptrdiff_t) get_distance<kBytes> (p);

        if (t >= 2 * kWideIn * kApart)
          return;
        BDCT_UNROLL
        for (int k = 0; k < kHighIn; k += kApart) {
          const int y = k + t / (2 * kWideIn);

          if (y < kHighIn)
            shared.in[which][y][x] = get_sample<kBytes> (p, column
                + bdct_min (top + y, last_row) * samples.stride);
        }
      });
    });
  }

  template <bool kSigned> static BDCT_INLINE void
  weight_rows (Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int kind = t / kHighIn, y = t % kHighIn;
      const bool product = kind > BDCT_MS_SSIM_REC;

      if (kind >= kKinds)
        return;
      const float *a = shared.in[kind == BDCT_MS_SSIM_REC
          || kind == BDCT_MS_SSIM_REC_REC][y];
      const float *b = shared.in[kind != BDCT_MS_SSIM_SRC_SRC][y];
      float *mean = shared.means[kind][y];

      weight_run<kWide, kSigned> ([&] (int x) {
        return a[x] * (product ? b[x] : 1);
      }, [&] (int x, float v) {
        mean[x] = v;
      });
    });
  }

  /* In place: each mean is that of rows from its own on. */
  template <bool kSigned> static BDCT_INLINE void
  weight_columns (Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int kind = t / kWide;

      if (kind >= kKinds)
        return;
      float *mean = &shared.means[kind][0][t % kWide];

      weight_run<kHigh, kSigned> ([&] (int y) {
        return mean[y * (kWide + 1)];
      }, [&] (int y, float v) {
        mean[y * (kWide + 1)] = v;
      });
    });
  }

  static BDCT_INLINE void
  compare (int width, int height, Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int x = t % kWide;
      int64_t l = 0, c = 0, s = 0;

      for (int y = t / kWide; y < height && x < width; y += kThreads / kWide)
        bdct_ms_ssim_compare (shared.means[BDCT_MS_SSIM_SRC][y][x],
            shared.means[BDCT_MS_SSIM_REC][y][x],
            shared.means[BDCT_MS_SSIM_SRC_SRC][y][x],
            shared.means[BDCT_MS_SSIM_REC_REC][y][x],
            shared.means[BDCT_MS_SSIM_SRC_REC][y][x], &l, &c, &s);
      shared.sum[0][t] = (unsigned long long) l;
      shared.sum[1][t] = (unsigned long long) c;
      shared.sum[2][t] = (unsigned long long) s;
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int tile, int, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    int scale = 0;

    for (; tile >= count_tiles (p, scale); scale++)
      tile -= count_tiles (p, scale);
    const int left = tile % count_across (p, scale) * kWide;
    const int top = tile / count_across (p, scale) * kHigh;
    const int height = get_height (p, scale) - kWindow + 1 - top;
    BdctMsSsimSums *sums = bdct_ms_ssim_sums (&p, scale)
        + top / BDCT_MS_SSIM_STRIP;

    read (to, scale, left, top, shared);
    /* Only the filter between scales makes samples below 0. */
    if (scale == 0) {
      weight_rows<false> (shared);
      weight_columns<false> (shared);
    } else {
      weight_rows<true> (shared);
      weight_columns<true> (shared);
    }
    compare (get_width (p, scale) - kWindow + 1 - left,
        height < kHigh ? height : kHigh, shared);
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
  static constexpr int kWide = 32, kHigh = 32;
  static constexpr int kRun = kHigh / (kThreads / kWide);
  static constexpr int kPairs = kWide + kSide;  /* of a row's samples */
  static constexpr int kHighIn = 2 * kHigh + kFilter - 2;
  static constexpr int kApart = kThreads / kPairs;      /* rows read at once */
  struct Shared {
    float2 in[kHighIn][kPairs];
  };

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

  /* Filter a run of column x, from output `top` of the tile on. */
  template <typename Put> static BDCT_INLINE void
  filter_run (const Shared &shared, int x, int top, Put put)
  {
    const float2 *in = &shared.in[2 * top][x];
    double sum[kSide + 1];

    BDCT_UNROLL
    for (int row = 0; row < 2 * kRun + kFilter - 2; row++) {
      BDCT_UNROLL
      for (int u = 0; u < kFilter; u++) {
        const float2 pair = in[row * kPairs + u / 2];
        const float sample = u % 2 == 0 ? pair.x : pair.y;
        double product[kSide + 1];

        BDCT_UNROLL
        for (int v = row % 2; v <= kSide; v += 2) {
          const float weight = bdct_ms_ssim_filter[v][fold (u)];

          product[v] = widen<!kFirst> (sample
              * (is_negative (v, fold (u)) ? -weight : weight));
        }
        BDCT_UNROLL
        for (int v = row % 2; v < kFilter; v += 2) {
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
    const int scale = kFirst ? 0 : to.scale;
    const int width = get_width (p, scale), height = get_height (p, scale);
    const BdctSamples samples = get_samples (to, scale, which);

    threads<kThreads> ([&] (int t) {
      const int i = t % kPairs, x = 2 * (left + i) - kSide;
      const ptrdiff_t distance = get_distance<kBytes> (p);
      const uint8_t *even = samples.data + mirror (x, width) * distance;
      const uint8_t *odd = samples.data + mirror (x + 1, width) * distance;

      if (t >= kPairs * kApart)
        return;
      BDCT_UNROLL
      for (int k = 0; k < kHighIn; k += kApart) {
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

    with_bytes (p, !kFirst, [&] (auto bytes) {
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

size_t
results (const BdctMetricPlane *p)
{
  return (char *) bdct_ms_ssim_sums (p, kScales) - (char *) p->memory;
}

size_t
scratch (const BdctMetricPlane *p)
{
  return get_picture (*p, kScales, 0) * sizeof (float);
}

/* Compute a scale's pictures from the previous scale's. */
template <bool kFirst> cudaError_t
launch_halve (const BdctCudaMetricPlanes *planes, int scale,
    cudaStream_t stream)
{
  using K = Halve<kFirst>;
  const BdctMetricPlane &p = planes->plane[0].plane;
  BdctCudaMetricPlanes of = *planes;

  for (int c = 0; c < of.n; c++)
    of.plane[c].scale = scale;
  return launch<K> (&of, (get_width (p, scale + 1) + K::kWide - 1) / K::kWide,
      2 * ((get_height (p, scale + 1) + K::kHigh - 1) / K::kHigh), stream);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  cudaError_t err = zero_results (planes, results, stream);
  int tiles = 0;

  if (err == cudaSuccess)
    err = launch_halve<true> (planes, 0, stream);
  for (int s = 1; s < kScales - 1 && err == cudaSuccess; s++)
    err = launch_halve<false> (planes, s, stream);
  for (int s = 0; s < kScales; s++)
    tiles += Compare::count_tiles (planes->plane[0].plane, s);
  return err != cudaSuccess ? err : launch<Compare> (planes, tiles, 1, stream);
}

} // namespace

} // namespace ms_ssim

const BdctCudaMetric bdct_cuda_ms_ssim = { ms_ssim::results, ms_ssim::scratch,
  ms_ssim::launch_all };
