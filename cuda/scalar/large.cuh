/* blockdct: H.265's blocks from 16 x 16 on, each a warp's or half a warp's.
 *
 * A lane does a row of a block, then a column, then a row again, in registers;
 * between them the block lies in shared memory as 16-bit values, in the order
 * in which the next pass wants them (dots.cuh): behind the first as columns,
 * then as rows. Their pitch is an odd multiple of 16 bytes, so that lanes that
 * load 16 bytes of their own row reach all banks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_LARGE_CUH
#define BDCT_LARGE_CUH

#include "small.cuh"

namespace {

template <typename C> struct Large
{
  static constexpr int n = C::width, keep = C::columns;
  static constexpr BdctBasis basis = C::Row::id;
  /* A warp has so many blocks at a time: lanes in turn. */
  static constexpr int blocks = n < 32 ? 32 / n : 1;
  static constexpr int pitch_down = n + 8, pitch_across = keep + 8;
  static constexpr int cells = n * pitch_across > keep * pitch_down
      ? n * pitch_across : keep * pitch_down;
  /* The second one's rows fall between the first one's. */
  static constexpr int stride = cells + (blocks > 1 ? 32 : 0);

  static_assert (keep == (n < 32 ? n : 32), "as many columns as lanes");

  template <int COUNT> static BDCT_INLINE void
  load_pairs (uint32_t (&pair)[COUNT], const uint16_t *from)
  {
    BDCT_UNROLL for (int i = 0; i < COUNT; i += 4) {
      const uint4 four = *((const uint4 *) from + i / 4);

      pair[i] = four.x;
      pair[i + 1] = four.y;
      pair[i + 2] = four.z;
      pair[i + 3] = four.w;
    }
  }

  /* A row of samples. */
  template <typename Sample> static BDCT_INLINE void
  forward_row (uint16_t *t, const Window &w, const Shifts &shifts, int y)
  {
    constexpr int n_words = n / kPerWord<Sample>;
    uint32_t words[n_words], pair[n / 2];
    int32_t out[keep];

    load_rows<Sample, 1> (words, w, y);
    BDCT_UNROLL for (int i = 0; i < n / 2; i++)
      pair[i] = get_pair<Sample> (words, i);
    forward_dots<basis, false, n, keep, false> (out, pair,
        (1 << shifts.fwd[0] >> 1) + (kBias << shifts.fwd[0]),
        1 << (w.depth - 1));
    t += mirror_place (y);
    BDCT_UNROLL for (int u = 0; u < keep; u++)
      t[u * pitch_down] = (uint16_t) (out[u] >> shifts.fwd[0]);
  }

  /* The coefficients of a column. */
  static BDCT_INLINE void
  forward_column (int32_t (&c)[keep], const uint16_t *t, const Shifts &shifts,
      int u)
  {
    uint32_t pair[n / 2];

    load_pairs (pair, t + u * pitch_down);
    forward_dots<basis, false, n, keep, true> (c, pair,
        1 << shifts.fwd[1] >> 1, 0);
    BDCT_UNROLL for (int v = 0; v < keep; v++)
      c[v] >>= shifts.fwd[1];
  }

  /* They become their values, or with ASK their levels. Returns how many are
   * not 0. */
  template <Ask ASK> static BDCT_INLINE uint32_t
  quantize_column (int32_t (&c)[keep], const Constants *set, int u)
  {
    constexpr int part = n / 8;
    const BdctComponentJob job = get_job<C> (set);
    int32_t quant[8], companion[8];
    uint32_t nonzero = 0;

    BDCT_UNROLL for (int v = 0; v < keep / part; v += 4) {
      load_entries (quant + v, set->job.quant, u / part, v);
      load_entries (companion + v, set->job.dequant, u / part, v);
    }
    BDCT_UNROLL for (int v = 0; v < keep; v++) {
      int level;

      nonzero += requantize<C> (c[v], job, quant[v / part],
          companion[v / part], &level, ASK == LEVELS ? nullptr : &c[v]);
      if (ASK == LEVELS)
        c[v] = level;
    }
    return nonzero;
  }

  static BDCT_INLINE void
  inverse_column (uint16_t *t, const int32_t (&c)[keep], const Shifts &shifts,
      int u)
  {
    uint32_t pair[keep / 2];
    int32_t out[n];

    BDCT_UNROLL for (int i = 0; i < keep / 2; i++)
      pair[i] = pack_signed (c[octave_order (keep, 2 * i)],
          c[octave_order (keep, 2 * i + 1)]);
    inverse_dots<basis, false, n, n, keep> (out, pair,
        1 << shifts.inv[0] >> 1);
    t += octave_place (keep, u);
    BDCT_UNROLL for (int y = 0; y < n; y++)
      t[y * pitch_across] = (uint16_t) pack_signed (out[y] >> shifts.inv[0],
          0);
  }

  /* A row of residuals, with `middle` added. */
  static BDCT_INLINE void
  inverse_row (int32_t (&out)[n], const uint16_t *t, const Shifts &shifts,
      int32_t middle, int y)
  {
    uint32_t pair[keep / 2];

    load_pairs (pair, t + y * pitch_across);
    inverse_dots<basis, false, n, n, keep> (out, pair,
        (1 << shifts.inv[1] >> 1) + (middle << shifts.inv[1]));
    BDCT_UNROLL for (int x = 0; x < n; x++)
      out[x] >>= shifts.inv[1];
  }

  /* Write it where there is anything to write to. Returns its squared
   * errors. */
  template <typename Sample> static BDCT_INLINE uint32_t
  store_row (const int32_t (&out)[n], const Window &w, int y)
  {
    uint32_t words[n / kPerWord<Sample>], sse[1] = {};

    BDCT_UNROLL for (int x = 0; x < n; x += kPerWord<Sample>)
      words[x / kPerWord<Sample>] = pack_samples<Sample> (out + x, w.depth);
    store_rows<Sample, 1, (blocks > 1), true> (words, w, y, sse);
    return sse[0];
  }

  /* Write a column of levels as dct/rate.h has them. */
  static BDCT_INLINE void
  put_levels (BdctLevel *to, const int32_t (&level)[keep], int u)
  {
    BDCT_UNROLL for (int v = 0; v < keep; v++)
      to[v * keep + u] = (BdctLevel) level[v];
  }

  template <typename Sample> static BDCT_INLINE void
  draw_level (const Window &w, int level, int u, int v)
  {
    if (u < w.width && v < w.height)
      bdct_sample_put (w.dst + v * w.dst_stride, u * w.interleave
          + w.component, sizeof (Sample), w.shift,
          bdct_render_level (level, w.chroma, w.depth));
  }

  /* Write the picture of a column of levels, and of what is not kept of it and
   * of its neighbour to the right. */
  template <typename Sample> static BDCT_INLINE void
  draw_levels (const Window &w, const int32_t (&level)[keep], int u)
  {
    BDCT_UNROLL for (int v = 0; v < keep; v++)
      draw_level<Sample> (w, level[v], u, v);
    if (keep < n)
      _Pragma ("unroll 1") for (int v = 0; v < n; v++) {
        if (v >= keep)
          draw_level<Sample> (w, 0, u, v);
        draw_level<Sample> (w, 0, u + keep, v);
      }
  }
};

/* The blocks of a warp at (x, y) of their component, `i` the lane's row and
 * column. Returns the lane's nonzero << 48 | sse. */
template <typename C, Ask ASK, typename Sample>
BDCT_INLINE unsigned long long
run_large (uint16_t *t, const Window &w, const Blocks &blocks, int x, int y,
    int i)
{
  using L = Large<C>;
  constexpr int first = L::blocks > 1 ? 2 : 1;
  using Sum = std::conditional_t<(sizeof (Sample) > 1 && L::n > 16),
      unsigned long long, uint32_t>;
  const int number = blocks.number<C> (x, y);
  const bool inside = w.width > 0 && w.height > 0;
  const Shifts shifts = get_shifts (blocks.sets);
  int32_t c[L::keep];
  uint32_t nonzero;
  Sum sse = 0;

  _Pragma ("unroll 1") for (int k = 0; k < L::n; k += L::keep)
    L::template forward_row<Sample> (t, w, shifts, i + k);
  __syncwarp ();
  L::forward_column (c, t, shifts, i);
  nonzero = L::template quantize_column<ASK> (c, blocks.set (number, inside),
      i);
  __syncwarp ();
  if (ASK == LEVELS) {
    if (inside && w.dst == nullptr)
      L::put_levels (blocks.levels + (size_t) number * (L::keep * L::keep), c,
          i);
    if (inside && w.dst != nullptr)
      L::template draw_levels<Sample> (w, c, i);
    return 0;
  }
  L::inverse_column (t, c, shifts, i);
  __syncwarp ();
  _Pragma ("unroll 1") for (int k = 0; k < L::n; k += L::keep) {
    int32_t out[L::n];

    L::inverse_row (out, t, shifts, 1 << (w.depth - 1), i + k);
    sse += L::template store_row<Sample> (out, w, i + k);
  }
  __syncwarp ();
  nonzero = inside ? nonzero : 0;
  if (blocks.records != nullptr) {
    const Sum block_sse = lanes_sum<first, 16> (sse);
    const uint32_t block_nonzero = lanes_sum<first, 16> (nonzero);

    if (i == 0 && inside)
      blocks.put (number, block_sse, block_nonzero);
  }
  return (unsigned long long) nonzero << 48 | sse;
}

} // namespace

#endif
