/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pictures of the host that a device reads many times, and so gets once. */
#include "module.h"

#include <stdio.h>
#include <string.h>

/* A multiple of what the device reads at once. */
#define ALIGN 256

/* Bytes of a row. */
static size_t
get_row (const BdctLayout * layout, int p)
{
  return layout->rgb.n_planes > 0
      ? (size_t) layout->plane[0].width * layout->rgb.bytes
      : (size_t) layout->plane[p].width * (layout->depth > 8 ? 2 : 1);
}

static size_t
get_stride (const BdctLayout * layout, int p)
{
  return (get_row (layout, p) + ALIGN - 1) / ALIGN * ALIGN;
}

static int
count_rows (const BdctLayout * layout, int p)
{
  return layout->plane[layout->rgb.n_planes > 0 ? 0 : p].height;
}

void
bdct_python_free_upload (Upload * self)
{
  bdct_memory_free (BDCT_BACKEND_CUDA, self->context, BDCT_MEMORY_HOST,
      self->host);
  for (int i = 0; i < BDCT_UPLOADS; i++)
    bdct_memory_free (BDCT_BACKEND_CUDA, self->context, BDCT_MEMORY_DEVICE,
        self->device[i]);
  memset (self, 0, sizeof *self);
}

bool
bdct_python_open_upload (Upload * self, const BdctContext * context,
    const BdctLayout * layout, BdctError * error)
{
  const int n_planes = layout->rgb.n_planes > 0 ? layout->rgb.n_planes
      : layout->n_planes;
  size_t size = 0;
  bool ok;

  for (int p = 0; p < n_planes; p++)
    size += get_stride (layout, p) * count_rows (layout, p);
  if (size <= self->size)
    return true;
  bdct_python_free_upload (self);
  self->context = context;
  self->host = bdct_memory_alloc (BDCT_BACKEND_CUDA, context,
      BDCT_MEMORY_HOST, size);
  ok = self->host != NULL;
  for (int i = 0; i < BDCT_UPLOADS; i++) {
    self->device[i] = bdct_memory_alloc (BDCT_BACKEND_CUDA, context,
        BDCT_MEMORY_DEVICE, size);
    ok = ok && self->device[i] != NULL;
  }
  if (ok)
    self->size = size;
  else {
    bdct_python_free_upload (self);
    snprintf (error->message, sizeof error->message, "cuda: out of memory for "
        "%d pictures of %zu bytes", BDCT_UPLOADS, size);
  }
  return ok;
}

bool
bdct_python_upload (Upload * self, const BdctLayout * layout, int i,
    BdctImage * image, BdctError * error)
{
  uint8_t *const device = self->device[i % BDCT_UPLOADS];
  size_t at = 0;

  for (int p = 0; p < BDCT_MAX_PLANES && image->data[p] != NULL; p++) {
    const size_t stride = get_stride (layout, p);
    const uint8_t *from = image->data[p];
    const int rows = count_rows (layout, p);

    for (int y = 0; y < rows; y++, from += image->stride[p])
      memcpy (self->host + at + y * stride, from, get_row (layout, p));
    image->data[p] = device + at;
    image->stride[p] = stride;
    at += stride * rows;
  }
  image->memory = BDCT_MEMORY_DEVICE;
  if (bdct_memory_copy (BDCT_BACKEND_CUDA, self->context, device, self->host,
          at, true))
    return true;
  snprintf (error->message, sizeof error->message, "cuda: a picture cannot be "
      "copied to the device");
  return false;
}
