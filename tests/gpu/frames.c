/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include "dct/base/sample.h"

/* Where R, G and B are, with chroma subsampled so. */
#define RGB(name, sampling, quick, n_planes, bytes, ...)                      \
  { #name " " #sampling, 8, 0, BDCT_CHROMA_##sampling, 1, BDCT_U, quick,      \
    { n_planes, bytes, __VA_ARGS__ } }

const Format formats[N_FORMATS] = {
  {"GRAY8", 8, 0, BDCT_CHROMA_400, 1, BDCT_U, false, {0}},
  {"I420", 8, 0, BDCT_CHROMA_420, 1, BDCT_U, true, {0}},
  {"YV12", 8, 0, BDCT_CHROMA_420, 1, BDCT_V, false, {0}},
  {"NV12", 8, 0, BDCT_CHROMA_420, 2, BDCT_U, true, {0}},
  {"NV21", 8, 0, BDCT_CHROMA_420, 2, BDCT_V, false, {0}},
  {"Y42B", 8, 0, BDCT_CHROMA_422, 1, BDCT_U, false, {0}},
  {"NV16", 8, 0, BDCT_CHROMA_422, 2, BDCT_U, false, {0}},
  {"Y444", 8, 0, BDCT_CHROMA_444, 1, BDCT_U, false, {0}},
  {"I420_10", 10, 0, BDCT_CHROMA_420, 1, BDCT_U, false, {0}},
  {"P010", 10, 6, BDCT_CHROMA_420, 2, BDCT_U, true, {0}},
  {"I422_10", 10, 0, BDCT_CHROMA_422, 1, BDCT_U, false, {0}},
  {"I422_12", 12, 0, BDCT_CHROMA_422, 1, BDCT_U, false, {0}},
  {"Y444_10", 10, 0, BDCT_CHROMA_444, 1, BDCT_U, false, {0}},
  {"I420_12", 12, 0, BDCT_CHROMA_420, 1, BDCT_U, false, {0}},
  {"Y444_12", 12, 0, BDCT_CHROMA_444, 1, BDCT_U, true, {0}},
  {"P012", 12, 4, BDCT_CHROMA_420, 2, BDCT_U, false, {0}},
  RGB (BGRx, 420, true, 1, 4, {0}, {2, 1, 0}),
  RGB (BGRx, 422, false, 1, 4, {0}, {2, 1, 0}),
  RGB (BGRx, 440, false, 1, 4, {0}, {2, 1, 0}),
  RGB (BGRx, 444, false, 1, 4, {0}, {2, 1, 0}),
  RGB (RGBx, 420, false, 1, 4, {0}, {0, 1, 2}),
  RGB (xRGB, 422, true, 1, 4, {0}, {1, 2, 3}),
  RGB (xBGR, 444, false, 1, 4, {0}, {3, 2, 1}),
  RGB (RGB, 420, false, 1, 3, {0}, {0, 1, 2}),
  RGB (RGB, 422, false, 1, 3, {0}, {0, 1, 2}),
  RGB (RGB, 440, false, 1, 3, {0}, {0, 1, 2}),
  RGB (RGB, 444, true, 1, 3, {0}, {0, 1, 2}),
  RGB (BGR, 420, false, 1, 3, {0}, {2, 1, 0}),
  RGB (GBR, 420, false, 3, 1, {2, 0, 1}, {0}),
  RGB (GBR, 422, false, 3, 1, {2, 0, 1}, {0}),
  RGB (GBR, 440, true, 3, 1, {2, 0, 1}, {0}),
  RGB (GBR, 444, false, 3, 1, {2, 0, 1}, {0}),
};

const Size sizes[N_SIZES] = {
  {1, 1, 0, true}, {2, 2, 0, false}, {3, 5, 0, false}, {1, 70, 0, false},
  {7, 9, 0, false}, {8, 8, 0, false}, {16, 16, 0, false}, {17, 9, 0, true},
  {31, 33, 0, true}, {33, 31, 0, false}, {64, 64, 0, false},
  {65, 63, 0, false}, {100, 100, 0, false}, {127, 129, 0, false},
  {128, 32, 0, false}, {129, 31, 0, true}, {255, 3, 0, false},
  {256, 96, 0, false}, {257, 65, 0, false}, {321, 243, 0, false},
  {640, 480, 4, false}, {1919, 1079, 2, false}, {1920, 1080, 3, false},
};

const Place places[N_PLACES] = {
  {0, 0, false, false, false}, {1, 7, false, false, false},
  {3, 1, true, true, false}, {5, 64, true, false, false},
  {0, 13, false, true, false}, {2, 3, false, false, true},
};

int passed, failed;
uint64_t seed = 88172645463325252u;

uint64_t
next_random (void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

void
must (cudaError_t err, const char *what)
{
  if (err != cudaSuccess) {
    printf ("%s: %s\n%d passed, %d failed, 0 skipped\n", what,
        cudaGetErrorString (err), passed, failed + 1);
    exit (1);
  }
}

void
init_layout (BdctLayout * layout, const Format * f, int width, int height)
{
  int w = f->chroma == BDCT_CHROMA_444 ? width : (width + 1) / 2;
  int h = f->chroma == BDCT_CHROMA_420 ? (height + 1) / 2 : height;
  BdctComponent second = BDCT_U + BDCT_V - f->first;

  if (f->rgb.n_planes > 0) {
    bdct_layout_init_rgb (layout, &f->rgb, width, height, f->chroma);
    return;
  }
  *layout = (BdctLayout) { .depth = f->depth, .chroma = f->chroma,
    .n_planes = f->chroma == BDCT_CHROMA_400 ? 1 : 4 - f->interleave };
  layout->plane[0] = (BdctPlaneLayout) { width, height, f->shift, 1,
    { BDCT_Y, 0 } };
  layout->plane[1] = (BdctPlaneLayout) { w, h, f->shift, f->interleave,
    { f->first, second } };
  layout->plane[2] = (BdctPlaneLayout) { w, h, f->shift, 1, { second, 0 } };
}

uint8_t *
place_image (BdctImage * image, const BdctLayout * layout, uint8_t * base,
    const Place * place, bool up, bool repeat)
{
  int bytes = bdct_layout_sample_size (layout);

  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < bdct_image_planes (layout); p++) {
    ptrdiff_t stride = bdct_image_row_size (layout, p) + place->spare * bytes;
    int height = bdct_image_height (layout, p);

    base += place->offset * bytes;
    image->data[p] = up ? base + (height - 1) * stride : base;
    image->stride[p] = repeat ? 0 : up ? -stride : stride;
    base += height * stride;
  }
  return base;
}

BdctImage
move_image (const BdctImage * image, const BdctLayout * layout,
    const uint8_t * from, uint8_t * to, BdctMemory memory)
{
  BdctImage moved = *image;

  moved.memory = memory;
  for (int p = 0; p < bdct_image_planes (layout); p++)
    if (image->data[p] != NULL)
      moved.data[p] = to + ((uint8_t *) image->data[p] - from);
  return moved;
}

int
get (const BdctLayout * layout, const BdctImage * image, int p, int x, int y)
{
  return bdct_sample_get ((uint8_t *) image->data[p] + y * image->stride[p], x,
      bdct_layout_sample_size (layout), layout->plane[p].shift,
      bdct_layout_peak (layout));
}

void
put (const BdctLayout * layout, const BdctImage * image, int p, int x, int y,
    int v)
{
  bdct_sample_put ((uint8_t *) image->data[p] + y * image->stride[p], x,
      bdct_layout_sample_size (layout), layout->plane[p].shift, v);
}

static int
draw_sample (Content content, int x, int y, int peak)
{
  return content == SMOOTH ? (x * 5 + y * 3 + (x * y >> 6)) / 4 & peak
      : content == CHECKER ? (x ^ y) & 1 ? peak : 0
      : next_random () & 1 << 20 ? peak : 0;
}

/* The bytes of R, G, B and what else there is, each a picture of its own. */
static void
draw_pixels (const BdctLayout * layout, const BdctImage * image,
    Content content)
{
  const BdctRgb *rgb = &layout->rgb;

  for (int p = 0; p < rgb->n_planes; p++)
    for (int y = 0; y < layout->plane[0].height; y++)
      for (int i = 0; i < layout->plane[0].width * rgb->bytes; i++)
        ((uint8_t *) image->data[p] + y * image->stride[p])[i] =
            draw_sample (content, i / rgb->bytes + 7 * (i % rgb->bytes + p),
            y, 255);
}

void
draw (const BdctLayout * layout, const BdctImage * image, Content content)
{
  int peak = bdct_layout_peak (layout);

  if (layout->rgb.n_planes > 0) {
    draw_pixels (layout, image, content);
    return;
  }
  for (int p = 0; p < layout->n_planes; p++)
    for (int y = 0; y < layout->plane[p].height; y++)
      for (int x = 0; x < layout->plane[p].width * layout->plane[p].interleave;
          x++)
        put (layout, image, p, x, y, draw_sample (content, x, y, peak));
}
