/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From planes to R, G and B, whose errors are added up. A chroma sample at a
 * pixel's position is a sum of products of bytes: of the columns in a word, of
 * one or two rows. It is 16 times as large until it becomes a colour. */
#include "colour.cuh"

namespace {

/* How chroma for 4 adjacent pixels is interpolated from words of its
 * columns. */
struct Upsampling
{
  uint32_t near[kAcross];       /* factors of the row that contains the
                                   pixels */
  uint32_t far[kAcross];        /* factors of the next nearest row */
  int32_t add[2];               /* rounding: by the pixel's column where
                                   chroma is half as wide, else by its row */
};

/* A kernel's parameter. */
struct Work
{
  BdctLayout layout;
  Planes src, dst;              /* pixels */
  Planes rec, shown;
  BdctRender render;            /* positions of a view */
  BdctCudaAccumulator *accumulators;
  unsigned long long (*sums)[3]; /* of each picture, instead */
  Upsampling upsampling;
  uint32_t order;               /* selects a pixel from R, G, B and 0, and
                                   the input's pixel */
  int32_t byte[3];              /* position of R, G and B in a pixel */
  int32_t aligned;
};

/* Pixels */

template <int BYTES> BDCT_INLINE void
store_pixel (const BdctRgb &rgb, const Planes &image, int x, int y,
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

/* Transpose words with one byte of each kind into a word of each kind. */
BDCT_INLINE void
transpose (const uint32_t w[kAcross], uint32_t of[4])
{
  const uint32_t a = permute (w[0], w[1], 0x5140);
  const uint32_t b = permute (w[2], w[3], 0x5140);
  const uint32_t c = permute (w[0], w[1], 0x7362);
  const uint32_t d = permute (w[2], w[3], 0x7362);

  of[0] = permute (a, b, 0x5410);
  of[1] = permute (a, b, 0x7632);
  of[2] = permute (c, d, 0x5410);
  of[3] = permute (c, d, 0x7632);
}

template <int BYTES> BDCT_INLINE void
store_words (const BdctRgb &rgb, const Planes &image, int x, int y,
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
    uint32_t of[4];

    transpose (w, of);
    BDCT_UNROLL for (int k = 0; k < 3; k++)
      __stcs ((uint32_t *) at (image, rgb.plane[k], x, y), of[k]);
  }
}

template <int BYTES> BDCT_INLINE void
store_pixels (const Work &work, int x, int y,
    const uint32_t w[kDown][kAcross])
{
  const BdctRgb &rgb = work.layout.rgb;
  const BdctPlaneLayout &luma = work.layout.plane[0];

  if (work.aligned && x + kAcross <= luma.width) {
    BDCT_UNROLL for (int i = 0; i < kDown; i++)
      if (y + i < luma.height)
        store_words<BYTES> (rgb, work.dst, x, y + i, w[i]);
    return;
  }
  BDCT_UNROLL for (int i = 0; i < kDown; i++)
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      if (x + k < luma.width && y + i < luma.height)
        store_pixel<BYTES> (rgb, work.dst, x + k, y + i, w[i][k]);
}

/* Colours */

/* R, G and B in this order, from Y, 16 U and 16 V: bdct_colour_r(), _g() and
 * _b(), with all bits of the factors. */
BDCT_INLINE uint32_t
make_rgb (int y, int u, int v)
{
  constexpr int rv = BDCT_COLOUR_FIX (1.40200), bu = BDCT_COLOUR_FIX (1.77200);
  constexpr int gu = BDCT_COLOUR_FIX (0.34414), gv = BDCT_COLOUR_FIX (0.71414);
  constexpr int half = 1 << 15;

  return pack_bytes (y + ((rv * v + 16 * (half - 128 * rv)) >> 20),
      y + ((16 * (half + 128 * (gu + gv)) - gu * u - gv * v) >> 20),
      pack_bytes (y + ((bu * u + 16 * (half - 128 * bu)) >> 20), 0, 0));
}

/* The columns of chroma for a thread's pixels. Where chroma is half as wide,
 * these are two columns and one on either side, or the next one again where
 * there is none, from two words. */
template <int SUB_X> struct Columns
{
  int first;                    /* the first that is loaded */
  uint32_t pick;                /* selects the columns */

  BDCT_INLINE Columns (int x, int width)
  {
    const int column = x >> SUB_X, left = (column - 1) & 3;
    const int last = left + width - column;

    first = SUB_X ? column - 1 - left : column;
    pick = (column > 0 ? left : left + 1) | (left + 1) << 4
        | min (left + 2, last) << 8 | min (left + 3, last) << 12;
  }

  BDCT_INLINE uint32_t
  load (const Planes &planes, int plane, int y) const
  {
    const uint32_t *words = (const uint32_t *) at (planes, plane, first, y);

    return SUB_X ? permute (words[0], words[1], pick) : words[0];
  }
};

/* The samples for a thread's pixels: luma, and rows of chroma, with SUB_Y from
 * the row above to the row below. */
template <int SUB_X, int SUB_Y> struct Samples
{
  static constexpr int rows = SUB_Y ? kDown / 2 + 2 : kDown;

  uint32_t luma[kDown], u[rows], v[rows];

  BDCT_INLINE
  Samples (const BdctLayout &layout, const Planes &planes, int x, int y)
  {
    const int height = layout.plane[BDCT_U].height;
    const Columns<SUB_X> columns (x, layout.plane[BDCT_U].width);

    BDCT_UNROLL for (int i = 0; i < kDown; i++)
      luma[i] = *(const uint32_t *) at (planes, BDCT_Y, x,
          min (y + i, layout.plane[BDCT_Y].height - 1));
    BDCT_UNROLL for (int i = 0; i < rows; i++) {
      const int row = min (max ((y >> SUB_Y) + i - SUB_Y, 0), height - 1);

      u[i] = columns.load (planes, BDCT_U, row);
      v[i] = columns.load (planes, BDCT_V, row);
    }
  }

  /* 16 times the sample at pixel `k` of row `i`. */
  static BDCT_INLINE int
  upsample (const Upsampling &up, const uint32_t *row, int i, int k)
  {
    const int add = SUB_X ? up.add[k & 1] : up.add[i & 1];
    const int near = __dp4a (row[SUB_Y ? 1 + i / 2 : i], up.near[k],
        (uint32_t) add);

    if (!SUB_X && !SUB_Y)
      return near;
    return (SUB_Y ? __dp4a (row[i / 2 + (i & 1) * 2], up.far[k],
            (uint32_t) near) : near) & 0xff0;
  }

  /* R, G and B of row `i`. */
  BDCT_INLINE void
  make_pixels (const Upsampling &up, int i, uint32_t rgb[kAcross]) const
  {
    BDCT_UNROLL for (int k = 0; k < kAcross; k++)
      rgb[k] = make_rgb (permute (luma[i], 0, 0x4440 + k),
          upsample (up, u, i, k), upsample (up, v, i, k));
  }
};

/* A view of the original shows its own bytes. */
template <int BYTES> BDCT_INLINE void
show_original (const Work &work, int x, int y, uint32_t *rgb)
{
  uint32_t w;
  int v[3], mark;

  if (work.render.mode != BDCT_VIEW_ORIGINAL)
    return;
  w = load_pixel<BYTES> (work.layout.rgb, work.src, x, y);
  BDCT_UNROLL for (int k = 0; k < 3; k++)
    v[k] = w >> 8 * work.byte[k] & 0xff;
  mark = bdct_colour_mark (&work.render, x, y,
      bdct_colour_y (v[0], v[1], v[2]));
  *rgb = pack_bytes (v[0] + mark, v[1] + mark, pack_bytes (v[2] + mark, 0, 0));
}

/* Add the squared errors of 4 pixels, by byte. */
BDCT_INLINE void
add_errors (const uint32_t error[kAcross], uint32_t sse[4])
{
  uint32_t of[4];

  transpose (error, of);
  BDCT_UNROLL for (int b = 0; b < 4; b++)
    sse[b] = __dp4a (of[b], of[b], sse[b]);
}

/* Add a thread block's errors to the frame's. */
BDCT_INLINE void
flush (const Work &work, const uint32_t sse[4])
{
  __shared__ uint32_t sums[kWarps][4];

  BDCT_UNROLL for (int b = 0; b < 4; b++) {
    const uint32_t sum = add_lanes (sse[b]);

    if (threadIdx.x == 0)
      sums[threadIdx.y][b] = sum;
  }
  __syncthreads ();
  if (work.accumulators != nullptr && threadIdx.y == 0 && threadIdx.x < 3) {
    const int k = threadIdx.x;
    uint32_t sum = 0;

    BDCT_UNROLL for (int i = 0; i < kWarps; i++)
      sum += sums[i][work.byte[k]];
    atomicAdd (work.sums != nullptr ? &work.sums[blockIdx.z][k]
        : &work.accumulators[(blockIdx.y * gridDim.x + blockIdx.x)
            % BDCT_CUDA_ACCUMULATORS].rgb_sse[k], (unsigned long long) sum);
  }
}

/* VIEWED: a view is shown. */
template <int BYTES, int SUB_X, int SUB_Y, bool VIEWED> __global__ void
__launch_bounds__ (32 * kWarps)
rgb_out (const __grid_constant__ Work work)
{
  const BdctPlaneLayout &luma = work.layout.plane[0];
  const int x = blockIdx.x * kWidth + threadIdx.x * kAcross;
  const int y = blockIdx.y * kHeight + threadIdx.y * kDown;
  uint32_t sse[4] = { 0, 0, 0, 0 };

  if (x < luma.width && y < luma.height) {
    uint32_t w[kDown][kAcross];

    /* These loads take the longest. */
    load_pixels<BYTES> (work.layout, work.src, work.aligned, x, y, w);
    const Samples<SUB_X, SUB_Y> rec (work.layout, work.rec, x, y);

    BDCT_UNROLL for (int i = 0; i < kDown; i++) {
      uint32_t rgb[kAcross], error[kAcross];

      if (y + i >= luma.height)
        break;
      rec.make_pixels (work.upsampling, i, rgb);
      BDCT_UNROLL for (int k = 0; k < kAcross; k++) {
        rgb[k] = permute (rgb[k], w[i][k], work.order);
        error[k] = __vabsdiffu4 (rgb[k], w[i][k]);
        if (!VIEWED)
          w[i][k] = rgb[k];
      }
      if (x + kAcross > luma.width)
        BDCT_UNROLL for (int k = 1; k < kAcross; k++)
          error[k] = x + k < luma.width ? error[k] : 0;
      add_errors (error, sse);
    }
    if constexpr (VIEWED) {
      const Samples<SUB_X, SUB_Y> shown (work.layout, work.shown, x, y);

      BDCT_UNROLL for (int i = 0; i < kDown; i++) {
        uint32_t rgb[kAcross];

        shown.make_pixels (work.upsampling, i, rgb);
        BDCT_UNROLL for (int k = 0; k < kAcross; k++) {
          if (x + k < luma.width && y + i < luma.height)
            show_original<BYTES> (work, x + k, y + i, &rgb[k]);
          w[i][k] = permute (rgb[k], w[i][k], work.order);
        }
      }
    }
    store_pixels<BYTES> (work, x, y, w);
  }
  flush (work, sse);
}

#define SAMPLINGS(bytes, viewed) \
  {{(const void *) rgb_out<bytes, 0, 0, viewed>, \
    (const void *) rgb_out<bytes, 0, 1, viewed>}, \
   {(const void *) rgb_out<bytes, 1, 0, viewed>, \
    (const void *) rgb_out<bytes, 1, 1, viewed>}}

Kernels plain = {
  SAMPLINGS (4, false), SAMPLINGS (3, false), SAMPLINGS (1, false)
};
Kernels viewed = {
  SAMPLINGS (4, true), SAMPLINGS (3, true), SAMPLINGS (1, true)
};

/* bdct_colour_sum(), _between_rows() and _between_columns(); or the same sample
 * for all pixels that it covers. */
Upsampling
make_upsampling (const BdctLayout &layout)
{
  const int sub_x = bdct_layout_sub_x (&layout, BDCT_U);
  const int sub_y = bdct_layout_sub_y (&layout, BDCT_U);
  const bool filtered = !sub_x
      || bdct_colour_is_filtered (layout.plane[BDCT_U].width);
  Upsampling up;

  for (int k = 0; k < kAcross; k++) {
    /* Factors of a row's columns, in quarters. The word's first column is the
     * one left of the pixels. */
    const int here = sub_x ? 1 + k / 2 : k;
    const int neighbour = here + (k & 1 ? 1 : -1);
    const uint32_t row = !filtered || !sub_x ? 4u << 8 * here
        : 3u << 8 * here | 1u << 8 * neighbour;

    up.near[k] = row * (!filtered || !sub_y ? 4 : 3);
    up.far[k] = filtered && sub_y ? row : 0;
  }
  for (int i = 0; i < 2; i++)
    up.add[i] = !filtered || (!sub_x && !sub_y) ? 0
        : sub_x && sub_y ? 8 - i : 4 + 4 * i;
  return up;
}

} // namespace

extern "C" cudaError_t
bdct_cuda_planes_to_rgb_launch (const BdctCudaColour *colour,
    const BdctRender *render, cudaStream_t stream)
{
  const BdctRgb &rgb = colour->layout.rgb;
  Work work;

  work.layout = bdct_layout_picture (&colour->layout);
  work.src = make_planes (work.layout, colour->src, colour->src_pitch);
  work.dst = make_planes (work.layout, colour->dst, colour->dst_pitch);
  work.rec = make_planes (work.layout, colour->rec, 0);
  work.shown = make_planes (work.layout, colour->shown, 0);
  if (render != nullptr)
    work.render = *render;
  work.accumulators = colour->accumulators;
  work.sums = colour->sums;
  work.upsampling = make_upsampling (work.layout);
  work.order = 0x7654;
  for (int k = 0; k < 3; k++) {
    work.byte[k] = find_byte (rgb, k);
    work.order = (work.order & ~(15u << 4 * work.byte[k]))
        | k << 4 * work.byte[k];
  }
  work.aligned = is_aligned (rgb, colour->src, colour->src_pitch)
      && is_aligned (rgb, colour->dst, colour->dst_pitch);
  return launch (render != nullptr ? viewed : plain, work.layout,
      bdct_layout_pictures (&colour->layout), work.layout.plane[0].width, &work,
      stream);
}
