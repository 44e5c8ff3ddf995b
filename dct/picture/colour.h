/* blockdct: from R, G and B to the planes of a JPEG file, and back.
 *
 * The colours are JFIF's (T.871 clause 7: BT.601 at full range). How they are
 * rounded, and how chroma is sampled, is libjpeg-turbo's, so that a frame
 * becomes, bit for bit, what cjpeg and djpeg make of it with -dct int: as
 * jccolor.c, jcsample.c and jcprepct.c have it on the way there, jdsample.c
 * ("fancy upsampling") and jdcolor.c on the way back. All in whole numbers, for
 * any transform in between.
 *
 * Plain C, which is also CUDA.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COLOUR_H
#define BDCT_COLOUR_H

#include "dct/base/compiler.h"
#include "render.h"

/* A factor with 16 bits behind the point, as both files have it (FIX). */
#define BDCT_COLOUR_FIX(x) ((int) ((x) * 65536 + 0.5))

/* As so rounded, the factors of Y add up to 1, those of U and of V to 0, and of
 * the latter one is 1/2: differences of R and B to G are enough. What is left
 * of all factors, once whole numbers are taken off, fits 16 bits, and so does
 * all that follows: a vector then has twice as many. */

/* floor (f v / 2^16). */
BDCT_FORCE_INLINE int16_t
bdct_colour_high (int16_t f, int16_t v)
{
  return (int16_t) (f * v >> 16);
}

/* floor (a v / 2^16 + b w / 2^16 + 1/2), from the halves of both products. */
BDCT_FORCE_INLINE int16_t
bdct_colour_add (int16_t a, int16_t v, int16_t b, int16_t w)
{
  const uint16_t low = (uint16_t) (a * v);
  const uint16_t sum = (uint16_t) (low + (uint16_t) (b * w));

  return (int16_t) (bdct_colour_high (a, v) + bdct_colour_high (b, w)
      + (sum < low) + (sum >> 15));
}

/** Y of a pixel; all that goes in and comes out is 0 to 255. jccolor.c,
 * rgb_ycc_convert: (0.299 r + 0.587 g + 0.114 b), rounded. */
BDCT_FORCE_INLINE int
bdct_colour_y (int r, int g, int b)
{
  return g + bdct_colour_add (BDCT_COLOUR_FIX (0.29900), (int16_t) (r - g),
      BDCT_COLOUR_FIX (0.11400), (int16_t) (b - g));
}

/** U, JFIF's CB: 128 + (b / 2 - 0.16874 r - 0.33126 g + 1/2 - 2^-16), rounded
 * down. As 2^-16 is the last bit of the products, that is half of what is left
 * of b - g by 2 * 0.16874 (r - g), this rounded down. */
BDCT_FORCE_INLINE int
bdct_colour_u (int r, int g, int b)
{
  const int16_t rest = (int16_t) (b - g
      - bdct_colour_high (BDCT_COLOUR_FIX (0.16874), (int16_t) (2 * (r - g))));

  return 128 + (rest >> 1);
}

/** V, JFIF's CR: the same with r / 2 - 0.41869 g - 0.08131 b. */
BDCT_FORCE_INLINE int
bdct_colour_v (int r, int g, int b)
{
  const int16_t rest = (int16_t) (r - g
      - bdct_colour_high (BDCT_COLOUR_FIX (0.08131), (int16_t) (2 * (b - g))));

  return 128 + (rest >> 1);
}

BDCT_FORCE_INLINE int
bdct_colour_clip (int v)
{
  const int16_t word = (int16_t) v;

  return word < 0 ? 0 : word > 255 ? 255 : word;
}

/* f v / 2^16, rounded: half of twice as much. */
BDCT_FORCE_INLINE int16_t
bdct_colour_scale (int16_t f, int v)
{
  return (int16_t) (bdct_colour_high (f, (int16_t) (2 * v)) + 1) >> 1;
}

/** R of a pixel: y + 1.402 (v - 128), the product rounded (jdcolor.c,
 * build_ycc_rgb_table, ycc_rgb_convert). */
BDCT_FORCE_INLINE int
bdct_colour_r (int y, int v)
{
  return bdct_colour_clip (y + v - 128
      + bdct_colour_scale (BDCT_COLOUR_FIX (1.40200) - 65536, v - 128));
}

/** G: y - 0.34414 (u - 128) - 0.71414 (v - 128). */
BDCT_FORCE_INLINE int
bdct_colour_g (int y, int u, int v)
{
  return bdct_colour_clip (y + 128 - v
      + bdct_colour_add (-BDCT_COLOUR_FIX (0.34414), (int16_t) (u - 128),
          65536 - BDCT_COLOUR_FIX (0.71414), (int16_t) (v - 128)));
}

/** B: y + 1.772 (u - 128). */
BDCT_FORCE_INLINE int
bdct_colour_b (int y, int u)
{
  return bdct_colour_clip (y + 2 * (u - 128)
      + bdct_colour_scale (BDCT_COLOUR_FIX (1.77200) - 131072, u - 128));
}

/** The chroma sample in column `x` of two or four pixels, `a` to `d` in the
 * order of rows. What is added before the rounding alternates across
 * (jcsample.c, h2v1_downsample and h2v2_downsample), but not down
 * (int_downsample). Beside the picture the pixels' last column repeats
 * (expand_right_edge), also for columns of chroma that have nothing of the
 * picture; below it their last row, but for whole rows of chroma the one above
 * (jcprepct.c, expand_bottom_edge). */
BDCT_FORCE_INLINE int
bdct_colour_across (int a, int b, int x)
{
  return (a + b + (x & 1)) >> 1;
}

BDCT_FORCE_INLINE int
bdct_colour_down (int a, int b)
{
  return (a + b + 1) >> 1;
}

BDCT_FORCE_INLINE int
bdct_colour_both (int a, int b, int c, int d, int x)
{
  return (a + b + c + d + 1 + (x & 1)) >> 2;
}

/** Whether a plane of this many columns, half as many as luma's, is upsampled
 * by a triangle filter: narrower ones have each sample twice, across and down
 * (jdsample.c, jinit_upsampler). */
static inline bool
bdct_colour_is_filtered (int width)
{
  return width > 2;
}

/** The rows of chroma that luma's row `y` is made of, where chroma has `height`
 * of them, half as many: the one it is in, and the one it is next to. */
BDCT_FORCE_INLINE int
bdct_colour_near (int y)
{
  return y >> 1;
}

BDCT_FORCE_INLINE int
bdct_colour_far (int y, int height)
{
  const int far = (y >> 1) + ((y & 1) ? 1 : -1);

  return far < 0 ? 0 : far >= height ? height - 1 : far;
}

/** A sample of both, 3 parts and 1, as it is (h1v2_fancy_upsample), or, as a
 * sum, what goes into the next step (h2v2_fancy_upsample). */
BDCT_FORCE_INLINE int
bdct_colour_sum (int near, int far)
{
  return 3 * near + far;
}

BDCT_FORCE_INLINE int
bdct_colour_between_rows (int near, int far, int y)
{
  return (bdct_colour_sum (near, far) + ((y & 1) ? 2 : 1)) >> 2;
}

/** The sample in luma's column `x` of sums over rows or, without, of a row's
 * samples (h2v1_fancy_upsample): `far` is the one in the column to the left of
 * the near one for an even `x`, else the one to the right; at the edges it is
 * the near one. */
BDCT_FORCE_INLINE int
bdct_colour_between_columns (int near, int far, int x, bool sums)
{
  return sums ? (3 * near + far + ((x & 1) ? 7 : 8)) >> 4
      : (3 * near + far + ((x & 1) ? 2 : 1)) >> 2;
}

/** What the grid adds to R, G and B of an original's pixel at (x, y): as much
 * as to luma. */
BDCT_FORCE_INLINE int
bdct_colour_mark (const BdctRender *render, int x, int y, int luma)
{
  return render->grid && bdct_render_on_grid (render, x, y)
      ? bdct_render_mark (luma, 8) - luma : 0;
}

#endif
