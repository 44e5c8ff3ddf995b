/* blockdct-preview: the original and the figures of the frame that is shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FRAMES_H
#define PREVIEW_FRAMES_H

#include <gst/gst.h>

G_BEGIN_DECLS
typedef struct _PreviewFrames PreviewFrames;

/* Streaming threads call these. */
typedef struct
{
  /* An original comes in; returns whether it belongs to a step. */
  gboolean (*pass) (gpointer owner);
  /* A picture leaves; the figures may be NULL. Without `is_new` it is the last
   * one again, made with the same settings. */
  void (*show) (gpointer owner, const GstStructure * figures, gboolean is_new);
} PreviewFramesFuncs;

/* Watch a blockdctpage. */
PreviewFrames *preview_frames_new (GstElement * bin,
    const PreviewFramesFuncs * funcs, gpointer owner);
void preview_frames_free (PreviewFrames * self);

/* A setting has changed: the next picture is a new one. */
void preview_frames_change (PreviewFrames * self);

/* Drop the pictures in flight: they will not arrive. */
void preview_frames_flush (PreviewFrames * self);

/* The original of the picture that left last, owned by the caller; or NULL. */
GstSample *preview_frames_get_original (PreviewFrames * self);

/* The figures of that picture, owned by the caller; or NULL. */
GstStructure *preview_frames_get_figures (PreviewFrames * self);

G_END_DECLS
#endif
