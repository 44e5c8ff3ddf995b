/* blockdct: the keys and the wheel of blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_KEYS_H
#define GST_BLOCKDCT_PREVIEW_KEYS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a version is a blockdct alone, which the keys set. */
gboolean gst_blockdct_preview_keys_is_own (GstElement * version);

/* Handle a navigation event, which the caller keeps, if it is for A or B, which
 * may be NULL; FALSE: it is not. */
gboolean gst_blockdct_preview_keys_handle (GstEvent * event,
    GstElement * preview, GstElement * a, GstElement * b, GstElement * compare);

G_END_DECLS
#endif
