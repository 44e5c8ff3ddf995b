/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quadtree.h"

#include "cuda/kernels/quadtree.h"
#include "levels.h"

/* A frame, and what it is done with. */
typedef struct {
  const BdctCudaFrame *frame;
  const BdctStaging *staging;
  const BdctJob *quantizers;
  int n_quantizers;
  BdctImage picture[BDCT_TREE_SIZES];
  BdctCudaAccumulator *accumulators;    /* of the fixed transforms: of no use */
  bool own_sizes;               /* the tree's sizes are in its memory */
  bool bits;                    /* its bins are counted */
  bool levels_out, given;       /* the caller gets levels, or gives levels and
                                   sizes */
  BdctCudaTree tree;
} Task;

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
place_blocks (Task * task, const BdctPlaneLayout * plane, const BdctJob * job,
    const BdctBlockGrid * grids, int size, Share * share)
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
        &task->tree.component[plane->component[k]].sized[size];

    blocks->log2_size = log2_size;
    blocks->columns = grid->columns;
    blocks->rows = grid->rows;
    /* Kernels that read given levels expect U's first in either order of
     * memory. */
    if (levels != NULL)
      blocks->levels = levels + (task->given && plane->interleave > 1
          ? plane->component[k] == BDCT_V : k) * n_levels;
    if (records != NULL)
      blocks->records = records + k * n;
  }
}

/* Where everything is. */
static void
place (Task * task, Share * share)
{
  const BdctLayout *layout = &task->staging->layout;
  BdctCudaTree *tree = &task->tree;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctJob job;

  for (int n = tree->min_log2; n <= tree->max_log2; n++) {
    uint8_t *picture = take (share, bdct_staging_picture_size (task->staging));

    if (picture != NULL)
      task->picture[n - 2] = bdct_staging_picture (task->staging, picture);
    bdct_job_of_size (&job, task->quantizers, n);
    bdct_blocks_init (grid, layout, &job);
    for (int p = 0; p < layout->n_planes; p++)
      if (bdct_quadtree_has_own (tree->chroma, layout->plane[p].component[0],
              n, tree->max_log2))
        place_blocks (task, &layout->plane[p], &job, grid, n - 2, share);
  }
  task->accumulators = take (share, BDCT_ACCUMULATORS_SIZE);
  bdct_blocks_init (grid, layout, task->quantizers);
  if (task->own_sizes)
    tree->sizes = take (share, (size_t) grid[BDCT_Y].columns
        * grid[BDCT_Y].rows);
}

static bool
reserve (Task * task, BdctBuffer * memory, BdctError * error)
{
  const BdctStaging *staging = task->staging;
  Share share = { NULL, 0 };
  BdctError why;

  place (task, &share);
  return bdct_buffer_grow (memory, share.used, staging->device,
      staging->engine, &why)
      || bdct_error (error, "the blocks of all sizes for hevc-quadtree: %s, or "
      "set max-block closer to min-block", why.message);
}

bool
bdct_quadtree_reserve (const BdctJob * job, const BdctStaging * staging,
    BdctBuffer * memory, BdctError * error)
{
  Task task = {.staging = staging,.quantizers = job,.own_sizes = true,
    .tree = {.min_log2 = job->tree.min_log2,.max_log2 =
          job->tree.max_log2,.chroma = job->tree.chroma}
  };

  return reserve (&task, memory, error);
}

/* Describe a component, without its blocks. */
static void
describe_component (Task * task, int p, int k)
{
  const BdctCudaFrame *frame = task->frame;
  const BdctImage *image = frame->images.image;
  const BdctLayout *layout = &task->staging->layout;
  const int c = layout->plane[p].component[k];
  BdctCudaTreeComponent *component = &task->tree.component[c];
  const BdctBlockGrid *grid = frame->plan.blocks.grid;

  *component = (BdctCudaTreeComponent) {
  .layout = layout->plane[p],.component = c,.sub_x =
        bdct_layout_sub_x (layout, c),.sub_y =
        bdct_layout_sub_y (layout, c),.log2_smallest =
        task->quantizers->component[c].log2_width,.columns =
        grid[c].columns,.src =
        bdct_image_samples (&image[BDCT_PLAN_PLANES], layout, p, k),.dst =
        bdct_image_samples (&image[BDCT_PLAN_RECONSTRUCTION], layout, p,
        k),.levels = bdct_image_samples (&image[BDCT_PLAN_LEVELS], layout, p,
        k),};
  if (frame->blocks.records != NULL)
    component->records = frame->blocks.records + grid[c].first;
  if (frame->levels.device != NULL)
    component->frame_levels = bdct_cuda_frame_levels (frame, c);
}

static void
describe (Task * task)
{
  const BdctCudaFrame *frame = task->frame;
  const BdctLayout *layout = &task->staging->layout;
  const BdctJobTree *job = &task->quantizers->tree;
  BdctCudaTree *tree = &task->tree;

  *tree = (BdctCudaTree) {
  .n_components = bdct_layout_components (layout),.depth =
        layout->depth,.min_log2 = job->min_log2,.max_log2 =
        job->max_log2,.distortion_shift = job->distortion_shift,.chroma =
        job->chroma,.sizes = frame->blocks.sizes,.accumulators =
        frame->results.first,.counts =
        frame->plan.bits ? bdct_cuda_frame_counts (frame) : NULL,};
  task->levels_out = frame->plan.levels.out;
  task->given = frame->plan.levels.in;
  task->bits = tree->counts != NULL;
  task->own_sizes = tree->sizes == NULL && (task->bits || task->levels_out);
  for (int k = 0; k < task->n_quantizers; k++)
    tree->lambda[k] = task->quantizers[k].tree.lambda;
  bdct_cabac_costs (&tree->costs, task->quantizers->slice_qp);
  for (int c = 0; c < 2; c++)
    bdct_cabac_start (tree->start[c], task->quantizers->slice_qp, 0, c > 0);
  for (int p = 0; p < layout->n_planes; p++)
    for (int k = 0; k < layout->plane[p].interleave; k++)
      describe_component (task, p, k);
}

/* Describe the blocks of one size, without any output. If chroma has none of
 * its own, only luma's plane, which is the first. */
static void
describe_size (Task * task, const BdctJob * jobs, int n, BdctCudaWork * work)
{
  const BdctCudaTree *tree = &task->tree;

  *work = task->frame->jobs.sized[n - 2];
  work->quantizers = jobs;
  work->n_quantizers = task->n_quantizers;
  if (!bdct_quadtree_has_own (tree->chroma, BDCT_U, n, tree->max_log2))
    work->n_planes = 1;
  for (int p = 0; p < work->n_planes; p++)
    for (int k = 0; k < work->plane[p].layout.interleave; k++)
      task->tree.component[work->plane[p].layout.component[k]].sized[n - 2]
          .quantizer_map = work->plane[p].quantizer_map[k];
}

/* Set the destination of a plane's levels of one size. */
static void
place_levels (const Task * task, int n, BdctCudaPlane * plane)
{
  for (int k = 0; k < plane->layout.interleave; k++)
    plane->levels[k] = (BdctLevel *) task->tree.component
        [plane->layout.component[k]].sized[n - 2].levels;
}

/* Set the levels' destination as the only output. */
static void
ask_for_levels (const Task * task, int n, BdctCudaWork * work)
{
  for (int p = 0; p < work->n_planes; p++) {
    work->plane[p].dst.data = NULL;
    place_levels (task, n, &work->plane[p]);
  }
}

/* Set the destinations of the picture and of the records. */
static void
ask_for_picture (Task * task, int n, BdctCudaWork * work)
{
  for (int p = 0; p < work->n_planes; p++) {
    const BdctLayout *layout = &task->staging->layout;
    BdctCudaPlane *plane = &work->plane[p];
    BdctCudaTreeComponent *component = task->tree.component;

    plane->dst = bdct_image_samples (&task->picture[n - 2], layout, p, 0);
    plane->accumulators = task->accumulators;
    for (int k = 0; k < plane->layout.interleave; k++) {
      BdctCudaTreeBlocks *blocks =
          &component[plane->layout.component[k]].sized[n - 2];

      blocks->picture = bdct_image_samples (&task->picture[n - 2], layout, p,
          k);
      plane->blocks[k] = (BdctBlockRecord *) blocks->records;
    }
  }
}

/* Plan the picture, the records and the levels, in one pass, or the levels
 * in another. */
static int
plan_plainly (Task * task, int n, BdctCudaWork * work, BdctCudaLaunch * pass,
    BdctError * error)
{
  BdctCudaDevice *device = task->staging->device->kernels;
  int n_passes;

  ask_for_picture (task, n, work);
  work->levels = true;
  n_passes = bdct_cuda_plan (device, work, pass, error);
  if (n_passes > 0 && pass->levels)
    for (int p = 0; p < pass->n_planes; p++) {
      pass->plane[p].records = pass->plane[p].blocks[0];
      place_levels (task, n, &pass->plane[p]);
    }
  if (n_passes == 0 || pass->levels)
    return n_passes;
  ask_for_levels (task, n, work);
  work->levels = false;
  work->output = BDCT_CUDA_LEVELS;
  return bdct_cuda_plan (device, work, pass + n_passes, error) > 0
      ? n_passes + 1 : 0;
}

/* Plan the picture and the records from given levels. */
static int
plan_given (Task * task, int n, BdctCudaWork * work, BdctCudaLaunch * pass,
    BdctError * error)
{
  ask_for_picture (task, n, work);
  work->kernel = bdct_levels_find (BDCT_LEVELS_RECONSTRUCT);
  for (int p = 0; p < work->n_planes; p++) {
    const BdctPlaneLayout *layout = &work->plane[p].layout;

    work->plane[p].from_levels = task->tree.component[layout->interleave > 1
        ? BDCT_U : (int) layout->component[0]].sized[n - 2].levels;
  }
  return bdct_cuda_plan (task->staging->device->kernels, work, pass, error);
}

/* Enqueue the fixed transform of one size. */
static bool
transform (Task * task, int n, BdctError * error)
{
  const BdctDevice *device = task->staging->device;
  BdctJob jobs[BDCT_MAX_QUANTIZERS];
  BdctCudaLaunch pass[3];
  const BdctCudaLaunch *passes[] = { &pass[0], &pass[1], &pass[2] };
  BdctCudaWork work;
  int n_passes;

  for (int k = 0; k < task->n_quantizers; k++)
    bdct_job_of_size (&jobs[k], &task->quantizers[k], n);
  describe_size (task, jobs, n, &work);
  n_passes = (task->given ? plan_given : plan_plainly) (task, n, &work, pass,
      error);
  return n_passes > 0 && bdct_cuda_check (bdct_cuda_launch (passes, n_passes,
          device->kernels, device->stream), "cudaLaunchKernel", error);
}

/* Enqueue copying levels between the caller's memory and the blocks. The
 * caller's have gaps if squares reach beyond the picture. */
static bool
copy_levels (const Task * task, BdctError * error)
{
  const cudaStream_t stream = task->staging->device->stream;
  const BdctCudaFrame *frame = task->frame;

  return (task->given || bdct_cuda_check (cudaMemsetAsync
          (frame->levels.device, 0, frame->plan.levels.n
              * sizeof *frame->levels.device, stream), "cudaMemsetAsync",
          error))
      && bdct_cuda_check (bdct_cuda_tree_copy_levels (&task->tree,
          task->given, stream), "cudaLaunchKernel", error);
}

/* Enqueue the count of the bins, and their price: as run_bits() does, beside
 * other frames' work if these have other memory. */
static bool
count (Task * task, BdctBuffer * bins, BdctError * error)
{
  const BdctDevice *device = task->staging->device;
  const BdctCudaResults *results = &task->frame->results;
  const cudaStream_t stream = results->beside ? device->bits[results->side]
      : device->stream;

  if (!bdct_buffer_grow (bins, bdct_cuda_tree_bins_size (&task->tree), device,
          task->staging->engine, error))
    return false;
  task->tree.bins = (uint16_t *) bins->device;
  return bdct_cuda_check (bdct_cuda_tree_count (&task->tree, device->stream),
      "cudaLaunchKernel", error)
      && (!results->beside || bdct_device_follow (stream, device->stream,
          device->was_transformed, error))
      && bdct_cuda_check (bdct_cuda_tree_price (&task->tree, stream),
      "cudaLaunchKernel", error);
}

bool
bdct_quadtree_enqueue (const BdctCudaFrame * frame,
    const BdctStaging * staging, BdctBuffer * memory, BdctBuffer * bins,
    BdctError * error)
{
  const cudaStream_t stream = staging->device->stream;
  Task task = {.frame = frame,.staging = staging,
    .quantizers = frame->jobs.quantizers,
    .n_quantizers = frame->jobs.sized[0].n_quantizers
  };
  Share share;

  describe (&task);
  if (!reserve (&task, memory, error))
    return false;
  share = (Share) { memory->device, 0 };
  place (&task, &share);
  if (!bdct_cuda_check (cudaMemsetAsync (task.accumulators, 0,
              BDCT_ACCUMULATORS_SIZE, stream), "cudaMemsetAsync", error)
      || (task.given && !copy_levels (&task, error)))
    return false;
  for (int n = task.tree.min_log2; n <= task.tree.max_log2; n++)
    if (!transform (&task, n, error))
      return false;
  return bdct_cuda_check (bdct_cuda_tree_choose (&task.tree, task.given,
          stream), "cudaLaunchKernel", error)
      && (!task.levels_out || copy_levels (&task, error))
      && (!task.bits || count (&task, bins, error));
}
