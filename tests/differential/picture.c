/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANARY 0xa5

void *
allocate (size_t size)
{
  void *memory = calloc (1, size > 0 ? size : 1);

  if (memory == NULL) {
    fprintf (stderr, "no memory for %zu bytes\n", size);
    exit (2);
  }
  return memory;
}

int
clamp (int v, int min, int max)
{
  return v < min ? min : v > max ? max : v;
}

/* A number from 0 to 2^32 - 1 of a place. */
static uint32_t
hash (uint32_t seed, int x, int y)
{
  uint64_t state = (uint64_t) seed << 32 ^ (uint64_t) y << 16 ^ (unsigned) x;

  return random_next (&state) >> 32;
}

enum { FLAT, GRADIENT, NOISE, EXTREME, CHECKER, EDGES, TEXT, SPARSE, MIXED,
  BASIS
};

static int
get_sample (int content, uint32_t seed, int x, int y, int peak)
{
  const uint32_t own = hash (seed, -1, -1), here = hash (seed, x, y);
  const int base = own % (peak + 1), slope = 1 + (own >> 4) % 9;

  switch (content) {
    case FLAT:
      return base;
    case GRADIENT:
      return (base + (x * slope + y * (10 - slope)) / 4 + here % 4) & peak;
    case NOISE:                /* above the peak, too */
      return here & 0x10000 ? here & 0xffff : here & peak;
    case EXTREME:
      return here & 1 ? peak : 0;
    case CHECKER:
      return (x ^ y) & 1 ? peak : 0;
    case EDGES:
      return (x * slope + y * (10 - slope)) / (20 + own % 200) & 1 ? base
          : peak - base;
    case TEXT:
      return hash (seed, x / 6, y / 10) >> (x % 6 + y % 10 / 2 * 6) & 1
          ? peak / 8 : peak - peak / 8;
    case SPARSE:
      return here % 97 == 0 ? (int) (here >> 16) & peak : base;
    default:                   /* one of these for each square */
      return get_sample (hash (seed, ~(x / 48), ~(y / 48)) % MIXED, seed, x, y,
          peak);
  }
}

/* The sign patterns of all basis functions between 0 and the peak, block after
 * block of so many samples, which drive sums to their ends. */
static int
get_basis (int size, uint32_t seed, int x, int y, int peak)
{
  const int u = (x / size + seed) % size, v = (y / size + seed / 7) % size;
  const double sign = cos ((2 * (x % size) + 1) * u * M_PI / (2 * size))
      * cos ((2 * (y % size) + 1) * v * M_PI / (2 * size));

  return (sign > 0) == (seed & 1) ? peak : 0;
}

static int
get_distorted (const int *value, int distortion, int channel, int x, int y,
    int peak)
{
  const int content = (value[CONTENT] + (distortion == OTHER_CONTENT ? 1 : 0))
      % (BASIS + 1);
  const uint32_t seed = value[SEED] * 8 + channel
      + (distortion >= OTHER_SEED ? 0x1000000 : 0);
  static const int sizes[] = { 8, 8, 4, 4, 8, 16, 32, 4, 8, 64, 32 };
  const int v = content == BASIS ? get_basis (sizes[value[TRANSFORM]]
      >> (channel > 0 && value[SEED] & 2), seed, x, y, peak)
      : get_sample (content, seed, x, y, peak);

  return distortion == NOISY
      ? clamp (v + (int) (hash (~seed, x, y) % 7) - 3, 0, peak) : v;
}

int
picture_planes (const BdctLayout * layout)
{
  return layout->rgb.n_planes > 0 ? layout->rgb.n_planes : layout->n_planes;
}

int
picture_row (const BdctLayout * layout, int p, int *bytes)
{
  const BdctPlaneLayout *plane = &layout->plane[p];

  *bytes = layout->depth > 8 ? 2 : 1;
  return layout->rgb.n_planes > 0 ? layout->plane[0].width * layout->rgb.bytes
      : plane->width * plane->interleave;
}

int
picture_rows (const BdctLayout * layout, int p)
{
  return layout->plane[layout->rgb.n_planes > 0 ? 0 : p].height;
}

size_t
picture_at (const Picture * picture, int p, int y)
{
  return (uint8_t *) picture->image.data[p] - picture->bytes
      + y * picture->image.stride[p];
}

BdctImage
picture_image (const Picture * picture, const uint8_t * bytes)
{
  BdctImage image = picture->image;

  for (int p = 0; p < picture_planes (&picture->layout); p++)
    image.data[p] = (uint8_t *) bytes + ((uint8_t *) image.data[p]
        - picture->bytes);
  return image;
}

void
picture_init (Picture * picture, const BdctLayout * layout, int offset,
    int spare, bool up)
{
  size_t at[BDCT_MAX_PLANES];
  int bytes;

  picture->layout = *layout;
  picture->size = 0;
  for (int p = 0; p < picture_planes (layout); p++) {
    const int row = picture_row (layout, p, &bytes);
    const int rows = picture_rows (layout, p);
    const ptrdiff_t stride = (ptrdiff_t) (row + spare) * bytes;

    at[p] = picture->size + offset * bytes + (up ? (rows - 1) * stride : 0);
    picture->image.stride[p] = up ? -stride : stride;
    picture->size += offset * bytes + rows * stride;
  }
  picture->bytes = allocate (picture->size);
  memset (picture->bytes, CANARY, picture->size);
  for (int p = 0; p < picture_planes (layout); p++)
    picture->image.data[p] = picture->bytes + at[p];
}

/* Bytes of a pixel of R, G and B are channels of their own; samples have the
 * number of their component, so that they are the same in every layout. */
void
picture_fill (const Picture * picture, const int *value, int distortion)
{
  const BdctLayout *layout = &picture->layout;
  const bool rgb = layout->rgb.n_planes > 0;
  const int peak = (1 << layout->depth) - 1;
  int bytes;

  for (int p = 0; p < picture_planes (layout); p++) {
    const BdctPlaneLayout *plane = &layout->plane[p];
    const int row = picture_row (layout, p, &bytes);
    const int step = rgb ? layout->rgb.bytes : plane->interleave;

    for (int y = 0; y < picture_rows (layout, p); y++) {
      uint8_t *to = picture->bytes + picture_at (picture, p, y);

      for (int x = 0; x < row; x++) {
        const int channel = rgb ? p + x % step
            : (int) plane->component[x % step];
        const int v = get_distorted (value, distortion, channel, x / step, y,
            peak);

        if (bytes == 1) {
          to[x] = v;
        } else {                /* with something in the bits below */
          const int most = 0xffff >> plane->shift;
          const int word = clamp (v, 0, most) << plane->shift | (hash (v, x, y)
              & ((1 << plane->shift) - 1));

          to[2 * x] = word;
          to[2 * x + 1] = word >> 8;
        }
      }
    }
  }
}

/* All samples of a component, or of R, G or B; NULL: there are none. */
int *
picture_samples (const Picture * picture, const uint8_t * bytes, int c,
    size_t *n)
{
  const BdctLayout *layout = &picture->layout;
  const bool rgb = layout->rgb.n_planes > 0;
  const int peak = (1 << layout->depth) - 1;
  int *samples, size;

  for (int p = 0; p < picture_planes (layout); p++) {
    const BdctPlaneLayout *plane = &layout->plane[rgb ? 0 : p];
    const int step = rgb ? layout->rgb.bytes : plane->interleave;
    const int rows = picture_rows (layout, p);

    picture_row (layout, p, &size);
    for (int i = 0; i < step; i++) {
      if (rgb ? layout->rgb.plane[c] != p || layout->rgb.offset[c] != i
          : (int) plane->component[i] != c)
        continue;
      *n = (size_t) plane->width * rows;
      samples = allocate (*n * sizeof *samples);
      for (size_t k = 0; k < *n; k++) {
        const uint8_t *at = bytes + picture_at (picture, p, k / plane->width)
            + (k % plane->width * step + i) * size;

        samples[k] = size == 1 ? at[0]
            : clamp ((at[0] | at[1] << 8) >> plane->shift, 0, peak);
      }
      return samples;
    }
  }
  return NULL;
}
