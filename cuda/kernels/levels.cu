/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is made from levels in memory: the picture of given ones (inverse.h says
 * why scalar.cu does not do that; a thread has a line of a transform in each
 * pass), counts of Huffman symbols, and the picture that shows levels. */
#include "cuda/launch/kernel.h"
#include "dct/base/min.h"
#include "dct/base/sample.h"
#include "dct/picture/render.h"
#include "dct/transform/matrices.h"
#include "threads.cuh"

/* After BDCT_INLINE. */
#include "symbols.cuh"

namespace {

/* All bases' matrices. */
struct Tables
{
#define BASIS(id, n, kind) int32_t id[n * n] = {};
#include "dct/transform/transforms.def"
  float dct8x8[64] = {};

  constexpr Tables ()
  {
#define BASIS(id_, n, kind)                                                   \
    for (int i = 0; i < n * n; i++)                                           \
      id_[i] = bdct_matrix_int (BDCT_BASIS_##id_, i / n, i % n);
#include "dct/transform/transforms.def"
    for (int i = 0; i < 64; i++)
      dct8x8[i] = bdct_matrix_dct8x8 (i / 8, i % 8);
  }
};

BDCT_DEVICE_TABLE Tables tables = Tables ();

BDCT_INLINE const void *
find_matrix (BdctBasis basis)
{
  if (basis == BDCT_BASIS_DCT8X8)
    return tables.dct8x8;
  switch (basis) {
#define BASIS(id, n, kind)                                                    \
    case BDCT_BASIS_##id:                                                     \
      return tables.id;
#include "dct/transform/transforms.def"
    default:
      return nullptr;
  }
}

} // namespace

#define BDCT_ISLOW(k, i) tables.ISLOW_8[8 * (k) + (i)]
#include "dct/quantizer/inverse.h"

namespace {

constexpr int kThreads = BDCT_MAX_SIZE, kCounting = 256;

/* A component's constants. */
struct alignas (16) Constants
{
  BdctFamily family;
  BdctBasis row, column;
  BdctComponentJob job;
};

/* A tile: blocks of component `i` of a plane, with a thread for each of their
 * transforms, or for each line of these. A block's transforms are numbered one
 * after the other. */
struct Tile
{
  const BdctCudaPlane &plane;
  int i, first, n;              /* first: number of the tile's first transform;
                                   n: number of all transforms */
  int picture;                  /* of a stack, if the kernel has these apart */
  int depth, bytes;             /* of a sample */
  int log2_size, log2_columns, log2_parts;      /* of a transform; those of a
                                                   block */

  BDCT_INLINE
  Tile (const BdctCudaBatch &batch, const BdctCudaPlane &plane, int tile,
      int picture, int pictures, int n_items, bool by_lines)
    : plane (plane), i (tile >= plane.tiles_x), picture (picture),
    depth (batch.depth), bytes (batch.depth > 8 ? 2 : 1)
  {
    const BdctComponentJob &job =
        ((const Constants *) plane.constants)[i].job;

    log2_size = bdct_job_log2_across (&job);
    log2_columns = job.dc.log2_columns;
    log2_parts = bdct_job_log2_parts (&job);
    first = (tile - (i ? plane.tiles_x : 0))
        * (n_items >> (by_lines ? log2_size : 0));
    n = plane.columns
        * ((((plane.layout.height - 1) >> plane.log2_height) + 1) / pictures)
        << log2_parts;
  }

  /* The number of a thread's transform; n or more if it has none. */
  BDCT_INLINE int
  number (int t) const
  {
    return first + (t >> log2_size);
  }

  /* The first sample of a transform. */
  BDCT_INLINE void
  find (int number, int *x, int *y) const
  {
    const int block = number >> log2_parts;
    const int part = number & ((1 << log2_parts) - 1);
    const int row = part >> log2_columns;

    *x = (block % plane.columns << plane.log2_width)
        + ((part - (row << log2_columns)) << log2_size);
    *y = (block / plane.columns << plane.log2_height) + (row << log2_size);
  }

  BDCT_INLINE const Constants &
  constants (int number) const
  {
    const uint8_t *map = plane.quantizer_map[i];

    return ((const Constants *) (plane.constants + (map != nullptr
                ? map[number >> log2_parts] : 0) * plane.quantizer_size))[i];
  }

  /* Where sample (x, y) is. */
  BDCT_INLINE uint8_t *
  sample (const BdctSamples &s, int x, int y) const
  {
    return s.data + y * s.stride
        + ((int64_t) x * plane.layout.interleave + i) * bytes;
  }
};

struct Lines
{
  /* Lines of the first pass, by thread. */
  BdctInverseValue value[kThreads * BDCT_MAX_SIZE];
  unsigned long long sse[kThreads / 4]; /* by block */
  uint32_t nonzero[kThreads / 4];
};

struct Reconstruct
{
  static constexpr int n_threads = kThreads, n_items = n_threads;
  static constexpr bool by_lines = true, early = false, apart = false;
  using Shared = Lines;

  /* The DC that a second stage makes of its levels, which are `size` apart. */
  static BDCT_INLINE int64_t
  find_dc (const Tile &b, const BdctJobDc &dc, int number,
      const BdctLevel *levels, int size)
  {
    const int part = number & ((1 << b.log2_parts) - 1);
    int64_t x[BDCT_MAX_PARTS];

    for (int k = 0; k < 1 << b.log2_parts; k++)
      x[k] = levels[(k - part) * size];
    bdct_inverse_dcs (&dc, x);
    return x[part];
  }

  /* Line `j` of a transform's coefficients. Returns how many levels are not
   * 0. */
  static BDCT_INLINE uint32_t
  load_line (const Tile &b, const Constants &constants, int number, int j,
      BdctInverseValue *x)
  {
    const BdctComponentJob &job = constants.job;
    const int keep = bdct_min (job.keep, 1 << b.log2_size);
    const size_t behind = b.plane.layout.interleave > 1
        && b.plane.layout.component[b.i] == BDCT_V ? b.n : 0;
    const BdctLevel *levels = b.plane.from_levels
        + (behind + number) * (keep * keep);
    uint32_t nonzero = 0;

    for (int k = 0; k < keep; k++) {
      const int v = job.transposed ? j : k, u = job.transposed ? k : j;
      const int level = levels[v * keep + u];

      x[k] = bdct_inverse_dequantize (constants.family, &job, v, u, level);
      nonzero += level != 0;
    }
    if (j == 0 && bdct_job_has_dc (&job))
      x[0].whole = find_dc (b, job.dc, number, levels, keep * keep);
    return nonzero;
  }

  /* Store line `j` of a transform's residuals. Returns its squared errors. */
  static BDCT_INLINE unsigned long long
  store_line (const Tile &b, bool transposed, int number, int j,
      const BdctInverseValue *x)
  {
    const BdctPlaneLayout &layout = b.plane.layout;
    const int size = 1 << b.log2_size, peak = (1 << b.depth) - 1;
    unsigned long long sse = 0;
    int left, top;

    b.find (number, &left, &top);
    for (int k = 0; k < size; k++) {
      const int row = top + (transposed ? k : j);
      const int column = left + (transposed ? j : k);
      const int64_t whole = x[k].whole + (peak + 1) / 2;
      const int v = whole < 0 ? 0 : whole > peak ? peak : (int) whole;

      if (row >= layout.height || column >= layout.width)
        break;
      if (b.plane.src.data != nullptr) {
        const int64_t e = v - bdct_sample_get (b.sample (b.plane.src, column,
                row), 0, b.bytes, layout.shift, peak);

        sse += e * e;
      }
      if (b.plane.dst.data != nullptr)
        bdct_sample_put (b.sample (b.plane.dst, column, row), 0, b.bytes,
            layout.shift, v);
    }
    return sse;
  }

  static BDCT_INLINE void
  block (const Tile &b, int tile, Lines &shared)
  {
    const int size = 1 << b.log2_size;
    const int log2_block = b.log2_size + b.log2_parts;  /* lines of a block */

    threads<kThreads> ([&] (int t) {
      if (t < kThreads / 4) {
        shared.sse[t] = 0;
        shared.nonzero[t] = 0;
      }
    });
    threads<kThreads> ([&] (int t) {
      const int number = b.number (t), j = t & (size - 1);
      BdctInverseValue x[BDCT_MAX_SIZE];

      if (number >= b.n)
        return;

      const Constants &constants = b.constants (number);
      const BdctBasis basis = constants.job.transposed ? constants.row
          : constants.column;
      const BdctInversePass pass = bdct_inverse_pass (constants.family,
          &constants.job, basis, find_matrix (basis), false);

      if (j >= pass.keep)
        return;
      atomicAdd (&shared.nonzero[t >> log2_block],
          load_line (b, constants, number, j, x));
      bdct_inverse_line (&pass, x);
      for (int k = 0; k < size; k++)
        shared.value[t * size + k] = x[k];
    });
    threads<kThreads> ([&] (int t) {
      const int number = b.number (t), j = t & (size - 1);
      BdctInverseValue x[BDCT_MAX_SIZE];

      if (number >= b.n)
        return;

      const Constants &constants = b.constants (number);
      const BdctBasis basis = constants.job.transposed ? constants.column
          : constants.row;
      const BdctInversePass pass = bdct_inverse_pass (constants.family,
          &constants.job, basis, find_matrix (basis), true);

      for (int k = 0; k < pass.keep; k++)
        x[k] = shared.value[(t - j + k) * size + j];
      bdct_inverse_line (&pass, x);
      atomicAdd (&shared.sse[t >> log2_block], store_line (b,
              constants.job.transposed, number, j, x));
    });
    threads<kThreads> ([&] (int t) {
      if (t < kThreads / 4)
        finish_block (b, tile, first_number (b, t), shared.sse[t],
            shared.nonzero[t]);
    });
  }

  /* Add a block's figures to the frame's, and write its record. */
  static BDCT_INLINE void
  finish_block (const Tile &b, int tile, int number, unsigned long long sse,
      uint32_t nonzero)
  {
    BdctCudaAccumulator &accumulator =
        b.plane.accumulators[tile % BDCT_CUDA_ACCUMULATORS];
    const int c = b.plane.layout.component[b.i];

    if (number >= b.n >> b.log2_parts)
      return;
    if (sse > 0)
      atomicAdd (&accumulator.sse[c], sse);
    if (nonzero > 0)
      atomicAdd (&accumulator.nonzero[c], (unsigned long long) nonzero);
    if (b.plane.blocks[b.i] != nullptr) {
      BdctBlockRecord record = { 0, 0, 0 };

      record.sse = sse < UINT32_MAX ? (uint32_t) sse : UINT32_MAX;
      record.nonzero = (uint16_t) nonzero;
      b.plane.blocks[b.i][number] = record;
    }
  }

  /* The number of the tile's t-th block. */
  static BDCT_INLINE int
  first_number (const Tile &b, int t)
  {
    return t < kThreads >> (b.log2_size + b.log2_parts)
        ? (b.first >> b.log2_parts) + t : b.n;
  }
};

/* Blocks of jpeg-8x8 at a depth of 8: in 32 bits, where these hold them. Blocks
 * lie so far apart in shared memory that a warp's columns go to different
 * banks. */
constexpr int kShort = 256, kPitch = 72;

struct ShortLines
{
  alignas (16) int32_t value[kShort / 8 * kPitch];
  unsigned long long sse[kShort / 8];   /* by block */
  uint32_t nonzero[kShort / 8], wide[kShort / 8];
};

struct ReconstructShort
{
  static constexpr int n_threads = kShort, n_items = n_threads;
  static constexpr bool by_lines = true, early = false, apart = false;
  using Shared = ShortLines;

  /* Column `j` of a block, behind the first pass. */
  static BDCT_INLINE void
  load_column (const Tile &b, int number, int t, ShortLines &shared)
  {
    const BdctComponentJob &job = b.constants (number).job;
    const size_t behind = b.plane.layout.interleave > 1
        && b.plane.layout.component[b.i] == BDCT_V ? b.n : 0;
    const int j = t % 8;
    const BdctLevel *levels = b.plane.from_levels + (behind + number) * 64 + j;
    bool is_short = true;
    uint32_t nonzero = 0;
    int32_t x[8];

    BDCT_UNROLL for (int k = 0; k < 8; k++) {
      const int level = levels[8 * k];

      x[k] = level * job.quant[8 * k + j];
      is_short = is_short && bdct_inverse_is_short (x[k]);
      nonzero += level != 0;
    }
    bdct_inverse_short_line (x, 1, job.inv_shift[0]);
    BDCT_UNROLL for (int k = 0; k < 8; k++) {
      is_short = is_short && bdct_inverse_is_short (x[k]);
      shared.value[t / 8 * kPitch + 8 * k + j] = x[k];
    }
    if (nonzero > 0)
      atomicAdd (&shared.nonzero[t / 8], nonzero);
    if (!is_short)
      atomicAdd (&shared.wide[t / 8], 1u);
  }

  /* Row `j` of a block whose values are any. */
  static BDCT_INLINE void
  invert_wide (const Tile &b, int number, int j, BdctInverseValue *row)
  {
    const Constants &constants = b.constants (number);
    const BdctInversePass columns = bdct_inverse_pass (constants.family,
        &constants.job, constants.column, tables.ISLOW_8, false);
    const BdctInversePass rows = bdct_inverse_pass (constants.family,
        &constants.job, constants.row, tables.ISLOW_8, true);

    for (int u = 0; u < 8; u++) {
      BdctInverseValue x[8];

      Reconstruct::load_line (b, constants, number, u, x);
      bdct_inverse_line (&columns, x);
      row[u] = x[j];
    }
    bdct_inverse_line (&rows, row);
  }

  /* Store row `j`, if that can be 8 bytes at once. */
  static BDCT_INLINE bool
  store_row (const Tile &b, int number, int j, const BdctInverseValue *row)
  {
    const BdctPlaneLayout &layout = b.plane.layout;
    uint32_t four[2] = { 0, 0 };
    int left, top;

    b.find (number, &left, &top);
    if (b.plane.src.data != nullptr || b.plane.dst.data == nullptr
        || layout.interleave > 1 || left + 8 > layout.width)
      return false;
    if (top + j >= layout.height)
      return true;

    uint8_t *to = b.sample (b.plane.dst, left, top + j);

    if ((uintptr_t) to % 8 != 0)
      return false;
    BDCT_UNROLL for (int k = 0; k < 8; k++) {
      const int64_t whole = row[k].whole + 128;

      four[k / 4] |= (uint32_t) (whole < 0 ? 0 : whole > 255 ? 255 : whole)
          << k % 4 * 8;
    }
    memcpy (__builtin_assume_aligned (to, 8), four, 8);
    return true;
  }

  static BDCT_INLINE void
  block (const Tile &b, int tile, ShortLines &shared)
  {
    threads<kShort> ([&] (int t) {
      if (t < kShort / 8) {
        shared.sse[t] = 0;
        shared.nonzero[t] = shared.wide[t] = 0;
      }
    });
    threads<kShort> ([&] (int t) {
      if (b.number (t) < b.n)
        load_column (b, b.number (t), t, shared);
    });
    threads<kShort> ([&] (int t) {
      const int number = b.number (t), j = t % 8;
      BdctInverseValue row[8];
      int32_t x[8];

      if (number >= b.n)
        return;
      if (shared.wide[t / 8] > 0) {
        invert_wide (b, number, j, row);
      } else {
        BDCT_UNROLL for (int k = 0; k < 8; k++)
          x[k] = shared.value[t / 8 * kPitch + 8 * j + k];
        bdct_inverse_short_line (x, 1,
            b.constants (number).job.inv_shift[1]);
        BDCT_UNROLL for (int k = 0; k < 8; k++)
          row[k].whole = x[k];
      }
      if (!store_row (b, number, j, row))
        atomicAdd (&shared.sse[t / 8], Reconstruct::store_line (b, false,
                number, j, row));
    });
    threads<kShort> ([&] (int t) {
      if (t < kShort / 8)
        Reconstruct::finish_block (b, tile, b.first + t, shared.sse[t],
            shared.nonzero[t]);
    });
  }
};

/* A thread counts two blocks. */
struct Symbols
{
  static constexpr int n_threads = kCounting, n_items = 2 * n_threads;
  static constexpr bool by_lines = false, early = true, apart = true;
  using Shared = SymbolCounters;

  static BDCT_INLINE void
  count_block (const Tile &b, int number, SymbolCounters &counters)
  {
    const BdctScan scan = { b.plane.columns, b.n / b.plane.columns,
      b.plane.mcu_width, b.plane.mcu_height };
    const BdctLevel *first = b.plane.levels[b.i]
        + (size_t) b.picture * b.n * 64;
    const BdctLevel *levels = first + (size_t) number * 64;
    const int before = bdct_scan_before (&scan, number % b.plane.columns,
        number / b.plane.columns);
    uint32_t pair[32];
    SymbolCount count (counters);

    count_dc (counters, levels[0] - (before < 0 ? 0
            : first[(size_t) before * 64]));
    BDCT_UNROLL for (int k = 0; k < 32; k += 4) {
      uint32_t four[4];

      memcpy (four, __builtin_assume_aligned (levels + 2 * k, 16),
          sizeof four);
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        pair[k + i] = magnitudes (four[i]);
    }
    BDCT_UNROLL for (int k = 1; k < 64; k++) {
      const int at = zigzag.at[k];

      count.add (at % 2 ? pair[at / 2] >> 16 : pair[at / 2] & 0xffff);
    }
    count.end ();
  }

  static BDCT_INLINE void
  block (const Tile &b, int, SymbolCounters &shared)
  {
    let_next_begin ();
    threads<kCounting> ([&] (int t) {
      for (int k = t; k <= SymbolCounters::kAll; k += kCounting)
        shared.at[k] = 0;
    });
    wait_for_last ();
    threads<kCounting> ([&] (int t) {
      for (int k = t; k < n_items && b.first + k < b.n; k += n_threads)
        count_block (b, b.first + k, shared);
    });
    threads<kCounting> ([&] (int t) {
      for (int k = t; k < SymbolCounters::kAll; k += kCounting)
        merge_symbols (shared, k, b.plane.counts
            + (b.picture * BDCT_MAX_COMPONENTS
                + b.plane.layout.component[b.i]) * BDCT_RATE_COUNTERS);
    });
  }
};

/* A thread draws a row of a transform; levels beyond `keep` are 0. */
struct Draw
{
  static constexpr int n_threads = kThreads, n_items = n_threads;
  static constexpr bool by_lines = true, early = false, apart = false;
  using Shared = Lines;

  static BDCT_INLINE void
  block (const Tile &b, int, Lines &)
  {
    threads<kThreads> ([&] (int t) {
      const BdctPlaneLayout &layout = b.plane.layout;
      const int number = b.number (t), size = 1 << b.log2_size;
      const int v = t & (size - 1);
      int x, y;

      b.find (number, &x, &y);
      y += v;
      if (number >= b.n || y >= layout.height)
        return;

      const int keep = bdct_min (b.constants (number).job.keep, size);
      const BdctLevel *levels = b.plane.levels[b.i]
          + (size_t) number * (keep * keep);

      for (int u = 0; u < bdct_min (size, layout.width - x); u++)
        bdct_sample_put (b.sample (b.plane.dst, x + u, y), 0, b.bytes,
            layout.shift, bdct_render_level (v < keep && u < keep
                ? levels[v * keep + u] : 0,
                layout.component[b.i] != BDCT_Y, b.depth));
    });
  }
};

template <typename K> BDCT_INLINE void
run_tile (const BdctCudaBatch &batch, int tile, int picture, int pictures,
    typename K::Shared &shared)
{
  int p = 0;

  while (p + 1 < batch.n_planes && tile >= batch.plane[p + 1].first_tile)
    p++;

  const BdctCudaPlane &plane = batch.plane[p];

  K::block (Tile (batch, plane, tile - plane.first_tile, picture, pictures,
          K::n_items, K::by_lines), tile, shared);
}

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::n_threads)
run (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ typename K::Shared shared;

  run_tile<K> (batch, blockIdx.x, K::apart ? blockIdx.z : 0,
      K::apart ? gridDim.z : 1, shared);
}

#endif

template <typename K> int
tile_blocks (const BdctComponentJob *job)
{
  return K::n_items >> (K::by_lines ? bdct_job_log2_across (job)
      + bdct_job_log2_parts (job) : 0);
}

void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  Constants *constants = (Constants *) to;

  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponentJob *from = &job->component[plane->layout.component[i]];
    const BdctChainInfo *chain = bdct_chain_info (from->chain);

    constants[i].family = job->family;
    constants[i].row = chain->row;
    constants[i].column = chain->column;
    constants[i].job = *from;
  }
}

/* In the emulation a kernel is an ordinary function. */
template <typename K> const BdctCudaKernel kernel = {
#ifdef __CUDACC__
  (const void *) run<K>,
#else
  &kernel<K>,
#endif
  0, 0, K::n_threads / 32, K::n_threads / 32, 0, 2 * sizeof (Constants),
  tile_blocks<K>, make_constants, K::early
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_levels_find (BdctLevelsKernel what)
{
  switch (what) {
    case BDCT_LEVELS_SYMBOLS:
      return &kernel<Symbols>;
    case BDCT_LEVELS_DRAW:
      return &kernel<Draw>;
    case BDCT_LEVELS_RECONSTRUCT_JPEG:
      return &kernel<ReconstructShort>;
    default:
      return &kernel<Reconstruct>;
  }
}
