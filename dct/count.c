/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count.h"

#include <pthread.h>

/* The places in the zigzag order of a row's levels, by which of them are not
 * 0. */
static uint64_t places_of[8][256];

/* bdct_symbol_category() of a level, from its 16 bits. */
static uint8_t category_of[65536];

static void
fill_tables (void)
{
  for (int row = 0; row < 8; row++)
    for (int bits = 0; bits < 256; bits++)
      for (int i = 0; i < 8; i++)
        places_of[row][bits] |=
            (uint64_t) (bits >> i & 1) << bdct_zigzag_place[8 * row + i];
  for (int v = INT16_MIN; v <= INT16_MAX; v++)
    category_of[(uint16_t) v] = bdct_symbol_category (v);
}

void
bdct_count_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_tables);
}

/* Which levels of a block are not 0: bit i for place i of the zigzag order. */
static uint64_t
find_levels (const BdctLevel * levels)
{
  uint8_t present[64] __attribute__ ((aligned (64)));
  uint64_t places = 0;

  for (int i = 0; i < 64; i++)
    present[i] = levels[i] != 0;
  for (int row = 0; row < 8; row++) {
    uint64_t eight;

    __builtin_memcpy (&eight, present + 8 * row, 8);
    /* The product's highest byte has bit i of byte i. */
    places |= places_of[row][eight * UINT64_C (0x0102040810204080) >> 56];
  }
  return places;
}

void
bdct_count_huffman (const BdctLevel * levels, const BdctScan * scan,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctLevel *block = levels;
  uint32_t zrl = 0, eob = 0;

  for (int y = 0; y < scan->rows; y++)
    for (int x = 0; x < scan->columns; x++, block += 64) {
      uint64_t places = find_levels (block) & ~(uint64_t) 1;
      int before = bdct_scan_before (scan, x, y), last = 0;

      if (before >= 0)
        counter[BDCT_RATE_DC + bdct_symbol_category (block[0]
                - levels[64 * (ptrdiff_t) before])]++;
      for (; places != 0; places &= places - 1) {
        int place = __builtin_ctzll (places), run = place - last - 1;

        for (; run > 15; run -= 16)
          zrl++;
        counter[(run << 4)
            + category_of[(uint16_t) block[bdct_zigzag_index[place]]]]++;
        last = place;
      }
      eob += last < 63;
    }
  counter[0xf0] += zrl;
  counter[0] += eob;
}
