/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count.h"

/* Which AC levels of a block are not 0: bit i for place i of the zigzag
 * order. */
static uint64_t
find_levels (const BdctLevel * levels)
{
  uint8_t present[64] __attribute__ ((aligned (64)));
  uint64_t places = 0;

  for (int i = 0; i < 64; i++)
    present[i] = levels[i] != 0;
  present[0] = 0;
  for (int row = 0; row < 64; row += 8) {
    uint64_t eight;

    __builtin_memcpy (&eight, present + row, 8);
    for (; eight != 0; eight &= eight - 1)
      places |= (uint64_t) 1 << bdct_zigzag_place[row
          + (__builtin_ctzll (eight) >> 3)];
  }
  return places;
}

void
bdct_count_huffman (const BdctLevel * levels, const BdctScan * scan,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctLevel *block = levels;

  for (int y = 0; y < scan->rows; y++)
    for (int x = 0; x < scan->columns; x++, block += 64) {
      uint64_t places = find_levels (block);
      int before = bdct_scan_before (scan, x, y), last = 0;

      if (before >= 0)
        counter[BDCT_RATE_DC + bdct_symbol_category (block[0]
                - levels[64 * (ptrdiff_t) before])]++;
      for (; places != 0; places &= places - 1) {
        int place = __builtin_ctzll (places), run = place - last - 1;

        counter[0xf0] += run >> 4;
        counter[((run & 15) << 4)
            + bdct_symbol_category (block[bdct_zigzag_index[place]])]++;
        last = place;
      }
      counter[0] += last < 63;  /* EOB */
    }
}
