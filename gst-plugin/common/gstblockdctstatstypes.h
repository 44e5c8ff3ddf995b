/* blockdct: the statistics of frames, pooled, and what goes with them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_TYPES_H
#define GST_BLOCKDCT_STATS_TYPES_H

#include <gst/gst.h>
#include "dct/base/stats.h"
#include "dct/picture/view.h"
#include "dct/quantizer/job.h"

G_BEGIN_DECLS

/** The name of the message's structure, of the custom meta and its structure.*/
#define GST_BLOCKDCT_NAME "blockdct"

/** Likewise of blockdctcompare. */
#define GST_BLOCKDCT_COMPARE_NAME "blockdct-compare"

/** When a report's frames were shown. GST_CLOCK_TIME_NONE where unknown. */
typedef struct
{
  GstClockTime timestamp, stream_time, running_time, duration;
} GstBlockDctTimes;

/** The sum; GST_CLOCK_TIME_NONE if it is no time any more, or one is none. */
static inline GstClockTime
gst_blockdct_times_add (GstClockTime a, GstClockTime b)
{
  return a < GST_CLOCK_TIME_NONE - b ? a + b : GST_CLOCK_TIME_NONE;
}

/** What is known of bits. */
typedef enum
{
  GST_BLOCKDCT_RATE_NONE,       /* they were not asked for */
  GST_BLOCKDCT_RATE_ESTIMATED,
  GST_BLOCKDCT_RATE_EXACT
} GstBlockDctRate;

/** What was done to a frame. */
typedef struct
{
  BdctParams params;
  gint depth;
  const gchar *backend;         /* interned */
  const gchar *pad;             /* of blockdctcompare, interned: whose frames
                                   these are; but for `coded` nothing below then
                                   counts. NULL: of blockdct */
  gboolean coded;               /* it is known how large a coded frame was: */
  guint64 bits, header_bits;    /* of its picture, and of all else */
  GstBlockDctRate rate;
  gboolean target, target_met;  /* a target chose the setting; it is kept */
  guint64 file_size;            /* of the JPEG file, if the target had it coded;
                                   0: it is not known so well */
  guint regions;                /* that have a setting of their own */
  BdctViewMode view;            /* what its buffer shows, */
  gboolean grid;                /* and whether with lines */
} GstBlockDctRecipe;

/** Statistics pooled over some frames. */
typedef struct
{
  BdctPool pool;
  guint64 first_index;
  GstBlockDctTimes times;       /* of the first frame; the whole's duration */
  GstClockTime start, end;      /* of the earliest, of the latest frame */
  GstBlockDctRecipe recipe;     /* of the latest frame; but `rate` is the least
                                   that is known of one, `regions` the most, and
                                   of the targets whether there was one, and all
                                   were met; bits are sums, if all are known */
} GstBlockDctSpan;

/** Counters since the start. */
typedef struct
{
  guint64 frames;
  guint64 dropped;              /* frames skipped for QoS; of blockdctcompare
                                   those that had no partner */
  BdctPool pool;                /* of those at the latest frame's depth */
  guint64 first_index;          /* of these */
  GstBlockDctRate rate;         /* the least that is known of one */
  gint depth;
} GstBlockDctTotals;

G_END_DECLS
#endif
