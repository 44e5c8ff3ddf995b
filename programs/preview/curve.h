/* blockdct-preview: rate and distortion of the frame that is shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CURVE_H
#define PREVIEW_CURVE_H

#include <gtk/gtk.h>
#include "session.h"

G_BEGIN_DECLS
#define PREVIEW_TYPE_CURVE (preview_curve_get_type ())
G_DECLARE_FINAL_TYPE (PreviewCurve, preview_curve, PREVIEW, CURVE,
    GtkDrawingArea)
/** PSNR over bits at twenty of A's settings, and at the current one. It is
 * computed in the background, while it is visible. */
    GtkWidget * preview_curve_new (PreviewSession * session);

/** Another frame is shown, or another setting; these are its figures. */
void preview_curve_update (PreviewCurve * self, const GstStructure * frame);

G_END_DECLS
#endif
