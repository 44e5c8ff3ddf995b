/* blockdct-bench: exhibits after Spector's DCT (Q. Gautier et al., "Spector: an
 * OpenCL FPGA benchmark suite", 2016): the forward 8x8 DCT of a plane of floats
 * with any stride, with the benchmark's knobs as template parameters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LAB_SPECTOR_CUH
#define LAB_SPECTOR_CUH

#include "lab.h"
#include "launch.cuh"

namespace {

__constant__ float basis[64];   /* [k * 8 + n], orthonormal */

/* The 8-point DCT as a loop: each coefficient is a sum of 8 products. */
__device__ inline void
loop_line (const float *x, float *out, int step)
{
#pragma unroll 1
  for (int k = 0; k < 8; k++) {
    float sum = 0;

#pragma unroll
    for (int n = 0; n < 8; n++)
      sum += basis[k * 8 + n] * x[n];
    out[k * step] = sum;
  }
}

/* Unrolled: even coefficients from sums, odd ones from differences. */
__device__ inline void
unrolled_line (const float *x, float *out, int step)
{
  float sum[4], difference[4];

#pragma unroll
  for (int n = 0; n < 4; n++) {
    sum[n] = x[n] + x[7 - n];
    difference[n] = x[n] - x[7 - n];
  }
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float v = 0;

#pragma unroll
    for (int n = 0; n < 4; n++)
      v += basis[k * 8 + n] * (k % 2 ? difference[n] : sum[n]);
    out[k * step] = v;
  }
}

/* BX x BY transform blocks in a work-group, ROWS rows, then as many columns of
 * a transform block for each thread. Only whole blocks are transformed. */
template <int BX, int BY, int ROWS, bool UNROLLED>
__global__ void __launch_bounds__ (BX * 8 / ROWS * BY)
spector (const float *src, float *dst, int width, int height, int stride)
{
  constexpr int pitch = BX * 8 + 1;
  constexpr auto line = UNROLLED ? unrolled_line : loop_line;
  __shared__ float tile[BY * 8 * pitch];
  const int x = threadIdx.x * ROWS, y = threadIdx.y * 8;
  const int gx = blockIdx.x * (BX * 8) + x, gy = blockIdx.y * (BY * 8) + y;
  const bool whole = (gx & ~7) + 8 <= width && gy + 8 <= height;
  const size_t at = (size_t) gy * stride + gx;
  float in[8];

  if (whole)
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int j = 0; j < ROWS; j++)
        tile[(y + i) * pitch + x + j] = src[at + (size_t) i * stride + j];
  __syncthreads ();
  if (whole)
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
      float *row = &tile[(y + (x & 7) + j) * pitch + (x & ~7)];

#pragma unroll
      for (int n = 0; n < 8; n++)
        in[n] = row[n];
      line (in, row, 1);
    }
  __syncthreads ();
  if (whole)
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
#pragma unroll
      for (int n = 0; n < 8; n++)
        in[n] = tile[(y + n) * pitch + x + j];
      line (in, dst + at + j, stride);
    }
}

template <int BX, int BY, int ROWS, bool UNROLLED> int
run_point (const LabEntry *, const LabWork *work, void *stream)
{
  const dim3 grid ((work->width + BX * 8 - 1) / (BX * 8),
      (work->height + BY * 8 - 1) / (BY * 8));

  return launch (spector<BX, BY, ROWS, UNROLLED>, grid,
      dim3 (BX * 8 / ROWS, BY), stream, (const float *) work->src,
      (float *) work->dst, work->width, work->height, work->stride);
}

template <int BX, int BY, int ROWS, bool UNROLLED> void
add_point ()
{
  LabEntry entry = {};

  entry.source = "spector";
  entry.shape = LAB_PLANE_STRIDED;
  entry.transform = BDCT_DCT_8X8;
  entry.stage = LAB_FORWARD;
  entry.gpu = true;
  entry.quality = lab_options.quality[0];
  entry.qp = lab_options.qp[0];
  entry.parameter[0] = BX;
  entry.parameter[1] = BY;
  entry.parameter[2] = ROWS;
  entry.parameter[3] = UNROLLED;
  snprintf (entry.name, sizeof entry.name, "%dx%d blocks, %d rows, %s", BX, BY,
      ROWS, UNROLLED ? "unrolled" : "loop");
  entry.run = run_point<BX, BY, ROWS, UNROLLED>;
  lab_register (&entry);
}

template <int BX, int BY, bool UNROLLED> void
add_rows ()
{
  add_point<BX, BY, 1, UNROLLED> ();
  add_point<BX, BY, 2, UNROLLED> ();
  add_point<BX, BY, 4, UNROLLED> ();
  add_point<BX, BY, 8, UNROLLED> ();
}

/* All points with the loop or with the unrolled DCT. */
template <bool UNROLLED> cudaError_t
add_points (const float *values)
{
  add_rows<1, 1, UNROLLED> ();
  add_rows<2, 1, UNROLLED> ();
  add_rows<4, 1, UNROLLED> ();
  add_rows<8, 1, UNROLLED> ();
  add_rows<1, 4, UNROLLED> ();
  add_rows<2, 4, UNROLLED> ();
  add_rows<4, 4, UNROLLED> ();
  add_rows<8, 4, UNROLLED> ();
  return cudaMemcpyToSymbol (basis, values, sizeof basis);
}

} // namespace

extern "C" cudaError_t lab_spector_add_unrolled (const float *basis);

#endif
