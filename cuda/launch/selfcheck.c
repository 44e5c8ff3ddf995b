/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "selfcheck.h"

#include <stdlib.h>
#include <string.h>
#include "cuda/check.h"
#include "dct/transform/matrices.h"
#include "dct/base/stats.h"

#define check bdct_cuda_check

/* The bytes of a row, with whole tiles and a partial one; and the rows, which
 * end within a block. */
#define ROW 1000
#define STRIDE 1024
#define ROWS 122
#define PLANE (STRIDE * 128)
#define MAX_BLOCKS (256 * 32)
#define MAX_LEVELS (1024 * 128)

/* The least PSNR of dct-8x8 against the other kernel: they round differently,
 * and a coefficient near a quantizer's threshold may differ by a step. */
#define LEAST_DB 45

/* Quality or QP, and the scaling list. */
static const struct
{
  int quality, qp;
  BdctScalingList list;
} settings[] = {
  {90, 26, BDCT_SCALING_FLAT},
  {30, 4, BDCT_SCALING_FLAT},
  {100, 51, BDCT_SCALING_FLAT},
  {75, 40, BDCT_SCALING_FLAT},
  {5, 22, BDCT_SCALING_DEFAULT},
  {50, 10, BDCT_SCALING_DEFAULT},
  {95, 37, BDCT_SCALING_DEFAULT},
};

#define N_SETTINGS (sizeof settings / sizeof settings[0])

/* The results of a run. */
typedef struct {
  uint8_t plane[PLANE];
  BdctBlockRecord blocks[2 * MAX_BLOCKS];       /* one component's, then the
                                                   other's */
  BdctLevel levels[2][MAX_LEVELS];
  BdctCudaAccumulator accumulators[BDCT_CUDA_ACCUMULATORS];
} Result;

typedef struct {
  BdctCudaDevice *device;
  cudaStream_t stream;
  unsigned traits;
  uint64_t random;
  struct
  {
    uint8_t plane[PLANE];
    Result result[2];           /* with tensor cores, and without */
  } *memory, *host;
} Check;

static unsigned
next_random (Check * self)
{
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned) (self->random >> 33);
}

static void
layout_init (BdctLayout * layout, int depth, int interleave)
{
  *layout = (BdctLayout) {.depth = depth,.chroma = BDCT_CHROMA_444,
    .n_planes = 1
  };
  layout->plane[0] = (BdctPlaneLayout) {
    .width = ROW / bdct_layout_sample_size (layout) / interleave,
    .height = ROWS,.shift = depth > 8 ? 16 - depth : 0,
    .interleave = interleave,
    .component = {interleave > 1 ? BDCT_U : BDCT_Y, BDCT_V}
  };
}

/* Whether a basis function is negative at sample n. */
static bool
is_negative (const BdctComponentJob * job, int k, int n)
{
  const BdctChainInfo *chain = bdct_chain_info (job->chain);

  return (chain->family == BDCT_FAMILY_DCT8X8 ? bdct_matrix_dct8x8 (k, n) < 0
      : bdct_matrix_int (chain->row, k, n) < 0);
}

/* Draw a square of one component, of one kind. */
static void
draw_square (Check * self, const BdctLayout * layout,
    const BdctComponentJob * job, int x0, int y0, int side, int i,
    unsigned sort)
{
  const BdctPlaneLayout *plane = &layout->plane[0];
  const int peak = (1 << layout->depth) - 1;
  const int size = 1 << job->log2_width;
  const int u = next_random (self) % size, v = next_random (self) % size;
  const int base = next_random (self) % peak;

  for (int y = y0; y < y0 + side && y < plane->height; y++)
    for (int x = x0; x < x0 + side && x < plane->width; x++) {
      const int at = x * plane->interleave + i;
      uint8_t *row = self->host->plane + y * STRIDE;
      int s = next_random (self) & peak;

      if (sort == 1)
        s = s & 1 ? peak : 0;
      else if (sort == 2)
        s = is_negative (job, u, x % size) != is_negative (job, v, y % size)
            ? 0 : peak;
      else if (sort == 3)
        s = (base + x + 2 * y + s % 4) & peak;
      if (layout->depth > 8)
        ((uint16_t *) row)[at] = (uint16_t) (s << plane->shift);
      else
        row[at] = (uint8_t) s;
    }
}

/* Draw the whole plane for one transform. */
static bool
draw (Check * self, const BdctLayout * layout, const BdctJob * job,
    BdctError * error)
{
  const BdctPlaneLayout *plane = &layout->plane[0];

  for (int i = 0; i < plane->interleave; i++) {
    const BdctComponentJob *component = &job->component[plane->component[i]];
    const int side = component->log2_width > 5 ? 64 : 32;

    for (int y = 0; y < plane->height; y += side)
      for (int x = 0; x < plane->width; x += side)
        draw_square (self, layout, component, x, y, side, i,
            next_random (self) % 4);
  }
  return check (cudaMemcpyAsync (self->memory->plane, self->host->plane,
          sizeof self->host->plane, cudaMemcpyHostToDevice, self->stream),
      "cudaMemcpyAsync", error);
}

/* Enqueue work with the tensor-core kernel, for the first result, or with the
 * others, for the second: the picture with records, the levels, or both. */
static bool
run (Check * self, const BdctTensorKernel * kernel, const BdctCudaWork * work,
    bool picture, bool levels, BdctError * error)
{
  const BdctPlaneLayout *layout = &work->plane[0].layout;
  const int n = work->quantizers->component[layout->component[0]].log2_width;
  Result *result = &self->memory->result[kernel == NULL];
  BdctCudaWork its = *work;
  BdctCudaPlane *plane = &its.plane[0];

  its.output = picture ? BDCT_CUDA_STATISTICS : BDCT_CUDA_LEVELS;
  plane->dst = (BdctSamples) { picture ? result->plane : NULL, STRIDE };
  plane->accumulators = result->accumulators;
  plane->records = picture && levels ? result->blocks : NULL;
  plane->blocks[0] = result->blocks;
  plane->blocks[1] = result->blocks + (((layout->width - 1) >> n) + 1)
      * (((layout->height - 1) >> n) + 1);
  for (int i = 0; i < 2 && levels; i++)
    plane->levels[i] = result->levels[i];
  its.kernel = kernel != NULL ? &kernel->kernel : bdct_scalar_find (&its);
  return bdct_cuda_run (self->device, &its, self->stream, error);
}

static int
sample (const uint8_t * plane, const BdctLayout * layout, int at, int y)
{
  const uint8_t *row = plane + y * STRIDE;

  return layout->depth > 8 ? ((const uint16_t *) row)[at]
      >> layout->plane[0].shift : row[at];
}

static uint64_t
squared_errors (const uint8_t * a, const uint8_t * b, const BdctLayout * layout,
    int i)
{
  const BdctPlaneLayout *plane = &layout->plane[0];
  uint64_t sum = 0;

  for (int y = 0; y < plane->height; y++)
    for (int x = 0; x < plane->width; x++) {
      const int at = x * plane->interleave + i;
      const int e = sample (a, layout, at, y) - sample (b, layout, at, y);

      sum += (uint64_t) ((int64_t) e * e);
    }
  return sum;
}

static BdctCudaAccumulator
add_accumulators (const Result * result)
{
  BdctCudaAccumulator sum = { 0 };

  for (int i = 0; i < BDCT_CUDA_ACCUMULATORS; i++)
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      sum.sse[c] += result->accumulators[i].sse[c];
      sum.nonzero[c] += result->accumulators[i].nonzero[c];
    }
  return sum;
}

/* Whether dct-8x8's samples nearly agree and the squared errors are those of
 * the samples. */
static bool
agree_nearly (const Check * self, const BdctLayout * layout)
{
  const BdctPlaneLayout *plane = &layout->plane[0];
  const Result *result = self->host->result;
  const BdctCudaAccumulator sum = add_accumulators (&result[0]);

  for (int i = 0; i < plane->interleave; i++) {
    const double mse = (double) squared_errors (result[0].plane,
        result[1].plane, layout, i) / (plane->width * plane->height);

    if (bdct_psnr (mse, layout->depth) < LEAST_DB
        || squared_errors (self->host->plane, result[0].plane, layout, i)
        != sum.sse[plane->component[i]])
      return false;
  }
  return true;
}

static bool
agree (const Check * self, const BdctLayout * layout, BdctFamily family,
    const BdctTensorKernel * kernel)
{
  const Result *result = self->host->result;
  BdctCudaAccumulator sum[2];

  if (family == BDCT_FAMILY_DCT8X8)
    return agree_nearly (self, layout);
  for (int i = 0; i < 2; i++)
    sum[i] = add_accumulators (&result[i]);
  return memcmp (result[0].plane, result[1].plane, PLANE) == 0
      && memcmp (&sum[0], &sum[1], sizeof sum[0]) == 0
      && (!kernel->extras || memcmp (result[0].blocks, result[1].blocks,
          sizeof result[0].blocks) == 0)
      && (!kernel->levels || memcmp (result[0].levels, result[1].levels,
          sizeof result[0].levels) == 0);
}

/* Run one job with the kernel and without tensor cores. False with the
 * error.
 */
static bool
compare (Check * self, const BdctTensorKernel * kernel,
    const BdctLayout * layout, const BdctJob * job,
    const BdctCudaWork * work, bool *agrees, BdctError * error)
{
  if (!check (cudaMemsetAsync (self->memory->result, 0,
              sizeof self->memory->result, self->stream), "cudaMemsetAsync",
          error))
    return false;
  if (!run (self, kernel, work, true, kernel->levels, error)
      || !run (self, NULL, work, true, false, error)
      || (kernel->levels && !run (self, NULL, work, false, true, error))
      || !check (cudaMemcpyAsync (self->host->result, self->memory->result,
              sizeof self->host->result, cudaMemcpyDeviceToHost, self->stream),
          "cudaMemcpyAsync", error)
      || !check (cudaStreamSynchronize (self->stream), "cudaStreamSynchronize",
          error))
    return false;
  *agrees = agree (self, layout, job->family, kernel);
  return true;
}

/* Compare all jobs of one transform and layout that the kernel supports, until
 * one differs. */
static bool
compare_all (Check * self, const BdctTensorKernel * kernel,
    BdctTransform transform, const BdctLayout * layout, unsigned *n,
    bool *agrees, BdctError * error)
{
  BdctCudaWork work = {.n_quantizers = 1,.n_planes = 1 };
  const BdctTensorKernel *taken;
  bool drawn = false;
  BdctJob job;

  work.quantizers = &job;
  work.plane[0].layout = layout->plane[0];
  work.plane[0].last_column = layout->plane[0].width - 1;
  work.plane[0].src = (BdctSamples) { self->memory->plane, STRIDE };
  work.plane[0].dst = work.plane[0].src;
  for (size_t i = 0; i < N_SETTINGS && *agrees; i++) {
    BdctParams params = BDCT_PARAMS_DEFAULT;

    params.transform = transform;
    params.quality = settings[i].quality;
    params.qp = settings[i].qp;
    params.scaling_list = settings[i].list;
    if (!bdct_job_init (&job, &params, layout, error))
      return false;
    taken = bdct_tensor_find (&work, self->traits & ~BDCT_TENSOR_TALL);
    /* Kernels of one chain have the same constants. */
    if (taken == NULL || taken->kernel.make_constants
        != kernel->kernel.make_constants)
      continue;
    ++*n;
    if (!drawn && !draw (self, layout, &job, error))
      return false;
    drawn = true;
    if (!compare (self, kernel, layout, &job, &work, agrees, error))
      return false;
  }
  return true;
}

bool
bdct_selfcheck (const BdctTensorKernel * kernel, int depth, unsigned traits,
    BdctCudaDevice * device, cudaStream_t stream, bool *agrees,
    BdctError * error)
{
  Check self = {.device = device,.stream = stream,.traits = traits,
    .random = 1
  };
  unsigned n = 0;
  bool ok;

  *agrees = true;
  self.host = calloc (1, sizeof *self.host);
  if (self.host == NULL)
    return bdct_error (error, "out of memory");
  ok = check (cudaMalloc ((void **) &self.memory, sizeof *self.memory),
      "cudaMalloc", error);
  for (int t = 0; t < BDCT_N_FIXED && ok; t++)
    for (int interleave = 1; interleave <= 2 && ok; interleave++) {
      BdctLayout layout;

      layout_init (&layout, depth, interleave);
      ok = compare_all (&self, kernel, t, &layout, &n, agrees, error);
    }
  *agrees = *agrees && n > 0;
  cudaFree (self.memory);
  (void) cudaGetLastError ();
  free (self.host);
  return ok;
}
