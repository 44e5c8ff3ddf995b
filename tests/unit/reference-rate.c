/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-rate.h"

#include <string.h>

static int
category (int v)
{
  int n = 0;

  for (v = abs (v); v > 0; v /= 2)
    n++;
  return n;
}

static void
code_block (const RefScan * scan, int bx, int by, int *before,
    RefSymbols * symbols)
{
  const int *level = scan->level + 8 * by * 8 * scan->across + 8 * bx;
  int run = 0;

  symbols->dc[category (level[0] - *before)]++;
  *before = level[0];
  for (int k = 1; k < 64; k++) {
    const int at = ref_zigzag[k];
    const int v = level[at / 8 * 8 * scan->across + at % 8];

    if (v == 0) {
      run++;
      continue;
    }
    for (; run > 15; run -= 16)
      symbols->ac[0xf0]++;
    symbols->ac[16 * run + category (v)]++;
    run = 0;
  }
  if (run > 0)
    symbols->ac[0]++;
}

void
ref_symbols (const RefScan * scan, int mcus_across, int mcus_down,
    RefSymbols * symbols)
{
  int before = 0;

  for (int mcu = 0; mcu < mcus_across * mcus_down; mcu++)
    for (int i = 0; i < scan->h * scan->v; i++) {
      int bx = mcu % mcus_across * scan->h + i % scan->h;
      int by = mcu / mcus_across * scan->v + i / scan->h;

      if (bx < scan->across && by < scan->down) {
        code_block (scan, bx, by, &before, symbols);
      } else {                  /* the DC of the block before, and no AC */
        symbols->dc[0]++;
        symbols->ac[0]++;
      }
    }
}

/* Figure K.1: the two least frequencies, of equal ones the larger symbol's. */
static int
find_least (const uint64_t * frequency, int but)
{
  int found = -1;

  for (int i = 0; i < 257; i++)
    if (i != but && frequency[i] > 0
        && (found < 0 || frequency[i] <= frequency[found]))
      found = i;
  return found;
}

void
ref_optimal_lengths (const uint64_t * count, int *length)
{
  int others[257], codesize[257] = { 0 }, bits[260] = { 0 };
  uint64_t frequency[257];
  int v1, v2, size = 1;

  for (int i = 0; i < 257; i++) {
    frequency[i] = i < 256 ? count[i] : 1;
    others[i] = -1;
  }
  while ((v2 = find_least (frequency, v1 = find_least (frequency, -1))) >= 0) {
    frequency[v1] += frequency[v2];
    frequency[v2] = 0;
    codesize[v1]++;
    while (others[v1] >= 0) {
      v1 = others[v1];
      codesize[v1]++;
    }
    others[v1] = v2;
    codesize[v2]++;
    while (others[v2] >= 0) {
      v2 = others[v2];
      codesize[v2]++;
    }
  }
  for (int i = 0; i < 257; i++)
    if (codesize[i] > 0)
      bits[codesize[i]]++;
  for (int i = 259; i > 16;) {  /* Figure K.3 */
    int j = i - 1;

    if (bits[i] == 0) {
      i--;
      continue;
    }
    do
      j--;
    while (bits[j] == 0);
    bits[i] -= 2;
    bits[i - 1]++;
    bits[j + 1] += 2;
    bits[j]--;
  }
  for (int i = 16; i > 0; i--)
    if (bits[i] > 0) {
      bits[i]--;
      break;
    }
  memset (length, 0, 256 * sizeof *length);
  for (int i = 1; i < 257; i++) /* Figure K.4, then C.1 */
    for (int j = 0; j < 256; j++)
      if (codesize[j] == i) {
        while (bits[size] == 0)
          size++;
        bits[size]--;
        length[j] = size;
      }
}

uint64_t
ref_symbol_bits (const uint64_t * count, const int *length)
{
  uint64_t bits = 0;

  for (int i = 0; i < 256; i++)
    bits += count[i] * (length[i] + i % 16);
  return bits;
}
