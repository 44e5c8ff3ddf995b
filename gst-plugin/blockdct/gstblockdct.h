/* blockdct: the element.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_H
#define GST_BLOCKDCT_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT (gst_blockdct_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDct, gst_blockdct, GST, BLOCKDCT,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdct);

G_END_DECLS
#endif
