/* blockdct: what Huffman coding counts in levels (rate.h): T.81's baseline
 * coding, Annex F.1.2. For C and CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_HUFFMAN_SYMBOLS_H
#define BDCT_HUFFMAN_SYMBOLS_H

#include <stdint.h>
#include "dct/base/compiler.h"
#include "dct/base/zigzag.h"
#include "dct/quantizer/block-grid.h"

/* The number of bits of a magnitude: T.81's category of a DC difference (Table
 * F.1) and of an AC coefficient (Table F.2). */
BDCT_FORCE_INLINE int
bdct_symbol_category (int v)
{
  const uint32_t magnitude = v < 0 ? -(uint32_t) v : (uint32_t) v;

#ifdef __CUDA_ARCH__
  return 32 - __clz (magnitude);
#else
  return magnitude ? 32 - __builtin_clz (magnitude) : 0;
#endif
}

/* A component's blocks in a scan. */
typedef struct {
  int32_t columns, rows;
  int32_t h, v; /* sampling factors, 1 or 2: its blocks in an MCU, across
                     and down; 1 if it is alone in the scan (T.81 A.2.2) */
} BdctScan;

/* A component's part of a scan that interleaves all components of a layout. */
BDCT_FORCE_INLINE BdctScan
bdct_scan_init (const BdctBlockGrid *grid, BdctChromaFormat chroma,
    BdctComponent component)
{
  BdctScan scan;

  scan.columns = grid->columns;
  scan.rows = grid->rows;
  scan.h = component == BDCT_Y
      && (chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_422) ? 2 : 1;
  scan.v = component == BDCT_Y
      && (chroma == BDCT_CHROMA_420 || chroma == BDCT_CHROMA_440) ? 2 : 1;
  return scan;
}

/* The number, within the component, of the block before block (x, y) in scan
 * order; -1 for the first. Blocks missing from the last MCUs repeat the DC of
 * the block before them, and so need no entry. */
BDCT_FORCE_INLINE int
bdct_scan_before (const BdctScan *scan, int x, int y)
{
  const int left = x & -scan->h, top = y & -scan->v;

  if (x > left) {
    x--;
  } else if (y > top) {         /* up in this MCU */
    x = left + scan->h - 1;
    y--;
  } else if (left > 0) {        /* in the MCU to the left */
    x--;
    y = top + scan->v - 1;
  } else if (top > 0) {         /* in the last MCU of the row above */
    x = scan->columns - 1;
    y--;
  } else {
    return -1;
  }
  x = x < scan->columns ? x : scan->columns - 1;
  y = y < scan->rows ? y : scan->rows - 1;
  return y * scan->columns + x;
}

/* The number of blocks missing from the last MCUs. */
BDCT_FORCE_INLINE int
bdct_scan_missing (const BdctScan *scan)
{
  const int across = (scan->columns + scan->h - 1) & -scan->h;
  const int down = (scan->rows + scan->v - 1) & -scan->v;

  return across * down - scan->columns * scan->rows;
}

#endif
