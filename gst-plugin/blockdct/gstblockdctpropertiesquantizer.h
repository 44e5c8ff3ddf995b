/* blockdct: the properties of transform and quantizer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_QUANTIZER_H
#define GST_BLOCKDCT_PROPERTIES_QUANTIZER_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

void gst_blockdct_install_quantizers (GObjectClass * klass);

/* Warn of each property that has been set but has no effect on a frame with
 * these settings; once for each transform. */
void gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings);


G_END_DECLS
#endif
