/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two tables of "Discrete Cosine Transform for 8x8 Blocks with CUDA" for
 * this project's engines, as Markdown: the quality of Barbara's reconstruction
 * with the whitepaper's quantization table, and the time it takes, at 512 to
 * 4096 samples a side. The whitepaper does not say how it scaled the picture:
 * here it is scaled bilinearly, between sample centres, rounded half up. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif
#include "frame.h"
#include "reference.h"

#define ROUNDS 41

/* What one engine makes of one picture. */
typedef struct {
  Picture out;
  double psnr, milliseconds;
} Result;

static void
scale (const Picture * from, Picture * to)
{
  int n = from->width[0], size = to->width[0];

  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) {
      double fx = CLAMP ((x + 0.5) * n / size - 0.5, 0, n - 1);
      double fy = CLAMP ((y + 0.5) * n / size - 0.5, 0, n - 1);
      int x0 = fx, y0 = fy, x1 = MIN (x0 + 1, n - 1), y1 = MIN (y0 + 1, n - 1);
      const int *row0 = from->sample[0] + y0 * n;
      const int *row1 = from->sample[0] + y1 * n;
      double top = row0[x0] + (fx - x0) * (row0[x1] - row0[x0]);
      double bottom = row1[x0] + (fx - x0) * (row1[x1] - row1[x0]);

      to->sample[0][y * size + x] = floor (top + (fy - y0) * (bottom - top)
          + 0.5);
    }
}

static int
compare_doubles (const void *a, const void *b)
{
  double d = *(const double *) a - *(const double *) b;

  return d < 0 ? -1 : d > 0;
}

/* The median time of a frame from submit to collect, image to image. */
static double
time_engine (BdctEngine * engine, const BdctJob * job, const BdctImage * src,
    const BdctImage * dst)
{
  double times[ROUNDS];

  for (int i = 0; i < ROUNDS; i++) {
    gint64 start = g_get_monotonic_time ();

    g_assert_true (engine_submit (engine, job, src, dst, NULL));
    g_assert_true (engine->klass->collect (engine, NULL, NULL));
    times[i] = (g_get_monotonic_time () - start) / 1000.0;
  }
  qsort (times, ROUNDS, sizeof times[0], compare_doubles);
  return times[ROUNDS / 2];
}

static void
run_engine (const BdctEngineClass * klass, unsigned threads,
    const BdctParams * params, const BdctLayout * layout,
    const Picture * picture, Result * result)
{
  BdctEngineOptions options = { .threads = threads };
  BdctError error;
  BdctEngine *engine = klass->create (&options, &error);
  Frame src, dst;
  BdctStats stats;
  BdctJob job;

  if (engine == NULL)
    g_error ("%s", error.message);
  frame_init (&src, layout, STRIDE_TIGHT);
  frame_init (&dst, layout, STRIDE_TIGHT);
  frame_put (&src, layout, picture, FALSE);
  g_assert_true (bdct_job_init (&job, params, layout, NULL));
  g_assert_true (engine->klass->configure (engine, layout, 1, NULL));
  g_assert_true (engine_submit (engine, &job, &src.image, &dst.image,
          NULL));
  g_assert_true (engine->klass->collect (engine, &stats, NULL));
  result->psnr = bdct_psnr (bdct_mse (&stats.component[0]), 8);
  picture_init (&result->out, layout);
  frame_get (&dst, layout, &result->out);
#ifdef HAVE_CUDA
  if (klass == &bdct_cuda_engine) {
    BdctImage device_src = src.image, device_dst = dst.image;

    device_src.memory = device_dst.memory = BDCT_MEMORY_DEVICE;
    g_assert_cmpint (cudaMalloc (&device_src.data[0], src.size[0]), ==, 0);
    g_assert_cmpint (cudaMalloc (&device_dst.data[0], dst.size[0]), ==, 0);
    g_assert_cmpint (cudaMemcpy (device_src.data[0], src.image.data[0],
            src.size[0], cudaMemcpyHostToDevice), ==, 0);
    result->milliseconds = time_engine (engine, &job, &device_src,
        &device_dst);
    cudaFree (device_src.data[0]);
    cudaFree (device_dst.data[0]);
  } else
#endif
    result->milliseconds = time_engine (engine, &job, &src.image, &dst.image);
  engine->klass->destroy (engine);
  frame_clear (&src);
  frame_clear (&dst);
}

/* PSNR between two reconstructions; ties left out with `marks`. */
static double
agreement (const Picture * a, const Picture * b, const guint8 * marks)
{
  guint64 sse = 0, n = 0;

  for (int i = 0; i < a->width[0] * a->height[0]; i++) {
    gint64 e = a->sample[0][i] - b->sample[0][i];

    if (marks != NULL && marks[i] == REF_TIE)
      continue;
    sse += e * e;
    n++;
  }
  return bdct_psnr (n ? (double) sse / n : 0, 8);
}

static void
run_size (const Picture * barbara, int size, GString * quality, GString * time)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  Result cpu, one;
  Picture picture, defined;
  RefResult result;
  BdctLayout layout;
  guint8 *marks = g_malloc (size * size);
  gint64 start;
  double definition;

  whitepaper_params (&params);
  format_layout (FORMAT_GRAY, 8, 0, size, size, &layout);
  picture_init (&picture, &layout);
  picture_init (&defined, &layout);
  scale (barbara, &picture);
  {
    RefPlane plane = { &params, BDCT_CHROMA_400, BDCT_Y, 8, size, size
    };

    start = g_get_monotonic_time ();
    ref_plane (&plane, picture.sample[0], defined.sample[0], marks, &result);
    definition = (g_get_monotonic_time () - start) / 1000.0;
  }
  run_engine (&bdct_cpu_engine, 0, &params, &layout, &picture, &cpu);
  run_engine (&bdct_cpu_engine, 1, &params, &layout, &picture, &one);
  g_string_append_printf (quality, "| %d | %.6f | %.6f | %.2f | ", size,
      bdct_psnr ((double) result.sse / result.samples, 8), cpu.psnr,
      agreement (&cpu.out, &defined, marks));
  g_string_append_printf (time, "| %d | %.1f | %.3f | %.3f | ", size,
      definition, one.milliseconds, cpu.milliseconds);
#ifdef HAVE_CUDA
  if (bdct_cuda_engine.count_devices (NULL) > 0) {
    Result cuda;

    run_engine (&bdct_cuda_engine, 0, &params, &layout, &picture, &cuda);
    g_string_append_printf (quality, "%.6f | %.2f | %.2f |\n", cuda.psnr,
        agreement (&cuda.out, &defined, marks),
        agreement (&cuda.out, &cpu.out, NULL));
    g_string_append_printf (time, "%.4f | %.0f | %.0f |\n", cuda.milliseconds,
        one.milliseconds / cuda.milliseconds, definition / cuda.milliseconds);
    picture_clear (&cuda.out);
  } else
#endif
  {
    g_string_append (quality, "no GPU | | |\n");
    g_string_append (time, "no GPU | | |\n");
  }
  picture_clear (&cpu.out);
  picture_clear (&one.out);
  picture_clear (&picture);
  picture_clear (&defined);
  g_free (marks);
}

int
main (int argc, char **argv)
{
  GString *quality = g_string_new (NULL), *time = g_string_new (NULL);
  Picture barbara;

  g_test_init (&argc, &argv, NULL);
  if (!picture_load (&barbara, "barbara.pgm")) {
    fprintf (stderr, "barbara.pgm is not there: set BLOCKDCT_DATA to its "
        "folder\n");
    return 77;
  }
  for (int size = 512; size <= 4096; size *= 2)
    run_size (&barbara, size, quality, time);
  printf ("| size | definition, dB | CPU engine, dB | CPU to definition, dB | "
      "CUDA engine, dB | CUDA to definition, dB | CUDA to CPU, dB |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n%s\n", quality->str);
  printf ("| size | definition, ms | CPU, one thread, ms | CPU, all threads, "
      "ms | CUDA, ms | one thread / CUDA | definition / CUDA |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n%s", time->str);
  picture_clear (&barbara);
  g_string_free (quality, TRUE);
  g_string_free (time, TRUE);
  return 0;
}
