/* blockdct: the properties of what is done to a frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_QUANTIZER_H
#define GST_BLOCKDCT_PROPERTIES_QUANTIZER_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

void gst_blockdct_install_quantizers (GObjectClass * klass);

/** Say of each property that was set and has no effect on the frame with these
 * settings that this is so; once for each transform. */
void gst_blockdct_warn_unused (GstBlockDct * self,
    const GstBlockDctSettings * settings);


G_END_DECLS
#endif
