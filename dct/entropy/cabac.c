/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A 4x4 sub-block's bins are counted a context at a time, from masks of its
 * levels in the order of the scan: bit i for place i. */
#include "cabac.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* initValue of each context (H.265 Tables 9-5 to 9-37, initType 0). The coded
 * block flags have the value of a tree's second level. */
static const uint8_t init_value[BDCT_CABAC_CONTEXTS] = {
  [BDCT_CABAC_LUMA_CBF] = 111,
  [BDCT_CABAC_LUMA_LAST_X] = 110, 110, 124, 125, 140, 153, 125, 127, 140, 109,
  111, 143, 127, 111, 79,
  [BDCT_CABAC_LUMA_LAST_Y] = 110, 110, 124, 125, 140, 153, 125, 127, 140, 109,
  111, 143, 127, 111, 79,
  [BDCT_CABAC_LUMA_SUB_BLOCK] = 91, 171,
  [BDCT_CABAC_LUMA_SIG] = 111, 111, 125, 110, 110, 94, 124, 108, 124, 107, 125,
  141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153,
  125,
  [BDCT_CABAC_LUMA_GREATER1] = 140, 92, 137, 138, 140, 152, 138, 139, 153, 74,
  149, 92, 139, 107, 122, 152,
  [BDCT_CABAC_LUMA_GREATER2] = 138, 153, 136, 167,
  [BDCT_CABAC_LUMA_SPLIT] = 153, 138, 138,
  [BDCT_CABAC_CHROMA_CBF] = 138,
  [BDCT_CABAC_CHROMA_LAST_X] = 108, 123, 63,
  [BDCT_CABAC_CHROMA_LAST_Y] = 108, 123, 63,
  [BDCT_CABAC_CHROMA_SUB_BLOCK] = 134, 141,
  [BDCT_CABAC_CHROMA_SIG] = 140, 139, 182, 182, 152, 136, 152, 136, 153, 136,
  139, 111, 136, 139, 111,
  [BDCT_CABAC_CHROMA_GREATER1] = 140, 179, 166, 182, 140, 227, 122, 197,
  [BDCT_CABAC_CHROMA_GREATER2] = 152, 152,
};

/* A state stands for 0.5 (0.01875 / 0.5)^(pStateIdx / 63) of the less probable
 * bin. */
double
bdct_cabac_first (int context, int slice_qp)
{
  const int value = init_value[context];
  const int slope = (value >> 4) * 5 - 45, offset = ((value & 15) << 3) - 16;
  int state = ((slope * slice_qp) >> 4) + offset;
  double less;

  state = state < 1 ? 1 : state > 126 ? 126 : state;
  less = 0.5 * pow (0.0375, (state <= 63 ? 63 - state : state - 64) / 63.0);
  return state <= 63 ? less : 1 - less;
}

void
bdct_cabac_costs (BdctCabacCosts * costs, int slice_qp)
{
  for (int k = 0; k < BDCT_CABAC_CONTEXTS; k++) {
    const double one = bdct_cabac_first (k, slice_qp);

    costs->bin[k][0] = (uint32_t) lround (-32768 * log2 (1 - one));
    costs->bin[k][1] = (uint32_t) lround (-32768 * log2 (one));
  }
}

/* The maximum number of contexts of a prefix of the last position. */
#define LAST_CONTEXTS 5

/* Smaller magnitudes are looked up in a table. */
#define SMALL 64

/* Patterns of sigCtx: 0 to 3 are by the neighbours, right + 2 * below. */
enum { PATTERN_4X4 = 4, N_PATTERNS };

static const uint64_t patterns[N_PATTERNS] = {
  BDCT_CABAC_SIG_NONE, BDCT_CABAC_SIG_RIGHT, BDCT_CABAC_SIG_BELOW,
  BDCT_CABAC_SIG_BOTH, BDCT_CABAC_SIG_4X4
};

static struct
{
  /* For a byte of a mask by columns, bit 4 x + y: the mask in the order of
   * the scan and, in the upper half, in the reverse order. */
  uint32_t scan[2][256];
  /* Places 1 to 15 of each sigCtx, 16 bits each */
  uint64_t places[N_PATTERNS][3];
  /* The index of place 15 - i, in rows of 1 << log2_size. */
  uint8_t raster[6][16];
  uint8_t diagonal[6][64];      /* sub-blocks in the scan: 8 y + x */
  /* The bins of a prefix of the last position, by context: ones, all. */
  uint8_t last[6][2][10][LAST_CONTEXTS][2];
  /* remaining() of a small magnitude less 1, or less 2; 0 if there is no
   * remainder. */
  uint8_t remaining[2][5][SMALL];
} tables;

/* floor (log2 (v)) of v > 0. */
static int
log2_of (uint32_t v)
{
  return 31 - __builtin_clz (v);
}

/* The number of bins of coeff_abs_level_remaining (clause 9.3.3.11), all
 * bypassed. */
static int
remaining (int value, int rice)
{
  return value < 4 << rice ? (value >> rice) + 1 + rice
      : 4 + 2 * log2_of (value - (2 << rice)) - rice;
}

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
    for (int p = 0; p < N_PATTERNS && i > 0; p++) {
      const int sig = patterns[p] >> 4 * i & 15;

      tables.places[p][sig / 4] |= UINT64_C (1) << (i + 16 * (sig & 3));
    }
  }
  for (int n = 2; n <= 5; n++)
    for (int d = 0, i = 0, side = 1 << (n - 2); d < 2 * side - 1; d++)
      for (int x = 0; x <= d; x++)
        if (x < side && d - x < side)
          tables.diagonal[n][i++] = 8 * (d - x) + x;
}

/* How the bins of last_sig_coeff_x_prefix and y_prefix (truncated unary, clause
 * 9.3.3.2) have contexts (9.3.4.2.3, without luma's offset). */
static int
last_shift (int log2_size, bool chroma)
{
  return chroma ? log2_size - 2 : (log2_size + 1) >> 2;
}

static void
fill_last (int log2_size, bool chroma)
{
  const int longest = 2 * log2_size - 1;

  for (int prefix = 0; prefix <= longest; prefix++)
    for (int i = 0; i <= prefix && i < longest; i++) {
      uint8_t *some = tables.last[log2_size][chroma][prefix]
          [i >> last_shift (log2_size, chroma)];

      some[0] += i < prefix;
      some[1]++;
    }
}

static void
fill_tables (void)
{
  fill_scans ();
  for (int n = 2; n <= 5; n++) {
    fill_last (n, false);
    fill_last (n, true);
  }
  for (int i = 0; i < 2 * 5 * SMALL; i++) {
    const int rest = i % SMALL - 1 - i / (5 * SMALL);

    if (rest >= 0)
      tables.remaining[i / (5 * SMALL)][i / SMALL % 5][i % SMALL]
          = remaining (rest, i / SMALL % 5);
  }
  bdct_cabac_price_init ();
}

void
bdct_cabac_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_tables);
}

/* Where bins go: to counts, or to a cost. */
typedef struct {
  bool price;
  uint32_t *counts;
  const BdctCabacCosts *costs;
  uint32_t cost, bypass;
} Sink;

#define INLINE static inline __attribute__ ((always_inline))

/* n bins, of which some are 1. */
INLINE void
put (Sink * s, int context, int n, int ones)
{
  if (!s->price) {
    s->counts[context] += (uint32_t) n + 0xffff * (uint32_t) ones;
    return;
  }
  s->cost += n * s->costs->bin[context][0]
      + ones * (s->costs->bin[context][1] - s->costs->bin[context][0]);
}

/* The four levels of a sub-block's row. */
INLINE uint64_t
load_row (const BdctLevel * levels)
{
  uint64_t row;

  memcpy (&row, levels, sizeof row);
  return row;
}

/* The sub-blocks that have a level other than 0, as bits 8 y + x. */
INLINE uint64_t
find_coded (const BdctLevel * levels, int log2_size)
{
  const int side = 1 << (log2_size - 2);
  uint64_t coded = 0;

  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const BdctLevel *at = levels + (((y << log2_size) + x) << 2);
      uint64_t any = 0;

      for (int i = 0; i < 4; i++)
        any |= load_row (at + (i << log2_size));
      coded |= (uint64_t) (any != 0) << (8 * y + x);
    }
  return coded;
}

#define EACH(v) (UINT64_C (0x0001000100010001) * (v))

/* The ones of each 16 bits. */
INLINE uint64_t
count_ones (uint64_t v)
{
  v -= v >> 1 & EACH (0x5555);
  v = (v & EACH (0x3333)) + (v >> 2 & EACH (0x3333));
  v = (v + (v >> 4)) & EACH (0x0f0f);
  return (v + (v >> 8)) & EACH (0x00ff);
}

/* Set the highest bit of each level that is not 0. */
INLINE uint64_t
find_nonzero (uint64_t row)
{
  return (((row & EACH (0x7fff)) + EACH (0x7fff)) | row) & EACH (0x8000);
}

/* Set the highest bit of each level whose magnitude is above 1. */
INLINE uint64_t
find_greater (uint64_t row)
{
  const uint64_t negative = (row >> 15 & EACH (1)) * 0xffff;

  return (((row ^ negative) & (negative | EACH (0xfffe))) + EACH (0x7fff))
      & EACH (0x8000);
}

/* From the highest bits of the rows, make the mask in the order of the scan
 * and, in the upper half, in the reverse order. */
INLINE uint32_t
gather (const uint64_t row[4])
{
  const uint64_t columns = (row[0] >> 15 | row[1] >> 14 | row[2] >> 13
      | row[3] >> 12) * UINT64_C (0x0001001001001000) >> 48;

  return tables.scan[0][columns & 255] | tables.scan[1][columns >> 8];
}

/* One of the last position's prefixes; its suffix (7.4.9.11) is bypassed. */
INLINE void
put_last (Sink * s, int base, int log2_size, bool chroma, int position)
{
  const int offset = chroma ? 0 : 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
  const int n = ((2 * log2_size - 2) >> last_shift (log2_size, chroma)) + 1;
  const int log2 = position < 4 ? 0 : log2_of (position);
  const int prefix = position < 4 ? position
      : 2 * log2 + (position >> (log2 - 1) & 1);
  const uint8_t (*last)[2] = tables.last[log2_size][chroma][prefix];

  for (int i = 0; i < n; i++)
    put (s, base + offset + i, last[i][1], last[i][0]);
  if (log2 > 0)
    s->bypass += log2 - 1;
}

INLINE int
magnitude_of (int level)
{
  return level < 0 ? -level : level;
}

/* The flags of levels above 1 and 2, the signs and the remainders. The masks
 * are of levels that are not 0, at least one, and of levels above 1, with the
 * first coded level lowest. Returns whether a level with a flag is above 1. */
INLINE bool
put_magnitudes (Sink * s, const BdctLevel * sub, const uint8_t * raster,
    uint32_t some, uint32_t above, int greater1, int greater2)
{
  const uint32_t first = above & -above;
  const uint64_t count = count_ones (some
      | (uint64_t) (some & (first - 1)) << 16);
  const int n = count & 0xffff, with_flag = n < 8 ? n : 8;
  const int n_before = count >> 16;
  const bool greater = above != 0 && n_before < with_flag;
  /* The flags up to that of the first level above 1: one context for the
   * first flag, one for the second and one for the others. Flags after it
   * have one context. */
  const int flags = greater ? n_before + 1 : with_flag;
  int left = n, left_with_flag = with_flag, rice = 0, limit = 3, ones = 0;

  s->bypass += n;
  put (s, greater1 + 1, 1, greater && flags == 1);
  put (s, greater1 + 2, flags > 1, greater && flags == 2);
  put (s, greater1 + 3, flags > 2 ? flags - 2 : 0, greater && flags > 2);
  if (greater) {
    const int magnitude = magnitude_of (sub[raster[__builtin_ctz (first)]]);

    put (s, greater2, 1, magnitude > 2);
    if (magnitude > 2)
      s->bypass += remaining (magnitude - 3, 0);
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
    const bool flag = i > left - left_with_flag;
    const int next = limit < 24 ? 2 * limit : INT32_MAX;

    ones += flag && magnitude > 1;
    if (__builtin_expect (magnitude < SMALL, 1))
      s->bypass += tables.remaining[flag][rice][magnitude];
    else
      s->bypass += remaining (magnitude - 1 - flag, rice);
    rice += magnitude > limit;
    limit = magnitude > limit ? next : limit;
  }
  if (greater)
    put (s, greater1, left_with_flag, ones);
  return greater;
}

/* A block's bins. Each run of its sub-blocks, 16 in coding order, has a sink's
 * counts of its own. */
INLINE void
put_block (Sink * s, BdctCabacCounts * runs, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  const int last_sub_block = (1 << 2 * (log2_size - 2)) - 1;
  const uint8_t *diagonal = tables.diagonal[log2_size];
  const uint8_t *raster = tables.raster[log2_size];
  const uint64_t coded = find_coded (levels, log2_size);
  const uint64_t right = coded >> 1 & UINT64_C (0x7f7f7f7f7f7f7f7f);
  const uint64_t below = coded >> 8;
  const int sig_base = chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG;
  const int greater1_base = chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1;
  const int greater2_base = chroma ? BDCT_CABAC_CHROMA_GREATER2
      : BDCT_CABAC_LUMA_GREATER2;
  bool last = true, greater = false;
  int i = last_sub_block;

  if (!s->price)
    s->counts = runs[last_sub_block >> 4];
  put (s, chroma ? BDCT_CABAC_CHROMA_CBF : BDCT_CABAC_LUMA_CBF, 1, coded != 0);
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
    uint32_t both = 0, above = 0, some, there = 0xffff;
    int set;
    bool first;

    if (!s->price)
      s->counts = runs[(last_sub_block - i) >> 4];
    if (!last && i > 0)
      put (s, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (neighbours != 0), 1, has);
    if (!has && i > 0)
      continue;
    if (has) {
      const uint64_t row[4] = { load_row (sub),
        load_row (sub + (1 << log2_size)), load_row (sub + (2 << log2_size)),
        load_row (sub + (3 << log2_size))
      };
      const uint64_t nonzero[4] = { find_nonzero (row[0]),
        find_nonzero (row[1]), find_nonzero (row[2]), find_nonzero (row[3])
      };
      const uint64_t large[4] = { find_greater (row[0]), find_greater (row[1]),
        find_greater (row[2]), find_greater (row[3])
      };

      both = gather (nonzero);
      above = gather (large);
    }
    some = both & 0xffff;
    /* Place 0 has a flag of its own, unless its level is inferred. */
    first = i == 0 || some >> 1 != 0;
    if (last) {
      const int n = log2_of (some), place = BDCT_CABAC_SCAN >> 4 * n & 15;

      put_last (s, chroma ? BDCT_CABAC_CHROMA_LAST_X : BDCT_CABAC_LUMA_LAST_X,
          log2_size, chroma, 4 * x + (place & 3));
      put_last (s, chroma ? BDCT_CABAC_CHROMA_LAST_Y : BDCT_CABAC_LUMA_LAST_Y,
          log2_size, chroma, 4 * y + (place >> 2));
      last = false;
      there = (1u << n) - 1;
      first = n > 0;
    }
    for (int k = 0; k < (log2_size == 2 ? 9 : 3); k += 4) {
      const uint64_t its = tables.places[pattern][k / 4] & EACH (there);
      const uint64_t n = count_ones (its), ones = count_ones (its
          & EACH (some));

      for (int j = 0; j < 4 && k + j < (log2_size == 2 ? 9 : 3); j++)
        put (s, sig + k + j, n >> 16 * j & 255, ones >> 16 * j & 255);
    }
    if (first)
      put (s, i == 0 ? sig_base : sig + (int) (patterns[pattern] & 15), 1,
          some & 1);
    set = (chroma || i == 0 ? 0 : 2) + greater;
    greater = has && put_magnitudes (s, sub, raster, both >> 16, above >> 16,
        greater1_base + 4 * set, greater2_base + set);
    if (!s->price) {
      s->counts[BDCT_CABAC_BYPASS] += s->bypass;
      s->bypass = 0;
    }
  }
}

INLINE void
put_any (Sink * s, BdctCabacCounts * runs, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  switch (2 * log2_size + chroma) {
    case 2 * 2:
      put_block (s, runs, levels, 2, false);
      break;
    case 2 * 2 + 1:
      put_block (s, runs, levels, 2, true);
      break;
    case 2 * 3:
      put_block (s, runs, levels, 3, false);
      break;
    case 2 * 3 + 1:
      put_block (s, runs, levels, 3, true);
      break;
    default:
      put_block (s, runs, levels, log2_size, chroma);
      break;
  }
}

void
bdct_cabac_count (BdctCabacCounts * runs, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  Sink s = {.price = false };

  put_any (&s, runs, levels, log2_size, chroma);
}

uint32_t
bdct_cabac_block_cost (const BdctCabacCosts * costs, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  Sink s = {.price = true,.costs = costs };

  put_any (&s, NULL, levels, log2_size, chroma);
  return s.cost + (s.bypass << BDCT_CABAC_COST_BITS);
}
