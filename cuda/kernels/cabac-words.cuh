/* blockdct: what sub-blocks add to the records of their runs
 * (dct/entropy/cabac-price.h). A lane has a sub-block, half a warp a run: a
 * lane finds its counts by masks and population counts, and sixteen lanes add
 * them up by halves, so that each ends with a word.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cabac-sub-block.cuh"

namespace {

/* The flags of a last position's prefix, by chroma, size and prefix: of each
 * context zeros, and ones << 8. */
struct LastFlags
{
  struct alignas (16) Entry
  {
    uint16_t at[8];
  };
  Entry entry[2][4][10] = {};

  constexpr LastFlags ()
  {
    for (int k = 0; k < 8; k++) {
      const int log2_size = 2 + k / 2, chroma = k % 2;

      for (int prefix = 0; prefix < 2 * log2_size; prefix++)
        for (int i = 0; i < prefix + (prefix < 2 * log2_size - 1); i++)
          entry[chroma][log2_size - 2][prefix].at[i >> last_bins (log2_size,
              chroma)] += i < prefix ? 256 : 1;
    }
  }
};
BDCT_CABAC_TABLE LastFlags last_flags;

/* Sum N words over 16 lanes: a lane is left with word (lane & 15) * N / 16. */
template <int N, int D = 8> BDCT_INLINE uint32_t
fold (uint32_t *word, int lane)
{
  if constexpr (N == 1) {
    word[0] += from_xor (word[0], D);
  } else {
    const bool upper = (lane & D) != 0;

    BDCT_UNROLL for (int i = 0; i < N / 2; i++) {
      const uint32_t keep = upper ? word[i + N / 2] : word[i];
      const uint32_t give = upper ? word[i] : word[i + N / 2];

      word[i] = keep + from_xor (give, D);
    }
  }
  if constexpr (D > 1)
    return fold<(N + 1) / 2, D / 2> (word, lane);
  else
    return word[0];
}

/* A sub-block in a block of 2^log2_size, at `place` (find_place()). */
struct SubBlock
{
  int log2_size;
  uint32_t place;
  bool there, dc, has;          /* it is the block's first; it has levels */
  bool greater;                 /* the one with levels that is coded before
                                 * has some above 1 */
  uint32_t escapes;             /* bypass bins of its levels, without signs */
};

/* A word has two slots, each zeros, and ones << 8; but slot 0 of blocks larger
 * than 4x4, and that of the bypass bins, have 16 bits, and the first one has
 * its ones in the next slot. SMALL: of 4x4 blocks. */
template <bool SMALL, bool CHROMA> struct Words
{
  static constexpr bool kFirst = !SMALL && !CHROMA;

  uint32_t word[16] = {};
  uint32_t first[8] = {};       /* kFirst: BDCT_CABAC_SLOT_DC and on */

  /* Significance in 4x4, two digits from DIGIT on a word. */
  template <int DIGIT> BDCT_INLINE void
  set_small (uint32_t coded, uint32_t nonzero)
  {
    word[DIGIT / 2] |= count_pair (coded
        & Places<BDCT_CABAC_SIG_4X4, DIGIT>::mask, nonzero) << 16 * (DIGIT & 1);
    if constexpr (DIGIT < 8)
      set_small<DIGIT + 1> (coded, nonzero);
  }

  BDCT_INLINE void
  set_last (const SubBlock &its, uint32_t nonzero, uint32_t *bypass)
  {
    const uint8_t prefixes = find_prefixes (nonzero, its.place & 255,
        its.place >> 8 & 255, bypass);
    const LastFlags::Entry *entry = last_flags.entry[CHROMA][its.log2_size - 2];
    const uint4 x = *(const uint4 *) &entry[prefixes & 15];
    const uint4 y = *(const uint4 *) &entry[prefixes >> 4];
    uint32_t *to = &word[BDCT_CABAC_SLOT_LAST / 2];

    to[0] = __byte_perm (x.x, y.x, 0x5410);
    to[1] = __byte_perm (x.x, y.x, 0x7632);
    to[2] = __byte_perm (x.y, y.y, 0x5410);
    if (kFirst) {
      to[3] = __byte_perm (x.y, y.y, 0x7632);
      to[4] = __byte_perm (x.z, y.z, 0x5410);
    }
  }

  BDCT_INLINE void
  set (const SubBlock &its, const Levels &found, const Around &around)
  {
    const Greater g = find_greater (found);
    const uint32_t ones[2] = { g.one[0] | g.one[1] << 16,
      g.one[2] | g.one[3] << 16 };
    const uint32_t two = its.greater && !SMALL ? g.two << 16 : g.two;
    const uint32_t flag = !its.dc || !its.there ? 0 : around.coded ? 256 : 1;
    const uint32_t coded = its.has || (its.dc && around.coded)
        ? find_coded (found.nonzero, around.last) : 0;
    uint32_t bypass = __popc (found.nonzero) + its.escapes;

    if (around.last)
      set_last (its, found.nonzero, &bypass);
    word[BDCT_CABAC_SLOT_BYPASS / 2] = bypass;
    if (SMALL) {
      set_small<0> (coded, found.nonzero);
      word[4] |= flag << 16;
      word[5] = ones[0];
      word[6] = ones[1];
      word[7] = two;
      return;
    }

    const Significant s (coded, found.nonzero, its.dc, around.last,
        around.right, around.below);
    const uint32_t sig[3] = { count_pair (s.there[0], found.nonzero),
      count_pair (s.there[1], found.nonzero),
      count_pair (s.there[2], found.nonzero, 16)
    };

    if (around.coded && !around.last && !its.dc)
      word[2] = 1u << ((its.has ? 8 : 0)
          + (around.right || around.below ? 16 : 0));
    word[3] = count_pair (s.first, found.nonzero) << 16 | flag;
    if (CHROMA || !its.dc) {
      word[0] = sig[2];
      word[1] = sig[0] | sig[1] << 16;
      word[4] = its.greater ? 0 : ones[0];
      word[5] = its.greater ? 0 : ones[1];
      word[6] = its.greater ? ones[0] : 0;
      word[7] = its.greater ? ones[1] : 0;
      word[8] = two;
    } else {
      first[0] = (sig[2] & 255) | sig[2] >> 16 << 8;
      first[1] = sig[0] | sig[1] << 16;
      first[2] = its.greater ? 0 : ones[0];
      first[3] = its.greater ? 0 : ones[1];
      first[4] = its.greater ? ones[0] : 0;
      first[5] = its.greater ? ones[1] : 0;
      first[6] = two;
    }
  }
};

} // namespace
