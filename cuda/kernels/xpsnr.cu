/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XPSNR on the GPU, as in cpu/metrics/xpsnr.c: a thread block has a block, and
 * a thread goes down some rows of one of its columns. */
#include "dct/metrics/xpsnr.h"
#include "metric.cuh"

namespace xpsnr {

namespace {

/* Rows that a thread goes down at a time. */
constexpr int kStrip = 8;

/* Copy luma to 16 bits, for this frame and later ones. */
struct Keep {
  static constexpr int kThreads = 256;
  using Shared = BdctNothing;

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &)
  {
    const BdctMetricPlane &p = to.plane;
    uint16_t *history = (uint16_t *) p.memory;

    threads<kThreads> ([&] (int t) {
      const int x = bx * kThreads + t, end = (by + 1) * kStrip;

      for (int y = by * kStrip; x < p.width && y < end && y < p.height; y++)
        history[(int64_t) y * p.width + x]
            = (uint16_t) sample_at (p, p.src.data + y * p.src.stride, x);
    });
  }
};

/* Two samples; the first is in an even column of a picture with an even
 * width. */
struct alignas (4) Pair {
  uint16_t a, b;
};

/* A square is a single sample, or in a large picture 2 x 2 samples. `sum` is
 * the square's; `here`, `above` and `below` are the high pass' sums over it and
 * its two neighbours, as the middle row and as the rows above and below it. */
struct Taps {
  int sum, here, above, below;
};

/* The 3 x 3 filter. `before`, `behind`: offsets of the two neighbours, or 0
 * where they would be outside. */
template <bool kLarge> BDCT_INLINE Taps
read_taps (const uint16_t *square, int64_t stride, int before, int behind)
{
  const int l = square[before], m = square[0], r = square[behind];
  const int around = l + 2 * m + r;

  (void) stride;
  return { m, 12 * m - 2 * (l + r), around, around };
}

/* The 6 x 6 filter without corners, which has the same symmetry: its outermost
 * rows are the rows next to the middle without the contribution of what is
 * twice as near. */
template <> BDCT_INLINE Taps
read_taps<true> (const uint16_t *square, int64_t stride, int before, int behind)
{
  Taps taps = { 0, 0, 0, 0 };

  BDCT_UNROLL for (int k = 0; k < 2; k++) {
    const uint16_t *row = square + k * stride;
    const Pair l = *(const Pair *) (row + before), m = *(const Pair *) row;
    const Pair r = *(const Pair *) (row + behind);
    const int middle = m.a + m.b, next = l.b + r.a, far = l.a + r.b;
    const int outer = middle + next, inner = 3 * middle + 2 * next + far;

    taps.sum += middle;
    taps.here += 12 * middle - 3 * next - far;
    taps.above += k == 0 ? outer : inner;
    taps.below += k == 0 ? inner : outer;
  }
  return taps;
}

/* The sum of a square. */
template <bool kLarge> BDCT_INLINE int
read_coefficient (const uint16_t *square, int64_t stride)
{
  const Pair *up = (const Pair *) square;
  const Pair *down = (const Pair *) (square + stride);

  return kLarge ? up->a + up->b + down->a + down->b : *square;
}

template <bool kLarge> struct BlockSums {
  static constexpr int kThreads = 256;
  static constexpr int kStep = 1 + kLarge;
  struct Shared {
    BdctXpsnrGrid grid;
    unsigned long long sum[BDCT_XPSNR_KINDS][kThreads];
  };

  /* Run f on a thread's share of an area: columns from one row to another. */
  template <typename F> static BDCT_INLINE void
  go_down (int t, int width, int height, F f)
  {
    const int strips = (height + kStrip - 1) / kStrip;

    for (int i = t; i < width * strips; i += kThreads)
      f (i % width, i / width * kStrip);
  }

  template <int kBytes> static BDCT_INLINE unsigned long long
  add_errors (const BdctMetricPlane &p, const BdctXpsnrPlace &at, int t)
  {
    const int peak = (1 << p.depth) - 1;
    unsigned long long sum = 0;

    go_down (t, at.width, at.height, [&] (int x, int first) {
      const int64_t column = (int64_t) (at.x + x) * p.step;
      unsigned squares = 0;

      BDCT_UNROLL for (int i = 0; i < kStrip; i++) {
        const int y = at.y + first + i;

        if (first + i < at.height) {
          const int error = bdct_sample_get (p.src.data + y * p.src.stride,
              column, kBytes, p.shift, peak)
              - bdct_sample_get (p.rec.data + y * p.rec.stride, column,
              kBytes, p.shift, peak);

          squares += (unsigned) (error * error);
        }
      }
      sum += squares;
    });
    return sum;
  }

  /* The activity of a block of luma. */
  static BDCT_INLINE void
  add_activity (const BdctMetricPlane &p, const BdctXpsnrPlace &at, int t,
      unsigned long long sum[BDCT_XPSNR_KINDS])
  {
    const int columns = p.width / kStep, rows = p.height / kStep;
    const int frames = bdct_xpsnr_frames (&p);
    const int64_t stride = p.width, down = kStep * stride;

    go_down (t, at.width / kStep, at.height / kStep, [&] (int x, int first) {
      const int column = at.x / kStep + x, top = at.y / kStep + first;
      const bool inside = column > 0 && column < columns - 1;
      const int before = inside ? -kStep : 0, behind = inside ? kStep : 0;
      const int64_t offset = top * down + column * kStep;
      const uint16_t *square = p.luma[0] + offset;
      Taps up = read_taps<kLarge> (square - (top > 0 ? down : 0), stride,
          before, behind);
      Taps here = read_taps<kLarge> (square, stride, before, behind);

      BDCT_UNROLL for (int i = 0; i < kStrip; i++) {
        const int row = top + i;
        const int64_t there = offset + i * down;
        Taps below;
        int change = here.sum;

        if (first + i >= at.height / kStep)
          break;
        below = read_taps<kLarge> (square + i * down
            + (row < rows - 1 ? down : 0), stride, before, behind);
        if (inside && row > 0 && row < rows - 1)
          sum[BDCT_XPSNR_CONTRAST]
              += abs (here.here - up.above - below.below);
        if (frames > 1)
          change -= (frames == 2 ? 1 : 2)
              * read_coefficient<kLarge> (p.luma[1] + there, stride);
        if (frames == 3)
          change += read_coefficient<kLarge> (p.luma[2] + there, stride);
        sum[BDCT_XPSNR_MOVEMENT] += abs (change);
        up = here;
        here = below;
      }
    });
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;

    /* Only one thread, as it takes double precision. */
    threads<kThreads> ([&] (int t) {
      if (t == 0)
        shared.grid = bdct_xpsnr_grid (&p);
    });
    if (bx >= shared.grid.columns || by >= shared.grid.rows)
      return;
    const BdctXpsnrPlace at = bdct_xpsnr_place (&p, &shared.grid, bx, by);
    const bool weighted = p.component == BDCT_Y && shared.grid.weighted;
    threads<kThreads> ([&] (int t) {
      unsigned long long sum[BDCT_XPSNR_KINDS] = { 0, 0, 0 };

      sum[BDCT_XPSNR_ERROR] = p.depth == 8 ? add_errors<1> (p, at, t)
          : add_errors<2> (p, at, t);
      if (weighted)
        add_activity (p, at, t, sum);
      for (int k = 0; k < BDCT_XPSNR_KINDS; k++)
        shared.sum[k][t] = sum[k];
    });
    add_up<kThreads> (shared.sum);
    threads<kThreads> ([&] (int t) {
      BdctXpsnrBlock *block = (BdctXpsnrBlock *) p.memory
          + by * shared.grid.columns + bx;

      if (t > 0)
        return;
      for (int k = 0; k < BDCT_XPSNR_KINDS; k++)
        block->sum[k] = shared.sum[k][0];
      block->weight = weighted ? bdct_xpsnr_weight (&p, &at, block->sum) : 1;
    });
  }
};

int
count_columns (const BdctMetricPlane &p)
{
  return bdct_xpsnr_grid (&p).columns;
}

int
count_rows (const BdctMetricPlane &p)
{
  return bdct_xpsnr_grid (&p).rows;
}

size_t
results (const BdctMetricPlane *p)
{
  return (size_t) count_columns (*p) * count_rows (*p)
      * sizeof (BdctXpsnrBlock);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  const unsigned x = most (planes, 1, count_columns);
  const unsigned y = most (planes, 1, count_rows);

  return bdct_xpsnr_reach (&planes->plane[0].plane) > 1
      ? launch<BlockSums<true>> (planes, x, y, stream)
      : launch<BlockSums<false>> (planes, x, y, stream);
}

} // namespace

} // namespace xpsnr

const BdctCudaMetric bdct_cuda_xpsnr = { xpsnr::results, no_scratch,
  xpsnr::launch_all };

cudaError_t
bdct_cuda_history_copy (const BdctMetricPlane *luma, cudaStream_t stream)
{
  using xpsnr::Keep;
  BdctCudaMetricPlanes planes = {};

  planes.plane[0].plane = *luma;
  planes.n = 1;
  return launch<Keep> (&planes, (luma->width + Keep::kThreads - 1)
      / Keep::kThreads, (luma->height + xpsnr::kStrip - 1) / xpsnr::kStrip,
      stream);
}
