/* blockdct: the backends, each an engine with the memory it works in.
 *
 * A backend is a class, in a file of its own and with a row in the table of
 * gstblockdctbackend.c. The rest of the element knows the classes alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_BACKEND_CLASS_H
#define GST_BLOCKDCT_BACKEND_CLASS_H

#include <gst/video/video.h>
#include "dct/engine/engine.h"

G_BEGIN_DECLS

typedef struct
{
  const BdctEngineClass *engine;

  /** Find the device and a context for it: the pipeline's, else a new one that
   * is shared with it. `context` holds one of the wanted kind or NULL, and
   * receives a reference. FALSE with the reason. NULL: nothing to be found. */
  gboolean (*open) (GstElement * element, gint device_id,
      GstObject ** context, BdctError * error);

  /** How the engine makes a context current; it keeps no reference. */
  BdctContext (*engine_context) (GstObject * context);

  /** The element's part of context sharing. A query is answered if it asks for
   * a context of this kind and `context`, not NULL, is one. */
  void (*set_context) (GstElement * element, GstContext * gst_context,
      gint device_id, GstObject ** context);
  gboolean (*query_context) (GstElement * element, GstQuery * query,
      GstObject * context);

  /** The caps feature of memory of its own. NULL if it has none but the
   * system's: all that follows is then NULL too. */
  const gchar *feature;

  /** Whether a format can be allocated in it. */
  gboolean (*holds) (GstVideoFormat format);

  /** The context of a buffer in its memory if that differs from `context` but
   * may take its place under this cuda-device-id; else NULL. No reference. */
  GstObject *(*other_context) (GstBuffer * buffer, GstObject * context,
      gint device_id);

  /** A pool of its memory, not yet configured; whether another one serves. */
  GstBufferPool *(*pool) (GstObject * context);
  gboolean (*fits) (GstBufferPool * pool, GstObject * context);

  /** The flag to map a buffer on the device with; 0: it is not in memory of
   * this context, and mapped on the host. */
  GstMapFlags (*map_flag) (GstBuffer * buffer, GstObject * context);

  /** The stream that work on a buffer of the context may be pending in, asked
   * for while it is mapped; NULL if it is complete. */
  gpointer (*stream) (GstBuffer * buffer, GstObject * context);
} GstBlockDctBackendClass;

extern const GstBlockDctBackendClass gst_blockdct_backend_cuda;
extern const GstBlockDctBackendClass gst_blockdct_backend_cpu;

G_END_DECLS
#endif
