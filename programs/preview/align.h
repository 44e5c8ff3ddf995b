/* blockdct-preview: by how much the files that are A and B are late.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_ALIGN_H
#define PREVIEW_ALIGN_H

#include "parts.h"

G_BEGIN_DECLS

/* Find it in another thread, for each file that is new to its original; then
 * play it in time, and say so. Without a display, wait for that. */
void preview_align_start (PreviewSession * self);

/* End it; no thread is left. */
void preview_align_stop (PreviewSession * self);

G_END_DECLS
#endif
