/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times a frame of R, G and B on one thread of the CPU engine, on each
 * instruction set and with each subsampling, compared with coding and decoding
 * it as a JPEG file by libjpeg. Run by hand:
 *   rgb PICTURE.ppm [RUNS [QUALITY]]
 * Prints the median over the runs of processor time, which depends little on
 * the machine's other load, and the part of it that the conversions take. */
#include <stdio.h>              /* jpeglib.h needs it first */
#include <stdlib.h>
#include <time.h>
#include <jpeglib.h>
#include "cpu/simd/colour-rows.h"
#include "cpu/simd/tile32.h"
#include "dct/engine/engine.h"
#include "pnm.h"

#define MAX_RUNS 1001

static int width, height, n_runs = 21, quality = 85;
static uint8_t *src, *dst;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (void (*func) (void *), void *data)
{
  static double times[MAX_RUNS];

  func (data);
  for (int i = 0; i < n_runs; i++) {
    double start = now ();

    func (data);
    times[i] = now () - start;
  }
  qsort (times, n_runs, sizeof times[0], compare);
  return times[n_runs / 2];
}

static void
with_libjpeg (void *data)
{
  struct jpeg_compress_struct c;
  struct jpeg_decompress_struct d;
  struct jpeg_error_mgr error;
  const int *luma = data;
  unsigned char *bytes = NULL;
  unsigned long length = 0;

  c.err = d.err = jpeg_std_error (&error);
  jpeg_create_compress (&c);
  jpeg_mem_dest (&c, &bytes, &length);
  c.image_width = width;
  c.image_height = height;
  c.input_components = 3;
  c.in_color_space = JCS_RGB;
  jpeg_set_defaults (&c);
  jpeg_set_quality (&c, quality, TRUE);
  c.comp_info[0].h_samp_factor = luma[0];
  c.comp_info[0].v_samp_factor = luma[1];
  jpeg_start_compress (&c, TRUE);
  while (c.next_scanline < c.image_height) {
    JSAMPROW row = src + (size_t) 3 * width * c.next_scanline;

    jpeg_write_scanlines (&c, &row, 1);
  }
  jpeg_finish_compress (&c);
  jpeg_destroy_compress (&c);
  jpeg_create_decompress (&d);
  jpeg_mem_src (&d, bytes, length);
  jpeg_read_header (&d, TRUE);
  d.out_color_space = JCS_RGB;
  jpeg_start_decompress (&d);
  while (d.output_scanline < d.output_height) {
    JSAMPROW row = dst + (size_t) 3 * width * d.output_scanline;

    jpeg_read_scanlines (&d, &row, 1);
  }
  jpeg_finish_decompress (&d);
  jpeg_destroy_decompress (&d);
  free (bytes);
}

typedef struct
{
  BdctEngine *engine;
  BdctFrame frame;
  BdctColour colour;
  const BdctColourKernel *kernel;
} Task;

static void
with_engine (void *data)
{
  const Task *task = data;
  const BdctEngineClass *klass = task->engine->klass;
  BdctError error;

  if (!klass->submit (task->engine, &task->frame, &error)
      || !klass->collect (task->engine, NULL, &error))
    die (error.message);
}

static void
split (void *data)
{
  const Task *task = data;

  for (int i = 0; i < bdct_colour_count_strips (task->colour.layout); i++)
    task->kernel->rgb_to_planes (&task->colour, i);
}

static void
join (void *data)
{
  const Task *task = data;
  uint64_t sse[3] = { 0 };

  for (int i = 0; i < bdct_colour_count_strips (task->colour.layout); i++)
    task->kernel->planes_to_rgb (&task->colour, i, sse);
}

static void
time_engine (const BdctTileKernel * kernel, BdctChromaFormat chroma,
    double libjpeg)
{
  static const BdctRgb rgb = { 1, 3, {0, 0, 0}, {0, 1, 2} };
  BdctEngineOptions options = {.threads = 1,.isa = kernel->isa };
  BdctParams params = BDCT_PARAMS_DEFAULT;
  const BdctImage in = {.data = {src},.stride = {3 * width} };
  const BdctImage out = {.data = {dst},.stride = {3 * width} };
  uint8_t *planes = NULL;
  BdctLayout layout;
  BdctError error;
  BdctJob job;
  Task task = {.frame = {.quantizers = &job,.n_quantizers = 1,.src = in,.dst =
          out},
  .colour = {.layout = &layout,.src = in,.dst = out},
  .kernel = kernel->colour
  };
  double whole;

  params.quality = quality;
  bdct_layout_init_rgb (&layout, &rgb, width, height, chroma);
  task.engine = bdct_cpu_engine.create (&options, &error);
  if (task.engine == NULL || !bdct_job_init (&job, &params, &layout, &error)
      || !task.engine->klass->configure (task.engine, &layout, 1, &error))
    die (error.message);
  if (!bdct_colour_image (&layout, &planes, &task.colour.planes))
    die ("out of memory");
  task.colour.rec = task.colour.planes;
  whole = median (with_engine, &task);
  printf (" %7.2f %5.2f %5.2f %5.1f", whole, median (split, &task),
      median (join, &task), libjpeg / whole);
  task.engine->klass->destroy (task.engine);
  free (planes);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    BdctChromaFormat chroma;
    int luma[2];
  } samplings[] = {
    {"4:2:0", BDCT_CHROMA_420, {2, 2}}, {"4:2:2", BDCT_CHROMA_422, {2, 1}},
    {"4:4:0", BDCT_CHROMA_440, {1, 2}}, {"4:4:4", BDCT_CHROMA_444, {1, 1}},
  };
  const BdctTileKernel *const *kernels = bdct_tile_kernels ();

  if (argc < 2 || argc > 4)
    die ("rgb PICTURE.ppm [RUNS [QUALITY]]");
  src = read_pnm (argv[1], 3, &width, &height);
  dst = malloc ((size_t) 3 * width * height);
  if (dst == NULL)
    die ("out of memory");
  if (argc > 2)
    n_runs = atoi (argv[2]);
  if (argc > 3)
    quality = atoi (argv[3]);
  if (n_runs < 1 || n_runs > MAX_RUNS || quality < 1 || quality > 100)
    die ("RUNS is 1 to 1001, QUALITY 1 to 100");
  printf ("%dx%d, quality %d; ms of one thread\n              libjpeg", width,
      height, quality);
  for (int k = 0; kernels[k] != NULL; k++)
    printf ("  %7s split  join times", kernels[k]->isa);
  printf ("\n");
  for (size_t s = 0; s < sizeof samplings / sizeof samplings[0]; s++) {
    double libjpeg = median (with_libjpeg, (void *) samplings[s].luma);

    printf ("%-12s %8.2f ", samplings[s].name, libjpeg);
    for (int k = 0; kernels[k] != NULL; k++) {
      printf (" ");
      time_engine (kernels[k], samplings[s].chroma, libjpeg);
    }
    printf ("\n");
  }
  free (src);
  free (dst);
  return 0;
}
