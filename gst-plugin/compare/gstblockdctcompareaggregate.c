/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes matched frames from GstAggregator, starts them as pairs, and pushes the
 * pairs that are ready. */
#include "gst-plugin/common/gstblockdctformat.h"
#include "gstblockdctcompareprivate.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

void
gst_blockdct_compare_forget (GstBlockDctCompare * self)
{
  gst_blockdct_compare_pair_clear (&self->pair);
  gst_blockdct_compare_frames_discard (self);
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    gst_blockdct_compare_shifts_reset (&self->shifts[i]);
}

void
gst_blockdct_compare_follow_flush (GstBlockDctCompare * self)
{
  if (!g_atomic_int_compare_and_exchange (&self->flush_pending, TRUE, FALSE))
    return;
  gst_blockdct_compare_forget (self);
  self->match.smallest_gap = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    gst_blockdct_statistics_flush (&self->statistics[i]);
}

/* Frames */

/* The source pad's segment is the reference's. */
static GstFlowReturn
follow_segment (GstBlockDctCompare * self)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (GST_PAD (self->reference), GST_EVENT_SEGMENT,
      0);
  const guint32 seqnum = event != NULL ? gst_event_get_seqnum (event) : 0;
  GstSegment segment = self->pair.segment;
  const GstSegment *ours = &GST_AGGREGATOR_PAD (GST_AGGREGATOR_SRC_PAD
      (self))->segment;
  GstFlowReturn ret;

  segment.position = ours->position;
  if (seqnum == self->output.segment_seqnum
      && gst_segment_is_equal (&segment, ours))
    return GST_FLOW_OK;
  ret = gst_blockdct_compare_drain (self);
  if (ret != GST_FLOW_OK)
    return ret;
  self->output.segment_seqnum = seqnum;
  gst_aggregator_update_segment (GST_AGGREGATOR (self), &segment);
  return GST_FLOW_OK;
}

static GstFlowReturn
get_output (GstBlockDctCompare * self, GstBuffer ** out)
{
  g_autoptr (GstBufferPool) pool = NULL;
  GstFlowReturn ret;

  *out = NULL;
  if (self->output.single != GST_BLOCKDCT_COMPARE_DRAWN)
    return GST_FLOW_OK;
  pool = gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self));
  if (pool == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  ret = gst_buffer_pool_set_active (pool, TRUE)
      ? gst_buffer_pool_acquire_buffer (pool, out, NULL) : GST_FLOW_ERROR;
  if (ret == GST_FLOW_ERROR)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Cannot get an output buffer."),
        ("The memory may be full: close other programs that use it."));
  return ret;
}

/* Replace pictures of the view that do not exist by pictures that do. */
static void
choose_pictures (GstBlockDctCompare * self,
    GstBlockDctCompareSettings * settings)
{
  static const gchar *const names[] = { "left", "right" };
  gint *const sides[] = { &settings->left, &settings->right };
  gint present = 0;

  while (present < BDCT_MAX_DISTORTED - 1
      && self->pair.distorted[present] == NULL)
    present++;
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    g_autoptr (GstPad) pad = NULL;

    if (*sides[i] < 0 || self->pair.distorted[*sides[i]] != NULL)
      continue;
    /* It may be newer than the pads of this pair. */
    pad = gst_element_get_static_pad (GST_ELEMENT (self),
        gst_blockdct_compare_pad_names[*sides[i]]);
    if (pad == NULL && self->pads[1 + *sides[i]] == NULL
        && gst_blockdct_compare_warn_once (self,
            GST_BLOCKDCT_COMPARE_WARNED_LEFT + i))
      GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
          ("%s=%d: there is no %s.", names[i], *sides[i],
              gst_blockdct_compare_pad_names[*sides[i]]),
          ("The view shows another picture instead. Link that pad, or set "
              "another %s.", names[i]));
    *sides[i] = i == 0 ? GST_BLOCKDCT_COMPARE_REFERENCE : present;
  }
}

/* Move to another context, if the reference has. */
static gboolean
follow_context (GstBlockDctCompare * self, gint device_id)
{
  GstBlockDctBackend *backend = &self->frames.backend;
  g_autoptr (GstObject) other = NULL;

  if (backend->klass == NULL)   /* it could not be reopened */
    return gst_blockdct_compare_frames_open (self);
  other = gst_blockdct_backend_find_other (backend, self->pair.reference,
      device_id);
  if (other == NULL || gst_blockdct_compare_drain (self) != GST_FLOW_OK)
    return TRUE;
  gst_blockdct_compare_frames_close (self);
  gst_blockdct_backend_set_context (backend, other);
  return gst_blockdct_compare_frames_open (self);
}

/* Whether all inputs of the pair have caps. */
static gboolean
check_caps_are_there (GstBlockDctCompare * self)
{
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    if (self->pads[i] != NULL && self->pads[i]->caps == NULL
        && (i == 0 || self->pair.distorted[i - 1] != NULL)) {
      gst_blockdct_format_post_no_caps (GST_ELEMENT (self),
          GST_PAD (self->pads[i]));
      return FALSE;
    }
  return TRUE;
}

/* Start the pair that was matched. */
static GstFlowReturn
start_pair (GstBlockDctCompare * self)
{
  GstBlockDctCompareSettings settings;
  gboolean changed;
  GstClockTime time = self->pair.segment.format != GST_FORMAT_TIME
      ? GST_CLOCK_TIME_NONE : gst_segment_to_stream_time (&self->pair.segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (self->pair.reference));
  GstFlowReturn ret;
  GstBuffer *out;

  if (!check_caps_are_there (self))
    return GST_FLOW_NOT_NEGOTIATED;
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  settings = gst_blockdct_compare_get_settings (self);
  if (!follow_context (self, settings.common.device_id))
    return GST_FLOW_ERROR;
  choose_pictures (self, &settings);
  ret = gst_blockdct_compare_follow_caps (self, &changed);
  if (ret == GST_FLOW_OK)
    ret = gst_blockdct_compare_follow_output (self, &settings, changed);
  if (ret == GST_FLOW_OK)
    ret = follow_segment (self);
  if (ret == GST_FLOW_OK && !self->pair.repeated)
    ret = gst_blockdct_compare_shifts_look (self, settings.offset);
  if (ret == GST_FLOW_OK)
    ret = get_output (self, &out);
  if (ret == GST_FLOW_OK)
    ret = gst_blockdct_compare_frames_submit (self, out, &settings);
  return ret;
}

/* Whether every input that has not ended has its next frame: then the engine is
 * kept busy, otherwise its pairs leave at once. */
static gboolean
has_more (GstBlockDctCompare * self)
{
  gboolean more = TRUE;

  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++)
    more = more && (self->pads[i] == NULL
        || gst_aggregator_pad_has_buffer (GST_AGGREGATOR_PAD (self->pads[i]))
        || gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (self->pads[i])));
  return more;
}

/* Push the pairs that may leave. */
static GstFlowReturn
push_ready (GstBlockDctCompare * self)
{
  const GstBlockDctCompareFrames *frames = &self->frames;
  GstFlowReturn ret = GST_FLOW_OK;

  /* Check again each time, as an input's next frame may come meanwhile. */
  while (ret == GST_FLOW_OK && frames->n_in_flight > 0
      && (frames->n_in_flight == frames->depth || !has_more (self)))
    ret = gst_blockdct_compare_push_oldest (self);
  return ret;
}

/* Warn, after `least` reference frames, that none of them has a partner. */
static void
warn_unmatched (GstBlockDctCompare * self, guint64 least)
{
  if (self->reference->arrived < least || self->match.pairs > 0
      || !gst_blockdct_compare_warn_once (self,
          GST_BLOCKDCT_COMPARE_WARNED_UNMATCHED))
    return;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("None of %" G_GUINT64_FORMAT " reference frames has a match.",
          self->reference->arrived),
      ("Frames are matched by running time: check the inputs' timestamps, or "
          "set offset to the number of frames by which the distorted inputs "
          "are late."));
}

static GstFlowReturn
aggregate (GstAggregator * agg, gboolean timeout)
{
  GstBlockDctCompare *self = GST_BLOCKDCT_COMPARE_CAST (agg);
  GstFlowReturn ret = GST_FLOW_OK;

  gst_blockdct_compare_follow_flush (self);
  gst_blockdct_compare_get_pads (GST_ELEMENT (self), self->pads);
  switch (gst_blockdct_compare_match_next (self, timeout)) {
    case GST_BLOCKDCT_COMPARE_MATCHED:
      ret = start_pair (self);
      gst_blockdct_compare_pair_clear (&self->pair);
      if (ret == GST_FLOW_OK)
        ret = push_ready (self);
      break;
    case GST_BLOCKDCT_COMPARE_SKIPPED:
      warn_unmatched (self, GST_BLOCKDCT_COMPARE_MAX_FRAMES);
      ret = push_ready (self);
      break;
    case GST_BLOCKDCT_COMPARE_WAITING:
      ret = gst_blockdct_compare_drain (self);
      if (ret == GST_FLOW_OK)
        ret = GST_AGGREGATOR_FLOW_NEED_DATA;
      break;
    case GST_BLOCKDCT_COMPARE_ENDED:
      ret = gst_blockdct_compare_drain (self);
      if (ret == GST_FLOW_OK) {
        warn_unmatched (self, 1);
        gst_blockdct_compare_shifts_end (self,
            gst_blockdct_compare_get_settings (self).offset);
        gst_blockdct_compare_finish_end (self);
        ret = GST_FLOW_EOS;
      }
      break;
  }
  /* GstAggregator refuses frames from now on: those that wait, too. */
  for (guint i = 0; i <= BDCT_MAX_DISTORTED && ret != GST_FLOW_OK
      && ret != GST_AGGREGATOR_FLOW_NEED_DATA; i++)
    if (self->pads[i] != NULL)
      gst_blockdct_compare_pad_open (self->pads[i]);
  gst_blockdct_compare_put_pads (self->pads);
  return ret;
}

/* A live pipeline waits until the next reference frame's time for its
 * partners. */
static GstClockTime
get_next_time (GstAggregator * agg)
{
  GstBlockDctComparePad *pad = GST_BLOCKDCT_COMPARE_CAST (agg)->reference;
  g_autoptr (GstBuffer) buffer =
      gst_aggregator_pad_peek_buffer (GST_AGGREGATOR_PAD (pad));

  return buffer == NULL ? GST_CLOCK_TIME_NONE
      : gst_blockdct_compare_pad_get_running_time (pad, buffer);
}

void
gst_blockdct_compare_install_aggregate (GstAggregatorClass * klass)
{
  klass->aggregate = GST_DEBUG_FUNCPTR (aggregate);
  klass->get_next_time = GST_DEBUG_FUNCPTR (get_next_time);
  klass->clip = GST_DEBUG_FUNCPTR (gst_blockdct_compare_pad_clip);
}
