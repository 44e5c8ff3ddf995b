/* blockdct: prices the symbols of frames on a thread beside the caller's.
 *
 * What came together is collected one frame after the other: meanwhile those
 * that follow are priced, which takes as long as the rest of collecting.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PRICER_H
#define BDCT_PRICER_H

#include "dct/entropy/rate.h"

typedef struct BdctPricer BdctPricer;

/** What bdct_rate_price() is given, and makes. */
typedef struct BdctPrice {
  const BdctRateCounts *counts;
  const BdctLayout *layout;
  const BdctJob *job;
  BdctFiles files;
  BdctStats stats;              /**< only what it sets */
  /* The pricer's: */
  enum {
    BDCT_PRICE_NONE, BDCT_PRICE_WAITS, BDCT_PRICE_AT_WORK, BDCT_PRICE_DONE
  } state;
  struct BdctPrice *next;
} BdctPrice;

/** NULL if there is no memory. */
BdctPricer *bdct_pricer_new (void);

/** Free it, with no price left in it; NULL is nothing. */
void bdct_pricer_free (BdctPricer *pricer);

/** Begin to price, if there is a thread for it; the price and what it points to
 * stay until bdct_pricer_take(). */
void bdct_pricer_add (BdctPricer *pricer, BdctPrice *price);

/** Wait for a price. Returns false if nobody has begun with it; then nobody
 * will. */
bool bdct_pricer_take (BdctPricer *pricer, BdctPrice *price);

#endif
