/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA engine against the CPU engine: bytes and statistics, for every
 * transform, many formats, sizes, parameters, contents and places in memory.
 * dct-8x8, whose arithmetic is its own, against the definition in double: every
 * sample, and 60 dB; and at each quality against the CPU.
 *
 *   engine-compare                everything
 *   engine-compare --quick        a small part, for compute-sanitizer
 *   engine-compare --cuda-cores   without the tensor cores
 *
 * Ends with "N passed, N failed, N skipped"; exits 77 where there is no GPU. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines.h"
#include "frames.h"
#include "lists.h"
#include "reference.h"

#define IN_FLIGHT 3
#define BUFFER_SIZE (20 << 20)
#define CANARY 0xa5
#define LEAST_DB 60             /* of agreement, ties left out */
#define N(array) (sizeof (array) / sizeof (array)[0])
#define ENOUGH 65536            /* samples for one case to be judged by it */

typedef struct {
  const Format *format;
  const Size *size;
  BdctParams params;
  Content content;
  const Place *place;
  BdctMemory src_memory, dst_memory;
  bool rate;
} Case;

typedef struct {
  uint8_t *src, *expected, *result;     /* host */
  uint8_t *device_src, *device_dst;
  size_t used;
  BdctImage src_image, dst_image;       /* of `src` and `expected` */
  BdctJob job;
  BdctStats stats;              /* the CPU's */
} Buffers;

static Buffers buffers[IN_FLIGHT];
static BdctEngine *cpu, *cuda;
static int entered;
static bool ever_entered;

static bool
count_enter (void *data)
{
  ++*(int *) data;
  return ever_entered = true;
}

static void
count_leave (void *data)
{
  --*(int *) data;
}

/* Squared errors of one plane's component `i`. */
static uint64_t
errors (const BdctLayout * layout, const BdctImage * a, const BdctImage * b,
    int p, int i)
{
  const BdctPlaneLayout *plane = &layout->plane[p];
  uint64_t sum = 0;

  for (int y = 0; y < plane->height; y++)
    for (int x = i; x < plane->width * plane->interleave;
        x += plane->interleave) {
      int e = get (layout, a, p, x, y) - get (layout, b, p, x, y);

      sum += (int64_t) e * e;
    }
  return sum;
}

/* Parameters number `variant`; false after the last. */
static bool
init_params (BdctParams * params, BdctTransform transform, int variant)
{
  static const int quality[] = { 85, 1, 100, 50, 85, 85, 3 };
  static const int qp[] = { 26, 22, 51, 37, 26, 37, 13, 0, 1, 43 };
  static const int offset[] = { 0, 0, 0, 0, 12, -12, -12, 0, -12, 5 };
  static const BdctScalingList list[] = { BDCT_SCALING_FLAT, BDCT_SCALING_FILE,
    BDCT_SCALING_DEFAULT, BDCT_SCALING_FLAT, BDCT_SCALING_FLAT,
    BDCT_SCALING_DEFAULT, BDCT_SCALING_FLAT, BDCT_SCALING_FLAT,
    BDCT_SCALING_FILE, BDCT_SCALING_FILE
  };
  /* Of hevc-quadtree. */
  static const int min_block[] = { 4, 4, 8, 4, 16, 4, 4, 32, 8, 4 };
  static const int max_block[] = { 32, 16, 32, 8, 32, 4, 32, 32, 16, 32 };
  static const double lambda_scale[] = { 1, 1, 0.5, 1, 3, 1, 0, 1, 1000, 0.01 };
  static const double deadzone[] = { 3, 4, 5, 6, 3, 3, 5.5, 3, 6, 3.3 };
  bool has_qp = bdct_transform_info (transform)->has_qp;

  *params = (BdctParams) BDCT_PARAMS_DEFAULT;
  params->transform = transform;
  if (variant >= (int) (has_qp ? N (qp) : N (quality)))
    return false;
  if (has_qp) {
    params->qp = qp[variant];
    params->chroma_qp_offset = offset[variant];
    params->scaling_list = list[variant];
    params->min_block = min_block[variant];
    params->max_block = max_block[variant];
    params->lambda_scale = lambda_scale[variant];
    params->deadzone = 1 / deadzone[variant];
    if (list[variant] == BDCT_SCALING_FILE)
      random_lists (params, next_random () % 1000);
  } else {
    params->quality = quality[variant];
    params->n_steps = variant == 4 ? 64 : variant == 5 ? 128 : 0;
    if (variant == 6) {
      /* Steps above 255, which not every kernel takes at 8 bits. */
      params->preset = BDCT_PRESET_ROBIDOUX;
      params->baseline = false;
    }
    for (int i = 0; i < params->n_steps; i++)
      params->steps[i] = 1 + next_random () % 255;
  }
  return true;
}

static bool
complain (const Case * c, const char *what)
{
  static int complaints;

  if (complaints++ < 40)
    fprintf (stderr, "%s %dx%d %s quality %d qp %d%+d scaling %d "
        "steps %d content %d place %d memory %d>%d: %s\n",
        c->format->name, c->size->width, c->size->height,
        bdct_transform_info (c->params.transform)->name, c->params.quality,
        c->params.qp, c->params.chroma_qp_offset, c->params.scaling_list,
        c->params.n_steps, c->content,
        (int) (c->place - places), c->src_memory, c->dst_memory, what);
  return false;
}

/* Run a case on the CPU and start it on the GPU. */
static bool
start (const Case * c, const BdctLayout * layout, Buffers * b)
{
  uint8_t *src_end, *dst_end;
  BdctFrame frame = {.quantizers = &b->job,.n_quantizers = 1,.bits = c->rate };
  BdctError error = { "" };

  src_end = place_image (&b->src_image, layout, b->src, c->place,
      c->place->up_src, c->place->repeat);
  dst_end = place_image (&b->dst_image, layout, b->expected, c->place,
      c->place->up_dst, false);
  b->used = (dst_end - b->expected + 16) & ~(size_t) 7;
  if (b->used < (size_t) (src_end - b->src) || b->used > BUFFER_SIZE)
    abort ();
  for (size_t i = 0; i < b->used; i += 8)
    *(uint64_t *) (b->src + i) = next_random ();
  if (c->content != RANDOM)
    draw (layout, &b->src_image, c->content);
  memset (b->expected, CANARY, b->used);
  memset (b->result, CANARY, b->used);
  frame.src = b->src_image;
  frame.dst = b->dst_image;
  if (!bdct_job_init (&b->job, &c->params, layout, &error)
      || !cpu->klass->submit (cpu, &frame, &error)
      || !cpu->klass->collect (cpu, &b->stats, &error))
    return complain (c, error.message);

  if (c->src_memory == BDCT_MEMORY_DEVICE)
    must (cudaMemcpy (b->device_src, b->src, b->used, cudaMemcpyHostToDevice),
        "cudaMemcpy");
  if (c->dst_memory == BDCT_MEMORY_DEVICE)
    must (cudaMemset (b->device_dst, CANARY, b->used), "cudaMemset");
  /* The engine's stream does not wait for the default stream. */
  must (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  frame.src = move_image (&b->src_image, layout, b->src,
      c->src_memory == BDCT_MEMORY_DEVICE ? b->device_src : b->src,
      c->src_memory);
  frame.dst = move_image (&b->dst_image, layout, b->expected,
      c->dst_memory == BDCT_MEMORY_DEVICE ? b->device_dst : b->result,
      c->dst_memory);
  return cuda->klass->submit (cuda, &frame, &error)
      || complain (c, error.message);
}

/* What a transform's cases differ by, ties left out for dct-8x8. */
typedef struct {
  uint64_t samples, sse, differing;
} Agreement;

static bool
agreement_ok (const Agreement * a, int depth)
{
  return a->samples == 0
      || bdct_psnr ((double) a->sse / a->samples, depth) >= LEAST_DB;
}

/* One component of dct-8x8 against its definition; NULL, or what is wrong. What
 * was delivered is also what the CPU's buffer has then. */
static const char *
judge_component (const Case * c, const BdctLayout * layout, const Buffers * b,
    const BdctImage * dst, int p, int i, const BdctCounters * counters,
    Agreement * agreement)
{
  const BdctPlaneLayout *plane = &layout->plane[p];
  RefPlane ref = { &c->params, layout->chroma, plane->component[i],
    layout->depth, plane->width, plane->height, REF_TENSOR
  };
  size_t n = (size_t) plane->width * plane->height;
  int *in = malloc (n * sizeof *in), *defined = malloc (n * sizeof *in);
  uint8_t *slack = malloc (n);
  const char *wrong = NULL;
  RefResult result;
  uint64_t sse = 0;

  if (in == NULL || defined == NULL || slack == NULL)
    abort ();
  for (size_t at = 0; at < n; at++)
    in[at] = get (layout, &b->src_image, p,
        at % plane->width * plane->interleave + i, at / plane->width);
  ref_plane (&ref, in, defined, slack, &result);
  for (size_t at = 0; at < n; at++) {
    int x = at % plane->width * plane->interleave + i, y = at / plane->width;
    int v = get (layout, dst, p, x, y), off = v - defined[at];

    if (!ref_agrees (v, defined[at], slack[at]))
      wrong = "a sample farther from the definition than roundings take it";
    agreement->samples += slack[at] != REF_TIE;
    agreement->sse += slack[at] != REF_TIE ? off * off : 0;
    agreement->differing += off != 0;
    sse += (int64_t) (v - in[at]) * (v - in[at]);
    put (layout, &b->dst_image, p, x, y, v);
  }
  if (counters->samples != result.samples || counters->levels != result.levels)
    wrong = "other samples or levels counted";
  else if (counters->sse != sse)
    wrong = "errors counted that are not those of the samples delivered";
  else if (counters->nonzero > result.nonzero + result.unsure
      || counters->nonzero + result.unsure < result.nonzero)
    wrong = "too many or too few levels that are not 0";
  free (in);
  free (defined);
  free (slack);
  return wrong;
}

static bool
judge_real (const Case * c, const BdctLayout * layout, const Buffers * b,
    const BdctStats * stats, Agreement * all)
{
  BdctImage dst = move_image (&b->dst_image, layout, b->expected,
      b->result, BDCT_MEMORY_HOST);
  Agreement own = { 0, 0, 0 };

  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const char *wrong = judge_component (c, layout, b, &dst, p, i,
          &stats->component[layout->plane[p].component[i]], &own);

      if (wrong != NULL)
        return complain (c, wrong);
    }
  all->samples += own.samples;
  all->sse += own.sse;
  all->differing += own.differing;
  if (memcmp (b->result, b->expected, b->used) != 0)
    return complain (c, "padding is written");
  /* The others' blocks are few different ones, and nothing to average over. */
  return own.samples < ENOUGH || (c->content != RANDOM && c->content != SMOOTH)
      || agreement_ok (&own, layout->depth)
      || complain (c, "less agreement with the definition than 60 dB");
}

/* Collect a case and judge it. The whole buffers are compared, with what lies
 * between rows and planes. */
static bool
finish (const Case * c, const BdctLayout * layout, Buffers * b,
    Agreement * agreement)
{
  BdctStats stats;
  BdctError error = { "" };
  BdctImage dst;
  uint64_t bad = 0;

  if (!cuda->klass->collect (cuda, &stats, &error))
    return complain (c, error.message);
  if (c->dst_memory == BDCT_MEMORY_DEVICE)
    must (cudaMemcpy (b->result, b->device_dst, b->used,
            cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (int i = 0; i < BDCT_MAX_COMPONENTS; i++)
    if (stats.component[i].bits != b->stats.component[i].bits)
      return complain (c, "other bits");
  if (b->job.family == BDCT_FAMILY_DCT8X8)
    return judge_real (c, layout, b, &stats, agreement);
  if (memcmp (b->result, b->expected, b->used) == 0)
    return memcmp (&stats, &b->stats, sizeof stats) == 0
        || complain (c, "the same bytes, but other statistics");

  if (layout->rgb.n_planes > 0)
    return complain (c, "other R, G or B, or padding is written");
  dst = move_image (&b->dst_image, layout, b->expected, b->result,
      BDCT_MEMORY_HOST);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      if (errors (layout, &dst, &b->src_image, p, i)
          != stats.component[layout->plane[p].component[i]].sse)
        return complain (c, "other bytes, and statistics of neither");
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++)
      bad += errors (layout, &dst, &b->dst_image, p, i) != 0;
  return complain (c, bad > 0 ? "other samples" : "padding is written");
}

/* All parameters of a transform over one size, up to `depth` in flight. */
static void
run_size (const Format * format, const Size * size, BdctTransform transform,
    bool quick, int *ok, int *bad, Agreement * agreement)
{
  static unsigned number;
  unsigned depth = number % 3 == 0 ? 1 : IN_FLIGHT;
  Case cases[IN_FLIGHT];
  BdctLayout layout;
  BdctError error;
  int limit = quick ? 2 : size->variants ? size->variants
      : format->rgb.n_planes > 0 ? 3 : 100;
  bool more = true;

  number++;
  init_layout (&layout, format, size->width, size->height);
  if (!cpu->klass->configure (cpu, &layout, 1, &error)
      || !cuda->klass->configure (cuda, &layout, depth, &error)) {
    fprintf (stderr, "%s %dx%d: %s\n", format->name, size->width, size->height,
        error.message);
    ++*bad;
    return;
  }
  for (int variant = 0; more;) {
    bool started[IN_FLIGHT];
    unsigned n = 0;

    for (; n < depth; n++) {
      Case *c = &cases[n];

      more = variant < limit && init_params (&c->params, transform, variant);
      if (!more)
        break;
      variant++;
      c->format = format;
      c->size = size;
      c->content = number % N_CONTENTS;
      c->place = &places[number / N_CONTENTS % N_PLACES];
      c->src_memory = number & 1 ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;
      c->dst_memory = number % 5 < 3 ? BDCT_MEMORY_DEVICE : BDCT_MEMORY_HOST;
      c->rate = number % 4 == 0;
      number++;
      started[n] = start (c, &layout, &buffers[n]);
    }
    for (unsigned i = 0; i < n; i++)
      ++*(started[i] && finish (&cases[i], &layout, &buffers[i], agreement)
          ? ok : bad);
  }
}

/* R, G and B with the transform that they are for, and another one; of what is
 * not the same there engine-blocks has the planes. */
static bool
is_wanted (const Format * format, BdctTransform transform)
{
  return format->rgb.n_planes == 0 || transform == BDCT_JPEG_8X8
      || (transform != BDCT_DCT_8X8
      && (format - formats) % BDCT_N_TRANSFORMS == transform);
}

static void
expect (bool good, const char *what)
{
  good ? passed++ : failed++;
  if (!good)
    printf ("FAIL %s\n", what);
}

/* dct-8x8 of noise at each quality beside the CPU: few samples differ, where
 * sums are nearly halves; by more than 1 if a level is one. */
static void
compare_real (bool quick)
{
  static const Size size = {.width = 517,.height = 389 };
  uint64_t all = 0, differ = 0, far = 0;
  BdctLayout layout;
  BdctError error;
  bool ok;

  init_layout (&layout, &formats[0], size.width, size.height);
  ok = cpu->klass->configure (cpu, &layout, 1, &error)
      && cuda->klass->configure (cuda, &layout, 1, &error);
  for (int quality = 1; quality <= 100 && ok; quality += quick ? 33 : 1) {
    Buffers *b = &buffers[0];
    Case c = { &formats[0], &size, BDCT_PARAMS_DEFAULT, RANDOM, &places[0],
      BDCT_MEMORY_HOST, BDCT_MEMORY_HOST, false
    };
    BdctStats stats;

    c.params.transform = BDCT_DCT_8X8;
    c.params.quality = quality;
    ok = start (&c, &layout, b) && cuda->klass->collect (cuda, &stats, &error);
    all += b->used;
    for (size_t i = 0; ok && i < b->used; i++) {
      differ += b->result[i] != b->expected[i];
      far += abs (b->result[i] - b->expected[i]) > 1;
    }
  }
  printf ("dct-8x8 beside the CPU: %llu of %llu bytes differ, %llu by more "
      "than 1\n", (unsigned long long) differ, (unsigned long long) all,
      (unsigned long long) far);
  expect (ok && differ <= all / 1000 && far <= all / 10000,
      "dct-8x8: at most 0.1% of samples differ from the CPU's");
}

static void
allocate (void)
{
  for (int i = 0; i < IN_FLIGHT; i++) {
    Buffers *b = &buffers[i];

    b->src = malloc (BUFFER_SIZE);
    b->expected = malloc (BUFFER_SIZE);
    b->result = malloc (BUFFER_SIZE);
    if (b->src == NULL || b->expected == NULL || b->result == NULL)
      abort ();
    must (cudaMalloc ((void **) &b->device_src, BUFFER_SIZE), "cudaMalloc");
    must (cudaMalloc ((void **) &b->device_dst, BUFFER_SIZE), "cudaMalloc");
    must (cudaMemset (b->device_src, 0, BUFFER_SIZE), "cudaMemset");
  }
}

static void
release (void)
{
  for (int i = 0; i < IN_FLIGHT; i++) {
    free (buffers[i].src);
    free (buffers[i].expected);
    free (buffers[i].result);
    cudaFree (buffers[i].device_src);
    cudaFree (buffers[i].device_dst);
  }
}

int
main (int argc, char **argv)
{
  BdctEngineOptions options = {
    .context = { count_enter, count_leave, &entered }
  };
  bool quick = false;
  unsigned part = 0, n_parts = 1;
  int status;

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--quick") == 0) {
      quick = true;
    } else if (strcmp (argv[i], "--cuda-cores") == 0) {
      options.isa = "cuda-cores";
    } else if (i + 2 < argc && strcmp (argv[i], "--part") == 0
        && atoi (argv[i + 2]) > 0) {
      part = atoi (argv[++i]);
      n_parts = atoi (argv[++i]);
    } else {
      fprintf (stderr, "usage: %s [--quick] [--cuda-cores] [--part I N]\n",
          argv[0]);
      return 2;
    }
  }
  setvbuf (stdout, NULL, _IOLBF, 0);
  status = engines_create (&options, &cpu, &cuda);
  if (status != 0)
    return status;
  allocate ();
  for (size_t f = 0; f < N_FORMATS; f++)
    for (int t = 0; t < BDCT_N_TRANSFORMS; t++) {
      Agreement agreement = { 0, 0, 0 };
      int ok = 0, bad = 0;

      if ((quick && !formats[f].quick) || !is_wanted (&formats[f], t)
          || f % n_parts != part)
        continue;
      for (size_t s = 0; s < N_SIZES; s++)
        if (!quick || sizes[s].quick)
          run_size (&formats[f], &sizes[s], t, quick, &ok, &bad, &agreement);
      if (!agreement_ok (&agreement, formats[f].depth))
        bad++;
      printf ("%s %-8s %-13s %3d equal, %d not", bad ? "FAIL" : "ok  ",
          formats[f].name, bdct_transform_info (t)->name, ok, bad);
      if (agreement.samples > 0)
        printf (", %llu samples differ: %.2f dB to the definition",
            (unsigned long long) agreement.differing,
            bdct_psnr ((double) agreement.sse / agreement.samples,
                formats[f].depth));
      printf ("\n");
      passed += ok;
      failed += bad;
    }
  if (part == 0)
    compare_real (quick);
  cuda->klass->destroy (cuda);
  cpu->klass->destroy (cpu);
  expect (ever_entered && entered == 0, "every enter() has its leave()");
  release ();
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
