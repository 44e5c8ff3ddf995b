/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pieces of comparisons on the CPU engine. */
#include "state.h"
#include "dct/base/min.h"

#include <string.h>

/* The number of strips of a plane, and of all planes. */
static int
count_strips (const BdctPlaneLayout * plane)
{
  return (plane->height + BDCT_COMPARE_STRIP - 1) / BDCT_COMPARE_STRIP;
}

static int
count_all_strips (const BdctLayout * layout)
{
  int n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += count_strips (&layout->plane[p]);
  return n;
}

/* The plane of strip `*number` of all planes; `*number` becomes the strip's
 * number in that plane. */
static int
find_strip (const BdctLayout * layout, int *number)
{
  int p = 0;

  for (; *number >= count_strips (&layout->plane[p]); p++)
    *number -= count_strips (&layout->plane[p]);
  return p;
}

/* Rows of 8 x 8 blocks of the components of a plane of memory. */
static int
count_block_rows (const BdctPlaneLayout * plane)
{
  return plane->interleave * ((plane->height + 7) / 8);
}

int
bdct_cpu_count_block_rows (const BdctLayout * layout)
{
  int n = 0;

  for (int p = 0; p < layout->n_planes; p++)
    n += count_block_rows (&layout->plane[p]);
  return n;
}

static uint8_t *
row_of (const BdctImage * image, int p, int y)
{
  return (uint8_t *) image->data[p] + y * image->stride[p];
}

int
bdct_cpu_count_packed (const BdctLayout * layout)
{
  return layout->rgb.n_planes > 0 ? bdct_colour_count_strips (layout)
      : count_all_strips (layout);
}

int
bdct_cpu_count_errors (const BdctLayout * layout)
{
  return count_all_strips (layout) + (layout->rgb.n_planes > 0
      ? count_strips (&layout->plane[0]) : 0);
}

void
bdct_cpu_pack (const CpuEngine * self, const CpuFrame * frame, int number)
{
  const BdctLayout *layout = &self->layout;
  const int n = bdct_cpu_count_packed (layout);
  const BdctImage *to = &frame->image[BDCT_PLAN_PLANES];
  const CpuPicture *picture;
  BdctMetricPlane from[2];
  const BdctPlaneLayout *plane;
  int i = 0, p, first;

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
  p = find_strip (layout, &number);
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
bdct_cpu_square (const CpuEngine * self, Piece * piece)
{
  const BdctImage *image = &piece->frame->image[BDCT_PLAN_PLANES];
  const int n = piece->frame->plan.n_distorted;
  uint64_t sse[BDCT_MAX_DISTORTED][2] = { {0} };
  const BdctPlaneLayout *plane;
  int number = piece->number, p, first;

  if (number >= count_all_strips (&self->layout)) {
    square_rgb (self, number - count_all_strips (&self->layout), piece);
    return;
  }
  p = find_strip (&self->layout, &number);
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
bdct_cpu_measure_blocks (const CpuEngine * self, const CpuFrame * frame,
    int number)
{
  const BdctLayout *layout = &self->layout;
  const BdctImage *image = &frame->image[BDCT_PLAN_PLANES];
  const BdctMetricsTask task = {
    .layout = layout,
    .src = image[frame->plan.view.left],
    .rec = image[frame->plan.view.right],
  };
  const BdctBlockGrid *grid = frame->plan.blocks.grid;
  BdctMetricPlane plane;
  int p = 0, i, rows;

  for (; number >= count_block_rows (&layout->plane[p]); p++)
    number -= count_block_rows (&layout->plane[p]);
  rows = count_block_rows (&layout->plane[p]) / layout->plane[p].interleave;
  i = number / rows;
  number %= rows;
  bdct_metrics_describe (&plane, &task, p, i);
  self->kernel->compare->blocks (&plane, number, frame->memory.records
      + grid[plane.component].first
      + (size_t) number * grid[plane.component].columns);
}

void
bdct_cpu_work_on_map (const CpuEngine * self, const Piece * piece)
{
  const CpuFrame *frame = piece->frame;
  const BdctMetricPlane *luma = &frame->mapped;
  const int metric = bdct_view_metric (frame->plan.view.view.mode);
  const BdctMetricMap map = bdct_metric_map (metric, luma->width,
      luma->height);

  (*self->kernel->metrics)[metric]->map (luma, piece->number,
      frame->memory.map + (size_t) piece->number * map.columns,
      bdct_cpu_scratch (self, piece));
}
