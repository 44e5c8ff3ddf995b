/* blockdct: GstBlockDctPage, a bin of two transforms and a comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_H
#define GST_BLOCKDCT_PAGE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_PAGE (gst_blockdct_page_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPage, gst_blockdct_page, GST,
    BLOCKDCT_PAGE, GstBin)
GST_ELEMENT_REGISTER_DECLARE (blockdctpage);

G_END_DECLS
#endif
