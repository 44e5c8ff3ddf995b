/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of settings: properties, alone and in groups. */
#include "fuzz.h"

/* how mask transform quality qp offset list */
static void
run_params (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "transform", "quality", "qp",
    "chroma-qp-offset", "scaling-list"
  };
  Group group = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (arg[1] >> i & 1)
      group_add_int (&group, names[i], arg[2 + i]);
  group_set (w, arg[0], &group);
}

/* how mask min max scale */
static void
run_blocks (World * w, const gint64 * arg)
{
  static const gint sides[] = { 4, 8, 16, 32, 5, 31 };
  static const gdouble scales[] = { 1, 0, 0.5, 3, 1000 };
  Group group = { 0 };

  if (arg[1] & 1)
    group_add_int (&group, "min-block", sides[arg[2]]);
  if (arg[1] & 2)
    group_add_int (&group, "max-block", sides[arg[3]]);
  if (arg[1] & 4)
    group_add_double (&group, "lambda-scale", scales[arg[4]]);
  group_set (w, arg[0], &group);
}

/* how deadzone */
static void
run_levels (World * w, const gint64 * arg)
{
  static const gdouble values[] = { 1.0 / 3, 1.0 / 6, 0.2, 0.25, 0.3 };
  Group group = { 0 };

  group_add_double (&group, "deadzone", values[arg[1]]);
  group_set (w, arg[0], &group);
}

/* how mask view grid */
static void
run_view (World * w, const gint64 * arg)
{
  Group group = { 0 };

  if (arg[1] & 1)
    group_add_int (&group, "view", arg[2]);
  if (arg[1] & 2)
    group_add_boolean (&group, "grid", arg[3]);
  group_set (w, arg[0], &group);
}

/* Have what is in flight leave before a change, which comes at once; or not. */
static void
drain (World * w, gboolean first)
{
  if (!first)
    return;
  world_stream (w);
  world_event (w, gst_event_new_gap (w->next_time, FRAME));
}

static void
run_report (World * w, const gint64 * arg)
{
  static const gint64 intervals[] = { 0, 0, 0, 1, 4 * FRAME, 10 * FRAME + 7 };
  Group group = { 0 };

  drain (w, arg[4]);
  if (arg[1] & 1)
    group_add_boolean (&group, "post-messages", arg[2] > 0);
  if (arg[1] & 2)
    g_value_set_uint64 (group_add (&group, "interval", G_TYPE_UINT64),
        intervals[arg[3]]);
  group_set (w, arg[0], &group);
}

/* Numbers of steps that are right and wrong; values that are small, too large
 * for 8-bit jpeg-8x8, or never allowed. */
static void
run_matrix (World * w, const gint64 * arg)
{
  static const guint numbers[] = { 0, 64, 128, 64, 128, 1, 63, 65, 129, 200 };
  static const gint bad[] = { 0, -1, 32768, G_MININT, G_MAXINT, 40000 };
  GRand *rand = g_rand_new_with_seed (arg[2]);
  guint n = numbers[arg[0]];
  GValue array = G_VALUE_INIT;
  gint steps[200];

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < n; i++) {
    GValue v = G_VALUE_INIT;

    steps[i] = g_rand_int_range (rand, 1, arg[1] == 1 ? 32768 : 256);
    if (arg[1] == 2 && (gint) i == arg[2] % 64)
      steps[i] = bad[arg[2] % 6];
    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, steps[i]);
    gst_value_array_append_and_take_value (&array, &v);
  }
  world_expect_warnings (w, model_set_matrix (&w->model, steps, n));
  g_object_set_property (G_OBJECT (w->element), "quantization-matrix", &array);
  gst_util_set_object_arg (G_OBJECT (w->element), "quantization-tables",
      w->model.wanted.params.n_steps > 0 ? "matrix" : "annex-k");
  g_value_unset (&array);
  g_rand_free (rand);
}

static void
run_subsampling (World * w, const gint64 * arg)
{
  static const BdctChromaFormat values[] = { BDCT_CHROMA_420, BDCT_CHROMA_422,
    BDCT_CHROMA_440, BDCT_CHROMA_444
  };
  Group group = { 0 };

  group_add_int (&group, "chroma-subsampling", values[arg[1]]);
  group_set (w, arg[0], &group);
}

static void
run_bits (World * w, const gint64 * arg)
{
  Group group = { 0 };

  group_add_boolean (&group, "bits", arg[1]);
  group_set (w, arg[0], &group);
}

static void
run_floor (World * w, const gint64 * arg)
{
  static const gdouble values[] = { 0, 0, 28, 45 };
  Group group = { 0 };

  group_add_double (&group, "min-psnr-warning", values[arg[1]]);
  group_set (w, arg[0], &group);
}

/* how mask psnr bpp size */
static void
run_target (World * w, const gint64 * arg)
{
  static const gdouble psnr[] = { 25, 38.5, 60, 200 };
  static const gdouble bpp[] = { 0.1, 0.7, 3, 1000 };
  static const guint sizes[] = { 1, 400, 700, 2000 };
  Group group = { 0 };

  if (arg[1] & 1)
    group_add_double (&group, "target-psnr", arg[2] < 4 ? psnr[arg[2]] : 0);
  if (arg[1] & 2)
    group_add_double (&group, "target-bpp", arg[3] < 4 ? bpp[arg[3]] : 0);
  if (arg[1] & 4)
    g_value_set_uint (group_add (&group, "target-size", G_TYPE_UINT),
        arg[4] < 4 ? sizes[arg[4]] : 0);
  group_set (w, arg[0], &group);
}

/* None, all, some that every transform has, that one has, that none has, and
 * too many. */
static void
run_curve (World * w, const gint64 * arg)
{
  static const gint low[] = { 1, 0, -1, 1 }, high[] = { 51, 100, 101, 51 };
  GRand *rand = g_rand_new_with_seed (arg[1]);
  gint settings[MAX_CURVE + 1], n = 0;
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  if (arg[0] >= 2)
    n = arg[0] == 5 ? MAX_CURVE + 1 : g_rand_int_range (rand, 1, 6);
  for (gint i = 0; i < n; i++) {
    GValue v = G_VALUE_INIT;

    settings[i] = g_rand_int_range (rand, low[arg[0] - 2],
        high[arg[0] - 2] + 1);
    g_value_init (&v, G_TYPE_INT);
    g_value_set_int (&v, settings[i]);
    gst_value_array_append_and_take_value (&array, &v);
  }
  world_expect_warnings (w, model_set_curve (&w->model, settings,
          arg[0] == 1 ? -1 : n));
  if (arg[0] == 1)
    gst_util_set_object_arg (G_OBJECT (w->element), "curve", "<all>");
  else
    g_object_set_property (G_OBJECT (w->element), "curve", &array);
  g_value_unset (&array);
  g_rand_free (rand);
}

/* What is read is what was set. */
static void
run_get (World * w, const gint64 * arg)
{
  const Choice *c = &w->model.wanted;
  gint transform, quality, qp, offset, list, view, min_block, max_block;
  gboolean grid, post, bits;
  gdouble lambda_scale, deadzone, psnr, bpp, min_psnr;
  guint64 interval;
  guint size;

  (void) arg;
  g_object_get (w->element, "transform", &transform, "quality", &quality, "qp",
      &qp, "chroma-qp-offset", &offset, "scaling-list", &list, "min-block",
      &min_block, "max-block", &max_block, "lambda-scale", &lambda_scale,
      "deadzone", &deadzone, "grid", &grid, "post-messages",
      &post, "interval", &interval, "target-psnr", &psnr, "target-bpp", &bpp,
      "target-size", &size, "min-psnr-warning", &min_psnr, NULL);
  view = world_get_view (w);
  bits = world_get_bits (w);
  check (transform == (gint) c->params.transform
      && quality == c->params.quality && qp == c->params.qp
      && offset == c->params.chroma_qp_offset
      && list == (gint) c->params.scaling_list,
      "parameters read: %d %d %d %d %d, set: %d %d %d %d %d", transform,
      quality, qp, offset, list, c->params.transform, c->params.quality,
      c->params.qp, c->params.chroma_qp_offset, c->params.scaling_list);
  check (min_block == c->params.min_block && max_block == c->params.max_block
      && lambda_scale == c->params.lambda_scale
      && deadzone == c->params.deadzone,
      "blocks and levels read: %d %d %g %g, set: %d %d %g %g", min_block,
      max_block, lambda_scale, deadzone, c->params.min_block,
      c->params.max_block, c->params.lambda_scale, c->params.deadzone);
  check (view == c->view && grid == c->grid && post == c->post
      && interval == c->interval,
      "settings of view or report are not read as set");
  check (bits == c->bits && psnr == c->psnr && bpp == c->bpp
      && size == c->size && min_psnr == c->min_psnr,
      "bits %d, targets %g %g %u, min-psnr %g read, set: %d, %g %g %g, %g",
      bits, psnr, bpp, size, min_psnr, c->bits, c->psnr, c->bpp, c->size,
      c->min_psnr);
}

const Kind setting_kinds[] = {
  {"params", 120, run_params, {{"how", 0, 3}, {"mask", 1, 31},
          {"transform", 0, BDCT_N_TRANSFORMS - 1}, {"quality", 1, 100},
          {"qp", 0, 51}, {"offset", -12, 12}, {"list", 0, 1}}},
  {"blocks", 20, run_blocks, {{"how", 0, 3}, {"mask", 1, 7}, {"min", 0, 5},
          {"max", 0, 5}, {"scale", 0, 4}}},
  {"levels", 15, run_levels, {{"how", 0, 3}, {"deadzone", 0, 4}}},
  {"view", 40, run_view, {{"how", 0, 3}, {"mask", 1, 3},
          {"view", 0, N_VIEWS - 1}, {"grid", 0, 1}}},
  {"report", 25, run_report, {{"how", 0, 3}, {"mask", 1, 3}, {"post", 0, 3},
          {"interval", 0, 5}, {"drain", 0, 1}}},
  {"matrix", 20, run_matrix, {{"n", 0, 9}, {"values", 0, 2},
          {"seed", 0, 9999}}},
  {"subsampling", 12, run_subsampling, {{"how", 0, 3}, {"value", 0, 3}}},
  {"bits", 12, run_bits, {{"how", 0, 3}, {"on", 0, 1}}},
  {"floor", 4, run_floor, {{"how", 0, 3}, {"value", 0, 3}}},
  {"target", 15, run_target, {{"how", 0, 3}, {"mask", 1, 7}, {"psnr", 0, 9},
          {"bpp", 0, 9}, {"size", 0, 9}}},
  {"curve", 10, run_curve, {{"what", 0, 5}, {"seed", 0, 9999}}},
  {"get", 10, run_get, {{.name = NULL}}},
  {.name = NULL}
};
