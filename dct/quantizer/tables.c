/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The presets' numbers, and what the tuned ones are tuned for, are from
 * mozjpeg's jcparam.c. A preset with one table uses it for luma and chroma. */
#include <blockdct/transform.h>

#include <string.h>
#include "dct/base/text.h"
#include "dct/base/zigzag.h"

/* ITU-T T.81 Annex K, Tables K.1 (luminance) and K.2 (chrominance). */
static const uint16_t annex_k[2][64] = {
  {
      16, 11, 10, 16, 24, 40, 51, 61,
      12, 12, 14, 19, 26, 58, 60, 55,
      14, 13, 16, 24, 40, 57, 69, 56,
      14, 17, 22, 29, 51, 87, 80, 62,
      18, 22, 37, 56, 68, 109, 103, 77,
      24, 35, 55, 64, 81, 104, 113, 92,
      49, 64, 78, 87, 103, 121, 120, 101,
      72, 92, 95, 98, 112, 100, 103, 99,
  }, {
      17, 18, 24, 47, 99, 99, 99, 99,
      18, 21, 26, 66, 99, 99, 99, 99,
      24, 26, 56, 99, 99, 99, 99, 99,
      47, 66, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
  }
};

/* mozjpeg: every frequency alike. */
static const uint16_t flat[1][64] = { {[0 ... 63] = 16} };

/* mozjpeg: tuned for MS-SSIM on the Kodak image set. */
static const uint16_t ms_ssim[2][64] = {
  {
      12, 17, 20, 21, 30, 34, 56, 63,
      18, 20, 20, 26, 28, 51, 61, 55,
      19, 20, 21, 26, 33, 58, 69, 55,
      26, 26, 26, 30, 46, 87, 86, 66,
      31, 33, 36, 40, 46, 96, 100, 73,
      40, 35, 46, 62, 81, 100, 111, 91,
      46, 66, 76, 86, 102, 121, 120, 101,
      68, 90, 90, 96, 113, 102, 105, 103,
  }, {
      8, 12, 15, 15, 86, 96, 96, 98,
      13, 13, 15, 26, 90, 96, 99, 98,
      12, 15, 18, 96, 99, 99, 99, 99,
      17, 16, 90, 96, 99, 99, 99, 99,
      96, 96, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
  }
};

/* By N. Robidoux, from ImageMagick's forum:
 * viewtopic.php?f=22&t=20333&p=98008. */
static const uint16_t robidoux[1][64] = {
  {
      16, 16, 16, 18, 25, 37, 56, 85,
      16, 17, 20, 27, 34, 40, 53, 75,
      16, 20, 24, 31, 43, 62, 91, 135,
      18, 27, 31, 40, 53, 74, 106, 156,
      25, 34, 43, 53, 69, 94, 131, 189,
      37, 40, 62, 74, 94, 124, 169, 238,
      56, 53, 91, 106, 131, 169, 226, 311,
      85, 75, 135, 156, 189, 238, 311, 418,
  }
};

/* mozjpeg: tuned for PSNR-HVS on the Kodak image set. */
static const uint16_t psnr_hvs[2][64] = {
  {
      9, 10, 12, 14, 27, 32, 51, 62,
      11, 12, 14, 19, 27, 44, 59, 73,
      12, 14, 18, 25, 42, 59, 79, 78,
      17, 18, 25, 42, 61, 92, 87, 92,
      23, 28, 42, 75, 79, 112, 112, 99,
      40, 42, 59, 84, 88, 124, 132, 111,
      42, 64, 78, 95, 105, 126, 125, 99,
      70, 75, 100, 102, 116, 100, 107, 98,
  }, {
      9, 10, 17, 19, 62, 89, 91, 97,
      12, 13, 18, 29, 84, 91, 88, 98,
      14, 19, 29, 93, 95, 95, 98, 97,
      20, 26, 84, 88, 95, 95, 98, 94,
      26, 86, 91, 93, 97, 99, 98, 99,
      99, 100, 98, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99,
      97, 97, 99, 99, 99, 99, 97, 99,
  }
};

/* S. A. Klein, A. D. Silverstein, T. Carney, "Relevance of human vision to
 * JPEG-DCT compression", Proc. SPIE 1666, 1992. */
static const uint16_t klein[1][64] = {
  {
      10, 12, 14, 19, 26, 38, 57, 86,
      12, 18, 21, 28, 35, 41, 54, 76,
      14, 21, 25, 32, 44, 63, 92, 136,
      19, 28, 32, 41, 54, 75, 107, 157,
      26, 35, 44, 54, 70, 95, 132, 190,
      38, 41, 63, 75, 95, 125, 170, 239,
      57, 54, 92, 107, 132, 170, 227, 312,
      86, 76, 136, 157, 190, 239, 312, 419,
  }
};

/* A. B. Watson, M. Taylor, R. Borthwick, "DCTune perceptual optimization of
 * compressed dental X-rays", Proc. SPIE 3031, 1997. */
static const uint16_t watson[1][64] = {
  {
      7, 8, 10, 14, 23, 44, 95, 241,
      8, 8, 11, 15, 25, 47, 102, 255,
      10, 11, 13, 19, 31, 58, 127, 255,
      14, 15, 19, 27, 44, 83, 181, 255,
      23, 25, 31, 44, 72, 136, 255, 255,
      44, 47, 58, 83, 136, 255, 255, 255,
      95, 102, 127, 181, 255, 255, 255, 255,
      241, 255, 255, 255, 255, 255, 255, 255,
  }
};

/* A. J. Ahumada, A. B. Watson, H. A. Peterson, "A visual detection model for
 * DCT coefficient quantization", AIAA Computing in Aerospace 9, 1993. */
static const uint16_t ahumada[1][64] = {
  {
      15, 11, 11, 12, 15, 19, 25, 32,
      11, 13, 10, 10, 12, 15, 19, 24,
      11, 10, 14, 14, 16, 18, 22, 27,
      12, 10, 14, 18, 21, 24, 28, 33,
      15, 12, 16, 21, 26, 31, 36, 42,
      19, 15, 18, 24, 31, 38, 45, 53,
      25, 19, 22, 28, 36, 45, 55, 65,
      32, 24, 27, 33, 42, 53, 65, 77,
  }
};

/* H. A. Peterson, A. J. Ahumada, A. B. Watson, "An improved detection model for
 * DCT coefficient quantization", Proc. SPIE 1913, 1993. */
static const uint16_t peterson[1][64] = {
  {
      14, 10, 11, 14, 19, 25, 34, 45,
      10, 11, 11, 12, 15, 20, 26, 33,
      11, 11, 15, 18, 21, 25, 31, 38,
      14, 12, 18, 24, 28, 33, 39, 47,
      19, 15, 21, 28, 36, 43, 51, 59,
      25, 20, 25, 33, 43, 54, 64, 74,
      34, 26, 31, 39, 51, 64, 77, 91,
      45, 33, 38, 47, 59, 74, 91, 108,
  }
};

static const BdctPresetInfo presets[BDCT_N_PRESETS] = {
  {"annex-k", "JPEG's Annex K, which libjpeg scales",
      {annex_k[0], annex_k[1]}},
  {"flat", "16 for every frequency", {flat[0], flat[0]}},
  {"ms-ssim", "Tuned for MS-SSIM on the Kodak images (mozjpeg)",
      {ms_ssim[0], ms_ssim[1]}},
  {"robidoux", "N. Robidoux for ImageMagick; mozjpeg's default",
      {robidoux[0], robidoux[0]}},
  {"psnr-hvs", "Tuned for PSNR-HVS on the Kodak images (mozjpeg)",
      {psnr_hvs[0], psnr_hvs[1]}},
  {"klein", "Klein, Silverstein and Carney 1992", {klein[0], klein[0]}},
  {"watson", "Watson, Taylor and Borthwick 1997", {watson[0], watson[0]}},
  {"ahumada", "Ahumada, Watson and Peterson 1993", {ahumada[0], ahumada[0]}},
  {"peterson", "Peterson, Ahumada and Watson 1993",
      {peterson[0], peterson[0]}},
};

const BdctPresetInfo *
bdct_preset_info (BdctPreset preset)
{
  return (unsigned) preset < BDCT_N_PRESETS ? &presets[preset] : NULL;
}

/* Tables from text */

static bool
parse_text (BdctText * text, BdctTables * tables, BdctError * error)
{
  int n = 0, value;

  for (; bdct_text_find (text); n++) {
    if (n == 4 * 64)
      return bdct_error (error, "line %d: more than four tables of 64 steps",
          text->line);
    if (!bdct_text_number (text, BDCT_MAX_STEP, &value, error))
      return false;
    if (value < 1 || value > BDCT_MAX_STEP)
      return bdct_error (error, "line %d: step %d%s, number %d of table %d, is "
          "outside 1 to %d", text->line, value,
          value > BDCT_MAX_STEP ? " or more" : "", n % 64 + 1, n / 64 + 1,
          BDCT_MAX_STEP);
    if (n < 128)
      tables->steps[n] = value;
  }
  if (n == 0 || n % 64 != 0)
    return bdct_error (error, "line %d: the text ends after %d of 64 steps of "
        "table %d", text->line, n % 64, n / 64 + 1);
  tables->n_steps = n == 64 ? 64 : 128;
  return true;
}

/* Tables from a JPEG file (T.81 Annex B) */

enum
{
  SOF0 = 0xc0, DHT = 0xc4, JPG = 0xc8, DAC = 0xcc, SOF15 = 0xcf,
  RST0 = 0xd0, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, TEM = 0x01
};

typedef struct {
  uint16_t step[4][64]; /* row-major */
  bool defined[4];
  int n_components;     /* 0 before the frame header */
  int table[3];         /* number of each component's table */
} Header;

/* Parse the parameters of a DQT segment, at byte `at` of the file. */
static bool
parse_dqt (Header * header, const uint8_t * p, size_t size, size_t at,
    BdctError * error)
{
  for (size_t i = 0; i < size;) {
    const int bytes = 1 + (p[i] >> 4), table = p[i] & 15;

    if (bytes > 2 || table > 3)
      return bdct_error (error, "byte %zu: a quantization table has a wrong "
          "precision or number (0x%02x)", at + i, p[i]);
    if (size - ++i < (size_t) 64 * bytes)
      return bdct_error (error, "byte %zu: a quantization table is cut short",
          at + i);
    for (int k = 0; k < 64; k++, i += bytes) {
      const int step = bytes == 1 ? p[i] : p[i] << 8 | p[i + 1];

      if (step < 1 || step > BDCT_MAX_STEP)
        return bdct_error (error, "byte %zu: step %d, number %d of table %d "
            "in zigzag order, is outside 1 to %d", at + i, step, k + 1, table,
            BDCT_MAX_STEP);
      header->step[table][bdct_zigzag_index[k]] = (uint16_t) step;
    }
    header->defined[table] = true;
  }
  return true;
}

/* Parse the parameters of a frame header, at byte `at` of the file. */
static bool
parse_sof (Header * header, const uint8_t * p, size_t size, size_t at,
    BdctError * error)
{
  const int n = size < 6 ? 0 : p[5];

  if (n != 0 && n != 1 && n != 3)
    return bdct_error (error, "byte %zu: the JPEG file has %d components, not "
        "1 or 3", at + 5, n);
  if (n == 0 || size < 6 + 3 * (size_t) n)
    return bdct_error (error, "byte %zu: a frame header is cut short", at);
  for (int c = 0; c < n; c++) {
    header->table[c] = p[6 + 3 * c + 2];
    if (header->table[c] > 3)
      return bdct_error (error, "byte %zu: there is no quantization table %d",
          at + 6 + 3 * c + 2, header->table[c]);
  }
  header->n_components = n;
  return true;
}

/* Parse all segments before the first scan. */
static bool
parse_segments (Header * header, const uint8_t * data, size_t size,
    BdctError * error)
{
  size_t at = 2;

  for (;;) {
    size_t length;
    int marker;

    if (at >= size)
      break;
    if (data[at] != 0xff)
      return bdct_error (error, "byte %zu: 0x%02x is not the beginning of a "
          "marker", at,
          data[at]);
    while (at < size && data[at] == 0xff)
      at++;
    if (at >= size)
      break;
    marker = data[at++];
    if (marker == SOS || marker == EOI)
      return true;
    if (marker == TEM || (marker >= RST0 && marker <= SOI))
      continue;
    if (size - at < 2)
      break;
    length = data[at] << 8 | data[at + 1];
    if (length < 2)
      return bdct_error (error, "byte %zu: a segment's length is %zu bytes, "
          "less than 2", at, length);
    if (size - at < length)
      break;
    if (marker == DQT) {
      if (!parse_dqt (header, data + at + 2, length - 2, at + 2, error))
        return false;
    } else if (marker >= SOF0 && marker <= SOF15 && marker != DHT
        && marker != JPG && marker != DAC) {
      if (!parse_sof (header, data + at + 2, length - 2, at + 2, error))
        return false;
    }
    at += length;
  }
  return bdct_error (error, "the JPEG file ends in its headers, at byte %zu",
      size);
}

static bool
parse_jpeg (const uint8_t * data, size_t size, BdctTables * tables,
    BdctError * error)
{
  Header header = {.n_components = 0 };

  if (!parse_segments (&header, data, size, error))
    return false;
  if (header.n_components == 0)
    return bdct_error (error, "the JPEG file has no frame header");
  for (int c = 0; c < header.n_components; c++)
    if (!header.defined[header.table[c]])
      return bdct_error (error, "the JPEG file lacks quantization table %d of "
          "component %d", header.table[c], c + 1);
  if (header.n_components == 3 && memcmp (header.step[header.table[1]],
          header.step[header.table[2]], sizeof header.step[0]) != 0)
    return bdct_error (error, "the JPEG file has different tables for its "
        "second and third component; here they share one");
  tables->n_steps = header.n_components == 1
      || header.table[0] == header.table[1] ? 64 : 128;
  for (int i = 0; i < tables->n_steps; i++)
    tables->steps[i] = header.step[header.table[i / 64]][i % 64];
  return true;
}

/* - Text: whole numbers between white space or commas; # begins a comment, to
 *   the end of the line; one to four tables of 64, row-major. The first is
 *   luma's and the second chroma's, as in cjpeg's slots; the others are checked
 *   and not used. A single table is for every component (cjpeg -qslots 0).
 * - JPEG file (T.81 Annex B): the tables that the frame header gives its one or
 *   three components. */
bool
bdct_tables_parse (const void *data, size_t size, BdctTables * tables,
    BdctError * error)
{
  const uint8_t *bytes = data;
  BdctText text = { bytes, size, 0, 1 };
  BdctTables read = { 0 };

  if (data == NULL || tables == NULL)
    return bdct_error (error, "%s is NULL", data == NULL ? "data"
        : "BdctTables");
  read.name = tables->name;
  if (size >= 2 && bytes[0] == 0xff && bytes[1] == SOI
      ? !parse_jpeg (bytes, size, &read, error)
      : !parse_text (&text, &read, error))
    return false;
  *tables = read;
  return true;
}
