/* blockdct: the statistics of frames, and figures derived from them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_STATS_H
#define BDCT_STATS_H

#include <blockdct/statistics.h>

/* Add `b` to `a`. Begin with `a` as a copy of the first frame's. */
void bdct_stats_add (BdctStats *a, const BdctStats *b);

static inline BdctCounters
bdct_stats_total (const BdctStats *stats)
{
  return bdct_counters_sum (stats->component);
}

#endif
