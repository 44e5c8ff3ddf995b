/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pricer.h"

#include <string.h>

/* Take a price out of those that wait. */
static void
take_out (BdctPricer * self, BdctPrice * price)
{
  BdctPrice **link = &self->first;

  while (*link != price)
    link = &(*link)->next;
  *link = price->next;
  if (self->end == &price->next)
    self->end = link;
}

static void *
work (void *data)
{
  BdctPricer *self = data;

  pthread_mutex_lock (&self->lock);
  while (!self->quit) {
    BdctPrice *price = self->first;

    if (price == NULL) {
      pthread_cond_wait (&self->work, &self->lock);
      continue;
    }
    take_out (self, price);
    price->state = BDCT_PRICE_AT_WORK;
    pthread_mutex_unlock (&self->lock);
    memset (&price->stats, 0, sizeof price->stats);
    bdct_rate_price (price->counts, price->layout, price->job, true,
        &price->stats);
    pthread_mutex_lock (&self->lock);
    price->state = BDCT_PRICE_DONE;
    pthread_cond_signal (&self->done);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

void
bdct_pricer_init (BdctPricer * self)
{
  self->end = &self->first;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->work, NULL);
  pthread_cond_init (&self->done, NULL);
}

void
bdct_pricer_clear (BdctPricer * self)
{
  if (self->started) {
    pthread_mutex_lock (&self->lock);
    self->quit = true;
    pthread_cond_signal (&self->work);
    pthread_mutex_unlock (&self->lock);
    pthread_join (self->thread, NULL);
  }
  pthread_cond_destroy (&self->done);
  pthread_cond_destroy (&self->work);
  pthread_mutex_destroy (&self->lock);
}

void
bdct_pricer_add (BdctPricer * self, BdctPrice * price)
{
  if (!self->started && !self->refused) {
    self->started = pthread_create (&self->thread, NULL, work, self) == 0;
    self->refused = !self->started;
  }
  if (self->refused)
    return;
  price->next = NULL;
  price->state = BDCT_PRICE_WAITS;
  pthread_mutex_lock (&self->lock);
  *self->end = price;
  self->end = &price->next;
  pthread_cond_signal (&self->work);
  pthread_mutex_unlock (&self->lock);
}

bool
bdct_pricer_take (BdctPricer * self, BdctPrice * price)
{
  bool priced;

  pthread_mutex_lock (&self->lock);
  priced = price->state > BDCT_PRICE_WAITS;
  if (price->state == BDCT_PRICE_WAITS)
    take_out (self, price);
  while (price->state == BDCT_PRICE_AT_WORK)
    pthread_cond_wait (&self->done, &self->lock);
  price->state = BDCT_PRICE_NONE;
  pthread_mutex_unlock (&self->lock);
  return priced;
}
