/* blockdct-preview: the pictures' way from the player to what compares.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_FLOW_H
#define PREVIEW_FLOW_H

#include "parts.h"

G_BEGIN_DECLS

/* What the player calls, with the session as owner. */
extern const PreviewPlayerFuncs preview_flow_funcs;

/* Whether an encoder makes a picture that is shown. */
gboolean preview_flow_encodes (PreviewSession * self);

/* With the lock: what is on its way is not shown; begin another run, which
 * holds its first frame, or plays; forget the held frame. */
void preview_flow_drop (PreviewSession * self);
void preview_flow_begin (PreviewSession * self, gboolean holds);
void preview_flow_clear (PreviewSession * self);

/* Hold the frame that is shown; FALSE: there is none. */
gboolean preview_flow_hold (PreviewSession * self);

/* A setting has changed, in any thread: show the held frame again. */
void preview_flow_change (PreviewSession * self);

/* The thread of what compares calls this: whether a frame is to be shown, after
 * a wait for its time. */
gboolean preview_flow_show (PreviewSession * self, GstBuffer * original);

/* And this, with the view of that frame. */
void preview_flow_shown (PreviewSession * self, GstSample * view);

/* The view as it is shown with the settings in force, owned by the caller; or
 * NULL. Any thread may call this. */
GstSample *preview_flow_get_view (PreviewSession * self);

G_END_DECLS
#endif
