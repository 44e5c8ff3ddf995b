/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-preview: watch what a block transform and its quantizer do. */
#include <glib-unix.h>
#include <stdlib.h>
#include "front.h"
#include "pipeline.h"
#include "transport.h"
#ifdef HAVE_HTTP
#include "server.h"
#endif
#ifdef HAVE_WINDOW
#include "window.h"
#define NO_WINDOW "There is no display to show a window on: start it in a " \
    "graphical session (DISPLAY or WAYLAND_DISPLAY is set there)."
#else
#define NO_WINDOW "This blockdct-preview was built without a window, for " \
    "want of gtk+-3.0."
#endif

/* Frames of a source without an end, where nobody is there to close it. */
#define DEFAULT_FRAMES 60
#define DEFAULT_PORT 8080
/* A frame that is made is shown, as there is no sound to be behind of; who is
 * later than this skips some before they are made. */
#define MAX_LATENESS (GST_SECOND / 5)

typedef struct
{
  PreviewOptions options;
  gchar **arguments;
  gboolean test;                /* --test-pattern without a name */
  gboolean http;                /* a page in a browser instead of a window */
  guint port;
  gchar *address;               /* NULL: this machine's browsers alone */
  GMainLoop *loop;
  GstElement *pipeline, *dct, *sink;
  PreviewFront *front;          /* NULL: without a display or a page */
  gboolean alone;               /* nobody watches: end at the end */
  gboolean failed;
  PreviewTransport *transport;
  gboolean opened;              /* another file, in the window */
} Preview;

static void
complain (Preview * preview, const gchar * text, const gchar * more)
{
  g_printerr ("blockdct-preview: %s%s%s\n", text, more ? "\n  " : "",
      more ? more : "");
  preview->failed = TRUE;
}

static gboolean
parse_camera (const gchar * name, const gchar * value, gpointer data,
    GError ** error)
{
  Preview *preview = data;

  (void) name, (void) error;
  preview->options.camera = TRUE;
  preview->options.device = g_strdup (value);
  return TRUE;
}

static gboolean
parse_pattern (const gchar * name, const gchar * value, gpointer data,
    GError ** error)
{
  Preview *preview = data;

  (void) name, (void) error;
  preview->test = TRUE;
  preview->options.pattern = g_strdup (value);
  return TRUE;
}

static gboolean
parse_http (const gchar * name, const gchar * value, gpointer data,
    GError ** error)
{
  Preview *preview = data;
  guint64 port;

  (void) name;
  preview->http = TRUE;
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT16,
          &port, NULL)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--http=%s: a port is a number from 0 to 65535", value);
    return FALSE;
  }
  preview->port = port;
  return TRUE;
}

static gboolean
sort_arguments (Preview * preview, GError ** error)
{
  PreviewOptions *options = &preview->options;
  GPtrArray *properties = g_ptr_array_new ();

  for (gchar ** p = preview->arguments; p != NULL && *p != NULL; p++) {
    gboolean exists = g_file_test (*p, G_FILE_TEST_EXISTS);

    if (!exists && strchr (*p, '=') != NULL && !gst_uri_is_valid (*p)) {
      g_ptr_array_add (properties, g_strdup (*p));
    } else if (options->file == NULL) {
      options->file = g_strdup (*p);
    } else {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          "One file at a time: %s and %s", options->file, *p);
      break;
    }
  }
  g_ptr_array_add (properties, NULL);
  options->properties = (gchar **) g_ptr_array_free (properties, FALSE);
  if (*error == NULL && options->csv != NULL
      && !g_str_has_suffix (options->csv, ".csv"))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "The name %s does not end in .csv", options->csv);
  if (*error == NULL
      && (options->file != NULL) + options->camera + preview->test > 1)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "A file, a camera or a test pattern: one of them");
  if (*error == NULL && options->frames < 0)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--frames=%d is below 0", options->frames);
  if (*error == NULL && preview->address != NULL && !preview->http)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--http-address=%s is for --http", preview->address);
  preview->alone = options->screenshot != NULL || options->csv != NULL
      || options->frames > 0;
  if (preview->alone && options->frames == 0 && options->file == NULL)
    options->frames = DEFAULT_FRAMES;
  return *error == NULL;
}

static gboolean
parse (Preview * preview, int *argc, char ***argv)
{
  PreviewOptions *options = &preview->options;
  gboolean version = FALSE;
  GOptionEntry entries[] = {
    {"camera", 'c', G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
        parse_camera, "A camera (v4l2src), the first one or DEVICE", "DEVICE"},
    {"test-pattern", 't', G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
        parse_pattern, "A pattern of videotestsrc; the default", "NAME"},
    {"screenshot", 's', 0, G_OPTION_ARG_FILENAME, &options->screenshot,
        "At the end save the window as a PNG (without a display: the picture) "
          "and quit", "FILE"},
    {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv,
          "Write the figures of every frame to FILE.csv, and quit at the end",
        "FILE"},
    {"frames", 'n', 0, G_OPTION_ARG_INT, &options->frames,
        "Quit after N frames", "N"},
    {"http", 0, 0, G_OPTION_ARG_CALLBACK, parse_http,
        "Serve a page to a browser of this machine, at port 8080 or PORT "
          "(0: any), instead of a window", "PORT"},
    {"http-address", 0, 0, G_OPTION_ARG_STRING, &preview->address,
        "Serve it at this address, such as 0.0.0.0, to who has the token "
          "that is printed", "ADDRESS"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
        &preview->arguments, NULL, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  GOptionContext *context = g_option_context_new
      ("[FILE] [PROPERTY=VALUE ...] - see what blockdct does to video");
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, preview, NULL);
  GError *error = NULL;
  gboolean ok;

  /* GLib would take the file in `--http FILE` for the port. */
  for (int i = 1; i < *argc; i++)
    if (g_strcmp0 ((*argv)[i], "--http") == 0)
      (*argv)[i] = (gchar *) "--http=" G_STRINGIFY (DEFAULT_PORT);
  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, &error)
      && sort_arguments (preview, &error);
  g_option_context_free (context);
#ifndef HAVE_HTTP
  if (ok && preview->http) {
    g_set_error (&error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "--http: this blockdct-preview was built without it, for want of "
        "libsoup-3.0 or json-glib-1.0");
    ok = FALSE;
  }
#endif
  if (!ok) {
    complain (preview, error->message, "blockdct-preview --help explains.");
    g_error_free (error);
  } else if (version) {
    g_print ("blockdct-preview %s\n", VERSION);
    exit (0);
  }
  return ok;
}

static gboolean
quit (gpointer data)
{
  Preview *preview = data;

  g_main_loop_quit (preview->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
interrupted (gpointer data)
{
  g_main_loop_quit (((Preview *) data)->loop);
  return G_SOURCE_CONTINUE;
}

/* The last frame is in the window by now. */
static gboolean
finish (gpointer data)
{
  Preview *preview = data;
  const gchar *path = preview->options.screenshot;
  GError *error = NULL;

  if (path != NULL && !(preview->front != NULL && preview->front->save != NULL
          ? preview->front->save (preview->front, path, &error)
          : preview_pipeline_save (preview->sink, path, &error))) {
    complain (preview, error->message, NULL);
    g_error_free (error);
  }
  return quit (preview);
}

static void
handle_figures (Preview * preview, const GstStructure * s)
{
  if (gst_structure_has_name (s, "blockdct"))
    preview_transport_take_figures (preview->transport, s);
  if (preview->front != NULL)
    preview->front->show_message (preview->front, s);
}

/* What is missing by its name alone, as its caps can be of kilobytes; the
 * caller's. */
static gchar *
name_missing (const gchar * debug)
{
  const gchar *missing = debug != NULL ? strstr (debug, "Missing ") : NULL;

  return missing == NULL ? NULL
      : g_strndup (missing, strcspn (missing, "(\n"));
}

/* To a decoder of which video is wanted, all else lacks a plug-in. Who opened a
 * file in the window can open another one. */
static void
complain_of (Preview * preview, const GError * error, const gchar * debug)
{
  gchar *text = NULL, *missing = NULL;

  if (preview->options.file != NULL && g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_MISSING_PLUGIN)) {
    text = g_strdup_printf ("There is no video in %s that GStreamer can "
        "decode.", preview->options.file);
    missing = name_missing (debug);
  }
  if (preview->opened) {
    preview->front->show_notice (preview->front, text ? text : error->message);
    gst_element_set_state (preview->pipeline, GST_STATE_READY);
  } else {
    complain (preview, text != NULL ? text : error->message,
        text != NULL ? missing : debug);
    quit (preview);
  }
  g_free (missing);
  g_free (text);
}

static gboolean
handle_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Preview *preview = data;
  GError *error = NULL;
  gchar *debug = NULL;

  (void) bus;
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, &debug);
      /* What follows the first one is of no interest. */
      if (!preview->failed)
        complain_of (preview, error, debug);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, &debug);
      g_printerr ("blockdct-preview: %s\n", error->message);
      if (preview->front != NULL)
        preview->front->show_notice (preview->front, error->message);
      break;
    case GST_MESSAGE_QOS:
      if (preview->front != NULL && preview->front->show_qos != NULL)
        preview->front->show_qos (preview->front, message);
      break;
    case GST_MESSAGE_ASYNC_DONE:
      /* A bin that is to pause while a flush has taken its sink's frame does
       * not say so to what is in it, and blockdct plays on. */
      if (preview_transport_is_paused (preview->transport))
        preview_transport_set_paused (preview->transport, TRUE);
      preview_transport_arrive (preview->transport);
      break;
    case GST_MESSAGE_EOS:
      if (preview->alone)
        g_timeout_add (preview->front != NULL ? 300 : 0, finish, preview);
      else
        preview_transport_rewind (preview->transport);
      break;
    case GST_MESSAGE_ELEMENT:
      if (GST_MESSAGE_SRC (message) == GST_OBJECT (preview->dct))
        handle_figures (preview, gst_message_get_structure (message));
      break;
    default:
      break;
  }
  g_clear_error (&error);
  g_free (debug);
  return G_SOURCE_CONTINUE;
}

/* gtksink where there is a display; else, for a page, or where nobody has to
 * see it, a sink that keeps the last frame. */
static gboolean
make_sink (Preview * preview, gboolean display)
{
  if (!display && !preview->alone && !preview->http) {
    complain (preview, NO_WINDOW, "Or add --http, --screenshot=FILE or "
        "--csv=FILE, which need none.");
    return FALSE;
  }
  preview->sink = gst_element_factory_make (display ? "gtksink" : "fakesink",
      NULL);
  if (preview->sink == NULL) {
    complain (preview, "There is no element 'gtksink'.",
        "Install gstreamer1.0-gtk3.");
    return FALSE;
  }
  gst_object_ref_sink (preview->sink);
  /* Who wants a table or a file alone need not wait for the pictures. */
  g_object_set (preview->sink, "sync", preview->options.csv == NULL
      && (display || preview->http), NULL);
  if (display)
    g_object_set (preview->sink, "max-lateness", (gint64) MAX_LATENESS, NULL);
  else
    g_object_set (preview->sink, "enable-last-sample", TRUE, NULL);
  return TRUE;
}

#ifdef HAVE_WINDOW
static gboolean
has_display (void)
{
  return gtk_init_check (NULL, NULL);
}

static void
show_source (Preview * preview)
{
  const PreviewOptions *options = &preview->options;
  gchar *name = options->file ? g_path_get_basename (options->file)
      : g_strdup (options->camera ? "camera" : "test pattern");

  preview->front->show_source (preview->front, name);
  g_free (name);
}

/* Another file, from its start; or the old one, and why. */
static void
open_file (gpointer data, const gchar * uri)
{
  Preview *preview = data;
  PreviewOptions *options = &preview->options, wanted = *options;
  gboolean paused = preview_transport_is_paused (preview->transport);
  GError *error = NULL;

  wanted.file = g_filename_from_uri (uri, NULL, NULL);
  if (wanted.file == NULL)
    wanted.file = g_strdup (uri);
  wanted.camera = FALSE;
  if (!preview_pipeline_open (preview->pipeline, &wanted, &error)) {
    preview->front->show_notice (preview->front, error->message);
    g_error_free (error);
    g_free (wanted.file);
    return;
  }
  g_free (options->file);
  *options = wanted;
  preview->opened = TRUE;
  show_source (preview);
  preview_transport_reset (preview->transport);
  preview_transport_set_paused (preview->transport, paused);
}

static void
open_window (Preview * preview)
{
  GtkWidget *video;

  g_object_get (preview->sink, "widget", &video, NULL);
  preview->front = preview_window_new (video, preview->dct, preview->pipeline,
      preview->transport, &preview->options);
  preview->front->open = open_file;
  preview->front->owner = preview;
  show_source (preview);
  g_signal_connect_swapped (preview_window_get_widget (preview->front),
      "destroy", G_CALLBACK (quit), preview);
  g_object_unref (video);
}
#else
static gboolean
has_display (void)
{
  return FALSE;
}
#endif

/* A window, or a page. */
static gboolean
open_front (Preview * preview, gboolean display)
{
  GError *error = NULL;

  if (!display && !preview->http)
    return TRUE;
  g_object_set (preview->dct, "interactive", TRUE, "keep-frame", TRUE, NULL);
#ifdef HAVE_WINDOW
  if (display)
    open_window (preview);
#endif
#ifdef HAVE_HTTP
  if (preview->http)
    preview->front = preview_server_new (preview->dct, preview->sink,
        preview->transport, preview->address, preview->port, &error);
#endif
  if (error != NULL) {
    complain (preview, error->message, NULL);
    g_error_free (error);
  }
  return preview->front != NULL;
}

static void
run (Preview * preview, gboolean display)
{
  GError *error = NULL;
  guint watch, sigint, sigterm;
  GstBus *bus;

  if (!make_sink (preview, display))
    return;
  preview->pipeline = preview_pipeline_new (&preview->options, preview->sink,
      &preview->dct, &error);
  if (preview->pipeline == NULL) {
    complain (preview, error->message, NULL);
    g_error_free (error);
    return;
  }
  preview->transport = preview_transport_new (preview->pipeline);
  preview->loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (preview->pipeline);
  watch = gst_bus_add_watch (bus, handle_message, preview);
  sigint = g_unix_signal_add (SIGINT, interrupted, preview);
  sigterm = g_unix_signal_add (SIGTERM, interrupted, preview);
  if (open_front (preview, display)) {
    gst_element_set_state (preview->pipeline, GST_STATE_PLAYING);
    g_main_loop_run (preview->loop);
  }
  g_source_remove (sigint);
  g_source_remove (sigterm);
  gst_element_set_state (preview->pipeline, GST_STATE_NULL);
  g_source_remove (watch);
  gst_object_unref (bus);
  if (preview->front != NULL)
    preview->front->free (preview->front);
  preview_transport_free (preview->transport);
  gst_object_unref (preview->pipeline);
  g_main_loop_unref (preview->loop);
}

int
main (int argc, char **argv)
{
  Preview preview = { 0 };
  PreviewOptions *options = &preview.options;

  if (parse (&preview, &argc, &argv))
    run (&preview, !preview.http && has_display ());
  g_clear_object (&preview.sink);
  g_strfreev (preview.arguments);
  g_strfreev (options->properties);
  g_free (options->file);
  g_free (options->device);
  g_free (options->pattern);
  g_free (options->screenshot);
  g_free (options->csv);
  g_free (preview.address);
  gst_deinit ();
  return preview.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
