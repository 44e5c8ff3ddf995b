/* blockdct: the levels of all blocks of a frame in memory, as callers give and
 * get them (engine.h). Not read by the engines' own stages, which have rate.h.
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

/** The number of levels of a frame's blocks. Sets `first`, unless it is NULL,
 * to each component's first one; components follow each other, Y first.
 *
 * Of a component the blocks follow each other by number
 * (dct/quantizer/block-grid.h), each with its levels as rate.h has them; those
 * of a tree are where bdct_quadtree_level() says. */
size_t bdct_count_levels (const BdctLayout *layout, const BdctJob *job,
    size_t first[BDCT_MAX_COMPONENTS]);

#ifdef __cplusplus
}
#endif
#endif
