/* blockdct tests: a program of tests of engines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "frame.h"

/* The engines under test, opened with GLib's tests and closed when these have
 * run, which is the program's status. */
extern BdctEngine *engines[MAX_ENGINES];
extern guint n_engines;
void tests_init (int *argc, char ***argv);
int tests_run (void);

/* Add a test of one of many, whose path is as printf() has it. */
void tests_add (GTestDataFunc func, int data, const char *path, ...)
    G_GNUC_PRINTF (3, 4);

#endif
