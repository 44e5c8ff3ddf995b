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
bdct_image_alloc (const BdctLayout * layout, bool planes, uint8_t ** memory,
    BdctImage * image)
{
  const bool of_rgb = planes && layout->rgb.n_planes > 0;
  const int n = of_rgb ? layout->n_planes : bdct_image_planes (layout);
  size_t size = 0, offset[BDCT_MAX_PLANES];

  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < n; p++) {
    image->stride[p] = of_rgb ? bdct_colour_columns (layout, p)
        : (ptrdiff_t) ((bdct_image_row_size (layout, p) + 63) & ~(size_t) 63);
    offset[p] = size;
    size += (size_t) image->stride[p] * (of_rgb ? layout->plane[p].height
        : bdct_image_height (layout, p));
  }
  if (*memory == NULL)
    *memory = aligned_alloc (64, size);
  for (int p = 0; p < n && *memory != NULL; p++)
    image->data[p] = *memory + offset[p];
  return *memory != NULL;
}

uint8_t *
bdct_colour_planes (const BdctLayout * layout, const BdctImage * src,
    BdctImage * planes)
{
  BdctColour colour = {.layout = layout,.src = *src };
  uint8_t *memory = NULL;

  if (!bdct_image_alloc (layout, true, &memory, planes))
    return NULL;
  colour.planes = *planes;
  for (int i = 0; i < bdct_colour_count_strips (layout); i++)
    bdct_colour_baseline.rgb_to_planes (&colour, i);
  return memory;
}
