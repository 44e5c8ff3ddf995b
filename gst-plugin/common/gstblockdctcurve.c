/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcurve.h"
#include "gstblockdctbackend.h"

#include <math.h>
#include <string.h>

/* What an octave of the steps changes in typical pictures: a PSNR, by its
 * share; bits, by their logarithm to base 2. */
#define FLOOR_OCTAVE 0.1
#define CEILING_OCTAVE 0.75

static gboolean
has_qp (BdctTransform transform)
{
  return bdct_transform_info (transform)->has_qp;
}

static void
get_range (BdctTransform transform, gint * first, gint * last)
{
  gboolean any = transform == BDCT_N_TRANSFORMS;

  *first = !any && !has_qp (transform);
  *last = any || !has_qp (transform) ? 100 : 51;
}

gboolean
gst_blockdct_curve_is_possible (const BdctParams * params)
{
  return has_qp (params->transform) || bdct_params_has_quality (params);
}

const gchar *
gst_blockdct_curve_name_steps (const BdctParams * params)
{
  return params->n_steps > 0 ? "quantization-tables=matrix"
      : "quantization-tables=file without quantization-scale";
}

gboolean
gst_blockdct_curve_check (const GstBlockDctCurve * curve,
    BdctTransform transform, BdctError * error)
{
  gint first, last;

  if (curve->n > GST_BLOCKDCT_CURVE_MOST)
    return gst_blockdct_fail (error, "a curve has at most %d settings, not %d",
        GST_BLOCKDCT_CURVE_MOST, curve->n);
  get_range (transform, &first, &last);
  for (gint i = 0; i < curve->n; i++)
    if (curve->setting[i] < first || curve->setting[i] > last)
      return gst_blockdct_fail (error,
          "setting %d at index %d is outside %d to %d (%s)",
          curve->setting[i], i, first, last,
          transform ==
          BDCT_N_TRANSFORMS ? "quality 1 to 100, QP 0 to 51" :
          bdct_transform_info (transform)->name);
  return TRUE;
}

gboolean
gst_blockdct_curve_update (GstBlockDctCurveJobs * jobs,
    const BdctParams * params, const GstBlockDctCurve * curve,
    const BdctLayout * layout, BdctError * error)
{
  BdctJobInfo info = {.size = sizeof info };
  BdctParams rest = *params, *all;
  gint setting[GST_BLOCKDCT_CURVE_MOST], first, last, n = curve->n;

  rest.quality = rest.qp = 1;
  get_range (params->transform, &first, &last);
  if (n < 0)
    n = last - first + 1;
  for (gint i = 0; i < n; i++)
    setting[i] = curve->n < 0 ? first + i : curve->setting[i];
  if (n == jobs->n && memcmp (&rest, &jobs->params, sizeof rest) == 0
      && memcmp (setting, jobs->setting, n * sizeof setting[0]) == 0)
    return TRUE;
  jobs->params = rest;
  jobs->n = n;
  bdct_jobs_free (jobs->jobs);
  all = g_new (BdctParams, n);
  for (gint i = 0; i < n; i++) {
    jobs->setting[i] = setting[i];
    all[i] = rest;
    *(has_qp (rest.transform) ? &all[i].qp : &all[i].quality) = setting[i];
  }
  jobs->jobs = bdct_jobs_new (all, n, layout, error);
  g_free (all);
  if (jobs->jobs == NULL
      || !bdct_job_describe (jobs->jobs, layout, &info, error))
    jobs->n = 0;
  jobs->exact_bits = info.exact_bits;
  return jobs->n > 0;
}

gint
gst_blockdct_curve_scale (gint quality)
{
  gint scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;

  return MAX (scale, 1);
}

gdouble
gst_blockdct_curve_octave (BdctTransform transform, gint setting)
{
  return has_qp (transform) ? setting / 6.0
      : log2 (gst_blockdct_curve_scale (setting));
}

void
gst_blockdct_curve_free (GstBlockDctCurveJobs * jobs)
{
  bdct_jobs_free (jobs->jobs);
  g_free (jobs);
}

gboolean
gst_blockdct_targets_is_set (const GstBlockDctTargets * targets)
{
  return targets->psnr > 0 || targets->ssim > 0
      || gst_blockdct_targets_want_bits (targets);
}

gboolean
gst_blockdct_targets_want_bits (const GstBlockDctTargets * targets)
{
  return targets->bpp > 0 || targets->size > 0;
}

gchar *
gst_blockdct_targets_describe (const GstBlockDctTargets * targets)
{
  GString *text = g_string_new (NULL);

  if (targets->psnr > 0)
    g_string_append_printf (text, " and target-psnr=%g", targets->psnr);
  if (targets->ssim > 0)
    g_string_append_printf (text, " and target-ssim=%g", targets->ssim);
  if (targets->bpp > 0)
    g_string_append_printf (text, " and target-bpp=%g", targets->bpp);
  if (targets->size > 0)
    g_string_append_printf (text, " and target-size=%u", targets->size);
  g_string_erase (text, 0, strlen (" and "));
  return g_string_free (text, FALSE);
}

/* Whether a frame's figures keep the targets that are floors, or those that are
 * ceilings; `*worst` is the figure by its target that is nearest to missing
 * it. */
static gboolean
keeps (const GstBlockDctTargets * targets, gboolean floors, gint depth,
    gboolean exact, const BdctStats * stats, gdouble * worst)
{
  const BdctCounters total = bdct_counters_sum (stats->component);
  const gdouble target[] = { targets->psnr, targets->ssim, targets->bpp,
    targets->size
  };
  gdouble figure[] = { bdct_psnr (bdct_mse (&total), depth), INFINITY,
    (gdouble) total.bits / stats->component[BDCT_Y].samples,
    exact ? (gdouble) stats->file_size : total.bits / 8.0
  };
  const gint first = floors ? 0 : 2;
  gboolean kept = TRUE;

  bdct_metric_figure (stats, 1, depth, BDCT_METRIC_SSIM, BDCT_METRIC_ALL,
      &figure[1]);
  *worst = floors ? INFINITY : 0;
  for (gint i = first; i < first + 2; i++) {
    const gdouble share = figure[i] / target[i];

    if (target[i] <= 0)
      continue;
    kept &= floors ? figure[i] >= target[i] : figure[i] <= target[i];
    *worst = floors ? MIN (*worst, share) : MAX (*worst, share);
  }
  return kept;
}

gboolean
gst_blockdct_targets_are_met (const GstBlockDctTargets * targets,
    gint depth, gboolean exact, const BdctStats * stats)
{
  gdouble worst;

  return keeps (targets, TRUE, depth, exact, stats, &worst)
      && keeps (targets, FALSE, depth, exact, stats, &worst);
}

gboolean
gst_blockdct_targets_by_floors (const GstBlockDctTargets * targets)
{
  return targets->psnr > 0 || targets->ssim > 0;
}

gboolean
gst_blockdct_targets_keep (const GstBlockDctTargets * targets, gint depth,
    gboolean exact, const BdctStats * stats, gdouble * excess)
{
  const gboolean floors = gst_blockdct_targets_by_floors (targets);
  gdouble worst;
  const gboolean kept = keeps (targets, floors, depth, exact, stats, &worst);

  *excess = floors ? (worst - 1) / FLOOR_OCTAVE
      : -log2 (worst) / CEILING_OCTAVE;
  return kept;
}
