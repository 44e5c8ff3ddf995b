/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The main thread does everything, except that frames come in the pipeline's
 * thread, notifications in any thread, and frames are encoded in one of GLib's
 * threads. */
#include "page.h"
#include "encoder.h"
#include "protocol-read.h"
#include "protocol-write.h"

#include <math.h>
#include <string.h>

#define MAX_VIEWERS 32
#define SHOWN "shown"
/* The longest command, with room. */
#define MAX_COMMAND 1024
/* Bytes a millisecond of a fast line. At this rate the bytes that compression
 * saves of a picture of 1920 x 1080, 3 of 6 MB, take less than 70 ms, but
 * compressing takes 100 ms. */
#define FAST 50e3
/* The number of frames in the plot. */
#define N_VALUES 300

typedef struct
{
  PreviewPage *page;
  SoupWebsocketConnection *socket;
  guint64 sent;                 /* the page's time then; 0: nothing yet */
  gboolean ready;               /* for the next text */
  gboolean fast;                /* its line is fast, judging by the last
                                   picture */
  guint64 heard;                /* number of commands */
  guint64 frame, skipped;
} Viewer;

/* A frame's number, from 1 on; 0: none. */
typedef struct
{
  guint64 number;
  GstSample *sample;
  GstStructure *figures;        /* or NULL */
} Frame;

/* The page's time is `now`, which counts updates; members named `_at` have the
 * time of a change. */
struct _PreviewPage
{
  PreviewSession *session;
  PreviewEncoder *encoder;
  GPtrArray *viewers;
  gboolean visited;             /* there was a viewer */
  guint64 now;
  gchar *notice;
  guint64 notice_at;
  GstStructure *block;
  guint64 block_at;
  /* The newest encoded frame; and the one that is being encoded, or has
   * failed. */
  Frame picture, next;
  GBytes *file;
  guint64 picture_at;
  gboolean encoding;
  gboolean compress;            /* the next frame */

  GMutex lock;                  /* protects the following members */
  gboolean turned;              /* a property has changed */
  gboolean updating;            /* update() will run */
  Frame latest;
  GArray *plot[2];              /* of gdouble: of A, and of B */
};

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
  g_mutex_lock (&self->lock);
  update_soon (self);
  g_mutex_unlock (&self->lock);
}

/* Signals of the session */

static void
show_block (PreviewPage * self, const GstStructure * block)
{
  g_clear_pointer (&self->block, gst_structure_free);
  self->block = gst_structure_copy (block);
  self->block_at = ++self->now;
  wake (self);
}

static void
show_notice (PreviewPage * self, const gchar * text)
{
  g_free (self->notice);
  self->notice = g_strdup (text);
  self->notice_at = ++self->now;
  wake (self);
}

/* Frames */

/* Of A and B. */
static const gchar *const psnr_names[2] = { "psnr", "b-psnr" };

static void
clear_frame (Frame * frame)
{
  g_clear_pointer (&frame->sample, gst_sample_unref);
  g_clear_pointer (&frame->figures, gst_structure_free);
}

static void
set_frame (Frame * frame, const Frame * from)
{
  clear_frame (frame);
  frame->number = from->number;
  frame->sample = gst_sample_ref (from->sample);
  frame->figures = from->figures == NULL ? NULL
      : gst_structure_copy (from->figures);
}

/* Without a figure the plot is cleared: B's plot starts when there is a B. */
static void
add_to_plot (GArray * plot, const GstStructure * figures, const gchar * name)
{
  gdouble psnr;

  if (!gst_structure_get_double (figures, name, &psnr)) {
    g_array_set_size (plot, 0);
    return;
  }
  if (plot->len > 0 && gst_structure_has_field (figures, "repeated"))
    g_array_set_size (plot, plot->len - 1);
  if (plot->len == N_VALUES)
    g_array_remove_index (plot, 0);
  g_array_append_val (plot, psnr);
}

/* Called in the sink's thread. */
static void
take_frame (PreviewPage * self, GstSample * sample, GstStructure * figures)
{
  g_mutex_lock (&self->lock);
  set_frame (&self->latest, &(Frame) {self->latest.number + 1, sample,
          figures});
  for (guint i = 0; i < 2 && figures != NULL; i++)
    add_to_plot (self->plot[i], figures, psnr_names[i]);
  update_soon (self);
  g_mutex_unlock (&self->lock);
}

static void
encode (GTask * task, gpointer source, gpointer data, GCancellable * unused)
{
  PreviewPage *self = data;
  GError *error = NULL;
  GBytes *file;

  (void) source, (void) unused;
  file = preview_encoder_run (self->encoder, self->next.sample,
      self->compress, &error);
  if (file != NULL)
    g_task_return_pointer (task, file, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

static void
encoded (GObject * source, GAsyncResult * result, gpointer data)
{
  PreviewPage *self = data;
  g_autoptr (GError) error = NULL;
  GBytes *file = g_task_propagate_pointer (G_TASK (result), &error);

  (void) source;
  self->encoding = FALSE;
  if (file == NULL) {
    show_notice (self, error->message);
    return;
  }
  g_clear_pointer (&self->file, g_bytes_unref);
  self->file = file;
  set_frame (&self->picture, &self->next);
  self->picture_at = ++self->now;
  wake (self);
}

/* Encode the newest frame, if it is new; `compress` it for a slow line. */
static void
start_encoding (PreviewPage * self, gboolean compress)
{
  gboolean any;
  g_autoptr (GTask) task = NULL;

  g_mutex_lock (&self->lock);
  any = self->latest.number > self->next.number;
  if (any)
    set_frame (&self->next, &self->latest);
  g_mutex_unlock (&self->lock);
  if (!any)
    return;
  self->encoding = TRUE;
  self->compress = compress;
  task = g_task_new (NULL, NULL, encoded, self);
  g_task_set_task_data (task, self, NULL);
  g_task_run_in_thread (task, encode);
}

/* Texts to a viewer */

static void
add_descriptions (PreviewPage * self, JsonObject * json)
{
  g_auto (GStrv) presets = preview_session_get_presets (self->session);
  JsonArray *controls = json_array_new (), *names = json_array_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    json_array_add_object_element (controls,
        preview_protocol_write_control (preview_controls[i],
            preview_session_get_pspec (self->session, i)));
  for (gchar ** name = presets; name != NULL && *name != NULL; name++)
    json_array_add_string_element (names, *name);
  json_object_set_array_member (json, "controls", controls);
  json_object_set_array_member (json, "presets", names);
}

static JsonObject *
describe_values (PreviewPage * self)
{
  JsonObject *values = json_object_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    preview_session_get_value (self->session, i, &value);
    json_object_set_member (values, preview_controls[i],
        preview_protocol_write_value (&value));
  }
  return values;
}

static JsonArray *
describe_plot (PreviewPage * self, const GArray * plot)
{
  JsonArray *array = json_array_new ();

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < plot->len; i++) {
    gdouble psnr = g_array_index (plot, gdouble, i);

    if (isfinite (psnr))
      json_array_add_double_element (array, psnr);
    else
      json_array_add_null_element (array);
  }
  g_mutex_unlock (&self->lock);
  return array;
}

static JsonArray *
describe_idle (PreviewPage * self)
{
  JsonArray *idle = json_array_new ();

  for (guint i = 0; i < PREVIEW_N_CONTROLS; i++)
    if (preview_session_is_idle (self->session, i, self->picture.figures))
      json_array_add_string_element (idle, preview_controls[i]);
  return idle;
}

static void
add_picture (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  JsonObject *picture = json_object_new ();

  if (viewer->frame > 0)
    viewer->skipped += self->picture.number - viewer->frame - 1;
  viewer->frame = self->picture.number;
  json_object_set_int_member (picture, "frame", viewer->frame);
  json_object_set_int_member (picture, "skipped", viewer->skipped);
  json_object_set_object_member (json, "picture", picture);
  json_object_set_array_member (json, "plot",
      describe_plot (self, self->plot[0]));
  json_object_set_array_member (json, "b-plot",
      describe_plot (self, self->plot[1]));
  if (self->picture.figures == NULL)
    return;
  json_object_set_object_member (json, "figures",
      preview_protocol_write_structure (self->picture.figures));
  json_object_set_array_member (json, "idle", describe_idle (self));
}

/* Add everything that is new to a viewer, except the picture. */
static void
add_news (Viewer * viewer, JsonObject * json)
{
  PreviewPage *self = viewer->page;
  g_autofree gchar *caption = preview_session_describe_view (self->session);
  GstClockTime position, duration;

  if (viewer->sent == 0)
    add_descriptions (self, json);
  json_object_set_int_member (json, "heard", viewer->heard);
  json_object_set_object_member (json, "values", describe_values (self));
  json_object_set_string_member (json, "caption", caption);
  if (preview_session_get_time (self->session, &position, &duration)) {
    json_object_set_double_member (json, "position",
        (gdouble) position / GST_SECOND);
    json_object_set_double_member (json, "duration",
        (gdouble) duration / GST_SECOND);
  }
  json_object_set_boolean_member (json, "paused",
      preview_session_is_paused (self->session));
  if (self->notice_at > viewer->sent)
    json_object_set_string_member (json, "notice", self->notice);
  if (self->block_at > viewer->sent)
    json_object_set_object_member (json, "block",
        preview_protocol_write_structure (self->block));
}

static void
send_news (Viewer * viewer)
{
  PreviewPage *self = viewer->page;
  gboolean picture = self->picture_at > viewer->sent;
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  JsonObject *json = json_object_new ();
  g_autofree gchar *text = NULL;

  json_node_take_object (root, json);
  add_news (viewer, json);
  if (picture)
    add_picture (viewer, json);
  text = json_to_string (root, FALSE);
  viewer->sent = self->now;
  viewer->ready = FALSE;
  soup_websocket_connection_send_text (viewer->socket, text);
  if (picture)
    soup_websocket_connection_send_message (viewer->socket,
        SOUP_WEBSOCKET_DATA_BINARY, self->file);
}

static gboolean
update (gpointer data)
{
  PreviewPage *self = data;
  gboolean ready = FALSE, slow = FALSE;

  g_mutex_lock (&self->lock);
  self->updating = FALSE;
  if (self->turned)
    self->now++;
  self->turned = FALSE;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->viewers->len; i++) {
    Viewer *viewer = g_ptr_array_index (self->viewers, i);

    /* Not to a viewer that is leaving. */
    if (soup_websocket_connection_get_state (viewer->socket)
        != SOUP_WEBSOCKET_STATE_OPEN)
      continue;
    if (viewer->ready && viewer->sent < self->now)
      send_news (viewer);
    ready = ready || viewer->ready;
    slow = slow || (viewer->ready && !viewer->fast);
  }
  if (ready && !self->encoding)
    start_encoding (self, slow);
  return G_SOURCE_REMOVE;
}

/* Messages from a viewer */

static void
turned (PreviewPage * self)
{
  g_mutex_lock (&self->lock);
  self->turned = TRUE;
  update_soon (self);
  g_mutex_unlock (&self->lock);
}

/* "shown", with the milliseconds that the picture was in transit. */
static void
take_shown (Viewer * viewer, const gchar * text)
{
  gdouble took = g_ascii_strtod (text + strlen (SHOWN), NULL);

  if (took > 0 && viewer->page->file != NULL)
    viewer->fast = g_bytes_get_size (viewer->page->file) > took * FAST;
  viewer->ready = TRUE;
  wake (viewer->page);
}

/* After an error the values are sent again, though none has changed. */
static void
run_command (PreviewPage * self, const gchar * text)
{
  g_autoptr (GError) error = NULL;

  if (!preview_protocol_run (self->session, text, &error))
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

  if (type != SOUP_WEBSOCKET_DATA_TEXT) {
    soup_websocket_connection_close (socket,
        SOUP_WEBSOCKET_CLOSE_UNSUPPORTED_DATA, NULL);
  } else if (g_str_has_prefix (text, SHOWN)) {
    take_shown (viewer, text);
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
  self->session = session;
  self->encoder = encoder;
  self->viewers = g_ptr_array_new_with_free_func (free_viewer);
  for (guint i = 0; i < 2; i++)
    self->plot[i] = g_array_new (FALSE, FALSE, sizeof (gdouble));
  self->now = 1;
  g_mutex_init (&self->lock);
  g_signal_connect_swapped (session, "changed", G_CALLBACK (turned), self);
  g_signal_connect_swapped (session, "frame", G_CALLBACK (take_frame), self);
  g_signal_connect_swapped (session, "block", G_CALLBACK (show_block), self);
  g_signal_connect_swapped (session, "notice", G_CALLBACK (show_notice), self);
  return self;
}

void
preview_page_free (PreviewPage * self)
{
  while (self->encoding)
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (self->session, self);
  while (g_source_remove_by_user_data (self));
  g_ptr_array_unref (self->viewers);
  preview_encoder_free (self->encoder);
  clear_frame (&self->latest);
  clear_frame (&self->next);
  clear_frame (&self->picture);
  g_clear_pointer (&self->file, g_bytes_unref);
  g_clear_pointer (&self->block, gst_structure_free);
  for (guint i = 0; i < 2; i++)
    g_array_unref (self->plot[i]);
  g_mutex_clear (&self->lock);
  g_free (self->notice);
  g_free (self);
}
