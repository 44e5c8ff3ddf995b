/* blockdct: the price of the bins that CABAC codes, from counts, in whole
 * numbers: for C and CUDA, so that every engine adds the same.
 *
 * A record has a run's counts (cabac.h), a slot for each context that the
 * component's blocks use: how many zeros, in the low byte, and ones it coded,
 * at most 255 of each; and the number of bypass bins. n0 zeros and n1 ones cost
 * the length of a Beta code, log2 B(a, b) - log2 B(a + n0, b + n1), with a + b
 * = BDCT_CABAC_WEIGHT and b in proportion to p, the probability of a 1, which
 * follows the runs before. A segment of BDCT_CABAC_SEGMENT runs is priced by
 * itself: p starts that many runs before, from the state at the start of a
 * slice. So nothing depends on the order within a run, and nothing is summed
 * over a frame before it is priced.
 *
 * docs/evidence/fidelity.md has its errors against an encoder's bits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_CABAC_PRICE_H
#define BDCT_CABAC_PRICE_H

#include "cabac.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BDCT_CABAC_WEIGHT = 14,
  BDCT_CABAC_SEGMENT = 64,      /* runs */
  BDCT_CABAC_PRICE_BITS = 12,   /* of a price's fraction; a segment's is below
                                   2^32 */
  BDCT_CABAC_MOST = 256         /* bins of a context in a run */
};

/* CABAC's lowest probability, in 2^-16 */
#define BDCT_CABAC_LEAST 1229u

/* Slots of a record. Larger blocks of luma have contexts of their own for the
 * first sub-block. Trees have a slot for each context. */
enum {
  BDCT_CABAC_SLOT_LAST = 18,    /* x, y, x, y... */
  BDCT_CABAC_SLOT_BYPASS = 28,
  BDCT_CABAC_SLOT_DC = 32,
  BDCT_CABAC_SLOTS = 48,
  BDCT_CABAC_TREE_SLOTS = BDCT_CABAC_CHROMA + 1,
  BDCT_CABAC_TREE_CHROMA_SLOTS = BDCT_CABAC_CONTEXTS - BDCT_CABAC_CHROMA + 2,
  /* The context of a slot that has none */
  BDCT_CABAC_NONE = BDCT_CABAC_BYPASS + 1
};

/* The number of slots, a multiple of four. log2_size 0: of trees. */
BDCT_FORCE_INLINE int
bdct_cabac_slots (int log2_size, bool chroma)
{
  if (log2_size == 0)
    return chroma ? BDCT_CABAC_TREE_CHROMA_SLOTS : BDCT_CABAC_TREE_SLOTS;
  return log2_size > 2 && !chroma ? BDCT_CABAC_SLOTS : BDCT_CABAC_SLOT_DC;
}

/* The slot of the bypass bins. */
BDCT_FORCE_INLINE int
bdct_cabac_bypass_slot (int log2_size, bool chroma)
{
  return log2_size > 0 ? BDCT_CABAC_SLOT_BYPASS : chroma
      ? BDCT_CABAC_CONTEXTS - BDCT_CABAC_CHROMA : BDCT_CABAC_CHROMA;
}

/* The contexts of a prefix of the last position: x's in even slots. */
BDCT_CONSTANT_INLINE int
bdct_cabac_last_context (int log2_size, bool chroma, int slot)
{
  const int i = slot / 2;

  if (i >= (log2_size < 4 ? 3 : chroma ? 2 : log2_size))
    return BDCT_CABAC_NONE;
  if (chroma)
    return (slot & 1 ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_CHROMA_LAST_X) + i;
  return (slot & 1 ? BDCT_CABAC_LUMA_LAST_Y : BDCT_CABAC_LUMA_LAST_X)
      + 3 * (log2_size - 2) + ((log2_size - 1) >> 2) + i;
}

/* A slot's context, BDCT_CABAC_BYPASS, or BDCT_CABAC_NONE. */
BDCT_CONSTANT_INLINE int
bdct_cabac_context (int log2_size, bool chroma, int slot)
{
  const int first = chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
  const int end = chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
  const int cbf = chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF;
  const int sub = chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
      : BDCT_CABAC_LUMA_SUB_BLOCK;
  const int sig = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int one = chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1;
  const int two = chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2;
  /* Of the first sub-block, and of the others in luma */
  const int here = sig + (log2_size == 3 ? 9 : chroma ? 12 : 21);
  const int rest = here + (chroma ? 0 : 3), more = chroma ? 0 : 2;

  if (log2_size == 0)
    return slot < end - first ? first + slot : slot == end - first
        ? (int) BDCT_CABAC_BYPASS : (int) BDCT_CABAC_NONE;
  if (slot >= BDCT_CABAC_SLOT_LAST && slot < BDCT_CABAC_SLOT_BYPASS)
    return bdct_cabac_last_context (log2_size, chroma,
        slot - BDCT_CABAC_SLOT_LAST);
  if (slot == BDCT_CABAC_SLOT_BYPASS)
    return BDCT_CABAC_BYPASS;
  if (log2_size == 2)
    return slot < 9 ? sig + slot : slot == 9 ? cbf : slot < 14
        ? one + slot - 10 : slot == 14 ? two : BDCT_CABAC_NONE;
  if (slot >= BDCT_CABAC_SLOT_DC) {
    slot -= BDCT_CABAC_SLOT_DC;
    return slot == 0 ? here + 2 : slot == 2 || slot == 3 ? here + slot - 2
        : slot >= 4 && slot < 12 ? one + slot - 4
        : slot == 12 || slot == 13 ? two + slot - 12 : BDCT_CABAC_NONE;
  }
  switch (slot) {
    case 0:
      return rest + 2;
    case 2:
    case 3:
      return rest + slot - 2;
    case 4:
    case 5:
      return sub + slot - 4;
    case 6:
      return cbf;
    case 7:
      return sig;
    case 16:
    case 17:
      return two + more + slot - 16;
    default:
      return slot >= 8 && slot < 16 ? one + 4 * more + slot - 8
          : BDCT_CABAC_NONE;
  }
}

/* Call this before the functions that count or price levels. */
void bdct_cabac_init (void);

/* The probabilities at the start of a slice, by slot, in 2^-16. */
void bdct_cabac_start (uint16_t start[BDCT_CABAC_TREE_SLOTS], int slice_qp,
    int log2_size, bool chroma);

/* Make a run's record. Call bdct_cabac_init() before. */
void bdct_cabac_pack (uint16_t *record, const BdctCabacCounts counts,
    int log2_size, bool chroma);

/* The price of segments, the first of whose `n_runs` records is at `records`,
 * in 2^-BDCT_CABAC_PRICE_BITS bit; n_before, 0 or BDCT_CABAC_SEGMENT, are
 * before them. Call bdct_cabac_init() before. */
uint64_t bdct_cabac_price (const uint16_t *records, int n_before, int n_runs,
    const uint16_t *start, int log2_size, bool chroma);

/* log2 of Gamma (i / 4) in 2^-12, and what n bins leave of p, [2 n], and what
 * each 1 of them adds to it, [2 n + 1], in 2^-16 and 2^-32: 0.946^n stays. */
typedef struct {
  int32_t gamma[4 * (BDCT_CABAC_WEIGHT + BDCT_CABAC_MOST) + 1];
  uint32_t step[2 * (BDCT_CABAC_MOST + 1)];
} BdctCabacTables;

/* Accurate to more digits than its users round to. */
BDCT_CONSTANT_INLINE double
bdct_cabac_log2 (double x)
{
  double y = 0, sum = 0, power = 0;
  int n = 0;

  for (; x >= 2; x /= 2)
    n++;
  for (; x < 1; x *= 2)
    n--;
  y = (x - 1) / (x + 1);
  power = y;
  for (int k = 1; k < 30; k += 2, power *= y * y)
    sum += power / k;
  return n + 2 * sum / 0.69314718055994531;
}

BDCT_CONSTANT_INLINE void
bdct_cabac_fill (BdctCabacTables *tables)
{
  /* Of Gamma (1 / 4), (2 / 4), (3 / 4), (1) */
  double log2_gamma[4] = { 1.8582237089351985, 0.8257480647361599,
    0.2932724205371195, 0 };
  double left = 65536;

  tables->gamma[0] = 0;
  for (int i = 1; i < (int) (sizeof tables->gamma / 4); i++) {
    double *of = &log2_gamma[(i - 1) & 3];

    if (i > 4)
      *of += bdct_cabac_log2 ((i - 4) / 4.0);
    tables->gamma[i] = (int32_t) (*of * 4096 + (*of < 0 ? -0.5 : 0.5));
  }
  for (uint32_t n = 0; n <= BDCT_CABAC_MOST; n++, left *= 0.946) {
    const uint32_t keep = (uint32_t) (left + 0.5);

    tables->step[2 * n] = keep;
    tables->step[2 * n + 1] = n == 0 ? 0
        : (uint32_t) ((uint64_t) (65536 - keep) * 65535 / n);
  }
}

/* p after a run: without bins, p. */
BDCT_FORCE_INLINE uint32_t
bdct_cabac_follow (uint32_t p, uint32_t keep, uint32_t add)
{
  p = (keep * p + add) >> 16;
  return p < BDCT_CABAC_LEAST ? BDCT_CABAC_LEAST
      : p > 65536 - BDCT_CABAC_LEAST ? 65536 - BDCT_CABAC_LEAST : p;
}

/* What a run's bins of a context cost. */
BDCT_FORCE_INLINE uint32_t
bdct_cabac_beta (uint32_t p, uint32_t n0, uint32_t n1, const int32_t *gamma)
{
  const uint32_t b = (p * (4 * BDCT_CABAC_WEIGHT) + 32768) >> 16;
  const uint32_t a = 4 * BDCT_CABAC_WEIGHT - b;

  return (uint32_t) (gamma[a] - gamma[a + 4 * n0] + gamma[b]
      - gamma[b + 4 * n1] + gamma[4 * (BDCT_CABAC_WEIGHT + n0 + n1)]
      - gamma[4 * BDCT_CABAC_WEIGHT]);
}

#ifdef __cplusplus
}
#endif
#endif
