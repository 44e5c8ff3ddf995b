/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints when the stages of frames run on the GPU, by CUDA events around each,
 * to show that uploads, kernels and downloads of different frames overlap.
 *
 *   pipeline-timeline [DEPTH [WIDTH HEIGHT]]     4, 3840x2160 NV12
 *   pipeline-timeline --pageable ...             from and to pageable memory
 *
 * The engine's own calls are timed: the linker puts the functions below between
 * it and the runtime (--wrap). Exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/launch/dispatch.h"
#include "dct/engine/engine.h"

#define N_FRAMES 24
#define FIRST_SHOWN 16
#define MAX_SPANS 16384

/* A smaller copy is not of a frame. */
#define MIN_SIZE 65536

typedef enum { UPLOAD, KERNEL, DOWNLOAD, N_STAGES } Stage;

static const char *const stage_names[] = { "upload", "kernel", "download" };

typedef struct {
  Stage stage;
  int frame;
  cudaEvent_t begin, end;
} Span;

static Span spans[MAX_SPANS];
static int n_spans, frame;
static bool recording;

static void
must (cudaError_t err, const char *what)
{
  if (err != cudaSuccess) {
    fprintf (stderr, "%s: %s\n", what, cudaGetErrorString (err));
    exit (1);
  }
}

static Span *
begin_span (Stage stage, cudaStream_t stream)
{
  Span *span = &spans[n_spans];

  if (!recording || n_spans == MAX_SPANS)
    return NULL;
  n_spans++;
  span->stage = stage;
  span->frame = frame;
  must (cudaEventCreate (&span->begin), "cudaEventCreate");
  must (cudaEventCreate (&span->end), "cudaEventCreate");
  must (cudaEventRecord (span->begin, stream), "cudaEventRecord");
  return span;
}

static void
end_span (Span * span, cudaStream_t stream)
{
  if (span != NULL)
    must (cudaEventRecord (span->end, stream), "cudaEventRecord");
}

cudaError_t __real_bdct_cuda_launch (const BdctCudaLaunch * const *passes,
    int n_passes, BdctCudaDevice * device, cudaStream_t stream);
cudaError_t __wrap_bdct_cuda_launch (const BdctCudaLaunch * const *passes,
    int n_passes, BdctCudaDevice * device, cudaStream_t stream);
cudaError_t __real_cudaMemcpyAsync (void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync (void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t
__wrap_bdct_cuda_launch (const BdctCudaLaunch * const *passes, int n_passes,
    BdctCudaDevice * device, cudaStream_t stream)
{
  Span *span = begin_span (KERNEL, stream);
  cudaError_t err =
      __real_bdct_cuda_launch (passes, n_passes, device, stream);

  end_span (span, stream);
  return err;
}

cudaError_t
__wrap_cudaMemcpyAsync (void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  Span *span = size < MIN_SIZE ? NULL
      : begin_span (kind == cudaMemcpyHostToDevice ? UPLOAD : DOWNLOAD, stream);
  cudaError_t err = __real_cudaMemcpyAsync (to, from, size, kind, stream);

  end_span (span, stream);
  return err;
}

static uint8_t *
allocate (size_t size, bool pageable)
{
  uint8_t *memory = NULL;

  if (pageable)
    memory = malloc (size);
  else
    must (cudaHostAlloc ((void **) &memory, size, cudaHostAllocDefault),
        "cudaHostAlloc");
  if (memory == NULL)
    exit (1);
  for (size_t i = 0; i < size; i++)
    memory[i] = i * 7 + (i >> 9);
  return memory;
}

/* Several uploads of one frame are shown as one. */
static bool
find (int n, Stage stage, float *begin, float *end)
{
  bool found = false;

  for (int i = 0; i < n_spans; i++) {
    float from, to;

    if (spans[i].frame != n || spans[i].stage != stage)
      continue;
    must (cudaEventElapsedTime (&from, spans[0].begin, spans[i].begin),
        "cudaEventElapsedTime");
    must (cudaEventElapsedTime (&to, spans[0].begin, spans[i].end),
        "cudaEventElapsedTime");
    *begin = found && *begin < from ? *begin : from;
    *end = found && *end > to ? *end : to;
    found = true;
  }
  return found;
}

static void
show (int depth)
{
  float first = 0, last = 0, busy[N_STAGES] = { 0 };

  printf ("us from the first one's start; depth %d\nframe", depth);
  for (int s = 0; s < N_STAGES; s++)
    printf ("%*s", s == 0 ? 18 : 20, stage_names[s]);
  printf ("\n");
  for (int n = FIRST_SHOWN; n < N_FRAMES; n++) {
    printf ("%5d", n);
    for (int s = 0; s < N_STAGES; s++) {
      float begin, end;

      if (!find (n, s, &begin, &end)) {
        printf ("%20s", "-");
        continue;
      }
      printf ("  %8.1f-%8.1f", begin * 1e3, end * 1e3);
      busy[s] += end - begin;
      first = n == FIRST_SHOWN && s == 0 ? begin : first;
      last = end > last ? end : last;
    }
    printf ("\n");
  }
  printf ("%d frames in %.1f us, %.1f a frame; ", N_FRAMES - FIRST_SHOWN,
      (last - first) * 1e3, (last - first) * 1e3 / (N_FRAMES - FIRST_SHOWN));
  for (int s = 0; s < N_STAGES; s++)
    printf ("%s %.1f%s", stage_names[s], busy[s] * 1e3 / (N_FRAMES
            - FIRST_SHOWN), s + 1 < N_STAGES ? ", " : "");
  printf (" each; together %.2f times the time that passed\n",
      (busy[UPLOAD] + busy[KERNEL] + busy[DOWNLOAD]) / (last - first));
}

int
main (int argc, char **argv)
{
  bool pageable = argc > 1 && strcmp (argv[1], "--pageable") == 0;
  char **arg = argv + 1 + pageable;
  int n = argc - 1 - pageable;
  int depth = n > 0 ? atoi (arg[0]) : 4;
  int width = n > 2 ? atoi (arg[1]) : 3840, height = n > 2 ? atoi (arg[2])
      : 2160;
  BdctLayout layout = { .depth = 8, BDCT_CHROMA_420, 2, {{width, height, 0, 1,
              {BDCT_Y}}, {width / 2, height / 2, 0, 2, {BDCT_U, BDCT_V}}}, {0}
  };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctEngineOptions options = { 0 };
  BdctError error = { "" };
  BdctEngine *engine;
  BdctFrame frames[BDCT_MAX_DEPTH];
  BdctJob job;

  if (depth < 1 || depth > BDCT_MAX_DEPTH || width < 2 || height < 2
      || width % 2 || height % 2) {
    fprintf (stderr, "usage: %s [--pageable] [DEPTH [WIDTH HEIGHT]]\n",
        argv[0]);
    return 2;
  }
  if (bdct_cuda_engine.count_devices (&error) == 0) {
    printf ("no GPU: %s\n", error.message);
    return 77;
  }
  engine = bdct_cuda_engine.create (&options, &error);
  if (engine == NULL || !bdct_job_init (&job, &params, &layout, &error)
      || !engine->klass->configure (engine, &layout, depth, &error)) {
    fprintf (stderr, "%s\n", error.message);
    return 1;
  }
  for (int i = 0; i < depth; i++) {
    frames[i] = (BdctFrame) {.quantizers = &job,.n_quantizers = 1 };
    for (int j = 0; j < 2; j++) {
      BdctImage *image = j ? &frames[i].dst : &frames[i].src;
      uint8_t *memory = allocate ((size_t) width * height * 3 / 2, pageable);

      *image = (BdctImage) { BDCT_MEMORY_HOST, {memory, memory
            + (size_t) width * height}, {width, width} };
    }
  }
  printf ("%s, NV12 %dx%d, %s memory\n", engine->description, width, height,
      pageable ? "pageable" : "pinned");
  for (frame = 0; frame < N_FRAMES + depth; frame++) {
    recording = frame >= FIRST_SHOWN && frame < N_FRAMES;
    if ((frame >= depth
            && !engine->klass->collect (engine, NULL, &error))
        || (frame < N_FRAMES && !engine->klass->submit (engine,
                &frames[frame % depth], &error))) {
      fprintf (stderr, "%s\n", error.message);
      return 1;
    }
  }
  must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  show (depth);
  engine->klass->destroy (engine);
  return 0;
}
