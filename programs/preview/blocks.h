/* blockdct-preview: the block that was clicked on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_BLOCKS_H
#define PREVIEW_BLOCKS_H

#include "parts.h"

G_BEGIN_DECLS
/* The button is pressed or released ("press", "release") at a sample of the
 * picture: a click chooses a block, and the signal `block` says what it is. */
void preview_blocks_point (PreviewSession * self, const gchar * what,
    gdouble x, gdouble y);

/* A frame is shown: say what the block is now, if its settings are others. */
void preview_blocks_follow (PreviewSession * self);

G_END_DECLS
#endif
