/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The implementations for the CPU: by definition, as C partial butterflies, and
 * this project's engine with each of its instruction sets. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cpu/simd/tile32.h"
#include "dct/engine/engine.h"
#include "dct/transform/matrices.h"

#define BDCT_INLINE static inline __attribute__ ((always_inline))
#define BDCT_VALUE int32_t
#define BDCT_SCALAR int32_t
#define BDCT_PASS(name) name##_int
#include "dct/transform/butterflies.h"
#undef BDCT_VALUE
#undef BDCT_SCALAR
#undef BDCT_PASS
#define BDCT_VALUE float
#define BDCT_SCALAR float
#define BDCT_PASS(name) name##_real
#include "dct/transform/butterflies.h"

static int32_t hevc[BDCT_N_TRANSFORMS][32 * 32];
static float real[64], real_steps[64];

/* A 1-D stage's result, rounded; the inverse's clipped. */
BDCT_INLINE int16_t
round_off (int32_t v, int shift, bool inverse)
{
  v = (v + (1 << (shift - 1))) >> shift;
  return inverse && v < -32768 ? -32768 : inverse && v > 32767 ? 32767 : v;
}

BDCT_INLINE int
stage_shift (int log2_size, int stage, bool inverse)
{
  return inverse ? (stage ? 12 : 7) : log2_size + (stage ? 6 : -1);
}

/* One stage, with N^3 multiplications a block. */
BDCT_INLINE void
define_stage (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const int stage, const bool inverse)
{
  const int n = 1 << log2_size, shift = stage_shift (log2_size, stage, inverse);
  const bool along_rows = (stage == 0) != inverse;

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      int k = along_rows ? column : row;
      int32_t sum = 0;

      for (int i = 0; i < n; i++)
        sum += m[inverse ? i * n + k : k * n + i]
            * in[along_rows ? row * n + i : i * n + column];
      out[row * n + column] = round_off (sum, shift, inverse);
    }
}

BDCT_INLINE void
define_block (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const bool dense, const bool inverse)
{
  int16_t middle[32 * 32];

  (void) dense;
  define_stage (in, middle, m, log2_size, 0, inverse);
  define_stage (middle, out, m, log2_size, 1, inverse);
}

BDCT_INLINE void
butterfly_stage (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const int stage, const bool dense, const bool inverse)
{
  const int n = 1 << log2_size, shift = stage_shift (log2_size, stage, inverse);
  const bool along_rows = (stage == 0) != inverse;
  const int line_step = along_rows ? n : 1, step = along_rows ? 1 : n;

  for (int line = 0; line < n; line++) {
    int32_t x[32], y[32];

    for (int i = 0; i < n; i++)
      x[i] = in[line * line_step + i * step];
    if (dense && inverse)
      inverse_dense_int (y, x, m, 4, 4);
    else if (dense)
      forward_dense_int (y, x, m, 4, 4);
    else if (inverse)
      inverse_int (y, x, m, n, n);
    else
      forward_int (y, x, m, n, n);
    for (int i = 0; i < n; i++)
      out[line * line_step + i * step] = round_off (y[i], shift, inverse);
  }
}

BDCT_INLINE void
butterfly_block (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const bool dense, const bool inverse)
{
  int16_t middle[32 * 32];

  butterfly_stage (in, middle, m, log2_size, 0, dense, inverse);
  butterfly_stage (middle, out, m, log2_size, 1, dense, inverse);
}

/* A function over all blocks, compiled for every constant size. */
#define RUN_BLOCKS(name, block, log2_size, dense, inverse)                    \
  for (int64_t b = 0; b < work->n_blocks; b++)                                \
    block ((const int16_t *) work->src + (b << 2 * log2_size),                \
        (int16_t *) work->dst + (b << 2 * log2_size), m, log2_size, dense,    \
        inverse);
#define SIZES(name, block, inverse)                                           \
  switch (entry->transform) {                                                 \
    case BDCT_HEVC_DST_4X4:                                                   \
      RUN_BLOCKS (name, block, 2, true, inverse)                              \
      break;                                                                  \
    case BDCT_HEVC_4X4:                                                       \
      RUN_BLOCKS (name, block, 2, false, inverse)                             \
      break;                                                                  \
    case BDCT_HEVC_8X8:                                                       \
      RUN_BLOCKS (name, block, 3, false, inverse)                             \
      break;                                                                  \
    case BDCT_HEVC_16X16:                                                     \
      RUN_BLOCKS (name, block, 4, false, inverse)                             \
      break;                                                                  \
    default:                                                                  \
      RUN_BLOCKS (name, block, 5, false, inverse)                             \
      break;                                                                  \
  }
#define RUN(name, block)                                                      \
  static int name (const LabEntry *entry, const LabWork *work, void *stream)  \
  {                                                                           \
    const int32_t *m = hevc[entry->transform];                                \
                                                                              \
    (void) stream;                                                            \
    if (entry->stage == LAB_INVERSE)                                          \
      SIZES (name, block, true)                                               \
    else                                                                      \
      SIZES (name, block, false)                                              \
    return 0;                                                                 \
  }
RUN (run_definition, define_block)
RUN (run_butterfly, butterfly_block)

/* The matrix carries sqrt (8) each way: 1/8 for the coefficients, 1/8 for the
 * samples. */
BDCT_INLINE void
gold_lines (float *x, int line_step, int step, bool inverse, bool definition)
{
  for (int line = 0; line < 8; line++) {
    float in[8], out[8];

    for (int i = 0; i < 8; i++)
      in[i] = x[line * line_step + i * step];
    if (definition) {
      for (int k = 0; k < 8; k++) {
        out[k] = 0;
        for (int i = 0; i < 8; i++)
          out[k] += (inverse ? real[i * 8 + k] : real[k * 8 + i]) * in[i];
      }
    } else if (inverse) {
      inverse_real (out, in, real, 8, 8);
    } else {
      forward_real (out, in, real, 8, 8);
    }
    for (int i = 0; i < 8; i++)
      x[line * line_step + i * step] = out[i];
  }
}

BDCT_INLINE void
gold_plane (const LabWork * work, bool definition)
{
  for (int y = 0; y < work->height; y += 8)
    for (int x = 0; x < work->width; x += 8) {
      size_t at = (size_t) y * work->stride + x;
      float block[64];

      for (int i = 0; i < 64; i++)
        block[i] = ((const float *) work->src)[at + i / 8 * work->stride
            + i % 8];
      gold_lines (block, 8, 1, false, definition);
      gold_lines (block, 1, 8, false, definition);
      for (int i = 0; i < 64; i++) {
        float level = block[i] * 0.125f / real_steps[i];

        level = (float) (int) (level + (level < 0 ? -0.5f : 0.5f));
        block[i] = level * real_steps[i];
      }
      gold_lines (block, 1, 8, true, definition);
      gold_lines (block, 8, 1, true, definition);
      for (int i = 0; i < 64; i++)
        ((float *) work->dst)[at + i / 8 * work->stride + i % 8] =
            block[i] * 0.125f;
    }
}

static int
run_gold (const LabEntry * entry, const LabWork * work, void *stream)
{
  (void) stream;
  if (entry->parameter[0])
    gold_plane (work, true);
  else
    gold_plane (work, false);
  return 0;
}

/* Our engine, and the height for which it is configured. */
typedef struct {
  BdctEngine *engine;
  int height, depth;
} Simd;

static int
simd_stats (const LabEntry * entry, const LabWork * work, void *stream,
    BdctStats * stats)
{
  Simd *simd = (Simd *) entry->data;
  const BdctEngineClass *klass = simd->engine->klass;
  int depth = entry->shape == LAB_PLANE_10 ? 10 : 8;
  BdctLayout layout = { .depth = depth, BDCT_CHROMA_400, 1,
    { { work->width, work->height, 0, 1, { BDCT_Y, BDCT_Y } } }, { 0 }
  };
  ptrdiff_t stride = (ptrdiff_t) work->stride * (depth > 8 ? 2 : 1);
  BdctJob job;
  BdctFrame frame = { .quantizers = &job, .n_quantizers = 1,
    .src = { BDCT_MEMORY_HOST, { (void *) work->src }, { stride } },
    .dst = { BDCT_MEMORY_HOST, { work->dst }, { stride } }
  };
  BdctParams params = lab_params (entry->transform, entry->quality, entry->qp);
  BdctError error;

  (void) stream;
  if ((simd->height != work->height || simd->depth != depth)
      && !klass->configure (simd->engine, &layout, 1, &error))
    lab_die ("%s: %s", entry->name, error.message);
  simd->height = work->height;
  simd->depth = depth;
  if (!bdct_job_init (&job, &params, &layout, &error)
      || !klass->submit (simd->engine, &frame, &error)
      || !klass->collect (simd->engine, stats, &error))
    lab_die ("%s: %s", entry->name, error.message);
  return 0;
}

static int
run_simd (const LabEntry * entry, const LabWork * work, void *stream)
{
  return simd_stats (entry, work, stream, NULL);
}

static void
register_simd (const char *isa, unsigned threads, bool best)
{
  BdctEngineOptions options = { .threads = threads, .isa = isa };
  LabEntry entry = { .source = "blockdct", .stage = LAB_CHAIN,
    .quality = lab_options.quality[0], .qp = lab_options.qp[0],
    .run = run_simd, .stats = simd_stats
  };
  Simd *simd = calloc (1, sizeof *simd);
  BdctError error;

  if (simd == NULL)
    lab_die ("out of memory");
  simd->engine = bdct_cpu_engine.create (&options, &error);
  if (simd->engine == NULL)
    lab_die ("%s", error.message);
  entry.data = simd;
  snprintf (entry.name, sizeof entry.name, "%.31s", simd->engine->description);
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    entry.transform = t;
    entry.shape = LAB_PLANE_8;
    lab_register (&entry);
    entry.shape = LAB_PLANE_10;
    if (best)
      lab_register (&entry);
  }
}

void
lab_cpu_register (void)
{
  LabEntry entry = { .source = "cpu", .quality = lab_options.quality[0],
    .qp = lab_options.qp[0]
  };
  const BdctTileKernel *const *kernel = bdct_tile_kernels ();

  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    BdctBasis basis =
        bdct_chain_info (bdct_transform_row (t)->luma)->column;
    int n = bdct_basis_size (basis);

    for (int i = 0; i < n * n; i++)
      hevc[t][i] = bdct_matrix_int (basis, i / n, i % n);
  }
  for (int i = 0; i < 64; i++)
    real[i] = bdct_matrix_real (i / 8, i % 8);
  for (int i = 0; i < 64; i++)
    real_steps[i] = bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[0][i], entry.quality, 255);

  entry.shape = LAB_BLOCKS;
  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++)
    for (int inverse = 0; inverse < 2; inverse++) {
      entry.transform = t;
      entry.stage = inverse ? LAB_INVERSE : LAB_FORWARD;
      entry.run = run_definition;
      strcpy (entry.name, "by definition");
      lab_register (&entry);
      entry.run = run_butterfly;
      strcpy (entry.name, "C partial butterfly");
      lab_register (&entry);
    }

  entry.shape = LAB_PLANE_FLOAT;
  entry.transform = BDCT_DCT_8X8;
  entry.stage = LAB_CHAIN;
  entry.run = run_gold;
  for (int definition = 1; definition >= 0; definition--) {
    entry.parameter[0] = definition;
    strcpy (entry.name, definition ? "gold 1, definition"
        : "gold 2, separable");
    lab_register (&entry);
  }

  if (!lab_wants ("blockdct"))
    return;
  for (int i = 0; kernel[i] != NULL; i++)
    register_simd (kernel[i]->isa, 1, i == 0);
  register_simd (kernel[0]->isa, 0, false);
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Host memory of n periods, or the blocks of whole periods. */
typedef struct {
  uint8_t *src, *dst, *scratch;
  int64_t n;
} Host;

static void
host_init (Host * host, const LabSet * set, LabContent content, int periods)
{
  size_t size = set->period * set->element;

  host->src = malloc (size * periods);
  host->dst = malloc (size * periods);
  host->scratch = malloc (size * periods);
  if (host->src == NULL || host->dst == NULL || host->scratch == NULL)
    lab_die ("out of memory");
  memset (host->dst, LAB_POISON, size * periods);
  for (int i = 0; i < periods; i++)
    memcpy (host->src + i * size, set->input[content], size);
  host->n = periods * (set->shape == LAB_BLOCKS ? set->rows : 1);
}

static void
host_clear (Host * host)
{
  free (host->src);
  free (host->dst);
  free (host->scratch);
}

/* The number of periods: for blocks those of a batch of 10,000, for samples
 * enough for the engine's threads, with six strips each. */
static int
periods_for (const LabEntry * entry)
{
  return entry->shape == LAB_BLOCKS ? 10 : entry->shape == LAB_PLANE_FLOAT ? 1
      : lab_options.quick ? 4 : 12;
}

void
lab_cpu_check (const LabEntry * entry, const LabSet * set, LabVerdict * verdict)
{
  int periods = entry->shape == LAB_BLOCKS ? 1 : periods_for (entry);
  size_t size = set->period * set->element;

  for (int c = 0; c < LAB_N_CONTENTS; c++) {
    BdctStats stats = { 0 };
    LabWork work;
    Host host;

    host_init (&host, set, c, periods);
    work = lab_set_work (set, host.n, host.src, host.dst, host.scratch);
    if (entry->stats != NULL)
      entry->stats (entry, &work, NULL, &stats);
    else
      entry->run (entry, &work, NULL);
    lab_check_period (set, c, host.dst, verdict);
    for (int i = 1; i < periods; i++)
      if (memcmp (host.dst, host.dst + i * size, size) != 0)
        lab_verdict_wrong (verdict, "period %d is another", i);
    if (entry->stats != NULL)
      lab_check_stats (set, c, host.dst, host.n, &stats, verdict);
    host_clear (&host);
  }
}

/* The number of repetitions that makes the clock's resolution negligible. */
static int
calibrate (const LabEntry * entry, const LabWork * work)
{
  double start = now (), elapsed;
  int n = 0;

  do {
    entry->run (entry, work, NULL);
    n++;
    elapsed = now () - start;
  } while (elapsed < 2e5 && n < 10000);
  return n;
}

void
lab_cpu_time (const LabEntry * entry, const LabSet * set, int64_t batch,
    LabResult * result)
{
  double budget = lab_options.quick ? 5e7 : 1e9, start, times[64];
  int n = 0, least = lab_options.quick ? 1 : 3, inner;
  LabWork work;
  Host host;

  host_init (&host, set, lab_options.content, periods_for (entry));
  if (batch == 0)
    batch = host.n;
  work = lab_set_work (set, batch, host.src, host.dst, host.scratch);
  inner = calibrate (entry, &work);
  start = now ();
  while (n < least || (n < lab_repetitions () && now () - start < budget)) {
    double from = now ();

    for (int i = 0; i < inner; i++)
      entry->run (entry, &work, NULL);
    times[n++] = (now () - from) / inner;
  }
  result->ns = lab_median (times, n);
  result->samples = lab_set_samples (set, batch);
  host_clear (&host);
}
