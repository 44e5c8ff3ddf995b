/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MS-SSIM on the GPU, as in cpu/metrics/ms-ssim.c: first the pictures of each
 * scale, then the windows of all scales in one launch. Products are in single
 * precision, their sums in double.
 *
 * The filters are symmetric: a sample has one product with all weights that are
 * the same. So a thread goes along a run of samples, computes each product
 * once, and adds it to the sums of all outputs that it belongs to, which are in
 * registers. Sums that may round have their products in the CPU's order. */
#include "ms-ssim-scales.cuh"

namespace ms_ssim {

namespace {

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
    BDCT_UNROLL for (int u = 0; u <= kWindow / 2; u++)
      product[u] = widen<kSigned> (v * bdct_ms_ssim_window[u]);
    BDCT_UNROLL for (int u = 0; u < kWindow; u++) {
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

  BDCT_UNROLL for (int i = 0; i < kBefore; i++)
    add (i, i);
  BDCT_NO_UNROLL for (int turn = 0; turn < kTurns; turn++) {
    BDCT_UNROLL for (int i = 0; i < kWindow; i++)
      add (kBefore + turn * kWindow + i, kBefore + i);
  }
  BDCT_UNROLL for (int i = kBefore + kTurns * kWindow; i < n + kBefore; i++)
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
    bool negative;              /* a sample is below 0 */
  };

  static_assert (kHighIn * kKinds <= kThreads && kWide * kKinds <= kThreads
      && kHighIn % kApart == 0 && BDCT_MS_SSIM_STRIP % kHigh == 0,
      "all of a step at once");

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

  /* Samples beyond the picture, which no window has, are any of it. Notes
   * whether a sample is below 0. */
  template <int kBytes> static BDCT_INLINE void
  read (const BdctCudaMetricPlane &to, int scale, int left, int top,
      Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int last = get_width (p, scale) - 1;
    const int last_row = get_height (p, scale) - 1;

    threads<kThreads> ([&] (int t) {
      const int which = t / kWideIn % 2, x = t % kWideIn;
      const int first = t / (2 * kWideIn);
      const BdctSamples samples = get_samples (to, scale, which);
      const uint8_t *at = samples.data
          + bdct_min (left + x, last) * (ptrdiff_t) get_distance<kBytes> (p)
          + bdct_min (top + first, last_row) * samples.stride;
      bool negative = false;

      if (first >= kApart)
        return;
      BDCT_UNROLL for (int k = 0; k < kHighIn; k += kApart) {
        const float v = get_sample<kBytes> (p, at);

        shared.in[which][first + k][x] = v;
        negative |= kBytes == sizeof (float) && signbit (v);
        if (top + first + k + kApart <= last_row)
          at += kApart * samples.stride;
      }
      if (negative)
        shared.negative = true;
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

    threads<kThreads> ([&] (int t) {
      if (t == 0)
        shared.negative = false;
    });
    with_bytes (p, scale > 0, [&] (auto bytes) {
      read<decltype (bytes)::value> (to, scale, left, top, shared);
    });
    /* The filter between scales may make samples below 0, but seldom does. */
    if (shared.negative) {
      weight_rows<true> (shared);
      weight_columns<true> (shared);
    } else {
      weight_rows<false> (shared);
      weight_columns<false> (shared);
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
template <typename K> cudaError_t
launch_halve (const BdctCudaMetricPlanes *planes, int scale,
    cudaStream_t stream)
{
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
    err = launch_halve<HalveFirst> (planes, 0, stream);
  for (int s = 1; s < kScales - 1 && err == cudaSuccess; s++)
    err = launch_halve<Halve> (planes, s, stream);
  for (int s = 0; s < kScales; s++)
    tiles += Compare::count_tiles (planes->plane[0].plane, s);
  return err != cudaSuccess ? err : launch<Compare> (planes, tiles, 1, stream);
}

} // namespace

} // namespace ms_ssim

const BdctCudaMetric bdct_cuda_ms_ssim = { ms_ssim::results, ms_ssim::scratch,
  ms_ssim::launch_all };
