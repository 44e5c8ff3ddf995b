/* blockdct-preview: PSNR over bits of the frame that is shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CURVE_H
#define PREVIEW_CURVE_H

#include <json-glib/json-glib.h>
#include "session.h"

G_BEGIN_DECLS
/* Compute, in another thread, A's curve, and B's if a transform makes it: the
 * message `blockdct-curve` at twenty settings. `figures` are those of the frame
 * that is shown. `done`, in the main thread, owns {"a": message, "b": message},
 * without what failed. FALSE: there is no frame. */
gboolean preview_curve_run (PreviewSession * session,
    const GstStructure * figures, void (*done) (JsonObject * curves,
        gpointer data), gpointer data);

G_END_DECLS
#endif
