/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's second half, from coefficients to residuals, for HEVC
 * coefficients that no picture leads to (tests/check/coefficients.h): the
 * kernels' own parts in a kernel of one warp.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <stdio.h>
#include "cuda/kernels.cuh"
#include "dct/engine.h"
#include "tests/check/coefficients.h"

template <BdctMatrix M> __global__ void
backward_kernel (const __grid_constant__ BdctJob frame_job, int32_t *cells,
    unsigned *nonzero)
{
  __shared__ Square<int32_t> t;
  __shared__ Tables tables;
  const BdctComponentJob &job = frame_job.component[BDCT_Y];
  const int lane = threadIdx.x;

  for (int i = lane; i < 64; i += 32) {
    tables.quant[i] = job.quant[i];
    tables.aid[i] = job.dequant[i];
  }
  for (int y = 0; y < kTile; y++)
    t[y][lane] = cells[y * kTile + lane];
  __syncwarp ();
  atomicAdd (nonzero, columns<M, false> (t, tables, job, kTile, lane));
  __syncwarp ();
  rows<M, true, false> (t, job.inv_shift[1], lane);
  __syncwarp ();
  for (int y = 0; y < kTile; y++)
    cells[y * kTile + lane] = t[y][lane];
}

static void
must (cudaError_t err)
{
  if (err != cudaSuccess) {
    printf ("%s\n0 passed, 1 failed, 0 skipped\n", cudaGetErrorString (err));
    exit (1);
  }
}

static int32_t *device_cells;
static unsigned *device_nonzero;

static uint64_t
backward (void *, const BdctJob *job, int32_t *cells)
{
  const size_t size = kTile * kTile * sizeof *cells;
  unsigned nonzero;

  must (cudaMemcpy (device_cells, cells, size, cudaMemcpyHostToDevice));
  must (cudaMemset (device_nonzero, 0, sizeof nonzero));
  switch (job->component[BDCT_Y].matrix) {
#define CASE(m) case m:                                                        \
    backward_kernel<m> <<<1, 32>>> (*job, device_cells, device_nonzero);      \
    break;
    CASE (BDCT_MATRIX_DST_4)
    CASE (BDCT_MATRIX_HEVC_4)
    CASE (BDCT_MATRIX_HEVC_8)
    CASE (BDCT_MATRIX_HEVC_16)
    CASE (BDCT_MATRIX_HEVC_32)
#undef CASE
    default:
      break;
  }
  must (cudaGetLastError ());
  must (cudaMemcpy (cells, device_cells, size, cudaMemcpyDeviceToHost));
  must (cudaMemcpy (&nonzero, device_nonzero, sizeof nonzero,
          cudaMemcpyDeviceToHost));
  return nonzero;
}

static void
upload (void)
{
  must (upload_matrices (nullptr));
  must (cudaMalloc (&device_cells, kTile * kTile * sizeof *device_cells));
  must (cudaMalloc (&device_nonzero, sizeof *device_nonzero));
}

int
main ()
{
  int passed = 0, failed = 0;
  BdctError error = { "" };

  if (bdct_cuda_engine.count_devices (&error) == 0) {
    printf ("no GPU: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
    return 77;
  }
  upload ();
  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    int n_tiles, differ = coefficients_compare ((BdctTransform) t, backward,
        nullptr, &n_tiles, &error);

    printf ("%s %s: %d tiles, %d differ%s%s\n", differ ? "FAIL" : "ok  ",
        bdct_transform_info ((BdctTransform) t)->name, n_tiles, differ,
        differ ? ", first " : "", differ ? error.message : "");
    differ ? failed++ : passed++;
  }
  cudaFree (device_cells);
  cudaFree (device_nonzero);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
