/* blockdct: quantization tables from presets and from files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_TABLES_H
#define BDCT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "dct/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest step of any table: libjpeg's limit for 12 bits. */
#define BDCT_MAX_STEP 32767

/** The tables that quality scales, in the order of mozjpeg's `cjpeg
 * -quant-table N`. */
typedef enum {
  BDCT_PRESET_ANNEX_K,
  BDCT_PRESET_FLAT,
  BDCT_PRESET_MS_SSIM,
  BDCT_PRESET_ROBIDOUX,
  BDCT_PRESET_PSNR_HVS,
  BDCT_PRESET_KLEIN,
  BDCT_PRESET_WATSON,
  BDCT_PRESET_AHUMADA,
  BDCT_PRESET_PETERSON,
  BDCT_N_PRESETS
} BdctPreset;

/** The two tables of a preset, for luma and chroma: row-major, rows are
 * vertical frequency. */
typedef struct {
  const char *name;        /**< "annex-k", ... */
  const char *description; /**< origin */
  const uint16_t *step[2];
} BdctPresetInfo;

/** The table's row; NULL for a value outside the enumeration. */
const BdctPresetInfo *bdct_preset_info (BdctPreset preset);

/** Steps from a file, row-major: 0 (no file), 64 for every component, or 128,
 * luma's and then chroma's. Unused entries are 0. `name` is the caller's name
 * for the file; nothing here reads it. */
typedef struct {
  uint32_t name;
  int n_steps;
  int steps[128];
} BdctTables;

/** Read tables from the text that `cjpeg -qtables` takes, or from a JPEG file
 * (T.81 Annex B) up to its first scan.
 * - Text: whole numbers between white space or commas; # begins a comment, to
 *   the end of the line; one to four tables of 64, row-major. The first is
 *   luma's and the second chroma's, as in cjpeg's slots; the others are checked
 *   and not used. A single table is for every component (cjpeg -qslots 0).
 * - JPEG file: the tables that the frame header gives its one or three
 *   components.
 *
 * Returns false, naming line and value or the byte, if the data is neither or
 * if a step is outside 1 to BDCT_MAX_STEP; `tables` is then unchanged. Else
 * sets all of `tables` but the name. */
bool bdct_tables_parse (const void *data, size_t size, BdctTables *tables,
    BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
