/* blockdct: between a tile's bytes and the operands of the chains.
 *
 * A group is some rows of 64 bytes of a tile in registers, a word of each row
 * and 16-byte chunk a lane. With interleaved components the samples are told
 * apart here, and nowhere else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_GROUPS_CUH
#define BDCT_GROUPS_CUH

#include "squares.cuh"

namespace {

/* What of a plane the registers' work depends on. */
struct Format
{
  bool pairs;                   /* two components interleaved */
  int shift;
  uint32_t peak;                /* twice, in 16 bits each */
};

/* Two samples of 16 bits out of memory. */
BDCT_INLINE uint32_t
read_words (uint32_t w, const Format &f)
{
  return __vminu2 (w >> f.shift & (0xffffu >> f.shift) * 0x10001u, f.peak);
}

/* Four registers of operand b from pairs of samples of 16 bits. */
BDCT_INLINE void
spread_words (uint32_t *x, uint32_t a, uint32_t b)
{
  x[0] = __byte_perm (a, 0, 0x4240);
  x[1] = __byte_perm (b, 0, 0x4240);
  x[2] = __byte_perm (a, 0, 0x4341);
  x[3] = __byte_perm (b, 0, 0x4341);
}

/* A chain with its constants, which lie as 16 bytes of each lane, 32 lanes, and
 * so on. From memory, because what the compiler knows or can work out it makes
 * anew for each use. */
template <typename Chain> struct InRegisters : Chain
{
  using Constants = Chain;

  BDCT_INLINE void
  load (const void *constants, int lane)
  {
    constexpr int count = (sizeof (Chain) + 15) / 16;
    uint4 w[count];

    BDCT_UNROLL for (int i = 0; i < count; i++)
      w[i] = ((const uint4 *) constants)[i * 32 + lane];
    memcpy ((Chain *) this, w, sizeof (Chain));
  }
};

/* 8 rows: a unit of two 8 x 8 squares a chunk of bytes, or two of words. Planar
 * bytes come out in an order of their own (tiles.cuh, ordered()). */
template <typename Chain, typename Sample> struct Group8
{
  using Lane = InRegisters<Chain>;

  static constexpr int rows = 8, bytes = 64;
  static constexpr bool order = sizeof (Sample) == 1;

  /* Where a lane's row of 16 bytes is for load_matrices(). */
  static BDCT_INLINE uint32_t
  address (int lane, int pitch)
  {
    return lane % 8 * pitch + lane / 8 * 16;
  }

  static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, const Format &f,
      uint32_t *nonzero)
  {
    uint32_t w[4];

    load_matrices (w, in);
    if constexpr (sizeof (Sample) == 1)
      BDCT_UNROLL for (int i = 0; i < 4; i++) {
        const uint32_t x[2] = {
          __byte_perm (w[i], 0, f.pairs ? 0x4240 : 0x4140),
          __byte_perm (w[i], 0, f.pairs ? 0x4341 : 0x4342)
        };
        uint32_t y[2];

        chain.run (y, nonzero, x);
        w[i] = __byte_perm (y[0], y[1], f.pairs ? 0x6240 : 0x6420);
      }
    else
      BDCT_UNROLL for (int i = 0; i < 4; i += 2) {
        uint32_t x[4], y[2];
        const uint32_t a = read_words (w[i], f), b = read_words (w[i + 1], f);

        if (f.pairs)
          spread_words (x, __byte_perm (a, b, 0x5410),
              __byte_perm (a, b, 0x7632));
        else
          spread_words (x, a, b);
        chain.run (y, nonzero, x);
        w[i] = (f.pairs ? __byte_perm (y[0], y[1], 0x5410) : y[0]) << f.shift;
        w[i + 1] =
            (f.pairs ? __byte_perm (y[0], y[1], 0x7632) : y[1]) << f.shift;
      }
    store_matrices (out, w);
  }
};

/* 16 rows: a 16 x 16 square a chunk of bytes, or two of words. */
template <typename Chain, typename Sample> struct Group16
{
  using Lane = InRegisters<Chain>;

  static constexpr int rows = 16, bytes = 64;
  static constexpr bool order = false;
  static constexpr int units = 4 / sizeof (Sample);

  static BDCT_INLINE uint32_t
  address (int lane, int pitch)
  {
    return lane % 16 * pitch + lane / 16 * 16;
  }

  /* Of w, index 2 * chunk + (rows 8 to 15); of x, [unit][rows][register]. */
  static BDCT_INLINE void
  spread (uint32_t x[units][2][4], const uint32_t *w, const Format &f)
  {
    BDCT_UNROLL for (int r = 0; r < 2; r++)
      if constexpr (sizeof (Sample) == 1) {
        BDCT_UNROLL for (int i = 0; i < 4; i++) {
          const int p = i / 2 * 4 + r;

          if (f.pairs) {
            x[i][r][0] = __byte_perm (w[p], 0, i % 2 ? 0x4341 : 0x4240);
            x[i][r][1] = __byte_perm (w[p + 2], 0, i % 2 ? 0x4341 : 0x4240);
          } else {
            x[i][r][0] = __byte_perm (w[2 * i + r], 0, 0x4140);
            x[i][r][1] = __byte_perm (w[2 * i + r], 0, 0x4342);
          }
        }
      } else {
        uint32_t v[4];

        BDCT_UNROLL for (int i = 0; i < 4; i++)
          v[i] = read_words (w[2 * i + r], f);
        BDCT_UNROLL for (int i = 0; i < 2; i++)
          if (f.pairs)
            spread_words (x[i][r],
                __byte_perm (v[0], v[1], i ? 0x7632 : 0x5410),
                __byte_perm (v[2], v[3], i ? 0x7632 : 0x5410));
          else
            spread_words (x[i][r], v[2 * i], v[2 * i + 1]);
      }
  }

  static BDCT_INLINE void
  gather (uint32_t *w, const uint32_t y[units][2][2], const Format &f)
  {
    BDCT_UNROLL for (int r = 0; r < 2; r++)
      BDCT_UNROLL for (int i = 0; i < 4; i++)
        if constexpr (sizeof (Sample) == 1) {
          const int p = i / 2 * 2;

          w[2 * i + r] = f.pairs
              ? __byte_perm (y[p][r][i % 2], y[p + 1][r][i % 2], 0x6240)
              : __byte_perm (y[i][r][0], y[i][r][1], 0x6420);
        } else {
          w[2 * i + r] = (f.pairs
              ? __byte_perm (y[0][r][i / 2], y[1][r][i / 2],
                  i % 2 ? 0x7632 : 0x5410)
              : y[i / 2][r][i % 2]) << f.shift;
        }
  }

  static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, const Format &f,
      uint32_t *nonzero)
  {
    uint32_t w[8], x[units][2][4], y[units][2][2];

    load_matrices (w, in);
    load_matrices (w + 4, in + 32);
    spread (x, w, f);
    BDCT_UNROLL for (int i = 0; i < units; i++)
      chain.run (y[i], nonzero[i % 2], x[i]);
    gather (w, y, f);
    store_matrices (out, w);
    store_matrices (out + 32, w + 4);
  }
};

/* 32 rows: a 32 x 32 square of each 32 samples. */
template <typename Chain, typename Sample> struct Group32
{
  using Lane = Lane32<Sample, Chain::flat>;

  static constexpr int rows = 32, bytes = 64 * sizeof (Sample);
  static constexpr bool order = false;

  static BDCT_INLINE uint32_t
  address (int lane, int pitch)
  {
    return lane * pitch;
  }

  /* Chunk i of all 32 rows: a register for each 8 of them. */
  static BDCT_INLINE void
  chunk (uint32_t *w, uint32_t in, int i, const Format &f)
  {
    load_matrices (w, in + 16 * i);
    if constexpr (sizeof (Sample) > 1)
      BDCT_UNROLL for (int q = 0; q < 4; q++)
        w[q] = read_words (w[q], f);
  }

  /* The square of component c of two interleaved, or the one at c. */
  static BDCT_INLINE void
  spread (uint32_t x[4][2][4], uint32_t in, int c, const Format &f)
  {
    BDCT_UNROLL for (int h = 0; h < 2; h++)
      if constexpr (sizeof (Sample) == 1) {
        uint32_t a[4], b[4];

        chunk (a, in, f.pairs ? 2 * h : 2 * c + h, f);
        if (f.pairs) {
          chunk (b, in, 2 * h + 1, f);
          BDCT_UNROLL for (int q = 0; q < 4; q++) {
            x[q][h][0] = __byte_perm (a[q], 0, c ? 0x4341 : 0x4240);
            x[q][h][1] = __byte_perm (b[q], 0, c ? 0x4341 : 0x4240);
          }
        } else {
          BDCT_UNROLL for (int q = 0; q < 4; q++) {
            x[q][h][0] = __byte_perm (a[q], 0, 0x4140);
            x[q][h][1] = __byte_perm (a[q], 0, 0x4342);
          }
        }
      } else {
        uint32_t a[4], b[4];

        if (f.pairs) {
          uint32_t a2[4], b2[4];

          chunk (a, in, 4 * h, f);
          chunk (a2, in, 4 * h + 1, f);
          chunk (b, in, 4 * h + 2, f);
          chunk (b2, in, 4 * h + 3, f);
          BDCT_UNROLL for (int q = 0; q < 4; q++) {
            a[q] = __byte_perm (a[q], a2[q], c ? 0x7632 : 0x5410);
            b[q] = __byte_perm (b[q], b2[q], c ? 0x7632 : 0x5410);
          }
        } else {
          chunk (a, in, 4 * c + 2 * h, f);
          chunk (b, in, 4 * c + 2 * h + 1, f);
        }
        BDCT_UNROLL for (int q = 0; q < 4; q++)
          spread_words (x[q][h], a[q], b[q]);
      }
  }

  /* Store the columns' quarters of squares y (of both components). */
  static BDCT_INLINE void
  gather (uint32_t out, const uint32_t y[4][4], const uint32_t z[4][4], int c,
      const Format &f)
  {
    BDCT_UNROLL for (int i = 0; i < 4; i++) {
      uint32_t w[4], v[4];

      BDCT_UNROLL for (int q = 0; q < 4; q++)
        if constexpr (sizeof (Sample) == 1) {
          w[q] = f.pairs ? __byte_perm (y[q][i], z[q][i], 0x6240)
              : __byte_perm (y[q][i & 2], y[q][i | 1], 0x6420);
        } else if (f.pairs) {
          w[q] = __byte_perm (y[q][i], z[q][i], 0x5410) << f.shift;
          v[q] = __byte_perm (y[q][i], z[q][i], 0x7632) << f.shift;
        } else {
          w[q] = y[q][i] << f.shift;
        }
      if (sizeof (Sample) > 1 && f.pairs) {
        store_matrices (out + 32 * i, w);
        store_matrices (out + 32 * i + 16, v);
      } else if (sizeof (Sample) > 1) {
        store_matrices (out + 64 * c + 16 * i, w);
      } else if (f.pairs) {
        store_matrices (out + 16 * i, w);
      } else if (i % 2 == 0) {
        store_matrices (out + 32 * c + 8 * i, w);
      }
    }
  }

  static BDCT_INLINE void
  run (const Lane &chain, uint32_t in, uint32_t out, const Format &f,
      uint32_t *nonzero)
  {
    uint32_t x[4][2][4], y[4][4], z[4][4];

    _Pragma ("unroll 1") for (int c = 0; c < 2; c++) {
      uint32_t n = 0;

      spread (x, in, c, f);
      chain.run (y, n, x);
      /* Not nonzero[c], which would have to be memory. */
      nonzero[0] += c == 0 ? n : 0;
      nonzero[1] += c == 1 ? n : 0;
      if (!f.pairs)
        gather (out, y, y, c, f);
      else if (c == 1)
        gather (out, z, y, c, f);
      BDCT_UNROLL for (int q = 0; q < 4; q++)
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          z[q][i] = y[q][i];
    }
  }
};

} // namespace

#endif
