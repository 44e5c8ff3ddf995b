/* blockdct: the element blockdctcompare.
 *
 * Its parts: who may come in (gstblockdctcomparepad.h), who meets whom
 * (gstblockdctcomparematch.h), what the engine makes of a pair
 * (gstblockdctcompareframes.h), and what leaves (gstblockdctcomparefinish.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_H
#define GST_BLOCKDCT_COMPARE_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

#define GST_TYPE_BLOCKDCT_COMPARE (gst_blockdct_compare_get_type ())
G_DECLARE_FINAL_TYPE (GstBlockDctCompare, gst_blockdct_compare, GST,
    BLOCKDCT_COMPARE, GstAggregator)
GST_ELEMENT_REGISTER_DECLARE (blockdctcompare);

/** The inputs of a blockdctcompare come from one source, frame by frame: let
 * none run ahead by more than so many frames; 0: by as many as of any inputs.
 * From any thread. */
void gst_blockdct_compare_set_lockstep (GstElement * compare,
    guint max_frames);

G_END_DECLS
#endif
