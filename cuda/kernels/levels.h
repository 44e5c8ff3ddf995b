/* blockdct: kernels on a frame's levels in memory (levels.cu).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CUDA_LEVELS_H
#define BDCT_CUDA_LEVELS_H

#include "cuda/launch/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kernels make from any levels. RECONSTRUCT reads the plane's
 * `from_levels`, in which U's come before V's, and makes the same as
 * BDCT_CUDA_STATISTICS, without errors if there is no `src`. The others read
 * `levels`: they count Huffman symbols, those of a stack by
 * picture, or draw the levels to `dst`. */
typedef enum
{
  BDCT_LEVELS_RECONSTRUCT,
  BDCT_LEVELS_RECONSTRUCT_JPEG, /* likewise, of jpeg-8x8 at a depth of 8 */
  BDCT_LEVELS_SYMBOLS,
  BDCT_LEVELS_DRAW,
} BdctLevelsKernel;

const BdctCudaKernel *bdct_levels_find (BdctLevelsKernel what);

#ifdef __cplusplus
}
#endif
#endif
