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

/* What is wrong with a frame, which is good else: of 64 blocks. */
static void
run_bad_frames (BdctEngine * engine, const BdctFrame * good)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctJob quantizers[2], shallow;
  BdctBlockRecord *blocks = calloc (64, sizeof *blocks);
  uint8_t *map = calloc (64, 1);
  BdctFrame frame = *good;

  if (blocks == NULL || map == NULL
      || !bdct_job_init (&shallow, &params, &layout, NULL))
    abort ();
  frame.quantizers = quantizers;
  frame.n_quantizers = 2;
  quantizers[0] = quantizers[1] = good->quantizers[0];
  quantizers[1] = shallow;
  refuse (engine, &frame, "a quantizer of another depth",
      "quantizer 1 is for a depth");
  quantizers[1] = quantizers[0];
  quantizers[1].transform = BDCT_DCT_8X8;
  refuse (engine, &frame, "a quantizer of another transform", "dct-8x8");
  quantizers[1] = quantizers[0];
  frame.n_quantizers = 0;
  refuse (engine, &frame, "no quantizer", "1 to 8");
  frame.n_quantizers = BDCT_MAX_QUANTIZERS + 1;
  refuse (engine, &frame, "too many quantizers", "1 to 8");
  frame.n_quantizers = 2;
  frame.quantizer_map = map;
  frame.n_blocks = 63;
  refuse (engine, &frame, "a map of the wrong size", "63 blocks");
  frame.n_blocks = 64;
  map[63] = 2;
  refuse (engine, &frame, "an index past the quantizers",
      "block 63 uses quantizer 2");
  map[63] = 1;
  frame.quantizer_map = NULL;
  frame.blocks = blocks;
  frame.n_blocks = 65;
  refuse (engine, &frame, "records of the wrong number", "65 blocks");
  frame.n_blocks = 64;
  frame.quantizer_map = map;
  view.mode = BDCT_VIEW_ERROR_MAP;
  frame.view = &view;
  frame.dst = (BdctImage) { 0 };
  refuse (engine, &frame, "a view without an image", "draw on");
  frame.dst = good->dst;
  view.mode = BDCT_VIEW_WIPE;
  refuse (engine, &frame, "a view of two pictures", "'wipe'");
  view.mode = BDCT_VIEW_ERROR_MAP;
  view.zoom = 2;
  refuse (engine, &frame, "a zoomed view", "views of two pictures");
  frame.view = NULL;
  frame.src.memory = BDCT_MEMORY_DEVICE;
  frame.src.data[0] = map;
  refuse (engine, &frame, "the host's memory as the GPU's", "is not on cuda:");
  frame.src = good->src;
  frame.levels = aligned_alloc (64, 64 * 64 * sizeof (BdctLevel));
  frame.n_levels = 64 * 64;
  frame.levels_memory = BDCT_MEMORY_DEVICE;
  refuse (engine, &frame, "the host's levels as the GPU's", "is not on cuda:");
  free (frame.levels);
  frame.levels = NULL;
  frame.dst = (BdctImage) { 0 };
  expect (engine->klass->submit (engine, &frame, NULL)
      && engine->klass->collect (engine, NULL, NULL),
      "the frame is good without", "");
  free (blocks);
  free (map);
}

/* What the interface says an engine refuses. */
static void
run_refusals (void)
{
  static const BdctLayout words = {
    .depth = 10, .chroma = BDCT_CHROMA_400, .n_planes = 1,
    .plane = {{64, 64, 6, 1, {BDCT_Y}}},
  };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctImage src = {.memory = BDCT_MEMORY_DEVICE,.stride = {128} };
  BdctImage dst = src;
  BdctFrame frame = {.n_quantizers = 1 };
  BdctError error = { "" };
  BdctEngineOptions other = options;
  BdctEngine *engine;
  BdctJob job;

  other.isa = "mmx";
  expect (bdct_cuda_engine.create (&other, &error) == NULL,
      "an unknown instruction set is refused", error.message);
  engine = bdct_cuda_engine.create (&options, &error);
  expect (engine != NULL, "an engine is created", error.message);
  if (engine == NULL || !bdct_job_init (&job, &params, &words, &error)
      || cudaMalloc (&src.data[0], 64 * 128) != cudaSuccess
      || cudaMalloc (&dst.data[0], 64 * 128) != cudaSuccess
      || cudaMemset (src.data[0], 0, 64 * 128) != cudaSuccess) {
    expect (false, "its images are made", error.message);
    return;
  }
  frame.quantizers = &job;
  frame.src = src;
  frame.dst = dst;
  expect (!engine->klass->submit (engine, &frame, &error),
      "submit before configure fails", error.message);
  expect (!engine->klass->configure (engine, &words, 0, &error),
      "a depth of 0 is refused", error.message);
  expect (!engine->klass->configure (engine, &words, BDCT_MAX_DEPTH + 1,
          &error), "a depth above the maximum is refused", error.message);
  expect (engine->klass->configure (engine, &words, 1, &error), "configure",
      "");
  expect (!engine->klass->collect (engine, NULL, &error),
      "collect from an empty queue fails", error.message);
  frame.src.data[0] = (uint8_t *) src.data[0] + 1;
  expect (!engine->klass->submit (engine, &frame, &error),
      "words at an odd address are refused", error.message);
  frame.src = src;
  run_bad_frames (engine, &frame);
  expect (engine->klass->submit (engine, &frame, &error), "submit",
      "");
  expect (!engine->klass->submit (engine, &frame, &error),
      "submit to a full queue fails", error.message);
  expect (!engine->klass->configure (engine, &words, 1, &error),
      "configure with a frame in flight fails", error.message);
  expect (engine->klass->collect (engine, NULL, &error), "collect", "");
  expect (engine->klass->submit (engine, &frame, &error),
      "submit again", "");
  engine->klass->destroy (engine);      /* with a frame in flight */
  cudaFree (src.data[0]);
  cudaFree (dst.data[0]);
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
