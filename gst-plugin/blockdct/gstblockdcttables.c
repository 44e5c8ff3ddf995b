/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdcttables.h"
#include "gst-plugin/common/gstblockdctfail.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* The largest file that is read: a JPEG file's headers may hold profiles and
 * thumbnails. */
#define MAX_MIB 16
/* Characters of a path in a message; its end says most. */
#define MAX_SHOWN 60

/* A path for a message, in UTF-8. */
static gchar *
describe (const gchar * path)
{
  gchar *name = g_filename_display_name (path);
  glong n = g_utf8_strlen (name, -1);
  gchar *text = n <= MAX_SHOWN ? g_strdup (name) : g_strconcat ("...",
      g_utf8_offset_to_pointer (name, n - MAX_SHOWN), NULL);

  g_free (name);
  return text;
}

/* Read a file's bytes. Only regular files are read: others may block, or never
 * end. */
static gboolean
read_file (const gchar * path, gchar ** data, gsize * size, BdctError * reason)
{
  GError *error = NULL;
  const gchar *why;
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return gst_blockdct_fail (reason, "%s", g_strerror (errno));
  if ((info.st_mode & S_IFMT) != S_IFREG)
    return gst_blockdct_fail (reason, "not a regular file");
  if (info.st_size > MAX_MIB << 20)
    return gst_blockdct_fail (reason,
        "it has %" G_GINT64_FORMAT " bytes, more than %d MiB; put only the "
        "numbers into a file", (gint64) info.st_size, MAX_MIB);
  if (g_file_get_contents (path, data, size, &error))
    return TRUE;
  /* Without the path, which the caller names; a lack of memory names none. */
  why = g_strrstr (error->message, ": ");
  gst_blockdct_fail (reason, "%s", why != NULL ? why + 2 : error->message);
  g_error_free (error);
  return FALSE;
}

/* Read a file into a structure that begins with its name, a GQuark. That is
 * never freed, so only files that can be read get one. */
static gboolean
read_named (const gchar * path,
    gboolean (*parse) (gconstpointer data, gsize size, gpointer to,
        BdctError * error), guint32 * to, BdctError * error)
{
  gchar *data = NULL, *name;
  BdctError reason;
  gboolean ok;
  gsize size;

  if (path == NULL || path[0] == '\0')
    return TRUE;
  ok = read_file (path, &data, &size, &reason)
      && parse (data, size, to, &reason);
  g_free (data);
  if (ok) {
    *to = g_quark_from_string (path);
    return TRUE;
  }
  name = describe (path);
  gst_blockdct_fail (error, "%s: %s", name, reason.message);
  g_free (name);
  return FALSE;
}

static gboolean
parse_tables (gconstpointer data, gsize size, gpointer to, BdctError * error)
{
  return bdct_tables_parse (data, size, to, error);
}

static gboolean
parse_lists (gconstpointer data, gsize size, gpointer to, BdctError * error)
{
  return bdct_scaling_parse (data, size, to, error);
}

gboolean
gst_blockdct_tables_read (const gchar * path, BdctTables * tables,
    BdctError * error)
{
  memset (tables, 0, sizeof *tables);
  return read_named (path, parse_tables, &tables->name, error);
}

gboolean
gst_blockdct_lists_read (const gchar * path, BdctScalingLists * lists,
    BdctError * error)
{
  memset (lists, 0, sizeof *lists);
  return read_named (path, parse_lists, &lists->name, error);
}
