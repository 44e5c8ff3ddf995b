/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fused kernel, one instance for each transform and sample type, and its
 * launcher. Compiled without contraction of floating-point operations (the
 * -fmad=false of meson.build), so that dct-8x8 computes what the CPU does here;
 * on the tensor cores (tensor.cu) it does not. */
#include "kernels.cuh"
#include "tensor.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
fused (const __grid_constant__ BdctCudaBatch batch)
{
  constexpr BdctMatrix CHROMA = chroma_matrix (LUMA);
  constexpr BdctFamily family = Matrix<LUMA>::family;
  using Value = typename Matrix<LUMA>::Value;

  __shared__ Square<Value> square[kWarps];
  __shared__ Tables tables[2];
  __shared__ unsigned long long sums[kWarps];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int index = 0;

  while (index + 1 < batch.n_planes
      && (int) blockIdx.x >= batch.plane[index + 1].first_tile)
    index++;

  const BdctCudaPlane &plane = batch.plane[index];
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
        batch.job.component[plane.component[threadIdx.x / 64]];

    tables[threadIdx.x / 64].quant[k] = job.quant[k];
    tables[threadIdx.x / 64].aid[k] = aid (job, family, k);
  }
  __syncthreads ();

  unsigned long long sum = 0;

  if (x0 < plane.width) {
    const BdctComponentJob &job = batch.job.component[plane.component[i]];
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
    w.peak = (1 << batch.job.depth) - 1;
    w.middle = 1 << (batch.job.depth - 1);
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
    BdctCudaCell &cell = plane.cells[blockIdx.x % BDCT_CUDA_CELLS];

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

struct BdctCudaDevice
{
  int multiprocessors;
  bool tensor;                  /* whether the tensor-core kernels are used */
  /* The tensor-core kernels' constants for each plane, and what they were made
   * for. */
  uint8_t *constants, *constants_host;
  BdctJob job;
  int n_planes, interleave[BDCT_MAX_PLANES], component[BDCT_MAX_PLANES];
};

extern "C" cudaError_t
bdct_cuda_open (BdctCudaDevice **out, bool tensor, cudaStream_t stream)
{
  const size_t size = BDCT_MAX_PLANES * BDCT_TENSOR_CONSTANTS;
  BdctCudaDevice *device = (BdctCudaDevice *) calloc (1, sizeof *device);
  int id;
  cudaError_t err;

  if (device == nullptr)
    return cudaErrorMemoryAllocation;
  err = cudaGetDevice (&id);
  if (err == cudaSuccess)
    err = cudaDeviceGetAttribute (&device->multiprocessors,
        cudaDevAttrMultiProcessorCount, id);
  if (err == cudaSuccess && tensor)
    err = bdct_tensor_check (&device->tensor);
  if (err == cudaSuccess)
    err = upload_matrices (stream);
  if (err == cudaSuccess && device->tensor) {
    err = cudaMalloc ((void **) &device->constants, size);
    device->constants_host = (uint8_t *) malloc (size);
    if (err == cudaSuccess && device->constants_host == nullptr)
      err = cudaErrorMemoryAllocation;
  }
  if (err != cudaSuccess) {
    bdct_cuda_close (device);
    return err;
  }
  *out = device;
  return cudaSuccess;
}

extern "C" void
bdct_cuda_close (BdctCudaDevice *device)
{
  if (device == nullptr)
    return;
  cudaFree (device->constants);
  free (device->constants_host);
  free (device);
}

extern "C" bool
bdct_cuda_cut (BdctCudaFrame *frame, const BdctCudaDevice *device)
{
  int64_t n_tiles = 0;
  const int bytes = frame->job.depth > 8 ? 2 : 1;

  frame->tensor = device->tensor ? bdct_tensor_find (frame) : nullptr;
  for (int p = 0; p < frame->n_planes; p++) {
    BdctCudaPlane *plane = &frame->plane[p];
    const int rows = frame->tensor ? frame->tensor->rows : kTile;
    int width = plane->width, tile_width = kTile * kWarps / plane->interleave;

    plane->row_bytes = plane->width * plane->interleave * bytes;
    plane->block = 1 << frame->job.component[plane->component[0]].log2_size;
    plane->grey = 1 << (frame->job.depth - 1 + plane->shift);
    plane->aligned = (((uintptr_t) plane->src | (uintptr_t) plane->dst
            | (uintptr_t) plane->src_stride | (uintptr_t) plane->dst_stride)
        & 15) == 0;
    plane->constants = device->constants + p * BDCT_TENSOR_CONSTANTS;
    if (frame->tensor)
      width = plane->row_bytes, tile_width = BDCT_TENSOR_TILE_BYTES;
    plane->tiles_x = (width - 1) / tile_width + 1;
    plane->first_tile = (int32_t) n_tiles;
    n_tiles += (int64_t) plane->tiles_x * ((plane->height - 1) / rows + 1);
    if (n_tiles > INT_MAX / 2)
      return false;
  }
  frame->n_tiles = (int32_t) n_tiles;
  return true;
}

/* Have the planes' constants in device memory. */
static cudaError_t
update_constants (const BdctCudaFrame *frame, BdctCudaDevice *device,
    cudaStream_t stream)
{
  bool same = device->n_planes == frame->n_planes
      && memcmp (&device->job, &frame->job, sizeof frame->job) == 0;

  for (int p = 0; p < frame->n_planes; p++) {
    const BdctCudaPlane *plane = &frame->plane[p];

    same = same && device->interleave[p] == plane->interleave
        && device->component[p] == plane->component[0];
    device->interleave[p] = plane->interleave;
    device->component[p] = plane->component[0];
  }
  if (same)
    return cudaSuccess;
  device->job = frame->job;
  device->n_planes = 0;
  for (int p = 0; p < frame->n_planes; p++)
    frame->tensor->make_constants (device->constants_host
        + p * BDCT_TENSOR_CONSTANTS, frame->plane[p], frame->job);
  /* From pageable memory: it is read before the call returns. */
  const cudaError_t err = cudaMemcpyAsync (device->constants,
      device->constants_host, frame->n_planes * BDCT_TENSOR_CONSTANTS,
      cudaMemcpyHostToDevice, stream);
  if (err == cudaSuccess)
    device->n_planes = frame->n_planes;
  return err;
}

/* Append a frame, if the batch is empty or of its kind and has room. */
static bool
append (BdctCudaBatch *batch, const BdctCudaFrame *frame)
{
  if (batch->n_planes > 0
      && (batch->n_planes + frame->n_planes > BDCT_CUDA_MAX_PLANES
          || batch->n_tiles > INT_MAX / 2
          || memcmp (&batch->job, &frame->job, sizeof frame->job) != 0))
    return false;
  batch->job = frame->job;
  for (int p = 0; p < frame->n_planes; p++) {
    BdctCudaPlane *plane = &batch->plane[batch->n_planes++];

    *plane = frame->plane[p];
    plane->first_tile += batch->n_tiles;
    plane->cells = frame->cells;
  }
  batch->n_tiles += frame->n_tiles;
  return true;
}

static cudaError_t
launch (BdctCudaBatch *batch, const BdctCudaFrame *first,
    BdctCudaDevice *device, cudaStream_t stream)
{
  const BdctMatrix luma = batch->job.component[BDCT_Y].matrix;
  const void *kernel = batch->job.depth == 8 ? kernel_for<uint8_t> (luma)
      : kernel_for<uint16_t> (luma);
  int64_t blocks = batch->n_tiles;
  int threads = kWarps * 32;
  const BdctTensorKernel *tensor = first->tensor;
  void *args[] = { batch };

  if (tensor != nullptr) {
    /* All warps that the device holds at once, as often as it takes for each
     * to have tiles of about 256 rows: none is left for a last, half empty
     * round. */
    const int64_t warps = (int64_t) device->multiprocessors * tensor->blocks
        * tensor->warps;
    const int64_t round = 256 / tensor->rows * warps;
    const int64_t rounds = (batch->n_tiles + round / 2) / round;
    const cudaError_t err = update_constants (first, device, stream);

    if (err != cudaSuccess)
      return err;
    batch->span = (int32_t) ((batch->n_tiles - 1)
        / (warps * (rounds ? rounds : 1)) + 1);
    kernel = tensor->function;
    blocks = (batch->n_tiles - 1) / (batch->span * tensor->warps) + 1;
    threads = tensor->warps * 32;
  }
  if (kernel == nullptr)
    return cudaErrorInvalidValue;
  return cudaLaunchKernel (kernel, dim3 ((unsigned) blocks), dim3 (threads),
      args, 0, stream);
}

extern "C" cudaError_t
bdct_cuda_launch (const BdctCudaFrame *const *frames, int n_frames,
    BdctCudaDevice *device, cudaStream_t stream)
{
  int i = 0;

  static_assert (sizeof (BdctCudaBatch) <= 4096);
  while (i < n_frames) {
    const BdctCudaFrame *first = frames[i];
    BdctCudaBatch batch;

    batch.n_planes = batch.n_tiles = 0;
    while (i < n_frames && append (&batch, frames[i]))
      i++;
    const cudaError_t err = launch (&batch, first, device, stream);
    if (err != cudaSuccess)
      return err;
  }
  return cudaSuccess;
}

extern "C" bool
bdct_cuda_has_tensor (const BdctCudaDevice *device)
{
  return device->tensor;
}
