/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include "cuda/frame/metrics.h"
#include "cuda/kernels/view.h"

#define check bdct_cuda_check

static bool
launched (cudaError_t err, BdctError * error)
{
  return check (err, "cudaLaunchKernel", error);
}

/* Pixels of R, G and B */

/* From one picture of a stack to the next, in memory on the device. */
static ptrdiff_t
find_pitch (const BdctLayout * layout, const BdctEndpoint * end,
    ptrdiff_t pitch)
{
  return bdct_stack_pitch (layout, &end->image, end->on_host ? 0 : pitch);
}

/* A frame's conversion, both ways. Without a source, bytes other than R, G and
 * B are not changed. */
static BdctCudaColour
describe_colour (const BdctCudaFrame * frame, const BdctLayout * layout)
{
  const BdctImage *image = frame->image;

  return (BdctCudaColour) {
    .layout = *layout,
    .src = image[BDCT_PLAN_PLANES].data[0] != NULL ? frame->src[0].image
        : frame->dst.image,
    .dst = frame->dst.image,
    .planes = image[BDCT_PLAN_PLANES],
    .rec = image[BDCT_PLAN_RECONSTRUCTION],
    .shown = image[BDCT_PLAN_VIEW],
    .src_pitch = find_pitch (layout, &frame->src[0],
        frame->request.src_pitch),
    .dst_pitch = find_pitch (layout, &frame->dst, frame->request.dst_pitch),
    .accumulators = frame->sums.accumulators,
    .sums = frame->array[BDCT_ARRAY_RGB_SSE].device,
  };
}

/* In a stream of its own, for which the kernels' stream waits. */
static bool
rgb_to_planes (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctCudaColour colour = describe_colour (frame, &staging->layout);

  return check (cudaStreamWaitEvent (device->rgb_in,
          staging->ring[frame->ring_index].free, 0), "cudaStreamWaitEvent",
      error)
      && launched (bdct_cuda_rgb_to_planes_launch (&colour, device->rgb_in),
      error)
      && bdct_stream_wait_for (device->stream, device->rgb_in,
      device->was_rgb_in, error);
}

static void
describe_view (const BdctCudaFrame * frame, const BdctLayout * layout,
    BdctRender * render)
{
  const BdctImage *image = frame->image, *planes = &image[BDCT_PLAN_PLANES];
  const BdctPlanView *view = &frame->plan.view;
  const bool compared = frame->plan.n_distorted > 0;
  const BdctArray *array = frame->array;
  const BdctRenderPicture rec = {
    .job = frame->quantizers,
    .image = compared ? planes[view->right]
        : image[image[BDCT_PLAN_LEVELS].data[0] != NULL ? BDCT_PLAN_LEVELS
        : BDCT_PLAN_RECONSTRUCTION],
    .sizes = array[BDCT_ARRAY_SIZES].device,
  };

  bdct_render_init (render, &view->view, layout,
      &planes[compared ? view->left : 0], &rec, &image[BDCT_PLAN_VIEW],
      array[BDCT_ARRAY_RECORDS].device, array[BDCT_ARRAY_MAP].device,
      array[BDCT_ARRAY_METRIC_MAP].device);
}

/* The view of a comparison may be enlarged afterwards; bytes of its pixels
 * other than R, G and B are those of the right picture. R, G and B of a frame
 * are made in a stream of their own, after the kernels'. */
static bool
planes_to_rgb (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctImage *image = frame->image;
  const BdctImage *view = &image[BDCT_PLAN_VIEW];
  BdctCudaColour colour;
  BdctRender render;

  if (frame->plan.n_distorted > 0) {
    colour = (BdctCudaColour) {
      .layout = staging->layout,
      .src = frame->src[frame->plan.view.right].image,
      .dst = image[BDCT_PLAN_BASE].data[0] != NULL ? image[BDCT_PLAN_BASE]
          : frame->dst.image,
      .planes = *view,
      .rec = *view,
      .shown = *view,
    };
    return launched (bdct_cuda_planes_to_rgb_launch (&colour, NULL,
            device->stream), error);
  }
  colour = describe_colour (frame, &staging->layout);
  if (frame->plan.view.drawn)
    describe_view (frame, &staging->layout, &render);
  return bdct_stream_wait_for (device->rgb_out, device->stream,
      device->was_computed, error)
      && launched (bdct_cuda_planes_to_rgb_launch (&colour,
          frame->plan.view.drawn ? &render : NULL, device->rgb_out), error);
}

/* If frames have R, G and B, the stream that makes these ends each frame. */
static bool
end_rgb (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctDevice *device = staging->device;

  if (staging->layout.rgb.n_planes == 0)
    return true;
  if ((frame->plan.n_distorted > 0
          || !bdct_plan_has (&frame->plan, BDCT_STEP_PLANES_TO_RGB))
      && !bdct_stream_wait_for (device->rgb_out, device->stream,
          device->was_computed, error))
    return false;
  return (!bdct_cuda_frame_is_rgb (frame)
      && frame->plan.place[BDCT_PLAN_PLANES] != BDCT_PLACE_BEFORE)
      || check (cudaEventRecord (staging->ring[frame->ring_index].free,
          device->rgb_out), "cudaEventRecord", error);
}

/* Comparisons */

static bool
pack (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const cudaStream_t stream = staging->device->stream;
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < frame->packs.n && err == cudaSuccess; i++)
    err = bdct_cuda_pack_launch (&frame->packs.pack[i], stream);
  for (int i = 0; staging->layout.rgb.n_planes > 0
      && i <= frame->plan.n_distorted && err == cudaSuccess; i++) {
    const BdctCudaColour colour = {
      .layout = staging->layout,
      .src = frame->src[i].image,
      .planes = frame->image[BDCT_PLAN_PLANES + i],
    };

    err = bdct_cuda_rgb_to_planes_launch (&colour, stream);
  }
  return launched (err, error);
}

static bool
add_errors (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctImage *planes = &frame->image[BDCT_PLAN_PLANES];
  const cudaStream_t stream = staging->device->stream;
  const int n = frame->plan.n_distorted;
  BdctCudaErrors errors = {
    .depth = layout->depth,
    .n_planes = layout->n_planes,
    .n_distorted = n,
  };
  BdctCudaRgbErrors rgb = {
    .rgb = layout->rgb,
    .width = layout->plane[0].width,
    .height = layout->plane[0].height,
    .n_distorted = n,
    .reference = frame->src[0].image,
  };

  for (int i = 0; i < n; i++) {
    errors.accumulators[i] = rgb.accumulators[i] =
        bdct_cuda_frame_accumulators (frame, i);
    rgb.distorted[i] = frame->src[1 + i].image;
  }
  for (int p = 0; p < layout->n_planes; p++) {
    errors.plane[p].layout = layout->plane[p];
    errors.plane[p].reference = bdct_image_samples (planes, layout, p, 0);
    for (int i = 0; i < n; i++)
      errors.plane[p].distorted[i] = bdct_image_samples (&planes[1 + i],
          layout, p, 0);
  }
  return launched (bdct_cuda_errors_launch (&errors, stream), error)
      && (!frame->plan.rgb_errors
      || launched (bdct_cuda_rgb_errors_launch (&rgb, stream), error));
}

static bool
make_records (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctMetricsInput task = bdct_frame_shown (frame, staging);
  BdctCudaMetricPlanes planes = {.n = bdct_layout_components (layout) };

  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];

      bdct_metrics_describe (&planes.plane[c].plane, &task, p, i);
      planes.plane[c].plane.memory = bdct_cuda_frame_records (frame, c);
    }
  return launched (bdct_cuda_records_launch (&planes,
          staging->device->stream), error);
}

/* Enlarge the view at 1:1, or the pictures themselves; of R, G and B, the
 * caller's. */
static bool
zoom (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const bool rgb = layout->rgb.n_planes > 0;
  const BdctPlanView *view = &frame->plan.view;
  const BdctImage *planes = &frame->image[BDCT_PLAN_PLANES];
  const BdctRenderPicture of = {
    .job = frame->quantizers,
    .image = view->drawn ? frame->image[BDCT_PLAN_BASE]
        : rgb ? frame->src[view->right].image : planes[view->right],
  };
  BdctZoom enlarged;

  bdct_zoom_init (&enlarged, &view->zoomed, layout,
      rgb ? &frame->src[view->left].image : &planes[view->left], &of,
      &frame->dst.image);
  return launched (bdct_cuda_zoom_launch (&enlarged, staging->device->stream),
      error);
}

/* Frames */

bool
bdct_cuda_frame_shares_launches (const BdctCudaFrame * frame)
{
  return frame->plan.place[BDCT_PLAN_PLANES] == BDCT_PLACE_SRC
      && !bdct_cuda_frame_writes_levels (frame);
}

/* Enqueue some of a frame's work, in the kernels' stream. */
static bool
run (const BdctCudaWork * work, const BdctStaging * staging, BdctError * error)
{
  return bdct_cuda_run (staging->device->kernels, work,
      staging->device->stream, error);
}

/* The picture, statistics and records of given levels. */
static bool
reconstruct (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  BdctCudaWork work = frame->work[0];

  work.kernel = bdct_levels_find (work.quantizers->family == BDCT_FAMILY_JPEG
      && layout->depth == 8 ? BDCT_LEVELS_RECONSTRUCT_JPEG
      : BDCT_LEVELS_RECONSTRUCT);
  bdct_cuda_work_set_accumulators (&work, frame->sums.accumulators);
  bdct_cuda_work_set_image (&work, layout,
      &frame->image[BDCT_PLAN_RECONSTRUCTION]);
  bdct_cuda_work_set_records (&work, frame);
  for (int p = 0; p < work.n_planes; p++) {
    const BdctPlaneLayout *plane = &work.plane[p].layout;

    /* U's are before V's, in either order of memory. */
    work.plane[p].from_levels = bdct_cuda_frame_levels (frame,
        plane->interleave > 1 ? BDCT_U : (int) plane->component[0]);
  }
  return run (&work, staging, error);
}

/* Levels that are output or drawn; given ones are there. */
static bool
write_levels (const BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctImage *drawn = &frame->image[BDCT_PLAN_LEVELS];
  BdctCudaWork work = frame->work[0];

  if (frame->array[BDCT_ARRAY_LEVELS].device == NULL)
    return true;
  for (int p = 0; p < work.n_planes; p++)
    for (int k = 0; k < work.plane[p].layout.interleave; k++)
      work.plane[p].levels[k] = bdct_cuda_frame_levels (frame,
          work.plane[p].layout.component[k]);
  work.output = BDCT_CUDA_LEVELS;
  if (!frame->plan.levels.in && !run (&work, staging, error))
    return false;
  if (drawn->data[0] == NULL)
    return true;
  work.output = BDCT_CUDA_STATISTICS;
  work.kernel = bdct_levels_find (BDCT_LEVELS_DRAW);
  bdct_cuda_work_set_image (&work, &staging->layout, drawn);
  return run (&work, staging, error);
}

/* Transform, unless that was launched together with other frames. */
static bool
transform (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const BdctCudaLaunch *launch = frame->launches.launch;
  bool ok;

  if (bdct_job_is_tree (frame->quantizers))
    return bdct_quadtree_enqueue (frame, staging, error);
  if (frame->plan.levels.in)
    ok = reconstruct (frame, staging, error);
  else
    ok = bdct_cuda_frame_shares_launches (frame)
        || ((!bdct_cuda_frame_writes_levels (frame)
            || bdct_rate_place_levels (frame, staging, error))
        && bdct_cuda_launch ((const BdctCudaLaunch *[]) {
            &launch[0], &launch[1]}, frame->launches.n, device->kernels,
            device->stream, error));
  return ok && write_levels (frame, staging, error);
}

static bool
count_bits (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  const BdctDevice *device = staging->device;
  const int slot = frame->sums.bits_slot;

  if (!frame->sums.bits_overlap)
    return bdct_rate_enqueue (frame, staging, device->stream, error);
  return bdct_stream_wait_for (device->bits[slot], device->stream,
      device->was_transformed, error)
      && bdct_rate_enqueue (frame, staging, device->bits[slot], error)
      && check (cudaEventRecord (device->was_counted[slot],
          device->bits[slot]), "cudaEventRecord", error);
}

bool
bdct_cuda_frame_wait_for_bits (const BdctCudaFrame * frame,
    const BdctDevice * device, cudaStream_t stream, BdctError * error)
{
  return !frame->sums.bits_overlap || check (cudaStreamWaitEvent (stream,
          device->was_counted[frame->sums.bits_slot], 0),
      "cudaStreamWaitEvent", error);
}

static bool
draw_view (BdctCudaFrame * frame, BdctStaging * staging, BdctError * error)
{
  BdctRender render;

  describe_view (frame, &staging->layout, &render);
  return launched (bdct_cuda_view_launch (&render, staging->device->stream),
      error);
}

static bool (*const steps[]) (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error) = {
  [BDCT_STEP_RGB_TO_PLANES] = rgb_to_planes,
  [BDCT_STEP_PACK] = pack,
  [BDCT_STEP_HISTORY] = bdct_frame_copy_history,
  [BDCT_STEP_ERRORS] = add_errors,
  [BDCT_STEP_TRANSFORM] = transform,
  [BDCT_STEP_BITS] = count_bits,
  [BDCT_STEP_METRICS] = bdct_frame_run_metrics,
  [BDCT_STEP_RECORDS] = make_records,
  [BDCT_STEP_MAP] = bdct_frame_make_map,
  [BDCT_STEP_VIEW] = draw_view,
  [BDCT_STEP_PLANES_TO_RGB] = planes_to_rgb,
  [BDCT_STEP_ZOOM] = zoom,
};

bool
bdct_cuda_frame_run (BdctCudaFrame * frame, BdctStaging * staging,
    BdctError * error)
{
  BdctCudaSums *sums = &frame->sums;

  /* Get exclusive use of the next slot's memory. */
  sums->bits_overlap = frame->plan.bits && staging->bits_overlap;
  if (frame->plan.bits)
    sums->bits_slot = staging->next_bits_slot++ % BDCT_CUDA_BITS_SLOTS;
  if (!bdct_cuda_frame_wait_for_bits (frame, staging->device,
          staging->device->stream, error))
    return false;
  for (int i = 0; i < frame->plan.n_steps; i++)
    if (!steps[frame->plan.step[i]] (frame, staging, error))
      return false;
  return end_rgb (frame, staging, error);
}
