/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element shows: each view on each format, live changes, the text, and
 * that none of it changes a figure. (tests/check/test-view.c has every sample
 * of every view.) */
#include <math.h>
#include <string.h>
#include "bench.h"
#include "rgb-formats.h"
#include "text.h"
#ifdef HAVE_OVERLAY
#include <glib/gstdio.h>
#endif

#define WIDTH 131
#define HEIGHT 101

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static const gchar *views[] = {
  "reconstruction", "original", "wipe", "side-by-side", "stacked",
  "difference", "coefficients", "error-map", "nonzero-map"
};

/* Views that show samples of the original `in` and the reconstruction `rec`:
 * what the component's sample (x, y) is. */
static gint
expect (const gchar * view, gint depth, const gint * in, const gint * rec,
    gint sub_x, gint sub_y, gint w, gint h, BdctComponent c, gint x, gint y)
{
  gint i = y * w + x, peak = (1 << depth) - 1;
  gint half_x = WIDTH / 4 * 2 / sub_x, half_y = HEIGHT / 4 * 2 / sub_y;
  /* In the middle, on an even column and row of luma. */
  gint pan_x = WIDTH / 4 * 2 / 4 * 2 / sub_x;
  gint pan_y = HEIGHT / 4 * 2 / 4 * 2 / sub_y;

  (void) h;
  if (strcmp (view, "reconstruction") == 0)
    return rec[i];
  if (strcmp (view, "original") == 0)
    return in[i];
  if (strcmp (view, "difference") == 0)
    return CLAMP (peak / 2 + 1 + 4 * (rec[i] - in[i]), 0, peak);
  if (strcmp (view, "wipe") == 0) {
    gint line = (WIDTH + 1) / 2 / sub_x;

    return x == line ? (c == BDCT_Y ? peak : peak / 2 + 1)
        : x < line ? in[i] : rec[i];
  }
  if (strcmp (view, "side-by-side") == 0)
    return x < half_x ? in[i + pan_x] : rec[i + pan_x - half_x];
  g_assert_cmpstr (view, ==, "stacked");
  return y < half_y ? in[i + pan_y * w] : rec[i + (pan_y - half_y) * w];
}

static void
check_picture (const Bench * bench, const gchar * view, gint depth,
    GstBuffer * in, GstBuffer * rec, GstBuffer * out)
{
  for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
    gint w, h;
    gint *a = frame_samples (&bench->info, in, c, &w, &h);
    gint *b = frame_samples (&bench->info, rec, c, &w, &h);
    gint *got = frame_samples (&bench->info, out, c, &w, &h);

    for (gint i = 0; got != NULL && i < w * h; i++) {
      gint v = expect (view, depth, a, b, w == WIDTH ? 1 : 2,
          h == HEIGHT ? 1 : 2, w, h, c, i % w, i / w);

      if (got[i] != v)
        g_error ("%s, %s: component %d (%d, %d) is %d, not %d",
            GST_VIDEO_INFO_NAME (&bench->info), view, c, i % w, i / w, got[i],
            v);
    }
    g_free (a);
    g_free (b);
    g_free (got);
  }
}

/* Every format in every view, changed while it plays. */
static void
test_every_format (void)
{
  for (guint f = 0; f < N_TEST_FORMATS; f++) {
    const TestFormat *format = &test_formats[f];
    BdctStats stats;
    GstBuffer *rec;
    Bench bench;

    bench_init (&bench, format->name, WIDTH, HEIGHT, "quality", 40, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
      GstBuffer *in = frame_new (&bench.info, i), *out;
      BdctParams params = defaults;
      GstStructure *s;

      params.quality = 40;
      rec = frame_expect (&bench.info, in, &params, &stats);
      gst_util_set_object_arg (G_OBJECT (bench.element), "view", views[i]);
      g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in)), ==,
          GST_FLOW_OK);
      out = bench_pull (&bench);
      if (i < 6)
        check_picture (&bench, views[i], format->depth, in, rec, out);
      else
        g_assert_false (frames_equal (&bench.info, rec, out));
      s = bench_pop_report (&bench, "frame");
      check_figures (s, &stats, format->depth);
      gst_structure_free (s);
      gst_buffer_unref (in);
      gst_buffer_unref (rec);
      gst_buffer_unref (out);
    }
    bench_clear (&bench);
  }
}

/* Several frames in flight, each with a view of its own. */
static void
test_in_flight (void)
{
  GstBuffer *in[9], *out, *rec;
  BdctStats stats;
  Bench bench;

  bench_init (&bench, "NV12", WIDTH, HEIGHT, "async-depth", 4, NULL);
  for (guint i = 0; i < 9; i++) {
    in[i] = frame_new (&bench.info, i);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", views[i % 6]);
    g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (in[i])), ==,
        GST_FLOW_OK);
  }
  gst_harness_push_event (bench.h, gst_event_new_eos ());
  for (guint i = 0; i < 9; i++) {
    out = bench_pull (&bench);
    rec = frame_expect (&bench.info, in[i], &defaults, &stats);
    check_picture (&bench, views[i % 6], 8, in[i], rec, out);
    gst_buffer_unref (out);
    gst_buffer_unref (rec);
    gst_buffer_unref (in[i]);
  }
  bench_clear (&bench);
}

/* Every view and the grid at sizes where there is nothing to divide. */
static void
test_tiny (void)
{
  static const gint sizes[][2] = { {1, 1}, {2, 1}, {1, 2}, {3, 3}, {17, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
      GstBuffer *out;
      Bench bench;

      bench_init (&bench, v % 2 ? "I420" : "P010_10LE", sizes[i][0],
          sizes[i][1], "grid", TRUE, "overlay", TRUE, "wipe-position",
          v / 8.0, "difference-gain", 64.0, NULL);
      gst_util_set_object_arg (G_OBJECT (bench.element), "view", views[v]);
      bench_push (&bench, 0);
      out = bench_pull (&bench);
      g_assert_nonnull (out);
      gst_buffer_unref (out);
      gst_message_unref (bench_pop (&bench, GST_MESSAGE_ELEMENT));
      if (!have_text ())
        gst_message_unref (bench_pop (&bench, GST_MESSAGE_WARNING));
      bench_clear (&bench);
    }
}

/* A scene of one's own is passed on with its new size. */
static void
test_resize (void)
{
  Bench bench;

  bench_init (&bench, "I420", 64, 48, "grid", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "error-map");
  for (guint i = 0; i < 12; i++) {
    GstBuffer *out;

    bench_set_caps (&bench, i % 3 ? "Y444_12LE" : "NV12", 300 - 25 * i,
        17 + 19 * i);
    bench_push (&bench, i);
    out = bench_pull (&bench);
    g_assert_nonnull (out);
    gst_buffer_unref (out);
  }
  bench_clear (&bench);
}

/* The maps' colours follow the caps: white of a full range is no other's. */
static void
test_colorimetry (void)
{
  static const gchar *colorimetries[] = { "bt601", "bt709", "1:3:5:1" };
  gint seen[3][3];

  for (guint i = 0; i < 3; i++) {
    GstCaps *caps;
    GstBuffer *in, *out;
    Bench bench;

    bench_init (&bench, NULL, 0, 0, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", "nonzero-map");
    video_info (&bench.info, "Y444", 32, 32);
    caps = video_caps ("Y444", 32, 32);
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[i],
        NULL);
    gst_harness_set_src_caps (bench.h, caps);
    /* Grey: nothing but zeros. */
    in = frame_new (&bench.info, 0);
    gst_buffer_memset (in, 0, 128, bench.info.size);
    gst_harness_push (bench.h, in);
    out = bench_pull (&bench);
    for (BdctComponent c = BDCT_Y; c <= BDCT_V; c++) {
      gint w, h, *samples = frame_samples (&bench.info, out, c, &w, &h);

      seen[i][c] = samples[0];
      g_free (samples);
    }
    gst_buffer_unref (out);
    bench_clear (&bench);
  }
  /* 0x440154, as it was computed by hand: BT.601, BT.709, full BT.709. */
  g_assert_cmpint (ABS (seen[0][0] - 42), <=, 1);
  g_assert_cmpint (ABS (seen[0][1] - 155), <=, 1);
  g_assert_cmpint (ABS (seen[0][2] - 151), <=, 1);
  g_assert_cmpint (ABS (seen[1][0] - 34), <=, 1);
  g_assert_cmpint (ABS (seen[2][0] - 21), <=, 1);
}

/* Controlled by time as well. */
static void
test_flags (void)
{
  static const gchar *live[] = { "view", "wipe-position", "difference-gain",
    "grid", "overlay"
  };
  Bench bench;

  bench_init (&bench, NULL, 0, 0, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (live); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (bench.element), live[i]);

    g_assert_cmphex (pspec->flags & (GST_PARAM_CONTROLLABLE
            | GST_PARAM_MUTABLE_PLAYING), ==,
        GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING);
  }
  bench_clear (&bench);
}

#ifdef HAVE_OVERLAY

/* The text goes into the picture in every format, and nowhere else. */
static void
test_overlay (void)
{
  if (!have_text ()) {
    g_test_skip (NO_FONT);
    return;
  }
  for (guint f = 0; f < N_TEST_FORMATS; f++) {
    gint w, h, changed = 0, *a, *b;
    GstBuffer *in, *rec, *out;
    GstStructure *s;
    BdctStats stats;
    Bench bench;

    bench_init (&bench, test_formats[f].name, 640, 360, "overlay", TRUE,
        NULL);
    in = frame_new (&bench.info, 0);
    rec = frame_expect (&bench.info, in, &defaults, &stats);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    out = bench_pull (&bench);
    a = frame_samples (&bench.info, rec, BDCT_Y, &w, &h);
    b = frame_samples (&bench.info, out, BDCT_Y, &w, &h);
    for (gint i = 0; i < w * h; i++) {
      changed += a[i] != b[i];
      g_assert_true (a[i] == b[i] || (i % w < 500 && i / w < 200));
    }
    g_assert_cmpint (changed, >, 10000);
    s = bench_pop_report (&bench, "frame");
    check_figures (s, &stats, test_formats[f].depth);
    gst_structure_free (s);
    g_free (a);
    g_free (b);
    gst_buffer_unref (rec);
    gst_buffer_unref (out);
    bench_clear (&bench);
  }
}

/* What downstream draws is attached, beside what was attached before, and no
 * sample is touched. */
static void
test_attach (void)
{
  GstVideoOverlayCompositionMeta *meta;
  GstVideoOverlayComposition *other;
  GstVideoOverlayRectangle *rectangle;
  GstBuffer *in, *rec, *out, *pixels;
  BdctStats stats;
  Bench bench;

  if (!have_text ()) {
    g_test_skip (NO_FONT);
    return;
  }
  bench_init (&bench, NULL, 0, 0, "overlay", TRUE, NULL);
  gst_harness_add_propose_allocation_meta (bench.h,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  bench_set_caps (&bench, "I420", 640, 360);
  for (guint i = 0; i < 2; i++) {
    in = frame_new (&bench.info, i);
    rec = frame_expect (&bench.info, in, &defaults, &stats);
    if (i == 1) {
      pixels = gst_buffer_new_allocate (NULL, 4 * 4 * 4, NULL);
      gst_buffer_add_video_meta (pixels, GST_VIDEO_FRAME_FLAG_NONE,
          GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 4, 4);
      rectangle = gst_video_overlay_rectangle_new_raw (pixels, 0, 0, 4, 4,
          GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
      other = gst_video_overlay_composition_new (rectangle);
      gst_buffer_add_video_overlay_composition_meta (in, other);
      gst_video_overlay_composition_unref (other);
      gst_video_overlay_rectangle_unref (rectangle);
      gst_buffer_unref (pixels);
    }
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    out = bench_pull (&bench);
    g_assert_true (frames_equal (&bench.info, rec, out));
    meta = gst_buffer_get_video_overlay_composition_meta (out);
    g_assert_nonnull (meta);
    g_assert_cmpint (gst_video_overlay_composition_n_rectangles
        (meta->overlay), ==, 1 + i);
    gst_buffer_unref (rec);
    gst_buffer_unref (out);
  }
  bench_clear (&bench);
}

/* Pixels of four bytes whose colours are the same in every format, and whose
 * fourth byte is anything. */
static GstBuffer *
new_pixels (const GstVideoInfo * info, const BdctRgb * rgb)
{
  GstBuffer *buffer = frame_new (info, 0);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size / 4; i++)
    for (gint k = 0; k < 3; k++)
      map.data[4 * i + rgb->offset[k]] = i / 977 + (k + 1) * i % 251;
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
set_text (Bench * bench, guint which)
{
  if (which == 0)
    g_object_set (bench->element, "overlay", TRUE, NULL);
  else if (which == 1)
    g_object_set (bench->element, "magnifier", TRUE, NULL);
  else if (which == 2)
    g_object_set (bench->element, "zoom", 16.0, NULL);
  else
    gst_util_set_object_arg (G_OBJECT (bench->element), "view", "error-map");
}

/* What comes out with text, which is `attached`, or drawn into the samples. */
static GstBuffer *
write_text (const BdctRgb * rgb, const gchar * format, guint which,
    gboolean attached, GstBuffer ** in)
{
  GstBuffer *out;
  Bench bench;

  bench_init (&bench, NULL, 0, 0, "quality", 20, NULL);
  set_text (&bench, which);
  if (attached)
    gst_harness_add_propose_allocation_meta (bench.h,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  bench_set_caps (&bench, format, 640, 360);
  gst_buffer_replace (in, NULL);
  *in = new_pixels (&bench.info, rgb);
  g_assert_cmpint (gst_harness_push (bench.h, gst_buffer_ref (*in)), ==,
      GST_FLOW_OK);
  out = bench_pull (&bench);
  g_assert_nonnull (out);
  bench_clear (&bench);
  return out;
}

/* The bytes of a picture's pixels in one order: R, G, B, the fourth. */
static guint8 *
read_pixels (GstBuffer * buffer, const BdctRgb * rgb)
{
  gint fourth = 6 - rgb->offset[0] - rgb->offset[1] - rgb->offset[2];
  guint8 *pixels = g_malloc (640 * 360 * 4);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_assert_cmpuint (map.size, >=, 640 * 360 * 4);
  for (gsize i = 0; i < 640 * 360 * 4; i++)
    pixels[i] = map.data[i / 4 * 4 + (i % 4 == 3 ? fourth
            : rgb->offset[i % 4])];
  gst_buffer_unmap (buffer, &map);
  return pixels;
}

/* How many pixels differ, by their colours, or by their fourth byte alone. */
static guint
count_other (const guint8 * a, const guint8 * b, gboolean colours)
{
  guint n = 0;

  for (gsize i = 0; i < 640 * 360; i++)
    n += colours ? memcmp (a + 4 * i, b + 4 * i, 3) != 0
        : a[4 * i + 3] != b[4 * i + 3];
  return n;
}

/* All text is drawn on the colours alone, and looks the same whatever is beside
 * them: alpha and padding stay as they came in. */
static void
test_alpha (void)
{
  static const gchar *texts[] = { "overlay", "magnifier", "values", "legend" };

  if (!have_text ()) {
    g_test_skip (NO_FONT);
    return;
  }
  for (guint which = 0; which < G_N_ELEMENTS (texts); which++) {
    guint8 *first = NULL;

    for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++) {
      const BdctRgb *rgb = &rgb_formats[f].rgb;
      GstBuffer *in = NULL, *out[2];
      guint8 *before, *bare, *drawn;

      if (rgb->bytes != 4)
        continue;
      out[0] = write_text (rgb, rgb_formats[f].name, which, TRUE, &in);
      out[1] = write_text (rgb, rgb_formats[f].name, which, FALSE, &in);
      before = read_pixels (in, rgb);
      bare = read_pixels (out[0], rgb);
      drawn = read_pixels (out[1], rgb);
      g_test_message ("%s on %s: %u pixels drawn, %u fourth bytes changed",
          texts[which], rgb_formats[f].name, count_other (bare, drawn, TRUE),
          count_other (bare, drawn, FALSE));
      g_assert_cmpuint (count_other (bare, drawn, TRUE), >, 100);
      g_assert_cmpuint (count_other (bare, drawn, FALSE), ==, 0);
      /* Zoomed, it goes with its pixel. */
      if (strcmp (texts[which], "values") != 0)
        g_assert_cmpuint (count_other (before, drawn, FALSE), ==, 0);
      if (first == NULL)
        first = g_memdup2 (drawn, 640 * 360 * 4);
      g_assert_cmpuint (count_other (first, drawn, TRUE), ==, 0);
      gst_buffer_unref (in);
      gst_buffer_unref (out[0]);
      gst_buffer_unref (out[1]);
      g_free (before);
      g_free (bare);
      g_free (drawn);
    }
    g_free (first);
  }
}

/* Text leaves the picture most of it and stays inside, whatever the size and
 * the shape; two halves are named, where they have room. */
static void
test_overlay_sizes (void)
{
  static const struct
  {
    gint width, height;
    const gchar *view;
    gdouble position;
    guint n;                    /* labels */
  } cases[] = {
    {320, 240, "reconstruction", 0.5, 1}, {320, 240, "wipe", 0.5, 3},
    {540, 960, "reconstruction", 0.5, 1}, {540, 960, "stacked", 0.5, 3},
    {1920, 1080, "side-by-side", 0.5, 3}, {1920, 1080, "wipe", 0.01, 2},
    {1920, 1080, "wipe", 0.99, 2}, {1920, 1080, "difference", 0.5, 1},
    {1280, 200, "wipe", 0.5, 3}, {200, 1280, "wipe", 0.5, 3},
  };

  if (!have_text ()) {
    g_test_skip (NO_FONT);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstVideoOverlayCompositionMeta *meta;
    gdouble covered = 0;
    GstBuffer *out;
    Bench bench;

    bench_init (&bench, NULL, 0, 0, "overlay", TRUE, "wipe-position",
        cases[i].position, NULL);
    gst_util_set_object_arg (G_OBJECT (bench.element), "view", cases[i].view);
    gst_harness_add_propose_allocation_meta (bench.h,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
    bench_set_caps (&bench, "I420", cases[i].width, cases[i].height);
    bench_push (&bench, 0);
    out = bench_pull (&bench);
    meta = gst_buffer_get_video_overlay_composition_meta (out);
    g_assert_nonnull (meta);
    g_assert_cmpuint (gst_video_overlay_composition_n_rectangles
        (meta->overlay), ==, cases[i].n);
    for (guint k = 0; k < cases[i].n; k++) {
      gint x, y;
      guint w, h;

      gst_video_overlay_rectangle_get_render_rectangle
          (gst_video_overlay_composition_get_rectangle (meta->overlay, k), &x,
          &y, &w, &h);
      g_assert_true (x >= 0 && y >= 0 && x + (gint) w <= cases[i].width
          && y + (gint) h <= cases[i].height);
      covered += (gdouble) w * h / cases[i].width / cases[i].height;
    }
    g_test_message ("%d x %d %s: %.1f %%", cases[i].width, cases[i].height,
        cases[i].view, 100 * covered);
    g_assert_cmpfloat (covered, <, 0.2);
    gst_buffer_unref (out);
    bench_clear (&bench);
  }
}

/* Where there is no font, a picture without text, and one warning to who asked
 * for text. Fontconfig looks once: this runs in a process of its own. */
static void
no_font (void)
{
  GstBuffer *in, *rec, *out;
  BdctStats stats;
  gchar *text;
  Bench bench;

  bench_init (&bench, "I420", 640, 360, "view", 7, NULL);
  bench_push (&bench, 0);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  gst_buffer_unref (bench_pull (&bench));
  gst_util_set_object_arg (G_OBJECT (bench.element), "view", "reconstruction");
  g_object_set (bench.element, "overlay", TRUE, NULL);
  for (guint i = 1; i < 4; i++) {
    in = frame_new (&bench.info, i);
    rec = frame_expect (&bench.info, in, &defaults, &stats);
    g_assert_cmpint (gst_harness_push (bench.h, in), ==, GST_FLOW_OK);
    out = bench_pull (&bench);
    g_assert_true (frames_equal (&bench.info, rec, out));
    gst_buffer_unref (rec);
    gst_buffer_unref (out);
  }
  text = bench_pop_text (&bench, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "no font"));
  g_assert_nonnull (strstr (text, "fonts-dejavu-core"));
  g_free (text);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  bench_clear (&bench);
}

static void
run_without_font (void)
{
  gchar *folder = g_dir_make_tmp ("blockdct-XXXXXX", NULL);
  gchar *path = g_build_filename (folder, "fonts.conf", NULL);
  gchar *text = g_strdup_printf ("<?xml version=\"1.0\"?>\n<fontconfig><dir>"
      "%s/none</dir><cachedir>%s/none</cachedir></fontconfig>\n", folder,
      folder);
  gchar *before = g_strdup (g_getenv ("FONTCONFIG_FILE"));

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_setenv ("FONTCONFIG_FILE", path, TRUE);
  g_test_trap_subprocess ("/view/no-font/subprocess", 0, 0);
  if (before != NULL)
    g_setenv ("FONTCONFIG_FILE", before, TRUE);
  else
    g_unsetenv ("FONTCONFIG_FILE");
  g_unlink (path);
  g_rmdir (folder);
  g_test_trap_assert_passed ();
  g_free (before);
  g_free (text);
  g_free (path);
  g_free (folder);
}

static void
test_no_font (void)
{
  if (g_getenv ("MESON_EXE_WRAPPER") != NULL)
    g_test_skip ("an emulator of one program starts no other one");
  else
    run_without_font ();
}

#else

static void
test_no_overlay (void)
{
  gchar *text;
  Bench bench;

  bench_init (&bench, "I420", 64, 64, "overlay", TRUE, NULL);
  bench_push (&bench, 0);
  bench_push (&bench, 1);
  text = bench_pop_text (&bench, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (text, "-Doverlay=enabled"));
  g_free (text);
  g_assert_null (bench_pop (&bench, GST_MESSAGE_WARNING));
  bench_clear (&bench);
}

#endif

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/view/formats", test_every_format);
  test_add ("/view/in-flight", test_in_flight);
  test_add ("/view/tiny", test_tiny);
  test_add ("/view/resize", test_resize);
  test_add ("/view/colorimetry", test_colorimetry);
  test_add ("/view/flags", test_flags);
#ifdef HAVE_OVERLAY
  test_add ("/view/overlay", test_overlay);
  test_add ("/view/overlay-sizes", test_overlay_sizes);
  test_add ("/view/attach", test_attach);
  test_add ("/view/alpha", test_alpha);
  test_add ("/view/no-font", test_no_font);
  test_add ("/view/no-font/subprocess", no_font);
#else
  test_add ("/view/no-overlay", test_no_overlay);
#endif
  return test_run ();
}
