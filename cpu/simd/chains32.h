/* blockdct: every chain of transforms.def on a tile, in vectors of BDCT_LANES
 * 32-bit lanes (GCC's vector extension). tile32.c includes it.
 *
 * A pass works on columns, BDCT_LANES of them at a time. For the rows the tile
 * is transposed, which also transposes every block in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tile32.h"

#define LANES BDCT_LANES

typedef int32_t Vi __attribute__ ((vector_size (4 * LANES), may_alias));
typedef uint32_t Vu __attribute__ ((vector_size (4 * LANES), may_alias));
typedef float Vf __attribute__ ((vector_size (4 * LANES), may_alias));
typedef int32_t V4 __attribute__ ((vector_size (16), may_alias));
typedef BdctTileValues Tile;

#define BDCT_INLINE BDCT_FORCE_INLINE
#define BDCT_PASS(name) name##_int
#define BDCT_FLOW(name) name##_flow
#define BDCT_VALUE Vi
#define BDCT_SCALAR int32_t
#include "dct/transform/butterflies.h"
#include "dct/transform/flows.h"
#include "dct/transform/hadamard.h"
#undef BDCT_PASS
#undef BDCT_VALUE
#undef BDCT_SCALAR
#define BDCT_PASS(name) name##_float
#define BDCT_VALUE Vf
#define BDCT_SCALAR float
#include "dct/transform/butterflies.h"

BDCT_FORCE_INLINE Vf
to_float (Vi v)
{
  return __builtin_convertvector (v, Vf);
}

BDCT_FORCE_INLINE Vi
to_int (Vf v)
{
  return __builtin_convertvector (v, Vi);
}

BDCT_FORCE_INLINE Vf
as_float (Vi v)
{
  return (Vf) v;
}

BDCT_FORCE_INLINE Vf
divide (Vf c, Vf d, Vf r)
{
  (void) r;
  return c / d;
}

BDCT_FORCE_INLINE Vi
clip16 (Vi v)
{
  Vi low = v < -32768, high = v > 32767;

  return (v & ~(low | high)) | (low & -32768) | (high & 32767);
}

BDCT_FORCE_INLINE Vf
with_sign (Vf magnitude, Vf c)
{
  return (Vf) ((Vi) magnitude | ((Vi) c & INT32_MIN));
}

#define BDCT_NAME(name) name
#define BDCT_INT Vi
#define BDCT_FLOAT Vf
#include "dct/quantizer/quantize.h"

BDCT_FORCE_INLINE void
transpose_side (Tile * restrict out, const Tile * restrict in, int side)
{
  for (int y = 0; y < side; y += 4)
    for (int x = 0; x < side; x += 4) {
      const int32_t *from = in->value + y * side + x;
      int32_t *to = out->value + x * side + y;
      V4 a = *(const V4 *) from;
      V4 b = *(const V4 *) (from + side);
      V4 c = *(const V4 *) (from + 2 * side);
      V4 d = *(const V4 *) (from + 3 * side);
      V4 ab0 = __builtin_shufflevector (a, b, 0, 4, 1, 5);
      V4 ab1 = __builtin_shufflevector (a, b, 2, 6, 3, 7);
      V4 cd0 = __builtin_shufflevector (c, d, 0, 4, 1, 5);
      V4 cd1 = __builtin_shufflevector (c, d, 2, 6, 3, 7);

      *(V4 *) to = __builtin_shufflevector (ab0, cd0, 0, 1, 4, 5);
      *(V4 *) (to + side) = __builtin_shufflevector (ab0, cd0, 2, 3, 6, 7);
      *(V4 *) (to + 2 * side) = __builtin_shufflevector (ab1, cd1, 0, 1, 4, 5);
      *(V4 *) (to + 3 * side) = __builtin_shufflevector (ab1, cd1, 2, 3, 6, 7);
    }
}

static void
transpose (Tile * out, const Tile * in, int side)
{
  if (side == BDCT_TILE)
    transpose_side (out, in, BDCT_TILE);
  else
    transpose_side (out, in, 2 * BDCT_TILE);
}

/* The parameters of a pass besides its basis: `side` of the tile, the `other`
 * side of the blocks, the `live` columns of each block, beyond which all are 0,
 * and the rounding shift. */
typedef void Basis (Vi * y, const Vi * x, const int32_t * m, int keep);

BDCT_FORCE_INLINE void
pass_forward (Tile * t, Basis * basis, const int32_t * m, int n, int keep,
    int side, int other, int live, int shift)
{
  const Vi half = (Vi) { 0 } + (1 << shift >> 1);

  for (int y = 0; y < side; y += n)
    for (int x = 0; x < side; x += LANES) {
      Vi in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];
      Vi *entry = (Vi *) (t->value + y * side + x);

      if ((x & (other - 1)) >= live)
        continue;
      BDCT_UNROLL for (int i = 0; i < n; i++)
        in[i] = entry[i * side / LANES];
      basis (out, in, m, keep);
      BDCT_UNROLL for (int i = 0; i < keep; i++)
        entry[i * side / LANES] = (out[i] + half) >> shift;
      BDCT_UNROLL for (int i = keep; i < n; i++)
        entry[i * side / LANES] = (Vi) { 0 };
    }
}

/* `wide` is for products beyond 32 bits. With v = 256 h + l and l from 0 to
 * 255, M v = 256 M h + M l; and as the floor of a floor is the floor, (M v +
 * 2^(s-1)) >> s = (M h + ((M l + 2^(s-1)) >> 8)) >> (s - 8). */
BDCT_FORCE_INLINE void
pass_inverse (Tile * t, Basis * basis, const int32_t * m, int n, int keep,
    int side, int other, int live, int shift, int clip, int wide)
{
  const Vi half = (Vi) { 0 } + (1 << shift >> 1);

  for (int y = 0; y < side; y += n)
    for (int x = 0; x < side; x += LANES) {
      Vi in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];
      Vi *entry = (Vi *) (t->value + y * side + x);

      if ((x & (other - 1)) >= live)
        continue;
      BDCT_UNROLL for (int i = 0; i < keep; i++)
        in[i] = entry[i * side / LANES];
      BDCT_UNROLL for (int i = keep; i < n; i++)
        in[i] = (Vi) { 0 };
      if (wide) {
        Vi low[BDCT_MAX_SIZE], high[BDCT_MAX_SIZE];

        BDCT_UNROLL for (int i = 0; i < n; i++) {
          low[i] = in[i] & 255;
          high[i] = in[i] >> 8;
        }
        basis (out, high, m, keep);
        basis (high, low, m, keep);
        BDCT_UNROLL for (int i = 0; i < n; i++)
          entry[i * side / LANES] = (out[i] + ((high[i] + half) >> 8))
              >> (shift - 8);
        continue;
      }
      basis (out, in, m, keep);
      BDCT_UNROLL for (int i = 0; i < n; i++) {
        Vi v = (out[i] + half) >> shift;
        entry[i * side / LANES] = clip ? clip16 (v) : v;
      }
    }
}

BDCT_FORCE_INLINE void
pass_dct8x8 (Tile * t, const float *m, int inverse)
{
  for (int y = 0; y < BDCT_TILE; y += 8)
    for (int x = 0; x < BDCT_TILE; x += LANES) {
      Vf in[BDCT_MAX_SIZE], out[BDCT_MAX_SIZE];
      Vf *entry = (Vf *) (t->value + y * BDCT_TILE + x);

      BDCT_UNROLL for (int i = 0; i < 8; i++)
        in[i] = entry[i * BDCT_TILE / LANES];
      (inverse ? inverse_float : forward_float) (out, in, m, 8, 8);
      BDCT_UNROLL for (int i = 0; i < 8; i++)
        entry[i * BDCT_TILE / LANES] = out[i];
    }
}

/* The part of a tile to quantize, and the outputs. */
typedef struct {
  int rows, columns;            /* whole blocks within the picture */
  BdctBlockRecord *blocks;      /* of the first block; NULL: none */
  int stride;                   /* records from one row of blocks to the next */
  Tile *level;                  /* receives the levels; NULL: not requested */
  bool *beyond;                 /* is set if given levels are */
  const Tile *which;            /* quantize only values whose entry here is
                                   `quantizer` */
  int quantizer;
} Region;

/* Add up columns, with those of each block into its record. */
static uint64_t
fold (const uint32_t * column, int n, int width, bool errors,
    BdctBlockRecord * record)
{
  uint64_t total = 0;

  if (record == NULL)
    width = n;
  for (int x = 0; x < n; x += width) {
    uint64_t sum = 0;

    for (int i = x; i < x + width && i < n; i++)
      sum += column[i];
    total += sum;
    if (record == NULL)
      continue;
    if (errors)
      record[x / width].sse = sum < UINT32_MAX ? sum : UINT32_MAX;
    else
      record[x / width].nonzero += sum;
  }
  return total;
}

BDCT_FORCE_INLINE bool
any (Vi v)
{
  int32_t sum = 0;

  for (int i = 0; i < LANES; i++)
    sum |= v[i];
  return sum != 0;
}

/* Quantize and dequantize or, if `given`, dequantize the levels that the tile
 * has; returns the number of levels that are not 0. `out` stores the levels.
 * `some` stores them if the region's `level` is not NULL, and restricts the
 * work to the values that `which` selects. A block's count goes into its
 * record. */
BDCT_FORCE_INLINE uint64_t
requantize (Tile * t, const BdctTileQuantizer * quantizer,
    const Region * region, BdctFamily family, int side, int width, int height,
    int keep, int out, int some, int given)
{
  const int table_shift = height > 8 ? __builtin_ctz (height) - 3 : 0;
  const int table_mask = (width > 16 ? width : 16) - 1;
  uint32_t count[BDCT_MAX_SIZE] __attribute__ ((aligned (64))) = { 0 };
  uint64_t nonzero = 0;
  Vi beyond = { 0 };

  for (int top = 0; top < region->rows; top += height) {
    for (int x = 0; x < side; x += LANES) {
      Vi n = { 0 };
      Vf sum = { 0 };

      for (int v = 0; v < (keep < height ? keep : height); v++) {
        int at = (top + v) * side + x;
        Vi *entry = (Vi *) (t->value + at), c = *entry, level, value;
        Vi mask = { 0 };
        const int row = v == 0 ? BDCT_TILE_FIRST : v >> table_shift;
        Vi quant = *(const Vi *) &quantizer->quant[row][x & table_mask];
        Vi companion = *(const Vi *) &quantizer->companion[row][x & table_mask];

        /* Other values may belong to another quantizer and exceed the exact
         * range. */
        if (some) {
          mask = *(const Vi *) (region->which->value + at) == region->quantizer;
          c &= mask;
        }
        if (given) {
          const Vf product = to_float ((c ^ c >> 31) - (c >> 31))
              * to_float (bdct_family_has_qp (family) ? companion : quant);

          sum += product;
          level = c & (product <= quantizer->column);
          value = family == BDCT_FAMILY_DCT8X8
              ? (Vi) (to_float (level) * to_float (quant))
              : dequantize (family, &quantizer->job, level, quant, companion);
        } else if (family == BDCT_FAMILY_DCT8X8) {
          level = quantize_dct8x8 ((Vf) c, quant, companion);
          value = (Vi) (to_float (level) * to_float (quant));
        } else {
          level = quantize (family, &quantizer->job, c, quant, companion);
          value = dequantize (family, &quantizer->job, level, quant, companion);
        }
        if (some) {
          value |= *entry & ~mask;       /* `value` and the level are 0 for a
                                            masked 0 */
          if (region->level != NULL)
            *(Vi *) (region->level->value + at) |= level;
        }
        if (out)
          *(Vi *) (region->level->value + at) = level;
        *entry = value;
        n -= level != 0;
      }
      *(Vi *) &count[x] += n;
      beyond |= sum > quantizer->column;
    }
    if (region->blocks != NULL) {
      nonzero += fold (count, region->columns,
          1 << quantizer->job.log2_width, false, region->blocks
          + (top >> quantizer->job.log2_height) * region->stride);
      __builtin_memset (count, 0, sizeof count);
    }
  }
  if (region->blocks == NULL)
    nonzero = fold (count, region->columns, width, false, NULL);
  if (given)
    *region->beyond = *region->beyond || any (beyond);
  return nonzero;
}

typedef struct {
  void (*forward) (Tile * t, const void *m, int live, int shift);
  void (*inverse) (Tile * t, const void *m, int live, int shift, int clip,
      int wide);
} Axis;

typedef uint64_t (*Requantize) (Tile * t, const BdctTileQuantizer * quantizer,
    const Region * region);

typedef struct {
  Axis rows, columns;
  Requantize all, all_out, some, given, some_given;
} Chain;

/* The bases, on as many columns as a vector has lanes. */
#define FORWARD_BUTTERFLIES(id, n) forward_int (y, x, m, n, keep)
#define FORWARD_DENSE(id, n) forward_dense_int (y, x, m, n, keep)
#define FORWARD_FLOW(id, n) BDCT_FLOW (forward_##id) (y, x)
#define INVERSE_BUTTERFLIES(id, n) inverse_int (y, x, m, n, keep)
#define INVERSE_DENSE(id, n) inverse_dense_int (y, x, m, n, keep)
#define INVERSE_FLOW(id, n) BDCT_FLOW (inverse_##id) (y, x)

#define BASIS(id, n, kind)                                                    \
  enum { SIZE_##id = n };                                                     \
  BDCT_FORCE_INLINE void                                                      \
  basis_forward_##id (Vi *y, const Vi *x, const int32_t *m, int keep)         \
  {                                                                           \
    (void) m, (void) keep;                                                    \
    FORWARD_##kind (id, n);                                                   \
  }                                                                           \
  BDCT_FORCE_INLINE void                                                      \
  basis_inverse_##id (Vi *y, const Vi *x, const int32_t *m, int keep)         \
  {                                                                           \
    (void) m, (void) keep;                                                    \
    INVERSE_##kind (id, n);                                                   \
  }
#include "dct/transform/transforms.def"

/* The chains, compiled for their constant sizes. At depths above 8 coarse steps
 * may double each coefficient of jpeg-8x8 and thus the block's norm, to 2^15:
 * the first inverse pass stays below 2^30, but the second, whose result then
 * saturates, needs more than 32 bits. This is the use of `wide`. */
#define KEEP(keep, basis) ((keep) < SIZE_##basis ? (keep) : SIZE_##basis)
#define LIVE(keep, other) ((keep) < SIZE_##other ? live : BDCT_MAX_SIZE)
#define SIDE(row, column)                                                     \
  (SIZE_##row > BDCT_TILE || SIZE_##column > BDCT_TILE ? 2 * BDCT_TILE        \
      : BDCT_TILE)

#define AXIS(name, family, basis, other, keep)                                \
  static void forward_##name (Tile *t, const void *m, int live, int shift)    \
  {                                                                           \
    if (family == BDCT_FAMILY_DCT8X8)                                         \
      pass_dct8x8 (t, m, 0);                                                  \
    else                                                                      \
      pass_forward (t, basis_forward_##basis, m, SIZE_##basis,                \
          KEEP (keep, basis), SIDE (basis, other), SIZE_##other,              \
          LIVE (keep, other), shift);                                         \
  }                                                                           \
  static void inverse_##name (Tile *t, const void *m, int live, int shift,    \
      int clip, int wide)                                                     \
  {                                                                           \
    if (family == BDCT_FAMILY_DCT8X8)                                         \
      pass_dct8x8 (t, m, 1);                                                  \
    else                                                                      \
      pass_inverse (t, basis_inverse_##basis, m, SIZE_##basis,                \
          KEEP (keep, basis), SIDE (basis, other), SIZE_##other,              \
          LIVE (keep, other), shift,                                          \
          family != BDCT_FAMILY_JPEG && clip,                                 \
          family == BDCT_FAMILY_JPEG && wide);                                \
  }

#define REQUANTIZE(name, family, row, column, keep, ...)                      \
  static uint64_t name (Tile *t, const BdctTileQuantizer *quantizer,          \
      const Region *region)                                                   \
  {                                                                           \
    return requantize (t, quantizer, region, BDCT_FAMILY_##family,            \
        SIDE (row, column), SIZE_##row, SIZE_##column, keep, __VA_ARGS__);    \
  }

#define CHAIN(id, family, row, column, keep, dc)                              \
  AXIS (rows_##id, BDCT_FAMILY_##family, row, column, keep)                   \
  AXIS (columns_##id, BDCT_FAMILY_##family, column, row, keep)                \
  REQUANTIZE (all_##id, family, row, column, keep, 0, 0, 0)                   \
  REQUANTIZE (all_out_##id, family, row, column, keep, 1, 0, 0)               \
  REQUANTIZE (some_##id, family, row, column, keep, 0, 1, 0)                  \
  REQUANTIZE (given_##id, family, row, column, keep, 0, 0, 1)                 \
  REQUANTIZE (some_given_##id, family, row, column, keep, 0, 1, 1)
#include "dct/transform/transforms.def"

#define CHAIN(id, family, row, column, keep, dc)                              \
  [BDCT_CHAIN_##id] = {                                                       \
    {forward_rows_##id, inverse_rows_##id},                                   \
    {forward_columns_##id, inverse_columns_##id},                             \
    all_##id, all_out_##id, some_##id, given_##id, some_given_##id,           \
  },
static const Chain chains[] = {
#include "dct/transform/transforms.def"
};
