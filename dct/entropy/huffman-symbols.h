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

/* The factor by which the magnitude of JPEG's coefficients is multiplied,
 * before a fused operation adds 1/2, to make a float v with floor (v) =
 * |level|, whose exponent is the level's category.
 *
 * |level| is floor (x), with x = |c| / 8q + 1/2, which is an integer n or at
 * most n - 1/8q. |c| is below 2^18, 8q below 2^19. The factor is between (1
 * + 2^-23) / 8q and (1 + 2^-21) / 8q: an integer stays or grows, and what is
 * less stays below n - 7/64q, which does not round to n. */
static inline float
bdct_symbol_factor (int quant)
{
  return (float) ((1 + 1.0 / (1 << 22)) / (8.0 * quant));
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

/* The position of a component's block number `index` in scan order. */
BDCT_FORCE_INLINE void
bdct_scan_block (const BdctScan *scan, int index, int *x, int *y)
{
  /* A row of MCUs. The last row may have fewer rows of blocks, and the last MCU
   * of a row fewer columns. */
  const int row = scan->columns * scan->v;
  const int top = index / row * scan->v;
  const int high = scan->v < scan->rows - top ? scan->v : scan->rows - top;
  const int left = index % row / (scan->h * high) * scan->h;
  const int wide = scan->h < scan->columns - left ? scan->h
      : scan->columns - left;
  const int rest = index % row - left * high;

  *x = left + rest % wide;
  *y = top + rest / wide;
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
