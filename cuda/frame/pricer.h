/* blockdct: prices the symbols of frames on a thread beside the caller's.
 *
 * Frames that were started together are collected one after the other.
 * Meanwhile the thread prices those that follow, which takes as long as the
 * rest of collecting.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PRICER_H
#define BDCT_PRICER_H

#include "dct/entropy/rate.h"

typedef struct BdctPricer BdctPricer;

/* The arguments of bdct_rate_price(), and its result. */
typedef struct BdctPrice {
  const BdctRateCounts *counts;
  const BdctLayout *layout;
  const BdctJob *job;
  BdctStats stats;              /* only what it sets */
  /* The pricer's: */
  enum {
    BDCT_PRICE_NONE, BDCT_PRICE_WAITS, BDCT_PRICE_AT_WORK, BDCT_PRICE_DONE
  } state;
  struct BdctPrice *next;
} BdctPrice;

/* Create a pricer. NULL if memory is short. */
BdctPricer *bdct_pricer_new (void);

/* Free it when it has no more work; NULL does nothing. */
void bdct_pricer_free (BdctPricer *pricer);

/* Begin to price if the thread runs; the price and what it points to must
 * stay valid until bdct_pricer_take(). */
void bdct_pricer_add (BdctPricer *pricer, BdctPrice *price);

/* Wait for a price. Returns false if the thread has not begun it, and then
 * never will. */
bool bdct_pricer_take (BdctPricer *pricer, BdctPrice *price);

#endif
