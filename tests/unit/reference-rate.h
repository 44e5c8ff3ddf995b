/* blockdct tests: what T.81's baseline coding spends on levels, symbol by
 * symbol and MCU by MCU, in the order and with the blocks a coder writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_REFERENCE_RATE_H
#define TESTS_REFERENCE_RATE_H

#include <stdint.h>
#include "reference.h"

/* A component's levels: `across` x `down` blocks of 8x8, in rows of 8 across,
 * each level where its sample is; h x v blocks an MCU. */
typedef struct {
  int across, down, h, v;
  const int *level;
} RefScan;

typedef struct {
  uint64_t dc[256], ac[256];
} RefSymbols;

/* Add the symbols of a component of a scan of `mcus_across` x `mcus_down`. */
void ref_symbols (const RefScan *scan, int mcus_across, int mcus_down,
    RefSymbols *symbols);

/* Bits of the code of each symbol that occurs, in Annex K.2's optimal table:
 * it follows the procedures' figures. */
void ref_optimal_lengths (const uint64_t *count, int *length);

/* Bits of an alphabet's symbols, extra bits included. */
uint64_t ref_symbol_bits (const uint64_t *count, const int *length);

#endif
