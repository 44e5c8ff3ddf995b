/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-runtime.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fake-kernels.h"
#include "fake-memory.h"

bool fake_refuse_pinned, fake_lose_context;
int fake_capability = 90, fake_code = cudaSuccess;
_Atomic unsigned long fake_uploaded;
_Thread_local FakeFaults fake_faults;
static _Thread_local cudaError_t last_error;

typedef struct Op {
  struct Op *next;
  enum { COPY, SET, RECORD, WAIT, LAUNCH, OTHER, STOP } what;
  uint8_t *to;
  const uint8_t *from;
  size_t to_pitch, from_pitch, row, rows;
  int value;
  uint8_t *owned;               /* freed when done */
  cudaEvent_t event;
  unsigned long number;
  const void *function;
  BdctCudaBatch batch;
  FakeOther other;
} Op;

struct CUstream_st {
  pthread_t thread;
  pthread_cond_t filled;        /* there is a `first` */
  Op *first, **end;
  unsigned long enqueued, done;
  unsigned seed;
};

struct CUevent_st {
  unsigned long recorded, reached;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void
fake_die (const char *what)
{
  fprintf (stderr, "fake runtime: %s\n", what);
  abort ();
}

/* Faults */

bool
fake_fails (const char *call)
{
  FakeFaults *faults = &fake_faults;

  if (!faults->armed || ++faults->calls < faults->first || faults->first == 0
      || (faults->calls > faults->first && !faults->lost))
    return false;
  faults->failed++;
  faults->call = call;
  return true;
}

cudaError_t
fake_outcome (const char *call, cudaError_t err)
{
  if (!fake_fails (call) && !fake_lose_context)
    return cudaSuccess;
  return last_error = fake_faults.lost || fake_lose_context
      ? cudaErrorLaunchFailure : err;
}

/* Streams */

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
    case OTHER:
      op->other.compute (&op->other);
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
      pthread_cond_wait (&stream->filled, &lock);
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
  pthread_cond_signal (&stream->filled);
  pthread_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t * stream, unsigned flags)
{
  static unsigned seed;

  (void) flags;
  FAKE_FAILS (cudaErrorUnknown);
  *stream = calloc (1, sizeof **stream);
  (*stream)->end = &(*stream)->first;
  (*stream)->seed = seed++;
  pthread_cond_init (&(*stream)->filled, NULL);
  if (pthread_create (&(*stream)->thread, NULL, run_stream, *stream) != 0)
    fake_die ("no thread");
  fake_add (*stream, sizeof **stream, 's');
  return cudaSuccess;
}

static void
drain (cudaStream_t stream)
{
  unsigned long number;

  if (stream == cudaStreamPerThread)
    return;
  pthread_mutex_lock (&lock);
  number = stream->enqueued;
  while (stream->done < number)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
}

/* Its error too comes after the wait: it is what became of the work. */
cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  /* What is called without a stream is done when it returns. */
  if (stream != NULL)
    drain (stream);
  return fake_outcome (__func__, cudaErrorUnknown);
}

static void
destroy_stream (cudaStream_t stream)
{
  fake_take_away (stream, 's');
  enqueue (stream, (Op) {.what = STOP});
  pthread_join (stream->thread, NULL);
  pthread_cond_destroy (&stream->filled);
  free (stream);
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  destroy_stream (stream);
  return fake_outcome (__func__, cudaErrorUnknown);
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t * event, unsigned flags)
{
  (void) flags;
  FAKE_FAILS (cudaErrorUnknown);
  *event = calloc (1, sizeof **event);
  fake_add (*event, sizeof **event, 'e');
  return cudaSuccess;
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  fake_take_away (event, 'e');
  free (event);
  return fake_outcome (__func__, cudaErrorUnknown);
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  FAKE_FAILS (cudaErrorUnknown);
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
  FAKE_FAILS (cudaErrorUnknown);
  return enqueue (stream, (Op) {.what = WAIT,.event = event,
        .number = event->recorded});
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  FAKE_FAILS (cudaErrorUnknown);
  pthread_mutex_lock (&lock);
  while (event->reached < event->recorded)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
  return cudaSuccess;
}

cudaError_t
cudaMemsetAsync (void *memory, int value, size_t n, cudaStream_t stream)
{
  if (fake_kind_of (memory, n) != 'd')
    fake_die ("memset of memory of the host");
  FAKE_FAILS (cudaErrorUnknown);
  return enqueue (stream, (Op) {.what = SET,.to = memory,.value = value,
        .row = n});
}

/* Copies from pageable memory are done with it, and copies to it are made, when
 * they return. */
static cudaError_t
copy (void *to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t row, size_t rows, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  Op op = {.what = COPY,.to = to,.to_pitch = to_pitch,.from = from,
    .from_pitch = from_pitch,.row = row,.rows = rows
  };
  size_t to_size = to_pitch * (rows - 1) + row;
  size_t from_size = from_pitch * (rows - 1) + row;
  bool up = kind == cudaMemcpyHostToDevice;
  char host = up ? fake_kind_of (from, from_size) : fake_kind_of (to, to_size);

  if (row > to_pitch || row > from_pitch
      || (host == 'd') != (kind == cudaMemcpyDeviceToDevice)
      || fake_kind_of (up ? to : from, up ? to_size : from_size) != 'd')
    fake_die ("a copy in the wrong direction");
  if (up)
    fake_uploaded += row * rows;
  if (up && host == 0) {
    op.owned = malloc (from_size);
    op.from = memcpy (op.owned, from, from_size);
  }
  /* Whoever uses the thread's own waits for it at once. */
  if (stream == cudaStreamPerThread)
    perform (&op);
  else
    enqueue (stream, op);
  if (!up && host == 0)
    drain (stream);
  return cudaSuccess;
}

cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from,
    size_t from_pitch, size_t row, size_t rows, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  FAKE_FAILS (cudaErrorUnknown);
  return copy (to, to_pitch, from, from_pitch, row, rows, kind, stream);
}

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t n,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  FAKE_FAILS (cudaErrorUnknown);
  return copy (to, n, from, n, n, 1, kind, stream);
}

cudaError_t
cudaMemset (void *memory, int value, size_t n)
{
  FAKE_FAILS (cudaErrorUnknown);
  memset (memory, value, n);
  return cudaSuccess;
}

/* The device: what it answers, even where the call then fails. */
#define ANSWER(call, parameters, ...)                                         \
  cudaError_t                                                                 \
  call parameters                                                             \
  {                                                                           \
    __VA_ARGS__;                                                              \
    return fake_outcome (__func__, cudaErrorUnknown);                         \
  }

ANSWER (cudaGetDeviceCount, (int *n), *n = 1)
ANSWER (cudaDriverGetVersion, (int *version), *version = CUDART_VERSION)
ANSWER (cudaGetDevice, (int *device), *device = 0)
ANSWER (cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr what,
        int device), (void) what, (void) device, *value = 3)
ANSWER (cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks,
        const void *function, int threads, size_t shared),
    (void) function, (void) threads, (void) shared, *blocks = 4)
ANSWER (cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device),
    *prop = (struct cudaDeviceProp) {.name = "fake",
    .major = fake_capability / 10,.minor = fake_capability % 10},
    (void) device)

cudaError_t
cudaFuncGetAttributes (struct cudaFuncAttributes *attributes,
    const void *function)
{
  (void) function;
  *attributes = (struct cudaFuncAttributes) {.ptxVersion = fake_capability,
    .binaryVersion = fake_capability
  };
  FAKE_FAILS (cudaErrorUnknown);
  return (cudaError_t) fake_code;
}

cudaError_t
cudaPeekAtLastError (void)
{
  return last_error;
}

cudaError_t
cudaGetLastError (void)
{
  cudaError_t err = last_error;

  last_error = cudaSuccess;
  return err;
}

const char *
cudaGetErrorString (cudaError_t err)
{
  return err == cudaSuccess ? "no error"
      : err == cudaErrorMemoryAllocation ? "out of memory"
      : err == cudaErrorNoKernelImageForDevice ? "no kernel image"
      : err == cudaErrorUnsupportedPtxVersion ? "an unsupported PTX version"
      : "refused";
}

cudaError_t
cudaLaunchKernelExC (const cudaLaunchConfig_t * config, const void *function,
    void **args)
{
  const struct dim3 grid = config->gridDim, block = config->blockDim;
  Op op = {.what = LAUNCH,.function = function,
    .batch = *(const BdctCudaBatch *) args[0]
  };

  FAKE_FAILS (cudaErrorUnknown);
  if (block.y * block.z * grid.y * grid.z != 1
      || config->dynamicSmemBytes != 0)
    fake_die ("a launch of another shape");
  fake_check_grid (function, &op.batch, grid.x, block.x);
  return enqueue (config->stream, op);
}

cudaError_t
fake_launch (const FakeOther * other, cudaStream_t stream)
{
  cudaError_t err = fake_outcome ("cudaLaunchKernelExC", cudaErrorUnknown);

  return err != cudaSuccess ? err
      : enqueue (stream, (Op) {.what = OTHER,.other = *other });
}

void
fake_settle (void)
{
  fake_each_stream (drain);
}

void
fake_abandon (void)
{
  fake_each_stream (destroy_stream);
  fake_free_all ();
}
