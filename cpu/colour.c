/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/simd/colour-rows.h"

#include <stdlib.h>

int
bdct_colour_count_strips (const BdctLayout * layout)
{
  const int n = bdct_layout_pictures (layout);

  return n * ((layout->plane[0].height / n + BDCT_COLOUR_STRIP - 1)
      / BDCT_COLOUR_STRIP);
}

bool
bdct_colour_image (const BdctLayout * layout, uint8_t ** memory,
    BdctImage * image)
{
  size_t size = 0, offset[BDCT_MAX_PLANES];

  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < layout->n_planes; p++) {
    image->stride[p] = bdct_colour_columns (layout, p);
    offset[p] = size;
    size += (size_t) image->stride[p] * layout->plane[p].height;
  }
  if (*memory == NULL)
    *memory = aligned_alloc (BDCT_MAX_SIZE, size);
  for (int p = 0; p < layout->n_planes && *memory != NULL; p++)
    image->data[p] = *memory + offset[p];
  return *memory != NULL;
}

uint8_t *
bdct_colour_planes (const BdctLayout * layout, const BdctImage * src,
    BdctImage * planes)
{
  BdctColour colour = {.layout = layout,.src = *src };
  uint8_t *memory = NULL;

  if (!bdct_colour_image (layout, &memory, planes))
    return NULL;
  colour.planes = *planes;
  for (int i = 0; i < bdct_colour_count_strips (layout); i++)
    bdct_colour_baseline.rgb_to_planes (&colour, i);
  return memory;
}
