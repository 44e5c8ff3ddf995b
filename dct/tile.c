/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Built once for each instruction set (meson.build): BDCT_ISA names the object,
 * BDCT_ISA_NAME the set, BDCT_LANES the 32-bit lanes of its vectors. The source
 * is the same, in GCC's vector extension, and no result depends on the set:
 * integers are exact, and the floating-point chain does the same operations
 * lane by lane, uncontracted.
 *
 * A tile of 32x32 samples goes through all stages in the cache. A pass works
 * down the columns, BDCT_LANES of them at a time; for the rows the tile is
 * transposed, which also transposes every block in it. */
#include "tile.h"

#include <string.h>

#define LANES BDCT_LANES
#define T BDCT_TILE
#define INLINE static inline __attribute__ ((always_inline))

typedef int32_t Vi __attribute__ ((vector_size (4 * LANES), may_alias));
typedef float Vf __attribute__ ((vector_size (4 * LANES), may_alias));
typedef int32_t V4 __attribute__ ((vector_size (16), may_alias));

#define BDCT_INLINE INLINE
#ifndef BDCT_UNROLL             /* empty in a build with sanitizers */
#define BDCT_UNROLL _Pragma ("GCC unroll 32")
#endif
#define BDCT_PASS(name) name##_int
#define BDCT_VALUE Vi
#define BDCT_SCALAR int32_t
#include "pass.h"
#undef BDCT_PASS
#undef BDCT_VALUE
#undef BDCT_SCALAR
#define BDCT_PASS(name) name##_real
#define BDCT_VALUE Vf
#define BDCT_SCALAR float
#include "pass.h"

/* 32-bit cells: int32_t, or float in the real chain. */
typedef struct {
  int32_t cell[T][T];
} __attribute__ ((aligned (64))) Tile;

static void
transpose (Tile * restrict out, const Tile * restrict in)
{
  for (int y = 0; y < T; y += 4)
    for (int x = 0; x < T; x += 4) {
      V4 a = *(const V4 *) &in->cell[y][x];
      V4 b = *(const V4 *) &in->cell[y + 1][x];
      V4 c = *(const V4 *) &in->cell[y + 2][x];
      V4 d = *(const V4 *) &in->cell[y + 3][x];
      V4 ab0 = __builtin_shufflevector (a, b, 0, 4, 1, 5);
      V4 ab1 = __builtin_shufflevector (a, b, 2, 6, 3, 7);
      V4 cd0 = __builtin_shufflevector (c, d, 0, 4, 1, 5);
      V4 cd1 = __builtin_shufflevector (c, d, 2, 6, 3, 7);

      *(V4 *) &out->cell[x][y] = __builtin_shufflevector (ab0, cd0, 0, 1, 4, 5);
      *(V4 *) &out->cell[x + 1][y] =
          __builtin_shufflevector (ab0, cd0, 2, 3, 6, 7);
      *(V4 *) &out->cell[x + 2][y] =
          __builtin_shufflevector (ab1, cd1, 0, 1, 4, 5);
      *(V4 *) &out->cell[x + 3][y] =
          __builtin_shufflevector (ab1, cd1, 2, 3, 6, 7);
    }
}

INLINE Vi
clip16 (Vi v)
{
  Vi low = v < -32768, high = v > 32767;

  return (v & ~(low | high)) | (low & -32768) | (high & 32767);
}

/* One pass down the columns of every block of the tile, rounded.
 *
 * `wide` is for products beyond 32 bits: with v = 256 h + l, and l from 0 to
 * 255, M v = 256 M h + M l, and since a floor of a floor is the floor,
 * (M v + 2^(s-1)) >> s = (M h + ((M l + 2^(s-1)) >> 8)) >> (s - 8). */
INLINE void
pass_int (Tile * t, const int32_t * m, int n, int dense, int inverse,
    int shift, int clip, int wide)
{
  Vi half = (Vi) { 0 } + (1 << (shift - 1));

  for (int y = 0; y < T; y += n)
    for (int x = 0; x < T; x += LANES) {
      Vi in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];

      BDCT_UNROLL for (int i = 0; i < n; i++)
        in[i] = *(Vi *) &t->cell[y + i][x];
      if (wide) {
        Vi low[BDCT_MAX_SIZE], high[BDCT_MAX_SIZE];

        BDCT_UNROLL for (int i = 0; i < n; i++) {
          low[i] = in[i] & 255;
          high[i] = in[i] >> 8;
        }
        inverse_int (out, high, m, n);
        inverse_int (high, low, m, n);
        BDCT_UNROLL for (int i = 0; i < n; i++)
          *(Vi *) &t->cell[y + i][x] =
              (out[i] + ((high[i] + half) >> 8)) >> (shift - 8);
        continue;
      }
      if (dense)
        (inverse ? inverse_dense4_int : forward_dense4_int) (out, in, m);
      else
        (inverse ? inverse_int : forward_int) (out, in, m, n);
      BDCT_UNROLL for (int i = 0; i < n; i++) {
        Vi v = (out[i] + half) >> shift;
        *(Vi *) &t->cell[y + i][x] = clip ? clip16 (v) : v;
      }
    }
}

INLINE void
pass_real (Tile * t, const float *m, int inverse)
{
  for (int y = 0; y < T; y += 8)
    for (int x = 0; x < T; x += LANES) {
      Vf in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];

      BDCT_UNROLL for (int i = 0; i < 8; i++)
        in[i] = *(Vf *) &t->cell[y + i][x];
      (inverse ? inverse_real : forward_real) (out, in, m, 8);
      BDCT_UNROLL for (int i = 0; i < 8; i++)
        *(Vf *) &t->cell[y + i][x] = out[i];
    }
}

/* level = sign (c) ((|c| + 4q) / 8q). Both numbers are below 2^23, so the
 * correctly rounded quotient never reaches the next integer and truncating it
 * is the integer division. */
INLINE Vi
quantize_jpeg (Vi c, Vi q)
{
  Vi sign = c >> 31;
  Vi num = ((c ^ sign) - sign) + 4 * q, den = 8 * q;
  Vi level = __builtin_convertvector (__builtin_convertvector (num, Vf)
      / __builtin_convertvector (den, Vf), Vi);

  return (level ^ sign) - sign;
}

INLINE Vf
round_half_away (Vf v)
{
  Vf half = (Vf) (((Vi) v & INT32_MIN) | (Vi) ((Vf) { 0 } + 0.5f));

  return __builtin_convertvector (__builtin_convertvector (v + half, Vi), Vf);
}

/* HM's quantizer. |c| < 2^15 and quant < 2^15: the product and the rounding
 * term stay below 2^31; so does the dequantizer's product, which returns to
 * |c| 2^dequant_bits give or take one step. */
INLINE Vi
quantize_hevc (Vi c, Vi quant, int add, int bits)
{
  Vi sign = c >> 31;
  Vi level = (((c ^ sign) - sign) * quant + add) >> bits;

  return clip16 ((level ^ sign) - sign);
}

/* The levels of the coefficients at (x, y). */
INLINE Vi
quantize (const Tile * t, const BdctTilePlane * p, BdctFamily family, int x,
    int y)
{
  const int32_t *cell = &t->cell[y][x];
  Vi q = *(const Vi *) &p->quant[y & (p->size - 1)][x];

  if (family == BDCT_FAMILY_JPEG)
    return quantize_jpeg (*(const Vi *) cell, q);
  /* Both passes carry sqrt (8): 8 q here, 1 / 8 after the inverse. */
  if (family == BDCT_FAMILY_REAL)
    return __builtin_convertvector (round_half_away (*(const Vf *) cell
            / (8.0f * __builtin_convertvector (q, Vf))), Vi);
  return quantize_hevc (*(const Vi *) cell, q, p->job->quant_add,
      p->job->quant_bits);
}

/* Quantize and dequantize the blocks of the first `rows` rows; returns the
 * non-zero levels in the first `columns` columns. */
INLINE uint64_t
requantize (Tile * t, const BdctTilePlane * p, BdctFamily family, int rows,
    int columns)
{
  const BdctComponentJob *job = p->job;
  Vi count = { 0 }, seen[T / LANES];
  uint64_t nonzero = 0;

  for (int x = 0; x < T; x++)
    seen[x / LANES][x % LANES] = x < columns;
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < T; x += LANES) {
      Vi *cell = (Vi *) &t->cell[y][x];
      Vi q = *(const Vi *) &p->quant[y & (p->size - 1)][x];
      Vi level = quantize (t, p, family, x, y);

      if (family == BDCT_FAMILY_JPEG) {
        *cell = level * q;
      } else if (family == BDCT_FAMILY_REAL) {
        *(Vf *) cell = __builtin_convertvector (level, Vf)
            * __builtin_convertvector (q, Vf);
      } else {
        Vi dq = *(const Vi *) &p->dequant[y & (p->size - 1)][x];
        *cell = clip16 ((level * dq + (1 << (job->dequant_bits - 1)))
            >> job->dequant_bits);
      }
      count += (level != 0) & seen[x / LANES];
    }
  for (int i = 0; i < LANES; i++)
    nonzero += count[i];
  return nonzero;
}

/* Samples are bytes or words; `step` of them lie from one to the next. */
INLINE int
get_sample (const uint8_t * row, int i, int bytes, int shift, int peak)
{
  uint16_t word;
  int v;

  if (bytes == 1)
    return row[i];
  memcpy (&word, row + 2 * (size_t) i, 2);
  v = word >> shift;
  return v > peak ? peak : v;
}

INLINE void
load (Tile * t, const BdctTilePlane * p, int row, int column, int bytes,
    int step)
{
  int peak = (1 << p->depth) - 1, middle = 1 << (p->depth - 1);
  int width = p->width - column, height = p->height - row;

  width = width < T ? width : T;
  for (int y = 0; y < T; y++) {
    const uint8_t *src = p->src
        + (ptrdiff_t) (row + (y < height ? y : height - 1)) * p->src_stride
        + (ptrdiff_t) column * step * bytes;
    int32_t *cell = t->cell[y];

    for (int x = 0; x < width; x++)
      cell[x] = get_sample (src, x * step, bytes, p->shift, peak) - middle;
    for (int x = width; x < T; x++)
      cell[x] = cell[width - 1];
  }
}

INLINE uint64_t
store (const Tile * t, const BdctTilePlane * p, int row, int column, int bytes,
    int step)
{
  int peak = (1 << p->depth) - 1, middle = 1 << (p->depth - 1);
  int width = p->width - column, height = p->height - row;
  uint64_t sse = 0;

  width = width < T ? width : T;
  height = height < T ? height : T;
  for (int y = 0; y < height; y++) {
    ptrdiff_t offset = (ptrdiff_t) column * step * bytes;
    const uint8_t *src =
        p->src + (ptrdiff_t) (row + y) * p->src_stride + offset;
    uint8_t *dst = p->dst + (ptrdiff_t) (row + y) * p->dst_stride + offset;
    uint32_t sum = 0;           /* 32 x 4095^2 < 2^32 */

    for (int x = 0; x < width; x++) {
      int v = t->cell[y][x] + middle;
      int e;

      v = v < 0 ? 0 : v > peak ? peak : v;
      e = v - get_sample (src, x * step, bytes, p->shift, peak);
      sum += (uint32_t) (e * e);
      if (bytes == 1) {
        dst[x * step] = (uint8_t) v;
      } else {
        uint16_t word = (uint16_t) (v << p->shift);
        memcpy (dst + 2 * (size_t) (x * step), &word, 2);
      }
    }
    sse += sum;
  }
  return sse;
}

static void
load_any (Tile * t, const BdctTilePlane * p, int row, int column)
{
  if (p->depth == 8)
    p->step == 1 ? load (t, p, row, column, 1, 1)
        : load (t, p, row, column, 1, 2);
  else
    p->step == 1 ? load (t, p, row, column, 2, 1)
        : load (t, p, row, column, 2, 2);
}

static uint64_t
store_any (const Tile * t, const BdctTilePlane * p, int row, int column)
{
  if (p->depth == 8)
    return p->step == 1 ? store (t, p, row, column, 1, 1)
        : store (t, p, row, column, 1, 2);
  return p->step == 1 ? store (t, p, row, column, 2, 1)
      : store (t, p, row, column, 2, 2);
}

/* The chain from samples to coefficients, in integers ... */
INLINE void
forward_chain (Tile * t, const BdctTilePlane * p, int n, int dense)
{
  const int32_t *m = p->entry.whole;
  const BdctComponentJob *job = p->job;
  Tile s;

  transpose (&s, t);
  pass_int (&s, m, n, dense, 0, job->fwd_shift[0], 0, 0);
  transpose (t, &s);
  pass_int (t, m, n, dense, 0, job->fwd_shift[1], 0, 0);
}

/* ... and from there to the reconstruction. */
INLINE uint64_t
backward_chain (Tile * t, const BdctTilePlane * p, BdctFamily family, int n,
    int dense, int wide, int rows, int columns)
{
  const int32_t *m = p->entry.whole;
  const BdctComponentJob *job = p->job;
  int clip = family == BDCT_FAMILY_HEVC;
  uint64_t nonzero = requantize (t, p, family, rows, columns);
  Tile s;

  pass_int (t, m, n, dense, 1, job->inv_shift[0], clip, 0);
  transpose (&s, t);
  pass_int (&s, m, n, dense, 1, job->inv_shift[1], clip, wide);
  transpose (t, &s);
  return nonzero;
}

static void
forward_chain_real (Tile * t, const BdctTilePlane * p)
{
  const float *m = p->entry.real;
  Tile s;

  for (int i = 0; i < T * T; i += LANES) {
    Vi *cell = (Vi *) (t->cell[0] + i);
    *(Vf *) cell = __builtin_convertvector (*cell, Vf);
  }
  transpose (&s, t);
  pass_real (&s, m, 0);
  transpose (t, &s);
  pass_real (t, m, 0);
}

static uint64_t
backward_chain_real (Tile * t, const BdctTilePlane * p, int rows, int columns)
{
  const float *m = p->entry.real;
  uint64_t nonzero = requantize (t, p, BDCT_FAMILY_REAL, rows, columns);
  Tile s;

  pass_real (t, m, 1);
  transpose (&s, t);
  pass_real (&s, m, 1);
  transpose (t, &s);
  for (int i = 0; i < T * T; i += LANES) {
    Vf v = *(Vf *) (t->cell[0] + i) * 0.125f + 0.5f;
    Vi whole = __builtin_convertvector (v, Vi);
    /* The conversion truncates: a floor takes one off below 0. */
    whole += __builtin_convertvector (whole, Vf) > v;
    *(Vi *) (t->cell[0] + i) = whole;
  }
  return nonzero;
}

/* Two functions a matrix, so that each is compiled for its constant size. Above
 * a depth of 8, coarse steps may double each coefficient of jpeg-8x8 and so the
 * block's norm, to 2^15: the first inverse pass stays below 2^30, the second
 * needs more than 32 bits (and saturates in the end). */
#define CHAIN(name, family, n, dense, wide)                                   \
  static void forward_##name (Tile *t, const BdctTilePlane *p)                \
  {                                                                           \
    forward_chain (t, p, n, dense);                                           \
  }                                                                           \
  static uint64_t backward_##name (Tile *t, const BdctTilePlane *p, int rows, \
      int columns)                                                            \
  {                                                                           \
    return backward_chain (t, p, family, n, dense, wide, rows, columns);      \
  }
CHAIN (islow, BDCT_FAMILY_JPEG, 8, 0, 0)
CHAIN (islow_wide, BDCT_FAMILY_JPEG, 8, 0, 1)
CHAIN (dst4, BDCT_FAMILY_HEVC, 4, 1, 0)
CHAIN (hevc4, BDCT_FAMILY_HEVC, 4, 0, 0)
CHAIN (hevc8, BDCT_FAMILY_HEVC, 8, 0, 0)
CHAIN (hevc16, BDCT_FAMILY_HEVC, 16, 0, 0)
CHAIN (hevc32, BDCT_FAMILY_HEVC, 32, 0, 0)

typedef struct {
  void (*forward) (Tile * t, const BdctTilePlane * p);
  uint64_t (*backward) (Tile * t, const BdctTilePlane * p, int rows,
      int columns);
} Chain;

static const Chain chains[] = {
  [BDCT_MATRIX_ISLOW_8] = {forward_islow, backward_islow},
  [BDCT_MATRIX_REAL_8] = {forward_chain_real, backward_chain_real},
  [BDCT_MATRIX_DST_4] = {forward_dst4, backward_dst4},
  [BDCT_MATRIX_HEVC_4] = {forward_hevc4, backward_hevc4},
  [BDCT_MATRIX_HEVC_8] = {forward_hevc8, backward_hevc8},
  [BDCT_MATRIX_HEVC_16] = {forward_hevc16, backward_hevc16},
  [BDCT_MATRIX_HEVC_32] = {forward_hevc32, backward_hevc32},
};

static const Chain chain_islow_wide = { forward_islow_wide,
  backward_islow_wide
};

static const Chain *
chain_for (const BdctTilePlane * p)
{
  return p->matrix == BDCT_MATRIX_ISLOW_8 && p->depth > 8
      ? &chain_islow_wide : &chains[p->matrix];
}

static void
strip (const BdctTilePlane * p, int row, BdctCounters * counters)
{
  const Chain *chain = chain_for (p);
  int rows, mask = ~(p->size - 1);

  rows = (p->height - row + p->size - 1) & mask;
  rows = rows < T ? rows : T;
  for (int column = 0; column < p->width; column += T) {
    int columns = (p->width - column + p->size - 1) & mask;
    Tile t;

    load_any (&t, p, row, column);
    chain->forward (&t, p);
    counters->nonzero += chain->backward (&t, p, rows, columns);
    counters->sse += store_any (&t, p, row, column);
  }
}

static uint64_t
backward (const BdctTilePlane * p, int32_t * cells)
{
  uint64_t nonzero;
  Tile t;

  memcpy (&t, cells, sizeof t);
  nonzero = chain_for (p)->backward (&t, p, T, T);
  memcpy (cells, &t, sizeof t);
  return nonzero;
}

INLINE void
quantize_tile (Tile * t, const BdctTilePlane * p, BdctFamily family)
{
  for (int y = 0; y < T; y++)
    for (int x = 0; x < T; x += LANES)
      *(Vi *) &t->cell[y][x] = quantize (t, p, family, x, y);
}

static void
levels (const BdctTilePlane * p, int row, int column, int32_t * cells)
{
  Tile t;

  load_any (&t, p, row, column);
  chain_for (p)->forward (&t, p);
  if (p->family == BDCT_FAMILY_JPEG)
    quantize_tile (&t, p, BDCT_FAMILY_JPEG);
  else if (p->family == BDCT_FAMILY_REAL)
    quantize_tile (&t, p, BDCT_FAMILY_REAL);
  else
    quantize_tile (&t, p, BDCT_FAMILY_HEVC);
  memcpy (cells, &t, sizeof t);
}

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_ (a, b)

const BdctTileKernel CONCAT (bdct_tile_, BDCT_ISA) = {
  .isa = BDCT_ISA_NAME,
  .strip = strip,
  .backward = backward,
  .levels = levels,
};
