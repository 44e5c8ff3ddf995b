/* blockdct: blocks of up to 8 x 8, each in the registers of a thread, which
 * does all that happens to it and waits for nobody.
 *
 * A thread has 8 x 8 samples: as many rows at a time as a block has, of one
 * block or of two.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SMALL_CUH
#define BDCT_SMALL_CUH

#include "tile.cuh"

namespace {

/* Levels of a block, row after row, in pairs. */
template <typename C> using Levels = uint32_t[C::width * C::height / 2];

template <typename C> BDCT_INLINE void
set_level (Levels<C> &levels, int v, int u, int level)
{
  const int at = C::transposed ? u * C::height + v : v * C::width + u;

  levels[at / 2] = at % 2 ? __byte_perm (levels[at / 2], level, 0x5410)
      : (uint32_t) level;
}

template <typename C> BDCT_INLINE int
get_level (const Levels<C> &levels, int at)
{
  return at % 2 ? (int32_t) levels[at / 2] >> 16
      : (int32_t) (levels[at / 2] << 16) >> 16;
}

/* The quantizer of a block: what it counts, and with ASK the levels. */
template <typename C, Ask ASK> struct Quantizer
{
  BdctComponentJob job;
  const Constants *set;
  uint32_t nonzero = 0;
  Levels<C> levels;

  BDCT_INLINE Quantizer (const Constants *set) : job (get_job<C> (set)),
      set (set) {}

  /* A column of coefficients to their values. */
  BDCT_INLINE void
  column (int u, typename C::Value *c)
  {
    int32_t quant[C::height], companion[C::height];

    BDCT_UNROLL for (int v = 0; v < C::height; v += 4) {
      load_entries (quant + v, set->job.quant, u, v);
      load_entries (companion + v, set->job.dequant, u, v);
    }
    BDCT_UNROLL for (int v = 0; v < C::height; v++) {
      int level;

      nonzero += requantize<C> (c[v], job, quant[v], companion[v],
          ASK == LEVELS ? &level : nullptr, ASK == LEVELS ? nullptr : &c[v]);
      if (ASK == LEVELS)
        set_level<C> (levels, v, u, level);
    }
  }
};

/* A block as numbers, one a register. dct/tile.c, pass_int() and CHAIN, says
 * what WIDE is for. */
template <typename C, bool WIDE> struct Numbers
{
  using Value = typename C::Value;
  static constexpr int n = C::width, m = C::height;
  Value at[m * n];

  /* From samples: rows of them, of which the block begins at word `first`. */
  template <typename Sample, int WORDS> BDCT_INLINE void
  forward_rows (const uint32_t *words, int first, const Shifts &shifts,
      int32_t middle)
  {
    constexpr int bits = 8 * sizeof (Sample);

    BDCT_UNROLL for (int y = 0; y < m; y++) {
      Value in[n], out[n];

      BDCT_UNROLL for (int x = 0; x < n; x++) {
        const int row = C::transposed ? x : y, i = C::transposed ? y : x;
        const int32_t v = words[row * WORDS + first + i / kPerWord<Sample>]
            >> i % kPerWord<Sample> * bits & ((1 << bits) - 1);

        if constexpr (std::is_same_v<Value, float>)
          in[x] = __int_as_float (v | __float_as_int (kWhole))
              - (kWhole + middle);
        else
          in[x] = v;
      }
      C::Row::template forward<n> (out, in);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        at[y * n + x] = scale (out[x], shifts.fwd[0],
            x == 0 ? -middle * C::Row::ones : 0);
    }
  }

  template <typename Quantizer> BDCT_INLINE void
  columns (Quantizer &quantizer, const Shifts &shifts)
  {
    BDCT_UNROLL for (int u = 0; u < n; u++) {
      Value in[m], out[m];

      BDCT_UNROLL for (int y = 0; y < m; y++)
        in[y] = at[y * n + u];
      C::Column::template forward<m> (out, in);
      BDCT_UNROLL for (int v = 0; v < m; v++)
        out[v] = scale (out[v], shifts.fwd[1]);
      set_column (quantizer, u, out, shifts);
    }
  }

  template <typename Quantizer> BDCT_INLINE void
  set_column (Quantizer &quantizer, int u, Value *c, const Shifts &shifts)
  {
    Value out[m];

    quantizer.column (u, c);
    C::Column::template inverse<m> (out, c);
    BDCT_UNROLL for (int y = 0; y < m; y++)
      at[y * n + u] = scale (out[y], shifts.inv[0]);
  }

  /* Residuals, with `middle` added. */
  BDCT_INLINE void
  inverse_rows (const Shifts &shifts, int32_t middle)
  {
    BDCT_UNROLL for (int y = 0; y < m; y++) {
      Value out[n];

      inverse_row (out, at + y * n, shifts.inv[1], middle);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        at[y * n + x] = out[x];
    }
  }

  static BDCT_INLINE void
  inverse_row (int32_t *out, int32_t *in, int shift, int32_t middle)
  {
    if constexpr (WIDE) {
      int32_t low[n];

      BDCT_UNROLL for (int x = 0; x < n; x++) {
        low[x] = in[x] & 255;
        in[x] >>= 8;
      }
      C::Row::template inverse<n> (out, in);
      C::Row::template inverse<n> (in, low);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        out[x] = ((out[x] + ((in[x] + (1 << (shift - 1))) >> 8))
            >> (shift - 8)) + middle;
    } else {
      C::Row::template inverse<n> (out, in);
      BDCT_UNROLL for (int x = 0; x < n; x++)
        out[x] = scale (out[x], shift, middle << shift);
    }
  }

  /* The inverse of dct-8x8 still carries a factor of 8. */
  static BDCT_INLINE void
  inverse_row (float *out, float *in, int, int32_t middle)
  {
    C::Row::template inverse<n> (out, in);
    BDCT_UNROLL for (int x = 0; x < n; x++)
      out[x] = __int_as_float (__float_as_int (__fadd_rd (out[x] * 0.125f
                  + 0.5f, kHalfway)) - __float_as_int (kHalfway) + middle);
  }

  BDCT_INLINE int32_t
  residual (int y, int x) const
  {
    const Value v = at[C::transposed ? x * n + y : y * n + x];

    if constexpr (std::is_same_v<Value, float>)
      return __float_as_int (v);
    else
      return v;
  }
};

/* A block as pairs (dots.cuh): of a column, then of a row. */
template <typename C> struct Pairs
{
  static constexpr int n = C::width, m = C::height;
  static constexpr BdctBasis row = C::Row::id, column = C::Column::id;
  uint32_t down[m / 2][n], across[m][n / 2];
  int32_t at[m][n];

  template <typename Sample, int WORDS> BDCT_INLINE void
  forward_rows (const uint32_t *words, int first, const Shifts &shifts,
      int32_t middle)
  {
    const int32_t start = (1 << shifts.fwd[0] >> 1) + (kBias << shifts.fwd[0]);

    BDCT_UNROLL for (int y = 0; y < m; y += 2) {
      int32_t a[n], b[n];

      forward_row<Sample> (a, words + mirror_order (y) * WORDS + first,
          start, middle);
      forward_row<Sample> (b, words + mirror_order (y + 1) * WORDS + first,
          start, middle);
      BDCT_UNROLL for (int u = 0; u < n; u++)
        down[y / 2][u] = (a[u] >> shifts.fwd[0])
            + (b[u] >> shifts.fwd[0] << 16);
    }
  }

  template <typename Sample> static BDCT_INLINE void
  forward_row (int32_t *y, const uint32_t *words, int32_t start,
      int32_t middle)
  {
    uint32_t pair[n / 2];

    BDCT_UNROLL for (int i = 0; i < n / 2; i++)
      pair[i] = get_pair<Sample> (words, i);
    forward_dots<row, C::Row::dense, n, n, false> (y, pair, start, middle);
  }

  template <typename Quantizer> BDCT_INLINE void
  columns (Quantizer &quantizer, const Shifts &shifts)
  {
    BDCT_UNROLL for (int i = 0; i < n / 2; i++) {
      int32_t c[2][m];

      BDCT_UNROLL for (int k = 0; k < 2; k++) {
        const int u = octave_order (n, 2 * i + k);
        uint32_t pair[m / 2];

        BDCT_UNROLL for (int y = 0; y < m / 2; y++)
          pair[y] = down[y][u];
        forward_dots<column, C::Column::dense, m, m, true> (c[k], pair,
            1 << shifts.fwd[1] >> 1, 0);
        BDCT_UNROLL for (int v = 0; v < m; v++)
          c[k][v] >>= shifts.fwd[1];
      }
      set_columns (quantizer, i, c, shifts);
    }
  }

  /* The columns of pairs number i. */
  template <typename Quantizer> BDCT_INLINE void
  set_columns (Quantizer &quantizer, int i, int32_t (*c)[m],
      const Shifts &shifts)
  {
    int32_t out[2][m];

    BDCT_UNROLL for (int k = 0; k < 2; k++) {
      uint32_t pair[m / 2];

      quantizer.column (octave_order (n, 2 * i + k), c[k]);
      BDCT_UNROLL for (int v = 0; v < m / 2; v++)
        pair[v] = pack_signed (c[k][octave_order (m, 2 * v)],
            c[k][octave_order (m, 2 * v + 1)]);
      inverse_dots<column, C::Column::dense, m, m, m> (out[k], pair,
          1 << shifts.inv[0] >> 1);
    }
    BDCT_UNROLL for (int y = 0; y < m; y++)
      across[y][i] = pack_signed (out[0][y] >> shifts.inv[0],
          out[1][y] >> shifts.inv[0]);
  }

  BDCT_INLINE void
  inverse_rows (const Shifts &shifts, int32_t middle)
  {
    BDCT_UNROLL for (int y = 0; y < m; y++) {
      inverse_dots<row, C::Row::dense, n, n, n> (at[y], across[y],
          (1 << shifts.inv[1] >> 1) + (middle << shifts.inv[1]));
      BDCT_UNROLL for (int x = 0; x < n; x++)
        at[y][x] >>= shifts.inv[1];
    }
  }

  BDCT_INLINE int32_t
  residual (int y, int x) const
  {
    return at[y][x];
  }
};

template <typename C, typename Sample> using Block = std::conditional_t<C::dots,
    Pairs<C>, Numbers<C, C::family == BDCT_FAMILY_JPEG
        && (sizeof (Sample) > 1)>>;

/* Samples as words: clipped. */
template <typename Sample> BDCT_INLINE uint32_t
pack_samples (const int32_t *v, int depth)
{
  if (sizeof (Sample) == 1)
    return pack_bytes (v);
  return __vminu2 (pack_unsigned (v[0], v[1]), ((1u << depth) - 1) * 0x10001u);
}

/* Write a block's levels as dct/rate.h has them. */
template <typename C> BDCT_INLINE void
store_levels (BdctLevel *to, const Levels<C> &levels)
{
  BDCT_UNROLL for (int i = 0; i < C::width * C::height / 2; i += 4)
    ((uint4 *) to)[i / 4] = make_uint4 (levels[i], levels[i + 1],
        levels[i + 2], levels[i + 3]);
}

/* What is asked of a block, at (x, y) of its component, whose words are in
 * rows of WORDS from `first` on: they become what is to be stored. Returns how
 * many levels are not 0. */
template <typename C, Ask ASK, typename Sample, int WORDS> BDCT_INLINE uint32_t
run_block (uint32_t *words, int first, const Blocks &blocks, const Window &w,
    const Shifts &shifts, int number, bool inside)
{
  const int32_t middle = 1 << (w.depth - 1);
  Quantizer<C, ASK> quantizer (blocks.set (number, inside));
  Block<C, Sample> block;

  block.template forward_rows<Sample, WORDS> (words, first, shifts, middle);
  block.columns (quantizer, shifts);
  if (ASK == LEVELS && w.dst == nullptr) {
    if (inside)
      store_levels<C> (blocks.levels + (size_t) number
          * (C::width * C::height), quantizer.levels);
    return 0;
  }
  if (ASK != LEVELS)
    block.inverse_rows (shifts, middle);
  BDCT_UNROLL for (int y = 0; y < C::height; y++)
    BDCT_UNROLL for (int x = 0; x < C::width; x += kPerWord<Sample>) {
      int32_t v[kPerWord<Sample>];

      BDCT_UNROLL for (int i = 0; i < kPerWord<Sample>; i++)
        v[i] = ASK == LEVELS ? bdct_render_level (get_level<C>
            (quantizer.levels, y * C::width + x + i), w.chroma, w.depth)
            : block.residual (y, x + i);
      words[y * WORDS + first + x / kPerWord<Sample>] =
          pack_samples<Sample> (v, w.depth);
    }
  return inside ? quantizer.nonzero : 0;
}

/* A thread's samples, from (x, y) of its component. Returns nonzero << 48 |
 * sse. */
template <typename C, Ask ASK, typename Sample>
BDCT_INLINE unsigned long long
run_small (const Window &w, const Blocks &blocks, int x, int y)
{
  constexpr int n_words = 8 / kPerWord<Sample>, parts = 8 / C::width;
  const Shifts shifts = get_shifts<C> (blocks.sets);
  unsigned long long sum = 0;

  _Pragma ("unroll 1") for (int y0 = 0; y0 < 8; y0 += C::height) {
    uint32_t words[C::height * n_words], nonzero[parts], sse[parts] = {};

    load_rows<Sample, C::height> (words, w, y0);
    BDCT_UNROLL for (int i = 0; i < parts; i++)
      nonzero[i] = run_block<C, ASK, Sample, n_words> (words,
          i * n_words / parts, blocks, w, shifts,
          blocks.number<C> (x + i * C::width, y + y0),
          i * C::width < w.width && y0 < w.height);
    if (ASK != LEVELS || w.dst != nullptr)
      store_rows<Sample, C::height, true, ASK != LEVELS> (words, w, y0, sse);
    BDCT_UNROLL for (int i = 0; i < parts; i++) {
      sum += (unsigned long long) nonzero[i] << 48 | sse[i];
      if (ASK != LEVELS && blocks.records != nullptr && i * C::width < w.width
          && y0 < w.height)
        blocks.put (blocks.number<C> (x + i * C::width, y + y0), sse[i],
            nonzero[i]);
    }
  }
  return sum;
}

/* A tile of small blocks: a thread's 8 x 8 samples, of which the neighbour has
 * the other component where two are interleaved. */
template <typename C, Ask ASK, typename Sample>
BDCT_INLINE void
run_tile_small (const Tile &tile, unsigned long long (&sum)[2])
{
  constexpr int across = kTileSamples / 8;
  const int n = tile.plane.layout.interleave;
  const int i = n > 1 ? threadIdx.x % 2 : 0;
  const int x = (threadIdx.x % across >> (n - 1)) * 8, y = threadIdx.x / across * 8;
  Window w = get_window<Sample> (tile, i, x, y);

  /* Other warps of the block are for larger ones. */
  if (y >= 32)
    return;
  w.whole = is_whole (tile, w, 8);
  if (__all_sync (0xffffffff, w.width <= 0 || w.height <= 0))
    return;
  add (sum, i, run_small<C, ASK, Sample> (w, Blocks (tile.plane, i, ASK),
          tile.x + x, tile.y + y));
}

} // namespace

#endif
