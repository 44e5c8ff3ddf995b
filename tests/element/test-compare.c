/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: what the source pad shows, and layouts that change.
 * (tests/programs/measure/said.py has figures.) */
#include <string.h>
#include "duel.h"

#define WIDTH 37
#define HEIGHT 23

/* The mean squared error of samples, whatever lies where in memory. */
static gdouble
measure (const GstVideoInfo * a_info, GstBuffer * a,
    const GstVideoInfo * b_info, GstBuffer * b)
{
  guint64 sse = 0, count = 0;

  for (guint c = 0; c < 3; c++) {
    gint width, height;
    g_autofree gint *x = frame_samples (a_info, a, c, &width, &height);
    g_autofree gint *y = frame_samples (b_info, b, c, &width, &height);

    for (gint i = 0; i < width * height; i++)
      sse += (x[i] - y[i]) * (x[i] - y[i]);
    count += (guint64) width *height;
  }
  return (gdouble) sse / count;
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
    gdouble mse;

    for (guint i = 0; i < 3; i++) {
      frames[i] = frame_new (i == DUEL_DISTORTED ? &info[n % 3] : &info[0],
          n + 100 * i);
      GST_BUFFER_PTS (frames[i]) = (10 + n) * FRAME;
    }
    mse = measure (&info[0], frames[0], &info[n % 3], frames[1]);
    duel_push_pair (&duel, gst_buffer_ref (frames[0]),
        gst_buffer_ref (frames[1]));
    duel_set_caps (&duel, DUEL_DISTORTED, &info[(n + 1) % 3]);
    push_late (&duel, DUEL_DISTORTED_1, &info[0]);
    duel_push (&duel, DUEL_DISTORTED_1, gst_buffer_ref (frames[2]));
    out = duel_pull (&duel);
    g_assert_cmpfloat (get_double (duel_figures (out, "dist_sink"), "mse"), ==,
        mse);
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
  test_add ("/compare/layout-change", test_layout_change);
  test_add ("/compare/shown", test_shown);
  return test_run ();
}
