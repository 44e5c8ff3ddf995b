/* blockdct: the samples around the pointer, large, with their values.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_MAGNIFIER_H
#define GST_BLOCKDCT_MAGNIFIER_H

#include "gstblockdctvalues.h"

G_BEGIN_DECLS

/** A square on the frame, in samples of luma. */
    typedef struct
{
  gint x, y;                    /* what is in its middle */
  gint n;                       /* samples across and down, odd */
  gint unit;                    /* each is as large as 16 of these */
  gint left, top, side;
  GstVideoOverlayRectangle *rectangle;
  gchar *text;                  /* place and components of the middle */
} GstBlockDctMagnifier;

/** Where it is in a frame of this size, with its middle at shares of it. FALSE
 * if the frame is too small. */
gboolean gst_blockdct_magnifier_place (GstBlockDctMagnifier * magnifier,
    const GstVideoInfo * info, gdouble x, gdouble y);

/** Draw it from a frame, which is mapped for it: one square for each sample of
 * what the view shows, however large it is there, with luma's value where the
 * view shows samples. `rectangle` and `text` are the caller's. FALSE without
 * memory, or if the frame cannot be read. */
gboolean gst_blockdct_magnifier_draw (GstBlockDctMagnifier * magnifier,
    GstBlockDctValues ** values, PangoFontMap * fonts, GstBuffer * buffer,
    const GstVideoInfo * info, const BdctLayout * layout,
    const BdctView * view);

G_END_DECLS
#endif
