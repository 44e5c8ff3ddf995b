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

#include <pthread.h>
#include "dct/entropy/rate.h"

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

typedef struct {
  pthread_t thread;
  bool started, refused;        /* refused: there is no thread */
  pthread_mutex_t lock;
  pthread_cond_t work, done;

  /* Protected by the lock. */
  bool quit;
  BdctPrice *first, **end;      /* those that wait */
} BdctPricer;

void bdct_pricer_init (BdctPricer *pricer);

/* Nothing is at work any more. */
void bdct_pricer_clear (BdctPricer *pricer);

/* Begin to price if the thread runs; the price and what it points to must
 * stay valid until bdct_pricer_take(). */
void bdct_pricer_add (BdctPricer *pricer, BdctPrice *price);

/* Wait for a price. Returns false if the thread has not begun it, and then
 * never will. */
bool bdct_pricer_take (BdctPricer *pricer, BdctPrice *price);

#endif
