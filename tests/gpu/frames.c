/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include "dct/sample.h"

const Format formats[N_FORMATS] = {
  {"GRAY8", 8, 0, BDCT_CHROMA_400, 1, BDCT_U, false},
  {"I420", 8, 0, BDCT_CHROMA_420, 1, BDCT_U, true},
  {"YV12", 8, 0, BDCT_CHROMA_420, 1, BDCT_V, false},
  {"NV12", 8, 0, BDCT_CHROMA_420, 2, BDCT_U, true},
  {"NV21", 8, 0, BDCT_CHROMA_420, 2, BDCT_V, false},
  {"Y42B", 8, 0, BDCT_CHROMA_422, 1, BDCT_U, false},
  {"NV16", 8, 0, BDCT_CHROMA_422, 2, BDCT_U, false},
  {"Y444", 8, 0, BDCT_CHROMA_444, 1, BDCT_U, false},
  {"I420_10", 10, 0, BDCT_CHROMA_420, 1, BDCT_U, false},
  {"P010", 10, 6, BDCT_CHROMA_420, 2, BDCT_U, true},
  {"I422_10", 10, 0, BDCT_CHROMA_422, 1, BDCT_U, false},
  {"I422_12", 12, 0, BDCT_CHROMA_422, 1, BDCT_U, false},
  {"Y444_10", 10, 0, BDCT_CHROMA_444, 1, BDCT_U, false},
  {"I420_12", 12, 0, BDCT_CHROMA_420, 1, BDCT_U, false},
  {"Y444_12", 12, 0, BDCT_CHROMA_444, 1, BDCT_U, true},
  {"P012", 12, 4, BDCT_CHROMA_420, 2, BDCT_U, false},
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

  *layout = (BdctLayout) { .depth = f->depth, .chroma = f->chroma,
    .n_planes = f->chroma == BDCT_CHROMA_400 ? 1 : 4 - f->interleave };
  layout->plane[0] = (BdctPlaneLayout) { width, height, f->shift, 1,
    { BDCT_Y, 0 } };
  layout->plane[1] = (BdctPlaneLayout) { w, h, f->shift, f->interleave,
    { f->first, second } };
  layout->plane[2] = (BdctPlaneLayout) { w, h, f->shift, 1, { second, 0 } };
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

void
draw (const BdctLayout * layout, const BdctImage * image, Content content)
{
  int peak = bdct_layout_peak (layout);

  for (int p = 0; p < layout->n_planes; p++)
    for (int y = 0; y < layout->plane[p].height; y++)
      for (int x = 0; x < layout->plane[p].width * layout->plane[p].interleave;
          x++) {
        int v = content == SMOOTH ? (x * 5 + y * 3 + (x * y >> 6)) / 4 & peak
            : content == CHECKER ? (x ^ y) & 1 ? peak : 0
            : next_random () & 1 << 20 ? peak : 0;
        put (layout, image, p, x, y, v);
      }
}
