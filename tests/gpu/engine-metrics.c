/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metrics of the CUDA engine, and views beside them, against those of the
 * CPU engine: the same bits, of streams of all formats, of sizes about every
 * border that metrics have, with frames of a gradient, of noise, flat ones and
 * ones that are the same again, and without a picture. Their maps are
 * those of engine-comparisons.
 *
 *   engine-metrics             everything
 *   engine-metrics --quick     a small part, for compute-sanitizer
 *   engine-metrics --kernels   each kernel of metrics, for racecheck
 *
 * Built twice: with the CUDA runtime, and with the one of fake-runtime.c, where
 * the kernels are run thread by thread, for where no GPU is.
 *
 * Ends with "N passed, N failed, N skipped", of figures and pictures; exits 77
 * where there is no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "frames.h"

#define N_FRAMES 6
#define N(array) (sizeof (array) / sizeof (array)[0])

/* Planes of R, G and B are whole blocks wide, of which the fake kernels know
 * nothing. */
#ifdef FAKE_RUNTIME
#define RGB_WIDTH 64
#else
#define RGB_WIDTH 1
#endif

/* What is asked for, each of it a bit of what a shape is for. */
typedef enum { ALL = 1, QUICK = 2, KERNELS = 4 } Part;

typedef struct {
  int width, height, frame_rate;
  unsigned parts;
  bool large;                   /* too large for all formats */
} Shape;

/* Of KERNELS: the least for all scales of MS-SSIM, and one for which XPSNR has
 * another kernel. PSNR-HVS has 64 blocks in a thread block: all of one, and one
 * block more; MS-SSIM tiles of 32 x 32 windows, of 60 x 16 samples of the
 * second scale and of 32 x 16 of others: whole ones, and one more. */
static const Shape shapes[] = {
  {8, 8, 25, ALL | QUICK, false}, {7, 40, 25, ALL, false},
  {17, 23, 50, ALL | QUICK, false}, {61, 49, 25, ALL, false},
  {57, 57, 25, ALL | QUICK, false}, {92, 36, 25, ALL | QUICK, false},
  {240, 256, 25, ALL, false}, {202, 203, 25, ALL | QUICK, false},
  {242, 226, 25, ALL | QUICK, false},
  {64, 40, 60, ALL | QUICK, false}, {176, 176, 25, ALL | QUICK, false},
  {181, 177, 50, ALL | KERNELS, false}, {353, 201, 25, ALL, false},
  {720, 486, 50, ALL, false}, {1919, 1079, 25, ALL, true},
  {2304, 1156, 50, ALL | KERNELS, true}, {3840, 2160, 50, ALL, true},
};

/* A frame: its pictures, in host and in device memory, and what comes of it. */
typedef struct {
  BdctImage src, dst;
  uint8_t *host, *device;       /* the source's memory, then the other's */
  uint8_t *drawn;               /* what that is to be */
  BdctStats expected, stats;
} Frame;

typedef struct {
  const Format *format;
  const Shape *shape;
  const Place *place;
  BdctLayout layout;
  BdctJob job;
  bool no_dst, viewed;
  unsigned metrics;
  size_t size;                  /* of either's memory */
  Frame frame[N_FRAMES];
} Stream;

static BdctEngine *cpu, *cuda;
static Part part = ALL;
static int n_frames = N_FRAMES; /* of a stream */

static void
draw_flat (const BdctLayout * layout, const BdctImage * image)
{
  for (int p = 0; p < bdct_image_planes (layout); p++)
    for (int y = 0; y < bdct_image_height (layout, p); y++)
      memset ((uint8_t *) image->data[p] + y * image->stride[p], 1,
          bdct_image_row_size (layout, p));
}

/* A gradient, noise, the gradient again twice, nothing, and a checkerboard. */
static void
draw_frame (const BdctLayout * layout, const BdctImage * image, int n)
{
  static const Content contents[] = { SMOOTH, RANDOM, SMOOTH, SMOOTH };

  if (n == N_FRAMES - 2)
    draw_flat (layout, image);
  else
    draw (layout, image, n == N_FRAMES - 1 ? CHECKER : contents[n]);
}

/* Of any transform but dct-8x8, whose samples may differ where they are ties
 * (engine-compare). */
static void
make_job (BdctJob * job, const BdctLayout * layout)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error = { "" };

  do
    params.transform = next_random () % BDCT_N_TRANSFORMS;
  while (params.transform == BDCT_DCT_8X8);
  params.quality = 1 + next_random () % 100;
  params.qp = next_random () % 52;
  if (!bdct_job_init (job, &params, layout, &error)) {
    params.transform = BDCT_JPEG_8X8;
    if (!bdct_job_init (job, &params, layout, &error)) {
      printf ("%s\n", error.message);
      exit (1);
    }
  }
}

/* Metrics of one job; of a large picture the one that is another there. */
static void
keep_kernels (Stream * s)
{
  s->no_dst = s->viewed = false;
  if (s->shape->large)
    s->metrics &= 1 << BDCT_METRIC_XPSNR;
}

static void
stream_init (Stream * s, const Format * format, const Shape * shape)
{
  memset (s, 0, sizeof *s);
  s->format = format;
  s->shape = shape;
  s->place = &places[next_random () % (N_PLACES - 1)];
  init_layout (&s->layout, format, shape->width, shape->height);
  make_job (&s->job, &s->layout);
  s->no_dst = next_random () % 4 == 0;
  s->viewed = next_random () % 2;
  s->metrics = bdct_metrics_supported ((1 << BDCT_N_METRICS) - 1, &s->layout);
  if (part == KERNELS)
    keep_kernels (s);
  for (int p = 0; p < bdct_image_planes (&s->layout); p++)
    s->size += (bdct_image_row_size (&s->layout, p) + 2 * s->place->spare)
        * bdct_image_height (&s->layout, p) + 2 * s->place->offset;
  s->size = (s->size + 15) & ~(size_t) 15;
  for (int n = 0; n < n_frames; n++) {
    Frame *f = &s->frame[n];

    f->host = malloc (2 * s->size);
    f->drawn = malloc (s->size);
    must (cudaMalloc ((void **) &f->device, 2 * s->size), "cudaMalloc");
    place_image (&f->src, &s->layout, f->host, s->place, s->place->up_src,
        false);
    place_image (&f->dst, &s->layout, f->host + s->size, s->place,
        s->place->up_dst, false);
    memset (f->host, 0x5a, 2 * s->size);
    draw_frame (&s->layout, &f->src, n);
  }
}

static void
stream_clear (Stream * s)
{
  for (int n = 0; n < n_frames; n++) {
    free (s->frame[n].host);
    free (s->frame[n].drawn);
    must (cudaFree (s->frame[n].device), "cudaFree");
  }
}

/* What a frame shows, if the stream is viewed. */
static BdctViewMode
get_mode (const Stream * s, int n)
{
  static const BdctViewMode modes[] = { BDCT_VIEW_RECONSTRUCTION,
    BDCT_VIEW_COEFFICIENTS, BDCT_VIEW_NONZERO_MAP, BDCT_VIEW_ERROR_MAP,
    BDCT_VIEW_ORIGINAL
  };

  return modes[(n + s->shape->width) % N (modes)];
}

static bool
submit (Stream * s, BdctEngine * engine, int n, BdctMemory memory,
    BdctError * error)
{
  const Frame *f = &s->frame[n];
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctFrame frame = {
    .quantizers = &s->job,.n_quantizers = 1,
    .src = f->src,.dst = s->no_dst ? (BdctImage) {0} : f->dst,
    .metrics = s->metrics,.frame_rate = s->shape->frame_rate,
    .number = n < 3 ? n : n - 1,
    .view = s->viewed && !s->no_dst ? &view : NULL
  };

  bdct_view_colours (&view, s->layout.depth, 0.299, 0.114, n % 2);
  view.mode = get_mode (s, n);
  view.grid = n % 3 == 0;
  /* Two pictures that are the same have one number; another that is not those
   * before; and none of the metrics of one frame. */
  if (n == N_FRAMES - 1)
    frame.number = 100;
  if (n == 1)
    frame.metrics = 0;
  if (memory == BDCT_MEMORY_DEVICE) {
    frame.src = move_image (&f->src, &s->layout, f->host, f->device, memory);
    frame.dst = move_image (&frame.dst, &s->layout, f->host, f->device, memory);
  }
  return engine->klass->submit (engine, &frame, error);
}

/* Have an engine do the stream, `depth` frames at a time. */
static void
run (Stream * s, BdctEngine * engine, unsigned depth, BdctMemory memory)
{
  const BdctEngineClass *klass = engine->klass;
  BdctError error = { "" };
  bool ok = klass->configure (engine, &s->layout, depth, &error);

  for (int n = 0; n < n_frames; n++) {
    memset (s->frame[n].host + s->size, 0xa5, s->size);
    must (cudaMemcpy (s->frame[n].device, s->frame[n].host, 2 * s->size,
            cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  for (int in = 0, out = 0; ok && out < n_frames;)
    if (in < n_frames && in - out < (int) depth) {
      ok = submit (s, engine, in++, memory, &error);
    } else {
      Frame *f = &s->frame[out++];

      ok = klass->collect (engine, engine == cpu ? &f->expected : &f->stats,
          &error);
    }
  if (!ok) {
    printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", engine->description,
        error.message, passed, failed + 1);
    exit (1);
  }
}

static void
compare (const Stream * s, int n, const BdctStats * a, const BdctStats * b)
{
  failed += a->metrics != b->metrics;
  for (int m = 0; m < BDCT_N_METRICS; m++)
    for (int c = 0; c <= BDCT_METRIC_ALL && b->metrics >> m & 1; c++) {
      const bool same = memcmp (&a->metric[m][c], &b->metric[m][c],
          sizeof a->metric[m][c]) == 0;

      same ? passed++ : failed++;
      if (!same && failed < 20)
        printf ("FAIL %s %dx%d, frame %d: %s %d is %.17g, not %.17g\n",
            s->format->name, s->shape->width, s->shape->height, n,
            bdct_metric_info (m)->name, c, a->metric[m][c], b->metric[m][c]);
    }
}

/* Whether the picture is the same, and nothing beside its samples. Of levels
 * the fake kernels draw none. */
static void
compare_pictures (const Stream * s, int n, BdctMemory memory)
{
  const Frame *f = &s->frame[n];
  bool same;

#ifdef FAKE_RUNTIME
  if (s->viewed && get_mode (s, n) == BDCT_VIEW_COEFFICIENTS)
    return;
#endif
  if (memory == BDCT_MEMORY_DEVICE)
    must (cudaMemcpy (f->host + s->size, f->device + s->size, s->size,
            cudaMemcpyDeviceToHost), "cudaMemcpy");
  same = memcmp (f->host + s->size, f->drawn, s->size) == 0;
  same ? passed++ : failed++;
  if (!same && failed < 20)
    printf ("FAIL %s %dx%d, frame %d: another picture, of %s\n",
        s->format->name, s->shape->width, s->shape->height, n,
        s->viewed ? bdct_view_info (get_mode (s, n))->name : "no view");
}

static void
test (const Format * format, const Shape * shape)
{
  static Stream s;

  stream_init (&s, format, shape);
  run (&s, cpu, 2, BDCT_MEMORY_HOST);
  for (int n = 0; n < n_frames; n++)
    memcpy (s.frame[n].drawn, s.frame[n].host + s.size, s.size);
  for (unsigned depth = 1; depth <= (part == KERNELS ? 1 : 8); depth += 7) {
    const BdctMemory memory = depth > 1 || next_random () % 2
        ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;

    run (&s, cuda, depth, memory);
    for (int n = 0; n < n_frames; n++) {
      compare_pictures (&s, n, memory);
      compare (&s, n, &s.frame[n].stats, &s.frame[n].expected);
    }
  }
  stream_clear (&s);
}

/* Samples of one byte and of two; fewer formats of what is large. */
static bool
is_due (const Format * format, const Shape * shape)
{
  if (!(shape->parts & part) || (format->rgb.n_planes > 0
          && shape->width % RGB_WIDTH != 0))
    return false;
  if (part == KERNELS)
    return strcmp (format->name, "I420") == 0
        || (!shape->large && strcmp (format->name, "P010") == 0);
  return format->quick || (part == ALL && !shape->large);
}

int
main (int argc, char **argv)
{
  int status;

  if (argc > 1 && strcmp (argv[1], "--quick") == 0)
    part = QUICK;
  else if (argc > 1 && strcmp (argv[1], "--kernels") == 0)
    part = KERNELS;
  /* As many as have changes of two kinds. */
  n_frames = part == KERNELS ? 4 : N_FRAMES;
  status = engines_create (&(BdctEngineOptions) {.threads = 2}, &cpu, &cuda);
  if (status != 0)
    return status;
  for (unsigned i = 0; i < N (shapes); i++) {
    const int before = passed;

    for (int f = 0; f < N_FORMATS; f++)
      if (is_due (&formats[f], &shapes[i]))
        test (&formats[f], &shapes[i]);
    if (passed > before)
      printf ("%dx%d: %d figures and pictures\n", shapes[i].width,
          shapes[i].height, passed - before);
  }
  cpu->klass->destroy (cpu);
  cuda->klass->destroy (cuda);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
