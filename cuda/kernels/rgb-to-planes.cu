/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From R, G and B to planes. One instruction multiplies two bytes of a pixel by
 * 16-bit factors and adds the products. U and V are added up at once, in the
 * halves of a word. */
#include "colour.cuh"

namespace {

constexpr uint32_t kPair = 0x10001;     /* 1 in both halves */
constexpr uint32_t kBytes = 0xff * kPair;

/* 16-bit factors of a pixel's bytes, first byte first. */
struct Factors
{
  uint32_t first, last;
};

/* A kernel's parameter. */
struct Work
{
  BdctLayout layout;
  Planes src;                   /* pixels */
  Planes planes;
  Factors y, u, v;              /* U's and V's are negated */
  int32_t aligned;
};

/* Y in byte 2: bdct_colour_y(), with all bits of the factors. */
BDCT_INLINE uint32_t
make_y (const Factors &f, uint32_t pixel)
{
  return __dp2a_hi (f.last, pixel, __dp2a_lo (f.first, pixel, 1u << 15));
}

/* 255 - U or 255 - V in byte 2. bdct_colour_u() and _v() round k - sum down,
 * where k has 128 and the rounding term; sum - k - 1 is its bitwise
 * complement. */
BDCT_INLINE uint32_t
make_complement (const Factors &f, uint32_t pixel)
{
  constexpr uint32_t k = (128u << 16) + (1u << 15) - 1;
  uint32_t sum = (256u << 16) - k - 1;

  asm ("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r" (sum)
      : "r" (f.first), "r" (pixel), "r" (sum));
  asm ("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r" (sum)
      : "r" (f.last), "r" (pixel), "r" (sum));
  return sum;
}

/* 255 - U in the lower half and 255 - V in the upper half. */
BDCT_INLINE uint32_t
make_uv (const Work &work, uint32_t pixel)
{
  return permute (make_complement (work.u, pixel),
      make_complement (work.v, pixel), 0x7632);
}

/* Chroma from a sum of these, by bdct_colour_across(), _down() and _both(). */
template <int SUB_X, int SUB_Y> BDCT_INLINE uint32_t
downsample (uint32_t sum, int x)
{
  constexpr int shift = SUB_X + SUB_Y;
  const uint32_t add = shift == 0 ? 0 : SUB_X ? SUB_Y + (x & 1) : 1;
  const uint32_t pixels = ((255 << shift) + add) * kPair - sum;

  return shift == 0 ? pixels : pixels >> shift & kBytes;
}

/* Store in a plane, which should stay in the L2 cache until it becomes pixels
 * again. */
template <typename Word> BDCT_INLINE void
store (const Planes &planes, int plane, int x, int y, uint32_t v)
{
  Word *to = (Word *) at (planes, plane, x, y);

#if __CUDA_ARCH__ >= 800
  uint64_t policy;

  asm ("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l" (policy));
  if constexpr (sizeof (Word) == 4)
    asm volatile ("st.global.L2::cache_hint.u32 [%0], %1, %2;"
        : : "l" (to), "r" (v), "l" (policy) : "memory");
  else
    asm volatile ("st.global.L2::cache_hint.u16 [%0], %1, %2;"
        : : "l" (to), "h" ((uint16_t) v), "l" (policy) : "memory");
#else
  *to = (Word) v;
#endif
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
__launch_bounds__ (32 * kWarps)
rgb_in (const __grid_constant__ Work work)
{
  constexpr int columns = kAcross >> SUB_X;
  const int height = work.layout.plane[0].height;
  const int x = blockIdx.x * kWidth + threadIdx.x * kAcross;
  const int y = blockIdx.y * kHeight + threadIdx.y * kDown;
  uint32_t w[kDown][kAcross], uv[columns];

  if (y >= height)
    return;
  load_pixels<BYTES> (work.layout, work.src, work.aligned, x, y, w);
  BDCT_UNROLL for (int i = 0; i < kDown; i++) {
    const bool first = !SUB_Y || i % 2 == 0;
    uint32_t luma[kAcross];

    if (first && y + i >= height)
      break;
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      luma[k] = make_y (work.y, w[i][k]);
    if (first || y + i < height)
      store<uint32_t> (work.planes, BDCT_Y, x, y + i,
          permute (permute (luma[0], luma[1], 0x0062),
              permute (luma[2], luma[3], 0x0062), 0x5410));
    if (first)
      BDCT_UNROLL for (int k = 0; k < columns; k++)
        uv[k] = 0;
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      uv[k >> SUB_X] += make_uv (work, w[i][k]);
    if (first && SUB_Y)
      continue;
    BDCT_UNROLL for (int k = 0; k < columns; k++)
      uv[k] = downsample<SUB_X, SUB_Y> (uv[k], k);
    store_chroma<SUB_X> (work.planes, x, (y + i) >> SUB_Y, uv);
  }
}

#define SAMPLINGS(bytes) \
  {{(const void *) rgb_in<bytes, 0, 0>, (const void *) rgb_in<bytes, 0, 1>}, \
   {(const void *) rgb_in<bytes, 1, 0>, (const void *) rgb_in<bytes, 1, 1>}}

Kernels kernels = { SAMPLINGS (4), SAMPLINGS (3), SAMPLINGS (1) };

Factors
make_factors (const BdctRgb &rgb, int r, int g, int b)
{
  const int factor[3] = { r, g, b };
  uint16_t of[4] = { 0, 0, 0, 0 };

  for (int k = 0; k < 3; k++)
    of[find_byte (rgb, k)] = (uint16_t) factor[k];
  return { of[0] | (uint32_t) of[1] << 16, of[2] | (uint32_t) of[3] << 16 };
}

} // namespace

extern "C" cudaError_t
bdct_cuda_rgb_to_planes_launch (const BdctCudaColour *colour,
    cudaStream_t stream)
{
  const BdctRgb &rgb = colour->layout.rgb;
  Work work;

  work.layout = bdct_layout_picture (&colour->layout);
  work.src = make_planes (work.layout, colour->src, colour->src_pitch);
  work.planes = make_planes (work.layout, colour->planes, 0);
  work.y = make_factors (rgb, BDCT_COLOUR_FIX (0.29900),
      BDCT_COLOUR_FIX (0.58700), BDCT_COLOUR_FIX (0.11400));
  work.u = make_factors (rgb, BDCT_COLOUR_FIX (0.16874),
      BDCT_COLOUR_FIX (0.33126), -BDCT_COLOUR_FIX (0.50000));
  work.v = make_factors (rgb, -BDCT_COLOUR_FIX (0.50000),
      BDCT_COLOUR_FIX (0.41869), BDCT_COLOUR_FIX (0.08131));
  work.aligned = is_aligned (rgb, colour->src, colour->src_pitch);
  return launch (kernels, work.layout, bdct_layout_pictures (&colour->layout),
      work.planes.stride[BDCT_Y], &work, stream);
}
