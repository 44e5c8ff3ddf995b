/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element and its engine: which one runs, the frames in it, and what comes
 * out of it. All but the choice is the streaming thread's. */
#include "gstblockdct.h"
#include "gstblockdcthost.h"
#include "gstblockdctmemory.h"

#define GST_CAT_DEFAULT gst_blockdct_debug

gboolean
gst_blockdct_engine_is_cuda (GstBlockDct * self)
{
  return self->engine != NULL && self->engine->klass != &bdct_cpu_engine;
}

static void
set_active_backend (GstBlockDct * self)
{
  GST_OBJECT_LOCK (self);
  g_free (self->active_backend);
  self->active_backend =
      self->engine ? g_strdup (self->engine->description) : NULL;
  self->backend_name =
      self->engine ? g_intern_string (self->engine->description) : NULL;
  self->active_cuda = gst_blockdct_engine_is_cuda (self);
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "active-backend");
}

/* Queries read the context from other threads. */
void
gst_blockdct_engine_set_context (GstBlockDct * self, GstObject * context)
{
  GstObject *old;

  GST_OBJECT_LOCK (self);
  old = self->context;
  self->context = context ? gst_object_ref (context) : NULL;
  GST_OBJECT_UNLOCK (self);
  gst_clear_object (&old);
}

void
gst_blockdct_engine_close (GstBlockDct * self)
{
  if (self->engine == NULL)
    return;
  self->engine->klass->destroy (self->engine);
  self->engine = NULL;
  gst_clear_object (&self->host_allocator);
  self->depth = 0;
  set_active_backend (self);
}

static gboolean
open_cpu (GstBlockDct * self, guint threads, BdctError * error)
{
  BdctEngineOptions options = {.threads = threads };

  self->engine = bdct_cpu_engine.create (&options, error);
  return self->engine != NULL;
}

#ifdef HAVE_CUDA
static gboolean
open_cuda (GstBlockDct * self, gint device_id, guint threads,
    BdctError * error)
{
  BdctEngineOptions options = {.threads = threads };
  gint n_devices;

  /* Before libgstcuda is asked: it must not be made to look for a device that
   * is not there. */
  n_devices = bdct_cuda_engine.count_devices (error);
  if (n_devices == 0 || !gst_blockdct_memory_init (error))
    return FALSE;
  if (device_id >= n_devices)
    return bdct_error (error, "cuda-device-id %d is outside 0 to %d",
        device_id, n_devices - 1);
  if (!gst_blockdct_memory_ensure_context (GST_ELEMENT (self), device_id,
          &self->context, error))
    return FALSE;
  options.context = gst_blockdct_memory_engine_context (self->context);
  self->engine = bdct_cuda_engine.create (&options, error);
  if (self->engine == NULL)
    return FALSE;
  self->host_allocator = gst_blockdct_host_allocator_new (&bdct_cuda_engine,
      gst_blockdct_memory_engine_context (self->context), self->context);
  return TRUE;
}
#else
static gboolean
open_cuda (GstBlockDct * self, gint device_id, guint threads,
    BdctError * error)
{
  (void) self, (void) device_id, (void) threads;
  return gst_blockdct_memory_init (error);
}
#endif

gboolean
gst_blockdct_engine_open (GstBlockDct * self)
{
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  BdctError error;

  if (settings.backend != GST_BLOCKDCT_BACKEND_CPU) {
    if (open_cuda (self, settings.device_id, settings.threads, &error))
      goto opened;
    if (settings.backend == GST_BLOCKDCT_BACKEND_CUDA) {
      GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
          ("backend=cuda cannot run: %s.", error.message),
          ("Check nvidia-smi, cuda-device-id, and that the plugin was built "
              "with CUDA; or use backend=auto or backend=cpu."));
      return FALSE;
    }
    GST_INFO_OBJECT (self, "no CUDA (%s); using the CPU", error.message);
    gst_blockdct_engine_set_context (self, NULL);
  }
  if (!open_cpu (self, settings.threads, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("The CPU engine cannot start: %s.", error.message),
        ("Lower the threads property."));
    return FALSE;
  }
opened:
  GST_INFO_OBJECT (self, "running on %s", self->engine->description);
  set_active_backend (self);
  return TRUE;
}

/* Frames in flight */

static void
release (GstBlockDctInFlight * frame)
{
  gst_video_frame_unmap (&frame->in_frame);
  gst_video_frame_unmap (&frame->out_frame);
  gst_clear_buffer (&frame->in);
}

/* Let `stats` see the counters. */
void
gst_blockdct_engine_publish (GstBlockDct * self)
{
  GST_OBJECT_LOCK (self);
  self->totals = self->report.totals;
  GST_OBJECT_UNLOCK (self);
}

/* Wait for the oldest frame. `outbuf` receives it; it is NULL on an error. */
GstFlowReturn
gst_blockdct_engine_collect (GstBlockDct * self, GstBuffer ** outbuf)
{
  GstBlockDctInFlight *frame = &self->in_flight[self->oldest];
  BdctStats stats;
  BdctError error;
  gboolean ok;

  ok = self->engine->klass->collect (self->engine, &stats, &error);
  self->oldest = (self->oldest + 1) % self->depth;
  self->n_in_flight--;
  gst_video_frame_unmap (&frame->in_frame);
  gst_video_frame_unmap (&frame->out_frame);
  *outbuf = g_steal_pointer (&frame->out);
  if (ok) {
    guint64 index = self->report.totals.pool.frames;
    GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
    GstClockTime pts = GST_BUFFER_PTS (*outbuf);
    GstBlockDctSettings settings = gst_blockdct_get_settings (self);
    GstBlockDctTimes times = {
      .timestamp = pts,
      .stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts),
      .running_time =
          gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts),
      .duration = GST_BUFFER_DURATION (*outbuf),
    };

    if (!GST_CLOCK_TIME_IS_VALID (times.duration)
        && GST_VIDEO_INFO_FPS_N (&self->info) > 0)
      times.duration = gst_util_uint64_scale_int (GST_SECOND,
          GST_VIDEO_INFO_FPS_D (&self->info),
          GST_VIDEO_INFO_FPS_N (&self->info));
    gst_blockdct_report_frame (&self->report, GST_ELEMENT (self), *outbuf,
        &stats, &frame->how, &times, settings.post_messages,
        settings.interval);
    gst_blockdct_engine_publish (self);
    gst_blockdct_navigation_show (self, settings.interactive ? frame : NULL,
        &times, index);
    gst_clear_buffer (&frame->in);
    gst_blockdct_overlay_draw (self, *outbuf, &stats, &frame->how,
        &frame->view, settings.overlay);
    if (gst_blockdct_stats_file_add (self->stats_file, *outbuf, &error))
      return GST_FLOW_OK;
    gst_clear_buffer (outbuf);
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("The statistics cannot be written: %s.", error.message),
        ("Make room there, or set stats-file to another place."));
    return GST_FLOW_ERROR;
  }
  gst_clear_buffer (&frame->in);
  gst_clear_buffer (outbuf);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
      ("A frame could not be processed on %s.", self->engine->description),
      ("%s", error.message));
  return GST_FLOW_ERROR;
}

/* Empty the engine, downstream or, with `push` FALSE, into nothing. */
GstFlowReturn
gst_blockdct_engine_drain (GstBlockDct * self, gboolean push)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (self->n_in_flight > 0) {
    GstBuffer *outbuf;

    if (push && ret == GST_FLOW_OK) {
      ret = gst_blockdct_engine_collect (self, &outbuf);
      if (outbuf != NULL)
        ret = gst_pad_push (GST_BASE_TRANSFORM_SRC_PAD (self), outbuf);
    } else {
      GstBlockDctInFlight *frame = &self->in_flight[self->oldest];

      self->engine->klass->collect (self->engine, NULL, NULL);
      self->oldest = (self->oldest + 1) % self->depth;
      self->n_in_flight--;
      release (frame);
      gst_clear_buffer (&frame->out);
    }
  }
  return ret;
}

/* Copies still work without pinned memory, only slower: that is said once. */
static void
warn_slow (GstBlockDct * self)
{
  const gchar *reason = self->engine->warning;

  if (self->warned)
    return;
  if (*reason == '\0' && self->host_allocator != NULL
      && gst_blockdct_host_allocator_refused (self->host_allocator))
    reason = "the driver gives no pinned memory for buffers";
  if (*reason == '\0')
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
      ("Frames in system memory are slow on %s.", self->engine->description),
      ("%s; lower async-depth, or allow more locked memory.", reason));
}

gboolean
gst_blockdct_engine_configure (GstBlockDct * self)
{
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  BdctError error;

  if (!self->engine->klass->configure (self->engine, &self->layout,
          settings.async_depth, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("%s cannot take %s %dx%d, %u at a time.", self->engine->description,
            GST_VIDEO_INFO_NAME (&self->info),
            GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info), settings.async_depth),
        ("%s", error.message));
    return FALSE;
  }
  g_free (self->in_flight);
  self->in_flight = g_new0 (GstBlockDctInFlight, settings.async_depth);
  self->oldest = 0;
  self->depth = settings.async_depth;
  self->job_valid = FALSE;
  gst_blockdct_view_configure (self);
  return TRUE;
}

/* Bring the job up to the parameters. */
static gboolean
update_job (GstBlockDct * self, BdctParams params)
{
  BdctError error;

  if (self->job_valid
      && memcmp (&params, &self->job_params, sizeof params) == 0)
    return TRUE;
  if (!bdct_job_init (&self->job, &params, &self->layout, &error)
      && params.n_steps > 0) {
    /* Only a matrix can turn out wrong once format and transform are known. */
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("quantization-matrix is set aside: %s.", error.message),
        ("The Annex K tables scaled by quality are used."));
    gst_blockdct_drop_matrix (self, &params);
    params.n_steps = 0;
    if (!bdct_job_init (&self->job, &params, &self->layout, &error))
      params.n_steps = -1;
  }
  self->job_params = params;
  self->job_valid = params.n_steps >= 0;
  return self->job_valid;
}

GstFlowReturn
gst_blockdct_engine_submit (GstBlockDct * self, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  guint next = (self->oldest + self->n_in_flight) % self->depth;
  GstBlockDctInFlight *frame = &self->in_flight[next];
  GstBlockDctSettings settings = gst_blockdct_get_settings (self);
  BdctFrame work = {.sets = &self->job,.n_sets = 1,.view = &frame->view };
  BdctError error;

  if (!update_job (self, settings.params))
    return GST_FLOW_NOT_NEGOTIATED;
  if (!gst_blockdct_memory_map (&frame->in_frame, &self->info, inbuf,
          GST_MAP_READ, &self->layout, self->context, &work.src, &error)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("An input buffer does not fit its caps."), ("%s", error.message));
    return GST_FLOW_ERROR;
  }
  if (!gst_blockdct_memory_map (&frame->out_frame, &self->info, outbuf,
          GST_MAP_WRITE, &self->layout, self->context, &work.dst, &error)) {
    gst_video_frame_unmap (&frame->in_frame);
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("An output buffer cannot be written."), ("%s", error.message));
    return GST_FLOW_ERROR;
  }
  frame->view = *gst_blockdct_view_update (self, &settings);
  work.wait[0] = gst_blockdct_memory_stream (inbuf, self->context);
  work.wait[1] = gst_blockdct_memory_stream (outbuf, self->context);
  if (!self->engine->klass->submit (self->engine, &work, &error)) {
    gst_video_frame_unmap (&frame->in_frame);
    gst_video_frame_unmap (&frame->out_frame);
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("A frame could not be started on %s.", self->engine->description),
        ("%s", error.message));
    return GST_FLOW_ERROR;
  }
  warn_slow (self);
  frame->in = gst_buffer_ref (inbuf);
  frame->out = gst_buffer_ref (outbuf);
  frame->how.params = self->job_params;
  frame->how.depth = self->layout.depth;
  frame->how.backend = self->backend_name;
  self->n_in_flight++;
  return GST_FLOW_OK;
}
