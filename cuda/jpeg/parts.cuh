/* blockdct: the states in which the parts of a scan begin and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "scan.cuh"

namespace {

struct Reader
{
  const uint32_t *next;
  uint32_t words[3], at;

  BDCT_INLINE
  Reader (const uint32_t *codes, uint32_t at)
    : next (codes + at / 32 + 3), at (at)
  {
    BDCT_UNROLL for (int i = 0; i < 3; i++)
      words[i] = next[i - 3];
  }

  /* The next 32 bits. */
  BDCT_INLINE uint32_t
  peek () const
  {
    return __funnelshift_l (words[1], words[0], at & 31);
  }

  /* At most 31. */
  BDCT_INLINE void
  skip (uint32_t n)
  {
    if (((at + n) ^ at) >> 5) {
      words[0] = words[1];
      words[1] = words[2];
      words[2] = *next++;
    }
    at += n;
  }
};

/* The value of `size` bits that end `length` bits, the highest of a word. */
BDCT_INLINE int32_t
extend (uint32_t word, uint32_t length, uint32_t size)
{
  const uint32_t v = word << (length - size) >> 1 >> (31 - size);

  return (int32_t) (v < 1u << size >> 1 ? v - (1u << size) + 1 : v);
}

/* A block of an MCU: the first entries of its tables, and its component. */
constexpr uint32_t kField = 8191;

BDCT_INLINE uint32_t
describe_block (const File &f, uint32_t i, uint32_t n_entries)
{
  const uint32_t c = i < f.n_blocks ? f.of[i] : 0;

  return f.component[c].dc * n_entries
      | (2 + f.component[c].ac) * n_entries << 13 | c << 26;
}

/* What a thread block decodes parts by. */
struct Tables
{
  alignas (16) uint32_t pair[4 * kShort];
  uint16_t second[2 * kLong];   /* AC's entries of 16 bits */
  uint32_t block[BDCT_JPEG_MCU_BLOCKS];

  /* By kThreads threads. */
  BDCT_INLINE void
  load (const Launch &g, const File &f, int t)
  {
    const BdctJpegLookup &lookup = g.lookup[f.tables];

    copy (pair, lookup.pair[0], 4 * kShort, t);
    copy (second, lookup.one[2] + kShort, kLong, t);
    copy (second + kLong, lookup.one[3] + kShort, kLong, t);
    if (t < BDCT_JPEG_MCU_BLOCKS)
      block[t] = describe_block (f, t, kShort);
  }
};

/* A state: bits that a code reaches into a part, 5; zigzag position, 6; block
 * of the MCU, 4. */
constexpr uint32_t kTrusted = 0x8000;

/* Decode a part from a state. Returns the state behind it. */
BDCT_INLINE uint32_t
decode_part (const Launch &g, const File &f, const Tables &tables,
    uint32_t number, uint32_t state)
{
  const Part part = g.parts[number];
  const uint32_t n_blocks = f.n_blocks;
  Reader reader (g.codes + f.scan / 4, part.begin + (state & 31));
  uint32_t z = state >> 5 & 63, i = state >> 11, b = tables.block[i];
  uint32_t table = z > 0 ? b >> 13 & kField : b & kField;
  uint32_t n = 0, dc[3] = { 0, 0, 0 };

  while (reader.at < part.end) {
    const uint32_t word = reader.peek ();
    uint32_t e = tables.pair[table + (word >> (32 - kBits))], length, move;

    if (e == 0) {
      const uint32_t k = table >> kBits;

      if (k >= 2 && word >> 16 >= 65536u - kLong)
        e = tables.second[(k - 2) * kLong + (word >> 16) - (65536 - kLong)];
      if (e == 0)
        e = search_code (g.tables[f.tables].of[k], word, k >= 2);
      e |= (e & 31) << 16 | e >> 9 << 21;
    }
    length = e & 31;
    move = e >> 9 & 127;
    if (z == 0) {
      const int32_t v = extend (word, length, e >> 5 & 15);
      const uint32_t c = b >> 26;

      dc[0] += c == 0 ? v : 0;
      dc[1] += c == 1 ? v : 0;
      dc[2] += c == 2 ? v : 0;
      table = b >> 13 & kField;
    }
    /* The second code must begin in the part and in the block, or the end would
     * depend on the beginning for ever. */
    if (z + move < 64 && reader.at + length < part.end) {
      length = e >> 16 & 31;
      move = e >> 21;
    }
    z += move;
    reader.skip (length);
    if (z >= 64) {
      z = 0;
      n++;
      i = i + 1 == n_blocks ? 0 : i + 1;
      b = tables.block[i];
      table = b & kField;
    }
  }
  g.sums[number] = {
    { n, dc[0] & 0xffff, dc[1] & 0xffff, dc[2] & 0xffff }
  };
  return ((reader.at - part.end) & 31) | z << 5 | i << 11;
}

/* Bring the parts of a thread block to agree. */
struct Agree
{
  static constexpr int n_threads = kThreads;
  struct Shared
  {
    Tables tables;
    uint32_t n[2];
    uint16_t start[kParts], stop[kParts], list[kThreads], from[kThreads];
  };

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const uint32_t first = block * kParts;
    const File &f = g.files[g.file_of_parts[first / kThreads]];
    uint32_t state = 0;

    const auto decode = [&] (int i) {
      return decode_part (g, f, shared.tables, first + i, state);
    };

    if (g.parts[first].segment == kNone)
      return;
    shared.tables.load (g, f, t);
    if (t < 2)
      shared.n[t] = 0;
    wait_for_block ();
    /* A thread's first part begins at a guess, the next one where that ends. */
    for (int i = t * (kParts / kThreads); i < (t + 1) * (kParts / kThreads);
        i++) {
      const Part part = g.parts[first + i];
      const bool begins = part.first == first + i;

      if (begins)
        state = 0;
      shared.start[i] = state | (part.segment == kNone || begins || i == 0
          ? kTrusted : 0);
      if (part.segment != kNone)
        state = decode (i);
      shared.stop[i] = state;
    }
    for (int round = 0;; round++) {
      uint32_t n;

      wait_for_block ();
      for (int i = t; i < kParts; i += kThreads)
        if (!(shared.start[i] & kTrusted)
            && shared.stop[i - 1] != shared.start[i]) {
          /* At most one of those that a thread decoded in a row. */
          const uint32_t at = atomicAdd (&shared.n[round & 1], 1u);

          shared.list[at] = i;
          shared.from[at] = shared.stop[i - 1];
        }
      wait_for_block ();
      n = shared.n[round & 1];
      if (n == 0)
        break;
      if (t == 0)
        shared.n[~round & 1] = 0;
      if ((uint32_t) t < n) {
        state = shared.from[t];
        shared.start[shared.list[t]] = state;
        shared.stop[shared.list[t]] = decode (shared.list[t]);
      }
    }
    for (int i = t; i < kParts; i += kThreads) {
      g.start[first + i] = shared.start[i] & ~kTrusted;
      g.stop[first + i] = shared.stop[i];
    }
  }
};

/* The most rounds that a file gets before it is left to the host. */
constexpr int kRounds = 64;

/* Of a file: bring its thread blocks of parts to agree, and sum the parts. */
struct Join : FileKernel
{
  struct Shared
  {
    Tables tables;
    Sums sums;
  };

  /* Follow the state at the end of the parts before until it agrees. Returns
   * whether the last part has changed. */
  static BDCT_INLINE bool
  follow (const Launch &g, const File &f, const Tables &tables, uint32_t first)
  {
    uint32_t state = ((volatile uint16_t *) g.stop)[first - 1];

    for (uint32_t i = first; i < first + kParts; i++) {
      const Part part = g.parts[i];
      const uint32_t old = g.stop[i];

      if (part.segment == kNone || part.first == i || g.start[i] == state)
        return false;
      g.start[i] = state;
      state = decode_part (g, f, tables, i, state);
      g.stop[i] = state;
      if (state == old)
        return false;
    }
    return true;
  }

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const File &f = g.files[block];
    uint32_t all[4] = { 0, 0, 0, 0 }, again = f.n_parts > kParts;

    if (again != 0 && t < kThreads)
      shared.tables.load (g, f, t);
    wait_for_block ();
    for (int round = 0; again != 0 && round <= kRounds; round++) {
      uint32_t changed = 0;

      for (uint32_t first = kParts * (1 + t); first < f.n_parts;
          first += kParts * n_threads)
        changed |= follow (g, f, shared.tables, f.part + first);
      again = 0;
      sum_before (changed, t, shared.sums, &again);
    }
    if (t == 0 && again != 0)
      find_damage (g, block);
    for (uint32_t first = 0; first < f.n_parts; first += n_threads) {
      const uint32_t i = f.part + first + t;
      const bool is_in = first + t < f.n_parts
          && g.parts[i].segment != kNone;
      BdctJpegSums own = { { 0, 0, 0, 0 } };

      if (is_in)
        own = g.sums[i];
      BDCT_UNROLL for (int k = 0; k < 4; k++)
        own.of[k] = sum_before (own.of[k], t, shared.sums, &all[k]);
      if (is_in)
        g.sums[i] = own;
    }
  }
};

} // namespace
