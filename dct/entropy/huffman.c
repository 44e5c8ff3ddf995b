/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "huffman.h"

#include <pthread.h>
#include <string.h>

/* The number of codes of each length, 1 to 16, and the symbols in the order of
 * their codes. T.81 Annex K.3, Tables K.3 to K.6, of luminance and
 * chrominance. */
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

/* Assign codes from lengths (T.81 Annex C). */
static void
table_init (BdctHuffman * table, const Specification * specification)
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

static BdctHuffman annex_k[2][2];

static void
annex_k_init (void)
{
  for (int chroma = 0; chroma < 2; chroma++) {
    table_init (&annex_k[0][chroma], &annex_k_dc[chroma]);
    table_init (&annex_k[1][chroma], &annex_k_ac[chroma]);
  }
}

void
bdct_huffman_annex_k (BdctHuffman * table, bool ac, bool chroma)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, annex_k_init);
  *table = annex_k[ac][chroma];
}

/* A frequency's octave and the eighth of it: below 8 * 56. */
#define N_CLASSES 448

static int
class_of (uint64_t key)
{
  const float frequency = (int64_t) (key >> 9);
  uint32_t bits;

  memcpy (&bits, &frequency, sizeof bits);
  return (int) (bits >> 20) - (127 << 3);
}

/* Sort keys, first by class: the processor mispredicts branches that depend
 * on frequencies, which would take most of the time. */
static void
sort (const uint64_t * from, uint64_t * key, int n)
{
  int at[N_CLASSES + 1] = { 0 }, sum = 0, last = 0;
  uint16_t its[257];

  for (int i = 0; i < n; i++) {
    its[i] = class_of (from[i]);
    at[its[i]]++;
    last = its[i] > last ? its[i] : last;
  }
  for (int k = 0; k <= last; k++) {
    const int size = at[k];

    at[k] = sum;
    sum += size;
  }
  for (int i = 0; i < n; i++)
    key[at[its[i]]++] = from[i];
  for (int i = 1; i < n; i++) {
    const uint64_t own = key[i];
    int k = i;

    for (; k > 0 && key[k - 1] > own; k--)
      key[k] = key[k - 1];
    key[k] = own;
  }
}

/* Compute the code lengths of a Huffman tree over the symbols and one more,
 * 256. That symbol gets the longest code, the one of ones alone, which T.81
 * reserves (K.2, Figure K.1). Of equal frequencies, the larger symbol comes
 * first, where an inner node counts as the first symbol in it: a key has the
 * frequency in its high bits and 256 - symbol below. Returns the number of
 * symbols; `used` has them from the largest on. */
static int
code_sizes (const uint64_t * count, int size[257], uint16_t used[257])
{
  /* Nodes: the symbols, then the inner ones as they are made. `top` is the
   * latest node that was made with a first symbol. */
  int child[256][2], depth[513], top[257], n = 0, i = 0, j = 0;
  uint64_t unsorted[257], leaf[258], inner[257];

  for (int symbol = 256; symbol >= 0; symbol--) {
    const uint64_t frequency = symbol < 256 ? count[symbol] : 1;

    unsorted[n] = (frequency << 9) + 256 - symbol;
    used[n] = symbol;
    n += frequency > 0;
    top[symbol] = symbol;
  }
  sort (unsorted, leaf, n);
  leaf[n] = inner[0] = UINT64_MAX;
  for (int made = 0; made < n - 1; made++) {
    uint64_t least[2], key;
    int at = made;

    for (int k = 0; k < 2; k++) {
      const bool is_leaf = leaf[i] < inner[j];

      least[k] = is_leaf ? leaf[i] : inner[j];
      i += is_leaf;
      j += !is_leaf;
      child[made][k] = top[256 - (least[k] & 511)];
    }
    top[256 - (least[0] & 511)] = 257 + made;
    key = least[0] + (least[1] & ~(uint64_t) 511);
    /* Inner nodes come in order but for equal frequencies. */
    for (; at > j && inner[at - 1] > key; at--)
      inner[at] = inner[at - 1];
    inner[at] = key;
    inner[made + 1] = UINT64_MAX;
  }
  depth[255 + n] = 0;
  for (int made = n - 2; made >= 0; made--)
    depth[child[made][0]] = depth[child[made][1]] = depth[257 + made] + 1;
  for (int k = 0; k < n; k++)
    size[used[k]] = depth[used[k]];
  return n;
}

void
bdct_huffman_optimize (BdctHuffman * table, const uint64_t count[256])
{
  int size[257], first[258], bits[258] = { 0 }, longest = 16, deepest = 1, n;
  Specification specification;
  uint16_t used[257];
  uint8_t symbol[257];

  n = code_sizes (count, size, used);
  for (int k = 0; k < n; k++) {
    bits[size[used[k]]]++;
    deepest = size[used[k]] > deepest ? size[used[k]] : deepest;
  }
  bits[0] = 0;
  first[0] = first[1] = 0;
  for (int length = 2; length <= deepest; length++)
    first[length] = first[length - 1] + bits[length - 1];
  /* Without symbol 256, which is the first one. */
  for (int k = n - 1; k > 0; k--)
    symbol[first[size[used[k]]]++] = used[k];
  for (int length = deepest; length > 16; length--)
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
  bits[longest]--;              /* symbol 256 */
  for (int length = 1; length <= 16; length++)
    specification.bits[length - 1] = bits[length];
  specification.symbol = symbol;
  table_init (table, &specification);
}

