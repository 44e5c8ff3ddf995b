/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctcomparematch.h"

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);
#define GST_CAT_DEFAULT gst_blockdct_compare_debug

/* Half of a frame's duration where nothing tells it. */
#define DEFAULT_TOLERANCE (10 * GST_MSECOND)

/* A shift that fits has less than half of the error: 3 dB. Frames that an
 * encoder repeats at very low rates look like a shift, but never so much. */
#define CLEARLY_LESS 0.5
#define MIN_SHIFT_PAIRS 4

/* Where a frame is in its stream: in ns, or frames. */
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

/* The next frame of a pad; what only stands for a gap is none. */
static GstBuffer *
peek (GstBlockDctComparePad * pad)
{
  GstAggregatorPad *agg_pad = GST_AGGREGATOR_PAD (pad);
  GstBuffer *buffer = gst_aggregator_pad_peek_buffer (agg_pad);

  while (buffer != NULL && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0) {
    gst_buffer_unref (buffer);
    gst_aggregator_pad_drop_buffer (agg_pad);
    buffer = gst_aggregator_pad_peek_buffer (agg_pad);
  }
  return buffer;
}

static GstClockTime
get_running_time (GstBlockDctComparePad * pad, GstBuffer * buffer)
{
  return gst_blockdct_compare_running_time (&GST_AGGREGATOR_PAD (pad)->segment,
      buffer);
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

/* Take the frame that is next off a pad. */
static GstBuffer *
take (GstBlockDctComparePad * pad)
{
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (GST_AGGREGATOR_PAD (pad));

  pad->last_time = get_running_time (pad, buffer);
  pad->arrived++;
  return buffer;
}

static void
skip (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad)
{
  GstBuffer *buffer = take (pad);

  GST_DEBUG_OBJECT (pad, "no partner for %" GST_PTR_FORMAT, buffer);
  if (pad->number != GST_BLOCKDCT_COMPARE_REFERENCE)
    match->unmatched[pad->number]++;
  gst_buffer_unref (buffer);
}

/* Whether the inputs that have a frame all have timestamps. */
static gboolean
have_times (GstBlockDctCompareMatch * match, GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED])
{
  guint with = 0, without = 0;

  for (guint i = 0; i <= BDCT_MAX_DISTORTED; i++) {
    GstBuffer *buffer = pads[i] != NULL ? peek (pads[i]) : NULL;

    if (buffer == NULL)
      continue;
    if (GST_CLOCK_TIME_IS_VALID (get_running_time (pads[i], buffer)))
      with++;
    else
      without++;
    gst_buffer_unref (buffer);
  }
  if (with > 0 && without > 0 && !match->warned_mixed) {
    match->warned_mixed = TRUE;
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("Some inputs have no timestamps: frames meet in order of arrival."),
        ("videorate, or a parser such as h264parse, gives timestamps."));
  }
  return without == 0;
}

/* Take frames off a distorted pad up to the partner of the reference at
 * `place`. NULL: there is none, or, with `*waits`, not yet. */
static GstBuffer *
find_partner (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad,
    Place place, gint64 behind, gboolean by_time, gboolean * waits)
{
  GstBuffer *buffer;

  while ((buffer = peek (pad)) != NULL) {
    const gint64 at = (by_time ? (gint64) get_running_time (pad, buffer)
        : (gint64) pad->arrived) - behind;

    if (by_time && !GST_CLOCK_TIME_IS_VALID (get_running_time (pad, buffer))) {
      /* It came behind frames that have times. */
      gst_buffer_unref (buffer);
      skip (match, pad);
      continue;
    }
    gst_buffer_unref (buffer);
    if (at > place.at + place.tolerance)
      return NULL;
    if (at >= place.at - place.tolerance)
      return take (pad);
    skip (match, pad);
  }
  *waits = !gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (pad));
  return NULL;
}

/* What is left of the other inputs has no partner. */
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
  }
}

/* Where the reference frame is, and how far apart its frames are. */
static Place
find_place (GstBlockDctCompareMatch * match, GstBlockDctComparePad * pad,
    GstBuffer * buffer, gboolean by_time)
{
  const GstClockTime time = get_running_time (pad, buffer);

  if (!by_time)
    return (Place) {
    pad->arrived, 0};
  if (GST_CLOCK_TIME_IS_VALID (pad->last_time) && time > pad->last_time)
    match->smallest_gap = MIN (match->smallest_gap, time - pad->last_time);
  return (Place) {
  time, get_duration (match, pad, buffer) / 2};
}

GstBlockDctCompareResult
gst_blockdct_compare_match_next (GstBlockDctCompareMatch * match,
    GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED], gint offset,
    gboolean timeout, GstBlockDctComparePair * pair)
{
  GstBlockDctComparePad *reference = pads[0];
  GstBuffer *buffer = peek (reference);
  gboolean by_time, waits = FALSE, met = FALSE;
  gint64 behind;
  Place place;

  if (buffer == NULL) {
    if (!gst_aggregator_pad_is_eos (GST_AGGREGATOR_PAD (reference)))
      return GST_BLOCKDCT_COMPARE_WAITING;
    skip_rest (match, pads);
    return GST_BLOCKDCT_COMPARE_ENDED;
  }
  by_time = have_times (match, element, pads);
  place = find_place (match, reference, buffer, by_time);
  behind = offset * (by_time ? (gint64) get_duration (match, reference, buffer)
      : 1);
  gst_buffer_unref (buffer);
  for (guint i = 1; i <= BDCT_MAX_DISTORTED; i++) {
    gboolean waits_here = FALSE;

    if (pads[i] == NULL || pair->distorted[i - 1] != NULL)
      continue;
    pair->distorted[i - 1] = find_partner (match, pads[i], place, behind,
        by_time, &waits_here);
    waits |= waits_here;
  }
  if (waits && !timeout)
    return GST_BLOCKDCT_COMPARE_WAITING;
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++) {
    met |= pair->distorted[i] != NULL;
    if (pads[1 + i] != NULL && pair->distorted[i] == NULL)
      match->unmatched[i]++;
  }
  if (!met) {
    skip (match, reference);
    return GST_BLOCKDCT_COMPARE_SKIPPED;
  }
  pair->number = reference->arrived;
  pair->reference = take (reference);
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
  /* A pool that has only so many must get them back. */
  buffers[0] = gst_blockdct_compare_is_limited (buffer)
      ? gst_buffer_copy_deep (buffer) : gst_buffer_ref (buffer);
}

void
gst_blockdct_compare_shifts_keep (GstBlockDctCompareShifts * shifts,
    GstBuffer * reference, GstBuffer * distorted)
{
  push (shifts->reference, reference);
  push (shifts->distorted, distorted);
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
