/* blockdct-preview: where the video comes from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SOURCE_H
#define PREVIEW_SOURCE_H

#include <gst/gst.h>

G_BEGIN_DECLS
/** What the command line asks for; NULL, 0 and FALSE where it does not. */
    typedef struct
{
  gchar *file;                  /* a path or URI */
  gboolean camera;
  gchar *device;                /* of the camera */
  gchar *pattern;               /* of the test pattern */
  gchar *screenshot, *csv;
  gint frames;                  /* to play; 0: all */
  gboolean ends;                /* rather than begin again, or stay */
  gchar *b_encoder;             /* blockdctpreview's property */
  gchar **properties;           /* NAME=VALUE: session.h */
} PreviewOptions;

/** What gst-launch-1.0 would make; floating. NULL with an error that says where
 * to get what is missing. */
GstElement *preview_make (const gchar * elements, GError ** error);

/** A bin with video at its pad "src", upright; floating. NULL with an error
 * that says what to do. */
GstElement *preview_source_new (const PreviewOptions * options,
    GError ** error);

/** The same for gst-launch-1.0, with "!" at its end, as it is in `source`,
 * which preview_source_new() made of `options`; of a `still`, one picture again
 * and again. The caller's. */
gchar *preview_source_describe (const PreviewOptions * options,
    GstElement * source, gboolean still);

G_END_DECLS
#endif
