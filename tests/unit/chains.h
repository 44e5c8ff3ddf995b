/* The transforms that chains.def adds to the library's. Included before all
 * else in test-chains.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CHAINS_H
#define BDCT_CHAINS_H

#include <blockdct/transform.h>

enum {
  BDCT_TEST_4X8 = BDCT_N_TRANSFORMS,
  BDCT_TEST_8X4,
  BDCT_TEST_16X32,
  BDCT_TEST_32X4,
  BDCT_TEST_64X64,
  BDCT_TEST_64X64_ALL,
  BDCT_TEST_64X8,
  BDCT_TEST_4X64
};

#endif
