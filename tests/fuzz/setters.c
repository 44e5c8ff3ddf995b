/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of what else sets properties, or sets them when it cannot be. */
#include "fuzz.h"

#include <math.h>
#ifdef HAVE_CONTROLLER
#include <gst/controller/controller.h>
#endif

/* Control bindings: property and three values, or none. */
#ifdef HAVE_CONTROLLER
static void
run_bind (World * w, const gint64 * arg)
{
  static const gdouble low[] = { 1, 0, BDCT_MIN_DEADZONE, 0 };
  static const gdouble high[] = { 100, 51, BDCT_MAX_DEADZONE, 8 };
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

    binding->value[i] = which >= BIND_DEADZONE ? CLAMP (v, low[which],
        high[which]) : floor (v);
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

/* What the app does in a synchronous handler of the next message: it may read
 * and set properties there, and is in the streaming thread. */
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
  guint size;

  g_object_get (w->element, "transform", &c->params.transform, "quality",
      &c->params.quality, "qp", &c->params.qp, "chroma-qp-offset",
      &c->params.chroma_qp_offset, "scaling-list", &c->params.scaling_list,
      "min-block", &c->params.min_block, "max-block", &c->params.max_block,
      "lambda-scale", &c->params.lambda_scale,
      "deadzone", &c->params.deadzone,
      "grid", &c->grid, "post-messages", &c->post, "interval", &c->interval,
      "target-psnr", &c->psnr, "target-bpp", &c->bpp, "target-size", &size,
      NULL);
  c->size = size;
  c->view = world_get_view (w);
  /* A preset has a table with a name. */
  c->params.n_steps = 0;
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

  if (!gst_preset_load_preset (GST_PRESET (w->element), presets[arg[0]].name))
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
}

/* Takes two: threads.c. */
static void
run_duel (World * w, const gint64 * arg)
{
  (void) w, (void) arg;
}

const Kind setter_kinds[] = {
  {"bind", 12, run_bind, {{"property", 0, N_BINDINGS - 1}, {"on", 0, 1},
          {"first", 0, 51}, {"second", 0, 51}, {"third", 0, 51}}},
  {"late", 2, run_late, {{"property", 0, 4}}},
  {"passthrough", 2, run_passthrough, {{"on", 0, 1}}},
  {"handler", 4, run_handler, {{"action", 1, 2}}},
  {"duel", 0, run_duel, {{.name = NULL}}},
  {"preset", 3, run_preset, {{"which", 0, 3}}},
  {.name = NULL}
};
