/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times the CUDA engine, as a program uses it, by the clock on the wall:
 * comparisons of given pictures, and frames with their bits. Some are in
 * flight; pictures are in device memory, and many where no cache shall have
 * them. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <glib.h>
#include "dct/engine/engine.h"

#define N_PICTURES 8
#define ROWS 192                /* of samples, which repeat */

/* A picture, the distorted one, and what is drawn. */
enum
{ SOURCE, DISTORTED, DRAWN, N_IMAGES };

typedef struct
{
  BdctEngine *engine;
  int in_flight;
  BdctImage image[N_PICTURES][N_IMAGES];
  int n_pictures;
  size_t size;                  /* bytes of an image */
  BdctComparison comparison;    /* of nothing: frames are quantized */
  BdctFrame frame;              /* its images follow */
  BdctStats stats;
} Stream;

static void
check (bool ok, const BdctError * error)
{
  if (!ok)
    lab_die ("an engine: %s", error->message);
}

static void
must (cudaError_t err)
{
  if (err != cudaSuccess)
    lab_die ("engines: %s", cudaGetErrorString (err));
}

static const BdctLayout layout = {
  .depth = 8,.chroma = BDCT_CHROMA_420,.n_planes = 2,
  .plane = {{LAB_WIDTH, LAB_HEIGHT, 0, 1, {BDCT_Y}},
      {LAB_WIDTH / 2, LAB_HEIGHT / 2, 0, 2, {BDCT_U, BDCT_V}}}
};

/* Open the engine, and make pictures: planes that follow each other
 * in memory. They differ by noise. */
static void
open_stream (Stream * s, int in_flight, int n_pictures)
{
  const BdctEngineOptions options = { 0 };
  const size_t luma = (size_t) LAB_WIDTH * LAB_HEIGHT, size = luma / 2 * 3;
  int *samples = g_new (int, ROWS * LAB_WIDTH);
  uint8_t *bytes = g_malloc (size);
  uint32_t noise = 1;
  BdctError error;

  s->engine = bdct_cuda_engine.create (&options, &error);
  check (s->engine != NULL
      && bdct_cuda_engine.configure (s->engine, &layout, in_flight, &error),
      &error);
  s->in_flight = in_flight;
  s->n_pictures = n_pictures;
  s->size = size;
  lab_fill_samples (lab_options.content, 8, LAB_WIDTH, ROWS, samples);
  for (int i = 0; i < n_pictures * N_IMAGES; i++) {
    uint8_t *memory;

    for (size_t j = 0; j < size; j++) {
      noise = noise * 1664525 + 1013904223;
      bytes[j] = (uint8_t) (samples[j % (ROWS * LAB_WIDTH)]
          ^ (i > 0 ? noise >> 30 : 0));
    }
    must (cudaMalloc ((void **) &memory, size));
    must (cudaMemcpy (memory, bytes, size, cudaMemcpyHostToDevice));
    s->image[i / N_IMAGES][i % N_IMAGES] = (BdctImage) {
      .memory = BDCT_MEMORY_DEVICE,.data = { memory, memory + luma },.stride =
          { LAB_WIDTH, LAB_WIDTH }
    };
  }
  g_free (samples);
  g_free (bytes);
}

static void
clear (Stream * s)
{
  s->engine->klass->destroy (s->engine);
  for (int i = 0; i < s->n_pictures * N_IMAGES; i++)
    must (cudaFree (s->image[i / N_IMAGES][i % N_IMAGES].data[0]));
}

static void
submit (Stream * s, int i)
{
  const BdctImage *image = s->image[i % s->n_pictures];
  const BdctEngineClass *klass = s->engine->klass;
  BdctComparison comparison = s->comparison;
  BdctFrame frame = s->frame;
  BdctError error;

  if (comparison.n_distorted > 0) {
    comparison.reference.image = image[SOURCE];
    comparison.distorted[0].image = image[DISTORTED];
    comparison.dst = image[DRAWN];
    comparison.number = i;
    check (klass->compare (s->engine, &comparison, &error), &error);
    return;
  }
  frame.src = image[SOURCE];
  frame.dst = image[DRAWN];
  check (klass->submit (s->engine, &frame, &error), &error);
}

/* Run n comparisons, or n frames. */
static double
run_engine (void *data, int n)
{
  const double start = lab_now ();
  Stream *s = data;
  BdctError error;

  for (int i = 0; i < n + s->in_flight; i++) {
    if (i >= s->in_flight && i - s->in_flight < n)
      check (s->engine->klass->collect (s->engine, &s->stats, &error), &error);
    if (i < n)
      submit (s, i);
  }
  return lab_now () - start;
}

/* Copy a picture. */
static double
run_copy (void *data, int n)
{
  const double start = lab_now ();
  const Stream *s = data;

  for (int i = 0; i < n; i++) {
    const BdctImage *image = s->image[i % s->n_pictures];

    must (cudaMemcpyAsync (image[DRAWN].data[0], image[SOURCE].data[0],
            s->size, cudaMemcpyDeviceToDevice, NULL));
  }
  must (cudaStreamSynchronize (NULL));
  return lab_now () - start;
}

/* Print the time of one beside the first row's, which is returned. */
static double
print_row (const char *name, double (*run) (void *, int), Stream * s,
    double copy)
{
  LabTimed timed = { run, s, 0 };

  lab_time (&timed, 1, 1e8, lab_options.quick ? 1e8 : 1e9);
  printf ("%-24s %10.2f us %8.2f\n", name, timed.ns / 1e3,
      copy > 0 ? timed.ns / copy : 1);
  return timed.ns;
}

void
lab_engines_print_comparisons (void)
{
  BdctView view = BDCT_VIEW_DEFAULT;
  Stream s = {.comparison = {.n_distorted = 1,.errors = true,
      .frame_rate = 50,.left = -1}
  };
  double copy;

  open_stream (&s, N_PICTURES, N_PICTURES);
  printf ("comparisons of NV12 in %d x %d on %s, and times the first row:\n",
      LAB_WIDTH, LAB_HEIGHT, s.engine->description);
  copy = print_row ("copy of a picture", run_copy, &s, 0);
  print_row ("errors", run_engine, &s, copy);
  s.comparison.view = &view;
  bdct_view_colours (&view, 8, 0.2126, 0.0722, false);
  for (int mode = 0; mode < BDCT_N_VIEWS; mode++) {
    char name[64];

    if (!bdct_view_is_of_two (mode))
      continue;
    view.mode = mode;
    snprintf (name, sizeof name, "errors, %s", bdct_view_info (mode)->name);
    print_row (name, run_engine, &s, copy);
  }
  s.comparison.view = NULL;
  s.comparison.errors = false;
  for (int m = 0; m < BDCT_N_METRICS; m++) {
    s.comparison.metrics = 1u << m;
    print_row (bdct_metric_info (m)->name, run_engine, &s, copy);
  }
  putchar ('\n');
  clear (&s);
}

void
lab_engines_print_bits (void)
{
  Stream s[2] = { {.engine = NULL} };
  BdctError error;

  open_stream (&s[0], 16, 1);
  printf ("blockdct's CUDA engine, bits: NV12 %d x %d in device memory, 16 in "
      "flight\n%-14s %10s %10s %12s %8s\n", LAB_WIDTH, LAB_HEIGHT, "",
      "us without", "us with", "frames/s", "bpp");
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
    const BdctParams params = lab_params (t, lab_options.quality[0],
        lab_options.qp[0]);
    LabTimed timed[2] = { {run_engine, &s[0], 0}, {run_engine, &s[1], 0} };
    BdctJob job;

    check (bdct_job_init (&job, &params, &layout, &error), &error);
    s[0].frame = (BdctFrame) {
    .quantizers = &job,.n_quantizers = 1};
    s[1] = s[0];
    s[1].frame.bits = true;
    lab_time (timed, 2, 2e6, 1e9);
    printf ("%-14s %10.1f %10.1f %12.0f %8.3f\n",
        bdct_transform_info (t)->name, timed[0].ns / 1e3, timed[1].ns / 1e3,
        1e9 / timed[1].ns, (double) bdct_stats_total (&s[1].stats).bits
        / LAB_WIDTH / LAB_HEIGHT);
  }
  putchar ('\n');
  clear (&s[0]);
}
