/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel without tensor cores, an instance for each transform, sample type
 * and sort of request. Compiled without contraction of floating-point
 * operations (the -fmad=false of meson.build), so that dct-8x8 computes what
 * the CPU does here; on the tensor cores (tensor.cu) it does not. */
#include "scalar/large.cuh"

namespace {

/* A thread block's tile: as wide as a cell of the map, and as high unless
 * blocks are higher. Where two components are interleaved it has half as many
 * samples of each. */
constexpr int kTileSamples = BDCT_CUDA_CELL_SAMPLES;

template <BdctChain LUMA, BdctChain OTHER> struct Shape
{
  static constexpr bool small = Chain<LUMA>::small && Chain<OTHER>::small;
  static constexpr int side = Chain<LUMA>::side > Chain<OTHER>::side
      ? Chain<LUMA>::side : Chain<OTHER>::side;
  /* A thread has 8 x 8 samples of small blocks, a warp two or more large
   * ones. */
  static constexpr int warps = small || side > 32 ? 2 : 4;
};

/* One block: a tile of one plane. */
struct Tile
{
  const BdctCudaPlane &plane;
  int x, y;                     /* of its first sample, in each component */
  int depth;
};

/* What of a component's samples is from (x, y) of the tile on. */
template <typename Sample> BDCT_INLINE Window
get_window (const Tile &tile, int i, int x, int y)
{
  const BdctCudaPlane &plane = tile.plane;
  const int64_t at = (int64_t) (tile.x + x) * plane.layout.interleave
      * (int) sizeof (Sample);
  Window w;

  w.src = plane.src.data + (tile.y + y) * plane.src.stride + at;
  w.dst = plane.dst.data == nullptr ? nullptr
      : plane.dst.data + (tile.y + y) * plane.dst.stride + at;
  w.src_stride = plane.src.stride;
  w.dst_stride = plane.dst.stride;
  w.interleave = plane.layout.interleave;
  w.component = i;
  w.width = plane.layout.width - tile.x - x;
  w.height = plane.layout.height - tile.y - y;
  w.last = plane.last_column - tile.x - x;
  w.shift = plane.layout.shift;
  w.depth = tile.depth;
  w.whole = false;
  w.chroma = plane.layout.component[i] != BDCT_Y;
  return w;
}

/* Whether the warp's windows are to be loaded by words, of `size` samples
 * each. */
BDCT_INLINE bool
is_whole (const Tile &tile, const Window &w, int size)
{
  return __all_sync (0xffffffff, tile.plane.aligned
      && (w.width >= size || w.width <= 0));
}

/* A tile of small blocks: a thread's 8 x 8 samples, of which the neighbour has
 * the other component where two are interleaved. */
template <typename C, Ask ASK, typename Sample>
BDCT_INLINE unsigned long long
run_tile_small (const Tile &tile, int *component)
{
  constexpr int across = kTileSamples / 8;
  const int n = tile.plane.layout.interleave;
  const int i = n > 1 ? threadIdx.x % 2 : 0;
  const int x = threadIdx.x % across / n * 8, y = threadIdx.x / across * 8;
  Window w = get_window<Sample> (tile, i, x, y);

  *component = i;
  /* Other warps of the block are for larger ones. */
  if (y >= 32)
    return 0;
  w.whole = is_whole (tile, w, 8);
  if (__all_sync (0xffffffff, w.width <= 0 || w.height <= 0))
    return 0;
  return run_small<C, ASK, Sample> (w, Blocks (tile.plane, i, ASK), tile.x + x,
      tile.y + y);
}

/* A tile of large blocks: the warps take units of as many blocks as they have
 * at once, in turn, in which lanes, or else units, alternate between components
 * where these are interleaved. */
template <typename C, Ask ASK, typename Sample, int SIDE, int WARPS>
BDCT_INLINE unsigned long long
run_tile_large (uint16_t *t, const Tile &tile, int *component)
{
  using L = Large<C>;
  constexpr int across = kTileSamples / (L::n * L::blocks);
  constexpr int units = across * (SIDE / L::n);
  const int n = tile.plane.layout.interleave;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int which = lane % L::blocks;
  const int i = n == 1 ? 0 : L::blocks > 1 ? which : warp % 2;
  const Blocks blocks (tile.plane, i, ASK);
  unsigned long long sum = 0;

  static_assert (WARPS % 2 == 0, "a warp's units are of one component");
  *component = i;
  _Pragma ("unroll 1") for (int unit = warp; unit < units; unit += WARPS) {
    const int x = (unit % across * L::blocks + which) / n * L::n;
    const int y = unit / across * L::n;
    Window w = get_window<Sample> (tile, i, x, y);

    w.whole = is_whole (tile, w, L::n);
    if (!__all_sync (0xffffffff, w.width <= 0 || w.height <= 0))
      sum += run_large<C, ASK, Sample> (t + which * L::stride, w, blocks,
          tile.x + x, tile.y + y, lane / L::blocks);
  }
  return sum;
}

template <typename C, bool SMALL = C::small> constexpr int kCells = 0;
template <typename C> constexpr int kCells<C, false> =
    Large<C>::stride * Large<C>::blocks;

template <typename C, Ask ASK, typename Sample, int SIDE, int WARPS>
BDCT_INLINE unsigned long long
run_tile (uint16_t *t, const Tile &tile, int *component)
{
  if constexpr (C::small)
    return run_tile_small<C, ASK, Sample> (tile, component);
  else
    return run_tile_large<C, ASK, Sample, SIDE, WARPS> (t, tile, component);
}

/* Add up what lanes have of their components. */
template <int WARPS> BDCT_INLINE void
add_up (const BdctCudaPlane &plane, unsigned long long sum, int component)
{
  __shared__ unsigned long long sums[WARPS][2];
  __shared__ int component_of[WARPS][2];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  BdctCudaCell &cell = plane.cells[blockIdx.x % BDCT_CUDA_CELLS];

  /* Lanes of one parity have the same component. */
  sum = lanes_sum<2, 16> (sum);
  if (lane < 2) {
    sums[warp][lane] = sum;
    component_of[warp][lane] = component;
  }
  __syncthreads ();
  if (threadIdx.x >= plane.layout.interleave)
    return;
  sum = 0;
  BDCT_UNROLL for (int k = 0; k < 2 * WARPS; k++)
    if (component_of[k / 2][k % 2] == (int) threadIdx.x)
      sum += sums[k / 2][k % 2];

  const int c = plane.layout.component[threadIdx.x];

  atomicAdd (&cell.sse[c], sum & (1ull << 48) - 1);
  atomicAdd (&cell.nonzero[c], sum >> 48);
}

template <BdctChain LUMA, BdctChain OTHER, Ask ASK, typename Sample>
__global__ void
__launch_bounds__ (Shape<LUMA, OTHER>::warps * 32)
transform (const __grid_constant__ BdctCudaBatch batch)
{
  using Luma = Chain<LUMA>;
  using Other = Chain<OTHER>;
  constexpr int side = Shape<LUMA, OTHER>::side;
  constexpr int warps = Shape<LUMA, OTHER>::warps;
  constexpr int cells = kCells<Luma> > kCells<Other> ? kCells<Luma>
      : kCells<Other>;

  __shared__ __align__ (16) uint16_t t[warps][cells > 0 ? cells : 1];

  int index = 0, component;
  unsigned long long sum;

  while (index + 1 < batch.n_planes
      && (int) blockIdx.x >= batch.plane[index + 1].first_tile)
    index++;

  const BdctCudaPlane &plane = batch.plane[index];
  const int number = blockIdx.x - plane.first_tile;
  const int tile_y = number / plane.tiles_x;
  const int tile_x = number - tile_y * plane.tiles_x;
  const Tile tile = { plane, tile_x * (kTileSamples / plane.layout.interleave),
    tile_y * side, batch.depth };
  uint16_t *own = t[threadIdx.x / 32];

  if (batch.mixed && plane.set_of_cell[tile_y * plane.cells_x + tile_x]
      != BDCT_CUDA_MIXED)
    return;
  if (LUMA == OTHER || __ldg ((const int *)
          &((const Constants *) plane.constants)->job.chain) == LUMA)
    sum = run_tile<Luma, ASK, Sample, side, warps> (own, tile, &component);
  else
    sum = run_tile<Other, ASK, Sample, side, warps> (own, tile, &component);
  if (ASK != LEVELS)
    add_up<warps> (plane, sum, component);
}

template <BdctChain LUMA, BdctChain OTHER, Ask ASK, typename Sample>
const BdctCudaKernel kernel = {
  (const void *) transform<LUMA, OTHER, ASK, Sample>,
  Shape<LUMA, OTHER>::side, kTileSamples * sizeof (Sample),
  Shape<LUMA, OTHER>::warps, Shape<LUMA, OTHER>::warps, 0,
  2 * sizeof (Constants), 1, nullptr, bdct_scalar_constants
};

#define KERNELS(luma, other, sample)                                          \
  {                                                                           \
    &kernel<BDCT_CHAIN_##luma, BDCT_CHAIN_##other, STATISTICS, sample>,       \
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
const BdctCudaKernel *const kernels[BDCT_N_TRANSFORMS][2][2] = {
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
  const Ask ask = work->levels ? LEVELS : STATISTICS;

  return kernels[work->sets[0].transform][work->sets[0].depth > 8][ask];
}
