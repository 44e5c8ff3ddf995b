/* blockdct-preview: the connections to the page's server.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libsoup's own listener ends with the first connection that it cannot take. It
 * neither counts them nor closes those that ask for nothing. */
#ifndef PREVIEW_LISTENER_H
#define PREVIEW_LISTENER_H

#include <libsoup/soup.h>

G_BEGIN_DECLS typedef struct _PreviewListener PreviewListener;

/** Listen at an address, and give `server` what comes there. */
PreviewListener *preview_listener_new (SoupServer * server,
    GSocketAddress * at, GError ** error);
void preview_listener_free (PreviewListener * self);

/** Where it listens, with the port that it got; the listener's. */
GInetSocketAddress *preview_listener_get_address (PreviewListener * self);

/** The connection of `message` is a viewer's now, who may be silent. */
void preview_listener_keep (SoupServerMessage * message);

G_END_DECLS
#endif
