/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#define CANARY 0x5a

/* Bytes where an engine has them: its own kind of host memory, the device's
 * with a copy on the host, or any. */
typedef struct {
  enum { PAGEABLE, PINNED, DEVICE } kind;
  BdctBackend backend;
  uint8_t *host, *device;
  size_t size;
} Memory;

static void
memory_init (Memory * memory, BdctBackend backend, int kind,
    const uint8_t * bytes, size_t size)
{
  *memory = (Memory) { kind, backend, NULL, NULL, size };
  if (kind != PAGEABLE)
    memory->host = bdct_memory_alloc (backend, NULL, BDCT_MEMORY_HOST, size);
  if (kind == DEVICE && memory->host != NULL)
    memory->device = bdct_memory_alloc (backend, NULL, BDCT_MEMORY_DEVICE,
        size);
  /* The CPU has one kind. */
  if (memory->host == NULL) {
    memory->kind = PAGEABLE;
    memory->host = allocate (size);
  } else if (kind == DEVICE && memory->device == NULL) {
    memory->kind = PINNED;
  }
  memcpy (memory->host, bytes, size);
  if (memory->kind == DEVICE)
    bdct_memory_copy (backend, NULL, memory->device, memory->host, size, true);
}

static uint8_t *
memory_start (const Memory * memory)
{
  return memory->kind == DEVICE ? memory->device : memory->host;
}

/* Free it, if need be with a copy of what is there now. */
static void
memory_clear (Memory * memory, uint8_t * bytes)
{
  if (memory->host == NULL)
    return;
  if (bytes != NULL) {
    if (memory->kind == DEVICE)
      bdct_memory_copy (memory->backend, NULL, memory->device, memory->host,
          memory->size, false);
    memcpy (bytes, memory->host, memory->size);
  }
  if (memory->kind == PAGEABLE)
    free (memory->host);
  else
    bdct_memory_free (memory->backend, NULL, BDCT_MEMORY_HOST, memory->host);
  bdct_memory_free (memory->backend, NULL, BDCT_MEMORY_DEVICE,
      memory->device);
}

static BdctImage
move_image (const Picture * picture, const Memory * memory)
{
  BdctImage image = picture_image (picture, memory_start (memory));

  image.memory = memory->kind == DEVICE ? BDCT_MEMORY_DEVICE
      : BDCT_MEMORY_HOST;
  return image;
}

/* A frame in flight. */
typedef struct {
  Memory dst, levels;
  const Memory *source;         /* of a frame: its own, or an earlier one's */
  bool started;
  Output *output;
} Work;

typedef Memory Pictures[MAX_FRAMES][MAX_PICTURES];

/* Make room for an output, filled with what is not to be seen later. */
static void *
output_alloc (Output * output, int what, size_t size)
{
  output->bytes[what] = allocate (size);
  output->size[what] = size;
  memset (output->bytes[what], CANARY, size);
  return output->bytes[what];
}

static int
count_stats (const SceneFrame * f)
{
  return f->compares ? f->comparison.n_distorted : 1;
}

/* Levels end where their memory does, or with more behind them. */
static void
init_levels (const SceneFrame * f, BdctBackend backend, Work * work,
    Output * output, BdctFrame * frame)
{
  const size_t size = f->info.n_levels * sizeof *f->levels;
  uint8_t *bytes = output_alloc (output, LEVEL_BYTES, size
      + (f->value[SEED] % 2 ? 64 : 0));

  if (f->levels != NULL)
    memcpy (bytes, f->levels, size);
  memory_init (&work->levels, backend, f->value[LEVELS_MEMORY], bytes,
      output->size[LEVEL_BYTES]);
  frame->levels = (int16_t *) memory_start (&work->levels);
  frame->levels_memory = work->levels.kind == DEVICE ? BDCT_MEMORY_DEVICE
      : BDCT_MEMORY_HOST;
}

static void
init_frame (const Scene * scene, const SceneFrame * f, BdctBackend backend,
    Work * work, Output * output, BdctFrame * frame)
{
  const int *value = f->value;
  const bool stack = scene->layout.stack > 1;

  *frame = f->frame;
  if (!frame->from_levels || !value[NO_SRC])
    frame->src = move_image (f->source, work->source);
  if (!value[NO_DST] || stack)
    frame->dst = move_image (&f->dst, &work->dst);
  if (stack) {
    frame->stack_sse = output_alloc (output, STACK_SSE,
        scene->layout.stack * sizeof *frame->stack_sse);
    if (frame->bits)
      frame->stack_bits = output_alloc (output, STACK_BITS,
          scene->layout.stack * sizeof *frame->stack_bits);
    return;
  }
  if (value[RECORDS])
    frame->blocks = output_alloc (output, RECORD_BYTES,
        f->info.n_blocks * sizeof *frame->blocks);
  if (value[SIZES] || frame->from_levels)
    frame->sizes = output_alloc (output, SIZE_BYTES, f->info.n_blocks);
  if (f->sizes != NULL)
    memcpy (frame->sizes, f->sizes, f->info.n_blocks);
  if (value[LEVELS] || frame->from_levels)
    init_levels (f, backend, work, output, frame);
}

/* Start frame `i`. Pictures that are there are not made again. */
static void
start (const Scene * scene, int i, BdctEngine * engine, BdctBackend backend,
    Pictures pictures, Work * work)
{
  const SceneFrame *f = &scene->frame[i];
  const int *value = f->value;
  const int n = f->compares ? 1 + f->comparison.n_distorted
      : !f->frame.same_source;
  BdctComparison comparison = f->comparison;
  Output *output = work->output;
  BdctView view = f->view;
  BdctFrame frame;
  int of = i;
  uint8_t *map;

  for (int k = 0; k < n && pictures[i][k].host == NULL; k++)
    memory_init (&pictures[i][k], backend, (value[SRC_MEMORY] + k) % 3,
        f->picture[k].bytes, f->picture[k].size);
  while (!scene->frame[of].compares && scene->frame[of].frame.same_source)
    of--;
  work->source = &pictures[of][0];
  memory_init (&work->dst, backend, value[DST_MEMORY], f->dst.bytes,
      f->dst.size);
  output_alloc (output, PICTURE, f->dst.size);
  memset (output_alloc (output, STATISTICS, count_stats (f)
          * sizeof (BdctStats)), 0, output->size[STATISTICS]);
  if (!f->compares) {
    init_frame (scene, f, backend, work, output, &frame);
    frame.view = frame.view != NULL ? &view : NULL;
    map = allocate (f->info.n_blocks);
    if (frame.quantizer_map != NULL)
      frame.quantizer_map = memcpy (map, frame.quantizer_map, f->info.n_blocks);
    work->started = bdct_engine_submit (engine, &frame, &output->error);
    /* The engine has its own. */
    memset (map, 0xff, f->info.n_blocks);
    free (map);
    memset (&view, 0xff, sizeof view);
    return;
  }
  for (int k = 0; k < n; k++)
    *(k == 0 ? &comparison.reference : &comparison.distorted[k - 1]) =
        (BdctPicture) { move_image (&f->picture[k], &pictures[i][k]),
          value[MATES] >> k & 1 ? &f->picture[k].layout : NULL };
  comparison.dst = move_image (&f->dst, &work->dst);
  work->started = bdct_engine_compare (engine, &comparison, &output->error);
}

static void
finish (BdctEngine * engine, Work * work)
{
  Output *output = work->output;
  BdctStats *stats = (BdctStats *) output->bytes[STATISTICS];

  stats->size = sizeof *stats;
  if (work->started)
    bdct_engine_collect (engine, stats, &output->error);
  memory_clear (&work->dst, output->bytes[PICTURE]);
  memory_clear (&work->levels, output->bytes[LEVEL_BYTES]);
}

static void
output_clear (Output * output)
{
  for (int what = 0; what < N_OUTPUTS; what++)
    free (output->bytes[what]);
  *output = (Output) { 0 };
}

/* What comes out of a frame again is what has come out. */
static void
check_again (const Output * first, Output * later, int i, BdctError * error)
{
  for (int what = 0; what < N_OUTPUTS; what++)
    if (strcmp (first->error.message, later->error.message) != 0
        || (first->size[what] > 0 && memcmp (first->bytes[what],
                later->bytes[what], first->size[what]) != 0))
      snprintf (error->message, sizeof error->message, "frame %d is another "
          "(output %d)", i, what);
  output_clear (later);
}

void
run_scene (const Scene * scene, BdctEngine * engine, BdctBackend backend,
    Outcome * outcome)
{
  const int depth = scene->c.common[IN_FLIGHT] + scene->c.common[DEEPER];
  const int n = scene->n_frames, all = n * (1 + scene->c.common[AGAIN]);
  Output later[BDCT_MAX_DEPTH] = { 0 };
  Work work[BDCT_MAX_DEPTH];
  Pictures pictures = { 0 };

  memset (outcome, 0, sizeof *outcome);
  if (!bdct_engine_configure (engine, &scene->layout, depth, &outcome->error))
    return;
  for (int i = 0; i < all + depth; i++) {
    Work *own = &work[i % depth];

    if (i >= depth && i - depth < all)
      finish (engine, own);
    if (i >= depth + n && i - depth < all)
      check_again (&outcome->frame[(i - depth) % n], own->output, i - depth,
          &outcome->error);
    if (i >= all)
      continue;
    *own = (Work) {.output = i < n ? &outcome->frame[i] : &later[i % depth] };
    start (scene, i % n, engine, backend, pictures, own);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < MAX_PICTURES; k++)
      memory_clear (&pictures[i][k], NULL);
}

void
outcome_clear (Outcome * outcome)
{
  for (int i = 0; i < MAX_FRAMES; i++)
    output_clear (&outcome->frame[i]);
}

/* Levels */

/* Some frames have a few that no encoder writes. */
static void
change_levels (SceneFrame * f)
{
  uint64_t state = f->value[SEED] + 1;
  const bool any = random_below (&state, 3) == 0;

  for (size_t i = 0; i < f->info.n_levels; i++)
    switch (random_below (&state, any ? 12 * 64 : 12)) {
      case 0:
        f->levels[i] = -f->levels[i];
        break;
      case 1:
        f->levels[i] = 0;
        break;
      case 2:
        f->levels[i] = f->levels[i] / 2 + (f->levels[i] & 1);
        break;
      case 12:
        f->levels[i] = (int16_t) random_below (&state, 65536);
        break;
    }
}

/* Those of all sizes, in all places or in one row, one column or one place of
 * each 64, where sums of numbers of 16 and 32 bits come to their ends. */
static void
draw_levels (SceneFrame * f)
{
  uint64_t state = f->value[SEED] + 1;
  const int bits = 1 + random_below (&state, 16), kind = random_below (&state,
      5), at = random_below (&state, 8), most = 1 << bits;
  const int same = random_below (&state, most) - most / 2;

  for (size_t i = 0; i < f->info.n_levels; i++) {
    const int v = kind == 4 ? same : random_below (&state, most) - most / 2;

    f->levels[i] = kind == 0 || (kind == 1 ? i % 64 / 8 : i % 8) ==
        (size_t) at || (kind == 3 && i % 64 == 9u * at) ? v : 0;
  }
}

void
scene_make_levels (Scene * scene, BdctEngine * engine)
{
  for (int i = 0; i < scene->n_frames; i++) {
    SceneFrame *f = &scene->frame[i];
    BdctFrame frame = {.size = sizeof frame,.quantizers = f->quantizers,
      .n_quantizers = f->frame.n_quantizers,
      .quantizer_map = f->frame.quantizer_map,
      .src = (f->picture[0].bytes != NULL ? &f->picture[0] : f->source)->image,
      .n_blocks = f->info.n_blocks,.n_levels = f->info.n_levels
    };

    if (f->compares || !f->frame.from_levels)
      continue;
    f->levels = frame.levels = allocate (frame.n_levels * sizeof *f->levels);
    f->sizes = frame.sizes = allocate (frame.n_blocks);
    if (bdct_engine_configure (engine, &scene->layout, 1, NULL)
        && bdct_engine_submit (engine, &frame, NULL))
      bdct_engine_collect (engine, NULL, NULL);
    if (f->value[FROM_LEVELS] == 2)
      change_levels (f);
    else if (f->value[FROM_LEVELS] == 3)
      draw_levels (f);
  }
}

/* Comparison */

/* Where byte `at` of a picture is. */
static void
say_place (const Picture * picture, size_t at, char *text, size_t size)
{
  const BdctLayout *layout = &picture->layout;
  int bytes;

  snprintf (text, size, "byte %zu, beside the picture,", at);
  for (int p = 0; p < picture_planes (layout); p++) {
    const int row = picture_row (layout, p, &bytes) * bytes;
    const int pixel = row / layout->plane[layout->rgb.n_planes > 0 ? 0 : p]
        .width;

    for (int y = 0; y < picture_rows (layout, p); y++) {
      const size_t x = at - picture_at (picture, p, y);

      if (x < (size_t) row)
        snprintf (text, size, "plane %d, sample (%zu, %d), byte %zu of it", p,
            x / pixel, y, x % pixel);
    }
  }
}

/* Whether bytes beside the picture and behind the levels are as they were. */
static bool
is_tidy (const SceneFrame * f, const Output * output)
{
  uint8_t *bytes = allocate (f->dst.size);
  bool tidy;
  int size;

  memcpy (bytes, f->dst.bytes, f->dst.size);
  for (int p = 0; p < picture_planes (&f->dst.layout); p++) {
    const int row = picture_row (&f->dst.layout, p, &size) * size;

    for (int y = 0; y < picture_rows (&f->dst.layout, p); y++)
      memcpy (bytes + picture_at (&f->dst, p, y), output->bytes[PICTURE]
          + picture_at (&f->dst, p, y), row);
  }
  tidy = memcmp (bytes, output->bytes[PICTURE], f->dst.size) == 0;
  for (size_t i = f->info.n_levels * sizeof *f->levels;
      i < output->size[LEVEL_BYTES]; i++)
    tidy = tidy && output->bytes[LEVEL_BYTES][i] == CANARY;
  free (bytes);
  return tidy;
}

static void
say_statistic (size_t at, char *text, size_t size)
{
  static const struct
  {
    size_t from;
    const char *name;
  } parts[] = {
    {offsetof (BdctStats, billionths), "billionths"},
    {offsetof (BdctStats, metric), "metric"},
    {offsetof (BdctStats, bits_optimized), "bits_optimized and on"},
    {offsetof (BdctStats, area), "area"}, {offsetof (BdctStats, rgb), "rgb"},
    {offsetof (BdctStats, component), "component"}, {0, "size"},
  };
  const size_t in = at % sizeof (BdctStats);
  int i = 0;

  while (in < parts[i].from)
    i++;
  snprintf (text, size, "entry %zu, %s, number %zu", at / sizeof (BdctStats),
      parts[i].name, (in - parts[i].from) / sizeof (uint64_t));
}

/* The bytes of pixels that nothing is said of: beside R, G and B without a
 * source. */
static void
ignore_rest (const SceneFrame * f, const uint8_t * a, uint8_t * b)
{
  const BdctLayout *layout = &f->dst.layout;
  const BdctRgb *rgb = &layout->rgb;

  if (f->compares || !f->frame.from_levels || !f->value[NO_SRC]
      || rgb->bytes != 4)
    return;
  for (int y = 0; y < layout->plane[0].height; y++)
    for (int x = 0; x < layout->plane[0].width; x++) {
      const size_t at = picture_at (&f->dst, 0, y) + 4 * x + 6
          - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];

      b[at] = a[at];
    }
}

/* Whether an output is made by dct-8x8 of samples. */
static bool
is_real (const SceneFrame * f)
{
  return !f->compares && f->value[TRANSFORM] == BDCT_DCT_8X8
      && !f->frame.from_levels;
}

/* Count how samples differ, and make them the same, so that what is left is
 * beside the picture. R, G and B are from three samples each. */
static void
count_roundings (const SceneFrame * f, const uint8_t * a, uint8_t * b,
    Roundings * roundings)
{
  const BdctLayout *layout = &f->dst.layout;
  const int most = layout->rgb.n_planes > 0 ? 4 : 1;
  int bytes;

  for (int p = 0; p < picture_planes (layout); p++) {
    const int n = picture_row (layout, p, &bytes);

    for (int y = 0; y < picture_rows (layout, p); y++)
      for (int x = 0; x < n; x++) {
        const size_t at = picture_at (&f->dst, p, y) + x * bytes;
        int off = a[at] - b[at];

        if (bytes == 2)
          off = (off + (a[at + 1] - b[at + 1]) * 256)
              / (1 << layout->plane[p].shift);
        memcpy (b + at, a + at, bytes);
        roundings->samples++;
        roundings->other += off != 0;
        roundings->far += abs (off) > most;
      }
  }
}

/* Make the same in `b` what may differ of dct-8x8: the picture, errors,
 * metrics and counts of what is not 0. */
static void
allow_roundings (const SceneFrame * f, const Output * a, Output * b,
    Roundings * roundings)
{
  static const int whats[] = { RECORD_BYTES, STACK_SSE };
  const BdctStats *own = (const BdctStats *) a->bytes[STATISTICS];
  BdctStats *other = (BdctStats *) b->bytes[STATISTICS];

  if (!is_real (f))
    return;
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    other->component[c].sse = own->component[c].sse;
    other->component[c].nonzero = own->component[c].nonzero;
  }
  memcpy (other->rgb, own->rgb, sizeof own->rgb);
  memcpy (other->metric, own->metric, sizeof own->metric);
  memcpy (other->billionths, own->billionths, sizeof own->billionths);
  for (int i = 0; i < 2; i++)
    if (a->size[whats[i]] > 0)
      memcpy (b->bytes[whats[i]], a->bytes[whats[i]], a->size[whats[i]]);
  count_roundings (f, a->bytes[PICTURE], b->bytes[PICTURE],
      f->frame.view == NULL ? roundings : &(Roundings) { 0 });
}

static bool
output_equal (const SceneFrame * f, const Output * a, const Output * b,
    char *text, size_t size)
{
  static const char *const names[N_OUTPUTS] = { "picture", "levels",
    "records", "sizes", "statistics", "stack_sse", "stack_bits"
  };
  char place[128];

  if (strcmp (a->error.message, b->error.message) != 0) {
    snprintf (text, size, "error: '%s', not '%s'", b->error.message,
        a->error.message);
    return false;
  }
  /* Of a frame that fails, nothing more is said. */
  for (int what = 0; what < N_OUTPUTS && a->error.message[0] == '\0'; what++)
    for (size_t i = 0; i < a->size[what]; i++)
      if (a->bytes[what][i] != b->bytes[what][i]) {
        if (what == PICTURE)
          say_place (&f->dst, i, place, sizeof place);
        else if (what == STATISTICS)
          say_statistic (i, place, sizeof place);
        else
          snprintf (place, sizeof place, "byte %zu of %zu", i, a->size[what]);
        snprintf (text, size, "%s: %s is %d, not %d", names[what], place,
            b->bytes[what][i], a->bytes[what][i]);
        return false;
      }
  return true;
}

bool
outcome_equal (const Scene * scene, const Outcome * a, Outcome * b,
    Roundings * roundings, char text[DIFFERENCE_TEXT])
{
  if (strcmp (a->error.message, b->error.message) != 0) {
    snprintf (text, DIFFERENCE_TEXT, "the case: '%s', not '%s'",
        b->error.message, a->error.message);
    return false;
  }
  for (int i = 0; i < scene->n_frames && a->error.message[0] == '\0'; i++) {
    const SceneFrame *f = &scene->frame[i];
    const Output *own = &a->frame[i];
    Output *other = &b->frame[i];
    const int n = snprintf (text, DIFFERENCE_TEXT, "frame %d, ", i);

    ignore_rest (f, own->bytes[PICTURE], other->bytes[PICTURE]);
    if (roundings != NULL)
      allow_roundings (f, own, other, roundings);
    if (!output_equal (f, own, other, text + n, DIFFERENCE_TEXT - n))
      return false;
    if (!is_tidy (f, own)) {
      snprintf (text + n, DIFFERENCE_TEXT - n, "both write beside the picture "
          "or behind the levels");
      return false;
    }
  }
  return true;
}
