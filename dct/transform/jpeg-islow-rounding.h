/* blockdct: where jpeg-8x8 rounds, bit for bit as libjpeg's islow method does.
 *
 * Each of the four passes rounds half up, by the shift below. The quantizer
 * rounds half away from zero: level = sign(c) ((|c| + 4q) / 8q), where 8 is the
 * scale of the forward transform (jcdctmgr.c). Its forms for speed:
 *     dct/quantizer/quantize.h     BDCT_NAME (quantize)
 *     cpu/simd/tile16-tables.c     init_jpeg(), init_jpeg_wide()
 *     cuda/scalar/scalar.cuh       quantize_magnitude()
 *     cuda/tensor/unit.cuh         Steps; above 8 bits jpeg10.cuh, WideSteps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_JPEG_ISLOW_ROUNDING_H
#define BDCT_JPEG_ISLOW_ROUNDING_H

#include "dct/base/compiler.h"

/* The shift of a pass at a depth: forward rows, forward columns (jfdctint.c),
 * inverse columns, inverse rows (jidctint.c). CONST_BITS is 13. */
BDCT_CONSTANT_INLINE int
bdct_jpeg_islow_shift (int pass, int depth)
{
  const int pass1_bits = depth > 8 ? 1 : 2;

  return pass == 1 ? 13 + pass1_bits : pass == 3 ? 13 + pass1_bits + 3
      : 13 - pass1_bits;
}

#endif
