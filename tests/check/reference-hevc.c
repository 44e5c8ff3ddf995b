/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.265's transforms with HM's forward transform and quantizer. */
#include "reference-blocks.h"

#include <math.h>

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


/* H.265 8.6.4.2: trType is 1 for luma only (cIdx 0), in 4:4:4 as well. */
static bool
uses_dst (BdctTransform transform, BdctComponent component)
{
  return transform == BDCT_HEVC_DST_4X4 && component == BDCT_Y;
}

static Whole
clip16 (Whole v)
{
  return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
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
hevc_quantize (const RefPlane * p, int size, Whole x[][REF_SIZE],
    RefResult * result)
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
      x[v][u] = clip16 (ref_descale (level * m * level_scale[qp % 6]
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
    for (int k = 0; k < size; k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * x[y][n];
      t[y][k] = ref_descale (sum, log2_size + p->depth - 9);
    }
  for (int c = 0; c < size; c++)
    for (int k = 0; k < size; k++) {
      Whole sum = 0;
      for (int n = 0; n < size; n++)
        sum += m[k][n] * t[n][c];
      x[k][c] = ref_descale (sum, log2_size + 6);
    }
}

void
ref_hevc_backward (const RefPlane * p, Whole x[][REF_SIZE],
    RefResult * result)
{
  int size = ref_block_size (p->params->transform, p->chroma, p->component);
  Whole m[REF_SIZE][REF_SIZE], t[REF_SIZE][REF_SIZE];

  hevc_matrix (p, size, m);
  hevc_quantize (p, size, x, result);
  for (int c = 0; c < size; c++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < size; k++)
        sum += m[k][n] * x[k][c];
      t[n][c] = clip16 (ref_descale (sum, 7));
    }
  for (int y = 0; y < size; y++)
    for (int n = 0; n < size; n++) {
      Whole sum = 0;
      for (int k = 0; k < size; k++)
        sum += m[k][n] * t[y][k];
      x[y][n] = clip16 (ref_descale (sum, 20 - p->depth));
    }
}

void
ref_hevc_block (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  hevc_forward (p, x);
  ref_hevc_backward (p, x, result);
}
