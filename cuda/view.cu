/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views on the GPU. What a sample of a view is stands in dct/render.h; here is
 * the way over the frame: a thread a sample where samples are copied or
 * subtracted, a warp a tile of 32 x 32 where blocks are measured. A view is for
 * people to look at: plain code, compiled without contraction as kernels.cu. */
#include "view-launch.h"

#include "dct/matrices.h"
#include "dct/quantize.h"

#define BDCT_INLINE static __device__ __forceinline__
#define BDCT_UNROLL _Pragma ("unroll")
#define BDCT_PASS(name) name##_value
#define BDCT_VALUE int32_t
#define BDCT_SCALAR int32_t
#include "dct/pass.h"
#undef BDCT_VALUE
#undef BDCT_SCALAR
#define BDCT_VALUE float
#define BDCT_SCALAR float
#include "dct/pass.h"

namespace {

constexpr int kTile = BDCT_RENDER_TILE;
constexpr int kMatrices = BDCT_MATRIX_HEVC_32 + 1;
constexpr int kBlocks = kTile / 4;      /* of the smallest size, a side */

struct Matrices
{
  int32_t whole[kMatrices][BDCT_MAX_SIZE * BDCT_MAX_SIZE];
  float real[64];
};

__constant__ Matrices matrices;

/* A kernel's parameter. */
struct Task
{
  BdctRender render;
  BdctJob job;
};

template <typename Value> using Tile = Value[kTile][kTile + 1];

template <typename Sample> __device__ __forceinline__ int
get (const uint8_t *plane, int64_t stride, const BdctRenderPlane &p, int x,
    int y, int depth)
{
  return bdct_sample_get (plane + y * stride, (int64_t) x * p.step,
      sizeof (Sample), p.shift, (1 << depth) - 1);
}

/* Put the sample (x, y) of a component, which was at (from_x, from_y) of the
 * picture, and what lies on top of it. */
template <typename Sample> __device__ __forceinline__ void
put (const BdctRender &r, int c, int x, int y, int from_x, int from_y, int v)
{
  const BdctRenderPlane &p = r.plane[c];

  if (r.grid && c == BDCT_Y && bdct_render_on_grid (&r, from_x, from_y))
    v = bdct_render_mark (v, r.depth);
  if (r.divider && x == r.split >> p.sub_x)
    v = c == BDCT_Y ? (1 << r.depth) - 1 : 1 << (r.depth - 1);
  bdct_render_legend (&r, c, x, y, &v);
  bdct_sample_put (p.dst + y * p.dst_stride, (int64_t) x * p.step,
      sizeof (Sample), p.shift, v);
}

/* Rows of 32 samples, 8 at a time; a launch's third dimension is the component.
 * The second one has fewer blocks than the highest frames need. */
template <typename Sample> __global__ void
draw_samples (const __grid_constant__ Task task)
{
  const BdctRender &r = task.render;
  const int c = blockIdx.z;
  const BdctRenderPlane &p = r.plane[c];
  const int x = blockIdx.x * 32 + threadIdx.x;

  if (x >= p.width)
    return;
  for (int y = blockIdx.y * 8 + threadIdx.y; y < p.height;
      y += gridDim.y * 8) {
    int from_x = x, from_y = y, v;

    if (r.mode == BDCT_VIEW_DIFFERENCE) {
      v = bdct_render_difference (get<Sample> (p.src, p.src_stride, p, x, y,
              r.depth), get<Sample> (p.rec, p.rec_stride, p, x, y, r.depth),
          r.gain, r.depth);
    } else {
      const bool rec = bdct_render_locate (&r, p.sub_x, p.sub_y, &from_x,
          &from_y);

      v = get<Sample> (rec ? p.rec : p.src, rec ? p.rec_stride : p.src_stride,
          p, from_x, from_y, r.depth);
    }
    put<Sample> (r, c, x, y, from_x, from_y, v);
  }
}

__device__ __forceinline__ int32_t
scale (int32_t v, int shift)
{
  return (v + (1 << (shift - 1))) >> shift;
}

__device__ __forceinline__ float
scale (float v, int)
{
  return v;
}

__device__ __forceinline__ int32_t
quantize (const BdctComponentJob &job, BdctFamily family, int32_t c, int index)
{
  return bdct_quantize_whole (&job, family, c, index);
}

__device__ __forceinline__ int32_t
quantize (const BdctComponentJob &job, BdctFamily, float c, int index)
{
  return bdct_quantize_real (&job, c, index);
}

/* The samples of a tile become their levels: a lane is a row in the first pass,
 * a column in the second one. */
template <int N, bool DENSE, typename Value> __device__ void
transform (Tile<Value> &t, const Value *m, const BdctComponentJob &job,
    BdctFamily family, int lane)
{
  for (int at = 0; at < kTile; at += N) {
    Value in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];

    _Pragma ("unroll") for (int i = 0; i < N; i++)
      in[i] = t[lane][at + i];
    if (DENSE)
      forward_dense4_value (out, in, m);
    else
      forward_value (out, in, m, N);
    _Pragma ("unroll") for (int i = 0; i < N; i++)
      t[lane][at + i] = scale (out[i], job.fwd_shift[0]);
  }
  __syncwarp ();
  for (int at = 0; at < kTile; at += N) {
    Value in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];

    _Pragma ("unroll") for (int i = 0; i < N; i++)
      in[i] = t[at + i][lane];
    if (DENSE)
      forward_dense4_value (out, in, m);
    else
      forward_value (out, in, m, N);
    _Pragma ("unroll") for (int i = 0; i < N; i++)
      t[at + i][lane] = (Value) quantize (job, family,
          scale (out[i], job.fwd_shift[1]),
          bdct_quantize_index (&job, i, lane & (N - 1)));
  }
  __syncwarp ();
}

__device__ void
transform_any (Tile<int32_t> &t, const BdctComponentJob &job,
    BdctFamily family, int lane)
{
  const int32_t *m = matrices.whole[job.matrix];

  if (job.matrix == BDCT_MATRIX_DST_4)
    transform<4, true> (t, m, job, family, lane);
  else if (job.log2_size == 2)
    transform<4, false> (t, m, job, family, lane);
  else if (job.log2_size == 3)
    transform<8, false> (t, m, job, family, lane);
  else if (job.log2_size == 4)
    transform<16, false> (t, m, job, family, lane);
  else
    transform<32, false> (t, m, job, family, lane);
}

__device__ void
transform_any (Tile<float> &t, const BdctComponentJob &job, BdctFamily family,
    int lane)
{
  transform<8, false> (t, matrices.real, job, family, lane);
}

/* The levels of a component's tile. */
template <typename Sample, typename Value> __device__ void
find_levels (Tile<Value> &t, const Task &task, int c, int left, int top,
    int lane)
{
  const BdctRenderPlane &p = task.render.plane[c];
  const int depth = task.render.depth, x = min (left + lane, p.width - 1);

  for (int y = 0; y < kTile; y++)
    t[y][lane] = (Value) (get<Sample> (p.src, p.src_stride, p, x,
            min (top + y, p.height - 1), depth) - (1 << (depth - 1)));
  __syncwarp ();
  transform_any (t, task.job.component[c], task.job.family, lane);
}

template <typename Sample, typename Value> __global__ void
__launch_bounds__ (32)
draw_levels (const __grid_constant__ Task task)
{
  __shared__ Tile<Value> t;

  const BdctRender &r = task.render;
  const int lane = threadIdx.x, c = blockIdx.z, left = blockIdx.x * kTile;
  const BdctRenderPlane &p = r.plane[c];

  if (left >= p.width)
    return;
  for (int top = blockIdx.y * kTile; top < p.height;
      top += gridDim.y * kTile) {
    const int x = left + lane;

    find_levels<Sample> (t, task, c, left, top, lane);
    for (int y = 0; y < min (kTile, p.height - top) && x < p.width; y++)
      put<Sample> (r, c, x, top + y, x, top + y,
          bdct_render_level ((int) t[y][lane], c != BDCT_Y, r.depth));
    __syncwarp ();
  }
}

/* The part of a component that lies in a tile of luma. */
struct Part
{
  int left, top, width, height;
  int log2_width, log2_height;  /* of the block's part */
};

__device__ Part
find_part (const BdctRender &r, int c, int left, int top)
{
  const BdctRenderPlane &p = r.plane[c];
  Part part;

  part.left = left >> p.sub_x;
  part.top = top >> p.sub_y;
  part.width = min (p.width - part.left, kTile >> p.sub_x);
  part.height = min (p.height - part.top, kTile >> p.sub_y);
  part.log2_width = r.plane[BDCT_Y].log2_size - p.sub_x;
  part.log2_height = r.plane[BDCT_Y].log2_size - p.sub_y;
  return part;
}

/* How many samples of a part are in its block (bx, by); none beyond its end. */
__device__ uint32_t
count_samples (const Part &part, int bx, int by)
{
  const int width = min (1 << part.log2_width,
      part.width - (bx << part.log2_width));
  const int height = min (1 << part.log2_height,
      part.height - (by << part.log2_height));

  return width > 0 && height > 0 ? width * height : 0;
}

template <typename Sample> __device__ void
add_errors (const BdctRender &r, int c, const Part &part, int lane,
    unsigned long long (*sum)[kBlocks])
{
  const BdctRenderPlane &p = r.plane[c];

  if (lane >= part.width)
    return;
  for (int y = 0; y < part.height; y++) {
    const int e = get<Sample> (p.src, p.src_stride, p, part.left + lane,
        part.top + y, r.depth) - get<Sample> (p.rec, p.rec_stride, p,
        part.left + lane, part.top + y, r.depth);

    atomicAdd (&sum[y >> part.log2_height][lane >> part.log2_width],
        (unsigned long long) (e * e));
  }
}

/* One tile of luma and what lies there of chroma, in the colours of its
 * blocks. */
template <typename Sample, typename Value> __global__ void
__launch_bounds__ (32)
draw_map (const __grid_constant__ Task task)
{
  __shared__ Tile<Value> t;
  __shared__ unsigned long long sum[kBlocks][kBlocks];
  __shared__ int colour[kBlocks][kBlocks];

  const BdctRender &r = task.render;
  const BdctRenderPlane &luma = r.plane[BDCT_Y];
  const int lane = threadIdx.x, left = blockIdx.x * kTile;
  const int size = luma.log2_size;

  for (int top = blockIdx.y * kTile; top < luma.height;
      top += gridDim.y * kTile) {
    for (int i = lane; i < kBlocks * kBlocks; i += 32)
      sum[i / kBlocks][i % kBlocks] = 0;
    __syncwarp ();
    if (r.mode == BDCT_VIEW_ERROR_MAP) {
      for (int c = 0; c < r.n_components; c++)
        add_errors<Sample> (r, c, find_part (r, c, left, top), lane, sum);
    } else {
      find_levels<Sample> (t, task, BDCT_Y, left, top, lane);
      for (int y = 0; y < kTile; y++)
        if (t[y][lane] != 0)
          atomicAdd (&sum[y >> size][lane >> size], 1ull);
    }
    __syncwarp ();
    for (int i = lane; i < kBlocks * kBlocks; i += 32) {
      const int bx = i % kBlocks, by = i / kBlocks;
      uint32_t count = 0;

      for (int c = 0; c < r.n_components; c++)
        count += count_samples (find_part (r, c, left, top), bx, by);
      if (r.mode == BDCT_VIEW_NONZERO_MAP)
        count = 1 << 2 * size;
      colour[by][bx] = bdct_render_colour (&r, sum[by][bx], count);
    }
    __syncwarp ();
    for (int c = 0; c < r.n_components; c++) {
      const Part part = find_part (r, c, left, top);

      for (int y = 0; y < part.height && lane < part.width; y++)
        put<Sample> (r, c, part.left + lane, part.top + y, part.left + lane,
            part.top + y, r.colour[colour[y >> part.log2_height]
                [lane >> part.log2_width]][c]);
    }
    __syncwarp ();
  }
}

template <typename Sample> const void *
kernel_for (const BdctRender *r, const BdctJob *job)
{
  const bool real = job->family == BDCT_FAMILY_REAL;

  if (r->mode == BDCT_VIEW_COEFFICIENTS)
    return real ? (const void *) draw_levels<Sample, float>
        : (const void *) draw_levels<Sample, int32_t>;
  if (r->mode == BDCT_VIEW_ERROR_MAP || r->mode == BDCT_VIEW_NONZERO_MAP)
    return real ? (const void *) draw_map<Sample, float>
        : (const void *) draw_map<Sample, int32_t>;
  return (const void *) draw_samples<Sample>;
}

} // namespace

extern "C" cudaError_t
bdct_cuda_view_upload (cudaStream_t stream)
{
  Matrices m;
  cudaError_t err;

  for (int i = 0; i < kMatrices; i++)
    if (i != BDCT_MATRIX_REAL_8)
      bdct_matrix_int ((BdctMatrix) i, m.whole[i]);
  bdct_matrix_real (m.real);
  err = cudaMemcpyToSymbolAsync (matrices, &m, sizeof m, 0,
      cudaMemcpyHostToDevice, stream);
  return err != cudaSuccess ? err : cudaStreamSynchronize (stream);
}

extern "C" cudaError_t
bdct_cuda_view_launch (const BdctRender *r, const BdctJob *job,
    cudaStream_t stream)
{
  const bool tiles = r->mode == BDCT_VIEW_COEFFICIENTS
      || r->mode == BDCT_VIEW_ERROR_MAP || r->mode == BDCT_VIEW_NONZERO_MAP;
  const bool map = tiles && r->mode != BDCT_VIEW_COEFFICIENTS;
  const int rows = tiles ? kTile : 8;
  const int width = r->plane[BDCT_Y].width, height = r->plane[BDCT_Y].height;
  const dim3 grid ((width - 1) / 32 + 1, min ((height - 1) / rows + 1, 65535),
      map ? 1 : r->n_components);
  Task task = { *r, *job };
  void *args[] = { &task };

  return cudaLaunchKernel (r->depth == 8 ? kernel_for<uint8_t> (r, job)
      : kernel_for<uint16_t> (r, job), grid, dim3 (32, tiles ? 1 : 8), args, 0,
      stream);
}
