/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "history.h"

void
bdct_history_init (BdctHistory * history, unsigned n)
{
  *history = (BdctHistory) {.n = n };
}

/* The place of a frame's luma, or -1. Only the latest entries count: an
 * earlier place may be overwritten while the asking frame is in flight,
 * because each other frame in flight may enter one. */
static int
find (const BdctHistory * history, uint64_t number)
{
  for (unsigned i = 1; i <= 1 + BDCT_HISTORY_EXTRA; i++) {
    const unsigned at = (history->next + history->n - i) % history->n;

    if (history->place[at].valid && history->place[at].number == number)
      return (int) at;
  }
  return -1;
}

void
bdct_history_enter (BdctHistory * history, uint64_t number,
    BdctHistoryUse * use)
{
  use->needed = true;
  use->own = find (history, number);
  use->copied = use->own < 0;
  if (use->copied) {
    use->own = (int) history->next;
    history->next = (history->next + 1) % history->n;
    history->place[use->own].valid = true;
    history->place[use->own].number = number;
  }
  use->of[0] = use->own;
  for (unsigned i = 1; i <= BDCT_HISTORY_FRAMES; i++)
    use->of[i] = i <= number ? find (history, number - i) : -1;
}

void
bdct_history_forget (BdctHistory * history, const BdctHistoryUse * use)
{
  if (!use->copied)
    return;
  history->place[use->own].valid = false;
  if ((use->own + 1) % history->n == history->next)
    history->next = (unsigned) use->own;
}
