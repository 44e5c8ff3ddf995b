/* blockdct: from R, G and B to the planes of a JPEG file, and back.
 *
 * The colours are JFIF's (T.871 clause 7: BT.601 at full range). Rounding and
 * chroma sampling are libjpeg-turbo's, so that a frame becomes, bit for bit,
 * what cjpeg and djpeg make of it with -dct int: as in jccolor.c, jcsample.c
 * and jcprepct.c forwards, and as in jdsample.c ("fancy upsampling") and
 * jdcolor.c backwards. All arithmetic is in whole numbers and works with any
 * transform in between.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_COLOUR_H
#define BDCT_COLOUR_H

#include "dct/base/compiler.h"
#include "render.h"

/* A factor with 16 fractional bits, as in both files (FIX). */
#define BDCT_COLOUR_FIX(x) ((int) ((x) * 65536 + 0.5))

/* Rounded like this, the factors of Y sum to 1, those of U and of V to 0, and
 * one factor of U and of V is 1/2: the differences of R and B to G suffice.
 * Without their whole parts all factors fit 16 bits, and so does everything
 * computed below, so that vectors have twice as many lanes. */

/* floor (f v / 2^16). */
BDCT_FORCE_INLINE int16_t
bdct_colour_high (int16_t f, int16_t v)
{
  return (int16_t) (f * v >> 16);
}

/* floor (a v / 2^16 + b w / 2^16 + 1/2), from the high halves of both
 * products. */
BDCT_FORCE_INLINE int16_t
bdct_colour_add (int16_t a, int16_t v, int16_t b, int16_t w)
{
  const uint16_t low = (uint16_t) (a * v);
  const uint16_t sum = (uint16_t) (low + (uint16_t) (b * w));

  return (int16_t) (bdct_colour_high (a, v) + bdct_colour_high (b, w)
      + (sum < low) + (sum >> 15));
}

/* Y of a pixel; all inputs and outputs are 0 to 255. jccolor.c,
 * rgb_ycc_convert: (0.299 r + 0.587 g + 0.114 b), rounded. */
BDCT_FORCE_INLINE int
bdct_colour_y (int r, int g, int b)
{
  return g + bdct_colour_add (BDCT_COLOUR_FIX (0.29900), (int16_t) (r - g),
      BDCT_COLOUR_FIX (0.11400), (int16_t) (b - g));
}

/* U, JFIF's CB: 128 + (b / 2 - 0.16874 r - 0.33126 g + 1/2 - 2^-16), rounded
 * down. As 2^-16 is the last bit of the products, this is half of b - g less
 * the product 2 * 0.16874 (r - g); product and half are each rounded down. */
BDCT_FORCE_INLINE int
bdct_colour_u (int r, int g, int b)
{
  const int16_t rest = (int16_t) (b - g
      - bdct_colour_high (BDCT_COLOUR_FIX (0.16874), (int16_t) (2 * (r - g))));

  return 128 + (rest >> 1);
}

/* V, JFIF's CR: likewise with r / 2 - 0.41869 g - 0.08131 b. */
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

/* f v / 2^16, rounded: half of the doubled product. */
BDCT_FORCE_INLINE int16_t
bdct_colour_scale (int16_t f, int v)
{
  return (int16_t) (bdct_colour_high (f, (int16_t) (2 * v)) + 1) >> 1;
}

/* R of a pixel: y + 1.402 (v - 128), the product rounded (jdcolor.c,
 * build_ycc_rgb_table, ycc_rgb_convert). */
BDCT_FORCE_INLINE int
bdct_colour_r (int y, int v)
{
  return bdct_colour_clip (y + v - 128
      + bdct_colour_scale (BDCT_COLOUR_FIX (1.40200) - 65536, v - 128));
}

/* G: y - 0.34414 (u - 128) - 0.71414 (v - 128). */
BDCT_FORCE_INLINE int
bdct_colour_g (int y, int u, int v)
{
  return bdct_colour_clip (y + 128 - v
      + bdct_colour_add (-BDCT_COLOUR_FIX (0.34414), (int16_t) (u - 128),
          65536 - BDCT_COLOUR_FIX (0.71414), (int16_t) (v - 128)));
}

/* B: y + 1.772 (u - 128). */
BDCT_FORCE_INLINE int
bdct_colour_b (int y, int u)
{
  return bdct_colour_clip (y + 2 * (u - 128)
      + bdct_colour_scale (BDCT_COLOUR_FIX (1.77200) - 131072, u - 128));
}

/* The chroma sample in column `x` from two or four pixels, `a` to `d` in row
 * order. The number added before rounding alternates across (jcsample.c,
 * h2v1_downsample and h2v2_downsample) but not down (int_downsample). Right of
 * the picture its last column repeats (expand_right_edge), also for columns of
 * chroma entirely outside. Below the picture its last row repeats, but entire
 * rows of chroma outside repeat the row of chroma above (jcprepct.c,
 * expand_bottom_edge). */
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

/* Whether a plane with this many columns, half of luma's, is upsampled by a
 * triangle filter. Narrower ones repeat each sample across and down
 * (jdsample.c, jinit_upsampler). */
static inline bool
bdct_colour_is_filtered (int width)
{
  return width > 2;
}

/* The two rows of chroma, which has `height` rows, half of luma's, that luma's
 * row `y` is interpolated from: the row that contains it and the next
 * nearest. */
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

/* 3/4 of the near sample and 1/4 of the far one: as a sample
 * (h1v2_fancy_upsample), or as a sum for the next step
 * (h2v2_fancy_upsample). */
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

/* The sample in luma's column `x`, from sums over rows or, without `sums`,
 * from a row's samples (h2v1_fancy_upsample). For an even `x`, `far` is the
 * sample left of `near`, else the one right of it; at the edges it equals
 * `near`. */
BDCT_FORCE_INLINE int
bdct_colour_between_columns (int near, int far, int x, bool sums)
{
  return sums ? (3 * near + far + ((x & 1) ? 7 : 8)) >> 4
      : (3 * near + far + ((x & 1) ? 2 : 1)) >> 2;
}

/* What the grid adds to R, G and B of an original's pixel at (x, y): the same
 * as to luma. */
BDCT_FORCE_INLINE int
bdct_colour_mark (const BdctRender *render, int x, int y, int luma)
{
  return render->grid && bdct_render_on_grid (render, x, y)
      ? bdct_render_mark (luma, 8) - luma : 0;
}

#endif
