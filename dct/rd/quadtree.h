/* blockdct: H.265's quadtree with the block sizes that an encoder would choose.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Luma is divided into squares of 32 x 32, each with a tree. A node is one
 * block or four nodes of half its side, down to the smallest block that the job
 * allows. Blocks are those of the fixed transforms hevc-32x32 to hevc-4x4, with
 * their padding at the picture's edges. Chroma follows luma's tree with these
 * transforms' chroma blocks: half as large where it is subsampled, except that
 * four 4 x 4 luma blocks share the chroma blocks of their 8 x 8 node (clause
 * 7.3.8.8). 4 x 4 blocks use the DCT, not the DST, as samples are not a
 * prediction's residual. The tree with the least sum of
 *     D 2^distortion_shift + lambda R
 * is chosen, with the larger block where two cost the same. Both engines find
 * it bottom up in whole numbers alone: a node costs the lesser of its own
 * block's cost and the sum of its parts' costs.
 *
 * D: a block's squared errors over its visible samples (BdctBlockRecord.sse).
 *
 * R: in 2^-15 bit, the bits of a block's coded block flag and levels (cabac.h),
 * and of the split flag of each node that may be split. Bins cost what they
 * cost in the states in which CABAC starts a slice (clause 9.3.2.2, initType
 * 0); these states do not adapt. The block sizes of a square therefore depend
 * on its samples and the job alone, not on other squares, earlier frames or
 * frames in flight. The bits of the chosen levels are then estimated anew, by
 * counts (cabac-price.h).
 *
 * lambda: HM's for intra slices, 0.57 2^((QP - 12) / 3), times lambda-scale, in
 * squared sample steps per bit at a depth of 12, with up to 10 fractional bits;
 * D is scaled likewise. In a frame with several quantizers (engine.h), the
 * first one's slice QP determines the states. A block has the quantizer and the
 * lambda of the smallest block in its top left corner, and so has a node's
 * flag.
 *
 * All sums fit 64 bits. The errors of 3 x 1024 samples are at most 2^12, so
 * that D is below 2^35.6 and its term, shifted by 25, below 2^60.6. A level
 * takes at most 53 bits: three bins of 5.7, a sign and 34 bins of its
 * remainder. 3 x 1024 levels are below 2^32.4 in 2^-15 bit. lambda is below
 * 2^30.3: it has fewer fractional bits where lambda-scale is above 1.
 */
#ifndef BDCT_QUADTREE_H
#define BDCT_QUADTREE_H

#include "dct/base/compiler.h"
#include "dct/entropy/cabac.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The side of a square with a tree of its own, and log2 of it. */
enum { BDCT_QUADTREE_LOG2 = 5, BDCT_QUADTREE_SIDE = 1 << BDCT_QUADTREE_LOG2 };

/* The number of block sides: 4 to 32. Arrays are indexed by log2 of the side,
 * less 2. */
enum { BDCT_QUADTREE_SIZES = BDCT_TREE_SIZES };

/* Costs of the nodes of one square, by size and by position in the square,
 * row-major: of the node as a block, and what splitting adds to the cost of its
 * parts. Nodes outside of the picture have 0. */
typedef struct {
  uint64_t whole[BDCT_QUADTREE_SIZES][64], split[BDCT_QUADTREE_SIZES][64];
} BdctQuadtreeSquare;

/* log2 of the side of the node that a component's blocks cover where luma's
 * are 2^log2_size. It is larger than luma's where luma's blocks share them. */
BDCT_FORCE_INLINE int
bdct_quadtree_node (BdctChromaFormat chroma, int component, int log2_size)
{
  return component == BDCT_Y || chroma == BDCT_CHROMA_444 || log2_size > 3
      ? log2_size : 3;
}

BDCT_FORCE_INLINE uint64_t
bdct_quadtree_cost (uint64_t lambda, int distortion_shift, uint64_t distortion,
    uint64_t rate)
{
  return (distortion << distortion_shift) + lambda * rate;
}

/* The context of split_transform_flag for a node that may be split (clause
 * 9.3.4.2). */
BDCT_FORCE_INLINE int
bdct_quadtree_context (int log2_size)
{
  return BDCT_CABAC_LUMA_SPLIT + 5 - log2_size;
}

/* Whether a component has blocks of its own where luma's are 2^log2_size, at
 * most 2^max_log2. Otherwise the blocks of the parent node cover them. */
BDCT_FORCE_INLINE bool
bdct_quadtree_has_own (BdctChromaFormat chroma, int component, int log2_size,
    int max_log2)
{
  return max_log2 == 2
      || bdct_quadtree_node (chroma, component, log2_size) == log2_size;
}

/* The number of levels of a component in a square, whatever its tree. */
BDCT_FORCE_INLINE int
bdct_quadtree_square_levels (int sub_x, int sub_y)
{
  return (1 << 2 * BDCT_QUADTREE_LOG2) >> (sub_x + sub_y);
}

/* The index, among a component's levels in memory (BdctFrame.levels), of the
 * first one of the block whose first sample is at luma's (x, y), in a picture
 * whose luma has this width. Squares follow each other row by row. In a square
 * it is coding order: places of 4 x 4 luma samples are in z-order (clause
 * 6.5.2), and each has its share of levels. Where chroma has half the height
 * alone, which H.265 does not know, x and y change places, so that the two
 * blocks of a node are apart there, too. */
BDCT_FORCE_INLINE size_t
bdct_quadtree_level (int width, int sub_x, int sub_y, int x, int y)
{
  const int across = (width + BDCT_QUADTREE_SIDE - 1) >> BDCT_QUADTREE_LOG2;
  const size_t square = (size_t) (y >> BDCT_QUADTREE_LOG2) * across
      + (x >> BDCT_QUADTREE_LOG2);
  const int u = (sub_y > sub_x ? y : x) >> 2, v = (sub_y > sub_x ? x : y) >> 2;
  const int place = (u & 1) | (v & 1) << 1 | (u & 2) << 1 | (v & 2) << 2
      | (u & 4) << 2 | (v & 4) << 3;

  return square * bdct_quadtree_square_levels (sub_x, sub_y)
      + (place * 16 >> (sub_x + sub_y));
}

/* Decide between a block and its parts, already decided, for node `i` of side
 * 2^n above the smallest. Sets `whole` to the lesser cost. If the block is
 * chosen, sets `size`, log2 of luma's block side at each of the square's 8 x 8
 * positions, for its area. */
BDCT_FORCE_INLINE void
bdct_quadtree_decide_node (BdctQuadtreeSquare *square, uint8_t size[64], int n,
    int i)
{
  const int log2 = BDCT_QUADTREE_LOG2 - n, columns = 1 << log2;
  const int places = 1 << (n - 2), x = i & (columns - 1), y = i >> log2;
  const uint64_t *first = square->whole[n - 3] + 4 * columns * y + 2 * x;
  const uint64_t split = square->split[n - 2][i] + first[0] + first[1]
      + first[2 * columns] + first[2 * columns + 1];

  if (split < square->whole[n - 2][i]) {
    square->whole[n - 2][i] = split;
    return;
  }
  for (int v = places * y; v < places * (y + 1); v++)
    for (int u = places * x; u < places * (x + 1); u++)
      size[8 * v + u] = (uint8_t) n;
}

/* Find the tree of a square. */
BDCT_FORCE_INLINE void
bdct_quadtree_decide (const BdctJobTree *tree, BdctQuadtreeSquare *square,
    uint8_t size[64])
{
  for (int i = 0; i < 64; i++)
    size[i] = (uint8_t) tree->min_log2;
  for (int n = tree->min_log2 + 1; n <= tree->max_log2; n++)
    for (int i = 0; i < 1 << 2 * (BDCT_QUADTREE_LOG2 - n); i++)
      bdct_quadtree_decide_node (square, size, n, i);
}

#ifdef __cplusplus
}
#endif
#endif
