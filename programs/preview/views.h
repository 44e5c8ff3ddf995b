/* blockdct-preview: all views as one choice: blockdctcompare's views of two
 * pictures, one picture alone, and A's own views.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_VIEWS_H
#define PREVIEW_VIEWS_H

#include "parts.h"

G_BEGIN_DECLS

/* The description of the control `view`, or of `left` and `right`, whose
 * values are blockdctcompare's numbers; NULL: it is another control. */
GParamSpec *preview_views_find_pspec (PreviewSession * self,
    const gchar * name);

gint preview_views_get (PreviewSession * self);
void preview_views_set (PreviewSession * self, gint view);

/* The current view's value. */
const GEnumValue *preview_views_get_value (PreviewSession * self);

/* Called when blockdctcompare's pictures have changed, or its view (`turned`):
 * A's own views are shown alone, and no picture is shown beside itself. Any
 * thread may call this. */
void preview_views_follow (PreviewSession * self, gboolean turned);

G_END_DECLS
#endif
