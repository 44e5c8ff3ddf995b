/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine as a queue, as far as the differential does not go: streams
 * of the caller's, jobs that are gone once a frame is submitted, what it alone
 * refuses; and, on the runtime without a GPU, uploads, and what is said of
 * memory and a context that are not to be had. (Many frames in flight are cases
 * of the differential, "deeper" and "again".)
 *
 * Built twice: with the CUDA runtime, and with the one of fake-runtime.c, in
 * which streams are threads, for where no GPU is.
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "fake-runtime.h"
#include "tests/differential/run.h"

#define CUDA BDCT_BACKEND_CUDA
#define PLAIN "width=96 height=64 chroma=1 pairs=1 / content=2"

static BdctEngine *cpu, *cuda;
static int passed, failed;

static bool
expect (bool good, const char *what, const char *message)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL %s: %s\n", what, message);
  return good;
}

static void
must (bool good, const char *what)
{
  if (good)
    return;
  printf ("%s\n%d passed, %d failed, 0 skipped\n", what, passed, failed + 1);
  exit (1);
}

/* A frame of a case in the GPU's memory, and what the CPU makes of it. `host`
 * is as large as the source and as the picture, and pinned. */
typedef struct {
  Scene scene;
  Outcome expected;
  BdctFrame frame;
  uint8_t *src, *dst, *host;
} Given;

static BdctImage
place (const Picture * picture, uint8_t ** memory)
{
  BdctImage image;

  *memory = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_DEVICE, picture->size);
  must (*memory != NULL, "no memory");
  image = picture_image (picture, *memory);
  image.memory = BDCT_MEMORY_DEVICE;
  return image;
}

static Given *
given_new (const char *text)
{
  Given *g = calloc (1, sizeof *g);
  const SceneFrame *f = &g->scene.frame[0];
  BdctError error = { "" };
  Case c;

  must (case_parse (&c, text) && scene_init (&g->scene, &c, &error), text);
  run_scene (&g->scene, cpu, BDCT_BACKEND_CPU, &g->expected);
  must (bdct_engine_configure (cuda, &g->scene.layout, 1, &error), text);
  g->host = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_HOST, f->dst.size);
  must (g->host != NULL, "no pinned memory");
  g->frame = f->frame;
  g->frame.src = place (&f->picture[0], &g->src);
  g->frame.dst = place (&f->dst, &g->dst);
  return g;
}

static void
given_free (Given * g)
{
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_DEVICE, g->src);
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_DEVICE, g->dst);
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_HOST, g->host);
  outcome_clear (&g->expected);
  scene_clear (&g->scene);
  free (g);
}

/* The job is gone once the frame is submitted. */
static void
submit (Given * g)
{
  const SceneFrame *f = &g->scene.frame[0];
  BdctJob *job = bdct_jobs_new (f->params, 1, &g->scene.layout, NULL);
  BdctError error = { "" };

  memcpy (g->host, f->dst.bytes, f->dst.size);
  must (bdct_memory_copy (CUDA, NULL, g->dst, g->host, f->dst.size, true),
      "a copy");
  g->frame.quantizers = job;
  expect (bdct_engine_submit (cuda, &g->frame, &error), "submit",
      error.message);
  bdct_jobs_free (job);
  g->frame.quantizers = f->quantizers;
}

static void
collect (Given * g, const char *what)
{
  const Output *wanted = &g->expected.frame[0];
  BdctStats stats = {.size = sizeof stats };
  BdctError error = { "" };

  if (!expect (bdct_engine_collect (cuda, &stats, &error), "collect",
          error.message))
    return;
  must (bdct_memory_copy (CUDA, NULL, g->dst, g->host, wanted->size[PICTURE],
          false), "a copy");
  expect (memcmp (g->host, wanted->bytes[PICTURE], wanted->size[PICTURE]) == 0,
      what, "other bytes");
  expect (memcmp (&stats, wanted->bytes[STATISTICS], sizeof stats) == 0,
      what, "other statistics");
}

/* A picture that is still being copied to the device, in a stream of the
 * caller's, is waited for by the engine, not by the caller. */
static void
run_after (const char *text)
{
  Given *g = given_new (text);
  const Picture *picture = &g->scene.frame[0].picture[0];
  const size_t size = picture->size;
  uint8_t *pinned = bdct_memory_alloc (CUDA, NULL, BDCT_MEMORY_HOST, 2 * size);
  cudaStream_t stream;

  must (pinned != NULL && cudaStreamCreateWithFlags (&stream,
          cudaStreamNonBlocking) == cudaSuccess, "no stream");
  memset (pinned, 0, size);
  memcpy (pinned + size, picture->bytes, size);
  for (int i = 0; i < (fake_runtime ? 6 : 20); i++) {
    char what[200];

    snprintf (what, sizeof what, "%s, frame %d", text, i);
    g->frame.wait[i % 2] = stream;
    g->frame.wait[1 - i % 2] = NULL;
    /* The last copy is the picture. */
    for (int j = 0; j < 64; j++)
      must (cudaMemcpyAsync (g->src, pinned + j / 63 * size, size,
              cudaMemcpyHostToDevice, stream) == cudaSuccess,
          "cudaMemcpyAsync");
    submit (g);
    collect (g, what);
  }
  cudaStreamDestroy (stream);
  bdct_memory_free (CUDA, NULL, BDCT_MEMORY_HOST, pinned);
  given_free (g);
}

/* Words that do not lie where the GPU reads words, and the host's memory as the
 * GPU's (tests/unit/test-refusals.c has what all engines refuse). */
static void
run_refusals (void)
{
  static int16_t levels[96 * 72] __attribute__ ((aligned (64)));
  Given *g = given_new ("width=96 height=48 chroma=1 pairs=1 depth=10 shift=6 "
      "/ content=2");

#define REFUSED(named, ...)                                                   \
  {                                                                           \
    BdctError error = { "" };                                                 \
    BdctFrame bad = g->frame;                                                 \
                                                                              \
    __VA_ARGS__;                                                              \
    expect (!bdct_engine_submit (cuda, &bad, &error)                          \
        && strstr (error.message, named) != NULL, named, error.message);      \
  }
  REFUSED ("is not aligned to its", bad.src.data[0] = g->src + 1);
  REFUSED ("stride 193, is not aligned", bad.src.stride[0]++);
  REFUSED ("is not aligned to its", bad.dst.data[0] = g->dst + 1);
  REFUSED ("is not on cuda:", bad.src.data[0] = levels);
  REFUSED ("is not on cuda:", bad.levels = levels, bad.n_levels = 96 * 72,
      bad.levels_memory = BDCT_MEMORY_DEVICE);
  given_free (g);
}

static void
play (const Given * g)
{
  char text[DIFFERENCE_TEXT] = "";
  Outcome found;

  run_scene (&g->scene, cuda, CUDA, &found);
  expect (outcome_equal (&g->scene, &g->expected, &found, NULL, text), "a case",
      text);
  outcome_clear (&found);
}

/* More constants than the device has room for, and the first ones again. */
static void
run_constants (void)
{
  for (int i = 0; i < 800; i++) {
    char text[100];
    Given *g;

    snprintf (text, sizeof text, "width=16 height=16 chroma=1 pairs=1 / "
        "content=2 transform=4 quantizers=8 map=1 seed=%d", i % 400);
    g = given_new (text);
    play (g);
    given_free (g);
  }
}

#ifdef FAKE_RUNTIME
/* Bytes that go up for two images of host memory that are compared. */
static unsigned long
count_uploaded (const BdctImage * a, const BdctImage * b)
{
  const BdctComparison comparison = {.size = sizeof comparison,
    .reference = {*a},.distorted = {{*b}},.n_distorted = 1,.errors = true
  };
  const unsigned long before = fake_uploaded;
  BdctError error = { "" };

  expect (bdct_engine_compare (cuda, &comparison, &error)
      && bdct_engine_collect (cuda, NULL, &error), "compare", error.message);
  return fake_uploaded - before;
}

/* An image that is two pictures goes up once, and so does that of two
 * frames. */
static void
run_uploads (bool pinned)
{
  Given *g = given_new (PLAIN);
  const SceneFrame *f = &g->scene.frame[0];
  const BdctImage a = picture_image (&f->picture[0], pinned ? g->host
      : f->picture[0].bytes), b = f->dst.image;
  BdctFrame frame = {.size = sizeof frame,.quantizers = f->quantizers,
    .n_quantizers = 1,.src = a
  };
  const unsigned long two = count_uploaded (&a, &b);
  const unsigned long one = count_uploaded (&a, &a);
  unsigned long before;

  expect (one > 0 && two >= one * 3 / 2, "uploads", "one image goes up twice");
  expect (bdct_engine_submit (cuda, &frame, NULL)
      && bdct_engine_collect (cuda, NULL, NULL), "a source", "");
  frame.same_source = true;
  before = fake_uploaded;
  expect (bdct_engine_submit (cuda, &frame, NULL)
      && bdct_engine_collect (cuda, NULL, NULL), "a shared source", "");
  expect (fake_uploaded - before < f->dst.size, "uploads",
      "a source goes up again");
  given_free (g);
}

/* What only this runtime does on demand; that any call fails is
 * engine-inject's. */
static void
run_faults (void)
{
  Given *g = given_new (PLAIN);
  BdctError error = { "" };
  const char *warning;

  expect (*bdct_engine_text (cuda, BDCT_ENGINE_WARNING) == '\0', "a warning",
      "there is one");
  fake_refuse_pinned = true;
  play (g);
  warning = bdct_engine_text (cuda, BDCT_ENGINE_WARNING);
  expect (strstr (warning, "pinned") != NULL, "no pinned memory", warning);
  fake_refuse_pinned = false;

  expect (!bdct_backend_is_lost (CUDA, NULL), "the context is there", "");
  submit (g);
  fake_lose_context = true;
  expect (!bdct_engine_collect (cuda, NULL, &error)
      && strstr (error.message, "context is lost") != NULL,
      "a frame on a lost context", error.message);
  expect (bdct_backend_is_lost (CUDA, NULL), "the context is lost", "");
  fake_lose_context = false;
  play (g);
  given_free (g);
}
#endif

int
main (void)
{
  const BdctEngineOptions options = {.size = sizeof options,.threads = 3 };
  BdctError error = { "" };

  setvbuf (stdout, NULL, _IOLBF, 0);
  mallopt (M_PERTURB, 0xa5);    /* of what is freed nothing is left */
  if (bdct_backend_count_devices (CUDA, &error) == 0) {
    printf ("no GPU: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
    return 77;
  }
  cpu = bdct_engine_new (BDCT_BACKEND_CPU, &options, &error);
  cuda = bdct_engine_new (CUDA, &options, &error);
  must (cpu != NULL && cuda != NULL, error.message);
  run_after (PLAIN);
  run_after ("width=390 height=36 chroma=1 pairs=1 depth=10 shift=6 / "
      "content=2");
  run_after ("width=128 height=35 chroma=1 rgb=4 / content=2");
  run_refusals ();
  run_constants ();
#ifdef FAKE_RUNTIME
  run_uploads (true);
  run_uploads (false);
  run_faults ();
#else
  expect (*bdct_engine_text (cuda, BDCT_ENGINE_WARNING) == '\0', "no warning",
      bdct_engine_text (cuda, BDCT_ENGINE_WARNING));
#endif
  bdct_engine_free (cuda);
  bdct_engine_free (cpu);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
