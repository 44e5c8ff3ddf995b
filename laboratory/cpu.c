/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The implementations for the CPU: by definition, as C partial butterflies, and
 * this project's engine with each of its instruction sets. */
#include "lab.h"

#include <glib.h>
#include <string.h>
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

/* How a line is transformed: by the definition, with a butterfly, or the DST's
 * way. */
typedef enum
{ DEFINITION, BUTTERFLY, DENSE } Way;

BDCT_INLINE void
transform_line (const int32_t * x, int32_t * y, const int32_t * m, const int n,
    const Way way, const bool inverse)
{
  for (int k = 0; k < n && way == DEFINITION; k++) {
    y[k] = 0;
    for (int i = 0; i < n; i++)
      y[k] += m[inverse ? i * n + k : k * n + i] * x[i];
  }
  if (way == DENSE && inverse)
    inverse_dense_int (y, x, m, 4, 4);
  else if (way == DENSE)
    forward_dense_int (y, x, m, 4, 4);
  else if (way == BUTTERFLY && inverse)
    inverse_int (y, x, m, n, n);
  else if (way == BUTTERFLY)
    forward_int (y, x, m, n, n);
}

/* A block's lines in one direction. */
BDCT_INLINE void
transform_stage (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const int stage, const Way way, const bool inverse)
{
  const int n = 1 << log2_size, shift = stage_shift (log2_size, stage, inverse);
  const bool along_rows = (stage == 0) != inverse;
  const int line_step = along_rows ? n : 1, step = along_rows ? 1 : n;

  for (int line = 0; line < n; line++) {
    int32_t x[32], y[32];

    for (int i = 0; i < n; i++)
      x[i] = in[line * line_step + i * step];
    transform_line (x, y, m, n, way, inverse);
    for (int i = 0; i < n; i++)
      out[line * line_step + i * step] = round_off (y[i], shift, inverse);
  }
}

BDCT_INLINE void
transform_block (const int16_t * in, int16_t * out, const int32_t * m,
    const int log2_size, const Way way, const bool inverse)
{
  int16_t middle[32 * 32];

  transform_stage (in, middle, m, log2_size, 0, way, inverse);
  transform_stage (middle, out, m, log2_size, 1, way, inverse);
}

/* A function over all blocks, compiled for every size, way and direction. */
BDCT_INLINE void
run_size (const LabEntry * entry, const LabWork * work, const int log2_size,
    const Way way)
{
  const int32_t *m = hevc[entry->transform];
  const int16_t *in = work->src;
  int16_t *out = work->dst;

  for (int64_t at = 0; at < work->n_blocks << 2 * log2_size;
      at += 1 << 2 * log2_size)
    if (entry->stage == LAB_INVERSE)
      transform_block (in + at, out + at, m, log2_size, way, true);
    else
      transform_block (in + at, out + at, m, log2_size, way, false);
}

BDCT_INLINE void
run_blocks (const LabEntry * entry, const LabWork * work, const Way way)
{
  if (entry->transform == BDCT_HEVC_DST_4X4)
    run_size (entry, work, 2, way == BUTTERFLY ? DENSE : way);
  else if (entry->transform == BDCT_HEVC_4X4)
    run_size (entry, work, 2, way);
  else if (entry->transform == BDCT_HEVC_8X8)
    run_size (entry, work, 3, way);
  else if (entry->transform == BDCT_HEVC_16X16)
    run_size (entry, work, 4, way);
  else
    run_size (entry, work, 5, way);
}

static int
run_hevc (const LabEntry * entry, const LabWork * work, void *stream)
{
  (void) stream;
  if (entry->parameter[0])
    run_blocks (entry, work, DEFINITION);
  else
    run_blocks (entry, work, BUTTERFLY);
  return 0;
}

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

/* Our engine. */
static int
simd_stats (const LabEntry * entry, const LabWork * work, void *stream,
    BdctStats * stats)
{
  BdctEngine *engine = (BdctEngine *) entry->data;
  const BdctLayout *is = &engine->layout, layout = {
    .depth = entry->shape == LAB_PLANE_10 ? 10 : 8,
    .chroma = BDCT_CHROMA_400,.n_planes = 1,
    .plane = {{work->width, work->height, 0, 1, {BDCT_Y}}}
  };
  const ptrdiff_t stride = work->stride * bdct_layout_sample_size (&layout);
  const BdctParams params =
      lab_params (entry->transform, entry->quality, entry->qp);
  BdctJob job;
  const BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,
    .src = {BDCT_MEMORY_HOST, {(void *) work->src}, {stride}},
    .dst = {BDCT_MEMORY_HOST, {work->dst}, {stride}}
  };
  BdctError error;

  (void) stream;
  if (((is->plane[0].height != work->height || is->depth != layout.depth)
          && !engine->klass->configure (engine, &layout, 1, &error))
      || !bdct_job_init (&job, &params, &layout, &error)
      || !engine->klass->submit (engine, &frame, &error)
      || !engine->klass->collect (engine, stats, &error))
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
  BdctEngineOptions options = {.threads = threads,.isa = isa };
  LabEntry entry = {.source = "blockdct",.stage = LAB_CHAIN,
    .quality = lab_options.quality[0],.qp = lab_options.qp[0],
    .run = run_simd,.stats = simd_stats
  };
  BdctError error;
  const BdctEngine *engine = bdct_cpu_engine.create (&options, &error);

  if (engine == NULL)
    lab_die ("%s", error.message);
  entry.data = engine;
  snprintf (entry.name, sizeof entry.name, "%.31s", engine->description);
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
  LabEntry entry = {.source = "cpu",.quality = lab_options.quality[0],
    .qp = lab_options.qp[0]
  };
  const BdctTileKernel *const *kernel = bdct_tile_kernels ();

  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++) {
    BdctBasis basis = bdct_chain_info (bdct_transform_row (t)->luma)->column;
    int n = bdct_basis_size (basis);

    for (int i = 0; i < n * n; i++)
      hevc[t][i] = bdct_matrix_int (basis, i / n, i % n);
  }
  for (int i = 0; i < 64; i++)
    real[i] = bdct_matrix_dct8x8 (i / 8, i % 8);
  for (int i = 0; i < 64; i++)
    real_steps[i] = bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[0][i], entry.quality, 255);

  entry.shape = LAB_BLOCKS;
  entry.run = run_hevc;
  for (int t = BDCT_HEVC_DST_4X4; t <= BDCT_HEVC_32X32; t++)
    for (int i = 0; i < 4; i++) {
      entry.transform = t;
      entry.stage = i / 2 ? LAB_INVERSE : LAB_FORWARD;
      entry.parameter[0] = i % 2 == 0;
      strcpy (entry.name, i % 2 ? "C partial butterfly" : "by definition");
      lab_register (&entry);
    }

  entry.shape = LAB_PLANE_FLOAT;
  entry.transform = BDCT_DCT_8X8;
  entry.stage = LAB_CHAIN;
  entry.run = run_gold;
  for (int i = 0; i < 2; i++) {
    entry.parameter[0] = i == 0;
    strcpy (entry.name, i ? "gold 2, separable" : "gold 1, definition");
    lab_register (&entry);
  }

  if (!lab_wants ("blockdct"))
    return;
  for (int i = 0; kernel[i] != NULL; i++)
    register_simd (kernel[i]->isa, 1, i == 0);
  register_simd (kernel[0]->isa, 0, false);
}

/* The number of periods: for blocks those of a batch of 10,000, for samples
 * enough for the engine's threads, with six strips each. */
static int
periods_for (const LabEntry * entry)
{
  return entry->shape == LAB_BLOCKS ? 10 : entry->shape == LAB_PLANE_FLOAT ? 1
      : lab_options.quick ? 4 : 12;
}

/* Work in new memory of so many periods, or the blocks of them. */
static LabWork
allocate (const LabSet * set, LabContent content, int periods)
{
  const size_t size = set->period * set->element;
  uint8_t *src = g_malloc (size * periods), *dst = g_malloc (size * periods);

  memset (dst, LAB_POISON, size * periods);
  for (int i = 0; i < periods; i++)
    memcpy (src + i * size, set->input[content], size);
  return lab_set_work (set, periods * (set->of.shape == LAB_BLOCKS ? set->rows
          : 1), src, dst, NULL);
}

static void
clear (LabWork * work)
{
  g_free ((void *) work->src);
  g_free (work->dst);
}

void
lab_cpu_check (const LabEntry * entry, const LabSet * set, LabVerdict * verdict)
{
  int periods = entry->shape == LAB_BLOCKS ? 1 : periods_for (entry);
  size_t size = set->period * set->element;

  for (int c = 0; c < LAB_N_CONTENTS; c++) {
    LabWork work = allocate (set, c, periods);
    BdctStats stats = { 0 };

    if (entry->stats != NULL)
      entry->stats (entry, &work, NULL, &stats);
    else
      entry->run (entry, &work, NULL);
    lab_check_period (set, c, work.dst, verdict);
    for (int i = 1; i < periods; i++)
      if (memcmp (work.dst, (uint8_t *) work.dst + i * size, size) != 0)
        lab_verdict_wrong (verdict, "period %d is another", i);
    if (entry->stats != NULL)
      lab_check_stats (set, c, work.dst, periods, &stats, verdict);
    clear (&work);
  }
}

typedef struct
{
  const LabEntry *entry;
  LabWork work;
} Task;

static double
run_task (void *data, int n)
{
  const double start = lab_now ();
  const Task *task = data;

  for (int i = 0; i < n; i++)
    task->entry->run (task->entry, &task->work, NULL);
  return lab_now () - start;
}

void
lab_cpu_time (const LabEntry * entry, const LabSet * set, int64_t batch,
    LabResult * result)
{
  const int periods = periods_for (entry);
  Task task = { entry, allocate (set, lab_options.content, periods) };
  LabTimed timed = { run_task, &task, 0 };

  if (batch > 0)
    task.work.n_blocks = batch;
  else
    batch = periods;
  lab_time (&timed, 1, 2e5, lab_options.quick ? 5e7 : 1e9);
  result->ns = timed.ns;
  result->samples = lab_set_samples (set, batch);
  clear (&task.work);
}
