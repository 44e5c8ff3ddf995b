/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcoded: what encoders make, counted frame by frame, through parsers
 * and decoders to blockdctcompare. */
#include <string.h>
#include "duel.h"
#include "leaky.h"

#define FRAMES 40

/* What a pad of blockdctcoded has let through. */
typedef struct
{
  GHashTable *bits;             /* of a frame, by its running time in ns */
  guint64 pending;              /* of buffers without the meta */
  guint64 sum, header_sum, n_frames;
} Seen;

static GstPadProbeReturn
on_coded (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "blockdct-coded");
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  Seen *seen = data;
  guint64 time;

  seen->pending += 8 * gst_buffer_get_size (buffer);
  seen->sum += 8 * gst_buffer_get_size (buffer);
  gst_event_parse_segment (event, &segment);
  if (meta != NULL) {
    const GstStructure *s = gst_custom_meta_get_structure (meta);

    g_assert_cmpuint (get_uint64 (s, "bits") + get_uint64 (s, "bits-headers"),
        ==, seen->pending);
    seen->header_sum += get_uint64 (s, "bits-headers");
    seen->n_frames++;
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
    g_hash_table_insert (seen->bits, g_memdup2 (&time, sizeof time),
        g_memdup2 (&seen->pending, sizeof seen->pending));
    seen->pending = 0;
  }
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

static void
watch (GstElement * coded, Seen * seen)
{
  GstPad *pad = gst_element_get_static_pad (coded, "src");

  *seen = (Seen) {.bits = g_hash_table_new_full (g_int64_hash, g_int64_equal,
        g_free, g_free)};
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_coded, seen, NULL);
  gst_object_unref (pad);
}

/* Compare's message on each frame has the bits of that frame. With the last one
 * all frames have been seen: before, another thread writes them down. */
static void
check_frames (Duel * duel, Seen * seen, gboolean timed)
{
  GstStructure *report[FRAMES];
  guint64 sum = 0, headers = 0;

  for (guint i = 0; i < FRAMES; i++)
    report[i] = duel_wait_report (duel, "frame");
  for (guint i = 0; i < FRAMES; i++) {
    const guint64 bits = get_uint64 (report[i], "bits"),
        of_headers = get_uint64 (report[i], "bits-headers"),
        time = get_uint64 (report[i], "running-time");
    const guint64 *expected = g_hash_table_lookup (seen->bits, &time);

    if (timed) {
      g_assert_nonnull (expected);
      g_assert_cmpuint (bits + of_headers, ==, *expected);
    }
    sum += bits + of_headers;
    headers += of_headers;
    gst_structure_free (report[i]);
  }
  g_assert_cmpuint (sum, ==, seen->sum);
  g_assert_cmpuint (headers, ==, seen->header_sum);
}

static void
check_stats (GstElement * coded, const Seen * seen)
{
  g_autoptr (GstStructure) s = NULL;

  g_object_get (coded, "stats", &s, NULL);
  g_assert_true (gst_structure_has_name (s, "blockdct-coded"));
  g_assert_cmpuint (get_uint64 (s, "frames"), ==, seen->n_frames);
  g_assert_cmpuint (get_uint64 (s, "bits") + get_uint64 (s, "bits-headers"), ==,
      seen->sum);
  g_assert_cmpuint (get_uint64 (s, "bits-headers"), ==, seen->header_sum);
}

/* An encoder, and what decodes its stream. */
typedef struct
{
  const gchar *encoder, *decoder;
  gboolean headers;             /* some bits are of headers */
  gboolean untimed;             /* its buffers have other times than pictures */
} Line;

static const Line lines[] = {
  {"x264enc", "h264parse ! avdec_h264", TRUE, FALSE},
  {"x264enc ! video/x-h264,stream-format=byte-stream", "avdec_h264", TRUE,
      FALSE},
  {"x264enc bframes=3 b-pyramid=true rc-lookahead=20",
      "h264parse ! openh264dec", TRUE, FALSE},
  {"x265enc key-int-max=10", "h265parse ! avdec_h265", TRUE, FALSE},
  {"openh264enc", "h264parse ! openh264dec", TRUE, FALSE},
  {"svtav1enc", "av1dec", TRUE, FALSE},
  {"av1enc cpu-used=8 lag-in-frames=8", "av1parse ! av1dec", TRUE, FALSE},
  {"vp8enc deadline=1 lag-in-frames=10 auto-alt-ref=true", "vp8dec", FALSE,
      FALSE},
  {"vp9enc deadline=1 lag-in-frames=10 auto-alt-ref=true", "vp9dec", FALSE,
      FALSE},
  {"vp9enc deadline=1 lag-in-frames=10 auto-alt-ref=true",
      "vp9parse ! vp9dec", FALSE, FALSE},
  {"mpeg2enc name=leaks format=3 ! mpegvideoparse", "avdec_mpeg2video", TRUE,
      TRUE},
  {"avenc_mpeg4", "mpeg4videoparse ! avdec_mpeg4", TRUE, TRUE},
  {"jpegenc", "jpegparse ! jpegdec", TRUE, FALSE},
  {"jpegenc quality=95 ! jpegdec ! jpegenc quality=20", "jpegdec", TRUE, FALSE},
  {"theoraenc", "theoradec", TRUE, FALSE},
};

/* Whether all elements of a line are installed. */
static gboolean
have_line (const gchar * line)
{
  gchar **parts = g_strsplit (line, " ! ", -1);
  gboolean there = TRUE;

  for (guint i = 0; there && parts[i] != NULL; i++) {
    gchar *name = g_strndup (parts[i], strcspn (parts[i], " "));

    there = strchr (name, '/') != NULL || test_have_element (name);
    g_free (name);
  }
  g_strfreev (parts);
  return there;
}

/* mpeg2enc of 1.22 never lets go of its caps. */
static void
allow_leak (GstElement * pipeline)
{
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (pipeline), "leaks");
  GstPad *pad;
  GstCaps *caps;

  if (encoder == NULL)
    return;
  pad = gst_element_get_static_pad (encoder, "sink");
  caps = gst_pad_get_current_caps (pad);
  GST_MINI_OBJECT_FLAG_SET (caps, GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (encoder);
}

/* What leaves the encoder is what compare adds up. */
static void
test_line (gconstpointer data)
{
  const Line *line = data;
  GstElement *coded;
  Duel duel;
  Seen seen;
  gchar *text;

  if (!have_line (line->encoder) || !have_line (line->decoder))
    return;
  text = g_strdup_printf ("videotestsrc pattern=ball num-buffers=%d ! "
      "video/x-raw,format=I420,width=176,height=144,framerate=25/1,"
      "colorimetry=bt601 ! tee name=t ! queue max-size-buffers=0 "
      "max-size-bytes=0 max-size-time=0 ! compare.ref_sink t. ! queue ! %s ! "
      "blockdctcoded name=coded ! %s ! compare.dist_sink "
      "blockdctcompare name=compare view=single right=-1 ! "
      "fakesink name=out", FRAMES, line->encoder, line->decoder);
  duel_launch (&duel, text);
  g_free (text);
  coded = gst_bin_get_by_name (GST_BIN (duel.pipeline), "coded");
  watch (coded, &seen);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  check_frames (&duel, &seen, !line->untimed);
  g_assert_cmpuint (seen.n_frames, ==, FRAMES);
  g_assert_cmpuint (seen.pending, ==, 0);
  g_assert_cmpint (seen.header_sum > 0, ==, line->headers);
  check_stats (coded, &seen);
  allow_leak (duel.pipeline);
  g_hash_table_unref (seen.bits);
  gst_object_unref (coded);
  duel_abort (&duel);
}

/* Buffers of a stream, and what is said of each. */
typedef struct
{
  guint8 data[16];
  gsize size;
  gboolean shown;
  guint64 bits, headers;        /* what the meta says */
} Piece;

static void
check_pieces (const gchar * caps, const Piece * pieces, guint n)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");

  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, pieces[i].size, NULL);
    GstCustomMeta *meta;

    gst_buffer_fill (buffer, 0, pieces[i].data, pieces[i].size);
    g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    g_assert_cmpuint (gst_buffer_get_size (buffer), ==, pieces[i].size);
    meta = gst_buffer_get_custom_meta (buffer, "blockdct-coded");
    g_assert_cmpint (meta != NULL, ==, pieces[i].shown);
    if (meta != NULL) {
      const GstStructure *s = gst_custom_meta_get_structure (meta);

      g_assert_cmpuint (get_uint64 (s, "bits"), ==, pieces[i].bits);
      g_assert_cmpuint (get_uint64 (s, "bits-headers"), ==, pieces[i].headers);
    }
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

#define CHECK_PIECES(caps, ...) \
  do { \
    static const Piece pieces[] = { __VA_ARGS__ }; \
\
    check_pieces (caps, pieces, G_N_ELEMENTS (pieces)); \
  } while (0)

/* Frames that are not shown join the next one; frames that show one from
 * before are shown. */
static void
test_hidden (void)
{
  CHECK_PIECES ("video/x-vp8", {{0x10, 1, 2}, 3, TRUE, 24, 0},
      {{0x01, 1}, 2, FALSE, 0, 0}, {{0x11, 0x10}, 2, TRUE, 32, 0},
      {{0}, 0, FALSE, 0, 0});
  /* Profiles 0 and 3; a superframe that begins with a hidden frame. */
  CHECK_PIECES ("video/x-vp9", {{0x82, 1}, 2, TRUE, 16, 0},
      {{0x84, 1, 2}, 3, FALSE, 0, 0}, {{0x88}, 1, TRUE, 32, 0},
      {{0xb1}, 1, TRUE, 8, 0}, {{0xb2}, 1, FALSE, 0, 0},
      {{0xb4}, 1, TRUE, 16, 0}, {{0x84, 1, 0xc0}, 3, TRUE, 24, 0});
}

/* Headers in buffers of their own, and in those of frames. */
static void
test_headers (void)
{
  CHECK_PIECES ("video/x-theora", {{0x80, 't', 'h'}, 3, FALSE, 0, 0},
      {{0x40, 1}, 2, TRUE, 16, 24}, {{0}, 0, TRUE, 0, 0},
      {{0x40}, 1, TRUE, 8, 0});
  CHECK_PIECES ("video/x-h264,stream-format=byte-stream,alignment=au",
      {{0, 0, 0, 1, 0x67, 7}, 6, FALSE, 0, 0},
      {{0, 0, 1, 0x06, 5, 0, 0, 0, 1, 0x65, 1, 2}, 12, TRUE, 56, 88});
  /* Lengths of two bytes, as codec_data says. */
  CHECK_PIECES ("video/x-h264,stream-format=avc,alignment=au,"
      "codec_data=(buffer)0142c00afd", {{0, 2, 0x06, 5, 0, 1, 0x65}, 7, TRUE,
      24, 32}, {{0, 1, 0x41}, 3, TRUE, 24, 0});
  /* A temporal delimiter, a sequence header, a frame; a frame without a
   * size. */
  CHECK_PIECES ("video/x-av1,alignment=tu",
      {{0x12, 0, 0x0a, 1, 9, 0x32, 2, 1, 2}, 9, TRUE, 32, 40},
      {{0x30, 1, 2}, 3, TRUE, 24, 0});
}

/* Units that end where there is no more: not a byte more is counted. */
static void
test_cut_off (void)
{
  CHECK_PIECES ("video/x-av1,alignment=tu", {{0x36}, 1, TRUE, 8, 0},
      {{0x32, 0xff, 0xff}, 3, TRUE, 24, 0}, {{0x32, 9, 1}, 3, TRUE, 24, 0});
  CHECK_PIECES ("video/x-h264,stream-format=avc,alignment=au",
      {{0, 0, 0, 9, 0x65}, 5, TRUE, 40, 0}, {{0, 0, 0, 9}, 4, FALSE, 0, 0},
      {{0xff, 0xff}, 2, FALSE, 0, 0});
  CHECK_PIECES ("video/x-h265,stream-format=byte-stream,alignment=au",
      {{0, 0, 1}, 3, FALSE, 0, 0}, {{0, 0, 1, 2}, 4, TRUE, 32, 24});
  CHECK_PIECES ("image/jpeg", {{0xff, 0xd8, 0xff, 0xda, 0xff, 0xff}, 6, FALSE,
      0, 0}, {{0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff}, 8, TRUE, 16, 96},
      {{0xff}, 1, FALSE, 0, 0});
}

/* What waits for its frame when a flush comes is of another place in the
 * stream. */
static void
test_flush (void)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");
  GstCustomMeta *meta;
  g_autoptr (GstBuffer) buffer;
  GstSegment segment;

  gst_harness_set_src_caps_str (h, "video/x-vp8");
  gst_harness_push (h, gst_buffer_new_memdup ("\1\1\2", 3));
  gst_buffer_unref (gst_harness_pull (h));
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  gst_harness_push (h, gst_buffer_new_memdup ("\x10\1", 2));
  buffer = gst_harness_pull (h);
  meta = gst_buffer_get_custom_meta (buffer, "blockdct-coded");
  g_assert_nonnull (meta);
  g_assert_cmpuint (get_uint64 (gst_custom_meta_get_structure (meta), "bits"),
      ==, 16);
  gst_harness_teardown (h);
}

/* Sums are of one run; streams without whole pictures in buffers are not
 * taken. */
static void
test_start (void)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");
  Seen seen = {.sum = 24,.n_frames = 1 };

  for (guint i = 0; i < 2; i++) {
    gst_harness_set_src_caps_str (h, "video/x-vp8");
    gst_harness_push (h, gst_buffer_new_memdup ("\x10\1\2", 3));
    check_stats (h->element, &seen);
    gst_element_set_state (h->element, GST_STATE_NULL);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
  }
  gst_harness_teardown (h);
  h = gst_harness_new ("blockdctcoded");
  gst_harness_set_src_caps_str (h, "video/x-h264,stream-format=byte-stream,"
      "alignment=nal");
  g_assert_cmpint (gst_harness_push (h, gst_buffer_new ()), ==,
      GST_FLOW_NOT_NEGOTIATED);
  gst_harness_teardown (h);
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree gchar *path = g_strdup_printf ("/coded/%s/%s", lines[i].encoder,
        lines[i].decoder);

    g_test_add_data_func (g_strdelimit (path, " !=", '-'), &lines[i],
        test_line);
  }
  test_add ("/coded/hidden", test_hidden);
  test_add ("/coded/headers", test_headers);
  test_add ("/coded/cut-off", test_cut_off);
  test_add ("/coded/flush", test_flush);
  test_add ("/coded/start", test_start);
  return test_run ();
}
