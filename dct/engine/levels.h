/* blockdct: the levels of all blocks of a frame in the caller's memory
 * (engine.h). The engines' own stages have their own arrangement (rate.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LEVELS_H
#define BDCT_LEVELS_H

#include "dct/base/layout.h"
#include "dct/quantizer/job.h"
#include "dct/entropy/rate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of levels of a frame. Sets `first`, unless it is NULL, to the
 * index of each component's first level; components follow each other, Y first.
 *
 * The blocks of a component follow each other by number
 * (dct/quantizer/block-grid.h), with the levels of each as in rate.h;
 * bdct_quadtree_level() has the places of a tree's levels. */
size_t bdct_count_levels (const BdctLayout *layout, const BdctJob *job,
    size_t first[BDCT_MAX_COMPONENTS]);

#ifdef __cplusplus
}
#endif
#endif
