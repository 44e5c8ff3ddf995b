/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The chain in 16-bit lanes, built once for each instruction set that has a
 * block in simd.h (meson.build): BDCT_ISA names the object.
 *
 * A call has some units side by side, a unit being as many blocks as a vector
 * has room for in a row of them. Planes of bytes are read and written where
 * they are; all else goes through rows of bytes or words without a gap. */
#include <string.h>
#include "passes16.h"
#include "sample.h"

/* Vectors of coefficients of a call, at most, and the bytes of its samples; and
 * what is enough of them to be worth one. */
#define VECTORS BDCT_CHAIN16_VECTORS
#define CALL_VECTORS 32
#define MAX_BYTES (2 * 8 * VECTORS * LANES)

typedef struct {
  V count;                      /* levels that are not 0, by element */
  V sse[2];                     /* squared errors by 4 samples of a row */
} Sums;

/* A strip of a plane's component, or of its two. */
typedef struct {
  const BdctTilePlane *const (*planes)[BDCT_TILE_JOBS];
  BdctTileStrip (*strips)[BDCT_TILE_JOBS];
  int n_jobs, row;
  int size, bytes, interleave;
  const struct Kernel *kernel;
  int unit;                     /* samples of a unit's row */
  int n_units;                  /* of a call, at most */
  int limit;                    /* calls whose sums are sure to fit */
  Sums sums[2][BDCT_TILE_JOBS];
} Strip;

/* Where a call is. */
typedef struct {
  int x, y, width, height;      /* of the visible samples */
  int units, unit_blocks, n_blocks;
  bool whole;                   /* every column is visible */
} Call;

static int
min (int a, int b)
{
  return a < b ? a : b;
}

/* The kernels, compiled for their constant sizes. */
typedef struct Kernel {
  void (*forward) (const BdctChain16 * c, V * out, const uint8_t * src,
      ptrdiff_t stride, int units);
  void (*inverse) (const BdctChain16 * c, const V * d, uint8_t * dst,
      ptrdiff_t stride, int units);
} Kernel;

#define UNIT(n) (((n) < 16 ? 16 : (n)) * LANES)

#define KERNEL(name, n, bytes, ...)                                           \
  static void forward_##name (const BdctChain16 *c, V *out,                   \
      const uint8_t *src, ptrdiff_t stride, int units)                        \
  {                                                                           \
    for (; units > 0; units--, out += (n) < 16 ? 2 * (n) : (n) * (n) / 8,     \
        src += UNIT (n) * (bytes))                                            \
      FORWARD_##n (c, out, src, stride, __VA_ARGS__);                         \
  }                                                                           \
  static void inverse_##name (const BdctChain16 *c, const V *d, uint8_t *dst, \
      ptrdiff_t stride, int units)                                            \
  {                                                                           \
    for (; units > 0; units--, d += (n) < 16 ? 2 * (n) : (n) * (n) / 8,       \
        dst += UNIT (n) * (bytes))                                            \
      INVERSE_##n (c, d, dst, stride, __VA_ARGS__);                           \
  }
#define FORWARD_4 forward_4
#define FORWARD_8 forward_8
#define FORWARD_16 forward_wide
#define FORWARD_32 forward_wide
#define INVERSE_4 inverse_4
#define INVERSE_8 inverse_8
#define INVERSE_16 inverse_wide
#define INVERSE_32 inverse_wide
KERNEL (bytes_4, 4, 1, 1)
KERNEL (bytes_8, 8, 1, 0, 1)
KERNEL (bytes_jpeg, 8, 1, 1, 1)
KERNEL (bytes_16, 16, 1, 16, 1)
KERNEL (bytes_32, 32, 1, 32, 1)
KERNEL (words_4, 4, 2, 2)
KERNEL (words_8, 8, 2, 0, 2)
KERNEL (words_16, 16, 2, 16, 2)
KERNEL (words_32, 32, 2, 32, 2)

#define ENTRY(name) { forward_##name, inverse_##name }

static const Kernel *
find_kernel (const BdctChain16 * c)
{
  static const Kernel kernels[2][4] = {
    {ENTRY (bytes_4), ENTRY (bytes_8), ENTRY (bytes_16), ENTRY (bytes_32)},
    {ENTRY (words_4), ENTRY (words_8), ENTRY (words_16), ENTRY (words_32)},
  };
  static const Kernel jpeg = ENTRY (bytes_jpeg);

  return c->jpeg && c->depth == 8 ? &jpeg
      : &kernels[c->depth > 8][__builtin_ctz (c->size) - 2];
}

/* What a quantizer has for all coefficients. */
typedef struct {
  V add_low, add_high, power, round;
  Count shift;
} Quantizer;

/* Level and dequantized coefficient of the elements of a vector
 * (chain16-tables.c). */
INLINE V
requantize_vector (const Quantizer * all, const BdctChain16Entry * e, V v,
    V * level, V * not0, const BdctChain16Quantizer quantizer)
{
  const V a = abs16 (v), q = lane (e->quant);
  V carry, d;

  if (quantizer == BDCT_CHAIN16_JPEG) {
    *level = mulhi16u (mulhi16u (and8 (add16 (a, lane (e->scale)),
                set16 (-8)), q), lane (e->power));
  } else {
    carry = srl16 (average16u (mullo16 (a, q), all->add_low), 15);
    *level = mulhi16u (add16 (add16 (mulhi16u (a, q), all->add_high), carry),
        all->power);
  }
  *not0 = min16u (*level, set16 (1));
  *level = sign16 (*level, v);
  d = lane (e->dequant);
  if (quantizer == BDCT_CHAIN16_ROUNDED)
    return mulround16 (mullo16 (*level, lane (e->scale)), d);
  if (quantizer == BDCT_CHAIN16_WIDE) {
    V low, high;

    d = lane (e->power);
    low = mullo16 (*level, d);
    high = mulhi16 (*level, d);
    return packs32 (sra32n (add32 (low16 (low, high), all->round), all->shift),
        sra32n (add32 (high16 (low, high), all->round), all->shift));
  }
  return mullo16 (*level, d);
}

/* Requantize units. `out`: levels too. `some`: of a unit only the elements of a
 * mask, added to the others. */
INLINE void
requantize (const BdctChain16 * c, V * d, V * levels, const V * v, int units,
    V mask, V * count, const BdctChain16Quantizer quantizer, const bool out,
    const bool some)
{
  const Quantizer all = { set16 (c->add_low), set16 (c->add_high),
    set16 (c->power), set32 (c->dequant_round), count (c->dequant_shift)
  };
  V n = *count;

  for (; units > 0; units--)
    for (int i = 0; i < c->n_vectors; i += 4)
      BDCT_UNROLL for (int k = 0; k < 4; k++, d++, v++, levels += out) {
        V level, not0;
        V value = requantize_vector (&all, &c->entry[i + k],
            some ? and8 (*v, mask) : *v, &level, &not0, quantizer);

        n = add16 (n, not0);
        *d = some ? or8 (*d, value) : value;
        if (out)
          *levels = some ? or8 (*levels, level) : level;
      }
  *count = n;
}

#define REQUANTIZE(name, quantizer)                                           \
  static void name (const BdctChain16 *c, V *d, V *levels, const V *v,        \
      int units, const V *mask, V *count)                                     \
  {                                                                           \
    if (mask != NULL)                                                         \
      requantize (c, d, levels, v, units, *mask, count, quantizer, true,      \
          true);                                                              \
    else if (levels != NULL)                                                  \
      requantize (c, d, levels, v, units, zero (), count, quantizer, true,    \
          false);                                                             \
    else                                                                      \
      requantize (c, d, NULL, v, units, zero (), count, quantizer, false,     \
          false);                                                             \
  }
REQUANTIZE (requantize_product, BDCT_CHAIN16_PRODUCT)
REQUANTIZE (requantize_rounded, BDCT_CHAIN16_ROUNDED)
REQUANTIZE (requantize_wide, BDCT_CHAIN16_WIDE)
REQUANTIZE (requantize_jpeg, BDCT_CHAIN16_JPEG)

static void (*const requantizers[]) (const BdctChain16 * c, V * d, V * levels,
    const V * v, int units, const V * mask, V * count) = {
  [BDCT_CHAIN16_PRODUCT] = requantize_product,
  [BDCT_CHAIN16_ROUNDED] = requantize_rounded,
  [BDCT_CHAIN16_WIDE] = requantize_wide,
  [BDCT_CHAIN16_JPEG] = requantize_jpeg,
};

/* Squared errors of 16 samples of each lane, by 4 of them. */
INLINE V
errors (V sum, const uint8_t * a, const uint8_t * b, const int bytes)
{
  V x = load (a), y = load (b), d, even, odd;

  if (bytes == 1) {
    d = difference8u (x, y);
    even = and8 (d, set16 (255));
    odd = srl16 (d, 8);
    return sum_of (dot16 (dot16 (sum_from (sum), even, even), odd, odd));
  }
  x = sub16 (x, y);
  y = sub16 (load (a + sizeof (V)), load (b + sizeof (V)));
  split (&even, &odd, madd16 (x, x), madd16 (y, y));
  return add32 (sum, pairsum32 (even, odd));
}

INLINE void
measure_rows (V * sse, BdctSamples a, BdctSamples b, int rows, int units,
    const int halves, const int bytes)
{
  const int step = bytes * sizeof (V);
  V sum[2] = { sse[0], sse[1] };

  for (; rows > 0; rows--, a.data += a.stride, b.data += b.stride)
    for (int i = 0; i < units * halves; i += halves)
      BDCT_UNROLL for (int k = 0; k < halves; k++)
        sum[k] = errors (sum[k], a.data + (i + k) * step,
            b.data + (i + k) * step, bytes);
  sse[0] = sum[0];
  sse[1] = sum[1];
}

/* Add up what is between two pictures of units. */
static void
measure (const Strip * s, V * sse, BdctSamples a, BdctSamples b, int rows,
    int units)
{
  if (s->size < 32 && s->bytes == 1)
    measure_rows (sse, a, b, rows, units, 1, 1);
  else if (s->size < 32)
    measure_rows (sse, a, b, rows, units, 1, 2);
  else if (s->bytes == 1)
    measure_rows (sse, a, b, rows, units, 2, 1);
  else
    measure_rows (sse, a, b, rows, units, 2, 2);
}

static uint8_t *
row_at (const BdctTilePlane * p, const BdctSamples * samples, int row, int x)
{
  return samples->data + row * samples->stride
      + (int64_t) x * p->layout.interleave * (p->depth > 8 ? 2 : 1);
}

/* Words as they are in memory to their values. */
INLINE V
value (V word, Count shift, V peak)
{
  return min16u (srl16n (word, shift), peak);
}

/* The `n` samples of a row in memory, or of each of two interleaved ones, to
 * `to`; n is a multiple of a vector's. */
INLINE void
gather_row (uint8_t * const to[2], const uint8_t * from, int n, Count shift,
    V peak, const int bytes, const int interleave)
{
  const int size = sizeof (V);
  V a, b;

  if (bytes == 1 && interleave == 1)
    memcpy (to[0], from, n);
  for (int i = 0; i < n * bytes && interleave == 2; i += size) {
    split (&a, &b, load (from + 2 * i), load (from + 2 * i + size));
    if (bytes == 1) {
      store (to[0] + i, packus16 (and8 (a, set16 (255)), and8 (b,
                  set16 (255))));
      store (to[1] + i, packus16 (srl16 (a, 8), srl16 (b, 8)));
    } else {
      a = value (a, shift, peak);
      b = value (b, shift, peak);
      store (to[0] + i, packus32 (and8 (a, set32 (0xffff)), and8 (b,
                  set32 (0xffff))));
      store (to[1] + i, packus32 (srl32 (a, 16), srl32 (b, 16)));
    }
  }
  for (int i = 0; i < n * bytes && bytes == 2 && interleave == 1; i += size)
    store (to[0] + i, value (load (from + i), shift, peak));
}

/* And back. */
INLINE void
scatter_row (uint8_t * to, uint8_t * const from[2], int n, Count shift,
    const int bytes, const int interleave)
{
  const int size = sizeof (V);

  if (bytes == 1 && interleave == 1)
    memcpy (to, from[0], n);
  for (int i = 0; i < n * bytes && interleave == 2; i += size) {
    V a = load (from[0] + i), b = load (from[1] + i), x, y;

    if (bytes == 1)
      join (&x, &y, low8 (a, b), high8 (a, b));
    else
      join (&x, &y, sll16n (low16 (a, b), shift), sll16n (high16 (a, b),
              shift));
    store (to + 2 * i, x);
    store (to + 2 * i + size, y);
  }
  for (int i = 0; i < n * bytes && bytes == 2 && interleave == 1; i += size)
    store (to + i, sll16n (load (from[0] + i), shift));
}

/* Call FUNCTION (..., bytes, interleave) with constants. */
#define CONSTANTS(s, function, ...)                                           \
  ((s)->bytes == 1                                                            \
      ? (s)->interleave == 1 ? function (__VA_ARGS__, 1, 1)                   \
      : function (__VA_ARGS__, 1, 2)                                          \
      : (s)->interleave == 1 ? function (__VA_ARGS__, 2, 1)                   \
      : function (__VA_ARGS__, 2, 2))

/* A call's samples to rows without a gap, the last row and column repeated. */
static void
gather (const Strip * s, const Call * at, uint8_t (*in)[MAX_BYTES])
{
  const BdctTilePlane *p = s->planes[0][0];
  const Count shift = count (p->layout.shift);
  const V peak = set16 ((1 << p->depth) - 1);
  const int n = at->units * s->unit, sample = s->bytes * s->interleave;

  for (int y = 0; y < s->size; y++) {
    const uint8_t *from =
        row_at (p, &p->src, at->y + min (y, at->height - 1), at->x);
    uint8_t *const to[2] = { in[0] + y * n * s->bytes,
      in[1] + y * n * s->bytes
    };
    uint8_t row[256 * LANES];

    if (at->width < n) {
      memcpy (row, from, at->width * sample);
      for (int x = at->width; x < n; x++)
        memcpy (row + x * sample, row + (at->width - 1) * sample, sample);
      from = row;
    }
    CONSTANTS (s, gather_row, to, from, n, shift, peak);
  }
}

/* A call's visible samples to where the picture has them. */
static void
scatter (const Strip * s, const Call * at, const BdctTilePlane * p,
    uint8_t (*out)[MAX_BYTES])
{
  const Count shift = count (p->layout.shift);
  const int n = at->units * s->unit;

  for (int y = 0; y < at->height; y++) {
    uint8_t *const from[2] = { out[0] + y * n * s->bytes,
      out[1] + y * n * s->bytes
    };
    uint8_t *to = row_at (p, &p->dst, at->y + y, at->x), row[256 * LANES];

    CONSTANTS (s, scatter_row, at->width < n ? row : to, from, n, shift);
    if (at->width < n)
      memcpy (to, row, at->width * s->bytes * s->interleave);
  }
}

/* A unit's block that element j of lane l belongs to. */
static int
block_of (const BdctChain16 * c, int l, int j)
{
  return l * (c->size < 16 ? 16 / c->size : 1)
      + c->place[0][j] / (c->size * c->size);
}

/* The elements of those of a unit's blocks that are of a set. */
static V
mask_of (const BdctChain16 * c, const uint8_t * sets, int n_blocks, int set)
{
  int16_t mask[8 * LANES];

  for (int i = 0; i < 8 * LANES; i++) {
    int block = block_of (c, i / 8, i % 8);

    mask[i] = -(block < n_blocks && (sets ? sets[block] : 0) == set);
  }
  return load (mask);
}

/* Requantize a call's blocks, each with its set; `levels` receives them, if not
 * NULL. */
static void
requantize_blocks (const BdctTilePlane * p, const Call * at, V * d, V * levels,
    const V * v, const uint8_t * sets, V * sum)
{
  const BdctChain16 *c = &p->set[0]->chain16;
  uint32_t present = sets == NULL;
  V unused[VECTORS];

  for (int b = 0; sets != NULL && b < at->n_blocks; b++)
    present |= 1u << sets[b];
  if (at->whole && (present & (present - 1)) == 0) {
    c = &p->set[__builtin_ctz (present)]->chain16;
    requantizers[c->quantizer] (c, d, levels, v, at->units, NULL, sum);
    return;
  }
  if (levels == NULL)
    levels = unused;
  memset (d, 0, c->n_vectors * sizeof *d);
  memset (levels, 0, c->n_vectors * sizeof *levels);
  for (; present != 0; present &= present - 1) {
    int set = __builtin_ctz (present);
    V mask = mask_of (c, sets, at->n_blocks, set);

    c = &p->set[set]->chain16;
    requantizers[c->quantizer] (c, d, levels, v, 1, &mask, sum);
  }
}

/* The records of a unit's blocks, of which there are at most 4 in a lane. */
static void
put_records (const Sums * sums, int size, BdctBlockRecord * to, int n_blocks)
{
  BdctBlockRecord record[4 * LANES];
  V n = madd16 (sums->count, set16 (1)), sse = sums->sse[0], x, y;
  uint32_t cell[3][4 * LANES];

  if (size == 4) {              /* a cell is a block */
    join (&x, &y, low32 (sse, n), high32 (sse, n));
    store (record, x);
    store ((uint8_t *) record + sizeof (V), y);
  } else if (size == 8) {       /* cells of n: b c b c, of errors: b b c c */
    store (record, low32 (pairsum32 (sse, sse), add32 (n, high64 (n, n))));
  } else {
    store (cell[0], n);
    store (cell[1], sse);
    store (cell[2], sums->sse[1]);
    for (int b = 0; b < LANES; b++) {
      const uint32_t *e = size == 16 ? cell[1] + 4 * b : cell[1] + 8 * b;
      uint64_t sum = 0;

      for (int i = 0; i < size / 4; i++)
        sum += e[i];
      record[b].sse = sum < UINT32_MAX ? sum : UINT32_MAX;
      record[b].nonzero = cell[0][4 * b] + cell[0][4 * b + 1]
          + cell[0][4 * b + 2] + cell[0][4 * b + 3];
      record[b].bits = 0;
    }
  }
  memcpy (to, record, n_blocks * sizeof *to);
}

/* A call's levels behind each other, block by block. */
static void
put_levels (const BdctChain16 * c, BdctLevel * to, const V * levels,
    const Call * at)
{
  const int size = c->size * c->size;
  int16_t level[8 * LANES];

  for (int i = 0; i < at->units * c->n_vectors; i++) {
    const int unit = i / c->n_vectors * at->unit_blocks;
    const uint16_t *place = c->place[i % c->n_vectors];

    store (level, levels[i]);
    for (int l = 0; l < LANES; l++) {
      const int first = unit + block_of (c, l, 0);

      for (int j = 0; j < 8; j++)
        if (first + place[j] / size < at->n_blocks)
          to[first * size + place[j]] = level[8 * l + j];
    }
  }
}

/* Add up what there is, and begin anew. */
static void
flush (Sums * sums, BdctCounters * counters)
{
  uint16_t count[8 * LANES];
  uint32_t sse[8 * LANES];

  store (count, sums->count);
  store (sse, sums->sse[0]);
  store (sse + 4 * LANES, sums->sse[1]);
  for (int i = 0; i < 8 * LANES; i++) {
    counters->nonzero += count[i];
    counters->sse += sse[i];
  }
  sums->count = sums->sse[0] = sums->sse[1] = zero ();
}

/* A job of a call, from coefficients on: its samples to `out`. */
static void
finish (Strip * s, const Call * at, int i, int k, const V * v,
    BdctSamples in, BdctSamples out)
{
  const BdctTilePlane *p = s->planes[i][k];
  const BdctChain16 *c = &p->set[0]->chain16;
  const int n = at->units * s->unit, left = at->x / s->size;
  const size_t first = p->grid.first + left
      + (size_t) (at->y / s->size) * p->grid.columns;
  BdctLevel *levels = s->strips[i][k].levels;
  Sums of_unit = { zero (), { zero (), zero () } };
  Sums *sums = p->blocks != NULL ? &of_unit : &s->sums[i][k];
  V d[VECTORS], level[VECTORS];

  requantize_blocks (p, at, d, levels != NULL ? level : NULL, v,
      p->set_of_block != NULL ? p->set_of_block + first : NULL, &sums->count);
  s->kernel->inverse (c, d, out.data, out.stride, at->units);
  for (int y = 0; at->width < n && y < at->height; y++)
    memcpy (out.data + y * out.stride + at->width * s->bytes,
        in.data + y * in.stride + at->width * s->bytes,
        (n - at->width) * s->bytes);
  measure (s, sums->sse, in, out, at->height, at->units);
  if (levels != NULL)
    put_levels (c, levels + ((at->y - s->row) / s->size * p->grid.columns
            + left) * s->size * s->size, level, at);
  if (p->blocks != NULL) {
    put_records (&of_unit, s->size, p->blocks + first, at->n_blocks);
    flush (&of_unit, &s->strips[i][k].counters);
  }
}

static void
do_call (Strip * s, const Call * at)
{
  const int n = at->units * s->unit * s->bytes;
  const bool direct = s->bytes == 1 && s->interleave == 1 && at->whole
      && at->height == s->size;
  uint8_t in[2][MAX_BYTES] __attribute__ ((aligned (64)));
  uint8_t out[2][MAX_BYTES] __attribute__ ((aligned (64)));
  BdctSamples from[2];
  V v[2][VECTORS];

  if (!direct)
    gather (s, at, in);
  for (int i = 0; i < s->interleave; i++) {
    const BdctTilePlane *p = s->planes[i][0];

    from[i] = (BdctSamples) { in[i], n };
    if (direct)
      from[i] = (BdctSamples) { row_at (p, &p->src, at->y, at->x),
        p->src.stride };
    s->kernel->forward (&p->set[0]->chain16, v[i], from[i].data, from[i].stride,
        at->units);
  }
  for (int k = 0; k < s->n_jobs; k++) {
    const BdctTilePlane *p = s->planes[0][k];

    for (int i = 0; i < s->interleave; i++) {
      BdctSamples to = { out[i], n };

      if (direct && p->dst.data != NULL)
        to = (BdctSamples) { row_at (p, &p->dst, at->y, at->x), p->dst.stride };
      finish (s, at, i, k, v[i], from[i], to);
    }
    if (!direct && p->dst.data != NULL)
      scatter (s, at, p, out);
  }
}

/* Whether each unit has to be a call: what is asked of single blocks. */
static bool
by_unit (const Strip * s)
{
  for (int k = 0; k < s->n_jobs; k++)
    if (s->planes[0][k]->blocks != NULL
        || s->planes[0][k]->set_of_block != NULL)
      return true;
  return false;
}

static void
init_strip (Strip * s)
{
  const BdctTilePlane *p = s->planes[0][0];
  const BdctChain16 *c = &p->set[0]->chain16;
  const int64_t peak = (1 << p->depth) - 1;

  s->size = c->size;
  s->bytes = p->depth > 8 ? 2 : 1;
  s->interleave = p->layout.interleave;
  s->unit = UNIT (c->size);
  s->n_units = c->n_vectors < CALL_VECTORS && !by_unit (s)
      ? CALL_VECTORS / c->n_vectors : 1;
  s->kernel = find_kernel (c);
  /* A unit adds 4 times its size squares to an element. */
  s->limit = min (UINT16_MAX / (s->n_units * c->n_vectors),
      UINT32_MAX / (peak * peak * 4 * c->size * s->n_units));
  for (int i = 0; i < s->interleave; i++)
    for (int k = 0; k < s->n_jobs; k++)
      s->sums[i][k] = (Sums) { zero (), { zero (), zero () } };
}

static void
flush_all (Strip * s)
{
  for (int i = 0; i < s->interleave; i++)
    for (int k = 0; k < s->n_jobs; k++)
      flush (&s->sums[i][k], &s->strips[i][k].counters);
}

static void
strip (const BdctTilePlane * const (*planes)[BDCT_TILE_JOBS], int n_jobs,
    int row, BdctTileStrip (*strips)[BDCT_TILE_JOBS])
{
  const BdctPlaneLayout *layout = &planes[0][0]->layout;
  Strip s = {.planes = planes,.strips = strips,.n_jobs = n_jobs,.row = row };
  int calls = 0;

  init_strip (&s);
  for (int y = row; y < min (row + BDCT_TILE, layout->height); y += s.size)
    for (int x = 0, width; x < layout->width; x += width) {
      int units = min ((layout->width - x) / s.unit, s.n_units);
      Call at = {.x = x,.y = y,.whole = units > 0,.units = units > 0
            ? units : 1,.height = min (layout->height - y, s.size) };

      at.width = width = min (layout->width - x, at.units * s.unit);
      at.unit_blocks = s.unit / s.size;
      at.n_blocks = (width + s.size - 1) / s.size;
      do_call (&s, &at);
      if (++calls % s.limit == 0)
        flush_all (&s);
    }
  flush_all (&s);
}

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_ (a, b)

const BdctChain16Func CONCAT (bdct_chain16_, BDCT_ISA) = strip;
