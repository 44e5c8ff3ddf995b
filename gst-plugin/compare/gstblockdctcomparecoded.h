/* blockdct: reads the meta of blockdctcoded from a decoded picture.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_COMPARE_CODED_H
#define GST_BLOCKDCT_COMPARE_CODED_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The bits of the coded frame; FALSE: they are unknown. */
gboolean gst_blockdct_compare_coded_get (GstBuffer * buffer, guint64 * bits,
    guint64 * headers);

/* The optional field `encoder`: a name for text on the picture, owned by the
 * buffer; NULL: none. */
const gchar *gst_blockdct_compare_coded_get_encoder (GstBuffer * buffer);

G_END_DECLS
#endif
