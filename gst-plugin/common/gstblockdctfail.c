/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctfail.h"

gboolean
gst_blockdct_fail (BdctError * error, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    g_vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return FALSE;
}
