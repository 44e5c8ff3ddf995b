/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blockdct-preview draws on blockdctcompare's pictures: the values of
 * samples, on the squares of a view at 16:1 and in the lens, whose squares are
 * checked by all components. What is drawn is attached to the frames here,
 * whose own samples stay as the view has them. */
#include <math.h>
#include <string.h>
#include "lens.h"
#include "rgb-formats.h"
#include "tests/element/text.h"
#include "tests/element/viewer.h"

#define SIDE 16
#define WIDTH 256
#define HEIGHT 128
/* Of the lens: what half of such a frame holds, odd. */
#define N_SQUARES 3
#define LENS (N_SQUARES * SIDE)

/* A square's pixels: how much of a digit is on each. */
typedef guint8 Pattern[SIDE * SIDE];

static GstVideoInfo info;

static PreviewLens *lens;

static void
start (Duel * duel, const gchar * format, gint width, gint height,
    const gchar * properties)
{
  gchar *all = g_strconcat ("zoom-x=0 zoom-y=0 ", properties, NULL);

  duel_open (duel, &info, format, width, height, 2, all);
  lens = preview_lens_new ();
  g_free (all);
}

static void
stop (Duel * duel)
{
  preview_lens_free (lens);
  duel_clear (duel);
}

/* The lens is at (x, y) of the picture. */
static void
place_lens (gdouble x, gdouble y)
{
  preview_lens_set (lens, TRUE);
  g_assert_true (preview_lens_point (lens, x, y));
}

static GstBuffer *
show (Duel * duel, guint n)
{
  GstBuffer *out = gst_buffer_make_writable (duel_show (duel, frame_new (&info,
              n), duel_distorted_new (&info, n)));
  GstVideoOverlayComposition *all = preview_lens_compose (lens, G_OBJECT
      (duel->element), out, &info);

  if (all != NULL) {
    gst_buffer_add_video_overlay_composition_meta (out, all);
    gst_video_overlay_composition_unref (all);
  }
  return out;
}

static void
set_view (Duel * duel, const gchar * view)
{
  element_set (duel->element, "view", view);
}

/* The rectangle of values, which is as large as the frame and under all others;
 * NULL if there is none. */
static GstVideoOverlayRectangle *
get_rectangle (GstBuffer * out)
{
  GstVideoOverlayComposition *all = viewer_get_attached (out);
  GstVideoOverlayRectangle *first = all == NULL ? NULL
      : gst_video_overlay_composition_get_rectangle (all, 0);
  guint width, height;
  gint x, y;

  if (first == NULL)
    return NULL;
  gst_video_overlay_rectangle_get_render_rectangle (first, &x, &y, &width,
      &height);
  return x == 0 && y == 0 && width == WIDTH && height == HEIGHT ? first : NULL;
}

/* The square that begins at (x, y) of what is as large as the frame. */
static void
read_pattern (const guint32 * pixels, gint x, gint y, Pattern pattern)
{
  for (gint i = 0; i < SIDE * SIDE; i++)
    pattern[i] = pixels[(y + i / SIDE) * WIDTH + x + i % SIDE] >> 24;
}

/* Luma of the frame, or that of R, G and B. */
static gint *
get_luma (GstBuffer * buffer)
{
  GstVideoFrame frame;
  gint *luma, w, h;

  if (!GST_VIDEO_INFO_IS_RGB (&info))
    return frame_samples (&info, buffer, BDCT_Y, &w, &h);
  luma = g_new (gint, WIDTH * HEIGHT);
  g_assert_true (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (gint i = 0; i < WIDTH * HEIGHT; i++) {
    gint v[3];

    for (gint c = 0; c < 3; c++)
      v[c] = ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, c))
          [i / WIDTH * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c)
          + i % WIDTH * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c)];
    /* JFIF's */
    luma[i] = (19595 * v[0] + 38470 * v[1] + 7471 * v[2] + 32768) >> 16;
  }
  gst_video_frame_unmap (&frame);
  return luma;
}

/* What a value of up to 4 digits looks like: its digits side by side in the
 * middle, each drawn by Pango in its own place. `n_digits` are the largest
 * value's. */
static void
draw_value (gint value, gint n_digits, Pattern pattern)
{
  const gint width = SIDE / n_digits, rows = 10;
  gchar *text = g_strdup_printf ("%d", value);
  const gint n = strlen (text);
  PangoFontMap *fonts = pango_cairo_font_map_new ();
  PangoContext *context = pango_font_map_create_context (fonts);
  PangoFontDescription *font = pango_font_description_from_string ("Monospace");

  memset (pattern, 0, sizeof (Pattern));
  pango_font_description_set_absolute_size (font,
      (n_digits > 3 ? 7 : 9) * PANGO_SCALE);
  for (gint i = 0; i < n; i++) {
    cairo_surface_t *surface =
        cairo_image_surface_create (CAIRO_FORMAT_A8, SIDE, rows);
    PangoLayout *layout = pango_layout_new (context);
    cairo_t *cr = cairo_create (surface);
    PangoRectangle ink;

    pango_layout_set_font_description (layout, font);
    pango_layout_set_text (layout, text + i, 1);
    pango_layout_get_pixel_extents (layout, &ink, NULL);
    cairo_move_to (cr, (width - ink.width) / 2 - ink.x,
        (rows - ink.height) / 2 - ink.y);
    pango_cairo_show_layout (cr, layout);
    cairo_destroy (cr);
    cairo_surface_flush (surface);
    for (gint y = 0; y < rows; y++)
      memcpy (pattern + (3 + y) * SIDE + (SIDE - n * width) / 2 + i * width,
          cairo_image_surface_get_data (surface)
          + y * cairo_image_surface_get_stride (surface), width);
    cairo_surface_destroy (surface);
    g_object_unref (layout);
  }
  pango_font_description_free (font);
  g_object_unref (context);
  g_object_unref (fonts);
  g_free (text);
}

/* The same, drawn once. */
static const guint8 *
get_pattern (gint value, gboolean deep)
{
  static Pattern *drawn[2][4096];

  if (drawn[deep][value] == NULL) {
    drawn[deep][value] = g_new (Pattern, 1);
    draw_value (value, deep ? 4 : 3, *drawn[deep][value]);
  }
  return *drawn[deep][value];
}

/* Whether a square is whole in what a view shows: not on the line. */
static gboolean
is_whole (const gchar * view, gint x)
{
  return strcmp (view, "wipe") != 0 || x > WIDTH / 2 || x + SIDE <= WIDTH / 2;
}

static void
check_values (const gchar * view, GstBuffer * out, gint depth)
{
  GstVideoOverlayRectangle *rectangle = get_rectangle (out);
  gint *luma = get_luma (out);
  GstBuffer *pixels;
  GstMapInfo map;

  g_assert_nonnull (rectangle);
  pixels = gst_video_overlay_rectangle_get_pixels_unscaled_argb (rectangle,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  g_assert_true (gst_buffer_map (pixels, &map, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y += SIDE)
    for (gint x = 0; x < WIDTH; x += SIDE) {
      const gint value = luma[y * WIDTH + x];
      static const Pattern none;
      const guint8 *wanted = is_whole (view, x) ? get_pattern (value,
          depth > 9) : none;
      Pattern got;

      read_pattern ((guint32 *) map.data, x, y, got);
      if (memcmp (wanted, got, sizeof (Pattern)) != 0)
        g_error ("%s, %s: what is at (%d, %d) is not %d",
            GST_VIDEO_INFO_NAME (&info), view, x, y, value);
    }
  gst_buffer_unmap (pixels, &map);
  g_free (luma);
}

static void
check_views (const gchar * format, gint depth)
{
  static const gchar *const views[] = { "wipe", "side-by-side", "stacked",
    "flicker", "difference", "error-map", "single"
  };
  Duel duel;

  start (&duel, format, WIDTH, HEIGHT, "");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    GstBuffer *out;

    set_view (&duel, views[i]);
    g_object_set (duel.element, "zoom", 16.0, NULL);
    out = show (&duel, i);
    if (i < 5)
      check_values (views[i], out, depth);
    else
      g_assert_null (get_rectangle (out));
    gst_buffer_unref (out);
    g_object_set (duel.element, "zoom", 15.99, NULL);
    out = show (&duel, i);
    g_assert_null (get_rectangle (out));
    gst_buffer_unref (out);
  }
  stop (&duel);
}

/* Every format, every view: the digits are those of what is under them, and
 * there are none below 16:1, or on what is no sample. */
static void
test_values (void)
{
  if (!need_text ())
    return;
  for (guint f = 0; f < N_TEST_FORMATS; f++)
    check_views (test_formats[f].name, test_formats[f].depth);
  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++)
    check_views (rgb_formats[f].name, 8);
}

/* The magnifier */

/* A frame's Y, U and V, or R, G and B, with 8 bits, a sample of each at every
 * place; to be freed. */
static guint8 *
read_frame (GstBuffer * buffer, gint depth)
{
  guint8 *all = g_malloc (3 * WIDTH * HEIGHT);
  GstVideoFrame frame;

  memset (all, 128, 3 * WIDTH * HEIGHT);
  if (!GST_VIDEO_INFO_IS_RGB (&info)) {
    for (BdctComponent c = 0; c < 3; c++) {
      gint w, h, *samples = frame_samples (&info, buffer, c, &w, &h);

      for (gint i = 0; samples != NULL && i < WIDTH * HEIGHT; i++)
        all[3 * i + c] = samples[i / WIDTH / (HEIGHT / h) * w
            + i % WIDTH / (WIDTH / w)] >> (depth - 8);
      g_free (samples);
    }
    return all;
  }
  g_assert_true (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (gint i = 0; i < 3 * WIDTH * HEIGHT; i++)
    all[i] = ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, i % 3))
        [i / 3 / WIDTH * GST_VIDEO_FRAME_COMP_STRIDE (&frame, i % 3)
        + i / 3 % WIDTH * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, i % 3)];
  gst_video_frame_unmap (&frame);
  return all;
}

/* Between its frame, if it has one, and its digits. */
static void
read_square (GstVideoOverlayRectangle * rectangle, gboolean rgb, gint i,
    gint j, guint8 v[3])
{
  GstBuffer *pixels = gst_video_overlay_rectangle_get_pixels_unscaled_raw
      (rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  const gsize at = (j * SIDE + 1) * LENS + i * SIDE + 1;
  GstMapInfo map;
  guint32 word;

  g_assert_true (gst_buffer_map (pixels, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, ==, 4 * LENS * LENS);
  memcpy (&word, map.data + 4 * at, 4);
  for (gint c = 0; c < 3; c++)
    v[c] = rgb ? word >> (16 - 8 * c) & 255 : map.data[4 * at + 1 + c];
  gst_buffer_unmap (pixels, &map);
}

/* It comes after all else but its words. */
static GstVideoOverlayRectangle *
get_lens (GstBuffer * out)
{
  GstVideoOverlayComposition *all = viewer_get_attached (out);

  g_assert_nonnull (all);
  return gst_video_overlay_composition_get_rectangle (all,
      gst_video_overlay_composition_n_rectangles (all) - 2);
}

/* The squares are those of `of` around (x, y), where it has them, and the
 * rectangle is around (at_x, at_y) as far as the edges allow. */
static void
check_lens (const gchar * what, GstBuffer * out, gint at_x, gint at_y,
    GstBuffer * of, gint depth, gint x, gint y)
{
  const gboolean rgb = GST_VIDEO_INFO_IS_RGB (&info);
  GstVideoOverlayRectangle *rectangle = get_lens (out);
  guint8 *samples = read_frame (of, depth);
  static const guint8 dark[2][3] = { {16, 128, 128}, {0, 0, 0} };
  gint left, top;
  guint width, height;

  gst_video_overlay_rectangle_get_render_rectangle (rectangle, &left, &top,
      &width, &height);
  g_assert_cmpint (left, ==, CLAMP (at_x - LENS / 2, 0, WIDTH - LENS));
  g_assert_cmpint (top, ==, CLAMP (at_y - LENS / 2, 0, HEIGHT - LENS));
  for (gint j = 0; j < N_SQUARES; j++)
    for (gint i = 0; i < N_SQUARES; i++) {
      gint sx = x + i - N_SQUARES / 2, sy = y + j - N_SQUARES / 2;
      const guint8 *wanted = sx >= 0 && sx < WIDTH && sy >= 0 && sy < HEIGHT
          ? samples + 3 * (sy * WIDTH + sx) : dark[rgb];
      guint8 got[3];

      read_square (rectangle, rgb, i, j, got);
      if (memcmp (wanted, got, sizeof got) != 0)
        g_error ("%s, %s: square (%d, %d) is %d %d %d, not %d %d %d of "
            "(%d, %d)", GST_VIDEO_INFO_NAME (&info), what, i, j, got[0],
            got[1], got[2], wanted[0], wanted[1], wanted[2], sx, sy);
    }
  g_free (samples);
}

/* At places, of which some are at the edges, and on the line of the wipe. A
 * single picture, which passes unchanged, has no lens. */
static void
check_lens_of_views (const gchar * format, gint depth)
{
  static const gchar *const views[] = { "flicker", "wipe", "side-by-side",
    "stacked", "difference", "error-map", "ssim-map"
  };
  static const gint at[][2] = { {100, 60}, {128, 63}, {0, 0}, {255, 127},
  {127, 64}, {1, 126}, {31, 33}
  };
  GstBuffer *out;
  Duel duel;

  start (&duel, format, WIDTH, HEIGHT, "");
  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    set_view (&duel, views[i]);
    place_lens (at[i][0] + 0.75, at[i][1]);
    out = show (&duel, i);
    check_lens (views[i], out, at[i][0], at[i][1], out, depth, at[i][0],
        at[i][1]);
    gst_buffer_unref (out);
  }
  set_view (&duel, "single");
  out = show (&duel, 0);
  g_assert_null (viewer_get_attached (out));
  gst_buffer_unref (out);
  stop (&duel);
}

/* In every format and sort of view its squares are what the view shows. */
static void
test_lens (void)
{
  if (!need_text ())
    return;
  for (guint f = 0; f < N_TEST_FORMATS; f++)
    check_lens_of_views (test_formats[f].name, test_formats[f].depth);
  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++)
    check_lens_of_views (rgb_formats[f].name, 8);
}

/* A square for each sample, however large it is in the view, and however much
 * is drawn on top; in the halves of views, too. */
static void
test_lens_zoomed (void)
{
  static const struct
  {
    const gchar *view;
    gdouble zoom, zoom_x;
    gint x, y;                  /* of the view */
    gint column, row;           /* of the picture */
  } cases[] = {
    {"flicker", 2, 0, 101, 61, 50, 30},
    {"flicker", 3, 1, 255, 100, 255, 33},
    {"flicker", 16, 0.5, 128, 0, 128, 0},
    {"flicker", 16, 0, 37, 100, 2, 6},
    {"wipe", 4, 0, 40, 9, 10, 2},
    {"side-by-side", 2, 0, 128 + 21, 40, 10, 20},
    {"side-by-side", 2, 1, 128 + 21, 40, (256 + 21) / 2, 20},
    {"stacked", 8, 0, 80, 64 + 17, 10, 2},
  };

  if (!need_text ())
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const guint k = i / 2;
    GstBuffer *of, *out;
    Duel duel;

    start (&duel, i % 2 == 0 ? "I420" : "P010_10LE", WIDTH, HEIGHT,
        "left=-1 right=-1");
    of = frame_new (&info, 0);
    set_view (&duel, cases[k].view);
    g_object_set (duel.element, "wipe-position", strcmp (cases[k].view,
            "wipe") == 0 ? 0.9 : 0.0, "zoom", cases[k].zoom, "zoom-x",
        cases[k].zoom_x, NULL);
    place_lens (cases[k].x, cases[k].y);
    out = show (&duel, 0);
    check_lens (cases[k].view, out, cases[k].x, cases[k].y, of,
        i % 2 == 0 ? 8 : 10, cases[k].column, cases[k].row);
    gst_buffer_unref (of);
    gst_buffer_unref (out);
    stop (&duel);
  }
}

/* It is where the pointer is, as far as that is inside, while it is on. */
static void
test_pointer (void)
{
  GstBuffer *out;
  Duel duel;

  if (!need_text ())
    return;
  start (&duel, "I420", WIDTH, HEIGHT, "");
  g_assert_false (preview_lens_point (lens, 300, -5));
  out = show (&duel, 0);
  g_assert_null (viewer_get_attached (out));
  gst_buffer_unref (out);
  preview_lens_set (lens, TRUE);
  out = show (&duel, 0);
  check_lens ("pointer", out, 255, 0, out, 8, 255, 0);
  gst_buffer_unref (out);
  preview_lens_set (lens, FALSE);
  out = show (&duel, 0);
  g_assert_null (viewer_get_attached (out));
  gst_buffer_unref (out);
  stop (&duel);
}

/* Drawn, it changes the picture around the pointer alone, and nobody else's. */
static void
test_drawn (void)
{
  GstBuffer *bare, *drawn;
  gint w, h, *a, *b;
  GstCaps *caps;
  guint changed = 0;
  Duel duel;

  if (!need_text ())
    return;
  start (&duel, "I420", WIDTH, HEIGHT, "view=flicker");
  bare = show (&duel, 0);
  caps = gst_video_info_to_caps (&info);
  place_lens (40, 40);
  drawn = preview_lens_draw (lens, G_OBJECT (duel.element),
      gst_buffer_ref (bare), caps);
  g_assert_true (drawn != bare);
  a = frame_samples (&info, bare, BDCT_Y, &w, &h);
  b = frame_samples (&info, drawn, BDCT_Y, &w, &h);
  for (gint i = 0; i < w * h; i++) {
    const gint x = i % w, y = i / w;

    changed += a[i] != b[i];
    g_assert_true (a[i] == b[i] || (x >= 16 && y >= 16 && y < 96
            && x < 16 + 160));
  }
  g_assert_cmpuint (changed, >, 1000);
  g_free (a);
  g_free (b);
  gst_caps_unref (caps);
  gst_buffer_unref (bare);
  gst_buffer_unref (drawn);
  stop (&duel);
}

/* Of any size; what is too small has none. */
static void
test_sizes (void)
{
  static const gint sizes[][2] = { {1, 1}, {47, 200}, {48, 48}, {640, 47},
  {49, 51}, {1921, 1081}
  };
  static const gchar *const formats[] = { "I420", "BGRx" };

  if (!need_text ())
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    const gint *size = sizes[i / 2];
    GstBuffer *out;
    Duel duel;

    start (&duel, formats[i % 2], size[0], size[1], "");
    place_lens (size[0] - 1, size[1] - 1);
    out = show (&duel, 0);
    g_assert_cmpint (viewer_get_attached (out) == NULL
        || gst_video_overlay_composition_n_rectangles (viewer_get_attached
            (out)) == 0, ==, MIN (size[0], size[1]) < LENS);
    gst_buffer_unref (out);
    stop (&duel);
  }
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/lens/values", test_values);
  test_add ("/lens/squares", test_lens);
  test_add ("/lens/zoomed", test_lens_zoomed);
  test_add ("/lens/pointer", test_pointer);
  test_add ("/lens/drawn", test_drawn);
  test_add ("/lens/sizes", test_sizes);
  return test_run ();
}
