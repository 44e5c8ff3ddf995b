/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst-plugin/common/gstblockdctpool.h"
#include "gst-plugin/common/gstblockdctmark.h"
#include "gstblockdctcomparematch.h"

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);
#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* Half of a frame's duration where the duration is unknown. */
#define DEFAULT_TOLERANCE (10 * GST_MSECOND)

/* A shift that fits has less than half of the error: 3 dB. Frames that an
 * encoder repeats at very low rates look like a shift, but the difference is
 * smaller. */
#define CLEARLY_LESS 0.5
#define MIN_SHIFT_PAIRS 4

/* A frame's position in its stream: in ns, or in frames. */
typedef struct
{
  gint64 at;
  gint64 tolerance;
} Place;

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

/* Whether a flush has removed the segment, which may happen after a frame has
 * been peeked at. */
static gboolean
is_flushed (GstBlockDctComparePad * pad)
{
  return gst_blockdct_compare_pad_get_segment (pad).format
      == GST_FORMAT_UNDEFINED;
}

/* The next frame of a pad. Gaps, and buffers that a flush makes invalid, do not
 * count. */
static GstBuffer *
peek (GstBlockDctComparePad * pad)
{
  GstAggregatorPad *agg_pad = GST_AGGREGATOR_PAD (pad);
  GstBuffer *buffer = gst_aggregator_pad_peek_buffer (agg_pad);

  while (buffer != NULL && (gst_blockdct_compare_is_gap (buffer)
          || is_flushed (pad))) {
    gst_buffer_unref (buffer);
    gst_aggregator_pad_drop_buffer (agg_pad);
    buffer = gst_aggregator_pad_peek_buffer (agg_pad);
  }
  return buffer;
}

static GstClockTime
get_duration (const GstBlockDctCompareMatch * match,
    const GstBlockDctComparePad * pad, GstBuffer * buffer)
{
  const GstVideoInfo *info = &pad->info;

  if (GST_VIDEO_INFO_FPS_N (info) > 0)
    return gst_util_uint64_scale_int (GST_SECOND, GST_VIDEO_INFO_FPS_D (info),
        GST_VIDEO_INFO_FPS_N (info));
  if (GST_BUFFER_DURATION_IS_VALID (buffer) && GST_BUFFER_DURATION (buffer) > 0)
    return GST_BUFFER_DURATION (buffer);
  return GST_CLOCK_TIME_IS_VALID (match->smallest_gap) ? match->smallest_gap
      : 2 * DEFAULT_TOLERANCE;
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
skip (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad)
{
  GstBuffer *buffer = take (pad);

  if (buffer == NULL)
    return;
  GST_DEBUG_OBJECT (pad, "no partner for %" GST_PTR_FORMAT, buffer);
  match->unmatched[pad->number] += !is_repeated (buffer);
  gst_buffer_unref (buffer);
}

/* Decide how the next reference frame is matched, from the next frames of all
 * inputs: once, whatever comes later. FALSE: some of them are missing yet. */
static gboolean
decide (GstBlockDctCompareMatch * match, GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    gboolean timeout)
{
  guint with = 0, without = 0;

  if (match->decided)
    return TRUE;
  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++) {
    GstBuffer *buffer = pads[i] != NULL ? peek (pads[i]) : NULL;

    if (buffer == NULL) {
      if (pads[i] != NULL && !timeout
          && !gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (pads[i])))
        return FALSE;
      continue;
    }
    if (GST_CLOCK_TIME_IS_VALID (gst_blockdct_compare_pad_get_running_time
            (pads[i], buffer)))
      with++;
    else
      without++;
    gst_buffer_unref (buffer);
  }
  match->by_time = without == 0;
  match->decided = TRUE;
  if (with > 0 && without > 0 && !match->warned_mixed) {
    match->warned_mixed = TRUE;
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("Some inputs have no timestamps: frames are matched in order of "
            "arrival."),
        ("To add timestamps, use videorate, or a parser such as h264parse."));
  }
  return TRUE;
}

/* Skip the frames of a distorted pad that are before the reference at `place`.
 * Returns whether the partner is next. FALSE: there is none, or, with `*waits`,
 * not yet. The partner stays in its queue until all inputs have theirs, so that
 * later events, such as new caps, wait for it. */
static gboolean
find_partner (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad,
    Place place, gint64 behind, gboolean by_time, gboolean * waits)
{
  GstBuffer *buffer;

  while ((buffer = peek (pad)) != NULL) {
    const GstClockTime time =
        gst_blockdct_compare_pad_get_running_time (pad, buffer);
    const gint64 at = (by_time ? (gint64) time : (gint64) pad->arrived)
        - behind;

    gst_buffer_unref (buffer);
    if (by_time && !GST_CLOCK_TIME_IS_VALID (time)) {
      /* It has no time, and came after frames that have one. */
      skip (match, pad);
      continue;
    }
    if (at > place.at + place.tolerance)
      return FALSE;
    if (at >= place.at - place.tolerance)
      return TRUE;
    skip (match, pad);
  }
  *waits |= !gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (pad));
  return FALSE;
}

/* The remaining frames of the other inputs have no partner, nor have those that
 * wait behind an event. */
static void
skip_rest (GstBlockDctCompareMatch * match,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED])
{
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++) {
    GstBuffer *buffer;

    while (pads[i] != NULL && (buffer = peek (pads[i])) != NULL) {
      gst_buffer_unref (buffer);
      skip (match, pads[i]);
    }
    if (pads[i] != NULL)
      match->unmatched[i - 1] += gst_blockdct_compare_pad_count (pads[i]);
  }
}

/* The position of the reference frame, and the tolerance for its partners. */
static Place
find_place (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad,
    GstBuffer * buffer, gboolean by_time)
{
  const GstClockTime time =
      gst_blockdct_compare_pad_get_running_time (pad, buffer);

  if (!by_time)
    return (Place) {
    pad->arrived, 0};
  if (GST_CLOCK_TIME_IS_VALID (pad->last_time) && time > pad->last_time)
    match->smallest_gap = MIN (match->smallest_gap, time - pad->last_time);
  return (Place) {
  time, get_duration (match, pad, buffer) / 2};
}

void
gst_blockdct_compare_match_restart (GstBlockDctCompareMatch * match,
    GstBlockDctComparePad * pad)
{
  /* XPSNR uses the two previous frames: none from before the flush. */
  if (pad->number == GST_BLOCKDCT_COMPARE_REFERENCE)
    match->first_number += pad->arrived + 3;
  pad->arrived = 0;
  pad->last_time = GST_CLOCK_TIME_NONE;
  match->decided = FALSE;
}

GstBlockDctCompareResult
gst_blockdct_compare_match_next (GstBlockDctCompareMatch * match,
    GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED], gint offset,
    gboolean timeout, GstBlockDctComparePair * pair)
{
  GstBlockDctComparePad *reference = pads[0];
  gboolean found[1 + BDCT_MAX_DISTORTED] = { FALSE }, waits = FALSE;
  gboolean met = FALSE;
  GstBuffer *buffer;
  gint64 behind;
  Place place;

  buffer = peek (reference);
  if (buffer == NULL) {
    if (!gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (reference)))
      return GST_BLOCKDCT_COMPARE_WAITING;
    skip_rest (match, pads);
    return GST_BLOCKDCT_COMPARE_ENDED;
  }
  if (!decide (match, element, pads, timeout)) {
    gst_buffer_unref (buffer);
    return GST_BLOCKDCT_COMPARE_WAITING;
  }
  place = find_place (match, reference, buffer, match->by_time);
  behind = offset * (match->by_time
      ? (gint64) get_duration (match, reference, buffer) : 1);
  gst_buffer_unref (buffer);
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++)
    if (pads[i] != NULL)
      found[i] = find_partner (match, pads[i], place, behind, match->by_time,
          &waits);
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
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++) {
    if (found[i])
      pair->distorted[i - 1] = take (pads[i]);
    if (pair->distorted[i - 1] != NULL && gst_blockdct_mark_is
        (pair->distorted[i - 1], GST_BLOCKDCT_MARK_ABSENT)) {
      gst_clear_buffer (&pair->distorted[i - 1]);
      continue;
    }
    met |= pair->distorted[i - 1] != NULL;
    if (pads[i] != NULL && pair->distorted[i - 1] == NULL && !pair->repeated)
      match->unmatched[i - 1]++;
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

void
gst_blockdct_compare_shifts_add (GstBlockDctCompareShifts * shifts, gint shift,
    gdouble mse, gdouble pair_mse)
{
  const guint i = shift + GST_BLOCKDCT_COMPARE_SHIFTS;

  shifts->at[i] += mse;
  shifts->as_it_is[i] += pair_mse;
  shifts->measured[i]++;
}

static void
push (GstBuffer ** buffers, GstBuffer * buffer)
{
  gst_clear_buffer (&buffers[GST_BLOCKDCT_COMPARE_SHIFTS - 1]);
  for (guint i = GST_BLOCKDCT_COMPARE_SHIFTS - 1; i > 0; i--)
    buffers[i] = buffers[i - 1];
  /* Copy buffers of a limited pool, which needs them back. */
  buffers[0] = gst_blockdct_pool_get_limit (buffer) > 0
      ? gst_buffer_copy_deep (buffer) : gst_buffer_ref (buffer);
}

void
gst_blockdct_compare_shifts_keep (GstBlockDctCompareShifts * shifts,
    GstBuffer * reference, GstBuffer * distorted, gdouble mse)
{
  push (shifts->reference, reference);
  push (shifts->distorted, distorted);
  memmove (shifts->mse + 1, shifts->mse,
      sizeof (shifts->mse) - sizeof (shifts->mse[0]));
  shifts->mse[0] = mse;
  shifts->pairs++;
}

gint
gst_blockdct_compare_shifts_find (const GstBlockDctCompareShifts * shifts)
{
  gdouble least = CLEARLY_LESS;
  gint found = 0;

  for (gint s = -GST_BLOCKDCT_COMPARE_SHIFTS; s <= GST_BLOCKDCT_COMPARE_SHIFTS;
      s++) {
    const guint i = s + GST_BLOCKDCT_COMPARE_SHIFTS;

    if (shifts->measured[i] < MIN_SHIFT_PAIRS || shifts->as_it_is[i] <= 0
        || shifts->at[i] >= least * shifts->as_it_is[i])
      continue;
    least = shifts->at[i] / shifts->as_it_is[i];
    found = s;
  }
  return found;
}

void
gst_blockdct_compare_shifts_reset (GstBlockDctCompareShifts * shifts)
{
  for (guint i = 0; i < GST_BLOCKDCT_COMPARE_SHIFTS; i++) {
    gst_clear_buffer (&shifts->reference[i]);
    gst_clear_buffer (&shifts->distorted[i]);
  }
  *shifts = (GstBlockDctCompareShifts) { 0 };
}
