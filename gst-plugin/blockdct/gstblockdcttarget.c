/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the setting that meets the targets. It has to be known before a frame
 * is started, while the engine still has earlier frames: so another engine,
 * which makes no picture, evaluates the frame at all settings. */
#include "gstblockdcttarget.h"
#include "gst-plugin/common/gstblockdctfail.h"
#include <blockdct/blockdct.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

void
gst_blockdct_target_reset (GstBlockDctSearch * search)
{
  search->ready = FALSE;
  if (search->all != NULL)
    search->all->n = 0;
}

void
gst_blockdct_target_close (GstBlockDctSearch * search)
{
  gst_blockdct_target_reset (search);
  bdct_engine_free (search->engine);
  search->engine = NULL;
  g_clear_pointer (&search->all, gst_blockdct_curve_free);
}

/* Engine and memory are allocated with the first target. */
static gboolean
prepare (GstBlockDct * self, const BdctParams * params, BdctError * error)
{
  static const GstBlockDctCurve all = {.n = -1 };
  GstBlockDctSearch *search = &self->search;

  if (search->engine == NULL)
    search->engine = gst_blockdct_backend_another (&self->inflight.backend,
        self->settings.start.threads, self->context, error);
  if (search->engine == NULL)
    return FALSE;
  if (!search->ready)
    search->ready = bdct_engine_configure (search->engine,
        &self->layout, 1, error);
  if (search->all == NULL)
    search->all = g_new0 (GstBlockDctCurveJobs, 1);
  return search->ready && gst_blockdct_curve_update (search->all, params, &all,
      &self->layout, error);
}

static gboolean
evaluate (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctImage * src, gpointer wait, BdctStats * stats, BdctError * error)
{
  GstBlockDctSearch *search = &self->search;
  const guint metrics = targets->ssim > 0 ? 1 << BDCT_METRIC_SSIM : 0;
  const BdctFrame task = {
    .size = sizeof task,
    .quantizers = search->all->jobs,
    .n_quantizers = 1,
    .trials = bdct_jobs_at (search->all->jobs, 1),
    .n_trials = search->all->n - 1,
    .src = *src,
    .bits = gst_blockdct_targets_want_bits (targets),
    .metrics = metrics,
    .trial_metrics = metrics,
    .wait = {wait},
  };

  stats->size = sizeof *stats;
  return bdct_engine_submit (search->engine, &task, error)
      && bdct_engine_collect (search->engine, stats, error);
}

/* The size of the frame's file at setting `i`: the frame is coded, on the
 * host. */
static gboolean
code (GstBlockDct * self, gint i, const BdctImage * src, GstBuffer * in,
    guint64 * size, BdctError * error)
{
  const BdctJob *job = bdct_jobs_at (self->search.all->jobs, i);
  BdctImage image = *src;
  GstVideoFrame frame;
  gboolean ok;

  if (src->memory == BDCT_MEMORY_HOST)
    return bdct_jpeg_file_size (&self->layout, job, src, size, error);
  if (!gst_video_frame_map (&frame, &self->info, in, GST_MAP_READ))
    return gst_blockdct_fail (error,
        "the frame cannot be copied from the device");
  image.memory = BDCT_MEMORY_HOST;
  gst_blockdct_backend_get_image (&frame, &image);
  ok = bdct_jpeg_file_size (&self->layout, job, &image, size, error);
  gst_video_frame_unmap (&frame);
  return ok;
}

/* Choose a setting, whose index is `*i`, by the statistics of all. The size of
 * a JPEG file without stuffed bytes, a lower bound, follows from these; with
 * stuffed bytes it is known once the frame is coded. So the setting that the
 * bounds choose is coded, and the choice is repeated with its size until the
 * choice is a setting that has been coded. */
static gboolean
choose (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctImage * src, GstBuffer * in, BdctStats * stats, gint * i,
    GstBlockDctRecipe * recipe, BdctError * error)
{
  const GstBlockDctCurveJobs *all = self->search.all;
  const gboolean files = targets->size > 0 && all->exact_bits;
  gboolean coded[BDCT_MAX_TRIALS] = { FALSE };

  for (gint k = 0; files && k < all->n; k++) {
    if (!bdct_jpeg_file_size (&self->layout, bdct_jobs_at (all->jobs, k), NULL,
            &stats[k].file_size, error))
      return FALSE;
    stats[k].file_size += (bdct_counters_sum (stats[k].component).bits + 7) / 8;
  }
  while (TRUE) {
    *i = gst_blockdct_targets_choose (targets, all, stats, &recipe->target_met);
    if (!files || coded[*i])
      break;
    if (!code (self, *i, src, in, &stats[*i].file_size, error))
      return FALSE;
    coded[*i] = TRUE;
  }
  recipe->file_size = stats[*i].file_size;
  return TRUE;
}

static void
warn_missed (GstBlockDct * self, const GstBlockDctTargets * targets,
    const BdctParams * params, gint setting)
{
  gchar *target;

  if (!gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_TARGET))
    return;
  target = gst_blockdct_targets_describe (targets);
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("No setting of %s keeps %s: the nearest, %d, is taken.",
          bdct_transform_info (params->transform)->name, target, setting),
      ("Frames where this is so have target-met=false. Set another target or "
          "another transform."));
  g_free (target);
}

gboolean
gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctRecipe * recipe)
{
  BdctStats stats[BDCT_MAX_TRIALS];
  BdctParams *params = &recipe->params;
  BdctError error;
  gboolean ready = prepare (self, params, &error);
  gint i, setting;

  if (!ready || !evaluate (self, targets, src, wait, stats, &error)
      || !choose (self, targets, src, in, stats, &i, recipe, &error)) {
    const gchar *engine = gst_blockdct_backend_describe
        (&self->inflight.backend);
    gchar *target = gst_blockdct_targets_describe (targets);

    if (ready)
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("A frame could not be evaluated for %s on %s.", target, engine),
          ("%s", error.message));
    else
      GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
          ("There is no room on %s to choose settings for %s.", engine,
              target), ("%s. Free memory, or unset the target.",
              error.message));
    g_free (target);
    return FALSE;
  }
  setting = self->search.all->setting[i];
  recipe->target = TRUE;
  if (bdct_transform_info (params->transform)->has_qp)
    params->qp = setting;
  else
    params->quality = setting;
  if (!recipe->target_met)
    warn_missed (self, targets, params, setting);
  return TRUE;
}
