/* blockdct: the frame on display: its original's format, and its parameters,
 * for the elements around.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_SHOWN_H
#define GST_BLOCKDCT_SHOWN_H

#include <gst/video/video.h>
#include <blockdct/blockdct.h>
#include "gst-plugin/common/gstblockdctstatstypes.h"

G_BEGIN_DECLS

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

G_END_DECLS
#endif
