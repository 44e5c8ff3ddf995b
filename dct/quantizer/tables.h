/* blockdct: quantization tables as people have them: presets, and files of
 * other programs.
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

/** The largest step of any table: libjpeg's for 12 bits. */
#define BDCT_MAX_STEP 32767

/** The tables for quality to scale, in the order of mozjpeg's
 * `cjpeg -quant-table N`. */
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

/** Row-major, rows are vertical frequency: of luma, and of chroma. */
typedef struct {
  const char *name;        /**< "annex-k", ... */
  const char *description; /**< whose it is */
  const uint16_t *step[2];
} BdctPresetInfo;

/** NULL for what is none. */
const BdctPresetInfo *bdct_preset_info (BdctPreset preset);

/** Steps from a file: 0 (there are none), 64 for every component, or 128,
 * luma's and then chroma's; row-major. The rest is 0. `name` is what the caller
 * knows the file by, and is looked at by nobody else. */
typedef struct {
  uint32_t name;
  int n_steps;
  int steps[128];
} BdctTables;

/** Read tables from the text that `cjpeg -qtables` takes, or from a JPEG file
 * (T.81 Annex B), of which nothing from the first scan on is looked at.
 * - Text: whole numbers between white space or commas, comments from # to the
 *   end of the line; one to four tables of 64, row-major. The first is luma's,
 *   the second chroma's, as cjpeg's slots are; others are checked and not used.
 *   One alone is for every component (cjpeg -qslots 0).
 * - A JPEG file: those that the frame header has its one or three components
 *   use.
 * False, with line and value or the byte named, if it is neither, or if a step
 * is outside 1 to BDCT_MAX_STEP. `tables` is then untouched; else all of it is
 * set but the name. */
bool bdct_tables_parse (const void *data, size_t size, BdctTables *tables,
    BdctError *error);

#ifdef __cplusplus
}
#endif
#endif
