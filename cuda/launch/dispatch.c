/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dispatch.h"
#include "capability.h"
#include "cuda/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The kernels' constants on the device: a ring, in which the oldest entries
 * make room for new ones. It has room for the settings of a curve, of 20 KB a
 * plane; a smaller ring would have all constants made anew for every frame. */
#define RING_SIZE (12 << 20)
#define ENTRY_ALIGN 128
#define N_ENTRIES 1024
#define N_BUCKETS 4096          /* both are powers of 2 */
#define N_PROBES 8

/* An entry: one plane's constants of all quantizers, followed by its key, the
 * component jobs and the rate-distortion parameters of each quantizer. Some
 * kernels share entries. */
typedef struct {
  void (*make_constants) (void *, const BdctCudaPlane *, const BdctJob *);
  int depth, slice_qp, n_quantizers, interleave;
  BdctComponent component[2];
  uint64_t hash;
  uint64_t at;                  /* position in the ring, as if it were
                                   endless */
  uint64_t follower;            /* the entry requested after it */
  unsigned launch;              /* the last launch that uses it */
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
  uint8_t *ring, *mirror;       /* on the device and on the host */
  uint64_t head, uploaded;      /* end of the ring, and of its uploaded part */
  /* Entries have numbers from 1 on. The ring has those from `oldest` to `next`
   * - 1. */
  uint64_t oldest, next, last;  /* last: most recently requested */
  unsigned launch;              /* number of the launch in preparation */
  uint64_t bucket[N_BUCKETS];   /* entries by their hash */
  Entry entry[N_ENTRIES];
};

_Static_assert (sizeof (BdctCudaBatch) <= 4096, "a kernel's parameters");

static void
forget_constants (BdctCudaDevice * device)
{
  device->oldest = device->next;
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
  device->oldest = device->next = 1;
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

/* Planning */

/* Cut work into a kernel's tiles. False if there are more tiles than a launch
 * supports. */
static bool
cut (BdctCudaLaunch * launch, const BdctCudaKernel * kernel,
    const BdctCudaWork * work, bool mixed)
{
  const int bytes = work->quantizers[0].depth > 8 ? 2 : 1;
  const int pictures = work->pictures > 1 ? work->pictures : 1;
  int64_t n_tiles = 0;

  launch->kernel = kernel;
  launch->quantizers = work->quantizers;
  launch->n_quantizers = work->n_quantizers;
  launch->n_planes = work->n_planes;
  launch->pictures = pictures;
  launch->mixed = mixed;
  launch->levels = false;
  for (int p = 0; p < work->n_planes; p++) {
    BdctCudaPlane *plane = &launch->plane[p];
    const BdctPlaneLayout *layout = &plane->layout;
    const BdctComponentJob *job;

    *plane = work->plane[p];
    job = &work->quantizers[0].component[layout->component[0]];
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
bdct_cuda_plan (BdctCudaDevice * device, const BdctCudaWork * work,
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

static Entry *
entry_at (BdctCudaDevice * device, uint64_t number)
{
  return &device->entry[number % N_ENTRIES];
}

static bool
is_there (const BdctCudaDevice * device, uint64_t number)
{
  return number >= device->oldest && number < device->next;
}

static const BdctComponentJob *
job_of (const BdctCudaLaunch * launch, const BdctPlaneLayout * layout, int i)
{
  return &launch->quantizers[i / layout->interleave]
      .component[layout->component[i % layout->interleave]];
}

/* The number of component jobs of an entry. */
static int
count_jobs (const BdctCudaLaunch * launch, const BdctPlaneLayout * layout)
{
  return launch->n_quantizers * layout->interleave;
}

/* The bytes of an entry's key. */
static size_t
key_size (const BdctCudaLaunch * launch, const BdctPlaneLayout * layout)
{
  return count_jobs (launch, layout) * sizeof (BdctComponentJob);
}

static uint64_t
add_to_hash (uint64_t hash, const void *data, size_t size)
{
  for (size_t at = 0; at < size; at += 4) {
    uint32_t word;

    memcpy (&word, (const uint8_t *) data + at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

static uint64_t
hash_of (const BdctCudaLaunch * launch, const BdctPlaneLayout * layout)
{
  uint64_t hash = (uintptr_t) launch->kernel->make_constants
      + launch->quantizers[0].depth + 64 * launch->quantizers[0].slice_qp;

  for (int i = 0; i < count_jobs (launch, layout); i++)
    hash = add_to_hash (hash, job_of (launch, layout, i),
        sizeof (BdctComponentJob));
  return hash;
}

static bool
is_for (BdctCudaDevice * device, uint64_t number, const BdctCudaLaunch * launch,
    const BdctPlaneLayout * layout)
{
  const Entry *entry = entry_at (device, number);
  const uint8_t *made_for;

  if (!is_there (device, number)
      || entry->make_constants != launch->kernel->make_constants
      || entry->depth != launch->quantizers[0].depth
      || entry->slice_qp != launch->quantizers[0].slice_qp
      || entry->n_quantizers != launch->n_quantizers
      || entry->interleave != layout->interleave
      || memcmp (entry->component, layout->component,
          layout->interleave * sizeof entry->component[0]) != 0)
    return false;
  made_for = device->mirror + entry->at % RING_SIZE
      + launch->n_quantizers * launch->kernel->constants_size;
  for (int i = 0; i < count_jobs (launch, layout); i++)
    if (memcmp (made_for + i * sizeof (BdctComponentJob),
            job_of (launch, layout, i), sizeof (BdctComponentJob)) != 0)
      return false;
  return true;
}

/* Make room for an entry of this size. Returns its number; 0 if there is no
 * room besides the entries of the launch in preparation. */
static uint64_t
make_room (BdctCudaDevice * device, size_t size)
{
  const uint64_t left = RING_SIZE - device->head % RING_SIZE;
  uint64_t at = device->head;
  Entry *entry;

  size = (size + ENTRY_ALIGN - 1) & ~(size_t) (ENTRY_ALIGN - 1);
  if (size > RING_SIZE)
    return 0;
  if (size > left)
    at += left;
  while (device->oldest < device->next) {
    entry = entry_at (device, device->oldest);
    if (entry->at + RING_SIZE >= at + size
        && device->next - device->oldest < N_ENTRIES)
      break;
    if (entry->launch == device->launch)
      return 0;
    device->oldest++;
  }
  entry_at (device, device->next)->at = at;
  device->head = at + size;
  return device->next++;
}

static uint64_t
make_entry (BdctCudaDevice * device, uint64_t hash,
    const BdctCudaLaunch * launch, const BdctCudaPlane * plane)
{
  const BdctCudaKernel *kernel = launch->kernel;
  const BdctPlaneLayout *layout = &plane->layout;
  const int n_jobs = count_jobs (launch, layout);
  const uint64_t number = make_room (device,
      launch->n_quantizers * kernel->constants_size
      + key_size (launch, layout));
  Entry *entry = entry_at (device, number);
  int probe = 0;
  uint8_t *to;

  if (number == 0)
    return 0;
  *entry = (Entry) { kernel->make_constants, launch->quantizers[0].depth,
    launch->quantizers[0].slice_qp, launch->n_quantizers, layout->interleave,
    {layout->component[0], layout->component[1]}, hash, entry->at, 0,
    device->launch
  };
  to = device->mirror + entry->at % RING_SIZE;
  for (int i = 0; i < launch->n_quantizers; i++, to += kernel->constants_size)
    kernel->make_constants (to, plane, &launch->quantizers[i]);
  for (int i = 0; i < n_jobs; i++, to += sizeof (BdctComponentJob))
    memcpy (to, job_of (launch, layout, i), sizeof (BdctComponentJob));
  while (probe < N_PROBES
      && is_there (device, device->bucket[(hash + probe) % N_BUCKETS]))
    probe++;
  /* If all probes are taken, an older entry can no longer be found by its
   * hash. */
  device->bucket[(hash + probe % N_PROBES) % N_BUCKETS] = number;
  return number;
}

static uint64_t
find_entry (BdctCudaDevice * device, uint64_t hash,
    const BdctCudaLaunch * launch, const BdctPlaneLayout * layout)
{
  for (int i = 0; i < N_PROBES; i++) {
    const uint64_t number = device->bucket[(hash + i) % N_BUCKETS];

    if (entry_at (device, number)->hash == hash
        && is_for (device, number, launch, layout))
      return number;
  }
  return 0;
}

/* A plane's constants on the device, valid after the next upload; NULL if the
 * launch in preparation must be enqueued first. Frames request the same
 * constants in the same order, so the first guess is the entry that followed
 * the last one. */
static const uint8_t *
find_constants (BdctCudaDevice * device, const BdctCudaLaunch * launch,
    const BdctCudaPlane * plane)
{
  const uint64_t last = device->last;
  uint64_t number = entry_at (device, last)->follower;
  Entry *entry;

  if (!is_for (device, number, launch, &plane->layout)) {
    const uint64_t hash = hash_of (launch, &plane->layout);

    number = find_entry (device, hash, launch, &plane->layout);
    if (number == 0)
      number = make_entry (device, hash, launch, plane);
    if (number == 0)
      return NULL;
    if (is_there (device, last))
      entry_at (device, last)->follower = number;
  }
  entry = entry_at (device, number);
  entry->launch = device->launch;
  device->last = number;
  return device->ring + entry->at % RING_SIZE;
}

/* Let a stream wait for all others so far, or these wait for it. */
static cudaError_t
join (BdctCudaDevice * device, cudaStream_t stream, bool after)
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
  err = join (device, stream, true);
  while (err == cudaSuccess && device->uploaded < device->head) {
    const size_t from = device->uploaded % RING_SIZE;
    const uint64_t n = device->head - device->uploaded;
    const size_t size = n < RING_SIZE - from ? n : RING_SIZE - from;

    err = cudaMemcpyAsync (device->ring + from, device->mirror + from, size,
        cudaMemcpyHostToDevice, stream);
    if (err == cudaSuccess)
      device->uploaded += size;
  }
  return err == cudaSuccess ? join (device, stream, false) : err;
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

cudaError_t
bdct_cuda_launch (const BdctCudaLaunch * const *launches, int n_launches,
    BdctCudaDevice * device, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  for (int i = 0; i < n_launches && err == cudaSuccess;) {
    const BdctCudaLaunch *first = launches[i];
    BdctCudaBatch batch;

    device->launch++;
    batch.n_planes = batch.n_tiles = 0;
    while (i < n_launches && append (&batch, first, launches[i], device))
      i++;
    if (batch.n_planes == 0) {
      /* The launch's own older constants take the room of its new ones. */
      forget_constants (device);
      i += append (&batch, first, first, device);
    }
    err = batch.n_planes > 0 ? upload_constants (device, stream)
        : cudaErrorMemoryAllocation;
    if (err == cudaSuccess)
      err = enqueue (&batch, first, device, stream);
  }
  if (err != cudaSuccess)
    forget_constants (device);
  return err;
}
