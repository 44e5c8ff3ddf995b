/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Clauses 7.3 and 9.2 of ITU-T H.264: CAVLC. */
#include "h264-stream.h"

#include <string.h>

/* A NAL unit's bits, most significant first. */
typedef struct {
  GByteArray *bytes;
  guint n; /* bits */
} Bits;

static void
put (Bits * b, guint32 value, int n)
{
  static const guint8 zero = 0;

  for (int i = n - 1; i >= 0; i--, b->n++) {
    if (b->n % 8 == 0)
      g_byte_array_append (b->bytes, &zero, 1);
    b->bytes->data[b->n / 8] |= (value >> i & 1) << (7 - b->n % 8);
  }
}

/* ue(v) and se(v) of 9.1 */
static void
put_ue (Bits * b, guint32 value)
{
  int n = 0;

  while ((value + 1) >> n > 1)
    n++;
  put (b, 0, n);
  put (b, value + 1, n + 1);
}

static void
put_se (Bits * b, int value)
{
  put_ue (b, value > 0 ? 2 * value - 1 : -2 * value);
}

static void
nal_begin (Bits * b, int type)
{
  b->bytes = g_byte_array_new ();
  b->n = 0;
  put (b, 3 << 5 | type, 8);
}

/* The trailing bits, start code and emulation prevention (7.4.1). */
static void
nal_end (Bits * b, GByteArray * stream)
{
  static const guint8 start[] = { 0, 0, 0, 1 }, escape = 3;
  int zeros = 0;

  put (b, 1, 1);
  g_byte_array_append (stream, start, sizeof start);
  for (guint i = 0; i < b->bytes->len; i++) {
    const guint8 byte = b->bytes->data[i];

    if (zeros == 2 && byte <= 3) {
      g_byte_array_append (stream, &escape, 1);
      zeros = 0;
    }
    g_byte_array_append (stream, &byte, 1);
    zeros = byte == 0 ? zeros + 1 : 0;
  }
  g_byte_array_unref (b->bytes);
}

void
h264_begin (GByteArray * stream, const H264Stream * of)
{
  const int columns = (of->width + 15) / 16, rows = (of->height + 15) / 16;
  Bits b;

  nal_begin (&b, 7);
  put (&b, of->depth > 10 ? 244 : 122, 8);
  put (&b, 0, 8);
  put (&b, 51, 8);
  put_ue (&b, 0);
  put_ue (&b, of->tall ? 2 : 1);        /* chroma_format_idc */
  put_ue (&b, of->depth - 8);
  put_ue (&b, of->depth - 8);
  put (&b, 0, 2);               /* no bypass, no scaling matrix */
  put_ue (&b, 0);               /* frame_num: 4 bits */
  put_ue (&b, 2);               /* pic_order_cnt_type */
  put_ue (&b, 1);               /* max_num_ref_frames */
  put (&b, 0, 1);
  put_ue (&b, columns - 1);
  put_ue (&b, rows - 1);
  put (&b, 7, 3);               /* frames, direct_8x8_inference, cropping */
  put_ue (&b, 0);
  put_ue (&b, (columns * 16 - of->width) / 2);
  put_ue (&b, 0);
  put_ue (&b, (rows * 16 - of->height) / (of->tall ? 1 : 2));
  put (&b, 0, 1);
  nal_end (&b, stream);

  nal_begin (&b, 8);
  put_ue (&b, 0);
  put_ue (&b, 0);
  put (&b, 0, 2);               /* CAVLC */
  put_ue (&b, 0);
  put_ue (&b, 0);
  put_ue (&b, 0);
  put (&b, 0, 3);
  put_se (&b, 0);               /* pic_init_qp: 26 */
  put_se (&b, 0);
  put_se (&b, of->chroma_qp_offset);
  put (&b, 4, 3);               /* deblocking can be turned off */
  nal_end (&b, stream);
}

/* Table 9-5, coeff_token: length and bits by TotalCoeff and TrailingOnes, for
 * nC from 0, 2 and 4 on. From 8 on it has 6 bits. */
static const guint8 token_length[3][17][4] = {
  {{1}, {6, 2}, {8, 6, 3}, {9, 8, 7, 5}, {10, 9, 8, 6}, {11, 10, 9, 7},
      {13, 11, 10, 8}, {13, 13, 11, 9}, {13, 13, 13, 10}, {14, 14, 13, 11},
      {14, 14, 14, 13}, {15, 15, 14, 14}, {15, 15, 15, 14}, {16, 15, 15, 15},
      {16, 16, 16, 15}, {16, 16, 16, 16}, {16, 16, 16, 16}},
  {{2}, {6, 2}, {6, 5, 3}, {7, 6, 6, 4}, {8, 6, 6, 4}, {8, 7, 7, 5},
      {9, 8, 8, 6}, {11, 9, 9, 6}, {11, 11, 11, 7}, {12, 11, 11, 9},
      {12, 12, 12, 11}, {12, 12, 12, 11}, {13, 13, 13, 12}, {13, 13, 13, 13},
      {13, 14, 13, 13}, {14, 14, 14, 13}, {14, 14, 14, 14}},
  {{4}, {6, 4}, {6, 5, 4}, {6, 5, 5, 4}, {7, 5, 5, 4}, {7, 5, 5, 4},
      {7, 6, 6, 4}, {7, 6, 6, 4}, {8, 7, 7, 5}, {8, 8, 7, 6}, {9, 8, 8, 7},
      {9, 9, 8, 8}, {9, 9, 9, 8}, {10, 9, 9, 9}, {10, 10, 10, 10},
      {10, 10, 10, 10}, {10, 10, 10, 10}},
};

static const guint8 token_bits[3][17][4] = {
  {{1}, {5, 1}, {7, 4, 1}, {7, 6, 5, 3}, {7, 6, 5, 3}, {7, 6, 5, 4},
      {15, 6, 5, 4}, {11, 14, 5, 4}, {8, 10, 13, 4}, {15, 14, 9, 4},
      {11, 10, 13, 12}, {15, 14, 9, 12}, {11, 10, 13, 8}, {15, 1, 9, 12},
      {11, 14, 13, 8}, {7, 10, 9, 12}, {4, 6, 5, 8}},
  {{3}, {11, 2}, {7, 7, 3}, {7, 10, 9, 5}, {7, 6, 5, 4}, {4, 6, 5, 6},
      {7, 6, 5, 8}, {15, 6, 5, 4}, {11, 14, 13, 4}, {15, 10, 9, 4},
      {11, 14, 13, 12}, {8, 10, 9, 8}, {15, 14, 13, 12}, {11, 10, 9, 12},
      {7, 11, 6, 8}, {9, 8, 10, 1}, {7, 6, 5, 4}},
  {{15}, {15, 14}, {11, 15, 13}, {8, 12, 14, 12}, {15, 10, 11, 11},
      {11, 8, 9, 10}, {9, 14, 13, 9}, {8, 10, 9, 8}, {15, 14, 13, 13},
      {11, 14, 10, 12}, {15, 10, 13, 12}, {11, 14, 9, 12}, {8, 10, 13, 8},
      {13, 7, 9, 12}, {9, 12, 11, 10}, {5, 8, 7, 6}, {1, 4, 3, 2}},
};

/* Likewise of chroma's DCs: nC of -1 and -2. */
static const guint8 dc_token_length[2][9][4] = {
  {{2}, {6, 1}, {6, 6, 3}, {6, 7, 7, 6}, {6, 8, 8, 7}},
  {{1}, {7, 2}, {7, 7, 3}, {9, 7, 7, 5}, {9, 9, 7, 6}, {10, 10, 9, 7},
      {11, 11, 10, 7}, {12, 12, 11, 10}, {13, 12, 12, 11}},
};

static const guint8 dc_token_bits[2][9][4] = {
  {{1}, {7, 1}, {4, 6, 1}, {3, 3, 2, 5}, {2, 3, 2, 0}},
  {{1}, {15, 1}, {14, 13, 1}, {7, 12, 11, 1}, {6, 5, 10, 1}, {7, 6, 4, 9},
      {7, 6, 5, 8}, {7, 6, 5, 4}, {7, 5, 4, 4}},
};

/* Tables 9-7 and 9-8, total_zeros, by TotalCoeff from 1 on; Table 9-9 of
 * chroma's DCs. */
static const guint8 zeros_length[15][16] = {
  {1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9},
  {3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 6},
  {4, 3, 3, 3, 4, 4, 3, 3, 4, 5, 5, 6, 5, 6},
  {5, 3, 4, 4, 3, 3, 3, 4, 3, 4, 5, 5, 5},
  {4, 4, 4, 3, 3, 3, 3, 3, 4, 5, 4, 5}, {6, 5, 3, 3, 3, 3, 3, 3, 4, 3, 6},
  {6, 5, 3, 3, 3, 2, 3, 4, 3, 6}, {6, 4, 5, 3, 2, 2, 3, 3, 6},
  {6, 6, 4, 2, 2, 3, 2, 5}, {5, 5, 3, 2, 2, 2, 4}, {4, 4, 3, 3, 1, 3},
  {4, 4, 2, 1, 3}, {3, 3, 1, 2}, {2, 2, 1}, {1, 1},
};

static const guint8 zeros_bits[15][16] = {
  {1, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 1},
  {7, 6, 5, 4, 3, 5, 4, 3, 2, 3, 2, 3, 2, 1, 0},
  {5, 7, 6, 5, 4, 3, 4, 3, 2, 3, 2, 1, 1, 0},
  {3, 7, 5, 4, 6, 5, 4, 3, 3, 2, 2, 1, 0},
  {5, 4, 3, 7, 6, 5, 4, 3, 2, 1, 1, 0}, {1, 1, 7, 6, 5, 4, 3, 2, 1, 1, 0},
  {1, 1, 5, 4, 3, 3, 2, 1, 1, 0}, {1, 1, 1, 3, 3, 2, 2, 1, 0},
  {1, 0, 1, 3, 2, 1, 1, 1}, {1, 0, 1, 3, 2, 1, 1}, {0, 1, 1, 2, 1, 3},
  {0, 1, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1}, {0, 1},
};

static const guint8 dc_zeros_length[2][7][8] = {
  {{1, 2, 3, 3}, {1, 2, 2}, {1, 1}},
  {{1, 3, 3, 4, 4, 4, 5, 5}, {3, 2, 3, 3, 3, 3, 3}, {3, 3, 2, 2, 3, 3},
      {3, 2, 2, 2, 3}, {2, 2, 2, 2}, {2, 2, 1}, {1, 1}},
};

static const guint8 dc_zeros_bits[2][7][8] = {
  {{1, 1, 1, 0}, {1, 1, 0}, {1, 0}},
  {{1, 2, 3, 2, 3, 1, 1, 0}, {0, 1, 1, 4, 5, 6, 7}, {0, 1, 1, 2, 6, 7},
      {6, 0, 1, 2, 7}, {0, 1, 2, 3}, {0, 1, 1}, {0, 1}},
};

/* Table 9-10, run_before, by zerosLeft from 1 on. */
static const guint8 run_length[7][15] = {
  {1, 1}, {1, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 3, 3}, {2, 2, 3, 3, 3, 3},
  {2, 3, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11},
};

static const guint8 run_bits[7][15] = {
  {1, 0}, {1, 1, 0}, {3, 2, 1, 0}, {3, 2, 1, 1, 0}, {3, 2, 3, 2, 1, 0},
  {3, 0, 1, 3, 2, 5, 4}, {7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1},
};

/* 9.2.2.1: a level whose levelCode is `code`. */
static void
put_level (Bits * b, int code, int suffix_length)
{
  const int escape = suffix_length == 0 ? 30 : 15 << suffix_length;
  int prefix = 16;

  if (suffix_length == 0 && code < 14) {
    put (b, 1, code + 1);
  } else if (suffix_length == 0 && code < 30) {
    put (b, 1, 15);
    put (b, code - 14, 4);
  } else if (code < escape) {
    put (b, 1, (code >> suffix_length) + 1);
    put (b, code & ((1 << suffix_length) - 1), suffix_length);
  } else if (code - escape < 4096) {
    put (b, 1, 16);
    put (b, code - escape, 12);
  } else {
    while (code - escape + 4096 >= 1 << (prefix - 2))
      prefix++;
    put (b, 1, prefix + 1);
    put (b, code - escape + 4096 - (1 << (prefix - 3)), prefix - 3);
  }
}

/* residual_block_cavlc() of `n` levels in the order of their scan, with nC,
 * which is -1 or -2 for chroma's DCs. Returns TotalCoeff. */
static int
put_block (Bits * b, const int *levels, int n, int nc)
{
  int value[16], run[16], total = 0, ones = 0, zeros = 0, suffix_length;

  for (int i = 0, since = 0; i < n; i++)
    if (levels[i] != 0) {
      zeros += since;
      value[total] = levels[i];
      run[total++] = since;
      since = 0;
    } else {
      since++;
    }
  while (ones < 3 && ones < total && ABS (value[total - 1 - ones]) == 1)
    ones++;
  if (nc < 0)
    put (b, dc_token_bits[-nc - 1][total][ones],
        dc_token_length[-nc - 1][total][ones]);
  else if (nc < 8)
    put (b, token_bits[nc < 2 ? 0 : nc < 4 ? 1 : 2][total][ones],
        token_length[nc < 2 ? 0 : nc < 4 ? 1 : 2][total][ones]);
  else
    put (b, total == 0 ? 3 : (total - 1) * 4 + ones, 6);
  suffix_length = total > 10 && ones < 3;
  for (int i = 0; i < total; i++) {
    const int v = value[total - 1 - i];
    int code = v > 0 ? 2 * v - 2 : -2 * v - 1;

    if (i < ones) {
      put (b, v < 0, 1);
      continue;
    }
    if (i == ones && ones < 3)
      code -= 2;
    put_level (b, code, suffix_length);
    if (suffix_length == 0)
      suffix_length = 1;
    if (ABS (v) > 3 << (suffix_length - 1) && suffix_length < 6)
      suffix_length++;
  }
  if (total > 0 && total < n) {
    if (nc < 0)
      put (b, dc_zeros_bits[-nc - 1][total - 1][zeros],
          dc_zeros_length[-nc - 1][total - 1][zeros]);
    else
      put (b, zeros_bits[total - 1][zeros], zeros_length[total - 1][zeros]);
  }
  for (int i = total - 1; i > 0 && zeros > 0; zeros -= run[i--])
    put (b, run_bits[MIN (zeros, 7) - 1][run[i]],
        run_length[MIN (zeros, 7) - 1][run[i]]);
  return total;
}

/* residual() of a macroblock without luma. */
static void
put_chroma (Bits * b, const H264Stream * of, const gint16 * const levels[2])
{
  /* 8.5.11.1: where each block's DC is in the list; and the zig-zag scan. */
  static const guint8 dc_order[2][8] = {
    {0, 1, 2, 3}, {0, 2, 1, 5, 3, 6, 4, 7}
  };
  static const guint8 zigzag[16] = {
    0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15
  };
  const int n = of->tall ? 8 : 4;
  int scan[16];

  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < n; i++)
      scan[dc_order[of->tall][i]] = levels[c][16 * i];
    put_block (b, scan, n, of->tall ? -2 : -1);
  }
  for (int c = 0; c < 2; c++) {
    int total[8];

    for (int i = 0; i < n; i++) {
      /* 9.2.1: the blocks to the left and above. */
      const int left = i % 2 ? total[i - 1] : -1;
      const int above = i > 1 ? total[i - 2] : -1;
      const int nc = left >= 0 && above >= 0 ? (left + above + 1) / 2
          : left >= 0 ? left : above >= 0 ? above : 0;

      for (int k = 1; k < 16; k++)
        scan[k - 1] = levels[c][16 * i + zigzag[k]];
      total[i] = put_block (b, scan, 15, nc);
    }
  }
}

void
h264_add (GByteArray * stream, const H264Stream * of, guint number, int qp,
    const gint16 * const levels[2])
{
  const int columns = (of->width + 15) / 16, rows = (of->height + 15) / 16;
  const int size = of->tall ? 128 : 64;
  static const int none[16];

  for (int i = 0; i < columns * rows; i++) {
    const gint16 *own[2] = { levels[0] + i * size, levels[1] + i * size };
    Bits b;

    nal_begin (&b, 5);
    put_ue (&b, i);
    put_ue (&b, 7);             /* I */
    put_ue (&b, 0);
    put (&b, 0, 4);             /* frame_num */
    put_ue (&b, number % 2);    /* idr_pic_id */
    put (&b, 0, 2);
    put_se (&b, qp - 26);
    put_ue (&b, 1);             /* no deblocking */
    put_ue (&b, 1 + 2 + 4 * 2); /* mb_type: Intra_16x16, DC; all of chroma */
    put_ue (&b, 0);             /* intra_chroma_pred_mode: DC */
    put_se (&b, 0);
    put_block (&b, none, 16, 0);
    put_chroma (&b, of, own);
    nal_end (&b, stream);
  }
}
