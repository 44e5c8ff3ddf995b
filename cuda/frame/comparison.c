/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "prepare.h"

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

/* Find picture `i` in memory that the GPU reaches. */
static bool
place_picture (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctPicture * picture, int i, BdctError * error)
{
  BdctStaging memory, *own = begin_own (staging, picture, &memory);
  const bool ok = bdct_staging_place (own, &frame->images.src[i],
      &picture->image, staging->device->upload, error);

  staging->copier = own->copier;
  return ok;
}

/* Place picture `i` where an earlier one is that is in the same memory on the
 * host, as behind a tee: it goes up once. Returns whether there is one. */
static bool
share_picture (BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctComparison * comparison, int i)
{
  const BdctPicture *own = bdct_comparison_picture (comparison, i - 1);
  BdctEndpoint *src = frame->images.src;

  for (int k = 0; k < i && own->image.memory == BDCT_MEMORY_HOST; k++) {
    const BdctPicture *other = bdct_comparison_picture (comparison, k - 1);
    bool same = other->image.memory == BDCT_MEMORY_HOST
        && memcmp (own->layout ? own->layout : &staging->layout, other->layout
        ? other->layout : &staging->layout, sizeof staging->layout) == 0;

    for (int p = 0; p < staging->n_planes && same; p++)
      same = own->image.data[p] == other->image.data[p]
          && own->image.stride[p] == other->image.stride[p];
    if (same) {
      src[i].on_host = false;
      src[i].image = src[k].image;
      return true;
    }
  }
  return false;
}

static bool
upload_picture (const BdctCudaFrame * frame, BdctStaging * staging,
    const BdctPicture * picture, int i, BdctError * error)
{
  BdctStaging memory, *own = begin_own (staging, picture, &memory);

  return !frame->images.src[i].on_host
      || bdct_staging_upload (own, &frame->images.src[i], error);
}

static BdctCudaPack *
add_pack (BdctCudaPictures * pictures, const BdctLayout * layout, int p)
{
  BdctCudaPack *pack = &pictures->pack[pictures->n_packs++];

  pack->depth = layout->depth;
  pack->layout = layout->plane[p];
  return pack;
}

/* Picture `i` as an image of the engine's layout; some or all of its planes
 * may have to be packed. Those of R, G and B are the plan's own image. */
static bool
arrange_picture (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctPicture * given, int i, BdctImage * planes, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctPicture picture = { frame->images.src[i].image, given->layout };
  BdctImage packed;

  bdct_picture_arrange (&picture, layout, planes);
  if (!frame->plan.packed[i] || layout->rgb.n_planes > 0)
    return true;
  if (!bdct_staging_scratch (staging,
          &frame->images.memory[BDCT_PLAN_PLANES + i], &packed, error))
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaPack *pack;

    if (planes->data[p] != NULL)
      continue;
    planes->data[p] = packed.data[p];
    planes->stride[p] = packed.stride[p];
    pack = add_pack (&frame->pictures, layout, p);
    pack->to = bdct_image_samples (planes, layout, p, 0);
    for (int k = 0; k < layout->plane[p].interleave; k++)
      pack->from[k] = bdct_picture_component (&picture, layout,
          layout->plane[p].component[k]);
  }
  return true;
}

static void
describe_errors (BdctCudaFrame * frame, const BdctLayout * layout)
{
  const BdctImage *planes = &frame->images.image[BDCT_PLAN_PLANES];
  const int n = frame->plan.n_distorted;
  BdctCudaErrors *errors = &frame->pictures.errors;
  BdctCudaRgbErrors *rgb = &frame->pictures.rgb_errors;

  *errors = (BdctCudaErrors) {
    .depth = layout->depth,
    .n_planes = layout->n_planes,
    .n_distorted = n,
  };
  *rgb = (BdctCudaRgbErrors) {
    .rgb = layout->rgb,
    .width = layout->plane[0].width,
    .height = layout->plane[0].height,
    .n_distorted = n,
    .reference = frame->images.src[0].image,
  };
  for (int i = 0; i < n; i++) {
    errors->accumulators[i] = rgb->accumulators[i] =
        bdct_cuda_frame_accumulators (frame, i);
    rgb->distorted[i] = frame->images.src[1 + i].image;
  }
  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaCompared *plane = &errors->plane[p];

    plane->layout = layout->plane[p];
    plane->reference = bdct_image_samples (&planes[0], layout, p, 0);
    for (int i = 0; i < n; i++)
      plane->distorted[i] = bdct_image_samples (&planes[1 + i], layout, p, 0);
  }
}

/* What makes planes of R, G and B. */
static void
describe_colours (BdctCudaFrame * frame, const BdctLayout * layout)
{
  for (int i = 0; i <= frame->plan.n_distorted
      && layout->rgb.n_planes > 0; i++)
    frame->pictures.colour[i] = (BdctCudaColour) {
      .layout = *layout,
      .src = frame->images.src[i].image,
      .planes = frame->images.image[BDCT_PLAN_PLANES + i],
    };
}

/* The records of blocks that the view colours. */
static bool
place_records (BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctMetricsInput * task, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctBlockRecord *records;

  if (!bdct_buffer_reserve (&frame->blocks.record_memory,
          frame->plan.blocks.n * sizeof *records, false, staging->engine,
          error))
    return false;
  records = (BdctBlockRecord *) frame->blocks.record_memory.device;
  frame->blocks.records = records;
  frame->shown.records.n = bdct_layout_components (layout);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];
      BdctMetricPlane *plane = &frame->shown.records.plane[c].plane;

      bdct_metrics_describe (plane, task, p, i);
      plane->memory = records + frame->plan.blocks.grid[c].first;
    }
  return true;
}

static bool
place_map (BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctMetricsInput * task, BdctError * error)
{
  const BdctPlaneLayout *luma = &staging->layout.plane[0];
  const int metric = bdct_view_metric (frame->plan.view.view.mode);
  BdctCudaShown *shown = &frame->shown;
  BdctMetricMap map;

  if (metric < 0)
    return true;
  map = bdct_metric_map (metric, luma->width, luma->height);
  if (!bdct_buffer_reserve (&shown->map, sizeof (uint32_t) * map.columns
          * map.rows, false, staging->engine, error))
    return false;
  bdct_metrics_describe (&shown->mapped, task, 0, 0);
  shown->mapped.memory = shown->map.device;
  return true;
}

/* The view at 1:1. Other bytes of pixels of R, G and B are those of the
 * right picture. */
static bool
prepare_drawing (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctJob * job, BdctError * error)
{
  const BdctPlanView *view = &frame->plan.view;
  const BdctImage *image = frame->images.image;
  const BdctMetricsInput task = {
    .layout = &staging->layout,
    .src = image[BDCT_PLAN_PLANES + view->left],
    .rec = image[BDCT_PLAN_PLANES + view->right],
  };
  const BdctRenderPicture rec = {.job = job,.image = task.rec };
  const BdctImage *drawn = &image[BDCT_PLAN_VIEW];

  if ((frame->plan.blocks.records
          && !place_records (frame, staging, &task, error))
      || !place_map (frame, staging, &task, error))
    return false;
  bdct_render_init (&frame->shown.render, &view->view, &staging->layout,
      &task.src, &rec, drawn, frame->blocks.records, NULL,
      (const uint32_t *) frame->shown.map.device);
  if (staging->layout.rgb.n_planes > 0)
    frame->shown.colour = (BdctCudaColour) {
      .layout = staging->layout,
      .src = frame->images.src[view->right].image,
      .dst = image[BDCT_PLAN_BASE].data[0] != NULL ? image[BDCT_PLAN_BASE]
          : frame->images.dst.image,
      .planes = *drawn,
      .rec = *drawn,
      .shown = *drawn,
    };
  return true;
}

/* The source of an enlarged view: the view at 1:1, or the pictures
 * themselves; for R, G and B, the caller's. */
static void
prepare_zoom (BdctCudaFrame * frame, const BdctLayout * layout,
    const BdctJob * job)
{
  const bool rgb = layout->rgb.n_planes > 0;
  const BdctPlanView *view = &frame->plan.view;
  const BdctCudaImages *images = &frame->images;
  const BdctImage *planes = &images->image[BDCT_PLAN_PLANES];
  const BdctRenderPicture of = {
    .job = job,
    .image = view->drawn ? images->image[BDCT_PLAN_BASE]
        : rgb ? images->src[view->right].image : planes[view->right],
  };

  bdct_zoom_init (&frame->shown.zoom, &view->zoomed, layout,
      rgb ? &images->src[view->left].image : &planes[view->left], &of,
      &images->dst.image);
}

static bool
place_pictures (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctComparison * comparison, BdctError * error)
{
  static const BdctImage none = { 0 };
  BdctImage arranged[1 + BDCT_MAX_DISTORTED];

  frame->pictures.n_packs = 0;
  for (int i = 0; i <= frame->plan.n_distorted; i++) {
    const BdctPicture *picture = bdct_comparison_picture (comparison, i - 1);

    if ((!share_picture (frame, staging, comparison, i)
            && !place_picture (frame, staging, picture, i, error))
        || !arrange_picture (frame, staging, picture, i, &arranged[i], error))
      return false;
  }
  return bdct_staging_place (staging, &frame->images.dst,
      comparison->view != NULL ? &comparison->dst : &none,
      staging->device->stream, error)
      && bdct_cuda_frame_place_images (frame, staging, arranged, error);
}

static bool
upload (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctComparison * comparison, BdctError * error)
{
  const BdctDevice *device = staging->device;

  for (int i = 0; i <= frame->plan.n_distorted; i++)
    if (!upload_picture (frame, staging, bdct_comparison_picture (comparison,
                i - 1), i, error))
      return false;
  return check (cudaEventRecord (frame->events.uploaded, device->upload),
      "cudaEventRecord", error)
      && check (cudaStreamWaitEvent (device->stream, frame->events.uploaded,
          0), "cudaStreamWaitEvent", error);
}

bool
bdct_cuda_prepare_comparison (BdctCudaFrame * frame, BdctStaging * staging,
    BdctCudaMemory * memory, const BdctComparison * comparison,
    const BdctJob * job, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const int n = frame->plan.n_distorted;
  bool on_host = false;

  frame->blocks.records = frame->blocks.to_records = NULL;
  frame->blocks.sizes = frame->blocks.to_sizes = NULL;
  frame->jobs.n_launches = 0;
  if (!place_pictures (frame, staging, comparison, error)
      || (n > 1 && !bdct_buffer_reserve (&frame->results.accumulators,
              (n - 1) * BDCT_ACCUMULATORS_SIZE, true, staging->engine, error))
      || !bdct_cuda_frame_describe_metrics (frame, staging, memory, error))
    return false;
  describe_colours (frame, layout);
  describe_errors (frame, layout);
  if (frame->plan.view.drawn && !prepare_drawing (frame, staging, job, error))
    return false;
  if (frame->plan.view.enlarged)
    prepare_zoom (frame, layout, job);
  for (int i = 0; i <= n; i++)
    on_host = on_host || frame->images.src[i].on_host;
  frame->events.wait = on_host || bdct_cuda_frame_downloads (frame)
      ? BDCT_WAIT_SLEEPING : BDCT_WAIT_SPINNING;
  if (!on_host || upload (frame, staging, comparison, error))
    return true;
  /* After this the caller may free the images: nothing may use them any
   * longer. */
  bdct_device_synchronize (staging->device);
  return false;
}
