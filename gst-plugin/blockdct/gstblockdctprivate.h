/* blockdct: the element's state, in parts; each part belongs to one file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PRIVATE_H
#define GST_BLOCKDCT_PRIVATE_H

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gstblockdctregions.h"
#include "gst-plugin/common/gstblockdctstatsfile.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctdebug.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gstblockdctsettings.h"
#include "gstblockdctshown.h"
#include "gst-plugin/common/gstblockdctcurve.h"

G_BEGIN_DECLS

/* State that other threads read or write, protected by the object lock. */
typedef struct
{
  GstBlockDctSettings settings;
  guint64 was_set;              /* bits 1 << property: it has been set */
  gboolean started;             /* start settings cannot change */
  GString *refused;             /* pending warnings, if there was no bus; or
                                 * NULL */
  gchar *active_backend;        /* NULL while nothing runs */
  const GstBlockDctBackendClass *active_class;  /* likewise */
  GstBlockDctTotals totals;     /* shown by `stats` */
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
  GstClockTime interval;        /* this and the following: the settings it
                                   entered with */
  gboolean post_messages;
  gdouble min_psnr_error, min_psnr_warning;
  GstBlockDctCurve curve;       /* expanded: `n` is at least 0 */
  BdctStats *curve_stats;       /* of each setting; NULL: none */
  GstBlockDctTargets targets;
  gboolean exact;               /* its bits are exact */
  gboolean repeated;            /* it is shown again */
} GstBlockDctFrame;

/* The engine and the frames in it (gstblockdctinflight.c). */
typedef struct
{
  GstBlockDctBackend backend;
  const gchar *name;            /* the engine's description, interned */
  GstBlockDctFrame *frames;     /* a ring of `depth` */
  guint depth;                  /* 0 before caps */
  guint oldest, n;
  guint64 next_number;          /* BdctFrame.number of the next new frame */
} GstBlockDctInFlight;

/* What a frame is processed with (gstblockdctjobs.c). */
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

/* What evaluates a frame at other settings (gstblockdctevaluate.c), and the
 * search for the one that meets the targets (gstblockdcttarget.c). */
typedef struct
{
  BdctEngine *engine;           /* NULL: there was no target and no curve */
  gboolean ready;               /* configured for the layout */
  gboolean has_source;          /* it has the source of the current frame */
  GstBlockDctCurveJobs *all;    /* of all settings; NULL: there was no
                                   target */
} GstBlockDctSearch;

/* The reports on frames that leave (gstblockdctfinish.c). */
typedef struct
{
  GstBlockDctStatistics statistics;
  GstBlockDctStatsFile *file;   /* NULL: `stats-file` is not set */
  gboolean below;               /* the last frame was below min-psnr-warning */
} GstBlockDctFinish;

/* How frames enter and leave (gstblockdcttransform.c,
 * gstblockdctallocation.c). */
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

typedef struct _GstBlockDct GstBlockDct;

#define GST_BLOCKDCT_CAST(object) ((GstBlockDct *) (object))

struct _GstBlockDct
{
  GstBaseTransform parent;

  GstBlockDctShared shared;
  GstObject *context;           /* the backend's, or one to open it with; its
                                   lock: gstblockdctbackend.h */

  /* Used by the streaming thread alone. */
  GstBlockDctSettings settings; /* of the latest frame */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  GstBlockDctInFlight inflight;
  GstBlockDctJobs jobs;
  GstBlockDctSearch search;
  GstBlockDctFinish finish;
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
  settings.start.stats_file = NULL;
  return settings;
}

G_END_DECLS
#endif
