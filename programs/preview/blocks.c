/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Another thread describes a block, as finding the sizes of a tree's blocks
 * takes as long as a frame. */
#include "blocks.h"
#include "beside.h"
#include "block.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/* Pixels by which a click may move. */
#define STILL 3

typedef struct
{
  GstBlockDctShown shown;
  GstSample *original;
  gint x, y;
  gboolean of_b;
} Run;

static void
describe (GTask * task, gpointer session, gpointer data, GCancellable * unused)
{
  const Run *run = data;
  GstStructure *s = preview_block_describe (&run->shown,
      gst_sample_get_buffer (run->original), run->x, run->y);

  (void) session, (void) unused;
  if (s != NULL)
    gst_structure_set (s, "side", G_TYPE_STRING, run->of_b ? "b" : "a", NULL);
  g_task_return_pointer (task, s, (GDestroyNotify) gst_structure_free);
}

static void
described (GObject * session, GAsyncResult * result, gpointer unused)
{
  PreviewSession *self = PREVIEW_SESSION (session);
  GstStructure *s = g_task_propagate_pointer (G_TASK (result), NULL);

  (void) unused;
  self->block_runs = FALSE;
  if (s != NULL) {
    g_signal_emit_by_name (self, "block", s);
    gst_structure_free (s);
  }
  preview_blocks_follow (self);
}

static void
free_run (gpointer data)
{
  Run *run = data;

  gst_sample_unref (run->original);
  g_free (run);
}

static void
start (PreviewSession * self, const GstBlockDctShown * shown)
{
  GstSample *original = preview_session_get_original (self);
  g_autoptr (GTask) task = NULL;
  Run *run;

  if (original == NULL)
    return;
  run = g_new (Run, 1);
  *run = (Run) {
  *shown, original, self->block_x, self->block_y, self->block_of_b};
  self->block_runs = TRUE;
  self->block_params = shown->params;
  task = g_task_new (self, NULL, described, NULL);
  g_task_set_task_data (task, run, free_run);
  g_task_run_in_thread (task, describe);
}

void
preview_blocks_follow (PreviewSession * self)
{
  GstBlockDctShown shown;

  if (!self->has_block || self->block_runs)
    return;
  shown = gst_blockdct_get_shown (GST_ELEMENT (self->part[self->block_of_b
              ? PREVIEW_B : PREVIEW_A]));
  if (shown.any && self->block_x < shown.layout.plane[0].width
      && self->block_y < shown.layout.plane[0].height
      && memcmp (&self->block_params, &shown.params, sizeof shown.params) != 0)
    start (self, &shown);
}

/* Find the place in the frame, and whether its block is A's or B's: on the
 * original that of the other picture. FALSE outside of the picture. */
static gboolean
locate (PreviewSession * self, const BdctLayout * layout, gint * x, gint * y,
    gboolean * of_b)
{
  const gint width = layout->plane[0].width, height = layout->plane[0].height;
  gint mode, left, right, side;
  gdouble position;
  gboolean second;

  g_object_get (self->compare, "view", &mode, "wipe-position", &position,
      "left", &left, "right", &right, NULL);
  second = mode == BDCT_VIEW_STACKED ? *y >= PREVIEW_BESIDE_STEP (height)
      : mode == BDCT_VIEW_SIDE_BY_SIDE ? *x >= PREVIEW_BESIDE_STEP (width)
      : mode != BDCT_VIEW_WIPE || *x >= round (position * width);
  if (second && mode == BDCT_VIEW_STACKED)
    *y -= PREVIEW_BESIDE_STEP (height);
  else if (second && mode == BDCT_VIEW_SIDE_BY_SIDE)
    *x -= PREVIEW_BESIDE_STEP (width);
  if (*x >= width || *y >= height)
    return FALSE;
  side = second ? right : left;
  if (side < 0)
    side = second ? left : right;
  *of_b = side == 1;
  return TRUE;
}

static void
click (PreviewSession * self, gdouble where_x, gdouble where_y)
{
  const GstBlockDctShown shown = gst_blockdct_get_shown (GST_ELEMENT
      (self->part[PREVIEW_A]));
  gint x, y;

  /* Checked before the conversion to integers, which cannot hold all
   * doubles. */
  if (!shown.any || !(where_x >= 0 && where_y >= 0 && where_x < G_MAXINT
          && where_y < G_MAXINT))
    return;
  x = where_x;
  y = where_y;
  if (!locate (self, &shown.layout, &x, &y, &self->block_of_b))
    return;
  self->block_x = x;
  self->block_y = y;
  self->has_block = TRUE;
  memset (&self->block_params, 0, sizeof self->block_params);
  preview_blocks_follow (self);
}

void
preview_blocks_point (PreviewSession * self, const gchar * what, gdouble x,
    gdouble y)
{
  if (strcmp (what, "press") == 0) {
    self->pressed_x = x;
    self->pressed_y = y;
  } else if (strcmp (what, "release") == 0
      && ABS (x - self->pressed_x) <= STILL
      && ABS (y - self->pressed_y) <= STILL) {
    click (self, x, y);
  }
}
