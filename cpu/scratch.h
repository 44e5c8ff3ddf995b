/* blockdct: memory for what a kernel computes on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SCRATCH_H
#define BDCT_SCRATCH_H

/** The bytes of scratch memory, aligned to 64, that every kernel can be called
 * with. Threads have small stacks on some systems, and a kernel's arrays fill
 * most of it. The caller owns the memory; calls at the same time need one each,
 * and nothing in it lasts from one call to the next. */
#define BDCT_SCRATCH_SIZE (80 << 10)

/** Fail to compile if a kernel's own type does not fit. */
#define BDCT_SCRATCH_HOLDS(type)                                              \
  _Static_assert (sizeof (type) <= BDCT_SCRATCH_SIZE                          \
      && _Alignof (type) <= 64, "a kernel's scratch memory")

#endif
