/* blockdct: files that the programs write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BLOCKDCT_FILE_H
#define BLOCKDCT_FILE_H

#include <glib.h>

G_BEGIN_DECLS

/* Write a whole file. It writes to what the path names, be that a symbolic
 * link, a FIFO or a device, which g_file_set_contents() would replace. Returns
 * FALSE, with an error that names the path. */
gboolean file_write (const gchar * path, gconstpointer data, gsize size,
    GError ** error);

G_END_DECLS
#endif
