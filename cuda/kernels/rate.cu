/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts a frame's levels for its bits (dct/entropy/rate.h). Huffman symbols
 * are counted from levels in a thread's registers: repeating the forward
 * transform costs less than storing levels in memory. CABAC's kernels take the
 * levels from memory (scalar.cu). Like scalar.cu this file is compiled without
 * contraction: dct-8x8's levels are the CPU's even if tensor cores compute the
 * picture. */
#include "cabac.cuh"
#include "cuda/scalar/scalar.cuh"
#include "dct/entropy/huffman-symbols.h"

namespace {

/* A thread block's part of a launch: tile `tile` of component `i` of a
 * plane. */
struct Place
{
  int plane, i, tile;
};

BDCT_INLINE Place
find_place (const BdctCudaBatch &batch)
{
  Place p = { 0, 0, 0 };

  while (p.plane + 1 < batch.n_planes
      && (int) blockIdx.x >= batch.plane[p.plane + 1].first_tile)
    p.plane++;
  p.tile = blockIdx.x - batch.plane[p.plane].first_tile;
  if (p.tile >= batch.plane[p.plane].tiles_x) {
    p.tile -= batch.plane[p.plane].tiles_x;
    p.i = 1;
  }
  return p;
}

BDCT_INLINE int
count_rows (const BdctCudaPlane &plane)
{
  return ((plane.layout.height - 1) >> plane.log2_height) + 1;
}

BDCT_INLINE unsigned long long *
counts_of (const BdctCudaPlane &plane, int i)
{
  return plane.counts + plane.layout.component[i] * BDCT_RATE_COUNTERS;
}

/* Add a thread block's counters, in shared memory, to the frame's. */
template <int N> BDCT_INLINE void
merge (unsigned long long *counts, const uint32_t *counter)
{
  __syncthreads ();
  for (int k = threadIdx.x; k < N; k += blockDim.x)
    if (counter[k] != 0)
      atomicAdd (&counts[k], (unsigned long long) counter[k]);
}

/* Huffman */

constexpr int kWarps = 8;

/* In constant memory, like scalar.cuh's matrices. */
struct Zigzag
{
  uint8_t at[64] = {};

  constexpr Zigzag ()
  {
    for (int k = 0; k < 64; k++)
      at[k] = bdct_zigzag_index[k];
  }
};

__constant__ constexpr Zigzag zigzag;

/* The first lane of a warp repeats the last block of the previous warp, for its
 * DC. */
constexpr int kWarpBlocks = 31;

/* Transform block (x, y) of a component as the CPU does. */
template <typename C, typename Sample> BDCT_INLINE void
forward (typename C::Value *c, const BdctCudaPlane &plane, int i, int x, int y,
    int depth, const Shifts &shifts)
{
  const int middle = 1 << (depth - 1), last = plane.last_column;
  const int step = plane.layout.interleave * (int) sizeof (Sample);
  typename C::Value in[8], out[8];

  BDCT_UNROLL for (int v = 0; v < 8; v++) {
    const uint8_t *row = plane.src.data + plane.src.stride
        * min (8 * y + v, plane.layout.height - 1) + i * sizeof (Sample);

    BDCT_UNROLL for (int u = 0; u < 8; u++)
      in[u] = bdct_sample_get (row + min (8 * x + u, last) * step, 0,
          sizeof (Sample), plane.layout.shift, (1 << depth) - 1) - middle;
    C::Row::template forward<8> (out, in);
    BDCT_UNROLL for (int u = 0; u < 8; u++)
      c[8 * v + u] = scale (out[u], shifts.fwd[0]);
  }
  BDCT_UNROLL for (int u = 0; u < 8; u++) {
    BDCT_UNROLL for (int v = 0; v < 8; v++)
      in[v] = c[8 * v + u];
    C::Column::template forward<8> (out, in);
    BDCT_UNROLL for (int v = 0; v < 8; v++)
      c[8 * v + u] = scale (out[v], shifts.fwd[1]);
  }
}

/* Add a block's AC symbols; returns its DC level. */
template <typename C> BDCT_INLINE int
count_block (uint32_t *counter, const typename C::Value *c,
    const Constants *constants, bool ac)
{
  int run = 0, dc = 0;

  BDCT_UNROLL for (int k = 0; k < 64; k++) {
    const int at = zigzag.at[k], entry = at % 8 * 8 + at / 8;
    int level;

    requantize_stepped<typename C::Value> (c[at],
        __ldg (&constants->job.quant[entry]),
        __ldg (&constants->job.dequant[entry]), &level, nullptr);

    if (k == 0) {
      dc = level;
      if (!ac)
        break;
    } else if (level == 0) {
      run++;
    } else {
      if (run > 15)
        atomicAdd (&counter[0xf0], (uint32_t) run >> 4);
      atomicAdd (&counter[((run & 15) << 4) + bdct_symbol_category (level)],
          1u);
      run = 0;
    }
  }
  if (run > 0)
    atomicAdd (&counter[0x00], 1u);
  return dc;
}

/* The jobs that share a forward transform. */
constexpr int kJobsPerBlock = 3;

template <typename C, typename Sample> __global__ void
__launch_bounds__ (32 * kWarps, 2)
symbols (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ uint32_t counter[BDCT_RATE_COUNTERS];

  const Place place = find_place (batch);
  const BdctCudaPlane &plane = batch.plane[place.plane];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int index = (place.tile * kWarps + warp) * kWarpBlocks + lane - 1;
  const BdctScan scan = { plane.columns, count_rows (plane), plane.mcu_width,
    plane.mcu_height };
  const bool there = index >= 0 && index < scan.columns * scan.rows;
  const int end = min (batch.n_planes,
      place.plane + kJobsPerBlock * batch.job_planes);
  typename C::Value c[64];
  int number = 0;

  if (there) {
    int x, y;

    bdct_scan_block (&scan, index, &x, &y);
    number = y * plane.columns + x;
    forward<C, Sample> (c, plane, place.i, x, y, batch.depth,
        get_shifts<C> ((const Constants *) plane.constants + place.i));
  }
  _Pragma ("unroll 1") for (int p = place.plane; p < end;
      p += batch.job_planes) {
    const BdctCudaPlane &its = batch.plane[p];
    int dc = 0, before;

    __syncthreads ();
    for (int k = threadIdx.x; k < BDCT_RATE_COUNTERS; k += 32 * kWarps)
      counter[k] = 0;
    __syncthreads ();
    if (there) {
      const Constants *constants = (const Constants *) its.constants + place.i;

      if (its.quantizer_map[place.i] != nullptr)
        constants = (const Constants *) ((const uint8_t *) constants
            + its.quantizer_size * __ldg (&its.quantizer_map[place.i][number]));
      dc = count_block<C> (counter, c, constants, lane > 0);
    }
    before = __shfl_up_sync (kAll, dc, 1);
    if (there && lane > 0)
      atomicAdd (&counter[BDCT_RATE_DC + bdct_symbol_category (dc - before)],
          1u);
    merge<BDCT_RATE_COUNTERS> (counts_of (its, place.i), counter);
  }
}

int
symbols_blocks (const BdctComponentJob *)
{
  return kWarps * kWarpBlocks;
}

/* CABAC: `K` is Bins or Cost<Component>. */
template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocksAtOnce)
cabac (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ typename K::Shared shared;

  const Place place = find_place (batch);
  const BdctCudaPlane &plane = batch.plane[place.plane];
  const Constants *constants = (const Constants *) plane.constants + place.i;

  K::thread (Component (plane, place.i, &constants->job), place.tile, shared,
      threadIdx.x);
}

template <typename K> int
segments_blocks (const BdctComponentJob *job)
{
  return K::kSegments * bdct_cabac_segment_blocks (bdct_cabac_log2_size (job))
      >> bdct_job_log2_parts (job);
}

/* All have the constants of the kernels without tensor cores. */
template <typename C, typename Sample> const BdctCudaKernel symbols_kernel = {
  (const void *) symbols<C, Sample>, 0, 0, kWarps, kWarps, 0,
  2 * sizeof (Constants), kJobsPerBlock, symbols_blocks, bdct_scalar_constants
};

template <typename C> const BdctCudaKernel *
find_symbols (int depth)
{
  return depth > 8 ? &symbols_kernel<C, uint16_t> : &symbols_kernel<C, uint8_t>;
}

template <typename K> const BdctCudaKernel cabac_kernel = {
  (const void *) cabac<K>, 0, 0, K::kWarps, K::kWarps, 0,
  2 * sizeof (Constants), 1, segments_blocks<K>, bdct_scalar_constants
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_rate_find (BdctCudaCount count, const BdctJob *job)
{
  switch (count) {
    case BDCT_CUDA_BINS:
      return &cabac_kernel<Bins>;
    case BDCT_CUDA_COST:
      return &cabac_kernel<Cost<Component>>;
    default:
      return job->family == BDCT_FAMILY_JPEG
          ? find_symbols<Chain<BDCT_CHAIN_ISLOW_8>> (job->depth)
          : find_symbols<Chain<BDCT_CHAIN_REAL_8>> (job->depth);
  }
}
