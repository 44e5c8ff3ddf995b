/* blockdct: the parts of the fused kernel, each as one lane of a warp does it.
 *
 * A warp owns 32 x 32 samples of one component, which is a whole number of
 * blocks of every size, so it waits for nobody but itself. The square lies in
 * shared memory with an odd pitch: the 32 lanes reach 32 banks whether they
 * are its columns or its rows. A lane is a column for load, store and the
 * vertical passes, a row for the horizontal ones, and does its part of every
 * block in registers. The order of the stages is dct/job.h's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_KERNELS_CUH
#define BDCT_KERNELS_CUH

#include "dct/matrices.h"
#include "launch.h"
#include "passes.cuh"

namespace {

constexpr int kTile = 32;       /* rows and columns of a warp's square */
constexpr int kWarps = 4;       /* squares side by side: a block's tile */

/* Of dct/matrices.h. */
struct Matrices
{
  int32_t islow8[8 * 8];
  int32_t dst4[4 * 4];
  int32_t hevc4[4 * 4];
  int32_t hevc8[8 * 8];
  int32_t hevc16[16 * 16];
  int32_t hevc32[32 * 32];
  float real8[8 * 8];
};

/* Compile-time indices after unrolling make these operands of the arithmetic
 * instructions: no load, no register. */
__constant__ Matrices matrices;

inline cudaError_t
upload_matrices (cudaStream_t stream)
{
  Matrices m;

  bdct_matrix_int (BDCT_MATRIX_ISLOW_8, m.islow8);
  bdct_matrix_int (BDCT_MATRIX_DST_4, m.dst4);
  bdct_matrix_int (BDCT_MATRIX_HEVC_4, m.hevc4);
  bdct_matrix_int (BDCT_MATRIX_HEVC_8, m.hevc8);
  bdct_matrix_int (BDCT_MATRIX_HEVC_16, m.hevc16);
  bdct_matrix_int (BDCT_MATRIX_HEVC_32, m.hevc32);
  bdct_matrix_real (m.real8);
  const cudaError_t err = cudaMemcpyToSymbolAsync (matrices, &m, sizeof m, 0,
      cudaMemcpyHostToDevice, stream);
  return err == cudaSuccess ? cudaStreamSynchronize (stream) : err;
}

/* What a matrix fixes at compile time: its size, the family's arithmetic, the
 * type of a value, and the passes. */
template <BdctMatrix> struct Matrix;

#define MATRIX(id, family_, n, array, forward_, inverse_)                      \
  template <> struct Matrix<id>                                               \
  {                                                                           \
    using Value = decltype (matrices.array[0] + 0);                           \
    static constexpr BdctFamily family = family_;                             \
    static constexpr int size = n;                                            \
    static BDCT_INLINE void forward (Value *y, Value *x)                      \
    {                                                                         \
      forward_ (y, x, matrices.array);                                        \
    }                                                                         \
    static BDCT_INLINE void inverse (Value *y, const Value *x)                \
    {                                                                         \
      inverse_ (y, x, matrices.array);                                        \
    }                                                                         \
  };
#define BUTTERFLIES(id, family, n, array)                                     \
  MATRIX (id, family, n, array, ::forward<n>, ::inverse<n>)

BUTTERFLIES (BDCT_MATRIX_ISLOW_8, BDCT_FAMILY_JPEG, 8, islow8)
BUTTERFLIES (BDCT_MATRIX_REAL_8, BDCT_FAMILY_REAL, 8, real8)
BUTTERFLIES (BDCT_MATRIX_HEVC_4, BDCT_FAMILY_HEVC, 4, hevc4)
BUTTERFLIES (BDCT_MATRIX_HEVC_8, BDCT_FAMILY_HEVC, 8, hevc8)
BUTTERFLIES (BDCT_MATRIX_HEVC_16, BDCT_FAMILY_HEVC, 16, hevc16)
BUTTERFLIES (BDCT_MATRIX_HEVC_32, BDCT_FAMILY_HEVC, 32, hevc32)
MATRIX (BDCT_MATRIX_DST_4, BDCT_FAMILY_HEVC, 4, dst4, ::forward_dense4,
    ::inverse_dense4)
#undef BUTTERFLIES
#undef MATRIX

/* The matrix of subsampled (or DST's 4:4:4) chroma, by luma's; where chroma
 * has luma's own the job says so. */
__host__ __device__ constexpr BdctMatrix
chroma_matrix (BdctMatrix luma)
{
  return luma == BDCT_MATRIX_HEVC_32 ? BDCT_MATRIX_HEVC_16
      : luma == BDCT_MATRIX_HEVC_16 ? BDCT_MATRIX_HEVC_8
      : luma == BDCT_MATRIX_HEVC_8 || luma == BDCT_MATRIX_DST_4
      ? BDCT_MATRIX_HEVC_4 : luma;
}

template <typename Value> using Square = Value[kTile][kTile + 1];

/* A job's tables as 32-bit words, in shared memory because the lanes of a warp
 * read 8 entries of a row at once. `aid` is what makes `quant` usable:
 * JPEG 1 / 8q, REAL 1 / 8q, HEVC the dequantizer's table. */
struct Tables
{
  uint32_t quant[64], aid[64];
};

/* One component's samples as one warp sees them. */
template <typename Sample> struct Window
{
  const Sample *src;            /* the lane's column, first row */
  Sample *dst;
  int64_t src_stride, dst_stride;       /* bytes */
  int rows;                     /* visible rows of the square, 1 to 32 */
  bool visible;                 /* the lane's column is; else it repeats the
                                   last one that is */
  int shift, peak, middle;
};

template <typename T> BDCT_INLINE T *
next_row (T *p, int64_t stride)
{
  return (T *) ((uintptr_t) p + stride);
}

template <typename Sample> BDCT_INLINE int
get_sample (const Sample *p, const Window<Sample> &w)
{
  int v = __ldg (p);

  /* A byte needs neither: its depth is 8. */
  return sizeof (Sample) == 1 ? v : min (v >> w.shift, w.peak);
}

template <typename Sample, typename Value> BDCT_INLINE void
load (Square<Value> &t, const Window<Sample> &w, int lane)
{
  const Sample *p = w.src;

  _Pragma ("unroll 8") for (int y = 0; y < kTile; y++) {
    t[y][lane] = (Value) (get_sample (p, w) - w.middle);
    if (y + 1 < w.rows)
      p = next_row (p, w.src_stride);
  }
}

BDCT_INLINE int
pixel (int32_t v)
{
  return v;
}

/* The inverse of dct-8x8 still carries a factor of 8. */
BDCT_INLINE int
pixel (float v)
{
  return __float2int_rd (v * 0.125f + 0.5f);
}

/* Returns the squared errors of the lane's column: 32 x 4095^2 < 2^32. The
 * source is read again, out of a cache, rather than kept in registers. */
template <typename Sample, typename Value> BDCT_INLINE uint32_t
store (const Square<Value> &t, const Window<Sample> &w, int lane)
{
  const Sample *p = w.src;
  Sample *q = w.dst;
  uint32_t sse = 0;

  _Pragma ("unroll 8") for (int y = 0; y < kTile; y++) {
    int v = max (0, min (pixel (t[y][lane]) + w.middle, w.peak));
    int e = v - get_sample (p, w);

    if (w.visible && y < w.rows) {
      sse += (uint32_t) (e * e);
      *q = (Sample) (sizeof (Sample) == 1 ? v : v << w.shift);
    }
    if (y + 1 < w.rows)
      p = next_row (p, w.src_stride);
    q = next_row (q, w.dst_stride);
  }
  return sse;
}

BDCT_INLINE int32_t
clip16 (int32_t v)
{
  return max (-32768, min (v, 32767));
}

BDCT_INLINE int32_t
with_sign_of (int32_t magnitude, int32_t c)
{
  return c < 0 ? -magnitude : magnitude;
}

/* (v + 2^(s-1)) >> s, clipped for HEVC's inverse; REAL has no shifts. */
template <bool CLIP> BDCT_INLINE int32_t
scale (int32_t v, int shift)
{
  v = (v + (1 << (shift - 1))) >> shift;
  return CLIP ? clip16 (v) : v;
}

template <bool CLIP> BDCT_INLINE float
scale (float v, int)
{
  return v;
}

/* Quantize and dequantize one coefficient; counts it unless its level is 0. */
template <BdctFamily FAMILY> BDCT_INLINE int32_t
requantize (int32_t c, uint32_t quant, uint32_t aid,
    const BdctComponentJob &job, uint32_t &nonzero)
{
  int32_t level;

  if (FAMILY == BDCT_FAMILY_JPEG) {
    /* floor (num / den) by the reciprocal: num = |c| + 4q < 2^19 and
     * (num + 1/2) / den is off any integer by 2^-20 of itself or more; two
     * roundings are off by 2^-23 of it. */
    int32_t num = abs (c) + 4 * (int32_t) quant;
    level = (int32_t) (((float) num + 0.5f) * __uint_as_float (aid));
    level = with_sign_of (level, c);
    nonzero += level != 0;
    return level * (int32_t) quant;
  }
  /* dct/tile.c, quantize_hevc(), says why 32 bits do. */
  level = (abs (c) * (int32_t) quant + job.quant_add) >> job.quant_bits;
  level = clip16 (with_sign_of (level, c));
  nonzero += level != 0;
  return clip16 ((level * (int32_t) aid + (1 << (job.dequant_bits - 1)))
      >> job.dequant_bits);
}

template <BdctFamily FAMILY> BDCT_INLINE float
requantize (float c, uint32_t quant, uint32_t aid, const BdctComponentJob &,
    uint32_t &nonzero)
{
  float q = (float) (int32_t) quant, den = 8.0f * q;
  float inverse = __uint_as_float (aid), v = c * inverse;

  /* c / den, correctly rounded as the CPU's division is: with the correctly
   * rounded reciprocal, the first step makes v faithful and the second exact
   * (Markstein, IBM J. Res. Dev. 34 (1990) 111). */
  v = fmaf (fmaf (-v, den, c), inverse, v);
  v = fmaf (fmaf (-v, den, c), inverse, v);
  /* Half away from zero. */
  int32_t level = (int32_t) (v + copysignf (0.5f, v));
  nonzero += level != 0;
  return (float) level * q;
}

/* A horizontal pass: the lane's row of every block. dct/tile.c, pass_int() and
 * CHAIN, says what WIDE is for. */
template <BdctMatrix M, bool INVERSE, bool WIDE> BDCT_INLINE void
rows (Square<typename Matrix<M>::Value> &t, int shift, int lane)
{
  using Value = typename Matrix<M>::Value;
  constexpr int n = Matrix<M>::size;

  _Pragma ("unroll 1") for (int x = 0; x < kTile; x += n) {
    Value in[n], out[n];

    BDCT_UNROLL for (int i = 0; i < n; i++)
      in[i] = t[lane][x + i];
    if constexpr (WIDE) {
      Value low[n];

      BDCT_UNROLL for (int i = 0; i < n; i++) {
        low[i] = in[i] & 255;
        in[i] >>= 8;
      }
      Matrix<M>::inverse (out, in);
      Matrix<M>::inverse (in, low);
      BDCT_UNROLL for (int i = 0; i < n; i++)
        t[lane][x + i] = (out[i] + ((in[i] + (1 << (shift - 1))) >> 8)) >>
            (shift - 8);
      continue;
    }
    if (INVERSE)
      Matrix<M>::inverse (out, in);
    else
      Matrix<M>::forward (out, in);
    BDCT_UNROLL for (int i = 0; i < n; i++)
      t[lane][x + i] =
          scale<INVERSE && Matrix<M>::family == BDCT_FAMILY_HEVC> (out[i],
          shift);
  }
}

/* The vertical passes with the quantizer between them: the lane's column of
 * every block. Without FORWARD the square holds coefficients. Returns how many
 * levels are not 0 in the first `height` rows, in whole blocks. */
template <BdctMatrix M, bool FORWARD = true> BDCT_INLINE uint32_t
columns (Square<typename Matrix<M>::Value> &t, const Tables &tables,
    const BdctComponentJob &job, int height, int lane)
{
  using Value = typename Matrix<M>::Value;
  constexpr int n = Matrix<M>::size;
  constexpr int s = n == 32 ? 2 : n == 16 ? 1 : 0;
  const int u = (lane & (n - 1)) >> s;
  uint32_t nonzero = 0;

  _Pragma ("unroll 1") for (int y = 0; y < kTile; y += n) {
    Value in[n], out[n];
    uint32_t count = 0;

    BDCT_UNROLL for (int i = 0; i < n; i++)
      in[i] = t[y + i][lane];
    if (FORWARD)
      Matrix<M>::forward (out, in);
    BDCT_UNROLL for (int i = 0; i < n; i++) {
      const int index = (i >> s << 3) + u;
      const Value c = FORWARD ? scale<false> (out[i], job.fwd_shift[1]) : in[i];

      in[i] = requantize<Matrix<M>::family> (c, tables.quant[index],
          tables.aid[index], job, count);
    }
    Matrix<M>::inverse (out, in);
    BDCT_UNROLL for (int i = 0; i < n; i++)
      t[y + i][lane] =
          scale<Matrix<M>::family == BDCT_FAMILY_HEVC> (out[i],
          job.inv_shift[0]);
    if (y < height)
      nonzero += count;
  }
  return nonzero;
}

} // namespace

#endif
