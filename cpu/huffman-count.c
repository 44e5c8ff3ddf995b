/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "huffman-count.h"

#include <pthread.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The places in the zigzag order of a row's levels, by a mask of levels that
 * are not 0. */
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
bdct_huffman_count_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_tables);
}

/* A mask of levels of eight rows that are not 0: bit i for row-major index
 * i. */
static uint64_t
find_nonzero (const BdctLevel * levels)
{
  uint64_t found = 0;

#ifdef __SSE2__
  const __m128i *row = (const __m128i *) levels;
  const __m128i zero = _mm_setzero_si128 ();

  for (int i = 0; i < 4; i++) {
    const __m128i first = _mm_cmpeq_epi16 (_mm_loadu_si128 (row + 2 * i), zero);
    const __m128i second =
        _mm_cmpeq_epi16 (_mm_loadu_si128 (row + 2 * i + 1), zero);

    found |= (uint64_t) _mm_movemask_epi8 (_mm_packs_epi16 (first, second))
        << 16 * i;
  }
  return ~found;
#else
  for (int i = 0; i < 64; i++)
    found |= (uint64_t) (levels[i] != 0) << i;
  return found;
#endif
}

uint64_t
bdct_huffman_count_places (const BdctLevel * levels)
{
  const uint64_t found = find_nonzero (levels);
  uint64_t places = 0;

  for (int row = 0; row < 8; row++)
    places |= places_of[row][found >> 8 * row & 255];
  return places;
}

void
bdct_huffman_count (const BdctLevel * levels, const BdctScan * scan,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  const BdctLevel *block = levels;
  uint32_t zrl = 0, eob = 0;

  for (int y = 0; y < scan->rows; y++)
    for (int x = 0; x < scan->columns; x++, block += 64) {
      uint64_t places = bdct_huffman_count_places (block) & ~(uint64_t) 1;
      int before = bdct_scan_before (scan, x, y), last = 0;

      if (before >= 0)
        counter[BDCT_RATE_DC + bdct_symbol_category (block[0]
                - levels[64 * (ptrdiff_t) before])]++;
      for (; places != 0; places &= places - 1) {
        int place = __builtin_ctzll (places), run = place - last - 1;

        zrl += run >> 4;
        counter[((run & 15) << 4)
            + category_of[(uint16_t) block[bdct_zigzag_index[place]]]]++;
        last = place;
      }
      eob += last < 63;
    }
  counter[0xf0] += zrl;
  counter[0] += eob;
}
