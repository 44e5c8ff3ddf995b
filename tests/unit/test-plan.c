/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan of a frame. For usual frames, its steps and places are written out
 * by hand. Of random frames, each image is made before it is read. The history
 * is compared with a list of frames. */
#include <string.h>
#include "dct/engine/plan.h"
#include "dct/metrics/metrics.h"
#include "frame.h"

static const BdctPlanRules cpu_rules = { false, false };
static const BdctPlanRules cuda_rules = { true, false };
static const BdctPlanRules kept_rules = { true, true };

static const char *const step_names[] = {
  [BDCT_STEP_RGB_TO_PLANES] = "rgb-to-planes",
  [BDCT_STEP_PACK] = "pack",
  [BDCT_STEP_HISTORY] = "history",
  [BDCT_STEP_ERRORS] = "errors",
  [BDCT_STEP_TRANSFORM] = "transform",
  [BDCT_STEP_BITS] = "bits",
  [BDCT_STEP_METRICS] = "metrics",
  [BDCT_STEP_RECORDS] = "records",
  [BDCT_STEP_MAP] = "map",
  [BDCT_STEP_VIEW] = "view",
  [BDCT_STEP_PLANES_TO_RGB] = "planes-to-rgb",
  [BDCT_STEP_ZOOM] = "zoom",
};

static const char *const place_names[] = {
  [BDCT_PLACE_NONE] = "-",
  [BDCT_PLACE_BEFORE] = "before",
  [BDCT_PLACE_SRC] = "src",
  [BDCT_PLACE_DST] = "dst",
  [BDCT_PLACE_OWN] = "own",
  [BDCT_PLACE_PLANES] = "planes",
  [BDCT_PLACE_RECONSTRUCTION] = "rec",
  [BDCT_PLACE_BASE] = "base",
};

static gchar *
describe_steps (const BdctPlan * plan)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < plan->n_steps; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
        step_names[plan->step[i]]);
  return g_string_free (text, FALSE);
}

/* Of planes, reconstruction, levels, view and base. */
static gchar *
describe_places (const BdctPlan * plan)
{
  static const BdctPlanImage images[] = { BDCT_PLAN_PLANES,
    BDCT_PLAN_RECONSTRUCTION, BDCT_PLAN_LEVELS, BDCT_PLAN_VIEW, BDCT_PLAN_BASE
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (images); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
        place_names[plan->place[images[i]]]);
  return g_string_free (text, FALSE);
}

static void
expect (const BdctPlan * plan, const char *steps, const char *places)
{
  gchar *got = describe_steps (plan);

  g_assert_cmpstr (got, ==, steps);
  g_free (got);
  got = describe_places (plan);
  g_assert_cmpstr (got, ==, places);
  g_free (got);
}

static void
make_rgb (BdctLayout * layout, int width, int height)
{
  const BdctRgb rgb = {.n_planes = 1,.bytes = 4,.offset = {0, 1, 2} };

  bdct_layout_init_rgb (layout, &rgb, width, height, BDCT_CHROMA_420);
}

static BdctJob
make_job (BdctTransform transform, const BdctLayout * layout)
{
  BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctJob job;

  params.transform = transform;
  g_assert_true (bdct_job_init (&job, &params, layout, NULL));
  return job;
}

static guint8 some_memory[8];

#define IMAGE { .data = { some_memory, some_memory, some_memory } }

static void
test_frames (void)
{
  BdctLayout yuv, rgb;
  BdctJob job, tree;
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctFrame frame = {.quantizers = &job,.n_quantizers = 1,.src = IMAGE,
    .dst = IMAGE
  };
  BdctHistory history;
  BdctPlan plan;
  guint8 sizes[1];

  format_layout (FORMAT_NV12, 8, 0, 64, 40, &yuv);
  make_rgb (&rgb, 64, 40);
  job = make_job (BDCT_JPEG_8X8, &yuv);
  tree = make_job (BDCT_HEVC_QUADTREE, &yuv);
  bdct_history_init (&history, 4);

  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform", "src dst - dst -");
  g_assert_false (plan.blocks.records || plan.blocks.sizes);
  bdct_plan_frame (&plan, &rgb, &frame, &cpu_rules, &history);
  expect (&plan, "rgb-to-planes transform planes-to-rgb",
      "own own - rec -");
  g_assert_true (plan.rgb_errors);
  bdct_plan_frame (&plan, &rgb, &frame, &cuda_rules, &history);
  expect (&plan, "rgb-to-planes transform planes-to-rgb",
      "own planes - rec -");
  bdct_plan_frame (&plan, &rgb, &frame, &kept_rules, &history);
  expect (&plan, "rgb-to-planes transform planes-to-rgb",
      "own planes - rec -");
  frame.same_source = true;
  bdct_plan_frame (&plan, &rgb, &frame, &cuda_rules, &history);
  expect (&plan, "rgb-to-planes transform planes-to-rgb",
      "own planes - rec -");
  bdct_plan_frame (&plan, &rgb, &frame, &kept_rules, &history);
  expect (&plan, "transform planes-to-rgb", "before planes - rec -");
  bdct_plan_frame (&plan, &yuv, &frame, &kept_rules, &history);
  expect (&plan, "transform", "src dst - dst -");
  frame.same_source = false;

  frame.metrics = 1 << BDCT_METRIC_SSIM;
  bdct_plan_frame (&plan, &rgb, &frame, &cuda_rules, &history);
  expect (&plan, "rgb-to-planes transform metrics planes-to-rgb",
      "own own - rec -");
  frame.dst = (BdctImage) { 0 };
  bdct_plan_frame (&plan, &yuv, &frame, &cuda_rules, &history);
  expect (&plan, "transform metrics", "src own - - -");
  frame.metrics = 0;
  bdct_plan_frame (&plan, &rgb, &frame, &cuda_rules, &history);
  expect (&plan, "rgb-to-planes transform", "own - - - -");
  frame.dst = frame.src;

  frame.view = &view;
  view.mode = BDCT_VIEW_COEFFICIENTS;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform view", "src - own dst -");
  view.mode = BDCT_VIEW_ERROR_MAP;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform view", "src - - dst -");
  g_assert_true (plan.blocks.records);
  view.mode = BDCT_VIEW_RECONSTRUCTION;
  view.grid = true;
  frame.quantizers = &tree;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform view", "src own - dst -");
  g_assert_true (plan.blocks.sizes);
  frame.view = NULL;
  frame.sizes = sizes;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  g_assert_true (plan.blocks.sizes);
  frame.quantizers = &job;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  g_assert_false (plan.blocks.sizes);

  frame.bits = true;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform bits", "src dst - dst -");
  frame.metrics = 1 << BDCT_METRIC_XPSNR;
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "history transform bits metrics", "src dst - dst -");
  bdct_plan_frame (&plan, &yuv, &frame, &cpu_rules, &history);
  expect (&plan, "transform bits metrics", "src dst - dst -");
}

static void
test_comparisons (void)
{
  BdctLayout nv12, i420, rgb;
  BdctView view = BDCT_VIEW_DEFAULT;
  BdctComparison c = {.reference = {.image = IMAGE},
    .distorted = {{.image = IMAGE}},.n_distorted = 1,.dst = IMAGE
  };
  BdctHistory history;
  BdctPlan plan;
  BdctJob job;

  format_layout (FORMAT_NV12, 8, 0, 64, 40, &nv12);
  format_layout (FORMAT_I420, 8, 0, 64, 40, &i420);
  make_rgb (&rgb, 64, 40);
  bdct_comparison_job (&job, &nv12);
  bdct_history_init (&history, 4);
  c.errors = true;

  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "errors", "src - - - -");
  c.distorted[0].layout = &i420;
  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "pack errors", "src - - - -");
  g_assert_true (plan.packed[1] && !plan.packed[0]);
  c.distorted[0].layout = NULL;
  bdct_plan_comparison (&plan, &rgb, &c, &job, &history);
  expect (&plan, "pack errors", "own - - - -");
  g_assert_true (plan.rgb_errors);

  c.errors = false;
  c.view = &view;
  view.mode = BDCT_VIEW_WIPE;
  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "view", "src - - dst -");
  bdct_plan_comparison (&plan, &rgb, &c, &job, &history);
  expect (&plan, "pack zoom", "own - - - -");
  view.zoom = 2;
  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "zoom", "src - - - -");
  view.mode = BDCT_VIEW_SSIM_MAP;
  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "map view zoom", "src - - base own");
  bdct_plan_comparison (&plan, &rgb, &c, &job, &history);
  expect (&plan, "pack map view planes-to-rgb zoom", "own - - own own");
  view.zoom = 1;
  view.mode = BDCT_VIEW_ERROR_MAP;
  bdct_plan_comparison (&plan, &nv12, &c, &job, &history);
  expect (&plan, "records view", "src - - dst -");
}

/* Random frames */

static void
check_order (const BdctPlan * plan, bool rgb)
{
  const BdctPlace rec = plan->place[BDCT_PLAN_RECONSTRUCTION];

  for (int i = 1; i < plan->n_steps; i++)
    g_assert_cmpint (plan->step[i - 1], <, plan->step[i]);
  g_assert_true (bdct_plan_has (plan, BDCT_STEP_TRANSFORM));
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_VIEW), ==, plan->view.drawn);
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_METRICS), ==,
      plan->metrics.wanted != 0);
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_RGB_TO_PLANES), ==, rgb);
  if (plan->metrics.wanted != 0)
    g_assert_cmpint (rec, !=, BDCT_PLACE_NONE);
  /* Where the reconstruction lies on the planes, they are read but once. */
  if (rec == BDCT_PLACE_PLANES)
    for (int i = 0; i < plan->n_steps; i++)
      g_assert_true (plan->step[i] == BDCT_STEP_RGB_TO_PLANES
          || plan->step[i] == BDCT_STEP_TRANSFORM
          || plan->step[i] == BDCT_STEP_PLANES_TO_RGB);
  if (rgb)
    g_assert_cmpint (plan->place[BDCT_PLAN_PLANES], ==, BDCT_PLACE_OWN);
}

/* What has no place has no data, and what is shared is the same. */
static void
check_images (const BdctPlan * plan)
{
  BdctImage own[BDCT_PLAN_IMAGES] = { {0} }, image[BDCT_PLAN_IMAGES];
  guint8 memory[BDCT_PLAN_IMAGES + 2];
  BdctImage src = {.data = {memory + BDCT_PLAN_IMAGES} };
  BdctImage dst = {.data = {memory + BDCT_PLAN_IMAGES + 1} };

  for (int i = 0; i < BDCT_PLAN_IMAGES; i++)
    own[i].data[0] = memory + i;
  bdct_plan_find_images (plan, &src, &dst, own, image);
  for (int i = 0; i < BDCT_PLAN_IMAGES; i++) {
    const BdctPlace place = plan->place[i];
    const guint8 *wanted = place == BDCT_PLACE_NONE ? NULL
        : place == BDCT_PLACE_SRC ? src.data[0]
        : place == BDCT_PLACE_DST ? dst.data[0]
        : place == BDCT_PLACE_OWN ? memory + i
        : place == BDCT_PLACE_PLANES ? image[BDCT_PLAN_PLANES].data[0]
        : place == BDCT_PLACE_BASE ? image[BDCT_PLAN_BASE].data[0]
        : image[BDCT_PLAN_RECONSTRUCTION].data[0];

    g_assert_true (image[i].data[0] == wanted);
    if (place == BDCT_PLACE_PLANES || place == BDCT_PLACE_RECONSTRUCTION
        || place == BDCT_PLACE_BASE)
      g_assert_nonnull (image[i].data[0]);
  }
}

static void
test_random (void)
{
  static const BdctViewMode modes[] = { BDCT_VIEW_RECONSTRUCTION,
    BDCT_VIEW_ORIGINAL, BDCT_VIEW_COEFFICIENTS, BDCT_VIEW_ERROR_MAP,
    BDCT_VIEW_NONZERO_MAP, BDCT_VIEW_QUALITY_MAP, BDCT_VIEW_SIZE_MAP
  };
  BdctJob job[BDCT_N_TRANSFORMS];
  GRand *rand = g_rand_new_with_seed (1);
  BdctLayout layout[2];
  BdctHistory history;
  BdctPlan plan;

  format_layout (FORMAT_I420, 8, 0, 70, 41, &layout[0]);
  make_rgb (&layout[1], 70, 41);
  bdct_history_init (&history, 5);
  for (int t = 0; t < BDCT_N_TRANSFORMS; t++)
    job[t] = make_job (t, &layout[0]);
  for (int n = 0; n < 20000; n++) {
    const bool rgb = g_rand_int_range (rand, 0, 2);
    const BdctPlanRules *rules = g_rand_boolean (rand) ? &cpu_rules
        : &cuda_rules;
    BdctView view = BDCT_VIEW_DEFAULT;
    BdctFrame frame = {.n_quantizers = 1,.src = IMAGE,
      .quantizers = &job[g_rand_int_range (rand, 0, BDCT_N_TRANSFORMS)],
      .number = g_rand_int_range (rand, 0, 9)
    };

    if (g_rand_int_range (rand, 0, 4) > 0) {
      frame.dst = frame.src;
      frame.view = &view;
      view.mode = modes[g_rand_int_range (rand, 0, G_N_ELEMENTS (modes))];
      view.grid = g_rand_boolean (rand);
    }
    frame.bits = g_rand_boolean (rand);
    frame.metrics = g_rand_boolean (rand) ? 0
        : g_rand_int_range (rand, 0, 1 << BDCT_N_METRICS);
    bdct_plan_frame (&plan, &layout[rgb], &frame, rules, &history);
    check_order (&plan, rgb);
    check_images (&plan);
    g_assert_cmpint (bdct_plan_has (&plan, BDCT_STEP_HISTORY), ==,
        plan.metrics.history.copied);
    g_assert_cmpint (plan.metrics.history.needed, ==,
        frame.metrics >> BDCT_METRIC_XPSNR & 1);
  }
  g_rand_free (rand);
}

/* Where the luma of a frame is among the last ones of a list; -1: nowhere. */
static int
look_up (const gint64 * list, const int *place, int n, gint64 number)
{
  for (int i = n - 1; i >= MAX (n - 1 - BDCT_HISTORY_EXTRA, 0); i--)
    if (list[i] == number)
      return place[i];
  return -1;
}

/* Frames that are copied are appended to a list, and those that do not start
 * taken away again. No frame is copied to a place that one in flight reads. */
static void
test_history (void)
{
  GRand *rand = g_rand_new_with_seed (2);

  for (int round = 0; round < 400; round++) {
    const int depth = 1 + g_rand_int_range (rand, 0, round % 20 ? 9 : 64);
    const int n = depth + BDCT_HISTORY_EXTRA;
    const int range = round % 2 ? 3 * n : 6;
    BdctHistoryUse use[200];
    gint64 list[200];
    int place[200], n_list = 0, n_uses = 0;
    BdctHistory history;

    bdct_history_init (&history, n);
    for (int k = 0; k < 200; k++) {
      const gint64 number = round % 3 == 0 ? (gint64) n * k
          : g_rand_int_range (rand, 0, range);
      const int at = look_up (list, place, n_list, number);
      BdctHistoryUse *own = &use[n_uses];

      bdct_history_enter (&history, number, own);
      g_assert_true (own->needed);
      g_assert_cmpint (own->own, <, n);
      g_assert_cmpint (own->copied, ==, at < 0);
      if (own->copied) {
        /* What was there is lost, even if this frame does not start. */
        for (int i = 0; i < n_list; i++)
          if (place[i] == own->own)
            list[i] = -1;
        list[n_list] = number;
        place[n_list++] = own->own;
      } else {
        g_assert_cmpint (own->own, ==, at);
      }
      for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
        g_assert_cmpint (own->of[i], ==, i <= number ? look_up (list, place,
                n_list, number - i) : -1);
      for (int u = MAX (n_uses - depth + 1, 0); own->copied && u < n_uses; u++)
        for (int i = 0; i <= BDCT_HISTORY_FRAMES; i++)
          g_assert_cmpint (own->own, !=, use[u].of[i]);
      if (g_rand_int_range (rand, 0, 8) == 0) {
        bdct_history_forget (&history, own);
        n_list -= own->copied;
      } else {
        n_uses++;
      }
    }
  }
  g_rand_free (rand);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/frames", test_frames);
  g_test_add_func ("/plan/comparisons", test_comparisons);
  g_test_add_func ("/plan/random", test_random);
  g_test_add_func ("/plan/history", test_history);
  return g_test_run ();
}
