/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"
#include "gst-plugin/common/gstblockdctpinned.h"
#include "gst-plugin/common/gstblockdctpool.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

/* How many frame numbers to skip where frames do not follow each other: as
 * many as XPSNR looks back, and one that a repeated frame takes. */
#define NUMBER_GAP 3

static void
set_active_backend (GstBlockDct * self)
{
  GstBlockDctInFlight *inflight = &self->inflight;

  inflight->name =
      g_intern_string (gst_blockdct_backend_describe (&inflight->backend));
  GST_OBJECT_LOCK (self);
  self->shared.active_backend = inflight->name;
  self->shared.active_class = inflight->backend.klass;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "active-backend");
}

gboolean
gst_blockdct_inflight_open (GstBlockDct * self)
{
  const GstBlockDctCommon start = gst_blockdct_get_settings (self).common;

  if (!gst_blockdct_backend_open (&self->inflight.backend, GST_ELEMENT (self),
          start.backend, start.device_id, start.threads, &self->context))
    return FALSE;
  gst_blockdct_backend_pin (&self->inflight.backend, self->context);
  GST_INFO_OBJECT (self, "running on %s",
      gst_blockdct_backend_describe (&self->inflight.backend));
  set_active_backend (self);
  return TRUE;
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
  if (!gst_blockdct_pool_configure (&inflight->backend, GST_ELEMENT (self),
          &self->info, &layout, depth))
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
  if (!gst_blockdct_jobs_configure (self, &settings))
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
  if (targets->ssim > 0
      && gst_blockdct_jobs_metrics (self, 1 << BDCT_METRIC_SSIM) == 0)
    targets->ssim = 0;
  if (!gst_blockdct_targets_is_set (targets)
      || !gst_blockdct_jobs_can_choose (self, "A target",
          GST_BLOCKDCT_WARNED_NO_TARGET))
    return TRUE;
  return gst_blockdct_target_find (self, targets, &task->src, frame->in,
      task->wait[0], recipe)
      && gst_blockdct_jobs_update (self, &recipe->params);
}

/* Whether a frame's bits have to be counted. With regions the targets are
 * checked again, against the frame's own statistics. */
static gboolean
needs_rate (const GstBlockDctFrame * frame)
{
  return frame->recipe.rate != GST_BLOCKDCT_RATE_NONE
      || (frame->recipe.target && frame->recipe.regions > 0
      && gst_blockdct_targets_want_bits (&frame->recipe.targets));
}

static gboolean
fail (GstBlockDct * self, const gchar * what, const BdctError * error)
{
  return gst_blockdct_pool_fail (&self->inflight.backend, GST_ELEMENT (self),
      what, error);
}

/* Evaluate the settings of the frame's curve. The task is that of the frame,
 * but they are not by region. */
static gboolean
evaluate_curve (GstBlockDct * self, GstBlockDctFrame * frame,
    const BdctFrame * task)
{
  const BdctFrame each = {
    .size = sizeof each,
    .src = task->src,
    .bits = TRUE,
    .metrics = task->metrics,
    .frame_rate = task->frame_rate,
    .number = task->number,
    .wait = {task->wait[0]},
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
  gst_blockdct_jobs_describe (self, frame, &self->settings);
  regions = frame->recipe.regions > 0 ? self->jobs.regions : NULL;
  task->quantizers = regions != NULL ? regions->jobs : self->jobs.job;
  task->n_quantizers = regions != NULL ? regions->n_quantizers : 1;
  task->quantizer_map = regions != NULL ? regions->quantizer_map : NULL;
  task->n_blocks = regions != NULL ? regions->n_blocks : 0;
  task->bits = needs_rate (frame);
  /* With target-ssim, SSIM is reported, too. */
  task->metrics = gst_blockdct_jobs_metrics (self,
      (self->settings.metrics & ~GST_BLOCKDCT_BITS)
      | (frame->recipe.targets.ssim > 0 ? 1 << BDCT_METRIC_SSIM : 0));
  task->frame_rate = GST_VIDEO_INFO_FPS_N (&self->info)
      / MAX (GST_VIDEO_INFO_FPS_D (&self->info), 1);
  task->number = self->inflight.next_number - (again ? 1 : 0);
  task->view = &frame->view;
  if (!evaluate_curve (self, frame, task))
    return FALSE;
  if (!bdct_engine_submit (self->inflight.backend.engine, task, &error))
    return fail (self, "A frame could not be started", &error);
  self->inflight.next_number = task->number + 1;
  return TRUE;
}

/* Copies still work without pinned memory, only slower. */
static void
warn_slow (GstBlockDct * self)
{
  const GstBlockDctBackend *backend = &self->inflight.backend;
  const gchar *reason = bdct_engine_text (backend->engine, BDCT_ENGINE_WARNING);

  if (*reason == '\0' && backend->pinned_allocator != NULL
      && gst_blockdct_pinned_allocator_refused (backend->pinned_allocator))
    reason = "the driver refuses pinned memory for buffers";
  if (*reason != '\0'
      && gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_SLOW))
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("Frames in system memory are slow on %s.",
            gst_blockdct_backend_describe (backend)),
        ("%s; lower async-depth, or allow more locked memory (ulimit -l).",
            reason));
}

/* When the engine finds that the tensor cores of a GPU compute other
 * results, it runs on other kernels from this frame on. */
static void
warn_distrust (GstBlockDct * self)
{
  const GstBlockDctBackend *backend = &self->inflight.backend;
  const gchar *reason = bdct_engine_text (backend->engine,
      BDCT_ENGINE_DISTRUST);
  const gchar *name = gst_blockdct_backend_describe (backend);

  if (*reason == '\0' || strcmp (name, self->inflight.name) == 0)
    return;
  set_active_backend (self);
  GST_ELEMENT_WARNING (self, LIBRARY, FAILED, ("Running on %s.", name),
      ("%s.", reason));
}

static void
warn_lacking_tables (GstBlockDct * self)
{
  const gchar *lacking = gst_blockdct_settings_lack_tables (&self->settings);

  if (lacking == NULL)
    self->warned.once &= ~(1u << GST_BLOCKDCT_WARNED_TABLES);
  else if (gst_blockdct_warn_once (self, GST_BLOCKDCT_WARNED_TABLES))
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("quantization-tables=%s is ignored: %s is not set.",
            lacking + strlen ("quantization-"), lacking),
        ("Frames use the Annex K tables, scaled by quality."));
}

static gboolean
map (GstBlockDct * self, GstVideoFrame * frame, GstBuffer * buffer,
    GstMapFlags flags, BdctImage * image, void **wait)
{
  return gst_blockdct_pool_map (&self->inflight.backend, GST_ELEMENT (self),
      self->context, frame, &self->info, &self->layout, buffer, flags, image,
      wait);
}

GstFlowReturn
gst_blockdct_inflight_submit (GstBlockDct * self, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  GstBlockDctInFlight *inflight = &self->inflight;
  const guint next = (inflight->oldest + inflight->n) % inflight->depth;
  GstBlockDctFrame *frame = &inflight->frames[next];
  const BdctParams params = gst_blockdct_settings_params (&self->settings);
  BdctFrame task = {.size = sizeof task };

  warn_lacking_tables (self);
  if (!gst_blockdct_jobs_update (self, &params))
    return GST_FLOW_ERROR;
  /* From now on, warn again of what is left out. */
  if (self->jobs.complete)
    self->warned.once &= ~(1u << GST_BLOCKDCT_WARNED_LISTS
        | 1u << GST_BLOCKDCT_WARNED_STEPS);
  frame->in = inbuf;
  frame->out = outbuf;
  frame->repeated = gst_blockdct_mark_is (inbuf, GST_BLOCKDCT_MARK_REPEATED);
  if (!map (self, &frame->in_frame, inbuf, GST_MAP_READ, &task.src,
          &task.wait[0]))
    return GST_FLOW_ERROR;
  if (!map (self, &frame->out_frame, outbuf, GST_MAP_WRITE, &task.dst,
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
  BdctEngine *engine = self->inflight.backend.engine;
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
  BdctEngine *engine = self->inflight.backend.engine;

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
  if (self->inflight.backend.engine == NULL)
    return;
  gst_blockdct_inflight_discard (self);
  gst_blockdct_evaluate_close (&self->search);
  gst_blockdct_jobs_clear (self);
  gst_blockdct_backend_close (&self->inflight.backend);
  g_clear_pointer (&self->inflight.frames, g_free);
  self->inflight.depth = 0;
  set_active_backend (self);
}
