/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * R, G and B on the GPU. What is done to a sample, and why it is that, stands
 * in dct/colour.h; here is the way over the frame, and the same sums in the
 * instructions that a GPU has for them. A thread has 4 pixels in 2 rows; all
 * threads of a block have the same rows, so that where these begin is found
 * once for all.
 *
 * A pixel is a word, in whatever order its bytes are: factors and selectors
 * have that order. U and V are done together, in the halves of a word. */
#include "colour-launch.h"

#include "dct/colour.h"
#include "device.cuh"

namespace {

constexpr int kAcross = 4, kDown = 2;   /* pixels of a thread */
constexpr int kThreads = 128;
constexpr unsigned kAll = 0xffffffff;
constexpr uint32_t kPair = 0x10001;     /* in both halves */
constexpr uint32_t kBytes = 0xff * kPair;

static_assert (BDCT_CUDA_COLOUR_ALIGN % kAcross == 0);

/* Factors of a pixel's bytes, 16 bits in two halves: sum = 256 high + low. */
struct Factors
{
  uint32_t high, low;
};

/* Planes of an image. */
struct Planes
{
  uint8_t *data[BDCT_MAX_COMPONENTS];
  int32_t stride[BDCT_MAX_COMPONENTS];
};

/* A kernel's parameter. */
struct Work
{
  BdctLayout layout;
  BdctImage src, dst;           /* pixels */
  Planes planes, rec, shown;
  BdctRender render;            /* where a view is shown */
  BdctCudaCell *cells;
  Factors y, u, v;              /* of U and V: their negatives */
  uint32_t order;               /* selects a pixel out of R, G, B and 0, and the
                                   input's pixel */
  uint32_t pick[3];             /* selects R, G or B of two pixels */
  int32_t aligned;              /* 4 pixels are loaded and stored as words */
};

static_assert (sizeof (Work) <= 4096);

/* Bytes of a pixel that are not in one plane each. */
template <int BYTES> constexpr bool kTogether = BYTES > 1;

BDCT_INLINE uint32_t
permute (uint32_t a, uint32_t b, uint32_t selector)
{
  return __byte_perm (a, b, selector);
}

BDCT_INLINE uint8_t *
at (const BdctImage &image, int plane, unsigned byte, int y)
{
  return (uint8_t *) image.data[plane] + y * image.stride[plane] + byte;
}

BDCT_INLINE uint8_t *
at (const Planes &planes, int plane, unsigned x, int y)
{
  return planes.data[plane] + (int64_t) y * planes.stride[plane] + x;
}

/* Pixels */

template <int BYTES> BDCT_INLINE uint32_t
load_pixel (const BdctRgb &rgb, const BdctImage &image, int x, int y)
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

template <int BYTES> BDCT_INLINE void
store_pixel (const BdctRgb &rgb, const BdctImage &image, int x, int y,
    uint32_t w)
{
  if (kTogether<BYTES>) {
    uint8_t *to = at (image, 0, x * BYTES, y);

    BDCT_UNROLL for (int i = 0; i < BYTES; i++)
      to[i] = (uint8_t) (w >> 8 * i);
  } else {
    BDCT_UNROLL for (int k = 0; k < 3; k++)
      *at (image, rgb.plane[k], x, y) = (uint8_t) (w >> 8 * k);
  }
}

/* 4 pixels that lie as words. Nobody reads the image again before much else
 * has gone through the cache: it is not to drive the planes out. */
template <int BYTES> BDCT_INLINE void
load_words (const BdctRgb &rgb, const BdctImage &image, int x, int y,
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

template <int BYTES> BDCT_INLINE void
store_words (const BdctRgb &rgb, const BdctImage &image, int x, int y,
    const uint32_t w[kAcross])
{
  if constexpr (BYTES == 4) {
    __stcs ((uint4 *) at (image, 0, 4 * x, y),
        make_uint4 (w[0], w[1], w[2], w[3]));
  } else if constexpr (BYTES == 3) {
    uint32_t *to = (uint32_t *) at (image, 0, 3 * x, y);

    __stcs (to, permute (w[0], w[1], 0x4210));
    __stcs (to + 1, permute (w[1], w[2], 0x5421));
    __stcs (to + 2, permute (w[2], w[3], 0x6542));
  } else {
    BDCT_UNROLL for (int k = 0; k < 3; k++) {
      const uint32_t pick = k + (4 + k) * 16;

      __stcs ((uint32_t *) at (image, rgb.plane[k], x, y),
          permute (permute (w[0], w[1], pick), permute (w[2], w[3], pick),
              0x5410));
    }
  }
}

/* A thread's pixels, of which the picture's last column and row repeat. */
template <int BYTES> BDCT_INLINE void
load_pixels (const Work &work, int x, int y, uint32_t w[kDown][kAcross])
{
  const BdctRgb &rgb = work.layout.rgb;
  const BdctPlaneLayout &luma = work.layout.plane[0];

  if (work.aligned && x + kAcross <= luma.width) {
    BDCT_UNROLL for (int i = 0; i < kDown; i++)
      load_words<BYTES> (rgb, work.src, x, min (y + i, luma.height - 1), w[i]);
    return;
  }
  BDCT_UNROLL for (int i = 0; i < kDown; i++)
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      w[i][k] = load_pixel<BYTES> (rgb, work.src, min (x + k, luma.width - 1),
          min (y + i, luma.height - 1));
}

template <int BYTES> BDCT_INLINE void
store_pixels (const Work &work, int x, int y,
    const uint32_t w[kDown][kAcross])
{
  const BdctRgb &rgb = work.layout.rgb;
  const BdctPlaneLayout &luma = work.layout.plane[0];
  const bool words = work.aligned && x + kAcross <= luma.width;

  BDCT_UNROLL for (int i = 0; i < kDown; i++) {
    if (y + i >= luma.height)
      break;
    if (words)
      store_words<BYTES> (rgb, work.dst, x, y + i, w[i]);
    else
      BDCT_UNROLL for (int k = 0; k < kAcross; k++)
        if (x + k < luma.width)
          store_pixel<BYTES> (rgb, work.dst, x + k, y + i, w[i][k]);
  }
}

/* To planes */

/* a + sum of products of bytes, those of `b` with a sign. */
BDCT_INLINE uint32_t
dot_signed (uint32_t a, uint32_t b, uint32_t sum)
{
  asm ("dp4a.u32.s32 %0, %1, %2, %3;" : "=r" (sum)
      : "r" (a), "r" (b), "r" (sum));
  return sum;
}

/* Y in byte 2: bdct_colour_y(), from the whole factors. */
BDCT_INLINE uint32_t
make_y (const Work &work, uint32_t pixel)
{
  return (__dp4a (pixel, work.y.high, 0u) << 8)
      + __dp4a (pixel, work.y.low, 1u << 15);
}

/* U or V in the upper half, as its complement: all bits of k - sum, where `k`
 * is what 128 and the rounding add (bdct_colour_u(), bdct_colour_v()). */
BDCT_INLINE uint32_t
make_complement (const Factors &f, uint32_t pixel)
{
  constexpr uint32_t k = (128u << 16) + (1u << 15) - 1;

  return (dot_signed (pixel, f.high, 0u) << 8)
      + __dp4a (pixel, f.low, ~k);
}

/* U, and V in the upper half. */
BDCT_INLINE uint32_t
make_uv (const Work &work, uint32_t pixel)
{
  return ~permute (make_complement (work.u, pixel),
      make_complement (work.v, pixel), 0x7632);
}

/* Chroma of a sum of pixels' by bdct_colour_across(), _down() and _both(). */
template <int SUB_X, int SUB_Y> BDCT_INLINE uint32_t
downsample (uint32_t sum, int x)
{
  const uint32_t add = !SUB_X ? 1 : SUB_Y + (x & 1);

  return (sum + add * kPair) >> (SUB_X + SUB_Y) & kBytes;
}

template <typename Word> BDCT_INLINE void
store (const Planes &planes, int plane, int x, int y, uint32_t v)
{
  *(Word *) at (planes, plane, x, y) = (Word) v;
}

template <int SUB_X> BDCT_INLINE void
store_chroma (const Planes &planes, int x, int y, const uint32_t *uv)
{
  if (SUB_X) {
    store<uint16_t> (planes, BDCT_U, x / 2, y, permute (uv[0], uv[1], 0x0040));
    store<uint16_t> (planes, BDCT_V, x / 2, y, permute (uv[0], uv[1], 0x0062));
  } else {
    const uint32_t a = permute (uv[0], uv[1], 0x6240);
    const uint32_t b = permute (uv[2], uv[3], 0x6240);

    store<uint32_t> (planes, BDCT_U, x, y, permute (a, b, 0x5410));
    store<uint32_t> (planes, BDCT_V, x, y, permute (a, b, 0x7632));
  }
}

template <int BYTES, int SUB_X, int SUB_Y> __global__ void
__launch_bounds__ (kThreads)
split (const __grid_constant__ Work work)
{
  constexpr int columns = kAcross >> SUB_X;
  const int height = work.layout.plane[0].height;
  const int x = (blockIdx.x * kThreads + threadIdx.x) * kAcross;
  const int y = blockIdx.y * kDown;
  uint32_t w[kDown][kAcross], uv[columns];

  if (x >= work.planes.stride[BDCT_Y])
    return;
  load_pixels<BYTES> (work, x, y, w);
  BDCT_UNROLL for (int i = 0; i < kDown; i++) {
    uint32_t luma[kAcross];

    if (y + i >= height && !SUB_Y)
      break;
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      luma[k] = make_y (work, w[i][k]);
    if (y + i < height)
      store<uint32_t> (work.planes, BDCT_Y, x, y + i,
          permute (permute (luma[0], luma[1], 0x0062),
              permute (luma[2], luma[3], 0x0062), 0x5410));
    if (i == 0 || !SUB_Y)
      BDCT_UNROLL for (int k = 0; k < columns; k++)
        uv[k] = 0;
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      uv[k >> SUB_X] += make_uv (work, w[i][k]);
    if (i == 0 && SUB_Y)
      continue;
    if (SUB_X || SUB_Y)
      BDCT_UNROLL for (int k = 0; k < columns; k++)
        uv[k] = downsample<SUB_X, SUB_Y> (uv[k], k);
    store_chroma<SUB_X> (work.planes, x, SUB_Y ? y / 2 : y + i, uv);
  }
}

/* From planes */

/* A row of U and V. */
struct Chroma
{
  const uint8_t *u, *v;

  BDCT_INLINE Chroma (const Planes &planes, unsigned x, int y)
      : u (at (planes, BDCT_U, x, y)), v (at (planes, BDCT_V, x, y))
  {
  }

  /* Column `x` of U, and of V in the upper half. */
  BDCT_INLINE uint32_t
  get (int x) const
  {
    return permute (u[x], v[x], 0x6420);
  }

  /* A thread's columns of it, behind one to their left and before one to their
   * right if BESIDE: what is there beside the picture does not matter. */
  template <int COLUMNS, bool BESIDE> BDCT_INLINE void
  get (uint32_t uv[COLUMNS + 2]) const
  {
    if constexpr (COLUMNS == 2) {
      const uint32_t a = *(const uint16_t *) u, b = *(const uint16_t *) v;

      uv[1] = permute (a, b, 0x6420);
      uv[2] = permute (a, b, 0x6521);
    } else {
      const uint32_t a = *(const uint32_t *) u, b = *(const uint32_t *) v;

      BDCT_UNROLL for (int k = 0; k < COLUMNS; k++)
        uv[1 + k] = (a >> 8 * k & 0xff) | (b >> 8 * k & 0xff) << 16;
    }
    if (BESIDE) {
      uv[0] = get (-1);
      uv[COLUMNS + 1] = get (COLUMNS);
    }
  }
};

/* bdct_colour_between_columns() for both halves. */
template <int SUB_Y> BDCT_INLINE uint32_t
between_columns (uint32_t near, uint32_t far, int x)
{
  const uint32_t add = SUB_Y ? (x & 1 ? 7 : 8) : (x & 1 ? 2 : 1);

  return (3 * near + far + add * kPair) >> (SUB_Y ? 4 : 2) & kBytes;
}

/* Pixels' chroma of a thread's two columns of sums, which are 1 and 2, and of
 * those beside them; at the picture's edges those are the near ones again.
 * `x`: the first of the two, of `width`. */
template <int SUB_Y> BDCT_INLINE void
spread (uint32_t uv[kAcross], const uint32_t sum[4], int x, int width,
    bool filtered)
{
  const uint32_t left = filtered && x > 0 ? sum[0] : sum[1];
  const uint32_t next = filtered && x + 1 < width ? sum[2] : sum[1];
  const uint32_t right = filtered && x + 2 < width ? sum[3] : sum[2];

  uv[0] = between_columns<SUB_Y> (sum[1], left, 0);
  uv[1] = between_columns<SUB_Y> (sum[1], next, 1);
  uv[2] = between_columns<SUB_Y> (sum[2], filtered ? sum[1] : sum[2], 0);
  uv[3] = between_columns<SUB_Y> (sum[2], right, 1);
}

/* Two values as bytes, each in 0 to 255, below what is in the lower half of
 * `above`. */
BDCT_INLINE uint32_t
pack (int low, int high, uint32_t above)
{
  uint32_t w;

  asm ("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r" (w)
      : "r" (high), "r" (low), "r" (above));
  return w;
}

/* R, G and B in this order: bdct_colour_r(), _g() and _b(), from the whole
 * factors. */
BDCT_INLINE uint32_t
make_rgb (int y, uint32_t uv)
{
  constexpr int rv = BDCT_COLOUR_FIX (1.40200), bu = BDCT_COLOUR_FIX (1.77200);
  constexpr int gu = BDCT_COLOUR_FIX (0.34414), gv = BDCT_COLOUR_FIX (0.71414);
  constexpr int half = 1 << 15;
  const int u = uv & 0xffff, v = uv >> 16;

  return pack (y + ((rv * v + half - 128 * rv) >> 16),
      y + ((half + 128 * (gu + gv) - gu * u - gv * v) >> 16),
      pack (y + ((bu * u + half - 128 * bu) >> 16), 0, 0));
}

/* What a thread's pixels are made of: samples of luma, and rows of chroma,
 * those that the pixels are in and, with SUB_Y, those next to these. */
template <int SUB_X, int SUB_Y> struct Samples
{
  static constexpr int columns = kAcross >> SUB_X;

  uint32_t luma[kDown];
  uint32_t near[kDown >> SUB_Y][columns + 2], far[kDown][columns + 2];

  static BDCT_INLINE bool
  is_filtered (const BdctLayout &layout)
  {
    return !SUB_X || bdct_colour_is_filtered (layout.plane[BDCT_U].width);
  }

  BDCT_INLINE
  Samples (const BdctLayout &layout, const Planes &planes, int x, int y)
  {
    const int height = layout.plane[BDCT_U].height, first = x >> SUB_X;

    BDCT_UNROLL for (int i = 0; i < kDown; i++)
      luma[i] = *(const uint32_t *) at (planes, BDCT_Y, x,
          min (y + i, layout.plane[BDCT_Y].height - 1));
    BDCT_UNROLL for (int i = 0; i < kDown >> SUB_Y; i++)
      Chroma (planes, first, SUB_Y ? bdct_colour_near (y)
          : min (y + i, height - 1)).template get<columns, SUB_X> (near[i]);
    if constexpr (SUB_Y)
      BDCT_UNROLL for (int i = 0; i < kDown; i++)
        Chroma (planes, first, is_filtered (layout)
            ? bdct_colour_far (y + i, height) : bdct_colour_near (y))
            .template get<columns, SUB_X> (far[i]);
  }

  /* Chroma of the pixels of row `i`. */
  BDCT_INLINE void
  upsample (uint32_t uv[kAcross], const BdctLayout &layout, int x, int i) const
  {
    uint32_t sum[columns + 2];

    BDCT_UNROLL for (int k = 1 - SUB_X; k < columns + 1 + SUB_X; k++)
      sum[k] = SUB_Y ? bdct_colour_sum (near[0][k], far[i][k]) : near[i][k];
    if constexpr (SUB_X)
      spread<SUB_Y> (uv, sum, x >> SUB_X, layout.plane[BDCT_U].width,
          is_filtered (layout));
    else
      BDCT_UNROLL for (int k = 0; k < kAcross; k++)
        uv[k] = SUB_Y ? (sum[1 + k] + (1 + i) * kPair) >> 2 & kBytes
            : sum[1 + k];
  }

  /* R, G and B of all of them. */
  BDCT_INLINE void
  make_pixels (uint32_t rgb[kDown][kAcross], const BdctLayout &layout, int x)
      const
  {
    BDCT_UNROLL for (int i = 0; i < kDown; i++) {
      uint32_t uv[kAcross];

      upsample (uv, layout, x, i);
      BDCT_UNROLL for (int k = 0; k < kAcross; k++)
        rgb[i][k] = make_rgb (permute (luma[i], 0, 0x4440 + k), uv[k]);
    }
  }
};

/* Where a view shows the original, that is its own bytes. */
template <int BYTES> BDCT_INLINE void
show_original (const Work &work, int x, int y, uint32_t *rgb)
{
  uint32_t w;
  int v[3], mark;

  if (!bdct_colour_is_original (&work.render, &x, &y))
    return;
  w = load_pixel<BYTES> (work.layout.rgb, work.src, x, y);
  BDCT_UNROLL for (int k = 0; k < 3; k++)
    v[k] = permute (w, 0, work.pick[k] & 15) & 0xff;
  mark = bdct_colour_mark (&work.render, x, y,
      bdct_colour_y (v[0], v[1], v[2]));
  *rgb = pack (v[0] + mark, v[1] + mark, pack (v[2] + mark, 0, 0));
}

/* Sum of squares of R's, G's and B's errors in 4 pixels. */
BDCT_INLINE void
add_errors (const Work &work, const uint32_t error[kAcross], uint32_t sse[3])
{
  BDCT_UNROLL for (int k = 0; k < 3; k++) {
    const uint32_t e = permute (permute (error[0], error[1], work.pick[k]),
        permute (error[2], error[3], work.pick[k]), 0x5410);

    sse[k] = __dp4a (e, e, sse[k]);
  }
}

BDCT_INLINE uint32_t
warp_sum (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (kAll, v);
#else
  BDCT_UNROLL for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync (kAll, v, i);
  return v;
#endif
}

/* Add a block's errors to the frame's. */
BDCT_INLINE void
flush (const Work &work, const uint32_t sse[3])
{
  __shared__ uint32_t sums[kThreads / 32][3];

  BDCT_UNROLL for (int k = 0; k < 3; k++) {
    const uint32_t sum = warp_sum (sse[k]);

    if (threadIdx.x % 32 == 0)
      sums[threadIdx.x / 32][k] = sum;
  }
  __syncthreads ();
  if (threadIdx.x < 3) {
    const int k = threadIdx.x;
    uint32_t sum = 0;

    BDCT_UNROLL for (int i = 0; i < kThreads / 32; i++)
      sum += sums[i][k];
    atomicAdd (&work.cells[(blockIdx.y * gridDim.x + blockIdx.x)
            % BDCT_CUDA_CELLS].rgb_sse[k], (unsigned long long) sum);
  }
}

/* VIEWED: a view is shown. */
template <int BYTES, int SUB_X, int SUB_Y, bool VIEWED> __global__ void
__launch_bounds__ (kThreads)
join (const __grid_constant__ Work work)
{
  const BdctPlaneLayout &luma = work.layout.plane[0];
  const int x = (blockIdx.x * kThreads + threadIdx.x) * kAcross;
  const int y = blockIdx.y * kDown;
  uint32_t sse[3] = { 0, 0, 0 };

  if (x < luma.width) {
    const Samples<SUB_X, SUB_Y> rec (work.layout, work.rec, x, y);
    uint32_t rgb[kDown][kAcross], w[kDown][kAcross];

    load_pixels<BYTES> (work, x, y, w);
    rec.make_pixels (rgb, work.layout, x);
    BDCT_UNROLL for (int i = 0; i < kDown; i++) {
      uint32_t error[kAcross];

      if (y + i >= luma.height)
        break;
      BDCT_UNROLL for (int k = 0; k < kAcross; k++) {
        rgb[i][k] = permute (rgb[i][k], w[i][k], work.order);
        error[k] = __vabsdiffu4 (rgb[i][k], w[i][k]);
      }
      if (x + kAcross > luma.width)
        BDCT_UNROLL for (int k = 1; k < kAcross; k++)
          error[k] = x + k < luma.width ? error[k] : 0;
      add_errors (work, error, sse);
    }
    if constexpr (VIEWED) {
      const Samples<SUB_X, SUB_Y> shown (work.layout, work.shown, x, y);

      shown.make_pixels (rgb, work.layout, x);
      BDCT_UNROLL for (int i = 0; i < kDown; i++)
        BDCT_UNROLL for (int k = 0; k < kAcross; k++) {
          if (x + k < luma.width && y + i < luma.height)
            show_original<BYTES> (work, x + k, y + i, &rgb[i][k]);
          rgb[i][k] = permute (rgb[i][k], w[i][k], work.order);
        }
    }
    store_pixels<BYTES> (work, x, y, rgb);
  }
  flush (work, sse);
}

/* Launching */

Factors
make_factors (const BdctRgb &rgb, int r, int g, int b)
{
  const int factor[3] = { r, g, b };
  Factors f = { 0, 0 };

  for (int k = 0; k < 3; k++) {
    const int shift = 8 * (rgb.bytes > 1 ? rgb.offset[k] : k);

    f.high |= (uint32_t) (factor[k] >> 8 & 0xff) << shift;
    f.low |= (uint32_t) (factor[k] & 0xff) << shift;
  }
  return f;
}

/* Whether rows begin at a multiple of what 4 pixels are loaded as. */
bool
is_aligned (const BdctRgb &rgb, const BdctImage &image)
{
  const int words = rgb.bytes == 4 ? 16 : 4;
  bool aligned = true;

  for (int p = 0; p < rgb.n_planes; p++)
    aligned = aligned && ((uintptr_t) image.data[p]
        | (uintptr_t) image.stride[p]) % words == 0;
  return aligned;
}

Planes
make_planes (const BdctImage &image)
{
  Planes planes;

  for (int p = 0; p < BDCT_MAX_COMPONENTS; p++) {
    planes.data[p] = (uint8_t *) image.data[p];
    planes.stride[p] = (int32_t) image.stride[p];
  }
  return planes;
}

Work
make_work (const BdctCudaColour *colour)
{
  const BdctRgb &rgb = colour->layout.rgb;
  Work work;

  work.layout = colour->layout;
  work.src = colour->src;
  work.dst = colour->dst;
  work.planes = make_planes (colour->planes);
  work.rec = make_planes (colour->rec);
  work.shown = make_planes (colour->shown);
  work.cells = colour->cells;
  work.y = make_factors (rgb, BDCT_COLOUR_FIX (0.29900),
      BDCT_COLOUR_FIX (0.58700), BDCT_COLOUR_FIX (0.11400));
  work.u = make_factors (rgb, BDCT_COLOUR_FIX (0.16874),
      BDCT_COLOUR_FIX (0.33126), -BDCT_COLOUR_FIX (0.50000));
  work.v = make_factors (rgb, -BDCT_COLOUR_FIX (0.50000),
      BDCT_COLOUR_FIX (0.41869), BDCT_COLOUR_FIX (0.08131));
  work.order = 0x7654;
  for (int k = 0; k < 3; k++) {
    const int offset = rgb.bytes > 1 ? rgb.offset[k] : k;

    work.order = (work.order & ~(15u << 4 * offset)) | k << 4 * offset;
    work.pick[k] = offset | (4 + offset) << 4;
  }
  work.aligned = is_aligned (rgb, colour->src)
      && is_aligned (rgb, colour->dst);
  return work;
}

/* What goes over a frame of one format and sampling. */
struct Kernels
{
  const void *split, *join, *join_viewed;
};

template <int BYTES, int SUB_X, int SUB_Y> const Kernels kernels_of = {
  (const void *) split<BYTES, SUB_X, SUB_Y>,
  (const void *) join<BYTES, SUB_X, SUB_Y, false>,
  (const void *) join<BYTES, SUB_X, SUB_Y, true>,
};

template <int BYTES> const Kernels *const samplings[2][2] = {
  {&kernels_of<BYTES, 0, 0>, &kernels_of<BYTES, 0, 1>},
  {&kernels_of<BYTES, 1, 0>, &kernels_of<BYTES, 1, 1>},
};

const Kernels &
find_kernels (const BdctLayout &layout)
{
  const int sub_x = bdct_layout_sub_x (&layout, BDCT_U);
  const int sub_y = bdct_layout_sub_y (&layout, BDCT_U);

  return *(layout.rgb.bytes == 4 ? samplings<4>
      : layout.rgb.bytes == 3 ? samplings<3> : samplings<1>)[sub_x][sub_y];
}

/* A launch over so many columns, and all rows. */
cudaError_t
launch (const void *kernel, const BdctCudaColour *colour,
    const BdctRender *render, int64_t columns, cudaStream_t stream)
{
  const dim3 grid ((unsigned) ((columns - 1) / (kThreads * kAcross) + 1),
      (colour->layout.plane[0].height - 1) / kDown + 1);
  Work work = make_work (colour);
  void *args[] = { &work };

  if (render != nullptr)
    work.render = *render;
  return cudaLaunchKernel (kernel, grid, kThreads, args, 0, stream);
}

} // namespace

extern "C" cudaError_t
bdct_cuda_split_launch (const BdctCudaColour *colour, cudaStream_t stream)
{
  return launch (find_kernels (colour->layout).split, colour, nullptr,
      colour->planes.stride[BDCT_Y], stream);
}

extern "C" cudaError_t
bdct_cuda_join_launch (const BdctCudaColour *colour, const BdctRender *render,
    cudaStream_t stream)
{
  const Kernels &kernels = find_kernels (colour->layout);

  return launch (render != nullptr ? kernels.join_viewed : kernels.join,
      colour, render, colour->layout.plane[0].width, stream);
}
