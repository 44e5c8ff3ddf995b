/* blockdct: H.265's scaling lists, default and from files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_SCALING_LISTS_H
#define BDCT_SCALING_LISTS_H

#include <blockdct/transform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there are lists. */
static inline bool
bdct_scaling_is_set (const BdctScalingLists *lists)
{
  return lists->dc[0][0] != 0;
}

/* ITU-T H.265 Tables 7-5 and 7-6, intra. */
extern const BdctScalingLists bdct_scaling_default;

#ifdef __cplusplus
}
#endif
#endif
