/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "history.h"

void
bdct_history_init (BdctHistory * history, unsigned n)
{
  *history = (BdctHistory) {.n = n };
}

void
bdct_history_enter (BdctHistory * history, uint64_t number,
    BdctHistoryUse * use)
{
  const unsigned own = number % history->n;

  use->needed = true;
  use->own = own;
  use->copied = !history->place[own].valid
      || history->place[own].number != number;
  history->place[own].valid = true;
  history->place[own].number = number;
  for (unsigned i = 0; i <= BDCT_HISTORY_FRAMES; i++) {
    const unsigned at = (number - i) % history->n;

    use->of[i] = i <= number && history->place[at].valid
        && history->place[at].number == number - i ? (int) at : -1;
  }
}

void
bdct_history_forget (BdctHistory * history, const BdctHistoryUse * use)
{
  if (use->copied)
    history->place[use->own].valid = false;
}
