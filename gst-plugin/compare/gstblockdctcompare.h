/* blockdct: the element blockdctcompare.
 *
 * Its parts: who may come in (gstblockdctcomparepad.h), who meets whom
 * (gstblockdctcomparematch.h), what the engine makes of a pair
 * (gstblockdctcompareframes.c), and what leaves (gstblockdctcompareflow.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_H
#define GST_BLOCKDCT_COMPARE_H

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include "dct/engine.h"
#include "gstblockdctnavigation.h"
#include "gstblockdctoverlay.h"
#include "gst-plugin/gstblockdctstatsfile.h"
#include "gst-plugin/gstblockdctbackend.h"
#include "gst-plugin/gstblockdctreport.h"
#include "gstblockdctcomparecoded.h"
#include "gstblockdctcomparematch.h"
#include "gstblockdctcomparepad.h"

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_COMPARE (gst_blockdct_compare_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctCompare, gst_blockdct_compare, GST,
    BLOCKDCT_COMPARE, GstAggregator)
GST_ELEMENT_REGISTER_DECLARE (blockdctcompare);

/** The flag of `metrics` beside those of BdctMetric. */
#define GST_BLOCKDCT_COMPARE_PSNR (1 << BDCT_N_METRICS)

/** The value of `view` that passes a picture on as it is; the others are those
 * of BdctViewMode. */
#define GST_BLOCKDCT_COMPARE_SINGLE BDCT_VIEW_RECONSTRUCTION

/** What properties say. A frame is made with one copy of it. */
typedef struct
{
  guint metrics;                /* BdctMetric's bits, and PSNR's */
  gint view;
  gint left, right;             /* pads' numbers */
  gdouble wipe_position, difference_gain;
  gdouble zoom, zoom_x, zoom_y;
  gboolean magnifier;
  gdouble magnifier_x, magnifier_y;
  gboolean overlay, interactive;
  gdouble min_psnr_error, min_psnr_warning;
  gint offset;
  gboolean post_messages;
  guint64 interval;
  gint backend, device_id;      /* these are read at the start, */
  guint threads;
  gchar *stats_file;            /* and this; not copied with the rest */
} GstBlockDctCompareSettings;

/** A pair in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBlockDctComparePair pair;
  GstBuffer *out;               /* what the view is drawn on; NULL: none is */
  GstVideoFrame mapped[2 + BDCT_MAX_DISTORTED];
  guint n_mapped;
  BdctLayout layout[1 + BDCT_MAX_DISTORTED];    /* by 1 + the pad's number */
  gint pad[BDCT_MAX_DISTORTED]; /* whose figures come out, in this order */
  guint n_pads;
  BdctView view;
  GstBlockDctCompareSettings settings;
  GstBlockDctTimes times;
} GstBlockDctCompareInFlight;

/** The most pairs in the engine. */
#define GST_BLOCKDCT_COMPARE_DEPTH 8

/** The engine and what is in it. Of the thread that aggregates. */
typedef struct
{
  GstBlockDctBackend backend;
  const gchar *name;            /* the engine's description, interned */
  GstVideoInfo info;            /* of the reference, for which it is set up */
  BdctLayout layout;
  guint depth;                  /* 0: it is not */
  BdctView colours;             /* a view with the colours of these caps */
  GstBlockDctCompareInFlight *in_flight;        /* so many, with the engine */
  guint oldest, n_in_flight;
  guint warned_metrics;         /* bits: that these caps do not have them */
} GstBlockDctCompareFrames;

/** What leaves. Of the thread that aggregates. */
typedef struct
{
  GstVideoInfo info;            /* of the source pad's caps */
  gint single;                  /* the pad that passes; else DRAWN */
  GstCaps *shown;               /* of the pad that passes; else the
                                   reference's: those that leave follow */
  gboolean negotiating;         /* for the pair that is next */
  gboolean overlay_attach;      /* downstream draws what is attached */
  gboolean own_memory;          /* the backend's */
  guint own_limit;              /* buffers of the pool; 0: it sets none */
  guint32 segment_seqnum;       /* of the reference's, as it went downstream */
  gboolean flushed;             /* send the segment once more */
} GstBlockDctCompareOutput;

#define GST_BLOCKDCT_COMPARE_DRAWN (-2)

struct _GstBlockDctCompare
{
  GstAggregator parent;

  /* Protected by the object lock. */
  GstBlockDctCompareSettings settings;
  GstBlockDctTotals totals[BDCT_MAX_DISTORTED]; /* what `stats` shows */
  gchar *active_backend;        /* NULL while nothing runs */
  GstObject *context;           /* the backend's, or one to open it with */
  gboolean started;

  GstBlockDctCompareCoded coded[BDCT_MAX_DISTORTED];    /* each of its pad's
                                   streaming thread, while there is one */

  gint flush_pending;           /* atomic: forget what was before it */
  GstBlockDctCompareGate gate;  /* has its own lock */
  GstBlockDctNavigation navigation;     /* likewise */

  /* The aggregating thread's. */
  GstBlockDctCompareMatch match;
  GstBlockDctComparePair pair;  /* that is being found */
  GstBlockDctCompareFrames frames;
  GstBlockDctCompareOutput output;
  GstBlockDctCompareShifts shifts[BDCT_MAX_DISTORTED];
  GstBlockDctReport report[BDCT_MAX_DISTORTED];
  guint warned_differ;          /* bits, by pad: that its caps differ */
  guint warned_sides;           /* bits, left and right: that its pad is not
                                   there */
  gboolean warned_alone;        /* that nothing met anything */
  guint warned_view;            /* bits, by pad: that an input is a view */
  guint below;                  /* bits, by pad: below min-psnr-warning */
  GstBlockDctOverlay *overlay;
  GstBlockDctStatsFile *stats_file;     /* NULL: none is asked for */
};

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);

/** The inputs come from one source, frame by frame: let none run ahead by more
 * than so many frames. Before PAUSED. */
void gst_blockdct_compare_set_lockstep (GstBlockDctCompare * self,
    guint max_frames);

/** The distorted pads' names, by number. */
extern const gchar *const gst_blockdct_compare_pad_names[BDCT_MAX_DISTORTED];

/* gstblockdctcompareproperties.c */
void gst_blockdct_compare_install_properties (GObjectClass * klass);
void gst_blockdct_compare_init_properties (GstBlockDctCompare * self);

/** A consistent copy of the settings in force, without the file's name. */
GstBlockDctCompareSettings gst_blockdct_compare_get_settings
    (GstBlockDctCompare * self);

/* gstblockdctcomparekeys.c */
extern const GstBlockDctActions gst_blockdct_compare_actions;

/* gstblockdctcompareframes.c */

/** Open the backend; an element error is posted where it returns FALSE. Close
 * it, with what is in it forgotten. */
gboolean gst_blockdct_compare_frames_open (GstBlockDctCompare * self);
void gst_blockdct_compare_frames_close (GstBlockDctCompare * self);

/** Prepare for the caps of the reference; nothing may be in flight. An element
 * error is posted where it returns FALSE. */
gboolean gst_blockdct_compare_frames_configure (GstBlockDctCompare * self,
    const GstVideoInfo * info);

/** Start a pair, which is taken. `out`: what the view is drawn on, taken, too;
 * NULL: nothing is drawn. */
GstFlowReturn gst_blockdct_compare_frames_submit (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    GstBlockDctComparePair * pair, GstBuffer * out,
    const GstBlockDctCompareSettings * settings);

/** Wait for the oldest pair; `*out` stays until the next one is started.
 * Unmapped, its buffers are the caller's; on an error, which is posted, there
 * are none. */
GstFlowReturn gst_blockdct_compare_frames_collect (GstBlockDctCompare * self,
    GstBlockDctCompareInFlight ** out, BdctStats stats[BDCT_MAX_DISTORTED]);

/** Wait for all that is in flight and forget it. */
void gst_blockdct_compare_frames_discard (GstBlockDctCompare * self);

/** Measure a distorted frame against the reference frames before its own, and
 * the other way round. Nothing may be in flight. */
GstFlowReturn gst_blockdct_compare_frames_measure_shifts
    (GstBlockDctCompare * self, const GstBlockDctComparePair * pair,
    guint pad_number,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

/** Before frames are looked at: go over to caps that a flush left behind. */
void gst_blockdct_compare_follow_sticky_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED]);

/** The same: forget what was before a flush, if there was one. */
void gst_blockdct_compare_follow_flush (GstBlockDctCompare * self);

/* gstblockdctcomparecaps.c */

/** Set what negotiates caps and answers and sends allocation queries. */
void gst_blockdct_compare_install_caps (GstAggregatorClass * klass);

/** Have the engine ready for a pair; `*changed`: it was not. */
GstFlowReturn gst_blockdct_compare_follow_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    gboolean * changed);

/** Negotiate the caps that leave, if the view, the pads it shows or their caps
 * have changed. What was drawn in those before leaves first. */
GstFlowReturn gst_blockdct_compare_follow_output (GstBlockDctCompare * self,
    GstBlockDctComparePad * const pads[1 + BDCT_MAX_DISTORTED],
    const GstBlockDctCompareSettings * settings, gboolean changed);

/* gstblockdctcompareflow.c */

/** Set what takes frames in and gives them out. */
void gst_blockdct_compare_install_flow (GstAggregatorClass * klass);

/** The pads by 1 + their number, each with a reference; NULL where there is
 * none. */
void gst_blockdct_compare_get_pads (GstBlockDctCompare * self,
    GstBlockDctComparePad * pads[1 + BDCT_MAX_DISTORTED]);
void gst_blockdct_compare_put_pads (GstBlockDctComparePad *
    pads[1 + BDCT_MAX_DISTORTED]);

/** Forget what belongs to frames before a flush, or of another stream. */
void gst_blockdct_compare_forget (GstBlockDctCompare * self);

/** Push all that is in flight. */
GstFlowReturn gst_blockdct_compare_drain (GstBlockDctCompare * self);

/* gstblockdctcompareoutput.c */

/** What is said of a pair that comes out of the engine, and the buffer that
 * leaves, which is the caller's. */
GstFlowReturn gst_blockdct_compare_output (GstBlockDctCompare * self,
    GstBuffer ** buffer);

/** The stream is over: what is left to say. */
void gst_blockdct_compare_output_end (GstBlockDctCompare * self);

/** Let `stats` see the counters. */
void gst_blockdct_compare_output_publish (GstBlockDctCompare * self);

/** The structure of `stats`. With the object lock. */
GstStructure *gst_blockdct_compare_output_stats (GstBlockDctCompare * self);

G_END_DECLS
#endif
