/* blockdct: matches the frames of blockdctcompare's inputs.
 *
 * Frames are matched by running time, within half of the reference's frame
 * duration; without timestamps by order of arrival. It also checks whether
 * another shift of an input would fit better: a container's edit list can move
 * a whole stream by two frames, so that every frame has a partner, but the
 * wrong one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_MATCH_H
#define GST_BLOCKDCT_COMPARE_MATCH_H

#include <blockdct/blockdct.h>
#include "gstblockdctcomparepad.h"

G_BEGIN_DECLS

/* A reference frame and its partners, each with a reference held; `distorted`
 * is NULL for an input without a partner. */
typedef struct
{
  GstBuffer *reference;
  GstBuffer *distorted[BDCT_MAX_DISTORTED];
  guint64 number;               /* of the reference frame; consecutive within a
                                   stream */
  gboolean repeated;            /* the reference frame is a repeated one */
  GstSegment segment;           /* of the reference frame */
} GstBlockDctComparePair;

void gst_blockdct_compare_pair_clear (GstBlockDctComparePair * pair);

/* The state of an element's matching, used by the aggregating thread. */
typedef struct
{
  GstClockTime smallest_gap;    /* between two reference frames; NONE: fewer
                                   than two have come */
  gboolean warned_mixed;        /* some inputs have no timestamps */
  gboolean decided, by_time;    /* how the next reference frame is matched: by
                                   running time, else in order of arrival */
  guint64 pairs;
  guint64 first_number;         /* of the reference since its last flush */
  guint64 unmatched[BDCT_MAX_DISTORTED];        /* by the pad's number: its
                                                   frames without a partner, and
                                                   reference frames without one
                                                   on that pad */
} GstBlockDctCompareMatch;

/* Count a pad's frames anew: after a flush. */
void gst_blockdct_compare_match_restart (GstBlockDctCompareMatch * match,
    GstBlockDctComparePad * pad);

typedef enum
{
  GST_BLOCKDCT_COMPARE_MATCHED,
  GST_BLOCKDCT_COMPARE_SKIPPED, /* a reference frame has no partner: try
                                   again */
  GST_BLOCKDCT_COMPARE_WAITING, /* waits for an input's next frame */
  GST_BLOCKDCT_COMPARE_ENDED    /* the reference has ended */
} GstBlockDctCompareResult;

/* Take the next reference frame and its partners from the pads (by 1 + their
 * number; NULL: there is no such pad). The distorted frames are `offset` frames
 * behind. With `timeout`, missing frames are not waited for. */
GstBlockDctCompareResult gst_blockdct_compare_match_next
    (GstBlockDctCompareMatch * match, GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED], gint offset,
    gboolean timeout, GstBlockDctComparePair * pair);

/* The shifts that are tried, to either side, and the number of pairs. */
#define GST_BLOCKDCT_COMPARE_SHIFTS 3
#define GST_BLOCKDCT_COMPARE_SHIFT_PAIRS 32

/* The number of pairs that is enough for a short stream. */
#define GST_BLOCKDCT_COMPARE_LEAST_PAIRS 8

/* The search for a shift of one input. */
typedef struct
{
  guint pairs;                  /* measured */
  gboolean done;
  GstBuffer *reference[GST_BLOCKDCT_COMPARE_SHIFTS];    /* latest first */
  GstBuffer *distorted[GST_BLOCKDCT_COMPARE_SHIFTS];
  gdouble mse[GST_BLOCKDCT_COMPARE_SHIFTS];     /* of these pairs */

  /* By shift + SHIFTS: sums of the mean squared errors, those of the same
   * distorted frames without a shift, and of how many. */
  gdouble at[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
  gdouble as_it_is[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
  guint measured[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
} GstBlockDctCompareShifts;

/* Add the error of a distorted frame measured `shift` frames away, and that of
 * its own pair: an earlier frame may be a better picture. */
void gst_blockdct_compare_shifts_add (GstBlockDctCompareShifts * shifts,
    gint shift, gdouble mse, gdouble pair_mse);

/* Keep a pair, which has this error, for the following ones. */
void gst_blockdct_compare_shifts_keep (GstBlockDctCompareShifts * shifts,
    GstBuffer * reference, GstBuffer * distorted, gdouble mse);

/* The shift that fits better than no shift; 0: none does. */
gint gst_blockdct_compare_shifts_find (const GstBlockDctCompareShifts * shifts);

/* Drop all measurements. */
void gst_blockdct_compare_shifts_reset (GstBlockDctCompareShifts * shifts);

G_END_DECLS
#endif
