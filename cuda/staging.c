/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "staging.h"

#include <limits.h>

/* Rows begin at a multiple of this, which keeps vector loads aligned and adds
 * nothing to the usual widths. */
#define PITCH_ALIGN 32

void
bdct_staging_init (BdctStaging * self, const BdctLayout * layout)
{
  self->layout = *layout;
  self->size = 0;
  for (int p = 0; p < layout->n_planes; p++) {
    self->pitch[p] = (bdct_layout_row_size (layout, p) + PITCH_ALIGN - 1)
        & ~(size_t) (PITCH_ALIGN - 1);
    self->offset[p] = self->size;
    self->size += self->pitch[p] * layout->plane[p].height;
  }
}

BdctImage
bdct_staging_image (const BdctStaging * self, uint8_t * buffer,
    BdctMemory memory)
{
  BdctImage image = {.memory = memory };

  for (int p = 0; p < self->layout.n_planes; p++) {
    image.data[p] = buffer + self->offset[p];
    image.stride[p] = self->pitch[p];
  }
  return image;
}

/* From a plane's first sample to behind its last. */
static size_t
plane_size (const BdctStaging * self, int p, size_t stride)
{
  return stride * (self->layout.plane[p].height - 1)
      + bdct_layout_row_size (&self->layout, p);
}

static bool
is_pinned (const void *byte)
{
  struct cudaPointerAttributes attributes;

  if (cudaPointerGetAttributes (&attributes, byte) == cudaSuccess)
    return attributes.type == cudaMemoryTypeHost;
  (void) cudaGetLastError ();
  return false;
}

bool
bdct_staging_reaches (const BdctStaging * self, const BdctImage * host)
{
  for (int p = 0; p < self->layout.n_planes; p++) {
    ptrdiff_t stride = host->stride[p];
    const uint8_t *data = host->data[p];

    if (stride < (ptrdiff_t) bdct_layout_row_size (&self->layout, p)
        || stride > INT_MAX || !is_pinned (data)
        || !is_pinned (data + plane_size (self, p, stride) - 1))
      return false;
  }
  return true;
}

/* Whether a host image lies just as in a staging buffer; one that is written to
 * also has no spare bytes between its rows. */
static bool
lies_alike (const BdctStaging * self, const BdctImage * host, bool written)
{
  const uint8_t *first = host->data[0];

  for (int p = 0; p < self->layout.n_planes; p++)
    if (host->stride[p] != (ptrdiff_t) self->pitch[p]
        || (const uint8_t *) host->data[p] != first + self->offset[p]
        || (written
            && self->pitch[p] != bdct_layout_row_size (&self->layout, p)))
      return false;
  return true;
}

static size_t
used_size (const BdctStaging * self)
{
  int last = self->layout.n_planes - 1;

  return self->offset[last] + plane_size (self, last, self->pitch[last]);
}

cudaError_t
bdct_staging_upload (const BdctStaging * self, uint8_t * device,
    const BdctImage * host, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (lies_alike (self, host, false))
    return cudaMemcpyAsync (device, host->data[0], used_size (self),
        cudaMemcpyHostToDevice, stream);
  for (int p = 0; p < self->layout.n_planes && err == cudaSuccess; p++)
    err = cudaMemcpy2DAsync (device + self->offset[p], self->pitch[p],
        host->data[p], host->stride[p],
        bdct_layout_row_size (&self->layout, p), self->layout.plane[p].height,
        cudaMemcpyHostToDevice, stream);
  return err;
}

cudaError_t
bdct_staging_download (const BdctStaging * self, const BdctImage * host,
    const uint8_t * device, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (lies_alike (self, host, true))
    return cudaMemcpyAsync (host->data[0], device, used_size (self),
        cudaMemcpyDeviceToHost, stream);
  for (int p = 0; p < self->layout.n_planes && err == cudaSuccess; p++)
    err = cudaMemcpy2DAsync (host->data[p], host->stride[p],
        device + self->offset[p], self->pitch[p],
        bdct_layout_row_size (&self->layout, p), self->layout.plane[p].height,
        cudaMemcpyDeviceToHost, stream);
  return err;
}
