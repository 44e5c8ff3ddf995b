/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline.h"

#include <cuda_runtime_api.h>
#include <string.h>
#include "cuda/device/copier.h"

/* Buffers on each side, so that none is in a cache and no copy waits for
 * another. */
#define N_BUFFERS 8

const gchar *const limit_names[N_LIMITS] = {
  "pinned up and down at once", "device to device", "memcpy to pinned",
  "memcpy to pinned, threads"
};

typedef enum
{ DEVICE, PINNED, PAGEABLE } Memory;

static const Memory from_memory[] = { PINNED, DEVICE, PAGEABLE, PAGEABLE };
static const Memory to_memory[] = { DEVICE, DEVICE, PINNED, PINNED };

typedef struct
{
  gsize size;
  guint8 *from[N_BUFFERS], *to[N_BUFFERS];
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
limit_device_name (void)
{
  static struct cudaDeviceProp prop;

  if (limit_devices () == 0
      || cudaGetDeviceProperties (&prop, 0) != cudaSuccess)
    return "no GPU";
  return prop.name;
}

/* NULL: there is none. */
static guint8 *
allocate (Memory memory, gsize size)
{
  void *data = NULL;

  if (memory == DEVICE)
    return cudaMalloc (&data, size) == cudaSuccess ? data : NULL;
  if (memory == PAGEABLE)
    data = g_malloc (size);
  else if (cudaHostAlloc (&data, size, cudaHostAllocDefault) != cudaSuccess)
    return NULL;
  return memset (data, 1, size);
}

static void
release (Memory memory, guint8 * data)
{
  if (memory == DEVICE)
    cudaFree (data);
  else if (memory == PINNED)
    cudaFreeHost (data);
  else
    g_free (data);
}

/* Copy one frame; up and down at once one in each direction. */
static gboolean
copy (Copies * self, Limit limit, guint n)
{
  const guint i = n % N_BUFFERS, j = (n + N_BUFFERS / 2) % N_BUFFERS;
  const BdctCopy rows = { {self->to[i], 512}, {self->from[i], 512}, 512,
  self->size / 512
  };

  if (limit >= LIMIT_MEMCPY) {
    bdct_copier_run (self->copier, &rows, 1, NULL, NULL);
    return TRUE;
  }
  return cudaMemcpyAsync (self->to[i], self->from[i], self->size,
      cudaMemcpyDefault, self->up) == cudaSuccess && (limit != LIMIT_DUPLEX
      || cudaMemcpyAsync (self->from[j], self->to[j], self->size,
          cudaMemcpyDefault, self->down) == cudaSuccess);
}

/* Only a few copies are enqueued at a time, so that waiting is not measured.
 * The first batch warms up. */
gdouble
limit_measure (Limit limit, gsize size, gdouble seconds)
{
  gint64 begin = 0, now = 0, frames = 0;
  Copies copies = {.size = size };
  gboolean ok = cudaSetDevice (0) == cudaSuccess
      && cudaStreamCreate (&copies.up) == cudaSuccess
      && cudaStreamCreate (&copies.down) == cudaSuccess;

  copies.copier = bdct_copier_new (limit == LIMIT_MEMCPY_THREADS ? 0 : 1);
  for (guint i = 0; i < N_BUFFERS; i++) {
    copies.from[i] = allocate (from_memory[limit], size);
    copies.to[i] = allocate (to_memory[limit], size);
    ok = ok && copies.from[i] != NULL && copies.to[i] != NULL;
  }
  while (ok && (begin == 0
          || now - begin < (gint64) (seconds * G_USEC_PER_SEC))) {
    for (guint n = 0; n < 2 * N_BUFFERS && ok; n++)
      ok = copy (&copies, limit, n);
    ok = ok && cudaStreamSynchronize (copies.up) == cudaSuccess
        && cudaStreamSynchronize (copies.down) == cudaSuccess;
    now = g_get_monotonic_time ();
    if (begin == 0)
      begin = now;
    else
      frames += 2 * N_BUFFERS;
  }
  for (guint i = 0; i < N_BUFFERS; i++) {
    release (from_memory[limit], copies.from[i]);
    release (to_memory[limit], copies.to[i]);
  }
  bdct_copier_free (copies.copier);
  cudaStreamDestroy (copies.up);
  cudaStreamDestroy (copies.down);
  return ok ? frames * (gdouble) G_USEC_PER_SEC / (now - begin) : 0;
}
