/* blockdct: makes blockdctpage's coder from a gst-launch line that describes
 * an encoder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PAGE_LINE_H
#define GST_BLOCKDCT_PAGE_LINE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whether a line describes an encoder whose stream can be decoded; FALSE with
 * an error. */
gboolean gst_blockdct_page_line_check (const gchar * line, GError ** error);

/* A floating bin with pads sink and src that encodes pictures of these caps,
 * and decodes them to the same caps in system memory. NULL with an error. */
GstElement *gst_blockdct_page_line_make (const gchar * line,
    const GstCaps * caps, GError ** error);

/* The same as a description without converters, for the element
 * blockdctpreview; the caller owns it. NULL: the line cannot work. */
gchar *gst_blockdct_page_line_describe (const gchar * line);

G_END_DECLS
#endif
