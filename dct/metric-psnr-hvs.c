/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PSNR-HVS-M as daala and libvmaf have it (libvmaf 3.2.0, psnr_hvs.c): blocks
 * of 8 x 8, 7 apart; the differences of their frequencies, less what contrast
 * masks, weighted by what the eye sees. All of it is in single precision there,
 * in an order of its own, which this keeps: here the same operations are done
 * to as many blocks at a time as a vector has lanes. The squares of all blocks
 * are added to one number in single precision; that is the second stage.
 *
 * Egiazarian, Astola, Ponomarenko, Lukin, Battisti, Carli: New Full-Reference
 * Quality Metrics Based on HVS, VPQM 2006. Ponomarenko, Silvestri, Egiazarian,
 * Carli, Astola, Lukin: On Between-Coefficient Contrast Masking of DCT Basis
 * Functions, VPQM 2007. */
#include "metric-read.h"

#include <math.h>
#include <string.h>

/* From a block to the next, and rows of blocks in a strip. */
#define STEP 7
#define STRIP 4

/* Blocks that are done at a time. */
#define N BDCT_LANES

/* Blocks of a run, in which a row of them is worked on. */
#define RUN 64

typedef int32_t Ints __attribute__ ((vector_size (4 * N)));
typedef float Floats __attribute__ ((vector_size (4 * N)));

/* Samples or frequencies of N blocks, row-major. */
typedef Ints Blocks[64];

/* Pixels under a row of blocks. */
typedef uint16_t Rows[8][STEP * RUN + 8];

/* What is to be added of N blocks, by frequency: the squares, of as many as
 * there are in the end of a row. */
typedef Floats Squares[64];

/* How visible each frequency is, in Y, U and V, by xiph's daala. The tables are
 * symmetric: these are their rows from the diagonal on. */
static const double visible[BDCT_MAX_COMPONENTS][36] = {
  {1.6193873005, 2.2901594831, 2.08509755623, 1.48366094411, 1.00227514334,
      0.678296995242, 0.466224900598, 0.3265091542, 1.94321815382,
      2.04793073064, 1.68731108984, 1.2305666963, 0.868920337363,
      0.61280991668, 0.436405793551, 1.34329019223, 1.09205635862,
      0.875748795257, 0.670882927016, 0.501731932449, 0.372504254596,
      0.772819797575, 0.605636379554, 0.48309405692, 0.380429446972,
      0.295774038565, 0.448996256676, 0.352889268808, 0.283006984131,
      0.226951348204, 0.27032073436, 0.215017739696, 0.17408067321,
      0.168869545842, 0.136153931001, 0.109083846276},
  {1.91113096927, 2.46074210438, 1.18284184739, 1.14982565193, 1.05017074788,
      0.898018824055, 0.74725392039, 0.615105596242, 1.58529308355,
      1.21363250036, 1.38190029285, 1.33100189972, 1.17428548929,
      0.996404342439, 0.830890433625, 0.978712413627, 1.02624506078,
      1.03145147362, 0.960060382087, 0.849823426169, 0.731221236837,
      0.861317501629, 0.801821139099, 0.751437590932, 0.685398513368,
      0.608694761374, 0.676555426187, 0.605503172737, 0.55002013668,
      0.495804539034, 0.514674450957, 0.454353482512, 0.407050308965,
      0.389234902883, 0.342353999733, 0.295530605237},
  {2.03871978502, 2.62502345193, 1.26180942886, 1.11019789803, 1.01397751469,
      0.867069376285, 0.721500455585, 0.593906509971, 1.69112867013,
      1.17180569821, 1.3342742857, 1.28513006198, 1.13381474809,
      0.962064122248, 0.802254508198, 0.944981930573, 0.990876405848,
      0.995903384143, 0.926972725286, 0.820534991409, 0.706020324706,
      0.831632933426, 0.77418706195, 0.725539939514, 0.661776842059,
      0.587716619023, 0.653238524286, 0.584635025748, 0.531064164893,
      0.478717061273, 0.496936637883, 0.438694579826, 0.393021669543,
      0.375820256136, 0.330555063063, 0.285345396658},
};

/* By frequency, row-major: weights, and what they mask with. */
typedef struct {
  float weight[64], mask[64];
} Weights;

static int
min (int a, int b)
{
  return a < b ? a : b;
}

static void
make_weights (int component, Weights * weights)
{
  const double *next = visible[component];

  for (int v = 0; v < 8; v++)
    for (int u = v; u < 8; u++) {
      const float weight = *next++;
      const double of_mask = weight * 0.3885746225901003;

      weights->weight[8 * v + u] = weights->weight[8 * u + v] = weight;
      weights->mask[8 * v + u] = weights->mask[8 * u + v] = of_mask * of_mask;
    }
}

/* The first and the second of two samples in memory. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST(pair) ((pair) & 0xffff)
#define SECOND(pair) ((pair) >> 16 & 0xffff)
#else
#define FIRST(pair) ((pair) >> 16 & 0xffff)
#define SECOND(pair) ((pair) & 0xffff)
#endif

/* x / 2, towards 0. */
#define HALF(x) (((x) - ((x) >> 31)) >> 1)

/* x k / 2^bits, rounded. */
#define SCALE(x, k, bits) (((x) * (k) + (1 << (bits) >> 1)) >> (bits))

/* daala's transform of 8 samples, which are `step` apart, in steps that lift
 * one number by a share of another; its frequencies are `to_step` apart. */
static inline __attribute__ ((always_inline)) void
transform (const Ints * x, int step, Ints * to, int to_step)
{
  /* Sums of samples that mirror each other, halved, and differences. */
  Ints d07 = x[0] - x[7 * step], d25 = x[2 * step] - x[5 * step];
  Ints s16 = x[step] + x[6 * step], s34 = x[3 * step] + x[4 * step];
  const Ints h07 = HALF (d07), h16 = HALF (s16), h34 = HALF (s34);
  Ints d16 = x[6 * step] - h16, d34 = h34 - x[4 * step];
  Ints f0 = x[0] - h07 + h34, f6 = f0 - s34;
  Ints f2 = h16 - (x[2 * step] - HALF (d25)), f4 = f2 - s16;

  /* Even frequencies. */
  f0 -= SCALE (f4, 13573, 15);
  f4 += SCALE (f0, 11585, 14);
  f0 -= SCALE (f4, 13573, 15);
  f6 -= SCALE (f2, 21895, 15);
  f2 += SCALE (f6, 15137, 14);
  f6 -= SCALE (f2, 21895, 15);
  /* Odd frequencies. */
  d25 += SCALE (d16, 19195, 15);
  d16 += SCALE (d25, 11585, 14);
  d25 -= SCALE (d16, 7489, 13);
  d34 = HALF (d16) - d34;
  d16 -= d34;
  d25 = h07 - d25;
  d07 -= d25;
  d34 += SCALE (d07, 3227, 15);
  d07 -= SCALE (d34, 6393, 15);
  d34 += SCALE (d07, 3227, 15);
  d16 += SCALE (d25, 2485, 13);
  d25 -= SCALE (d16, 18205, 15);
  d16 += SCALE (d25, 2485, 13);
  to[0] = f0;
  to[to_step] = d07;
  to[2 * to_step] = f2;
  to[3 * to_step] = d25;
  to[4 * to_step] = f4;
  to[5 * to_step] = d16;
  to[6 * to_step] = f6;
  to[7 * to_step] = d34;
}

/* a where a comparison holds, else b. */
static inline Floats
choose (Ints where, Floats a, Floats b)
{
  return (Floats) ((where & (Ints) a) | (~where & (Ints) b));
}

static inline Floats
to_floats (Ints v)
{
  return __builtin_convertvector (v, Floats);
}

/* Down the columns first; as daala has it, frequencies are transposed twice. */
static void
transform_blocks (Blocks blocks)
{
  Blocks between;

  for (int i = 0; i < 8; i++)
    transform (blocks + i, 8, between + 8 * i, 1);
  for (int i = 0; i < 8; i++)
    transform (between + i, 8, blocks + 8 * i, 1);
}

/* The sum of a quarter's samples. */
static inline Ints
add_quarter (const Blocks blocks, int first)
{
  Ints sum = { 0 };

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      sum += blocks[first + 8 * i + j];
  return sum;
}

/* Sums of squares around the mean, of 16 samples or 64. */
static inline Floats
add_squares (const Blocks blocks, int first, int side, Floats mean)
{
  Floats sum = { 0 };

  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      const Floats d = to_floats (blocks[first + 8 * i + j]) - mean;

      sum += d * d;
    }
  return sum;
}

/* The variances of a block's quarters to its own. */
static Floats
get_ratio (const Blocks blocks)
{
  const Floats ones = (Floats) { 0 } + 1;
  Floats whole, parts = { 0 };
  Ints sum = { 0 }, any;

  /* In the order in which they are added: top left, bottom left, ... */
  for (int i = 0; i < 4; i++) {
    const int first = (i & 1) * 32 + (i >> 1) * 4;
    const Ints quarter = add_quarter (blocks, first);
    const Floats part = add_squares (blocks, first, 4,
        to_floats (quarter) / 16.f) * (1 / 15.f * 16);

    parts = i == 0 ? part : parts + part;
    sum += quarter;
  }
  whole = add_squares (blocks, 0, 8, to_floats (sum) / 64.f)
      * (1 / 63.f * 64);
  any = whole > 0;
  return choose (any, parts / choose (any, whole, ones), whole);
}

/* How much of a difference contrast hides, of a block's frequencies. */
static Floats
get_mask (const Blocks blocks, Floats ratio, const Weights * weights)
{
  Floats sum = { 0 };

  for (int i = 1; i < 64; i++)
    sum += to_floats (blocks[i] * blocks[i]) * weights->mask[i];
  sum *= ratio;
  for (int k = 0; k < N; k++)
    sum[k] = sqrtf (sum[k]);
  return sum / 32.f;
}

/* N blocks: the squares that are to be added, of each of them 64. */
static void
compare (Blocks src, Blocks rec, const Weights * weights, Squares squares)
{
  const Floats ratio_src = get_ratio (src), ratio_rec = get_ratio (rec);
  Floats mask, mask_rec;

  transform_blocks (src);
  transform_blocks (rec);
  mask = get_mask (src, ratio_src, weights);
  mask_rec = get_mask (rec, ratio_rec, weights);
  mask = choose (mask_rec > mask, mask_rec, mask);
  for (int i = 0; i < 64; i++) {
    const Ints d = src[i] - rec[i];
    Floats error = to_floats ((d ^ d >> 31) - (d >> 31));

    if (i > 0) {
      const Floats hidden = mask / weights->mask[i];

      error = choose (error < hidden, (Floats) { 0 }, error - hidden);
    }
    error *= weights->weight[i];
    squares[i] = error * error;
  }
}

/* Blocks of a row, and rows of them. */
static int
count_columns (const BdctMetricPlane * plane)
{
  return (bdct_psnr_hvs_side (plane->width, plane->luma_width) - 8) / STEP + 1;
}

static int
count_rows (const BdctMetricPlane * plane)
{
  return (bdct_psnr_hvs_side (plane->height, plane->luma_height) - 8) / STEP
      + 1;
}

/* The plane's memory: what comes of it, then the squares of each row. */
static int
count_squares (const BdctMetricPlane * plane)
{
  return (count_columns (plane) + N - 1) / N;
}

static Squares *
get_squares (const BdctMetricPlane * plane, int row)
{
  return (Squares *) ((char *) plane->memory + 64)
      + (size_t) row * count_squares (plane);
}

static size_t
memory (const BdctMetricPlane * plane)
{
  return (char *) get_squares (plane, count_rows (plane))
      - (char *) plane->memory;
}

static int
count (const BdctMetricPlane * plane, int stage)
{
  return stage == 0 ? (count_rows (plane) + STRIP - 1) / STRIP : 1;
}

/* N blocks of a run from pixels, two at a time; the last one again for those
 * that lack. */
static void
gather (const Rows rows, int block, int n, Blocks blocks)
{
  uint32_t pairs[32][N] __attribute__ ((aligned (4 * N)));

  for (int k = 0; k < N; k++) {
    const int x = STEP * (block + min (k, n - 1));

    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 4; j++)
        memcpy (&pairs[4 * i + j][k], &rows[i][x + 2 * j], sizeof (uint32_t));
  }
  for (int i = 0; i < 32; i++) {
    const Ints pair = *(const Ints *) pairs[i];

    blocks[2 * i] = FIRST (pair);
    blocks[2 * i + 1] = SECOND (pair);
  }
}

static void
work_on_run (const BdctMetricPlane * plane, const Weights * weights, int row,
    int column, int n)
{
  Squares *to = get_squares (plane, row) + column / N;
  Rows src, rec;

  for (int i = 0; i < 8; i++) {
    const int y = STEP * row + i, x = STEP * column, width = STEP * n + 1;

    bdct_metric_read (plane, &plane->src, y, x, width, src[i]);
    bdct_metric_read (plane, &plane->rec, y, x, width, rec[i]);
  }
  for (int i = 0; i < n; i += N) {
    Blocks a, b;

    gather (src, i, min (n - i, N), a);
    gather (rec, i, min (n - i, N), b);
    compare (a, b, weights, *to++);
  }
}

static void
work_on_strip (const BdctMetricPlane * plane, int piece)
{
  Weights weights;

  make_weights (plane->component, &weights);
  for (int y = piece * STRIP; y < min (piece * STRIP + STRIP,
          count_rows (plane)); y++)
    for (int x = 0; x < count_columns (plane); x += RUN)
      work_on_run (plane, &weights, y, x, min (count_columns (plane) - x,
              RUN));
}

/* The power of two that a number above 0 reaches. */
static float
get_power (float v)
{
  uint32_t bits;

  memcpy (&bits, &v, sizeof bits);
  bits &= 0x7f800000;
  memcpy (&v, &bits, sizeof v);
  return v;
}

/* Add the 64 numbers of n blocks, none below 0, in single precision, one after
 * the other. As long as a sum does not reach the next power of two its last
 * place has the same value, and adding a number is adding it rounded to that
 * place: numbers can be rounded and added in any order. But for a number
 * halfway between two, which is rounded to what leaves the sum even: then, and
 * where the power is reached, they are added as they come. */
static float
add_blocks (float sum, const Squares squares, int n)
{
  const float power = get_power (sum);
  Floats total = { 0 };
  Ints halfway = { 0 };

  for (int i = 0; i < 64; i++) {
    const Floats rounded = (power + squares[i]) - power;
    const Floats rest = squares[i] - rounded;

    halfway |= (rest == power * 0x1p-24f) | (rest == -power * 0x1p-24f);
    total += rounded;
  }
  for (int k = 0; k < n; k++) {
    if (!halfway[k] && sum > 0x1p-64f && sum + total[k] < 2 * power)
      sum += total[k];
    else
      for (int i = 0; i < 64; i++)
        sum += squares[i][k];
    /* Those behind were rounded to another place. */
    if (sum >= 2 * power)
      for (k++; k < n; k++)
        for (int i = 0; i < 64; i++)
          sum += squares[i][k];
  }
  return sum;
}

static void
work (const BdctMetricPlane * plane, int stage, int piece)
{
  const int columns = count_columns (plane), rows = count_rows (plane);
  const int peak = (1 << plane->depth) - 1;
  float sum = 0;

  if (stage == 0) {
    work_on_strip (plane, piece);
    return;
  }
  for (int y = 0; y < rows; y++) {
    const Squares *squares = get_squares (plane, y);

    for (int x = 0; x < columns; x += N)
      sum = add_blocks (sum, squares[x / N], min (columns - x, N));
  }
  sum /= (float) (64 * columns * rows);
  *(float *) plane->memory = sum / (float) (peak * peak);
}

static double
decibels (double score)
{
  return 10 * (-1 * log10 (score));
}

static void
finish (const BdctMetricPlane * planes, int n_planes,
    double value[BDCT_MAX_COMPONENTS + 1])
{
  double score[BDCT_MAX_COMPONENTS];

  for (int c = 0; c < n_planes; c++) {
    score[c] = *(const float *) planes[c].memory;
    value[c] = decibels (score[c]);
  }
  value[BDCT_METRIC_ALL] = decibels (score[0] * .8
      + .1 * (score[1] + score[2]));
}

const BdctMetricKernel BDCT_METRIC_NAME (psnr_hvs) = {
  .memory = memory,
  .count = count,
  .work = work,
  .finish = finish,
};
