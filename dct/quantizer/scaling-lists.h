/* blockdct: H.265's scaling lists, default and from files.
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

/** The range of an entry; 16 is flat. H.265 allows entries from 1 on; from 4 on
 * all products fit 32 bits (dct/quantizer/quantize.h). */
#define BDCT_MIN_FACTOR 4
#define BDCT_MAX_FACTOR 255

/** The number of sizes with factors of their own: sides 4, 8, 16 and 32. */
enum { BDCT_N_SCALING_SIZES = 4 };

/** The factors of intra blocks of each component. Entry 8 v + u is for vertical
 * frequency v and horizontal frequency u of blocks of side 4 or 8. It is
 * replicated by 2 for side 16 and by 4 for side 32, whose frequency (0, 0) has
 * `dc` instead. All 0: there are no lists. `name` is the caller's name for the
 * file; nothing here reads it. */
typedef struct {
  uint32_t name;
  uint8_t factor[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS][64];
  uint8_t dc[BDCT_N_SCALING_SIZES][BDCT_MAX_COMPONENTS];
} BdctScalingLists;

/** Whether there are lists. */
static inline bool
bdct_scaling_is_set (const BdctScalingLists *lists)
{
  return lists->dc[0][0] != 0;
}

/** ITU-T H.265 Tables 7-5 and 7-6, intra. */
extern const BdctScalingLists bdct_scaling_default;

/** Read lists from the text that HM's ScalingListFile and x265's scaling-list
 * take. A line that begins with a list's name begins that list; the rest of the
 * line is ignored. INTRA4X4_LUMA, INTRA8X8_CHROMAU and so on have 16 or 64
 * numbers from BDCT_MIN_FACTOR to BDCT_MAX_FACTOR, row-major, between white
 * space or commas; INTRA16X16_LUMA_DC and so on have one. # begins a comment.
 * All INTRA lists are required but chroma's of 32x32, which only 4:4:4 uses:
 * 16x16's stand for them (H.265 7.3.4, ChromaArrayType 3), as in HM. These and
 * the INTER lists are optional, are checked and are not used. Returns false,
 * naming the line and the value or list, if the text is wrong; `lists` is then
 * unchanged. Else sets all of `lists` but the name. */
bool bdct_scaling_parse (const void *data, size_t size,
    BdctScalingLists *lists, BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
