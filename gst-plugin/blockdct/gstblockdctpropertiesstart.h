/* blockdct: the properties that are read when the element starts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_START_H
#define GST_BLOCKDCT_PROPERTIES_START_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

void gst_blockdct_install_start (GObjectClass * klass);

G_END_DECLS
#endif
