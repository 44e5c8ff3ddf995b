/* blockdct: GstBlockDctPreview, a bin of two versions of a picture and their
 * comparison.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_BLOCKDCT_PREVIEW (gst_blockdct_preview_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctPreview, gst_blockdct_preview, GST,
    BLOCKDCT_PREVIEW, GstBin)
GST_ELEMENT_REGISTER_DECLARE (blockdctpreview);
