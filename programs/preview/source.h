/* blockdct-preview: the source of the video.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SOURCE_H
#define PREVIEW_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS
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

/* A floating bin from a gst-launch description. NULL with an error that says
 * where to get a missing element. */
GstElement *preview_make (const gchar * elements, GError ** error);

/* A floating bin with upright video at its pad "src". NULL with an error that
 * says what to do. */
GstElement *preview_source_new (const PreviewOptions * options,
    GError ** error);

/* Whether a name on the command line is a URI: no file has that name. */
gboolean preview_source_is_uri (const gchar * name);

/* What is wrong with the file that `source` could not decode; owned by the
 * caller. */
gchar *preview_source_explain (GstElement * source, const GError * error,
    const gchar * debug);

/* Whether the first picture of a file can be decoded; FALSE with an error that
 * says what is wrong with it. It blocks; any thread may call it. */
gboolean preview_source_check (const PreviewOptions * options,
    GError ** error);

/* The source as a gst-launch description that ends in "!"; `source` was made
 * by preview_source_new() from `options`. With `still`, it repeats one picture.
 * The caller owns it. */
gchar *preview_source_describe (const PreviewOptions * options,
    GstElement * source, gboolean still);

/* Stop a pipeline with a source for good. */
void preview_source_stop (GstElement * pipeline);

/* A value as gst_parse_launch() reads it; owned by the caller. */
gchar *preview_source_quote (const gchar * value);

G_END_DECLS
#endif
