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
#include "dct/job.h"
#include "dct/view.h"

G_BEGIN_DECLS

/** More than there are properties: their ids are below. */
#define GST_BLOCKDCT_MAX_PROPERTIES 32

typedef struct
{
  BdctParams params;
  gint backend;
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

/** Where a property's value is among them; size 0: it is not. */
typedef struct
{
  gsize offset, size;
  gboolean ready;               /* read at the start: cannot be set later */
} GstBlockDctField;

/** What is protected by the element's object lock. */
typedef struct
{
  GstBlockDctSettings wanted;   /* what properties were set to */
  GstBlockDctSettings current;  /* what is in force */
  gboolean started;             /* what is read at the start has been */
  gint depth;                   /* of the stream's samples; 0 before caps */
  BdctError untold;             /* of a matrix, from before there was a bus */

  guint64 n_set;                /* changes, ever */
  guint64 in_force[GST_BLOCKDCT_MAX_PROPERTIES];        /* their numbers */
  GPtrArray *changes;           /* all there are; see the source */
  gpointer unused;              /* a list of those nothing waits for */
  GThread *syncing;             /* who sets controlled properties */
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
 * the names are left that mean something to others. */
guint gst_blockdct_changes_take (GstBlockDctChanges * changes,
    GstElement * element, guint n_pspecs, GParamSpec ** pspecs);

/** Set the controlled properties for the frame of this stream time. */
void gst_blockdct_changes_sync (GstBlockDctChanges * changes,
    GstElement * element, GstClockTime time);

/** Warn about a `quantization-matrix`: on the bus or, while there is none, by
 * gst_blockdct_changes_tell() later. */
void gst_blockdct_changes_warn (GstBlockDctChanges * changes,
    GstElement * element, const BdctError * error);
void gst_blockdct_changes_tell (GstBlockDctChanges * changes,
    GstElement * element);

/** Set aside the matrix of `bad`, which the stream turned out not to allow.
 * That `quantization-matrix` is another one then has to be announced. */
void gst_blockdct_changes_drop_matrix (GstBlockDctChanges * changes,
    GstElement * element, const BdctParams * bad);

G_END_DECLS
#endif
