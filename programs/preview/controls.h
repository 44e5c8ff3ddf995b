/* blockdct-preview: what of blockdct is turned while it plays, in a window or
 * on a page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CONTROLS_H
#define PREVIEW_CONTROLS_H

#include <gst/gst.h>

G_BEGIN_DECLS
#define PREVIEW_N_CONTROLS 21
/** The properties with a control, from the first one down. */
extern const gchar *const preview_controls[PREVIEW_N_CONTROLS];

/** The description of control `i`, which is `dct`'s. */
GParamSpec *preview_control_get_pspec (GstElement * dct, guint i);

/** Whether the property has no effect with what made a frame, whose message or
 * meta is `frame`, or in the view that `dct` shows. */
gboolean preview_control_is_idle (GstElement * dct, const gchar * name,
    const GstStructure * frame);

/** Have `dct` take a navigation event, which it owns then, as if from a sink
 * that shows all of the picture; in any state. */
void preview_navigate (GstElement * dct, GstEvent * event);

/** What a key does in the picture, by its name: "b". */
void preview_press_key (GstElement * dct, const gchar * key);

/** Which part of the picture is which, or what it is, by the view; to be
 * freed. */
gchar *preview_describe_view (GstElement * dct);

/** Set what "NAME=VALUE" says; or FALSE, with an error that says what the value
 * can be. */
gboolean preview_set_property (GstElement * dct, const gchar * pair,
    GError ** error);

/** Call `take` with each property of `dct` that makes what is shown, or by
 * which engine, and is not as it is without being set. */
void preview_foreach_setting (GstElement * dct,
    void (*take) (GParamSpec * pspec, const GValue * value, gpointer data),
    gpointer data);

G_END_DECLS
#endif
