/* blockdct-preview: completes what a person types of an encoder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_LINE_H
#define PREVIEW_LINE_H

#include <gst/gst.h>

G_BEGIN_DECLS
/* The description of a bin that gives an encoder's pictures: the line, as for
 * gst-launch-1.0, with what decodes its stream and counts its bits; owned by
 * the caller. NULL with an error: it cannot work. */
gchar *preview_line_describe (const gchar * line, GError ** error);

G_END_DECLS
#endif
