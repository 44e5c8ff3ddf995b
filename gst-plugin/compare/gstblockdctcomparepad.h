/* blockdct: a sink pad of blockdctcompare, and how far its input may run ahead.
 *
 * GstAggregator processes nothing while one of its pads is empty. Behind a
 * `tee` an encoder with a long lookahead keeps one pad empty while the other
 * one fills, and the pipeline stalls. GstAggregator's own limit is its latency,
 * in which the lookahead of x264enc at 1 frame/s does not fit, and in which
 * frames without times do not count. So each pad counts its frames itself: it
 * takes up to 4 s or 64 frames, whichever is more, and a quarter more frames.
 * In a live pipeline GstAggregator's limit applies, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstaggregator.h>
#include <gst/base/gstqueuearray.h>
#include <gst/video/video.h>
#include <blockdct/blockdct.h>

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);

/* The number of frames that an input may always run ahead. */
#define GST_BLOCKDCT_COMPARE_MAX_FRAMES 64

/* The number of ref_sink; dist_sink is 0, dist_sink_1 1, dist_sink_2 2. */
#define GST_BLOCKDCT_COMPARE_REFERENCE (-1)

#define GST_TYPE_BLOCKDCT_COMPARE_PAD (gst_blockdct_compare_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctComparePad, gst_blockdct_compare_pad, GST,
    BLOCKDCT_COMPARE_PAD, GstAggregatorPad)

struct _GstBlockDctComparePad
{
  GstAggregatorPad parent;
  gint number;

  /* GstAggregator's functions. */
  GstPadChainFunction parent_chain;
  GstPadActivateModeFunction parent_activate;

  /* Protected by the lock. The pad's thread waits when the queue has reached
   * both limits and a quarter more frames have come. */
  GMutex lock;
  GCond cond;
  GstQueueArray *queue;         /* the running times of the frames in
                                   GstAggregator's queue */
  guint max_frames;
  GstClockTime max_time;
  GstClockTime next;            /* running time of the frame that enters it */
  guint beyond;                 /* frames that have entered since it was full */
  gboolean waits;               /* the pad's thread waits */
  gboolean open;                /* no thread waits: the pad flushes, or takes no
                                   more frames */
  gboolean flushed;             /* since it began */

  /* Used by the pad's streaming thread. */
  gboolean begun;               /* a frame has come since the last flush */
  gboolean warned;              /* that it is full, since the last flush */
  gconstpointer pool;           /* of the latest frames, of which more than a
                                   few wait; or NULL */
  guint limit;                  /* of its buffers; 0: any number */

  /* Used by the aggregating thread. */
  GstCaps *caps;                /* NULL: not set yet */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  GstVideoConverter *converter; /* makes frames of these caps; NULL: they are */
  guint64 arrived;              /* frames since the start or the last flush */
  GstClockTime last_time;       /* of the last frame; NONE: unknown */
};

/* A new pad with a floating reference. */
GstBlockDctComparePad *gst_blockdct_compare_pad_new (const gchar * name,
    GstPadTemplate * templ, gint number);

/* The distorted pads' names, by number. */
extern const gchar *const gst_blockdct_compare_pad_names[BDCT_MAX_DISTORTED];

/* Get the pads by 1 + their number, each with a reference, NULL where there is
 * none; and drop these references. */
void gst_blockdct_compare_get_pads (GstElement * compare,
    GstBlockDctComparePad * pads[1 + BDCT_MAX_DISTORTED]);
void gst_blockdct_compare_put_pads (GstBlockDctComparePad *
    pads[1 + BDCT_MAX_DISTORTED]);

/* Let a thread that waits go on, as do those that come: GstAggregator refuses
 * their frames. */
void gst_blockdct_compare_pad_open (GstBlockDctComparePad * self);

/* The same, until the pad begins anew, with an empty queue; returns whether it
 * has flushed since it last began, and does nothing otherwise. */
void gst_blockdct_compare_pad_flush (GstBlockDctComparePad * self);
gboolean gst_blockdct_compare_pad_begin (GstBlockDctComparePad * self);

/* GstAggregator's clip(): a frame leaves its queue. */
GstBuffer *gst_blockdct_compare_pad_clip (GstAggregator * agg,
    GstAggregatorPad * pad, GstBuffer * buffer);

/* Its frames have these caps, or get them from a converter, which is taken;
 * NULL: the pad has no caps. */
void gst_blockdct_compare_pad_set_caps (GstBlockDctComparePad * self,
    GstCaps * caps, const GstVideoInfo * info, GstVideoConverter * converter);

/* How many frames are in it. */
guint gst_blockdct_compare_pad_count (GstBlockDctComparePad * self);

/* The segment in force for the pad's next frame. A flush, which may happen in
 * another thread at any time, leaves it undefined. */
GstSegment gst_blockdct_compare_pad_get_segment (GstBlockDctComparePad * self);

/* A frame's running time in a segment, or in that one; GST_CLOCK_TIME_NONE:
 * none. */
GstClockTime gst_blockdct_compare_find_running_time (const GstSegment * segment,
    GstBuffer * buffer);
GstClockTime gst_blockdct_compare_pad_get_running_time (GstBlockDctComparePad *
    self, GstBuffer * buffer);

/* Whether a buffer stands for a gap. */
gboolean gst_blockdct_compare_is_gap (GstBuffer * buffer);
