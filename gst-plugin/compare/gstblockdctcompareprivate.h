/* blockdct: the state of blockdctcompare, in parts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_PRIVATE_H
#define GST_BLOCKDCT_COMPARE_PRIVATE_H

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include "dct/engine/engine.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include "gst-plugin/common/gstblockdctdebug.h"
#include "gst-plugin/common/gstblockdctstatistics.h"
#include "gst-plugin/common/gstblockdctstatsfile.h"
#include "gstblockdctcomparecoded.h"
#include "gstblockdctcomparematch.h"
#include "gstblockdctcomparepad.h"
#include "gstblockdctnavigation.h"
#include "gstblockdctoverlay.h"

G_BEGIN_DECLS

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

/** Warnings that are posted once between start and stop. Those with a bit for
 * each distorted pad are followed by BDCT_MAX_DISTORTED - 1 more. */
typedef enum
{
  /** By pad: its caps differ from the reference's. */
  GST_BLOCKDCT_COMPARE_WARNED_CAPS = 0,
  /** By pad: its input, or the reference, is a view. */
  GST_BLOCKDCT_COMPARE_WARNED_VIEW =
      GST_BLOCKDCT_COMPARE_WARNED_CAPS + BDCT_MAX_DISTORTED,
  /** The pad of `left`, or `right`, does not exist. */
  GST_BLOCKDCT_COMPARE_WARNED_LEFT =
      GST_BLOCKDCT_COMPARE_WARNED_VIEW + BDCT_MAX_DISTORTED,
  GST_BLOCKDCT_COMPARE_WARNED_RIGHT,
  /** No frame has a partner. */
  GST_BLOCKDCT_COMPARE_WARNED_UNMATCHED
} GstBlockDctCompareWarning;

typedef struct _GstBlockDctCompare GstBlockDctCompare;

#define GST_BLOCKDCT_COMPARE_CAST(object) ((GstBlockDctCompare *) (object))

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
  GstBlockDctStatistics statistics[BDCT_MAX_DISTORTED];
  guint warned;                 /* bits 1 << GstBlockDctCompareWarning */
  guint below;                  /* bits, by pad: below min-psnr-warning */
  GstBlockDctOverlay *overlay;
  GstBlockDctStatsFile *stats_file;     /* NULL: none is asked for */
};

/** Whether this is the first such warning since the start. */
static inline gboolean
gst_blockdct_compare_warn_once (GstBlockDctCompare * self,
    GstBlockDctCompareWarning warning)
{
  const gboolean first = !(self->warned >> warning & 1);

  self->warned |= 1u << warning;
  return first;
}

/** A consistent copy of the settings in force, without the file's name. */
static inline GstBlockDctCompareSettings
gst_blockdct_compare_get_settings (GstBlockDctCompare * self)
{
  GstBlockDctCompareSettings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  settings.stats_file = NULL;
  return settings;
}

G_END_DECLS
#endif
