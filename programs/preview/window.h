/* blockdct-preview: the window.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_WINDOW_H
#define PREVIEW_WINDOW_H

#include <gst/gst.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS typedef struct _PreviewWindow PreviewWindow;

/** A window with the sink's picture (`video`), a control for each property of
 * `dct` that can be turned, a plot and the figures. Its button pauses and
 * resumes `pipeline`. Freed with preview_window_free(). */
PreviewWindow *preview_window_new (GtkWidget * video, GstElement * dct,
    GstElement * pipeline, const gchar * title);
void preview_window_free (PreviewWindow * window);

/** The toplevel; its "destroy" says that the user closed it. */
GtkWidget *preview_window_get_widget (PreviewWindow * window);

/** Show what a message of `dct` says. */
void preview_window_show_message (PreviewWindow * window,
    const GstStructure * message);

/** Show a warning; and how many frames a sink had to drop. */
void preview_window_show_notice (PreviewWindow * window, const gchar * text);
void preview_window_show_qos (PreviewWindow * window, GstMessage * message);

/** Write what the window shows as a PNG. */
gboolean preview_window_save (PreviewWindow * window, const gchar * path,
    GError ** error);

G_END_DECLS
#endif
