/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons on the GPU: adding up squared errors of planes, of R, G and B,
 * and of blocks, and packing planes. Memory bounds their speed. */
#include "comparison.h"
#include "metric.cuh"
#include "vector.cuh"

namespace comparison {

namespace {

/* The squared differences of bytes at even and at odd positions. */
BDCT_INLINE void
add_bytes (uint32_t a, uint32_t b, uint32_t (&sum)[2])
{
  const uint32_t d = __vabsdiffu4 (a, b);

  sum[0] = __dp4a (d & 0x00ff00ff, d, sum[0]);
  sum[1] = __dp4a (d & 0xff00ff00, d, sum[1]);
}

BDCT_INLINE int
value_of (uint32_t word, int shift, int peak)
{
  const int v = (int) (word >> shift);

  return v < peak ? v : peak;
}

BDCT_INLINE void
add_words (uint32_t a, uint32_t b, int shift, int peak, uint32_t (&sum)[2])
{
  const int low = value_of (a & 0xffff, shift, peak)
      - value_of (b & 0xffff, shift, peak);
  const int high = value_of (a >> 16, shift, peak)
      - value_of (b >> 16, shift, peak);

  sum[0] += low * low;
  sum[1] += high * high;
}

/* A thread adds up kEach vectors, all of which it loads before it uses the
 * first. 32 squares of 12-bit samples are below 2^29. */
template <int kBytes> struct Errors {
  using Work = BdctCudaErrors;
  static constexpr int kThreads = 256, kEach = 4;
  struct Shared {
    unsigned long long sum[2][kThreads];
  };

  /* The rest of a row, or a vector that load() does not support. */
  static BDCT_INLINE void
  add_samples (const uint8_t *a, const uint8_t *b, int n, int shift, int peak,
      uint32_t (&sum)[2])
  {
    uint32_t even = 0, odd = 0;

    for (int i = 0; i < n; i++) {
      const int d = bdct_sample_get (a, i, kBytes, shift, peak)
          - bdct_sample_get (b, i, kBytes, shift, peak);

      /* Indexing would need local memory. */
      (i & 1 ? odd : even) += d * d;
    }
    sum[0] += even;
    sum[1] += odd;
  }

  static BDCT_INLINE void
  block (const Work &work, int bx, int by, Shared &shared)
  {
    const int p = find_plane (work.first, bx);
    const BdctCudaCompared &plane = work.plane[p];
    const BdctPlaneLayout &layout = plane.layout;
    const BdctSamples &other = plane.distorted[by];
    const int peak = (1 << work.depth) - 1, shift = layout.shift;
    const int bytes = layout.width * layout.interleave * kBytes;
    const unsigned across = count_vectors (bytes);
    const unsigned end = across * layout.height;
    const bool aligned = is_aligned (plane.reference.data, kVector)
        && is_aligned (other.data, kVector)
        && (plane.reference.stride | other.stride) % kVector == 0;
    const unsigned first = (unsigned) (bx - work.first[p]) * kEach * kThreads;

    threads<kThreads> ([&] (int t) {
      const uint8_t *a[kEach], *b[kEach];
      Vector v[kEach], w[kEach];
      uint32_t sum[2] = { 0, 0 };
      bool at_once[kEach];
      int rest[kEach];          /* bytes of the row, or of a vector */

      BDCT_UNROLL for (int k = 0; k < kEach; k++) {
        const unsigned i = first + k * kThreads + t;
        const int y = (int) (i / across), x = (int) (i % across) * kVector;

        a[k] = plane.reference.data + y * plane.reference.stride + x;
        b[k] = other.data + y * other.stride + x;
        rest[k] = i >= end ? 0 : bytes - x < kVector ? bytes - x : kVector;
        at_once[k] = i < end && (aligned ? bytes - x >= kVector
            : is_loadable (a[k], a[k] + bytes - x)
            && is_loadable (b[k], b[k] + bytes - x));
        v[k] = w[k] = { { 0, 0, 0, 0 } };
      }
      if (aligned) {
        BDCT_UNROLL for (int k = 0; k < kEach; k++)
          if (at_once[k]) {
            v[k] = load_aligned (a[k]);
            w[k] = load_aligned (b[k]);
          }
      } else {
        BDCT_UNROLL for (int k = 0; k < kEach; k++)
          if (at_once[k]) {
            v[k] = load (a[k]);
            w[k] = load (b[k]);
          }
      }
      BDCT_UNROLL for (int k = 0; k < kEach; k++) {
        BDCT_UNROLL for (int i = 0; i < kVector / 4; i++)
          if (kBytes == 1)
            add_bytes (v[k].w[i], w[k].w[i], sum);
          else
            add_words (v[k].w[i], w[k].w[i], shift, peak, sum);
        if (rest[k] > 0 && !at_once[k])
          add_samples (a[k], b[k], rest[k] / kBytes, shift, peak, sum);
      }
      shared.sum[0][t] = layout.interleave == 2 ? sum[0]
          : (unsigned long long) sum[0] + sum[1];
      shared.sum[1][t] = sum[1];
    });
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      BdctCudaAccumulator &accumulator =
          work.accumulators[by][bx % BDCT_CUDA_ACCUMULATORS];

      if (t < layout.interleave)
        atomicAdd (&accumulator.sse[layout.component[t]], shared.sum[t][0]);
    });
  }
};

/* One pixel after another, of any layout. */
struct RgbErrors {
  using Work = BdctCudaRgbErrors;
  static constexpr int kThreads = 256, kEach = 8;
  struct Shared {
    unsigned long long sum[3][kThreads];
  };

  static BDCT_INLINE int
  get (const BdctImage &image, const BdctRgb &rgb, int k, int x, int y)
  {
    const int p = rgb.plane[k];

    return bdct_sample_get ((const uint8_t *) image.data[p]
        + y * (int64_t) image.stride[p], (int64_t) x * rgb.bytes
        + rgb.offset[k], 1, 0, 255);
  }

  static BDCT_INLINE void
  block (const Work &work, int bx, int by, Shared &shared)
  {
    const unsigned width = work.width, end = width * work.height;

    threads<kThreads> ([&] (int t) {
      uint32_t sum[3] = { 0, 0, 0 };

      for (int n = 0; n < kEach; n++) {
        const unsigned i = ((unsigned) bx * kEach + n) * kThreads + t;
        const int x = (int) (i % width), y = (int) (i / width);

        BDCT_UNROLL for (int k = 0; k < 3; k++)
          if (i < end) {
            const int d = get (work.reference, work.rgb, k, x, y)
                - get (work.distorted[by], work.rgb, k, x, y);

            sum[k] += d * d;
          }
      }
      BDCT_UNROLL for (int k = 0; k < 3; k++)
        shared.sum[k][t] = sum[k];
    });
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      if (t < 3)
        atomicAdd (&work.accumulators[by][bx % BDCT_CUDA_ACCUMULATORS]
            .rgb_sse[t], shared.sum[t][0]);
    });
  }
};

BDCT_FORCE_INLINE int
count_across (const BdctMetricPlane &p)
{
  return (p.width + 7) / 8;
}

BDCT_FORCE_INLINE int
count_down (const BdctMetricPlane &p)
{
  return (p.height + 7) / 8;
}

/* A thread a block; blocks are adjacent. */
struct Records {
  static constexpr int kThreads = 128;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &)
  {
    const BdctMetricPlane &p = to.plane;

    threads<kThreads> ([&] (int t) {
      const int column = bx * kThreads + t, x = 8 * column, y = 8 * by;
      const int right = x + 8 < p.width ? x + 8 : p.width;
      const int below = y + 8 < p.height ? y + 8 : p.height;
      BdctBlockRecord record = { 0, 0, 0 };

      if (x >= p.width || y >= p.height)
        return;
      for (int v = y; v < below; v++)
        for (int u = x; u < right; u++) {
          const int e = sample_at (p, p.src.data + v * p.src.stride, u)
              - sample_at (p, p.rec.data + v * p.rec.stride, u);

          record.sse += e * e;
        }
      ((BdctBlockRecord *) p.memory)[(int64_t) by * count_across (p) + column]
          = record;
    });
  }
};

/* A thread packs kRows rows of a column of all components. */
struct Pack {
  using Work = BdctCudaPack;
  static constexpr int kThreads = 128, kRows = 4;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  block (const Work &work, int bx, int by, Shared &)
  {
    const int bytes = work.depth > 8 ? 2 : 1, peak = (1 << work.depth) - 1;
    const BdctPlaneLayout &layout = work.layout;

    threads<kThreads> ([&] (int t) {
      const int x = bx * kThreads + t;

      for (int y = by * kRows; y < (by + 1) * kRows; y++)
        for (int i = 0; i < layout.interleave; i++) {
          const BdctScattered &from = work.from[i];

          if (x < layout.width && y < layout.height)
            bdct_sample_put (work.to.data + y * work.to.stride,
                (int64_t) x * layout.interleave + i, bytes, layout.shift,
                bdct_sample_get (from.samples.data + y * from.samples.stride,
                    (int64_t) x * from.step, bytes, from.shift, peak));
        }
    });
  }
};

} // namespace

} // namespace comparison

extern "C" cudaError_t
bdct_cuda_errors_launch (const BdctCudaErrors *errors, cudaStream_t stream)
{
  using Bytes = comparison::Errors<1>;
  using Words = comparison::Errors<2>;
  BdctCudaErrors work = *errors;
  int n = 0;

  for (int p = 0; p <= BDCT_MAX_PLANES; p++) {
    work.first[p] = n;
    if (p < work.n_planes) {
      const BdctPlaneLayout &layout = work.plane[p].layout;

      n += count_blocks (layout.width * layout.interleave
          * (work.depth > 8 ? 2 : 1), layout.height,
          Bytes::kThreads * Bytes::kEach);
    }
  }
  return work.depth > 8 ? launch_work<Words> (work, n, work.n_distorted, stream)
      : launch_work<Bytes> (work, n, work.n_distorted, stream);
}

extern "C" cudaError_t
bdct_cuda_rgb_errors_launch (const BdctCudaRgbErrors *errors,
    cudaStream_t stream)
{
  using K = comparison::RgbErrors;
  const int64_t n = (int64_t) errors->width * errors->height;

  return launch_work<K> (*errors, (unsigned) ((n - 1)
          / (K::kThreads * K::kEach) + 1), errors->n_distorted, stream);
}

extern "C" cudaError_t
bdct_cuda_records_launch (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream)
{
  using K = comparison::Records;

  return launch<K> (planes, most (planes, K::kThreads,
          comparison::count_across), most (planes, 1, comparison::count_down),
      stream);
}

extern "C" cudaError_t
bdct_cuda_pack_launch (const BdctCudaPack *pack, cudaStream_t stream)
{
  using K = comparison::Pack;

  return launch_work<K> (*pack, (pack->layout.width - 1) / K::kThreads + 1,
      (pack->layout.height - 1) / K::kRows + 1, stream);
}
