/* blockdct: a sink pad of blockdctcompare, and how far its input may run ahead.
 *
 * GstAggregator takes nothing while one of its pads is empty. Behind a `tee` an
 * encoder with a long lookahead keeps one pad empty while the other one fills,
 * and nothing moves. So each pad takes up to 4 s or 64 frames, whichever is
 * more, and a few beyond, where the pipeline is not live.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_PAD_H
#define GST_BLOCKDCT_COMPARE_PAD_H

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include "dct/base/layout.h"
#include "dct/engine/compare.h"

G_BEGIN_DECLS

/** How far an input may run ahead. */
#define GST_BLOCKDCT_COMPARE_MAX_FRAMES 64
#define GST_BLOCKDCT_COMPARE_MAX_TIME (4 * GST_SECOND)

/** For how long a pad is full while another one is empty before that is
 * reported. */
#define GST_BLOCKDCT_COMPARE_PATIENCE (2 * G_TIME_SPAN_SECOND)

/** The number of ref_sink; dist_sink is 0, dist_sink_1 1, dist_sink_2 2. */
#define GST_BLOCKDCT_COMPARE_REFERENCE (-1)

#define GST_TYPE_BLOCKDCT_COMPARE_PAD (gst_blockdct_compare_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctComparePad, gst_blockdct_compare_pad, GST,
    BLOCKDCT_COMPARE_PAD, GstAggregatorPad)

/** Admits buffers to the pads of one element. From any thread. */
typedef struct
{
  GMutex lock;
  GCond cond;
  guint max_frames;             /* how far an input may run ahead, and a quarter
                                   more frames; both have to be reached */
  GstClockTime max_time;
  gboolean open;                /* nothing waits: the element stops, or
                                   downstream wants no more */
  gboolean buffering;           /* GstAggregator's latency has been raised */
} GstBlockDctCompareGate;

struct _GstBlockDctComparePad
{
  GstAggregatorPad parent;
  gint number;
  GstBlockDctCompareGate *gate; /* the element's */
  GstPadChainFunction parent_chain;     /* GstAggregator's */

  /* Protected by the gate's lock. */
  guint queued;                 /* frames that wait in GstAggregator's queue */
  GstClockTime oldest;          /* running time of the last one that left it */
  GstClockTime next;            /* of the one that enters it */
  guint beyond;                 /* frames that have entered since it is full */
  gboolean waits;               /* its thread, until it is no longer full */
  gboolean flushing;
  gboolean warned;              /* that it is full while another is empty */

  GstCaps *sticky_caps;         /* at the last flush, if none came since */

  gint flushes;                 /* atomic: how many there were */

  /* Of the thread that aggregates. */
  GstCaps *caps;                /* NULL before they come */
  GstVideoInfo info;            /* of these */
  BdctLayout layout;
  gint flushes_seen;
  guint64 arrived;              /* frames since the start or the last flush */
  GstClockTime last_time;       /* of the last of these; NONE: unknown */
};

void gst_blockdct_compare_gate_init (GstBlockDctCompareGate * gate);
void gst_blockdct_compare_gate_clear (GstBlockDctCompareGate * gate);

/** Let all that waits pass from now on, or, with FALSE, wait again. */
void gst_blockdct_compare_gate_set_open (GstBlockDctCompareGate * gate,
    gboolean open);

/** A new pad named `name`, with a reference that floats. The gate is that of
 * the element that it comes to. */
GstBlockDctComparePad *gst_blockdct_compare_pad_new (const gchar * name,
    GstPadTemplate * templ, gint number, GstBlockDctCompareGate * gate);

/** The distorted pads' names, by number. */
extern const gchar *const gst_blockdct_compare_pad_names[BDCT_MAX_DISTORTED];

/** The pads by 1 + their number, each with a reference; NULL where there is
 * none. */
void gst_blockdct_compare_get_pads (GstElement * compare,
    GstBlockDctComparePad * pads[1 + BDCT_MAX_DISTORTED]);
void gst_blockdct_compare_put_pads (GstBlockDctComparePad *
    pads[1 + BDCT_MAX_DISTORTED]);

/** A flush begins or ends: what waits is let go, and counting begins anew. */
void gst_blockdct_compare_pad_set_flushing (GstBlockDctComparePad * self,
    gboolean flushing);

/** The caps that upstream had sent before the last flush, once, if none came
 * since: after an error or EOS GstAggregator drops them with what waits, and
 * upstream does not send them again. The caller's. */
GstCaps *gst_blockdct_compare_pad_take_sticky_caps (GstBlockDctComparePad *
    self);

/** The segment that is in force for the pad's next frame. A flush, which may
 * come at any time from another thread, leaves it undefined. */
GstSegment gst_blockdct_compare_pad_get_segment (GstBlockDctComparePad * self);

/** A frame's running time in it; GST_CLOCK_TIME_NONE: it has none. */
GstClockTime gst_blockdct_compare_pad_get_running_time (GstBlockDctComparePad *
    self, GstBuffer * buffer);

/** A frame leaves GstAggregator's queue: it is `clip`ped. */
void gst_blockdct_compare_pad_leave (GstBlockDctComparePad * self,
    GstBuffer * buffer);

/** Whether a buffer only stands for a gap. */
gboolean gst_blockdct_compare_is_gap (GstBuffer * buffer);

G_END_DECLS
#endif
