/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * blockdctcompare: what is written on the picture, and where that goes; the
 * numbers beside the colours of a map, its own or that of a blockdct. (How it
 * is drawn: tests/programs/measure/text.py.)
 */
#include <string.h>
#include "duel.h"
#ifdef HAVE_OVERLAY
#include <pango/pangocairo.h>

#define WIDTH 640
#define HEIGHT 360
#define SIZE 11                 /* of letters on such a picture */
#define MAX_MARKS 6

/* Whether text can be drawn here; else the test is skipped. */
static gboolean
need_text (void)
{
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *wanted =
      pango_font_description_from_string ("Monospace");
  PangoFont *font = pango_font_map_load_font (fonts, context, wanted);
  const gboolean found = font != NULL;

  if (!found)
    g_test_skip ("no font is installed here (Debian: fonts-dejavu-core)");
  g_clear_object (&font);
  pango_font_description_free (wanted);
  g_object_unref (context);
  g_object_unref (fonts);
  return found;
}

static GstPadProbeReturn
on_query (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  (void) pad, (void) data;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_meta (query,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

/* Let the sink say that it draws what is attached to buffers. */
static void
attach (Duel * duel)
{
  GstPad *pad = gst_element_get_static_pad (duel->sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM
      | GST_PAD_PROBE_TYPE_PUSH, on_query, NULL, NULL);
  gst_object_unref (pad);
}

static void
start (Duel * duel, GstVideoInfo * info, guint n_inputs,
    const gchar * properties)
{
  duel_open (duel, info, WIDTH, HEIGHT, n_inputs, properties);
  attach (duel);
}

static gboolean
set_field (GQuark field, const GValue * value, gpointer to)
{
  gst_structure_id_set_value (to, field, value);
  return TRUE;
}

/* A picture with a meta, which says what made it: NAME, FIELDS; NULL: none. */
static GstBuffer *
made_new (const GstVideoInfo * info, guint n, const gchar * meta)
{
  GstBuffer *buffer = duel_distorted_new (info, n);
  g_autoptr (GstStructure) s =
      meta != NULL ? gst_structure_from_string (meta, NULL) : NULL;

  if (s != NULL)
    gst_structure_foreach (s, set_field, gst_custom_meta_get_structure
        (gst_buffer_add_custom_meta (buffer, gst_structure_get_name (s))));
  return buffer;
}

/* What is attached to a buffer. */

static GstVideoOverlayComposition *
get_attached (GstBuffer * buffer)
{
  GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta (buffer);

  return meta == NULL ? NULL : meta->overlay;
}

static guint
count_rectangles (GstBuffer * buffer)
{
  GstVideoOverlayComposition *all = get_attached (buffer);

  return all == NULL ? 0 : gst_video_overlay_composition_n_rectangles (all);
}

typedef struct
{
  gint x, y, right, bottom;
} Box;

static GstVideoOverlayRectangle *
get_rectangle (GstBuffer * buffer, guint i, Box * box)
{
  GstVideoOverlayRectangle *rectangle;
  guint width, height;

  g_assert_cmpuint (i, <, count_rectangles (buffer));
  rectangle = gst_video_overlay_composition_get_rectangle (get_attached
      (buffer), i);
  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &box->x, &box->y,
      &width, &height);
  box->right = box->x + width;
  box->bottom = box->y + height;
  return rectangle;
}

/* Fails if a rectangle's pixels are not this text, white on a dark box, as
 * Pango draws it here. */
static void
check_pixels (GstVideoOverlayRectangle * rectangle, const gchar * text)
{
  GstBuffer *got = gst_video_overlay_rectangle_get_pixels_unscaled_argb
      (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *font =
      pango_font_description_from_string ("Monospace");
  PangoLayout *layout = pango_layout_new (context);
  const gint border = MAX (SIZE / 3, 2);
  cairo_surface_t *surface;
  gint width, height;
  GstMapInfo map;
  cairo_t *cr;

  pango_font_description_set_absolute_size (font, SIZE * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, &width, &height);
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32,
      width + 2 * border, height + 2 * border);
  cr = cairo_create (surface);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_paint (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_move_to (cr, border, border);
  pango_cairo_show_layout (cr, layout);
  cairo_surface_flush (surface);
  g_assert_true (gst_buffer_map (got, &map, GST_MAP_READ));
  g_test_message ("%s", text);
  g_assert_cmpmem (map.data, map.size, cairo_image_surface_get_data (surface),
      cairo_image_surface_get_stride (surface) * (height + 2 * border));
  gst_buffer_unmap (got, &map);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  g_object_unref (layout);
  pango_font_description_free (font);
  g_object_unref (context);
  g_object_unref (fonts);
}

/* A rectangle has this text. Returns where it is. */
static Box
check_label (GstBuffer * buffer, guint i, const gchar * text)
{
  Box box;

  check_pixels (get_rectangle (buffer, i, &box), text);
  return box;
}

/* Names and figures */

/* A picture is named by what made it, else by its pad; with the lines of a grid
 * it is none to measure: what its blockdct says of it stands in the text, and
 * nothing is warned of. */
TEST ("/compare-text/names", test_names)
{
#define MADE "blockdct, view=(string)reconstruction, transform=(string)"
  static const struct
  {
    const gchar *meta, *name, *text;
  } cases[] = {
    {NULL, "dist_sink", NULL},
    {MADE "jpeg-8x8, quality=(int)15", "jpeg-8x8  quality 15", NULL},
    {MADE "hevc-32x32, qp=(int)37", "hevc-32x32  QP 37", NULL},
    {MADE "dct-8x8, quality=(int)100", "dct-8x8  quality 100", NULL},
    {"blockdct-coded, encoder=(string)\"jpegenc quality=30\"",
        "jpegenc quality=30", NULL},
    {MADE "jpeg-8x8, quality=(int)15, grid=(boolean)true, psnr=(double)31.256",
        "jpeg-8x8  quality 15", "jpeg-8x8  quality 15  PSNR 31.26 dB"},
    {NULL, "dist_sink", NULL},
  };
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  /* Which registers its meta. */
  gst_object_unref (element_new ("blockdctcoded"));
  start (&duel, &info, 2, "overlay=true");
  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const guint k = i / 2;
    g_autoptr (GstBuffer) out;
    g_autofree gchar *text = g_strdup (cases[k].text);
    const GstStructure *s;

    element_set (duel.element, "view", i % 2 == 0 ? "wipe" : "single");
    out = duel_show (&duel, frame_new (&info, i), made_new (&info, i,
            cases[k].meta));
    s = duel_figures (out, "dist_sink");
    g_assert_cmpint (s == NULL, ==, text != NULL);
    if (s != NULL)
      text = g_strdup_printf ("%s  PSNR %.2f dB\n  Y %.2f U %.2f V %.2f",
          cases[k].name, get_double (s, "psnr"), get_double (s, "psnr-y"),
          get_double (s, "psnr-u"), get_double (s, "psnr-v"));
    check_label (out, 0, text);
    if (i % 2 == 0) {
      g_assert_cmpint (check_label (out, 1, "reference").bottom, ==, HEIGHT);
      g_assert_cmpint (check_label (out, 2, cases[k].name).right, ==, WIDTH);
      g_assert_cmpint (check_label (out, 2, cases[k].name).bottom, ==, HEIGHT);
    }
    g_assert_cmpuint (count_rectangles (out), ==, i % 2 == 0 ? 3 : 1);
  }
  duel_clear (&duel);
}

/* What downstream draws is attached, beside what was attached before, and no
 * sample is touched. */
TEST ("/compare-text/attach", test_attach)
{
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  start (&duel, &info, 2, "view=single overlay=true");
  for (guint i = 0; i < 2; i++) {
    GstBuffer *b = duel_distorted_new (&info, i);
    g_autoptr (GstBuffer) bare = gst_buffer_copy_deep (b), out;

    if (i == 1) {
      GstBuffer *pixels = gst_buffer_new_allocate (NULL, 4 * 4 * 4, NULL);
      GstVideoOverlayRectangle *rectangle;
      GstVideoOverlayComposition *other;

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
    g_assert_cmpuint (count_rectangles (out), ==, 1 + i);
  }
  duel_clear (&duel);
}

/* Text leaves the picture most of it and stays inside, whatever the size and
 * the shape; two halves are named, where they have room. */
TEST ("/compare-text/sizes", test_sizes)
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
    gdouble covered = 0;
    GstVideoInfo info;
    g_autoptr (GstBuffer) out;
    g_auto (Duel) duel;

    duel_open (&duel, &info, cases[i].width, cases[i].height, 2,
        properties);
    attach (&duel);
    out = duel_show_pair (&duel, &info, 0);
    g_assert_cmpuint (count_rectangles (out), ==, cases[i].n);
    for (guint k = 0; k < cases[i].n; k++) {
      Box box;

      get_rectangle (out, k, &box);
      g_assert_true (box.x >= 0 && box.y >= 0 && box.right <= cases[i].width
          && box.bottom <= cases[i].height);
      covered += (gdouble) (box.right - box.x) * (box.bottom - box.y)
          / cases[i].width / cases[i].height;
    }
    g_test_message ("%d x %d %s: %.1f %%", cases[i].width, cases[i].height,
        cases[i].view, 100 * covered);
    g_assert_cmpfloat (covered, <, 0.2);
  }
}

/* Where there is no font, a picture without text, and one warning to who asked
 * for text. Fontconfig looks once: this runs in a process of its own. */
TEST ("/compare-text/no-font/subprocess", no_font)
{
  g_autofree gchar *path = test_path ("fonts.conf");
  GstVideoInfo info;
  g_auto (Duel) duel;

  g_assert_true (g_file_set_contents (path, "<?xml version=\"1.0\"?>\n"
          "<fontconfig/>\n", -1, NULL));
  g_setenv ("FONTCONFIG_FILE", path, TRUE);
  duel_open (&duel, &info, WIDTH, HEIGHT, 2, "view=error-map");
  gst_buffer_unref (duel_show_pair (&duel, &info, 0));
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

TEST ("/compare-text/no-font", test_no_font)
{
  if (g_getenv ("MESON_EXE_WRAPPER") != NULL) {
    g_test_skip ("an emulator of one program starts no other one");
    return;
  }
  g_test_trap_subprocess ("/compare-text/no-font/subprocess", 0, 0);
  g_test_trap_assert_passed ();
}

/* Legends */

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

/* After `before` other rectangles, and nothing else: the numbers, which end
 * left of the bar, each at its height. */
static void
check_legend (GstBuffer * out, guint before, const Legend * legend)
{
  const gint bar = (8 + WIDTH / 64) & ~1, top = HEIGHT / 4 & ~1;
  const gint left = (WIDTH - 2 * bar) & ~1, height = HEIGHT / 2 & ~1;
  guint n = 0;

  for (; n < MAX_MARKS && legend->mark[n].text != NULL; n++) {
    const Box box = check_label (out, before + n, legend->mark[n].text);

    g_assert_cmpint (box.right, <=, left);
    g_assert_cmpint (box.right, >=, left - 8);
    g_assert_cmpfloat_with_epsilon ((box.y + box.bottom) / 2.0,
        top + (1 - legend->mark[n].up) * (height - 1), 1.6);
  }
  g_assert_cmpuint (count_rectangles (out), ==, before + n);
}

/* Compare's own, whether there is other text or not. */
TEST ("/compare-text/own-legend", test_own_legend)
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
    out = duel_show_pair (&duel, &info, 0);
    check_legend (out, i % 2, &of_compare[i / 2]);
  }
}

/* With text, a single picture that a blockdct says is a map has that map's
 * numbers; without, it is passed on as it is. No other picture has them. */
TEST ("/compare-text/legend-of-single", test_legend_of_single)
{
  GstVideoInfo info;
  Duel duel;

  if (!need_text ())
    return;
  start (&duel, &info, 3, "view=single zoom=16");
  for (guint n = 0; n < 3 * G_N_ELEMENTS (of_blockdct); n++) {
    const Legend *legend = &of_blockdct[n / 3];
    const gboolean picture = strcmp (legend->view, "reconstruction") == 0;
    g_autofree gchar *meta = g_strdup_printf ("blockdct, view=(string)%s, "
        "transform=(string)jpeg-8x8, quality=(int)15", legend->view);
    GstBuffer *out, *map = made_new (&info, n, meta);
    GstMemory *memory = gst_buffer_peek_memory (map, 0);

    g_object_set (duel.element, "overlay", n % 3 > 0, "right", n % 3 == 2,
        NULL);
    gst_pad_push (duel.feeder[2], duel_distorted_new (&info, n));
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
  gst_bus_set_flushing (duel.bus, TRUE);
  duel_clear (&duel);
}

#else

TEST ("/compare-text/no-overlay", test_no_overlay)
{
  GstVideoInfo info;
  g_auto (Duel) duel;

  duel_open (&duel, &info, 64, 64, 2, "overlay=true");
  for (guint n = 0; n < 2; n++)
    gst_buffer_unref (duel_show_pair (&duel, &info, n));
  text_expect (duel_wait_text (&duel, GST_MESSAGE_WARNING), "-Doverlay=enabled",
      NULL);
}

#endif
