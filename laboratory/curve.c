/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times 100 settings of a 1080p frame on the CPU engine, with bits and without.
 * Run by hand:
 *   curve [RUNS [THREADS [PICTURE.pgm]]]
 * Prints the median over the runs of processor time, which depends little on
 * the machine's other load. The picture is repeated, mirrored, to fill the
 * frame; without a picture the frame has waves, edges and noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "dct/engine/engine.h"
#include "pnm.h"

#define WIDTH 1920
#define HEIGHT 1080
#define SETTINGS 100
#define MAX_RUNS 101

static uint8_t *picture;
static int picture_width, picture_height, n_runs = 5;

static int
mirror (int i, int n)
{
  i %= 2 * n;
  return i < n ? i : 2 * n - 1 - i;
}

static void
fill (uint8_t * samples, int width, int height)
{
  uint32_t noise = 1;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double v = 128 + 50 * sin (x * 0.011 + y * 0.017)
          + 35 * sin (x * 0.07) * cos (y * 0.05)
          + ((x / 37 + y / 23) % 5 == 0 ? 30 : 0);

      noise = noise * 1664525 + 1013904223;
      samples[(size_t) y * width + x] = picture == NULL
          ? v + (int) (noise >> 29) : picture[(size_t) mirror (y,
              picture_height) * picture_width + mirror (x, picture_width)];
    }
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *times)
{
  qsort (times, n_runs, sizeof *times, compare);
  return times[n_runs / 2];
}

static double
run (BdctEngine * engine, BdctFrame frame, const BdctJob * jobs)
{
  double start = now ();
  BdctError error;
  BdctStats stats;

  for (int i = 0; i < SETTINGS; i++) {
    frame.quantizers = &jobs[i];
    frame.same_source = i > 0;
    if (!engine->klass->submit (engine, &frame, &error)
        || !engine->klass->collect (engine, &stats, &error))
      die (error.message);
  }
  return now () - start;
}

static void
time_transform (BdctEngine * engine, const BdctLayout * layout,
    const BdctFrame * frame, BdctTransform transform)
{
  double times[2][MAX_RUNS];
  BdctJob jobs[SETTINGS];

  for (int i = 0; i < SETTINGS; i++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;

    params.transform = transform;
    params.quality = i + 1;
    params.qp = i * 52 / SETTINGS;
    if (!bdct_job_init (&jobs[i], &params, layout, NULL))
      die ("no such job");
  }
  for (int i = 0; i < n_runs; i++)
    for (int k = 0; k < 2; k++) {
      BdctFrame f = *frame;

      f.bits = k == 0;
      times[k][i] = run (engine, f, jobs);
    }
  printf ("%-14s %7.2f ms a setting, %7.2f without bits\n",
      bdct_transform_info (transform)->name, median (times[0]) * 1e3 / SETTINGS,
      median (times[1]) * 1e3 / SETTINGS);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  static const BdctTransform transforms[] =
      { BDCT_JPEG_8X8, BDCT_HEVC_8X8, BDCT_HEVC_32X32 };
  BdctEngineOptions options = { .threads = argc > 2 ? atoi (argv[2]) : 1 };
  BdctLayout layout = { .depth = 8, BDCT_CHROMA_420, 3, {
      {WIDTH, HEIGHT, 0, 1, {BDCT_Y, BDCT_Y}},
      {WIDTH / 2, HEIGHT / 2, 0, 1, {BDCT_U, BDCT_U}},
      {WIDTH / 2, HEIGHT / 2, 0, 1, {BDCT_V, BDCT_V}}
    }, {0}
  };
  BdctFrame frame = { .n_quantizers = 1 };
  BdctEngine *engine;
  BdctError error;

  if (argc > 1)
    n_runs = atoi (argv[1]);
  if (n_runs < 1 || n_runs > MAX_RUNS)
    die ("1 to 101 runs");
  if (argc > 3)
    picture = read_pnm (argv[3], 1, &picture_width, &picture_height);
  for (int p = 0; p < 3; p++) {
    const BdctPlaneLayout *plane = &layout.plane[p];

    frame.src.data[p] = malloc ((size_t) plane->width * plane->height);
    if (frame.src.data[p] == NULL)
      die ("out of memory");
    fill (frame.src.data[p], plane->width, plane->height);
    frame.src.stride[p] = plane->width;
  }
  engine = bdct_cpu_engine.create (&options, &error);
  if (engine == NULL
      || !bdct_cpu_engine.configure (engine, &layout, 1, &error))
    die (error.message);
  printf ("%s, %d settings of %dx%d\n", engine->description, SETTINGS, WIDTH,
      HEIGHT);
  for (int i = 0; i < 3; i++)
    time_transform (engine, &layout, &frame, transforms[i]);
  bdct_cpu_engine.destroy (engine);
  for (int p = 0; p < 3; p++)
    free (frame.src.data[p]);
  free (picture);
  return 0;
}
