/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of a scan's blocks (dct/entropy/huffman-symbols.h), against MCU
 * after MCU, written out, of components of every small size. */
#include <glib.h>
#include "dct/entropy/huffman-symbols.h"

static void
check_scan (const BdctScan * scan)
{
  int before = -1;

  for (int top = 0; top < scan->rows; top += scan->v)
    for (int left = 0; left < scan->columns; left += scan->h)
      for (int y = top; y < MIN (top + scan->v, scan->rows); y++)
        for (int x = left; x < MIN (left + scan->h, scan->columns); x++) {
          g_assert_cmpint (bdct_scan_before (scan, x, y), ==, before);
          before = y * scan->columns + x;
        }
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/symbols/order", test_order);
  return g_test_run ();
}
