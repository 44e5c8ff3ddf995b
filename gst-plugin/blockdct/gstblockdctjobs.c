/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

const gchar *
gst_blockdct_settings_lack_tables (const GstBlockDctSettings * settings)
{
  if (settings->tables == GST_BLOCKDCT_TABLES_MATRIX
      && settings->matrix.n == 0)
    return "quantization-matrix";
  if (settings->tables == GST_BLOCKDCT_TABLES_FILE
      && settings->file.n_steps == 0)
    return "quantization-file";
  return NULL;
}

BdctParams
gst_blockdct_settings_params (const GstBlockDctSettings * settings)
{
  BdctParams params = settings->params;

  params.min_block = MIN (params.min_block, params.max_block);
  if (settings->tables == GST_BLOCKDCT_TABLES_MATRIX) {
    params.n_steps = settings->matrix.n;
    memcpy (params.steps, settings->matrix.step, sizeof params.steps);
  } else if (settings->tables == GST_BLOCKDCT_TABLES_FILE) {
    params.tables = settings->file;
  } else {
    params.preset = settings->tables;
  }
  return params;
}

void
gst_blockdct_jobs_clear (GstBlockDct * self)
{
  g_clear_pointer (&self->jobs.job, bdct_jobs_free);
  g_clear_pointer (&self->jobs.curve, gst_blockdct_curve_free);
  gst_blockdct_regions_clear (&self->jobs.regions);
}

/* Whether the format may be the reason that the parameters are refused. */
static gboolean
can_leave_out (const BdctParams * params)
{
  return params->scaling_list != BDCT_SCALING_FLAT || params->n_steps > 0
      || params->tables.n_steps > 0;
}

/* Leave out what the format does not allow, with a warning. */
static void
leave_out (GstBlockDct * self, BdctParams * params, const BdctError * error)
{
  if (bdct_transform_info (params->transform)->has_qp) {
    if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_LISTS))
      GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
          ("scaling-list is ignored: %s.", error->message),
          ("These frames use scaling-list=flat."));
    params->scaling_list = BDCT_SCALING_FLAT;
    return;
  }
  if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_STEPS))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("quantization-tables=%s is ignored: %s.", params->n_steps > 0
            ? "matrix" : "file", error->message),
        ("These frames use the Annex K tables, scaled by quality."));
  params->n_steps = params->tables.n_steps = 0;
}

/* Make the job of these parameters in place of another. */
static gboolean
make_job (GstBlockDct * self, const BdctParams * params, BdctError * error)
{
  GstBlockDctJobs *jobs = &self->jobs;

  bdct_jobs_free (jobs->job);
  jobs->params = *params;
  jobs->info.size = sizeof jobs->info;
  jobs->job = bdct_jobs_new (params, 1, &self->layout, error);
  return jobs->job != NULL
      && bdct_job_describe (jobs->job, &self->layout, &jobs->info, error);
}

static gboolean
post_no_job (GstBlockDct * self, const BdctError * error)
{
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("The transform cannot be prepared."), ("%s", error->message));
  return FALSE;
}

gboolean
gst_blockdct_jobs_update (GstBlockDct * self, const BdctParams * params)
{
  GstBlockDctJobs *jobs = &self->jobs;
  BdctParams left = *params;
  BdctError error;

  if (jobs->job != NULL && memcmp (params, &jobs->wanted, sizeof *params) == 0)
    return TRUE;
  jobs->wanted = *params;
  jobs->complete = make_job (self, params, &error);
  if (jobs->complete)
    return TRUE;
  if (can_leave_out (params)) {
    leave_out (self, &left, &error);
    if (make_job (self, &left, &error))
      return TRUE;
  }
  return post_no_job (self, &error);
}

gboolean
gst_blockdct_jobs_configure (GstBlockDct * self,
    const GstBlockDctSettings * settings)
{
  const BdctParams params = gst_blockdct_settings_params (settings);
  GstBlockDctJobs *jobs = &self->jobs;
  BdctError error;

  g_clear_pointer (&jobs->job, bdct_jobs_free);
  self->warned.metrics = 0;
  if (jobs->curve != NULL)
    jobs->curve->n = 0;
  gst_blockdct_format_view (&self->info, &self->layout, &jobs->view);
  jobs->wanted = params;
  jobs->complete = make_job (self, &params, &error);
  if (jobs->complete)
    return bdct_engine_reserve (self->inflight.backend.engine, jobs->job,
        &error) || post_no_job (self, &error);
  /* The caps may change again before the first frame, and with them what the
   * format does not allow. */
  g_clear_pointer (&jobs->job, bdct_jobs_free);
  return can_leave_out (&params) || post_no_job (self, &error);
}

gboolean
gst_blockdct_jobs_can_choose (GstBlockDct * self, const gchar * what,
    GstBlockDctWarning warning)
{
  const BdctParams *params = &self->jobs.params;

  if (gst_blockdct_curve_is_possible (params))
    return TRUE;
  if (gst_blockdct_warn_once (self, warning))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s has no effect with %s.", what,
            gst_blockdct_curve_name_steps (params)),
        ("It works by choosing a quality, but these steps do not depend on "
            "quality."));
  return FALSE;
}

guint
gst_blockdct_jobs_metrics (GstBlockDct * self, guint metrics)
{
  return gst_blockdct_format_metrics (GST_ELEMENT (self), metrics, &self->info,
      &self->layout, &self->warned.metrics,
      "Its fields are absent, and targets for it are ignored.");
}

/* Make the jobs of `curve`, and expand it. There are none while no messages are
 * posted. */
static void
update_curve (GstBlockDct * self, const GstBlockDctSettings * settings,
    GstBlockDctCurve * curve)
{
  GstBlockDctJobs *jobs = &self->jobs;
  BdctError error;

  curve->n = 0;
  if (settings->curve.n == 0 || !settings->common.post_messages
      || !gst_blockdct_jobs_can_choose (self, "curve",
          GST_BLOCKDCT_WARNED_NO_CURVE))
    return;
  if (!gst_blockdct_curve_check (&settings->curve, jobs->params.transform,
          &error)) {
    if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_CURVE))
      GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
          ("curve is ignored: %s.", error.message), (NULL));
    return;
  }
  self->warned.once &= ~(1u << GST_BLOCKDCT_WARNED_CURVE);
  if (jobs->curve == NULL)
    jobs->curve = g_new0 (GstBlockDctCurveJobs, 1);
  if (!gst_blockdct_curve_update (jobs->curve, &jobs->params,
          &settings->curve, &self->layout, &error))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("A frame has no curve."), ("%s", error.message));
  curve->n = jobs->curve->n;
  memcpy (curve->setting, jobs->curve->setting,
      curve->n * sizeof curve->setting[0]);
}

/* Map the frame's blocks to quantizers, if its buffer has regions. */
static void
find_regions (GstBlockDct * self, GstBlockDctFrame * frame)
{
  GstBlockDctJobs *jobs = &self->jobs;

  frame->recipe.regions = gst_blockdct_regions_find (&jobs->regions,
      GST_ELEMENT (self), frame->in, &frame->recipe.params, &self->layout,
      &jobs->info);
  if (frame->recipe.regions == 0)
    return;
  for (gint i = 0; i < jobs->regions->n_quantizers; i++)
    frame->view.delta_qp[i] = gst_blockdct_regions_delta_qp (jobs->regions, i);
}

void
gst_blockdct_jobs_describe (GstBlockDct * self, GstBlockDctFrame * frame,
    const GstBlockDctSettings * settings)
{
  GstBlockDctRecipe *recipe = &frame->recipe;

  recipe->depth = self->layout.depth;
  recipe->backend = self->inflight.name;
  recipe->view = settings->view;
  recipe->grid = settings->grid;
  frame->exact = self->jobs.info.exact_bits;
  recipe->rate = !(settings->metrics & GST_BLOCKDCT_BITS)
      ? GST_BLOCKDCT_RATE_NONE : frame->exact ? GST_BLOCKDCT_RATE_EXACT
      : GST_BLOCKDCT_RATE_ESTIMATED;
  frame->view = self->jobs.view;
  frame->view.mode = settings->view;
  frame->view.grid = settings->grid;
  frame->common = settings->common;
  update_curve (self, settings, &frame->curve);
  find_regions (self, frame);
}
