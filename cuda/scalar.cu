/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel without tensor cores, an instance for each transform, sample type
 * and sort of request. Compiled without contraction of floating-point
 * operations (the -fmad=false of meson.build), so that dct-8x8 computes what
 * the CPU does here; on the tensor cores (tensor.cu) it does not. */
#include "scalar.cuh"

namespace {

/* The stages of one warp's square. Returns nonzero << 48 | sse, summed over
 * the lane's columns: sse of a square is below 2^37. */
template <typename C, Ask ASK, typename Sample, int SIDE>
BDCT_INLINE unsigned long long
run_chain (Square<typename C::Value, SIDE> &t, const Window &w,
    const Constants *constants, const int32_t *quant, const int32_t *companion,
    const Blocks &blocks, int lane)
{
  constexpr bool wide = C::family == BDCT_FAMILY_JPEG && sizeof (Sample) > 1;
  BdctComponentJob job;
  unsigned long long nonzero;

  get_job<C> (&job, constants);
  if (C::square && job.transposed)
    load<true, Sample> (t, w, lane);
  else
    load<false, Sample> (t, w, lane);
  __syncwarp ();
  rows<C, false, false> (t, job.fwd_shift[0], lane);
  __syncwarp ();
  nonzero = columns<C, ASK> (t, job, quant, companion,
      C::square && job.transposed ? blocks.transposed () : blocks, lane);
  __syncwarp ();
  if (ASK == LEVELS && w.dst == nullptr) {
    if (C::square && job.transposed)
      store_levels<C, true> (t, blocks, lane);
    else
      store_levels<C, false> (t, blocks, lane);
    return 0;
  }
  if (ASK != LEVELS) {
    rows<C, true, wide> (t, job.inv_shift[1], lane);
    __syncwarp ();
  }
  if (C::square && job.transposed)
    return nonzero << 48 | (ASK == LEVELS || w.dst != nullptr
        ? store<C, ASK, true, true, Sample> (t, w, blocks, lane)
        : store<C, ASK, false, true, Sample> (t, w, blocks, lane));
  return nonzero << 48 | (ASK == LEVELS || w.dst != nullptr
      ? store<C, ASK, true, false, Sample> (t, w, blocks, lane)
      : store<C, ASK, false, false, Sample> (t, w, blocks, lane));
}

/* The side of a warp's square, for both chains' blocks. */
template <BdctChain LUMA, BdctChain OTHER> constexpr int kSide =
    Chain<LUMA>::side > Chain<OTHER>::side ? Chain<LUMA>::side
    : Chain<OTHER>::side;

/* Squares side by side: a block's tile, as wide as a cell of the map. */
constexpr int kTileSamples = BDCT_CUDA_CELL_SAMPLES;

/* One block: a tile of one plane. Where two components are interleaved, the
 * first half of the warps does the first one's samples, the second half the
 * second one's. */
template <BdctChain LUMA, BdctChain OTHER, Ask ASK, typename Sample>
__global__ void
__launch_bounds__ (kTileSamples / kSide<LUMA, OTHER> * 32)
transform (const __grid_constant__ BdctCudaBatch batch)
{
  using Luma = Chain<LUMA>;
  using Other = Chain<OTHER>;
  constexpr int side = kSide<LUMA, OTHER>, warps = kTileSamples / side;

  __shared__ Square<typename Luma::Value, side> square[warps];
  __shared__ int32_t quant[2][64], companion[2][64];
  __shared__ unsigned long long sums[warps];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int index = 0;

  while (index + 1 < batch.n_planes
      && (int) blockIdx.x >= batch.plane[index + 1].first_tile)
    index++;

  const BdctCudaPlane &plane = batch.plane[index];
  const Constants *constants = (const Constants *) plane.constants;
  const int n = plane.layout.interleave;
  const int tile = blockIdx.x - plane.first_tile;
  const int tile_y = tile / plane.tiles_x;
  const int tile_x = tile - tile_y * plane.tiles_x;
  const int i = n == 1 ? 0 : warp / (warps / 2);
  const int x0 = (n == 1 ? tile_x * warps + warp
      : tile_x * (warps / 2) + warp % (warps / 2)) * side;
  const int y0 = tile_y * side;

  if (has_sets (ASK) && batch.mixed && plane.set_of_cell[tile_y
          * plane.cells_x + tile_x] != BDCT_CUDA_MIXED)
    return;
  /* In shared memory because the lanes of a warp read 8 entries of a row at
   * once. */
  if (!has_sets (ASK)) {
    _Pragma ("unroll 1") for (int k = threadIdx.x; k < 64 * n;
        k += warps * 32) {
      quant[k / 64][k % 64] = __ldg (&constants[k / 64].job.quant[k % 64]);
      companion[k / 64][k % 64] =
          __ldg (&constants[k / 64].job.dequant[k % 64]);
    }
    __syncthreads ();
  }

  unsigned long long sum = 0;

  if (x0 < plane.layout.width) {
    const int component = plane.layout.component[i];
    const int step = n * (int) sizeof (Sample);
    const int64_t column = x0 * (int64_t) step + i * (int) sizeof (Sample);
    Window w;
    Blocks blocks;

    w.src = plane.src.data + y0 * plane.src.stride + column;
    w.dst = plane.dst.data == nullptr ? nullptr
        : plane.dst.data + y0 * plane.dst.stride + column;
    w.src_stride = plane.src.stride;
    w.dst_stride = plane.dst.stride;
    w.step = step;
    w.width = min (side, plane.layout.width - x0);
    w.height = min (side, plane.layout.height - y0);
    w.last = plane.last_column - x0;
    w.shift = plane.layout.shift;
    w.depth = batch.depth;
    w.chroma = component != BDCT_Y;
    blocks.width = w.width;
    blocks.height = w.height;
    blocks.first = (y0 >> plane.log2_height) * plane.columns
        + (x0 >> plane.log2_width);
    blocks.next_x = 1;
    blocks.next_y = plane.columns;
    blocks.set_of_block = plane.set_of_block[i];
    blocks.sets = constants + i;
    blocks.set_size = plane.set_size;
    if (ASK == LEVELS)
      blocks.levels = plane.levels[i];
    else
      blocks.records = plane.blocks[i];
    if (LUMA == OTHER || __ldg ((const int *) &constants[i].job.chain) == LUMA)
      sum = run_chain<Luma, ASK, Sample> (square[warp], w, constants + i,
          quant[i], companion[i], blocks, lane);
    else
      sum = run_chain<Other, ASK, Sample> (square[warp], w, constants + i,
          quant[i], companion[i], blocks, lane);
  }
  if (ASK == LEVELS)
    return;
  sum = block_sum<32> (sum);
  if (lane == 0)
    sums[warp] = sum;
  __syncthreads ();
  if (threadIdx.x < n) {
    const int c = plane.layout.component[threadIdx.x];
    BdctCudaCell &cell = plane.cells[blockIdx.x % BDCT_CUDA_CELLS];

    sum = 0;
    BDCT_UNROLL for (int k = 0; k < warps; k++)
      if (n == 1 || k / (warps / 2) == (int) threadIdx.x)
        sum += sums[k];
    atomicAdd (&cell.sse[c], sum & (1ull << 48) - 1);
    atomicAdd (&cell.nonzero[c], sum >> 48);
  }
}

template <BdctChain LUMA, BdctChain OTHER, Ask ASK, typename Sample>
const BdctCudaKernel kernel = {
  (const void *) transform<LUMA, OTHER, ASK, Sample>,
  kSide<LUMA, OTHER>, kTileSamples * sizeof (Sample),
  kTileSamples / kSide<LUMA, OTHER>, kTileSamples / kSide<LUMA, OTHER>, 0,
  2 * sizeof (Constants), 1, nullptr, bdct_scalar_constants
};

#define KERNELS(luma, other, sample)                                          \
  {                                                                           \
    &kernel<BDCT_CHAIN_##luma, BDCT_CHAIN_##other, PLAIN, sample>,            \
    &kernel<BDCT_CHAIN_##luma, BDCT_CHAIN_##other, RECORDS, sample>,          \
    &kernel<BDCT_CHAIN_##luma, BDCT_CHAIN_##other, MAPPED, sample>,           \
    &kernel<BDCT_CHAIN_##luma, BDCT_CHAIN_##other, LEVELS, sample>,           \
  }

/* Two chains a transform, of luma and of what is not luma's. */
#define TRANSFORM(id, nick, text, luma, chroma_444, chroma_sampled)           \
  static_assert (BDCT_CHAIN_##chroma_444 == BDCT_CHAIN_##luma                 \
      || BDCT_CHAIN_##chroma_444 == BDCT_CHAIN_##chroma_sampled);
#include "dct/transforms.def"

#define TRANSFORM(id, nick, text, luma, chroma_444, chroma_sampled)           \
  { KERNELS (luma, chroma_sampled, uint8_t),                                  \
    KERNELS (luma, chroma_sampled, uint16_t) },
const BdctCudaKernel *const kernels[BDCT_N_TRANSFORMS][2][4] = {
#include "dct/transforms.def"
};

} // namespace

extern "C" void
bdct_scalar_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  for (int i = 0; i < plane->layout.interleave; i++)
    make_component ((Constants *) to + i, job, plane->layout.component[i]);
}

extern "C" const BdctCudaKernel *
bdct_scalar_find (const BdctCudaWork *work)
{
  const BdctCudaPlane *plane = &work->plane[0];
  const Ask ask = work->levels ? LEVELS
      : plane->set_of_block[0] != nullptr ? MAPPED
      : plane->blocks[0] != nullptr ? RECORDS : PLAIN;

  return kernels[work->sets[0].transform][work->sets[0].depth > 8][ask];
}
