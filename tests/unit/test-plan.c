/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan of a frame. Of random frames, each image is made before it is read.
 * The history is compared with a list of frames. */
#include <string.h>
#include "dct/engine/plan.h"
#include "dct/metrics/metrics.h"
#include "frame.h"

/* Of the CPU, of CUDA, and of CUDA with the planes of the frame before. */
static const BdctPlanRules rules[] = {
  {false, false}, {true, false}, {true, true}
};

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
check_order (const BdctPlan * plan, bool rgb, bool before)
{
  const BdctPlace rec = plan->place[BDCT_PLAN_RECONSTRUCTION];

  for (int i = 1; i < plan->n_steps; i++)
    g_assert_cmpint (plan->step[i - 1], <, plan->step[i]);
  g_assert_true (bdct_plan_has (plan, BDCT_STEP_TRANSFORM));
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_VIEW), ==, plan->view.drawn);
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_METRICS), ==,
      plan->metrics.wanted != 0);
  g_assert_cmpint (bdct_plan_has (plan, BDCT_STEP_RGB_TO_PLANES), ==,
      rgb && !before);
  if (plan->metrics.wanted != 0)
    g_assert_cmpint (rec, !=, BDCT_PLACE_NONE);
  /* Where the reconstruction lies on the planes, they are read but once. */
  if (rec == BDCT_PLACE_PLANES)
    for (int i = 0; i < plan->n_steps; i++)
      g_assert_true (plan->step[i] == BDCT_STEP_RGB_TO_PLANES
          || plan->step[i] == BDCT_STEP_TRANSFORM
          || plan->step[i] == BDCT_STEP_PLANES_TO_RGB);
  if (rgb)
    g_assert_cmpint (plan->place[BDCT_PLAN_PLANES], ==, before
        ? BDCT_PLACE_BEFORE : BDCT_PLACE_OWN);
  /* Nothing is made that nobody reads. */
  if (plan->metrics.wanted == 0 && (plan->place[BDCT_PLAN_VIEW]
          == BDCT_PLACE_NONE || (!rgb && !plan->view.drawn)))
    g_assert_cmpint (rec, ==, plan->place[BDCT_PLAN_VIEW]);
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
        : place == BDCT_PLACE_OWN || place == BDCT_PLACE_BEFORE ? memory + i
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
    const int rule = g_rand_int_range (rand, 0, G_N_ELEMENTS (rules));
    BdctView view = BDCT_VIEW_DEFAULT;
    BdctFrame frame = {.n_quantizers = 1,.src = IMAGE,
      .quantizers = &job[g_rand_int_range (rand, 0, BDCT_N_TRANSFORMS)],
      .number = g_rand_int_range (rand, 0, 9),
      .same_source = g_rand_boolean (rand)
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
    bdct_plan_frame (&plan, &layout[rgb], &frame, &rules[rule], &history);
    check_order (&plan, rgb, rgb && frame.same_source && rules[rule].kept);
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
  g_test_add_func ("/plan/random", test_random);
  g_test_add_func ("/plan/history", test_history);
  return g_test_run ();
}
