/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's host side where something fails, on the runtime of
 * fake-runtime.c: each call of the CUDA runtime, each allocation, each thread
 * and each time the context is made current, one after the other; once, and
 * with all that follows, as when the context is lost.
 *
 * The frames are cases of the differential. What is called next says so with
 * the cause, or the frame's collect() does; or it does not matter, for a reason
 * that `harmless` names. Frames that are said to be done are right, all go at
 * the second attempt, and nothing is left behind. With --quick each
 * thirteenth of the calls fails.
 *
 * Ends with "N passed, N failed, 0 skipped". */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "fake-runtime.h"
#include "tests/differential/run.h"

#define N(array) (sizeof (array) / sizeof (array)[0])

/* Memory: 0 pageable, 1 pinned, 2 the device's. The first one's lies as the
 * engine's own buffers do; the large one is copied by several threads. */
static const char *const cases[] = {
  "width=64 height=32 chroma=1 pairs=1 in-flight=4 / src-memory=2 "
      "dst-memory=2 / content=2 src-memory=1 dst-memory=1 / content=2 / "
      "src-memory=2 quantizers=2 map=1 / src-memory=2 no-dst=1 / src-memory=2 "
      "dst-memory=2 records=1 quantizers=2 map=1",
  "width=35 height=19 chroma=1 depth=10 shift=6 pairs=1 in-flight=3 / "
      "records=1 no-dst=1 / src-memory=2 dst-memory=2 grid=1 view=1 / "
      "src-memory=1 dst-memory=2 view=4 / src-memory=2 dst-memory=2 view=2 / "
      "view=7 grid=1 same-source=1 / src-memory=2 dst-memory=2 metrics=15",
  "width=64 height=32 chroma=1 pairs=1 in-flight=2 / compare=1 src-memory=2 "
      "dst-memory=2 view=1 / compare=1 distorted=3 view=6 metrics=15 mates=4 / "
      "compare=1 src-memory=1 dst-memory=2 distorted=2 view=7 zoom=512 / "
      "compare=1 src-memory=2 distorted=3 metrics=3",
  "width=128 height=19 chroma=1 rgb=4 in-flight=4 / compare=1 view=1 zoom=768 "
      "/ compare=1 src-memory=2 dst-memory=2 view=5 / src-memory=2 "
      "dst-memory=2 / view=4 dst-memory=1 metrics=1 / same-source=1 "
      "content=3",
  "width=40 height=40 chroma=1 in-flight=2 / transform=10 levels=1 bits=1 "
      "sizes=1 / transform=4 levels=1 levels-memory=2 bits=1 / transform=4 "
      "from-levels=2 levels-memory=1 / transform=0 bits=1",
  "width=1024 height=640 chroma=0 / compare=1",
};

/* What may fail and not be told of. */
static const struct {
  const char *call;
  const char *in;               /* NULL: anywhere */
  const char *reason;
} harmless[] = {
  {"cudaFree", NULL, "freed, or lost with the context"},
  {"cudaFreeHost", NULL, "freed, or lost with the context"},
  {"cudaStreamDestroy", NULL, "freed, or lost with the context"},
  {"cudaEventDestroy", NULL, "freed, or lost with the context"},
  {"cudaStreamSynchronize", "configure", "nothing that counts is in flight"},
  {"cudaStreamSynchronize", "free", "what is in flight is forgotten"},
  {"cudaHostAlloc", NULL, "pageable memory does, with a warning"},
  {"cudaPointerGetAttributes", "submit", "taken for pageable memory"},
  {"cudaPointerGetAttributes", "compare", "taken for pageable memory"},
  {"enter", "free", "what is in the context goes with it"},
  {"enter", "memory_free", "what is in the context goes with it"},
  {"enter", "memory_alloc", "pageable memory does"},
  {"cudaMalloc", "memory_alloc", "pageable memory does"},
  {"cudaMemset", "memory_alloc", "pageable memory does"},
  {"cudaStreamSynchronize", "memory_alloc", "pageable memory does"},
  {"pthread_create", NULL, "fewer threads copy"},
};

static Scene scenes[N (cases)];
static Outcome expected[N (cases)];
static int passed, failed;
static unsigned n_harmless[N (harmless)], n_told;

/* The state of one run. */
static BdctEngine *engine;
static cudaStream_t other;
static bool told, forgotten, gone; /* gone: the context, when it was freed */
static int entered, n_kept;     /* n_kept: allocations that are not freed */
static unsigned seen;           /* of fake_faults.failed */
static const char *failed_in;

static bool
expect (bool good, const char *what, const char *message)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL call %u%s (%s in %s): %s: %s\n", fake_faults.first,
        fake_faults.lost ? " and all after it" : "", fake_faults.call,
        failed_in != NULL ? failed_in : "no call", what, message);
  return good;
}

/* What cuda/ calls in place of the C library's (meson.build). */

void *
inject_malloc (size_t size)
{
  if (fake_fails ("malloc"))
    return NULL;
  n_kept++;
  return malloc (size);
}

void *
inject_calloc (size_t n, size_t size)
{
  if (fake_fails ("calloc"))
    return NULL;
  n_kept++;
  return calloc (n, size);
}

void
inject_free (void *memory)
{
  n_kept -= memory != NULL;
  free (memory);
}

int
inject_pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*func) (void *), void *data)
{
  return fake_fails ("pthread_create") ? EAGAIN
      : pthread_create (thread, attributes, func, data);
}

/* The context. */

static bool
enter (void *data)
{
  (void) data;
  if (fake_fails ("enter")) {
    fake_settle ();
    return false;
  }
  entered++;
  return true;
}

static void
leave (void *data)
{
  (void) data;
  entered--;
}

static const BdctContext context = { enter, leave, NULL };

/* Around each call of the engine: while it runs, calls fail. */

static void
after (const char *operation)
{
  if (fake_faults.failed > seen && failed_in == NULL)
    failed_in = operation;
  seen = fake_faults.failed;
  expect (entered == 0, operation, "the context is still current");
  expect (cudaGetLastError () == cudaSuccess, operation,
      "its error is left to others");
}

#define AROUND(type, operation, call)                                         \
  {                                                                           \
    const bool armed = fake_faults.armed;                                     \
    type result = (fake_faults.armed = may_fail, call);                       \
                                                                              \
    fake_faults.armed = armed;                                                \
    after (operation);                                                        \
    return result;                                                            \
  }

static bool may_fail;

bool
inject_configure (BdctEngine * its, const BdctLayout * layout, unsigned depth,
    BdctError * error)
AROUND (bool, "configure", bdct_engine_configure (its, layout, depth, error))

static unsigned number;         /* of frames: every second waits for a stream */

bool
inject_submit (BdctEngine * its, const BdctFrame * frame, BdctError * error)
{
  BdctFrame own = *frame;

  own.wait[0] = number++ % 2 ? other : NULL;
  AROUND (bool, "submit", bdct_engine_submit (its, &own, error))
}

bool
inject_compare (BdctEngine * its, const BdctComparison * comparison,
    BdctError * error)
{
  BdctComparison own = *comparison;

  own.wait[4] = number++ % 2 ? other : NULL;
  AROUND (bool, "compare", bdct_engine_compare (its, &own, error))
}

bool
inject_collect (BdctEngine * its, BdctStats * stats, BdctError * error)
AROUND (bool, "collect", bdct_engine_collect (its, stats, error))

void *
inject_alloc (BdctBackend backend, const BdctContext * none, BdctMemory kind,
    size_t size)
{
  (void) none;
  AROUND (void *, "memory_alloc", bdct_memory_alloc (backend, &context, kind,
          size))
}

/* What fails to be copied is copied all the same. */
bool
inject_copy (BdctBackend backend, const BdctContext * none, void *device,
    void *host, size_t size, bool up)
{
  bool ok;

  (void) none;
  fake_faults.armed = may_fail;
  ok = bdct_memory_copy (backend, &context, device, host, size, up);
  fake_faults.armed = false;
  after ("memory_copy");
  if (!ok) {
    told = true;
    memcpy (up ? device : host, up ? host : device, size);
  }
  return ok;
}

void
inject_release (BdctBackend backend, const BdctContext * none, BdctMemory kind,
    void *memory)
{
  const unsigned before = fake_outstanding ();

  (void) none;
  fake_faults.armed = may_fail;
  bdct_memory_free (backend, &context, kind, memory);
  fake_faults.armed = false;
  after ("memory_free");
  if (memory != NULL && fake_outstanding () == before) /* out of reach */
    kind == BDCT_MEMORY_DEVICE ? cudaFree (memory) : cudaFreeHost (memory);
}

static void
check_error (const BdctError * error)
{
  if (error->message[0] == '\0')
    return;
  told = true;
  expect (failed_in != NULL, "an error without a cause", error->message);
  expect (strstr (error->message, "out of memory") != NULL
      || strstr (error->message, "refused") != NULL
      || strstr (error->message, "context") != NULL
      || strstr (error->message, "submitted just before") != NULL
      || strstr (error->message, "shares has failed") != NULL, "no cause",
      error->message);
}

/* A case: frames without an error are right. */
static void
play (int i)
{
  char text[DIFFERENCE_TEXT];
  Outcome found, own = expected[i];

  run_scene (&scenes[i], engine, BDCT_BACKEND_CUDA, &found);
  check_error (&found.error);
  /* Of a frame that fails, nothing more is said. */
  own.error = found.error;
  for (int k = 0; k < scenes[i].n_frames; k++) {
    check_error (&found.frame[k].error);
    own.frame[k].error = found.frame[k].error;
  }
  expect (outcome_equal (&scenes[i], &own, &found, NULL, text), cases[i],
      text);
  outcome_clear (&found);
}

static bool
create (void)
{
  const BdctEngineOptions options = {.size = sizeof options,.threads = 3,
    .context = context
  };
  BdctError error = { "" };

  for (int i = 0; i < 2 && engine == NULL; i++) {
    fake_faults.armed = may_fail;
    engine = bdct_engine_new (BDCT_BACKEND_CUDA, &options, &error);
    fake_faults.armed = false;
    after ("new");
    if (engine == NULL)
      check_error (&error);
  }
  return engine != NULL;
}

/* With frames in flight, which are forgotten, and with who would have told. */
static void
destroy (void)
{
  static uint8_t memory[2][3 * 64 * 32];
  const SceneFrame *f = &scenes[0].frame[0];
  const unsigned before = fake_faults.failed;
  BdctFrame frame = {.size = sizeof frame,.quantizers = f->quantizers,
    .n_quantizers = 1,.src = f->picture[0].image,.dst = f->dst.image
  };

  for (int p = 0; p < 2; p++) {
    frame.src.data[p] = memory[0] + p * 64 * 32;
    frame.dst.data[p] = memory[1] + p * 64 * 32;
    frame.src.stride[p] = frame.dst.stride[p] = 64;
  }
  if (inject_configure (engine, &scenes[0].layout, 3, NULL))
    for (int i = 0; i < 2; i++)
      inject_submit (engine, &frame, NULL);
  forgotten = fake_faults.failed > before;
  fake_faults.armed = may_fail;
  bdct_engine_free (engine);
  fake_faults.armed = false;
  engine = NULL;
  gone = fake_faults.failed > before && strcmp (fake_faults.call, "enter") == 0;
  after ("free");
}

/* A JPEG file of one grey block: a table of steps that are 1, and one code in
 * each Huffman table, that of 0. */
static void
decode (void)
{
  uint8_t file[] = "\xff\xd8\xff\xdb\0\x43\0................................"
      "................................\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0"
      "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9";
  BdctJpeg jpeg = {.size = sizeof jpeg,.data = file,
    .n_bytes = sizeof file - 1,.stride = 8
  };

  memset (file + 7, 1, 64);
  cudaMalloc ((void **) &jpeg.dst, 64);
  for (int i = 0; i < 3; i++) {
    BdctError error = { "" };
    bool ok;

    jpeg.decoded = false;
    fake_faults.armed = may_fail;
    ok = bdct_jpeg_decode (engine, &jpeg, 1, other, &error);
    fake_faults.armed = false;
    after ("decode");
    check_error (&error);
    expect (jpeg.decoded == ok && (!ok || (jpeg.dst[0] == 128
                && jpeg.dst[63] == 128)), "decode", "wrong pixels");
  }
  cudaFree (jpeg.dst);
}

/* Whether a failure that was not told of need not be. */
static bool
is_harmless (void)
{
  for (size_t i = 0; i < N (harmless); i++)
    if (strcmp (harmless[i].call, fake_faults.call) == 0
        && (harmless[i].in == NULL
            || strcmp (harmless[i].in, failed_in) == 0)) {
      n_harmless[i]++;
      return true;
    }
  return false;
}

enum { FILES = N (cases), MANY, N_PLAYS };

/* An engine with one play, and again with all that was refused; returns how
 * many calls there were. */
static unsigned
run (int what, unsigned first, bool all)
{
  fake_faults = (FakeFaults) {.first = first,.lost = all };
  told = forgotten = gone = false;
  seen = number = 0;
  failed_in = NULL;
  may_fail = false;
  cudaStreamCreateWithFlags (&other, cudaStreamNonBlocking);
  may_fail = what != MANY;
  if (create ()) {
    /* Past where the cells that count were all used once. */
    for (int i = 0; i < 11 && what == MANY; i++)
      play (0);
    may_fail = true;
    if (what == FILES)
      decode ();
    else
      for (int i = 0; i < 2; i++)
        play (what == MANY ? 0 : i == 0 || fake_faults.failed > 0 ? what
            : (what + 1) % 2);
    destroy ();
  }
  if (!all && fake_faults.failed > 0) {
    n_told += told;
    expect (told || is_harmless () || forgotten, "nobody was told",
        fake_faults.call);
  }
  may_fail = false;
  if (gone)
    fake_abandon ();
  else
    cudaStreamDestroy (other);
  expect (fake_outstanding () == 0, "what is left", "of the runtime's");
  expect (n_kept == 0, "what is left", "on the host");
  fake_abandon ();
  n_kept = 0;
  return fake_faults.calls;
}

static void
run_all (int what, bool quick)
{
  const unsigned n = run (what, 0, false);
  const int before = failed;
  const unsigned each = quick ? 13 : 1;
  /* With all after it: of many calls not each, which take minutes. */
  const unsigned step = 1 + n / (quick ? 20 : 256);
  unsigned once = 0, all = 0;

  for (bool hit = true; hit && failed < before + 20;) {
    run (what, 1 + each * once++, false);
    hit = fake_faults.failed > 0;
  }
  for (bool hit = true; hit && failed < before + 20;) {
    run (what, 1 + step * all++, true);
    hit = fake_faults.failed > 0;
  }
  printf ("play %d: %u calls; failed: %u once, %u with all after it\n", what, n,
      once - 1, all - 1);
}

int
main (int argc, char *argv[])
{
  const bool quick = argc > 1 && strcmp (argv[1], "--quick") == 0;
  const BdctEngineOptions options = {.size = sizeof options,.threads = 1 };
  BdctEngine *cpu = bdct_engine_new (BDCT_BACKEND_CPU, &options, NULL);
  BdctError error = { "" };

  setvbuf (stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < N (cases); i++) {
    Case c;

    if (!case_parse (&c, cases[i]) || !scene_init (&scenes[i], &c, &error)) {
      printf ("%s: %s\n", cases[i], error.message);
      return 2;
    }
    scene_make_levels (&scenes[i], cpu);
    run_scene (&scenes[i], cpu, BDCT_BACKEND_CPU, &expected[i]);
  }
  bdct_engine_free (cpu);
  fake_faults = (FakeFaults) {.armed = true,.first = 1 };
  expect (bdct_backend_count_devices (BDCT_BACKEND_CUDA, &error) == 0
      && strstr (error.message, "refused") != NULL
      && cudaGetLastError () == cudaSuccess, "no count of devices",
      error.message);
  for (int what = 0; what < N_PLAYS; what++)
    run_all (what, quick);
  printf ("%u failures were told of\n", n_told);
  for (size_t i = 0; i < N (harmless); i++)
    printf ("%4u of %s in %s were not: %s\n", n_harmless[i], harmless[i].call,
        harmless[i].in != NULL ? harmless[i].in : "any", harmless[i].reason);
  for (size_t i = 0; i < N (cases); i++) {
    outcome_clear (&expected[i]);
    scene_clear (&scenes[i]);
  }
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
