/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of settings: properties, alone and in groups, and what sets them. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif

#define MAX_SET 8

typedef struct
{
  World *w;
  guint n;
  const gchar *name[MAX_SET];
  GValue value[MAX_SET];
} Group;

static GValue *
add (Group * group, const gchar * name, GType type)
{
  group->name[group->n] = name;
  return g_value_init (&group->value[group->n++], type);
}

static void
add_int (Group * group, const gchar * name, gint v)
{
  g_value_set_int (add (group, name, G_TYPE_INT), v);
}

static void
add_double (Group * group, const gchar * name, gdouble v)
{
  g_value_set_double (add (group, name, G_TYPE_DOUBLE), v);
}

static void
add_boolean (Group * group, const gchar * name, gboolean v)
{
  g_value_set_boolean (add (group, name, G_TYPE_BOOLEAN), v);
}

/* Enumerations of the element's are ints in the model. */
static void
to_element (World * w, const gchar * name, const GValue * value, GValue * out)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (w->element), name);

  g_value_init (out, G_PARAM_SPEC_VALUE_TYPE (pspec));
  if (G_VALUE_HOLDS_ENUM (out))
    g_value_set_enum (out, g_value_get_int (value));
  else
    g_value_copy (value, out);
}

static void
set_all (World * w, guint n, const gchar ** names, const GValue * values)
{
  GValue out[MAX_SET] = { G_VALUE_INIT };

  for (guint i = 0; i < n; i++)
    to_element (w, names[i], &values[i], &out[i]);
  g_object_setv (G_OBJECT (w->element), n, names, out);
  for (guint i = 0; i < n; i++)
    g_value_unset (&out[i]);
}

static gpointer
set_in_thread (gpointer data)
{
  Group *group = data;

  set_all (group->w, group->n, group->name, group->value);
  return NULL;
}

void
world_set (World * w, guint how, guint n, const gchar ** names,
    const GValue * values)
{
  Group group = {.w = w,.n = n };

  if (n == 0)
    return;
  if (how != 3) {
    for (guint i = 0; i < n; i++)
      model_set (&w->model, names[i], &values[i]);
    world_expect_warnings (w, model_announce (&w->model));
  }
  switch (how) {
    case 0:
      set_all (w, n, names, values);
      break;
    case 1:
      g_object_freeze_notify (G_OBJECT (w->element));
      for (guint i = 0; i < n; i++)
        set_all (w, 1, &names[i], &values[i]);
      g_object_thaw_notify (G_OBJECT (w->element));
      break;
    case 2:
      memcpy (group.name, names, n * sizeof names[0]);
      memcpy (group.value, values, n * sizeof values[0]);
      g_thread_join (g_thread_new ("setter", set_in_thread, &group));
      break;
    default:
      for (guint i = 0; i < n; i++) {
        model_set (&w->model, names[i], &values[i]);
        world_expect_warnings (w, model_announce (&w->model));
        set_all (w, 1, &names[i], &values[i]);
      }
      break;
  }
}

static void
group_set (World * w, guint how, Group * group)
{
  world_set (w, how, group->n, group->name, group->value);
  for (guint i = 0; i < group->n; i++)
    g_value_unset (&group->value[i]);
}

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
      add_int (&group, names[i], arg[2 + i]);
  group_set (w, arg[0], &group);
}

/* how mask transform quality qp left right */
static void
run_second (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "b-transform", "b-quality", "b-qp",
    "left", "right"
  };
  Group group = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (arg[1] >> i & 1)
      add_int (&group, names[i], arg[2 + i]);
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
    add_int (&group, "min-block", sides[arg[2]]);
  if (arg[1] & 2)
    add_int (&group, "max-block", sides[arg[3]]);
  if (arg[1] & 4)
    add_double (&group, "lambda-scale", scales[arg[4]]);
  group_set (w, arg[0], &group);
}

/* how mask deadzone rdoq */
static void
run_levels (World * w, const gint64 * arg)
{
  static const gdouble values[] = { 1.0 / 3, 1.0 / 6, 0.2, 0.25, 0.3 };
  Group group = { 0 };

  if (arg[1] & 1)
    add_double (&group, "deadzone", values[arg[2]]);
  if (arg[1] & 2 && !on_cuda ())
    add_boolean (&group, "rdoq", arg[3]);
  group_set (w, arg[0], &group);
}

/* how mask view position gain grid */
static void
run_view (World * w, const gint64 * arg)
{
  Group group = { 0 };

  if (arg[1] & 1)
    add_int (&group, "view", arg[2]);
  if (arg[1] & 2)
    add_double (&group, "wipe-position", arg[3] / 40.0);
  if (arg[1] & 4)
    add_double (&group, "difference-gain", arg[4] / 5.0);
  if (arg[1] & 8)
    add_boolean (&group, "grid", arg[5]);
  group_set (w, arg[0], &group);
}

void
world_thaw (World * w)
{
  if (w->model.frozen == 0)
    return;
  while (w->model.frozen > 0) {
    w->model.frozen--;
    g_object_thaw_notify (G_OBJECT (w->element));
  }
  world_expect_warnings (w, model_announce (&w->model));
}

/* Have what is in flight leave before a change, which comes at once; or not. */
static void
drain (World * w, gboolean first)
{
  if (!first)
    return;
  world_thaw (w);
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
    add_boolean (&group, "post-messages", arg[2] > 0);
  if (arg[1] & 2)
    g_value_set_uint64 (add (&group, "interval", G_TYPE_UINT64),
        intervals[arg[3]]);
  group_set (w, arg[0], &group);
}

static void
run_overlay (World * w, const gint64 * arg)
{
  Group group = { 0 };

  drain (w, arg[2]);
  add_boolean (&group, "overlay", arg[1] == 0);
  group_set (w, arg[0], &group);
}

static void
run_interactive (World * w, const gint64 * arg)
{
  Group group = { 0 };

  add_boolean (&group, "interactive", arg[1] > 0);
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

  add_int (&group, "chroma-subsampling", values[arg[1]]);
  group_set (w, arg[0], &group);
}

static void
run_rate (World * w, const gint64 * arg)
{
  Group group = { 0 };

  add_boolean (&group, "rate", arg[1]);
  group_set (w, arg[0], &group);
}

static void
run_floor (World * w, const gint64 * arg)
{
  static const gdouble values[] = { 0, 0, 28, 45 };
  Group group = { 0 };

  add_double (&group, "min-psnr-warning", values[arg[1]]);
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
    add_double (&group, "target-psnr", arg[2] < 4 ? psnr[arg[2]] : 0);
  if (arg[1] & 2)
    add_double (&group, "target-bpp", arg[3] < 4 ? bpp[arg[3]] : 0);
  if (arg[1] & 4)
    g_value_set_uint (add (&group, "target-size", G_TYPE_UINT),
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
  gint settings[BDCT_MAX_OTHERS + 1], n = 0;
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  if (arg[0] >= 2)
    n = arg[0] == 5 ? BDCT_MAX_OTHERS + 1 : g_rand_int_range (rand, 1, 6);
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

static void
run_freeze (World * w, const gint64 * arg)
{
  (void) arg;
  if (w->model.frozen == 2)
    return;
  g_object_freeze_notify (G_OBJECT (w->element));
  w->model.frozen++;
}

static void
run_thaw (World * w, const gint64 * arg)
{
  (void) arg;
  if (w->model.frozen == 0)
    return;
  w->model.frozen--;
  world_expect_warnings (w, model_announce (&w->model));
  g_object_thaw_notify (G_OBJECT (w->element));
}

/* What is read is what was set. */
static void
run_get (World * w, const gint64 * arg)
{
  const Choice *c = &w->model.wanted;
  gint transform, quality, qp, offset, list, view, min_block, max_block;
  gint b, b_quality, b_qp, left, right;
  gdouble position, gain, lambda_scale, deadzone;
  gboolean grid, post, overlay, interactive, rate, rdoq;
  gdouble psnr, bpp, min_psnr;
  guint64 interval;
  guint size;

  (void) arg;
  g_object_get (w->element, "transform", &transform, "quality", &quality, "qp",
      &qp, "chroma-qp-offset", &offset, "scaling-list", &list, "min-block",
      &min_block, "max-block", &max_block, "lambda-scale", &lambda_scale,
      "deadzone", &deadzone, "rdoq", &rdoq, "view", &view, "b-transform", &b,
      "b-quality", &b_quality, "b-qp", &b_qp, "left", &left, "right", &right,
      "wipe-position", &position, "difference-gain", &gain, "grid", &grid,
      "post-messages", &post, "overlay", &overlay, "interactive", &interactive,
      "interval", &interval, "rate", &rate, "target-psnr", &psnr, "target-bpp",
      &bpp, "target-size", &size, "min-psnr-warning", &min_psnr, NULL);
  check (transform == (gint) c->params.transform
      && quality == c->params.quality && qp == c->params.qp
      && offset == c->params.chroma_qp_offset
      && list == (gint) c->params.scaling_list,
      "parameters read: %d %d %d %d %d, set: %d %d %d %d %d", transform,
      quality, qp, offset, list, c->params.transform, c->params.quality,
      c->params.qp, c->params.chroma_qp_offset, c->params.scaling_list);
  check (b == c->b && b_quality == c->b_quality && b_qp == c->b_qp
      && left == c->left && right == c->right,
      "B read: %d %d %d, sides %d %d, set: %d %d %d, %d %d", b, b_quality,
      b_qp, left, right, c->b, c->b_quality, c->b_qp, c->left, c->right);
  check (min_block == c->params.min_block && max_block == c->params.max_block
      && lambda_scale == c->params.lambda_scale
      && deadzone == c->params.deadzone && rdoq == c->params.rdoq,
      "blocks and levels read: %d %d %g %g %d, set: %d %d %g %g %d", min_block,
      max_block, lambda_scale, deadzone, rdoq, c->params.min_block,
      c->params.max_block, c->params.lambda_scale, c->params.deadzone,
      c->params.rdoq);
  check (view == c->view && position == c->position && gain == c->gain
      && grid == c->grid && post == c->post && overlay == c->overlay
      && interactive == c->interactive && interval == c->interval,
      "settings of view or report are not read as set");
  check (rate == c->rate && psnr == c->psnr && bpp == c->bpp
      && size == c->size && min_psnr == c->min_psnr,
      "rate %d, targets %g %g %u, min-psnr %g read, set: %d, %g %g %g, %g",
      rate, psnr, bpp, size, min_psnr, c->rate, c->psnr, c->bpp, c->size,
      c->min_psnr);
}

/* Control bindings: property and three values, or none. */
#ifdef HAVE_CONTROLLER
static void
run_bind (World * w, const gint64 * arg)
{
  static const gint low[] = { 1, 0, 0 }, high[] = { 100, 51, 1 };
  GstObject *object = GST_OBJECT (w->element);
  guint which = arg[0];
  const gchar *name = binding_names[which];
  Binding *binding = &w->binding[which];
  GstTimedValueControlSource *source;
  GstControlBinding *old = gst_object_get_control_binding (object, name);

  if (old != NULL) {
    gst_object_remove_control_binding (object, old);
    gst_object_unref (old);
  }
  binding->on = arg[1] > 0;
  binding->last = NAN;
  if (!binding->on)
    return;
  source = GST_TIMED_VALUE_CONTROL_SOURCE
      (gst_interpolation_control_source_new ());
  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  for (guint i = 0; i < BINDING_POINTS; i++) {
    gdouble v = low[which] + (high[which] - low[which]) * arg[2 + i] / 51.0;

    binding->value[i] = which == BIND_POSITION ? v : floor (v);
    gst_timed_value_control_source_set (source, i * BINDING_SPAN,
        binding->value[i]);
  }
  gst_object_add_control_binding (object,
      gst_direct_control_binding_new_absolute (object, name,
          GST_CONTROL_SOURCE (source)));
  gst_object_unref (source);
}
#else
static void
run_bind (World * w, const gint64 * arg)
{
  (void) w, (void) arg;
}
#endif

/* Settings that have to wait for READY: while playing they are refused, or at
 * least not passed over in silence. */
static void
run_late (World * w, const gint64 * arg)
{
  static const gchar *const names[] = { "async-depth", "threads", "stats-file",
    "backend", "cuda-device-id"
  };
  static const gchar *const values[] = { "17", "9", "/dev/null", "auto", "0" };
  const gchar *name = names[arg[0]];
  GValue before = G_VALUE_INIT, after = G_VALUE_INIT;
  guint warnings = 0;

  world_stream (w);
  world_settle (w);
  w->may_warn = TRUE;
  g_object_get_property (G_OBJECT (w->element), name, &before);
  gst_util_set_object_arg (G_OBJECT (w->element), name, values[arg[0]]);
  g_object_get_property (G_OBJECT (w->element), name, &after);
  for (GList * l = w->messages.head; l != NULL; l = l->next)
    warnings += GST_MESSAGE_TYPE (l->data) == GST_MESSAGE_WARNING;
  check (gst_value_compare (&before, &after) == GST_VALUE_EQUAL
      || warnings > 0, "%s was set while playing without a word", name);
  world_stop (w, GST_STATE_READY);
  g_object_set_property (G_OBJECT (w->element), name, &before);
  g_value_unset (&before);
  g_value_unset (&after);
}

static void
run_passthrough (World * w, const gint64 * arg)
{
  w->passthrough = arg[0] > 0;
  world_stream (w);
  /* What is in flight leaves first. */
  world_event (w, gst_event_new_gap (w->next_time, FRAME));
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (w->element),
      arg[0] > 0);
}

/* What the app does in a synchronous handler of the next message. */
static void
run_handler (World * w, const gint64 * arg)
{
  world_start (w);
  w->handler = arg[0];
}

static void
read_back (World * w)
{
  Choice *c = &w->model.wanted;
  GValue array = G_VALUE_INIT;
  guint size;

  g_object_get (w->element, "transform", &c->params.transform, "quality",
      &c->params.quality, "qp", &c->params.qp, "chroma-qp-offset",
      &c->params.chroma_qp_offset, "scaling-list", &c->params.scaling_list,
      "min-block", &c->params.min_block, "max-block", &c->params.max_block,
      "lambda-scale", &c->params.lambda_scale,
      "deadzone", &c->params.deadzone, "rdoq", &c->params.rdoq,
      "view", &c->view, "wipe-position", &c->position, "difference-gain",
      &c->gain, "grid", &c->grid, "post-messages", &c->post, "overlay",
      &c->overlay, "interactive", &c->interactive, "interval", &c->interval,
      "target-psnr", &c->psnr, "target-bpp", &c->bpp, "target-size", &size,
      NULL);
  c->size = size;
  g_object_get_property (G_OBJECT (w->element), "quantization-matrix", &array);
  c->params.n_steps = gst_value_array_get_size (&array);
  for (gint i = 0; i < c->params.n_steps; i++)
    c->params.steps[i] =
        g_value_get_int (gst_value_array_get_value (&array, i));
  g_value_unset (&array);
}

static void
run_preset (World * w, const gint64 * arg)
{
  static const struct
  {
    const gchar *name;
    gint transform, quality, qp, offset;
  } presets[] = {
    {"archive", BDCT_JPEG_8X8, 95, -1, 0},
    {"web-thumbnail", BDCT_JPEG_8X8, 60, -1, 0},
    {"broadcast-contribution", BDCT_HEVC_16X16, -1, 17, 0},
    {"worst-case", BDCT_HEVC_32X32, -1, 51, 12},
  };
  gint transform, quality, qp;

  if (w->model.frozen > 0 || !gst_preset_load_preset (GST_PRESET (w->element),
          presets[arg[0]].name))
    return;
  g_object_get (w->element, "transform", &transform, "quality", &quality,
      "qp", &qp, NULL);
  check (transform == presets[arg[0]].transform
      && (presets[arg[0]].quality < 0 || quality == presets[arg[0]].quality)
      && (presets[arg[0]].qp < 0 || qp == presets[arg[0]].qp),
      "the preset %s gave %d %d %d", presets[arg[0]].name, transform, quality,
      qp);
  /* What else a preset sets is its own affair: begin again from what is. */
  read_back (w);
  w->model.force = w->model.wanted;
}

/* Takes two: threads.c. */
static void
run_duel (World * w, const gint64 * arg)
{
  (void) w, (void) arg;
}

const Kind setting_kinds[] = {
  {"params", 120, run_params, {{"how", 0, 3}, {"mask", 1, 31},
          {"transform", 0, BDCT_N_TRANSFORMS - 1}, {"quality", 1, 100},
          {"qp", 0, 51}, {"offset", -12, 12}, {"list", 0, 1}}},
  {"second", 30, run_second, {{"how", 0, 3}, {"mask", 1, 31},
          {"transform", 0, BDCT_N_TRANSFORMS}, {"quality", 1, 100},
          {"qp", 0, 51}, {"left", 0, BDCT_N_SIDES - 1},
          {"right", 0, BDCT_N_SIDES - 1}}},
  {"blocks", 20, run_blocks, {{"how", 0, 3}, {"mask", 1, 7}, {"min", 0, 5},
          {"max", 0, 5}, {"scale", 0, 4}}},
  {"levels", 15, run_levels, {{"how", 0, 3}, {"mask", 1, 3},
          {"deadzone", 0, 4}, {"rdoq", 0, 1}}},
  {"view", 40, run_view, {{"how", 0, 3}, {"mask", 1, 15},
          {"view", 0, BDCT_N_VIEWS - 1}, {"position", 0, 40},
          {"gain", 0, 320}, {"grid", 0, 1}}},
  {"report", 25, run_report, {{"how", 0, 3}, {"mask", 1, 3}, {"post", 0, 3},
          {"interval", 0, 5}, {"drain", 0, 1}}},
  {"overlay", 6, run_overlay, {{"how", 0, 3}, {"off", 0, 5}, {"drain", 0, 1}}},
  {"interactive", 10, run_interactive, {{"how", 0, 3}, {"on", 0, 3}}},
  {"matrix", 20, run_matrix, {{"n", 0, 9}, {"values", 0, 2},
          {"seed", 0, 9999}}},
  {"subsampling", 12, run_subsampling, {{"how", 0, 3}, {"value", 0, 3}}},
  {"rate", 12, run_rate, {{"how", 0, 3}, {"on", 0, 1}}},
  {"floor", 4, run_floor, {{"how", 0, 3}, {"value", 0, 3}}},
  {"target", 15, run_target, {{"how", 0, 3}, {"mask", 1, 7}, {"psnr", 0, 9},
          {"bpp", 0, 9}, {"size", 0, 9}}},
  {"curve", 10, run_curve, {{"what", 0, 5}, {"seed", 0, 9999}}},
  {"freeze", 15, run_freeze, {{.name = NULL}}},
  {"thaw", 30, run_thaw, {{.name = NULL}}},
  {"get", 10, run_get, {{.name = NULL}}},
  {"bind", 12, run_bind, {{"property", 0, N_BINDINGS - 1}, {"on", 0, 1},
          {"first", 0, 51}, {"second", 0, 51}, {"third", 0, 51}}},
  {"late", 2, run_late, {{"property", 0, 4}}},
  {"passthrough", 2, run_passthrough, {{"on", 0, 1}}},
  {"handler", 4, run_handler, {{"action", 1, 4}}},
  {"duel", 0, run_duel, {{.name = NULL}}},
  {"preset", 3, run_preset, {{"which", 0, 3}}},
  {.name = NULL}
};
