/* blockdct: types for the statistics of frames, alone or pooled.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_STATS_TYPES_H
#define GST_BLOCKDCT_STATS_TYPES_H

#include <gst/gst.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* The name of the message's structure, of the custom meta and of its
 * structure. */
#define GST_BLOCKDCT_NAME "blockdct"

/* The same for blockdctcompare. */
#define GST_BLOCKDCT_COMPARE_NAME "blockdct-compare"

/* The times of the frames that a report covers. GST_CLOCK_TIME_NONE where
 * unknown. */
typedef struct
{
  GstClockTime timestamp, stream_time, running_time, duration;
} GstBlockDctTimes;

/* The sum; GST_CLOCK_TIME_NONE if it overflows or one of both is not valid. */
static inline GstClockTime
gst_blockdct_times_add (GstClockTime a, GstClockTime b)
{
  return a < GST_CLOCK_TIME_NONE - b ? a + b : GST_CLOCK_TIME_NONE;
}

/* How exactly bits are known. */
typedef enum
{
  GST_BLOCKDCT_RATE_NONE,       /* they are not counted */
  GST_BLOCKDCT_RATE_ESTIMATED,
  GST_BLOCKDCT_RATE_EXACT
} GstBlockDctRate;

/* How a frame was made. */
typedef struct
{
  BdctParams params;
  gint depth;
  const gchar *backend;         /* interned */
  const gchar *pad;             /* of blockdctcompare, interned: then only
                                   `coded` and its bits apply of the following.
                                   NULL: of blockdct */
  gboolean coded;               /* the size of the coded frame is known: */
  guint64 bits, header_bits;    /* of its picture, and of all other data */
  GstBlockDctRate rate;
  gboolean target, target_met;  /* a target chose the setting; it is met */
  guint64 file_size;            /* bytes of the JPEG file, if it was coded for a
                                   target; 0: it was not */
  guint regions;                /* regions with a setting of their own */
  BdctViewMode view;            /* shown by its buffer, */
  gboolean grid;                /* with lines, or without */
} GstBlockDctRecipe;

/* Statistics pooled over some frames. */
typedef struct
{
  BdctPool pool;
  guint64 first_index;
  GstBlockDctTimes times;       /* of the first frame, with the duration of
                                   all */
  GstClockTime start, end;      /* of the earliest frame, of the latest frame */
  GstBlockDctRecipe recipe;     /* of the latest frame, except: `rate` is the
                                   least exact of all frames, `regions` the
                                   maximum, `target` is set if any frame had
                                   one, `target_met` if all were met, and bits
                                   are sums, if all are known */
} GstBlockDctSpan;

/* Counters since the start. */
typedef struct
{
  guint64 frames;
  guint64 dropped;              /* frames skipped for QoS; of blockdctcompare
                                   frames without a partner */
  BdctPool pool;                /* of the frames with the latest frame's
                                   depth */
  guint64 first_index;          /* of these frames */
  GstBlockDctRate rate;         /* the least exact of all frames */
  gint depth;
} GstBlockDctTotals;

G_END_DECLS
#endif
