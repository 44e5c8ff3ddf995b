/* blockdct-preview: a file, a camera or a test pattern through blockdctpreview
 * to a sink. Window, page and main() use GStreamer by this alone.
 *
 * Figures are a structure `blockdct` with the fields of A's message of that
 * name. While B is shown it has B's fields, too, with b- before each name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main thread calls all functions that do not say otherwise. Times are
 * stream times in ns. */
#ifndef PREVIEW_SESSION_H
#define PREVIEW_SESSION_H

#include "source.h"

G_BEGIN_DECLS

#define PREVIEW_TYPE_SESSION (preview_session_get_type ())
/** Signals. The main thread emits all but the first three:
 *
 *     changed (guint control)      any thread: a control has another value
 *     frame (GstSample frame, GstStructure figures)
 *                                  the sink's thread: PREVIEW_PAGE shows this;
 *                                  the figures may be NULL
 *     resized ()                   any thread: the picture has another size
 *     figures (GstStructure figures)     of the frame that is shown
 *     block (GstStructure block)         of the block that was clicked on
 *     notice (gchar * text)              a warning
 *     opened ()                          another source is shown
 *     ended (gchar * text, gchar * more) NULL: the end, with options.ends; else
 *                                        an error, and more about it or NULL
 */
G_DECLARE_FINAL_TYPE (PreviewSession, preview_session, PREVIEW, SESSION,
    GObject)

typedef enum
{
  PREVIEW_WINDOW,               /* to a widget */
  PREVIEW_PAGE,                 /* to the signal `frame` */
  PREVIEW_FILES                 /* to nobody, as fast as frames can be made */
} PreviewOutput;

/** A stopped session that shows what `options`, which outlive it, ask for; or
 * NULL with an error that says what to do. */
PreviewSession *preview_session_new (const PreviewOptions * options,
    PreviewOutput output, GError ** error);

void preview_session_start (PreviewSession * self);

/** Stop for good: no signal comes afterwards. */
void preview_session_stop (PreviewSession * self);

/** The GtkWidget of PREVIEW_WINDOW; the session's. */
gpointer preview_session_get_widget (PreviewSession * self);

/** The source's name, for a title; the caller's. */
gchar *preview_session_get_name (PreviewSession * self);

/** Show this URI from its start instead. FALSE with an error: the old source
 * goes on. */
gboolean preview_session_open (PreviewSession * self, const gchar * uri,
    GError ** error);

/** Scale a large picture down to this size before it gets to its window, in
 * other threads than the window's. */
void preview_session_fit (PreviewSession * self, gint width, gint height);

/** How many frames were too late to be shown since the source was opened, and
 * how many there were. */
void preview_session_get_late (PreviewSession * self, guint64 * late,
    guint64 * played);

/* Where it is: transport.c */

gboolean preview_session_is_paused (PreviewSession * self);
void preview_session_set_paused (PreviewSession * self, gboolean paused);

/** Whether it stays at its end, as a still picture does. */
gboolean preview_session_stays (PreviewSession * self);

/** Whether there was more than one picture. */
gboolean preview_session_moves (PreviewSession * self);

/** Where it is, and how long, of what can be sought; else FALSE. */
gboolean preview_session_get_time (PreviewSession * self,
    GstClockTime * position, GstClockTime * duration);

/** Go to the frame at `place`. While one seek is on its way the next one waits
 * for it, and the last one that waits counts. FALSE: it cannot seek. */
gboolean preview_session_seek (PreviewSession * self, GstClockTime place);

/** Show the next frame (1), or the one before (-1), if it is paused; else
 * pause. FALSE: there is none, or it cannot seek. */
gboolean preview_session_step (PreviewSession * self, gint frames);

/** Repeat a range from the shown frame on; the second call sets its end, the
 * third one ends the repetition. FALSE: it cannot seek. */
gboolean preview_session_mark (PreviewSession * self);

/** The range; an end that is not set is GST_CLOCK_TIME_NONE. */
void preview_session_get_range (PreviewSession * self, GstClockTime * from,
    GstClockTime * to);

/* Settings: controls.c. Any thread may get and set them. */

#define PREVIEW_N_CONTROLS 24
/** The names of the controls, from the first one down, as
 * preview_session_set_text() takes them. */
extern const gchar *const preview_controls[PREVIEW_N_CONTROLS];

/** The control of this name; PREVIEW_N_CONTROLS: there is none. */
guint preview_find_control (const gchar * name);

/** What a control can be; the session's. */
GParamSpec *preview_session_get_pspec (PreviewSession * self, guint control);

/** A control's value, into a zeroed GValue, or as a number: enumerations, flags
 * and booleans are numbers, too. */
void preview_session_get_value (PreviewSession * self, guint control,
    GValue * value);
gdouble preview_session_get_number (PreviewSession * self, guint control);
void preview_session_set_number (PreviewSession * self, guint control,
    gdouble number);

/** Set what "NAME=VALUE" says. FALSE with an error that says what the value can
 * be. A name with a::, b:: or compare:: before it is a property of that
 * part of blockdctpreview; without, it is a control, or A's if A has it, else
 * compare's. */
gboolean preview_session_set_text (PreviewSession * self, const gchar * pair,
    GError ** error);

/** Whether the control has no effect in the view that is set, or with what made
 * the frame of these figures; NULL: there is none yet. */
gboolean preview_session_is_idle (PreviewSession * self, guint control,
    const GstStructure * figures);

/** Whether B is one of the pictures that are shown. */
gboolean preview_session_shows_b (PreviewSession * self);

/** A caption: which part of the picture is which; the caller's. */
gchar *preview_session_describe_view (PreviewSession * self);

/** A's presets, up to NULL, or NULL; to be freed with g_strfreev(). */
gchar **preview_session_get_presets (PreviewSession * self);
gboolean preview_session_load_preset (PreviewSession * self,
    const gchar * name);

/** Press a key, by its name; press, move or release the left button ("press",
 * "move", "release"), or turn the wheel with Ctrl, at a sample of the picture.
 */
void preview_session_press_key (PreviewSession * self, const gchar * key);
void preview_session_point (PreviewSession * self, const gchar * what,
    gdouble x, gdouble y);
void preview_session_zoom (PreviewSession * self, gdouble x, gdouble y,
    gdouble steps);

/* The shown frame, for other uses: single-frame.c, recipe.c */

/** The original; the caller's, or NULL. From any thread. */
GstSample *preview_session_get_original (PreviewSession * self);

/** A's figures of a frame once more, and a message `blockdct-curve` of it:
 * `curve` is as blockdct's property. FALSE with an error; either structure may
 * be NULL. From any thread. */
gboolean preview_session_get_curve (PreviewSession * self,
    GstSample * original, const gchar * curve, GstStructure ** figures,
    GstStructure ** result, GError ** error);

typedef enum
{
  PREVIEW_SAVE_VIEW,            /* as it is shown, in its own size */
  PREVIEW_SAVE_A,               /* these at 1:1, without grid and text */
  PREVIEW_SAVE_B,
  PREVIEW_SAVE_ORIGINAL
} PreviewSave;

/** Write what the settings make of `original` as a PNG with 8 bits a sample.
 * FALSE with an error, such as that B is not shown. */
gboolean preview_session_save (PreviewSession * self, GstSample * original,
    PreviewSave what, const gchar * path, GError ** error);

/** Write the last picture as a PNG, without a window. */
gboolean preview_session_save_last (PreviewSession * self, const gchar * path,
    GError ** error);

/** A line for a shell, and a program in Python, that show the same; the
 * caller's. */
gchar *preview_session_describe_for_shell (PreviewSession * self);
gchar *preview_session_describe_for_python (PreviewSession * self);

G_END_DECLS
#endif
