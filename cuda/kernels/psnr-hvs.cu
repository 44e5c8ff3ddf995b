/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M on the GPU, as in cpu/metrics/psnr-hvs.c: first a block for each
 * thread, then the sum of all squares, which are added one after the other in
 * single precision.
 *
 * As long as a sum S does not reach the next power of two, its last place has
 * the same value. In units of it, adding a number adds a whole number; a number
 * halfway between two adds the one that makes S even. So a sequence of numbers
 * adds one of two whole numbers, for an even or an odd S, and those of two
 * consecutive runs determine those of both: an associative operation, which
 * combines runs in parallel. The power of two that a run meets is guessed from
 * a sum in double precision. Where the guess is wrong, or the next power is
 * reached, the run is added again block by block, and a block number by
 * number. */
#include "dct/base/min.h"
#include "metric.cuh"

namespace hvs {

typedef int32_t Ints;
typedef float Floats;

BDCT_DEVICE_INLINE Floats
choose (bool where, Floats a, Floats b)
{
  return where ? a : b;
}

BDCT_DEVICE_INLINE Floats
to_floats (Ints v)
{
  return (Floats) v;
}

BDCT_DEVICE_INLINE Floats
get_roots (Floats v)
{
  return sqrtf (v);
}

#include "dct/metrics/psnr-hvs.h"

namespace {

/* The distance of blocks. */
constexpr int kStep = 7;

/* Blocks of a run. */
constexpr int kRun = 32;

/* A power of two in units of its last place, and the next power. */
constexpr float kLeast = 1 << 23;
constexpr int32_t kLimit = 1 << 24;

/* What a run adds to an even and to an odd sum, in units of the last place.
 * kLimit at most: unknown, or it reaches the next power of two. */
struct Sum {
  int32_t to[2];
};

/* Likewise with the power of two that it is for; 0: for sums below 2^-64. */
struct Guess {
  float power[2];
  Sum sum[2];
};

BDCT_FORCE_INLINE int
count_columns (const BdctMetricPlane &p)
{
  return (bdct_psnr_hvs_side (p.width, p.luma_width) - 8) / kStep + 1;
}

BDCT_FORCE_INLINE int
count_rows (const BdctMetricPlane &p)
{
  return (bdct_psnr_hvs_side (p.height, p.luma_height) - 8) / kStep + 1;
}

BDCT_FORCE_INLINE int
count_blocks (const BdctMetricPlane &p)
{
  return count_columns (p) * count_rows (p);
}

BDCT_FORCE_INLINE int
count_runs (const BdctMetricPlane &p)
{
  return (count_blocks (p) + kRun - 1) / kRun;
}

BDCT_FORCE_INLINE BdctMetricMap
count_map (const BdctMetricPlane &p)
{
  return bdct_metric_map (BDCT_METRIC_PSNR_HVS, p.width, p.height);
}

/* The scratch memory: the approximate sum before each run, and of all; guesses;
 * squares, for each run by frequency. */
BDCT_FORCE_INLINE double *
get_before (const BdctCudaMetricPlane &to)
{
  return (double *) to.scratch;
}

BDCT_FORCE_INLINE Guess *
get_guesses (const BdctCudaMetricPlane &to)
{
  return (Guess *) (get_before (to) + count_runs (to.plane) + 1);
}

BDCT_FORCE_INLINE float *
get_run (const BdctCudaMetricPlane &to, int run)
{
  return (float *) (get_guesses (to) + count_runs (to.plane))
      + (int64_t) run * 64 * kRun;
}

/* A block of a run; its squares are kRun apart. */
BDCT_FORCE_INLINE float *
get_block (const BdctCudaMetricPlane &to, int block)
{
  return get_run (to, block / kRun) + block % kRun;
}

BDCT_DEVICE_INLINE void
get_squares (const float *block, float squares[64])
{
  BDCT_UNROLL
  for (int i = 0; i < 64; i++)
    squares[i] = block[i * kRun];
}

BDCT_INLINE void
read (const BdctMetricPlane &p, const BdctSamples &image, int x, int y,
    Blocks to)
{
  BDCT_UNROLL
  for (int i = 0; i < 8; i++) {
    const uint8_t *row = image.data + (y + i) * image.stride;

    BDCT_UNROLL
    for (int j = 0; j < 8; j++)
      to[8 * i + j] = sample_at (p, row, x + j);
  }
}

/* Compare the block at (x, y). Returns the sum of its squares. */
BDCT_INLINE float
compare_at (const BdctMetricPlane &p, int x, int y, const Weights *weights,
    Squares squares)
{
  Blocks src, rec;
  float sum = 0;

  read (p, p.src, x, y, src);
  read (p, p.rec, x, y, rec);
  compare (src, rec, weights, squares);
  BDCT_UNROLL
  for (int i = 0; i < 64; i++)
    sum += squares[i];
  return sum;
}

struct Blocks64 {
  static constexpr int kThreads = 128;
  struct Shared {
    Weights weights;
    double sum[kThreads];
  };

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int n = count_blocks (p), columns = count_columns (p);

    if (bx * kThreads >= n)
      return;
    threads<kThreads> ([&] (int t) {
      if (t < 64)
        set_weight (&shared.weights, p.component, t);
    });
    threads<kThreads> ([&] (int t) {
      const int at = bx * kThreads + t;
      const int x = at % columns * kStep, y = at / columns * kStep;
      float *squares = get_block (to, at);
      Squares of;

      shared.sum[t] = 0;
      if (at >= n)
        return;
      shared.sum[t] = compare_at (p, x, y, &shared.weights, of);
      BDCT_UNROLL
      for (int i = 0; i < 64; i++)
        squares[i * kRun] = of[i];
    });
    threads<kThreads> ([&] (int t) {
      const int run = bx * (kThreads / kRun) + t;
      double sum = 0;

      if (t >= kThreads / kRun || run >= count_runs (p))
        return;
      for (int i = 0; i < kRun; i++)
        sum += shared.sum[t * kRun + i];
      get_before (to)[run + 1] = sum;
    });
  }
};

/* Turn the sums of runs into sums of all earlier runs. */
struct Before {
  static constexpr int kThreads = 1024;
  struct Shared {
    double sum[2][kThreads];
  };

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int, int, Shared &shared)
  {
    const int n = count_runs (to.plane), each = (n - 1) / kThreads + 1;
    double *before = get_before (to);
    int from = 0;

    threads<kThreads> ([&] (int t) {
      double sum = 0;

      for (int i = t * each; i < (t + 1) * each && i < n; i++)
        sum += before[i + 1];
      shared.sum[0][t] = sum;
    });
    for (int step = 1; step < kThreads; step *= 2, from ^= 1)
      threads<kThreads> ([&] (int t) {
        shared.sum[from ^ 1][t] = shared.sum[from][t]
            + (t >= step ? shared.sum[from][t - step] : 0);
      });
    threads<kThreads> ([&] (int t) {
      double sum = t > 0 ? shared.sum[from][t - 1] : 0;

      if (t == 0)
        before[0] = 0;
      for (int i = t * each; i < (t + 1) * each && i < n; i++)
        before[i + 1] = sum += before[i + 1];
    });
  }
};

union Bits {
  float f;
  uint32_t i;
};

/* The largest power of two that a number reaches; 0 below 2^-64. */
BDCT_DEVICE_INLINE float
get_power (float v)
{
  Bits bits;

  bits.f = v;
  bits.i &= 0x7f800000;
  return bits.f < 5.421010862427522e-20f ? 0 : bits.f;
}

/* The factor that turns numbers into units of the last place of a power. */
BDCT_DEVICE_INLINE float
get_scale (float power)
{
  return kLeast / power;
}

/* The combination of two consecutive runs. */
BDCT_DEVICE_INLINE Sum
put_together (const Sum &a, const Sum &b)
{
  Sum sum;

  BDCT_UNROLL
  for (int odd = 0; odd < 2; odd++) {
    sum.to[odd] = a.to[odd] + b.to[(a.to[odd] + odd) & 1];
    if (sum.to[odd] > kLimit)
      sum.to[odd] = kLimit;
  }
  return sum;
}

/* What a block adds to sums from a power of two on. Adding a number to 2^23
 * rounds it to a whole number as adding it to an even sum does. */
BDCT_DEVICE_INLINE Sum
add_block (const float squares[64], float power)
{
  const Bits least = { kLeast };
  const float scale = get_scale (power);
  Sum sum = { { 0, 0 } };

  BDCT_UNROLL
  for (int i = 0; i < 64; i++) {
    float v = squares[i] * scale;
    Bits bits;
    Sum here;

    if (power == 0)
      v = squares[i] > 0 ? kLeast : 0;
    v = v < kLeast ? v : kLeast;
    bits.f = kLeast + v;
    v -= bits.f - kLeast;
    here.to[0] = here.to[1] = (int32_t) (bits.i - least.i);
    /* Halfway: an even sum rounds to even, an odd sum the other way. */
    if (fabsf (v) == 0.5f) {
      here.to[1] += v > 0 ? 1 : -1;
      sum = put_together (sum, here);
    } else {
      sum.to[0] += here.to[0];
      sum.to[1] += here.to[1];
    }
  }
  BDCT_UNROLL
  for (int odd = 0; odd < 2; odd++)
    sum.to[odd] = sum.to[odd] < kLimit ? sum.to[odd] : kLimit;
  return sum;
}

/* Likewise for a run, for both powers of two that it may meet. */
struct Guesses {
  static constexpr int kThreads = 128;
  struct Shared {
    Sum sum[2][kThreads];
  };

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int, Shared &shared)
  {
    const int n = count_blocks (to.plane), runs = count_runs (to.plane);
    const int first = bx * (kThreads / kRun);

    if (first >= runs)
      return;
    threads<kThreads> ([&] (int t) {
      const int run = first + t / kRun, at = run * kRun + t % kRun;
      const double *before = get_before (to) + run;
      float squares[64], power[2];

      shared.sum[0][t] = shared.sum[1][t] = Sum { { 0, 0 } };
      if (at >= n)
        return;
      get_squares (get_block (to, at), squares);
      power[0] = get_power ((float) (before[0] * 0.9375));
      power[1] = get_power ((float) (before[1] * 1.0625));
      shared.sum[0][t] = shared.sum[1][t] = add_block (squares, power[0]);
      if (power[1] != power[0])
        shared.sum[1][t] = add_block (squares, power[1]);
      for (int k = 0; k < 2 && t % kRun == 0; k++)
        get_guesses (to)[run].power[k] = power[k];
    });
    for (int step = 1; step < kRun; step *= 2)
      threads<kThreads> ([&] (int t) {
        for (int k = 0; k < 2 && t % (2 * step) == 0; k++)
          shared.sum[k][t] = put_together (shared.sum[k][t],
              shared.sum[k][t + step]);
      });
    threads<kThreads> ([&] (int t) {
      for (int k = 0; k < 2 && t % kRun == 0 && first + t / kRun < runs; k++)
        get_guesses (to)[first + t / kRun].sum[k] = shared.sum[k][t];
    });
  }
};

/* Add all runs, one after the other. */
struct Walk {
  static constexpr int kThreads = 1024;
  struct Shared {
    Sum sum[2][kThreads];
    float squares[64 * kRun];   /* of the run that is added block by block */
    int until;                  /* the first that cannot be added at once */
    float total;
  };

  /* Add the runs that the first threads have in shared.sum[0], up to the first
   * that cannot be added at once, or shared.until runs. Returns their
   * number. */
  template <int kWide> static BDCT_INLINE int
  add (Shared &shared)
  {
    int from = 0;

    for (int step = 1; step < kWide; step *= 2, from ^= 1)
      threads<kThreads> ([&] (int t) {
        if (t < kWide)
          shared.sum[from ^ 1][t] = t < step ? shared.sum[from][t]
              : put_together (shared.sum[from][t - step], shared.sum[from][t]);
      });
    const float power = get_power (shared.total);
    const float scale = get_scale (power);
    const int32_t total = (int32_t) (power > 0 ? shared.total * scale : kLeast);
    const Sum *sum = shared.sum[from];

    threads<kThreads> ([&] (int t) {
      if (t < kWide && total + sum[t].to[total & 1] >= kLimit
          && (t == 0 || total + sum[t - 1].to[total & 1] < kLimit))
        shared.until = t;
    });
    threads<kThreads> ([&] (int t) {
      if (t == 0 && shared.until > 0 && power > 0)
        shared.total = (float) (total + sum[shared.until - 1].to[total & 1])
            / scale;
    });
    const int until = shared.until;

    /* All threads must read it before one sets it again. */
    threads<kThreads> ([] (int) { });
    return until;
  }

  /* Add a run block by block. */
  static BDCT_INLINE void
  add_run (const BdctCudaMetricPlane &to, int run, Shared &shared)
  {
    const int blocks = count_blocks (to.plane) - run * kRun;

    threads<kThreads> ([&] (int t) {
      for (int i = t; i < 64 * kRun; i += kThreads)
        shared.squares[i] = i % kRun < blocks ? get_run (to, run)[i] : 0;
    });
    for (int done = 0; done < kRun;) {
      const float power = get_power (shared.total);

      threads<kThreads> ([&] (int t) {
        float squares[64];

        if (t == 0)
          shared.until = kRun;
        if (t >= kRun)
          return;
        get_squares (shared.squares + t, squares);
        shared.sum[0][t] = t < done ? Sum { { 0, 0 } }
            : add_block (squares, power);
      });
      const int until = add<kRun> (shared);

      threads<kThreads> ([&] (int t) {
        if (t > 0 || until == kRun)
          return;
        float total = shared.total;
        BDCT_UNROLL
        for (int i = 0; i < 64; i++)
          total += shared.squares[i * kRun + until];
        shared.total = total;
      });
      done = until + 1;
    }
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int, int, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int runs = count_runs (p), peak = (1 << p.depth) - 1;

    threads<kThreads> ([&] (int t) {
      if (t == 0)
        shared.total = 0;
    });
    for (int run = 0; run < runs;) {
      const int here = runs - run < kThreads ? runs - run : kThreads;
      const float power = get_power (shared.total);

      threads<kThreads> ([&] (int t) {
        Sum sum = { { 0, 0 } };

        if (t < here) {
          const Guess guess = get_guesses (to)[run + t];

          sum = guess.power[0] == power ? guess.sum[0]
              : guess.power[1] == power ? guess.sum[1]
              : Sum { { kLimit, kLimit } };
        }
        shared.sum[0][t] = sum;
        if (t == 0)
          shared.until = here;
      });
      const int until = add<kThreads> (shared);

      run += until;
      if (until < here)
        add_run (to, run++, shared);
    }
    threads<kThreads> ([&] (int t) {
      if (t == 0)
        *(float *) p.memory = shared.total / (float) (64 * count_blocks (p))
            / (float) (peak * peak);
    });
  }
};

/* The map's blocks, which are adjacent. */
struct Map {
  static constexpr int kThreads = 128;
  struct Shared {
    Weights weights;
  };

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int by, Shared &shared)
  {
    const BdctMetricPlane &p = to.plane;
    const int columns = count_map (p).columns;

    threads<kThreads> ([&] (int t) {
      if (t < 64)
        set_weight (&shared.weights, p.component, t);
    });
    threads<kThreads> ([&] (int t) {
      const int column = bx * kThreads + t;
      const int x = bdct_min (8 * column, p.width - 8);
      const int y = bdct_min (8 * by, p.height - 8);
      Squares of;

      if (column < columns)
        ((uint32_t *) p.memory)[(int64_t) by * columns + column]
            = bdct_psnr_hvs_map (compare_at (p, x, y, &shared.weights, of));
    });
  }
};

size_t
results (const BdctMetricPlane *)
{
  return sizeof (float);
}

size_t
scratch (const BdctMetricPlane *p)
{
  return count_runs (*p) * (sizeof (double) + sizeof (Guess)
      + 64 * kRun * sizeof (float)) + sizeof (double);
}

cudaError_t
launch_all (const BdctCudaMetricPlanes *planes, cudaStream_t stream)
{
  cudaError_t err = launch<Blocks64> (planes, most (planes, Blocks64::kThreads,
          count_blocks), 1, stream);

  if (err == cudaSuccess)
    err = launch<Before> (planes, 1, 1, stream);
  if (err == cudaSuccess)
    err = launch<Guesses> (planes, most (planes, Guesses::kThreads / kRun,
            count_runs), 1, stream);
  return err != cudaSuccess ? err : launch<Walk> (planes, 1, 1, stream);
}

} // namespace

} // namespace hvs

const BdctCudaMetric bdct_cuda_psnr_hvs = { hvs::results, hvs::scratch,
  hvs::launch_all };

cudaError_t
bdct_cuda_psnr_hvs_map (const BdctCudaMetricPlanes *planes,
    cudaStream_t stream)
{
  const BdctMetricMap map = hvs::count_map (planes->plane[0].plane);

  return launch<hvs::Map> (planes, (map.columns + hvs::Map::kThreads - 1)
      / hvs::Map::kThreads, map.rows, stream);
}
