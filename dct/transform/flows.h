/* blockdct: one-dimensional transforms as straight-line code, for bases that
 * are not a matrix because they round inside. For the CPU's vectors of columns
 * and for CUDA.
 *
 * A basis ID of N samples, declared as a FLOW in transforms.def, has
 *     forward_ID (y, x)   N samples to N coefficients
 *     inverse_ID (y, x)   N coefficients to N samples
 * The includer defines BDCT_FLOW(name), the function's name for this value
 * type, and BDCT_VALUE and BDCT_INLINE as for butterflies.h, and may include
 * this file again after redefining them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* H.264 clause 8.5.12.2. The inverse halves two of the four basis functions;
 * the forward transform doubles them. */
BDCT_INLINE void
BDCT_FLOW (forward_H264_4) (BDCT_VALUE * y, const BDCT_VALUE * x)
{
  const BDCT_VALUE s03 = x[0] + x[3], d03 = x[0] - x[3];
  const BDCT_VALUE s12 = x[1] + x[2], d12 = x[1] - x[2];

  y[0] = s03 + s12;
  y[1] = 2 * d03 + d12;
  y[2] = s03 - s12;
  y[3] = d03 - 2 * d12;
}

BDCT_INLINE void
BDCT_FLOW (inverse_H264_4) (BDCT_VALUE * y, const BDCT_VALUE * x)
{
  const BDCT_VALUE s02 = x[0] + x[2], d02 = x[0] - x[2];
  const BDCT_VALUE s13 = x[1] + (x[3] >> 1), d13 = (x[1] >> 1) - x[3];

  y[0] = s02 + s13;
  y[1] = d02 + d13;
  y[2] = d02 - d13;
  y[3] = s02 - s13;
}

/* H.264 clause 8.5.13, and JM's and x264's forward transform, which shifts
 * where the inverse does. */
BDCT_INLINE void
BDCT_FLOW (forward_H264_8) (BDCT_VALUE * y, const BDCT_VALUE * x)
{
  const BDCT_VALUE s07 = x[0] + x[7], s16 = x[1] + x[6];
  const BDCT_VALUE s25 = x[2] + x[5], s34 = x[3] + x[4];
  const BDCT_VALUE d07 = x[0] - x[7], d16 = x[1] - x[6];
  const BDCT_VALUE d25 = x[2] - x[5], d34 = x[3] - x[4];
  const BDCT_VALUE a0 = s07 + s34, a1 = s16 + s25;
  const BDCT_VALUE a2 = s07 - s34, a3 = s16 - s25;
  const BDCT_VALUE a4 = d16 + d25 + d07 + (d07 >> 1);
  const BDCT_VALUE a5 = d07 - d34 - d25 - (d25 >> 1);
  const BDCT_VALUE a6 = d07 + d34 - d16 - (d16 >> 1);
  const BDCT_VALUE a7 = d16 - d25 + d34 + (d34 >> 1);

  y[0] = a0 + a1;
  y[1] = a4 + (a7 >> 2);
  y[2] = a2 + (a3 >> 1);
  y[3] = a5 + (a6 >> 2);
  y[4] = a0 - a1;
  y[5] = a6 - (a5 >> 2);
  y[6] = (a2 >> 1) - a3;
  y[7] = (a4 >> 2) - a7;
}

BDCT_INLINE void
BDCT_FLOW (inverse_H264_8) (BDCT_VALUE * y, const BDCT_VALUE * x)
{
  const BDCT_VALUE a0 = x[0] + x[4], a2 = x[0] - x[4];
  const BDCT_VALUE a4 = (x[2] >> 1) - x[6], a6 = x[2] + (x[6] >> 1);
  const BDCT_VALUE a1 = x[5] - x[3] - x[7] - (x[7] >> 1);
  const BDCT_VALUE a3 = x[1] + x[7] - x[3] - (x[3] >> 1);
  const BDCT_VALUE a5 = x[7] - x[1] + x[5] + (x[5] >> 1);
  const BDCT_VALUE a7 = x[3] + x[5] + x[1] + (x[1] >> 1);
  const BDCT_VALUE b0 = a0 + a6, b2 = a2 + a4, b4 = a2 - a4, b6 = a0 - a6;
  const BDCT_VALUE b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2);
  const BDCT_VALUE b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;

  y[0] = b0 + b7;
  y[1] = b2 + b5;
  y[2] = b4 + b3;
  y[3] = b6 + b1;
  y[4] = b6 - b1;
  y[5] = b4 - b3;
  y[6] = b2 - b5;
  y[7] = b0 - b7;
}
