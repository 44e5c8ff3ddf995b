/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All that can be asked of a frame beside its picture, the CUDA engine against
 * the CPU engine: records of its blocks, up to 8 sets in an index map whose
 * cells agree or do not, bits, no output at all, views; for every
 * transform, many formats and sizes.
 *
 * What is not the same there, dct-8x8 by the tensor cores, has to agree with
 * itself: records with the samples delivered and with the sums. Its bits are
 * the same: what counts them makes the levels as the CPU does.
 *
 *   engine-blocks                everything
 *   engine-blocks --quick        a small part, for compute-sanitizer
 *   engine-blocks --cuda-cores   without the tensor cores
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "frames.h"
#include "lists.h"

#define IN_FLIGHT 4
#define MAX_WIDTH 640
#define BUFFER_SIZE (4 << 20)
#define MAX_BLOCKS 65536
#define CANARY 0xa5

typedef struct {
  BdctFrame what;               /* of the CUDA engine */
  BdctImage src, dst;           /* host: of `source` and `result` */
  uint8_t *source, *expected, *result;
  uint8_t *device_source, *device_result;
  size_t used;
  BdctJob quantizers[BDCT_MAX_QUANTIZERS];
  uint8_t *map;
  uint8_t *sizes, *expected_sizes;
  BdctBlockRecord *blocks, *expected_blocks;
  BdctView view;
  BdctStats stats;              /* the CPU's */
} Question;

static Question questions[IN_FLIGHT];
static BdctEngine *cpu, *cuda;
static bool cuda_cores;

static int
random_below (int n)
{
  return (next_random () >> 20) % n;
}

static bool
is_exact (const BdctJob * job)
{
  return job->family != BDCT_FAMILY_DCT8X8 || cuda_cores;
}

/* What the quantizers of a frame have in common. */
static void
any_tree (BdctParams * params)
{
  static const double scales[] = { 1, 1, 0, 0.3, 20 };
  int most = random_below (4);

  *params = (BdctParams) BDCT_PARAMS_DEFAULT;
  params->max_block = 4 << most;
  params->min_block = 4 << random_below (most + 1);
  params->lambda_scale = scales[random_below (5)];
}

static void
any_job (BdctJob * job, BdctTransform transform, const BdctLayout * layout,
    const BdctParams * tree)
{
  BdctParams params = *tree;

  params.transform = transform;
  params.quality = 1 + random_below (100);
  params.qp = random_below (52);
  params.chroma_qp_offset = random_below (5) ? 0 : random_below (25) - 12;
  params.scaling_list = random_below (4) ? BDCT_SCALING_FLAT
      : BDCT_SCALING_DEFAULT;
  params.deadzone = 1. / (3 + random_below (4));
  if (random_below (4) == 0)
    random_lists (&params, random_below (1000));
  if (!bdct_job_init (job, &params, layout, NULL))
    abort ();
}

/* Sets that change from block to block, by the region, or nowhere. */
static void
any_map (Question * q, const BdctLayout * layout)
{
  int change = random_below (3) ? random_below (30) : 0;
  uint8_t set = random_below (q->what.n_quantizers);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  int side = 1 + random_below (80);

  bdct_blocks_init (grid, layout, &q->quantizers[0]);
  if (random_below (2)) {
    for (size_t i = 0; i < q->what.n_blocks; i++)
      q->map[i] = set = random_below (100) < change
          ? random_below (q->what.n_quantizers) : set;
    return;
  }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    for (int y = 0; y < grid[c].rows; y++)
      for (int x = 0; x < grid[c].columns; x++)
        q->map[grid[c].first + (size_t) y * grid[c].columns + x] =
            (x / side + y / side * 3 + set) % q->what.n_quantizers;
}

static void
any_view (Question * q, const BdctLayout * layout)
{
  q->view = (BdctView) BDCT_VIEW_DEFAULT;
  do
    q->view.mode = is_exact (&q->quantizers[0]) ? random_below (BDCT_N_VIEWS)
        : BDCT_VIEW_COEFFICIENTS;
  while (!bdct_view_is_of_frame (q->view.mode));
  q->view.grid = random_below (2);
  for (int i = 0; i < BDCT_MAX_QUANTIZERS; i++)
    q->view.delta_qp[i] = (int) random_below (60) - 30;
  bdct_view_colours (&q->view, layout->depth, 0.299, 0.114, false);
  q->what.view = &q->view;
}

static void
any_question (Question * q, const BdctLayout * layout, BdctTransform transform)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  BdctParams tree;

  memset (&q->what, 0, sizeof q->what);
  q->what.quantizers = q->quantizers;
  q->what.n_quantizers = 1 + random_below (BDCT_MAX_QUANTIZERS);
  any_tree (&tree);
  for (int i = 0; i < q->what.n_quantizers; i++)
    any_job (&q->quantizers[i], transform, layout, &tree);
  q->what.n_blocks = bdct_blocks_init (grid, layout, &q->quantizers[0]);
  if (q->what.n_blocks > MAX_BLOCKS)
    abort ();
  if (random_below (3)) {
    q->what.quantizer_map = q->map;
    any_map (q, layout);
  }
  if (random_below (4))
    q->what.blocks = q->blocks;
  q->what.bits = random_below (3) > 0;
  if (random_below (2))
    q->what.sizes = q->sizes;
}

static bool
complain (const Question * q, const char *what)
{
  static int complaints;

  if (complaints++ < 40)
    fprintf (stderr, "%s, %d quantizers%s%s%s%s, view %d%s: %s\n",
        bdct_transform_info (q->quantizers[0].transform)->name,
        q->what.n_quantizers, q->what.quantizer_map ? ", map" : "",
        q->what.blocks ? ", records" : "", q->what.bits ? ", bits" : "",
        q->dst.data[0] ? "" : ", no output", q->what.view
        ? (int) q->view.mode : -1, q->what.view && q->view.grid ? ", grid" : "",
        what);
  return false;
}

/* Have the CPU answer a new question, and start it on the GPU. */
static bool
start (Question * q, const BdctLayout * layout, BdctTransform transform)
{
  const Place place = { random_below (2) ? 0 : random_below (6),
    random_below (2) ? 0 : random_below (70), false, false, false
  };
  bool on_device = random_below (4);
  BdctError error = { "" };
  BdctFrame what;
  uint8_t *end;

  any_question (q, layout, transform);
  memset (&q->src, 0, sizeof q->src);
  memset (&q->dst, 0, sizeof q->dst);
  end = place_image (&q->src, layout, q->source, &place, false, false);
  q->used = (end - q->source + 16) & ~(size_t) 7;
  if (q->used > BUFFER_SIZE)
    abort ();
  for (size_t i = 0; i < q->used; i += 8)
    *(uint64_t *) (q->source + i) = next_random ();
  draw (layout, &q->src, random_below (4) ? SMOOTH : random_below (N_CONTENTS));
  if (random_below (3)) {
    place_image (&q->dst, layout, q->result, &place, false, false);
    if (random_below (3) == 0)
      any_view (q, layout);
  }
  memset (q->expected, CANARY, q->used);
  memset (q->result, CANARY, q->used);
  memset (q->blocks, CANARY, q->what.n_blocks * sizeof *q->blocks);
  memset (q->sizes, CANARY, MAX_BLOCKS);
  memset (q->expected_sizes, CANARY, MAX_BLOCKS);
  what = q->what;
  what.src = q->src;
  what.dst = move_image (&q->dst, layout, q->result, q->expected,
      BDCT_MEMORY_HOST);
  if (what.blocks != NULL)
    what.blocks = q->expected_blocks;
  if (what.sizes != NULL)
    what.sizes = q->expected_sizes;
  if (!cpu->klass->submit (cpu, &what, &error)
      || !cpu->klass->collect (cpu, &q->stats, &error))
    return complain (q, error.message);

  q->what.src = q->src;
  q->what.dst = q->dst;
  if (on_device) {
    must (cudaMemcpy (q->device_source, q->source, q->used,
            cudaMemcpyHostToDevice), "cudaMemcpy");
    must (cudaMemset (q->device_result, CANARY, q->used), "cudaMemset");
    /* The engine's stream does not wait for the default stream. */
    must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
    q->what.src = move_image (&q->src, layout, q->source, q->device_source,
        BDCT_MEMORY_DEVICE);
    q->what.dst = move_image (&q->dst, layout, q->result, q->device_result,
        BDCT_MEMORY_DEVICE);
  }
  return cuda->klass->submit (cuda, &q->what, &error)
      || complain (q, error.message);
}

/* Squared errors of a block of what was delivered. */
static uint64_t
errors (const Question * q, const BdctLayout * layout, int p, int i, int left,
    int top, int width, int height)
{
  const BdctPlaneLayout *plane = &layout->plane[p];
  uint64_t sum = 0;

  for (int y = top; y < top + height && y < plane->height; y++)
    for (int x = left; x < left + width && x < plane->width; x++) {
      int at = x * plane->interleave + i;
      int e = get (layout, &q->src, p, at, y) - get (layout, &q->dst, p, at,
          y);

      sum += (int64_t) e * e;
    }
  return sum;
}

/* One component's records against the samples delivered, if any, and against
 * its counters. */
static bool
records_agree (const Question * q, const BdctLayout * layout, int p, int i,
    const BdctBlockGrid * grid, const BdctCounters * counters)
{
  const BdctComponentJob *job =
      &q->quantizers[0].component[layout->plane[p].component[i]];
  bool delivered = q->dst.data[0] != NULL && q->what.view == NULL
      && layout->rgb.n_planes == 0;
  uint64_t sse = 0, nonzero = 0;
  bool ok = true, whole = true;

  for (int y = 0; y < grid->rows; y++)
    for (int x = 0; x < grid->columns; x++) {
      const BdctBlockRecord *r = &q->blocks[grid->first
          + (size_t) y * grid->columns + x];

      sse += r->sse;
      nonzero += r->nonzero;
      whole = whole && r->sse != UINT32_MAX;
      ok = ok && r->reserved == 0 && (!delivered || r->sse == UINT32_MAX
          || r->sse == errors (q, layout, p, i, x << job->log2_width,
              y << job->log2_height, 1 << job->log2_width,
              1 << job->log2_height));
    }
  return ok && nonzero == counters->nonzero && (!whole || sse == counters->sse);
}

static bool
agrees_with_itself (Question * q, const BdctLayout * layout,
    const BdctStats * stats)
{
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];

  bdct_blocks_init (grid, layout, &q->quantizers[0]);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      BdctComponent c = layout->plane[p].component[i];

      if (!records_agree (q, layout, p, i, &grid[c], &stats->component[c]))
        return complain (q, "records of other samples, or other sums");
    }
  return true;
}

static bool
finish (Question * q, BdctStats * stats)
{
  BdctError error = { "" };

  if (!cuda->klass->collect (cuda, stats, &error))
    return complain (q, error.message);
  if (q->what.src.memory == BDCT_MEMORY_DEVICE)
    must (cudaMemcpy (q->result, q->device_result, q->used,
            cudaMemcpyDeviceToHost), "cudaMemcpy");
  return true;
}

static bool
same_bits (const BdctStats * a, const BdctStats * b)
{
  bool same = a->bits_optimized == b->bits_optimized
      && a->file_size == b->file_size
      && a->file_size_optimized == b->file_size_optimized;

  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    same = same && a->component[c].bits == b->component[c].bits;
  return same;
}

static bool
judge (Question * q, const BdctLayout * layout, const BdctStats * stats)
{
  size_t size = q->what.n_blocks * sizeof *q->blocks;
  bool drawn = q->what.view != NULL;

  if (!same_bits (stats, &q->stats))
    return complain (q, "other bits");
  if (is_exact (&q->quantizers[0])) {
    if (memcmp (stats, &q->stats, sizeof *stats) != 0)
      return complain (q, "other statistics");
    if (q->what.blocks != NULL
        && memcmp (q->blocks, q->expected_blocks, size) != 0)
      return complain (q, "other records");
    if (memcmp (q->sizes, q->expected_sizes, MAX_BLOCKS) != 0)
      return complain (q, "other sizes");
  } else if (q->what.blocks != NULL && !agrees_with_itself (q, layout, stats)) {
    return false;
  }
  if ((drawn || is_exact (&q->quantizers[0]))
      && memcmp (q->result, q->expected, q->used) != 0)
    return complain (q, "other samples");
  return true;
}

static void
run_size (const Format * format, const Size * size, BdctTransform transform,
    int *ok, int *bad)
{
  BdctStats stats[IN_FLIGHT];
  int n = 1 + random_below (IN_FLIGHT);
  bool good[IN_FLIGHT];
  BdctLayout layout;
  BdctError error = { "" };

  init_layout (&layout, format, size->width, size->height);
  if (!cpu->klass->configure (cpu, &layout, 1, &error)
      || !cuda->klass->configure (cuda, &layout, IN_FLIGHT, &error)) {
    fprintf (stderr, "%s %dx%d: %s\n", format->name, size->width,
        size->height, error.message);
    ++*bad;
    return;
  }
  for (int i = 0; i < n; i++)
    good[i] = start (&questions[i], &layout, transform);
  for (int i = 0; i < n; i++)
    good[i] = good[i] && finish (&questions[i], &stats[i]);
  for (int i = 0; i < n; i++) {
    good[i] = good[i] && judge (&questions[i], &layout, &stats[i]);
    if (!good[i])
      fprintf (stderr, "  %s %dx%d\n", format->name, size->width,
          size->height);
    ++*(good[i] ? ok : bad);
  }
}

static void *
allocate (size_t size)
{
  void *memory = calloc (1, size);

  if (memory == NULL)
    abort ();
  return memory;
}

static void
questions_init (void)
{
  for (int i = 0; i < IN_FLIGHT; i++) {
    Question *q = &questions[i];

    q->source = allocate (BUFFER_SIZE);
    q->expected = allocate (BUFFER_SIZE);
    q->result = allocate (BUFFER_SIZE);
    q->map = allocate (MAX_BLOCKS);
    q->sizes = allocate (MAX_BLOCKS);
    q->expected_sizes = allocate (MAX_BLOCKS);
    q->blocks = allocate (MAX_BLOCKS * sizeof *q->blocks);
    q->expected_blocks = allocate (MAX_BLOCKS * sizeof *q->blocks);
    must (cudaMalloc ((void **) &q->device_source, BUFFER_SIZE), "cudaMalloc");
    must (cudaMalloc ((void **) &q->device_result, BUFFER_SIZE), "cudaMalloc");
  }
}

static void
questions_clear (void)
{
  for (int i = 0; i < IN_FLIGHT; i++) {
    Question *q = &questions[i];

    free (q->source);
    free (q->expected);
    free (q->result);
    free (q->map);
    free (q->sizes);
    free (q->expected_sizes);
    free (q->blocks);
    free (q->expected_blocks);
    cudaFree (q->device_source);
    cudaFree (q->device_result);
  }
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
  questions_init ();
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
  questions_clear ();
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
