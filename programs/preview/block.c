/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "block.h"

#include <blockdct/blockdct.h>
#include "gst-plugin/blockdct/gstblockdctprivate.h"
#include "gst-plugin/common/gstblockdctbackend.h"

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

GstStructure *
preview_block_describe (const GstBlockDctShown * shown, GstBuffer * in,
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
