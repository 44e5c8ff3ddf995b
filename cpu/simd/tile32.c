/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Built once for each instruction set (meson.build): BDCT_ISA names the object,
 * BDCT_LANES the 32-bit lanes of its vectors. The source is the same, in GCC's
 * vector extension, and no result depends on the instruction set: integers are
 * exact, and the floating-point chain does the same operations lane by lane,
 * uncontracted.
 *
 * A tile of samples passes through all stages in the cache. */
#include "tile32.h"

#include <string.h>
#include "chains32.h"
#include "dct/base/min.h"

/* Of a strip: the tile, its levels, and what is between passes or selects a
 * quantizer. */
typedef struct {
  Tile tile, level, between;
} Scratch;

BDCT_SCRATCH_HOLDS (Scratch);

BDCT_FORCE_INLINE void
load (Tile * t, const BdctTilePlane * p, int row, int column, int side,
    int bytes, int step)
{
  const int peak = (1 << p->depth) - 1, middle = 1 << (p->depth - 1);
  const int width = bdct_min (p->columns - column, side);
  const int last = p->layout.height - 1 - row, shift = p->layout.shift;
  const uint8_t *src = bdct_tile_at (p, &p->src, row, column);
  const int64_t stride = p->src.stride;

  for (int y = 0; y < side; y++) {
    int32_t *entry = t->value + y * side;

    for (int x = 0; x < width; x++)
      entry[x] = bdct_sample_get (src, x * step, bytes, shift, peak) - middle;
    for (int x = width; x < side; x++)
      entry[x] = entry[width - 1];
    src += y < last ? stride : 0;
  }
}

/* Store rows, if there is an output, and add up each column's squared errors,
 * if there is an input: at most 64 of 4095^2. */
BDCT_FORCE_INLINE void
store (const Tile * t, const BdctTilePlane * p, int row, int column, int side,
    int y0, int y1, bool in, bool out, uint32_t * restrict errors, int bytes,
    int step)
{
  const int peak = (1 << p->depth) - 1, middle = 1 << (p->depth - 1);
  const int width = bdct_min (p->layout.width - column, side);
  const int shift = p->layout.shift;
  const int64_t src_stride = p->src.stride, dst_stride = p->dst.stride;
  const uint8_t *src = in ? bdct_tile_at (p, &p->src, row + y0, column) : NULL;
  uint8_t *dst = out ? bdct_tile_at (p, &p->dst, row + y0, column) : NULL;

  for (int y = y0; y < y1; y++) {
    const int32_t *entry = t->value + y * side;

    for (int x = 0; x < width; x++) {
      int v = entry[x] + middle, e;

      v = v < 0 ? 0 : v > peak ? peak : v;
      if (in) {
        e = v - bdct_sample_get (src, x * step, bytes, shift, peak);
        errors[x] += (uint32_t) (e * e);
      }
      if (out)
        bdct_sample_put (dst, x * step, bytes, shift, v);
    }
    if (in)
      src += src_stride;
    if (out)
      dst += dst_stride;
  }
}

static void
load_any (Tile * t, const BdctTilePlane * p, int row, int column, int side)
{
  BDCT_TILE_CALL (p, load, t, p, row, column, side);
}

static void
store_any (const Tile * t, const BdctTilePlane * p, int row, int column,
    int side, int y0, int y1, uint32_t * errors)
{
  if (p->src.data == NULL && p->dst.data != NULL)
    BDCT_TILE_CALL (p, store, t, p, row, column, side, y0, y1, false, true,
        errors);
  else if (p->src.data != NULL && p->dst.data == NULL)
    BDCT_TILE_CALL (p, store, t, p, row, column, side, y0, y1, true, false,
        errors);
  else if (p->src.data != NULL)
    BDCT_TILE_CALL (p, store, t, p, row, column, side, y0, y1, true, true,
        errors);
}

static void
forward (Tile * t, const BdctTilePlane * p, Tile * s)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const Chain *chain = &chains[job->chain];
  const int side = bdct_tile_side (job), first = job->transposed != 0;

  if (p->family == BDCT_FAMILY_DCT8X8)
    for (int i = 0; i < BDCT_TILE * BDCT_TILE; i += LANES) {
      Vi *entry = (Vi *) (t->value + i);
      *(Vf *) entry = to_float (*entry);
    }
  if (job->transposed)
    chain->columns.forward (t, p->column, BDCT_MAX_SIZE, job->fwd_shift[0]);
  transpose (s, t, side);
  chain->rows.forward (s, p->row, first ? job->keep : BDCT_MAX_SIZE,
      job->fwd_shift[first]);
  transpose (t, s, side);
  if (!job->transposed)
    chain->columns.forward (t, p->column, job->keep, job->fwd_shift[1]);
}

static void
inverse (Tile * t, const BdctTilePlane * p, Tile * s)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const Chain *chain = &chains[job->chain];
  const int side = bdct_tile_side (job), first = job->transposed == 0;
  const int wide = p->depth > 8;

  if (!job->transposed)
    chain->columns.inverse (t, p->column, job->keep, job->inv_shift[0],
        job->clip16, false);
  transpose (s, t, side);
  chain->rows.inverse (s, p->row, first ? BDCT_MAX_SIZE : job->keep,
      job->inv_shift[first], job->clip16, first && wide);
  transpose (t, s, side);
  if (job->transposed)
    chain->columns.inverse (t, p->column, BDCT_MAX_SIZE, job->inv_shift[1],
        job->clip16, wide);
  if (p->family == BDCT_FAMILY_DCT8X8)
    for (int i = 0; i < BDCT_TILE * BDCT_TILE; i += LANES) {
      Vf v = *(Vf *) (t->value + i) * 0.125f + 0.5f;
      Vi whole = to_int (v);
      /* The conversion truncates; a floor subtracts one below 0. */
      whole += to_float (whole) > v;
      *(Vi *) (t->value + i) = whole;
    }
}

/* Set the quantizer of each entry of a tile from that of each block. */
static void
spread (Tile * which, const BdctTilePlane * p, const uint8_t * quantizers,
    const Region * region, int side)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;

  for (int y = 0; y < region->rows; y++)
    for (int x = 0; x < side; x++)
      which->value[y * side + x] = quantizers[(y >> job->log2_height)
          * region->stride
          + (bdct_min (x, region->columns - 1) >> job->log2_width)];
}

/* The quantizers of a region's blocks. */
static BdctQuantizerSet
find_present (const BdctComponentJob * job, const Region * region,
    const uint8_t * quantizers)
{
  BdctQuantizerSet present = { {quantizers == NULL} };

  for (int y = 0; quantizers != NULL && y < region->rows >> job->log2_height;
      y++)
    for (int x = 0; x < region->columns >> job->log2_width; x++)
      bdct_quantizers_add (&present, quantizers[y * region->stride + x]);
  return present;
}

/* Requantize a tile, each transform with the quantizer of its block. */
static uint64_t
requantize_transforms (Tile * t, const BdctTilePlane * p,
    const Region * region, const uint8_t * quantizers,
    BdctQuantizerSet present, int side, Tile * which)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const Chain *chain = &chains[job->chain];
  const int only = bdct_quantizers_only (present);
  uint64_t nonzero = 0;
  Region some = *region;

  /* Zero the levels if not every entry is written, because of several
   * quantizers or dropped frequencies. */
  if (region->level != NULL
      && (only < 0 || job->keep < 1 << bdct_job_log2_down (job)))
    memset (region->level, 0, side * side * sizeof region->level->value[0]);
  if (only >= 0)
    return (region->beyond != NULL ? chain->given
        : region->level != NULL ? chain->all_out : chain->all)
        (t, p->quantizer[only], region);
  spread (which, p, quantizers, region, side);
  some.which = which;
  while ((some.quantizer = bdct_quantizers_take (&present)) >= 0)
    nonzero += (region->beyond != NULL ? chain->some_given : chain->some)
        (t, p->quantizer[some.quantizer], &some);
  return nonzero;
}

/* The DCs of a tile: those of a block's k-th transform, by block as row-major
 * as the tile. */
enum { DC_PLACES = 16, DC_BLOCKS = 16 };
typedef struct {
  int32_t at[DC_PLACES][DC_BLOCKS] __attribute__ ((aligned (64)));
} Dcs;

/* Where in a tile the k-th transform of its first block is. */
static int
find_part (const BdctComponentJob * job, int side, int k)
{
  const int y = k >> job->dc.log2_columns;
  const int x = k - (y << job->dc.log2_columns);

  return (y << bdct_job_log2_down (job)) * side
      + (x << bdct_job_log2_across (job));
}

/* Take the DCs out of a tile, which leaves zeros, or put them back. */
static void
take_dcs (Dcs * dcs, Tile * t, const BdctComponentJob * job, int side)
{
  const int width = 1 << job->log2_width, height = 1 << job->log2_height;

  for (int k = 0; k < 1 << bdct_job_log2_parts (job); k++) {
    int32_t *entry = t->value + find_part (job, side, k), *dc = dcs->at[k];

    for (int y = 0; y < side; y += height)
      for (int x = 0; x < side; x += width) {
        *dc++ = entry[y * side + x];
        entry[y * side + x] = 0;
      }
  }
}

static void
put_dcs (const Dcs * dcs, Tile * t, const BdctComponentJob * job, int side)
{
  const int width = 1 << job->log2_width, height = 1 << job->log2_height;

  for (int k = 0; k < 1 << bdct_job_log2_parts (job); k++) {
    int32_t *entry = t->value + find_part (job, side, k);
    const int32_t *dc = dcs->at[k];

    for (int y = 0; y < side; y += height)
      for (int x = 0; x < side; x += width)
        entry[y * side + x] = *dc++;
  }
}

/* Turn the DCs of the blocks that are `selected` (all bits are set, else 0), or
 * their levels if `beyond` is not NULL, into values, and set their levels. The
 * sum of 16 products of given levels is to be at most 2^30. */
static void
requantize_dcs (Dcs * dcs, Dcs * levels, const BdctComponentJob * job,
    const int32_t * selected, bool *beyond)
{
  const BdctJobDc *dc = &job->dc;
  const int n = 1 << bdct_job_log2_parts (job);

  for (int i = 0; i < DC_BLOCKS; i += LANES) {
    const Vi mask = *(const Vi *) (selected + i);
    Vi c[DC_PLACES], large = { 0 };

    for (int k = 0; k < n; k++)
      c[k] = *(const Vi *) (dcs->at[k] + i) & mask;
    if (beyond == NULL)
      hadamard_flow (c, dc->log2_columns, dc->log2_rows);
    for (int k = 0; k < n; k++) {
      const Vi sign = c[k] >> 31;
      const Vu magnitude = (Vu) ((c[k] ^ sign) - sign);
      const Vi fits = (Vi) magnitude <= (1 << 26) / dc->dequant;

      if (beyond == NULL) {
        c[k] = (Vi) ((magnitude * (uint32_t) dc->quant
                + (uint32_t) dc->quant_add) >> dc->quant_bits);
        c[k] = (c[k] ^ sign) - sign;
      } else {
        c[k] &= fits;
        large |= ~fits;
      }
      *(Vi *) (levels->at[k] + i) |= c[k];
    }
    if (beyond != NULL)
      *beyond = *beyond || any (large);
    hadamard_flow (c, dc->log2_columns, dc->log2_rows);
    for (int k = 0; k < n; k++) {
      Vi *entry = (Vi *) (dcs->at[k] + i);

      c[k] = (c[k] * dc->dequant + dc->dequant_add) >> dc->dequant_bits;
      *entry = (*entry & ~mask) | (c[k] & mask);
    }
  }
}

/* Count the levels of blocks, into their records, too. */
static uint64_t
count_dcs (const Dcs * levels, const BdctComponentJob * job,
    const Region * region, int side)
{
  uint64_t nonzero = 0;

  for (int y = 0; y < region->rows >> job->log2_height; y++)
    for (int x = 0; x < region->columns >> job->log2_width; x++) {
      uint16_t n = 0;

      for (int k = 0; k < 1 << bdct_job_log2_parts (job); k++)
        n += levels->at[k][y * (side >> job->log2_width) + x] != 0;
      if (region->blocks != NULL)
        region->blocks[y * region->stride + x].nonzero += n;
      nonzero += n;
    }
  return nonzero;
}

/* Requantize a tile, each block with its quantizer. Where there is a second
 * stage, the first one has zeros for DCs. */
static uint64_t
requantize_by_quantizer (Tile * t, const BdctTilePlane * p,
    const Region * region, const uint8_t * quantizers, int side, Tile * which)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  BdctQuantizerSet present = find_present (job, region, quantizers);
  Dcs dcs, levels;
  uint64_t nonzero;
  int quantizer;

  if (!bdct_job_has_dc (job))
    return requantize_transforms (t, p, region, quantizers, present, side,
        which);
  take_dcs (&dcs, t, job, side);
  nonzero = requantize_transforms (t, p, region, quantizers, present, side,
      which);
  memset (&levels, 0, sizeof levels);
  while ((quantizer = bdct_quantizers_take (&present)) >= 0) {
    int32_t selected[DC_BLOCKS] __attribute__ ((aligned (64))) = { 0 };

    for (int y = 0; y < region->rows >> job->log2_height; y++)
      for (int x = 0; x < region->columns >> job->log2_width; x++)
        selected[y * (side >> job->log2_width) + x] = quantizers == NULL
            || quantizers[y * region->stride + x] == quantizer ? -1 : 0;
    requantize_dcs (&dcs, &levels, &p->quantizer[quantizer]->job, selected,
        region->beyond);
  }
  put_dcs (&dcs, t, job, side);
  if (region->level != NULL)
    put_dcs (&levels, region->level, job, side);
  return nonzero + count_dcs (&levels, job, region, side);
}

/* Copy the levels of a tile's transforms, one after another, `width` to a row
 * of a transform; into the tile if they are given. */
BDCT_FORCE_INLINE void
pack (BdctLevel * to, Tile * level, const BdctComponentJob * job,
    const Region * region, int side, int width, bool given)
{
  const int high = bdct_min (job->keep, 1 << bdct_job_log2_down (job));
  const int log2_parts = bdct_job_log2_parts (job);

  for (int y = 0; y < region->rows >> job->log2_height; y++)
    for (int x = 0; x < region->columns >> job->log2_width; x++)
      for (int k = 0; k < 1 << log2_parts; k++) {
        BdctLevel *block = to
            + (((y * region->stride + x) << log2_parts) + k) * width * high;
        int32_t *entry = level->value + (y << job->log2_height) * side
            + (x << job->log2_width) + find_part (job, side, k);

        for (int v = 0; v < high; v++)
          for (int u = 0; u < width; u++)
            if (given)
              entry[v * side + u] = block[v * width + u];
            else
              block[v * width + u] = entry[v * side + u];
      }
}

BDCT_FORCE_INLINE void
pack_any (BdctLevel * to, Tile * level, const BdctComponentJob * job,
    const Region * region, int side, bool given)
{
#define CASE(n)                                                               \
  case n:                                                                     \
    return pack (to, level, job, region, side, n, given)
  switch (bdct_min (job->keep, 1 << bdct_job_log2_across (job))) {
    CASE (4);
    CASE (8);
    CASE (16);
    CASE (32);
    CASE (64);
  }
#undef CASE
}

/* Store a tile, if there is an output, and return its squared errors. */
static uint64_t
measure (const Tile * t, const BdctTilePlane * p, const Region * region,
    int row, int column, int side)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const int height = bdct_min (p->layout.height - row, side);
  const int width = bdct_min (p->layout.width - column, side);
  const int step = region->blocks ? 1 << job->log2_height : side;
  BdctBlockRecord *record = region->blocks;
  uint64_t sse = 0;

  for (int y = 0; y < height; y += step) {
    uint32_t errors[BDCT_MAX_SIZE] = { 0 };

    store_any (t, p, row, column, side, y, bdct_min (y + step, height), errors);
    sse += fold (errors, width, 1 << job->log2_width, true, record);
    if (record != NULL)
      record += region->stride;
  }
  return sse;
}

/* Everything after the forward transform; `column` is the tile's. */
static void
finish (Tile * t, const BdctTilePlane * p, int row, int column,
    BdctTileStrip * out, Scratch * scratch)
{
  const BdctComponentJob *job = &p->quantizer[0]->job;
  const int side = bdct_tile_side (job);
  const int wide = (1 << job->log2_width) - 1;
  const int high = (1 << job->log2_height) - 1;
  const int left = column >> job->log2_width;
  const size_t first = p->grid.first + left
      + (size_t) (row >> job->log2_height) * p->grid.columns;
  Region region = {
    .rows = bdct_min ((p->layout.height - row + high) & ~high, side),
    .columns = bdct_min ((p->layout.width - column + wide) & ~wide, side),
    .stride = p->grid.columns
  };

  if (p->blocks != NULL) {
    region.blocks = p->blocks + first;
    for (int y = 0; y < region.rows >> job->log2_height; y++)
      memset (region.blocks + y * region.stride, 0,
          (region.columns >> job->log2_width) * sizeof *p->blocks);
  }
  if (out->given) {
    region.beyond = &out->beyond;
    memset (t, 0, side * side * sizeof t->value[0]);
    pack_any (out->levels + left * bdct_rate_block_levels (job), t, job,
        &region, side, true);
  } else if (out->levels != NULL)
    region.level = &scratch->level;
  out->counters.nonzero += requantize_by_quantizer (t, p, &region,
      p->quantizer_map ? p->quantizer_map + first : NULL, side,
      &scratch->between);
  if (region.level != NULL)
    pack_any (out->levels + left * bdct_rate_block_levels (job),
        &scratch->level, job, &region, side, false);
  if (out->beyond)
    return;
  inverse (t, p, &scratch->between);
  out->counters.sse += measure (t, p, &region, row, column, side);
}

static void
strip (const BdctTilePlane * p, int row, BdctTileStrip * out, void *memory)
{
  const int side = bdct_tile_side (&p->quantizer[0]->job);
  Scratch *scratch = memory;
  Tile *t = &scratch->tile;

  for (int column = 0; column < p->layout.width; column += side) {
    if (!out->given) {
      load_any (t, p, row, column, side);
      forward (t, p, &scratch->between);
    }
    finish (t, p, row, column, out, scratch);
  }
}

static uint64_t
stages (const BdctTilePlane * p, BdctTileStages * s, bool whole)
{
  const int side = bdct_tile_side (&p->quantizer[0]->job);
  Region region = {.rows = side,.columns = side,.level = &s->level };
  uint64_t nonzero;

  if (whole) {
    s->coefficient = s->residual;
    forward (&s->coefficient, p, &s->between);
  }
  s->residual = s->coefficient;
  nonzero = requantize_by_quantizer (&s->residual, p, &region, NULL, side,
      &s->between);
  inverse (&s->residual, p, &s->between);
  return nonzero;
}

const BdctTileChains BDCT_CONCAT (bdct_tile_, BDCT_ISA) = {
  .strip = strip,
  .stages = stages,
};
