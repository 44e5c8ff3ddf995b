/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons on the CPU engine: a frame of one batch, with a pass for each
 * distorted picture, which is there already. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "render.h"

/* Have picture `i` as planes of the engine's layout, in memory of the slot's
 * where they have to be made first. */
static bool
prepare_picture (const CpuEngine * self, CpuComparison * to, int i,
    const BdctPicture * picture)
{
  const BdctLayout *layout = &self->layout;
  CpuPicture *own = &to->picture[i];
  BdctImage packed;

  own->image = picture->image;
  own->packs = bdct_picture_arrange (picture, layout, &own->planes);
  if (layout->rgb.n_planes > 0) {
    own->packs = true;
    return bdct_colour_image (layout, &own->memory, &own->planes);
  }
  if (!own->packs)
    return true;
  if (!bdct_cpu_own_image (self, &own->memory, &packed))
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    own->in_place[p] = own->planes.data[p] != NULL;
    if (own->in_place[p])
      continue;
    own->planes.data[p] = packed.data[p];
    own->planes.stride[p] = packed.stride[p];
  }
  for (int c = 0; c < bdct_layout_components (layout); c++)
    own->component[c] = bdct_picture_component (picture, layout, c);
  return true;
}

/* Pieces of a stage for those pictures that need it. */
static int
count_pictures (const CpuComparison * self)
{
  int n = 0;

  for (int i = 0; i <= self->n; i++)
    n += self->picture[i].packs;
  return n;
}

/* Have memory for the map that a view shows, if it is one, and describe what it
 * is of: luma of both pictures. */
static bool
prepare_map (const CpuEngine * self, CpuComparison * to, BdctViewMode mode)
{
  const BdctPlaneLayout *luma = &self->layout.plane[0];
  const BdctMetricsTask task = {
    .layout = &self->layout,
    .job = &self->compared,
    .src = to->picture[to->left].planes,
    .rec = to->picture[to->right].planes,
  };
  const int metric = bdct_view_metric (mode);
  void *memory = to->seen.memory;

  to->map = (BdctMetricMap) { 0 };
  if (metric < 0)
    return true;
  to->map = bdct_metric_map (metric, luma->width, luma->height);
  /* As much as the finest has. */
  if (memory == NULL)
    memory = malloc (sizeof (uint32_t) * (luma->width / 4 + 1)
        * (luma->height / 4 + 1));
  bdct_metrics_describe (&to->seen, &task, 0, 0);
  to->seen.memory = memory;
  return memory != NULL;
}

/* Have the passes, one for each distorted picture, in one batch. */
static bool
prepare_passes (CpuEngine * self, Slot * slot,
    const BdctComparison * comparison)
{
  const BdctLayout *layout = &self->layout;
  const CpuPicture *picture = slot->comparison.picture;

  slot->rate = false;
  slot->n_trials = comparison->n_distorted - 1;
  for (int i = 0; i < comparison->n_distorted; i++) {
    Pass *pass;

    if (!bdct_cpu_prepare_pass (slot, i == 0 ? 0 : BDCT_MAX_QUANTIZERS - 1 + i,
            &self->compared))
      return false;
    pass = bdct_cpu_pass (slot, i);
    pass->sizes = NULL;
    bdct_cpu_start_pass (self, pass, &picture[0].planes,
        &picture[1 + i].planes);
    memset (&pass->stats, 0, sizeof pass->stats);
    bdct_engine_count (layout, NULL, &pass->stats);
    for (int k = 0; comparison->errors && layout->rgb.n_planes > 0 && k < 3;
        k++)
      pass->stats.rgb[k].samples = pass->stats.component[BDCT_Y].samples;
  }
  bdct_cpu_make_batches (slot);
  return true;
}

/* The first stages: what makes planes, luma that is kept, errors, metrics. */
static void
make_stages (const CpuEngine * self, Slot * slot,
    const BdctComparison * comparison)
{
  const BdctLayout *layout = &self->layout;
  const int n_packed = count_pictures (&slot->comparison);
  const int n_kept = bdct_cpu_count_kept (self, slot);

  bdct_cpu_start_stages (slot);
  if (n_packed > 0)
    bdct_cpu_add_stage (slot, STAGE_PACK, 0)->n_pieces =
        n_packed * bdct_cpu_count_packed (layout);
  if (n_kept > 0) {
    bdct_cpu_add_stage (slot, STAGE_KEEP, 0)->n_pieces = n_kept;
    slot->kept_stage = slot->n_stages;
  }
  if (comparison->errors)
    bdct_cpu_add_stage (slot, STAGE_ERRORS, 0)->n_pieces =
        bdct_cpu_count_errors (layout);
  bdct_cpu_add_metrics (slot, 0);
}

/* The stages that draw a view at 1:1. What is computed is computed of planes,
 * which become R, G and B where the layout has these; what else is in a pixel
 * is that of the right picture's. */
static bool
draw (CpuEngine * self, Slot * slot, const BdctView * view,
    const BdctImage * dst)
{
  const BdctLayout *layout = &self->layout;
  const bool colour = layout->rgb.n_planes > 0;
  CpuComparison *comparison = &slot->comparison;
  const CpuPicture *left = &comparison->picture[comparison->left];
  const CpuPicture *right = &comparison->picture[comparison->right];
  const BdctRenderPicture rec = {
    .job = &self->compared,
    .image = right->planes,
  };
  BdctImage planes = *dst;

  if (colour && !bdct_colour_image (layout, &slot->shown, &planes))
    return false;
  if (view->mode == BDCT_VIEW_ERROR_MAP) {
    slot->blocks = bdct_cpu_alloc_by_block (self, slot->blocks,
        sizeof *slot->blocks);
    if (slot->blocks == NULL)
      return false;
    bdct_cpu_add_stage (slot, STAGE_BLOCKS, 0)->n_pieces =
        bdct_cpu_count_block_rows (layout);
  }
  if (!prepare_map (self, comparison, view->mode))
    return false;
  if (comparison->map.rows > 0)
    bdct_cpu_add_stage (slot, STAGE_MAP, 0)->n_pieces = comparison->map.rows;
  bdct_render_init (&slot->render, view, layout, &left->planes, &rec, &planes,
      slot->blocks, NULL, comparison->seen.memory);
  bdct_cpu_add_stage (slot, STAGE_VIEW, 0)->n_pieces =
      bdct_render_count_strips (layout);
  if (colour) {
    slot->colour = (BdctColour) {
      .layout = layout,
      .src = right->image,
      .rec = planes,
      .dst = *dst,
    };
    bdct_cpu_add_stage (slot, STAGE_JOIN_VIEW, 0)->n_pieces =
        bdct_colour_count_strips (layout);
  }
  return true;
}

/* The stages of the view. R, G and B that are copied are those of the images
 * themselves, as an enlarged view copies them. */
static bool
prepare_view (CpuEngine * self, Slot * slot, const BdctComparison * comparison)
{
  const BdctLayout *layout = &self->layout;
  const bool colour = layout->rgb.n_planes > 0;
  const BdctView *view = comparison->view;
  const bool copies = bdct_render_is_copy (view->mode);
  CpuComparison *own = &slot->comparison;
  const CpuPicture *left = &own->picture[own->left];
  const CpuPicture *right = &own->picture[own->right];
  BdctRenderPicture of = {.job = &self->compared };

  if (!bdct_view_is_zoomed (view) && !(colour && copies))
    return draw (self, slot, view, &comparison->dst);
  if (copies) {
    of.image = colour ? right->image : right->planes;
  } else {
    const BdctView base = bdct_zoom_base (view);

    if (!bdct_cpu_lay_out (layout, &own->base, &of.image)
        || !draw (self, slot, &base, &of.image))
      return false;
  }
  bdct_zoom_init (&own->zoom, view, layout, colour ? &left->image
      : &left->planes, &of, &comparison->dst);
  bdct_cpu_add_stage (slot, STAGE_ZOOM, 0)->n_pieces =
      bdct_render_count_strips (layout);
  return true;
}

bool
bdct_cpu_start_comparison (CpuEngine * self, Slot * slot,
    const BdctComparison * comparison, BdctError * error)
{
  CpuComparison *own = &slot->comparison;
  const BdctFrame metrics = {
    .metrics = comparison->metrics,
    .trial_metrics = comparison->metrics,
    .frame_rate = comparison->frame_rate,
    .number = comparison->number,
  };

  own->n = comparison->n_distorted;
  own->left = 1 + comparison->left;
  own->right = 1 + comparison->right;
  for (int i = 0; i <= own->n; i++)
    if (!prepare_picture (self, own, i, bdct_comparison_picture (comparison,
                i - 1)))
      return bdct_error (error, "out of memory");
  if (!prepare_passes (self, slot, comparison)
      || !bdct_cpu_prepare_metrics (self, slot, &metrics,
          &own->picture[0].planes))
    return bdct_error (error, "out of memory");
  make_stages (self, slot, comparison);
  return comparison->view == NULL || prepare_view (self, slot, comparison)
      || bdct_error (error, "out of memory");
}
