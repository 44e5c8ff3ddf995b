/* blockdct: a segment's bins in memory, between the kernels of cabac.cuh.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_STRINGS_H
#define BDCT_CABAC_STRINGS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of contexts that the blocks of a component use. */
#define BDCT_CABAC_STREAMS 48

/* The bins of a segment (dct/entropy/cabac.h), as a string of bits for each
 * context that a component with blocks of this size uses: a stream. */
typedef struct BdctCabacStrings {
  uint32_t bits[640];   /* a stream begins at a word, the first bin is the
                             lowest bit, and a 1 is behind the last one */
  uint16_t length[BDCT_CABAC_STREAMS]; /* bins */
  uint8_t exit[BDCT_CABAC_STREAMS]; /* the state after them, from the start,
                                         and 0x80; 0: not known yet */
} BdctCabacStrings;

/* The maximum number of contexts of a component with trees: luma's. */
#define BDCT_CABAC_TREE_STREAMS 83

/* The same for a segment of squares with trees (dct/rd/quadtree.h). */
typedef struct BdctCabacTreeStrings {
  uint32_t bits[2624];
  uint16_t length[BDCT_CABAC_TREE_STREAMS];
  uint8_t exit[BDCT_CABAC_TREE_STREAMS];
} BdctCabacTreeStrings;

#ifdef __cplusplus
}
#endif
#endif
