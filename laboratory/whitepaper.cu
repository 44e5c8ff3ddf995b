/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exhibits after A. Obukhov and A. Kharlamov, "Discrete Cosine Transform for
 * 8x8 Blocks with CUDA" (NVIDIA, 2008): kernel 1 by definition, kernel 2 with
 * separable 1-D transforms, the kernel for 16-bit integers, and quantization
 * as a kernel of its own. Planes hold samples - 128, as in the paper's code,
 * which converts them on the host. */
#include "lab.h"

#include <cuda_runtime.h>
#include <math.h>
#include <string.h>
#include "dct/quantizer/job.h"

namespace {

__constant__ float basis[64];   /* [k * 8 + n], orthonormal */
__constant__ int16_t steps[64];

/* Kernel 1: one thread a coefficient, one thread block a transform block, and
 * the two matrix products by definition. */
template <bool INVERSE> __global__ void
kernel1 (const float *src, float *dst, int stride)
{
  __shared__ float x[64], t[64];
  const int u = threadIdx.x, v = threadIdx.y;
  const size_t at = (size_t) (blockIdx.y * 8 + v) * stride + blockIdx.x * 8 + u;
  float sum = 0;

  x[v * 8 + u] = src[at];
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < 8; i++)
    sum += (INVERSE ? basis[i * 8 + v] : basis[v * 8 + i]) * x[i * 8 + u];
  t[v * 8 + u] = sum;
  __syncthreads ();
  sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++)
    sum += t[v * 8 + i] * (INVERSE ? basis[i * 8 + u] : basis[u * 8 + i]);
  dst[at] = sum;
}

/* cos (k pi / 16) / 2 */
constexpr float kC1 = 0.4903926402f, kC2 = 0.4619397663f, kC3 = 0.4157348062f,
    kC4 = 0.3535533906f, kC5 = 0.2777851165f, kC6 = 0.1913417162f,
    kC7 = 0.0975451610f;

/* An 8-point transform in place, by the symmetry of the even and the odd basis
 * functions. */
__device__ inline void
forward_line (float *p, int step)
{
  const float s0 = p[0] + p[7 * step], d0 = p[0] - p[7 * step];
  const float s1 = p[step] + p[6 * step], d1 = p[step] - p[6 * step];
  const float s2 = p[2 * step] + p[5 * step], d2 = p[2 * step] - p[5 * step];
  const float s3 = p[3 * step] + p[4 * step], d3 = p[3 * step] - p[4 * step];
  const float e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;

  p[0] = kC4 * (e0 + e1);
  p[step] = kC1 * d0 + kC3 * d1 + kC5 * d2 + kC7 * d3;
  p[2 * step] = kC2 * f0 + kC6 * f1;
  p[3 * step] = kC3 * d0 - kC7 * d1 - kC1 * d2 - kC5 * d3;
  p[4 * step] = kC4 * (e0 - e1);
  p[5 * step] = kC5 * d0 - kC1 * d1 + kC7 * d2 + kC3 * d3;
  p[6 * step] = kC6 * f0 - kC2 * f1;
  p[7 * step] = kC7 * d0 - kC5 * d1 + kC3 * d2 - kC1 * d3;
}

__device__ inline void
inverse_line (float *p, int step)
{
  const float x1 = p[step], x3 = p[3 * step], x5 = p[5 * step],
      x7 = p[7 * step];
  const float a = kC4 * (p[0] + p[4 * step]), b = kC4 * (p[0] - p[4 * step]);
  const float c = kC2 * p[2 * step] + kC6 * p[6 * step];
  const float d = kC6 * p[2 * step] - kC2 * p[6 * step];
  const float o0 = kC1 * x1 + kC3 * x3 + kC5 * x5 + kC7 * x7;
  const float o1 = kC3 * x1 - kC7 * x3 - kC1 * x5 - kC5 * x7;
  const float o2 = kC5 * x1 - kC1 * x3 + kC7 * x5 + kC3 * x7;
  const float o3 = kC7 * x1 - kC5 * x3 + kC3 * x5 - kC1 * x7;

  p[0] = a + c + o0;
  p[step] = b + d + o1;
  p[2 * step] = b - d + o2;
  p[3 * step] = a - c + o3;
  p[4 * step] = a - c - o3;
  p[5 * step] = b - d - o2;
  p[6 * step] = b + d - o1;
  p[7 * step] = a + c - o0;
}

/* Kernel 2: 8 threads a transform block, 4 x 2 of them in a thread block. A
 * thread loads a column, transforms a row, then a column. */
template <bool INVERSE> __global__ void __launch_bounds__ (64)
kernel2 (const float *src, float *dst, int stride)
{
  __shared__ float tile[16][33];
  const int x = threadIdx.y * 8 + threadIdx.x, y = threadIdx.z * 8;
  const size_t at = (size_t) (blockIdx.y * 16 + y) * stride
      + blockIdx.x * 32 + x;
  float *row = &tile[y + threadIdx.x][threadIdx.y * 8];

#pragma unroll
  for (int i = 0; i < 8; i++)
    tile[y + i][x] = src[at + (size_t) i * stride];
  __syncthreads ();
  if (INVERSE)
    inverse_line (row, 1);
  else
    forward_line (row, 1);
  __syncthreads ();
  if (INVERSE)
    inverse_line (&tile[y][x], 33);
  else
    forward_line (&tile[y][x], 33);
#pragma unroll
  for (int i = 0; i < 8; i++)
    dst[at + (size_t) i * stride] = tile[y + i][x];
}

/* The integer kernel's constants: cosines / 2 with 15 fractional bits, and sqrt
 * (1/2) likewise. */
constexpr int kI1 = 16069, kI2 = 15137, kI3 = 13623, kI4 = 11585, kI5 = 9102,
    kI6 = 6270, kI7 = 3196, kSqrtHalf = 23170;

__device__ inline int16_t
whole (int v, int bits)
{
  return (int16_t) ((v + (1 << (bits - 1))) >> bits);
}

/* v / sqrt (2), with 2 fractional bits. */
__device__ inline int
turn (int v)
{
  return (v * kSqrtHalf + (1 << 12)) >> 13;
}

/* Chen's flow graph: the odd half is a rotation by 45 degrees, then two more;
 * every result is rounded to 16 bits. */
__device__ inline void
forward_line (int16_t *p, int step)
{
  const int s0 = p[0] + p[7 * step], d0 = (p[0] - p[7 * step]) * 4;
  const int s1 = p[step] + p[6 * step], d1 = p[step] - p[6 * step];
  const int s2 = p[2 * step] + p[5 * step], d2 = p[2 * step] - p[5 * step];
  const int s3 = p[3 * step] + p[4 * step];
  const int d3 = (p[3 * step] - p[4 * step]) * 4;
  const int e0 = s0 + s3, e1 = s1 + s2, f0 = s0 - s3, f1 = s1 - s2;
  const int sum = turn (d1 + d2), difference = turn (d1 - d2);

  p[0] = whole (kI4 * (e0 + e1), 15);
  p[4 * step] = whole (kI4 * (e0 - e1), 15);
  p[2 * step] = whole (kI2 * f0 + kI6 * f1, 15);
  p[6 * step] = whole (kI6 * f0 - kI2 * f1, 15);
  p[step] = whole (kI1 * (d0 + sum) + kI7 * (d3 + difference), 17);
  p[7 * step] = whole (kI7 * (d0 + sum) - kI1 * (d3 + difference), 17);
  p[3 * step] = whole (kI3 * (d0 - sum) - kI5 * (d3 - difference), 17);
  p[5 * step] = whole (kI5 * (d0 - sum) + kI3 * (d3 - difference), 17);
}

/* The odd half again begins with the rotation by 45 degrees. */
__device__ inline void
inverse_line (int16_t *p, int step)
{
  const int a = kI4 * (p[0] + p[4 * step]), b = kI4 * (p[0] - p[4 * step]);
  const int c = kI2 * p[2 * step] + kI6 * p[6 * step];
  const int d = kI6 * p[2 * step] - kI2 * p[6 * step];
  const int x1 = p[step] * 4, x7 = p[7 * step] * 4;
  const int sum = turn (p[3 * step] + p[5 * step]);
  const int difference = turn (p[3 * step] - p[5 * step]);
  /* These have 2 more fractional bits than a to d. */
  const int o0 = kI1 * (x1 + sum) + kI7 * (x7 + difference);
  const int o3 = kI7 * (x1 + sum) - kI1 * (x7 + difference);
  const int o1 = kI3 * (x1 - sum) - kI5 * (x7 - difference);
  const int o2 = kI5 * (x1 - sum) + kI3 * (x7 - difference);

  p[0] = whole ((a + c) * 4 + o0, 17);
  p[step] = whole ((b + d) * 4 + o1, 17);
  p[2 * step] = whole ((b - d) * 4 + o2, 17);
  p[3 * step] = whole ((a - c) * 4 + o3, 17);
  p[4 * step] = whole ((a - c) * 4 - o3, 17);
  p[5 * step] = whole ((b - d) * 4 - o2, 17);
  p[6 * step] = whole ((b + d) * 4 - o1, 17);
  p[7 * step] = whole ((a + c) * 4 - o0, 17);
}

/* The short-integer kernel: 4 x 4 transform blocks in a thread block, moved by
 * every other 8 threads as pairs; columns first, then rows. */
template <bool INVERSE> __global__ void __launch_bounds__ (128)
kernel_short (const int16_t *src, int16_t *dst, int stride)
{
  constexpr int pitch = 34;
  alignas (4) __shared__ int16_t tile[32 * pitch];
  const int x = threadIdx.y * 8 + threadIdx.x, y = threadIdx.z * 8;
  const size_t at = (size_t) (blockIdx.y * 32 + y) * stride
      + blockIdx.x * 32 + x * 2;

  if (x < 16)
#pragma unroll
    for (int i = 0; i < 8; i++)
      *(uint32_t *) &tile[(y + i) * pitch + x * 2] =
          *(const uint32_t *) &src[at + (size_t) i * stride];
  __syncthreads ();
  if (INVERSE)
    inverse_line (&tile[y * pitch + x], pitch);
  else
    forward_line (&tile[y * pitch + x], pitch);
  __syncthreads ();
  if (INVERSE)
    inverse_line (&tile[x * pitch + y], 1);
  else
    forward_line (&tile[x * pitch + y], 1);
  __syncthreads ();
  if (x < 16)
#pragma unroll
    for (int i = 0; i < 8; i++)
      *(uint32_t *) &dst[at + (size_t) i * stride] =
          *(const uint32_t *) &tile[(y + i) * pitch + x * 2];
}

__device__ inline float
requantize (float c, int step)
{
  return roundf (c / (float) step) * (float) step;
}

__device__ inline int16_t
requantize (int16_t c, int step)
{
  const int level = ((c < 0 ? -c : c) + step / 2) / step;

  return (int16_t) ((c < 0 ? -level : level) * step);
}

/* Quantization: one thread a coefficient. */
template <typename Value> __global__ void
kernel_quantize (const Value *src, Value *dst, int stride)
{
  const int u = threadIdx.x, v = threadIdx.y;
  const size_t at = (size_t) (blockIdx.y * 8 + v) * stride + blockIdx.x * 8 + u;

  dst[at] = requantize (src[at], steps[v * 8 + u]);
}

enum Design { KERNEL1, KERNEL2, SHORT };

template <typename Value> using Kernel = void (*) (const Value *, Value *, int);

/* A design's division of a plane: samples and threads of a thread block. */
template <typename Value> struct Cut
{
  Kernel<Value> forward, inverse;
  int width, height;
  dim3 threads;
};

/* Only the chain has coefficients of its own; a stage alone reads the source
 * and writes the destination. */
template <typename Value> int
run_stages (const Cut<Value> &cut, const LabEntry *entry, const LabWork *work,
    cudaStream_t stream)
{
  const bool chain = entry->stage == LAB_CHAIN;
  const Value *src = (const Value *) work->src;
  Value *dst = (Value *) work->dst;
  Value *coefficients = chain ? (Value *) work->scratch : dst;
  const dim3 grid (work->width / cut.width, work->height / cut.height);
  const dim3 blocks (work->width / 8, work->height / 8);

  if (chain || entry->stage == LAB_FORWARD)
    cut.forward<<<grid, cut.threads, 0, stream>>> (src, coefficients,
        work->stride);
  if (chain)
    src = coefficients;
  if (chain || entry->stage == LAB_QUANTIZE)
    kernel_quantize<Value> <<<blocks, dim3 (8, 8), 0, stream>>> (src,
        coefficients, work->stride);
  if (chain || entry->stage == LAB_INVERSE)
    cut.inverse<<<grid, cut.threads, 0, stream>>> (src, dst, work->stride);
  return cudaGetLastError ();
}

int
run (const LabEntry *entry, const LabWork *work, void *to)
{
  const cudaStream_t stream = (cudaStream_t) to;

  if (entry->parameter[0] == KERNEL1)
    return run_stages<float> ({ kernel1<false>, kernel1<true>, 8, 8,
            dim3 (8, 8) }, entry, work, stream);
  if (entry->parameter[0] == KERNEL2)
    return run_stages<float> ({ kernel2<false>, kernel2<true>, 32, 16,
            dim3 (8, 4, 2) }, entry, work, stream);
  return run_stages<int16_t> ({ kernel_short<false>, kernel_short<true>, 32, 32,
          dim3 (8, 4, 4) }, entry, work, stream);
}

} // namespace

extern "C" void
lab_whitepaper_register (void)
{
  static const char *const names[] = { "kernel 1", "kernel 2", "short" };
  LabEntry entry = { "whitepaper", "", LAB_PLANE_FLOAT, BDCT_DCT_8X8,
    LAB_FORWARD, true, false, lab_options.quality[0], lab_options.qp[0], {},
    NULL, run, NULL };
  float b[64];
  int16_t q[64];

  for (int stage = LAB_FORWARD; stage <= LAB_CHAIN; stage++)
    for (int design = KERNEL1; design <= SHORT; design++) {
      entry.shape = design == SHORT ? LAB_PLANE_SHORT : LAB_PLANE_FLOAT;
      entry.parameter[0] = design;
      entry.stage = (LabStage) stage;
      strcpy (entry.name, stage != LAB_QUANTIZE ? names[design]
          : design == SHORT ? "quantize short" : "quantize float");
      /* Kernels 1 and 2 have the same quantization. */
      if (stage != LAB_QUANTIZE || design != KERNEL2)
        lab_register (&entry);
    }

  for (int i = 0; i < 64; i++) {
    b[i] = (float) (sqrt (i < 8 ? 0.125 : 0.25)
        * cos ((2 * (i % 8) + 1) * (i / 8) * M_PI / 16));
    q[i] = (int16_t) bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[0][i], entry.quality, 255);
  }
  if (cudaMemcpyToSymbol (basis, b, sizeof b) != cudaSuccess
      || cudaMemcpyToSymbol (steps, q, sizeof q) != cudaSuccess)
    lab_die ("cudaMemcpyToSymbol: %s",
        cudaGetErrorString (cudaGetLastError ()));
}
