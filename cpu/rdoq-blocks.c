/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice of a block's levels (dct/rd/rdoq.h). The GPU has another way to
 * the same levels (cuda/kernels/rdoq.cuh). */
#include "dct/rd/rdoq.h"

#include <string.h>

/* A block and the state of its search. */
typedef struct {
  const BdctRdoq *rdoq;
  const BdctComponentJob *job;
  const int32_t *coefficients;
  int stride, log2_size;        /* stride: of `coefficients` */
  bool chroma;
  BdctCabacPriceFunc price;
  BdctLevel *levels;
  /* The sub-blocks before this one in coding order: */
  uint64_t coded;               /* those with levels, as bits 8 y + x */
  bool greater;                 /* see bdct_cabac_sub_contexts() */
} Block;

/* Place `i` of the scan of sub-block (x, y). */
typedef struct {
  int x, y, i;
} Place;

/* The best last place so far; `cost` is relative to coding every level. */
typedef struct {
  bool found;
  Place at;
  int64_t cost;
} Last;

/* A sub-block in progress: its first contexts, and the state of its coding. */
typedef struct {
  BdctCabacSubBlock contexts;
  int n, rice, greater1;
  bool greater;
  int64_t zero, chosen;         /* costs of its levels as 0, and as chosen */
  bool any;
} SubBlock;

static int32_t
quantized_magnitude (const BdctComponentJob * job, int32_t quant, int32_t c,
    int64_t add)
{
  const int64_t level = ((c < 0 ? -(int64_t) c : c) * quant + add)
      >> job->quant_bits;

  return (int32_t) (level < INT16_MAX ? level : INT16_MAX);
}

static int32_t
nearest (const BdctComponentJob * job, int32_t quant, int32_t c)
{
  return quantized_magnitude (job, quant, c,
      INT64_C (1) << (job->quant_bits - 1));
}

static int64_t
distortion (const Block * b, int32_t c, int32_t dequant, int32_t level)
{
  const int64_t e = c - bdct_rdoq_dequantize (b->job, dequant, level);

  return e * e << b->rdoq->distortion_shift;
}

/* The cost of levels. `any`: one of them is not 0. */
static uint64_t
cost_of (const Block * b, const BdctLevel * levels, bool any)
{
  const BdctBlockRecord record = {.nonzero = any };
  const int n = b->log2_size;
  uint32_t rate;
  uint64_t sum;

  (*b->price) (&b->rdoq->prices, levels, &record, 1, n, &rate);
  sum = b->rdoq->lambda * rate;
  for (int i = 0; i < 1 << 2 * n; i++) {
    const int v = i >> n, u = i & ((1 << n) - 1);

    sum += (uint64_t) distortion (b, b->coefficients[v * b->stride + u],
        bdct_job_entry (b->job, v, u).dequant, levels[i]);
  }
  return sum;
}

/* The bits of a level other than 0, without its significance flag, as
 * bdct_cabac_sub_block() codes it. */
static uint32_t
price (const Block * b, const SubBlock * s, int magnitude)
{
  const uint32_t (*bin)[2] = b->rdoq->costs.bin;
  const uint32_t bit = 1u << BDCT_CABAC_COST_BITS;
  uint32_t rate = bit;          /* sign */
  int base = 1;

  if (s->n < 8) {
    rate += bin[s->contexts.greater1 + s->greater1][magnitude > 1];
    base = 2;
    if (magnitude > 1 && !s->greater) {
      rate += bin[s->contexts.greater2][magnitude > 2];
      base = 3;
    }
  }
  if (magnitude >= base)
    rate += bit * (uint32_t) bdct_cabac_remaining (magnitude - base, s->rice);
  return rate;
}

/* Update the state of the coding after a level other than 0. */
static void
advance (SubBlock * s, int magnitude)
{
  const int base = s->n >= 8 ? 1 : s->greater || magnitude < 2 ? 2 : 3;

  if (s->n++ < 8) {
    if (magnitude > 1) {
      s->greater = true;
      s->greater1 = 0;
    } else if (s->greater1 == 1 || s->greater1 == 2) {
      s->greater1++;
    }
  }
  if (magnitude >= base && s->rice < 4 && magnitude > 3 << s->rice)
    s->rice++;
  s->any = true;
}

/* Choose a level. `needed`: it must not be 0. `has_flag`: its significance flag
 * is coded. */
static void
choose_level (Block * b, SubBlock * s, Place at, bool has_flag, bool needed,
    Last * last)
{
  const BdctRdoq *rdoq = b->rdoq;
  const int place = (int) (BDCT_CABAC_SCAN >> 4 * at.i & 15);
  const int u = 4 * at.x + (place & 3), v = 4 * at.y + (place >> 2);
  const int32_t c = b->coefficients[v * b->stride + u], sign = c < 0 ? -1 : 1;
  const BdctQuantizer entry = bdct_job_entry (b->job, v, u);
  const int highest = nearest (b->job, entry.quant, c);
  const uint32_t *flag =
      rdoq->costs.bin[bdct_cabac_sig (&s->contexts, at.i)];
  const int64_t zero = distortion (b, c, entry.dequant, 0);
  const int64_t coded = has_flag ? (int64_t) (rdoq->lambda * flag[1]) : 0;
  int64_t least = zero + (has_flag ? (int64_t) (rdoq->lambda * flag[0]) : 0);
  int best = 0;

  for (int m = highest > 1 ? highest - 1 : 1; m <= highest; m++) {
    const int64_t cost = distortion (b, c, entry.dequant, sign * m) + coded
        + (int64_t) (rdoq->lambda * price (b, s, m));

    if (cost < least || (needed && best == 0)) {
      least = cost;
      best = m;
    }
  }
  if (best > 0) {
    /* As the last level it has no significance flag, its place is coded, and
     * only zeros are before it in coding order. */
    const Last here = { true, at, s->zero - s->chosen - coded
          + (int64_t) (rdoq->lambda * (rdoq->last[0][u] + rdoq->last[1][v]))
    };

    if (!last->found || here.cost < last->cost)
      *last = here;
    advance (s, best);
  }
  b->levels[(v << b->log2_size) + u] = (BdctLevel) (sign * best);
  s->zero += zero;
  s->chosen += least;
}

/* Read four levels, aligned to 8 bytes. */
static uint64_t
get_four (const BdctLevel * from)
{
  uint64_t four;

  memcpy (&four, from, sizeof four);
  return four;
}

static void
put_four (BdctLevel * to, uint64_t four)
{
  memcpy (to, &four, sizeof four);
}

static void
clear (BdctLevel * to, int log2_size)
{
  for (int i = 0; i < 1 << 2 * log2_size; i += 4)
    put_four (to + i, 0);
}

static void
copy (BdctLevel * to, const BdctLevel * from, int log2_size)
{
  for (int i = 0; i < 1 << 2 * log2_size; i += 4)
    put_four (to + i, get_four (from + i));
}

static void
clear_sub_block (Block * b, int x, int y)
{
  for (int v = 4 * y; v < 4 * y + 4; v++)
    put_four (&b->levels[(v << b->log2_size) + 4 * x], 0);
}

/* Choose the levels of a sub-block. `from` is the place of the last level if it
 * is in this sub-block, else -1. `zero` and `chosen` accumulate the costs of
 * all earlier levels as 0 and as chosen. Without `from` the sub-block may stay
 * empty. */
static void
choose_sub_block (Block * b, int x, int y, int from, int64_t * zero,
    int64_t * chosen, Last * last)
{
  const int side = 1 << (b->log2_size - 2);
  const bool dc = x + y == 0;
  const bool right = x + 1 < side && (b->coded >> (8 * y + x + 1) & 1);
  const bool below = y + 1 < side && (b->coded >> (8 * y + x + 8) & 1);
  const uint32_t *flag = b->rdoq->costs.bin[(b->chroma
          ? BDCT_CABAC_CHROMA_SUB_BLOCK : BDCT_CABAC_LUMA_SUB_BLOCK)
      + (right || below)];
  const bool flagged = !dc && from < 0;
  const int64_t empty = flagged ? (int64_t) (b->rdoq->lambda * flag[0]) : 0;
  SubBlock s = { bdct_cabac_sub_contexts (b->log2_size, b->chroma, dc, right,
        below, b->greater), 0, 0, 1, false, *zero, *chosen
        + (flagged ? (int64_t) (b->rdoq->lambda * flag[1]) : 0), false };
  Last here = *last;

  for (int i = from < 0 ? 15 : from; i >= 0; i--) {
    const bool inferred = i == 0 && flagged && !s.any;
    const Place at = { x, y, i };

    choose_level (b, &s, at, i != from && !inferred, i == from || inferred,
        &here);
  }
  if (from < 0 && !dc && (!s.any
          || *chosen + s.zero - *zero + empty <= s.chosen)) {
    clear_sub_block (b, x, y);
    *chosen += s.zero - *zero + empty;
  } else {
    b->coded |= (uint64_t) s.any << (8 * y + x);
    b->greater = s.greater;
    *chosen = s.chosen;
    *last = here;
  }
  *zero = s.zero;
}

/* Whether the nearest level of any coefficient of a sub-block is not 0. */
static bool
has_levels (const Block * b, int x, int y)
{
  for (int i = 0; i < 16; i++) {
    const int u = 4 * x + i % 4, v = 4 * y + i / 4;

    if (nearest (b->job, bdct_job_entry (b->job, v, u).quant,
            b->coefficients[v * b->stride + u]) > 0)
      return true;
  }
  return false;
}

/* Clear all levels before a place in coding order. */
static void
clear_up_to (Block * b, Place at)
{
  const int side = 1 << (b->log2_size - 2);
  int x = side - 1, y = side - 1;

  for (; x != at.x || y != at.y; bdct_cabac_before (&x, &y, side))
    clear_sub_block (b, x, y);
  for (int i = 15; i > at.i; i--) {
    const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);

    b->levels[((4 * y + (place >> 2)) << b->log2_size) + 4 * x + (place & 3)] =
        0;
  }
}

/* Choose levels from `at` on in coding order, with the last one at `at`, or
 * anywhere if `at->i` is below 0. Sets `at` to the best last place. Returns
 * whether there is a level. */
static bool
choose_next (Block * b, Place * at)
{
  const int side = 1 << (b->log2_size - 2);
  int64_t zero = 0, chosen = 0;
  Last last = { false, *at, 0 };
  int x = at->x, y = at->y;

  b->coded = 0;
  b->greater = false;
  for (int from = at->i;; from = -1, bdct_cabac_before (&x, &y, side)) {
    choose_sub_block (b, x, y, from, &zero, &chosen, &last);
    if (x + y == 0)
      break;
  }
  *at = last.at;
  if (last.found)
    clear_up_to (b, *at);
  return last.found;
}

/* The plain quantizer's levels. Returns whether one is not 0. */
static bool
quantize (const Block * b)
{
  bool any = false;

  for (int i = 0; i < 1 << 2 * b->log2_size; i++) {
    const int v = i >> b->log2_size, u = i & ((1 << b->log2_size) - 1);
    const int32_t c = b->coefficients[v * b->stride + u];
    const int32_t m = quantized_magnitude (b->job, bdct_job_entry (b->job, v,
            u).quant, c, b->job->quant_add);

    b->levels[i] = (BdctLevel) (c < 0 ? -m : m);
    any |= m != 0;
  }
  return any;
}

/* Choose a block's levels; `tried` has room for as many. Returns their cost. */
static uint64_t
choose_levels (Block * b, BdctLevel * levels, BdctLevel * tried)
{
  const int side = 1 << (b->log2_size - 2);
  Place at = { side - 1, side - 1, -1 };
  uint64_t least, cost;

  clear (levels, b->log2_size);
  least = cost_of (b, levels, false);
  while (!has_levels (b, at.x, at.y)) {
    if (at.x + at.y == 0)
      return least;
    bdct_cabac_before (&at.x, &at.y, side);
  }
  b->levels = tried;
  if (quantize (b)) {
    cost = cost_of (b, tried, true);
    if (cost < least) {
      copy (levels, tried, b->log2_size);
      least = cost;
    }
  }
  clear (tried, b->log2_size);
  while (choose_next (b, &at)) {
    cost = cost_of (b, tried, true);
    if (cost >= least)
      break;
    copy (levels, tried, b->log2_size);
    least = cost;
  }
  return least;
}

void
bdct_rdoq_init (BdctRdoq * rdoq, const BdctJob * job, BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  const bool chroma = component != BDCT_Y;

  memset (rdoq, 0, sizeof *rdoq);
  if (job->rdoq.distortion_shift == 0)
    return;
  rdoq->distortion_shift = job->rdoq.distortion_shift + 2 * cj->log2_width;
  rdoq->lambda = job->rdoq.lambda;
  bdct_cabac_costs (&rdoq->costs, job->rdoq.slice_qp);
  bdct_cabac_prices_init (&rdoq->prices, &rdoq->costs, cj->log2_width, chroma);
  for (int axis = 0; axis < 2; axis++)
    for (int i = 0; i < 1 << cj->log2_width; i++)
      rdoq->last[axis][i] = bdct_cabac_last_price (&rdoq->costs,
          cj->log2_width, chroma, axis, i);
}

uint64_t
bdct_rdoq_choose (const BdctRdoq * rdoq, BdctCabacPriceFunc price,
    const BdctComponentJob * job, bool chroma, const int32_t * coefficients,
    int stride, BdctLevel * levels)
{
  BdctLevel tried[BDCT_QUADTREE_SIDE * BDCT_QUADTREE_SIDE];
  Block b = {.rdoq = rdoq,.job = job,.coefficients = coefficients,
    .stride = stride,.log2_size = job->log2_width,.chroma = chroma,
    .price = price
  };

  return choose_levels (&b, levels, tried);
}
