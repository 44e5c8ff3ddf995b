/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A click posts the message `blockdct-block`, and so does every frame that
 * shows the block made with other settings. Another thread does it: to find the
 * sizes of a tree's blocks takes as long as a frame. */
#include "gstblockdctpreviewblocks.h"

#include <gst/video/navigation.h>
#include <string.h>
#include "gst-plugin/compare/gstblockdctcompareprivate.h"
#include "gst-plugin/compare/gstblockdctzoom.h"
#include "gstblockdctblock.h"

/* Whether there is something new to say. Called with the lock. */
static gboolean
is_due (const GstBlockDctPreviewBlocks * blocks, const GstBlockDctShown * shown)
{
  return shown->any && blocks->x < shown->layout.plane[0].width
      && blocks->y < shown->layout.plane[0].height && (!blocks->told
      || memcmp (&blocks->params, &shown->params, sizeof shown->params) != 0);
}

static GstBlockDctShown
get_shown (GstBlockDctPreview * self, gboolean of_b)
{
  return gst_blockdct_get_shown (of_b ? self->b : self->a);
}

/* Take what is to be said. FALSE: nothing. */
static gboolean
take (GstBlockDctPreview * self, GstBlockDctPreviewBlocks * what,
    GstBlockDctShown * shown)
{
  GstBlockDctPreviewBlocks *blocks = &self->blocks;
  gboolean due;

  g_mutex_lock (&blocks->lock);
  blocks->scheduled = FALSE;
  *shown = get_shown (self, blocks->of_b);
  due = blocks->any && is_due (blocks, shown);
  *what = *blocks;
  if (due) {
    blocks->told = TRUE;
    blocks->params = shown->params;
  }
  g_mutex_unlock (&blocks->lock);
  return due;
}

static void
tell (GstElement * element, gpointer data)
{
  GstBlockDctPreview *self = GST_BLOCKDCT_PREVIEW_CAST (element);
  GstBuffer *in = gst_blockdct_preview_freeze_get_last (self->freeze);
  GstBlockDctPreviewBlocks what;
  GstBlockDctShown shown;
  GstStructure *s = NULL;

  (void) data;
  if (take (self, &what, &shown) && in != NULL)
    s = gst_blockdct_block_describe (&shown, in, what.x, what.y);
  if (s != NULL) {
    gst_structure_set (s, "side", G_TYPE_STRING, what.of_b ? "b" : "a", NULL);
    if (what.told)
      gst_structure_set (s, "repeated", G_TYPE_BOOLEAN, TRUE, NULL);
    gst_element_post_message (element,
        gst_message_new_element (GST_OBJECT (self), s));
  }
  gst_clear_buffer (&in);
}

void
gst_blockdct_preview_blocks_follow (GstBlockDctPreview * self)
{
  GstBlockDctPreviewBlocks *blocks = &self->blocks;
  gboolean due = FALSE;

  g_mutex_lock (&blocks->lock);
  if (blocks->any && !blocks->scheduled) {
    const GstBlockDctShown shown = get_shown (self, blocks->of_b);

    due = blocks->scheduled = is_due (blocks, &shown);
  }
  g_mutex_unlock (&blocks->lock);
  if (due)
    gst_element_call_async (GST_ELEMENT (self), tell, NULL, NULL);
}

/* The place in the picture, and whose blocks are there: in the original the
 * other picture's. FALSE outside of it. */
static gboolean
locate (GstBlockDctPreview * self, const BdctLayout * layout, gint * x,
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
  *of_b = side == GST_BLOCKDCT_PREVIEW_B;
  return TRUE;
}

static void
click (GstBlockDctPreview * self, gdouble where_x, gdouble where_y)
{
  GstBlockDctPreviewBlocks *blocks = &self->blocks;
  const GstBlockDctShown shown = get_shown (self, FALSE);
  gboolean of_b;
  gint x, y;

  /* Before they become integers, which not all doubles have a place in. */
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
  blocks->told = FALSE;
  g_mutex_unlock (&blocks->lock);
  gst_blockdct_preview_blocks_follow (self);
}

void
gst_blockdct_preview_blocks_see (GstBlockDctPreview * self, GstEvent * event)
{
  GstBlockDctPreviewBlocks *blocks = &self->blocks;
  const GstNavigationEventType type = gst_navigation_event_get_type (event);
  const gint width = get_shown (self, FALSE).layout.plane[0].width;
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
      && gst_blockdct_zoom_is_click (width, blocks->pressed_x,
      blocks->pressed_y, x, y);
  blocks->pressed = type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS;
  blocks->pressed_x = x;
  blocks->pressed_y = y;
  g_mutex_unlock (&blocks->lock);
  if (clicked)
    click (self, x, y);
}

void
gst_blockdct_preview_blocks_forget (GstBlockDctPreview * self)
{
  g_mutex_lock (&self->blocks.lock);
  self->blocks.any = self->blocks.pressed = FALSE;
  g_mutex_unlock (&self->blocks.lock);
}
