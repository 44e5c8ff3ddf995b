/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine as a queue: frames from and to every kind of memory in any
 * mixture, any number of them in flight, against the CPU engine.
 *
 *   engine-queue           everything
 *   engine-queue --quick   a small part, for compute-sanitizer
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
#define N(array) (sizeof (array) / sizeof (array)[0])

/* Where an image's bytes are; rows of the last run upwards, 3 bytes apart. */
typedef enum { DEVICE, PINNED, PAGEABLE, UPWARDS, N_PLACES } Place;

static const char *const place_names[] = {
  "device", "pinned", "pageable", "upwards"
};

typedef struct {
  const char *name;
  BdctLayout layout;
  int spare;                    /* bytes behind each row */
} Kind;

static const Kind kinds[] = {
  {"NV12 96x64", {.depth = 8, BDCT_CHROMA_420, 2, {{96, 64, 0, 1, {BDCT_Y}},
              {48, 32, 0, 2, {BDCT_U, BDCT_V}}}, {0}}, 0},
  {"I420 77x35, rows apart", {.depth = 8, BDCT_CHROMA_420, 3,
          {{77, 35, 0, 1, {BDCT_Y}}, {39, 18, 0, 1, {BDCT_U}},
              {39, 18, 0, 1, {BDCT_V}}}, {0}}, 5},
  {"P010 390x36", {.depth = 10, BDCT_CHROMA_420, 2,
          {{390, 36, 6, 1, {BDCT_Y}},
              {195, 18, 6, 2, {BDCT_U, BDCT_V}}}, {0}}, 0},
  /* Whole blocks across: what else there is beside a picture, the fake
   * kernels have not. */
  {"BGRx 128x35", {.depth = 8, BDCT_CHROMA_420, 3, {{128, 35, 0, 1, {BDCT_Y}},
              {64, 18, 0, 1, {BDCT_U}}, {64, 18, 0, 1, {BDCT_V}}},
          {1, 4, {0}, {2, 1, 0}}}, 4},
  {"NV12 1280x720", {.depth = 8, BDCT_CHROMA_420, 2,
          {{1280, 720, 0, 1, {BDCT_Y}},
              {640, 360, 0, 2, {BDCT_U, BDCT_V}}}, {0}}, 0},
};

/* One end of a frame. */
typedef struct {
  Place place;
  BdctImage image;
  uint8_t *memory;
} End;

typedef struct {
  End src, dst;
  const End *source;            /* its own, or that of the frame before */
  uint8_t *seen, *expected;     /* host: of the memories above */
  /* What is to be done: everything but the images and the records is gone once
   * it is submitted. */
  BdctFrame what;
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  uint8_t *map;
  bool pinned;
  BdctBlockRecord *blocks, *expected_blocks;
  BdctStats stats;
} Frame;

static BdctEngine *cpu, *cuda;
static BdctJob jobs[BDCT_N_TRANSFORMS][BDCT_MAX_QUANTIZERS];
static size_t size;             /* of an image */
static size_t max_blocks;       /* of a frame */
static int passed, failed;
static uint64_t number;         /* of the next frame */
static bool crowded;            /* each frame has as many quantizers as fit */
static uint64_t seed = 88172645463325252u;

static unsigned
next_random (unsigned n)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (seed >> 20) % n;
}

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
  if (err != cudaSuccess) {
    printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", what,
        cudaGetErrorString (err), passed, failed + 1);
    exit (1);
  }
}

static size_t
lay_out (BdctImage * image, const Kind * kind, uint8_t * base, bool upwards)
{
  int bytes = bdct_layout_sample_size (&kind->layout);
  size_t used = 0;

  for (int p = 0; p < bdct_image_planes (&kind->layout); p++) {
    ptrdiff_t stride = bdct_image_row_size (&kind->layout, p)
        + (kind->spare + (upwards ? 3 : 0)) * bytes;
    int height = bdct_image_height (&kind->layout, p);

    image->data[p] = base + used + (upwards ? (height - 1) * stride : 0);
    image->stride[p] = upwards ? -stride : stride;
    used += stride * height;
  }
  return used;
}

static void
end_init (End * end, const Kind * kind, Place place)
{
  end->place = place;
  end->image = (BdctImage) {
    .memory = place == DEVICE ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST
  };
  if (place == DEVICE)
    must (cudaMalloc ((void **) &end->memory, size), "cudaMalloc");
  else if (place == PINNED)
    must (cudaHostAlloc ((void **) &end->memory, size, cudaHostAllocDefault),
        "cudaHostAlloc");
  else
    end->memory = malloc (size);
  if (end->memory == NULL)
    abort ();
  lay_out (&end->image, kind, end->memory, place == UPWARDS);
}

static void
end_clear (End * end)
{
  if (end->place == DEVICE)
    cudaFree (end->memory);
  else if (end->place == PINNED)
    cudaFreeHost (end->memory);
  else
    free (end->memory);
}

static void
write_end (End * end, const uint8_t * bytes)
{
  if (end->place != DEVICE) {
    memcpy (end->memory, bytes, size);
    return;
  }
  must (cudaMemcpy (end->memory, bytes, size, cudaMemcpyHostToDevice),
      "cudaMemcpy");
  must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
}

static bool
same_bytes (const End * end, const uint8_t * expected)
{
  uint8_t *bytes = malloc (size);
  bool same;

  if (end->place == DEVICE)
    must (cudaMemcpy (bytes, end->memory, size, cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  else
    memcpy (bytes, end->memory, size);
  same = memcmp (bytes, expected, size) == 0;
  free (bytes);
  return same;
}

static void
frame_init (Frame * frame, const Kind * kind, Place src, Place dst)
{
  BdctImage image;

  size = lay_out (&image, kind, NULL, true);
  end_init (&frame->src, kind, src);
  end_init (&frame->dst, kind, dst);
  frame->seen = malloc (size);
  frame->expected = malloc (size);
  frame->map = malloc (max_blocks);
  frame->expected_blocks = malloc (max_blocks * sizeof *frame->blocks);
  frame->pinned = next_random (2) && !fake_refuse_pinned;
  if (frame->pinned)
    must (cudaHostAlloc ((void **) &frame->blocks,
            max_blocks * sizeof *frame->blocks, cudaHostAllocDefault),
        "cudaHostAlloc");
  else
    frame->blocks = malloc (max_blocks * sizeof *frame->blocks);
  if (frame->seen == NULL || frame->expected == NULL || frame->map == NULL
      || frame->blocks == NULL || frame->expected_blocks == NULL)
    abort ();
}

static void
frame_clear (Frame * frame)
{
  end_clear (&frame->src);
  end_clear (&frame->dst);
  free (frame->seen);
  free (frame->expected);
  free (frame->map);
  free (frame->expected_blocks);
  if (frame->pinned)
    cudaFreeHost (frame->blocks);
  else
    free (frame->blocks);
}

/* dct-8x8 has an arithmetic of its own on the GPU. */
static BdctTransform
any_transform (void)
{
  BdctTransform t;

  /* Trees take as long as forty of the others where kernels are emulated. */
  do
    t = next_random (next_random (8) ? BDCT_N_FIXED : BDCT_N_TRANSFORMS);
  while (bdct_transform_row (t)->family == BDCT_FAMILY_DCT8X8);
  return t;
}

/* Some of the metrics that there are. */
static unsigned
any_metrics (const Kind * kind)
{
  return next_random (2) ? 0
      : bdct_metrics_supported (next_random (1 << BDCT_N_METRICS),
      &kind->layout);
}

/* Frames are plain ones of one job, or ask for all sorts of things. */
static void
choose (Frame * frame, const Kind * kind, bool plain)
{
  BdctFrame *what = &frame->what;
  BdctTransform t = plain ? BDCT_JPEG_8X8 : any_transform ();
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  unsigned often = next_random (50);    /* the map changes its set so often */

  *what = (BdctFrame) {
  .quantizers = frame->quantizers,.n_quantizers = 1,.number = number++};
  frame->quantizers[0] = jobs[t][next_random (8) == 0];
  if (plain)
    return;
  what->n_blocks = bdct_blocks_init (grid, &kind->layout, &jobs[t][0]);
  what->n_quantizers = crowded ? BDCT_MAX_QUANTIZERS
      : 1 + next_random (BDCT_MAX_QUANTIZERS);
  for (int i = 0; i < what->n_quantizers; i++)
    frame->quantizers[i] = jobs[t][next_random (BDCT_MAX_QUANTIZERS)];
  if (crowded || next_random (2)) {
    uint8_t set = 0;

    for (size_t i = 0; i < what->n_blocks; i++)
      frame->map[i] = set = next_random (100) < often
          ? next_random (what->n_quantizers) : set;
    what->quantizer_map = frame->map;
  }
  if (next_random (2))
    what->blocks = frame->blocks;
  what->bits = next_random (2);
  what->metrics = any_metrics (kind);
  what->frame_rate = next_random (2) ? 25 : 50;
}

/* A new picture in frame->seen or that of the frame `before`, what to do with
 * it, and what the CPU makes of it. */
static void
draw (Frame * frame, const Kind * kind, bool plain, const Frame * before)
{
  unsigned start = next_random (256), step = 1 + next_random (7);
  BdctFrame what;
  BdctError error = { "" };

  frame->source = before != NULL ? before->source : &frame->src;
  for (size_t i = 0; i < size; i++)
    frame->seen[i] = before != NULL ? before->seen[i]
        : start + i * step + (i >> 7);
  memset (frame->expected, CANARY, size);
  choose (frame, kind, plain);
  what = frame->what;
  what.src.memory = what.dst.memory = BDCT_MEMORY_HOST;
  lay_out (&what.src, kind, frame->seen, frame->source->place == UPWARDS);
  frame->what.src = frame->source->image;
  frame->what.same_source = before != NULL;
  if (plain || next_random (4)) {
    lay_out (&what.dst, kind, frame->expected, frame->dst.place == UPWARDS);
    frame->what.dst = frame->dst.image;
  }
  if (what.blocks != NULL)
    what.blocks = frame->expected_blocks;
  if (!cpu->klass->submit (cpu, &what, &error)
      || !cpu->klass->collect (cpu, &frame->stats, &error))
    expect (false, "the CPU engine", error.message);
  memset (frame->blocks, CANARY, max_blocks * sizeof *frame->blocks);
  if (frame->dst.place == DEVICE)
    must (cudaMemset (frame->dst.memory, CANARY, size), "cudaMemset");
  else
    memset (frame->dst.memory, CANARY, size);
}

static bool
submit (BdctEngine * engine, Frame * frame)
{
  BdctError error = { "" };
  bool ok = expect (engine->klass->submit (engine, &frame->what, &error),
      "submit", error.message);

  memset (frame->quantizers, CANARY, sizeof frame->quantizers);
  memset (frame->map, CANARY, max_blocks);
  return ok;
}

static bool
collect (Frame * frame)
{
  BdctError error = { "" };
  BdctStats stats;

  return expect (cuda->klass->collect (cuda, &stats, &error), "collect",
      error.message)
      && expect (same_bytes (&frame->dst, frame->expected),
      place_names[frame->src.place], "other bytes")
      && expect (memcmp (&stats, &frame->stats, sizeof stats) == 0,
      place_names[frame->dst.place], "other statistics")
      && expect (frame->what.blocks == NULL
      || memcmp (frame->blocks, frame->expected_blocks,
          frame->what.n_blocks * sizeof *frame->blocks) == 0,
      place_names[frame->dst.place], "other records");
}

/* Engines and jobs for frames of a kind. */
static void
set_up (const Kind * kind, unsigned depth)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctError error = { "" };

  expect (cpu->klass->configure (cpu, &kind->layout, 1, &error)
      && cuda->klass->configure (cuda, &kind->layout, depth, &error),
      "configure", error.message);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++) {
      BdctParams params = BDCT_PARAMS_DEFAULT;

      params.transform = t;
      params.quality = 20 + 10 * i;
      params.qp = 10 + 5 * i;
      params.scaling_list = i % 3 == 2 ? BDCT_SCALING_DEFAULT
          : BDCT_SCALING_FLAT;
      bdct_job_init (&jobs[t][i], &params, &kind->layout, NULL);
    }
  max_blocks = bdct_blocks_init (grid, &kind->layout,
      &jobs[BDCT_HEVC_4X4][0]);
}

/* `n` frames, between these places or (N_PLACES) any, up to `depth` in flight
 * as far as `fill` says; as many in 100 of them are plain as `plain` says, and
 * some have the source of the one before. */
static void
run (const Kind * kind, unsigned depth, Place src, Place dst, int n, int fill,
    int plain)
{
  Frame *frames = calloc (n, sizeof *frames);
  unsigned oldest = 0, in_flight = 0;
  int before = failed;

  if (frames == NULL)
    abort ();
  set_up (kind, depth);
  for (int i = 0; i < n; i++)
    frame_init (&frames[i], kind, src < N_PLACES ? src : next_random (N_PLACES),
        dst < N_PLACES ? dst : next_random (N_PLACES));
  for (int i = 0; i < n && failed == before; i++) {
    const bool same = i > 0 && next_random (2);

    while (in_flight == depth || (in_flight > 0
            && (int) next_random (100) >= fill)) {
      collect (&frames[oldest++]);
      in_flight--;
    }
    in_flight++;
    draw (&frames[i], kind, (int) next_random (100) < plain,
        same ? &frames[i - 1] : NULL);
    if (!same)
      write_end (&frames[i].src, frames[i].seen);
    submit (cuda, &frames[i]);
  }
  for (; in_flight > 0; in_flight--)
    collect (&frames[oldest++]);
  for (int i = 0; i < n; i++)
    frame_clear (&frames[i]);
  free (frames);
  printf ("%s %s, depth %u, %s to %s\n", failed == before ? "ok  " : "FAIL",
      kind->name, depth, src < N_PLACES ? place_names[src] : "any",
      dst < N_PLACES ? place_names[dst] : "any");
}

/* A picture that is still being copied to the device, in a stream of the
 * caller's, is waited for by the engine, not by the caller. */
static void
run_after (const Kind * kind, unsigned depth)
{
  cudaStream_t stream;
  uint8_t *pinned;
  Frame frame;

  must (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking),
      "cudaStreamCreateWithFlags");
  set_up (kind, depth);
  frame_init (&frame, kind, DEVICE, DEVICE);
  must (cudaHostAlloc ((void **) &pinned, size, cudaHostAllocDefault),
      "cudaHostAlloc");
  for (int i = 0; i < (fake_runtime ? 6 : 20); i++) {
    draw (&frame, kind, true, NULL);
    frame.what.wait[i % 2] = stream;
    memcpy (pinned, frame.seen, size);
    must (cudaMemset (frame.src.memory, 0, size), "cudaMemset");
    must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
    for (int j = 0; j < 8; j++)
      must (cudaMemcpyAsync (frame.src.memory, pinned, size,
              cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    submit (cuda, &frame);
    collect (&frame);
  }
  frame_clear (&frame);
  cudaFreeHost (pinned);
  cudaStreamDestroy (stream);
  printf ("other streams done\n");
}

/* Frames that were not even started are forgotten. */
static void
run_forget (const Kind * kind, Place place)
{
  BdctEngineOptions options = { 0 };
  BdctError error = { "" };
  BdctEngine *engine = cuda->klass->create (&options, &error);
  Frame frame[6];

  set_up (kind, 1);
  if (!expect (engine != NULL && engine->klass->configure (engine,
              &kind->layout, 16, &error), "a second engine", error.message))
    return;
  for (int i = 0; i < 6; i++) {
    frame_init (&frame[i], kind, place, place);
    draw (&frame[i], kind, i % 2, NULL);
    write_end (&frame[i].src, frame[i].seen);
    submit (engine, &frame[i]);
  }
  expect (!engine->klass->configure (engine, &kind->layout, 2, &error),
      "configure with frames in flight", "done");
  engine->klass->destroy (engine);
  for (int i = 0; i < 6; i++)
    frame_clear (&frame[i]);
  printf ("forgotten, %s\n", place_names[place]);
}

/* What only the runtime of fake-runtime.c does on demand. */
static void
run_faults (void)
{
  const Kind *kind = &kinds[0];
  const BdctContext here = { 0 };
  BdctError error = { "" };
  BdctFrame again;
  Frame frame[4];

  fake_refuse_pinned = true;
  cuda->warning[0] = '\0';
  run (&kinds[1], 3, PAGEABLE, UPWARDS, 40, 90, 50);
  expect (strstr (cuda->warning, "pinned") != NULL,
      "a warning without pinned memory", cuda->warning);
  fake_refuse_pinned = false;

  set_up (kind, 8);
  for (int i = 0; i < 4; i++)
    frame_init (&frame[i], kind, DEVICE, DEVICE);
  for (int round = 0; round < 3; round++) {
    fake_fail_launch = round != 1;
    for (int i = 0; i < 4; i++) {
      draw (&frame[i], kind, i % 2, NULL);
      write_end (&frame[i].src, frame[i].seen);
      submit (cuda, &frame[i]);
    }
    for (int i = 0; i < 4; i++)
      if (fake_fail_launch)
        expect (!cuda->klass->collect (cuda, NULL, &error)
            && strstr (error.message, "cudaLaunchKernel") != NULL,
            "a launch that fails", error.message);
      else
        collect (&frame[i]);
    again = (BdctFrame) {.quantizers = jobs[0],.n_quantizers = 1,
      .src = frame[3].src.image,.same_source = true};
    expect (!fake_fail_launch || (!cuda->klass->submit (cuda, &again, &error)
            && strstr (error.message, "shares") != NULL),
        "the source of a frame that failed", error.message);
  }
  fake_fail_launch = false;
  expect (!bdct_cuda_engine.is_lost (&here), "the context is there", "");
  draw (&frame[0], kind, 0, NULL);
  write_end (&frame[0].src, frame[0].seen);
  submit (cuda, &frame[0]);
  fake_lose_context = true;
  expect (!cuda->klass->collect (cuda, NULL, &error)
      && strstr (error.message, "context is lost") != NULL,
      "a frame on a lost context", error.message);
  expect (bdct_cuda_engine.is_lost (&here), "the context is lost", "");
  fake_lose_context = false;
  for (int i = 0; i < 4; i++)
    frame_clear (&frame[i]);
  run (kind, 8, DEVICE, DEVICE, 100, 95, 50);
  printf ("faults done\n");
}

int
main (int argc, char **argv)
{
  static const unsigned depths[] = { 1, 2, 3, 4, 8, 40, BDCT_MAX_DEPTH };
  bool quick = argc > 1 && strcmp (argv[1], "--quick") == 0;
  BdctEngineOptions options = {.threads = 3 };
  int status;

  if (argc > 2 || (argc == 2 && !quick)) {
    fprintf (stderr, "usage: %s [--quick]\n", argv[0]);
    return 2;
  }
  setvbuf (stdout, NULL, _IOLBF, 0);
  status = engines_create (&options, &cpu, &cuda);
  if (status != 0)
    return status;
  for (size_t k = 0; k < N (kinds) - 1; k++) {
    for (size_t d = 0; d < N (depths); d++)
      /* Emulated, frames take minutes: as many as are in flight, and some; and
       * many in flight of one kind. */
      if (quick ? depths[d] == 4 : !fake_runtime || k == 0 || depths[d] <= 8) {
        const int n = fake_runtime ? 8 + (int) depths[d] : quick ? 20 : 200;

        run (&kinds[k], depths[d], N_PLACES, N_PLACES, n, 90, 50);
        run (&kinds[k], depths[d], DEVICE, DEVICE, n, 97, 90);
        run (&kinds[k], depths[d], DEVICE, DEVICE, n < 60 ? n : 60, 97, 10);
      }
    for (int way = 0; way < N_PLACES * N_PLACES && !quick; way++)
      run (&kinds[k], 4, way % N_PLACES, way / N_PLACES, fake_runtime ? 4 : 12,
          90, 80);
  }
  run (&kinds[4], 3, PAGEABLE, PAGEABLE, fake_runtime ? 2 : quick ? 3 : 12, 90,
      70);
  /* More constants than the device has room for. */
  crowded = true;
  run (&kinds[0], 8, DEVICE, DEVICE, 600, 97, 20);
  crowded = false;
  run_after (&kinds[0], 1);
  run_after (&kinds[2], 8);
  run_after (&kinds[3], 3);
  run_forget (&kinds[0], DEVICE);
  run_forget (&kinds[0], PINNED);
  if (fake_runtime)
    run_faults ();
  expect (cuda->warning[0] == '\0' || fake_runtime, "no warning",
      cuda->warning);
  cuda->klass->destroy (cuda);
  cpu->klass->destroy (cpu);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
