/* blockdct-preview: a file, a camera or a test pattern, and what is made of it,
 * through blockdctcompare to a sink. Page and main() use GStreamer through this
 * alone.
 *
 * Figures are a structure `blockdct` with the fields of A's message of that
 * name. While B is shown it has B's fields, too, with b- before each name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main thread calls all functions, unless stated otherwise. Times are
 * stream times in ns. */
#ifndef PREVIEW_SESSION_H
#define PREVIEW_SESSION_H

#include <gst/gst.h>

/* The options of the command line; NULL, 0 and FALSE if not given. */
typedef struct
{
  gchar *file;                  /* a path or URI */
  gchar *versions[2];           /* files that are A and B */
  gboolean sent;                /* it is a copy of a file that a browser sent */
  gboolean camera;
  gchar *device;                /* of the camera */
  gchar *pattern;               /* of the test pattern */
  gchar *screenshot, *csv;
  gint frames;                  /* to play; 0: all */
  gdouble hold;                 /* the time of the frame that is held, s */
  gboolean ends;                /* it ends, instead of starting again or
                                   staying */
  gchar *b_encoder;             /* the encoder that makes B, as a person types
                                   it */
  gchar **properties;           /* NAME=VALUE: session.h */
} PreviewOptions;

/* Whether a name on the command line is a URI: no file has that name. */
gboolean preview_source_is_uri (const gchar * name);

/* Whether the first picture of a file can be decoded; FALSE with an error that
 * says what is wrong with it. It blocks; any thread may call it. */
gboolean preview_source_check (const PreviewOptions * options,
    GError ** error);

/* Set an error of this text; returns FALSE. */
G_GNUC_PRINTF (2, 3)
gboolean preview_refuse (GError ** error, const gchar * format, ...);

#define PREVIEW_TYPE_SESSION (preview_session_get_type ())
/* Signals. The main thread emits all but the first two:
 *
 *     changed ()                   any thread: something else has, that is not
 *                                  a frame
 *     frame (GstSample frame, GstStructure figures)
 *                                  the sink's thread: PREVIEW_PAGE shows this;
 *                                  the figures may be NULL
 *     figures (GstStructure figures)     of the frame that is shown
 *     block (GstStructure block)         of the block that was clicked on
 *     notice (gchar * text)              a warning
 *     opened ()                          another source is shown
 *     ended (gchar * text, gchar * more) NULL: the end, with options.ends; else
 *                                        an error, and more about it or NULL
 */
G_DECLARE_FINAL_TYPE (PreviewSession, preview_session, PREVIEW, SESSION,
    GObject)

/* Views of two whole frames; the names of such a sample's information, too. */
#define PREVIEW_BESIDE "side-by-side"
#define PREVIEW_STACKED "stacked"

typedef enum
{
  PREVIEW_PAGE,                 /* to the signal `frame` */
  PREVIEW_FILES                 /* to no display, as fast as frames can be
                                   made */
} PreviewOutput;

/* A stopped session for `options`, which outlive it; or NULL with an error
 * that says what to do. */
PreviewSession *preview_session_new (const PreviewOptions * options,
    PreviewOutput output, GError ** error);

void preview_session_start (PreviewSession * self);

/* Stop for good: no signal is emitted afterwards. */
void preview_session_stop (PreviewSession * self);

/* What a page says of it (server.h): its source's name and what that is, the
 * files that are A and B, and the player's state; owned by the caller. */
GstStructure *preview_session_describe (PreviewSession * self);

/* Have this file be A or B from now on. */
void preview_session_set_version (PreviewSession * self, guint side,
    const gchar * path);

/* Have A's file be in the place of the original. FALSE with an error: A is not
 * a file. */
gboolean preview_session_drop_original (PreviewSession * self,
    GError ** error);

/* Show this URI from its start instead. FALSE with an error: the old source
 * continues. */
gboolean preview_session_open (PreviewSession * self, const gchar * uri,
    GError ** error);

/* Position: transport.c */

void preview_session_set_paused (PreviewSession * self, gboolean paused);

/* Whether there is more than one picture. */
gboolean preview_session_moves (PreviewSession * self);

/* The position and duration of a seekable stream; else FALSE. */
gboolean preview_session_get_time (PreviewSession * self,
    GstClockTime * position, GstClockTime * duration);

/* Go to the frame at `place`. While one seek is in progress the next one
 * waits, and only the latest one that waits is made. FALSE: the stream cannot
 * seek. */
gboolean preview_session_seek (PreviewSession * self, GstClockTime place);

/* If paused, show the next frame (1) or the previous one (-1); else pause.
 * FALSE: there is none, or the stream cannot seek. */
gboolean preview_session_step (PreviewSession * self, gint frames);

/* Repeat a range that starts at the shown frame; the second call sets its end,
 * the third one ends the repetition. FALSE: the stream cannot seek. */
gboolean preview_session_mark (PreviewSession * self);

/* Settings: controls.c. Any thread may get and set them. */

#define PREVIEW_N_CONTROLS 28
/* The names of the controls, from top to bottom, for
 * preview_session_set_text(). */
extern const gchar *const preview_controls[PREVIEW_N_CONTROLS];

/* The control of this name; PREVIEW_N_CONTROLS: there is none. */
guint preview_find_control (const gchar * name);

/* The description of a control, owned by the session. */
GParamSpec *preview_session_get_pspec (PreviewSession * self, guint control);

/* Get a control's value into a zeroed GValue. */
void preview_session_get_value (PreviewSession * self, guint control,
    GValue * value);

/* How often there has been another encoder or file as A or B, from 1 on; and
 * the other properties of the encoder of A (0) or B (1), with values that are
 * not the default ones. */
guint preview_session_count_codings (PreviewSession * self);
void preview_session_foreach_property (PreviewSession * self, guint side,
    void (*take) (GParamSpec * pspec, const gchar * value, gpointer data),
    gpointer data);

/* Set "NAME=VALUE". FALSE with an error that says which values are valid. A
 * name with the prefix a::, b:: or compare:: is a property of that
 * element; without a prefix it is a control, else a property of A if A
 * has it, else of compare. */
gboolean preview_session_set_text (PreviewSession * self, const gchar * pair,
    GError ** error);

/* Whether B is one of the pictures that are shown. */
gboolean preview_session_shows_b (PreviewSession * self);

/* Whether the view shows no pictures, but values that were made of them. */
gboolean preview_session_shows_map (PreviewSession * self);

/* A's presets, ended by NULL, or NULL; to be freed with g_strfreev(). */
gchar **preview_session_get_presets (PreviewSession * self);
gboolean preview_session_load_preset (PreviewSession * self,
    const gchar * name);

/* Press a key, by its name; press, move or release the left button ("press",
 * "move", "release") at a sample of the picture. */
void preview_session_press_key (PreviewSession * self, const gchar * key);
void preview_session_point (PreviewSession * self, const gchar * what,
    gdouble x, gdouble y);

/* Other uses of the shown frame: single-frame.c, recipe.c */

/* The original, owned by the caller; or NULL. Any thread may call this. */
GstSample *preview_session_get_original (PreviewSession * self);

/* Process a frame with A's or B's settings: `result` receives its message
 * `blockdct-curve`. `curve` is the value of blockdct's property. FALSE with an
 * error. Any thread may call this. */
gboolean preview_session_get_curve (PreviewSession * self, gboolean of_b,
    GstSample * original, const gchar * curve, GstStructure ** result,
    GError ** error);

typedef enum
{
  PREVIEW_SAVE_VIEW,            /* as shown, in its own size */
  PREVIEW_SAVE_A,               /* these at 1:1, without grid and text */
  PREVIEW_SAVE_B,
  PREVIEW_SAVE_ORIGINAL
} PreviewSave;

/* A PNG with 8 bits a sample of `original`, processed with the settings; owned
 * by the caller. NULL with an error, such as that B is not shown. Any thread
 * may call this. */
GBytes *preview_session_save (PreviewSession * self, GstSample * original,
    PreviewSave what, GError ** error);

/* Write the last picture as a PNG, without a window. */
gboolean preview_session_save_last (PreviewSession * self, const gchar * path,
    GError ** error);

/* A line for a shell, and a Python program, that show the same; owned by the
 * caller. NULL: a file is A or B. */
gchar *preview_session_describe_for_shell (PreviewSession * self);
gchar *preview_session_describe_for_python (PreviewSession * self);

#endif
