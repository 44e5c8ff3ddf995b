/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that frames get when they first need it. */
#include "state.h"

#include <stdlib.h>

bool
bdct_cpu_alloc_image (const BdctLayout * layout, bool planes,
    uint8_t ** memory, BdctImage * image)
{
  size_t size = 0, offset[BDCT_MAX_PLANES];

  if (planes && layout->rgb.n_planes > 0)
    return bdct_colour_image (layout, memory, image);
  image->memory = BDCT_MEMORY_HOST;
  for (int p = 0; p < bdct_image_planes (layout); p++) {
    size_t stride = (bdct_image_row_size (layout, p) + 63) & ~(size_t) 63;

    offset[p] = size;
    image->stride[p] = stride;
    size += stride * bdct_image_height (layout, p);
  }
  if (*memory == NULL)
    *memory = aligned_alloc (64, size);
  for (int p = 0; p < bdct_image_planes (layout) && *memory != NULL; p++)
    image->data[p] = *memory + offset[p];
  return *memory != NULL;
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

void *
bdct_cpu_alloc_by_thread (const CpuEngine * self, size_t size)
{
  return aligned_alloc (64, (self->threads.max + 1) * ((size + 63) / 64 * 64));
}

bool
bdct_cpu_reserve_trees (CpuEngine * self)
{
  if (self->scratch.tree == NULL)
    self->scratch.tree = bdct_cpu_alloc_by_thread (self,
        bdct_cpu_tree_scratch_size ());
  return self->scratch.tree != NULL;
}

static void
free_task (CpuTask * task)
{
  if (task == NULL)
    return;
  free (task->all_ends);
  free (task->tree);
  free (task);
}

static void
free_memory (CpuMemory * memory)
{
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    free (memory->image[i]);
  for (int i = 0; i < BDCT_MAX_DISTORTED; i++)
    free (memory->metrics[i]);
  free (memory->quantizer_map);
  free (memory->sizes);
  free (memory->records);
  free (memory->bins);
  free (memory->levels);
  free (memory->map);
}

void
bdct_cpu_free_frames (CpuEngine * self)
{
  for (unsigned i = 0; i < self->depth; i++) {
    for (int k = 0; k < BDCT_MAX_STACK_QUANTIZERS; k++)
      free_task (self->frames[i].task[k]);
    free_memory (&self->frames[i].memory);
  }
  for (int i = 0; i < BDCT_HISTORY_MAX; i++) {
    free (self->luma[i]);
    self->luma[i] = NULL;
  }
  free (self->scratch.strip_levels);
  free (self->scratch.tree);
  self->scratch.strip_levels = NULL;
  self->scratch.tree = NULL;
  free (self->frames);
  self->frames = NULL;
  self->depth = 0;
}
