/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The T.81 tables in the zigzag order of a DQT segment; unlike
 * dct/quantizer/job.c, so that a slip in one does not repeat in the other. */
const int ref_zigzag[64] = {
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
  58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

static const int annex_k_luma[64] = {
  16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40,
  26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51,
  56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
  95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
};

/* All 99 behind the first. */
static const int annex_k_chroma[] = {
  17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66,
};

static bool
is_hevc (BdctTransform transform)
{
  return (transform >= BDCT_HEVC_DST_4X4 && transform <= BDCT_HEVC_32X32)
      || transform == BDCT_VVC_64X64;
}

int
ref_block_size (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  static const int luma[] = { 8, 8, 4, 4, 8, 16, 32, 4, 8, 64 };
  int size = luma[transform];

  if (transform == BDCT_VVC_64X64 && component != BDCT_Y)
    size = 32;
  else if (is_hevc (transform) && component != BDCT_Y
      && chroma != BDCT_CHROMA_444)
    size = size > 4 ? size / 2 : 4;
  return ref_has_dc (transform, chroma, component) ? 4 : size;
}

bool
ref_has_dc (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  return (transform == BDCT_H264_4X4 || transform == BDCT_H264_8X8)
      && component != BDCT_Y
      && (chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_422);
}

/* MbWidthC and MbHeightC of H.264's Table 6-1. */
int
ref_block_width (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  return ref_has_dc (transform, chroma, component) ? 8
      : ref_block_size (transform, chroma, component);
}

int
ref_block_height (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  return ref_has_dc (transform, chroma, component)
      ? chroma == BDCT_CHROMA_420 ? 8 : 16
      : ref_block_size (transform, chroma, component);
}

/* Loeffler, Ligtenberg, Moschytz with constants of 13 bits (jfdctint.c). */
#define FIX(x) ((Whole) ((x) * 8192 + 0.5))

/* The odd half: four rotations that share one multiplication. Its flow graph
 * is its own transpose, hence the same for both directions. */
static void
islow_odd (Whole a, Whole b, Whole c, Whole d, Whole * out)
{
  Whole ad = -FIX (0.899976223) * (a + d), bc = -FIX (2.562915447) * (b + c);
  Whole shared = FIX (1.175875602) * (a + b + c + d);
  Whole ac = shared - FIX (1.961570560) * (a + c);
  Whole bd = shared - FIX (0.390180644) * (b + d);

  out[0] = FIX (0.298631336) * a + ad + ac;
  out[1] = FIX (2.053119869) * b + bc + bd;
  out[2] = FIX (3.072711026) * c + bc + ac;
  out[3] = FIX (1.501321110) * d + ad + bd;
}

static void
islow_forward (const Whole * in, Whole * out)
{
  Whole sum[4], diff[4], rotated, odd[4];

  for (int i = 0; i < 4; i++) {
    sum[i] = in[i] + in[7 - i];
    diff[i] = in[i] - in[7 - i];
  }
  out[0] = (sum[0] + sum[3] + sum[1] + sum[2]) * 8192;
  out[4] = (sum[0] + sum[3] - sum[1] - sum[2]) * 8192;
  rotated = (sum[0] - sum[3] + sum[1] - sum[2]) * FIX (0.541196100);
  out[2] = rotated + (sum[0] - sum[3]) * FIX (0.765366865);
  out[6] = rotated - (sum[1] - sum[2]) * FIX (1.847759065);
  islow_odd (diff[3], diff[2], diff[1], diff[0], odd);
  for (int i = 0; i < 4; i++)
    out[7 - 2 * i] = odd[i];
}

static void
islow_inverse (const Whole * in, Whole * out)
{
  Whole even[4], odd[4];
  Whole rotated = (in[2] + in[6]) * FIX (0.541196100);
  Whole inner = rotated - in[6] * FIX (1.847759065);
  Whole outer = rotated + in[2] * FIX (0.765366865);

  even[0] = (in[0] + in[4]) * 8192 + outer;
  even[1] = (in[0] - in[4]) * 8192 + inner;
  even[2] = (in[0] - in[4]) * 8192 - inner;
  even[3] = (in[0] + in[4]) * 8192 - outer;
  islow_odd (in[7], in[5], in[3], in[1], odd);
  for (int i = 0; i < 4; i++) {
    out[i] = even[i] + odd[3 - i];
    out[7 - i] = even[i] - odd[3 - i];
  }
}

static void
jpeg_table (int quality, bool chroma, int max, int *out)
{
  int scale = quality < 50 ? 5000 / quality : 200 - quality * 2;

  for (int i = 0; i < 64; i++) {
    int base = !chroma ? annex_k_luma[i] : i < 14 ? annex_k_chroma[i] : 99;
    int step = (base * scale + 50) / 100;

    if (step < 1)
      step = 1;
    out[ref_zigzag[i]] = step > max ? max : step;
  }
}

static void
get_steps (const RefPlane * p, int *out)
{
  const BdctParams *params = p->params;
  bool chroma = p->component != BDCT_Y;

  int max = p->depth == 8 && params->baseline ? 255 : 32767;
  bool own = params->n_steps > 0;
  const int *steps = own ? params->steps : params->tables.steps;
  int n = own ? params->n_steps : params->tables.n_steps;

  if (n == 0 && params->preset == BDCT_PRESET_ANNEX_K) {
    jpeg_table (params->quality, chroma, max, out);
    return;
  }
  for (int i = 0; i < 64; i++) {
    int quality = params->quality, q;

    q = n > 0 ? steps[i + (n == 128 && chroma ? 64 : 0)]
        : bdct_preset_info (params->preset)->step[chroma][i];
    if (n == 0 || (!own && params->scale_tables)) {
      q = (q * (quality < 50 ? 5000 / quality : 200 - quality * 2) + 50) / 100;
      q = q < 1 ? 1 : q > max ? max : q;
    }
    out[i] = q;
  }
}

/* Of levels. */
static void
jpeg_inverse (const RefPlane * p, Whole x[][REF_SIZE])
{
  int pass1 = p->depth == 8 ? 2 : 1, steps[64];
  Whole line[8], out[8];

  get_steps (p, steps);
  for (int c = 0; c < 8; c++) {
    for (int i = 0; i < 8; i++)
      line[i] = x[i][c] * steps[8 * i + c];
    islow_inverse (line, out);
    for (int i = 0; i < 8; i++)
      x[i][c] = ref_descale (out[i], 13 - pass1);
  }
  for (int y = 0; y < 8; y++) {
    islow_inverse (x[y], out);
    for (int i = 0; i < 8; i++)
      x[y][i] = ref_descale (out[i], 13 + pass1 + 3);
  }
}

static void
jpeg_block (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  int pass1 = p->depth == 8 ? 2 : 1, steps[64];
  Whole line[8], out[8];

  get_steps (p, steps);
  for (int y = 0; y < 8; y++) {
    islow_forward (x[y], out);
    for (int i = 0; i < 8; i++)
      x[y][i] = ref_descale (out[i], 13 - pass1);
  }
  for (int c = 0; c < 8; c++) {
    for (int i = 0; i < 8; i++)
      line[i] = x[i][c];
    islow_forward (line, out);
    for (int i = 0; i < 8; i++) {
      Whole step = steps[8 * i + c], v = ref_descale (out[i], 13 + pass1);
      Whole magnitude = ((v < 0 ? -v : v) + 4 * step) / (8 * step);

      result->nonzero += magnitude != 0;
      result->level[i][c] = v < 0 ? -magnitude : magnitude;
      x[i][c] = v < 0 ? -magnitude : magnitude;
    }
  }
  jpeg_inverse (p, x);
}

/* How far a level or a sample may be off before it is rounded, in single
 * precision: it grows with the samples' range. */
static double
get_error (const RefPlane * p)
{
  return 1e-3 * (1 << (p->depth - 8));
}

/* v's distance from the next tie. */
static double
to_tie (double v)
{
  return fabs (v - floor (v) - 0.5);
}

static int
saturate (double v, int peak)
{
  return fmax (fmin (v, peak), 0);
}

static uint8_t
sample_slack (double v, double error, int peak)
{
  int rounded = saturate (floor (v + 0.5), peak);
  int up = saturate (floor (v + 0.5 + error), peak) - rounded;
  int down = rounded - saturate (floor (v + 0.5 - error), peak);
  int most = up > down ? up : down;

  return to_tie (v) < 1e-6 ? REF_TIE : most < REF_ANY ? most : REF_ANY;
}

static void
dct8x8_basis (double basis[8][8])
{
  for (int k = 0; k < 8; k++)
    for (int n = 0; n < 8; n++)
      basis[k][n] = sqrt (k ? 2.0 / 8 : 1.0 / 8)
          * cos ((2 * n + 1) * k * M_PI / 16);
}

/* out = m in m^T, or with the transposed matrix */
static void
dct8x8_product (double m[8][8], bool transposed, double in[8][8],
    double out[8][8])
{
  double half[8][8];

  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) {
      half[i][k] = 0;
      for (int n = 0; n < 8; n++)
        half[i][k] += in[i][n] * (transposed ? m[n][k] : m[k][n]);
    }
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) {
      out[k][i] = 0;
      for (int n = 0; n < 8; n++)
        out[k][i] += half[n][i] * (transposed ? m[n][k] : m[k][n]);
    }
}

/* Of levels: samples that are not rounded. */
static void
dct8x8_inverse (const RefPlane * p, Whole x[][REF_SIZE], double samples[8][8])
{
  double basis[8][8], c[8][8];
  int steps[64];

  get_steps (p, steps);
  dct8x8_basis (basis);
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++)
      c[v][u] = (double) x[v][u] * steps[8 * v + u];
  dct8x8_product (basis, true, c, samples);
}

static void
dct8x8_block (const RefPlane * p, Whole x[][REF_SIZE],
    uint8_t slack[][REF_SIZE], RefResult * result)
{
  double basis[8][8], c[8][8], samples[8][8];
  int steps[64], middle = 1 << (p->depth - 1), peak = 2 * middle - 1;
  uint8_t block = 0;

  get_steps (p, steps);
  dct8x8_basis (basis);
  for (int k = 0; k < 8; k++)
    for (int n = 0; n < 8; n++)
      samples[k][n] = x[k][n];
  dct8x8_product (basis, false, samples, c);
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      double scaled = fabs (c[v][u]) / steps[8 * v + u];
      double level = floor (scaled + 0.5);
      bool unsure = to_tie (scaled) < get_error (p);

      if (unsure && block != REF_TIE)
        block = to_tie (scaled) < 1e-6 ? REF_TIE : REF_ANY;
      result->nonzero += level != 0;
      result->level[v][u] = c[v][u] < 0 ? -level : level;
      result->unsure += unsure && scaled < 1;
      x[v][u] = result->level[v][u];
    }
  dct8x8_inverse (p, x, samples);
  for (int y = 0; y < 8; y++)
    for (int n = 0; n < 8; n++) {
      double v = samples[y][n] + middle;
      uint8_t own = sample_slack (v, get_error (p), peak);

      slack[y][n] = own > block ? own : block;
      x[y][n] = floor (v + 0.5) - middle;
    }
}

void
ref_inverse (const RefPlane * p, int64_t x[][REF_SIZE], double samples[8][8])
{
  if (p->params->transform == BDCT_JPEG_8X8)
    jpeg_inverse (p, x);
  else if (p->params->transform == BDCT_DCT_8X8)
    dct8x8_inverse (p, x, samples);
  else if (is_hevc (p->params->transform))
    ref_hevc_inverse (p, x);
  else if (ref_has_dc (p->params->transform, p->chroma, p->component))
    ref_h264_chroma_inverse (p, x);
  else
    ref_h264_inverse (p, x);
}

void
ref_plane (const RefPlane * p, const int *in, int *out, uint8_t * slack,
    RefResult * result)
{
  BdctTransform transform = p->params->transform;
  int wide = ref_block_width (transform, p->chroma, p->component);
  int high = ref_block_height (transform, p->chroma, p->component);
  int middle = 1 << (p->depth - 1), peak = 2 * middle - 1;
  uint8_t block_slack[REF_SIZE][REF_SIZE] = { { 0 } };
  Whole x[REF_SIZE][REF_SIZE];

  memset (result, 0, sizeof *result);
  for (int by = 0; by < p->height; by += high)
    for (int bx = 0; bx < p->width; bx += wide) {
      for (int y = 0; y < high; y++)
        for (int n = 0; n < wide; n++) {
          int sy = by + y < p->height ? by + y : p->height - 1;
          int sx = bx + n < p->width ? bx + n : p->width - 1;

          x[y][n] = in[sy * p->width + sx] - middle;
        }
      if (transform == BDCT_JPEG_8X8)
        jpeg_block (p, x, result);
      else if (transform == BDCT_DCT_8X8)
        dct8x8_block (p, x, block_slack, result);
      else if (is_hevc (transform))
        ref_hevc_block (p, x, result);
      else if (ref_has_dc (transform, p->chroma, p->component))
        ref_h264_chroma (p, x, result);
      else
        ref_h264_block (p, x, result);
      result->levels += wide * high;
      for (int y = 0; y < high && by + y < p->height; y++)
        for (int n = 0; n < wide && bx + n < p->width; n++) {
          int i = (by + y) * p->width + bx + n;
          Whole v = x[y][n] + middle, e;

          out[i] = v < 0 ? 0 : v > peak ? peak : v;
          if (slack != NULL)
            slack[i] = block_slack[y][n];
          e = out[i] - in[i];
          result->sse += e * e;
          result->samples++;
        }
    }
}
