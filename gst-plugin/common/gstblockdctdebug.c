/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstblockdctdebug.h"

GST_DEBUG_CATEGORY (gst_blockdct_debug);
GST_DEBUG_CATEGORY (gst_blockdct_compare_debug);

void
gst_blockdct_debug_init (void)
{
  GST_DEBUG_CATEGORY_INIT (gst_blockdct_debug, "blockdct", 0,
      "Block DCT and PSNR");
  GST_DEBUG_CATEGORY_INIT (gst_blockdct_compare_debug, "blockdctcompare", 0,
      "Pictures against a reference");
}
