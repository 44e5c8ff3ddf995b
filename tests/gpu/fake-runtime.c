/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-runtime.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/launch.h"
#include "cuda/view-launch.h"
#include "dct/engine.h"

#define N_RANGES 4096

bool fake_refuse_pinned, fake_fail_launch;

typedef struct Op {
  struct Op *next;
  enum { COPY, SET, RECORD, WAIT, LAUNCH, STOP } what;
  uint8_t *to;
  const uint8_t *from;
  size_t to_pitch, from_pitch, row, rows;
  int value;
  uint8_t *owned;               /* freed when done */
  cudaEvent_t event;
  unsigned long number;
  BdctCudaBatch batch;
  bool takes_mixed;
} Op;

struct CUstream_st {
  pthread_t thread;
  Op *first, **end;
  unsigned long enqueued, done;
  unsigned seed;
};

struct CUevent_st {
  unsigned long recorded, reached;
};

typedef struct {
  uint8_t *base;
  size_t size;
  bool device;
} Range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Range ranges[N_RANGES];
static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;

static void
die (const char *what)
{
  fprintf (stderr, "fake runtime: %s\n", what);
  abort ();
}

/* Memory */

static cudaError_t
allocate (void **memory, size_t size, bool device)
{
  *memory = malloc (size);
  memset (*memory, 0x5a, size);
  pthread_mutex_lock (&lock);
  for (int i = 0; i < N_RANGES; i++)
    if (ranges[i].base == NULL) {
      ranges[i] = (Range) { *memory, size, device };
      pthread_mutex_unlock (&lock);
      return cudaSuccess;
    }
  die ("too many allocations");
  return cudaErrorMemoryAllocation;
}

static cudaError_t
release (void *memory, bool device)
{
  if (memory == NULL)
    return cudaSuccess;
  pthread_mutex_lock (&lock);
  for (int i = 0; i < N_RANGES; i++)
    if (ranges[i].base == memory && ranges[i].device == device) {
      ranges[i].base = NULL;
      pthread_mutex_unlock (&lock);
      free (memory);
      return cudaSuccess;
    }
  die ("not allocated");
  return cudaErrorInvalidValue;
}

/* What a span of memory is: 'd'evice, 'p'inned, or neither. */
static char
kind_of (const uint8_t * from, size_t size)
{
  char kind = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < N_RANGES; i++)
    if (ranges[i].base != NULL && from >= ranges[i].base
        && from < ranges[i].base + ranges[i].size) {
      if (from + size > ranges[i].base + ranges[i].size)
        die ("outside an allocation");
      kind = ranges[i].device ? 'd' : 'p';
    }
  pthread_mutex_unlock (&lock);
  return kind;
}

cudaError_t
cudaMalloc (void **memory, size_t size)
{
  return allocate (memory, size, true);
}

cudaError_t
cudaFree (void *memory)
{
  return release (memory, true);
}

cudaError_t
cudaHostAlloc (void **memory, size_t size, unsigned flags)
{
  (void) flags;
  return fake_refuse_pinned ? cudaErrorMemoryAllocation
      : allocate (memory, size, false);
}

cudaError_t
cudaFreeHost (void *memory)
{
  return release (memory, false);
}

cudaError_t
cudaPointerGetAttributes (struct cudaPointerAttributes *attributes,
    const void *memory)
{
  char kind = kind_of (memory, 1);

  memset (attributes, 0, sizeof *attributes);
  attributes->type = kind == 'd' ? cudaMemoryTypeDevice
      : kind == 'p' ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

/* Streams */

/* What a kernel has of a plane's job: its constants. */
typedef struct {
  BdctJob job;
  BdctPlaneLayout layout;
} __attribute__ ((aligned (16))) Constants;

static void
make_constants (void *to, const BdctCudaPlane * plane, const BdctJob * job)
{
  memcpy (to, &(Constants) { *job, plane->layout }, sizeof (Constants));
}

static BdctJob
job_of (const BdctCudaPlane * plane, int set)
{
  Constants constants;

  if (kind_of (plane->constants + set * plane->set_size,
          sizeof constants) != 'd')
    die ("constants of the host");
  memcpy (&constants, plane->constants + set * plane->set_size,
      sizeof constants);
  if (constants.layout.interleave != plane->layout.interleave
      || memcmp (constants.layout.component, plane->layout.component,
          plane->layout.interleave * sizeof (BdctComponent)) != 0)
    die ("constants of another plane");
  return constants.job;
}

/* Part of a plane. */
typedef struct {
  int x, y;                     /* of the first sample of each component */
  BdctLayout layout;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  size_t first[2], n_blocks;    /* first: block of the plane's components */
} Part;

static void
part_init (Part * part, const BdctCudaPlane * plane, const BdctJob * job,
    int x, int y, int width, int height)
{
  BdctPlaneLayout *layout = &part->layout.plane[0];

  part->x = x;
  part->y = y;
  part->layout = (BdctLayout) {.depth = job->depth,.n_planes = 1 };
  *layout = plane->layout;
  layout->width = width < layout->width - x ? width : layout->width - x;
  layout->height = height < layout->height - y ? height : layout->height - y;
  part->n_blocks = bdct_blocks_init (part->grid, &part->layout, job);
  for (int i = 0; i < layout->interleave; i++)
    part->first[i] = (size_t) (y >> plane->log2_height) * plane->columns
        + (x >> plane->log2_width);
}

static BdctImage
image_of (const BdctSamples * plane, const Part * part)
{
  const BdctPlaneLayout *layout = &part->layout.plane[0];
  BdctImage image = { BDCT_MEMORY_HOST };

  if (plane->data == NULL)
    return image;
  if (kind_of (plane->data, 1) != 'd')
    die ("a kernel on memory of the host");
  image.data[0] = plane->data + part->y * plane->stride
      + (ptrdiff_t) part->x * layout->interleave
      * bdct_layout_sample_size (&part->layout);
  image.stride[0] = plane->stride;
  return image;
}

/* Rows of a part's blocks in the plane's array of `size` bytes each, and in
 * the part's own. */
static void
move_blocks (const BdctCudaPlane * plane, const Part * part, int i,
    uint8_t * whole, uint8_t * own, size_t size, bool there)
{
  const BdctBlockGrid *grid =
      &part->grid[part->layout.plane[0].component[i]];

  for (int v = 0; v < grid->rows; v++) {
    uint8_t *a = whole + (part->first[i] + (size_t) v * plane->columns) * size;
    uint8_t *b = own + (grid->first + (size_t) v * grid->columns) * size;

    if (kind_of (a, grid->columns * size) != 'd')
      die ("blocks on the host");
    memcpy (there ? a : b, there ? b : a, grid->columns * size);
  }
}

/* `set`: of all blocks, or BDCT_CUDA_MIXED. */
static void
compute_part (const BdctCudaPlane * plane, const Part * part, uint8_t set)
{
  static BdctEngine *engine;
  const BdctPlaneLayout *layout = &part->layout.plane[0];
  uint8_t *map = calloc (part->n_blocks, 1);
  BdctBlockRecord *blocks = malloc (part->n_blocks * sizeof *blocks);
  BdctEngineOptions options = {.threads = 1 };
  BdctJob sets[BDCT_MAX_SETS];
  BdctFrame frame = {.sets = sets,.n_sets = 1,.blocks = blocks,
    .n_blocks = part->n_blocks,.src = image_of (&plane->src, part),
    .dst = image_of (&plane->dst, part)
  };
  BdctStats stats;

  sets[0] = job_of (plane, set == BDCT_CUDA_MIXED ? 0 : set);
  if (set == BDCT_CUDA_MIXED) {
    for (int i = 0; i < layout->interleave; i++)
      move_blocks (plane, part, i, (uint8_t *) plane->set_of_block[i], map, 1,
          false);
    for (size_t i = 0; i < part->n_blocks; i++)
      if (map[i] >= frame.n_sets)
        frame.n_sets = map[i] + 1;
    for (int i = 1; i < frame.n_sets; i++)
      sets[i] = job_of (plane, i);
    frame.set_of_block = map;
  }
  pthread_mutex_lock (&engine_lock);
  if (engine == NULL)
    engine = bdct_cpu_engine.create (&options, NULL);
  if (!engine->klass->configure (engine, &part->layout, 1, NULL)
      || !engine->klass->submit (engine, &frame, NULL)
      || !engine->klass->collect (engine, &stats, NULL))
    die ("no kernel");
  pthread_mutex_unlock (&engine_lock);
  for (int i = 0; i < layout->interleave && plane->blocks[0] != NULL; i++)
    move_blocks (plane, part, i, (uint8_t *) plane->blocks[i],
        (uint8_t *) blocks, sizeof *blocks, true);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    plane->cells[3].sse[c] += stats.component[c].sse / 2;
    plane->cells[c].sse[c] += stats.component[c].sse
        - stats.component[c].sse / 2;
    plane->cells[BDCT_CUDA_CELLS - 1].nonzero[c] += stats.component[c].nonzero;
  }
  free (map);
  free (blocks);
}

/* The tensor cores' kernel leaves mixed cells alone. */
static void
compute (const BdctCudaBatch * batch, bool takes_mixed)
{
  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane *plane = &batch->plane[p];
    const BdctPlaneLayout *layout = &plane->layout;
    const int width = BDCT_CUDA_CELL_SAMPLES / layout->interleave;
    const BdctJob job = job_of (plane, 0);
    const uint8_t *cell = plane->set_of_cell;
    Part part;

    if (job.depth != batch->depth)
      die ("a job of another depth");
    if (cell == NULL) {
      part_init (&part, plane, &job, 0, 0, layout->width, layout->height);
      compute_part (plane, &part, 0);
      continue;
    }
    for (int y = 0; y < layout->height; y += BDCT_CUDA_CELL_ROWS)
      for (int x = 0; x < layout->width; x += width, cell++) {
        if (kind_of (cell, 1) != 'd')
          die ("cells on the host");
        if (*cell == BDCT_CUDA_MIXED ? !takes_mixed : batch->mixed)
          continue;
        part_init (&part, plane, &job, x, y, width, BDCT_CUDA_CELL_ROWS);
        compute_part (plane, &part, *cell);
      }
  }
}

/* Do it; called without the lock. */
static void
perform (Op * op)
{
  switch (op->what) {
    case COPY:
      for (size_t y = 0; y < op->rows; y++)
        memcpy (op->to + y * op->to_pitch, op->from + y * op->from_pitch,
            op->row);
      break;
    case SET:
      memset (op->to, op->value, op->row);
      break;
    case LAUNCH:
      compute (&op->batch, op->takes_mixed);
      break;
    case RECORD:
      pthread_mutex_lock (&lock);
      if (op->event->reached < op->number)
        op->event->reached = op->number;
      pthread_mutex_unlock (&lock);
      break;
    case WAIT:
      pthread_mutex_lock (&lock);
      while (op->event->reached < op->number)
        pthread_cond_wait (&changed, &lock);
      pthread_mutex_unlock (&lock);
      break;
    case STOP:
      break;
  }
  free (op->owned);
}

static void *
run_stream (void *data)
{
  cudaStream_t stream = data;
  bool stop = false;

  while (!stop) {
    Op *op;

    pthread_mutex_lock (&lock);
    while (stream->first == NULL)
      pthread_cond_wait (&changed, &lock);
    op = stream->first;
    pthread_mutex_unlock (&lock);
    /* Late, and each time otherwise. */
    if (rand_r (&stream->seed) % 4 == 0)
      usleep (rand_r (&stream->seed) % 60);
    perform (op);
    stop = op->what == STOP;
    pthread_mutex_lock (&lock);
    stream->first = op->next;
    if (stream->first == NULL)
      stream->end = &stream->first;
    stream->done++;
    pthread_cond_broadcast (&changed);
    pthread_mutex_unlock (&lock);
    free (op);
  }
  return NULL;
}

static cudaError_t
enqueue (cudaStream_t stream, Op op)
{
  Op *copy = malloc (sizeof *copy);

  if (stream == NULL)
    die ("the default stream");
  *copy = op;
  copy->next = NULL;
  pthread_mutex_lock (&lock);
  *stream->end = copy;
  stream->end = &copy->next;
  stream->enqueued++;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t * stream, unsigned flags)
{
  static unsigned seed;

  (void) flags;
  *stream = calloc (1, sizeof **stream);
  (*stream)->end = &(*stream)->first;
  (*stream)->seed = seed++;
  if (pthread_create (&(*stream)->thread, NULL, run_stream, *stream) != 0)
    die ("no thread");
  return cudaSuccess;
}

cudaError_t
cudaStreamCreate (cudaStream_t * stream)
{
  return cudaStreamCreateWithFlags (stream, 0);
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  unsigned long number;

  pthread_mutex_lock (&lock);
  number = stream->enqueued;
  while (stream->done < number)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  enqueue (stream, (Op) {.what = STOP});
  pthread_join (stream->thread, NULL);
  free (stream);
  return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t * event, unsigned flags)
{
  (void) flags;
  *event = calloc (1, sizeof **event);
  return cudaSuccess;
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  free (event);
  return cudaSuccess;
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  pthread_mutex_lock (&lock);
  event->recorded++;
  pthread_mutex_unlock (&lock);
  return enqueue (stream, (Op) {.what = RECORD,.event = event,
        .number = event->recorded});
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  (void) flags;
  return enqueue (stream, (Op) {.what = WAIT,.event = event,
        .number = event->recorded});
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  pthread_mutex_lock (&lock);
  while (event->reached < event->recorded)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaMemsetAsync (void *memory, int value, size_t n, cudaStream_t stream)
{
  if (kind_of (memory, n) != 'd')
    die ("memset of memory of the host");
  return enqueue (stream, (Op) {.what = SET,.to = memory,.value = value,
        .row = n});
}

/* Copies from pageable memory are done with it, and copies to it are made, when
 * they return. */
cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from,
    size_t from_pitch, size_t row, size_t rows, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  Op op = {.what = COPY,.to = to,.to_pitch = to_pitch,.from = from,
    .from_pitch = from_pitch,.row = row,.rows = rows
  };
  size_t to_size = to_pitch * (rows - 1) + row;
  size_t from_size = from_pitch * (rows - 1) + row;
  bool up = kind == cudaMemcpyHostToDevice;
  char host = up ? kind_of (from, from_size) : kind_of (to, to_size);
  cudaError_t err;

  if (row > to_pitch || row > from_pitch || host == 'd'
      || (up ? kind_of (to, to_size) : kind_of (from, from_size)) != 'd')
    die ("a copy in the wrong direction");
  if (up && host == 0) {
    op.owned = malloc (from_size);
    op.from = memcpy (op.owned, from, from_size);
  }
  err = enqueue (stream, op);
  return !up && host == 0 ? cudaStreamSynchronize (stream) : err;
}

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t n,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  return cudaMemcpy2DAsync (to, n, from, n, n, 1, kind, stream);
}

/* What the tests use, without a stream. */

cudaError_t
cudaMemcpy (void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
  (void) kind;
  memcpy (to, from, n);
  return cudaSuccess;
}

cudaError_t
cudaMemset (void *memory, int value, size_t n)
{
  memset (memory, value, n);
  return cudaSuccess;
}

cudaError_t
cudaDeviceSynchronize (void)
{
  return cudaSuccess;
}

/* The device */

cudaError_t
cudaGetDeviceCount (int *n)
{
  *n = 1;
  return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t
cudaGetDevice (int *device)
{
  *device = 0;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties (struct cudaDeviceProp *prop, int device)
{
  (void) device;
  memset (prop, 0, sizeof *prop);
  strcpy (prop->name, "fake");
  prop->major = 9;
  return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr what, int device)
{
  (void) what, (void) device;
  *value = 3;
  return cudaSuccess;
}

cudaError_t
cudaGetLastError (void)
{
  return cudaSuccess;
}

const char *
cudaGetErrorString (cudaError_t err)
{
  return err == cudaSuccess ? "no error" : "refused";
}

/* The kernels: one as those of the tensor cores, which does not take blocks of
 * 32 a side, and one for the rest. */

static const BdctCudaKernel tensor = {
  &tensor, 16, 128, 4, 1, 4, sizeof (Constants), make_constants
};
static const BdctCudaKernel scalar[2] = {
  {&scalar[0], 32, 128, 4, 4, 0, sizeof (Constants), make_constants},
  {&scalar[1], 32, 256, 4, 4, 0, sizeof (Constants), make_constants},
};

cudaError_t
bdct_tensor_check (bool *has)
{
  *has = true;
  return cudaSuccess;
}

const BdctCudaKernel *
bdct_tensor_find (const BdctCudaWork * work)
{
  for (int p = 0; p < work->n_planes; p++)
    if (work->sets[0].component[work->plane[p].layout.component[0]].log2_width
        > 4)
      return NULL;
  return &tensor;
}

const BdctCudaKernel *
bdct_scalar_find (const BdctCudaWork * work)
{
  return &scalar[work->sets[0].depth > 8];
}

static int
count_tiles (const BdctCudaBatch * batch, const BdctCudaKernel * kernel)
{
  int n = 0;

  for (int p = 0; p < batch->n_planes; p++) {
    const BdctCudaPlane *plane = &batch->plane[p];

    if (plane->first_tile != n)
      die ("a plane's tiles");
    n += ((plane->row_bytes - 1) / kernel->row_bytes + 1)
        * ((plane->layout.height - 1) / kernel->rows + 1);
  }
  return n;
}

cudaError_t
cudaLaunchKernel (const void *function, struct dim3 grid, struct dim3 block,
    void **args, size_t shared, cudaStream_t stream)
{
  const BdctCudaKernel *kernel = function;
  Op op = {.what = LAUNCH,.batch = *(const BdctCudaBatch *) args[0],
    .takes_mixed = kernel != &tensor
  };
  int n_tiles = count_tiles (&op.batch, kernel);
  int span = kernel->blocks ? op.batch.span * kernel->warps : 1;

  if (fake_fail_launch)
    return cudaErrorLaunchFailure;
  if (n_tiles != op.batch.n_tiles || shared != 0
      || block.x != (unsigned) kernel->warps * 32
      || (int) grid.x != (n_tiles + span - 1) / span)
    die ("a launch that leaves tiles out");
  return enqueue (stream, op);
}

/* The queue's tests show the reconstruction. */
cudaError_t
bdct_cuda_view_launch (const BdctRender * render, cudaStream_t stream)
{
  (void) render, (void) stream;
  return cudaErrorInvalidValue;
}
