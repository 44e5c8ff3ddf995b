/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctprivate.h"

#include <math.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_blockdct_debug

/* A block that belongs to no region yet. */
#define NO_SET 0xff

/* Each is posted once. */
typedef enum
{
  WARNED_OUTSIDE, WARNED_EMPTY, WARNED_MATRIX, WARNED_QUALITY, WARNED_RANGE,
  WARNED_FIELDS, WARNED_TOO_MANY
} Warning;

static gboolean
is_new (GstBlockDctRegions * regions, Warning what)
{
  guint bit = 1u << what;

  if (regions->element == NULL || regions->warned & bit)
    return FALSE;
  regions->warned |= bit;
  return TRUE;
}

/* The quality whose scale is nearest to 2^(delta_qp / 6) times that of
 * `quality`; of two the lower one. */
static gint
scale_quality (gint quality, gint delta_qp)
{
  gdouble scale = gst_blockdct_curve_scale (quality) * exp2 (delta_qp / 6.0);
  gint nearest = 1;

  for (gint q = 2; q <= 100; q++)
    if (fabs (gst_blockdct_curve_scale (q) - scale)
        < fabs (gst_blockdct_curve_scale (nearest) - scale))
      nearest = q;
  return nearest;
}

static gboolean
has_qp (const BdctParams * params)
{
  return bdct_transform_info (params->transform)->has_qp;
}

gdouble
gst_blockdct_regions_delta_qp (const GstBlockDctRegions * regions, gint set)
{
  if (regions->has_qp)
    return regions->setting[set] - regions->setting[0];
  return 6 * log2 ((gdouble) gst_blockdct_curve_scale (regions->setting[set])
      / gst_blockdct_curve_scale (regions->setting[0]));
}

/* The structure that addresses a region to blockdct; NULL: there is none. */
static const GstStructure *
find_structure (GstVideoRegionOfInterestMeta * meta)
{
  static const gchar *const names[] = {
    "roi/blockdct", "roi/x264enc", "roi/msdk", "roi/vaapi"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstStructure *s =
        gst_video_region_of_interest_meta_get_param (meta, names[i]);

    if (s != NULL)
      return s;
  }
  return NULL;
}

/* The quality or QP of a structure; -1: none. */
static gint
get_setting (GstBlockDctRegions * regions, const GstStructure * s)
{
  GstElement *element = regions->element;
  const BdctParams *params = regions->params;
  gint delta, quality;
  gboolean has_delta = gst_structure_get_int (s, "delta-qp", &delta);
  gboolean has_quality = gst_structure_has_name (s, "roi/blockdct")
      && gst_structure_get_int (s, "quality", &quality);

  if (has_quality && !has_qp (params)) {
    if ((quality < 1 || quality > 100)
        && is_new (regions, WARNED_RANGE))
      GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
          ("A region's quality %d is outside 1 to 100.", quality),
          ("The nearest quality in this range is used."));
    return CLAMP (quality, 1, 100);
  }
  if (has_delta) {
    /* The whole range, without an overflow. */
    delta = CLAMP (delta, -100, 100);
    return has_qp (params) ? CLAMP (params->qp + delta, 0, 51)
        : scale_quality (params->quality, delta);
  }
  if (has_quality) {
    if (is_new (regions, WARNED_QUALITY))
      GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
          ("A region's quality has no effect with transform=%s.",
              bdct_transform_info (params->transform)->name),
          ("It has no quality: give the region a delta-qp, too."));
  } else if (is_new (regions, WARNED_FIELDS)) {
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("A region has no effect: %s has no usable field.",
            gst_structure_get_name (s)),
        ("It needs an int delta-qp or, in roi/blockdct, an int quality."));
  }
  return -1;
}

/* The part of a region that is inside the picture; FALSE: there is none. */
static gboolean
clip (GstBlockDctRegions * regions,
    const GstVideoRegionOfInterestMeta * meta, GstVideoRectangle * rectangle)
{
  const BdctPlaneLayout *luma = &regions->layout->plane[0];
  const guint width = luma->width, height = luma->height;
  const gboolean empty = meta->w == 0 || meta->h == 0;

  if (empty || meta->x >= width || meta->y >= height) {
    if (is_new (regions, empty ? WARNED_EMPTY : WARNED_OUTSIDE)) {
      g_autofree gchar *outside =
          g_strdup_printf ("outside the picture of %ux%u", width, height);

      GST_ELEMENT_WARNING (regions->element, STREAM, FORMAT,
          ("A region of %ux%u at (%u, %u) has no effect: it is %s.", meta->w,
              meta->h, meta->x, meta->y, empty ? "empty" : outside), (NULL));
    }
    return FALSE;
  }
  rectangle->x = meta->x;
  rectangle->y = meta->y;
  rectangle->w = MIN (meta->w, width - meta->x);
  rectangle->h = MIN (meta->h, height - meta->y);
  return TRUE;
}

/* The quantizer with this setting or, if there is no room for another, with
 * the nearest one. */
static gint
find_set (GstBlockDctRegions * regions, gint setting)
{
  gint nearest = 0;

  for (gint i = 1; i < regions->n_quantizers; i++)
    if (ABS (regions->setting[i] - setting)
        < ABS (regions->setting[nearest] - setting))
      nearest = i;
  if (regions->setting[nearest] == setting)
    return nearest;
  if (regions->n_quantizers == BDCT_MAX_QUANTIZERS) {
    if (is_new (regions, WARNED_TOO_MANY))
      GST_ELEMENT_WARNING (regions->element, LIBRARY, SETTINGS,
          ("The regions of a frame have more than %d settings: %d is used in "
              "place of %d.", BDCT_MAX_QUANTIZERS - 1,
              regions->setting[nearest],
              setting), ("In every frame, settings after the first %d are "
              "replaced by the nearest of these.", BDCT_MAX_QUANTIZERS - 1));
    return nearest;
  }
  regions->setting[regions->n_quantizers] = setting;
  return regions->n_quantizers++;
}

/* Called at the first region: start with the frame's own quantizer alone. */
static void
begin (GstBlockDctRegions * regions)
{
  const BdctParams *params = regions->params;

  regions->has_qp = has_qp (params);
  regions->setting[0] = regions->has_qp ? params->qp : params->quality;
  regions->n_quantizers = 1;
  regions->n_blocks = regions->info->n_blocks;
  if (regions->room < regions->n_blocks) {
    g_free (regions->quantizer_map);
    regions->quantizer_map = g_malloc (regions->n_blocks);
    regions->room = regions->n_blocks;
  }
  memset (regions->quantizer_map, NO_SET, regions->n_blocks);
}

/* Assign a quantizer to all unassigned blocks that a rectangle touches. */
static void
mark (GstBlockDctRegions * regions, const GstVideoRectangle * r, guint8 set)
{
  const BdctLayout *layout = regions->layout;
  const BdctJobInfo *info = regions->info;

  for (gint c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    const BdctBlockGrid *grid = &info->grid[c];
    const gboolean half_width = c > 0 && (layout->chroma == BDCT_CHROMA_420
        || layout->chroma == BDCT_CHROMA_422);
    const gboolean half_height = c > 0 && (layout->chroma == BDCT_CHROMA_420
        || layout->chroma == BDCT_CHROMA_440);
    gint across = info->log2_width[c] + half_width;
    gint down = info->log2_height[c] + half_height;

    if (grid->columns == 0)
      continue;
    for (gint y = r->y >> down; y <= (r->y + r->h - 1) >> down; y++) {
      guint8 *row = regions->quantizer_map + grid->first
          + (gsize) y * grid->columns;

      for (gint x = r->x >> across; x <= (r->x + r->w - 1) >> across; x++)
        if (row[x] == NO_SET)
          row[x] = set;
    }
  }
}

/* Add a region that is addressed to blockdct, if it has an effect. */
static void
add_region (GstBlockDctRegions * regions,
    const GstVideoRegionOfInterestMeta * meta, const GstStructure * s)
{
  GstVideoRectangle r;
  gint setting;

  if (!gst_blockdct_curve_is_possible (regions->params)) {
    if (is_new (regions, WARNED_MATRIX))
      GST_ELEMENT_WARNING (regions->element, LIBRARY, SETTINGS,
          ("Regions have no effect with %s.",
              gst_blockdct_curve_name_steps (regions->params)),
          ("They work by choosing a quality, but these steps do not depend on "
              "quality."));
    return;
  }
  if (!clip (regions, meta, &r))
    return;
  setting = get_setting (regions, s);
  if (setting < 0)
    return;
  if (regions->n++ == 0)
    begin (regions);
  mark (regions, &r, find_set (regions, setting));
}

/* Make the jobs of a frame's quantizers. If memory is short, the frame has
 * no regions. */
static void
make_jobs (GstBlockDctRegions * regions)
{
  BdctParams all[BDCT_MAX_QUANTIZERS];
  BdctError error;

  for (gint i = 0; i < regions->n_quantizers; i++) {
    all[i] = *regions->params;
    *(regions->has_qp ? &all[i].qp : &all[i].quality) = regions->setting[i];
  }
  bdct_jobs_free (regions->jobs);
  regions->jobs = bdct_jobs_new (all, regions->n_quantizers, regions->layout,
      &error);
  if (regions->jobs != NULL)
    return;
  regions->n = 0;
  if (regions->element != NULL)
    GST_ELEMENT_WARNING (regions->element, RESOURCE, NO_SPACE_LEFT,
        ("The regions of a frame are ignored."), ("%s", error.message));
}

guint
gst_blockdct_regions_find (GstBlockDctRegions ** regions, GstElement * element,
    GstBuffer * buffer, const BdctParams * params, const BdctLayout * layout,
    const BdctJobInfo * info)
{
  GstBlockDctRegions *self = *regions;
  gpointer state = NULL;
  GstMeta *meta;

  if (self != NULL)
    self->n = 0;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    const GstStructure *s = find_structure (roi);

    if (s == NULL) {
      GST_DEBUG_OBJECT (element, "a region is for others");
      continue;
    }
    if (self == NULL)
      *regions = self = g_new0 (GstBlockDctRegions, 1);
    self->element = element;
    self->params = params;
    self->layout = layout;
    self->info = info;
    add_region (self, roi, s);
  }
  if (self == NULL || self->n == 0)
    return 0;
  for (gsize i = 0; i < self->n_blocks; i++)
    if (self->quantizer_map[i] == NO_SET)
      self->quantizer_map[i] = 0;
  make_jobs (self);
  return self->n;
}

void
gst_blockdct_regions_clear (GstBlockDctRegions ** regions)
{
  if (*regions != NULL) {
    bdct_jobs_free ((*regions)->jobs);
    g_free ((*regions)->quantizer_map);
  }
  g_clear_pointer (regions, g_free);
}
