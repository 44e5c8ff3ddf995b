/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine as a queue, as far as the differential does not go: many
 * frames in flight, more constants than there is room for, streams of the
 * caller's, what it alone refuses; and, on the runtime without a GPU, uploads,
 * and what is said of memory and a context that are not to be had. All that
 * comes out is the CPU engine's.
 *
 * Built twice: with the CUDA runtime, and with the one of fake-runtime.c, in
 * which streams are threads, for where no GPU is.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "fake-runtime.h"

#define CANARY 0xa5
#define MAX_SIZE 65536          /* bytes of an image */
#define MAX_BLOCKS 1024

/* In device memory or in the host's, pinned or not. */
typedef enum { DEVICE, PINNED, PAGEABLE, N_PLACES } Place;

typedef struct {
  Place place;
  uint8_t *src, *dst;
  uint8_t seen[MAX_SIZE], expected[MAX_SIZE];
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  uint8_t map[MAX_BLOCKS];
  BdctFrame what;
  BdctStats stats;
} Frame;

static const BdctContext here = { 0 };
static BdctEngine *cpu, *cuda;
static BdctLayout layout;
static BdctJob jobs[BDCT_MAX_QUANTIZERS];
static size_t size;             /* of an image */
static int passed, failed;
static unsigned number;         /* of the next frame */

static bool
expect (bool good, const char *what, const char *message)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL %s: %s\n", what, message);
  return good;
}

static void
must (cudaError_t err, const char *what)
{
  if (err == cudaSuccess)
    return;
  printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", what,
      cudaGetErrorString (err), passed, failed + 1);
  exit (1);
}

static void
lay_out (BdctImage * image, uint8_t * base, bool device)
{
  size = 0;
  *image = (BdctImage) {
    .memory = device ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST
  };
  for (int p = 0; p < bdct_image_planes (&layout); p++) {
    image->data[p] = base + size;
    image->stride[p] = bdct_image_row_size (&layout, p);
    size += image->stride[p] * bdct_image_height (&layout, p);
  }
}

static uint8_t *
memory_new (Place place)
{
  void *memory = NULL;

  if (place == DEVICE)
    must (cudaMalloc (&memory, MAX_SIZE), "cudaMalloc");
  else if (place == PINNED)
    must (cudaHostAlloc (&memory, MAX_SIZE, cudaHostAllocDefault),
        "cudaHostAlloc");
  else
    memory = calloc (1, MAX_SIZE);
  return memory;
}

static void
memory_free (Place place, uint8_t * memory)
{
  if (place == DEVICE)
    cudaFree (memory);
  else if (place == PINNED)
    cudaFreeHost (memory);
  else
    free (memory);
}

static Frame *
frame_new (Place place)
{
  Frame *frame = calloc (1, sizeof *frame);

  frame->place = place;
  frame->src = memory_new (place);
  frame->dst = memory_new (place);
  return frame;
}

static void
frame_free (Frame * frame)
{
  memory_free (frame->place, frame->src);
  memory_free (frame->place, frame->dst);
  free (frame);
}

static void
copy (uint8_t * to, const uint8_t * from, enum cudaMemcpyKind kind)
{
  must (cudaMemcpy (to, from, size, kind), "cudaMemcpy");
  must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
}

/* A picture, what to do with it, and what the CPU makes of it. Where frames are
 * crowded, each has as many quantizers as there may be. */
static void
draw (Frame * frame, bool crowded)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctError error = { "" };
  BdctFrame what = {.quantizers = frame->quantizers,.n_quantizers = 1,
    .number = number++
  };

  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++)
    frame->quantizers[i] = jobs[(number + i) % BDCT_MAX_QUANTIZERS];
  if (crowded) {
    what.n_quantizers = BDCT_MAX_QUANTIZERS;
    what.n_blocks = bdct_blocks_init (grid, &layout, jobs);
    what.quantizer_map = frame->map;
    for (size_t i = 0; i < what.n_blocks; i++)
      frame->map[i] = (i * 7 + number) % BDCT_MAX_QUANTIZERS;
  }
  frame->what = what;
  lay_out (&frame->what.src, frame->src, frame->place == DEVICE);
  lay_out (&frame->what.dst, frame->dst, frame->place == DEVICE);
  for (size_t i = 0; i < size; i++)
    frame->seen[i] = number * 37 + i * (1 + number % 7) + (i >> 7);
  lay_out (&what.src, frame->seen, false);
  lay_out (&what.dst, frame->expected, false);
  expect (cpu->klass->submit (cpu, &what, &error)
      && cpu->klass->collect (cpu, &frame->stats, &error), "the CPU engine",
      error.message);
  if (frame->place == DEVICE)
    must (cudaMemset (frame->dst, CANARY, size), "cudaMemset");
  else
    memset (frame->dst, CANARY, size);
}

static void
upload (Frame * frame)
{
  if (frame->place == DEVICE)
    copy (frame->src, frame->seen, cudaMemcpyHostToDevice);
  else
    memcpy (frame->src, frame->seen, size);
}

/* All but the images is gone once it is submitted. */
static void
submit (BdctEngine * engine, Frame * frame)
{
  BdctError error = { "" };

  expect (engine->klass->submit (engine, &frame->what, &error), "submit",
      error.message);
  memset (frame->quantizers, CANARY, sizeof frame->quantizers);
  memset (frame->map, CANARY, sizeof frame->map);
}

static void
collect (Frame * frame)
{
  BdctError error = { "" };
  BdctStats stats;

  if (!expect (cuda->klass->collect (cuda, &stats, &error), "collect",
          error.message))
    return;
  if (frame->place == DEVICE)
    copy (frame->seen, frame->dst, cudaMemcpyDeviceToHost);
  expect (memcmp (frame->place == DEVICE ? frame->seen : frame->dst,
          frame->expected, size) == 0, "a frame", "other bytes");
  expect (memcmp (&stats, &frame->stats, sizeof stats) == 0, "a frame",
      "other statistics");
}

/* Engines and jobs for frames of a kind. */
static void
set_up (int depth, bool rgb, int width, int height, unsigned in_flight)
{
  static const BdctRgb bgrx = { 1, 4, {0}, {2, 1, 0} };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };

  if (rgb)
    bdct_layout_init_rgb (&layout, &bgrx, width, height, BDCT_CHROMA_420);
  else
    bdct_layout_init (&layout, BDCT_CHROMA_420, depth, depth > 8 ? 6 : 0, 2,
        width, height);
  expect (cpu->klass->configure (cpu, &layout, 1, &error)
      && cuda->klass->configure (cuda, &layout, in_flight, &error),
      "configure", error.message);
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
    params.quality = 20 + 10 * i;
    bdct_job_init (&jobs[i], &params, &layout, NULL);
  }
}

static void
run (unsigned depth, Place place, int n, bool crowded)
{
  Frame *frames[BDCT_MAX_DEPTH];

  set_up (8, false, 96, 64, depth);
  for (int i = 0; i < n + (int) depth; i++) {
    Frame **frame = &frames[i % depth];

    if (i >= (int) depth) {
      collect (*frame);
      frame_free (*frame);
    }
    if (i < n) {
      *frame = frame_new (place < N_PLACES ? place : (Place) (i % N_PLACES));
      draw (*frame, crowded);
      upload (*frame);
      submit (cuda, *frame);
    }
  }
}

/* A picture that is still being copied to the device, in a stream of the
 * caller's, is waited for by the engine, not by the caller. */
static void
run_after (void)
{
  uint8_t *pinned = memory_new (PINNED);
  Frame *frame = frame_new (DEVICE);
  cudaStream_t stream;

  must (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking),
      "cudaStreamCreateWithFlags");
  for (int i = 0; i < (fake_runtime ? 6 : 20); i++) {
    draw (frame, false);
    frame->what.wait[i % 2] = stream;
    memcpy (pinned, frame->seen, size);
    must (cudaMemset (frame->src, 0, size), "cudaMemset");
    must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
    for (int j = 0; j < 8; j++)
      must (cudaMemcpyAsync (frame->src, pinned, size, cudaMemcpyHostToDevice,
              stream), "cudaMemcpyAsync");
    submit (cuda, frame);
    collect (frame);
  }
  frame_free (frame);
  memory_free (PINNED, pinned);
  cudaStreamDestroy (stream);
}

static void
refuse (const BdctFrame * frame, const char *what, const char *named)
{
  BdctError error = { "" };

  expect (!cuda->klass->submit (cuda, frame, &error)
      && strstr (error.message, named) != NULL, what, error.message);
}

/* Words that do not lie where the GPU reads words, and the host's memory as the
 * GPU's (tests/unit/test-refusals.c has what all engines refuse). */
static void
run_refusals (void)
{
  static BdctLevel levels[96 * 72] __attribute__ ((aligned (64)));
  Frame *frame = frame_new (DEVICE);
  BdctFrame bad;

  set_up (10, false, 96, 48, 1);
  draw (frame, false);
  upload (frame);
  bad = frame->what;
  bad.src.data[0] = frame->src + 1;
  refuse (&bad, "a source between words", "is not aligned to its");
  bad = frame->what;
  bad.src.stride[0]++;
  refuse (&bad, "rows between words", "stride 193, is not aligned");
  bad = frame->what;
  bad.dst.data[0] = frame->dst + 1;
  refuse (&bad, "a picture between words", "is not aligned to its");
  bad = frame->what;
  bad.src.data[0] = frame->seen;
  refuse (&bad, "the host's memory as the GPU's", "is not on cuda:");
  bad = frame->what;
  bad.levels = levels;
  bad.n_levels = 96 * 72;
  bad.levels_memory = BDCT_MEMORY_DEVICE;
  refuse (&bad, "the host's levels as the GPU's", "is not on cuda:");
  submit (cuda, frame);
  collect (frame);
  frame_free (frame);
}

#ifdef FAKE_RUNTIME
/* Bytes that go up for two pictures in host memory. */
static unsigned long
count_uploaded (const BdctImage * a, const BdctImage * b)
{
  const BdctComparison comparison = {.reference = {*a},.distorted = {{*b}},
    .n_distorted = 1,.errors = true
  };
  const unsigned long before = fake_uploaded;
  BdctError error = { "" };

  expect (cuda->klass->compare (cuda, &comparison, &error)
      && cuda->klass->collect (cuda, NULL, &error), "compare", error.message);
  return fake_uploaded - before;
}

/* An image that is two pictures goes up once, and so does that of two
 * frames. */
static void
run_uploads (Place place)
{
  Frame *a = frame_new (place), *b = frame_new (place);
  unsigned long one, two;

  set_up (8, false, 96, 64, 1);
  draw (a, false);
  draw (b, false);
  two = count_uploaded (&a->what.src, &b->what.src);
  one = count_uploaded (&a->what.src, &a->what.src);
  expect (one > 0 && two >= one * 3 / 2, "uploads", "one image goes up twice");
  upload (a);
  submit (cuda, a);
  collect (a);
  draw (b, false);
  b->what.src = a->what.src;
  b->what.same_source = true;
  two = fake_uploaded;
  expect (cuda->klass->submit (cuda, &b->what, NULL)
      && cuda->klass->collect (cuda, NULL, NULL), "a shared source", "");
  expect (fake_uploaded - two < size, "uploads", "a source goes up again");
  frame_free (a);
  frame_free (b);
}
#endif

/* What only the runtime of fake-runtime.c does on demand; that any call fails
 * is engine-inject's. */
static void
run_faults (void)
{
  BdctError error = { "" };
  Frame *frame;

  fake_refuse_pinned = true;
  cuda->warning[0] = '\0';
  run (3, PAGEABLE, 40, false);
  expect (strstr (cuda->warning, "pinned") != NULL,
      "a warning without pinned memory", cuda->warning);
  fake_refuse_pinned = false;

  set_up (8, false, 96, 64, 1);
  frame = frame_new (DEVICE);
  expect (!bdct_cuda_engine.is_lost (&here), "the context is there", "");
  draw (frame, false);
  upload (frame);
  submit (cuda, frame);
  fake_lose_context = true;
  expect (!cuda->klass->collect (cuda, NULL, &error)
      && strstr (error.message, "context is lost") != NULL,
      "a frame on a lost context", error.message);
  expect (bdct_cuda_engine.is_lost (&here), "the context is lost", "");
  fake_lose_context = false;
  frame_free (frame);
  run (8, DEVICE, 100, false);
}

int
main (void)
{
  BdctEngineOptions options = {.threads = 3 };
  int status;

  setvbuf (stdout, NULL, _IOLBF, 0);
  status = engines_create (&options, &cpu, &cuda);
  if (status != 0)
    return status;
  run (BDCT_MAX_DEPTH, N_PLACES, 2 * BDCT_MAX_DEPTH, false);
  run (40, DEVICE, 120, false);
  /* More constants than the device has room for. */
  run (8, DEVICE, 600, true);
  set_up (8, false, 96, 64, 1);
  run_after ();
  set_up (10, false, 390, 36, 8);
  run_after ();
  set_up (8, true, 128, 35, 3);
  run_after ();
  run_refusals ();
#ifdef FAKE_RUNTIME
  run_uploads (PINNED);
  run_uploads (PAGEABLE);
#endif
  if (fake_runtime)
    run_faults ();
  expect (cuda->warning[0] == '\0' || fake_runtime, "no warning",
      cuda->warning);
  cuda->klass->destroy (cuda);
  cpu->klass->destroy (cpu);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
