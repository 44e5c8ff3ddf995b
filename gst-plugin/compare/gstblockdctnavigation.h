/* blockdct: what a viewer does in the sink's window.
 *
 * Keys and pointer turn the element's properties, and a click posts a message
 * about a block, and more of them when other settings make it. It knows the
 * element by its properties alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_NAVIGATION_H
#define GST_BLOCKDCT_NAVIGATION_H

#include "gst-plugin/preview/gstblockdctblock.h"

G_BEGIN_DECLS

typedef struct _GstBlockDctNavigation GstBlockDctNavigation;

/** What keys and wheel do; zoom and magnifier are the same for all elements. */
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
  /** The wheel, up (1) or down (-1). NULL: it zooms, as with Ctrl. */
  void (*wheel) (GstElement * element, gint by);
} GstBlockDctActions;

/** Those of blockdct. */
extern const GstBlockDctActions gst_blockdct_actions;

/** Make a blockdct's setting so much finer; take the transform so many further
 * on, round and round. */
void gst_blockdct_turn_quality (GstElement * blockdct, gint by);
void gst_blockdct_turn_transform (GstElement * blockdct, gint by);

/** What the pointer is doing, in samples of luma. */
typedef struct
{
  gboolean pressed, dragging;
  gdouble x, y;                 /* where it was pressed */
  gboolean pans;                /* a drag from there moves a zoomed picture */
  gdouble zoom_x, zoom_y;       /* which was there then */
} GstBlockDctPointer;

/** The block that was clicked on last. */
typedef struct
{
  gboolean any;                 /* there is one */
  GstBlockDctPlace place;
  gboolean told;                /* a message was about it */
  BdctParams params;            /* what the block was made with then */
  gboolean scheduled;           /* a thread is under way */
  gboolean reading;             /* some thread has the frame in hand */
  GCond read;                   /* none has it any more */
  GRecMutex telling;            /* one at a time: the last says what is shown */
} GstBlockDctFollowed;

/** One of an element; from any thread. */
struct _GstBlockDctNavigation
{
  GMutex lock;
  const GstBlockDctActions *actions;
  gint width, height;           /* of the picture; 0 before caps */
  GstBlockDctShown shown;
  GstBlockDctPointer pointer;
  GstBlockDctFollowed followed;
  gdouble x, y;                 /* where it moved to last */
  gint left[2];                 /* view, and right, for the picture that the
                                   space bar shows */
};

void gst_blockdct_navigation_init (GstBlockDctNavigation * navigation,
    const GstBlockDctActions * actions);
void gst_blockdct_navigation_clear (GstBlockDctNavigation * navigation);

/** The picture's size, which pointers are in. */
void gst_blockdct_navigation_set_size (GstBlockDctNavigation * navigation,
    gint width, gint height);

/** Remember a frame that comes out, with a reference to its `in`; with NULL
 * forget the last one, which nobody has in hand then, and which block was
 * clicked on. */
void gst_blockdct_navigation_show (GstBlockDctNavigation * navigation,
    const GstBlockDctShown * shown);

/** Have another thread say what became of the block that was clicked on, if the
 * frame that is shown now was made with other settings. */
void gst_blockdct_navigation_follow (GstBlockDctNavigation * navigation,
    GstElement * element);

/** Take an upstream navigation event if the element is `interactive`. FALSE if
 * it is not for it; the event stays the caller's in any case. */
gboolean gst_blockdct_navigation_event (GstBlockDctNavigation * navigation,
    GstElement * element, GstEvent * event);

G_END_DECLS
#endif
