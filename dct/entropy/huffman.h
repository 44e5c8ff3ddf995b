/* blockdct: T.81's Huffman tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HUFFMAN_H
#define BDCT_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

/* A Huffman table: for each symbol the length of its code in bits, 0 for none,
 * and the code in the lowest bits. */
typedef struct {
  int n; /* number of symbols with a code */
  uint8_t length[256];
  uint16_t code[256];
} BdctHuffman;

/* Annex K's table (K.3, Tables K.3 to K.6) for DC differences or AC
 * coefficients, of luma or chroma. */
void bdct_huffman_annex_k (BdctHuffman *table, bool ac, bool chroma);

/* The table that libjpeg makes for these frequencies. No code is longer than
 * 16 bits (Figure K.3). The shortest codes go to the symbols with the shortest
 * codes before that limit, and among these to the smallest symbols. */
void bdct_huffman_optimize (BdctHuffman *table, const uint64_t count[256]);

#endif
