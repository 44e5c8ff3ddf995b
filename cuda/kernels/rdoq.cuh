/* blockdct: the choice of levels by rate and distortion on the GPU
 * (dct/rd/rdoq.h; cpu/rdoq-blocks.c is its definition).
 *
 * A lane chooses the levels of a 4x4 sub-block, one after the other. Of the
 * sub-blocks before it in coding order it needs three bits: whether its
 * neighbours to the right and below have levels, and whether the last one that
 * has levels has some above 1 (find_keys()). The costs before it only count
 * when the last place is chosen, which is later; so all costs here are what
 * something costs more than zeros do.
 *
 * The three bits are guessed, and all lanes choose at once. Ballots over what
 * they choose then say what the bits are, and who had others chooses again
 * until none has. As nothing depends on what comes later in coding order, the
 * result is that of one after the other, whatever the guess. Then a block's
 * lanes find the best last place together.
 *
 * This repeats as in choose_levels(), from the last place on. While a lane
 * chooses, it also prices the levels that there are so far: at first the plain
 * quantizer's, then those of the time before. Where the three bits stay as they
 * were it has nothing to do.
 *
 * A warp has kWords times 32 sub-blocks, blocks after blocks and in coding
 * order. Those with something to do are lined up, so that lanes have similarly
 * long work. Levels are two masks of a sub-block's places, as a level is the
 * nearest one, one less, or 0.
 *
 * This kernel also runs without a GPU (warps.cuh).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_RDOQ_CUH
#define BDCT_RDOQ_CUH

#include "cuda/launch/kernel.h"
#include "rdoq-levels.cuh"

namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps;
constexpr int kWords = 2, kSubBlocks = 32 * kWords;

template <bool LONG> struct Word
{
  typedef uint32_t Type;
};

template <> struct Word<true>
{
  typedef uint64_t Type;
};

/* A warp's shared memory; what is of a sub-block, in the warp's order. */
struct Warp
{
  /* Costs: of the levels chosen; with the last level at last_place, of its
   * position less those of all before it in this sub-block; and of the levels
   * that were there before */
  int64_t cost[kSubBlocks], last[kSubBlocks], price[kSubBlocks];
  int64_t least[kSubBlocks];    /* of its block, so far */
  uint32_t best[kSubBlocks];    /* its levels there: places that have one, and
                                   from bit 16 on those of lower ones */
  uint32_t coded[kSubBlocks];   /* of the levels there are, see Levels */
  uint16_t lower[kSubBlocks];
  uint16_t candidates[kSubBlocks];      /* nearest levels above 0 */
  uint16_t was_lower[kSubBlocks];       /* of the levels before */
  uint8_t key[kSubBlocks];      /* that levels were or are to be chosen in */
  uint8_t price_key[kSubBlocks];        /* of the levels before */
  uint8_t last_place[kSubBlocks];
  uint8_t queue[kSubBlocks];
  union                         /* by place and lane */
  {
    uint32_t pair[8][32];
    int16_t coefficient[8][32][2];
  };
};

struct Shared
{
  Constants constants;
  Warp warp[kWarps];
};

/* A tile: sub-blocks of component `i` of a plane, a thread block's. */
struct Tile
{
  const BdctCudaPlane &plane;
  int i, first, n;              /* numbers: of its first block, of all */

  BDCT_INLINE
  Tile (const BdctCudaPlane &plane, int tile)
    : plane (plane), i (tile >= plane.tiles_x)
  {
    first = (tile - (i ? plane.tiles_x : 0))
        * (kWarps * kSubBlocks >> 2 * (plane.log2_width - 2));
    n = plane.columns
        * (((plane.layout.height - 1) >> plane.log2_height) + 1);
  }

  BDCT_INLINE const Constants *
  constants (int quantizer) const
  {
    return (const Constants *) (plane.constants
        + quantizer * plane.quantizer_size) + i;
  }
};

/* The blocks of a warp: MAPPED ones have a map of quantizers. */
template <int LOG2, bool MAPPED> struct Chooser
{
  /* Sub-blocks of a block, and its part of a word */
  static constexpr int kOfBlock = 1 << 2 * (LOG2 - 2);
  static constexpr int kLanes = kOfBlock < 32 ? kOfBlock : 32;
  /* Words that a block has */
  static constexpr int kSpan = kOfBlock / kLanes;

  /* A bit for each sub-block of a block */
  typedef typename Word<(kOfBlock > 32)>::Type Bits;

  const Tile &tile;
  const Constants &shared;
  Warp &warp;
  int first, lane;              /* first: number of the warp's first block */

  /* The block of sub-block `lane` of each word: whether its cost may become
   * less; the last place that is priced, and from which levels are chosen */
  bool running[kWords];
  int at[kWords], at_place[kWords];

  BDCT_INLINE
  Chooser (const Tile &tile, const Constants &shared, Warp &warp, int first,
      int lane)
    : tile (tile), shared (shared), warp (warp), first (first), lane (lane)
  {
  }

  /* The sub-block of a word in its block, in coding order */
  BDCT_INLINE int
  number (int w) const
  {
    return (32 * w + lane) & (kOfBlock - 1);
  }

  BDCT_INLINE bool
  is_dc (int w) const
  {
    return number (w) == kOfBlock - 1;
  }

  BDCT_INLINE const Constants &
  constants (int e) const
  {
    const int block = first + e / kOfBlock;

    return !MAPPED ? shared
        : *tile.constants (block < tile.n
        ? tile.plane.quantizer_map[tile.i][block] : 0);
  }

  BDCT_INLINE int16_t *
  coefficients (int e, Position p) const
  {
    return tile.plane.levels[tile.i] + ((size_t) (first + e / kOfBlock)
            << 2 * LOG2) + (4 * p.y << LOG2) + 4 * p.x;
  }

  static BDCT_INLINE void
  load (uint32_t pair[8], const int16_t *from)
  {
    BDCT_UNROLL for (int v = 0; v < 4; v++) {
      const uint2 four = *(const uint2 *) (from + (v << LOG2));

      pair[2 * v] = four.x;
      pair[2 * v + 1] = four.y;
    }
  }

  static BDCT_INLINE int
  get (const uint32_t pair[8], int place)
  {
    return (int16_t) (pair[place >> 1] >> 16 * (place & 1));
  }

  /* What blocks' lanes say, each block's to itself. */
  BDCT_INLINE void
  ask (Bits bits[kWords], const bool is[kWords]) const
  {
    if constexpr (kSpan == 1) {
      BDCT_UNROLL for (int w = 0; w < kWords; w++)
        bits[w] = ballot (is[w]) >> (lane & ~(kLanes - 1))
            & (kLanes == 32 ? ~0u : (1u << (kLanes & 31)) - 1);
    } else {
      BDCT_UNROLL for (int w = 0; w < kWords; w += 2) {
        const uint32_t low = ballot (is[w]), high = ballot (is[w + 1]);

        bits[w] = bits[w + 1] = low | (Bits) high << 32;
      }
    }
  }

  BDCT_INLINE void
  add_block (int64_t v[kWords]) const
  {
    BDCT_UNROLL for (int w = 0; w < kWords; w += kSpan) {
      if (kSpan > 1)
        v[w] += v[w + kSpan - 1];
      BDCT_UNROLL for (int d = 1; d < kLanes; d *= 2)
        v[w] += from_xor (v[w], d);
      if (kSpan > 1)
        v[w + kSpan - 1] = v[w];
    }
  }

  /* The keys that levels leave to sub-blocks. */
  BDCT_INLINE void
  find_keys (int key[kWords], const uint32_t coded[kWords],
      Bits has[kWords]) const
  {
    bool is[kWords], above[kWords];
    Bits greater[kWords];

    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      is[w] = (coded[w] & 0xffff) != 0;
      above[w] = is_greater (coded[w]);
    }
    ask (has, is);
    ask (greater, above);
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int j = number (w);
      const Position p = shared.position[j];
      const Bits before = has[w] & (((Bits) 1 << j) - 1);

      key[w] = before == 0 ? 0
          : (int) (greater[w] >> highest (before) & 1) << 2;
      if (LOG2 > 2 && p.right != kNowhere)
        key[w] |= (int) (has[w] >> p.right & 1);
      if (LOG2 > 2 && p.below != kNowhere)
        key[w] |= (int) (has[w] >> p.below & 1) << 1;
    }
  }

  /* The cost of a sub-block without levels. */
  BDCT_INLINE int64_t
  empty (int w, int key) const
  {
    const Constants &k = constants (32 * w + lane);

    return add_product (0, k.lambda, (int) (is_dc (w) ? k.zeros[4 + (key & 3)]
            : k.sub_block[(key & 3) != 0][0]));
  }

  /* The cost of the last level's position. */
  BDCT_INLINE int64_t
  position_cost (int w) const
  {
    const Constants &k = constants (32 * w + lane);
    const Position p = shared.position[at[w]];
    const int place = place_of (at_place[w] & 15);

    return add_product (0, k.lambda, (int) (k.last[0][4 * p.x + (place & 3)]
            + k.last[1][4 * p.y + (place >> 2)]));
  }

  /* Choose a sub-block's levels, and price those that are there if `prices`:
   * `plain` ones are the plain quantizer's. */
  BDCT_INLINE void
  choose (int e, bool prices, bool plain) const
  {
    const int j = e & (kOfBlock - 1);
    const Position p = shared.position[j];
    uint32_t pair[8];

    load (pair, coefficients (e, p));
    BDCT_UNROLL for (int i = 0; i < 8; i++)
      warp.pair[i][lane] = pair[i];

    const Choice r = choose_levels<LOG2> (constants (e), p, j == kOfBlock - 1,
        warp.key[e], warp.candidates[e], (const Coefficients *)
        &warp.coefficient[0][lane], prices, plain, { (warp.coded[e] & 0xffff)
          | (uint32_t) warp.lower[e] << 16, warp.price_key[e] });

    if (prices)
      warp.price[e] = r.price;
    if (plain)
      warp.was_lower[e] = (uint16_t) (r.lower >> 16);
    warp.coded[e] = r.coded;
    warp.lower[e] = (uint16_t) r.lower;
    warp.cost[e] = r.cost;
    warp.last[e] = r.last;
    warp.last_place[e] = (uint8_t) r.last_place;
  }

  /* Have those chosen that need it. */
  BDCT_INLINE void
  choose_all (const bool needs[kWords], bool prices, bool plain) const
  {
    int n = 0;

    /* Those with many levels first */
    BDCT_UNROLL for (int least = 8; least >= 0; least -= 4)
      BDCT_UNROLL for (int w = 0; w < kWords; w++) {
        const int levels = __popc (warp.candidates[32 * w + lane]);
        const bool now = needs[w] && levels > least
            && (least == 8 || levels <= least + 4);
        const uint32_t all = ballot (now);

        if (now)
          warp.queue[n + __popc (all & ((1u << lane) - 1))] =
              (uint8_t) (32 * w + lane);
        n += __popc (all);
      }
    wait_for_warp ();
    for (int i = lane; i < n; i += 32)
      choose (warp.queue[i], prices, plain);
    wait_for_warp ();
  }

  /* Find which levels may not be 0, and the plain quantizer's. */
  BDCT_INLINE void
  quantize (uint32_t plain[kWords])
  {
    bool is[kWords];
    Bits any[kWords];

    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane;
      const Constants &k = constants (e);
      const Position p = shared.position[number (w)];
      uint32_t pair[8] = {}, candidates = 0;

      if (first + e / kOfBlock < tile.n)
        load (pair, coefficients (e, p));
      plain[w] = 0;
      BDCT_UNROLL for (int i = 0; i < 16; i++) {
        const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
        const uint2 least = k.threshold[index_of<LOG2> (p, place, i,
              is_dc (w))];
        const int c = get (pair, place);
        const uint32_t magnitude = (uint32_t) (c < 0 ? -c : c);

        candidates |= (uint32_t) (magnitude >= (least.x & 0xffff)) << i;
        plain[w] |= (uint32_t) (magnitude >= least.x >> 16) << i
            | (uint32_t) (magnitude >= least.y) << (i + 16);
      }
      warp.candidates[e] = (uint16_t) candidates;
      warp.key[e] = kNoKey;
      is[w] = candidates != 0;
      warp.best[e] = 0;
      warp.least[e] = (int64_t) k.lambda * (int) k.block[0];
    }
    ask (any, is);
    BDCT_UNROLL for (int w = 0; w < kWords; w++)
      running[w] = any[w] != 0;
  }

  /* Price levels as they are, up to the last place, and choose the next ones
   * with the same contexts or, at first, with guessed ones. Where no sub-block
   * has others than before, the next ones are the same, and the block is
   * done. */
  BDCT_INLINE void
  price (const uint32_t coded[kWords], bool plain)
  {
    int key[kWords], guess[kWords];
    bool needs[kWords];
    Bits has[kWords], changed[kWords];
    int64_t sum[kWords];

    find_keys (key, coded, has);
    if (plain) {
      uint32_t guessed[kWords];
      Bits ignored[kWords];

      /* A single 1 is rarely kept. */
      BDCT_UNROLL for (int w = 0; w < kWords; w++) {
        const uint32_t levels = coded[w] & 0xffff;

        guessed[w] = coded[w] >> 16 != 0 || (levels & (levels - 1)) != 0
            ? coded[w] : 0;
        warp.coded[32 * w + lane] = coded[w];
        at[w] = has[w] != 0 ? lowest (has[w]) : 0;
      }
      find_keys (guess, guessed, ignored);
      wait_for_warp ();
      BDCT_UNROLL for (int w = 0; w < kWords; w++)
        at_place[w] = has[w] != 0
            ? highest (warp.coded[(32 * w + lane) / kOfBlock * kOfBlock + at[w]]
            & 0xffff) : -1;
    }
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane, j = number (w);

      if (j == at[w])
        key[w] |= (at_place[w] + 1) << 3;
      if (!plain)
        guess[w] = key[w];
      needs[w] = running[w] && warp.candidates[e] != 0
          && (plain || (j >= at[w] && guess[w] != warp.key[e]));
      if (needs[w])
        warp.key[e] = (uint8_t) guess[w];
      warp.price_key[e] = (uint8_t) key[w];
      warp.was_lower[e] = plain ? 0 : warp.lower[e];
    }
    ask (changed, needs);
    choose_all (needs, true, plain);
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane;

      sum[w] = 0;
      if (running[w] && number (w) >= at[w])
        sum[w] = (coded[w] & 0xffff) == 0 ? empty (w, warp.price_key[e])
            : needs[w] ? warp.price[e] : warp.cost[e];
    }
    add_block (sum);
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane;
      const Constants &k = constants (e);
      const int64_t cost = sum[w] + position_cost (w)
          + (int64_t) k.lambda * (int) k.block[1];

      if (running[w] && at_place[w] >= 0 && cost < warp.least[e]) {
        warp.least[e] = cost;
        warp.best[e] = number (w) < at[w] ? 0
            : (coded[w] & 0xffff) | (uint32_t) warp.was_lower[e] << 16;
        running[w] &= changed[w] != 0;
      } else if (!plain) {
        running[w] = false;
      }
      if (plain) {
        at[w] = 0;
        at_place[w] = -1;
      }
    }
  }

  /* The levels chosen, where their block goes on. */
  BDCT_INLINE void
  get_chosen (uint32_t coded[kWords]) const
  {
    BDCT_UNROLL for (int w = 0; w < kWords; w++)
      coded[w] = running[w] && number (w) >= at[w]
          ? warp.coded[32 * w + lane] : 0;
  }

  /* Choose again until all contexts are what the levels chosen make them. */
  BDCT_INLINE void
  mend (uint32_t coded[kWords], int key[kWords]) const
  {
    for (;;) {
      bool needs[kWords], any = false;
      Bits has[kWords];

      get_chosen (coded);
      find_keys (key, coded, has);
      BDCT_UNROLL for (int w = 0; w < kWords; w++) {
        const int e = 32 * w + lane;

        if (number (w) == at[w])
          key[w] |= (at_place[w] + 1) << 3;
        needs[w] = running[w] && number (w) >= at[w]
            && warp.candidates[e] != 0 && key[w] != warp.key[e];
        if (needs[w])
          warp.key[e] = (uint8_t) key[w];
        any |= needs[w];
      }
      if (!any_lane (any))
        return;
      choose_all (needs, false, false);
    }
  }

  /* Find the best last places, and clear the levels before them. */
  BDCT_INLINE void
  end (uint32_t coded[kWords], const int key[kWords])
  {
    int64_t lowest[kWords], carry = 0;
    int where[kWords];

    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane, j = number (w);
      const bool is = (coded[w] & 0xffff) != 0;
      const int64_t cost = !running[w] || j < at[w] ? 0
          : is ? warp.cost[e] : empty (w, key[w]);
      int64_t sum = cost;

      BDCT_UNROLL for (int d = 1; d < kLanes; d *= 2) {
        const int64_t before = from_below (sum, d);

        sum += (lane & (kLanes - 1)) >= d ? before : 0;
      }
      if (w % kSpan > 0)
        sum += carry;
      if (w % kSpan < kSpan - 1)
        carry = from_lane (sum, 31);
      lowest[w] = is ? warp.last[e] - (sum - cost) : INT64_MAX;
      where[w] = is ? j : kOfBlock;
      BDCT_UNROLL for (int d = 1; d < kLanes; d *= 2)
        take_lower (&lowest[w], &where[w], from_xor (lowest[w], d),
            from_xor (where[w], d));
    }
    if (kSpan > 1)
      BDCT_UNROLL for (int w = 0; w < kWords; w += kSpan) {
        const int other = w + kSpan - 1;

        take_lower (&lowest[w], &where[w], lowest[other], where[other]);
        where[other] = where[w];
      }
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane, j = number (w);

      running[w] &= where[w] < kOfBlock;
      if (running[w]) {
        at[w] = where[w];
        at_place[w] = warp.last_place[e / kOfBlock * kOfBlock + where[w]];
        if (j < at[w])
          coded[w] = 0;
        else if (j == at[w] && highest (coded[w] & 0xffff) > at_place[w])
          coded[w] &= ((2u << at_place[w]) - 1) * 0x10001;
        else if (j == at[w])
          keep_last (w);
        warp.coded[e] = coded[w];
        warp.lower[e] &= (uint16_t) coded[w];
      }
    }
  }

  /* If no level of the last one's sub-block is cleared they stay what they are
   * with that known, as what that one saves and the sub-block's flag are no
   * matter of its other levels. */
  BDCT_INLINE void
  keep_last (int w) const
  {
    const int e = 32 * w + lane;
    const int64_t saved = position_cost (w) - warp.last[e];

    warp.cost[e] -= saved;
    warp.last[e] += saved;
    warp.key[e] = (uint8_t) ((warp.key[e] & 7) | (at_place[w] + 1) << 3);
  }

  static BDCT_INLINE void
  take_lower (int64_t *lowest, int *where, int64_t its, int its_where)
  {
    if (its < *lowest || (its == *lowest && its_where < *where)) {
      *lowest = its;
      *where = its_where;
    }
  }

  BDCT_INLINE bool
  is_running () const
  {
    bool any = false;

    BDCT_UNROLL for (int w = 0; w < kWords; w++)
      any |= running[w];
    return any_lane (any);
  }

  /* Put the best levels in the place of the coefficients. */
  BDCT_INLINE void
  write () const
  {
    BDCT_UNROLL for (int w = 0; w < kWords; w++) {
      const int e = 32 * w + lane;
      const Constants &k = constants (e);
      const Position p = shared.position[number (w)];
      int16_t *to = coefficients (e, p);
      const uint32_t best = warp.best[e];
      uint32_t pair[8] = {};

      if (first + e / kOfBlock >= tile.n)
        continue;
      if (best != 0) {
        load (pair, to);
        BDCT_UNROLL for (int i = 0; i < 16; i++) {
          const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
          const int shift = 16 * (place & 1);
          const Coefficient c (get (pair, place),
              k.quantizer[index_of<LOG2> (p, place, i, is_dc (w))]);
          const int level = best >> i & 1
              ? c.nearest (k) - (int) (best >> (16 + i) & 1) : 0;

          pair[place >> 1] = (pair[place >> 1] & ~(0xffffu << shift))
              | (uint32_t) (uint16_t) (c.negative ? -level : level) << shift;
        }
      }
      BDCT_UNROLL for (int v = 0; v < 4; v++)
        *(uint2 *) (to + (v << LOG2)) = { pair[2 * v], pair[2 * v + 1] };
    }
  }

  BDCT_INLINE void
  run ()
  {
    uint32_t coded[kWords];
    int key[kWords];

    quantize (coded);
    if (is_running ()) {
      price (coded, true);
      for (;;) {
        mend (coded, key);
        end (coded, key);
        if (!is_running ())
          break;
        price (coded, false);
        if (!is_running ())
          break;
      }
    }
    write ();
  }
};

/* Choose the levels of a tile: a thread. */
template <bool MAPPED> BDCT_INLINE void
choose_tile (const Tile &tile, Shared &sh, int t)
{
  const int log2_size = tile.plane.log2_width;
  const int first = tile.first
      + (t / 32 * kSubBlocks >> 2 * (log2_size - 2));
  const Constants *constants = tile.constants (0);
  Warp &warp = sh.warp[t / 32];

  for (int i = t; i < (int) (sizeof (Constants) / sizeof (uint4));
      i += kThreads)
    ((uint4 *) &sh.constants)[i] = ((const uint4 *) constants)[i];
  wait_for_block ();
  if (first >= tile.n)
    return;
  switch (log2_size) {
    case 2:
      Chooser<2, MAPPED> (tile, sh.constants, warp, first, t % 32).run ();
      break;
    case 3:
      Chooser<3, MAPPED> (tile, sh.constants, warp, first, t % 32).run ();
      break;
    case 4:
      Chooser<4, MAPPED> (tile, sh.constants, warp, first, t % 32).run ();
      break;
    default:
      Chooser<5, MAPPED> (tile, sh.constants, warp, first, t % 32).run ();
      break;
  }
}

} // namespace

#endif
