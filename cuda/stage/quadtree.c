/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hevc-quadtree (dct/rd/quadtree.h): the kernels of the fixed transforms
 * process the whole frame in blocks of each size. Another kernel finds the
 * trees and copies the chosen blocks (cuda/kernels/quadtree.cu). */
#include "cuda/run.h"

#include <string.h>
#include "cuda/kernels/quadtree.h"

/* A frame, and what it is done with. */
typedef struct {
  const BdctCudaFrame *frame;
  BdctStaging *staging;
  const BdctJob *quantizers;
  int n_quantizers;
  BdctImage picture[BDCT_TREE_SIZES];
  BdctCudaAccumulator *accumulators;    /* of the fixed transforms: of no use */
  bool own_sizes;               /* the tree's sizes are in its memory */
  BdctCudaTree tree;
} TreeFrame;

/* A buffer that is divided; if it has no memory, its bytes are only counted. */
typedef struct {
  uint8_t *base;
  size_t used;
} Share;

static void *
take (Share * share, size_t size)
{
  uint8_t *memory = share->base != NULL ? share->base + share->used : NULL;

  share->used += (size + 255) & ~(size_t) 255;
  return memory;
}

/* What the components of a plane have in blocks of one size. */
static void
place_blocks (TreeFrame * self, const BdctPlaneLayout * plane,
    const BdctJob * job, const BdctBlockGrid * grids, int size, Share * share)
{
  const BdctBlockGrid *grid = &grids[plane->component[0]];
  const int log2_size = job->component[plane->component[0]].log2_width;
  const size_t n = (size_t) grid->columns * grid->rows;
  const size_t n_levels = n << 2 * log2_size;
  const BdctLevel *levels = take (share, plane->interleave * n_levels
      * sizeof *levels);
  const BdctBlockRecord *records = take (share, plane->interleave * n
      * sizeof *records);

  for (int k = 0; k < plane->interleave; k++) {
    BdctCudaTreeBlocks *blocks =
        &self->tree.component[plane->component[k]].sized[size];

    blocks->log2_size = log2_size;
    blocks->columns = grid->columns;
    blocks->rows = grid->rows;
    /* Kernels that read given levels expect U's first in either order of
     * memory. */
    if (levels != NULL)
      blocks->levels = levels + (self->frame != NULL
          && self->frame->plan.levels.in && plane->interleave > 1
          ? plane->component[k] == BDCT_V : k) * n_levels;
    if (records != NULL)
      blocks->records = records + k * n;
  }
}

/* Where everything is. */
static void
place (TreeFrame * self, Share * share)
{
  const BdctLayout *layout = &self->staging->layout;
  BdctCudaTree *tree = &self->tree;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctJob job;

  for (int n = tree->min_log2; n <= tree->max_log2; n++) {
    uint8_t *picture = take (share, bdct_staging_picture_size (self->staging));

    if (picture != NULL)
      self->picture[n - 2] = bdct_staging_picture (self->staging, picture);
    bdct_job_of_size (&job, self->quantizers, n);
    bdct_blocks_init (grid, layout, &job);
    for (int p = 0; p < layout->n_planes; p++)
      if (bdct_quadtree_has_own (tree->chroma, layout->plane[p].component[0],
              n, tree->max_log2))
        place_blocks (self, &layout->plane[p], &job, grid, n - 2, share);
  }
  self->accumulators = take (share, BDCT_ACCUMULATORS_SIZE);
  bdct_blocks_init (grid, layout, self->quantizers);
  if (self->own_sizes)
    tree->sizes = take (share, (size_t) grid[BDCT_Y].columns
        * grid[BDCT_Y].rows);
}

static bool
reserve (TreeFrame * self, BdctError * error)
{
  BdctStaging *staging = self->staging;
  Share share = { NULL, 0 };
  BdctError why;

  place (self, &share);
  return bdct_buffer_grow (&staging->trees, share.used, staging->device,
      staging->engine, &why)
      || bdct_error (error, "the blocks of all sizes for hevc-quadtree: %s, or "
      "set max-block closer to min-block", why.message);
}

bool
bdct_quadtree_reserve (const BdctJob * job, BdctStaging * staging,
    BdctError * error)
{
  TreeFrame self = {.staging = staging,.quantizers = job,.own_sizes = true,
    .tree = {.min_log2 = job->tree.min_log2,.max_log2 =
          job->tree.max_log2,.chroma = job->tree.chroma}
  };

  return reserve (&self, error);
}

/* Describe a component, without its blocks. */
static void
describe_component (TreeFrame * self, int p, int k)
{
  const BdctCudaFrame *frame = self->frame;
  const BdctImage *image = frame->image;
  const BdctLayout *layout = &self->staging->layout;
  const int c = layout->plane[p].component[k];

  self->tree.component[c] = (BdctCudaTreeComponent) {
    .layout = layout->plane[p],
    .component = c,
    .sub_x = bdct_layout_sub_x (layout, c),
    .sub_y = bdct_layout_sub_y (layout, c),
    .log2_smallest = self->quantizers->component[c].log2_width,
    .columns = frame->plan.blocks.grid[c].columns,
    .src = bdct_image_samples (&image[BDCT_PLAN_PLANES], layout, p, k),
    .dst = bdct_image_samples (&image[BDCT_PLAN_RECONSTRUCTION], layout, p, k),
    .levels = bdct_image_samples (&image[BDCT_PLAN_LEVELS], layout, p, k),
    .records = bdct_cuda_frame_records (frame, c),
    .frame_levels = bdct_cuda_frame_levels (frame, c),
  };
}

static void
describe (TreeFrame * self)
{
  const BdctCudaFrame *frame = self->frame;
  const BdctLayout *layout = &self->staging->layout;
  const BdctJobTree *job = &self->quantizers->tree;
  BdctTreePrices *prices = &self->staging->tree_prices;
  const int slice_qp = self->quantizers->slice_qp;
  BdctCudaTree *tree = &self->tree;

  if (!prices->known || prices->slice_qp != slice_qp) {
    bdct_cabac_costs (&prices->costs, slice_qp);
    for (int c = 0; c < 2; c++)
      bdct_cabac_start (prices->start[c], slice_qp, 0, c > 0);
    prices->slice_qp = slice_qp;
    prices->known = true;
  }
  *tree = (BdctCudaTree) {
    .n_components = bdct_layout_components (layout),
    .depth = layout->depth,
    .min_log2 = job->min_log2,
    .max_log2 = job->max_log2,
    .distortion_shift = job->distortion_shift,
    .chroma = job->chroma,
    .costs = prices->costs,
    .sizes = frame->array[BDCT_ARRAY_SIZES].device,
    .accumulators = frame->sums.accumulators,
    .counts = frame->plan.bits ? bdct_cuda_frame_counts (frame) : NULL,
  };
  memcpy (tree->start, prices->start, sizeof tree->start);
  self->own_sizes = tree->sizes == NULL
      && (frame->plan.bits || frame->plan.levels.out);
  for (int k = 0; k < self->n_quantizers; k++)
    tree->lambda[k] = self->quantizers[k].tree.lambda;
  for (int p = 0; p < layout->n_planes; p++)
    for (int k = 0; k < layout->plane[p].interleave; k++)
      describe_component (self, p, k);
}

static BdctCudaTreeBlocks *
blocks_of (TreeFrame * self, const BdctCudaPlane * plane, int k, int n)
{
  return &self->tree.component[plane->layout.component[k]].sized[n - 2];
}

/* Describe the blocks of one size, of luma alone if chroma has none of its own:
 * with a picture and records, from given levels if there are some. */
static void
describe_size (TreeFrame * self, int n, BdctCudaWork * work)
{
  const bool given = self->frame->plan.levels.in;

  *work = self->frame->work[n - 2];
  if (!bdct_quadtree_has_own (self->tree.chroma, BDCT_U, n,
          self->tree.max_log2))
    work->n_planes = 1;
  work->levels = !given;
  work->kernel = given ? bdct_levels_find (BDCT_LEVELS_RECONSTRUCT) : NULL;
  bdct_cuda_work_set_accumulators (work, self->accumulators);
  bdct_cuda_work_set_image (work, &self->staging->layout,
      &self->picture[n - 2]);
  for (int p = 0; p < work->n_planes; p++) {
    BdctCudaPlane *plane = &work->plane[p];

    for (int k = 0; k < plane->layout.interleave; k++) {
      BdctCudaTreeBlocks *blocks = blocks_of (self, plane, k, n);

      blocks->quantizer_map = plane->quantizer_map[k];
      blocks->picture = bdct_image_samples (&self->picture[n - 2],
          &self->staging->layout, p, k);
      plane->blocks[k] = (BdctBlockRecord *) blocks->records;
      if (given && (k == 0 || plane->layout.component[k] == BDCT_U))
        plane->from_levels = blocks->levels;
    }
  }
}

/* Enqueue the fixed transform of one size: the picture, the records and the
 * levels, in one pass, or the levels in another; or the first two, from
 * levels. */
static bool
transform (TreeFrame * self, int n, BdctError * error)
{
  const BdctDevice *device = self->staging->device;
  BdctJob jobs[BDCT_MAX_QUANTIZERS];
  BdctCudaLaunch pass[3];
  const BdctCudaLaunch *passes[] = { &pass[0], &pass[1], &pass[2] };
  BdctCudaWork work;
  BdctCudaPlane *planes;
  int n_passes;
  bool levels;

  for (int k = 0; k < self->n_quantizers; k++)
    bdct_job_of_size (&jobs[k], &self->quantizers[k], n);
  describe_size (self, n, &work);
  work.quantizers = jobs;
  n_passes = bdct_cuda_choose (device->kernels, &work, pass, error);
  if (n_passes == 0)
    return false;
  levels = pass->levels;
  planes = levels ? pass->plane : work.plane;
  for (int p = 0; p < work.n_planes && !self->frame->plan.levels.in; p++) {
    if (levels)
      planes[p].records = (BdctBlockRecord *) blocks_of (self, &planes[p], 0, n)
          ->records;
    else
      planes[p].dst.data = NULL;
    for (int k = 0; k < planes[p].layout.interleave; k++)
      planes[p].levels[k] = (BdctLevel *) blocks_of (self, &planes[p], k, n)
          ->levels;
  }
  if (!levels && !self->frame->plan.levels.in) {
    work.levels = false;
    work.output = BDCT_CUDA_LEVELS;
    if (bdct_cuda_choose (device->kernels, &work, pass + n_passes++,
            error) == 0)
      return false;
  }
  return bdct_cuda_launch (passes, n_passes, device->kernels, device->stream,
      error);
}

/* Enqueue copying levels between the caller's memory and the blocks. The
 * caller's have gaps if squares reach beyond the picture. */
static bool
copy_levels (const TreeFrame * self, BdctError * error)
{
  const cudaStream_t stream = self->staging->device->stream;
  const BdctCudaFrame *frame = self->frame;
  const bool given = frame->plan.levels.in;

  return (given || bdct_cuda_check (cudaMemsetAsync
          (frame->array[BDCT_ARRAY_LEVELS].device, 0, frame->plan.levels.n
              * sizeof (BdctLevel), stream), "cudaMemsetAsync", error))
      && bdct_cuda_check (bdct_cuda_tree_copy_levels (&self->tree,
          given, stream), "cudaLaunchKernel", error);
}

/* Enqueue the count of the bins, and their price: as count_bits() does, beside
 * other frames' work if these have other memory. */
static bool
count (TreeFrame * self, BdctError * error)
{
  const BdctDevice *device = self->staging->device;
  const BdctCudaSums *sums = &self->frame->sums;
  const cudaStream_t stream = sums->bits_overlap
      ? device->bits[sums->bits_slot] : device->stream;
  BdctBuffer *bins = &self->staging->bits[sums->bits_slot];

  if (!bdct_buffer_grow (bins, bdct_cuda_tree_bins_size (&self->tree), device,
          self->staging->engine, error))
    return false;
  self->tree.bins = (uint16_t *) bins->device;
  return bdct_cuda_check (bdct_cuda_tree_count (&self->tree, device->stream),
      "cudaLaunchKernel", error)
      && (!sums->bits_overlap || bdct_stream_wait_for (stream, device->stream,
          device->was_transformed, error))
      && bdct_cuda_check (bdct_cuda_tree_price (&self->tree, stream),
      "cudaLaunchKernel", error);
}

bool
bdct_quadtree_enqueue (const BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const cudaStream_t stream = staging->device->stream;
  const BdctPlanLevels *levels = &frame->plan.levels;
  TreeFrame self = {.frame = frame,.staging = staging,
    .quantizers = frame->quantizers,
    .n_quantizers = frame->work[0].n_quantizers
  };
  Share share;

  describe (&self);
  if (!reserve (&self, error))
    return false;
  share = (Share) { staging->trees.device, 0 };
  place (&self, &share);
  if (!bdct_cuda_check (cudaMemsetAsync (self.accumulators, 0,
              BDCT_ACCUMULATORS_SIZE, stream), "cudaMemsetAsync", error)
      || (levels->in && !copy_levels (&self, error)))
    return false;
  for (int n = self.tree.min_log2; n <= self.tree.max_log2; n++)
    if (!transform (&self, n, error))
      return false;
  return bdct_cuda_check (bdct_cuda_tree_choose (&self.tree, levels->in,
          stream), "cudaLaunchKernel", error)
      && (!levels->out || copy_levels (&self, error))
      && (!frame->plan.bits || count (&self, error));
}
