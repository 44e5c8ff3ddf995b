/* blockdct: which frames of blockdctcompare's inputs belong together.
 *
 * By running time, within half of the reference's frame duration; without
 * timestamps by order of arrival. And whether another shift of an input would
 * fit better: a container's edit list can move a whole stream by two frames, so
 * that every frame has a partner and each is the wrong one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_MATCH_H
#define GST_BLOCKDCT_COMPARE_MATCH_H

#include "dct/engine/compare.h"
#include "gstblockdctcomparepad.h"

G_BEGIN_DECLS

/** A reference frame and what met it, each with a reference held; `distorted`
 * has NULL where nothing did. */
typedef struct
{
  GstBuffer *reference;
  GstBuffer *distorted[BDCT_MAX_DISTORTED];
  guint64 number;               /* of the reference frame: one more than that
                                   before it, if that is of the same stream */
  gboolean repeated;            /* it has been there before */
  GstSegment segment;           /* likewise its */
} GstBlockDctComparePair;

void gst_blockdct_compare_pair_clear (GstBlockDctComparePair * pair);

/** What the matching of an element has seen. Of the thread that aggregates. */
typedef struct
{
  GstClockTime smallest_gap;    /* of the reference; NONE: it had no two */
  gboolean warned_mixed;        /* that some inputs have no timestamps */
  gboolean decided, by_time;    /* how the reference's next frame meets others:
                                   by running time, else in order of arrival */
  guint64 pairs;
  guint64 first_number;         /* of the reference since its last flush */
  guint64 unmatched[BDCT_MAX_DISTORTED];        /* by the pad's number: its
                                   frames without a partner, and the
                                   reference's without one there */
} GstBlockDctCompareMatch;

typedef enum
{
  GST_BLOCKDCT_COMPARE_MATCHED,
  GST_BLOCKDCT_COMPARE_SKIPPED, /* a reference frame that nothing met: try
                                   again */
  GST_BLOCKDCT_COMPARE_WAITING, /* for an input's next frame */
  GST_BLOCKDCT_COMPARE_ENDED    /* there is no reference any more */
} GstBlockDctCompareResult;

/** Take the next reference frame and its partners from the pads (by 1 + their
 * number; NULL: there is no such pad). `offset`: the distorted frames are so
 * many behind. With `timeout` what is not there is not waited for. */
GstBlockDctCompareResult gst_blockdct_compare_match_next
    (GstBlockDctCompareMatch * match, GstElement * element,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED], gint offset,
    gboolean timeout, GstBlockDctComparePair * pair);

/** Shifts that are tried, to either side, and of how many pairs. */
#define GST_BLOCKDCT_COMPARE_SHIFTS 3
#define GST_BLOCKDCT_COMPARE_SHIFT_PAIRS 32

/** Pairs of a whole stream that are enough. */
#define GST_BLOCKDCT_COMPARE_LEAST_PAIRS 8

/** The search for a shift of one input. */
typedef struct
{
  guint pairs;                  /* that were measured */
  gboolean done;
  GstBuffer *reference[GST_BLOCKDCT_COMPARE_SHIFTS];    /* latest first */
  GstBuffer *distorted[GST_BLOCKDCT_COMPARE_SHIFTS];
  gdouble at[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];      /* sums of the mean
                                   squared errors, by the shift + SHIFTS */
  gdouble as_it_is[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];        /* of the same
                                   pairs, not shifted */
  guint measured[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
} GstBlockDctCompareShifts;

/** Add an error that was measured `shift` frames away, beside that of the pair
 * itself. */
void gst_blockdct_compare_shifts_add (GstBlockDctCompareShifts * shifts,
    gint shift, gdouble mse, gdouble pair_mse);

/** Remember a pair for those that follow. */
void gst_blockdct_compare_shifts_keep (GstBlockDctCompareShifts * shifts,
    GstBuffer * reference, GstBuffer * distorted);

/** The shift that fits better than none; 0: none does. */
gint gst_blockdct_compare_shifts_find (const GstBlockDctCompareShifts * shifts);

/** Forget all that was measured. */
void gst_blockdct_compare_shifts_reset (GstBlockDctCompareShifts * shifts);

G_END_DECLS
#endif
