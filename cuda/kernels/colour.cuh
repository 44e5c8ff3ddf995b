/* blockdct: R, G and B on the GPU: what rgb-to-planes.cu and planes-to-rgb.cu
 * share. dct/picture/colour.h explains the arithmetic of a sample; these files
 * traverse the frame. A thread has 4 pixels in each of 2 rows, a warp 128 of
 * them, and the warps of a thread block lie one below the other, so that rows
 * of chroma that two warps need are in the multiprocessor's cache.
 *
 * A pixel is a word, with its bytes in any order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "colour.h"

#include "dct/picture/colour.h"
#include "device.cuh"

namespace {

constexpr int kAcross = 4, kDown = 2;   /* pixels of a thread */
constexpr int kWarps = 4;       /* of a block, one below the other */

/* Pixels of a thread block. */
constexpr int kWidth = 32 * kAcross, kHeight = kWarps * kDown;

static_assert (BDCT_CUDA_COLOUR_ALIGN % kWidth == 0);

/* The planes of an image. Of a stack, a thread block's third coordinate is the
 * picture. */
struct Planes
{
  uint8_t *data[BDCT_MAX_PLANES];
  int64_t pitch[BDCT_MAX_PLANES];       /* from one picture to the next */
  int32_t stride[BDCT_MAX_PLANES];
};

/* Whether a pixel's bytes are adjacent, not in a plane each. */
template <int BYTES> constexpr bool kTogether = BYTES > 1;

BDCT_INLINE uint32_t
permute (uint32_t a, uint32_t b, uint32_t selector)
{
  return __byte_perm (a, b, selector);
}

BDCT_INLINE uint8_t *
at (const Planes &planes, int plane, int byte, int y)
{
  return planes.data[plane] + blockIdx.z * planes.pitch[plane]
      + (int64_t) y * planes.stride[plane] + byte;
}

template <int BYTES> BDCT_INLINE uint32_t
load_pixel (const BdctRgb &rgb, const Planes &image, int x, int y)
{
  uint32_t w = 0;

  if (kTogether<BYTES>) {
    const uint8_t *from = at (image, 0, x * BYTES, y);

    BDCT_UNROLL for (int i = 0; i < BYTES; i++)
      w |= (uint32_t) __ldg (from + i) << 8 * i;
  } else {
    BDCT_UNROLL for (int k = 0; k < 3; k++)
      w |= (uint32_t) __ldg (at (image, rgb.plane[k], x, y)) << 8 * k;
  }
  return w;
}

/* Load 4 pixels as words. The image is not read again soon: these loads should
 * not evict the planes from the cache. */
template <int BYTES> BDCT_INLINE void
load_words (const BdctRgb &rgb, const Planes &image, int x, int y,
    uint32_t w[kAcross])
{
  if constexpr (BYTES == 4) {
    const uint4 v = __ldcs ((const uint4 *) at (image, 0, 4 * x, y));

    w[0] = v.x;
    w[1] = v.y;
    w[2] = v.z;
    w[3] = v.w;
  } else if constexpr (BYTES == 3) {
    const uint32_t *from = (const uint32_t *) at (image, 0, 3 * x, y);
    const uint32_t a = __ldcs (from), b = __ldcs (from + 1);
    const uint32_t c = __ldcs (from + 2);

    w[0] = a;
    w[1] = permute (a, b, 0x6543);
    w[2] = permute (b, c, 0x5432);
    w[3] = c >> 8;
  } else {
    uint32_t v[3];

    BDCT_UNROLL for (int k = 0; k < 3; k++)
      v[k] = __ldcs ((const uint32_t *) at (image, rgb.plane[k], x, y));
    const uint32_t low = permute (v[0], v[1], 0x5140);
    const uint32_t high = permute (v[0], v[1], 0x7362);

    w[0] = permute (low, v[2], 0x4410);
    w[1] = permute (low, v[2], 0x5532);
    w[2] = permute (high, v[2], 0x6610);
    w[3] = permute (high, v[2], 0x7732);
  }
}

/* Load a thread's pixels, repeating the picture's last column and row.
 * `aligned`: 4 pixels can be loaded as words. */
template <int BYTES> BDCT_INLINE void
load_pixels (const BdctLayout &layout, const Planes &image, bool aligned,
    int x, int y, uint32_t w[kDown][kAcross])
{
  const BdctPlaneLayout &luma = layout.plane[0];

  if (aligned && x + kAcross <= luma.width) {
    BDCT_UNROLL for (int i = 0; i < kDown; i++)
      load_words<BYTES> (layout.rgb, image, x, min (y + i, luma.height - 1),
          w[i]);
    return;
  }
  BDCT_UNROLL for (int i = 0; i < kDown; i++)
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      w[i][k] = load_pixel<BYTES> (layout.rgb, image,
          min (x + k, luma.width - 1), min (y + i, luma.height - 1));
}

/* Launching */

/* The position of R, G or B in a pixel's word. */
inline int
find_byte (const BdctRgb &rgb, int k)
{
  return rgb.bytes > 1 ? rgb.offset[k] : k;
}

/* Whether every row is aligned to the loads of 4 pixels. */
inline bool
is_aligned (const BdctRgb &rgb, const BdctImage &image, ptrdiff_t pitch)
{
  const int words = rgb.bytes == 4 ? 16 : 4;
  bool aligned = pitch % words == 0;

  for (int p = 0; p < rgb.n_planes; p++)
    aligned = aligned && ((uintptr_t) image.data[p]
        | (uintptr_t) image.stride[p]) % words == 0;
  return aligned;
}

/* `pitch` is from one picture to the next; 0: they follow each other. */
inline Planes
make_planes (const BdctLayout &picture, const BdctImage &image,
    ptrdiff_t pitch)
{
  Planes planes;

  for (int p = 0; p < BDCT_MAX_PLANES; p++) {
    planes.data[p] = (uint8_t *) image.data[p];
    planes.stride[p] = (int32_t) image.stride[p];
    planes.pitch[p] = pitch != 0 ? pitch
        : (int64_t) image.stride[p] * picture.plane[p].height;
  }
  return planes;
}

/* Kernels for 4, 3 and 1 bytes from a pixel of a plane to the next, by sub_x
 * and sub_y. */
using Kernels = const void *const[3][2][2];

/* Launch the suitable kernel, over this many columns and all rows of each
 * picture. */
template <typename Work> cudaError_t
launch (const Kernels &kernels, const BdctLayout &layout, int n_pictures,
    int64_t columns, Work *work, cudaStream_t stream)
{
  const int bytes = layout.rgb.bytes;
  const dim3 grid ((unsigned) ((columns - 1) / kWidth + 1),
      (layout.plane[0].height - 1) / kHeight + 1, n_pictures);
  const dim3 block (32, kWarps);
  void *args[] = { work };

  static_assert (sizeof *work <= 4096);
  return cudaLaunchKernel (kernels[bytes == 4 ? 0 : bytes == 3 ? 1 : 2]
      [bdct_layout_sub_x (&layout, BDCT_U)]
      [bdct_layout_sub_y (&layout, BDCT_U)], grid, block, args, 0, stream);
}

} // namespace
