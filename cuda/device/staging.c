/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "staging.h"

#include <limits.h>
#include "cuda/kernels/colour.h"

/* Rows begin at a multiple of this, which keeps vector loads aligned and adds
 * nothing to the usual widths. */
#define PITCH_ALIGN 32

void
bdct_staging_init (BdctStaging * self, const BdctLayout * layout)
{
  self->layout = *layout;
  self->n_planes = bdct_image_planes (layout);
  self->size = 0;
  for (int p = 0; p < self->n_planes; p++) {
    self->row_size[p] = bdct_image_row_size (layout, p);
    self->height[p] = bdct_image_height (layout, p);
    self->pitch[p] = (self->row_size[p] + PITCH_ALIGN - 1)
        & ~(size_t) (PITCH_ALIGN - 1);
    self->offset[p] = self->size;
    self->size += self->pitch[p] * self->height[p];
  }
}

/* The image in a buffer of self->size bytes. */
static BdctImage
staging_image (const BdctStaging * self, uint8_t * buffer, BdctMemory memory)
{
  BdctImage image = {.memory = memory };

  for (int p = 0; p < self->n_planes; p++) {
    image.data[p] = buffer + self->offset[p];
    image.stride[p] = self->pitch[p];
  }
  return image;
}

/* From a plane's first sample to behind its last. */
static size_t
plane_size (const BdctStaging * self, int p, size_t stride)
{
  return stride * (self->height[p] - 1) + self->row_size[p];
}

/* Whether the GPU can copy a host image by itself: all of it is pinned, and
 * its rows follow each other downwards. */
static bool
is_dma_direct (const BdctStaging * self, const BdctImage * host)
{
  for (int p = 0; p < self->n_planes; p++) {
    ptrdiff_t stride = host->stride[p];
    const uint8_t *data = host->data[p];

    if (stride < (ptrdiff_t) self->row_size[p]
        || stride > INT_MAX
        || !bdct_host_memory_is_pinned (data, plane_size (self, p, stride)))
      return false;
  }
  return true;
}

/* Whether a host image has the arrangement of a staging buffer; if it is
 * written to, also without spare bytes between rows. */
static bool
lies_alike (const BdctStaging * self, const BdctImage * host, bool written)
{
  const uint8_t *first = host->data[0];

  for (int p = 0; p < self->n_planes; p++)
    if (host->stride[p] != (ptrdiff_t) self->pitch[p]
        || (const uint8_t *) host->data[p] != first + self->offset[p]
        || (written && self->pitch[p] != self->row_size[p]))
      return false;
  return true;
}

/* Enqueue a copy between an image on the host and a staging buffer. */
static bool
copy (const BdctStaging * self, const BdctImage * host, uint8_t * device,
    bool down, BdctError * error)
{
  const cudaStream_t stream = down ? self->device->download
      : self->device->upload;
  const enum cudaMemcpyKind kind = down ? cudaMemcpyDeviceToHost
      : cudaMemcpyHostToDevice;
  const int last = self->n_planes - 1;
  cudaError_t err = cudaSuccess;

  if (lies_alike (self, host, down))
    return bdct_cuda_check (cudaMemcpyAsync (down ? host->data[0] : device,
            down ? device : host->data[0], self->offset[last]
            + plane_size (self, last, self->pitch[last]), kind, stream),
        "cudaMemcpyAsync", error);
  for (int p = 0; p < self->n_planes && err == cudaSuccess; p++) {
    uint8_t *plane = device + self->offset[p];

    err = down ? cudaMemcpy2DAsync (host->data[p], host->stride[p], plane,
        self->pitch[p], self->row_size[p], self->height[p], kind, stream)
        : cudaMemcpy2DAsync (plane, self->pitch[p], host->data[p],
        host->stride[p], self->row_size[p], self->height[p], kind, stream);
  }
  return bdct_cuda_check (err, "cudaMemcpy2DAsync", error);
}

/* An image must be on this device, and aligned to its samples. Only the
 * first plane's memory is checked. */
static bool
check_image (const BdctStaging * self, const BdctImage * image,
    BdctError * error)
{
  int bytes = bdct_layout_sample_size (&self->layout);

  if (image->data[0] != NULL
      && !bdct_device_check_memory (self->device, image->data[0], error))
    return false;
  for (int p = 0; p < self->n_planes; p++)
    if (((uintptr_t) image->data[p] | (uintptr_t) image->stride[p])
        % bytes != 0)
      return bdct_error (error, "plane %d at %p, stride %td, is not aligned "
          "to its samples of %d bytes", p, image->data[p], image->stride[p],
          bytes);
  return true;
}

bool
bdct_staging_place (BdctStaging * self, BdctEndpoint * end,
    const BdctImage * image, cudaStream_t stream, BdctError * error)
{
  const bool is_new = end->buffer.size < self->size;

  end->on_host = image->data[0] != NULL && image->memory == BDCT_MEMORY_HOST;
  if (!end->on_host) {
    end->image = image->data[0] != NULL ? *image : (BdctImage) { 0 };
    return check_image (self, &end->image, error);
  }
  end->host = *image;
  end->dma_direct = is_dma_direct (self, image);
  /* Zeroed, as bytes between rows are copied, too. */
  if (!bdct_buffer_reserve (&end->buffer, self->size, !end->dma_direct,
          self->engine, error)
      || (is_new && !bdct_cuda_check (cudaMemsetAsync (end->buffer.device, 0,
                  self->size, stream), "cudaMemsetAsync", error)))
    return false;
  end->image = staging_image (self, end->buffer.device, BDCT_MEMORY_DEVICE);
  if (!end->dma_direct && self->copier == NULL)
    self->copier = bdct_copier_new (self->threads);
  return end->dma_direct || self->copier != NULL
      || bdct_error (error, "out of memory");
}

bool
bdct_staging_scratch (BdctStaging * self, BdctBuffer * buffer,
    BdctImage * image, BdctError * error)
{
  if (!bdct_buffer_reserve (buffer, self->size, false, self->engine, error))
    return false;
  *image = staging_image (self, buffer->device, BDCT_MEMORY_DEVICE);
  return true;
}

/* Bytes from one row of a plane of R, G and B to the next. */
static ptrdiff_t
get_columns (const BdctStaging * self, int p)
{
  const int columns = (self->layout.plane[0].width - 1)
      / BDCT_CUDA_COLOUR_ALIGN * BDCT_CUDA_COLOUR_ALIGN
      + BDCT_CUDA_COLOUR_ALIGN;

  return columns >> bdct_layout_sub_x (&self->layout, p);
}

size_t
bdct_staging_picture_size (const BdctStaging * self)
{
  size_t size = 0;

  if (self->layout.rgb.n_planes == 0)
    return self->size;
  for (int p = 0; p < self->layout.n_planes; p++)
    size += get_columns (self, p) * self->layout.plane[p].height;
  return size;
}

BdctImage
bdct_staging_picture (const BdctStaging * self, uint8_t * memory)
{
  BdctImage image = {.memory = BDCT_MEMORY_DEVICE };

  if (self->layout.rgb.n_planes == 0)
    return staging_image (self, memory, BDCT_MEMORY_DEVICE);
  for (int p = 0; p < self->layout.n_planes; p++) {
    image.data[p] = memory;
    image.stride[p] = get_columns (self, p);
    memory += image.stride[p] * self->layout.plane[p].height;
  }
  return image;
}

bool
bdct_staging_reserve_picture (BdctStaging * self, BdctBuffer * buffer,
    cudaStream_t stream, BdctImage * image, BdctError * error)
{
  /* Bytes beside the picture may be read: they are zeroed, and some follow
   * the last row. */
  const size_t size = bdct_staging_picture_size (self)
      + BDCT_CUDA_COLOUR_ALIGN;
  const bool is_new = buffer->size < size;

  if (!bdct_buffer_reserve (buffer, size, false, self->engine, error)
      || (is_new && !bdct_cuda_check (cudaMemsetAsync (buffer->device, 0, size,
                  stream), "cudaMemsetAsync", error)))
    return false;
  *image = bdct_staging_picture (self, buffer->device);
  return true;
}

bool
bdct_staging_planes (BdctStaging * self, unsigned ring_index,
    BdctPlanImage which, BdctImage * image, BdctError * error)
{
  cudaEvent_t *free = &self->ring[ring_index].free;

  return bdct_staging_reserve_picture (self,
      &self->ring[ring_index].planes[which], self->device->rgb_in, image, error)
      && (*free != NULL || bdct_cuda_check (cudaEventCreateWithFlags (free,
              cudaEventDisableTiming), "cudaEventCreateWithFlags", error));
}

void
bdct_staging_clear (BdctStaging * self, bool in_context)
{
  for (unsigned t = 0; t < BDCT_RGB_RING; t++) {
    for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
      bdct_buffer_free (&self->ring[t].planes[i], in_context);
    if (in_context && self->ring[t].free != NULL)
      cudaEventDestroy (self->ring[t].free);
    self->ring[t].free = NULL;
  }
  for (int i = 0; i < BDCT_CUDA_BITS_SLOTS; i++)
    bdct_buffer_free (&self->bits[i], in_context);
  bdct_buffer_free (&self->trees, in_context);
  bdct_buffer_free (&self->scratch, in_context);
  for (int i = 0; i < BDCT_HISTORY_MAX; i++)
    bdct_buffer_free (&self->luma[i], in_context);
}

static void
make_copies (const BdctStaging * self, const BdctImage * to,
    const BdctImage * from, BdctCopy copies[BDCT_MAX_PLANES])
{
  for (int p = 0; p < self->n_planes; p++)
    copies[p] = (BdctCopy) {
      bdct_image_samples (to, &self->layout, p, 0),
      bdct_image_samples (from, &self->layout, p, 0),
      self->row_size[p], self->height[p]
    };
}

typedef struct {
  const BdctStaging *staging;
  const BdctEndpoint *end;
  cudaError_t err;
} Upload;

/* Rows have been copied to pinned memory: upload them while the next ones
 * are copied. */
static void
upload_rows (void *data, int p, int first, int rows)
{
  Upload *u = data;
  size_t offset = u->staging->offset[p] + first * u->staging->pitch[p];

  if (u->err == cudaSuccess)
    u->err = cudaMemcpyAsync (u->end->buffer.device + offset,
        u->end->buffer.host + offset, rows * u->staging->pitch[p],
        cudaMemcpyHostToDevice, u->staging->device->upload);
}

bool
bdct_staging_upload (BdctStaging * self, const BdctEndpoint * src,
    BdctError * error)
{
  Upload u = { self, src, cudaSuccess };
  BdctCopy copies[BDCT_MAX_PLANES];
  BdctImage staged;

  if (src->dma_direct)
    return copy (self, &src->host, src->buffer.device, false, error);
  staged = staging_image (self, src->buffer.host, BDCT_MEMORY_HOST);
  make_copies (self, &staged, &src->host, copies);
  bdct_copier_run (self->copier, copies, self->n_planes, upload_rows, &u);
  return bdct_cuda_check (u.err, "cudaMemcpyAsync", error);
}

bool
bdct_staging_download (BdctStaging * self, const BdctEndpoint * dst,
    BdctError * error)
{
  if (dst->dma_direct)
    return copy (self, &dst->host, dst->buffer.device, true, error);
  return bdct_cuda_check (cudaMemcpyAsync (dst->buffer.host,
          dst->buffer.device, self->size, cudaMemcpyDeviceToHost,
          self->device->download), "cudaMemcpyAsync", error);
}

void
bdct_staging_finish (BdctStaging * self, const BdctEndpoint * dst)
{
  BdctCopy copies[BDCT_MAX_PLANES];
  BdctImage staged;

  if (!dst->on_host || dst->dma_direct)
    return;
  staged = staging_image (self, dst->buffer.host, BDCT_MEMORY_HOST);
  make_copies (self, &dst->host, &staged, copies);
  bdct_copier_run (self->copier, copies, self->n_planes, NULL, NULL);
}
