/* blockdct: a warp's way through a frame, and its tiles between global and
 * shared memory.
 *
 * A tile's rows are 144 bytes apart in shared memory, so that neither a row of
 * its chunks nor a column of them meets twice in a bank. Tiles wholly inside
 * the plane, at aligned addresses, are copied 16 bytes at a time; the others
 * byte by byte where they must. Past the picture's edge a tile repeats the
 * last sample to the end of its block; whole blocks past it are mid-grey, of
 * which all levels are 0, so they do not count.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TILES_CUH
#define BDCT_TILES_CUH

#include "cuda/launch.h"
#include "mma.cuh"
#include "permute.cuh"

namespace {

constexpr int kTileBytes = 128;

constexpr int kPitch = kTileBytes + 16;

static_assert (kPitch % 16 == 0 && kPitch / 16 % 2 == 1);

/* Where a warp is, and the first chunks that a lane reads and writes
 * (first_row()). */
struct Place
{
  int tile, plane, x, y;        /* x, y in tiles of the plane */
  const uint8_t *src;
  uint8_t *dst;
  bool whole;                   /* all chunks are copied as 16 bytes */
  int set;                      /* whose constants it takes; with EXTRAS */
};

/* The row of the first chunk that a lane writes: the others are 4 rows apart,
 * as all that it reads or, with EXTRAS, one. */
template <int ROWS, bool EXTRAS> BDCT_INLINE int
first_row (int lane)
{
  return lane / 8 * (EXTRAS ? ROWS / 4 : 1);
}

/* One of a batch's planes. Its number is made opaque: from 10.0 on, ptxas keeps
 * a copy of an index that it can follow for each of its uses, far more than
 * there are registers. */
BDCT_INLINE const BdctCudaPlane &
plane_at (const BdctCudaBatch &batch, int i)
{
  asm volatile ("" : "+r" (i));
  return batch.plane[i];
}

/* The tile is somewhere from the place's plane on. */
template <int ROWS, bool EXTRAS> BDCT_INLINE void
find (Place &p, const BdctCudaBatch &batch, int lane)
{
  while (p.plane + 1 < batch.n_planes
      && p.tile >= batch.plane[p.plane + 1].first_tile)
    p.plane++;
  const BdctCudaPlane &plane = plane_at (batch, p.plane);
  const int i = p.tile - plane.first_tile;

  p.y = i / plane.tiles_x;
  p.x = i - p.y * plane.tiles_x;
  const int64_t row = p.y * ROWS;
  const int byte = p.x * kTileBytes + lane % 8 * 16;

  p.src = plane.src.data + (row + lane / 8) * plane.src.stride + byte;
  p.dst = plane.dst.data
      + (row + first_row<ROWS, EXTRAS> (lane)) * plane.dst.stride + byte;
  p.whole = plane.aligned && (p.x + 1) * kTileBytes <= plane.row_bytes
      && (p.y + 1) * ROWS <= plane.layout.height;
}

template <int ROWS, int WARPS, bool EXTRAS> BDCT_INLINE void
advance (Place &p, const BdctCudaBatch &batch, int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, p.plane);

  p.tile += WARPS;
  p.x += WARPS;
  if (p.x >= plane.tiles_x) {
    find<ROWS, EXTRAS> (p, batch, lane);
    return;
  }
  p.src += WARPS * kTileBytes;
  p.dst += WARPS * kTileBytes;
  p.whole = p.whole && (p.x + 1) * kTileBytes <= plane.row_bytes;
}

/* The set that a tile's blocks take, or BDCT_CUDA_MIXED. */
template <typename Sample, int ROWS> BDCT_INLINE int
set_of (const Place &p, const BdctCudaBatch &batch)
{
  constexpr int samples = kTileBytes / sizeof (Sample);
  const BdctCudaPlane &plane = plane_at (batch, p.plane);

  static_assert (BDCT_CUDA_CELL_ROWS % ROWS == 0
      && BDCT_CUDA_CELL_SAMPLES % samples == 0);
  if (plane.set_of_cell == nullptr)
    return 0;
  return plane.set_of_cell[p.y / (BDCT_CUDA_CELL_ROWS / ROWS) * plane.cells_x
      + p.x / (BDCT_CUDA_CELL_SAMPLES / samples)];
}

/* On to the first tile that is in no mixed cell. */
template <typename Sample, int ROWS, int WARPS> BDCT_INLINE void
leave_mixed (Place &p, int end, const BdctCudaBatch &batch, int lane)
{
  if (!batch.maps)
    return;
  while (p.tile < end
      && (p.set = set_of<Sample, ROWS> (p, batch)) == BDCT_CUDA_MIXED)
    advance<ROWS, WARPS, true> (p, batch, lane);
}

/* The lane's first chunk in a tile in shared memory. */
template <int ROWS, bool EXTRAS> BDCT_INLINE uint32_t
first_chunk (int lane)
{
  return first_row<ROWS, EXTRAS> (lane) * kPitch + lane % 8 * 16;
}

/* A chunk of a tile that is not whole. */
struct Chunk
{
  int byte, row;                /* in the plane */
  bool whole;                   /* but this chunk is, in the picture's rows */
};

template <int ROWS> BDCT_INLINE Chunk
chunk_of (const BdctCudaPlane &plane, const Place &p, int row, int lane)
{
  Chunk c;

  c.byte = p.x * kTileBytes + lane % 8 * 16;
  c.row = p.y * ROWS + row;
  c.whole = plane.aligned && c.byte + 16 <= plane.row_bytes;
  return c;
}

/* Samples up to the end of the last block. */
BDCT_INLINE int
whole_blocks (int samples, int log2_size)
{
  return ((samples - 1 >> log2_size) + 1) << log2_size;
}

/* Its bytes, where they are not copied as 16. */
template <typename Sample> BDCT_INLINE uint4
gather (const BdctCudaPlane &plane, const Chunk &c, uint32_t peak)
{
  constexpr int bytes = sizeof (Sample);
  const BdctPlaneLayout &layout = plane.layout;
  const int step = layout.interleave;
  const int full_width = whole_blocks (layout.width, plane.log2_width);
  const int full_height = whole_blocks (layout.height, plane.log2_height);
  const uint8_t *line = plane.src.data
      + (int64_t) min (c.row, layout.height - 1) * plane.src.stride;
  const uint32_t grey = bytes > 1 ? plane.grey * 0x10001u
      : plane.grey * 0x01010101u;
  /* The source's words may hold more than the depth allows. */
  const uint32_t most = peak << layout.shift;
  uint32_t w[4] = { 0, 0, 0, 0 };

  if (c.row >= full_height || c.byte >= full_width * step * bytes)
    return make_uint4 (grey, grey, grey, grey);
  BDCT_UNROLL for (int i = 0; i < 4; i++)
    _Pragma ("unroll 1") for (int j = 0; j < 4; j += bytes) {
      const int sample = (c.byte + 4 * i + j) / bytes;
      const int x = sample / step;
      uint32_t v = plane.grey;

      if (x < full_width)
        v = min ((uint32_t) ((const Sample *) line)[min (x, plane.last_column)
                * step + sample - x * step], most);
      w[i] |= v << 8 * j;
    }
  return make_uint4 (w[0], w[1], w[2], w[3]);
}

/* The lane's chunks of a tile, to `to` and every 4 rows; wait for them with
 * copies_wait(). */
template <typename Sample, int ROWS> BDCT_INLINE void
fetch (uint32_t to, const BdctCudaBatch &batch, const Place &p, uint32_t peak,
    int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, p.plane);

  if (p.whole) {
    const uint8_t *from = p.src;

    BDCT_UNROLL for (int i = 0; i < ROWS; i += 4) {
      copy_async (to + i * kPitch, from);
      from += 4 * plane.src.stride;
    }
    return;
  }
  _Pragma ("unroll 1") for (int i = 0; i < ROWS; i += 4) {
    const Chunk c = chunk_of<ROWS> (plane, p, i + lane / 8, lane);
    const int last = min (c.row, plane.layout.height - 1);

    /* Below the picture its last row again: without a wait for it. */
    if (c.whole && c.row >> plane.log2_height == last >> plane.log2_height)
      copy_async (to + i * kPitch,
          plane.src.data + last * plane.src.stride + c.byte);
    else
      store_shared (to + i * kPitch, gather<Sample> (plane, c, peak));
  }
}

/* Squared errors: of all samples, and of those of the second of two interleaved
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
    /* The source's words may hold more than the depth allows. */
    const uint32_t mask = (0xffffu << shift & 0xffff) * 0x10001u;
    const uint32_t c = __vminu2 (b & mask, (peak << shift) * 0x10001u);
    const uint32_t d = ((__vmaxu2 (a, c) - __vminu2 (a, c)) & mask) >> shift;
    const uint32_t d0 = d & 0xffff, d1 = d >> 16;

    e.all += d0 * d0 + d1 * d1;
    if (PAIRS)
      e.second += d1 * d1;
  }
}

/* Of a chunk, a COUNTth of its words each. */
template <typename Sample, bool PAIRS, int COUNT> BDCT_INLINE void
add_errors (Errors (&e)[COUNT], const uint4 &a, const uint4 &b, int shift,
    uint32_t peak)
{
  add_errors<Sample, PAIRS> (e[0], a.x, b.x, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT / 4], a.y, b.y, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT / 2], a.z, b.z, shift, peak);
  add_errors<Sample, PAIRS> (e[COUNT * 3 / 4], a.w, b.w, shift, peak);
}

/* Write what a chunk in one of the picture's rows has of it, if `store`; in
 * `out`, the rest becomes `in`. */
template <typename Sample> BDCT_INLINE void
scatter (uint4 &out, const uint4 &in, const BdctCudaPlane &plane,
    const Chunk &c, bool store)
{
  Sample *to =
      (Sample *) (plane.dst.data + c.row * plane.dst.stride + c.byte);
  uint32_t w[4] = { out.x, out.y, out.z, out.w };

  if (c.whole) {
    if (store)
      *(uint4 *) to = out;
    return;
  }
  const uint32_t s[4] = { in.x, in.y, in.z, in.w };

  BDCT_UNROLL for (int i = 0; i < 4; i++)
    BDCT_UNROLL for (int j = 0; j < 4; j += sizeof (Sample)) {
      const uint32_t mask = (uint32_t) (Sample) ~0u << 8 * j;

      /* The row makes this no invariant of the callers' loops: they have no
       * registers for it. */
      if (c.row >= plane.layout.height
          || c.byte + 4 * i + j >= plane.row_bytes)
        w[i] = (w[i] & ~mask) | (s[i] & mask);
      else if (store)
        to[(4 * i + j) / sizeof (Sample)] = (Sample) (w[i] >> 8 * j);
    }
  out = make_uint4 (w[0], w[1], w[2], w[3]);
}

/* A chunk of planar bytes comes out with a sample of its first square, one of
 * its second, and again, in each word. */
BDCT_INLINE uint4
ordered (const uint4 &v)
{
  return make_uint4 (permute (v.x, v.y, EVEN_BYTES),
      permute (v.z, v.w, EVEN_BYTES), permute (v.x, v.y, ODD_BYTES),
      permute (v.z, v.w, ODD_BYTES));
}

/* Write the lane's chunks and add their errors; below the picture are none.
 * ORDER: they are to be ordered(). */
template <typename Sample, int ROWS, bool PAIRS, bool ORDER> BDCT_INLINE void
put (uint32_t out, uint32_t in, const BdctCudaPlane &plane, const Place &p,
    Errors (&e)[1], uint32_t peak, int lane)
{
  if (p.whole) {
    uint8_t *to = p.dst;

    BDCT_UNROLL for (int i = 0; i < ROWS; i += 4) {
      uint4 v = load_shared (out + i * kPitch);

      if (ORDER)
        v = ordered (v);
      __stcs ((uint4 *) to, v);
      add_errors<Sample, PAIRS> (e, v, load_shared (in + i * kPitch),
          plane.layout.shift, peak);
      to += 4 * plane.dst.stride;
    }
    return;
  }
  _Pragma ("unroll 1") for (int i = 0; i < ROWS; i += 4) {
    const Chunk c = chunk_of<ROWS> (plane, p, i + lane / 8, lane);
    const uint4 s = load_shared (in + i * kPitch);
    uint4 v = load_shared (out + i * kPitch);

    if (c.row >= plane.layout.height)
      break;
    if (ORDER)
      v = ordered (v);
    scatter<Sample> (v, s, plane, c, true);
    add_errors<Sample, PAIRS> (e, v, s, plane.layout.shift, peak);
  }
}

BDCT_INLINE unsigned long long
warp_sum (unsigned long long v)
{
  BDCT_UNROLL for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync (0xffffffff, v, i);
  return v;
}

/* What a lane has counted in one plane. Its share of a tile's errors, at most
 * 128 x 4095^2, fits 32 bits. */
template <typename Nonzero> struct Counts
{
  unsigned long long all, second;
  Nonzero nonzero;
};

/* Add the counts to the frame's and start again. */
template <typename Nonzero> BDCT_INLINE void
flush (Counts<Nonzero> &n, const BdctCudaBatch &batch, int plane_index,
    int lane)
{
  const BdctCudaPlane &plane = plane_at (batch, plane_index);
  BdctCudaCell &cell = plane.cells[blockIdx.x % BDCT_CUDA_CELLS];
  const unsigned long long all = warp_sum (n.all);
  const unsigned long long second =
      plane.layout.interleave > 1 ? warp_sum (n.second) : 0;
  uint32_t levels[2];

  BDCT_UNROLL for (int i = 0; i < 2; i++)
    levels[i] = (uint32_t) warp_sum (n.nonzero.total (i));
  if (plane.layout.interleave == 1)
    levels[0] += levels[1];
  if (lane == 0) {
    atomicAdd (&cell.sse[plane.layout.component[0]], all - second);
    atomicAdd (&cell.nonzero[plane.layout.component[0]],
        (unsigned long long) levels[0]);
    if (plane.layout.interleave > 1) {
      atomicAdd (&cell.sse[plane.layout.component[1]], second);
      atomicAdd (&cell.nonzero[plane.layout.component[1]],
          (unsigned long long) levels[1]);
    }
  }
  n = Counts<Nonzero> ();
}

} // namespace

#endif
