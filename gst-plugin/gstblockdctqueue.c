/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The frames in the engine: which backend runs, what goes in and what comes
 * out. All of it is the streaming thread's. */
#include "gstblockdct.h"
#include "gstblockdctmark.h"
#include "dct/rate.h"
#include "gstblockdctformat.h"
#include "gstblockdcthost.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

static void
set_active_backend (GstBlockDct * self)
{
  const BdctEngine *engine = self->backend.engine;

  GST_OBJECT_LOCK (self);
  g_free (self->active_backend);
  self->active_backend = engine ? g_strdup (engine->description) : NULL;
  self->backend_name = engine ? g_intern_string (engine->description) : NULL;
  self->active_class = self->backend.klass;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "active-backend");
}

gboolean
gst_blockdct_queue_open (GstBlockDct * self)
{
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);

  if (!gst_blockdct_backend_open (&self->backend, GST_ELEMENT (self),
          settings.backend, settings.device_id, settings.threads,
          &self->context))
    return FALSE;
  GST_INFO_OBJECT (self, "running on %s", self->backend.engine->description);
  set_active_backend (self);
  return TRUE;
}

gboolean
gst_blockdct_queue_configure (GstBlockDct * self)
{
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  BdctEngine *engine = self->backend.engine;
  GstBlockDctInFlight *in_flight = g_try_new0 (GstBlockDctInFlight,
      settings.async_depth);
  BdctError error;

  gst_blockdct_format_layout (&self->info, settings.subsampling,
      &self->layout);
  if (in_flight == NULL)
    bdct_error (&error, "out of memory");
  if (in_flight == NULL || !engine->klass->configure (engine, &self->layout,
          settings.async_depth, &error)) {
    g_free (in_flight);
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("%s cannot take %s %dx%d, %u at a time.", engine->description,
            GST_VIDEO_INFO_NAME (&self->info),
            GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info), settings.async_depth),
        ("%s", error.message));
    return FALSE;
  }
  g_free (self->in_flight);
  self->in_flight = in_flight;
  self->oldest = 0;
  self->depth = settings.async_depth;
  self->generation++;
  self->job_valid = FALSE;
  self->told_metrics = 0;
  if (self->curve != NULL)
    self->curve->n = 0;
  if (self->second != NULL)
    self->second->n = 0;
  gst_blockdct_target_reset (self);
  gst_blockdct_view_configure (self);
  return TRUE;
}

/* Only what depends on the format or the transform can turn out wrong. */
static void
set_aside (GstBlockDct * self, GstBlockDctChecked which,
    const GstBlockDctSettings * settings)
{
  gst_blockdct_changes_drop (&self->changes, GST_ELEMENT (self), which,
      settings);
  self->posts.dropped[which] = TRUE;
}

/* Do without what the stream, or the engine, does not allow. */
static void
set_steps_aside (GstBlockDct * self, const GstBlockDctSettings * settings,
    BdctParams * params, const BdctError * error)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("%s is set aside: %s.", params->n_steps > 0 ? "quantization-matrix"
          : "quantization-file", error->message),
      ("The Annex K tables scaled by quality are used."));
  set_aside (self, GST_BLOCKDCT_STEPS, settings);
  params->n_steps = params->tables.n_steps = 0;
}

static void
set_lists_aside (GstBlockDct * self, const GstBlockDctSettings * settings,
    BdctParams * params, const BdctError * error)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("scaling-list is set aside: %s.", error->message),
      ("It is flat again."));
  set_aside (self, GST_BLOCKDCT_SCALING, settings);
  params->scaling_list = BDCT_SCALING_FLAT;
}

/* Bring the job up to the parameters. */
static gboolean
update_job (GstBlockDct * self, const GstBlockDctSettings * settings)
{
  BdctParams params = settings->params;
  BdctError error;

  if (self->job_valid
      && memcmp (&params, &self->job_params, sizeof params) == 0)
    return TRUE;
  self->job_valid =
      bdct_job_init (&self->job, &params, &self->layout, &error);
  if (!self->job_valid) {
    if (bdct_family_has_qp (bdct_transform_info (params.transform)->family))
      set_lists_aside (self, settings, &params, &error);
    else
      set_steps_aside (self, settings, &params, &error);
    self->job_valid =
        bdct_job_init (&self->job, &params, &self->layout, &error);
  }
  self->job_params = params;
  return self->job_valid;
}

/* The stream that work on a buffer may be pending in; NULL if none is. */
static gpointer
pending_stream (GstBlockDct * self, GstBuffer * buffer)
{
  const GstBlockDctBackendClass *klass = self->backend.klass;

  return klass->stream ? klass->stream (buffer, self->context) : NULL;
}

/* Where steps take the place of quality there is none to choose. */
static gboolean
may_sweep (GstBlockDct * self, const gchar * what, gboolean * warned)
{
  if (gst_blockdct_sweep_is_possible (&self->job_params))
    return TRUE;
  if (!*warned) {
    *warned = TRUE;
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s has no effect with a %s.", what,
            self->job_params.n_steps > 0 ? "quantization-matrix"
            : "quantization-file without quantization-scale"),
        ("It chooses a quality, which the steps take the place of."));
  }
  return FALSE;
}

/* Those of the metrics that these caps have; of the others it is said once why
 * not. */
static guint
choose_metrics (GstBlockDct * self, guint metrics)
{
  guint had = bdct_metrics_had (metrics, &self->layout);
  BdctError reason;

  for (guint m = 0; m < BDCT_N_METRICS; m++) {
    if (!((metrics & ~had & ~self->told_metrics) >> m & 1))
      continue;
    bdct_metric_check (m, &self->layout, &reason);
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s cannot be had of %s %dx%d: %s.", bdct_metric_info (m)->name,
            GST_VIDEO_INFO_NAME (&self->info),
            GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info), reason.message),
        ("Its fields, and a target of it, are left out."));
  }
  self->told_metrics |= metrics & ~had;
  return had;
}

/* With a target, its figure is one of those that are reported. */
static guint
wanted_metrics (const GstBlockDctSettings * settings)
{
  return settings->metrics | (settings->targets.ssim > 0
      ? 1 << BDCT_METRIC_SSIM : 0);
}

/* Have the frame made with the setting that its target wants. */
static gboolean
keep_target (GstBlockDct * self, GstBlockDctSettings * settings,
    const BdctImage * src, GstBlockDctInFlight * frame)
{
  GstBlockDctHow *how = &frame->how;

  how->target = FALSE;
  how->file_size = 0;
  how->params = self->job_params;
  if (!gst_blockdct_targets_is_set (&settings->targets)
      || !may_sweep (self, "A target", &self->warned_no_target))
    return TRUE;
  if (settings->targets.ssim > 0
      && choose_metrics (self, 1 << BDCT_METRIC_SSIM) == 0) {
    settings->targets.ssim = 0;
    return TRUE;
  }
  if (!gst_blockdct_target_find (self, &settings->targets, src, frame->in,
          pending_stream (self, frame->in), how))
    return FALSE;
  settings->params = how->params;
  return update_job (self, settings);
}

/* Have the jobs of `curve` ready, which is then written out: if there is anyone
 * to hear of it. */
static void
update_curve (GstBlockDct * self, const GstBlockDctSettings * settings,
    GstBlockDctCurve * curve)
{
  BdctError error;

  curve->n = 0;
  if (settings->curve.n == 0 || !settings->post_messages
      || !may_sweep (self, "curve", &self->warned_no_curve))
    return;
  if (!gst_blockdct_sweep_check (&settings->curve, self->job.transform,
          &error)) {
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("curve is set aside: %s.", error.message), (NULL));
    set_aside (self, GST_BLOCKDCT_CURVE, settings);
    return;
  }
  if (self->curve == NULL)
    self->curve = g_new0 (GstBlockDctSweep, 1);
  gst_blockdct_sweep_update (self->curve, &self->job_params, &settings->curve,
      &self->layout);
  curve->n = self->curve->n;
  memcpy (curve->setting, self->curve->setting,
      curve->n * sizeof curve->setting[0]);
}

/* Have B's job ready, or do without B, which then is none in `settings`. */
static void
update_second (GstBlockDct * self, GstBlockDctSettings * settings)
{
  GstBlockDctSecond *second = &settings->second;
  BdctParams params;
  BdctError error;

  if (second->transform == 0)
    return;
  params = gst_blockdct_second_params (second, &settings->params);
  if (self->second == NULL)
    self->second = g_new0 (GstBlockDctSweep, 1);
  if (self->second->n > 0
      && memcmp (&params, &self->second->params, sizeof params) == 0)
    return;
  self->second->params = params;
  self->second->n = bdct_job_init (&self->second->job[0], &params,
      &self->layout, &error);
  if (self->second->n > 0)
    return;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("b-transform=%s is set aside: %s.",
          bdct_transform_info (params.transform)->name, error.message),
      ("There is no B."));
  set_aside (self, GST_BLOCKDCT_SECOND, settings);
  second->transform = 0;
}

/* Copies still work without pinned memory, only slower: that is said once. */
static void
warn_slow (GstBlockDct * self)
{
  const BdctEngine *engine = self->backend.engine;
  const gchar *reason = engine->warning;

  if (self->warned_slow)
    return;
  if (*reason == '\0' && self->backend.host_allocator != NULL
      && gst_blockdct_host_allocator_refused (self->backend.host_allocator))
    reason = "the driver gives no pinned memory for buffers";
  if (*reason == '\0')
    return;
  self->warned_slow = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
      ("Frames in system memory are slow on %s.", engine->description),
      ("%s; lower async-depth, or allow more locked memory.", reason));
}

/* What runs is another from the frame on with which the engine found that a
 * GPU's tensor cores differ. */
static void
warn_distrust (GstBlockDct * self)
{
  const BdctEngine *engine = self->backend.engine;

  if (engine->distrust[0] == '\0'
      || strcmp (engine->description, self->backend_name) == 0)
    return;
  set_active_backend (self);
  GST_ELEMENT_WARNING (self, LIBRARY, FAILED,
      ("Running on %s.", engine->description), ("%s.", engine->distrust));
}

/* Divide the frame's blocks, if its buffer says how. */
static void
find_regions (GstBlockDct * self, GstBlockDctInFlight * frame)
{
  frame->how.regions = gst_blockdct_regions_find (&self->regions,
      GST_ELEMENT (self), frame->in, &frame->how.params, &self->layout);
  if (frame->how.regions == 0)
    return;
  for (gint i = 0; i < self->regions->n_sets; i++)
    frame->view.delta_qp[i] = gst_blockdct_regions_delta_qp (self->regions, i);
}

/* What will be known of a job's bits. */
static GstBlockDctRate
get_rate (const GstBlockDctSettings * settings, const BdctJob * job)
{
  return !settings->rate ? GST_BLOCKDCT_RATE_NONE : bdct_rate_is_exact (job)
      ? GST_BLOCKDCT_RATE_EXACT : GST_BLOCKDCT_RATE_ESTIMATED;
}

/* What a frame enters with. */
static void
describe (GstBlockDct * self, GstBlockDctInFlight * frame,
    GstBlockDctSettings * settings)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;

  update_second (self, settings);
  frame->how.second = settings->second;
  frame->how.second_rate = get_rate (settings, settings->second.transform > 0
      ? &self->second->job[0] : &self->job);
  frame->how.depth = self->layout.depth;
  frame->how.backend = self->backend_name;
  frame->exact = bdct_rate_is_exact (&self->job);
  frame->how.rate = get_rate (settings, &self->job);
  frame->metrics = choose_metrics (self, wanted_metrics (settings));
  frame->view = *gst_blockdct_view_update (self, settings,
      segment->format != GST_FORMAT_TIME ? GST_CLOCK_TIME_NONE
      : gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (frame->in)));
  frame->how.view = frame->view.mode;
  frame->interval = settings->interval;
  frame->post_messages = settings->post_messages;
  frame->overlay = settings->overlay;
  frame->magnifier = settings->magnifier;
  frame->magnifier_x = settings->magnifier_x;
  frame->magnifier_y = settings->magnifier_y;
  frame->min_psnr_error = settings->min_psnr_error;
  frame->min_psnr_warning = settings->min_psnr_warning;
  frame->targets = settings->targets;
  update_curve (self, settings, &frame->curve);
  find_regions (self, frame);
}

/* Whether a frame's statistics need the bits. With regions the target is
 * checked once more, with those of the frame. */
static gboolean
needs_rate (const GstBlockDctInFlight * frame)
{
  return frame->how.rate != GST_BLOCKDCT_RATE_NONE || frame->curve.n > 0
      || (frame->how.target && frame->how.regions > 0
      && gst_blockdct_targets_want_bits (&frame->targets));
}

/* All that the engine is told of a frame, in one place. */
static gboolean
start (GstBlockDct * self, const GstBlockDctInFlight * frame,
    const BdctImage * src, const BdctImage * dst)
{
  BdctEngine *engine = self->backend.engine;
  const GstBlockDctRegions *regions = self->regions;
  gboolean divided = frame->how.regions > 0;
  BdctFrame task = {
    .sets = divided ? regions->job : &self->job,
    .n_sets = divided ? regions->n_sets : 1,
    .set_of_block = divided ? regions->set_of_block : NULL,
    .n_blocks = divided ? regions->n_blocks : 0,
    .others = frame->curve.n > 0 ? self->curve->job : NULL,
    .n_others = frame->curve.n,
    .second = frame->how.second.transform > 0 ? self->second->job : NULL,
    .src = *src,
    .dst = *dst,
    .rate = needs_rate (frame),
    .metrics = frame->metrics,
    .other_metrics = frame->curve.n > 0 ? frame->metrics : 0,
    .frame_rate = GST_VIDEO_INFO_FPS_N (&self->info)
        / MAX (GST_VIDEO_INFO_FPS_D (&self->info), 1),
    .number = frame->number,
    .view = &frame->view,
    /* What is pending on the buffers' memory comes before the frame. */
    .wait = {pending_stream (self, frame->in),
        pending_stream (self, frame->out)},
  };
  BdctError error;

  if (engine->klass->submit (engine, &task, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
      ("A frame could not be started on %s.", engine->description),
      ("%s", error.message));
  return FALSE;
}

GstFlowReturn
gst_blockdct_queue_submit (GstBlockDct * self, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  guint64 asked = gst_blockdct_repeat_get_asked (self);
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  guint next = (self->oldest + self->n_in_flight) % self->depth;
  GstBlockDctInFlight *frame = &self->in_flight[next];
  BdctImage src, dst;
  BdctError error;
  gboolean ok;

  if (!update_job (self, &settings))
    return GST_FLOW_NOT_NEGOTIATED;
  if (!gst_blockdct_backend_map (&self->backend, &frame->in_frame,
          &self->info, inbuf, GST_MAP_READ, &self->layout, self->context, &src,
          &error)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("An input buffer does not fit its caps."), ("%s", error.message));
    return GST_FLOW_ERROR;
  }
  if (!gst_blockdct_backend_map (&self->backend, &frame->out_frame,
          &self->info, outbuf, GST_MAP_WRITE, &self->layout, self->context,
          &dst, &error)) {
    gst_video_frame_unmap (&frame->in_frame);
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("An output buffer cannot be written."), ("%s", error.message));
    return GST_FLOW_ERROR;
  }
  frame->in = inbuf;
  frame->out = outbuf;
  frame->asked = asked;
  frame->repeated = self->repeating
      || gst_blockdct_mark_is (inbuf, GST_BLOCKDCT_MARK_REPEATED);
  frame->number = self->report.totals.frames + self->n_in_flight
      - (frame->repeated ? 1 : 0);
  ok = keep_target (self, &settings, &src, frame);
  if (ok) {
    describe (self, frame, &settings);
    ok = start (self, frame, &src, &dst);
  }
  if (!ok) {
    gst_video_frame_unmap (&frame->in_frame);
    gst_video_frame_unmap (&frame->out_frame);
    return GST_FLOW_ERROR;
  }
  gst_buffer_ref (inbuf);
  gst_buffer_ref (outbuf);
  self->n_in_flight++;
  gst_blockdct_tell_idle (self, &frame->how.params, &frame->how.second);
  gst_blockdct_tell_subsampling (self);
  warn_slow (self);
  warn_distrust (self);
  return GST_FLOW_OK;
}

/* The oldest frame is over, for better or worse. */
static void
take_out (GstBlockDct * self, GstBlockDctInFlight * frame)
{
  *frame = self->in_flight[self->oldest];
  self->oldest = (self->oldest + 1) % self->depth;
  self->n_in_flight--;
  gst_video_frame_unmap (&frame->in_frame);
  gst_video_frame_unmap (&frame->out_frame);
}

GstFlowReturn
gst_blockdct_queue_collect (GstBlockDct * self, GstBlockDctInFlight * frame,
    BdctStats stats[1 + BDCT_MAX_OTHERS + 1])
{
  BdctEngine *engine = self->backend.engine;
  BdctError error;
  gboolean ok = engine->klass->collect (engine, stats, &error);

  take_out (self, frame);
  if (ok)
    return GST_FLOW_OK;
  gst_clear_buffer (&frame->in);
  gst_clear_buffer (&frame->out);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
      ("A frame could not be processed on %s.", engine->description),
      ("%s", error.message));
  return GST_FLOW_ERROR;
}

guint
gst_blockdct_queue_recall (GstBlockDct * self, GstBuffer * in[],
    GstBuffer * out[])
{
  BdctEngine *engine = self->backend.engine;
  guint n = 0;

  for (; self->n_in_flight > 0; n++) {
    GstBlockDctInFlight frame;

    engine->klass->collect (engine, NULL, NULL);
    take_out (self, &frame);
    in[n] = frame.in;
    out[n] = frame.out;
  }
  return n;
}

void
gst_blockdct_queue_discard (GstBlockDct * self)
{
  GstBuffer *in[BDCT_MAX_DEPTH], *out[BDCT_MAX_DEPTH];
  guint n = gst_blockdct_queue_recall (self, in, out);

  for (guint i = 0; i < n; i++) {
    gst_buffer_unref (in[i]);
    gst_buffer_unref (out[i]);
  }
  gst_clear_buffer (&self->ready);
  gst_clear_buffer (&GST_BASE_TRANSFORM (self)->queued_buf);
}

void
gst_blockdct_queue_close (GstBlockDct * self)
{
  if (self->backend.engine == NULL)
    return;
  gst_blockdct_queue_discard (self);
  gst_blockdct_target_close (self);
  g_clear_pointer (&self->curve, g_free);
  g_clear_pointer (&self->second, g_free);
  gst_blockdct_regions_clear (&self->regions);
  gst_blockdct_backend_close (&self->backend);
  g_clear_pointer (&self->in_flight, g_free);
  self->depth = 0;
  self->generation++;
  set_active_backend (self);
}
