/* blockdct-measure: chooses the setting that meets targets for a file or a
 * collection.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_TARGET_H
#define MEASURE_TARGET_H

#include "row.h"

G_BEGIN_DECLS

/* The kinds of targets: the least quality, or the greatest size. */
typedef enum
{
  MEASURE_KEEP_PSNR,            /* dB */
  MEASURE_KEEP_SSIM,
  MEASURE_KEEP_BPP,             /* bits a luma sample */
  MEASURE_KEEP_SIZE,            /* bytes */
  MEASURE_N_KEEPS
} MeasureKeep;

/* The scope of a target: each file by itself; or all files together, by the
 * mean of their qualities or by a percentile, of which 0 is the minimum. */
#define MEASURE_EACH_FILE -2
#define MEASURE_MEAN -1

typedef struct
{
  gdouble limit[MEASURE_N_KEEPS];       /* above 0; else there is none */
  gint collection;              /* MEASURE_EACH_FILE, _MEAN or 0 to 99 */
} MeasureTarget;

/* The name after "--target-", and in the column target-missed, such as
 * "psnr". */
const gchar *measure_keep_name (MeasureKeep keep);

/* The metric of a target; -1 for PSNR and for targets without a metric. */
gint measure_keep_metric (MeasureKeep keep);

/* Parse a collection's statistic: "mean", "min", or "p1" to "p99". */
gboolean measure_target_parse (const gchar * text, gint * collection,
    GError ** error);

gboolean measure_target_is_set (const MeasureTarget * target);

/* Whether these rows are sufficient for the target: for a size, those of JPEG
 * files have to be exact. */
gboolean measure_target_check (const MeasureTarget * target,
    const GArray * rows, GError ** error);

/* Choose the rows with the best settings: one of each transform and encoder,
 * for each file and format, or for the whole collection.
 *
 * Of the settings that meet all targets, it is the coarsest or, for a
 * collection, the one with the fewest bits; without a target of quality, the
 * finest. If none meets all, it is the nearest to the qualities and, of those
 * that meet these, the nearest to the sizes: the one that misses the smallest
 * fraction of a limit. `missed`, which may be NULL, receives a line for each
 * that does not meet all.
 *
 * Rows of single frames are left out; the others have to be grouped by file,
 * format and transform, as a run and measure_rows_merge() do. */
GArray *measure_target_choose (const MeasureTarget * target,
    const GArray * rows, GString * missed);

/* A table for people with the settings of a collection's chosen rows. */
gchar *measure_target_tell (const MeasureTarget * target,
    const GArray * chosen);

G_END_DECLS
#endif
