/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "matrices.h"

#include <math.h>

/* libjpeg's islow flow graph (Loeffler, Ligtenberg, Moschytz 1989, with the
 * constants scaled by 2^13 and rounded) rounds nothing within a pass, so a pass
 * is a product with this matrix: each entry is the sum of the rounded constants
 * on its paths, which is why 10703 and 10704 differ. Left half; column 7 - n
 * is column n, with the sign changed in odd rows. */
static const int16_t islow[8][4] = {
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
static const int8_t dst4[4][4] = {
  {29, 55, 74, 84},
  {74, 74, 0, -74},
  {84, -29, -74, 55},
  {55, -84, 74, -29},
};

/* H.265 clause 8.6.4.2: column 0 of the 32x32 transMatrix. Entry (k, n) is the
 * one that stands for the cosine of (2n + 1) k pi / 64 in this column, and the
 * smaller matrices are its rows 32 / N apart. */
static const int8_t hevc_column[32] = {
  64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67,
  64, 61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9, 4,
};

static int
hevc_entry (int k, int n)
{
  int angle = (2 * n + 1) * k % 128;    /* in units of pi / 64 */

  if (angle > 64)
    angle = 128 - angle;
  return angle < 32 ? hevc_column[angle] : -hevc_column[64 - angle];
}

void
bdct_matrix_int (BdctMatrix matrix, int32_t * out)
{
  int size = 1 << bdct_matrix_log2_size (matrix);

  for (int k = 0; k < size; k++)
    for (int n = 0; n < size; n++) {
      int32_t m;

      if (matrix == BDCT_MATRIX_ISLOW_8)
        m = n < 4 ? islow[k][n] : (k & 1 ? -1 : 1) * islow[k][7 - n];
      else if (matrix == BDCT_MATRIX_DST_4)
        m = dst4[k][n];
      else
        m = hevc_entry (k * (32 / size), n);
      out[k * size + n] = m;
    }
}

void
bdct_matrix_real (float *out)
{
  for (int k = 0; k < 8; k++)
    for (int n = 0; n < 8; n++) {
      double m = (k ? sqrt (2.0) : 1.0) * cos ((2 * n + 1) * k * M_PI / 16);

      out[k * 8 + n] = k % 4 == 0 ? (float) round (m) : (float) m;
    }
}
