/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "table.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include "row.h"

gboolean
measure_table_read (const gchar * path, GArray * rows, GError ** error)
{
  GString *text = g_string_new (NULL);
  FILE *file = strcmp (path, "-") == 0 ? stdin : fopen (path, "r");
  GError *reason = NULL;
  gchar part[4096];
  gsize n;

  while (file != NULL && (n = fread (part, 1, sizeof part, file)) > 0)
    g_string_append_len (text, part, n);
  if (file == NULL || ferror (file))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", path,
        g_strerror (errno));
  else if (!measure_rows_read (rows, NULL, text->str, text->len, &reason))
    g_propagate_prefixed_error (error, reason, "%s: ", path);
  if (file != NULL && file != stdin)
    fclose (file);
  g_string_free (text, TRUE);
  return *error == NULL;
}
