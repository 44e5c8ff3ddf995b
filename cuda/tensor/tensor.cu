/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tensor-core kernels, what they need from the host, and which work they
 * support. Words of the files in tensor/:
 *     a block    a transform's: 4 x 4 to 64 x 64 samples of one component;
 *     a square   a matrix': 8 x 8 to 64 x 64 samples of one component, one
 *                block or several;
 *     a unit     two 8 x 8 squares, neighbours or of two components, which the
 *                chains of this size process at once;
 *     a chunk    16 bytes of a row of a plane;
 *     a tile     8 chunks, or 4, of each of 8 to 64 rows, which a warp has in
 *                shared memory at once;
 *     a group    the part of a tile that a warp has in registers at once;
 *     a part     the part of a group that has a count of its own. */
#include "groups.cuh"
#include "hevc8.cuh"
#include "jpeg10.cuh"
#include "dct8x8.cuh"

#include "dct/quantizer/quantize.h"
#include "dct/transform/matrices.h"

namespace {

/* Finish a tile after its groups: write samples, errors and, with EXTRAS, the
 * blocks' records. `out` and `in` are the addresses of its first bytes. */
template <typename Group, typename Sample, typename S, int SIDE, bool PAIRS,
    bool LEVELS>
BDCT_INLINE void
finish_blocks (uint32_t out, uint32_t in, const BdctCudaPlane &plane,
    uint32_t requested, const Place &p, Errors &errors, uint32_t peak,
    int lane)
{
  const uint32_t first = first_chunk<S, true> (lane);

  static_assert (S::bytes == kTileBytes);
  put_blocks<Sample, S::rows, SIDE, PAIRS, Group::order && !PAIRS> (out + first,
      in + first, plane, requested, p, errors, peak, lane);
  if (!(requested & RECORDS))
    return;
  if constexpr (Group::size < 32)
    add_fields<S::rows * S::bytes / Group::rows / Group::bytes, Group::parts,
        (SIDE < 8)> (in, out, lane);
  __syncwarp ();
  write_records<Group, Sample, S::rows, SIDE, PAIRS, LEVELS> (out, in, plane, p,
      lane);
}

template <typename Group, typename Sample, typename S, bool EXTRAS, bool LEVELS,
    bool PAIRS>
BDCT_INLINE Errors
finish (uint32_t out, uint32_t in, const BdctCudaPlane &plane,
    uint32_t requested, const Place &p, uint32_t peak, int lane)
{
  Errors errors[1] = {};

  if (!p.straight && (!EXTRAS || plane.dst.data != nullptr)) {
    store_rows<S, Group::order && !PAIRS> (out, plane, p, lane);
    __syncwarp ();
  }
  if constexpr (!EXTRAS) {
    const uint32_t first = first_chunk<S, false> (lane);

    put<Sample, S, false, PAIRS, Group::order && !PAIRS> (p.dst, out + first,
        in + first, plane, p, 0, S::rows, errors, peak, lane);
  } else if (!(requested & HALF_SIZE)) {
    /* Luma alone has blocks of 64 x 64. */
    if constexpr (!PAIRS || Group::size < 64)
      finish_blocks<Group, Sample, S, Group::size, PAIRS, LEVELS> (out, in,
          plane, requested, p, errors[0], peak, lane);
  } else {
    finish_blocks<Group, Sample, S, Group::size / 2, PAIRS, LEVELS> (out, in,
        plane, requested, p, errors[0], peak, lane);
  }
  return errors[0];
}

/* The blocks that a multiprocessor should hold at once, which limits their
 * registers: as many as requested, or as fit its shared memory, or fewer where
 * ptxas would spill. */
constexpr int
blocks_at_once (int requested, int size, int bytes)
{
#ifdef __CUDA_ARCH__
  constexpr int arch = __CUDA_ARCH__;
#else
  constexpr int arch = 900;
#endif
  /* In KiB; each block takes one more from 8.0 on. */
  constexpr int shared = arch == 750 ? 64 : arch == 800 || arch == 870 ? 164
      : arch < 900 || arch >= 1200 ? 100 : 228;
  const int fit = shared * 1024 / (bytes + (arch >= 800 ? 1024 : 0));
  const int most = arch >= 1000 && size >= 32 ? requested / 2
      : arch == 750 || arch == 1100 || (arch >= 1000 && size == 16)
      ? requested * 3 / 4 : requested;

  return most < fit ? most : fit;
}

/* EXTRAS: features that usual frames do not need, and that take time: blocks'
 * records, a map of quantizers, no output. LEVELS: the levels are written,
 * too. */
template <typename Group, typename Sample, typename S, int WARPS, int BLOCKS,
    bool EXTRAS, bool LEVELS>
__global__ void __launch_bounds__ (WARPS * 32,
    blocks_at_once (BLOCKS, Group::size, WARPS * 3 * S::size))
tensor (const __grid_constant__ BdctCudaBatch batch)
{
  /* Two tiles to read, one to write. */
  __shared__ __align__ (16) uint8_t tiles[WARPS][3][S::size];

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t peak = (1u << batch.depth) - 1;
  const uint32_t first = shared_address (tiles[warp]);
  const uint32_t chunk = first_chunk<S, false> (lane);
  const uint32_t matrices = Group::Chunks::row (lane);
  const uint32_t out = first + 2 * S::size;
  uint32_t in = first, next = first + S::size;
  const int end = min ((int) (blockIdx.x + 1) * batch.span * WARPS,
      batch.n_tiles);
  int plane_index = -1, quantizer = 0;
  Place place;
  Format format = Format ();
  uint32_t requested = 0;
  Counts<Nonzero<EXTRAS>> counts = Counts<Nonzero<EXTRAS>> ();
  LevelSink<LEVELS, Group::size, S> levels;
  typename Group::Lane chain;

  let_next_begin ();
  place.tile = blockIdx.x * batch.span * WARPS + warp;
  place.plane = place.quantizer = 0;
  if (place.tile >= end)
    return;
  find<S, EXTRAS> (place, batch, lane);
  wait_for_last ();
  if constexpr (EXTRAS) {
    leave_mixed<Sample, S, WARPS> (place, end, batch, lane);
    if (place.tile >= end)
      return;
  }
  fetch<Sample, S> (in, in + chunk, batch, place, lane);
  copies_end ();
  while (true) {
    const Place here = place;

    advance<S, WARPS, EXTRAS> (place, batch, lane);
    if constexpr (EXTRAS)
      leave_mixed<Sample, S, WARPS> (place, end, batch, lane);
    if (place.tile < end)
      fetch<Sample, S> (next, next + chunk, batch, place, lane);
    copies_end ();

    const BdctCudaPlane &plane = plane_at (batch, here.plane);

    if (here.plane != plane_index || (EXTRAS && here.quantizer != quantizer)) {
      if (here.plane != plane_index && plane_index >= 0)
        flush (counts, batch, plane_index, lane);
      plane_index = here.plane;
      quantizer = EXTRAS ? here.quantizer : 0;
      format.pairs = plane.layout.interleave > 1;
      format.shift = plane.layout.shift;
      format.peak = peak * 0x10001u;
      requested = (EXTRAS && (LEVELS ? plane.records : plane.blocks[0])
          != nullptr ? RECORDS : 0)
          | (1 << plane.log2_width < Group::size ? HALF_SIZE : 0);
      format.half_size = requested & HALF_SIZE;
      chain.load (plane.constants + quantizer * plane.quantizer_size, lane);
    }
    copies_wait<1> ();
    __syncwarp ();
    if (!here.straight) {
      straighten<Sample, S> (in, plane, here, peak, lane);
      __syncwarp ();
    }
    constexpr uint32_t step = Group::rows * S::pitch;
    uint32_t from = in + matrices, to = out + matrices;
    counts.nonzero.begin_tile (in, out, requested & RECORDS, lane);
    levels.begin_tile (plane, here, format.pairs, lane);
    _Pragma ("unroll 1") for (const uint32_t last = from + S::size;
        from != last; from += step, to += step)
      _Pragma ("unroll 2") for (int i = 0; i < S::bytes; i += Group::bytes)
        Group::run (chain, from + i, to + i, i, format, counts.nonzero, levels);
    __syncwarp ();
    const Errors errors = format.pairs
        ? finish<Group, Sample, S, EXTRAS, LEVELS, true> (out, in, plane,
            requested, here, peak, lane)
        : finish<Group, Sample, S, EXTRAS, LEVELS, false> (out, in, plane,
            requested, here, peak, lane);
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
}

/* Of the kept rows of a basis' matrix M: the largest magnitude of an entry, and
 * the largest sum of the magnitudes of a row, of a column, and of a row of M^T
 * M. 0 if it is not a matrix of whole numbers. */
struct Bounds
{
  int entry, row, column, echo;
};

constexpr int
max_of (int a, int b)
{
  return a > b ? a : b;
}

constexpr int
magnitude (int v)
{
  return v < 0 ? -v : v;
}

constexpr Bounds
bounds_of (BdctBasis basis, int size)
{
  const int keep = size < 32 ? size : 32;
  int m[32][64] = {};
  Bounds bounds = {};

  for (int k = 0; k < keep; k++) {
    int row = 0;

    for (int n = 0; n < size; n++) {
      m[k][n] = bdct_matrix_int (basis, k, n);
      row += magnitude (m[k][n]);
      bounds.entry = max_of (bounds.entry, magnitude (m[k][n]));
    }
    bounds.row = max_of (bounds.row, row);
  }
  for (int n = 0; n < size; n++) {
    int column = 0, echo = 0;

    for (int k = 0; k < keep; k++)
      column += magnitude (m[k][n]);
    for (int i = 0; i < size; i++) {
      int product = 0;

      for (int k = 0; k < keep; k++)
        product += m[k][n] * m[k][i];
      echo += magnitude (product);
    }
    bounds.column = max_of (bounds.column, column);
    bounds.echo = max_of (bounds.echo, echo);
  }
  return bounds;
}

#define BASIS(id, n, kind) bounds_of (BDCT_BASIS_##id, n),
constexpr Bounds kBounds[] = {
#include "dct/transform/transforms.def"
};

/* Whether the kernels support a component's chain: the same transform of rows
 * and columns, with all frequencies kept up to 32. */
bool
is_known (const BdctComponentJob &job)
{
  const BdctChainInfo *chain = bdct_chain_info (job.chain);
  const int size = bdct_basis_size (chain->row);

  return chain->row == chain->column && job.keep == min (size, 32)
      && !job.transposed && (chain->family == BDCT_FAMILY_HEVC || size == 8);
}

/* Whether a job of H.265's family stays within the bounds of hevc.cuh. The
 * matrix' entries are bytes, the first pass' magnitudes at most 2^14, and the
 * first inverse pass' within 16 bits: what comes back of the signal, and of the
 * quantization errors, each at most a step less the rounding offset, their sum
 * with the matrix. No level needs clipping, and only level 0 is dequantized to
 * 0. */
bool
hevc_fits (const BdctComponentJob &job, int depth)
{
  const Bounds &bounds = kBounds[bdct_chain_info (job.chain)->row];
  int32_t largest = job.dequant_dc, smallest = job.dequant_dc;
  /* In 1/512 of a step, plus one for the rounding of the dequantizer. */
  const int error = 513 - (job.quant_add >> (job.quant_bits - 9));
  /* Halves are those of the rounding coefficients. */
  const int signal = (bounds.echo << 1 >> job.log2_width)
      + (bounds.column >> 8) + 2;

  for (int i = 0; i < 64; i++) {
    largest = max (largest, job.dequant[i]);
    smallest = min (smallest, job.dequant[i]);
  }
  return bounds.entry > 0 && bounds.entry <= INT8_MAX
      && bounds.row << (depth - 1) <= 1 << (14 + job.fwd_shift[0])
      && bdct_quantize_largest (&job) <= INT16_MAX
      && smallest > 1 << (job.dequant_bits - 1)
      && (int64_t) largest * bounds.column * error
      < (int64_t) (32767 - signal) * 512 * 128 << job.dequant_bits;
}

/* Whether the quantization errors are within the bounds of jpeg8.cuh. */
bool
jpeg8_fits (const BdctComponentJob &job)
{
  for (int i = 0; i < 64; i++)
    if (job.quant[i] > 255)
      return false;
  return true;
}

/* Whether they are within those of jpeg10.cuh, and the samples, too. */
bool
jpeg10_fits (const BdctComponentJob &job, int depth)
{
  if (depth > 10)
    return false;
  for (int u = 0; u < 8; u++)
    for (int n = 0; n < 8; n++) {
      int64_t sum = 0;

      for (int v = 0; v < 8; v++)
        sum += (int64_t) abs (bdct_matrix_int (BDCT_BASIS_ISLOW_8, v, n))
            * job.quant[v * 8 + u];
      /* For half steps, with a margin for rounding. */
      if (sum / 2 >> bdct_jpeg_islow_shift (2, depth) >= (1 << 13) - 32)
        return false;
    }
  return true;
}

/* Whether a component meets the conditions of HevcFlat. */
bool
hevc_flat (const BdctComponentJob &job)
{
  for (int i = 0; i < 64; i++)
    if (job.quant[i] != job.quant_dc || job.dequant[i] != job.dequant_dc)
      return false;
  return job.dequant[0] % (1 << job.dequant_bits) == 0
      && rounding3 (job) != 0
      && bdct_quantize_largest (&job) <= 2047;
}

/* The matrix of a component, for a square of `size`. */
Transform
transform_of (const BdctComponentJob &job, int size)
{
  const BdctChainInfo *chain = bdct_chain_info (job.chain);
  const int n = bdct_basis_size (chain->row);
  Transform r;

  r.size = size;
  for (int k = 0; k < size; k++)
    for (int i = 0; i < size; i++)
      r.m[k][i] = k / n != i / n ? 0
          : chain->family == BDCT_FAMILY_DCT8X8
          ? bdct_matrix_dct8x8 (k % n, i % n)
          : bdct_matrix_int (chain->row, k % n, i % n);
  return r;
}

/* Write a plane's constants for all lanes, in the order in which they read
 * them. */
template <typename Chain, int SIZE> void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  const BdctPlaneLayout &layout = plane->layout;
  const BdctComponentJob &component = job->component[layout.component[0]];
  const Transform m = transform_of (component, SIZE);
  const Kind kind = job->depth == 8 ? layout.interleave == 1 ? BYTES
      : BYTE_PAIRS : layout.interleave == 1 ? WORDS : WORD_PAIRS;

  static_assert (sizeof (Chain) % 16 == 0);
  for (int lane = 0; lane < 32; lane++) {
    Chain chain;
    const uint8_t *from = (const uint8_t *) &chain;

    memset ((void *) &chain, 0, sizeof chain);
    chain.set (m, kind, component, job->depth, lane);
    for (size_t i = 0; i < sizeof chain; i++)
      ((uint8_t *) to)[(i / 16 * 32 + lane) * 16 + i % 16] = from[i];
  }
}

template <template <typename, typename, typename> class Group, typename Chain,
    typename Sample, typename S, int WARPS, int BLOCKS, bool EXTRAS,
    bool LEVELS>
const BdctTensorKernel *
use ()
{
  using Own = Group<Chain, Sample, S>;
  using Constants = typename Own::Lane::Constants;

  static const BdctTensorKernel kernel = {
    {
      (const void *) tensor<Own, Sample, S, WARPS, BLOCKS, EXTRAS, LEVELS>,
      S::rows,
      S::bytes, WARPS, 1, true, 32 * sizeof (Constants),
      nullptr, make_constants<Constants, Own::size>, true
    },
    __PRETTY_FUNCTION__, EXTRAS, LEVELS
  };

  return &kernel;
}

/* The properties of the work that determine the kernel of a chain. */
struct Wanted
{
  bool large, extras, levels;
};

/* The chains that can write levels, in tiles of one row of squares: those whose
 * levels are halves, and the CPU's. */
template <typename Chain> constexpr bool has_levels = false;
template <> constexpr bool has_levels<Jpeg8> = true;
template <> constexpr bool has_levels<Hevc8<uint8_t, true>> = true;
template <> constexpr bool has_levels<Hevc16<uint8_t, true>> = true;
template <> constexpr bool has_levels<Hevc32<uint8_t, true>> = true;

/* The rows of a tile, warps of a block, blocks of a multiprocessor of 9.0, and
 * bytes of a row where no records are written: the fastest ones measured there.
 * LEVELS: these are written, if wanted. */
template <template <typename, typename, typename> class Group, typename Chain,
    typename Sample, int ROWS, int WARPS, int BLOCKS, int BYTES = kTileBytes,
    bool LEVELS = has_levels<Chain>>
const BdctTensorKernel *
use (const Wanted &wanted)
{
  using Wide = Shape<ROWS, kTileBytes>;
  using Own = Shape<ROWS, BYTES>;

  if constexpr (LEVELS)
    if (wanted.levels)
      return wanted.extras
          ? use<Group, Chain, Sample, Wide, WARPS, BLOCKS, true, true> ()
          : use<Group, Chain, Sample, Own, WARPS, BLOCKS, false, true> ();
  return wanted.levels ? nullptr : wanted.extras
      ? use<Group, Chain, Sample, Wide, WARPS, BLOCKS, true, false> ()
      : use<Group, Chain, Sample, Own, WARPS, BLOCKS, false, false> ();
}

template <typename Chain, typename Sample> const BdctTensorKernel *
use8 (const Wanted &wanted)
{
  return wanted.large && !wanted.levels
      ? use<Group8, Chain, Sample, 32, 2, 8, kTileBytes, false> (wanted)
      : use<Group8, Chain, Sample, 8, 4, 4> (wanted);
}

template <typename Chain, typename Sample, bool FLAT> const BdctTensorKernel *
use16 (const Wanted &wanted)
{
  if constexpr (FLAT && sizeof (Sample) == 1)
    if (!wanted.large || wanted.levels)
      return use<Group16, Chain, Sample, 16, 4, 3, kTileBytes / 2> (wanted);
  return use<Group16, Chain, Sample, 16, 4,
      FLAT || sizeof (Sample) == 1 ? 3 : 2, kTileBytes, false> (wanted);
}

template <typename Chain, typename Sample, bool FLAT> const BdctTensorKernel *
use32 (const Wanted &wanted)
{
  return use<Group32, Chain, Sample, 32, 2,
      FLAT ? sizeof (Sample) == 1 ? 8 : 6 : 4,
      FLAT && sizeof (Sample) == 1 ? kTileBytes / 2 : kTileBytes> (wanted);
}

/* Tiles of 64 rows: of one square, or of two of bytes where records are
 * written. Two warps with these would have too much shared memory for a
 * block. */
template <typename Sample, bool FLAT> const BdctTensorKernel *
use64 (const Wanted &wanted)
{
  using Lane = Lane64Or32<Sample, FLAT>;

  if (wanted.levels)
    return nullptr;
  if (wanted.extras)
    return use<Group64, Lane, Sample, Shape<64, kTileBytes>, 1, 8, true,
        false> ();
  if constexpr (sizeof (Sample) > 1)
    return use<Group64, Lane, Sample, Shape<64, kTileBytes>, 1, 8, false,
        false> ();
  else
    return use<Group64, Lane, Sample, Shape<64, kTileBytes / 2>, 2, 4, false,
        false> ();
}

template <typename Sample, bool FLAT> const BdctTensorKernel *
use_hevc (int size, const Wanted &wanted)
{
  if (size == 64)
    return use64<Sample, FLAT> (wanted);
  if (size == 32)
    return use32<Hevc32<Sample, FLAT>, Sample, FLAT> (wanted);
  if (size == 16)
    return use16<Hevc16<Sample, FLAT>, Sample, FLAT> (wanted);
  return use8<Hevc8<Sample, FLAT>, Sample> (wanted);
}

} // namespace

const BdctTensorKernel *
bdct_tensor_find (const BdctCudaWork *work, unsigned traits)
{
  const BdctFamily family = work->quantizers[0].family;
  const int depth = work->quantizers[0].depth;
  Wanted wanted = {};
  int64_t bytes = 0;
  bool flat = true;
  /* Luma's kernel is also that of chroma alone. */
  int size = work->quantizers[0].transform == BDCT_VVC_64X64 ? 64 : 8;
  int smallest = 64;

  if (work->output != BDCT_CUDA_STATISTICS)
    return nullptr;
  for (int p = 0; p < work->n_planes; p++) {
    const BdctCudaPlane &plane = work->plane[p];
    const BdctPlaneLayout &layout = plane.layout;

    for (int s = 0; s < work->n_quantizers; s++) {
      const BdctComponentJob *jobs = work->quantizers[s].component;
      const BdctComponentJob &job = jobs[layout.component[0]];

      if (!is_known (job) || (family == BDCT_FAMILY_HEVC
              && !hevc_fits (job, depth))
          || (family == BDCT_FAMILY_JPEG && (depth == 8 ? !jpeg8_fits (job)
                  : !jpeg10_fits (job, depth))))
        return nullptr;
      if (layout.interleave > 1
          && memcmp (&job, &jobs[layout.component[1]], sizeof job) != 0)
        return nullptr;
      /* The largest have no kernel of their own for flat ones: what counts is
       * that of chroma, with or without a plane. */
      flat = flat && hevc_flat (job.log2_width == 6 ? jobs[BDCT_U] : job);
      size = max (size, 1 << job.log2_width);
      smallest = min (smallest, 1 << job.log2_width);
    }
    bytes += (int64_t) layout.width * layout.interleave * layout.height
        * (depth > 8 ? 2 : 1);
    wanted.extras = wanted.extras || plane.dst.data == nullptr
        || plane.quantizer_of_tile != nullptr || plane.blocks[0] != nullptr;
  }
  wanted.levels = work->levels;
  /* Blocks are distinguished down to half of the size. */
  if ((wanted.extras || wanted.levels) && smallest < size / 2)
    return nullptr;
  /* Short tiles spread a frame better over the device; tall ones cost less,
   * which pays from about 8 tiles for each warp on. */
  wanted.large = (traits & BDCT_TENSOR_TALL) && bytes > 32 << 20;
  switch (family) {
    case BDCT_FAMILY_HEVC:
      if (depth > 8)
        return flat ? use_hevc<uint16_t, true> (size, wanted)
            : use_hevc<uint16_t, false> (size, wanted);
      return flat ? use_hevc<uint8_t, true> (size, wanted)
          : use_hevc<uint8_t, false> (size, wanted);
    case BDCT_FAMILY_JPEG:
      if (traits & BDCT_TENSOR_75)
        return nullptr;
      return depth > 8 ? use8<Jpeg10, uint16_t> (wanted)
          : use8<Jpeg8, uint8_t> (wanted);
    case BDCT_FAMILY_DCT8X8:
      return depth > 8 ? use8<Dct8x8<uint16_t>, uint16_t> (wanted)
          : use8<Dct8x8<uint8_t>, uint8_t> (wanted);
    default:
      return nullptr;
  }
}
