/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exhibits after Spector's DCT (Q. Gautier et al., "Spector: an OpenCL FPGA
 * benchmark suite", 2016): the forward 8x8 DCT of a plane of floats with any
 * stride, with the benchmark's knobs as template parameters. */
#include "lab.h"

#include <cuda_runtime.h>
#include <math.h>

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
run (const LabEntry *, const LabWork *work, void *stream)
{
  const dim3 grid ((work->width + BX * 8 - 1) / (BX * 8),
      (work->height + BY * 8 - 1) / (BY * 8));

  spector<BX, BY, ROWS, UNROLLED>
      <<<grid, dim3 (BX * 8 / ROWS, BY), 0, (cudaStream_t) stream>>> (
      (const float *) work->src, (float *) work->dst, work->width,
      work->height, work->stride);
  return cudaGetLastError ();
}

template <int BX, int BY, int ROWS, bool UNROLLED> void
add_point ()
{
  LabEntry entry = { "spector", "", LAB_PLANE_STRIDED, BDCT_DCT_8X8,
    LAB_FORWARD, true, false, lab_options.quality[0], lab_options.qp[0],
    { BX, BY, ROWS, UNROLLED }, NULL, run<BX, BY, ROWS, UNROLLED>, NULL };

  snprintf (entry.name, sizeof entry.name, "%dx%d blocks, %d rows, %s", BX, BY,
      ROWS, UNROLLED ? "unrolled" : "loop");
  lab_register (&entry);
}

template <int BX, int BY, bool UNROLLED, int... ROWS> void
add_rows ()
{
  (add_point<BX, BY, ROWS, UNROLLED> (), ...);
}

template <int BY, bool UNROLLED, int... BX> void
add_blocks ()
{
  (add_rows<BX, BY, UNROLLED, 1, 2, 4, 8> (), ...);
}

} // namespace

extern "C" void
lab_spector_register (void)
{
  float values[64];

  for (int i = 0; i < 64; i++)
    values[i] = (float) (sqrt (i < 8 ? 0.125 : 0.25)
        * cos ((2 * (i % 8) + 1) * (i / 8) * M_PI / 16));
  if (cudaMemcpyToSymbol (basis, values, sizeof basis) != cudaSuccess)
    lab_die ("spector: %s", cudaGetErrorString (cudaGetLastError ()));
  add_blocks<1, false, 1, 2, 4, 8> ();
  add_blocks<4, false, 1, 2, 4, 8> ();
  add_blocks<1, true, 1, 2, 4, 8> ();
  add_blocks<4, true, 1, 2, 4, 8> ();
}
