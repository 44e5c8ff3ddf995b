/* blockdct: draws the values of samples on the enlarged squares of a zoomed
 * view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_VALUES_H
#define GST_BLOCKDCT_VALUES_H

#include <gst/video/video.h>
#include <pango/pangocairo.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* A cache of drawn digits; NULL until digits are drawn. */
typedef struct _GstBlockDctValues GstBlockDctValues;

/* Whether a view is zoomed enough, and shows samples, not levels or the
 * colours of a map. */
gboolean gst_blockdct_values_are_shown (const BdctView * view);

/* Draw the values of luma in a frame, which is mapped, on a rectangle as large
 * as the frame. Squares that are cut off get no value. R, G and B get that of
 * their luma. `*values` is created when first needed. NULL without memory, or
 * if the frame cannot be read. */
GstVideoOverlayRectangle *gst_blockdct_values_draw (GstBlockDctValues **
    values, PangoFontMap * fonts, GstBuffer * buffer, const GstVideoInfo * info,
    const BdctLayout * layout, const BdctView * view);

/* Prepare the digits for samples of `depth` bits. */
void gst_blockdct_values_prepare (GstBlockDctValues ** values,
    PangoFontMap * fonts, gint depth);

/* The largest sample; and sample `i` of a row of samples of this depth, with
 * `shift` unused low bits. */
gint gst_blockdct_values_peak (const BdctLayout * layout);
gint gst_blockdct_values_read (const guint8 * row, gint i, gint depth,
    gint shift);

/* Draw a value on a square of BDCT_VIEW_MAX_ZOOM premultiplied pixels: black
 * if the square is `light`, else white. Other pixels are unchanged. */
void gst_blockdct_values_put (const GstBlockDctValues * values,
    guint32 * pixels, gint stride, gint value, gboolean light);

void gst_blockdct_values_clear (GstBlockDctValues ** values);

G_END_DECLS
#endif
