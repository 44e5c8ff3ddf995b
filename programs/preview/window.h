/* blockdct-preview: the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_WINDOW_H
#define PREVIEW_WINDOW_H

#include <gtk/gtk.h>
#include "front.h"
#include "source.h"
#include "transport.h"

G_BEGIN_DECLS
/** A window with the sink's picture (`video`), a control for each property of
 * `dct` that can be turned, a bar that leads `pipeline`, which shows what
 * `options` name, by `transport`, both of which outlive it, plots, blocks and
 * the figures. */
    PreviewFront * preview_window_new (GtkWidget * video, GstElement * dct,
    GstElement * pipeline, PreviewTransport * transport,
    const PreviewOptions * options);

/** The toplevel; its "destroy" says that the user closed it. */
GtkWidget *preview_window_get_widget (PreviewFront * window);

G_END_DECLS
#endif
