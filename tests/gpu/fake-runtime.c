/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-runtime.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fake-kernels.h"

#define N_RANGES 4096

bool fake_refuse_pinned, fake_fail_launch, fake_lose_context;

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
  const void *function;
  BdctCudaBatch batch;
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

void
fake_die (const char *what)
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
  fake_die ("too many allocations");
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
  fake_die ("not allocated");
  return cudaErrorInvalidValue;
}

char
fake_kind_of (const void *memory, size_t size)
{
  const uint8_t *from = memory;
  char kind = 0;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < N_RANGES; i++)
    if (ranges[i].base != NULL && from >= ranges[i].base
        && from < ranges[i].base + ranges[i].size) {
      if (from + size > ranges[i].base + ranges[i].size)
        fake_die ("outside an allocation");
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
  char kind = fake_kind_of (memory, 1);

  memset (attributes, 0, sizeof *attributes);
  attributes->type = kind == 'd' ? cudaMemoryTypeDevice
      : kind == 'p' ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

/* Streams */

/* What a lost context says of all that waits. */
static cudaError_t
state (void)
{
  return fake_lose_context ? cudaErrorLaunchFailure : cudaSuccess;
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
      fake_compute (op->function, &op->batch);
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
    fake_die ("the default stream");
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
    fake_die ("no thread");
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
  return state ();
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
  return state ();
}

cudaError_t
cudaMemsetAsync (void *memory, int value, size_t n, cudaStream_t stream)
{
  if (fake_kind_of (memory, n) != 'd')
    fake_die ("memset of memory of the host");
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
  char host = up ? fake_kind_of (from, from_size) : fake_kind_of (to, to_size);
  cudaError_t err;

  if (row > to_pitch || row > from_pitch || host == 'd'
      || fake_kind_of (up ? to : from, up ? to_size : from_size) != 'd')
    fake_die ("a copy in the wrong direction");
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

cudaError_t
cudaLaunchKernel (const void *function, struct dim3 grid, struct dim3 block,
    void **args, size_t shared, cudaStream_t stream)
{
  Op op = {.what = LAUNCH,.function = function,
    .batch = *(const BdctCudaBatch *) args[0]
  };

  if (fake_fail_launch)
    return cudaErrorLaunchFailure;
  if (block.y * block.z * grid.y * grid.z != 1 || shared != 0)
    fake_die ("a launch of another shape");
  fake_check_grid (function, &op.batch, grid.x, block.x);
  return enqueue (stream, op);
}
