/* blockdct: blocks of up to 8 x 8, each entirely in one thread, which never
 * waits for others.
 *
 * A thread has 8 x 8 samples, and processes as many rows at a time as a block
 * has, of one block or of two. Samples are in shared memory. A block between
 * its passes is there too if that keeps code and registers small, else in
 * registers. A warp's threads access 32 different banks, as the 32 copies of
 * each word are adjacent.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "macroblock.cuh"
#include "tile.cuh"

namespace {

/* A thread's words: N registers, or every 32nd word of a warp's memory. */
template <int N, bool SHARED> struct Words;

template <int N> struct Words<N, false>
{
  uint32_t at[N];

  BDCT_INLINE Words (uint32_t *) {}

  BDCT_INLINE uint32_t &
  operator[] (int i)
  {
    return at[i];
  }
};

template <int N> struct Words<N, true>
{
  uint32_t *first;

  BDCT_INLINE Words (uint32_t *first) : first (first) {}

  BDCT_INLINE uint32_t &
  operator[] (int i)
  {
    return first[32 * i];
  }
};

BDCT_INLINE void
get_value (int32_t &v, uint32_t word)
{
  v = (int32_t) word;
}

BDCT_INLINE void
get_value (float &v, uint32_t word)
{
  v = __int_as_float ((int32_t) word);
}

BDCT_INLINE uint32_t
word_of (int32_t v)
{
  return (uint32_t) v;
}

BDCT_INLINE uint32_t
word_of (float v)
{
  return (uint32_t) __float_as_int (v);
}

/* The quantizer's outputs for a block: the number of levels that are not 0, and
 * with OUTPUT the levels. */
template <typename C, Output OUTPUT> struct Quantizer
{
  BdctComponentJob job;
  bool clips;
  const Constants *set;
  uint32_t nonzero = 0;
  int32_t dc;                   /* of a second stage, which counts its level */

  BDCT_INLINE Quantizer (const Constants *set)
    : job (get_job<C> (set)), clips (C::clip16 && __ldg (&set->clips)),
      set (set) {}

  /* Turn a column of coefficients into values, or into levels. */
  BDCT_INLINE void
  column (int u, typename C::Value *c)
  {
    int32_t quant[C::height], companion[C::height];

    BDCT_UNROLL for (int v = 0; v < C::height; v += 4) {
      load_entries (quant + v, set->job.quant, u, v);
      load_entries (companion + v, set->job.dequant, u, v);
    }
    if (C::dc && u == 0)
      c[0] = 0;
    nonzero += requantize_column<C, OUTPUT == BDCT_CUDA_LEVELS, C::height> (c,
        job, clips, [&] (int v) {
      return make_int2 (quant[v], companion[v]);
    });
    if (C::dc && u == 0)
      c[0] = dc;
  }
};

/* A block as numbers. For WIDE see pass_inverse() and the chains in
 * cpu/simd/chains32.h. */
template <typename C, typename Sample> struct Numbers
{
  using Value = typename C::Value;
  static constexpr int n = C::width, m = C::height, words = m * n;
  static constexpr bool shared = C::shared;
  static constexpr bool wide = C::family == BDCT_FAMILY_JPEG
      && sizeof (Sample) > 1;
  static constexpr int unroll = shared ? 1 : 8;
  Words<words, shared> at;

  BDCT_INLINE Numbers (uint32_t *memory = nullptr) : at (memory) {}

  /* Transform rows of WORDS words of samples; the block begins at word
   * `first`. */
  template <int WORDS, typename Source> BDCT_INLINE void
  forward_rows (Source &source, int first, const Shifts &shifts,
      int32_t middle)
  {
    constexpr int bits = 8 * sizeof (Sample);

    static_assert (!C::transposed || !shared);
#pragma unroll (unroll)
    for (int y = 0; y < m; y++) {
      Value in[n], out[n];

      BDCT_UNROLL for (int x = 0; x < n; x++) {
        const int row = C::transposed ? x : y, i = C::transposed ? y : x;
        const int32_t v = source[row * WORDS + first + i / kPerWord<Sample>]
            >> i % kPerWord<Sample> * bits & ((1 << bits) - 1);

        if constexpr (std::is_same_v<Value, float>)
          in[x] = __int_as_float (v | __float_as_int (kWhole))
              - (kWhole + middle);
        else
          in[x] = v;
      }
      C::Row::forward (out, in);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        at[y * n + x] = word_of (scale (out[x], shifts.fwd[0],
                x == 0 ? -middle * C::Row::ones : 0));
    }
  }

  template <typename Quantizer> BDCT_INLINE void
  columns (Quantizer &quantizer, const Shifts &shifts, bool levels)
  {
#pragma unroll (unroll)
    for (int u = 0; u < n; u++) {
      Value in[m], out[m];

      BDCT_UNROLL for (int y = 0; y < m; y++)
        get_value (in[y], at[y * n + u]);
      C::Column::forward (out, in);
      BDCT_UNROLL for (int v = 0; v < m; v++)
        out[v] = scale (out[v], shifts.fwd[1]);
      set_column (quantizer, u, out, shifts, levels);
    }
  }

  /* Store a column of coefficients. */
  template <typename Quantizer> BDCT_INLINE void
  set_column (Quantizer &quantizer, int u, Value *c, const Shifts &shifts,
      bool levels)
  {
    Value out[m];

    quantizer.column (u, c);
    if (levels) {
      BDCT_UNROLL for (int v = 0; v < m; v++)
        at[v * n + u] = word_of (c[v]);
      return;
    }
    C::Column::inverse (out, c);
    BDCT_UNROLL for (int y = 0; y < m; y++)
      at[y * n + u] = word_of (scale (out[y], shifts.inv[0]));
  }

  BDCT_INLINE int
  level (int v, int u)
  {
    Value r;

    get_value (r, at[C::transposed ? u * n + v : v * n + u]);
    return (int) r;
  }

  /* Row y of the residuals plus `middle`. To be called once for each row, in
   * order, as it may overwrite the values. For a transposed block the first
   * call computes all rows. */
  BDCT_INLINE void
  residuals (int32_t *out, int y, const Shifts &shifts, int32_t middle)
  {
    if constexpr (C::transposed) {
      if (y == 0)
        BDCT_UNROLL for (int i = 0; i < n; i++) {
          int32_t row[n];

          inverse_row (row, i, shifts.inv[1], middle);
          BDCT_UNROLL for (int x = 0; x < n; x++)
            at[i * n + x] = row[x];
        }
      BDCT_UNROLL for (int x = 0; x < n; x++)
        out[x] = at[x * n + y];
    } else {
      inverse_row (out, y, shifts.inv[1], middle);
    }
  }

  BDCT_INLINE void
  inverse_row (int32_t *out, int y, int shift, int32_t middle)
  {
    Value in[n], v[n];

    BDCT_UNROLL for (int x = 0; x < n; x++)
      get_value (in[x], at[y * n + x]);
    if constexpr (wide) {
      int32_t low[n];

      BDCT_UNROLL for (int x = 0; x < n; x++) {
        low[x] = in[x] & 255;
        in[x] >>= 8;
      }
      C::Row::inverse (v, in);
      C::Row::inverse (in, low);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        out[x] = ((v[x] + ((in[x] + (1 << (shift - 1))) >> 8))
            >> (shift - 8)) + middle;
    } else {
      C::Row::inverse (v, in);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        out[x] = round_residual (v[x], shift, middle);
    }
  }

  static BDCT_INLINE int32_t
  round_residual (int32_t v, int shift, int32_t middle)
  {
    return scale (v, shift, middle << shift);
  }

  /* The inverse of dct-8x8 still has a factor of 8. */
  static BDCT_INLINE int32_t
  round_residual (float v, int, int32_t middle)
  {
    return __float_as_int (__fadd_rd (v * 0.125f + 0.5f, kHalfway))
        - __float_as_int (kHalfway) + middle;
  }
};

/* A block as pairs (dots.cuh). Before the column pass, words 8 y + 4 k + i (for
 * 8 x 8) have rows 2 y and 2 y + 1, in mirror_order(), of column 2 i + k in
 * octave_order(). After it they have columns 2 i and 2 i + 1, in that order, of
 * row 2 y + k: a pair of columns stays in its words. */
template <typename C, typename Sample> struct Pairs
{
  static constexpr int n = C::width, m = C::height, words = m * n / 2;
  static constexpr bool shared = C::shared;
  static constexpr int unroll = shared ? 1 : 8;
  static constexpr BdctBasis row = C::Row::id, column = C::Column::id;
  static constexpr uint32_t mirror = mirror_places ();
  static constexpr uint32_t octave = octave_places (n);
  Words<words, shared> at;

  BDCT_INLINE Pairs (uint32_t *memory = nullptr) : at (memory) {}

  template <int WORDS, typename Source> BDCT_INLINE void
  forward_rows (Source &source, int first, const Shifts &shifts,
      int32_t middle)
  {
    const int32_t start = (1 << shifts.fwd[0] >> 1) + (kBias << shifts.fwd[0]);

#pragma unroll (unroll)
    for (int y = 0; y < m / 2; y++) {
      int32_t a[n], b[n];

      forward_row<WORDS> (a, source, look_up (mirror, 2 * y) * WORDS + first,
          start, middle);
      forward_row<WORDS> (b, source, look_up (mirror, 2 * y + 1) * WORDS
          + first, start, middle);
      BDCT_UNROLL for (int i = 0; i < n / 2; i++)
        BDCT_UNROLL for (int k = 0; k < 2; k++) {
          const int u = octave_order (n, 2 * i + k);

          at[y * n + k * (n / 2) + i] = (a[u] >> shifts.fwd[0])
              + (b[u] >> shifts.fwd[0] << 16);
        }
    }
  }

  template <int WORDS, typename Source> static BDCT_INLINE void
  forward_row (int32_t *y, Source &source, int first, int32_t start,
      int32_t middle)
  {
    uint32_t in[n / kPerWord<Sample>], pair[n / 2];

    BDCT_UNROLL for (int i = 0; i < n / kPerWord<Sample>; i++)
      in[i] = source[first + i];
    BDCT_UNROLL for (int i = 0; i < n / 2; i++)
      pair[i] = get_pair<Sample> (in, i);
    forward_dots<row, C::Row::dense, n, n, false> (y, pair, start, middle);
  }

  template <typename Quantizer> BDCT_INLINE void
  columns (Quantizer &quantizer, const Shifts &shifts, bool levels)
  {
#pragma unroll (unroll)
    for (int i = 0; i < n / 2; i++) {
      int32_t c[2][m] = {};

      BDCT_UNROLL for (int k = 0; k < 2; k++) {
        uint32_t pair[m / 2];

        BDCT_UNROLL for (int y = 0; y < m / 2; y++)
          pair[y] = at[y * n + k * (n / 2) + i];
        forward_dots<column, C::Column::dense, m, m, true> (c[k], pair,
            1 << shifts.fwd[1] >> 1, 0);
        BDCT_UNROLL for (int v = 0; v < m; v++)
          c[k][v] >>= shifts.fwd[1];
      }
      set_columns (quantizer, i, c, shifts, levels);
    }
  }

  /* Store the coefficients of columns 2 i and 2 i + 1 in octave_order(). */
  template <typename Quantizer> BDCT_INLINE void
  set_columns (Quantizer &quantizer, int i, int32_t (*c)[m],
      const Shifts &shifts, bool levels)
  {
    int32_t out[2][m];

    BDCT_UNROLL for (int k = 0; k < 2; k++)
      quantizer.column (look_up (octave, 2 * i + k), c[k]);
    if (levels) {
      BDCT_UNROLL for (int v = 0; v < m; v++)
        at[v * (n / 2) + i] = pack_signed (c[0][v], c[1][v]);
      return;
    }
    BDCT_UNROLL for (int k = 0; k < 2; k++) {
      uint32_t pair[m / 2];

      BDCT_UNROLL for (int v = 0; v < m / 2; v++)
        pair[v] = pack_signed (c[k][octave_order (m, 2 * v)],
            c[k][octave_order (m, 2 * v + 1)]);
      inverse_dots<column, C::Column::dense, m, m, m> (out[k], pair,
          1 << shifts.inv[0] >> 1);
    }
    BDCT_UNROLL for (int y = 0; y < m; y++)
      at[y * (n / 2) + i] = pack_signed (out[0][y] >> shifts.inv[0],
          out[1][y] >> shifts.inv[0]);
  }

  BDCT_INLINE int
  level (int v, int u)
  {
    BDCT_UNROLL for (int i = 0; i < n; i++)
      if (u == octave_order (n, i))
        return (int16_t) (at[v * (n / 2) + i / 2] >> i % 2 * 16);
    return 0;
  }

  BDCT_INLINE void
  residuals (int32_t *out, int y, const Shifts &shifts, int32_t middle)
  {
    uint32_t pair[n / 2];

    BDCT_UNROLL for (int i = 0; i < n / 2; i++)
      pair[i] = at[y * (n / 2) + i];
    inverse_dots<row, C::Row::dense, n, n, n> (out, pair,
        (1 << shifts.inv[1] >> 1) + (middle << shifts.inv[1]));
    BDCT_UNROLL for (int x = 0; x < n; x++)
      out[x] >>= shifts.inv[1];
  }
};

template <typename C, typename Sample> using Block =
    std::conditional_t<C::dots, Pairs<C, Sample>, Numbers<C, Sample>>;

/* The words of a warp's memory for such blocks: samples, all at once for a
 * second stage, and blocks that are not in registers. */
template <typename C> constexpr int kSourceRows = C::dc ? 8 : C::height;
template <typename C, typename Sample> constexpr int kSourceWords =
    kSourceRows<C> * (8 / kPerWord<Sample>);
template <typename C, typename Sample> constexpr int kSmallWords =
    32 * (kSourceWords<C, Sample> + (C::dc ? 4 : 0)
        + (C::shared ? Block<C, Sample>::words : 0));

/* Samples as words, clipped. */
template <typename Sample> BDCT_INLINE uint32_t
pack_samples (const int32_t *v, int depth)
{
  if (sizeof (Sample) == 1)
    return pack_bytes (v[0], v[1], pack_bytes (v[2], v[3], 0));
  return __vminu2 (pack_words (v[0], v[1]), ((1u << depth) - 1) * 0x10001u);
}

/* Write a block's levels in the order of block-grid.h. */
template <typename C, typename Sample> BDCT_INLINE void
store_levels (BdctLevel *to, Block<C, Sample> &block)
{
#pragma unroll (C::shared ? 1 : 8)
  for (int v = 0; v < C::height; v++) {
    uint32_t pair[C::width / 2];

    BDCT_UNROLL for (int u = 0; u < C::width; u += 2)
      pair[u / 2] = pack_signed (block.level (v, u), block.level (v, u + 1));
    store_words<C::width / 2> ((uint8_t *) (to + v * C::width), pair);
  }
}

/* Load ROWS rows from y0 on; all loads are issued before the first is used. */
template <typename Sample, int ROWS, int N> BDCT_INLINE void
load_source (Words<N, true> &source, const Window &w, int y0)
{
  uint32_t words[N];

  load_rows<Sample, ROWS> (words, w, y0);
  BDCT_UNROLL for (int i = 0; i < N; i++)
    source[i] = words[i];
}

/* Process a thread's samples, from (x, y) of its component. Returns nonzero <<
 * 48 | sse. */
template <typename C, Output OUTPUT, typename Sample>
BDCT_INLINE unsigned long long
run_small (uint32_t *memory, const Window &w, const ComponentBlocks &blocks,
    int x, int y)
{
  constexpr int row_words = 8 / kPerWord<Sample>, parts = 8 / C::width;
  constexpr int words = kSourceWords<C, Sample>;
  const Shifts shifts = get_shifts<C> (blocks.quantizers);
  const int32_t middle = 1 << (w.depth - 1);
  Words<words, true> source (memory), dcs (memory + 32 * words);
  Macroblock mb (blocks, w, x, y);
  unsigned long long sum = 0;

  if constexpr (C::dc) {
    load_source<Sample, 8, words> (source, with_rows (w), 0);
    mb.find_dcs<Sample, OUTPUT == BDCT_CUDA_LEVELS> (dcs, source, middle);
    sum = mb.inside ? (unsigned long long) mb.nonzero << 48 : 0;
  }
  _Pragma ("unroll 1") for (int y0 = 0; y0 < 8; y0 += C::height) {
    const int first_word = C::dc ? y0 * row_words : 0;
    Block<C, Sample> block[parts] = { memory + 32 * words };
    uint32_t nonzero[parts], sse[parts] = {};

    if constexpr (!C::dc)
      load_source<Sample, C::height, words> (source, w, y0);
    BDCT_UNROLL for (int i = 0; i < parts; i++) {
      const int number = C::dc ? mb.number
          : blocks.number<C> (x + i * C::width, y + y0);
      const bool inside = C::dc ? mb.inside
          : i * C::width < w.width && y0 < w.height;
      Quantizer<C, OUTPUT> quantizer (blocks.set (number, inside));

      block[i].template forward_rows<row_words> (source,
          first_word + i * row_words / parts, shifts, middle);
      if constexpr (C::dc)
        quantizer.dc = (int32_t) dcs[y0 / C::height * parts + i];
      block[i].columns (quantizer, shifts, OUTPUT == BDCT_CUDA_LEVELS);
      nonzero[i] = inside ? quantizer.nonzero : 0;
      if (OUTPUT == BDCT_CUDA_LEVELS && inside)
        store_levels<C, Sample> (blocks.levels + (C::dc
                ? mb.part (y0 / C::height * parts + i) : (size_t) number)
            * (C::width * C::height), block[i]);
    }
    if constexpr (OUTPUT == BDCT_CUDA_LEVELS)
      continue;
    uint8_t *to = w.dst + y0 * w.dst_stride;
#pragma unroll (C::shared ? 2 : 8)
    for (int row = 0; row < C::height; row++) {
      const bool visible = w.width > 0 && y0 + row < w.height;
      int32_t out[8];
      uint32_t packed[row_words];

      BDCT_UNROLL for (int i = 0; i < parts; i++)
        block[i].residuals (out + i * C::width, row, shifts, middle);
      BDCT_UNROLL for (int i = 0; i < row_words; i++)
        packed[i] = pack_samples<Sample> (out + i * kPerWord<Sample>, w.depth);
      if (visible) {
        uint32_t in[row_words];

        BDCT_UNROLL for (int i = 0; i < row_words; i++)
          in[i] = source[first_word + row * row_words + i];
        add_errors<Sample> (sse, packed, in, w);
      }
      if (w.dst != nullptr)
        store_samples<Sample, true> (to, packed, w, visible);
      to += w.dst_stride;
    }
    BDCT_UNROLL for (int i = 0; i < parts; i++) {
      sum += (unsigned long long) nonzero[i] << 48 | sse[i];
      if (!C::dc && blocks.records != nullptr && i * C::width < w.width
          && y0 < w.height)
        blocks.put (blocks.number<C> (x + i * C::width, y + y0), sse[i],
            nonzero[i]);
    }
  }
  if constexpr (C::dc && OUTPUT != BDCT_CUDA_LEVELS)
    mb.put (blocks, sum);
  return sum;
}

/* Process a tile of small blocks: 8 x 8 samples for each thread. Where two
 * components are interleaved, neighbouring threads have one each. */
template <typename C, Output OUTPUT, typename Sample>
BDCT_INLINE void
run_tile_small (uint32_t *memory, const Tile &tile,
    unsigned long long (&sum)[2])
{
  constexpr int across = kTileSamples / 8;
  const int n = tile.plane.layout.interleave;
  const int i = n > 1 ? threadIdx.x % 2 : 0;
  const int x = (threadIdx.x % across >> (n - 1)) * 8;
  const int y = threadIdx.x / across * 8;
  Window w = get_window<Sample> (tile, i, x, y);

  w.whole = is_whole (tile, w, 8);
  if (__all_sync (0xffffffff, w.width <= 0 || w.height <= 0))
    return;
  add (sum, i, run_small<C, OUTPUT, Sample> (memory + threadIdx.x % 32, w,
          ComponentBlocks (tile.plane, i, OUTPUT), tile.x + x, tile.y + y));
}

} // namespace
