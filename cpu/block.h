/* blockdct: one block, at every step of its way.
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

/* Compute all of a block except its position from `sample` (each 0 to
 * 2^depth - 1, a whole block with the picture's edge repeated), as the CPU
 * engine does. dct-8x8 is in single precision; the tensor cores' picture may
 * differ from it by a rounding. */
void bdct_block_run (BdctBlock *block, const BdctJob *job,
    BdctComponent component);

/* bdct_block_inspect(), with a layout and a frame that are not NULL. */
int bdct_cpu_inspect (const BdctLayout *layout, const BdctFrame *frame, int x,
    int y, BdctBlock block[BDCT_MAX_COMPONENTS], BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
