/* blockdct: the library's second verb: compares pictures of any origin with a
 * reference, and shows both.
 *
 * A comparison goes the way of a frame (engine.h) whose reconstruction is
 * given: errors and metrics, and a view of two pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPARE_H
#define BDCT_COMPARE_H

#include <blockdct/engine.h>
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "dct/picture/view.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Picture `i` of a comparison: -1 is the reference. */
static inline const BdctPicture *
bdct_comparison_picture (const BdctComparison *comparison, int i)
{
  return i < 0 ? &comparison->reference : &comparison->distorted[i];
}

/* Check a comparison for an engine's layout, on behalf of all engines. */
bool bdct_comparison_check (const BdctComparison *comparison,
    const BdctLayout *layout, BdctError *error);

/* The job whose 8 x 8 blocks stand for the unknown blocks of a compared
 * picture: the error map colours them. */
void bdct_comparison_job (BdctJob *job, const BdctLayout *layout);

/* Describe a picture as an image of the engine's layout, with those planes
 * that already have its arrangement, in any order. The other planes have no
 * data, and are to be packed. Returns true if there are any. */
bool bdct_picture_arrange (const BdctPicture *picture,
    const BdctLayout *layout, BdctImage *image);

/* A component in memory. */
typedef struct {
  BdctSamples samples;
  int32_t step;  /* samples from one to the next */
  int32_t shift; /* as in BdctPlaneLayout */
} BdctScattered;

/* Find a component of a picture. */
BdctScattered bdct_picture_component (const BdctPicture *picture,
    const BdctLayout *layout, BdctComponent component);

#ifdef __cplusplus
}
#endif
#endif
