/* blockdct: the library's second verb: pictures that somebody else made are
 * compared with a reference, and shown beside it.
 *
 * What becomes of a comparison is what becomes of a frame (engine.h) whose
 * reconstruction is given: errors and metrics; and a view of two pictures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COMPARISON_H
#define BDCT_COMPARISON_H

#include <blockdct/engine.h>
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "dct/picture/view.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Picture `i` of a comparison: -1 is the reference. */
static inline const BdctPicture *
bdct_comparison_picture (const BdctComparison *comparison, int i)
{
  return i < 0 ? &comparison->reference : &comparison->distorted[i];
}

/** Whether a comparison is as described, for an engine's layout: what all
 * engines ask for. */
bool bdct_comparison_check (const BdctComparison *comparison,
    const BdctLayout *layout, BdctError *error);

/** The job whose blocks stand for those that nobody knows: 8 x 8, which the
 * error map colours and PSNR-B looks at. */
void bdct_comparison_job (BdctJob *job, const BdctLayout *layout);

/** A picture as an image of the engine's layout, as far as its planes lie as
 * there: one in another place is the same plane. The others have no data, and
 * are to be packed. True if there are such. */
bool bdct_picture_arrange (const BdctPicture *picture,
    const BdctLayout *layout, BdctImage *image);

/** A component in memory. */
typedef struct {
  BdctSamples samples;
  int32_t step;  /**< samples from one to the next */
  int32_t shift; /**< as in BdctPlaneLayout */
} BdctScattered;

/** Find a component of a picture. */
BdctScattered bdct_picture_component (const BdctPicture *picture,
    const BdctLayout *layout, BdctComponent component);

#ifdef __cplusplus
}
#endif
#endif
