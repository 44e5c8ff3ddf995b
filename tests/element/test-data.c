/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture that comes out, and its figures, are the CPU engine's; wherever
 * the planes lie in memory. */
#include <string.h>
#include "bench.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static void
describe (GstBuffer * buffer, const GstVideoInfo * info, gsize * offset,
    gint * stride)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
}

/* Planes in memories of their own, as some decoders and capture devices give
 * them. */
TEST ("/element/data/memories", test_memories)
{
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 33, 17, NULL);
  for (guint n = 0; n < 2; n++) {
    GstVideoInfo *info = &bench.info;
    GstBuffer *whole = frame_new (info, n), *in = gst_buffer_new ();

    for (guint p = 0; p < 3; p++) {
      gsize end = p < 2 ? info->offset[p + 1] : info->size;

      gst_buffer_append_memory (in, gst_memory_copy (gst_buffer_peek_memory
              (whole, 0), info->offset[p], end - info->offset[p]));
    }
    gst_buffer_copy_into (in, whole, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
    /* Without a meta the memories are one after the other. */
    if (n == 0)
      describe (in, info, info->offset, info->stride);
    bench_check_buffer (&bench, in, &defaults);
    gst_buffer_unref (whole);
  }
}

/* A decoder's padded picture: the meta says more than the caps. */
TEST ("/element/data/larger-meta", test_larger_meta)
{
  GstVideoInfo larger;
  GstBuffer *in;
  g_auto (Bench) bench;

  bench_init (&bench, "NV12", 30, 14, NULL);
  video_info (&larger, "NV12", 32, 16);
  in = frame_new (&larger, 0);
  describe (in, &larger, larger.offset, larger.stride);
  bench_check_buffer (&bench, in, &defaults);
}

/* Bad buffers: a flow error and a message, and nothing read past the end. */

static void
check_bad (Bench * bench, GstBuffer * in, const gchar * what)
{
  /* Read-only memory is all the same to the element. */
  g_assert_cmpint (gst_harness_push (bench->h, in), ==, GST_FLOW_ERROR);
  text_expect (bench_pop_text (bench, GST_MESSAGE_ERROR), "buffer", what, NULL);
  g_assert_null (bench_pull (bench));
  bench_pop_report (bench, NULL);
}

TEST ("/element/data/too-small", test_too_small)
{
  static const gchar *formats[] = { "GRAY8", "I420", "NV12", "P010_10LE" };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gsize sizes[4];
    g_auto (Bench) bench;

    bench_init (&bench, formats[f], 48, 32, NULL);
    sizes[0] = 0;
    sizes[1] = 1;
    sizes[2] = bench.info.size / 2;
    sizes[3] = bench.info.size - 1;
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      GstBuffer *in = sizes[i] ? gst_buffer_new_allocate (NULL, sizes[i], NULL)
          : gst_buffer_new ();
      g_autofree gchar *what = g_strdup_printf ("of %" G_GSIZE_FORMAT
          " bytes", sizes[i]);

      gst_buffer_memset (in, 0, 0, sizes[i]);
      check_bad (&bench, in, what);
    }
    /* An application may go on. */
    bench_pass (&bench, 0);
  }
}

static GstBuffer *
with_meta (const GstVideoInfo * info, gsize * offset, gint * stride)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, info->size, NULL);

  gst_buffer_memset (in, 0, 0, info->size);
  describe (in, info, offset, stride);
  return in;
}

TEST ("/element/data/meta-beyond", test_meta_beyond)
{
  static struct
  {
    gsize offset[GST_VIDEO_MAX_PLANES];
    gint stride[GST_VIDEO_MAX_PLANES];
  } cases[] = {
    /* A stride that leaves the memory on the last row. */
    {{0, 1536, 1920}, {48, 24, 25}},
    {{0, 1536, 1920}, {120, 24, 24}},
    /* The last plane ends one byte late; it begins behind the end. */
    {{0, 1536, 1921}, {48, 24, 24}},
    {{0, 1536, 2304}, {48, 24, 24}},
    {{0, 1536, 1000000}, {48, 24, 24}},
    /* Rows upwards that begin before the memory does. */
    {{0, 1536, 1920}, {-48, 24, 24}},
    {{1487, 1536, 1920}, {-48, 24, 24}},
    /* Strides whose product with the height overflows 32 bits. */
    {{0, 1536, 1920}, {G_MAXINT, 24, 24}},
    {{0, 1536, 1920}, {G_MININT, 24, 24}},
  };
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 48, 32, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("case %u", i);
    check_bad (&bench, with_meta (&bench.info, cases[i].offset,
            cases[i].stride), "bytes");
  }
}

TEST ("/element/data/meta-mismatch", test_meta_mismatch)
{
  static const struct
  {
    const gchar *format;
    gint width, height;
  } cases[] = {
    {"I420", 46, 32}, {"I420", 48, 30}, {"NV12", 48, 32}, {"RGB", 48, 32},
  };
  static const GstVideoFormat unknown[] = { GST_VIDEO_FORMAT_UNKNOWN, 9999 };
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 48, 32, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstVideoInfo other;

    video_info (&other, cases[i].format, cases[i].width, cases[i].height);
    check_bad (&bench, with_meta (&other, other.offset, other.stride),
        "meta says");
  }
  /* No format at all. */
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++) {
    GstBuffer *in = with_meta (&bench.info, bench.info.offset,
        bench.info.stride);

    gst_buffer_get_video_meta (in)->format = unknown[i];
    check_bad (&bench, in, "unknown format");
  }
  /* Two planes fewer than the format has. */
  {
    GstBuffer *in = frame_new (&bench.info, 0);

    gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_I420, 48, 32, 1, bench.info.offset,
        bench.info.stride);
    check_bad (&bench, in, "meta says");
  }
}

/* Frames before a bad one are not lost, and an application may go on. */
TEST ("/element/data/bad-in-flight", test_bad_in_flight)
{
  GstBuffer *out;
  g_auto (Bench) bench;

  bench_init (&bench, "I420", 48, 32, "async-depth", 4, NULL);
  bench_push (&bench, 0);
  bench_push (&bench, 1);
  check_bad (&bench, gst_buffer_new_allocate (NULL, 1, NULL), "of 1 bytes");
  bench_push (&bench, 2);
  g_assert_true (gst_harness_push_event (bench.h, gst_event_new_eos ()));
  for (guint n = 0; n < 3; n++) {
    out = bench_take (&bench);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, n * FRAME);
    gst_buffer_unref (out);
  }
}
