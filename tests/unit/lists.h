/* blockdct tests: scaling lists.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_LISTS_H
#define TESTS_LISTS_H

#include <stdint.h>
#include "dct/quantizer/job.h"

/* Set the parameters' own scaling lists: any, or near to flat, or the least or
 * the largest entries in turn, by the seed. */
void random_lists (BdctParams *params, uint32_t seed);

#endif
