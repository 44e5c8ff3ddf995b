/* blockdct: CABAC's bins of trees' levels, counted and priced
 * (dct/entropy/cabac-price.h). A warp takes four runs of a component, two at a
 * time, a lane a sub-block at its place in coding order, whatever block it is
 * in. A record has a slot for each context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TREE_BINS_CUH
#define BDCT_TREE_BINS_CUH

#include "cabac-sub-block.cuh"
#include "quadtree.cuh"

namespace {

/* A component. */
struct TreeComponent
{
  const BdctCudaTree &tree;
  int number, n_runs, slots;
  bool chroma;
  uint16_t *records;

  BDCT_INLINE
  TreeComponent (const BdctCudaTree &tree, int c)
    : tree (tree), number (c), chroma (c != BDCT_Y)
  {
    const BdctPlaneLayout &luma = tree.component[BDCT_Y].layout;
    const int squares = count_squares (luma.width)
        * count_squares (luma.height);

    records = tree.bins;
    for (int k = 0; k < c; k++)
      records += (size_t) squares * (count_parts (tree.component[k]) / 16)
          * bdct_cabac_slots (0, k != BDCT_Y);
    n_runs = squares * (count_parts (tree.component[c]) / 16);
    slots = bdct_cabac_slots (0, chroma);
  }
};

/* A lane's place: sub-block j of a block of the square, where there is one. */
struct TreePlace
{
  int x, y;                     /* in the square's luma */
  int log2_size, j;
  bool there;
  const BdctLevel *block;

  BDCT_INLINE
  TreePlace (const Square &s, int c, int place)
  {
    const BdctCudaTreeComponent &component = s.tree.component[c];
    int u, v;

    find (component, place, &x, &y);

    const Blocks b (s, c, find_size (s.tree, c, stored_size (s, x, y)));

    log2_size = b.log2_size;
    j = place & ((1 << b.log2_parts) - 1);
    find (component, place - j, &u, &v);
    u = u >> component.sub_x >> log2_size;
    v = v >> component.sub_y >> log2_size;
    there = b.has (u, v);
    block = there ? b.levels (u, v) : nullptr;
  }

  /* bdct_quadtree_level()'s inverse */
  static BDCT_INLINE void
  find (const BdctCudaTreeComponent &component, int place, int *x, int *y)
  {
    const int z = place << (component.sub_x + component.sub_y);
    const int u = (z & 1) | (z >> 1 & 2) | (z >> 2 & 4);
    const int v = (z >> 1 & 1) | (z >> 2 & 2) | (z >> 3 & 4);

    *x = 4 * (component.sub_y > component.sub_x ? v : u);
    *y = 4 * (component.sub_y > component.sub_x ? u : v);
  }
};

/* For kRuns runs of a component. */
struct TreeCount
{
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kBlocksAtOnce = 3;
  static constexpr int kRuns = 4 * kWarps;

  struct Shared
  {
    /* Zeros, and ones << 16 */
    uint32_t count[kWarps][2][BDCT_CABAC_TREE_SLOTS];
  };

  /* Where a lane's bins go. */
  struct Sink
  {
    uint32_t *count;
    int first;

    /* Zeros, and ones << 8 */
    BDCT_INLINE void
    put_pair (int context, uint32_t pair) const
    {
      put (context, (int) ((pair & 255) + (pair >> 8)), (int) (pair >> 8));
    }

    BDCT_INLINE void
    put (int context, int n, int ones) const
    {
      if (n > 0)
        atomicAdd (&count[context - first],
            (uint32_t) n + 0xffff * (uint32_t) ones);
    }
  };

  /* The flags of the nodes that begin at a place of luma. */
  static BDCT_INLINE void
  put_splits (const Sink &sink, const Square &s, const TreePlace &its,
      int place)
  {
    const BdctCudaTree &tree = s.tree;

    if (!s.has (its.x, its.y))
      return;
    for (int n = tree.min_log2 + 1; n <= tree.max_log2
        && (place & ((1 << 2 * (n - 2)) - 1)) == 0; n++)
      if (its.log2_size <= n)
        sink.put (bdct_quadtree_context (n), 1, its.log2_size < n);
  }

  static BDCT_INLINE void
  put_last (const Sink &sink, int context, int prefix, int log2_size,
      bool chroma)
  {
    for (int i = 0; i < count_last (log2_size, chroma); i++) {
      const uint32_t some = find_last (prefix, log2_size, last_bins (log2_size,
              chroma), i);

      sink.put (context + i, (int) (some & 255), (int) (some >> 8));
    }
  }

  static BDCT_INLINE void
  put_significant (const Sink &sink, uint32_t nonzero, int log2_size,
      bool chroma, bool dc, const Around &around)
  {
    const int sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;

    if (log2_size == 2) {
      for (int p = __ffs ((int) nonzero); p < 16; p++)
        sink.put (sig + (int) (BDCT_CABAC_SIG_4X4 >> 4 * (15 - p) & 15), 1,
            nonzero >> p & 1);
      return;
    }

    const Significant s (find_coded (nonzero, around.last), nonzero, dc,
        around.last, around.right, around.below);
    const int here = sig + first_significant (log2_size, chroma, dc);

    sink.put (sig, s.first != 0, nonzero >> 15);
    BDCT_UNROLL for (int d = 0; d < 3; d++)
      sink.put_pair (here + d, count_pair (s.there[d], nonzero));
  }

  static BDCT_INLINE void
  put_greater (const Sink &sink, const Levels &found, bool chroma, int set)
  {
    const Greater g = find_greater (found);
    const int one = (chroma ? BDCT_CABAC_CHROMA_GREATER1
        : BDCT_CABAC_LUMA_GREATER1) + 4 * set;

    BDCT_UNROLL for (int i = 0; i < 4; i++)
      sink.put_pair (one + i, g.one[i]);
    sink.put_pair ((chroma ? BDCT_CABAC_CHROMA_GREATER2
            : BDCT_CABAC_LUMA_GREATER2) + set, g.two);
  }

  /* A sub-block's bins. Returns the bypass bins. */
  static BDCT_INLINE uint32_t
  put (const Sink &sink, const TreePlace &its, const Levels &found,
      uint32_t bypass, bool has, bool chroma, const Around &around,
      bool greater)
  {
    const int n = its.log2_size;
    const bool dc = its.j == (1 << 2 * (n - 2)) - 1;

    if (its.there && dc)
      sink.put (chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF, 1,
          around.coded);
    if (!its.there || !around.coded)
      return 0;
    if (!around.last && !dc)
      sink.put ((chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (around.right || around.below), 1,
          has);
    if (!has && !dc)
      return 0;
    put_significant (sink, found.nonzero, n, chroma, dc, around);
    if (!has)
      return 0;
    bypass += __popc (found.nonzero);
    if (around.last) {
      const uint32_t at = find_place (n, its.j);
      const uint8_t prefixes = find_prefixes (found.nonzero, at & 255,
          at >> 8 & 255, &bypass);
      const int first = chroma ? 0 : first_last (n);

      put_last (sink, (chroma ? BDCT_CABAC_CHROMA_LAST_X
              : BDCT_CABAC_LUMA_LAST_X) + first, prefixes & 15, n, chroma);
      put_last (sink, (chroma ? BDCT_CABAC_CHROMA_LAST_Y
              : BDCT_CABAC_LUMA_LAST_Y) + first, prefixes >> 4, n, chroma);
    }
    put_greater (sink, found, chroma, (chroma || dc ? 0 : 2) + greater);
    return bypass;
  }

  /* Runs from number `run` on, two at a time. */
  static BDCT_INLINE void
  thread (const TreeComponent &c, int tile, Shared &shared, int t)
  {
    const int lane = t % 32, parts = count_parts (c.tree.component[c.number]);
    const int across = count_squares (c.tree.component[BDCT_Y].layout.width);
    const int first = c.chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
    const int bypass_slot = bdct_cabac_bypass_slot (0, c.chroma);
    uint32_t (*count)[BDCT_CABAC_TREE_SLOTS] = shared.count[t / 32];
    const int run = tile * kRuns + t / 32 * 4;
    /* Of the first half of a block of 64 */
    uint32_t has_before = 0;
    bool above_before = false;

    for (int round = 0; round < 2; round++) {
      const int slot = 16 * run + 32 * round + lane, square = slot / parts;
      const int place = slot % parts;
      const bool in = slot < 16 * c.n_runs;
      const Square s = { c.tree, in ? square % across * kSide : 0,
        in ? square / across * kSide : 0 };
      const TreePlace its (s, c.number, in ? place : 0);
      const Sink sink = { count[lane / 16], first };
      const uint32_t at = find_place (its.log2_size, its.j);
      uint32_t magnitude[8] = {};
      bool own = false, large = its.log2_size == 5;

      for (int k = lane; k < 2 * BDCT_CABAC_TREE_SLOTS; k += 32)
        (&count[0][0])[k] = 0;
      if (in && its.there)
        own = load_magnitudes (its.block + (((at >> 8 & 255) << its.log2_size)
                + (at & 255)) * 4, its.log2_size, magnitude);

      const uint32_t has = ballot (own);
      const Levels found = find_levels (magnitude);
      const uint32_t escapes = (uint32_t) count_escapes (magnitude, found);
      const uint32_t above = ballot (found.above != 0);
      const bool second = large && its.j >= 32;
      const Around around (at, has,
          second ? has_before : 0, its.j, lane);
      const bool greater = around.earlier == 0 ? second && above_before
          : above >> (31 - __clz ((int) around.earlier)) & 1;

      wait_for_warp ();
      if (in) {
        const uint32_t bypass = put (sink, its, found, escapes, own, c.chroma,
            around, greater);

        if (bypass > 0)
          atomicAdd (&sink.count[bypass_slot], bypass);
        if (!c.chroma)
          put_splits (sink, s, its, place);
      }
      wait_for_warp ();
      for (int k = lane; k < c.slots; k += 32)
        for (int half = 0; half < 2; half++) {
          const uint32_t n0 = count[half][k] & 0xffff;
          const uint32_t n1 = count[half][k] >> 16;

          if (run + 2 * round + half < c.n_runs)
            c.records[(size_t) (run + 2 * round + half) * c.slots + k] =
                (uint16_t) (k == bypass_slot ? n0 : (n0 < 255 ? n0 : 255)
                | (n1 < 255 ? n1 : 255) << 8);
        }
      wait_for_warp ();
      has_before = has;
      above_before = has != 0 && (above >> (31 - __clz ((int) has)) & 1);
    }
  }
};

/* For kThreads slots of a component's segments. */
struct TreePrice
{
  static constexpr int kThreads = 192, kBlocksAtOnce = 8;
  using Shared = BdctCabacTables;

  static BDCT_INLINE void
  thread (const TreeComponent &c, int tile, Shared &shared, int t)
  {
    const int at_once = kThreads / c.slots, slot = t % c.slots;
    const int segment = tile * at_once + t / c.slots;
    uint32_t price = 0;

    copy_tables (shared, t, kThreads);
    wait_for_block ();
    if (t < at_once * c.slots && segment * BDCT_CABAC_SEGMENT < c.n_runs)
      price = price_segment (c.records, c.n_runs, c.slots, segment, slot,
          slot == bdct_cabac_bypass_slot (0, c.chroma),
          c.tree.start[c.chroma][slot], shared);
    add_price (&c.tree.counts[c.number * BDCT_RATE_COUNTERS], price, t);
  }
};

} // namespace

#endif
