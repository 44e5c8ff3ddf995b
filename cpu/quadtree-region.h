/* blockdct: the CPU engine's quadtree: a region of squares on which a thread
 * works. For quadtree.c and quadtree-search.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_QUADTREE_REGION_H
#define BDCT_QUADTREE_REGION_H

#include "dct/base/min.h"
#include "dct/entropy/cabac-price.h"
#include "dct/rd/quadtree.h"
#include "state.h"

/* Rows of luma in a piece, so that subsampled chroma has whole tiles. */
#define ROWS 64

/* Columns of luma in a region. */
#define COLUMNS (8 * BDCT_QUADTREE_SIDE)

struct BdctCpuTree
{
  BdctJob job[BDCT_QUADTREE_SIZES];
  BdctTileQuantizer quantizer[BDCT_QUADTREE_SIZES][BDCT_MAX_COMPONENTS];
  BdctCabacPrices prices;
};

/* A region in blocks of one size: its picture, in planes like the frame's,
 * and the blocks of each component row by row. */
typedef struct
{
  uint8_t picture[BDCT_MAX_PLANES][ROWS * COLUMNS * 4]
      __attribute__ ((aligned (64)));
  BdctLevel levels[BDCT_MAX_COMPONENTS][ROWS * COLUMNS]
      __attribute__ ((aligned (64)));
  BdctTilePlane plane[BDCT_MAX_COMPONENTS];
  BdctBlockRecord record[BDCT_MAX_COMPONENTS][ROWS * COLUMNS / 16];
  uint8_t quantizer_map[BDCT_MAX_COMPONENTS][ROWS * COLUMNS / 16];
  uint64_t cost[BDCT_MAX_COMPONENTS][ROWS * COLUMNS / 16];
} Sized;

/* The blocks of a component that make up the nodes of one size. */
typedef struct
{
  const BdctTilePlane *plane;
  BdctLevel *levels;
  const BdctBlockRecord *record;
  uint64_t *cost;               /* for the smallest nodes, a lower bound */
  int log2_size, columns, rows;
  int shift_x, shift_y;         /* from luma's samples to blocks */
  int wide, high;               /* log2 of a node's blocks: 0 or 1 */
} NodeBlocks;

/* A region in work. */
typedef struct
{
  const CpuEngine *self;
  const CpuTask *task;
  const CpuTask *const *quantizers;      /* tasks of the quantizers, for
                                          * their trees */
  const BdctJobTree *tree;
  Sized *sized;
  NodeBlocks blocks[BDCT_MAX_COMPONENTS][BDCT_QUADTREE_SIZES];
  Piece *piece;
  int n_components;
  int x, y;                     /* of the region, in luma */
  int width, height;            /* of the picture, from there on */
  bool rate;
  bool given;                   /* the caller provides trees and levels */
  /* Of the bins of a square's runs */
  BdctCabacCounts runs[BDCT_MAX_COMPONENTS][4];
} Region;

/* Whether (x, y) of the region, in luma samples, is in the picture. */
static inline bool
is_inside (const Region *r, int x, int y)
{
  return x < r->width && y < r->height;
}

/* Price the blocks of a region of one size; the smallest get a lower bound. */
void bdct_cpu_price_blocks (const Region *r, int c, int n);

/* Find the tree of the square at (left, top) of the region. */
void bdct_cpu_decide_square (const Region *r, int left, int top,
    uint8_t size[64]);

#endif
