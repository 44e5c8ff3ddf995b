/* blockdct: the transforms in 16-bit lanes (passes16.h) of sizes 16 and 32.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PASSES16_WIDE_H
#define BDCT_PASSES16_WIDE_H

#include "passes16.h"

/* Blocks of 16 and 32, one to a lane. near[] are a row's samples and far[] the
 * samples that mirror them, in that order (tile16-tables.h). */
BDCT_FORCE_INLINE void
load_wide (const BdctTile16 * c, V * near, V * far, const uint8_t * p,
    int shift, const int n, const int bytes)
{
  const V up = bytes == 1 ? BYTES (0, 1, 2, 3, 7, 6, 5, 4)
      : WORDS (0, 1, 2, 3, 7, 6, 5, 4);
  const V down = bytes == 1 ? BYTES (15, 14, 13, 12, 8, 9, 10, 11)
      : WORDS (7, 6, 5, 4, 0, 1, 2, 3);
  V a[2], b[2];                 /* 8 words or 16 bytes each; from left to
                                   right a[0] a[1], for words a[0] b[0] a[1]
                                   b[1] */

  if (bytes == 1) {
    a[0] = load (p);
    if (n == 32)
      split (&a[0], &a[1], a[0], load (p + sizeof (V)));
    b[0] = a[0];
    b[n / 32] = a[n / 32];
  } else {
    BDCT_UNROLL for (int i = 0; i < n / 16; i++)
      split (&a[i], &b[i], load_words (c, p + 2 * i * sizeof (V), shift),
          load_words (c, p + (2 * i + 1) * sizeof (V), shift));
    if (n == 32) {
      split (&a[0], &a[1], a[0], a[1]);
      split (&b[0], &b[1], b[0], b[1]);
    }
  }
  near[0] = shuffle8 (a[0], up);
  far[0] = shuffle8 (b[n / 32], down);
  if (n == 32) {
    near[1] = shuffle8 (b[0], down);
    far[1] = shuffle8 (a[1], up);
  }
}

/* 8 rows, in the order of mirrored samples; out[k * n / 8] is a vector of their
 * coefficients. */
BDCT_FORCE_INLINE void
forward_rows (const BdctTile16 * c, V * out, const uint8_t * src,
    ptrdiff_t stride, int shift, const int n, const int bytes)
{
  enum { jpeg = 0 };
  const V half = set32 (HALF (SHIFT (0)));
  const int32_t *m = c->basis->rows;
  V e[2][4], f[2][4], o[2][8], even[2][2], odd[2][2], y[2];

  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    BDCT_UNROLL for (int i = 0; i < 4; i++) {
      V near[2], far[2];

      load_wide (c, near, far, src + bdct_tile16_mirror (n, 4 * g + i)
          * stride, shift, n, bytes);
      e[g][i] = add16 (near[0], far[0]);
      o[g][i] = sub16 (near[0], far[0]);
      if (n == 32) {
        V sum = add16 (near[1], far[1]);

        o[g][i + 4] = sub16 (near[1], far[1]);
        f[g][i] = sub16 (e[g][i], sum);
        e[g][i] = add16 (e[g][i], sum);
      }
    }
    transpose (e[g]);
    transpose (o[g]);
    if (n == 32) {
      transpose (f[g]);
      transpose (o[g] + 4);
    }
    BDCT_UNROLL for (int i = 0; i < 2; i++) {
      even[g][i] = add16 (e[g][i], e[g][i + 2]);
      odd[g][i] = sub16 (e[g][i], e[g][i + 2]);
    }
  }
#define PUT(k) out[(k) * (n / 8)] = narrow (y[0], y[1], SHIFT (0), bytes)
  for (int i = 0; i < 4; i++, m += 2) {
    dot (y, even[0], even[1], m, 2,
        i ? half : set32 (c->first[0] + HALF (SHIFT (0))));
    PUT (i * n / 4);
  }
  for (int i = 0; i < 4; i++, m += 2) {
    dot (y, odd[0], odd[1], m, 2, half);
    PUT (i * n / 4 + n / 8);
  }
  if (n == 32)
    for (int i = 0; i < 8; i++, m += 4) {
      dot (y, f[0], f[1], m, 4, half);
      PUT (i * 4 + 2);
    }
  for (int i = 0; i < n / 2; i++, m += n / 4) {
    dot (y, o[0], o[1], m, n / 4, half);
    PUT (2 * i + 1);
  }
#undef PUT
}

/* Transform a group of 8 columns of t. */
BDCT_FORCE_INLINE void
forward_columns (const BdctTile16 * c, V * out, const V * t, int group,
    const int n, const int bytes)
{
  enum { jpeg = 0 };
  const int shift = SHIFT (1), vectors = n / 16;
  const V half = set32 (HALF (shift));
  V e[2][8], o[2][8], y[2];

  BDCT_UNROLL for (int g = 0; g < 2; g++)
    BDCT_UNROLL for (int v = 0; v < vectors; v++) {
      BDCT_UNROLL for (int i = 0; i < 4; i++) {
        const V *p = t + bdct_tile16_order (n, 8 * group + 4 * g + i)
            * (n / 8);

        e[g][4 * v + i] = add16 (p[v], p[v + vectors]);
        o[g][4 * v + i] = sub16 (p[v], p[v + vectors]);
      }
      transpose (e[g] + 4 * v);
      transpose (o[g] + 4 * v);
    }
  for (int l = 0; l < n; l += 2) {
    dot (y, e[0], e[1], c->basis->columns[0][l / 2], n / 4, half);
    out[l] = narrow (y[0], y[1], shift, bytes);
  }
  for (int l = 1; l < n; l += 2) {
    dot (y, o[0], o[1], c->basis->columns[1][l / 2], n / 4, half);
    out[l] = narrow (y[0], y[1], shift, bytes);
  }
}

BDCT_FORCE_INLINE void
forward_wide (const BdctTile16 * c, V * out, const uint8_t * src,
    ptrdiff_t stride, int shift, V * t, const int n, const int bytes)
{
  static const struct {
    uint8_t row;
    int8_t step;
  } first[4] = { {0, 1}, {15, -1}, {31, -1}, {16, 1} };

  for (int v = 0; v < n / 8; v++)
    forward_rows (c, t + v, src + first[v].row * stride, first[v].step * stride,
        shift, n, bytes);
  for (int g = 0; g < n / 8; g++)
    forward_columns (c, out + g * n, t, g, n, bytes);
}

/* in: n / 2 pairs, class by class, of two groups. */
BDCT_FORCE_INLINE void
inverse_pass (const BdctTile16 * c, V (*out)[2], V (*in)[16], V start,
    const int n)
{
  const int32_t *m = c->basis->inverse;
  V a[2], b[2];

  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    dot (a, in[0], in[1], m + 2 * i, 2, start);
    dot (b, in[0] + 2, in[1] + 2, m + 8 + 2 * i, 2, zero ());
    BDCT_UNROLL for (int g = 0; g < 2; g++) {
      out[i][g] = add32 (a[g], b[g]);
      out[7 - i][g] = sub32 (a[g], b[g]);
    }
  }
  BDCT_UNROLL for (int i = 0; i < 8; i++) {
    dot (b, in[0] + 4, in[1] + 4, m + 16 + 4 * i, 4, zero ());
    BDCT_UNROLL for (int g = 0; g < 2; g++) {
      V x = out[i][g];

      out[i][g] = add32 (x, b[g]);
      out[15 - i][g] = sub32 (x, b[g]);
    }
  }
  for (int i = 0; n == 32 && i < 16; i++) {
    dot (b, in[0] + 8, in[1] + 8, m + 48 + 8 * i, 8, zero ());
    BDCT_UNROLL for (int g = 0; g < 2; g++) {
      V x = out[i][g];

      out[i][g] = add32 (x, b[g]);
      out[31 - i][g] = sub32 (x, b[g]);
    }
  }
}

/* Transform a group of 8 columns back. */
BDCT_FORCE_INLINE void
inverse_columns (const BdctTile16 * c, V * s, const V * d, const int n,
    const int bytes)
{
  enum { jpeg = 0 };
  V in[2][16], out[32][2];

  BDCT_UNROLL for (int p = 0; p < n / 2; p++) {
    V a = d[bdct_tile16_order (n, 2 * p)];
    V b = d[bdct_tile16_order (n, 2 * p + 1)];

    in[0][p] = low16 (a, b);
    in[1][p] = high16 (a, b);
  }
  inverse_pass (c, out, in, set32 (HALF (7)), n);
  BDCT_UNROLL for (int i = 0; i < n; i++)
    s[i * (n / 8)] = narrow (out[i][0], out[i][1], SHIFT (2), bytes);
}

/* Store a group: four rows of all columns. */
BDCT_FORCE_INLINE void
store_wide (const BdctTile16 * c, uint8_t * dst, ptrdiff_t stride,
    V (*y)[2], int g, int shift, const int n, const int bytes)
{
  enum { jpeg = 0 };
  V w[4][4], even[4], odd[4];

  if (bytes == 1) {
    BDCT_UNROLL for (int i = 0; i < n; i += 4)
      w[i / 16][i / 4 & 3] = sample_bytes ((const V[]) { y[i][g], y[i + 1][g],
            y[i + 2][g], y[i + 3][g] }, SHIFT (3), TURN);
    transpose (w[0]);
    if (n == 32)
      transpose (w[1]);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      if (n == 32)
        store_joined (dst + i * stride, w[0][i], w[1][i]);
      else
        store (dst + i * stride, w[0][i]);
    return;
  }
  BDCT_UNROLL for (int i = 0; i < n; i += 8)
    sample_rows (c, w[i / 8], &y[i][g], 2, shift, SHIFT (3));
  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    uint8_t *to = dst + i * stride;

    if (n == 16) {
      store_joined (to, w[0][i], w[1][i]);
      continue;
    }
    join (&even[0], &even[1], w[0][i], w[2][i]);
    join (&odd[0], &odd[1], w[1][i], w[3][i]);
    store_joined (to, even[0], odd[0]);
    store_joined (to + 2 * sizeof (V), even[1], odd[1]);
  }
}

BDCT_FORCE_INLINE void
inverse_wide (const BdctTile16 * c, const V * d, uint8_t * dst,
    ptrdiff_t stride, int shift, V * s, const int n, const int bytes)
{
  enum { jpeg = 0 };

  for (int g = 0; g < n / 8; g++)
    inverse_columns (c, s + g, d + g * n, n, bytes);
  for (int row = 0; row < n; row += 8) {
    V in[2][16], out[32][2];

    BDCT_UNROLL for (int g = 0; g < 2; g++)
      BDCT_UNROLL for (int v = 0; v < n / 8; v++) {
        BDCT_UNROLL for (int i = 0; i < 4; i++)
          in[g][4 * v + i] = s[(row + 4 * g + i) * (n / 8) + v];
        transpose (in[g] + 4 * v);
      }
    inverse_pass (c, out, in, last_start (c, SHIFT (3), bytes), n);
    BDCT_UNROLL for (int g = 0; g < 2; g++)
      store_wide (c, dst + (row + 4 * g) * stride, stride, out, g, shift, n,
          bytes);
  }
}

#endif
