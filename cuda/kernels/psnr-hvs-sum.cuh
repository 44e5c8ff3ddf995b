/* blockdct: the sum of PSNR-HVS-M's squares on the GPU, which are added one
 * after the other in single precision (psnr-hvs.cu).
 *
 * As long as a sum S does not reach the next power of two, its last place has
 * the same value. In units of it, adding a number adds a whole number; a number
 * halfway between two adds the one that makes S even. So a sequence of numbers
 * adds one of two whole numbers, for an even or an odd S, and those of two
 * consecutive runs determine those of both: an associative operation, which
 * combines runs in parallel. The power of two that a run meets is guessed from
 * a sum in double precision. Where the guess is wrong, or the next power is
 * reached, the run is added again part by part, and a part number by
 * number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_PSNR_HVS_SUM_CUH
#define BDCT_PSNR_HVS_SUM_CUH

#include "metric.cuh"

namespace hvs {

namespace {

/* The distance of blocks. */
constexpr int kStep = 7;

/* Half the frequencies of a block; such halves of a run; and numbers of a
 * part. */
constexpr int kHalf = 32;
constexpr int kRun = 64;
constexpr int kPart = 16;

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
count_halves (const BdctMetricPlane &p)
{
  return 2 * count_blocks (p);
}

BDCT_FORCE_INLINE int
count_runs (const BdctMetricPlane &p)
{
  return (count_halves (p) + kRun - 1) / kRun;
}

/* The scratch memory: the approximate sum before each run, and of all; guesses;
 * how many squares each half has, and these squares, for each run by their
 * place in a half. */
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

BDCT_FORCE_INLINE uint8_t *
get_counts (const BdctCudaMetricPlane &to)
{
  return (uint8_t *) (get_guesses (to) + count_runs (to.plane));
}

/* The squares of a half; they are kRun apart. */
BDCT_FORCE_INLINE float *
get_half (const BdctCudaMetricPlane &to, int half)
{
  return (float *) (get_counts (to) + count_runs (to.plane) * kRun)
      + (int64_t) (half / kRun) * kHalf * kRun + half % kRun;
}

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

/* What a run adds to a sum. */
BDCT_DEVICE_INLINE int32_t
get_sum (Sum run, int32_t sum)
{
  return sum & 1 ? run.to[1] : run.to[0];
}

/* The combination of two consecutive runs. */
BDCT_DEVICE_INLINE Sum
put_together (Sum a, Sum b)
{
  Sum sum;

  BDCT_UNROLL
  for (int odd = 0; odd < 2; odd++) {
    sum.to[odd] = a.to[odd] + get_sum (b, a.to[odd] + odd);
    if (sum.to[odd] > kLimit)
      sum.to[odd] = kLimit;
  }
  return sum;
}

/* Put what a number adds to sums from a power of two on behind what earlier
 * ones add. Adding a number to 2^23 rounds it to a whole number as adding it to
 * an even sum does. */
BDCT_DEVICE_INLINE void
add_number (Sum *sum, float square, float power)
{
  const Bits least = { kLeast };
  float v = square * get_scale (power);
  Bits bits;
  Sum here;

  if (power == 0)
    v = square > 0 ? kLeast : 0;
  v = v < kLeast ? v : kLeast;
  bits.f = kLeast + v;
  v -= bits.f - kLeast;
  here.to[0] = here.to[1] = (int32_t) (bits.i - least.i);
  /* Halfway: an even sum rounds to even, an odd sum the other way. */
  if (fabsf (v) == 0.5f) {
    here.to[1] += v > 0 ? 1 : -1;
    *sum = put_together (*sum, here);
  } else {
    sum->to[0] += here.to[0];
    sum->to[1] += here.to[1];
  }
}

/* A sum of at most kHalf numbers, which does not overflow, as of a run. */
BDCT_DEVICE_INLINE Sum
limit (Sum sum)
{
  BDCT_UNROLL
  for (int odd = 0; odd < 2; odd++)
    sum.to[odd] = sum.to[odd] < kLimit ? sum.to[odd] : kLimit;
  return sum;
}

/* What each run adds, for both powers of two that it may meet. */
struct Guesses {
  static constexpr int kThreads = 128;
  static constexpr int kAhead = 8;      /* numbers that are read at a time */
  struct Shared {
    Sum sum[2][kThreads];
  };

  static BDCT_INLINE void
  add_half (const BdctCudaMetricPlane &to, int half, const float power[2],
      Sum sum[2])
  {
    const float *squares = get_half (to, half);
    const int n = get_counts (to)[half];

    sum[0] = sum[1] = Sum { { 0, 0 } };
    for (int i = 0; i < n; i += kAhead) {
      float ahead[kAhead];

      BDCT_UNROLL
      for (int k = 0; k < kAhead; k++)
        ahead[k] = i + k < n ? squares[(i + k) * kRun] : 0;
      BDCT_UNROLL
      for (int k = 0; k < kAhead; k++)
        add_number (&sum[0], ahead[k], power[0]);
      if (power[1] != power[0])
        BDCT_UNROLL
        for (int k = 0; k < kAhead; k++)
          add_number (&sum[1], ahead[k], power[1]);
    }
    if (power[1] == power[0])
      sum[1] = sum[0];
  }

  static BDCT_INLINE void
  block (const BdctCudaMetricPlane &to, int bx, int, Shared &shared)
  {
    const int n = count_halves (to.plane), runs = count_runs (to.plane);
    const int first = bx * (kThreads / kRun);

    if (first >= runs)
      return;
    threads<kThreads> ([&] (int t) {
      const int run = first + t / kRun, half = run * kRun + t % kRun;
      const double *before = get_before (to) + run;
      float power[2];
      Sum sum[2];

      shared.sum[0][t] = shared.sum[1][t] = Sum { { 0, 0 } };
      if (half >= n)
        return;
      power[0] = get_power ((float) (before[0] * 0.9375));
      power[1] = get_power ((float) (before[1] * 1.0625));
      add_half (to, half, power, sum);
      for (int k = 0; k < 2; k++) {
        shared.sum[k][t] = limit (sum[k]);
        if (t % kRun == 0)
          get_guesses (to)[run].power[k] = power[k];
      }
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
  static constexpr int kThreads = 512;
  static constexpr int kParts = kRun * (kHalf / kPart); /* of a run */
  static constexpr int kFirst = 16;     /* added number by number */
  struct Shared {
    Sum sum[2][kThreads];
    float squares[kParts][kPart + 1];   /* of the run that is added by parts */
    int until;                  /* the first that cannot be added at once */
    float total;
  };

  static_assert (kParts <= kThreads, "a part for each thread");

  /* Add the runs or parts that the first threads have in shared.sum[0], up to
   * the first that cannot be added at once, or shared.until of them. Returns
   * their number. */
  template <int kWide> static BDCT_INLINE int
  add (Shared &shared)
  {
    int from = 0;

    for (int step = 1; step < kWide; step *= 2, from ^= 1)
      threads<kThreads> ([&] (int t) {
        if (t >= kWide)
          return;
        const Sum here = shared.sum[from][t];
        const Sum before = shared.sum[from][t < step ? t : t - step];

        shared.sum[from ^ 1][t] = t < step ? here
            : put_together (before, here);
      });
    const float power = get_power (shared.total);
    const float scale = get_scale (power);
    const int32_t total = (int32_t) (power > 0 ? shared.total * scale : kLeast);
    const Sum *sum = shared.sum[from];

    threads<kThreads> ([&] (int t) {
      if (t < kWide && total + get_sum (sum[t], total) >= kLimit
          && (t == 0 || total + get_sum (sum[t - 1], total) < kLimit))
        shared.until = t;
    });
    threads<kThreads> ([&] (int t) {
      if (t == 0 && shared.until > 0 && power > 0)
        shared.total = (float) (total + get_sum (sum[shared.until - 1], total))
            / scale;
    });
    const int until = shared.until;

    /* All threads must read it before one sets it again. */
    threads<kThreads> ([] (int) { });
    return until;
  }

  static BDCT_INLINE void
  read_run (const BdctCudaMetricPlane &to, int run, Shared &shared)
  {
    threads<kThreads> ([&] (int t) {
      const int half = run * kRun + t % kRun;
      const int n = half < count_halves (to.plane) ? get_counts (to)[half] : 0;

      BDCT_UNROLL
      for (int i = t / kRun; i < kHalf; i += kThreads / kRun)
        shared.squares[t % kRun * (kHalf / kPart) + i / kPart][i % kPart]
            = i < n ? get_half (to, half)[i * kRun] : 0;
    });
  }

  /* Add a run part by part. */
  static BDCT_INLINE void
  add_run (const BdctCudaMetricPlane &to, int run, Shared &shared)
  {
    read_run (to, run, shared);
    for (int done = 0; done < kParts;) {
      /* The first sums reach power after power. */
      const bool small = run == 0 && done < kFirst;
      const float power = get_power (shared.total);

      threads<kThreads> ([&] (int t) {
        Sum sum = { { 0, 0 } };

        if (t == 0)
          shared.until = small ? done : kParts;
        if (t >= kParts || small)
          return;
        if (t >= done)
          BDCT_UNROLL
          for (int i = 0; i < kPart; i++)
            add_number (&sum, shared.squares[t][i], power);
        shared.sum[0][t] = limit (sum);
      });
      const int until = small ? done : add<kParts> (shared);

      threads<kThreads> ([&] (int t) {
        if (t > 0 || until == kParts)
          return;
        float total = shared.total;
        BDCT_UNROLL
        for (int i = 0; i < kPart; i++)
          total += shared.squares[until][i];
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
} // namespace

} // namespace hvs

#endif
