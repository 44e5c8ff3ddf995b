/* blockdct-preview: the block that was clicked on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_INSPECTOR_H
#define PREVIEW_INSPECTOR_H

#include <gst/gst.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS
#define PREVIEW_TYPE_INSPECTOR (preview_inspector_get_type ())
G_DECLARE_FINAL_TYPE (PreviewInspector, preview_inspector, PREVIEW, INSPECTOR,
    GtkBox)
/** One array of a block as a table whose cells are coloured by their values,
 * boxes to choose which array, and the histogram of the block's levels. */
    GtkWidget * preview_inspector_new (void);

/** Show a `blockdct-block` message. */
void preview_inspector_show (PreviewInspector * self,
    const GstStructure * block);

G_END_DECLS
#endif
