/* blockdct: the magnifier: the samples around the pointer, enlarged, with their
 * values.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_MAGNIFIER_H
#define GST_BLOCKDCT_MAGNIFIER_H

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
} GstBlockDctMagnifier;

/* Place the magnifier in a frame of this size; `x` and `y` are its middle as
 * fractions of width and height. FALSE if the frame is too small. */
gboolean gst_blockdct_magnifier_place (GstBlockDctMagnifier * magnifier,
    const GstVideoInfo * info, gdouble x, gdouble y);

/* Draw the magnifier from a frame, which is mapped: one square for each sample
 * of the picture in the view, whatever the zoom, with luma's value where the
 * view shows samples. The caller owns `rectangle` and `text`. FALSE without
 * memory, or if the frame cannot be read. */
gboolean gst_blockdct_magnifier_draw (GstBlockDctMagnifier * magnifier,
    GstBlockDctValues ** values, PangoFontMap * fonts, GstBuffer * buffer,
    const GstVideoInfo * info, const BdctLayout * layout,
    const BdctView * view);

G_END_DECLS
#endif
