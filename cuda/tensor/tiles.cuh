/* blockdct: a warp's way through a frame, and its tiles between global and
 * shared memory.
 *
 * A tile's rows are an odd number of chunks apart in shared memory, so that
 * neither a row nor a column of chunks has bank conflicts. Tiles within the
 * plane's width, at aligned addresses, are copied there and back 16 bytes at a
 * time. Other tiles are also copied 16 bytes at a time, wherever their rows
 * begin; they are then moved into place in shared memory, and are written back
 * by words. Beyond the picture's edge a tile repeats the last sample to the end
 * of its block. Whole blocks beyond are mid-grey, so that all of their levels
 * are 0 and do not count.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda/launch/kernel.h"
#include "mma.cuh"
#include "permute.cuh"

namespace {

/* A tile's rows, and the bytes of each. */
template <int ROWS, int BYTES> struct Shape
{
  static constexpr int rows = ROWS, bytes = BYTES;
  static constexpr int pitch = BYTES + 16, size = ROWS * pitch;
  static constexpr int chunks = BYTES / 16, words = BYTES / 4;
  /* The rows in which a warp has a chunk, or a word, for each lane. */
  static constexpr int chunk_rows = 32 / chunks, word_rows = 32 / words;
  static_assert (chunks % 2 == 0 && ROWS % chunk_rows == 0);
};

/* The width of almost all tiles, and of all with blocks' records. */
constexpr int kTileBytes = 128;
constexpr int kPitch = Shape<8, kTileBytes>::pitch;

/* A warp's position, and the first chunks that a lane reads and writes
 * (first_row()). */
struct Place
{
  int tile, plane, x, y;        /* x, y in tiles of the plane */
  const uint8_t *src;
  uint8_t *dst;
  bool straight;                /* all chunks of its rows are in the picture,
                                   at multiples of 16 */
  bool whole;                   /* ... and so are all of its rows */
  int quantizer;                /* the quantizer of its constants; with
                                   EXTRAS */
};

/* The row of the first chunk that a lane writes. The next ones are `chunk_rows`
 * rows apart, like all chunks that it reads or, with EXTRAS, one row apart. */
template <typename S, bool EXTRAS> BDCT_INLINE int
first_row (int lane)
{
  return lane / S::chunks * (EXTRAS ? S::rows / S::chunk_rows : 1);
}

/* One of a batch's planes. Its index is made opaque: from 10.0 on, ptxas keeps
 * a copy of an index that it can track for each of its uses, many more than
 * there are registers. */
BDCT_INLINE const BdctCudaPlane &
plane_at (const BdctCudaBatch &batch, int i)
{
  asm volatile ("" : "+r" (i));
  return batch.plane[i];
}

/* Find the plane of a place's tile, from the place's plane on. */
template <typename S, bool EXTRAS> BDCT_INLINE void
find (Place &p, const BdctCudaBatch &batch, int lane)
{
  while (p.plane + 1 < batch.n_planes
      && p.tile >= batch.plane[p.plane + 1].first_tile)
    p.plane++;
  const BdctCudaPlane &plane = plane_at (batch, p.plane);
  const int i = p.tile - plane.first_tile;

  p.y = i / plane.tiles_x;
  p.x = i - p.y * plane.tiles_x;
  const int64_t row = p.y * S::rows;
  const int byte = p.x * S::bytes + lane % S::chunks * 16;

  p.src = plane.src.data + (row + lane / S::chunks) * plane.src.stride + byte;
  p.dst = plane.dst.data
      + (row + first_row<S, EXTRAS> (lane)) * plane.dst.stride + byte;
  p.straight = plane.aligned && (p.x + 1) * S::bytes <= plane.row_bytes;
  p.whole = p.straight && (p.y + 1) * S::rows <= plane.layout.height;
}

template <typename S, int WARPS, bool EXTRAS> BDCT_INLINE void
advance (Place &p, const BdctCudaBatch &batch, int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, p.plane);

  p.tile += WARPS;
  p.x += WARPS;
  if (p.x >= plane.tiles_x) {
    find<S, EXTRAS> (p, batch, lane);
    return;
  }
  p.src += WARPS * S::bytes;
  p.dst += WARPS * S::bytes;
  p.straight = p.straight && (p.x + 1) * S::bytes <= plane.row_bytes;
  p.whole = p.whole && p.straight;
}

/* The quantizer of a tile's blocks, or BDCT_CUDA_MIXED. */
template <typename Sample, typename S> BDCT_INLINE int
quantizer_of (const Place &p, const BdctCudaBatch &batch)
{
  constexpr int samples = S::bytes / sizeof (Sample);
  constexpr int rows = BDCT_CUDA_MAP_TILE_ROWS (S::rows);
  const BdctCudaPlane &plane = plane_at (batch, p.plane);

  static_assert (rows % S::rows == 0
      && BDCT_CUDA_MAP_TILE_SAMPLES % samples == 0);
  if (plane.quantizer_of_tile == nullptr)
    return 0;
  return plane.quantizer_of_tile[p.y / (rows / S::rows)
      * plane.map_tiles_x
      + p.x / (BDCT_CUDA_MAP_TILE_SAMPLES / samples)];
}

/* Go on to the first tile that is in no mixed map tile. */
template <typename Sample, typename S, int WARPS> BDCT_INLINE void
leave_mixed (Place &p, int end, const BdctCudaBatch &batch, int lane)
{
  if (!batch.maps)
    return;
  while (p.tile < end
      && (p.quantizer = quantizer_of<Sample, S> (p, batch)) == BDCT_CUDA_MIXED)
    advance<S, WARPS, true> (p, batch, lane);
}

/* The lane's first chunk in a tile in shared memory. */
template <typename S, bool EXTRAS> BDCT_INLINE uint32_t
first_chunk (int lane)
{
  return first_row<S, EXTRAS> (lane) * S::pitch + lane % S::chunks * 16;
}

/* The samples up to the end of the last block. */
BDCT_INLINE int
whole_blocks (int samples, int log2_size)
{
  return ((samples - 1 >> log2_size) + 1) << log2_size;
}

/* The first byte of a tile's row in the plane; below the picture its last row
 * repeats. */
template <typename S> BDCT_INLINE const uint8_t *
source_row (const BdctCudaPlane &plane, const Place &p, int row)
{
  return plane.src.data + p.x * S::bytes
      + min (p.y * S::rows + row, plane.layout.height - 1) * plane.src.stride;
}

/* The bytes that a row has in memory from the tile's first byte on. */
template <typename Sample, typename S> BDCT_INLINE int
bytes_left (const BdctCudaPlane &plane, const Place &p)
{
  return (plane.last_column + 1) * plane.layout.interleave
      * (int) sizeof (Sample) - p.x * S::bytes;
}

/* Copy rows that are not straight, from the multiple of 16 before their first
 * byte on; straighten() undoes the resulting shift in the tile. Bytes copied
 * beyond a row are in the plane. */
template <typename Sample, typename S> BDCT_INLINE void
fetch_rows (uint32_t tile, const BdctCudaPlane &plane, const Place &p,
    int lane)
{
  constexpr int chunks = S::pitch / 16;
  const int left = bytes_left<Sample, S> (plane, p);
  const int height = plane.layout.height;
  const uint8_t *end = plane.src.data + p.x * S::bytes + left
      + max ((height - 1) * plane.src.stride, (int64_t) 0);

  _Pragma ("unroll 1") for (int i = lane; i < S::rows * chunks; i += 32) {
    const int row = i / chunks, at = i % chunks * 16;
    const uint8_t *from = source_row<S> (plane, p, row);
    const int skew = (uintptr_t) from & 15;

    from += at - skew;
    if (at - skew >= left)
      continue;
    if (from + 16 <= end)
      copy_async (tile + row * S::pitch + at, from);
    else
      BDCT_UNROLL for (int k = 0; k < 15; k++)
        if (from + k < end)
          store_byte (tile + row * S::pitch + at + k, from[k]);
  }
}

/* The samples of whole blocks below the picture. */
template <typename Sample> BDCT_INLINE uint32_t
grey_word (const BdctCudaPlane &plane)
{
  return plane.grey * (sizeof (Sample) > 1 ? 0x10001u : 0x01010101u);
}

/* The rows of a tile that belong to blocks in the picture. */
template <typename S> BDCT_INLINE int
rows_left (const BdctCudaPlane &plane, const Place &p)
{
  return whole_blocks (plane.layout.height, plane.log2_height) - p.y * S::rows;
}

/* Start copying a tile; `to` is the address of the lane's first chunk. Wait
 * with copies_wait(). */
template <typename Sample, typename S> BDCT_INLINE void
fetch (uint32_t tile, uint32_t to, const BdctCudaBatch &batch, const Place &p,
    int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, p.plane);
  const uint8_t *from = p.src;

  if (p.whole) {
    BDCT_UNROLL for (int i = 0; i < S::rows; i += S::chunk_rows) {
      copy_async (to + i * S::pitch, from);
      from += S::chunk_rows * plane.src.stride;
    }
  } else if (p.straight) {
    const uint32_t grey = grey_word<Sample> (plane);

    _Pragma ("unroll 1") for (int i = 0; i < S::rows; i += S::chunk_rows) {
      const int row = i + lane / S::chunks;

      if (row < rows_left<S> (plane, p))
        copy_async (to + i * S::pitch,
            source_row<S> (plane, p, row) + lane % S::chunks * 16);
      else
        store_shared (to + i * S::pitch, make_uint4 (grey, grey, grey, grey));
    }
  } else {
    fetch_rows<Sample, S> (tile, plane, p, lane);
  }
}

/* The word at any address, from the aligned words below and above. */
BDCT_INLINE uint32_t
load_any_word (uint32_t address)
{
  const uint32_t at = address & ~3u;

  return __funnelshift_r (load_word (at), load_word (at + 4),
      address % 4 * 8);
}

/* A mask of the first `n` bytes of a word. */
BDCT_INLINE uint32_t
first_bytes (int n)
{
  return n >= 4 ? 0xffffffff : n <= 0 ? 0 : (1u << 8 * n) - 1;
}

/* Move the samples of a tile that is not straight into place, a word to a lane
 * of each row: undo the shift of fetch_rows(), and set the samples beyond the
 * picture. No value may exceed the peak there, as errors are computed from
 * these samples, too. */
template <typename Sample, typename S> BDCT_INLINE void
straighten (uint32_t tile, const BdctCudaPlane &plane, const Place &p,
    uint32_t peak, int lane)
{
  constexpr int bytes = sizeof (Sample), words = 4;
  const BdctPlaneLayout &layout = plane.layout;
  const int period = layout.interleave * bytes;
  const int left = bytes_left<Sample, S> (plane, p);
  const int own = lane % S::words * 4;
  const uint32_t mask = first_bytes (left - own);
  const uint32_t repeat = period == 1 ? 0 : period == 2 ? 0x1010 : 0x3210;
  const bool beyond = p.x * S::bytes + own
      >= whole_blocks (layout.width, plane.log2_width) * period;
  const int below = rows_left<S> (plane, p);
  const uint32_t grey = grey_word<Sample> (plane);

  _Pragma ("unroll 1") for (int y = lane / S::words; y < S::rows;
      y += words * S::word_rows) {
    uint32_t v[words];

    BDCT_UNROLL for (int i = 0; i < words; i++) {
      const int row = y + i * S::word_rows;
      const uint32_t from = tile + row * S::pitch
          + (uint32_t) ((uintptr_t) source_row<S> (plane, p, row) & 15);

      v[i] = load_any_word (from + own);
      if (left < S::bytes)
        v[i] = (v[i] & mask) | (__byte_perm (load_any_word (from + left
                    - period), 0, repeat) & ~mask);
      if (bytes > 1)
        v[i] = __vminu2 (v[i], (peak << layout.shift) * 0x10001u);
      if (beyond || row >= below)
        v[i] = grey;
    }
    __syncwarp ();
    BDCT_UNROLL for (int i = 0; i < words; i++)
      store_word (tile + (y + i * S::word_rows) * S::pitch + own, v[i]);
  }
}

/* Squared errors of all samples, and of those of the second of two interleaved
 * components. */
struct Errors
{
  uint32_t all, second;
};

template <typename Sample, bool PAIRS> BDCT_INLINE void
add_errors (Errors &e, uint32_t a, uint32_t b, int shift, uint32_t peak)
{
  if constexpr (sizeof (Sample) == 1) {
    const uint32_t d = __vabsdiffu4 (a, b);

    e.all = __dp4a (d, d, e.all);
    if (PAIRS)
      e.second = __dp4a (d & 0xff00ff00, d, e.second);
  } else {
    /* The source's words may exceed the depth. */
    const uint32_t mask = (0xffffu << shift & 0xffff) * 0x10001u;
    const uint32_t c = __vminu2 (b & mask, (peak << shift) * 0x10001u);
    const uint32_t d = ((__vmaxu2 (a, c) - __vminu2 (a, c)) & mask) >> shift;
    const uint32_t d0 = d & 0xffff, d1 = d >> 16;

    e.all += d0 * d0 + d1 * d1;
    if (PAIRS)
      e.second += d1 * d1;
  }
}

/* Add the errors of a chunk, of a COUNTth of its words each. */
template <typename Sample, bool PAIRS, int COUNT> BDCT_INLINE void
add_errors (Errors (&e)[COUNT], const uint4 &a, const uint4 &b, int shift,
    uint32_t peak)
{
  add_errors<Sample, PAIRS> (e[0], a.x, b.x, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT / 4], a.y, b.y, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT / 2], a.z, b.z, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT * 3 / 4], a.w, b.w, shift, peak);
}

/* The order of a chunk of planar bytes in the output: each word has a sample of
 * its first square, one of its second, and again. */
BDCT_INLINE uint4
ordered (const uint4 &v)
{
  return make_uint4 (permute (v.x, v.y, EVEN_BYTES),
      permute (v.z, v.w, EVEN_BYTES), permute (v.x, v.y, ODD_BYTES),
      permute (v.z, v.w, ODD_BYTES));
}

/* Write a tile that is not straight, as far as it is in the picture. The lanes
 * have a row's words as they are in memory. The first lane's word may have the
 * row's end before its beginning. */
template <typename S, bool ORDER> BDCT_INLINE void
store_rows (uint32_t tile, const BdctCudaPlane &plane, const Place &p, int lane)
{
  constexpr int words = 4;
  const int n = min (plane.row_bytes - p.x * S::bytes, S::bytes);
  const int own = lane % S::words;
  uint8_t *to = plane.dst.data + p.x * S::bytes
      + (p.y * S::rows + lane / S::words) * plane.dst.stride;
  int rows = plane.layout.height - p.y * S::rows - lane / S::words;

  tile += lane / S::words * S::pitch;
  _Pragma ("unroll 1") for (int y = 0; y < S::rows; y += words * S::word_rows) {
    uint32_t v[words];

    BDCT_UNROLL for (int i = 0; i < words; i++) {
      const uint32_t from = tile + (y + i * S::word_rows) * S::pitch;

      if (ORDER) {
        uint32_t w[2];

        load_shared (w, from + own / 4 * 16 + own % 2 * 8);
        v[i] = permute (w[0], w[1], own % 4 < 2 ? EVEN_BYTES : ODD_BYTES);
      } else {
        v[i] = load_word (from + 4 * own);
      }
    }
    BDCT_UNROLL for (int i = 0; i < words; i++) {
      const int skew = (int) ((uintptr_t) to & 3), first = 4 * own - skew;
      const uint32_t w = __funnelshift_l (__shfl_sync (0xffffffff, v[i],
              own - 1, S::words), v[i], 8 * skew);

      if (rows > 0 && first >= 0 && first + 4 <= n)
        *(uint32_t *) (to + first) = w;
      else if (rows > 0)
        BDCT_UNROLL for (int k = 0; k < 4; k++) {
          const int at = first + k & S::bytes - 1;

          if (at < n)
            to[at] = (uint8_t) (w >> 8 * k);
        }
      to += S::word_rows * plane.dst.stride;
      rows -= S::word_rows;
    }
  }
}

/* Replace the part of a chunk beyond the picture's width by the input, so that
 * it has no errors. */
template <typename S> BDCT_INLINE void
clip (uint4 &out, const uint4 &in, const BdctCudaPlane &plane, const Place &p,
    int lane)
{
  const int n = plane.row_bytes - p.x * S::bytes - lane % S::chunks * 16;
  uint32_t mask;

  if (n >= 16)
    return;
  mask = first_bytes (n);
  out.x = (out.x & mask) | (in.x & ~mask);
  mask = first_bytes (n - 4);
  out.y = (out.y & mask) | (in.y & ~mask);
  mask = first_bytes (n - 8);
  out.z = (out.z & mask) | (in.z & ~mask);
  mask = first_bytes (n - 12);
  out.w = (out.w & mask) | (in.w & ~mask);
}

/* Add the errors of the lane's chunks from `row` to `end`, and write those of a
 * straight tile from `to` on. ORDER: they need ordered(). Returns where the
 * next chunk goes. */
template <typename Sample, typename S, bool EXTRAS, bool PAIRS, bool ORDER,
    int COUNT>
BDCT_INLINE uint8_t *
put (uint8_t *to, uint32_t out, uint32_t in, const BdctCudaPlane &plane,
    const Place &p, int row, int end, Errors (&e)[COUNT], uint32_t peak,
    int lane)
{
  constexpr int step = EXTRAS ? 1 : S::chunk_rows;

  if (p.whole) {
    BDCT_UNROLL for (int i = row; i < end; i += step) {
      uint4 v = load_shared (out + i * S::pitch);

      if (ORDER)
        v = ordered (v);
      if (!EXTRAS || plane.dst.data != nullptr)
        __stcs ((uint4 *) to, v);
      add_errors<Sample, PAIRS> (e, v, load_shared (in + i * S::pitch),
          plane.layout.shift, peak);
      to += step * plane.dst.stride;
    }
    return to;
  }
  _Pragma ("unroll 1") for (int i = row; i < end && p.y * S::rows
      + first_row<S, EXTRAS> (lane) + i < plane.layout.height; i += step) {
    const uint4 s = load_shared (in + i * S::pitch);
    uint4 v = load_shared (out + i * S::pitch);

    if (ORDER)
      v = ordered (v);
    if (!p.straight)
      clip<S> (v, s, plane, p, lane);
    else if (!EXTRAS || plane.dst.data != nullptr)
      __stcs ((uint4 *) to, v);
    add_errors<Sample, PAIRS> (e, v, s, plane.layout.shift, peak);
    to += step * plane.dst.stride;
  }
  return to;
}

BDCT_INLINE unsigned long long
warp_sum (unsigned long long v)
{
  BDCT_UNROLL for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
}

/* A lane's counts in one plane. Its share of a tile's errors, at most 128 x
 * 4095^2, fits 32 bits. */
template <typename Nonzero> struct Counts
{
  unsigned long long all, second;
  Nonzero nonzero;
};

/* Add the counts to the frame's and zero them. */
template <typename Nonzero> BDCT_INLINE void
flush (Counts<Nonzero> &n, const BdctCudaBatch &batch, int plane_index,
    int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, plane_index);
  BdctCudaAccumulator &accumulator =
      plane.accumulators[blockIdx.x % BDCT_CUDA_ACCUMULATORS];
  const unsigned long long all = warp_sum (n.all);
  const unsigned long long second =
      plane.layout.interleave > 1 ? warp_sum (n.second) : 0;
  uint32_t levels[2];

  BDCT_UNROLL for (int i = 0; i < 2; i++)
    levels[i] = (uint32_t) warp_sum (n.nonzero.total (i));
  if (plane.layout.interleave == 1)
    levels[0] += levels[1];
  if (lane == 0) {
    atomicAdd (&accumulator.sse[plane.layout.component[0]], all - second);
    atomicAdd (&accumulator.nonzero[plane.layout.component[0]],
        (unsigned long long) levels[0]);
    if (plane.layout.interleave > 1) {
      atomicAdd (&accumulator.sse[plane.layout.component[1]], second);
      atomicAdd (&accumulator.nonzero[plane.layout.component[1]],
          (unsigned long long) levels[1]);
    }
  }
  n = Counts<Nonzero> ();
}

} // namespace
