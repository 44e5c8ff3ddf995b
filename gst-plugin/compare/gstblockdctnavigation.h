/* blockdct: what a viewer does with keys and pointer in the sink's window.
 *
 * It turns the element's properties, by which alone it knows the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_NAVIGATION_H
#define GST_BLOCKDCT_NAVIGATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstBlockDctNavigation GstBlockDctNavigation;

/** What keys do besides zoom and magnifier. */
typedef struct
{
  /** Keys, up to one without a name, and what `by` says of them. */
  struct
  {
    const gchar *key;
    void (*func) (GstElement * element, gint by);
    gint by;
  } keys[12];
  /** The space bar. */
  void (*space) (GstBlockDctNavigation * navigation, GstElement * element);
} GstBlockDctActions;

/** What the pointer is doing, in samples of luma. */
typedef struct
{
  gboolean pressed, dragging;
  gdouble x, y;                 /* where it was pressed */
  gboolean pans;                /* a drag from there moves a zoomed picture */
  gdouble zoom_x, zoom_y;       /* which was there then */
} GstBlockDctPointer;

/** One of an element; from any thread. */
struct _GstBlockDctNavigation
{
  GMutex lock;
  const GstBlockDctActions *actions;
  gint width, height;           /* of the picture; 0 before caps */
  GstBlockDctPointer pointer;
  gdouble x, y;                 /* where it moved to last */
  gint left[2];                 /* view, and right, for the picture that the
                                   space bar shows */
};

void gst_blockdct_navigation_init (GstBlockDctNavigation * navigation,
    const GstBlockDctActions * actions);
void gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation);

/** The picture's size, which pointers are in; 0: there is none any more. */
void gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height);

/** Take an upstream navigation event if the element is `interactive`. FALSE if
 * it is not for it; the event stays the caller's in any case. */
gboolean gst_blockdct_navigation_event (GstBlockDctNavigation * navigation,
    GstElement * element, GstEvent * event);

G_END_DECLS
#endif
