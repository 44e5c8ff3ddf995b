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
#include "gstblockdctreport.h"
#include "gstblockdctstatsfile.h"

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT (gst_blockdct_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDct, gst_blockdct, GST, BLOCKDCT,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdct);

typedef enum
{
  GST_BLOCKDCT_BACKEND_AUTO,
  GST_BLOCKDCT_BACKEND_CUDA,
  GST_BLOCKDCT_BACKEND_CPU,
} GstBlockDctBackend;

/* What properties set. */
typedef struct
{
  BdctParams params;
  GstBlockDctBackend backend;
  gint device_id;
  guint threads;
  guint async_depth;
  gboolean post_messages;
  GstClockTime interval;
  BdctViewMode view;
  gdouble wipe_position;
  gdouble difference_gain;
  gboolean grid;
  gboolean overlay;
  gboolean interactive;
} GstBlockDctSettings;

/* A frame in the engine: its buffers stay mapped until it comes out. */
typedef struct
{
  GstBuffer *in, *out;
  GstVideoFrame in_frame, out_frame;
  GstBlockDctHow how;
  BdctView view;
} GstBlockDctInFlight;

/* The frame that came out last, for clicks on it. */
typedef struct
{
  GstBuffer *in;                /* NULL if there is none */
  GstVideoInfo info;
  BdctLayout layout;
  BdctView view;
  BdctParams params;
  guint64 index;
  GstBlockDctTimes times;
} GstBlockDctShown;

/* What the pointer is doing, in samples of luma. */
typedef struct
{
  gboolean pressed, dragging;
  gdouble x, y;                 /* where it was pressed */
} GstBlockDctPointer;

typedef struct _GstBlockDctOverlay GstBlockDctOverlay;

struct _GstBlockDct
{
  GstBaseTransform parent;

  /* Protected by the object lock. `wanted` is what properties were set to,
   * `settings` the same once a group of changes is complete. */
  GstBlockDctSettings wanted, settings;
  guint n_set;                  /* how often `wanted` was written */
  BdctError unheard;            /* a refused matrix nobody was told of yet */
  gchar *active_backend;        /* NULL while nothing runs */
  gboolean active_cuda;         /* and whether that is CUDA */
  GstBlockDctTotals totals;     /* what `stats` shows */
  GstClockTime latency;
  GstVideoInfo info;            /* written by the streaming thread alone, */
  BdctLayout layout;            /* which reads them without the lock */
  GstBlockDctShown shown;
  GstBlockDctPointer pointer;
  gchar *stats_path;            /* NULL: no file */

  /* The streaming thread's. */
  GstBlockDctReport report;
  BdctEngine *engine;           /* NULL while stopped */
  const gchar *backend_name;    /* its description, interned */
  GstObject *context;           /* GstCudaContext of the CUDA engine */
  GstAllocator *host_allocator; /* of memory that engine likes; NULL: any */
  gboolean warned;              /* that it gets none */
  guint depth;                  /* of the engine; 0 before caps */
  BdctParams job_params;        /* what `job` was made from */
  BdctJob job;
  gboolean job_valid;
  GstBlockDctInFlight *in_flight; /* a ring of `depth` */
  guint oldest, n_in_flight;
  gboolean dropped;             /* the frame before the next, for QoS */
  BdctView view;                /* its colours are those of the caps */
  GstBlockDctOverlay *overlay;  /* NULL until something is drawn */
  gboolean overlay_attach;      /* downstream draws what is attached */
  GstBlockDctStatsFile *stats_file;     /* NULL: none is asked for */
};

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);

/* gstblockdctproperties.c */
void gst_blockdct_install_properties (GObjectClass * klass);
void gst_blockdct_init_properties (GstBlockDct * self);

/** A consistent copy of the settings. */
GstBlockDctSettings gst_blockdct_get_settings (GstBlockDct * self);

/** Post the warning about a matrix that was refused before there was a bus. */
void gst_blockdct_say_unheard (GstBlockDct * self);

/** Set aside the matrix of `bad`, which the stream turned out not to allow. */
void gst_blockdct_drop_matrix (GstBlockDct * self, const BdctParams * bad);

/* gstblockdctview.c */
GType gst_blockdct_view_get_type (void);

/** Make the maps' colours those of the caps in `info`. */
void gst_blockdct_view_configure (GstBlockDct * self);

/** The view that the settings ask for. */
const BdctView *gst_blockdct_view_update (GstBlockDct * self,
    const GstBlockDctSettings * settings);

/* gstblockdctnavigation.c */

/** Take what a viewer does, an upstream navigation event. FALSE if it is not
 * for this element; the event stays the caller's in any case. */
gboolean gst_blockdct_navigation_event (GstBlockDct * self, GstEvent * event);

/** Remember the frame that comes out, to answer clicks on it; with `frame` NULL
 * forget the last one. */
void gst_blockdct_navigation_show (GstBlockDct * self,
    const GstBlockDctInFlight * frame, const GstBlockDctTimes * times,
    guint64 index);

/* gstblockdctoverlay.c */

/** Put the text, if `figures` are asked for, and a map's labels on a frame that
 * is otherwise ready: as a composition meta if downstream draws it, else into
 * its samples. */
void gst_blockdct_overlay_draw (GstBlockDct * self, GstBuffer * buffer,
    const BdctStats * stats, const GstBlockDctHow * how,
    const BdctView * view, gboolean figures);
void gst_blockdct_overlay_clear (GstBlockDct * self);

/* gstblockdctpreset.c */
void gst_blockdct_preset_init (gpointer iface, gpointer data);

/* gstblockdctengine.c */

/** Choose and start an engine; close it, with the frames in it forgotten. An
 * element error is posted where it returns FALSE. */
gboolean gst_blockdct_engine_open (GstBlockDct * self);
void gst_blockdct_engine_close (GstBlockDct * self);
gboolean gst_blockdct_engine_is_cuda (GstBlockDct * self);

/** Set the CUDA context to open the engine with; `context` may be NULL. */
void gst_blockdct_engine_set_context (GstBlockDct * self, GstObject * context);

/** Prepare for the caps in `info` and `layout`; nothing may be in flight. */
gboolean gst_blockdct_engine_configure (GstBlockDct * self);

/** Start one frame: its buffers go into the ring, each with a reference. */
GstFlowReturn gst_blockdct_engine_submit (GstBlockDct * self,
    GstBuffer * inbuf, GstBuffer * outbuf);

/** Wait for the oldest frame and report it. `outbuf` receives it; it is NULL on
 * an error. */
GstFlowReturn gst_blockdct_engine_collect (GstBlockDct * self,
    GstBuffer ** outbuf);

/** Empty the engine, downstream or, with `push` FALSE, into nothing. */
GstFlowReturn gst_blockdct_engine_drain (GstBlockDct * self, gboolean push);

/** Let `stats` see the counters. */
void gst_blockdct_engine_publish (GstBlockDct * self);

/* gstblockdctallocation.c */

/** Set propose_allocation and decide_allocation. */
void gst_blockdct_install_allocation (GstBaseTransformClass * klass);

/** Let go who waits for an output buffer; with `flushing` FALSE, let them wait
 * again. From any thread. */
void gst_blockdct_allocation_flush (GstBlockDct * self, gboolean flushing);

G_END_DECLS
#endif
