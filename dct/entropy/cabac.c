/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A 4x4 sub-block's bins are counted a context at a time, from masks of its
 * levels in the order of the scan: bit i for place i. */
#include "cabac.h"

#include <math.h>
#include <string.h>
#include "dct/base/min.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
  /* For a byte of a mask, bit 4 y + x: the mask in the order of the scan and,
   * in the upper half, in the reverse order. */
  uint32_t scan[2][256];
  /* Places 1 to 15 of each sigCtx, 16 bits each */
  uint64_t places[N_PATTERNS][3];
  /* The index of place 15 - i, in rows of 1 << log2_size, and 0. */
  uint8_t raster[6][17];
  uint8_t diagonal[6][64];      /* sub-blocks in the scan: 8 y + x */
  /* The bins of a prefix of the last position, by context: ones, all. */
  uint8_t last[6][2][10][LAST_CONTEXTS][2];
  /* remaining() of a small magnitude less 1, 2 or 3; 0 if there is no
   * remainder. */
  uint8_t remaining[3][5][SMALL];
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

    for (int bits = 0; bits < 256; bits++)
      if (bits >> (place & 7) & 1)
        tables.scan[place >> 3][bits] |= 1u << i | 1u << (31 - i);
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

void
bdct_cabac_count_init (void)
{
  fill_scans ();
  for (int n = 2; n <= 5; n++) {
    fill_last (n, false);
    fill_last (n, true);
  }
  for (int i = 0; i < 3 * 5 * SMALL; i++) {
    const int rest = i % SMALL - 1 - i / (5 * SMALL);

    if (rest >= 0)
      tables.remaining[i / (5 * SMALL)][i / SMALL % 5][i % SMALL]
          = remaining (rest, i / SMALL % 5);
  }
}

/* Where bins go: to counts, or to a cost. */
typedef struct {
  bool price;
  uint32_t *counts;
  const BdctCabacPrices *prices;
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
  s->cost += n * s->prices->costs.bin[context][0]
      + ones * (s->prices->costs.bin[context][1]
      - s->prices->costs.bin[context][0]);
}

INLINE uint32_t
cost_of (const Sink * s)
{
  return s->cost + (s->bypass << BDCT_CABAC_COST_BITS);
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

/* The masks of a sub-block's levels that are not 0, and of those above 1, in
 * the order of the scan and, in the upper half, in the reverse order. */
INLINE void
find_masks (uint32_t * some, uint32_t * above, const BdctLevel * sub,
    int log2_size)
{
  uint32_t zeros = 0, ones = 0; /* levels of 0; of 1 or 0 */

#ifdef __SSE2__
#define ROW(y) _mm_loadl_epi64 ((const __m128i *) (sub + ((y) << log2_size)))
  const __m128i v = _mm_packs_epi16 (_mm_unpacklo_epi64 (ROW (0), ROW (1)),
      _mm_unpacklo_epi64 (ROW (2), ROW (3)));
  const __m128i above_1 = _mm_subs_epu8 (_mm_add_epi8 (v, _mm_set1_epi8 (1)),
      _mm_set1_epi8 (2));

  zeros = _mm_movemask_epi8 (_mm_cmpeq_epi8 (v, _mm_setzero_si128 ()));
  ones = _mm_movemask_epi8 (_mm_cmpeq_epi8 (above_1, _mm_setzero_si128 ()));
#else
  for (int i = 0; i < 16; i++) {
    const int level = sub[(i >> 2 << log2_size) + (i & 3)];

    zeros |= (uint32_t) (level == 0) << i;
    ones |= (uint32_t) (level >= -1 && level <= 1) << i;
  }
#endif
  *some = ~(tables.scan[0][zeros & 255] | tables.scan[1][zeros >> 8]);
  *above = ~(tables.scan[0][ones & 255] | tables.scan[1][ones >> 8]);
}

/* The last position along x (axis 0) or y: a prefix, and a suffix (7.4.9.11),
 * which is bypassed. */
INLINE void
put_last (Sink * s, int log2_size, bool chroma, int axis, int position)
{
  const int base[2][2] = { {BDCT_CABAC_LUMA_LAST_X, BDCT_CABAC_LUMA_LAST_Y},
    {BDCT_CABAC_CHROMA_LAST_X, BDCT_CABAC_CHROMA_LAST_Y}
  };
  const int offset = chroma ? 0 : 3 * (log2_size - 2) + ((log2_size - 1) >> 2);
  const int n = ((2 * log2_size - 2) >> last_shift (log2_size, chroma)) + 1;
  const int log2 = position < 4 ? 0 : log2_of (position);
  const int prefix = position < 4 ? position
      : 2 * log2 + (position >> (log2 - 1) & 1);
  const uint8_t (*last)[2] = tables.last[log2_size][chroma][prefix];

  for (int i = 0; i < n; i++)
    put (s, base[chroma][axis] + offset + i, last[i][1], last[i][0]);
  if (log2 > 0)
    s->bypass += log2 - 1;
}

/* The context of significance to which a pattern's sigCtx is added. */
INLINE int
sig_context (int log2_size, bool chroma, bool dc)
{
  return log2_size == 2 ? (chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG)
      : chroma ? BDCT_CABAC_CHROMA_SIG + (log2_size == 3 ? 9 : 12)
      : BDCT_CABAC_LUMA_SIG + (log2_size == 3 ? 9 : 21) + (dc ? 0 : 3);
}

/* The context of the flag of a sub-block's place 0. */
INLINE int
first_context (int log2_size, bool chroma, bool dc, int pattern)
{
  return dc ? (chroma ? BDCT_CABAC_CHROMA_SIG : BDCT_CABAC_LUMA_SIG)
      : sig_context (log2_size, chroma, dc) + (int) (patterns[pattern] & 15);
}

/* The significance flags of a sub-block's places before n, but for that of
 * place 0 where the others imply it. `dc`: it is the first sub-block. */
INLINE void
put_significance (Sink * s, int log2_size, bool chroma, bool dc, int pattern,
    int n, uint32_t some)
{
  const uint32_t there = (1u << n) - 1;
  const int sig = sig_context (log2_size, chroma, dc);
  const int first = first_context (log2_size, chroma, dc, pattern);
  const int n_contexts = log2_size == 2 ? 9 : 3;
  const bool implied = !dc && n == 16 && some == 1;

  some &= there;
  if (s->price) {
    const BdctCabacFlags *flags =
        &s->prices->flags[log2_size - 2][chroma][dc][pattern % 4];

    s->cost += flags->zeros[n] + flags->some[0][some & 15]
        + flags->some[1][some >> 4 & 15] + flags->some[2][some >> 8 & 15]
        + flags->some[3][some >> 12];
    if (implied)
      s->cost -= s->prices->costs.bin[first][1];
    return;
  }
  for (int k = 0; n > 1 && k < n_contexts; k += 4) {
    const uint64_t its = tables.places[pattern][k / 4];
    const uint64_t all = count_ones (its & EACH (there));
    const uint64_t ones = count_ones (its & EACH (some));

    for (int j = 0; j < 4 && k + j < n_contexts; j++)
      put (s, sig + k + j, all >> 16 * j & 255, ones >> 16 * j & 255);
  }
  if (n > 0 && !implied)
    put (s, first, 1, some & 1);
}

INLINE int
magnitude_of (int level)
{
  return level < 0 ? -level : level;
}

/* The bins of a magnitude's remainder: of 1 + `above` and more. */
INLINE uint32_t
count_remainder (int magnitude, int above, int rice)
{
  return __builtin_expect (magnitude < SMALL, 1)
      ? tables.remaining[above][rice][magnitude]
      : remaining (magnitude - 1 - above, rice);
}

/* The flags of levels before and of the first level above 1: one context for
 * the first flag, one for the second and one for the others. `kind`: 0 without
 * such a level, 1 if it is 2, 2 if it is above. */
INLINE void
put_flags (Sink * s, bool chroma, int set, int n_before, int kind)
{
  const int greater1 = (chroma ? BDCT_CABAC_CHROMA_GREATER1
      : BDCT_CABAC_LUMA_GREATER1) + 4 * set;
  const int n = n_before + (kind > 0);

  put (s, greater1 + 1, 1, n == 1 && kind > 0);
  put (s, greater1 + 2, n > 1, n == 2 && kind > 0);
  put (s, greater1 + 3, n > 2 ? n - 2 : 0, n > 2 && kind > 0);
  put (s, (chroma ? BDCT_CABAC_CHROMA_GREATER2 : BDCT_CABAC_LUMA_GREATER2)
      + set, kind > 0, kind > 1);
}

/* The remainders of levels, the first `with_flag` of which have a flag for
 * whether they are above 1. Returns how many of these are. */
INLINE int
put_remainders (Sink * s, const BdctLevel * sub, const uint8_t * raster,
    uint32_t levels, int with_flag, int rice)
{
  int ones = 0;

  for (int i = 0; levels != 0; i++, levels &= levels - 1) {
    const int magnitude = magnitude_of (sub[raster[__builtin_ctz (levels)]]);
    const bool flag = i < with_flag;

    ones += flag && magnitude > 1;
    s->bypass += count_remainder (magnitude, flag, rice);
    rice += rice < 4 && magnitude > 3 << rice;
  }
  return ones;
}

/* The flags of levels above 1 and 2, the signs and the remainders. The masks
 * are of levels that are not 0, at least one, and of levels above 1, with the
 * first coded level lowest. Returns whether a level with a flag is above 1. */
INLINE bool
put_magnitudes (Sink * s, const BdctLevel * sub, const uint8_t * raster,
    uint32_t some, uint32_t above, bool chroma, int set)
{
  const uint32_t first = above & -above;
  const uint64_t count = count_ones (some
      | (uint64_t) (some & (first - 1)) << 16);
  const int n = count & 0xffff;
  const int n_before = bdct_min ((int) (count >> 16), 8);
  const bool greater = above != 0 && n_before < 8;
  const int with_flag = bdct_min (n, 8) - n_before - greater;
  /* Of the first level above 1, without branches, which would be guessed
   * wrongly; 0 if its flag is missing */
  const int magnitude = magnitude_of (sub[raster[__builtin_ctz (above
                  | 1u << 16)]]) & -(int) greater;
  const int kind = (magnitude > 1) + (magnitude > 2);
  int ones;

  s->bypass += n + count_remainder (magnitude, 2, 0);
  if (s->price)
    s->cost += s->prices->magnitudes[chroma][set][n_before][kind];
  else
    put_flags (s, chroma, set, n_before, kind);
  /* Levels of 1 with a flag have no remainder. */
  if (n <= 8)
    ones = put_remainders (s, sub, raster, above & (above - 1), 16,
        magnitude > 3);
  else
    ones = put_remainders (s, sub, raster, greater ? some & -first << 1 : some,
        greater ? with_flag : 8, magnitude > 3);
  put (s, (chroma ? BDCT_CABAC_CHROMA_GREATER1 : BDCT_CABAC_LUMA_GREATER1)
      + 4 * set, with_flag, ones);
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
    const bool has = coded >> at & 1;
    uint32_t both = 0, above = 0, some;
    int set, n = 16;

    if (!s->price)
      s->counts = runs[(last_sub_block - i) >> 4];
    if (!last && i > 0)
      put (s, (chroma ? BDCT_CABAC_CHROMA_SUB_BLOCK
              : BDCT_CABAC_LUMA_SUB_BLOCK) + (neighbours != 0), 1, has);
    if (!has && i > 0)
      continue;
    if (has)
      find_masks (&both, &above, sub, log2_size);
    some = both & 0xffff;
    if (last) {
      int place;

      n = log2_of (some);
      place = BDCT_CABAC_SCAN >> 4 * n & 15;
      for (int axis = 0; axis < 2; axis++) {
        const int position = axis == 0 ? 4 * x + (place & 3)
            : 4 * y + (place >> 2);

        if (s->price)
          s->cost += s->prices->last[log2_size - 2][chroma][axis][position];
        else
          put_last (s, log2_size, chroma, axis, position);
      }
      last = false;
    }
    put_significance (s, log2_size, chroma, i == 0, pattern, n, some);
    set = (chroma || i == 0 ? 0 : 2) + greater;
    greater = has && put_magnitudes (s, sub, raster, both >> 16, above >> 16,
        chroma, set);
    if (!s->price) {
      s->counts[BDCT_CABAC_BYPASS] += s->bypass;
      s->bypass = 0;
    }
  }
}

/* Compiled for constant sizes */
typedef uint32_t Block (const BdctCabacPrices * prices, BdctCabacCounts * runs,
    const BdctLevel * levels);
#define BLOCK(price, n, chroma)                                               \
  static uint32_t                                                             \
  block_##price##_##n##_##chroma (const BdctCabacPrices *prices,              \
      BdctCabacCounts *runs, const BdctLevel *levels)                         \
  {                                                                           \
    Sink s = { price, NULL, prices, 0, 0 };                                   \
                                                                              \
    put_block (&s, runs, levels, n, chroma);                                  \
    return cost_of (&s);                                                      \
  }
#define BLOCKS(n)                                                             \
  BLOCK (0, n, 0) BLOCK (0, n, 1) BLOCK (1, n, 0) BLOCK (1, n, 1)
BLOCKS (2) BLOCKS (3) BLOCKS (4) BLOCKS (5)
#define ENTRY(n)                                                              \
  { {block_0_##n##_0, block_0_##n##_1}, {block_1_##n##_0, block_1_##n##_1} }
static Block *const blocks[4][2][2] = {
  ENTRY (2), ENTRY (3), ENTRY (4), ENTRY (5)
};

void
bdct_cabac_count (BdctCabacCounts * runs, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  blocks[log2_size - 2][0][chroma] (NULL, runs, levels);
}

uint32_t
bdct_cabac_block_cost (const BdctCabacPrices * prices, const BdctLevel * levels,
    int log2_size, bool chroma)
{
  return blocks[log2_size - 2][1][chroma] (prices, NULL, levels);
}

/* Set the prices of the flags that put_significance() puts. */
static void
fill_flags (BdctCabacFlags * flags, const BdctCabacCosts * costs,
    int log2_size, bool chroma, bool dc, int pattern)
{
  memset (flags, 0, sizeof *flags);
  for (int i = 0; i < 16; i++) {
    const uint32_t *bin = costs->bin[i == 0
        ? first_context (log2_size, chroma, dc, pattern)
        : sig_context (log2_size, chroma, dc)
        + (int) (patterns[pattern] >> 4 * i & 15)];

    flags->zeros[i + 1] = flags->zeros[i] + bin[0];
    for (int bits = 0; bits < 16; bits++)
      if (bits >> i % 4 & 1)
        flags->some[i / 4][bits] += bin[1] - bin[0];
  }
}

void
bdct_cabac_prices_init (BdctCabacPrices * prices, int slice_qp)
{
  bdct_cabac_costs (&prices->costs, slice_qp);
  for (int i = 0; i < 2 * 4 * 9 * 3; i++) {
    const int chroma = i / (4 * 9 * 3), set = i / (9 * 3) % 4;
    Sink s = {.price = true,.prices = prices };

    if (chroma && set > 1)
      continue;
    put_flags (&s, chroma, set, i / 3 % 9, i % 3);
    prices->magnitudes[chroma][set][i / 3 % 9][i % 3] = s.cost;
  }
  for (int n = 2; n <= 5; n++)
    for (int chroma = 0; chroma < 2; chroma++) {
      for (int i = 0; i < 8; i++)
        fill_flags (&prices->flags[n - 2][chroma][i / 4][i % 4], &prices->costs,
            n, chroma, i / 4, n == 2 ? PATTERN_4X4 : i % 4);
      for (int i = 0; i < 2 << n; i++) {
        Sink s = {.price = true,.prices = prices };

        put_last (&s, n, chroma, i % 2, i / 2);
        prices->last[n - 2][chroma][i % 2][i / 2] = cost_of (&s);
      }
    }
}
