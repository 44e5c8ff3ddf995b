/* blockdct: the sizes of coded frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#define GST_TYPE_BLOCKDCT_CODED (gst_blockdct_coded_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctCoded, gst_blockdct_coded, GST, BLOCKDCT_CODED,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdctcoded);
