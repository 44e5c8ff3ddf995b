/* blockdct: the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_H
#define GST_BLOCKDCT_H

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "dct/engine.h"
#include "dct/view.h"
#include "compare/gstblockdctnavigation.h"
#include "compare/gstblockdctoverlay.h"
#include "gstblockdctregions.h"
#include "gstblockdctstatsfile.h"
#include "gstblockdctbackend.h"
#include "gstblockdctrepeat.h"
#include "gstblockdctreport.h"
#include "gstblockdctsettings.h"
#include "gstblockdctsweep.h"

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT (gst_blockdct_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDct, gst_blockdct, GST, BLOCKDCT,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdct);

/* A frame in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBuffer *in, *out;
  GstVideoFrame in_frame, out_frame;
  GstBlockDctHow how;
  BdctView view;
  GstClockTime interval;        /* the settings it entered with */
  gboolean post_messages, overlay, magnifier;
  gdouble magnifier_x, magnifier_y;
  gdouble min_psnr_error, min_psnr_warning;
  GstBlockDctCurve curve;       /* written out: `n` is not below 0 */
  GstBlockDctTargets targets;
  gboolean exact;               /* its bits */
  guint64 asked;                /* as in GstBlockDctRepeat */
  gboolean repeated;            /* it was shown before */
  guint64 number;               /* as in BdctFrame */
  guint metrics;                /* likewise */
} GstBlockDctInFlight;

/* What waits to be posted. */
typedef struct
{
  GThread *holder;              /* whose messages wait; atomic */
  GQueue waiting;               /* GstMessage; the holder's */
  gboolean dropped[GST_BLOCKDCT_N_CHECKED];     /* to be notified */
} GstBlockDctPosts;

struct _GstBlockDct
{
  GstBaseTransform parent;

  /* Protected by the object lock. */
  GstBlockDctChanges changes;   /* what properties set */
  gchar *stats_path;            /* but for this; NULL: no file */
  gchar *active_backend;        /* NULL while nothing runs */
  const GstBlockDctBackendClass *active_class;  /* likewise */
  GstObject *context;           /* the backend's, or one to open it with */
  GstBlockDctTotals totals;     /* what `stats` shows */
  GstClockTime latency;

  GstBlockDctNavigation navigation;     /* has its own lock */
  GstBlockDctRepeat repeat;     /* likewise */

  /* The streaming thread's. */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  GstBlockDctReport report;
  GstBlockDctBackend backend;
  const gchar *backend_name;    /* the engine's description, interned */
  gboolean warned_slow;         /* of copies through memory it does not like */
  guint depth;                  /* of the engine; 0 before caps */
  BdctParams job_params;        /* what `job` was made from */
  BdctJob job;
  gboolean job_valid;
  GstBlockDctSweep *second;     /* B's job; NULL: there was none */
  GstBlockDctRegions *regions;  /* of the latest frame; NULL: never any */
  GstBlockDctSweep *curve;      /* of the latest frame; NULL: there was none */
  GstBlockDctSweep *all;        /* all settings, for targets; likewise */
  BdctEngine *scout;            /* finds which one keeps a target; likewise */
  gboolean scout_ready;         /* for the layout */
  guint told_idle[BDCT_N_TRANSFORMS];   /* bits: properties without effect */
  gboolean told_subsampling;
  guint told_metrics;           /* bits: those that these caps do not have */
  gboolean told_no_second;      /* a view shows A in place of B */
  gboolean warned_target, warned_no_target, warned_no_curve, below;
  GstBlockDctInFlight *in_flight; /* a ring of `depth` */
  guint oldest, n_in_flight;
  GstBuffer *ready;             /* out of it, not yet downstream */
  guint generation;             /* of all of this: another after each caps */
  GstPadChainFunction chain;    /* the base class's */
  gboolean draining;            /* let it run empty */
  gboolean repeating;           /* what comes in was shown before */
  gboolean others_proposed;     /* to upstream: frames passed */
  gboolean dropped;             /* the frame before the next, for QoS */
  gboolean discont;             /* of the frame that leaves */
  guint own_limit;              /* of the pool, set here; 0: none */
  gboolean warned_limit;        /* that it is reached */
  BdctView view;                /* its colours are those of the caps */
  GstBlockDctOverlay *overlay;
  gboolean overlay_attach;      /* downstream draws what is attached */
  GstBlockDctStatsFile *stats_file;     /* NULL: none is asked for */
  GstBlockDctPosts posts;
};

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);

/* gstblockdctproperties.c */
void gst_blockdct_install_properties (GObjectClass * klass);
void gst_blockdct_init_properties (GstBlockDct * self);

/** A consistent copy of the settings in force. */
GstBlockDctSettings gst_blockdct_get_settings (GstBlockDct * self);

/* gstblockdctpropertiesquantizer.c */

/** Say of each property that was set and has no effect with the transform in
 * force that this is so; once. */
void gst_blockdct_tell_idle (GstBlockDct * self, const BdctParams * params,
    const GstBlockDctSecond * second);

/** Say, once, that `chroma-subsampling` was set and the caps are not of R, G
 * and B. */
void gst_blockdct_tell_subsampling (GstBlockDct * self);

/* gstblockdctpost.c */
void gst_blockdct_post_install (GstElementClass * klass);

/** Have messages of this thread wait; let them go, in their order. After that
 * the element may be stopped, or have other caps. Not to be nested. */
void gst_blockdct_post_hold (GstBlockDct * self);
void gst_blockdct_post_release (GstBlockDct * self);

/* gstblockdctview.c */
GType gst_blockdct_view_get_type (void);

/** Make the maps' colours those of the caps in `info`. */
void gst_blockdct_view_configure (GstBlockDct * self);

/** The view that the settings ask for, of a frame at this stream time, which
 * may be unknown. */
const BdctView *gst_blockdct_view_update (GstBlockDct * self,
    const GstBlockDctSettings * settings, GstClockTime time);

/* gstblockdctpreset.c */
void gst_blockdct_preset_init (gpointer iface, gpointer data);

/* gstblockdctflow.c */

/** Set what takes frames in and gives them out. */
void gst_blockdct_install_flow (GstBaseTransformClass * klass);
void gst_blockdct_init_flow (GstBlockDct * self);

/** Set the controlled properties for this frame. */
void gst_blockdct_sync (GstBlockDct * self, GstBuffer * input);

/** Frames of R, G and B become planes of another size when chroma-subsampling
 * changes: those before it leave first. FALSE: no frame can be started. */
gboolean gst_blockdct_follow_subsampling (GstBlockDct * self);

/** Have the base class take a frame, which is the caller's no more, and push
 * what then is ready. Called with the stream lock. */
GstFlowReturn gst_blockdct_chain (GstBlockDct * self, GstBuffer * buffer);

/** Have all that is in flight leave; what downstream refuses is gone. */
void gst_blockdct_drain (GstBlockDct * self);

/** Whether there is nothing left to work with: after anything that calls others
 * back, as messages and frames do, the element may be stopped. */
gboolean gst_blockdct_is_stopped (GstBlockDct * self);

/* gstblockdctqueue.c */

/** Choose and start a backend; close it, with the frames in it forgotten. An
 * element error is posted where it returns FALSE. */
gboolean gst_blockdct_queue_open (GstBlockDct * self);
void gst_blockdct_queue_close (GstBlockDct * self);

/** Prepare for the caps in `info`; nothing may be in flight. An element error
 * is posted where it returns FALSE. */
gboolean gst_blockdct_queue_configure (GstBlockDct * self);

/** Start one frame: its buffers go into the ring, each with a reference. */
GstFlowReturn gst_blockdct_queue_submit (GstBlockDct * self,
    GstBuffer * inbuf, GstBuffer * outbuf);

/** Wait for the oldest frame and take it out of the ring. Unmapped, its buffers
 * are the caller's; on an error, which is posted, there are none. Behind its
 * own statistics are those of its curve, and then B's. */
GstFlowReturn gst_blockdct_queue_collect (GstBlockDct * self,
    GstBlockDctInFlight * frame, BdctStats stats[1 + BDCT_MAX_OTHERS + 1]);

/** Wait for what is in flight and take it back, to be started again: up to
 * BDCT_MAX_DEPTH inputs and outputs, which are the caller's. Returns their
 * number. */
guint gst_blockdct_queue_recall (GstBlockDct * self, GstBuffer * in[],
    GstBuffer * out[]);

/** Wait for what is in flight and forget it. */
void gst_blockdct_queue_discard (GstBlockDct * self);

/* gstblockdcttarget.c */

/** Choose the quality or QP in `how` that keeps the target for this frame, and
 * say in it whether one does. `src` is the mapped buffer `in`, and `wait` is as
 * in BdctFrame. FALSE, with an element error, on an error of the engine. */
gboolean gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctHow * how);

/** The layout is another one; the backend is about to close. */
void gst_blockdct_target_reset (GstBlockDct * self);
void gst_blockdct_target_close (GstBlockDct * self);

/* gstblockdctoutput.c */

/** Open `stats-file`, if it is set; an element error is posted where it returns
 * FALSE. Write what is left, at the end of a stream, or close it. */
gboolean gst_blockdct_output_open (GstBlockDct * self);
void gst_blockdct_output_finish (GstBlockDct * self, gboolean close);

/** Let `stats` see the counters. */
void gst_blockdct_output_publish (GstBlockDct * self);

/** Take the oldest frame out of the engine, for `ready`, and say what became of
 * it. */
GstFlowReturn gst_blockdct_output_frame (GstBlockDct * self);

/* gstblockdctrepeat.c */

/** What a frame looks like has changed: show the latest one again, if no other
 * will come. From any thread. */
void gst_blockdct_repeat_ask (GstBlockDct * self);

/** The number of changes so far; the frame that leaves, its input (NULL: it is
 * not kept) and their number when it was started. */
guint64 gst_blockdct_repeat_get_asked (GstBlockDct * self);
void gst_blockdct_repeat_keep (GstBlockDct * self, GstBuffer * in,
    guint64 asked);

/** Called with the stream lock, around all that takes frames in or lets them
 * out. Returns `ret`, or what the push of the frame that was shown again
 * returned. */
void gst_blockdct_repeat_enter (GstBlockDct * self);
GstFlowReturn gst_blockdct_repeat_leave (GstBlockDct * self,
    GstFlowReturn ret);

/** If downstream was flushed for it, show the frame again. Whether that was so
 * and went well: what was pushed meanwhile is not what was shown last. */
gboolean gst_blockdct_repeat_settle (GstBlockDct * self, GstFlowReturn * ret);

/** A frame goes downstream, the last one before `eos`; it has gone. */
void gst_blockdct_repeat_push (GstBlockDct * self);
void gst_blockdct_repeat_end (GstBlockDct * self, GstEvent * eos);
void gst_blockdct_repeat_pushed (GstBlockDct * self);

/** What is kept belongs to another stream. */
void gst_blockdct_repeat_forget (GstBlockDct * self);

/** Upstream flushes; it has. The element leaves READY, or goes back to it;
 * pauses, or plays. */
void gst_blockdct_repeat_flush (GstBlockDct * self, gboolean flushing);
void gst_blockdct_repeat_run (GstBlockDct * self, gboolean running);
void gst_blockdct_repeat_set_paused (GstBlockDct * self, gboolean paused);

/** Start the frame again, before those in flight. */
GstFlowReturn gst_blockdct_repeat_start (GstBlockDct * self,
    GstBuffer * inbuf, GstBuffer * outbuf);

/* gstblockdctallocation.c */

/** Set what offers buffers upstream and gets them from downstream. */
void gst_blockdct_install_allocation (GstBaseTransformClass * klass);

/** Let go who waits for an output buffer; with `flushing` FALSE, let them wait
 * again. From any thread. */
void gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing);

G_END_DECLS
#endif
