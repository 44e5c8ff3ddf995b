/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fused kernel, one instance for each transform and sample type, and its
 * launcher. Compiled without contraction of floating-point operations (the
 * -fmad=false of meson.build), so that dct-8x8 computes what the CPU does. */
#include "kernels.cuh"

#include <limits.h>

namespace {

/* The stages of one warp's square. Returns nonzero << 48 | sse, summed over
 * the lane's columns: sse of a square is below 2^35. */
template <BdctMatrix M, typename Sample> BDCT_INLINE unsigned long long
chain (Square<typename Matrix<M>::Value> &t, const Window<Sample> &w,
    const Tables &tables, const BdctComponentJob &job, bool counted, int lane)
{
  unsigned long long nonzero;
  uint32_t sse;

  load (t, w, lane);
  __syncwarp ();
  rows<M, false, false> (t, job.fwd_shift[0], lane);
  __syncwarp ();
  nonzero = columns<M> (t, tables, job, w.rows, lane);
  __syncwarp ();
  rows<M, true, M == BDCT_MATRIX_ISLOW_8 && (sizeof (Sample) > 1)> (t,
      job.inv_shift[1], lane);
  __syncwarp ();
  sse = store (t, w, lane);
  return (counted ? nonzero << 48 : 0) | sse;
}

BDCT_INLINE unsigned long long
warp_sum (unsigned long long v)
{
  BDCT_UNROLL for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
}

BDCT_INLINE uint32_t
aid (const BdctComponentJob &job, BdctFamily family, int i)
{
  if (family == BDCT_FAMILY_HEVC)
    return job.dequant[i];
  return __float_as_uint (__frcp_rn (8.0f * (float) job.quant[i]));
}

/* One block: a tile of 32 rows of one plane and 128 samples of each row. Where
 * two components are interleaved, that is 64 of the first, for warps 0 and 1,
 * and 64 of the second, for warps 2 and 3. */
template <BdctMatrix LUMA, typename Sample>
__global__ void __launch_bounds__ (kWarps * 32)
fused (const __grid_constant__ BdctCudaFrame frame)
{
  constexpr BdctMatrix CHROMA = chroma_matrix (LUMA);
  constexpr BdctFamily family = Matrix<LUMA>::family;
  using Value = typename Matrix<LUMA>::Value;

  __shared__ Square<Value> square[kWarps];
  __shared__ Tables tables[2];
  __shared__ unsigned long long sums[kWarps];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int index = 0;

  while (index + 1 < frame.n_planes
      && (int) blockIdx.x >= frame.plane[index + 1].first_tile)
    index++;

  const BdctCudaPlane &plane = frame.plane[index];
  const int step = plane.interleave;
  const int tile = blockIdx.x - plane.first_tile;
  const int tile_y = tile / plane.tiles_x;
  const int tile_x = tile - tile_y * plane.tiles_x;
  const int i = step == 1 ? 0 : warp / 2;
  const int x0 = (step == 1 ? tile_x * kWarps + warp
      : tile_x * (kWarps / 2) + warp % 2) * kTile;
  const int y0 = tile_y * kTile;

  if (threadIdx.x < 64 * step) {
    const int k = threadIdx.x % 64;
    const BdctComponentJob &job =
        frame.job.component[plane.component[threadIdx.x / 64]];

    tables[threadIdx.x / 64].quant[k] = job.quant[k];
    tables[threadIdx.x / 64].aid[k] = aid (job, family, k);
  }
  __syncthreads ();

  unsigned long long sum = 0;

  if (x0 < plane.width) {
    const BdctComponentJob &job = frame.job.component[plane.component[i]];
    const int size = 1 << job.log2_size;
    const int x = min (x0 + lane, plane.width - 1);
    const int64_t column = ((int64_t) x * step + i) * (int) sizeof (Sample);
    const bool counted = x0 + (lane & ~(size - 1)) < plane.width;
    Window<Sample> w;

    w.src = (const Sample *) (plane.src + y0 * plane.src_stride + column);
    w.dst = (Sample *) (plane.dst + y0 * plane.dst_stride + column);
    w.src_stride = plane.src_stride;
    w.dst_stride = plane.dst_stride;
    w.rows = min (kTile, plane.height - y0);
    w.visible = x0 + lane < plane.width;
    w.shift = plane.shift;
    w.peak = (1 << frame.job.depth) - 1;
    w.middle = 1 << (frame.job.depth - 1);
    if (LUMA == CHROMA || job.matrix == LUMA)
      sum = chain<LUMA> (square[warp], w, tables[i], job, counted, lane);
    else
      sum = chain<CHROMA> (square[warp], w, tables[i], job, counted, lane);
    sum = warp_sum (sum);
  }
  if (lane == 0)
    sums[warp] = sum;
  __syncthreads ();
  if (threadIdx.x < step) {
    const int c = plane.component[threadIdx.x];
    BdctCudaCell &cell = frame.cells[blockIdx.x % BDCT_CUDA_CELLS];

    sum = step == 1 ? sums[0] + sums[1] + sums[2] + sums[3]
        : sums[2 * threadIdx.x] + sums[2 * threadIdx.x + 1];
    atomicAdd (&cell.sse[c], sum & (1ull << 48) - 1);
    atomicAdd (&cell.nonzero[c], sum >> 48);
  }
}

template <typename Sample> const void *
kernel_for (BdctMatrix luma)
{
  switch (luma) {
#define CASE(m) case m: return (const void *) fused<m, Sample>;
    CASE (BDCT_MATRIX_ISLOW_8)
    CASE (BDCT_MATRIX_REAL_8)
    CASE (BDCT_MATRIX_DST_4)
    CASE (BDCT_MATRIX_HEVC_4)
    CASE (BDCT_MATRIX_HEVC_8)
    CASE (BDCT_MATRIX_HEVC_16)
    CASE (BDCT_MATRIX_HEVC_32)
#undef CASE
  }
  return nullptr;
}

} // namespace

extern "C" cudaError_t
bdct_cuda_upload (const BdctCudaMatrices *m, cudaStream_t stream)
{
  return cudaMemcpyToSymbolAsync (matrices, m, sizeof *m, 0,
      cudaMemcpyHostToDevice, stream);
}

extern "C" bool
bdct_cuda_cut (BdctCudaFrame *frame)
{
  int64_t n_tiles = 0;

  for (int p = 0; p < frame->n_planes; p++) {
    BdctCudaPlane *plane = &frame->plane[p];
    const int tile_width = kTile * kWarps / plane->interleave;

    plane->tiles_x = (plane->width - 1) / tile_width + 1;
    plane->first_tile = (int32_t) n_tiles;
    n_tiles += (int64_t) plane->tiles_x * ((plane->height - 1) / kTile + 1);
    if (n_tiles > INT_MAX)
      return false;
  }
  frame->n_tiles = (int32_t) n_tiles;
  return true;
}

extern "C" cudaError_t
bdct_cuda_launch (const BdctCudaFrame *frame, cudaStream_t stream)
{
  const BdctMatrix luma = frame->job.component[BDCT_Y].matrix;
  const void *kernel = frame->job.depth == 8 ? kernel_for<uint8_t> (luma)
      : kernel_for<uint16_t> (luma);
  void *args[] = { const_cast<BdctCudaFrame *> (frame) };

  if (kernel == nullptr)
    return cudaErrorInvalidValue;
  return cudaLaunchKernel (kernel, dim3 (frame->n_tiles), dim3 (kWarps * 32),
      args, 0, stream);
}
