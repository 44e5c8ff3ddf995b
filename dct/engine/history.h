/* blockdct: the luma of earlier frames, which metrics over time read: which
 * place of a ring has which frame. The engines own the samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HISTORY_H
#define BDCT_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* The maximum number of earlier frames whose luma a frame reads. */
#define BDCT_HISTORY_FRAMES 2

/* Places of the ring besides one for each frame in flight: for a frame that
 * is shown again, and for those before it. */
#define BDCT_HISTORY_EXTRA (1 + BDCT_HISTORY_FRAMES)

/* The maximum number of places, with BDCT_MAX_DEPTH (engine.h) frames in
 * flight. */
#define BDCT_HISTORY_MAX (64 + BDCT_HISTORY_EXTRA)

/* Places are taken in turn, whatever the frames' numbers: so none is
 * overwritten while a frame in flight reads it. */
typedef struct {
  unsigned n;    /* places in use: depth + BDCT_HISTORY_EXTRA */
  unsigned next; /* the place that is taken next */
  struct
  {
    bool valid;
    uint64_t number; /* of the frame whose luma is here */
  } place[BDCT_HISTORY_MAX];
} BdctHistory;

/* What a frame does with it. */
typedef struct {
  bool needed; /* a metric reads it */
  bool copied; /* the frame's luma is copied to `own` */
  int own;
  int of[1 + BDCT_HISTORY_FRAMES]; /* places of the frame itself and of those
                                        before it; -1: not there */
} BdctHistoryUse;

/* Forget all frames. `n`: places, 1 + BDCT_HISTORY_EXTRA to
 * BDCT_HISTORY_MAX. */
void bdct_history_init (BdctHistory *history, unsigned n);

/* Remove the entry of a frame that does not start. */
void bdct_history_forget (BdctHistory *history, const BdctHistoryUse *use);

/* Enter frame `number`. If it is already there, as when it comes again for
 * other jobs, its luma is not copied again. The ring has the last 1 +
 * BDCT_HISTORY_EXTRA frames that were copied, at any depth; at depth 1, one
 * less after a frame that did not start. */
void bdct_history_enter (BdctHistory *history, uint64_t number,
    BdctHistoryUse *use);

#endif
