/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times a frame of NV12 on the GPU, by its size and its stride. Launches follow
 * each other in a walk through memory, so that the L2 never has their input,
 * and alternate with a copy of the frame. For a profiler it also launches each
 * kernel once over a large plane. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include "cuda/launch/selfcheck.h"
#include "dct/engine/engine.h"

#define WALK_BYTES ((size_t) 512 << 20)
#define N_RUNS 64               /* between two events */

typedef struct {
  int width, height;
  int stride;                   /* of luma; chroma's is the next even one */
} Size;

static const Size sizes[] = {
  {3840, 2160, 3840}, {1920, 1080, 1920}, {1280, 720, 1280},
  {1919, 1079, 1920}, {1919, 1079, 1919}
};

#define N_SIZES (sizeof sizes / sizeof sizes[0])

static cudaStream_t stream;
static cudaEvent_t events[3];
static BdctCudaDevice *device;
static BdctCudaAccumulator *cells;
static uint8_t *src, *dst;

static void
check (int err)
{
  if (err != cudaSuccess)
    lab_die ("frames: %s", cudaGetErrorString (err));
}

static BdctLayout
nv12 (const Size * size)
{
  return (BdctLayout) {.depth = 8,.chroma = BDCT_CHROMA_420,.n_planes = 2,
    .plane = {{size->width, size->height, 0, 1, {BDCT_Y}},
        {(size->width + 1) / 2, (size->height + 1) / 2, 0, 2,
            {BDCT_U, BDCT_V}}}
  };
}

static size_t
frame_bytes (const Size * size)
{
  return (size_t) size->stride * size->height
      + (size_t) (size->stride + 1) / 2 * 2 * ((size->height + 1) / 2);
}

/* Fill the source with the timed content, repeatedly. */
static void
fill_source (void)
{
  const size_t bytes = (size_t) LAB_WIDTH * 2160;
  int *samples = malloc (bytes * sizeof *samples);
  uint8_t *pattern = malloc (bytes);

  if (samples == NULL || pattern == NULL)
    lab_die ("out of memory");
  lab_fill_samples (lab_options.content, 8, LAB_WIDTH, 2160, samples);
  for (size_t i = 0; i < bytes; i++)
    pattern[i] = (uint8_t) samples[i];
  check (cudaMemcpyAsync (dst, pattern, bytes, cudaMemcpyHostToDevice, stream));
  check (lab_device_repeat ((uint32_t *) src, (uint32_t *) dst, bytes / 4,
          WALK_BYTES / bytes, stream));
  check (cudaStreamSynchronize (stream));
  free (samples);
  free (pattern);
}

/* Run on consecutive planes; the strides of later ones follow from the first
 * one's. */
static void
run (const BdctLayout * layout, int stride, const BdctJob * job, size_t at)
{
  BdctCudaWork work = {.quantizers = job,.n_quantizers = 1,.n_planes =
        layout->n_planes };
  const BdctCudaLaunch *passes[1];
  BdctCudaLaunch pass;
  BdctError error;

  for (int p = 0; p < layout->n_planes; p++) {
    BdctCudaPlane *plane = &work.plane[p];

    plane->layout = layout->plane[p];
    if (p > 0)
      stride = (stride + 1) / 2 * plane->layout.interleave;
    plane->src = (BdctSamples) { src + at, stride };
    plane->dst = (BdctSamples) { dst + at, stride };
    plane->last_column = plane->layout.width - 1;
    plane->accumulators = cells;
    at += (size_t) stride * plane->layout.height;
  }
  passes[0] = &pass;
  if (bdct_cuda_plan (device, &work, &pass, &error) != 1)
    lab_die ("frames: %s", error.message);
  check (bdct_cuda_launch (passes, 1, device, stream));
}

static double
elapsed_us (int from)
{
  float ms;

  check (cudaEventElapsedTime (&ms, events[from], events[from + 1]));
  return ms * 1e3 / N_RUNS;
}

/* Microseconds of a frame, and of its copy. */
static void
time_frame (const Size * size, const BdctJob * job, double us[2])
{
  const BdctLayout layout = nv12 (size);
  const size_t bytes = frame_bytes (size);
  const size_t stride = (bytes + 65535) / 65536 * 65536;
  const int n = lab_repetitions ();
  double times[2][64];
  size_t step = 0;

  for (int r = 0; r < n; r++) {
    check (cudaEventRecord (events[0], stream));
    for (int i = 0; i < N_RUNS; i++)
      run (&layout, size->stride, job, step++ % (WALK_BYTES / stride) * stride);
    check (cudaEventRecord (events[1], stream));
    for (int i = 0; i < N_RUNS; i++) {
      const size_t at = step++ % (WALK_BYTES / stride) * stride;

      check (cudaMemcpyAsync (dst + at, src + at, bytes,
              cudaMemcpyDeviceToDevice, stream));
    }
    check (cudaEventRecord (events[2], stream));
    check (cudaStreamSynchronize (stream));
    for (int i = 0; i < 2; i++)
      times[i][r] = elapsed_us (i);
  }
  for (int i = 0; i < 2; i++)
    us[i] = lab_median (times[i], n);
}

static void
job_init (BdctJob * job, BdctTransform transform, const BdctLayout * layout)
{
  const BdctParams params = lab_params (transform, lab_options.quality[0],
      lab_options.qp[0]);
  BdctError error;

  if (!bdct_job_init (job, &params, layout, &error))
    lab_die ("frames: %s", error.message);
}

static void
print_transform (BdctTransform transform)
{
  double even = 0;

  printf ("%-14s", bdct_transform_info (transform)->name);
  for (size_t i = 0; i < N_SIZES; i++) {
    const BdctLayout layout = nv12 (&sizes[i]);
    const bool odd = sizes[i].width % 2;
    double us[2];
    BdctJob job;

    job_init (&job, transform, &layout);
    time_frame (&sizes[i], &job, us);
    if (sizes[i].width == 1920)
      even = us[0];
    printf (" %9.2f %6.2f", us[0], us[0] / (odd ? even : us[1]));
  }
  putchar ('\n');
}

static void
open_device (void)
{
  check (cudaStreamCreate (&stream));
  for (int i = 0; i < 3; i++)
    check (cudaEventCreate (&events[i]));
  check (bdct_cuda_open (&device, lab_options.cuda_cores ? NULL
          : bdct_selfcheck, (cudaStream_t[BDCT_CUDA_STREAMS]) {
            stream, stream, stream}));
  check (cudaMalloc ((void **) &src, WALK_BYTES));
  check (cudaMalloc ((void **) &dst, WALK_BYTES));
  check (cudaMalloc ((void **) &cells, BDCT_CUDA_ACCUMULATORS * sizeof *cells));
  check (cudaMemset (cells, 0, BDCT_CUDA_ACCUMULATORS * sizeof *cells));
  fill_source ();
}

static void
close_device (void)
{
  check (cudaStreamSynchronize (stream));
  bdct_cuda_close (device, true);
  check (cudaFree (src));
  check (cudaFree (dst));
  check (cudaFree (cells));
  for (int i = 0; i < 3; i++)
    check (cudaEventDestroy (events[i]));
  check (cudaStreamDestroy (stream));
}

void
lab_frames_print (void)
{
  if (!lab_wants ("blockdct"))
    return;
  open_device ();
  printf ("blockdct on the GPU, one frame of NV12: us, and times its copy; of "
      "odd sizes times the even one\n%-14s", "");
  for (size_t i = 0; i < N_SIZES; i++) {
    char text[32];

    snprintf (text, sizeof text, "%dx%d/%d", sizes[i].width, sizes[i].height,
        sizes[i].stride);
    printf (" %16s", text);
  }
  putchar ('\n');
  /* The engine handles the others: bits.c and `pipeline` time them. */
  for (int t = 0; t < BDCT_N_FIXED; t++)
    print_transform (t);
  putchar ('\n');
  close_device ();
}

void
lab_frames_profile (void)
{
  open_device ();
  for (int depth = 8; depth <= 10; depth += 2)
    for (int t = 0; t < BDCT_N_FIXED; t++) {
      const BdctLayout layout = {.depth = depth,.chroma = BDCT_CHROMA_400,
        .n_planes = 1,.plane = {{LAB_WIDTH, 16 * 2160, 0, 1, {BDCT_Y}}}
      };
      BdctJob job;

      job_init (&job, t, &layout);
      run (&layout, LAB_WIDTH * bdct_layout_sample_size (&layout), &job, 0);
    }
  close_device ();
}
