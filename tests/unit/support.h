/* blockdct tests: pictures as plain arrays of samples, and tests with a number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <glib.h>
#include "reference.h"

typedef RefPicture Picture;

void picture_clear (Picture *picture);

/* Read a binary PGM as a picture of one component; FALSE, with the test
 * skipped and the reason given, if there is none. */
gboolean picture_load (Picture *picture, const char *name);

/* Add a test with a number, at a path of printf(). */
void tests_add (GTestDataFunc func, int data, const char *path, ...)
    G_GNUC_PRINTF (3, 4);

#endif
