/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A connection is closed when its client does nothing for a limited time,
 * unless it waits for an answer or becomes a viewer's. When the maximum number
 * is open, others wait in the kernel. */
#include "server.h"

#include <gio/gnetworking.h>

/* For viewers, and other connections of their browsers. */
#define MAX_CONNECTIONS 128
/* Seconds: in which a part of a request has to come, or of an answer to be
 * taken; and between two attempts to accept a connection. */
#define TIME 10
#define PAUSE 1
/* Bytes that the kernel takes before it has sent them: few, so that it is seen
 * whether a slow line takes any. */
#define UNSENT (64 * 1024)
#define CONNECTION "blockdct-connection"

struct _PreviewListener
{
  SoupServer *server;
  GSocketListener *listener;
  GSocketAddress *address;
  GCancellable *cancellable;
  guint n;                      /* connections */
  gboolean full;                /* no connection is accepted */
  guint pause;                  /* source */
  gboolean warned;              /* a warning said that there is no room */
  guint n_warned;               /* connections at that time */
};

typedef struct
{
  PreviewListener *listener;    /* with a reference */
  GSocketConnection *stream;    /* the connection that this is attached to */
  guint time;                   /* source of its timeout; 0: none */
} Connection;

static void
clear (gpointer data)
{
  PreviewListener *self = data;

  g_object_unref (self->server);
  g_object_unref (self->listener);
  g_clear_object (&self->address);
  g_object_unref (self->cancellable);
}

static void
release (PreviewListener * self)
{
  g_rc_box_release_full (self, clear);
}

/* Warn once, until half of the connections have ended. */
static void
warn (PreviewListener * self, const gchar * text)
{
  if (!self->warned)
    g_printerr ("blockdct-preview: %s Others wait; idle connections are closed "
        "after %d s.\n", text, TIME);
  self->warned = TRUE;
  self->n_warned = self->n;
}

static void take_next (PreviewListener * self);

static gboolean
try_again (gpointer data)
{
  PreviewListener *self = data;

  self->pause = 0;
  take_next (self);
  return G_SOURCE_REMOVE;
}

/* libsoup sees the end of the input, and closes the connection. */
static gboolean
close_idle (gpointer data)
{
  Connection *connection = data;

  connection->time = 0;
  g_socket_shutdown (g_socket_connection_get_socket (connection->stream), TRUE,
      TRUE, NULL);
  return G_SOURCE_REMOVE;
}

static void
keep (Connection * connection)
{
  g_clear_handle_id (&connection->time, g_source_remove);
}

static void
give_time (Connection * connection)
{
  keep (connection);
  connection->time = g_timeout_add_seconds (TIME, close_idle, connection);
}

static Connection *
get_connection (SoupServerMessage * message)
{
  return g_object_get_data (G_OBJECT (soup_server_message_get_remote_address
          (message)), CONNECTION);
}

static void
moved (SoupServerMessage * message)
{
  give_time (get_connection (message));
}

/* Its answer may take longer to make. */
static void
came (SoupServerMessage * message)
{
  keep (get_connection (message));
}

static void
follow (PreviewListener * self, SoupServerMessage * message)
{
  (void) self;
  g_signal_connect (message, "got-chunk", G_CALLBACK (moved), NULL);
  g_signal_connect (message, "got-body", G_CALLBACK (came), NULL);
  g_signal_connect (message, "wrote-headers", G_CALLBACK (moved), NULL);
  g_signal_connect (message, "wrote-body-data", G_CALLBACK (moved), NULL);
}

static void
free_connection (gpointer data)
{
  Connection *connection = data;
  PreviewListener *self = connection->listener;

  keep (connection);
  g_free (connection);
  self->n--;
  if (self->n <= self->n_warned / 2)
    self->warned = FALSE;
  if (self->full)
    take_next (self);
  release (self);
}

static void
serve (PreviewListener * self, GSocketConnection * stream)
{
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address
      (stream, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address
      (stream, NULL);
  Connection *connection = g_new0 (Connection, 1);

  connection->listener = g_rc_box_acquire (self);
  connection->stream = stream;
  give_time (connection);
  g_object_set_data_full (G_OBJECT (stream), CONNECTION, connection,
      free_connection);
  self->n++;
  /* A connection that has ended already has no address. */
  if (local != NULL && remote != NULL) {
    /* Attached to the address, because a message has the address but not the
     * stream. */
    g_object_set_data (G_OBJECT (remote), CONNECTION, connection);
    g_socket_set_option (g_socket_connection_get_socket (stream), IPPROTO_TCP,
        TCP_NODELAY, TRUE, NULL);
    g_socket_set_option (g_socket_connection_get_socket (stream), IPPROTO_TCP,
        TCP_NOTSENT_LOWAT, UNSENT, NULL);
    soup_server_accept_iostream (self->server, G_IO_STREAM (stream), local,
        remote, NULL);
  }
}

static void
take (GObject * source, GAsyncResult * result, gpointer data)
{
  PreviewListener *self = data;
  GError *error = NULL;
  GSocketConnection *stream = g_socket_listener_accept_finish
      (G_SOCKET_LISTENER (source), result, NULL, &error);

  if (stream != NULL) {
    serve (self, stream);
    g_object_unref (stream);
    take_next (self);
  } else if (!g_cancellable_is_cancelled (self->cancellable)) {
    gchar *text = g_strdup_printf ("there can be no more than %u connections: "
        "%s. A higher limit (ulimit -n) allows more.", self->n,
        error->message);

    warn (self, text);
    g_free (text);
    self->pause = g_timeout_add_seconds (PAUSE, try_again, self);
  }
  g_clear_error (&error);
  release (self);
}

static void
take_next (PreviewListener * self)
{
  self->full = self->n >= MAX_CONNECTIONS;
  if (self->full)
    warn (self, "all " G_STRINGIFY (MAX_CONNECTIONS) " connections are in "
        "use.");
  else if (!g_cancellable_is_cancelled (self->cancellable))
    g_socket_listener_accept_async (self->listener, self->cancellable, take,
        g_rc_box_acquire (self));
}

PreviewListener *
preview_listener_new (SoupServer * server, GSocketAddress * at,
    GError ** error)
{
  PreviewListener *self = g_rc_box_new0 (PreviewListener);

  self->server = g_object_ref (server);
  self->listener = g_socket_listener_new ();
  self->cancellable = g_cancellable_new ();
  g_socket_listener_set_backlog (self->listener, MAX_CONNECTIONS);
  if (!g_socket_listener_add_address (self->listener, at, G_SOCKET_TYPE_STREAM,
          G_SOCKET_PROTOCOL_TCP, NULL, &self->address, error)) {
    release (self);
    return NULL;
  }
  g_signal_connect_swapped (server, "request-started", G_CALLBACK (follow),
      self);
  take_next (self);
  return self;
}

void
preview_listener_free (PreviewListener * self)
{
  g_signal_handlers_disconnect_by_data (self->server, self);
  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->pause, g_source_remove);
  g_socket_listener_close (self->listener);
  release (self);
}

GInetSocketAddress *
preview_listener_get_address (PreviewListener * self)
{
  return G_INET_SOCKET_ADDRESS (self->address);
}

void
preview_listener_keep (SoupServerMessage * message)
{
  keep (get_connection (message));
}
