/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "comparison.h"

#include <string.h>

#define check bdct_cuda_check

/* The staging of a picture's own layout, which shares all else with the
 * engine's. */
static BdctStaging *
begin_own (BdctStaging * staging, const BdctPicture * picture,
    BdctStaging * own)
{
  if (picture->layout == NULL || staging->layout.rgb.n_planes > 0)
    return staging;
  *own = *staging;
  bdct_staging_init (own, picture->layout);
  return own;
}

/* Find picture `i` of those compared, in memory the GPU has. */
static bool
place_picture (BdctSlot * slot, BdctStaging * staging,
    const BdctPicture * picture, int i, BdctError * error)
{
  BdctStaging memory, *own = begin_own (staging, picture, &memory);
  const bool ok = bdct_staging_place (own, &slot->given.end[i],
      &picture->image, staging->device->upload, error);

  staging->copier = own->copier;
  return ok;
}

static bool
upload_picture (BdctSlot * slot, BdctStaging * staging,
    const BdctPicture * picture, int i, BdctError * error)
{
  BdctStaging memory, *own = begin_own (staging, picture, &memory);

  return !slot->given.end[i].on_host
      || bdct_staging_upload (own, &slot->given.end[i], error);
}

static BdctCudaPack *
add_pack (BdctSlot * slot, const BdctLayout * layout, int p)
{
  BdctCudaPack *pack = &slot->given.pack[slot->given.n_packs++];

  pack->depth = layout->depth;
  pack->layout = layout->plane[p];
  return pack;
}

/* Have it as planes of the engine's layout, some or all of which a kernel may
 * make of it. */
static bool
place_planes (BdctSlot * slot, BdctStaging * staging,
    const BdctPicture * given, int i, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctPicture picture = { slot->given.end[i].image, given->layout };
  BdctImage *planes = &slot->given.planes[i], packed;

  if (layout->rgb.n_planes > 0) {
    slot->given.colour[i] = (BdctCudaColour) {.layout = *layout,
      .src = picture.image
    };
    if (!bdct_staging_reserve_picture (staging, &slot->given.packed[i],
            staging->device->stream, planes, error))
      return false;
    slot->given.colour[i].planes = *planes;
    return true;
  }
  if (!bdct_picture_arrange (&picture, layout, planes))
    return true;
  if (!bdct_staging_scratch (staging, &slot->given.packed[i], &packed, error))
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaPack *pack;

    if (planes->data[p] != NULL)
      continue;
    planes->data[p] = packed.data[p];
    planes->stride[p] = packed.stride[p];
    pack = add_pack (slot, layout, p);
    pack->to = bdct_image_samples (planes, layout, p, 0);
    for (int k = 0; k < layout->plane[p].interleave; k++)
      pack->from[k] = bdct_picture_component (&picture, layout,
          layout->plane[p].component[k]);
  }
  return true;
}

static BdctCudaAccumulator *
cells_of (const BdctSlot * slot, BdctCudaAccumulator * first, int i)
{
  return i == 0 ? first
      : (BdctCudaAccumulator *) slot->cells.device + (i -
      1) * BDCT_CUDA_ACCUMULATORS;
}

static void
describe_errors (BdctSlot * slot, const BdctLayout * layout,
    BdctCudaAccumulator * cells)
{
  BdctCudaErrors *errors = &slot->given.sums;
  BdctCudaRgbErrors *rgb = &slot->given.rgb_sums;

  *errors = (BdctCudaErrors) {
    .depth = layout->depth,
    .n_planes = layout->n_planes,
    .n_distorted = slot->given.n,
  };
  *rgb = (BdctCudaRgbErrors) {
    .rgb = layout->rgb,
    .width = layout->plane[0].width,
    .height = layout->plane[0].height,
    .n_distorted = slot->given.n,
    .reference = slot->given.end[0].image,
  };
  for (int i = 0; i < slot->given.n; i++) {
    errors->cells[i] = rgb->cells[i] = cells_of (slot, cells, i);
    rgb->distorted[i] = slot->given.end[1 + i].image;
  }
  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaCompared *plane = &errors->plane[p];

    plane->layout = layout->plane[p];
    plane->reference = bdct_image_samples (&slot->given.planes[0], layout, p,
        0);
    for (int i = 0; i < slot->given.n; i++)
      plane->distorted[i] = bdct_image_samples (&slot->given.planes[1 + i],
          layout, p, 0);
  }
}

static bool
describe_metrics (BdctSlot * slot, const BdctStaging * staging,
    const BdctComparison * comparison, const BdctJob * job, BdctError * error)
{
  const BdctMetricsTask task = {
    .layout = &staging->layout,
    .job = job,
    .metrics = comparison->metrics,
    .src = slot->given.planes[0],
    .frame_rate = comparison->frame_rate,
  };

  if (!bdct_frame_metrics_reset (&slot->metrics, comparison->metrics != 0
          ? slot->given.n : 0, error))
    return false;
  for (int i = 0; i < slot->metrics.n; i++)
    bdct_frame_metrics_describe (&slot->metrics, i, &task);
  return bdct_frame_metrics_reserve (&slot->metrics, staging, error);
}

/* The records of blocks that the view colours. */
static bool
place_records (BdctSlot * slot, const BdctStaging * staging,
    const BdctMetricsTask * task, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  const size_t n = bdct_blocks_init (grid, layout, task->job);
  BdctBlockRecord *records;

  if (!bdct_buffer_reserve (&slot->records, n * sizeof *records, false,
          staging->engine, error))
    return false;
  records = (BdctBlockRecord *) slot->records.device;
  slot->given.records.n = bdct_layout_components (layout);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];
      BdctMetricPlane *plane = &slot->given.records.plane[c].plane;

      bdct_metrics_describe (plane, task, p, i);
      plane->memory = records + grid[c].first;
    }
  return true;
}

static bool
place_map (BdctSlot * slot, const BdctStaging * staging, BdctMetric metric,
    const BdctMetricsTask * task, BdctError * error)
{
  const BdctPlaneLayout *luma = &staging->layout.plane[0];
  const BdctMetricMap map = bdct_metric_map (metric, luma->width,
      luma->height);

  if (!bdct_buffer_reserve (&slot->given.metric_map, sizeof (uint32_t)
          * map.columns * map.rows, false, staging->engine, error))
    return false;
  bdct_metrics_describe (&slot->given.mapped, task, 0, 0);
  slot->given.mapped.memory = slot->given.metric_map.device;
  return true;
}

/* How a view is drawn at 1:1. What is computed is computed of planes, which
 * become R, G and B where the layout has these; what else is in a pixel is that
 * of the right picture's. */
static bool
plan_drawing (BdctSlot * slot, BdctStaging * staging, const BdctView * view,
    int left, int right, const BdctJob * job, const BdctImage * dst,
    BdctError * error)
{
  const BdctMetricsTask task = {
    .layout = &staging->layout,
    .job = job,
    .src = slot->given.planes[left],
    .rec = slot->given.planes[right],
  };
  const BdctRenderPicture rec = {.job = job,.image = task.rec };
  const int metric = bdct_view_metric (view->mode);
  BdctImage planes = *dst;

  slot->given.joins = staging->layout.rgb.n_planes > 0;
  if (slot->given.joins) {
    if (!bdct_staging_reserve_picture (staging, &slot->scratch,
            staging->device->stream, &planes, error))
      return false;
    slot->colour = (BdctCudaColour) {.layout = staging->layout,
      .src = slot->given.end[right].image,.dst = *dst,.planes = planes,
      .rec = planes,.shown = planes
    };
  }
  if ((view->mode == BDCT_VIEW_ERROR_MAP
          && !place_records (slot, staging, &task, error))
      || (metric >= 0 && !place_map (slot, staging, metric, &task, error)))
    return false;
  slot->viewed = true;
  bdct_render_init (&slot->render, view, &staging->layout, &task.src, &rec,
      &planes, (BdctBlockRecord *) slot->records.device, NULL,
      (const uint32_t *) slot->given.metric_map.device);
  return true;
}

/* R, G and B that are copied are those of the images themselves, as an enlarged
 * view copies them. */
static bool
plan_view (BdctSlot * slot, BdctStaging * staging,
    const BdctComparison * comparison, const BdctJob * job, BdctError * error)
{
  const bool colour = staging->layout.rgb.n_planes > 0;
  const BdctView *view = comparison->view;
  const bool copies = bdct_render_is_copy (view->mode);
  const int left = 1 + comparison->left, right = 1 + comparison->right;
  BdctRenderPicture of = {.job = job };

  slot->given.zoomed = bdct_view_is_zoomed (view) || (colour && copies);
  if (!slot->given.zoomed)
    return plan_drawing (slot, staging, view, left, right, job,
        &slot->dst.image, error);
  if (copies) {
    of.image = colour ? slot->given.end[right].image
        : slot->given.planes[right];
  } else {
    const BdctView base = bdct_zoom_base (view);

    if (!bdct_staging_scratch (staging, &slot->given.base, &of.image, error)
        || !plan_drawing (slot, staging, &base, left, right, job, &of.image,
            error))
      return false;
  }
  bdct_zoom_init (&slot->given.zoom, view, &staging->layout, colour
      ? &slot->given.end[left].image : &slot->given.planes[left], &of,
      &slot->dst.image);
  return true;
}

/* A slot without anything that only a frame has. */
static void
clear (BdctSlot * slot, const BdctComparison * comparison)
{
  slot->given.n = comparison->n_distorted;
  slot->given.errors = comparison->errors;
  slot->given.n_packs = slot->given.records.n = 0;
  slot->given.joins = slot->given.zoomed = false;
  slot->blocks = NULL;
  slot->asked_sizes = NULL;
  slot->rate = slot->viewed = false;
  slot->n_passes = 0;
  slot->n_trials = comparison->n_distorted - 1; /* whose cells it has */
  slot->keeps = comparison->metrics >> BDCT_METRIC_XPSNR & 1;
  slot->number = comparison->number;
}

static bool
plan (BdctSlot * slot, BdctStaging * staging,
    const BdctComparison * comparison, const BdctJob * job,
    BdctCudaAccumulator * cells, BdctError * error)
{
  static const BdctImage none = { 0 };

  for (int i = 0; i <= slot->given.n; i++) {
    const BdctPicture *picture = bdct_comparison_picture (comparison, i - 1);

    if (!place_picture (slot, staging, picture, i, error)
        || !place_planes (slot, staging, picture, i, error))
      return false;
  }
  slot->planes = slot->given.planes[0];
  if (!bdct_staging_place (staging, &slot->dst, comparison->view != NULL
          ? &comparison->dst : &none, staging->device->stream, error)
      || (slot->n_trials > 0 && !bdct_buffer_reserve (&slot->cells,
              slot->n_trials * BDCT_ACCUMULATORS_SIZE, true, staging->engine,
              error)))
    return false;
  describe_errors (slot, &staging->layout, cells);
  return describe_metrics (slot, staging, comparison, job, error)
      && (comparison->view == NULL
      || plan_view (slot, staging, comparison, job, error));
}

static bool
upload (BdctSlot * slot, BdctStaging * staging,
    const BdctComparison * comparison, BdctError * error)
{
  const BdctDevice *device = staging->device;

  for (int i = 0; i <= slot->given.n; i++)
    if (!upload_picture (slot, staging, bdct_comparison_picture (comparison,
                i - 1), i, error))
      return false;
  return check (cudaEventRecord (slot->uploaded, device->upload),
      "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (device->stream, slot->uploaded, 0),
      "cudaStreamWaitEvent", error);
}

bool
bdct_comparison_prepare (BdctSlot * slot, BdctStaging * staging,
    const BdctComparison * comparison, const BdctJob * job,
    BdctCudaAccumulator * cells, BdctError * error)
{
  bool on_host = false;

  clear (slot, comparison);
  if (!plan (slot, staging, comparison, job, cells, error))
    return false;
  for (int i = 0; i <= slot->given.n; i++)
    on_host = on_host || slot->given.end[i].on_host;
  slot->wait = on_host || bdct_slot_downloads (slot) ? BDCT_WAIT_SLEEPING
      : BDCT_WAIT_SPINNING;
  if (!on_host || upload (slot, staging, comparison, error))
    return true;
  /* The caller may free the images now: nothing may go on using them. */
  bdct_device_synchronize (staging->device);
  return false;
}

/* What makes the planes. */
static cudaError_t
make_planes (const BdctSlot * slot, const BdctStaging * staging)
{
  const cudaStream_t stream = staging->device->stream;
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < slot->given.n_packs && err == cudaSuccess; i++)
    err = bdct_cuda_pack_launch (&slot->given.pack[i], stream);
  for (int i = 0; staging->layout.rgb.n_planes > 0 && i <= slot->given.n
      && err == cudaSuccess; i++)
    err = bdct_cuda_rgb_to_planes_launch (&slot->given.colour[i], stream);
  return err;
}

static cudaError_t
add_errors (const BdctSlot * slot, const BdctStaging * staging)
{
  const cudaStream_t stream = staging->device->stream;
  cudaError_t err = cudaSuccess;

  if (slot->given.errors)
    err = bdct_cuda_errors_launch (&slot->given.sums, stream);
  if (slot->given.errors && staging->layout.rgb.n_planes > 0
      && err == cudaSuccess)
    err = bdct_cuda_rgb_errors_launch (&slot->given.rgb_sums, stream);
  return err;
}

/* What the view colours. */
static bool
fill_map (const BdctSlot * slot, const BdctStaging * staging,
    BdctError * error)
{
  const int metric = slot->viewed ? bdct_view_metric (slot->render.mode) : -1;

  return (slot->given.records.n == 0
      || check (bdct_cuda_records_launch (&slot->given.records,
              staging->device->stream), "cudaLaunchKernel", error))
      && (metric < 0
      || bdct_cuda_map_enqueue (metric, &slot->given.mapped, staging, error));
}

bool
bdct_comparison_enqueue (BdctSlot * slot, const BdctStaging * staging,
    BdctCompareMemory * memory, BdctError * error)
{
  const uint16_t *luma[3] = { NULL, NULL, NULL };

  if (!check (make_planes (slot, staging), "cudaLaunchKernel", error)
      || !check (add_errors (slot, staging), "cudaLaunchKernel", error)
      || !bdct_compare_place_luma (slot, staging, memory, luma, error))
    return false;
  for (int i = 0; i < slot->metrics.n; i++)
    if (!bdct_frame_metrics_enqueue (&slot->metrics, i,
            &slot->given.planes[1 + i], luma, &memory->scratch, staging,
            error))
      return false;
  return fill_map (slot, staging, error);
}
