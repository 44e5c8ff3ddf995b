/* blockdct: what the bins of blocks cost in fixed states: the price of
 * bdct_cabac_walk()'s bins, to the last bit, from tables.
 *
 * In fixed states, the cost of a sub-block's significance flags is a sum over
 * its places, and so on: a walk over its bins is not needed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_PRICES_H
#define BDCT_CABAC_PRICES_H

#include "cabac.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BDCT_CABAC_SMALL 64

/* The prices of a sub-block's significance flags, in the order of the scan,
 * and of its signs: that of zeros at the first n places, what a nibble of
 * other levels adds and, in [1], the flag that place 0 lacks if it alone has
 * a level. */
typedef struct {
  uint32_t zeros[17], some[4][16], inferred[2];
} BdctCabacSignificance;

/* The prices of all parts of blocks of one size, in 2^-15 bit. */
typedef struct {
  uint32_t coded[2];            /* the coded block flag */
  uint32_t sub_block[2][2];     /* by whether a neighbour has levels */
  BdctCabacSignificance significance[2][4]; /* of sub-block (0, 0) in [1];
                                     right + 2 below */
  uint32_t last[2][32];         /* along x; along y with the level's sign */
  /* By set of contexts; `set` is the first of sub-blocks other than (0, 0). */
  int set;
  uint32_t flags[4][17][3];     /* so many levels of 1, then none, or one of
                                     2, or one above; 8 have flags */
  uint32_t more[4][2];          /* a flag behind a level above 1 */
  /* Bypass bins of the remainder of a small magnitude above 0, 1 or 2; 0 if
   * the magnitude is not above that. */
  uint8_t remainder[3][5][BDCT_CABAC_SMALL];
  /* Lower bounds: of a block with levels, of each level, and of a level with
   * a flag. */
  uint32_t least_block, least_level, least_flag;
  /* The order of sub-blocks, which are numbered 8 y + x. */
  uint8_t number[64], order[64];
  uint64_t before[64];          /* those with a flag of their own if the last
                                     level is in the one at this place */
} BdctCabacPrices;

/* Set the prices for blocks of side 2^log2_size. */
void bdct_cabac_prices_init (BdctCabacPrices *prices,
    const BdctCabacCosts *costs, int log2_size, bool chroma);

/* The least cost of a block with this number of levels that are not 0;
 * exact if it has none. */
BDCT_FORCE_INLINE uint32_t
bdct_cabac_prices_least (const BdctCabacPrices *prices, uint32_t nonzero)
{
  return nonzero == 0 ? prices->coded[0] : prices->least_block
      + (nonzero - 1) * prices->least_level
      + (nonzero < 8 ? nonzero : 8) * prices->least_flag;
}

/* The cost of a last level's position along x (axis 0) or y. */
uint32_t bdct_cabac_last_price (const BdctCabacCosts *costs, int log2_size,
    bool chroma, int axis, int position);

/* Price consecutive blocks, bypass bins included. Records say whether blocks
 * have levels. */
typedef void (*BdctCabacPriceFunc) (const BdctCabacPrices *prices,
    const BdctLevel *levels, const BdctBlockRecord *records, int n_blocks,
    int log2_size, uint32_t *rates);

#ifdef __cplusplus
}
#endif

#endif
