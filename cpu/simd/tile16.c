/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The chain in 16-bit lanes. Built once for each instruction set that simd.h
 * supports (meson.build); BDCT_ISA names the object.
 *
 * A call processes adjacent units (passes16.h). Planes are read and written in
 * place, except at edges and if they are interleaved: these go through rows
 * without a gap. */
#include <string.h>
#include "dct/base/min.h"
#include "blocks16.h"
#include "passes16-wide.h"
#include "quantize16.h"

/* The most vectors of coefficients of a call, the number of vectors that makes
 * a call worthwhile, and the bytes of a call's samples. */
#define VECTORS BDCT_TILE16_VECTORS
#define CALL_VECTORS 32
#define MAX_BYTES (2 * 8 * VECTORS * LANES)

/* Of a strip the sums; of a call its samples, coefficients, those requantized,
 * its levels, and what is between passes. */
typedef struct {
  Sums sums[2];
  uint8_t in[2][MAX_BYTES] __attribute__ ((aligned (64)));
  uint8_t out[2][MAX_BYTES] __attribute__ ((aligned (64)));
  V v[VECTORS], d[VECTORS], level[VECTORS], between[VECTORS];
} Scratch;

BDCT_SCRATCH_HOLDS (Scratch);

/* A strip of a plane's one or two components. */
typedef struct {
  const BdctTilePlane *const *planes;
  BdctTileStrip *strips;
  int row;
  int size, log2_size, bytes, interleave;
  const struct Kernel *kernel;
  int unit;                     /* samples of a unit's row */
  int n_units;                  /* the most of a call */
  bool by_unit;                 /* some output is for single blocks */
  bool wide;                    /* a quantizer needs JPEG's wide form */
  bool given;                   /* levels are input */
  int limit;                    /* calls whose sums surely fit */
  Scratch *scratch;
} Strip;

/* The position of a call or of a part of it. */
typedef struct {
  int x, y, width, height;      /* of the visible samples */
  int units, n_blocks;
  bool whole;                   /* every column is visible */
} Units;

/* The kernels, compiled for their constant sizes. `t` is for what is between
 * the passes of large blocks. */
typedef struct Kernel {
  void (*forward) (const BdctTile16 * c, V * out, const uint8_t * src,
      ptrdiff_t stride, int shift, int units, V * t);
  void (*inverse) (const BdctTile16 * c, const V * d, uint8_t * dst,
      ptrdiff_t stride, int shift, int units, V * t);
} Kernel;

#define KERNEL(name, n, bytes, ...)                                           \
  static void forward_##name (const BdctTile16 *c, V *out,                   \
      const uint8_t *src, ptrdiff_t stride, int shift, int units, V *t)       \
  {                                                                           \
    for (; units > 0; units--, out += (n) < 16 ? 2 * (n) : (n) * (n) / 8,     \
        src += UNIT (n) * (bytes))                                            \
      FORWARD_##n (c, out, src, stride, shift, __VA_ARGS__);                  \
  }                                                                           \
  static void inverse_##name (const BdctTile16 *c, const V *d, uint8_t *dst, \
      ptrdiff_t stride, int shift, int units, V *t)                           \
  {                                                                           \
    for (; units > 0; units--, d += (n) < 16 ? 2 * (n) : (n) * (n) / 8,       \
        dst += UNIT (n) * (bytes))                                            \
      INVERSE_##n (c, d, dst, stride, shift, __VA_ARGS__);                    \
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
KERNEL (bytes_8, 8, 1, 0, 0, 1)
KERNEL (bytes_jpeg, 8, 1, 1, 0, 1)
KERNEL (bytes_16, 16, 1, t, 16, 1)
KERNEL (bytes_32, 32, 1, t, 32, 1)
KERNEL (words_4, 4, 2, 2)
KERNEL (words_8, 8, 2, 0, 0, 2)
KERNEL (words_wide, 8, 2, 1, 1, 2)
KERNEL (words_16, 16, 2, t, 16, 2)
KERNEL (words_32, 32, 2, t, 32, 2)

#define ENTRY(name) { forward_##name, inverse_##name }

static const Kernel *
find_kernel (const BdctTile16 * c, bool wide)
{
  static const Kernel kernels[2][4] = {
    {ENTRY (bytes_4), ENTRY (bytes_8), ENTRY (bytes_16), ENTRY (bytes_32)},
    {ENTRY (words_4), ENTRY (words_8), ENTRY (words_16), ENTRY (words_32)},
  };
  static const Kernel jpeg = ENTRY (bytes_jpeg);
  static const Kernel words_jpeg = ENTRY (words_wide);

  return wide ? &words_jpeg : c->jpeg && c->depth == 8 ? &jpeg
      : &kernels[c->depth > 8][__builtin_ctz (c->size) - 2];
}

/* Add the squared errors of 16 samples of each lane, in groups of 4. */
BDCT_FORCE_INLINE V
errors (const BdctTile16 * c, V sum, const uint8_t * a, const uint8_t * b,
    int shift, const int bytes)
{
  V x, y, d, even, odd;

  if (bytes == 1) {
    x = load (a);
    y = load (b);
    d = difference8u (x, y);
    even = and8 (d, set16 (255));
    odd = srl16 (d, 8);
    return sum_of (dot16 (dot16 (sum_from (sum), even, even), odd, odd));
  }
  even = sub16 (load_words (c, a, shift), load_words (c, b, shift));
  odd = sub16 (load_words (c, a + sizeof (V), shift),
      load_words (c, b + sizeof (V), shift));
  return add32 (sum, pairsum32 (madd16 (even, even), madd16 (odd, odd)));
}

BDCT_FORCE_INLINE void
measure_rows (const BdctTile16 * c, V * sse, BdctSamples a, BdctSamples b,
    int shift, int rows, int units, const int halves, const int bytes)
{
  const int step = bytes * sizeof (V);
  V sum[2] = { sse[0], sse[1] };

  for (; rows > 0; rows--, a.data += a.stride, b.data += b.stride)
    for (int i = 0; i < units * halves; i += halves)
      BDCT_UNROLL for (int k = 0; k < halves; k++)
        sum[k] = errors (c, sum[k], a.data + (i + k) * step,
            b.data + (i + k) * step, shift, bytes);
  sse[0] = sum[0];
  sse[1] = sum[1];
}

/* Add up the squared errors between two pictures of units. */
static void
measure (const BdctTile16 * c, V * sse, BdctSamples a, BdctSamples b,
    int shift, int rows, int units)
{
  if (c->size < 32 && c->depth == 8)
    measure_rows (c, sse, a, b, shift, rows, units, 1, 1);
  else if (c->size < 32)
    measure_rows (c, sse, a, b, shift, rows, units, 1, 2);
  else if (c->depth == 8)
    measure_rows (c, sse, a, b, shift, rows, units, 2, 1);
  else
    measure_rows (c, sse, a, b, shift, rows, units, 2, 2);
}

/* Copy the `n` samples of a row in memory, or of each of two interleaved
 * components, to `to`; n is a multiple of a vector's. */
BDCT_FORCE_INLINE void
gather_row (uint8_t * const to[2], const uint8_t * from, int n,
    const int bytes, const int interleave)
{
  const int size = sizeof (V);
  V a, b;

  if (interleave == 1) {
    memcpy (to[0], from, n * bytes);
    return;
  }
  for (int i = 0; i < n * bytes; i += size) {
    split (&a, &b, load (from + 2 * i), load (from + 2 * i + size));
    if (bytes == 1) {
      store (to[0] + i, packus16 (and8 (a, set16 (255)),
              and8 (b, set16 (255))));
      store (to[1] + i, packus16 (srl16 (a, 8), srl16 (b, 8)));
    } else {
      store (to[0] + i, packus32 (and8 (a, set32 (0xffff)),
              and8 (b, set32 (0xffff))));
      store (to[1] + i, packus32 (srl32 (a, 16), srl32 (b, 16)));
    }
  }
}

/* The reverse of gather_row(). */
BDCT_FORCE_INLINE void
scatter_row (uint8_t * to, uint8_t * const from[2], int n, const int bytes,
    const int interleave)
{
  const int size = sizeof (V);

  if (interleave == 1) {
    memcpy (to, from[0], n * bytes);
    return;
  }
  for (int i = 0; i < n * bytes; i += size) {
    V a = load (from[0] + i), b = load (from[1] + i), x, y;

    if (bytes == 1)
      join (&x, &y, low8 (a, b), high8 (a, b));
    else
      join (&x, &y, low16 (a, b), high16 (a, b));
    store (to + 2 * i, x);
    store (to + 2 * i + size, y);
  }
}

/* Copy a call's samples to rows without a gap, repeating the last row and
 * column. */
static void
gather (const Strip * s, const Units * at, uint8_t (*in)[MAX_BYTES])
{
  const BdctTilePlane *p = s->planes[0];
  const int n = at->units * s->unit, sample = s->bytes * s->interleave;
  const int width = bdct_min (p->columns - at->x, n);

  for (int y = 0; y < s->size; y++) {
    const uint8_t *from =
        bdct_tile_at (p, &p->src, at->y + bdct_min (y, at->height - 1), at->x);
    uint8_t *const to[2] = { in[0] + y * n * s->bytes,
      in[1] + y * n * s->bytes
    };
    uint8_t row[256 * LANES];

    if (width < n) {
      memcpy (row, from, width * sample);
      for (int x = width; x < n; x++)
        memcpy (row + x * sample, row + (width - 1) * sample, sample);
      from = row;
    }
    BDCT_TILE_CALL (p, gather_row, to, from, n);
  }
}

/* Copy a call's visible samples to the picture. */
static void
scatter (const Strip * s, const Units * at, const BdctTilePlane * p,
    uint8_t (*out)[MAX_BYTES])
{
  const int n = at->units * s->unit;

  for (int y = 0; y < at->height; y++) {
    uint8_t *const from[2] = { out[0] + y * n * s->bytes,
      out[1] + y * n * s->bytes
    };
    uint8_t *to = bdct_tile_at (p, &p->dst, at->y + y, at->x), row[256 * LANES];

    BDCT_TILE_CALL (p, scatter_row, at->width < n ? row : to, from, n);
    if (at->width < n)
      memcpy (to, row, at->width * s->bytes * s->interleave);
  }
}

static Requantizer
find_requantizer (const Strip * s, const BdctTile16 * c)
{
  if (s->given)
    return requantizers[!c->jpeg ? BDCT_TILE16_GIVEN
        : s->wide ? BDCT_TILE16_GIVEN_JPEG_WIDE : BDCT_TILE16_GIVEN_JPEG];
  return requantizers[s->wide ? BDCT_TILE16_JPEG_WIDE : c->quantizer];
}

/* Requantize units, or each block of a unit with its own quantizer; `v` is
 * given levels or coefficients. Without `levels` those in memory have no
 * meaning. */
static void
requantize_blocks (const Strip * s, const BdctTilePlane * p, const Units * at,
    bool levels, const V * v, const uint8_t * quantizers, Sums * sums)
{
  const BdctTile16 *c = &p->quantizer[0]->tile16;
  V *d = s->scratch->d, *level = s->scratch->level;
  BdctQuantizerSet present = { {quantizers == NULL} };
  int quantizer;

  for (int b = 0; quantizers != NULL && b < at->n_blocks; b++)
    bdct_quantizers_add (&present, quantizers[b]);
  quantizer = bdct_quantizers_only (present);
  if (at->whole && quantizer >= 0) {
    c = &p->quantizer[quantizer]->tile16;
    find_requantizer (s, c) (c, d, levels ? level : NULL, v, at->units, NULL,
        sums);
    return;
  }
  memset (d, 0, c->n_vectors * sizeof *d);
  memset (level, 0, c->n_vectors * sizeof *level);
  while ((quantizer = bdct_quantizers_take (&present)) >= 0) {
    V mask = mask_of (s->size, s->bytes, quantizers, at->n_blocks, quantizer);

    c = &p->quantizer[quantizer]->tile16;
    find_requantizer (s, c) (c, d, level, v, 1, &mask, sums);
  }
}

/* Add the sums to the counters, and zero them. */
static void
flush (Sums * sums, BdctTileStrip * strip)
{
  BdctCounters *counters = &strip->counters;
  uint16_t count[8 * LANES], beyond[8 * LANES];
  uint32_t sse[8 * LANES];

  store (count, sums->count);
  store (beyond, sums->beyond);
  store (sse, sums->sse[0]);
  store (sse + 4 * LANES, sums->sse[1]);
  for (int i = 0; i < 8 * LANES; i++) {
    counters->nonzero += count[i];
    counters->sse += sse[i];
    strip->beyond = strip->beyond || beyond[i] != 0;
  }
  sums->count = sums->sse[0] = sums->sse[1] = zero ();
}

static void
add_sums (Sums * a, const Sums * b)
{
  a->count = add16 (a->count, b->count);
  a->sse[0] = add32 (a->sse[0], b->sse[0]);
  a->sse[1] = add32 (a->sse[1], b->sse[1]);
  a->beyond = or8 (a->beyond, b->beyond);
}

/* The levels of a call in those of the strip. */
static BdctLevel *
find_levels (const Strip * s, const Units * at, int i)
{
  const int columns = s->planes[i]->grid.columns;

  return s->strips[i].levels + (((at->y - s->row) >> s->log2_size) * columns
      + (at->x >> s->log2_size)) * s->size * s->size;
}

/* Finish units of a component from their coefficients, or given levels; their
 * samples go to `out`. */
static void
finish (Strip * s, const Units * at, int i, const V * v, BdctSamples in,
    BdctSamples out)
{
  const BdctTilePlane *p = s->planes[i];
  const BdctTile16 *c = &p->quantizer[0]->tile16;
  const int n = at->units * s->unit, left = at->x >> s->log2_size;
  const size_t first = p->grid.first + left
      + (size_t) (at->y >> s->log2_size) * p->grid.columns;
  const bool levels = s->strips[i].levels != NULL && !s->given;
  Sums sums = { zero (), { zero (), zero () }, zero () };
  BdctBlockRecord record[4 * LANES];

  requantize_blocks (s, p, at, levels, v,
      p->quantizer_map != NULL ? p->quantizer_map + first : NULL, &sums);
  s->kernel->inverse (c, s->scratch->d, out.data, out.stride, p->layout.shift,
      at->units, s->scratch->between);
  if (p->src.data != NULL) {
    for (int y = 0; at->width < n && y < at->height; y++)
      memcpy (out.data + y * out.stride + at->width * s->bytes,
          in.data + y * in.stride + at->width * s->bytes,
          (n - at->width) * s->bytes);
    measure (c, sums.sse, in, out, p->layout.shift, at->height, at->units);
  }
  add_sums (&s->scratch->sums[i], &sums);
  if (levels)
    put_levels (s->size, s->bytes, s->scratch->level, at->n_blocks,
        (BdctLevel *) s->scratch->between, find_levels (s, at, i));
  if (p->blocks != NULL && at->whole) {
    put_records (s->size, s->bytes, &sums, p->blocks + first);
  } else if (p->blocks != NULL) {
    put_records (s->size, s->bytes, &sums, record);
    memcpy (p->blocks + first, record, at->n_blocks * sizeof record[0]);
  }
}

/* The units from `u` on that are finished at once. */
static Units
some_units (const Strip * s, const Units * at, int u)
{
  Units some = *at;

  if (s->by_unit) {
    some.x += u * s->unit;
    some.units = 1;
    some.width = bdct_min (at->width - u * s->unit, s->unit);
  }
  some.n_blocks = (some.width + s->size - 1) >> s->log2_size;
  return some;
}

static BdctSamples
samples_at (BdctSamples samples, int bytes)
{
  return (BdctSamples) { samples.data + bytes, samples.stride };
}

static void
do_call (Strip * s, const Units * at)
{
  const BdctTilePlane *p = s->planes[0];
  const BdctTile16 *c = &p->quantizer[0]->tile16;
  const int n = at->units * s->unit * s->bytes;
  const bool direct = s->interleave == 1 && at->whole
      && at->height == s->size;
  BdctSamples from[2] = { {s->scratch->in[0], n}, {s->scratch->in[1], n} };
  BdctSamples to[2] = { {s->scratch->out[0], n}, {s->scratch->out[1], n} };

  if (direct && p->src.data != NULL)
    from[0] = (BdctSamples) { bdct_tile_at (p, &p->src, at->y, at->x),
      p->src.stride };
  else if (p->src.data != NULL)
    gather (s, at, s->scratch->in);
  if (direct && p->dst.data != NULL)
    to[0] = (BdctSamples) { bdct_tile_at (p, &p->dst, at->y, at->x),
      p->dst.stride };
  for (int i = 0; i < s->interleave; i++) {
    if (s->given)
      get_levels (s->size, s->bytes, s->scratch->v,
          (at->width + s->size - 1) >> s->log2_size,
          (BdctLevel *) s->scratch->between, find_levels (s, at, i));
    else
      s->kernel->forward (c, s->scratch->v, from[i].data, from[i].stride,
          p->layout.shift, at->units, s->scratch->between);
    for (int u = 0, step; u < at->units; u += step) {
      const Units some = some_units (s, at, u);

      step = some.units;
      finish (s, &some, i, s->scratch->v + u * c->n_vectors,
          samples_at (from[i], u * s->unit * s->bytes),
          samples_at (to[i], u * s->unit * s->bytes));
    }
  }
  if (!direct && p->dst.data != NULL)
    scatter (s, at, p, s->scratch->out);
}

/* Whether a quantizer needs JPEG's wide form; all of them then use it. */
static bool
has_wide (const Strip * s)
{
  for (int i = 0; i < s->interleave; i++) {
    const BdctTileQuantizer *const *quantizer = s->planes[i]->quantizer;

    for (int j = 0; j < BDCT_MAX_STACK_QUANTIZERS && quantizer[j] != NULL; j++)
      if (quantizer[j]->tile16.wide)
        return true;
  }
  return false;
}

static void
init_strip (Strip * s)
{
  const BdctTilePlane *p = s->planes[0];
  const BdctTile16 *c = &p->quantizer[0]->tile16;
  const int64_t peak = (1 << p->depth) - 1;

  s->size = c->size;
  s->log2_size = __builtin_ctz (c->size);
  s->bytes = p->depth > 8 ? 2 : 1;
  s->interleave = p->layout.interleave;
  s->unit = UNIT (c->size);
  s->n_units = c->n_vectors < CALL_VECTORS ? CALL_VECTORS / c->n_vectors : 1;
  s->wide = has_wide (s);
  s->given = s->strips[0].given;
  s->kernel = find_kernel (c, s->wide);
  /* A unit adds 4 times its size squares to an element. */
  s->limit = bdct_min (UINT16_MAX / (s->n_units * c->n_vectors),
      UINT32_MAX / (peak * peak * 4 * c->size * s->n_units));
  s->by_unit = p->blocks != NULL || p->quantizer_map != NULL;
  for (int i = 0; i < s->interleave; i++)
    s->scratch->sums[i] = (Sums) { zero (), { zero (), zero () }, zero () };
}

static void
flush_all (Strip * s)
{
  for (int i = 0; i < s->interleave; i++)
    flush (&s->scratch->sums[i], &s->strips[i]);
}

static void
strip (const BdctTilePlane * const *planes, int row, BdctTileStrip * strips,
    void *scratch)
{
  const BdctPlaneLayout *layout = &planes[0]->layout;
  Strip s = {.planes = planes,.strips = strips,.row = row,.scratch = scratch };
  int calls = 0;

  init_strip (&s);
  for (int y = row; y < bdct_min (row + BDCT_TILE, layout->height); y += s.size)
    for (int x = 0, width; x < layout->width; x += width) {
      int units = bdct_min ((layout->width - x) / s.unit, s.n_units);
      Units at = {.x = x,.y = y,.whole = units > 0,.units = units > 0
            ? units : 1,.height = bdct_min (layout->height - y, s.size) };

      at.width = width = bdct_min (layout->width - x, at.units * s.unit);
      do_call (&s, &at);
      if (++calls % s.limit == 0)
        flush_all (&s);
    }
  flush_all (&s);
}

const BdctTile16Func BDCT_CONCAT (bdct_tile16_, BDCT_ISA) = strip;
