/* blockdct: the price of blocks' bins on the CPU engine (cabac-prices.h), built
 * once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_PRICE_H
#define BDCT_CABAC_PRICE_H

#include "dct/entropy/cabac-prices.h"

extern const BdctCabacPriceFunc bdct_cabac_price_baseline,
    bdct_cabac_price_sse41, bdct_cabac_price_avx2, bdct_cabac_price_avx512;

#endif
