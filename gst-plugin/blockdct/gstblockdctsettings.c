/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctsettings.h"

#include <string.h>

const gchar *
gst_blockdct_settings_lack_tables (const GstBlockDctSettings * settings)
{
  if (settings->tables == GST_BLOCKDCT_TABLES_MATRIX
      && settings->matrix.n == 0)
    return "quantization-matrix";
  if (settings->tables == GST_BLOCKDCT_TABLES_FILE
      && settings->file.n_steps == 0)
    return "quantization-file";
  return NULL;
}

BdctParams
gst_blockdct_settings_params (const GstBlockDctSettings * settings)
{
  BdctParams params = settings->params;

  params.min_block = MIN (params.min_block, params.max_block);
  if (settings->tables == GST_BLOCKDCT_TABLES_MATRIX) {
    params.n_steps = settings->matrix.n;
    memcpy (params.steps, settings->matrix.step, sizeof params.steps);
  } else if (settings->tables == GST_BLOCKDCT_TABLES_FILE) {
    params.tables = settings->file;
  } else {
    params.preset = settings->tables;
  }
  return params;
}
