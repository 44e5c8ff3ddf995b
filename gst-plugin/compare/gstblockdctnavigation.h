/* blockdct: handles the viewer's keys and pointer in the sink's window.
 *
 * It changes properties of the element, and uses nothing else of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_NAVIGATION_H
#define GST_BLOCKDCT_NAVIGATION_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstBlockDctNavigation GstBlockDctNavigation;

/* The actions of keys other than zoom and magnifier. */
typedef struct
{
  /* Keys, ended by one without a name; `by` is passed to `func`. */
  struct
  {
    const gchar *key;
    void (*func) (GstElement * element, gint by);
    gint by;
  } keys[12];
  /* The space bar. */
  void (*space) (GstBlockDctNavigation * navigation, GstElement * element);
} GstBlockDctActions;

/* The state of the pointer, in samples of luma. */
typedef struct
{
  gboolean pressed, dragging;
  gdouble x, y;                 /* where the button was pressed */
  gboolean pans;                /* the drag moves a zoomed picture */
  gdouble zoom_x, zoom_y;       /* of the picture at that moment */
} GstBlockDctPointer;

/* The navigation of one element. Any thread may use it. */
struct _GstBlockDctNavigation
{
  GMutex lock;
  const GstBlockDctActions *actions;
  gint width, height;           /* of the picture; 0 before caps */
  GstBlockDctPointer pointer;
  gdouble x, y;                 /* the pointer's last position */
  gint left[2];                 /* the `view` and `right` that the space bar
                                   restores */
};

void gst_blockdct_navigation_init (GstBlockDctNavigation * navigation,
    const GstBlockDctActions * actions);
void gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation);

/* Set the picture's size, for the pointer's coordinates; 0: there is no
 * picture. */
void gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height);

/* Handle an upstream navigation event if the element is `interactive`. FALSE
 * if the event is not for it; the caller keeps the event. */
gboolean gst_blockdct_navigation_event (GstBlockDctNavigation * navigation,
    GstElement * element, GstEvent * event);

G_END_DECLS
#endif
