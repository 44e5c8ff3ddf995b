/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Encodes a frame as libjpeg does (T.81 Annexes B and F.1.2), but counts the
 * bytes instead of keeping them. */
#include "jpeg-file.h"

#include <stdlib.h>
#include <string.h>
#include "dct/entropy/huffman.h"
#include "dct/entropy/rate.h"
#include "huffman-count.h"
#include "state.h"

/* The bits of a scan: the lowest `n` are pending; `bytes` is the number of
 * bytes before them. */
typedef struct {
  uint64_t bits, bytes;
  int n;
} Writer;

/* A component: its blocks, row by row, the tables, and the previous DC. */
typedef struct {
  BdctScan scan;
  BdctHuffman dc, ac;
  const BdctLevel *levels;
  int before;
} Component;

/* A byte of zeros follows each byte of ones (T.81 F.1.2.3). */
static void
put_bytes (Writer * writer, int n)
{
  for (; n > 0; n--, writer->bytes++) {
    writer->n -= 8;
    writer->bytes += (writer->bits >> writer->n & 255) == 255;
  }
}

/* Put at most 32 bits. */
static inline void
put (Writer * writer, unsigned bits, int n)
{
  uint32_t zeros;

  writer->bits = writer->bits << n | bits;
  writer->n += n;
  if (writer->n < 32)
    return;
  /* Four bytes at once, of which rarely one is all ones: test all for a zero
   * in the complement. */
  zeros = ~(uint32_t) (writer->bits >> (writer->n - 32));
  if (__builtin_expect (((zeros - 0x01010101) & ~zeros & 0x80808080) != 0, 0)) {
    put_bytes (writer, 4);
  } else {
    writer->n -= 32;
    writer->bytes += 4;
  }
}

/* Put a symbol, whose lowest four bits are the number of bits of `value`
 * that follow. */
static inline void
put_symbol (Writer * writer, const BdctHuffman * table, int symbol, int value)
{
  const int n = symbol & 15;

  put (writer, (unsigned) table->code[symbol] << n
      | ((value < 0 ? value - 1 : value) & ((1 << n) - 1)),
      table->length[symbol] + n);
}

static void
put_block (Writer * writer, Component * c, const BdctLevel * block)
{
  uint64_t places = bdct_huffman_count_places (block) & ~(uint64_t) 1;
  const int difference = block[0] - c->before;
  int last = 0;

  c->before = block[0];
  put_symbol (writer, &c->dc, bdct_symbol_category (difference), difference);
  for (; places != 0; places &= places - 1) {
    int place = __builtin_ctzll (places), run = place - last - 1;
    int level = block[bdct_zigzag_index[place]];

    for (; run > 15; run -= 16)
      put_symbol (writer, &c->ac, 0xf0, 0);
    put_symbol (writer, &c->ac, (run << 4) + bdct_symbol_category (level),
        level);
    last = place;
  }
  if (last < 63)
    put_symbol (writer, &c->ac, 0, 0);
}

/* Code a component's blocks in MCU (x, y). A block that the component lacks
 * repeats the DC of the one before it. */
static void
put_blocks (Writer * writer, Component * c, int x, int y)
{
  const BdctScan *scan = &c->scan;

  for (int v = y * scan->v; v < (y + 1) * scan->v; v++)
    for (int h = x * scan->h; h < (x + 1) * scan->h; h++)
      if (h < scan->columns && v < scan->rows) {
        put_block (writer, c, c->levels + 64
            * ((ptrdiff_t) v * scan->columns + h));
      } else {
        put_symbol (writer, &c->dc, 0, 0);
        put_symbol (writer, &c->ac, 0, 0);
      }
}

bool
bdct_file_size (const BdctLayout * layout, const BdctJob * job,
    const BdctImage * src, uint64_t * size, BdctError * error)
{
  const int n_components = bdct_layout_components (layout);
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  Component component[BDCT_MAX_COMPONENTS];
  size_t first[BDCT_MAX_COMPONENTS];
  const size_t n = bdct_count_levels (layout, job, first);
  BdctFrame frame = {.quantizers = job,.n_quantizers = 1,.src = *src,
    .levels = aligned_alloc (64, (n * sizeof (BdctLevel) + 63) / 64 * 64),
    .n_levels = n
  };
  const BdctScan *luma = &component[BDCT_Y].scan;
  Writer writer = { 0 };
  bool ok = frame.levels != NULL || bdct_error (error, "out of memory");

  ok = ok && bdct_cpu_run (layout, &frame, error);
  bdct_blocks_init (grid, layout, job);
  for (int c = 0; c < n_components; c++) {
    component[c] = (Component) {
      .scan = bdct_scan_init (&grid[c], layout->chroma, c),
      .levels = frame.levels + first[c]
    };
    bdct_huffman_annex_k (&component[c].dc, false, c != BDCT_Y);
    bdct_huffman_annex_k (&component[c].ac, true, c != BDCT_Y);
  }
  for (int y = 0; ok && y * luma->v < luma->rows; y++)
    for (int x = 0; x * luma->h < luma->columns; x++)
      for (int c = 0; c < n_components; c++)
        put_blocks (&writer, &component[c], x, y);
  put (&writer, 127, 7);        /* ones fill the last byte */
  put_bytes (&writer, writer.n / 8);
  *size = bdct_file_head (layout, job, 0) + writer.bytes;
  free (frame.levels);
  return ok;
}
