/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slot-view.h"

/* Whether a view is made of samples of the reconstruction. */
static bool
takes_samples (BdctViewMode mode)
{
  return mode <= BDCT_VIEW_DIFFERENCE || bdct_view_metric (mode) >= 0;
}

static bool
place (BdctSlot * slot, BdctStaging * staging, BdctStagedPlanes which,
    BdctImage * image, BdctError * error)
{
  return bdct_staging_planes (staging, slot->turn, which, image, error);
}

/* A frame of R, G and B: its planes. They are made again whatever is shown, for
 * the errors of R, G and B; and in their own place, unless they are `read` once
 * more, so that half as much is to stay in the GPU's cache: a pass has read all
 * of a block, which nothing else reads, before it writes. */
static bool
place_planes (BdctSlot * slot, BdctStaging * staging, bool levels,
    bool compared, bool read, BdctSlotView * view, BdctError * error)
{
  BdctCudaColour *colour = &slot->colour;

  if (!place (slot, staging, BDCT_PLANES_SRC, &slot->planes, error)
      || ((compared || bdct_slot_joins (slot)) && !place (slot, staging,
              read ? BDCT_PLANES_REC : BDCT_PLANES_SRC, &view->rec, error))
      || (slot->viewed
          && !place (slot, staging, BDCT_PLANES_SHOWN, &view->drawn, error))
      || (levels && !place (slot, staging, BDCT_PLANES_LEVELS,
              &view->levels, error)))
    return false;
  colour->planes = slot->planes;
  colour->rec = view->rec;
  colour->shown = slot->viewed ? view->drawn : view->rec;
  return true;
}

/* Have the images that a frame goes through; `drawn` is what becomes of it. */
static bool
place_images (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctSlotView * view, BdctError * error)
{
  const bool compared = frame->metrics != 0;    /* with a reconstruction */
  const bool levels = view->view.mode == BDCT_VIEW_COEFFICIENTS;

  slot->planes = slot->src.image;
  slot->colour = (BdctCudaColour) {.layout = staging->layout,
    .src = slot->src.image,.dst = view->drawn
  };
  if (bdct_slot_splits (slot))
    return place_planes (slot, staging, levels, compared, compared
        || slot->viewed || frame->rate || frame->n_others > 0
        || frame->second != NULL || slot->keeps, view, error);
  if (!slot->viewed)
    view->rec = view->drawn;
  else if ((levels || takes_samples (view->view.mode))
      && !bdct_staging_scratch (staging, &slot->scratch,
          levels ? &view->levels : &view->rec, error))
    return false;
  return !compared || view->rec.data[0] != NULL
      || bdct_staging_scratch (staging, &slot->compared, &view->rec, error);
}

/* The second job's picture, where it is looked at. */
static bool
place_second (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctError * error)
{
  slot->b_rec = (BdctImage) { 0 };
  if (frame->second == NULL && slot->b.device != NULL)
    bdct_buffer_free (&slot->b, true);
  if (frame->second == NULL)
    return true;
  if (frame->metrics == 0 && (frame->view == NULL
          || !bdct_view_shows (frame->view, BDCT_SIDE_B)))
    return true;
  return bdct_staging_reserve_picture (staging, &slot->b,
      staging->device->stream, &slot->b_rec, error);
}

/* Where a view is a metric's map, have that, to be made of a reconstruction. */
static bool
place_metric_map (BdctSlot * slot, BdctStaging * staging,
    const BdctSlotView * view, BdctError * error)
{
  const int metric = bdct_view_metric (view->view.mode);
  const BdctMetricsTask task = {.layout = &staging->layout,
    .job = slot->sets,.src = slot->planes,.rec = view->rec
  };
  const BdctPlaneLayout *luma = &staging->layout.plane[0];
  BdctMetricMap map;

  if (metric < 0)
    return true;
  map = bdct_metric_map (metric, luma->width, luma->height);
  if (!bdct_buffer_reserve (&slot->metric_map, sizeof (uint32_t)
          * map.columns * map.rows, false, staging->engine, error))
    return false;
  bdct_metrics_describe (&slot->mapped, &task, 0, 0);
  slot->mapped.memory = slot->metric_map.device;
  return true;
}

/* What a tree's blocks are as large as: how many places there are, and memory
 * for them. */
static bool
reserve_sizes (BdctBuffer * buffer, uint8_t ** sizes, size_t * n,
    const BdctJob * job, bool on_host, const BdctStaging * staging,
    BdctError * error)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, &staging->layout, job);
  *n = (size_t) grid[BDCT_Y].columns * grid[BDCT_Y].rows;
  if (!bdct_buffer_reserve (buffer, *n, on_host, staging->engine, error))
    return false;
  *sizes = buffer->device;
  return true;
}

/* ... where it is asked for or looked at. */
static bool
place_sizes (BdctSlot * slot, const BdctStaging * staging,
    const BdctFrame * frame, BdctError * error)
{
  const bool looks = (slot->viewed || slot->zoomed) && (frame->view->grid
      || frame->view->mode == BDCT_VIEW_SIZE_MAP);
  size_t n;

  slot->apart.sizes = slot->apart.b_sizes = NULL;
  return (!bdct_job_is_tree (slot->sets)
      || (slot->asked_sizes == NULL && !looks)
      || reserve_sizes (&slot->sizes, &slot->apart.sizes, &slot->n_sizes,
          slot->sets, slot->asked_sizes != NULL, staging, error))
      && (frame->second == NULL || !bdct_job_is_tree (frame->second) || !looks
      || reserve_sizes (&slot->b_sizes, &slot->apart.b_sizes, &n,
          frame->second, false, staging, error));
}

/* The last step to a zoomed view, from its base, which is what becomes of the
 * frame before. Of R, G and B, B too has to become pixels; its errors in these
 * are nobody's. */
static bool
plan_zoom (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctError * error)
{
  BdctRenderPicture a = {.job = slot->sets,.image = slot->colour.dst,
    .sizes = slot->apart.sizes };
  BdctRenderPicture b = {.job = frame->second,.image = slot->b_rec,
    .sizes = slot->apart.b_sizes };

  slot->joins_b = bdct_slot_splits (slot)
      && bdct_view_shows (frame->view, BDCT_SIDE_B);
  if (slot->joins_b) {
    if (!bdct_staging_scratch (staging, &slot->base_b, &b.image, error))
      return false;
    slot->colour_b = slot->colour;
    slot->colour_b.rec = slot->colour_b.shown = slot->b_rec;
    slot->colour_b.dst = b.image;
    slot->colour_b.cells = NULL;
  }
  bdct_zoom_init (&slot->zoom, frame->view, &staging->layout, &slot->src.image,
      &a, &b, &slot->dst.image);
  return true;
}

bool
bdct_slot_view_place (BdctSlot * slot, BdctStaging * staging,
    const BdctFrame * frame, BdctSlotView * view, BdctError * error)
{
  static const BdctView plain = BDCT_VIEW_DEFAULT;

  *view = (BdctSlotView) {.view = frame->view != NULL ? *frame->view : plain,
    .drawn = slot->dst.image
  };
  slot->zoomed = bdct_view_is_zoomed (&view->view);
  if (slot->zoomed) {
    if (!bdct_staging_scratch (staging, &slot->base, &view->drawn, error))
      return false;
    view->view = bdct_zoom_base (&view->view);
  }
  slot->viewed = !bdct_view_is_plain (&view->view);
  if (!place_images (slot, staging, frame, view, error)
      || !place_second (slot, staging, frame, error)
      || !place_metric_map (slot, staging, view, error)
      || !place_sizes (slot, staging, frame, error))
    return false;
  slot->rec = view->rec;
  return !slot->zoomed || plan_zoom (slot, staging, frame, error);
}

void
bdct_slot_view_describe (BdctSlot * slot, const BdctLayout * layout,
    const BdctFrame * frame, const BdctSlotView * view,
    const BdctBlockRecord * records, const uint8_t * sets)
{
  const BdctRenderPicture a = {.job = slot->sets,
    .image = view->levels.data[0] != NULL ? view->levels : view->rec,
    .sizes = slot->apart.sizes
  };
  const BdctRenderPicture b = {.job = frame->second,.image = slot->b_rec,
    .sizes = slot->apart.b_sizes
  };

  if (slot->viewed)
    bdct_render_init (&slot->render, &view->view, layout, &slot->planes, &a, &b,
        &view->drawn, records, sets,
        (const uint32_t *) slot->metric_map.device);
}
