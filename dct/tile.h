/* blockdct: the CPU engine's inner part, built once for each instruction set.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILE_H
#define BDCT_TILE_H

#include <stddef.h>
#include <stdint.h>
#include "job.h"
#include "stats.h"

/** Rows and columns of a tile: a whole number of blocks of every size. */
#define BDCT_TILE 32

/** One component of one frame, ready to be worked on strip by strip. */
typedef struct {
  BdctFamily family;
  BdctMatrix matrix;
  int size;                         /**< N */
  int depth, shift;                 /**< of the samples, as in layout.h */
  int step;                         /**< samples from one to the next */
  int width, height;
  const uint8_t *src;
  uint8_t *dst;
  ptrdiff_t src_stride, dst_stride; /**< bytes */
  const BdctComponentJob *job;
  /** The matrix of the family's type (matrices.h). */
  union {
    int32_t whole[BDCT_MAX_SIZE * BDCT_MAX_SIZE];
    float real[64];
  } entry;
  /** The job's tables laid out over a row of blocks, [v % N][column]. */
  int32_t quant[BDCT_TILE][BDCT_TILE] __attribute__ ((aligned (64)));
  int32_t dequant[BDCT_TILE][BDCT_TILE] __attribute__ ((aligned (64)));
} BdctTilePlane;

/** Transform the strip of BDCT_TILE rows from row `row` on, and add its sse and
 * nonzero to `counters`. */
typedef void (*BdctTileFunc) (const BdctTilePlane *plane, int row,
    BdctCounters *counters);

/** The second half of it alone, on coefficients that samples may not reach:
 * quantize, dequantize and transform back a tile of them (row-major, BDCT_TILE
 * a side) into residuals. Not for REAL. Returns the levels that are not 0. */
typedef uint64_t (*BdctTileBackward) (const BdctTilePlane *plane,
    int32_t *cells);

/** The first half of it alone: the levels of the tile whose first sample is in
 * this row and column, for a view. The plane needs no `dst`. */
typedef void (*BdctTileLevels) (const BdctTilePlane *plane, int row,
    int column, int32_t *cells);

typedef struct {
  const char *isa;
  BdctTileFunc strip;
  BdctTileBackward backward;
  BdctTileLevels levels;
} BdctTileKernel;

extern const BdctTileKernel bdct_tile_baseline, bdct_tile_avx2,
    bdct_tile_avx512;

/** Fill a plane's family, matrix, size, depth, job and tables. */
void bdct_tile_prepare (BdctTilePlane *plane, const BdctJob *job,
    const BdctComponentJob *component);

/** The kernels this processor can run, best first, NULL at the end. */
const BdctTileKernel *const *bdct_tile_kernels (void);

#endif
