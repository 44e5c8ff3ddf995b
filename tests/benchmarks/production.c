/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This project's kernels, as the CUDA engine launches them (cuda/launch.h):
 * one launch for all of a frame, statistics included. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/launch.h"

static BdctCudaCell *cells;     /* on the device */
static BdctCudaDevice *device;

static void
describe_frame (const LabEntry * entry, const LabWork * work,
    BdctCudaFrame * frame)
{
  int bytes = entry->shape == LAB_PLANE_10 ? 2 : 1;

  memset (frame, 0, sizeof *frame);
  frame->job = *(const BdctJob *) entry->data;
  frame->cells = cells;
  frame->n_planes = entry->shape == LAB_NV12 ? 2 : 1;
  for (int p = 0; p < frame->n_planes; p++) {
    BdctCudaPlane *plane = &frame->plane[p];
    size_t at = p ? (size_t) work->stride * work->height : 0;

    plane->src = (const uint8_t *) work->src + at;
    plane->dst = (uint8_t *) work->dst + at;
    plane->src_stride = plane->dst_stride = (int64_t) work->stride * bytes;
    plane->width = p ? work->width / 2 : work->width;
    plane->height = p ? work->height / 2 : work->height;
    plane->interleave = p ? 2 : 1;
    plane->component[0] = p ? BDCT_U : BDCT_Y;
    plane->component[1] = p ? BDCT_V : BDCT_Y;
  }
}

static int
run (const LabEntry * entry, const LabWork * work, void *stream)
{
  BdctCudaFrame frame;
  const BdctCudaFrame *frames[] = { &frame };

  describe_frame (entry, work, &frame);
  if (!bdct_cuda_cut (&frame, device))
    return cudaErrorInvalidValue;
  return bdct_cuda_launch (frames, 1, device, stream);
}

static int
run_stats (const LabEntry * entry, const LabWork * work, void *stream,
    BdctStats * stats)
{
  BdctCudaCell host[BDCT_CUDA_CELLS];
  int err = cudaMemsetAsync (cells, 0, sizeof host, stream);

  if (err == cudaSuccess)
    err = run (entry, work, stream);
  if (err == cudaSuccess)
    err = cudaMemcpyAsync (host, cells, sizeof host, cudaMemcpyDeviceToHost,
        stream);
  if (err == cudaSuccess)
    err = cudaStreamSynchronize (stream);
  if (err != cudaSuccess)
    return err;
  memset (stats, 0, sizeof *stats);
  for (int i = 0; i < BDCT_CUDA_CELLS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += host[i].sse[c];
      stats->component[c].nonzero += host[i].nonzero[c];
    }
  return cudaSuccess;
}

/* An entry for a shape, a transform and its quality or QP. */
static void
add (LabShape shape, BdctTransform transform, int quality, int qp)
{
  LabEntry entry = { .source = "blockdct", .shape = shape,
    .transform = transform, .stage = LAB_CHAIN, .gpu = true,
    .quality = quality, .qp = qp, .run = run, .stats = run_stats
  };
  BdctLayout layout = { shape == LAB_PLANE_10 ? 10 : 8,
    shape == LAB_NV12 ? BDCT_CHROMA_420 : BDCT_CHROMA_400, 0, { { 0 } }
  };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctJob *job = malloc (sizeof *job);
  BdctError error;

  params.transform = transform;
  params.quality = quality;
  params.qp = qp;
  if (job == NULL || !bdct_job_init (job, &params, &layout, &error))
    lab_die ("%s", job == NULL ? "out of memory" : error.message);
  entry.data = job;
  if (bdct_family_has_qp (bdct_transform_info (transform)->family))
    snprintf (entry.name, sizeof entry.name, "CUDA kernel, qp %d", qp);
  else
    snprintf (entry.name, sizeof entry.name, "CUDA kernel, quality %d",
        quality);
  lab_register (&entry);
}

void
lab_production_register (void)
{
  int err;

  if (!lab_wants ("blockdct"))
    return;
  err = bdct_cuda_open (&device, true, NULL);
  if (err == cudaSuccess)
    err = cudaMalloc ((void **) &cells, BDCT_CUDA_CELLS * sizeof *cells);
  if (err == cudaSuccess)
    err = cudaMemset (cells, 0, BDCT_CUDA_CELLS * sizeof *cells);
  if (err != cudaSuccess)
    lab_die ("the production kernels: %s", cudaGetErrorString (err));

  for (int shape = LAB_PLANE_8; shape <= LAB_NV12; shape++)
    for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
      bool has_qp = bdct_family_has_qp (bdct_transform_info (t)->family);
      int n = has_qp ? lab_options.n_qps : lab_options.n_qualities;

      for (int i = 0; i < n; i++)
        add (shape, t, lab_options.quality[has_qp ? 0 : i],
            lab_options.qp[has_qp ? i : 0]);
    }
}
