/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exhibits after M. Masoumi and H. Ahmadifar, "Performance of HEVC Discrete
 * Cosine and Sine Transforms on GPU using CUDA" (2019): Plain, Shared, OneStep,
 * Butterfly and OneStepBatch, forward and inverse, DST 4x4 and DCT 4x4 to
 * 32x32, on blocks of 16-bit integers. Where it uses a matrix, the paper omits
 * H.265's rounding; here all implementations round, and are exact.
 *
 * Plain, Shared, OneStep and Butterfly launch kernels for every transform
 * block, as in the paper. OneStepBatch is OneStep with all blocks in one
 * launch; here the other three have such a variant, too. */
#include "lab.h"

#include <cuda_runtime.h>
#include "dct/transform/matrices.h"

namespace {

/* The matrices, [k * N + n]: in global memory, and for the butterflies as
 * constants that become operands of the instructions. */
template <typename Entry> struct Matrices
{
  Entry dst4[4 * 4], dct4[4 * 4], dct8[8 * 8], dct16[16 * 16], dct32[32 * 32];
};

__device__ Matrices<int16_t> global_matrices;
__constant__ Matrices<int32_t> constant_matrices;

/* One instance of every kernel: size, DST, direction. */
template <int SIZE, bool DST, bool INVERSE> struct Kind
{
  static constexpr int n = SIZE;
  static constexpr int log2_n = SIZE == 4 ? 2 : SIZE == 8 ? 3
      : SIZE == 16 ? 4 : 5;
  static constexpr bool dst = DST, inverse = INVERSE;

  /* H.265 (8.6.4.2) and HM for 8 bits. */
  static __host__ __device__ constexpr int
  shift (int stage)
  {
    return INVERSE ? (stage ? 12 : 7) : log2_n + (stage ? 6 : -1);
  }

  /* Whether a stage goes along the rows: in the forward direction the first
   * one, in the inverse direction the second one. */
  static __host__ __device__ constexpr bool
  along_rows (int stage)
  {
    return (stage == 0) != INVERSE;
  }

  template <typename Entry> static __device__ const Entry *
  matrix (const Matrices<Entry> &m)
  {
    return DST ? m.dst4 : SIZE == 4 ? m.dct4 : SIZE == 8 ? m.dct8
        : SIZE == 16 ? m.dct16 : m.dct32;
  }
};

template <typename K, int STAGE> __device__ inline int16_t
finish (int v)
{
  constexpr int shift = K::shift (STAGE);

  v = (v + (1 << (shift - 1))) >> shift;
  if (K::inverse)
    v = v < -32768 ? -32768 : v > 32767 ? 32767 : v;
  return (int16_t) v;
}

/* One value of one stage by definition. */
template <typename K, int STAGE> __device__ inline int16_t
define (const int16_t *m, const int16_t *x, int row, int column)
{
  constexpr int n = K::n;
  constexpr bool along_rows = K::along_rows (STAGE);
  const int k = along_rows ? column : row;
  int sum = 0;

#pragma unroll
  for (int i = 0; i < n; i++)
    sum += m[K::inverse ? i * n + k : k * n + i]
        * x[along_rows ? row * n + i : i * n + column];
  return finish<K, STAGE> (sum);
}

/* Plain: one thread a coefficient, one launch a stage; matrix and block are in
 * global memory. */
template <typename K, int STAGE>
__global__ void __launch_bounds__ (K::n * K::n)
plain (const int16_t *src, int16_t *dst)
{
  constexpr int n = K::n;
  const size_t block = (size_t) blockIdx.x * (n * n);

  dst[block + threadIdx.y * n + threadIdx.x] = define<K, STAGE> (
      K::matrix (global_matrices), src + block, threadIdx.y, threadIdx.x);
}

/* Shared: the same, through shared memory. */
template <typename K, int STAGE>
__global__ void __launch_bounds__ (K::n * K::n)
shared (const int16_t *src, int16_t *dst)
{
  constexpr int n = K::n;
  __shared__ int16_t m[n * n], x[n * n];
  const int i = threadIdx.y * n + threadIdx.x;
  const size_t at = (size_t) blockIdx.x * (n * n) + i;

  m[i] = K::matrix (global_matrices)[i];
  x[i] = src[at];
  __syncthreads ();
  dst[at] = define<K, STAGE> (m, x, threadIdx.y, threadIdx.x);
}

/* OneStep: both stages in one launch. */
template <typename K> __global__ void __launch_bounds__ (K::n * K::n)
one_step (const int16_t *src, int16_t *dst)
{
  constexpr int n = K::n;
  __shared__ int16_t m[n * n], x[n * n], t[n * n];
  const int i = threadIdx.y * n + threadIdx.x;
  const size_t at = (size_t) blockIdx.x * (n * n) + i;

  m[i] = K::matrix (global_matrices)[i];
  x[i] = src[at];
  __syncthreads ();
  t[i] = define<K, 0> (m, x, threadIdx.y, threadIdx.x);
  __syncthreads ();
  dst[at] = define<K, 1> (m, t, threadIdx.y, threadIdx.x);
}

/* A DCT of the first LEN values of x gives rows 0, N / LEN, 2 N / LEN, ...:
 * half of them from the sums of mirrored values, half from the differences. */
template <int N, int LEN> __device__ inline void
forward_butterfly (const int *m, int *x, int *y)
{
  if constexpr (LEN == 1) {
    y[0] = m[0] * x[0];
  } else {
    constexpr int step = N / LEN;
    int odd[LEN / 2];

#pragma unroll
    for (int i = 0; i < LEN / 2; i++) {
      odd[i] = x[i] - x[LEN - 1 - i];
      x[i] += x[LEN - 1 - i];
    }
#pragma unroll
    for (int k = step; k < N; k += 2 * step) {
      int sum = 0;

#pragma unroll
      for (int i = 0; i < LEN / 2; i++)
        sum += m[k * N + i] * odd[i];
      y[k] = sum;
    }
    forward_butterfly<N, LEN / 2> (m, x, y);
  }
}

/* The inverse: y[0 .. LEN) from rows 0, N / LEN, 2 N / LEN, ... of x. */
template <int N, int LEN> __device__ inline void
inverse_butterfly (const int *m, const int *x, int *y)
{
  if constexpr (LEN == 1) {
    y[0] = m[0] * x[0];
  } else {
    constexpr int step = N / LEN;
    int odd[LEN / 2];

    inverse_butterfly<N, LEN / 2> (m, x, y);
#pragma unroll
    for (int i = 0; i < LEN / 2; i++) {
      odd[i] = 0;
#pragma unroll
      for (int k = step; k < N; k += 2 * step)
        odd[i] += m[k * N + i] * x[k];
    }
#pragma unroll
    for (int i = 0; i < LEN / 2; i++) {
      y[LEN - 1 - i] = y[i] - odd[i];
      y[i] += odd[i];
    }
  }
}

/* HM's form of the DST: 84 = 29 + 55. */
__device__ inline void
forward_dst (const int *x, int *y)
{
  const int a = x[0] + x[3], b = x[1] + x[3], c = x[0] - x[1], d = 74 * x[2];

  y[0] = 29 * a + 55 * b + d;
  y[1] = 74 * (x[0] + x[1] - x[3]);
  y[2] = 29 * c + 55 * a - d;
  y[3] = 55 * c - 29 * b + d;
}

__device__ inline void
inverse_dst (const int *x, int *y)
{
  const int a = x[0] + x[2], b = x[2] + x[3], c = x[0] - x[3], d = 74 * x[1];

  y[0] = 29 * a + 55 * b + d;
  y[1] = 55 * c - 29 * b + d;
  y[2] = 74 * (x[0] - x[2] + x[3]);
  y[3] = 55 * a + 29 * c - d;
}

template <typename K, int STAGE> __device__ inline void
butterfly_line (int *x, int *y)
{
  constexpr int n = K::n;
  const int *m = K::matrix (constant_matrices);

  if constexpr (K::dst && K::inverse)
    inverse_dst (x, y);
  else if constexpr (K::dst)
    forward_dst (x, y);
  else if constexpr (K::inverse)
    inverse_butterfly<n, n> (m, x, y);
  else
    forward_butterfly<n, n> (m, x, y);
#pragma unroll
  for (int i = 0; i < n; i++)
    y[i] = finish<K, STAGE> (y[i]);
}

/* Butterfly: one thread a row, then one a column (inverse: a column, then a
 * row). */
template <typename K> __global__ void __launch_bounds__ (K::n)
butterfly (const int16_t *src, int16_t *dst)
{
  constexpr int n = K::n;
  constexpr int line0 = K::along_rows (0) ? n : 1, step0 = n + 1 - line0;
  constexpr int line1 = K::along_rows (1) ? n : 1, step1 = n + 1 - line1;
  __shared__ int t[n][n + 1];
  const size_t block = (size_t) blockIdx.x * (n * n);
  const int line = threadIdx.x;
  int x[n], y[n];

#pragma unroll
  for (int i = 0; i < n; i++)
    x[i] = src[block + line * line0 + i * step0];
  butterfly_line<K, 0> (x, y);
#pragma unroll
  for (int i = 0; i < n; i++)
    t[line][i] = y[i];
  __syncthreads ();
  /* Line i of the first stage crosses all lines of the second. */
#pragma unroll
  for (int i = 0; i < n; i++)
    x[i] = t[i][line];
  butterfly_line<K, 1> (x, y);
#pragma unroll
  for (int i = 0; i < n; i++)
    dst[block + line * line1 + i * step1] = (int16_t) y[i];
}

enum Design { PLAIN, SHARED, ONE_STEP, BUTTERFLY };

/* n blocks in one launch, or two. */
template <typename K> void
launch (int design, const int16_t *src, int16_t *dst, int16_t *middle,
    unsigned n, cudaStream_t stream)
{
  const dim3 square (K::n, K::n);

  if (design == PLAIN) {
    plain<K, 0> <<<n, square, 0, stream>>> (src, middle);
    plain<K, 1> <<<n, square, 0, stream>>> (middle, dst);
  } else if (design == SHARED) {
    shared<K, 0> <<<n, square, 0, stream>>> (src, middle);
    shared<K, 1> <<<n, square, 0, stream>>> (middle, dst);
  } else if (design == ONE_STEP) {
    one_step<K> <<<n, square, 0, stream>>> (src, dst);
  } else {
    butterfly<K> <<<n, K::n, 0, stream>>> (src, dst);
  }
}

template <typename K> int
run_kind (const LabEntry *entry, const LabWork *work, void *stream)
{
  const int64_t n = entry->launch_each ? 1 : work->n_blocks;

  for (int64_t at = 0; at < work->n_blocks * K::n * K::n; at += n * K::n * K::n)
    launch<K> (entry->parameter[0], (const int16_t *) work->src + at,
        (int16_t *) work->dst + at, (int16_t *) work->scratch + at,
        (unsigned) n, (cudaStream_t) stream);
  return cudaGetLastError ();
}

template <bool INVERSE> int
run (const LabEntry *entry, const LabWork *work, void *stream)
{
  switch (entry->transform) {
    case BDCT_HEVC_DST_4X4:
      return run_kind<Kind<4, true, INVERSE>> (entry, work, stream);
    case BDCT_HEVC_4X4:
      return run_kind<Kind<4, false, INVERSE>> (entry, work, stream);
    case BDCT_HEVC_8X8:
      return run_kind<Kind<8, false, INVERSE>> (entry, work, stream);
    case BDCT_HEVC_16X16:
      return run_kind<Kind<16, false, INVERSE>> (entry, work, stream);
    default:
      return run_kind<Kind<32, false, INVERSE>> (entry, work, stream);
  }
}

cudaError_t
upload ()
{
  static const struct { BdctBasis basis; int n; } order[] = {
    { BDCT_BASIS_DST_4, 4 }, { BDCT_BASIS_HEVC_4, 4 }, { BDCT_BASIS_HEVC_8, 8 },
    { BDCT_BASIS_HEVC_16, 16 }, { BDCT_BASIS_HEVC_32, 32 } };
  static int32_t whole[sizeof (Matrices<char>)];
  static int16_t half[sizeof (Matrices<char>)];
  int at = 0;

  for (const auto &o : order)
    for (int i = 0; i < o.n * o.n; i++, at++)
      half[at] = whole[at] = bdct_matrix_int (o.basis, i / o.n, i % o.n);
  cudaError_t err = cudaMemcpyToSymbol (constant_matrices, whole,
      sizeof whole);
  return err != cudaSuccess ? err
      : cudaMemcpyToSymbol (global_matrices, half, sizeof half);
}

} // namespace

extern "C" void
lab_hevc_register (void)
{
  static const char *const names[] = { "Plain", "Shared", "OneStep",
    "Butterfly" };
  LabEntry entry = { "hevc-paper", "", LAB_BLOCKS, BDCT_HEVC_4X4, LAB_FORWARD,
    true, false, lab_options.quality[0], lab_options.qp[0], {}, NULL, NULL,
    NULL };
  cudaError_t err = upload ();

  if (err != cudaSuccess)
    lab_die ("cudaMemcpyToSymbol: %s", cudaGetErrorString (err));
  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++)
    for (int inverse = 0; inverse < 2; inverse++)
      for (int design = PLAIN; design <= BUTTERFLY; design++)
        for (int each = 1; each >= 0; each--) {
          entry.transform = (BdctTransform) t;
          entry.stage = inverse ? LAB_INVERSE : LAB_FORWARD;
          entry.run = inverse ? run<true> : run<false>;
          entry.parameter[0] = design;
          entry.launch_each = each;
          snprintf (entry.name, sizeof entry.name, "%s%s", names[design],
              each ? "" : "Batch");
          lab_register (&entry);
        }
}
