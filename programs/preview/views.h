/* blockdct-preview: what can be seen, as one choice: views of two pictures,
 * which blockdctcompare makes, one picture alone, and A's own views of itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_VIEWS_H
#define PREVIEW_VIEWS_H

#include "parts.h"

G_BEGIN_DECLS

/** The controls `view`, and `left` and `right`, whose values are
 * blockdctcompare's numbers; NULL: it is another one. */
GParamSpec *preview_views_find_pspec (PreviewSession * self,
    const gchar * name);

gint preview_views_get (PreviewSession * self);
void preview_views_set (PreviewSession * self, gint view);

/** What the view is called. */
const GEnumValue *preview_views_get_value (PreviewSession * self);

/** Whether one picture is seen, which blockdctcompare passes on as it is. */
gboolean preview_views_is_alone (PreviewSession * self);

/** blockdctcompare's pictures were turned, or its view was (`turned`): A's own
 * views are seen alone, and no picture beside itself. From any thread. */
void preview_views_follow (PreviewSession * self, gboolean turned);

G_END_DECLS
#endif
