/* blockdct-measure: the setting that a file, or a collection, needs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_TARGET_H
#define MEASURE_TARGET_H

#include "row.h"

G_BEGIN_DECLS

/** What a setting is to keep: a quality, at least, or a size, at most. */
typedef enum
{
  MEASURE_KEEP_PSNR,            /* dB */
  MEASURE_KEEP_SSIM,
  MEASURE_KEEP_BPP,             /* bits a luma sample */
  MEASURE_KEEP_SIZE,            /* bytes */
  MEASURE_N_KEEPS
} MeasureKeep;

/** Whose: each file by itself; or all files together, with the mean of their
 * qualities, or a percentile, of which 0 is the minimum. */
#define MEASURE_EACH_FILE -2
#define MEASURE_MEAN -1

typedef struct
{
  gdouble limit[MEASURE_N_KEEPS];       /* above 0, or there is none */
  gint collection;              /* MEASURE_EACH_FILE, _MEAN or 0 to 99 */
} MeasureTarget;

/** "psnr": behind "--target-", and in the column target-missed. */
const gchar *measure_keep_name (MeasureKeep keep);

/** The metric it is of: -1 for PSNR and what is of no metric. */
gint measure_keep_metric (MeasureKeep keep);

/** Find a collection's statistic: "mean", "min", or "p1" to "p99". */
gboolean measure_target_parse (const gchar * text, gint * collection,
    GError ** error);

gboolean measure_target_is_set (const MeasureTarget * target);

/** Whether these rows say what keeps it: for a size, those of JPEG files have
 * to be exact. */
gboolean measure_target_check (const MeasureTarget * target,
    const GArray * rows, GError ** error);

/** The rows of the settings to take: one of each transform and encoder, for
 * each file and format, or for the whole collection.
 *
 * Of the settings that keep all, it is the coarsest, or, of a collection, that
 * of the fewest bits; without a quality to keep, the finest. If none keeps all,
 * it is the nearest to the qualities, and of those that keep these, the
 * nearest to the sizes: that which misses the least share of a limit.
 * `missed`, which may be NULL, receives a line for each that does not keep
 * all.
 *
 * Rows of frames are left out; the others lie together by file, format and
 * transform, as a run and measure_rows_merge() have them. */
GArray *measure_target_choose (const MeasureTarget * target,
    const GArray * rows, GString * missed);

/** A table for people of the settings of a collection's chosen rows. */
gchar *measure_target_tell (const MeasureTarget * target,
    const GArray * chosen);

G_END_DECLS
#endif
