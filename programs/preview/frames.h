/* blockdct-preview: the pictures and the figures of the frame that is shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FRAMES_H
#define PREVIEW_FRAMES_H

#include <gst/gst.h>
#include "player.h"

G_BEGIN_DECLS
typedef struct _PreviewFrames PreviewFrames;

/* What an original carries, in `offset` and `offset_end`, for this. */
#define PREVIEW_TIME(buffer) GST_BUFFER_OFFSET (buffer)
#define PREVIEW_RUN(buffer) GST_BUFFER_OFFSET_END (buffer)

/* A streaming thread calls this: a picture leaves that was made from this
 * original; the figures may be NULL. FALSE: it is not to be shown. */
typedef gboolean (*PreviewFramesShow) (gpointer owner, GstBuffer * original,
    const GstStructure * figures);

/* Watch what leaves a blockdctcompare. */
PreviewFrames *preview_frames_new (GstElement * compare,
    PreviewFramesShow show, gpointer owner);
void preview_frames_free (PreviewFrames * self);

/* Watch what comes to an input of it; NULL: there is no such input. `line` is
 * what makes it, an encoder or a file; NULL: a blockdct. */
void preview_frames_watch (PreviewFrames * self, PreviewStream input,
    GstPad * pad, const gchar * line);

/* Forget the pictures in flight, and the frame. */
void preview_frames_clear (PreviewFrames * self);

/* An input of the frame that left last, owned by the caller; NULL: there was
 * none. */
GstSample *preview_frames_get (PreviewFrames * self, PreviewStream input);

G_END_DECLS
#endif
