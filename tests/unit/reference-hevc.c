/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.265's transforms with HM's forward transform and quantizer, and H.266's of
 * 64 with the same for its size. */
#include "reference-blocks.h"

#include <math.h>

/* The first columns of transMatrix: H.265's for 32 (8.6.4.2), and of H.266's
 * for 64 (8.7.4) the odd rows, as its even ones are H.265's. All that the
 * standards print are these numbers, where the cosines are that they stand
 * for. */
static const int column32[32] = {
  64, 90, 90, 90, 89, 88, 87, 85, 83, 82, 80, 78, 75, 73, 70, 67,
  64, 61, 57, 54, 50, 46, 43, 38, 36, 31, 25, 22, 18, 13, 9, 4,
};

static const int odd64[32] = {
  91, 90, 90, 90, 88, 87, 86, 84, 83, 81, 79, 77, 73, 71, 69, 65,
  62, 59, 56, 52, 48, 44, 41, 37, 33, 28, 24, 20, 15, 11, 7, 2,
};

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
  /* cos (angle pi / 128) */
  int angle = (2 * n + 1) * k * (64 / size) % 256, sign = 1;

  if (is_dst)
    return dst[k][n];
  if (angle > 128)
    angle = 256 - angle;
  if (angle > 64) {
    angle = 128 - angle;
    sign = -1;
  }
  return sign * (angle % 2 ? odd64 : column32)[angle / 2];
}

/* H.265 8.6.4.2: trType is 1 for luma only (cIdx 0), in 4:4:4 as well. */
static bool
uses_dst (BdctTransform transform, BdctComponent component)
{
  return transform == BDCT_HEVC_DST_4X4 && component == BDCT_Y;
}

/* H.266 8.7.4: nonZeroW and nonZeroH; an encoder has the others 0. */
static int
kept (int size)
{
  return size < 32 ? size : 32;
}

static Whole
clip16 (Whole v)
{
  return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
}

static int
hevc_qp (const BdctParams * params, BdctChromaFormat chroma,
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

/* H.265 7.3.4: equations 7-42 to 7-52, of an intra block. Chroma at 32x32 has
 * 16x16's list and DC; a block of 64 is 32's, each entry for twice as many. */
static int
file_factor (const BdctScalingLists * lists, BdctComponent component, int size,
    int y, int x)
{
  int log2_list = size == 4 ? 2 : 3;
  int size_id = size > 16 ? 3 : log2 (size) - 2;

  if (size_id == 3 && component != BDCT_Y)
    size_id = 2;
  if (size > 8 && x == 0 && y == 0)
    return lists->dc[size_id][component];
  x = (x << log2_list) / size;
  y = (y << log2_list) / size;
  return lists->factor[size_id][component][8 * y + x];
}

static int
hevc_factor (const BdctParams * params, BdctComponent component, int size,
    int y, int x)
{
  int i = 0;

  if (params->scaling_list == BDCT_SCALING_FILE)
    return file_factor (&params->lists, component, size, y, x);
  if (params->scaling_list == BDCT_SCALING_FLAT || size == 4
      || (size > 8 && x + y == 0))
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
hevc_quantize (const RefPlane * p, int size, Whole x[][REF_SIZE],
    RefResult * result)
{
  static const int quant_scale[] =
      { 26214, 23302, 20560, 18396, 16384, 14564 };
  int qp = hevc_qp (p->params, p->chroma, p->component, p->depth);
  int log2_size = log2 (size), bits = 29 + qp / 6 - p->depth - log2_size;
  /* HM's 171 and 85 are 512 / 3 and 512 / 6 to the nearest. */
  Whole offset = (Whole) floor (512 * p->params->deadzone + 0.5);

  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      Whole m = hevc_factor (p->params, p->component, size, v, u);
      Whole c = x[v][u], level;

      level = ((c < 0 ? -c : c) * (quant_scale[qp % 6] * 16 / m)
          + (offset << (bits - 9))) >> bits;
      level = v < kept (size) && u < kept (size)
          ? clip16 (c < 0 ? -level : level) : 0;
      result->nonzero += level != 0;
      result->level[v][u] = level;
      x[v][u] = level;
    }
}

static void
hevc_dequantize (const RefPlane * p, int size, Whole x[][REF_SIZE])
{
  static const int level_scale[] = { 40, 45, 51, 57, 64, 72 };
  int qp = hevc_qp (p->params, p->chroma, p->component, p->depth);
  int shift = p->depth + log2 (size) - 5;

  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      Whole m = hevc_factor (p->params, p->component, size, v, u);

      x[v][u] = clip16 (ref_descale (x[v][u] * m * level_scale[qp % 6]
              * (1 << qp / 6), shift));
    }
}

static void
hevc_matrix (const RefPlane * p, int size, Whole m[][REF_SIZE])
{
  bool is_dst = uses_dst (p->params->transform, p->component);

  for (int k = 0; k < size; k++)
    for (int n = 0; n < size; n++)
      m[k][n] = ref_hevc_entry (size, is_dst, k, n);
}

static void
hevc_forward (const RefPlane * p, Whole x[][REF_SIZE])
{
  int size = ref_block_size (p->params->transform, p->chroma, p->component);
  int log2_size = log2 (size);
  Whole m[REF_SIZE][REF_SIZE], t[REF_SIZE][REF_SIZE];

  hevc_matrix (p, size, m);
  for (int y = 0; y < size; y++)
    for (int k = 0; k < kept (size); k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * x[y][n];
      t[y][k] = ref_descale (sum, log2_size + p->depth - 9);
    }
  for (int c = 0; c < kept (size); c++)
    for (int k = 0; k < kept (size); k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * t[n][c];
      x[k][c] = ref_descale (sum, log2_size + 6);
    }
}

void
ref_hevc_inverse (const RefPlane * p, Whole x[][REF_SIZE])
{
  int size = ref_block_size (p->params->transform, p->chroma, p->component);
  Whole m[REF_SIZE][REF_SIZE], t[REF_SIZE][REF_SIZE];

  hevc_matrix (p, size, m);
  hevc_dequantize (p, size, x);
  for (int c = 0; c < kept (size); c++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < kept (size); k++)
        sum += m[k][n] * x[k][c];
      t[n][c] = clip16 (ref_descale (sum, 7));
    }
  for (int y = 0; y < size; y++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < kept (size); k++)
        sum += m[k][n] * t[y][k];
      x[y][n] = clip16 (ref_descale (sum, 20 - p->depth));
    }
}

void
ref_hevc_block (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  hevc_forward (p, x);
  hevc_quantize (p, ref_block_size (p->params->transform, p->chroma,
          p->component), x, result);
  ref_hevc_inverse (p, x);
}
