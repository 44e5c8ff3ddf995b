/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine.h"

void
bdct_engine_count (const BdctLayout * layout, const BdctJob * job,
    BdctStats * stats)
{
  for (int p = 0; p < layout->n_planes; p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];

    for (int i = 0; i < plane->interleave; i++) {
      BdctComponent c = plane->component[i];
      uint64_t mask = ~(((uint64_t) 1 << job->component[c].log2_size) - 1);

      stats->component[c].samples = (uint64_t) plane->width * plane->height;
      stats->component[c].levels = ((plane->width + ~mask) & mask)
          * ((plane->height + ~mask) & mask);
    }
  }
}
