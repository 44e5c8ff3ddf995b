/* blockdct: blocks from codes, and pixels from blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_JPEG_PIXELS_CUH
#define BDCT_JPEG_PIXELS_CUH

#include "parts.cuh"
#include "dct/base/zigzag.h"
#include "dct/picture/colour.h"
#include "dct/transform/matrices.h"

namespace {

struct Constants
{
  int32_t islow[8][4] = {};
  uint8_t zigzag[64] = {};

  constexpr Constants ()
  {
    for (int i = 0; i < 32; i++)
      islow[i / 4][i % 4] = bdct_islow_8[i / 4][i % 4];
    for (int i = 0; i < 64; i++)
      zigzag[i] = bdct_zigzag_index[i];
  }
};

BDCT_DEVICE_TABLE Constants constants = Constants ();

} // namespace

#define BDCT_ISLOW(k, i) constants.islow[k][i]
#include "dct/quantizer/inverse.h"

namespace {

/* int16_t from one block of a warp to the next, for the sake of banks. */
constexpr int kStage = 72;

/* Where the next block lies. */
struct Place
{
  uint32_t i, x, y;             /* block of the MCU, and the MCU */

  BDCT_INLINE void
  advance (const File &f)
  {
    if (++i == f.n_blocks) {
      i = 0;
      if (++x == f.mcus_across) {
        x = 0;
        y++;
      }
    }
  }

  BDCT_INLINE uint32_t
  find (const File &f) const
  {
    const BdctJpegComponent &c = f.component[f.of[i]];

    return c.first + (y * c.v + f.y[i]) * 8 * c.stride + x * c.h + f.x[i];
  }
};

/* A thread decodes the blocks that begin in a part, to their ends, each into
 * shared memory; the warp makes samples of those that are complete. */
struct Blocks
{
  static constexpr int n_threads = kThreads;
  struct Shared
  {
    alignas (16) int16_t levels[kThreads * kStage];
    uint16_t one[4 * kOne], steps[3][64];
    uint32_t block[BDCT_JPEG_MCU_BLOCKS], stride[3];
    uint8_t zigzag[64];
  };

  static BDCT_INLINE void
  load (const Launch &g, const File &f, int t, Shared &shared)
  {
    const BdctJpegLookup &lookup = g.lookup[f.tables];

    for (int i = t; i < 4 * kOne; i += n_threads)
      shared.one[i] = lookup.one[i / kOne][i % kOne];
    for (int i = t; i < 3 * 64; i += n_threads)
      shared.steps[i / 64][i % 64] = f.component[i / 64].steps[i % 64];
    for (int i = t; i < n_threads * kStage; i += n_threads)
      shared.levels[i] = 0;
    if (t < 64)
      shared.zigzag[t] = constants.zigzag[t];
    if (t < BDCT_JPEG_MCU_BLOCKS)
      shared.block[t] = describe_block (f, t, kOne);
    if (t < 3)
      shared.stride[t] = f.component[t].stride;
    wait_for_block ();
  }

  /* Lane `j` of eight: make samples of a block's levels, and zero these.
   * Returns false if a value is so large that libjpeg-turbo's 16 bits would not
   * hold it. */
  static BDCT_INLINE bool
  invert (bool is_there, int16_t *levels, const uint16_t *steps, int j,
      uint8_t *to, uint32_t stride)
  {
    bool is_short = true;
    int32_t x[8];

    if (is_there) {
      BDCT_UNROLL for (int k = 0; k < 8; k++) {
        x[k] = levels[8 * k + j] * steps[8 * k + j];
        is_short = is_short && bdct_inverse_is_short (x[k]);
        x[k] = is_short ? x[k] : 0;
      }
      bdct_inverse_short_line (x, 1, 11);
      BDCT_UNROLL for (int k = 0; k < 8; k++) {
        is_short = is_short && bdct_inverse_is_short (x[k]);
        levels[8 * k + j] = (int16_t) x[k];
      }
    }
    wait_for_warp ();
    if (is_there) {
      uint4 *row = (uint4 *) (levels + 8 * j);
      const uint4 v = *row;
      const uint32_t pair[4] = { v.x, v.y, v.z, v.w };
      uint2 samples = { 0, 0 };

      *row = uint4 { 0, 0, 0, 0 };
      BDCT_UNROLL for (int k = 0; k < 8; k++)
        x[k] = (int16_t) (pair[k / 2] >> 16 * (k % 2));
      bdct_inverse_short_line (x, 1, 18);
      BDCT_UNROLL for (int k = 0; k < 8; k++) {
        const int32_t s = x[k] + 128;

        (k < 4 ? samples.x : samples.y) |=
            (uint32_t) (s < 0 ? 0 : s > 255 ? 255 : s) << 8 * (k % 4);
      }
      *(uint2 *) (to + (size_t) j * stride * 8) = samples;
    }
    return is_short;
  }

  /* Make samples of the blocks that lanes of a warp have completed, four at a
   * time; `at` and `c` are the lane's own block's. */
  static BDCT_INLINE bool
  flush (const Launch &g, Shared &shared, int t, bool is_complete, uint32_t at,
      uint32_t c)
  {
    uint32_t left = ballot (is_complete);
    bool is_short = true;

    if (left == 0)
      return true;
    wait_for_warp ();
    while (left != 0) {
      uint32_t own = 0;

      BDCT_UNROLL for (int i = 0; i < 4; i++) {
        own = i == t % 32 / 8 ? left : own;
        left &= left - 1;
      }

      const int lane = own != 0 ? __ffs (own) - 1 : 0;
      const uint32_t its_at = from_lane (at, lane), its_c = from_lane (c, lane);

      is_short &= invert (own != 0, shared.levels + (t / 32 * 32 + lane)
          * kStage, shared.steps[its_c], t % 8,
          g.samples + (size_t) its_at * 8, shared.stride[its_c]);
    }
    wait_for_warp ();
    return is_short;
  }

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const uint32_t number = block * kThreads + t;
    const uint32_t file = g.file_of_parts[block];
    const File &f = g.files[file];

    if (g.segment_of[block * kThreads] == kNone)
      return;
    load (g, f, t, shared);

    const Part part (g, f, number);
    int16_t *levels = shared.levels + t * kStage;
    uint32_t n = 0, n_all = 0, state = 0, dc[3] = { 0, 0, 0 };
    Place place = { 0, 0, 0 };
    bool is_good = true;

    if (part.is_valid) {
      const uint32_t first = g.segment_part[f.segment + part.segment];
      const BdctJpegSums own = g.sums[number], its = g.sums[first];
      uint32_t mcu = part.segment * f.interval;
      const uint32_t left = f.n_mcus - mcu;

      state = part.is_first ? 0 : g.stop[number - 1];
      n = own.blocks - its.blocks;
      for (int c = 0; c < 3; c++)
        dc[c] = own.dc[c] - its.dc[c];
      n_all = (left < f.interval ? left : f.interval) * f.n_blocks;
      place.i = state >> 11;
      is_good = n >= n_all || n % f.n_blocks == place.i;
      n_all = is_good ? n_all : 0;
      mcu += n / f.n_blocks;
      place.x = mcu % f.mcus_across;
      place.y = mcu / f.mcus_across;
    }

    Reader reader (g.codes + f.codes, part.begin + (state & 31));
    uint32_t z = state >> 5 & 63, b = shared.block[place.i];
    uint32_t table = z > 0 ? b >> 13 & kField : b & kField;
    uint32_t at = n < n_all ? place.find (f) : 0;
    bool is_own = z == 0;

    for (;;) {
      const bool goes_on = n < n_all
          && (reader.at < part.end || (z > 0 && is_own));
      const uint32_t its_at = at, its_c = b >> 26;
      bool is_complete = false;

      if (!any_lane (goes_on))
        break;
      if (goes_on) {
        const uint32_t word = reader.peek ();
        uint32_t e = shared.one[table + (word >> 16 >= 65536u - kLong
                ? kShort + (word >> 16) - (65536 - kLong)
                : word >> (32 - kBits))];

        if (e == 0)
          e = search_code (g.tables[f.tables].of[table / kOne], word,
              table >= 2 * kOne);

        const uint32_t length = e & 31, size = e >> 5 & 15;
        const bool is_dc = z == 0;
        int32_t v = extend (word, length, size);

        z += e >> 9;
        is_good = is_good && e >> 9 != kUnknown && (size == 0 || z <= 64);
        if (is_dc) {
          BDCT_UNROLL for (uint32_t c = 0; c < 3; c++)
            if (c == its_c)
              v = dc[c] += v;
          table = b >> 13 & kField;
        }
        if (is_own && (is_dc || (size > 0 && z <= 64)))
          levels[is_dc ? 0 : shared.zigzag[z - 1]] = (int16_t) v;
        reader.skip (length);
        if (z >= 64) {
          is_complete = is_own;
          is_own = true;
          z = 0;
          n++;
          place.advance (f);
          b = shared.block[place.i];
          table = b & kField;
          if (n < n_all)
            at = place.find (f);
        }
      }
      is_good &= flush (g, shared, t, is_complete, its_at, its_c);
    }
    if (part.is_valid) {
      const uint32_t end = g.segment_start[f.segment + part.segment + 1] * 8;

      /* A segment ends with its last block, and less than a byte of padding. */
      if (part.end == end && (n != n_all || end - reader.at > 7))
        is_good = false;
    }
    if (!is_good)
      find_damage (g, file);
  }
};

/* A thread writes pixels, four at once. */
struct Pixels
{
  static constexpr int n_threads = kFileThreads;
  struct Shared
  {
  };

  /* Four samples of a component from column `x` of the picture on (jdsample.c).
   * Those of columns that are none are any. */
  static BDCT_INLINE void
  upsample (const Launch &g, const BdctJpegComponent &c, int x, int y,
      int v[4])
  {
    const uint8_t *samples = g.samples + (size_t) c.first * 8;
    const uint32_t stride = c.stride * 8;

    if (!c.filtered) {
      const uint8_t *row = samples + (size_t) (y / c.down) * stride;

      if (c.across == 1) {
        const uint32_t four = *(const uint32_t *) (row + x);

        BDCT_UNROLL for (int k = 0; k < 4; k++)
          v[k] = four >> 8 * k & 255;
      } else {
        BDCT_UNROLL for (int k = 0; k < 4; k++)
          v[k] = row[(x + k) / c.across];
      }
      return;
    }

    const bool sums = c.down == 2;
    const uint8_t *near = samples + (size_t) (sums ? y >> 1 : y) * stride;
    const int beside = (y >> 1) + (y & 1 ? 1 : -1);
    const uint8_t *far = !sums ? near : samples + (size_t) (beside < 0 ? 0
        : beside >= c.height ? c.height - 1 : beside) * stride;

    if (c.across == 1) {
      const uint32_t n = *(const uint32_t *) (near + x);
      const uint32_t m = *(const uint32_t *) (far + x);

      BDCT_UNROLL for (int k = 0; k < 4; k++)
        v[k] = (3 * (n >> 8 * k & 255) + (m >> 8 * k & 255) + 1 + (y & 1)) >> 2;
      return;
    }

    int sum[4];

    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      const int i = x / 2 - 1 + k;
      const int column = i < 0 ? 0 : i >= c.width ? c.width - 1 : i;

      sum[k] = sums ? 3 * near[column] + far[column] : near[column];
    }
    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      const int both = 3 * sum[1 + k / 2] + sum[k / 2 + k % 2 * 2];

      v[k] = sums ? (both + 8 - k % 2) >> 4 : (both + 1 + k % 2) >> 2;
    }
  }

  static BDCT_INLINE uint32_t
  clip (int v)
  {
    return v < 0 ? 0 : v > 255 ? 255 : v;
  }

  /* As jdcolor.c. */
  static BDCT_INLINE void
  convert (int y, int u, int v, uint32_t rgb[3])
  {
    const int half = 1 << 15;

    u -= 128;
    v -= 128;
    rgb[0] = clip (y + ((BDCT_COLOUR_FIX (1.40200) * v + half) >> 16));
    rgb[1] = clip (y + ((-BDCT_COLOUR_FIX (0.34414) * u
                - BDCT_COLOUR_FIX (0.71414) * v + half) >> 16));
    rgb[2] = clip (y + ((BDCT_COLOUR_FIX (1.77200) * u + half) >> 16));
  }

  static BDCT_INLINE void
  write_four (const Launch &g, const File &f, int x, int y)
  {
    const int n = f.n_components, left = f.width - x;
    uint8_t *to = f.dst + y * f.dst_stride + (int64_t) x * n;
    uint32_t word[3] = { 0, 0, 0 };
    int v[3][4];

    BDCT_UNROLL for (int c = 0; c < 3; c++)
      if (c < n)
        upsample (g, f.component[c], x, y, v[c]);
    BDCT_UNROLL for (int k = 0; k < 4; k++) {
      uint32_t rgb[3];

      if (n == 1) {
        word[0] |= v[0][k] << 8 * k;
        continue;
      }
      if (f.is_ycc)
        convert (v[0][k], v[1][k], v[2][k], rgb);
      else
        BDCT_UNROLL for (int c = 0; c < 3; c++)
          rgb[c] = v[c][k];
      BDCT_UNROLL for (int c = 0; c < 3; c++)
        word[(3 * k + c) / 4] |= rgb[c] << 8 * ((3 * k + c) % 4);
    }
    if (left >= 4 && (uintptr_t) to % 4 == 0) {
      BDCT_UNROLL for (int i = 0; i < 3; i++)
        if (i < n)
          ((uint32_t *) to)[i] = word[i];
    } else {
      BDCT_UNROLL for (int i = 0; i < 12; i++)
        if (i < left * n && i < 4 * n)
          to[i] = word[i / 4] >> 8 * (i % 4);
    }
  }

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &)
  {
    const File &f = g.files[g.file_of_tile[block]];
    const uint32_t across = (f.width + 3) / 4;

    BDCT_UNROLL for (int k = 0; k < BDCT_JPEG_TILE / 4 / n_threads; k++) {
      const uint32_t i = (block - f.tile) * (BDCT_JPEG_TILE / 4)
          + k * n_threads + t;

      if (i < across * f.height)
        write_four (g, f, i % across * 4, i / across);
    }
  }
};

} // namespace

#endif
