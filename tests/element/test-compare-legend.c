/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: the numbers beside the colours of a map, its own or that of
 * a blockdct. */
#include <string.h>
#include "label.h"
#include "text.h"
#include "viewer.h"

#ifdef HAVE_OVERLAY

#define WIDTH 640
#define HEIGHT 360
#define SIZE 11                 /* of letters on such a picture */
#define MAX_MARKS 6

/* The numbers by how far up the bar they are, from 0 to 1: decibels from 60 to
 * 20, roots of shares, QP from coarser to finer, and log2 of sides. */
typedef struct
{
  const gchar *view;
  struct
  {
    gdouble up;
    const gchar *text;
  } mark[MAX_MARKS];
} Legend;

#define DECIBELS {{1, "20 dB"}, {0.75, "30 dB"}, {0.5, "40 dB"}, \
  {0.25, "50 dB"}, {0, "60 dB"}}

static const Legend of_blockdct[] = {
  {"reconstruction", {{0, NULL}}},
  {"error-map", DECIBELS},
  {"nonzero-map", {{0, "0 %"}, {0.1, "1 %"}, {0.31622776601683794, "10 %"},
          {0.5, "25 %"}, {0.70710678118654752, "50 %"}, {1, "100 %"}}},
  {"coefficients", {{0, NULL}}},
  {"quality-map", {{0, "+24 QP"}, {0.25, "+12 QP"}, {0.5, "0"},
          {0.75, "-12 QP"}, {1, "-24 QP"}}},
  {"size-map", {{0, "4x4"}, {0.25, "8x8"}, {0.5, "16x16"}, {0.75, "32x32"},
          {1, "64x64"}}},
  {"original", {{0, NULL}}},
};

static const Legend of_compare[] = {
  {"error-map", DECIBELS},
  {"ssim-map", {{0, "1"}, {0.1, "0.99"}, {0.31622776601683794, "0.9"},
          {0.5, "0.75"}, {0.70710678118654752, "0.5"}, {1, "0"}}},
  {"hvs-map", DECIBELS},
};

static guint
count_marks (const Legend * legend)
{
  guint n = 0;

  while (n < MAX_MARKS && legend->mark[n].text != NULL)
    n++;
  return n;
}

static guint
count_rectangles (GstBuffer * out)
{
  GstVideoOverlayComposition *all = viewer_get_attached (out);

  return all == NULL ? 0 : gst_video_overlay_composition_n_rectangles (all);
}

/* After `before` other rectangles, and nothing else: the numbers, which end
 * left of the bar, each at its height. */
static void
check_legend (GstBuffer * out, guint before, const Legend * legend)
{
  const gint bar = (8 + WIDTH / 64) & ~1, top = HEIGHT / 4 & ~1;
  const gint left = (WIDTH - 2 * bar) & ~1, height = HEIGHT / 2 & ~1;
  const guint n = count_marks (legend);

  g_assert_cmpuint (count_rectangles (out), ==, before + n);
  for (guint i = 0; i < n; i++) {
    GstVideoOverlayRectangle *rectangle =
        gst_video_overlay_composition_get_rectangle (viewer_get_attached (out),
        before + i);
    guint w, h;
    gint x, y;

    gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, &w,
        &h);
    label_check (rectangle, legend->mark[i].text, SIZE);
    g_assert_cmpint (x + (gint) w, <=, left);
    g_assert_cmpint (x + (gint) w, >=, left - 8);
    g_assert_cmpfloat_with_epsilon (y + h / 2.0, top + (1 - legend->mark[i].up)
        * (height - 1), 1.6);
  }
}

/* A buffer, as a blockdct with this view leaves it. */
static GstBuffer *
view_new (const GstVideoInfo * info, guint n, const gchar * view)
{
  GstBuffer *buffer = duel_distorted_new (info, n);

  gst_structure_set (gst_custom_meta_get_structure
      (gst_buffer_add_custom_meta (buffer, "blockdct")), "view",
      G_TYPE_STRING, view, "transform", G_TYPE_STRING, "jpeg-8x8", "quality",
      G_TYPE_INT, 15, NULL);
  return buffer;
}

static void
start (Duel * duel, GstVideoInfo * info, guint n_inputs,
    const gchar * properties)
{
  duel_open (duel, info, "I420", WIDTH, HEIGHT, n_inputs, properties);
  viewer_attach (duel);
}

/* Compare's own, whether there is other text or not. */
static void
test_own (void)
{
  if (!need_text ())
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (of_compare); i++) {
    g_autofree gchar *properties = g_strdup_printf ("view=%s overlay=%d",
        of_compare[i / 2].view, i % 2);
    GstVideoInfo info;
    g_autoptr (GstBuffer) out;
    g_auto (Duel) duel;

    start (&duel, &info, 2, properties);
    out = duel_show (&duel, frame_new (&info, 0), duel_distorted_new (&info,
            0));
    check_legend (out, i % 2, &of_compare[i / 2]);
  }
}

/* With text, a single picture that a blockdct says is a map has that map's
 * numbers; without, it is passed on as it is. No other picture has them. */
static void
test_single (void)
{
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  start (&duel, &info, 3, "view=single zoom=16");
  for (guint n = 0; n < 3 * G_N_ELEMENTS (of_blockdct); n++) {
    const Legend *legend = &of_blockdct[n / 3];
    const gboolean picture = strcmp (legend->view, "reconstruction") == 0;
    GstBuffer *out, *map = view_new (&info, n, legend->view);
    GstMemory *memory = gst_buffer_peek_memory (map, 0);

    g_object_set (duel.element, "overlay", n % 3 > 0, "right", n % 3 == 2,
        NULL);
    duel_push (&duel, DUEL_DISTORTED_1, duel_distorted_new (&info, n));
    out = duel_show (&duel, frame_new (&info, n), map);
    if (n % 3 == 1) {
      /* Figures of one picture, or of both. */
      check_legend (out, 1, legend);
      g_assert_cmpint (duel_figures (out, "dist_sink") != NULL, ==, picture);
    } else {
      g_assert_cmpuint (count_rectangles (out), ==, n % 3 == 2);
      g_assert_cmpint (gst_buffer_peek_memory (out, 0) == memory, ==,
          n % 3 == 0);
    }
    gst_buffer_unref (out);
  }
  /* That a view gives no figures is a warning, which is another test's. */
  duel_abort (&duel);
}

#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
#ifdef HAVE_OVERLAY
  test_add ("/compare-legend/own", test_own);
  test_add ("/compare-legend/single", test_single);
#endif
  return test_run ();
}
