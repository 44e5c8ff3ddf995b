/* blockdct: T.81's Huffman tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HUFFMAN_H
#define BDCT_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

/** A Huffman table: of each symbol the bits of its code, 0 for none, and the
 * code in the lowest of them. */
typedef struct {
  int n; /**< symbols with a code */
  uint8_t length[256];
  uint16_t code[256];
} BdctHuffman;

/** Annex K's table (K.3, Tables K.3 to K.6) of the DC differences or of the AC
 * coefficients, of luma or of chroma. */
void bdct_huffman_annex_k (BdctHuffman *table, bool ac, bool chroma);

/** The table that libjpeg makes for these frequencies of the symbols: no code
 * is longer than 16 bits (Figure K.3), and of symbols by their size before
 * that, then by their value, the first have the shortest. */
void bdct_huffman_optimize (BdctHuffman *table, const uint64_t count[256]);

#endif
