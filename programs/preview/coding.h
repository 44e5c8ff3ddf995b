/* blockdct-preview: what B is, as controls: the blockdct `b` or an installed
 * encoder at a quality, a QP or a bitrate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_CODING_H
#define PREVIEW_CODING_H

#include "parts.h"

G_BEGIN_DECLS

/** What a control of this name can be; NULL: it is no control of these. */
GParamSpec *preview_coding_find_pspec (const gchar * name);

/** The value of such a control. The choice is of what is in force. From any
 * thread, as is what follows. */
gint preview_coding_get (PreviewSession * self, const gchar * name);

/** A number that the chosen encoder does not take becomes the nearest one.
 * FALSE: the bin's line does not depend on it, and is not set. */
gboolean preview_coding_set (PreviewSession * self, const gchar * name,
    gint value);

/** Whether a control of B has no effect on what makes B. */
gboolean preview_coding_is_idle (PreviewSession * self, const gchar * name);

/** From here on blockdctcompare measures what A does while an encoder makes
 * B. */
void preview_coding_follow (PreviewSession * self);

/** The line in force; the caller's, or NULL. */
gchar *preview_coding_get_line (PreviewSession * self);

G_END_DECLS
#endif
