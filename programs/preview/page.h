/* blockdct-preview: what a page in a browser shows and turns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A viewer is a browser's WebSocket. It is told all that is new to it since it
 * was told last, as one text in JSON, and then not again before it has said
 * "shown": what changes meanwhile is not queued, but told then as it is then.
 * So are frames, of which the newest one follows the text as encoder.h makes
 * it where the text has "picture".
 *
 *     {"controls": [...], "presets": [...]   at first (protocol-write.h)
 *      "heard": commands that came from this viewer,
 *      "values": {control: value}, "caption": what the picture is,
 *      "position": and "duration": seconds, where they are known,
 *      "paused": true, "notice": "a warning", "block": {...},
 *      "picture": {"frame": number, "skipped": frames not sent to this viewer},
 *      "figures": {...} of this frame, "idle": [controls without an effect],
 *      "plot": [the PSNR of the last frames; null where nothing differs],
 *      "b-plot": [B's, from when on there is a B]}
 *
 * It may say "shown", or "shown 3.5" where the picture was 3.5 ms on its way,
 * and what protocol-read.h has. A picture is a PNG, or a BMP where the lines of
 * all who wait for it are fast.
 */
#ifndef PREVIEW_PAGE_H
#define PREVIEW_PAGE_H

#include <libsoup/soup.h>
#include "session.h"

G_BEGIN_DECLS typedef struct _PreviewPage PreviewPage;

/** What a session shows, which outlives it. NULL with an error that says what
 * to install. */
PreviewPage *preview_page_new (PreviewSession * session, GError ** error);
/** Closes all viewers; with the session stopped. */
void preview_page_free (PreviewPage * page);

/** Whether there is a place for another viewer. */
gboolean preview_page_has_room (PreviewPage * page);
void preview_page_add_viewer (PreviewPage * page,
    SoupWebsocketConnection * socket);

G_END_DECLS
#endif
