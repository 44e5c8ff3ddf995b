/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t Whole;

/* The T.81 tables in the zigzag order of a DQT segment; unlike dct/job.c, so
 * that a slip in one does not repeat in the other. */
static const int zigzag[64] = {
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

/* The odd rows' left halves of H.265's transMatrix for 32, 16, 8 and 4; its
 * even rows are the next smaller one's. */
static const int odd32[16][16] = {
  {90, 90, 88, 85, 82, 78, 73, 67, 61, 54, 46, 38, 31, 22, 13, 4},
  {90, 82, 67, 46, 22, -4, -31, -54, -73, -85, -90, -88, -78, -61, -38, -13},
  {88, 67, 31, -13, -54, -82, -90, -78, -46, -4, 38, 73, 90, 85, 61, 22},
  {85, 46, -13, -67, -90, -73, -22, 38, 82, 88, 54, -4, -61, -90, -78, -31},
  {82, 22, -54, -90, -61, 13, 78, 85, 31, -46, -90, -67, 4, 73, 88, 38},
  {78, -4, -82, -73, 13, 85, 67, -22, -88, -61, 31, 90, 54, -38, -90, -46},
  {73, -31, -90, -22, 78, 67, -38, -90, -13, 82, 61, -46, -88, -4, 85, 54},
  {67, -54, -78, 38, 85, -22, -90, 4, 90, 13, -88, -31, 82, 46, -73, -61},
  {61, -73, -46, 82, 31, -88, -13, 90, -4, -90, 22, 85, -38, -78, 54, 67},
  {54, -85, -4, 88, -46, -61, 82, 13, -90, 38, 67, -78, -22, 90, -31, -73},
  {46, -90, 38, 54, -90, 31, 61, -88, 22, 67, -85, 13, 73, -82, 4, 78},
  {38, -88, 73, -4, -67, 90, -46, -31, 85, -78, 13, 61, -90, 54, 22, -82},
  {31, -78, 90, -61, 4, 54, -88, 82, -38, -22, 73, -90, 67, -13, -46, 85},
  {22, -61, 85, -90, 73, -38, -4, 46, -78, 90, -82, 54, -13, -31, 67, -88},
  {13, -38, 61, -78, 88, -90, 85, -73, 54, -31, 4, 22, -46, 67, -82, 90},
  {4, -13, 22, -31, 38, -46, 54, -61, 67, -73, 78, -82, 85, -88, 90, -90},
};

static const int odd16[8][8] = {
  {90, 87, 80, 70, 57, 43, 25, 9},
  {87, 57, 9, -43, -80, -90, -70, -25},
  {80, 9, -70, -87, -25, 57, 90, 43},
  {70, -43, -87, 9, 90, 25, -80, -57},
  {57, -80, -25, 90, -9, -87, 43, 70},
  {43, -90, 57, 25, -87, 70, 9, -80},
  {25, -70, 90, -80, 43, 9, -57, 87},
  {9, -25, 43, -57, 70, -80, 87, -90},
};

static const int odd8[4][4] = {
  {89, 75, 50, 18}, {75, -18, -89, -50}, {50, -89, 18, 75}, {18, -50, 75, -89},
};

static const int odd4[2][2] = { {83, 36}, {36, -83} };

static const int dst[4][4] = {
  {29, 55, 74, 84}, {74, 74, 0, -74}, {84, -29, -74, 55}, {55, -84, 74, -29},
};

/* H.265 Table 7-6, intra, by the up-right diagonal scan it is printed in. */
static const int default_list[64] = {
  16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 17, 16, 17, 16, 17, 18,
  17, 18, 18, 17, 18, 21, 19, 20, 21, 20, 19, 21, 24, 22, 22, 24,
  24, 22, 22, 24, 25, 25, 27, 30, 27, 25, 25, 29, 31, 35, 35, 31,
  29, 36, 41, 44, 41, 36, 47, 54, 54, 47, 65, 70, 65, 88, 88, 115,
};

/* H.265 Table 8-10 with its first and last column written out. */
static const int qpc[58] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
  20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 32, 33, 33, 34, 34,
  35, 35, 36, 36, 37, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
  50, 51,
};

int
ref_hevc_entry (int size, bool is_dst, int k, int n)
{
  int half = size / 2, mirrored = n < half ? n : size - 1 - n;
  int sign = n < half ? 1 : -1;

  if (is_dst)
    return dst[k][n];
  if (size == 1)
    return 64;
  if (k % 2 == 0)
    return ref_hevc_entry (half, false, k / 2, mirrored);
  switch (size) {
    case 32:
      return sign * odd32[k / 2][mirrored];
    case 16:
      return sign * odd16[k / 2][mirrored];
    case 8:
      return sign * odd8[k / 2][mirrored];
    case 4:
      return sign * odd4[k / 2][mirrored];
    default:
      return sign * 64;
  }
}

static bool
is_hevc (BdctTransform transform)
{
  return transform != BDCT_JPEG_8X8 && transform != BDCT_DCT_8X8;
}

/* H.265 8.6.4.2: trType is 1 for luma only (cIdx 0), in 4:4:4 as well. */
static bool
uses_dst (BdctTransform transform, BdctComponent component)
{
  return transform == BDCT_HEVC_DST_4X4 && component == BDCT_Y;
}

int
ref_block_size (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component)
{
  static const int luma[] = { 8, 8, 4, 4, 8, 16, 32 };
  int size = luma[transform];

  if (is_hevc (transform) && component != BDCT_Y
      && (chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_422))
    size = size > 4 ? size / 2 : 4;
  return size;
}

int
ref_basis_sign (BdctTransform transform, BdctChromaFormat chroma,
    BdctComponent component, int k, int n)
{
  int size = ref_block_size (transform, chroma, component);
  double v = is_hevc (transform)
      ? ref_hevc_entry (size, uses_dst (transform, component), k, n)
      : cos ((2 * n + 1) * k * M_PI / 16);

  return v < 0 ? -1 : 1;
}

/* floor (v / 2^shift + 1/2) */
static Whole
descale (Whole v, int shift)
{
  Whole unit = (Whole) 1 << shift, doubled = 2 * v + unit;
  Whole quotient = doubled / (2 * unit);

  return doubled % (2 * unit) < 0 ? quotient - 1 : quotient;
}

static Whole
clip16 (Whole v)
{
  return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
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

void
ref_islow_forward (const Whole * in, Whole * out)
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

void
ref_islow_inverse (const Whole * in, Whole * out)
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

void
ref_jpeg_table (int quality, bool chroma, int max, int *out)
{
  int scale = quality < 50 ? 5000 / quality : 200 - quality * 2;

  for (int i = 0; i < 64; i++) {
    int base = !chroma ? annex_k_luma[i] : i < 14 ? annex_k_chroma[i] : 99;
    int step = (base * scale + 50) / 100;

    if (step < 1)
      step = 1;
    out[zigzag[i]] = step > max ? max : step;
  }
}

static void
get_steps (const RefPlane * p, int *out)
{
  const BdctParams *params = p->params;
  bool chroma = p->component != BDCT_Y;

  if (params->n_steps == 0)
    ref_jpeg_table (params->quality, chroma, p->depth == 8 ? 255 : 32767, out);
  else
    memcpy (out, params->steps + (params->n_steps == 128 && chroma ? 64 : 0),
        64 * sizeof *out);
}

static void
jpeg_block (const RefPlane * p, Whole x[][32], RefResult * result)
{
  int pass1 = p->depth == 8 ? 2 : 1, steps[64];
  Whole line[8], out[8];

  get_steps (p, steps);
  for (int y = 0; y < 8; y++) {
    ref_islow_forward (x[y], out);
    for (int i = 0; i < 8; i++)
      x[y][i] = descale (out[i], 13 - pass1);
  }
  for (int c = 0; c < 8; c++) {
    for (int i = 0; i < 8; i++)
      line[i] = x[i][c];
    ref_islow_forward (line, out);
    for (int i = 0; i < 8; i++) {
      Whole step = steps[8 * i + c], v = descale (out[i], 13 + pass1);
      Whole magnitude = ((v < 0 ? -v : v) + 4 * step) / (8 * step);

      result->nonzero += magnitude != 0;
      result->level[i][c] = v < 0 ? -magnitude : magnitude;
      x[i][c] = (v < 0 ? -magnitude : magnitude) * step;
    }
  }
  for (int c = 0; c < 8; c++) {
    for (int i = 0; i < 8; i++)
      line[i] = x[i][c];
    ref_islow_inverse (line, out);
    for (int i = 0; i < 8; i++)
      x[i][c] = descale (out[i], 13 - pass1);
  }
  for (int y = 0; y < 8; y++) {
    ref_islow_inverse (x[y], out);
    for (int i = 0; i < 8; i++)
      x[y][i] = descale (out[i], 13 + pass1 + 3);
  }
}

int
ref_hevc_qp (const BdctParams * params, BdctChromaFormat chroma,
    BdctComponent component, int depth)
{
  int offset = 6 * (depth - 8), qpi = params->qp;

  if (component != BDCT_Y) {
    /* Clip3 (-QpBdOffsetC, 57, QpY + pps_cb_qp_offset), equation 8-287 */
    qpi = fmin (fmax (qpi + params->chroma_qp_offset, -offset), 57);
    if (chroma != BDCT_CHROMA_420)
      qpi = fmin (qpi, 51);
    else if (qpi >= 0)
      qpi = qpc[qpi];
  }
  return qpi + offset;
}

int
ref_hevc_factor (BdctScalingList list, int size, int y, int x)
{
  int i = 0;

  if (list == BDCT_SCALING_FLAT || size == 4 || (size > 8 && x + y == 0))
    return 16;
  x = 8 * x / size;
  y = 8 * y / size;
  /* How many the up-right diagonal scan meets before (x, y). */
  for (int dy = 0; dy < 8; dy++)
    for (int dx = 0; dx < 8; dx++)
      i += dx + dy < x + y || (dx + dy == x + y && dy > y);
  return default_list[i];
}

static void
hevc_quantize (const RefPlane * p, int size, Whole x[][32], RefResult * result)
{
  static const int quant_scale[] =
      { 26214, 23302, 20560, 18396, 16384, 14564 };
  static const int level_scale[] = { 40, 45, 51, 57, 64, 72 };
  int qp = ref_hevc_qp (p->params, p->chroma, p->component, p->depth);
  int log2_size = log2 (size), bits = 29 + qp / 6 - p->depth - log2_size;
  int shift = p->depth + log2_size - 5;

  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      Whole m = ref_hevc_factor (p->params->scaling_list, size, v, u);
      Whole c = x[v][u], level;

      level = ((c < 0 ? -c : c) * (quant_scale[qp % 6] * 16 / m)
          + ((Whole) 171 << (bits - 9))) >> bits;
      level = clip16 (c < 0 ? -level : level);
      result->nonzero += level != 0;
      result->level[v][u] = level;
      x[v][u] = clip16 (descale (level * m * level_scale[qp % 6]
              * (1 << qp / 6), shift));
    }
}

static void
hevc_matrix (const RefPlane * p, int size, Whole m[][32])
{
  bool is_dst = uses_dst (p->params->transform, p->component);

  for (int k = 0; k < size; k++)
    for (int n = 0; n < size; n++)
      m[k][n] = ref_hevc_entry (size, is_dst, k, n);
}

static void
hevc_forward (const RefPlane * p, int size, Whole x[][32])
{
  int log2_size = log2 (size);
  Whole m[32][32], t[32][32];

  hevc_matrix (p, size, m);
  for (int y = 0; y < size; y++)
    for (int k = 0; k < size; k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * x[y][n];
      t[y][k] = descale (sum, log2_size + p->depth - 9);
    }
  for (int c = 0; c < size; c++)
    for (int k = 0; k < size; k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * t[n][c];
      x[k][c] = descale (sum, log2_size + 6);
    }
}

void
ref_hevc_backward (const RefPlane * p, int size, int64_t x[][32],
    RefResult * result)
{
  Whole m[32][32], t[32][32];

  hevc_matrix (p, size, m);
  hevc_quantize (p, size, x, result);
  for (int c = 0; c < size; c++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < size; k++)
        sum += m[k][n] * x[k][c];
      t[n][c] = clip16 (descale (sum, 7));
    }
  for (int y = 0; y < size; y++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < size; k++)
        sum += m[k][n] * t[y][k];
      x[y][n] = clip16 (descale (sum, 20 - p->depth));
    }
}

static void
hevc_block (const RefPlane * p, int size, Whole x[][32], RefResult * result)
{
  hevc_forward (p, size, x);
  ref_hevc_backward (p, size, x, result);
}

/* How far a level may be off before it is rounded; it grows with the samples'
 * range. For single precision that is a share of a level, for the tensor cores'
 * two halves, of 22 bits, a coefficient's own error in steps. */
static double
level_error (const RefPlane * p, int step)
{
  int range = 1 << (p->depth - 8);

  return p->precision == REF_TENSOR ? 2e-3 * range / step : 1e-3 * range;
}

/* And a sample, given the sum of the magnitudes of its block's dequantized
 * coefficients. At 8 bits the tensor cores' inverse takes one half, of 11 bits,
 * for either matrix and for what is between: three roundings by 2^-11 at most
 * of each coefficient times two entries, which are below 1/2. */
static double
sample_error (const RefPlane * p, double magnitudes)
{
  double error = level_error (p, 1);

  if (p->precision == REF_TENSOR && p->depth == 8)
    error += 3.0 / 2048 / 4 * magnitudes;
  return error;
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

/* out = m in m^T, or with the transposed matrix */
static void
real_product (double m[8][8], bool transposed, double in[8][8],
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

static void
real_block (const RefPlane * p, Whole x[][32], uint8_t slack[][32],
    RefResult * result)
{
  double basis[8][8], c[8][8], samples[8][8], magnitudes = 0;
  int steps[64], middle = 1 << (p->depth - 1), peak = 2 * middle - 1;
  uint8_t block = 0;

  get_steps (p, steps);
  for (int k = 0; k < 8; k++)
    for (int n = 0; n < 8; n++) {
      basis[k][n] = sqrt (k ? 2.0 / 8 : 1.0 / 8)
          * cos ((2 * n + 1) * k * M_PI / 16);
      samples[k][n] = x[k][n];
    }
  real_product (basis, false, samples, c);
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++) {
      double scaled = fabs (c[v][u]) / steps[8 * v + u];
      double level = floor (scaled + 0.5);
      bool unsure = to_tie (scaled) < level_error (p, steps[8 * v + u]);

      if (unsure && block != REF_TIE)
        block = to_tie (scaled) < 1e-6 ? REF_TIE : REF_ANY;
      result->nonzero += level != 0;
      result->level[v][u] = c[v][u] < 0 ? -level : level;
      result->unsure += unsure && scaled < 1;
      c[v][u] = result->level[v][u] * (double) steps[8 * v + u];
      magnitudes += fabs (c[v][u]);
    }
  real_product (basis, true, c, samples);
  for (int y = 0; y < 8; y++)
    for (int n = 0; n < 8; n++) {
      double v = samples[y][n] + middle;
      uint8_t own = sample_slack (v, sample_error (p, magnitudes), peak);

      slack[y][n] = own > block ? own : block;
      x[y][n] = floor (v + 0.5) - middle;
    }
}

/* `levels` may be NULL. */
static void
run_plane (const RefPlane * p, const int *in, int *out, uint8_t * slack,
    int *levels, RefResult * result)
{
  BdctTransform transform = p->params->transform;
  int size = ref_block_size (transform, p->chroma, p->component);
  int middle = 1 << (p->depth - 1), peak = 2 * middle - 1;
  int across = (p->width + size - 1) / size * size;

  memset (result, 0, sizeof *result);
  for (int by = 0; by < p->height; by += size)
    for (int bx = 0; bx < p->width; bx += size) {
      uint8_t block_slack[32][32] = { { 0 } };
      Whole x[32][32];

      for (int y = 0; y < size; y++)
        for (int n = 0; n < size; n++) {
          int sy = by + y < p->height ? by + y : p->height - 1;
          int sx = bx + n < p->width ? bx + n : p->width - 1;

          x[y][n] = in[sy * p->width + sx] - middle;
        }
      if (transform == BDCT_JPEG_8X8)
        jpeg_block (p, x, result);
      else if (transform == BDCT_DCT_8X8)
        real_block (p, x, block_slack, result);
      else
        hevc_block (p, size, x, result);
      result->levels += size * size;
      for (int i = 0; i < size * size && levels != NULL; i++)
        levels[(by + i / size) * across + bx + i % size] =
            result->level[i / size][i % size];
      for (int y = 0; y < size && by + y < p->height; y++)
        for (int n = 0; n < size && bx + n < p->width; n++) {
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

void
ref_plane (const RefPlane * p, const int *in, int *out, uint8_t * slack,
    RefResult * result)
{
  run_plane (p, in, out, slack, NULL, result);
}

void
ref_levels (const RefPlane * p, const int *in, int *levels)
{
  int *out = malloc ((size_t) p->width * p->height * sizeof *out);
  RefResult result;

  run_plane (p, in, out, NULL, levels, &result);
  free (out);
}
