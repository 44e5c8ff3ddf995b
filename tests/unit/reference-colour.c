/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reference-colour.h"

/* A factor with 16 bits behind the point. */
#define FIX(x) ((int) ((x) * 65536 + 0.5))
#define HALF 32768

static int
clamp (int v, int most)
{
  return v < 0 ? 0 : v > most ? most : v;
}

uint8_t *
ref_colour_byte (const BdctLayout * layout, const BdctImage * image, int x,
    int y, int k)
{
  const BdctRgb *rgb = &layout->rgb;
  const int p = rgb->plane[k % 3], byte = k < 3 ? rgb->offset[k]
      : 6 - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];

  return (uint8_t *) image->data[p] + y * image->stride[p] + x * rgb->bytes
      + byte;
}

/* A component of a pixel, before chroma is sampled. */
static int
component_of (const BdctLayout * layout, const BdctImage * image, int c, int x,
    int y)
{
  const int r = *ref_colour_byte (layout, image, x, y, 0);
  const int g = *ref_colour_byte (layout, image, x, y, 1);
  const int b = *ref_colour_byte (layout, image, x, y, 2);

  if (c == BDCT_Y)
    return (FIX (0.299) * r + FIX (0.587) * g + FIX (0.114) * b + HALF) >> 16;
  if (c == BDCT_U)
    return ((128 << 16) - FIX (0.16874) * r - FIX (0.33126) * g
        + FIX (0.5) * b + HALF - 1) >> 16;
  return ((128 << 16) + FIX (0.5) * r - FIX (0.41869) * g
      - FIX (0.08131) * b + HALF - 1) >> 16;
}

void
ref_picture_sides (const BdctLayout * layout, RefPicture * picture)
{
  *picture = (RefPicture) { 0 };
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      picture->width[layout->plane[p].component[i]] = layout->plane[p].width;
      picture->height[layout->plane[p].component[i]] = layout->plane[p].height;
    }
}

void
ref_colour_split (const BdctLayout * layout, const BdctImage * image,
    int unit, RefPicture * planes)
{
  const int last_x = layout->plane[0].width - 1;
  const int last_y = layout->plane[0].height - 1;

  ref_picture_sides (layout, planes);
  for (int c = 0; c < 3; c++) {
    const int across = ref_sub_x (layout->chroma, c);
    const int down = ref_sub_y (layout->chroma, c);
    const int n_x = 1 + across, n_y = 1 + down;

    planes->width[c] = (planes->width[c] + unit - 1) / unit * unit;
    planes->sample[c] = malloc ((size_t) planes->width[c] * planes->height[c]
        * sizeof (int));
    for (int y = 0; y < planes->height[c]; y++)
      for (int x = 0; x < planes->width[c]; x++) {
        /* h2v2_downsample adds 1 and 2 in turn, h2v1_downsample 0 and 1, and
         * int_downsample, which has the rows alone, half. */
        int sum = across ? down + x % 2 : down;

        for (int i = 0; i < n_x * n_y; i++)
          sum += component_of (layout, image, c,
              clamp (x * n_x + i % n_x, last_x), clamp (y * n_y + i / n_x,
                  last_y));
        planes->sample[c][y * planes->width[c] + x] = sum / (n_x * n_y);
      }
  }
}

static int
at (const RefPicture * planes, int c, int x, int y)
{
  x = clamp (x, planes->width[c] - 1);
  y = clamp (y, planes->height[c] - 1);
  return planes->sample[c][y * planes->width[c] + x];
}

/* A component at luma's (x, y): three parts of the nearest sample and one of
 * the next nearest, down and across ("fancy upsampling"). */
static int
component_at (const BdctLayout * layout, const RefPicture * planes, int c,
    int x, int y)
{
  const int across = ref_sub_x (layout->chroma, c);
  const int down = ref_sub_y (layout->chroma, c);
  const int cx = across ? x / 2 : x, cy = down ? y / 2 : y;
  const int other_x = x % 2 ? cx + 1 : cx - 1;
  const int other_y = y % 2 ? cy + 1 : cy - 1;

  /* jinit_upsampler has no filter for two columns of chroma or one. */
  if (across && planes->width[c] <= 2)
    return at (planes, c, cx, cy);
  if (across && down)
    return (3 * (3 * at (planes, c, cx, cy) + at (planes, c, cx, other_y))
        + 3 * at (planes, c, other_x, cy) + at (planes, c, other_x, other_y)
        + (x % 2 ? 7 : 8)) / 16;
  if (across)
    return (3 * at (planes, c, cx, cy) + at (planes, c, other_x, cy)
        + (x % 2 ? 2 : 1)) / 4;
  if (down)
    return (3 * at (planes, c, cx, cy) + at (planes, c, cx, other_y)
        + (y % 2 ? 2 : 1)) / 4;
  return at (planes, c, cx, cy);
}

void
ref_colour_join (const BdctLayout * layout, const RefPicture * planes, int x,
    int y, int rgb[3])
{
  const int luma = at (planes, BDCT_Y, x, y);
  const int u = component_at (layout, planes, BDCT_U, x, y) - 128;
  const int v = component_at (layout, planes, BDCT_V, x, y) - 128;

  /* Shifts round down, below 0 too. */
  rgb[0] = luma + ((FIX (1.402) * v + HALF) >> 16);
  rgb[1] = luma + ((-FIX (0.34414) * u - FIX (0.71414) * v + HALF) >> 16);
  rgb[2] = luma + ((FIX (1.772) * u + HALF) >> 16);
  for (int k = 0; k < 3; k++)
    rgb[k] = clamp (rgb[k], 255);
}
