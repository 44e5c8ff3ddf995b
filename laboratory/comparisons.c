/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times comparisons of NV12 pictures of 3840 x 2160 (dct/engine/compare.h):
 * squared errors, with views, and each metric. Several are in flight, each with
 * its own pictures, so that no cache has them. On the GPU they are in device
 * memory, and compared with a copy of such a picture there; on the CPU there is
 * one thread, compared with reading both pictures. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "dct/engine/engine.h"
#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#define WIDTH 3840
#define HEIGHT 2160
#define BYTES ((size_t) WIDTH * HEIGHT * 3 / 2)
#define FRAMES 8
#define LEAST_SECONDS 0.2

/* The reference, the distorted picture, and the view. */
enum { REFERENCE, DISTORTED, DRAWN, N_IMAGES };

typedef struct {
  BdctEngine *engine;           /* NULL: a copy, or reading */
  BdctComparison comparison;
  uint8_t *memory[FRAMES];      /* of the images, consecutively */
  bool on_device;
} Task;

static volatile uint64_t seen;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static BdctImage
image_of (const Task * task, int frame, int which)
{
  uint8_t *data = task->memory[frame] + which * BYTES;

  return (BdctImage) {
    .memory = task->on_device ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST,
    .data = {data, data + (size_t) WIDTH * HEIGHT},
    .stride = {WIDTH, WIDTH}
  };
}

static void
run_engine (Task * task, int n)
{
  const BdctEngineClass *klass = task->engine->klass;
  BdctStats stats;
  BdctError error;

  for (int i = 0; i < n + FRAMES; i++) {
    BdctComparison *c = &task->comparison;

    if (i >= FRAMES && i - FRAMES < n
        && !klass->collect (task->engine, &stats, &error))
      lab_die ("comparisons: %s", error.message);
    if (i >= n)
      continue;
    c->reference.image = image_of (task, i % FRAMES, REFERENCE);
    c->distorted[0].image = image_of (task, i % FRAMES, DISTORTED);
    c->dst = image_of (task, i % FRAMES, DRAWN);
    c->number = i;
    if (!klass->compare (task->engine, c, &error))
      lab_die ("comparisons: %s", error.message);
  }
}

/* Read every byte of both pictures. */
static void
read_pictures (const Task * task, int frame)
{
  const uint64_t *words = (const uint64_t *) task->memory[frame];
  uint64_t sum = 0;

  for (size_t i = 0; i < 2 * BYTES / sizeof *words; i++)
    sum += words[i];
  seen += sum;
}

static void
run_least (Task * task, int n)
{
  for (int i = 0; i < n; i++) {
#ifdef HAVE_CUDA
    uint8_t *at = task->memory[i % FRAMES];

    if (task->on_device && cudaMemcpyAsync (at + DRAWN * BYTES, at, BYTES,
            cudaMemcpyDeviceToDevice, NULL) != cudaSuccess)
      lab_die ("comparisons: no copy");
#endif
    if (!task->on_device)
      read_pictures (task, i % FRAMES);
  }
#ifdef HAVE_CUDA
  if (task->on_device && cudaStreamSynchronize (NULL) != cudaSuccess)
    lab_die ("comparisons: no copy");
#endif
}

/* Microseconds of one task. */
static double
time_task (Task * task, void (*run) (Task *, int))
{
  const int repetitions = lab_repetitions () < 5 ? 1 : 5;
  double seconds, us[5];
  int n = FRAMES;

  run (task, n);
  for (;; n *= 2) {
    const double start = now ();

    run (task, n);
    seconds = now () - start;
    if (seconds > LEAST_SECONDS / 2)
      break;
  }
  for (int i = 0; i < repetitions; i++) {
    const double start = now ();

    run (task, n);
    us[i] = (now () - start) * 1e6 / n;
  }
  return lab_median (us, repetitions);
}

static void
print_row (const char *name, double us, double least)
{
  printf ("%-24s %10.2f us %8.2f\n", name, us, us / least);
}

static void
run_rows (Task * task)
{
  const double least = time_task (task, run_least);
  BdctView view = BDCT_VIEW_DEFAULT;

  print_row (task->on_device ? "copy of a picture" : "reading both", least,
      least);
  task->comparison = (BdctComparison) {
    .n_distorted = 1,.errors = true,.frame_rate = 50,.left = -1
  };
  print_row ("errors", time_task (task, run_engine), least);
  task->comparison.view = &view;
  bdct_view_colours (&view, 8, 0.2126, 0.0722, false);
  for (int mode = 0; mode < BDCT_N_VIEWS; mode++) {
    char name[64];

    if (!bdct_view_is_of_two (mode))
      continue;
    view.mode = mode;
    snprintf (name, sizeof name, "errors, %s", bdct_view_info (mode)->name);
    print_row (name, time_task (task, run_engine), least);
  }
  task->comparison.view = NULL;
  task->comparison.errors = false;
  for (int m = 0; m < BDCT_N_METRICS; m++) {
    task->comparison.metrics = 1u << m;
    print_row (bdct_metric_info (m)->name, time_task (task, run_engine),
        least);
  }
  putchar ('\n');
}

/* Fill the images with a pattern that does not repeat. */
static void
fill (uint8_t * images)
{
  uint32_t noise = 1;

  for (size_t i = 0; i < N_IMAGES * BYTES; i++) {
    noise = noise * 1664525 + 1013904223;
    images[i] = (uint8_t) (i / 5 + (noise >> 30));
  }
}

static void
open_engine (Task * task, const BdctEngineClass * klass, unsigned threads)
{
  const BdctEngineOptions options = {.threads = threads };
  const BdctLayout layout = {.depth = 8,.chroma = BDCT_CHROMA_420,
    .n_planes = 2,.plane = {{WIDTH, HEIGHT, 0, 1, {BDCT_Y}},
        {WIDTH / 2, HEIGHT / 2, 0, 2, {BDCT_U, BDCT_V}}}
  };
  BdctError error;

  task->engine = klass->create (&options, &error);
  if (task->engine == NULL
      || !klass->configure (task->engine, &layout, FRAMES, &error))
    lab_die ("comparisons: %s", error.message);
  printf ("comparisons of NV12 in %d x %d on %s, and times the first row:\n",
      WIDTH, HEIGHT, task->engine->description);
}

void
lab_comparisons_print (bool gpu)
{
  uint8_t *images[FRAMES];
  Task task = { 0 };

  for (int i = 0; i < FRAMES; i++) {
    task.memory[i] = images[i] = malloc (N_IMAGES * BYTES);
    if (images[i] == NULL)
      lab_die ("out of memory");
    fill (images[i]);
  }
  open_engine (&task, &bdct_cpu_engine, 1);
  run_rows (&task);
  task.engine->klass->destroy (task.engine);
#ifdef HAVE_CUDA
  task.on_device = true;
  for (int i = 0; i < FRAMES && gpu; i++)
    if (cudaMalloc ((void **) &task.memory[i], N_IMAGES * BYTES) != cudaSuccess
        || cudaMemcpy (task.memory[i], images[i], N_IMAGES * BYTES,
            cudaMemcpyHostToDevice) != cudaSuccess)
      lab_die ("comparisons: no memory on the GPU");
  if (gpu) {
    open_engine (&task, &bdct_cuda_engine, 0);
    run_rows (&task);
    task.engine->klass->destroy (task.engine);
  }
  for (int i = 0; i < FRAMES && gpu; i++)
    cudaFree (task.memory[i]);
#else
  (void) gpu;
#endif
  for (int i = 0; i < FRAMES; i++)
    free (images[i]);
}
