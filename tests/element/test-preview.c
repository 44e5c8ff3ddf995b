/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctpreview: A and B are exchanged while it starts and stops, and while
 * seeks come. (All else of it: preview.py.) */
#include "duel.h"

/* A source that never ends. */
static GstElement *
run (Duel * duel, const gchar * sink)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc ! video/x-raw,"
      "format=I420,width=48,height=32,framerate=25/1 ! blockdctpreview "
      "name=preview ! %s name=out sync=false", sink);
  GstElement *preview;

  duel_launch (duel, line);
  preview = gst_bin_get_by_name (GST_BIN (duel->pipeline), "preview");
  gst_child_proxy_set (GST_CHILD_PROXY (preview), "compare::view", 0, NULL);
  gst_element_set_state (duel->pipeline, GST_STATE_PLAYING);
  return preview;
}

typedef struct
{
  GstElement *preview;
  gint done;                    /* atomic */
} Setter;

static gpointer
set_versions (gpointer data)
{
  static const gchar *const lines[] = { "blockdct", "identity",
    "queue ! identity"
  };
  Setter *self = data;

  for (gint i = 0; i < test_rounds (3000); i++)
    g_object_set (self->preview, i % 2 ? "a" : "b", lines[i % 3], NULL);
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* There is always an A. */
TEST ("/preview/set-and-restart", test_set_and_restart)
{
  Setter setter = { NULL, FALSE };
  GThread *thread;
  gint quality = 0;
  Duel duel;

  setter.preview = run (&duel, "appsink max-buffers=2");
  gst_bus_set_flushing (duel.bus, TRUE);
  thread = g_thread_new ("set", set_versions, &setter);
  while (!g_atomic_int_get (&setter.done)) {
    gst_element_set_state (duel.pipeline, GST_STATE_READY);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
  }
  g_thread_join (thread);
  gst_element_set_state (duel.pipeline, GST_STATE_READY);
  gst_bus_set_flushing (duel.bus, FALSE);
  g_object_set (setter.preview, "a", "blockdct quality=7", NULL);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  /* appsink of 1.22 keeps two from before. */
  for (guint n = 0; quality != 7; n++) {
    g_autoptr (GstBuffer) out = duel_pull (&duel);

    g_assert_nonnull (out);
    g_assert_cmpuint (n, <, 1000);
    if (buffer_report (out) != NULL)
      gst_structure_get_int (buffer_report (out), "quality", &quality);
  }
  gst_object_unref (setter.preview);
  duel_clear (&duel);
}

/* Seeks that do not flush. */
static void
seek_on (GstElement * pipeline, gpointer done)
{
  for (guint i = 0; i < 40; i++)
    gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
        GST_SEEK_TYPE_SET, i * GST_SECOND, GST_SEEK_TYPE_NONE, 0);
  g_async_queue_push (done, done);
}

TEST ("/preview/seek", test_seek)
{
  GAsyncQueue *done = g_async_queue_new ();
  GstElement *preview;
  Duel duel;

  preview = run (&duel, "fakesink");
  gst_element_get_state (duel.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  gst_element_call_async (duel.pipeline, seek_on, done, NULL);
  for (guint i = 0; i < 40; i++) {
    g_object_set (preview, "b", i % 2 ? "" : "blockdct quality=5", NULL);
    g_usleep (2000);
  }
  g_async_queue_pop (done);
  g_async_queue_unref (done);
  gst_object_unref (preview);
  duel_clear (&duel);
}
