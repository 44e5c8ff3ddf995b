/* blockdct: text on the picture.
 *
 * Pango and Cairo draw it, in builds that have them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>
#include <blockdct/blockdct.h>

/* What is kept between frames; it begins as zeros. */
typedef struct
{
  GHashTable *labels;           /* the last frame's rectangles, by what they say
                                   and where; NULL until text is drawn */
  gboolean no_font, warned;     /* there is no font; a warning was posted */
} GstBlockDctOverlay;

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
 * into its samples. If text cannot be drawn, `element` posts one warning. */
void gst_blockdct_overlay_draw (GstBlockDctOverlay * overlay,
    GstElement * element, const GstBlockDctOverlayFrame * frame);
