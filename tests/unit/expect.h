/* blockdct unit tests: comparisons in loops.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <glib.h>

/* What a test means to say once, not 10000 times. */
#define EXPECT(actual, expected, ...)                                         \
  G_STMT_START {                                                              \
    gint64 a_ = (actual), e_ = (expected);                                    \
    if (a_ != e_) {                                                           \
      char *where_ = g_strdup_printf (__VA_ARGS__);                           \
      g_test_fail_printf ("%s: %s is %" G_GINT64_FORMAT ", not %"             \
          G_GINT64_FORMAT, where_, #actual, a_, e_);                          \
      g_free (where_);                                                        \
      return;                                                                 \
    }                                                                         \
  } G_STMT_END

#endif
