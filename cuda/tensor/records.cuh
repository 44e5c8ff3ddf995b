/* blockdct: writing each block's record, besides the sums.
 *
 * Lanes assemble a tile's records in its shared memory, and other lanes write
 * them in order.
 *
 * Squared errors: a lane has the chunks of a quarter of the tile's rows, one
 * below the other. It writes their sums to the place of its first chunk, whose
 * samples it has already read; lanes that share a block add theirs first.
 *
 * Levels that are not 0: a group gives each lane a word of 16 fields of 2 bits,
 * for the two levels of each of up to 8 parts. The word goes to the 16 bytes
 * that each row has beside its samples, in 8 rows: for every second group in
 * the output's rows, for the others in the input's. In the end four lanes add
 * up a group's words, of 8 lanes each: in 8 x 8 squares those of a quarter,
 * which is a 4 x 4 block. Squares of 32 x 32 have fields of 4 bits for their
 * quarters, and are added up at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include "tiles.cuh"

namespace {

/* Flags of a plane: records are requested; its blocks have half a square's
 * side. */
enum Requested { RECORDS = 1, HALF_SIZE = 2 };

/* Counts levels that are not 0, by interleaved component. The input is flags:
 * pairs of 16 bits, each 0 or 1. */
template <bool EXTRAS> struct Nonzero;

template <> struct Nonzero<false>
{
  uint32_t pairs[2];

  BDCT_INLINE void begin_tile (uint32_t, uint32_t, bool, int) {}
  BDCT_INLINE void begin_group (void) {}

  /* Add the flags of a part of a group, or of a quarter of a 32 x 32 square. */
  BDCT_INLINE void
  add (int, int component, uint32_t flags)
  {
    pairs[component] += flags;
  }

  static BDCT_INLINE void
  add_quarter (uint32_t &square, int, uint32_t flags)
  {
    square += flags;
  }

  template <uint32_t SECOND> BDCT_INLINE void end_group (void) {}

  BDCT_INLINE void
  end_square (uint32_t square, int component)
  {
    /* Indexing pairs[] would need local memory. */
    pairs[0] += component == 0 ? square : 0;
    pairs[1] += component == 1 ? square : 0;
  }

  BDCT_INLINE uint32_t
  total (int component) const
  {
    return (pairs[component] & 0xffff) + (pairs[component] >> 16);
  }
};

/* The field of a part: with this order the sums are in the parts' order. */
BDCT_INLINE constexpr int
field_of (int part)
{
  return part % 2 * 4 + part / 2 % 2 * 2 + part / 4;
}

/* The fields of the second of two interleaved components, which has every
 * second part, or the second half of the parts. */
constexpr uint32_t kOddParts = 0xff00ff00, kLastParts = 0xcccccccc;

template <> struct Nonzero<true>
{
  uint32_t count[2];
  uint32_t fields;              /* of a group */
  /* Addresses of the lane's word for this group, and for the next one. */
  uint32_t here, next;
  bool records;

  BDCT_INLINE void
  begin_tile (uint32_t in, uint32_t out, bool wanted, int lane)
  {
    const uint32_t word = lane / 4 * kPitch + kTileBytes + lane % 4 * 4;

    here = out + word;
    next = in + word;
    records = wanted;
  }

  BDCT_INLINE void
  advance (void)
  {
    const uint32_t below = here + 8 * kPitch;

    here = next;
    next = below;
  }

  BDCT_INLINE void
  begin_group (void)
  {
    fields = 0;
  }

  BDCT_INLINE void
  add (int part, int, uint32_t flags)
  {
    fields += flags << 2 * field_of (part);
  }

  /* Fields have 4 bits here: a lane has four pairs of a quarter. */
  static BDCT_INLINE void
  add_quarter (uint32_t &square, int quarter, uint32_t flags)
  {
    square += flags << 4 * quarter;
  }

  template <uint32_t SECOND> BDCT_INLINE void
  end_group (void)
  {
    count[0] += __popc (fields & ~SECOND);
    count[1] += __popc (fields & SECOND);
    if (records)
      store_word (here, fields);
    advance ();
  }

  BDCT_INLINE void
  end_square (uint32_t square, int component)
  {
    const uint32_t even = square & 0x0f0f0f0f, odd = square >> 4 & 0x0f0f0f0f;
    const uint32_t n = __dp4a (even + odd, 0x01010101u, 0u);

    count[0] += component == 0 ? n : 0;
    count[1] += component == 1 ? n : 0;
    if (records) {
      const uint32_t a = add_lanes (even), b = add_lanes (odd);

      if (threadIdx.x % 32 == 0)
        store_shared (here, a, b);
    }
    advance ();
  }

  BDCT_INLINE uint32_t
  total (int component) const
  {
    return count[component];
  }
};

static_assert (sizeof (BdctBlockRecord) == 8
    && offsetof (BdctBlockRecord, nonzero) == 4, "two words");

/* A tile's blocks. */
template <typename Sample, int ROWS, int SIDE, bool PAIRS> struct TileBlocks
{
  static constexpr int components = PAIRS ? 2 : 1;
  /* Bytes of a block's row, including the other component's. */
  static constexpr int bytes = SIDE * (int) sizeof (Sample) * components;
  static constexpr int across = kTileBytes / bytes, down = ROWS / SIDE;
  static constexpr int in_chunk = bytes < 16 ? 16 / bytes : 1;
  static constexpr int chunks = bytes > 16 ? bytes / 16 : 1;
  /* A lane's rows of a tile, and of a block. */
  static constexpr int lane_rows = ROWS / 4;
  static constexpr int rows = SIDE < lane_rows ? SIDE : lane_rows;
  /* Whether a block's errors may exceed 32 bits. */
  static constexpr bool saturate = sizeof (Sample) > 1
      && SIDE * SIDE > UINT32_MAX / (4095 * 4095);
};

/* Add another lane's number. */
template <bool SATURATE> BDCT_INLINE uint32_t
add_across (uint32_t v, int distance)
{
  const uint32_t sum = v + __shfl_xor_sync (0xffffffff, v, distance);

  return SATURATE && sum < v ? UINT32_MAX : sum;
}

/* put() of the lane's chunks, one below the other; stores their blocks' errors
 * in the place of `out`. */
template <typename Sample, int ROWS, int SIDE, bool PAIRS, bool ORDER>
BDCT_INLINE void
put_blocks (uint32_t out, uint32_t in, const BdctCudaPlane &plane,
    uint32_t requested, const Place &p, Errors &sum, uint32_t peak, int lane)
{
  using B = TileBlocks<Sample, ROWS, SIDE, PAIRS>;
  uint8_t *to = p.dst;

  BDCT_UNROLL for (int y = 0; y < B::lane_rows; y += B::rows) {
    Errors e[B::in_chunk] = {};

    to = put<Sample, Shape<ROWS, kTileBytes>, true, PAIRS, ORDER> (to, out, in,
        plane, p, y, y + B::rows, e, peak, lane);
    BDCT_UNROLL for (int i = 0; i < B::in_chunk; i++) {
      sum.all += e[i].all;
      sum.second += e[i].second;
    }
    if (!(requested & RECORDS))
      continue;
    BDCT_UNROLL for (int i = 0; i < B::in_chunk; i++)
      BDCT_UNROLL for (int c = 0; c < B::components; c++) {
        uint32_t v = c ? e[i].second : e[i].all - e[i].second;

        BDCT_UNROLL for (int d = 1; d < B::chunks; d *= 2)
          v = add_across<B::saturate> (v, d);
        BDCT_UNROLL for (int d = 1; d < SIDE / B::rows; d *= 2)
          v = add_across<B::saturate> (v, 8 * d);
        store_word (out + y * kPitch + (i * B::components + c) * 4, v);
      }
  }
}

/* Add up the words of GROUPS groups of PARTS parts, into a byte for each part
 * in the place of the first words. QUARTERS: keep the lanes' quarters apart. */
template <int GROUPS, int PARTS, bool QUARTERS> BDCT_INLINE void
add_fields (uint32_t in, uint32_t out, int lane)
{
  constexpr int words = PARTS / 4;
  const bool has_words = lane < 4 * GROUPS;
  const uint32_t at = (lane / 4 % 2 ? in : out) + lane / 8 * 8 * kPitch
      + lane % 2 * 4 * kPitch + kTileBytes + lane / 2 % 2 * 8;
  uint32_t w[8] = {}, sum[2] = { 0, 0 };

  if (has_words)
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      load_shared (w + 2 * i, at + i * kPitch);
  /* The sum of three 2-bit fields fits 2 bits, that of eight 4 bits, and that
   * of 64 a byte. */
  const uint32_t three[3] = { w[0] + w[1] + w[2], w[3] + w[4] + w[5],
    w[6] + w[7] };
  BDCT_UNROLL for (int i = 0; i < words; i++) {
    uint32_t v = 0, low, high;

    BDCT_UNROLL for (int k = 0; k < 3; k++)
      v += three[k] >> 2 * i & 0x33333333;
    low = v & 0x0f0f0f0f;
    high = v >> 4 & 0x0f0f0f0f;
    sum[i] = permute (low, high, LOW_WORDS) + permute (low, high, HIGH_WORDS);
    if (!QUARTERS)
      BDCT_UNROLL for (int d = 1; d < 4; d *= 2)
        sum[i] += __shfl_xor_sync (0xffffffff, sum[i], d);
  }
  if (has_words)
    store_shared (at, sum[0], sum[1]);
}

/* Write a tile's records. `out` and `in` are the addresses of its first bytes.
 * LEVELS: the kernel writes levels. */
template <typename Group, typename Sample, int ROWS, int SIDE, bool PAIRS,
    bool LEVELS>
BDCT_INLINE void
write_records (uint32_t out, uint32_t in, const BdctCudaPlane &plane,
    const Place &p, int lane)
{
  using B = TileBlocks<Sample, ROWS, SIDE, PAIRS>;
  constexpr int row_blocks = B::across * B::components;
  constexpr int step = 32 / row_blocks; /* rows of blocks at a time */
  const int x = lane % B::across, component = lane / B::across % B::components;
  const int y = lane / row_blocks;
  const int column = p.x * B::across + x, row = p.y * B::down + y;
  const int rows = (plane.layout.height - 1 >> plane.log2_height) + 1;
  const uint32_t errors = out + y * SIDE * kPitch
      + (x * B::chunks / B::in_chunk) * 16
      + (x % B::in_chunk * B::components + component) * 4;
  const uint32_t levels =
      Group::template levels_of<SIDE, PAIRS> (in, out, component, x, y);
  BdctBlockRecord *to = (LEVELS
      ? plane.records + (component ? (int64_t) rows * plane.columns : 0)
      : component ? plane.blocks[1] : plane.blocks[0])
      + (int64_t) row * plane.columns + column;

  if (column >= plane.columns)
    return;
  BDCT_UNROLL for (int i = 0; i < B::down; i += step) {
    if (y + i < B::down && row + i < rows)
      *(uint2 *) to = make_uint2 (load_word (errors + i * SIDE * kPitch),
          Group::template load_levels<SIDE> (levels, i));
    to += step * plane.columns;
  }
}

} // namespace
