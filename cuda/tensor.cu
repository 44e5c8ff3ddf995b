/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tensor-core kernels, what they need from the host, and which jobs they
 * take. */
#include "groups.cuh"
#include "tiles.cuh"

#include <stdlib.h>
#include "dct/matrices.h"
#include "tensor.h"

namespace {

template <typename Group, typename Sample, int ROWS, int WARPS, int BLOCKS>
__global__ void __launch_bounds__ (WARPS * 32, BLOCKS)
tensor (const __grid_constant__ BdctCudaBatch batch)
{
#if __CUDA_ARCH__ / 100 == BDCT_TENSOR_MAJOR
  constexpr int tile = ROWS * kPitch;

  /* Two tiles to read, one to write. */
  __shared__ __align__ (16) uint8_t tiles[WARPS][3][tile];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t peak = (1u << batch.job.depth) - 1;
  const uint32_t first = shared_address (tiles[warp]) + first_chunk (lane);
  const uint32_t matrices = Group::address (lane) - first_chunk (lane);
  const uint32_t out = first + 2 * tile;
  uint32_t in = first, next = first + tile;
  const int end = min ((int) (blockIdx.x + 1) * batch.span * WARPS,
      batch.n_tiles);
  int plane_index = -1;
  Place place;
  Format format = Format ();
  Counts counts = Counts ();
  typename Group::Lane chain;

  place.tile = blockIdx.x * batch.span * WARPS + warp;
  place.plane = 0;
  if (place.tile >= end)
    return;
  find<ROWS> (place, batch, lane);
  fetch<Sample, ROWS> (in, batch, place, peak, lane);
  copies_end ();
  while (true) {
    const Place here = place;

    advance<ROWS, WARPS> (place, batch, lane);
    if (place.tile < end)
      fetch<Sample, ROWS> (next, batch, place, peak, lane);
    copies_end ();

    const BdctCudaPlane &plane = batch.plane[here.plane];
    if (here.plane != plane_index) {
      if (plane_index >= 0)
        flush (counts, batch, plane_index, lane);
      plane_index = here.plane;
      format.pairs = plane.interleave > 1;
      format.shift = plane.shift;
      format.peak = peak * 0x10001u;
      chain.load (plane.constants, lane);
    }
    copies_wait<1> ();
    __syncwarp ();
    constexpr uint32_t step = Group::rows * kPitch;
    uint32_t from = in + matrices, to = out + matrices;
    _Pragma ("unroll 1") for (const uint32_t last = from + tile; from != last;
        from += step, to += step)
      _Pragma ("unroll 2") for (int i = 0; i < kTileBytes; i += Group::bytes)
        Group::run (chain, from + i, to + i, format, counts.nonzero);
    __syncwarp ();
    Errors errors = { 0, 0 };
    if (format.pairs)
      put<Sample, ROWS, true, false> (out, in, plane, here, errors, peak,
          lane);
    else
      put<Sample, ROWS, false, Group::order> (out, in, plane, here, errors,
          peak, lane);
    counts.all += errors.all;
    counts.second += errors.second;
    if (place.tile >= end)
      break;
    const uint32_t other = next;
    next = in;
    in = other;
    __syncwarp ();
  }
  flush (counts, batch, plane_index, lane);
#endif
}

/* The first inverse pass stays within 16 bits: 2^13 for the signal, and for the
 * quantization errors, 2/3 of a step at most, their sum with the matrix. */
bool
hevc_fits (const BdctComponentJob &job)
{
  const int sums[] = { 247, 479, 940, 1862 };   /* the matrices' columns' */
  int64_t largest = 0;

  for (int i = 0; i < 64; i++)
    if (job.dequant[i] > largest)
      largest = job.dequant[i];
  return largest * sums[job.log2_size - 2] * 2
      < (int64_t) (32767 - (1 << 13)) * 3 * 128 << job.dequant_bits;
}

/* What HevcFlat asks for. */
bool
hevc_flat (const BdctComponentJob &job)
{
  for (int i = 1; i < 64; i++)
    if (job.quant[i] != job.quant[0] || job.dequant[i] != job.dequant[0])
      return false;
  return job.dequant[0] % (1 << job.dequant_bits) == 0
      && rounding3 (job) != 0
      && (((int64_t) job.quant[0] << 14) + job.quant_add) >> job.quant_bits
      <= 2047;
}

/* The matrix of a component, in a square of `size`. */
Transform
transform_of (BdctMatrix matrix, int size)
{
  const int n = 1 << bdct_matrix_log2_size (matrix);
  int32_t whole[32 * 32];
  float real[8 * 8];
  Transform r;

  if (matrix == BDCT_MATRIX_REAL_8)
    bdct_matrix_real (real);
  else
    bdct_matrix_int (matrix, whole);
  r.size = size;
  for (int k = 0; k < size; k++)
    for (int i = 0; i < size; i++) {
      const int at = k % n * n + i % n;

      r.m[k][i] = k / n != i / n ? 0
          : matrix == BDCT_MATRIX_REAL_8 ? real[at] : whole[at];
    }
  return r;
}

/* Write a plane's constants for all lanes as they read them. */
template <typename Chain, int SIZE> void
make_constants (void *to, const BdctCudaPlane &plane, const BdctJob &job)
{
  const BdctComponentJob &component = job.component[plane.component[0]];
  const Transform m = transform_of (component.matrix, SIZE);
  const Kind kind = job.depth == 8 ? plane.interleave == 1 ? BYTES : BYTE_PAIRS
      : plane.interleave == 1 ? WORDS : WORD_PAIRS;

  static_assert (sizeof (Chain) <= BDCT_TENSOR_CONSTANTS / 32);
  for (int lane = 0; lane < 32; lane++) {
    Chain chain;
    const uint8_t *from = (const uint8_t *) &chain;

    memset ((void *) &chain, 0, sizeof chain);
    chain.set (m, kind, component, job.depth, lane);
    for (size_t i = 0; i < sizeof chain; i++)
      ((uint8_t *) to)[(i / 16 * 32 + lane) * 16 + i % 16] = from[i];
  }
}

/* How many rows a tile has, warps a block, and blocks a multiprocessor: the
 * best of those measured, among which none spills registers. */
template <typename Group, typename Sample, int SIZE, int ROWS, int WARPS,
    int BLOCKS> const BdctTensorKernel *
use ()
{
  static const BdctTensorKernel kernel = {
    (const void *) tensor<Group, Sample, ROWS, WARPS, BLOCKS>, ROWS, WARPS,
    BLOCKS, make_constants<typename Group::Lane::Constants, SIZE>
  };

  return &kernel;
}

template <typename Chain, typename Sample> const BdctTensorKernel *
use8 (bool large)
{
  if (large)
    return use<Group8<Chain, Sample>, Sample, 8, 32, 2, 8> ();
  return use<Group8<Chain, Sample>, Sample, 8, 8, 4, 4> ();
}

template <typename Chain, typename Sample, bool FLAT>
const BdctTensorKernel *
use16 (bool large)
{
  if constexpr (FLAT && sizeof (Sample) == 1)
    if (!large)
      return use<Group16<Chain, Sample>, Sample, 16, 16, 4, 4> ();
  return use<Group16<Chain, Sample>, Sample, 16, 16, 4, FLAT ? 3 : 2> ();
}

template <typename Sample, bool FLAT> const BdctTensorKernel *
use_hevc (int size, bool large)
{
  if (size == 32)
    return use<Group32<Hevc32<Sample, FLAT>, Sample>, Sample, 32, 32, 2,
        FLAT ? sizeof (Sample) == 1 ? 8 : 6 : 4> ();
  if (size == 16)
    return use16<Hevc16<Sample, FLAT>, Sample, FLAT> (large);
  return use8<Hevc8<Sample, FLAT>, Sample> (large);
}

} // namespace

cudaError_t
bdct_tensor_check (bool *has)
{
  cudaFuncAttributes attributes;
  int device, major = 0;
  cudaError_t err = cudaGetDevice (&device);

  *has = false;
  if (err == cudaSuccess)
    err = cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor,
        device);
  if (err != cudaSuccess || major != BDCT_TENSOR_MAJOR)
    return err;
  /* A build for other GPUs may run here through its PTX, of which these
   * kernels are empty. */
  err = cudaFuncGetAttributes (&attributes,
      use_hevc<uint8_t, true> (8, false)->function);
  *has = err == cudaSuccess && attributes.ptxVersion / 10 == BDCT_TENSOR_MAJOR;
  return err;
}

const BdctTensorKernel *
bdct_tensor_find (const BdctCudaFrame *frame)
{
  const BdctJob &job = frame->job;
  int64_t bytes = 0;
  bool flat = true;
  int size = 0;

  for (int p = 0; p < frame->n_planes; p++) {
    const BdctCudaPlane &plane = frame->plane[p];
    const BdctComponentJob &c = job.component[plane.component[0]];

    if (plane.interleave > 1
        && memcmp (&c, &job.component[plane.component[1]], sizeof c) != 0)
      return nullptr;
    if (job.family == BDCT_FAMILY_HEVC && !hevc_fits (c))
      return nullptr;
    if (1 << c.log2_size > size)
      size = 1 << c.log2_size;
    flat = flat && hevc_flat (c);
    bytes += (int64_t) plane.width * plane.interleave * plane.height
        * (job.depth > 8 ? 2 : 1);
  }
  /* Short tiles spread a frame better over the device, taller ones cost less:
   * worth it from about 8 tiles a warp. */
  const bool large = bytes > 32 << 20;
  switch (job.family) {
    case BDCT_FAMILY_HEVC:
      if (job.depth > 8)
        return flat ? use_hevc<uint16_t, true> (size, large)
            : use_hevc<uint16_t, false> (size, large);
      return flat ? use_hevc<uint8_t, true> (size, large)
          : use_hevc<uint8_t, false> (size, large);
    case BDCT_FAMILY_JPEG:
      if (job.depth > 8)
        return nullptr;
      return use8<Jpeg8, uint8_t> (large);
    case BDCT_FAMILY_REAL:
      return job.depth > 8 ? use8<Real8<uint16_t>, uint16_t> (large)
          : use8<Real8<uint8_t>, uint8_t> (large);
  }
  return nullptr;
}
