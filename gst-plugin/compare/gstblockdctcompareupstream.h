/* blockdct: examines the elements upstream of a pad of blockdctcompare.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_UPSTREAM_H
#define GST_BLOCKDCT_COMPARE_UPSTREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether two sink pads share a source element, as behind a tee. */
gboolean gst_blockdct_compare_share_source (GstPad * a, GstPad * b);

/* Whether one streaming thread feeds both pads: while it waits at one, the
 * other gets nothing. */
gboolean gst_blockdct_compare_share_thread (GstPad * a, GstPad * b);

G_END_DECLS
#endif
