/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The views, sample by sample, against what docs/reference/views.md says they
 * are (view-scene.h). */
#include <math.h>
#include <string.h>
#include "expect.h"
#include "program.h"
#include "reference.h"
#include "view-scene.h"

static const BdctParams defaults = BDCT_PARAMS_DEFAULT;

static const double positions[] = { 0, 0.3, 0.5, 1 };

/* What two pictures have, and a frame has not: a frame's view is the same
 * whatever it is, but for the zoom, which is 1. */
static void
vary (Scene * s, guint n)
{
  static const double zooms[] = { 2, 16, 257 / 256.0, 3, 2.5, 8, 1855 / 256.0 };
  static guint n_zoomed;
  const gboolean zooms_in = s->two && n / 2 % 2;
  BdctView *view = &s->view;

  view->second = n / 4 % 2;
  view->position = positions[n / 2 % 4];
  view->zoom = zooms_in ? zooms[n_zoomed++ % G_N_ELEMENTS (zooms)] : 1;
  view->zoom_x = positions[(n + n_zoomed / 3) % 4];
  view->zoom_y = positions[n_zoomed / 5 % 4];
  view->gain = 1.3 * (1 + n % 3);
}

/* Draw it, where nothing is yet, and judge that. */
static gboolean
check_view (const Scene * s, BdctEngine * engine, gboolean swaps,
    const Frame * src, const Frame * right, BdctStats * stats)
{
  gboolean ok;
  Frame dst;

  frame_init (&dst, &s->layout, s->c->stride);
  if (s->two)
    view_run_two (engine, s, 0, swaps, src, right, &dst, stats);
  else
    view_run (engine, s, &s->view, 0, src, &dst, stats);
  ok = view_check (s, engine, &dst);
  frame_clear (&dst);
  return ok;
}

/* All views of a frame, with the grid and without. */
static gboolean
check_frame (Scene * s, BdctEngine * engine, guint n, const Frame * src,
    const BdctStats * expected)
{
  int measured = -1;
  BdctStats stats;

  for (guint i = 0; i < 2 * BDCT_N_VIEWS; i++) {
    s->view.mode = i / 2;
    if (!bdct_view_is_of_frame (s->view.mode) || !case_due (i + n))
      continue;
    s->view.grid = i % 2;
    vary (s, i + n);
    if (s->view.mode == BDCT_VIEW_QUALITY_MAP && s->c->width % 2)
      view_scene_divide (s);
    if (bdct_view_is_map (&s->view) && measured != (int) s->view.mode) {
      measured = s->view.mode;  /* the other one has the same */
      view_measure (s);
    }
    if (!check_view (s, engine, FALSE, src, NULL, &stats))
      return FALSE;
    /* Whatever is shown. */
    g_assert_cmpmem (&stats, sizeof stats, expected, sizeof stats);
  }
  return TRUE;
}

/* All views of two pictures, either of which may be the reference, at 1:1 and
 * enlarged. */
static gboolean
check_two (Scene * s, BdctEngine * engine, guint n, const Frame * src,
    const BdctStats * expected)
{
  gboolean ok = TRUE;
  int measured = -1;
  BdctStats stats;
  Frame right;

  s->two = TRUE;
  s->view.grid = false;
  frame_init (&right, &s->layout, (s->c->stride + 1) % N_STRIDES);
  frame_put (&right, &s->layout, &s->rec, TRUE);
  for (guint i = 0; i < 4 * BDCT_N_VIEWS && ok; i++) {
    s->view.mode = i / 4;
    if (!bdct_view_is_of_two (s->view.mode) || !case_due (i + n))
      continue;
    vary (s, i + n);
    if (bdct_view_is_map (&s->view) && measured != (int) s->view.mode) {
      measured = s->view.mode;
      view_measure (s);
    }
    ok = check_view (s, engine, i % 2, src, &right, &stats);
    for (int k = 0; k < BDCT_MAX_COMPONENTS; k++) {
      g_assert_cmpuint (stats.component[k].samples, ==,
          expected->component[k].samples);
      g_assert_cmpuint (stats.component[k].sse, ==,
          expected->component[k].sse);
    }
  }
  frame_clear (&right);
  s->two = FALSE;
  return ok;
}

static gboolean
check_case (const Case * c)
{
  gboolean ok = TRUE;
  Frame src;
  Scene s;

  view_scene_init (&s, c);
  frame_init (&src, &s.layout, c->stride);
  frame_put (&src, &s.layout, &s.source, TRUE);
  for (guint e = 0; e < n_engines && ok; e++) {
    BdctStats stats;

    view_reconstruct (engines[e], &s, &src, &stats);
    ok = check_frame (&s, engines[e], e + c->width, &src, &stats)
        && check_two (&s, engines[e], e + c->width, &src, &stats);
  }
  frame_clear (&src);
  view_scene_clear (&s);
  return ok;
}

/* Every format, depth, packing, size and stride in every view. */
static void
test_views (gconstpointer data)
{
  static const struct
  {
    int depth, shift;
  } depths[] = { {8, 0}, {10, 6}, {12, 0}, {9, 0}, {12, 4}, {10, 0} };
  static const struct
  {
    int width, height;
  } sizes[] = { {1, 1}, {2, 3}, {5, 4}, {33, 65}, {70, 31}, {131, 97},
    {2561, 3}
  };
  Case c = { .params = defaults };
  guint n = 0;

  c.params.transform = GPOINTER_TO_INT (data);
  c.params.quality = 60;
  c.params.qp = 30;
  for (c.format = 0; c.format < N_FORMATS; c.format++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      c.depth = depths[n % G_N_ELEMENTS (depths)].depth;
      c.shift = depths[n % G_N_ELEMENTS (depths)].shift;
      c.width = sizes[i].width;
      c.height = sizes[i].height;
      c.stride = n % N_STRIDES;
      c.content = n % 5 == 4 ? CONTENT_EXTREME : CONTENT_SMOOTH;
      /* Every depth in every format over the transforms. */
      n += 1 + (i == 0);
      if (case_due (n + c.params.transform) && !check_case (&c))
        return;
    }
}

/* The levels of dct-8x8 are compared where no tie is near; a ramp of whole
 * multiples of the steps has none. */
static void
test_dct8x8 (gconstpointer data)
{
  Case c = {.params = defaults, .format = FORMAT_GRAY, .depth = 8,
    .width = 64, .height = 40, .content = CONTENT_CHECKER
  };

  (void) data;
  c.params.transform = BDCT_DCT_8X8;
  g_assert_true (check_case (&c));
}

/* The legend: its colours from the bottom up, in the order of the scale. */
static void
check_legend (const Scene * s, const Frame * dst)
{
  BdctLegend legend;
  guint seen = 0;
  Picture got;

  picture_init (&got, &s->layout);
  frame_get (dst, &s->layout, &got);
  bdct_view_legend (&s->view, &s->layout, &legend);
  g_assert_cmpint (legend.n_marks, >=, 5);
  g_assert_cmpint (legend.mark[0].y, !=, legend.mark[1].y);
  for (int i = 0; i < BDCT_VIEW_COLOURS; i++) {
    int y = legend.y + (legend.height * (63 - i) + 63) / 64;
    int x = legend.x + legend.width - 1;

    for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
      g_assert_cmpint (picture_at (&got, k, x, y), ==, s->view.colour[i][k]);
  }
  for (int i = 0; i < legend.n_marks; i++)
    seen += picture_at (&got, 0, legend.x, legend.mark[i].y) == 0;
  g_assert_cmpint (seen, ==, legend.n_marks);
  g_assert_cmpint (picture_at (&got, 0, legend.x - 1, legend.y), ==, 0);
  picture_clear (&got);
}

/* Of each map; that of two pictures is as large when they are enlarged. */
static void
test_legend (void)
{
  Case c = {.params = defaults, .format = FORMAT_Y444, .depth = 8,
    .width = 200, .height = 160, .content = CONTENT_SMOOTH
  };
  Scene s;
  Frame src, dst;
  BdctStats stats;

  view_scene_init (&s, &c);
  frame_init (&src, &s.layout, STRIDE_TIGHT);
  frame_init (&dst, &s.layout, STRIDE_TIGHT);
  frame_put (&src, &s.layout, &s.source, FALSE);
  for (s.view.mode = BDCT_VIEW_ERROR_MAP; s.view.mode < BDCT_N_VIEWS;
      s.view.mode++) {
    s.view.zoom = 1;
    if (bdct_view_is_of_frame (s.view.mode)) {
      view_run (engines[0], &s, &s.view, 0, &src, &dst, &stats);
      check_legend (&s, &dst);
    }
    for (; bdct_view_is_of_two (s.view.mode) && s.view.zoom < 4;
        s.view.zoom *= 3) {
      view_run_two (engines[0], &s, 0, FALSE, &src, &src, &dst, &stats);
      check_legend (&s, &dst);
    }
  }
  frame_clear (&src);
  frame_clear (&dst);
  view_scene_clear (&s);
}

/* Of 8 x 8 samples there is one window, and one block: their colours are those
 * of the figures that the metrics have, which have references of their own. */
static void
test_metrics (void)
{
  static const BdctMetric metrics[] = { BDCT_METRIC_SSIM,
    BDCT_METRIC_PSNR_HVS
  };

  for (guint i = 0; i < 400; i++) {
    BdctEngine *engine = engines[i % n_engines];
    Case c = {.params = defaults,.format = FORMAT_Y444,
      .depth = i % 3 ? 8 : 12,.width = 8,.height = 8,
      .content = i % 2 ? CONTENT_RANDOM : CONTENT_SMOOTH
    };
    const BdctMetric metric = metrics[i / 2 % 2];
    double figure, value;
    BdctStats stats;
    Frame src, rec, dst;
    Picture got;
    Scene s;

    if (!case_due (i))
      continue;
    c.params.quality = 1 + i * 7 % 100;
    view_scene_init (&s, &c);
    s.view.mode = metric == BDCT_METRIC_SSIM ? BDCT_VIEW_SSIM_MAP
        : BDCT_VIEW_HVS_MAP;
    g_assert_cmpint (bdct_view_metric (s.view.mode), ==, metric);
    frame_init (&src, &s.layout, STRIDE_TIGHT);
    frame_init (&rec, &s.layout, STRIDE_TIGHT);
    frame_init (&dst, &s.layout, STRIDE_TIGHT);
    frame_put (&src, &s.layout, &s.source, FALSE);
    picture_init (&got, &s.layout);
    view_reconstruct (engine, &s, &src, &stats);
    frame_put (&rec, &s.layout, &s.rec, FALSE);
    view_run_two (engine, &s, 1 << metric, FALSE, &src, &rec, &dst, &stats);
    frame_get (&dst, &s.layout, &got);
    g_assert_true (bdct_metric_figure (&stats, 1, c.depth, metric, BDCT_Y,
            &figure));
    value = metric == BDCT_METRIC_SSIM ? 1 - figure
        : pow ((1 << c.depth) - 1, 2) / pow (10, figure / 10);
    for (int k = 0; k < BDCT_MAX_COMPONENTS; k++)
      g_assert_true (view_is_colour (&s, k, value - 2.0 / 4096, value,
              picture_at (&got, k, i % 8, i / 8 % 8)));
    picture_clear (&got);
    frame_clear (&src);
    frame_clear (&rec);
    frame_clear (&dst);
    view_scene_clear (&s);
  }
}

/* A frame of a quadtree: what its blocks' sizes are, is asked for. */
static void
run_tree (BdctEngine * engine, const Scene * s, const BdctJob * job,
    const Frame * src, const Frame * dst, guint8 * sizes)
{
  const BdctFrame frame = {.quantizers = job,.n_quantizers = 1,.src =
        src->image,
    .dst = dst->image,.sizes = sizes,.view = &s->view
  };

  engine_run (engine, &s->layout, &frame, NULL);
}

/* Luma's sample (x, y) in a block whose side is 2^n. */
static int
expect_of_tree (const Scene * s, const Picture * picture, int x, int y, int n)
{
  const int middle = 1 << (s->c->depth - 1), mask = (1 << n) - 1;
  int v = picture_at (picture, 0, x, y);

  if (s->view.mode == BDCT_VIEW_SIZE_MAP)
    v = s->view.colour[(int) lround ((n - 2) / 4.0 * 63)][0];
  return !s->view.grid || ((x & mask) != 0 && (y & mask) != 0) ? v
      : v >= middle ? v - middle / 2 : v + middle / 2;
}

/* The views that show where the blocks of a quadtree are, whoever else asks for
 * their sizes. */
static void
test_tree (void)
{
  static const BdctViewMode modes[] = { BDCT_VIEW_RECONSTRUCTION,
    BDCT_VIEW_ORIGINAL, BDCT_VIEW_SIZE_MAP
  };

  for (guint i = 0; i < 12 * n_engines; i++) {
    Case c = {.params = defaults,.format = i % N_FORMATS,
      .depth = i % 3 ? 8 : 10,.width = 60 + i % 37,.height = 95 - i % 41,
      .content = i % 5 ? CONTENT_SMOOTH : CONTENT_RANDOM
    };
    BdctEngine *engine = engines[i / 12];
    BdctBlockGrid grid[BDCT_MAX_COMPONENTS];
    guint8 *sizes;
    Frame src, dst;
    Picture got;
    BdctJob job;
    Scene s;

    if (!case_due (i))
      continue;
    view_scene_init (&s, &c);
    c.params.transform = BDCT_HEVC_QUADTREE;
    c.params.qp = 20 + i % 20;
    c.params.min_block = i % 4 ? 4 : 8;
    g_assert_true (bdct_job_init (&job, &c.params, &s.layout, NULL));
    bdct_blocks_init (grid, &s.layout, &job);
    sizes = g_new0 (guint8, grid[0].columns * grid[0].rows);
    frame_init (&src, &s.layout, STRIDE_ODD);
    frame_init (&dst, &s.layout, STRIDE_TIGHT);
    frame_put (&src, &s.layout, &s.source, FALSE);
    picture_init (&got, &s.layout);
    run_tree (engine, &s, &job, &src, &dst, sizes);
    frame_get (&dst, &s.layout, &s.rec);
    for (guint m = 0; m < 2 * G_N_ELEMENTS (modes); m++) {
      const Picture *picture = m / 2 == 1 ? &s.source : &s.rec;

      s.view.mode = modes[m / 2];
      s.view.grid = m % 2;
      run_tree (engine, &s, &job, &src, &dst, i % 2 ? sizes : NULL);
      frame_get (&dst, &s.layout, &got);
      for (int y = 0; y < c.height; y++)
        for (int x = 0; x < c.width; x++) {
          const int n = sizes[(y >> job.tree.min_log2) * grid[0].columns
              + (x >> job.tree.min_log2)];

          EXPECT (picture_at (&got, 0, x, y),
              expect_of_tree (&s, picture, x, y, n), "%s: %s, grid %u, %d x %d "
              "at (%d, %d), of %d", engine->description,
              bdct_view_info (s.view.mode)->name, m % 2, c.width, c.height, x,
              y, 1 << n);
        }
    }
    g_free (sizes);
    frame_clear (&src);
    frame_clear (&dst);
    picture_clear (&got);
    view_scene_clear (&s);
  }
}

/* What people see: lightness rises from colour to colour. */
static void
test_colours (void)
{
  for (int depth = 8; depth <= 12; depth++) {
    BdctView view = BDCT_VIEW_DEFAULT;

    bdct_view_colours (&view, depth, 0.299, 0.114, depth % 2);
    for (int i = 1; i < BDCT_VIEW_COLOURS; i++)
      g_assert_cmpint (view.colour[i][0], >, view.colour[i - 1][0]);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < BDCT_VIEW_COLOURS; i++)
        g_assert_cmpint (view.colour[i][k], <, 1 << depth);
  }
  g_assert_null (bdct_view_info (BDCT_N_VIEWS));
}

int
main (int argc, char **argv)
{
  tests_init (&argc, &argv);
  for (int t = 0; t < BDCT_N_FIXED; t++) {
    const char *name = bdct_transform_info (t)->name;

    tests_add (t == BDCT_DCT_8X8 ? test_dct8x8 : test_views, t, "/view/all/%s",
        name);
  }
  g_test_add_func ("/view/legend", test_legend);
  g_test_add_func ("/view/metrics", test_metrics);
  g_test_add_func ("/view/tree", test_tree);
  g_test_add_func ("/view/colours", test_colours);
  return tests_run ("views");
}
