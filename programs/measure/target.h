/* blockdct-measure: the setting that a file needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_TARGET_H
#define MEASURE_TARGET_H

#include "row.h"

G_BEGIN_DECLS

/** At most one is above 0. */
typedef struct
{
  gdouble psnr;                 /* dB, at least */
  gdouble ssim;                 /* at least */
  gdouble bpp;                  /* bits a luma sample, at most */
  gdouble size;                 /* bytes of the file, at most */
} MeasureTarget;

gboolean measure_target_is_set (const MeasureTarget * target);

/** Whether it can be said of these rows what keeps it: of a size, those of JPEG
 * files have to be exact. */
gboolean measure_target_check (const MeasureTarget * target,
    const GArray * rows, GError ** error);

/** Of each file's, format's and transform's rows the one to take: the coarsest
 * that has the PSNR or the SSIM, or the finest within the bits; if none has,
 * the nearest to it. Rows of frames are left out; the others lie together by
 * file, format and transform, as a run and measure_rows_merge() have them. */
GArray *measure_target_choose (const MeasureTarget * target,
    const GArray * rows);

G_END_DECLS
#endif
