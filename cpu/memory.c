/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that slots get when they first need it. */
#include "state.h"

#include <stdlib.h>

bool
bdct_cpu_lay_out (const BdctLayout * layout, uint8_t ** memory,
    BdctImage * image)
{
  const int n_planes = bdct_image_planes (layout);
  size_t size = 0, offset[BDCT_MAX_PLANES];

  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < n_planes; p++) {
    size_t stride = (bdct_image_row_size (layout, p) + 63) & ~(size_t) 63;

    offset[p] = size;
    image->stride[p] = stride;
    size += stride * bdct_image_height (layout, p);
  }
  if (*memory == NULL)
    *memory = aligned_alloc (64, size);
  if (*memory == NULL)
    return false;
  for (int p = 0; p < n_planes; p++)
    image->data[p] = *memory + offset[p];
  return true;
}

bool
bdct_cpu_own_image (const CpuEngine * self, uint8_t ** memory,
    BdctImage * image)
{
  BdctLayout planes = self->layout;

  planes.rgb.n_planes = 0;
  return bdct_cpu_lay_out (&planes, memory, image);
}

/* No block is smaller than 4 x 4. */
void *
bdct_cpu_alloc_by_block (const CpuEngine * self, void *memory, size_t size)
{
  size_t n = 0;

  for (int p = 0; p < self->layout.n_planes; p++) {
    const BdctPlaneLayout *plane = &self->layout.plane[p];

    n += (size_t) (plane->width + 3) / 4 * ((plane->height + 3) / 4)
        * plane->interleave;
  }
  return memory != NULL ? memory : calloc (n, size);
}

void
bdct_cpu_free_comparison (Slot * slot)
{
  for (int i = 0; i <= BDCT_MAX_DISTORTED; i++)
    free (slot->comparison.picture[i].memory);
  free (slot->comparison.seen.memory);
  free (slot->comparison.base);
}
