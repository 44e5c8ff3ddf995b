/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.265's quadtree on the GPU (dct/rd/quadtree.h). The kernels of the fixed
 * transforms come first and compute levels, records and the picture in blocks
 * of each size. A warp has a square of 32 x 32 luma samples: it prices the
 * levels, finds the tree, and assembles the outputs of the chosen blocks. A
 * lane has a sub-block of 4 x 4 levels. Lanes exchange two bits of each, which
 * tell in advance what dct/entropy/cabac.h's walk carries to the next one. */
#include "dct/base/sample.h"
#include "dct/entropy/cabac.h"
#include "dct/picture/render.h"
#include "quadtree.cuh"
#include "tree-price.cuh"

namespace {

/* Outputs of the chosen blocks */

/* log2 of the side of luma's block at sample (x, y) of a component of the
 * square. */
BDCT_INLINE int
size_at (const uint8_t *sizes, const BdctCudaTreeComponent &component, int x,
    int y)
{
  return sizes[8 * (y << component.sub_y >> 2)
      + (x << component.sub_x >> 2)];
}

/* Copy the samples of a sub-block of a component; (x, y) is its first one. The
 * first component copies those of all interleaved ones. */
BDCT_INLINE void
take_samples (const BdctCudaTreeComponent &component, const BdctSamples &from,
    int x, int y, int depth)
{
  const BdctPlaneLayout &layout = component.layout;
  const BdctSamples &dst = component.dst;
  const int pixel = layout.interleave * (depth > 8 ? 2 : 1);
  const int n = pixel * bdct_min (4, layout.width - x);
  const int rows = bdct_min (4, layout.height - y);
  uint8_t *to = dst.data + y * dst.stride + (int64_t) x * pixel;
  const uint8_t *at = from.data + y * from.stride + (int64_t) x * pixel;

  if ((((uintptr_t) to | (uintptr_t) at | n | dst.stride | from.stride) & 3)
      == 0)
    for (int i = 0; i < n; i += 4) {
      uint32_t word[4];

      BDCT_UNROLL for (int v = 0; v < 4; v++)
        word[v] = v < rows ? *(const uint32_t *) (at + v * from.stride + i) : 0;
      BDCT_UNROLL for (int v = 0; v < 4; v++)
        if (v < rows)
          *(uint32_t *) (to + v * dst.stride + i) = word[v];
    }
  else
    for (int v = 0; v < rows; v++)
      for (int i = 0; i < n; i++)
        to[v * dst.stride + i] = at[v * from.stride + i];
}

/* The visible samples of `size` columns or rows from `at` on, in a picture of
 * `all`. */
BDCT_INLINE int
visible (int size, int at, int all)
{
  return bdct_min (size, all - at);
}

/* The squared errors of a block whose record may be saturated. */
BDCT_INLINE uint64_t
sum_errors (const BdctCudaTreeComponent &component,
    const BdctSamples &picture, int x0, int y0, int size, int depth)
{
  const BdctPlaneLayout &layout = component.layout;
  const int bytes = depth > 8 ? 2 : 1, step = layout.interleave;
  const int peak = (1 << depth) - 1;
  uint64_t sum = 0;

  for (int y = y0; y < bdct_min (y0 + size, layout.height); y++)
    for (int x = x0; x < bdct_min (x0 + size, layout.width); x++) {
      const int e = bdct_sample_get (component.src.data
          + y * component.src.stride, (int64_t) x * step, bytes, layout.shift,
          peak) - bdct_sample_get (picture.data + y * picture.stride,
          (int64_t) x * step, bytes, layout.shift, peak);

      sum += (uint64_t) ((int64_t) e * e);
    }
  return sum;
}

/* The share of a block's record of the smallest block at (x, y) in it, by
 * visible samples: the shares add up to the record. */
BDCT_INLINE BdctBlockRecord
share (const BdctCudaTreeComponent &component, const BdctBlockRecord &record,
    int x, int y, int log2_size)
{
  const BdctPlaneLayout &layout = component.layout;
  const int side = 1 << component.log2_smallest, size = 1 << log2_size;
  const int x0 = x & -size, y0 = y & -size;
  const uint64_t width = visible (size, x0, layout.width);
  const uint64_t all = width * visible (size, y0, layout.height);
  const int high = visible (side, y, layout.height);
  const uint64_t sum = (y - y0) * width + (uint64_t) high * (x - x0);
  const uint64_t next = sum
      + (uint64_t) high * visible (side, x, layout.width);
  BdctBlockRecord part = { 0, 0, 0 };

  part.sse = (uint32_t) (record.sse * next / all - record.sse * sum / all);
  part.nonzero = (uint16_t) (record.nonzero * next / all
      - record.nonzero * sum / all);
  return part;
}

/* Draw a sub-block's levels; (x, y) is its first sample. */
BDCT_INLINE void
draw_levels (const BdctCudaTreeComponent &component, const BdctLevel *levels,
    int log2_size, int x, int y, int depth)
{
  const BdctPlaneLayout &layout = component.layout;

  for (int v = 0; v < visible (4, y, layout.height); v++)
    for (int u = 0; u < visible (4, x, layout.width); u++)
      bdct_sample_put (component.levels.data + (y + v)
          * component.levels.stride, (int64_t) (x + u) * layout.interleave,
          depth > 8 ? 2 : 1, layout.shift,
          bdct_render_level (levels[(v << log2_size) + u],
              component.component != BDCT_Y, depth));
}

/* What chosen blocks of a component add to the frame's sums. Errors are split
 * into the lower 16 bits and the rest. */
struct Sums
{
  uint32_t sse[2], nonzero, levels, area[kSizes];
};

/* Count a chosen block. */
BDCT_INLINE void
take_block (const Square &s, const SizedBlocks &b, int bx, int by, Sums *sums)
{
  const BdctBlockRecord &record = b.of.records[b.number (bx, by)];
  const int size = 1 << b.log2_size;
  const int x = (b.x + bx) * size, y = (b.y + by) * size;
  const uint64_t sse = record.sse < UINT32_MAX ? record.sse
      : sum_errors (b.component, b.of.picture, x, y, size, s.tree.depth);
  const uint32_t area = visible (size, x, b.component.layout.width)
      * visible (size, y, b.component.layout.height);

  sums->sse[0] += (uint32_t) (sse & 0xffff);
  sums->sse[1] += (uint32_t) (sse >> 16);
  sums->nonzero += record.nonzero;
  sums->levels += (uint32_t) (size * size);
  BDCT_UNROLL for (int k = 0; k < kSizes; k++)
    sums->area[k] += k == b.log2_size - 2 ? area : 0;
}

/* Produce all outputs for sub-block (x, y) of a component of the square. */
BDCT_INLINE void
take_part (const Square &s, const uint8_t *sizes, int c, int x, int y,
    Sums *sums)
{
  const BdctCudaTree &tree = s.tree;
  const BdctCudaTreeComponent &component = tree.component[c];
  const int n = size_at (sizes, component, 4 * x, 4 * y);
  const SizedBlocks b (s, c, find_size (tree, c, n));
  const int log2_side = b.log2_size - 2, mask = (1 << log2_side) - 1;
  const int bx = x >> log2_side, by = y >> log2_side;
  const int left = (s.left >> component.sub_x) + 4 * x;
  const int top = (s.top >> component.sub_y) + 4 * y;
  const int smallest = (1 << component.log2_smallest) - 1;

  if (!b.has (bx, by))
    return;
  if (((x | y) & mask) == 0)
    take_block (s, b, bx, by, sums);
  if (left >= component.layout.width || top >= component.layout.height)
    return;
  if (component.dst.data != nullptr
      && (int) component.layout.component[0] == c)
    take_samples (component, b.of.picture, left, top, tree.depth);
  if (component.records != nullptr && ((left | top) & smallest) == 0)
    component.records[(size_t) (top >> component.log2_smallest)
        * component.columns + (left >> component.log2_smallest)] =
        share (component, b.of.records[b.number (bx, by)], left, top,
        b.log2_size);
  if (c == BDCT_Y && tree.sizes != nullptr && ((left | top) & smallest) == 0)
    tree.sizes[(size_t) (top >> component.log2_smallest) * component.columns
        + (left >> component.log2_smallest)] = (uint8_t) n;
  if (component.levels.data != nullptr)
    draw_levels (component, b.levels (bx, by)
        + (((y & mask) << b.log2_size) + (x & mask)) * 4, b.log2_size, left,
        top, tree.depth);
}

BDCT_INLINE void
add (unsigned long long *to, unsigned long long v)
{
  if (v != 0)
    atomicAdd (to, v);
}

/* A warp has a square; a thread block has kWarps of a row, from number kWarps x
 * on. kGiven: their trees are given. */
template <bool kGiven> struct Choose
{
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kBlocks = 4;

  struct Warp
  {
    BdctQuadtreeSquare square;
    uint8_t size[kParts];
  };

  struct Shared
  {
    Prices prices;
    Warp warp[kWarps];
    Sums sums[kComponents];
  };

  /* A lane's sub-block, among those of one size. */
  struct LanePart
  {
    bool there, dc, has;
    int c, bx, by, j;
  };

  /* Find a sub-block: number k of the components from `c` on. Sets the
   * magnitudes of its levels. */
  static BDCT_INLINE LanePart
  find (const Square &s, int c, int n, int k, uint32_t magnitude[8])
  {
    const BdctCudaTreeComponent &first = s.tree.component[c];
    const int log2_parts = 6 - first.sub_x - first.sub_y;
    LanePart its = {};

    its.c = c + (k >> log2_parts);
    if (its.c >= (c == BDCT_Y ? 1 : s.tree.n_components))
      return its;

    const SizedBlocks b (s, its.c, n - 2);
    const int number = k & ((1 << log2_parts) - 1);
    const int block = number >> b.log2_parts;

    its.j = number & ((1 << b.log2_parts) - 1);
    its.dc = its.j == (1 << b.log2_parts) - 1;
    its.bx = block & ((1 << b.log2_across) - 1);
    its.by = block >> b.log2_across;
    its.there = b.has (its.bx, its.by);
    if (its.there) {
      const uint32_t at = find_place (b.log2_size, its.j);
      const BdctLevel *from = b.levels (its.bx, its.by)
          + (((at >> 8 & 255) << b.log2_size) + (at & 255)) * 4;

      its.has = load_magnitudes (from, b.log2_size, magnitude);
    }
    return its;
  }

  /* What a sub-block's bins cost. `greater`: the one with levels that is coded
   * before has some above 1. */
  static BDCT_INLINE uint32_t
  price (const Prices &prices, const LanePart &its, const Levels &found,
      uint32_t bypass, int log2_size, bool chroma, const Around &around,
      bool greater)
  {
    uint32_t cost = 0;

    if (its.dc && its.there)
      cost = price_bin (prices, chroma ? BDCT_CABAC_CHROMA_CBF
          : BDCT_CABAC_LUMA_CBF, true, around.coded);
    if (!around.coded)
      return cost;
    if (!around.last && !its.dc)
      cost += price_bin (prices, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (around.right || around.below),
          true, its.has);
    if (!its.has && !its.dc)
      return cost;
    if (log2_size == 2) {
      const int from = __ffs ((int) found.nonzero);
      const uint32_t rest = found.nonzero & (found.nonzero - 1);

      cost += prices.small_zeros[chroma][from]
          + prices.small[chroma][0][rest & 255]
          + prices.small[chroma][1][rest >> 8];
    } else {
      cost += price_significant (prices, found.nonzero, log2_size, chroma,
          its.dc, around);
    }
    if (around.last) {
      const uint32_t at = find_place (log2_size, its.j);
      const uint8_t prefixes = find_prefixes (found.nonzero, at & 255,
          at >> 8 & 255, &bypass);

      cost += prices.last[chroma][log2_size - 2][0][prefixes & 15]
          + prices.last[chroma][log2_size - 2][1][prefixes >> 4];
    }
    if (its.has)
      cost += price_greater (prices, found, chroma,
          (chroma || its.dc ? 0 : 2) + greater);
    return cost + ((bypass + __popc (found.nonzero)) << BDCT_CABAC_COST_BITS);
  }

  /* Add a block's cost to its node's. */
  static BDCT_INLINE void
  price_node (const Square &s, const Prices &prices, BdctQuadtreeSquare &square,
      int n, const LanePart &its, uint32_t rate)
  {
    const BdctCudaTree &tree = s.tree;
    const SizedBlocks b (s, its.c, n - 2);
    uint64_t whole = 0, split = 0, lambda = 0;

    if (its.there) {
      lambda = tree.lambda[b.set (its.bx, its.by)];
      whole = bdct_quadtree_cost (lambda, tree.distortion_shift,
          b.of.records[b.number (its.bx, its.by)].sse, rate);
    }
    if (its.c == BDCT_Y) {
      const int i = its.by << b.log2_across | its.bx;

      if (its.there && n > tree.min_log2) {
        const uint2 flag = prices.bin[bdct_quadtree_context (n)];

        whole += bdct_quadtree_cost (lambda, tree.distortion_shift, 0, flag.x);
        split = bdct_quadtree_cost (lambda, tree.distortion_shift, 0, flag.y);
      }
      square.whole[n - 2][i] = whole;
      square.split[n - 2][i] = split;
    } else if (its.there) {
      const int x = its.bx << b.log2_size << b.component.sub_x >> n;
      const int y = its.by << b.log2_size << b.component.sub_y >> n;
      const int i = y << (BDCT_QUADTREE_LOG2 - n) | x;

      atomicAdd ((unsigned long long *) &square.whole[n - 2][i],
          (unsigned long long) whole);
      if (n == bdct_quadtree_node (tree.chroma, its.c, n - 1))
        atomicAdd ((unsigned long long *) &square.split[n - 2][i],
            (unsigned long long) whole);
    }
  }

  /* Price the blocks of a size of luma, or of both components of chroma. */
  static BDCT_INLINE void
  price_blocks (const Square &s, const Prices &prices,
      BdctQuadtreeSquare &square, int n, int c, int lane)
  {
    const int log2_size = s.tree.component[c].sized[n - 2].log2_size;
    const int parts = 1 << 2 * (log2_size - 2);
    const int all = count_parts (s.tree.component[c]) << (c != BDCT_Y);
    /* Of the first half of a block of 64 */
    uint32_t has_before = 0, cost_before = 0;
    bool above_before = false;

    BDCT_NO_UNROLL for (int k = 0; k < all; k += 32) {
      uint32_t magnitude[8] = {}, above = 0;
      int escapes = 0;
      Levels found = {};
      const LanePart its = find (s, c, n, k + lane, magnitude);
      const uint32_t has = ballot (its.has);
      uint32_t cost;

      if (has != 0) {
        found = find_levels (magnitude);
        escapes = count_escapes (magnitude, found);
        above = ballot (found.above != 0);
      }

      const Around around (find_place (log2_size, its.j), has, has_before,
          its.j, lane);
      const bool greater = follows_greater (around, above, above_before);

      cost = price (prices, its, found, (uint32_t) escapes, log2_size,
          c != BDCT_Y, around, greater) + cost_before;
      if (parts == 64 && (k & 32) == 0) {
        has_before = has;
        above_before = has != 0 && (above >> log2_floor ((int) has) & 1);
        cost_before = cost;
        continue;
      }
      has_before = cost_before = 0;
      above_before = false;
      for (int d = 1; d < parts && d < 32; d *= 2)
        cost += from_xor (cost, d);
      if (its.dc)
        price_node (s, prices, square, n, its, cost);
    }
    wait_for_warp ();
  }

  /* Find a square's tree. */
  static BDCT_INLINE void
  decide (const Square &s, const Prices &prices, Warp &own, int lane)
  {
    const BdctCudaTree &tree = s.tree;

    BDCT_NO_UNROLL for (int n = tree.min_log2; n <= tree.max_log2; n++)
      BDCT_NO_UNROLL for (int c = BDCT_Y; c < bdct_min (tree.n_components,
              2) && bdct_quadtree_has_own (tree.chroma, c, n, tree.max_log2);
          c++)
        price_blocks (s, prices, own.square, n, c, lane);
    for (int n = tree.min_log2 + 1; n <= tree.max_log2; n++) {
      if (lane < 1 << 2 * (BDCT_QUADTREE_LOG2 - n))
        bdct_quadtree_decide_node (&own.square, own.size, n, lane);
      wait_for_warp ();
    }
  }

  /* Take the chosen blocks of a component. */
  static BDCT_INLINE void
  take (const Square &s, const uint8_t *size, int c, Sums &all, int lane)
  {
    const BdctCudaTreeComponent &component = s.tree.component[c];
    const int across = kSide / 4 >> component.sub_x;
    Sums sums = {};

    for (int k = lane; k < count_parts (component); k += 32)
      take_part (s, size, c, k % across, k / across, &sums);
    add_in_warp (&all.sse[0], sums.sse[0], lane);
    add_in_warp (&all.sse[1], sums.sse[1], lane);
    add_in_warp (&all.nonzero, sums.nonzero, lane);
    add_in_warp (&all.levels, sums.levels, lane);
    if (c == BDCT_Y) {
      BDCT_UNROLL for (int k = 0; k < kSizes; k++)
        add_in_warp (&all.area[k], sums.area[k], lane);
    }
  }

  static BDCT_INLINE void
  add_in_warp (uint32_t *to, uint32_t v, int lane)
  {
    v = add_lanes (v);
    if (lane == 0)
      atomicAdd (to, v);
  }

  /* Add the squares' sums to the frame's. */
  static BDCT_INLINE void
  add_sums (const BdctCudaTree &tree, const Sums *sums, int accumulator, int t)
  {
    BdctCudaAccumulator &to =
        tree.accumulators[accumulator % BDCT_CUDA_ACCUMULATORS];

    if (t < tree.n_components) {
      add (&to.sse[t], ((unsigned long long) sums[t].sse[1] << 16)
          + sums[t].sse[0]);
      add (&to.nonzero[t], sums[t].nonzero);
      add (&to.levels[t], sums[t].levels);
    }
    if (t < kSizes)
      add (&to.area[t], sums[BDCT_Y].area[t]);
  }

  static BDCT_INLINE void
  thread (const BdctCudaTree &tree, int x, int y, Shared &shared, int t)
  {
    const int lane = t & 31;
    const Square s = { tree, (x * kWarps + (t >> 5)) * kSide, y * kSide };
    Warp &own = shared.warp[t >> 5];

    shared.prices.fill (tree.costs, t, kThreads);
    for (int k = t; k < (int) (sizeof shared.sums / 4); k += kThreads)
      ((uint32_t *) shared.sums)[k] = 0;
    for (int k = lane; k < kParts; k += 32)
      own.size[k] = (uint8_t) (kGiven
          ? stored_size (s, 4 * (k % 8), k / 8 * 4) : tree.min_log2);
    wait_for_block ();
    if (s.has (0, 0)) {
      if (!kGiven && tree.min_log2 != tree.max_log2)
        decide (s, shared.prices, own, lane);
      for (int c = 0; c < tree.n_components; c++)
        take (s, own.size, c, shared.sums[c], lane);
    }
    wait_for_block ();
    add_sums (tree, shared.sums, x + y, t);
  }
};

/* For squares (x, y). A thread copies sub-blocks of each size and component. */
template <bool kGiven> struct CopyLevels
{
  static constexpr int kThreads = 192, kBlocks = 5;
  using Shared = BdctNothing;

  /* Copy sub-block number `k` of a component's blocks of a size. */
  static BDCT_INLINE void
  copy_part (const Square &s, int c, int size, int k)
  {
    const SizedBlocks b (s, c, size);
    const BdctCudaTreeComponent &component = b.component;
    const int block = k >> b.log2_parts, in = k & ((1 << b.log2_parts) - 1);
    const int bx = block & ((1 << b.log2_across) - 1);
    const int by = block >> b.log2_across, log2_side = b.log2_size - 2;

    if (!b.has (bx, by))
      return;

    const int x = bx << b.log2_size << component.sub_x;
    const int y = by << b.log2_size << component.sub_y;
    const bool chosen = find_size (s.tree, c, stored_size (s, x, y)) == size;
    const size_t first = ((in >> log2_side << b.log2_size)
        + (in & ((1 << log2_side) - 1))) * 4;
    uint64_t *own = (uint64_t *) (b.levels (bx, by) + first);
    uint64_t *frame = (uint64_t *) (component.frame_levels + first
        + bdct_quadtree_level (s.tree.component[BDCT_Y].layout.width,
            component.sub_x, component.sub_y, s.left + x, s.top + y));

    for (int i = 0; i < 4; i++) {
      const int row = i << (b.log2_size - 2);

      if (kGiven)
        own[row] = chosen ? frame[row] : 0;
      else if (chosen)
        frame[row] = own[row];
    }
  }

  static BDCT_INLINE void
  thread (const BdctCudaTree &tree, int x, int y, Shared &, int t)
  {
    const Square s = { tree, x * kSide, y * kSide };
    int all = 0;

    for (int c = 0; c < tree.n_components; c++)
      all += count_parts (tree.component[c]);
    for (int i = t; i < (tree.max_log2 - tree.min_log2 + 1) * all;
        i += kThreads) {
      const int n = tree.min_log2 + i / all;
      int k = i % all, c = 0;

      for (; k >= count_parts (tree.component[c]); c++)
        k -= count_parts (tree.component[c]);
      if (bdct_quadtree_has_own (tree.chroma, c, n, tree.max_log2))
        copy_part (s, c, n - 2, k);
    }
  }
};

} // namespace

static_assert (sizeof (BdctCudaTree) <= 4096, "a kernel's parameters");

extern "C" cudaError_t
bdct_cuda_tree_choose (const BdctCudaTree *tree, bool given,
    cudaStream_t stream)
{
  const BdctPlaneLayout *luma = &tree->component[BDCT_Y].layout;

  return (given ? launch<Choose<true>> : launch<Choose<false>>) (tree,
      (count_squares (luma->width) - 1) / Choose<false>::kWarps + 1,
      count_squares (luma->height), stream);
}

extern "C" cudaError_t
bdct_cuda_tree_copy_levels (const BdctCudaTree *tree, bool given,
    cudaStream_t stream)
{
  const BdctPlaneLayout *luma = &tree->component[BDCT_Y].layout;

  return (given ? launch<CopyLevels<true>> : launch<CopyLevels<false>>) (tree,
      count_squares (luma->width), count_squares (luma->height), stream);
}
