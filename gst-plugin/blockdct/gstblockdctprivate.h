/* blockdct: the element's state, in parts; each part belongs to one file. The
 * files' functions follow.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstblockdct.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctcurve.h"
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gst-plugin/common/gstblockdctstatsfile.h"

/* The values of the properties. Each frame takes a copy of all values when it
 * enters, so a change is in force from the next frame on. Each value is valid
 * by itself, whatever the others are. */

/* Values of `quantization-tables`: a BdctPreset, or one of these. */
enum
{
  GST_BLOCKDCT_TABLES_MATRIX = BDCT_N_PRESETS,
  GST_BLOCKDCT_TABLES_FILE
};

/* The flag `bits` of `metrics`; the others are 1 << BdctMetric. */
#define GST_BLOCKDCT_BITS (1u << 16)

G_STATIC_ASSERT (BDCT_N_METRICS <= 16);

/* The steps of `quantization-matrix`, as BdctParams has them. */
typedef struct
{
  gint n;                       /* 0: not set */
  gint step[G_N_ELEMENTS (((BdctParams *) NULL)->steps)];
} GstBlockDctMatrix;

typedef struct
{
  BdctParams params;            /* all but the choice of tables */
  gint tables;                  /* `quantization-tables` */
  GstBlockDctMatrix matrix;
  BdctTables file;              /* of `quantization-file` */
  BdctChromaFormat subsampling;
  guint metrics;
  GstBlockDctCurve curve;
  GstBlockDctTargets targets;
  BdctViewMode view;
  gboolean grid;
  GstBlockDctCommon common;
  guint async_depth;            /* read at the start */
} GstBlockDctSettings;

/* The regions of one frame. */
typedef struct
{
  guint n;                      /* regions in force */
  /* With `n` above 0, the quantizers of the engine's frame
   * (BdctFrame). The first one is the frame's own. */
  gint n_quantizers;
  gint setting[BDCT_MAX_QUANTIZERS];  /* qualities or QPs */
  BdctJob *jobs;                /* NULL: none yet */
  gboolean has_qp;              /* `setting` are QPs */
  guint8 *quantizer_map;
  gsize n_blocks, room;         /* of the map; the memory is kept */
  guint warned;                 /* bits 1 << Warning */

  /* While they are found: */
  GstElement *element;
  const BdctParams *params;
  const BdctLayout *layout;
  const BdctJobInfo *info;
} GstBlockDctRegions;

/* State that other threads read or write, protected by the object lock. */
typedef struct
{
  GstBlockDctSettings settings; /* first: gstblockdctproperties.c */
  guint64 was_set;              /* bits 1 << property: it has been set */
  gboolean started;             /* start settings cannot change */
  GString *refused;             /* pending warnings, if there was no bus; or
                                 * NULL */
  GstBlockDctBackend backend;   /* the streaming thread's */
  GstBlockDctStatistics statistics;     /* the streaming thread's */
  GstBlockDctShown shown;
  GstClockTime latency;
} GstBlockDctShared;

/* A frame in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBuffer *in, *out;
  GstVideoFrame in_frame, out_frame;
  GstBlockDctRecipe recipe;
  BdctView view;
  GstBlockDctCommon common;     /* this and the following: the settings it
                                   entered with */
  GstBlockDctCurve curve;       /* expanded: `n` is at least 0 */
  BdctStats *curve_stats;       /* of each setting; NULL: none */
  gboolean exact;               /* its bits are exact */
  gboolean repeated;            /* it is shown again */
} GstBlockDctFrame;

/* The engine and the frames in it (gstblockdctinflight.c). */
typedef struct
{
  GstBlockDctFrame *frames;     /* a ring of `depth` */
  guint depth;                  /* 0 before caps */
  guint oldest, n;
  gboolean repeating;           /* the latest is a repeated one: it leaves at
                                   once, as no other frame follows to push it
                                   out */
  guint64 next_number;          /* BdctFrame.number of the next new frame */
} GstBlockDctInFlight;

/* What a frame is processed with (gstblockdctinflight.c). */
typedef struct
{
  BdctParams wanted;            /* of the settings */
  BdctParams params;            /* of `job`: without what the stream does not
                                   allow */
  BdctJob *job;                 /* NULL: there is none */
  BdctJobInfo info;             /* of it */
  gboolean complete;            /* it has all of `wanted` */
  GstBlockDctCurveJobs *curve;  /* of the latest frame; NULL: there was none */
  GstBlockDctRegions *regions;  /* of the latest frame; NULL: never any */
  BdctView view;                /* with the colours of the caps */
} GstBlockDctJobs;

/* What evaluates a frame at other settings, and the search for the one that
 * meets the targets (gstblockdcttarget.c). */
typedef struct
{
  BdctEngine *engine;           /* NULL: there was no target and no curve */
  gboolean ready;               /* configured for the layout */
  gboolean has_source;          /* it has the source of the current frame */
  GstBlockDctCurveJobs *all;    /* of all settings; NULL: there was no
                                   target */
} GstBlockDctSearch;

/* How frames enter and leave (gstblockdcttransform.c). */
typedef struct
{
  gboolean dropped;             /* a frame was dropped for QoS before the next
                                   one */
  gboolean others_proposed;     /* while frames passed through, downstream's
                                   buffers were offered to upstream */
  guint own_limit;              /* the pool's limit of buffers that is set here;
                                   0: none */
} GstBlockDctTransformState;

/* Warnings posted since the start, or since the caps; each is posted once. */
typedef struct
{
  guint unused[BDCT_N_TRANSFORMS];      /* bits: properties without effect */
  guint metrics;                /* bits: metrics that the caps do not allow */
  guint once;                   /* bits 1 << GstBlockDctWarning */
} GstBlockDctWarned;

typedef enum
{
  GST_BLOCKDCT_WARNED_SUBSAMPLING,
  GST_BLOCKDCT_WARNED_TABLES,
  GST_BLOCKDCT_WARNED_STEPS,
  GST_BLOCKDCT_WARNED_LISTS,
  GST_BLOCKDCT_WARNED_CURVE,
  GST_BLOCKDCT_WARNED_NO_CURVE,
  GST_BLOCKDCT_WARNED_TARGET,
  GST_BLOCKDCT_WARNED_NO_TARGET,
  GST_BLOCKDCT_WARNED_SLOW,
  GST_BLOCKDCT_WARNED_LIMIT,
  GST_BLOCKDCT_WARNED_REFUSED   /* an error, as a pad sends caps again */
} GstBlockDctWarning;

#define GST_BLOCKDCT_CAST(object) ((GstBlockDct *) (object))

struct _GstBlockDct
{
  GstBaseTransform parent;

  GstBlockDctShared shared;

  /* Used by the streaming thread alone. */
  GstBlockDctSettings settings; /* of the latest frame */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  GstBlockDctInFlight inflight;
  GstBlockDctJobs jobs;
  GstBlockDctSearch search;
  GstBlockDctStatsFile *stats_file;     /* NULL: `stats-file` is not set */
  GstBlockDctTransformState transform;
  GstBlockDctWarned warned;
};

/* Whether this is the first such warning since the start. */
static inline gboolean
gst_blockdct_warn_once (GstBlockDct * self, GstBlockDctWarning warning)
{
  const gboolean first = !(self->warned.once >> warning & 1);

  self->warned.once |= 1u << warning;
  return first;
}

/* A copy of all settings except the file's name. Any thread may call this. */
static inline GstBlockDctSettings
gst_blockdct_get_settings (GstBlockDct * self)
{
  GstBlockDctSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->shared.settings;
  GST_OBJECT_UNLOCK (self);
  settings.common.stats_file = NULL;
  return settings;
}

/* Properties (gstblockdctproperties.c) */

/* Install them; give a new element its defaults. */
void gst_blockdct_install_properties (GObjectClass * klass);
void gst_blockdct_init_properties (GstBlockDct * self);

/* While `started` is set, properties that are read at the start cannot change.
 * Sets it, and posts the warnings that had to wait for a bus. */
void gst_blockdct_properties_start (GstBlockDct * self);

/* Post a message, once for each transform, about each property that was set and
 * has no effect on frames with these settings. */
void gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings);

/* Parse: convert a property's value into the field, which is zeroed, or refuse
 * it; called without the object lock. Format: convert it back; called with the
 * lock. */
typedef gboolean GstBlockDctParse (const GValue * value, gpointer field,
    BdctError * error);
typedef void GstBlockDctFormat (gconstpointer field, GValue * value);

/* A side of hevc-quadtree's blocks; a matrix, or a curve, both of which have
 * `n` and as many numbers (gstblockdcttables.c). */
GstBlockDctParse gst_blockdct_parse_side, gst_blockdct_parse_matrix,
    gst_blockdct_parse_curve;
GstBlockDctFormat gst_blockdct_format_list;

/* The file that a property names, read into BdctTables or BdctScalingLists.
 * They begin with their name, which is the path's GQuark: a number, so that
 * settings can be copied and compared. Without a path, or with an empty one,
 * there are none. The error names the file and the reason. */
GstBlockDctParse gst_blockdct_parse_tables, gst_blockdct_parse_lists;
GstBlockDctFormat gst_blockdct_format_file;

/* Regions of interest: the quantizer map of a frame's blocks, from its
 * buffer's metas (gstblockdctregions.c).
 *
 * A GstVideoRegionOfInterestMeta counts if it has a parameter structure
 * `roi/blockdct` with `delta-qp` (int) or `quality` (int), or one of an
 * encoder's, `roi/x264enc`, `roi/msdk` or `roi/vaapi`, with `delta-qp`
 * (int). */

/* Find the regions of `buffer`, whose other blocks use `params`, with blocks
 * as `info` says; returns how many are in force. `*regions` is NULL until the
 * first region allocates it. `element` warns once, until
 * gst_blockdct_regions_clear(), of each kind of region without effect; NULL: no
 * warnings. */
guint gst_blockdct_regions_find (GstBlockDctRegions ** regions,
    GstElement * element, GstBuffer * buffer, const BdctParams * params,
    const BdctLayout * layout, const BdctJobInfo * info);

/* By how many QP a quantizer is coarser than the frame's own. Qualities are
 * compared by their scales, the IJG's percentages of the Annex K tables: 6 QP
 * double the steps. */
gdouble gst_blockdct_regions_delta_qp (const GstBlockDctRegions * regions,
    gint set);

/* Free the regions, if there are any, and reset the warnings. */
void gst_blockdct_regions_clear (GstBlockDctRegions ** regions);

/* Frames at other settings, for targets and for `curve` (gstblockdcttarget.c).
 * Another engine evaluates them, which makes no pictures, as the one with the
 * frames in flight gives results in their order. */

/* Call the first when the layout changes, the second before the backend
 * closes. */
void gst_blockdct_evaluate_reset (GstBlockDctSearch * search);
void gst_blockdct_evaluate_close (GstBlockDctSearch * search);

/* Have the engine, which is created and configured when it is first needed. */
gboolean gst_blockdct_evaluate_prepare (GstBlockDct * self, BdctError * error);

/* Evaluate `frame`, which has no picture, at each of `n` jobs. */
gboolean gst_blockdct_evaluate (GstBlockDctSearch * search,
    const BdctFrame * frame, const BdctJob * jobs, gint n, BdctStats * stats,
    BdctError * error);

/* Set the quality or QP in `recipe` that meets the targets for this frame, and
 * `target_met`. `src` is the mapped buffer `in`; `wait` is as in BdctFrame.
 * FALSE, with an element error, if the engine fails. */
gboolean gst_blockdct_target_find (GstBlockDct * self,
    const GstBlockDctTargets * targets, const BdctImage * src, GstBuffer * in,
    gpointer wait, GstBlockDctRecipe * recipe);

/* The engine, and the frames in it (gstblockdctinflight.c). Only the streaming
 * thread calls these functions. */

/* Choose and start a backend, or return FALSE with an element error; close it
 * and drop the frames in it. */
gboolean gst_blockdct_inflight_open (GstBlockDct * self);
void gst_blockdct_inflight_close (GstBlockDct * self);

/* Prepare for the caps in `info`; no frame may be in flight. Returns FALSE
 * with an element error. */
gboolean gst_blockdct_inflight_configure (GstBlockDct * self);

/* Start one frame with the element's settings. The ring holds a reference to
 * each of its buffers. */
GstFlowReturn gst_blockdct_inflight_submit (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer * outbuf);

/* Wait for the oldest frame and take it out of the ring. Its buffers are
 * unmapped and belong to the caller; on an error, which is posted, there are
 * none. */
GstFlowReturn gst_blockdct_inflight_collect (GstBlockDct * self,
    GstBlockDctFrame * frame, BdctStats * stats);

/* Wait for all frames in flight and drop them. */
void gst_blockdct_inflight_discard (GstBlockDct * self);

/* The next frame does not follow the latest one: metrics over time do not
 * compare the two. Dropping frames does this by itself. */
void gst_blockdct_inflight_interrupt (GstBlockDct * self);

/* Reports of frames that come out of the engine: messages, meta, `stats`, and
 * the file (gstblockdcttransform.c). */

/* Reset the statistics and open `stats-file`, if it is set. Returns FALSE with
 * an element error. */
gboolean gst_blockdct_finish_open (GstBlockDct * self);

/* A frame's way through the element, and the buffers that it offers upstream
 * and writes to (gstblockdcttransform.c). */

/* Install the functions that take frames in and give them out, and that offer
 * buffers upstream and get them from downstream. */
void gst_blockdct_install_transform (GstBaseTransformClass * klass);

/* Push all frames in flight; those that downstream refuses are dropped. The
 * base class neither counts these frames in QoS messages nor notes their
 * position. */
void gst_blockdct_drain (GstBlockDct * self);

/* Post an error if downstream takes no pictures of these caps of the sink pad:
 * the base class says nothing of it. */
void gst_blockdct_explain_refusal (GstBlockDct * self, GstCaps * caps);

/* Wake a thread that waits for an output buffer; with `flushing` FALSE,
 * threads may wait again. Any thread may call this. */
void gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing);
