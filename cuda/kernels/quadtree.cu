/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * H.265's quadtree on the GPU (dct/rd/quadtree.h). The kernels of the fixed
 * transforms come first and compute levels, records and the picture in blocks
 * of each size. A thread block has a square of 32 x 32 luma samples: it prices
 * the levels, finds the tree, and assembles the outputs of the chosen blocks.
 * Levels are processed in sub-blocks of 4 x 4, one for each thread: two bits of
 * each sub-block determine in advance what dct/entropy/cabac.h's walk carries
 * from one sub-block to the next. */
#include "dct/base/sample.h"
#include "dct/entropy/cabac.h"
#include "dct/picture/render.h"
#include "quadtree.cuh"
#include "threads.cuh"
#ifndef __CUDACC__
#include "quadtree-emulation.h"
#endif

namespace {

constexpr int kBins = 2 * BDCT_CABAC_CONTEXTS;

/* Shared by the threads of a square. */
struct Found
{
  BdctQuadtreeSquare square;
  uint8_t size[kParts];
  uint32_t costs[kBins];
  /* For each sub-block, by block in scan order: whether it has a level that is
   * not 0, and whether the next one finds `greater` set. */
  alignas (8) uint8_t coded[kSizes][kComponents][kParts];
  alignas (8) uint8_t greater[kSizes][kComponents][kParts];
  uint32_t rate[kSizes][kComponents][kParts];   /* by block, in 2^-15 bit */
  /* Sums over the chosen blocks. Errors are split into the lower 16 bits and
   * the rest. */
  uint32_t sse[2][kComponents], nonzero[kComponents], levels[kComponents];
  uint32_t area[kSizes];
};

/* A block's parts as bits, from bytes of 0 or 1. */
BDCT_INLINE uint64_t
gather (const uint8_t *bytes, int n)
{
  uint64_t bits = 0;

  if (n >= 8)
    for (int i = 0; i < n; i += 8)
      bits |= (*(const uint64_t *) (bytes + i) * 0x0102040810204080u >> 56)
          << i;
  else
    for (int i = 0; i < n; i++)
      bits |= (uint64_t) bytes[i] << i;
  return bits;
}

/* Inspect a sub-block: bit 0 is set if it has a level that is not 0, bit 1 if
 * one of the 8 levels with a flag is above 1. */
BDCT_INLINE int
look_at (const BdctLevel *levels, int log2_size)
{
  uint64_t row[4], any = 0;
  int n = 0, greater = 0;

  BDCT_UNROLL for (int y = 0; y < 4; y++) {
    row[y] = *(const uint64_t *) (levels + (y << log2_size));
    any |= row[y];
  }
  if (any == 0)
    return 0;
  BDCT_UNROLL for (int i = 15; i >= 0; i--) {
    const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
    const int level = (int16_t) (row[place >> 2] >> 16 * (place & 3));

    greater |= n < 8 && (level > 1 || level < -1);
    n += level != 0;
  }
  return 1 | greater << 1;
}

/* Send a sub-block's bins to a sink, as bdct_cabac_walk() does. */
BDCT_INLINE void
code_part (BdctCabacSink *sink, const Blocks &b, const Part &p,
    const uint8_t *coded_bytes, const uint8_t *greater_bytes)
{
  const int n = 1 << b.log2_parts, side = 1 << (b.log2_size - 2);
  const uint64_t coded = gather (coded_bytes + p.first, n);
  const uint64_t before = coded >> p.place >> 1;        /* in coding order */
  const bool chroma = b.component.component != BDCT_Y;
  const bool has = coded >> p.place & 1, dc = p.place == 0;
  const bool right = p.x + 1 < side
      && (coded >> Part::find_place (p.x + 1, p.y, side) & 1);
  const bool below = p.y + 1 < side
      && (coded >> Part::find_place (p.x, p.y + 1, side) & 1);
  bool last = before == 0, greater = false;

  if (dc)
    bdct_cabac_bin (sink, chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF,
        coded != 0);
  if (coded == 0 || (last && !has))
    return;
  if (!last && !dc)
    bdct_cabac_bin (sink, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
            : BDCT_CABAC_LUMA_SUB_BLOCK) + (right || below), has);
  if (!has && !dc)
    return;
  for (int i = p.place + 1; i < n && !last; i++)
    if (coded >> i & 1) {
      greater = greater_bytes[p.first + i];
      break;
    }
  bdct_cabac_sub_block (sink, b.levels (p.bx, p.by), b.log2_size, chroma, p.x,
      p.y, right, below, &last, &greater);
}

/* Call f (blocks, part, size, c) for each sub-block of each size and
 * component. */
template <int kThreads, typename F> BDCT_INLINE void
for_parts (const Square &s, int t, F f)
{
  const BdctCudaTree &tree = s.tree;
  int all = 0;

  for (int c = 0; c < tree.n_components; c++)
    all += count_parts (tree.component[c]);
  for (int i = t; i < (tree.max_log2 - tree.min_log2 + 1) * all;
      i += kThreads) {
    const int n = tree.min_log2 + i / all;
    int k = i % all, c = 0;

    for (; k >= count_parts (tree.component[c]); c++)
      k -= count_parts (tree.component[c]);
    if (!bdct_quadtree_has_own (tree.chroma, c, n, tree.max_log2))
      continue;

    const Blocks b (s, c, n - 2);
    const Part p (b, k);

    if (b.has (p.bx, p.by))
      f (b, p, n - 2, c);
  }
}

/* The cost of a component's blocks in a node. */
BDCT_INLINE uint64_t
price (const Square &s, const Found &shared, int c, int n, int x, int y)
{
  const Blocks b (s, c, n - 2);
  const int sub_x = b.component.sub_x, sub_y = b.component.sub_y;
  uint64_t sum = 0;

  for (int by = y >> sub_y >> b.log2_size;
      by < (y + (1 << n)) >> sub_y >> b.log2_size; by++)
    for (int bx = x >> sub_x >> b.log2_size;
        bx < (x + (1 << n)) >> sub_x >> b.log2_size; bx++)
      if (b.has (bx, by))
        sum += bdct_quadtree_cost (s.tree.lambda[b.set (bx, by)],
            s.tree.distortion_shift, b.of.records[b.number (bx, by)].sse,
            shared.rate[n - 2][c][(by << b.log2_across) + bx]);
  return sum;
}

/* Set the costs of node `i` of a size. */
BDCT_INLINE void
price_node (const Square &s, Found &shared, int n, int i)
{
  const BdctCudaTree &tree = s.tree;
  const int log2_columns = BDCT_QUADTREE_LOG2 - n;
  const int bx = i & ((1 << log2_columns) - 1), by = i >> log2_columns;
  const int x = bx << n, y = by << n;
  uint64_t whole = 0, split = 0;

  if (s.has (x, y)) {
    const Blocks luma (s, BDCT_Y, n - 2);

    whole = price (s, shared, BDCT_Y, n, x, y);
    for (int c = 1; c < tree.n_components; c++)
      if (n == bdct_quadtree_node (tree.chroma, c, n)) {
        const uint64_t chroma = price (s, shared, c, n, x, y);

        whole += chroma;
        split += n == bdct_quadtree_node (tree.chroma, c, n - 1) ? chroma : 0;
      }
    if (n > tree.min_log2) {
      const uint64_t lambda = tree.lambda[luma.set (bx, by)];
      const uint32_t *flag = &shared.costs[2 * bdct_quadtree_context (n)];

      whole += bdct_quadtree_cost (lambda, tree.distortion_shift, 0, flag[0]);
      split += bdct_quadtree_cost (lambda, tree.distortion_shift, 0, flag[1]);
    }
  }
  shared.square.whole[n - 2][i] = whole;
  shared.square.split[n - 2][i] = split;
}

/* Outputs of the chosen blocks */

/* log2 of the side of luma's block at sample (x, y) of a component of the
 * square. */
BDCT_INLINE int
size_at (const Found &shared, const BdctCudaTreeComponent &component, int x,
    int y)
{
  return shared.size[8 * (y << component.sub_y >> 2)
      + (x << component.sub_x >> 2)];
}

BDCT_INLINE void
copy (uint8_t *to, const uint8_t *from, int n)
{
  if ((((uintptr_t) to | (uintptr_t) from | n) & 3) == 0)
    for (int i = 0; i < n; i += 4)
      *(uint32_t *) (to + i) = *(const uint32_t *) (from + i);
  else
    for (int i = 0; i < n; i++)
      to[i] = from[i];
}

/* Copy four chosen samples of a component. The first component copies those of
 * all interleaved ones. */
BDCT_INLINE void
take_samples (const Square &s, const Found &shared, int c, int x, int y)
{
  const BdctCudaTreeComponent &component = s.tree.component[c];
  const BdctPlaneLayout &layout = component.layout;
  const int pixel = layout.interleave * (s.tree.depth > 8 ? 2 : 1);
  const BdctSamples &from = component.sized[find_size (s.tree, c,
          size_at (shared, component, x, y))].picture;

  x += s.left >> component.sub_x;
  y += s.top >> component.sub_y;
  if (x < layout.width && y < layout.height)
    copy (component.dst.data + y * component.dst.stride + (int64_t) x * pixel,
        from.data + y * from.stride + (int64_t) x * pixel,
        pixel * lesser (4, layout.width - x));
}

/* The visible samples of `size` columns or rows from `at` on, in a picture of
 * `all`. */
BDCT_INLINE int
visible (int size, int at, int all)
{
  return lesser (size, all - at);
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

  for (int y = y0; y < lesser (y0 + size, layout.height); y++)
    for (int x = x0; x < lesser (x0 + size, layout.width); x++) {
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

/* Count a chosen block. */
BDCT_INLINE void
take_block (const Square &s, Found &shared, const Blocks &b, int c, int bx,
    int by)
{
  const BdctBlockRecord &record = b.of.records[b.number (bx, by)];
  const int size = 1 << b.log2_size;
  const uint64_t sse = record.sse < UINT32_MAX ? record.sse
      : sum_errors (b.component, b.of.picture, (b.x + bx) * size,
      (b.y + by) * size, size, s.tree.depth);

  atomicAdd (&shared.sse[0][c], (uint32_t) (sse & 0xffff));
  atomicAdd (&shared.sse[1][c], (uint32_t) (sse >> 16));
  atomicAdd (&shared.nonzero[c], (uint32_t) record.nonzero);
  atomicAdd (&shared.levels[c], (uint32_t) (size * size));
  if (c == BDCT_Y)
    atomicAdd (&shared.area[b.log2_size - 2],
        (uint32_t) (visible (size, (b.x + bx) * size, b.component.layout.width)
            * visible (size, (b.y + by) * size, b.component.layout.height)));
}

/* Produce all outputs for sub-block (x, y) of a component of the square. */
BDCT_INLINE void
take_part (const Square &s, Found &shared, int c, int x, int y)
{
  const BdctCudaTree &tree = s.tree;
  const BdctCudaTreeComponent &component = tree.component[c];
  const int size = find_size (tree, c,
      size_at (shared, component, 4 * x, 4 * y));
  const Blocks b (s, c, size);
  const int log2_side = b.log2_size - 2, mask = (1 << log2_side) - 1;
  const int bx = x >> log2_side, by = y >> log2_side;
  const int left = (s.left >> component.sub_x) + 4 * x;
  const int top = (s.top >> component.sub_y) + 4 * y;
  const int smallest = (1 << component.log2_smallest) - 1;
  const bool inside = left < component.layout.width
      && top < component.layout.height;

  if (!b.has (bx, by))
    return;
  if (((x | y) & mask) == 0)
    take_block (s, shared, b, c, bx, by);
  if (!inside)
    return;
  if (component.records != nullptr && ((left | top) & smallest) == 0)
    component.records[(size_t) (top >> component.log2_smallest)
        * component.columns + (left >> component.log2_smallest)] =
        share (component, b.of.records[b.number (bx, by)], left, top,
        b.log2_size);
  if (c == BDCT_Y && tree.sizes != nullptr && ((left | top) & smallest) == 0)
    tree.sizes[(size_t) (top >> component.log2_smallest) * component.columns
        + (left >> component.log2_smallest)] = shared.size[8 * y + x];
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

/* Add the square's sums to the frame's. */
BDCT_INLINE void
add_sums (const BdctCudaTree &tree, const Found &shared, unsigned square, int t)
{
  BdctCudaAccumulator &accumulator =
      tree.accumulators[square % BDCT_CUDA_ACCUMULATORS];

  if (t < tree.n_components) {
    add (&accumulator.sse[t], ((unsigned long long) shared.sse[1][t] << 16)
        + shared.sse[0][t]);
    add (&accumulator.nonzero[t], shared.nonzero[t]);
    add (&accumulator.levels[t], shared.levels[t]);
  }
  if (t < kSizes)
    add (&accumulator.area[t], shared.area[t]);
}

/* For squares (x, y). kBlocks, here and below, is the blocks of a
 * multiprocessor for which the compiler limits registers. */
template <bool kGiven> struct Choose
{
  static constexpr int kThreads = 192, kBlocks = 5;
  using Shared = Found;

  /* Set the nodes' least costs, and the chosen sizes. */
  static BDCT_INLINE void
  decide (const Square &s, Found &shared)
  {
    const BdctCudaTree &tree = s.tree;

    threads<kThreads> ([&] (int t) {
      for_parts<kThreads> (s, t, [&] (const Blocks &b, const Part &p,
              int size, int c) {
        BdctCabacSink sink = { nullptr, shared.costs, nullptr, 0, nullptr, 0,
          0 };

        code_part (&sink, b, p, shared.coded[size][c], shared.greater[size][c]);
        if ((sink.cost | sink.bypass) != 0)
          atomicAdd (&shared.rate[size][c][p.first >> b.log2_parts],
              sink.cost + (sink.bypass << BDCT_CABAC_COST_BITS));
      });
    });
    threads<kThreads> ([&] (int t) {
      int i = t;

      for (int n = tree.min_log2; n <= tree.max_log2; n++) {
        const int nodes = 1 << 2 * (BDCT_QUADTREE_LOG2 - n);

        if (i >= 0 && i < nodes)
          price_node (s, shared, n, i);
        i -= nodes;
      }
    });
    for (int n = tree.min_log2 + 1; n <= tree.max_log2; n++)
      threads<kThreads> ([&] (int t) {
        if (t < 1 << 2 * (BDCT_QUADTREE_LOG2 - n))
          bdct_quadtree_decide_node (&shared.square, shared.size, n, t);
      });
  }

  static BDCT_INLINE void
  block (const BdctCudaTree &tree, int x, int y, Found &shared)
  {
    const Square s = { tree, x * kSide, y * kSide };
    const bool one = tree.min_log2 == tree.max_log2;

    threads<kThreads> ([&] (int t) {
      for (int k = t; k < kBins; k += kThreads)
        shared.costs[k] = tree.costs.bin[k / 2][k % 2];
      for (int k = t; k < kParts; k += kThreads)
        shared.size[k] = (uint8_t) (kGiven
            ? stored_size (s, 4 * (k % 8), k / 8 * 4) : tree.min_log2);
      for (int k = t; k < kSizes * kComponents * kParts; k += kThreads)
        shared.rate[k / kParts / kComponents][k / kParts % kComponents]
            [k % kParts] = 0;
      if (t < kComponents) {
        shared.sse[0][t] = shared.sse[1][t] = 0;
        shared.nonzero[t] = shared.levels[t] = 0;
      }
      if (t < kSizes)
        shared.area[t] = 0;
      if (!one)
        for_parts<kThreads> (s, t, [&] (const Blocks &b, const Part &p,
                int size, int c) {
          const int seen = look_at (b.levels (p.bx, p.by)
              + ((p.y << b.log2_size) + p.x) * 4, b.log2_size);

          shared.coded[size][c][p.first + p.place] = seen & 1;
          shared.greater[size][c][p.first + p.place] = (uint8_t) (seen >> 1);
        });
    });
    if (!one && !kGiven)
      decide (s, shared);
    threads<kThreads> ([&] (int t) {
      for (int c = 0; c < tree.n_components; c++) {
        const BdctCudaTreeComponent &component = tree.component[c];
        const int across = kSide / 4 >> component.sub_x;
        const int high = kSide >> component.sub_y;

        if (component.dst.data != nullptr
            && (int) component.layout.component[0] == c)
          for (int i = t; i < across * high; i += kThreads)
            take_samples (s, shared, c, i % across * 4, i / across);
        for (int i = t; i < count_parts (component); i += kThreads)
          take_part (s, shared, c, i % across, i / across);
      }
    });
    threads<kThreads> ([&] (int t) {
      add_sums (tree, shared, (unsigned) (x + y), t);
    });
  }
};

/* For squares (x, y). A thread copies sub-blocks. */
template <bool kGiven> struct CopyLevels
{
  static constexpr int kThreads = 192, kBlocks = 5;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  copy_part (const Square &s, const Blocks &b, const Part &p, int size, int c)
  {
    const BdctCudaTreeComponent &component = b.component;
    const int x = p.bx << b.log2_size << component.sub_x;
    const int y = p.by << b.log2_size << component.sub_y;
    const bool chosen = find_size (s.tree, c, stored_size (s, x, y)) == size;
    const size_t first = ((p.y << b.log2_size) + p.x) * 4;
    uint64_t *block = (uint64_t *) (b.levels (p.bx, p.by) + first);
    uint64_t *frame = (uint64_t *) (component.frame_levels + first
        + bdct_quadtree_level (s.tree.component[BDCT_Y].layout.width,
            component.sub_x, component.sub_y, s.left + x, s.top + y));

    for (int i = 0; i < 4; i++) {
      const int row = i << (b.log2_size - 2);

      if (kGiven)
        block[row] = chosen ? frame[row] : 0;
      else if (chosen)
        frame[row] = block[row];
    }
  }

  static BDCT_INLINE void
  block (const BdctCudaTree &tree, int x, int y, Shared &)
  {
    const Square s = { tree, x * kSide, y * kSide };

    threads<kThreads> ([&] (int t) {
      for_parts<kThreads> (s, t, [&] (const Blocks &b, const Part &p,
              int size, int c) {
        copy_part (s, b, p, size, c);
      });
    });
  }
};

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::kThreads, K::kBlocks)
run (const __grid_constant__ BdctCudaTree tree)
{
  __shared__ typename K::Shared shared;

  K::block (tree, blockIdx.x, blockIdx.y, shared);
}

template <typename K> cudaError_t
launch (const BdctCudaTree *tree, unsigned x, unsigned y, cudaStream_t stream)
{
  void *args[] = { (void *) tree };

  return cudaLaunchKernel ((const void *) run<K>, dim3 (x, y),
      dim3 (K::kThreads), args, 0, stream);
}

#endif

} // namespace

static_assert (sizeof (BdctCudaTree) <= 4096, "a kernel's parameters");

extern "C" cudaError_t
bdct_cuda_tree_choose (const BdctCudaTree *tree, bool given,
    cudaStream_t stream)
{
  const BdctPlaneLayout *luma = &tree->component[BDCT_Y].layout;

  return (given ? launch<Choose<true>> : launch<Choose<false>>) (tree,
      count_squares (luma->width), count_squares (luma->height), stream);
}

extern "C" cudaError_t
bdct_cuda_tree_copy_levels (const BdctCudaTree *tree, bool given,
    cudaStream_t stream)
{
  const BdctPlaneLayout *luma = &tree->component[BDCT_Y].layout;

  return (given ? launch<CopyLevels<true>> : launch<CopyLevels<false>>) (tree,
      count_squares (luma->width), count_squares (luma->height), stream);
}
