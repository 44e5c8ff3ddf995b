/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool
bdct_error (BdctError * error, const char *format, ...)
{
  va_list args;

  if (error != NULL) {
    va_start (args, format);
    vsnprintf (error->message, sizeof error->message, format, args);
    va_end (args);
  }
  return false;
}
