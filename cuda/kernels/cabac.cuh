/* blockdct: CABAC's estimate (dct/entropy/cabac.h) of levels in memory.
 *
 * Each context adapts by itself, so a segment's cost is the sum of what the
 * string of bins of each of its contexts costs. Bins, a thread block a segment,
 * puts these strings down and counts them. Cost, a warp a segment, prices them:
 * a lane a part of a string, several bins at a step of a table.
 *
 * These kernels also run without a GPU (warps.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_CUH
#define BDCT_CABAC_CUH

#include "cabac-streams.cuh"
#include "cuda/launch/kernel.h"

namespace {

/* A component of a plane, and where its strings are. */
struct Component
{
  using Strings = BdctCabacStrings;
  /* Of Cost's thread blocks; and more parts of strings than a segment has: with
   * 4x4, the most, a block has 15 bins for significance, 9 for greater levels,
   * 6 for its last position and its flag. */
  static constexpr int kWarps = 8, kParts = 160;
  static constexpr int kMostBins = 31 * kSubBlocks;

  int log2_size, n_blocks, n_segments;  /* blocks of levels */
  bool chroma;
  const BdctLevel *levels;
  BdctCabacStrings *strings;    /* by segment */
  const unsigned long long *counts;     /* the job's */
  unsigned long long *own_counts;

  BDCT_INLINE
  Component (const BdctCudaPlane &plane, int i, const BdctComponentJob *job)
    : log2_size (bdct_cabac_log2_size (job))
  {
    n_blocks = plane.columns
        * (((plane.layout.height - 1) >> plane.log2_height) + 1)
        << bdct_job_log2_parts (job);
    n_segments = (n_blocks - 1) / bdct_cabac_segment_blocks (log2_size) + 1;
    chroma = plane.layout.component[i] != BDCT_Y;
    levels = plane.levels[i];
    strings = plane.strings + i * n_segments;
    counts = plane.counts;
    own_counts = plane.counts
        + plane.layout.component[i] * BDCT_RATE_COUNTERS;
  }

  BDCT_INLINE const Streams &
  streams () const
  {
    return streams_table[log2_size - 2][chroma];
  }
};

/* The sum over the lanes up to this one. */
BDCT_INLINE uint32_t
add_up (uint32_t v, int lane)
{
  BDCT_UNROLL for (int d = 1; d < 32; d *= 2) {
#ifdef __CUDA_ARCH__
    /* The exchange says by itself whether there is such a lane. */
    asm volatile ("{ .reg .pred there; .reg .b32 below;\n"
        "shfl.sync.up.b32 below|there, %0, %1, 0, 0xffffffff;\n"
        "@there add.u32 %0, %0, below; }" : "+r" (v) : "r" (d));
#else
    const uint32_t below = from_below (v, d);

    v += lane >= d ? below : 0;
#endif
  }
  return v;
}

/* Put bins down from bit `at` on. */
BDCT_INLINE void
put (uint32_t *string, uint32_t at, uint32_t bits)
{
  if (bits != 0) {
    const uint32_t high = __funnelshift_l (bits, 0, at);

    atomicOr (&string[at >> 5], bits << (at & 31));
    if (high != 0)
      atomicOr (&string[(at >> 5) + 1], high);
  }
}

/* Whether a sub-block has levels. */
BDCT_INLINE bool
has_levels (const BdctLevel *from, int log2_size)
{
  uint32_t all = 0;

  BDCT_UNROLL for (int v = 0; v < 4; v++) {
    const uint2 four = *(const uint2 *) (from + (v << log2_size));

    all |= four.x | four.y;
  }
  return all != 0;
}

/* Read a sub-block's levels, if it has any. Returns the bypass bins, but for
 * those of a last position. */
BDCT_INLINE uint32_t
read_levels (const BdctLevel *from, int log2_size, bool has,
    const uint8_t together[256], Levels *found)
{
  uint32_t magnitude[8] = {};

  if (has)
    load_magnitudes (from, log2_size, magnitude);
  *found = find_levels (magnitude, together);
  return __popc (found->nonzero) + count_escapes (magnitude, *found);
}

/* Write the strings to memory, and count their bins: of short ones a thread,
 * of long ones a warp. */
template <typename Strings> BDCT_INLINE void
write (const uint32_t *string, const uint32_t *lengths, const Streams &streams,
    Strings *to, unsigned long long *counts, int t, int n_warps)
{
  constexpr int short_words = 3;
  const auto count = [&] (int k, int length, int ones) {
    unsigned long long *its = counts + 2 * streams.context[k];

    if (length > ones)
      atomicAdd (&its[0], (unsigned long long) (length - ones));
    if (ones > 0)
      atomicAdd (&its[1], (unsigned long long) ones);
  };

  if (t < streams.n) {
    const int length = (int) lengths[t], word = streams.word[t];
    int ones = -1;              /* without the one behind them */

    to->length[t] = (uint16_t) length;
    to->exit[t] = 0;
    if (length >> 5 < short_words) {
      BDCT_UNROLL for (int i = 0; i < short_words; i++)
        if (i <= length >> 5) {
          to->bits[word + i] = string[word + i];
          ones += __popc (string[word + i]);
        }
      count (t, length, ones);
    }
  }
  for (int k = n_warps - 1 - (t >> 5); k < streams.n; k += n_warps) {
    const int length = (int) lengths[k], word = streams.word[k];
    uint32_t ones = 0;

    if (length >> 5 < short_words)
      continue;
    for (int i = t & 31; i <= length >> 5; i += 32) {
      to->bits[word + i] = string[word + i];
      ones += __popc (string[word + i]);
    }
    ones = add_lanes (ones);
    if ((t & 31) == 0)
      count (k, length, (int) ones - 1);
  }
}

/* Put a segment's strings down: a thread a sub-block. */
struct Bins
{
  static constexpr int kThreads = kSubBlocks, kWarps = kThreads / 32;
  static constexpr int kSegments = 1;
  /* Registers do for five; Turing has no threads for them. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
  static constexpr int kBlocksAtOnce = 4;
#else
  static constexpr int kBlocksAtOnce = 5;
#endif

  struct Shared
  {
    alignas (16) uint32_t pack[kWarps][kPacks];
    uint16_t item[kSubBlocks];
    uint32_t has[kWarps];       /* sub-blocks with levels, in raster order */
    uint32_t items[kWarps];     /* of each warp */
    uint32_t tail[kWarps];      /* whether the last one with levels of each warp
                                   has some above 1; 2: there is none */
    uint32_t base[kWarps][BDCT_CABAC_STREAMS];  /* where a warp's bins begin */
    uint32_t length[BDCT_CABAC_STREAMS];
    uint32_t string[sizeof BdctCabacStrings::bits / 4];
    Sort sort;
    uint8_t together[256];
    uint8_t prefix[kSubBlocks]; /* of a block's last position: that of x, and
                                   16 times that of y; kNone: no levels */
  };

  static constexpr uint8_t kNone = 255;

  /* An item: a sub-block that has bins. */
  struct Item
  {
    int number;                 /* in the segment, blocks in coding order */
    bool has, right, below;     /* levels: it, its neighbours */
    bool dc, last;              /* its block's first; that of the last level */

    BDCT_INLINE uint16_t
    pack () const
    {
      return (uint16_t) (number | has << 8 | right << 9 | below << 10 | dc << 11
          | last << 12);
    }

    static BDCT_INLINE Item
    unpack (int v)
    {
      return { v & 255, (v >> 8 & 1) != 0, (v >> 9 & 1) != 0,
        (v >> 10 & 1) != 0, (v >> 11 & 1) != 0, (v >> 12 & 1) != 0 };
    }
  };

  template <int LOG2> static BDCT_INLINE const BdctLevel *
  find_sub_block (const BdctLevel *levels, int block, int x, int y)
  {
    return levels + ((size_t) block << 2 * LOG2) + (((y << LOG2) + x) << 2);
  }

  /* Of a sub-block in coding order, what the ballots of its block's say:
   * `raster` is that of this warp's sub-blocks in raster order. */
  template <int LOG2> static BDCT_INLINE Item
  find_item (Shared &sh, uint32_t raster, int t, bool *active, bool *is_item)
  {
    constexpr int q = 1 << 2 * (LOG2 - 2), side = 1 << (LOG2 - 2);
    const int lane = t & 31, warp = t >> 5, j = t % q;
    const int place = order_table[LOG2 - 2].place[j];
    const int x = place & 15, y = place >> 4;
    Item item = { t, (raster >> lane & 1) != 0, false, false, j == q - 1,
      false };

    if (LOG2 == 2) {
      *active = *is_item = item.last = item.has;
    } else if (LOG2 < 5) {
      const uint32_t block = raster >> (lane & ~(q - 1))
          & ((1u << (q & 31)) - 1);
      const uint32_t at = block >> (x + side * y);
      uint32_t upto;

      item.has = at & 1;
      item.right = x + 1 < side && (at >> 1 & 1);
      item.below = at >> side & 1;
      upto = ballot (item.has) >> (lane & ~(q - 1)) & ((2u << j) - 1);
      *active = block != 0;
      *is_item = upto != 0;     /* it or one that comes later has levels */
      item.last = item.has && (upto & (upto - 1)) == 0;
    } else {
      if (lane == 0)
        sh.has[warp] = raster;
      wait_for_block ();

      /* A block is two warps'. */
      const uint64_t block = (uint64_t) sh.has[warp | 1] << 32
          | sh.has[warp & ~1];
      const uint64_t at = block >> (x + side * y);
      uint32_t upto;

      item.has = at & 1;
      item.right = x + 1 < side && (at >> 1 & 1);
      item.below = y + 1 < side && (at >> side & 1);
      upto = ballot (item.has) & ((2u << lane) - 1);
      *active = block != 0;
      *is_item = upto != 0;
      item.last = item.has && (upto & (upto - 1)) == 0;
      if (warp & 1) {
        const int other = order_table[LOG2 - 2].place[lane];
        const bool before = any_lane (block >> ((other & 15)
                + side * (other >> 4)) & 1);

        *is_item |= before;
        item.last &= !before;
      }
    }
    return item;
  }

  /* Find the segment's items, moved together in coding order: a sparse one
   * takes few warps from here on. Also the coded block flags. Returns how many
   * items there are. */
  template <int LOG2> static BDCT_INLINE int
  find_items (Shared &sh, const BdctLevel *levels, int n_blocks, int t)
  {
    constexpr int q = 1 << 2 * (LOG2 - 2), side = 1 << (LOG2 - 2);
    const int lane = t & 31, warp = t >> 5, block = t / q, j = t % q;
    const uint32_t raster = ballot (block < n_blocks && has_levels
        (find_sub_block<LOG2> (levels, block, j % side, j / side), LOG2));
    bool active, is_item;
    const Item item = find_item<LOG2> (sh, raster, t, &active, &is_item);
    const uint32_t items = ballot (is_item);
    int n = 0, before = 0;

    if (lane == 0)
      sh.items[warp] = __popc (items);
    /* The first stream */
    if (LOG2 == 2) {
      if (lane == 0)
        sh.string[warp] = raster;
    } else if (j == 0 && active) {
      put (sh.string, block, 1);
    }
    if (j == 0 && !active)
      sh.prefix[block] = kNone;
    wait_for_block ();
    BDCT_UNROLL for (int w = 0; w < kWarps; w++) {
      before += w < warp ? sh.items[w] : 0;
      n += sh.items[w];
    }
    if (is_item)
      sh.item[before + __popc (items & ((1u << lane) - 1))] = item.pack ();
    wait_for_block ();
    return n;
  }

  /* Read an item's levels, and note its block's last position. Returns the
   * bypass bins. */
  template <int LOG2> static BDCT_INLINE uint32_t
  read (Shared &sh, const BdctLevel *levels, const Item &item, Levels *found)
  {
    constexpr int q = 1 << 2 * (LOG2 - 2);
    const int block = item.number / q;
    const int place = order_table[LOG2 - 2].place[item.number % q];
    const BdctLevel *from = find_sub_block<LOG2> (levels, block, place & 15,
        place >> 4);
    uint32_t bypass = read_levels (from, LOG2, item.has, sh.together, found);

    if (item.last)
      sh.prefix[block] = find_prefixes (found->nonzero, place & 15, place >> 4,
          &bypass);
    return bypass;
  }

  /* Put down the prefixes of the last positions: a warp a stream, a lane as
   * many blocks. */
  template <int LOG2, bool CHROMA> static BDCT_INLINE void
  put_last (Shared &sh, const Streams &streams, int t)
  {
    constexpr Streams S (LOG2, CHROMA);
    constexpr int log2_bins = last_bins (LOG2, CHROMA);
    constexpr int n_blocks = BDCT_CABAC_SEGMENT >> 2 * LOG2;
    constexpr int own = (n_blocks + 31) / 32;
    const int lane = t & 31;

    /* From the last warp on, which may have no items. */
    for (int k = kWarps - 1 - (t >> 5); k < 2 * S.n_last; k += kWarps) {
      const uint32_t begin = 32 * streams.word[S.last_x + k];
      uint32_t bits = 0, n = 0, end;

      BDCT_UNROLL for (int o = 0; o < own; o++) {
        const int block = own * lane + o;
        const int prefix = block < n_blocks ? sh.prefix[block] : kNone;

        if (prefix != kNone) {
          const Some some = find_last (k < S.n_last ? prefix & 15 : prefix >> 4,
              LOG2, log2_bins, k < S.n_last ? k : k - S.n_last);

          bits |= some.bits << n;
          n += some.n;
        }
      }
      end = begin + add_up (n, lane);
      put (sh.string, end - n, bits);
      if (lane == 31) {
        sh.length[S.last_x + k] = end - begin;
        put (sh.string, end, 1);
      }
    }
  }

  /* Returns this thread's bypass bins. */
  template <int LOG2, bool CHROMA> static BDCT_INLINE uint32_t
  put_segment (Shared &sh, const Streams &streams, const BdctLevel *levels,
      int n_blocks, int t)
  {
    constexpr Streams S (LOG2, CHROMA);
    constexpr bool small = LOG2 == 2;
    const int lane = t & 31, warp = t >> 5;
    const uint32_t lanes_below = (1u << lane) - 1;
    const int n_items = find_items<LOG2> (sh, levels, n_blocks, t);
    const int n_warps = (n_items + 31) >> 5;
    const bool works = warp < n_warps, is_item = t < n_items;
    const Item item = Item::unpack (is_item ? sh.item[t] : 0);
    const bool coded = item.has || item.dc;
    uint32_t bypass = 0, above_lanes = 0, has_lanes = 0;
    Levels found = {};

    if (works) {
      bypass = read<LOG2> (sh, levels, item, &found);
      has_lanes = ballot (item.has);
      above_lanes = ballot (found.above_1 != 0);
      if (lane == 0)
        sh.tail[warp] = has_lanes == 0 ? 2
            : above_lanes >> (31 - __clz ((int) has_lanes)) & 1;
    }
    wait_for_block ();

    /* Whether the one with levels before it in its block has some above 1. The
     * block's last one is among the items before. */
    bool greater = false;

    if (!small && is_item && !item.last) {
      const uint32_t before = has_lanes & lanes_below;

      if (before != 0) {
        greater = above_lanes >> (31 - __clz ((int) before)) & 1;
      } else {
        int w = warp - 1;

        while (sh.tail[w] == 2)
          w--;
        greater = sh.tail[w];
      }
    }

    /* Its bins, and how many are before them in this warp. Sub-blocks have sets
     * of contexts, and luma's first ones of blocks (dc) others than the rest,
     * which is most of them. */
    const bool flag = !small && is_item && !item.last && !item.dc;
    const bool neighbour = item.right || item.below;
    const bool rest = small || CHROMA || !item.dc;
    const int set = small ? 0 : (CHROMA || item.dc ? 0 : 2) + greater;
    Significant sig = {};
    Greater g = {};
    uint32_t sorted = 0, count = 0;
    uint32_t sig_before[2] = {}, greater_before = 0, sub[2] = {}, first = 0;
    int one_before = 0;

    if (works) {
      uint32_t pack[kPacks] = {}, greater_counts, one;

      g = find_greater (found);
      greater_counts = g.one[2].n | g.one[3].n << 6 | g.one[0].n << 14
          | g.two.n << 22;
      if (small) {
        uint32_t low = 0, high;

        if (item.has) {
          sorted = (uint32_t) sh.sort.half[3][0][found.nonzero & 255]
              | sh.sort.half[3][1][found.nonzero >> 8];
          count = sh.sort.count[3][__ffs ((int) found.nonzero)];
        }
        BDCT_UNROLL for (int d = 4; d < 8; d++)
          low |= (count >> (2 * d - 4) & 3) << 7 * (d - 4);
        high = count >> 12;
        BDCT_UNROLL for (int d = 0; d < 4; d++)
          high |= (count >> d & 1) << (7 + 6 * d);
        one = ballot (g.one[1].n != 0);
        pack[0] = add_up (low, lane);
        pack[1] = add_up (high, lane);
        pack[2] = add_up (greater_counts, lane);
        pack[3] = __popc (one);
        sig_before[0] = pack[0] - low;
        sig_before[1] = pack[1] - high;
        greater_before = pack[2] - greater_counts;
        one_before = __popc (one & lanes_below);
      } else {
        uint32_t sig_counts, ones[2];

        sig = find_significant (sh.sort, found.nonzero, item.right
            + 2 * item.below, item.dc, item.last, coded);
        sig_counts = sig.digit[0].n | sig.digit[1].n << 10
            | sig.digit[2].n << 20;
        pack[0] = add_up (rest ? sig_counts : 0, lane);
        pack[1] = add_up (rest && !greater ? greater_counts : 0, lane);
        pack[2] = add_up (rest && greater ? greater_counts : 0, lane);
        sub[0] = ballot (flag && !neighbour);
        sub[1] = ballot (flag && neighbour);
        ones[0] = ballot (rest && !greater && g.one[1].n != 0);
        ones[1] = ballot (rest && greater && g.one[1].n != 0);
        first = ballot (sig.first.n != 0);
        pack[3] = __popc (sub[0]) | __popc (sub[1]) << 6
            | __popc (ones[0]) << 12 | __popc (ones[1]) << 18
            | __popc (first) << 24;
        sig_before[0] = pack[0] - sig_counts;
        greater_before = (greater ? pack[2] : pack[1]) - greater_counts;
        one_before = __popc ((greater ? ones[1] : ones[0]) & lanes_below);
        if (!CHROMA && any_lane (item.dc)) {
          pack[4] = add_up (item.dc ? sig_counts : 0, lane);
          pack[5] = add_up (item.dc && !greater ? greater_counts : 0, lane);
          pack[6] = add_up (item.dc && greater ? greater_counts : 0, lane);
          ones[0] = ballot (item.dc && !greater && g.one[1].n != 0);
          ones[1] = ballot (item.dc && greater && g.one[1].n != 0);
          pack[7] = __popc (ones[0]) | __popc (ones[1]) << 6;
          if (item.dc) {
            sig_before[0] = pack[4] - sig_counts;
            greater_before = (greater ? pack[6] : pack[5]) - greater_counts;
            one_before = __popc ((greater ? ones[1] : ones[0]) & lanes_below);
          }
        }
      }
      if (lane == 31) {
        BDCT_UNROLL for (int p = 0; p < kPacks; p++)
          sh.pack[warp][p] = pack[p];
      }
    }

    /* Where each warp's begin */
    wait_for_block ();
    if (t < S.n && streams.pack[t] != Streams::kLast) {
      const int pack = streams.pack[t], shift = streams.shift[t];
      const uint32_t mask = (1u << streams.width[t]) - 1;
      const uint32_t begin = 32 * streams.word[t];
      uint32_t at = begin;

      if (pack == Streams::kPerBlock) {
        at += n_blocks;
      } else {
        BDCT_UNROLL for (int w = 0; w < kWarps; w++)
          if (w < n_warps) {
            sh.base[w][t] = at;
            at += sh.pack[w][pack] >> shift & mask;
          }
      }
      sh.length[t] = at - begin;
      put (sh.string, at, 1);
    }
    put_last<LOG2, CHROMA> (sh, streams, t);
    wait_for_block ();

    /* Put them down. */
    if (works) {
      const uint32_t *base = sh.base[warp];
      const bool above = coded && found.above_1 != 0;
      /* Of streams with at most one bin a lane, one lane puts a warp's. */
      uint32_t gathered = 0, where = 0;
      const auto gather = [&] (int who, int stream, bool bin, uint32_t place) {
        const uint32_t bits = or_lanes (bin ? 1u << place : 0);

        if (lane == who) {
          gathered = bits;
          where = base[stream];
        }
      };
      constexpr int many = small || CHROMA ? 0 : 2; /* the rest's first set */

      if (!small) {
        gather (0, S.sub, flag && item.has && !neighbour,
            __popc (sub[0] & lanes_below));
        gather (1, S.sub + 1, flag && item.has && neighbour,
            __popc (sub[1] & lanes_below));
      }
      if (any_lane (above)) {
        gather (2, S.greater1 + 4 * many + 1, rest && !greater
            && g.one[1].bits != 0, one_before);
        gather (3, S.greater1 + 4 * many + 2, rest && !greater
            && g.one[2].bits != 0, greater_before & 63);
        gather (4, S.greater2 + many, rest && !greater && above
            && g.two.bits != 0, greater_before >> 22 & 63);
        if (!small) {
          gather (5, S.greater1 + 4 * many + 5, rest && greater
              && g.one[1].bits != 0, one_before);
          gather (6, S.greater1 + 4 * many + 6, rest && greater
              && g.one[2].bits != 0, greater_before & 63);
          gather (7, S.greater2 + many + 1, rest && greater && above
              && g.two.bits != 0, greater_before >> 22 & 63);
        }
      }
      if (!small && first != 0)
        gather (8, S.sig, sig.first.bits != 0, __popc (first & lanes_below));
      put (sh.string, where, gathered);
      if (above) {
        const uint32_t *its = &base[S.greater1 + 4 * set];

        put (sh.string, its[0] + (greater_before >> 14 & 255), g.one[0].bits);
        put (sh.string, its[3] + (greater_before >> 6 & 255), g.one[3].bits);
        if (!rest) {
          put (sh.string, its[1] + one_before, g.one[1].bits);
          put (sh.string, its[2] + (greater_before & 63), g.one[2].bits);
          put (sh.string, base[S.greater2 + set] + (greater_before >> 22 & 63),
              g.two.bits);
        }
      }
      if (coded && small) {
        BDCT_UNROLL for (int d = 0; d < 9; d++)
          put (sh.string, base[S.sig + d] + (d < 4
                  ? sig_before[1] >> (7 + 6 * d) & 63
                  : d < 8 ? sig_before[0] >> 7 * (d - 4) & 127
                  : sig_before[1] & 127),
              find_significant_4 (sorted, count, d));
      } else if (coded) {
        BDCT_UNROLL for (int d = 0; d < 3; d++)
          put (sh.string, base[S.sig + (CHROMA || item.dc ? 1 : 4) + d]
              + (sig_before[0] >> 10 * d & 1023), sig.digit[d].bits);
      }
    }
    wait_for_block ();
    return bypass;
  }

  template <int LOG2> static BDCT_INLINE uint32_t
  put_segment_of (Shared &sh, const Component &c, const Streams &streams,
      int segment, int t)
  {
    constexpr int n = BDCT_CABAC_SEGMENT >> 2 * LOG2;
    const BdctLevel *levels = c.levels
        + (size_t) segment * BDCT_CABAC_SEGMENT;
    const int left = c.n_blocks - segment * n, n_blocks = left < n ? left : n;

    return c.chroma ? put_segment<LOG2, true> (sh, streams, levels, n_blocks, t)
        : put_segment<LOG2, false> (sh, streams, levels, n_blocks, t);
  }

  static BDCT_INLINE void
  thread (const Component &c, int segment, Shared &sh, int t)
  {
    const Streams &streams = c.streams ();
    uint32_t bypass;

    for (int i = t; i < (int) (sizeof sh.string / 4); i += kThreads)
      sh.string[i] = 0;
    for (int i = t; i < (int) (sizeof sh.sort / 4); i += kThreads)
      ((uint32_t *) &sh.sort)[i] = ((const uint32_t *) &sort_table)[i];
    sh.together[t] = together_table.entry[t];
    wait_for_block ();
    switch (c.log2_size) {
      case 2:
        bypass = put_segment_of<2> (sh, c, streams, segment, t);
        break;
      case 3:
        bypass = put_segment_of<3> (sh, c, streams, segment, t);
        break;
      case 4:
        bypass = put_segment_of<4> (sh, c, streams, segment, t);
        break;
      default:
        bypass = put_segment_of<5> (sh, c, streams, segment, t);
        break;
    }
    write (sh.string, sh.length, streams, &c.strings[segment], c.own_counts, t,
        kWarps);
    bypass = add_lanes (bypass);
    if (t % 32 == 0 && bypass != 0)
      atomicAdd (&c.own_counts[BDCT_RATE_BYPASS], (unsigned long long) bypass);
  }
};

/* Price segments, a warp each, behind Bins of all of a job. */
template <typename C> struct Cost
{
  using Strings = typename C::Strings;

  static constexpr int kWarps = C::kWarps, kThreads = 32 * kWarps;
  static constexpr int kSegments = kWarps, kBlocksAtOnce = 4;

  /* Bins of a step, and of a part of a string; and more parts than a segment
   * has. */
  static constexpr int kStep = 5, kRows = 2 << kStep;
  static constexpr int kSteps = 19, kPart = kSteps * kStep, kWords = 3;
  static constexpr int kParts = C::kParts;
  static constexpr int kStreams = (int) sizeof Strings::exit;

  static_assert (C::kMostBins / kPart + kStreams < kParts);

  struct Warp
  {
    uint32_t cost[kParts];
    uint8_t exit[kParts], stream[kParts];
    uint32_t stream_of[kStreams]; /* its length, and its first part << 16 */
  };

  struct Shared
  {
    /* By strings of bins and state: row 32 + b has five bins, b, the first one
     * lowest; row 2^n + b has n, fewer; row 0 none. Entry 128 row + (state ^
     * row): the cost << 9, the next state << 2. */
    uint32_t table[128 * kRows];
    Warp warp[kWarps];
    uint8_t start[kStreams];
  };

  /* A string without its last bin is one that the same thread did before. */
  static BDCT_INLINE void
  make_table (uint32_t *table, int t)
  {
    const int state = t & 127;

    for (int row = t >> 7; row < kRows; row += kThreads / 128) {
      uint32_t entry = state << 2;

      if (row > 1 && state < 126) {
        const int n = bdct_cabac_log2 (row), bin = row >> (n - 1) & 1;
        const int before = (row & ((1 << (n - 1)) - 1)) | 1 << (n - 1);
        uint32_t step, next;

        if (before > 1)
          entry = table[128 * before + (state ^ before)];
        next = entry >> 2 & 127;
        step = bdct_cabac_step[next ^ bin];
        entry = ((entry >> 9) + (step >> 8)) << 9
            | ((step & 255) ^ (next & 1)) << 2;
      }
      table[128 * row + (state ^ row)] = entry;
    }
  }

  /* The states in which the streams start, as bdct_cabac_start() finds them:
   * four threads a stream. */
  static BDCT_INLINE void
  find_start (uint8_t *start, const C &c, const Streams &streams, int t)
  {
    constexpr int lanes = 4;

    for (int first = 0; first < streams.n; first += kThreads / lanes)
      find_starts<lanes> (start, c, streams, first + t / lanes, t % lanes);
  }

  template <int lanes> static BDCT_INLINE void
  find_starts (uint8_t *start, const C &c, const Streams &streams, int stream,
      int lane)
  {
    const int k = stream < streams.n ? stream : 0;
    const unsigned long long *counts = c.counts + 2 * streams.context[k];
    unsigned long long zeros, ones, more, less, least = UINT64_MAX;
    int best = 0;

    if (c.chroma) {
      zeros = counts[BDCT_U * BDCT_RATE_COUNTERS]
          + counts[BDCT_V * BDCT_RATE_COUNTERS];
      ones = counts[BDCT_U * BDCT_RATE_COUNTERS + 1]
          + counts[BDCT_V * BDCT_RATE_COUNTERS + 1];
    } else {
      zeros = counts[0];
      ones = counts[1];
    }
    more = ones > zeros ? ones : zeros;
    less = ones > zeros ? zeros : ones;
    for (int i = lane; i < 63; i += lanes) {
      const unsigned long long cost = more * (bdct_cabac_step[2 * i] >> 8)
          + less * (bdct_cabac_step[2 * i + 1] >> 8);

      if (cost < least) {
        least = cost;
        best = i;
      }
    }
    BDCT_UNROLL for (int d = 1; d < lanes; d *= 2) {
      const unsigned long long its = from_xor (least, d);
      const int where = from_xor (best, d);

      if (its < least || (its == least && where < best)) {
        least = its;
        best = where;
      }
    }
    if (lane == 0 && stream < streams.n)
      start[k] = (uint8_t) (2 * best + (ones > zeros));
  }

  /* The j-th part of a string, from the lowest bit on. Returns its bins. */
  static BDCT_INLINE int
  load (uint32_t part[kWords], const uint32_t *string, int length, int j)
  {
    const int word = kPart * j >> 5, left = length - kPart * j;
    uint32_t v[kWords + 1];

    BDCT_UNROLL for (int k = 0; k <= kWords; k++)
      v[k] = word + k <= length >> 5 ? string[word + k] : 0;
    BDCT_UNROLL for (int k = 0; k < kWords; k++)
      part[k] = __funnelshift_r (v[k], v[k + 1], kPart * j);
    return left < kPart ? left : kPart;
  }

  /* Go through a part of n bins from a state, << 2, in `steps` steps; a 1 is
   * behind them if they are fewer than kPart. Returns the state after them. */
  static BDCT_INLINE uint32_t
  go_through (const uint32_t *table, const uint32_t part[kWords], int n,
      int steps, uint32_t state, uint32_t *cost)
  {
    const int full = n / kStep;

    *cost = 0;
    BDCT_UNROLL for (int i = 0; i < kSteps; i++) {
      const int word = kStep * i >> 5, shift = kStep * i & 31;
      uint32_t row = part[word] >> shift, entry;

      if (i >= steps)
        break;
      if (shift + kStep > 32)
        row |= part[word + 1] << (32 - shift);
      row = (row & (kRows / 2 - 1)) | (i < full ? kRows / 2 : 0);
      /* At 128 row + (state ^ row), in bytes */
      entry = *(const uint32_t *) ((const char *) table
          + (516 * row ^ state));
      *cost += entry >> 9;
      state = entry & 0x1fc;
    }
    return state;
  }

  /* Share the parts of a segment's strings out, in order. Returns how many
   * there are. */
  static BDCT_INLINE int
  find_parts (Warp &sh, const uint8_t *start, Strings *strings,
      const Streams &streams, int lane)
  {
    int n = 0;

    for (int first = 0; first < streams.n; first += 32) {
      const int k = first + lane;
      const bool there = k < streams.n;
      const int length = there ? strings->length[k] : 0;
      const int parts = (length + kPart - 1) / kPart;
      const int end = n + (int) add_up ((uint32_t) parts, lane);

      if (there) {
        sh.stream_of[k] = (uint32_t) (length | (end - parts) << 16);
        if (length == 0)
          *(volatile uint8_t *) &strings->exit[k] = start[k] | 0x80;
      }
      for (int i = end - parts; i < end; i++)
        sh.stream[i] = (uint8_t) k;
      n = from_lane (end, 31);
    }
    wait_for_warp ();
    return n;
  }

  /* Price a segment from the start: parts begin with the start too, and again
   * with the state in which the one before ended, until none changes; states
   * soon are the same from wherever they come. Returns this lane's cost. */
  static BDCT_INLINE uint32_t
  price_from_start (const Shared &all, Warp &sh, Strings *strings,
      const Streams &streams, int n_parts, int lane)
  {
    uint32_t sum = 0, carry = 0;

    for (int first = 0; first < n_parts; first += 32) {
      const int at = first + lane;
      const bool there = at < n_parts;
      const int k = sh.stream[there ? at : 0];
      const uint32_t its = sh.stream_of[k];
      const int length = (int) (its & 0xffff), j = at - (int) (its >> 16);
      const uint32_t start = (uint32_t) all.start[k] << 2;
      uint32_t part[kWords], entry = start, exit = 0, cost = 0;
      const int n = there ? load (part, strings->bits + streams.word[k], length,
          j) : 0;
      bool again = there;

      while (any_lane (again)) {
        uint32_t before;

        if (again)
          exit = go_through (all.table, part, n, n / kStep + 1, entry,
              &cost);
        before = from_below (exit, 1);
        before = j == 0 ? start : lane == 0 ? carry : before;
        again = there && before != entry;
        entry = before;
      }
      carry = from_lane (exit, 31);
      if (there) {
        sh.cost[at] = cost;
        sh.exit[at] = (uint8_t) (exit >> 2);
        sum += cost;
        if (kPart * j + n == length)
          *(volatile uint8_t *) &strings->exit[k] = (uint8_t) (exit >> 2
              | 0x80);
      }
    }
    wait_for_warp ();
    return sum;
  }

  /* What it costs more from where the segment before ends: a lane a stream,
   * until it comes to the states that are known. That segment's warp waits for
   * nobody before it tells, and is of this thread block or of one with a lower
   * number, which started before. */
  static BDCT_INLINE uint32_t
  price_from_before (const Shared &all, const Warp &sh, const Strings *strings,
      const Streams &streams, int lane)
  {
    uint32_t sum = 0;

    for (int k = lane; k < streams.n; k += 32) {
      const uint32_t its = sh.stream_of[k];
      const int length = (int) (its & 0xffff), first = (int) (its >> 16);
      const volatile uint8_t *before = &strings[-1].exit[k];
      uint32_t state, known = (uint32_t) all.start[k] << 2;

      if (length == 0)
        continue;
      while ((state = *before) == 0)
        spin ();
      state = (state & 127) << 2;
      for (int j = 0; kPart * j < length && state != known; j++) {
        uint32_t part[kWords], cost;
        const int n = load (part, strings->bits + streams.word[k], length, j);

        state = go_through (all.table, part, n, n / kStep + 1, state,
            &cost);
        sum += cost - sh.cost[first + j];
        known = (uint32_t) sh.exit[first + j] << 2;
      }
    }
    return sum;
  }

  static BDCT_INLINE void
  thread (const C &c, int tile, Shared &sh, int t)
  {
    const Streams &streams = c.streams ();
    const int lane = t & 31, segment = tile * kWarps + (t >> 5);
    Warp &own = sh.warp[t >> 5];
    uint32_t sum;

    make_table (sh.table, t);
    find_start (sh.start, c, streams, t);
    wait_for_block ();
    if (segment >= c.n_segments)
      return;

    Strings *strings = &c.strings[segment];
    const int n_parts = find_parts (own, sh.start, strings, streams, lane);

    sum = price_from_start (sh, own, strings, streams, n_parts, lane);
    if (segment > 0)
      sum += price_from_before (sh, own, strings, streams, lane);
    sum = add_lanes (sum);
    if (lane == 0 && sum != 0)
      atomicAdd (&c.own_counts[BDCT_RATE_COST], (unsigned long long) sum);
  }
};

} // namespace

#endif
