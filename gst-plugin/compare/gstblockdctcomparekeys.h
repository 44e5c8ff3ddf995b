/* blockdct: the keys in the window of blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_KEYS_H
#define GST_BLOCKDCT_COMPARE_KEYS_H

#include "gstblockdctnavigation.h"

G_BEGIN_DECLS

extern const GstBlockDctActions gst_blockdct_compare_actions;

G_END_DECLS
#endif
