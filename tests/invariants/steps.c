/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a sequence is made of. */
#include "world.h"

typedef struct
{
  const gchar *name;
  guint weight;
  guint64 range[MAX_ARGS];      /* of each argument; 0: there is none */
  void (*run) (World * w, const guint64 * arg);
} Kind;

static void
run_frame (World * w, const guint64 * arg)
{
  world_frame (w, arg[0], arg[1], arg[2], arg[3]);
}

static void
run_set (World * w, const guint64 * arg)
{
  world_set (w, arg[0], arg[1], arg[2] == 0);
}

static void
run_caps (World * w, const guint64 * arg)
{
  world_set_caps (w, arg[0], arg[1], arg[2]);
}

static void
run_mark (World * w, const guint64 * arg)
{
  GstStructure *s = gst_structure_new ("mark", "k", G_TYPE_UINT64, arg[0],
      NULL);
  gchar *text = gst_structure_to_string (s);

  world_event (w, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, s), text);
}

/* GstAggregator takes gaps for itself. */
static void
run_gap (World * w, const guint64 * arg)
{
  GstEvent *event = gst_event_new_gap (w->now, arg[0]);

  if (w->subject == TRANSFORM)
    world_event (w, event,
        gst_structure_to_string (gst_event_get_structure (event)));
  else
    gst_pad_push_event (w->source[0].pad, event);
}

static void
run_segment (World * w, const guint64 * arg)
{
  world_set_segment (w, arg[0] * GST_MSECOND);
}

static void
run_query (World * w, const guint64 * arg)
{
  world_query (w, arg[0]);
}

static void
run_settle (World * w, const guint64 * arg)
{
  (void) arg;
  world_settle (w);
}

static void
run_flush (World * w, const guint64 * arg)
{
  if (arg[1])
    world_settle (w);
  world_flush (w, arg[0]);
}

static void
run_end (World * w, const guint64 * arg)
{
  world_end (w);
  if (arg[0] == 0) {
    world_flush (w, FALSE);
    return;
  }
  world_stop (w, GST_STATE_READY);
  world_start (w);
}

static void
run_restart (World * w, const guint64 * arg)
{
  world_stop (w, arg[0] ? GST_STATE_NULL : GST_STATE_READY);
  w->shape.depth = 1 + arg[1];
  world_start (w);
}

static void
run_pause (World * w, const guint64 * arg)
{
  (void) arg;
  gst_element_set_state (w->pipeline, GST_STATE_PAUSED);
  gst_element_set_state (w->pipeline, GST_STATE_PLAYING);
}

static void
run_pad (World * w, const guint64 * arg)
{
  world_pad (w, 2 + arg[0]);
}

static void
run_reconfigure (World * w, const guint64 * arg)
{
  (void) arg;
  gst_pad_push_event (w->sink[0], gst_event_new_reconfigure ());
}

#define ANY G_MAXUINT32

/* The first makes the pipeline. */
static const Kind kinds[] = {
  {"pipeline", 0, {8 * 2, 9, 4, 2, 18}, NULL},
  {"frame", 60, {ANY, 32, 12, G_GUINT64_CONSTANT (1) << 34}, run_frame},
  {"set", 16, {ANY, 60, 2}, run_set},
  {"caps", 4, {ANY, 4000, 5}, run_caps},
  {"mark", 4, {100}, run_mark},
  {"gap", 2, {1000}, run_gap},
  {"segment", 2, {10000}, run_segment},
  {"query", 3, {2}, run_query},
  {"settle", 3, {0}, run_settle},
  {"flush", 2, {2, 2}, run_flush},
  {"end", 1, {2}, run_end},
  {"restart", 2, {2, 8}, run_restart},
  {"pause", 1, {0}, run_pause},
  {"pad", 2, {2}, run_pad},
  {"reconfigure", 1, {0}, run_reconfigure},
};

static World *
make_world (const Step * step, Subject subject)
{
  static const gint late[] = { 0, 2, -1 };
  const guint64 *arg = step->arg;
  Shape shape = { 0 };

  shape.depth = 1 + arg[0] / 2;
  shape.threads = 1 + arg[0] % 2;
  shape.before = subject == COMPARE ? arg[1] % 2 : arg[1] % 3;
  shape.after = arg[1] / 3;
  shape.offers = arg[2] % 2;
  shape.beside = arg[2] / 2;
  shape.slow = 300 * arg[3];
  shape.n_pads = 2 + arg[4] / 2 % 3;
  shape.untimed = arg[4] % 2;
  shape.late = shape.untimed ? 0 : late[arg[4] / 6];
  return world_new (subject, &shape);
}

static guint64
draw (GRand * r, guint64 range)
{
  const guint64 v = (guint64) g_rand_int (r) << 32 | g_rand_int (r);

  return range == 0 ? 0 : v % range;
}

Step *
steps_draw (guint64 seed, guint n, Subject subject)
{
  const guint32 seeds[] = { seed, seed >> 32, subject };
  GRand *r = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  Step *steps = g_new0 (Step, n);
  guint weights = 0;

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    weights += kinds[k].weight;
  for (guint i = 0; i < n; i++) {
    gint at = i == 0 ? -1 : (gint) (draw (r, weights));

    while (at >= (gint) kinds[steps[i].kind].weight)
      at -= kinds[steps[i].kind++].weight;
    for (guint a = 0; a < MAX_ARGS; a++)
      steps[i].arg[a] = draw (r, kinds[steps[i].kind].range[a]);
  }
  g_rand_free (r);
  return steps;
}

void
steps_run (const Step * steps, guint n, Subject subject, guint * at)
{
  World *w = make_world (steps, subject);

  for (guint i = 0; i < n; i++) {
    *at = i;
    doing (kinds[steps[i].kind].name);
    if (kinds[steps[i].kind].run != NULL)
      kinds[steps[i].kind].run (w, steps[i].arg);
  }
  doing ("the end");
  world_end (w);
  world_free (w);
}

gchar *
step_print (const Step * step)
{
  GString *s = g_string_new (kinds[step->kind].name);

  for (guint a = 0; a < MAX_ARGS && kinds[step->kind].range[a] > 0; a++)
    g_string_append_printf (s, " %" G_GUINT64_FORMAT, step->arg[a]);
  return g_string_free (s, FALSE);
}
