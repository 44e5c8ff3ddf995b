/* blockdct: the bins of trees (dct/rd/quadtree.h) as strings, for Cost of
 * cabac.cuh: what Bins is for blocks of one size.
 *
 * A thread block has a segment of squares of a component, a thread a sub-block
 * of the chosen blocks, in coding order: squares from left to right, in each
 * the blocks in z-order. Streams are of all sizes; what the sub-blocks of a
 * size and kind do not have is left out for a warp as a whole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TREE_BINS_CUH
#define BDCT_TREE_BINS_CUH

#include "cabac.cuh"
#include "quadtree.cuh"

namespace {

/* A component with trees, and where its strings are. */
struct TreeComponent
{
  using Strings = BdctCabacTreeStrings;
  /* As Component has them; besides, there are the flags of nodes. */
  static constexpr int kWarps = 8, kParts = 256;
  static constexpr int kMostBins = 31 * kTreeSubBlocks + kTreeSubBlocks / 2;

  const BdctCudaTree &tree;
  int number, across, n_segments; /* across: segments of a row of squares */
  bool chroma;
  Strings *strings;             /* by segment */
  const unsigned long long *counts;     /* the job's */
  unsigned long long *own_counts;

  BDCT_INLINE
  TreeComponent (const BdctCudaTree &tree, int c)
    : tree (tree), number (c), chroma (c != BDCT_Y), counts (tree.counts)
  {
    const BdctPlaneLayout &luma = tree.component[BDCT_Y].layout;

    across = count_across (luma.width);
    n_segments = across * count_squares (luma.height);
    strings = tree.strings + c * n_segments;
    own_counts = tree.counts + c * BDCT_RATE_COUNTERS;
  }

  static __host__ __device__ int
  count_across (int width)
  {
    return (count_squares (width) - 1) / BDCT_QUADTREE_SEGMENT + 1;
  }

  BDCT_INLINE const Streams &
  streams () const
  {
    return tree_streams_table[chroma];
  }
};

/* Threads: as many as a segment has sub-blocks. */
template <bool CHROMA> struct TreeBins
{
  static constexpr int kThreads = kTreeSubBlocks, kWarps = kThreads / 32;
  static constexpr int kBlocksAtOnce = 2;
  /* Luma's contexts of last positions are of one size each, and so are the
   * lists of these. */
  static constexpr int kLists = CHROMA ? 1 : kSizes;
  static constexpr int kSets = CHROMA ? 2 : 4;
  static constexpr int kKinds = 4; /* of the packs of significance */
  static constexpr int kLastPlaces = kTreeSubBlocks * 85 / 64;

  /* A sub-block that has bins. */
  struct Item
  {
    uint32_t from;              /* its first level of its size, by fours; and
                                   that of luma's blocks << 30 */
    uint32_t is;                /* in the order of members, see pack () */
  };

  /* A sub-block in coding order. */
  struct Place
  {
    int sized, log2_size;       /* its size: index, and log2 of its side */
    int j;                      /* the place in its block */
    uint32_t from;              /* its first level of its size, by fours */
    bool there;
    bool has, right, below;     /* levels: it, its neighbours */
    bool dc, last;              /* its block's first; that of the last level */

    BDCT_INLINE Item
    pack (uint32_t slot) const
    {
      return { from | (uint32_t) sized << 30, (uint32_t) (has | right << 1
            | below << 2 | dc << 3 | last << 4 | j << 5) | slot << 11 };
    }

    static BDCT_INLINE Place
    unpack (const BdctCudaTreeComponent &component, const Item &item)
    {
      const int sized = (int) (item.from >> 30);

      return { sized, component.sized[sized].log2_size,
        (int) (item.is >> 5 & 63), item.from & 0x3fffffff, true,
        (item.is & 1) != 0, (item.is >> 1 & 1) != 0, (item.is >> 2 & 1) != 0,
        (item.is >> 3 & 1) != 0, (item.is >> 4 & 1) != 0 };
    }
  };

  struct Shared
  {
    alignas (16) uint32_t pack[kWarps][kTreePacks];
    Item item[kTreeSubBlocks];
    uint16_t last[kLastPlaces]; /* prefixes, and log2 of the size << 8 */
    uint32_t has[kWarps];       /* sub-blocks with levels */
    /* Of each warp: items and blocks << 16; nodes that have a flag; by lists,
     * the blocks that have levels */
    uint32_t items[kWarps], nodes[kWarps], lists[kWarps];
    uint32_t tail[kWarps];      /* as Bins has it */
    uint32_t base[kWarps][BDCT_CABAC_TREE_STREAMS];
    uint32_t length[BDCT_CABAC_TREE_STREAMS];
    uint32_t string[sizeof BdctCabacTreeStrings::bits / 4];
    Sort sort;
    uint8_t together[256];
  };

  /* Where the counts of nodes of side 2^n are in a word, and how wide. */
  static BDCT_INLINE uint32_t
  of_nodes (uint32_t word, int n)
  {
    return word >> 8 * (n - 3) & 255;
  }

  /* Where those of a list are, and where it begins. */
  static constexpr BDCT_INLINE int
  list_shift (int list)
  {
    return list == 0 ? 0 : 8 * list + 2;
  }

  static BDCT_INLINE int
  of_list (uint32_t word, int list)
  {
    return (int) (word >> list_shift (list) & (list == 0 ? 1023 : 255));
  }

  static BDCT_INLINE int
  list_begin (int list)
  {
    return list == 0 ? 0 : list == 1 ? kTreeSubBlocks : list == 2
        ? kTreeSubBlocks + kTreeSubBlocks / 4
        : kTreeSubBlocks + kTreeSubBlocks / 4 + kTreeSubBlocks / 16;
  }

  /* The sum over the warps before this one; and over all. */
  static BDCT_INLINE uint32_t
  find_before (const uint32_t *of, int n_warps, int t, uint32_t *all)
  {
    const int lane = t & 31, warp = t >> 5;
    const uint32_t upto = add_up (lane < n_warps ? of[lane] : 0, lane);

    *all = from_lane (upto, 31);
    return from_lane (upto, warp) - of[warp];
  }

  /* Close a stream that is put down by itself. */
  static BDCT_INLINE void
  close (Shared &sh, const Streams &streams, int stream, uint32_t length)
  {
    sh.length[stream] = length;
    put (sh.string, 32 * streams.word[stream] + length, 1);
  }

  /* Sub-block `p` of a square in coding order. Sets the size of luma's block
   * there. */
  static BDCT_INLINE Place
  find_place (const Square &s, int c, int p, int *n)
  {
    const BdctCudaTreeComponent &component = s.tree.component[c];
    const int sub = component.sub_x + component.sub_y, place = p << sub;
    const int u = (place & 1) | (place >> 1 & 2) | (place >> 2 & 4);
    const int v = (place >> 1 & 1) | (place >> 2 & 2) | (place >> 3 & 4);

    *n = stored_size (s, 4 * u, 4 * v);

    const int node = bdct_quadtree_node (s.tree.chroma, c, *n);
    const int sized = find_size (s.tree, c, *n);
    const Blocks b (s, c, sized);
    const int in = p - ((place & -(1 << 2 * (node - 2))) >> sub);
    const int i = in >> b.log2_parts, parts = 1 << b.log2_parts;
    const int pair = (1 << node) >> component.sub_x >> b.log2_size > 1;
    const int bx = ((4 * u & -(1 << node)) >> component.sub_x >> b.log2_size)
        + (pair ? i & 1 : 0);
    const int by = ((4 * v & -(1 << node)) >> component.sub_y >> b.log2_size)
        + (pair ? i >> 1 : i);
    Place r = {};

    r.sized = sized;
    r.log2_size = b.log2_size;
    r.j = in & (parts - 1);
    r.dc = r.j == parts - 1;
    r.there = b.has (bx, by);
    if (r.there) {
      const int at = order_table[b.log2_size - 2].place[r.j];
      const BdctLevel *from = b.levels (bx, by)
          + (((at >> 4) << b.log2_size) + (at & 15)) * 4;

      r.from = (uint32_t) ((from - b.of.levels) >> 2);
      r.has = has_levels (from, b.log2_size);
    }
    return r;
  }

  /* Whether a node of side 2^node that has a flag begins at sub-block `p` of
   * luma, where a block has side 2^n. */
  static BDCT_INLINE bool
  has_flag (const Square &s, int p, int n, int node)
  {
    const int u = (p & 1) | (p >> 1 & 2) | (p >> 2 & 4);
    const int v = (p >> 1 & 1) | (p >> 2 & 2) | (p >> 3 & 4);

    return node > s.tree.min_log2 && node <= s.tree.max_log2 && n <= node
        && (p & ((1 << 2 * (node - 2)) - 1)) == 0 && s.has (4 * u, 4 * v);
  }

  /* Find the segment's items, moved together in coding order, and put down the
   * flags of blocks and nodes. Returns how many items there are; sets how many
   * blocks of each list have levels. */
  static BDCT_INLINE int
  find_items (Shared &sh, const TreeComponent &c, const Streams &streams,
      int segment, int t, int n_threads, uint32_t *lists)
  {
    const int lane = t & 31, warp = t >> 5, n_warps = n_threads >> 5;
    const uint32_t lanes_below = (1u << lane) - 1;
    const int parts = count_parts (c.tree.component[c.number]);
    const int p = t & (parts - 1);
    const Square s = { c.tree, (segment % c.across * BDCT_QUADTREE_SEGMENT
          + t / parts) * kSide, segment / c.across * kSide };
    uint32_t flags[3] = {}, list[kLists], counts = 0, all, before;
    uint32_t slot = 0;
    int n;
    Place r = find_place (s, c.number, p, &n);
    const uint32_t in_warp = ballot (r.has);

    if (lane == 0)
      sh.has[warp] = in_warp;
    wait_for_block ();

    /* A block of 64 is two warps'. */
    const Around around (order_table[r.log2_size - 2], in_warp,
        r.j < 32 ? 0 : sh.has[warp - 1], r.j, lane);
    const uint32_t items = ballot (around.coded);
    const uint32_t blocks = ballot (r.there && r.dc);
    const uint32_t coded = or_lanes (r.there && r.dc && around.coded
        ? 1u << __popc (blocks & lanes_below) : 0);

    r.right = around.right;
    r.below = around.below;
    r.last = around.last;
    BDCT_UNROLL for (int i = 0; i < kLists; i++) {
      list[i] = ballot (r.last && (CHROMA || r.sized == i));
      counts |= __popc (list[i]) << list_shift (i);
      if (CHROMA || r.sized == i)
        slot = __popc (list[i] & lanes_below);
    }
    if (lane == 0) {
      sh.items[warp] = __popc (items) | __popc (blocks) << 16;
      sh.lists[warp] = counts;
    }
    if (!CHROMA) {
      counts = 0;
      BDCT_UNROLL for (int k = 3; k <= 5; k++) {
        flags[k - 3] = ballot (has_flag (s, p, n, k));
        counts |= __popc (flags[k - 3]) << 8 * (k - 3);
      }
      if (lane == 0)
        sh.nodes[warp] = counts;
    }
    wait_for_block ();
    if (!CHROMA) {
      before = find_before (sh.nodes, n_warps, t, &all);
      BDCT_UNROLL for (int k = 3; k <= 5; k++) {
        const int stream = bdct_quadtree_context (k) - BDCT_CABAC_LUMA;

        if (flags[k - 3] >> lane & 1 && n < k)
          put (sh.string, 32 * streams.word[stream] + of_nodes (before, k)
              + __popc (flags[k - 3] & lanes_below), 1);
        if (t == k)
          close (sh, streams, stream, of_nodes (all, k));
      }
    }
    before = find_before (sh.lists, n_warps, t, lists);
    slot += list_begin (CHROMA ? 0 : r.sized)
        + of_list (before, CHROMA ? 0 : r.sized);
    before = find_before (sh.items, n_warps, t, &all);
    if (lane == 0)
      put (sh.string, before >> 16, coded);
    if (t == 0)
      close (sh, streams, 0, all >> 16);
    if (around.coded)
      sh.item[(before & 0xffff) + __popc (items & lanes_below)] = r.pack (slot);
    wait_for_block ();
    return (int) (all & 0xffff);
  }

  /* Put down the prefixes of the last positions: a warp a stream, a lane some
   * of the blocks at a time. */
  static BDCT_INLINE void
  put_last (Shared &sh, const Streams &streams, uint32_t lists, int t,
      int n_warps)
  {
    constexpr int n_contexts = CHROMA ? 3 : 15, own = 4;
    const int lane = t & 31;

    /* From the last warp on, which may have no items. */
    for (int k = n_warps - 1 - (t >> 5); k < 2 * n_contexts; k += n_warps) {
      const bool is_x = k < n_contexts;
      const int context = is_x ? k : k - n_contexts;
      const int size = CHROMA ? 0 : (context > 2) + (context > 5)
          + (context > 9);
      const int i = CHROMA ? context : context - first_last (size + 2);
      const int n_blocks = of_list (lists, size);
      const uint16_t *last = sh.last + list_begin (size);
      const uint32_t begin = 32 * streams.word[1 + k];
      uint32_t end = begin;

      for (int first = 0; first < n_blocks; first += 32 * own) {
        uint32_t bits = 0, n = 0, upto;

        BDCT_UNROLL for (int o = 0; o < own; o++) {
          const int block = first + own * lane + o;

          if (block < n_blocks) {
            const int prefixes = last[block];
            const int log2_size = CHROMA ? prefixes >> 8 : size + 2;
            const Some some = find_last ((is_x ? prefixes : prefixes >> 4) & 15,
                log2_size, last_bins (log2_size, CHROMA), i);

            bits |= some.bits << n;
            n += some.n;
          }
        }
        upto = end + add_up (n, lane);
        put (sh.string, upto - n, bits);
        end = from_lane (upto, 31);
      }
      if (lane == 0)
        close (sh, streams, 1 + k, end - begin);
    }
  }

  /* The segment's other strings. Returns this thread's bypass bins. */
  static BDCT_INLINE uint32_t
  put_segment (Shared &sh, const TreeComponent &c, const Streams &streams,
      int segment, int t, int n_threads)
  {
    constexpr Streams S (CHROMA);
    const int lane = t & 31, warp = t >> 5;
    const uint32_t lanes_below = (1u << lane) - 1;
    uint32_t lists;
    const int n_items = find_items (sh, c, streams, segment, t, n_threads,
        &lists);
    const int n_warps = (n_items + 31) >> 5;
    const bool works = warp < n_warps, is_item = t < n_items;
    const BdctCudaTreeComponent &component = c.tree.component[c.number];
    const Item packed = is_item ? sh.item[t] : Item {};
    const Place item = Place::unpack (component, packed);
    const int log2_size = item.log2_size;
    const bool coded = item.has || item.dc;
    const bool tiny = log2_size == 2;
    uint32_t bypass = 0, above_lanes = 0, has_lanes = 0;
    Levels found = {};

    if (works) {
      bypass = read_levels (component.sized[item.sized].levels
          + ((size_t) item.from << 2), log2_size, item.has, sh.together,
          &found);
      if (item.last) {
        const int at = order_table[log2_size - 2].place[item.j];

        sh.last[packed.is >> 11] = (uint16_t) (find_prefixes (found.nonzero,
                at & 15, at >> 4, &bypass) | log2_size << 8);
      }
      has_lanes = ballot (item.has);
      above_lanes = ballot (found.above_1 != 0);
      if (lane == 0)
        sh.tail[warp] = has_lanes == 0 ? 2
            : above_lanes >> (31 - __clz ((int) has_lanes)) & 1;
    }
    wait_for_block ();

    const bool greater = is_item && !item.last && is_before_greater (sh,
        has_lanes & lanes_below, above_lanes, warp);

    /* Its bins, and how many are before them in this warp. */
    const bool flag = is_item && !item.last && !item.dc;
    const bool neighbour = item.right || item.below;
    const int kind = tiny || !coded ? -1 : CHROMA ? (log2_size > 3) * 2
        : (log2_size > 3) * 2 + !item.dc;
    const int set = (CHROMA || item.dc ? 0 : 2) + greater;
    Significant sig = {};
    Greater g = {};
    uint32_t sorted = 0, count = 0, sub[2] = {}, zero = 0, zero_bit = 0;
    uint32_t sig_before = 0, tiny_before[2] = {}, greater_before = 0;
    int one_before = 0;

    if (works) {
      uint32_t pack[kTreePacks] = {}, greater_counts;

      g = find_greater (found);
      greater_counts = g.one[2].n | g.one[3].n << 6 | g.one[0].n << 14
          | g.two.n << 22;
      if (any_lane (kind >= 0)) {
        uint32_t sig_counts;

        sig = find_significant (sh.sort, found.nonzero, item.right
            + 2 * item.below, item.dc, item.last, kind >= 0);
        sig_counts = sig.digit[0].n | sig.digit[1].n << 10
            | sig.digit[2].n << 20;
        BDCT_UNROLL for (int k = 0; k < kKinds; k += CHROMA ? 2 : 1)
          if (any_lane (kind == k)) {
            pack[k] = add_up (kind == k ? sig_counts : 0, lane);
            if (kind == k)
              sig_before = pack[k] - sig_counts;
          }
        zero_bit = sig.first.bits;
      }
      if (any_lane (tiny && item.has)) {
        uint32_t low = 0, high;

        if (tiny && item.has) {
          sorted = (uint32_t) sh.sort.half[3][0][found.nonzero & 255]
              | sh.sort.half[3][1][found.nonzero >> 8];
          count = sh.sort.count[3][__ffs ((int) found.nonzero)];
          zero_bit = find_significant_4 (sorted, count, 0);
        }
        BDCT_UNROLL for (int d = 4; d < 8; d++)
          low |= (count >> (2 * d - 4) & 3) << 7 * (d - 4);
        high = count >> 12;
        BDCT_UNROLL for (int d = 1; d < 4; d++)
          high |= (count >> d & 1) << (7 + 6 * d);
        pack[4] = add_up (low, lane);
        pack[5] = add_up (high, lane);
        tiny_before[0] = pack[4] - low;
        tiny_before[1] = pack[5] - high;
      }
      zero = ballot (sig.first.n != 0 || (count & 1) != 0);
      sub[0] = ballot (flag && !neighbour);
      sub[1] = ballot (flag && neighbour);
      pack[11] = __popc (sub[0]) | __popc (sub[1]) << 6 | __popc (zero) << 12;
      BDCT_UNROLL for (int k = 0; k < kSets; k++)
        if (any_lane (item.has && set == k)) {
          const bool is = item.has && set == k;
          const uint32_t ones = ballot (is && g.one[1].n != 0);

          pack[6 + k] = add_up (is ? greater_counts : 0, lane);
          pack[10] |= __popc (ones) << 6 * k;
          if (is) {
            greater_before = pack[6 + k] - greater_counts;
            one_before = __popc (ones & lanes_below);
          }
        }
      if (lane == 31) {
        BDCT_UNROLL for (int k = 0; k < kTreePacks; k++)
          sh.pack[warp][k] = pack[k];
      }
    }

    /* Where each warp's begin */
    wait_for_block ();
    if (t < S.n && streams.pack[t] != Streams::kLast) {
      const int pack = streams.pack[t], shift = streams.shift[t];
      const uint32_t mask = (1u << streams.width[t]) - 1;
      const uint32_t begin = 32 * streams.word[t];
      uint32_t at = begin;

      for (int w = 0; w < n_warps; w++) {
        sh.base[w][t] = at;
        at += sh.pack[w][pack] >> shift & mask;
      }
      sh.length[t] = at - begin;
      put (sh.string, at, 1);
    }
    put_last (sh, streams, lists, t, n_threads >> 5);
    wait_for_block ();

    /* Put them down. */
    if (works) {
      const uint32_t *base = sh.base[warp];
      const bool above = item.has && found.above_1 != 0;
      /* Of streams with at most one bin a lane, one lane puts a warp's. */
      uint32_t gathered = 0, where = 0;
      const auto gather = [&] (int who, int stream, bool bin, uint32_t place) {
        const uint32_t bits = or_lanes (bin ? 1u << place : 0);

        if (lane == who) {
          gathered = bits;
          where = base[stream];
        }
      };

      if (any_lane (flag)) {
        gather (0, S.sub, flag && item.has && !neighbour,
            __popc (sub[0] & lanes_below));
        gather (1, S.sub + 1, flag && item.has && neighbour,
            __popc (sub[1] & lanes_below));
      }
      if (zero != 0)
        gather (2, S.sig, zero_bit != 0, __popc (zero & lanes_below));
      BDCT_UNROLL for (int k = 0; k < kSets; k++)
        if (any_lane (above && set == k)) {
          const bool is = above && set == k;

          gather (3 + 3 * k, S.greater1 + 4 * k + 1, is && g.one[1].bits != 0,
              one_before);
          gather (4 + 3 * k, S.greater1 + 4 * k + 2, is && g.one[2].bits != 0,
              greater_before & 63);
          gather (5 + 3 * k, S.greater2 + k, is && g.two.bits != 0,
              greater_before >> 22 & 63);
        }
      put (sh.string, where, gathered);
      if (above) {
        const uint32_t *its = &base[S.greater1 + 4 * set];

        put (sh.string, its[0] + (greater_before >> 14 & 255), g.one[0].bits);
        put (sh.string, its[3] + (greater_before >> 6 & 255), g.one[3].bits);
      }
      if (kind >= 0) {
        const uint32_t *its = &base[S.sig + (log2_size == 3 ? 9
                : CHROMA ? 12 : 21) + (CHROMA || item.dc ? 0 : 3)];

        BDCT_UNROLL for (int d = 0; d < 3; d++)
          put (sh.string, its[d] + (sig_before >> 10 * d & 1023),
              sig.digit[d].bits);
      } else if (coded) {
        BDCT_UNROLL for (int d = 1; d < 9; d++)
          put (sh.string, base[S.sig + d] + (d < 4
                  ? tiny_before[1] >> (7 + 6 * d) & 63
                  : d < 8 ? tiny_before[0] >> 7 * (d - 4) & 127
                  : tiny_before[1] & 127),
              find_significant_4 (sorted, count, d));
      }
    }
    wait_for_block ();
    return bypass;
  }

  /* Whether the sub-block with levels before this one in its block has some
   * above 1. The block's last one is among the items before. */
  static BDCT_INLINE bool
  is_before_greater (const Shared &sh, uint32_t before, uint32_t above_lanes,
      int warp)
  {
    if (before != 0)
      return above_lanes >> (31 - __clz ((int) before)) & 1;
    do
      warp--;
    while (sh.tail[warp] == 2);
    return sh.tail[warp];
  }

  static BDCT_INLINE void
  thread (const TreeComponent &c, int segment, Shared &sh, int t)
  {
    const int n_threads = BDCT_QUADTREE_SEGMENT
        * count_parts (c.tree.component[c.number]);
    const Streams &streams = c.streams ();
    uint32_t bypass;

    for (int i = t; i < streams.words; i += n_threads)
      sh.string[i] = 0;
    for (int i = t; i < (int) (sizeof sh.sort / 4); i += n_threads)
      ((uint32_t *) &sh.sort)[i] = ((const uint32_t *) &sort_table)[i];
    for (int i = t; i < 256; i += n_threads)
      sh.together[i] = together_table.entry[i];
    wait_for_block ();
    bypass = put_segment (sh, c, streams, segment, t, n_threads);
    write (sh.string, sh.length, streams, &c.strings[segment], c.own_counts, t,
        n_threads >> 5);
    bypass = add_lanes (bypass);
    if (t % 32 == 0 && bypass != 0)
      atomicAdd (&c.own_counts[BDCT_RATE_BYPASS], (unsigned long long) bypass);
  }
};

} // namespace

#endif
