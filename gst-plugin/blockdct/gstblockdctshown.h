/* blockdct: what the frame on display was made from, for the elements around.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_SHOWN_H
#define GST_BLOCKDCT_SHOWN_H

#include <gst/video/video.h>
#include "dct/base/layout.h"
#include "dct/quantizer/job.h"
#include "gst-plugin/common/gstblockdctstatstypes.h"

G_BEGIN_DECLS

/** What the frame that left last was made from, and with. */
typedef struct
{
  gboolean any;                 /* a frame has left since the caps */
  GstVideoInfo info;
  BdctLayout layout;
  BdctParams params;
  guint64 index;
  GstBlockDctTimes times;
} GstBlockDctShown;

/** What a blockdct shows now, from any thread. */
GstBlockDctShown gst_blockdct_get_shown (GstElement * blockdct);

G_END_DECLS
#endif
