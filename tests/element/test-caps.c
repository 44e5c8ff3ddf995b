/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element says of itself, and the formats it takes. (What it refuses:
 * test-settings.c.) */
#include <string.h>
#include "bench.h"
#include "rgb-formats.h"

#define CUDA_FEATURE "memory:CUDAMemory"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

TEST ("/element/caps/metadata", test_metadata)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("blockdct");

  g_assert_cmpstr (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), ==, "Filter/Analyzer/Video");
  g_assert_cmpstr (gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE
          (factory)), ==, "blockdct");
  g_assert_cmpuint (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE (factory)),
      ==, GST_RANK_NONE);
}

static gboolean
is_cuda (GstCaps * caps, guint i)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, i),
      CUDA_FEATURE);
}

/* System memory is offered in as many formats as tests have, and sides have
 * their limit. (That each is taken: test_rgb() and test-settings.c.) */
TEST ("/element/caps/template", test_template)
{
  g_autoptr (GstElement) element = element_new ("blockdct");
  static const gchar *pads[] = { "sink", "src" };
  static const gchar *sides[] = { "width", "height" };

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    GstPad *pad = gst_element_get_static_pad (element, pads[i]);
    g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (pad);
    guint n_formats = 0;

    for (guint s = 0; s < gst_caps_get_size (template); s++) {
      const GValue *formats =
          gst_structure_get_value (gst_caps_get_structure (template, s),
          "format");

      g_assert_true (GST_VALUE_HOLDS_LIST (formats));
      for (guint k = 0; k < G_N_ELEMENTS (sides); k++) {
        const GValue *range = gst_structure_get_value (gst_caps_get_structure
            (template, s), sides[k]);

        g_assert_cmpint (gst_value_get_int_range_min (range), ==, 1);
        g_assert_cmpint (gst_value_get_int_range_max (range), ==, 65535);
      }
      if (!is_cuda (template, s))
        n_formats += gst_value_list_get_size (formats);
    }
    g_assert_cmpuint (n_formats, ==, N_TEST_FORMATS
        + G_N_ELEMENTS (rgb_formats));
    gst_object_unref (pad);
  }
}

/* Each of R, G and B, with each subsampling while it plays. */
TEST ("/element/caps/rgb", test_rgb)
{
  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++) {
    g_auto (Bench) bench;

    bench_init (&bench, rgb_formats[f].name, 131, 101, "metrics", BENCH_BITS,
        NULL);
    for (guint i = 0; i < G_N_ELEMENTS (rgb_samplings); i++) {
      element_set (bench.element, "chroma-subsampling", rgb_samplings[i].name);
      frame_chroma = rgb_samplings[i].chroma;
      bench_check (&bench, i, &defaults);
    }
  }
  frame_chroma = BDCT_CHROMA_420;
}

/* The maps' colours follow the caps: where all is 0, a map is 0x440154, as it
 * was computed by hand for BT.601, BT.709 and full BT.709. */
TEST ("/element/caps/colorimetry", test_colorimetry)
{
  static const gchar *colorimetries[] = { "bt601", "bt709", "1:3:5:1" };
  static const gint wanted[][3] = { {42, 155, 151}, {34}, {21} };

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
    GstCaps *caps = video_caps ("Y444", 32, 32);
    GstBuffer *in, *out;
    g_auto (Bench) bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    element_set (bench.element, "view", "nonzero-map");
    video_info (&bench.info, "Y444", 32, 32);
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[i],
        NULL);
    gst_harness_set_src_caps (bench.h, caps);
    in = frame_new (&bench.info, 0);
    gst_buffer_memset (in, 0, 128, bench.info.size);
    gst_harness_push (bench.h, in);
    out = bench_take (&bench);
    for (guint c = 0; c < 3 && wanted[i][c] > 0; c++)
      g_assert_cmpint (ABS (frame_first (&bench.info, out, c) - wanted[i][c]),
          <=, 1);
    gst_buffer_unref (out);
  }
}

/* A side that is too long is refused with the caps. (By blockdct:
 * test-settings.c.) */
TEST ("/element/caps/too-large-elsewhere", test_too_large_elsewhere)
{
  static const gchar *const names[][2] = {
    {"blockdctcompare", "ref_sink"}, {"blockdctcompare", "dist_sink"},
    {"blockdctpreview", "sink"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = element_new (names[i][0]);
    GstPad *pad = gst_element_get_static_pad (element, names[i][1]);
    GstCaps *caps = video_caps ("GRAY8", 65536, 1);
    g_autoptr (GstBus) bus = gst_bus_new ();
    GstMessage *message;

    gst_element_set_bus (element, bus);
    gst_element_set_state (element, GST_STATE_PAUSED);
    gst_pad_send_event (pad, gst_event_new_stream_start ("test"));
    g_assert_false (gst_pad_send_event (pad, gst_event_new_caps (caps)));
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    g_assert_nonnull (message);
    text_expect (message_text (message), "65536 x 1", "65535", NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_caps_unref (caps);
    gst_object_unref (pad);
  }
}

/* Frames come, and no caps have come before them. */
TEST ("/element/caps/no-caps", test_no_caps)
{
  GstSegment segment;
  g_auto (Bench) bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (bench.h, gst_event_new_stream_start ("test"));
  gst_harness_push_event (bench.h, gst_event_new_segment (&segment));
  g_assert_cmpint (gst_harness_push (bench.h,
          gst_buffer_new_allocate (NULL, 16, NULL)), ==,
      GST_FLOW_NOT_NEGOTIATED);
  text_expect (bench_pop_text (&bench, GST_MESSAGE_ERROR), "without caps",
      "capsfilter", NULL);
}

/* With backend=cpu there is system memory only, whatever the build has. */
TEST ("/element/caps/cpu-memory", test_cpu_memory)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_PLAYING };
  g_autoptr (GstElement) element = element_new ("blockdct");

  element_set (element, "backend", "cpu");
  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    GstPad *sink = gst_element_get_static_pad (element, "sink");
    g_autoptr (GstCaps) cuda = gst_caps_from_string
        ("video/x-raw(memory:CUDAMemory),format=NV12,width=16,height=16,"
        "framerate=25/1");
    g_autoptr (GstCaps) caps;

    g_assert_cmpint (gst_element_set_state (element, states[i]), !=,
        GST_STATE_CHANGE_FAILURE);
    caps = gst_pad_query_caps (sink, NULL);
    g_assert_false (gst_caps_is_empty (caps));
    for (guint s = 0; s < gst_caps_get_size (caps); s++)
      g_assert_false (is_cuda (caps, s));
    g_assert_false (gst_pad_query_accept_caps (sink, cuda));
    gst_object_unref (sink);
  }
  gst_element_set_state (element, GST_STATE_NULL);
}

/* Downstream's limits reach upstream. */
TEST ("/element/caps/query", test_query_caps)
{
  GstCaps *filter, *caps, *expected;
  g_auto (Bench) bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  gst_harness_set_sink_caps (bench.h, video_caps ("NV12", 40, 30));
  filter = gst_caps_from_string
      ("video/x-raw,format={NV12,I420},width=[1,100],height=30,"
      "framerate=25/1");
  caps = gst_pad_peer_query_caps (bench.h->srcpad, filter);
  expected = video_caps ("NV12", 40, 30);
  g_assert_true (gst_caps_is_equal (caps, expected));
  gst_caps_unref (filter);
  gst_caps_unref (caps);
  gst_caps_unref (expected);
}
