/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs the backend, starts pairs and collects them. Only the aggregating thread
 * calls these functions. */
#include "gstblockdctcompareprivate.h"
#include "gst-plugin/common/gstblockdctformat.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* How long view=flicker shows one picture. */
#define FLICKER_TIME (GST_SECOND / 2)

gboolean
gst_blockdct_compare_frames_open (GstBlockDctCompare * self)
{
  const GstBlockDctCommon start =
      gst_blockdct_compare_get_settings (self).common;

  if (!gst_blockdct_backend_open (&self->frames.backend, &start))
    return FALSE;
  self->frames.in_flight =
      g_new0 (GstBlockDctCompareInFlight, GST_BLOCKDCT_COMPARE_DEPTH);
  return TRUE;
}

void
gst_blockdct_compare_frames_close (GstBlockDctCompare * self)
{
  if (self->frames.backend.engine == NULL)
    return;
  gst_blockdct_compare_frames_discard (self);
  g_clear_pointer (&self->frames.in_flight, g_free);
  self->frames.depth = 0;
  gst_blockdct_backend_close (&self->frames.backend);
}

gboolean
gst_blockdct_compare_frames_configure (GstBlockDctCompare * self,
    const GstVideoInfo * info)
{
  GstBlockDctCompareFrames *frames = &self->frames;

  frames->info = *info;
  /* With several pairs in the engine, copies to and from a GPU overlap with its
   * work; in a live pipeline each frame leaves as soon as possible. */
  frames->depth = frames->backend.klass->feature != NULL
      && !GST_CLOCK_TIME_IS_VALID (gst_aggregator_get_latency
      (GST_AGGREGATOR (self))) ? GST_BLOCKDCT_COMPARE_DEPTH : 1;
  frames->oldest = 0;
  frames->warned_metrics = 0;
  gst_blockdct_format_layout (info, BDCT_CHROMA_444, &frames->layout);
  gst_blockdct_format_view (info, &frames->layout, &frames->colours);
  gst_blockdct_navigation_set_size (&self->navigation,
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
  if (gst_blockdct_backend_configure (&frames->backend, info, &frames->layout,
          frames->depth))
    return TRUE;
  frames->depth = 0;
  return FALSE;
}

/* A frame's view, from its settings. */
static BdctView
make_view (const GstBlockDctCompareFrames * frames,
    const GstBlockDctCompareSettings * settings, GstClockTime stream_time)
{
  BdctView view = frames->colours;

  view.mode = settings->view;
  view.second = GST_CLOCK_TIME_IS_VALID (stream_time)
      && stream_time / FLICKER_TIME % 2 == 1;
  view.position = settings->wipe_position;
  view.gain = settings->difference_gain;
  view.zoom = settings->zoom;
  view.zoom_x = settings->zoom_x;
  view.zoom_y = settings->zoom_y;
  return view;
}

static void
unmap (GstBlockDctCompareInFlight * frame)
{
  while (frame->n_mapped > 0)
    gst_video_frame_unmap (&frame->mapped[--frame->n_mapped]);
}

/* Map a picture, and have the engine wait for work that is pending in a stream
 * of the buffer's memory. */
static gboolean
map (GstBlockDctCompare * self, GstBlockDctCompareInFlight * frame,
    const GstVideoInfo * info, const BdctLayout * layout, GstBuffer * buffer,
    GstMapFlags flags, BdctComparison * comparison, BdctImage * image)
{
  const guint n = frame->n_mapped;
  const gboolean ok = gst_blockdct_backend_map (&self->frames.backend,
      &frame->mapped[n], info, layout, buffer, flags, image,
      &comparison->wait[n]);

  frame->n_mapped += ok;
  return ok;
}

/* The index of a pad's picture among those compared; -1: the reference. */
static gint
find_picture (const GstBlockDctCompareInFlight * frame, gint pad)
{
  gint i = frame->n_pads - 1;

  while (i >= 0 && frame->pad[i] != pad)
    i--;
  return i;
}

/* Map all pictures of a pair and describe them. */
static gboolean
map_pictures (GstBlockDctCompare * self, GstBlockDctCompareInFlight * frame,
    BdctComparison * comparison)
{
  gboolean ok = map (self, frame, &self->frames.info, &self->frames.layout,
      frame->pair.reference, GST_MAP_READ, comparison,
      &comparison->reference.image);

  for (gint i = 0; i < BDCT_MAX_DISTORTED && ok; i++) {
    BdctPicture *picture = &comparison->distorted[comparison->n_distorted];

    if (frame->pair.distorted[i] == NULL)
      continue;
    picture->layout = &self->pads[1 + i]->layout;
    ok = map (self, frame, &self->pads[1 + i]->info, picture->layout,
        frame->pair.distorted[i], GST_MAP_READ, comparison, &picture->image);
    frame->pad[frame->n_pads++] = i;
    comparison->n_distorted++;
  }
  return ok && (frame->out == NULL || map (self, frame, &self->output.info,
          &self->frames.layout, frame->out, GST_MAP_WRITE, comparison,
          &comparison->dst));
}

static void
release (GstBlockDctCompareInFlight * frame)
{
  unmap (frame);
  gst_blockdct_compare_pair_clear (&frame->pair);
  gst_clear_buffer (&frame->out);
}

/* Start a comparison, or collect the oldest one's `stats`. */
static gboolean
run (GstBlockDctCompare * self, const BdctComparison * comparison,
    BdctStats * stats)
{
  BdctEngine *engine = self->frames.backend.engine;
  BdctError error;

  if (stats != NULL)
    stats->size = sizeof *stats;
  return (stats != NULL ? bdct_engine_collect (engine, stats, &error)
      : bdct_engine_compare (engine, comparison, &error))
      || gst_blockdct_backend_fail (&self->frames.backend,
      "Frames could not be compared", &error);
}

/* The oldest pair has left the engine. */
static void
leave (GstBlockDctCompareFrames * frames)
{
  frames->oldest = (frames->oldest + 1) % frames->depth;
  frames->n_in_flight--;
}

GstFlowReturn
gst_blockdct_compare_frames_submit (GstBlockDctCompare * self,
    GstBuffer * out, const GstBlockDctCompareSettings * settings)
{
  GstBlockDctCompareFrames *frames = &self->frames;
  GstBlockDctCompareInFlight *frame = &frames->in_flight[(frames->oldest
          + frames->n_in_flight) % frames->depth];
  BdctComparison comparison = {
    .size = sizeof comparison,
    .number = self->pair.number,
    .errors = (settings->metrics & GST_BLOCKDCT_COMPARE_PSNR) != 0
        || settings->common.min_psnr_error > 0
        || settings->common.min_psnr_warning > 0,
    .metrics = gst_blockdct_format_metrics (GST_ELEMENT (self),
        settings->metrics & ~GST_BLOCKDCT_COMPARE_PSNR, &frames->info,
        &frames->layout, &frames->warned_metrics, "Its fields are absent."),
    .frame_rate = GST_VIDEO_INFO_FPS_N (&frames->info)
        / MAX (GST_VIDEO_INFO_FPS_D (&frames->info), 1),
  };

  frame->pair = self->pair;
  self->pair = (GstBlockDctComparePair) {
  0};
  frame->out = out;
  frame->n_mapped = frame->n_pads = 0;
  frame->settings = *settings;
  frame->times = gst_blockdct_times_of (frame->pair.reference,
      &GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD (self))->segment,
      &self->frames.info);
  frame->view = make_view (frames, settings, frame->times.stream_time);
  if (out != NULL)
    comparison.view = &frame->view;
  if (!map_pictures (self, frame, &comparison))
    goto failed;
  comparison.left = find_picture (frame, settings->left);
  comparison.right = find_picture (frame, settings->right);
  if (!run (self, &comparison, NULL))
    goto failed;
  frames->n_in_flight++;
  return GST_FLOW_OK;

failed:
  release (frame);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_blockdct_compare_frames_collect (GstBlockDctCompare * self,
    GstBlockDctCompareInFlight ** out, BdctStats stats[BDCT_MAX_DISTORTED])
{
  GstBlockDctCompareFrames *frames = &self->frames;
  GstBlockDctCompareInFlight *frame = &frames->in_flight[frames->oldest];
  const gboolean ok = run (self, NULL, stats);

  *out = frame;
  leave (frames);
  unmap (frame);
  if (ok)
    return GST_FLOW_OK;
  release (frame);
  return GST_FLOW_ERROR;
}

void
gst_blockdct_compare_frames_discard (GstBlockDctCompare * self)
{
  GstBlockDctCompareFrames *frames = &self->frames;

  while (frames->n_in_flight > 0) {
    bdct_engine_collect (frames->backend.engine, NULL, NULL);
    release (&frames->in_flight[frames->oldest]);
    leave (frames);
  }
}

gint
gst_blockdct_compare_frames_get_errors (GstBlockDctCompare * self,
    GstBuffer * buffer, const GstBlockDctComparePad * from,
    GstBuffer * const *others, guint n, const GstBlockDctComparePad * with,
    gdouble mse[BDCT_MAX_DISTORTED])
{
  GstBlockDctCompareInFlight frame = {.n_mapped = 0 };
  BdctComparison comparison = {.size = sizeof comparison,.errors = true };
  BdctStats stats[BDCT_MAX_DISTORTED];
  gboolean ok = map (self, &frame, &from->info, &from->layout, buffer,
      GST_MAP_READ, &comparison, &comparison.reference.image);

  comparison.reference.layout = &from->layout;
  for (guint i = 0; i < n && others[i] != NULL && ok; i++) {
    BdctPicture *picture = &comparison.distorted[comparison.n_distorted++];

    ok = map (self, &frame, &with->info, &with->layout, others[i],
        GST_MAP_READ, &comparison, &picture->image);
    picture->layout = &with->layout;
  }
  if (ok && comparison.n_distorted > 0)
    ok = run (self, &comparison, NULL) && run (self, NULL, stats);
  unmap (&frame);
  for (gint i = 0; i < comparison.n_distorted && ok; i++) {
    BdctCounters total = bdct_counters_sum (stats[i].component);

    mse[i] = bdct_mse (&total);
  }
  return ok ? comparison.n_distorted : -1;
}
