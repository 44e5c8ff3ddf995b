/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares a comparison from its plan, with a task for each distorted picture,
 * and does the steps that only comparisons have. */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include "dct/base/min.h"
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
  if (!bdct_image_alloc (layout, true,
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
  const BdctMetricsInput what = {
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
  BdctImage arranged[1 + BDCT_MAX_DISTORTED];

  for (int i = 0; i <= plan->n_distorted; i++)
    if (!prepare_picture (self, frame, i, bdct_comparison_picture (comparison,
                i - 1), &arranged[i]))
      return false;
  if (!bdct_cpu_prepare_images (self, frame, arranged, &comparison->dst))
    return false;
  for (int i = 0; i < plan->n_distorted; i++)
    if (!bdct_cpu_start_task (self, frame, i, &self->compared))
      return false;
  if ((plan->metrics.wanted != 0 && !bdct_cpu_prepare_metrics (self, frame))
      || (plan->view.drawn && !prepare_drawing (self, frame,
              &comparison->dst)))
    return false;
  if (plan->view.enlarged)
    prepare_zoom (self, frame, &comparison->dst);
  return true;
}

/* The strips of this many rows that a plane has. */
static int
count_strips (const BdctPlaneLayout * plane, int rows)
{
  return (plane->height + rows - 1) / rows;
}

/* Those of all planes or, of rows of blocks, of all components. */
static int
count_all (const BdctLayout * layout, int rows)
{
  int n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += count_strips (&layout->plane[p], rows)
        * (rows == 8 ? layout->plane[p].interleave : 1);
  return n;
}

/* The plane of strip `*number` of all; `*number` becomes the strip's number in
 * that plane. */
static int
find_strip (const BdctLayout * layout, int *number, int rows)
{
  int p = 0, n;

  for (; *number >= (n = count_strips (&layout->plane[p], rows)
          * (rows == 8 ? layout->plane[p].interleave : 1)); p++)
    *number -= n;
  return p;
}

int
bdct_cpu_count_records (const CpuEngine * self, const CpuFrame * frame,
    int part)
{
  return count_all (&self->layout, 8);
}

static uint8_t *
row_of (const BdctImage * image, int p, int y)
{
  return (uint8_t *) image->data[p] + y * image->stride[p];
}

/* The pieces that pack a picture. */
static int
count_pack (const BdctLayout * layout)
{
  return layout->rgb.n_planes > 0 ? bdct_colour_count_strips (layout)
      : count_all (layout, BDCT_COMPARE_STRIP);
}

int
bdct_cpu_count_packed (const CpuEngine * self, const CpuFrame * frame, int part)
{
  int n = 0;

  for (int i = 0; i <= frame->plan.n_distorted; i++)
    n += frame->plan.packed[i];
  return n * count_pack (&self->layout);
}

int
bdct_cpu_count_errors (const CpuEngine * self, const CpuFrame * frame, int part)
{
  const BdctLayout *layout = &self->layout;

  return count_all (layout, BDCT_COMPARE_STRIP) + (layout->rgb.n_planes > 0
      ? count_strips (&layout->plane[0], BDCT_COMPARE_STRIP) : 0);
}

void
bdct_cpu_pack (CpuEngine * self, Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  const BdctLayout *layout = &self->layout;
  const int n = count_pack (layout);
  const BdctImage *to = &frame->image[BDCT_PLAN_PLANES];
  const CpuPicture *picture;
  BdctMetricPlane from[2];
  const BdctPlaneLayout *plane;
  int number = piece->number, i = 0, p, first;

  for (; !frame->plan.packed[i] || number >= n; i++)
    number -= frame->plan.packed[i] ? n : 0;
  picture = &frame->picture[i];
  if (layout->rgb.n_planes > 0) {
    const BdctColour colour = {.layout = layout,.src = picture->image,
      .planes = to[i]
    };

    self->kernel->colour->rgb_to_planes (&colour, number);
    return;
  }
  p = find_strip (layout, &number, BDCT_COMPARE_STRIP);
  if (picture->in_place[p])
    return;
  plane = &layout->plane[p];
  for (int k = 0; k < plane->interleave; k++) {
    const BdctScattered *of = &picture->component[plane->component[k]];

    from[k] = (BdctMetricPlane) {
      .depth = layout->depth,
      .step = of->step,
      .shift = of->shift,
      .src = of->samples,
    };
  }
  first = number * BDCT_COMPARE_STRIP;
  for (int y = first; y < bdct_min (first + BDCT_COMPARE_STRIP, plane->height);
      y++)
    self->kernel->compare->pack (plane, from, y, row_of (&to[i], p, y));
}

/* Rows of R, G and B. */
static void
square_rgb (const CpuEngine * self, int number, Piece * piece)
{
  const CpuPicture *picture = piece->frame->picture;
  const int n = piece->frame->plan.n_distorted;
  const int first = number * BDCT_COMPARE_STRIP;
  const int end = bdct_min (first + BDCT_COMPARE_STRIP,
      self->layout.plane[0].height);

  memset (piece->rgb_sse, 0, sizeof piece->rgb_sse);
  for (int y = first; y < end; y++)
    for (int k = 0; k < n; k++)
      self->kernel->compare->square_rgb (&self->layout, &picture[0].image,
          &picture[1 + k].image, y, piece->rgb_sse[k]);
  piece->n_rgb = n;
}

/* A row of the reference meets all pictures while it is in the cache. */
void
bdct_cpu_square (CpuEngine * self, Piece * piece)
{
  const BdctImage *image = &piece->frame->image[BDCT_PLAN_PLANES];
  const int n = piece->frame->plan.n_distorted;
  const int n_strips = count_all (&self->layout, BDCT_COMPARE_STRIP);
  uint64_t sse[BDCT_MAX_DISTORTED][2] = { {0} };
  const BdctPlaneLayout *plane;
  int number = piece->number, p, first;

  if (number >= n_strips) {
    square_rgb (self, number - n_strips, piece);
    return;
  }
  p = find_strip (&self->layout, &number, BDCT_COMPARE_STRIP);
  plane = &self->layout.plane[p];
  first = number * BDCT_COMPARE_STRIP;
  for (int y = first; y < bdct_min (first + BDCT_COMPARE_STRIP, plane->height);
      y++)
    for (int k = 0; k < n; k++)
      self->kernel->compare->square (plane, self->layout.depth,
          row_of (&image[0], p, y), row_of (&image[1 + k], p, y), sse[k]);
  piece->n_distorted = n;
  memset (piece->sse, 0, sizeof piece->sse);
  for (int i = 0; i < plane->interleave; i++)
    for (int k = 0; k < n; k++)
      piece->sse[k][plane->component[i]] = sse[k][i];
}

void
bdct_cpu_make_records (CpuEngine * self, Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  const BdctLayout *layout = &self->layout;
  const BdctImage *image = &frame->image[BDCT_PLAN_PLANES];
  const BdctMetricsInput task = {
    .layout = layout,
    .src = image[frame->plan.view.left],
    .rec = image[frame->plan.view.right],
  };
  const BdctBlockGrid *grid = frame->plan.blocks.grid;
  BdctMetricPlane plane;
  int number = piece->number, p, i, rows;

  p = find_strip (layout, &number, 8);
  rows = count_strips (&layout->plane[p], 8);
  i = number / rows;
  number %= rows;
  bdct_metrics_describe (&plane, &task, p, i);
  self->kernel->compare->blocks (&plane, number, frame->memory.records
      + grid[plane.component].first
      + (size_t) number * grid[plane.component].columns);
}

static BdctMetricMap
get_map (const CpuFrame * frame)
{
  return bdct_metric_map (bdct_view_metric (frame->plan.view.view.mode),
      frame->mapped.width, frame->mapped.height);
}

int
bdct_cpu_count_map (const CpuEngine * self, const CpuFrame * frame, int part)
{
  return get_map (frame).rows;
}

void
bdct_cpu_work_on_map (CpuEngine * self, Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  const int metric = bdct_view_metric (frame->plan.view.view.mode);

  (*self->kernel->metrics)[metric]->map (&frame->mapped, piece->number,
      frame->memory.map + (size_t) piece->number * get_map (frame).columns,
      bdct_cpu_scratch (self, piece));
}
