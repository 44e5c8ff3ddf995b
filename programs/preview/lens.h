/* blockdct-preview: the lens at the pointer, and the values of samples at the
 * highest zoom, on the pictures that blockdctcompare draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_LENS_H
#define PREVIEW_LENS_H

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Any thread may use it. */
typedef struct _PreviewLens PreviewLens;

PreviewLens *preview_lens_new (void);
void preview_lens_free (PreviewLens * self);

/* Show the lens or not. */
void preview_lens_set (PreviewLens * self, gboolean on);
gboolean preview_lens_is_on (PreviewLens * self);

/* The pointer is at (x, y) of the picture. Returns whether the lens follows. */
gboolean preview_lens_point (PreviewLens * self, gdouble x, gdouble y);

/* What is drawn on a frame in the view that the properties of a
 * blockdctcompare describe; NULL: nothing. */
GstVideoOverlayComposition *preview_lens_compose (PreviewLens * self,
    GObject * compare, GstBuffer * buffer, const GstVideoInfo * info);

/* Draw that on a buffer, which is taken; the caller owns the result. */
GstBuffer *preview_lens_draw (PreviewLens * self, GObject * compare,
    GstBuffer * buffer, GstCaps * caps);

G_END_DECLS
#endif
