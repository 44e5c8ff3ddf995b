/* blockdct: the values of samples, on the squares that they are enlarged to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_VALUES_H
#define GST_BLOCKDCT_VALUES_H

#include <gst/video/video.h>
#include <pango/pangocairo.h>
#include "dct/base/layout.h"
#include "dct/picture/view.h"

G_BEGIN_DECLS

/** The digits, as they were drawn last; NULL until something is. */
typedef struct _GstBlockDctValues GstBlockDctValues;

/** Whether a view is enlarged enough, and shows samples: not levels, or the
 * colours of a map. */
gboolean gst_blockdct_values_are_shown (const BdctView * view);

/** The values of luma in a frame, which is mapped for it: a rectangle as large
 * as the frame. Squares that are not whole have none. R, G and B have that of
 * their luma. `*values` is made when first needed. NULL without memory, or if
 * the frame cannot be read. */
GstVideoOverlayRectangle *gst_blockdct_values_draw (GstBlockDctValues **
    values, PangoFontMap * fonts, GstBuffer * buffer, const GstVideoInfo * info,
    const BdctLayout * layout, const BdctView * view);

/** The same digits for others: of samples of so many bits. */
void gst_blockdct_values_prepare (GstBlockDctValues ** values,
    PangoFontMap * fonts, gint depth);

/** Put a value on a square of BDCT_VIEW_MAX_ZOOM pixels, premultiplied: black
 * where the square is `light`, else white. What is none of it stays. */
void gst_blockdct_values_put (const GstBlockDctValues * values,
    guint32 * pixels, gint stride, gint value, gboolean light);

void gst_blockdct_values_clear (GstBlockDctValues ** values);

G_END_DECLS
#endif
