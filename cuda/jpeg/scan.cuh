/* blockdct: the bytes of a scan, their Huffman tables, and its parts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "jpeg.h"
#include "cuda/kernels/warps.cuh"

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr int kParts = BDCT_JPEG_PARTS;
constexpr int kThreads = BDCT_JPEG_THREADS, kBits = BDCT_JPEG_BITS;
constexpr int kShort = BDCT_JPEG_SHORT, kLong = BDCT_JPEG_LONG;
constexpr int kOne = kShort + kLong;
constexpr int kFileThreads = 256;

using Launch = BdctJpegLaunch;
using File = BdctJpegFile;
using Part = BdctJpegPart;

BDCT_INLINE void
find_damage (const Launch &g, uint32_t file)
{
  atomicOr (&g.damaged[file], 1u);
}

/* Copy a multiple of 16 bytes to shared memory, by kThreads threads. */
template <typename T> BDCT_INLINE void
copy (T *to, const T *from, int n, int t)
{
  for (int i = t; i < n * (int) sizeof (T) / 16; i += kThreads)
    ((uint4 *) to)[i] = ((const uint4 *) from)[i];
}

/* What the threads of a file, or of a chunk, share. */
struct Sums
{
  uint32_t by_warp[4][kFileThreads / 32], ended[kFileThreads / 32];
};

/* Make of each value the sum of `total` and a thread block's values before a
 * thread's own, and add all of these to `total`. */
template <int n> BDCT_INLINE void
sum_before (uint32_t (&v)[n], int t, Sums &shared, uint32_t (&total)[n])
{
  uint32_t sum[n];

  BDCT_UNROLL for (int k = 0; k < n; k++)
    sum[k] = v[k];
  BDCT_UNROLL for (int d = 1; d < 32; d *= 2)
    BDCT_UNROLL for (int k = 0; k < n; k++) {
      const uint32_t below = from_below (sum[k], d);

      if (t % 32 >= d)
        sum[k] += below;
    }
  wait_for_block ();
  BDCT_UNROLL for (int k = 0; k < n; k++)
    if (t % 32 == 31)
      shared.by_warp[k][t / 32] = sum[k];
  wait_for_block ();
  BDCT_UNROLL for (int k = 0; k < n; k++) {
    v[k] = total[k] + sum[k] - v[k];
    BDCT_UNROLL for (int i = 0; i < kFileThreads / 32; i++) {
      v[k] += i < t / 32 ? shared.by_warp[k][i] : 0;
      total[k] += shared.by_warp[k][i];
    }
  }
}

/* Likewise, of one. */
BDCT_INLINE uint32_t
sum_before (uint32_t v, int t, Sums &shared, uint32_t *total)
{
  uint32_t one[1] = { v }, all[1] = { *total };

  sum_before (one, t, shared, all);
  *total = all[0];
  return one[0];
}

/* An entry of a table has, from bit 0, 5 bits: the length of code and value;
 * 4: the length of the value; 7: how far it moves in zigzag order, kEnd at a
 * block's end. An entry of a pair has the same of its first code and, from bit
 * 16, 5 bits: the length of both codes and values; 7: how far both move. 0: the
 * code is longer. */
constexpr uint32_t kEnd = 64;

/* No code is like this: a value beyond the block. */
constexpr uint32_t kUnknown = 16 | 1 << 5 | 127 << 9;

BDCT_INLINE uint32_t
make_entry (uint32_t length, uint32_t symbol, bool ac)
{
  const uint32_t size = symbol & 15, run = symbol >> 4;
  const uint32_t move = !ac ? 1 : size ? run + 1 : run == 15 ? 16 : kEnd;

  return (length + size) | size << 5 | move << 9;
}

/* The entry of a code by its table. */
BDCT_INLINE uint32_t
search_code (const BdctJpegHuffman &table, uint32_t word, bool ac)
{
  uint32_t code = 0, value = 0;

  for (uint32_t length = 1; length <= 16; length++) {
    const uint32_t n = table.counts[length - 1];
    const uint32_t i = (word >> (32 - length)) - code;

    if (i < n)
      return make_entry (length, table.values[(value + i) & 255], ac);
    code = (code + n) << 1;
    value += n;
  }
  return kUnknown;
}

/* Make entries, by a thread block. */
BDCT_INLINE void
make_lookup (const BdctJpegHuffman &table, bool ac, int t, uint32_t *pair,
    uint16_t *one)
{
  for (int i = t; i < kOne; i += kFileThreads) {
    const uint32_t word = i < kShort ? (uint32_t) i << (32 - kBits)
        : (65536u - kOne + i) << 16;
    const uint32_t e = search_code (table, word, ac);

    one[i] = i < kShort && (e & 31) - (e >> 5 & 15) > kBits ? 0 : e;
  }
  wait_for_block ();
  for (int i = t; i < kShort; i += kFileThreads) {
    const uint32_t e = one[i];
    uint32_t length = e & 31, move = e >> 9;

    if (e != 0 && ac && move < kEnd && length < kBits) {
      const uint32_t next = one[i << length & (kShort - 1)];

      if (next != 0 && length + (next & 31) - (next >> 5 & 15) <= kBits) {
        length += next & 31;
        move += next >> 9;
      }
    }
    pair[i] = e == 0 ? 0 : e | length << 16 | move << 21;
  }
}

/* 16 bytes of a scan, and the one behind them: which of them are codes, and
 * which the first of a restart marker; none behind the first marker that ends
 * the scan. */
struct Bytes
{
  uint32_t word[5], kept = 0, restarts = 0;

  BDCT_INLINE uint32_t
  at (int i) const
  {
    return word[i / 4] >> 8 * (i % 4) & 255;
  }

  /* Those of a thread of a chunk. */
  BDCT_INLINE
  Bytes (const Launch &g, const File &f, uint32_t chunk, int t, Sums &shared)
  {
    const uint32_t at = chunk * BDCT_JPEG_CHUNK + t * 16;
    uint32_t ended, marker = 0;
    int stop = 16;

    if (at < f.scan_size) {
      const uint8_t *from = g.raw + f.scan + at;
      const uint4 v = *(const uint4 *) from;
      const uint32_t inside = at + 16 > f.scan_size
          ? 0xffff >> (at + 16 - f.scan_size) : 0xffff;
      uint32_t ff = 0, zero = 0, behind;

      word[0] = v.x;
      word[1] = v.y;
      word[2] = v.z;
      word[3] = v.w;
      word[4] = from[16];
      BDCT_UNROLL for (int i = 0; i < 4; i++) {
        ff |= ((__vcmpeq4 (word[i], ~0u) & 0x08040201u) * 0x01010101u >> 24)
            << 4 * i;
        zero |= ((__vcmpeq4 (word[i], 0u) & 0x08040201u) * 0x01010101u >> 24)
            << 4 * i;
      }
      behind = ff << 1 | (at > 0 && from[-1] == 0xff);
      kept = ((ff & (zero >> 1 | (word[4] == 0 ? 0x8000u : 0)))
          | (~ff & ~behind)) & inside;
      for (uint32_t m = ff & inside & ~kept; m != 0 && stop == 16; m &= m - 1) {
        const int i = __ffs (m) - 1;

        marker = this->at (i + 1);
        if (marker >= 0xd0 && marker <= 0xd7)
          restarts |= 1u << i;
        else if (marker != 0xff)
          stop = i;
      }
    }
    ended = ballot (stop < 16);
    if (t % 32 == 0)
      shared.ended[t / 32] = ended;
    wait_for_block ();
    ended &= (1u << t % 32) - 1;
    for (int i = 0; i < t / 32; i++)
      ended |= shared.ended[i];
    if (ended != 0)
      stop = 0;
    else if (stop < 16)
      atomicMin (&g.end[g.file_of_chunk[f.chunk + chunk]],
          2 * chunk + (marker != 0xd9));
    kept &= (1u << stop) - 1;
    restarts &= (1u << stop) - 1;
  }

  /* The number of codes and, from bit 16, of restart markers. */
  BDCT_INLINE uint32_t
  counts () const
  {
    return __popc (kept) | __popc (restarts) << 16;
  }
};

/* A kernel whose thread blocks have a file each, or a part of one. */
struct FileKernel
{
  static constexpr int n_threads = kFileThreads;
  using Shared = Sums;
};

/* The first thread blocks make tables, the others count. */
struct Count : FileKernel
{
  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Sums &shared)
  {
    const uint32_t number = block / 4, k = block % 4;
    const uint32_t chunk = block - 4 * g.n_tables;
    uint32_t total = 0;

    if (number < g.n_tables) {
      make_lookup (g.tables[number].of[k], k >= 2, t, g.lookup[number].pair[k],
          g.lookup[number].one[k]);
      return;
    }

    const File &f = g.files[g.file_of_chunk[chunk]];

    sum_before (Bytes (g, f, chunk - f.chunk, t, shared).counts (), t, shared,
        &total);
    if (t == 0)
      g.counts[chunk] = total;
  }
};

/* The codes and the restart markers in a file's first chunks. */
struct Before
{
  uint32_t kept = 0, restarts = 0;

  BDCT_INLINE
  Before (const Launch &g, const File &f, uint32_t n, int t, Sums &shared)
  {
    uint32_t k = 0, r = 0;

    for (uint32_t i = t; i < n; i += kFileThreads) {
      k += g.counts[f.chunk + i] & 0xffff;
      r += g.counts[f.chunk + i] >> 16;
    }
    sum_before (k, t, shared, &kept);
    sum_before (r, t, shared, &restarts);
  }
};

/* Write codes as big-endian words, without what is between them. */
struct Compact : FileKernel
{
  struct Shared
  {
    Sums sums;
    uint32_t words[BDCT_JPEG_CHUNK / 4 + 2];
  };

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const uint32_t file = g.file_of_chunk[block];
    const File &f = g.files[file];
    const uint32_t chunk = block - f.chunk;
    uint8_t *bytes = (uint8_t *) shared.words;
    uint32_t total = 0, n, end;

    if (chunk > g.end[file] / 2)
      return;

    const Before before (g, f, chunk, t, shared.sums);
    const Bytes b (g, f, chunk, t, shared.sums);
    const uint32_t base = before.kept, shift = base & 3;
    uint32_t *to = g.codes + f.scan / 4 + base / 4;
    uint32_t restart = before.restarts;

    n = sum_before (b.counts (), t, shared.sums, &total);
    restart += n >> 16;
    n &= 0xffff;
    BDCT_UNROLL for (int i = 0; i < 16; i++) {
      if (b.restarts >> i & 1) {
        if ((b.at (i + 1) & 7) != (restart & 7))
          find_damage (g, file);
        if (++restart < f.n_segments)
          g.segment_start[f.segment + restart] = base + n;
      }
      if (b.kept >> i & 1)
        bytes[(n++ + shift) ^ 3] = b.at (i);
    }
    wait_for_block ();
    end = (total & 0xffff) + shift;
    for (uint32_t i = t; 4 * i < end; i += n_threads)
      if (4 * i >= shift && 4 * i + 4 <= end)
        to[i] = shared.words[i];
      else
        for (uint32_t j = 4 * i; j < 4 * i + 4; j++)
          if (j >= shift && j < end)
            ((uint8_t *) to)[j ^ 3] = bytes[j ^ 3];
  }
};

/* Of a file: begin its segments, divide them into parts, and write down what
 * belongs to it. */
struct Divide : FileKernel
{
  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Sums &shared)
  {
    const File &f = g.files[block];
    const uint32_t last = g.end[block];
    const Before all (g, f, last / 2 < f.n_chunks ? last / 2 + 1 : f.n_chunks,
        t, shared);
    uint32_t *start = g.segment_start + f.segment;
    uint32_t *part = g.segment_part + f.segment;
    uint32_t end = f.part;      /* behind the last part */

    for (uint32_t i = t; i <= f.n_segments; i += n_threads)
      if (i == 0 || i > all.restarts || i == f.n_segments)
        start[i] = i == 0 ? 0 : all.kept;
    if (t == 0 && (last % 2 != 0 || all.restarts + 1 != f.n_segments))
      find_damage (g, block);
    wait_for_block ();
    for (uint32_t first = 0; first < f.n_segments; first += n_threads) {
      const uint32_t i = first + t;
      const bool is_in = i < f.n_segments;
      const uint32_t own = is_in ? (start[i + 1] - start[i]
          + BDCT_JPEG_PART - 1) / BDCT_JPEG_PART : 0;
      const uint32_t its = sum_before (own, t, shared, &end);

      if (is_in)
        part[i] = its;
      if (is_in && own == 0)
        find_damage (g, block);
    }
    wait_for_block ();
    for (uint32_t i = f.part + t; i < f.part + f.n_parts; i += n_threads) {
      Part own = { 0, 0, 0, kNone };
      uint32_t low = 0, high = f.n_segments;

      while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;

        if (part[middle] <= i)
          low = middle;
        else
          high = middle;
      }
      if (i < end) {
        const uint32_t size = 8 * BDCT_JPEG_PART, stop = start[low + 1] * 8;
        const uint32_t begin = start[low] * 8 + (i - part[low]) * size;

        own = { begin, stop - begin > size ? begin + size : stop, part[low],
          low };
      }
      g.parts[i] = own;
      g.file_of_parts[i / kThreads] = block;
    }
    for (uint32_t i = t; i < f.n_tiles; i += n_threads)
      g.file_of_tile[f.tile + i] = block;
  }
};

} // namespace
