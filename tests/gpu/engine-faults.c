/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CUDA engine refuses, and what it says and does when the GPU is full,
 * and when a launch fails and takes the context with it.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dct/engine/engine.h"

#define WIDTH 4096
#define HEIGHT 4096

static int passed, failed;
static const BdctEngineOptions options;
static const BdctLayout layout = {
  .depth = 8, .chroma = BDCT_CHROMA_400, .n_planes = 1,
  .plane = {{WIDTH, HEIGHT, 0, 1, {BDCT_Y}}},
};

static void
expect (bool ok, const char *what, const char *message)
{
  ok ? passed++ : failed++;
  printf ("%s %s: %s\n", ok ? "ok  " : "FAIL", what, message);
}

static BdctEngine *
open_engine (BdctJob * job)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  BdctEngine *engine = bdct_cuda_engine.create (&options, &error);

  if (engine == NULL || !bdct_job_init (job, &params, &layout, &error)
      || !engine->klass->configure (engine, &layout, 2, &error)) {
    printf ("%s\n0 passed, 1 failed, 0 skipped\n", error.message);
    exit (1);
  }
  return engine;
}

/* All of the device's memory, in pieces, the last ones small. */
static size_t
fill_device (void **pieces, size_t max)
{
  size_t n = 0;

  for (size_t size = (size_t) 1 << 32; size >= 1 << 20; size /= 2)
    while (n < max && cudaMalloc (&pieces[n], size) == cudaSuccess)
      n++;
  (void) cudaGetLastError ();
  return n;
}

static void
run_full_device (void)
{
  static void *pieces[4096];
  BdctJob job;
  BdctEngine *engine = open_engine (&job);
  BdctError error = { "" };
  BdctImage src = {.data = {calloc (WIDTH, HEIGHT)},.stride = {WIDTH} };
  BdctImage dst = {.data = {calloc (WIDTH, HEIGHT)},.stride = {WIDTH} };
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.src = src,.dst =
        dst };
  size_t n = fill_device (pieces, sizeof pieces / sizeof pieces[0]);
  BdctStats stats;

  if (src.data[0] == NULL || dst.data[0] == NULL)
    abort ();
  expect (!engine->klass->submit (engine, &frame, &error)
      && strstr (error.message, "async-depth") != NULL,
      "a frame on a full device is refused, with a cure", error.message);
  expect (!engine->klass->collect (engine, &stats, &error),
      "nothing was started", error.message);
  while (n > 0)
    cudaFree (pieces[--n]);
  expect (engine->klass->submit (engine, &frame, &error)
      && engine->klass->collect (engine, &stats, &error)
      && stats.component[BDCT_Y].samples == (uint64_t) WIDTH * HEIGHT,
      "the engine goes on once there is memory", engine->description);
  engine->klass->destroy (engine);
  free (src.data[0]);
  free (dst.data[0]);
}

/* Last: the process's context does not survive it. */
static void
run_failed_launch (void)
{
  BdctJob job;
  BdctEngine *engine = open_engine (&job);
  BdctError error = { "" };
  /* Its second row is where no memory is. */
  BdctImage nowhere = {.memory = BDCT_MEMORY_DEVICE,
    .stride = {(ptrdiff_t) 1 << 34}
  };
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1 };
  BdctStats stats;

  if (cudaMalloc (&nowhere.data[0], WIDTH) != cudaSuccess)
    abort ();
  frame.src = frame.dst = nowhere;
  expect (!bdct_cuda_engine.is_lost (&options.context),
      "the context is there", "");
  expect (engine->klass->submit (engine, &frame, &error),
      "an image outside the memory is submitted", engine->description);
  expect (!engine->klass->collect (engine, &stats, &error)
      && strstr (error.message, "context is lost") != NULL,
      "its launch fails, with a cure", error.message);
  expect (!engine->klass->submit (engine, &frame, &error)
      || !engine->klass->collect (engine, &stats, &error),
      "the next frame fails too", error.message);
  engine->klass->destroy (engine);
  expect (bdct_cuda_engine.is_lost (&options.context),
      "the context is lost", "");
  expect (bdct_cuda_engine.create (&options, &error) == NULL,
      "no new engine on the lost context", error.message);
}

static void
refuse (BdctEngine * engine, const BdctFrame * frame, const char *what,
    const char *named)
{
  BdctError error = { "" };

  expect (!engine->klass->submit (engine, frame, &error)
      && strstr (error.message, named) != NULL, what, error.message);
}

/* Words that do not lie where the GPU reads words. */
static void
refuse_odd_addresses (void)
{
  static const BdctLayout deep = {
    .depth = 10, .chroma = BDCT_CHROMA_400, .n_planes = 1,
    .plane = {{64, 48, 0, 1, {BDCT_Y}}},
  };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };
  BdctEngine *engine = bdct_cuda_engine.create (&options, &error);
  BdctJob job;
  BdctFrame good = {.quantizers = &job,.n_quantizers = 1 }, frame;
  uint8_t *words;

  if (engine == NULL || !bdct_job_init (&job, &params, &deep, &error)
      || !engine->klass->configure (engine, &deep, 1, &error)
      || cudaMalloc ((void **) &words, 4 * 64 * 48) != cudaSuccess)
    abort ();
  good.src = good.dst = (BdctImage) {.memory = BDCT_MEMORY_DEVICE,.data =
        {words},.stride = {128} };
  good.dst.data[0] = words + 2 * 64 * 48;
  frame = good;
  frame.src.data[0] = words + 1;
  refuse (engine, &frame, "a source between words", "is not aligned to its");
  frame = good;
  frame.src.stride[0]++;
  refuse (engine, &frame, "rows between words", "stride 129, is not aligned");
  frame = good;
  frame.dst.data[0] = words + 2 * 64 * 48 + 1;
  refuse (engine, &frame, "a picture between words", "is not aligned to its");
  expect (engine->klass->submit (engine, &good, &error)
      && engine->klass->collect (engine, NULL, &error), "words", error.message);
  cudaFree (words);
  engine->klass->destroy (engine);
}

/* What this engine alone refuses (tests/unit/test-refusals.c has the rest). */
static void
run_refusals (void)
{
  BdctJob job;
  BdctEngine *engine = open_engine (&job);
  const BdctFrame good = {.quantizers = &job,.n_quantizers = 1,
    .src = {.memory = BDCT_MEMORY_DEVICE,.stride = {WIDTH} }
  };
  const size_t n = (size_t) WIDTH * HEIGHT;
  void *host = aligned_alloc (64, n * sizeof (BdctLevel));
  BdctFrame frame = good;

  if (host == NULL || cudaMalloc (&frame.src.data[0], n) != cudaSuccess)
    abort ();
  frame.levels = host;
  frame.n_levels = n;
  frame.levels_memory = BDCT_MEMORY_DEVICE;
  refuse (engine, &frame, "the host's levels as the GPU's", "is not on cuda:");
  cudaFree (frame.src.data[0]);
  frame = good;
  frame.src.data[0] = host;
  refuse (engine, &frame, "the host's memory as the GPU's", "is not on cuda:");
  engine->klass->destroy (engine);
  refuse_odd_addresses ();
  free (host);
}

int
main (void)
{
  BdctError error = { "" };

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (bdct_cuda_engine.count_devices (&error) == 0) {
    printf ("no GPU: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
    return 77;
  }
  run_refusals ();
  run_full_device ();
  run_failed_launch ();
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
