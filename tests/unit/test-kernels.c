/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every chain of every instruction set that this processor has, against the
 * plain one of the narrowest vectors: samples, records, levels and counters,
 * of random and of extreme pictures at all settings. test-engine.c compares the
 * same with the definition.
 *
 *   test-kernels --time [RUNS [WHAT]]
 *
 * checks nothing, but times them, in turn, over a 1080p picture, and prints a
 * table of Msamples/s (docs/evidence/performance.md): medians of the
 * processor's time in a thread. WHAT, one of a row's first two cells, has only
 * such rows timed.
 * With --turns in place of --time each run waits for a line of input and prints
 * transform, row, instruction set, kind and seconds, between tabs, for
 * laboratory/compilers. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cpu/simd/tile32.h"
#include "program.h"
#include "lists.h"

#define MAX_SETS 3
#define MAX_RUNS 101

typedef enum { PLAIN, TILE16, DCT8X8, N_KINDS } Kind;

static const char *const kind_names[] = { "plain", "16-bit", "dct-8x8" };

/* One way to do strips. */
typedef struct {
  const BdctTileKernel *kernel;
  Kind kind;
  guint64 frames;               /* compared */
} Way;

/* The first is the plain one of the narrowest vectors, with which the others
 * are compared. */
static Way ways[64];
static guint n_ways;
static gboolean turns;

/* What is asked of a frame: counters and, of these, a picture, records, levels
 * and, with several sets, a map. */
typedef struct {
  BdctLayout layout;
  Frame src;
  BdctJob job[MAX_SETS];
  int n_quantizers;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  guint8 *quantizer_map;
  gboolean picture, records, levels;
} Task;

typedef struct {
  Frame dst;
  BdctBlockRecord *blocks;
  BdctLevel *levels;
  BdctCounters counters[BDCT_MAX_COMPONENTS];
} Result;

static BdctTileQuantizer quantizers[MAX_SETS][BDCT_MAX_COMPONENTS];

/* Where there is room for the levels of a block and of those behind it, as if
 * all had as many as the largest. */
static gsize
first_level (const Task * task, gsize block)
{
  int size = 0;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    size = MAX (size, bdct_rate_block_levels (&task->job[0].component[c]));
  return block * size;
}

static gsize
count_levels (const Task * task)
{
  return first_level (task, task->n_blocks);
}

static void
result_init (Result * r, const Task * task)
{
  memset (r, 0, sizeof *r);
  frame_init (&r->dst, &task->layout, STRIDE_ODD);
  r->blocks = g_new0 (BdctBlockRecord, task->n_blocks);
  r->levels = g_new0 (BdctLevel, count_levels (task));
}

static void
result_clear (Result * r)
{
  frame_clear (&r->dst);
  g_free (r->blocks);
  g_free (r->levels);
}

static void
describe_plane (BdctTilePlane * plane, const Task * task, Result * r, int p,
    int i)
{
  const BdctComponent c = task->layout.plane[p].component[i];

  bdct_tile_plane_init (plane, &task->job[0], c);
  plane->layout = task->layout.plane[p];
  plane->columns = plane->layout.width;
  plane->src = bdct_image_samples (&task->src.image, &task->layout, p, i);
  plane->grid = task->grid[c];
  for (int s = 0; s < task->n_quantizers; s++)
    plane->quantizer[s] = &quantizers[s][c];
  if (task->picture)
    plane->dst = bdct_image_samples (&r->dst.image, &task->layout, p, i);
  if (task->records)
    plane->blocks = r->blocks;
  if (task->n_quantizers > 1)
    plane->quantizer_map = task->quantizer_map;
}

/* Do a plane of memory, or return FALSE: it is not for that way. */
static gboolean
do_plane (const Task * task, Result * r, const Way * way, int p)
{
  static guint8 scratch[BDCT_SCRATCH_SIZE] __attribute__ ((aligned (64)));
  static BdctTilePlane plane[2];
  const BdctTilePlane *planes[2] = { &plane[0], &plane[1] };
  const BdctPlaneLayout *layout = &task->layout.plane[p];
  const BdctComponentJob *job =
      &task->job[0].component[layout->component[0]];
  const int side = bdct_tile_side (job);
  const gsize levels = (gsize) (side >> job->log2_height)
      * task->grid[layout->component[0]].columns
      * bdct_rate_block_levels (job);

  for (int i = 0; i < layout->interleave; i++) {
    describe_plane (&plane[i], task, r, p, i);
    if ((way->kind == TILE16 && !bdct_tile_is_tile16 (&plane[i]))
        || (way->kind == DCT8X8 && plane[i].family != BDCT_FAMILY_DCT8X8))
      return FALSE;
  }
  for (int row = 0; row < layout->height; row += side) {
    BdctTileStrip strips[2];

    memset (strips, 0, sizeof strips);
    for (int i = 0; i < layout->interleave && task->levels; i++)
      strips[i].levels = r->levels + row / side * levels
          + first_level (task, plane[i].grid.first);
    if (way->kind == TILE16)
      (*way->kernel->tile16) (planes, row, strips, scratch);
    else
      for (int i = 0; i < layout->interleave; i++)
        (way->kind == DCT8X8 ? *way->kernel->dct8x8 : way->kernel->plain->strip)
            (planes[i], row, &strips[i], scratch);
    for (int i = 0; i < layout->interleave; i++) {
      BdctCounters *sum = &r->counters[layout->component[i]];

      sum->sse += strips[i].counters.sse;
      sum->nonzero += strips[i].counters.nonzero;
    }
  }
  return TRUE;
}

/* Do the planes that are for that way, and the others plainly; returns how
 * many were. */
static int
do_frame (const Task * task, Result * r, const Way * way)
{
  static const BdctTileKernel narrow = {.plain = &bdct_tile_baseline };
  static const Way plainly = {.kernel = &narrow };
  int done = 0;

  for (int p = 0; p < task->layout.n_planes; p++)
    if (way != NULL && do_plane (task, r, way, p))
      done++;
    else
      do_plane (task, r, &plainly, p);
  return done;
}

static void
task_init (Task * task, const BdctParams * params, Content content,
    GRand * rand)
{
  const guint32 seed = g_rand_int (rand);
  Picture picture;

  for (int k = 0; k < task->n_quantizers; k++) {
    g_assert_true (bdct_job_init (&task->job[k], &params[k], &task->layout,
            NULL));
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      bdct_tile_quantizer_init (&quantizers[k][c], &task->job[k], c);
  }
  task->n_blocks = bdct_blocks_init (task->grid, &task->layout, &task->job[0]);
  task->quantizer_map = g_new (guint8, task->n_blocks);
  for (gsize i = 0; i < task->n_blocks; i++)
    task->quantizer_map[i] = g_rand_int_range (rand, 0, task->n_quantizers);
  picture_init (&picture, &task->layout);
  if (content < N_CONTENTS) {
    picture_fill (&picture, content, &task->layout, params[0].transform, seed);
  } else {                      /* flat: 0, peak, or about the middle */
    int peak = bdct_layout_peak (&task->layout);
    int v = seed % 4 == 0 ? 0 : seed % 4 == 1 ? peak
        : peak / 2 + (int) (seed / 4 % 3);

    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
      for (int i = 0; picture.sample[c] != NULL
          && i < picture.width[c] * picture.height[c]; i++)
        picture.sample[c][i] = v;
  }
  frame_init (&task->src, &task->layout, STRIDE_TIGHT);
  frame_put (&task->src, &task->layout, &picture, TRUE);
  picture_clear (&picture);
}

static void
task_clear (Task * task)
{
  frame_clear (&task->src);
  g_free (task->quantizer_map);
}

static void
compare (const Task * task, const Result * a, const Result * b,
    const Way * way, const char *where)
{
  const char *isa = way->kernel->isa, *kind = kind_names[way->kind];

  if (!frame_equal (&a->dst, &b->dst, &task->layout))
    g_test_fail_printf ("%s %s, %s: other samples", isa, kind, where);
  if (memcmp (a->counters, b->counters, sizeof a->counters) != 0)
    g_test_fail_printf ("%s %s, %s: other counters", isa, kind, where);
  if (memcmp (a->blocks, b->blocks, task->n_blocks * sizeof *a->blocks) != 0)
    g_test_fail_printf ("%s %s, %s: other records", isa, kind, where);
  if (memcmp (a->levels, b->levels, count_levels (task) * sizeof *a->levels)
      != 0)
    g_test_fail_printf ("%s %s, %s: other levels", isa, kind, where);
}

/* Random settings; `coarse` to `fine` from 0 to 99 is the first set's. */
static void
choose_params (BdctParams * params, BdctTransform transform, int setting,
    const BdctLayout * layout, GRand * rand)
{
  const gboolean baseline = g_rand_boolean (rand);
  const int most = transform == BDCT_JPEG_8X8 && layout->depth == 8
      && baseline ? 255 : BDCT_MAX_STEP;
  const int steps[] = { 1, 2, 3, most / 2, most, 1 << g_rand_int_range (rand, 0,
        8), g_rand_int_range (rand, 1, most + 1)
  };

  *params = (BdctParams) BDCT_PARAMS_DEFAULT;
  params->transform = transform;
  params->baseline = baseline;
  params->quality = setting + 1;
  params->qp = setting % 52;
  params->chroma_qp_offset = g_rand_int_range (rand, -12, 13);
  if (g_rand_boolean (rand))
    params->deadzone = g_rand_double_range (rand, BDCT_MIN_DEADZONE,
        BDCT_MAX_DEADZONE);
  params->scaling_list = g_rand_int_range (rand, 0, BDCT_N_SCALING_LISTS);
  if (params->scaling_list == BDCT_SCALING_FILE)
    random_lists (params, g_rand_int (rand));
  if (bdct_transform_info (transform)->has_qp
      || setting % 4 != 3)
    return;
  params->n_steps = 64;
  for (int i = 0; i < 64; i++)
    params->steps[i] = setting % 8 == 3 ? g_rand_int_range (rand, 1, 256)
        : steps[g_rand_int_range (rand, 0, G_N_ELEMENTS (steps))];
}

static void
choose_task (Task * task, int setting, GRand * rand)
{
  static const Format formats[] =
      { FORMAT_GRAY, FORMAT_I420, FORMAT_NV12, FORMAT_NV21, FORMAT_NV16,
    FORMAT_Y444
  };
  const int depth = setting % 2 ? 8 : setting % 4 ? 12 : 10;
  /* A vector's width and one less, or anything. */
  const int width = g_rand_int_range (rand, 0, 3) ? g_rand_int_range (rand, 1,
      300) : 64 * g_rand_int_range (rand, 1, 5) - g_rand_boolean (rand);

  memset (task, 0, sizeof *task);
  format_layout (formats[g_rand_int_range (rand, 0, G_N_ELEMENTS (formats))],
      depth, depth > 8 ? g_rand_int_range (rand, 0, 17 - depth) : 0, width,
      g_rand_int_range (rand, 1, 80), &task->layout);
  task->n_quantizers = g_rand_int_range (rand, 1, MAX_SETS + 1);
  task->picture = g_rand_int_range (rand, 0, 8) != 0;
  task->records = g_rand_boolean (rand);
  task->levels = g_rand_boolean (rand);
}

static void
test_transform (gconstpointer data)
{
  const BdctTransform transform = GPOINTER_TO_INT (data);
  GRand *rand;

  if (n_ways == 1) {
    g_test_skip ("there is one way: nothing to compare it with");
    return;
  }
  rand = g_rand_new_with_seed (16 + transform);
  for (int n = 0; n < 400; n++) {
    BdctParams params[MAX_SETS];
    Result expected, got;
    char where[120];
    Task task;

    if (!case_due (n + transform))
      continue;
    choose_task (&task, n, rand);
    for (int k = 0; k < task.n_quantizers; k++)
      choose_params (&params[k], transform, k > 0 ? g_rand_int_range (rand,
              0, 100) : n % 100, &task.layout, rand);
    task_init (&task, params, n % (N_CONTENTS + 1), rand);
    g_snprintf (where, sizeof where, "case %d: %d x %d, %d planes, %d bits, "
        "%d sets, setting %d", n, task.layout.plane[0].width,
        task.layout.plane[0].height, task.layout.n_planes, task.layout.depth,
        task.n_quantizers, n % 100);
    result_init (&expected, &task);
    do_frame (&task, &expected, NULL);
    for (guint i = 1; i < n_ways; i++) {
      result_init (&got, &task);
      if (do_frame (&task, &got, &ways[i]) > 0) {
        compare (&task, &expected, &got, &ways[i], where);
        ways[i].frames++;
      }
      result_clear (&got);
    }
    result_clear (&expected);
    task_clear (&task);
  }
  g_rand_free (rand);
}

static int
mulhi (int a, int b)
{
  return (guint32) (guint16) a * (guint16) b >> 16;
}

/* jpeg-8x8's levels as cpu/simd/tile16.c has them from an entry, at all
 * coefficients at which they change, up to the largest one. */
static void
check_step (const BdctTile16Entry * e, int i, gboolean wide, int largest)
{
  const int q = e->dequant[i];

  for (gint64 middle = 4 * q; middle - 1 <= largest; middle += 8 * q)
    for (int c = middle - 1; c <= MIN (middle, largest); c++) {
      int x = (wide ? c / 4 : c) + (guint16) e->scale[i];

      x = wide ? x | 1 : x & ~7;
      g_assert_cmpint (x, <=, G_MAXUINT16);
      g_assert_cmpint (mulhi (mulhi (x, e->quant[i]), e->power[i]), ==,
          (c + 4 * q) / (8 * q));
    }
}

/* The reciprocals of all steps there are. */
static void
test_steps (void)
{
  static BdctTileQuantizer set;
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctLayout layout;
  BdctJob job;

  params.baseline = FALSE;
  params.n_steps = 64;
  for (int depth = 8; depth <= 12; depth += 2)
    for (int first = 1; first <= BDCT_MAX_STEP; first += 64) {
      const BdctTile16 *chain = &set.tile16;

      format_layout (FORMAT_GRAY, depth, 0, 8, 8, &layout);
      for (int i = 0; i < 64; i++)
        params.steps[i] = MIN (first + i, BDCT_MAX_STEP);
      g_assert_true (bdct_job_init (&job, &params, &layout, NULL));
      bdct_tile_quantizer_init (&set, &job, BDCT_Y);
      g_assert_nonnull (chain->basis);
      for (int i = 0; i < 64; i++) {
        if (!chain->wide && chain->entry[i / 8].dequant[i % 8] != 0)
          check_step (&chain->entry[i / 8], i % 8, FALSE, 32 << depth);
        if (depth > 8)
          check_step (&chain->entry[chain->n_vectors + i / 8], i % 8, TRUE,
              32 << depth);
      }
    }
}

/* A way that nothing took was not tested. */
static void
test_taken (void)
{
  g_assert_true (ways[0].kernel->plain == &bdct_tile_baseline);
  for (guint i = 1; i < n_ways; i++) {
    g_test_message ("%s %s: %" G_GUINT64_FORMAT " frames compared",
        ways[i].kernel->isa, kind_names[ways[i].kind], ways[i].frames);
    g_assert_cmpuint (ways[i].frames, >, 0);
  }
}

/* From the narrowest vectors up; what sets share is the first one's. */
static void
find_ways (void)
{
  const BdctTileKernel *const *kernels = bdct_tile_kernels ();
  int n = 0;

  while (kernels[n] != NULL)
    n++;
  while (n-- > 0)
    for (Kind kind = PLAIN; kind < N_KINDS; kind++) {
      gboolean known = (kind == TILE16 && kernels[n]->tile16 == NULL)
          || (kind == DCT8X8 && kernels[n]->dct8x8 == NULL);

      for (guint k = 0; k < n_ways && !known; k++)
        known = ways[k].kind == kind && (kind == PLAIN
            ? ways[k].kernel->plain == kernels[n]->plain
            : kind == DCT8X8 && ways[k].kernel->dct8x8 == kernels[n]->dct8x8);
      if (!known)
        ways[n_ways++] = (Way) { kernels[n], kind, 0 };
    }
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* A column of the table is a set's plain chain, or its fast ones, of which a
 * job has one at most. */
static gboolean
starts_column (guint way)
{
  return way == 0 || ways[way].kind == PLAIN
      || ways[way - 1].kind == PLAIN
      || ways[way].kernel != ways[way - 1].kernel;
}

static void
print_head (void)
{
  printf ("| | |");
  for (guint i = 0; i < n_ways; i++)
    if (starts_column (i))
      printf (" %s%s |", ways[i].kernel->isa, ways[i].kind == PLAIN
          ? ", plain" : "");
  printf ("\n| --- | --- |");
  for (guint i = 0; i < n_ways; i++)
    printf ("%s", starts_column (i) ? " --- |" : "");
  printf ("\n");
}

static void
wait_for_line (void)
{
  int c;

  fflush (stdout);
  do
    c = getchar ();
  while (c != '\n' && c != EOF);
  if (c == EOF)
    exit (0);
}

/* Time all ways of a task in turn, and print their row. */
static void
time_task (const Task * task, const char *what, int runs)
{
  static double seconds[G_N_ELEMENTS (ways)][MAX_RUNS];
  double samples = 0;
  gboolean takes[G_N_ELEMENTS (ways)];
  const char *name = bdct_transform_info (task->job[0].transform)->name;
  Result result;

  for (int p = 0; p < task->layout.n_planes; p++)
    samples += (double) task->layout.plane[p].width
        * task->layout.plane[p].height * task->layout.plane[p].interleave;
  result_init (&result, task);
  for (int run = 0; run < runs; run++)
    for (guint i = 0; i < n_ways; i++) {
      double start;

      if (turns)
        wait_for_line ();
      start = now ();
      takes[i] = do_frame (task, &result, &ways[i]) == task->layout.n_planes;
      seconds[i][run] = now () - start;
      if (turns)
        printf ("%s\t%s\t%s\t%s\t%g\n", name, what, ways[i].kernel->isa,
            kind_names[ways[i].kind], takes[i] ? seconds[i][run] : 0);
    }
  if (turns) {
    result_clear (&result);
    return;
  }
  printf ("| `%s` | %s |", name, what);
  for (guint i = 0; i < n_ways; i++) {
    qsort (seconds[i], runs, sizeof (double), compare_doubles);
    if (takes[i])
      printf (" %.0f", samples / seconds[i][runs / 2] / 1e6);
    if (i + 1 == n_ways || starts_column (i + 1))
      printf (" |");
  }
  printf ("\n");
  fflush (stdout);
  result_clear (&result);
}

static void
time_all (int runs, const char *wanted)
{
  static const struct {
    const char *what;
    Format format;
    int depth;
    gboolean records, levels;
  } tasks[] = {
    {"8 bits", FORMAT_GRAY, 8, FALSE, FALSE},
    {"with records", FORMAT_GRAY, 8, TRUE, FALSE},
    {"with levels", FORMAT_GRAY, 8, FALSE, TRUE},
    {"NV12", FORMAT_NV12, 8, FALSE, FALSE},
    {"10 bits", FORMAT_GRAY, 10, FALSE, FALSE},
    {"12 bits", FORMAT_GRAY, 12, FALSE, FALSE},
  };
  GRand *rand = g_rand_new_with_seed (1);

  if (!turns)
    print_head ();
  for (int t = 0; t < BDCT_N_FIXED; t++)
    for (guint i = 0; i < G_N_ELEMENTS (tasks); i++) {
      BdctParams params = BDCT_PARAMS_DEFAULT;
      Task task = {.n_quantizers = 1,.picture = TRUE,
        .records = tasks[i].records,.levels = tasks[i].levels
      };

      if (wanted != NULL && strcmp (wanted, bdct_transform_info (t)->name) != 0
          && strcmp (wanted, tasks[i].what) != 0)
        continue;
      params.transform = t;
      format_layout (tasks[i].format, tasks[i].depth, 0, 1920, 1080,
          &task.layout);
      task_init (&task, &params, CONTENT_SMOOTH, rand);
      time_task (&task, tasks[i].what, runs);
      task_clear (&task);
    }
  g_rand_free (rand);
}

int
main (int argc, char **argv)
{
  find_ways ();
  turns = argc > 1 && strcmp (argv[1], "--turns") == 0;
  if (turns || (argc > 1 && strcmp (argv[1], "--time") == 0)) {
    int runs = argc > 2 ? atoi (argv[2]) : 9;

    time_all (CLAMP (runs, 1, MAX_RUNS), argc > 3 ? argv[3] : NULL);
    return 0;
  }
  g_test_init (&argc, &argv, NULL);
  for (int t = 0; t < BDCT_N_FIXED; t++)
    tests_add (test_transform, t, "/kernels/%s", bdct_transform_info (t)->name);
  g_test_add_func ("/kernels/steps", test_steps);
  g_test_add_func ("/kernels/taken", test_taken);
  return g_test_run ();
}
