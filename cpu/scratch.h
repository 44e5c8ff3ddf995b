/* blockdct: memory for a kernel's intermediate results.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SCRATCH_H
#define BDCT_SCRATCH_H

/* The bytes of scratch memory, aligned to 64, that suffice for every
 * kernel. Some systems give threads small stacks, most of which a kernel's
 * arrays would fill. The caller owns the memory; concurrent calls need one
 * each, and nothing in it lasts from one call to the next. */
#define BDCT_SCRATCH_SIZE (80 << 10)

/* Fail to compile if a kernel's own type does not fit. */
#define BDCT_SCRATCH_HOLDS(type)                                              \
  _Static_assert (sizeof (type) <= BDCT_SCRATCH_SIZE                          \
      && _Alignof (type) <= 64, "a kernel's scratch memory")

#endif
