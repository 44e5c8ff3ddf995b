/* blockdct: the backends, each an engine with the memory it works in.
 *
 * A backend is a class in a file of its own, with a row in the table of
 * gstblockdctbackend.c. The rest of the plugin uses the classes alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_BACKEND_CLASS_H
#define GST_BLOCKDCT_BACKEND_CLASS_H

#include <gst/video/video.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

typedef struct
{
  BdctBackend engine;

  /* Find the device and a context for it: the pipeline's, else a new one that
   * is shared with the pipeline. `context` holds a context of this kind or
   * NULL, and receives a reference. FALSE: see the error. NULL: the backend
   * needs no context. */
  gboolean (*open) (GstElement * element, gint device_id,
      GstObject ** context, BdctError * error);

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

  /* Whether a format can be allocated in that memory. */
  gboolean (*holds) (GstVideoFormat format);

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
} GstBlockDctBackendClass;

extern const GstBlockDctBackendClass gst_blockdct_backend_cuda;
extern const GstBlockDctBackendClass gst_blockdct_backend_cpu;

G_END_DECLS
#endif
