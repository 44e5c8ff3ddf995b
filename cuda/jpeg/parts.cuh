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
    return __funnelshift_l (words[1], words[0], at);
  }

  /* At most 31. */
  BDCT_INLINE void
  skip (uint32_t n)
  {
    const bool is_next = ((at + n) ^ at) >> 5;

    if (is_next) {
      words[0] = words[1];
      words[1] = words[2];
      words[2] = *next++;
    }
    at += n;
  }
};

/* The value in the last `size` of a word's highest `length` bits. */
BDCT_INLINE int32_t
extend (uint32_t word, uint32_t length, uint32_t size)
{
  const uint32_t v = word << (length - size) >> 1 >> (31 - size);

  return (int32_t) (v < 1u << size >> 1 ? v - (1u << size) + 1 : v);
}

/* The codes of a thread block's parts: so many threads read at unlike places
 * that they would not find them in the cache. */
template <int n_parts> struct Codes
{
  alignas (16) uint32_t words[(n_parts * BDCT_JPEG_PART + BDCT_JPEG_AHEAD) / 4];
  uint32_t origin;              /* of the first, in bits of the file's codes */

  /* By kThreads threads, from the part with this number on. */
  BDCT_INLINE void
  load (const Launch &g, const File &f, uint32_t number, int t)
  {
    const uint32_t first = g.parts[number].begin & ~127u;

    copy (words, g.codes + f.scan / 4 + first / 32,
        (int) (sizeof words / sizeof words[0]), t);
    if (t == 0)
      origin = first;
  }
};

/* A block of an MCU, or the first one of the next MCU: the first entries of its
 * tables, and its component. */
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
  uint32_t block[BDCT_JPEG_MCU_BLOCKS + 1];

  /* By kThreads threads. */
  BDCT_INLINE void
  load (const Launch &g, const File &f, int t)
  {
    const BdctJpegLookup &lookup = g.lookup[f.tables];

    copy (pair, lookup.pair[0], 4 * kShort, t);
    copy (second, lookup.one[2] + kShort, kLong, t);
    copy (second + kLong, lookup.one[3] + kShort, kLong, t);
    if (t <= BDCT_JPEG_MCU_BLOCKS)
      block[t] = describe_block (f, t, kShort);
  }
};

/* A state: bits that a code reaches into a part, 5; zigzag position, 6; block
 * of the MCU, 4. This is none: */
constexpr uint32_t kNoState = 0xffff;

/* Decodes parts, one behind the other. */
struct Walk
{
  const Launch &g;
  const File &f;
  const Tables &tables;
  Reader reader;
  uint32_t z, i;                /* zigzag position, block of the MCU */

  BDCT_INLINE
  Walk (const Launch &g, const File &f, const Tables &tables,
      const uint32_t *codes, uint32_t begin, uint32_t state)
    : g (g), f (f), tables (tables), reader (codes, begin + (state & 31)),
    z (state >> 5 & 63), i (state >> 11)
  {
  }

  /* Write down the sums of the next part. Returns the state behind it. */
  BDCT_INLINE uint32_t
  decode (uint32_t number, uint32_t end)
  {
    const uint32_t n_blocks = f.n_blocks;
    uint32_t b = tables.block[i], next = tables.block[i + 1];
    uint32_t n = 0, dc[3] = { 0, 0, 0 };
    uint32_t table = z > 0 ? b >> 13 & kField : b & kField;

    while (reader.at < end) {
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

        BDCT_UNROLL for (uint32_t k = 0; k < 3; k++)
          if (k == c)
            dc[k] += v;
        table = b >> 13 & kField;
      }
      /* No second code beyond the part or the block, or wrong starts might
       * never meet the right codes. */
      if (z + move < 64 && reader.at + length < end) {
        length = e >> 16 & 31;
        move = e >> 21;
      }
      z += move;
      reader.skip (length);
      if (z >= 64) {
        z = 0;
        n++;
        i = i + 1 == n_blocks ? 0 : i + 1;
        b = next;
        next = tables.block[i + 1];
        table = b & kField;
      }
    }
    g.sums[number] = {
      { n, dc[0] & 0xffff, dc[1] & 0xffff, dc[2] & 0xffff }
    };
    return ((reader.at - end) & 31) | z << 5 | i << 11;
  }
};

/* Decode parts of a segment, the first from `state`, until the next one has
 * already begun in the state reached. Returns the number of that one. `origin`
 * is that of `codes`. */
BDCT_INLINE uint32_t
follow (const Launch &g, const File &f, const Tables &tables,
    const uint32_t *codes, uint32_t origin, uint32_t number, uint32_t end,
    uint32_t state, uint16_t *start, uint16_t *stop)
{
  Part part = g.parts[number];
  Walk walk (g, f, tables, codes, part.begin - origin, state);

  for (;;) {
    *start++ = state;
    state = walk.decode (number, part.end - origin);
    *stop++ = state;
    if (++number == end)
      return number;
    part = g.parts[number];
    if (part.segment == kNone || part.first == number || *start == state)
      return number;
  }
}

/* Bring the parts of a thread block to agree. */
struct Agree
{
  static constexpr int n_threads = kThreads;
  struct Shared
  {
    Tables tables;
    Codes<kParts> codes;
    uint32_t n[2];
    uint16_t start[kParts], stop[kParts], list[kThreads], from[kThreads];
  };

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    constexpr int n_own = kParts / kThreads;
    const uint32_t first = block * kParts;
    const File &f = g.files[g.file_of_parts[first / kThreads]];
    const Part part = g.parts[first + n_own * t];
    const bool is_open = t > 0 && part.segment != kNone
        && part.first != first + n_own * t;

    const auto decode = [&] (int i, uint32_t end, uint32_t state) {
      return follow (g, f, shared.tables, shared.codes.words,
          shared.codes.origin, first + i, end, state, shared.start + i,
          shared.stop + i);
    };

    if (g.parts[first].segment == kNone)
      return;
    shared.tables.load (g, f, t);
    shared.codes.load (g, f, first, t);
    if (t < 2)
      shared.n[t] = 0;
    for (int i = n_own * t; i < n_own * (t + 1); i++)
      shared.start[i] = kNoState;
    wait_for_block ();
    /* A thread's first part begins at a guess. */
    for (uint32_t i = first + n_own * t, end = i + n_own;
        i < end && g.parts[i].segment != kNone;)
      i = decode (i - first, end, 0);
    for (int round = 0;; round++) {
      uint32_t n;

      wait_for_block ();
      if (is_open && shared.stop[n_own * t - 1] != shared.start[n_own * t]) {
        const uint32_t at = atomicAdd (&shared.n[round & 1], 1u);

        shared.list[at] = n_own * t;
        shared.from[at] = shared.stop[n_own * t - 1];
      }
      wait_for_block ();
      n = shared.n[round & 1];
      if (n == 0)
        break;
      if (t == 0)
        shared.n[~round & 1] = 0;
      if ((uint32_t) t < n)
        decode (shared.list[t], first + shared.list[t] + n_own,
            shared.from[t]);
    }
    for (int i = t; i < kParts; i += kThreads) {
      g.start[first + i] = shared.start[i];
      g.stop[first + i] = shared.stop[i];
    }
  }
};

/* The rounds of a file after its first, before it is left to the host. */
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
   * whether the last state has changed. */
  static BDCT_INLINE bool
  join (const Launch &g, const File &f, const Tables &tables, uint32_t first)
  {
    const uint32_t last = first + kParts - 1, old = g.stop[last];
    const uint32_t state = ((volatile uint16_t *) g.stop)[first - 1];
    const Part part = g.parts[first];

    return part.segment != kNone && part.first != first
        && g.start[first] != state
        && follow (g, f, tables, g.codes + f.scan / 4, 0, first, first + kParts,
        state, g.start + first, g.stop + first) > last && g.stop[last] != old;
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
        changed |= join (g, f, shared.tables, f.part + first);
      again = 0;
      sum_before (changed, t, shared.sums, &again);
    }
    if (t == 0 && again != 0)
      find_damage (g, block);
    for (uint32_t i = f.part + t; i < f.part + f.n_parts; i += n_threads) {
      const bool is_part = g.parts[i].segment != kNone;
      BdctJpegSums own = g.sums[i];     /* loaded beside the segment */

      BDCT_UNROLL for (int k = 0; k < 4; k++)
        own.of[k] = is_part ? own.of[k] : 0;
      sum_before (own.of, t, shared.sums, all);
      g.sums[i] = own;
    }
  }
};

} // namespace
