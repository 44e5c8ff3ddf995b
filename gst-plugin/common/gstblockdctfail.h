/* blockdct: the text of an error of the plugin's own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_FAIL_H
#define GST_BLOCKDCT_FAIL_H

#include <blockdct/blockdct.h>
#include <glib.h>

G_BEGIN_DECLS

/* Write an error's text. Returns FALSE, so that a failing function can end
 * with `return gst_blockdct_fail (...)`. `error` may be NULL. */
gboolean gst_blockdct_fail (BdctError * error, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

G_END_DECLS
#endif
