/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * With H.265's binary arithmetic coder (clauses 9.3.4.3, 9.3.5). */
#include "residual-coding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tables 9-5 to 9-37, initType 0. */
static const guint8 init_value[N_RESIDUAL_ELEMENTS][RESIDUAL_MAX_CONTEXTS] = {
  [RESIDUAL_CBF_LUMA] = {111, 141},
  [RESIDUAL_CBF_CHROMA] = {94, 138, 182, 154},
  [RESIDUAL_LAST_X] = {110, 110, 124, 125, 140, 153, 125, 127, 140, 109, 111,
      143, 127, 111, 79, 108, 123, 63},
  [RESIDUAL_LAST_Y] = {110, 110, 124, 125, 140, 153, 125, 127, 140, 109, 111,
      143, 127, 111, 79, 108, 123, 63},
  [RESIDUAL_SUB_BLOCK] = {91, 171, 134, 141},
  [RESIDUAL_SIG] = {111, 111, 125, 110, 110, 94, 124, 108, 124, 107, 125, 141,
      179, 153, 125, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153,
      125, 140, 139, 182, 182, 152, 136, 152, 136, 153, 136, 139, 111, 136,
      139, 111},
  [RESIDUAL_GREATER1] = {140, 92, 137, 138, 140, 152, 138, 139, 153, 74, 149,
      92, 139, 107, 122, 152, 140, 179, 166, 182, 140, 227, 122, 197},
  [RESIDUAL_GREATER2] = {138, 153, 136, 167, 152, 152},
};

/* Table 9-46. */
static const guint8 range_tab_lps[64][4] = {
  {128, 176, 208, 240}, {128, 167, 197, 227}, {128, 158, 187, 216},
  {123, 150, 178, 205}, {116, 142, 169, 195}, {111, 135, 160, 185},
  {105, 128, 152, 175}, {100, 122, 144, 166}, {95, 116, 137, 158},
  {90, 110, 130, 150}, {85, 104, 123, 142}, {81, 99, 117, 135},
  {77, 94, 111, 128}, {73, 89, 105, 122}, {69, 85, 100, 116},
  {66, 80, 95, 110}, {62, 76, 90, 104}, {59, 72, 86, 99}, {56, 69, 81, 94},
  {53, 65, 77, 89}, {51, 62, 73, 85}, {48, 59, 69, 80}, {46, 56, 66, 76},
  {43, 53, 63, 72}, {41, 50, 59, 69}, {39, 48, 56, 65}, {37, 45, 54, 62},
  {35, 43, 51, 59}, {33, 41, 48, 56}, {32, 39, 46, 53}, {30, 37, 43, 50},
  {29, 35, 41, 48}, {27, 33, 39, 45}, {26, 31, 37, 43}, {24, 30, 35, 41},
  {23, 28, 33, 39}, {22, 27, 32, 37}, {21, 26, 30, 35}, {20, 24, 29, 33},
  {19, 23, 27, 31}, {18, 22, 26, 30}, {17, 21, 25, 28}, {16, 20, 23, 27},
  {15, 19, 22, 25}, {14, 18, 21, 24}, {14, 17, 20, 23}, {13, 16, 19, 22},
  {12, 15, 18, 21}, {12, 14, 17, 20}, {11, 14, 16, 19}, {11, 13, 15, 18},
  {10, 12, 15, 17}, {10, 12, 14, 16}, {9, 11, 13, 15}, {9, 11, 12, 14},
  {8, 10, 12, 14}, {8, 9, 11, 13}, {7, 9, 11, 12}, {7, 9, 10, 12},
  {7, 8, 10, 11}, {6, 8, 9, 11}, {6, 7, 9, 10}, {6, 7, 8, 9}, {2, 2, 2, 2},
};

/* Table 9-47. */
static const guint8 trans_idx_lps[64] = {
  0, 0, 1, 2, 2, 4, 4, 5, 6, 7, 8, 9, 9, 11, 11, 12,
  13, 13, 15, 15, 16, 16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24,
  24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33,
  33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 63,
};

/* 9.3.2.2 */
static void
init_contexts (ResidualCoder * c, int slice_qp)
{
  for (int e = 0; e < N_RESIDUAL_ELEMENTS; e++)
    for (int i = 0; i < RESIDUAL_MAX_CONTEXTS; i++) {
      const int slope = (init_value[e][i] >> 4) * 5 - 45;
      const int offset = ((init_value[e][i] & 15) << 3) - 16;
      const int pre = CLAMP (((slope * slice_qp) >> 4) + offset, 1, 126);

      c->context[e][i].mps = pre > 63;
      c->context[e][i].p_state = pre > 63 ? pre - 64 : 63 - pre;
    }
}

/* --- The arithmetic encoder: 9.3.5. --- */

static void
renormalize (ResidualCoder * c)
{
  for (; c->range < 256; c->range <<= 1)
    c->shifts++;
}

static void
next_state (ResidualContext * s, gboolean mps)
{
  if (mps) {
    s->p_state = MIN (s->p_state + 1, 62);
  } else {
    if (s->p_state == 0)
      s->mps = 1 - s->mps;
    s->p_state = trans_idx_lps[s->p_state];
  }
}

/* A bin with a context of a syntax element. */
static void
encode_decision (ResidualCoder * c, ResidualElement element, int ctx, guint bin)
{
  ResidualContext *s = &c->context[element][ctx];
  const guint lps = range_tab_lps[s->p_state][c->range >> 6 & 3];

  c->bins[element][ctx][bin]++;
  c->range -= lps;
  if (bin != s->mps)
    c->range = lps;
  next_state (s, bin == s->mps);
  renormalize (c);
}

/* `n` bins without. */
static void
encode_bypass (ResidualCoder * c, int n)
{
  c->bypass += n;
  c->shifts += n;
}

void
residual_encoder_init (ResidualCoder * c, int slice_qp)
{
  memset (c, 0, sizeof *c);
  init_contexts (c, slice_qp);
  c->range = 510;
}

double
residual_bits (const ResidualCoder * c)
{
  return c->shifts + log2 (510.0 / c->range);
}

/* Table 9-41: ctxIdxMap. */
static const guint8 ctx_idx_map[15] = {
  0, 1, 4, 5, 2, 3, 4, 5, 6, 6, 8, 8, 7, 7, 8
};

/* --- Contexts: 9.3.4.2. --- */

/* 6.5.3, up-right diagonal; place i is at scan[i][0], scan[i][1] = x, y. */
static void
diagonal_scan (int size, int scan[][2])
{
  int i = 0, x = 0, y = 0;

  while (i < size * size) {
    for (; y >= 0; y--, x++)
      if (x < size && y < size) {
        scan[i][0] = x;
        scan[i++][1] = y;
      }
    y = x;
    x = 0;
  }
}

/* 9.3.4.2.3 */
static int
last_ctx (int log2_size, gboolean chroma, int bin)
{
  if (chroma)
    return 15 + (bin >> (log2_size - 2));
  return 3 * (log2_size - 2) + ((log2_size - 1) >> 2)
      + (bin >> ((log2_size + 1) >> 2));
}

/* Whether sub-blocks are coded, with a margin to the right and below. */
typedef guint8 SubBlockFlags[9][9];

/* 9.3.4.2.4 */
static int
sub_block_ctx (SubBlockFlags flags, int x, int y, gboolean chroma)
{
  return MIN (flags[y][x + 1] + flags[y + 1][x], 1) + (chroma ? 2 : 0);
}

/* 9.3.4.2.5 */
static int
sig_ctx (SubBlockFlags flags, int x, int y, int log2_size, gboolean chroma)
{
  int ctx;

  if (log2_size == 2) {
    ctx = ctx_idx_map[(y << 2) + x];
  } else if (x + y == 0) {
    ctx = 0;
  } else {
    const int xs = x >> 2, ys = y >> 2, xp = x & 3, yp = y & 3;
    const int neighbours = flags[ys][xs + 1] + 2 * flags[ys + 1][xs];

    if (neighbours == 0)
      ctx = xp + yp == 0 ? 2 : xp + yp < 3 ? 1 : 0;
    else if (neighbours == 1)
      ctx = yp == 0 ? 2 : yp == 1 ? 1 : 0;
    else if (neighbours == 2)
      ctx = xp == 0 ? 2 : xp == 1 ? 1 : 0;
    else
      ctx = 2;
    if (!chroma) {
      if (xs > 0 || ys > 0)
        ctx += 3;
      ctx += log2_size == 3 ? 9 : 21;
    } else {
      ctx += log2_size == 3 ? 9 : 12;
    }
  }
  return chroma ? 27 + ctx : ctx;
}

/* 9.3.4.2.6: what coeff_abs_level_greater1_flag's context depends on. */
typedef struct {
  int ctx_set, greater1_ctx;
  gboolean used;                /* in this transform block */
  guint last_flag;
} Greater1;

static int
greater1_ctx (Greater1 * g, gboolean first_in_sub_block, int sub_block,
    gboolean chroma)
{
  if (first_in_sub_block) {
    g->ctx_set = sub_block == 0 || chroma ? 0 : 2;
    if (g->used) {
      int last = g->greater1_ctx;

      if (last > 0)
        last = g->last_flag ? 0 : last + 1;
      if (last == 0)
        g->ctx_set++;
    }
    g->greater1_ctx = 1;
  } else if (g->greater1_ctx > 0) {
    g->greater1_ctx = g->last_flag ? 0 : g->greater1_ctx + 1;
  }
  g->used = TRUE;
  return g->ctx_set * 4 + MIN (3, g->greater1_ctx) + (chroma ? 16 : 0);
}

/* --- Encoding a block. --- */

/* 9.3.3.11 */
static void
encode_remaining (ResidualCoder * c, int value, int rice)
{
  const int prefix = MIN (4 << rice, value);

  encode_bypass (c, prefix >> rice);
  if (prefix >> rice < 4) {
    encode_bypass (c, 1 + rice);
  } else {                      /* 9.3.3.5, EGk */
    int rest = value - prefix, k = rice + 1;

    for (; rest >= 1 << k; rest -= 1 << k++)
      encode_bypass (c, 1);
    encode_bypass (c, 1 + k);
  }
}

/* 7.4.9.11: positions by prefix begin at, and have as many bits after. */
static int
last_begin (int prefix)
{
  return prefix <= 3 ? prefix
      : (1 << ((prefix >> 1) - 1)) * (2 + (prefix & 1));
}

static int
last_prefix (int position)
{
  int prefix = 0;

  while (last_begin (prefix + 1) <= position)
    prefix++;
  return prefix;
}

static void
encode_last_prefix (ResidualCoder * c, ResidualElement element, int position,
    int log2_size, gboolean chroma)
{
  const int prefix = last_prefix (position);

  for (int i = 0; i < prefix; i++)
    encode_decision (c, element, last_ctx (log2_size, chroma, i), 1);
  if (prefix < (log2_size << 1) - 1)
    encode_decision (c, element, last_ctx (log2_size, chroma, prefix), 0);
}

static void
encode_last_suffix (ResidualCoder * c, int position)
{
  const int prefix = last_prefix (position);

  if (prefix > 3)
    encode_bypass (c, (prefix >> 1) - 1);
}

static int
cbf_ctx (int log2_size, gboolean chroma)
{
  /* trafoDepth: 4x4 luma is 1 below its coding block. */
  return chroma ? 0 : log2_size == 2 ? 0 : 1;
}

/* The flags and remainders of the levels of a sub-block, last one first. */
static void
encode_magnitudes (ResidualCoder * c, const int *level, int n, Greater1 * g,
    int sub_block, gboolean chroma)
{
  int first_greater = -1, rice = 0;

  for (int i = 0; i < MIN (n, 8); i++) {
    const gboolean flag = abs (level[i]) > 1;

    encode_decision (c, RESIDUAL_GREATER1, greater1_ctx (g, i == 0, sub_block,
            chroma), flag);
    g->last_flag = flag;
    if (flag && first_greater < 0)
      first_greater = i;
  }
  if (first_greater >= 0)
    encode_decision (c, RESIDUAL_GREATER2, g->ctx_set + (chroma ? 4 : 0),
        abs (level[first_greater]) > 2);
  encode_bypass (c, n);                /* the signs */
  for (int i = 0; i < n; i++) {
    const int greater1 = i < 8 && abs (level[i]) > 1;
    const int greater2 = i == first_greater && abs (level[i]) > 2;
    const int base = 1 + greater1 + greater2;

    if (base == (i < 8 ? (i == first_greater ? 3 : 2) : 1)) {
      encode_remaining (c, abs (level[i]) - base, rice);
      if (abs (level[i]) > 3 * (1 << rice))
        rice = MIN (rice + 1, 4);
    }
  }
}

void
residual_encode (ResidualCoder * c, const gint16 * levels, int log2_size,
    gboolean chroma)
{
  const int size = 1 << log2_size;
  int sub_scan[64][2], scan[16][2], last_sub = -1, last_place = -1;
  SubBlockFlags flags = { {0} };
  Greater1 g = { 0 };

#define AT(i, n) levels[(4 * sub_scan[i][1] + scan[n][1]) * size            \
    + 4 * sub_scan[i][0] + scan[n][0]]
  diagonal_scan (size / 4, sub_scan);
  diagonal_scan (4, scan);
  for (int i = 0; i < size * size / 16; i++)
    for (int n = 0; n < 16; n++)
      if (AT (i, n) != 0) {
        flags[sub_scan[i][1]][sub_scan[i][0]] = 1;
        last_sub = i;
        last_place = n;
      }
  encode_decision (c, chroma ? RESIDUAL_CBF_CHROMA : RESIDUAL_CBF_LUMA,
      cbf_ctx (log2_size, chroma), last_sub >= 0);
  if (last_sub < 0)
    return;
  {
    const int x = 4 * sub_scan[last_sub][0] + scan[last_place][0];
    const int y = 4 * sub_scan[last_sub][1] + scan[last_place][1];

    encode_last_prefix (c, RESIDUAL_LAST_X, x, log2_size, chroma);
    encode_last_prefix (c, RESIDUAL_LAST_Y, y, log2_size, chroma);
    encode_last_suffix (c, x);
    encode_last_suffix (c, y);
  }
  flags[0][0] = 1;              /* inferred */
  for (int i = last_sub; i >= 0; i--) {
    const int xs = sub_scan[i][0], ys = sub_scan[i][1];
    int level[16], n_levels = 0;

    if (i < last_sub && i > 0)
      encode_decision (c, RESIDUAL_SUB_BLOCK,
          sub_block_ctx (flags, xs, ys, chroma), flags[ys][xs]);
    if (!flags[ys][xs])
      continue;
    for (int n = i == last_sub ? last_place : 15; n >= 0; n--) {
      const gboolean is_last = i == last_sub && n == last_place;
      const gboolean is_inferred = n == 0 && n_levels == 0 && i > 0;

      if (!is_last && !is_inferred)
        encode_decision (c, RESIDUAL_SIG, sig_ctx (flags, 4 * xs + scan[n][0],
                4 * ys + scan[n][1], log2_size, chroma), AT (i, n) != 0);
      if (AT (i, n) != 0)
        level[n_levels++] = AT (i, n);
    }
    if (n_levels > 0)
      encode_magnitudes (c, level, n_levels, &g, i, chroma);
  }
#undef AT
}
