/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks from codes, and pixels from blocks. */
#include "parts.cuh"
#include "dct/picture/colour.h"
#include "dct/transform/matrices.h"

namespace {

struct Islow
{
  int32_t at[8][4] = {};

  constexpr Islow ()
  {
    for (int i = 0; i < 32; i++)
      at[i / 4][i % 4] = bdct_islow_8[i / 4][i % 4];
  }
};

BDCT_DEVICE_TABLE Islow islow = Islow ();

} // namespace

#define BDCT_ISLOW(k, i) islow.at[k][i]
#include "dct/quantizer/inverse.h"

namespace {

/* int16_t from one block of a warp to the next, for the sake of banks. */
constexpr int kStage = 72;

/* Eight samples, clipped. */
BDCT_INLINE uint2
pack_eight (const int32_t v[8])
{
  return { pack_bytes (v[0], v[1], pack_bytes (v[2], v[3], 0)),
    pack_bytes (v[4], v[5], pack_bytes (v[6], v[7], 0)) };
}

/* A thread decodes the blocks that begin in a part, to their ends, each into
 * shared memory; the warp makes samples of those that are complete. */
struct Blocks
{
  static constexpr int n_threads = kThreads;
  struct Shared
  {
    alignas (16) int16_t values[kThreads * kStage];
    alignas (16) uint16_t one[4 * kOne];
    Codes<kThreads> codes;
    uint32_t steps[3][64];
    /* Of each of an MCU's blocks: what it is; the first one's place and an
     * MCU's width and height, in eights, and the stride. */
    uint32_t block[BDCT_JPEG_MCU_BLOCKS + 1];
    uint4 place[BDCT_JPEG_MCU_BLOCKS];
  };

  /* Make samples of the first four blocks of `left`, the lanes of a warp that
   * have completed one, by eight lanes each, and zero their coefficients; `at`
   * and `stride` are the lane's own block's. Returns the other ones. Clears
   * `is_good` for a value beyond libjpeg-turbo's 16 bits. */
  static BDCT_INLINE uint32_t
  flush (const Launch &g, Shared &shared, int t, uint32_t left, uint32_t at,
      uint32_t stride, bool *is_good)
  {
    uint32_t own = 0, all = 0;
    int32_t x[8];

    BDCT_UNROLL for (int i = 0; i < 4; i++) {
      own = i == t % 32 / 8 ? left : own;
      left &= left - 1;
    }

    const int lane = own != 0 ? __ffs (own) - 1 : 0, j = t % 8;
    int16_t *values = shared.values + (t / 32 * 32 + lane) * kStage;
    uint8_t *to = g.samples + (size_t) from_lane (at, lane) * 8;

    stride = from_lane (stride, lane);
    if (own != 0) {
      BDCT_UNROLL for (int k = 0; k < 8; k++)
        x[k] = values[8 * k + j];
      bdct_inverse_short_line (x, 1, 11);
      BDCT_UNROLL for (int k = 0; k < 8; k++) {
        all |= (uint32_t) (x[k] + BDCT_INVERSE_SHORT);
        values[8 * k + j] = (int16_t) x[k];
      }
    }
    wait_for_warp ();
    if (own != 0) {
      uint4 *row = (uint4 *) (values + 8 * j);
      const uint4 v = *row;
      const uint32_t pair[4] = { v.x, v.y, v.z, v.w };

      *row = uint4 { 0, 0, 0, 0 };
      BDCT_UNROLL for (int k = 0; k < 8; k++)
        x[k] = (int16_t) (pair[k / 2] >> 16 * (k % 2));
      bdct_inverse_short_line (x, 1, 18);
      BDCT_UNROLL for (int k = 0; k < 8; k++)
        x[k] += 128;
      *(uint2 *) (to + (size_t) j * stride) = pack_eight (x);
    }
    *is_good &= all < 2 * BDCT_INVERSE_SHORT;
    return left;
  }

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const uint32_t number = block * kThreads + t;
    const uint32_t file = g.file_of_parts[block];
    const File &f = g.files[file];
    const BdctJpegLookup &lookup = g.lookup[f.tables];

    if (g.parts[block * kThreads].segment == kNone)
      return;
    copy (shared.one, lookup.one[0], 4 * kOne, t);
    shared.codes.load (g, f, block * kThreads, t);
    for (int i = t; i < 3 * 64; i += n_threads)
      shared.steps[i / 64][i % 64] = f.steps[i / 64][i % 64];
    for (int i = t; i < n_threads * kStage / 8; i += n_threads)
      ((uint4 *) shared.values)[i] = uint4 { 0, 0, 0, 0 };
    if (t <= BDCT_JPEG_MCU_BLOCKS)
      shared.block[t] = describe_block (f, t, kOne);
    if ((uint32_t) t < f.n_blocks) {
      const BdctJpegComponent &c = f.component[f.of[t]];

      shared.place[t] = { f.first[t], c.h, c.v * c.stride * 8, c.stride * 8 };
    }
    wait_for_block ();

    const Part part = g.parts[number];
    const bool is_valid = part.segment != kNone;
    const uint32_t n_blocks = f.n_blocks, mcus_across = f.mcus_across;
    int16_t *values = shared.values + t * kStage;
    uint32_t n = 0, n_all = 0, state = 0, dc[3] = { 0, 0, 0 };
    uint32_t i = 0, x = 0, y = 0;       /* of the MCU's blocks, and the MCU */
    bool is_good = true;

    if (is_valid) {
      const BdctJpegSums own = g.sums[number], its = g.sums[part.first];
      uint32_t mcu = part.segment * f.interval;
      const uint32_t left = f.n_mcus - mcu;

      state = part.first == number ? 0 : g.stop[number - 1];
      n = own.of[0] - its.of[0];
      for (int c = 0; c < 3; c++)
        dc[c] = own.of[1 + c] - its.of[1 + c];
      n_all = (left < f.interval ? left : f.interval) * n_blocks;
      i = state >> 11;
      is_good = n >= n_all || n % n_blocks == i;
      n_all = is_good ? n_all : 0;
      mcu += n / n_blocks;
      x = mcu % mcus_across;
      y = mcu / mcus_across;
    }

    const uint32_t origin = shared.codes.origin, end = part.end - origin;
    Reader reader (shared.codes.words,
        is_valid ? part.begin - origin + (state & 31) : 0);
    /* What the next block needs is loaded a block before. */
    uint32_t z = state >> 5 & 63, b = shared.block[i];
    uint32_t next = shared.block[i + 1];
    uint4 place = shared.place[i];
    uint32_t table = z > 0 ? b >> 13 & kField : b & kField;
    uint32_t at = 0, stride = 0;        /* of the block that waits */
    bool is_own = z == 0, waits = false;

    for (;;) {
      const bool goes_on = !waits && n < n_all
          && (reader.at < end || (z > 0 && is_own));
      const bool any = any_lane (goes_on);
      bool has_value = false;
      uint32_t step = 0;
      int32_t v = 0;

      if (goes_on) {
        const uint32_t word = reader.peek (), c = b >> 26;
        uint32_t e = shared.one[table + (word >> 16 >= 65536u - kLong
                ? kShort + (word >> 16) - (65536 - kLong)
                : word >> (32 - kBits))];

        if (e == 0)
          e = search_code (g.tables[f.tables].of[table / kOne], word,
              table >= 2 * kOne);

        const uint32_t length = e & 31, size = e >> 5 & 15;

        v = extend (word, length, size);
        if (z == 0) {
          BDCT_UNROLL for (uint32_t k = 0; k < 3; k++)
            if (k == c)
              v = dc[k] += v;
          table = b >> 13 & kField;
        }
        z += e >> 9;
        is_good = is_good && (size == 0 || z <= 64);
        has_value = is_own && z <= 64;
        if (has_value)
          step = shared.steps[c][z - 1];
        reader.skip (length);
        if (z >= 64) {
          waits = is_own;
          at = place.x + x * place.y + y * place.z;
          stride = place.w;
          is_own = true;
          z = 0;
          n++;
          b = next;
          table = b & kField;
          if (++i == n_blocks) {
            i = 0;
            if (++x == mcus_across) {
              x = 0;
              y++;
            }
          }
          next = shared.block[i + 1];
          place = shared.place[i];
        }
      }

      uint32_t left = ballot (waits);

      if (has_value) {
        const int32_t value = (int16_t) v * (int32_t) (step >> 6);

        is_good = is_good && bdct_inverse_is_short (value);
        values[step & 63] = (int16_t) value;
      }
      /* Four blocks at once take as long as one. */
      if (!any && left == 0)
        break;
      if (!any || __popc (left) >= 4) {
        wait_for_warp ();
        while (any ? __popc (left) >= 4 : left != 0)
          left = flush (g, shared, t, left, at, stride, &is_good);
        wait_for_warp ();
        waits = left >> t % 32 & 1;
      }
    }
    /* A segment ends with its last block, and less than a byte of padding. */
    if (!is_good || (is_valid && (n != n_all || end - reader.at > 7)
            && part.end == g.segment_start[f.segment + part.segment + 1] * 8))
      find_damage (g, file);
  }
};

/* Eight samples of a component, whose first is in `samples`, from column `x` of
 * the picture on, a multiple of 8 (jdsample.c). Columns outside the
 * picture hold anything. */
BDCT_INLINE void
upsample (const BdctJpegComponent &c, const uint8_t *samples, int x, int y,
    int v[8])
{
  const bool filtered = c.filtered, sums = filtered && c.down == 2;
  const int across = c.across, width = c.width;
  const size_t stride = c.stride * 8;
  const uint8_t *first = samples + (size_t) c.first * 8;
  const uint8_t *near = first + (c.down == 1 ? y : c.down == 2 ? y >> 1
      : y / c.down) * stride;
  const uint8_t *far = first + bdct_colour_far (y, c.height) * stride;

  /* Four columns of a row, or of what two rows become. */
  const auto load = [&] (int column, int to[4]) {
    const uint32_t n = *(const uint32_t *) (near + column);
    const uint32_t m = sums ? *(const uint32_t *) (far + column) : 0;

    BDCT_UNROLL for (int k = 0; k < 4; k++)
      to[k] = (sums ? 3 : 1) * (n >> 8 * k & 255) + (m >> 8 * k & 255);
  };

  if (!filtered && across > 1) {
    BDCT_UNROLL for (int k = 0; k < 8; k++)
      v[k] = near[(x + k) / across];
  } else if (across == 1) {
    load (x, v);
    load (x + 4, v + 4);
    BDCT_UNROLL for (int k = 0; k < 8; k++)
      v[k] = sums ? (v[k] + 1 + (y & 1)) >> 2 : v[k];
  } else {
    const int column = x / 2, shift = sums ? 4 : 2;
    const int left = column > 0 ? column - 1 : 0;
    const int right = column + 4 < width ? column + 4 : width - 1;
    int sum[6];

    load (column, sum + 1);
    sum[0] = sums ? 3 * near[left] + far[left] : near[left];
    sum[5] = sums ? 3 * near[right] + far[right] : near[right];
    BDCT_UNROLL for (int k = 2; k < 5; k++)
      sum[k] = column - 1 + k < width ? sum[k] : sum[k - 1];
    BDCT_UNROLL for (int k = 0; k < 8; k++)
      v[k] = (3 * sum[1 + k / 2] + sum[k / 2 + k % 2 * 2]
          + (sums ? 8 - k % 2 : 1 + k % 2)) >> shift;
  }
}

/* A warp writes 256 pixels of a row, of which each thread has made eight. */
struct Pixels : FileKernel
{
  struct Shared
  {
    BdctJpegComponent component[3];
    uint2 words[n_threads / 32][BDCT_JPEG_TILE_WIDTH * 3 / 8];
  };

  /* As jdcolor.c. */
  static BDCT_INLINE void
  convert (int y, int u, int v, int rgb[3])
  {
    const int half = 1 << 15;

    u -= 128;
    v -= 128;
    rgb[0] = y + ((BDCT_COLOUR_FIX (1.40200) * v + half) >> 16);
    rgb[1] = y + ((-BDCT_COLOUR_FIX (0.34414) * u
            - BDCT_COLOUR_FIX (0.71414) * v + half) >> 16);
    rgb[2] = y + ((BDCT_COLOUR_FIX (1.77200) * u + half) >> 16);
  }

  static BDCT_INLINE void
  make_eight (const uint8_t *samples, const BdctJpegComponent component[3],
      int n, bool is_ycc, int x, int y, uint2 *to)
  {
    int v[3][8], out[24];

    upsample (component[0], samples, x, y, v[0]);
    if (n == 1) {
      to[0] = pack_eight (v[0]);
      return;
    }
    upsample (component[1], samples, x, y, v[1]);
    upsample (component[2], samples, x, y, v[2]);
    BDCT_UNROLL for (int k = 0; k < 8; k++)
      if (is_ycc)
        convert (v[0][k], v[1][k], v[2][k], out + 3 * k);
      else
        BDCT_UNROLL for (int c = 0; c < 3; c++)
          out[3 * k + c] = v[c][k];
    BDCT_UNROLL for (int i = 0; i < 3; i++)
      to[i] = pack_eight (out + 8 * i);
  }

  static BDCT_INLINE void
  run (const Launch &g, uint32_t block, int t, Shared &shared)
  {
    const File &f = g.files[g.file_of_tile[block]];
    const int n = f.n_components, width = f.width, height = f.height;
    const int tiles = (width - 1) / BDCT_JPEG_TILE_WIDTH + 1;
    const int left = (block - f.tile) % tiles * BDCT_JPEG_TILE_WIDTH;
    const int top = (block - f.tile) / tiles * BDCT_JPEG_TILE_HEIGHT;
    const int end = top + BDCT_JPEG_TILE_HEIGHT < height
        ? top + BDCT_JPEG_TILE_HEIGHT : height;
    const int size = n * (width - left < BDCT_JPEG_TILE_WIDTH ? width - left
        : BDCT_JPEG_TILE_WIDTH);
    const int lane = t % 32, x = left + 8 * lane;
    const bool is_ycc = f.is_ycc;
    uint2 *words = shared.words[t / 32];

    if (t < 3)
      shared.component[t] = f.component[t];
    wait_for_block ();
    for (int y = top + t / 32; y < end; y += n_threads / 32) {
      uint8_t *to = f.dst + y * f.dst_stride + (int64_t) left * n;
      const int whole = (uintptr_t) to % 4 == 0 ? size / 4 : 0;

      wait_for_warp ();
      if (x < width)
        make_eight (g.samples, shared.component, n, is_ycc, x, y,
            words + lane * n);
      wait_for_warp ();
      for (int i = lane; i < whole; i += 32)
        ((uint32_t *) to)[i] = ((const uint32_t *) words)[i];
      for (int i = 4 * whole + lane; i < size; i += 32)
        to[i] = ((const uint8_t *) words)[i];
    }
  }
};

#ifdef __CUDACC__

template <typename K> __global__ void
__launch_bounds__ (K::n_threads)
run (const __grid_constant__ BdctJpegLaunch launch)
{
  __shared__ typename K::Shared shared;

  K::run (launch, blockIdx.x, threadIdx.x, shared);
}

/* Unless one before it has failed. */
template <typename K> void
launch_kernel (const BdctJpegLaunch &launch, uint32_t n_blocks,
    cudaStream_t stream, cudaError_t *err)
{
  if (*err != cudaSuccess)
    return;
  run<K><<<n_blocks, K::n_threads, 0, stream>>> (launch);
  *err = cudaGetLastError ();
}

#endif

} // namespace

extern "C" cudaError_t
bdct_cuda_jpeg_launch (const BdctJpegLaunch *launch, cudaStream_t stream)
{
  const BdctJpegLaunch &g = *launch;
  cudaError_t err = cudaSuccess;

  launch_kernel<Count> (g, 4 * g.n_tables + g.n_chunks, stream, &err);
  launch_kernel<Compact> (g, g.n_chunks, stream, &err);
  launch_kernel<Divide> (g, g.n_files, stream, &err);
  launch_kernel<Agree> (g, g.n_parts / kParts, stream, &err);
  launch_kernel<Join> (g, g.n_files, stream, &err);
  launch_kernel<Blocks> (g, g.n_parts / kThreads, stream, &err);
  launch_kernel<Pixels> (g, g.n_tiles, stream, &err);
  return err;
}
