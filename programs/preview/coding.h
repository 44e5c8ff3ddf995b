/* blockdct-preview: the controls for what makes B: the blockdct `b` or an
 * installed encoder at a quality, a QP or a bitrate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CODING_H
#define PREVIEW_CODING_H

#include "parts.h"

G_BEGIN_DECLS

/* The description of a control with this name; NULL: it is not one of
 * these. */
GParamSpec *preview_coding_find_pspec (const gchar * name);

/* The value of such a control. Any thread may call this and the following
 * functions. */
gint preview_coding_get (PreviewSession * self, const gchar * name);

/* Set such a control. A number that the chosen encoder does not accept becomes
 * the nearest one. FALSE: the bin's line does not depend on it, and is
 * unchanged. */
gboolean preview_coding_set (PreviewSession * self, const gchar * name,
    gint value);

/* Whether a control of B has no effect at the moment. */
gboolean preview_coding_is_idle (PreviewSession * self, const gchar * name);

/* From now on, blockdctcompare measures A's metrics while an encoder makes
 * B. */
void preview_coding_follow (PreviewSession * self);

/* The line in force, owned by the caller; or NULL. */
gchar *preview_coding_get_line (PreviewSession * self);

G_END_DECLS
#endif
