/* blockdct: the element, and the frame on display for the elements around: its
 * original's format, and its parameters.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctstatistics.h"

#define GST_TYPE_BLOCKDCT (gst_blockdct_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDct, gst_blockdct, GST, BLOCKDCT,
    GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (blockdct);

/* The frame that left last. */
typedef struct
{
  gboolean any;                 /* a frame has left since the caps were set */
  GstVideoInfo info;
  BdctLayout layout;
  BdctParams params;
  guint64 index;
  GstBlockDctTimes times;
} GstBlockDctShown;

/* The frame that a blockdct shows now. Any thread may call this. */
GstBlockDctShown gst_blockdct_get_shown (GstElement * blockdct);
