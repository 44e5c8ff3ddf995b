/* blockdct-preview: the page's server.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PREVIEW_SERVER_H
#define PREVIEW_SERVER_H

#include "session.h"

G_BEGIN_DECLS
typedef struct _PreviewServer PreviewServer;

/* Serve a page with the frames and controls of a session, which outlives it,
 * and print its address. `address` NULL is 127.0.0.1, without a token; any
 * other address has a token in the page's path. `port` 0 is a free one. NULL
 * with an error.
 */
PreviewServer *preview_server_new (PreviewSession * session,
    const gchar * address, guint port, GError ** error);
/* The page's address, owned by the server. */
const gchar *preview_server_get_address (PreviewServer * server);
/* Whether all browsers have gone; FALSE before the first one came. */
gboolean preview_server_is_left (PreviewServer * server);
/* Give the port back, and remove what browsers sent. */
void preview_server_close (PreviewServer * server);
/* The session has to be stopped. */
void preview_server_free (PreviewServer * self);

G_END_DECLS
#endif
