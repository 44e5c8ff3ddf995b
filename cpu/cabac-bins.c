/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A 4x4 sub-block's bins are written a context at a time, from masks of its
 * levels in the order of the scan: bit i for place i, the first coded
 * highest. */
#include "cabac-bins.h"

#include <pthread.h>
#include <string.h>

/* A word has at least this many bins, except for the last word of a context
 * in a run. */
#define FULL 40

/* The number of bins by which a state advances in one step. */
#define STEP 4

/* The maximum number of contexts of a prefix of the last position. */
#define LAST_CONTEXTS 5

/* Smaller magnitudes are looked up in a table. */
#define SMALL 64

/* sigCtx (clause 9.3.4.2.5) by place, as in bdct_cabac_sub_block(). Patterns
 * 0 to 3 are by the neighbours: right + 2 * below. */
enum { PATTERN_4X4 = 4, N_PATTERNS };

static const uint64_t patterns[N_PATTERNS] = {
  UINT64_C (0x0000000000111112), UINT64_C (0x0001002100210212),
  UINT64_C (0x0000010012012122), UINT64_C (0x2222222222222222),
  UINT64_C (0x8885875467436120)
};

typedef struct {
  uint8_t bins, n;
} LastBins;

static struct
{
  /* For a byte of a mask by columns, bit 4 x + y: the mask in the order of
   * the scan and, in the upper half, in the reverse order. */
  uint32_t scan[2][256];
  /* Places 1 to 15 sorted by sigCtx, the highest sigCtx lowest; and for the
   * first n places, the number of places with each sigCtx. */
  uint16_t group[N_PATTERNS][2][256];
  uint8_t in_group[N_PATTERNS][17][9];
  uint8_t ones[256];
  /* The index of place 15 - i, in rows of 1 << log2_size. */
  uint8_t raster[6][16];
  uint8_t diagonal[6][64];      /* sub-blocks in the scan: 8 y + x */
  /* The bins of a prefix of the last position, by context. */
  LastBins last[6][2][10][LAST_CONTEXTS];
  /* bdct_cabac_remaining() of a small magnitude less 1, or less 2; 0 if
   * there is no remainder. */
  uint8_t remaining[2][5][SMALL];
  /* By a state, and a 1 followed by at most STEP bins: cost << 12, and the
   * next state * 32. */
  uint32_t step[126 * 32];
} tables;

static void
fill_scans (void)
{
  for (int i = 0; i < 16; i++) {
    const int place = (int) (BDCT_CABAC_SCAN >> 4 * i & 15);
    const int column_wise = 4 * (place & 3) + (place >> 2);

    for (int bits = 0; bits < 256; bits++)
      if (bits >> (column_wise & 7) & 1)
        tables.scan[column_wise >> 3][bits] |= 1u << i | 1u << (31 - i);
    for (int n = 2; n <= 5; n++)
      tables.raster[n][15 - i] = ((place >> 2) << n) + (place & 3);
  }
  for (int n = 2; n <= 5; n++) {
    const int side = 1 << (n - 2);
    int x = side - 1, y = side - 1;

    for (int i = side * side - 1; i > 0; i--) {
      tables.diagonal[n][i] = 8 * y + x;
      bdct_cabac_before (&x, &y, side);
    }
  }
}

static void
fill_groups (void)
{
  for (int p = 0; p < N_PATTERNS; p++) {
    int to = 0;

    for (int sig = 8; sig >= 0; sig--)
      for (int i = 1; i < 16; i++) {
        if ((int) (patterns[p] >> 4 * i & 15) != sig)
          continue;
        for (int bits = 0; bits < 256; bits++)
          if (bits >> (i & 7) & 1)
            tables.group[p][i >> 3][bits] |= 1 << to;
        for (int n = i + 1; n <= 16; n++)
          tables.in_group[p][n][sig]++;
        to++;
      }
  }
}

/* How bdct_cabac_last() assigns bins to contexts. */
static int
last_shift (int log2_size, bool chroma)
{
  return chroma ? log2_size - 2 : (log2_size + 1) >> 2;
}

static void
fill_last (int log2_size, bool chroma)
{
  const int longest = 2 * log2_size - 1;

  for (int prefix = 0; prefix <= longest; prefix++) {
    LastBins *last = tables.last[log2_size][chroma][prefix];

    for (int i = 0; i <= prefix && i < longest; i++) {
      LastBins *some = &last[i >> last_shift (log2_size, chroma)];

      some->bins = some->bins << 1 | (i < prefix);
      some->n++;
    }
  }
}

static void
fill_tables (void)
{
  fill_scans ();
  fill_groups ();
  for (int n = 2; n <= 5; n++) {
    fill_last (n, false);
    fill_last (n, true);
  }
  for (int i = 0; i < 2 * 5 * SMALL; i++) {
    const int rest = i % SMALL - 1 - i / (5 * SMALL);

    if (rest >= 0)
      tables.remaining[i / (5 * SMALL)][i / SMALL % 5][i % SMALL]
          = bdct_cabac_remaining (rest, i / SMALL % 5);
  }
  for (int i = 1; i < 256; i++)
    tables.ones[i] = tables.ones[i >> 1] + (i & 1);
  for (int s = 0; s < 126; s++)
    for (int bins = 1; bins < 2 << STEP; bins++) {
      uint32_t state = s, cost = 0;

      for (int i = bdct_cabac_log2 (bins) - 1; i >= 0; i--) {
        const uint32_t step = bdct_cabac_step[state ^ (bins >> i & 1)];

        cost += step >> 8;
        state = (step & 255) ^ (state & 1);
      }
      tables.step[32 * s + bins] = cost << 12 | state << 5;
    }
}

void
bdct_cabac_bins_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_tables);
}

size_t
bdct_cabac_bins_words (size_t n_blocks, int log2_size)
{
  /* A sub-block's flag, its significance flags, 8 flags for levels above 1
   * and 1 for above 2; the coded block flag and the prefixes of the last
   * position. */
  const int sub_block = 1 + 16 + 8 + 1;
  const int block = 1 + 2 * (2 * log2_size - 1);

  return n_blocks * ((sub_block << 2 * (log2_size - 2)) + block) / FULL;
}

typedef BdctCabacBinsWriter Writer;

static void
close_word (Writer * w, int context)
{
  const uint64_t bins = w->open[context];
  const int n = 63 - __builtin_clzll (bins);
  const int ones = __builtin_popcountll (bins) - 1;

  w->counter[2 * context] += n - ones;
  w->counter[2 * context + 1] += ones;
  *w->word++ = bins | (uint64_t) context << 56;
  w->open[context] = 1;
}

/* The number of ones in a sub-block's mask. */
static inline int
count_ones (uint32_t mask)
{
  return tables.ones[mask & 255] + tables.ones[mask >> 8];
}

/* Write n bins, 0 to 16. */
static inline __attribute__ ((always_inline)) void
put (Writer * w, int context, uint32_t bins, int n)
{
  const uint64_t open = w->open[context] << n | bins;

  w->open[context] = open;
  if (__builtin_expect (open >> FULL != 0, 0))
    close_word (w, context);
}

/* The four levels of a sub-block's row. */
static inline uint64_t
load_row (const BdctLevel * levels)
{
  uint64_t row;

  memcpy (&row, levels, sizeof row);
  return row;
}

#define EACH(v) (UINT64_C (0x0001000100010001) * (v))

/* Set the highest bit of each level that is not 0. */
static inline uint64_t
find_nonzero (uint64_t row)
{
  return (((row & EACH (0x7fff)) + EACH (0x7fff)) | row) & EACH (0x8000);
}

/* Set the highest bit of each level whose magnitude is above 1. */
static inline uint64_t
find_greater (uint64_t row)
{
  const uint64_t negative = (row >> 15 & EACH (1)) * 0xffff;

  return (((row ^ negative) & (negative | EACH (0xfffe))) + EACH (0x7fff))
      & EACH (0x8000);
}

/* From the highest bits of the rows, make the mask in the order of the scan
 * and, in the upper half, in the reverse order. */
static inline uint32_t
gather (uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
  const uint64_t columns = (a >> 15 | b >> 14 | c >> 13 | d >> 12)
      * UINT64_C (0x0001001001001000) >> 48;

  return tables.scan[0][columns & 255] | tables.scan[1][columns >> 8];
}

/* Write one of the prefixes of bdct_cabac_last(). */
static inline __attribute__ ((always_inline)) void
put_last (Writer * w, int base, int log2_size, bool chroma,
    int position)
{
  const int offset = chroma ? 0 : 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
  const int n = ((2 * log2_size - 2) >> last_shift (log2_size, chroma)) + 1;
  const int log2 = position < 4 ? 0 : bdct_cabac_log2 (position);
  const int prefix = position < 4 ? position
      : 2 * log2 + (position >> (log2 - 1) & 1);
  const LastBins *last = tables.last[log2_size][chroma][prefix];

  for (int i = 0; i < n; i++)
    put (w, base + offset + i, last[i].bins, last[i].n);
  if (log2 > 0)
    w->bypass += log2 - 1;
}

static inline int
magnitude_of (int level)
{
  return level < 0 ? -level : level;
}

/* Write the flags of levels above 1 and 2, the signs and the remainders. The
 * masks are of levels that are not 0, at least one, and of levels above 1,
 * with the first coded level lowest. */
static inline __attribute__ ((always_inline)) bool
put_magnitudes (Writer * w, const BdctLevel * sub,
    const uint8_t * raster, uint32_t some, uint32_t above, int greater1,
    int greater2)
{
  const int n = count_ones (some), with_flag = n < 8 ? n : 8;
  const uint32_t first = above & -above;
  const int n_before = count_ones (some & (first - 1) & 0xffff);
  const bool greater = n_before < with_flag && above != 0;
  /* The flags up to that of the first level above 1: one context for the
   * first flag, one for the second and one for the others. Flags after it
   * have one context. */
  const int flags = greater ? n_before + 1 : with_flag;
  int left = n, left_with_flag = with_flag, rice = 0, limit = 3;
  uint32_t bins = 0;

  w->bypass += n;
  put (w, greater1 + 1, greater && flags == 1, 1);
  put (w, greater1 + 2, greater && flags == 2, flags > 1);
  put (w, greater1 + 3, greater && flags > 2,
      flags > 2 ? flags - 2 : 0);
  if (greater) {
    const int magnitude = magnitude_of (sub[raster[__builtin_ctz (first)]]);

    put (w, greater2, magnitude > 2, 1);
    if (magnitude > 2)
      w->bypass += bdct_cabac_remaining (magnitude - 3, 0);
    if (magnitude > 3) {
      rice = 1;
      limit = 6;
    }
    some &= -first << 1;
    left -= flags;
    left_with_flag -= flags;
  } else if (n <= 8) {
    return false;
  }
  for (int i = left; i > 0; i--, some &= some - 1) {
    const int magnitude = magnitude_of (sub[raster[__builtin_ctz (some)]]);
    const bool base = i > left - left_with_flag;
    const int next = limit < 24 ? 2 * limit : INT32_MAX;

    bins = bins << 1 | (magnitude > 1);
    if (__builtin_expect (magnitude < SMALL, 1))
      w->bypass += tables.remaining[base][rice][magnitude];
    else
      w->bypass += bdct_cabac_remaining (magnitude - 1 - base, rice);
    rice += magnitude > limit;
    limit = magnitude > limit ? next : limit;
  }
  if (greater)
    put (w, greater1, bins >> (left - left_with_flag), left_with_flag);
  return greater;
}

/* bdct_cabac_walk(). */
static inline __attribute__ ((always_inline)) void
put_block (Writer * w, const BdctLevel * levels, int log2_size,
    bool chroma)
{
  const uint8_t *diagonal = tables.diagonal[log2_size];
  const uint8_t *raster = tables.raster[log2_size];
  const uint64_t coded = bdct_cabac_sub_blocks (levels, log2_size);
  const uint64_t right = coded >> 1 & UINT64_C (0x7f7f7f7f7f7f7f7f);
  const uint64_t below = coded >> 8;
  const int sig_base = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int greater1_base = chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1;
  const int greater2_base = chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2;
  bool last = true, greater = false;
  int i = (1 << 2 * (log2_size - 2)) - 1;

  put (w, chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF,
      coded != 0, 1);
  if (coded == 0)
    return;
  while (!(coded >> diagonal[i] & 1))
    i--;
  for (; i >= 0; i--) {
    const int at = diagonal[i], x = at & 7, y = at >> 3;
    const BdctLevel *sub = levels + (((y << log2_size) + x) << 2);
    const int neighbours = (right >> at & 1) | (below >> at & 1) << 1;
    const int pattern = log2_size == 2 ? PATTERN_4X4 : neighbours;
    const int sig = sig_base + (log2_size == 2 ? 0
        : chroma ? (log2_size == 3 ? 9 : 12)
        : (log2_size == 3 ? 9 : 21) + (i == 0 ? 0 : 3));
    const bool has = coded >> at & 1;
    const uint8_t *in_group;
    uint32_t both = 0, above = 0, some, grouped;
    int n = 16, place, first, set;

    if (!last && i > 0)
      put (w, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (neighbours != 0), has, 1);
    if (!has && i > 0)
      continue;
    if (has) {
      const uint64_t row[4] = { load_row (sub),
        load_row (sub + (1 << log2_size)), load_row (sub + (2 << log2_size)),
        load_row (sub + (3 << log2_size))
      };

      both = gather (find_nonzero (row[0]), find_nonzero (row[1]),
          find_nonzero (row[2]), find_nonzero (row[3]));
      above = gather (find_greater (row[0]), find_greater (row[1]),
          find_greater (row[2]), find_greater (row[3]));
    }
    some = both & 0xffff;
    /* Places 0 to n - 1 have a bin, except place 0 if its level is inferred. */
    first = i == 0 || some >> 1 != 0;
    if (last) {
      n = bdct_cabac_log2 (some);
      place = BDCT_CABAC_SCAN >> 4 * n & 15;
      put_last (w, chroma ? BDCT_CABAC_CHROMA_LAST_X
          : BDCT_CABAC_LUMA_LAST_X, log2_size, chroma,
          4 * x + (place & 3));
      put_last (w, chroma ? BDCT_CABAC_CHROMA_LAST_Y
          : BDCT_CABAC_LUMA_LAST_Y, log2_size, chroma,
          4 * y + (place >> 2));
      last = false;
      first = n > 0;
    }
    grouped = some & ((1u << n) - 1);
    grouped = tables.group[pattern][0][grouped & 255]
        | tables.group[pattern][1][grouped >> 8];
    in_group = tables.in_group[pattern][n];
    for (int k = log2_size == 2 ? 8 : 2; k >= 0; k--) {
      const int full = tables.in_group[pattern][16][k];

      put (w, sig + k, grouped & ((1u << full) - 1), in_group[k]);
      grouped >>= full;
    }
    if (first)
      put (w, i == 0 ? sig_base : sig + (int) (patterns[pattern] & 15),
          some & 1, 1);
    if (!has) {
      greater = false;
      continue;
    }
    set = (chroma || i == 0 ? 0 : 2) + greater;
    greater = put_magnitudes (w, sub, raster, both >> 16, above >> 16,
        greater1_base + 4 * set, greater2_base + set);
  }
}

static inline __attribute__ ((always_inline)) void
put_blocks (Writer * w, const BdctLevel * levels, int n_blocks, int log2_size,
    bool chroma)
{
  for (int i = 0; i < n_blocks; i++)
    put_block (w, levels + ((size_t) i << 2 * log2_size), log2_size,
        chroma);
}

/* The contexts of a component. */
static int
first_context (bool chroma)
{
  return chroma ? BDCT_CABAC_CHROMA : BDCT_CABAC_LUMA;
}

static int
end_context (bool chroma)
{
  return chroma ? BDCT_CABAC_CONTEXTS : BDCT_CABAC_CHROMA;
}

void
bdct_cabac_bins_open (BdctCabacBinsWriter * w, uint64_t * run, bool chroma,
    uint32_t counter[BDCT_RATE_COUNTERS])
{
  w->run = run;
  w->word = run + 1;
  w->counter = counter;
  w->chroma = chroma;
  w->bypass = 0;
  for (int k = first_context (chroma); k < end_context (chroma); k++)
    w->open[k] = 1;
}

void
bdct_cabac_bins_blocks (BdctCabacBinsWriter * w, const BdctLevel * levels,
    int n_blocks, int log2_size)
{
  switch (2 * log2_size + w->chroma) {
    case 2 * 2:
      put_blocks (w, levels, n_blocks, 2, false);
      break;
    case 2 * 2 + 1:
      put_blocks (w, levels, n_blocks, 2, true);
      break;
    case 2 * 3:
      put_blocks (w, levels, n_blocks, 3, false);
      break;
    case 2 * 3 + 1:
      put_blocks (w, levels, n_blocks, 3, true);
      break;
    default:
      put_blocks (w, levels, n_blocks, log2_size, w->chroma);
      break;
  }
}

void
bdct_cabac_bins_flag (BdctCabacBinsWriter * w, int context, bool bin)
{
  put (w, context, bin, 1);
}

void
bdct_cabac_bins_close (BdctCabacBinsWriter * w)
{
  for (int k = first_context (w->chroma); k < end_context (w->chroma); k++)
    if (w->open[k] != 1)
      close_word (w, k);
  w->counter[BDCT_RATE_BYPASS] += w->bypass;
  w->run[0] = w->word - w->run - 1;
}

void
bdct_cabac_bins_write (uint64_t * run, const BdctLevel * levels, int n_blocks,
    int log2_size, bool chroma, uint32_t counter[BDCT_RATE_COUNTERS])
{
  BdctCabacBinsWriter w;

  bdct_cabac_bins_open (&w, run, chroma, counter);
  bdct_cabac_bins_blocks (&w, levels, n_blocks, log2_size);
  bdct_cabac_bins_close (&w);
}

void
bdct_cabac_bins_start (const BdctRateCounts * counts, bool chroma,
    BdctCabacBinsState state[BDCT_CABAC_CONTEXTS])
{
  for (int k = first_context (chroma); k < end_context (chroma); k++)
    state[k] = bdct_cabac_start (counts, k) << 5;
}

uint64_t
bdct_cabac_bins_adapt (const uint64_t * run,
    BdctCabacBinsState first[BDCT_CABAC_CONTEXTS],
    BdctCabacBinsState second[BDCT_CABAC_CONTEXTS])
{
  uint64_t cost = 0;

  for (const uint64_t *word = run + 1; word <= run + run[0]; word++) {
    const int context = *word >> 56;
    const uint64_t bins = *word & ((UINT64_C (1) << 56) - 1);
    /* The first step takes the 1 and as many bins as make the rest a
     * multiple of STEP. */
    int shift = (63 - __builtin_clzll (bins)) / STEP * STEP;
    uint32_t a = tables.step[first[context] | bins >> shift];
    uint32_t b = tables.step[second[context] | bins >> shift];

    cost += a >> 12;
    while (shift > 0) {
      uint32_t some;

      shift -= STEP;
      some = (bins >> shift & ((1 << STEP) - 1)) | 1 << STEP;
      a = tables.step[(a & 0xfff) | some];
      b = tables.step[(b & 0xfff) | some];
      cost += a >> 12;
    }
    first[context] = a & 0xfff;
    second[context] = b & 0xfff;
  }
  return cost;
}
