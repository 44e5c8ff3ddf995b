/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Levels by rate and distortion on the GPU (rdoq.cuh). Kernels of scalar.cu
 * compute the coefficients before, and reconstruct from the levels after. */
#include "rdoq.cuh"

#include <string.h>
#include "dct/base/sample.h"
#include "dct/picture/render.h"

namespace {

/* Choose levels in place of coefficients. Pointers to the numbers of several
 * quantizers take more registers than one quantizer's in shared memory. */
template <bool MAPPED> struct Choose
{
  static constexpr int kBlocksAtOnce = MAPPED ? 4 : 5;

  static BDCT_INLINE void
  thread (const BdctCudaBatch &, const Tile &tile, Shared &sh, int t)
  {
    choose_tile<MAPPED> (tile, sh, t);
  }
};

/* Draw the levels: a thread a sub-block. */
struct Draw
{
  static constexpr int kBlocksAtOnce = 8;

  static BDCT_INLINE void
  thread (const BdctCudaBatch &batch, const Tile &tile, Shared &, int t)
  {
    const BdctPlaneLayout &layout = tile.plane.layout;
    const int n = tile.plane.log2_width, of_block = 1 << 2 * (n - 2);

    for (int s = t; s < kWarps * kSubBlocks; s += kThreads) {
      const int number = tile.first + s / of_block;
      const int left = 4 * (s % of_block % (1 << (n - 2)));
      const int top = 4 * (s % of_block >> (n - 2));
      const int x = (number % tile.plane.columns << n) + left;
      const int y = (number / tile.plane.columns << n) + top;
      const BdctLevel *levels = tile.plane.levels[tile.i]
          + ((size_t) number << 2 * n) + (top << n) + left;

      if (number >= tile.n)
        break;
      for (int v = 0; v < 4 && y + v < layout.height; v++)
        for (int u = 0; u < 4 && x + u < layout.width; u++)
          bdct_sample_put (tile.plane.dst.data + (y + v)
              * tile.plane.dst.stride,
              (int64_t) (x + u) * layout.interleave + tile.i,
              batch.depth > 8 ? 2 : 1, layout.shift,
              bdct_render_level (levels[(v << n) + u],
                  layout.component[tile.i] != BDCT_Y, batch.depth));
    }
  }
};

template <typename K> BDCT_INLINE void
run_thread (const BdctCudaBatch &batch, int tile, Shared &sh, int t)
{
  int p = 0;

  while (p + 1 < batch.n_planes && tile >= batch.plane[p + 1].first_tile)
    p++;
  K::thread (batch, Tile (batch.plane[p], tile - batch.plane[p].first_tile),
      sh, t);
}

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (kThreads, K::kBlocksAtOnce)
run (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ Shared sh;

  run_thread<K> (batch, blockIdx.x, sh, threadIdx.x);
}

#endif

int
tile_blocks (const BdctComponentJob *job)
{
  return kWarps * kSubBlocks >> 2 * (job->log2_width - 2);
}

/* The rates of flags in a sub-block with these neighbours. */
void
make_significance (Constants *to, const BdctCabacCosts *costs, int log2_size,
    bool chroma, int row)
{
  const BdctCabacSubBlock s = bdct_cabac_sub_contexts (log2_size, chroma,
      row & 4, row & 1, row & 2, false);

  to->zeros[row] = 0;
  for (int i = 0; i < 16; i++) {
    const uint32_t *bin = costs->bin[bdct_cabac_sig (&s, i)];

    to->significance[row][i] = { to->zeros[row], bin[1] - bin[0] };
    to->zeros[row] += bin[0];
  }
}

/* The rates of levels by how they are coded. */
void
make_level (Constants *to, const BdctCabacCosts *costs, int log2_size,
    bool chroma, int row)
{
  const BdctCabacSubBlock s = bdct_cabac_sub_contexts (log2_size, chroma,
      row & 2, false, false, row & 1);
  const uint32_t bit = 1u << BDCT_CABAC_COST_BITS;
  const uint32_t *two = costs->bin[s.greater2];

  for (int coding = 0; coding < N_CODINGS; coding++) {
    const int base = coding < CODING_GREATER ? 3
        : coding < CODING_FLAGLESS ? 2 : 1;
    const int rice = base == 3 ? 0
        : coding - (base == 2 ? CODING_GREATER : CODING_FLAGLESS);
    const uint32_t *one = costs->bin[s.greater1
        + (base == 3 ? 1 + coding : 0)];
    uint32_t *rate = to->level[row][coding];

    for (int level = 1; level < kManyLevels; level++) {
      rate[0] = bit + (base > 1 ? one[level > 1] : 0)
          + (base > 2 && level > 1 ? two[level > 2] : 0);
      rate[level] = rate[0] + (level < base ? 0
          : bit * (uint32_t) bdct_cabac_remaining (level - base, rice));
    }
  }
}

/* The least magnitude that has a level. */
uint32_t
find_threshold (const BdctComponentJob *job, int32_t quant, int level,
    int64_t add)
{
  const int64_t least = quant > 0 ? (((int64_t) level << job->quant_bits) - add
      + quant - 1) / quant : UINT16_MAX;

  return (uint32_t) (least < UINT16_MAX ? least : UINT16_MAX);
}

void
make_quantizers (Constants *to, const BdctComponentJob *job)
{
  const int64_t half = INT64_C (1) << (job->quant_bits - 1);

  for (int i = 0; i < 65; i++) {
    const int32_t quant = i < 64 ? job->quant[i] : job->quant_dc;

    to->quantizer[i] = { quant, i < 64 ? job->dequant[i] : job->dequant_dc };
    to->threshold[i] = { find_threshold (job, quant, 1, half)
      | find_threshold (job, quant, 1, job->quant_add) << 16,
      find_threshold (job, quant, 2, job->quant_add) };
  }
  to->quant_bits = job->quant_bits;
  to->quant_half = 1 << (job->quant_bits - 1);
  to->quant_add = job->quant_add;
  to->dequant_bits = job->dequant_bits;
  to->dequant_half = 1 << (job->dequant_bits - 1);
}

void
make_positions (Constants *to, int log2_size)
{
  const int side = 1 << (log2_size - 2);
  uint8_t number[8][8];

  memset (number, kNowhere, sizeof number);
  for (int j = 0, x = side - 1, y = side - 1; j < side * side; j++) {
    number[y][x] = (uint8_t) j;
    to->position[j] = { (uint8_t) x, (uint8_t) y,
      x + 1 < side ? number[y][x + 1] : kNowhere,
      y + 1 < side ? number[y + 1][x] : kNowhere };
    if (j + 1 < side * side)
      bdct_cabac_before (&x, &y, side);
  }
}

void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  memset (to, 0, 2 * sizeof (Constants));
  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponent c = plane->layout.component[i];
    const int log2_size = job->component[c].log2_width;
    const bool chroma = c != BDCT_Y;
    Constants *own = (Constants *) to + i;
    BdctRdoq rdoq;

    bdct_rdoq_init (&rdoq, job, c);
    for (int row = 0; row < 8; row++)
      make_significance (own, &rdoq.costs, log2_size, chroma, row);
    for (int row = 0; row < 4; row++)
      make_level (own, &rdoq.costs, log2_size, chroma, row);
    memcpy (own->sub_block, rdoq.costs.bin[chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
            : BDCT_CABAC_LUMA_SUB_BLOCK], sizeof own->sub_block);
    memcpy (own->block, rdoq.costs.bin[chroma ? BDCT_CABAC_CHROMA_CBF
            : BDCT_CABAC_LUMA_CBF], sizeof own->block);
    memcpy (own->last, rdoq.last, sizeof own->last);
    make_quantizers (own, &job->component[c]);
    make_positions (own, log2_size);
    own->lambda = (int32_t) rdoq.lambda;
    own->scale = 1 << rdoq.distortion_shift;
  }
}

/* In the emulation a kernel is an ordinary function. */
template <typename K> const BdctCudaKernel kernel = {
#ifdef __CUDACC__
  (const void *) run<K>,
#else
  &kernel<K>,
#endif
  0, 0, kWarps, kWarps, 0, 2 * sizeof (Constants), 1, tile_blocks,
  make_constants, false
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_rdoq_find (BdctCudaRdoq what)
{
  return what == BDCT_CUDA_CHOOSE ? &kernel<Choose<false>>
      : what == BDCT_CUDA_CHOOSE_MAPPED ? &kernel<Choose<true>> : &kernel<Draw>;
}
