/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.265's transforms with HM's forward transform and quantizer, and H.266's of
 * 64 with the same for its size. */
#include "reference-blocks.h"

#include <math.h>

/* The odd rows' left half of H.266's transMatrix for 64 (8.7.4). */
static const int odd64[32][32] = {
  {91, 90, 90, 90, 88, 87, 86, 84, 83, 81, 79, 77, 73, 71, 69, 65, 62, 59, 56,
      52, 48, 44, 41, 37, 33, 28, 24, 20, 15, 11, 7, 2},
  {90, 88, 84, 79, 71, 62, 52, 41, 28, 15, 2, -11, -24, -37, -48, -59, -69,
      -77, -83, -87, -90, -91, -90, -86, -81, -73, -65, -56, -44, -33, -20,
      -7},
  {90, 84, 73, 59, 41, 20, -2, -24, -44, -62, -77, -86, -90, -90, -83, -71,
      -56, -37, -15, 7, 28, 48, 65, 79, 87, 91, 88, 81, 69, 52, 33, 11},
  {90, 79, 59, 33, 2, -28, -56, -77, -88, -90, -81, -62, -37, -7, 24, 52, 73,
      87, 90, 83, 65, 41, 11, -20, -48, -71, -86, -91, -84, -69, -44, -15},
  {88, 71, 41, 2, -37, -69, -87, -90, -73, -44, -7, 33, 65, 86, 90, 77, 48,
      11, -28, -62, -84, -90, -79, -52, -15, 24, 59, 83, 91, 81, 56, 20},
  {87, 62, 20, -28, -69, -90, -84, -56, -11, 37, 73, 90, 81, 48, 2, -44, -79,
      -91, -77, -41, 7, 52, 83, 90, 71, 33, -15, -59, -86, -88, -65, -24},
  {86, 52, -2, -56, -87, -84, -48, 7, 59, 88, 83, 44, -11, -62, -90, -81, -41,
      15, 65, 90, 79, 37, -20, -69, -90, -77, -33, 24, 71, 91, 73, 28},
  {84, 41, -24, -77, -90, -56, 7, 65, 91, 69, 11, -52, -88, -79, -28, 37, 83,
      86, 44, -20, -73, -90, -59, 2, 62, 90, 71, 15, -48, -87, -81, -33},
  {83, 28, -44, -88, -73, -11, 59, 91, 62, -7, -71, -90, -48, 24, 81, 84, 33,
      -41, -87, -77, -15, 56, 90, 65, -2, -69, -90, -52, 20, 79, 86, 37},
  {81, 15, -62, -90, -44, 37, 88, 69, -7, -77, -84, -24, 56, 91, 52, -28, -86,
      -73, -2, 71, 87, 33, -48, -90, -59, 20, 83, 79, 11, -65, -90, -41},
  {79, 2, -77, -81, -7, 73, 83, 11, -71, -84, -15, 69, 86, 20, -65, -87, -24,
      62, 88, 28, -59, -90, -33, 56, 90, 37, -52, -90, -41, 48, 91, 44},
  {77, -11, -86, -62, 33, 90, 44, -52, -90, -24, 69, 83, 2, -81, -71, 20, 88,
      56, -41, -91, -37, 59, 87, 15, -73, -79, 7, 84, 65, -28, -90, -48},
  {73, -24, -90, -37, 65, 81, -11, -88, -48, 56, 86, 2, -84, -59, 44, 90, 15,
      -79, -69, 33, 91, 28, -71, -77, 20, 90, 41, -62, -83, 7, 87, 52},
  {71, -37, -90, -7, 86, 48, -62, -79, 24, 91, 20, -81, -59, 52, 84, -11, -90,
      -33, 73, 69, -41, -88, -2, 87, 44, -65, -77, 28, 90, 15, -83, -56},
  {69, -48, -83, 24, 90, 2, -90, -28, 81, 52, -65, -71, 44, 84, -20, -90, -7,
      88, 33, -79, -56, 62, 73, -41, -86, 15, 91, 11, -87, -37, 77, 59},
  {65, -59, -71, 52, 77, -44, -81, 37, 84, -28, -87, 20, 90, -11, -90, 2, 91,
      7, -90, -15, 88, 24, -86, -33, 83, 41, -79, -48, 73, 56, -69, -62},
  {62, -69, -56, 73, 48, -79, -41, 83, 33, -86, -24, 88, 15, -90, -7, 91, -2,
      -90, 11, 90, -20, -87, 28, 84, -37, -81, 44, 77, -52, -71, 59, 65},
  {59, -77, -37, 87, 11, -91, 15, 86, -41, -73, 62, 56, -79, -33, 88, 7, -90,
      20, 84, -44, -71, 65, 52, -81, -28, 90, 2, -90, 24, 83, -48, -69},
  {56, -83, -15, 90, -28, -77, 65, 44, -87, -2, 88, -41, -69, 73, 33, -90, 11,
      84, -52, -59, 81, 20, -91, 24, 79, -62, -48, 86, 7, -90, 37, 71},
  {52, -87, 7, 83, -62, -41, 90, -20, -77, 71, 28, -91, 33, 69, -79, -15, 90,
      -44, -59, 84, 2, -86, 56, 48, -88, 11, 81, -65, -37, 90, -24, -73},
  {48, -90, 28, 65, -84, 7, 79, -73, -15, 87, -59, -37, 91, -41, -56, 88, -20,
      -71, 81, 2, -83, 69, 24, -90, 52, 44, -90, 33, 62, -86, 11, 77},
  {44, -91, 48, 41, -90, 52, 37, -90, 56, 33, -90, 59, 28, -88, 62, 24, -87,
      65, 20, -86, 69, 15, -84, 71, 11, -83, 73, 7, -81, 77, 2, -79},
  {41, -90, 65, 11, -79, 83, -20, -59, 90, -48, -33, 87, -71, -2, 73, -86, 28,
      52, -91, 56, 24, -84, 77, -7, -69, 88, -37, -44, 90, -62, -15, 81},
  {37, -86, 79, -20, -52, 90, -69, 2, 65, -90, 56, 15, -77, 87, -41, -33, 84,
      -81, 24, 48, -90, 71, -7, -62, 91, -59, -11, 73, -88, 44, 28, -83},
  {33, -81, 87, -48, -15, 71, -90, 62, -2, -59, 90, -73, 20, 44, -86, 83, -37,
      -28, 79, -88, 52, 11, -69, 91, -65, 7, 56, -90, 77, -24, -41, 84},
  {28, -73, 91, -71, 24, 33, -77, 90, -69, 20, 37, -79, 90, -65, 15, 41, -81,
      90, -62, 11, 44, -83, 88, -59, 7, 48, -84, 87, -56, 2, 52, -86},
  {24, -65, 88, -86, 59, -15, -33, 71, -90, 83, -52, 7, 41, -77, 91, -79, 44,
      2, -48, 81, -90, 73, -37, -11, 56, -84, 90, -69, 28, 20, -62, 87},
  {20, -56, 81, -91, 83, -59, 24, 15, -52, 79, -90, 84, -62, 28, 11, -48, 77,
      -90, 86, -65, 33, 7, -44, 73, -90, 87, -69, 37, 2, -41, 71, -88},
  {15, -44, 69, -84, 91, -86, 71, -48, 20, 11, -41, 65, -83, 90, -87, 73, -52,
      24, 7, -37, 62, -81, 90, -88, 77, -56, 28, 2, -33, 59, -79, 90},
  {11, -33, 52, -69, 81, -88, 91, -87, 79, -65, 48, -28, 7, 15, -37, 56, -71,
      83, -90, 90, -86, 77, -62, 44, -24, 2, 20, -41, 59, -73, 84, -90},
  {7, -20, 33, -44, 56, -65, 73, -81, 86, -90, 91, -90, 87, -83, 77, -69, 59,
      -48, 37, -24, 11, 2, -15, 28, -41, 52, -62, 71, -79, 84, -88, 90},
  {2, -7, 11, -15, 20, -24, 28, -33, 37, -41, 44, -48, 52, -56, 59, -62, 65,
      -69, 71, -73, 77, -79, 81, -83, 84, -86, 87, -88, 90, -90, 90, -91},
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
    case 64:
      return sign * odd64[k / 2][mirrored];
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

int
ref_hevc_factor (const BdctParams * params, BdctComponent component, int size,
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
  int qp = ref_hevc_qp (p->params, p->chroma, p->component, p->depth);
  int log2_size = log2 (size), bits = 29 + qp / 6 - p->depth - log2_size;
  /* HM's 171 and 85 are 512 / 3 and 512 / 6 to the nearest. */
  Whole offset = (Whole) floor (512 * p->params->deadzone + 0.5);

  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      Whole m = ref_hevc_factor (p->params, p->component, size, v, u);
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
  int qp = ref_hevc_qp (p->params, p->chroma, p->component, p->depth);
  int shift = p->depth + log2 (size) - 5;

  for (int v = 0; v < size; v++)
    for (int u = 0; u < size; u++) {
      Whole m = ref_hevc_factor (p->params, p->component, size, v, u);

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
ref_hevc_backward (const RefPlane * p, Whole x[][REF_SIZE],
    RefResult * result)
{
  hevc_quantize (p, ref_block_size (p->params->transform, p->chroma,
          p->component), x, result);
  ref_hevc_inverse (p, x);
}

void
ref_hevc_block (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  hevc_forward (p, x);
  ref_hevc_backward (p, x, result);
}
