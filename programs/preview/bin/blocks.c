/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A click posts the message `blockdct-block`, and so does every frame that
 * shows the block made with other settings. Another thread makes it, as finding
 * the sizes of a tree's blocks takes as long as a frame. */
#include "blocks.h"

#include <gst/video/navigation.h>
#include <string.h>
#include "gst-plugin/common/gstblockdctparam.h"
#include "gst-plugin/compare/gstblockdctcompareprivate.h"
#include "gst-plugin/compare/gstblockdctnavigation.h"
#include "block.h"

/* The last frame of a transform */

void
gst_blockdct_page_blocks_enter (GstBlockDctPage * self, gboolean of_b,
    GstBuffer * buffer)
{
  GstBlockDctPageMade *made = &self->blocks.made[of_b];

  if (!gst_blockdct_param_get_int (self->compare, "interactive"))
    return;
  g_mutex_lock (&self->blocks.lock);
  g_queue_push_tail (&made->inputs, gst_buffer_ref (buffer));
  g_mutex_unlock (&self->blocks.lock);
}

static void
clear_inputs (GstBlockDctPageMade * made)
{
  g_queue_clear_full (&made->inputs, (GDestroyNotify) gst_buffer_unref);
}

void
gst_blockdct_page_blocks_flush (GstBlockDctPage * self, gboolean of_b)
{
  g_mutex_lock (&self->blocks.lock);
  clear_inputs (&self->blocks.made[of_b]);
  g_mutex_unlock (&self->blocks.lock);
}

/* Frames leave in the order in which they entered, except those that are
 * dropped. */
void
gst_blockdct_page_blocks_leave (GstBlockDctPage * self, gboolean of_b,
    GstBuffer * buffer)
{
  GstBlockDctPageMade *made = &self->blocks.made[of_b];
  const GstBlockDctShown shown =
      gst_blockdct_get_shown (of_b ? self->b : self->a);

  g_mutex_lock (&self->blocks.lock);
  do {
    gst_clear_buffer (&made->in);
    made->in = g_queue_pop_head (&made->inputs);
  } while (made->in != NULL
      && GST_BUFFER_PTS (made->in) != GST_BUFFER_PTS (buffer));
  made->shown = shown;
  g_mutex_unlock (&self->blocks.lock);
}

/* Messages */

/* Whether a message has to be posted. Called with the lock. */
static gboolean
is_due (const GstBlockDctPageBlocks * blocks)
{
  const GstBlockDctPageMade *made = &blocks->made[blocks->of_b];

  return blocks->any && made->in != NULL
      && blocks->x < made->shown.layout.plane[0].width
      && blocks->y < made->shown.layout.plane[0].height && (!blocks->posted
      || memcmp (&blocks->params, &made->shown.params,
          sizeof blocks->params) != 0);
}

/* The content of a message, and its buffer. */
typedef struct
{
  GstBlockDctShown shown;
  GstBuffer *in;
  gint x, y;
  gboolean of_b, repeated;
} What;

/* Take the content of the message that is due; the caller owns its buffer.
 * FALSE: none is due. */
static gboolean
take (GstBlockDctPage * self, What * what)
{
  GstBlockDctPageBlocks *blocks = &self->blocks;
  gboolean due;

  g_mutex_lock (&blocks->lock);
  blocks->scheduled = FALSE;
  due = is_due (blocks);
  if (due) {
    const GstBlockDctPageMade *made = &blocks->made[blocks->of_b];

    *what = (What) {
    made->shown, gst_buffer_ref (made->in), blocks->x, blocks->y,
          blocks->of_b, blocks->posted};
    blocks->posted = TRUE;
    blocks->params = made->shown.params;
    blocks->readers++;
  }
  g_mutex_unlock (&blocks->lock);
  return due;
}

static void
tell (GstElement * element, gpointer data)
{
  GstBlockDctPage *self = GST_BLOCKDCT_PAGE_CAST (element);
  GstStructure *s;
  What what;

  (void) data;
  if (!take (self, &what))
    return;
  s = gst_blockdct_block_describe (&what.shown, what.in, what.x, what.y);
  gst_buffer_unref (what.in);
  g_mutex_lock (&self->blocks.lock);
  self->blocks.readers--;
  g_cond_signal (&self->blocks.read);
  g_mutex_unlock (&self->blocks.lock);
  if (s == NULL)
    return;
  gst_structure_set (s, "side", G_TYPE_STRING, what.of_b ? "b" : "a", NULL);
  if (what.repeated)
    gst_structure_set (s, "repeated", G_TYPE_BOOLEAN, TRUE, NULL);
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (self), s));
}

void
gst_blockdct_page_blocks_follow (GstBlockDctPage * self)
{
  GstBlockDctPageBlocks *blocks = &self->blocks;
  gboolean due;

  g_mutex_lock (&blocks->lock);
  due = !blocks->scheduled && is_due (blocks);
  blocks->scheduled |= due;
  g_mutex_unlock (&blocks->lock);
  if (due)
    gst_element_call_async (GST_ELEMENT (self), tell, NULL, NULL);
}

/* Clicks */

/* Find the place in the picture, and whether its block is A's or B's: on the
 * original that of the other picture. FALSE outside of the picture. */
static gboolean
locate (GstBlockDctPage * self, const BdctLayout * layout, gint * x,
    gint * y, gboolean * of_b)
{
  GstBlockDctCompare *compare = GST_BLOCKDCT_COMPARE_CAST (self->compare);
  const GstBlockDctCompareSettings settings =
      gst_blockdct_compare_get_settings (compare);
  BdctView view = BDCT_VIEW_DEFAULT;
  bool second = true;
  gint side;

  if (settings.view != GST_BLOCKDCT_COMPARE_SINGLE) {
    view.mode = settings.view;
    view.position = settings.wipe_position;
    view.zoom = settings.zoom;
    view.zoom_x = settings.zoom_x;
    view.zoom_y = settings.zoom_y;
    if (!bdct_view_source (&view, layout, x, y, &second))
      return FALSE;
  }
  side = second ? settings.right : settings.left;
  if (side == GST_BLOCKDCT_COMPARE_REFERENCE)
    side = second ? settings.left : settings.right;
  *of_b = side == GST_BLOCKDCT_PAGE_B;
  return TRUE;
}

static void
click (GstBlockDctPage * self, gdouble where_x, gdouble where_y)
{
  GstBlockDctPageBlocks *blocks = &self->blocks;
  const GstBlockDctShown shown = gst_blockdct_get_shown (self->a);
  gboolean of_b;
  gint x, y;

  /* Checked before the conversion to integers, which cannot hold all
   * doubles. */
  if (!shown.any || where_x < 0 || where_y < 0
      || where_x >= shown.layout.plane[0].width
      || where_y >= shown.layout.plane[0].height)
    return;
  x = where_x;
  y = where_y;
  if (!locate (self, &shown.layout, &x, &y, &of_b))
    return;
  g_mutex_lock (&blocks->lock);
  blocks->any = TRUE;
  blocks->x = x;
  blocks->y = y;
  blocks->of_b = of_b;
  blocks->posted = FALSE;
  g_mutex_unlock (&blocks->lock);
  gst_blockdct_page_blocks_follow (self);
}

void
gst_blockdct_page_blocks_see (GstBlockDctPage * self, GstEvent * event)
{
  GstBlockDctPageBlocks *blocks = &self->blocks;
  const GstNavigationEventType type = gst_navigation_event_get_type (event);
  const gint width = gst_blockdct_get_shown (self->a).layout.plane[0].width;
  gboolean clicked;
  gdouble x, y;
  gint button;

  if ((type != GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS
          && type != GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE)
      || !gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y)
      || button != 1)
    return;
  g_mutex_lock (&blocks->lock);
  clicked = blocks->pressed
      && type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE
      && gst_blockdct_navigation_is_click (width, blocks->pressed_x,
      blocks->pressed_y, x, y);
  blocks->pressed = type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS;
  blocks->pressed_x = x;
  blocks->pressed_y = y;
  g_mutex_unlock (&blocks->lock);
  if (clicked)
    click (self, x, y);
}

void
gst_blockdct_page_blocks_forget (GstBlockDctPage * self)
{
  g_mutex_lock (&self->blocks.lock);
  self->blocks.any = self->blocks.pressed = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (self->blocks.made); i++) {
    clear_inputs (&self->blocks.made[i]);
    gst_clear_buffer (&self->blocks.made[i].in);
  }
  while (self->blocks.readers > 0)
    g_cond_wait (&self->blocks.read, &self->blocks.lock);
  g_mutex_unlock (&self->blocks.lock);
}
