/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times frames of R, G and B in device memory, by format and subsampling: a
 * frame of the CUDA engine with its statistics, with eight in flight; a copy of
 * the pixels; and alone, in their own stream, the kernel from pixels to planes
 * and the one from planes to pixels. Run by hand:
 *   rgb-cuda [WIDTH HEIGHT [FORMAT]]
 * Prints medians, in microseconds. Frames alternate, so that the GPU's cache
 * never has their pixels. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/kernels/colour.h"
#include "dct/engine/engine.h"

#define FRAMES 8
#define ROUNDS 15
#define RUNS 200

static int width = 3840, height = 2160;

static void
die (const char *text)
{
  fprintf (stderr, "%s\n", text);
  exit (1);
}

static void
must (cudaError_t error)
{
  if (error != cudaSuccess)
    die (cudaGetErrorString (error));
}

typedef struct
{
  BdctEngine *engine;
  BdctFrame frame[FRAMES];
  BdctCudaColour colour[FRAMES];
  size_t size;                  /* of an image */
  cudaStream_t stream;
  cudaEvent_t begin, end;
} Task;

static void
run_engine (Task * task, int n)
{
  const BdctEngineClass *klass = task->engine->klass;
  BdctStats stats;
  BdctError error;

  must (cudaEventRecord (task->begin, task->stream));
  for (int i = 0; i < n + FRAMES; i++) {
    if (i >= FRAMES && !klass->collect (task->engine, &stats, &error))
      die (error.message);
    if (i < n && !klass->submit (task->engine, &task->frame[i % FRAMES],
            &error))
      die (error.message);
  }
  must (cudaEventRecord (task->end, task->stream));
}

static void
run_copy (Task * task, int n)
{
  must (cudaEventRecord (task->begin, task->stream));
  for (int i = 0; i < n; i++) {
    const BdctFrame *frame = &task->frame[i % FRAMES];

    must (cudaMemcpyAsync (frame->dst.data[0], frame->src.data[0], task->size,
            cudaMemcpyDeviceToDevice, task->stream));
  }
  must (cudaEventRecord (task->end, task->stream));
}

static void
run_split (Task * task, int n)
{
  must (cudaEventRecord (task->begin, task->stream));
  for (int i = 0; i < n; i++)
    must (bdct_cuda_rgb_to_planes_launch (&task->colour[i % FRAMES],
            task->stream));
  must (cudaEventRecord (task->end, task->stream));
}

static void
run_join (Task * task, int n)
{
  must (cudaEventRecord (task->begin, task->stream));
  for (int i = 0; i < n; i++)
    must (bdct_cuda_planes_to_rgb_launch (&task->colour[i % FRAMES], NULL,
            task->stream));
  must (cudaEventRecord (task->end, task->stream));
}

static int
compare (const void *a, const void *b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

static double
median (Task * task, void (*run) (Task *, int))
{
  float times[ROUNDS];

  run (task, RUNS);
  for (int i = 0; i < ROUNDS; i++) {
    run (task, RUNS);
    must (cudaEventSynchronize (task->end));
    must (cudaEventElapsedTime (&times[i], task->begin, task->end));
  }
  qsort (times, ROUNDS, sizeof times[0], compare);
  return times[ROUNDS / 2] * 1e3 / RUNS;
}

/* The pixels affect the time only by their levels. */
static uint8_t *
allocate (size_t size)
{
  uint8_t *host = malloc (size), *device;

  if (host == NULL)
    die ("out of memory");
  for (size_t i = 0; i < size; i++)
    host[i] = (uint8_t) (i * i >> 13);
  must (cudaMalloc ((void **) &device, size));
  must (cudaMemcpy (device, host, size, cudaMemcpyHostToDevice));
  free (host);
  return device;
}

/* Describe planes in the engine's layout. */
static void
describe_planes (const BdctLayout * layout, uint8_t * memory,
    BdctImage * image)
{
  const int columns = (width + BDCT_CUDA_COLOUR_ALIGN - 1)
      / BDCT_CUDA_COLOUR_ALIGN * BDCT_CUDA_COLOUR_ALIGN;

  for (int p = 0; p < layout->n_planes; p++) {
    image->memory = BDCT_MEMORY_DEVICE;
    image->data[p] = memory;
    image->stride[p] = columns >> bdct_layout_sub_x (layout, p);
    memory += image->stride[p] * layout->plane[p].height;
  }
}

static void
time_format (const char *name, const BdctRgb * rgb, BdctChromaFormat chroma,
    const char *sampling)
{
  const size_t stride = ((size_t) width * rgb->bytes + 255) / 256 * 256;
  const BdctParams params = BDCT_PARAMS_DEFAULT;
  const BdctEngineOptions options = { 0 };
  uint8_t *memory[FRAMES][2], *planes;
  BdctLayout layout;
  BdctError error;
  BdctJob job;
  Task task = {.size = stride * height * rgb->n_planes };

  bdct_layout_init_rgb (&layout, rgb, width, height, chroma);
  task.engine = bdct_cuda_engine.create (&options, &error);
  if (task.engine == NULL || !bdct_job_init (&job, &params, &layout, &error)
      || !task.engine->klass->configure (task.engine, &layout, FRAMES, &error))
    die (error.message);
  must (cudaStreamCreate (&task.stream));
  must (cudaEventCreate (&task.begin));
  must (cudaEventCreate (&task.end));
  planes = allocate ((size_t) 4 * (width + BDCT_CUDA_COLOUR_ALIGN) * height
      + BDCT_CUDA_ACCUMULATORS * sizeof (BdctCudaAccumulator));
  for (int i = 0; i < FRAMES; i++) {
    BdctFrame *frame = &task.frame[i];
    BdctCudaColour *colour = &task.colour[i];

    *frame = (BdctFrame) {.quantizers = &job,.n_quantizers = 1 };
    frame->src.memory = frame->dst.memory = BDCT_MEMORY_DEVICE;
    for (int k = 0; k < 2; k++) {
      BdctImage *image = k ? &frame->dst : &frame->src;

      memory[i][k] = allocate (task.size);
      for (int p = 0; p < rgb->n_planes; p++) {
        image->data[p] = memory[i][k] + p * stride * height;
        image->stride[p] = stride;
      }
    }
    *colour = (BdctCudaColour) {
    .layout = layout,.src = frame->src,.dst = frame->dst,.accumulators =
          (BdctCudaAccumulator *) planes};
    describe_planes (&layout,
        planes + BDCT_CUDA_ACCUMULATORS * sizeof (BdctCudaAccumulator),
        &colour->planes);
    colour->rec = colour->shown = colour->planes;
  }
  printf ("%-6s %s %8.1f %8.1f %8.1f %8.1f\n", name, sampling,
      median (&task, run_engine), median (&task, run_copy),
      median (&task, run_split), median (&task, run_join));
  task.engine->klass->destroy (task.engine);
  for (int i = 0; i < FRAMES; i++)
    for (int k = 0; k < 2; k++)
      must (cudaFree (memory[i][k]));
  must (cudaFree (planes));
  must (cudaEventDestroy (task.begin));
  must (cudaEventDestroy (task.end));
  must (cudaStreamDestroy (task.stream));
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    BdctRgb rgb;
  } formats[] = {
    {"BGRx", {1, 4, {0, 0, 0}, {2, 1, 0}}},
    {"RGB", {1, 3, {0, 0, 0}, {0, 1, 2}}},
    {"GBR", {3, 1, {2, 0, 1}, {0, 0, 0}}},
  };
  static const struct
  {
    const char *name;
    BdctChromaFormat chroma;
  } samplings[] = {
    {"4:2:0", BDCT_CHROMA_420}, {"4:2:2", BDCT_CHROMA_422},
    {"4:4:0", BDCT_CHROMA_440}, {"4:4:4", BDCT_CHROMA_444},
  };

  if (argc >= 3) {
    width = atoi (argv[1]);
    height = atoi (argv[2]);
  }
  if (argc == 2 || argc > 4 || width < 1 || height < 1)
    die ("rgb-cuda [WIDTH HEIGHT [FORMAT]]");
  printf ("%dx%d, us    frame     copy    split     join\n", width, height);
  for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
    for (size_t s = 0; s < sizeof samplings / sizeof samplings[0]
        && (argc < 4 || strcmp (argv[3], formats[f].name) == 0); s++)
      time_format (formats[f].name, &formats[f].rgb, samplings[s].chroma,
          samplings[s].name);
  return 0;
}
