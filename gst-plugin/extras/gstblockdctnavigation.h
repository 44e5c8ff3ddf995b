/* blockdct: what a viewer does in the sink's window.
 *
 * Keys and pointer turn the element's properties, and a click posts a message
 * about a block. It knows the element by its properties alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_NAVIGATION_H
#define GST_BLOCKDCT_NAVIGATION_H

#include "gstblockdctblock.h"

G_BEGIN_DECLS
/** What the pointer is doing, in samples of luma. */
typedef struct
{
  gboolean pressed, dragging;
  gdouble x, y;                 /* where it was pressed */
  gboolean pans;                /* a drag from there moves a zoomed picture */
  gdouble zoom_x, zoom_y;       /* which was there then */
} GstBlockDctPointer;

/** One of an element; from any thread. */
typedef struct
{
  GMutex lock;
  gint width, height;           /* of the picture; 0 before caps */
  GstBlockDctShown shown;
  GstBlockDctPointer pointer;
  gdouble x, y;                 /* where it moved to last */
  BdctViewMode left;            /* for the original */
} GstBlockDctNavigation;

void gst_blockdct_navigation_init (GstBlockDctNavigation * navigation);
void gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation);

/** The picture's size, which pointers are in. */
void gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height);

/** Remember a frame that comes out, with a reference to its `in`; with NULL
 * forget the last one. */
void gst_blockdct_navigation_show (GstBlockDctNavigation * navigation,
    const GstBlockDctShown * shown);

/** Take an upstream navigation event if the element is `interactive`. FALSE if
 * it is not for it; the event stays the caller's in any case. */
gboolean gst_blockdct_navigation_event (GstBlockDctNavigation * navigation,
    GstElement * element, GstEvent * event);

G_END_DECLS
#endif
