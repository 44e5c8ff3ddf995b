/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine's host side where something fails, on the runtime of
 * fake-runtime.c: each call of the CUDA runtime, each allocation, each thread
 * and each time the context is made current, one after the other; once, and
 * with all that follows, as when the context is lost.
 *
 * What is called next says so with the cause, or the frame's collect() does;
 * or it does not matter, for a reason that `harmless` names. Frames that are
 * said to be done are right, what was refused goes at the second attempt, and
 * nothing is left behind. With --quick each seventh of them fails.
 *
 * Ends with "N passed, N failed, 0 skipped". */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dct/engine/engine.h"
#include "fake-runtime.h"

#define DEPTH 4
#define N(array) (sizeof (array) / sizeof (array)[0])

typedef enum { NONE, DEVICE, PINNED, PAGEABLE } Place;

/* What a frame asks for. */
typedef struct {
  Place src, dst, records;
  bool map, wait;
  BdctViewMode view;
  bool grid;
  double zoom;
  bool metrics;
  int compared;                 /* pictures; 0: it is a frame */
} Sort;

static const Sort sorts[] = {
  {.src = DEVICE,.dst = DEVICE},
  {.src = PINNED,.dst = PINNED},
  {.src = DEVICE,.dst = DEVICE,.wait = true},
  {.src = PAGEABLE,.dst = PAGEABLE},
  {.src = DEVICE,.dst = PAGEABLE,.map = true},
  {.src = DEVICE},
  {.src = DEVICE,.dst = DEVICE,.records = PINNED,.map = true},
  {.src = PAGEABLE,.records = PAGEABLE},
  {.src = DEVICE,.dst = DEVICE,.grid = true},
  {.src = PINNED,.dst = DEVICE,.view = BDCT_VIEW_ERROR_MAP},
  {.src = DEVICE,.dst = DEVICE,.view = BDCT_VIEW_ORIGINAL},
  {.src = PAGEABLE,.dst = PAGEABLE,.view = BDCT_VIEW_SIZE_MAP,.grid = true},
  {.src = DEVICE,.dst = DEVICE,.metrics = true},
  {.src = PAGEABLE,.dst = PINNED,.view = BDCT_VIEW_ERROR_MAP,
      .metrics = true},
  {.src = DEVICE,.dst = PINNED,.view = BDCT_VIEW_ORIGINAL,
      .metrics = true},
  {.src = DEVICE,.dst = DEVICE,.view = BDCT_VIEW_WIPE,.compared = 1},
  {.src = PAGEABLE,.dst = PAGEABLE,.view = BDCT_VIEW_ERROR_MAP,.metrics = true,
      .compared = 3},
  {.src = PINNED,.dst = DEVICE,.view = BDCT_VIEW_SSIM_MAP,.zoom = 2,
      .compared = 2},
  {.src = DEVICE,.dst = DEVICE,.view = BDCT_VIEW_DIFFERENCE,.compared = 1},
  {.src = PAGEABLE,.dst = PAGEABLE,.view = BDCT_VIEW_WIPE,.zoom = 3,
      .compared = 1},
  {.src = DEVICE,.wait = true,.metrics = true,.compared = 3},
};

/* Those of comparisons. */
enum { FIRST_COMPARED = 15 };

#define N_SORTS ((int) N (sorts))

/* The first lies in memory as the engine's own buffers do. The last is large
 * enough for threads. */
static const BdctLayout layouts[] = {
  {.depth = 8, BDCT_CHROMA_420, 2, {{64, 32, 0, 1, {BDCT_Y}},
          {32, 16, 0, 2, {BDCT_U, BDCT_V}}}, {0}},
  {.depth = 10, BDCT_CHROMA_420, 2, {{35, 19, 6, 1, {BDCT_Y}},
          {18, 10, 6, 2, {BDCT_U, BDCT_V}}}, {0}},
  {.depth = 8, BDCT_CHROMA_420, 3, {{128, 19, 0, 1, {BDCT_Y}},
          {64, 10, 0, 1, {BDCT_U}}, {64, 10, 0, 1, {BDCT_V}}},
      {1, 4, {0}, {2, 1, 0}}},
  {.depth = 8, BDCT_CHROMA_400, 1, {{1024, 640, 0, 1, {BDCT_Y}}}, {0}},
};

/* The frames of one layout. */
typedef struct {
  size_t size, n_blocks;
  BdctJob quantizers[2];
  uint8_t *picture, *map;
  BdctView view;
  BdctLayout mate;
  struct {
    BdctStats stats[BDCT_MAX_DISTORTED];
    uint8_t *bytes;
    BdctBlockRecord *blocks;
  } expected[N (sorts)];
} Stream;

typedef struct {
  const Stream *stream;
  int sort;
  Place src_place, dst_place, records_place;    /* where they came to be */
  uint8_t *src, *dst;
  BdctBlockRecord *blocks;
  BdctView view;
  BdctFrame what;
  BdctComparison comparison;    /* in its place */
  bool doubtful;                /* something failed while it was in flight */
} Frame;

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
  {"cudaStreamSynchronize", "destroy", "what is in flight is forgotten"},
  {"cudaHostAlloc", NULL, "pageable memory does, with a warning"},
  {"cudaPointerGetAttributes", "submit", "taken for pageable memory"},
  {"enter", "destroy", "what is in the context goes with it"},
  {"enter", "free_host", "what is in the context goes with it"},
  {"enter", "free_device", "what is in the context goes with it"},
  {"pthread_create", NULL, "fewer threads copy"},
};

static Stream streams[N (layouts)];
static int passed, failed;
static unsigned n_harmless[N (harmless)], n_told;

/* The state of one run. */
static BdctEngine *engine;
static Frame ring[DEPTH];
static unsigned oldest, in_flight;
static cudaStream_t other;
static bool lost, told, forgotten; /* forgotten: who would have told */
static int entered;
static unsigned seen;           /* of fake_faults.failed */
static const char *failed_in;
static bool sparing;            /* nothing is to fail for now */
static int attempts;
static int n_kept;              /* allocations that are not freed */

static bool
expect (bool good, const char *what, const char *message)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL call %u%s (%s in %s): %s: %s\n", fake_faults.first,
        lost ? " and all after it" : "", fake_faults.call, failed_in, what,
        message);
  return good;
}

static void *
need (void *memory)
{
  if (memory == NULL)
    abort ();
  return memory;
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

/* Around each call of the engine. */

static void
arm (void)
{
  fake_faults.armed = !sparing;
}

/* `ok`: what it returned; false: it may only fail for a reason, and says it. */
static bool
disarm (const char *operation, bool ok, bool doubtful, const BdctError * error)
{
  const bool now = fake_faults.failed > seen;

  fake_faults.armed = false;
  seen = fake_faults.failed;
  if (now && failed_in == NULL)
    failed_in = operation;
  for (unsigned i = 0; now && i < in_flight; i++)
    ring[(oldest + i) % DEPTH].doubtful = true;
  expect (entered == 0, operation, "the context is still current");
  expect (cudaGetLastError () == cudaSuccess, operation,
      "its error is left to others");
  if (ok) {
    expect (!now || lost || strcmp (fake_faults.call, "cudaHostAlloc") != 0
        || engine->warning[0] != '\0', operation, "no warning");
    return true;
  }
  told = true;
  expect (now || doubtful || (lost && failed_in != NULL), operation,
      error->message);
  expect (strstr (error->message, "out of memory") != NULL
      || strstr (error->message, "refused") != NULL
      || strstr (error->message, "a launch has failed") != NULL
      || strstr (error->message, "context") != NULL, "no cause",
      error->message);
  return false;
}

/* Memory */

static size_t
lay_out (BdctImage * image, const BdctLayout * layout, uint8_t * base,
    bool device)
{
  size_t used = 0;

  *image = (BdctImage) {
    .memory = device ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST
  };
  for (int p = 0; p < bdct_image_planes (layout); p++) {
    image->data[p] = base + used;
    image->stride[p] = bdct_image_row_size (layout, p);
    used += image->stride[p] * bdct_image_height (layout, p);
  }
  return used;
}

/* Where there is no pinned memory, as an application would have it. */
static void *
get_memory (Place * place, size_t size)
{
  void *memory = NULL;

  if (*place == DEVICE) {
    arm ();
    memory = bdct_cuda_engine.alloc_device (&context, size);
    disarm ("alloc_device", memory != NULL, false,
        &(BdctError) { "no context or out of memory" });
    if (memory == NULL)
      cudaMalloc (&memory, size);
  } else if (*place == PINNED) {
    arm ();
    memory = bdct_cuda_engine.alloc_host (&context, size);
    disarm ("alloc_host", memory != NULL, false,
        &(BdctError) { "no context or out of memory" });
    if (memory == NULL)
      *place = PAGEABLE;
  }
  return *place == PAGEABLE ? need (malloc (size)) : memory;
}

static void
free_memory (Place place, void *memory)
{
  const unsigned before = fake_outstanding ();

  if (place == DEVICE) {
    arm ();
    bdct_cuda_engine.free_device (&context, memory);
    disarm ("free_device", true, false, NULL);
    if (fake_outstanding () == before)  /* out of reach */
      cudaFree (memory);
  } else if (place == PINNED) {
    arm ();
    bdct_cuda_engine.free_host (&context, memory);
    disarm ("free_host", true, false, NULL);
    if (fake_outstanding () == before)
      cudaFreeHost (memory);
  } else if (place == PAGEABLE) {
    free (memory);
  }
}

/* The picture into a frame's memory. */
static void
fill (const Frame * frame)
{
  const Stream *stream = frame->stream;
  bool copied = false;

  if (frame->src_place == DEVICE) {
    arm ();
    copied = bdct_cuda_engine.copy (&context, frame->src, stream->picture,
        stream->size, true);
    disarm ("copy", copied, false, &(BdctError) { "no context, or a fault" });
  }
  if (!copied)
    memcpy (frame->src, stream->picture, stream->size);
}

static void
frame_clear (Frame * frame)
{
  free_memory (frame->src_place, frame->src);
  free_memory (frame->dst_place, frame->dst);
  free_memory (frame->records_place, frame->blocks);
}

/* The same bytes as another layout of the same components: each in a plane of
 * its own. */
static BdctLayout
get_mate (const BdctLayout * layout)
{
  BdctLayout mate = *layout;

  if (layout->n_planes == 2) {
    mate.n_planes = 3;
    mate.plane[1].interleave = 1;
    mate.plane[2] = mate.plane[1];
    mate.plane[2].component[0] = BDCT_V;
  }
  return mate;
}

/* A picture is compared with itself from the bottom up, as another layout has
 * it, and with itself. */
static void
make_comparison (BdctComparison * to, const Sort * sort,
    const BdctLayout * layout, const BdctLayout * mate, uint8_t * picture,
    bool device, unsigned metrics, const BdctView * view)
{
  BdctImage image, other;

  lay_out (&image, layout, picture, device);
  lay_out (&other, mate, picture, device);
  *to = (BdctComparison) {
    .reference = {image},
    .distorted = {{image}, {other, mate}, {image}},
    .n_distorted = sort->compared,
    .errors = true,
    .metrics = metrics,
    .view = view,
    .left = -1,
  };
  for (int p = 0; p < bdct_image_planes (layout); p++) {
    BdctImage *first = &to->distorted[0].image;

    first->data[p] = (uint8_t *) first->data[p]
        + (bdct_image_height (layout, p) - 1) * first->stride[p];
    first->stride[p] = -first->stride[p];
  }
}

static int
count_stats (const Sort * sort)
{
  return sort->compared > 0 ? sort->compared : 1;
}

/* All metrics; each frame has the same number, and none before it. */
static unsigned
get_metrics (const Sort * sort, const BdctLayout * layout)
{
  return !sort->metrics ? 0 : bdct_metrics_supported ((1 << BDCT_N_METRICS) - 1,
      layout);
}

static void
frame_init (Frame * frame, const Stream * stream, int sort)
{
  const BdctLayout *layout = &layouts[stream - streams];
  const Sort *s = &sorts[sort];
  BdctFrame *what = &frame->what;

  *frame = (Frame) {
    .stream = stream,.sort = sort,
    .src_place = s->src,.dst_place = s->dst,.records_place = s->records
  };
  frame->src = get_memory (&frame->src_place, stream->size);
  frame->dst = get_memory (&frame->dst_place, stream->size);
  frame->blocks = get_memory (&frame->records_place,
      stream->n_blocks * sizeof *frame->blocks);
  fill (frame);
  if (frame->dst != NULL)
    memset (frame->dst, 0xa5, stream->size);
  frame->view = stream->view;
  frame->view.mode = s->view;
  frame->view.grid = s->grid;
  frame->view.zoom = s->zoom;
  *what = (BdctFrame) {
    .quantizers = stream->quantizers,.n_quantizers = s->map ? 2 : 1,
    .quantizer_map = s->map ? stream->map : NULL,
    .metrics = get_metrics (s, layout),
    .blocks = frame->blocks,.n_blocks = stream->n_blocks,
    .view = &frame->view,
    .wait = {s->wait ? other : NULL}
  };
  lay_out (&what->src, layout, frame->src, s->src == DEVICE);
  if (frame->dst != NULL)
    lay_out (&what->dst, layout, frame->dst, s->dst == DEVICE);
  make_comparison (&frame->comparison, s, layout, &stream->mate, frame->src,
      s->src == DEVICE, what->metrics, s->dst != NONE ? &frame->view : NULL);
  frame->comparison.dst = what->dst;
  frame->comparison.wait[4] = s->wait ? other : NULL;
}

/* What the CPU makes of all frames of a layout. */
static void
stream_init (Stream * stream, const BdctLayout * layout)
{
  BdctEngineOptions options = {.threads = 1 };
  BdctEngine *cpu = need (bdct_cpu_engine.create (&options, NULL));
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctImage image;

  for (int i = 0; i < 2; i++) {
    params.quality = 20 + 12 * i;
    if (!bdct_job_init (&stream->quantizers[i], &params, layout, NULL))
      abort ();
  }
  stream->size = lay_out (&image, layout, NULL, false);
  stream->n_blocks = bdct_blocks_init (grid, layout, &stream->quantizers[0]);
  stream->picture = need (malloc (stream->size));
  stream->map = need (malloc (stream->n_blocks));
  stream->mate = get_mate (layout);
  stream->view = (BdctView) BDCT_VIEW_DEFAULT;
  bdct_view_colours (&stream->view, layout->depth, 0.299, 0.114, true);
  for (size_t i = 0; i < stream->size; i++)
    stream->picture[i] = i * 7 + (i >> 5) * 13;
  for (size_t i = 0; i < stream->n_blocks; i++)
    stream->map[i] = i % 5 == 0;
  if (!cpu->klass->configure (cpu, layout, 1, NULL))
    abort ();
  for (int i = 0; i < N_SORTS; i++) {
    Sort sort = sorts[i];
    BdctComparison comparison;
    BdctFrame what;
    BdctView view = stream->view;

    stream->expected[i].bytes = need (malloc (stream->size));
    stream->expected[i].blocks = need (malloc (stream->n_blocks
            * sizeof (BdctBlockRecord)));
    view.mode = sort.view;
    view.grid = sort.grid;
    view.zoom = sort.zoom;
    what = (BdctFrame) {
      .quantizers = stream->quantizers,.n_quantizers = sort.map ? 2 : 1,
      .quantizer_map = sort.map ? stream->map : NULL,
      .metrics = get_metrics (&sort, layout),
      .blocks = stream->expected[i].blocks,.n_blocks = stream->n_blocks,
      .view = &view
    };
    lay_out (&what.src, layout, stream->picture, false);
    lay_out (&what.dst, layout, stream->expected[i].bytes, false);
    make_comparison (&comparison, &sort, layout, &stream->mate,
        stream->picture, false, what.metrics, sort.dst != NONE ? &view : NULL);
    comparison.dst = what.dst;
    if (!(sort.compared > 0 ? cpu->klass->compare (cpu, &comparison, NULL)
            : cpu->klass->submit (cpu, &what, NULL))
        || !cpu->klass->collect (cpu, stream->expected[i].stats, NULL))
      abort ();
  }
  cpu->klass->destroy (cpu);
}

/* The engine. What fails is asked for again at once, as often as something new
 * has failed; on a lost context it is given up. */

static bool
create (void)
{
  BdctEngineOptions options = {.threads = 3,.context = context };
  BdctError error = { "" };

  for (int i = 0; i < 2 && engine == NULL; i++) {
    arm ();
    engine = bdct_cuda_engine.create (&options, &error);
    disarm ("create", engine != NULL, false, &error);
  }
  return engine != NULL;
}

static bool
configure (const Stream * stream, unsigned depth)
{
  BdctError error = { "" };
  bool ok = false;

  for (int i = 0; i < 2 && !ok; i++) {
    arm ();
    ok = engine->klass->configure (engine, &layouts[stream - streams], depth,
        &error);
    disarm ("configure", ok, false, &error);
  }
  return ok;
}

static void
collect (void)
{
  Frame *frame = &ring[oldest];
  const Stream *stream = frame->stream;
  BdctStats stats[BDCT_MAX_DISTORTED];
  BdctError error = { "" };
  bool ok;

  memset (stats, 0, sizeof stats);
  arm ();
  ok = engine->klass->collect (engine, stats, &error);
  ok = disarm ("collect", ok, frame->doubtful, &error);
  if (ok) {
    expect (memcmp (stats, stream->expected[frame->sort].stats,
            count_stats (&sorts[frame->sort]) * sizeof stats[0]) == 0,
        "a frame that is done", "other statistics");
    expect (frame->dst == NULL || memcmp (frame->dst,
            stream->expected[frame->sort].bytes, stream->size) == 0,
        "a frame that is done", "other bytes");
    expect (frame->blocks == NULL || memcmp (frame->blocks,
            stream->expected[frame->sort].blocks,
            stream->n_blocks * sizeof *frame->blocks) == 0,
        "a frame that is done", "other records");
  }
  oldest = (oldest + 1) % DEPTH;
  in_flight--;
  /* Whatever came of it: it is the caller's again. */
  frame_clear (frame);
}

static void
submit (const Stream * stream, int sort)
{
  Frame *frame = &ring[(oldest + in_flight) % DEPTH];
  BdctError error = { "" };
  bool ok = false;

  for (int i = 0; i < attempts && !ok; i++) {
    const unsigned before = fake_faults.failed;

    frame_init (frame, stream, sort);
    arm ();
    ok = sorts[sort].compared > 0
        ? engine->klass->compare (engine, &frame->comparison, &error)
        : engine->klass->submit (engine, &frame->what, &error);
    ok = disarm ("submit", ok, false, &error);
    if (ok) {
      frame->doubtful = fake_faults.failed > before;
      in_flight++;
    } else {
      frame_clear (frame);
    }
  }
}

static void
drain (unsigned left)
{
  while (in_flight > left)
    collect ();
}

static void
destroy (void)
{
  const unsigned before = fake_faults.failed;
  bool gone;

  arm ();
  engine->klass->destroy (engine);
  engine = NULL;
  gone = fake_faults.failed > before
      && strcmp (fake_faults.call, "enter") == 0;
  disarm ("destroy", true, false, NULL);
  /* They were forgotten. */
  while (in_flight > 0) {
    forgotten = forgotten || ring[oldest].doubtful;
    frame_clear (&ring[oldest]);
    oldest = (oldest + 1) % DEPTH;
    in_flight--;
  }
  if (gone) {
    fake_abandon ();
    other = NULL;
  }
}

/* Frames of every sort, one in flight and some; a change of caps; frames that
 * are forgotten. */
static void
play (void)
{
  if (!create ())
    return;
  for (int round = 0; round < 3; round++) {
    const Stream *stream = &streams[round % 2];
    const unsigned depth = round == 1 ? 1 : DEPTH;

    if (!configure (stream, depth))
      break;
    for (int i = 0; i < (round == 2 ? 4 : N_SORTS); i++) {
      drain (depth - 1);
      submit (stream, i);
    }
    if (round < 2)
      drain (0);
  }
  destroy ();
}

/* A frame that several threads copy. */
static void
play_large (void)
{
  const Stream *stream = &streams[3];

  if (!create ())
    return;
  if (configure (stream, 1)) {
    submit (stream, 3);
    drain (0);
  }
  destroy ();
}

/* Comparisons of R, G and B. */
static void
play_colour (void)
{
  const Stream *stream = &streams[2];

  if (!create ())
    return;
  if (configure (stream, DEPTH)) {
    for (int i = FIRST_COMPARED; i < N_SORTS; i++) {
      drain (DEPTH - 1);
      submit (stream, i);
    }
    drain (0);
  }
  destroy ();
}

/* A frame that is refused for good leaves nothing behind that reaches what
 * other caps free. */
static void
play_refused (void)
{
  sparing = true;
  if (!create () || !configure (&streams[0], 1))
    abort ();
  sparing = false;
  attempts = 1;
  submit (&streams[0], 3);
  attempts = 2;
  drain (0);
  if (configure (&streams[1], 1)) {
    submit (&streams[1], 3);
    drain (0);
  }
  destroy ();
}

/* A JPEG file of one grey block: a table of steps that are 1, and one code in
 * each Huffman table, that of 0. */
static void
play_files (void)
{
  uint8_t file[] = "\xff\xd8\xff\xdb\0\x43\0................................"
      "................................\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0"
      "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9";
  BdctJpeg jpeg = {.size = sizeof jpeg,.data = file,
    .n_bytes = sizeof file - 1,.stride = 8
  };
  Place place = DEVICE;

  memset (file + 7, 1, 64);
  if (!create ())
    return;
  jpeg.dst = get_memory (&place, 64);
  for (int i = 0; i < 3; i++) {
    BdctError error = { "" };
    bool ok = false;

    for (int k = 0; k < attempts && !ok; k++) {
      jpeg.decoded = false;
      memset (jpeg.dst, 0, 64);
      arm ();
      ok = engine->klass->decode (engine, &jpeg, 1, other, &error);
      ok = disarm ("decode", ok, false, &error);
    }
    expect (jpeg.decoded == ok && (!ok || (jpeg.dst[0] == 128
                && jpeg.dst[63] == 128)), "decode", "wrong pixels");
  }
  free_memory (place, jpeg.dst);
  destroy ();
}

/* Past the point where the cells that count were all used once, frame by
 * frame. */
static void
play_on (void)
{
  sparing = true;
  if (!create () || !configure (&streams[0], DEPTH))
    abort ();
  for (int i = 0; i < 67; i++) {
    sparing = i < 62;
    submit (&streams[0], 0);
    drain (0);
  }
  destroy ();
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

/* Returns how many calls there were. */
static unsigned
run (void (*func) (void), unsigned first, bool all)
{
  fake_faults = (FakeFaults) {.first = first,.lost = all };
  lost = all;
  told = forgotten = false;
  seen = oldest = in_flight = 0;
  failed_in = NULL;
  sparing = false;
  attempts = 2;
  cudaStreamCreateWithFlags (&other, cudaStreamNonBlocking);
  func ();
  if (!all && fake_faults.failed > 0) {
    n_told += told;
    expect (told || is_harmless () || forgotten, "nobody was told",
        fake_faults.call);
  }
  if (other != NULL)
    cudaStreamDestroy (other);
  expect (fake_outstanding () == 0, "what is left", "of the runtime's");
  expect (n_kept == 0, "what is left", "on the host");
  fake_abandon ();
  n_kept = 0;
  return fake_faults.calls;
}

static void
run_all (const char *name, void (*func) (void), bool quick)
{
  const unsigned n = run (func, 0, false);
  const int before = failed;
  const unsigned each = quick ? 7 : 1;
  /* With all after it: of many calls not each, which take minutes. */
  const unsigned step = 1 + n / (quick ? 32 : 256);
  unsigned once = 0, all = 0;

  for (bool hit = true; hit && failed < before + 20;) {
    run (func, 1 + each * once++, false);
    hit = fake_faults.failed > 0;
  }
  for (bool hit = true; hit && failed < before + 20;) {
    run (func, 1 + step * all++, true);
    hit = fake_faults.failed > 0;
  }
  printf ("%s: %u calls; failed: %u once, %u with all after it\n", name, n,
      once - 1, all - 1);
}

int
main (int argc, char *argv[])
{
  const bool quick = argc > 1 && strcmp (argv[1], "--quick") == 0;
  BdctError error = { "" };

  setvbuf (stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < N (layouts); i++)
    stream_init (&streams[i], &layouts[i]);

  fake_faults = (FakeFaults) {.armed = true,.first = 1 };
  expect (bdct_cuda_engine.count_devices (&error) == 0
      && strstr (error.message, "refused") != NULL
      && cudaGetLastError () == cudaSuccess, "no count of devices",
      error.message);
  run_all ("all sorts of frames", play, quick);
  run_all ("a large frame", play_large, quick);
  run_all ("comparisons of R, G and B", play_colour, quick);
  run_all ("a frame that is refused", play_refused, quick);
  run_all ("many frames", play_on, quick);
  run_all ("files", play_files, quick);
  printf ("%u failures were told of\n", n_told);
  for (size_t i = 0; i < N (harmless); i++)
    printf ("%4u of %s in %s were not: %s\n", n_harmless[i], harmless[i].call,
        harmless[i].in != NULL ? harmless[i].in : "any", harmless[i].reason);
  for (size_t i = 0; i < N (streams); i++) {
    free (streams[i].picture);
    free (streams[i].map);
    for (int j = 0; j < N_SORTS; j++) {
      free (streams[i].expected[j].bytes);
      free (streams[i].expected[j].blocks);
    }
  }
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
