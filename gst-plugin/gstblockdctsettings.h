/* blockdct: what properties set, and when it comes into force.
 *
 * A setter's change is seen by g_object_get() at once and by the next frame
 * when GObject announces it, which is once for all properties of one
 * g_object_set(), or between g_object_freeze_notify() and
 * g_object_thaw_notify().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_SETTINGS_H
#define GST_BLOCKDCT_SETTINGS_H

#include <gst/gst.h>
#include "dct/engine.h"
#include "dct/view.h"
#include "gstblockdctsecond.h"
#include "gstblockdctsweep.h"

G_BEGIN_DECLS

/** More than there are properties: their ids are below. */
#define GST_BLOCKDCT_MAX_PROPERTIES 64

typedef struct
{
  BdctParams params;
  GstBlockDctSecond second;
  BdctChromaFormat subsampling;
  gint backend;
  gint device_id;
  guint threads;
  guint async_depth;
  gboolean post_messages;
  GstClockTime interval;
  gboolean rate;
  guint metrics;                /* bits 1 << BdctMetric */
  GstBlockDctCurve curve;
  GstBlockDctTargets targets;
  gdouble min_psnr_error, min_psnr_warning;
  BdctViewMode view;
  BdctSide left, right;
  gdouble wipe_position;
  gdouble difference_gain;
  gdouble zoom, zoom_x, zoom_y;
  gboolean magnifier;
  gdouble magnifier_x, magnifier_y;
  gboolean grid;
  gboolean overlay;
  gboolean interactive;
  gboolean keep_frame;
} GstBlockDctSettings;

/** Where a property's value is among them; size 0: it is not. */
typedef struct
{
  gsize offset, size;
  gboolean ready;               /* read at the start: cannot be set later */
  gboolean shown;               /* a frame, or its figures, depend on it */
} GstBlockDctField;

/** What may be refused or set aside, as it depends on more than itself. */
typedef enum
{
  GST_BLOCKDCT_STEPS,           /* quantization-matrix, -file and -preset */
  GST_BLOCKDCT_SCALING,         /* scaling-list and its file */
  GST_BLOCKDCT_CURVE,
  GST_BLOCKDCT_TARGETS,
  GST_BLOCKDCT_BLOCKS,          /* min-block and max-block */
  GST_BLOCKDCT_SECOND,          /* b-transform */
  GST_BLOCKDCT_N_CHECKED
} GstBlockDctChecked;

/** What is protected by the element's object lock. */
typedef struct
{
  GstBlockDctSettings wanted;   /* what properties were set to */
  GstBlockDctSettings current;  /* what is in force */
  gboolean started;             /* what is read at the start has been */
  gint depth;                   /* of the stream's samples; 0 before caps */
  BdctError untold[GST_BLOCKDCT_N_CHECKED];     /* while there was no bus */

  guint64 n_set;                /* changes, ever */
  /* The numbers of each property's latest, and of that in force. */
  guint64 set[GST_BLOCKDCT_MAX_PROPERTIES];
  guint64 in_force[GST_BLOCKDCT_MAX_PROPERTIES];
  GPtrArray *changes;           /* all there are; see the source */
  gpointer unused;              /* a list of those nothing waits for */
  GThread *syncing;             /* who sets controlled properties, ... */
  gpointer synced;              /* ... a list of what was set so */
  gboolean refused[GST_BLOCKDCT_N_CHECKED];     /* of it, the latest */
} GstBlockDctChanges;

void gst_blockdct_changes_init (GstBlockDctChanges * changes,
    const GstBlockDctSettings * initial);
void gst_blockdct_changes_clear (GstBlockDctChanges * changes);

/** From here on to the stop, what is read at the start stays as it is. */
void gst_blockdct_changes_start (GstBlockDctChanges * changes,
    GstElement * element, gboolean started);

/** Set a property's field. To be called without the lock, by a setter. FALSE
 * if it cannot be set any more. */
gboolean gst_blockdct_changes_set (GstBlockDctChanges * changes,
    GstElement * element, guint id, const GstBlockDctField * field,
    gconstpointer value);

/** Let what is named in a notification come into force. Returns how many of
 * the names are left that mean something to others, and in `shown` whether
 * frames are other ones from now on. */
guint gst_blockdct_changes_take (GstBlockDctChanges * changes,
    GstElement * element, guint n_pspecs, GParamSpec ** pspecs,
    gboolean * shown);

/** Set the controlled properties for the frame of this stream time. Values that
 * are refused are warned of once, until there are some that are not. */
void gst_blockdct_changes_sync (GstBlockDctChanges * changes,
    GstElement * element, GstClockTime time);

/** Warn that a value was refused: on the bus or, while there is none, by
 * gst_blockdct_changes_tell() later. */
void gst_blockdct_changes_warn (GstBlockDctChanges * changes,
    GstElement * element, GstBlockDctChecked which, const BdctError * error);
void gst_blockdct_changes_tell (GstBlockDctChanges * changes,
    GstElement * element);

/** Set aside the steps of `bad`, or its curve, which the stream turned out not
 * to allow. That the property is another one then has to be announced. */
void gst_blockdct_changes_drop (GstBlockDctChanges * changes,
    GstElement * element, GstBlockDctChecked which,
    const GstBlockDctSettings * bad);

/** Whether a property, by its id, was ever set. Called with the lock. */
static inline gboolean
gst_blockdct_changes_was_set (const GstBlockDctChanges * changes, guint id)
{
  return changes->in_force[id] > 0;
}

G_END_DECLS
#endif
