/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same from several threads: one streams, two set groups of parameters, one
 * everything else, one asks. What is in force is one of the groups,
 * never an older one than before, and at the end the last. */
#include "fuzz.h"

#include <string.h>

#define ROUND 12                /* steps until all is checked */
#define DUELS 20                /* groups set against a freeze then */

typedef struct
{
  World *w;
  guint32 state;
  gint stop;                    /* atomic */
  GMutex mutex;                 /* an app's own, of who sets groups */
  guint started;                /* groups set so far */
} Party;

static Party *party;
static guint last_group;

/* 13 and N_GROUPS have no common factor: each group once in N_GROUPS. */
static guint
group_of (guint k)
{
  return k * 13 % N_GROUPS;
}

void
threads_seen (World * w, gint n)
{
  guint k = MAX (last_group, 1), started;

  (void) w;
  g_mutex_lock (&party->mutex);
  started = party->started;
  g_mutex_unlock (&party->mutex);
  while (k <= started && group_of (k) != (guint) n)
    k++;
  check (k <= started, "group %d is in force, which is none of %u to %u", n,
      last_group, started);
  last_group = k;
}

/* Groups */

static void
next_group (Party * p)
{
  BdctParams params;

  g_mutex_lock (&p->mutex);
  /* Before it is set: it may be in force before that is over. */
  p->started++;
  group_params (group_of (p->started), &params);
  g_object_set (p->w->element, "quality", params.quality, NULL);
  g_mutex_unlock (&p->mutex);
}

static gpointer
set_groups (gpointer data)
{
  Party *p = data;
  guint32 state = p->state ^ 0x5eed0000u ^ GPOINTER_TO_UINT (g_thread_self ());

  state |= 1;
  while (!g_atomic_int_get (&p->stop)) {
    next_group (p);
    if (noise (&state, 4) == 0)
      g_usleep (noise (&state, 300));
  }
  return NULL;
}

/* Everything else */

static gpointer
set_others (gpointer data)
{
  Party *p = data;
  GObject *object = G_OBJECT (p->w->element);
  guint32 state = p->state ^ 0xabcdefu;

  while (!g_atomic_int_get (&p->stop)) {
    gboolean freeze = noise (&state, 2);

    if (freeze)
      g_object_freeze_notify (object);
    switch (noise (&state, 5)) {
      case 0:
        gst_util_set_object_arg (object, "view",
            view_names[noise (&state, N_VIEWS)]);
        break;
      case 1:
        g_object_set (object, "grid", noise (&state, 2), NULL);
        break;
      case 2:
        g_object_set (object, "interval",
            (guint64) noise (&state, 2) * 5 * FRAME, NULL);
        break;
      case 3:
        g_object_set (object, "post-messages", noise (&state, 3) > 0, NULL);
        break;
      default:
        g_object_notify (object, "quality");
        break;
    }
    if (freeze)
      g_object_thaw_notify (object);
    g_usleep (noise (&state, 200));
  }
  return NULL;
}

static gpointer
ask (gpointer data)
{
  Party *p = data;
  World *w = p->w;
  guint32 state = p->state ^ 0x123456u;

  while (!g_atomic_int_get (&p->stop)) {
    GstStructure *stats = NULL;
    GstCaps *caps;
    GstQuery *query;
    gchar *backend;

    switch (noise (&state, 4)) {
      case 0:
        g_object_get (w->element, "stats", &stats, "active-backend", &backend,
            NULL);
        gst_structure_free (stats);
        g_free (backend);
        break;
      case 1:
        query = gst_query_new_latency ();
        gst_pad_peer_query (w->sink, query);
        gst_query_unref (query);
        break;
      case 2:
        caps = gst_pad_peer_query_caps (noise (&state, 2) ? w->src : w->sink,
            NULL);
        gst_caps_unref (caps);
        break;
      default:
        gst_pad_push_event (w->sink, gst_event_new_reconfigure ());
        break;
    }
    g_usleep (noise (&state, 200));
  }
  return NULL;
}

/* An app that begins groups and changes nothing. */
static gpointer
freeze (gpointer data)
{
  Party *p = data;
  guint32 state = p->state ^ 0xfeedu;

  while (!g_atomic_int_get (&p->stop)) {
    g_object_freeze_notify (G_OBJECT (p->w->element));
    g_object_thaw_notify (G_OBJECT (p->w->element));
    if (noise (&state, 8) == 0)
      g_usleep (noise (&state, 50));
  }
  return NULL;
}

/* The stream */

static gboolean
is_allowed (const Step * step)
{
  static const gchar *const names[] = { "caps", "push", "segment", "event",
    "upstream", "eos", "flush", "query", "allocation", "state"
  };
  const Kind *kind = kind_get (step->kind);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (kind->name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* With nobody setting anything any more, the last group counts. */
static void
check_last (World * w)
{
  GstQuery *query = gst_query_new_drain ();
  gchar *error;
  Step step;

  step_parse ("push content=3 seed=3 layout=0 time=19 flags=1", &step, &error);
  world_step (w, &step);
  gst_pad_peer_query (w->src, query);
  gst_query_unref (query);
  world_settle (w);
  check (group_of (last_group) == group_of (party->started),
      "group %u is in force at the end, and %u was set last",
      group_of (last_group), group_of (party->started));
}

/* A group that is set while somebody else freezes and thaws notifications is in
 * force at once. */
static void
run_duels (Party * p)
{
  GThread *thread;

  g_atomic_int_set (&p->stop, FALSE);
  thread = g_thread_new ("freeze", freeze, p);
  for (guint i = 0; i < DUELS; i++) {
    next_group (p);
    check_last (p->w);
  }
  g_atomic_int_set (&p->stop, TRUE);
  g_thread_join (thread);
}

/* Steps while the others are about. Returns how many were done. */
static guint
run_round (Party * p, const Step * steps, guint n)
{
  GThreadFunc functions[] = { set_groups, set_groups, set_others, ask, freeze };
  GThread *threads[G_N_ELEMENTS (functions)];
  guint done = 0;

  g_atomic_int_set (&p->stop, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("party", functions[i], p);
  for (guint i = 0; i < n; i++)
    if (is_allowed (&steps[i])) {
      world_step (p->w, &steps[i]);
      done++;
    }
  doing ("the end of the other threads");
  g_atomic_int_set (&p->stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  check_last (p->w);
  run_duels (p);
  return done;
}

static void
set_depth (Party * p, guint round)
{
  gchar *line, *error;
  Step step;

  line = g_strdup_printf ("ready depth=%u threads=%u file=%u",
      1 + (guint) (p->state + round) % 5, 1 + round % 3, round % 16);
  if (step_parse (line, &step, &error))
    world_step (p->w, &step);
  g_free (line);
}

void
threads_run (guint64 seed, guint n)
{
  Party p = {.w = world_new (TRUE),.state = seed | 1 };
  Step *steps = steps_draw (seed, 2 * n);

  party = &p;
  last_group = 0;
  g_mutex_init (&p.mutex);
  next_group (&p);
  for (guint i = 0, done = 0; i + ROUND <= 2 * n && done < n; i += ROUND) {
    set_depth (&p, i);
    done += run_round (&p, steps + i, ROUND);
  }
  world_free (p.w);
  g_mutex_clear (&p.mutex);
  g_free (steps);
}
