/* blockdct: what the self-check found, remembered for the process and, in the
 * user's cache folder, for the next.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SELFCHECK_CACHE_H
#define BDCT_SELFCHECK_CACHE_H

#include <stdbool.h>

/** What was checked, and on what, in one line. */
typedef struct {
  char text[480];
} BdctChecked;

typedef enum {
  BDCT_VERDICT_NONE,
  BDCT_VERDICT_AGREES,
  BDCT_VERDICT_DIFFERS,
} BdctVerdict;

/** What was found before; from any thread. */
BdctVerdict bdct_selfcheck_cache_find (const BdctChecked *what);

/** Remember it. Where there is no such folder, or it cannot be written to, for
 * the process alone. */
void bdct_selfcheck_cache_store (const BdctChecked *what, BdctVerdict verdict);

#endif
