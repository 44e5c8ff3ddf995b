/* blockdct tests: the program of a test whose oracle the build lacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_ABSENT_H
#define TESTS_ABSENT_H

#include <glib.h>

static void
skip_absent (gconstpointer reason)
{
  g_test_skip (reason);
}

/* One test, which is skipped and says why. */
static int
run_absent (int argc, char **argv, const char *path, const char *reason)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func (path, reason, skip_absent);
  return g_test_run ();
}

#endif
