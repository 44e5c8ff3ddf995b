/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame.h"

#include <string.h>
#include "metrics.h"

/* Find picture `i` in memory that the GPU reaches, or bring it there: by the
 * staging of its own layout, which shares all else with the engine's. */
static bool
place_picture (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctPicture * picture, int i, BdctError * error)
{
  BdctStaging own = *staging;
  BdctEndpoint *src = &frame->src[i];
  bool ok;

  if (picture->layout != NULL && staging->layout.rgb.n_planes == 0)
    bdct_staging_init (&own, picture->layout);
  ok = bdct_staging_place (&own, src, &picture->image,
      staging->device->upload, error);
  staging->copier = own.copier;
  return ok && (!src->on_host || bdct_staging_upload (&own, src, error));
}

/* Place picture `i` where an earlier one is that is in the same memory on the
 * host, as behind a tee: it goes up once. Returns whether there is one. */
static bool
share_picture (BdctCudaFrame * frame, const BdctStaging * staging,
    const BdctComparison * comparison, int i)
{
  const BdctPicture *own = bdct_comparison_picture (comparison, i - 1);
  BdctEndpoint *src = frame->src;

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

/* Picture `i` as an image of the engine's layout; some or all of its planes
 * may have to be packed. Those of R, G and B are the plan's own image. */
static bool
arrange_picture (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctPicture * given, int i, BdctImage * planes, BdctError * error)
{
  const BdctLayout *layout = &staging->layout;
  const BdctPicture picture = { frame->src[i].image, given->layout };
  BdctImage packed;

  bdct_picture_arrange (&picture, layout, planes);
  if (!frame->plan.packed[i] || layout->rgb.n_planes > 0)
    return true;
  if (!bdct_staging_scratch (staging,
          &frame->own[BDCT_PLAN_PLANES + i], &packed, error))
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaPack *pack;

    if (planes->data[p] != NULL)
      continue;
    planes->data[p] = packed.data[p];
    planes->stride[p] = packed.stride[p];
    pack = &frame->packs.pack[frame->packs.n++];
    pack->depth = layout->depth;
    pack->layout = layout->plane[p];
    pack->to = bdct_image_samples (planes, layout, p, 0);
    for (int k = 0; k < layout->plane[p].interleave; k++)
      pack->from[k] = bdct_picture_component (&picture, layout,
          layout->plane[p].component[k]);
  }
  return true;
}

/* Memory for what the view colours: records of blocks, or a metric's map. */
static bool
place_shown (BdctCudaFrame * frame, const BdctStaging * staging,
    BdctError * error)
{
  const BdctPlaneLayout *luma = &staging->layout.plane[0];
  const int metric = bdct_view_metric (frame->plan.view.view.mode);
  BdctMetricMap map;

  if (!frame->plan.view.drawn)
    return true;
  if (frame->plan.blocks.records && !bdct_cuda_frame_place_array (frame,
          BDCT_ARRAY_RECORDS, frame->plan.blocks.n * sizeof (BdctBlockRecord),
          BDCT_STAYS, NULL, staging, error))
    return false;
  if (metric < 0)
    return true;
  map = bdct_metric_map (metric, luma->width, luma->height);
  return bdct_cuda_frame_place_array (frame, BDCT_ARRAY_METRIC_MAP,
      sizeof (uint32_t) * map.columns * map.rows, BDCT_STAYS, NULL, staging,
      error);
}

static bool
place_pictures (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctComparison * comparison, BdctError * error)
{
  static const BdctImage none = { 0 };
  BdctImage arranged[1 + BDCT_MAX_DISTORTED];

  for (int i = 0; i <= frame->plan.n_distorted; i++) {
    const BdctPicture *picture = bdct_comparison_picture (comparison, i - 1);

    if ((!share_picture (frame, staging, comparison, i)
            && !place_picture (frame, staging, picture, i, error))
        || !arrange_picture (frame, staging, picture, i, &arranged[i], error))
      return false;
  }
  return bdct_staging_place (staging, &frame->dst,
      comparison->view != NULL ? &comparison->dst : &none,
      staging->device->stream, error)
      && bdct_cuda_frame_place_images (frame, staging, arranged, error);
}

bool
bdct_cuda_prepare_comparison (BdctCudaFrame * frame, BdctStaging * staging,
    const BdctComparison * comparison, const BdctJob * job, BdctError * error)
{
  const int others = frame->plan.n_distorted - 1;

  bdct_cuda_frame_begin (frame, job, 1);
  if (place_pictures (frame, staging, comparison, error)
      && (others == 0 || bdct_cuda_frame_place_array (frame, BDCT_ARRAY_SUMS,
              others * BDCT_ACCUMULATORS_SIZE, BDCT_COMES_DOWN, NULL, staging,
              error))
      && bdct_frame_metrics_place (frame, staging, error)
      && place_shown (frame, staging, error)
      && bdct_cuda_frame_end_uploads (frame, staging, error))
    return true;
  bdct_device_synchronize (staging->device);
  return false;
}
