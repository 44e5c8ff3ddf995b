/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This project's kernels, as the CUDA engine launches them
 * (cuda/launch/dispatch.h): one launch for all of a frame, statistics included.
 * */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <glib.h>
#include <string.h>
#include "cuda/launch/selfcheck.h"

static BdctCudaAccumulator *cells;      /* on the device */
static BdctCudaDevice *device;

static BdctLayout
layout_of (const LabEntry * entry, const LabWork * work)
{
  BdctLayout layout = {.depth = entry->shape == LAB_PLANE_10 ? 10 : 8,
    .chroma = entry->shape == LAB_NV12 ? BDCT_CHROMA_420 : BDCT_CHROMA_400,
    .n_planes = entry->shape == LAB_NV12 ? 2 : 1,
    .plane = {{work->width, work->height, 0, 1, {BDCT_Y}},
        {(work->width + 1) / 2, (work->height + 1) / 2, 0, 2,
            {BDCT_U, BDCT_V}}}
  };

  return layout;
}

/* Enqueue work in planes that follow each other. */
static int
run (const LabEntry * entry, const LabWork * work, void *stream)
{
  const BdctLayout layout = layout_of (entry, work);
  int64_t stride = (int64_t) work->stride * bdct_layout_sample_size (&layout);
  BdctCudaWork what = {.quantizers = entry->data,.n_quantizers = 1,
    .n_planes = layout.n_planes
  };
  size_t at = 0;

  for (int p = 0; p < layout.n_planes; p++) {
    BdctCudaPlane *plane = &what.plane[p];

    plane->layout = layout.plane[p];
    if (p > 0)
      stride = (stride + 1) / 2 * plane->layout.interleave;
    plane->src.data = (uint8_t *) work->src + at;
    plane->dst.data = (uint8_t *) work->dst + at;
    plane->src.stride = plane->dst.stride = stride;
    plane->last_column = plane->layout.width - 1;
    plane->accumulators = cells;
    at += (size_t) stride *plane->layout.height;
  }
  return bdct_cuda_run (device, &what, stream, NULL) ? cudaSuccess
      : cudaErrorUnknown;
}

static int
run_stats (const LabEntry * entry, const LabWork * work, void *stream,
    BdctStats * stats)
{
  BdctCudaAccumulator host[BDCT_CUDA_ACCUMULATORS];
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
  for (int i = 0; i < BDCT_CUDA_ACCUMULATORS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      stats->component[c].sse += host[i].sse[c];
      stats->component[c].nonzero += host[i].nonzero[c];
    }
  return cudaSuccess;
}

/* An entry of a shape and a transform, with one of the qualities or QPs. */
static LabEntry
make_entry (LabShape shape, BdctTransform transform, int i)
{
  const bool has_qp = bdct_transform_info (transform)->has_qp;
  LabEntry entry = {.source = "blockdct",.shape = shape,
    .transform = transform,.stage = LAB_CHAIN,.gpu = true,
    .quality = lab_options.quality[has_qp ? 0 : i],
    .qp = lab_options.qp[has_qp ? i : 0],.run = run,.stats = run_stats
  };
  const LabWork work = {.width = LAB_WIDTH,.height = LAB_HEIGHT };
  const BdctLayout layout = layout_of (&entry, &work);
  const BdctParams params = lab_params (transform, entry.quality, entry.qp);
  BdctJob *job = g_new (BdctJob, 1);
  BdctError error;

  if (!bdct_job_init (job, &params, &layout, &error))
    lab_die ("%s", error.message);
  entry.data = job;
  snprintf (entry.name, sizeof entry.name, "CUDA %s, %s %d",
      lab_options.cuda_cores ? "cores" : "kernel", has_qp ? "qp" : "quality",
      has_qp ? entry.qp : entry.quality);
  return entry;
}

void
lab_production_register (void)
{
  const size_t size = BDCT_CUDA_ACCUMULATORS * sizeof *cells;
  int err;

  if (!lab_wants ("blockdct"))
    return;
  err = bdct_cuda_open (&device, lab_options.cuda_cores ? NULL
      : bdct_selfcheck, (cudaStream_t[BDCT_CUDA_STREAMS]) {
      NULL}
  );
  if (err == cudaSuccess)
    err = cudaMalloc ((void **) &cells, size);
  if (err == cudaSuccess)
    err = cudaMemset (cells, 0, size);
  if (err != cudaSuccess)
    lab_die ("the production kernels: %s", cudaGetErrorString (err));

  for (int shape = LAB_PLANE_8; shape <= LAB_NV12; shape++)
    for (int t = 0; t < BDCT_N_FIXED; t++)
      for (int i = 0; i < (bdct_transform_info (t)->has_qp
              ? lab_options.n_qps : lab_options.n_qualities); i++) {
        const LabEntry entry = make_entry (shape, t, i);

        lab_register (&entry);
      }
}

/* Fill the source with the timed content. */
static void
fill_source (void)
{
  const size_t n = (size_t) LAB_WIDTH * LAB_HEIGHT;
  int *samples = g_new (int, n);
  uint8_t *bytes = g_malloc (n);

  lab_fill_samples (lab_options.content, 8, LAB_WIDTH, LAB_HEIGHT, samples);
  for (size_t i = 0; i < n; i++)
    bytes[i] = (uint8_t) samples[i];
  lab_gpu_fill (bytes, n, 0);
  g_free (samples);
  g_free (bytes);
}

/* A frame of each size beside its copy; of odd sizes beside the even one. */
void
lab_production_print_frames (void)
{
  static const int sizes[][3] = {       /* and the stride */
    {3840, 2160, 3840}, {1920, 1080, 1920}, {1280, 720, 1280},
    {1919, 1079, 1920}, {1919, 1079, 1919}
  };

  fill_source ();
  printf ("blockdct on the GPU, one frame of NV12: us, and times its copy; of "
      "odd sizes times the even one\n%-14s", "");
  for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++)
    printf (" %6dx%4d/%4d", sizes[i][0], sizes[i][1], sizes[i][2]);
  putchar ('\n');
  /* The engine handles the others: engines.c and `pipeline` time them. */
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    const LabEntry entry = make_entry (LAB_NV12, t, 0);
    double even = 0;

    printf ("%-14s", bdct_transform_info (t)->name);
    for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++) {
      const int *size = sizes[i];
      const size_t bytes = (size_t) size[2] * size[1]
          + (size_t) (size[2] + 1) / 2 * 2 * ((size[1] + 1) / 2);
      LabWalk walks[2] = {
        {&entry, {.width = size[0],.height = size[1],.stride = size[2]}, bytes},
        {.bytes = bytes}
      };
      double ns[2];

      lab_gpu_time_walks (walks, 2, ns);
      if (size[0] == 1920)
        even = ns[0];
      printf (" %9.2f %6.2f", ns[0] / 1e3, ns[0] / (size[0] % 2 ? even
              : ns[1]));
    }
    putchar ('\n');
  }
  putchar ('\n');
}

void
lab_production_profile (void)
{
  fill_source ();
  for (int shape = LAB_PLANE_8; shape <= LAB_PLANE_10; shape++)
    for (int t = 0; t < BDCT_N_FIXED; t++) {
      const LabEntry entry = make_entry (shape, t, 0);
      LabWalk walk = { &entry, {.width = LAB_WIDTH,.height = 16 * LAB_HEIGHT,
          .stride = LAB_WIDTH}, 1
      };

      lab_gpu_run (&walk);
    }
}
