/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main() of a program that has tests alone. */
#include "bench.h"

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  return test_run ();
}
