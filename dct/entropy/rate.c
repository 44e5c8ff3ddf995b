/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rate.h"

#include <string.h>
#include "cabac-price.h"
#include "huffman-symbols.h"
#include "huffman.h"

/* The symbols that share a table: the frequency of each, including those of
 * missing blocks, and a list of the symbols that occur, which are few. */
typedef struct {
  uint64_t count[256];
  uint8_t symbol[256];
  int n;
  BdctHuffman table;
} Alphabet;

/* The components that share tables, Y or U and V. */
typedef struct {
  Alphabet dc, ac;
} Group;

#define GROUP_OF(component) ((component) == BDCT_Y ? 0 : 1)

/* Categories of DC differences that a file can have. */
#define DC_SYMBOLS 16

bool
bdct_rate_is_exact (const BdctJob * job)
{
  return job->family == BDCT_FAMILY_JPEG && job->depth == 8;
}

uint64_t
bdct_file_head (const BdctLayout * layout, const BdctJob * job, int n_symbols)
{
  const int n_components = bdct_layout_components (layout);
  const int n_groups = n_components == 1 ? 1 : 2;
  uint64_t size;

  /* SOI and EOI, APP0, SOF0, SOS. Each group of components has a DQT, and two
   * DHT, with 12 and 162 symbols in Annex K. Steps above 255 take 16 bits
   * each. */
  size = 2 + 2 + 18 + (10 + 3 * n_components) + (8 + 2 * n_components)
      + n_groups * (69 + 2 * 21)
      + (n_symbols > 0 ? n_symbols : n_groups * (12 + 162));
  for (int g = 0; g < n_groups; g++) {
    bool wide = false;

    for (int i = 0; i < 64; i++)
      wide |= job->component[g].quant[i] > 255;
    size += 64 * wide;
  }
  return size;
}

/* Note which symbols there are, below `end`. */
static void
find_symbols (Alphabet * alphabet, int end)
{
  alphabet->n = 0;
  for (int i = 0; i < end; i++) {
    alphabet->symbol[alphabet->n] = i;
    alphabet->n += alphabet->count[i] > 0;
  }
}

/* The bits of a component's codes and of the extra bits after each code, whose
 * number is in a symbol's lowest four bits. */
static uint64_t
price (const uint64_t * count, const Alphabet * alphabet)
{
  uint64_t bits = 0;

  for (int k = 0; k < alphabet->n; k++) {
    const int i = alphabet->symbol[k];

    bits += count[i] * (alphabet->table.length[i] + (i & 15));
  }
  return bits;
}

/* ones[k] is the probability that a symbol's code begins with k ones. No code
 * consists of ones alone. */
static void
chance_of_ones (const Alphabet * alphabet, double ones[9])
{
  uint64_t leading[9] = { 0 };

  for (int k = 0; k < alphabet->n; k++) {
    const int i = alphabet->symbol[k];
    const unsigned zeros = ~(unsigned) alphabet->table.code[i]
        << (16 - alphabet->table.length[i]) & 0xffff;
    const int n = __builtin_clz (zeros | 1) - 16;

    leading[n < 8 ? n : 8] += alphabet->count[i];
  }
  for (int k = 7; k >= 0; k--)
    leading[k] += leading[k + 1];
  for (int k = 0; k <= 8; k++)
    ones[k] = leading[0] ? (double) leading[k] / leading[0] : 0;
}

/* The expected number of positions at which eight ones begin, in symbols of
 * which n[k] or more end their codes with k ones (k up to 7), by the number
 * of their extra bits. Extra bits are 0 or 1 with equal probability; `ones`
 * has the probabilities of what follows. Positions within codes are not
 * counted. */
static double
runs_at_ends (const uint64_t n[8][16], const double ones[9])
{
  /* The probability that all of 0 to 8 extra bits are ones. */
  static const double chance[9] = { 1, 0x1p-1, 0x1p-2, 0x1p-3, 0x1p-4, 0x1p-5,
    0x1p-6, 0x1p-7, 0x1p-8
  };
  uint64_t longer = 0;
  double sum = 0;
  int most = 15;

  while (most > 0 && n[0][most] == 0)
    most--;
  for (int extra = most; extra >= 0; extra--) {
    for (int k = 1; k <= 7; k++)
      sum += n[k][extra] * ones[8 - k > extra ? 8 - k - extra : 0]
          * chance[8 - k < extra ? 8 - k : extra];
    longer += n[0][extra];
    if (extra > 0)              /* the last `extra` extra bits */
      sum += longer * ones[extra < 8 ? 8 - extra : 0]
          * chance[extra < 8 ? extra : 8];
  }
  return sum;
}

/* The expected number of positions in an alphabet's symbols at which eight ones
 * begin. The next symbol is random: its code's leading ones have the
 * probabilities next[0] after symbol 0, else next[1]. */
static double
runs_of_ones (const Alphabet * alphabet, const double *const next[2])
{
  uint64_t n[2][8][16] = { 0 }, within = 0;

  for (int j = 0; j < alphabet->n; j++) {
    const int i = alphabet->symbol[j];
    unsigned run = alphabet->table.code[i];
    const int trailing = __builtin_ctz (~run);

    n[i != 0][trailing < 7 ? trailing : 7][i & 15] += alphabet->count[i];
    run &= run >> 1;
    run &= run >> 2;
    for (run &= run >> 4; run != 0; run &= run - 1)
      within += alphabet->count[i];
  }
  for (int rest = 0; rest < 2; rest++)
    for (int k = 6; k >= 0; k--)
      for (int extra = 0; extra < 16; extra++)
        n[rest][k][extra] += n[rest][k + 1][extra];
  return within + runs_at_ends (n[0], next[0]) + runs_at_ends (n[1], next[1]);
}

/* The expected number of 0xff bytes, each of which a file follows with a 0
 * (T.81 F.1.2.3), if bytes may begin at any bit of a symbol. */
static double
stuffing (const Group * group)
{
  double dc[9], ac[9];
  const double *const behind_dc[2] = { ac, ac };
  const double *const behind_ac[2] = { dc, ac };

  chance_of_ones (&group->dc, dc);
  chance_of_ones (&group->ac, ac);
  return (runs_of_ones (&group->dc, behind_dc)
      + runs_of_ones (&group->ac, behind_ac)) / 8;
}

/* The bytes of the file with these tables and bits. */
static uint64_t
file_size (const Group group[2], int n_groups, uint64_t bits,
    const BdctLayout * layout, const BdctJob * job)
{
  double stuffed = 0;
  int n_symbols = 0;

  for (int g = 0; g < n_groups; g++) {
    n_symbols += group[g].dc.table.n + group[g].ac.table.n;
    stuffed += stuffing (&group[g]);
  }
  return bdct_file_head (layout, job, n_symbols) + (bits + 7) / 8
      + (uint64_t) (stuffed + 0.5);
}

static void
price_huffman (const BdctRateCounts * counts, const BdctLayout * layout,
    const BdctJob * job, bool optimized, BdctStats * stats)
{
  const int n_groups = layout->chroma == BDCT_CHROMA_400 ? 1 : 2;
  BdctRateCounts all = *counts;
  const bool exact = bdct_rate_is_exact (job);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  Group group[2];

  bdct_blocks_init (grid, layout, job);
  for (int g = 0; g < 2; g++) {
    memset (group[g].dc.count, 0, sizeof group[g].dc.count);
    memset (group[g].ac.count, 0, sizeof group[g].ac.count);
  }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctScan scan = bdct_scan_init (&grid[c], layout->chroma, c);
    Group *own = &group[GROUP_OF (c)];
    uint64_t *ac = all.counter[c], *dc = ac + BDCT_RATE_DC;

    dc[0] += bdct_scan_missing (&scan);
    ac[0] += bdct_scan_missing (&scan);
    for (int i = 0; i < DC_SYMBOLS; i++)
      own->dc.count[i] += dc[i];
    for (int i = 0; i < BDCT_RATE_DC; i++)
      own->ac.count[i] += ac[i];
  }
  for (int g = 0; g < 2; g++) {
    find_symbols (&group[g].dc, DC_SYMBOLS);
    find_symbols (&group[g].ac, 256);
  }
  /* Annex K's tables come last, so that the components' bits are theirs. */
  for (int annex_k = exact && !optimized; annex_k <= exact; annex_k++) {
    uint64_t bits = 0;

    for (int g = 0; g < n_groups; g++)
      if (annex_k) {
        bdct_huffman_annex_k (&group[g].dc.table, false, g > 0);
        bdct_huffman_annex_k (&group[g].ac.table, true, g > 0);
      } else {
        bdct_huffman_optimize (&group[g].dc.table, group[g].dc.count);
        bdct_huffman_optimize (&group[g].ac.table, group[g].ac.count);
      }
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      const Group *tables = &group[GROUP_OF (c)];

      stats->component[c].bits = price (all.counter[c] + BDCT_RATE_DC,
          &tables->dc) + price (all.counter[c], &tables->ac);
      bits += stats->component[c].bits;
    }
    if (exact && annex_k) {
      stats->file_size = file_size (group, n_groups, bits, layout, job);
    } else if (exact) {
      stats->bits_optimized = bits;
      stats->file_size_optimized =
          file_size (group, n_groups, bits, layout, job);
    }
  }
}

void
bdct_rate_price (const BdctRateCounts * counts, const BdctLayout * layout,
    const BdctJob * job, bool optimized, BdctStats * stats)
{
  if (bdct_job_coder (job) == BDCT_CODER_HUFFMAN) {
    price_huffman (counts, layout, job, optimized, stats);
    return;
  }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats->component[c].bits = (counts->counter[c][0]
        + (1 << (BDCT_CABAC_PRICE_BITS - 1))) >> BDCT_CABAC_PRICE_BITS;
}

void
bdct_rate_price_picture (const BdctRateCounts * counts,
    const BdctLayout * stack, const BdctJob * job, uint64_t bits[2])
{
  const BdctLayout one = bdct_layout_picture (stack);
  BdctStats stats = {.size = sizeof stats };

  bdct_rate_price (counts, &one, job, false, &stats);
  bits[0] = bdct_stats_total (&stats).bits;
  bits[1] = stats.file_size;
}
