/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cabac-price.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static BdctCabacTables tables;
/* By log2_size, 0 for trees, and chroma: each slot's index in counts */
static uint8_t contexts[6][2][BDCT_CABAC_TREE_SLOTS];

static void
init (void)
{
  bdct_cabac_count_init ();
  bdct_cabac_fill (&tables);
  for (int n = 0; n <= 5; n += n == 0 ? 2 : 1)
    for (int chroma = 0; chroma < 2; chroma++)
      for (int i = 0; i < BDCT_CABAC_TREE_SLOTS; i++)
        contexts[n][chroma][i] = bdct_cabac_context (n, chroma, i);
}

void
bdct_cabac_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, init);
}

void
bdct_cabac_start (uint16_t start[BDCT_CABAC_TREE_SLOTS], int slice_qp,
    int log2_size, bool chroma)
{
  for (int i = 0; i < bdct_cabac_slots (log2_size, chroma); i++) {
    const int context = bdct_cabac_context (log2_size, chroma, i);

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
