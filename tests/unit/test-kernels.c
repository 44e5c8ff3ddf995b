/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reciprocals of jpeg-8x8's fast kernels, of all steps there are. What the
 * kernels make is the differential's business.
 *
 *   test-kernels --time [RUNS [WHAT]]
 *
 * times all kernels that this processor has, in turn, over a 1080p picture, and
 * prints a table of Msamples/s (docs/evidence/performance.md): medians of the
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

#define MAX_RUNS 101

typedef enum { PLAIN, TILE16, DCT8X8, N_KINDS } Kind;

static const char *const kind_names[] = { "plain", "16-bit", "dct-8x8" };

/* One way to do strips. */
typedef struct {
  const BdctTileKernel *kernel;
  Kind kind;
} Way;

/* The first is the plain one of the narrowest vectors. */
static Way ways[64];
static guint n_ways;
static gboolean turns;

/* What is asked of a frame: a picture, counters and, of these, records or
 * levels. */
typedef struct {
  BdctLayout layout;
  Frame src;
  BdctJob job;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  gsize n_blocks;
  gboolean records, levels;
} Task;

typedef struct {
  Frame dst;
  BdctBlockRecord *blocks;
  BdctLevel *levels;
} Result;

static BdctTileQuantizer quantizers[BDCT_MAX_COMPONENTS];

/* Where there is room for the levels of a block and of those behind it, as if
 * all had as many as the largest. */
static gsize
first_level (const Task * task, gsize block)
{
  int size = 0;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    size = MAX (size, bdct_rate_block_levels (&task->job.component[c]));
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

  bdct_tile_plane_init (plane, &task->job, c);
  plane->layout = task->layout.plane[p];
  plane->columns = plane->layout.width;
  plane->src = bdct_image_samples (&task->src.image, &task->layout, p, i);
  plane->grid = task->grid[c];
  plane->quantizer[0] = &quantizers[c];
  plane->dst = bdct_image_samples (&r->dst.image, &task->layout, p, i);
  if (task->records)
    plane->blocks = r->blocks;
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
      &task->job.component[layout->component[0]];
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
task_init (Task * task, const BdctParams * params)
{
  Picture picture;

  g_assert_true (bdct_job_init (&task->job, params, &task->layout, NULL));
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    bdct_tile_quantizer_init (&quantizers[c], &task->job, c);
  task->n_blocks = bdct_blocks_init (task->grid, &task->layout, &task->job);
  picture_init (&picture, &task->layout);
  picture_fill (&picture, CONTENT_SMOOTH, &task->layout, params->transform, 1);
  frame_init (&task->src, &task->layout, STRIDE_TIGHT);
  frame_put (&task->src, &task->layout, &picture, TRUE);
  picture_clear (&picture);
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
        ways[n_ways++] = (Way) { kernels[n], kind };
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
  const char *name = bdct_transform_info (task->job.transform)->name;
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
  if (!turns)
    print_head ();
  for (int t = 0; t < BDCT_N_FIXED; t++)
    for (guint i = 0; i < G_N_ELEMENTS (tasks); i++) {
      BdctParams params = BDCT_PARAMS_DEFAULT;
      Task task = {.records = tasks[i].records,.levels = tasks[i].levels };

      if (wanted != NULL && strcmp (wanted, bdct_transform_info (t)->name) != 0
          && strcmp (wanted, tasks[i].what) != 0)
        continue;
      params.transform = t;
      format_layout (tasks[i].format, tasks[i].depth, 0, 1920, 1080,
          &task.layout);
      task_init (&task, &params);
      time_task (&task, tasks[i].what, runs);
      frame_clear (&task.src);
    }
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
  g_test_add_func ("/kernels/steps", test_steps);
  return g_test_run ();
}
