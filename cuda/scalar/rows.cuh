/* blockdct: a lane's rows of samples, between memory and packed words, for the
 * kernels without tensor cores.
 *
 * A word has four samples of 8 bits or two of more bits, of one component. If
 * all of a warp's samples are within the picture's width, and rows begin at
 * multiples of 16 bytes, they are loaded and stored by up to 16 bytes.
 * Otherwise they are loaded by words at any address and stored one by one. If
 * two components are interleaved, a lane and its neighbour have the two
 * components of the same samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dct/base/sample.h"
#include "dots.cuh"

namespace {

/* The samples of one component for one lane. */
struct Window
{
  const uint8_t *src;           /* the first sample */
  uint8_t *dst;                 /* NULL: no output */
  int64_t src_stride, dst_stride;
  int interleave, component;    /* component: position among the interleaved
                                   ones */
  int width, height;            /* samples in the picture, at most 0 if there
                                   are none; the last row repeats below */
  int last;                     /* the column that repeats beyond it */
  int shift, depth;
  bool whole;                   /* the whole warp can load by words */
};

template <typename Sample> constexpr int kPerWord = 4 / sizeof (Sample);

template <int WORDS> BDCT_INLINE void
load_words (uint32_t *to, const uint8_t *from)
{
  if constexpr (WORDS == 1) {
    to[0] = __ldg ((const uint32_t *) from);
  } else if constexpr (WORDS == 2) {
    const uint2 v = __ldg ((const uint2 *) from);

    to[0] = v.x;
    to[1] = v.y;
  } else {
    BDCT_UNROLL for (int i = 0; i < WORDS; i += 4) {
      const uint4 v = __ldg ((const uint4 *) from + i / 4);

      to[i] = v.x;
      to[i + 1] = v.y;
      to[i + 2] = v.z;
      to[i + 3] = v.w;
    }
  }
}

template <int WORDS> BDCT_INLINE void
store_words (uint8_t *to, const uint32_t *from)
{
  if constexpr (WORDS == 1) {
    *(uint32_t *) to = from[0];
  } else if constexpr (WORDS == 2) {
    *(uint2 *) to = make_uint2 (from[0], from[1]);
  } else {
    BDCT_UNROLL for (int i = 0; i < WORDS; i += 4)
      ((uint4 *) to)[i / 4] =
          make_uint4 (from[i], from[i + 1], from[i + 2], from[i + 3]);
  }
}

/* Samples from memory, which for 16 bits drops the bits below the sample and
 * clips to the peak. */
template <typename Sample> BDCT_INLINE uint32_t
clean_word (uint32_t word, const Window &w)
{
  if (sizeof (Sample) == 1)
    return word;
  word = word >> w.shift & (0xffffu >> w.shift) * 0x10001u;
  return __vminu2 (word, ((1u << w.depth) - 1) * 0x10001u);
}

/* The window's component from two words of both components. */
template <typename Sample> BDCT_INLINE uint32_t
component_of (const uint32_t *both, const Window &w)
{
  return __byte_perm (both[0], both[1], sizeof (Sample) == 1
      ? w.component ? 0x7531 : 0x6420 : w.component ? 0x7632 : 0x5410);
}

/* Load a row of WORDS words, all in the picture. */
template <typename Sample, int WORDS, bool PAIRS> BDCT_INLINE void
load_row (uint32_t *to, const uint8_t *from, const Window &w)
{
  if constexpr (PAIRS) {
    uint32_t both[2 * WORDS];

    load_words<2 * WORDS> (both, from);
    BDCT_UNROLL for (int i = 0; i < WORDS; i++)
      to[i] = clean_word<Sample> (component_of<Sample> (both + 2 * i, w), w);
  } else {
    load_words<WORDS> (to, from);
    BDCT_UNROLL for (int i = 0; i < WORDS; i++)
      to[i] = clean_word<Sample> (to[i], w);
  }
}

/* Load words from any address on, with `bytes` bytes available. After them the
 * last PERIOD bytes, a sample of each interleaved component, repeat. */
template <typename Sample, int WORDS, int PERIOD> BDCT_INLINE void
load_any_words (uint32_t *to, const uint8_t *from, int bytes)
{
  constexpr uint32_t repeat = PERIOD == 1 ? 0 : PERIOD == 2 ? 0x1010 : 0x3210;
  const int skew = (uintptr_t) from & 3;
  const uint32_t *aligned = (const uint32_t *) (from - skew);
  const int whole = (bytes + skew) / 4;
  uint32_t in[WORDS + 1], tail = 0, last = 0;

  if (whole <= WORDS)
    BDCT_UNROLL for (int i = 0; i < 3; i++)
      if (i < (bytes + skew) % 4)
        tail |= (uint32_t) __ldg ((const uint8_t *) (aligned + whole) + i)
            << 8 * i;
  BDCT_UNROLL for (int i = 0; i <= WORDS; i++)
    in[i] = i < whole ? __ldg (aligned + i) : tail;
  BDCT_UNROLL for (int i = 0; i < WORDS; i++)
    to[i] = __funnelshift_r (in[i], in[i + 1], 8 * skew);
  if (bytes >= 4 * WORDS)
    return;
  BDCT_UNROLL for (int i = 0; i < PERIOD; i += sizeof (Sample))
    last |= (uint32_t) __ldg ((const Sample *) (from + bytes - PERIOD + i))
        << 8 * i;
  last = __byte_perm (last, 0, repeat);
  BDCT_UNROLL for (int i = 0; i < WORDS; i++) {
    const int left = bytes - 4 * i;
    const uint32_t mask = left >= 4 ? 0xffffffff
        : left <= 0 ? 0 : (1u << 8 * left) - 1;

    to[i] = (to[i] & mask) | (last & ~mask);
  }
}

/* Load WORDS words from word `first` of a row on, at any address and possibly
 * beyond the picture. */
template <typename Sample, int WORDS, bool PAIRS> BDCT_INLINE void
load_any_row (uint32_t *to, const uint8_t *row, int first, const Window &w)
{
  constexpr int interleave = PAIRS ? 2 : 1;
  constexpr int period = interleave * sizeof (Sample);
  uint32_t in[interleave * WORDS];

  first *= 4 * interleave;
  load_any_words<Sample, interleave * WORDS, period> (in, row + first,
      (w.last + 1) * period - first);
  BDCT_UNROLL for (int i = 0; i < WORDS; i++)
    to[i] = clean_word<Sample> (PAIRS ? component_of<Sample> (in + 2 * i, w)
        : in[i], w);
}

/* The pair of samples at a position in mirror_order() of a row. */
template <typename Sample> BDCT_INLINE uint32_t
get_pair (const uint32_t *words, int i)
{
  const int a = mirror_order (2 * i);
  const bool reversed = mirror_order (2 * i + 1) < a;

  if (sizeof (Sample) > 1)
    return reversed ? __byte_perm (words[a / 2], 0, 0x1032) : words[a / 2];
  return __byte_perm (words[a / 4], 0, a % 4 == 0 ? 0x4140 : a % 4 == 1 ? 0x4041
      : a % 4 == 2 ? 0x4342 : 0x4243);
}

/* Rotate the words by one towards the first. A loop over registers that must
 * not be unrolled uses only the first. */
template <int N> BDCT_INLINE void
rotate (uint32_t (&words)[N], uint32_t last)
{
  BDCT_UNROLL for (int i = 0; i + 1 < N; i++)
    words[i] = words[i + 1];
  words[N - 1] = last;
}

/* Load ROWS rows of N / ROWS words from row y0 on; below the picture its last
 * row repeats. */
template <typename Sample, int ROWS, int N> BDCT_INLINE void
load_rows (uint32_t (&words)[N], const Window &w, int y0)
{
  constexpr int n = N / ROWS;
  const uint8_t *p = w.src + min (y0, w.height - 1) * w.src_stride;

  if (w.width <= 0 || w.height <= 0) {
    BDCT_UNROLL for (int i = 0; i < N; i++)
      words[i] = 0;
  } else if (!w.whole) {
    constexpr int some = n < 4 ? n : 4;

    _Pragma ("unroll 1") for (int i = 0; i < N; i += some) {
      uint32_t part[some];

      if (w.interleave == 1)
        load_any_row<Sample, some, false> (part, p, i % n, w);
      else
        load_any_row<Sample, some, true> (part, p, i % n, w);
      BDCT_UNROLL for (int k = 0; k < some; k++)
        rotate (words, part[k]);
      if (i % n == n - some && y0 + i / n + 1 < w.height)
        p += w.src_stride;
    }
  } else {
    const auto load = [&] (auto pairs) {
      BDCT_UNROLL for (int y = 0; y < ROWS; y++) {
        load_row<Sample, n, decltype (pairs)::value> (words + y * n, p, w);
        if (y0 + y + 1 < w.height)
          p += w.src_stride;
      }
    };

    if (w.interleave == 1)
      load (std::false_type ());
    else
      load (std::true_type ());
  }
}

/* Add the squared errors of a word's samples. */
template <typename Sample> BDCT_INLINE uint32_t
squared_errors (uint32_t a, uint32_t b, uint32_t sum)
{
  if (sizeof (Sample) == 1) {
    const uint32_t d = __vabsdiffu4 (a, b);

    return __dp4a (d, d, sum);
  }
  const int32_t low = (int32_t) (a & 0xffff) - (int32_t) (b & 0xffff);
  const int32_t high = (int32_t) (a >> 16) - (int32_t) (b >> 16);

  return sum + low * low + high * high;
}

/* Interleave a lane's words with its neighbour's, and keep this lane's half. */
template <int WORDS> BDCT_INLINE void
interleave_row (uint32_t *words, bool second)
{
  BDCT_UNROLL for (int i = 0; i < WORDS / 2; i++) {
    const uint32_t own = second ? words[i + WORDS / 2] : words[i];
    const uint32_t got = __shfl_xor_sync (0xffffffff,
        second ? words[i] : words[i + WORDS / 2], 1);

    words[i] = second ? got : own;
    words[i + WORDS / 2] = second ? own : got;
  }
}

template <typename Sample> BDCT_INLINE void
zip (uint32_t *to, uint32_t a, uint32_t b)
{
  to[0] = __byte_perm (a, b, sizeof (Sample) == 1 ? 0x5140 : 0x5410);
  to[1] = __byte_perm (a, b, sizeof (Sample) == 1 ? 0x7362 : 0x7632);
}

/* Store a row of samples, all within the picture's width. */
template <typename Sample, int WORDS, bool NEIGHBOURS> BDCT_INLINE void
store_row (uint8_t *to, const uint32_t *words, const Window &w, bool visible)
{
  uint32_t out[WORDS];

  BDCT_UNROLL for (int i = 0; i < WORDS; i++)
    out[i] = sizeof (Sample) == 1 ? words[i] : words[i] << w.shift;
  if (w.interleave == 1) {
    if (visible)
      store_words<WORDS> (to, out);
  } else if constexpr (NEIGHBOURS) {
    uint32_t both[WORDS];

    interleave_row<WORDS> (out, w.component);
    BDCT_UNROLL for (int i = 0; i < WORDS / 2; i++)
      zip<Sample> (both + 2 * i, out[i], out[i + WORDS / 2]);
    if (visible)
      store_words<WORDS> (to + w.component * 4 * WORDS, both);
  } else if (visible) {
    BDCT_UNROLL for (int i = 0; i < WORDS * kPerWord<Sample>; i++)
      ((Sample *) to)[2 * i + w.component] = (Sample)
          (out[i / kPerWord<Sample>] >> i % kPerWord<Sample>
          * 8 * (int) sizeof (Sample));
  }
}

/* Add the squared errors of each of PARTS parts of a row, within the
 * picture. */
template <typename Sample, int PARTS, int N> BDCT_INLINE void
add_errors (uint32_t (&sse)[PARTS], const uint32_t (&words)[N],
    const uint32_t (&source)[N], const Window &w)
{
  BDCT_UNROLL for (int i = 0; i < N; i++) {
    uint32_t a = words[i], b = source[i];

    if (!w.whole) {
      const int left = w.width - i * kPerWord<Sample>;
      const uint32_t mask = left >= kPerWord<Sample> ? 0xffffffff
          : left <= 0 ? 0 : (1u << left * 8 * (int) sizeof (Sample)) - 1;

      a &= mask;
      b &= mask;
    }
    sse[i * PARTS / N] = squared_errors<Sample> (a, b, sse[i * PARTS / N]);
  }
}

/* Store a row, if it is visible, at the position of the component's first
 * sample; overwrites the words. NEIGHBOURS: components are interleaved and the
 * warp's next lane has the other one's. */
template <typename Sample, bool NEIGHBOURS, int N> BDCT_INLINE void
store_samples (uint8_t *to, uint32_t (&words)[N], const Window &w,
    bool visible)
{
  constexpr int bits = 8 * sizeof (Sample);

  if (w.whole) {
    store_row<Sample, N, NEIGHBOURS> (to, words, w, visible);
    return;
  }
  if (!visible)
    return;
  _Pragma ("unroll 1") for (int x = 0;
      x < min (w.width, N * kPerWord<Sample>); x++) {
    bdct_sample_put (to, (int64_t) x * w.interleave + w.component,
        sizeof (Sample), w.shift, words[0] & ((1 << bits) - 1));
    words[0] >>= bits;
    if (x % kPerWord<Sample> == kPerWord<Sample> - 1)
      rotate (words, 0);
  }
}

} // namespace
