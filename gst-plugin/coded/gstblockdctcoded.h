/* blockdct: the sizes of coded frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_CODED_H
#define GST_BLOCKDCT_CODED_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_CODED (gst_blockdct_coded_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctCoded, gst_blockdct_coded, GST, BLOCKDCT_CODED,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdctcoded);

G_END_DECLS
#endif
