/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Another thread describes a block, as finding the sizes of a tree's blocks
 * takes as long as a frame. */
#include "parts.h"

#include "gst-plugin/blockdct/gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctbackend.h"
#include <math.h>
#include <string.h>

/* Pixels by which a click may move. */
#define STILL 3

/* Of whole numbers, or of doubles. */
static void
set_array (GstStructure * s, const gchar * name, const gchar * suffix,
    const gint * ints, const gdouble * doubles, gint n)
{
  g_autofree gchar *field = g_strconcat (name, suffix, NULL);
  GValue array = G_VALUE_INIT, v = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&v, ints != NULL ? G_TYPE_INT : G_TYPE_DOUBLE);
  for (gint i = 0; i < n; i++) {
    if (ints != NULL)
      g_value_set_int (&v, ints[i]);
    else
      g_value_set_double (&v, doubles[i]);
    gst_value_array_append_value (&array, &v);
  }
  gst_structure_take_value (s, field, &array);
}

/* Add a component's block; luma's fields have no suffix. */
static void
add_block (GstStructure * s, gint c, const BdctBlock * block)
{
  static const gchar *const names[] = { "x", "y", "size" };
  static const gchar *const suffixes[] = { "", "-u", "-v" };
  const gint numbers[] = { block->x, block->y, block->width };
  const gint n = block->width * block->height;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *field = g_strconcat (names[i], suffixes[c], NULL);

    gst_structure_set (s, field, G_TYPE_INT, numbers[i], NULL);
  }
  set_array (s, "samples", suffixes[c], block->sample, NULL, n);
  set_array (s, "coefficients", suffixes[c], NULL, block->coefficient, n);
  set_array (s, "levels", suffixes[c], block->level, NULL, n);
  set_array (s, "reconstruction", suffixes[c], block->reconstruction, NULL, n);
}

/* Describe the blocks at (x, y) of a frame; NULL without memory. */
static GstStructure *
describe_block (const GstBlockDctShown * shown, const BdctFrame * frame,
    const GstBlockDctRegions * regions, gint x, gint y)
{
  const gboolean has_qp = bdct_transform_info (shown->params.transform)->has_qp;
  BdctBlock *blocks = g_new (BdctBlock, BDCT_MAX_COMPONENTS);
  gint n = bdct_block_inspect (&shown->layout, frame, x, y, blocks, NULL);
  gint setting = has_qp ? shown->params.qp : shown->params.quality;
  GstStructure *s = NULL;

  if (n > 0) {
    if (regions != NULL)
      setting = regions->setting[blocks[BDCT_Y].quantizer];
    s = gst_structure_new (GST_BLOCKDCT_NAME "-block",
        "timestamp", G_TYPE_UINT64, shown->times.timestamp,
        "stream-time", G_TYPE_UINT64, shown->times.stream_time,
        "running-time", G_TYPE_UINT64, shown->times.running_time,
        "index", G_TYPE_UINT64, shown->index,
        "transform", G_TYPE_STRING,
        bdct_transform_info (shown->params.transform)->name,
        has_qp ? "qp" : "quality", G_TYPE_INT, setting, NULL);
  }
  for (gint c = 0; c < n; c++)
    add_block (s, c, &blocks[c]);
  g_free (blocks);
  return s;
}

/* About the blocks at (x, y), in samples of luma, of a frame on display whose
 * original is `in`; the caller owns it. NULL if the frame cannot be read or
 * there is no memory. */
static GstStructure *
describe_frame (const GstBlockDctShown * shown, GstBuffer * in,
    gint x, gint y)
{
  const BdctLayout *layout = &shown->layout;
  BdctJob *job = bdct_jobs_new (&shown->params, 1, layout, NULL);
  BdctJobInfo info = {.size = sizeof info };
  BdctFrame frame = {.size = sizeof frame,.quantizers = job,.n_quantizers = 1 };
  GstBlockDctRegions *regions = NULL;
  GstVideoFrame mapped;
  GstStructure *s = NULL;

  if (job != NULL && bdct_job_describe (job, layout, &info, NULL)
      && gst_video_frame_map (&mapped, &shown->info, in, GST_MAP_READ)) {
    gst_blockdct_backend_get_image (&mapped, &frame.src);
    if (gst_blockdct_regions_find (&regions, NULL, in, &shown->params, layout,
            &info) > 0) {
      frame.quantizers = regions->jobs;
      frame.n_quantizers = regions->n_quantizers;
      frame.quantizer_map = regions->quantizer_map;
      frame.n_blocks = regions->n_blocks;
    } else {
      gst_blockdct_regions_clear (&regions);
    }
    s = describe_block (shown, &frame, regions, x, y);
    gst_blockdct_regions_clear (&regions);
    gst_video_frame_unmap (&mapped);
  }
  bdct_jobs_free (job);
  return s;
}

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
  GstStructure *s = describe_frame (&run->shown,
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
