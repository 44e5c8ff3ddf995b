/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of a scan's blocks (dct/entropy/huffman-symbols.h), which one
 * engine walks from block to block and the other one by index: against MCU
 * after MCU, written out, of components of every small size. And JPEG's levels
 * as floats: on both sides of each level's least coefficient, for all steps. */
#include <glib.h>
#include <math.h>
#include "dct/entropy/huffman-symbols.h"

static void
check_scan (const BdctScan * scan)
{
  int index = 0, before = -1;

  for (int top = 0; top < scan->rows; top += scan->v)
    for (int left = 0; left < scan->columns; left += scan->h)
      for (int y = top; y < MIN (top + scan->v, scan->rows); y++)
        for (int x = left; x < MIN (left + scan->h, scan->columns); x++) {
          int found_x, found_y;

          bdct_scan_block (scan, index++, &found_x, &found_y);
          g_assert_cmpint (found_x, ==, x);
          g_assert_cmpint (found_y, ==, y);
          g_assert_cmpint (bdct_scan_before (scan, x, y), ==, before);
          before = y * scan->columns + x;
        }
  g_assert_cmpint (index, ==, scan->columns * scan->rows);
}

static void
test_order (void)
{
  BdctScan scan;

  for (scan.h = 1; scan.h <= 2; scan.h++)
    for (scan.v = 1; scan.v <= 2; scan.v++)
      for (scan.columns = 1; scan.columns <= 9; scan.columns++)
        for (scan.rows = 1; scan.rows <= 9; scan.rows++)
          check_scan (&scan);
}

static void
check_level (int c, int quant)
{
  const int level = (c + 4 * quant) / (8 * quant);
  const float v = fmaf (c, bdct_symbol_factor (quant), 0.5f);
  int exponent;

  frexpf (v, &exponent);
  if ((int) v != level || MAX (exponent, 0) != bdct_symbol_category (level))
    g_error ("coefficient %d, step %d: %a for level %d", c, quant, v, level);
}

static void
test_levels (void)
{
  for (int quant = 1; quant <= 65535; quant++) {
    check_level (0, quant);
    for (int c = 4 * quant; c < 1 << 18; c += 8 * quant) {
      check_level (c - 1, quant);
      check_level (c, quant);
    }
    check_level ((1 << 18) - 1, quant);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/symbols/levels", test_levels);
  g_test_add_func ("/symbols/order", test_order);
  return g_test_run ();
}
