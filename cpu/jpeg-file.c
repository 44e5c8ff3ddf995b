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

/* A component: its blocks of a band, row by row, the tables, and the
 * previous DC. */
typedef struct {
  BdctTilePlane plane;
  BdctTileQuantizer quantizer;
  BdctScan scan;
  BdctHuffman dc, ac;
  BdctLevel *levels;
  int before;
} Component;

/* The number of rows of MCUs in a band: chroma has one strip in it, luma one
 * for each row of blocks in an MCU. */
#define BAND_ROWS (BDCT_TILE / 8)

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

/* Code a component's blocks in MCU (x, y) of a band that begins at row `top`
 * of MCUs. A block that the component lacks repeats the DC of the one before
 * it. */
static void
put_blocks (Writer * writer, Component * c, int x, int y, int top)
{
  const BdctScan *scan = &c->scan;

  for (int v = y * scan->v; v < (y + 1) * scan->v; v++)
    for (int h = x * scan->h; h < (x + 1) * scan->h; h++)
      if (h < scan->columns && v + top * scan->v < scan->rows) {
        put_block (writer, c, c->levels + 64
            * ((ptrdiff_t) v * scan->columns + h));
      } else {
        put_symbol (writer, &c->dc, 0, 0);
        put_symbol (writer, &c->ac, 0, 0);
      }
}

/* Compute the levels of a strip, for all components of a plane of memory. */
static void
transform_strip (Component * components, const BdctPlaneLayout * layout,
    int row, int i, void *scratch)
{
  const BdctTilePlane *planes[2];
  BdctTileStrip strip[2];

  for (int k = 0; k < layout->interleave; k++) {
    Component *c = &components[layout->component[k]];

    planes[k] = &c->plane;
    strip[k] = (BdctTileStrip) {
      .levels = c->levels + (size_t) i * BAND_ROWS * c->scan.columns * 64
    };
  }
  bdct_cpu_transform (bdct_tile_kernels ()[0], planes, row, strip, scratch);
}

static void
put_band (Writer * writer, Component * components, const BdctLayout * layout,
    int top, void *scratch)
{
  const BdctScan *luma = &components[0].scan;
  const int across = (luma->columns + luma->h - 1) / luma->h;
  const int down = (luma->rows + luma->v - 1) / luma->v - top;
  const int n = bdct_layout_components (layout);

  for (int p = 0; p < layout->n_planes; p++) {
    const int v = components[layout->plane[p].component[0]].scan.v;

    for (int i = 0; i < v; i++) {
      const int row = (top * v + i * BAND_ROWS) * 8;

      if (row < layout->plane[p].height)
        transform_strip (components, &layout->plane[p], row, i, scratch);
    }
  }
  for (int y = 0; y < BAND_ROWS && y < down; y++)
    for (int x = 0; x < across; x++)
      for (int c = 0; c < n; c++)
        put_blocks (writer, &components[c], x, y, top);
}

/* Describe the components of planes; false if memory is short. */
static bool
start (Component * components, const BdctLayout * layout, const BdctJob * job,
    const BdctImage * planes)
{
  static const BdctImage none;
  BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
  bool ok = true;

  bdct_blocks_init (grid, layout, job);
  for (int p = 0; p < layout->n_planes; p++)
    for (int i = 0; i < layout->plane[p].interleave; i++) {
      const BdctComponent c = layout->plane[p].component[i];
      Component *component = &components[c];

      component->scan = bdct_scan_init (&grid[c], layout->chroma, c);
      component->before = 0;
      bdct_tile_quantizer_init (&component->quantizer, job, c);
      bdct_tile_plane_init (&component->plane, job, c);
      bdct_tile_plane_place (&component->plane, layout, &grid[c], planes, &none,
          p, i);
      component->plane.quantizer[0] = &component->quantizer;
      bdct_huffman_annex_k (&component->dc, false, c != BDCT_Y);
      bdct_huffman_annex_k (&component->ac, true, c != BDCT_Y);
      component->levels = malloc ((size_t) BAND_ROWS * component->scan.v
          * grid[c].columns * 64 * sizeof *component->levels);
      ok = ok && component->levels != NULL;
    }
  return ok;
}

bool
bdct_file_size (const BdctLayout * layout, const BdctJob * job,
    const BdctImage * src, uint64_t * size, BdctError * error)
{
  const int n = bdct_layout_components (layout);
  Component *components = aligned_alloc (64, (n * sizeof *components + 63)
      / 64 * 64);
  BdctImage planes = *src;
  Writer writer = { 0 };
  uint8_t *memory = NULL;
  void *scratch = aligned_alloc (64, BDCT_SCRATCH_SIZE);
  bool ok = components != NULL && scratch != NULL;

  bdct_huffman_count_init ();
  if (ok && layout->rgb.n_planes > 0) {
    memory = bdct_colour_planes (layout, src, &planes);
    ok = memory != NULL;
  }
  for (int c = 0; components != NULL && c < n; c++)
    components[c].levels = NULL;
  ok = ok && start (components, layout, job, &planes);
  for (int top = 0; ok && top * components[0].scan.v < components[0].scan.rows;
      top += BAND_ROWS)
    put_band (&writer, components, layout, top, scratch);
  put (&writer, 127, 7);        /* ones fill the last byte */
  put_bytes (&writer, writer.n / 8);
  *size = bdct_file_head (layout, job, 0) + writer.bytes;
  for (int c = 0; components != NULL && c < n; c++)
    free (components[c].levels);
  free (components);
  free (memory);
  free (scratch);
  return ok || bdct_error (error, "out of memory");
}
