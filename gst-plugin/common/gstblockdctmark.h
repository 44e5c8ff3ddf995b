/* blockdct: marks that blockdctpreview puts on frames, and that elements pass
 * on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_MARK_H
#define GST_BLOCKDCT_MARK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The frame is shown again: it is not counted. */
#define GST_BLOCKDCT_MARK_REPEATED "blockdct-repeated"

/* The buffer stands for a picture that is not made: blockdctcompare treats the
 * pad as absent. */
#define GST_BLOCKDCT_MARK_ABSENT "blockdct-absent"

/* Register the marks, which are custom metas; call it once. */
void gst_blockdct_mark_init (void);

/* A marked copy of a buffer that shares its memory; the caller owns it. */
GstBuffer *gst_blockdct_mark_copy (GstBuffer * buffer, const gchar * mark);

/* Mark a writable buffer, if it is not yet. */
void gst_blockdct_mark_add (GstBuffer * buffer, const gchar * mark);

gboolean gst_blockdct_mark_is (GstBuffer * buffer, const gchar * mark);

G_END_DECLS
#endif
