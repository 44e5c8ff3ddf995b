/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdct-preview: shows what a block transform and its quantizer do. */
#include <glib-unix.h>
#include <stdlib.h>
#include <unistd.h>
#include <gio/gio.h>
#include "../console.h"
#include "server.h"
#include "session.h"

/* The number of frames of an endless source, without a page to close. */
#define DEFAULT_FRAMES 60
#define DEFAULT_PORT 8080
/* Seconds without a browser, as when the page is loaded again, that end what
 * was started on a desktop. */
#define LEAVE 10
/* Seconds that a signal leaves to what is under way, as an encoder may take
 * minutes for a frame: until the port is free and files are removed, and after
 * that. */
#define PATIENCE 20
#define GRACE 1

typedef struct
{
  PreviewOptions options;
  gchar **arguments;
  gboolean test;                /* --test-pattern without a name */
  gboolean no_original;         /* the first file is A, not the original */
  gboolean http;                /* print the page's address only */
  guint port;
  gchar *address;               /* NULL: browsers on this machine alone */
  GMainLoop *loop;
  PreviewSession *session;
  PreviewServer *server;        /* or NULL */
  guint n_left;                 /* times that no browser was there */
  gboolean failed;
  gint closed;                  /* atomic: the page is */
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
  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT16, &port, NULL))
    return preview_refuse (error, "--http=%s: the port is not a number from 0 "
        "to 65535", value);
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

    /* compare::view=wipe and encoder::speed-preset=slow also have the form of
     * URIs. */
    if (!exists && strchr (*p, '=') != NULL && (!preview_source_is_uri (*p)
            || g_str_has_prefix (*p, "compare::")
            || g_str_has_prefix (*p, "encoder::"))) {
      g_ptr_array_add (properties, g_strdup (*p));
    } else if (options->file == NULL) {
      options->file = g_strdup (*p);
      if (preview->no_original)
        options->versions[0] = g_strdup (*p);
    } else if (options->versions[1] == NULL) {
      options->versions[options->versions[0] != NULL] = g_strdup (*p);
    } else {
      preview_refuse (error,
          "There are an original and at most two versions of "
          "it: %s is one too many", *p);
      break;
    }
  }
  if (preview->no_original && options->versions[1] == NULL)
    preview_refuse (error, "--no-original compares two files");
  g_ptr_array_add (properties, NULL);
  options->properties = (gchar **) g_ptr_array_free (properties, FALSE);
  if (*error == NULL && options->csv != NULL
      && !g_str_has_suffix (options->csv, ".csv"))
    preview_refuse (error, "The name %s does not end in .csv", options->csv);
  if (*error == NULL && options->csv != NULL && options->versions[0] != NULL)
    preview_refuse (error,
        "--csv has figures of a transform as A: blockdct-measure score "
        "compares files");
  if (*error == NULL
      && (options->file != NULL) + options->camera + preview->test > 1)
    preview_refuse (error, "Name one of a file, a camera and a test pattern");
  if (*error == NULL && options->frames < 0)
    preview_refuse (error, "--frames=%d is below 0", options->frames);
  if (*error == NULL && !(options->hold >= 0 && options->hold <= G_MAXINT))
    preview_refuse (error, "--hold=%g is not from 0 to %d s", options->hold,
        G_MAXINT);
  if (preview->address != NULL)
    preview->http = TRUE;
  options->ends = options->screenshot != NULL || options->csv != NULL
      || options->frames > 0;
  if (options->ends && options->frames == 0 && options->file == NULL)
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
        parse_camera, "Show a camera, the first one or DEVICE", "DEVICE"},
    {"test-pattern", 't', G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
        parse_pattern, "Show a pattern of videotestsrc; the default", "NAME"},
    {"screenshot", 's', 0, G_OPTION_ARG_FILENAME, &options->screenshot,
        "At the end save the picture as a PNG and quit", "FILE"},
    {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv,
          "Write the figures of every frame to FILE.csv, and quit at the end",
        "FILE"},
    {"frames", 'n', 0, G_OPTION_ARG_INT, &options->frames,
        "Quit after N frames", "N"},
    {"hold", 0, 0, G_OPTION_ARG_DOUBLE, &options->hold,
        "Open the page paused, with the frame at SECONDS", "SECONDS"},
    {"b-encoder", 0, 0, G_OPTION_ARG_STRING, &options->b_encoder,
          "Encoder that makes B, written as for gst-launch-1.0",
        "LINE"},
    {"no-original", 0, 0, G_OPTION_ARG_NONE, &preview->no_original,
        "The two files are A and B, and compared with each other", NULL},
    {"http", 0, 0, G_OPTION_ARG_CALLBACK, parse_http,
        "Serve the page at port 8080 or PORT (0: any), print its address, and "
          "start no browser", "PORT"},
    {"http-address", 0, 0, G_OPTION_ARG_STRING, &preview->address,
        "Serve it at this address, such as 0.0.0.0, to all who have the "
          "printed token", "ADDRESS"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &version, "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
        &preview->arguments, NULL, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  g_autoptr (GOptionContext) context = g_option_context_new
      ("[FILE [A [B]]] [PROPERTY=VALUE ...] - see what block transforms and "
      "encoders do to video");
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, preview, NULL);
  g_autoptr (GError) error = NULL;
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
  if (!ok) {
    complain (preview, error->message, "blockdct-preview --help explains.");
  } else if (version) {
    g_print ("blockdct-preview %s\n", VERSION);
    exit (0);
  }
  return ok;
}

static void
quit (Preview * preview)
{
  g_main_loop_quit (preview->loop);
}

static gboolean
quit_in_loop (gpointer preview)
{
  quit (preview);
  return G_SOURCE_REMOVE;
}

static gint
get_status (const Preview * preview)
{
  return preview->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static gboolean
interrupt (gpointer data)
{
  Preview *preview = data;

  /* g_main_loop_quit() does nothing before the loop runs. */
  g_timeout_add (0, quit_in_loop, preview);
  for (guint i = 0; i < 10 * PATIENCE && !g_atomic_int_get (&preview->closed);
      i++)
    g_usleep (G_USEC_PER_SEC / 10);
  if (!g_atomic_int_get (&preview->closed)) {
    g_printerr ("blockdct-preview: it has not stopped within %d s, and exits\n",
        PATIENCE);
    _exit (EXIT_FAILURE);
  }
  g_usleep (GRACE * G_USEC_PER_SEC);
  _exit (get_status (preview));
}

static gpointer
wait_for_signals (gpointer context)
{
  while (TRUE)
    g_main_context_iteration (context, TRUE);
  return NULL;
}

/* In a thread of its own, as the main thread may wait for an encoder, too. From
 * here on no signal ends the program otherwise. */
static void
catch_signals (Preview * preview)
{
  static const gint numbers[] = { SIGINT, SIGTERM };
  GMainContext *context = g_main_context_new ();

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autoptr (GSource) source = g_unix_signal_source_new (numbers[i]);

    g_source_set_callback (source, interrupt, preview, NULL);
    g_source_attach (source, context);
  }
  g_thread_unref (g_thread_new ("signals", wait_for_signals, context));
}

static void
ended (Preview * preview, const gchar * text, const gchar * more)
{
  const gchar *path = preview->options.screenshot;
  g_autoptr (GError) error = NULL;

  if (text != NULL)
    complain (preview, text, more);
  else if (path != NULL
      && !preview_session_save_last (preview->session, path, &error))
    complain (preview, error->message, NULL);
  quit (preview);
}

static gboolean
leave (gpointer data)
{
  Preview *preview = data;

  preview->n_left = preview_server_is_left (preview->server)
      ? preview->n_left + 1 : 0;
  if (preview->n_left > LEAVE)
    quit (preview);
  return G_SOURCE_CONTINUE;
}

/* On a desktop, show the page; else its address has been printed. Returns the
 * source that watches whether it is closed. */
static guint
start_browser (Preview * preview)
{
  g_autoptr (GError) error = NULL;

  if (preview->server == NULL || preview->http
      || (g_getenv ("DISPLAY") == NULL && g_getenv ("WAYLAND_DISPLAY") == NULL))
    return 0;
  if (g_app_info_launch_default_for_uri (preview_server_get_address
          (preview->server), NULL, &error))
    return g_timeout_add_seconds (1, leave, preview);
  g_printerr ("blockdct-preview: open this address in a browser (%s)\n",
      error->message);
  return 0;
}

/* Serve the page, unless only files are asked for. */
static gboolean
open_page (Preview * preview)
{
  g_autoptr (GError) error = NULL;

  if (preview->options.ends && !preview->http)
    return TRUE;
  preview->server = preview_server_new (preview->session, preview->address,
      preview->port, &error);
  if (preview->server != NULL)
    return TRUE;
  complain (preview, error->message, NULL);
  return FALSE;
}

static void
play (Preview * preview)
{
  guint browser = 0;

  preview->loop = g_main_loop_new (NULL, FALSE);
  catch_signals (preview);
  g_signal_connect_swapped (preview->session, "ended", G_CALLBACK (ended),
      preview);
  if (open_page (preview)) {
    preview_session_start (preview->session);
    browser = start_browser (preview);
    g_main_loop_run (preview->loop);
  }
  if (preview->server != NULL)
    preview_server_close (preview->server);
  g_atomic_int_set (&preview->closed, TRUE);
  preview_session_stop (preview->session);
  g_clear_pointer (&preview->server, preview_server_free);
  if (browser != 0)
    g_source_remove (browser);
}

static void
run (Preview * preview)
{
  g_autoptr (GError) error = NULL;

  preview->session = preview_session_new (&preview->options,
      preview->options.ends && !preview->http ? PREVIEW_FILES : PREVIEW_PAGE,
      &error);
  if (preview->session != NULL) {
    play (preview);
    g_object_unref (preview->session);
  } else {
    complain (preview, error->message, NULL);
  }
}

int
main (int argc, char **argv)
{
  Preview preview = { 0 };
  PreviewOptions *options = &preview.options;

  console_init ();
  if (parse (&preview, &argc, &argv))
    run (&preview);
  g_strfreev (preview.arguments);
  g_strfreev (options->properties);
  g_free (options->file);
  g_free (options->versions[0]);
  g_free (options->versions[1]);
  g_free (options->device);
  g_free (options->pattern);
  g_free (options->screenshot);
  g_free (options->csv);
  g_free (options->b_encoder);
  g_free (preview.address);
  gst_deinit ();
  return get_status (&preview);
}
