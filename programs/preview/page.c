/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main thread does everything, except that frames come in the pipeline's
 * thread, notifications in any thread, and frames are encoded and curves
 * computed in GLib's threads. */
#include "server.h"

#include <string.h>

#define MAX_VIEWERS 32
#define SHOWN "shown"
#define PLANES "planes"
#define CURVE "curve"
/* The longest command, with room. */
#define MAX_COMMAND 1024
/* Bytes a millisecond of a fast line. At this rate raw planes of 1920 x 1080,
 * 3 MB, take as long as a PNG of them, half of that, and making it, 70 ms. */
#define FAST 20e3
/* The number of frames whose figures a viewer gets that comes late. */
#define N_POINTS 300
/* The settings of curves. */
#define QUALITIES "<5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85," \
    "90,95,98>"
#define QPS "<6,9,12,15,17,19,21,23,25,27,29,31,33,35,37,39,42,45,48,51>"

static gboolean update (gpointer data);

static void
update_soon (PreviewPage * self)
{
  if (!self->updating)
    g_idle_add_full (G_PRIORITY_DEFAULT, update, self, NULL);
  self->updating = TRUE;
}

static void
wake (PreviewPage * self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  update_soon (self);
}

/* Signals of the session */

/* `news` is owned by the page from now on; NULL: there is none any more. */
static void
put (PreviewPage * self, PreviewNews what, JsonNode * news)
{
  g_clear_pointer (&self->news[what].is, json_node_unref);
  self->news[what].is = news;
  self->news[what].at = news != NULL ? ++self->now : 0;
  wake (self);
}

static void
show_block (PreviewPage * self, const GstStructure * block)
{
  put (self, PREVIEW_BLOCK, preview_news_write_structure (block));
}

/* Whether all viewers have the last notice. */
static gboolean
is_noticed (PreviewPage * self)
{
  for (guint i = 0; i < self->viewers->len; i++) {
    const Viewer *viewer = g_ptr_array_index (self->viewers, i);

    if (viewer->sent < self->news[PREVIEW_NOTICE].at)
      return FALSE;
  }
  return self->viewers->len > 0;
}

/* Behind one that is not everywhere yet. */
static void
show_notice (PreviewPage * self, const gchar * text)
{
  JsonNode *last = self->news[PREVIEW_NOTICE].is;
  const gchar *before = last == NULL || is_noticed (self) ? ""
      : json_node_get_string (last);
  g_autofree gchar *all = *before == '\0' || strlen (before) > MAX_COMMAND
      ? g_strdup (text) : strstr (before, text) != NULL ? g_strdup (before)
      : g_strconcat (before, " ", text, NULL);

  put (self, PREVIEW_NOTICE, json_node_init_string (json_node_alloc (), all));
}

/* A frame that is shown again replaces itself. */
static void
add_point (PreviewPage * self, const GstStructure * figures)
{
  guint n = json_array_get_length (self->points);

  if (gst_structure_has_field (figures, "repeated") && n > 0)
    json_array_remove_element (self->points, --n);
  if (n == N_POINTS)
    json_array_remove_element (self->points, 0);
  json_array_add_element (self->points, preview_news_write_structure (figures));
  self->n_points++;
}

static void
opened (PreviewPage * self)
{
  json_array_unref (self->points);
  self->points = json_array_new ();
  put (self, PREVIEW_CURVE, NULL);
  put (self, PREVIEW_BLOCK, NULL);
  put (self, PREVIEW_OPENED, json_node_init_boolean (json_node_alloc (), TRUE));
}

/* Frames */

static void
clear_frame (Frame * frame)
{
  g_clear_pointer (&frame->sample, gst_sample_unref);
  g_clear_pointer (&frame->figures, gst_structure_free);
  g_clear_pointer (&frame->file.file, g_bytes_unref);
}

/* Replace a frame by one that it takes, whose number stays. */
static void
move_frame (Frame * to, Frame * from)
{
  clear_frame (to);
  *to = *from;
  *from = (Frame) {
  .number = to->number};
}

/* Called in the sink's thread. */
static void
take_frame (PreviewPage * self, GstSample * sample, GstStructure * figures)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  clear_frame (&self->latest);
  self->latest.number++;
  self->latest.sample = gst_sample_ref (sample);
  self->latest.figures = figures == NULL ? NULL : gst_structure_copy (figures);
  update_soon (self);
}

static void
encode (GTask * task, gpointer source, gpointer data, GCancellable * unused)
{
  PreviewPage *self = data;
  GError *error = NULL;

  (void) source, (void) unused;
  if (preview_encoder_run (self->encoder, self->next.sample, self->kind,
          preview_session_shows_map (self->session), &self->next.file, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
encoded (GObject * source, GAsyncResult * result, gpointer data)
{
  PreviewPage *self = data;
  g_autoptr (GError) error = NULL;

  (void) source;
  self->encoding = FALSE;
  if (!g_task_propagate_boolean (G_TASK (result), &error)) {
    show_notice (self, error->message);
    return;
  }
  move_frame (&self->picture, &self->next);
  self->picture_at = ++self->now;
  wake (self);
}

/* Encode the newest frame, if it is new. */
static void
start_encoding (PreviewPage * self, PreviewKind kind)
{
  gboolean any;
  g_autoptr (GTask) task = NULL;

  g_mutex_lock (&self->lock);
  any = self->latest.sample != NULL;
  if (any)
    move_frame (&self->next, &self->latest);
  g_mutex_unlock (&self->lock);
  if (!any)
    return;
  self->encoding = TRUE;
  self->kind = kind;
  task = g_task_new (NULL, NULL, encoded, self);
  g_task_set_task_data (task, self, NULL);
  g_task_run_in_thread (task, encode);
}

/* The message `blockdct-curve`, at twenty settings, of the frame that is shown:
 * of A, and of B, where a transform makes them. */
static void
compute (GTask * task, gpointer session, gpointer figures,
    GCancellable * unused)
{
  static const gchar *const names[2][3] = {
    {"a", "transform", "qp"}, {"b", "b-transform", "b-qp"}
  };
  g_autoptr (GstSample) frame = preview_session_get_original (session);
  JsonObject *curves = json_object_new ();
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  (void) unused;
  for (guint i = 0; frame != NULL && i < 2; i++) {
    g_autoptr (GstStructure) curve = NULL;

    if (gst_structure_has_field (figures, names[i][1])
        && preview_session_get_curve (session, i, frame,
            gst_structure_has_field (figures, names[i][2]) ? QPS : QUALITIES,
            &curve, NULL) && curve != NULL)
      json_object_set_member (curves, names[i][0],
          preview_news_write_structure (curve));
  }
  json_node_take_object (node, curves);
  g_task_return_pointer (task, node, (GDestroyNotify) json_node_unref);
}

static void
computed (GObject * session, GAsyncResult * result, gpointer page)
{
  (void) session;
  ((PreviewPage *) page)->computing = FALSE;
  put (page, PREVIEW_CURVE, g_task_propagate_pointer (G_TASK (result), NULL));
}

static void
start_curves (PreviewPage * self)
{
  g_autoptr (GTask) task = NULL;

  if (!self->curve_wanted || self->computing || self->picture.figures == NULL)
    return;
  self->curve_wanted = FALSE;
  self->computing = TRUE;
  task = g_task_new (self->session, NULL, computed, self);
  g_task_set_task_data (task, gst_structure_copy (self->picture.figures),
      (GDestroyNotify) gst_structure_free);
  g_task_run_in_thread (task, compute);
}

/* Texts to a viewer */

static void
send_news (Viewer * viewer)
{
  PreviewPage *self = viewer->page;
  gboolean picture = self->picture_at > viewer->sent;
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  JsonObject *json = json_object_new ();
  g_autofree gchar *text = NULL;

  json_node_take_object (root, json);
  preview_news_add (viewer, json);
  if (picture)
    preview_news_add_picture (viewer, json);
  text = json_to_string (root, FALSE);
  viewer->sent = self->now;
  viewer->ready = FALSE;
  soup_websocket_connection_send_text (viewer->socket, text);
  if (picture)
    soup_websocket_connection_send_message (viewer->socket,
        SOUP_WEBSOCKET_DATA_BINARY, self->picture.file.file);
}

static gboolean
update (gpointer data)
{
  PreviewPage *self = data;
  PreviewKind kind = PREVIEW_PLANES;
  gboolean ready = FALSE;

  g_mutex_lock (&self->lock);
  self->updating = FALSE;
  if (self->turned)
    self->now++;
  self->turned = FALSE;
  g_mutex_unlock (&self->lock);
  if (self->coding != preview_session_count_codings (self->session)) {
    self->coding = preview_session_count_codings (self->session);
    put (self, PREVIEW_PROPERTIES, preview_news_write_properties
        (self->session));
  }
  for (guint i = 0; i < self->viewers->len; i++) {
    Viewer *viewer = g_ptr_array_index (self->viewers, i);

    /* Not to a viewer that is leaving. */
    if (soup_websocket_connection_get_state (viewer->socket)
        != SOUP_WEBSOCKET_STATE_OPEN)
      continue;
    if (viewer->ready && viewer->sent < self->now)
      send_news (viewer);
    ready = ready || viewer->ready;
    if (viewer->ready)
      kind = MAX (kind, !viewer->fast ? PREVIEW_PNG : !viewer->planes
          ? PREVIEW_RGB : PREVIEW_PLANES);
  }
  if (ready && !self->encoding)
    start_encoding (self, kind);
  start_curves (self);
  return G_SOURCE_REMOVE;
}

/* Messages from a viewer */

static void
turned (PreviewPage * self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->turned = TRUE;
  update_soon (self);
}

/* "shown", with the milliseconds that the picture was in transit. */
static void
take_shown (Viewer * viewer, const gchar * text)
{
  gdouble took = g_ascii_strtod (text + strlen (SHOWN), NULL);

  if (took > 0 && viewer->page->picture.file.file != NULL)
    viewer->fast =
        g_bytes_get_size (viewer->page->picture.file.file) > took * FAST;
  viewer->ready = TRUE;
  wake (viewer->page);
}

/* The commands and their numbers of words. */
static const struct
{
  const gchar *name;
  guint n_words;
} commands[] = {
  {"set", 2}, {"preset", 2}, {"no-original", 1}, {"pause", 1}, {"play", 1},
  {"seek", 2}, {"step", 1}, {"back", 1}, {"mark", 1}, {"press", 3},
  {"move", 3}, {"release", 3}, {"key", 2},
};

/* Only controls and properties of the encoder can be set, as others name
 * files. */
static gboolean
may_set (const gchar * pair)
{
  g_autofree gchar *name = g_strndup (pair, strcspn (pair, "="));

  return preview_find_control (name) < PREVIEW_N_CONTROLS
      || g_str_has_prefix (name, "encoder::")
      || g_str_has_prefix (name, "b::encoder::");
}

static gboolean
seek (PreviewSession * session, const gchar * text)
{
  const gdouble seconds = g_ascii_strtod (text, NULL);

  /* NAN is outside of this range, too. */
  return seconds >= 0 && seconds < G_MAXINT64 / GST_SECOND
      && preview_session_seek (session, seconds * GST_SECOND);
}

static gboolean
run (PreviewSession * session, gchar ** words, GError ** error)
{
  const gchar *name = words[0], *word = words[1];

  if (strcmp (name, "set") == 0)
    return may_set (word) ? preview_session_set_text (session, word, error)
        : preview_refuse (error, "'%.*s' has no control.", (gint) strcspn (word,
            "="), word);
  if (strcmp (name, "preset") == 0)
    return preview_session_load_preset (session, word)
        || preview_refuse (error, "There is no preset '%s'.", word);
  if (strcmp (name, "no-original") == 0)
    return preview_session_drop_original (session, error);
  if (strcmp (name, "seek") == 0)
    return seek (session, word)
        || preview_refuse (error, "It is not possible to seek to %s s.", word);
  if (strcmp (name, "step") == 0 || strcmp (name, "back") == 0)
    return preview_session_step (session, *name == 's' ? 1 : -1)
        || preview_refuse (error,
        "It is not possible to step to another frame.");
  if (strcmp (name, "mark") == 0)
    return preview_session_mark (session)
        || preview_refuse (error,
        "A stream without a duration cannot be repeated.");
  if (strcmp (name, "key") == 0)
    preview_session_press_key (session, word);
  else if (word == NULL)
    preview_session_set_paused (session, strcmp (name, "pause") == 0);
  else
    preview_session_point (session, name, g_ascii_strtod (word, NULL),
        g_ascii_strtod (words[2], NULL));
  return TRUE;
}

static gboolean
run_text (PreviewSession * session, const gchar * text, GError ** error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  guint i = 0;

  /* An empty text has no word. */
  while (i < G_N_ELEMENTS (commands) && (g_strv_length (words)
          != commands[i].n_words || strcmp (words[0], commands[i].name) != 0))
    i++;
  return i < G_N_ELEMENTS (commands) ? run (session, words, error)
      : preview_refuse (error, "'%s' is not a command.", text);
}

/* After an error the values are sent again, though none has changed. */
static void
run_command (PreviewPage * self, const gchar * text)
{
  g_autoptr (GError) error = NULL;

  if (!run_text (self->session, text, &error))
    show_notice (self, error->message);
  self->now++;
  wake (self);
}

static void
take_message (SoupWebsocketConnection * socket, gint type, GBytes * message,
    Viewer * viewer)
{
  /* libsoup ends a text with a zero, and checks that it is UTF-8. */
  const gchar *text = g_bytes_get_data (message, NULL);

  /* What comes after the message for which it is closed is nobody's. */
  if (soup_websocket_connection_get_state (socket)
      != SOUP_WEBSOCKET_STATE_OPEN)
    return;
  if (type != SOUP_WEBSOCKET_DATA_TEXT) {
    soup_websocket_connection_close (socket,
        SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA, NULL);
  } else if (g_str_has_prefix (text, SHOWN)) {
    take_shown (viewer, text);
  } else if (strcmp (text, PLANES) == 0) {
    viewer->planes = TRUE;
  } else if (strcmp (text, CURVE) == 0) {
    viewer->heard++;
    viewer->page->curve_wanted = TRUE;
    wake (viewer->page);
  } else {
    viewer->heard++;
    run_command (viewer->page, text);
  }
}

static void
remove_viewer (SoupWebsocketConnection * socket, Viewer * viewer)
{
  (void) socket;
  g_ptr_array_remove (viewer->page->viewers, viewer);
}

static void
free_viewer (gpointer data)
{
  Viewer *viewer = data;

  g_signal_handlers_disconnect_by_data (viewer->socket, viewer);
  g_object_unref (viewer->socket);
  g_free (viewer);
}

gboolean
preview_page_is_left (PreviewPage * self)
{
  return self->visited && self->viewers->len == 0;
}

gboolean
preview_page_has_room (PreviewPage * self)
{
  return self->viewers->len < MAX_VIEWERS;
}

void
preview_page_add_viewer (PreviewPage * self, SoupWebsocketConnection * socket)
{
  Viewer *viewer = g_new0 (Viewer, 1);

  viewer->page = self;
  viewer->socket = g_object_ref (socket);
  viewer->ready = TRUE;
  soup_websocket_connection_set_max_incoming_payload_size (socket, MAX_COMMAND);
  g_signal_connect (socket, "message", G_CALLBACK (take_message), viewer);
  g_signal_connect (socket, "closed", G_CALLBACK (remove_viewer), viewer);
  g_ptr_array_add (self->viewers, viewer);
  self->visited = TRUE;
  wake (self);
}

PreviewPage *
preview_page_new (PreviewSession * session, GError ** error)
{
  PreviewEncoder *encoder = preview_encoder_new (error);
  PreviewPage *self;

  if (encoder == NULL)
    return NULL;
  self = g_new0 (PreviewPage, 1);
  g_mutex_init (&self->lock);
  self->session = session;
  self->encoder = encoder;
  self->viewers = g_ptr_array_new_with_free_func (free_viewer);
  self->points = json_array_new ();
  put (self, PREVIEW_CONTROLS, preview_news_write_controls (session));
  put (self, PREVIEW_PRESETS, preview_news_write_presets (session));
  g_signal_connect_swapped (session, "changed", G_CALLBACK (turned), self);
  g_signal_connect_swapped (session, "frame", G_CALLBACK (take_frame), self);
  g_signal_connect_swapped (session, "figures", G_CALLBACK (add_point), self);
  g_signal_connect_swapped (session, "opened", G_CALLBACK (opened), self);
  g_signal_connect_swapped (session, "block", G_CALLBACK (show_block), self);
  g_signal_connect_swapped (session, "notice", G_CALLBACK (show_notice), self);
  return self;
}

void
preview_page_free (PreviewPage * self)
{
  while (self->encoding || self->computing)
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (self->session, self);
  while (g_source_remove_by_user_data (self));
  g_ptr_array_unref (self->viewers);
  preview_encoder_free (self->encoder);
  clear_frame (&self->latest);
  clear_frame (&self->next);
  clear_frame (&self->picture);
  for (guint i = 0; i < PREVIEW_N_NEWS; i++)
    g_clear_pointer (&self->news[i].is, json_node_unref);
  json_array_unref (self->points);
  g_mutex_clear (&self->lock);
  g_free (self);
}
