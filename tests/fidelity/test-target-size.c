/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element's target-size against libjpeg's files: that of what it chooses
 * has no more bytes, and that of the next finer quality has more; its file-size
 * is that file's, and target-met is never true of a longer one. */
#include "bench.h"

#ifdef HAVE_LIBJPEG
#include <stdio.h>              /* jpeglib.h wants it first */
#include <stdlib.h>
#include <jpeglib.h>

#define N_QUALITIES 100

typedef struct
{
  const gchar *format;
  gint components;
} Format;

static guint n_targets, n_lower, n_missed, n_finest;

/* Bytes of the file of packed samples: with three, R, G and B as 4:2:0. */
static guint
count_bytes (const guint8 * samples, gint components, gint width, gint height,
    gint quality)
{
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr error;
  unsigned char *bytes = NULL;
  unsigned long length = 0;

  info.err = jpeg_std_error (&error);
  jpeg_create_compress (&info);
  jpeg_mem_dest (&info, &bytes, &length);
  info.image_width = width;
  info.image_height = height;
  info.input_components = components;
  info.in_color_space = components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults (&info);
  jpeg_set_quality (&info, quality, TRUE);
  info.dct_method = JDCT_ISLOW;
  jpeg_start_compress (&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = (JSAMPROW) samples
        + (gsize) info.next_scanline * width * components;

    jpeg_write_scanlines (&info, &row, 1);
  }
  jpeg_finish_compress (&info);
  jpeg_destroy_compress (&info);
  free (bytes);
  return length;
}

/* Picture `n`: noise over a ramp, from little to as much as there can be. */
static guint8 *
make_samples (guint n, gsize size)
{
  GRand *rand = g_rand_new_with_seed (n);
  guint8 *samples = g_malloc (size);
  const gint amplitude = 1 << n % 9;

  for (gsize i = 0; i < size; i++) {
    gint v = 128 + (gint) (i % 61) - 30;

    v += g_rand_int_range (rand, -amplitude, amplitude + 1);
    samples[i] = CLAMP (v, 0, 255);
  }
  g_rand_free (rand);
  return samples;
}

static void
put_samples (const GstVideoInfo * info, GstBuffer * buffer,
    const guint8 * samples, gint components)
{
  const gsize row = (gsize) GST_VIDEO_INFO_WIDTH (info) * components;
  GstVideoFrame frame;

  g_assert_true (gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < GST_VIDEO_INFO_HEIGHT (info); y++)
    memcpy ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
        + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), samples + y * row, row);
  gst_video_frame_unmap (&frame);
}

/* One target; FALSE if it is not what the files say. `length[q]` is the file's
 * of quality q. */
static gboolean
check_target (Bench * bench, guint n, const guint8 * samples,
    const Format * format, guint target, const guint * length)
{
  GstBuffer *out, *buffer = gst_buffer_new_allocate (NULL,
      GST_VIDEO_INFO_SIZE (&bench->info), NULL);
  gint best = 0, quality;
  GstStructure *s;
  guint64 size;
  gboolean met, ok;

  for (gint q = 1; q <= N_QUALITIES; q++)
    if (length[q] <= target)
      best = q;
  put_samples (&bench->info, buffer, samples, format->components);
  g_object_set (bench->element, "target-size", target, NULL);
  g_assert_cmpint (gst_harness_push (bench->h, buffer), ==, GST_FLOW_OK);
  out = bench_pull (bench);
  s = bench_pop_report (bench, "frame");
  quality = get_int (s, "quality");
  size = get_uint64 (s, "file-size");
  met = get_boolean (s, "target-met");
  n_targets++;
  n_lower += met && best < N_QUALITIES;
  n_missed += !met;
  n_finest += met && quality == best;
  ok = met == (length[quality] <= target) && size == length[quality]
      && (met ? quality == N_QUALITIES || length[quality + 1] > target
      : length[1] > target);
  if (!ok)
    g_test_fail_printf ("%s %dx%d, picture %u, target-size=%u: quality %d, "
        "target-met %d, file-size %" G_GUINT64_FORMAT "; libjpeg's file has %u "
        "bytes, and the finest that fits is of quality %d", format->format,
        GST_VIDEO_INFO_WIDTH (&bench->info),
        GST_VIDEO_INFO_HEIGHT (&bench->info), n, target, quality, met, size,
        length[quality], best);
  gst_structure_free (s);
  gst_buffer_unref (out);
  return ok;
}

/* Each length that a file has, and one byte less. */
static gboolean
check_picture (guint n, const Format * format, gint width, gint height,
    gint step)
{
  const gint components = format->components;
  guint8 *samples = make_samples (n, (gsize) width * height * components);
  guint length[N_QUALITIES + 1];
  GstMessage *message;
  gboolean ok = TRUE;
  Bench bench;

  for (gint q = 1; q <= N_QUALITIES; q++)
    length[q] = count_bytes (samples, components, width, height, q);
  bench_init (&bench, format->format, width, height, "metrics", BENCH_BITS,
      "async-depth", 1, NULL);
  for (gint q = 1; q <= N_QUALITIES && ok; q += step)
    ok = check_target (&bench, n, samples, format, length[q], length)
        && check_target (&bench, n, samples, format, length[q] - 1, length);
  /* It warns of the first that it misses. */
  while ((message = bench_pop (&bench, GST_MESSAGE_WARNING)) != NULL)
    gst_message_unref (message);
  bench_clear (&bench);
  g_free (samples);
  return ok;
}

static const Format formats[] = { {"GRAY8", 1}, {"RGB", 3} };

static void
test_small (void)
{
  static const gint sizes[][2] = {
    {1, 1}, {8, 8}, {9, 17}, {16, 16}, {31, 7}, {40, 24}, {33, 65}
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint n = 0; n < 9; n++)
        check_picture (n, &formats[f], sizes[i][0], sizes[i][1], 9);
}

static void
test_large (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint n = 0; n < 9; n++)
      check_picture (n, &formats[f], 161, 115, 11);
}

int
main (int argc, char **argv)
{
  int status;

  test_init (&argc, &argv);
  test_add ("/target-size/small", test_small);
  test_add ("/target-size/large", test_large);
  status = test_run ();
  g_test_message ("%u targets: %u met, %u by the finest of all that do, %u "
      "below quality 100", n_targets, n_targets - n_missed, n_finest, n_lower);
  return status;
}

#else
#include "absent.h"

int
main (int argc, char **argv)
{
  return run_absent (argc, argv, "/target-size/absent",
      "built without libjpeg; install libjpeg-dev and reconfigure");
}
#endif
