/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

BdctEngine *engines[MAX_ENGINES];
guint n_engines;

void
tests_init (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  n_engines = engines_open (engines);
}

int
tests_run (void)
{
  const int status = g_test_run ();

  engines_close (engines, n_engines);
  return status;
}

void
tests_add (GTestDataFunc func, int data, const char *path, ...)
{
  char *text;
  va_list args;

  va_start (args, path);
  text = g_strdup_vprintf (path, args);
  va_end (args);
  g_test_add_data_func (text, GINT_TO_POINTER (data), func);
  g_free (text);
}
