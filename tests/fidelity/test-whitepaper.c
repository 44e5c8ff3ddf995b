/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The figure of "Discrete Cosine Transform for 8x8 Blocks with CUDA" (NVIDIA
 * 2008) for the picture Barbara: 32.777092 dB. Not more than four digits of it
 * can hold for every order of float operations, for 46 coefficients of this
 * picture are exact ties.
 *
 * With --tables the paper's two tables for this project's engines, as Markdown:
 * the quality of Barbara's reconstruction with its quantization table, and the
 * time it takes, at 512 to 4096 samples a side. The paper does not say how it
 * scaled the picture: here it is scaled bilinearly, between sample centres,
 * rounded half up. */
#include <blockdct/blockdct.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reference.h"

#define BARBARA 512             /* her side */
#define ROUNDS 41
#define N_SIZES 4

/* "Quality 0 of 12": each row up to its last entry that is not 12. */
static const int table[8][8] = {
  {32, 33, 51, 81, 66, 39, 34, 17}, {33, 36, 48, 47, 28, 23},
  {51, 48, 47, 28, 23}, {81, 47, 28, 23}, {66, 28, 23}, {39, 23}, {34}, {17},
};

static BdctParams params = BDCT_PARAMS_DEFAULT;
static const guint8 *barbara;

/* What one engine makes of one picture. */
typedef struct {
  int *samples;
  double psnr, milliseconds;
} Result;

enum { DEFINITION, ONE, CPU, CUDA, N_RESULTS };

static int *
scale (int size)
{
  const int n = BARBARA;
  int *to = g_new (int, size * size);

  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) {
      double fx = CLAMP ((x + 0.5) * n / size - 0.5, 0, n - 1);
      double fy = CLAMP ((y + 0.5) * n / size - 0.5, 0, n - 1);
      int x0 = fx, y0 = fy, x1 = MIN (x0 + 1, n - 1), y1 = MIN (y0 + 1, n - 1);
      const guint8 *row0 = barbara + y0 * n, *row1 = barbara + y1 * n;
      double top = row0[x0] + (fx - x0) * (row0[x1] - row0[x0]);
      double bottom = row1[x0] + (fx - x0) * (row1[x1] - row1[x0]);

      to[y * size + x] = floor (top + (fy - y0) * (bottom - top) + 0.5);
    }
  return to;
}

/* The time of a frame from submit to collect, image to image, is the median. */
static void
run_frames (BdctEngine * engine, const BdctFrame * frame, int rounds,
    Result * result)
{
  BdctStats stats = {.size = sizeof stats };
  BdctError error = { "" };
  double times[ROUNDS];

  for (int i = 0; i < rounds; i++) {
    const gint64 start = g_get_monotonic_time ();
    double time;
    int k = i;

    if (!bdct_engine_submit (engine, frame, &error)
        || !bdct_engine_collect (engine, &stats, &error))
      g_error ("%s", error.message);
    time = (g_get_monotonic_time () - start) / 1000.0;
    for (; k > 0 && times[k - 1] > time; k--)
      times[k] = times[k - 1];
    times[k] = time;
  }
  result->milliseconds = times[rounds / 2];
  result->psnr = bdct_psnr (bdct_mse (&stats.component[0]), 8);
}

/* The images are in the GPU's memory where there is some. */
static Result
run_engine (BdctBackend backend, unsigned threads, const int *samples,
    int size, int rounds)
{
  const BdctEngineOptions options = {.size = sizeof options,
    .threads = threads
  };
  const size_t n = (size_t) size * size;
  BdctError error = { "" };
  BdctEngine *engine = bdct_engine_new (backend, &options, &error);
  uint8_t *device = bdct_memory_alloc (backend, NULL, BDCT_MEMORY_DEVICE,
      2 * n);
  /* What the library does not allocate, it neither copies nor frees. */
  g_autofree uint8_t *own = device == NULL ? g_malloc (2 * n) : NULL;
  uint8_t *host = own != NULL ? own
      : bdct_memory_alloc (backend, NULL, BDCT_MEMORY_HOST, 2 * n);
  uint8_t *at = device != NULL ? device : host;
  BdctFrame frame = {.size = sizeof frame,.n_quantizers = 1 };
  Result result = {.samples = g_new (int, n) };
  BdctLayout layout;
  BdctJob *job;

  bdct_layout_init (&layout, BDCT_CHROMA_400, 8, 0, 1, size, size);
  job = bdct_jobs_new (&params, 1, &layout, &error);
  if (engine == NULL || host == NULL || job == NULL
      || !bdct_engine_configure (engine, &layout, 1, &error))
    g_error ("%s", error.message);
  for (size_t i = 0; i < n; i++)
    host[i] = samples[i];
  frame.quantizers = job;
  frame.src = frame.dst = (BdctImage) {.data = {at},.stride = {size},
    .memory = device != NULL ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST
  };
  frame.dst.data[0] = at + n;
  if (device != NULL)
    bdct_memory_copy (backend, NULL, device, host, 2 * n, true);
  run_frames (engine, &frame, rounds, &result);
  if (device != NULL)
    bdct_memory_copy (backend, NULL, device, host, 2 * n, false);
  for (size_t i = 0; i < n; i++)
    result.samples[i] = host[n + i];
  if (device != NULL)
    bdct_memory_free (backend, NULL, BDCT_MEMORY_HOST, host);
  bdct_memory_free (backend, NULL, BDCT_MEMORY_DEVICE, device);
  bdct_jobs_free (job);
  bdct_engine_free (engine);
  return result;
}

/* The formula in double precision; `marks` has its ties. */
static Result
run_definition (const int *samples, int size, guint8 * marks)
{
  RefPlane plane = { &params, BDCT_CHROMA_400, BDCT_Y, 8, size, size };
  Result result = {.samples = g_new (int, size * size) };
  gint64 start = g_get_monotonic_time ();
  RefResult found;

  ref_plane (&plane, samples, result.samples, marks, &found);
  result.milliseconds = (g_get_monotonic_time () - start) / 1000.0;
  result.psnr = bdct_psnr ((double) found.sse / found.samples, 8);
  return result;
}

static void
test_barbara (void)
{
  const BdctBackend backend = g_strcmp0 (g_getenv ("BLOCKDCT_TEST_BACKEND"),
      "cuda") == 0 ? BDCT_BACKEND_CUDA : BDCT_BACKEND_CPU;
  g_autofree int *samples = NULL;
  Result results[2];

  if (barbara == NULL) {
    g_test_skip ("no barbara.pgm; BLOCKDCT_DATA names its folder");
    return;
  }
  samples = scale (BARBARA);
  results[0] = run_definition (samples, BARBARA, NULL);
  results[1] = run_engine (backend, 1, samples, BARBARA, 1);
  for (int i = 0; i < 2; i++) {
    g_test_message ("%s: %.6f dB", i ? "the engine" : "by definition in double",
        results[i].psnr);
    g_assert_cmpfloat_with_epsilon (results[i].psnr, 32.7771, 0.0002);
    g_free (results[i].samples);
  }
}

/* PSNR between two reconstructions; ties left out with `marks`. */
static double
agreement (const Result * a, const Result * b, int n, const guint8 * marks)
{
  guint64 sse = 0, of = 0;

  for (int i = 0; i < n && a->samples != NULL; i++) {
    gint64 e = a->samples[i] - b->samples[i];

    if (marks != NULL && marks[i] == REF_TIE)
      continue;
    sse += e * e;
    of++;
  }
  return of ? bdct_psnr ((double) sse / of, 8) : NAN;
}

/* "nan" without a GPU. */
static int
print_tables (void)
{
  static Result results[N_SIZES][N_RESULTS];
  static guint8 *marks[N_SIZES];

  if (barbara == NULL) {
    fprintf (stderr, "barbara.pgm is not there: set BLOCKDCT_DATA to its "
        "folder\n");
    return 77;
  }
  for (int i = 0; i < N_SIZES; i++) {
    const int size = BARBARA << i;
    g_autofree int *samples = scale (size);
    Result *r = results[i];

    marks[i] = g_malloc (size * size);
    r[DEFINITION] = run_definition (samples, size, marks[i]);
    r[ONE] = run_engine (BDCT_BACKEND_CPU, 1, samples, size, ROUNDS);
    r[CPU] = run_engine (BDCT_BACKEND_CPU, 0, samples, size, ROUNDS);
    r[CUDA] = bdct_backend_count_devices (BDCT_BACKEND_CUDA, NULL) == 0
        ? (Result) { NULL, NAN, NAN }
        : run_engine (BDCT_BACKEND_CUDA, 0, samples, size, ROUNDS);
  }
  printf ("| size | definition, dB | CPU engine, dB | CPU to definition, dB "
      "| CUDA engine, dB | CUDA to definition, dB | CUDA to CPU, dB |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int i = 0, n = BARBARA * BARBARA; i < N_SIZES; i++, n *= 4) {
    const Result *r = results[i];

    printf ("| %d | %.6f | %.6f | %.2f | %.6f | %.2f | %.2f |\n",
        BARBARA << i, r[DEFINITION].psnr, r[CPU].psnr, agreement (&r[CPU],
            &r[DEFINITION], n, marks[i]), r[CUDA].psnr, agreement (&r[CUDA],
            &r[DEFINITION], n, marks[i]), agreement (&r[CUDA], &r[CPU], n,
            NULL));
  }
  printf ("\n| size | definition, ms | CPU, one thread, ms "
      "| CPU, all threads, ms | CUDA, ms | one thread / CUDA "
      "| definition / CUDA |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (int i = 0; i < N_SIZES; i++) {
    const Result *r = results[i];
    const double cuda = r[CUDA].milliseconds;

    printf ("| %d | %.1f | %.3f | %.3f | %.4f | %.0f | %.0f |\n", BARBARA << i,
        r[DEFINITION].milliseconds, r[ONE].milliseconds, r[CPU].milliseconds,
        cuda, r[ONE].milliseconds / cuda, r[DEFINITION].milliseconds / cuda);
  }
  return 0;
}

int
main (int argc, char **argv)
{
  const char *folder = g_getenv ("BLOCKDCT_DATA");
  g_autofree char *path = g_build_filename (folder ? folder
      : BLOCKDCT_DATA_DEFAULT, "barbara.pgm", NULL);
  g_autofree char *file = NULL;
  gsize size = 0;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  if (g_file_get_contents (path, &file, &size, NULL)
      && size > BARBARA * BARBARA)
    barbara = (guint8 *) file + size - BARBARA * BARBARA;
  params.transform = BDCT_DCT_8X8;
  params.n_steps = 64;
  for (int i = 0; i < 64; i++)
    params.steps[i] = table[i / 8][i % 8] ? table[i / 8][i % 8] : 12;
  if (argc > 1 && strcmp (argv[1], "--tables") == 0)
    return print_tables ();
  g_test_add_func ("/whitepaper/barbara", test_barbara);
  return g_test_run ();
}
