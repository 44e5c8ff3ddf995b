/* blockdct: the debug categories of the elements and of their common parts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_DEBUG_H
#define GST_BLOCKDCT_DEBUG_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_debug);
GST_DEBUG_CATEGORY_EXTERN (gst_blockdct_compare_debug);

G_END_DECLS
#endif
