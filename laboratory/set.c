/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input of every stage, and its expected output: computed by definition, in
 * 64-bit integers or in double (tests/unit/reference.h). */
#include "lab.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include "dct/quantizer/job.h"
#include "reference.h"

#define ROWS 192                /* of a strip; a multiple of all block sizes */
#define N_BLOCKS 1000

static uint32_t random_state = 1;

/* H.265's matrix of the set that is being built, [k * N + n]. */
static int64_t matrix[32 * 32];

static uint32_t
next_random (void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

/* Waves, edges, texture and a little noise, 0 to 1: similar to pictures for
 * quantizers. */
static double
natural (int x, int y)
{
  double v = 0.5 + 0.2 * sin (x * 0.011 + y * 0.017)
      + 0.15 * sin (x * 0.07) * cos (y * 0.05)
      + 0.04 * sin (x * 0.9 + y * 1.1);

  if ((x / 37 + y / 23) % 5 == 0)
    v += 0.18;
  v += ((int) (next_random () >> 16) - 32768) / 32768.0 * 0.012;
  return v < 0 ? 0 : v > 1 ? 1 : v;
}

void
lab_fill_samples (LabContent content, int depth, int width, int rows, int *out)
{
  int peak = (1 << depth) - 1;

  for (int y = 0; y < rows; y++)
    for (int x = 0; x < width; x++)
      out[y * width + x] = content == LAB_NOISE ? (int) (next_random () >> 8)
          & peak : (int) (natural (x, y) * peak + 0.5);
}

static void
put (const LabSet * set, void *memory, size_t i, double v)
{
  if (set->of.shape == LAB_BLOCKS || set->of.shape == LAB_PLANE_SHORT)
    ((int16_t *) memory)[i] = (int16_t) lrint (v);
  else if (set->element == 4)
    ((float *) memory)[i] = (float) v;
  else if (set->element == 2)
    ((uint16_t *) memory)[i] = (uint16_t) v;
  else
    ((uint8_t *) memory)[i] = (uint8_t) v;
}

double
lab_get (const LabSet * set, const void *memory, size_t i)
{
  if (set->of.shape == LAB_BLOCKS || set->of.shape == LAB_PLANE_SHORT)
    return ((const int16_t *) memory)[i];
  return set->element == 4 ? ((const float *) memory)[i] : set->element == 2
      ? ((const uint16_t *) memory)[i] : ((const uint8_t *) memory)[i];
}

BdctParams
lab_params (BdctTransform transform, int quality, int qp)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;

  params.transform = transform;
  params.quality = quality;
  params.qp = qp;
  if (lab_options.default_lists)
    params.scaling_list = BDCT_SCALING_DEFAULT;
  return params;
}

/* H.265's 1-D stages in 64-bit integers, by matrix: the first one goes along
 * rows in the forward direction, along columns in the inverse one. */
static void
hevc_stage (const LabSet * set, int stage, const int64_t * in, int64_t * out)
{
  const bool inverse = set->of.stage == LAB_INVERSE;
  const bool along_rows = (stage == 0) != inverse;
  const int n = set->size, shift = inverse ? (stage == 0 ? 7 : 12)
      : __builtin_ctz (n) + (stage == 0 ? -1 : 6);

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      int64_t sum = (int64_t) 1 << (shift - 1);
      int k = along_rows ? column : row;

      for (int i = 0; i < n; i++)
        sum += matrix[inverse ? i * n + k : k * n + i]
            * in[along_rows ? row * n + i : i * n + column];
      sum >>= shift;
      if (inverse)
        sum = sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum;
      out[row * n + column] = sum;
    }
}

static void
hevc_block (const LabSet * set, const int64_t * in, int64_t * out)
{
  int64_t middle[32 * 32];

  hevc_stage (set, 0, in, middle);
  hevc_stage (set, 1, middle, out);
}

/* Residuals: natural ones are of 8 bits, noise of 9. Coefficients: natural ones
 * come from such residuals, with steps of 40; noise is any 16-bit value,
 * extremes first, which no encoder makes but every decoder accepts. */
static void
fill_block (const LabSet * set, LabContent content, int b, int64_t * x)
{
  int n = set->size, base = b * n;

  for (int i = 0; i < n * n; i++)
    if (content == LAB_NATURAL)
      x[i] = (int) (natural (base % LAB_WIDTH + i % n,
              base / LAB_WIDTH * n + i / n) * 255) - 128;
    else if (set->of.stage == LAB_FORWARD)
      x[i] = b < 2 ? (b ? 255 : -255) : (int) (next_random () % 511) - 255;
    else if (b < 3)
      x[i] = b == 0 || (b == 2 && next_random () & 256) ? -32768 : 32767;
    else
      x[i] = (int16_t) (next_random () >> 8);
  if (content == LAB_NATURAL && set->of.stage == LAB_INVERSE) {
    LabSet forward = *set;

    forward.of.stage = LAB_FORWARD;
    hevc_block (&forward, x, x);
    for (int i = 0; i < n * n; i++)
      x[i] = x[i] / 40 * 40;
  }
}

static void
build_blocks (LabSet * set, LabContent content)
{
  bool dst = set->of.transform == BDCT_HEVC_DST_4X4;
  int64_t x[32 * 32], y[32 * 32];

  for (int i = 0; i < set->width; i++)
    matrix[i] = ref_hevc_entry (set->size, dst, i / set->size, i % set->size);
  for (int b = 0; b < N_BLOCKS; b++) {
    fill_block (set, content, b, x);
    hevc_block (set, x, y);
    for (int i = 0; i < set->width; i++) {
      put (set, set->input[content], b * set->width + i, (double) x[i]);
      set->expected[content][b * set->width + i] = (double) y[i];
    }
  }
}

/* The orthonormal 8x8 DCT-II by definition. */
static void
real_block (const double *in, double *out, bool inverse)
{
  static double basis[8][8];

  if (basis[0][0] == 0)
    for (int k = 0; k < 8; k++)
      for (int n = 0; n < 8; n++)
        basis[k][n] = sqrt (k ? 2.0 / 8 : 1.0 / 8)
            * cos ((2 * n + 1) * k * M_PI / 16);
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++) {
      double sum = 0;

      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sum += in[8 * i + j] * (inverse ? basis[i][a] * basis[j][b]
              : basis[a][i] * basis[b][j]);
      out[8 * a + b] = sum;
    }
}

/* level * step; *hangs is set where floats may round to either side. */
static double
requantize (double c, int step, bool *hangs)
{
  double v = fabs (c) / step, distance = fabs (v - floor (v) - 0.5);

  *hangs = distance > 0 && distance < 1e-5;
  return copysign (floor (v + 0.5) * step, c);
}

/* One stage of dct-8x8 on samples - 128. */
static void
build_real_block (LabSet * set, LabContent content, const int *samples, int bx,
    int by)
{
  double x[64], c[64], y[64];
  bool hangs[64] = { false };

  for (int i = 0; i < 64; i++)
    x[i] = samples[(by + i / 8) * set->width + bx + i % 8] - 128;
  real_block (x, c, false);
  for (int i = 0; i < 64; i++) {
    int step = bdct_scale_step (bdct_preset_info (BDCT_PRESET_ANNEX_K)
        ->step[0][i], set->of.quality, 255);
    size_t at = (size_t) (by + i / 8) * set->stride + bx + i % 8;
    bool unused;

    put (set, set->input[content], at, set->of.stage == LAB_QUANTIZE ? c[i]
        : set->of.stage == LAB_INVERSE ? requantize (c[i], step, &unused)
        : x[i]);
    x[i] = lab_get (set, set->input[content], at);
    if (set->of.stage == LAB_QUANTIZE)
      y[i] = requantize (x[i], step, &hangs[i]);
  }
  if (set->of.stage != LAB_QUANTIZE)
    real_block (x, y, set->of.stage == LAB_INVERSE);
  for (int i = 0; i < 64; i++) {
    size_t at = (size_t) (by + i / 8) * set->stride + bx + i % 8;

    set->expected[content][at] = y[i];
    set->marks[content][at] = hangs[i] ? REF_TIE : 0;
  }
}

/* A chain on one component, whose content repeats every `strip` rows; its
 * sample (x, y) is element (y * stride + x) * step + offset. */
typedef struct
{
  BdctComponent component;
  BdctChromaFormat chroma;
  int width, height, strip, stride, step;
  size_t offset;
} Part;

static void
build_part (LabSet * set, LabContent content, const Part * part)
{
  BdctParams params =
      lab_params (set->of.transform, set->of.quality, set->of.qp);
  size_t n = (size_t) part->width * part->strip;
  int *in = g_new (int, n), *out = g_new (int, n);
  uint8_t *marks = g_malloc (n);
  bool centred = set->of.shape == LAB_PLANE_FLOAT
      || set->of.shape == LAB_PLANE_SHORT;
  RefResult result = { 0 };

  lab_fill_samples (content, set->depth, part->width, part->strip, in);
  for (int y0 = 0; y0 < part->height; y0 += part->strip) {
    int rows = part->height - y0 < part->strip ? part->height - y0
        : part->strip;
    RefPlane plane = { &params, part->chroma, part->component, set->depth,
      part->width, rows
    };

    /* All whole strips are equal. */
    if (y0 == 0 || rows < part->strip)
      ref_plane (&plane, in, out, marks, &result);
    set->nonzero[content][part->component] += result.nonzero;
    set->unsure[content][part->component] += result.unsure;
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < part->width; x++) {
        size_t from = (size_t) y * part->width + x;
        size_t at = ((size_t) (y0 + y) * part->stride + x) * part->step
            + part->offset;

        put (set, set->input[content], at, in[from] - (centred ? 128 : 0));
        set->expected[content][at] = out[from];
        set->marks[content][at] = marks[from];
      }
  }
  g_free (in);
  g_free (out);
  g_free (marks);
}

static void
build_planes (LabSet * set, LabContent content)
{
  Part luma = { BDCT_Y, BDCT_CHROMA_400, set->width, set->rows, set->rows,
    set->stride, 1, 0
  };

  if (set->of.shape == LAB_NV12) {
    size_t chroma_at = (size_t) LAB_WIDTH * LAB_HEIGHT;

    luma.chroma = BDCT_CHROMA_420;
    luma.height = LAB_HEIGHT;
    luma.strip = ROWS;
    build_part (set, content, &luma);
    for (int c = 0; c < 2; c++) {
      Part chroma = { c ? BDCT_V : BDCT_U, BDCT_CHROMA_420, LAB_WIDTH / 2,
        LAB_HEIGHT / 2, ROWS / 2, LAB_WIDTH / 2, 2, chroma_at + c
      };

      build_part (set, content, &chroma);
    }
  } else if (set->of.stage == LAB_CHAIN) {
    build_part (set, content, &luma);
  } else {
    int *samples = g_new (int, (size_t) set->width * set->rows);

    lab_fill_samples (content, 8, set->width, set->rows, samples);
    for (int y = 0; y < set->rows; y += 8)
      for (int x = 0; x < set->width; x += 8)
        build_real_block (set, content, samples, x, y);
    g_free (samples);
  }
}

void
lab_set_build (LabSet * set, const LabEntry * entry)
{
  static const size_t elements[] = { 2, 4, 4, 2, 1, 2, 1 };

  *set = (LabSet) {
    .of = *entry,.width = LAB_WIDTH,.rows = ROWS,.size =
        ref_block_size (entry->transform, BDCT_CHROMA_400, BDCT_Y),.depth =
        entry->shape == LAB_PLANE_10 ? 10 : 8,.element = elements[entry->shape]
  };
  if (entry->shape == LAB_BLOCKS) {
    set->width = set->size * set->size;
    set->rows = N_BLOCKS;
  } else if (entry->shape == LAB_NV12) {
    set->rows = LAB_HEIGHT * 3 / 2;
  }
  set->stride = set->width + (entry->shape == LAB_PLANE_STRIDED ? 64 : 0);
  set->period = (size_t) set->stride * set->rows;
  for (int c = 0; c < LAB_N_CONTENTS; c++) {
    random_state = 1;
    set->input[c] = g_malloc0 (set->period * set->element);
    set->expected[c] = g_new0 (double, set->period);
    set->marks[c] = g_malloc0 (set->period);
    if (entry->shape == LAB_BLOCKS)
      build_blocks (set, c);
    else
      build_planes (set, c);
  }
}

void
lab_set_clear (LabSet * set)
{
  for (int c = 0; c < LAB_N_CONTENTS; c++) {
    g_free (set->input[c]);
    g_free (set->expected[c]);
    g_free (set->marks[c]);
  }
  memset (set, 0, sizeof *set);
}

bool
lab_set_is_for (const LabSet * set, const LabEntry * entry)
{
  return set->period != 0 && set->of.shape == entry->shape
      && set->of.transform == entry->transform && set->of.stage == entry->stage
      && set->of.quality == entry->quality && set->of.qp == entry->qp;
}

LabWork
lab_set_work (const LabSet * set, int64_t n, const void *src, void *dst,
    void *scratch)
{
  LabWork work = { src, dst, scratch, set->width, 0, set->stride, 0 };

  if (set->of.shape == LAB_BLOCKS)
    work.n_blocks = n;
  else if (set->of.shape == LAB_NV12)
    work.height = LAB_HEIGHT;
  else
    work.height = (int) n *set->rows;
  return work;
}

size_t
lab_set_elements (const LabSet * set, int64_t n)
{
  return (set->of.shape == LAB_BLOCKS ? (size_t) set->width : set->period) * n;
}

double
lab_set_samples (const LabSet * set, int64_t n)
{
  return (double) set->width * (set->of.shape ==
      LAB_BLOCKS ? 1 : set->rows) * n;
}
