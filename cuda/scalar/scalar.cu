/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel without tensor cores, with an instance for each transform, sample
 * type and output. It is compiled without contraction of floating-point
 * operations (the -fmad=false of meson.build), so that dct-8x8 computes the
 * same as on the CPU; on tensor cores (tensor.cu) it does not. */
#include "large.cuh"

namespace {

constexpr int
greater (int a, int b)
{
  return a > b ? a : b;
}

template <BdctChain LUMA, BdctChain OTHER> constexpr int kSide =
    greater (Chain<LUMA>::side, Chain<OTHER>::side);

/* The thread blocks of a multiprocessor for which the compiler limits
 * registers: as many as possible without spills. */
template <BdctChain LUMA> constexpr int kBlocks =
    Chain<LUMA>::width > 32 ? 6 : Chain<LUMA>::width > 16 ? 8 : 10;

/* The words of a warp's shared memory. */
template <typename C, typename Sample> constexpr int
count_words ()
{
  if constexpr (C::small)
    return kSmallWords<C, Sample>;
  else
    return Large<C>::stride * Large<C>::blocks / 2;
}

template <typename LUMA, typename OTHER, typename Sample> constexpr int kWords =
    greater (count_words<LUMA, Sample> (), count_words<OTHER, Sample> ());

template <typename C, Output OUTPUT, typename Sample, int SIDE>
BDCT_INLINE void
run_tile (uint32_t *memory, const Tile &tile, unsigned long long (&sum)[2])
{
  if constexpr (C::small)
    run_tile_small<C, OUTPUT, Sample> (memory, tile, sum);
  else
    run_tile_large<C, OUTPUT, Sample, SIDE> ((uint16_t *) memory, tile, sum);
}

/* Add the lanes' sums of each component. */
BDCT_INLINE void
add_up (const BdctCudaPlane &plane, const unsigned long long (&sum)[2])
{
  __shared__ unsigned long long sums[2][kWarps];

  BdctCudaAccumulator &accumulator =
      plane.accumulators[blockIdx.x % BDCT_CUDA_ACCUMULATORS];

  _Pragma ("unroll 1") for (int i = 0; i < plane.layout.interleave; i++) {
    const unsigned long long all = lanes_sum<1, 16> (i ? sum[1] : sum[0]);

    if (threadIdx.x % 32 == 0)
      sums[i][threadIdx.x / 32] = all;
  }
  __syncthreads ();
  if (threadIdx.x >= plane.layout.interleave)
    return;

  const int c = plane.layout.component[threadIdx.x];
  unsigned long long all = 0;

  BDCT_UNROLL for (int k = 0; k < kWarps; k++)
    all += sums[threadIdx.x][k];
  atomicAdd (&accumulator.sse[c], all & (1ull << 48) - 1);
  atomicAdd (&accumulator.nonzero[c], all >> 48);
}

template <BdctChain LUMA, BdctChain OTHER, Output OUTPUT, typename Sample>
__global__ void
__launch_bounds__ (kWarps * 32, kBlocks<LUMA>)
transform (const __grid_constant__ BdctCudaBatch batch)
{
  using Luma = Chain<LUMA>;
  using Other = Chain<OTHER>;
  constexpr int side = kSide<LUMA, OTHER>;

  __shared__ __align__ (16) uint32_t memory[kWarps]
      [kWords<Luma, Other, Sample>];

  int index = 0;
  unsigned long long sum[2] = { 0, 0 };

  while (index + 1 < batch.n_planes
      && (int) blockIdx.x >= batch.plane[index + 1].first_tile)
    index++;

  const BdctCudaPlane &plane = batch.plane[index];
  const int number = blockIdx.x - plane.first_tile;
  const int tile_y = number / plane.tiles_x;
  const int tile_x = number - tile_y * plane.tiles_x;
  const Tile tile = { plane, tile_x * (kTileSamples / plane.layout.interleave),
    tile_y * side, batch.depth };
  uint32_t *own = memory[threadIdx.x / 32];

  if (batch.mixed
      && plane.quantizer_of_tile[tile_y * plane.map_tiles_x + tile_x]
      != BDCT_CUDA_MIXED)
    return;
  if (LUMA == OTHER || __ldg ((const int *)
          &((const Constants *) plane.constants)->job.chain) == LUMA)
    run_tile<Luma, OUTPUT, Sample, side> (own, tile, sum);
  else
    run_tile<Other, OUTPUT, Sample, side> (own, tile, sum);
  if (OUTPUT != BDCT_CUDA_LEVELS)
    add_up (plane, sum);
}

void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  for (int i = 0; i < plane->layout.interleave; i++)
    make_component ((Constants *) to + i, job, plane->layout.component[i]);
}

template <BdctChain LUMA, BdctChain OTHER, Output OUTPUT, typename Sample>
const BdctCudaKernel kernel = {
  (const void *) transform<LUMA, OTHER, OUTPUT, Sample>,
  kSide<LUMA, OTHER>, kTileSamples * sizeof (Sample), kWarps, kWarps, 0,
  2 * sizeof (Constants), nullptr, make_constants, false
};

/* A second stage costs registers, so what has none has kernels without it. */
template <BdctChain LUMA, BdctChain OTHER> constexpr BdctChain without_dc =
    Chain<OTHER>::dc ? LUMA : OTHER;

#define KERNELS(luma, other, sample)                                          \
  {                                                                           \
    &kernel<luma, other, BDCT_CUDA_STATISTICS, sample>,                       \
    &kernel<luma, other, BDCT_CUDA_LEVELS, sample>,                           \
  }
#define DEPTHS(luma, other)                                                   \
  { KERNELS (luma, (other), uint8_t), KERNELS (luma, (other), uint16_t) }

/* Two chains for each transform: luma's, and the other one if chroma has its
 * own. */
#define TRANSFORM(id, nick, text, coder, luma, chroma_444, chroma_sampled)    \
  static_assert (BDCT_CHAIN_##chroma_444 == BDCT_CHAIN_##luma                 \
      || BDCT_CHAIN_##chroma_444 == BDCT_CHAIN_##chroma_sampled);
#include "dct/transform/transforms.def"

/* Without a second stage, and with it, if there is one. */
#define TRANSFORM(id, nick, text, coder, luma, chroma_444, chroma_sampled)    \
  { DEPTHS (BDCT_CHAIN_##luma, (without_dc<BDCT_CHAIN_##luma,                 \
            BDCT_CHAIN_##chroma_sampled>)),                                   \
    DEPTHS (BDCT_CHAIN_##luma, BDCT_CHAIN_##chroma_sampled) },
const BdctCudaKernel *const kernels[BDCT_N_TRANSFORMS][2][2]
    [BDCT_CUDA_N_OUTPUTS] = {
#include "dct/transform/transforms.def"
};

/* Whether a plane has a second stage. */
bool
has_dc (const BdctCudaWork *work)
{
  for (int p = 0; p < work->n_planes; p++)
    if (bdct_job_log2_parts (&work->quantizers[0]
            .component[work->plane[p].layout.component[0]]) > 0)
      return true;
  return false;
}

} // namespace

extern "C" const BdctCudaKernel *
bdct_scalar_find (const BdctCudaWork *work)
{
  return kernels[work->quantizers[0].transform][has_dc (work)]
      [work->quantizers[0].depth > 8][work->output];
}
