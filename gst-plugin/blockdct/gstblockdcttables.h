/* blockdct: reads the files of tables and lists that properties name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_TABLES_H
#define GST_BLOCKDCT_TABLES_H

#include <glib.h>
#include <blockdct/blockdct.h>

G_BEGIN_DECLS

/* Read quantization-file. The tables' name is the path's GQuark: a number, so
 * that settings can be copied and compared. Without a path, or with an empty
 * one, there are no tables. FALSE: the error names the file and the reason. */
gboolean gst_blockdct_tables_read (const gchar * path, BdctTables * tables,
    BdctError * error);

/* Read scaling-list-file likewise. */
gboolean gst_blockdct_lists_read (const gchar * path,
    BdctScalingLists * lists, BdctError * error);

G_END_DECLS
#endif
