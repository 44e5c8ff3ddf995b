/* blockdct: the element's state, in parts that each belong to one file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PRIVATE_H
#define GST_BLOCKDCT_PRIVATE_H

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include "dct/engine/engine.h"
#include "dct/picture/view.h"
#include "gstblockdctregions.h"
#include "gst-plugin/common/gstblockdctstatsfile.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctdebug.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gstblockdctsettings.h"
#include "gstblockdctshown.h"
#include "gst-plugin/common/gstblockdctcurve.h"

G_BEGIN_DECLS

/** What other threads read or write. Under the object lock. */
typedef struct
{
  GstBlockDctSettings settings;
  guint64 was_set;              /* bits 1 << property: it was set, ever */
  gboolean started;             /* start settings cannot change */
  GString *refused;             /* what to warn of, said while there was no bus;
                                   or NULL */
  gchar *active_backend;        /* NULL while nothing runs */
  const GstBlockDctBackendClass *active_class;  /* likewise */
  GstBlockDctTotals totals;     /* what `stats` shows */
  GstBlockDctShown shown;
  GstClockTime latency;
} GstBlockDctShared;

/** A frame in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBuffer *in, *out;
  GstVideoFrame in_frame, out_frame;
  GstBlockDctRecipe recipe;
  BdctView view;
  GstClockTime interval;        /* the settings it entered with */
  gboolean post_messages;
  gdouble min_psnr_error, min_psnr_warning;
  GstBlockDctCurve curve;       /* written out: `n` is not below 0 */
  GstBlockDctTargets targets;
  gboolean exact;               /* its bits */
  gboolean repeated;            /* it was shown before */
} GstBlockDctFrame;

/** The engine and the frames in it (gstblockdctinflight.c). */
typedef struct
{
  GstBlockDctBackend backend;
  const gchar *name;            /* the engine's description, interned */
  GstBlockDctFrame *frames;     /* a ring of `depth` */
  guint depth;                  /* 0 before caps */
  guint oldest, n;
} GstBlockDctInFlight;

/** What a frame is made with (gstblockdctjobs.c). */
typedef struct
{
  BdctParams wanted;            /* what the settings say */
  BdctParams params;            /* what `job` is made from: without what the
                                   stream does not allow */
  BdctJob job;
  gboolean valid, complete;     /* there is one; it lacks nothing */
  GstBlockDctCurveJobs *curve;  /* of the latest frame; NULL: there was none */
  GstBlockDctRegions *regions;  /* of the latest frame; NULL: never any */
  BdctView view;                /* its colours are those of the caps */
} GstBlockDctJobs;

/** The search for the setting that keeps a target (gstblockdcttarget.c). */
typedef struct
{
  BdctEngine *engine;           /* NULL: there was no target */
  gboolean ready;               /* for the layout */
  GstBlockDctCurveJobs *all;    /* all settings; NULL: there was no target */
} GstBlockDctSearch;

/** What is said of frames that leave (gstblockdctfinish.c). */
typedef struct
{
  GstBlockDctStatistics statistics;
  GstBlockDctStatsFile *file;   /* NULL: none is asked for */
  gboolean below;               /* the last frame was, of min-psnr-warning */
} GstBlockDctFinish;

/** How frames come and go (gstblockdcttransform.c, gstblockdctallocation.c). */
typedef struct
{
  gboolean draining;            /* let the engine run empty */
  gboolean dropped;             /* the frame before the next, for QoS */
  gboolean discont;             /* of the frame that leaves */
  gboolean others_proposed;     /* to upstream: frames passed */
  guint own_limit;              /* of the pool, set here; 0: none */
} GstBlockDctTransformState;

/** What was warned of since the start, or the caps: once is enough. */
typedef struct
{
  guint idle[BDCT_N_TRANSFORMS];        /* bits: properties without effect */
  guint metrics;                /* bits: those that these caps do not have */
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
  GST_BLOCKDCT_WARNED_LIMIT
} GstBlockDctWarning;

typedef struct _GstBlockDct GstBlockDct;

#define GST_BLOCKDCT_CAST(object) ((GstBlockDct *) (object))

struct _GstBlockDct
{
  GstBaseTransform parent;

  GstBlockDctShared shared;
  GstObject *context;           /* the backend's, or one to open it with;
                                   under the object lock */

  /* The streaming thread's. */
  GstBlockDctSettings settings; /* as of the latest frame */
  GstVideoInfo info;            /* of the caps */
  BdctLayout layout;
  GstBlockDctInFlight inflight;
  GstBlockDctJobs jobs;
  GstBlockDctSearch search;
  GstBlockDctFinish finish;
  GstBlockDctTransformState transform;
  GstBlockDctWarned warned;
};

/** Whether this is the first time since the start; afterwards it was. */
static inline gboolean
gst_blockdct_warn_once (GstBlockDct * self, GstBlockDctWarning warning)
{
  const gboolean first = !(self->warned.once >> warning & 1);

  self->warned.once |= 1u << warning;
  return first;
}

/** A copy of all settings, but for the file's name. From any thread. */
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
