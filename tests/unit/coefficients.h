/* blockdct tests: coefficients that no picture leads to, of the transforms that
 * have a QP. HEVC's see at most +-28128 from samples; a decoder has to take any
 * 16-bit ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_COEFFICIENTS_H
#define TESTS_COEFFICIENTS_H

#include "cpu/simd/tile32.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quantizes, dequantizes and transforms back a tile of coefficients,
 * bdct_tile_side() a side, with component Y of a job. Returns the levels that
 * are not 0. */
typedef uint64_t (*Backward) (void *data, const BdctJob *job, int32_t *cells);

/* Run tiles of -32768, 32767 and random coefficients, at all QPs and depths,
 * through `backward` and through the definition. Returns how many differ; the
 * first of them is described in `error`. `n_tiles` counts them all. */
int coefficients_compare (BdctTransform transform, Backward backward,
    void *data, int *n_tiles, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
