/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons of given pictures (dct/engine/compare.h) by the CUDA engine
 * against those by the CPU engine: the same statistics and the same bytes, of
 * all formats and mixtures of them, of sizes about every border that kernels
 * have, in device memory, in pinned and other host memory and from one to the
 * other, at any address and stride.
 *
 *   engine-comparisons             everything
 *   engine-comparisons --quick     a small part, for compute-sanitizer
 *   engine-comparisons --kernels I N
 *                                  part I of N of that, from 0 on, without
 *                                  metrics, which engine-metrics has: for
 *                                  racecheck
 *
 * Built twice: with the CUDA runtime, and with the one of fake-runtime.c, where
 * the kernels are run thread by thread, for where no GPU is.
 *
 * Ends with "N passed, N failed, N skipped", of comparisons; exits 77 where
 * there is no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "frames.h"
#ifdef FAKE_RUNTIME
#include "fake-runtime.h"
#endif

#define N(array) (sizeof (array) / sizeof (array)[0])
#define MAX_PICTURES (1 + BDCT_MAX_DISTORTED)
#define DEPTH 4

static const struct
{
  int width, height;
  bool quick;
} shapes[] = {
  {1, 1, true}, {2, 3, false}, {7, 9, false}, {8, 8, true}, {16, 8, true},
  {17, 23, true}, {31, 4, false}, {61, 49, false}, {64, 40, true},
  {96, 100, false}, {127, 33, false}, {130, 97, true}, {181, 177, false},
  {192, 180, true}, {353, 201, false}, {1024, 17, false}, {1921, 7, true},
  {720, 486, false}, {1920, 1080, false}, {2304, 1156, false},
};

static const BdctViewMode modes[] = { BDCT_VIEW_WIPE, BDCT_VIEW_SIDE_BY_SIDE,
  BDCT_VIEW_STACKED, BDCT_VIEW_FLICKER, BDCT_VIEW_DIFFERENCE,
  BDCT_VIEW_ERROR_MAP, BDCT_VIEW_SSIM_MAP, BDCT_VIEW_HVS_MAP
};

typedef enum { DEVICE, PINNED, PAGEABLE, N_MEMORIES } Memory;

/* An image, where the CPU engine has it and where the CUDA engine has. */
typedef struct {
  BdctLayout layout;
  Memory memory;
  BdctImage host, other;
  uint8_t *host_bytes, *other_bytes;
  size_t size;
  bool borrowed;                /* an earlier picture's image */
} Picture;

typedef struct {
  Picture picture[MAX_PICTURES], dst;
  BdctView view;
  BdctComparison comparison;
} Case;

static BdctEngine *cpu, *cuda;
static bool quick, metrics = true;
static unsigned part, n_parts = 1;

/* As GStreamer has images, or anywhere. */
static Place
get_place (const BdctLayout * layout)
{
  Place place = places[next_random () % (N_PLACES - 1)];

  if (next_random () % 2) {
    const int rest = layout->plane[0].width % 64;

    place = (Place) { .spare = rest > 0 ? 64 - rest : 0 };
  }
  return place;
}

static void
picture_init (Picture * p, const BdctLayout * layout)
{
  const Place place = get_place (layout);
  BdctError error = { "" };

  p->layout = *layout;
  p->memory = next_random () % 2 ? DEVICE : next_random () % N_MEMORIES;
  p->size = 64;
  for (int i = 0; i < bdct_image_planes (layout); i++)
    p->size += 2 * (place.offset + (bdct_image_row_size (layout, i)
            + place.spare) * bdct_image_height (layout, i));
  p->host_bytes = malloc (p->size);
  memset (p->host_bytes, 0x5a, p->size);
  place_image (&p->host, layout, p->host_bytes, &place, place.up_src, false);
  if (p->memory == DEVICE) {
    must (cudaMalloc ((void **) &p->other_bytes, p->size), "cudaMalloc");
  } else {
    p->other_bytes = p->memory == PAGEABLE ? malloc (p->size)
        : cuda->klass->alloc_host (&(BdctContext) { 0 }, p->size);
    if (p->other_bytes == NULL) {
      printf ("%s\n", error.message);
      exit (1);
    }
  }
  p->other = move_image (&p->host, layout, p->host_bytes, p->other_bytes,
      p->memory == DEVICE ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST);
}

static void
picture_clear (Picture * p)
{
  if (p->borrowed)
    return;
  free (p->host_bytes);
  if (p->memory == DEVICE)
    must (cudaFree (p->other_bytes), "cudaFree");
  else if (p->memory == PINNED)
    cuda->klass->free_host (&(BdctContext) { 0 }, p->other_bytes);
  else
    free (p->other_bytes);
}

/* To where the CUDA engine has it; and back. */
static void
send (const Picture * p)
{
  must (cudaMemcpy (p->other_bytes, p->host_bytes, p->size, p->memory == DEVICE
          ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost), "cudaMemcpy");
}

static bool
is_same (const Picture * p)
{
  uint8_t *got = malloc (p->size);
  bool same;

  must (cudaMemcpy (got, p->other_bytes, p->size, p->memory == DEVICE
          ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost), "cudaMemcpy");
  same = memcmp (got, p->host_bytes, p->size) == 0;
  free (got);
  return same;
}

/* Noise has words above the peak, too. */
static void
fill (const Picture * p, int n)
{
  static const Content contents[] = { SMOOTH, EXTREME, CHECKER };

  if (n % 4 < 3) {
    draw (&p->layout, &p->host, contents[n % 4]);
    return;
  }
  for (int i = 0; i < bdct_image_planes (&p->layout); i++)
    for (int y = 0; y < bdct_image_height (&p->layout, i); y++)
      for (size_t x = 0; x < bdct_image_row_size (&p->layout, i); x++)
        ((uint8_t *) p->host.data[i] + y * p->host.stride[i])[x] =
            next_random () >> 20;
}

/* Another layout of the same components, or the same. */
static const Format *
find_mate (const Format * format)
{
  const unsigned from = next_random () % N_FORMATS;

  for (unsigned i = 0; i < N_FORMATS; i++) {
    const Format *mate = &formats[(from + i) % N_FORMATS];

    if (mate->rgb.n_planes == 0 && format->rgb.n_planes == 0
        && mate->chroma == format->chroma && mate->depth == format->depth)
      return mate;
  }
  return format;
}

static void
case_init (Case * c, const Format * format, int width, int height,
    unsigned n)
{
  static const double positions[] = { 0, 0.31, 0.5, 1 };
  static const double zooms[] = { 1, 1, 1, 2, 3.3 };
  BdctLayout layout;

  memset (c, 0, sizeof *c);
  init_layout (&layout, format, width, height);
  c->comparison = (BdctComparison) {
    .n_distorted = 1 + next_random () % BDCT_MAX_DISTORTED,
    .errors = next_random () % 8 > 0,
    .metrics = next_random () % 3 || !metrics ? 0
        : bdct_metrics_supported (next_random () % (1 << BDCT_N_METRICS),
        &layout),
    .frame_rate = next_random () % 2 ? 25 : 60,
    .number = n,
  };
  for (int i = 0; i <= c->comparison.n_distorted; i++) {
    BdctLayout own = layout;

    /* One image as two pictures, as behind a tee. */
    if (i > 0 && next_random () % 5 == 0) {
      c->picture[i] = c->picture[next_random () % i];
      c->picture[i].borrowed = true;
      continue;
    }
    if (next_random () % 3 == 0)
      init_layout (&own, find_mate (format), width, height);
    picture_init (&c->picture[i], &own);
    fill (&c->picture[i], next_random () % 16);
    send (&c->picture[i]);
  }
  picture_init (&c->dst, &layout);
  c->view = (BdctView) BDCT_VIEW_DEFAULT;
  bdct_view_colours (&c->view, layout.depth, 0.299, 0.114, n % 2);
  c->view.mode = modes[next_random () % N (modes)];
  c->view.second = next_random () % 2;
  c->view.position = positions[next_random () % N (positions)];
  c->view.zoom = zooms[next_random () % N (zooms)];
  c->view.zoom_x = positions[next_random () % N (positions)];
  c->view.zoom_y = positions[next_random () % N (positions)];
  c->view.gain = 0.7 * (1 + n % 7);
  c->comparison.view = next_random () % 8 ? &c->view : NULL;
  c->comparison.left = (int) (next_random ()
      % (c->comparison.n_distorted + 1)) - 1;
  c->comparison.right = (int) (next_random ()
      % (c->comparison.n_distorted + 1)) - 1;
}

static void
case_clear (Case * c)
{
  for (int i = 0; i <= c->comparison.n_distorted; i++)
    picture_clear (&c->picture[i]);
  picture_clear (&c->dst);
}

static void
start (BdctEngine * engine, Case * c)
{
  BdctError error = { "" };

  for (int i = 0; i <= c->comparison.n_distorted; i++) {
    BdctPicture *picture = i == 0 ? &c->comparison.reference
        : &c->comparison.distorted[i - 1];

    picture->image = engine == cpu ? c->picture[i].host : c->picture[i].other;
    picture->layout = &c->picture[i].layout;
  }
  c->comparison.dst = engine == cpu ? c->dst.host : c->dst.other;
  if (engine == cuda)
    send (&c->dst);
  if (!engine->klass->compare (engine, &c->comparison, &error)) {
    printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", engine->description,
        error.message, passed, failed + 1);
    exit (1);
  }
}

static void
finish (BdctEngine * engine, BdctStats * stats)
{
  BdctError error = { "" };

  memset (stats, 0, BDCT_MAX_DISTORTED * sizeof *stats);
  if (!engine->klass->collect (engine, stats, &error)) {
    printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", engine->description,
        error.message, passed, failed + 1);
    exit (1);
  }
}

static void
configure (BdctEngine * engine, const BdctLayout * layout)
{
  BdctError error = { "" };

  if (!engine->klass->configure (engine, layout, DEPTH, &error)) {
    printf ("%s: %s\n", engine->description, error.message);
    exit (1);
  }
}

/* Some at a time, as they are in flight together. */
static void
test (const Format * format, int width, int height)
{
  static Case cases[DEPTH];
  BdctStats expected[DEPTH][BDCT_MAX_DISTORTED], stats[BDCT_MAX_DISTORTED];
  BdctLayout layout;

  init_layout (&layout, format, width, height);
  configure (cpu, &layout);
  configure (cuda, &layout);
  for (unsigned n = 0; n < DEPTH; n++)
    case_init (&cases[n], format, width, height, n);
  /* The CUDA engine first: what is drawn on, is still untouched. */
  for (unsigned n = 0; n < DEPTH; n++)
    start (cuda, &cases[n]);
  for (unsigned n = 0; n < DEPTH; n++) {
    start (cpu, &cases[n]);
    finish (cpu, expected[n]);
  }
  for (unsigned n = 0; n < DEPTH; n++) {
    const Case *c = &cases[n];
    bool good;

    finish (cuda, stats);
    good = memcmp (stats, expected[n], sizeof stats) == 0
        && is_same (&c->dst);
    for (int i = 0; i <= c->comparison.n_distorted; i++)
      good = good && is_same (&c->picture[i]);
    good ? passed++ : failed++;
    if (!good && failed < 20)
      printf ("FAIL %s %dx%d: %d pictures, metrics %x, view %s, zoom %g: "
          "statistics %s, view %s\n", format->name, width, height,
          c->comparison.n_distorted, c->comparison.metrics,
          c->comparison.view == NULL ? "none"
          : bdct_view_info (c->view.mode)->name, c->view.zoom,
          memcmp (stats, expected[n], sizeof stats) == 0 ? "same" : "differ",
          is_same (&c->dst) ? "same" : "differs");
  }
  for (unsigned n = 0; n < DEPTH; n++)
    case_clear (&cases[n]);
}

#ifdef FAKE_RUNTIME
/* How many bytes go up for two pictures in host memory: one image, or two. */
static unsigned long
count_uploaded (const BdctLayout * layout, bool one, Memory memory)
{
  static Case c;
  BdctStats stats[BDCT_MAX_DISTORTED];
  const unsigned long before = fake_uploaded;

  memset (&c, 0, sizeof c);
  c.comparison.n_distorted = 1;
  c.comparison.errors = true;
  for (int i = 0; i < 2; i++) {
    do {
      if (c.picture[i].size > 0)
        picture_clear (&c.picture[i]);
      picture_init (&c.picture[i], layout);
    } while (c.picture[i].memory != memory);
    fill (&c.picture[i], 0);
    send (&c.picture[i]);
  }
  picture_init (&c.dst, layout);
  if (one) {
    picture_clear (&c.picture[1]);
    c.picture[1] = c.picture[0];
    c.picture[1].borrowed = true;
  }
  start (cuda, &c);
  finish (cuda, stats);
  case_clear (&c);
  return fake_uploaded - before;
}

/* An image that is two pictures goes up once. */
static void
test_uploaded (void)
{
  BdctLayout layout;

  init_layout (&layout, &formats[0], 64, 48);
  configure (cuda, &layout);
  for (Memory memory = PINNED; memory <= PAGEABLE; memory++) {
    const unsigned long two = count_uploaded (&layout, false, memory);
    const unsigned long one = count_uploaded (&layout, true, memory);

    one > 0 && two >= one * 3 / 2 ? passed++ : failed++;
    if (one == 0 || two < one * 3 / 2)
      printf ("FAIL two images: %lu bytes go up, one image: %lu\n", two, one);
  }
}
#endif

int
main (int argc, char **argv)
{
  unsigned number = 0;
  int status;

  quick = argc > 1;
  if (argc == 4 && strcmp (argv[1], "--kernels") == 0) {
    metrics = false;
    part = atoi (argv[2]);
    n_parts = atoi (argv[3]);
  }
  status = engines_create (&(BdctEngineOptions) {.threads = 2}, &cpu, &cuda);
  if (status != 0)
    return status;
  for (unsigned i = 0; i < N (shapes); i++) {
    const int before = passed;

    for (int f = 0; f < N_FORMATS && (shapes[i].quick || !quick); f++)
      for (int k = 0; k < (formats[f].quick ? 3 : 1); k++)
        if ((shapes[i].width < 1920 || formats[f].quick)
            && number++ % n_parts == part)
          test (&formats[f], shapes[i].width, shapes[i].height);
    if (passed > before)
      printf ("%dx%d: %d comparisons\n", shapes[i].width, shapes[i].height,
          passed - before);
  }
#ifdef FAKE_RUNTIME
  test_uploaded ();
#endif
  cpu->klass->destroy (cpu);
  cuda->klass->destroy (cuda);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
