/* blockdct: text on the picture.
 *
 * Pango and Cairo draw it, in builds that have them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_OVERLAY_H
#define GST_BLOCKDCT_OVERLAY_H

#include <gst/video/video.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* A cache of drawn text; NULL until text is drawn. */
typedef struct _GstBlockDctOverlay GstBlockDctOverlay;

/* A frame that is complete except for its text. */
typedef struct
{
  GstBuffer *buffer;
  const GstVideoInfo *info;
  const BdctLayout *layout;
  const BdctView *view;
  const gchar *text;            /* the figures; may be empty */
  const gchar *names[2];        /* of the view's pictures */
  gboolean figures;             /* draw the figures, too, not only a map's
                                   labels */
  gboolean attach;              /* downstream draws overlay compositions */
} GstBlockDctOverlayFrame;

/* Put the text on a frame: as a composition meta if downstream draws it, else
 * into its samples. `*overlay` is created when first needed. If text cannot be
 * drawn, `element` posts one warning. */
void gst_blockdct_overlay_draw (GstBlockDctOverlay ** overlay,
    GstElement * element, const GstBlockDctOverlayFrame * frame);

/* Free it; `*overlay` may be NULL, and becomes NULL. */
void gst_blockdct_overlay_clear (GstBlockDctOverlay ** overlay);

G_END_DECLS
#endif
