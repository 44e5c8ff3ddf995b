/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CABAC's bins of levels in memory, counted and priced
 * (dct/entropy/cabac-price.h). Count has a lane a sub-block in coding order,
 * half a warp a run (cabac-words.cuh), Price a thread a slot of a segment. */
#include <string.h>
#include "cabac-words.cuh"
#include "cuda/launch/kernel.h"
#include "threads.cuh"

namespace {

/* A warp's sub-blocks: 32, or a block's 64. `records`: by words of two slots.
 */
template <int LOG2, bool CHROMA> BDCT_INLINE void
count_warp (const BdctLevel *levels, int n_blocks, int columns, int n_runs,
    int warp, int lane, uint32_t *records)
{
  constexpr int q = 1 << 2 * (LOG2 - 2), rounds = LOG2 == 5 ? 2 : 1;
  constexpr bool small = LOG2 == 2;
  constexpr bool first = Words<small, CHROMA>::kFirst;
  constexpr int words = first ? 24 : 16, cbf = small ? 4 : 3;
  uint32_t has_before = 0;
  bool above_before = false;

  BDCT_UNROLL for (int round = 0; round < rounds; round++) {
    const int t = 32 * (warp * rounds + round) + lane, j = t % q;
    int block = t / q;
    uint32_t magnitude[8] = {}, all;
    uint32_t *record = records + (t >> 4) * words;
    Words<small, CHROMA> its_words;
    SubBlock its = { LOG2, find_place (LOG2, j), block < n_blocks, j == q - 1,
      false, false, 0 };

    if (small && (columns & 1) != 0) {  /* A run ends with eight rows. */
      const int strip = (t >> 4) / ((columns + 1) / 2);
      const int at = t - 16 * strip * ((columns + 1) / 2);

      block = 8 * strip * columns + at;
      its.there = at < 8 * columns && block < n_blocks;
    }
    if (its.there)
      its.has = load_magnitudes (levels + ((int64_t) block << 2 * LOG2)
          + (((its.place >> 8 & 255) << LOG2 | (its.place & 255)) << 2), LOG2,
          magnitude);

    const uint32_t has = ballot (its.has);

    if (has == 0 && has_before == 0) {
      /* Nothing but coded block flags */
      const int n = __popc (ballot (its.dc && its.there) >> (lane & 16)
          & 0xffff);

      if (t >> 4 < n_runs)
        record[lane & 15] = (lane & 15) == cbf ? small ? n << 16 : n : 0;
      if (first && (lane & 1) == 0 && t >> 4 < n_runs)
        record[16 + (lane & 15) / 2] = 0;
      continue;
    }

    const Levels found = find_levels (magnitude);
    const uint32_t above = ballot (found.above != 0);
    const Around around (its.place, has, has_before, j, lane);

    its.greater = follows_greater (around, above, above_before);
    its.escapes = count_escapes (magnitude, found);
    its_words.set (its, found, around);
    all = fold<16> (its_words.word, lane);
    if (!small && (lane & 15) == 0)
      all = ((all & 0xffff) < 255 ? all & 0xffff : 255)
          | (all >> 16 < 255 ? all >> 16 : 255) << 8;
    if (t >> 4 < n_runs)
      record[lane & 15] = all;
    if (first) {
      all = LOG2 < 5 || round == 1 ? fold<8> (its_words.first, lane) : 0;
      if ((lane & 1) == 0 && t >> 4 < n_runs)
        record[16 + (lane & 15) / 2] = all;
    }
    has_before = has;
    above_before = has != 0 && (above >> log2_floor ((int) has) & 1);
  }
}

/* A component's constants. */
struct alignas (16) Constants
{
  int32_t log2_size, log2_parts;
  uint16_t start[BDCT_CABAC_SLOTS];
};

/* A component of a plane, and where its records go. */
struct Component
{
  int log2_size, columns, n_blocks, n_runs;
  bool chroma;
  const BdctLevel *levels;
  uint16_t *records;
  const uint16_t *start;
  unsigned long long *price;

  BDCT_INLINE
  Component (const BdctCudaPlane &plane, int i)
  {
    const Constants *constants = (const Constants *) plane.constants + i;
    const int rows = ((plane.layout.height - 1) >> plane.log2_height) + 1;

    log2_size = constants->log2_size;
    start = constants->start;
    columns = plane.columns << constants->log2_parts;
    n_blocks = columns * rows;
    n_runs = (int) bdct_cabac_runs (columns, rows, log2_size);
    chroma = plane.layout.component[i] != BDCT_Y;
    levels = plane.levels[i];
    records = plane.bins + (size_t) i * n_runs
        * bdct_cabac_slots (log2_size, chroma);
    price = plane.counts + plane.layout.component[i] * BDCT_RATE_COUNTERS;
  }
};

/* Tile `tile` of `n_tiles`: each has kRuns runs, or more where 4x4 blocks leave
 * runs short. */
struct Count
{
  static constexpr int kWarps = 4, kThreads = 32 * kWarps, kBlocksAtOnce = 10;
  static constexpr int kRuns = 2 * kWarps;
  using Shared = BdctNothing;

  template <int LOG2, bool CHROMA> static BDCT_INLINE void
  count (const Component &c, int tile, int n_tiles, int t)
  {
    constexpr int of_warp = LOG2 == 5 ? 4 : 2;  /* runs */

    for (int warp = tile * kWarps + t / 32; warp * of_warp < c.n_runs;
        warp += n_tiles * kWarps)
      count_warp<LOG2, CHROMA> (c.levels, c.n_blocks, c.columns, c.n_runs,
          warp, t % 32, (uint32_t *) c.records);
  }

  static BDCT_INLINE void
  thread (const Component &c, int tile, int n_tiles, Shared &, int t)
  {
    switch (2 * c.log2_size + c.chroma) {
      case 2 * 2:
        return count<2, false> (c, tile, n_tiles, t);
      case 2 * 2 + 1:
        return count<2, true> (c, tile, n_tiles, t);
      case 2 * 3:
        return count<3, false> (c, tile, n_tiles, t);
      case 2 * 3 + 1:
        return count<3, true> (c, tile, n_tiles, t);
      case 2 * 4:
        return count<4, false> (c, tile, n_tiles, t);
      case 2 * 4 + 1:
        return count<4, true> (c, tile, n_tiles, t);
      case 2 * 5:
        return count<5, false> (c, tile, n_tiles, t);
      default:
        return count<5, true> (c, tile, n_tiles, t);
    }
  }
};

/* The same of kSegments segments. */
struct Price
{
  static constexpr int kSegments = 4, kThreads = kSegments * BDCT_CABAC_SLOTS;
  static constexpr int kWarps = kThreads / 32, kBlocksAtOnce = 5;
  static constexpr int kRuns = kSegments * BDCT_CABAC_SEGMENT;
  using Shared = BdctCabacTables;

  static BDCT_INLINE void
  thread (const Component &c, int tile, int n_tiles, Shared &shared, int t)
  {
    const int slots = bdct_cabac_slots (c.log2_size, c.chroma);
    const int at_once = kThreads / slots;
    unsigned long long price = 0;

    copy_tables (shared, t, kThreads);
    wait_for_block ();
    for (int segment = tile * at_once + t / slots; t < at_once * slots
        && segment * BDCT_CABAC_SEGMENT < c.n_runs;
        segment += n_tiles * at_once)
      price += price_segment (c.records, c.n_runs, slots, segment, t % slots,
          t % slots == BDCT_CABAC_SLOT_BYPASS, c.start[t % slots], shared);
    add_price (c.price, price, t);
  }
};

/* Thread t of a thread block. */
template <typename K> BDCT_INLINE void
run_thread (const BdctCudaBatch &batch, int tile, typename K::Shared &shared,
    int t)
{
  int p = 0;

  while (p + 1 < batch.n_planes && tile >= batch.plane[p + 1].first_tile)
    p++;

  const BdctCudaPlane &plane = batch.plane[p];
  const int own = tile - plane.first_tile, i = own >= plane.tiles_x;

  K::thread (Component (plane, i), own - (i ? plane.tiles_x : 0),
      plane.tiles_x, shared, t);
}

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocksAtOnce)
run (const __grid_constant__ BdctCudaBatch batch)
{
  __shared__ typename K::Shared shared;

  run_thread<K> (batch, blockIdx.x, shared, threadIdx.x);
}

#endif

template <typename K> int
tile_blocks (const BdctComponentJob *job)
{
  return K::kRuns * 256 >> 2 * bdct_cabac_log2_size (job)
      >> bdct_job_log2_parts (job);
}

void
make_constants (void *to, const BdctCudaPlane *plane, const BdctJob *job)
{
  for (int i = 0; i < plane->layout.interleave; i++) {
    const BdctComponent c = plane->layout.component[i];
    Constants *constants = (Constants *) to + i;
    uint16_t start[BDCT_CABAC_TREE_SLOTS] = {};

    constants->log2_size = bdct_cabac_log2_size (&job->component[c]);
    constants->log2_parts = bdct_job_log2_parts (&job->component[c]);
    bdct_cabac_start (start, job->slice_qp, constants->log2_size, c != BDCT_Y);
    memcpy (constants->start, start, sizeof constants->start);
  }
}

/* In the emulation a kernel is an ordinary function. */
template <typename K> const BdctCudaKernel kernel = {
#ifdef __CUDACC__
  (const void *) run<K>,
#else
  &kernel<K>,
#endif
  0, 0, K::kWarps, K::kWarps, 0, 2 * sizeof (Constants), tile_blocks<K>,
  make_constants, false
};

} // namespace

extern "C" const BdctCudaKernel *
bdct_rate_find (BdctCudaCount count)
{
  return count == BDCT_CUDA_BINS ? &kernel<Count> : &kernel<Price>;
}
