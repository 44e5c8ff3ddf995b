/* blockdct-preview: the page's server.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SERVER_H
#define PREVIEW_SERVER_H

#include "front.h"
#include "transport.h"

G_BEGIN_DECLS
/** Serve a page with the frames that come to `sink`, a fakesink behind
 * `dct`, with its controls, and print where. `address` NULL is 127.0.0.1,
 * without a token; any other one has a token in the page's path. `port` 0 is a
 * free one. NULL with the error. */
    PreviewFront * preview_server_new (GstElement * dct, GstElement * sink,
    PreviewTransport * transport, const gchar * address, guint port,
    GError ** error);

G_END_DECLS
#endif
