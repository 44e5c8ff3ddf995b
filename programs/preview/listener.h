/* blockdct-preview: the connections to the page's server.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libsoup's own listener stops at the first connection that it cannot accept.
 * It neither counts connections nor closes idle ones. */
#ifndef PREVIEW_LISTENER_H
#define PREVIEW_LISTENER_H

#include <libsoup/soup.h>

G_BEGIN_DECLS typedef struct _PreviewListener PreviewListener;

/* Listen at an address, and pass its connections to `server`. */
PreviewListener *preview_listener_new (SoupServer * server,
    GSocketAddress * at, GError ** error);
void preview_listener_free (PreviewListener * self);

/* The address with the actual port, owned by the listener. */
GInetSocketAddress *preview_listener_get_address (PreviewListener * self);

/* Keep the connection of `message` even if it is idle: it is a viewer's
 * now. */
void preview_listener_keep (SoupServerMessage * message);

G_END_DECLS
#endif
