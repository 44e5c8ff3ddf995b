/* blockdct: the keys and the wheel of blockdctpage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_KEYS_H
#define GST_BLOCKDCT_PAGE_KEYS_H

#include "private.h"

G_BEGIN_DECLS

/* Handle a navigation event, which the caller keeps, if it is for A, B or
 * freeze; FALSE: it is not. */
gboolean gst_blockdct_page_keys_handle (GstBlockDctPage * self,
    GstEvent * event);

G_END_DECLS
#endif
