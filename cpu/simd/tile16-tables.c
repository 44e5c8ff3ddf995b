/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Proves for which jobs the chain in 16-bit lanes is exact, and fills its
 * tables. */
#include "tile16-tables.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include "dct/transform/matrices.h"

static BdctTile16Basis bases[BDCT_N_BASES];

/* By log2 of a block's side, from 2 on: the index in the block of each
 * element. */
static uint16_t places[4][BDCT_TILE16_VECTORS][8];

/* The forms of bases that the passes support. */
#define FORM_BUTTERFLIES(n) ((n) <= BDCT_TILE16_SIZE)
#define FORM_DENSE(n) ((n) == 4)
#define FORM_FLOW(n) 0

static const bool has_form[] = {
#define BASIS(id, n, kind) FORM_##kind (n),
#include "dct/transform/transforms.def"
};

/* The numbers of an entry for one of a job's quantizers. */
typedef struct {
  int16_t quant, scale, dequant, power;
} Step;

static int32_t
pair (int a, int b)
{
  return (int32_t) (((uint32_t) a & 0xffff) | (uint32_t) b << 16);
}

/* Fill a class: `n_outputs` frequencies or, in the inverse, samples, each from
 * as many products. */
static void
fill_class (BdctTile16Basis * t, int at, BdctBasis basis, int base,
    int n_outputs)
{
  const int n = bdct_basis_size (basis), n_pairs = n_outputs / 2;
  const bool mirrored = n == 8 ? n_outputs == 4 : n_outputs > 4;

  for (int i = 0; i < n_outputs; i++)
    for (int j = 0; j < 2 * n_pairs; j += 2, at++) {
      /* In the kernels' order of addition, not that of coefficients. */
      int k = base == 0 ? n / n_outputs * i : n / (2 * base) * (2 * i + 1);
      int x = mirrored ? bdct_tile16_mirror (n, j) : j;
      int y = mirrored ? bdct_tile16_mirror (n, j + 1) : j + 1;

      t->rows[at] = pair (bdct_matrix_int (basis, k, x),
          bdct_matrix_int (basis, k, y));
      t->inverse[at] =
          pair (bdct_matrix_int (basis, bdct_tile16_order (n, base + j), i),
          bdct_matrix_int (basis, bdct_tile16_order (n, base + j + 1), i));
    }
}

static void
fill_4 (BdctTile16Basis * t, BdctBasis basis)
{
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < 2; j++) {
      t->rows[2 * k + j] = pair (bdct_matrix_int (basis, k, 2 * j),
          bdct_matrix_int (basis, k, 2 * j + 1));
      t->inverse[2 * k + j] = pair (bdct_matrix_int (basis, 2 * j, k),
          bdct_matrix_int (basis, 2 * j + 1, k));
    }
}

static void
fill_basis (BdctTile16Basis * t, BdctBasis basis)
{
  const int n = bdct_basis_size (basis);

  if (n == 4) {
    fill_4 (t, basis);
    return;
  }
  /* Only size 8 has classes of 2 outputs. */
  for (int base = 0, at = 0, n_outputs = n == 8 ? 2 : 4; base < n;
      base = base == 0 ? n_outputs : 2 * base) {
    if (base > 0)
      n_outputs = base;
    fill_class (t, at, basis, base, n_outputs);
    at += n_outputs * n_outputs / 2;
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < (n < 16 ? n : 16); j += 2)
      t->columns[k & 1][k / 2][j / 2] =
          pair (bdct_matrix_int (basis, k, bdct_tile16_mirror (n, j)),
          bdct_matrix_int (basis, k, bdct_tile16_mirror (n, j + 1)));
}

/* The index of element j of vector i in its block of n rows of n. */
static int
place (int n, int i, int j)
{
  if (n == 4)
    return (2 * (i & 1) + (j & 1)) * 4 + i / 2;
  if (n == 8)
    return i % 8 * 8 + bdct_tile16_order (8, i / 8 * 4
        + j / 4 * 2 + (j & 1));
  return i % n * n + bdct_tile16_order (n, i / n * 8 + j);
}

static int
count_vectors (int n)
{
  return n < 16 ? 2 * n : n * n / 8;
}

static void
fill_tables (void)
{
  for (int b = 0; b < BDCT_N_BASES; b++)
    if (has_form[b])
      fill_basis (&bases[b], b);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < count_vectors (4 << k); i++)
      for (int j = 0; j < 8; j++)
        places[k][i][j] = place (4 << k, i, j);
}

/* The range of a number. */
typedef struct {
  int64_t low, high;
} Range;

static Range
unite (Range a, Range b)
{
  return (Range) {
    a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high
  };
}

static bool
within (Range x, int64_t low, int64_t high)
{
  return x.low >= low && x.high <= high;
}

/* The range of a forward pass' coefficient k, for samples within x. */
static Range
coefficient (BdctBasis basis, int k, Range x, int shift)
{
  const int64_t half = 1 << shift >> 1;
  Range y = { half, half };

  for (int i = 0; i < bdct_basis_size (basis); i++) {
    int64_t m = bdct_matrix_int (basis, k, i);

    y.low += m * (m > 0 ? x.low : x.high);
    y.high += m * (m > 0 ? x.high : x.low);
  }
  return (Range) { y.low >> shift, y.high >> shift };
}

/* The range of all coefficients of a pass. */
static Range
coefficients (BdctBasis basis, Range x, int shift)
{
  Range y = coefficient (basis, 0, x, shift);

  for (int k = 1; k < bdct_basis_size (basis); k++)
    y = unite (y, coefficient (basis, k, x, shift));
  return y;
}

/* Whether the forward passes' numbers fit, and in which form of the chain. */
typedef enum { FITS, FITS_WIDE, FITS_NOT } Fit;

/* The first pass adds at most 8 samples in 16 bits: 8 (2^12 - 1) < 2^15. The
 * second adds or subtracts two rows, except at size 4. Sums of products are
 * below 2^12 2^16 in the first and 2^15 2^16 in the second pass, in 32 bits.
 *
 * The wide form takes the rows as they are. Its sums, of twice as many
 * products, fit 32 bits if they do so after their shift. It represents a
 * coefficient c by c / 4 rounded towards 0. */
static Fit
forward_fit (const BdctComponentJob * job, BdctBasis basis, int depth,
    Range * c)
{
  const int middle = 1 << (depth - 1), shift = job->fwd_shift[1];
  const Range x = { -middle, middle - 1 };
  const Range t = coefficients (basis, x, job->fwd_shift[0]);

  *c = coefficients (basis, t, shift);
  if (within (*c, INT16_MIN, INT16_MAX)
      && (job->log2_width == 2 ? within (t, INT16_MIN, INT16_MAX)
          : within (t, INT16_MIN / 2, INT16_MAX / 2)
          && t.high - t.low <= INT16_MAX))
    return FITS;
  return within (t, INT16_MIN, INT16_MAX)
      && within (*c, 4 * INT16_MIN, 4 * INT16_MAX)
      && within (*c, INT32_MIN >> shift, INT32_MAX >> shift) ? FITS_WIDE
      : FITS_NOT;
}

/* Whether JPEG's inverse fits without the wide form. Its matrix is 2^13 sqrt
 * (8) M, with an orthonormal M. A block's residuals have a norm N of at most 8
 * 2^(B-1), and so has c / 8. A dequantized level differs from it by at most
 * half a step and, as no level stands for less than half a step, is at most
 * twice as large. So a column's d has a norm of at most min (2 N, N + |q| / 2),
 * which the first pass multiplies by 2^(13-shift) sqrt (8). All of this must be
 * within 16 bits. The second pass' sums are then below 2^15 2^13 sqrt (8) <
 * 2^30. The factor 1.001 and the summand 16 allow for rounding in the matrix
 * and in the passes.
 *
 * The wide form always fits, up to 12 bits. N is at most 2^14, a block's d has
 * a norm of at most 2^15, and the first pass' sums are at most 2^15 2^13 sqrt
 * (8) < 2^30. From them it computes w, of a norm of at most 2 sqrt (8) 2^15 <
 * 2^18, as 8 h + l, with |h| < 2^15 and l from 0 to 7. Let a be the rounding
 * term and the samples' middle, a multiple of 8. As the floor of a floor is the
 * floor,
 *     (M w + a) >> s = (M h + a / 8 + (M l >> 3)) >> (s - 3)
 * where M h is at most 2^13 sqrt (8) 2 sqrt (8) 2^15 / 8 = 2^29, give or take
 * roundings, and M l is below 7 2^16. */
static bool
jpeg_inverse_fits (const BdctComponentJob * job, int depth)
{
  const double n = 8 * (1 << (depth - 1));
  double q = 0;

  for (int u = 0; u < 8; u++) {
    double sum = 0;

    for (int v = 0; v < 8; v++)
      sum += (double) job->quant[v * 8 + u] * job->quant[v * 8 + u];
    q = fmax (q, sqrt (sum));
  }
  return 1.001 * fmin (2 * n, n + q / 2) * sqrt (8)
      * (1 << (13 - job->inv_shift[0])) + 16 <= INT16_MAX;
}

/* Given levels may have any d. A d, and the first pass' results, which are at
 * most 1.388 2^(13-shift) times the sum of |d| in their column, must be within
 * 16 bits: sums of 5900 2^(shift-11) are. The second pass' sums are at most
 * 61213, the sum of the magnitudes that a sample is made of, times 2^15; with
 * the rounding term and the samples' middle, at depths that have this form,
 * this is below 2^31.
 *
 * The wide form takes sums up to 2^15 - 1: the first pass' are then below 2^29,
 * h below 2^14, and M h below 2^30.
 *
 * HEVC's passes are exact for all d, as their 32 products of 16 bits with at
 * most 90 fit 32 bits and each pass clips, and BDCT_TILE16_WIDE is for all
 * levels. */
static void
init_columns (BdctTile16 * chain, const BdctComponentJob * job)
{
  chain->quantizer = BDCT_TILE16_JPEG;
  chain->column[0] = 5900 << (job->inv_shift[0] - 11);
  chain->column[1] = INT16_MAX;
}

/* With x = |c| + 4q below 2^16 (jpeg-islow-rounding.h), floor (x / 8q) is floor
 * (n / q), with n = x >> 3 below 2^13. The reciprocal is 2^r / q rounded up,
 * for the largest r for which it fits 16 bits; 2^r is then above 2^14 q.
 * Rounding adds less than 1 to the reciprocal and so less than 2^13 / 2^r < 1 /
 * q to the quotient, which thus reaches no further whole number. Where no |c|
 * reaches 4q all levels are 0. */
static bool
init_jpeg (Step * e, int q, int largest)
{
  int r = 47 - __builtin_clz (q);       /* 2^r / q is from 2^15 to 2^16 */

  *e = (Step) {.dequant = q };
  if (largest < 4 * q)
    return true;
  if (largest + 4 * q > UINT16_MAX)
    return false;
  if (((1 << r) + q - 1) / q > UINT16_MAX)
    r--;
  e->quant = ((1 << r) + q - 1) / q;
  e->power = 1 << (29 - r);
  e->scale = 4 * q;
  return true;
}

/* With a = floor (|c| / 4), at most 2^15, the level is floor (x / 2q), where x
 * = a + q is below 2^16. Setting x's last bit changes nothing: x = 2n + 1, n is
 * below 2^15, and (n + 1/2) / q differs from whole numbers by at least 1 / 2q.
 * The reciprocal R is 2^r / q, above 2^15, rounded to nearest. Its error is at
 * most 1/2, and the quotient's at most (n + 1/2) / 2^(r+1) < 1 / 2q, as n + 1/2
 * < 2^15 < 2^r / q. Where R would be 2^16, it is 2^16 - 1 and at most 1 too
 * small: the quotient falls by (n + 1/2) / 2^r <= 1 / 2q, as 2^r / q is then at
 * least 2^16 - 1. d is q, or level q with (level - 1/2) q <= 2^14, which fits
 * 16 bits. */
static void
init_jpeg_wide (Step * e, int q)
{
  const int r = 47 - __builtin_clz (q);
  const int64_t nearest = ((INT64_C (2) << r) + q) / (2 * q);

  e->quant = nearest - (nearest > UINT16_MAX);
  e->power = INT64_C (1) << (31 - r);
  e->scale = e->dequant = q;
}

/* The dequantizer without the powers of 2 that all its entries share. */
static void
init_dequantizer (BdctTile16 * chain, const BdctComponentJob * job)
{
  int bits = 0, all = job->dequant_dc;

  for (int i = 0; i < 64; i++)
    all |= job->dequant[i];
  while (bits < job->dequant_bits && (all >> bits & 1) == 0)
    bits++;
  chain->dequant_shift = job->dequant_bits - bits;
  chain->dequant_round = 1 << chain->dequant_shift >> 1;
  chain->quantizer = chain->dequant_shift == 0 ? BDCT_TILE16_PRODUCT
      : BDCT_TILE16_ROUNDED;
}

/* HEVC's quantizer for the coefficient of one frequency, at most `largest`:
 *     level = (((|c| quant >> 16) + (add >> 16) + carry) power) >> 16
 * where the carry is that of the lower 16 bits, and add is at least 1.
 *
 * Let D be dequant and s its shift, both without the shared powers of 2. The
 * dequantizer is level D (s = 0); or the upper half of the rounded product of
 * level 2^a and D 2^b with a + b = 15 - s; or, where that may exceed 16 bits,
 * the same in 32 bits. Only the last clips; the others never need to. */
static bool
init_hevc (BdctTile16 * chain, Step * e, const BdctComponentJob * job,
    int quant, int dequant, int largest)
{
  const int d = dequant >> (job->dequant_bits - chain->dequant_shift);
  const int64_t sum = (int64_t) largest * quant + job->quant_add;
  const int64_t level = sum >> job->quant_bits;
  const int doubled = job->quant_bits == 16;    /* 2^16 does not fit `power` */
  int b = 15 - chain->dequant_shift;

  if (d > INT16_MAX || level > INT16_MAX || b < 0
      || job->quant_bits < 16 || job->quant_bits > 31 || job->quant_add < 1
      || sum << doubled >= INT64_C (1) << 32
      || quant << doubled > UINT16_MAX)
    return false;
  while (d << b > INT16_MAX)
    b--;
  e->quant = quant << doubled;
  e->scale = 1 << (15 - chain->dequant_shift - b);
  e->power = d;
  e->dequant = chain->dequant_shift == 0 ? d : d << b;
  if (chain->quantizer == BDCT_TILE16_PRODUCT ? level * d > INT16_MAX
      : level * e->scale > INT16_MAX)
    chain->quantizer = BDCT_TILE16_WIDE;
  chain->add_low = (job->quant_add << doubled) - 1;
  chain->add_high = chain->add_low >> 16;
  chain->add_low &= UINT16_MAX;
  chain->power = 1 << (32 - doubled - job->quant_bits);
  return true;
}

/* Fill the entries from a job's 64 steps, each for all elements that it applies
 * to, and the entry of frequency (0, 0). */
static void
put_entries (BdctTile16 * chain, BdctTile16Entry * entry,
    const BdctComponentJob * cj, const Step * step, const Step * dc)
{
  const int n = chain->size;

  for (int i = 0; i < chain->n_vectors; i++)
    for (int j = 0; j < 8; j++) {
      int at = places[cj->log2_width - 2][i][j];
      const Step *s = at == 0 ? dc : &step[bdct_job_index (cj, at / n, at % n)];

      entry[i].quant[j] = s->quant;
      entry[i].scale[j] = s->scale;
      entry[i].dequant[j] = s->dequant;
      entry[i].power[j] = s->power;
    }
}

/* Fill JPEG's entries: those of the wide form above 8 bits, and the others
 * unless the job fits the wide form alone. */
static bool
init_jpeg_entries (BdctTile16 * chain, const BdctComponentJob * cj,
    int largest)
{
  Step step[64];

  for (int i = 0; i < 64; i++)
    chain->wide = !init_jpeg (&step[i], cj->quant[i], largest) || chain->wide;
  put_entries (chain, chain->entry, cj, step, step);
  if (chain->depth == 8)
    return !chain->wide;
  for (int i = 0; i < 64; i++)
    init_jpeg_wide (&step[i], cj->quant[i]);
  put_entries (chain, chain->entry + chain->n_vectors, cj, step, step);
  return true;
}

static bool
init_hevc_entries (BdctTile16 * chain, const BdctComponentJob * cj,
    int largest)
{
  const int n = chain->size;
  Step step[64], dc;

  for (int v = 0; v < n; v += n > 8 ? n / 8 : 1)
    for (int u = 0; u < n; u += n > 8 ? n / 8 : 1) {
      int i = bdct_job_index (cj, v, u);

      if (!init_hevc (chain, &step[i], cj, cj->quant[i], cj->dequant[i],
              largest))
        return false;
    }
  if (!init_hevc (chain, &dc, cj, cj->quant_dc, cj->dequant_dc, largest))
    return false;
  put_entries (chain, chain->entry, cj, step, &dc);
  return true;
}

void
bdct_tile16_init (BdctTile16 * chain, const BdctJob * job,
    const BdctComponentJob * cj)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const BdctChainInfo *info = bdct_chain_info (cj->chain);
  const BdctBasis basis = info->row;
  const int n = 1 << cj->log2_width, middle = 1 << (job->depth - 1);
  Range c;
  Fit fit;
  int largest;

  memset (chain, 0, offsetof (BdctTile16, entry));
  pthread_once (&once, fill_tables);
  if ((job->family != BDCT_FAMILY_HEVC && job->family != BDCT_FAMILY_JPEG)
      || info->row != info->column || !has_form[basis] || cj->keep != n
      || cj->transposed)
    return;
  fit = forward_fit (cj, basis, job->depth, &c);
  largest = c.high > -c.low ? c.high : -c.low;
  chain->jpeg = job->family == BDCT_FAMILY_JPEG;
  chain->wide = chain->jpeg && (fit != FITS
      || !jpeg_inverse_fits (cj, job->depth));
  if (fit != FITS && !(chain->wide && fit == FITS_WIDE))
    return;
  chain->size = n;
  chain->depth = job->depth;
  memcpy (chain->shift, cj->fwd_shift, sizeof cj->fwd_shift);
  memcpy (chain->shift + 2, cj->inv_shift, sizeof cj->inv_shift);
  for (int k = 0; k < 4; k++) {
    chain->first[k] = 0;
    for (int i = 0; i < n; i++)
      chain->first[k] -= middle * bdct_matrix_int (basis, k, i);
  }
  chain->n_vectors = count_vectors (n);
  if (chain->jpeg)
    init_columns (chain, cj);
  else
    init_dequantizer (chain, cj);
  if (chain->jpeg ? init_jpeg_entries (chain, cj, largest)
      : init_hevc_entries (chain, cj, largest))
    chain->basis = &bases[basis];
}
