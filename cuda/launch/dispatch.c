/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dispatch.h"
#include "capability.h"
#include "cuda/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The kernels' constants on the device: a ring, in which new ones take the
 * place of the oldest. It has room for the settings of a curve, of 20 KB a
 * plane; in a smaller ring all would be made anew for every frame. */
#define RING_SIZE (12 << 20)
#define ALIGN 128
#define N_ENTRIES 4096
#define N_PROBES 8

/* One plane's constants of all quantizers, by the jobs' keys. Kernels with the
 * same function share them. */
typedef struct {
  void (*make_constants) (void *, const BdctCudaPlane *, const BdctJob *);
  uint64_t keys;
  int of;                       /* the quantizers' number and the plane's
                                   components */
  uint64_t at;                  /* position in the ring, as if it were
                                   endless; 0: none */
} Entry;

struct BdctCudaDevice
{
  BdctCapability capability;
  cudaStream_t streams[BDCT_CUDA_STREAMS];      /* of all launches; the first
                                                   one's are also checks */
  cudaEvent_t uploads[BDCT_CUDA_STREAMS];       /* in each */
  BdctCudaCheck tensor_check;
  bool tensor;                  /* whether the tensor cores are used */
  bool differs;                 /* not any more: a kernel computed something
                                   else */
  uint8_t *ring, *mirror;       /* on the device, and what is uploaded to it */
  uint64_t head, uploaded;      /* end of the ring, and of its uploaded part */
  uint64_t kept;                /* the oldest position that the launch in
                                   preparation uses */
  Entry entry[N_ENTRIES];       /* by hash */
};

_Static_assert (sizeof (BdctCudaBatch) <= 4096, "a kernel's parameters");

static void
forget_constants (BdctCudaDevice * device)
{
  memset (device->entry, 0, sizeof device->entry);
  device->uploaded = device->head;
}

cudaError_t
bdct_cuda_open (BdctCudaDevice ** out, BdctCudaCheck tensor_check,
    const cudaStream_t streams[BDCT_CUDA_STREAMS])
{
  BdctCudaDevice *device = calloc (1, sizeof *device);
  cudaError_t err;

  if (device == NULL)
    return cudaErrorMemoryAllocation;
  device->head = device->uploaded = RING_SIZE;
  device->mirror = calloc (1, RING_SIZE);
  device->tensor_check = tensor_check;
  device->tensor = tensor_check != NULL;
  memcpy (device->streams, streams, sizeof device->streams);
  err = device->mirror != NULL ? bdct_capability_init (&device->capability)
      : cudaErrorMemoryAllocation;
  if (err == cudaSuccess)
    err = cudaMalloc ((void **) &device->ring, RING_SIZE);
  for (int i = 0; i < BDCT_CUDA_STREAMS && err == cudaSuccess; i++)
    err = cudaEventCreateWithFlags (&device->uploads[i],
        cudaEventDisableTiming);
  if (err != cudaSuccess) {
    bdct_cuda_close (device, true);
    return err;
  }
  *out = device;
  return cudaSuccess;
}

void
bdct_cuda_close (BdctCudaDevice * device, bool in_context)
{
  if (device == NULL)
    return;
  if (in_context) {
    cudaFree (device->ring);
    for (int i = 0; i < BDCT_CUDA_STREAMS; i++)
      if (device->uploads[i] != NULL)
        cudaEventDestroy (device->uploads[i]);
  }
  free (device->mirror);
  free (device);
}

bool
bdct_cuda_has_tensor (const BdctCudaDevice * device, bool *differs)
{
  *differs = device->differs;
  return device->tensor;
}

/* Whether a tensor-core kernel may be used. It is checked before its first use;
 * if it differs, no tensor-core kernel is used from then on. Returns false with
 * `ok` false on an error.
 */
static bool
trusts (BdctCudaDevice * device, const BdctTensorKernel * kernel, int depth,
    bool *ok, BdctError * error)
{
  BdctCapability *capability = &device->capability;
  BdctVerdict verdict;
  BdctChecked what;
  bool agrees;

  if (bdct_capability_agrees (capability, kernel, depth))
    return true;
  *ok = bdct_cuda_check (bdct_capability_describe (capability, kernel, depth,
          &what), "cudaFuncGetAttributes", error);
  if (!*ok)
    return false;
  verdict = bdct_selfcheck_cache_find (&what);
  if (verdict == BDCT_VERDICT_NONE) {
    *ok = device->tensor_check (kernel, depth, capability->traits, device,
        device->streams[0], &agrees, error);
    if (!*ok)
      return false;
    verdict = agrees ? BDCT_VERDICT_AGREES : BDCT_VERDICT_DIFFERS;
    bdct_selfcheck_cache_store (&what, verdict);
  }
  if (verdict == BDCT_VERDICT_AGREES) {
    bdct_capability_add_agreeing (capability, kernel, depth);
    return true;
  }
  device->tensor = false;
  device->differs = true;
  return false;
}

/* Choosing */

/* Cut work into a kernel's tiles. False if there are more tiles than a launch
 * supports. */
static bool
cut (BdctCudaLaunch * launch, const BdctCudaKernel * kernel,
    const BdctCudaWork * work, bool mixed)
{
  const int bytes = work->quantizers[0].depth > 8 ? 2 : 1;
  const int pictures = work->pictures > 1 ? work->pictures : 1;
  int64_t n_tiles = 0;

  *launch = *work;
  launch->kernel = kernel;
  launch->pictures = pictures;
  launch->mixed = mixed;
  launch->levels = false;
  for (int p = 0; p < work->n_planes; p++) {
    BdctCudaPlane *plane = &launch->plane[p];
    const BdctPlaneLayout *layout = &plane->layout;
    const BdctComponentJob *job =
        &work->quantizers[0].component[layout->component[0]];

    plane->row_bytes = layout->width * layout->interleave * bytes;
    plane->log2_width = job->log2_width;
    plane->log2_height = job->log2_height;
    plane->grey = 1 << (work->quantizers[0].depth - 1 + layout->shift);
    plane->aligned = (((uintptr_t) plane->src.data
            | (uintptr_t) plane->dst.data | (uintptr_t) plane->src.stride
            | (uintptr_t) plane->dst.stride) & 15) == 0;
    plane->columns = ((layout->width - 1) >> job->log2_width) + 1;
    plane->map_tiles_x = (layout->width * layout->interleave - 1)
        / BDCT_CUDA_MAP_TILE_SAMPLES + 1;
    plane->first_tile = (int32_t) n_tiles;
    plane->quantizer_size = kernel->constants_size;
    if (kernel->tile_blocks != NULL) {
      const int rows = ((layout->height - 1) >> job->log2_height) + 1;

      plane->tiles_x = (plane->columns * (rows / pictures) - 1)
          / kernel->tile_blocks (job) + 1;
      n_tiles += (int64_t) plane->tiles_x * layout->interleave;
    } else {
      plane->tiles_x = (plane->row_bytes - 1) / kernel->row_bytes + 1;
      n_tiles += (int64_t) plane->tiles_x
          * ((layout->height - 1) / kernel->rows + 1);
    }
    if (n_tiles > INT_MAX / 2)
      return false;
  }
  launch->n_tiles = (int32_t) n_tiles;
  return true;
}

/* The tensor-core kernel for some work, with its levels if there is one that
 * writes these of all tiles; NULL if there is none. */
static const BdctTensorKernel *
find_tensor (const BdctCudaDevice * device, const BdctCudaWork * work)
{
  const unsigned traits = device->capability.traits;
  const BdctTensorKernel *kernel;
  BdctCudaWork its = *work;

  if (!device->tensor || work->output != BDCT_CUDA_STATISTICS
      || work->kernel != NULL)
    return NULL;
  its.levels &= !work->mixed;
  kernel = bdct_tensor_find (&its, traits);
  if (kernel != NULL || !its.levels)
    return kernel;
  its.levels = false;
  return bdct_tensor_find (&its, traits);
}

int
bdct_cuda_choose (BdctCudaDevice * device, const BdctCudaWork * work,
    BdctCudaLaunch * launches, BdctError * error)
{
  const BdctTensorKernel *tensor = find_tensor (device, work);
  const BdctCudaKernel *scalar = work->kernel != NULL ? work->kernel
      : bdct_scalar_find (work);
  bool both, ok = true;

  if (tensor != NULL
      && !trusts (device, tensor, work->quantizers[0].depth, &ok, error))
    tensor = NULL;
  if (!ok)
    return 0;
  both = tensor != NULL && work->mixed;
  if (cut (&launches[0], tensor != NULL ? &tensor->kernel : scalar, work, false)
      && (!both || cut (&launches[1], scalar, work, true))) {
    launches[0].levels = tensor != NULL && tensor->levels;
    return both ? 2 : 1;
  }
  bdct_error (error, "the frame is too large for one launch");
  return 0;
}

/* Constants */

/* The jobs' keys as one; two lists have the same by a chance of 2^-64. */
static uint64_t
get_keys (const BdctCudaLaunch * launch)
{
  uint64_t keys = 0;

  for (int i = 0; i < launch->n_quantizers; i++)
    keys = keys * 0x9e3779b97f4a7c15u + launch->quantizers[i].key;
  return keys;
}

/* A place at the end of the ring; 0 if the launch in preparation uses what is
 * there. */
static uint64_t
make_room (BdctCudaDevice * device, size_t size)
{
  const uint64_t left = RING_SIZE - device->head % RING_SIZE;
  const uint64_t at = device->head + (size > left ? left : 0);

  if (size > RING_SIZE || at + size - RING_SIZE > device->kept)
    return 0;
  device->head = (at + size + ALIGN - 1) & ~(uint64_t) (ALIGN - 1);
  return at;
}

static bool
is_for (const Entry * entry, const Entry * wanted)
{
  return entry->keys == wanted->keys && entry->of == wanted->of
      && entry->make_constants == wanted->make_constants;
}

/* A plane's constants on the device, valid after the next upload; NULL if the
 * launch in preparation must be enqueued first. */
static const uint8_t *
find_constants (BdctCudaDevice * device, const BdctCudaLaunch * launch,
    const BdctCudaPlane * plane)
{
  const BdctCudaKernel *kernel = launch->kernel;
  const BdctPlaneLayout *layout = &plane->layout;
  const int n = launch->n_quantizers;
  Entry wanted = { kernel->make_constants, get_keys (launch),
    n << 8 | layout->component[0] << 4
        | layout->component[layout->interleave - 1], 0
  };
  const uint64_t hash = (wanted.keys + wanted.of
      + (uintptr_t) wanted.make_constants) * 0x9e3779b97f4a7c15u >> 32;
  Entry *entry = &device->entry[hash % N_ENTRIES];

  /* Else the oldest makes room. */
  for (int i = 0; i < N_PROBES && !is_for (entry, &wanted); i++) {
    Entry *other = &device->entry[(hash + i) % N_ENTRIES];

    if (is_for (other, &wanted) || other->at < entry->at)
      entry = other;
  }
  if (!is_for (entry, &wanted) || entry->at + RING_SIZE < device->head) {
    wanted.at = make_room (device, n * kernel->constants_size);
    if (wanted.at == 0)
      return NULL;
    for (int i = 0; i < n; i++)
      kernel->make_constants (device->mirror + wanted.at % RING_SIZE
          + i * kernel->constants_size, plane, &launch->quantizers[i]);
    *entry = wanted;
  }
  if (entry->at < device->kept)
    device->kept = entry->at;
  return device->ring + entry->at % RING_SIZE;
}

/* Let a stream wait for all others so far, or these wait for it. */
static cudaError_t
order_streams (BdctCudaDevice * device, cudaStream_t stream, bool after)
{
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < BDCT_CUDA_STREAMS && err == cudaSuccess; i++)
    if ((device->streams[i] == stream) != after)
      err = cudaEventRecord (device->uploads[i], device->streams[i]);
  for (int i = 0; i < BDCT_CUDA_STREAMS && err == cudaSuccess; i++)
    for (int k = 0; k < BDCT_CUDA_STREAMS && err == cudaSuccess; k++)
      if ((device->streams[i] == stream) != after
          && (device->streams[k] == stream) == after)
        err = cudaStreamWaitEvent (device->streams[k], device->uploads[i], 0);
  return err;
}

/* The source is pageable memory, which is read before the calls return. The
 * data that this replaces in the ring belongs to earlier launches, and later
 * ones of all streams may use what replaces it. */
static cudaError_t
upload_constants (BdctCudaDevice * device, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (device->uploaded == device->head)
    return err;
  err = order_streams (device, stream, true);
  while (err == cudaSuccess && device->uploaded < device->head) {
    const size_t from = device->uploaded % RING_SIZE;
    const uint64_t n = device->head - device->uploaded;
    const size_t size = n < RING_SIZE - from ? n : RING_SIZE - from;

    err = cudaMemcpyAsync (device->ring + from, device->mirror + from, size,
        cudaMemcpyHostToDevice, stream);
    if (err == cudaSuccess)
      device->uploaded += size;
  }
  return err == cudaSuccess ? order_streams (device, stream, false) : err;
}

/* Launching */

/* Append a launch if the batch is empty, or has the same kind and room. */
static bool
append (BdctCudaBatch * batch, const BdctCudaLaunch * first,
    const BdctCudaLaunch * launch, BdctCudaDevice * device)
{
  if (batch->n_planes > 0
      && (batch->n_planes + launch->n_planes > BDCT_CUDA_MAX_PLANES
          || batch->n_tiles > INT_MAX / 2 || launch->kernel != first->kernel
          || launch->pictures != first->pictures
          || launch->mixed != first->mixed
          || launch->quantizers[0].depth != first->quantizers[0].depth))
    return false;
  for (int p = 0; p < launch->n_planes; p++) {
    BdctCudaPlane *plane = &batch->plane[batch->n_planes + p];

    *plane = launch->plane[p];
    plane->first_tile = batch->n_tiles + plane->first_tile;
    plane->constants = find_constants (device, launch, plane);
    if (plane->constants == NULL)
      return false;
  }
  batch->n_planes += launch->n_planes;
  batch->n_tiles += launch->n_tiles;
  return true;
}

static cudaError_t
enqueue (BdctCudaBatch * batch, const BdctCudaLaunch * first,
    BdctCudaDevice * device, cudaStream_t stream)
{
  const BdctCudaKernel *kernel = first->kernel;
  struct cudaLaunchAttribute_st early = {
    .id = cudaLaunchAttributeProgrammaticStreamSerialization,
    .val.programmaticStreamSerializationAllowed = 1
  };
  struct cudaLaunchConfig_st config = {
    .gridDim = {batch->n_tiles, 1, first->pictures},
    .blockDim = {kernel->warps * 32, 1, 1},.stream = stream,
    .attrs = &early,.numAttrs = kernel->early && device->capability.early
  };
  void *args[] = { batch };
  int blocks;
  cudaError_t err;

  batch->depth = first->quantizers[0].depth;
  batch->mixed = first->mixed;
  batch->maps = 0;
  for (int p = 0; p < batch->n_planes; p++)
    batch->maps |= batch->plane[p].quantizer_of_tile != NULL;
  batch->span = 1;
  if (kernel->spans) {
    err = bdct_capability_blocks (&device->capability, kernel, &blocks);
    if (err != cudaSuccess)
      return err;
    /* All warps that the device holds at once, times the number of rounds that
     * gives each warp tiles of about 256 rows: there is no half-empty last
     * round. */
    const int64_t tiles = kernel->warps / kernel->tile_warps; /* of a block */
    const int64_t at_once = device->capability.multiprocessors * blocks * tiles;
    const int64_t round = 256 / kernel->rows * at_once;
    const int64_t rounds = (batch->n_tiles + round / 2) / round;

    batch->span = (int32_t) ((batch->n_tiles - 1)
        / (at_once * (rounds ? rounds : 1)) + 1);
    config.gridDim.x =
        (unsigned) ((batch->n_tiles - 1) / (batch->span * tiles) + 1);
  }
  return cudaLaunchKernelExC (&config, kernel->function, args);
}

bool
bdct_cuda_launch (const BdctCudaLaunch * const *launches, int n_launches,
    BdctCudaDevice * device, cudaStream_t stream, BdctError * error)
{
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < n_launches && err == cudaSuccess;) {
    const BdctCudaLaunch *first = launches[i];
    BdctCudaBatch batch;

    device->kept = UINT64_MAX;
    batch.n_planes = batch.n_tiles = 0;
    while (i < n_launches && append (&batch, first, launches[i], device))
      i++;
    if (batch.n_planes == 0) {
      /* The launch's own older constants take the room of its new ones. */
      forget_constants (device);
      device->kept = UINT64_MAX;
      i += append (&batch, first, first, device);
    }
    err = batch.n_planes > 0 ? upload_constants (device, stream)
        : cudaErrorMemoryAllocation;
    if (err == cudaSuccess)
      err = enqueue (&batch, first, device, stream);
  }
  if (err != cudaSuccess)
    forget_constants (device);
  return bdct_cuda_check (err, "cudaLaunchKernel", error);
}

bool
bdct_cuda_run (BdctCudaDevice * device, const BdctCudaWork * work,
    cudaStream_t stream, BdctError * error)
{
  BdctCudaLaunch launch[2];
  const BdctCudaLaunch *launches[] = { &launch[0], &launch[1] };
  const int n = bdct_cuda_choose (device, work, launch, error);

  return n > 0 && bdct_cuda_launch (launches, n, device, stream, error);
}
