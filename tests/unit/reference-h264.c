/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.264's transforms: the inverse and the scaling in the standard's terms, the
 * forward transform of x264 with its shifts gathered into floors, and the
 * quantizer of JM, whose factors follow from the standard's and the basis
 * functions' norms. */
#include "reference-blocks.h"

#include <math.h>
#include <string.h>

/* H.264 Table 8-15 with its first column written out. */
static const int qpc[52] = {
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
  22, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36,
  36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39,
};

static int
h264_qp (const BdctParams * params, BdctComponent component, int depth)
{
  int offset = 6 * (depth - 8), qpi = params->qp;

  if (component != BDCT_Y) {
    /* Clip3 (-QpBdOffsetC, 51, QPY + qPOffset), clause 8.5.8 */
    qpi = fmin (fmax (qpi + params->chroma_qp_offset, -offset), 51);
    if (qpi >= 0)
      qpi = qpc[qpi];
  }
  return qpi + offset;
}

/* Clause 8.5.9: normAdjust4x4 (m, i, j). */
static int
norm_4x4 (int m, int i, int j)
{
  static const int v[6][3] = {
    {10, 16, 13}, {11, 18, 14}, {13, 20, 16},
    {14, 23, 18}, {16, 25, 20}, {18, 29, 23},
  };

  return i % 2 == 0 && j % 2 == 0 ? v[m][0] : i % 2 == 1 && j % 2 == 1
      ? v[m][1] : v[m][2];
}

/* normAdjust8x8 (m, i, j) */
static int
norm_8x8 (int m, int i, int j)
{
  static const int v[6][6] = {
    {20, 18, 32, 19, 25, 24}, {22, 19, 35, 21, 28, 26},
    {26, 23, 42, 24, 33, 31}, {28, 25, 45, 26, 35, 33},
    {32, 28, 51, 30, 40, 38}, {36, 32, 58, 34, 46, 43},
  };

  if (i % 4 == 0 && j % 4 == 0)
    return v[m][0];
  if (i % 2 == 1 && j % 2 == 1)
    return v[m][1];
  if (i % 4 == 2 && j % 4 == 2)
    return v[m][2];
  if ((i % 4 == 0 && j % 2 == 1) || (i % 2 == 1 && j % 4 == 0))
    return v[m][3];
  if ((i % 4 == 0 && j % 4 == 2) || (i % 4 == 2 && j % 4 == 0))
    return v[m][4];
  return v[m][5];
}

static int
h264_level_scale (int size, int m, int i, int j)
{
  return 16 * (size == 4 ? norm_4x4 (m, i, j) : norm_8x8 (m, i, j));
}

static int
h264_quant_scale (int size, int m, int i, int j)
{
  /* What a basis function gives there and back: 4 and 2 (2 + 1/2) for a side of
   * 4; 8, 2 (144 + 100 + 36 + 9) / 64 and 2 (64 + 16) / 32 for 8. By 32. */
  static const int norm_4[4] = { 128, 160, 128, 160 };
  static const int norm_8[8] = { 256, 289, 160, 289, 256, 289, 160, 289 };
  Whole norms = size == 4 ? norm_4[i] * norm_4[j] : norm_8[i] * norm_8[j];
  Whole by = norms * h264_level_scale (size, m, i, j) / 16;

  return ((Whole) 1024 * (1 << (size == 4 ? 22 : 25)) + by) / (2 * by);
}

static Whole
floor_div (Whole v, Whole by)
{
  return v / by - (v % by < 0);
}

static void
forward_4 (const Whole * in, Whole * out)
{
  static const int m[4][4] = {
    {1, 1, 1, 1}, {2, 1, -1, -2}, {1, -1, -1, 1}, {1, -2, 2, -1},
  };

  for (int k = 0; k < 4; k++) {
    out[k] = 0;
    for (int n = 0; n < 4; n++)
      out[k] += m[k][n] * in[n];
  }
}

static void
forward_8 (const Whole * in, Whole * out)
{
  /* Twice, and what is rounded positive: two are subtracted. */
  static const int odd[4][4] = {
    {3, 2, 2, 0}, {-2, 0, 3, 2}, {-2, 3, 0, -2}, {0, 2, -2, 3},
  };
  Whole s[4], even[4], a[4];

  for (int n = 0; n < 4; n++)
    s[n] = in[n] + in[7 - n];
  for (int n = 0; n < 2; n++) {
    even[n] = s[n] + s[3 - n];
    even[2 + n] = s[n] - s[3 - n];
  }
  for (int k = 0; k < 4; k++) {
    Whole doubled = 0;

    for (int n = 0; n < 4; n++)
      doubled += odd[k][n] * (in[n] - in[7 - n]);
    a[k] = floor_div (doubled, 2) * (k == 1 || k == 2 ? -1 : 1);
  }
  out[0] = even[0] + even[1];
  out[4] = even[0] - even[1];
  out[2] = floor_div (2 * even[2] + even[3], 2);
  out[6] = floor_div (even[2] - 2 * even[3], 2);
  out[1] = floor_div (4 * a[0] + a[3], 4);
  out[7] = floor_div (a[0] - 4 * a[3], 4);
  out[3] = floor_div (4 * a[1] + a[2], 4);
  out[5] = -floor_div (a[1] - 4 * a[2], 4);
}

/* Clause 8.5.12.2 */
static void
inverse_4 (const Whole * d, Whole * f)
{
  Whole e[4];

  e[0] = d[0] + d[2];
  e[1] = d[0] - d[2];
  e[2] = floor_div (d[1], 2) - d[3];
  e[3] = d[1] + floor_div (d[3], 2);
  f[0] = e[0] + e[3];
  f[1] = e[1] + e[2];
  f[2] = e[1] - e[2];
  f[3] = e[0] - e[3];
}

/* Clause 8.5.13 */
static void
inverse_8 (const Whole * d, Whole * g)
{
  Whole e[8], f[8];

  e[0] = d[0] + d[4];
  e[1] = -d[3] + d[5] - d[7] - floor_div (d[7], 2);
  e[2] = d[0] - d[4];
  e[3] = d[1] + d[7] - d[3] - floor_div (d[3], 2);
  e[4] = floor_div (d[2], 2) - d[6];
  e[5] = -d[1] + d[7] + d[5] + floor_div (d[5], 2);
  e[6] = d[2] + floor_div (d[6], 2);
  e[7] = d[3] + d[5] + d[1] + floor_div (d[1], 2);
  f[0] = e[0] + e[6];
  f[1] = e[1] + floor_div (e[7], 4);
  f[2] = e[2] + e[4];
  f[3] = e[3] + floor_div (e[5], 4);
  f[4] = e[2] - e[4];
  f[5] = floor_div (e[3], 4) - e[5];
  f[6] = e[0] - e[6];
  f[7] = e[7] - floor_div (e[1], 4);
  for (int n = 0; n < 4; n++) {
    static const int from[4] = { 7, 5, 3, 1 };

    g[n] = f[2 * n] + f[from[n]];
    g[7 - n] = f[2 * n] - f[from[n]];
  }
}

typedef void (*Line) (const Whole * in, Whole * out);

static void
rows_of (Line line, int size, Whole x[][REF_SIZE])
{
  for (int i = 0; i < size; i++) {
    Whole out[8];

    line (x[i], out);
    memcpy (x[i], out, size * sizeof *out);
  }
}

static void
columns (Line line, int size, Whole x[][REF_SIZE])
{
  for (int j = 0; j < size; j++) {
    Whole in[8], out[8];

    for (int i = 0; i < size; i++)
      in[i] = x[i][j];
    line (in, out);
    for (int i = 0; i < size; i++)
      x[i][j] = out[i];
  }
}

/* JM's rounding offset of a quantizer of so many bits. */
static Whole
offset_of (const RefPlane * p, int bits)
{
  Whole unit = (Whole) 1 << bits;

  return p->params->deadzone == 1.0 / 3 ? unit / 3
      : (Whole) floor (p->params->deadzone * unit);
}

/* JM's level: with a DC transform the quantizer has a bit more, and its offset
 * is twice that of the other coefficients. */
static int
level_of (const RefPlane * p, int size, int qp, Whole c, int i, int j,
    int more)
{
  int bits = (size == 4 ? 15 : 16) + qp / 6;
  Whole level = ((c < 0 ? -c : c) * h264_quant_scale (size, qp % 6, i, j)
      + (offset_of (p, bits) << more)) / ((Whole) 1 << (bits + more));

  return c < 0 ? -level : level;
}

/* Of levels, except that with `has_dc` x[0][0] is what the DC transform has
 * made of them (8.5.12.1: Intra16x16 or chroma). */
static void
inverse (const RefPlane * p, Whole x[][REF_SIZE], bool has_dc)
{
  int size = ref_block_size (p->params->transform, p->chroma, p->component);
  int qp = h264_qp (p->params, p->component, p->depth);
  int per = qp / 6, shift = size == 4 ? 4 : 6;

  /* Clauses 8.5.12.1 and 8.5.13.1 */
  for (int i = 0; i < size; i++)
    for (int j = has_dc && i == 0; j < size; j++) {
      Whole scale = h264_level_scale (size, qp % 6, i, j);

      x[i][j] = per >= shift ? x[i][j] * scale * (1 << (per - shift))
          : ref_descale (x[i][j] * scale, shift - per);
    }
  rows_of (size == 4 ? inverse_4 : inverse_8, size, x);
  columns (size == 4 ? inverse_4 : inverse_8, size, x);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++)
      x[i][j] = ref_descale (x[i][j], 6);
}

void
ref_h264_inverse (const RefPlane * p, Whole x[][REF_SIZE])
{
  inverse (p, x, false);
}

/* Clause 8.5.11.1: f = A c B of 2 or 4 rows. JM does the same in the
 * encoder. */
static void
transform_dcs (int rows, Whole c[4][2])
{
  static const int two[2][2] = { {1, 1}, {1, -1} };
  static const int four[4][4] = {
    {1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, -1, 1}, {1, -1, 1, -1},
  };
  Whole f[4][2] = { { 0 } };

  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < rows; k++)
        for (int l = 0; l < 2; l++)
          f[i][j] += (rows == 2 ? two[i][k] : four[i][k]) * c[k][l]
              * two[l][j];
  memcpy (c, f, sizeof f);
}

/* Clause 8.5.11.2 */
static Whole
scale_dc (int rows, int qp, Whole f)
{
  int dc_qp = qp + 3, scale;

  if (rows == 2) {
    scale = h264_level_scale (4, qp % 6, 0, 0);
    return floor_div (f * scale * (1 << qp / 6), 32);
  }
  scale = h264_level_scale (4, dc_qp % 6, 0, 0);
  if (dc_qp >= 36)
    return f * scale * (1 << (dc_qp / 6 - 6));
  return floor_div (f * scale + (1 << (5 - dc_qp / 6)), 1 << (6 - dc_qp / 6));
}

/* A macroblock's 4x4 block (i, j), from or to a copy. */
static void
copy_block (Whole x[][REF_SIZE], int i, int j, Whole own[][REF_SIZE], bool to)
{
  for (int y = 0; y < 4; y++)
    memcpy (to ? &x[4 * i + y][4 * j] : own[y],
        to ? own[y] : &x[4 * i + y][4 * j], 4 * sizeof (Whole));
}

void
ref_h264_chroma_inverse (const RefPlane * p, Whole x[][REF_SIZE])
{
  int rows = p->chroma == BDCT_CHROMA_420 ? 2 : 4;
  int qp = h264_qp (p->params, p->component, p->depth);
  Whole c[4][2], own[4][REF_SIZE];

  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 2; j++)
      c[i][j] = x[4 * i][4 * j];
  transform_dcs (rows, c);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 2; j++) {
      copy_block (x, i, j, own, false);
      own[0][0] = scale_dc (rows, qp, c[i][j]);
      inverse (p, own, true);
      copy_block (x, i, j, own, true);
    }
}

void
ref_h264_chroma (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  int rows = p->chroma == BDCT_CHROMA_420 ? 2 : 4;
  int qp = h264_qp (p->params, p->component, p->depth);
  Whole c[4][2], own[4][REF_SIZE];

  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 2; j++) {
      copy_block (x, i, j, own, false);
      columns (forward_4, 4, own);
      rows_of (forward_4, 4, own);
      copy_block (x, i, j, own, true);
      c[i][j] = own[0][0];
    }
  transform_dcs (rows, c);
  for (int i = 0; i < 4 * rows; i++)
    for (int j = 0; j < 8; j++) {
      x[i][j] = i % 4 == 0 && j % 4 == 0
          ? level_of (p, 4, rows == 2 ? qp : qp + 3, c[i / 4][j / 4], 0, 0, 1)
          : level_of (p, 4, qp, x[i][j], i % 4, j % 4, 0);
      result->level[i][j] = x[i][j];
      result->nonzero += x[i][j] != 0;
    }
  ref_h264_chroma_inverse (p, x);
}

void
ref_h264_block (const RefPlane * p, Whole x[][REF_SIZE], RefResult * result)
{
  int size = ref_block_size (p->params->transform, p->chroma, p->component);
  int qp = h264_qp (p->params, p->component, p->depth);

  columns (size == 4 ? forward_4 : forward_8, size, x);
  rows_of (size == 4 ? forward_4 : forward_8, size, x);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      x[i][j] = level_of (p, size, qp, x[i][j], i, j, 0);
      result->nonzero += x[i][j] != 0;
      result->level[i][j] = x[i][j];
    }
  ref_h264_inverse (p, x);
}
