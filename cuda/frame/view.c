/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view.h"

static bool
place (BdctSlot * slot, BdctStaging * staging, BdctStagedPlanes which,
    BdctImage * image, BdctError * error)
{
  return bdct_staging_planes (staging, slot->ring_index, which, image, error);
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

/* Have the images that a frame goes through. */
static bool
place_images (BdctSlot * slot, BdctStaging * staging, const BdctFrame * frame,
    BdctSlotView * view, BdctError * error)
{
  const bool compared = frame->metrics != 0;    /* with a reconstruction */
  const bool levels = view->view->mode == BDCT_VIEW_COEFFICIENTS;

  slot->planes = slot->src.image;
  slot->colour = (BdctCudaColour) {.layout = staging->layout,
    .src = slot->src.image,.dst = view->drawn
  };
  if (bdct_slot_splits (slot))
    return place_planes (slot, staging, levels, compared, compared
        || slot->viewed || frame->rate || frame->n_trials > 0 || slot->keeps,
        view, error);
  if (!slot->viewed)
    view->rec = view->drawn;
  else if ((levels || view->view->mode == BDCT_VIEW_RECONSTRUCTION)
      && !bdct_staging_scratch (staging, &slot->scratch,
          levels ? &view->levels : &view->rec, error))
    return false;
  return !compared || view->rec.data[0] != NULL
      || bdct_staging_scratch (staging, &slot->compared, &view->rec, error);
}

/* What a tree's blocks are as large as, where it is asked for or looked at. */
static bool
place_sizes (BdctSlot * slot, const BdctStaging * staging,
    const BdctView * view, BdctError * error)
{
  const bool looks = slot->viewed
      && (view->grid || view->mode == BDCT_VIEW_SIZE_MAP);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  slot->rd.sizes = NULL;
  if (!bdct_job_is_tree (slot->quantizers) || (slot->asked_sizes == NULL
          && !looks))
    return true;
  bdct_blocks_init (grid, &staging->layout, slot->quantizers);
  slot->n_sizes = (size_t) grid[BDCT_Y].columns * grid[BDCT_Y].rows;
  if (!bdct_buffer_reserve (&slot->sizes, slot->n_sizes,
          slot->asked_sizes != NULL, staging->engine, error))
    return false;
  slot->rd.sizes = slot->sizes.device;
  return true;
}

bool
bdct_slot_view_place (BdctSlot * slot, BdctStaging * staging,
    const BdctFrame * frame, BdctSlotView * view, BdctError * error)
{
  static const BdctView plain = BDCT_VIEW_DEFAULT;

  *view = (BdctSlotView) {.view = frame->view != NULL ? frame->view : &plain,
    .drawn = slot->dst.image
  };
  slot->viewed = !bdct_view_is_plain (view->view);
  if (!place_images (slot, staging, frame, view, error)
      || !place_sizes (slot, staging, view->view, error))
    return false;
  slot->rec = view->rec;
  return true;
}

void
bdct_slot_view_describe (BdctSlot * slot, const BdctLayout * layout,
    const BdctSlotView * view, const BdctBlockRecord * records,
    const uint8_t * quantizers)
{
  const BdctRenderPicture rec = {.job = slot->quantizers,
    .image = view->levels.data[0] != NULL ? view->levels : view->rec,
    .sizes = slot->rd.sizes
  };

  if (slot->viewed)
    bdct_render_init (&slot->render, view->view, layout, &slot->planes, &rec,
        &view->drawn, records, quantizers, NULL);
}
