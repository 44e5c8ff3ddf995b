/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions of interest. What a frame with regions has to be is put together
 * block by block, from what elements make of it that have one setting each. */
#include <math.h>
#include <string.h>
#include "bench.h"

#define WIDTH 141
#define HEIGHT 101
#define MAX_REGIONS 16

typedef struct
{
  guint x, y, w, h;
  const gchar *structure;       /* its name; NULL: none */
  const gchar *field;
  gint value;
  gint setting;                 /* what it has to come to; -1: no effect */
} Region;

/* How many samples of its component a block is high and wide. */
static gint
block_side (BdctTransform transform, gboolean chroma, gboolean sampled)
{
  switch (transform) {
    case BDCT_HEVC_8X8:
      return chroma && sampled ? 4 : 8;
    case BDCT_HEVC_32X32:
      return chroma && sampled ? 16 : 32;
    default:
      return 8;
  }
}

static void
add_region (GstBuffer * buffer, const Region * r)
{
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (buffer, "thing", r->x, r->y,
      r->w, r->h);

  if (r->structure != NULL)
    gst_video_region_of_interest_meta_add_param (meta,
        gst_structure_new (r->structure, r->field, G_TYPE_INT, r->value, NULL));
}

static GstBuffer *
new_frame (const GstVideoInfo * info, guint n, const Region * regions,
    guint n_regions)
{
  GstBuffer *buffer = frame_new (info, n);

  for (guint i = 0; i < n_regions; i++)
    add_region (buffer, &regions[i]);
  return buffer;
}

/* Frame `n` as an element with one setting makes it. */
static GstBuffer *
run_single (const gchar * format, BdctTransform transform, gint setting,
    guint n)
{
  GstBuffer *out;
  Bench bench;

  bench_init (&bench, format, WIDTH, HEIGHT, "transform", transform,
      setting_name (transform), setting, "threads", 1, NULL);
  if (has_qp (transform))
    g_object_set (bench.element, "deadzone", 0.2, NULL);
  bench_push (&bench, n);
  out = bench_pull (&bench);
  bench_clear (&bench);
  return out;
}

/* The setting of the block with a component's sample (x, y): that of the first
 * region that has a sample of luma in it. */
static gint
find_setting (const GstVideoInfo * info, BdctTransform transform, gint base,
    const Region * regions, guint n_regions, gint c, gint x, gint y)
{
  gint sub_x = 1 << GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, c);
  gint sub_y = 1 << GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c);
  gint side = block_side (transform, c > 0, sub_x > 1);
  gint64 left = x / side * side * sub_x, top = y / side * side * sub_y;

  for (guint i = 0; i < n_regions; i++) {
    const Region *r = &regions[i];

    if (r->setting >= 0 && r->x < left + side * sub_x
        && r->y < top + side * sub_y && (gint64) r->x + r->w > left
        && (gint64) r->y + r->h > top)
      return r->setting;
  }
  return base;
}

/* Check a picture and its figures, as those of frame `n` with these regions. */
static void
check_frame (const GstVideoInfo * info, const gchar * format,
    BdctTransform transform, gint base, const Region * regions,
    guint n_regions, guint n, GstBuffer * out)
{
  GstBuffer *single[101] = { NULL }, *in = frame_new (info, n);
  GstStructure *s = buffer_report (out);
  guint in_force = 0, said;
  gdouble mse[3], total;

  for (guint i = 0; i < n_regions; i++)
    in_force += regions[i].setting >= 0;
  for (gint c = 0; c < (gint) GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    gint width, height, differ = 0;
    gint *got = frame_samples (info, out, c, &width, &height);
    gint *samples[101] = { NULL };

    for (gint i = 0; i < width * height; i++) {
      gint setting = find_setting (info, transform, base, regions, n_regions, c,
          i % width, i / width);

      if (single[setting] == NULL)
        single[setting] = run_single (format, transform, setting, n);
      if (samples[setting] == NULL)
        samples[setting] = frame_samples (info, single[setting], c, &width,
            &height);
      differ += got[i] != samples[setting][i];
    }
    if (differ > 0)
      g_error ("%s, transform %d, frame %u: %d samples of component %d differ",
          format, transform, n, differ, c);
    for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
      g_free (samples[i]);
    g_free (got);
  }
  for (guint i = 0; i < G_N_ELEMENTS (single); i++)
    gst_clear_buffer (&single[i]);
  g_assert_cmpint (get_int (s, setting_name (transform)), ==, base);
  if (in_force == 0) {
    g_assert_false (gst_structure_has_field (s, "regions"));
  } else {
    g_assert_true (gst_structure_get_uint (s, "regions", &said));
    g_assert_cmpuint (said, ==, in_force);
  }
  frames_measure (info, in, out, mse, &total);
  g_assert_cmpfloat (get_double (s, "mse"), ==, total);
  g_assert_cmpfloat (get_double (s, "mse-y"), ==, mse[0]);
  gst_buffer_unref (in);
}

/* The quality with the scale nearest to that of `quality`, 2^(delta / 6)
 * times. */
static gint
scaled_quality (gint quality, gint delta)
{
  gdouble wanted = 0, best = INFINITY;
  gint nearest = 0;

  for (gint pass = 0; pass < 2; pass++)
    for (gint q = 1; q <= 100; q++) {
      gdouble scale = q == 100 ? 1 : q < 50 ? floor (5000.0 / q) : 200 - 2 * q;

      if (pass == 0 && q == quality)
        wanted = scale * pow (2, delta / 6.0);
      if (pass == 1 && fabs (scale - wanted) < best) {
        best = fabs (scale - wanted);
        nearest = q;
      }
    }
  return nearest;
}

/* Regions of all sorts: overlapping, beyond the borders, for others. */
static guint
make_regions (BdctTransform transform, gint base, Region * r)
{
  const Region made[] = {
    {10, 10, 30, 17, "roi/blockdct", "delta-qp", -12, 0},
    {33, 3, 40, 50, "roi/x264enc", "delta-qp", 9, 0},
    {20, 20, 30, 30, "roi/somebody", "delta-qp", -3, -1},
    {21, 23, 70, 9, "roi/msdk", "delta-qp", -5, 0},
    {130, 90, 500, G_MAXUINT, "roi/vaapi", "delta-qp", -200, 0},
    {60, 40, 1, 1, "roi/blockdct", "delta-qp", 0, 0},
    {55, 35, 60, 30, "roi/blockdct", "quality", 37, 37},
    {0, 60, 12, 30, NULL, NULL, 0, -1},
    {0, 70, 33, 1, "roi/blockdct", "delta-qp", -12, 0},
  };

  for (guint i = 0; i < G_N_ELEMENTS (made); i++) {
    r[i] = made[i];
    if (r[i].setting < 0)
      continue;
    if (strcmp (r[i].field, "quality") == 0)
      r[i].setting = has_qp (transform) ? -1 : r[i].value;
    else
      r[i].setting = has_qp (transform) ? CLAMP (base + r[i].value, 0, 51)
          : scaled_quality (base, r[i].value);
  }
  return G_N_ELEMENTS (made);
}

static void
assert_warned (Bench * bench, const gchar * what)
{
  text_expect (bench_pop_text (bench, GST_MESSAGE_WARNING), what, NULL);
}

static void
test_pictures (void)
{
  static const gchar *formats[] = { "NV12", "I420", "Y444", "GRAY8", "Y42B",
    "I420_10LE"
  };
  static const BdctTransform transforms[] = { BDCT_JPEG_8X8, BDCT_HEVC_8X8,
    BDCT_HEVC_32X32, BDCT_DCT_8X8
  };

  for (guint t = 0; t < G_N_ELEMENTS (transforms) - test_on_cuda (); t++)
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      BdctTransform transform = transforms[t];
      gint base = has_qp (transform) ? 33 : 30;
      Region regions[MAX_REGIONS];
      guint n = make_regions (transform, base, regions);
      g_autoptr (GstBuffer) out;
      g_auto (Bench) bench;

      bench_init (&bench, formats[f], WIDTH, HEIGHT, "transform", transform,
          setting_name (transform), base, NULL);
      if (has_qp (transform))
        g_object_set (bench.element, "deadzone", 0.2, NULL);
      gst_harness_push (bench.h, new_frame (&bench.info, f, regions, n));
      out = bench_pull (&bench);
      check_frame (&bench.info, formats[f], transform, base, regions, n, f,
          out);
      if (has_qp (transform))
        assert_warned (&bench, "no effect with transform=hevc");
    }
}

/* What has no effect is said, once, and changes nothing. */
static void
test_without_effect (void)
{
  static const struct
  {
    Region region;
    const gchar *warning;
  } bad[] = {
    {{WIDTH, 0, 10, 10, "roi/blockdct", "delta-qp", -6, -1}, "outside"},
    {{0, HEIGHT, 10, 10, "roi/blockdct", "delta-qp", -6, -1}, "outside"},
    {{G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT, "roi/vaapi", "delta-qp", -6,
            -1}, "outside"},
    {{5, 5, 0, 10, "roi/blockdct", "delta-qp", -6, -1}, "empty"},
    {{5, 5, 10, 0, "roi/blockdct", "quality", 90, -1}, "empty"},
    {{5, 5, 10, 10, "roi/blockdct", "delta", -6, -1}, "no usable field"},
    {{5, 5, 10, 10, "roi/x264enc", "quality", 90, -1}, "no usable field"},
    {{5, 5, 10, 10, "roi/blockdct", "quality", 101, 100}, "outside 1 to 100"},
    {{5, 5, 10, 10, "roi/blockdct", "quality", -7, 1}, "outside 1 to 100"},
    {{5, 5, 10, 10, "roi/other", "delta-qp", -6, -1}, NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (Bench) bench;

    bench_init (&bench, "I420", WIDTH, HEIGHT, "quality", 40, NULL);
    for (guint n = 0; n < 2; n++) {
      g_autoptr (GstBuffer) out;

      gst_harness_push (bench.h, new_frame (&bench.info, n, &bad[i].region, 1));
      out = bench_pull (&bench);
      check_frame (&bench.info, "I420", BDCT_JPEG_8X8, 40, &bad[i].region, 1,
          n, out);
      if (n == 0 && bad[i].warning != NULL)
        assert_warned (&bench, bad[i].warning);
    }
  }
}

/* A matrix leaves no quality to choose. */
static void
test_matrix (void)
{
  static const Region region = { 5, 5, 50, 50, "roi/blockdct", "quality", 90,
    -1
  };
  GstBuffer *with, *without;
  gint steps[64];
  g_auto (Bench) bench;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    steps[i] = 40;
  bench_init (&bench, "I420", WIDTH, HEIGHT, NULL);
  set_matrix (bench.element, steps, G_N_ELEMENTS (steps));
  bench_push (&bench, 0);
  without = bench_pull (&bench);
  gst_harness_push (bench.h, new_frame (&bench.info, 0, &region, 1));
  with = bench_pull (&bench);
  assert_warned (&bench, "quantization-tables=matrix");
  g_assert_true (frames_equal (&bench.info, with, without));
  g_assert_false (gst_structure_has_field (buffer_report (with), "regions"));
  gst_buffer_unref (with);
  gst_buffer_unref (without);
}

/* With more settings than sets, the later ones take the nearest: said once. */
static void
test_many (void)
{
  Region regions[12];
  GstBuffer *out;
  g_auto (Bench) bench;

  for (guint i = 0; i < G_N_ELEMENTS (regions); i++) {
    gint quality = i < 7 ? 30 + 10 * (gint) i : 23 + 11 * ((gint) i - 7);

    regions[i] = (Region) {
    11 * i, 3 * i, 16, 40, "roi/blockdct", "quality", quality, quality};
  }
  /* 23 is nearest to the frame's own 20, 34 to 30, and so on. */
  regions[7].setting = 20;
  regions[8].setting = 30;
  regions[9].setting = 50;      /* 46 */
  regions[9].value = 46;
  regions[10].setting = 60;     /* 56 */
  regions[11].setting = 70;     /* 67 */
  bench_init (&bench, "I420", WIDTH, HEIGHT, "quality", 20, NULL);
  for (guint n = 0; n < 2; n++) {
    gst_harness_push (bench.h, new_frame (&bench.info, n, regions,
            G_N_ELEMENTS (regions)));
    out = bench_pull (&bench);
    check_frame (&bench.info, "I420", BDCT_JPEG_8X8, 20, regions,
        G_N_ELEMENTS (regions), n, out);
    gst_buffer_unref (out);
    if (n == 0)
      assert_warned (&bench, "20 is used in place of 23");
  }
}

/* Our own structure comes before an encoder's; of its fields that one counts
 * which the transform has a use for. */
static void
test_both (void)
{
  for (guint t = 0; t < 2; t++) {
    BdctTransform transform = t ? BDCT_HEVC_8X8 : BDCT_JPEG_8X8;
    Region r = { 30, 20, 50, 40, "roi/x264enc", "delta-qp", 11, t ? 18 : 77 };
    GstVideoRegionOfInterestMeta *meta;
    gpointer state = NULL;
    GstBuffer *buffer;
    g_auto (Bench) bench;

    bench_init (&bench, "NV12", WIDTH, HEIGHT, "transform", transform,
        setting_name (transform), 25, NULL);
    if (has_qp (transform))
      g_object_set (bench.element, "deadzone", 0.2, NULL);
    buffer = new_frame (&bench.info, 2, &r, 1);
    meta = (gpointer) gst_buffer_iterate_meta_filtered (buffer, &state,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    gst_video_region_of_interest_meta_add_param (meta,
        gst_structure_new ("roi/blockdct", "delta-qp", G_TYPE_INT, -7,
            "quality", G_TYPE_INT, 77, NULL));
    gst_harness_push (bench.h, buffer);
    buffer = bench_pull (&bench);
    check_frame (&bench.info, "NV12", transform, 25, &r, 1, 2, buffer);
    gst_buffer_unref (buffer);
  }
}

/* A delta's quality, over all of them, and back to where it came from. */
static void
test_deltas (void)
{
  static const gint qualities[] = { 1, 17, 49, 50, 75, 99, 100 };
  static const Region region = { 0, 0, 1, 1, "roi/blockdct", "delta-qp", 0, 0 };

  g_assert_cmpint (scaled_quality (50, 6), ==, 25);
  g_assert_cmpint (scaled_quality (50, -6), ==, 75);
  g_assert_cmpint (scaled_quality (100, 6), ==, 99);
  for (guint i = 0; i < G_N_ELEMENTS (qualities); i++)
    for (gint delta = -30; delta <= 30; delta += 15) {
      gint quality = qualities[i];
      Region r = region;
      g_autoptr (GstBuffer) out;
      g_auto (Bench) bench;

      r.value = delta;
      r.setting = scaled_quality (quality, delta);
      bench_init (&bench, "GRAY8", WIDTH, HEIGHT, "quality", quality, NULL);
      gst_harness_push (bench.h, new_frame (&bench.info, 1, &r, 1));
      out = bench_pull (&bench);
      check_frame (&bench.info, "GRAY8", BDCT_JPEG_8X8, quality, &r, 1, 1, out);
    }
}

/* A target chooses the setting beside the regions, as if there were none; it is
 * met if the frame that came of it keeps it. */
static void
test_target (void)
{
  static const struct
  {
    const gchar *property;
    gint delta;
  } cases[] = {
    {"target-psnr", -18}, {"target-psnr", 18}, {"target-size", -18},
    {"target-size", 18}, {"target-bpp", -18}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint t = 0; t < 2; t++) {
      BdctTransform transform = t ? BDCT_HEVC_8X8 : BDCT_JPEG_8X8;
      Region r = { 20, 10, 90, 80, "roi/blockdct", "delta-qp", cases[i].delta,
        0
      };
      gboolean finer = cases[i].delta < 0;
      gboolean psnr = strcmp (cases[i].property, "target-psnr") == 0;
      const GstStructure *s;
      GstBuffer *out;
      gint base;
      g_auto (Bench) bench;

      bench_init (&bench, "I420", WIDTH, HEIGHT, "transform", transform, NULL);
      if (has_qp (transform))
        g_object_set (bench.element, "deadzone", 0.2, NULL);
      element_set (bench.element, cases[i].property, psnr ? "31"
          : strcmp (cases[i].property, "target-bpp") ? "6000" : "3");
      bench_push (&bench, 3);
      out = bench_pull (&bench);
      s = buffer_report (out);
      base = get_int (s, setting_name (transform));
      g_assert_true (get_boolean (s, "target-met"));
      gst_buffer_unref (out);
      r.setting = t ? CLAMP (base + r.value, 0, 51)
          : scaled_quality (base, r.value);
      g_assert_cmpint (r.setting, !=, base);
      gst_harness_push (bench.h, new_frame (&bench.info, 3, &r, 1));
      out = bench_pull (&bench);
      check_frame (&bench.info, "I420", transform, base, &r, 1, 3, out);
      s = buffer_report (out);
      g_assert_cmpint (get_boolean (s, "target-met"), ==, psnr == finer);
      if (psnr)
        g_assert_cmpint (get_double (s, "psnr") >= 31, ==, finer);
      g_assert_false (gst_structure_has_field (s, "bpp"));
      gst_buffer_unref (out);
    }
}

/* The map: the frame's own setting is in the middle of the scale, finer blocks
 * are lighter, coarser ones darker. */
static void
test_shown (void)
{
  static const Region regions[] = {
    {0, 0, 8, 8, "roi/blockdct", "delta-qp", -24, 50 - 24},
    {8, 0, 8, 8, "roi/blockdct", "delta-qp", -6, 0},
    {24, 0, 8, 8, "roi/blockdct", "delta-qp", 6, 0},
  };
  g_autoptr (GstBuffer) out;
  gint width, height, *samples;
  g_auto (Bench) bench;

  bench_init (&bench, "GRAY8", 40, 16, "transform", BDCT_HEVC_8X8, "qp", 30,
      NULL);
  element_set (bench.element, "view", "quality-map");
  gst_harness_push (bench.h, new_frame (&bench.info, 0, regions,
          G_N_ELEMENTS (regions)));
  out = bench_pull (&bench);
  samples = frame_samples (&bench.info, out, BDCT_Y, &width, &height);
  for (gint y = 0; y < 8; y++)
    for (gint x = 0; x < 40; x++)
      g_assert_cmpint (samples[y * width + x], ==, samples[x / 8 * 8]);
  g_assert_cmpint (samples[0], >, samples[8]);
  g_assert_cmpint (samples[8], >, samples[16]);
  g_assert_cmpint (samples[16], >, samples[24]);
  g_assert_cmpint (samples[16], ==, samples[32]);
  g_assert_cmpint (samples[16], ==, samples[8 * width]);
  g_free (samples);
  gst_structure_free (bench_pop_report (&bench, "frame"));
}

int
main (int argc, char **argv)
{
  test_init (&argc, &argv);
  test_add ("/regions/pictures", test_pictures);
  test_add ("/regions/without-effect", test_without_effect);
  test_add ("/regions/matrix", test_matrix);
  test_add ("/regions/many", test_many);
  test_add ("/regions/both", test_both);
  test_add ("/regions/deltas", test_deltas);
  test_add ("/regions/target", test_target);
  test_add ("/regions/shown", test_shown);
  return test_run ();
}
