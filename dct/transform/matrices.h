/* blockdct: the entries of the bases' matrices.
 *
 * In C++ they are known at compile time, so that kernels have the matrices as
 * initialized constant memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_MATRICES_H
#define BDCT_MATRICES_H

#include "dct/base/compiler.h"
#include "transform.h"

/* libjpeg's islow flow graph (Loeffler, Ligtenberg, Moschytz 1989, with the
 * constants scaled by 2^13 and rounded) rounds nothing within a pass, so a pass
 * is a product with this matrix. Each entry is the sum of the rounded constants
 * on its paths; hence 10703 and 10704 differ. This is the left half; column 7 -
 * n is column n with the sign changed in odd rows. */
BDCT_CONSTANT_TABLE int16_t bdct_islow_8[8][4] = {
  {8192, 8192, 8192, 8192},
  {11363, 9633, 6437, 2260},
  {10703, 4433, -4433, -10703},
  {9633, -2259, -11362, -6436},
  {8192, -8192, -8192, 8192},
  {6437, -11362, 2261, 9633},
  {4433, -10704, 10704, -4433},
  {2260, -6436, 9633, -11363},
};

/* H.265 clause 8.6.4.2, transMatrix for DST (8-307). */
BDCT_CONSTANT_TABLE int8_t bdct_dst_4[4][4] = {
  {29, 55, 74, 84},
  {74, 74, 0, -74},
  {84, -29, -74, 55},
  {55, -84, 74, -29},
};

/* H.265 clause 8.6.4.2: column 0 of the 32x32 transMatrix. Entry (k, n) of the
 * N x N matrix is the value of this column that stands for the cosine of (2n +
 * 1) k pi / 2N, so the smaller matrices use every (32 / N)-th value. */
BDCT_CONSTANT_TABLE int8_t bdct_hevc_32[32] = {
  64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67,
  64, 61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9, 4,
};

/* H.266 clause 8.7.4: likewise, column 0 of the 64x64 transMatrix, whose even
 * rows are H.265's. */
BDCT_CONSTANT_TABLE int8_t bdct_vvc_64[64] = {
  64, 91, 90, 90, 90, 90, 90, 90, 89, 88, 88, 87, 87, 86, 85, 84,
  83, 83, 82, 81, 80, 79, 78, 77, 75, 73, 73, 71, 70, 69, 67, 65,
  64, 62, 61, 59, 57, 56, 54, 52, 50, 48, 46, 44, 43, 41, 38, 37,
  36, 33, 31, 28, 25, 24, 22, 20, 18, 15, 13, 11, 9, 7, 4, 2,
};

/* sqrt (2) cos (k pi / 16), which gives sqrt (8) times the orthonormal 8x8
 * DCT-II. Rows 0 and 4 are whole numbers, as sqrt (2) cos (pi / 4) is 1. */
BDCT_CONSTANT_TABLE double bdct_dct8x8_row[8] = {
  1, 1.3870398453221475, 1.3065629648763766, 1.1758756024193588, 1,
  0.78569495838710213, 0.54119610014619701, 0.27589937928294306,
};

/* The cosine of `angle`, in units of pi / 2n. `column` has the cosines of the
 * angles up to pi / 2, `step` entries apart. */
#define BDCT_COSINE(column, step, n, angle)                                   \
  ((angle) % (4 * (n)) < (n) ? (column)[(angle) % (4 * (n)) * (step)]         \
      : (angle) % (4 * (n)) == (n) || (angle) % (4 * (n)) == 3 * (n) ? 0      \
      : (angle) % (4 * (n)) < 2 * (n)                                         \
      ? -(column)[(2 * (n) - (angle) % (4 * (n))) * (step)]                   \
      : (angle) % (4 * (n)) < 3 * (n)                                         \
      ? -(column)[((angle) % (4 * (n)) - 2 * (n)) * (step)]                   \
      : (column)[(4 * (n) - (angle) % (4 * (n))) * (step)])

/* Entry (k, n), frequency k and sample n, of an integer basis; 0 for other
 * bases. */
BDCT_CONSTANT_INLINE int32_t
bdct_matrix_int (BdctBasis basis, int k, int n)
{
  switch (basis) {
    case BDCT_BASIS_ISLOW_8:
      return n < 4 ? bdct_islow_8[k][n]
          : k & 1 ? -bdct_islow_8[k][7 - n] : bdct_islow_8[k][7 - n];
    case BDCT_BASIS_DST_4:
      return bdct_dst_4[k][n];
    case BDCT_BASIS_HEVC_4:
      return BDCT_COSINE (bdct_hevc_32, 8, 4, (2 * n + 1) * k);
    case BDCT_BASIS_HEVC_8:
      return BDCT_COSINE (bdct_hevc_32, 4, 8, (2 * n + 1) * k);
    case BDCT_BASIS_HEVC_16:
      return BDCT_COSINE (bdct_hevc_32, 2, 16, (2 * n + 1) * k);
    case BDCT_BASIS_HEVC_32:
      return BDCT_COSINE (bdct_hevc_32, 1, 32, (2 * n + 1) * k);
    case BDCT_BASIS_VVC_64:
      return BDCT_COSINE (bdct_vvc_64, 1, 64, (2 * n + 1) * k);
    default:
      return 0;
  }
}

/* Entry (k, n) of BDCT_BASIS_DCT8X8. */
BDCT_CONSTANT_INLINE float
bdct_matrix_dct8x8 (int k, int n)
{
  return (float) BDCT_COSINE (bdct_dct8x8_row, 1, 8, (2 * n + 1) * k);
}

#endif
