/* blockdct: between a tile's bytes and the operands of the chains.
 *
 * Of a group in registers a lane has a word of each chunk in every eighth row.
 * Interleaved components are separated here and nowhere else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "hevc16.cuh"
#include "hevc64.cuh"
#include "levels.cuh"
#include "records.cuh"

namespace {

/* The properties of a plane that the code for registers depends on. */
struct Format
{
  bool pairs;                   /* two components interleaved */
  int shift;
  uint32_t peak;                /* the peak, in both 16-bit halves */
  bool half_size;               /* blocks have half a square's side */
};

/* Two 16-bit samples from memory. */
BDCT_INLINE uint32_t
read_words (uint32_t w, const Format &f)
{
  return __vminu2 (w >> f.shift & (0xffffu >> f.shift) * 0x10001u, f.peak);
}

/* A chain with its constants, stored as 16 bytes of each lane, for 32 lanes,
 * then the next 16 bytes. They are read from memory because the compiler would
 * recompute for each use whatever it knows or can derive. */
template <typename Chain> struct InRegisters : Chain
{
  using Constants = Chain;

  BDCT_INLINE void
  load (const void *constants, int lane)
  {
    constexpr int count = sizeof (Chain) / 16;
    uint4 w[count];

    static_assert (sizeof (Chain) % 16 == 0 && alignof (Chain) == 16);
    BDCT_UNROLL for (int i = 0; i < count; i++)
      w[i] = ((const uint4 *) constants)[i * 32 + lane];
    memcpy ((Chain *) this, w, sizeof (Chain));
  }
};

/* 8 rows: a unit of two 8 x 8 squares for each chunk of bytes, or for two
 * chunks of words. Planar bytes are output in an order of their own (tiles.cuh,
 * ordered()). */
template <typename Chain, typename Sample, typename S> struct Group8
{
  using Lane = InRegisters<Chain>;

  static constexpr int rows = 8, bytes = 64;
  static constexpr bool order = sizeof (Sample) == 1;

  /* The matrices for load_matrices(): the chunks of 8 rows. */
  using Chunks = Matrices<S::pitch, 0, 1, 0, 2>;

  /* `x`: the byte of the tile's row that the group begins at. */
  template <typename Nonzero, typename Sink> static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, int x, const Format &f,
      Nonzero &nonzero, Sink &levels)
  {
    uint32_t w[4];

    nonzero.begin_group ();
    load_matrices (w, in);
    if constexpr (sizeof (Sample) == 1) {
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        chain.run (w + i, w + i, f.pairs,
            [&] (int square, uint32_t flags, uint32_t halves = 0) {
              nonzero.add (2 * i + square, square, flags);
              levels.put (x / 16 + i, square, 0, 0, halves);
            });
    } else {
      BDCT_UNROLL for (int i = 0; i < 4; i += 2) {
        const uint32_t x[2] =
            { read_words (w[i], f), read_words (w[i + 1], f) };
        uint32_t y[2];

        chain.run (y, x, f.pairs,
            [&] (int square, uint32_t flags, uint32_t = 0) {
              nonzero.add (i + square, square, flags);
            });
        w[i] = (f.pairs ? permute (y[0], y[1], LOW_WORDS) : y[0]) << f.shift;
        w[i + 1] =
            (f.pairs ? permute (y[0], y[1], HIGH_WORDS) : y[1]) << f.shift;
      }
    }
    Chunks::store (out, w);
    nonzero.template end_group<kOddParts> ();
  }

  /* A part is a square. */
  static constexpr int size = 8, parts = bytes / 8 / sizeof (Sample);

  /* The address of the number of nonzero levels of the block that is x blocks
   * of SIDE from the left of its tile and y from the top. load_levels() reads
   * the number of the block i further down. For write_records(). */
  template <int SIDE, bool PAIRS> static BDCT_INLINE uint32_t
  levels_of (uint32_t in, uint32_t out, int component, int x, int y)
  {
    constexpr int squares = PAIRS ? parts / 2 : parts;
    const int square = x * SIDE / 8;
    const int part = PAIRS ? square % squares * 2 + component
        : square % squares;

    return (square / squares ? in : out) + S::bytes + part
        + x * SIDE % 8 * S::pitch + rows_of<SIDE> (y);
  }

  template <int SIDE> static BDCT_INLINE uint32_t
  load_levels (uint32_t at, int i)
  {
    return load_byte (at + rows_of<SIDE> (i));
  }

  /* The lower 4 x 4 blocks of a square are 8 bytes further. */
  template <int SIDE> static BDCT_INLINE int
  rows_of (int y)
  {
    return y * SIDE / 8 * 8 * S::pitch + y * SIDE % 8 * 2;
  }
};

/* 16 rows: two 16 x 16 squares, each from a chunk of bytes or two of words. */
template <typename Chain, typename Sample, typename S> struct Group16
{
  using Lane = InRegisters<Chain>;

  static constexpr int rows = 16, bytes = 32 * sizeof (Sample);
  static constexpr bool order = false;
  static constexpr int chunks = 2 * sizeof (Sample);

  /* First the two sets of 8 rows, then the next chunk. */
  using Chunks = Matrices<S::pitch, 8, 0, 0, 1>;

  /* The index of w is 2 * chunk + (1 for rows 8 to 15); that of x is
   * [square][rows][register]. */
  static BDCT_INLINE void
  spread (uint32_t x[2][2][2], const uint32_t *w, const Format &f)
  {
    BDCT_UNROLL for (int r = 0; r < 2; r++) {
      uint32_t v[chunks];

      if constexpr (sizeof (Sample) == 1) {
        x[0][r][0] = permute (w[r], w[2 + r], f.pairs ? EVEN_BYTES : FIRST);
        x[1][r][0] = permute (w[r], w[2 + r], f.pairs ? ODD_BYTES : SECOND);
      } else {
        BDCT_UNROLL for (int i = 0; i < chunks; i++)
          v[i] = read_words (w[2 * i + r], f);
        BDCT_UNROLL for (int i = 0; i < 2; i++)
          BDCT_UNROLL for (int j = 0; j < 2; j++)
            x[i][r][j] = f.pairs ? permute (v[2 * j], v[2 * j + 1],
                i ? HIGH_WORDS : LOW_WORDS) : v[2 * i + j];
      }
    }
  }

  static BDCT_INLINE void
  gather (uint32_t *w, const uint32_t y[2][2][2], const Format &f)
  {
    BDCT_UNROLL for (int r = 0; r < 2; r++)
      BDCT_UNROLL for (int i = 0; i < chunks; i++)
        if constexpr (sizeof (Sample) == 1)
          w[2 * i + r] = permute (y[0][r][0], y[1][r][0], f.pairs
              ? i ? ODD_IN_TURN : EVEN_IN_TURN : i ? SECOND : FIRST);
        else
          w[2 * i + r] = (f.pairs
              ? permute (y[0][r][i / 2], y[1][r][i / 2],
                  i % 2 ? HIGH_WORDS : LOW_WORDS)
              : y[i / 2][r][i % 2]) << f.shift;
  }

  template <typename Nonzero, typename Sink> static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, int at, const Format &f,
      Nonzero &nonzero, Sink &levels)
  {
    uint32_t w[2 * chunks], x[2][2][2], y[2][2][2];

    nonzero.begin_group ();
    BDCT_UNROLL for (int i = 0; i < chunks; i += 2)
      load_matrices (w + 2 * i, in + 16 * i);
    spread (x, w, f);
    BDCT_UNROLL for (int i = 0; i < 2; i++)
      chain.run (y[i], x[i],
          [&] (int quarter, uint32_t flags, uint32_t halves = 0) {
            nonzero.add (4 * i + quarter, i, flags);
            levels.put (at / 32, i, quarter / 2, quarter % 2, halves);
          });
    gather (w, y, f);
    BDCT_UNROLL for (int i = 0; i < chunks; i += 2)
      Chunks::store (out + 16 * i, w + 2 * i);
    nonzero.template end_group<kLastParts> ();
  }

  /* A part is a quarter of one of two squares. */
  static constexpr int size = 16, parts = 8;

  template <int SIDE, bool PAIRS> static BDCT_INLINE uint32_t
  levels_of (uint32_t in, uint32_t out, int component, int x, int y)
  {
    const int square = x * SIDE / 16, group = PAIRS ? square : square / 2;
    const int part = (PAIRS ? component : square % 2) * 4
        + (SIDE < 16 ? y * 2 + x % 2 : 0);

    return (group % 2 ? in : out) + group / 2 * 8 * S::pitch + S::bytes
        + part;
  }

  template <int SIDE> static BDCT_INLINE uint32_t
  load_levels (uint32_t at, int)
  {
    return SIDE < 16 ? load_byte (at)
        : __dp4a (load_word (at), 0x01010101u, 0u);
  }
};

/* 32 rows: a 32 x 32 square for each 32 samples. */
template <typename Chain, typename Sample, typename S> struct Group32
{
  using Lane = Lane32<Sample, Chain::flat>;

  static constexpr int chunks = sizeof (Sample);        /* of 16 samples */
  static constexpr int rows = 32, bytes = 64 * chunks;
  static constexpr bool order = false;
  static constexpr int size = 32;

  /* First two chunks of 8 rows, then those of the next 8. */
  using Chunks = Matrices<S::pitch, 0, 1, 8, 0>;

  /* The address of half r of the rows of chunks 2i and 2i + 1. The registers
   * are the first and second chunk of 8 rows, and of the next 8 rows. */
  static BDCT_INLINE uint32_t
  quarter (uint32_t at, int i, int r)
  {
    return at + 32 * i + 16 * S::pitch * r;
  }

  /* The square of component c of two interleaved ones, or the one at position
   * c. */
  static BDCT_INLINE void
  spread (FragB32x8b x[chunks][4], uint32_t in, int c, const Format &f)
  {
    BDCT_UNROLL for (int r = 0; r < 2; r++)
      if (chunks == 1 && !f.pairs) {
        uint32_t w[4];

        load_matrices (w, quarter (in, c, r));
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          x[0][2 * r + i / 2].r[i % 2] = w[i];
      } else {
        BDCT_UNROLL for (int h = 0; h < 2; h++) {
          uint32_t w[4];

          if constexpr (chunks == 1) {
            load_matrices (w, quarter (in, h, r));
            BDCT_UNROLL for (int i = 0; i < 2; i++)
              x[0][2 * r + i].r[h] = permute (w[2 * i], w[2 * i + 1],
                  c ? ODD_BYTES : EVEN_BYTES);
          } else {
            load_words (w, quarter (in, f.pairs ? 2 * h : 2 * c + h, r), f);
            if (f.pairs) {
              uint32_t v[4];

              load_words (v, quarter (in, 2 * h + 1, r), f);
              BDCT_UNROLL for (int i = 0; i < 4; i += 2) {
                const Permutation words = c ? HIGH_WORDS : LOW_WORDS;

                w[i] = permute (w[i], w[i + 1], words);
                w[i + 1] = permute (v[i], v[i + 1], words);
              }
            }
            BDCT_UNROLL for (int i = 0; i < 2; i++)
              gather_bytes (x[1][2 * r + i].r[h], x[0][2 * r + i].r[h],
                  w[2 * i], w[2 * i + 1]);
          }
        }
      }
  }

  static BDCT_INLINE void
  load_words (uint32_t *w, uint32_t at, const Format &f)
  {
    load_matrices (w, at);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      w[i] = read_words (w[i], f);
  }

  /* Store a square of component 1 between the samples of component 0. */
  static BDCT_INLINE void
  interleave (uint32_t out, const uint32_t y[chunks][2][4])
  {
    uint32_t z[chunks][2][4];

    __syncwarp ();
    BDCT_UNROLL for (int h = 0; h < chunks; h++)
      BDCT_UNROLL for (int r = 0; r < 2; r++)
        load_matrices (z[h][r], quarter (out, h, r));
    __syncwarp ();
    BDCT_UNROLL for (int h = 0; h < chunks; h++)
      BDCT_UNROLL for (int r = 0; r < 2; r++)
        BDCT_UNROLL for (int j = 0; j < 2; j++) {
          uint32_t w[4];

          BDCT_UNROLL for (int i = 0; i < 4; i++)
            w[i] = permute (z[h][r][i / 2 * 2 + j], y[h][r][i / 2 * 2 + j],
                chunks > 1 ? i % 2 ? HIGH_WORDS : LOW_WORDS
                : i % 2 ? HIGH_IN_TURN : LOW_IN_TURN);
          Chunks::store (quarter (out, 2 * h + j, r), w);
        }
  }

  template <typename Nonzero, typename Sink> static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, int at, const Format &f,
      Nonzero &nonzero, Sink &levels)
  {
    FragB32x8b x[chunks][4];
    uint32_t y[chunks][2][4];

    _Pragma ("unroll 1") for (int c = 0; c < 2; c++) {
      uint32_t counted = 0;

      spread (x, in, c, f);
      chain.run (y, x, [&] (int i, int j, uint32_t flags, uint32_t halves = 0) {
            Nonzero::add_quarter (counted, i / 2 * 2 + j / 2, flags);
            levels.put (at / 64, c, i, j, halves);
          });
      nonzero.end_square (counted, c);
      if constexpr (chunks > 1)
        BDCT_UNROLL for (int i = 0; i < 16; i++)
          y[i / 8][i / 4 % 2][i % 4] <<= f.shift;
      /* If there are two components, the first waits in the place of both. */
      if (f.pairs && c == 1)
        interleave (out, y);
      else
        BDCT_UNROLL for (int h = 0; h < chunks; h++)
          BDCT_UNROLL for (int r = 0; r < 2; r++)
            Chunks::store (quarter (out, chunks * c + h, r), y[h][r]);
    }
  }

  /* Adjacent quarters have a word each. The lower quarters are a byte further,
   * and the second halves of lanes 2 bytes further. */
  template <int SIDE, bool PAIRS> static BDCT_INLINE uint32_t
  levels_of (uint32_t in, uint32_t out, int component, int x, int y)
  {
    const int square = PAIRS ? x * SIDE / 32 * 2 + component : x * SIDE / 32;

    return (square % 2 ? in : out) + square / 2 * 8 * S::pitch + S::bytes
        + (SIDE < 32 ? x % 2 * 4 + y : 0);
  }

  template <int SIDE> static BDCT_INLINE uint32_t
  load_levels (uint32_t at, int)
  {
    uint32_t w[2];

    if (SIDE < 32)
      return load_byte (at) + load_byte (at + 2);
    load_shared (w, at);
    return __dp4a (w[0], 0x01010101u, __dp4a (w[1], 0x01010101u, 0u));
  }
};

/* 64 rows: a 64 x 64 square, or four of 32 x 32. */
template <typename Chain, typename Sample, typename S> struct Group64
{
  using Lane = Chain;
  using Half = Group32<typename Chain::Half, Sample, S>;

  static constexpr int chunks = Half::chunks;
  static constexpr int rows = 64, bytes = Half::bytes;
  static constexpr bool order = false;
  static constexpr int size = 64;

  using Chunks = typename Half::Chunks;

  /* 16 rows; the halves of a row's inner dimension are pairs of chunks of
   * bytes, or two pairs of words. */
  static BDCT_INLINE void
  spread (FragB32x8b (&x)[2][chunks][2], uint32_t in, int r, const Format &f)
  {
    BDCT_UNROLL for (int h = 0; h < 2; h++) {
      uint32_t w[4];

      if constexpr (chunks == 1) {
        load_matrices (w, Half::quarter (in, h, r));
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          x[i / 2][0][h].r[i % 2] = w[i];
      } else {
        BDCT_UNROLL for (int j = 0; j < 2; j++) {
          Half::load_words (w, Half::quarter (in, 2 * h + j, r), f);
          BDCT_UNROLL for (int i = 0; i < 2; i++)
            gather_bytes (x[i][1][h].r[j], x[i][0][h].r[j], w[2 * i],
                w[2 * i + 1]);
        }
      }
    }
  }

  template <typename Nonzero, typename Sink> static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, int, const Format &f,
      Nonzero &nonzero, Sink &sink)
  {
    if (f.half_size) {
      _Pragma ("unroll 1") for (int i = 0; i < rows; i += Half::rows)
        Half::run (chain.half, in + i * S::pitch, out + i * S::pitch, 0, f,
            nonzero, sink);
      return;
    }

    typename Chain::Whole::Dequantized dequantized;
    uint32_t levels = 0;

    chain.whole.forward (dequantized, [&] (auto &x, int r) {
          spread (x, in, r, f);
        }, [&] (int i, uint32_t flags) {
          Nonzero::add_quarter (levels, i, flags);
        });
    nonzero.end_square (levels, 0);
    _Pragma ("unroll 1") for (int p = 0; p < rows / 16; p++)
      chain.whole.inverse (dequantized, p, [&] (auto &y, int j) {
            BDCT_UNROLL for (int h = 0; h < chunks; h++) {
              if constexpr (chunks > 1)
                BDCT_UNROLL for (int i = 0; i < 4; i++)
                  y[h][i] <<= f.shift;
              Chunks::store (Half::quarter (out, chunks * j + h, p), y[h]);
            }
          });
  }

  /* As in Group32; the squares of 32 x 32 are four to a group. */
  template <int SIDE, bool PAIRS> static BDCT_INLINE uint32_t
  levels_of (uint32_t in, uint32_t out, int component, int x, int y)
  {
    const int square = SIDE == 64 ? x : PAIRS ? x * 4 + y * 2 + component
        : x / 2 * 4 + y * 2 + x % 2;

    return (square % 2 ? in : out) + square / 2 * 8 * S::pitch + S::bytes;
  }

  template <int SIDE> static BDCT_INLINE uint32_t
  load_levels (uint32_t at, int i)
  {
    return Half::template load_levels<32> (at, i);
  }
};

} // namespace
