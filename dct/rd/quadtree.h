/* blockdct: H.265's quadtree, the block sizes that an encoder would choose.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Luma is divided into squares of 32 x 32, each with a tree: a node is one
 * block, or four nodes of half its side, down to the smallest block that a job
 * allows; blocks are the fixed transforms hevc-32x32 to hevc-4x4, with their
 * padding at the picture's edges. Chroma follows luma's tree with the blocks
 * that these transforms have for it: half as large where it is subsampled, but
 * for luma's 4 x 4, which share those of the 8 x 8 around them (clause
 * 7.3.8.8). Blocks of 4 x 4 are the DCT, as samples are not what a prediction
 * leaves. Of all trees, the one with the least sum of
 *     D 2^distortion_shift + lambda R
 * is taken, the larger block where two cost the same. Both engines find it in
 * whole numbers alone, bottom up: what a node costs is the lesser of its own
 * block's cost and its parts' together.
 *
 * D: a block's squared errors over its visible samples (BdctBlockRecord.sse).
 *
 * R: the bits of its coded block flag and levels (cabac.h), and of a flag in
 * each node that may be either whole or split, in 2^-15 bit: bins cost what
 * they do in the states that CABAC begins a slice with (clause 9.3.2.2,
 * initType 0), which do not move. So the sizes of a square follow from its
 * samples and the job alone, whatever frames or squares came before, whatever
 * is in flight beside it. What the levels that are taken cost is estimated
 * anew, with states that adapt (rate.h).
 *
 * lambda: HM's for intra slices, 0.57 2^((QP - 12) / 3), times lambda-scale, in
 * squared sample steps to a bit at a depth of 12, with up to 10 bits behind the
 * point; D is scaled to that, too. Where the blocks of a frame have quantizers
 * of their own (engine.h), the first one's slice begins the states; a block has
 * the quantizer and the lambda of the smallest block in its corner, and a
 * node's flag that lambda, too.
 *
 * All sums fit 64 bits: 3 x 1024 samples are wrong by 2^12 at most, so that D
 * is below 2^35.6 and its term, shifted by 25, below 2^60.6. A level takes at
 * most 53 bits: three bins of 5.7, a sign and 34 bins of its remainder;
 * 3 x 1024 of them are below 2^32.4 in 2^-15 bit. lambda is below 2^30.3: it
 * has fewer bits behind the point where lambda-scale is above 1.
 */
#ifndef BDCT_QUADTREE_H
#define BDCT_QUADTREE_H

#include "dct/base/compiler.h"
#include "dct/entropy/cabac.h"
#include "dct/quantizer/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The side of a square with a tree of its own, and its logarithm. */
enum { BDCT_QUADTREE_LOG2 = 5, BDCT_QUADTREE_SIDE = 1 << BDCT_QUADTREE_LOG2 };

/** Squares of a segment of bins (cabac.h), in a row; the last one of a row has
 * what is left. */
enum { BDCT_QUADTREE_SEGMENT = 8 };

/** Sides that blocks have: 4 to 32, as a logarithm less 2. */
enum { BDCT_QUADTREE_SIZES = BDCT_TREE_SIZES };

/** What nodes of one square cost, by their size and their place, row by row: as
 * a block, and what their being split adds to their parts' cost. Nodes outside
 * of the picture have 0. */
typedef struct {
  uint64_t whole[BDCT_QUADTREE_SIZES][64], split[BDCT_QUADTREE_SIZES][64];
} BdctQuadtreeSquare;

/** log2 of the side of a component's blocks where luma's is 2^log2_size. */
BDCT_FORCE_INLINE int
bdct_quadtree_log2 (BdctChromaFormat chroma, int component, int log2_size)
{
  return component == BDCT_Y || chroma == BDCT_CHROMA_444 ? log2_size
      : log2_size > 3 ? log2_size - 1 : 2;
}

/** The node with a component's blocks where luma's are 2^log2_size: it has more
 * than one of luma's where these share them. */
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

/** The context of the flag of a node that may be split: split_transform_flag's
 * (clause 9.3.4.2). */
BDCT_FORCE_INLINE int
bdct_quadtree_context (int log2_size)
{
  return BDCT_CABAC_LUMA_SPLIT + 5 - log2_size;
}

/** Whether a component has blocks of its own where luma's are 2^log2_size, of
 * which there are none larger than 2^max_log2: else it has those of the node
 * around them. */
BDCT_FORCE_INLINE bool
bdct_quadtree_has_own (BdctChromaFormat chroma, int component, int log2_size,
    int max_log2)
{
  return max_log2 == 2
      || bdct_quadtree_node (chroma, component, log2_size) == log2_size;
}

/** Take node `i` of a size above the smallest as a block, or as the parts that
 * were taken before: `whole` becomes what it costs at its best, and `size` has
 * log2 of the side of luma's block at each of the square's 8 x 8 places. */
BDCT_FORCE_INLINE void
bdct_quadtree_decide_node (BdctQuadtreeSquare *square, uint8_t size[64], int n,
    int i)
{
  const int columns = BDCT_QUADTREE_SIDE >> n, places = 1 << (n - 2);
  const int x = i % columns, y = i / columns;
  const uint64_t *first = square->whole[n - 3] + 4 * columns * y + 2 * x;
  const uint64_t split = square->split[n - 2][i] + first[0] + first[1]
      + first[2 * columns] + first[2 * columns + 1];

  if (split < square->whole[n - 2][i]) {
    square->whole[n - 2][i] = split;
    return;
  }
  for (int k = 0; k < places * places; k++)
    size[8 * (places * y + k / places) + places * x + k % places] =
        (uint8_t) n;
}

/** Find the tree of a square. Returns what it costs. */
BDCT_FORCE_INLINE uint64_t
bdct_quadtree_decide (const BdctJobTree *tree, BdctQuadtreeSquare *square,
    uint8_t size[64])
{
  uint64_t sum = 0;

  for (int i = 0; i < 64; i++)
    size[i] = (uint8_t) tree->min_log2;
  for (int n = tree->min_log2 + 1; n <= tree->max_log2; n++)
    for (int i = 0; i < 1 << 2 * (BDCT_QUADTREE_LOG2 - n); i++)
      bdct_quadtree_decide_node (square, size, n, i);
  for (int i = 0; i < 64 >> 2 * (tree->max_log2 - 2); i++)
    sum += square->whole[tree->max_log2 - 2][i];
  return sum;
}

#ifdef __cplusplus
}
#endif
#endif
