/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks whether another shift of an input would fit better: a container's edit
 * list can move a whole stream by two frames, so that every frame has a
 * partner, but the wrong one. */
#include "gst-plugin/common/gstblockdctpool.h"
#include "gstblockdctcompareprivate.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_compare_debug

typedef GstBlockDctCompareShifts Shifts;

#define get_errors gst_blockdct_compare_frames_get_errors
#define SHIFTS GST_BLOCKDCT_COMPARE_SHIFTS

/* The number of pairs that are measured, and that is enough for a short
 * stream. */
#define PAIRS 32
#define LEAST_PAIRS 8

/* A shift that fits has less than half of the error: 3 dB. Frames that an
 * encoder repeats at very low rates look like a shift, but the difference is
 * smaller. */
#define CLEARLY_LESS 0.5
#define MIN_SHIFT_PAIRS 4

/* Add the error of a distorted frame measured `shift` frames away, and that of
 * its own pair: an earlier frame may be a better picture. */
static void
add (Shifts * shifts, gint shift, gdouble mse, gdouble pair_mse)
{
  const guint i = shift + SHIFTS;

  shifts->at[i] += mse;
  shifts->as_it_is[i] += pair_mse;
  shifts->measured[i]++;
}

static void
push (GstBuffer ** buffers, GstBuffer * buffer)
{
  gst_clear_buffer (&buffers[SHIFTS - 1]);
  for (guint i = SHIFTS - 1; i > 0; i--)
    buffers[i] = buffers[i - 1];
  /* Copy buffers of a limited pool, which needs them back. */
  buffers[0] = gst_blockdct_pool_get_limit (buffer) > 0
      ? gst_buffer_copy_deep (buffer) : gst_buffer_ref (buffer);
}

/* The shift that fits better than no shift; 0: none does. */
static gint
find (const Shifts * shifts)
{
  gdouble least = CLEARLY_LESS;
  gint found = 0;

  for (gint s = -SHIFTS; s <= SHIFTS; s++) {
    const guint i = s + SHIFTS;

    if (shifts->measured[i] < MIN_SHIFT_PAIRS || shifts->as_it_is[i] <= 0
        || shifts->at[i] >= least * shifts->as_it_is[i])
      continue;
    least = shifts->at[i] / shifts->as_it_is[i];
    found = s;
  }
  return found;
}

void
gst_blockdct_compare_shifts_reset (Shifts * shifts)
{
  for (guint i = 0; i < SHIFTS; i++) {
    gst_clear_buffer (&shifts->reference[i]);
    gst_clear_buffer (&shifts->distorted[i]);
  }
  *shifts = (Shifts) { 0 };
}

/* Compare a distorted frame of the pair that was matched with the reference
 * frames before its partner, and the partner with the distorted frames before
 * it, and keep both for later ones. No pair may be in flight. */
static GstFlowReturn
measure (GstBlockDctCompare * self, guint pad_number)
{
  Shifts *shifts = &self->shifts[pad_number];
  const GstBlockDctComparePad *pad = self->pads[1 + pad_number];
  GstBuffer *reference = self->pair.reference;
  GstBuffer *distorted = self->pair.distorted[pad_number];
  gdouble as_it_is[BDCT_MAX_DISTORTED] = { 0 }, mse[BDCT_MAX_DISTORTED];
  gint n = get_errors (self, reference, self->reference, &distorted, 1, pad,
      as_it_is);

  if (n == 1)
    n = get_errors (self, reference, self->reference, shifts->distorted, SHIFTS,
        pad, mse);
  for (gint i = 0; i < n; i++)
    add (shifts, -1 - i, mse[i], shifts->mse[i]);
  if (n >= 0)
    n = get_errors (self, distorted, pad, shifts->reference, SHIFTS,
        self->reference, mse);
  for (gint i = 0; i < n; i++)
    add (shifts, 1 + i, mse[i], as_it_is[0]);
  push (shifts->reference, reference);
  push (shifts->distorted, distorted);
  memmove (shifts->mse + 1, shifts->mse,
      sizeof (shifts->mse) - sizeof (shifts->mse[0]));
  shifts->mse[0] = as_it_is[0];
  shifts->pairs++;
  return n < 0 ? GST_FLOW_ERROR : GST_FLOW_OK;
}

/* Post a warning if another shift of an input fits better. */
static void
conclude (GstBlockDctCompare * self, guint number, gint offset)
{
  Shifts *shifts = &self->shifts[number];
  const guint pairs = shifts->pairs;
  const gint shift = find (shifts);

  gst_blockdct_compare_shifts_reset (shifts);
  shifts->done = TRUE;
  if (shift != 0)
    GST_ELEMENT_WARNING_WITH_DETAILS (self, STREAM, FAILED,
        ("%s: offset=%d fits better.", gst_blockdct_compare_pad_names[number],
            offset + shift),
        ("In the first %u pairs, its frames fit the reference frames %+d away "
            "better than those of the same time. A container's edit list can "
            "cause such a shift. Set offset=%d.", pairs, -shift,
            offset + shift), ("number", G_TYPE_UINT, number, "offset",
            G_TYPE_INT, offset + shift, NULL));
}

GstFlowReturn
gst_blockdct_compare_shifts_look (GstBlockDctCompare * self, gint offset)
{
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < BDCT_MAX_DISTORTED && ret == GST_FLOW_OK; i++) {
    Shifts *shifts = &self->shifts[i];

    if (self->pair.distorted[i] == NULL || shifts->done)
      continue;
    ret = gst_blockdct_compare_drain (self);
    if (ret == GST_FLOW_OK)
      ret = measure (self, i);
    if (shifts->pairs >= PAIRS)
      conclude (self, i, offset);
  }
  return ret;
}

void
gst_blockdct_compare_shifts_end (GstBlockDctCompare * self, gint offset)
{
  for (guint i = 0; i < BDCT_MAX_DISTORTED; i++)
    if (!self->shifts[i].done && self->shifts[i].pairs >= LEAST_PAIRS)
      conclude (self, i, offset);
}
