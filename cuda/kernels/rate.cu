/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts a frame's levels for its bits (dct/entropy/rate.h). Where the launch
 * of a picture does not write levels, Huffman symbols are counted from a
 * thread's registers; levels.cu counts those of levels in memory. CABAC's
 * kernels take the levels from memory. Like scalar.cu this file is compiled
 * without contraction: dct-8x8's levels are the CPU's even if tensor cores
 * compute the picture. */
#include "cabac.cuh"
#include "cuda/scalar/scalar.cuh"
#include "symbols.cuh"

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
  return plane.counts + (blockIdx.z * BDCT_MAX_COMPONENTS
      + plane.layout.component[i]) * BDCT_RATE_COUNTERS;
}

/* Huffman */

constexpr int kWarps = 8;

/* The first lane of a warp repeats the last block of the previous warp, for its
 * DC. */
constexpr int kWarpBlocks = 31;

/* A quantizer as it counts levels: |level| + 1/2 or a little more of a
 * coefficient c. */
template <typename Value> struct Above;

template <> struct Above<int32_t>
{
  float factor;

  void set (int32_t quant)
  {
    factor = bdct_symbol_factor (quant);
  }

  BDCT_INLINE float
  of (float c) const
  {
    return __fmaf_rn (fabsf (c), factor, 0.5f);
  }
};

template <> struct Above<float>
{
  float step, reciprocal;

  void set (int32_t quant)
  {
    step = 8.0f * (float) quant;
    reciprocal = 1.0f / step;
  }

  BDCT_INLINE float
  of (float c) const
  {
    return fabsf (lane_divide (c, step, reciprocal)) + 0.5f;
  }
};

/* A component's constants. */
template <typename Value> struct alignas (16) SymbolsConstants
{
  Above<Value> above[64];       /* in zigzag order */
  Shifts shifts;
};

template <typename Value> void
make_symbols (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponentJob *from =
        &job->component[plane->layout.component[i]];
    SymbolsConstants<Value> *constants = (SymbolsConstants<Value> *) to + i;

    for (int k = 0; k < 64; k++)
      constants->above[k].set (from->quant[bdct_zigzag_index[k]]);
    constants->shifts = { { from->fwd_shift[0], from->fwd_shift[1] },
      { from->inv_shift[0], from->inv_shift[1] } };
  }
}

BDCT_INLINE float
as_float (int32_t c)
{
  return small_to_float (c);
}

BDCT_INLINE float
as_float (float c)
{
  return c;
}

/* Load row `y` of block column `x`. `whole`: all of its samples are in memory,
 * at a multiple of their size. */
template <typename Sample> BDCT_INLINE void
load_row (int (&to)[8], const BdctCudaPlane &plane, int i, int x, int y,
    int depth, bool whole)
{
  const int step = plane.layout.interleave, peak = (1 << depth) - 1;
  const uint8_t *row = plane.src.data + plane.src.stride
      * min (y, plane.layout.height - 1);

  if (whole && sizeof (Sample) == 1) {
    const uint8_t *from = row + 8 * x * step;

    if (step == 1) {
      const uint2 v = __ldg ((const uint2 *) from);

      BDCT_UNROLL for (int u = 0; u < 8; u++)
        to[u] = (int) ((u < 4 ? v.x : v.y) >> u % 4 * 8 & 255);
    } else {
      const uint4 v = __ldg ((const uint4 *) from);
      const uint32_t word[4] = { v.x, v.y, v.z, v.w };

      BDCT_UNROLL for (int u = 0; u < 8; u++)
        to[u] = (int) (word[u / 2] >> (u % 2 * 16 + 8 * i) & 255);
    }
    return;
  }
  BDCT_UNROLL for (int u = 0; u < 8; u++)
    to[u] = bdct_sample_get (row, min (8 * x + u, plane.last_column) * step + i,
        sizeof (Sample), plane.layout.shift, peak);
}

/* Transform block (x, y) of a component as the CPU does. */
template <typename C, typename Sample> BDCT_INLINE void
forward (float *to, const BdctCudaPlane &plane, int i, int x, int y,
    int depth, const Shifts &shifts)
{
  const bool whole = plane.aligned && 8 * x + 7 <= plane.last_column;
  typename C::Value c[64], in[8], out[8];

  BDCT_UNROLL for (int v = 0; v < 8; v++) {
    int samples[8];

    load_row<Sample> (samples, plane, i, x, 8 * y + v, depth, whole);
    BDCT_UNROLL for (int u = 0; u < 8; u++)
      in[u] = samples[u] - (1 << (depth - 1));
    C::Row::template forward<8> (out, in);
    BDCT_UNROLL for (int u = 0; u < 8; u++)
      c[8 * v + u] = scale (out[u], shifts.fwd[0]);
  }
  BDCT_UNROLL for (int u = 0; u < 8; u++) {
    BDCT_UNROLL for (int v = 0; v < 8; v++)
      in[v] = c[8 * v + u];
    C::Column::template forward<8> (out, in);
    BDCT_UNROLL for (int v = 0; v < 8; v++)
      to[8 * v + u] = as_float (scale (out[v], shifts.fwd[1]));
  }
}

/* Add a block's AC symbols unless it is another warp's. Returns its DC
 * level. */
template <typename Value> BDCT_INLINE int
count_block (SymbolCounters &counters, const float *c,
    const SymbolsConstants<Value> *constants, bool own)
{
  constexpr int n = sizeof (float4) / sizeof (Above<Value>);
  int dc = 0;

  SymbolCount count (counters);

  BDCT_UNROLL for (int k = 0; k < 64; k += n) {
    const float4 four = __ldg ((const float4 *) &constants->above[k]);
    Above<Value> above[n];

    memcpy (above, &four, sizeof above);
    if (k == 0) {
      dc = (int) above[0].of (c[0]);
      if (!own)
        break;
    }
    BDCT_UNROLL for (int i = k == 0; i < n; i++)
      count.add (above[i].of (c[zigzag.at[k + i]]));
  }
  if (own)
    count.end ();
  return c[0] < 0 ? -dc : dc;
}

template <typename C, typename Sample> __global__ void
__launch_bounds__ (32 * kWarps, 2)
symbols (const __grid_constant__ BdctCudaBatch batch)
{
  using Constants = SymbolsConstants<typename C::Value>;

  __shared__ SymbolCounters counters;

  const Place place = find_place (batch);
  const BdctCudaPlane &plane = batch.plane[place.plane];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int index = (place.tile * kWarps + warp) * kWarpBlocks + lane - 1;
  const BdctScan scan = { plane.columns, count_rows (plane) / (int) gridDim.z,
    plane.mcu_width, plane.mcu_height };
  const bool there = index >= 0 && index < scan.columns * scan.rows;
  float c[64];
  int dc = 0, before;

  for (int k = threadIdx.x; k < SymbolCounters::kAll; k += 32 * kWarps)
    counters.at[k] = 0;
  __syncthreads ();
  if (there) {
    const Constants *constants = (const Constants *) plane.constants + place.i;
    int x, y;

    bdct_scan_block (&scan, index, &x, &y);
    y += blockIdx.z * scan.rows;
    forward<C, Sample> (c, plane, place.i, x, y, batch.depth,
        constants->shifts);
    if (plane.quantizer_map[place.i] != nullptr)
      constants = (const Constants *) ((const uint8_t *) constants
          + plane.quantizer_size * __ldg (&plane.quantizer_map[place.i]
              [y * plane.columns + x]));
    dc = count_block<typename C::Value> (counters, c, constants, lane > 0);
  }
  before = __shfl_up_sync (kAll, dc, 1);
  if (there && lane > 0)
    count_dc (counters, dc - before);
  __syncthreads ();
  for (int k = threadIdx.x; k < SymbolCounters::kAll; k += 32 * kWarps)
    merge_symbols (counters, k, counts_of (plane, place.i));
}

int
symbols_blocks (const BdctComponentJob *)
{
  return kWarps * kWarpBlocks;
}

/* CABAC: `K` is Count or Price. */
template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocksAtOnce)
cabac (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ typename K::Shared shared;

  const Place place = find_place (batch);
  const BdctCudaPlane &plane = batch.plane[place.plane];
  const CabacConstants *constants =
      (const CabacConstants *) plane.constants + place.i;

  K::thread (Component (plane, place.i, constants), place.tile, plane.tiles_x,
      shared, threadIdx.x);
}

void
make_cabac (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  for (int i = 0; i < plane->layout.interleave; i++)
    make_cabac ((CabacConstants *) to + i, job, plane->layout.component[i]);
}

template <typename K> int
run_blocks (const BdctComponentJob *job)
{
  return K::kRuns * 256 >> 2 * bdct_cabac_log2_size (job)
      >> bdct_job_log2_parts (job);
}

template <typename C, typename Sample> const BdctCudaKernel symbols_kernel = {
  (const void *) symbols<C, Sample>, 0, 0, kWarps, kWarps, 0,
  2 * sizeof (SymbolsConstants<typename C::Value>),
  symbols_blocks, make_symbols<typename C::Value>, false
};

template <typename C> const BdctCudaKernel *
find_symbols (int depth)
{
  return depth > 8 ? &symbols_kernel<C, uint16_t> : &symbols_kernel<C, uint8_t>;
}

template <typename K> const BdctCudaKernel cabac_kernel = {
  (const void *) cabac<K>, 0, 0, K::kWarps, K::kWarps, 0,
  2 * sizeof (CabacConstants), run_blocks<K>, make_cabac, false
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_rate_find (BdctCudaCount count, const BdctJob *job)
{
  switch (count) {
    case BDCT_CUDA_BINS:
      return &cabac_kernel<Count>;
    case BDCT_CUDA_PRICE:
      return &cabac_kernel<Price>;
    default:
      return job->family == BDCT_FAMILY_JPEG
          ? find_symbols<Chain<BDCT_CHAIN_ISLOW_8>> (job->depth)
          : find_symbols<Chain<BDCT_CHAIN_DCT8X8>> (job->depth);
  }
}
