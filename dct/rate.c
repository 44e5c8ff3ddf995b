/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rate.h"

#include <string.h>
#include "symbols.h"

/* A Huffman table: of each symbol the bits of its code, 0 for none, and the
 * code in the lowest of them. */
typedef struct {
  int n;                        /* symbols with a code */
  uint8_t length[256];
  uint16_t code[256];
} Table;

/* How many codes have each length, from 1 on, and the symbols by their codes.
 * T.81 Annex K.3, Tables K.3 to K.6: of luminance and of chrominance. */
typedef struct {
  uint8_t bits[16];
  const uint8_t *symbol;
} Specification;

static const uint8_t dc_symbols[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static const uint8_t luma_symbols[] = {
  0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06,
  0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08,
  0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
  0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28,
  0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45,
  0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
  0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75,
  0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
  0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
  0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6,
  0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9,
  0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
  0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4,
  0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
};

static const uint8_t chroma_symbols[] = {
  0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41,
  0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91,
  0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
  0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26,
  0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44,
  0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
  0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74,
  0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
  0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
  0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4,
  0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
  0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
  0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4,
  0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
};

static const Specification annex_k_dc[2] = {
  {{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, dc_symbols},
  {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, dc_symbols},
};

static const Specification annex_k_ac[2] = {
  {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125}, luma_symbols},
  {{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}, chroma_symbols},
};

/* The components that share tables, Y or U and V: how often each symbol is
 * coded, those of the missing blocks too, and the tables. */
typedef struct {
  uint64_t dc[256], ac[256];
  Table dc_table, ac_table;
} Group;

#define GROUP_OF(component) ((component) == BDCT_Y ? 0 : 1)

BdctCoder
bdct_rate_coder (BdctFamily family)
{
  return family == BDCT_FAMILY_JPEG || family == BDCT_FAMILY_REAL
      ? BDCT_CODER_HUFFMAN : BDCT_CODER_CABAC;
}

bool
bdct_rate_is_exact (const BdctJob * job)
{
  return job->family == BDCT_FAMILY_JPEG && job->depth == 8;
}

/* Codes from lengths (T.81 Annex C). */
static void
table_init (Table * table, const Specification * specification)
{
  const uint8_t *symbol = specification->symbol;
  unsigned code = 0;

  memset (table, 0, sizeof *table);
  for (int length = 1; length <= 16; length++, code <<= 1)
    for (int i = 0; i < specification->bits[length - 1]; i++, code++) {
      table->length[*symbol] = length;
      table->code[*symbol++] = code;
      table->n++;
    }
}

/* Let the first of a heap of `n` keys sink to where it belongs. */
static void
sink (uint64_t * heap, int n)
{
  uint64_t key = heap[0];
  int i = 0, child;

  while ((child = 2 * i + 1) < n) {
    if (child + 1 < n && heap[child + 1] < heap[child])
      child++;
    if (key <= heap[child])
      break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = key;
}

/* The bits of each symbol's code in a Huffman tree over the symbols and one
 * more, 256, which so has the longest code: the one of ones alone, which T.81
 * wants free (K.2, Figure K.1). Of equal frequencies the larger symbol's comes
 * first: keys are the frequency and, below it, how small the symbol is. */
static void
code_sizes (const uint64_t * count, int size[257])
{
  uint64_t heap[257];
  int next[257], n = 0;

  for (int i = 0; i < 257; i++) {
    uint64_t frequency = i < 256 ? count[i] : 1;

    size[i] = 0;
    next[i] = -1;
    if (frequency > 0) {
      int at = n++;

      for (; at > 0 && heap[(at - 1) / 2] > (frequency << 9) + 256 - i;
          at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
      heap[at] = (frequency << 9) + 256 - i;
    }
  }
  while (n > 1) {
    uint64_t first = heap[0];
    int a = 256 - (first & 511), b;

    heap[0] = heap[--n];
    sink (heap, n);
    b = 256 - (heap[0] & 511);
    heap[0] = first + (heap[0] & ~(uint64_t) 511);
    sink (heap, n);
    for (size[a]++; next[a] >= 0; size[a]++)
      a = next[a];
    next[a] = b;
    for (size[b]++; next[b] >= 0; size[b]++)
      b = next[b];
  }
}

/* The table that libjpeg makes for these frequencies: no code is longer than 16
 * bits (Figure K.3), and of symbols by their size before that, then by their
 * value, the first have the shortest. */
static void
table_optimize (Table * table, const uint64_t * count)
{
  int size[257], first[258], bits[258] = { 0 }, longest = 16;
  Specification specification;
  uint8_t symbol[257];

  code_sizes (count, size);
  for (int i = 0; i < 257; i++)
    bits[size[i]]++;
  bits[0] = 0;
  first[0] = first[1] = 0;
  for (int length = 2; length < 258; length++)
    first[length] = first[length - 1] + bits[length - 1];
  for (int i = 0; i < 256; i++)
    if (size[i] > 0)
      symbol[first[size[i]]++] = i;
  for (int length = 257; length > 16; length--)
    while (bits[length] > 0) {
      int shorter = length - 2;

      while (bits[shorter] == 0)
        shorter--;
      bits[length] -= 2;
      bits[length - 1]++;
      bits[shorter + 1] += 2;
      bits[shorter]--;
    }
  while (longest > 0 && bits[longest] == 0)
    longest--;
  bits[longest]--;              /* the symbol that is none */
  for (int length = 1; length <= 16; length++)
    specification.bits[length - 1] = bits[length];
  specification.symbol = symbol;
  table_init (table, &specification);
}

/* Bits of an alphabet's codes and of the extra bits behind each: as many as a
 * symbol's lowest four bits say. */
static uint64_t
price (const uint64_t * count, const Table * table)
{
  uint64_t bits = 0;

  for (int i = 0; i < 256; i++)
    bits += count[i] * (table->length[i] + (i & 15));
  return bits;
}

/* ones[k]: the chance that k bits from the start of a symbol on are ones. No
 * code is of ones alone. */
static void
chance_of_ones (const uint64_t * count, const Table * table, double ones[9])
{
  uint64_t leading[9] = { 0 };

  for (int i = 0; i < 256; i++)
    if (count[i] > 0) {
      unsigned zeros = ~(unsigned) table->code[i] << (32 - table->length[i]);
      int n = __builtin_clz (zeros);

      leading[n < 8 ? n : 8] += count[i];
    }
  for (int k = 7; k >= 0; k--)
    leading[k] += leading[k + 1];
  for (int k = 0; k <= 8; k++)
    ones[k] = leading[0] ? (double) leading[k] / leading[0] : 0;
}

/* The places in an alphabet's symbols from which on eight bits are ones, as
 * they are to be expected if extra bits are 0 and 1 alike and the next symbol
 * comes as if by chance: behind symbol 0 with next[0], else next[1]. */
static double
runs_of_ones (const uint64_t * count, const Table * table,
    const double *const next[2])
{
  /* Of so many extra bits that all are ones. */
  static const double chance[9] = { 1, 0x1p-1, 0x1p-2, 0x1p-3, 0x1p-4, 0x1p-5,
    0x1p-6, 0x1p-7, 0x1p-8
  };
  double sum = 0;

  for (int i = 0; i < 256; i++) {
    const double *ones = next[i != 0];
    unsigned run = table->code[i];
    int extra = i & 15, trailing = __builtin_ctz (~run);
    double runs;

    if (count[i] == 0)
      continue;
    run &= run >> 1;
    run &= run >> 2;
    run &= run >> 4;
    runs = __builtin_popcount (run);
    for (int k = 1; k <= 7 && k <= trailing; k++)
      runs += ones[8 - k > extra ? 8 - k - extra : 0]
          * chance[8 - k < extra ? 8 - k : extra];
    for (int k = 1; k <= extra; k++)
      runs += ones[k < 8 ? 8 - k : 0] * chance[k < 8 ? k : 8];
    sum += runs * count[i];
  }
  return sum;
}

/* The bytes of ones, behind each of which a file has a 0 (T.81 F.1.2.3), if
 * bytes begin at any bit of a symbol. */
static double
stuffing (const Group * group)
{
  double dc[9], ac[9];
  const double *const behind_dc[2] = { ac, ac };
  const double *const behind_ac[2] = { dc, ac };

  chance_of_ones (group->dc, &group->dc_table, dc);
  chance_of_ones (group->ac, &group->ac_table, ac);
  return (runs_of_ones (group->dc, &group->dc_table, behind_dc)
      + runs_of_ones (group->ac, &group->ac_table, behind_ac)) / 8;
}

/* Bytes of a JFIF file as libjpeg writes it (T.81 Annex B): SOI and EOI, APP0,
 * a DQT and two DHT a group, SOF0, SOS, and the scan. A table with steps above
 * 255 has 16 bits for each. */
static uint64_t
file_size (const Group group[2], int n_groups, uint64_t bits,
    const BdctJob * job)
{
  int n_components = n_groups == 1 ? 1 : 3;
  double stuffed = 0;
  uint64_t size = 2 + 2 + 18 + (10 + 3 * n_components)
      + (8 + 2 * n_components) + (bits + 7) / 8;

  for (int g = 0; g < n_groups; g++) {
    bool wide = false;

    for (int i = 0; i < 64; i++)
      wide |= job->component[g].quant[i] > 255;
    size += 69 + 64 * wide + (21 + group[g].dc_table.n)
        + (21 + group[g].ac_table.n);
    stuffed += stuffing (&group[g]);
  }
  return size + (uint64_t) (stuffed + 0.5);
}

static void
price_huffman (const BdctRateCounts * counts, const BdctLayout * layout,
    const BdctJob * job, bool files, BdctStats * stats)
{
  const int n_groups = layout->chroma == BDCT_CHROMA_400 ? 1 : 2;
  uint64_t dc[BDCT_MAX_COMPONENTS][256], ac[BDCT_MAX_COMPONENTS][256];
  const bool exact = bdct_rate_is_exact (job);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  Group group[2];

  bdct_blocks_init (grid, layout, job);
  memset (group, 0, sizeof group);
  memset (dc, 0, sizeof dc);
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
    BdctScan scan = bdct_scan_init (&grid[c], layout->chroma, c);

    memcpy (ac[c], counts->counter[c], sizeof ac[c]);
    memcpy (dc[c], counts->counter[c] + BDCT_RATE_DC, 16 * sizeof dc[c][0]);
    dc[c][0] += bdct_scan_missing (&scan);
    ac[c][0] += bdct_scan_missing (&scan);
    for (int i = 0; i < 256; i++) {
      group[GROUP_OF (c)].dc[i] += dc[c][i];
      group[GROUP_OF (c)].ac[i] += ac[c][i];
    }
  }
  /* Annex K's tables last, so that they remain for the components' bits. */
  for (int annex_k = exact && !files; annex_k <= exact; annex_k++) {
    uint64_t bits = 0;

    for (int g = 0; g < n_groups; g++)
      if (annex_k) {
        table_init (&group[g].dc_table, &annex_k_dc[g]);
        table_init (&group[g].ac_table, &annex_k_ac[g]);
      } else {
        table_optimize (&group[g].dc_table, group[g].dc);
        table_optimize (&group[g].ac_table, group[g].ac);
      }
    for (int c = 0; c < BDCT_MAX_COMPONENTS; c++) {
      const Group *tables = &group[GROUP_OF (c)];

      stats->component[c].bits = price (dc[c], &tables->dc_table)
          + price (ac[c], &tables->ac_table);
      bits += stats->component[c].bits;
    }
    if (exact && files && annex_k) {
      stats->file_size = file_size (group, n_groups, bits, job);
    } else if (exact && files) {
      stats->bits_optimized = bits;
      stats->file_size_optimized = file_size (group, n_groups, bits, job);
    }
  }
}

void
bdct_rate_price (const BdctRateCounts * counts, const BdctLayout * layout,
    const BdctJob * job, bool files, BdctStats * stats)
{
  if (bdct_rate_coder (job->family) == BDCT_CODER_HUFFMAN) {
    price_huffman (counts, layout, job, files, stats);
    return;
  }
  for (int c = 0; c < BDCT_MAX_COMPONENTS; c++)
    stats->component[c].bits = counts->counter[c][BDCT_RATE_BYPASS]
        + ((counts->counter[c][BDCT_RATE_COST] + (1 << 14)) >> 15);
}
