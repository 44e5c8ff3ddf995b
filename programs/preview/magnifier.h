/* blockdct-preview: the magnifier: the samples around the pointer, enlarged,
 * with their values.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_MAGNIFIER_H
#define PREVIEW_MAGNIFIER_H

#include "values.h"

G_BEGIN_DECLS

/* A square on the frame, in samples of luma. */
typedef struct
{
  gint x, y;                    /* the sample in its middle */
  gint n;                       /* samples across and down, odd */
  gint unit;                    /* each sample is as large as 16 of these */
  gint left, top, side;
  GstVideoOverlayRectangle *rectangle;
  gchar *text;                  /* place and components of the middle sample */
} PreviewMagnifier;

/* Place the magnifier in a frame of this size; `x` and `y` are its middle as
 * fractions of width and height. FALSE if the frame is too small. */
gboolean preview_magnifier_place (PreviewMagnifier * magnifier,
    const GstVideoInfo * info, gdouble x, gdouble y);

/* Draw the magnifier from a mapped frame: one square for each sample of the
 * picture in the view, whatever the zoom, with luma's value where the view
 * shows samples. Without `fonts` there are no values. The caller owns
 * `rectangle` and `text`. FALSE without memory. */
gboolean preview_magnifier_draw (PreviewMagnifier * magnifier,
    PreviewValues ** values, PangoFontMap * fonts, const GstVideoFrame * frame,
    const BdctView * view);

G_END_DECLS
#endif
