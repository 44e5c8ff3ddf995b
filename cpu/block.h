/* blockdct: one block, with all that happens to it on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_BLOCK_H
#define BDCT_BLOCK_H

#include <blockdct/engine.h>
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Compute all of a block but its place from `sample` (each 0 to 2^depth - 1, a
 * whole block with the picture's edge repeated), as the CPU engine does.
 * dct-8x8 is in single precision, from which the tensor cores' picture may
 * differ by a rounding. */
void bdct_block_run (BdctBlock *block, const BdctJob *job,
    BdctComponent component);

/** bdct_block_inspect(), of a layout and a frame that are there. */
int bdct_cpu_inspect (const BdctLayout *layout, const BdctFrame *frame, int x,
    int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
