/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element against GStreamer's own JPEG codec: what `blockdct quality=Q`
 * shows is what `jpegenc quality=Q ! jpegdec` shows, with idct-method=islow on
 * both. Widths are multiples of 16 and formats those that pair passes through:
 * elsewhere jpegenc reads beyond its rows, or jpegdec converts. */
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

typedef struct
{
  GstHarness *blockdct, *codec;
  GstElement *encoder;
  GstVideoInfo info;
} Pair;

static gboolean
have_codec (void)
{
  static const gchar *const needed[] = { "jpegenc", "jpegdec" };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    GstElementFactory *factory = gst_element_factory_find (needed[i]);

    if (factory == NULL) {
      g_test_skip ("jpegenc or jpegdec is missing: install "
          "gstreamer1.0-plugins-good");
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

static void
pair_init (Pair * pair, GstCaps * caps)
{
  const gchar *backend = g_getenv ("BLOCKDCT_TEST_BACKEND");
  gchar *launch = g_strdup_printf ("blockdct backend=%s",
      backend != NULL ? backend : "cpu");

  g_assert_true (gst_video_info_from_caps (&pair->info, caps));
  pair->blockdct = gst_harness_new_parse (launch);
  pair->codec = gst_harness_new_parse ("jpegenc name=encoder "
      "idct-method=islow ! jpegdec idct-method=islow");
  pair->encoder = gst_bin_get_by_name (GST_BIN (pair->codec->element),
      "encoder");
  gst_harness_set_src_caps (pair->blockdct, gst_caps_ref (caps));
  gst_harness_set_sink_caps (pair->codec, gst_caps_ref (caps));
  gst_harness_set_src_caps (pair->codec, caps);
  g_free (launch);
}

static void
pair_clear (Pair * pair)
{
  gst_object_unref (pair->encoder);
  gst_harness_teardown (pair->blockdct);
  gst_harness_teardown (pair->codec);
}

static guint64 n_samples, n_different;

static guint
count_differences (const GstVideoInfo * info, GstBuffer * a, GstBuffer * b)
{
  GstVideoFrame fa, fb;
  guint different = 0;

  g_assert_true (gst_video_frame_map (&fa, info, a, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&fb, info, b, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++)
    for (gint y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT (info, p); y++) {
      const guint8 *ra = GST_VIDEO_FRAME_PLANE_DATA (&fa, p);
      const guint8 *rb = GST_VIDEO_FRAME_PLANE_DATA (&fb, p);

      ra += y * GST_VIDEO_FRAME_PLANE_STRIDE (&fa, p);
      rb += y * GST_VIDEO_FRAME_PLANE_STRIDE (&fb, p);
      for (gint x = 0; x < GST_VIDEO_INFO_COMP_WIDTH (info, p); x++)
        different += ra[x] != rb[x];
      n_samples += GST_VIDEO_INFO_COMP_WIDTH (info, p);
    }
  n_different += different;
  gst_video_frame_unmap (&fa);
  gst_video_frame_unmap (&fb);
  return different;
}

/* One picture through both, at every quality. Takes `buffer`. */
static void
compare_all_qualities (Pair * pair, GstBuffer * buffer)
{
  for (gint quality = 1; quality <= 100; quality++) {
    GstBuffer *ours, *theirs;
    guint different;

    GST_BUFFER_PTS (buffer) = quality * GST_MSECOND;
    gst_harness_set (pair->blockdct, "blockdct", "quality", quality, NULL);
    g_object_set (pair->encoder, "quality", quality, NULL);
    g_assert_cmpint (gst_harness_push (pair->blockdct,
            gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
    g_assert_cmpint (gst_harness_push (pair->codec,
            gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
    ours = gst_harness_pull (pair->blockdct);
    theirs = gst_harness_pull (pair->codec);
    g_assert_nonnull (ours);
    g_assert_nonnull (theirs);
    different = count_differences (&pair->info, ours, theirs);
    if (different != 0)
      g_test_fail_printf ("quality %d: %u samples differ", quality, different);
    gst_buffer_unref (ours);
    gst_buffer_unref (theirs);
  }
  gst_buffer_unref (buffer);
}

static GstCaps *
make_caps (const gchar * format, gint width, gint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height,
      "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
}

/* Noise around `middle` of this amplitude; 255 around 128 makes it black and
 * white. */
static void
run_noise (gconstpointer data)
{
  static const gchar *const formats[] = { "GRAY8", "I420" };
  const gint amplitude = GPOINTER_TO_INT (data);

  if (!have_codec ())
    return;
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    GRand *rand = g_rand_new_with_seed (amplitude + f);
    Pair pair;
    GstBuffer *buffer;
    GstMapInfo map;

    pair_init (&pair, make_caps (formats[f], 112, 72));
    buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&pair.info),
        NULL);
    g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (gsize i = 0; i < map.size; i++) {
      gint v = 128 + (gint) (i % 97) - 48;

      if (amplitude < 255)
        v += g_rand_int_range (rand, -amplitude, amplitude + 1);
      else
        v = g_rand_boolean (rand) ? 255 : 0;
      map.data[i] = CLAMP (v, 0, 255);
    }
    gst_buffer_unmap (buffer, &map);
    compare_all_qualities (&pair, buffer);
    pair_clear (&pair);
    g_rand_free (rand);
  }
}

/* The next picture; NULL if there is none, and why if that is no end. An
 * element that is missing is said on the bus, and nothing comes out, not even
 * the end: waiting for a picture alone would be for ever. */
static GstSample *
pull (GstElement * pipeline, GstElement * sink, gchar ** reason)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstSample *sample = NULL;
  gboolean eos = FALSE;

  for (guint i = 0; i < 600 && sample == NULL && !eos && *reason == NULL; i++) {
    GstMessage *message;

    g_signal_emit_by_name (sink, "try-pull-sample", 100 * GST_MSECOND,
        &sample);
    g_object_get (sink, "eos", &eos, NULL);
    while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR
                | GST_MESSAGE_ELEMENT)) != NULL) {
      const GstStructure *s = gst_message_get_structure (message);
      GError *error = NULL;

      if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
        gst_message_parse_error (message, &error, NULL);
        if (*reason == NULL)
          *reason = g_strdup (error->message);
        g_error_free (error);
      } else if (gst_structure_has_name (s, "missing-plugin")
          && *reason == NULL) {
        *reason = g_strdup_printf ("no %s",
            gst_structure_get_string (s, "name"));
      }
      gst_message_unref (message);
    }
  }
  gst_object_unref (bus);
  if (sample == NULL && !eos && *reason == NULL)
    *reason = g_strdup ("nothing comes out within a minute");
  return sample;
}

/* Pictures of a file in the test data, decoded by GStreamer. */
static void
run_file (const gchar * name, const gchar * format, gint n_frames)
{
  const gchar *folder = g_getenv ("BLOCKDCT_DATA");
  gchar *path = g_build_filename (folder != NULL ? folder
      : BLOCKDCT_DATA_DEFAULT, name, NULL);
  gchar *launch = g_strdup_printf ("filesrc location=\"%s\" ! decodebin ! "
      "videoconvert ! video/x-raw,format=%s ! identity eos-after=%d ! "
      "appsink name=sink sync=false", path, format, n_frames + 1);
  GstElement *pipeline = NULL, *sink = NULL;
  gchar *reason = NULL, *text;
  gint n = 0;

  if (!have_codec ())
    goto done;
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_test_skip ("the test picture is not there (BLOCKDCT_DATA)");
    goto done;
  }
  pipeline = gst_parse_launch (launch, NULL);
  if (pipeline == NULL) {
    g_test_skip ("no pipeline can decode it: install "
        "gstreamer1.0-plugins-base");
    goto done;
  }
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (; n < n_frames; n++) {
    GstSample *sample = pull (pipeline, sink, &reason);
    Pair pair;

    if (sample == NULL)
      break;
    pair_init (&pair, gst_caps_copy (gst_sample_get_caps (sample)));
    compare_all_qualities (&pair,
        gst_buffer_copy_deep (gst_sample_get_buffer (sample)));
    pair_clear (&pair);
    gst_sample_unref (sample);
  }
  if (n == 0) {
    text = g_strdup_printf ("%s cannot be decoded (%s): install "
        "gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad and "
        "gstreamer1.0-libav", name, reason != NULL ? reason : "it is empty");
    g_test_skip (text);
    g_free (text);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
done:
  g_free (reason);
  gst_clear_object (&sink);
  gst_clear_object (&pipeline);
  g_free (launch);
  g_free (path);
}

static void
test_barbara (void)
{
  run_file ("barbara.pgm", "GRAY8", 1);
}

static void
test_street (void)
{
  run_file ("street.avi", "I420", 2);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_data_func ("/jpegenc/smooth", GINT_TO_POINTER (4), run_noise);
  g_test_add_data_func ("/jpegenc/noise", GINT_TO_POINTER (100), run_noise);
  g_test_add_data_func ("/jpegenc/black-and-white", GINT_TO_POINTER (255),
      run_noise);
  g_test_add_func ("/jpegenc/barbara", test_barbara);
  g_test_add_func ("/jpegenc/street", test_street);
  status = g_test_run ();
  g_test_message ("compared: jpegenc ! jpegdec, islow: %" G_GUINT64_FORMAT
      " samples, %" G_GUINT64_FORMAT " differ", n_samples, n_different);
  return status;
}
