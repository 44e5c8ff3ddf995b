/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: views of two pictures, on each format and for each pair of
 * inputs. (tests/unit/test-view.c has every sample of every view.) */
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

/* Views that show samples of `left` and `right`: what the component's sample
 * (x, y) is. */
static gint
expect (const gchar * view, gint depth, const gint * left, const gint * right,
    gint sub_x, gint sub_y, gint w, BdctComponent c, gint x, gint y)
{
  gint i = y * w + x, peak = (1 << depth) - 1;
  gint half_x = WIDTH / 4 * 2 / sub_x, half_y = HEIGHT / 4 * 2 / sub_y;
  /* In the middle, on an even column and row of luma. */
  gint pan_x = WIDTH / 4 * 2 / 4 * 2 / sub_x;
  gint pan_y = HEIGHT / 4 * 2 / 4 * 2 / sub_y;

  if (strcmp (view, "single") == 0)
    return right[i];
  if (strcmp (view, "flicker") == 0)
    return left[i];
  if (strcmp (view, "difference") == 0)
    return CLAMP (peak / 2 + 1 + 4 * (right[i] - left[i]), 0, peak);
  if (strcmp (view, "wipe") == 0) {
    gint line = (WIDTH + 1) / 2 / sub_x;

    return x == line ? (c == BDCT_Y ? peak : peak / 2 + 1)
        : x < line ? left[i] : right[i];
  }
  if (strcmp (view, "side-by-side") == 0)
    return x < half_x ? left[i + pan_x] : right[i + pan_x - half_x];
  g_assert_cmpstr (view, ==, "stacked");
  return y < half_y ? left[i + pan_y * w] : right[i + (pan_y - half_y) * w];
}

static void
check_picture (const GstVideoInfo * info, const gchar * view, gint depth,
    GstBuffer * left, GstBuffer * right, GstBuffer * out)
{
  for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
    gint w, h;
    gint *a = frame_samples (info, left, c, &w, &h);
    gint *b = frame_samples (info, right, c, &w, &h);
    gint *got = frame_samples (info, out, c, &w, &h);

    for (gint i = 0; got != NULL && i < w * h; i++) {
      gint v = expect (view, depth, a, b, w == WIDTH ? 1 : 2,
          h == HEIGHT ? 1 : 2, w, c, i % w, i / w);

      if (got[i] != v)
        g_error ("%s, %s: component %d (%d, %d) is %d, not %d",
            GST_VIDEO_INFO_NAME (info), view, c, i % w, i / w, got[i], v);
    }
    g_free (a);
    g_free (b);
    g_free (got);
  }
}

/* Every format in every view of every pair, changed while it plays. */
static void
test_every_format (void)
{
  for (guint f = 0; f < N_TEST_FORMATS; f++) {
    GstVideoInfo info;
    Duel duel;

    duel_open (&duel, &info, test_formats[f].name, WIDTH, HEIGHT, 3, "");
    for (guint i = 0; i < N_PICTURES * G_N_ELEMENTS (sides); i++) {
      const gchar *view = views[i % N_PICTURES];
      const gint *side = sides[i / N_PICTURES];
      /* All in the first half of a second, which is the flicker's left one. */
      const guint n = i % 10;
      GstBuffer *left = input_new (&info, side[0] + 1, n);
      GstBuffer *right = input_new (&info, side[1] + 1, n), *out;

      if (n == 0 && i > 0) {
        duel_clear (&duel);
        duel_open (&duel, &info, test_formats[f].name, WIDTH, HEIGHT, 3, "");
      }
      set_view (&duel, view, side);
      out = show (&duel, &info, n);
      check_picture (&info, view, test_formats[f].depth, left, right, out);
      gst_buffer_unref (left);
      gst_buffer_unref (right);
      gst_buffer_unref (out);
    }
    duel_clear (&duel);
  }
}

/* In pixels a wipe has the colours of both, with a white line between. */
static void
test_pixels (void)
{
  const gint line = (WIDTH + 1) / 2;

  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++) {
    GstVideoFrame frames[3];
    GstBuffer *buffers[3];
    GstVideoInfo info;
    Duel duel;

    duel_open (&duel, &info, rgb_formats[f].name, WIDTH, HEIGHT, 3, "");
    buffers[0] = input_new (&info, 0, 0);
    buffers[1] = input_new (&info, 1, 0);
    buffers[2] = show (&duel, &info, 0);
    for (guint i = 0; i < 3; i++)
      g_assert_true (gst_video_frame_map (&frames[i], &info, buffers[i],
              GST_MAP_READ));
    for (gint i = 0; i < 3 * WIDTH * HEIGHT; i++) {
      const gint c = i % 3, x = i / 3 % WIDTH, y = i / 3 / WIDTH;
      guint8 v[3];

      for (guint k = 0; k < 3; k++)
        v[k] = ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frames[k], c))
            [y * GST_VIDEO_FRAME_COMP_STRIDE (&frames[k], c)
            + x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frames[k], c)];
      g_assert_cmpint (v[2], ==, x == line ? 255 : v[x > line]);
    }
    for (guint i = 0; i < 3; i++) {
      gst_video_frame_unmap (&frames[i]);
      gst_buffer_unref (buffers[i]);
    }
    duel_clear (&duel);
  }
}

/* Half a second of each picture, by the stream's time. */
static void
test_flicker (void)
{
  static const gint side[] = { 1, 0 };
  GstVideoInfo info;
  Duel duel;

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
  duel_clear (&duel);
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
    Duel duel;

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
    duel_clear (&duel);
  }
}

/* Every view at sizes where there is nothing to divide. */
static void
test_tiny (void)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {17, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < 2; k++) {
      GstVideoInfo info;
      Duel duel;

      duel_open (&duel, &info, k ? "I420" : "P010_10LE", sizes[i][0],
          sizes[i][1], 3, "difference-gain=64");
      for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
        element_set (duel.element, "view", views[v]);
        g_object_set (duel.element, "wipe-position", v / 8.0, NULL);
        gst_buffer_unref (show (&duel, &info, v));
      }
      duel_clear (&duel);
    }
}

/* A view goes on at whatever size, depth and subsampling comes next. */
static void
test_resize (void)
{
  GstVideoInfo info;
  Duel duel;

  duel_open (&duel, &info, "I420", 64, 48, 3, "");
  for (guint i = 0; i < 18; i++) {
    GstBuffer *out;

    video_info (&info, i % 3 ? "Y444_12LE" : "NV12", 330 - 18 * i, 17 + 19 * i);
    for (guint k = 0; k < 3; k++)
      duel_set_caps (&duel, k, &info);
    set_view (&duel, views[i % G_N_ELEMENTS (views)], sides[0]);
    out = show (&duel, &info, i);
    g_assert_cmpuint (gst_buffer_get_size (out), ==, info.size);
    gst_buffer_unref (out);
  }
  duel_clear (&duel);
}

/* What views depend on is controlled by time as well. */
static void
test_flags (void)
{
  static const gchar *const live[] = { "view", "left", "right",
    "wipe-position", "difference-gain", "zoom", "zoom-x", "zoom-y",
    "overlay"
  };
  GstElement *element = element_new ("blockdctcompare");

  for (guint i = 0; i < G_N_ELEMENTS (live); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), live[i]);

    g_assert_cmphex (pspec->flags & (GST_PARAM_CONTROLLABLE
            | GST_PARAM_MUTABLE_PLAYING), ==,
        GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
  }
  gst_object_unref (element);
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/compare-views/formats", test_every_format);
  test_add ("/compare-views/pixels", test_pixels);
  test_add ("/compare-views/flicker", test_flicker);
  test_add ("/compare-views/colorimetry", test_colorimetry);
  test_add ("/compare-views/tiny", test_tiny);
  test_add ("/compare-views/resize", test_resize);
  test_add ("/compare-views/flags", test_flags);
  return test_run ();
}
