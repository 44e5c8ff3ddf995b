/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's second half, from coefficients to residuals, for
 * coefficients that no picture leads to (tests/unit/coefficients.h): the
 * kernels' own parts in a kernel of one warp.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include "cuda/scalar/large.cuh"
#include "dct/engine/engine.h"
#include "tests/unit/coefficients.h"

/* Residuals clip with the samples; only H.265's definition has them clipped
 * before. */
template <typename C> __device__ int32_t
clip (int32_t v)
{
  return C::clip16 ? lane_clip16 (v) : v;
}

/* What a lane of the kernel does to a block of at most 8 x 8. */
template <typename C> __device__ uint32_t
backward_small (uint32_t *memory, const Constants *constants, int32_t *cells,
    int side, const Shifts &shifts)
{
  constexpr int n = C::width, m = C::height;
  Quantizer<C, BDCT_CUDA_STATISTICS> quantizer (constants);
  Block<C, uint8_t> block (memory + threadIdx.x);

  if constexpr (C::dots) {
    BDCT_UNROLL for (int i = 0; i < n / 2; i++) {
      int32_t c[2][m];

      BDCT_UNROLL for (int k = 0; k < 2; k++)
        BDCT_UNROLL for (int v = 0; v < m; v++)
          c[k][v] = cells[v * side + octave_order (n, 2 * i + k)];
      block.set_columns (quantizer, i, c, shifts, false);
    }
  } else {
    BDCT_UNROLL for (int u = 0; u < n; u++) {
      typename C::Value c[m];

      BDCT_UNROLL for (int v = 0; v < m; v++)
        c[v] = cells[C::transposed ? u * side + v : v * side + u];
      block.set_column (quantizer, u, c, shifts, false);
    }
  }
  BDCT_UNROLL for (int y = 0; y < m; y++) {
    int32_t out[n];

    block.residuals (out, y, shifts, 0);
    BDCT_UNROLL for (int x = 0; x < n; x++)
      cells[y * side + x] = clip<C> (out[x]);
  }
  return quantizer.nonzero;
}

/* ... and to a column and to rows of a larger one. */
template <typename C> __device__ uint32_t
backward_large (const Constants *constants, int32_t *cells, int side,
    const Shifts &shifts)
{
  using L = Large<C>;
  __shared__ __align__ (16) uint16_t t[L::blocks][L::stride];
  const int lane = threadIdx.x % L::keep, which = threadIdx.x / L::keep;
  int32_t *block = cells + which * L::n;
  typename L::Tables tables;
  int32_t c[L::keep];
  uint32_t nonzero;

  BDCT_UNROLL for (int v = 0; v < L::keep; v++)
    c[v] = block[v * side + lane];
  tables.load (constants, lane);
  nonzero = L::template quantize_column<BDCT_CUDA_STATISTICS> (c, tables);
  L::inverse_column (t[which], c, shifts, lane);
  __syncwarp ();
  for (int y = lane; y < L::n; y += L::keep) {
    int32_t out[L::n];

    L::inverse_row (out, t[which], shifts, 0, y);
    BDCT_UNROLL for (int x = 0; x < L::n; x++)
      block[y * side + x] = clip<C> (out[x]);
  }
  __syncwarp ();
  return nonzero;
}

template <typename C> __global__ void
backward_kernel (const Constants *constants, int32_t *cells, unsigned *nonzero)
{
  constexpr int side = C::side;
  const Shifts shifts = get_shifts<C> (constants);
  uint32_t count = 0;

  if constexpr (C::small) {
    __shared__ uint32_t memory[32 * Block<C, uint8_t>::words];

    for (int k = threadIdx.x; k < side / C::width * (side / C::height);
        k += 32)
      count += backward_small<C> (memory, constants, cells
          + k / (side / C::width) * C::height * side
          + k % (side / C::width) * C::width, side, shifts);
  } else {
    for (int y = 0; y < side; y += C::height)
      count += backward_large<C> (constants, cells + y * side, side, shifts);
  }
  atomicAdd (nonzero, count);
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
  if constexpr (!Chain<CHAIN>::stepped)
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
#include "dct/transform/transforms.def"
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
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    const BdctTransformInfo *info = bdct_transform_info ((BdctTransform) t);
    int n_tiles, differ;

    if (!info->has_qp)
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
