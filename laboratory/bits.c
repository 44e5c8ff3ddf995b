/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times the cost of bits on the GPU, through the CUDA engine as a program uses
 * it: wall-clock time, including the host's part. Frames are in device
 * memory. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <time.h>
#include "dct/engine/engine.h"

#define HEIGHT 2160
#define MAX_FRAMES 64           /* maximum number of frames timed together */
#define MAX_SETTINGS 100

static BdctEngine *engine;
static BdctImage src, dst;

static void
check (bool ok, const BdctError * error)
{
  if (!ok)
    lab_die ("the CUDA engine: %s", error->message);
}

static BdctLayout
nv12 (int width, int height)
{
  return (BdctLayout) {
    .depth = 8,.chroma = BDCT_CHROMA_420,.n_planes = 2,
    .plane = {{width, height, 0, 1, {BDCT_Y}},
        {width / 2, height / 2, 0, 2, {BDCT_U, BDCT_V}}}
  };
}

/* A frame on the device; smaller frames are parts of it. */
static void
image_init (BdctImage * image)
{
  const size_t luma = (size_t) LAB_WIDTH * HEIGHT;
  int *samples = malloc (luma * 3 / 2 * sizeof *samples);
  uint8_t *bytes = malloc (luma * 3 / 2), *memory;

  if (samples == NULL || bytes == NULL)
    lab_die ("out of memory");
  lab_fill_samples (lab_options.content, 8, LAB_WIDTH, HEIGHT * 3 / 2, samples);
  for (size_t i = 0; i < luma * 3 / 2; i++)
    bytes[i] = (uint8_t) samples[i];
  if (cudaMalloc ((void **) &memory, luma * 3 / 2) != cudaSuccess
      || cudaMemcpy (memory, bytes, luma * 3 / 2, cudaMemcpyHostToDevice)
      != cudaSuccess)
    lab_die ("no GPU memory for a frame");
  *image = (BdctImage) {.memory = BDCT_MEMORY_DEVICE,
    .data = {memory, memory + luma},.stride = {LAB_WIDTH, LAB_WIDTH}
  };
  free (samples);
  free (bytes);
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void
collect (BdctStats * stats)
{
  BdctError error;

  check (engine->klass->collect (engine, stats, &error), &error);
}

/* Microseconds a frame, over `n` frames with `depth` in flight. They take
 * `n_jobs` jobs in turn, and have a source for all of these. */
static double
time_frames (const BdctFrame * frame, int n_jobs, int n, int depth,
    BdctStats * stats)
{
  double start = now ();
  BdctError error;

  for (int i = 0; i < n; i++) {
    BdctFrame own = *frame;

    own.quantizers += i % n_jobs;
    own.same_source = i % n_jobs > 0;
    if (i >= depth)
      collect (stats);
    check (engine->klass->submit (engine, &own, &error), &error);
  }
  for (int i = n < depth ? n : depth; i > 0; i--)
    collect (stats);
  return (now () - start) / n;
}

/* Time frames alternately without bits and with them. */
static void
time_in_turn (const BdctLayout * layout, BdctFrame * frame, int n_jobs, int n,
    int depth, double us[2], BdctStats * stats)
{
  double times[2][64];
  int repetitions = lab_repetitions ();
  BdctError error;

  check (engine->klass->configure (engine, layout, depth, &error), &error);
  for (int r = -1; r < repetitions; r++)
    for (int rate = 0; rate < 2; rate++) {
      double t;

      frame->bits = rate;
      t = time_frames (frame, n_jobs, n, depth, stats);
      if (r >= 0)
        times[rate][r] = t;
    }
  for (int rate = 0; rate < 2; rate++)
    us[rate] = lab_median (times[rate], repetitions);
}

static void
job_init (BdctJob * job, BdctTransform transform, int setting,
    const BdctLayout * layout)
{
  bool has_qp = bdct_transform_info (transform)->has_qp;
  const BdctParams params = lab_params (transform,
      has_qp ? lab_options.quality[0] : setting,
      has_qp ? setting : lab_options.qp[0]);
  BdctError error;

  check (bdct_job_init (job, &params, layout, &error), &error);
}

static void
print_frame (BdctTransform transform)
{
  bool has_qp = bdct_transform_info (transform)->has_qp;
  const BdctLayout layout = nv12 (LAB_WIDTH, HEIGHT);
  BdctFrame frame = {.n_quantizers = 1,.src = src,.dst = dst };
  BdctStats stats;
  double us[2];
  BdctJob job;

  job_init (&job, transform, has_qp ? lab_options.qp[0]
      : lab_options.quality[0], &layout);
  frame.quantizers = &job;
  time_in_turn (&layout, &frame, 1, MAX_FRAMES, 16, us, &stats);
  printf ("%-14s %10.1f %10.1f %12.0f %8.3f\n",
      bdct_transform_info (transform)->name, us[0], us[1], 1e6 / us[1],
      (double) bdct_stats_total (&stats).bits / LAB_WIDTH / HEIGHT);
}

static void
print_curve (BdctTransform transform, int first, int last)
{
  const BdctLayout layout = nv12 (1920, 1080);
  const int n = last - first + 1;
  static BdctJob jobs[MAX_SETTINGS];
  BdctFrame frame = {.quantizers = jobs,.n_quantizers = 1,.src = src };
  BdctStats stats;
  double alone[2], many[2];

  for (int i = 0; i < n; i++)
    job_init (&jobs[i], transform, first + i, &layout);
  time_in_turn (&layout, &frame, n, n, 1, alone, &stats);
  time_in_turn (&layout, &frame, n, 4 * n, 8, many, &stats);
  printf ("%-14s %10d %10.3f %10.3f %10.3f %10.3f\n",
      bdct_transform_info (transform)->name, n, alone[0] * n / 1e3,
      alone[1] * n / 1e3, many[0] * n / 1e3, many[1] * n / 1e3);
}

void
lab_bits_print (void)
{
  const BdctEngineOptions options = { 0 };
  BdctError error;

  if (!lab_wants ("blockdct"))
    return;
  engine = bdct_cuda_engine.create (&options, &error);
  check (engine != NULL, &error);
  image_init (&src);
  image_init (&dst);
  printf ("blockdct's CUDA engine, bits: NV12 %d x %d in device memory, 16 in "
      "flight\n%-14s %10s %10s %12s %8s\n", LAB_WIDTH, HEIGHT, "",
      "us without", "us with", "frames/s", "bpp");
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    print_frame (t);
  printf ("\na curve: all settings of a frame of NV12 1920 x 1080\n"
      "%-14s %10s %21s %21s\n%-14s %10s %10s %10s %10s %10s\n", "", "",
      "ms, one by one", "ms, 8 in flight", "", "settings", "without", "with",
      "without", "with");
  print_curve (BDCT_JPEG_8X8, 1, 100);
  print_curve (BDCT_HEVC_8X8, 0, 51);
  print_curve (BDCT_HEVC_32X32, 0, 51);
  putchar ('\n');
  engine->klass->destroy (engine);
  cudaFree (src.data[0]);
  cudaFree (dst.data[0]);
}
