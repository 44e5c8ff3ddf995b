/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "residual-arithmetic.h"

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

guint
residual_range_lps (int p_state, int quarter)
{
  return range_tab_lps[p_state][quarter];
}

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

void
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

void
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
