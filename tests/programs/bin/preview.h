/* blockdct-preview: its bin between a source and a sink that the
 * test holds in its hands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_PROGRAMS_BIN_PREVIEW_H
#define TESTS_PROGRAMS_BIN_PREVIEW_H

#include "tests/element/duel.h"

/* The size of the frames that preview_start() announces, in I420. */
#define PREVIEW_WIDTH 48
#define PREVIEW_HEIGHT 32

/* A playing pipeline of one input, with A at quality 20 and `view` of compare;
 * the preview is the caller's. */
GstElement *preview_start (Duel * duel, GstVideoInfo * info,
    const gchar * view, gint right, gboolean freeze);

/* The same as duel_clear(), with the preview let go. */
void preview_stop (Duel * duel, GstElement * preview);

/* A child, the caller's; and one of its properties, as text. */
GObject *preview_get_child (GstElement * preview, const gchar * name);
void preview_set_child (GstElement * preview, const gchar * child,
    const gchar * property, const gchar * value);

/* Whether a picture is shown again. */
gboolean preview_is_repeated (GstBuffer * buffer);

/* Whether a picture is what this quality leaves of frame `n`. */
gboolean preview_is_coded (const GstVideoInfo * info, GstBuffer * buffer,
    guint n, gint quality);

/* Pull until a repeated picture is made like this: those on their way may not
 * be yet. Fails on a new one. */
void preview_wait_for_repeat (Duel * duel, const GstVideoInfo * info, guint n,
    gint quality);

/* The next new picture, behind repeated ones perhaps; the caller's. */
GstBuffer *preview_pull_new (Duel * duel);

#endif
