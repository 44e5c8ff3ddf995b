/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bins.h"

guint64
ref_price_runs (const BdctCabacCounts * runs, int n_runs, int log2_size,
    gboolean chroma, int slice_qp)
{
  const int slots = bdct_cabac_slots (log2_size, chroma);
  guint16 *records = g_new (guint16, n_runs * slots + 1);
  guint16 start[BDCT_CABAC_TREE_SLOTS];
  guint64 price = 0;

  bdct_cabac_start (start, slice_qp, log2_size, chroma);
  for (int i = 0; i < n_runs; i++)
    bdct_cabac_pack (records + i * slots, runs[i], log2_size, chroma);
  for (int i = 0; i < n_runs; i += BDCT_CABAC_SEGMENT)
    price += bdct_cabac_price (records + i * slots, MIN (i,
            BDCT_CABAC_SEGMENT), MIN (n_runs - i, BDCT_CABAC_SEGMENT), start,
        log2_size, chroma);
  g_free (records);
  return price;
}

guint64
ref_price_blocks (const BdctLevel * levels, int columns, int rows,
    int log2_size, gboolean chroma, int slice_qp)
{
  const int n_runs = bdct_cabac_runs (columns, rows, log2_size);
  BdctCabacCounts *runs = g_new0 (BdctCabacCounts, n_runs + 1);
  guint64 price;

  bdct_cabac_init ();
  for (int i = 0; i < columns * rows; i++) {
    const int strip = log2_size > 2 ? 0 : i / (8 * columns);
    const int run = strip * ((columns + 1) / 2)
        + ((i - strip * 8 * columns) << 2 * log2_size) / 256;

    bdct_cabac_count (&runs[run], levels + ((gsize) i << 2 * log2_size),
        log2_size, chroma);
  }
  price = ref_price_runs (runs, n_runs, log2_size, chroma, slice_qp);
  g_free (runs);
  return price;
}
