/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion between R, G, B and planes, row by row. Built once for each
 * instruction set, like tile32.c. colour.h has the arithmetic of a sample. Here
 * are branchless loops over runs of a row, which fit the first-level cache;
 * compilers vectorize them. */
#include "colour-rows.h"

#include <string.h>
#include "dct/base/min.h"
#include "dct/picture/colour.h"

/* The columns of a run: a multiple of what bdct_colour_columns() rounds up to,
 * so that the run with the last column includes all columns after it. */
#define RUN 512

/* One channel of a run. */
typedef uint8_t Run[RUN];

static uint8_t *
row_of (const BdctImage * image, int plane, int y)
{
  return (uint8_t *) image->data[plane] + y * image->stride[plane];
}

/* Call FUNCTION (..., bytes) of pixels of more than one byte with a
 * constant. */
#define CALL(bytes, function, ...)                                            \
  ((bytes) == 3 ? function (__VA_ARGS__, 3) : function (__VA_ARGS__, 4))

/* Separate the bytes of pixels into a run each, and interleave them again. */
BDCT_FORCE_INLINE void
part (const uint8_t * restrict pixels, int n, Run * restrict byte, int bytes)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < bytes; k++)
      byte[k][i] = pixels[bytes * i + k];
}

BDCT_FORCE_INLINE void
weave (uint8_t * restrict pixels, int n, const uint8_t * const byte[4],
    int bytes)
{
  const uint8_t *of[4] = { byte[0], byte[1], byte[2], byte[3] };

  for (int i = 0; i < n; i++)
    for (int k = 0; k < bytes; k++)
      pixels[bytes * i + k] = of[k][i];
}

/* Prefetch pixels some rows below. They are on other pages, where processors'
 * own prefetching stops. */
static void
fetch (const BdctLayout * layout, const BdctImage * image, int x, int y, int n)
{
  const BdctRgb *rgb = &layout->rgb;

  for (int p = 0; p < rgb->n_planes; p++) {
    const uint8_t *row =
        row_of (image, p, bdct_min (y, layout->plane[0].height - 1))
        + (ptrdiff_t) x * rgb->bytes;

    for (int i = 0; i < n * rgb->bytes; i += 64)
      __builtin_prefetch (row + i);
  }
}

/* Read a run of an image's pixels: R, G and B, and the other byte in `byte`. */
static void
read_pixels (const BdctRgb * rgb, const BdctImage * image, int x, int y, int n,
    Run * byte, const uint8_t * of[3])
{
  const bool apart = rgb->bytes == 1;

  if (!apart)
    CALL (rgb->bytes, part, row_of (image, 0, y) + (ptrdiff_t) x * rgb->bytes,
        n, byte);
  for (int k = 0; k < 3; k++)
    of[k] = apart ? row_of (image, rgb->plane[k], y) + x
        : byte[rgb->offset[k]];
}

/* Write a run of pixels, with R, G and B from `of`. */
static void
write_pixels (const BdctRgb * rgb, const BdctImage * image, int x, int y,
    int n, Run * byte, Run * of)
{
  const uint8_t *bytes[4] = { byte[0], byte[1], byte[2], byte[3] };

  if (rgb->bytes == 1) {
    for (int k = 0; k < 3; k++)
      memcpy (row_of (image, rgb->plane[k], y) + x, of[k], n);
    return;
  }
  for (int k = 0; k < 3; k++)
    bytes[rgb->offset[k]] = of[k];
  CALL (rgb->bytes, weave, row_of (image, 0, y) + (ptrdiff_t) x * rgb->bytes,
      n, bytes);
}

static void
to_yuv (const uint8_t * const rgb[3], int n, uint8_t * restrict y,
    uint8_t * restrict u, uint8_t * restrict v)
{
  const uint8_t *r = rgb[0], *g = rgb[1], *b = rgb[2];

  for (int i = 0; i < n; i++) {
    y[i] = bdct_colour_y (r[i], g[i], b[i]);
    u[i] = bdct_colour_u (r[i], g[i], b[i]);
    v[i] = bdct_colour_v (r[i], g[i], b[i]);
  }
}

static void
to_rgb (const uint8_t * y, const uint8_t * u, const uint8_t * v, int n,
    Run * restrict rgb)
{
  for (int i = 0; i < n; i++) {
    rgb[0][i] = bdct_colour_r (y[i], v[i]);
    rgb[1][i] = bdct_colour_g (y[i], u[i], v[i]);
    rgb[2][i] = bdct_colour_b (y[i], u[i]);
  }
}

/* Chroma of `n` columns of pixels, in one row or two; `n` is even. */
static void
downsample (const uint8_t * a, const uint8_t * b, int sub_x, int sub_y, int n,
    uint8_t * restrict to)
{
  if (!sub_x)
    for (int i = 0; i < n; i++)
      to[i] = bdct_colour_down (a[i], b[i]);
  else if (!sub_y)
    for (int i = 0; i < n / 2; i++)
      to[i] = bdct_colour_across (a[2 * i], a[2 * i + 1], i);
  else
    for (int i = 0; i < n / 2; i++)
      to[i] = bdct_colour_both (a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1],
          i);
}

/* Convert a run of the rows of pixels that share a row of chroma. */
static void
rgb_to_planes_run (const BdctColour * colour, int x, int y)
{
  const BdctLayout *layout = colour->layout;
  const int sub_x = bdct_layout_sub_x (layout, BDCT_U);
  const int sub_y = bdct_layout_sub_y (layout, BDCT_U);
  const int width = bdct_min (layout->plane[0].width - x, RUN);
  const int columns = bdct_min (bdct_colour_columns (layout, 0) - x, RUN);
  const int last = layout->plane[0].height - 1;
  Run byte[4], rgb[3], u[2], v[2];

  for (int i = 0; i <= sub_y && y + i <= last; i++) {
    const uint8_t *of[3];

    fetch (layout, &colour->src, x, y + i + 1 + sub_y, width);
    read_pixels (&layout->rgb, &colour->src, x, y + i, width, byte, of);
    for (int k = 0; k < 3 && width < columns; k++) {
      memmove (rgb[k], of[k], width);
      memset (rgb[k] + width, of[k][width - 1], columns - width);
      of[k] = rgb[k];
    }
    to_yuv (of, columns, row_of (&colour->planes, 0, y + i) + x, u[i], v[i]);
  }
  if (sub_y && y == last) {
    memcpy (u[1], u[0], columns);
    memcpy (v[1], v[0], columns);
  }
  for (int c = BDCT_U; c <= BDCT_V; c++) {
    Run *rows = c == BDCT_U ? u : v;
    uint8_t *to = row_of (&colour->planes, c, y >> sub_y) + (x >> sub_x);

    if (sub_x || sub_y)
      downsample (rows[0], rows[1], sub_x, sub_y, columns, to);
    else
      memcpy (to, rows[0], columns);
  }
}

static void
rgb_to_planes (const BdctColour * colour, int strip)
{
  const BdctPlaneLayout *luma = &colour->layout->plane[0];
  const int step = 1 << bdct_layout_sub_y (colour->layout, BDCT_U);
  const int y0 = strip * BDCT_COLOUR_STRIP;

  for (int y = y0; y < bdct_min (y0 + BDCT_COLOUR_STRIP, luma->height);
      y += step)
    for (int x = 0; x < luma->width; x += RUN)
      rgb_to_planes_run (colour, x, y);
}

/* Sums of rows of chroma, or one row, from the column before the run's first to
 * the column after its last; the picture's border columns repeat. */
static void
sum_rows (const uint8_t * near, const uint8_t * far, bool sums, int x, int n,
    int width, int16_t * restrict to)
{
  const int from = x > 0 ? -1 : 0, end = bdct_min (n + 1, width - x);

  if (sums)
    for (int i = from; i < end; i++)
      to[1 + i] = bdct_colour_sum (near[x + i], far[x + i]);
  else
    for (int i = from; i < end; i++)
      to[1 + i] = near[x + i];
  if (x == 0)
    to[0] = sums ? bdct_colour_sum (*near, *far) : *near;
  for (int i = end; i <= n; i++)
    to[1 + i] = to[end];
}

BDCT_FORCE_INLINE void
spread (const int16_t * sum, int n, uint8_t * restrict to, bool sums)
{
  for (int i = 0; i < n; i++) {
    to[2 * i] = bdct_colour_between_columns (sum[1 + i], sum[i], 0, sums);
    to[2 * i + 1] = bdct_colour_between_columns (sum[1 + i], sum[2 + i], 1,
        sums);
  }
}

/* Chroma for a run of pixels: in its plane, or interpolated into `to`. */
static const uint8_t *
upsample (const BdctLayout * layout, const BdctImage * image, int c, int x,
    int y, int n, uint8_t * restrict to)
{
  const BdctPlaneLayout *plane = &layout->plane[c];
  const int sub_x = bdct_layout_sub_x (layout, c);
  const int sub_y = bdct_layout_sub_y (layout, c);
  const uint8_t *near, *far;
  int16_t sum[RUN / 2 + 2];

  if (!sub_y)
    near = far = row_of (image, c, y);
  else {
    near = row_of (image, c, bdct_colour_near (y));
    far = row_of (image, c, bdct_colour_far (y, plane->height));
  }
  if (!sub_x && !sub_y)
    return near + x;
  if (!sub_x) {
    for (int i = 0; i < n; i++)
      to[i] = bdct_colour_between_rows (near[x + i], far[x + i], y);
  } else if (!bdct_colour_is_filtered (plane->width)) {
    for (int i = 0; i < n; i++)
      to[i] = near[i >> 1];
  } else {
    sum_rows (near, far, sub_y, x / 2, (n + 1) / 2, plane->width, sum);
    if (sub_y)
      spread (sum, (n + 1) / 2, to, true);
    else
      spread (sum, (n + 1) / 2, to, false);
  }
  return to;
}

/* R, G and B of a run of an image of planes. */
static void
make_pixels (const BdctLayout * layout, const BdctImage * image, int x, int y,
    int n, Run * rgb)
{
  Run u, v;

  to_rgb (row_of (image, 0, y) + x, upsample (layout, image, BDCT_U, x, y, n,
          u), upsample (layout, image, BDCT_V, x, y, n, v), n, rgb);
}

static uint32_t
square (const uint8_t * a, const uint8_t * b, int n)
{
  uint32_t sum = 0;

  for (int i = 0; i < n; i++) {
    int16_t e = a[i] - b[i];

    sum += e * e;
  }
  return sum;
}

/* A view of the original shows its own bytes. */
static void
show_original (const BdctColour * colour, int x, int y, int n, Run * rgb)
{
  const BdctRgb *format = &colour->layout->rgb;

  for (int i = 0; i < n; i++) {
    int v[3], mark;

    for (int k = 0; k < 3; k++)
      v[k] = row_of (&colour->src, format->plane[k], y)
          [(ptrdiff_t) (x + i) * format->bytes + format->offset[k]];
    mark = bdct_colour_mark (colour->render, x + i, y,
        bdct_colour_y (v[0], v[1], v[2]));
    for (int k = 0; k < 3; k++)
      rgb[k][i] = bdct_colour_clip (v[k] + mark);
  }
}

static void
planes_to_rgb_run (const BdctColour * colour, int x, int y, uint64_t sse[3])
{
  const BdctLayout *layout = colour->layout;
  const int n = bdct_min (layout->plane[0].width - x, RUN);
  const uint8_t *of[3];
  Run byte[4], rgb[3];

  if (sse != NULL || layout->rgb.bytes == 4) {
    fetch (layout, &colour->src, x, y + 1, n);
    read_pixels (&layout->rgb, &colour->src, x, y, n, byte, of);
  }
  fetch (layout, &colour->dst, x, y + 1, n);
  make_pixels (layout, &colour->rec, x, y, n, rgb);
  for (int k = 0; sse != NULL && k < 3; k++)
    sse[k] += square (of[k], rgb[k], n);
  if (colour->render != NULL && colour->render->mode == BDCT_VIEW_ORIGINAL)
    show_original (colour, x, y, n, rgb);
  else if (colour->render != NULL)
    make_pixels (layout, &colour->shown, x, y, n, rgb);
  write_pixels (&layout->rgb, &colour->dst, x, y, n, byte, rgb);
}

static void
planes_to_rgb (const BdctColour * colour, int strip, uint64_t sse[3])
{
  const BdctPlaneLayout *luma = &colour->layout->plane[0];
  const int y0 = strip * BDCT_COLOUR_STRIP;

  for (int y = y0; y < bdct_min (y0 + BDCT_COLOUR_STRIP, luma->height); y++)
    for (int x = 0; x < luma->width; x += RUN)
      planes_to_rgb_run (colour, x, y, sse);
}

const BdctColourKernel BDCT_CONCAT (bdct_colour_, BDCT_ISA) = {
  .rgb_to_planes = rgb_to_planes,
  .planes_to_rgb = planes_to_rgb,
};
