/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rdoq.h"

#include <string.h>
#include "bins.h"

#define BIT 32768

/* A block, and where its last level is allowed to be. */
typedef struct {
  const BdctRdoq *rdoq;
  const BdctComponentJob *job;
  const int32_t *cells;
  int stride, log2_size;
  bool chroma;
  BdctLevel *levels;
  /* What is known of the sub-blocks that come before in coding order. */
  uint64_t coded;               /* bit 8 y + x */
  bool greater;                 /* cabac.h: sub-block's */
} Block;

/* A place of the scan: in place `i` of a sub-block. */
typedef struct {
  int x, y, i;
} Place;

/* The best last place up to now, as the difference to coding all. */
typedef struct {
  bool found;
  Place at;
  int64_t cost;
} Last;

/* A sub-block on its way: the contexts' first ones, what has been coded. */
typedef struct {
  BdctCabacSubBlock contexts;
  int n, rice, greater1;
  bool greater;
  int64_t zero, chosen;         /* what its levels cost as 0, and as chosen */
  bool any;
} SubBlock;

void
bdct_rdoq_init (BdctRdoq * rdoq, const BdctJob * job, BdctComponent component)
{
  const BdctComponentJob *cj = &job->component[component];
  const bool chroma = component != BDCT_Y;
  const int base[] = {
    chroma ? BDCT_CABAC_CHROMA_LAST_X : BDCT_CABAC_LUMA_LAST_X,
    chroma ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_LUMA_LAST_Y
  };

  memset (rdoq, 0, sizeof *rdoq);
  if (job->rdoq.distortion_shift == 0)
    return;
  rdoq->distortion_shift = job->rdoq.distortion_shift + 2 * cj->log2_width;
  rdoq->lambda = job->rdoq.lambda;
  bdct_bins_init ();
  bdct_quadtree_costs (&rdoq->costs, job->rdoq.slice_qp);
  for (int axis = 0; axis < 2; axis++)
    for (int i = 0; i < 1 << cj->log2_width; i++) {
      uint32_t counter[2 * BDCT_CABAC_CONTEXTS] = { 0 };
      BdctCabacSink sink = {.counter = counter };

      bdct_cabac_last (&sink, base[axis], cj->log2_width, chroma, i);
      rdoq->last[axis][i] = sink.bypass * BIT;
      for (int k = 0; k < BDCT_CABAC_CONTEXTS; k++)
        for (int bin = 0; bin < 2; bin++)
          rdoq->last[axis][i] += counter[2 * k + bin]
              * rdoq->costs.bin[k][bin];
    }
}

static int32_t
magnitude_of (const BdctComponentJob * job, int32_t quant, int32_t c,
    int64_t add)
{
  const int64_t level = ((c < 0 ? -(int64_t) c : c) * quant + add)
      >> job->quant_bits;

  return (int32_t) (level < INT16_MAX ? level : INT16_MAX);
}

static int32_t
nearest (const BdctComponentJob * job, int32_t quant, int32_t c)
{
  return magnitude_of (job, quant, c, INT64_C (1) << (job->quant_bits - 1));
}

static int64_t
distortion (const Block * b, int32_t c, int32_t dequant, int32_t level)
{
  const int64_t e = c - bdct_rdoq_dequantize (b->job, dequant, level);

  return e * e << b->rdoq->distortion_shift;
}

uint64_t
bdct_rdoq_cost (const BdctRdoq * rdoq, const BdctComponentJob * job,
    bool chroma, const int32_t * cells, int stride, const BdctLevel * levels)
{
  const Block b = {.rdoq = rdoq,.job = job };
  const int n = job->log2_width;
  uint64_t sum = rdoq->lambda * bdct_bins_price (&rdoq->costs, levels, n,
      chroma);

  for (int i = 0; i < 1 << 2 * n; i++) {
    const int v = i >> n, u = i & ((1 << n) - 1);

    sum += (uint64_t) distortion (&b, cells[v * stride + u],
        bdct_job_entry (job, v, u).dequant, levels[i]);
  }
  return sum;
}

/* What a level that is not 0 costs in bits, but for the flag that says so:
 * bdct_cabac_sub_block()'s. */
static uint32_t
price (const Block * b, const SubBlock * s, int magnitude)
{
  const uint32_t (*bin)[2] = b->rdoq->costs.bin;
  uint32_t rate = BIT;          /* its sign */
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
    rate += BIT * (uint32_t) bdct_cabac_remaining (magnitude - base, s->rice);
  return rate;
}

/* What a level that is not 0 leaves. */
static void
pass (SubBlock * s, int magnitude)
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

/* Choose a level. It may have to be one, and nobody need be told that it is or
 * is not. */
static void
choose_level (Block * b, SubBlock * s, Place at, bool told, bool needed,
    Last * last)
{
  const BdctRdoq *rdoq = b->rdoq;
  const int place = (int) (BDCT_CABAC_SCAN >> 4 * at.i & 15);
  const int u = 4 * at.x + (place & 3), v = 4 * at.y + (place >> 2);
  const int32_t c = b->cells[v * b->stride + u], sign = c < 0 ? -1 : 1;
  const BdctQuantizer entry = bdct_job_entry (b->job, v, u);
  const int highest = nearest (b->job, entry.quant, c);
  const uint32_t *flag =
      rdoq->costs.bin[bdct_cabac_sig (&s->contexts, at.i)];
  const int64_t zero = distortion (b, c, entry.dequant, 0);
  const int64_t coded = told ? (int64_t) (rdoq->lambda * flag[1]) : 0;
  int64_t least = zero + (told ? (int64_t) (rdoq->lambda * flag[0]) : 0);
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
    /* If it is the last one there are only zeros before it, it has no flag and
     * its place is told. */
    const int64_t cost = s->zero - s->chosen - coded
        + (int64_t) (rdoq->lambda * (rdoq->last[0][u] + rdoq->last[1][v]));

    if (!last->found || cost < last->cost)
      *last = (Last) { true, at, cost };
    pass (s, best);
  }
  b->levels[(v << b->log2_size) + u] = (BdctLevel) (sign * best);
  s->zero += zero;
  s->chosen += least;
}

static void
clear_sub_block (Block * b, int x, int y)
{
  for (int v = 4 * y; v < 4 * y + 4; v++)
    memset (&b->levels[(v << b->log2_size) + 4 * x], 0,
        4 * sizeof *b->levels);
}

/* Choose the levels of a sub-block, which the last level is in if `from` is one
 * of its places, else -1. `zero` and `chosen` are what those before it cost. */
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
  SubBlock s = {
    .contexts = bdct_cabac_sub_contexts (b->log2_size, b->chroma, dc, right,
        below, b->greater),
    .greater1 = 1,
    .zero = *zero,
    .chosen = *chosen + (flagged ? (int64_t) (b->rdoq->lambda * flag[1]) : 0)
  };
  Last here = *last;

  for (int i = from < 0 ? 15 : from; i >= 0; i--) {
    const bool inferred = i == 0 && flagged && !s.any;

    choose_level (b, &s, (Place) { x, y, i }, i != from && !inferred,
        i == from || inferred, &here);
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

/* Whether a sub-block has a level to choose. */
static bool
has_levels (const Block * b, int x, int y)
{
  for (int i = 0; i < 16; i++) {
    const int u = 4 * x + i % 4, v = 4 * y + i / 4;

    if (nearest (b->job, bdct_job_entry (b->job, v, u).quant,
            b->cells[v * b->stride + u]) > 0)
      return true;
  }
  return false;
}

/* Zeros up to a place, coming from the end. */
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

/* Choose levels, with the last one at a place, or anywhere if `at->i` is below
 * 0. Then `at` is where it is best. Returns whether there is one. */
static bool
choose (Block * b, Place * at)
{
  const int side = 1 << (b->log2_size - 2);
  int64_t zero = 0, chosen = 0;
  Last last = {.found = false };
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

/* The levels without all this. Returns whether one is not 0. */
static bool
quantize (const Block * b)
{
  bool any = false;

  for (int i = 0; i < 1 << 2 * b->log2_size; i++) {
    const int v = i >> b->log2_size, u = i & ((1 << b->log2_size) - 1);
    const int32_t c = b->cells[v * b->stride + u];
    const int32_t m = magnitude_of (b->job, bdct_job_entry (b->job, v,
            u).quant, c, b->job->quant_add);

    b->levels[i] = (BdctLevel) (c < 0 ? -m : m);
    any |= m != 0;
  }
  return any;
}

uint64_t
bdct_rdoq_choose (const BdctRdoq * rdoq, const BdctComponentJob * job,
    bool chroma, const int32_t * cells, int stride, BdctLevel * levels)
{
  const int n = job->log2_width, side = 1 << (n - 2);
  const size_t size = sizeof *levels << 2 * n;
  BdctLevel tried[BDCT_QUADTREE_SIDE * BDCT_QUADTREE_SIDE];
  Block b = {.rdoq = rdoq,.job = job,.cells = cells,.stride = stride,
    .log2_size = n,.chroma = chroma,.levels = tried
  };
  Place at = { side - 1, side - 1, -1 };
  uint64_t least, cost;

  memset (levels, 0, size);
  least = bdct_rdoq_cost (rdoq, job, chroma, cells, stride, levels);
  while (!has_levels (&b, at.x, at.y)) {
    if (at.x + at.y == 0)
      return least;
    bdct_cabac_before (&at.x, &at.y, side);
  }
  if (quantize (&b)) {
    cost = bdct_rdoq_cost (rdoq, job, chroma, cells, stride, tried);
    if (cost < least) {
      memcpy (levels, tried, size);
      least = cost;
    }
  }
  memset (tried, 0, size);
  while (choose (&b, &at)) {
    cost = bdct_rdoq_cost (rdoq, job, chroma, cells, stride, tried);
    if (cost >= least)
      break;
    memcpy (levels, tried, size);
    least = cost;
  }
  return least;
}
