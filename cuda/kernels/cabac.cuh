/* blockdct: CABAC's bins of levels in memory, counted and priced
 * (dct/entropy/cabac-price.h).
 *
 * Count has a lane a sub-block in coding order, half a warp a run: a lane finds
 * its sub-block's counts by masks and population counts, and sixteen lanes add
 * them up by halves, so that each ends with a word of the run's record. Price
 * has a thread a slot of a segment.
 *
 * These kernels also run without a GPU (warps.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_CUH
#define BDCT_CABAC_CUH

#include <string.h>
#include "cabac-sub-block.cuh"
#include "cuda/launch/kernel.h"
#include "warps.cuh"

namespace {

/* Significance in 4x4, two digits from DIGIT on a word. */
template <int DIGIT> BDCT_INLINE void
count_small (uint32_t *word, uint32_t coded, uint32_t nonzero)
{
  word[DIGIT / 2] |= count_pair (coded
      & Places<BDCT_CABAC_SIG_4X4, DIGIT>::mask, nonzero) << 16 * (DIGIT & 1);
  if constexpr (DIGIT < 8)
    count_small<DIGIT + 1> (word, coded, nonzero);
}

/* The flags of a last position's prefix: by context, zeros and ones << 8. */
template <int LOG2, bool CHROMA> struct Last
{
  static constexpr int shift = CHROMA ? LOG2 - 2 : (LOG2 + 1) >> 2;
  static constexpr int contexts = LOG2 < 4 ? 3 : CHROMA ? 2 : LOG2;
  uint16_t entry[2 * LOG2][8] = {};

  constexpr Last ()
  {
    for (int prefix = 0; prefix < 2 * LOG2; prefix++)
      for (int i = 0; i < prefix + (prefix < 2 * LOG2 - 1); i++)
        entry[prefix][i >> shift] += i < prefix ? 256 : 1;
  }
};
template <int LOG2, bool CHROMA> BDCT_CABAC_TABLE Last<LOG2, CHROMA> last_table;

/* Sum N words over 16 lanes: a lane is left with word (lane & 15) * N / 16. */
template <int N, int D = 8> BDCT_INLINE uint32_t
fold (uint32_t *word, int lane)
{
  if constexpr (N == 1) {
    word[0] += from_xor (word[0], D);
  } else {
    const bool upper = (lane & D) != 0;

    BDCT_UNROLL for (int i = 0; i < N / 2; i++) {
      const uint32_t keep = upper ? word[i + N / 2] : word[i];
      const uint32_t give = upper ? word[i] : word[i + N / 2];

      word[i] = keep + from_xor (give, D);
    }
  }
  if constexpr (D > 1)
    return fold<(N + 1) / 2, D / 2> (word, lane);
  else
    return word[0];
}

/* A warp's sub-blocks: 32, or a block's 64. `records`: by words of two slots.
 */
template <int LOG2, bool CHROMA> BDCT_INLINE void
count_warp (const BdctLevel *levels, int n_blocks, int columns, int n_runs,
    int warp, int lane, uint32_t *records)
{
  constexpr int q = 1 << 2 * (LOG2 - 2), rounds = LOG2 == 5 ? 2 : 1;
  constexpr bool small = LOG2 == 2;
  constexpr bool apart = !small && !CHROMA;     /* blocks' first sub-blocks */
  constexpr int words = apart ? 24 : 16, cbf = small ? 4 : 3;
  uint64_t before = 0, above_before = 0;

  BDCT_UNROLL for (int round = 0; round < rounds; round++) {
    const int t = 32 * (warp * rounds + round) + lane, j = t % q;
    int block = t / q;
    bool in = block < n_blocks;
    const bool dc = j == q - 1;
    const uint32_t place = find_place (LOG2, j);
    uint32_t magnitude[8] = {}, word[16] = {}, rest = 0, all;
    bool has = false;
    uint32_t *record = records + (t >> 4) * words;

    if (small && (columns & 1) != 0) {  /* A run ends with eight rows. */
      const int strip = (t >> 4) / ((columns + 1) / 2);
      const int at = t - 16 * strip * ((columns + 1) / 2);

      block = 8 * strip * columns + at;
      in = at < 8 * columns && block < n_blocks;
    }

    if (in) {
      const BdctLevel *from = levels + ((int64_t) block << 2 * LOG2)
          + (((place >> 8 & 255) << LOG2 | (place & 255)) << 2);

      has = load_magnitudes (from, LOG2, magnitude);
    }

    /* The block's sub-blocks with levels, by coding order */
    const uint32_t lanes = ballot (has);
    const uint64_t has_mask = q == 64 ? (uint64_t) lanes << 32 * round | before
        : lanes >> (lane & ~(q - 1)) & ((1u << (q & 31)) - 1);
    const uint64_t earlier = has_mask & ((UINT64_C (1) << j) - 1);
    const bool item = has || earlier != 0;
    const bool last = has && earlier == 0;
    const bool neighbour[2] = {
      (place >> 16 & 255) != 255 && (has_mask >> (place >> 16 & 63) & 1),
      place >> 24 != 255 && (has_mask >> (place >> 24 & 63) & 1)
    };
    const uint32_t flag = dc && in ? 1u << (item ? 8 : 0) : 0;

    if (lanes == 0 && before == 0) {
      /* Nothing but coded block flags */
      const int n = __popc (ballot (flag != 0) >> (lane & 16) & 0xffff);

      if (t >> 4 < n_runs)
        record[lane & 15] = (lane & 15) == cbf ? small ? n << 16 : n : 0;
      if (apart && (lane & 1) == 0 && t >> 4 < n_runs)
        record[16 + (lane & 15) / 2] = 0;
      continue;
    }

    const Levels mask = find_levels (magnitude);
    const uint32_t above_lanes = ballot (mask.above != 0);
    const uint64_t above_mask = q == 64 ? (uint64_t) above_lanes << 32 * round
        | above_before : above_lanes >> (lane & ~(q - 1));
    const bool greater = earlier != 0
        && (above_mask >> (63 - __clzll (earlier)) & 1);
    const Greater its_greater = find_greater (mask);
    const uint32_t *one = its_greater.one, two = its_greater.two;
    const uint32_t g[2] = { one[0] | one[1] << 16, one[2] | one[3] << 16 };
    const uint32_t coded = (item && dc) || has ? find_coded (mask.nonzero, last)
        : 0;
    uint32_t bypass = __popc (mask.nonzero) + count_escapes (magnitude, mask);
    uint32_t sig[2] = {};

    if (small) {
      count_small<0> (word, coded, mask.nonzero);
    } else {
      const Significant s (coded, mask.nonzero, dc, last, neighbour[0],
          neighbour[1]);

      word[3] = count_pair (s.first, mask.nonzero) << 16;
      sig[0] = count_pair (s.there[2], mask.nonzero, 16);
      sig[1] = count_pair (s.there[0], mask.nonzero)
          | count_pair (s.there[1], mask.nonzero) << 16;
      if (item && !last && !dc)
        word[2] = 1u << ((has ? 8 : 0)
            + (neighbour[0] || neighbour[1] ? 16 : 0));
    }

    /* The last position */
    if (last) {
      const int i = 16 - __ffs ((int) mask.nonzero);
      const int at = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
      const int position[2] = { (int) (4 * (place & 255)) + (at & 3),
        (int) (4 * (place >> 8 & 255)) + (at >> 2) };
      const uint16_t *entry[2];

      for (int k = 0; k < 2; k++) {
        bypass += last_suffix (position[k]);
        entry[k] = last_table<LOG2, CHROMA>.entry[last_prefix (position[k])];
      }
      BDCT_UNROLL for (int i = 0; i < Last<LOG2, CHROMA>::contexts; i++)
        word[BDCT_CABAC_SLOT_LAST / 2 + i] = entry[0][i] | entry[1][i] << 16;
    }

    word[BDCT_CABAC_SLOT_BYPASS / 2] = bypass;
    if (small) {
      word[4] |= flag << 16;
      word[5] = g[0];
      word[6] = g[1];
      word[7] = two;
    } else {
      word[3] |= flag;
      if (CHROMA || !dc) {
        word[0] = sig[0];
        word[1] = sig[1];
        word[4] = greater ? 0 : g[0];
        word[5] = greater ? 0 : g[1];
        word[6] = greater ? g[0] : 0;
        word[7] = greater ? g[1] : 0;
        word[8] = greater ? two << 16 : two;
      }
    }
    if (apart && (LOG2 < 5 || round == 1)) {
      uint32_t its[8] = {};

      if (dc) {
        its[0] = (sig[0] & 255) | (sig[0] >> 16) << 8;
        its[1] = sig[1];
        its[2] = greater ? 0 : g[0];
        its[3] = greater ? 0 : g[1];
        its[4] = greater ? g[0] : 0;
        its[5] = greater ? g[1] : 0;
        its[6] = greater ? two << 16 : two;
      }
      rest = fold<8> (its, lane);
    }
    all = fold<16> (word, lane);
    if (!small && (lane & 15) == 0)
      all = ((all & 0xffff) < 255 ? all & 0xffff : 255)
          | (all >> 16 < 255 ? all >> 16 : 255) << 8;
    if (t >> 4 < n_runs) {
      record[lane & 15] = all;
      if (apart && (lane & 1) == 0)
        record[16 + (lane & 15) / 2] = rest;
    }
    before = has_mask;
    above_before = above_mask;
  }
}

struct None
{
};

/* A component's constants. */
struct alignas (16) CabacConstants
{
  int32_t log2_size, log2_parts;
  uint16_t start[BDCT_CABAC_SLOTS];
};

inline void
make_cabac (CabacConstants *to, const BdctJob *job, int c)
{
  uint16_t start[BDCT_CABAC_TREE_SLOTS] = {};

  to->log2_size = bdct_cabac_log2_size (&job->component[c]);
  to->log2_parts = bdct_job_log2_parts (&job->component[c]);
  bdct_cabac_start (start, job->slice_qp, to->log2_size, c != BDCT_Y);
  memcpy (to->start, start, sizeof to->start);
}

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
  Component (const BdctCudaPlane &plane, int i, const CabacConstants *constants)
    : log2_size (constants->log2_size), start (constants->start)
  {
    const int rows = ((plane.layout.height - 1) >> plane.log2_height) + 1;

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
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kBlocksAtOnce = 4;
  static constexpr int kRuns = 2 * kWarps;
  using Shared = None;

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
  static constexpr int kWarps = kThreads / 32, kBlocksAtOnce = 8;
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

} // namespace

#endif
