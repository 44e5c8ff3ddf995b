/* blockdct fuzzers: random steps over an element, and what has to come of each.
 *
 * A step is a kind and a few whole numbers, drawn without knowing what came
 * before: any step may be left out of a sequence and the rest still runs. The
 * same sequence does the same again, which is what replaying and shortening a
 * sequence live on. A sequence starts with a new element.
 *
 * main.c and steps.c draw, run, shorten and replay; a fuzzer has a world of its
 * own: world.c of blockdct, compare.c of blockdctcompare, preview.c of
 * blockdctpreview.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FUZZ_STEPS_H
#define TESTS_FUZZ_STEPS_H

#include "ends.h"

/* Steps */

#define MAX_ARGS 8

typedef struct
{
  guint kind;
  gint64 arg[MAX_ARGS];
} Step;

typedef struct _World World;

typedef struct
{
  const gchar *name;            /* NULL: no more */
  gint64 min, max;
} Arg;

typedef struct
{
  const gchar *name;            /* NULL: the table's end */
  guint weight;                 /* how often it is drawn */
  void (*run) (World * w, const gint64 * arg);
  Arg arg[MAX_ARGS];
} Kind;

/* The kinds of steps that a fuzzer has, table by table; its own. NULL: no
 * more. */
extern const Kind *const kind_tables[];

guint n_kinds (void);
const Kind *kind_get (guint n);

/* Draw `n` steps. */
Step *steps_draw (guint64 seed, guint n);

/* A line of text, to be freed, and back; FALSE with a reason in `error`, to
 * be freed. An empty line or one that starts with # is no step: TRUE, and
 * `kind` is n_kinds(). */
gchar *step_print (const Step * step);
gboolean step_parse (const gchar * line, Step * step, gchar ** error);

/* The world: the element and all around it (each fuzzer's own) */

World *world_new (gboolean threaded);
void world_free (World * w);

/* Get it to PLAYING, if it is not; and stop it. */
void world_start (World * w);
void world_stop (World * w, GstState state);

/* Wait until all that is due came, and look at it: what the step may do that
 * others may not is over. */
void world_settle (World * w);

/* Run a step and check all that came of it. */
void world_step (World * w, const Step * step);

/* What a step `state` does, by its argument: PAUSED and back, READY, NULL. */
void world_change_state (World * w, GstElement * element, gint to);

/* Let go of an element and its bus, which nobody else may hold. */
void world_release (GstElement * element, GstBus * bus);

/* Delete a file of statistics and make the name of another; NULL: none. */
void world_new_file (gchar ** file, const gchar * ending);

/* Several threads: rounds of steps until `n` are done. */
void threads_run (guint64 seed, guint n);

/* Failures (main.c) */

/* Say what is wrong and end the process. */
void fail (const gchar * format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;
#define check(condition, ...) \
  do { if (!(condition)) fail (__VA_ARGS__); } while (0)

/* What is being waited for, should the time limit be reached. */
void doing (const gchar * what);

/* A step is done; and so many frames came out. */
void count_step (void);
void count_frames (guint n);

gboolean on_cuda (void);
const gchar *backend_name (void);

/* A number below a limit, for a thread that has a state, not 0. */
guint noise (guint32 * state, guint below);

/* The text of an error or a warning and its debug text, to be freed. */
void message_parse (GstMessage * message, GError ** error, gchar ** debug);

/* What a report says (fields.c) */

/* Fields of a report, which have to be there. */
guint64 field_uint64 (const GstStructure * s, const gchar * name);
gdouble field_double (const GstStructure * s, const gchar * name);
void expect_uint64 (const GstStructure * s, const gchar * name,
    guint64 expected);
void expect_double (const GstStructure * s, const gchar * name,
    gdouble expected);

#endif
