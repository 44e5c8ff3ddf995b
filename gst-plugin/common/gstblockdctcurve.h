/* blockdct: one frame at several settings, qualities or QPs, and how each
 * compares with the targets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <blockdct/blockdct.h>

/* The most settings of a curve. */
#define GST_BLOCKDCT_CURVE_MOST 128

/* The settings of `curve`. */
typedef struct
{
  gint n;                       /* 0: none; -1: all of the transform */
  gint setting[GST_BLOCKDCT_CURVE_MOST];
} GstBlockDctCurve;

/* The targets of a frame; 0: not set. */
typedef struct
{
  gdouble psnr;                 /* dB; at least */
  gdouble ssim;                 /* at least */
  gdouble bpp;                  /* bits per luma sample; at most */
  guint size;                   /* bytes; at most */
} GstBlockDctTargets;

/* The same parameters at several settings, for one layout. */
typedef struct
{
  BdctParams params;            /* of all, except for quality and QP */
  gint n;
  gint setting[GST_BLOCKDCT_CURVE_MOST];
  gboolean exact_bits;          /* as in BdctJobInfo */
  BdctJob *jobs;                /* n; NULL: none */
} GstBlockDctCurveJobs;

/* Whether the frame's steps follow from quality or QP, so that there are
 * settings to compare. */
gboolean gst_blockdct_curve_is_possible (const BdctParams * params);

/* The property whose steps do not depend on quality. */
const gchar *gst_blockdct_curve_name_steps (const BdctParams * params);

/* Check a curve for a transform, or with BDCT_N_TRANSFORMS for any. FALSE: the
 * error names the value and the range. */
gboolean gst_blockdct_curve_check (const GstBlockDctCurve * curve,
    BdctTransform transform, BdctError * error);

/* Make the jobs of `curve`, which has been checked, with these parameters,
 * unless `*jobs` has them already. A zeroed `*jobs` has none.
 * FALSE without memory: there are no jobs. */
gboolean gst_blockdct_curve_update (GstBlockDctCurveJobs * jobs,
    const BdctParams * params, const GstBlockDctCurve * curve,
    const BdctLayout * layout, BdctError * error);

/* The percentage to which a quality scales Annex K's tables (jcparam.c); but
 * 0, which has no multiples, is 1. */
gint gst_blockdct_curve_scale (gint quality);

/* The logarithm to base 2 of the steps at a setting, up to a constant. */
gdouble gst_blockdct_curve_octave (BdctTransform transform, gint setting);

/* Free the jobs and the struct. */
void gst_blockdct_curve_free (GstBlockDctCurveJobs * jobs);

/* Whether there is a target; and all targets as "name=value", to be freed. */
gboolean gst_blockdct_targets_is_set (const GstBlockDctTargets * targets);
gchar *gst_blockdct_targets_describe (const GstBlockDctTargets * targets);

/* Whether there is a target of bits, for which frames' bits have to be
 * counted. */
gboolean gst_blockdct_targets_want_bits (const GstBlockDctTargets * targets);

/* Whether a frame's statistics meet all targets. The frame has this depth, and
 * `exact` bits or not. */
gboolean gst_blockdct_targets_are_met (const GstBlockDctTargets * targets,
    gint depth, gboolean exact, const BdctStats * stats);

/* Whether targets choose the coarsest setting that meets PSNR and SSIM; else
 * they choose the finest that meets bits and bytes. */
gboolean gst_blockdct_targets_by_floors (const GstBlockDctTargets * targets);

/* Whether a frame's statistics meet the targets that choose its setting.
 * `*excess` is by how many octaves the steps are beyond those that just meet
 * them: finer for PSNR and SSIM, coarser for bits and bytes. It is a guess
 * for typical pictures, but the larger, the nearer. */
gboolean gst_blockdct_targets_keep (const GstBlockDctTargets * targets,
    gint depth, gboolean exact, const BdctStats * stats, gdouble * excess);
