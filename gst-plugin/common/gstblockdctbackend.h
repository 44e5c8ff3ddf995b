/* blockdct: the backend that runs, chosen from the classes that there are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_BACKEND_H
#define GST_BLOCKDCT_BACKEND_H

#include <gst/video/video.h>
#include "gstblockdctbackendclass.h"

G_BEGIN_DECLS

/** The `backend` property's value that leaves the choice. */
#define GST_BLOCKDCT_BACKEND_AUTO 0

/** The most rows the table may have. */
#define GST_BLOCKDCT_MAX_BACKENDS 8

/** A backend that runs. */
typedef struct
{
  const GstBlockDctBackendClass *klass; /* NULL while stopped */
  BdctEngine *engine;                   /* likewise */
  GstAllocator *pinned_allocator; /* of memory that engine likes; NULL: any */
} GstBlockDctBackend;

/** The property's type. */
GType gst_blockdct_backend_get_type (void);

/** The classes that the property's value leaves to choose from, in the order
 * in which they are tried; returns how many. */
guint gst_blockdct_backend_candidates (gint choice,
    const GstBlockDctBackendClass * classes[GST_BLOCKDCT_MAX_BACKENDS]);

/** Start the first of them that can run. An element error is posted where it
 * returns FALSE. `context`, which may point to one, receives that of the
 * backend. */
gboolean gst_blockdct_backend_open (GstBlockDctBackend * backend,
    GstElement * element, gint choice, gint device_id, guint threads,
    GstObject ** context);
void gst_blockdct_backend_close (GstBlockDctBackend * backend);

/** Another engine of its class in its context, to be destroyed before it is
 * closed; NULL with the reason. */
BdctEngine *gst_blockdct_backend_another (const GstBlockDctBackend * backend,
    guint threads, GstObject * context, BdctError * error);

/** An element's part of context sharing; `context` is one of its members, under
 * its object lock. Answer a query for a context; take a context that is
 * offered, if a backend of `choice` wants it; replace the one there is. */
gboolean gst_blockdct_backend_answer_context (GstElement * element,
    GstObject ** context, GstQuery * query);
void gst_blockdct_backend_offer_context (GstElement * element,
    GstContext * offered, gint choice, gint device_id, GstObject ** context);
void gst_blockdct_backend_set_context (GstElement * element,
    GstObject ** context, GstObject * other);

/** Whether a structure of caps has this feature and no other. */
gboolean gst_blockdct_backend_has_feature (GstCaps * caps, guint index,
    const gchar * feature);

/** Whether caps are in the class's own memory. `klass` may be NULL. */
gboolean gst_blockdct_backend_owns (const GstBlockDctBackendClass * klass,
    GstCaps * caps);

/** Map a buffer, and give the engine its pointers and strides: memory of
 * `context` on the device, all other memory on the host. FALSE, with the reason
 * and nothing mapped, if it cannot be mapped or is too small for its format.
 * Unmap with gst_video_frame_unmap(). */
gboolean gst_blockdct_backend_map (const GstBlockDctBackend * backend,
    GstVideoFrame * frame, const GstVideoInfo * info, GstBuffer * buffer,
    GstMapFlags flags, const BdctLayout * layout, GstObject * context,
    BdctImage * image, BdctError * error);

G_END_DECLS
#endif
