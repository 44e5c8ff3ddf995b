/* blockdct: the text of an error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BDCT_ERROR_H
#define BDCT_ERROR_H

#include <blockdct/picture.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write an error's text. Returns false, so that a failing function can end
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
