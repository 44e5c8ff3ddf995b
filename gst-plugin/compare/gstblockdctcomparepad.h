/* blockdct: a sink pad of blockdctcompare, and how far its input may run ahead.
 *
 * GstAggregator processes nothing while one of its pads is empty. Behind a
 * `tee` an encoder with a long lookahead keeps one pad empty while the other
 * one fills, and the pipeline stalls. So, in a pipeline that is not live, each
 * pad takes up to 4 s or 64 frames, whichever is more, and a quarter more
 * frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_PAD_H
#define GST_BLOCKDCT_COMPARE_PAD_H

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* How far an input may run ahead. */
#define GST_BLOCKDCT_COMPARE_MAX_FRAMES 64
#define GST_BLOCKDCT_COMPARE_MAX_TIME (4 * GST_SECOND)

/* How long a pad has to be full while another is empty, until a warning is
 * posted. */
#define GST_BLOCKDCT_COMPARE_PATIENCE (2 * G_TIME_SPAN_SECOND)

/* The number of ref_sink; dist_sink is 0, dist_sink_1 1, dist_sink_2 2. */
#define GST_BLOCKDCT_COMPARE_REFERENCE (-1)

#define GST_TYPE_BLOCKDCT_COMPARE_PAD (gst_blockdct_compare_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctComparePad, gst_blockdct_compare_pad, GST,
    BLOCKDCT_COMPARE_PAD, GstAggregatorPad)

/* Admits buffers to the pads of one element, in any thread. */
typedef struct
{
  GMutex lock;
  GCond cond;
  guint max_frames;             /* how far an input may run ahead: it waits when
                                   both limits are reached, and max_frames / 4
                                   more have come */
  GstClockTime max_time;
  gboolean open;                /* no thread waits: the element stops, or
                                   downstream wants no more frames */
  gboolean buffering;           /* GstAggregator's latency is raised */
} GstBlockDctCompareGate;

struct _GstBlockDctComparePad
{
  GstAggregatorPad parent;
  gint number;
  GstBlockDctCompareGate *gate; /* the element's */
  GstPadChainFunction parent_chain;     /* GstAggregator's */

  /* Protected by the gate's lock. */
  guint queued;                 /* frames in GstAggregator's queue */
  GstClockTime oldest;          /* running time of the last frame that left
                                   it */
  GstClockTime next;            /* running time of the frame that enters it */
  guint beyond;                 /* frames that have entered since it was full */
  gboolean waits;               /* its thread waits until it is no longer
                                   full */
  gboolean flushing;
  gboolean warned;              /* a warning said that it is full while another
                                   is empty */

  GstCaps *sticky_caps;         /* at the last flush, if none have come since */

  gint flushes;                 /* atomic: number of flushes */

  /* Used by the aggregating thread. */
  GstCaps *caps;                /* NULL: not set yet */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  gint flushes_seen;
  guint64 arrived;              /* frames since the start or the last flush */
  GstClockTime last_time;       /* of the last frame; NONE: unknown */
};

void gst_blockdct_compare_gate_init (GstBlockDctCompareGate * gate);
void gst_blockdct_compare_gate_clear (GstBlockDctCompareGate * gate);

/* Open the gate, so that no thread waits; or, with FALSE, let threads wait
 * again. */
void gst_blockdct_compare_gate_set_open (GstBlockDctCompareGate * gate,
    gboolean open);

/* A new pad with a floating reference. The gate belongs to the element that
 * gets the pad. */
GstBlockDctComparePad *gst_blockdct_compare_pad_new (const gchar * name,
    GstPadTemplate * templ, gint number, GstBlockDctCompareGate * gate);

/* The distorted pads' names, by number. */
extern const gchar *const gst_blockdct_compare_pad_names[BDCT_MAX_DISTORTED];

/* Get the pads by 1 + their number, each with a reference, NULL where there is
 * none; and drop these references. */
void gst_blockdct_compare_get_pads (GstElement * compare,
    GstBlockDctComparePad * pads[1 + BDCT_MAX_DISTORTED]);
void gst_blockdct_compare_put_pads (GstBlockDctComparePad *
    pads[1 + BDCT_MAX_DISTORTED]);

/* A flush begins: threads that wait return. It ends: counting starts again. */
void gst_blockdct_compare_pad_set_flushing (GstBlockDctComparePad * self,
    gboolean flushing);

/* The caps that upstream sent before the last flush, if none have come since;
 * returned once, and owned by the caller. After an error or EOS GstAggregator
 * drops them with the queue, and upstream does not send them again. */
GstCaps *gst_blockdct_compare_pad_take_sticky_caps (GstBlockDctComparePad *
    self);

/* The segment in force for the pad's next frame. A flush, which may happen in
 * another thread at any time, leaves it undefined. */
GstSegment gst_blockdct_compare_pad_get_segment (GstBlockDctComparePad * self);

/* A frame's running time in that segment; GST_CLOCK_TIME_NONE: none. */
GstClockTime gst_blockdct_compare_pad_get_running_time (GstBlockDctComparePad *
    self, GstBuffer * buffer);

/* A frame leaves GstAggregator's queue; called by `clip`. */
void gst_blockdct_compare_pad_leave (GstBlockDctComparePad * self,
    GstBuffer * buffer);

/* Whether a buffer stands for a gap. */
gboolean gst_blockdct_compare_is_gap (GstBuffer * buffer);

G_END_DECLS
#endif
