/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The engine, the frames in it, and what each is processed with. */
#include "gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpinned.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

/* How many frame numbers to skip where frames do not follow each other: as
 * many as XPSNR looks back, and one that a repeated frame takes. */
#define NUMBER_GAP 3

/* What a frame is processed with: its job, view, curve and regions */

/* The parameters that follow from the settings: with the tables that
 * `quantization-tables` chooses, if there are any, and with a `min-block` no
 * larger than `max-block`. */
static BdctParams
get_params (const GstBlockDctSettings * settings)
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

/* Make the job for these parameters. What the stream does not allow is left
 * out, with a warning. Returns FALSE with an element error. */
static gboolean
update_job (GstBlockDct * self, const BdctParams * params)
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

/* The layout has changed: drop everything that was made for the old one, and
 * make the job of these settings, with the memory that its first frame takes.
 * Returns FALSE with an element error. */
static gboolean
configure_jobs (GstBlockDct * self, const GstBlockDctSettings * settings)
{
  const BdctParams params = get_params (settings);
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
    return bdct_engine_reserve (self->shared.backend.engine, jobs->job,
        &error) || post_no_job (self, &error);
  /* The caps may change again before the first frame, and with them what the
   * format does not allow. */
  g_clear_pointer (&jobs->job, bdct_jobs_free);
  return can_leave_out (&params) || post_no_job (self, &error);
}

/* Whether the job's steps follow from a quality or QP; otherwise `what` has no
 * effect, and a warning says so once. */
static gboolean
can_choose (GstBlockDct * self, const gchar * what, GstBlockDctWarning warning)
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

/* Those of the metrics (bits) that the caps allow. Each other one causes one
 * warning. */
static guint
choose_metrics (GstBlockDct * self, guint metrics)
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
      || !can_choose (self, "curve", GST_BLOCKDCT_WARNED_NO_CURVE))
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

/* Fill in the frame's view, curve, regions and recipe, but not `recipe.params`
 * and targets. */
static void
describe (GstBlockDct * self, GstBlockDctFrame * frame,
    const GstBlockDctSettings * settings)
{
  GstBlockDctRecipe *recipe = &frame->recipe;
  GstBlockDctJobs *jobs = &self->jobs;

  recipe->depth = self->layout.depth;
  recipe->backend = self->shared.backend.name;
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
  recipe->regions = gst_blockdct_regions_find (&jobs->regions,
      GST_ELEMENT (self), frame->in, &recipe->params, &self->layout,
      &jobs->info);
  for (gint i = 0; recipe->regions > 0 && i < jobs->regions->n_quantizers; i++)
    frame->view.delta_qp[i] = gst_blockdct_regions_delta_qp (jobs->regions, i);
}

/* The engine, and the frames in it */

gboolean
gst_blockdct_inflight_open (GstBlockDct * self)
{
  const GstBlockDctCommon start = gst_blockdct_get_settings (self).common;

  return gst_blockdct_backend_open (&self->shared.backend, &start);
}

gboolean
gst_blockdct_inflight_configure (GstBlockDct * self)
{
  const GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  const guint depth = settings.async_depth;
  GstBlockDctInFlight *inflight = &self->inflight;
  BdctLayout layout;

  /* No frame may enter until all is done. */
  inflight->depth = 0;
  gst_blockdct_format_layout (&self->info, settings.subsampling, &layout);
  if (!gst_blockdct_backend_configure (&self->shared.backend, &self->info,
          &layout, depth))
    return FALSE;
  g_free (inflight->frames);
  inflight->frames = g_try_new0 (GstBlockDctFrame, depth);
  if (inflight->frames == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for %u frames in flight.", depth),
        ("Lower async-depth."));
    return FALSE;
  }
  inflight->oldest = 0;
  self->layout = layout;
  gst_blockdct_evaluate_reset (&self->search);
  if (!configure_jobs (self, &settings))
    return FALSE;
  inflight->depth = depth;
  return TRUE;
}

/* Make the job of the frame's settings, or of its targets. Returns FALSE with
 * an element error. */
static gboolean
choose_job (GstBlockDct * self, GstBlockDctFrame * frame,
    const BdctFrame * task)
{
  GstBlockDctRecipe *recipe = &frame->recipe;
  GstBlockDctTargets *targets = &recipe->targets;

  recipe->target = FALSE;
  recipe->file_size = 0;
  recipe->params = self->jobs.params;
  *targets = self->settings.targets;
  if (targets->ssim > 0 && choose_metrics (self, 1 << BDCT_METRIC_SSIM) == 0)
    targets->ssim = 0;
  if (!gst_blockdct_targets_is_set (targets)
      || !can_choose (self, "A target", GST_BLOCKDCT_WARNED_NO_TARGET))
    return TRUE;
  return gst_blockdct_target_find (self, targets, &task->src, frame->in,
      task->wait[0], recipe)
      && update_job (self, &recipe->params);
}

static gboolean
fail (GstBlockDct * self, const gchar * what, const BdctError * error)
{
  return gst_blockdct_backend_fail (&self->shared.backend, what, error);
}

/* Evaluate the settings of the frame's curve. The task is that of the frame,
 * but they are not by region. */
static gboolean
evaluate_curve (GstBlockDct * self, GstBlockDctFrame * frame,
    const BdctFrame * task)
{
  const BdctFrame each = {.size = sizeof each,.src = task->src,.bits = TRUE,
    .metrics = task->metrics,.frame_rate = task->frame_rate,
    .number = task->number,.wait = {task->wait[0]}
  };
  BdctError error;

  if (frame->curve.n == 0)
    return TRUE;
  frame->curve_stats = g_new (BdctStats, frame->curve.n);
  return (gst_blockdct_evaluate_prepare (self, &error)
      && gst_blockdct_evaluate (&self->search, &each, self->jobs.curve->jobs,
          frame->curve.n, frame->curve_stats, &error))
      || fail (self, "The curve of a frame could not be evaluated", &error);
}

/* Submit a mapped frame, with everything else that the engine needs. */
static gboolean
start (GstBlockDct * self, GstBlockDctFrame * frame, BdctFrame * task)
{
  const GstBlockDctRegions *regions;
  const gboolean again = frame->repeated && self->inflight.next_number > 0;
  BdctError error;

  frame->curve_stats = NULL;
  self->search.has_source = FALSE;
  if (!choose_job (self, frame, task))
    return FALSE;
  describe (self, frame, &self->settings);
  regions = frame->recipe.regions > 0 ? self->jobs.regions : NULL;
  task->quantizers = regions != NULL ? regions->jobs : self->jobs.job;
  task->n_quantizers = regions != NULL ? regions->n_quantizers : 1;
  task->quantizer_map = regions != NULL ? regions->quantizer_map : NULL;
  task->n_blocks = regions != NULL ? regions->n_blocks : 0;
  /* With regions the targets are checked again, against the frame's own
   * statistics. */
  task->bits = frame->recipe.rate != GST_BLOCKDCT_RATE_NONE
      || (frame->recipe.target && regions != NULL
      && gst_blockdct_targets_want_bits (&frame->recipe.targets));
  /* With target-ssim, SSIM is reported, too. */
  task->metrics = choose_metrics (self,
      (self->settings.metrics & ~GST_BLOCKDCT_BITS)
      | (frame->recipe.targets.ssim > 0 ? 1 << BDCT_METRIC_SSIM : 0));
  task->frame_rate = GST_VIDEO_INFO_FPS_N (&self->info)
      / MAX (GST_VIDEO_INFO_FPS_D (&self->info), 1);
  task->number = self->inflight.next_number - (again ? 1 : 0);
  task->view = &frame->view;
  if (!evaluate_curve (self, frame, task))
    return FALSE;
  if (!bdct_engine_submit (self->shared.backend.engine, task, &error))
    return fail (self, "A frame could not be started", &error);
  self->inflight.next_number = task->number + 1;
  return TRUE;
}

/* Copies still work without pinned memory, only slower. */
static void
warn_slow (GstBlockDct * self)
{
  const GstBlockDctBackend *backend = &self->shared.backend;
  const gchar *reason = bdct_engine_text (backend->engine, BDCT_ENGINE_WARNING);

  if (*reason == '\0' && backend->pinned_allocator != NULL
      && gst_blockdct_pinned_allocator_refused (backend->pinned_allocator))
    reason = "the driver refuses pinned memory for buffers";
  if (*reason != '\0'
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_SLOW))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("Frames in system memory are slow on %s.", backend->name),
        ("%s; lower async-depth, or allow more locked memory (ulimit -l).",
            reason));
}

/* When the engine finds that the tensor cores of a GPU compute other
 * results, it runs on other kernels from this frame on. */
static void
warn_distrust (GstBlockDct * self)
{
  GstBlockDctBackend *backend = &self->shared.backend;
  const gchar *reason = bdct_engine_text (backend->engine,
      BDCT_ENGINE_DISTRUST);

  if (*reason != '\0' && gst_blockdct_backend_rename (backend))
    GST_ELEMENT_WARNING (self, LIBRARY, FAILED, ("Running on %s.",
            backend->name), ("%s.", reason));
}

/* Where the property that `quantization-tables` refers to is not set, Annex K's
 * tables are in force. */
static void
warn_lacking_tables (GstBlockDct * self)
{
  const GstBlockDctSettings *settings = &self->settings;
  const gchar *lacking = settings->tables == GST_BLOCKDCT_TABLES_MATRIX
      && settings->matrix.n == 0 ? "quantization-matrix"
      : settings->tables == GST_BLOCKDCT_TABLES_FILE
      && settings->file.n_steps == 0 ? "quantization-file" : NULL;

  if (lacking == NULL)
    self->warned.once &= ~(1u << GST_BLOCKDCT_WARNED_TABLES);
  else if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_TABLES))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("quantization-tables=%s is ignored: %s is not set.",
            lacking + strlen ("quantization-"), lacking),
        ("Frames use the Annex K tables, scaled by quality."));
}

GstFlowReturn
gst_blockdct_inflight_submit (GstBaseTransform * trans, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  GstBlockDct *self = GST_BLOCKDCT_CAST (trans);
  GstBlockDctInFlight *inflight = &self->inflight;
  const guint next = (inflight->oldest + inflight->n) % inflight->depth;
  GstBlockDctFrame *frame = &inflight->frames[next];
  const BdctParams params = get_params (&self->settings);
  BdctFrame task = {.size = sizeof task };

  warn_lacking_tables (self);
  if (!update_job (self, &params))
    return GST_FLOW_ERROR;
  /* From now on, warn again of what is left out. */
  if (self->jobs.complete)
    self->warned.once &= ~(1u << GST_BLOCKDCT_WARNED_LISTS
        | 1u << GST_BLOCKDCT_WARNED_STEPS);
  frame->in = inbuf;
  frame->out = outbuf;
  frame->repeated = gst_blockdct_mark_is (inbuf, GST_BLOCKDCT_MARK_REPEATED);
  if (!gst_blockdct_backend_map (&self->shared.backend, &frame->in_frame,
          &self->info, &self->layout, inbuf, GST_MAP_READ, &task.src,
          &task.wait[0]))
    return GST_FLOW_ERROR;
  if (!gst_blockdct_backend_map (&self->shared.backend, &frame->out_frame,
          &self->info, &self->layout, outbuf, GST_MAP_WRITE, &task.dst,
          &task.wait[1])) {
    gst_video_frame_unmap (&frame->in_frame);
    return GST_FLOW_ERROR;
  }
  if (!start (self, frame, &task)) {
    g_clear_pointer (&frame->curve_stats, g_free);
    gst_video_frame_unmap (&frame->in_frame);
    gst_video_frame_unmap (&frame->out_frame);
    return GST_FLOW_ERROR;
  }
  gst_buffer_ref (inbuf);
  gst_buffer_ref (outbuf);
  inflight->n++;
  inflight->repeating = frame->repeated;
  gst_blockdct_warn_unused (self, &self->settings);
  warn_slow (self);
  warn_distrust (self);
  return GST_FLOW_OK;
}

/* Remove the oldest frame, which is done or has failed. */
static void
take_out (GstBlockDctInFlight * inflight, GstBlockDctFrame * frame)
{
  *frame = inflight->frames[inflight->oldest];
  inflight->oldest = (inflight->oldest + 1) % inflight->depth;
  inflight->n--;
  gst_video_frame_unmap (&frame->in_frame);
  gst_video_frame_unmap (&frame->out_frame);
}

GstFlowReturn
gst_blockdct_inflight_collect (GstBlockDct * self, GstBlockDctFrame * frame,
    BdctStats * stats)
{
  BdctEngine *engine = self->shared.backend.engine;
  BdctError error;
  gboolean ok;

  stats->size = sizeof *stats;
  ok = bdct_engine_collect (engine, stats, &error);
  take_out (&self->inflight, frame);
  if (ok)
    return GST_FLOW_OK;
  gst_clear_buffer (&frame->in);
  gst_clear_buffer (&frame->out);
  g_clear_pointer (&frame->curve_stats, g_free);
  fail (self, "A frame could not be processed", &error);
  return GST_FLOW_ERROR;
}

void
gst_blockdct_inflight_interrupt (GstBlockDct * self)
{
  self->inflight.next_number += NUMBER_GAP;
}

void
gst_blockdct_inflight_discard (GstBlockDct * self)
{
  BdctEngine *engine = self->shared.backend.engine;

  if (self->inflight.n > 0)
    gst_blockdct_inflight_interrupt (self);
  while (self->inflight.n > 0) {
    GstBlockDctFrame frame;

    bdct_engine_collect (engine, NULL, NULL);
    take_out (&self->inflight, &frame);
    gst_buffer_unref (frame.in);
    gst_buffer_unref (frame.out);
    g_free (frame.curve_stats);
  }
}

void
gst_blockdct_inflight_close (GstBlockDct * self)
{
  if (self->shared.backend.engine == NULL)
    return;
  gst_blockdct_inflight_discard (self);
  gst_blockdct_evaluate_close (&self->search);
  g_clear_pointer (&self->jobs.job, bdct_jobs_free);
  g_clear_pointer (&self->jobs.curve, gst_blockdct_curve_free);
  gst_blockdct_regions_clear (&self->jobs.regions);
  gst_blockdct_backend_close (&self->shared.backend);
  g_clear_pointer (&self->inflight.frames, g_free);
  self->inflight.depth = 0;
}
