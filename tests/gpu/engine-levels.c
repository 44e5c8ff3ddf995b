/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Levels out of and into a frame, the CUDA engine against the CPU engine: for
 * every transform, many formats and sizes, up to 8 quantizers in a map,
 * records, bits and views; levels and images on the host and on the device.
 * Levels out, and all that is made from levels, are the same of dct-8x8, too.
 *
 *   engine-levels                everything
 *   engine-levels --quick        a small part, for compute-sanitizer
 *   engine-levels --cuda-cores   without the tensor cores
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "frames.h"

#define MAX_WIDTH 640
#define BUFFER_SIZE (4 << 20)
#define MAX_BLOCKS 65536
#define MAX_LEVELS (1 << 20)
#define CANARY 0x5a

/* What an engine makes of a frame. */
typedef struct {
  uint8_t *samples;
  BdctLevel *levels;
  BdctBlockRecord *blocks;
  uint8_t *sizes;               /* of hevc-quadtree's blocks */
  BdctStats stats;
} Result;

static BdctEngine *cpu, *cuda;
static bool cuda_cores;
static Result expected, found;
static uint8_t *source, *device_source, *device_samples;
static BdctLevel *device_levels;
static uint8_t map[MAX_BLOCKS];
static BdctJob quantizers[BDCT_MAX_QUANTIZERS];

static int
random_below (int n)
{
  return (next_random () >> 20) % n;
}

static void
any_jobs (BdctFrame * frame, BdctTransform transform, const BdctLayout * layout)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  params.transform = transform;
  params.deadzone = 1. / (3 + random_below (4));
  params.scaling_list = random_below (2);
  params.min_block = 4 << random_below (2);
  params.max_block = params.min_block << random_below (3);
  frame->quantizers = quantizers;
  frame->n_quantizers = 1 + random_below (BDCT_MAX_QUANTIZERS);
  for (int i = 0; i < frame->n_quantizers; i++) {
    params.quality = 1 + random_below (100);
    params.qp = random_below (52);
    if (!bdct_job_init (&quantizers[i], &params, layout, NULL))
      abort ();
  }
  frame->n_blocks = bdct_blocks_init (grid, layout, quantizers);
  frame->n_levels = bdct_count_levels (layout, quantizers, NULL);
  if (frame->n_blocks > MAX_BLOCKS || frame->n_levels > MAX_LEVELS)
    abort ();
  for (size_t i = 0; i < frame->n_blocks; i++)
    map[i] = random_below (frame->n_quantizers);
  frame->quantizer_map = random_below (2) ? map : NULL;
}

/* Have any trees of a frame's jobs. */
static void
any_sizes (const BdctLayout * layout, uint8_t * sizes)
{
  const BdctJobTree *tree = &quantizers[0].tree;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  int columns, rows;

  bdct_blocks_init (grid, layout, quantizers);
  columns = grid[BDCT_Y].columns;
  rows = grid[BDCT_Y].rows;
  memset (sizes, tree->max_log2, (size_t) columns * rows);
  for (int n = tree->max_log2 - 1; n >= tree->min_log2; n--) {
    const int places = 1 << (n + 1 - tree->min_log2);

    for (int y = 0; y < rows; y += places)
      for (int x = 0; x < columns; x += places)
        if (sizes[y * columns + x] == n + 1 && random_below (2))
          for (int v = y; v < y + places && v < rows; v++)
            for (int u = x; u < x + places && u < columns; u++)
              sizes[v * columns + u] = n;
  }
}

static bool
complain (const BdctFrame * frame, const char *what)
{
  static int complaints;

  if (complaints++ < 40)
    fprintf (stderr, "%s, %d quantizers%s%s%s%s%s%s: %s\n",
        bdct_transform_info (frame->quantizers[0].transform)->name,
        frame->n_quantizers, frame->quantizer_map ? ", map" : "",
        frame->from_levels ? ", from levels" : "",
        frame->src.data[0] ? "" : ", no source",
        frame->dst.data[0] ? "" : ", no output",
        frame->view ? ", coefficients" : "",
        frame->levels_memory == BDCT_MEMORY_DEVICE ? ", levels on the device"
        : "", what);
  return false;
}

/* Have the CPU do it, then CUDA with host or device memory. `levels` and
 * `sizes`: those that both read, or NULL. */
static bool
do_both (const BdctFrame * frame, const BdctLayout * layout, size_t used,
    const BdctLevel * levels, const uint8_t * sizes, bool device_images)
{
  const size_t n_bytes = frame->n_levels * sizeof *levels;
  BdctFrame what = *frame;
  BdctError error = { "" };

  memset (expected.samples, CANARY, used);
  memset (found.samples, CANARY, used);
  memset (expected.levels, CANARY, n_bytes + 64);
  memset (found.levels, CANARY, n_bytes + 64);
  if (levels != NULL) {
    memcpy (expected.levels, levels, n_bytes);
    memcpy (found.levels, levels, n_bytes);
    memcpy (expected.sizes, sizes, MAX_BLOCKS);
    memcpy (found.sizes, sizes, MAX_BLOCKS);
  } else {
    memset (expected.sizes, CANARY, MAX_BLOCKS);
    memset (found.sizes, CANARY, MAX_BLOCKS);
  }
  what.levels = expected.levels;
  what.levels_memory = BDCT_MEMORY_HOST;
  what.blocks = expected.blocks;
  what.sizes = expected.sizes;
  what.dst = move_image (&frame->dst, layout, found.samples, expected.samples,
      BDCT_MEMORY_HOST);
  if (!cpu->klass->submit (cpu, &what, &error)
      || !cpu->klass->collect (cpu, &expected.stats, &error))
    return complain (frame, error.message);

  what = *frame;
  what.blocks = found.blocks;
  what.sizes = found.sizes;
  what.levels = found.levels;
  must (cudaMemcpy (device_levels, found.levels, n_bytes + 64,
          cudaMemcpyHostToDevice), "cudaMemcpy");
  if (frame->levels_memory == BDCT_MEMORY_DEVICE)
    what.levels = device_levels;
  if (device_images) {
    must (cudaMemcpy (device_source, source, used, cudaMemcpyHostToDevice),
        "cudaMemcpy");
    must (cudaMemset (device_samples, CANARY, used), "cudaMemset");
    if (frame->src.data[0] != NULL)
      what.src = move_image (&frame->src, layout, source, device_source,
          BDCT_MEMORY_DEVICE);
    what.dst = move_image (&frame->dst, layout, found.samples, device_samples,
        BDCT_MEMORY_DEVICE);
  }
  must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  if (!cuda->klass->submit (cuda, &what, &error)
      || !cuda->klass->collect (cuda, &found.stats, &error))
    return complain (frame, error.message);
  if (device_images)
    must (cudaMemcpy (found.samples, device_samples, used,
            cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (frame->levels_memory == BDCT_MEMORY_DEVICE)
    must (cudaMemcpy (found.levels, device_levels, n_bytes + 64,
            cudaMemcpyDeviceToHost), "cudaMemcpy");
  return true;
}

/* Whether both have made the same; but for bytes beside R, G and B where there
 * is no source, of which nothing is said. */
static bool
agree (const BdctFrame * frame, const BdctLayout * layout, size_t used,
    bool exact)
{
  const bool loose = layout->rgb.bytes == 4 && frame->src.data[0] == NULL;

  if (memcmp (expected.levels, found.levels,
          frame->n_levels * sizeof *found.levels + 64) != 0)
    return complain (frame, "other levels");
  if (memcmp (expected.sizes, found.sizes, MAX_BLOCKS) != 0)
    return complain (frame, "other sizes");
  if (!exact)
    return true;
  if (memcmp (&expected.stats, &found.stats, sizeof found.stats) != 0)
    return complain (frame, "other statistics");
  if (memcmp (expected.blocks, found.blocks,
          frame->n_blocks * sizeof *found.blocks) != 0)
    return complain (frame, "other records");
  for (int y = 0; loose && frame->dst.data[0] != NULL
      && y < layout->plane[0].height; y++)
    for (int x = 0; x < layout->plane[0].width; x++) {
      const ptrdiff_t at = (uint8_t *) frame->dst.data[0] - found.samples
          + y * frame->dst.stride[0] + 4 * x + 6 - layout->rgb.offset[0]
          - layout->rgb.offset[1] - layout->rgb.offset[2];

      found.samples[at] = expected.samples[at];
    }
  return memcmp (expected.samples, found.samples, used) == 0
      || complain (frame, "other samples");
}

static bool
check (const BdctLayout * layout, BdctTransform transform)
{
  static BdctLevel levels[MAX_LEVELS];
  static uint8_t sizes[MAX_BLOCKS];
  const Place place = { random_below (6), random_below (70), false, false,
    false
  };
  BdctFrame frame = { 0 };
  bool exact, ok = true;
  uint8_t *end;
  size_t used;

  any_jobs (&frame, transform, layout);
  exact = quantizers[0].family != BDCT_FAMILY_DCT8X8 || cuda_cores;
  end = place_image (&frame.src, layout, source, &place, false, false);
  used = (end - source + 16) & ~(size_t) 7;
  if (used > BUFFER_SIZE)
    abort ();
  for (size_t i = 0; i < used; i += 8)
    *(uint64_t *) (source + i) = next_random ();
  draw (layout, &frame.src, random_below (2) ? SMOOTH
      : random_below (N_CONTENTS));
  if (random_below (4))
    place_image (&frame.dst, layout, found.samples, &place, false, false);
  frame.bits = random_below (2);
#ifndef FAKE_RUNTIME            /* which does not draw levels of samples */
  if (frame.dst.data[0] != NULL && random_below (3) == 0) {
    static BdctView view;

    view = (BdctView) BDCT_VIEW_DEFAULT;
    view.mode = BDCT_VIEW_COEFFICIENTS;
    bdct_view_colours (&view, layout->depth, 0.299, 0.114, false);
    frame.view = &view;
  }
#endif
  frame.levels_memory = random_below (2) ? BDCT_MEMORY_DEVICE
      : BDCT_MEMORY_HOST;
  ok = do_both (&frame, layout, used, NULL, NULL, random_below (2))
      && agree (&frame, layout, used, exact);
  memcpy (levels, expected.levels, frame.n_levels * sizeof *levels);
  memcpy (sizes, expected.sizes, MAX_BLOCKS);
  frame.from_levels = true;
  for (int k = 0; k < 3 && ok; k++) {
    if (k == 1)
      frame.src.data[0] = NULL;
    for (size_t i = 0; i < frame.n_levels && k == 2; i++)
      levels[i] = (int16_t) (next_random () >> 30) >> (i % 7 ? 0 : 8);
    /* The one whose category is 16. */
    for (size_t i = k; i < frame.n_levels && k == 2; i += 1 + random_below (99))
      levels[i] = INT16_MIN;
    if (transform == BDCT_HEVC_QUADTREE && k == 2)
      any_sizes (layout, sizes);
    frame.levels_memory = random_below (2) ? BDCT_MEMORY_DEVICE
        : BDCT_MEMORY_HOST;
    ok = do_both (&frame, layout, used, levels, sizes, random_below (2))
        && agree (&frame, layout, used, true);
  }
  return ok;
}

static void
run_size (const Format * format, const Size * size, BdctTransform transform,
    int *ok, int *bad)
{
  BdctLayout layout;
  BdctError error = { "" };
  bool good;

  init_layout (&layout, format, size->width, size->height);
#ifdef FAKE_RUNTIME             /* which reads no planes beside the picture */
  if (layout.rgb.n_planes > 0 && size->width % 128 != 0)
    return;
#endif
  good = cpu->klass->configure (cpu, &layout, 1, &error)
      && cuda->klass->configure (cuda, &layout, 2, &error)
      && check (&layout, transform);
  if (!good)
    fprintf (stderr, "  %s %dx%d %s\n", format->name, size->width,
        size->height, error.message);
  ++*(good ? ok : bad);
}

static void *
allocate (size_t size)
{
  void *memory = aligned_alloc (64, (size + 127) & ~(size_t) 63);

  if (memory == NULL)
    abort ();
  memset (memory, 0, size);
  return memory;
}

static void
result_init (Result * result)
{
  result->samples = allocate (BUFFER_SIZE);
  result->levels = allocate (MAX_LEVELS * sizeof (BdctLevel) + 64);
  result->blocks = allocate (MAX_BLOCKS * sizeof (BdctBlockRecord));
  result->sizes = allocate (MAX_BLOCKS);
}

static void
result_clear (Result * result)
{
  free (result->samples);
  free (result->levels);
  free (result->blocks);
  free (result->sizes);
}

int
main (int argc, char **argv)
{
  BdctEngineOptions options = { 0 };
  bool quick = false;
  int status;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--quick") == 0) {
      quick = true;
    } else if (strcmp (argv[i], "--cuda-cores") == 0) {
      options.isa = "cuda-cores";
    } else {
      fprintf (stderr, "usage: %s [--quick] [--cuda-cores]\n", argv[0]);
      return 2;
    }
  }
  setvbuf (stdout, NULL, _IOLBF, 0);
  status = engines_create (&options, &cpu, &cuda);
  if (status != 0)
    return status;
  cuda_cores = strstr (cuda->description, "tensor cores unused") != NULL;
  result_init (&expected);
  result_init (&found);
  source = allocate (BUFFER_SIZE);
  must (cudaMalloc ((void **) &device_source, BUFFER_SIZE), "cudaMalloc");
  must (cudaMalloc ((void **) &device_samples, BUFFER_SIZE), "cudaMalloc");
  must (cudaMalloc ((void **) &device_levels,
          MAX_LEVELS * sizeof (BdctLevel) + 64), "cudaMalloc");
  for (int f = 0; f < N_FORMATS; f++)
    for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
      int ok = 0, bad = 0;

      if (quick && !formats[f].quick)
        continue;
      for (int s = 0; s < N_SIZES; s++)
        if (sizes[s].width <= MAX_WIDTH && (!quick || sizes[s].quick))
          run_size (&formats[f], &sizes[s], t, &ok, &bad);
      printf ("%s %-8s %-13s %3d agree, %d not\n", bad ? "FAIL" : "ok  ",
          formats[f].name, bdct_transform_info (t)->name, ok, bad);
      passed += ok;
      failed += bad;
    }
  cuda->klass->destroy (cuda);
  cpu->klass->destroy (cpu);
  result_clear (&expected);
  result_clear (&found);
  free (source);
  cudaFree (device_source);
  cudaFree (device_samples);
  cudaFree (device_levels);
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
