/* blockdct: copies between host memories, by several threads.
 *
 * Frames in memory that the GPU cannot reach by itself go through memory that
 * it can; that copy is the slowest stage of such a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COPIER_H
#define BDCT_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dct/base/layout.h"

typedef struct BdctCopier BdctCopier;

/* Rows to copy: one plane. Strides may have any sign. */
typedef struct {
  BdctSamples to, from;
  size_t row; /* bytes of a row */
  int rows;
} BdctCopy;

/* Called on the calling thread when `rows` rows of a copy, from row `first`
 * on, are complete; in order, each row once. */
typedef void (*BdctCopied) (void *data, int copy, int first, int rows);

/* Create a copier with this many threads, including the caller's; 0: one
 * per processor, at most 4. NULL if memory is short. The threads start when
 * a copy is large enough to gain by them. */
BdctCopier *bdct_copier_new (unsigned threads);
void bdct_copier_free (BdctCopier *copier);

/* Make `n` copies; `copied` may be NULL. Returns when all are made. One thread
 * at a time. */
void bdct_copier_run (BdctCopier *copier, const BdctCopy *copies, int n,
    BdctCopied copied, void *data);

#endif
