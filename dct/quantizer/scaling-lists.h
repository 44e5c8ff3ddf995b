/* blockdct: H.265's scaling lists, the default ones and those of files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SCALING_H
#define BDCT_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dct/base/error.h"
#include "dct/base/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What an entry may be; 16 is flat. H.265 allows 1, too: from 4 on all
 * products are within 32 bits (dct/quantizer/quantize.h). */
#define BDCT_MIN_FACTOR 4
#define BDCT_MAX_FACTOR 255

/** What the factors of a block follow from: those of sides 4, 8, 16 and 32. */
enum { BDCT_N_SCALING_SIZES = 4 };

/** The factors of intra blocks, of each component: entry 8 v + u for vertical
 * frequency v and horizontal frequency u of blocks of 4 or 8, replicated by 2
 * and 4 for 16 and 32, whose frequency (0, 0) has `dc` instead. All of it 0:
 * there are none. `name` is what the caller knows the file by, and is looked at
 * by nobody else. */
typedef struct {
  uint32_t name;
  uint8_t factor[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS][64];
  uint8_t dc[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS];
} BdctScalingLists;

/** Whether there are any. */
static inline bool
bdct_scaling_is_set (const BdctScalingLists *lists)
{
  return lists->dc[0][0] != 0;
}

/** ITU-T H.265 Tables 7-5 and 7-6, intra. */
extern const BdctScalingLists bdct_scaling_default;

/** Read lists from the text that HM's ScalingListFile and x265's scaling-list
 * take. A line that begins with a list's name, whatever else stands on it,
 * begins the list: INTRA4X4_LUMA, INTRA8X8_CHROMAU and so on, of 16 or 64
 * numbers from BDCT_MIN_FACTOR to BDCT_MAX_FACTOR, row-major, between white
 * space or commas; and INTRA16X16_LUMA_DC and so on, of one. # begins a
 * comment. All INTRA lists have to be there, but those of chroma at 32x32,
 * which only 4:4:4 has: these are 16x16's (H.265 7.3.4, ChromaArrayType 3), as
 * in HM. They and the INTER lists may be there, and are then checked and not
 * used. False, with the line and the value or the list named, if it is not so;
 * `lists` is then untouched. Else all of it is set but the name. */
bool bdct_scaling_parse (const void *data, size_t size,
    BdctScalingLists *lists, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
