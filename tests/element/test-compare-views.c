/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: what of a view follows from times and caps.
 * (tests/differential has every sample of every view, also that
 * each is shown.) */
#include <string.h>
#include "rgb-formats.h"
#include "viewer.h"

#define WIDTH 131
#define HEIGHT 101

static const gchar *const views[] = {
  "wipe", "side-by-side", "stacked", "difference", "flicker", "single",
  "error-map", "ssim-map", "hvs-map"
};

/* Those whose samples are the inputs'. */
#define N_PICTURES 6

/* Of left and right, numbered as the properties are. */
static const gint sides[][2] = { {-1, 0}, {0, 1}, {1, -1}, {1, 0}, {-1, -1} };

static void
set_view (Duel * duel, const gchar * view, const gint side[2])
{
  element_set (duel->element, "view", view);
  g_object_set (duel->element, "left", side[0], "right", side[1], NULL);
}

/* Frame `n` of an input. */
static GstBuffer *
input_new (const GstVideoInfo * info, guint input, guint n)
{
  GstBuffer *buffer = frame_new (info, n + 100 * input);

  GST_BUFFER_PTS (buffer) = n * FRAME;
  return buffer;
}

static GstBuffer *
show (Duel * duel, const GstVideoInfo * info, guint n)
{
  duel_push (duel, DUEL_DISTORTED_1, input_new (info, 2, n));
  return duel_show (duel, input_new (info, 0, n), input_new (info, 1, n));
}

/* Half a second of each picture, by the stream's time. */
static void
test_flicker (void)
{
  static const gint side[] = { 1, 0 };
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", WIDTH, HEIGHT, 3, "");
  set_view (&duel, "flicker", side);
  for (guint n = 0; n < 30; n++) {
    const gboolean second = n * FRAME / (GST_SECOND / 2) % 2;
    GstBuffer *wanted = input_new (&info, 1 + side[second], n);
    GstBuffer *out = show (&duel, &info, n);

    g_assert_true (frames_equal (&info, wanted, out));
    gst_buffer_unref (wanted);
    gst_buffer_unref (out);
  }
}

/* Where pictures are the same a map has the best colour, by the caps'
 * colorimetry: 0x440154, as it was computed by hand for BT.601, BT.709 and full
 * BT.709. Elsewhere it has another. */
static void
test_colorimetry (void)
{
  static const gchar *const colorimetries[] = { "bt601", "bt709", "1:3:5:1" };
  static const gint luma[] = { 42, 34, 21 };

  for (guint i = 0; i < 9; i++) {
    GstVideoInfo info;
    GstBuffer *a, *b, *out;
    gint w, h, *samples;
    g_auto (Duel) duel;

    duel_open (&duel, &info, "Y444", 64, 32, 3, "");
    g_assert_true (gst_video_colorimetry_from_string (&info.colorimetry,
            colorimetries[i % 3]));
    for (guint k = 0; k < 3; k++)
      duel_set_caps (&duel, k, &info);
    set_view (&duel, views[N_PICTURES + i / 3], sides[0]);
    a = input_new (&info, 0, 0);
    gst_buffer_memset (a, 0, 128, info.size);
    b = gst_buffer_copy_deep (a);
    /* The last rows of luma. */
    gst_buffer_memset (b, 24 * info.stride[0], 235, 8 * info.stride[0]);
    duel_push (&duel, DUEL_DISTORTED_1, input_new (&info, 2, 0));
    out = duel_show (&duel, a, b);
    samples = frame_samples (&info, out, BDCT_Y, &w, &h);
    g_assert_cmpint (ABS (samples[0] - luma[i % 3]), <=, 1);
    g_assert_cmpint (samples[28 * w], >, 64);
    g_free (samples);
    gst_buffer_unref (out);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/compare-views/flicker", test_flicker);
  test_add ("/compare-views/colorimetry", test_colorimetry);
  return test_run ();
}
