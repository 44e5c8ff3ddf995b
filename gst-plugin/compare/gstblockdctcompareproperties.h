/* blockdct: the properties of blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_PROPERTIES_H
#define GST_BLOCKDCT_COMPARE_PROPERTIES_H

#include "gstblockdctcompareprivate.h"

G_BEGIN_DECLS

void gst_blockdct_compare_install_properties (GObjectClass * klass);
void gst_blockdct_compare_init_properties (GstBlockDctCompare * self);

G_END_DECLS
#endif
