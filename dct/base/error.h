/* blockdct: the text of an error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ERROR_H
#define BDCT_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An error's text: what happened, and what to do where that helps. */
typedef struct {
  char message[256];
} BdctError;

/** Write an error's text. Returns false, so that a failing function can end
 * with `return bdct_error (...)`. `error` may be NULL. */
bool bdct_error (BdctError *error, const char *format, ...)
#ifdef __GNUC__
    __attribute__ ((format (printf, 2, 3)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
