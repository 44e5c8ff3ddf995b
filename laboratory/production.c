/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This project's kernels, as the CUDA engine launches them
 * (cuda/launch/dispatch.h): one launch for all of a frame, statistics included.
 * */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/launch/selfcheck.h"

#define N_OTHERS 8

/* The questions: the outputs of a frame. */
typedef enum {
  PICTURE,
  RECORDS,                      /* ... and its blocks' records */
  STATISTICS,                   /* no picture */
  OTHERS,                       /* the statistics of N_OTHERS jobs, in one
                                   launch */
  N_QUESTIONS
} Question;

static BdctCudaAccumulator *cells;     /* on the device: of N_OTHERS jobs */
static BdctCudaDevice *device;

static BdctLayout
layout_of (const LabEntry * entry, const LabWork * work)
{
  BdctLayout layout = {.depth = entry->shape == LAB_PLANE_10 ? 10 : 8,
    .chroma = entry->shape == LAB_NV12 ? BDCT_CHROMA_420 : BDCT_CHROMA_400,
    .n_planes = entry->shape == LAB_NV12 ? 2 : 1,
    .plane = {{work->width, work->height, 0, 1, {BDCT_Y}},
        {work->width / 2, work->height / 2, 0, 2, {BDCT_U, BDCT_V}}}
  };

  return layout;
}

static void
describe (const LabEntry * entry, const LabWork * work, const BdctJob * job,
    BdctCudaAccumulator * to, BdctCudaWork * out)
{
  BdctLayout layout = layout_of (entry, work);
  int64_t stride =
      (int64_t) work->stride * bdct_layout_sample_size (&layout);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  memset (out, 0, sizeof *out);
  out->quantizers = job;
  out->n_quantizers = 1;
  out->n_planes = layout.n_planes;
  bdct_blocks_init (grid, &layout, job);
  for (int p = 0; p < layout.n_planes; p++) {
    BdctCudaPlane *plane = &out->plane[p];
    size_t at = p ? (size_t) work->stride * work->height : 0;

    plane->src = (BdctSamples) { (uint8_t *) work->src + at, stride };
    if (entry->parameter[0] <= RECORDS)
      plane->dst = (BdctSamples) { (uint8_t *) work->dst + at, stride };
    plane->layout = layout.plane[p];
    plane->last_column = plane->layout.width - 1;
    plane->accumulators = to;
    for (int i = 0; i < plane->layout.interleave
        && entry->parameter[0] == RECORDS; i++)
      plane->blocks[i] = (BdctBlockRecord *) work->scratch
          + grid[plane->layout.component[i]].first;
  }
}

static int
run (const LabEntry * entry, const LabWork * work, void *stream)
{
  int n = entry->parameter[0] == OTHERS ? N_OTHERS : 1;
  BdctCudaLaunch pass[N_OTHERS];
  const BdctCudaLaunch *passes[N_OTHERS];
  BdctCudaWork what;

  for (int i = 0; i < n; i++) {
    describe (entry, work, (const BdctJob *) entry->data + i,
        cells + i * BDCT_CUDA_ACCUMULATORS, &what);
    if (bdct_cuda_plan (device, &what, &pass[i], NULL) != 1)
      return cudaErrorInvalidValue;
    passes[i] = &pass[i];
  }
  return bdct_cuda_launch (passes, n, device, stream);
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

/* An entry for a shape, a transform and its quality or QP. */
static LabEntry
make_entry (LabShape shape, BdctTransform transform, int quality, int qp)
{
  LabEntry entry = { .source = "blockdct", .shape = shape,
    .transform = transform, .stage = LAB_CHAIN, .gpu = true,
    .quality = quality, .qp = qp, .run = run, .stats = run_stats
  };
  LabWork work = {.width = LAB_WIDTH,.height = 2160 };
  BdctLayout layout = layout_of (&entry, &work);
  const char *kernel = lab_options.cuda_cores ? "cores" : "kernel";
  BdctJob *jobs = malloc (N_OTHERS * sizeof *jobs);
  BdctError error = { "out of memory" };

  for (int i = 0; i < N_OTHERS; i++) {
    BdctParams params = lab_params (transform, (quality + 12 * i - 1) % 100 + 1,
        (qp + 2 * i) % 52);

    if (jobs == NULL || !bdct_job_init (&jobs[i], &params, &layout, &error))
      lab_die ("%s", error.message);
  }
  entry.data = jobs;
  if (bdct_transform_info (transform)->has_qp)
    snprintf (entry.name, sizeof entry.name, "CUDA %s, qp %d", kernel, qp);
  else
    snprintf (entry.name, sizeof entry.name, "CUDA %s, quality %d", kernel,
        quality);
  return entry;
}

void
lab_production_register (void)
{
  int err;

  if (!lab_wants ("blockdct"))
    return;
  err = bdct_cuda_open (&device, lab_options.cuda_cores ? NULL
      : bdct_selfcheck, (cudaStream_t[BDCT_CUDA_STREAMS]) { NULL });
  if (err == cudaSuccess)
    err = cudaMalloc ((void **) &cells, N_OTHERS * BDCT_CUDA_ACCUMULATORS
        * sizeof *cells);
  if (err == cudaSuccess)
    err =
        cudaMemset (cells, 0,
        N_OTHERS * BDCT_CUDA_ACCUMULATORS * sizeof *cells);
  if (err != cudaSuccess)
    lab_die ("the production kernels: %s", cudaGetErrorString (err));

  for (int shape = LAB_PLANE_8; shape <= LAB_NV12; shape++)
    for (int t = 0; t < BDCT_N_FIXED; t++) {
      bool has_qp = bdct_transform_info (t)->has_qp;
      int n = has_qp ? lab_options.n_qps : lab_options.n_qualities;

      for (int i = 0; i < n; i++) {
        LabEntry entry = make_entry (shape, t,
            lab_options.quality[has_qp ? 0 : i],
            lab_options.qp[has_qp ? i : 0]);

        lab_register (&entry);
      }
    }
}

void
lab_production_print_questions (void)
{
  if (!lab_wants ("blockdct"))
    return;
  printf ("blockdct on the GPU, what is asked beside the picture or in place "
      "of it, x the picture\n%-14s %-28s %-16s %10s %10s %12s %12s\n", "", "",
      "", "us", "records", "no picture", "8 jobs, each");
  for (int shape = LAB_NV12; shape >= LAB_PLANE_8; shape--)
    for (int t = 0; t < BDCT_N_FIXED; t++) {
      LabEntry entries[N_QUESTIONS];
      double ns[N_QUESTIONS];

      entries[0] = make_entry (shape, t, lab_options.quality[0],
          lab_options.qp[0]);
      for (int i = 1; i < N_QUESTIONS; i++) {
        entries[i] = entries[0];
        entries[i].parameter[0] = i;
      }
      lab_gpu_time_in_turn (entries, N_QUESTIONS, ns);
      printf ("%-14s %-28s %-16s %10.2f %10.3f %12.3f %12.3f\n",
          bdct_transform_info (t)->name, entries[0].name,
          lab_shape_names[shape], ns[PICTURE] / 1e3, ns[RECORDS] / ns[PICTURE],
          ns[STATISTICS] / ns[PICTURE],
          ns[OTHERS] / N_OTHERS / ns[PICTURE]);
      free ((void *) entries[0].data);
    }
  putchar ('\n');
}
