/* blockdct: read and write one sample in memory, in C and CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SAMPLE_H
#define BDCT_SAMPLE_H

#include <stdint.h>
#include "compiler.h"

/* Sample `i` of a row of samples of 1 or 2 bytes. A 2-byte sample has its
 * value in the bits from `shift` up, and a value above `peak` is read as `peak`
 * (layout.h). In CUDA the kernel must not write this image: the load is then
 * independent of all stores. */
BDCT_FORCE_INLINE int
bdct_sample_get (const uint8_t *row, int64_t i, int bytes, int shift, int peak)
{
  uint16_t word;
  int v;

#ifdef __CUDA_ARCH__
  if (bytes == 1)
    return __ldg (row + i);
  word = __ldg ((const uint16_t *) row + i);
#else
  if (bytes == 1)
    return row[i];
  __builtin_memcpy (&word, row + 2 * i, 2); /* any alignment */
#endif
  v = word >> shift;
  return v > peak ? peak : v;
}

BDCT_FORCE_INLINE void
bdct_sample_put (uint8_t *row, int64_t i, int bytes, int shift, int v)
{
  const uint16_t word = (uint16_t) (v << shift);

  if (bytes == 1)
    row[i] = (uint8_t) v;
#ifdef __CUDA_ARCH__
  else
    ((uint16_t *) row)[i] = word;
#else
  else
    __builtin_memcpy (row + 2 * i, &word, 2);
#endif
}

#endif
