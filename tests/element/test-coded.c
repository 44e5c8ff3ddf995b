/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcoded: streams made by hand. (Encoders' are
 * tests/programs/measure/said.py's.) */
#include <string.h>
#include "bench.h"

/* Buffers of a stream, and what is said of each. */
typedef struct
{
  guint8 data[16];
  gsize size;
  gboolean shown;
  guint64 bits, headers;        /* what the meta says */
} Piece;

static void
check_piece (GstHarness * h, const Piece * piece)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, piece->size, NULL);
  GstCustomMeta *meta;

  gst_buffer_fill (buffer, 0, piece->data, piece->size);
  g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, piece->size);
  meta = gst_buffer_get_custom_meta (buffer, "blockdct-coded");
  g_assert_cmpint (meta != NULL, ==, piece->shown);
  if (meta != NULL) {
    const GstStructure *s = gst_custom_meta_get_structure (meta);

    g_assert_cmpuint (get_uint64 (s, "bits"), ==, piece->bits);
    g_assert_cmpuint (get_uint64 (s, "bits-headers"), ==, piece->headers);
  }
  gst_buffer_unref (buffer);
}

static void
check_pieces (const gchar * caps, const Piece * pieces, guint n)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");

  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < n; i++)
    check_piece (h, &pieces[i]);
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
TEST ("/coded/hidden", test_hidden)
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
TEST ("/coded/headers", test_headers)
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
TEST ("/coded/cut-off", test_cut_off)
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
TEST ("/coded/flush", test_flush)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_set_src_caps_str (h, "video/x-vp8");
  check_piece (h, &(Piece) { {1, 1, 2}, 3, FALSE, 0, 0});
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  check_piece (h, &(Piece) { {0x10, 1}, 2, TRUE, 16, 0});
  gst_harness_teardown (h);
}

/* Sums are of one run; streams without whole pictures in buffers are not
 * taken. */
TEST ("/coded/start", test_start)
{
  GstHarness *h = gst_harness_new ("blockdctcoded");
  GstStructure *s;

  for (guint i = 0; i < 2; i++) {
    gst_harness_set_src_caps_str (h, "video/x-vp8");
    check_piece (h, &(Piece) { {0x10, 1, 2}, 3, TRUE, 24, 0});
    g_object_get (h->element, "stats", &s, NULL);
    g_assert_true (gst_structure_has_name (s, "blockdct-coded"));
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
    g_assert_cmpuint (get_uint64 (s, "bits"), ==, 24);
    g_assert_cmpuint (get_uint64 (s, "bits-headers"), ==, 0);
    gst_structure_free (s);
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
