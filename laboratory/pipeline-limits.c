/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include <cuda_runtime_api.h>
#include <string.h>
#include "cuda/device/copier.h"

/* Buffers of each kind, so that none is in a cache and no copy waits for
 * another. */
#define N_BUFFERS 4

const gchar *const limit_names[N_LIMITS] = {
  "pinned up and down at once", "device to device", "memcpy to pinned",
  "memcpy to pinned, threads"
};

typedef struct
{
  gsize size;
  guint8 *device[2 * N_BUFFERS], *pinned[2 * N_BUFFERS], *pageable[N_BUFFERS];
  cudaStream_t up, down;
  BdctCopier *copier;
} Copies;

gint
limit_devices (void)
{
  static gint n = -1;

  if (n < 0 && cudaGetDeviceCount (&n) != cudaSuccess)
    n = 0;
  return n;
}

gint64
limit_free_memory (gint device)
{
  size_t free = 0, total;

  if (limit_devices () == 0 || cudaSetDevice (device) != cudaSuccess
      || cudaMemGetInfo (&free, &total) != cudaSuccess)
    return 0;
  return free;
}

const gchar *
limit_device_name (gint device)
{
  static struct cudaDeviceProp prop;

  if (limit_devices () == 0
      || cudaGetDeviceProperties (&prop, device) != cudaSuccess)
    return "no GPU";
  return prop.name;
}

static gboolean
copies_init (Copies * self, Limit limit, gsize size)
{
  gboolean ok = TRUE;

  memset (self, 0, sizeof *self);
  self->size = size;
  for (gint i = 0; i < 2 * N_BUFFERS && ok; i++) {
    if (limit == LIMIT_DUPLEX || limit == LIMIT_DEVICE)
      ok = cudaMalloc ((void **) &self->device[i], size) == cudaSuccess;
    if (ok && limit != LIMIT_DEVICE)
      ok = cudaHostAlloc ((void **) &self->pinned[i], size,
          cudaHostAllocDefault) == cudaSuccess;
    if (ok && self->pinned[i] != NULL)
      memset (self->pinned[i], i, size);
  }
  for (gint i = 0; i < N_BUFFERS && limit >= LIMIT_MEMCPY; i++) {
    self->pageable[i] = g_malloc (size);
    memset (self->pageable[i], i, size);
  }
  self->copier = bdct_copier_new (limit == LIMIT_MEMCPY_THREADS ? 0 : 1);
  return ok
      && cudaStreamCreateWithFlags (&self->up, cudaStreamNonBlocking)
      == cudaSuccess
      && cudaStreamCreateWithFlags (&self->down, cudaStreamNonBlocking)
      == cudaSuccess;
}

static void
copies_clear (Copies * self)
{
  for (gint i = 0; i < 2 * N_BUFFERS; i++) {
    cudaFree (self->device[i]);
    cudaFreeHost (self->pinned[i]);
  }
  for (gint i = 0; i < N_BUFFERS; i++)
    g_free (self->pageable[i]);
  bdct_copier_free (self->copier);
  if (self->up != NULL)
    cudaStreamDestroy (self->up);
  if (self->down != NULL)
    cudaStreamDestroy (self->down);
}

/* Copy one frame. Only a few are enqueued at a time, so that waiting is not
 * measured. */
static gboolean
copy (Copies * self, Limit limit, guint n)
{
  guint i = n % N_BUFFERS, j = i + N_BUFFERS;
  BdctCopy rows;

  switch (limit) {
    case LIMIT_DUPLEX:
      return cudaMemcpyAsync (self->device[i], self->pinned[i], self->size,
          cudaMemcpyHostToDevice, self->up) == cudaSuccess
          && cudaMemcpyAsync (self->pinned[j], self->device[j], self->size,
          cudaMemcpyDeviceToHost, self->down) == cudaSuccess;
    case LIMIT_DEVICE:
      return cudaMemcpyAsync (self->device[i], self->device[j], self->size,
          cudaMemcpyDeviceToDevice, self->up) == cudaSuccess;
    default:
      rows = (BdctCopy) {
        {self->pinned[i], 512}, {self->pageable[i], 512}, 512,
            self->size / 512};
      return bdct_copier_run (self->copier, &rows, 1, NULL, NULL);
  }
}

gdouble
limit_measure (Limit limit, gint device, gsize size, gdouble seconds)
{
  gint64 begin = 0, now = 0, frames = 0;
  gboolean ok;
  Copies copies;

  if (cudaSetDevice (device) != cudaSuccess)
    return 0;
  ok = copies_init (&copies, limit, size);
  /* The first batch warms up. */
  while (ok && (begin == 0
          || now - begin < (gint64) (seconds * G_USEC_PER_SEC))) {
    for (guint n = 0; n < 4 * N_BUFFERS && ok; n++)
      ok = copy (&copies, limit, n);
    ok = ok && cudaStreamSynchronize (copies.up) == cudaSuccess
        && cudaStreamSynchronize (copies.down) == cudaSuccess;
    now = g_get_monotonic_time ();
    if (begin == 0)
      begin = now;
    else
      frames += 4 * N_BUFFERS;
  }
  copies_clear (&copies);
  return ok ? frames * (gdouble) G_USEC_PER_SEC / (now - begin) : 0;
}
