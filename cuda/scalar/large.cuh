/* blockdct: H.265's blocks from 16 x 16 on, for a warp or half a warp each.
 *
 * A lane processes a row of a block, then a column, then a row again, in
 * registers. In between the block is in shared memory as 16-bit values, in the
 * order that the next pass needs (dots.cuh): after the first pass by columns,
 * then by rows. The pitch is an odd multiple of 16 bytes, so that lanes that
 * load 16 bytes of their own row use all banks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "small.cuh"

namespace {

template <typename C> struct Large
{
  static constexpr int n = C::width, keep = C::columns;
  static constexpr BdctBasis basis = C::Row::id;
  /* Blocks of a warp at a time. */
  static constexpr int blocks = n < 32 ? 32 / n : 1;
  static constexpr int pitch_down = n + 8, pitch_across = keep + 8;
  static constexpr int words = n * pitch_across > keep * pitch_down
      ? n * pitch_across : keep * pitch_down;
  /* Whether a lane keeps its column's quantizer from block to block. */
  static constexpr bool holds = n < 32;
  /* The second block's rows lie between the first one's banks. */
  static constexpr int stride = words + (blocks > 1 ? 32 : 0);

  static_assert (keep == (n < 32 ? n : 32), "as many columns as lanes");

  template <int COUNT> static BDCT_INLINE void
  load_pairs (uint32_t (&pair)[COUNT], const uint16_t *from)
  {
    BDCT_UNROLL for (int i = 0; i < COUNT; i += 4) {
      const uint4 four = *((const uint4 *) from + i / 4);

      pair[i] = four.x;
      pair[i + 1] = four.y;
      pair[i + 2] = four.z;
      pair[i + 3] = four.w;
    }
  }

  /* Transform row y, at the beginning of the window. */
  template <typename Sample> static BDCT_INLINE void
  forward_row (uint16_t *t, const Window &w, const Shifts &shifts, int y)
  {
    uint32_t words[n / kPerWord<Sample>], pair[n / 2];
    int32_t out[keep];

    load_rows<Sample, 1> (words, w, 0);
    BDCT_UNROLL for (int i = 0; i < n / 2; i++)
      pair[i] = get_pair<Sample> (words, i);
    forward_dots<basis, false, n, keep, false> (out, pair,
        (1 << shifts.fwd[0] >> 1) + (kBias << shifts.fwd[0]),
        1 << (w.depth - 1));
    t += mirror_place (y);
    BDCT_UNROLL for (int u = 0; u < keep; u++)
      t[u * pitch_down] = (uint16_t) (out[u] >> shifts.fwd[0]);
  }

  /* Compute the coefficients of a column. */
  static BDCT_INLINE void
  forward_column (int32_t (&c)[keep], const uint16_t *t, const Shifts &shifts,
      int u)
  {
    uint32_t pair[n / 2];

    load_pairs (pair, t + u * pitch_down);
    forward_dots<basis, false, n, keep, true> (c, pair,
        1 << shifts.fwd[1] >> 1, 0);
    BDCT_UNROLL for (int v = 0; v < keep; v++)
      c[v] >>= shifts.fwd[1];
  }

  /* A column's quantizer. */
  struct Tables
  {
    BdctComponentJob job;
    bool clips;
    int32_t quant[8], companion[8];
    int32_t first_quant, first_companion;       /* of a column's frequency 0 */

    BDCT_INLINE void
    load (const Constants *set, int u)
    {
      job = get_job<C> (set);
      clips = C::clip16 && __ldg (&set->clips);
      BDCT_UNROLL for (int v = 0; v < 8; v += 4) {
        load_entries (quant + v, set->job.quant, u / (n / 8), v);
        load_entries (companion + v, set->job.dequant, u / (n / 8), v);
      }
      first_quant = u == 0 ? __ldg (&set->job.quant_dc) : quant[0];
      first_companion = u == 0 ? __ldg (&set->job.dequant_dc) : companion[0];
    }

    BDCT_INLINE int2
    entry (int v) const
    {
      return v == 0 ? make_int2 (first_quant, first_companion)
          : make_int2 (quant[v / (n / 8)], companion[v / (n / 8)]);
    }
  };

  /* Turn coefficients into values, or with OUTPUT into levels. Returns the
   * number of levels that are not 0. */
  template <Output OUTPUT> static BDCT_INLINE uint32_t
  quantize_column (int32_t (&c)[keep], const Tables &tables)
  {
    return requantize_column<C, OUTPUT == BDCT_CUDA_LEVELS, keep> (c,
        tables.job, tables.clips, [&] (int v) { return tables.entry (v); });
  }

  static BDCT_INLINE void
  inverse_column (uint16_t *t, const int32_t (&c)[keep], const Shifts &shifts,
      int u)
  {
    uint32_t pair[keep / 2];
    int32_t out[n];

    BDCT_UNROLL for (int i = 0; i < keep / 2; i++)
      pair[i] = pack_signed (c[octave_order (keep, 2 * i)],
          c[octave_order (keep, 2 * i + 1)]);
    inverse_dots<basis, false, n, n, keep> (out, pair,
        1 << shifts.inv[0] >> 1);
    t += octave_place (keep, u);
    BDCT_UNROLL for (int y = 0; y < n; y++)
      t[y * pitch_across] = (uint16_t) pack_signed (out[y] >> shifts.inv[0],
          0);
  }

  /* Compute a row of residuals plus `middle`. */
  static BDCT_INLINE void
  inverse_row (int32_t (&out)[n], const uint16_t *t, const Shifts &shifts,
      int32_t middle, int y)
  {
    uint32_t pair[keep / 2];

    load_pairs (pair, t + y * pitch_across);
    inverse_dots<basis, false, n, n, keep> (out, pair,
        (1 << shifts.inv[1] >> 1) + (middle << shifts.inv[1]));
    BDCT_UNROLL for (int x = 0; x < n; x++)
      out[x] >>= shifts.inv[1];
  }

  /* Store a row, if there is an output, and return its squared errors. */
  template <typename Sample> static BDCT_INLINE uint32_t
  store_row (const int32_t (&out)[n], const Window &w)
  {
    constexpr int n_words = n / kPerWord<Sample>;
    const bool visible = w.width > 0 && w.height > 0;
    uint32_t words[n_words], sse[1] = {};

    BDCT_UNROLL for (int x = 0; x < n; x += kPerWord<Sample>)
      words[x / kPerWord<Sample>] = pack_samples<Sample> (out + x, w.depth);
    if (visible) {
      uint32_t source[n_words];

      load_rows<Sample, 1> (source, w, 0);
      add_errors<Sample> (sse, words, source, w);
    }
    if (w.dst != nullptr)
      store_samples<Sample, (blocks > 1)> (w.dst, words, w, visible);
    return sse[0];
  }

  /* Write a column of levels in the order of block-grid.h. */
  static BDCT_INLINE void
  put_levels (BdctLevel *to, const int32_t (&level)[keep], int u)
  {
    BDCT_UNROLL for (int v = 0; v < keep; v++)
      to[v * keep + u] = (BdctLevel) level[v];
  }
};

/* A lane and its memory. */
struct Lane
{
  int i;                        /* row and column */
  uint16_t *t;
};

/* Process blocks at (x, y) of the tile, of component `component`. Returns the
 * lane's nonzero << 48 | sse. */
template <typename C, Output OUTPUT, typename Sample>
BDCT_INLINE unsigned long long
run_large (const Lane &lane, const Tile &tile, const ComponentBlocks &blocks,
    typename Large<C>::Tables &tables, const Shifts &shifts, int component,
    int x, int y)
{
  using L = Large<C>;
  constexpr int first = L::blocks > 1 ? 2 : 1;
  using Sum = std::conditional_t<(sizeof (Sample) > 1 && L::n > 16),
      unsigned long long, uint32_t>;
  Window w = get_window<Sample> (tile, component, x, y + lane.i);
  const int number = blocks.number<C> (tile.x + x, tile.y + y);
  const bool below = tile.y + y >= tile.plane.layout.height;
  const bool inside = w.width > 0 && !below;
  int32_t c[L::keep];
  uint32_t nonzero;
  Sum sse = 0;

  w.whole = is_whole (tile, w, L::n);
  if (__all_sync (0xffffffff, !inside))
    return 0;
  if (L::holds && blocks.quantizer_map != nullptr)
    tables.load (blocks.set (number, inside), lane.i);
  _Pragma ("unroll 1") for (int k = 0; k < L::n; k += L::keep) {
    Window row = k == 0 ? w : get_window<Sample> (tile, component, x, y
        + lane.i + k);

    row.whole = w.whole;
    row.height = !below;
    L::template forward_row<Sample> (lane.t, row, shifts, lane.i + k);
  }
  __syncwarp ();
  L::forward_column (c, lane.t, shifts, lane.i);
  if (!L::holds)
    tables.load (blocks.set (number, inside), lane.i);
  nonzero = L::template quantize_column<OUTPUT> (c, tables);
  __syncwarp ();
  if (OUTPUT == BDCT_CUDA_LEVELS) {
    if (inside)
      L::put_levels (blocks.levels + (size_t) number * (L::keep * L::keep), c,
          lane.i);
    return 0;
  }
  L::inverse_column (lane.t, c, shifts, lane.i);
  __syncwarp ();
  _Pragma ("unroll 1") for (int k = 0; k < L::n; k += L::keep) {
    Window row = k == 0 ? w : get_window<Sample> (tile, component, x, y
        + lane.i + k);
    int32_t out[L::n];

    row.whole = w.whole;
    L::inverse_row (out, lane.t, shifts, 1 << (w.depth - 1), lane.i + k);
    sse += L::template store_row<Sample> (out, row);
  }
  __syncwarp ();
  nonzero = inside ? nonzero : 0;
  if (blocks.records != nullptr) {
    const Sum block_sse = lanes_sum<first, 16> (sse);
    const uint32_t block_nonzero = lanes_sum<first, 16> (nonzero);

    if (lane.i == 0 && inside)
      blocks.put (number, block_sse, block_nonzero);
  }
  return (unsigned long long) nonzero << 48 | sse;
}

/* Process a tile of large blocks. Warps take units in turn; a unit is as many
 * blocks as a warp has at once. If two components are interleaved, lanes
 * alternate between them, or a unit has a block of each. */
template <typename C, Output OUTPUT, typename Sample, int SIDE>
BDCT_INLINE void
run_tile_large (uint16_t *t, const Tile &tile, unsigned long long (&sum)[2])
{
  using L = Large<C>;
  const int more = tile.plane.layout.interleave - 1;
  const int which = threadIdx.x % 32 % L::blocks;
  const int i = threadIdx.x % 32 / L::blocks;
  const int mine = L::blocks > 1 ? which & more : 0;
  const int both = L::blocks > 1 ? 0 : more;
  const int across = kTileSamples / (L::n * L::blocks) >> both;
  const Lane lane = { i, t + which * L::stride };
  const Constants *constants = (const Constants *) tile.plane.constants + mine;
  const Shifts shifts = get_shifts<C> (constants);
  typename L::Tables tables;

  if (L::holds)
    tables.load (constants, i);
  /* A unit's two components follow each other. */
  _Pragma ("unroll 1") for (int k = threadIdx.x / 32 << both;
      k >> both < across * (SIDE / L::n);
      k += (k & both) == both ? (kWarps - 1 << both) + 1 : 1) {
    const int unit = k >> both, component = L::blocks > 1 ? mine : k & both;
    const int x = ((unit & (across - 1)) * L::blocks + which)
        >> (L::blocks > 1 ? more : 0);
    const int y = unit >> __ffs (across) - 1;

    add (sum, component, run_large<C, OUTPUT, Sample> (lane, tile,
            ComponentBlocks (tile.plane, component, OUTPUT), tables, shifts,
            component, x * L::n, y * L::n));
  }
}

} // namespace
