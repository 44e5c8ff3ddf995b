/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gstblockdctcompareprivate.h"

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* Half of a frame's duration where the duration is unknown. */
#define DEFAULT_TOLERANCE (10 * GST_MSECOND)

void
gst_blockdct_compare_pair_clear (GstBlockDctComparePair * pair)
{
  gst_clear_buffer (&pair->reference);
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    gst_clear_buffer (&pair->distorted[i]);
}

static gboolean
is_repeated (GstBuffer * buffer)
{
  return gst_blockdct_mark_is (buffer, GST_BLOCKDCT_MARK_REPEATED);
}

/* The next frame of a pad, and its running time. Gaps do not count, nor do
 * buffers of before a flush, which may remove the segment after a frame has
 * been peeked at. */
static GstBuffer *
peek (GstBlockDctComparePad * pad, GstClockTime * time)
{
  GstAggregatorPad *agg_pad = GST_AGGREGATOR_PAD (pad);
  GstBuffer *buffer;

  while ((buffer = gst_aggregator_pad_peek_buffer (agg_pad)) != NULL) {
    const GstSegment segment = gst_blockdct_compare_pad_get_segment (pad);

    *time = gst_blockdct_compare_find_running_time (&segment, buffer);
    if (!gst_blockdct_compare_is_gap (buffer)
        && segment.format != GST_FORMAT_UNDEFINED)
      break;
    gst_buffer_unref (buffer);
    gst_aggregator_pad_drop_buffer (agg_pad);
  }
  return buffer;
}

/* Of the reference. */
static GstClockTime
get_duration (GstBlockDctCompare * self, GstBuffer * buffer)
{
  if (GST_VIDEO_INFO_FPS_N (&self->reference->info) > 0)
    return gst_blockdct_times_of_frames (&self->reference->info, 1);
  if (GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer) > 0)
    return GST_BUFFER_DURATION (buffer);
  return GST_CLOCK_TIME_IS_VALID (self->match.smallest_gap)
      ? self->match.smallest_gap : 2 * DEFAULT_TOLERANCE;
}

/* Take the next frame from a pad, and count it unless it is repeated. NULL: it
 * has gone since it was peeked at, as another thread has released the pad. */
static GstBuffer *
take (GstBlockDctComparePad * pad)
{
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (GST_AGGREGATOR_PAD (pad));

  if (buffer == NULL || is_repeated (buffer))
    return buffer;
  pad->last_time = gst_blockdct_compare_pad_get_running_time (pad, buffer);
  pad->arrived++;
  return buffer;
}

/* Drop a distorted frame that has no partner. */
static void
skip (GstBlockDctCompare * self, GstBlockDctComparePad * pad)
{
  GstBuffer *buffer = take (pad);

  if (buffer == NULL)
    return;
  GST_DEBUG_OBJECT (pad, "no partner for %" GST_PTR_FORMAT, buffer);
  gst_blockdct_statistics_drop (&self->statistics[pad->number],
      GST_ELEMENT (self), !is_repeated (buffer));
  gst_buffer_unref (buffer);
}

/* Decide how the next reference frame, which has a time or none, is matched,
 * from the next frames of the other inputs: once, whatever comes later. FALSE:
 * some of them are missing yet. */
static gboolean
decide (GstBlockDctCompare * self, gboolean has_time, gboolean timeout)
{
  GstBlockDctCompareMatch *match = &self->match;
  guint with = has_time, without = !has_time;

  if (match->decided)
    return TRUE;
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++) {
    GstBlockDctComparePad *pad = self->pads[i];
    GstClockTime time;
    GstBuffer *buffer = pad != NULL ? peek (pad, &time) : NULL;

    if (buffer != NULL) {
      *(GST_CLOCK_TIME_IS_VALID (time) ? &with : &without) += 1;
      gst_buffer_unref (buffer);
    } else if (pad != NULL && !timeout
        && !gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (pad))) {
      return FALSE;
    }
  }
  match->by_time = without == 0;
  match->decided = TRUE;
  if (with > 0 && without > 0 && !match->warned_mixed) {
    match->warned_mixed = TRUE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Some inputs have no timestamps: frames are matched in order of "
            "arrival."),
        ("To add timestamps, use videorate, or a parser such as h264parse."));
  }
  return TRUE;
}

/* Skip the frames of a distorted pad that are before the partner at `place`, in
 * ns or in frames. Returns whether the partner is next. FALSE: there is none,
 * or, with `*waits`, not yet. The partner stays in its queue until all inputs
 * have theirs, so that later events, such as new caps, wait for it. */
static gboolean
find_partner (GstBlockDctCompare * self, GstBlockDctComparePad * pad,
    gint64 place, gint64 tolerance, gboolean * waits)
{
  const gboolean by_time = self->match.by_time;
  GstClockTime time;
  GstBuffer *buffer;

  while ((buffer = peek (pad, &time)) != NULL) {
    const gint64 at = by_time ? (gint64) time : (gint64) pad->arrived;

    gst_buffer_unref (buffer);
    /* One without a time came after frames that have one. */
    if (!by_time || GST_CLOCK_TIME_IS_VALID (time)) {
      if (at > place + tolerance)
        return FALSE;
      if (at >= place - tolerance)
        return TRUE;
    }
    skip (self, pad);
  }
  *waits |= !gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (pad));
  return FALSE;
}

/* The remaining frames of the other inputs have no partner, nor have those that
 * wait behind an event. */
static void
skip_rest (GstBlockDctCompare * self)
{
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++) {
    GstBlockDctComparePad *pad = self->pads[1 + i];
    GstClockTime time;
    GstBuffer *buffer;

    while (pad != NULL && (buffer = peek (pad, &time)) != NULL) {
      gst_buffer_unref (buffer);
      skip (self, pad);
    }
    if (pad != NULL)
      gst_blockdct_statistics_drop (&self->statistics[i], GST_ELEMENT (self),
          gst_blockdct_compare_pad_count (pad));
  }
}

void
gst_blockdct_compare_match_restart (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad)
{
  /* XPSNR uses the two previous frames: none from before the flush. */
  if (pad == self->reference)
    self->match.first_number += pad->arrived + 3;
  pad->arrived = 0;
  pad->last_time = GST_CLOCK_TIME_NONE;
  self->match.decided = FALSE;
}

GstBlockDctCompareResult
gst_blockdct_compare_match_next (GstBlockDctCompare * self, gboolean timeout)
{
  GstBlockDctCompareMatch *match = &self->match;
  GstBlockDctComparePair *pair = &self->pair;
  GstBlockDctComparePad *reference = self->reference;
  gboolean found[BDCT_MAX_DISTORTED] = { FALSE }, waits = FALSE, met = FALSE;
  gint64 place, tolerance = 0;
  gint64 behind = gst_blockdct_compare_get_settings (self).offset;
  GstClockTime time;
  GstBuffer *buffer = peek (reference, &time);

  if (buffer == NULL) {
    if (!gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (reference)))
      return GST_BLOCKDCT_COMPARE_WAITING;
    skip_rest (self);
    return GST_BLOCKDCT_COMPARE_ENDED;
  }
  if (!decide (self, GST_CLOCK_TIME_IS_VALID (time), timeout)) {
    gst_buffer_unref (buffer);
    return GST_BLOCKDCT_COMPARE_WAITING;
  }
  place = reference->arrived;
  if (match->by_time) {
    const GstClockTime last = reference->last_time;
    GstClockTime duration;

    if (GST_CLOCK_TIME_IS_VALID (last) && time > last)
      match->smallest_gap = MIN (match->smallest_gap, time - last);
    place = time;
    duration = get_duration (self, buffer);
    tolerance = duration / 2;
    behind *= (gint64) duration;
  }
  gst_buffer_unref (buffer);
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    if (self->pads[1 + i] != NULL)
      found[i] = find_partner (self, self->pads[1 + i], place + behind,
          tolerance, &waits);
  if (waits && !timeout)
    return GST_BLOCKDCT_COMPARE_WAITING;
  match->decided = FALSE;
  pair->segment = gst_blockdct_compare_pad_get_segment (reference);
  pair->reference = take (reference);
  if (pair->segment.format == GST_FORMAT_UNDEFINED)
    gst_clear_buffer (&pair->reference);
  if (pair->reference == NULL)
    return GST_BLOCKDCT_COMPARE_SKIPPED;
  pair->number = match->first_number + reference->arrived - 1;
  pair->repeated = is_repeated (pair->reference);
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++) {
    if (found[i])
      pair->distorted[i] = take (self->pads[1 + i]);
    met |= pair->distorted[i] != NULL;
    if (self->pads[1 + i] != NULL && pair->distorted[i] == NULL
        && !pair->repeated)
      gst_blockdct_statistics_drop (&self->statistics[i], GST_ELEMENT (self),
          1);
  }
  if (!met) {
    GST_DEBUG_OBJECT (reference, "no partner for %" GST_PTR_FORMAT,
        pair->reference);
    gst_clear_buffer (&pair->reference);
    return GST_BLOCKDCT_COMPARE_SKIPPED;
  }
  GST_LOG_OBJECT (reference, "matched as frame %" G_GUINT64_FORMAT ": %"
      GST_PTR_FORMAT, pair->number, pair->reference);
  match->pairs++;
  return GST_BLOCKDCT_COMPARE_MATCHED;
}
