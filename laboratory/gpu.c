/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks and times entries on the GPU. Three pools of device memory are source,
 * destination and scratch of every entry. The source is filled with the set's
 * pattern; small runs walk through it, so that the L2 never has their input. A
 * device-to-device copy alternates with the timed entry. */
#include "lab.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 4096              /* bytes after a run that must not change */
#define LEAST_STEP 65536        /* of a walk: runs share no cache line */
#define PLANE_BYTES ((size_t) 3840 * 2160 * 64)
#define WALK_BYTES ((size_t) 512 << 20)
#define INTERVAL_NS 3e5         /* least time between two events */
#define MOST_RUNS 500           /* between two events */
#define LOAD_COPIES 1000        /* while nvidia-smi reads the clocks */

#define CHECK(call) check (call, #call)

static cudaStream_t stream;
static cudaEvent_t events[4];
static uint8_t *src, *dst, *scratch, *pattern;
static unsigned long long *count;
static size_t pool;             /* bytes of each pool */

static void
check (int err, const char *call)
{
  if (err != cudaSuccess)
    lab_die ("%s: %s", call, cudaGetErrorString (err));
}

static int
attribute (enum cudaDeviceAttr what, int device)
{
  int value = 0;

  CHECK (cudaDeviceGetAttribute (&value, what, device));
  return value;
}

static void
version_text (char *text, size_t size, int version)
{
  snprintf (text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static void
describe_machine (int device)
{
  LabMachine *m = &lab_machine;
  struct cudaDeviceProp prop;
  int version;

  CHECK (cudaGetDeviceProperties (&prop, device));
  snprintf (m->gpu, sizeof m->gpu, "%.100s", prop.name);
  snprintf (m->compute, sizeof m->compute, "%d.%d", prop.major, prop.minor);
  m->sms = prop.multiProcessorCount;
  m->l2 = prop.l2CacheSize / 1024;
  m->sm_clock = attribute (cudaDevAttrClockRate, device);
  m->memory_clock = attribute (cudaDevAttrMemoryClockRate, device);
  CHECK (cudaDriverGetVersion (&version));
  version_text (m->driver, sizeof m->driver, version);
  CHECK (cudaRuntimeGetVersion (&version));
  version_text (m->runtime, sizeof m->runtime, version);
  snprintf (m->nvcc, sizeof m->nvcc, "%s", lab_nvcc_version ());
}

/* Read the clocks under load: copies run while nvidia-smi reads them. */
static void
ask_smi (int device)
{
  char bus[32], command[256], *text = lab_machine.smi;
  FILE *pipe;

  CHECK (cudaDeviceGetPCIBusId (bus, sizeof bus, device));
  for (int i = 0; i < LOAD_COPIES; i++)
    CHECK (cudaMemcpyAsync (dst, src, pool - GUARD, cudaMemcpyDeviceToDevice,
            stream));
  snprintf (command, sizeof command, "nvidia-smi -i %s --query-gpu="
      "driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,"
      "power.draw --format=csv,noheader 2>/dev/null", bus);
  pipe = popen (command, "r");
  if (pipe != NULL) {
    if (fgets (text, sizeof lab_machine.smi, pipe) == NULL)
      text[0] = '\0';
    text[strcspn (text, "\n")] = '\0';
    pclose (pipe);
  }
  CHECK (cudaStreamSynchronize (stream));
}

bool
lab_gpu_open (char *reason, size_t size)
{
  int n = 0, device = 0;
  cudaError_t err = cudaGetDeviceCount (&n);
  size_t available, total;

  if (err != cudaSuccess || n == 0) {
    snprintf (reason, size, "%s", err == cudaSuccess ? "the driver has none"
        : cudaGetErrorString (err));
    return false;
  }
  CHECK (cudaGetDevice (&device));
  describe_machine (device);
  /* A blocking stream, which waits for the default stream, on which entries are
   * registered. */
  CHECK (cudaStreamCreate (&stream));
  for (int i = 0; i < 4; i++)
    CHECK (cudaEventCreate (&events[i]));

  /* A million blocks of 32x32. */
  pool = (size_t) lab_batches[LAB_N_BATCHES - 1] * 32 * 32 * 2 + GUARD;
  CHECK (cudaMemGetInfo (&available, &total));
  if (available < 3 * pool + ((size_t) 512 << 20))
    lab_die ("%.1f GB of GPU memory are free, %.1f are needed",
        available / 1e9, (3 * pool + ((size_t) 512 << 20)) / 1e9);
  CHECK (cudaMalloc ((void **) &src, pool));
  CHECK (cudaMalloc ((void **) &dst, pool));
  CHECK (cudaMalloc ((void **) &scratch, pool));
  CHECK (cudaMalloc ((void **) &pattern, WALK_BYTES / 8));
  CHECK (cudaMalloc ((void **) &count, sizeof *count));
  CHECK (cudaMemset (src, 0, pool));
  CHECK (cudaMemset (dst, 0, pool));
  ask_smi (device);
  return true;
}

void
lab_gpu_close (void)
{
  for (int i = 0; i < 4; i++)
    CHECK (cudaEventDestroy (events[i]));
  CHECK (cudaFree (src));
  CHECK (cudaFree (dst));
  CHECK (cudaFree (scratch));
  CHECK (cudaFree (pattern));
  CHECK (cudaFree (count));
  CHECK (cudaStreamDestroy (stream));
}

/* The number of blocks or periods of a run. */
static int64_t
run_length (const LabSet * set, int64_t batch)
{
  if (set->shape == LAB_BLOCKS)
    return batch;
  if (set->shape == LAB_NV12)
    return 1;
  return PLANE_BYTES / ((size_t) set->width * set->rows * set->element);
}

static size_t
run_bytes (const LabSet * set, int64_t n)
{
  return lab_set_elements (set, n) * set->element;
}

/* Fill the source with whole periods, for a run of `n` and for a walk. */
static void
load (const LabSet * set, LabContent content, int64_t n)
{
  size_t period = set->period * set->element, bytes = run_bytes (set, n);
  int64_t periods;

  if (bytes < WALK_BYTES)
    bytes = WALK_BYTES;
  periods = (bytes + period - 1) / period;
  if (period > WALK_BYTES / 8 || periods * period > pool - GUARD)
    lab_die ("a pool is too small");
  CHECK (cudaMemcpyAsync (pattern, set->input[content], period,
          cudaMemcpyHostToDevice, stream));
  CHECK (lab_device_repeat ((uint32_t *) src, (uint32_t *) pattern, period / 4,
          periods, stream));
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
    lab_verdict_wrong (verdict, "%llu words are not as in period 0", differ);
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

  load (set, content, n);
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
  void *got = malloc (set->period * set->element);

  if (got == NULL)
    lab_die ("out of memory");
  if (entry->launch_each)
    n = set->rows;
  check_content (entry, set, LAB_N_CONTENTS - 1 - lab_options.content,
      set->shape == LAB_BLOCKS ? set->rows : n, got, verdict);
  check_content (entry, set, lab_options.content, n, got, verdict);
  free (got);
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
  result->threads = result->kernels = 0;
  CHECK (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
  CHECK (entry->run (entry, &work, stream));
  CHECK (cudaStreamEndCapture (stream, &graph));
  CHECK (cudaGraphGetNodes (graph, nodes, &n));
  for (size_t i = 0; i < n && i < 16; i++) {
    struct cudaKernelNodeParams params;
    struct cudaFuncAttributes a;
    enum cudaGraphNodeType type;
    int shared, threads;

    CHECK (cudaGraphNodeGetType (nodes[i], &type));
    if (type != cudaGraphNodeTypeKernel)
      continue;
    result->kernels++;
    if (cudaGraphKernelNodeGetParams (nodes[i], &params) != cudaSuccess
        || cudaFuncGetAttributes (&a, params.func) != cudaSuccess) {
      (void) cudaGetLastError ();
      continue;
    }
    shared = (int) (a.sharedSizeBytes + params.sharedMemBytes);
    threads = params.blockDim.x * params.blockDim.y * params.blockDim.z;
    if (a.numRegs > result->registers)
      result->registers = a.numRegs;
    if (shared > result->shared)
      result->shared = shared;
    if ((int) a.localSizeBytes > result->local)
      result->local = (int) a.localSizeBytes;
    if (threads > result->threads)
      result->threads = threads;
  }
  CHECK (cudaGraphDestroy (graph));
}

/* A walk through the pools, with one step a run. */
typedef struct {
  const LabEntry *entry;
  const LabSet *set;
  int64_t n;
  size_t stride, steps, step;
} Walk;

static size_t
next_step (Walk * w)
{
  return w->step++ % w->steps * w->stride;
}

static void
run_step (Walk * w)
{
  size_t at = next_step (w);
  LabWork work = lab_set_work (w->set, w->n, src + at, dst + at, scratch + at);

  CHECK (w->entry->run (w->entry, &work, stream));
}

static double
elapsed_ns (int from, int to)
{
  float ms;

  CHECK (cudaEventElapsedTime (&ms, events[from], events[to]));
  return ms * 1e6;
}

/* The copy for a result: of the frame itself, in the same walk, or else of a
 * large plane. */
static void
copy_step (Walk * w, const LabResult * result)
{
  size_t at = result->entry->shape == LAB_NV12 ? next_step (w) : 0;

  CHECK (cudaMemcpyAsync (dst + at, src + at, (size_t) result->copy_bytes,
          cudaMemcpyDeviceToDevice, stream));
}

/* The number of runs between two events. */
static int
calibrate (Walk * walk)
{
  double once;

  run_step (walk);
  CHECK (cudaEventRecord (events[0], stream));
  run_step (walk);
  CHECK (cudaEventRecord (events[1], stream));
  CHECK (cudaStreamSynchronize (stream));
  once = fmax (elapsed_ns (0, 1), 100);
  return (int) fmin (ceil (INTERVAL_NS / once), MOST_RUNS);
}

static Walk
start_walk (const LabEntry * entry, const LabSet * set, int64_t n)
{
  size_t bytes = run_bytes (set, n);
  size_t stride = bytes < LEAST_STEP ? LEAST_STEP : bytes;

  return (Walk) { entry, set, n, stride, stride < WALK_BYTES
    ? WALK_BYTES / stride : 1, 0
  };
}

void
lab_gpu_time (const LabEntry * entry, const LabSet * set, int64_t batch,
    LabResult * result)
{
  int64_t n = run_length (set, batch);
  size_t bytes = run_bytes (set, n);
  Walk walk = start_walk (entry, set, n);
  double times[64], copies[64];
  int inner, copy_inner, repetitions = lab_repetitions ();

  inspect (entry, set, entry->launch_each ? 1 : n, result);
  result->samples = lab_set_samples (set, n);
  result->copy_bytes = entry->shape == LAB_NV12 ? bytes : PLANE_BYTES;

  inner = calibrate (&walk);
  copy_inner = entry->shape == LAB_NV12 ? inner : 1;
  for (int r = 0; r < repetitions; r++) {
    CHECK (cudaEventRecord (events[0], stream));
    for (int i = 0; i < inner; i++)
      run_step (&walk);
    CHECK (cudaEventRecord (events[1], stream));
    CHECK (cudaEventRecord (events[2], stream));
    for (int i = 0; i < copy_inner; i++)
      copy_step (&walk, result);
    CHECK (cudaEventRecord (events[3], stream));
    CHECK (cudaStreamSynchronize (stream));
    times[r] = elapsed_ns (0, 1) / inner;
    copies[r] = elapsed_ns (2, 3) / copy_inner;
  }
  result->ns = lab_median (times, repetitions);
  result->copy_ns = lab_median (copies, repetitions);
}

void
lab_gpu_time_in_turn (const LabEntry * entries, int n, double *ns)
{
  double times[LAB_MAX_LIST][64];
  int inner[LAB_MAX_LIST], repetitions = lab_repetitions ();
  Walk walk[LAB_MAX_LIST];
  LabSet set;

  lab_set_describe (&set, &entries[0]);
  for (int i = 0; i < n; i++) {
    walk[i] = start_walk (&entries[i], &set, run_length (&set, 0));
    inner[i] = calibrate (&walk[i]);
  }
  for (int r = 0; r < repetitions; r++)
    for (int i = 0; i < n; i++) {
      CHECK (cudaEventRecord (events[0], stream));
      for (int j = 0; j < inner[i]; j++)
        run_step (&walk[i]);
      CHECK (cudaEventRecord (events[1], stream));
      CHECK (cudaStreamSynchronize (stream));
      times[i][r] = elapsed_ns (0, 1) / inner[i];
    }
  for (int i = 0; i < n; i++)
    ns[i] = lab_median (times[i], repetitions);
}
