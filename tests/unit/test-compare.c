/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons of given pictures (dct/engine/compare.h) on every engine of
 * frame.h: R, G and B against libjpeg's definition of their planes; and what is
 * refused. What a view shows is in test-view.c; errors, figures and pictures in
 * other layouts are laws of the differential's. */
#include <math.h>
#include <string.h>
#include "dct/picture/render.h"
#include "expect.h"
#include "program.h"
#include "reference-colour.h"
#include "rgb-formats.h"

#define MAX_PICTURES (1 + BDCT_MAX_DISTORTED)

static const struct
{
  int width, height;
} sizes[] = { {1, 1}, {2, 3}, {5, 4}, {33, 65}, {70, 31}, {131, 97},
  {2561, 3}, {64, 130}
};

/* A reference, in front, and what is compared with it. */
typedef struct {
  BdctLayout layout;            /* the engine's */
  BdctLayout own[MAX_PICTURES]; /* the pictures' */
  Frame frame[MAX_PICTURES], dst;
  BdctView view;
  BdctComparison comparison;
} Scene;

static void
scene_init (Scene * s, const BdctLayout * layout, int n, Stride stride)
{
  *s = (Scene) {.layout = *layout,.view = BDCT_VIEW_DEFAULT };
  s->comparison = (BdctComparison) {
    .n_distorted = n,
    .errors = true,
    .frame_rate = 25,
    .left = -1,
  };
  bdct_view_colours (&s->view, layout->depth, 0.2126, 0.0722, false);
  frame_init (&s->dst, layout, stride);
  s->comparison.dst = s->dst.image;
}

/* Have picture `i`, -1 is the reference, in a layout and memory of its own. */
static void
scene_add (Scene * s, int i, const BdctLayout * layout, Stride stride)
{
  BdctPicture *picture = i < 0 ? &s->comparison.reference
      : &s->comparison.distorted[i];

  s->own[1 + i] = *layout;
  frame_init (&s->frame[1 + i], layout, stride);
  *picture = (BdctPicture) { s->frame[1 + i].image, &s->own[1 + i] };
}

static void
scene_clear (Scene * s)
{
  for (int i = 0; i < MAX_PICTURES; i++)
    frame_clear (&s->frame[i]);
  frame_clear (&s->dst);
}

/* The same pictures for another engine or view: nothing is drawn yet. */
static void
scene_wipe (Scene * s)
{
  for (int p = 0; p < bdct_image_planes (&s->layout); p++)
    memset (s->dst.memory[p], 0xa5, s->dst.size[p]);
}

/* All bytes of the pictures, and beside them. */
static guint32
scene_hash (const Scene * s)
{
  guint32 hash = 0;

  for (int i = 0; i <= s->comparison.n_distorted; i++)
    for (int p = 0; p < bdct_image_planes (&s->own[i]); p++)
      for (gsize x = 0; x < s->frame[i].size[p]; x++)
        hash = hash * 31 + s->frame[i].memory[p][x];
  return hash;
}

/* Have an engine compare; the pictures are only read. */
static void
scene_run (BdctEngine * engine, const Scene * s, BdctStats * stats)
{
  const guint32 hash = scene_hash (s);

  engine_compare (engine, &s->layout, &s->comparison, stats);
  if (scene_hash (s) != hash)
    g_error ("%s has written to what it compares", engine->description);
}

/* Bytes of noise: words above the peak, too. */
static void
scribble (const Frame * frame, const BdctLayout * layout, GRand * rand)
{
  for (int p = 0; p < bdct_image_planes (layout); p++)
    for (int y = 0; y < bdct_image_height (layout, p); y++)
      for (gsize x = 0; x < bdct_image_row_size (layout, p); x++)
        ((guint8 *) frame->image.data[p])[y * frame->image.stride[p] + x] =
            g_rand_int (rand);
}

static const BdctViewMode modes[] = { BDCT_VIEW_WIPE, BDCT_VIEW_SIDE_BY_SIDE,
  BDCT_VIEW_STACKED, BDCT_VIEW_FLICKER, BDCT_VIEW_DIFFERENCE,
  BDCT_VIEW_ERROR_MAP, BDCT_VIEW_SSIM_MAP, BDCT_VIEW_HVS_MAP
};

/* The n-th way to look at two pictures. */
static void
vary (BdctView * view, guint n)
{
  static const double positions[] = { 0, 0.3, 0.5, 1 };
  static const double zooms[] = { 1, 2, 1, 2.5, 1, 16, 1, 257 / 256.0 };

  view->mode = modes[n % G_N_ELEMENTS (modes)];
  view->second = n / 8 % 2;
  view->position = positions[n / 3 % 4];
  view->gain = 1.3 * (1 + n % 3);
  view->zoom = zooms[n / 8 % G_N_ELEMENTS (zooms)];
  view->zoom_x = positions[n / 5 % 4];
  view->zoom_y = positions[n / 7 % 4];
}

static int
pixel_at (const Scene * s, int picture, int x, int y, int k)
{
  return *ref_colour_byte (&s->layout, picture < 0 ? &s->dst.image
      : &s->frame[picture].image, x, y, k);
}

/* What has to be counted of a picture of R, G and B: of these, and of their
 * planes. */
static void
define_rgb (const Scene * s, int i, BdctStats * stats)
{
  Picture a, b;

  memset (stats, 0, sizeof *stats);
  for (int k = 0; k < 3; k++) {
    stats->rgb[k].samples = (guint64) s->layout.plane[0].width
        * s->layout.plane[0].height;
    for (int y = 0; y < s->layout.plane[0].height; y++)
      for (int x = 0; x < s->layout.plane[0].width; x++) {
        const int e = pixel_at (s, 0, x, y, k) - pixel_at (s, i, x, y, k);

        stats->rgb[k].sse += e * e;
      }
  }
  ref_colour_split (&s->layout, &s->frame[0].image, &a);
  ref_colour_split (&s->layout, &s->frame[i].image, &b);
  for (int c = 0; c < 3; c++) {
    stats->component[c].samples = (guint64) a.width[c] * a.height[c];
    for (int n = 0; n < a.width[c] * a.height[c]; n++) {
      const int e = a.sample[c][n] - b.sample[c][n];

      stats->component[c].sse += e * e;
    }
  }
  picture_clear (&a);
  picture_clear (&b);
}

/* Whether a column of the view is the wipe's line: zoom does not widen it. */
static gboolean
on_line (const Scene * s, int x)
{
  const int width = s->layout.plane[0].width;
  const int line = round (s->view.position * width);

  return s->view.mode == BDCT_VIEW_WIPE && line > 0 && line < width
      && x >= line && x <= line + width / 1280;
}

static void
expect_pixel (const Scene * s, const BdctEngine * engine, int x, int y, int n,
    const int v[4])
{
  for (int k = 0; k < n; k++)
    EXPECT (pixel_at (s, -1, x, y, k), v[k],
        "%s: %s, zoom %g, channel %d at (%d, %d)", engine->description,
        bdct_view_info (s->view.mode)->name, s->view.zoom, k, x, y);
}

/* A view that copies pixels has the pictures' own bytes, and white where the
 * wipe's line is. */
static void
check_rgb_copies (const Scene * s, const BdctEngine * engine)
{
  static const int white[4] = { 255, 255, 255, 255 };
  const BdctLayout *layout = &s->layout;
  const int left = 1 + s->comparison.left, right = 1 + s->comparison.right;
  const int n = layout->rgb.bytes == 4 ? 4 : 3;

  for (int y = 0; y < layout->plane[0].height; y++)
    for (int x = 0; x < layout->plane[0].width; x++) {
      int from_x = x, from_y = y, of, v[4];
      bool second;

      bdct_view_source (&s->view, layout, &from_x, &from_y, &second);
      of = s->view.mode == BDCT_VIEW_FLICKER ? s->view.second : second;
      of = of ? right : left;
      for (int k = 0; k < n; k++)
        v[k] = pixel_at (s, of, from_x, from_y, k);
      expect_pixel (s, engine, x, y, n, on_line (s, x) ? white : v);
    }
}

/* A view that is computed has the pixels of the same view of planes, which
 * test-view.c judges. Where it is enlarged, that is done with
 * the pixels at 1:1, and the legend lies on top, which is not looked at. A
 * pixel's fourth byte is the right picture's. */
static void
check_rgb_computed (const Scene * s, BdctEngine * engine)
{
  const BdctLayout *layout = &s->layout;
  const int of[2] = { s->comparison.left, s->comparison.right };
  const int n = layout->rgb.bytes == 4 ? 4 : 3;
  BdctLayout planes = *layout;
  BdctLegend legend;
  BdctStats stats;
  Picture picture;
  Scene p;

  bdct_view_legend (&s->view, layout, &legend);
  planes.rgb = (BdctRgb) { 0 };
  scene_init (&p, &planes, 1, STRIDE_TIGHT);
  p.view = s->view;
  p.view.zoom = 1;
  p.view.bare = s->view.zoom > 1;
  p.comparison.view = &p.view;
  p.comparison.errors = false;
  for (int i = 0; i < 2; i++) {
    scene_add (&p, i - 1, &planes, STRIDE_TIGHT);
    ref_colour_split (layout, &s->frame[1 + of[i]].image, &picture);
    frame_put (&p.frame[i], &planes, &picture, FALSE);
    picture_clear (&picture);
  }
  scene_run (engine, &p, &stats);
  picture_init (&picture, &planes);
  frame_get (&p.dst, &planes, &picture);
  for (int y = 0; y < layout->plane[0].height; y++)
    for (int x = 0; x < layout->plane[0].width; x++) {
      int from_x = x, from_y = y, v[4];

      if (s->view.zoom > 1 && legend.width > 0 && x >= legend.x - 2
          && y >= legend.y - 2 && x < legend.x + legend.width + 2
          && y < legend.y + legend.height + 2)
        continue;
      bdct_view_source (&s->view, layout, &from_x, &from_y, NULL);
      ref_colour_join (&planes, &picture, from_x, from_y, v);
      v[3] = n > 3 ? pixel_at (s, 1 + of[1], from_x, from_y, 3) : 0;
      expect_pixel (s, engine, x, y, n, v);
    }
  picture_clear (&picture);
  scene_clear (&p);
}

static void
test_rgb (void)
{
  GRand *rand = g_rand_new_with_seed (31);
  guint n = 0;

  for (guint f = 0; f < G_N_ELEMENTS (rgb_formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint c = 0; c < G_N_ELEMENTS (rgb_samplings); c++, n++) {
        BdctLayout layout;
        Scene s;

        if (!case_due (n) || (i + c + f) % 3)
          continue;
        bdct_layout_init_rgb (&layout, &rgb_formats[f].rgb, sizes[i].width,
            sizes[i].height, rgb_samplings[c].chroma);
        scene_init (&s, &layout, 1 + n % 3, n % N_STRIDES);
        for (int k = -1; k < s.comparison.n_distorted; k++) {
          scene_add (&s, k, &layout, (n + k + 1) % N_STRIDES);
          scribble (&s.frame[1 + k], &layout, rand);
        }
        s.comparison.view = &s.view;
        s.comparison.left = (int) (n / 3) % (s.comparison.n_distorted + 1) - 1;
        for (guint e = 0; e < n_engines; e++)
          for (guint v = 0; v < 2; v++) {
            BdctStats stats[BDCT_MAX_DISTORTED], expected;

            vary (&s.view, n * 3 + n / 4 + v * 8);
            scene_wipe (&s);
            scene_run (engines[e], &s, stats);
            for (int k = 0; k < s.comparison.n_distorted && v == 0; k++) {
              define_rgb (&s, 1 + k, &expected);
              g_assert_cmpmem (&stats[k], sizeof *stats, &expected,
                  sizeof expected);
            }
            if (bdct_render_is_copy (s.view.mode))
              check_rgb_copies (&s, engines[e]);
            if (g_test_failed ())
              return;
          }
        scene_clear (&s);
      }
  g_rand_free (rand);
}

/* The reference with noise that grows from left to right, so that a map of it
 * has all its colours. */
static void
disturb (const Scene * s, int k, GRand * rand)
{
  const BdctPlaneLayout *luma = &s->layout.plane[0];

  for (int y = 0; y < luma->height; y++)
    for (int x = 0; x < luma->width; x++)
      for (int i = 0; i < (s->layout.rgb.bytes == 4 ? 4 : 3); i++) {
        const int most = 96 * x * x / (luma->width * luma->width);

        *ref_colour_byte (&s->layout, &s->frame[1 + k].image, x, y, i) =
            CLAMP (pixel_at (s, 0, x, y, i) + g_rand_int_range (rand, -most,
                most + 1), 0, 255);
      }
}

/* Views of R, G and B that are computed, at 1:1 and enlarged. */
static void
test_rgb_computed (void)
{
  static const int own[][2] = { {131, 97}, {4, 33}, {70, 31} };
  GRand *rand = g_rand_new_with_seed (32);
  guint n = 0;

  for (guint c = 0; c < G_N_ELEMENTS (rgb_samplings); c++)
    for (guint v = 0; v < 64; v++) {
      BdctLayout layout;
      Scene s;

      if (bdct_render_is_copy (modes[v % G_N_ELEMENTS (modes)]))
        continue;
      bdct_layout_init_rgb (&layout,
          &rgb_formats[n % G_N_ELEMENTS (rgb_formats)].rgb, own[n % 3][0],
          own[n % 3][1], rgb_samplings[c].chroma);
      scene_init (&s, &layout, 2, n % N_STRIDES);
      for (int k = -1; k < 2; k++) {
        scene_add (&s, k, &layout, (n + k + 1) % N_STRIDES);
        if (k < 0)
          scribble (&s.frame[0], &layout, rand);
        else
          disturb (&s, k, rand);
      }
      s.comparison.view = &s.view;
      s.comparison.left = (int) (n % 3) - 1;
      s.comparison.right = (int) ((n + 1 + n / 3 % 2) % 3) - 1;
      vary (&s.view, v);
      for (guint e = 0; e < n_engines && !g_test_failed (); e++) {
        BdctStats stats[2];

        if (!case_due (n + e))
          continue;
        scene_wipe (&s);
        scene_run (engines[e], &s, stats);
        check_rgb_computed (&s, engines[e]);
      }
      scene_clear (&s);
      n++;
    }
  g_rand_free (rand);
}

/* Of a comparison that is wrong: what is said of it. */
static void
expect_refused (const Scene * s, const char *message)
{
  for (guint e = 0; e < n_engines; e++) {
    const BdctEngineClass *klass = engines[e]->klass;
    BdctError error = { "" };

    g_assert_true (klass->configure (engines[e], &s->layout, 1, &error));
    g_assert_false (klass->compare (engines[e], &s->comparison, &error));
    if (strstr (error.message, message) == NULL)
      g_error ("%s: '%s' is not in '%s'", engines[e]->description, message,
          error.message);
    /* Nothing has started. */
    g_assert_false (klass->collect (engines[e], NULL, &error));
  }
}

static void
test_refused (void)
{
  BdctLayout layout, other;
  BdctComparison right;
  Scene s;

  format_layout (FORMAT_NV12, 8, 0, 64, 48, &layout);
  scene_init (&s, &layout, 2, STRIDE_TIGHT);
  for (int k = -1; k < 2; k++)
    scene_add (&s, k, &layout, STRIDE_TIGHT);
  right = s.comparison;

  s.comparison.n_distorted = 0;
  expect_refused (&s, "0 distorted pictures are outside 1 to 3");
  s.comparison.n_distorted = 4;
  expect_refused (&s, "4 distorted pictures are outside 1 to 3");
  s.comparison = right;

  s.comparison.distorted[1].layout = &other;
  format_layout (FORMAT_NV12, 8, 0, 62, 48, &other);
  expect_refused (&s, "Y of distorted picture 1 is 62 x 48, but 64 x 48 in "
      "the engine's layout");
  format_layout (FORMAT_NV12, 8, 0, 64, 48, &other);
  other.plane[1].height = 23;
  expect_refused (&s, "U of distorted picture 1 is 32 x 23, but 32 x 24 in "
      "the engine's layout");
  format_layout (FORMAT_I420, 10, 0, 64, 48, &other);
  expect_refused (&s, "distorted picture 1 has a depth of 10, but the "
      "engine's layout has 8");
  format_layout (FORMAT_Y42B, 8, 0, 64, 48, &other);
  expect_refused (&s, "distorted picture 1 is 4:2:2, but the engine's "
      "layout is 4:2:0");
  format_layout (FORMAT_I420, 8, 0, 64, 48, &other);
  other.n_planes = 2;
  expect_refused (&s, "no plane of distorted picture 1 has V");
  bdct_layout_init_rgb (&other, &rgb_formats[0].rgb, 64, 48, BDCT_CHROMA_420);
  expect_refused (&s, "distorted picture 1 has R, G and B, but the engine's "
      "layout has Y, U and V");
  s.comparison = right;
  format_layout (FORMAT_GRAY, 8, 0, 64, 48, &other);
  s.comparison.reference.layout = &other;
  expect_refused (&s, "the reference is 4:0:0");
  s.comparison = right;

  s.comparison.metrics = 1 << BDCT_METRIC_MS_SSIM;
  expect_refused (&s, "ms-ssim: a plane of 64 x 48 samples is too small");
  s.comparison = right;

  s.comparison.view = &s.view;
  s.view.mode = BDCT_VIEW_COEFFICIENTS;
  expect_refused (&s, "'coefficients' does not show two pictures");
  s.view.mode = BDCT_VIEW_RECONSTRUCTION;
  expect_refused (&s, "'reconstruction' does not show two pictures");
  s.view.mode = BDCT_VIEW_SIZE_MAP;
  expect_refused (&s, "'size-map' does not show two pictures");
  s.view.mode = 99;
  expect_refused (&s, "does not show two pictures");
  s.view.mode = BDCT_VIEW_WIPE;
  s.view.grid = true;
  expect_refused (&s, "grid");
  s.view.grid = false;
  s.comparison.right = 2;
  expect_refused (&s, "right picture 2 is outside -1 (the reference) to 1");
  s.comparison.right = 0;
  s.comparison.left = -2;
  expect_refused (&s, "left picture -2 is outside -1 (the reference) to 1");
  s.comparison.left = -1;
  s.comparison.dst.data[0] = NULL;
  expect_refused (&s, "a view needs an image");
  s.comparison.dst = right.dst;
  if (!engines_on_cuda ()) {
    s.comparison.distorted[1].image.memory = BDCT_MEMORY_DEVICE;
    expect_refused (&s, "host memory only");
  }
  scene_clear (&s);

  bdct_layout_init_rgb (&layout, &rgb_formats[0].rgb, 64, 48,
      BDCT_CHROMA_420);
  bdct_layout_init_rgb (&other, &rgb_formats[1].rgb, 64, 48, BDCT_CHROMA_420);
  scene_init (&s, &layout, 1, STRIDE_TIGHT);
  scene_add (&s, -1, &layout, STRIDE_TIGHT);
  scene_add (&s, 0, &other, STRIDE_TIGHT);
  expect_refused (&s, "has R, G and B at other bytes of a pixel");
  scene_clear (&s);
}

int
main (int argc, char *argv[])
{
  tests_init (&argc, &argv);
  g_test_add_func ("/compare/rgb", test_rgb);
  g_test_add_func ("/compare/rgb-computed", test_rgb_computed);
  g_test_add_func ("/compare/refused", test_refused);
  return tests_run (NULL);
}
