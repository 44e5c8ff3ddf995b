/* blockdct: one frame at many settings, qualities or QPs, and which of them
 * keeps a target.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_CURVE_H
#define GST_BLOCKDCT_CURVE_H

#include <gst/gst.h>
#include "dct/engine/engine.h"
#include "dct/quantizer/job.h"

G_BEGIN_DECLS

/** The settings of `curve`. */
typedef struct
{
  gint n;                       /* 0: none; -1: all of the transform */
  gint setting[BDCT_MAX_TRIALS];
} GstBlockDctCurve;

/** What a frame is to keep; 0: anything. */
typedef struct
{
  gdouble psnr;                 /* dB; at least */
  gdouble ssim;                 /* at least */
  gdouble bpp;                  /* bits per luma sample; at most */
  guint size;                   /* bytes; at most */
} GstBlockDctTargets;

/** The same parameters at several settings, for one layout. */
typedef struct
{
  BdctParams params;            /* with these, but for quality and QP */
  gint n;
  gint setting[BDCT_MAX_TRIALS];
  BdctJob job[BDCT_MAX_TRIALS];
} GstBlockDctCurveJobs;

/** Whether the frame's steps follow from quality or QP: others leave nothing to
 * set. */
gboolean gst_blockdct_curve_is_possible (const BdctParams * params);

/** What these others are, by the properties that say so. */
const gchar *gst_blockdct_curve_name_steps (const BdctParams * params);

/** Check a curve for a transform, or if there is none yet (BDCT_N_TRANSFORMS)
 * for any. FALSE with the value and the range named. */
gboolean gst_blockdct_curve_check (const GstBlockDctCurve * curve,
    BdctTransform transform, BdctError * error);

/** Make the jobs of `curve`, which has been checked, with these parameters,
 * unless they are there. A zeroed `*jobs` has none. */
void gst_blockdct_curve_update (GstBlockDctCurveJobs * jobs,
    const BdctParams * params, const GstBlockDctCurve * curve,
    const BdctLayout * layout);

/** Whether there is a target; all of them as "name=value", to be freed. */
gboolean gst_blockdct_targets_is_set (const GstBlockDctTargets * targets);
gchar *gst_blockdct_targets_describe (const GstBlockDctTargets * targets);

/** Whether a target is of bits: frames then need theirs counted. */
gboolean gst_blockdct_targets_want_bits (const GstBlockDctTargets * targets);

/** Whether the statistics of a frame, with this depth and with bits that are
 * exact or not, keep all targets. */
gboolean gst_blockdct_targets_are_met (const GstBlockDctTargets * targets,
    gint depth, gboolean exact, const BdctStats * stats);

/** Which setting of the jobs of all of them is, by its statistics, the
 * coarsest that keeps PSNR and SSIM or, if neither is set, the finest that
 * keeps to bits and bytes; if none does, the nearest to it. `met` says whether
 * it keeps all targets. */
gint gst_blockdct_targets_choose (const GstBlockDctTargets * targets,
    const GstBlockDctCurveJobs * jobs, const BdctStats * stats, gboolean * met);

G_END_DECLS
#endif
