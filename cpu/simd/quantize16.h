/* blockdct: quantizers and dequantizers in 16-bit lanes. For tile16.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_QUANTIZE16_H
#define BDCT_QUANTIZE16_H

#include "simd.h"
#include "tile16-tables.h"
#include "tile32.h"

/* The sums over units. */
typedef struct {
  V count;                      /* levels that are not 0, by element */
  V sse[2];                     /* squared errors, each of 4 samples of a row */
  V beyond;                     /* not 0: given levels are */
} Sums;

/* The quantizer's constants for all coefficients. */
typedef struct {
  V add_low, add_high, power, round;
  int shift;
} Quantizer;

/* The levels and dequantized coefficients of a vector's elements
 * (tile16-tables.c). */
BDCT_FORCE_INLINE V
requantize_vector (const Quantizer * all, const BdctTile16Entry * e, V v,
    V * level, V * not0, const BdctTile16Quantizer quantizer)
{
  const V a = abs16 (v), q = lane (e->quant);
  V carry, d;

  if (quantizer >= BDCT_TILE16_GIVEN) {
    *level = a;
  } else if (quantizer == BDCT_TILE16_JPEG) {
    *level = mulhi16u (mulhi16u (and8 (add16 (a, lane (e->scale)),
                set16 (-8)), q), lane (e->power));
  } else if (quantizer == BDCT_TILE16_JPEG_WIDE) {
    *level = mulhi16u (mulhi16u (or8 (add16 (a, lane (e->scale)), set16 (1)),
            q), lane (e->power));
  } else {
    carry = srl16 (average16u (mullo16 (a, q), all->add_low), 15);
    *level = mulhi16u (add16 (add16 (mulhi16u (a, q), all->add_high), carry),
        all->power);
  }
  *not0 = min16u (*level, set16 (1));
  *level = sign16 (*level, v);
  d = lane (e->dequant);
  if (quantizer == BDCT_TILE16_ROUNDED)
    return mulround16 (mullo16 (*level, lane (e->scale)), d);
  if (quantizer == BDCT_TILE16_WIDE || quantizer == BDCT_TILE16_GIVEN) {
    V low, high;

    d = lane (e->power);
    low = mullo16 (*level, d);
    high = mulhi16 (*level, d);
    return packs32 (sra32n (add32 (low16 (low, high), all->round), all->shift),
        sra32n (add32 (high16 (low, high), all->round), all->shift));
  }
  return mullo16 (*level, d);
}

/* Requantize units, or dequantize given levels. `out`: store the levels, too.
 * `some`: only the elements of `mask`, added to the others. */
BDCT_FORCE_INLINE void
requantize (const BdctTile16 * c, V * d, V * levels, const V * v, int units,
    V mask, Sums * sums, const BdctTile16Quantizer quantizer, const bool out,
    const bool some)
{
  const Quantizer all = { set16 (c->add_low), set16 (c->add_high),
    set16 (c->power), set32 (c->dequant_round), c->dequant_shift
  };
  const bool wide = quantizer == BDCT_TILE16_JPEG_WIDE
      || quantizer == BDCT_TILE16_GIVEN_JPEG_WIDE;
  const BdctTile16Entry *entry = c->entry + (wide ? c->n_vectors : 0);
  const V most = set16 (c->column[wide]);
  V n = sums->count, column = zero (), beyond = sums->beyond;

  for (; units > 0; units--)
    for (int i = 0; i < c->n_vectors; i += 4) {
      BDCT_UNROLL for (int k = 0; k < 4; k++, d++, v++, levels += out) {
        const V from = some ? and8 (*v, mask) : *v;
        V level, not0;
        V value = requantize_vector (&all, &entry[i + k], from, &level, &not0,
            quantizer);

        if (quantizer >= BDCT_TILE16_GIVEN_JPEG) {
          const V a = abs16 (from), q = lane (entry[i + k].dequant);

          column = addsat16u (column, mullo16 (a, q));
          beyond = or8 (beyond, mulhi16u (a, q));
        }
        n = add16 (n, not0);
        *d = some ? or8 (*d, value) : value;
        if (out)
          *levels = some ? or8 (*levels, level) : level;
      }
      if (quantizer >= BDCT_TILE16_GIVEN_JPEG && i % 8 == 4) {
        beyond = or8 (beyond, subsat16u (column, most));
        column = zero ();
      }
    }
  sums->count = n;
  sums->beyond = beyond;
}

#define REQUANTIZE(name, quantizer)                                           \
  static void name (const BdctTile16 *c, V *d, V *levels, const V *v,        \
      int units, const V *mask, Sums *sums)                                   \
  {                                                                           \
    if (mask != NULL)                                                         \
      requantize (c, d, levels, v, units, *mask, sums, quantizer, true,       \
          true);                                                              \
    else if (levels != NULL)                                                  \
      requantize (c, d, levels, v, units, zero (), sums, quantizer, true,     \
          false);                                                             \
    else                                                                      \
      requantize (c, d, NULL, v, units, zero (), sums, quantizer, false,      \
          false);                                                             \
  }
REQUANTIZE (requantize_product, BDCT_TILE16_PRODUCT)
REQUANTIZE (requantize_rounded, BDCT_TILE16_ROUNDED)
REQUANTIZE (requantize_wide, BDCT_TILE16_WIDE)
REQUANTIZE (requantize_jpeg, BDCT_TILE16_JPEG)
REQUANTIZE (requantize_jpeg_wide, BDCT_TILE16_JPEG_WIDE)
REQUANTIZE (requantize_given, BDCT_TILE16_GIVEN)
REQUANTIZE (requantize_given_jpeg, BDCT_TILE16_GIVEN_JPEG)
REQUANTIZE (requantize_given_jpeg_wide, BDCT_TILE16_GIVEN_JPEG_WIDE)

typedef void (*Requantizer) (const BdctTile16 * c, V * d, V * levels,
    const V * v, int units, const V * mask, Sums * sums);

static const Requantizer requantizers[] = {
  [BDCT_TILE16_PRODUCT] = requantize_product,
  [BDCT_TILE16_ROUNDED] = requantize_rounded,
  [BDCT_TILE16_WIDE] = requantize_wide,
  [BDCT_TILE16_JPEG] = requantize_jpeg,
  [BDCT_TILE16_JPEG_WIDE] = requantize_jpeg_wide,
  [BDCT_TILE16_GIVEN] = requantize_given,
  [BDCT_TILE16_GIVEN_JPEG] = requantize_given_jpeg,
  [BDCT_TILE16_GIVEN_JPEG_WIDE] = requantize_given_jpeg_wide,
};

#endif
