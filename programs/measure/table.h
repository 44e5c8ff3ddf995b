/* blockdct-measure: reads existing tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEASURE_TABLE_H
#define MEASURE_TABLE_H

#include <glib.h>

G_BEGIN_DECLS

/* Append the rows of a file, or of standard input for "-". FALSE with an error
 * that names the file and the invalid line. */
gboolean measure_table_read (const gchar * path, GArray * rows,
    GError ** error);

G_END_DECLS
#endif
