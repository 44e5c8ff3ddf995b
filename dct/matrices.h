/* blockdct: the matrices of the one-dimensional transforms.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_MATRICES_H
#define BDCT_MATRICES_H

#include <stdint.h>
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Write an integer matrix of size N = 1 << bdct_matrix_log2_size (matrix):
 * out[k * N + n], k the frequency, n the sample. Not for BDCT_MATRIX_REAL_8. */
void bdct_matrix_int (BdctMatrix matrix, int32_t *out);

/** Write BDCT_MATRIX_REAL_8, sqrt(8) times the orthonormal DCT-II (whitepaper,
 * equation 1): out[k * 8 + n] = (k ? sqrt (2) : 1) cos ((2n + 1) k pi / 16).
 * Rows 0 and 4 are exactly 1 and -1. */
void bdct_matrix_real (float *out);

#ifdef __cplusplus
}
#endif
#endif
