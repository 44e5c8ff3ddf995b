/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctblock.h"

#include <stdlib.h>
#include "cpu/block.h"
#include "cpu/simd/colour-rows.h"
#include "dct/base/sample.h"
#include "dct/engine/engine.h"
#include "dct/rd/quadtree.h"
#include "gst-plugin/blockdct/gstblockdctregions.h"

/* The fields of a component's block; luma's have no suffix. */
typedef struct
{
  const gchar *x, *y, *size, *samples, *coefficients, *levels, *reconstruction;
} BlockNames;

static const BlockNames block_names[BDCT_MAX_COMPONENTS] = {
  {"x", "y", "size", "samples", "coefficients", "levels", "reconstruction"},
  {"x-u", "y-u", "size-u", "samples-u", "coefficients-u", "levels-u",
      "reconstruction-u"},
  {"x-v", "y-v", "size-v", "samples-v", "coefficients-v", "levels-v",
      "reconstruction-v"},
};

/* The planes of a mapped frame. `*memory`, to be freed, holds them if they have
 * to be made from R, G and B. FALSE without memory. */
static gboolean
get_planes (const BdctImage * image, const BdctLayout * layout,
    BdctImage * planes, guint8 ** memory)
{
  *memory = NULL;
  *planes = *image;
  if (layout->rgb.n_planes == 0)
    return TRUE;
  *memory = bdct_colour_planes (layout, image, planes);
  return *memory != NULL;
}

/* The plane of a component; `*second`: it is the second of a pair of
 * samples. */
static gint
find_plane (const BdctLayout * layout, gint c, gint * second)
{
  for (gint p = 0; p < layout->n_planes; p++)
    for (*second = 0; *second < layout->plane[p].interleave; ++*second)
      if (layout->plane[p].component[*second] == (BdctComponent) c)
        return p;
  g_assert_not_reached ();
}

/* Read the block that contains the component's sample (*x, *y), with the
 * picture's edge repeated; (*x, *y) becomes the block's corner. */
static void
read_block (const BdctImage * image, const BdctLayout * layout, gint c,
    gint size, gint * x, gint * y, gint * samples)
{
  gint second, p = find_plane (layout, c, &second);
  const BdctPlaneLayout *plane = &layout->plane[p];
  const gint bytes = bdct_layout_sample_size (layout);
  const gint peak = bdct_layout_peak (layout);
  gint columns = layout->rgb.n_planes > 0 ? bdct_colour_columns (layout, p)
      : plane->width;

  *x -= *x % size;
  *y -= *y % size;
  for (gint i = 0; i < size * size; i++) {
    gint sx = MIN (*x + i % size, columns - 1);
    gint sy = MIN (*y + i / size, plane->height - 1);
    const guint8 *row = (const guint8 *) image->data[p]
        + sy * image->stride[p];

    samples[i] = bdct_sample_get (row, (gint64) sx * plane->interleave + second,
        bytes, plane->shift, peak);
  }
}

static void
set_ints (GstStructure * s, const gchar * name, const gint * values, gint n)
{
  GValue array = G_VALUE_INIT, v = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&v, G_TYPE_INT);
  for (gint i = 0; i < n; i++) {
    g_value_set_int (&v, values[i]);
    gst_value_array_append_value (&array, &v);
  }
  gst_structure_take_value (s, name, &array);
}

static void
set_doubles (GstStructure * s, const gchar * name, const gdouble * values,
    gint n)
{
  GValue array = G_VALUE_INIT, v = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&v, G_TYPE_DOUBLE);
  for (gint i = 0; i < n; i++) {
    g_value_set_double (&v, values[i]);
    gst_value_array_append_value (&array, &v);
  }
  gst_structure_take_value (s, name, &array);
}

/* The quantizer of a component's block at (x, y) of its plane. */
static gint
find_set (const GstBlockDctRegions * regions, const BdctLayout * layout,
    gint c, gint x, gint y)
{
  const BdctComponentJob *job = &regions->job[0].component[c];
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, layout, &regions->job[0]);
  return regions->quantizer_map[grid[c].first
      + (gsize) (y >> job->log2_height) * grid[c].columns
      + (x >> job->log2_width)];
}

/* log2 of the side of luma's block at (x, y) that a tree chose. The trees are
 * computed again from the frame and its parameters. 0 without memory. */
static gint
find_size (const BdctImage * image, const BdctLayout * layout,
    const GstBlockDctRegions * regions, const BdctJob * job, gint x, gint y)
{
  const BdctEngineOptions options = { 0 };
  BdctFrame frame = {.quantizers = job,.n_quantizers = 1,.src = *image };
  BdctEngine *engine = bdct_cpu_engine.create (&options, NULL);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gint log2_size = 0;

  frame.n_blocks = bdct_blocks_init (grid, layout, job);
  frame.sizes = g_try_malloc (frame.n_blocks);
  if (regions != NULL) {
    frame.quantizers = regions->job;
    frame.n_quantizers = regions->n_quantizers;
    frame.quantizer_map = regions->quantizer_map;
  }
  if (frame.sizes != NULL && engine != NULL
      && bdct_cpu_engine.configure (engine, layout, 1, NULL)
      && bdct_cpu_engine.submit (engine, &frame, NULL)
      && bdct_cpu_engine.collect (engine, NULL, NULL))
    log2_size = frame.sizes[(gsize) (y >> job->tree.min_log2)
        * grid[BDCT_Y].columns + (x >> job->tree.min_log2)];
  if (engine != NULL)
    bdct_cpu_engine.destroy (engine);
  g_free (frame.sizes);
  return log2_size;
}

/* Add a component's block at (x, y) of luma; `log2_size` above 0 is the size
 * that a tree chose for luma. */
static void
add_block (GstStructure * s, const BdctImage * image,
    const BdctLayout * layout, const GstBlockDctRegions * regions,
    const BdctJob * job, gint log2_size, gint c, gint x, gint y)
{
  const BlockNames *names = &block_names[c];
  gint n, size = log2_size > 0 ? 1 << bdct_quadtree_log2 (layout->chroma, c,
      log2_size) : 1 << job->component[c].log2_width;
  BdctBlock block;
  BdctJob own;

  x >>= bdct_layout_sub_x (layout, c);
  y >>= bdct_layout_sub_y (layout, c);
  read_block (image, layout, c, size, &x, &y, block.sample);
  if (regions != NULL)
    job = &regions->job[find_set (regions, layout, c, x, y)];
  if (log2_size > 0) {
    bdct_job_of_size (&own, job, log2_size);
    job = &own;
  }
  bdct_block_run (&block, job, c);
  n = size * size;
  gst_structure_set (s, names->x, G_TYPE_INT, x, names->y, G_TYPE_INT, y,
      names->size, G_TYPE_INT, size, NULL);
  set_ints (s, names->samples, block.sample, n);
  set_doubles (s, names->coefficients, block.coefficient, n);
  set_ints (s, names->levels, block.level, n);
  set_ints (s, names->reconstruction, block.reconstruction, n);
}

/* Describe the blocks at (x, y) of a frame; NULL without memory. */
static GstStructure *
describe_block (const GstBlockDctShown * shown, const BdctImage * image,
    const GstBlockDctRegions * regions, const BdctJob * job, gint x, gint y)
{
  const BdctLayout *layout = &shown->layout;
  gboolean has_qp = bdct_family_has_qp (job->family);
  gint log2_size = 0, setting = has_qp ? shown->params.qp
      : shown->params.quality;
  BdctImage planes;
  guint8 *memory;
  GstStructure *s;

  if (job->tree.max_log2 > 0) {
    log2_size = find_size (image, layout, regions, job, x, y);
    if (log2_size == 0)
      return NULL;
    x &= -(1 << log2_size);
    y &= -(1 << log2_size);
  }
  if (!get_planes (image, layout, &planes, &memory))
    return NULL;
  if (regions != NULL)
    setting = regions->setting[find_set (regions, layout, BDCT_Y, x, y)];
  s = gst_structure_new (GST_BLOCKDCT_NAME "-block",
      "timestamp", G_TYPE_UINT64, shown->times.timestamp,
      "stream-time", G_TYPE_UINT64, shown->times.stream_time,
      "running-time", G_TYPE_UINT64, shown->times.running_time,
      "index", G_TYPE_UINT64, shown->index,
      "transform", G_TYPE_STRING,
      bdct_transform_info (shown->params.transform)->name,
      has_qp ? "qp" : "quality", G_TYPE_INT, setting, NULL);
  for (gint c = 0; c < bdct_layout_components (layout); c++)
    add_block (s, &planes, layout, regions, job, log2_size, c, x, y);
  free (memory);
  return s;
}

GstStructure *
gst_blockdct_block_describe (const GstBlockDctShown * shown, GstBuffer * in,
    gint x, gint y)
{
  GstBlockDctRegions *regions = NULL;
  BdctImage image = { 0 };
  GstVideoFrame mapped;
  GstStructure *s;
  BdctJob job;

  if (!bdct_job_init (&job, &shown->params, &shown->layout, NULL)
      || !gst_video_frame_map (&mapped, &shown->info, in, GST_MAP_READ))
    return NULL;
  for (gint p = 0; p < bdct_image_planes (&shown->layout); p++) {
    image.data[p] = GST_VIDEO_FRAME_PLANE_DATA (&mapped, p);
    image.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE (&mapped, p);
  }
  if (gst_blockdct_regions_find (&regions, NULL, in, &shown->params,
          &shown->layout) == 0)
    gst_blockdct_regions_clear (&regions);
  s = describe_block (shown, &image, regions, &job, x, y);
  gst_blockdct_regions_clear (&regions);
  gst_video_frame_unmap (&mapped);
  return s;
}
