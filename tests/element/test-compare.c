/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: figures against samples counted here, what the source pad
 * shows, and properties. */
#include <math.h>
#include <string.h>
#include "duel.h"

#define WIDTH 37
#define HEIGHT 23

/* Mean squared errors of samples, whatever lies where in memory. */
static void
measure (const GstVideoInfo * a_info, GstBuffer * a,
    const GstVideoInfo * b_info, GstBuffer * b, gdouble mse[3], gdouble * total)
{
  guint64 all = 0, count = 0;

  for (guint c = 0; c < 3; c++) {
    gint width, height;
    gint *x = frame_samples (a_info, a, c, &width, &height);
    gint *y = frame_samples (b_info, b, c, &width, &height);
    guint64 sse = 0;

    mse[c] = -1;
    for (gint i = 0; x != NULL && i < width * height; i++)
      sse += (x[i] - y[i]) * (x[i] - y[i]);
    if (x != NULL) {
      mse[c] = (gdouble) sse / (width * height);
      all += sse;
      count += (guint64) width *height;
    }
    g_free (x);
    g_free (y);
  }
  *total = (gdouble) all / count;
}

static void
check_errors (const GstStructure * s, const gdouble mse[3], gdouble total,
    gint depth)
{
  static const gchar *const names[] = { "mse-y", "mse-u", "mse-v" };
  static const gchar *const sse[] = { "sse-y", "sse-u", "sse-v" };
  static const gchar *const samples[] = { "samples-y", "samples-u",
    "samples-v"
  };
  const gdouble peak = (1 << depth) - 1;

  g_assert_nonnull (s);
  for (guint c = 0; c < 3; c++)
    if (mse[c] < 0) {
      g_assert_false (gst_structure_has_field (s, names[c]));
      g_assert_false (gst_structure_has_field (s, sse[c]));
    } else {
      g_assert_cmpfloat (get_double (s, names[c]), ==, mse[c]);
      g_assert_cmpfloat ((gdouble) get_uint64 (s, sse[c])
          / get_uint64 (s, samples[c]), ==, mse[c]);
    }
  g_assert_cmpfloat (get_double (s, "mse"), ==, total);
  g_assert_cmpfloat_with_epsilon (get_double (s, "psnr"),
      10 * log10 (peak * peak / total), 1e-9);
  g_assert_false (gst_structure_has_field (s, "nonzero"));
  g_assert_false (gst_structure_has_field (s, "levels"));
  g_assert_false (gst_structure_has_field (s, "transform"));
}

/* R, G and B themselves, whatever the planes are that they become. */
static void
test_rgb (void)
{
  static const gchar *const formats[] = { "RGB", "BGRx", "ARGB", "GBR" };
  static const gchar *const names[] = { "mse-r", "mse-g", "mse-b" };
  static const gchar *const sums[] = { "sse-r", "sse-g", "sse-b" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstBuffer *a, *b, *out;
    GstVideoFrame fa, fb;
    GstVideoInfo info;
    g_auto (Duel) duel;

    duel_open (&duel, &info, formats[i], WIDTH, HEIGHT, 2, "view=wipe");
    a = frame_new (&info, 0);
    b = duel_distorted_new (&info, 0);
    out = duel_show (&duel, gst_buffer_ref (a), gst_buffer_ref (b));
    g_assert_true (gst_video_frame_map (&fa, &info, a, GST_MAP_READ));
    g_assert_true (gst_video_frame_map (&fb, &info, b, GST_MAP_READ));
    for (guint k = 0; k < 3; k++) {
      const gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (&fa, k);
      guint64 sse = 0;

      for (gint y = 0; y < HEIGHT; y++)
        for (gint x = 0; x < WIDTH; x++) {
          const gint at = y * GST_VIDEO_FRAME_COMP_STRIDE (&fa, k) + x * step;
          const gint d = (gint) ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&fa,
                  k))[at] - ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&fb,
                  k))[at];

          sse += d * d;
        }
      g_assert_cmpfloat (get_double (duel_figures (out, "dist_sink"),
              names[k]), ==, (gdouble) sse / (WIDTH * HEIGHT));
      g_assert_cmpuint (get_uint64 (duel_figures (out, "dist_sink"),
              sums[k]), ==, sse);
    }
    gst_video_frame_unmap (&fa);
    gst_video_frame_unmap (&fb);
    gst_buffer_unref (a);
    gst_buffer_unref (b);
    gst_buffer_unref (out);
  }
}

/* Three distorted inputs, each with its figures. */
static void
test_three (void)
{
  static const gchar *const pads[] = { "dist_sink", "dist_sink_1",
    "dist_sink_2"
  };
  GstBuffer *frames[4], *out;
  gdouble mse[3], total;
  GstStructure *s;
  GstVideoInfo info;
  g_auto (Duel) duel;

  video_info (&info, "NV12", WIDTH, HEIGHT);
  duel_init (&duel, 4, "view=side-by-side left=0 right=2 metrics=psnr+ssim");
  for (guint i = 0; i < 4; i++) {
    duel_set_caps (&duel, i, &info);
    frames[i] = i == 0 ? frame_new (&info, 0) : duel_distorted_new (&info, 0);
    gst_buffer_memset (frames[i], 8 * i, 40 * i, 16);
    duel_push (&duel, i, gst_buffer_ref (frames[i]));
  }
  out = duel_pull (&duel);
  for (guint i = 0; i < 3; i++) {
    measure (&info, frames[0], &info, frames[1 + i], mse, &total);
    check_errors (duel_figures (out, pads[i]), mse, total, 8);
    get_double (duel_figures (out, pads[i]), "ssim-y");
  }
  gst_buffer_unref (out);
  for (guint i = 0; i < 4; i++) {
    duel_end (&duel, i);
    gst_buffer_unref (frames[i]);
  }
  g_assert_null (duel_pull (&duel));
  for (guint i = 0; i < 3; i++) {
    s = duel_wait_report (&duel, "pooled");
    g_assert_cmpstr (gst_structure_get_string (s, "pad"), ==, pads[i]);
    g_assert_cmpuint (get_uint64 (s, "frames"), ==, 1);
    g_assert_cmpuint (get_uint64 (s, "unmatched"), ==, 0);
    gst_structure_free (s);
  }
  g_object_get (duel.element, "stats", &s, NULL);
  for (guint i = 0; i < 3; i++) {
    const GstStructure *of_pad = gst_value_get_structure
        (gst_structure_get_value (s, pads[i]));

    g_assert_cmpuint (get_uint64 (of_pad, "frames"), ==, 1);
  }
  gst_structure_free (s);
}

/* What each property does to the picture of the frames that come after it is
 * set. */
static const struct
{
  const gchar *before, *name, *value;
} shown[] = {
  {"", "view", "side-by-side"}, {"", "view", "stacked"},
  {"", "view", "flicker"}, {"", "view", "difference"}, {"", "view", "single"},
  {"", "view", "error-map"}, {"", "view", "ssim-map"}, {"", "view", "hvs-map"},
  {"", "left", "1"}, {"", "right", "1"}, {"view=single", "right", "-1"},
  {"", "wipe-position", "0.25"}, {"view=stacked", "wipe-position", "1"},
  {"view=difference", "difference-gain", "1"}, {"", "zoom", "3"},
  {"zoom=4", "zoom-x", "0.2"}, {"zoom=4", "zoom-y", "0.9"},
};

/* A frame of three inputs that are the same each time. */
static GstBuffer *
show_same (Duel * duel, const GstVideoInfo * info, guint n)
{
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = frame_new (info, 5 * i);

    GST_BUFFER_PTS (buffer) = n * FRAME;
    duel_push (duel, i, buffer);
  }
  return duel_pull (duel);
}

/* A property is in force from the next frame on: which is as with it from the
 * start, and not as without it. */
static void
test_shown (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    gchar *all = g_strdup_printf ("%s %s=%s", shown[i].before, shown[i].name,
        shown[i].value);
    GstBuffer *without, *changed, *with;
    GstVideoInfo info;
    Duel duel;

    g_test_message ("%s", all);
    duel_open (&duel, &info, "NV12", 64, 48, 3, shown[i].before);
    without = show_same (&duel, &info, 0);
    element_set (duel.element, shown[i].name, shown[i].value);
    changed = show_same (&duel, &info, 1);
    duel_clear (&duel);
    duel_open (&duel, &info, "NV12", 64, 48, 3, all);
    with = show_same (&duel, &info, 0);
    duel_clear (&duel);
    g_assert_true (frames_equal (&info, changed, with));
    g_assert_false (frames_equal (&info, changed, without));
    gst_buffer_unref (without);
    gst_buffer_unref (changed);
    gst_buffer_unref (with);
    g_free (all);
  }
}

static void
note_gone (gpointer data, GstMiniObject * object)
{
  (void) object;
  g_atomic_int_set ((gint *) data, TRUE);
}

/* Push a frame that is too late for any reference frame, and wait until the
 * element has seen that and let it go. All inputs have their frames then. */
static void
push_late (Duel * duel, guint input, const GstVideoInfo * info)
{
  const gint64 end = g_get_monotonic_time () + 30 * G_TIME_SPAN_SECOND;
  GstBuffer *buffer = frame_new (info, 0);
  gint gone = FALSE;

  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), note_gone, &gone);
  duel_push (duel, input, buffer);
  while (!g_atomic_int_get (&gone)) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (G_TIME_SPAN_MILLISECOND);
  }
}

/* An input goes over to another layout while its last frame waits for another
 * input's: it is read by the caps that were sent before it. */
static void
test_layout_change (void)
{
  static const gchar *const formats[] = { "I420", "NV12", "YV12" };
  GstVideoInfo info[3];
  g_auto (Duel) duel;

  duel_init (&duel, 3, "view=single");
  for (guint i = 0; i < 3; i++)
    video_info (&info[i], formats[i], WIDTH, HEIGHT);
  duel_set_caps (&duel, DUEL_REFERENCE, &info[0]);
  duel_set_caps (&duel, DUEL_DISTORTED_1, &info[0]);
  duel_set_caps (&duel, DUEL_DISTORTED, &info[0]);
  for (guint n = 0; n < 6; n++) {
    GstBuffer *frames[3], *out;
    gdouble mse[3], total;

    for (guint i = 0; i < 3; i++) {
      frames[i] = frame_new (i == DUEL_DISTORTED ? &info[n % 3] : &info[0],
          n + 100 * i);
      GST_BUFFER_PTS (frames[i]) = (10 + n) * FRAME;
    }
    measure (&info[0], frames[0], &info[n % 3], frames[1], mse, &total);
    duel_push_pair (&duel, gst_buffer_ref (frames[0]),
        gst_buffer_ref (frames[1]));
    duel_set_caps (&duel, DUEL_DISTORTED, &info[(n + 1) % 3]);
    push_late (&duel, DUEL_DISTORTED_1, &info[0]);
    duel_push (&duel, DUEL_DISTORTED_1, gst_buffer_ref (frames[2]));
    out = duel_pull (&duel);
    g_assert_cmpfloat (get_double (duel_figures (out, "dist_sink"), "mse"), ==,
        total);
    g_assert_true (frames_equal (&info[n % 3], out, frames[1]));
    gst_buffer_unref (out);
    for (guint i = 0; i < 3; i++)
      gst_buffer_unref (frames[i]);
  }
}

int
main (int argc, char *argv[])
{
  test_init (&argc, &argv);
  test_add ("/compare/rgb", test_rgb);
  test_add ("/compare/three", test_three);
  test_add ("/compare/layout-change", test_layout_change);
  test_add ("/compare/shown", test_shown);
  return test_run ();
}
