/* blockdct-preview: from a file, a camera or a test pattern through blockdct to
 * a sink.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_PIPELINE_H
#define PREVIEW_PIPELINE_H

#include "source.h"

G_BEGIN_DECLS
/** A pipeline that ends in `sink`, whose reference it takes if it is floating,
 * and that `options` outlives; `dct` receives the blockdct in it, without a
 * reference. NULL with the error, which says what to do. */
    GstElement *preview_pipeline_new (const PreviewOptions * options,
    GstElement * sink, GstElement ** dct, GError ** error);

/** Have it show what `options` name now instead, and leave it in READY; or
 * FALSE with an error, and nothing is changed. */
gboolean preview_pipeline_open (GstElement * pipeline,
    const PreviewOptions * options, GError ** error);

/** What preview_source_new() made for it; the caller's reference. */
GstElement *preview_pipeline_get_source (GstElement * pipeline);

/** Have a large picture scaled down to this size before it gets to its window,
 * which takes other threads than the window's. */
void preview_pipeline_fit (GstElement * pipeline, GstElement * dct, gint width,
    gint height);

/** Write the last frame of a sink that keeps it as a PNG. */
gboolean preview_pipeline_save (GstElement * sink, const gchar * path,
    GError ** error);

G_END_DECLS
#endif
