/* blockdct: the keys and the wheel of blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PREVIEW_KEYS_H
#define GST_BLOCKDCT_PREVIEW_KEYS_H

#include "gstblockdctpreviewprivate.h"

G_BEGIN_DECLS

/* Handle a navigation event, which the caller keeps, if it is for A, B or
 * freeze; FALSE: it is not. */
gboolean gst_blockdct_preview_keys_handle (GstBlockDctPreview * self,
    GstEvent * event);

G_END_DECLS
#endif
