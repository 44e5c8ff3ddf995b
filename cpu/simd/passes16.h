/* blockdct: the transforms in 16-bit lanes: sizes 4 and 8, and the parts that
 * sizes 16 and 32 share (passes16-wide.h). For tile16.c.
 *
 * They work on units. A unit is adjacent blocks, 16 samples wide for each lane
 * of a vector, or 32 for blocks of 32. A lane has whole blocks: one of 32 or
 * 16, two of 8, four of 4. `bytes` are a sample's, 1 or 2; a word has its value
 * from bit `shift` up (layout.h).
 *
 * A pass sums products of neighbouring pairs (madd16). Rows only need their
 * samples in a suitable order; elsewhere 32-bit elements, each a pair, are
 * transposed or interleaved, so that the outputs of a pass are the pairs of the
 * next. Butterflies are computed in 16 bits before the products and in 32 bits
 * after them. tile16-tables.c proves when all of this is exact.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PASSES16_H
#define BDCT_PASSES16_H

#include "dct/transform/jpeg-islow-rounding.h"
#include "simd.h"
#include "tile16-tables.h"
#include "tile32.h"

/* The samples of a unit's row. */
#define UNIT(n) (((n) < 16 ? 16 : (n)) * LANES)

/* The low bits that the wide form has in a separate number. */
#define WIDE 3

/* The shifts at a depth of 8, where they are constants. */
BDCT_FORCE_INLINE int
fixed_shift (int pass, const int n, const int jpeg)
{
  const int log2 = n == 4 ? 2 : n == 8 ? 3 : n == 16 ? 4 : 5;

  return jpeg ? bdct_jpeg_islow_shift (pass, 8) : pass == 0 ? log2 - 1
      : pass == 1 ? log2 + 6 : pass == 2 ? 7 : 12;
}

#define SHIFT(pass) (bytes == 1 ? fixed_shift (pass, n, jpeg) : c->shift[pass])

/* Load words and shift their values down. */
BDCT_FORCE_INLINE V
load_words (const BdctTile16 * c, const uint8_t * p, int shift)
{
  return min16u (srl16n (load (p), shift), set16 ((1 << c->depth) - 1));
}

/* Shift 32-bit sums and narrow them to words. */
BDCT_FORCE_INLINE V
narrow (V a, V b, int shift, const int bytes)
{
  return bytes == 1 ? narrow32 (a, b, shift) : narrow32n (a, b, shift);
}

/* `start` plus the products of a row of pairs, for two groups of columns. */
BDCT_FORCE_INLINE void
dot (V * out, const V * a, const V * b, const int32_t * m, int pairs, V start)
{
  Sum x = sum_from (start), y = x;

  BDCT_UNROLL for (int j = 0; j < pairs; j++) {
    V k = load32 (m + j);

    x = dot16 (x, a[j], k);
    y = dot16 (y, b[j], k);
  }
  out[0] = sum_of (x);
  out[1] = sum_of (y);
}

BDCT_FORCE_INLINE V
dot_4 (const V * a, const int32_t * m, V start)
{
  return sum_of (dot16 (dot16 (sum_from (start), a[0], load32 (m)), a[1],
          load32 (m + 1)));
}

/* Transpose the four by four 32-bit elements of each lane. */
BDCT_FORCE_INLINE void
transpose (V * a)
{
  V t0 = low32 (a[0], a[1]), t1 = high32 (a[0], a[1]);
  V t2 = low32 (a[2], a[3]), t3 = high32 (a[2], a[3]);

  a[0] = low64 (t0, t2);
  a[1] = high64 (t0, t2);
  a[2] = low64 (t1, t3);
  a[3] = high64 (t1, t3);
}

#define ORDER(...) lane ((const int8_t[16]) { __VA_ARGS__ })
#define WORD(i) 2 * (i), 2 * (i) + 1
#define WORDS(a, b, c, d, e, f, g, h)                                         \
  ORDER (WORD (a), WORD (b), WORD (c), WORD (d), WORD (e), WORD (f),          \
      WORD (g), WORD (h))
#define BYTES(a, b, c, d, e, f, g, h)                                         \
  ORDER (a, -1, b, -1, c, -1, d, -1, e, -1, f, -1, g, -1, h, -1)

/* The sums of the last pass, four columns of four 32-bit elements, as samples:
 * bytes with four columns in one element, or words with two columns in one
 * element. */
#define TURN ORDER (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)

BDCT_FORCE_INLINE V
sample_bytes (const V * y, int shift, V turn)
{
  return shuffle8 (packus16 (narrow (y[0], y[1], shift, 1),
          narrow (y[2], y[3], shift, 1)), turn);
}

BDCT_FORCE_INLINE V
sample_words (const BdctTile16 * c, V a, V b, int shift, int down)
{
  const V weave = WORDS (0, 4, 1, 5, 2, 6, 3, 7);

  a = narrow32un (a, b, down);
  return sll16n (shuffle8 (min16u (a, set16 ((1 << c->depth) - 1)), weave),
      shift);
}

/* 8 columns of 4 rows in each lane, `step` vectors of y apart: store row i's
 * samples, as words, in out[i]. */
BDCT_FORCE_INLINE void
sample_rows (const BdctTile16 * c, V * out, const V * y, int step, int shift,
    int down)
{
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    out[i] = sample_words (c, y[2 * i * step], y[(2 * i + 1) * step], shift,
        down);
  transpose (out);
}

BDCT_FORCE_INLINE void
store_joined (uint8_t * to, V even, V odd)
{
  V x, y;

  join (&x, &y, even, odd);
  store (to, x);
  store (to + sizeof (V), y);
}

/* The samples' middle and the last pass' rounding, added to its sums. */
BDCT_FORCE_INLINE V
last_start (const BdctTile16 * c, int shift, const int bytes)
{
  const int depth = bytes == 1 ? 8 : c->depth;

  return set32 (HALF (shift) + (1 << (depth - 1 + shift)));
}

/* Blocks of 4 x 4, with all passes as full products. A 32-bit element is a pair
 * of neighbours of a row of one block or, for the columns, of a column. */
BDCT_FORCE_INLINE void
load_4 (const BdctTile16 * c, V * pair, const uint8_t * p, int shift,
    const int bytes)
{
  V a, b;

  if (bytes == 1) {
    a = load (p);
    pair[0] = shuffle8 (a, BYTES (0, 1, 4, 5, 8, 9, 12, 13));
    pair[1] = shuffle8 (a, BYTES (2, 3, 6, 7, 10, 11, 14, 15));
    return;
  }
  a = load_words (c, p, shift);
  b = load_words (c, p + sizeof (V), shift);
  a = shuffle8 (a, WORDS (0, 1, 4, 5, 2, 3, 6, 7));
  b = shuffle8 (b, WORDS (0, 1, 4, 5, 2, 3, 6, 7));
  pair[0] = low64 (a, b);
  pair[1] = high64 (a, b);
}

BDCT_FORCE_INLINE void
forward_4 (const BdctTile16 * c, V * out, const uint8_t * src,
    ptrdiff_t stride, int shift, const int bytes)
{
  enum { n = 4, jpeg = 0 };
  const V weave = WORDS (0, 4, 1, 5, 2, 6, 3, 7);
  const int32_t *m = c->basis->rows;
  const V half = set32 (HALF (SHIFT (1)));
  V t[4][2];

  BDCT_UNROLL for (int y = 0; y < 4; y += 2) {
    V a[2], b[2];

    load_4 (c, a, src + y * stride, shift, bytes);
    load_4 (c, b, src + (y + 1) * stride, shift, bytes);
    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      V first = set32 (c->first[k] + HALF (SHIFT (0)));

      t[k][y / 2] = shuffle8 (narrow (dot_4 (a, m + 2 * k, first),
              dot_4 (b, m + 2 * k, first), SHIFT (0), bytes), weave);
    }
  }
  BDCT_UNROLL for (int k = 0; k < 4; k++)
    BDCT_UNROLL for (int l = 0; l < 4; l += 2)
      out[2 * k + l / 2] = shuffle8 (narrow (dot_4 (t[k], m + 2 * l, half),
              dot_4 (t[k], m + 2 * l + 2, half), SHIFT (1), bytes), weave);
}

BDCT_FORCE_INLINE void
inverse_4 (const BdctTile16 * c, const V * d, uint8_t * dst, ptrdiff_t stride,
    int shift, const int bytes)
{
  enum { n = 4, jpeg = 0 };
  const V weave = WORDS (0, 4, 1, 5, 2, 6, 3, 7);
  const int32_t *m = c->basis->inverse;
  const V half = set32 (HALF (7)), start = last_start (c, SHIFT (3), bytes);
  V s[4][2];

  BDCT_UNROLL for (int k = 0; k < 4; k += 2)
    BDCT_UNROLL for (int y = 0; y < 4; y++)
      s[y][k / 2] = shuffle8 (narrow (dot_4 (d + 2 * k, m + 2 * y, half),
              dot_4 (d + 2 * k + 2, m + 2 * y, half), SHIFT (2), bytes), weave);
  BDCT_UNROLL for (int y = 0; y < 4; y++) {
    V o[4];

    BDCT_UNROLL for (int x = 0; x < 4; x++)
      o[x] = dot_4 (s[y], m + 2 * x, start);
    if (bytes == 1) {
      store (dst + y * stride, sample_bytes (o, SHIFT (3), TURN));
    } else {
      V a = sample_words (c, o[0], o[1], shift, SHIFT (3));
      V b = sample_words (c, o[2], o[3], shift, SHIFT (3));

      store (dst + y * stride, low32 (a, b));
      store (dst + y * stride + sizeof (V), high32 (a, b));
    }
  }
}

/* Blocks of 8 x 8, two to a lane, b and c. The words of a row's sums are b0 b1
 * c0 c1 b3 b2 c3 c2, so that two rows need one interleaving of 32-bit elements.
 * The elements of a group are then b of the two rows, c of the two rows. */
BDCT_FORCE_INLINE void
load_8 (const BdctTile16 * c, V * near, V * far, const uint8_t * p, int shift,
    const int bytes)
{
  V a, b;

  if (bytes == 1) {
    a = load (p);
    *near = shuffle8 (a, BYTES (0, 1, 8, 9, 3, 2, 11, 10));
    *far = shuffle8 (a, BYTES (7, 6, 15, 14, 4, 5, 12, 13));
    return;
  }
  a = load_words (c, p, shift);
  b = load_words (c, p + sizeof (V), shift);
  *near = shuffle8 (low64 (a, b), WORDS (0, 1, 4, 5, 3, 2, 7, 6));
  *far = shuffle8 (high64 (a, b), WORDS (3, 2, 7, 6, 0, 1, 4, 5));
}

/* Two pairs of rows, and the rows that mirror them in the columns. */
BDCT_FORCE_INLINE void
forward_rows_8 (const BdctTile16 * c, V * out, const uint8_t * src,
    ptrdiff_t stride, int shift, const int mirrored, const int jpeg,
    const int bytes)
{
  enum { n = 8 };
  const int32_t *m = c->basis->rows;
  const V half = set32 (HALF (SHIFT (0)));
  V e[2][2], o[2][2], y[8][2];

  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    V near[2], far[2], low, high;

    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      int row = bdct_tile16_mirror (8, 2 * g + i);

      load_8 (c, &near[i], &far[i],
          src + (mirrored ? 7 - row : row) * stride, shift, bytes);
    }
    low = low32 (add16 (near[0], far[0]), add16 (near[1], far[1]));
    high = high32 (add16 (near[0], far[0]), add16 (near[1], far[1]));
    e[g][0] = add16 (low, high);
    e[g][1] = sub16 (low, high);
    o[g][0] = low32 (sub16 (near[0], far[0]), sub16 (near[1], far[1]));
    o[g][1] = high32 (sub16 (near[0], far[0]), sub16 (near[1], far[1]));
  }
  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    dot (y[4 * i], &e[0][0], &e[1][0], m + i, 1,
        i ? half : set32 (c->first[0] + HALF (SHIFT (0))));
    dot (y[4 * i + 2], &e[0][1], &e[1][1], m + 2 + i, 1, half);
  }
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    dot (y[2 * i + 1], o[0], o[1], m + 4 + 2 * i, 2, half);
  BDCT_UNROLL for (int k = 0; k < 8; k++)
    out[2 * k] = narrow (y[k][0], y[k][1], SHIFT (0), bytes);
}

/* Narrow 32-bit sums to words, as a quarter of the value rounded towards 0. */
BDCT_FORCE_INLINE V
narrow_quarters (V a, V b, int shift)
{
  a = round32n (a, shift);
  b = round32n (b, shift);
  return packs32 (sra32 (add32 (a, srl32 (a, 30)), 2),
      sra32 (add32 (b, srl32 (b, 30)), 2));
}

/* Two rows of t, and their mirrors, as pairs of the columns' elements. */
BDCT_FORCE_INLINE void
pairs_8 (V * even, V * odd, const V * a, const V * b, const int wide)
{
  if (wide) {
    even[0] = low32 (a[0], b[0]);
    even[1] = high32 (a[0], b[0]);
    even[2] = low32 (a[1], b[1]);
    even[3] = high32 (a[1], b[1]);
    return;
  }
  even[0] = low32 (add16 (a[0], a[1]), add16 (b[0], b[1]));
  even[1] = high32 (add16 (a[0], a[1]), add16 (b[0], b[1]));
  odd[0] = low32 (sub16 (a[0], a[1]), sub16 (b[0], b[1]));
  odd[1] = high32 (sub16 (a[0], a[1]), sub16 (b[0], b[1]));
}

/* `wide`: for JPEG's numbers beyond 16 bits (tile16-tables.c). */
BDCT_FORCE_INLINE void
forward_8 (const BdctTile16 * c, V * out, const uint8_t * src,
    ptrdiff_t stride, int shift, const int jpeg, const int wide,
    const int bytes)
{
  enum { n = 8 };
  const V half = set32 (HALF (SHIFT (1)));
  V t[16];

  forward_rows_8 (c, t, src, stride, shift, 0, jpeg, bytes);
  forward_rows_8 (c, t + 1, src, stride, shift, 1, jpeg, bytes);
  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    V e[2][4], o[2][2], y[2];

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      pairs_8 (e[i], o[i], t + 2 * bdct_tile16_order (8, 4 * g + 2 * i),
          t + 2 * bdct_tile16_order (8, 4 * g + 2 * i + 1), wide);
    BDCT_UNROLL for (int l = 0; l < 8; l++) {
      const int32_t *m = c->basis->columns[l & 1][l / 2];

      if (wide) {
        dot (y, e[0], e[1], m, 4, half);
        out[8 * g + l] = narrow_quarters (y[0], y[1], SHIFT (1));
        continue;
      }
      dot (y, l & 1 ? o[0] : e[0], l & 1 ? o[1] : e[1], m, 2, half);
      out[8 * g + l] = narrow (y[0], y[1], SHIFT (1), bytes);
    }
  }
}

BDCT_FORCE_INLINE void
inverse_pass_8 (const BdctTile16 * c, V (*out)[2], V (*in)[4], V start)
{
  const int32_t *m = c->basis->inverse;
  V a[2], b[2], x[4][2];

  BDCT_UNROLL for (int i = 0; i < 2; i++) {
    dot (a, in[0], in[1], m + i, 1, start);
    dot (b, in[0] + 1, in[1] + 1, m + 2 + i, 1, zero ());
    BDCT_UNROLL for (int g = 0; g < 2; g++) {
      x[i][g] = add32 (a[g], b[g]);
      x[3 - i][g] = sub32 (a[g], b[g]);
    }
  }
  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    dot (b, in[0] + 2, in[1] + 2, m + 4 + 2 * i, 2, zero ());
    BDCT_UNROLL for (int g = 0; g < 2; g++) {
      out[i][g] = add32 (x[i][g], b[g]);
      out[7 - i][g] = sub32 (x[i][g], b[g]);
    }
  }
}

/* Four rows of s as pairs for the row pass. */
BDCT_FORCE_INLINE void
turn_8 (V (*in)[4], V (*s)[2])
{
  BDCT_UNROLL for (int g = 0; g < 2; g++)
    BDCT_UNROLL for (int v = 0; v < 2; v++) {
      in[g][2 * v] = low32 (s[2 * g][v], s[2 * g + 1][v]);
      in[g][2 * v + 1] = high32 (s[2 * g][v], s[2 * g + 1][v]);
    }
}

/* Split 32-bit sums into words as 8 high + low, with low from 0 to 7. */
BDCT_FORCE_INLINE void
narrow_wide (V * high, V * low, V a, V b, int shift)
{
  a = round32n (a, shift);
  b = round32n (b, shift);
  *high = packs32 (sra32 (a, WIDE), sra32 (b, WIDE));
  *low = packs32 (and8 (a, set32 ((1 << WIDE) - 1)),
      and8 (b, set32 ((1 << WIDE) - 1)));
}

/* Store a group: two rows of the 8 columns of both blocks. */
BDCT_FORCE_INLINE void
store_8 (const BdctTile16 * c, uint8_t * dst, ptrdiff_t stride, V (*y)[2],
    int g, int shift, int down, const int bytes)
{
  V w[4];

  if (bytes == 1) {
    const V turn = ORDER (0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);

    BDCT_UNROLL for (int i = 0; i < 2; i++)
      w[i] = sample_bytes ((const V[]) { y[4 * i][g], y[4 * i + 1][g],
            y[4 * i + 2][g], y[4 * i + 3][g] }, down, turn);
    store (dst, low32 (w[0], w[1]));
    store (dst + stride, high32 (w[0], w[1]));
    return;
  }
  sample_rows (c, w, &y[0][g], 2, shift, down);
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    store (dst + (i & 1) * stride + i / 2 * (int) sizeof (V), w[i]);
}

BDCT_FORCE_INLINE void
inverse_8 (const BdctTile16 * c, const V * d, uint8_t * dst, ptrdiff_t stride,
    int shift, const int jpeg, const int wide, const int bytes)
{
  enum { n = 8 };
  const int down = SHIFT (3) - (wide ? WIDE : 0);
  V s[8][2], low[8][2];

  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    V in[2][4], out[8][2];

    BDCT_UNROLL for (int p = 0; p < 4; p++) {
      V a = d[8 * g + bdct_tile16_order (8, 2 * p)];
      V b = d[8 * g + bdct_tile16_order (8, 2 * p + 1)];

      in[0][p] = low16 (a, b);
      in[1][p] = high16 (a, b);
    }
    inverse_pass_8 (c, out, in, set32 (HALF (SHIFT (2))));
    BDCT_UNROLL for (int i = 0; i < 8; i++)
      if (wide)
        narrow_wide (&s[i][g], &low[i][g], out[i][0], out[i][1], SHIFT (2));
      else
        s[i][g] = narrow (out[i][0], out[i][1], SHIFT (2), bytes);
  }
  BDCT_UNROLL for (int y = 0; y < 8; y += 4) {
    V in[2][4], out[8][2], more[8][2];

    turn_8 (in, s + y);
    inverse_pass_8 (c, out, in, last_start (c, down, bytes));
    if (wide) {
      turn_8 (in, low + y);
      inverse_pass_8 (c, more, in, zero ());
      BDCT_UNROLL for (int i = 0; i < 16; i++)
        out[i / 2][i & 1] = add32 (out[i / 2][i & 1],
            sra32 (more[i / 2][i & 1], WIDE));
    }
    BDCT_UNROLL for (int g = 0; g < 2; g++)
      store_8 (c, dst + (y + 2 * g) * stride, stride, out, g, shift, down,
          bytes);
  }
}

#endif
