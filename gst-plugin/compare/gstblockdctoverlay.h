/* blockdct: text on the picture.
 *
 * Drawn by Pango and Cairo, in builds that have them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_OVERLAY_H
#define GST_BLOCKDCT_OVERLAY_H

#include <gst/video/video.h>
#include "dct/base/layout.h"
#include "dct/picture/view.h"

G_BEGIN_DECLS

/** What was drawn last, and with what; NULL until something is. */
typedef struct _GstBlockDctOverlay GstBlockDctOverlay;

/** A frame that is otherwise ready. */
typedef struct
{
  GstBuffer *buffer;
  const GstVideoInfo *info;
  const BdctLayout *layout;
  const BdctView *view;
  const gchar *text;            /* of the figures, perhaps empty, */
  const gchar *names[2];        /* and what the view's pictures are */
  gboolean figures;             /* write them too, not a map's labels alone */
  gboolean magnifier;           /* at these shares of width and height */
  gdouble magnifier_x, magnifier_y;
  gboolean attach;              /* downstream draws what is attached */
} GstBlockDctOverlayFrame;

/** Put the text on a frame: as a composition meta if downstream draws it, else
 * into its samples. `*overlay` is made when first needed. Where there can be no
 * text `element` posts a warning, once. */
void gst_blockdct_overlay_draw (GstBlockDctOverlay ** overlay,
    GstElement * element, const GstBlockDctOverlayFrame * frame);

/** Free it; `*overlay` may be NULL, and is afterwards. */
void gst_blockdct_overlay_clear (GstBlockDctOverlay ** overlay);

G_END_DECLS
#endif
