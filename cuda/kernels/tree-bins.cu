/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CABAC's bins of trees' levels, counted and priced
 * (dct/entropy/cabac-price.h), as rate.cu does for blocks of one size. A warp
 * takes four runs of a component, two at a time, a lane a sub-block at its
 * place in coding order, whatever block it is in. A record has a slot for each
 * context. A launch's second dimension is the component. */
#include "cabac-words.cuh"
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

    const SizedBlocks b (s, c, find_size (s.tree, c, stored_size (s, x, y)));

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

/* By chroma and the size of blocks: which slot of a tree's record each slot of
 * the blocks' own records becomes (cabac-price.h). */
struct TreeSlots
{
  static constexpr uint8_t kNone = 255;
  uint8_t at[2][4][BDCT_CABAC_SLOTS] = {};

  constexpr TreeSlots ()
  {
    for (int k = 0; k < 8 * BDCT_CABAC_SLOTS; k++) {
      const int chroma = k & 1, size = k >> 1 & 3, slot = k >> 3;
      const int end = chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
      const int context = bdct_cabac_context (size + 2, chroma, slot);

      at[chroma][size][slot] = (uint8_t) (context == BDCT_CABAC_NONE ? kNone
          : (context < end ? context : end)
          - (chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA));
    }
  }
};
BDCT_CABAC_TABLE TreeSlots tree_slots;

/* For kRuns runs of a component. */
struct TreeCount
{
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kBlocks = 5;
  static constexpr int kRuns = 4 * kWarps;

  struct Shared
  {
    /* Zeros, and ones << 16 */
    uint32_t count[kWarps][2][BDCT_CABAC_TREE_SLOTS];
  };

  /* The flags of the nodes that begin at a place of luma. */
  static BDCT_INLINE void
  put_splits (uint32_t *count, const Square &s, const TreePlace &its, int place)
  {
    const BdctCudaTree &tree = s.tree;

    if (!s.has (its.x, its.y))
      return;
    for (int n = tree.min_log2 + 1; n <= tree.max_log2
        && (place & ((1 << 2 * (n - 2)) - 1)) == 0; n++)
      if (its.log2_size <= n)
        atomicAdd (&count[bdct_quadtree_context (n) - BDCT_CABAC_LUMA],
            its.log2_size < n ? 0x10000u : 1u);
  }

  /* Add a word of two slots, from `slot` on. */
  static BDCT_INLINE void
  put_word (uint32_t *count, const uint8_t *at, int slot, uint32_t word)
  {
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      const uint32_t pair = word >> 16 * i;

      if (at[slot + i] != TreeSlots::kNone)
        count[at[slot + i]] += (pair & 255) | (pair >> 8 & 255) << 16;
    }
  }

  /* Add those sub-blocks of a warp's two runs that are in 4x4 blocks, or the
   * others. In a run these are of one size, for a block of 16x16 has a run. */
  template <bool SMALL, bool CHROMA> static BDCT_INLINE void
  put (uint32_t *count, const SubBlock &its, const Levels &found,
      const Around &around, int lane)
  {
    const bool mine = its.there && (its.log2_size == 2) == SMALL;
    const uint32_t lanes = ballot (mine);
    const int l = lane & 15, slot = 2 * l;
    Words<SMALL, CHROMA> words;
    uint32_t word, first = 0;

    if (lanes == 0)
      return;
    if (mine)
      words.set (its, found, around);
    word = fold<16> (words.word, lane);
    if (words.kFirst)
      first = fold<8> (words.first, lane);

    const uint32_t in_run = lanes >> (lane & 16) & 0xffff;
    const int size = from_lane (its.log2_size - 2, (lane & 16)
        + (in_run == 0 ? 0 : __ffs ((int) in_run) - 1));
    const uint8_t *at = tree_slots.at[CHROMA][size];

    if (in_run != 0) {
      if ((slot == 0 && !SMALL) || slot == BDCT_CABAC_SLOT_BYPASS)
        count[at[slot]] += word;
      else
        put_word (count, at, slot, word);
      if (words.kFirst && (l & 1) == 0)
        put_word (count, at, BDCT_CABAC_SLOT_DC + l, first);
    }
    wait_for_warp ();
  }

  template <bool CHROMA> static BDCT_INLINE void
  count_runs (const TreeComponent &c, int run, int lane,
      uint32_t (*count)[BDCT_CABAC_TREE_SLOTS])
  {
    const BdctCudaTreeComponent &component = c.tree.component[c.number];
    const int log2_parts = 2 * BDCT_QUADTREE_LOG2 - 4 - component.sub_x
        - component.sub_y;
    const int across = count_squares (c.tree.component[BDCT_Y].layout.width);
    /* Of the first half of a block of 64 */
    uint32_t has_before = 0;
    bool above_before = false;

    for (int round = 0; round < 2 && run + 2 * round < c.n_runs; round++) {
      const int number = 16 * run + 32 * round + lane;
      const int square = number >> log2_parts;
      const int place = number & ((1 << log2_parts) - 1);
      const bool in = number < 16 * c.n_runs;
      const Square s = { c.tree, in ? square % across * kSide : 0,
        in ? square / across * kSide : 0 };
      const TreePlace at (s, c.number, in ? place : 0);
      uint32_t *own = count[lane / 16], magnitude[8] = {};
      SubBlock its = { at.log2_size, find_place (at.log2_size, at.j),
        in && at.there, at.j == (1 << 2 * (at.log2_size - 2)) - 1, false, false,
        0 };

      for (int k = lane; k < 2 * BDCT_CABAC_TREE_SLOTS; k += 32)
        (&count[0][0])[k] = 0;
      if (its.there)
        its.has = load_magnitudes (at.block + (((its.place >> 8 & 255)
                    << its.log2_size) + (its.place & 255)) * 4, its.log2_size,
            magnitude);

      const uint32_t has = ballot (its.has);
      const Levels found = find_levels (magnitude);
      const uint32_t above = ballot (found.above != 0);
      const bool second = its.log2_size == 5 && at.j >= 32;
      const Around around (its.place, has, second ? has_before : 0, at.j, lane);

      its.greater = follows_greater (around, above, second && above_before);
      its.escapes = count_escapes (magnitude, found);
      wait_for_warp ();
      put<true, CHROMA> (own, its, found, around, lane);
      put<false, CHROMA> (own, its, found, around, lane);
      if (!CHROMA && in)
        put_splits (own, s, at, place);
      wait_for_warp ();
      for (int k = lane; k < c.slots; k += 32)
        for (int half = 0; half < 2; half++) {
          const uint32_t n0 = count[half][k] & 0xffff;
          const uint32_t n1 = count[half][k] >> 16;

          if (run + 2 * round + half < c.n_runs)
            c.records[(size_t) (run + 2 * round + half) * c.slots + k] =
                (uint16_t) (k == bdct_cabac_bypass_slot (0, CHROMA) ? n0
                : (n0 < 255 ? n0 : 255) | (n1 < 255 ? n1 : 255) << 8);
        }
      wait_for_warp ();
      has_before = has;
      above_before = has != 0 && (above >> log2_floor ((int) has) & 1);
    }
  }

  /* Runs from number `run` on, two at a time. */
  static BDCT_INLINE void
  thread (const BdctCudaTree &tree, int tile, int component, Shared &shared,
      int t)
  {
    const TreeComponent c (tree, component);
    const int run = tile * kRuns + t / 32 * 4;

    if (c.chroma)
      count_runs<true> (c, run, t % 32, shared.count[t / 32]);
    else
      count_runs<false> (c, run, t % 32, shared.count[t / 32]);
  }
};

/* For kThreads slots of a component's segments. */
struct TreePrice
{
  static constexpr int kThreads = 192, kBlocks = 5;
  using Shared = BdctCabacTables;

  static BDCT_INLINE void
  thread (const BdctCudaTree &tree, int tile, int component, Shared &shared,
      int t)
  {
    const TreeComponent c (tree, component);
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

/* Luma's */
int
count_runs (const BdctCudaTree *tree)
{
  const BdctPlaneLayout &luma = tree->component[BDCT_Y].layout;

  return count_squares (luma.width) * count_squares (luma.height)
      * (kParts / 16);
}

} // namespace

extern "C" size_t
bdct_cuda_tree_bins_size (const BdctCudaTree *tree)
{
  return (size_t) count_runs (tree) * (BDCT_CABAC_TREE_SLOTS
      + (tree->n_components - 1) * BDCT_CABAC_TREE_CHROMA_SLOTS)
      * sizeof (uint16_t);
}

extern "C" cudaError_t
bdct_cuda_tree_count (const BdctCudaTree *tree, cudaStream_t stream)
{
  return launch<TreeCount> (tree, (count_runs (tree) - 1) / TreeCount::kRuns
      + 1, tree->n_components, stream);
}

extern "C" cudaError_t
bdct_cuda_tree_price (const BdctCudaTree *tree, cudaStream_t stream)
{
  const int at_once = TreePrice::kThreads / BDCT_CABAC_TREE_SLOTS;

  return launch<TreePrice> (tree, (count_runs (tree) - 1)
      / (at_once * BDCT_CABAC_SEGMENT) + 1, tree->n_components, stream);
}
