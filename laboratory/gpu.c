/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks and times entries on the GPU. Three pools of device memory are source,
 * destination and scratch of every entry. The source is filled with the set's
 * pattern; small runs walk through it, so that the L2 never has their input. A
 * device-to-device copy alternates with the timed entry. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <glib.h>
#include <string.h>

#define GUARD 4096              /* bytes after a run that must not change */
#define LEAST_STEP 65536        /* of a walk: runs share no cache line */
#define PLANE_BYTES ((size_t) LAB_WIDTH * LAB_HEIGHT * 64)
#define WALK_BYTES ((size_t) 512 << 20)
#define INTERVAL_NS 1e6         /* least time between two events */
#define BUDGET_NS 1e10

#define CHECK(call) check (call, #call)

static cudaStream_t stream;
static cudaEvent_t events[2];
static uint8_t *src, *dst, *scratch;
static unsigned long long *count;
static size_t pool;             /* bytes of each pool */
static size_t n_steps;          /* that walks have taken */

static void
check (int err, const char *call)
{
  if (err != cudaSuccess)
    lab_die ("%s: %s", call, cudaGetErrorString (err));
}

static void
describe (int device)
{
  struct cudaDeviceProp prop;
  int driver = 0, runtime = 0;

  CHECK (cudaGetDeviceProperties (&prop, device));
  CHECK (cudaDriverGetVersion (&driver));
  CHECK (cudaRuntimeGetVersion (&runtime));
  snprintf (lab_gpu_name, sizeof lab_gpu_name, "%.100s", prop.name);
  snprintf (lab_gpu_text, sizeof lab_gpu_text, "compute capability %d.%d, %d "
      "multiprocessors, %d KB of L2; CUDA: driver %d.%d, runtime %d.%d",
      prop.major, prop.minor, prop.multiProcessorCount,
      prop.l2CacheSize / 1024, driver / 1000, driver % 1000 / 10,
      runtime / 1000, runtime % 1000 / 10);
}

bool
lab_gpu_open (char *reason, size_t size)
{
  int n = 0, device = 0;
  cudaError_t err = cudaGetDeviceCount (&n);

  if (err != cudaSuccess || n == 0) {
    snprintf (reason, size, "%s", err == cudaSuccess ? "the driver has none"
        : cudaGetErrorString (err));
    return false;
  }
  CHECK (cudaGetDevice (&device));
  /* A blocking stream, which waits for the default stream, on which entries are
   * registered. */
  CHECK (cudaStreamCreate (&stream));
  for (int i = 0; i < 2; i++)
    CHECK (cudaEventCreate (&events[i]));

  /* A million blocks of 32x32. */
  pool = (size_t) lab_batches[LAB_N_BATCHES - 1] * 32 * 32 * 2 + GUARD;
  CHECK (cudaMalloc ((void **) &src, pool));
  CHECK (cudaMalloc ((void **) &dst, pool));
  CHECK (cudaMalloc ((void **) &scratch, pool));
  CHECK (cudaMalloc ((void **) &count, sizeof *count));
  CHECK (cudaMemset (src, 0, pool));
  CHECK (cudaMemset (dst, 0, pool));
  describe (device);
  return true;
}

/* The number of blocks or periods of a run. */
static int64_t
run_length (const LabSet * set, int64_t batch)
{
  if (set->of.shape == LAB_BLOCKS)
    return batch;
  if (set->of.shape == LAB_NV12)
    return 1;
  return PLANE_BYTES / ((size_t) set->width * set->rows * set->element);
}

static size_t
run_bytes (const LabSet * set, int64_t n)
{
  return lab_set_elements (set, n) * set->element;
}

void
lab_gpu_fill (const void *data, size_t size, size_t least)
{
  size_t bytes = least < WALK_BYTES ? WALK_BYTES : least;

  bytes = (bytes + size - 1) / size * size;
  if (bytes > pool - GUARD)
    lab_die ("a pool is too small");
  CHECK (cudaMemcpyAsync (src, data, size, cudaMemcpyHostToDevice, stream));
  for (size_t at = size; at < bytes; at *= 2)
    CHECK (cudaMemcpyAsync (src + at, src, MIN (at, bytes - at),
            cudaMemcpyDeviceToDevice, stream));
}

static void
compare (const LabSet * set, LabContent content, int64_t n, void *got,
    LabVerdict * verdict)
{
  size_t period = set->period * set->element, bytes = run_bytes (set, n);
  unsigned long long differ;
  uint8_t guard[GUARD];

  CHECK (cudaMemsetAsync (count, 0, sizeof *count, stream));
  CHECK (lab_device_compare ((uint32_t *) dst, period / 4, bytes / period,
          count, stream));
  CHECK (cudaMemcpyAsync (&differ, count, sizeof differ,
          cudaMemcpyDeviceToHost, stream));
  CHECK (cudaMemcpyAsync (got, dst, period, cudaMemcpyDeviceToHost, stream));
  CHECK (cudaMemcpyAsync (guard, dst + bytes, GUARD, cudaMemcpyDeviceToHost,
          stream));
  CHECK (cudaStreamSynchronize (stream));
  lab_check_period (set, content, got, verdict);
  if (differ != 0)
    lab_verdict_wrong (verdict, "%llu words are not as a period before",
        differ);
  for (int i = 0; i < GUARD; i++)
    if (guard[i] != LAB_POISON)
      lab_verdict_wrong (verdict, "wrote behind the end, byte %d", i);
}

static void
check_content (const LabEntry * entry, const LabSet * set, LabContent content,
    int64_t n, void *got, LabVerdict * verdict)
{
  LabWork work = lab_set_work (set, n, src, dst, scratch);
  size_t bytes = run_bytes (set, n) + GUARD;
  BdctStats stats;

  lab_gpu_fill (set->input[content], set->period * set->element,
      run_bytes (set, n));
  CHECK (cudaMemsetAsync (dst, LAB_POISON, bytes, stream));
  CHECK (cudaMemsetAsync (scratch, LAB_POISON, bytes, stream));
  CHECK (entry->run (entry, &work, stream));
  compare (set, content, n, got, verdict);
  if (entry->stats != NULL) {
    CHECK (entry->stats (entry, &work, stream, &stats));
    lab_check_stats (set, content, got, n, &stats, verdict);
  }
}

/* Check both contents: first the one that is not timed, on one period if there
 * are enough blocks; then the timed one, which therefore stays in the
 * source. */
void
lab_gpu_check (const LabEntry * entry, const LabSet * set, LabVerdict * verdict)
{
  int64_t n = run_length (set, lab_batches[LAB_N_BATCHES - 1]);
  void *got = g_malloc (set->period * set->element);

  if (entry->launch_each)
    n = set->rows;
  check_content (entry, set, LAB_N_CONTENTS - 1 - lab_options.content,
      set->of.shape == LAB_BLOCKS ? set->rows : n, got, verdict);
  check_content (entry, set, lab_options.content, n, got, verdict);
  g_free (got);
}

/* Find the kernels that a run launches, from its graph. */
static void
inspect (const LabEntry * entry, const LabSet * set, int64_t n_blocks,
    LabResult * result)
{
  LabWork work = lab_set_work (set, n_blocks, src, dst, scratch);
  cudaGraphNode_t nodes[16];
  size_t n = 16;
  cudaGraph_t graph;

  result->registers = result->shared = result->local = -1;
  CHECK (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
  CHECK (entry->run (entry, &work, stream));
  CHECK (cudaStreamEndCapture (stream, &graph));
  CHECK (cudaGraphGetNodes (graph, nodes, &n));
  for (size_t i = 0; i < n && i < 16; i++) {
    struct cudaKernelNodeParams params;
    struct cudaFuncAttributes a;
    enum cudaGraphNodeType type;
    int shared;

    CHECK (cudaGraphNodeGetType (nodes[i], &type));
    if (type != cudaGraphNodeTypeKernel)
      continue;
    if (cudaGraphKernelNodeGetParams (nodes[i], &params) != cudaSuccess
        || cudaFuncGetAttributes (&a, params.func) != cudaSuccess) {
      (void) cudaGetLastError ();
      continue;
    }
    shared = (int) (a.sharedSizeBytes + params.sharedMemBytes);
    result->registers = MAX (result->registers, a.numRegs);
    result->shared = MAX (result->shared, shared);
    result->local = MAX (result->local, (int) a.localSizeBytes);
  }
  CHECK (cudaGraphDestroy (graph));
}

/* The step that follows the last walk's. */
static void
run_step (const LabWalk * walk)
{
  const size_t stride = (walk->bytes + LEAST_STEP - 1) / LEAST_STEP
      * LEAST_STEP;
  const size_t n = stride < WALK_BYTES ? WALK_BYTES / stride : 1;
  const size_t at = n_steps++ % n * stride;
  LabWork work = walk->work;

  work.src = src + at;
  work.dst = dst + at;
  work.scratch = scratch + at;
  if (walk->entry != NULL)
    CHECK (walk->entry->run (walk->entry, &work, stream));
  else
    CHECK (cudaMemcpyAsync (dst + at, src + at, walk->bytes,
            cudaMemcpyDeviceToDevice, stream));
}

void
lab_gpu_run (const LabWalk * walk)
{
  n_steps = 0;
  run_step (walk);
  CHECK (cudaStreamSynchronize (stream));
}

static double
run_walk (void *data, int n)
{
  float ms;

  CHECK (cudaEventRecord (events[0], stream));
  for (int i = 0; i < n; i++)
    run_step (data);
  CHECK (cudaEventRecord (events[1], stream));
  CHECK (cudaStreamSynchronize (stream));
  CHECK (cudaEventElapsedTime (&ms, events[0], events[1]));
  return ms * 1e6;
}

void
lab_gpu_time_walks (LabWalk * walks, int n, double *ns)
{
  LabTimed timed[LAB_MAX_TIMED];

  for (int i = 0; i < n; i++)
    timed[i] = (LabTimed) {
    run_walk, &walks[i], 0};
  lab_time (timed, n, INTERVAL_NS, BUDGET_NS);
  for (int i = 0; i < n; i++)
    ns[i] = timed[i].ns;
}

/* The copy for an entry is of the frame itself, or else of a large plane. */
void
lab_gpu_time (const LabEntry * entry, const LabSet * set, int64_t batch,
    LabResult * result)
{
  const int64_t n = run_length (set, batch);
  LabWalk walks[2] = {
    {entry, lab_set_work (set, n, NULL, NULL, NULL), run_bytes (set, n)},
    {.bytes = PLANE_BYTES}
  };
  double ns[2];

  if (entry->shape == LAB_NV12)
    walks[1].bytes = walks[0].bytes;
  inspect (entry, set, entry->launch_each ? 1 : n, result);
  lab_gpu_time_walks (walks, 2, ns);
  result->samples = lab_set_samples (set, n);
  result->ns = ns[0];
  result->copy_ns = ns[1];
  result->copy_bytes = walks[1].bytes;
}
