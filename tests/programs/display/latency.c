/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * latency [-p] FILE [PROPERTY=VALUE ...]
 *
 * How long it takes in blockdct-preview's window from the slider of `quality`
 * to the picture: FILE, a still or with -p a paused video, is shown, the slider
 * is set 100 times, and each time waited for until GTK has drawn a frame of
 * that quality. Prints the median and the 95th percentile. By hand, on any
 * display:
 *
 *   xvfb-run meson devenv -C build -w . \
 *     build/tests/programs/display/latency picture.png
 */
#include <stdlib.h>
#include <string.h>
#include "window-bench.h"

#define N 100

typedef struct
{
  PreviewSession *session;
  GtkWidget *video, *scale;
  GMainLoop *loop;
  gint wanted, arrived;         /* qualities; atomic */
  gint64 start, time[N];
  gint n;
  gboolean pause;
} Bench;

static GstPadProbeReturn
on_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Bench *bench = data;
  GstStructure *figures = preview_frames_get_figures (bench->session->frames);
  gint quality = 0;

  (void) pad, (void) info;
  gst_structure_get_int (figures, "quality", &quality);
  gst_structure_free (figures);
  g_atomic_int_set (&bench->arrived, quality);
  return GST_PAD_PROBE_OK;
}

static gboolean
turn (gpointer data)
{
  Bench *bench = data;

  bench->wanted = 10 + bench->n % 80;
  bench->start = g_get_monotonic_time ();
  gtk_range_set_value (GTK_RANGE (bench->scale), bench->wanted);
  return G_SOURCE_REMOVE;
}

/* What is drawn is in the X server when it has answered. */
static gboolean
on_draw (GtkWidget * widget, cairo_t * cr, Bench * bench)
{
  (void) cr;
  if (bench->wanted == 0
      || g_atomic_int_get (&bench->arrived) != bench->wanted)
    return FALSE;
  bench->wanted = 0;
  gdk_display_sync (gtk_widget_get_display (widget));
  bench->time[bench->n++] = g_get_monotonic_time () - bench->start;
  if (bench->n == N)
    g_main_loop_quit (bench->loop);
  else
    g_timeout_add (60, turn, bench);
  return FALSE;
}

static gboolean
begin (gpointer data)
{
  Bench *bench = data;

  if (bench->pause)
    preview_session_set_paused (bench->session, TRUE);
  g_timeout_add (500, turn, bench);
  return G_SOURCE_REMOVE;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : 1;
}

int
main (int argc, char **argv)
{
  PreviewOptions options = { 0 };
  PreviewWindow *window;
  GError *error = NULL;
  Bench bench = { 0 };
  GstPad *pad;

  gst_init (&argc, &argv);
  gtk_init (&argc, &argv);
  bench.pause = argc > 1 && strcmp (argv[1], "-p") == 0;
  argv += bench.pause;
  if (argc - bench.pause < 2)
    return EXIT_FAILURE;
  options.file = argv[1];
  options.properties = argv + 2;
  bench.session = preview_session_new (&options, PREVIEW_WINDOW, &error);
  if (bench.session == NULL)
    g_error ("%s", error->message);
  pad = gst_element_get_static_pad (bench.session->sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &bench, NULL);
  gst_object_unref (pad);
  bench.video = preview_session_get_widget (bench.session);
  window = preview_window_new (bench.session);
  bench.scale = window_find (preview_window_get_widget (window), "quality");
  g_signal_connect_after (bench.video, "draw", G_CALLBACK (on_draw), &bench);
  bench.loop = g_main_loop_new (NULL, FALSE);
  preview_session_start (bench.session);
  g_timeout_add (1500, begin, &bench);
  g_main_loop_run (bench.loop);
  qsort (bench.time, N, sizeof bench.time[0], compare);
  g_print ("%.1f ms, 95 %%: %.1f ms\n", bench.time[N / 2] / 1000.0,
      bench.time[N * 95 / 100] / 1000.0);
  preview_session_stop (bench.session);
  return EXIT_SUCCESS;
}
