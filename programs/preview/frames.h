/* blockdct-preview: what went into the frame that is shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FRAMES_H
#define PREVIEW_FRAMES_H

#include <gst/gst.h>

G_BEGIN_DECLS typedef struct _PreviewFrames PreviewFrames;

/** Keep what goes into `dct` until it has come out, and the last one longer. */
PreviewFrames *preview_frames_new (GstElement * dct);
void preview_frames_free (PreviewFrames * self);

/** The original of the frame that came out last, from any thread; NULL if there
 * was none. The caller's. */
GstSample *preview_frames_get (PreviewFrames * self);

G_END_DECLS
#endif
