/* blockdct: the self-check cache: results of self-checks, for the process and,
 * in the user's cache folder, for later processes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SELFCHECK_CACHE_H
#define BDCT_SELFCHECK_CACHE_H

#include <stdbool.h>

/* The subject of a check: kernel, GPU, driver and version, in one line. */
typedef struct {
  char text[480];
} BdctChecked;

typedef enum {
  BDCT_VERDICT_NONE,
  BDCT_VERDICT_AGREES,
  BDCT_VERDICT_DIFFERS,
} BdctVerdict;

/* Find an earlier result. Thread-safe. */
BdctVerdict bdct_selfcheck_cache_find (const BdctChecked *what);

/* Store a result. Where the folder is missing or not writable, it is stored
 * for the process alone. */
void bdct_selfcheck_cache_store (const BdctChecked *what, BdctVerdict verdict);

#endif
