/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cabac-price.h"

#include <math.h>
#include <string.h>

/* A slot without a context */
#define NONE (BDCT_CABAC_BYPASS + 1)

static BdctCabacTables tables;
/* By log2_size, 0 for trees, and chroma: each slot's index in counts */
static uint8_t contexts[6][2][BDCT_CABAC_TREE_SLOTS];

/* The contexts of a prefix of the last position: x's in even slots. */
static int
last_context (int log2_size, bool chroma, int slot)
{
  const int i = slot / 2;

  if (i >= (log2_size < 4 ? 3 : chroma ? 2 : log2_size))
    return NONE;
  if (chroma)
    return (slot & 1 ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_CHROMA_LAST_X) + i;
  return (slot & 1 ? BDCT_CABAC_LUMA_LAST_Y : BDCT_CABAC_LUMA_LAST_X)
      + 3 * (log2_size - 2) + ((log2_size - 1) >> 2) + i;
}

static int
find_context (int log2_size, bool chroma, int slot)
{
  const int first = chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
  const int end = chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
  const int cbf = chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF;
  const int sub = chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
      : BDCT_CABAC_LUMA_SUB_BLOCK;
  const int sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int one = chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1;
  const int two = chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2;
  /* Of the first sub-block, and of the others in luma */
  const int here = sig + (log2_size == 3 ? 9 : chroma ? 12 : 21);
  const int rest = here + (chroma ? 0 : 3), more = chroma ? 0 : 2;

  if (log2_size == 0)
    return slot < end - first ? first + slot : slot == end - first
        ? BDCT_CABAC_BYPASS : NONE;
  if (slot >= BDCT_CABAC_SLOT_LAST && slot < BDCT_CABAC_SLOT_BYPASS)
    return last_context (log2_size, chroma, slot - BDCT_CABAC_SLOT_LAST);
  if (slot == BDCT_CABAC_SLOT_BYPASS)
    return BDCT_CABAC_BYPASS;
  if (log2_size == 2)
    return slot < 9 ? sig + slot : slot == 9 ? cbf : slot < 14
        ? one + slot - 10 : slot == 14 ? two : NONE;
  if (slot >= BDCT_CABAC_SLOT_DC) {
    slot -= BDCT_CABAC_SLOT_DC;
    return slot == 0 ? here + 2 : slot == 2 || slot == 3 ? here + slot - 2
        : slot >= 4 && slot < 12 ? one + slot - 4
        : slot == 12 || slot == 13 ? two + slot - 12 : NONE;
  }
  switch (slot) {
    case 0:
      return rest + 2;
    case 2:
    case 3:
      return rest + slot - 2;
    case 4:
    case 5:
      return sub + slot - 4;
    case 6:
      return cbf;
    case 7:
      return sig;
    case 16:
    case 17:
      return two + more + slot - 16;
    default:
      return slot >= 8 && slot < 16 ? one + 4 * more + slot - 8 : NONE;
  }
}

void
bdct_cabac_price_init (void)
{
  bdct_cabac_fill (&tables);
  for (int n = 0; n <= 5; n += n == 0 ? 2 : 1)
    for (int i = 0; i < 2 * BDCT_CABAC_TREE_SLOTS; i++)
      contexts[n][i % 2][i / 2] = find_context (n, i % 2, i / 2);
}

void
bdct_cabac_start (uint16_t start[BDCT_CABAC_TREE_SLOTS], int slice_qp,
    int log2_size, bool chroma)
{
  for (int i = 0; i < bdct_cabac_slots (log2_size, chroma); i++) {
    const int context = find_context (log2_size, chroma, i);

    start[i] = context >= BDCT_CABAC_CONTEXTS ? 0
        : (uint16_t) lround (65536 * bdct_cabac_first (context, slice_qp));
  }
}

void
bdct_cabac_pack (uint16_t * record, const BdctCabacCounts counts,
    int log2_size, bool chroma)
{
  const uint8_t *context = contexts[log2_size][chroma];

  for (int i = 0; i < bdct_cabac_slots (log2_size, chroma); i++) {
    const uint32_t n = counts[context[i]];
    const uint32_t n0 = n & 0xffff, n1 = n >> 16;

    record[i] = (uint16_t) ((n0 < 255 ? n0 : 255) | (n1 < 255 ? n1 : 255) << 8);
  }
  record[bdct_cabac_bypass_slot (log2_size, chroma)] =
      (uint16_t) counts[BDCT_CABAC_BYPASS];
}

uint64_t
bdct_cabac_price (const uint16_t * records, int n_before, int n_runs,
    const uint16_t * start, int log2_size, bool chroma)
{
  const int slots = bdct_cabac_slots (log2_size, chroma);
  const int bypass = bdct_cabac_bypass_slot (log2_size, chroma);
  /* Of this segment, and of the next one, which begins in this one */
  uint32_t p[2][BDCT_CABAC_TREE_SLOTS];
  uint64_t price = 0;

  for (int i = 0; i < slots; i++)
    p[1][i] = start[i];
  for (int r = -n_before; r < n_runs; r++) {
    const uint16_t *record = records + (ptrdiff_t) r * slots;
    uint32_t sum = 0;

    if (r % BDCT_CABAC_SEGMENT == 0)
      for (int i = 0; i < slots; i++) {
        p[0][i] = p[1][i];
        p[1][i] = start[i];
      }
    for (int k = 0; k < slots; k += 4) {
      uint64_t four;

      memcpy (&four, record + k, sizeof four);
      if (four == 0)
        continue;
      for (int i = k; i < k + 4; i++) {
        const uint32_t n0 = record[i] & 255, n1 = record[i] >> 8;
        const uint32_t *step;

        if (record[i] == 0 || i == bypass)
          continue;
        step = &tables.step[2 * (n0 + n1)];
        sum += bdct_cabac_beta (p[0][i], n0, n1, tables.gamma);
        p[0][i] = bdct_cabac_follow (p[0][i], step[0], step[1] * n1);
        p[1][i] = bdct_cabac_follow (p[1][i], step[0], step[1] * n1);
      }
    }
    if (r >= 0)
      price += sum + ((uint64_t) record[bypass] << BDCT_CABAC_PRICE_BITS);
  }
  return price;
}
