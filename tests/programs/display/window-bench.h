/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The window of blockdct-preview with a test pattern, for tests on a display.
 */
#ifndef WINDOW_BENCH_H
#define WINDOW_BENCH_H

#include "parts.h"
#include "window.h"

typedef struct
{
  PreviewSession *session;
  GtkWidget *video, *top;
  PreviewWindow *window;
  gint quality;                 /* of the last frame's figures */
  guint n_figures;
  gint block_quality;           /* of the last block's */
} Window;

typedef struct
{
  const gchar *path;
  void (*run) (Window * f);
} WindowTest;

/* Run tests, each with a window; returns the exit status. */
gint window_run (int argc, char **argv, const WindowTest * tests, guint n);

/* Set what "NAME=VALUE" says; a control's value. */
void window_set (Window * f, const gchar * pair);
gdouble window_get_number (Window * f, const gchar * control);

/* The widget of this name; NULL: there is none. In the window there is. */
GtkWidget *window_find (GtkWidget * widget, const gchar * name);
GtkWidget *window_get (Window * f, const gchar * name);
gboolean window_is_sensitive (Window * f, const gchar * name);

/* Whether a visible label has this text. */
gboolean window_has_text (GtkWidget * widget, const gchar * text);

/* Show a frame's figures; those that a setting alone is known of. */
void window_show (Window * f, const GstStructure * figures);
void window_show_frame (Window * f, const gchar * transform,
    const gchar * setting);

/* Turn the main loop for a moment; until this quality is that one. */
void window_settle (void);
void window_wait_for (const gint * quality, gint wanted);

#endif
