/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stopped while it is asked. */
#include "bench.h"

/* A source that asks for buffers again, by a serialized query, while the
 * element stops. */
typedef struct
{
  GstPad *pad, *sink;           /* the source's, and the element's */
  GRand *rand;
  gint frames;
  gint asks;                    /* atomic: the query is on its way */
} Asking;

static GstPadProbeReturn
ask_again (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Asking *asking = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    if (++asking->frames == 20)
      gst_pad_mark_reconfigure (pad);
  } else if (asking->frames == 20
      && GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info))
      == GST_QUERY_ALLOCATION) {
    g_atomic_int_set (&asking->asks, TRUE);
    while (!GST_PAD_IS_FLUSHING (asking->sink))
      g_thread_yield ();
    g_usleep (g_rand_int_range (asking->rand, 0, 2) * 30);
  }
  return GST_PAD_PROBE_OK;
}

/* `-m thorough` on the command line takes ten thousand rounds of each kind. */
static void
test_stop_while_asked (void)
{
  static const gint depths[] = { 1, 2, 16 };
  const gint rounds = test_rounds (g_test_thorough () ? 10000 : 30);

  if (!test_have_element ("videotestsrc") || !test_have_element ("fakesink"))
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (depths); i++) {
    gchar *line = g_strdup_printf ("videotestsrc name=src is-live=%d ! "
        "video/x-raw,format=I420,width=320,height=240,framerate=10000/1 ! "
        "blockdct name=b backend=%s async-depth=%d ! fakesink", i % 2,
        test_backend (), depths[i / 2]);
    GstElement *pipeline = gst_parse_launch (line, NULL);
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
    GstElement *dct = gst_bin_get_by_name (GST_BIN (pipeline), "b");
    Asking asking = {
      .pad = gst_element_get_static_pad (src, "src"),
      .sink = gst_element_get_static_pad (dct, "sink"),
      .rand = g_rand_new_with_seed (i),
    };

    test_share_context (dct);
    gst_pad_add_probe (asking.pad, GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, ask_again, &asking, NULL);
    for (gint round = 0; round < rounds; round++) {
      const gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

      asking.frames = asking.asks = 0;
      g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING),
          !=, GST_STATE_CHANGE_FAILURE);
      while (!g_atomic_int_get (&asking.asks)) {
        g_assert_cmpint (g_get_monotonic_time (), <, end);
        g_usleep (50);
      }
      g_assert_cmpint (gst_element_set_state (pipeline, round % 2
              ? GST_STATE_NULL : GST_STATE_READY), ==,
          GST_STATE_CHANGE_SUCCESS);
    }
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_rand_free (asking.rand);
    gst_object_unref (asking.pad);
    gst_object_unref (asking.sink);
    gst_object_unref (dct);
    gst_object_unref (src);
    gst_object_unref (pipeline);
    g_free (line);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/element/lifecycle/stop-while-asked", test_stop_while_asked);
  return test_run ();
}
