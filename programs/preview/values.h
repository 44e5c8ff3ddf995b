/* blockdct-preview: draws the values of samples on the enlarged squares of a
 * zoomed view.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_VALUES_H
#define PREVIEW_VALUES_H

#include <gst/video/video.h>
#include <pango/pangocairo.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* A cache of drawn digits; NULL until digits are drawn. */
typedef struct _PreviewValues PreviewValues;

/* Whether a view is zoomed enough, and shows samples, not levels or the
 * colours of a map. */
gboolean preview_values_are_shown (const BdctView * view);

/* Draw the values of luma in a mapped frame, on a rectangle as large as the
 * frame. Squares that are cut off get no value. RGB gets that of its luma.
 * `*values` is created when first needed. NULL without memory. */
GstVideoOverlayRectangle *preview_values_draw (PreviewValues ** values,
    PangoFontMap * fonts, const GstVideoFrame * frame, const BdctView * view);

/* Prepare the digits for samples of `depth` bits. */
void preview_values_prepare (PreviewValues ** values, PangoFontMap * fonts,
    gint depth);

/* The largest sample; and a frame's sample of a component at (x, y) of luma. */
gint preview_values_peak (const GstVideoFrame * frame);
gint preview_values_read (const GstVideoFrame * frame, guint component, gint x,
    gint y);

/* The luma of a sample's components. */
gint preview_values_luma (const GstVideoFrame * frame, const gint v[3]);

/* Where a view shows a picture of the frame's size. */
BdctViewPlace preview_values_place (const GstVideoFrame * frame,
    const BdctView * view);

/* Draw a value on a square of BDCT_VIEW_MAX_ZOOM premultiplied pixels: black
 * if the square is `light`, else white. Other pixels are unchanged. */
void preview_values_put (const PreviewValues * values,
    guint32 * pixels, gint stride, gint value, gboolean light);

void preview_values_clear (PreviewValues ** values);

G_END_DECLS
#endif
