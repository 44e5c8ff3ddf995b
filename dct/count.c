/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count.h"

#include <pthread.h>

/* The places in the zigzag order of a row's levels, by which of them are not
 * 0. */
static uint64_t places_of[8][256];

static void
fill_places (void)
{
  for (int row = 0; row < 8; row++)
    for (int bits = 0; bits < 256; bits++)
      for (int i = 0; i < 8; i++)
        places_of[row][bits] |=
            (uint64_t) (bits >> i & 1) << bdct_zigzag_place[8 * row + i];
}

void
bdct_count_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_places);
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

        zrl += run >> 4;
        counter[((run & 15) << 4)
            + bdct_symbol_category (block[bdct_zigzag_index[place]])]++;
        last = place;
      }
      eob += last < 63;
    }
  counter[0xf0] += zrl;
  counter[0] += eob;
}
