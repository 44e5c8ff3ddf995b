/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whoever can read the page can change the element. On 127.0.0.1 these are the
 * machine's users, but not other sites in their browsers: such a site would
 * appear in Origin or, if its name resolves to this machine, in Host. At any
 * other address it is whoever has the token. */
#include "server.h"
#include "resources.h"

#include <string.h>
#include <unistd.h>

#define LOCAL "127.0.0.1"
#define N_TOKEN_BYTES 16
/* The page loads nothing from other sites, and runs nothing but its own
 * scripts. */
#define POLICY "default-src 'none'; script-src 'self'; style-src 'self'; " \
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; " \
    "form-action 'none'; frame-ancestors 'none'"

struct _PreviewServer
{
  PreviewPage *page;
  PreviewFiles *files;
  SoupServer *server;
  PreviewListener *listener;
  gchar *base;                  /* the page's path, with a / at its end */
  gchar *address;
  gboolean local;               /* no token */
};

static const struct
{
  const gchar *name, *type;
} files[] = {
  {"", "text/html; charset=utf-8"},
  {"page.js", "text/javascript; charset=utf-8"},
  {"plot.js", "text/javascript; charset=utf-8"},
  {"view.js", "text/javascript; charset=utf-8"},
  {"cards.js", "text/javascript; charset=utf-8"},
  {"input.js", "text/javascript; charset=utf-8"},
  {"panels.js", "text/javascript; charset=utf-8"},
  {"page.css", "text/css; charset=utf-8"},
  {"icon.svg", "image/svg+xml"},
};

static void
add_headers (SoupServerMessage * message)
{
  static const gchar *const headers[][2] = {
    {"Content-Security-Policy", POLICY},
    {"Cache-Control", "no-store"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), headers[i][0], headers[i][1]);
}

/* Whether a path has the token. The time of the comparison does not depend on
 * how much of it is right. */
static gboolean
has_token (PreviewServer * self, const gchar * path)
{
  gsize length = strlen (self->base);
  guint8 difference = 0;

  if (strlen (path) < length)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    difference |= path[i] ^ self->base[i];
  return difference == 0;
}

/* Whether a host is one of this machine's local names, with any port: ssh -L
 * may use another one. */
static gboolean
is_local (const gchar * host)
{
  static const gchar *const names[] = { LOCAL, "localhost", NULL };
  g_autofree gchar *name = g_strndup (host, strcspn (host, ":"));
  gboolean known = g_strv_contains (names, name);

  return known;
}

static gboolean
is_own_origin (const gchar * origin, const gchar * host)
{
  return origin == NULL || (g_str_has_prefix (origin, "http://")
      && strcmp (origin + strlen ("http://"), host) == 0);
}

static gboolean
may_pass (PreviewServer * self, SoupServerMessage * message, const gchar * path)
{
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const gchar *host = soup_message_headers_get_one (headers, "Host");
  const gchar *origin = soup_message_headers_get_one (headers, "Origin");

  add_headers (message);
  if (host == NULL || !is_own_origin (origin, host)
      || (self->local && !is_local (host)))
    preview_answer (message, SOUP_STATUS_FORBIDDEN,
        "Requests from this host or page are not allowed.\n");
  else if (!has_token (self, path))
    preview_answer (message, SOUP_STATUS_FORBIDDEN,
        "Use the address that blockdct-preview printed: it has a token.\n");
  else
    return TRUE;
  return FALSE;
}

/* Whether it is a request of this kind to open a file. */
static gboolean
is_open (PreviewServer * self, SoupServerMessage * message, const gchar * path,
    const gchar * method)
{
  return soup_server_message_get_method (message) == method
      && strcmp (path + strlen (self->base), "open") == 0;
}

/* The headers of a request have come. A file to open is written as it comes. */
static void
check_file (SoupServer * server, SoupServerMessage * message,
    const gchar * path, GHashTable * query, gpointer data)
{
  PreviewServer *self = data;
  const gchar *name = query == NULL ? NULL : g_hash_table_lookup (query,
      "name");

  (void) server;
  if (may_pass (self, message, path)
      && is_open (self, message, path, SOUP_METHOD_POST)) {
    if (name == NULL || *name == '\0')
      preview_answer (message, SOUP_STATUS_BAD_REQUEST, "open?name=FILE\n");
    else
      preview_files_receive (message, name,
          g_hash_table_lookup (query, "side"));
  }
}

static void
serve_file (SoupServer * server, SoupServerMessage * message,
    const gchar * path, GHashTable * query, gpointer data)
{
  PreviewServer *self = data;
  const gchar *method = soup_server_message_get_method (message), *name;
  gsize size;

  (void) server;
  /* libsoup closes it after the answer. */
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Connection", "close");
  if (!may_pass (self, message, path))
    return;
  if (is_open (self, message, path, SOUP_METHOD_POST)) {
    preview_files_open (self->files, message);
    return;
  }
  if (is_open (self, message, path, SOUP_METHOD_GET) && query != NULL
      && g_hash_table_contains (query, "size")) {
    preview_files_check (message, g_hash_table_lookup (query, "size"));
    return;
  }
  if (method != SOUP_METHOD_GET && method != SOUP_METHOD_HEAD) {
    preview_answer (message, SOUP_STATUS_METHOD_NOT_ALLOWED,
        "Only GET and HEAD are allowed.\n");
    return;
  }
  name = path + strlen (self->base);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (strcmp (name, files[i].name) == 0) {
      g_autofree gchar *resource = g_strconcat ("/blockdct/",
          *name != '\0' ? name : "index.html", NULL);
      g_autoptr (GBytes) bytes = g_resource_lookup_data
          (preview_resources_get_resource (),
          resource, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
      const gchar *text = g_bytes_get_data (bytes, &size);

      soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
      soup_server_message_set_response (message, files[i].type,
          SOUP_MEMORY_STATIC, text, size);
      return;
    }
  if (method != SOUP_METHOD_GET
      || !preview_files_get (self->files, message, name))
    preview_answer (message, SOUP_STATUS_NOT_FOUND, "There is no such page.\n");
}

/* Without a status, libsoup continues and opens the WebSocket. */
static void
check_viewer (SoupServer * server, SoupServerMessage * message,
    const gchar * path, GHashTable * query, gpointer data)
{
  PreviewServer *self = data;

  (void) server, (void) query;
  if (may_pass (self, message, path) && !preview_page_has_room (self->page))
    preview_answer (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "There are too many viewers.\n");
}

static void
add_viewer (SoupServer * server, SoupServerMessage * message,
    const gchar * path, SoupWebsocketConnection * socket, gpointer data)
{
  (void) server, (void) path;
  preview_listener_keep (message);
  preview_page_add_viewer (((PreviewServer *) data)->page, socket);
}

void
preview_server_close (PreviewServer * self)
{
  g_clear_pointer (&self->listener, preview_listener_free);
  soup_server_disconnect (self->server);
  preview_files_remove (self->files);
}

void
preview_server_free (PreviewServer * self)
{
  preview_server_close (self);
  g_clear_pointer (&self->page, preview_page_free);
  g_clear_pointer (&self->files, preview_files_free);
  g_object_unref (self->server);
  g_free (self->base);
  g_free (self->address);
  g_free (self);
}

/* "/", or "/TOKEN/". */
static gchar *
make_base (gboolean local)
{
  GString *base = g_string_new ("/");
  guint8 token[N_TOKEN_BYTES];

  if (local)
    return g_string_free (base, FALSE);
  if (getentropy (token, sizeof token) != 0)
    g_error ("There are no random numbers for a token");
  for (guint i = 0; i < sizeof token; i++)
    g_string_append_printf (base, "%02x", token[i]);
  g_string_append_c (base, '/');
  return g_string_free (base, FALSE);
}

/* When listening at all addresses, it is the machine's name. */
static gchar *
describe_address (PreviewServer * self)
{
  GInetSocketAddress *at = preview_listener_get_address (self->listener);
  GInetAddress *address = g_inet_socket_address_get_address (at);
  g_autofree gchar *host = g_inet_address_get_is_any (address)
      ? g_strdup (g_get_host_name ()) : g_inet_address_to_string (address);

  return g_strdup_printf (strchr (host, ':') ? "http://[%s]:%d%s"
      : "http://%s:%d%s", host, g_inet_socket_address_get_port (at),
      self->base);
}

static gboolean
listen (PreviewServer * self, const gchar * address, guint port,
    GError ** error)
{
  g_autoptr (GSocketAddress) at = g_inet_socket_address_new_from_string
      (address, port);

  if (at == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "--http-address=%s is not an IP address, such as 0.0.0.0 or ::1",
        address);
  else
    self->listener = preview_listener_new (self->server, at, error);
  if (at != NULL && self->listener == NULL)
    g_prefix_error (error, "%s, port %u: ", address, port);
  return self->listener != NULL;
}

PreviewServer *
preview_server_new (PreviewSession * session, const gchar * address,
    guint port, GError ** error)
{
  PreviewServer *self = g_new0 (PreviewServer, 1);
  g_autofree gchar *socket = NULL;

  self->local = address == NULL;
  self->base = make_base (self->local);
  self->files = preview_files_new (session);
  self->server = soup_server_new ("server-header", "blockdct-preview", NULL);
  /* Pictures are already compressed where that helps. */
  soup_server_remove_websocket_extension (self->server,
      SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE);
  self->page = preview_page_new (session, error);
  if (self->page == NULL
      || !listen (self, self->local ? LOCAL : address, port, error)) {
    preview_server_free (self);
    return NULL;
  }
  socket = g_strconcat (self->base, "socket", NULL);
  soup_server_add_early_handler (self->server, NULL, check_file, self, NULL);
  soup_server_add_handler (self->server, NULL, serve_file, self, NULL);
  soup_server_add_handler (self->server, socket, check_viewer, self, NULL);
  soup_server_add_websocket_handler (self->server, socket, NULL, NULL,
      add_viewer, self, NULL);
  self->address = describe_address (self);
  g_print ("%s\n", self->address);
  return self;
}

const gchar *
preview_server_get_address (PreviewServer * self)
{
  return self->address;
}

gboolean
preview_server_is_left (PreviewServer * self)
{
  return preview_page_is_left (self->page);
}
