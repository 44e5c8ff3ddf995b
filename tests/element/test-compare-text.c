/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: what is written on the picture, and where that goes. (How it
 * is drawn: tests/programs/measure/text.py.)
 */
#include <math.h>
#include <string.h>
#include "label.h"
#include "text.h"
#include "viewer.h"

#ifdef HAVE_OVERLAY

#define WIDTH 640
#define HEIGHT 360
/* Of letters, on such a picture. */
#define SIZE 11

/* A picture that a blockdct with these settings has made, as far as one can see
 * by its meta; `transform` NULL: it has none. */
static GstBuffer *
made_new (const GstVideoInfo * info, guint n, const gchar * transform,
    const gchar * setting, gint value)
{
  GstBuffer *buffer = duel_distorted_new (info, n);

  if (transform != NULL)
    gst_structure_set (gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, "blockdct")), "view",
        G_TYPE_STRING, "reconstruction", "transform", G_TYPE_STRING, transform,
        setting, G_TYPE_INT, value, NULL);
  return buffer;
}

/* What is written of a pad, by its figures. */
static gchar *
make_text (const gchar * name, const GstStructure * s)
{
  return g_strdup_printf ("%s  PSNR %.2f dB\n  Y %.2f U %.2f V %.2f", name,
      get_double (s, "psnr"), get_double (s, "psnr-y"),
      get_double (s, "psnr-u"), get_double (s, "psnr-v"));
}

/* The rectangle has this text, and this corner. */
static void
check_label (GstBuffer * out, guint index, const gchar * text, gint size,
    gint right, gint bottom)
{
  GstVideoOverlayComposition *all = viewer_get_attached (out);
  GstVideoOverlayRectangle *rectangle;
  guint width, height;
  gint x, y;

  g_assert_nonnull (all);
  g_assert_cmpuint (index, <, gst_video_overlay_composition_n_rectangles (all));
  rectangle = gst_video_overlay_composition_get_rectangle (all, index);
  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &x, &y, &width,
      &height);
  label_check (rectangle, text, size);
  if (right > 0)
    g_assert_cmpint (x + (gint) width, ==, right);
  if (bottom > 0)
    g_assert_cmpint (y + (gint) height, ==, bottom);
}

/* A picture is named by what made it, else by its pad. */
static void
test_names (void)
{
  static const struct
  {
    const gchar *transform, *setting;
    gint value;
    const gchar *name;
  } cases[] = {
    {NULL, NULL, 0, "dist_sink"},
    {"jpeg-8x8", "quality", 15, "jpeg-8x8  quality 15"},
    {"hevc-32x32", "qp", 37, "hevc-32x32  QP 37"},
    {"dct-8x8", "quality", 100, "dct-8x8  quality 100"},
    {NULL, NULL, 0, "dist_sink"},
  };
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  duel_open (&duel, &info, "I420", WIDTH, HEIGHT, 2, "overlay=true");
  viewer_attach (&duel);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const guint k = i / 2;
    g_autoptr (GstBuffer) out;
    g_autofree gchar *text;

    element_set (duel.element, "view", i % 2 == 0 ? "wipe" : "single");
    out = duel_show (&duel, frame_new (&info, i), made_new (&info, i,
            cases[k].transform, cases[k].setting, cases[k].value));
    text = make_text (cases[k].name, duel_figures (out, "dist_sink"));
    check_label (out, 0, text, SIZE, 0, 0);
    if (i % 2 == 0) {
      check_label (out, 1, "reference", SIZE, 0, HEIGHT);
      check_label (out, 2, cases[k].name, SIZE, WIDTH, HEIGHT);
    }
    g_assert_cmpuint (gst_video_overlay_composition_n_rectangles
        (viewer_get_attached (out)), ==, i % 2 == 0 ? 3 : 1);
  }
  duel_clear (&duel);
}

/* What an element's `stats` say. */
static gdouble
get_psnr_of (Duel * duel, const gchar * name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (duel->pipeline), name);
  g_autoptr (GstStructure) stats = NULL;
  gdouble psnr;

  g_object_get (element, "stats", &stats, NULL);
  psnr = get_double (stats, "psnr");
  gst_object_unref (element);
  return psnr;
}

static GstPadProbeReturn
name_encoder (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));

  (void) pad, (void) unused;
  gst_structure_set (gst_custom_meta_get_structure (gst_buffer_get_custom_meta
          (buffer, "blockdct-coded")), "encoder", G_TYPE_STRING,
      "jpegenc quality=30", NULL);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* The meta of a coded frame may name its encoder. */
static void
test_name_of_encoder (void)
{
  GstElement *coded;
  Duel duel = { 0 };
  GstBuffer *out;
  GstPad *pad;

  if (!need_text () || !test_have_element ("jpegenc"))
    return;
  duel_launch (&duel, "videotestsrc num-buffers=1 ! video/x-raw,format=I420,"
      "width=640,height=360 ! tee name=t ! queue ! compare.ref_sink "
      "t. ! queue ! jpegenc ! blockdctcoded name=coded ! jpegdec ! "
      "compare.dist_sink blockdctcompare name=compare overlay=true ! "
      "appsink name=out sync=false");
  coded = gst_bin_get_by_name (GST_BIN (duel.pipeline), "coded");
  pad = gst_element_get_static_pad (coded, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, name_encoder, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (coded);
  viewer_attach (&duel);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  out = duel_pull (&duel);
  check_label (out, 2, "jpegenc quality=30", SIZE, WIDTH, HEIGHT);
  gst_buffer_unref (out);
  /* jpegdec has another colorimetry, which is warned of. */
  duel_abort (&duel);
}

/* A picture with the lines of a grid is no picture to measure: what its
 * blockdct says of it stands in the text, and nothing is warned of. */
static void
test_grid (void)
{
  Duel duel = { 0 };
  GstCustomMeta *meta;
  GstBuffer *out;
  gchar *text;
  gdouble psnr;

  if (!need_text ())
    return;
  duel_launch (&duel, "videotestsrc num-buffers=1 ! video/x-raw,format=I420,"
      "width=640,height=360 ! tee name=t ! queue ! compare.ref_sink "
      "t. ! queue ! blockdct name=dct quality=15 grid=true ! compare.dist_sink "
      "blockdctcompare name=compare overlay=true ! "
      "appsink name=out sync=false");
  viewer_attach (&duel);
  gst_element_set_state (duel.pipeline, GST_STATE_PLAYING);
  out = duel_pull (&duel);
  meta = gst_buffer_get_custom_meta (out, "blockdct-compare");
  g_assert_null (meta);
  psnr = get_psnr_of (&duel, "dct");
  text = g_strdup_printf ("jpeg-8x8  quality 15  PSNR %.2f dB", psnr);
  check_label (out, 0, text, SIZE, 0, 0);
  g_free (text);
  gst_buffer_unref (out);
  duel_clear (&duel);
}

/* What downstream draws is attached, beside what was attached before, and no
 * sample is touched. */
static void
test_attach (void)
{
  GstVideoOverlayComposition *other;
  GstVideoOverlayRectangle *rectangle;
  GstBuffer *b, *bare, *out, *pixels;
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  duel_open (&duel, &info, "I420", WIDTH, HEIGHT, 2,
      "view=single overlay=true");
  viewer_attach (&duel);
  for (guint i = 0; i < 2; i++) {
    b = duel_distorted_new (&info, i);
    bare = gst_buffer_copy_deep (b);
    if (i == 1) {
      pixels = gst_buffer_new_allocate (NULL, 4 * 4 * 4, NULL);
      gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 4, 4);
      rectangle = gst_video_overlay_rectangle_new_raw (pixels, 0, 0, 4, 4,
          GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
      other = gst_video_overlay_composition_new (rectangle);
      gst_buffer_add_video_overlay_composition_meta (b, other);
      gst_video_overlay_composition_unref (other);
      gst_video_overlay_rectangle_unref (rectangle);
      gst_buffer_unref (pixels);
    }
    out = duel_show (&duel, frame_new (&info, i), b);
    g_assert_true (frames_equal (&info, bare, out));
    g_assert_nonnull (viewer_get_attached (out));
    g_assert_cmpuint (gst_video_overlay_composition_n_rectangles
        (viewer_get_attached (out)), ==, 1 + i);
    gst_buffer_unref (bare);
    gst_buffer_unref (out);
  }
  duel_clear (&duel);
}

/* Text leaves the picture most of it and stays inside, whatever the size and
 * the shape; two halves are named, where they have room. */
static void
test_sizes (void)
{
  static const struct
  {
    gint width, height;
    const gchar *view;
    gdouble position;
    guint n;                    /* labels */
  } cases[] = {
    {320, 240, "single", 0.5, 1}, {320, 240, "wipe", 0.5, 3},
    {540, 960, "difference", 0.5, 1}, {540, 960, "stacked", 0.5, 3},
    {1920, 1080, "side-by-side", 0.5, 3}, {1920, 1080, "wipe", 0.01, 2},
    {1920, 1080, "wipe", 0.99, 2}, {1920, 1080, "difference", 0.5, 1},
    {1280, 200, "wipe", 0.5, 3}, {200, 1280, "wipe", 0.5, 3},
    {1920, 1080, "flicker", 0.5, 2},
  };

  if (!need_text ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *properties = g_strdup_printf ("overlay=true view=%s "
        "wipe-position=%g", cases[i].view, cases[i].position);
    GstVideoOverlayComposition *all;
    gdouble covered = 0;
    GstVideoInfo info;
    g_autoptr (GstBuffer) out;
    g_auto (Duel) duel;

    duel_open (&duel, &info, "I420", cases[i].width, cases[i].height, 2,
        properties);
    viewer_attach (&duel);
    out = duel_show (&duel, frame_new (&info, 0), duel_distorted_new (&info,
            0));
    all = viewer_get_attached (out);
    g_assert_nonnull (all);
    g_assert_cmpuint (gst_video_overlay_composition_n_rectangles (all), ==,
        cases[i].n);
    for (guint k = 0; k < cases[i].n; k++) {
      gint x, y;
      guint w, h;

      gst_video_overlay_rectangle_get_render_rectangle
          (gst_video_overlay_composition_get_rectangle (all, k), &x, &y, &w,
          &h);
      g_assert_true (x >= 0 && y >= 0 && x + (gint) w <= cases[i].width
          && y + (gint) h <= cases[i].height);
      covered += (gdouble) w * h / cases[i].width / cases[i].height;
    }
    g_test_message ("%d x %d %s: %.1f %%", cases[i].width, cases[i].height,
        cases[i].view, 100 * covered);
    g_assert_cmpfloat (covered, <, 0.2);
  }
}

/* Where there is no font, a picture without text, and one warning to who asked
 * for text. Fontconfig looks once: this runs in a process of its own. */
static void
no_font (void)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", WIDTH, HEIGHT, 2, "view=error-map");
  gst_buffer_unref (duel_show (&duel, frame_new (&info, 0),
          duel_distorted_new (&info, 0)));
  g_assert_null (gst_bus_pop_filtered (duel.bus, GST_MESSAGE_WARNING));
  element_set (duel.element, "view", "single");
  g_object_set (duel.element, "overlay", TRUE, NULL);
  for (guint i = 1; i < 4; i++) {
    GstBuffer *b = duel_distorted_new (&info, i), *out;

    out = duel_show (&duel, frame_new (&info, i), gst_buffer_ref (b));
    g_assert_true (frames_equal (&info, b, out));
    gst_buffer_unref (b);
    gst_buffer_unref (out);
  }
  text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "no font",
      "fonts-dejavu-core", NULL);
}

static void
take_fonts_away (void)
{
  g_autofree gchar *path = test_path ("fonts.conf");

  g_assert_true (g_file_set_contents (path, "<?xml version=\"1.0\"?>\n"
          "<fontconfig/>\n", -1, NULL));
  g_setenv ("FONTCONFIG_FILE", path, TRUE);
}

static void
test_no_font (void)
{
  if (g_getenv ("MESON_EXE_WRAPPER") != NULL) {
    g_test_skip ("an emulator of one program starts no other one");
    return;
  }
  g_test_trap_subprocess ("/compare-text/no-font/subprocess", 0, 0);
  g_test_trap_assert_passed ();
}

#else

static void
test_no_overlay (void)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, "I420", 64, 64, 2, "overlay=true");
  for (guint n = 0; n < 2; n++)
    gst_buffer_unref (duel_show (&duel, frame_new (&info, n),
            duel_distorted_new (&info, n)));
  text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "-Doverlay=enabled",
      NULL);
}

#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
#ifdef HAVE_OVERLAY
  if (g_test_subprocess ())
    take_fonts_away ();
  test_add ("/compare-text/names", test_names);
  test_add ("/compare-text/name-of-encoder", test_name_of_encoder);
  test_add ("/compare-text/grid", test_grid);
  test_add ("/compare-text/attach", test_attach);
  test_add ("/compare-text/sizes", test_sizes);
  test_add ("/compare-text/no-font", test_no_font);
  test_add ("/compare-text/no-font/subprocess", no_font);
#else
  test_add ("/compare-text/no-overlay", test_no_overlay);
#endif
  return test_run ();
}
