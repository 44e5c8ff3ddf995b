/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values of properties that are not copied. */
#include "gstblockdctprivate.h"

#include <errno.h>
#include <glib/gstdio.h>

/* The largest file that is read: a JPEG file's headers may hold profiles and
 * thumbnails. */
#define MAX_MIB 16
/* Characters of a path in a message; its end says most. */
#define MAX_SHOWN 60

/* A path for a message, in UTF-8. */
static gchar *
describe (const gchar * path)
{
  g_autofree gchar *name = g_filename_display_name (path);
  const glong n = g_utf8_strlen (name, -1);

  return n <= MAX_SHOWN ? g_steal_pointer (&name) : g_strconcat ("...",
      g_utf8_offset_to_pointer (name, n - MAX_SHOWN), NULL);
}

/* Read a file's bytes. Only regular files are read: others may block, or never
 * end. */
static gboolean
read_file (const gchar * path, gchar ** data, gsize * size, BdctError * reason)
{
  g_autoptr (GError) error = NULL;
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
  return gst_blockdct_fail (reason, "%s", why != NULL ? why + 2 :
      error->message);
}

/* Read a file of tables, or of scaling lists, into a structure that begins with
 * its name, a GQuark. That is never freed, so only files that can be read get
 * one. */
static gboolean
read_named (const GValue * value, gboolean lists, guint32 * to,
    BdctError * error)
{
  const gchar *path = g_value_get_string (value);
  g_autofree gchar *data = NULL, *name = NULL;
  BdctError reason;
  gsize size;

  if (path == NULL || path[0] == '\0')
    return TRUE;
  if (read_file (path, &data, &size, &reason) && (lists
          ? bdct_scaling_parse (data, size, (gpointer) to, &reason)
          : bdct_tables_parse (data, size, (gpointer) to, &reason))) {
    *to = g_quark_from_string (path);
    return TRUE;
  }
  name = describe (path);
  return gst_blockdct_fail (error, "%s: %s", name, reason.message);
}

gboolean
gst_blockdct_parse_tables (const GValue * value, gpointer field,
    BdctError * error)
{
  return read_named (value, FALSE, field, error);
}

gboolean
gst_blockdct_parse_lists (const GValue * value, gpointer field,
    BdctError * error)
{
  return read_named (value, TRUE, field, error);
}

gboolean
gst_blockdct_parse_matrix (const GValue * value, gpointer field,
    BdctError * error)
{
  GstBlockDctMatrix *matrix = field;
  const guint n = gst_value_array_get_size (value);

  matrix->n = n;
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (matrix->step)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    matrix->step[i] = G_VALUE_HOLDS_INT (v) ? g_value_get_int (v) : 0;
  }
  return bdct_steps_check (matrix->step, matrix->n, BDCT_DCT_8X8, 0, FALSE,
      error);
}

/* A side of hevc-quadtree's blocks. */
gboolean
gst_blockdct_parse_side (const GValue * value, gpointer field,
    BdctError * error)
{
  const gint side = g_value_get_int (value);

  *(gint *) field = side;
  return side == 4 || side == 8 || side == 16 || side == 32
      || gst_blockdct_fail (error, "%d is not 4, 8, 16 or 32", side);
}

gboolean
gst_blockdct_parse_curve (const GValue * value, gpointer field,
    BdctError * error)
{
  GstBlockDctCurve *curve = field;
  const guint n = gst_value_array_get_size (value);
  const GValue *first = n == 1 ? gst_value_array_get_value (value, 0) : NULL;

  if (first != NULL && G_VALUE_HOLDS_STRING (first)
      && g_strcmp0 (g_value_get_string (first), "all") == 0) {
    curve->n = -1;
    return TRUE;
  }
  curve->n = n;
  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (curve->setting)); i++) {
    const GValue *v = gst_value_array_get_value (value, i);

    if (!G_VALUE_HOLDS_INT (v))
      return gst_blockdct_fail (error,
          "the entry at index %u is not a whole number", i);
    curve->setting[i] = g_value_get_int (v);
  }
  return gst_blockdct_curve_check (curve, BDCT_N_TRANSFORMS, error);
}

void
gst_blockdct_format_list (gconstpointer field, GValue * value)
{
  const gint *list = field;
  GValue v = G_VALUE_INIT;

  if (list[0] < 0) {
    g_value_init (&v, G_TYPE_STRING);
    g_value_set_static_string (&v, "all");
    gst_value_array_append_and_take_value (value, &v);
  }
  for (gint i = 1; i <= list[0]; i++) {
    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, list[i]);
    gst_value_array_append_and_take_value (value, &v);
  }
}

void
gst_blockdct_format_file (gconstpointer field, GValue * value)
{
  g_value_set_string (value, g_quark_to_string (*(const guint32 *) field));
}
