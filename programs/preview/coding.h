/* blockdct-preview: the controls for what makes A and B: a blockdct, or an
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

/* The value of such a control. */
gint preview_coding_get (PreviewSession * self, const gchar * name);

/* Set such a control. A number that the chosen encoder does not accept becomes
 * the nearest one. */
void preview_coding_set (PreviewSession * self, const gchar * name,
    gint value);

/* Set "NAME=VALUE" of the chosen encoder's other properties, whose names are
 * encoder::NAME and b::encoder::NAME. FALSE with an error. */
gboolean preview_coding_set_property (PreviewSession * self,
    const gchar * pair, GError ** error);

/* Have the encoder of a line make A (0) or B (1); NULL: the blockdct. FALSE
 * with an error, and nothing is changed. */
gboolean preview_coding_set_line (PreviewSession * self, guint side,
    const gchar * line, GError ** error);

/* Have a file be A (0) or B (1). */
void preview_coding_set_file (PreviewSession * self, guint side,
    const gchar * file);

/* Whether a control of a side has no effect at the moment: one of a blockdct
 * beside an encoder, or the other way. */
gboolean preview_coding_is_idle (PreviewSession * self, const gchar * name);

/* Set the numbers, and from now on have blockdctcompare measure A's metrics
 * while an encoder makes A or B. */
void preview_coding_follow (PreviewSession * self);

G_END_DECLS
#endif
