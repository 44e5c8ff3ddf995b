/* blockdct: the lesser of two integers, for C and CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_MIN_H
#define BDCT_MIN_H

#include "compiler.h"

BDCT_FORCE_INLINE int
bdct_min (int a, int b)
{
  return a < b ? a : b;
}

#endif
