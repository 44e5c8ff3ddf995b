/* blockdct: the debug categories of the elements and of what they share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_DEBUG_H
#define GST_BLOCKDCT_DEBUG_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);
GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);

/** Make them; before all else, and harmless once more. */
void gst_blockdct_debug_init (void);

G_END_DECLS
#endif
