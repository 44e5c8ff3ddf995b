/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's second half, from coefficients to residuals, for
 * coefficients that no picture leads to (tests/check/coefficients.h): the
 * kernels' own parts in a kernel of one warp.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include "cuda/scalar.cuh"
#include "dct/engine.h"
#include "tests/check/coefficients.h"

template <typename C> __global__ void
backward_kernel (const Constants *constants, int32_t *cells, unsigned *nonzero)
{
  constexpr int side = C::side;

  __shared__ Square<int32_t, side> t;

  const int lane = threadIdx.x;
  BdctComponentJob job;
  Blocks blocks = {};

  get_job<C> (&job, constants);
  blocks.width = blocks.height = side;
  for (int y = 0; y < side; y++)
    for (int x = lane; x < side; x += 32)
      (job.transposed ? t[x][y] : t[y][x]) = cells[y * side + x];
  __syncwarp ();
  atomicAdd (nonzero, columns<C, PLAIN, false> (t, job, constants->job.quant,
          constants->job.dequant, blocks, lane));
  __syncwarp ();
  rows<C, true, false> (t, job.inv_shift[1], lane);
  __syncwarp ();
  for (int y = 0; y < side; y++)
    for (int x = lane; x < side; x += 32)
      cells[y * side + x] = job.transposed ? t[x][y] : t[y][x];
}

static void
must (cudaError_t err)
{
  if (err != cudaSuccess) {
    printf ("%s\n0 passed, 1 failed, 0 skipped\n", cudaGetErrorString (err));
    exit (1);
  }
}

static Constants *device_constants;
static int32_t *device_cells;
static unsigned *device_nonzero;

template <BdctChain CHAIN> static void
launch ()
{
  if constexpr (Chain<CHAIN>::family != BDCT_FAMILY_REAL)
    backward_kernel<Chain<CHAIN>> <<<1, 32>>> (device_constants, device_cells,
        device_nonzero);
}

static uint64_t
backward (void *, const BdctJob *job, int32_t *cells)
{
  const int side = bdct_tile_side (&job->component[BDCT_Y]);
  const size_t size = side * side * sizeof *cells;
  Constants constants;
  unsigned nonzero;

  make_component (&constants, job, BDCT_Y);
  must (cudaMemcpy (device_constants, &constants, sizeof constants,
          cudaMemcpyHostToDevice));
  must (cudaMemcpy (device_cells, cells, size, cudaMemcpyHostToDevice));
  must (cudaMemset (device_nonzero, 0, sizeof nonzero));
  switch (job->component[BDCT_Y].chain) {
#define CHAIN(id, ...)                                                        \
    case BDCT_CHAIN_##id:                                                     \
      launch<BDCT_CHAIN_##id> ();                                             \
      break;
#include "dct/transforms.def"
    default:
      break;
  }
  must (cudaGetLastError ());
  must (cudaMemcpy (cells, device_cells, size, cudaMemcpyDeviceToHost));
  must (cudaMemcpy (&nonzero, device_nonzero, sizeof nonzero,
          cudaMemcpyDeviceToHost));
  return nonzero;
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
  must (cudaMalloc (&device_constants, sizeof *device_constants));
  must (cudaMalloc (&device_cells,
          BDCT_MAX_SIZE * BDCT_MAX_SIZE * sizeof *device_cells));
  must (cudaMalloc (&device_nonzero, sizeof *device_nonzero));
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    const BdctTransformInfo *info = bdct_transform_info ((BdctTransform) t);
    int n_tiles, differ;

    if (!bdct_family_has_qp (info->family))
      continue;
    differ = coefficients_compare ((BdctTransform) t, backward, nullptr,
        &n_tiles, &error);
    printf ("%s %s: %d tiles, %d differ%s%s\n", differ ? "FAIL" : "ok  ",
        info->name, n_tiles, differ, differ ? ", first " : "",
        differ ? error.message : "");
    differ ? failed++ : passed++;
  }
  cudaFree (device_constants);
  cudaFree (device_cells);
  cudaFree (device_nonzero);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
