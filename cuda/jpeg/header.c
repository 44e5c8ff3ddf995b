/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpeg.h"

#include <string.h>
#include "dct/base/zigzag.h"

/* JPEG_MAX_DIMENSION of libjpeg. */
#define MAX_SIDE 65500

/* Positions in bits of a scan have 32 bits. */
#define MAX_SCAN (256 << 20)

/* What markers have said so far. */
typedef struct {
  BdctJpegFile *file;
  BdctJpegTables *tables;
  uint32_t steps[4][64];
  bool has_jfif, has_adobe;
  uint8_t id[BDCT_JPEG_COMPONENTS], quantizer[BDCT_JPEG_COMPONENTS], transform;
} Header;

static unsigned
get16 (const uint8_t * at)
{
  return at[0] << 8 | at[1];
}

static bool
read_steps (Header * self, const uint8_t * at, const uint8_t * end)
{
  while (at < end) {
    const unsigned t = *at & 15, bytes = 1 + (*at >> 4);

    if (t > 3 || bytes > 2 || end - at < 1 + 64 * (int) bytes)
      return false;
    at++;
    for (int k = 0; k < 64; k++, at += bytes)
      self->steps[t][k] = bdct_zigzag_index[k]
          | (bytes == 2 ? get16 (at) : *at) << 6;
  }
  return true;
}

/* libjpeg refuses codes that do not fit their length, or are all ones; and DC
 * differences of more than 15 bits. */
static bool
read_tables (Header * self, const uint8_t * at, const uint8_t * end)
{
  while (at < end) {
    const int is_ac = *at >> 4, t = *at & 15;
    BdctJpegHuffman *table = &self->tables->of[2 * (is_ac & 1) + (t & 1)];
    int code = 0, n = 0;

    if (is_ac > 1 || t > 1 || end - at < 17)
      return false;
    memset (table, 0, sizeof *table);
    memcpy (table->counts, at + 1, 16);
    for (int i = 0; i < 16; i++, code *= 2) {
      code += table->counts[i];
      n += table->counts[i];
      if (code >= 2 << i)
        return false;
    }
    if (n > 256 || end - at < 17 + n)
      return false;
    memcpy (table->values, at + 17, n);
    for (int i = 0; !is_ac && i < n; i++)
      if (table->values[i] > 15)
        return false;
    at += 17 + n;
  }
  return true;
}

static bool
read_frame (Header * self, const uint8_t * at, const uint8_t * end)
{
  BdctJpegFile *file = self->file;

  if (file->width > 0 || end - at < 6 || at[0] != 8)
    return false;
  file->height = get16 (at + 1);
  file->width = get16 (at + 3);
  file->n_components = at[5];
  if ((at[5] != 1 && at[5] != 3) || end - at != 6 + 3 * at[5]
      || file->width < 1 || file->height < 1 || file->width > MAX_SIDE
      || file->height > MAX_SIDE)
    return false;
  at += 6;
  for (int c = 0; c < file->n_components; c++, at += 3) {
    BdctJpegComponent *own = &file->component[c];

    self->id[c] = at[0];
    /* One component's MCU is one block. */
    own->h = file->n_components == 1 ? 1 : at[1] >> 4;
    own->v = file->n_components == 1 ? 1 : at[1] & 15;
    self->quantizer[c] = at[2];
    if (at[1] >> 4 < 1 || at[1] >> 4 > 4 || (at[1] & 15) < 1
        || (at[1] & 15) > 4 || at[2] > 3)
      return false;
    for (int i = 0; i < c; i++)
      if (self->id[i] == self->id[c])
        return false;
  }
  return true;
}

static int
divide_up (int a, int b)
{
  return (a + b - 1) / b;
}

/* Set what the sampling factors and the size say. */
static bool
set_sizes (BdctJpegFile * file)
{
  int h = 1, v = 1, n = 0;

  for (int c = 0; c < file->n_components; c++) {
    h = file->component[c].h > h ? file->component[c].h : h;
    v = file->component[c].v > v ? file->component[c].v : v;
  }
  for (int c = 0; c < file->n_components; c++) {
    BdctJpegComponent *own = &file->component[c];

    if (h % own->h != 0 || v % own->v != 0
        || n + own->h * own->v > BDCT_JPEG_MCU_BLOCKS)
      return false;
    own->across = h / own->h;
    own->down = v / own->v;
    own->width = divide_up (file->width, own->across);
    own->height = divide_up (file->height, own->down);
    own->filtered = (own->across == 2 && own->down <= 2 && own->width > 2)
        || (own->across == 1 && own->down == 2);
    for (int i = 0; i < own->h * own->v; i++)
      file->of[n++] = c;
  }
  file->n_blocks = n;
  file->mcus_across = divide_up (file->width, 8 * h);
  file->n_mcus = file->mcus_across * divide_up (file->height, 8 * v);
  if (file->interval == 0 || file->interval > file->n_mcus)
    file->interval = file->n_mcus;
  file->n_segments = (file->n_mcus - 1) / file->interval + 1;
  return true;
}

static bool
read_scan (Header * self, const uint8_t * at, const uint8_t * end,
    const uint8_t * all_end)
{
  BdctJpegFile *file = self->file;
  const size_t size = all_end - end;
  const int n = file->n_components;

  if (n == 0 || end - at != 4 + 2 * n || at[0] != n)
    return false;
  for (int c = 0; c < n; c++) {
    BdctJpegComponent *own = &file->component[c];

    own->dc = at[2 + 2 * c] >> 4;
    own->ac = at[2 + 2 * c] & 15;
    memcpy (file->steps[c], self->steps[self->quantizer[c]],
        sizeof file->steps[c]);
    /* The kernels find that a Huffman table is missing: no code is valid. */
    if (at[1 + 2 * c] != self->id[c] || own->dc > 1 || own->ac > 1
        || (self->tables != NULL && file->steps[c][63] == 0))
      return false;
  }
  /* As jdapimin.c, default_decompress_parms. */
  file->is_ycc = self->has_jfif || (self->has_adobe
      ? self->transform != 0 : memcmp (self->id, "RGB", 3) != 0);
  file->scan_size = size;
  /* A block takes two bits or more, a restart marker two bytes. */
  return size <= MAX_SCAN && set_sizes (file) && file->n_segments <= size
      && (uint64_t) file->n_mcus * file->n_blocks <= 4 * size;
}

bool
bdct_jpeg_header (const uint8_t * data, size_t size, BdctJpegFile * file,
    BdctJpegTables * tables)
{
  const uint8_t *at = data + 2, *end = data + size;
  Header self = {.file = file,.tables = tables };
  bool ok = size >= 4 && data[0] == 0xff && data[1] == 0xd8;

  memset (file, 0, sizeof *file);
  if (tables != NULL)
    memset (tables, 0, sizeof *tables);
  while (ok && end - at >= 4 && at[0] == 0xff) {
    const uint8_t marker = at[1], *next;

    if (marker == 0xff) {       /* a marker may begin with several */
      at++;
      continue;
    }
    if (get16 (at + 2) < 2 || end - at < 2 + (int) get16 (at + 2))
      return false;
    next = at + 2 + get16 (at + 2);
    at += 4;
    switch (marker) {
      case 0xc0:
      case 0xc1:
        ok = read_frame (&self, at, next);
        break;
      case 0xc4:
        ok = tables == NULL || read_tables (&self, at, next);
        break;
      case 0xda:
        return read_scan (&self, at, next, end);
      case 0xdb:
        ok = tables == NULL || read_steps (&self, at, next);
        break;
      case 0xdd:
        ok = next - at == 2;
        file->interval = ok ? get16 (at) : 0;
        break;
      case 0xe0:
        self.has_jfif |= next - at >= 14 && memcmp (at, "JFIF", 5) == 0;
        break;
      case 0xee:
        if (next - at >= 12 && memcmp (at, "Adobe", 5) == 0) {
          self.has_adobe = true;
          self.transform = at[11];
        }
        break;
      default:                 /* other applications' and comments */
        ok = (marker >= 0xe1 && marker <= 0xef) || marker == 0xfe;
    }
    at = next;
  }
  return false;
}
