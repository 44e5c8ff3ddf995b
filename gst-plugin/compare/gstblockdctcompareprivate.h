/* blockdct: the state of blockdctcompare, in parts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gst-plugin/common/gstblockdctstatsfile.h"
#include "gstblockdctcompare.h"
#include "gstblockdctcomparepad.h"
#include "gstblockdctnavigation.h"
#include "gstblockdctoverlay.h"

/* The flag `psnr` of `metrics`; the others are 1 << BdctMetric. */
#define GST_BLOCKDCT_COMPARE_PSNR (1 << BDCT_N_METRICS)

/* The value of `view` that passes a picture unchanged; the others are those of
 * BdctViewMode. */
#define GST_BLOCKDCT_COMPARE_SINGLE BDCT_VIEW_RECONSTRUCTION

/* The values of the properties. Each pair uses one copy, except that `offset`
 * is also read when it is matched. */
typedef struct
{
  guint metrics;                /* 1 << BdctMetric, and PSNR's flag */
  gint view;
  gint left, right;             /* numbers of pads */
  gdouble wipe_position, difference_gain;
  gdouble zoom, zoom_x, zoom_y;
  gboolean overlay, interactive;
  gint offset;
  guint64 latency;              /* of a live pipeline */
  GstBlockDctCommon common;
} GstBlockDctCompareSettings;

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
} GstBlockDctCompareMatch;

/* The shifts that are tried, to either side. */
#define GST_BLOCKDCT_COMPARE_SHIFTS 3

/* The search for a shift of one input. */
typedef struct
{
  guint pairs;                  /* measured */
  gboolean done;
  GstBuffer *reference[GST_BLOCKDCT_COMPARE_SHIFTS];    /* latest first */
  GstBuffer *distorted[GST_BLOCKDCT_COMPARE_SHIFTS];
  gdouble mse[GST_BLOCKDCT_COMPARE_SHIFTS];     /* of these pairs */

  /* By shift + SHIFTS: sums of the mean squared errors, the sums of the same
   * distorted frames without a shift, and the number of frames in each. */
  gdouble at[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
  gdouble as_it_is[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
  guint measured[2 * GST_BLOCKDCT_COMPARE_SHIFTS + 1];
} GstBlockDctCompareShifts;

/* A pair in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBlockDctComparePair pair;
  GstBuffer *out;               /* the view; NULL: none is drawn */
  GstVideoFrame mapped[2 + BDCT_MAX_DISTORTED];
  guint n_mapped;
  gint pad[BDCT_MAX_DISTORTED]; /* the pads with figures, in the order of the
                                   engine's statistics */
  guint n_pads;
  BdctView view;
  GstBlockDctCompareSettings settings;
  GstBlockDctTimes times;
} GstBlockDctCompareInFlight;

/* The maximum number of pairs in the engine. */
#define GST_BLOCKDCT_COMPARE_DEPTH 8

/* The engine and the pairs in it. Used by the aggregating thread. */
typedef struct
{
  GstBlockDctBackend backend;
  GstVideoInfo info;            /* of the reference, for which it is
                                   configured */
  BdctLayout layout;
  guint depth;                  /* 0: it is not configured */
  BdctView colours;             /* the default view, with the colours of these
                                   caps */
  GstBlockDctCompareInFlight *in_flight;        /* a ring of
                                                   GST_BLOCKDCT_COMPARE_DEPTH,
                                                   while the engine is open */
  guint oldest, n_in_flight;
  guint warned_metrics;         /* bits: metrics that the caps do not allow */
} GstBlockDctCompareFrames;

/* The output. Used by the aggregating thread. */
typedef struct
{
  GstVideoInfo info;            /* of the source pad's caps */
  gint single;                  /* the pad whose pictures pass; else DRAWN */
  GstCaps *shown;               /* of the pad whose pictures pass, else of the
                                   reference: the output caps follow from
                                   them */
  gboolean negotiating;         /* the next pair is negotiated */
  gboolean overlay_attach;      /* downstream draws overlay compositions */
  guint32 segment_seqnum;       /* of the reference's segment that went
                                   downstream */
} GstBlockDctCompareOutput;

#define GST_BLOCKDCT_COMPARE_DRAWN (-2)

/* Warnings that are posted once between start and stop. Those with a bit for
 * each distorted pad are followed by BDCT_MAX_DISTORTED - 1 more. */
typedef enum
{
  /* By pad: its caps differ from the reference's. */
  GST_BLOCKDCT_COMPARE_WARNED_CAPS = 0,
  /* By pad: its input, or the reference, is a view. */
  GST_BLOCKDCT_COMPARE_WARNED_VIEW =
      GST_BLOCKDCT_COMPARE_WARNED_CAPS + BDCT_MAX_DISTORTED,
  /* The pad of `left`, or `right`, does not exist. */
  GST_BLOCKDCT_COMPARE_WARNED_LEFT =
      GST_BLOCKDCT_COMPARE_WARNED_VIEW + BDCT_MAX_DISTORTED,
  GST_BLOCKDCT_COMPARE_WARNED_RIGHT,
  /* No frame has a partner. */
  GST_BLOCKDCT_COMPARE_WARNED_UNMATCHED
} GstBlockDctCompareWarning;

#define GST_BLOCKDCT_COMPARE_CAST(object) ((GstBlockDctCompare *) (object))

struct _GstBlockDctCompare
{
  GstAggregator parent;
  GstBlockDctComparePad *reference;     /* ref_sink, which is always there */

  /* Protected by the object lock. */
  GstBlockDctCompareSettings settings;
  gboolean started;
  gboolean live;                /* so upstream said last */
  GstCaps *reference_caps;      /* that have arrived; NULL: none */

  gint flush_pending;           /* atomic: drop the state from before a flush */
  GstBlockDctNavigation navigation;     /* has its own lock */

  /* Used by the aggregating thread. */
  GstBlockDctComparePad *pads[1 + BDCT_MAX_DISTORTED];  /* by 1 + their number,
                                                           while aggregate()
                                                           runs */
  GstBlockDctCompareMatch match;
  GstBlockDctComparePair pair;  /* being matched */
  GstBlockDctCompareFrames frames;
  GstBlockDctCompareOutput output;
  GstBlockDctCompareShifts shifts[BDCT_MAX_DISTORTED];
  GstBlockDctStatistics statistics[BDCT_MAX_DISTORTED]; /* `dropped`: frames
                                                           without a partner,
                                                           and reference frames
                                                           without one on that
                                                           pad */
  guint warned;                 /* bits 1 << GstBlockDctCompareWarning */
  GstBlockDctOverlay overlay;
  GstBlockDctStatsFile *stats_file;     /* NULL: `stats-file` is not set */
};

/* Whether this is the first such warning since the start. */
static inline gboolean
gst_blockdct_compare_warn_once (GstBlockDctCompare * self,
    GstBlockDctCompareWarning warning)
{
  const gboolean first = !(self->warned >> warning & 1);

  self->warned |= 1u << warning;
  return first;
}

/* A consistent copy of the settings, without the file's name. */
static inline GstBlockDctCompareSettings
gst_blockdct_compare_get_settings (GstBlockDctCompare * self)
{
  GstBlockDctCompareSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  settings.common.stats_file = NULL;
  return settings;
}

/* Properties: a change is in force from the next frame on. */

void gst_blockdct_compare_install_properties (GObjectClass * klass);

/* Caps and memory */

/* Install the functions that negotiate caps, and answer and send allocation
 * queries. */
void gst_blockdct_compare_install_caps (GstAggregatorClass * klass);

/* Answer a query for the caps of a sink pad. */
void gst_blockdct_compare_query_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstQuery * query);

/* Caps arrive at the reference: the other pads' follow from them. */
void gst_blockdct_compare_announce_caps (GstBlockDctCompare * self,
    GstCaps * caps);

/* Set a pad's caps, from its next frame on. */
gboolean gst_blockdct_compare_set_caps (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad, GstCaps * caps);

/* Configure the engine for a pair, if needed: then `*changed` is TRUE. */
GstFlowReturn gst_blockdct_compare_follow_caps (GstBlockDctCompare * self,
    gboolean * changed);

/* Negotiate the output caps, if the view, the pads it shows or their caps have
 * changed. Frames with the old caps leave first. */
GstFlowReturn gst_blockdct_compare_follow_output (GstBlockDctCompare * self,
    const GstBlockDctCompareSettings * settings, gboolean changed);

/* The engine, and the pairs in it */

/* Open the backend, or return FALSE with an element error; close it, and drop
 * the pairs in it. */
gboolean gst_blockdct_compare_frames_open (GstBlockDctCompare * self);
void gst_blockdct_compare_frames_close (GstBlockDctCompare * self);

/* Prepare for the caps of the reference; no pair may be in flight. Returns
 * FALSE with an element error. */
gboolean gst_blockdct_compare_frames_configure (GstBlockDctCompare * self,
    const GstVideoInfo * info);

/* Start the pair that was matched. The view is drawn on `out`, which is taken;
 * NULL: no view is drawn. */
GstFlowReturn gst_blockdct_compare_frames_submit (GstBlockDctCompare * self,
    GstBuffer * out, const GstBlockDctCompareSettings * settings);

/* Wait for the oldest pair; `*out` is valid until the next one is started. Its
 * buffers are unmapped and belong to the caller; on an error, which is posted,
 * there are none. */
GstFlowReturn gst_blockdct_compare_frames_collect (GstBlockDctCompare * self,
    GstBlockDctCompareInFlight ** out, BdctStats stats[BDCT_MAX_DISTORTED]);

/* Wait for all pairs in flight and drop them. */
void gst_blockdct_compare_frames_discard (GstBlockDctCompare * self);

/* Compare a picture of pad `from` with others of pad `with`, up to the first
 * NULL, and collect at once. Returns their number; -1 with an error. */
gint gst_blockdct_compare_frames_get_errors (GstBlockDctCompare * self,
    GstBuffer * buffer, const GstBlockDctComparePad * from,
    GstBuffer * const *others, guint n, const GstBlockDctComparePad * with,
    gdouble mse[BDCT_MAX_DISTORTED]);

/* Matching: by running time, within half of the reference's frame duration;
 * without timestamps by order of arrival */

void gst_blockdct_compare_pair_clear (GstBlockDctComparePair * pair);

/* Count a pad's frames anew: after a flush. */
void gst_blockdct_compare_match_restart (GstBlockDctCompare * self,
    GstBlockDctComparePad * pad);

typedef enum
{
  GST_BLOCKDCT_COMPARE_MATCHED,
  GST_BLOCKDCT_COMPARE_SKIPPED, /* a reference frame has no partner: try
                                   again */
  GST_BLOCKDCT_COMPARE_WAITING, /* waits for an input's next frame */
  GST_BLOCKDCT_COMPARE_ENDED    /* the reference has ended */
} GstBlockDctCompareResult;

/* Take the next reference frame and its partners from the pads. With `timeout`,
 * missing frames are not waited for. */
GstBlockDctCompareResult gst_blockdct_compare_match_next (GstBlockDctCompare *
    self, gboolean timeout);

/* Look for a shift of each input of the pair that would fit better than
 * `offset`, and warn of it; at the end of a short stream, fewer pairs are
 * enough. */
GstFlowReturn gst_blockdct_compare_shifts_look (GstBlockDctCompare * self,
    gint offset);
void gst_blockdct_compare_shifts_end (GstBlockDctCompare * self, gint offset);

/* Drop all measurements. */
void gst_blockdct_compare_shifts_reset (GstBlockDctCompareShifts * shifts);

/* Reports and output */

/* Report and push the oldest pair in flight; or all of them. */
GstFlowReturn gst_blockdct_compare_push_oldest (GstBlockDctCompare * self);
GstFlowReturn gst_blockdct_compare_drain (GstBlockDctCompare * self);

/* At the end of a stream, post and write the remaining statistics. */
void gst_blockdct_compare_finish_end (GstBlockDctCompare * self);

/* Make the structure of `stats`. Called with the object lock. */
GstStructure *gst_blockdct_compare_finish_stats (GstBlockDctCompare * self);

/* The aggregating thread */

/* Install the functions that take frames in and push them. */
void gst_blockdct_compare_install_aggregate (GstAggregatorClass * klass);

/* Drop all state of earlier frames: after a flush, or for another stream. */
void gst_blockdct_compare_forget (GstBlockDctCompare * self);

/* Drop the state from before a flush, if there has been one. */
void gst_blockdct_compare_follow_flush (GstBlockDctCompare * self);
