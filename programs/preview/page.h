/* blockdct-preview: what a page in a browser shows and changes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A viewer is a browser's WebSocket. It is sent one JSON text with everything
 * that is new to it, and no other until it has answered "shown": changes in
 * between are not queued, the next text has the state at that time. The same
 * goes for frames: if the text has "picture", the newest frame follows it,
 * encoded by encoder.h.
 *
 *     {"controls": [...], "presets": [...]   at first (protocol-write.c)
 *      "heard": commands that came from this viewer,
 *      "values": {control: value},
 *      "name": the source's, "file-a", "file-b": those of files that are A and
 *      B, or null, "no-reference": true if A's is in the place of the original,
 *      "failed-a", "failed-b": why what was chosen for them is not shown, or null,
 *      "encoded-a", "encoded-b": frames that their encoders have made on the way
 *      to the one that comes, or -1,
 *      "late": frames that were too late,
 *      "position", "duration", "frame-duration", and "from" and "to" of the
 *      range that is repeated: seconds, where they are known,
 *      "paused": true, "moves": false for a still, "notice": "a warning",
 *      "opened": true where another file is shown,
 *      "points": [the figures of each frame that was shown since],
 *      "block": {...}, "curve": {"a": {...}, "b": {...}} (curve.c),
 *      "picture": {"frame": number, "skipped": frames not sent to this viewer,
 *        "format", "matrix", "full", "width", "height": encoder.h},
 *      "tone-mapped": true where that was HDR, and figures are of what it was,
 *      "figures": {...} of this frame, "idle": [controls without an effect]}
 *
 * It may send "planes", if it can show them; "shown", or "shown 3.5" if the
 * picture was in transit for 3.5 ms; "curve", for those of the shown frame; and
 * these commands:
 *
 *     set NAME=VALUE                            of a control
 *     preset NAME
 *     no-original                               A's file is in its place
 *     pause, play
 *     step, back                                to the next frame, the last one
 *     seek SECONDS
 *     mark                                      the start of a repeated range,
 *                                               its end, none
 *     press X Y, move X Y, release X Y          of the picture's samples
 *     key NAME                                  such as Up, g, space
 *
 * Pictures are raw if all viewers that wait for one have fast lines, else PNG.
 */
#ifndef PREVIEW_PAGE_H
#define PREVIEW_PAGE_H

#include <libsoup/soup.h>
#include "session.h"

G_BEGIN_DECLS typedef struct _PreviewPage PreviewPage;

/* A page for a session, which outlives it. NULL with an error that says what
 * to install. */
PreviewPage *preview_page_new (PreviewSession * session, GError ** error);
/* Close all viewers and free the page. The session has to be stopped. */
void preview_page_free (PreviewPage * page);

/* Whether there was a viewer, and there is none any more. */
gboolean preview_page_is_left (PreviewPage * page);

/* Whether there is room for another viewer. */
gboolean preview_page_has_room (PreviewPage * page);
void preview_page_add_viewer (PreviewPage * page,
    SoupWebsocketConnection * socket);

G_END_DECLS
#endif
