/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes tasks and stages from a comparison's plan: a task for each distorted
 * picture; no picture has to be made. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "render.h"

/* Picture `i` as an image of the engine's layout; planes that have to be
 * packed lie in the frame's memory. */
static bool
prepare_picture (const CpuEngine * self, CpuFrame * frame, int i,
    const BdctPicture * picture, BdctImage * image)
{
  const BdctLayout *layout = &self->layout;
  CpuPicture *own = &frame->picture[i];
  BdctImage packed;

  own->image = picture->image;
  bdct_picture_arrange (picture, layout, image);
  if (!frame->plan.packed[i] || layout->rgb.n_planes > 0)
    return true;
  if (!bdct_cpu_alloc_image (layout, true,
          &frame->memory.image[BDCT_PLAN_PLANES + i], &packed))
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    own->in_place[p] = image->data[p] != NULL;
    if (own->in_place[p])
      continue;
    image->data[p] = packed.data[p];
    image->stride[p] = packed.stride[p];
  }
  for (int c = 0; c < bdct_layout_components (layout); c++)
    own->component[c] = bdct_picture_component (picture, layout, c);
  return true;
}

/* Allocate the map that a view shows, if it shows one, with room for the
 * finest; it is made from luma of both pictures. */
static bool
prepare_map (const CpuEngine * self, CpuFrame * frame)
{
  const BdctPlaneLayout *luma = &self->layout.plane[0];
  const BdctMetricsTask what = {
    .layout = &self->layout,
    .src = frame->image[BDCT_PLAN_PLANES + frame->plan.view.left],
    .rec = frame->image[BDCT_PLAN_PLANES + frame->plan.view.right],
  };
  CpuMemory *memory = &frame->memory;

  if (bdct_view_metric (frame->plan.view.view.mode) < 0)
    return true;
  if (memory->map == NULL)
    memory->map = malloc (sizeof *memory->map * (luma->width / 4 + 1)
        * (luma->height / 4 + 1));
  bdct_metrics_describe (&frame->mapped, &what, 0, 0);
  return memory->map != NULL;
}

/* The view at 1:1. Other bytes of pixels of R, G and B are those of the
 * right picture. */
static bool
prepare_drawing (const CpuEngine * self, CpuFrame * frame,
    const BdctImage * dst)
{
  const BdctLayout *layout = &self->layout;
  const BdctPlanView *view = &frame->plan.view;
  const BdctImage *image = frame->image;
  CpuMemory *memory = &frame->memory;
  const BdctRenderPicture rec = {
    .job = &self->compared,
    .image = image[BDCT_PLAN_PLANES + view->right],
  };

  if (frame->plan.blocks.records)
    memory->records = bdct_cpu_alloc_by_block (self, memory->records,
        sizeof *memory->records);
  if ((frame->plan.blocks.records && memory->records == NULL)
      || !prepare_map (self, frame))
    return false;
  bdct_render_init (&frame->render, &view->view, layout,
      &image[BDCT_PLAN_PLANES + view->left], &rec, &image[BDCT_PLAN_VIEW],
      memory->records, NULL, memory->map);
  frame->colour = (BdctColour) {
    .layout = layout,
    .src = frame->picture[view->right].image,
    .rec = image[BDCT_PLAN_VIEW],
    .dst = image[BDCT_PLAN_BASE].data[0] != NULL ? image[BDCT_PLAN_BASE]
        : *dst,
  };
  return true;
}

/* The source of an enlarged view: the view at 1:1, or the pictures
 * themselves; for R, G and B, the caller's. */
static void
prepare_zoom (const CpuEngine * self, CpuFrame * frame, const BdctImage * dst)
{
  const bool rgb = self->layout.rgb.n_planes > 0;
  const BdctPlanView *view = &frame->plan.view;
  const BdctImage *planes = &frame->image[BDCT_PLAN_PLANES];
  const BdctRenderPicture of = {
    .job = &self->compared,
    .image = view->drawn ? frame->image[BDCT_PLAN_BASE]
        : rgb ? frame->picture[view->right].image : planes[view->right],
  };

  bdct_zoom_init (&frame->zoom, &view->zoomed, &self->layout,
      rgb ? &frame->picture[view->left].image : &planes[view->left], &of, dst);
}

bool
bdct_cpu_prepare_comparison (CpuEngine * self, CpuFrame * frame,
    const BdctComparison * comparison)
{
  const BdctPlan *plan = &frame->plan;
  const BdctImage *image = frame->image;
  BdctImage arranged[1 + BDCT_MAX_DISTORTED];

  for (int i = 0; i <= plan->n_distorted; i++)
    if (!prepare_picture (self, frame, i, bdct_comparison_picture (comparison,
                i - 1), &arranged[i]))
      return false;
  if (!bdct_cpu_prepare_images (self, frame, arranged, &comparison->dst))
    return false;
  for (int i = 0; i < plan->n_distorted; i++) {
    if (bdct_cpu_prepare_task (frame, i, &self->compared) == NULL)
      return false;
    bdct_cpu_start_task (self, frame, i, &image[BDCT_PLAN_PLANES],
        &image[BDCT_PLAN_PLANES + 1 + i]);
  }
  if (!bdct_cpu_prepare_metrics (self, frame)
      || (plan->view.drawn && !prepare_drawing (self, frame,
              &comparison->dst)))
    return false;
  if (plan->view.enlarged)
    prepare_zoom (self, frame, &comparison->dst);
  bdct_cpu_make_stages (self, frame);
  return true;
}
