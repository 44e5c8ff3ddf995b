/* blockdct: the backends, each an engine with the memory it works in; chooses
 * one of them and runs it.
 *
 * A backend is a class with a row in the table of gstblockdctbackend.c. The
 * rest of the plugin uses the classes alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gstblockdctparam.h"

/* Of blockdct, and of what the elements have in common. */
GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);

/* Write an error's text. Returns FALSE, so that a failing function can end
 * with `return gst_blockdct_fail (...)`. `error` may be NULL. */
gboolean gst_blockdct_fail (BdctError * error, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

typedef struct _GstBlockDctBackend GstBlockDctBackend;

typedef struct
{
  BdctBackend engine;

  /* Find the device and a context for it: the backend's, if it has one, or the
   * pipeline's, else a new one that is shared with the pipeline. FALSE: see the
   * error. NULL: the backend needs no context. */
  gboolean (*open) (GstBlockDctBackend * backend, gint device_id,
      BdctError * error);

  /* The engine's form of a context, by which it makes the context current; it
   * keeps no reference. */
  BdctContext (*engine_context) (GstObject * context);

  /* The element's part of context sharing. A query is answered if it asks for
   * a context of this kind, and `context` is one and not NULL. */
  void (*set_context) (GstElement * element, GstContext * gst_context,
      gint device_id, GstObject ** context);
  gboolean (*query_context) (GstElement * element, GstQuery * query,
      GstObject * context);

  /* The caps feature of the backend's own memory. NULL if it only uses system
   * memory: all following members are then NULL, too. */
  const gchar *feature;

  /* The context of a buffer in that memory, if it differs from `context` but
   * may replace it under this cuda-device-id; else NULL. No reference is
   * taken. */
  GstObject *(*other_context) (GstBuffer * buffer, GstObject * context,
      gint device_id);

  /* `pool` makes a pool of that memory, not yet configured; `fits` checks
   * whether another pool can be used instead. */
  GstBufferPool *(*pool) (GstObject * context);
  gboolean (*fits) (GstBufferPool * pool, GstObject * context);

  /* The flag that maps a buffer on the device; 0: the buffer is not in memory
   * of this context, and is mapped on the host. */
  GstMapFlags (*map_flag) (GstBuffer * buffer, GstObject * context);

  /* The stream in which work on a mapped buffer of the context may be pending;
   * NULL if all work is done. */
  gpointer (*stream) (GstBuffer * buffer, GstObject * context);

  /* Page-lock host memory, so that the device copies it by itself; with a size
   * of 0 no longer. */
    gboolean (*pin) (GstObject * context, gpointer data, gsize size);
} GstBlockDctBackendClass;

extern const GstBlockDctBackendClass gst_blockdct_backend_cuda;

/* The `backend` property's value for an automatic choice. */
#define GST_BLOCKDCT_BACKEND_AUTO 0

/* An element's backend. One thread at a time opens, closes and uses it. Other
 * threads read these with the element's object lock, with which they are set;
 * but libgstcuda sets a context without that lock, once, when it is NULL: as
 * the backend opens, or when one is offered. */
struct _GstBlockDctBackend
{
  GstElement *element;
  const GstBlockDctBackendClass *klass; /* NULL while stopped */
  BdctEngine *engine;                   /* likewise */
  const gchar *name;            /* interned, such as "cpu:avx2 2 threads"; the
                                   property `active-backend`; likewise */
  GstAllocator *pinned_allocator; /* of memory the engine prefers; NULL: any */
  GstObject *context;           /* the backend's, or one to open it with */
};

/* The property's type. */
GType gst_blockdct_backend_get_type (void);

/* The class with contexts and memory of its own, if the property's value allows
 * it; NULL: none. */
const GstBlockDctBackendClass *gst_blockdct_backend_with_memory (gint choice);

/* Start the first backend that the settings allow and that can run, or return
 * FALSE with an element error. A backend that stops keeps its context. */
gboolean gst_blockdct_backend_open (GstBlockDctBackend * backend,
    const GstBlockDctCommon * start);
void gst_blockdct_backend_close (GstBlockDctBackend * backend);

/* Follow the engine's description, which changes if it runs on other kernels
 * from now on. Returns whether it has. */
gboolean gst_blockdct_backend_rename (GstBlockDctBackend * backend);

/* Create another engine of the backend's class in its context, to be destroyed
 * before the backend is closed. NULL: see the error. */
BdctEngine *gst_blockdct_backend_another (const GstBlockDctBackend * backend,
    guint threads, BdctError * error);

/* An element's part of context sharing: answer a query, if it is for a context;
 * take an offered context if a backend that `start` allows wants it; replace
 * the context. */
gboolean gst_blockdct_backend_query (GstBlockDctBackend * backend,
    GstQuery * query);
void gst_blockdct_backend_offer_context (GstBlockDctBackend * backend,
    GstContext * offered, const GstBlockDctCommon * start);
void gst_blockdct_backend_set_context (GstBlockDctBackend * backend,
    GstObject * other);

/* A stream's memory may come from another context than the one found at the
 * start: the context of a buffer's memory that this backend, which runs, has to
 * move to, with a reference; NULL: none. */
GstObject *gst_blockdct_backend_find_other (const GstBlockDctBackend * backend,
    GstBuffer * buffer, gint device_id);

/* Whether a structure of caps has this feature and no other. */
gboolean gst_blockdct_backend_has_feature (GstCaps * caps, guint index,
    const gchar * feature);

/* Whether caps are in the class's own memory. `klass` may be NULL. */
gboolean gst_blockdct_backend_owns (const GstBlockDctBackendClass * klass,
    GstCaps * caps);

/* Fill in the pointers and strides of a mapped frame. */
void gst_blockdct_backend_get_image (const GstVideoFrame * frame,
    BdctImage * image);

/* The following post an error before they return FALSE. */

/* `what` failed: returns FALSE. */
gboolean gst_blockdct_backend_fail (const GstBlockDctBackend * backend,
    const gchar * what, const BdctError * error);

/* Configure the engine for frames of `info`, of which `depth` are in it. */
gboolean gst_blockdct_backend_configure (const GstBlockDctBackend * backend,
    const GstVideoInfo * info, const BdctLayout * layout, guint depth);

/* Map a buffer and fill in its pointers and strides: memory of the context is
 * mapped on the device, all other memory on the host. `*wait` is the stream in
 * which work on it may be pending. FALSE, with nothing mapped, if it cannot be
 * mapped or is too small for its format. Unmap with gst_video_frame_unmap(). */
gboolean gst_blockdct_backend_map (const GstBlockDctBackend * backend,
    GstVideoFrame * frame, const GstVideoInfo * info, const BdctLayout * layout,
    GstBuffer * buffer, GstMapFlags flags, BdctImage * image, void **wait);
