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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "support.h"

#define ROUNDS 41

/* "Quality 0 of 12": each row up to its last entry that is not 12. */
static const int table[8][8] = {
  {32, 33, 51, 81, 66, 39, 34, 17}, {33, 36, 48, 47, 28, 23},
  {51, 48, 47, 28, 23}, {81, 47, 28, 23}, {66, 28, 23}, {39, 23}, {34}, {17},
};

static BdctParams params = BDCT_PARAMS_DEFAULT;

/* What one engine makes of one picture. */
typedef struct {
  int *samples;
  double psnr, milliseconds;
} Result;

static void
set_params (void)
{
  params.transform = BDCT_DCT_8X8;
  params.n_steps = 64;
  for (int i = 0; i < 64; i++)
    params.steps[i] = table[i / 8][i % 8] ? table[i / 8][i % 8] : 12;
}

static int *
scale (const Picture * from, int size)
{
  int n = from->width[0], *to = g_new (int, size * size);

  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) {
      double fx = CLAMP ((x + 0.5) * n / size - 0.5, 0, n - 1);
      double fy = CLAMP ((y + 0.5) * n / size - 0.5, 0, n - 1);
      int x0 = fx, y0 = fy, x1 = MIN (x0 + 1, n - 1), y1 = MIN (y0 + 1, n - 1);
      const int *row0 = from->sample[0] + y0 * n;
      const int *row1 = from->sample[0] + y1 * n;
      double top = row0[x0] + (fx - x0) * (row0[x1] - row0[x0]);
      double bottom = row1[x0] + (fx - x0) * (row1[x1] - row1[x0]);

      to[y * size + x] = floor (top + (fy - y0) * (bottom - top) + 0.5);
    }
  return to;
}

static int
compare_doubles (const void *a, const void *b)
{
  double d = *(const double *) a - *(const double *) b;

  return d < 0 ? -1 : d > 0;
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
    gint64 start = g_get_monotonic_time ();

    if (!bdct_engine_submit (engine, frame, &error)
        || !bdct_engine_collect (engine, &stats, &error))
      g_error ("%s", error.message);
    times[i] = (g_get_monotonic_time () - start) / 1000.0;
  }
  qsort (times, rounds, sizeof times[0], compare_doubles);
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
  uint8_t *host = device == NULL ? g_malloc (2 * n)
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
  bdct_memory_free (backend, NULL, BDCT_MEMORY_DEVICE, device);
  if (device != NULL)
    bdct_memory_free (backend, NULL, BDCT_MEMORY_HOST, host);
  else
    g_free (host);
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
  Picture barbara;
  Result results[2];

  if (!picture_load (&barbara, "barbara.pgm"))
    return;
  results[0] = run_definition (barbara.sample[0], barbara.width[0], NULL);
  results[1] = run_engine (backend, 1, barbara.sample[0], barbara.width[0], 1);
  for (int i = 0; i < 2; i++) {
    g_test_message ("%s: %.6f dB", i ? "the engine" : "by definition in double",
        results[i].psnr);
    g_assert_cmpfloat_with_epsilon (results[i].psnr, 32.7771, 0.0002);
    g_free (results[i].samples);
  }
  picture_clear (&barbara);
}

/* PSNR between two reconstructions; ties left out with `marks`. */
static double
agreement (const Result * a, const Result * b, int n, const guint8 * marks)
{
  guint64 sse = 0, of = 0;

  for (int i = 0; i < n; i++) {
    gint64 e = a->samples[i] - b->samples[i];

    if (marks != NULL && marks[i] == REF_TIE)
      continue;
    sse += e * e;
    of++;
  }
  return bdct_psnr (of ? (double) sse / of : 0, 8);
}

static void
add_rows (const Picture * barbara, int size, GString * quality, GString * time)
{
  int *samples = scale (barbara, size), n = size * size;
  guint8 *marks = g_malloc (n);
  Result defined = run_definition (samples, size, marks);
  Result cpu = run_engine (BDCT_BACKEND_CPU, 0, samples, size, ROUNDS);
  Result one = run_engine (BDCT_BACKEND_CPU, 1, samples, size, ROUNDS), cuda;

  g_string_append_printf (quality, "| %d | %.6f | %.6f | %.2f | ", size,
      defined.psnr, cpu.psnr, agreement (&cpu, &defined, n, marks));
  g_string_append_printf (time, "| %d | %.1f | %.3f | %.3f | ", size,
      defined.milliseconds, one.milliseconds, cpu.milliseconds);
  if (bdct_backend_count_devices (BDCT_BACKEND_CUDA, NULL) > 0) {
    cuda = run_engine (BDCT_BACKEND_CUDA, 0, samples, size, ROUNDS);
    g_string_append_printf (quality, "%.6f | %.2f | %.2f |\n", cuda.psnr,
        agreement (&cuda, &defined, n, marks), agreement (&cuda, &cpu, n,
            NULL));
    g_string_append_printf (time, "%.4f | %.0f | %.0f |\n", cuda.milliseconds,
        one.milliseconds / cuda.milliseconds,
        defined.milliseconds / cuda.milliseconds);
    g_free (cuda.samples);
  } else {
    g_string_append (quality, "no GPU | | |\n");
    g_string_append (time, "no GPU | | |\n");
  }
  g_free (defined.samples);
  g_free (cpu.samples);
  g_free (one.samples);
  g_free (samples);
  g_free (marks);
}

static int
print_tables (void)
{
  GString *quality = g_string_new ("| size | definition, dB | CPU engine, dB | "
      "CPU to definition, dB | CUDA engine, dB | CUDA to definition, dB | "
      "CUDA to CPU, dB |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  GString *time = g_string_new ("| size | definition, ms | CPU, one thread, ms "
      "| CPU, all threads, ms | CUDA, ms | one thread / CUDA | definition / "
      "CUDA |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  Picture barbara;

  if (!picture_load (&barbara, "barbara.pgm")) {
    fprintf (stderr, "barbara.pgm is not there: set BLOCKDCT_DATA to its "
        "folder\n");
    return 77;
  }
  for (int size = 512; size <= 4096; size *= 2)
    add_rows (&barbara, size, quality, time);
  printf ("%s\n%s", quality->str, time->str);
  picture_clear (&barbara);
  g_string_free (quality, TRUE);
  g_string_free (time, TRUE);
  return 0;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  set_params ();
  if (argc > 1 && strcmp (argv[1], "--tables") == 0)
    return print_tables ();
  g_test_add_func ("/whitepaper/barbara", test_barbara);
  return g_test_run ();
}
