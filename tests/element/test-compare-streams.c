/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare behind files that seek. (Behind encoders:
 * tests/programs/measure/said.py.) */
#include <string.h>
#include "duel.h"

/* Make a file of 100 frames with `muxer`; NULL: an element is not there. */
static gchar *
make_file (const gchar * muxer, const gchar * name, guint quality)
{
  gchar *path, *line;
  GstElement *pipeline;
  GstMessage *message;
  GstBus *bus;

  if (!test_have_element (muxer) || !test_have_element ("jpegenc"))
    return NULL;
  path = test_path (name);
  line = g_strdup_printf ("videotestsrc num-buffers=100 ! "
      "video/x-raw,format=I420,width=64,height=64,framerate=25/1 ! "
      "jpegenc quality=%u ! %s ! filesink location=%s", quality, muxer, path);
  pipeline = gst_parse_launch (line, NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS);
  g_assert_nonnull (message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
  return path;
}

/* Seek in a paused pipeline and see where it goes on: both inputs do. */
static void
seek_and_pull (Duel * duel, guint second)
{
  GstSample *sample;

  g_assert_true (gst_element_seek_simple (duel->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, second * GST_SECOND));
  g_assert_cmpint (gst_element_get_state (duel->pipeline, NULL, NULL,
          30 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
  g_signal_emit_by_name (duel->sink, "pull-preroll", &sample);
  g_assert_nonnull (sample);
  g_assert_cmpuint (GST_BUFFER_PTS (gst_sample_get_buffer (sample)), ==,
      second * GST_SECOND);
  g_assert_nonnull (duel_figures (gst_sample_get_buffer (sample),
          "dist_sink"));
  gst_sample_unref (sample);
}

/* Two files, and one before a tee, go where a seek says, also after the end. */
static void
test_seek_files (void)
{
  static const gchar *const kinds[][2] = { {"matroskamux", "matroskademux"},
    {"qtmux", "qtdemux"}
  };
  static const guint seconds[] = { 2, 1, 3, 0 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (kinds); i++) {
    const gchar *muxer = kinds[i / 2][0], *demuxer = kinds[i / 2][1];
    gchar *a = make_file (muxer, "a", 90), *b = make_file (muxer, "b", 30);
    gchar *line;
    Duel duel = { 0 };

    if (a == NULL || b == NULL || !test_have_element ("jpegdec"))
      return;
    line = i % 2 == 0 ? g_strdup_printf ("filesrc location=%s ! %s ! jpegdec ! "
        "compare.ref_sink filesrc location=%s ! %s ! jpegdec ! "
        "compare.dist_sink blockdctcompare name=compare ! "
        "appsink name=out sync=false", a, demuxer, b, demuxer)
        : g_strdup_printf ("filesrc location=%s ! %s ! jpegdec ! tee name=t ! "
        "queue ! compare.ref_sink t. ! queue ! blockdct post-messages=false ! "
        "compare.dist_sink blockdctcompare name=compare ! "
        "appsink name=out sync=false", a, demuxer);
    g_test_message ("%s", line);
    duel_launch (&duel, line);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
    g_assert_cmpint (gst_element_get_state (duel.pipeline, NULL, NULL,
            30 * GST_SECOND), ==, GST_STATE_CHANGE_SUCCESS);
    for (guint k = 0; k < G_N_ELEMENTS (seconds); k++)
      seek_and_pull (&duel, seconds[k]);
    gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
    duel_drain (&duel);
    gst_element_set_state (duel.pipeline, GST_STATE_PAUSED);
    seek_and_pull (&duel, 2);
    duel_clear (&duel);
    g_free (line);
    g_free (a);
    g_free (b);
  }
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/compare-streams/seek-files", test_seek_files);
  return test_run ();
}
