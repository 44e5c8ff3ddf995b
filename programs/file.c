/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "file.h"

#include <errno.h>
#include <stdio.h>

gboolean
file_write (const gchar * path, gconstpointer data, gsize size,
    GError ** error)
{
  FILE *file = fopen (path, "wbe");
  gboolean ok = file != NULL && fwrite (data, 1, size, file) == size;
  gint code = errno;

  /* What fwrite() has kept may fail to be written here. */
  if (file != NULL && fclose (file) != 0 && ok) {
    ok = FALSE;
    code = errno;
  }
  if (!ok)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s",
        path, g_strerror (code));
  return ok;
}
