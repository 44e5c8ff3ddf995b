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

#include <stdbool.h>
#include "dct/base/layout.h"
#include "dct/base/stats.h"
#include "dct/picture/view.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Pictures that are compared with the reference at a time. */
#define BDCT_MAX_DISTORTED 3

/** A picture of a comparison: an image in a layout of its own. Size, chroma
 * format and depth are those of the engine's layout. How components lie in
 * planes may differ (NV12 beside I420 or YV12, P010 beside I420_10LE); how R,
 * G and B lie in pixels may not. */
typedef struct {
  BdctImage image;
  const BdctLayout *layout; /**< NULL: the engine's. Copied in compare() */
} BdctPicture;

/** Pictures to compare, and what is wanted of them. What it points to belongs
 * to the caller; the memory of all images must stay until collect(), the rest
 * is copied. */
typedef struct {
  BdctPicture reference;
  BdctPicture distorted[BDCT_MAX_DISTORTED];
  int n_distorted;          /**< 1 to BDCT_MAX_DISTORTED */
  bool errors;              /**< squared errors of each component of each
                                 distorted picture in its statistics, and those
                                 of R, G and B; without, they are 0 */
  unsigned metrics;         /**< of each distorted picture: bits
                                 1 << BdctMetric */
  int frame_rate;           /**< for XPSNR, as in BdctFrame, ... */
  uint64_t number;          /**< ... and which of the stream the reference is */
  /** What is drawn on `dst`, a mode that two pictures have, without the grid;
   * NULL: nothing. */
  const BdctView *view;
  int left, right;          /**< which pictures it shows: -1 is the reference,
                                 else the index of a distorted one. The maps
                                 are of `right` against `left` */
  BdctImage dst;            /**< in the engine's layout; overlaps no picture.
                                 Unused without a view */
  void *wait[2 + BDCT_MAX_DISTORTED]; /**< as in BdctFrame */
} BdctComparison;

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
