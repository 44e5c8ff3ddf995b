/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Strips of dct-8x8, with the same results as tile32.c's plain chain but
 * faster. Built once for each instruction set that simd.h supports
 * (meson.build); BDCT_ISA names the object.
 *
 * Values are floats, four to a lane of 128 bits. A lane works on one block, and
 * a vector on as many adjacent blocks as it has lanes. These are a unit, whose
 * values are 16 vectors. Samples are loaded and stored as 16 bits, two columns
 * to a 32-bit element, which makes the first and the last transposition cheap.
 *
 * The floating-point operations and their order are the plain chain's, except
 * where both are exact:
 * - Samples are not converted to residuals. The transform first computes their
 *   sums and differences, whole numbers below 2^24. The middle cancels in all
 *   but the sum of a row, from which eight times the middle is subtracted.
 * - The last factor 1/8, a power of 2, is combined with the step.
 *
 * The output samples before clipping are whole numbers y of at least -9 m,
 * where m is the middle. The quantizer's error of a coefficient is the
 * coefficient itself where the level is 0, else at most half a step, which is
 * then at most the coefficient. The errors of a block therefore have at most
 * the block's norm, which is at most 8 m, and so has the error of any sample.
 * So y fits 16 bits, and y + 2^15 - m is not negative. Saturating it at 2^15 -
 * 1, subtracting 2^15 - 2 m and saturating at 0 yields y + m clipped to 0 and 2
 * m - 1. */
#include <string.h>
#include "dct/base/min.h"
#include "dct/base/sample.h"
#include "dct/transform/matrices.h"
#include "simd.h"
#include "tile32.h"

typedef int32_t Vi __attribute__ ((vector_size (16 * LANES), may_alias));
typedef float Vf __attribute__ ((vector_size (16 * LANES), may_alias));

#define BDCT_INLINE BDCT_FORCE_INLINE
#define BDCT_PASS(name) name
#define BDCT_VALUE Vf
#define BDCT_SCALAR float
#include "dct/transform/butterflies.h"

/* The columns of a unit, and those in the cache at a time, in eight rows: a few
 * long rows prefetch better than many short ones. */
enum { UNIT = 8 * LANES, COLUMNS = 128 };

/* Rows of samples in 16-bit words. */
typedef struct {
  int16_t sample[8 * COLUMNS];
} __attribute__ ((aligned (64))) Samples;

/* A unit: vector [g][i] has elements 4 g to 4 g + 3 of line i of each block. */
typedef struct {
  Vf value[2][8];
} Unit;

/* The divisors of a unit's coefficients and the factors of its levels. */
typedef struct {
  Unit divisor, factor;
  const BdctTileQuantizer *quantizer[LANES];
} Steps;

/* Of a strip: the steps, and of eight rows the samples, and what becomes of
 * them. */
typedef struct {
  Steps steps;
  Samples in, out;
} Scratch;

BDCT_SCRATCH_HOLDS (Scratch);

/* The position of eight rows, their visible width and height, and the columns
 * of whole blocks. */
typedef struct {
  int row, column, height, width, columns;
} Place;

BDCT_FORCE_INLINE Vf
to_float (V v)
{
  return __builtin_convertvector ((Vi) v, Vf);
}

/* Round towards zero. */
BDCT_FORCE_INLINE V
to_int (Vf v)
{
  return (V) __builtin_convertvector (v, Vi);
}

/* Round down. */
BDCT_FORCE_INLINE V
to_floor (Vf v)
{
#if LANES == 4
  return _mm512_cvt_roundps_epi32 ((__m512) v,
      _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#else
  return to_int (OP (floor_ps) (v));
#endif
}

/* The lower 16 bits of each 32-bit element of two vectors. */
BDCT_FORCE_INLINE V
join_halves (V low, V high)
{
#if LANES == 4
  return _mm512_mask_blend_epi16 (0xaaaaaaaa, low, sll32 (high, 16));
#else
  return OP (blend_epi16) (low, sll32 (high, 16), 0xaa);
#endif
}

/* Transpose each lane's 4x4 elements. */
BDCT_FORCE_INLINE void
transpose_4 (V * out, V a, V b, V c, V d)
{
  const V ab0 = low32 (a, b), ab1 = high32 (a, b);
  const V cd0 = low32 (c, d), cd1 = high32 (c, d);

  out[0] = low64 (ab0, cd0);
  out[1] = high64 (ab0, cd0);
  out[2] = low64 (ab1, cd1);
  out[3] = high64 (ab1, cd1);
}

/* Turn lines that are rows into lines that are columns, or the reverse. */
BDCT_FORCE_INLINE void
transpose (Unit * restrict out, const Unit * restrict in)
{
  BDCT_UNROLL for (int i = 0; i < 4; i++) {
    const Vf *line = &in->value[i % 2][i / 2 * 4];

    transpose_4 ((V *) & out->value[i / 2][i % 2 * 4], (V) line[0], (V) line[1],
        (V) line[2], (V) line[3]);
  }
}

/* The compiler sees constants, so that it omits products with 1. */
BDCT_FORCE_INLINE void
fill_matrix (float m[64])
{
  BDCT_UNROLL for (int i = 0; i < 64; i++)
    m[i] = bdct_matrix_dct8x8 (i / 8, i % 8);
}

/* Transform eight rows of samples into coefficients times 8. */
BDCT_FORCE_INLINE void
forward_unit (Unit * c, const int16_t * sample, int middle)
{
  float m[64];
  Unit t;

  fill_matrix (m);
  BDCT_UNROLL for (int h = 0; h < 2; h++) {
    const int16_t *row = sample + 4 * h * COLUMNS;
    V two[4];
    Vf in[8];

    transpose_4 (two, load (row), load (row + COLUMNS),
        load (row + 2 * COLUMNS), load (row + 3 * COLUMNS));
    BDCT_UNROLL for (int i = 0; i < 4; i++) {
      in[2 * i] = to_float (and8 (two[i], set32 (0xffff)));
      in[2 * i + 1] = to_float (srl32 (two[i], 16));
    }
    forward (t.value[h], in, m, 8, 8);
    t.value[h][0] -= (float) (8 * middle);
  }
  transpose (c, &t);
  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    Vf out[8];

    forward (out, c->value[g], m, 8, 8);
    BDCT_UNROLL for (int i = 0; i < 8; i++)
      c->value[g][i] = out[i];
  }
}

/* Round half away from zero. This divides, as a product with the reciprocal
 * would round some halves the other way. */
BDCT_FORCE_INLINE V
quantize (Vf c, Vf divisor)
{
  const Vf v = c / divisor;
  const Vi half = (Vi) ((Vf) { 0 } + 0.5f);

  return to_int (v + (Vf) (half | ((Vi) v & INT32_MIN)));
}

/* Quantize coefficients and reconstruct eight rows of samples; returns the
 * counts of levels that are not 0, by 16-bit element. */
BDCT_FORCE_INLINE V
inverse_unit (int16_t * sample, const Unit * c, const Steps * steps, int middle)
{
  const V up = set16 (32768 - middle), down = set16 (32768 - 2 * middle);
  V level[2][8], count = zero ();
  float m[64];
  Unit t, rows;

  fill_matrix (m);
  BDCT_UNROLL for (int g = 0; g < 2; g++) {
    Vf in[8];

    BDCT_UNROLL for (int i = 0; i < 8; i++) {
      level[g][i] = quantize (c->value[g][i], steps->divisor.value[g][i]);
      in[i] = to_float (level[g][i]) * steps->factor.value[g][i];
    }
    inverse (t.value[g], in, m, 8, 8);
  }
  BDCT_UNROLL for (int i = 0; i < 8; i++)
    count = add16 (count, min16u (packs32 (level[0][i], level[1][i]),
            set16 (1)));
  transpose (&rows, &t);
  BDCT_UNROLL for (int h = 0; h < 2; h++) {
    int16_t *row = sample + 4 * h * COLUMNS;
    V two[4];
    Vf out[8];

    inverse (out, rows.value[h], m, 8, 8);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      two[i] = join_halves (to_floor (out[2 * i] + 0.5f),
          to_floor (out[2 * i + 1] + 0.5f));
    transpose_4 (two, two[0], two[1], two[2], two[3]);
    BDCT_UNROLL for (int i = 0; i < 4; i++)
      store (row + i * COLUMNS, subsat16u (addsat16 (two[i], up), down));
  }
  return count;
}

/* The squared errors of eight rows: at most 16 of 4095^2 to an element. */
BDCT_FORCE_INLINE V
measure (const int16_t * a, const int16_t * b)
{
  V sum = zero ();

  BDCT_UNROLL for (int i = 0; i < 8; i++) {
    const V e = sub16 (load (a + i * COLUMNS), load (b + i * COLUMNS));

    sum = dot16 (sum, e, e);
  }
  return sum;
}

BDCT_FORCE_INLINE void
get (Samples * s, const BdctTilePlane * p, const Place * at, int width,
    int bytes, int step)
{
  const int peak = (1 << p->depth) - 1, last = p->layout.height - 1;

  for (int y = 0; y < 8; y++) {
    const uint8_t *src =
        bdct_tile_at (p, &p->src, bdct_min (at->row + y, last), at->column);

    for (int x = 0; x < width; x++)
      s->sample[y * COLUMNS + x] =
          bdct_sample_get (src, x * step, bytes, p->layout.shift, peak);
  }
}

BDCT_FORCE_INLINE void
put_area (const Samples * s, const BdctTilePlane * p, const Place * at,
    int width, int bytes, int step)
{
  for (int y = 0; y < at->height; y++) {
    uint8_t *dst = bdct_tile_at (p, &p->dst, at->row + y, at->column);

    for (int x = 0; x < width; x++)
      bdct_sample_put (dst, x * step, bytes, p->layout.shift,
          s->sample[y * COLUMNS + x]);
  }
}

/* Call FUNCTION (..., width, bytes, step) with constants, except for widths
 * below the full one. */
#define CALL(function, s, p, at, width)                                       \
  ((width) == COLUMNS ? BDCT_TILE_CALL (p, function, s, p, at, COLUMNS)       \
      : BDCT_TILE_CALL (p, function, s, p, at, width))

static void
get_rows (Samples * s, const BdctTilePlane * p, const Place * at)
{
  const int width = bdct_min (p->columns - at->column, at->columns);

  CALL (get, s, p, at, width);
  for (int y = 0; y < 8 && width < COLUMNS; y++) {
    int16_t *row = s->sample + y * COLUMNS;

    for (int x = width; x < at->columns; x++)
      row[x] = row[width - 1];
    /* There is no block here: its levels become 0. */
    for (int x = at->columns; x < COLUMNS; x++)
      row[x] = 1 << (p->depth - 1);
  }
}

static void
put_rows (const Samples * s, const BdctTilePlane * p, const Place * at)
{
  CALL (put_area, s, p, at, at->width);
}

/* Set the steps of a unit's n blocks; `quantizers` has their numbers. */
static void
set_steps (Steps * steps, const BdctTilePlane * p, const uint8_t * quantizers,
    int n)
{
  const BdctTileQuantizer *of[LANES];

  for (int j = 0; j < LANES; j++)
    of[j] = p->quantizer[quantizers != NULL
        ? quantizers[bdct_min (j, n - 1)] : 0];
  if (memcmp (of, steps->quantizer, sizeof of) == 0)
    return;
  memcpy (steps->quantizer, of, sizeof of);
  for (int i = 0; i < 16; i++) {
    int32_t quant[4 * LANES];

    for (int j = 0; j < LANES; j++)
      memcpy (quant + 4 * j, &of[j]->quant[i % 8][i / 8 * 4], 16);
    steps->divisor.value[i / 8][i % 8] = 8.0f * to_float (load (quant));
    steps->factor.value[i / 8][i % 8] = 0.125f * to_float (load (quant));
  }
}

/* Store the levels of a unit's n blocks, one block after another. */
static void
put_levels (BdctLevel * to, const Unit * c, const Steps * steps, int n)
{
  for (int v = 0; v < 8; v++) {
    BdctLevel row[UNIT];

    store (row, packs32 (quantize (c->value[0][v], steps->divisor.value[0][v]),
            quantize (c->value[1][v], steps->divisor.value[1][v])));
    for (int j = 0; j < n; j++)
      memcpy (to + 64 * j + 8 * v, row + 8 * j, 8 * sizeof *to);
  }
}

/* Copy the original where samples are outside of the picture, so that they have
 * no error. */
static void
hide (int16_t * sample, const int16_t * original, int width, int height)
{
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < UNIT; x++)
      if (x >= width || y >= height)
        sample[y * COLUMNS + x] = original[y * COLUMNS + x];
}

/* The sum of each lane. */
static void
sum_lanes (uint32_t sum[LANES], V v)
{
  uint32_t value[4 * LANES];

  store (value, v);
  for (int j = 0; j < LANES; j++)
    sum[j] = value[4 * j] + value[4 * j + 1] + value[4 * j + 2]
        + value[4 * j + 3];
}

/* Write the records of a unit's n blocks. */
static void
put_records (BdctBlockRecord * to, V errors, V levels, int n)
{
  uint32_t sse[LANES], nonzero[LANES];

  sum_lanes (sse, errors);
  sum_lanes (nonzero, madd16 (levels, set16 (1)));
  for (int j = 0; j < n; j++)
    to[j] = (BdctBlockRecord) { sse[j], nonzero[j], 0 };
}

/* Add the sums of all COLUMNS to the counters; an element's errors are below
 * 2^32. */
static void
add_up (BdctCounters * counters, V errors, V levels)
{
  uint32_t sse[4 * LANES], nonzero[LANES];

  store (sse, errors);
  sum_lanes (nonzero, madd16 (levels, set16 (1)));
  for (int i = 0; i < 4 * LANES; i++)
    counters->sse += sse[i];
  for (int j = 0; j < LANES; j++)
    counters->nonzero += nonzero[j];
}

static void
do_rows (Scratch * s, const BdctTilePlane * p, const Place * at,
    BdctTileStrip * strip)
{
  const int middle = 1 << (p->depth - 1);
  const size_t left = at->column / 8, down = at->row / 8;
  const size_t first = p->grid.first + down * p->grid.columns + left;
  V errors = zero (), levels = zero ();

  get_rows (&s->in, p, at);
  if (p->quantizer_map == NULL)
    set_steps (&s->steps, p, NULL, 0);
  for (int x = 0; x < at->columns; x += UNIT) {
    const int n = bdct_min (at->columns - x, UNIT) / 8;
    Unit c;
    V e, l;

    forward_unit (&c, s->in.sample + x, middle);
    if (p->quantizer_map != NULL)
      set_steps (&s->steps, p, p->quantizer_map + first + x / 8, n);
    if (strip->levels != NULL)
      put_levels (strip->levels + 64 * (down % (BDCT_TILE / 8)
              * p->grid.columns + left + x / 8), &c, &s->steps, n);
    l = inverse_unit (s->out.sample + x, &c, &s->steps, middle);
    if (x + UNIT > at->width || at->height < 8)
      hide (s->out.sample + x, s->in.sample + x, at->width - x, at->height);
    e = measure (s->out.sample + x, s->in.sample + x);
    if (p->blocks != NULL)
      put_records (p->blocks + first + x / 8, e, l, n);
    errors = add32 (errors, e);
    levels = add16 (levels, l);
  }
  add_up (&strip->counters, errors, levels);
  if (p->dst.data != NULL)
    put_rows (&s->out, p, at);
}

static void
strip (const BdctTilePlane * p, int row, BdctTileStrip * out, void *scratch)
{
  const BdctPlaneLayout *layout = &p->layout;
  Scratch *s = scratch;
  Place at;

  memset (s->steps.quantizer, 0, sizeof s->steps.quantizer);
  for (at.row = row; at.row < bdct_min (row + BDCT_TILE, layout->height);
      at.row += 8)
    for (at.column = 0; at.column < layout->width; at.column += COLUMNS) {
      at.height = bdct_min (layout->height - at.row, 8);
      at.width = bdct_min (layout->width - at.column, COLUMNS);
      at.columns = (at.width + 7) & ~7;
      do_rows (s, p, &at, out);
    }
}

const BdctTileFunc BDCT_CONCAT (bdct_dct8x8_, BDCT_ISA) = strip;
