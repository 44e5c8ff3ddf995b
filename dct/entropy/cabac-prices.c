/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cabac-prices.h"

#include <string.h>

#define BIT (1u << BDCT_CABAC_COST_BITS)

static void
init_significance (BdctCabacSignificance * s, const BdctCabacCosts * costs,
    const BdctCabacSubBlock * contexts)
{
  for (int i = 0; i < 16; i++) {
    const uint32_t *bin = costs->bin[bdct_cabac_sig (contexts, i)];

    s->zeros[i + 1] = s->zeros[i] + bin[0];
    for (int nibble = 0; nibble < 16; nibble++)
      if (nibble >> (i & 3) & 1)
        s->some[i >> 2][nibble] += bin[1] - bin[0] + BIT;
  }
  /* Place 0's level is inferred then, except in sub-block (0, 0). */
  if (!contexts->dc)
    s->inferred[1] = costs->bin[bdct_cabac_sig (contexts, 0)][1];
}

static void
init_magnitudes (BdctCabacPrices * prices, const BdctCabacCosts * costs,
    bool chroma)
{
  const int greater1 =
      chroma ? BDCT_CABAC_CHROMA_GREATER1 : BDCT_CABAC_LUMA_GREATER1;
  const int greater2 =
      chroma ? BDCT_CABAC_CHROMA_GREATER2 : BDCT_CABAC_LUMA_GREATER2;

  prices->set = chroma ? 0 : 2;
  for (int set = 0; set < (chroma ? 2 : 4); set++) {
    uint32_t ones = 0;

    for (int i = 0; i <= 16; i++) {
      const uint32_t *bin =
          costs->bin[greater1 + 4 * set + (i < 2 ? i + 1 : 3)];

      for (int k = 0; k < 3; k++)
        prices->flags[set][i][k] = ones + (k == 0 || i >= 8 ? 0
            : bin[1] + costs->bin[greater2 + set][k - 1]);
      ones += i < 8 ? bin[0] : 0;
    }
    memcpy (prices->more[set], costs->bin[greater1 + 4 * set],
        sizeof prices->more[set]);
  }
  for (int base = 1; base <= 3; base++)
    for (int rice = 0; rice <= 4; rice++)
      for (int m = base; m < BDCT_CABAC_SMALL; m++)
        prices->remainder[base - 1][rice][m] =
            (uint8_t) bdct_cabac_remaining (m - base, rice);
}

static uint32_t
least (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

/* Every level except the last has a significance flag, unless the flag of
 * its sub-block implies it. All have a sign; eight in a sub-block have a
 * flag for whether they are above 1, and those above 1 another flag, or a
 * remainder. */
static void
init_least (BdctCabacPrices * prices, const BdctCabacCosts * costs,
    int log2_size, bool chroma)
{
  const int greater1 =
      chroma ? BDCT_CABAC_CHROMA_GREATER1 : BDCT_CABAC_LUMA_GREATER1;
  const int greater2 =
      chroma ? BDCT_CABAC_CHROMA_GREATER2 : BDCT_CABAC_LUMA_GREATER2;
  uint32_t position[2] = { UINT32_MAX, UINT32_MAX };

  prices->least_level = least (prices->sub_block[0][1],
      prices->sub_block[1][1]);
  for (int i = 0; i < 8; i++)
    for (int place = 0; place < 16; place++) {
      const BdctCabacSubBlock contexts = bdct_cabac_sub_contexts (log2_size,
          chroma, i >> 2, i & 1, i >> 1 & 1, false);

      prices->least_level = least (prices->least_level,
          costs->bin[bdct_cabac_sig (&contexts, place)][1]);
    }
  prices->least_level += BIT;
  prices->least_flag = UINT32_MAX;
  for (int i = 0; i < (chroma ? 8 : 16); i++) {
    const uint32_t *above = costs->bin[greater2 + i / 4];

    prices->least_flag = least (prices->least_flag,
        least (costs->bin[greater1 + i][0], costs->bin[greater1 + i][1]
            + (i % 4 == 0 ? BIT : least (above[0], above[1]))));
  }
  for (int i = 0; i < 1 << log2_size; i++)
    for (int axis = 0; axis < 2; axis++)
      position[axis] = least (position[axis], prices->last[axis][i]);
  prices->least_block = prices->coded[1] + position[0] + position[1];
}

static void
init_order (BdctCabacPrices * prices, int log2_size)
{
  const int side = 1 << (log2_size - 2);
  uint64_t before = 0;
  int x = side - 1, y = side - 1;

  for (int i = side * side - 1; i >= 0; i--) {
    prices->number[i] = (uint8_t) (8 * y + x);
    prices->order[8 * y + x] = (uint8_t) i;
    if (i > 0)
      bdct_cabac_before (&x, &y, side);
  }
  for (int i = 1; i < side * side; i++) {
    prices->before[i] = before;
    before |= UINT64_C (1) << prices->number[i];
  }
}

void
bdct_cabac_prices_init (BdctCabacPrices * prices, const BdctCabacCosts * costs,
    int log2_size, bool chroma)
{
  const int sub_block =
      chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK : BDCT_CABAC_LUMA_SUB_BLOCK;

  memset (prices, 0, sizeof *prices);
  memcpy (prices->coded,
      costs->bin[chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF],
      sizeof prices->coded);
  memcpy (prices->sub_block, costs->bin[sub_block], sizeof prices->sub_block);
  for (int i = 0; i < 8; i++) {
    const BdctCabacSubBlock contexts = bdct_cabac_sub_contexts (log2_size,
        chroma, i >> 2, i & 1, i >> 1 & 1, false);

    init_significance (&prices->significance[i >> 2][i & 3], costs, &contexts);
  }
  for (int i = 0; i < 1 << log2_size; i++)
    for (int axis = 0; axis < 2; axis++)
      prices->last[axis][i] = axis * BIT
          + bdct_cabac_last_price (costs, log2_size, chroma, axis, i);
  init_magnitudes (prices, costs, chroma);
  init_least (prices, costs, log2_size, chroma);
  init_order (prices, log2_size);
}

uint32_t
bdct_cabac_last_price (const BdctCabacCosts * costs, int log2_size, bool chroma,
    int axis, int position)
{
  const int base[] = {
    chroma ? BDCT_CABAC_CHROMA_LAST_X : BDCT_CABAC_LUMA_LAST_X,
    chroma ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_LUMA_LAST_Y
  };
  BdctCabacSink sink = {.costs = costs->bin[0] };

  bdct_cabac_last (&sink, base[axis], log2_size, chroma, position);
  return sink.cost + (sink.bypass << BDCT_CABAC_COST_BITS);
}
